/* solvers.c -- the table of solvers for stand-alone problems, and the order in which AUTO tries them.
   Method: CONTACT_WITH_<SOLVER> 0 removes a solver from the table. tools/amalgamate.py follows the calls from here and puts #if around all
   code that only removed solvers reach, so that no other file tests these switches. Code that solvers share is removed with the last of
   them. */
#include "solvers.h"
#include "boxed.h"
#include "ca.h"
#include "friction.h"
#include "ica_program.h"
#include "lemke.h"
#include "pgs.h"
#include "stagger.h"

CTI_FN cti_program_solver cti_solvers_find(ct_solver solver)
{
    switch (solver) {
#if CONTACT_WITH_ICA
    case CT_SOLVER_ICA:
        return cti_ica_program_solve;
#endif
#if CONTACT_WITH_PGS
    case CT_SOLVER_PGS:
        return cti_pgs_solve;
#endif
#if CONTACT_WITH_CA
    case CT_SOLVER_CA:
        return cti_ca_solve;
#endif
#if CONTACT_WITH_NEWTON
    case CT_SOLVER_NEWTON:
        return cti_newton_solve;
#endif
#if CONTACT_WITH_ADMM
    case CT_SOLVER_ADMM:
        return cti_admm_solve;
#endif
#if CONTACT_WITH_MPRGP
    case CT_SOLVER_MPRGP:
        return cti_stagger_mprgp;
#endif
#if CONTACT_WITH_LEMKE
    case CT_SOLVER_LEMKE:
        return cti_lemke_solve;
#endif
#if CONTACT_WITH_BOXED
    case CT_SOLVER_BOXED:
        return cti_boxed_solve;
#endif
#if CONTACT_WITH_ACTIVE_SET
    case CT_SOLVER_ACTIVE_SET:
        return cti_stagger_active_set;
#endif
#if CONTACT_WITH_INTERIOR
    case CT_SOLVER_INTERIOR:
        return cti_stagger_interior;
#endif
    default:
        return NULL;
    }
}

/* the orders of AUTO's attempts, each terminated by CT_SOLVER_AUTO */
static const ct_solver cti_solvers_friction[] = {CT_SOLVER_NEWTON, CT_SOLVER_ADMM, CT_SOLVER_PGS, CT_SOLVER_AUTO};
static const ct_solver cti_solvers_many[] = {CT_SOLVER_PGS, CT_SOLVER_NEWTON, CT_SOLVER_ADMM, CT_SOLVER_AUTO};
static const ct_solver cti_solvers_qp[] = {CT_SOLVER_CA,    CT_SOLVER_INTERIOR, CT_SOLVER_ACTIVE_SET,
                                           CT_SOLVER_MPRGP, CT_SOLVER_PGS,      CT_SOLVER_AUTO};
static const ct_solver cti_solvers_large[] = {CT_SOLVER_INTERIOR,   CT_SOLVER_CA,  CT_SOLVER_MPRGP,
                                              CT_SOLVER_ACTIVE_SET, CT_SOLVER_PGS, CT_SOLVER_AUTO};
static const ct_solver cti_solvers_lcp[] = {CT_SOLVER_LEMKE, CT_SOLVER_BOXED, CT_SOLVER_CA, CT_SOLVER_PGS, CT_SOLVER_AUTO};
static const ct_solver cti_solvers_bounds[] = {CT_SOLVER_BOXED, CT_SOLVER_CA, CT_SOLVER_PGS, CT_SOLVER_AUTO};

enum { CTI_SOLVERS_DENSE = 12000 }; /* rows: a dense matrix of them takes about a gigabyte */

static const ct_solver *cti_solvers_order(const cti_program *p)
{
    switch (p->kind) {
    case CTI_PROGRAM_LOCAL:
        return cti_solvers_friction;
    case CTI_PROGRAM_GLOBAL:
        return p->m > CTI_SOLVERS_DENSE ? cti_solvers_many : cti_solvers_friction;
    case CTI_PROGRAM_QP: /* with more rows than unknowns the Schur complement is singular, and pivoting on it is slow */
        return p->m > CTI_SOLVERS_DENSE || p->m >= p->n ? cti_solvers_large : cti_solvers_qp;
    case CTI_PROGRAM_LCP:
        return p->lo ? cti_solvers_bounds : cti_solvers_lcp;
    }
    return cti_solvers_friction;
}

CTI_FN ct_solver cti_solvers_auto(const cti_program *p, int attempt)
{
    const ct_solver *next = cti_solvers_order(p);
    for (; *next != CT_SOLVER_AUTO; next++)
        if (cti_solvers_find(*next) && attempt-- == 0)
            return *next;
    return CT_SOLVER_AUTO;
}
