/* candidates.h -- candidate pairs of features, as the box trees find them: their vertices, their distances, and what a motion does to these. */
#pragma once

#include "room.h"

/* cti_candidates -- the pairs of one kind: VF, EE, VE, VV, or vertices and planes. Zero it, set the kind. */
typedef struct cti_candidates {
    ct_pair_kind kind;
    int32_t *pairs;   /* [2 n] feature numbers, in the order of the trees */
    int32_t *quads;   /* [4 n] surface vertices; those that a pair does not have are 0 */
    ct_real *hat;     /* [n] distance at which the pair meets [m] */
    ct_real *d2;      /* [n] squared distance where it was last measured [m^2]; of a plane the signed distance itself [m] */
    ct_real *w;       /* closest points there, as in dist.h: [3 n] of VF, [2 n] of EE, [n] of VE */
    int32_t *feature; /* [n] as in dist.h */
} cti_candidates;
/* lists of all kinds, where an owner has them in an array */
enum { CTI_LIST_VF, CTI_LIST_EE, CTI_LIST_VE, CTI_LIST_VV, CTI_LIST_PLANE, CTI_LISTS };

CTI_INLINE int cti_candidates_len(const cti_candidates *l) { return CTI_LEN(l->pairs) / 2; }
/* cti_candidates_blocks -- number of blocks of pairs. In float the result of a batch of ccd.h may depend on the other pairs in it: batches are of one
   block, so that the ranges of workers change no result. */
enum { CTI_CANDIDATES_BLOCK = 256 };
CTI_INLINE int cti_candidates_blocks(const cti_candidates *l) { return (cti_candidates_len(l) + CTI_CANDIDATES_BLOCK - 1) / CTI_CANDIDATES_BLOCK; }
/* cti_candidates_distance -- of pair i, where it was last measured [m]. */
CTI_INLINE ct_real cti_candidates_distance(const cti_candidates *l, int i) { return l->kind == CT_PAIR_PLANE ? l->d2[i] : cti_sqrt(l->d2[i]); }
/* cti_kind_corners -- number of a pair's vertices; cti_kind_first -- of those of its first feature. */
CTI_INLINE int cti_kind_corners(ct_pair_kind kind) { return kind == CT_PAIR_PLANE ? 1 : kind == CT_PAIR_VV ? 2 : kind == CT_PAIR_VE ? 3 : 4; }
CTI_INLINE int cti_kind_first(ct_pair_kind kind) { return kind == CT_PAIR_EE ? 2 : 1; }

/* cti_candidates_kinds -- sets the kinds of list [CTI_LISTS]. */
CTI_FN void cti_candidates_kinds(cti_candidates *list);
CTI_FN void cti_candidates_free(cti_mem *mem, cti_candidates *l);
/* cti_candidates_complete -- quads and hat of the pairs, and room for their distances. hat [surface bodies]: of each body [m], of a pair the mean;
   NULL: the bodies' thickness. 0: out of memory. */
CTI_FN int cti_candidates_complete(cti_mem *mem, cti_candidates *l, const cti_surface *s, const ct_real *hat);
/* cti_candidates_planes -- appends the vertices and planes that may come nearer than `share` times their hat while the surface is in a room. 0: out
   of memory. */
CTI_FN int cti_candidates_planes(cti_mem *mem, cti_candidates *l, const cti_surface *s, const cti_room *room, const ct_real *hat, ct_real share);
/* cti_candidates_measure -- distances at x [3 nv]. cti_candidates_rest -- the same at rest, to which hat of pairs within a body is limited: half of
   the distance there at most. */
CTI_FN void cti_candidates_measure(cti_candidates *l, const cti_surface *s, const ct_real *x);
CTI_FN void cti_candidates_rest(cti_candidates *l, const cti_surface *s);
/* cti_candidates_pair -- pair i, with the weights of its closest points. */
CTI_FN void cti_candidates_pair(const cti_candidates *l, const cti_surface *s, int i, cti_pair *out);

/* cti_candidates_way -- a straight motion of the surface. */
typedef struct cti_candidates_way {
    const ct_real *x0, *x1;
    ct_real share, part; /* each pair is to keep this share of hat, or this part of its distance where that is less */
    ct_real most;        /* [m] no two vertices move farther relative to each other; CTI_REAL_MAX: not known */
    const ct_real *size; /* [surface bodies] only pairs that move farther than the smaller body's size; NULL: all */
    const uint8_t *moved; /* [vertices] pairs without a vertex that is marked are taken for clear; NULL: none is */
} cti_candidates_way;
/* cti_candidates_meet -- toi [n]: when each pair comes as near, never late; CTI_CCD_NONE: not on this way. d2 [n]: squared distances at x0. No
   planes. */
CTI_FN void cti_candidates_meet(const cti_candidates *l, const cti_surface *s, const cti_candidates_way *way, const ct_real *d2, ct_real *toi);
