/* ica_kernel.h -- inner loops of ICA: the residual of one block, and the columns of D^-1 J' from the rows of D^-1, in float. */
#pragma once

#include "../1_math/simd.h"
#include "../2_linalg/bsr.h"

/* r_i = f_i - sum_k A_ik v_k of one block */
CTI_INLINE cti_v3 cti_ica_block_residual(const cti_bsr *A, const ct_real *f, const ct_real *v, int i)
{
    cti_v3 r = cti_v3_at(f, i);
    int k;
    for (k = A->row[i]; k < A->row[i + 1]; k++)
        r = cti_v3_sub(r, cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(v, A->col[k])));
    return r;
}

/* y += three consecutive rows of ld numbers at x, times d */
CTI_INLINE void cti_ica_combine(int ld, const float *x, const float *d, float *y)
{
    cti_f8 d0 = cti_f8_set(d[0]), d1 = cti_f8_set(d[1]), d2 = cti_f8_set(d[2]);
    const float *x1 = x + ld, *x2 = x1 + ld;
    int i;
    if (ld == 4) { /* a node: half of the lanes */
        cti_f8 a = cti_f8_mul(cti_f8_load44(x, x), d0), b = cti_f8_mul(cti_f8_load44(x1, x1), d1), e = cti_f8_mul(cti_f8_load44(x2, x2), d2);
        cti_f8_store4(y, cti_f8_add(cti_f8_load44(y, y), cti_f8_add(cti_f8_add(a, b), e)));
        return;
    }
    for (i = 0; i < ld; i += 8) {
        cti_f8 a = cti_f8_mul(cti_f8_load(x + i), d0), b = cti_f8_mul(cti_f8_load(x1 + i), d1), e = cti_f8_mul(cti_f8_load(x2 + i), d2);
        cti_f8_store(y + i, cti_f8_add(cti_f8_load(y + i), cti_f8_add(cti_f8_add(a, b), e)));
    }
}

/* the three columns of W += three consecutive rows of C at x, times the rows of g [9]: every row of C is read once */
CTI_INLINE void cti_ica_columns(int ld, const float *x, const float *g, float *W)
{
    cti_f8 g0 = cti_f8_set(g[0]), g1 = cti_f8_set(g[1]), g2 = cti_f8_set(g[2]), g3 = cti_f8_set(g[3]), g4 = cti_f8_set(g[4]);
    cti_f8 g5 = cti_f8_set(g[5]), g6 = cti_f8_set(g[6]), g7 = cti_f8_set(g[7]), g8 = cti_f8_set(g[8]);
    float *y0 = W, *y1 = W + ld, *y2 = y1 + ld;
    int i, a;
    if (ld == 4) { /* a node */
        for (a = 0; a < 3; a++) {
            float d[3];
            d[0] = g[a], d[1] = g[3 + a], d[2] = g[6 + a];
            cti_ica_combine(ld, x, d, W + 4 * a);
        }
        return;
    }
    for (i = 0; i < ld; i += 8) {
        cti_f8 a0 = cti_f8_load(x + i), a1 = cti_f8_load(x + ld + i), a2 = cti_f8_load(x + 2 * ld + i);
        cti_f8_store(y0 + i, cti_f8_add(cti_f8_load(y0 + i), cti_f8_mad(cti_f8_mad(cti_f8_mul(a0, g0), a1, g3), a2, g6)));
        cti_f8_store(y1 + i, cti_f8_add(cti_f8_load(y1 + i), cti_f8_mad(cti_f8_mad(cti_f8_mul(a0, g1), a1, g4), a2, g7)));
        cti_f8_store(y2 + i, cti_f8_add(cti_f8_load(y2 + i), cti_f8_mad(cti_f8_mad(cti_f8_mul(a0, g2), a1, g5), a2, g8)));
    }
}
