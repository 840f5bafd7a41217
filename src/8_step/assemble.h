/* assemble.h -- the linearized implicit step A v = b. */
#pragma once

#include "state.h"

/* cti_assemble_pins -- fixed, v_fixed, filter, projectors for the step from t to t + dt. 0 when memory ran out. */
CTI_FN int cti_assemble_pins(cti_state *s, ct_real dt);
/* cti_assemble_between -- after cti_assemble_pins: a block is held in the directions in which both a and b are. Its velocity there is the mean of
   theirs. A block that is held by itself stays so. 0: out of memory. */
CTI_FN int cti_assemble_between(cti_state *s, int block, int a, int b);
/* cti_assemble_movers -- computes surface.script: positions of scripted surface vertices at `time`. */
CTI_FN void cti_assemble_movers(cti_state *s, double time);
/* cti_assemble_standing -- the same where the vertices are at the end of the last step, also behind their script. */
CTI_FN void cti_assemble_standing(cti_state *s);
/* cti_assemble_stop -- at the end of a step: keeps where the vertices of stopped movers are: of those that are not at `script` [3 n_moving]; where
   that is NULL, of all (stopped 1) or none. */
CTI_FN void cti_assemble_stop(const cti_state *s, const ct_real *script, int stopped);
/* cti_assemble_script_speed -- largest speed of a scripted surface, over a step dt to surface.script. */
CTI_FN ct_real cti_assemble_script_speed(const cti_state *s, ct_real dt);
/* cti_assemble -- A, b of a step dt from (x, v), with forces linearized at system.q, filtered for pins. *out_extended: tets whose log J was
   continued. 0 when memory ran out. */
CTI_FN int cti_assemble(cti_state *s, ct_real dt, int *out_extended);
/* cti_assemble_at -- the same for implicit Euler with forces linearized at positions q = x + dt v: another Newton iteration. For soft
   bodies and cloth only. */
CTI_FN int cti_assemble_at(cti_state *s, ct_real dt, const ct_real *q, const ct_real *v, int *out_extended);
/* cti_assemble_scale -- the velocity that residuals are relative to: |g| dt. Without gravity it is a thousandth of the largest speed
   (scripts and what joints ask for included), or of a thickness per step. */
CTI_FN ct_real cti_assemble_scale(const cti_state *s, ct_real dt, ct_real speed);
