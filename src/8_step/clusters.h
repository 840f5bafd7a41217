/* clusters.h -- the clusters that an island's solve is given: whole components, patches of them, or nodes. */
#ifndef CTI_CLUSTERS_H
#define CTI_CLUSTERS_H

#include "island.h"

/* cti_clusters_make -- clusters of the open island's problem, in the arena. AUTO takes components whole where few of their blocks are in contact, node
   by node where many are. 0 when memory ran out. */
CTI_FN int cti_clusters_make(cti_factors *f, cti_arena *arena, ct_cluster_mode mode, cti_island *island);
/* cti_clusters_take_whole -- AUTO takes components under these rows whole for a while, if the last solve took them node by node.
   cti_policy_whole_attempts has the bounds. Returns 0 when that changes nothing. */
CTI_FN int cti_clusters_take_whole(cti_factors *f, const cti_row *rows, int n_rows);

#endif /* CTI_CLUSTERS_H */
