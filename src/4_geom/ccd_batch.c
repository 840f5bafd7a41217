/* ccd_batch.c -- many queries at once. */
#include "ccd.h"

static int cti_ccd_batch(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    int i, j, k, hits = 0;
    for (i = 0; i < n; i++) {
        ct_real a[12], b[12];
        for (j = 0; j < 4; j++)
            for (k = 0; k < 3; k++)
                a[3 * j + k] = x0[3 * quads[4 * i + j] + k], b[3 * j + k] = x1[3 * quads[4 * i + j] + k];
        hits += kind == CTI_CCD_VF ? cti_ccd_vf(a, b, min_distance ? min_distance[i] : 0, &toi[i])
                                   : cti_ccd_ee(a, b, min_distance ? min_distance[i] : 0, &toi[i]);
    }
    return hits;
}
CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_ccd_batch(CTI_CCD_VF, x0, x1, quads, n, min_distance, toi);
}
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_ccd_batch(CTI_CCD_EE, x0, x1, quads, n, min_distance, toi);
}
