/* augmented.h -- the contact problem by semismooth Newton steps on its augmented Lagrangian, for problems whose matrix A + J'HJ is in reach
   of a factor. */
#pragma once

#include "iterate.h"
#include "../2_linalg/order.h"

/* cti_envelope_make -- a cti_linear by a direct factor. Method: Cholesky inside the envelope of a Cuthill-McKee order, in double. Chains,
   stacks and trees of rigid bodies have a narrow envelope. All memory comes from the arena. out->flops needs J->p alone. 0 when that ran out. */
CTI_FN int cti_envelope_make(const cti_jacobian *J, cti_arena *arena, cti_linear *out);

/* cti_merged_make -- a cti_linear by a sparse direct factor. Where a factor takes more than `most` multiplications, out->flops is all that is made:
   that needs J->p alone, the rest all of J. at: where the blocks are, or NULL. All memory comes from the arena. 0 when that ran out. */
CTI_FN int cti_merged_make(const cti_jacobian *J, double most, const cti_order_places *at, cti_arena *arena, cti_linear *out);

/* cti_augmented_price -- estimated time of a solve [us] whose factors take `flops` each. */
CTI_FN double cti_augmented_price(double flops);
/* cti_augmented_visits -- number of visits of contacts whose time equals that of one factor with L. */
CTI_FN double cti_augmented_visits(const cti_linear *L);

/* cti_augmented_solve -- v [3 n] and rows[].r: in the start; out the iterate of the smallest judged natural map, the start included.
   p->local must be there. info->res is its residual before r is rounded to ct_real, info->iterations += factors. 0 when memory ran out. */
CTI_FN int cti_augmented_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                               cti_solve_info *info);
