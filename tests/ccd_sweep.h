/* ccd_sweep.h -- continuous collision detection from coarse to fine.
   Method: a feature that moves linearly in [t0, t1] stays in the box of its positions at both ends. Where the boxes of two features are apart, they
   do not meet then; where they overlap the interval is halved, its earlier half first, and at the finest level the test of ccd.h decides. The motion
   inside of an interval is that of positions rounded at its ends, so boxes and distance are widened by that rounding.
   differs: the trees of pairs.h do the same in space: boxes of bodies, then of groups of features, then of features, over the whole step.
   based on: lecture notes 4.2. */
#include "../src/4_geom/ccd.h"

/* cti_sweep_work -- what queries have cost. */
typedef struct cti_sweep_work {
    int boxes; /* pairs of swept boxes that were compared */
    int fine;  /* intervals that the fine test decided */
} cti_sweep_work;

/* positions at time t */
static void cti_sweep_at(const ct_real *x0, const ct_real *x1, double t, ct_real *out)
{
    int k;
    for (k = 0; k < 12; k++)
        out[k] = t <= 0 ? x0[k] : (t >= 1 ? x1[k] : (ct_real)((double)x0[k] + t * ((double)x1[k] - (double)x0[k])));
}

/* 1 where the boxes of points [0, n_a) and [n_a, 4), over both ends, are farther apart than the distance along an axis */
static int cti_sweep_apart(const ct_real *a, const ct_real *b, int n_a, ct_real distance)
{
    int k, i;
    for (k = 0; k < 3; k++) {
        ct_real lo[2], hi[2];
        for (i = 0; i < 4; i++) {
            int side = i >= n_a;
            ct_real least = cti_min(a[3 * i + k], b[3 * i + k]), most = cti_max(a[3 * i + k], b[3 * i + k]);
            lo[side] = i == 0 || i == n_a ? least : cti_min(lo[side], least);
            hi[side] = i == 0 || i == n_a ? most : cti_max(hi[side], most);
        }
        if (lo[0] - hi[1] > distance || lo[1] - hi[0] > distance)
            return 1;
    }
    return 0;
}

/* cti_sweep_query -- what does not change from interval to interval. */
typedef struct cti_sweep_query {
    int kind, n_a;
    const ct_real *x0, *x1;
    ct_real distance, wide; /* wide: with the rounding of positions */
    cti_sweep_work *work;
} cti_sweep_query;

static int cti_sweep_interval(const cti_sweep_query *q, double t0, double t1, int depth, ct_real *out_toi)
{
    ct_real a[12], b[12], toi;
    cti_sweep_at(q->x0, q->x1, t0, a);
    cti_sweep_at(q->x0, q->x1, t1, b);
    q->work->boxes++;
    if (cti_sweep_apart(a, b, q->n_a, q->wide))
        return 0;
    if (depth > 0) {
        double mid = (t0 + t1) / 2;
        return cti_sweep_interval(q, t0, mid, depth - 1, out_toi) || cti_sweep_interval(q, mid, t1, depth - 1, out_toi);
    }
    q->work->fine++;
    if (!cti_ccd_meet(q->kind, a, b, t0 > 0 || t1 < 1 ? q->wide : q->distance, &toi))
        return 0;
    *out_toi = (ct_real)(t0 + (double)toi * (t1 - t0));
    return 1;
}

/* cti_sweep -- a pair of `kind` (CTI_CCD_VF or CTI_CCD_EE), points x0, x1 [12] at t = 0 and t = 1. The interval is halved `depth` times (0 to 20)
   where the boxes of both features' swept volumes, widened by min_distance, overlap; what is left goes to the test of ccd.h. Returns 1 and
   the first time, or 0 and CTI_CCD_NONE. *work is added to. */
static int cti_sweep(int kind, const ct_real x0[12], const ct_real x1[12], ct_real min_distance, int depth, ct_real *out_toi, cti_sweep_work *work)
{
    cti_sweep_query q;
    ct_real big = 0;
    int k;
    for (k = 0; k < 12; k++)
        big = cti_max(big, cti_max(cti_abs(x0[k]), cti_abs(x1[k])));
    q.kind = kind, q.n_a = kind == CTI_CCD_VF ? 1 : 2, q.x0 = x0, q.x1 = x1, q.distance = min_distance, q.work = work;
    q.wide = min_distance + 8 * CTI_EPS * big;
    *out_toi = CTI_R(CTI_CCD_NONE);
    return cti_sweep_interval(&q, 0, 1, depth, out_toi);
}
