/* ccd.c -- entry points of continuous collision detection: one query, and the public functions.
   Method: the coordinates are widened to double (exact) and the query is prepared. A fixed plane in the gap over the whole motion is tried
   first. If none is found, a search decides: inclusion for VF and EE at distance 0, advancement otherwise. Times are rounded down to
   ct_real.
   based on: see ccd_touch.c and ccd_advance.c. */
#include "../1_math/lanes.h"
#include "ccd.h"

/* cti_ccd_axis -- 1 when the whole hull is on one side of the origin along an axis, farther than the distance. A computed difference has
   the exact sign and an error of one rounding */
static int cti_ccd_axis(const cti_ccd_query *q)
{
    double edge = q->distance > 0 ? q->distance * (1 + 1e-15) + 1e-290 : 0, low, high, x;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = high = q->h[0][0][k];
        for (e = 0; e < 2; e++) {
            for (i = 1 - e; i < q->n_hull; i++) {
                x = q->h[e][i][k];
                low = x < low ? x : low, high = x > high ? x : high;
            }
        }
        if (low > edge || high < -edge)
            return 1;
    }
    return 0;
}

CTI_FN double cti_ccd_solve(int kind, const double *x0, const double *x1, double distance)
{
    cti_ccd_query q;
    if (!cti_ccd_prepare(&q, kind, x0, x1, distance))
        return 0;
    if (cti_ccd_axis(&q))
        return CTI_CCD_NONE;
    if (q.distance > 0 || (kind != CTI_CCD_VF && kind != CTI_CCD_EE))
        return cti_ccd_advance(&q, 0, 1);
    return cti_ccd_plane(&q, 0, 1) ? CTI_CCD_NONE : cti_ccd_touch(&q);
}

CTI_FN ct_real cti_ccd_round(double t)
{
    ct_real r = (ct_real)t;
#if CONTACT_REAL == 32
    if ((double)r > t)
        r = r * (1 - CTI_EPS * CTI_R(0.5)); /* the next smaller float, or the one below that */
#endif
    return r;
}

CTI_FN int cti_ccd_widen(int kind, const ct_real *x0, const ct_real *x1, double *a, double *b)
{
    int i, ok = 1, n = kind == CTI_CCD_VV ? 6 : (kind == CTI_CCD_VE ? 9 : 12);
    for (i = 0; i < n; i++) {
        a[i] = (double)x0[i], b[i] = (double)x1[i];
        ok &= cti_finite(x0[i]) && cti_finite(x1[i]);
    }
    return ok;
}

CTI_FN int cti_ccd_meet(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_toi)
{
    double a[12], b[12], t = cti_ccd_widen(kind, x0, x1, a, b) ? cti_ccd_solve(kind, a, b, (double)min_distance) : 0;
    *out_toi = cti_ccd_round(t);
    return t <= 1;
}

CTI_FN ct_code cti_ccd_check(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, const ct_real *out)
{
    double a[12], b[12];
    if (!x0 || !x1 || !out)
        return CT_ERR_ARGUMENT;
    return cti_ccd_widen(kind, x0, x1, a, b) && cti_finite(min_distance) && min_distance >= 0 ? CT_OK : CT_ERR_DOMAIN;
}

static ct_code cti_ccd_public(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_toi)
{
    uint64_t mode = cti_fpenv_enter();
    ct_code code = cti_ccd_check(kind, x0, x1, min_distance, out_toi);
    if (code == CT_OK)
        cti_ccd_meet(kind, x0, x1, min_distance, out_toi);
    cti_fpenv_leave(mode);
    return code;
}

#define CTI_CCD_PUBLIC(features, kind, n)                                                                                                  \
    CONTACT_API_DEF ct_code ct_ccd_##features(const ct_real x0[n], const ct_real x1[n], ct_real min_distance, ct_real *out_toi)            \
    {                                                                                                                                      \
        return cti_ccd_public(kind, x0, x1, min_distance, out_toi);                                                                        \
    }
CTI_CCD_PUBLIC(vertex_face, CTI_CCD_VF, 12)
CTI_CCD_PUBLIC(edge_edge, CTI_CCD_EE, 12)
CTI_CCD_PUBLIC(vertex_edge, CTI_CCD_VE, 9)
CTI_CCD_PUBLIC(vertex_vertex, CTI_CCD_VV, 6)
#undef CTI_CCD_PUBLIC

/* cti_ccd_all_finite -- 1 when all n numbers are finite: x times 0 is 0 for a finite x, else NaN, and the sum keeps a NaN */
static int cti_ccd_all_finite(const ct_real *x, size_t n)
{
    cti_r8 zero = cti_set8(0), a = zero, b = zero;
    ct_real sum[8], rest = 0;
    size_t i;
    for (i = 0; i + 16 <= n; i += 16)
        a = cti_mad8(a, cti_load8(x + i), zero), b = cti_mad8(b, cti_load8(x + i + 8), zero);
    for (; i < n; i++)
        rest += x[i] * 0;
    cti_store8(sum, cti_add8(a, b));
    for (i = 0; i < 8; i++)
        rest += sum[i];
    return rest == 0;
}

/* cti_ccd_check_batch -- checks all queries before the first is answered. Where there are not many more points than queries, all points up
   to the highest one in use are tested in one pass. If that pass fails, or there are many more points, only the points in use are tested,
   one by one. */
static ct_code cti_ccd_check_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n)
{
    int32_t top = 0, any = 0;
    size_t i, count;
    int k;
    for (i = 0; i < 4 * (size_t)n; i++)
        top = quads[i] > top ? quads[i] : top, any |= quads[i];
    if (any < 0)
        return CT_ERR_ARGUMENT;
    count = 3 * ((size_t)top + 1);
    if (n == 0 || (count / 32 < (size_t)n && cti_ccd_all_finite(x0, count) && cti_ccd_all_finite(x1, count)))
        return CT_OK;
    for (i = 0; i < 4 * (size_t)n; i++)
        for (k = 0; k < 3; k++)
            if (!cti_finite(x0[3 * (size_t)quads[i] + (size_t)k]) || !cti_finite(x1[3 * (size_t)quads[i] + (size_t)k]))
                return CT_ERR_DOMAIN;
    return CT_OK;
}

static ct_code cti_ccd_public_batch(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                    ct_real *out_toi)
{
    ct_real same[256];
    uint64_t mode;
    ct_code code;
    int i, m;
    if (n < 0 || (n > 0 && (!x0 || !x1 || !quads || !out_toi)))
        return CT_ERR_ARGUMENT;
    if (!cti_finite(min_distance) || min_distance < 0)
        return CT_ERR_DOMAIN;
    code = cti_ccd_check_batch(x0, x1, quads, n);
    if (code != CT_OK)
        return code;
    for (i = 0; i < 256; i++)
        same[i] = min_distance;
    mode = cti_fpenv_enter();
    for (i = 0; i < n; i += 256) {
        const int32_t *some = quads + 4 * (size_t)i;
        m = n - i < 256 ? n - i : 256;
        if (kind == CTI_CCD_VF)
            cti_ccd_vf_batch(x0, x1, some, m, min_distance > 0 ? same : NULL, out_toi + i);
        else
            cti_ccd_ee_batch(x0, x1, some, m, min_distance > 0 ? same : NULL, out_toi + i);
    }
    cti_fpenv_leave(mode);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_ccd_vertex_face_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                                 ct_real *out_toi)
{
    return cti_ccd_public_batch(CTI_CCD_VF, x0, x1, quads, n, min_distance, out_toi);
}
CONTACT_API_DEF ct_code ct_ccd_edge_edge_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                               ct_real *out_toi)
{
    return cti_ccd_public_batch(CTI_CCD_EE, x0, x1, quads, n, min_distance, out_toi);
}
