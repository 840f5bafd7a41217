/* krylov.h -- preconditioned conjugate gradients on 3x3-block matrices, the block-Jacobi preconditioner, and dot products whose order of
   summation is the same on every SIMD path. */
#pragma once

#include "bsr.h"

/* cti_krylov_dot -- x'y over n numbers: lane i of eight sums the terms i, i + 8, ...; the lanes are then summed in simd.h's fixed order. */
CTI_FN ct_real cti_krylov_dot(int n, const ct_real *x, const ct_real *y);

/* cti_operator_fn -- y = A x, both [n]; of a symmetric matrix but for cti_residuals_run. */
typedef void cti_operator_fn(void *ctx, const ct_real *x, ct_real *y);

/* cti_operator -- a symmetric matrix by its product: of blocks (cti_bsr_operator), or A x + J' (D (J x)), which no one has to form. */
typedef struct cti_operator {
    int n; /* unknowns */
    cti_operator_fn *apply;
    void *ctx;
} cti_operator;
CTI_FN cti_operator cti_bsr_operator(const cti_bsr *A);

/* cti_pcg -- A x = b by preconditioned conjugate gradients.
   A         positive definite
   M         applies M^-1, M positive definite; NULL: M = 1
   x         in: start, out: solution, [n]
   tol       absolute: stops when sqrt(r' M^-1 r) <= tol, with r = b - A x from the recurrence. With M close to A this is the energy norm
             of the error. tol 0 runs until max_it or until r' M^-1 r is exactly 0
   work      [4 n]
   returns 1 when it converged, 0 when max_it was reached or p' A p is not positive (x is then the last iterate). out_iterations (may be
   NULL): products with A after the first residual. No allocation. */
CTI_FN int cti_pcg(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real tol, int max_it, ct_real *work,
                   int *out_iterations);

/* cti_pcg_end -- how a run ended: CONVERGED; LIMIT: max_it; INDEFINITE: p' A p or r' M^-1 r is not positive. */
typedef enum cti_pcg_end { CTI_PCG_CONVERGED, CTI_PCG_LIMIT, CTI_PCG_INDEFINITE } cti_pcg_end;
/* cti_pcg_rule -- when a run ends: at sqrt(r' M^-1 r) <= tol, or where is_done, if it is not NULL, returns 1 for the residuals r and z = M^-1 r.
   share > 0: that share of the first sqrt(r' M^-1 r) takes the place of tol. */
typedef struct cti_pcg_rule {
    ct_real tol, share;
    int (*is_done)(void *ctx, const ct_real *r, const ct_real *z);
    void *ctx;
} cti_pcg_rule;
/* cti_pcg_by -- as cti_pcg, by a rule. */
CTI_FN cti_pcg_end cti_pcg_by(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, const cti_pcg_rule *rule, int max_it,
                              ct_real *work, int *out_iterations);
/* cti_pcg_run -- as cti_pcg, from x = 0, until r' M^-1 r and what an iteration gains are at most share^2 of what all have gained. A gain is twice
   the amount by which 1/2 x'A x - b'x falls. */
CTI_FN cti_pcg_end cti_pcg_run(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real share, int max_it, ct_real *work,
                               int *out_iterations);

/* cti_residuals_run -- A x = b, A need not be symmetric, by conjugate residuals with M^-1 from the left, from x on (Eisenstat, Elman, Schultz 1983),
   until |M^-1 (b - A x)| <= left |x|, at most `most` iterations. work [(2 most + 2) n]. Returns the number of iterations. */
CTI_FN int cti_residuals_run(const cti_operator *A, const cti_operator *M, const ct_real *b, ct_real *x, ct_real left, int most, ct_real *work);

/* cti_jacobi -- inverses of the diagonal blocks. Zero it before first use; release inv. */
typedef struct cti_jacobi {
    int n;
    ct_real *inv; /* [9 n] */
} cti_jacobi;
/* cti_jacobi_make -- inverts the diagonal blocks. A block without a finite inverse is replaced by its diagonal, and if that fails by 1. 0
   when memory ran out. */
CTI_FN int cti_jacobi_make(cti_mem *mem, cti_jacobi *out, const cti_bsr *A);
/* cti_jacobi_apply -- z = M^-1 r, a cti_operator_fn; ctx is a cti_jacobi. cti_jacobi_operator -- the same as an operator. */
CTI_FN void cti_jacobi_apply(void *ctx, const ct_real *r, ct_real *z);
CTI_FN cti_operator cti_jacobi_operator(cti_jacobi *jacobi);
