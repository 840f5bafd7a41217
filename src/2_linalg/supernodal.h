/* supernodal.h -- sparse Cholesky of 3x3-block matrices by supernodes, in float and double: factor, solve, solve with many right sides, and
   compliance (the inverse restricted to some blocks). See symbolic.h for the panels. A factor is read-only after compute: solves may run on
   several threads, each with its own work. */
#ifndef CTI_SUPERNODAL_H
#define CTI_SUPERNODAL_H

#include "symbolic.h"

/* cti_factor32, cti_factor64 -- A = L L' on a cluster. Zero it before first use. sym must outlive it. */
typedef struct cti_factor32 {
    const cti_symbolic *sym;
    float *L;       /* panels */
    float *inverse; /* [pivot[n_super]] 1 / l_kk; pads 1 */
    float *scratch;
    int boosted; /* pivots that were replaced */
    void *block;
    size_t bytes;
} cti_factor32, cti_factor32_t;
typedef struct cti_factor64 {
    const cti_symbolic *sym;
    double *L;
    double *inverse;
    double *scratch;
    int boosted;
    void *block;
    size_t bytes;
} cti_factor64, cti_factor64_t;

/* cti_factor*_compute -- factor of the cluster's matrix; val is A's val. A pivot that is not above eps a_kk is replaced by |a_kk| (by 1
   where that is no use) and counted in f->boosted, so the factor is always of a positive definite matrix. Allocates only when it grows.
   Returns 0 when memory ran out. */
CTI_FN int cti_factor32_compute(cti_mem *mem, cti_factor32 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
CTI_FN int cti_factor64_compute(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
/* cti_factor*_reserve -- memory for it alone; cti_factor*_refill -- what is left to do then, with no allocation: components on several threads. */
CTI_FN int cti_factor32_reserve(cti_mem *mem, cti_factor32 *f, const cti_symbolic *sym);
CTI_FN int cti_factor64_reserve(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym);
CTI_FN void cti_factor32_refill(cti_factor32 *f, const cti_gather *g, const ct_real *val);
CTI_FN void cti_factor64_refill(cti_factor64 *f, const cti_gather *g, const ct_real *val);
/* cti_factor64_compute_double -- the same with entries in double in every build. */
CTI_FN int cti_factor64_compute_double(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const double *val);
CTI_FN void cti_factor32_free(cti_mem *mem, cti_factor32 *f);
CTI_FN void cti_factor64_free(cti_mem *mem, cti_factor64 *f);

/* what cti_factor32_solve takes for 0 before it divides by a pivot. Entries of the factor are at least 3.5e-15 of their pivot, so products with what
   is kept are above 1.9e-34 of the pivots' ratio, 1.6e4 times the least normal float. Half and double change nothing: 5e-20 of the largest entry is
   far below a float's rounding */
#define CTI_FACTOR32_LEAST 5.42101086e-20f /* 2^-64 */

/* cti_factor*_solve -- x = A^-1 x; x [3 n] in the cluster's local order; work [cti_factor*_work(f)]. In float the largest entry of x should be of the
   order of 1 (cti_factor32_scale): entries below CTI_FACTOR32_LEAST are 0. */
CTI_FN void cti_factor32_solve(const cti_factor32 *f, float *x, float *work);
CTI_FN void cti_factor64_solve(const cti_factor64 *f, double *x, double *work);
/* cti_factor32_scale -- a power of 2 by which a number of size `most` becomes 1 to 2; 1 where it is 0 or not finite. */
CTI_FN double cti_factor32_scale(double most);
CTI_FN size_t cti_factor32_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_work(const cti_factor64 *f);

/* cti_factor*_solve_many -- X = A^-1 X; X [3 n][ld], ld = nrhs rounded up to 8, a row per unknown; all ld columns are solved for.
   work [cti_factor*_many_work(f)] */
CTI_FN void cti_factor32_solve_many(const cti_factor32 *f, float *X, int nrhs, float *work);
CTI_FN void cti_factor64_solve_many(const cti_factor64 *f, double *X, int nrhs, double *work);
CTI_FN size_t cti_factor32_many_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_many_work(const cti_factor64 *f);

/* cti_factor*_compliance -- C = S' A^-1 S for the blocks `ports`: C(3 a + i, 3 b + j) = A^-1(3 ports[a] + i, 3 ports[b] + j).
   ports  in   [n_ports] local numbers, all different; it is fastest when they are in elimination order (by cti_symbolic.inv)
   C      out  [3 n_ports][ld], full and exactly symmetric; ld >= 3 n_ports, a multiple of 8; the pads get anything
   work   [cti_factor*_compliance_work(f, n_ports)]
   Method: Y = L^-1 S, each column from its own supernode up; C = Y' Y. */
CTI_FN void cti_factor32_compliance(const cti_factor32 *f, const int32_t *ports, int n_ports, float *C, int ld, float *work);
CTI_FN void cti_factor64_compliance(const cti_factor64 *f, const int32_t *ports, int n_ports, double *C, int ld, double *work);
CTI_FN size_t cti_factor32_compliance_work(const cti_factor32 *f, int n_ports);
CTI_FN size_t cti_factor64_compliance_work(const cti_factor64 *f, int n_ports);

#endif /* CTI_SUPERNODAL_H */
