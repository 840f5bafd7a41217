/* queries.h -- what queries of a world read: positions, and box trees over triangles, segments and points of each body, and over the bodies. */
#pragma once

#include "world.h"
#include "../5_mesh/walk.h"

/* cti_queries_set -- a body's features of one kind. r: half of the thickness around segments and points. */
typedef struct cti_queries_set {
    ct_hit_kind kind;
    int width, n;
    double r;
    const int32_t *elements; /* [width n] vertices; the body's */
    cti_bvh tree;
} cti_queries_set;

typedef struct cti_queries_body {
    uint32_t generation; /* of the body that this is of; 0: none */
    int closed, solid;   /* triangles have an outward side; they enclose the body */
    int n_sets;
    ct_real *x;          /* [3 n] */
    cti_forest forest;
    cti_queries_set sets[2]; /* triangles first */
} cti_queries_body;

/* cti_queries -- owned by a world that was asked. */
struct cti_queries {
    cti_queries_body *bodies; /* by slot */
    int32_t *planes;          /* slots */
    cti_forest forest;        /* of the tree over all other bodies, whose items are slots */
    cti_bvh tree;
    cti_bvh_item *items;      /* scratch */
    ct_real *x;               /* scratch: positions of one body */
    float *boxes;             /* scratch: boxes of vertices, or of bodies */
};
