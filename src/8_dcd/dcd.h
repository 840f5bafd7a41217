/* dcd.h -- the discrete stepper: implicit Euler as a quadratic program, with vertices inside bodies as constraints. [Li, Pan, Huang, Bao,
   Jin 2015] */
#pragma once

#include "../8_step/stepper.h"
#include "../4_programs/program.h"

/* cti_dcd_body -- data of discrete detection for a surface body. */
typedef struct cti_dcd_body {
    cti_bvh faces, tets; /* trees in cti_dcd.forest */
    int model;           /* in cti_state.bodies.models, whose tets fill the body; -1: none */
    int embedded;        /* 1: its surface is embedded in the tets, 0: it is their boundary */
    int closed;          /* the surface has an inside */
    int tet0;            /* first of its tets in cti_dcd.tet_rest */
    int fresh;           /* 1: the trees of a body that never moves have been refitted */
    ct_real edge;        /* [m] mean length of its surface's edges at rest */
} cti_dcd_body;

/* cti_dcd_solves -- vectors of a step's solves. */
typedef struct cti_dcd_solves {
    ct_real *v_start;      /* [3 n] velocities at the start of a Newton iteration; later the motion without friction */
    ct_real *step, *damping; /* [3 n] for a line search: A times the step, h beta K times its start */
    ct_real *answer;       /* [3 n] the last program's solution; its multipliers are cti_contact_row.load */
    int32_t *pivot;        /* [rows] block of a row's pivot (CT_DECOUPLE_PIVOT) */
} cti_dcd_solves;

/* cti_dcd -- data of CT_STEPPER_DCD, which cti_state.own points to. It is made from the bodies when the world is prepared. */
typedef struct cti_dcd {
    cti_forest forest;
    cti_dcd_body *bodies;  /* [surface.n_bodies] */
    int32_t *start;        /* [soft bodies + 1] growable; their first unknowns, and 3 n */
    ct_real *tet_rest;     /* [4 tets] centre at rest and the radius around it that holds the corners */
    ct_real *near_rest;    /* [nv] radius at rest within which a vertex does not meet its own body */
    ct_real *normals;      /* [3 nv] sums of the faces' normals, weighted by angle, for bodies whose inside is decided by normals */
    ct_real *thickness;    /* [nf] [m] thickness of the body behind a face, at rest */
    float *vertex_boxes, *node_boxes; /* [16 nv], [16 n] */
    double *power, *power_step;       /* [3 n] start of the power method; that of the current step */
    double shift;                     /* [J] see cti_judge_shift, over the step */
    cti_dcd_solves solve;
} cti_dcd;

/* cti_dcd_of -- cti_state.own of CT_STEPPER_DCD. */
CTI_INLINE cti_dcd *cti_dcd_of(const cti_state *s) { return (cti_dcd *)s->own; }

/* ---- dcd_detect.c ---- */

/* cti_dcd_prepare -- builds trees and rest data; needs the bodies' `model`, `embedded` and `tet0`, and tet_rest. 0: out of memory. */
CTI_FN int cti_dcd_prepare(cti_state *s);

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
    int iterations, cg;
    int budget;       /* ended above the tolerance */
    int coupled;      /* rows were not decoupled */
    ct_real residual; /* largest entry of |phi + beta| over the largest term in it */
} cti_dcd_solution;
/* cti_dcd_solve -- min 1/2 v'A v - b'v under contact.rows. v [3 n] is the start, then the solution; the rows' r[0] are the multipliers.
   tolerance > 0. 0: out of memory. */
CTI_FN int cti_dcd_solve(cti_state *s, ct_real tolerance, ct_real *v, cti_dcd_solution *out);
/* cti_dcd_decouple -- removes rows (and origins) until no two touch the same block; depth [rows]: the smallest is the deepest. Returns how
   many were removed, or -1 when memory ran out. */
CTI_FN int cti_dcd_decouple(cti_state *s, const double *depth, ct_decouple how);
/* cti_dcd_jacobian -- the rows' normals as scalars, projected onto the motions that constrained blocks have: J [rows][3 n], w [rows] with J
   v + w >= 0; arrays from the arena. 0: out of memory. */
CTI_FN int cti_dcd_jacobian(const cti_state *s, cti_sparse *J, double **out_w);

/* ---- dcd_pivot.c ---- */

/* cti_dcd_pivots -- like cti_dcd_decouple, but rows may share blocks. Rows that stay are put in an order in which each depends only on rows
   before it; cti_dcd.solve.pivot [rows] has the blocks of their pivots. */
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
