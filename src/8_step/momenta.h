/* momenta.h -- angular momentum of groups of bodies that only act on each other. */
#pragma once

#include "state.h"

/* cti_momenta_balance -- corrects the end velocities v [3 n] of groups of components on which nothing outside acts, so that each group
   keeps its angular momentum, minus the loss by mass damping. A group of one component that did not rotate is left alone.
   capped: only as far as the group's kinetic energy about its centre is not above that of the start. */
CTI_FN void cti_momenta_balance(cti_state *s, ct_real dt, int capped, ct_real *v);
/* cti_momenta_turning -- the angular velocity, at the start of the step, of each group of bodies that the present rows connect, as of one rigid
   body; 0 for groups that something outside holds. cti_momenta_rate_of -- that of a block's group. */
CTI_FN void cti_momenta_turning(cti_state *s);
CTI_FN cti_v3 cti_momenta_rate_of(const cti_state *s, int block);
