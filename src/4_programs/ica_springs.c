/* ica_springs.c -- finds the compliances and recoveries of a stand-alone problem. Method: see ica_springs.h; an unknown is a spring only where
   every line that holds it agrees. Based on: no paper. */
#include "ica_springs.h"

CTI_FN double cti_ica_springs_alone(const cti_sparse *A, int j)
{
    double a = 0;
    int k;
    for (k = A->p[j]; k < A->p[j + 1]; k++)
        if (A->i[k] == j)
            a = A->x[k];
        else if (A->x[k] != 0)
            return 0;
    return a > 0 ? a : 0;
}

/* to: 0 for blocks of unknowns, -1 for those of springs, which A couples with nothing, which no contact sees first, and whose unknowns
   are in one line or in the same line of two contacts in a row */
static void cti_ica_springs_mark(const cti_program *p, cti_ica_springs *q)
{
    const cti_sparse *J = &p->J;
    int i, k, j, low = 0;
    for (i = 0; i < p->m; i++)
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            if (J->x[k] != 0 && q->times[j = J->i[k]]++ == 0)
                q->line[j] = i;
    for (j = 0; j < p->n; j++)
        if (!(cti_ica_springs_alone(&p->A, j) > 0) || q->times[j] > 2)
            q->to[j / 3] = 0;
        else if (q->times[j] == 0)
            q->to[j / 3] = 0, q->times[j] = -1;
    for (i = 0; i < p->m; i++) {
        for (k = J->p[i], low = i % 3 ? low : p->n; i % 3 == 0 && k < J->p[i + 3]; k++)
            low = J->x[k] != 0 ? cti_min_int(low, J->i[k] / 3) : low;
        for (k = J->p[i]; k < J->p[i + 1]; k++) {
            j = J->i[k];
            if (J->x[k] != 0 && (low == j / 3 || (i != q->line[j] && i != q->line[j] + 3)))
                q->to[j / 3] = 0;
        }
    }
}

/* own, shared and w of the lines */
static void cti_ica_springs_soften(const cti_program *p, cti_ica_springs *q)
{
    int i, k;
    for (i = 0; i < p->m; i++)
        for (q->w[i] = p->w[i], k = p->J.p[i]; k < p->J.p[i + 1]; k++) {
            int j = p->J.i[k];
            double a, alpha = p->J.x[k];
            if (alpha == 0 || q->to[j / 3] >= 0)
                continue;
            a = cti_ica_springs_alone(&p->A, j);
            (q->times[j] == 1 ? q->own : q->shared)[i] += alpha * alpha / a;
            q->w[i] += alpha * p->b[j] / a;
        }
}

/* 1 if lines i and i + 3 agree but for springs */
static int cti_ica_springs_same(const cti_program *p, const cti_ica_springs *q, int i)
{
    const cti_sparse *J = &p->J;
    int k = J->p[i], l = J->p[i + 3];
    for (;; k++, l++) {
        while (k < J->p[i + 1] && (J->x[k] == 0 || q->to[J->i[k] / 3] < 0))
            k++;
        while (l < J->p[i + 4] && (J->x[l] == 0 || q->to[J->i[l] / 3] < 0))
            l++;
        if (k == J->p[i + 1] || l == J->p[i + 4])
            return k == J->p[i + 1] && l == J->p[i + 4];
        if (J->i[k] != J->i[l] || J->x[k] != J->x[l])
            return 0;
    }
}

/* 1 if the contacts at lines i and i + 3 are the two laws of one row */
static int cti_ica_springs_pair(const cti_program *p, const cti_ica_springs *q, int i)
{
    int k;
    if (i + 6 > p->m || p->mu[i / 3] != p->mu[i / 3 + 1] || !(q->own[i + 3] > 0) || !(q->w[i] > q->w[i + 3]))
        return 0;
    for (k = 0; k < 3; k++)
        if (q->own[i + k] > 0 || (k && (q->own[i + 3 + k] > 0 || q->w[i + k] != q->w[i + 3 + k])) ||
            fabs(q->shared[i + k] - q->shared[i + 3 + k]) > 1e-12 * q->shared[i + k] || !cti_ica_springs_same(p, q, i + k))
            return 0;
    return 1;
}

/* rows from contacts. Returns their number, -1 if contacts share springs, but are no row */
static int cti_ica_springs_rows(cti_ica_springs *q, const cti_program *p, int stride)
{
    int i, k, n = 0;
    for (i = 0; i < p->m; i += stride * (1 + q->two[n++])) {
        q->first[n] = i;
        q->two[n] = p->mu && cti_ica_springs_pair(p, q, i);
        for (k = 0; k < stride && !q->two[n]; k++)
            if (q->shared[i + k] > 0)
                return -1;
    }
    return n;
}

CTI_FN int cti_ica_springs_find(cti_ica_springs *q, cti_arena *arena, const cti_program *p, int stride, int *out_blocks)
{
    int i, n = 0, rows, blocks = (p->n + 2) / 3, global = p->kind == CTI_PROGRAM_GLOBAL;
    q->to = CTI_ARENA_NEW(arena, int32_t, blocks), q->line = CTI_ARENA_NEW(arena, int32_t, p->n);
    q->times = CTI_ARENA_ZERO(arena, int32_t, p->n), q->w = CTI_ARENA_NEW(arena, double, p->m);
    q->own = CTI_ARENA_ZERO(arena, double, p->m), q->shared = CTI_ARENA_ZERO(arena, double, p->m);
    q->first = CTI_ARENA_NEW(arena, int32_t, p->m), q->two = CTI_ARENA_ZERO(arena, uint8_t, p->m);
    if (!q->to || !q->line || !q->times || !q->w || !q->own || !q->shared || !q->first || !q->two)
        return -1;
    memset(q->to, global ? 0xff : 0, sizeof *q->to * (size_t)blocks);
    for (i = 0; i < p->n; i++)
        q->line[i] = -1;
    if (global)
        cti_ica_springs_mark(p, q);
    cti_ica_springs_soften(p, q);
    rows = cti_ica_springs_rows(q, p, stride);
    if (rows < 0) { /* no unknown counts as a spring */
        memset(q->to, 0, sizeof *q->to * (size_t)blocks);
        cti_vec_zero(p->m, q->own), cti_vec_zero(p->m, q->shared);
        cti_ica_springs_soften(p, q);
        rows = cti_ica_springs_rows(q, p, stride);
    }
    for (i = 0; i < blocks; i++)
        q->to[i] = q->to[i] < 0 ? -1 : n++;
    *out_blocks = n;
    return rows;
}
