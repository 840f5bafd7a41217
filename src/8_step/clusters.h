/* clusters.h -- the clusters of an island's solve: whole components, patches of them, or nodes. */
#pragma once

#include "island.h"

/* cti_clusters_make -- clusters of the open island's problem, in the arena. AUTO makes a component one cluster if few of its blocks are in
   contact, and splits it into nodes if many are. 0 when memory ran out. */
CTI_FN int cti_clusters_make(cti_factors *f, cti_arena *arena, ct_cluster_mode mode, cti_island *island);
/* cti_clusters_take_whole -- AUTO makes the components under these rows one cluster each for some attempts, if the last solve split them
   into nodes. cti_policy_whole_attempts has the bounds. Returns 0 if that changes nothing. */
CTI_FN int cti_clusters_take_whole(cti_factors *f, const cti_row *rows, int n_rows);
