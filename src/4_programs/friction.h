/* friction.h -- a stand-alone frictional contact problem in the form that its solvers work on, and the code that they share. The form: u =
   W r + q with W_ii of trace 3 and |q| = 1: contact i's impulse is r_i = unit root_i s_i and its velocity u_i' = unit u_i / root_i with
   root_i = sqrt(3 / trace W_ii); cones do not change under it. The judge's scaled natural map is then
   |root (s - P_K(s - u^))| / |root q|.
   W is kept dense for GLOBAL, where it is J A^-1 J' (unless most of it is 0), and as sparse 3x3 blocks for LOCAL; it is never made symmetric. */
#pragma once

#include "../2_linalg/panel_lu.h"
#include "dual.h"

/* cti_friction_least -- the iterate of the least residual so far. */
typedef struct cti_friction_least {
    double *r;       /* [m] */
    double residual; /* by the judge's measure: relative to q, which does not change from one iterate to the next */
} cti_friction_least;

/* cti_friction_run -- progress of the solve. */
typedef struct cti_friction_run {
    int iterations;
    int memory;        /* 1: it ran out in a linear system */
    int spent;         /* 1: a bound on iterations or time, or the watcher, has ended it */
} cti_friction_run;

typedef struct cti_friction {
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    int nc, m, ld;
    double *W;         /* [m][ld] or NULL */
    int32_t *first, *column; /* blocks of W where W is NULL: [nc + 1], [first[nc]] */
    double *block;     /* [9 first[nc]], row-major */
    double *diagonal;  /* [9 nc] W_ii */
    double *q;         /* [m] */
    const double *mu;  /* [nc] */
    double *root;      /* [nc] */
    double unit;
    cti_dual dual;     /* GLOBAL */
    double *r, *u;     /* [m] the iterate, and W r + q at it */
    double share;      /* the natural map at the iterate relative to r: the error of the impulses themselves; relative to q where r = 0 */
    cti_friction_least least;
    cti_friction_run run;
} cti_friction;

/* cti_friction_open -- makes the form of p, with r at the answer's start. Returns CTI_OUTCOME_SOLVED, MEMORY, or NOT_APPLICABLE with a->why, which
   else is empty. cti_friction_close -- the watcher sees it no more. */
CTI_FN cti_outcome cti_friction_open(cti_friction *f, const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN void cti_friction_close(cti_friction *f);
/* cti_friction_mul -- y [m] = W x. */
CTI_FN void cti_friction_mul(const cti_friction *f, const double *x, double *y);
/* cti_friction_residual -- computes u of r; returns the size of the scaled natural map relative to q, and keeps the best r. */
CTI_FN double cti_friction_residual(cti_friction *f);
/* cti_friction_natural -- the same measure for any pair r, u; *share: relative to r. */
CTI_FN double cti_friction_natural(const cti_friction *f, const double *r, const double *u, double *share);
/* cti_friction_sweep -- one block Gauss-Seidel sweep, each contact solved exactly (coulomb.h); in reverse order with `back`. */
CTI_FN void cti_friction_sweep(cti_friction *f, int back);
/* cti_friction_goes_on -- 1 if another iteration may begin, by the rules of cti_effort_goes_on; the watcher sees the best iterate. */
CTI_FN int cti_friction_goes_on(cti_friction *f, int own, cti_answer *a);
/* cti_friction_answer -- stores the best r, and its x, in the problem's units. */
CTI_FN void cti_friction_answer(cti_friction *f, cti_answer *a);
/* cti_friction_outcome -- stores the answer; the outcome follows from its residual and from the reason for the end. */
CTI_FN cti_outcome cti_friction_outcome(cti_friction *f, double enough, cti_answer *a);

/* cti_friction_groups -- contacts with the same neighbours, which are eliminated together. */
typedef struct cti_friction_groups {
    int n;
    int32_t *group, *member, *begin; /* [nc] of each contact; contacts group by group, [n + 1] */
    int32_t *first, *column, *size;  /* the groups' neighbours; unknowns that a group has now */
    cti_panel_lu panel;
} cti_friction_groups;

/* cti_friction_matrix -- the system of the contacts whose B is not 0. */
typedef struct cti_friction_matrix {
    double *matrix, *scratch; /* [3 n_active][ld] */
    int *pivot, n_active, ld;
    int32_t *active, *place;  /* [nc] contacts whose B is not 0; their place among them, or -1 */
} cti_friction_matrix;

/* cti_friction_system -- (A + B (W + sigma I)) x = y. Zero it before first use. */
typedef struct cti_friction_system {
    cti_friction *f;
    const double *A, *B; /* [9 nc] */
    double sigma;
    int grouped;
    cti_friction_groups groups;
    cti_friction_matrix dense;
    double *work, *rhs;  /* [m], [3 m] */
} cti_friction_system;
/* cti_friction_system_open, cti_friction_system_factor -- 0 when memory ran out; the second also when the matrix is singular. A and B [9
   nc] must stay unchanged until the solves; where a B is 0, its A is the identity. */
CTI_FN int cti_friction_system_open(cti_friction_system *s, cti_friction *f);
CTI_FN int cti_friction_system_factor(cti_friction_system *s, const double *A, const double *B, double sigma);
/* cti_friction_system_solve -- x [m]: right side, then solution. 0 when the solution is not finite. */
CTI_FN int cti_friction_system_solve(cti_friction_system *s, double *x);

/* cti_newton -- the iteration of friction_newton.c, also for other solvers that finish with it. The system is the caller's and is factored
   again. */
typedef struct cti_newton {
    cti_friction *f;
    cti_friction_system *system;
    double *A, *B;       /* [9 nc] of F' = A + B W */
    double *F, *d, *old; /* [m] */
    double history[CTI_NEWTON_HISTORY];
    int n_history;
    double boost; /* factor on sigma */
} cti_newton;
CTI_FN int cti_newton_open(cti_newton *s, cti_friction *f, cti_friction_system *system);
/* cti_newton_polish -- Newton steps from the best iterate as long as each one reduces |F|. 1 when the residual is at most `enough`. */
CTI_FN int cti_newton_polish(cti_newton *s, double enough, cti_answer *a);

/* cti_newton_solve -- a solve with a system and Newton steps that are open, by `run`, which returns 0 when memory ran out. */
typedef int (*cti_newton_runner)(cti_newton *s, double enough, cti_answer *a);
CTI_FN cti_outcome cti_newton_solve(const cti_program *p, cti_effort *e, cti_answer *a, cti_newton_runner run);

/* cti_solver_newton -- semismooth Newton with Gauss-Seidel sweeps; cti_solver_admm -- alternating directions, finished by Newton steps. For
   LOCAL and GLOBAL. */
CTI_FN cti_outcome cti_solver_newton(const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_solver_admm(const cti_program *p, cti_effort *e, cti_answer *a);
