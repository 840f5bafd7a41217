/* ccd_backward.c -- continuous collision detection seen from the end of the motion: the last contact, and a time just before it began.
   Method: the last time of contact is 1 minus the first time of the reversed motion. From there the search goes back in time. While contact
   is certain, it takes the nearest points of the two features and keeps their weights. The distance between these two points is convex in
   time and an upper bound of the features' distance. Contact is therefore certain from the first time at which this bound equals the
   minimum distance; the search goes to that time and repeats. (This is the advancement of ccd_advance.c with upper bounds in place of lower
   ones.) Where contact is possible but not certain, the search goes back by steps that double, until a plane in the gap proves the features
   apart. It then bisects the last interval. A time is returned only with such a proof. Rounding: as in ccd_advance.c, n.h is off by 12u
   sum_k B_k at most; weights whose sum is within 4u of 1 add less than that: CTI_BACK_MARGIN.
   based on: see ccd_advance.c; looking back in time: Otaduy's lecture notes, contact generation. */
#include "ccd.h"
#include "dist.h"

#define CTI_BACK_PASSES 256
#define CTI_BACK_STRIDES 128 /* passes with advancement; after these only the doubling steps go on */
#define CTI_BACK_STRIDE 1e-12 /* [share of the motion] shortest stride */
#define CTI_BACK_STEP 1.1641532182693481e-10     /* 2^-33: first step, twice the uncertainty of a last time (CTI_TOUCH_WIDTHSURE) ... */
#define CTI_BACK_STEPTHIN 9.5367431640625e-07    /* 2^-20: ... for a vertex that touches an edge or a vertex, where advancement is slow */
#define CTI_BACK_BAND 2e-9 /* [share of the distance] the forward search may report contact up to this much beyond the distance */
#define CTI_BACK_MARGIN (64 * 1.1102230246251565e-16)

/* cti_back_weights -- weights of the hull's point nearest to the origin at time t: >= 0, sum 1 */
static void cti_back_weights(const cti_ccd_query *q, double t, double w[4])
{
    ct_real h[4][3], c[3], zero[3] = {0, 0, 0}, r[3] = {1, 0, 0};
    double sum = 0;
    int i, k, feature;
    for (k = 0; k < 3; k++) {
        for (i = 0; i < q->n_hull; i++)
            h[i][k] = (ct_real)(q->h[0][i][k] + t * (q->h[1][i][k] - q->h[0][i][k]));
        c[k] = (ct_real)(q->c[0][k] + t * (q->c[1][k] - q->c[0][k]));
    }
    if (q->kind == CTI_CCD_VF)
        cti_dist_pt(zero, h[0], h[1], h[2], r, &feature);
    else if (q->kind == CTI_CCD_EE)
        cti_dist_ee(h[0], h[1], zero, c, r, &feature);
    else if (q->kind == CTI_CCD_VE)
        cti_dist_pe(zero, h[0], h[1], r, &feature);
    w[0] = (double)r[0], w[1] = (double)r[1], w[2] = (double)r[2], w[3] = 0;
    if (q->kind == CTI_CCD_EE) {
        double s = (double)r[0], u = (double)r[1];
        w[0] = (1 - s) * (1 - u), w[1] = s * (1 - u), w[2] = s * u, w[3] = (1 - s) * u;
    } else if (q->kind == CTI_CCD_VE)
        w[0] = 1 - (double)r[0], w[1] = (double)r[0];
    for (i = 0; i < q->n_hull; i++)
        w[i] = w[i] > 0 ? w[i] : 0, sum += w[i];
    for (i = 0; i < q->n_hull; i++)
        w[i] /= sum;
}

/* cti_back_touching -- the earliest time from which contact is certain up to t; t where it is not certain */
static double cti_back_touching(const cti_ccd_query *q, double t)
{
    double w[4], a[3], v[3], uu = 0, uv = 0, vv = 0, end = 0, within, back, s;
    int i, k;
    within = q->distance - CTI_BACK_MARGIN * (q->big[0] + q->big[1] + q->big[2]);
    if (!(within > 0))
        return t;
    cti_back_weights(q, t, w);
    for (k = 0; k < 3; k++) {
        a[k] = v[k] = 0;
        for (i = 0; i < q->n_hull; i++)
            a[k] += w[i] * q->h[0][i][k], v[k] += w[i] * (q->h[1][i][k] - q->h[0][i][k]);
        s = a[k] + t * v[k];
        uu += s * s, uv += s * v[k], vv += v[k] * v[k];
    }
    if (!(uu <= within * within))
        return t;
    /* |u - back / vv v| = within */
    back = uv + sqrt(uv * uv + vv * (within * within - uu));
    s = back < vv * t ? t - back / vv * (1 - 1e-12) : 0;
    for (k = 0; k < 3; k++)
        end += (a[k] + s * v[k]) * (a[k] + s * v[k]);
    return s < t && end <= within * within ? s : t;
}

/* cti_back_apart -- returns 1 when the features are certainly farther apart at time t than the distance, by more than the tolerance of the
   forward search */
static int cti_back_apart(const cti_ccd_query *q, double t)
{
    double n[3];
    return cti_ccd_direction(q, t, n) > q->distance * (1 + CTI_BACK_BAND);
}

/* cti_back_step -- first step back from a last time */
static double cti_back_step(const cti_ccd_query *q)
{
    return q->distance > 0 || q->kind < CTI_CCD_VE ? CTI_BACK_STEP : CTI_BACK_STEPTHIN;
}

/* cti_back_is_before -- 1 when the features are apart at time t and a contact in [t, last] is certain (sure) or possible */
static int cti_back_is_before(const cti_ccd_query *q, double t, double last, int sure)
{
    return cti_back_apart(q, t) && (sure || cti_ccd_advance(q, t, last) <= 1);
}

/* cti_back_sharpen -- bisects for the latest time that is apart and before the contact; low is such a time, high is not known to be one */
static double cti_back_sharpen(const cti_ccd_query *q, double low, double high, double last, int sure)
{
    while (high - low > cti_back_step(q)) {
        double mid = (double)cti_ccd_round(low + 0.5 * (high - low));
        if (!(mid > low))
            break;
        if (cti_back_is_before(q, mid, last, sure))
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* a time, exact in ct_real, at which the features are certainly apart, before the start of the contact that ends at `last`; CTI_CCD_NEVER: none */
static double cti_ccd_before(const cti_ccd_query *q, double last)
{
    double t = last, step = cti_back_step(q), back, low;
    int pass, sure = 0;
    for (pass = 0; pass < CTI_BACK_PASSES && t > 0; pass++) {
        back = pass < CTI_BACK_STRIDES ? cti_back_touching(q, t) : t;
        if (t - back > CTI_BACK_STRIDE) {
            t = back, step = cti_back_step(q), sure = 1;
            continue;
        }
        low = t > step ? (double)cti_ccd_round(t - step) : 0;
        if (cti_back_is_before(q, low, last, sure))
            return cti_back_sharpen(q, low, t, last, sure);
        t = low, step *= 2;
    }
    return cti_back_apart(q, 0) ? 0 : CTI_CCD_NEVER;
}

/* cti_back_last -- 1 - toi, rounded up to ct_real */
static ct_real cti_back_last(double toi)
{
    double t = 1 - toi;
    ct_real r;
    if (1 - t > toi)
        t += 1.1102230246251565e-16;
    r = (ct_real)t;
#if CONTACT_REAL == 32
    if ((double)r < t)
        r = r * (1 + CTI_EPS); /* the next larger float, or the one above that */
#endif
    return r < 1 ? r : 1;
}

/* the public functions without their checks; input as for single queries. Returns 1 when there is a contact */
static int cti_ccd_backward(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_last, ct_real *out_before)
{
    cti_ccd_query q;
    double a[12], b[12], toi;
    int ok = cti_ccd_widen(kind, x0, x1, a, b);
    toi = ok ? cti_ccd_solve(kind, b, a, (double)min_distance) : 0;
    *out_last = toi <= 1 ? cti_back_last(toi) : (ct_real)CTI_CCD_NEVER;
    if (!out_before)
        return toi <= 1;
    if (toi > 1)
        *out_before = 1;
    else if (!ok || !cti_ccd_prepare(&q, kind, a, b, (double)min_distance))
        *out_before = (ct_real)CTI_CCD_NEVER;
    else
        *out_before = (ct_real)cti_ccd_before(&q, 1 - toi);
    return toi <= 1;
}

static ct_code cti_back_public(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_last, ct_real *out_before)
{
    uint64_t mode = cti_fpenv_enter();
    ct_code code = cti_ccd_check(kind, x0, x1, min_distance, out_last);
    if (code == CT_OK)
        cti_ccd_backward(kind, x0, x1, min_distance, out_last, out_before);
    cti_fpenv_leave(mode);
    return code;
}

#define CTI_BACK_PUBLIC(features, kind, n)                                                                                                 \
    CONTACT_API_DEF ct_code ct_ccd_##features##_backward(const ct_real x0[n], const ct_real x1[n], ct_real min_distance, ct_real *out_last,\
                                                         ct_real *out_before)                                                              \
    {                                                                                                                                      \
        return cti_back_public(kind, x0, x1, min_distance, out_last, out_before);                                                          \
    }
CTI_BACK_PUBLIC(vertex_face, CTI_CCD_VF, 12)
CTI_BACK_PUBLIC(edge_edge, CTI_CCD_EE, 12)
CTI_BACK_PUBLIC(vertex_edge, CTI_CCD_VE, 9)
CTI_BACK_PUBLIC(vertex_vertex, CTI_CCD_VV, 6)
#undef CTI_BACK_PUBLIC
