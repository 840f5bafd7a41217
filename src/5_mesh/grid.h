/* grid.h -- pairs of overlapping boxes by a spatial hash: cells of one size, a table of buckets, a list of items in each.
   Method: a moving box is entered into the cells that its boxes at both ends of the motion cover together, the mean motion of all taken
   away, and a cell into the bucket (73856093 x xor 19349663 y xor 83492791 z) mod n of a table. Items of a bucket are held against each
   other, eight at a time; two of them are a pair in the bucket of the lowest cell that they have in common, and in no other. Items that
   cover many cells are held against all. The side of a cell is about the mean size of the boxes, those left out that are much larger.
   differs: every cell of a box is entered for both items of a pair (there, points are entered and tets look them up); a bucket holds an
   item once; no time stamps, the lists are made anew in two passes.
   based on: Teschner, Heidelberger, Mueller, Pomeranets, Gross, Optimized spatial hashing for collision detection of deformable objects,
   2003. */
#ifndef CTI_GRID_H
#define CTI_GRID_H

#include "bvh.h"

enum { CTI_GRID_TILE = 64 };
enum { CTI_GRID_DYNAMIC = 1, CTI_GRID_SELF = 2, CTI_GRID_LARGE = 4 };

/* cti_grid_items -- zero it, fill n, id, body, flags and boxes; the rest is the grid's. Growable arrays. */
typedef struct cti_grid_items {
    int n;
    int32_t *id;    /* [n] what pairs are made of */
    int32_t *body;  /* [n] */
    uint8_t *flags; /* [n] DYNAMIC: two items without it are no pair; SELF: it may meet items of its own body */
    float *boxes;   /* [12 n] lo, hi at the start, then at the end; each lo <= hi */
    int32_t *low;   /* [3 n] lowest cell */
    int32_t *keys;  /* buckets of item after item */
    int32_t *first; /* [n + 1] where in keys */
    int32_t *start; /* [table + 1] where in list */
    int32_t *list;  /* items of bucket after bucket */
    int32_t *large; /* items that are in no bucket */
} cti_grid_items;

/* cti_grid -- zero it; free it. */
typedef struct cti_grid {
    cti_grid_items a, b;
    int32_t *mark;            /* [table] */
    int table;                /* buckets, a power of two */
    float origin[3], inverse; /* lowest corner, 1 / side of a cell */
    float shift[3];           /* mean motion */
    int moving;
    float blocks_a[CTI_GRID_TILE / 8 * CTI_BVH_BLOCK], blocks_b[CTI_GRID_TILE / 8 * CTI_BVH_BLOCK];
} cti_grid;

/* cti_grid_box -- the box over vertices v [n] from the boxes of vertices (as in cti_bvh_refit) at both ends; swept 1: that at the start
   holds for both. */
CTI_FN void cti_grid_box(cti_boxes boxes, const int32_t *v, int n, int swept, float box[12]);
CTI_FN void cti_grid_free(cti_mem *mem, cti_grid *grid);
/* cti_grid_pairs -- every pair of items of a and b whose boxes overlap as in bvh.h, as numbers of items, once, in no order that means
   anything. self: a alone, each pair once, no item with itself. moving 0: the boxes at the end are those at the start. *out [2 n] is
   replaced. 0: out of memory. */
CTI_FN int cti_grid_pairs(cti_mem *mem, cti_grid *grid, int self, int moving, int32_t **out);

#endif /* CTI_GRID_H */
