/* form.h -- the notes' forms of a step, with the barrier stepper's objective: root finding (primal, dual), minimization with constraints (positions,
   velocities). Each is a file beside its equations; docs/forms.md has the derivations. The barrier stepper calls them by cti_barrier_forms alone.
   [lecture notes 4.3.1] */
#pragma once

#include "../8_barrier/barrier.h"
#include "../4_programs/program.h"

/* cti_form_row -- a contact with a multiplier: d = |sum c_i x_i| at the closest points, normal n, J = c_i n. */
typedef struct cti_form_row {
    cti_barrier_term t;
    ct_real c[4], n[3];
    ct_real d;                     /* [m] */
    double lambda;                 /* >= 0, in the unit of the objective's gradient */
    double psi, rate, step;        /* of the dual form, see form_dual.c */
    int fades;                     /* 1: nearly parallel edges, whose potential is no function of d alone */
} cti_form_row;

/* cti_form_run -- a step in progress. */
typedef struct cti_form_run {
    ct_step_report *report;
    int moves; /* 1: scripted blocks are on their way */
    int iterations;
    int failed;     /* 1: CT_STATUS_NOT_CONVERGED */
    int open;       /* 1: iterations ran out before Newton's method had converged, with the friction of all passes */
    ct_real speed;  /* [m/s] of the last step of Newton's method */
    int is_last;    /* 1: it is short enough to end with */
    double nu;      /* weight of what constraints are violated by in the merit */
    ct_real *y_old; /* [3 n] iterate of the line search's start */
    ct_real *x_old; /* [3 nv] the surface there */
} cti_form_run;

typedef enum cti_form_end { CTI_FORM_MEMORY, CTI_FORM_GOES_ON, CTI_FORM_CONVERGED, CTI_FORM_STUCK } cti_form_end;

/* cti_form_kept -- what is kept from step to step; in cti_barrier.form. */
typedef struct cti_form_kept {
    cti_form_row *rows;  /* of the constrained forms, in their last program */
    cti_program program;
} cti_form_kept;
CTI_INLINE cti_form_kept *cti_form_own(const cti_state *s) { return (cti_form_kept *)cti_barrier_own(s)->form; }

/* ---- form_rows.c ---- */

/* cti_form_save -- remembers y and surface.x0. cti_form_back -- returns there. */
CTI_FN void cti_form_save(cti_state *s, cti_form_run *q);
CTI_FN void cti_form_back(cti_state *s, cti_form_run *q);
/* cti_form_cap -- the part of the step dy that collisions allow; below 0: out of memory. */
CTI_FN ct_real cti_form_cap(cti_state *s);
/* cti_form_try -- y + t dy and the surface x1 there. 1: free of collisions; 0; -1: out of memory. */
CTI_FN int cti_form_try(cti_state *s, ct_real t);
/* cti_form_take -- y = y_try, surface.x0 = x1. */
CTI_FN void cti_form_take(cti_state *s);
/* cti_form_row_make -- row of a term at surface positions x. */
CTI_FN void cti_form_row_make(const cti_state *s, const cti_barrier_term *t, const ct_real *x, cti_form_row *out);
/* cti_form_find -- rows: all pairs nearer than their dhat and `reach` [m] at surface.x0, which the lists cover. 0: out of memory. */
CTI_FN int cti_form_find(cti_state *s, ct_real reach, cti_form_row **rows);
/* cti_form_near -- cti_form_kept.rows: pairs that the step dy may bring below dhat; *gap [m], of the arena: their distances less dhat. 0: out of
   memory. */
CTI_FN int cti_form_near(cti_state *s, double **gap);
/* cti_form_jacobian -- J of m rows in the blocks y. is_free: without what scripts hold. 0: out of memory. */
CTI_FN int cti_form_jacobian(cti_state *s, const cti_form_row *rows, int m, int is_free, cti_sparse *out);
/* cti_form_push, _touches -- as of cti_barrier_forms. */
CTI_FN void cti_form_push(cti_state *s);
CTI_FN int cti_form_touches(cti_state *s, const cti_memory *next, ct_step_report *r);
/* cti_form_lag -- rubs: friction with the rows' multipliers as normal forces. 0: out of memory. */
CTI_FN int cti_form_lag(cti_state *s);

/* ---- form_program.c ---- */

/* cti_form_free_step -- dy = -B^-1 g at y without contacts, by the exact Hessian or a projected one; b->hessian.B and b->g are then those of the
   program, filtered for scripts. 0: out of memory. */
CTI_FN int cti_form_free_step(cti_state *s, cti_form_run *q);
/* cti_form_solve -- dy and the rows' multipliers from the quadratic program in x = (y + dy - base) / scale. gap [m]: the rows' values at
   `base`. 1; 0: no solution; -1: out of memory. */
CTI_FN int cti_form_solve(cti_state *s, cti_form_row *rows, const ct_real *base, ct_real scale, const double *gap);

/* cti_form_measure -- counts an iteration whose step is dy. q->nu: at least twice the rows' multipliers; *slope = g'dy;
   q->is_last. 0: dy is no number. */
CTI_FN int cti_form_measure(cti_state *s, cti_form_run *q, double *slope);
/* cti_form_lags -- most solves with friction of one linearization each. */
CTI_FN int cti_form_lags(const cti_state *s);
/* cti_form_solves -- those of a constrained form, by its iterations, until friction stays as it is. 0: out of memory. */
CTI_FN int cti_form_solves(cti_state *s, cti_form_run *q, cti_form_end (*iterate)(cti_state *s, cti_form_run *q, void *context), void *context);

/* ---- one file a form: 0: out of memory ---- */

CTI_FN int cti_form_root(cti_state *s, cti_form_run *q);
CTI_FN int cti_form_position(cti_state *s, cti_form_run *q);
CTI_FN int cti_form_velocity(cti_state *s, cti_form_run *q);

/* ---- form_dual.c: the dual form's part of form_root.c ---- */

/* cti_form_dual_update -- rows of the terms at surface.x0, with the multipliers that `from` had after t of its step; those of new ones are
   their potentials' forces. 0: out of memory. */
CTI_FN int cti_form_dual_update(cti_state *s, const cti_form_row *from, ct_real t, cti_form_row **rows);
/* cti_form_dual_add -- b->g -= J' lambda; b->hessian.B += the curvature of the distances. is_exact: with it, not only where it is fading edges'. */
CTI_FN void cti_form_dual_add(cti_state *s, cti_form_row *rows, int is_exact);
/* cti_form_dual_size -- squared norm of lambda - psi. mass [n] of the blocks. */
CTI_FN double cti_form_dual_size(const cti_state *s, const cti_form_row *rows, const double *mass);
/* cti_form_dual_solve -- the rows' steps, and dy with them, from dy without and the factor of B. 1; 0: singular; -1: out of memory. */
CTI_FN int cti_form_dual_solve(cti_state *s, cti_form_row *rows);
