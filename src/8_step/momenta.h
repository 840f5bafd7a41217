/* momenta.h -- angular momentum of bodies that act on nothing but each other. */
#ifndef CTI_MOMENTA_H
#define CTI_MOMENTA_H

#include "state.h"

/* cti_momenta_balance -- turns the end velocities v [3 n] of groups of components that nothing outside of them acts on, such that the angular
   momentum of each group is what it was, less what mass damping took. A group of one that did not turn is left alone. */
CTI_FN void cti_momenta_balance(cti_state *s, ct_real dt, ct_real *v);

#endif /* CTI_MOMENTA_H */
