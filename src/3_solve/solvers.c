/* solvers.c -- the table of solvers for stand-alone problems. */
#include "solvers.h"
#include "active_set.h"
#include "interior.h"

CTI_FN cti_program_solver cti_solvers_find(ct_solver solver)
{
    switch (solver) {
    case CT_SOLVER_ACTIVE_SET: return cti_active_set_solve;
    case CT_SOLVER_INTERIOR: return cti_interior_solve;
    default:
        return NULL;
    }
}

CTI_FN ct_solver cti_solvers_auto(const cti_program *p, int attempt)
{
    CTI_UNUSED(p);
    CTI_UNUSED(attempt);
    return CT_SOLVER_AUTO;
}
