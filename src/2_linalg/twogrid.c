/* twogrid.c -- an approximate inverse by two grids.
   Method: z = (L + D)^-1 r; the residual of that is -L' z; z += P (P'AP)^-1 P' residual; a sweep of Gauss-Seidel backwards. P makes the motion
   t + w x d of a block at d in its part from the part's t and w. So rigid motions of the body are in the range of P, whose correction is exact:
   that is what makes the number of iterations independent of the size. The whole is symmetric.
   Based on: Brandt and Livne 2011, Multigrid Techniques, sec. 4 (the two-grid cycle); Vanek, Mandel, Brezina 1996 (aggregates, rigid motions);
   differs: aggregates are not smoothed, and grow breadth first. */
#include "twogrid.h"

/* share of a diagonal entry, above the rounding of its sums, that keeps the coarse matrix definite where a part's blocks hardly have a motion, as a
   line that turns about itself. Where they have none, as a single block does not turn, the entry is 0, and the factor takes 1 */
#define CTI_TWOGRID_LEAST (CONTACT_REAL == 32 ? 4e-6 : 1e-8)

static int cti_twogrid_pattern(cti_mem *mem, cti_twogrid *g, const cti_bsr *A, const int32_t *blocks, const int32_t *rank)
{
    int i, k, at = 0;
    for (i = 0; i < g->n; i++)
        at += A->row[blocks[i] + 1] - A->row[blocks[i]] - 1;
    if (!CTI_RESIZE(mem, g->row, g->n + 1) || !CTI_RESIZE(mem, g->middle, g->n) || !CTI_RESIZE(mem, g->col, at) ||
        !CTI_RESIZE(mem, g->val, 9 * (size_t)at + 1))
        return 0;
    for (i = at = 0; i < g->n; i++) {
        g->row[i] = at;
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++) {
            if (k == A->diag[blocks[i]])
                g->middle[i] = at;
            else
                g->col[at++] = rank[A->col[k]];
        }
    }
    g->row[g->n] = at;
    return 1;
}

/* parts that A couples have four coarse blocks in common */
static int cti_twogrid_coarse(cti_mem *mem, cti_twogrid *g)
{
    int32_t *pairs = NULL, *list = NULL;
    int i, k, e, n = 2 * g->n_parts, ok = CTI_RESIZE(mem, list, n);
    for (i = 0; ok && i < n; i++) {
        list[i] = i;
        ok = CTI_PUSH(mem, pairs, i) && CTI_PUSH(mem, pairs, i ^ 1);
    }
    for (i = 0; i < g->n; i++)
        for (k = g->row[i]; k < g->row[i + 1]; k++)
            for (e = 0; ok && g->part[i] < g->part[g->col[k]] && e < 4; e++)
                ok = CTI_PUSH(mem, pairs, 2 * g->part[i] + (e & 1)) && CTI_PUSH(mem, pairs, 2 * g->part[g->col[k]] + (e >> 1));
    ok = ok && cti_bsr_pattern(mem, &g->coarse, n, pairs, CTI_LEN(pairs) / 2) &&
         cti_symbolic_analyze(mem, &g->symbolic, &g->coarse, list, n) && cti_gather_make(mem, &g->gather, &g->symbolic, &g->coarse, list);
    CTI_FREE(mem, pairs), CTI_FREE(mem, list);
    return ok;
}

CTI_FN int cti_twogrid_make(cti_mem *mem, cti_twogrid *g, const cti_bsr *A, const int32_t *blocks, int n, const int32_t *rank,
                            const cti_twogrid_parts *parts)
{
    int c, i;
    g->n = n, g->n_parts = parts->n;
    if (!CTI_RESIZE(mem, g->part, n) || !CTI_RESIZE(mem, g->diagonal, 12 * (size_t)n) || !CTI_RESIZE(mem, g->arm, 4 * (size_t)n) ||
        !cti_twogrid_pattern(mem, g, A, blocks, rank))
        return 0;
    for (c = 0; c < parts->n; c++)
        for (i = parts->at[c]; i < parts->at[c + 1]; i++)
            g->part[rank[parts->blocks[i]]] = c;
    return cti_twogrid_coarse(mem, g);
}

/* arms [n] of the blocks, by their parts' centres and sizes, which the coarse values hold for a while */
static void cti_twogrid_arms(cti_twogrid *g, const int32_t *blocks, const ct_real *x)
{
    ct_real *c = g->coarse.val;
    int i;
    memset(c, 0, 5 * (size_t)g->n_parts * sizeof *c);
    for (i = 0; i < g->n; i++) {
        ct_real *to = c + 5 * (size_t)g->part[i];
        cti_v3 p = cti_v3_at(x, blocks[i]);
        to[0] += p.x, to[1] += p.y, to[2] += p.z, to[3] += 1;
    }
    for (i = 0; i < g->n; i++) {
        ct_real *to = c + 5 * (size_t)g->part[i];
        cti_v3 d = cti_v3_sub(cti_v3_at(x, blocks[i]), cti_v3_mul(cti_v3_at(to, 0), 1 / to[3]));
        to[4] = cti_max(to[4], cti_v3_norm2(d));
        g->arm[4 * i] = (float)d.x, g->arm[4 * i + 1] = (float)d.y, g->arm[4 * i + 2] = (float)d.z, g->arm[4 * i + 3] = 0;
    }
    for (i = 0; i < 4 * g->n; i++) {
        ct_real size2 = c[5 * (size_t)g->part[i / 4] + 4];
        g->arm[i] = size2 > 0 ? (float)((ct_real)g->arm[i] / cti_sqrt(size2)) : 0;
    }
}

CTI_FN void cti_twogrid_fill(cti_twogrid *g, const cti_bsr *A, const int32_t *blocks, const ct_real *x)
{
    double sum = 0;
    int i, k, e, at = 0;
    for (i = 0; i < g->n; i++) {
        const ct_real *D = A->val + 9 * (size_t)A->diag[blocks[i]];
        sum += (double)(D[0] + D[4] + D[8]);
    }
    g->unit = cti_factor32_scale(sum / (3 * g->n));
    for (i = 0; i < g->n; i++)
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++) {
            int own = k == A->diag[blocks[i]];
            float *to = own ? g->diagonal + 12 * (size_t)i : g->val + 9 * (size_t)at++;
            for (e = 0; e < 9; e++)
                to[(3 + own) * (e % 3) + e / 3] = (float)((double)A->val[9 * (size_t)k + (size_t)e] * g->unit);
        }
    cti_twogrid_arms(g, blocks, x);
}

/* adds P_i' a P_j of one block to the four coarse blocks of its parts, the first of which are in rows t and w */
static void cti_twogrid_project(const ct_real *a, const float *di, const float *dj, ct_real *t, ct_real *w)
{
    cti_v3 arm = cti_v3_make((ct_real)di[0], (ct_real)di[1], (ct_real)di[2]);
    ct_real x = (ct_real)dj[0], y = (ct_real)dj[1], z = (ct_real)dj[2];
    int k, r;
    for (k = 0; k < 6; k++) {
        ct_real col[3];
        cti_v3 turned;
        for (r = 0; r < 3; r++) {
            const ct_real *b = a + 3 * r;
            col[r] = k < 3 ? b[k] : k == 3 ? b[2] * y - b[1] * z : k == 4 ? b[0] * z - b[2] * x : b[1] * x - b[0] * y;
        }
        turned = cti_v3_cross(arm, cti_v3_at(col, 0));
        for (r = 0; r < 3; r++) {
            size_t at = (size_t)(9 * (k / 3) + 3 * r + k % 3);
            t[at] += col[r];
            w[at] += r == 0 ? turned.x : r == 1 ? turned.y : turned.z;
        }
    }
}

static void cti_twogrid_galerkin(cti_twogrid *g, const cti_bsr *A, const int32_t *blocks)
{
    cti_bsr *C = &g->coarse;
    int i, k, at = 0, e;
    memset(C->val, 0, 9 * (size_t)C->row[C->n] * sizeof *C->val);
    for (i = 0; i < g->n; i++) {
        int ci = 2 * g->part[i], last = ci, slot = C->diag[ci];
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++) {
            int j = k == A->diag[blocks[i]] ? i : g->col[at++], cj = 2 * g->part[j];
            if (cj != last)
                slot = cti_bsr_slot(C, ci, cj), last = cj;
            cti_twogrid_project(A->val + 9 * (size_t)k, g->arm + 4 * (size_t)i, g->arm + 4 * (size_t)j, C->val + 9 * (size_t)slot,
                             C->val + 9 * (size_t)(slot - C->row[ci] + C->row[ci + 1]));
        }
    }
    for (i = 0; i < C->n; i++)
        for (e = 0; e < 9; e += 4)
            C->val[9 * (size_t)C->diag[i] + (size_t)e] *= (ct_real)(1 + CTI_TWOGRID_LEAST);
}

CTI_FN int cti_twogrid_inverse_reserve(cti_mem *mem, cti_twogrid_inverse *q, const cti_twogrid *g)
{
    q->grid = g;
    return CTI_RESIZE(mem, q->inverse, 12 * (size_t)g->n) &&
           cti_factor64_reserve(mem, &q->factor, &g->symbolic);
}

CTI_FN void cti_twogrid_inverse_fill(cti_twogrid_inverse *q, cti_twogrid *g, const cti_bsr *A, const int32_t *blocks)
{
    int i, k;
    for (i = 0; i < g->n; i++) {
        const ct_real *D = A->val + 9 * (size_t)A->diag[blocks[i]];
        ct_real inv[9];
        int ok = cti_m3_inverse(D, inv);
        for (k = 0; k < 9; k++) {
            size_t at = 12 * (size_t)i + (size_t)(4 * (k % 3) + k / 3);
            q->inverse[at] = ok ? (float)((double)inv[k] / g->unit) : 0;
        }
    }
    cti_twogrid_galerkin(g, A, blocks);
    cti_factor64_refill(&q->factor, &g->gather, g->coarse.val);
}

/* ---- products; vectors have four numbers a block ---- */

/* sum of blocks [k, end) of the pattern times x, in lanes 0 to 2 */
CTI_INLINE cti_f8 cti_twogrid_dot(const cti_twogrid *g, int k, int end, const float *x)
{
    return cti_blocks_dot(g->val + 9 * (size_t)k, g->col + k, end - k, x);
}

/* D x of a block's three columns of four; entries far below the largest become 0, before products with them are denormal */
CTI_INLINE cti_f8 cti_twogrid_block(const float *D, cti_f8 x)
{
    cti_f8 d = cti_f8_add(cti_f8_mul(cti_f8_load44(D, D), cti_f8_spread0(x)), cti_f8_mul(cti_f8_load44(D + 4, D + 4), cti_f8_spread1(x)));
    d = cti_f8_add(d, cti_f8_mul(cti_f8_load44(D + 8, D + 8), cti_f8_spread2(x)));
    return cti_f8_select(cti_f8_lt(cti_f8_abs(d), cti_f8_set(CTI_FACTOR32_LEAST)), cti_f8_set(0), d);
}

/* z += P c, c = (P'AP)^-1 P' (-L' z) */
static void cti_twogrid_correct(const cti_twogrid_inverse *q, float *z, double *c, double *work)
{
    const cti_twogrid *g = q->grid;
    int i;
    memset(c, 0, 6 * (size_t)g->n_parts * sizeof *c);
    for (i = 0; i < g->n; i++) {
        const float *d = g->arm + 4 * (size_t)i;
        double *to = c + 6 * (size_t)g->part[i];
        float e[4];
        cti_f8_store4(e, cti_twogrid_dot(g, g->middle[i], g->row[i + 1], z));
        to[0] -= (double)e[0], to[1] -= (double)e[1], to[2] -= (double)e[2];
        to[3] -= (double)(d[1] * e[2] - d[2] * e[1]), to[4] -= (double)(d[2] * e[0] - d[0] * e[2]), to[5] -= (double)(d[0] * e[1] - d[1] * e[0]);
    }
    for (i = 0; i < 6 * g->n_parts; i++)
        c[i] /= g->unit;
    cti_factor64_solve(&q->factor, c, work);
    for (i = 0; i < g->n; i++) {
        const float *d = g->arm + 4 * (size_t)i;
        const double *m = c + 6 * (size_t)g->part[i];
        float *to = z + 4 * (size_t)i;
        to[0] += (float)(m[0] + m[4] * (double)d[2] - m[5] * (double)d[1]);
        to[1] += (float)(m[1] + m[5] * (double)d[0] - m[3] * (double)d[2]);
        to[2] += (float)(m[2] + m[3] * (double)d[1] - m[4] * (double)d[0]);
    }
}

CTI_FN void cti_twogrid_apply(const cti_twogrid_inverse *q, const float *r, float *z, double *work)
{
    const cti_twogrid *g = q->grid;
    int i;
    for (i = 0; i < g->n; i++) {
        const float *b = r + 4 * (size_t)i;
        cti_f8 left = cti_f8_sub(cti_f8_load44(b, b), cti_twogrid_dot(g, g->row[i], g->middle[i], z));
        cti_f8_store4(z + 4 * (size_t)i, cti_twogrid_block(q->inverse + 12 * (size_t)i, left));
    }
    cti_twogrid_correct(q, z, work, work + 6 * (size_t)g->n_parts);
    for (i = g->n - 1; i >= 0; i--) {
        const float *b = r + 4 * (size_t)i;
        cti_f8 left = cti_f8_sub(cti_f8_load44(b, b), cti_twogrid_dot(g, g->row[i], g->row[i + 1], z));
        cti_f8_store4(z + 4 * (size_t)i, cti_twogrid_block(q->inverse + 12 * (size_t)i, left));
    }
}

CTI_FN void cti_twogrid_product(const cti_twogrid *g, const float *x, float *y)
{
    int i;
    for (i = 0; i < g->n; i++) {
        cti_f8 d = cti_twogrid_block(g->diagonal + 12 * (size_t)i, cti_f8_load44(x + 4 * (size_t)i, x + 4 * (size_t)i));
        cti_f8_store4(y + 4 * (size_t)i, cti_f8_add(d, cti_twogrid_dot(g, g->row[i], g->row[i + 1], x)));
    }
}

CTI_FN size_t cti_twogrid_work(const cti_twogrid *g, const cti_twogrid_inverse *q)
{
    return 6 * (size_t)g->n_parts + cti_factor64_work(&q->factor);
}

/* ---- in an archive ---- */

CTI_FN void cti_twogrid_archive(cti_archive *a, cti_twogrid *g)
{
    CTI_ARCHIVE(a, g->unit);
    CTI_ARCHIVE_ARRAY(a, g->val, CTI_LEN(g->val)), CTI_ARCHIVE_ARRAY(a, g->diagonal, CTI_LEN(g->diagonal));
    CTI_ARCHIVE_ARRAY(a, g->arm, CTI_LEN(g->arm));
}

CTI_FN void cti_twogrid_inverse_archive(cti_archive *a, cti_twogrid_inverse *q, const cti_twogrid *g)
{
    CTI_ARCHIVE_ARRAY(a, q->inverse, 12 * (int64_t)g->n);
    cti_factor64_archive(a, &q->factor, &g->symbolic);
    if (cti_archive_checks(a))
        q->grid = g;
}
