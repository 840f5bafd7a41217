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
#define CTI_SOLVERS_CASE(name, number, word, built, worlds) CTI_IF(built, case name: return cti_solver_##word;)
        CT_SOLVER_LIST(CTI_SOLVERS_CASE)
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

static const ct_solver cti_solvers_spins[] = {CT_SOLVER_LEMKE, CT_SOLVER_BOXED, CT_SOLVER_AUTO};

static const ct_solver *cti_solvers_order(const cti_program *p)
{
    if (p->spins)
        return cti_solvers_spins;
    switch (p->kind) {
    case CTI_PROGRAM_LOCAL:
        return cti_solvers_friction;
    case CTI_PROGRAM_GLOBAL:
        return p->m > cti_program_tuned.judge.dense ? cti_solvers_many : cti_solvers_friction;
    case CTI_PROGRAM_QP: /* with more rows than unknowns the Schur complement is singular, and pivoting on it is slow */
        return p->m > cti_program_tuned.judge.dense || p->m >= p->n ? cti_solvers_large : cti_solvers_qp;
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
