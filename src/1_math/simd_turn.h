/* simd_turn.h -- rows of four numbers to lanes and back: the part of simd.h that gathers and scatters records of four, of nodes for example.
   cti_d8_load44     lanes 0-3 from p, lanes 4-7 from q (cti_f8_load44 is in simd.h)
   cti_*8_store44    lanes 0-3 to p, lanes 4-7 to q
   cti_d8_turn44     transposes the 4x4 matrices in lanes 0-3 and in lanes 4-7 of four vectors (cti_f8_turn44 is in simd.h)
   cti_gather44      out [4]: entry k of eight rows; row l begins at rows + 4 at[l stride]. cti_scatter44 is its inverse: row l begins at rows + 4 l
   cti_gather3       out [3]: coordinates of eight points; point l is number at[l stride] of x, which is not empty
   These move numbers only: all paths give the same bits. */
#pragma once

#include "simd.h"

#define CTI_STORE44(V, T)                                                                                                                  \
    CTI_INLINE void V##_store44(T *p, T *q, V x)                                                                                           \
    {                                                                                                                                      \
        T t[8];                                                                                                                            \
        V##_store(t, x);                                                                                                                   \
        memcpy(p, t, 4 * sizeof *t), memcpy(q, t + 4, 4 * sizeof *t);                                                                      \
    }

#if CTI_SIMD == CTI_SIMD_AVX512
CTI_INLINE cti_d8 cti_d8_load44(const double *p, const double *q)
{
    cti_d8 r;
    r.a = _mm512_maskz_insertf64x4(CTI_W_ALL, _mm512_castpd256_pd512(_mm256_loadu_pd(p)), _mm256_loadu_pd(q), 1);
    return r;
}
CTI_INLINE void cti_d8_store44(double *p, double *q, cti_d8 x)
{
    _mm256_storeu_pd(p, _mm512_castpd512_pd256(x.a)), _mm256_storeu_pd(q, _mm512_maskz_extractf64x4_pd((__mmask8)0xf, x.a, 1));
}
CTI_INLINE void cti_d8_turn44(cti_d8 r[4])
{
    const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    __m512d a = _mm512_maskz_unpacklo_pd(CTI_W_ALL, r[0].a, r[1].a), b = _mm512_maskz_unpackhi_pd(CTI_W_ALL, r[0].a, r[1].a);
    __m512d c = _mm512_maskz_unpacklo_pd(CTI_W_ALL, r[2].a, r[3].a), d = _mm512_maskz_unpackhi_pd(CTI_W_ALL, r[2].a, r[3].a);
    r[0].a = _mm512_permutex2var_pd(a, low, c), r[1].a = _mm512_permutex2var_pd(b, low, d);
    r[2].a = _mm512_permutex2var_pd(a, high, c), r[3].a = _mm512_permutex2var_pd(b, high, d);
}
#elif CTI_SIMD == CTI_SIMD_AVX2
CTI_INLINE cti_d8 cti_d8_load44(const double *p, const double *q)
{
    cti_d8 r;
    r.a = _mm256_loadu_pd(p), r.b = _mm256_loadu_pd(q);
    return r;
}
CTI_INLINE void cti_d8_store44(double *p, double *q, cti_d8 x) { _mm256_storeu_pd(p, x.a), _mm256_storeu_pd(q, x.b); }
CTI_INLINE void cti_w_turn4(__m256d *r0, __m256d *r1, __m256d *r2, __m256d *r3)
{
    __m256d a = _mm256_unpacklo_pd(*r0, *r1), b = _mm256_unpackhi_pd(*r0, *r1), c = _mm256_unpacklo_pd(*r2, *r3), d = _mm256_unpackhi_pd(*r2, *r3);
    *r0 = _mm256_permute2f128_pd(a, c, 0x20), *r1 = _mm256_permute2f128_pd(b, d, 0x20);
    *r2 = _mm256_permute2f128_pd(a, c, 0x31), *r3 = _mm256_permute2f128_pd(b, d, 0x31);
}
CTI_INLINE void cti_d8_turn44(cti_d8 r[4])
{
    cti_w_turn4(&r[0].a, &r[1].a, &r[2].a, &r[3].a);
    cti_w_turn4(&r[0].b, &r[1].b, &r[2].b, &r[3].b);
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE cti_d8 cti_d8_load44(const double *p, const double *q)
{
    cti_d8 r;
    r.a = _mm_loadu_pd(p), r.b = _mm_loadu_pd(p + 2), r.c = _mm_loadu_pd(q), r.d = _mm_loadu_pd(q + 2);
    return r;
}
CTI_STORE44(cti_d8, double)
#define CTI_TURN2(k, part, x, y)                                                                                                           \
    r[k].a = _mm_unpack##part##_pd(t0.x, t1.x), r[k].b = _mm_unpack##part##_pd(t2.x, t3.x);                                                \
    r[k].c = _mm_unpack##part##_pd(t0.y, t1.y), r[k].d = _mm_unpack##part##_pd(t2.y, t3.y)
CTI_INLINE void cti_d8_turn44(cti_d8 r[4])
{
    cti_d8 t0 = r[0], t1 = r[1], t2 = r[2], t3 = r[3];
    CTI_TURN2(0, lo, a, c);
    CTI_TURN2(1, hi, a, c);
    CTI_TURN2(2, lo, b, d);
    CTI_TURN2(3, hi, b, d);
}
#undef CTI_TURN2
#else
CTI_INLINE cti_d8 cti_d8_load44(const double *p, const double *q)
{
    double t[8];
    memcpy(t, p, 4 * sizeof *t), memcpy(t + 4, q, 4 * sizeof *t);
    return cti_d8_load(t);
}
CTI_STORE44(cti_d8, double)
CTI_TURN44(cti_d8, double)
#endif
CTI_STORE44(cti_f8, float)

/* unrolled, so that the rows stay in registers at -O2 */
CTI_LANES_FN void cti_gather44(const ct_real *rows, const int32_t *at, int stride, cti_r8 out[4])
{
    out[0] = CTI_R8(load44)(rows + 4 * (ptrdiff_t)at[0], rows + 4 * (ptrdiff_t)at[4 * stride]);
    out[1] = CTI_R8(load44)(rows + 4 * (ptrdiff_t)at[stride], rows + 4 * (ptrdiff_t)at[5 * stride]);
    out[2] = CTI_R8(load44)(rows + 4 * (ptrdiff_t)at[2 * stride], rows + 4 * (ptrdiff_t)at[6 * stride]);
    out[3] = CTI_R8(load44)(rows + 4 * (ptrdiff_t)at[3 * stride], rows + 4 * (ptrdiff_t)at[7 * stride]);
    CTI_R8(turn44)(out);
}
CTI_LANES_FN void cti_scatter44(ct_real *rows, const cti_r8 in[4])
{
    cti_r8 t[4];
    t[0] = in[0], t[1] = in[1], t[2] = in[2], t[3] = in[3];
    CTI_R8(turn44)(t);
    CTI_R8(store44)(rows, rows + 16, t[0]);
    CTI_R8(store44)(rows + 4, rows + 20, t[1]);
    CTI_R8(store44)(rows + 8, rows + 24, t[2]);
    CTI_R8(store44)(rows + 12, rows + 28, t[3]);
}

/* loads four numbers from the one before the point on: one past the last point is not to be read. The first point has none before it */
CTI_INLINE const ct_real *cti_before(const ct_real *x, const ct_real *first, int32_t i) { return i ? x + 3 * (ptrdiff_t)i - 1 : first; }
CTI_LANES_FN void cti_gather3(const ct_real *x, const int32_t *at, int stride, cti_r8 out[3])
{
    const ct_real first[4] = {0, x[0], x[1], x[2]};
    cti_r8 t[4];
    t[0] = CTI_R8(load44)(cti_before(x, first, at[0]), cti_before(x, first, at[4 * stride]));
    t[1] = CTI_R8(load44)(cti_before(x, first, at[stride]), cti_before(x, first, at[5 * stride]));
    t[2] = CTI_R8(load44)(cti_before(x, first, at[2 * stride]), cti_before(x, first, at[6 * stride]));
    t[3] = CTI_R8(load44)(cti_before(x, first, at[3 * stride]), cti_before(x, first, at[7 * stride]));
    CTI_R8(turn44)(t);
    out[0] = t[1], out[1] = t[2], out[2] = t[3];
}
