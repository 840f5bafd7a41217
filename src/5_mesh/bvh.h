/* bvh.h -- trees of moving boxes, eight wide, over vertices, edges or faces: built once, refitted, traversed in pairs.
   Method: a moving box is a box at the start and one at the end of linear motions; two of them are apart when along some axis one is above
   the other at both ends (bounds.h). Items are ordered by median splits at multiples of powers of eight, so that a tree needs no pointers:
   level 0 holds the items' boxes in blocks of eight lanes, level k + 1 one box per block of level k, up to a level with one box. An overlap
   test compares one box with a block. Which pairs are found depends on the items' boxes alone, never on the tree.
   A tree may also have one box that holds for both ends; two such trees are held against each other once.
   differs: the boxes at the two ends of a motion are kept apart, and not joined to one that holds both.
   based on: Dammertz, Hanika, Keller, Shallow bounding volume hierarchies, 2008 (wide nodes); implicit layout as in B-tree arrays. */
#ifndef CTI_BVH_H
#define CTI_BVH_H

#include "../0_base/array.h"
#include "../1_math/simd.h"
#include "../4_geom/bounds.h"

/* floats in a block: lo x, lo y, lo z, hi x, hi y, hi z at the start, then at the end, eight lanes each */
enum { CTI_BVH_LEVELS = 13, CTI_BVH_HALF = 48, CTI_BVH_BLOCK = 96 };

/* cti_bvh -- one tree in a forest. Level k has `entries[k]` boxes in blocks block0[k] ... ; the last level has one entry. A tree over what never
   moves has blocks of CTI_BVH_HALF floats, without boxes at the end. */
typedef struct cti_bvh {
    int n_items, n_levels; /* n_levels 0: empty; else at least 2 */
    int size;              /* floats in a block: CTI_BVH_BLOCK or CTI_BVH_HALF */
    size_t float0;         /* where its first block's floats are */
    int end;               /* where in a block the boxes at the end are: CTI_BVH_HALF, or 0: the same */
    int item0;             /* its items: forest->items[item0 ...], in tree order */
    int entries[CTI_BVH_LEVELS], block0[CTI_BVH_LEVELS];
} cti_bvh;

/* cti_forest -- the arrays that many trees share; growable. Zero it before use. */
typedef struct cti_forest {
    int32_t *items;
    float *blocks;   /* of all trees, [size n] of each */
    uint8_t *active; /* [n_blocks] bit per lane: takes part in an active traversal */
    int n_blocks;
    size_t n_floats;
} cti_forest;

/* cti_bvh_block -- block i of a tree, block0[k] + j: block j of level k. */
CTI_INLINE float *cti_bvh_block(const cti_forest *forest, const cti_bvh *tree, int i)
{
    return forest->blocks + tree->float0 + (size_t)(i - tree->block0[0]) * (size_t)tree->size;
}

CTI_FN void cti_forest_clear(cti_forest *forest);
CTI_FN void cti_forest_free(cti_mem *mem, cti_forest *forest);

/* cti_bvh_item -- an item with the point by which it is placed. */
typedef struct cti_bvh_item {
    ct_real at[3];
    int32_t id;
} cti_bvh_item;

/* cti_bvh_build -- appends a tree over n items to the forest (items are reordered); boxes are empty until refitted. still 1: it is only refitted
   with moving 0. 0: out of memory.
   cti_bvh_build_ordered -- the same with item numbers in the order of a tree that was built before, each plus `first`. */
CTI_FN int cti_bvh_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, cti_bvh_item *items, int n, int still);
CTI_FN int cti_bvh_build_ordered(cti_mem *mem, cti_forest *forest, cti_bvh *tree, const int32_t *order, int first, int n, int still);
/* cti_bvh_blocks -- how many blocks a tree over n items has. cti_forest_reserve -- room for trees with so many items, blocks and floats in them in
   all, so that the arrays of a large forest are neither copied while they grow nor larger than it. 0: out of memory. */
CTI_FN int cti_bvh_blocks(int n);
CTI_FN int cti_forest_reserve(cti_mem *mem, cti_forest *forest, size_t items, size_t blocks, size_t floats);
/* cti_boxes -- boxes of vertices: that of vertex v is lo x y z, 0, -hi x y z, 0 at at[stride v + base], at the start of a motion, and with
   stride 16 behind it another one, at the end. base may be below 0. */
typedef struct cti_boxes {
    const float *at;
    ptrdiff_t base;
    int stride; /* 16 or 8 */
} cti_boxes;
CTI_INLINE const float *cti_boxes_of(cti_boxes b, int v) { return b.at + (b.base + (ptrdiff_t)b.stride * v); }

/* cti_bvh_refit -- boxes from those of the vertices; moving 0: what they are at the start holds for the end. elements [width n] vertex numbers, NULL
   with width 1: items are vertices. */
CTI_FN void cti_bvh_refit(cti_forest *forest, cti_bvh *tree, cti_boxes boxes, int moving, const int32_t *elements, int width);
/* cti_bvh_activate -- an item is active when a vertex of it is; vertex_active NULL: all. */
CTI_FN void cti_bvh_activate(cti_forest *forest, const cti_bvh *tree, const uint8_t *vertex_active, const int32_t *elements, int width);
/* cti_bvh_root -- the box of the whole tree: lo, hi at the start, then at the end. An empty tree: lo > hi. */
CTI_FN void cti_bvh_root(const cti_forest *forest, const cti_bvh *tree, float box[12]);
/* cti_bvh_pairs -- appends every (item of a, item of b) whose boxes overlap and of which at least one is active to *out [2 n]; a == b: each
   unordered pair once, never an item with itself. No order. 0: out of memory. */
CTI_FN int cti_bvh_pairs(cti_mem *mem, const cti_forest *forest, const cti_bvh *a, const cti_bvh *b, int32_t **out);

/* cti_bvh_hits -- lanes of `block` whose boxes overlap the box in lane `lane` of `query` (closed), at one end. */
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

/* cti_bvh_on_way -- lanes that overlap along axis k at some time: neither is above the other at both ends. q0, b0: query and block at the
   start, q1, b1: at the end. */
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

#endif /* CTI_BVH_H */
