/* energy.h -- kinetic, elastic and gravitational energy of bodies at the end of a substep, and their balance. */
#pragma once

#include "state.h"

/* cti_energy_state -- computes the energies of the committed state if they are not known. */
CTI_FN void cti_energy_state(cti_state *s);
/* cti_energy_body -- index of a block's body in energy.now: a model, or models + a rigid body; -1: none. */
CTI_FN int cti_energy_body(const cti_state *s, int block);
/* cti_energy_mark -- energies of the tentative end of a substep dt, for an account, where those of the state are known. Returns how many
   bodies gain, and marks them as below. */
CTI_FN int cti_energy_mark(cti_state *s, ct_real dt);
/* cti_energy_try -- the same, and balances no angular momentum of bodies that it would make gain. Returns how many bodies, marked in
   energy.gains, gain more than the work done on them plus a bound; 0 for Otaduy 2009's steps as printed, which are accepted whatever they
   gain. */
CTI_FN int cti_energy_try(cti_state *s, ct_real dt);
/* cti_energy_stands -- number of bodies that gain, by cti_energy_try, in a step as printed. */
CTI_FN int cti_energy_stands(const cti_state *s);
/* cti_energy_rest -- a body that is not stepped keeps its energy: no work is done on it, and it gains none. */
CTI_FN void cti_energy_rest(cti_state *s, int m);
/* cti_energy_is_touched -- 1 if a deformable body's tentative motion differs from its free motion. */
CTI_FN int cti_energy_is_touched(const cti_state *s, int m);
/* cti_energy_calm -- the last resort, after cti_energy_try found bodies that gain. A set consists of bodies that rows and zones
   (s->parts.zoned) connect. If a set gains as a whole, the gain of its bodies is removed from their velocities at the end, first from the
   part that is not rigid motion. The rest is removed from other deformable bodies of the set that something acts on. *out_lost += the
   momentum [N s] that this removes. Returns how many bodies gain more than can be removed; only these stay marked in energy.gains, and
   s->parts.zoned has the sets. */
CTI_FN int cti_energy_calm(cti_state *s, ct_real dt, ct_real *out_lost);
/* cti_energy_account -- work of pins and joints, and what dampers take, in a substep dt after cti_energy_try, before it is committed. */
CTI_FN void cti_energy_account(cti_state *s, ct_real dt, ct_step_report *r);
/* cti_energy_damping -- what mass and stiffness damping take in dt [J], (u'alpha M u + w'D w) dt; w is u without the rotation that the step is
   linearized about, x to system.q in `span`, as in b. */
CTI_FN double cti_energy_damping(cti_state *s, const ct_real *u, ct_real span, ct_real dt);
/* cti_energy_commit -- after a commit: the tentative energies become those of the state. */
CTI_FN void cti_energy_commit(cti_state *s);
