/* own.h -- pairs of features of one body. They are found in a frame that moves with the body, where neither its flight nor its spin counts, and last
   while the body keeps its shape. */
#pragma once

#include "room.h"

enum { CTI_OWN_VF, CTI_OWN_EE, CTI_OWN_VE, CTI_OWN_VV, CTI_OWN_KINDS };

/* cti_own_place -- where a body was in the surface that the lists are of: its id, its first vertex, edge and face, the first of its vertices in the
   room, and how many vertices and edges it has. */
typedef struct cti_own_place {
    uint64_t id;
    int v0, e0, f0, at, nv, ne;
} cti_own_place;

/* cti_own -- zero it before first use; all are arrays but `moved`. */
typedef struct cti_own {
    cti_room room;                   /* where the vertices may be in their body's frame */
    ct_real *size;                   /* [surface bodies] bounds the distance of a vertex from the middle [m]; 0: no room, the pairs are found again */
    uint8_t *renew;                  /* [surface bodies] 1: the pairs have to be found again */
    int32_t *found[CTI_OWN_KINDS];   /* [2 n] in the order of bodies */
    int32_t *fresh[CTI_OWN_KINDS];   /* scratch */
    cti_own_place *places;           /* [bodies of the lists' surface] */
    int moved;                       /* 1: the surface was built anew: bodies that are still there keep their pairs */
} cti_own;

/* cti_own_stale -- number of bodies that leave their rooms on the way from surface.x0 to x1. -1: out of memory. */
CTI_FN int cti_own_stale(cti_mem *mem, cti_own *o, const cti_surface *s, const ct_real *x1);
/* cti_own_follow -- makes lists and rooms those of the present surface, where it was built anew. 0: out of memory.
   cti_own_here -- the lists are those of this surface, and its bodies are where it has them. 0: out of memory, lists and places are as before. */
CTI_FN int cti_own_follow(cti_mem *mem, cti_own *o, const cti_surface *s);
CTI_FN int cti_own_here(cti_mem *mem, cti_own *o, const cti_surface *s);
/* cti_own_renew -- finds the pairs of these bodies that come within `reach` thicknesses in their new rooms. A body that moves farther than
   `fast` [thickness] has separate rooms for start and end. 0: out of memory. */
CTI_FN int cti_own_renew(cti_mem *mem, cti_own *o, cti_surface *s, const ct_real *x1, ct_real reach, ct_real fast);
/* cti_own_merge -- *out: the pairs of lists a and b of one kind in the order of their bodies, those of a without the bodies that `drop` marks; NULL:
   with all. 0: out of memory. */
CTI_FN int cti_own_merge(cti_mem *mem, const cti_surface *s, int kind, const int32_t *a, const uint8_t *drop, const int32_t *b, int32_t **out);
