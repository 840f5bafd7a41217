/* ccd_util.h -- helpers for the tests of continuous collision: random numbers, features on straight lines, exact touches. Kinds: 0 VF, 1
   EE, 2 VE, 3 VV. */
#ifndef TEST_CCD_UTIL_H
#define TEST_CCD_UTIL_H

#include "../src/4_geom/ccd.h"
#include "../src/4_geom/dist.h"
#include <math.h>

static uint64_t seed = 1;
static inline double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}
/* integer in [-n, n] */
static inline int whole(int n) { return (int)floor((rnd() + 1) * 0.5 * (2 * n + 0.999)) - n; }

static const int points[4] = {4, 4, 3, 2};

/* distance of the features at time t */
static inline double gap_at(int kind, const ct_real *x0, const ct_real *x1, double t)
{
    ct_real x[12], w[3];
    int i, f;
    for (i = 0; i < 3 * points[kind]; i++)
        x[i] = (ct_real)((double)x0[i] + t * ((double)x1[i] - (double)x0[i]));
    switch (kind) {
    case 0:
        return sqrt((double)cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f));
    case 1:
        return sqrt((double)cti_dist_ee(x, x + 3, x + 6, x + 9, w, &f));
    case 2:
        return sqrt((double)cti_dist_pe(x, x + 3, x + 6, w, &f));
    default:
        return sqrt((double)cti_dist_pp(x, x + 3));
    }
}

/* A pair that touches exactly at t = m / 2^6: points at that time on a grid of 1/16, weights multiples of 1/4 (often 0: corners and edges),
   velocities on a grid of 1/4. Small `size` makes flat, parallel, zero-length and coplanar cases frequent. All numbers are exact in float. */
static inline double make_touch(int kind, int size, ct_real *x0, ct_real *x1)
{
    double at[12], v, t = (whole(32) + 32) / 64.0, w[4];
    int i, k, n = points[kind], flat = whole(3) == 0;
    for (i = 0; i < 3 * n; i++)
        at[i] = whole(size);
    w[0] = whole(2) + 2, w[1] = whole(2) + 2;
    w[1] = w[0] + w[1] > 4 ? 4 - w[0] : w[1], w[2] = 4 - w[0] - w[1];
    for (k = 0; k < 3; k++) {
        if (kind == 0)
            at[k] = (w[0] * at[3 + k] + w[1] * at[6 + k] + w[2] * at[9 + k]) / 4;
        else if (kind == 1) /* b0 + 1/2 (b1 - b0) or an end = a point of edge a */
            at[6 + k] =
                w[2] > 1 ? 2 * ((4 - w[0]) * at[k] + w[0] * at[3 + k]) / 4 - at[9 + k] : ((4 - w[0]) * at[k] + w[0] * at[3 + k]) / 4;
        else if (kind == 2)
            at[k] = ((4 - w[0]) * at[3 + k] + w[0] * at[6 + k]) / 4;
        else
            at[k] = at[3 + k];
    }
    for (i = 0; i < 3 * n; i++) {
        v = flat && i % 3 == 2 ? 0 : whole(4 * size) / 4.0;
        x0[i] = (ct_real)(at[i] - t * v), x1[i] = (ct_real)(at[i] + (1 - t) * v);
    }
    return t;
}

#endif
