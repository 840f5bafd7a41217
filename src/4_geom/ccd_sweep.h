/* ccd_sweep.h -- continuous collision detection from coarse to fine: boxes of swept features over shorter and shorter intervals of time. */
#ifndef CTI_CCD_SWEEP_H
#define CTI_CCD_SWEEP_H

#include "ccd.h"

/* cti_sweep_work -- what queries have cost. */
typedef struct cti_sweep_work {
    int boxes; /* pairs of swept boxes that were compared */
    int fine;  /* intervals that the fine test decided */
} cti_sweep_work;

/* cti_sweep -- a pair of `kind` (CTI_CCD_VF or CTI_CCD_EE), points x0, x1 [12] at t = 0 and t = 1. The interval is halved `depth` times (0 to 20)
   where the boxes of both features' swept volumes, widened by min_distance, overlap; what is left goes to the test of ccd.h. Returns 1 and
   the first time, or 0 and CTI_CCD_NONE. *work is added to. */
CTI_FN int cti_sweep(int kind, const ct_real x0[12], const ct_real x1[12], ct_real min_distance, int depth, ct_real *out_toi, cti_sweep_work *work);

#endif /* CTI_CCD_SWEEP_H */
