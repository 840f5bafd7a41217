/* supernodal.h -- sparse Cholesky of 3x3-block matrices by supernodes, in float and double: factor, solve, solve with many right sides, and
   compliance (the inverse restricted to some blocks). symbolic.h describes the panels. A factor is read-only once computed: several threads
   may solve with it, each with its own work array. */
#pragma once

#include "../0_base/archive.h"
#include "symbolic.h"

/* cti_factor32, cti_factor64 -- A = L L' on a cluster. Zero it before first use. sym must outlive it. */
typedef struct cti_factor32 {
    const cti_symbolic *sym;
    float *L;       /* panels */
    float *inverse; /* [pivot[n_super]] 1 / l_kk; pads 1 */
    float *scratch;
    int boosted; /* number of replaced pivots */
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

/* cti_factor16 -- a float factor in 16-bit integers, for preconditioners. Rows are scaled by 1 / sqrt(a_ii), so that each has norm 1, and
   columns so that their largest entry is 32766. An entry is wrong by 1.5e-5 of its column's largest. Memory bounds the speed of large
   solves: a factor of 36 MB in float takes 5.8 ms, this one 2.5 ms. Zero it before first use. */
typedef struct cti_factor16 {
    const cti_symbolic *sym;
    int16_t *L;          /* panels */
    float *inverse;      /* [pivot[n_super]] 1 / l_kk; rounding does not touch the diagonal */
    float *gain;         /* [pivot[n_super]] what columns were multiplied with */
    float *row;          /* [pivot[n_super] + 1] what rows were multiplied with */
    int32_t *where;      /* [max_rows] of one panel, for packing: the places of its rows, */
    float *scale, *most; /* [max_rows], [8 max_cols] their scales, and the largest entries of its columns */
} cti_factor16, cti_factor16_t;

/* cti_factor*_compute -- factors the cluster's matrix; val is A's val. A pivot that is not above eps a_kk is replaced by |a_kk| (or by 1 if
   that is zero or not finite) and counted in f->boosted. So the factor is always that of a positive definite matrix. Allocates only when it
   grows. Returns 0 when memory ran out. */
CTI_FN int cti_factor32_compute(cti_mem *mem, cti_factor32 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
CTI_FN int cti_factor64_compute(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
/* cti_factor*_reserve -- the allocation of cti_factor*_compute alone; cti_factor*_refill -- its other part, which allocates nothing, so
   that threads may factor several components at once. */
CTI_FN int cti_factor32_reserve(cti_mem *mem, cti_factor32 *f, const cti_symbolic *sym);
CTI_FN int cti_factor64_reserve(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym);
CTI_FN void cti_factor32_refill(cti_factor32 *f, const cti_gather *g, const ct_real *val);
CTI_FN void cti_factor64_refill(cti_factor64 *f, const cti_gather *g, const ct_real *val);
/* cti_factor64_compute_double -- the same for entries that are double in every build. */
CTI_FN int cti_factor64_compute_double(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const double *val);
/* cti_factor*_archive -- a factor that was computed, in an archive; sym: its analysis. */
CTI_FN void cti_factor32_archive(cti_archive *a, cti_factor32 *f, const cti_symbolic *sym);
CTI_FN void cti_factor64_archive(cti_archive *a, cti_factor64 *f, const cti_symbolic *sym);
CTI_FN void cti_factor32_free(cti_mem *mem, cti_factor32 *f);
CTI_FN void cti_factor64_free(cti_mem *mem, cti_factor64 *f);

/* [largest entry of x] entries of x below this are set to 0 in cti_factor32_solve before they are divided by a pivot. Entries of the factor
   are at least 3.5e-15 of their pivot. Products with the entries kept are therefore above 1.9e-34 times the pivots' ratio, which is 1.6e4
   times the smallest normal float. Half and double change nothing: 5e-20 of the largest entry is far below a float's rounding */
#define CTI_FACTOR32_LEAST 5.42101086e-20f /* 2^-64 */

/* cti_factor*_solve -- x = A^-1 x; x [3 n] in the cluster's local order; work [cti_factor*_work(f)]. In float, x should be scaled so that
   its largest entry is about 1 (cti_factor32_scale), since entries below CTI_FACTOR32_LEAST are set to 0. */
CTI_FN void cti_factor32_solve(const cti_factor32 *f, float *x, float *work);
CTI_FN void cti_factor64_solve(const cti_factor64 *f, double *x, double *work);
/* cti_factor16_pack -- packs a factor, whose symbolic must outlive both. 0 when memory ran out.
   cti_factor16_archive -- one that was packed, in an archive. cti_factor16_solve -- as cti_factor32_solve. */
CTI_FN int cti_factor16_pack(cti_mem *mem, cti_factor16 *to, const cti_factor32 *from);
CTI_FN void cti_factor16_archive(cti_archive *a, cti_factor16 *f, const cti_symbolic *sym);
CTI_FN void cti_factor16_solve(const cti_factor16 *f, float *x, float *work);
CTI_FN size_t cti_factor16_work(const cti_factor16 *f);
/* cti_factor32_scale -- the power of 2 that scales a number of size `most` into [1, 2); 1 if `most` is 0 or not finite. */
CTI_FN double cti_factor32_scale(double most);
CTI_FN size_t cti_factor32_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_work(const cti_factor64 *f);

/* cti_factor*_solve_many -- X = A^-1 X; X [3 n][ld], ld = nrhs rounded up to 8, one row per unknown; all ld columns are solved. work
   [cti_factor*_many_work(f)] */
CTI_FN void cti_factor32_solve_many(const cti_factor32 *f, float *X, int nrhs, float *work);
CTI_FN void cti_factor64_solve_many(const cti_factor64 *f, double *X, int nrhs, double *work);
CTI_FN size_t cti_factor32_many_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_many_work(const cti_factor64 *f);

/* cti_factor*_compliance -- C = S' A^-1 S for the blocks `ports`: C(3 a + i, 3 b + j) = A^-1(3 ports[a] + i, 3 ports[b] + j).
   ports  in   [n_ports] local numbers, all different; fastest if they are in elimination order (by cti_symbolic.inv)
   C      out  [3 n_ports][ld], full and exactly symmetric; ld >= 3 n_ports, a multiple of 8; the padding is unspecified
   work   [cti_factor*_compliance_work(f, n_ports)]
   Method: Y = L^-1 S, where each column is solved from its own supernode upwards; C = Y' Y. */
CTI_FN void cti_factor32_compliance(const cti_factor32 *f, const int32_t *ports, int n_ports, float *C, int ld, float *work);
CTI_FN void cti_factor64_compliance(const cti_factor64 *f, const int32_t *ports, int n_ports, double *C, int ld, double *work);
CTI_FN size_t cti_factor32_compliance_work(const cti_factor32 *f, int n_ports);
CTI_FN size_t cti_factor64_compliance_work(const cti_factor64 *f, int n_ports);
