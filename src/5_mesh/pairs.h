/* pairs.h -- the broad phase: candidate pairs of surface features over many bodies. Method: each body has box trees over vertices, edges
   and faces (and over loose points and loose edges). They are built once and refitted to the boxes at both ends of linear motions. Bodies
   are culled by sweep and prune. A pair is a candidate unless along an axis, or along one of the six diagonals of the axes (together an
   18-DOP), one element is above the other at both ends of the motion, after widening and conversion to float (bounds.h). A common motion of
   both does not matter: a falling body has the same self pairs as one at rest. The result and its order do not depend on the trees: a
   spatial hash in their place (grid.h) gives the same. based on: Klosowski, Held, Mitchell, Sowizral, Zikan, Efficient collision detection
   using bounding volume hierarchies of k-DOPs, 1998; Cohen, Lin, Manocha, Ponamgi, I-COLLIDE, 1995 (sweep and prune); see bvh.h. */
#pragma once

#include "grid.h"
#include "../0_base/tasks.h"
#include "pairsort.h"

/* where a vertex of a body is during a motion: on the straight way between its ends, like its neighbours; anywhere in the box of its ends, which
   `inflate` widens on each axis; or wherever cti_way_holds allows. In the last case `inflate` is its slack and
   half of the detection distance together */
enum { CTI_SWEPT_NOT, CTI_SWEPT_BOX, CTI_SWEPT_WAY, CTI_SWEPT_NONE = 255 };

/* cti_soup_body -- the ranges of a body's surface vertices, edges and faces in the soup. Two bodies may meet if one of them is dynamic and their
   filters, the user's function and `apart` allow it. A body may meet itself if it is dynamic and `self` is set. */
typedef struct cti_soup_body {
    int v0, v1, e0, e1, f0, f1;
    int dynamic;
    int self;
    int is_new;      /* 1: see cti_soup.new_only */
    int still;       /* 1: its vertices never move; requires CTI_SWEPT_BOX */
    const int32_t *order; /* the order of its trees' items from an earlier build (cti_broad_order), or NULL */
    ct_filter filter;
    int sensor;      /* 1: it meets only itself, and is looked for in sweeps with cti_broad.sensors alone */
    int swept;       /* CTI_SWEPT_* */
    ct_real inflate; /* [m] half of the detection distance, and the slack of CTI_SWEPT_WAY; >= 0 */
} cti_soup_body;

typedef struct cti_soup {
    const int32_t *edges; /* [2 ne] soup vertices */
    const int32_t *faces; /* [3 nf] soup vertices */
    int nv, ne, nf;
    const cti_soup_body *bodies;
    int n_bodies;
    const int32_t *edge_faces; /* [2 ne] faces at an edge, -1: none; NULL: not known */
    const uint8_t *vertex_is_point; /* [nv] loose vertices that no edge and no face uses; NULL: none */
    const int32_t *apart; /* [2 n_apart] bodies i < j that do not meet, sorted */
    int n_apart;
    int new_only;   /* 1: bodies meet only where one of them is new */
    int (*asks)(void *world, int a, int b); /* the user's function: 0: the bodies do not meet; NULL: there is none. Called by the calling thread */
    void *world;
    int version; /* changes with who may meet whom: candidates that were found before are not those of now */
    const ct_tasks *tasks; /* who runs the loops, or NULL */
} cti_soup;

enum { CTI_BROAD_VERTICES, CTI_BROAD_EDGES, CTI_BROAD_FACES, CTI_BROAD_POINTS, CTI_BROAD_LOOSE, CTI_BROAD_TREES };

/* cti_broad_lane -- the buffers of one worker. */
typedef struct cti_broad_lane {
    int32_t *raw;     /* [2 n] overlaps of one body pair */
    int32_t *scratch;
    uint64_t *bits;   /* bit matrix for sorting; zero between uses */
    int32_t *out;     /* [2 n] the pairs found; unused in the calling thread's own lane */
} cti_broad_lane;

/* cti_broad -- zero it, build it, free it. */
typedef struct cti_broad {
    cti_forest forest;
    cti_bvh *trees;        /* [CTI_BROAD_TREES n_bodies] */
    float *vertex_boxes;   /* [16 for a vertex that may move, 8 for the others], see cti_boxes, cti_broad_boxes */
    float *vertex_slabs;   /* as vertex_boxes with twice the floats: lo of the six slabs, 0, 0, -hi, 0, 0 at the start, then at the end */
    ptrdiff_t *boxes_at;   /* [n_bodies] base of a body's cti_boxes */
    ct_real *last_x;       /* x0 and x1 of the last update for bodies that may move: if they are unchanged, the body's boxes stay valid */
    size_t *last_at;       /* [n_bodies] where each body begins in last_x */
    ct_real *last_inflate; /* [n_bodies] */
    uint8_t *last_swept;   /* [n_bodies]; CTI_SWEPT_NONE: no update was yet */
    uint8_t *old;          /* [n_bodies] 1: the boxes of its vertices and its trees are of an earlier update */
    uint8_t *meets;        /* scratch [n_bodies] */
    uint8_t *edge_loose;   /* [ne] 1: the edge is in no face */
    float *body_boxes;     /* [12 n_bodies] lo, hi at the start, then at the end */
    int32_t *body_order;   /* [2 n_bodies] (key of the lower lo on the sweep axis, body), sorted by key */
    int32_t *body_pairs;   /* [2 n] bodies whose boxes overlap, i < j, and bodies with themselves (i, i); sorted */
    float *sweep;   /* the bodies' boxes in sweep order, in blocks */
    cti_broad_lane own;    /* of the calling thread; it grows when needed */
    cti_broad_lane *lanes; /* [workers]; empty before the first query with several workers. Their room is that of recent queries */
    int32_t *place;        /* [3 n] worker, begin, end of a body pair's candidates in that worker's `out`; worker -1: they did not fit */
    int most_out;          /* largest number of entries that a query of one kind has found */
    int n_bodies, nv, ne, nf;
    int others;     /* 1: a sweep leaves out bodies with themselves; set by the caller */
    int sensors;    /* 1: a sweep finds sensors and what they see, in place of bodies that meet; set by the caller */
    int boxes_only; /* 1: slabs are not tested; set by the caller after the build */
    int hashed;     /* 1: a spatial hash in place of trees; set by the caller before the build, which keeps it */
    cti_grid grid;
    int32_t *grid_pairs; /* [2 n] overlaps over all bodies, later sorted by groups */
    int32_t *grid_group; /* [n] */
    int32_t *grid_first; /* first body pair of every body; later first pair of every group */
    uint8_t *grid_used;  /* [n_bodies] bodies that are in a body pair */
} cti_broad;

/* cti_broad_build -- builds the trees from positions x [3 nv]. Old contents are replaced. The soup is read in every call and not kept. 0:
   out of memory (broad is then empty). */
CTI_FN int cti_broad_build(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x);
CTI_FN void cti_broad_free(cti_mem *mem, cti_broad *broad);
/* cti_broad_forget -- the next update computes the boxes of every body. */
CTI_INLINE void cti_broad_forget(cti_broad *broad)
{
    if (broad->n_bodies)
        memset(broad->last_swept, CTI_SWEPT_NONE, (size_t)broad->n_bodies);
}
/* cti_broad_order -- the item order of the trees of body b: for each tree its number of items, then all items, counted from the body's
   first element. A later build may use it for the same body at rest in the same place. 0: out of memory. */
CTI_FN int cti_broad_order(cti_mem *mem, const cti_broad *broad, const cti_soup *soup, int b, int32_t **out);
/* cti_broad_update -- boxes of the motions from x0 to x1 [3 nv] (may be the same array), widened by each body's inflate. Then finds the
   overlapping bodies. 0: out of memory. */
CTI_FN int cti_broad_update(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x0, const ct_real *x1);
/* cti_broad_update_own -- the same for bodies b with own[b] alone, each of which meets itself. */
CTI_FN int cti_broad_update_own(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const uint8_t *own, const ct_real *x0, const ct_real *x1);
/* cti_broad_boxes, cti_broad_slabs -- boxes of the vertices of body b; slabs are laid out alike, with stride and base doubled. */
CTI_INLINE cti_boxes cti_broad_boxes(const cti_broad *broad, const cti_soup *soup, int b)
{
    cti_boxes boxes;
    boxes.at = broad->vertex_boxes, boxes.base = broad->boxes_at[b], boxes.stride = soup->bodies[b].still ? 8 : 16;
    return boxes;
}
CTI_INLINE cti_boxes cti_broad_slabs(const cti_broad *broad, const cti_soup *soup, int b)
{
    cti_boxes slabs = cti_broad_boxes(broad, soup, b);
    slabs.at = broad->vertex_slabs, slabs.base *= 2, slabs.stride *= 2;
    return slabs;
}
/* cti_broad_elements -- the elements [*width n] of a tree of kind `tree`; NULL: they are vertices. */
CTI_FN const int32_t *cti_broad_elements(const cti_soup *soup, int tree, int *width);
/* cti_broad_sweep -- computes body_pairs from the bodies' boxes; a part of the update. 0: out of memory. */
CTI_FN int cti_broad_sweep(cti_mem *mem, cti_broad *broad, const cti_soup *soup);
/* cti_broad_accepts -- 1 if the filters of two bodies (ct_filter) and the user's function let them meet.
   cti_broad_may_meet -- 1 if bodies a and b may meet, joined ones and sensors not; boxes are not tested.
   cti_broad_senses -- 1 if one of them is a sensor that sees the other one, and they do not both stand for ever. */
CTI_FN int cti_broad_accepts(const cti_soup *soup, int a, int b);
CTI_FN int cti_broad_may_meet(const cti_soup *soup, int a, int b);
CTI_FN int cti_broad_senses(const cti_soup *soup, int a, int b);
/* cti_broad_has_pair -- 1 if (a, b) is among n sorted pairs, as those of `apart`. */
CTI_FN int cti_broad_has_pair(const int32_t *apart, int n, int a, int b);
/* cti_broad_keep_apart -- adds bodies a and b, which must not meet from now on, to the sorted array `apart` of a soup. 0: out of memory. */
CTI_FN int cti_broad_keep_apart(cti_mem *mem, int32_t **apart, int a, int b);
/* cti_broad_pairs -- candidates of the last update, each kind a growable array [2 n] (CTI_LEN is 2 n), unique; NULL: not wanted.
   Order: body pairs (p, p) and (p, q), p < q, ascending; in each, the pairs by their numbers (vf: first vertices of p, then vertices of q).
   vf: (vertex, face); ee: (edge, edge), a < b; ve: (loose point, loose edge); vv: (loose point, loose point), a < b.
   Left out: a vertex with its own face or edge, and edges that share a vertex. 0: out of memory. */
CTI_FN int cti_broad_pairs(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **vf, int32_t **ee, int32_t **ve, int32_t **vv);
/* cti_broad_loose -- (vertex, loose edge) candidates of the last update that share no vertex, ordered as vf: those in `ve`, and more. 0: out of
   memory. */
CTI_FN int cti_broad_loose(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **out);
/* cti_broad_edge_faces -- (edge, face) candidates of the last update that share no vertex, ordered as vf. 0: out of memory. */
CTI_FN int cti_broad_edge_faces(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **ef);

/* cti_intersect_soup -- every (edge, face) that has a common point at positions x, by an exact test (crossing.c). Features that share a
   vertex and bodies that may not meet are left out. The last update must have covered x. Growable array [2 n], ordered as vf. 0: out of
   memory. */
CTI_FN int cti_intersect_soup(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, int32_t **out_pairs);
