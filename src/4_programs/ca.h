/* ca.h -- full constraint anticipation: the Schur complement, then block principal pivoting (QP) or Gauss-Seidel over contacts. */
#pragma once

#include "dual.h"

CTI_FN cti_outcome cti_solver_ca(const cti_program *p, cti_effort *e, cti_answer *a);
