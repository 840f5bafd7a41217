/* bordered.h -- a solver of A + J'HJ for few rows on large bodies. */
#pragma once

#include "../3_solve/iterate.h"

/* cti_bordered_make -- a cti_linear by the exact factors of the bodies, J->p->bodies, which cover all of A. All memory comes from the arena. 0 when
   that ran out. */
CTI_FN int cti_bordered_make(const cti_jacobian *J, cti_arena *arena, cti_linear *out);
/* cti_bordered_flops -- estimated multiplications of `factors` factors with their solves and of W, where a factor of A has `nonzeros` numbers. */
CTI_FN double cti_bordered_flops(int rows, double nonzeros, double factors);
