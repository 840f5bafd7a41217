/* motion.h -- the rigid part of a deformable component's motion: where its forces are linearized, and its angular momentum. */
#pragma once

#include "state.h"

/* cti_motion -- of blocks at positions x and velocities v. */
typedef struct cti_motion {
    ct_real mass;          /* [kg] */
    cti_v3 center, speed;  /* centre of mass [m], its velocity [m/s] */
    cti_v3 spin;           /* angular momentum about the centre [N m s] */
    ct_real inertia[9];    /* about the centre [kg m^2] */
    double about;          /* kinetic energy about the centre [J] */
} cti_motion;

/* cti_motion_sum -- sums over blocks [n], n at least 1; an angular one has no mass, and rotations of rigid bodies are not in the sums. */
CTI_FN void cti_motion_sum(const cti_state *s, const int32_t *blocks, int n, const ct_real *x, const ct_real *v, cti_motion *out);
/* cti_motion_measure -- those of a component. */
CTI_INLINE void cti_motion_measure(const cti_state *s, const cti_component *c, const ct_real *x, const ct_real *v, cti_motion *out)
{
    cti_motion_sum(s, s->factors.blocks + c->begin, c->end - c->begin, x, v, out);
}
/* cti_motion_rate -- angular velocity [rad/s] of a rigid body with this motion. 0: the nodes are on a line and have no inertia about it, so
   that rounding would decide. */
CTI_FN int cti_motion_rate(const cti_motion *m, cti_v3 *out);
/* cti_motion_predict -- system.q [3 n]: x after the rotation that each component's angular momentum causes in dt without contacts, about its centre
   or about what scripts hold it by; and system.turns [components]. Translation does not change forces, and is left out. */
CTI_FN void cti_motion_predict(cti_state *s, ct_real dt);
/* cti_motion_whole -- `whole` (system.sizes) of a component that is too stiff for float. Otherwise the judge would measure impulses by the compliance
   of single nodes, and miss an impulse that accelerates the whole body. In softer components a contact moves the nodes first. */
CTI_FN void cti_motion_whole(cti_state *s, const cti_component *c);
/* cti_motion_tell -- logs once that a component is practically rigid in steps of this length. */
CTI_FN void cti_motion_tell(const cti_state *s, ct_real dt, cti_component *q);
/* cti_motion_forces -- Newmark: system.force = f(q) becomes (f(x) + f(q)) / 2. The first linearization of a step computes f(x) = R' f(q),
   which is kept for later ones. */
CTI_FN void cti_motion_forces(cti_state *s);
/* cti_newton_gains -- 1 for a component of a body whose energy rose by more than its bound in the current iteration.
   cti_newton_helps -- 1 if a deformable body gains: rows of rigid bodies are linearized again in every round anyway.
   cti_newton_place -- system.q of bodies that gain: where the last linearization's result is, which is Newton's method on their elastic forces.
   Translation does not change forces: for bodies without pins it is left out. */
CTI_FN int cti_newton_gains(const cti_state *s, const cti_component *q);
CTI_FN int cti_newton_helps(const cti_state *s);
CTI_FN void cti_newton_place(cti_state *s);
/* cti_motion_impulses -- end.impulse [3 n] = J' r of the rows of the last solve, through the projectors. */
CTI_FN void cti_motion_impulses(cti_state *s);
/* cti_motion_fall -- end.fall [n]: increase of a component's velocity along gravity in the step, over that in free fall, clamped to [0, 1].
   It is 1 in free fall and in rigid bodies that swing on joints, and 0 at rest and in held blocks. It is called before s->v is replaced. */
CTI_FN void cti_motion_fall(cti_state *s, ct_real dt, const ct_real *v);
/* cti_motion_is_halfway -- 1 if v is the velocity at the middle of the last step, in a body that the next step steps by Euler's rule; 0: at
   its end. */
CTI_FN int cti_motion_is_halfway(const cti_state *s, int block);
/* cti_motion_owed -- [s] gravity times this is still to come after a step dt of Euler's rule: half of dt if the block falls, since v belongs
   to the middle of steps; what the last step left, if it rests.
   cti_motion_kick -- [s] gravity times this is added to its velocity in that step: dt, what was owed before, less what is owed then. Over
   steps of any lengths a block so gets all of gravity but what it is owed at last, or was while it rested before steps became shorter. */
CTI_FN ct_real cti_motion_owed(const cti_state *s, int block, ct_real dt);
/* cti_motion_fell -- stores end.fall and what gravity owes to a block, at the end of a step. owes: 1 if that step was one of Euler's rule.
   cti_motion_anew -- a block whose v is of the present time. */
CTI_FN void cti_motion_fell(cti_state *s, int block, ct_real dt, int owes);
CTI_FN void cti_motion_anew(cti_state *s, int block);
CTI_FN ct_real cti_motion_kick(const cti_state *s, int block, ct_real dt);
