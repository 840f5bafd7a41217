/* augmented.h -- the contact problem by semismooth Newton steps on its augmented Lagrangian, for problems whose matrix A + J'HJ is in reach
   of a factor. */
#pragma once

#include "problem.h"
#include "../1_math/d3.h"

/* cti_jacobian -- J in double: the maps of the rows' terms, those of row i from first[i] on. */
typedef struct cti_jacobian {
    const cti_problem *p;
    int32_t *first; /* [n_rows + 1] */
    double *G, *Gt; /* [9 first[n_rows]] block velocity to contact frame, row-major; its transpose behind the projector of a constrained block */
} cti_jacobian;

/* cti_linear -- who solves (A + J'HJ) x = f. H changes between solves, A and J do not.
   factor  H [9 n_rows]: symmetric, positive semidefinite, one 3x3 block a row. 0 when memory ran out
   solve   x [3 n]: in f, out x, with the last H; rough 1: with one near it is enough. 0 when memory ran out
   flops   estimated multiplications of one factor with its solve */
typedef struct cti_linear {
    int (*factor)(void *ctx, const double *H);
    int (*solve)(void *ctx, double *x, int rough);
    void *ctx;
    double flops;
} cti_linear;

/* cti_jacobian_make -- 0 when memory ran out. */
CTI_FN int cti_jacobian_make(const cti_problem *p, cti_arena *arena, cti_jacobian *out);

/* cti_jacobian_stiffness -- S G_k' H G_l of all pairs (k, l) of a row's terms, S the projectors of constrained blocks; out [9 n n], k first. Returns
   n n; 0 where H is 0, as of an open row. */
CTI_FN int cti_jacobian_stiffness(const cti_jacobian *J, int row, const double *H, double *out);

/* cti_envelope_make -- a cti_linear by a direct factor. Method: Cholesky inside the envelope of a Cuthill-McKee order, in double. Chains,
   stacks and trees of rigid bodies have a narrow envelope. All memory comes from the arena. out->flops needs J->p alone. 0 when that ran out. */
CTI_FN int cti_envelope_make(const cti_jacobian *J, cti_arena *arena, cti_linear *out);

/* cti_merged_make -- a cti_linear by a sparse direct factor that is kept while few rows of H change. A solve that is not rough leaves at most a share
   (policy augmented.refine) of f. Where a factor takes more than `most` multiplications, out->flops is all that is made: that needs J->p alone, the
   rest all of J and J->p->local. All memory comes from the arena. 0 when that ran out. */
CTI_FN int cti_merged_make(const cti_jacobian *J, double most, cti_arena *arena, cti_linear *out);

/* cti_augmented_price -- estimated time of a solve [us] whose factors take `flops` each. */
CTI_FN double cti_augmented_price(double flops);
/* cti_augmented_visits -- number of visits of contacts whose time equals that of one factor with L. */
CTI_FN double cti_augmented_visits(const cti_linear *L);

/* cti_augmented_solve -- v [3 n] and rows[].r: in the start; out the iterate of the smallest judged natural map, the start included.
   p->local must be there. info->res is its residual before r is rounded to ct_real, info->iterations counts factors. 0 when memory ran out. */
CTI_FN int cti_augmented_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                               cti_solve_info *info);
