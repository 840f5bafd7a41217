/* dcd_pivot.c -- constraints that share vertices, made orthogonal by a change of unknowns.
   Method: every row gets a pivot: a vertex and a direction there that no other row has. The other vertices of the row move the pivot along:
   x = T z with T unit triangular in the order of the rows. J T then has one block a row, all different. So projections are divisions, which
   is the aim of decoupling (Li et al. 2015, section 5), but a vertex may be in several rows. A block has up to three pivots. Rows that
   would close a cycle are left out. Where two layers of vertices press on each other, nearly all rows of one layer stay, and those of the
   other that do not form cycles with them. Which layer comes first is decided for whole patches, by the summed depth of their vertices,
   since vertices chosen one by one would block each other. Chains are kept short, since their errors add up.
   Based on: elimination of the slave side as in mortar methods (Wohlmuth, Krause: Monotone multigrid methods on nonmatching grids for
   nonlinear multibody contact problems, 2003). */
#include "dcd.h"
#include "../0_base/sets.h"
#include "../0_base/sort.h"

/* ---- which rows ---- */

/* cti_pivot_choice -- holds the pivots that were chosen. */
typedef struct cti_pivot_choice {
    cti_state *s;
    cti_sparse J;
    double *mobility;   /* [n] is about the velocity that a unit impulse gives a block */
    int32_t *rows;      /* [3 n] are rows with a pivot at a block, -1: none */
    double *directions; /* [9 n] are those of the pivots */
    int32_t *chain;     /* [n] is the length of the longest chain of rows that depend on a block */
} cti_pivot_choice;

/* cti_pivot_rank -- gives the order in which rows are visited, by group: 0 those without an opposite patch, then the side of a patch pair whose
   summed depth is larger. */
typedef struct cti_pivot_rank {
    int32_t row, group;
    double depth;
} cti_pivot_rank;

/* sorts the ranks: by group, then by depth, then by row. 0: out of memory */
static int cti_pivot_sort(cti_state *s, cti_pivot_rank *list, int n)
{
    cti_pivot_rank *from = CTI_ARENA_NEW(s->arena, cti_pivot_rank, n);
    int32_t *order = CTI_ARENA_NEW(s->arena, int32_t, 2 * (size_t)n);
    uint64_t *key = CTI_ARENA_NEW(s->arena, uint64_t, 2 * (size_t)n);
    int i;
    if (!from || !order || !key)
        return 0;
    for (i = 0; i < n; i++) {
        from[i] = list[i];
        key[i] = cti_sort_key(list[i].depth);
        order[i] = i;
    }
    cti_sort_u64(key, order, key + n, order + n, n);
    for (i = 0; i < n; i++)
        key[i] = (uint64_t)from[order[i]].group;
    cti_sort_u64(key, order, key + n, order + n, n);
    for (i = 0; i < n; i++)
        list[i] = from[order[i]];
    return 1;
}

/* finds patches: connected components of vertices in rows, joined by the rows' edges or faces; roots are in set [nv] */
static void cti_pivot_patches(const cti_state *s, int32_t *set, uint8_t *touched)
{
    const cti_surface *f = &s->surface;
    int i, k, v;
    cti_sets_init(set, f->nv);
    for (i = 0; i < CTI_LEN(s->contact.origins); i++) {
        const cti_pair *p = &s->contact.origins[i].pair;
        for (k = 0; k < p->n; k++) {
            touched[p->v[k]] = 1;
            if (k > p->n_a)
                cti_sets_join(set, p->v[p->n_a], p->v[k]);
        }
    }
    for (v = 0; v < f->nv; v++)
        for (k = f->vertex_start[v]; touched[v] && k < f->vertex_start[v + 1]; k++)
            if (touched[f->vertex_next[k]])
                cti_sets_join(set, v, f->vertex_next[k]);
}

/* returns a key of the two patches that row i is between, and sets *side: 1 when the vertex's patch has the larger number; 0: there is no opposite
   patch */
static uint64_t cti_pivot_patch_pair(const cti_state *s, int32_t *set, int i, int *side)
{
    const cti_pair *p = &s->contact.origins[i].pair;
    uint64_t a = (uint64_t)cti_sets_root(set, p->v[0]), b;
    if (p->n < 2 || !s->surface.bodies[s->surface.body_of[p->v[1]]].dynamic)
        return 0;
    b = (uint64_t)cti_sets_root(set, p->v[1]);
    *side = a > b;
    return a == b ? 0 : 1 + (a < b ? a << 32 | b : b << 32 | a);
}

/* computes the ranks [rows], sorted. 0: out of memory */
static int cti_pivot_ranks(cti_state *s, const double *depth, cti_pivot_rank *rank)
{
    int i, k, side = 0, rows = CTI_LEN(s->contact.rows), nv = s->surface.nv;
    int32_t *set = CTI_ARENA_NEW(s->arena, int32_t, nv + 1), *list = CTI_ARENA_NEW(s->arena, int32_t, 2 * rows);
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, nv + 1);
    uint64_t *key = CTI_ARENA_NEW(s->arena, uint64_t, 2 * rows);
    if (!set || !list || !touched || !key)
        return 0;
    cti_pivot_patches(s, set, touched);
    for (i = 0; i < rows; i++) {
        key[i] = cti_pivot_patch_pair(s, set, i, &side);
        list[i] = i;
        rank[i].row = i, rank[i].depth = depth[i], rank[i].group = 0;
    }
    cti_sort_u64(key, list, key + rows, list + rows, rows);
    for (i = 0; i < rows; i = k) {
        double sum[2] = {0, 0};
        for (k = i; k < rows && key[k] == key[i]; k++) {
            cti_pivot_patch_pair(s, set, list[k], &side);
            sum[side] -= depth[list[k]];
        }
        for (k = i; k < rows && key[k] == key[i]; k++) {
            int row = list[k];
            rank[row].group = key[k] ? (cti_pivot_patch_pair(s, set, row, &side), side == (sum[0] >= sum[1])) + 1
                                     : s->contact.origins[row].pair.n > 1;
        }
    }
    /* rows deeper than twice the thickness were left out by earlier steps: they come first, before they get deeper */
    for (i = 0; i < rows; i++)
        if (rank[i].group && s->contact.origins[i].gap0 < -2 * s->contact.origins[i].thickness)
            rank[i].group = 0, rank[i].depth = (double)s->contact.origins[i].gap0;
    return cti_pivot_sort(s, rank, rows);
}

/* sets q to the unit vector of the part of a row's normal at block b that is in no pivot of the block; returns its length relative to that of the
   normal */
static double cti_pivot_direction(const cti_pivot_choice *c, int b, const double *g, double *q)
{
    double own = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), rest;
    int k, e;
    memcpy(q, g, sizeof *q * 3);
    for (k = 0; k < 3 && c->rows[3 * b + k] >= 0; k++) {
        const double *p = c->directions + 9 * (size_t)b + (size_t)(3 * k);
        double t = q[0] * p[0] + q[1] * p[1] + q[2] * p[2];
        for (e = 0; e < 3; e++)
            q[e] -= t * p[e];
    }
    rest = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    if (k == 3 || !(own > 0) || !(rest > 0))
        return 0;
    for (e = 0; e < 3; e++)
        q[e] /= rest;
    return rest / own;
}

/* returns the number of rows in the chain below block b; pivots.chain + 1 when one of them has its pivot at block `to` */
static int cti_pivot_chain_below(const cti_pivot_choice *c, int b, int to)
{
    int k, e, most = 0;
    if (b == to)
        return cti_dcd_tuned.pivots.chain + 1;
    for (k = 0; k < 3 && c->rows[3 * b + k] >= 0; k++) {
        int row = c->rows[3 * b + k];
        most = cti_max_int(most, 1);
        for (e = c->J.p[row]; e < c->J.p[row + 1]; e += 3)
            if (c->J.i[e] / 3 != b)
                most = cti_max_int(most, 1 + cti_pivot_chain_below(c, c->J.i[e] / 3, to));
    }
    return most;
}

/* records a chain of `above` rows that depend on block b */
static void cti_pivot_raise_chain(cti_pivot_choice *c, int b, int above)
{
    int k, e;
    if (c->chain[b] >= above)
        return;
    c->chain[b] = above;
    for (k = 0; k < 3 && c->rows[3 * b + k] >= 0; k++) {
        int row = c->rows[3 * b + k];
        for (e = c->J.p[row]; e < c->J.p[row + 1]; e += 3)
            if (c->J.i[e] / 3 != b)
                cti_pivot_raise_chain(c, c->J.i[e] / 3, above + 1);
    }
}

/* returns the length of a row's entry k by the mobility of its block */
static double cti_pivot_length(const cti_pivot_choice *c, int k)
{
    const double *g = c->J.x + k;
    return c->mobility[c->J.i[k] / 3] * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/* finds the block for row i's pivot that responds most, with the direction q [3]. -1: none */
static int cti_pivot_find(const cti_pivot_choice *c, int i, double *q)
{
    double most = 0, found = 0, direction[3];
    int k, e, out = -1, first = c->J.p[i], last = c->J.p[i + 1];
    for (k = first; k < last; k += 3)
        most = cti_fmax(most, cti_pivot_length(c, k));
    for (k = first; k < last; k += 3) {
        double part = cti_pivot_direction(c, c->J.i[k] / 3, c->J.x + k, direction), length = part * cti_pivot_length(c, k);
        int b = c->J.i[k] / 3, below = 0;
        if (length < cti_dcd_tuned.pivots.least * most || length <= found)
            continue;
        for (e = first; e < last; e += 3)
            if (e != k)
                below = cti_max_int(below, cti_pivot_chain_below(c, c->J.i[e] / 3, b));
        if (below + 1 + c->chain[b] > cti_dcd_tuned.pivots.chain)
            continue;
        out = b, found = length;
        memcpy(q, direction, sizeof direction);
    }
    return out;
}

/* gives row i its pivot at block b */
static void cti_pivot_take(cti_pivot_choice *c, int i, int b, const double *q)
{
    int k = 0, e;
    while (c->rows[3 * b + k] >= 0)
        k++;
    c->rows[3 * b + k] = i;
    memcpy(c->directions + 9 * (size_t)b + (size_t)(3 * k), q, sizeof *q * 3);
    for (e = c->J.p[i]; e < c->J.p[i + 1]; e += 3)
        if (c->J.i[e] / 3 != b)
            cti_pivot_raise_chain(c, c->J.i[e] / 3, c->chain[b] + 1);
}

/* orders the rows that have pivots so that each comes after those it depends on: numbers in order [rows]. Returns their number */
static int cti_pivot_order(const cti_pivot_choice *c, const int32_t *pivot, int32_t *level, int32_t *order)
{
    int i, k, e, n = 0, rows = c->J.rows, changed = 1, most = 0, l;
    memset(level, 0, sizeof *level * (size_t)rows);
    while (changed) {
        changed = 0;
        for (i = 0; i < rows; i++) {
            int own = level[i];
            for (e = c->J.p[i]; pivot[i] >= 0 && e < c->J.p[i + 1]; e += 3)
                for (k = 0; k < 3; k++) {
                    int row = c->rows[c->J.i[e] + k];
                    if (row < 0 || row == i)
                        break; /* at its own block a row only has to come after earlier rows */
                    own = cti_max_int(own, level[row] + 1);
                }
            changed |= own != level[i];
            level[i] = own, most = cti_max_int(most, own);
        }
    }
    for (l = 0; l <= most; l++)
        for (i = 0; i < rows; i++)
            if (pivot[i] >= 0 && level[i] == l)
                order[n++] = i;
    return n;
}

/* makes room for the pivots of all blocks, and sets mobilities. 0: out of memory */
static int cti_pivot_reserve(cti_state *s, cti_pivot_choice *c)
{
    int b, k, n = s->n;
    c->mobility = CTI_ARENA_NEW(s->arena, double, n), c->directions = CTI_ARENA_NEW(s->arena, double, 9 * (size_t)n);
    c->rows = CTI_ARENA_NEW(s->arena, int32_t, 3 * (size_t)n), c->chain = CTI_ARENA_ZERO(s->arena, int32_t, n);
    if (!c->mobility || !c->directions || !c->rows || !c->chain)
        return 0;
    for (b = 0; b < n; b++) {
        const ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[b];
        double trace = (double)D[0] + (double)D[4] + (double)D[8];
        c->mobility[b] = trace > 0 ? 1 / sqrt(trace) : 1;
        for (k = 0; k < 3; k++)
            c->rows[3 * b + k] = -1;
    }
    return 1;
}

/* permutes rows and origins to this order. 0: out of memory */
static int cti_pivot_permute(cti_state *s, const int32_t *order, const int32_t *pivot, int n)
{
    cti_row *rows = CTI_ARENA_NEW(s->arena, cti_row, n);
    cti_contact_row *origins = CTI_ARENA_NEW(s->arena, cti_contact_row, n);
    int i;
    if (!rows || !origins || !CTI_RESIZE(&s->prepared, cti_dcd_of(s)->solve.pivot, n))
        return 0;
    for (i = 0; i < n; i++)
        rows[i] = s->contact.rows[order[i]], origins[i] = s->contact.origins[order[i]], cti_dcd_of(s)->solve.pivot[i] = pivot[order[i]];
    memcpy(s->contact.rows, rows, sizeof *rows * (size_t)n), memcpy(s->contact.origins, origins, sizeof *origins * (size_t)n);
    stbds_header(s->contact.rows)->length = stbds_header(s->contact.origins)->length = (size_t)n;
    return 1;
}

CTI_FN int cti_dcd_pivots(cti_state *s, const double *depth)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    cti_pivot_choice c;
    cti_pivot_rank *rank;
    int32_t *pivot, *order;
    double *w, q[3];
    int i, n, rows = CTI_LEN(s->contact.rows);
    memset(&c, 0, sizeof c);
    rank = CTI_ARENA_NEW(s->arena, cti_pivot_rank, rows), pivot = CTI_ARENA_NEW(s->arena, int32_t, rows);
    order = CTI_ARENA_NEW(s->arena, int32_t, 2 * rows);
    if (!rank || !pivot || !order || !cti_dcd_jacobian(s, &c.J, &w) || !cti_pivot_reserve(s, &c) || !cti_pivot_ranks(s, depth, rank))
        return -1;
    for (i = 0; i < rows; i++) {
        int row = rank[i].row;
        pivot[row] = cti_pivot_find(&c, row, q);
        if (pivot[row] >= 0)
            cti_pivot_take(&c, row, pivot[row], q);
    }
    n = cti_pivot_order(&c, pivot, order + rows, order);
    if (!cti_pivot_permute(s, order, pivot, n))
        return -1;
    cti_arena_rewind(s->arena, mark);
    return rows - n;
}

/* ---- the change of unknowns ---- */

CTI_FN int cti_dcd_transform_make(const cti_state *s, const cti_sparse *J, cti_dcd_transform *t)
{
    int i, k, e, rows = J->rows;
    int32_t *count = CTI_ARENA_ZERO(s->arena, int32_t, s->n);
    double *q = CTI_ARENA_NEW(s->arena, double, 9 * (size_t)s->n);
    memset(t, 0, sizeof *t);
    t->block = cti_dcd_of(s)->solve.pivot, t->remainder = *J;
    t->direction = CTI_ARENA_NEW(s->arena, double, 3 * (size_t)rows), t->size = CTI_ARENA_NEW(s->arena, double, rows);
    t->first = CTI_ARENA_ZERO(s->arena, uint8_t, rows), t->work = CTI_ARENA_ZERO(s->arena, double, 3 * (size_t)s->n);
    if (!count || !q || !t->direction || !t->size || !t->first || !t->work)
        return 0;
    for (i = 0; i < rows; i++) {
        int b = t->block[i], at = J->p[i];
        double *own, *p = t->direction + 3 * (size_t)i, size;
        while (J->i[at] / 3 != b)
            at += 3;
        own = t->remainder.x + at;
        memcpy(p, own, sizeof *p * 3);
        for (k = 0; k < count[b]; k++) {
            const double *o = q + 9 * (size_t)b + (size_t)(3 * k);
            double part = p[0] * o[0] + p[1] * o[1] + p[2] * o[2];
            for (e = 0; e < 3; e++)
                p[e] -= part * o[e];
        }
        size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        t->size[i] = size, t->first[i] = count[b] == 0;
        for (e = 0; e < 3; e++)
            own[e] -= p[e], p[e] /= size;
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            t->remainder.x[k] /= size;
        memcpy(q + 9 * (size_t)b + (size_t)(3 * count[b]++), p, sizeof *p * 3);
    }
    return 1;
}

/* returns remainder'x, by which the pivot of row i moves */
static double cti_dcd_transform_remainder(const cti_dcd_transform *t, int i, const double *x)
{
    double sum = 0;
    int k;
    for (k = t->remainder.p[i]; k < t->remainder.p[i + 1]; k++)
        sum += t->remainder.x[k] * x[t->remainder.i[k]];
    return sum;
}

static void cti_dcd_transform_add(const cti_dcd_transform *t, int i, double c, double *x)
{
    const double *direction = t->direction + 3 * (size_t)i;
    double *p = x + 3 * (size_t)t->block[i];
    p[0] += c * direction[0], p[1] += c * direction[1], p[2] += c * direction[2];
}

CTI_FN void cti_dcd_transform_forward(const cti_dcd_transform *t, double *x)
{
    int i;
    for (i = 0; i < t->remainder.rows; i++)
        cti_dcd_transform_add(t, i, -cti_dcd_transform_remainder(t, i, x), x);
}

CTI_FN void cti_dcd_transform_back(const cti_dcd_transform *t, double *x)
{
    int i;
    for (i = t->remainder.rows - 1; i >= 0; i--)
        cti_dcd_transform_add(t, i, cti_dcd_transform_remainder(t, i, x), x);
}

CTI_FN void cti_dcd_transform_transposed(const cti_dcd_transform *t, double *y)
{
    int i, k;
    for (i = t->remainder.rows - 1; i >= 0; i--) {
        const double *q = t->direction + 3 * (size_t)i, *p = y + 3 * (size_t)t->block[i];
        double c = q[0] * p[0] + q[1] * p[1] + q[2] * p[2];
        for (k = t->remainder.p[i]; c != 0 && k < t->remainder.p[i + 1]; k++)
            y[t->remainder.i[k]] -= c * t->remainder.x[k];
    }
}
