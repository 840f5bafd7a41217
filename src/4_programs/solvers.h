/* solvers.h -- the solvers of stand-alone problems, and which of them takes what. */
#ifndef CTI_SOLVERS_H
#define CTI_SOLVERS_H

#include "program.h"

/* cti_solvers_find -- the solver, or NULL where this build has none of that name. */
CTI_FN cti_program_solver cti_solvers_find(ct_solver solver);
/* cti_solvers_auto -- the solver that AUTO tries as number `attempt` (from 0) on p, of those that this build has; CT_SOLVER_AUTO when there
   is none left. */
CTI_FN ct_solver cti_solvers_auto(const cti_program *p, int attempt);

#endif /* CTI_SOLVERS_H */
