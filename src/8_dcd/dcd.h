/* dcd.h -- the discrete stepper: implicit Euler as a quadratic program under the constraints of vertices that are inside of bodies.
   [Li, Pan, Huang, Bao, Jin 2015] */
#ifndef CTI_DCD_H
#define CTI_DCD_H

#include "../8_step/cmr.h"
#include "../8_step/stepper.h"
#include "../4_programs/program.h"

/* ---- dcd_detect.c ---- */

/* cti_dcd_prepare -- trees and rest data once the bodies' `model`, `embedded` and `tet0` and tet_rest are set. 0: out of memory. */
CTI_FN int cti_dcd_prepare(cti_state *s);
CTI_FN void cti_dcd_free(cti_mem *mem, cti_dcd *d);

/* cti_dcd_touch -- a surface vertex inside of a body, or closer to it than the thickness. */
typedef struct cti_dcd_touch {
    cti_pair pair;    /* VF or PLANE, weights set at the positions of the detection */
    cti_v3 normal;    /* unit, out of the body */
    ct_real distance; /* signed, < 0: inside */
} cti_dcd_touch;
/* cti_dcd_detect -- what touches at positions q [3 n] of the nodes and x [3 nv] of the surface; with_near 0: only what is inside. Growable
   array, body pair by body pair. 0: out of memory. */
CTI_FN int cti_dcd_detect(cti_state *s, const ct_real *q, const ct_real *x, int with_near, cti_dcd_touch **out);

/* ---- dcd_thin.c ---- */

/* cti_dcd_need -- pieces that the motion from x0 to x1 [3 nv] ought to be cut into, so that no vertex goes into a body by more than
   `fraction` of its thickness there in one of them. >= 1. 0: out of memory. */
CTI_FN ct_real cti_dcd_need(cti_state *s, const ct_real *x0, const ct_real *x1, ct_real fraction);

/* ---- dcd_solve.c ---- */

/* cti_dcd_solution -- how a solve ended. */
typedef struct cti_dcd_solution {
    int iterations, cg, products;
    int budget;       /* ended above the tolerance */
    int coupled;      /* rows were not decoupled */
    ct_real residual; /* largest entry of |phi + beta| over the largest term in it */
} cti_dcd_solution;
/* cti_dcd_solve -- min 1/2 v'A v - b'v under contact.rows, from v [3 n], which holds the solution then; the rows' r[0] are the multipliers.
   rub [rows]: plus 1/2 sum rub |u_t|^2, u_t the rows' tangential velocities; NULL: without. tolerance > 0. 0: out of memory. */
CTI_FN int cti_dcd_solve(cti_state *s, const ct_real *rub, ct_real tolerance, ct_real *v, cti_dcd_solution *out);
/* cti_dcd_decouple -- takes rows (and origins) out until no two touch one block; depth [rows] says which are deepest (smallest). Returns
   how many were taken out, or -1 when memory ran out. */
CTI_FN int cti_dcd_decouple(cti_state *s, const double *depth, ct_decouple how);
/* cti_dcd_jacobian -- the rows' normals as scalars, projected on what constrained blocks may do: J [rows][3 n], w [rows] with J v + w >= 0;
   arrays from the arena. 0: out of memory. */
CTI_FN int cti_dcd_jacobian(const cti_state *s, cti_sparse *J, double **out_w);

/* ---- dcd_pivot.c ---- */

/* cti_dcd_pivots -- as cti_dcd_decouple; rows that stay are put in an order in which each hangs on those before it, and s->dcd.pivot [rows]
   has the blocks of their pivots. */
CTI_FN int cti_dcd_pivots(cti_state *s, const double *depth);
/* cti_dcd_turn -- x = T z: for each row in order x_p -= q rest'x, so that size q'z_p is the row at x. */
typedef struct cti_dcd_turn {
    const int32_t *block; /* [rows] p */
    double *q;            /* [3 rows] unit, orthogonal to the others at p */
    double *size;         /* [rows] > 0 */
    uint8_t *first;       /* [rows] no row before it has its pivot at p */
    double *work;         /* [3 n] zero between calls */
    cti_sparse rest;      /* the row over `size`, without q at p */
} cti_dcd_turn;
/* cti_dcd_turn_make -- of rows J in the order of cti_dcd_pivots; takes J's numbers over. Arrays from the arena. 0: out of memory. */
CTI_FN int cti_dcd_turn_make(const cti_state *s, const cti_sparse *J, cti_dcd_turn *t);
/* x <- T x; x <- T^-1 x; y <- T' y */
CTI_FN void cti_dcd_turn_forward(const cti_dcd_turn *t, double *x);
CTI_FN void cti_dcd_turn_back(const cti_dcd_turn *t, double *x);
CTI_FN void cti_dcd_turn_transposed(const cti_dcd_turn *t, double *y);

/* ---- dcd.c ---- */

/* cti_dcd_step -- as cti_step. */
CTI_FN ct_code cti_dcd_step(cti_state *s, ct_real dt, ct_step_report *r);

/* ---- dcd_stepper.c ---- */

CTI_FN const cti_stepper *cti_stepper_dcd(void);

#endif /* CTI_DCD_H */
