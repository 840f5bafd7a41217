/* lemke.h -- linear complementarity problems by Lemke's complementary pivoting: w = q + M z >= 0, z >= 0, z'w = 0.
   Based on: lecture notes, sec. 4.1.2.1 (the friction LCP by Stewart and Trinkle, its cone with k sides); Cottle, Pang, Stone
   (lexicographic rule). The method takes every matrix and ends after finitely many pivots, in a solution or on a ray. For some matrix
   classes, such as positive semidefinite ones, a ray proves that there is no solution. For others a linear program decides whether z >= 0,
   q + M z >= 0 has feasible points; if not, the proof is in r. */
#pragma once

#include "tableau.h"

CTI_FN cti_outcome cti_solver_lemke(const cti_program *p, cti_effort *e, cti_answer *a);

/* cti_lemke_result -- z, y [n] are the caller's. */
typedef struct cti_lemke_result {
    double *z; /* SOLVED: the solution; else the z of the last basis, or zero */
    double *y; /* INFEASIBLE: a certificate of `judged` */
    const cti_program *judged; /* the problem in whose rows that is; NULL: no proof is searched for */
    int pivots;
    int attempts; /* number of coverings and starts tried, >= 1 */
    const char *why;
} cti_lemke_result;
/* cti_lemke_dense -- a problem without bounds. restarts: number of starts from other complementary bases after a ray, 0: none. `start` [n] or
   NULL: pairs whose z begins basic. */
CTI_FN cti_outcome cti_lemke_dense(const cti_lcp *p, const uint8_t *start, int restarts, cti_effort *e, cti_answer *a, cti_lemke_result *out);

/* cti_lemke_plain -- a QP, or an LCP without bounds, in dense form. The result is in a->r, or the proof that there is none. */
CTI_FN cti_outcome cti_lemke_plain(const cti_program *p, const cti_dual *w, cti_effort *e, cti_answer *a);
/* cti_lemke_boxed -- a problem with bounds as one without, in the distances to the bounds. z [n] */
CTI_FN cti_outcome cti_lemke_boxed(const cti_lcp *p, int restarts, cti_effort *e, cti_answer *a, double *z);
