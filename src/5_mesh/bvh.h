/* bvh.h -- trees of moving boxes, eight wide, over vertices, edges or faces. They are built once, refitted to each motion and traversed in
   pairs.
   Method: a moving box is two boxes, at the start and at the end of linear motions. Two moving boxes are apart when along some axis one is
   above the other at both ends (bounds.h). Items are ordered by median splits at multiples of powers of eight, so that a tree needs no
   pointers. Level 0 holds the items' boxes in blocks of eight lanes; level k + 1 holds one box per block of level k, up to a level with one
   box. An overlap test compares one box with a block. Which pairs are found depends on the items' boxes alone, never on the tree. The items
   of a tree may instead have one box that covers the whole motion; two such trees are compared once, not at both ends. differs: the boxes
   at the two ends of a motion are kept as two, not merged into one swept box.
   based on: Dammertz, Hanika, Keller, Shallow bounding volume hierarchies, 2008 (wide nodes); implicit layout as in B-tree arrays. */
#pragma once

#include "../0_base/array.h"
#include "../1_math/simd_turn.h"
#include "../4_geom/bounds.h"

/* floats in a block: lo x, lo y, lo z, hi x, hi y, hi z at the start, then at the end, eight lanes each */
enum { CTI_BVH_LEVELS = 13, CTI_BVH_HALF = 48, CTI_BVH_BLOCK = 96 };

/* cti_bvh -- one tree in a forest. Level k has `entries[k]` boxes in blocks block0[k] ... ; the last level has one entry. A tree over items
   that never move has blocks of CTI_BVH_HALF floats, without boxes for the end. */
typedef struct cti_bvh {
    int n_items, n_levels; /* n_levels 0: empty; else at least 2 */
    int size;              /* floats in a block: CTI_BVH_BLOCK or CTI_BVH_HALF */
    size_t float0;         /* offset of the floats of its first block */
    int end;               /* offset, in a block, of the boxes at the end: CTI_BVH_HALF, or 0 if they are those of the start */
    int item0;             /* its items: forest->items[item0 ...], in tree order */
    int entries[CTI_BVH_LEVELS], block0[CTI_BVH_LEVELS];
} cti_bvh;

/* cti_forest -- the arrays that many trees share; growable. Zero it before use. */
typedef struct cti_forest {
    int32_t *items;
    float *blocks;   /* of all trees, [size n] of each */
    int n_blocks;
    size_t n_floats;
} cti_forest;

/* cti_bvh_block -- block i of a tree; i = block0[k] + j is block j of level k. */
CTI_INLINE float *cti_bvh_block(const cti_forest *forest, const cti_bvh *tree, int i)
{
    return forest->blocks + tree->float0 + (size_t)(i - tree->block0[0]) * (size_t)tree->size;
}

CTI_FN void cti_forest_clear(cti_forest *forest);
CTI_FN void cti_forest_free(cti_mem *mem, cti_forest *forest);

/* cti_bvh_item -- an item and the point by which it is sorted into the tree. */
typedef struct cti_bvh_item {
    ct_real at[3];
    int32_t id;
} cti_bvh_item;

/* cti_bvh_build -- appends a tree over n items to the forest (items are reordered). Its boxes are empty until refitted. still 1: the tree
   will only be refitted with moving 0. 0: out of memory.
   cti_bvh_build_ordered -- the same with the item order of a tree built before; `first` is added to each item number. */
CTI_FN int cti_bvh_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, cti_bvh_item *items, int n, int still);
CTI_FN int cti_bvh_build_ordered(cti_mem *mem, cti_forest *forest, cti_bvh *tree, const int32_t *order, int first, int n, int still);
/* cti_bvh_blocks -- number of blocks of a tree over n items. cti_forest_reserve -- reserves memory for all trees of a large forest, given
   their total numbers of items and floats. Its arrays are then neither copied while they grow nor larger than needed. 0: out of
   memory. */
CTI_FN int cti_bvh_blocks(int n);
CTI_FN int cti_forest_reserve(cti_mem *mem, cti_forest *forest, size_t items, size_t floats);
/* cti_boxes -- boxes of vertices. The box of vertex v at the start of a motion is lo x y z, 0, -hi x y z, 0 at at[stride v + base]. With
   stride 16 the box at the end follows it. base may be negative. */
typedef struct cti_boxes {
    const float *at;
    ptrdiff_t base;
    int stride; /* 16 or 8 */
} cti_boxes;
CTI_INLINE const float *cti_boxes_of(cti_boxes b, int v) { return b.at + (b.base + (ptrdiff_t)b.stride * v); }

/* cti_bvh_refit -- computes all boxes from those of the vertices; moving 0: the boxes at the start hold for the end, too. elements [width
   n] are vertex numbers, or NULL with width 1: items are vertices. */
CTI_FN void cti_bvh_refit(cti_forest *forest, cti_bvh *tree, cti_boxes boxes, int moving, const int32_t *elements, int width);
/* cti_bvh_pairs -- appends to *out [2 n] every (item of a, item of b) whose boxes overlap. a == b: each unordered pair once, never an item
   with itself. The order is unspecified. 0: out of memory. */
CTI_FN int cti_bvh_pairs(cti_mem *mem, const cti_forest *forest, const cti_bvh *a, const cti_bvh *b, int32_t **out);

/* cti_bvh_hits -- lanes of `block` whose closed boxes overlap the box in lane `lane` of `query`, at one end of the motion. */
CTI_INLINE unsigned cti_bvh_hits(const float *query, int lane, const float *block)
{
    cti_f8 m = cti_f8_and(cti_f8_le(cti_f8_set(query[lane]), cti_f8_load(block + 24)),
                          cti_f8_le(cti_f8_load(block), cti_f8_set(query[24 + lane])));
    m = cti_f8_and(m, cti_f8_and(cti_f8_le(cti_f8_set(query[8 + lane]), cti_f8_load(block + 32)),
                                 cti_f8_le(cti_f8_load(block + 8), cti_f8_set(query[32 + lane]))));
    m = cti_f8_and(m, cti_f8_and(cti_f8_le(cti_f8_set(query[16 + lane]), cti_f8_load(block + 40)),
                                 cti_f8_le(cti_f8_load(block + 16), cti_f8_set(query[40 + lane]))));
    return (unsigned)cti_f8_bits(m);
}

/* cti_bvh_on_way -- lanes that may overlap along axis k during the motion: neither box is above the other at both ends. q0, b0: query and
   block at the start; q1, b1: at the end. */
CTI_INLINE cti_f8 cti_bvh_on_way(const float *q0, const float *q1, int lane, const float *b0, const float *b1, int k)
{
    cti_f8 below = cti_f8_or(cti_f8_le(cti_f8_set(q0[8 * k + lane]), cti_f8_load(b0 + 24 + 8 * k)),
                             cti_f8_le(cti_f8_set(q1[8 * k + lane]), cti_f8_load(b1 + 24 + 8 * k)));
    cti_f8 above = cti_f8_or(cti_f8_le(cti_f8_load(b0 + 8 * k), cti_f8_set(q0[24 + 8 * k + lane])),
                             cti_f8_le(cti_f8_load(b1 + 8 * k), cti_f8_set(q1[24 + 8 * k + lane])));
    return cti_f8_and(below, above);
}

/* cti_bvh_hits_moving -- the same as cti_bvh_hits for moving boxes. */
CTI_INLINE unsigned cti_bvh_hits_moving(const float *q0, const float *q1, int lane, const float *b0, const float *b1)
{
    cti_f8 m = cti_f8_and(cti_bvh_on_way(q0, q1, lane, b0, b1, 0), cti_bvh_on_way(q0, q1, lane, b0, b1, 1));
    return (unsigned)cti_f8_bits(cti_f8_and(m, cti_bvh_on_way(q0, q1, lane, b0, b1, 2)));
}
