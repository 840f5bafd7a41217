/* ccd_batch.c -- many continuous queries at once: cheap tests on lanes certify most pairs as apart; each pair that is left gets a
   search.
   Method: passes 1 and 2 look for a plane between the origin and the convex hull of all end points of the difference hull, which contains
   the moving hull. Pass 1 tries the axes and the normal at half time, pass 2 directions from Gilbert's iteration on the nearest point. Pass
   3, for touch queries only: the signs of the Bernstein coefficients of the coplanarity cubic and of the inside quartics (ccd_touch.c, same
   bounds). The float build runs all passes in float lanes first, and then in double lanes where float lanes were out of range; the search
   is double in both builds. Lanes outside the range of the bounds (CTI_BSMALL .. CTI_BBIG), or not finite, are never freed here.

   Error bounds, for both lane types, u the unit roundoff of the lanes (2^-53, 2^-24). Input is exact in either type that the build uses.
     difference            h (1 + d), |d| <= u: the sign is exact; |h_k| <= B_k (q->big, of rounded differences: the u^2 goes into the constants)
     axis                  h_k > distance is certain when the computed h_k > fl(distance (1 + 4u)): (1 + 4u)(1 - u) / (1 + u) > 1
     n.h, for any n        u sum |n_k| B_k (difference) + 3u sum |n_k| B_k (3 products, 2 sums: gamma_3)     = 4u, doubled in CTI_BATCH_DOT,
                           which covers the 5u of relative rounding in that sum itself
     |n|                   sqrt of a sum of squares 1.5u + u (root), its product with the distance and the sums around it 3u: below 1 + 16u.
                           A square that underflows takes less than sqrt(3 smallest normal) from |n|: CTI_BNORM
   A plane n frees a lane when min n.h > distance (|n| (1 + 16u) + CTI_BNORM) + bound + CTI_BTINY.
     cubic, quartics       64u P, 224u Q, 456u Q, derived in ccd_touch.c for any u: they count roundings and drop terms of order u^2, which the
                           rounding up of the constants (62, 210, 444) covers by 3 % at least, in float as well, where u 500 < 3e-5
   Underflow. A product that underflows, flushed to zero or not, is off by less than the smallest normal number m = 2^-1022, 2^-126. In double
   |h| < 1e60 keeps what follows from it far below CTI_BTINY = 1e-290. In float |h| < B = 2^12: a cross product is off by 2m, a coefficient of
   the cubic by less than 40 m B < 2^-108, one of a quartic by less than 500 m B^2 < 2^-93 < CTI_BTINY = 1.01e-28; the largest value, 72 B^4,
   is below 2^55. With |h| > 2^-20 the bound 224u Q of a compact query is at least 1.2e-29, so that CTI_BTINY takes little away.
   based on: Gilbert 1966 (iteration); Wang et al. 2021 and Brochu et al. 2012 as in ccd_touch.c. */
#include "../1_math/simd_turn.h"
#include "ccd.h"

#define CTI_BATCH_DOT 8
#define CTI_BATCH_EF 64
#define CTI_BATCH_EG 224
#define CTI_BATCH_EH 456
#define CTI_BATCH_CHUNK 256
#define CTI_BATCH_GILBERT 4

/* cti_batch_d_points -- x, y, z of point `corner` of the queries list[0..CTI_DW - 1] in r[1..3] */
CTI_INLINE void cti_batch_d_points(const ct_real *x, const int32_t *quads, const int *list, int corner, cti_dw r[4])
{
    double buf[3][CTI_DW];
    int i, k;
    for (i = 0; i < CTI_DW; i++) {
        const ct_real *p = x + 3 * (size_t)quads[4 * (size_t)list[i] + (size_t)corner];
        buf[0][i] = p[0], buf[1][i] = p[1], buf[2][i] = p[2];
    }
    for (k = 0; k < 3; k++)
        r[k + 1] = cti_dw_load(buf[k]);
}
#define CTI_V cti_dw
#define CTI_VN(name) cti_dw_##name
#define CTI_BN(name) cti_batch_d_##name
#define CTI_BS(x) (x)
#define CTI_BT double
#define CTI_BW CTI_DW
#define CTI_BALL ((1 << CTI_DW) - 1)
#define CTI_BU 1.1102230246251565e-16
#define CTI_BTINY 1e-290
#define CTI_BNORM 3e-154
#define CTI_BSMALL 1e-60
#define CTI_BBIG 1e60
#include "ccd_batch.inl"

#if CONTACT_REAL == 32
/* the same of eight queries */
CTI_INLINE void cti_batch_f_points(const ct_real *x, const int32_t *quads, const int *list, int corner, cti_f8 r[4])
{
    int32_t at[8];
    int i;
    for (i = 0; i < 8; i++)
        at[i] = quads[4 * (size_t)list[i] + (size_t)corner];
    cti_gather3(x, at, 1, r + 1);
}
#define CTI_V cti_f8
#define CTI_VN(name) cti_f8_##name
#define CTI_BN(name) cti_batch_f_##name
#define CTI_BS(x) ((float)(x))
#define CTI_BT float
#define CTI_BW 8
#define CTI_BALL 255
#define CTI_BU 5.9604644775390625e-8
#define CTI_BTINY 1.01e-28
#define CTI_BNORM 2e-19
#define CTI_BSMALL 9.5367431640625e-7 /* 2^-20 */
#define CTI_BBIG 4096.0
#include "ccd_batch.inl"
#endif

static int cti_batch_run(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance,
                         ct_real *toi)
{
    const ct_real *x[2];
    int list[CTI_BATCH_CHUNK], first, i, j, k, count, hits = 0, narrow;
    x[0] = x0, x[1] = x1;
    for (first = 0; first < n; first += CTI_BATCH_CHUNK) {
        count = n - first < CTI_BATCH_CHUNK ? n - first : CTI_BATCH_CHUNK;
        for (i = 0; i < count; i++)
            list[i] = first + i, toi[first + i] = CTI_R(CTI_CCD_NONE);
        narrow = CONTACT_REAL == 64; /* 1: some lanes are out of range of their type's bounds */
#if CONTACT_REAL == 32
        count = cti_batch_f_passes(kind, x, quads, list, count, min_distance, &narrow);
#endif
        /* where all lanes were in float's range, double lanes would free no more: the remaining pairs meet, or nearly */
        if (narrow)
            count = cti_batch_d_passes(kind, x, quads, list, count, min_distance, &narrow);
        /* the search for each remaining query */
        for (i = 0; i < count; i++) {
            const int32_t *quad = quads + 4 * (size_t)list[i];
            ct_real a[12], b[12], d = min_distance ? min_distance[list[i]] : 0;
            for (j = 0; j < 4; j++)
                for (k = 0; k < 3; k++)
                    a[3 * j + k] = x0[3 * (size_t)quad[j] + (size_t)k], b[3 * j + k] = x1[3 * (size_t)quad[j] + (size_t)k];
            hits += cti_ccd_meet(kind, a, b, d, &toi[list[i]]);
        }
    }
    return hits;
}

CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_VF, x0, x1, quads, n, min_distance, toi);
}
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_EE, x0, x1, quads, n, min_distance, toi);
}
