/* lemke.h -- linear complementarity problems by Lemke's complementary pivoting: w = q + M z >= 0, z >= 0, z'w = 0.
   Based on: lecture notes, sec. 4.1.2.1 (the friction LCP by Stewart and Trinkle, its cone with k sides); Cottle, Pang, Stone
   (lexicographic rule). It takes every matrix and ends after finitely many pivots, in a solution or on a ray. A ray proves that there is no
   solution only for matrices like positive semidefinite ones; else a linear program decides whether z >= 0, q + M z >= 0 has points at all,
   and the proof is in r. */
#ifndef CTI_LEMKE_H
#define CTI_LEMKE_H

#include "tableau.h"

CTI_FN cti_outcome cti_solver_lemke(const cti_program *p, cti_effort *e, cti_answer *a);

/* cti_lemke_result -- z, y [n] are the caller's. */
typedef struct cti_lemke_result {
    double *z; /* SOLVED: the solution; else what the last basis says, or zero */
    double *y; /* INFEASIBLE: y >= 0, M'y <= 0, q'y < 0 (free, and = 0, where `equation`); may be NULL: no proof is looked for */
    int pivots;
    int attempts; /* coverings and starts that were tried, >= 1 */
    const char *why;
} cti_lemke_result;
/* cti_lemke_dense -- M [n][n], q [n] are left as they are; equation [n] or NULL: marked pairs are w = 0, z free. restarts: starts from
   other complementary bases after a ray, 0: none. `start` [n] or NULL: pairs whose z begins basic. */
CTI_FN cti_outcome cti_lemke_dense(const double *M, const double *q, int n, const uint8_t *equation, const uint8_t *start, int restarts,
                                   cti_effort *e, cti_answer *a, cti_lemke_result *out);

/* cti_lemke_plain -- a QP, or an LCP without bounds, in its dense form: r in a->r, or the proof that there is none. */
CTI_FN cti_outcome cti_lemke_plain(const cti_program *p, const cti_delassus *w, cti_effort *e, cti_answer *a);
/* cti_lemke_boxed -- lo <= z <= hi, infinities allowed, as an LCP of the distances to the bounds. z [m] */
CTI_FN cti_outcome cti_lemke_boxed(const double *M, const double *q, const double *lo, const double *hi, int m, int restarts, cti_effort *e,
                                   cti_answer *a, double *z);

#endif /* CTI_LEMKE_H */
