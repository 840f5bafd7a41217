/* mprgp_precondition.c -- preconditioners of the conjugate steps, restricted to the face.
   Method: with M for A, the step in the face { J^ z = 0 } is z = M^-1 (phi - J^' l), (J^ M^-1 J^') l = J^ M^-1 phi. For diagonal and
   block-diagonal M and rows that touch no block twice that system is diagonal. Else z = P M^-1 P phi with the orthogonal projection P onto
   the face, which is symmetric and positive there, too. For bounds, FACE factors A between the free unknowns (block_pivot.h): exact until the face
   changes. Based on: Li et al. 2015, section 6.1 (Jacobi); Dostal 2009 (preconditioning in face). */
#include "mprgp.h"

/* ---- diagonal and block-diagonal ---- */

/* inverse of a symmetric 3x3 block, or of its diagonal where it has none */
static void cti_mprgp_invert3(const double *a, double *out)
{
    int i;
    if (cti_d3_inverse_within(a, 1e-14, out))
        return;
    memset(out, 0, sizeof *out * 9);
    for (i = 0; i < 9; i += 4)
        out[i] = a[i] > 0 ? 1 / a[i] : 1;
}

static int cti_mprgp_open_diagonal(cti_mem *mem, cti_mprgp_preconditioner *q)
{
    int i, n = q->A->rows;
    if (!CTI_RESIZE(mem, q->M, n))
        return 0;
    for (i = 0; i < n; i++) {
        double a = cti_sparse_at(q->A, i, i);
        q->M[i] = a > 0 ? 1 / a : 1;
    }
    return 1;
}

static int cti_mprgp_open_blocks(cti_mem *mem, cti_mprgp_preconditioner *q)
{
    int i, k, b, n = q->A->rows, blocks = (n + 2) / 3;
    if (!CTI_RESIZE(mem, q->M, 9 * blocks))
        return 0;
    for (b = 0; b < blocks; b++) {
        double a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (i = 3 * b; i < 3 * b + 3 && i < n; i++)
            for (k = q->A->p[i]; k < q->A->p[i + 1]; k++)
                if (q->A->i[k] / 3 == b)
                    a[3 * (i % 3) + q->A->i[k] % 3] = q->A->x[k];
        cti_mprgp_invert3(a, q->M + 9 * (size_t)b);
    }
    return 1;
}

/* 1 when no two rows touch the same block */
static int cti_mprgp_apart(cti_mem *mem, const cti_sparse *J, int block, int *out_apart)
{
    int32_t *owner = NULL;
    int i, k;
    *out_apart = 1;
    if (!CTI_RESIZE(mem, owner, J->cols / block + 1))
        return 0;
    for (i = 0; i < J->rows; i++)
        for (k = J->p[i]; k < J->p[i + 1]; k++) {
            int32_t *o = &owner[J->i[k] / block];
            *out_apart = *out_apart && (*o == 0 || *o == i + 1);
            *o = i + 1;
        }
    return 1;
}

/* Y = M^-1 J' by rows and the diagonal of J Y */
static int cti_mprgp_open_exact(cti_mem *mem, cti_mprgp_preconditioner *q, int block)
{
    const cti_sparse *J = &q->set->J;
    int32_t *row = NULL, *col = NULL;
    double *x = NULL;
    int i, k, c, ok = 1;
    for (i = 0; ok && i < J->rows; i++)
        for (k = J->p[i]; ok && k < J->p[i + 1]; k++)
            for (c = 0; ok && c < block; c++) {
                int j = J->i[k] / block * block + c;
                double m = block == 1 ? q->M[j] : q->M[9 * (size_t)(j / 3) + (size_t)(3 * c + J->i[k] % 3)];
                if (j < J->cols)
                    ok = CTI_PUSH(mem, row, i) && CTI_PUSH(mem, col, j) && CTI_PUSH(mem, x, m * J->x[k]);
            }
    ok = ok && cti_sparse_from_triplets(mem, J->rows, J->cols, row, col, x, CTI_LEN(x), &q->Y) && CTI_RESIZE(mem, q->d, J->rows);
    for (i = 0; ok && i < J->rows; i++)
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            q->d[i] += J->x[k] * cti_sparse_at(&q->Y, i, J->i[k]);
    return ok;
}

/* ---- all ---- */

CTI_FN int cti_mprgp_preconditioner_renew(cti_mem *mem, cti_mprgp_preconditioner *q)
{
    return cti_face_factor_renew(mem, &q->face, q->A, q->set->face, q->face.shift);
}

CTI_FN int cti_mprgp_preconditioner_open(cti_mem *mem, cti_mprgp_preconditioner *q, cti_mprgp_precondition kind, const cti_sparse *A,
                                         cti_mprgp_set *set)
{
    int block = kind == CTI_PRECONDITION_BLOCKS ? 3 : 1, ok = 1;
    memset(q, 0, sizeof *q);
    q->kind = kind, q->A = A, q->set = set;
    if (q->kind == CTI_PRECONDITION_BLOCKS)
        ok = cti_mprgp_open_blocks(mem, q);
    else if (q->kind == CTI_PRECONDITION_JACOBI)
        ok = cti_mprgp_open_diagonal(mem, q);
    if (ok && set->J.p && (q->kind == CTI_PRECONDITION_BLOCKS || q->kind == CTI_PRECONDITION_JACOBI)) {
        ok = cti_mprgp_apart(mem, &set->J, block, &q->exact);
        ok = ok && (!q->exact || cti_mprgp_open_exact(mem, q, block));
    }
    return ok;
}

/* moves z to the face along M^-1 J': one division a row */
static void cti_mprgp_exact(const cti_mprgp_preconditioner *q, double *z)
{
    const cti_sparse *J = &q->set->J, *Y = &q->Y;
    int i, k;
    for (i = 0; i < J->rows; i++) {
        double s = 0;
        if (q->set->face[i] == CTI_FACE_FREE)
            continue;
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            s += J->x[k] * z[J->i[k]];
        s /= q->d[i];
        for (k = Y->p[i]; k < Y->p[i + 1]; k++)
            z[Y->i[k]] -= s * Y->x[k];
    }
}

static void cti_mprgp_blocks_apply(const cti_mprgp_preconditioner *q, const double *phi, double *z)
{
    int b, n = q->A->rows, i, c;
    for (b = 0; b < n / 3; b++) {
        const double *M = q->M + 9 * (size_t)b, *f = phi + 3 * b;
        double *out = z + 3 * b;
        out[0] = M[0] * f[0] + M[1] * f[1] + M[2] * f[2];
        out[1] = M[3] * f[0] + M[4] * f[1] + M[5] * f[2];
        out[2] = M[6] * f[0] + M[7] * f[1] + M[8] * f[2];
    }
    for (i = n / 3 * 3; i < n; i++)
        for (z[i] = 0, c = n / 3 * 3; c < n; c++)
            z[i] += q->M[9 * (size_t)(n / 3) + (size_t)(3 * (i % 3) + c % 3)] * phi[c];
}

CTI_FN void cti_mprgp_preconditioner_apply(cti_mprgp_preconditioner *q, const double *phi, double *z)
{
    int i, n = q->A->rows;
    if (q->kind == CTI_PRECONDITION_BLOCKS) {
        cti_mprgp_blocks_apply(q, phi, z);
    } else {
        cti_vec_copy(n, phi, z);
        if (q->kind == CTI_PRECONDITION_FACE)
            cti_scalar_solve(&q->face.system, z, 0);
        for (i = 0; q->kind == CTI_PRECONDITION_JACOBI && i < n; i++)
            z[i] *= q->M[i];
    }
    if (q->exact)
        cti_mprgp_exact(q, z);
    if (q->kind != CTI_PRECONDITION_NONE)
        cti_mprgp_set_flatten(q->set, z);
}
