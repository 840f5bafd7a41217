/* bridge.h -- converts the world's contact problem (problem.h) to a stand-alone one (program.h) and back, so that every solver of this
   floor can solve it.
   The program has kind GLOBAL with unknowns x = (v, s), where v are the blocks' scalars. Three parts of problem.h are not in program.h, and
   are expressed exactly in its terms:
   compliance: u = J v + w + c r. An unknown s has a / 2 s^2 in the objective and alpha = sqrt(a c) in the row. A x = b + J'r then says
   a s = alpha r, hence alpha s = c r. a is the mean diagonal of A, so that s does not worsen the condition number.
   recovery: 0 <= r perpendicular to min(u + c r, u + k r - recover) >= 0, k the softness. Two contacts stand in one place, and their
   impulses are added. The second has u - recover and the compliance k - c in addition. Where both carry load, u + c r = 0 and the second
   carries recover / (k - c). With c >= k the second one alone is the whole law. Where it is known which of the two carries the load
   (cti_bridge_mode), one contact is enough.
   equations: u + c r = 0 is eliminated, r = -(J v + w) / c, A + J'J / c, b - J'w / c. An equation without compliance gets a small share of
   its blocks' own.
   Where the problem has factors of its bodies (cti_problem.bodies) and no row is an equation, the program has kind LOCAL: W = J A^-1 J' by
   blocks of contacts that share a body, with compliances on its diagonal and without unknowns s.
   constrained blocks: rows act through the projectors S on both sides, J S. A and b are filtered already, so that v stays in the range of
   S. */
#pragma once

#include "delassus_bodies.h"
#include "program.h"

/* CTI_BRIDGE_SOLVERS -- 1 where a solver is built that worlds reach through this file; 0: worlds have ICA alone. */
#define CTI_BRIDGE_OR(name, number, word, built, worlds) || ((built) && worlds)
#define CTI_BRIDGE_SOLVERS (0 CT_SOLVER_LIST_OPTIONAL(CTI_BRIDGE_OR))

/* cti_bridge_mode -- how a row enters the program: OUT not at all, HARD by its hard law alone, SOFT by its recovery alone, TWO by both, as
   two contacts, EQUATION as an equation. */
typedef enum cti_bridge_mode { CTI_BRIDGE_OUT, CTI_BRIDGE_HARD, CTI_BRIDGE_SOFT, CTI_BRIDGE_TWO, CTI_BRIDGE_EQUATION } cti_bridge_mode;
/* cti_bridge_whole -- the mode that represents the row's complete law. */
CTI_FN cti_bridge_mode cti_bridge_whole(const cti_row *row);

/* cti_bridge -- zero it before first use. */
typedef struct cti_bridge {
    const cti_problem *p;
    const uint8_t *mode; /* [rows] cti_bridge_mode */
    cti_program program; /* of mem */
    int contacts;        /* of the program */
    int extra;           /* number of unknowns s */
    double a;
    int32_t *first; /* [rows] its first contact, -1: none */
    double *x0;     /* [3 blocks] LOCAL: A^-1 b; of the arena */
} cti_bridge;

/* cti_bridge_is_local -- 1 where the program of p is of kind LOCAL. */
CTI_FN int cti_bridge_is_local(const cti_problem *p);
/* cti_bridge_open -- makes the program of p. p has to live as long as the bridge, and so has mode [rows]; NULL: each row's complete law.
   Arrays are of the arena and of mem. 0 when memory ran out; close it in any case. */
CTI_FN int cti_bridge_open(cti_mem *mem, cti_arena *arena, const cti_problem *p, const uint8_t *mode, cti_bridge *out);
/* cti_bridge_start -- x, r of the program from v and the rows' multipliers. */
CTI_FN void cti_bridge_start(const cti_bridge *q, const ct_real *v, double *x, double *r);
/* cti_bridge_finish -- v and the rows' multipliers, equations included, from x, r. 0 when memory ran out; v is then unchanged. */
CTI_FN int cti_bridge_finish(const cti_bridge *q, cti_arena *arena, const double *x, const double *r, ct_real *v);
CTI_FN void cti_bridge_close(cti_mem *mem, cti_bridge *q);

/* cti_bridge_solve -- runs a stand-alone solver on the world's problem. v and the rows' multipliers are the start and the result. The
   solver's own tolerance is reduced until cti_residual_eval, the judge of worlds, finds max(dynamics, natural) below desc->tolerance.
   info->status:
   OK       below the tolerance
   BUDGET   above it, but not above `loose`
   FAILED   above `loose`, or a problem that the solver does not take (too many rows for it); v and multipliers are as they were at the start
   MEMORY   out of memory; v and multipliers as for FAILED */
CTI_FN void cti_bridge_solve(const cti_problem *p, const ct_solver_desc *desc, ct_solver solver, ct_real loose, cti_mem *mem,
                             cti_arena *arena, ct_real *v, cti_solve_info *info);
/* cti_bridge_normals -- the same for the normals alone: the rows' friction is kept fixed, as a load. */
CTI_FN void cti_bridge_normals(const cti_problem *p, const ct_solver_desc *desc, ct_solver solver, ct_real loose, cti_mem *mem,
                               cti_arena *arena, ct_real *v, cti_solve_info *info);
/* cti_bridge_rub -- friction of every row at v and its normal multiplier, each contact independently: the impulse that stops the sliding of
   its blocks, if these were uncoupled, and at most mu lambda. */
CTI_FN void cti_bridge_rub(const cti_problem *p, const ct_real *v);
/* cti_bridge_solver -- 1 when worlds can use this solver, other than CT_SOLVER_AUTO and CT_SOLVER_ICA. */
CTI_FN int cti_bridge_solver(ct_solver solver);
/* cti_bridge_cone -- 1 when the solver supports this cone. */
CTI_FN int cti_bridge_cone(ct_solver solver, ct_cone cone);
