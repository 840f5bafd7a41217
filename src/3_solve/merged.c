/* merged.c -- a direct solver of K x = f, K = A + J'HJ, by supernodes.
   Method: one pattern, of the blocks that A couples and of those that a row touches together, is analyzed once; then K is factored by
   supernodal.h, in double: H is up to 1e8 times as stiff as A. Rows that are open stay in the pattern. */
#include "augmented.h"
#include "../2_linalg/supernodal.h"

typedef struct cti_merged {
    const cti_jacobian *J;
    cti_mem mem; /* of the arena */
    cti_bsr shape;
    cti_symbolic symbolic;
    cti_gather gather;
    cti_factor64 factor;
    int32_t *from;      /* [slots of A] slot in `shape` */
    int32_t *at;        /* slot in `shape` of each pair of terms of each row, row by row */
    double *val, *work; /* K; of cti_factor64_solve */
    double *of_A;       /* K without rows */
} cti_merged;

static int cti_merged_factor(void *ctx, const double *H)
{
    cti_merged *m = (cti_merged *)ctx;
    const cti_problem *p = m->J->p;
    const int32_t *at = m->at;
    double K[9 * CTI_ROW_TERMS * CTI_ROW_TERMS];
    int i, k, a;
    memcpy(m->val, m->of_A, sizeof *m->val * 9 * (size_t)m->shape.row[m->shape.n]);
    for (i = 0; i < p->n_rows; at += p->rows[i].n * p->rows[i].n, i++) {
        int pairs = cti_jacobian_stiffness(m->J, i, H + 9 * (size_t)i, K);
        for (k = 0; k < pairs; k++)
            for (a = 0; a < 9; a++)
                m->val[9 * (size_t)at[k] + (size_t)a] += K[9 * k + a];
    }
    return cti_factor64_compute_double(&m->mem, &m->factor, &m->symbolic, &m->gather, m->val);
}

static void cti_merged_solve(void *ctx, double *x)
{
    const cti_merged *m = (const cti_merged *)ctx;
    cti_factor64_solve(&m->factor, x, m->work);
}

/* the pattern. 0: out of memory */
static int cti_merged_pattern(cti_merged *m)
{
    const cti_problem *p = m->J->p;
    const cti_bsr *A = p->A;
    int32_t *pairs = NULL;
    int i, k, l, count = 0, ok, slots = 0;
    for (i = 0; i < p->n_rows; i++)
        slots += p->rows[i].n * p->rows[i].n;
    if (!CTI_RESIZE(&m->mem, m->from, A->row[A->n]) || !CTI_RESIZE(&m->mem, m->at, slots) || !CTI_RESIZE(&m->mem, pairs, 2 * (A->row[A->n] + slots)))
        return 0;
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++, count++)
            pairs[2 * count] = i, pairs[2 * count + 1] = A->col[k];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++)
            for (l = 0; l < p->rows[i].n; l++, count++)
                pairs[2 * count] = p->rows[i].term[k].block, pairs[2 * count + 1] = p->rows[i].term[l].block;
    ok = cti_bsr_shape(&m->mem, &m->shape, A->n, pairs, count);
    for (i = 0; ok && i < A->row[A->n]; i++)
        m->from[i] = cti_bsr_slot(&m->shape, pairs[2 * i], pairs[2 * i + 1]);
    for (i = 0; ok && i < slots; i++)
        m->at[i] = cti_bsr_slot(&m->shape, pairs[2 * (A->row[A->n] + i)], pairs[2 * (A->row[A->n] + i) + 1]);
    return ok;
}

/* memory of K and its factor, and what of K is A's. 0: there is none left */
static int cti_merged_open(cti_merged *m, cti_arena *arena, const int32_t *all)
{
    const cti_bsr *A = m->J->p->A;
    size_t slots = 9 * (size_t)m->shape.row[m->shape.n];
    int k, a;
    m->val = CTI_ARENA_NEW(arena, double, slots), m->of_A = CTI_ARENA_ZERO(arena, double, slots);
    if (!m->val || !m->of_A || !cti_gather_make(&m->mem, &m->gather, &m->symbolic, &m->shape, all) ||
        !cti_factor64_reserve(&m->mem, &m->factor, &m->symbolic))
        return 0;
    for (k = 0; k < A->row[A->n]; k++)
        for (a = 0; a < 9; a++)
            m->of_A[9 * (size_t)m->from[k] + (size_t)a] = (double)A->val[9 * (size_t)k + (size_t)a];
    m->work = CTI_ARENA_NEW(arena, double, cti_factor64_work(&m->factor));
    return m->work != NULL;
}

CTI_FN int cti_merged_make(const cti_jacobian *J, double most, const cti_order_places *at, cti_arena *arena, cti_linear *out)
{
    cti_merged *m = CTI_ARENA_ZERO(arena, cti_merged, 1);
    int n = J->p->A->n, i;
    int32_t *all = CTI_ARENA_NEW(arena, int32_t, n);
    if (!m || !all)
        return 0;
    for (i = 0; i < n; i++)
        all[i] = i;
    m->J = J;
    cti_arena_mem(arena, &m->mem);
    if (!cti_merged_pattern(m) || !cti_symbolic_analyze_once(&m->mem, &m->symbolic, &m->shape, all, n, at))
        return 0;
    out->flops = m->symbolic.flops / 2;
    out->factor = cti_merged_factor, out->solve = cti_merged_solve, out->ctx = m;
    out->respond = NULL, out->move = NULL;
    return out->flops > most || cti_merged_open(m, arena, all);
}
