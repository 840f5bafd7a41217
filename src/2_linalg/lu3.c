/* lu3.c -- LU by 3x3 blocks.
   Method: right-looking, with a triangular solve by the diagonal block's own factors. Its inverse would lose what is not along its smallest pivot,
   where that is 1e-9 of the largest, as with rows that repeat each other. Based on: Golub and Van Loan, Matrix Computations, 3.2 (block LU);
   Demmel, Higham, Schreiber 1995 (its stability). */
#include "lu3.h"
#include "../0_base/sort.h"
#include "../1_math/d3.h"

CTI_FN int cti_lu3_open(cti_mem *mem, cti_lu3 *s, int n, const int32_t *first, const int32_t *column)
{
    return cti_panel_lu_open(mem, &s->order, n, first, column) && CTI_RESIZE(mem, s->val, 9 * (n + 2 * s->order.ptr[n])) &&
           CTI_RESIZE(mem, s->pivot, 3 * n);
}

CTI_FN void cti_lu3_clear(cti_lu3 *s) { memset(s->val, 0, sizeof *s->val * (size_t)CTI_LEN(s->val)); }

/* block (a, b) by places in the order; it is in the pattern */
static double *cti_lu3_at(cti_lu3 *s, int a, int b)
{
    const cti_panel_lu *q = &s->order;
    int low = cti_min_int(a, b), e;
    if (a == b)
        return s->val + 9 * (size_t)a;
    e = cti_sort_find(q->rows, 1, q->ptr[low], q->ptr[low + 1], cti_max_int(a, b));
    return s->val + 9 * (size_t)(q->n + 2 * e + (a < b));
}

CTI_FN double *cti_lu3_block(cti_lu3 *s, int i, int j) { return cti_lu3_at(s, s->order.inv[i], s->order.inv[j]); }

/* P D = L U in place with partial pivoting: 1 on L's diagonal, the inverses on U's; 0: singular or not finite */
static int cti_lu3_divide(double *D, int32_t *pivot)
{
    int i, j, k, p;
    for (k = 0; k < 3; k++) {
        for (p = k, i = k + 1; i < 3; i++)
            p = fabs(D[3 * i + k]) > fabs(D[3 * p + k]) ? i : p;
        pivot[k] = p;
        for (j = 0; j < 3; j++) {
            double t = D[3 * k + j];
            D[3 * k + j] = D[3 * p + j], D[3 * p + j] = t;
        }
        D[4 * k] = 1 / D[4 * k];
        if (!cti_finite64(D[4 * k]) || D[4 * k] == 0)
            return 0;
        for (i = k + 1; i < 3; i++) {
            D[3 * i + k] *= D[4 * k];
            for (j = k + 1; j < 3; j++)
                D[3 * i + j] -= D[3 * i + k] * D[3 * k + j];
        }
    }
    return 1;
}

/* x [3], `by` numbers apart: x <- L^-1 P x */
static void cti_lu3_forward(const double *D, const int32_t *pivot, double *x, int by)
{
    int k;
    for (k = 0; k < 3; k++) {
        double t = x[by * k];
        x[by * k] = x[by * pivot[k]], x[by * pivot[k]] = t;
    }
    x[by] -= D[3] * x[0];
    x[2 * by] -= D[6] * x[0] + D[7] * x[by];
}

CTI_FN int cti_lu3_factor(cti_lu3 *s)
{
    const cti_panel_lu *q = &s->order;
    int k, e, g, i;
    for (k = 0; k < q->n; k++) {
        double *D = s->val + 9 * (size_t)k;
        if (!cti_lu3_divide(D, s->pivot + 3 * (size_t)k))
            return 0;
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
            double *below = s->val + 9 * (size_t)(q->n + 2 * e), *right = below + 9;
            for (i = 0; i < 3; i++) {
                double *x = below + 3 * i; /* a row times U^-1 */
                cti_lu3_forward(D, s->pivot + 3 * (size_t)k, right + i, 3);
                x[0] *= D[0];
                x[1] = (x[1] - x[0] * D[1]) * D[4];
                x[2] = (x[2] - x[0] * D[2] - x[1] * D[5]) * D[8];
            }
        }
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++)
            for (g = q->ptr[k]; g < q->ptr[k + 1]; g++) {
                double P[9], *to = cti_lu3_at(s, q->rows[e], q->rows[g]);
                cti_d3_product(s->val + 9 * (size_t)(q->n + 2 * e), s->val + 9 * (size_t)(q->n + 2 * g + 1), 0, P);
                cti_vec_add(9, -1, P, to);
            }
    }
    return 1;
}

CTI_FN void cti_lu3_solve(const cti_lu3 *s, const double *b, double *x)
{
    const cti_panel_lu *q = &s->order;
    double y[3];
    int k, e;
    memcpy(x, b, sizeof *x * 3 * (size_t)q->n);
    for (k = 0; k < q->n; k++) {
        double *own = x + 3 * (size_t)q->perm[k];
        cti_lu3_forward(s->val + 9 * (size_t)k, s->pivot + 3 * (size_t)k, own, 1);
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
            cti_d3_mul(s->val + 9 * (size_t)(q->n + 2 * e), own, y);
            cti_d3_add(x + 3 * (size_t)q->perm[q->rows[e]], y, -1);
        }
    }
    for (k = q->n - 1; k >= 0; k--) {
        double *own = x + 3 * (size_t)q->perm[k];
        const double *D = s->val + 9 * (size_t)k;
        for (e = q->ptr[k]; e < q->ptr[k + 1]; e++) {
            cti_d3_mul(s->val + 9 * (size_t)(q->n + 2 * e + 1), x + 3 * (size_t)q->perm[q->rows[e]], y);
            cti_d3_add(own, y, -1);
        }
        own[2] *= D[8];
        own[1] = (own[1] - D[5] * own[2]) * D[4];
        own[0] = (own[0] - D[1] * own[1] - D[2] * own[2]) * D[0];
    }
}
