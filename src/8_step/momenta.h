/* momenta.h -- angular momentum of groups of bodies that only act on each other. */
#ifndef CTI_MOMENTA_H
#define CTI_MOMENTA_H

#include "state.h"

/* cti_momenta_balance -- corrects the end velocities v [3 n] of groups of components on which nothing outside acts, so that each group
   keeps its angular momentum, minus the loss by mass damping. A group of one component that did not rotate is left alone. */
CTI_FN void cti_momenta_balance(cti_state *s, ct_real dt, ct_real *v);

#endif /* CTI_MOMENTA_H */
