/* linkage.h -- energy of jointed rigid bodies. */
#ifndef CTI_LINKAGE_H
#define CTI_LINKAGE_H

#include "state.h"

/* cti_linkage_is_rigid -- 1 if a part of a joint does no work: its sides are rigid bodies or the world at rest, without compliance. */
CTI_FN int cti_linkage_is_rigid(const cti_joint *j, int part);
/* cti_linkage_recovers -- 1 if the present error of a joint is one that is being closed (cti_policy_joint_closes). */
CTI_FN int cti_linkage_recovers(const cti_state *s, const cti_joint *j);
/* cti_linkage_keep -- at the end of a commit of a step dt: jointed bodies on which only rigid joints, the world at rest and gravity acted
   keep their energy, or come nearer to it. Others gain no more than contacts and other joints gave them. 0: out of memory. */
CTI_FN int cti_linkage_keep(cti_state *s, ct_real dt);
/* cti_linkage_climbs -- adds to *out the number of linkages whose gravitational energy at the tentative end of a step dt exceeds all the
   energy that they have, so that the excess cannot be removed from their motion. 0: out of memory. */
CTI_FN int cti_linkage_climbs(cti_state *s, ct_real dt, int *out);
/* cti_linkage_watch, _forget -- called before and after the fail-safe: bodies whose end.v it changed, or all, do not keep their energy in
   this step. */
CTI_FN void cti_linkage_watch(cti_state *s);
CTI_FN void cti_linkage_forget(cti_state *s, int all);

#endif /* CTI_LINKAGE_H */
