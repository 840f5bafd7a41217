/* dcd.h -- the discrete stepper: implicit Euler as a quadratic program, with vertices inside bodies as constraints. [Li, Pan, Huang, Bao,
   Jin 2015] */
#ifndef CTI_DCD_H
#define CTI_DCD_H

#include "../8_step/cmr.h"
#include "../8_step/stepper.h"
#include "../4_programs/program.h"

/* ---- dcd_detect.c ---- */

/* cti_dcd_prepare -- builds trees and rest data; needs the bodies' `model`, `embedded` and `tet0`, and tet_rest. 0: out of memory. */
CTI_FN int cti_dcd_prepare(cti_state *s);
CTI_FN void cti_dcd_free(cti_mem *mem, cti_dcd *d);

/* cti_dcd_touch -- a surface vertex that is inside a body or closer to it than the thickness. */
typedef struct cti_dcd_touch {
    cti_pair pair;    /* VF or PLANE, weights set at the positions of the detection */
    cti_v3 normal;    /* unit, out of the body */
    ct_real distance; /* signed, < 0: inside */
} cti_dcd_touch;
/* cti_dcd_detect -- the touches at positions q [3 n] of the nodes and x [3 nv] of the surface; with_near 0: only vertices inside bodies.
   Growable array, body pair by body pair. 0: out of memory. */
CTI_FN int cti_dcd_detect(cti_state *s, const ct_real *q, const ct_real *x, int with_near, cti_dcd_touch **out);

/* ---- dcd_thin.c ---- */

/* cti_dcd_need -- into how many pieces (>= 1) the motion from x0 to x1 [3 nv] must be cut, so that in one piece no vertex enters a body by
   more than `fraction` of the body's thickness there. 0: out of memory. */
CTI_FN ct_real cti_dcd_need(cti_state *s, const ct_real *x0, const ct_real *x1, ct_real fraction);

/* ---- dcd_solve.c ---- */

/* cti_dcd_solution -- how a solve ended. */
typedef struct cti_dcd_solution {
    int iterations, cg, products;
    int budget;       /* 1: ended above the tolerance */
    int coupled;      /* 1: rows were not decoupled */
    ct_real residual; /* largest entry of |phi + beta| over the largest term in it */
} cti_dcd_solution;
/* cti_dcd_solve -- min 1/2 v'A v - b'v under contact.rows. v [3 n] is the start, then the solution; the rows' r[0] are the multipliers. rub
   [rows]: adds 1/2 sum rub |u_t|^2 with the rows' tangential velocities u_t; NULL: nothing. tolerance > 0. 0: out of memory. */
CTI_FN int cti_dcd_solve(cti_state *s, const ct_real *rub, ct_real tolerance, ct_real *v, cti_dcd_solution *out);
/* cti_dcd_decouple -- removes rows (and origins) until no two touch the same block; depth [rows]: the smallest is the deepest. Returns how
   many were removed, or -1 when memory ran out. */
CTI_FN int cti_dcd_decouple(cti_state *s, const double *depth, ct_decouple how);
/* cti_dcd_jacobian -- the rows' normals as scalars, projected onto the motions that constrained blocks have: J [rows][3 n], w [rows] with J
   v + w >= 0; arrays from the arena. 0: out of memory. */
CTI_FN int cti_dcd_jacobian(const cti_state *s, cti_sparse *J, double **out_w);

/* ---- dcd_pivot.c ---- */

/* cti_dcd_pivots -- like cti_dcd_decouple, but rows may share blocks. Rows that stay are put in an order in which each depends only on rows
   before it; s->dcd.pivot [rows] has the blocks of their pivots. */
CTI_FN int cti_dcd_pivots(cti_state *s, const double *depth);
/* cti_dcd_turn -- the change of unknowns x = T z: for each row in order x_p -= q rest'x, so that size q'z_p is the row's value at x. */
typedef struct cti_dcd_turn {
    const int32_t *block; /* [rows] block p of each row's pivot */
    double *q;            /* [3 rows] unit direction of the pivot, orthogonal to the others at p */
    double *size;         /* [rows] > 0 */
    uint8_t *first;       /* [rows] 1: no earlier row has its pivot at p */
    double *work;         /* [3 n] zero between calls */
    cti_sparse rest;      /* the row divided by `size`, without q at p */
} cti_dcd_turn;
/* cti_dcd_turn_make -- for rows J in the order of cti_dcd_pivots; changes J's numbers. Arrays from the arena. 0: out of memory. */
CTI_FN int cti_dcd_turn_make(const cti_state *s, const cti_sparse *J, cti_dcd_turn *t);
/* x <- T x; x <- T^-1 x; y <- T' y */
CTI_FN void cti_dcd_turn_forward(const cti_dcd_turn *t, double *x);
CTI_FN void cti_dcd_turn_back(const cti_dcd_turn *t, double *x);
CTI_FN void cti_dcd_turn_transposed(const cti_dcd_turn *t, double *y);

/* ---- dcd.c ---- */

/* cti_dcd_step -- the step, as cti_step. */
CTI_FN ct_code cti_dcd_step(cti_state *s, ct_real dt, ct_step_report *r);

/* ---- dcd_stepper.c ---- */

CTI_FN const cti_stepper *cti_stepper_dcd(void);

#endif /* CTI_DCD_H */
