/* dist_batch.c -- distances of many pairs at once. */
#include "dist.h"

CTI_FN void cti_dist_pt_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w3, int32_t *feature)
{
    int i, f;
    for (i = 0; i < n; i++, quads += 4) {
        d2[i] = cti_dist_pt(x + 3 * quads[0], x + 3 * quads[1], x + 3 * quads[2], x + 3 * quads[3], w3 + 3 * i, &f);
        feature[i] = f;
    }
}
CTI_FN void cti_dist_ee_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *st, int32_t *feature)
{
    int i, f;
    for (i = 0; i < n; i++, quads += 4) {
        d2[i] = cti_dist_ee(x + 3 * quads[0], x + 3 * quads[1], x + 3 * quads[2], x + 3 * quads[3], st + 2 * i, &f);
        feature[i] = f;
    }
}
