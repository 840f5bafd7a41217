/* ccd.h -- continuous collision detection: the first time at which two features that move on straight lines touch, or come within a minimum
   distance. All arithmetic is double in both builds: float input is exact in double, and the answer is rounded down to ct_real. */
#pragma once

#include "../0_base/fpenv.h"
#include "../1_math/vec.h"

#define CTI_CCD_NONE 2.0   /* time of impact of a pair that stays apart */
#define CTI_CCD_NEVER -1.0 /* of the search backwards: no time without contact was found */

/* kinds of pairs: of ct_pair_kind */
#define CTI_CCD_VF CT_PAIR_VF
#define CTI_CCD_EE CT_PAIR_EE
#define CTI_CCD_VE CT_PAIR_VE
#define CTI_CCD_VV CT_PAIR_VV

/* Single query: x0, x1 points at t = 0 and t = 1 (VF vertex, face 0 1 2; EE edge a 0 1, edge b 0 1; VE vertex, edge 0 1; VV).
   min_distance >= 0 [m], 0: touch. Returns 1 and the time in [0, 1], never late, or 0 and CTI_CCD_NONE. Input that is not finite, or a
   negative distance, counts as contact at 0. */
CTI_FN int cti_ccd_meet(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_toi);

/* Batches: points x0, x1 [3 points], quads [4 n] point numbers, min_distance [n] or NULL (0), toi [n]. They return the number of contacts.
   A pair at the minimum distance, up to rounding, may be a contact for a single query and free for a batch, which tries more planes. */
CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);

/* ---- between the ccd_*.c files ---- */
CTI_FN ct_real cti_ccd_round(double t); /* rounds down to ct_real */
/* 1 if all coordinates of a kind are finite; as doubles in a and b */
CTI_FN int cti_ccd_widen(int kind, const ct_real *x0, const ct_real *x1, double *a, double *b);

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

/* cti_ccd_prepare -- returns 1 if the search must decide, 0 if there is contact at time 0 for certain or the input is not finite */
CTI_FN int cti_ccd_prepare(cti_ccd_query *q, int kind, const double *x0, const double *x1, double distance);
/* cti_ccd_direction -- at time t a direction (unit length) along which the hull is far from the origin; returns the certified lower bound
   of the distance along it (may be negative) */
CTI_FN double cti_ccd_direction(const cti_ccd_query *q, double t, double n[3]);
/* cti_ccd_plane, cti_ccd_clear -- return 1 when the features certainly stay farther apart than the distance during [t0, t1]. The
   certificate is a fixed plane in the gap; for cti_ccd_clear it may also be a plane that turns with the features */
CTI_FN int cti_ccd_plane(const cti_ccd_query *q, double t0, double t1);
CTI_FN int cti_ccd_clear(const cti_ccd_query *q, double t0, double t1);
/* Searches: return a time or CTI_CCD_NONE. touch: VF and EE at distance 0; advance: all kinds, any distance, in [t, stop]. */
CTI_FN double cti_ccd_touch(const cti_ccd_query *q);
CTI_FN double cti_ccd_advance(const cti_ccd_query *q, double t, double stop);
CTI_FN double cti_ccd_solve(int kind, const double *x0, const double *x1, double distance);


/* cti_ccd_check -- checks the arguments of a public function; `out` is its output pointer, which may not be NULL. */
CTI_FN ct_code cti_ccd_check(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, const ct_real *out);
