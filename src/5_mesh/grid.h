/* grid.h -- pairs of overlapping boxes by a spatial hash: cells of one size, a table of buckets, a list of items in each. Method: the mean
   motion of all items is subtracted first. A moving box is then entered into all cells that the union of its boxes at both ends covers. A
   cell belongs to the bucket (73856093 x xor 19349663 y xor 83492791 z) mod n of a table. Items of a bucket are tested against each other,
   eight at a time. A pair is reported only in the bucket of the lowest cell that both share. Items that cover many cells are tested against
   all others. The side of a cell is about the mean size of the boxes, with much larger ones left out. differs: all items are entered in
   every cell they cover (in the paper, points are entered and tets look them up). A bucket holds an item once. There are no time stamps;
   the lists are rebuilt in two passes.
   based on: Teschner, Heidelberger, Mueller, Pomeranets, Gross, Optimized spatial hashing for collision detection of deformable objects,
   2003. */
#pragma once

#include "bvh.h"

enum { CTI_GRID_TILE = 64 };
enum { CTI_GRID_DYNAMIC = 1, CTI_GRID_SELF = 2, CTI_GRID_LARGE = 4 };

/* cti_grid_items -- zero it, fill in n, id, body, flags and boxes; the other fields are set by the grid. Growable arrays. */
typedef struct cti_grid_items {
    int n;
    int32_t *id;    /* [n] the numbers that pairs are made of */
    int32_t *body;  /* [n] */
    uint8_t *flags; /* [n] DYNAMIC: two items without this flag are no pair; SELF: the item may meet items of its own body */
    float *boxes;   /* [12 n] lo, hi at the start, then at the end; each lo <= hi */
    int32_t *low;   /* [3 n] lowest cell */
    int32_t *keys;  /* buckets of item after item */
    int32_t *first; /* [n + 1] where each item's buckets begin in keys */
    int32_t *start; /* [table + 1] where each bucket's items begin in list */
    int32_t *list;  /* items, bucket after bucket */
    int32_t *large; /* items that are in no bucket */
} cti_grid_items;

/* cti_grid -- zero it; free it. */
typedef struct cti_grid {
    cti_grid_items a, b;
    int32_t *mark;            /* [table] */
    int table;                /* buckets, a power of two */
    float origin[3], inverse; /* lowest corner, 1 / side of a cell */
    float shift[3];           /* mean motion */
    int self, moving;         /* as in cti_grid_pairs */
    int bucket;               /* whose items are tested; -1: large items */
    float blocks_a[CTI_GRID_TILE / 8 * CTI_BVH_BLOCK], blocks_b[CTI_GRID_TILE / 8 * CTI_BVH_BLOCK];
} cti_grid;

/* cti_grid_box -- the bounding box at both ends of the vertices v [n], from the vertices' boxes (as in cti_bvh_refit). swept 1: the boxes
   at the start cover the whole motion. */
CTI_FN void cti_grid_box(cti_boxes boxes, const int32_t *v, int n, int swept, float box[12]);
CTI_FN void cti_grid_free(cti_mem *mem, cti_grid *grid);
/* cti_grid_pairs -- every pair of items of a and b whose boxes overlap as in bvh.h, by item number, once, in unspecified order. self:
   within a alone, no item with itself. moving 0: the boxes at the end are those at the start. *out [2 n] is replaced. 0: out of memory. */
CTI_FN int cti_grid_pairs(cti_mem *mem, cti_grid *grid, int self, int moving, int32_t **out);
