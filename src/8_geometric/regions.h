/* regions.h -- self-collision of a surface by a binary tree of connected regions, with a curvature criterion.
   Method: adjacent regions are merged in pairs, from single faces up to whole components. Leaves of the tree are regions of up to eight faces. Each
   region has a polytope with the twelve faces of a regular dodecahedron around the motion of its vertices, a cone that bounds the normals of its
   faces during the motion, and its contour.
   A region, or the union of two adjacent ones, cannot collide with itself if the cone is narrow and the contour, projected along its axis, keeps
   apart from itself: its projection is one-to-one. All other pairs of regions are opened until their polytopes are apart.
   docs/regions.md derives which near pairs the criterion leaves out. "Spared" are regions, or unions of two, of which it says that they cannot.
   based on: Volino, Magnenat-Thalmann, Efficient self-collision detection on smoothly discretized surface animations using geometrical shape
   regularity, 1994; Volino, Magnenat-Thalmann 2000, sec. 4.3 (twelve-sided polytopes); Klosowski et al. 1998 (k-DOPs). */
#pragma once

#include "../7_contact/surface.h"
#include "geometric_policy.h"

/* cti_region -- is a node of the tree, in preorder: the left child of node i is i + 1. */
typedef struct cti_region {
    int32_t first, n;         /* say where its faces are: tree.face[first .. first + n) */
    int32_t right;            /* is the right child; 0: a leaf */
    int32_t contour, length;  /* say where its oriented edges are: tree.contour[contour .. contour + length) */
    int32_t common, n_common; /* say where the vertices of both children are: tree.common[common .. common + n_common) */
    int32_t is_region;        /* 1: it is connected over manifold edges; 0: the criterion does not hold for it */
    int32_t leaf;             /* is its number among the leaves */
} cti_region;

/* cti_region_leaf -- says where the features of a leaf are. It owns those whose owner is one of its faces. */
typedef struct cti_region_leaf {
    int32_t vertex, n_vertices, n_owned; /* tree.vertices[vertex ...] are its vertices, first the n_owned that it owns */
    int32_t edge, n_edges;               /* tree.edges[edge ...] are the edges that it owns */
    int32_t block;                       /* is its first block: of faces; then come those of its own vertices, and of its own edges */
} cti_region_leaf;

/* cti_region_tree -- holds what does not change when the surface moves; arrays are growable. An oriented edge is 2 e + 1 if it runs from
   edges[2 e + 1] to edges[2 e] of the surface, else 2 e. */
typedef struct cti_region_tree {
    int body, n_faces, n_blocks;
    int v0, v1, e0, e1;
    cti_region *nodes;       /* 0 is the root */
    cti_region_leaf *leaves;
    int32_t *face;           /* [n_faces] */
    int32_t *vertices, *edges;
    int32_t *ring_start, *ring; /* [vertices + 1], [3 n_faces]: places of the faces at each vertex in `face`, ascending */
    int32_t *contour, *common;
    uint8_t *manifold;          /* [edges] 1: two faces run along it in opposite directions, and no other face is there */
} cti_region_tree;

/* cti_cone -- has all directions within an angle of an axis. cosine -1: no bound. */
typedef struct cti_cone {
    cti_v3 axis;
    ct_real cosine, sine;
} cti_cone;

/* cti_region_rule -- says how near is near, and where the criterion may be trusted. */
typedef struct cti_region_rule {
    ct_real margin;  /* is half of the distance below which pairs are wanted [m] */
    ct_real inflate; /* is what polytopes are widened by: margin, and what a vertex may leave its motion by [m] */
    ct_real reach;   /* is the distance that projected contours keep [m] */
    ct_real ratio;   /* ... or, if that is less, this share of the distance at rest [1] */
    ct_real cosine;  /* is the least cosine of a cone's half angle */
    int criterion;   /* 0: polytopes alone; 1: without the contour test; 2: with it */
} cti_region_rule;

/* cti_region_counts -- counts what a query did. */
typedef struct cti_region_counts {
    int64_t visited;     /* pairs of nodes, and nodes with themselves */
    int64_t overlaps;    /* tests of polytopes */
    int64_t cones;       /* tests of cones */
    int64_t contours;    /* contour tests */
    int64_t refused;     /* contour tests that failed */
    int64_t branched;    /* of these, contours that pass a vertex twice: not tested further */
    int64_t spared;      /* regions, or unions, that cannot collide with themselves */
    int64_t leaves;      /* pairs of leaves, and leaves with themselves, that were opened */
} cti_region_counts;

/* cti_region_work -- is scratch of queries; growable. */
typedef struct cti_region_work {
    int32_t *stack, *shared; /* [4 n] pairs of nodes; lists of common vertices */
    int32_t *edges;          /* the contour of a union */
    int32_t *vertex_stamp, *vertex_next, *edge_stamp;
    int32_t stamp, query;
    ct_real *projected;           /* [8 n] projected ends of contour edges, at the start and at the end */
    float *boxes;            /* [4 n] */
    float *blocks;           /* [96 tree.n_blocks] polytopes of the features of leaves */
    int32_t *filled;         /* [leaves] `stamp` of the query that made them */
    uint32_t *keys;          /* [2 n] */
    int32_t *order;          /* [2 n] */
} cti_region_work;

/* cti_regions -- holds the regions of one body. Zero it before use. */
typedef struct cti_regions {
    cti_region_tree tree;
    cti_region_rule rule;
    float *vertex_dop;       /* [16 vertices] */
    float *dop;              /* [16 nodes] */
    cti_cone *cones;         /* [nodes] */
    int32_t *spared;         /* [2 n] regions (a, -1) and unions (a, b) that the last query spared */
    cti_region_counts counts;
    cti_region_work work;
} cti_regions;

/* ---- regions_build.c, regions_tree.c ---- */

/* cti_regions_usable -- returns 1 if all vertices and edges of a body are in faces, and there are faces: others have no regions. */
CTI_FN int cti_regions_usable(const cti_surface *f, int body);
/* cti_regions_build -- builds the tree of a body; f->rest gives shapes. Old contents are replaced. 0: out of memory. */
CTI_FN int cti_regions_build(cti_mem *mem, cti_regions *r, const cti_surface *f, int body);
CTI_FN void cti_regions_free(cti_mem *mem, cti_regions *r);
/* cti_region_shape -- makes the tree in preorder from the merged one with the root `from`: child [2 nodes], -1, -1: face f0 + node; size [nodes] in
   faces; nodes from `glued` on are no regions. 0: out of memory. */
CTI_FN int cti_region_shape(cti_mem *mem, cti_regions *r, const cti_surface *f, const int32_t *child, const int32_t *size, int from, int glued);
/* cti_region_is_reversed -- returns 1 where side k of a face runs from edges[2 e + 1] to edges[2 e]. */
CTI_INLINE int cti_region_is_reversed(const cti_surface *f, int face, int k)
{
    return f->faces[3 * (size_t)face + (size_t)k] != f->edges[2 * (size_t)f->face_edges[3 * (size_t)face + (size_t)k]];
}

/* ---- regions_shape.c ---- */

/* cti_region_motion -- is a linear motion of a surface. */
typedef struct cti_region_motion {
    const cti_surface *f;
    const ct_real *x0, *x1; /* [3 nv] */
} cti_region_motion;

/* cti_region_project -- projects p on the six axes; cti_region_enclose -- makes the polytope of two; out may be one of them. */
CTI_FN void cti_region_project(cti_v3 p, ct_real out[6]);
CTI_FN void cti_region_enclose(float *out, const float *a, const float *b);
/* cti_regions_dops -- makes polytopes around all positions from x0 to x1 [3 nv], widened by rule.inflate. */
CTI_FN void cti_regions_dops(cti_regions *r, const ct_real *x0, const ct_real *x1);
/* cti_regions_cones -- makes cones of all normals during the motion. Cones wider than the rule allows have cosine -1. */
CTI_FN void cti_regions_cones(cti_regions *r, const cti_region_motion *m);
/* cti_cone_join -- returns a cone around both. */
CTI_FN cti_cone cti_cone_join(const cti_cone *a, const cti_cone *b);
/* cti_regions_inside -- returns 1 if the polytopes of the vertices cover positions x. */
CTI_FN int cti_regions_inside(const cti_regions *r, const ct_real *x);

/* ---- regions_contour.c ---- */

/* cti_region_union -- sets work.edges to the contour of the union of nodes a and b; returns the number of edges between. -1: out of memory. */
CTI_FN int cti_region_union(cti_mem *mem, cti_regions *r, int a, int b);
/* cti_region_simple -- returns 1 if the contour edges [n] enclose one area without overlap, seen along the unit vector `along`, during the whole
   motion: edges without a common vertex keep rule.reach, or rule.ratio of their distance at rest. 0: not, or not known; -1: out of memory. */
CTI_FN int cti_region_simple(cti_mem *mem, cti_regions *r, const cti_region_motion *m, const int32_t *edges, int n, cti_v3 along);

/* ---- regions.c ---- */

/* cti_regions_self -- appends (vertex, face) and (edge, edge) pairs of the body with itself that may come nearer than 2 rule.margin in the motion,
   without those that share a vertex and those that the criterion spares. dops and cones must be those of the motion. 0: out of memory. */
CTI_FN int cti_regions_self(cti_mem *mem, cti_regions *r, const cti_region_motion *m, int32_t **vf, int32_t **ee);
/* cti_regions_hold -- returns 1 if the pairs of the last query are those of another motion, too: polytopes cover both its ends, and the criterion
   spares what it spared. The cones become those of the motion. 0: not; -1: out of memory. */
CTI_FN int cti_regions_hold(cti_mem *mem, cti_regions *r, const cti_region_motion *m);
