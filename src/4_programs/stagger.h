/* stagger.h -- friction by solvers that have none: normal and friction problems are solved alternately. [Kaufman et al. 2008, Staggered
   projections] */
#pragma once

#include "program.h"

/* cti_stagger_solve -- solves LOCAL and GLOBAL problems by `inner`, whose name is `kind`: a solver of linear complementarity problems with
   symmetric W and bounds. */
CTI_FN cti_outcome cti_stagger_solve(const cti_program *p, ct_solver kind, cti_program_solver inner, cti_effort *e, cti_answer *a);
/* cti_solver_mprgp, cti_solver_active_set, cti_solver_interior -- these solvers on problems of every kind: directly where there is no
   friction, and staggered otherwise. The interior point method has a method of its own for friction; staggering takes the problems that are
   too large for that one (NOT_APPLICABLE). A failure of it stays FAILED, since normal and friction problems of the same kind would fail as
   well. */
CTI_FN cti_outcome cti_solver_mprgp(const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_solver_active_set(const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_solver_interior(const cti_program *p, cti_effort *e, cti_answer *a);
