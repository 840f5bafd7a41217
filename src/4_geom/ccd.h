/* ccd.h -- continuous collision detection: the first time at which two features that move on straight lines touch, or come as near as a
   minimum distance. All arithmetic is double in both builds (float input is exact in double; the answer is rounded down to ct_real). */
#ifndef CTI_CCD_H
#define CTI_CCD_H

#include "../0_base/fpenv.h"
#include "../1_math/vec.h"

#define CTI_CCD_NONE 2.0   /* time of impact of a pair that stays apart */
#define CTI_CCD_NEVER -1.0 /* the same, seen from the end */

/* Single queries: x0, x1 points at t = 0 and t = 1 (VF vertex, face 0 1 2; EE edge a 0 1, edge b 0 1; VE vertex, edge 0 1; VV).
   min_distance >= 0 [m], 0: touch. Returns 1 and the time in [0, 1], never late, or 0 and CTI_CCD_NONE. Input that is not finite, or a
   negative distance, counts as contact at 0. */
CTI_FN int cti_ccd_vf(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_ee(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_ve(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_vv(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_toi);

/* Batches: points x0, x1 [3 points], quads [4 n] point numbers, min_distance [n] or NULL (0), toi [n]. Return the number of contacts.
   A batch may free a pair that a single query, within rounding, calls a contact: it looks at more planes first. */
CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);

/* ---- between the ccd_*.c files ---- */
CTI_FN ct_real cti_ccd_round(double t); /* down to ct_real */
#define CTI_CCD_VF 0
#define CTI_CCD_EE 1
#define CTI_CCD_VE 2
#define CTI_CCD_VV 3

/* One query relative to one of its points, scaled by a power of two so that the largest coordinate lies in [1, 2).
   h   hull of all differences of the two features: VF a-p b-p c-p, VE, VV alike; EE a0-b0 a1-b0 a1-b1 a0-b1 (a cycle)
   c   VF c-p, EE b1-b0: third vector of the coplanarity cubic det(h[0], h[1], c)
   big largest |coordinate| by axis, over h and c at both ends
   x   the caller's points; a difference above is fl(x pre - x' pre) post[0] post[1], factors powers of two */
typedef struct cti_ccd_query {
    int kind, n_hull;
    double h[2][4][3], c[2][3], big[3], distance, pre, post[2];
    const double *x[2];
} cti_ccd_query;

/* cti_ccd_prepare -- 1: go on; 0: contact at 0 for certain or no finite input */
CTI_FN int cti_ccd_prepare(cti_ccd_query *q, int kind, const double *x0, const double *x1, double distance);
/* cti_ccd_direction -- at time t a direction (unit length) along which the hull is far from the origin; returns the certified lower bound
   of the distance along it (may be negative) */
CTI_FN double cti_ccd_direction(const cti_ccd_query *q, double t, double n[3]);
/* cti_ccd_plane, cti_ccd_clear -- 1 when for certain the features stay apart by more than the distance in [t0, t1]: a fixed plane lies in
   the gap; a fixed plane, or one that turns with the features */
CTI_FN int cti_ccd_plane(const cti_ccd_query *q, double t0, double t1);
CTI_FN int cti_ccd_clear(const cti_ccd_query *q, double t0, double t1);
/* Searches: time or CTI_CCD_NONE. touch: VF and EE at distance 0, advance: all kinds, any distance,
   in [t, stop]. */
CTI_FN double cti_ccd_touch(const cti_ccd_query *q);
CTI_FN double cti_ccd_advance(const cti_ccd_query *q, double t, double stop);
CTI_FN double cti_ccd_solve(int kind, const double *x0, const double *x1, double distance);


/* cti_ccd_check -- of the arguments of public functions; `out` is what they may not do without. */
CTI_FN ct_code cti_ccd_check(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, const ct_real *out);
/* cti_ccd_backward -- public functions ct_ccd_*_backward without their checks; input as the single queries. Returns 1 when there is a contact. */
CTI_FN int cti_ccd_backward(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_last, ct_real *out_before);
/* cti_ccd_before -- a time, exact in ct_real, at which the features are apart for certain, before the contact that ends at `last` began;
   CTI_CCD_NEVER when none was found */
CTI_FN double cti_ccd_before(const cti_ccd_query *q, double last);

#endif /* CTI_CCD_H */
