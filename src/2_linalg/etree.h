/* etree.h -- elimination trees, supernodes and their amalgamation, on the block graph. */
#pragma once

#include "order.h"

/* cti_etree_supernodes -- perm in: a fill-reducing order, out: an equivalent one in which supernodes are consecutive and the tree is
   postordered. first (stb_ds array) gets the first position of every supernode and n at its end; out_cost the modelled time of a
   factorization. 0 when memory ran out. */
CTI_FN int cti_etree_supernodes(cti_mem *mem, const cti_graph *g, int *perm, int **first, double *out_cost);
