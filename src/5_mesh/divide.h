/* divide.h -- splits edges of a mesh of tetrahedra or triangles at their middles. */
#pragma once

#include "../0_base/array.h"
#include "../1_math/vec.h"

/* cti_divide -- edges that are split, and their order; zero it, open it, close it. */
typedef struct cti_divide {
    const int32_t *edges; /* [2 n] ends, the lower first */
    int n, first;         /* the middle of edge k is vertex first + k */
    uint64_t *keys;       /* [n] ends, sorted */
    int32_t *number;      /* [n] edges in the order of keys */
    int32_t *rank;        /* [n] 0: the longest edge */
} cti_divide;

/* cti_divide_edges -- appends to *edges [2 n] the edges of tets [4 n_tets] with marks[tet] set which it does not have yet, but for those between
   two vertices that are held. marks [n_tets], held [n_vertices]; either may be NULL: all tets; none. 0: out of memory. */
CTI_FN int cti_divide_edges(cti_mem *mem, const int32_t *tets, int n_tets, const uint8_t *marks, const uint8_t *held, int32_t **edges);
/* cti_divide_wants -- 1 if cti_divide_edges would append some; keys [n] are those of a cti_divide of the edges that are there. Never allocates. */
CTI_FN int cti_divide_wants(const int32_t *tets, int n_tets, const uint8_t *marks, const uint8_t *held, const uint64_t *keys, int n);
/* cti_divide_open -- X [3 first] positions by which edges are ranked; edges [2 n] are kept. 0: out of memory. */
CTI_FN int cti_divide_open(cti_mem *mem, cti_divide *q, const ct_real *X, int first, const int32_t *edges, int n);
CTI_FN void cti_divide_close(cti_mem *mem, cti_divide *q);
/* cti_divide_all -- list [width n] of tets (width 4) or triangles (3), divided: *out [width m] with the orientation of *parent [m], in the order of
   the list. Triangles that are faces of tets become faces of the divided tets. 0: out of memory. */
CTI_FN int cti_divide_all(cti_mem *mem, const cti_divide *q, int width, const int32_t *list, int n, int32_t **out, int32_t **parent);
