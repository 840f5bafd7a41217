/* solvers.h -- the table of solvers for stand-alone problems. */
#pragma once

#include "program.h"

/* CTI_SOLVERS_ANY -- 1 where some solver is built. */
#define CTI_SOLVERS_OR(name, number, word, built, worlds) || (built)
#define CTI_SOLVERS_ANY (0 CT_SOLVER_LIST(CTI_SOLVERS_OR))

/* cti_solvers_find -- the function of a solver, or NULL where this build does not have it. */
CTI_FN cti_program_solver cti_solvers_find(ct_solver solver);
/* cti_solvers_auto -- the solver of attempt `attempt` (from 0) of AUTO on p, among those that are built; CT_SOLVER_AUTO after the last. */
CTI_FN ct_solver cti_solvers_auto(const cti_program *p, int attempt);
