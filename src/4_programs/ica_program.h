/* ica_program.h -- ICA for problems that stand alone. */
#pragma once

#include "program.h"

/* cti_solver_ica -- QP and GLOBAL, with the paper's splitting into 3x3 nodes: three unknowns in the order of the program. Iterations are outer
   ones; the watcher sees x and r after each. Not applicable: LOCAL and LCP (no A); a row that touches more than sixteen blocks; with friction, a
   contact whose blocks have no common orthonormal frame with weights and arms. */
CTI_FN cti_outcome cti_solver_ica(const cti_program *p, cti_effort *e, cti_answer *a);
