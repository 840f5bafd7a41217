/* pairs_bodies.c -- which bodies meet. Method: body pairs excluded by filters, or by the list `apart` (joined bodies), are dropped.
   Of the others, those with overlapping boxes are found by sweep and prune, eight boxes a test, along the axis on which the bodies
   spread most. Based on: Cohen, Lin, Manocha, Ponamgi, I-COLLIDE, 1995; differs: one axis, sorted from scratch each time. */
#include "pairs.h"

/* The first of n sorted pairs that is not before (a, b). */
static int cti_broad_find_apart(const int32_t *apart, int n, int a, int b)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        const int32_t *p = apart + 2 * (size_t)mid;
        if (p[0] < a || (p[0] == a && p[1] < b))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

CTI_FN int cti_broad_has_pair(const int32_t *apart, int n, int a, int b)
{
    int at = cti_broad_find_apart(apart, n, a, b);
    return at < n && apart[2 * (size_t)at] == a && apart[2 * (size_t)at + 1] == b;
}

CTI_FN int cti_broad_keep_apart(cti_mem *mem, int32_t **apart, int a, int b)
{
    int32_t lo = cti_min_int(a, b), hi = cti_max_int(a, b), *list;
    int n = CTI_LEN(*apart) / 2, at = cti_broad_find_apart(*apart, n, lo, hi);
    if (cti_broad_has_pair(*apart, n, lo, hi))
        return 1;
    if (!CTI_RESIZE(mem, *apart, 2 * (n + 1)))
        return 0;
    list = *apart + 2 * (size_t)at;
    memmove(list + 2, list, sizeof *list * 2 * (size_t)(n - at));
    list[0] = lo, list[1] = hi;
    return 1;
}

CTI_FN int cti_broad_accepts(const cti_soup *soup, int a, int b)
{
    const ct_filter *p = &soup->bodies[a].filter, *q = &soup->bodies[b].filter;
    int meets = p->group && p->group == q->group ? p->group > 0 : (p->category & q->mask) && (q->category & p->mask);
    return meets && (!soup->asks || soup->asks(soup->world, a, b));
}

CTI_FN int cti_broad_may_meet(const cti_soup *soup, int a, int b)
{
    const cti_soup_body *p = soup->bodies + a, *q = soup->bodies + b;
    if (soup->new_only && !p->is_new && !q->is_new)
        return 0;
    if (a == b)
        return p->dynamic && p->self;
    if (soup->n_apart && cti_broad_has_pair(soup->apart, soup->n_apart, cti_min_int(a, b), cti_max_int(a, b)))
        return 0;
    return (p->dynamic || q->dynamic) && !p->sensor && !q->sensor && cti_broad_accepts(soup, a, b);
}

CTI_FN int cti_broad_senses(const cti_soup *soup, int a, int b)
{
    const cti_soup_body *p = soup->bodies + a, *q = soup->bodies + b;
    return !p->sensor != !q->sensor && !(p->still && q->still) && cti_broad_accepts(soup, a, b);
}

/* A monotone map from floats to 31-bit numbers. */
static int32_t cti_broad_key(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = u & 0x80000000u ? ~u : u | 0x80000000u;
    return (int32_t)(u >> 1);
}

/* Lower and upper end of the interval that a body sweeps along an axis. */
static float cti_broad_from(const float *box, int axis) { return box[axis] < box[6 + axis] ? box[axis] : box[6 + axis]; }
static float cti_broad_to(const float *box, int axis) { return box[3 + axis] > box[9 + axis] ? box[3 + axis] : box[9 + axis]; }

/* Sorts bodies by their lower ends on the axis on which they spread most: body_order and the sweep blocks. */
static int cti_broad_sort_bodies(cti_mem *mem, cti_broad *broad)
{
    const float *box = broad->body_boxes;
    int n = broad->n_bodies, axis = 0, i, k;
    double best = -1;
    for (k = 0; k < 3; k++) {
        double sum = 0, sum2 = 0;
        for (i = 0; i < n; i++) {
            double c = 0.5 * ((double)cti_broad_from(box + 12 * i, k) + (double)cti_broad_to(box + 12 * i, k));
            sum += c, sum2 += c * c;
        }
        if (n > 0 && sum2 - sum * sum / n > best)
            best = sum2 - sum * sum / n, axis = k;
    }
    for (i = 0; i < n; i++)
        broad->body_order[2 * i] = cti_broad_key(cti_broad_from(box + 12 * i, axis)), broad->body_order[2 * i + 1] = i;
    if (!cti_pairsort(mem, broad->body_order, n, INT32_MAX, n, &broad->own.scratch))
        return -1;
    for (i = 0; i < n; i++) {
        float *block = broad->sweep + (size_t)(i / 8) * CTI_BVH_BLOCK;
        for (k = 0; k < 12; k++)
            block[8 * k + i % 8] = box[12 * broad->body_order[2 * i + 1] + k];
    }
    return axis;
}

CTI_FN int cti_broad_sweep(cti_mem *mem, cti_broad *broad, const cti_soup *soup)
{
    int n = broad->n_bodies, axis = cti_broad_sort_bodies(mem, broad), i, b;
    if (axis < 0)
        return 0;
    CTI_CLEAR(broad->body_pairs);
    for (i = 0; i < n; i++) {
        const float *own = broad->sweep + (size_t)(i / 8) * CTI_BVH_BLOCK;
        int p = broad->body_order[2 * i + 1];
        int32_t end = cti_broad_key(cti_broad_to(broad->body_boxes + 12 * (size_t)p, axis));
        if (!broad->others && cti_broad_may_meet(soup, p, p) && (!CTI_PUSH(mem, broad->body_pairs, p) || !CTI_PUSH(mem, broad->body_pairs, p)))
            return 0;
        for (b = i / 8; 8 * b < n && broad->body_order[16 * b] <= end; b++) {
            const float *block = broad->sweep + (size_t)b * CTI_BVH_BLOCK;
            unsigned m = cti_bvh_hits_moving(own, own + CTI_BVH_HALF, i % 8, block, block + CTI_BVH_HALF);
            if (b == i / 8)
                m &= ~((1u << i % 8) * 2u - 1u);
            if (n - 8 * b < 8)
                m &= (1u << (n - 8 * b)) - 1u;
            for (; m; m &= m - 1) {
                int q = broad->body_order[2 * (8 * b + cti_lowest_bit(m)) + 1];
                if ((broad->sensors ? cti_broad_senses(soup, p, q) : cti_broad_may_meet(soup, p, q)) &&
                    (!CTI_PUSH(mem, broad->body_pairs, cti_min_int(p, q)) || !CTI_PUSH(mem, broad->body_pairs, cti_max_int(p, q))))
                    return 0;
            }
        }
    }
    return cti_pairsort(mem, broad->body_pairs, CTI_LEN(broad->body_pairs) / 2, n, n, &broad->own.scratch);
}
