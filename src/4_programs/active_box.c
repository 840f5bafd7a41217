/* active_box.c -- bounds by an active set that starts from the last one.
   Method: rows of the active set are at their bounds; the others have u = 0. All rows with the wrong sign change sides at once as long as
   their number falls, then only the last of them, which terminates. The factored matrix keeps the whole pattern, with the identity for
   active rows, so that it is analysed once. The factor stays valid while neither the set nor W changes. Based on: Judice and Pires 1994
   (block principal pivoting); Hintermueller, Ito and Kunisch 2003, the primal-dual active set strategy. */
#include "active_box.h"

enum { CTI_ACTIVE_BOX_CHANCES = 4 }; /* sets without a decrease of wrong signs before rows change sides one at a time */

CTI_FN void cti_active_box_close(cti_mem *mem, cti_active_box *s)
{
    cti_scalar_close(mem, &s->system);
    cti_sparse_free(mem, &s->M);
    CTI_FREE_SPAN(mem, s->set, s->y);
    memset(s, 0, sizeof *s);
}

/* initializes s. 0: out of memory */
static int cti_active_box_open(cti_active_box *s, cti_mem *mem, const cti_sparse *W)
{
    int n = W->p[W->rows];
    if (s->open && s->M.rows == W->rows && s->M.p[W->rows] == n && memcmp(s->M.i, W->i, sizeof *W->i * (size_t)n) == 0)
        return 1;
    cti_active_box_close(mem, s);
    if (!cti_sparse_reserve(mem, &s->M, W->rows, W->rows, n) || !CTI_RESIZE(mem, s->set, W->rows) || !CTI_RESIZE(mem, s->used, W->rows) ||
        !CTI_RESIZE(mem, s->g, W->rows) || !CTI_RESIZE(mem, s->y, W->rows))
        return 0;
    memcpy(s->M.p, W->p, sizeof *W->p * (size_t)(W->rows + 1)), memcpy(s->M.i, W->i, sizeof *W->i * (size_t)n);
    s->open = 1;
    return cti_scalar_open(mem, &s->system, &s->M);
}

/* factors the matrix of the current set. 0: out of memory */
static int cti_active_box_factor(cti_active_box *s, cti_mem *mem, const cti_sparse *W)
{
    int i, k, m = W->rows;
    if (s->fresh && memcmp(s->set, s->used, (size_t)m) == 0)
        return 1;
    for (i = 0; i < m; i++)
        for (k = W->p[i]; k < W->p[i + 1]; k++)
            s->M.x[k] = s->set[i] || s->set[W->i[k]] ? (i == W->i[k] ? 1 : 0) : W->x[k];
    memcpy(s->used, s->set, (size_t)m);
    s->fresh = 1, s->factors++;
    return cti_scalar_factor(mem, &s->system);
}

/* r of the current set, and g = W r + w; *size: the largest term in g */
static void cti_active_box_point(cti_active_box *s, const cti_program *q, double *r, double *size)
{
    const cti_sparse *W = &q->W;
    int i, k, m = q->m;
    for (i = 0; i < m; i++)
        r[i] = s->set[i] ? (s->set[i] < 0 ? q->lo[i] : q->hi[i]) : 0;
    cti_sparse_mul(W, r, s->g);
    for (i = 0; i < m; i++)
        s->y[i] = s->set[i] ? 0 : -q->w[i] - s->g[i];
    cti_scalar_solve(&s->system, s->y, 1);
    for (*size = 0, i = 0; i < m; i++)
        r[i] = s->set[i] ? r[i] : s->y[i];
    for (i = 0; i < m; i++) {
        double sum = q->w[i];
        for (k = W->p[i]; k < W->p[i + 1]; k++)
            sum += W->x[k] * r[W->i[k]];
        s->g[i] = sum;
        *size = fabs(q->w[i]) > *size ? fabs(q->w[i]) : *size;
    }
}

/* the side on which row i belongs, by its own value and sign */
static int cti_active_box_side(const cti_active_box *s, const cti_program *q, const double *r, int i, double slight)
{
    if (!(q->hi[i] > q->lo[i]))
        return -1;
    if (s->set[i])
        return s->set[i] * s->g[i] > slight ? 0 : s->set[i];
    return r[i] < q->lo[i] ? -1 : (r[i] > q->hi[i] ? 1 : 0);
}

CTI_FN int cti_active_box_solve(cti_active_box *s, const cti_program *q, cti_effort *e, int same, double tolerance, int most, double *r)
{
    int i, k, best = q->m + 1, chances = CTI_ACTIVE_BOX_CHANCES;
    double size;
    if (!cti_active_box_open(s, e->mem, &q->W))
        return -1;
    s->fresh = s->fresh && same;
    for (i = 0; i < q->m; i++)
        s->set[i] = (int8_t)(r[i] <= q->lo[i] ? -1 : (r[i] >= q->hi[i] ? 1 : 0));
    for (k = 0; k < most; k++) {
        int wrong = 0, last = -1;
        if (!cti_active_box_factor(s, e->mem, &q->W))
            return -1;
        cti_active_box_point(s, q, r, &size);
        for (i = 0; i < q->m; i++)
            if (cti_active_box_side(s, q, r, i, tolerance * size) != s->set[i])
                wrong++, last = i;
        if (!wrong)
            return 1;
        chances = wrong < best ? CTI_ACTIVE_BOX_CHANCES : chances - 1;
        best = cti_min_int(best, wrong);
        for (i = chances > 0 ? 0 : last; i <= last; i++)
            s->set[i] = (int8_t)cti_active_box_side(s, q, r, i, tolerance * size);
    }
    for (i = 0; i < q->m; i++)
        r[i] = cti_fmin(cti_fmax(r[i], q->lo[i]), q->hi[i]);
    return 0;
}
