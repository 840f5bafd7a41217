/* walk.h -- one box tree against a ray, a point or a box: which items may be met, the nearest first. Trees are those of bvh.h, refitted without
   motion. */
#pragma once

#include "bvh.h"

typedef enum cti_walk_kind { CTI_WALK_RAY, CTI_WALK_POINT, CTI_WALK_BOX } cti_walk_kind;

/* cti_walk -- what is looked for, and what to do with what is found. Every item that meets it is visited, and some that do not, for boxes are widened
   by the rounding of their numbers.
   a, b   RAY: the points a + t b, t in [0, 1]; POINT: a; BOX: the closed box from a to b
   r      by which items are thicker than their boxes
   most   items that begin beyond it are left out: RAY in units of t, POINT a distance; BOX: 0, below 0 the walk ends. `visit` may lower it */
typedef struct cti_walk {
    cti_walk_kind kind;
    double a[3], b[3];
    double r, most;
    void (*visit)(void *ctx, int item);
    void *ctx;
} cti_walk;

CTI_FN void cti_walk_run(const cti_walk *walk, const cti_forest *forest, const cti_bvh *tree);
/* cti_walk_root -- the box of a tree that is not empty, as its nodes have it. */
CTI_FN void cti_walk_root(const cti_forest *forest, const cti_bvh *tree, float lo[3], float hi[3]);
