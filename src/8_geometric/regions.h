/* regions.h -- self-collision of a surface by a binary tree of connected regions, with a curvature criterion.
   Method: adjacent regions are merged in pairs, from single faces up to whole components. Leaves of the tree are regions of up to eight faces. Each
   region has a polytope with the twelve faces of a regular dodecahedron around the motion of its vertices, a cone that bounds the normals of its
   faces during the motion, and its contour.
   A region, or the union of two adjacent ones, cannot collide with itself if the cone is narrow and the contour, projected along its axis, keeps
   apart from itself: its projection is one-to-one. All other pairs of regions are opened until their polytopes are apart.
   docs/regions.md derives which near pairs the criterion leaves out.
   based on: Volino, Magnenat-Thalmann, Efficient self-collision detection on smoothly discretized surface animations using geometrical shape
   regularity, 1994; Volino, Magnenat-Thalmann 2000, sec. 4.3 (twelve-sided polytopes); Klosowski et al. 1998 (k-DOPs). */
#pragma once

#include "../7_contact/surface.h"

/* floats of a polytope: its least projections on six axes, 0, 0, then the negatives of the largest ones, 0, 0; faces of a leaf; floats of a block of
   eight polytopes: the twelve numbers of each, eight at a time */
enum { CTI_REGION_DOP = 16, CTI_REGION_LEAF = 8, CTI_REGION_BLOCK = 96 };

/* cti_region -- a node of the tree, in preorder: the left child of node i is i + 1. */
typedef struct cti_region {
    int32_t first, n;        /* its faces: tree.face[first .. first + n) */
    int32_t right;           /* the right child; 0: a leaf */
    int32_t contour, length; /* oriented edges: tree.contour[contour .. contour + length) */
    int32_t meet, n_meet;    /* vertices of both children: tree.meet[...] */
    int32_t whole;           /* 1: connected over manifold edges; 0: not a region, the criterion does not hold for it */
    int32_t leaf;            /* number among the leaves */
} cti_region;

/* cti_region_leaf -- features of a leaf. It owns those whose owner is one of its faces. */
typedef struct cti_region_leaf {
    int32_t vertex, n_vertices, n_points; /* tree.vertices[vertex ...]: its vertices, first those that it owns */
    int32_t line, n_lines;                /* tree.lines[line ...]: the edges that it owns */
    int32_t block;                        /* its first block: of faces; then come those of its own vertices, and of its own edges */
} cti_region_leaf;

/* cti_region_tree -- what does not change when the surface moves; arrays are growable. An oriented edge is 2 e + 1 if it runs from edges[2 e + 1]
   to edges[2 e], else 2 e. */
typedef struct cti_region_tree {
    int body, n_faces, n_blocks;
    int v0, v1, e0, e1;
    cti_region *nodes;       /* 0 is the root */
    cti_region_leaf *leaves;
    int32_t *face;           /* [n_faces] */
    int32_t *vertices, *lines;
    int32_t *ring_start, *ring; /* [vertices + 1], [3 n_faces]: places of the faces at each vertex in `face`, ascending */
    int32_t *contour, *meet;
    uint8_t *joint;          /* [edges] 1: two faces run along it in opposite directions, and no other face is there */
} cti_region_tree;

/* cti_cone -- all directions within an angle of an axis. cosine -1: no bound. */
typedef struct cti_cone {
    cti_v3 axis;
    ct_real cosine, sine;
} cti_cone;

/* cti_region_rule -- how near is near, and where the criterion may be trusted. */
typedef struct cti_region_rule {
    ct_real margin;  /* [m] half of the distance below which pairs are wanted */
    ct_real inflate; /* [m] that polytopes are widened by: margin, and what a vertex may leave its motion by */
    ct_real reach;   /* [m] distance that projected contours keep */
    ct_real ratio;   /* [1] ... or, if that is less, this share of the distance at rest */
    ct_real cosine;  /* the least cosine of a cone's half angle */
    int criterion;   /* 0: polytopes alone; 1: without the contour test; 2: with it */
} cti_region_rule;

/* cti_region_counts -- what a query did. */
typedef struct cti_region_counts {
    int64_t visited;     /* pairs of nodes, and nodes with themselves */
    int64_t overlaps;    /* tests of polytopes */
    int64_t cones;       /* tests of cones */
    int64_t contours;    /* contour tests */
    int64_t refused;     /* of these, failed */
    int64_t branched;    /* of these, by contours with a vertex that they pass twice: not tested further */
    int64_t spared;      /* regions, or unions, that cannot collide with themselves */
    int64_t leaves;      /* pairs of leaves, and leaves with themselves, that were opened */
} cti_region_counts;

/* cti_region_work -- scratch of queries; growable. */
typedef struct cti_region_work {
    int32_t *stack, *shared; /* [4 n] pairs of nodes; lists of common vertices */
    int32_t *edges;          /* the contour of a union */
    int32_t *vertex_stamp, *vertex_next, *edge_stamp;
    int32_t stamp, query;
    ct_real *flat;           /* [8 n] projected ends of contour edges, at the start and at the end */
    float *boxes;            /* [4 n] */
    float *blocks;           /* [96 tree.n_blocks] polytopes of the features of leaves */
    int32_t *filled;         /* [leaves] `stamp` of the query that made them */
    uint32_t *keys;          /* [2 n] */
    int32_t *order;          /* [2 n] */
} cti_region_work;

/* cti_regions -- one body. Zero it before use. */
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

/* cti_regions_usable -- 1 if all vertices and edges of a body are in faces, and there are faces: others have no regions. */
CTI_FN int cti_regions_usable(const cti_surface *f, int body);
/* cti_regions_build -- the tree of a body; f->rest gives shapes. Old contents are replaced. 0: out of memory. */
CTI_FN int cti_regions_build(cti_mem *mem, cti_regions *r, const cti_surface *f, int body);
CTI_FN void cti_regions_free(cti_mem *mem, cti_regions *r);
/* cti_region_shape -- the merged tree in preorder from its root, node `from`: child [2 nodes], -1, -1: face f0 + node; size [nodes] in faces; nodes
   from `glued` on are not whole. The rest of the tree follows from it. 0: out of memory. */
CTI_FN int cti_region_shape(cti_mem *mem, cti_regions *r, const cti_surface *f, const int32_t *child, const int32_t *size, int from, int glued);
/* cti_region_turned -- 1: side k of a face runs from edges[2 e + 1] to edges[2 e]. */
CTI_INLINE int cti_region_turned(const cti_surface *f, int face, int k)
{
    return f->faces[3 * (size_t)face + (size_t)k] != f->edges[2 * (size_t)f->face_edges[3 * (size_t)face + (size_t)k]];
}

/* ---- regions_shape.c ---- */

/* cti_region_motion -- a linear motion of a surface. */
typedef struct cti_region_motion {
    const cti_surface *f;
    const ct_real *x0, *x1; /* [3 nv] */
} cti_region_motion;

/* cti_region_project -- the projections of p on the six axes; cti_region_enclose -- the polytope of two; out may be one of them. */
CTI_FN void cti_region_project(cti_v3 p, ct_real out[6]);
CTI_FN void cti_region_enclose(float *out, const float *a, const float *b);
/* cti_regions_dops -- polytopes around all positions from x0 to x1 [3 nv], widened by rule.inflate. */
CTI_FN void cti_regions_dops(cti_regions *r, const ct_real *x0, const ct_real *x1);
/* cti_regions_cones -- cones of all normals during the motion. Cones wider than the rule allows have cosine -1. */
CTI_FN void cti_regions_cones(cti_regions *r, const cti_region_motion *m);
/* cti_cone_join -- a cone around both. */
CTI_FN cti_cone cti_cone_join(const cti_cone *a, const cti_cone *b);
/* cti_regions_inside -- 1 if the polytopes of the vertices cover positions x. */
CTI_FN int cti_regions_inside(const cti_regions *r, const ct_real *x);

/* ---- regions_contour.c ---- */

/* cti_region_union -- work.edges: the contour of the union of nodes a and b; the number of edges where they meet. -1: out of memory. */
CTI_FN int cti_region_union(cti_mem *mem, cti_regions *r, int a, int b);
/* cti_region_simple -- 1 if the contour edges [n] enclose one area without overlap, seen along the unit vector `along`, during the whole motion:
   edges without a common vertex keep rule.reach, or rule.ratio of their distance at rest. 0: not, or not known; -1: out of memory. */
CTI_FN int cti_region_simple(cti_mem *mem, cti_regions *r, const cti_region_motion *m, const int32_t *edges, int n, cti_v3 along);

/* ---- regions.c ---- */

/* cti_regions_self -- appends (vertex, face) and (edge, edge) pairs of the body with itself that may come nearer than 2 rule.margin in the motion,
   without those that share a vertex and those that the criterion spares. dops and cones must be those of the motion. 0: out of memory. */
CTI_FN int cti_regions_self(cti_mem *mem, cti_regions *r, const cti_region_motion *m, int32_t **vf, int32_t **ee);
/* cti_regions_hold -- 1 if the pairs of the last query are those of another motion, too: x1 is where polytopes cover it, and the criterion spares
   what it spared. The cones become those of the motion. 0: not; -1: out of memory. */
CTI_FN int cti_regions_hold(cti_mem *mem, cti_regions *r, const cti_region_motion *m);
