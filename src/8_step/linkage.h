/* linkage.h -- energy of rigid bodies that joints hold together. */
#ifndef CTI_LINKAGE_H
#define CTI_LINKAGE_H

#include "state.h"

/* cti_linkage_keep -- at the end of a commit of a step dt: bodies that nothing but rigid joints, the resting world and gravity acted on have the
   energy that they had, or come nearer to it. forced 1: the step was ended by the fail-safe, nobody has. 0: out of memory. */
CTI_FN int cti_linkage_keep(cti_state *s, ct_real dt, int forced);

#endif /* CTI_LINKAGE_H */
