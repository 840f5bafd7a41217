/* linkage.h -- energy of rigid bodies that joints hold together. */
#ifndef CTI_LINKAGE_H
#define CTI_LINKAGE_H

#include "state.h"

/* cti_linkage_keep -- at the end of a commit of a step dt: bodies that nothing but rigid joints, the resting world and gravity acted on
   have the energy that they had, or come nearer to it. 0: out of memory. */
CTI_FN int cti_linkage_keep(cti_state *s, ct_real dt);
/* cti_linkage_climbs -- adds to *out: linkages whose gravity energy at the tentative end of a step dt is above all the energy that they have, so
   that none could be taken from their motion. 0: out of memory. */
CTI_FN int cti_linkage_climbs(cti_state *s, ct_real dt, int *out);
/* cti_linkage_watch, _forget -- around the fail-safe: bodies whose end.v it changed, or all, have no energy to keep in this step. */
CTI_FN void cti_linkage_watch(cti_state *s);
CTI_FN void cti_linkage_forget(cti_state *s, int all);

#endif /* CTI_LINKAGE_H */
