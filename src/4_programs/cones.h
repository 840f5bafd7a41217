/* cones.h -- contacts with Coulomb friction by an interior point method over second-order cones. */
#pragma once

#include "program.h"

/* cti_cones_solve -- LOCAL and GLOBAL (A definite), at most 1200 contacts. own bound: 300 iterations. */
CTI_FN cti_outcome cti_cones_solve(const cti_program *p, cti_effort *e, cti_answer *a);
