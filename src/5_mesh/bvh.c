/* bvh.c -- eight-wide box trees. Purpose: fast candidate pairs, with no allocation after the build. Method: see bvh.h. A pair of trees is
   traversed with an explicit stack; two nodes of the same level are opened together. */
#include "bvh.h"

/* a traversal pushes at most 64 pairs for each level of either tree */
enum { CTI_BVH_STACK = 64 * 2 * CTI_BVH_LEVELS, CTI_BVH_PUSH = 64 };
#define CTI_BVH_BIG 3.4028234e38f

CTI_FN void cti_forest_clear(cti_forest *forest)
{
    CTI_CLEAR(forest->items);
    CTI_CLEAR(forest->blocks);
    forest->n_blocks = 0, forest->n_floats = 0;
}

CTI_FN void cti_forest_free(cti_mem *mem, cti_forest *forest)
{
    CTI_FREE(mem, forest->items);
    CTI_FREE(mem, forest->blocks);
    forest->n_blocks = 0, forest->n_floats = 0;
}

/* ---- build ---- */

static int cti_bvh_less(const cti_bvh_item *a, const cti_bvh_item *b, int axis)
{
    return a->at[axis] < b->at[axis] || (!(b->at[axis] < a->at[axis]) && a->id < b->id);
}

/* Quickselect: moves the k smallest of a[0 .. n) along the axis to the front. The order is total, so that this set is unique. */
static void cti_bvh_select(cti_bvh_item *a, int n, int k, int axis)
{
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        int i = lo, j = hi, mid = lo + (hi - lo) / 2;
        cti_bvh_item t, p = a[mid];
        /* median of three as pivot */
        if (cti_bvh_less(&a[hi], &a[lo], axis)) {
            if (cti_bvh_less(&p, &a[hi], axis))
                p = a[hi];
            else if (cti_bvh_less(&a[lo], &p, axis))
                p = a[lo];
        } else {
            if (cti_bvh_less(&p, &a[lo], axis))
                p = a[lo];
            else if (cti_bvh_less(&a[hi], &p, axis))
                p = a[hi];
        }
        while (i <= j) {
            while (cti_bvh_less(&a[i], &p, axis))
                i++;
            while (cti_bvh_less(&p, &a[j], axis))
                j--;
            if (i <= j)
                t = a[i], a[i] = a[j], a[j] = t, i++, j--;
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
}

static int cti_bvh_longest_axis(const cti_bvh_item *a, int n)
{
    ct_real lo[3], hi[3];
    int i, k, best = 0;
    for (k = 0; k < 3; k++)
        lo[k] = hi[k] = a[0].at[k];
    for (i = 1; i < n; i++)
        for (k = 0; k < 3; k++) {
            lo[k] = cti_min(lo[k], a[i].at[k]);
            hi[k] = cti_max(hi[k], a[i].at[k]);
        }
    for (k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[best] - lo[best])
            best = k;
    return best;
}

/* Orders items so that children of `cap` items (a power of eight) are contiguous; only the last child may be smaller. */
static void cti_bvh_order(cti_bvh_item *a, int n, int cap)
{
    while (n > 8) {
        int children = (n - 1) / cap + 1, left;
        if (children == 1) {
            cap /= 8;
            continue;
        }
        left = children / 2 * cap;
        cti_bvh_select(a, n, left, cti_bvh_longest_axis(a, n));
        cti_bvh_order(a, left, cap);
        a += left, n -= left;
    }
    /* a leaf: sorted by number */
    {
        int i, j;
        for (i = 1; i < n; i++) {
            cti_bvh_item t = a[i];
            for (j = i; j > 0 && a[j - 1].id > t.id; j--)
                a[j] = a[j - 1];
            a[j] = t;
        }
    }
}

CTI_FN int cti_bvh_blocks(int n)
{
    int sum = 0, k;
    for (k = 0; n > 0; k++) {
        int entries = n;
        sum += n = (n - 1) / 8 + 1;
        if (k > 0 && entries == 1)
            break;
    }
    return sum;
}

CTI_FN int cti_forest_reserve(cti_mem *mem, cti_forest *forest, size_t items, size_t floats)
{
    return CTI_RESERVE(mem, forest->items, items) && CTI_RESERVE(mem, forest->blocks, floats);
}

/* sets up levels and empty boxes of a tree over n items; the items go to forest->items[tree->item0 ..] */
static int cti_bvh_lay_out(cti_mem *mem, cti_forest *forest, cti_bvh *tree, int n, int still)
{
    int entries = n, blocks = forest->n_blocks, k;
    size_t i, last;
    memset(tree, 0, sizeof *tree);
    if (n <= 0)
        return 1;
    tree->size = still ? CTI_BVH_HALF : CTI_BVH_BLOCK;
    tree->float0 = forest->n_floats;
    /* each box of level k + 1 bounds one block of level k */
    for (k = 0;; k++) {
        int level_blocks = (entries - 1) / 8 + 1;
        tree->entries[k] = entries;
        tree->block0[k] = blocks;
        blocks += level_blocks;
        if (k > 0 && entries == 1)
            break;
        entries = level_blocks;
    }
    tree->n_levels = k + 1;
    tree->n_items = n;
    tree->item0 = CTI_LEN(forest->items);
    last = tree->float0 + (size_t)(blocks - forest->n_blocks) * (size_t)tree->size;
    if (!CTI_RESIZE(mem, forest->items, (size_t)tree->item0 + (size_t)n) || !CTI_RESIZE(mem, forest->blocks, last))
        return 0;
    for (i = tree->float0; i < last; i += CTI_BVH_HALF)
        for (k = 0; k < CTI_BVH_HALF; k++)
            forest->blocks[i + (size_t)k] = k < 24 ? CTI_BVH_BIG : -CTI_BVH_BIG;
    forest->n_blocks = blocks, forest->n_floats = last;
    return 1;
}

CTI_FN int cti_bvh_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, cti_bvh_item *items, int n, int still)
{
    int cap = 8, i;
    while ((n - 1) / cap >= 8)
        cap *= 8;
    if (n > 0)
        cti_bvh_order(items, n, cap);
    if (!cti_bvh_lay_out(mem, forest, tree, n, still))
        return 0;
    for (i = 0; i < n; i++)
        forest->items[tree->item0 + i] = items[i].id;
    return 1;
}

CTI_FN int cti_bvh_build_ordered(cti_mem *mem, cti_forest *forest, cti_bvh *tree, const int32_t *order, int first, int n, int still)
{
    int i;
    if (!cti_bvh_lay_out(mem, forest, tree, n, still))
        return 0;
    for (i = 0; i < n; i++)
        forest->items[tree->item0 + i] = first + order[i];
    return 1;
}

/* ---- refit ---- */

/* Writes a box (lo x y z, 0, -hi x y z, 0) to lane `lane` of half a block. */
static void cti_bvh_put(float *block, int lane, cti_f8 box)
{
    float t[8];
    cti_f8_store(t, box);
    block[lane] = t[0], block[8 + lane] = t[1], block[16 + lane] = t[2];
    block[24 + lane] = -t[4], block[32 + lane] = -t[5], block[40 + lane] = -t[6];
}

/* The bounding box of all lanes of half a block, in the same form. */
static cti_f8 cti_bvh_block_box(const float *block)
{
    float t[8];
    int k, i;
    t[3] = t[7] = 0;
    for (k = 0; k < 3; k++) {
        float lo = block[8 * k], hi = block[24 + 8 * k];
        for (i = 1; i < 8; i++) {
            lo = block[8 * k + i] < lo ? block[8 * k + i] : lo;
            hi = block[24 + 8 * k + i] > hi ? block[24 + 8 * k + i] : hi;
        }
        t[k] = lo, t[4 + k] = -hi;
    }
    return cti_f8_load(t);
}

/* Writes eight boxes to half a block. */
static void cti_bvh_put_all(float *block, cti_f8 box[8])
{
    static const float side[8] = {1, 1, 1, 1, -1, -1, -1, -1};
    cti_f8 sign = cti_f8_load(side);
    int k;
    cti_f8_turn44(box), cti_f8_turn44(box + 4);
    for (k = 0; k < 3; k++) {
        cti_f8_store44(block + 8 * k, block + 24 + 8 * k, cti_f8_mul(sign, box[k]));
        cti_f8_store44(block + 8 * k + 4, block + 28 + 8 * k, cti_f8_mul(sign, box[4 + k]));
    }
}

/* Refits one half of the blocks, `half` floats into each: level 0 from the vertices and level 1 in the same pass, then the other levels. */
static void cti_bvh_refit_half(cti_forest *forest, const cti_bvh *tree, int half, cti_boxes boxes, const int32_t *elements, int width)
{
    const int32_t *items = forest->items + tree->item0;
    int i, j, k, level;
    for (i = 0; i < tree->n_items; i += 8) {
        float *block = cti_bvh_block(forest, tree, tree->block0[0] + i / 8) + half;
        float *up = cti_bvh_block(forest, tree, tree->block0[1] + i / 64) + half;
        cti_f8 all = cti_f8_set(CTI_BVH_BIG), box[8];
        int m = cti_min_int(8, tree->n_items - i);
        for (j = 0; j < 8; j++) {
            const int32_t *v = elements ? elements + (size_t)items[i + cti_min_int(j, m - 1)] * (size_t)width : items + i + cti_min_int(j, m - 1);
            box[j] = j < m ? cti_f8_load(cti_boxes_of(boxes, v[0])) : cti_f8_set(CTI_BVH_BIG);
            for (k = 1; k < width && j < m; k++)
                box[j] = cti_f8_min(box[j], cti_f8_load(cti_boxes_of(boxes, v[k])));
            all = cti_f8_min(all, box[j]);
        }
        cti_bvh_put_all(block, box);
        cti_bvh_put(up, i / 8 % 8, all);
    }
    for (level = 2; level < tree->n_levels; level++)
        for (i = 0; i < tree->entries[level]; i++) {
            const float *block = cti_bvh_block(forest, tree, tree->block0[level - 1] + i) + half;
            float *up = cti_bvh_block(forest, tree, tree->block0[level] + i / 8) + half;
            cti_bvh_put(up, i % 8, cti_bvh_block_box(block));
        }
}

CTI_FN void cti_bvh_refit(cti_forest *forest, cti_bvh *tree, cti_boxes boxes, int moving, const int32_t *elements, int width)
{
    tree->end = moving ? CTI_BVH_HALF : 0;
    if (tree->n_levels == 0)
        return;
    cti_bvh_refit_half(forest, tree, 0, boxes, elements, width);
    boxes.at += 8;
    if (moving)
        cti_bvh_refit_half(forest, tree, CTI_BVH_HALF, boxes, elements, width);
}

/* ---- pairs ---- */

/* A pair of nodes. Node (level, i) is box i of level `level`; it opens into block i of the level below. */
typedef struct cti_bvh_node_pair {
    int level_a, a, level_b, b;
} cti_bvh_node_pair;

typedef struct cti_bvh_walk {
    const cti_forest *forest;
    const cti_bvh *a, *b;
    cti_bvh_node_pair *stack;
    int n;
} cti_bvh_walk;

static const float *cti_bvh_level_block(const cti_forest *forest, const cti_bvh *t, int level, int i)
{
    return cti_bvh_block(forest, t, t->block0[level] + i);
}

/* Lanes of a block of tree b whose boxes overlap the box in lane `lane` of a block of tree a */
CTI_INLINE unsigned cti_bvh_meet(const cti_bvh *a, const float *query, int lane, const cti_bvh *b, const float *block)
{
    if (a->end + b->end == 0)
        return cti_bvh_hits(query, lane, block);
    return cti_bvh_hits_moving(query, query + a->end, lane, block, block + b->end);
}

static void cti_bvh_push(cti_bvh_walk *w, int level_a, int a, int level_b, int b)
{
    cti_bvh_node_pair *p = w->stack + w->n++;
    p->level_a = level_a, p->a = a, p->level_b = level_b, p->b = b;
}

/* Opens one node of the pair against the box of the other node, which stays closed. */
static void cti_bvh_open_one(cti_bvh_walk *w, int open_a, const cti_bvh_node_pair *p)
{
    const cti_bvh *t = open_a ? w->a : w->b, *o = open_a ? w->b : w->a;
    int level = (open_a ? p->level_a : p->level_b) - 1, i = open_a ? p->a : p->b;
    int other_level = open_a ? p->level_b : p->level_a, j = open_a ? p->b : p->a;
    unsigned m;
    const float *block = cti_bvh_level_block(w->forest, t, level, i);
    const float *other = cti_bvh_level_block(w->forest, o, other_level, j / 8);
    m = cti_bvh_meet(o, other, j % 8, t, block);
    for (; m; m &= m - 1) {
        int k = 8 * i + cti_lowest_bit(m);
        if (open_a)
            cti_bvh_push(w, level, k, other_level, j);
        else
            cti_bvh_push(w, other_level, j, level, k);
    }
}

/* The lanes of node a's block that overlap node b's box. If both are the same node: all lanes in use. */
static unsigned cti_bvh_lanes(const cti_bvh_walk *w, const cti_bvh_node_pair *p, int self, const float *block_a)
{
    int level = p->level_a - 1;
    if (self)
        return (1u << cti_min_int(8, w->a->entries[level] - 8 * p->a)) - 1u;
    return cti_bvh_meet(w->b, cti_bvh_level_block(w->forest, w->b, level + 1, p->b / 8), p->b % 8, w->a, block_a);
}

/* Opens both nodes of a pair on the same level above the leaves: lanes against lanes. `self`: both are the same node. */
static void cti_bvh_open_both(cti_bvh_walk *w, const cti_bvh_node_pair *p, int self)
{
    int level = p->level_a - 1;
    unsigned lanes;
    const float *block_a = cti_bvh_level_block(w->forest, w->a, level, p->a);
    const float *block_b = cti_bvh_level_block(w->forest, w->b, level, p->b);
    for (lanes = cti_bvh_lanes(w, p, self, block_a); lanes; lanes &= lanes - 1) {
        int i = cti_lowest_bit(lanes);
        unsigned m = cti_bvh_meet(w->a, block_a, i, w->b, block_b);
        if (self) {
            m &= ~((1u << i) * 2u - 1u);
            cti_bvh_push(w, level, 8 * p->a + i, level, 8 * p->b + i);
        }
        for (; m; m &= m - 1)
            cti_bvh_push(w, level, 8 * p->a + i, level, 8 * p->b + cti_lowest_bit(m));
    }
}

/* Two leaves: items against items. Writes at most 64 pairs to out; returns the new end. */
static int32_t *cti_bvh_leaves(const cti_bvh_walk *w, const cti_bvh_node_pair *p, int self, int32_t *out)
{
    unsigned lanes;
    const float *block_a = cti_bvh_level_block(w->forest, w->a, 0, p->a);
    const float *block_b = cti_bvh_level_block(w->forest, w->b, 0, p->b);
    const int32_t *items_a = w->forest->items + w->a->item0 + 8 * p->a, *items_b = w->forest->items + w->b->item0 + 8 * p->b;
    for (lanes = cti_bvh_lanes(w, p, self, block_a); lanes; lanes &= lanes - 1) {
        int i = cti_lowest_bit(lanes);
        int32_t item = items_a[i];
        unsigned m = cti_bvh_meet(w->a, block_a, i, w->b, block_b);
        if (self)
            m &= ~((1u << i) * 2u - 1u);
        for (; m; m &= m - 1, out += 2)
            out[0] = item, out[1] = items_b[cti_lowest_bit(m)];
    }
    return out;
}

CTI_FN int cti_bvh_pairs(cti_mem *mem, const cti_forest *forest, const cti_bvh *a, const cti_bvh *b, int32_t **out)
{
    cti_bvh_node_pair stack[CTI_BVH_STACK], p;
    cti_bvh_walk w;
    size_t n = (size_t)CTI_LEN(*out);
    if (a->n_levels == 0 || b->n_levels == 0)
        return 1;
    w.forest = forest, w.a = a, w.b = b, w.stack = stack, w.n = 0;
    cti_bvh_push(&w, a->n_levels - 1, 0, b->n_levels - 1, 0);
    while (w.n > 0) {
        p = stack[--w.n];
        if (p.level_a != p.level_b) {
            cti_bvh_open_one(&w, p.level_a > p.level_b, &p);
        } else if (p.level_a > 1) {
            cti_bvh_open_both(&w, &p, a == b && p.a == p.b);
        } else {
            /* room for the pairs of two leaves */
            if (!CTI_RESERVE(mem, *out, (int64_t)n + 2 * CTI_BVH_PUSH))
                return 0;
            n = (size_t)(cti_bvh_leaves(&w, &p, a == b && p.a == p.b, *out + n) - *out);
            stbds_header(*out)->length = n;
        }
    }
    return 1;
}
