/* order.h -- fill-reducing orders of symmetric graphs: nested dissection by multilevel vertex separators, minimum degree on the leaves. */
#pragma once

#include "../0_base/array.h"

/* cti_graph -- undirected graph with weights; both directions of an edge are stored, no loops. mem is the one block behind all arrays. */
typedef struct cti_graph {
    int n;
    int *ptr; /* [n + 1] */
    int *adj; /* [ptr[n]] */
    int *w;   /* [n] vertex weights > 0 */
    int *ew;  /* [ptr[n]] edge weights > 0 */
    int *mem; /* stb_ds array */
} cti_graph;
/* cti_graph_alloc -- room for n vertices and m directed edges; cti_graph_free releases it. 0 when memory ran out. */
CTI_FN int cti_graph_alloc(cti_mem *mem, cti_graph *g, int n, int m);
CTI_FN void cti_graph_free(cti_mem *mem, cti_graph *g);

/* cti_order_cut -- vertex separator: label[v] 0 or 1 for the two sides, 2 for the separator; no edge joins 0 and 1. A side weighs at most
   0.65 of the whole where the graph allows it. Different seeds give different cuts. 0 when memory ran out. */
CTI_FN int cti_order_cut(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label);

/* cti_order_places -- where the vertices of a graph are, and the body that each is of. */
typedef struct cti_order_places {
    const double *x;      /* [3 n] */
    const int32_t *group; /* [n] */
} cti_order_places;
/* cti_order_cut_places -- the same, of a graph whose vertex i is part[i] in `at`, by planes across the axes: in a tenth of the time, for separators
   that are about as small. */
CTI_FN int cti_order_cut_places(cti_mem *mem, const cti_graph *g, const cti_order_places *at, const int *part, int *label);

/* cti_order_dissect -- perm[k] is the vertex that is eliminated k-th. Parts of at most `leaf` vertices are ordered by exact minimum degree,
   where the vertices around the part count. leaf >= n: minimum degree alone. at: NULL, or where the vertices are. Weights are not used. 0 when
   memory ran out. */
CTI_FN int cti_order_dissect(cti_mem *mem, const cti_graph *g, int leaf, const cti_order_places *at, int *perm);
