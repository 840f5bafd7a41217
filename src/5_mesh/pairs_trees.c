/* pairs_trees.c -- the data for candidate pairs: a tree for each kind of element of each body, and boxes and slabs of the vertices'
   motions. Method: trees are built once and refitted to each motion; the trees of bodies that did not move are left as they are. */
#include "pairs.h"

#define CTI_BROAD_VERTEX_US 0.2 /* [us] about the time for boxes and trees of one vertex; see cti_tasks_run_work */

static void cti_broad_free_lane(cti_mem *mem, cti_broad_lane *lane)
{
    CTI_FREE_SPAN(mem, lane->raw, lane->out);
}

CTI_FN void cti_broad_free(cti_mem *mem, cti_broad *broad)
{
    int i;
    cti_forest_free(mem, &broad->forest);
    CTI_FREE_SPAN(mem, broad->trees, broad->sweep);
    cti_broad_free_lane(mem, &broad->own);
    for (i = 0; i < CTI_LEN(broad->lanes); i++)
        cti_broad_free_lane(mem, &broad->lanes[i]);
    CTI_FREE_SPAN(mem, broad->lanes, broad->place);
    CTI_FREE_SPAN(mem, broad->grid_pairs, broad->grid_used);
    cti_grid_free(mem, &broad->grid);
    memset(broad, 0, sizeof *broad);
}

/* ---- build ---- */

static int32_t cti_broad_low(const int32_t *e) { return e[0] < e[1] ? e[0] : e[1]; }
static int32_t cti_broad_high(const int32_t *e) { return e[0] < e[1] ? e[1] : e[0]; }

/* Finds edge_loose: the edges that belong to no face. Without edge_faces, the sides of all faces are sorted and searched by bisection. */
static int cti_broad_find_loose(cti_mem *mem, cti_broad *broad, const cti_soup *soup)
{
    int32_t *sides = NULL;
    int i, k, n = 0, ok = 0;
    if (!CTI_RESIZE(mem, broad->edge_loose, soup->ne))
        return 0;
    if (soup->edge_faces) {
        for (i = 0; i < soup->ne; i++)
            broad->edge_loose[i] = soup->edge_faces[2 * i] < 0;
        return 1;
    }
    if (!CTI_RESERVE(mem, sides, 6 * (int64_t)soup->nf + 2))
        goto done;
    for (i = 0; i < soup->nf; i++)
        for (k = 0; k < 3; k++, n++) {
            int32_t side[2];
            side[0] = soup->faces[3 * i + k], side[1] = soup->faces[3 * i + (k + 1) % 3];
            sides[2 * n] = cti_broad_low(side), sides[2 * n + 1] = cti_broad_high(side);
        }
    if (!cti_pairsort(mem, sides, n, soup->nv, soup->nv, &broad->own.scratch))
        goto done;
    for (i = 0; i < soup->ne; i++) {
        int32_t a = cti_broad_low(soup->edges + 2 * i), b = cti_broad_high(soup->edges + 2 * i);
        broad->edge_loose[i] = !cti_broad_has_pair(sides, n, a, b);
    }
    ok = 1;
done:
    CTI_FREE(mem, sides);
    return ok;
}

/* Collects the items of one tree: the body's elements first .. last, each placed at the middle of its box; with `only`, those with only[i]
   set. */
static int cti_broad_collect(cti_bvh_item *items, int first, int last, const int32_t *elements, int width, const uint8_t *only,
                             const ct_real *x)
{
    int i, j, k, n = 0;
    for (i = first; i < last; i++) {
        cti_box box = cti_box_empty();
        if (only && !only[i])
            continue;
        for (j = 0; j < width; j++) {
            k = elements ? elements[(size_t)i * (size_t)width + (size_t)j] : i;
            cti_box_add(&box, cti_v3_at(x, k));
        }
        items[n].at[0] = box.lo.x + (box.hi.x - box.lo.x) / 2;
        items[n].at[1] = box.lo.y + (box.hi.y - box.lo.y) / 2;
        items[n].at[2] = box.lo.z + (box.hi.z - box.lo.z) / 2;
        items[n].id = i;
        n++;
    }
    return n;
}

CTI_FN const int32_t *cti_broad_elements(const cti_soup *soup, int tree, int *width)
{
    *width = tree == CTI_BROAD_FACES ? 3 : (tree == CTI_BROAD_EDGES || tree == CTI_BROAD_LOOSE ? 2 : 1);
    return *width == 3 ? soup->faces : (*width == 2 ? soup->edges : NULL);
}

/* number of the body's first element in a tree with this element width */
static int cti_broad_first(const cti_soup_body *body, int width) { return width == 3 ? body->f0 : (width == 2 ? body->e0 : body->v0); }

CTI_FN int cti_broad_order(cti_mem *mem, const cti_broad *broad, const cti_soup *soup, int b, int32_t **out)
{
    const cti_bvh *trees = broad->trees + CTI_BROAD_TREES * b;
    int k, i, width, n = CTI_BROAD_TREES;
    for (k = 0; k < CTI_BROAD_TREES; k++)
        n += trees[k].n_items;
    if (!CTI_RESIZE(mem, *out, n))
        return 0;
    for (k = 0, n = CTI_BROAD_TREES; k < CTI_BROAD_TREES; k++) {
        (*out)[k] = trees[k].n_items;
        cti_broad_elements(soup, k, &width);
        for (i = 0; i < trees[k].n_items; i++)
            (*out)[n++] = broad->forest.items[trees[k].item0 + i] - cti_broad_first(soup->bodies + b, width);
    }
    return 1;
}

/* builds the trees of a body whose order is known. 0: out of memory */
static int cti_broad_build_known(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int b)
{
    const int32_t *order = soup->bodies[b].order, *at = order + CTI_BROAD_TREES;
    int k, width;
    for (k = 0; k < CTI_BROAD_TREES; at += order[k++]) {
        cti_broad_elements(soup, k, &width);
        if (!cti_bvh_build_ordered(mem, &broad->forest, broad->trees + CTI_BROAD_TREES * b + k, at,
                                   cti_broad_first(soup->bodies + b, width), order[k], soup->bodies[b].still))
            return 0;
    }
    return 1;
}

static int cti_broad_build_trees(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, cti_bvh_item *items)
{
    int b, k;
    for (b = 0; b < soup->n_bodies; b++) {
        const cti_soup_body *body = soup->bodies + b;
        if (body->order && !cti_broad_build_known(mem, broad, soup, b))
            return 0;
        for (k = 0; k < CTI_BROAD_TREES && !body->order; k++) {
            int width, n;
            const int32_t *elements = cti_broad_elements(soup, k, &width);
            const uint8_t *only = k == CTI_BROAD_POINTS ? soup->vertex_is_point : (k == CTI_BROAD_LOOSE ? broad->edge_loose : NULL);
            int first = cti_broad_first(body, width);
            int last = width == 3 ? body->f1 : (width == 2 ? body->e1 : body->v1);
            if (k == CTI_BROAD_POINTS && !soup->vertex_is_point)
                last = first;
            n = cti_broad_collect(items, first, last, elements, width, only, x);
            if (!cti_bvh_build(mem, &broad->forest, broad->trees + CTI_BROAD_TREES * b + k, items, n, body->still))
                return 0;
        }
    }
    return 1;
}

/* reserves boxes and slabs, the last states of moving bodies, and the trees. 0: out of memory */
static int cti_broad_place(cti_mem *mem, cti_broad *broad, const cti_soup *soup)
{
    size_t last = 0, boxes = 0, items = 0, floats = 0;
    int b;
    if (!CTI_RESIZE(mem, broad->last_at, soup->n_bodies) || !CTI_RESIZE(mem, broad->boxes_at, soup->n_bodies))
        return 0;
    for (b = 0; b < soup->n_bodies; b++) {
        const cti_soup_body *q = soup->bodies + b;
        int n = q->v1 - q->v0, stride = q->still ? 8 : 16, sum = cti_bvh_blocks(n) + cti_bvh_blocks(q->e1 - q->e0) + cti_bvh_blocks(q->f1 - q->f0);
        broad->last_at[b] = last;
        last += q->still ? 0 : 6 * (size_t)n;
        broad->boxes_at[b] = (ptrdiff_t)boxes - (ptrdiff_t)stride * q->v0;
        boxes += (size_t)stride * (size_t)n;
        items += (size_t)n + (size_t)(q->e1 - q->e0) + (size_t)(q->f1 - q->f0);
        floats += (size_t)sum * (q->still ? CTI_BVH_HALF : CTI_BVH_BLOCK);
    }
    /* trees over loose points and edges are small and not reserved: they make the forest grow */
    return CTI_RESIZE(mem, broad->last_x, last) && CTI_RESIZE(mem, broad->vertex_boxes, boxes) && CTI_RESIZE(mem, broad->vertex_slabs, 2 * boxes) &&
           (broad->hashed || cti_forest_reserve(mem, &broad->forest, items, floats));
}

CTI_FN int cti_broad_build(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x)
{
    cti_bvh_item *items = NULL;
    int most = cti_max_int(soup->nv, cti_max_int(soup->ne, soup->nf)), ok = 0;
    size_t nb = (size_t)soup->n_bodies;
    cti_forest_clear(&broad->forest);
    broad->n_bodies = soup->n_bodies, broad->nv = soup->nv, broad->ne = soup->ne, broad->nf = soup->nf;
    broad->boxes_only = 0;
    if (!CTI_RESIZE(mem, broad->trees, CTI_BROAD_TREES * nb) || !cti_broad_place(mem, broad, soup) ||
        !CTI_RESIZE(mem, broad->last_inflate, nb) || !CTI_RESIZE(mem, broad->last_swept, nb) || !CTI_RESIZE(mem, broad->old, nb) ||
        !CTI_RESIZE(mem, broad->body_boxes, 12 * nb) || !CTI_RESIZE(mem, broad->body_order, 2 * nb) ||
        !CTI_RESIZE(mem, broad->sweep, (nb / 8 + 1) * CTI_BVH_BLOCK) || !CTI_RESERVE(mem, items, most))
        goto done;
    cti_broad_forget(broad);
    ok = cti_broad_find_loose(mem, broad, soup) && (broad->hashed || cti_broad_build_trees(mem, broad, soup, x, items));
done:
    CTI_FREE(mem, items);
    if (!ok)
        cti_broad_free(mem, broad);
    return ok;
}

/* ---- update ---- */

/* Slabs as float. */
static void cti_broad_put_slabs(float *t, cti_slabs s)
{
    int k;
    for (k = 0; k < 6; k++) {
        t[k] = cti_round_float(s.lo[k]);
        t[8 + k] = -cti_round_float(s.hi[k]);
    }
    t[6] = t[7] = t[14] = t[15] = 0;
}

/* Slabs of a vertex that stays, keeps to its way, or is anywhere in a box. */
static cti_slabs cti_broad_slabs_of(cti_v3 p0, cti_v3 p1, const cti_soup_body *body)
{
    cti_v3 lo = cti_v3_make(cti_min(p0.x, p1.x), cti_min(p0.y, p1.y), cti_min(p0.z, p1.z));
    cti_v3 hi = cti_v3_make(cti_max(p0.x, p1.x), cti_max(p0.y, p1.y), cti_max(p0.z, p1.z));
    if (body->still || body->swept == CTI_SWEPT_NOT)
        return cti_slabs_motion(p0, p0, body->inflate);
    return body->swept == CTI_SWEPT_WAY ? cti_slabs_motion(p0, p1, body->inflate) : cti_slabs_box(lo, hi, body->inflate);
}

/* Box of a linear motion, as float. */
static void cti_broad_put_box(float *t, cti_v3 p0, cti_v3 p1, ct_real inflate)
{
    cti_box b = cti_box_motion(p0, p1, inflate);
    t[0] = cti_round_float(b.lo.x), t[1] = cti_round_float(b.lo.y), t[2] = cti_round_float(b.lo.z), t[3] = 0;
    t[4] = -cti_round_float(b.hi.x), t[5] = -cti_round_float(b.hi.y), t[6] = -cti_round_float(b.hi.z), t[7] = 0;
}

/* Is body b where it was in the last update? If not, its new motion is stored. */
static int cti_broad_same(cti_broad *broad, const cti_soup_body *body, int b, const ct_real *x0, const ct_real *x1)
{
    size_t first = 3 * (size_t)body->v0, n = body->still ? 0 : 3 * (size_t)(body->v1 - body->v0), bytes = n * sizeof *x0;
    ct_real *last = broad->last_x + broad->last_at[b];
    if (broad->last_inflate[b] == body->inflate && broad->last_swept[b] == body->swept &&
        (n == 0 || (memcmp(last, x0 + first, bytes) == 0 && memcmp(last + n, x1 + first, bytes) == 0)))
        return 1;
    if (n > 0)
        memcpy(last, x0 + first, bytes), memcpy(last + n, x1 + first, bytes);
    broad->last_inflate[b] = body->inflate;
    broad->last_swept[b] = (uint8_t)body->swept;
    return 0;
}

/* Stores n <= 4 numbers of each of eight vertices, as float, at out + stride * vertex, and zeros behind them. */
static void cti_broad_put_eight(float *out, int stride, const cti_r8 *x, int n)
{
    cti_r8 most = CTI_R8(set)((ct_real)1e38f), least = CTI_R8(set)(-(ct_real)1e38f);
    cti_f8 row[4];
    int k;
    for (k = 0; k < 4; k++)
        row[k] = k < n ? cti_r8_narrow(CTI_R8(max)(least, CTI_R8(min)(most, x[k]))) : cti_f8_set(0);
    cti_f8_turn44(row);
    for (k = 0; k < 4; k++)
        cti_f8_store44(out + stride * k, out + stride * (k + 4), row[k]);
}

/* cti_box_motion and cti_slabs_motion of eight vertices from p to q, r > 0 */
static void cti_broad_eight(const cti_r8 p[3], const cti_r8 q[3], ct_real r, float *box, float *slabs, int stride)
{
    static const int first[6] = {0, 0, 0, 0, 1, 1}, second[6] = {1, 1, 2, 2, 2, 2};
    cti_r8 lo[6], hi[6], zero = CTI_R8(set)(0), eps = CTI_R8(set)(CTI_EPS), w = CTI_R8(set)(r);
    int k;
    for (k = 0; k < 3; k++) {
        cti_r8 below = CTI_R8(sub)(CTI_R8(min)(p[k], q[k]), w), above = CTI_R8(add)(CTI_R8(max)(p[k], q[k]), w);
        lo[k] = CTI_R8(sub)(below, CTI_R8(mul)(eps, CTI_R8(abs)(below)));
        hi[k] = CTI_R8(sub)(zero, CTI_R8(add)(above, CTI_R8(mul)(eps, CTI_R8(abs)(above))));
    }
    cti_broad_put_eight(box, stride, lo, 3), cti_broad_put_eight(box + 4, stride, hi, 3);
    w = CTI_R8(set)(CTI_R(1.4142140) * r), eps = CTI_R8(set)(4 * CTI_EPS);
    for (k = 0; k < 6; k++) {
        int i = first[k], j = second[k];
        cti_r8 a = k % 2 ? CTI_R8(sub)(p[i], p[j]) : CTI_R8(add)(p[i], p[j]), b = k % 2 ? CTI_R8(sub)(q[i], q[j]) : CTI_R8(add)(q[i], q[j]);
        cti_r8 below = CTI_R8(min)(a, b), above = CTI_R8(max)(a, b);
        lo[k] = CTI_R8(sub)(CTI_R8(sub)(below, w), CTI_R8(mul)(eps, CTI_R8(add)(CTI_R8(abs)(below), w)));
        hi[k] = CTI_R8(sub)(zero, CTI_R8(add)(CTI_R8(add)(above, w), CTI_R8(mul)(eps, CTI_R8(add)(CTI_R8(abs)(above), w))));
    }
    cti_broad_put_eight(slabs, 2 * stride, lo, 4), cti_broad_put_eight(slabs + 4, 2 * stride, lo + 4, 2);
    cti_broad_put_eight(slabs + 8, 2 * stride, hi, 4), cti_broad_put_eight(slabs + 12, 2 * stride, hi + 4, 2);
}

/* Vertex boxes and slabs of one body: eight vertices at a time, and then one. */
static void cti_broad_vertex_boxes(cti_broad *broad, const cti_soup_body *body, int b, const ct_real *x0, const ct_real *x1)
{
    int v, k;
    for (v = body->v0; body->swept != CTI_SWEPT_BOX && body->inflate > 0 && v + 8 <= body->v1; v += 8) {
        ptrdiff_t first = broad->boxes_at[b] + (ptrdiff_t)16 * v;
        float *box = broad->vertex_boxes + first, *slabs = broad->vertex_slabs + 2 * first;
        cti_r8 p[3], q[3];
        int32_t at[8];
        for (k = 0; k < 8; k++)
            at[k] = v + k;
        cti_gather3(x0, at, 1, p), cti_gather3(x1, at, 1, q);
        cti_broad_eight(p, body->swept ? q : p, body->inflate, box, slabs, 16);
        if (!body->swept)
            cti_broad_eight(q, q, body->inflate, box + 8, slabs + 16, 16);
    }
    for (; v < body->v1; v++) {
        cti_v3 p0 = cti_v3_at(x0, v), p1 = cti_v3_at(x1, v);
        ptrdiff_t at = broad->boxes_at[b] + (ptrdiff_t)(body->still ? 8 : 16) * v;
        float *box = broad->vertex_boxes + at, *slabs = broad->vertex_slabs + 2 * at;
        cti_broad_put_box(box, p0, body->swept ? p1 : p0, body->inflate);
        cti_broad_put_slabs(slabs, cti_broad_slabs_of(p0, p1, body));
        if (body->swept)
            continue;
        cti_broad_put_box(box + 8, p1, p1, body->inflate);
        cti_broad_put_slabs(slabs + 16, cti_slabs_motion(p1, p1, body->inflate));
    }
}

/* Refits the trees of one body after its motion. */
static void cti_broad_refit(cti_broad *broad, const cti_soup *soup, int b)
{
    cti_bvh *trees = broad->trees + CTI_BROAD_TREES * b;
    int i, width;
    for (i = 0; i < CTI_BROAD_TREES; i++) {
        const int32_t *elements = cti_broad_elements(soup, i, &width);
        cti_bvh_refit(&broad->forest, trees + i, cti_broad_boxes(broad, soup, b), !soup->bodies[b].swept, elements, width);
    }
}

/* The box of one body, which has the boxes of its vertices in it. */
static void cti_broad_body_box(const cti_soup_body *body, const ct_real *x0, const ct_real *x1, float *out)
{
    cti_box end[2];
    float lo[8], hi[8];
    int v, k;
    end[0] = end[1] = cti_box_empty();
    for (v = body->v0; v < body->v1; v++)
        cti_box_add(&end[0], cti_v3_at(x0, v)), cti_box_add(&end[!body->swept], cti_v3_at(x1, v));
    for (k = 0; k < 2; k++, out += 6) {
        const cti_box *box = &end[k && !body->swept];
        cti_broad_put_box(lo, box->lo, box->lo, body->inflate), cti_broad_put_box(hi, box->hi, box->hi, body->inflate);
        out[0] = lo[0], out[1] = lo[1], out[2] = lo[2], out[3] = -hi[4], out[4] = -hi[5], out[5] = -hi[6];
    }
}

/* each body writes its own boxes and trees only */
typedef struct cti_broad_moves {
    cti_broad *broad;
    const cti_soup *soup;
    const ct_real *x0, *x1;
    const uint8_t *which; /* [n_bodies] bodies that get their boxes; NULL: all */
    int trees;            /* 1: of their vertices, and in trees, where they are old; 0: one box each */
} cti_broad_moves;

static void cti_broad_update_range(int begin, int end, int worker, void *context)
{
    const cti_broad_moves *q = (const cti_broad_moves *)context;
    cti_broad *broad = q->broad;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        const cti_soup_body *body = q->soup->bodies + begin;
        if ((q->which && !q->which[begin]) || (!q->trees && body->v1 > body->v0 && cti_broad_same(broad, body, begin, q->x0, q->x1)))
            continue;
        if (!q->trees)
            cti_broad_body_box(body, q->x0, q->x1, broad->body_boxes + 12 * (size_t)begin);
        else if (broad->old[begin]) {
            cti_broad_vertex_boxes(broad, body, begin, q->x0, q->x1);
            if (!broad->hashed)
                cti_broad_refit(broad, q->soup, begin);
        }
        broad->old[begin] = !q->trees;
    }
}

static void cti_broad_move(cti_broad *broad, const cti_soup *soup, const uint8_t *which, int trees, const ct_real *x0, const ct_real *x1)
{
    cti_broad_moves q;
    q.broad = broad, q.soup = soup, q.which = which, q.trees = trees, q.x0 = x0, q.x1 = x1;
    cti_tasks_run_work(soup->tasks, cti_broad_update_range, broad->n_bodies, CTI_BROAD_VERTEX_US * soup->nv / cti_max_int(1, broad->n_bodies), &q);
}

CTI_FN int cti_broad_update(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x0, const ct_real *x1)
{
    int i;
    cti_broad_move(broad, soup, NULL, 0, x0, x1);
    if (!cti_broad_sweep(mem, broad, soup) || !CTI_ZEROS(mem, broad->meets, broad->n_bodies))
        return 0;
    for (i = 0; i < CTI_LEN(broad->body_pairs); i++)
        broad->meets[broad->body_pairs[i]] = 1;
    cti_broad_move(broad, soup, broad->meets, 1, x0, x1);
    return 1;
}

CTI_FN int cti_broad_update_own(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const uint8_t *own, const ct_real *x0, const ct_real *x1)
{
    int b, ok = 1;
    cti_broad_move(broad, soup, own, 0, x0, x1);
    cti_broad_move(broad, soup, own, 1, x0, x1);
    CTI_CLEAR(broad->body_pairs);
    for (b = 0; b < soup->n_bodies && ok; b++)
        ok = !own[b] || (CTI_PUSH(mem, broad->body_pairs, b) && CTI_PUSH(mem, broad->body_pairs, b));
    return ok;
}
