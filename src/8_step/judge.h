/* judge.h -- what a step may gain, and how a step ends that gains more. */
#pragma once

#include "policy.h"

/* cti_judge_begin -- a step begins: no block is held by the judge, as after a step that ran out of memory. */
CTI_FN void cti_judge_begin(cti_state *s);
/* cti_judge_open -- a try of a step begins: no bodies have touched, and the energies of the state are those before it. */
CTI_FN void cti_judge_open(cti_state *s);
/* cti_judge_touch -- the body of `block` takes part in a contact whose points move at a speed of root met2 along each other; first: another body
   of that contact, or -1. Bodies of a contact belong to one set. Returns the body; `first` where the block has none. */
CTI_FN int cti_judge_touch(cti_state *s, int first, int block, double met2);
/* cti_judge_touches -- the same of all touches of the step, and of the bodies that joints hold together. */
CTI_FN void cti_judge_touches(cti_state *s);
/* cti_judge_has -- 1 if a contact acted on the block in this try. */
CTI_FN int cti_judge_has(const cti_state *s, int block);
/* cti_judge_row -- the same of the blocks of a row, between the velocities at the start and in end.v. */
CTI_FN void cti_judge_row(cti_state *s, const cti_row *row);
/* cti_judge_blame -- blocks whose tentative motion is not finite or not plausible are at fault: this try is refused, whatever its energies are.
   0: out of memory. */
CTI_FN int cti_judge_blame(cti_state *s, ct_real dt);
/* cti_judge_shift -- [J] by which a substep h that ends with velocities v has kinetic energies of another time than before, where end.fall is not
   committed yet. */
CTI_FN double cti_judge_shift(const cti_state *s, ct_real h, const ct_real *v);
/* cti_judge_refuses -- judge.refused: the committed end of a step dt has gained more than the bound, by its complete report, which gets the status
   CT_STATUS_NOT_CONVERGED. swing, shift [J]: gains that the stepper explains: energy that its rule gains and loses by turns, and by which
   velocities belong to other times than before. */
CTI_FN void cti_judge_refuses(cti_state *s, ct_real dt, double swing, double shift, ct_step_report *r);
/* cti_judge_calm -- takes the gain of a refused step from the velocities of the sets that have it. 1: done; 0: they do not have as much. */
CTI_FN int cti_judge_calm(cti_state *s, ct_real dt, ct_step_report *r);
/* cti_judge_hold -- after that: the sets at fault, or else all bodies, are held in the next try, which begins at the start. 0: all bodies are
   held already. */
CTI_FN int cti_judge_hold(cti_state *s);
/* cti_judge_close -- the step is taken: held bodies are released, and what they have lost enters the report. */
CTI_FN void cti_judge_close(cti_state *s, ct_real dt, ct_step_report *r);
