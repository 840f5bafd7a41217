/* scalar_factor.c -- linear systems of scalars by the block factorization: unknown i is entry i % 3 of block i / 3.
   Method: supernodal Cholesky of entries in double in every build, then refinement with the scalars. */
#include "../2_linalg/schur.h"
#include "program.h"

CTI_FN int cti_sparse_pairs(cti_mem *mem, const cti_sparse *A, const int32_t *to, int32_t **pairs)
{
    int32_t *seen = NULL; /* 1 + the last block row in which a block was seen */
    int i, k, n = (A->rows + 2) / 3, count = 0;
    if (!CTI_RESERVE(mem, *pairs, 2 * (int64_t)A->p[A->rows] + 2) || !CTI_RESIZE(mem, seen, n))
        return -1;
    for (i = 0; i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            int a = to ? to[i / 3] : i / 3, b = to ? to[A->i[k] / 3] : A->i[k] / 3;
            if (a >= 0 && b >= 0 && seen[A->i[k] / 3] != i / 3 + 1)
                seen[A->i[k] / 3] = i / 3 + 1, (*pairs)[2 * count] = a, (*pairs)[2 * count + 1] = b, count++;
        }
    CTI_FREE(mem, seen);
    return count;
}

/* the block pattern of A, and the list of its blocks 0 .. n - 1 */
static int cti_scalar_pattern(cti_mem *mem, cti_scalar *s, const cti_sparse *A)
{
    int32_t *pairs = NULL;
    int i, n = (A->rows + 2) / 3, count = cti_sparse_pairs(mem, A, NULL, &pairs);
    int ok = count >= 0 && CTI_RESIZE(mem, s->blocks, n) && cti_bsr_shape(mem, &s->bsr, n, pairs, count);
    for (i = 0; ok && i < n; i++)
        s->blocks[i] = i;
    CTI_FREE(mem, pairs);
    return ok;
}

/* to: where each entry of A goes in val. A row's columns and its blocks ascend together */
static int cti_scalar_map(cti_mem *mem, cti_scalar *s)
{
    const cti_sparse *A = s->A;
    int i, k;
    if (s->to)
        return 1;
    if (!CTI_RESERVE(mem, s->to, (int64_t)A->p[A->rows] + 1))
        return 0;
    for (i = 0; i < A->rows; i++) {
        int slot = s->bsr.row[i / 3];
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            while (s->bsr.col[slot] < A->i[k] / 3)
                slot++;
            s->to[k] = 9 * slot + 3 * (i % 3) + A->i[k] % 3;
        }
    }
    return 1;
}

CTI_FN int cti_scalar_open(cti_mem *mem, cti_scalar *s, const cti_sparse *A)
{
    int n = (A->rows + 2) / 3;
    s->A = A;
    return A->rows == 0 || (cti_scalar_pattern(mem, s, A) && cti_symbolic_analyze_once(mem, &s->symbolic, &s->bsr, s->blocks, n, NULL) &&
        cti_gather_make(mem, &s->gather, &s->symbolic, &s->bsr, s->blocks) && CTI_RESIZE(mem, s->z, 3 * n) && CTI_RESIZE(mem, s->r, 3 * n));
}

CTI_FN int cti_scalar_factor(cti_mem *mem, cti_scalar *s)
{
    const cti_sparse *A = s->A;
    size_t numbers;
    int i, k;
    if (A->rows == 0)
        return 1;
    numbers = 9 * (size_t)s->bsr.row[s->bsr.n];
    if (!CTI_RESERVE(mem, s->val, (int64_t)numbers) || !cti_scalar_map(mem, s))
        return 0;
    memset(s->val, 0, sizeof *s->val * numbers);
    for (k = 0; k < A->p[A->rows]; k++)
        s->val[s->to[k]] = A->x[k];
    for (i = A->rows; i < 3 * s->bsr.n; i++)
        s->val[9 * (size_t)s->bsr.diag[i / 3] + 4 * (size_t)(i % 3)] = 1;
    if (!cti_factor64_compute_double(mem, &s->factor, &s->symbolic, &s->gather, s->val))
        return 0;
    s->boosted = s->factor.boosted;
    return CTI_RESIZE(mem, s->work, (int)cti_factor64_work(&s->factor));
}

CTI_FN double cti_scalar_pivot(const cti_scalar *s)
{
    const cti_factor64 *f = &s->factor;
    double most = s->A->rows ? cti_most(f->sym->pivot[f->sym->n_super], f->inverse) : 0;
    return most > 0 ? 1 / (most * most) : 1;
}

static void cti_scalar_apply(cti_scalar *s, const double *y, double *z)
{
    cti_vec_copy(s->A->rows, y, z);
    cti_vec_zero(3 * s->bsr.n - s->A->rows, z + s->A->rows);
    cti_factor64_solve(&s->factor, z, s->work);
}

CTI_FN void cti_scalar_solve(cti_scalar *s, double *z, int refine)
{
    const cti_sparse *A = s->A;
    int i, k, it;
    if (A->rows == 0)
        return;
    cti_vec_copy(A->rows, z, s->r);
    cti_scalar_apply(s, s->r, s->z);
    for (it = 0; it < refine; it++) {
        /* r = y - A z, with y still in the caller's z */
        for (i = 0; i < A->rows; i++) {
            double sum = z[i];
            for (k = A->p[i]; k < A->p[i + 1]; k++)
                sum -= A->x[k] * s->z[A->i[k]];
            s->r[i] = sum;
        }
        cti_vec_zero(3 * s->bsr.n - A->rows, s->r + A->rows);
        cti_factor64_solve(&s->factor, s->r, s->work);
        cti_vec_add(A->rows, 1, s->r, s->z);
    }
    cti_vec_copy(A->rows, s->z, z);
}

CTI_FN void cti_scalar_close(cti_mem *mem, cti_scalar *s)
{
    cti_bsr_free(mem, &s->bsr);
    cti_symbolic_free(mem, &s->symbolic);
    cti_gather_free(mem, &s->gather);
    cti_factor64_free(mem, &s->factor);
    CTI_FREE_SPAN(mem, s->val, s->to);
    CTI_FREE_SPAN(mem, s->work, s->r);
    memset(s, 0, sizeof *s);
}

CTI_FN int cti_scalar_schur(cti_scalar *s, cti_arena *arena, const cti_sparse *J, double *W, int ld)
{
    int i;
    for (i = 0; s->A->rows == 0 && i < J->rows; i++)
        cti_vec_zero(J->rows, W + (size_t)i * (size_t)ld);
    if (s->A->rows == 0)
        return 1;
    return cti_factor64_schur(&s->factor, arena, J->rows, J->p, J->i, J->x, W, ld);
}

CTI_FN int cti_scalar_is_convex(cti_arena *arena, const cti_sparse *A)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_sparse shifted;
    cti_scalar s;
    double most = 0;
    int i, k, is_convex = -1;
    memset(&s, 0, sizeof s);
    if (cti_sparse_copy(&arena->own, A, &shifted)) {
        for (i = 0; i < A->rows; i++)
            most = cti_fmax(most, fabs(cti_sparse_at(A, i, i)));
        for (i = 0; i < A->rows; i++)
            for (k = A->p[i]; k < A->p[i + 1]; k++)
                if (A->i[k] == i)
                    shifted.x[k] += cti_program_tuned.convex.shift * (A->x[k] != 0 ? fabs(A->x[k]) : (most > 0 ? most : 1));
        if (cti_scalar_open(&arena->own, &s, &shifted) && cti_scalar_factor(&arena->own, &s))
            is_convex = s.boosted == 0;
    }
    cti_arena_rewind(arena, mark);
    return is_convex;
}
