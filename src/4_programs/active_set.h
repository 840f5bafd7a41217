/* active_set.h -- min 1/2 y'W y + q'y over y >= 0 by an active set, W symmetric and positive semidefinite: u = W y + q >= 0, y'u = 0; rows may be
   equations, whose y has any sign and whose u is 0. It is the dual of a strictly convex quadratic program. */
#pragma once

#include "program.h"

typedef enum cti_active_end { CTI_ACTIVE_DONE, CTI_ACTIVE_NONE, CTI_ACTIVE_MEMORY, CTI_ACTIVE_BUDGET, CTI_ACTIVE_LOST } cti_active_end;

/* cti_active -- the set of rows with u = 0, and the Cholesky factor of W between them. It may be kept from one problem to the next. Zero it before
   first use. */
typedef struct cti_active {
    int m;
    const double *q;         /* [m] */
    const uint8_t *equation; /* [m] or NULL */
    const uint8_t *taken;    /* [m] rows that exist, the others have y = 0; NULL: all */
    const double *eps;       /* [m] a violation of u up to which counts as none */
    /* z [count]: W between row p and the set, *own: W_pp. values: u of y for rows outside of the set; it may write eps. 0: out of memory */
    int (*row)(void *ctx, const struct cti_active *s, int p, double *z, double *own);
    int (*values)(void *ctx, const struct cti_active *s);
    /* y proves that the rows contradict each other: 1 if it does; 0: the row of y is left out; -1: out of memory. NULL: it always does */
    int (*proves)(void *ctx, const double *y);
    void *ctx;
    cti_effort *e;           /* its limits hold, too, and a's iterations are counted; or NULL */
    cti_answer *a;
    cti_arena *arena;
    int count;
    int32_t *set, *at;       /* [count] the set's rows in the order of the factor; [m] a row's place there, or -1 */
    double *L;               /* [room] rows of the factor, one after the other */
    size_t room;
    double *y, *u;           /* [m] y: 0 outside of the set */
    double *proof;           /* [m] after NONE: y >= 0 with W y = 0, q'y < 0 */
    double *z, *l, *cs;      /* [m], [m], [2 m] scratch */
    uint8_t *banned;         /* [m] rows that are left out */
    int64_t changes;         /* rows that entered or left, over all problems */
} cti_active;
/* cti_active_open -- m and the functions are set; memory is the arena's. 0 when memory ran out. */
CTI_FN int cti_active_open(cti_active *s, cti_arena *arena);
/* cti_active_add -- row p enters the set with its y as it is. 1: it did; 0: it depends on the set; -1: memory ran out. */
CTI_FN int cti_active_add(cti_active *s, int p);
/* cti_active_drop -- the row at this place leaves the set. */
CTI_FN void cti_active_drop(cti_active *s, int place);
/* cti_active_inverse -- z [count] = W_SS^-1 f_S for f [m]. */
CTI_FN void cti_active_inverse(cti_active *s, const double *f);
/* cti_active_settle -- moves y to the minimum in the set; rows whose y would become negative leave one by one. */
CTI_FN void cti_active_settle(cti_active *s);
/* cti_active_worst -- the row that violates its condition most by the present u, or -1. any: the first one. */
CTI_FN int cti_active_worst(const cti_active *s, int any);
/* cti_active_run -- from y and the set. together: all rows that violate their condition at the start enter at once. NONE: there is no solution. */
CTI_FN cti_active_end cti_active_run(cti_active *s, int together);

/* cti_active_set_solve -- for QP with A definite; contacts whose mu is 0 everywhere (GLOBAL, LOCAL with symmetric W); LCP, boxed or not,
   with W symmetric and definite. INFEASIBLE comes with a verified certificate in r. warm: the rows with r > 0 are the first guess. An
   iteration adds or removes one row; the solver's own bound is 20 iterations per row. */
CTI_FN cti_outcome cti_active_set_solve(const cti_program *p, cti_effort *e, cti_answer *a);
