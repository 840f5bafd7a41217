/* energy.h -- kinetic, elastic and gravity energy of bodies at the end of a substep, and the account that they close. */
#ifndef CTI_ENERGY_H
#define CTI_ENERGY_H

#include "state.h"

/* cti_account -- where the energy of a substep came from and went to [J]; all but `gained` have the sign that their name says. */
typedef struct cti_account {
    double script, pins, joints, recovery; /* work done on bodies by scripted surfaces, pins, joints, easing apart and repair */
    double contact, damping;               /* lost in contacts, by mass and stiffness damping */
    double gained;                         /* what does not close: above 0 gained, below 0 lost by the integrator */
} cti_account;

/* cti_energy_state -- energies of the committed state, computed where they are not known. */
CTI_FN void cti_energy_state(cti_state *s);
/* cti_energy_body -- place of a block's body in energy.now: a model, or models + a rigid body; -1: none. */
CTI_FN int cti_energy_body(const cti_state *s, int block);
/* cti_energy_try -- energies of the tentative end of a substep dt. Returns how many bodies, marked in energy.gains, gain more than the work done on
   them and a bound; 0 where steps are Otaduy 2009's as printed, which stand whatever they gain. */
CTI_FN int cti_energy_try(cti_state *s, ct_real dt);
/* cti_energy_stands -- bodies that gain, by cti_energy_try, in a step as printed. */
CTI_FN int cti_energy_stands(const cti_state *s);
/* cti_energy_rest -- a body that is not stepped keeps its energy: nothing works on it, and it gains none. */
CTI_FN void cti_energy_rest(cti_state *s, int m);
/* cti_energy_is_touched -- 1 where a deformable body's tentative motion is not its free motion. */
CTI_FN int cti_energy_is_touched(const cti_state *s, int m);
/* cti_energy_calm -- the last resort, after cti_energy_try found bodies that gain: where all bodies that rows and zones (s->parts.zoned) connect gain
   together, what they gain is taken from their velocities at the end, from what is not rigid motion first, and the rest from those of deformable
   bodies among them that something acts on. *out_lost += the momentum [N s] that this takes. Returns how many bodies gain more than all that; 0:
   none. energy.gains is left of them alone, and s->parts.zoned has the sets. */
CTI_FN int cti_energy_calm(cti_state *s, ct_real dt, ct_real *out_lost);
/* cti_energy_account -- the account of a substep dt that cti_energy_try has looked at, before it is committed. */
CTI_FN void cti_energy_account(cti_state *s, ct_real dt, cti_account *out);
/* cti_energy_commit -- after a commit: the tentative energies become those of the state. out: a correction of the account, since joints between
   rigid bodies do no work over a step (linkage.h). */
CTI_FN void cti_energy_commit(cti_state *s, cti_account *out);

#endif /* CTI_ENERGY_H */
