/* iterate.h -- what Newton's methods on a contact problem share: J in double, the linear solver of A + J'HJ, and the iterate v and r in double, with
   its residuals and the best one so far. */
#pragma once

#include "problem.h"
#include "../1_math/d3.h"

/* cti_jacobian -- J in double: the maps of the rows' terms, those of row i from first[i] on. */
typedef struct cti_jacobian {
    const cti_problem *p;
    int32_t *first; /* [n_rows + 1] */
    double *G, *Gt; /* [9 first[n_rows]] block velocity to contact frame, row-major; its transpose behind the projector of a constrained block */
} cti_jacobian;

/* cti_linear -- who solves (A + J'HJ) x = f. H changes between solves, A and J do not.
   factor  H [9 n_rows]: symmetric, positive semidefinite, one 3x3 block a row. 0 when memory ran out
   solve   x [3 n]: in f, out x, with the last H
   flops   estimated multiplications of one factor with its solve
   Where few rows touch large bodies, two more avoid vectors of their size; else NULL:
   respond g, dr, du [3 rows]: the impulses dr = g - H du and du = J A^-1 J' dr, with the last H
   move    v [3 n] = A^-1 (b + J'r), r [3 rows] */
typedef struct cti_linear {
    int (*factor)(void *ctx, const double *H);
    void (*solve)(void *ctx, double *x);
    void (*respond)(void *ctx, const double *g, double *dr, double *du);
    void (*move)(void *ctx, const double *r, double *v);
    void *ctx;
    double flops;
} cti_linear;

/* cti_linear_price -- estimated time of one factor with its solve [us]. */
CTI_FN double cti_linear_price(const cti_linear *L);

/* cti_iterate -- v and r of a problem, in double. u follows the steps, u += a J d: from v, its rounding of 1e-16 m/s would be an impulse of
   1e-6 N s in a stiff joint. With L->respond the impulses `done` take the place of v, of which they are: v is made when it is judged. */
typedef struct cti_iterate {
    const cti_problem *p;
    const cti_jacobian *J;
    const cti_linear *L;
    ct_cone cone;
    double *v, *d, *f;     /* [3 n] velocity, direction, b - A v + J'r */
    double *u, *du, *r;    /* [3 rows] J v + w, its change by d, multipliers */
    double *seen;          /* [3 rows] velocities that the judge sees */
    double *done, *ddone;  /* [3 rows] impulses whose velocities are u, their change by d */
    ct_real *best, *work;  /* [3 n + 3 rows] the best judged v and r; [3 n] */
    cti_residuals res;     /* of the best */
    ct_real now;           /* natural map of the last one that was judged */
    int is_judged;
} cti_iterate;

/* cti_bounds -- directions in which friction bounds have changed with one factor, of cti_iterate_bounds. */
typedef struct cti_bounds {
    int n, most;
    double *all, *work; /* [2 rows most] each direction, and what it does; [5 rows] */
} cti_bounds;

/* cti_bounds_make -- room for `most` directions of problems with so many rows. 0 when memory ran out. */
CTI_FN int cti_bounds_make(cti_bounds *b, cti_arena *arena, int rows, int most);

/* cti_jacobian_make -- 0 when memory ran out. */
CTI_FN int cti_jacobian_make(const cti_problem *p, cti_arena *arena, cti_jacobian *out);
/* cti_jacobian_stiffness -- S G_k' H G_l of all pairs (k, l) of a row's terms, S the projectors of constrained blocks; out [9 n n], k first. Returns
   n n; 0 where H is 0, as of an open row. */
CTI_FN int cti_jacobian_stiffness(const cti_jacobian *J, int row, const double *H, double *out);

/* cti_iterate_open -- the start: v, and r of the rows, whose u is computed and which is judged. With L->respond v is then that of r. 0 when memory
   ran out. */
CTI_FN int cti_iterate_open(cti_iterate *q, const cti_jacobian *J, const cti_linear *L, ct_cone cone, cti_arena *arena, ct_real *v);
/* cti_iterate_free -- v and r become the motion without impulses; the best iterate stays. H [9 rows] is set to 0 for its factor. 0 when memory ran
   out. */
CTI_FN int cti_iterate_free(cti_iterate *q, double *H);
/* cti_iterate_gather -- u = J v. */
CTI_FN void cti_iterate_gather(const cti_iterate *q, const double *v, double *u);
/* cti_iterate_push -- f += S J_i' r of row i, r [3], S the projectors of constrained blocks. */
CTI_FN void cti_iterate_push(const cti_iterate *q, int i, const double *r, double *f);
/* cti_iterate_multiply -- y = A x. */
CTI_FN void cti_iterate_multiply(const cti_iterate *q, const double *x, double *y);
/* cti_iterate_direct -- du = J d, d = (A + J'HJ)^-1 (b - A v + J'(r + g)), g [3 rows], with the last H. d is made without L->respond alone. moved 0:
   v and r are those of the last call. */
CTI_FN void cti_iterate_direct(const cti_iterate *q, const double *g, int moved);
/* cti_iterate_gradient -- f = b - A v + J'r. Returns the largest entry of D^-1 f, as the judge measures it. */
CTI_FN double cti_iterate_gradient(const cti_iterate *q);
/* cti_iterate_step -- v += a d, u += a du. */
CTI_FN void cti_iterate_step(const cti_iterate *q, double a);
/* cti_iterate_judge -- judges v and r, after their momenta are balanced, and keeps them if they are the best so far; the iterate itself goes on from
   what was not balanced. v [3 n] and the rows' r are overwritten. 0 when memory ran out. */
CTI_FN int cti_iterate_judge(cti_iterate *q, ct_real *v);
/* cti_iterate_normal -- where in r the normal multiplier is that bounds the friction of row i, or its spin's; cti_iterate_coefficient: the bound over
   it, 0 for rows without. */
CTI_FN size_t cti_iterate_normal(const cti_iterate *q, int i);
CTI_FN double cti_iterate_coefficient(const cti_row *row);
/* cti_iterate_bounds -- Newton's changes of friction bounds. change [rows]: in mu lambda minus the bounds, out the changes x with x = that + mu times
   what normal impulses change by x. edges [4 rows]: 1 where the bound holds the impulse, else 0; the change [3] of that impulse with its bound.
   Method: generalized conjugate residuals, each of which takes one solve with the last factor, whose H it is; at most `more`, until the square of the
   residual is `solved` of the first. b keeps the directions for other changes with the same factor: b->n = 0 forgets them. d and du are
   overwritten. */
CTI_FN void cti_iterate_bounds(const cti_iterate *q, cti_bounds *b, const double *H, const double *edges, int more, double solved, double *change);
/* cti_iterate_natural -- natural map of u and r as they are: without the judge's balance of momenta. */
CTI_FN double cti_iterate_natural(const cti_iterate *q);
/* cti_iterate_close -- the best to v and the rows, its residuals and status to info. */
CTI_FN void cti_iterate_close(const cti_iterate *q, ct_real tolerance, ct_real *v, cti_solve_info *info);
