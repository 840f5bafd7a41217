/* dcd.h -- the discrete stepper: implicit Euler as a quadratic program, with vertices inside bodies as constraints. [Li, Pan, Huang, Bao,
   Jin 2015]
   Terms:
   program       min 1/2 v'A v - b'v with J v + w >= 0: v are the velocities of the step [m/s], rows of J constraints, multipliers impulses [N s].
   inside        in a tet of the body, or behind its nearest triangle, by normals; a body does not meet what is near at rest.
   free motion   the solution without rows; detection is at its end.
   decouple      to keep rows that share no block (as printed), or whose pivots share none.
   pivot         a block and a direction of its own that a row has; the row's other blocks move it along.
   transform     the change of unknowns x = T z by pivots, after which no two rows share an unknown.
   patch         vertices in rows, connected by the rows' edges and faces; the side of a pair of patches that lies deeper comes first.
   frame         mean velocity of each body: unknowns are differences to it [m/s].
   cut           of a step: into substeps in which no vertex enters a thin part by more than a share of its thickness.
   A new contact law goes into cti_dcd_row_law (normal) and cti_dcd_friction (both dcd.c). */
#pragma once

#include "dcd_policy.h"
#include "../8_step/stepper.h"
#include "../4_programs/program.h"

/* cti_dcd_body -- holds data of discrete detection for a surface body. */
typedef struct cti_dcd_body {
    cti_bvh faces, tets; /* are trees in cti_dcd.forest */
    int model;           /* is that of cti_state.bodies.models whose tets fill the body; -1: none */
    int embedded;        /* 1: its surface is embedded in the tets, 0: it is their boundary */
    int closed;          /* 1: the surface has an inside */
    int tet0;            /* is the first of its tets in cti_dcd.tet_rest */
    int stale;           /* 1: the trees are refitted at the next detection, also those of a body that never moves */
    ct_real edge;        /* is the mean length of its surface's edges at rest [m] */
} cti_dcd_body;

/* cti_dcd_solves -- holds vectors of a step's solves. */
typedef struct cti_dcd_solves {
    ct_real *v_start;        /* [3 n] are velocities at the start of a Newton iteration; later the motion without friction */
    ct_real *solution;       /* [3 n] is that of the last program; its multipliers are cti_contact_row.load */
    int32_t *pivot;          /* [rows] is the block of a row's pivot (CT_DECOUPLE_PIVOT) */
} cti_dcd_solves;

/* cti_dcd -- holds the data of CT_STEPPER_DCD, which cti_state.own points to. It is made from the bodies when the world is prepared. */
typedef struct cti_dcd {
    cti_forest forest;
    cti_dcd_body *bodies;    /* [surface.n_bodies] */
    int32_t *first_unknown;  /* [soft bodies + 1] are the bodies' first unknowns, and 3 n; growable */
    ct_real *tet_rest;       /* [4 tets] is a centre at rest and the radius around it that holds the corners */
    ct_real *self_radius;    /* [nv] is the radius at rest within which a vertex does not meet its own body [m] */
    ct_real *normals;        /* [3 nv] sum the faces' normals, weighted by angle, for bodies whose inside is decided by normals */
    ct_real *thickness;      /* [nf] is that of the body behind a face, at rest [m] */
    float *vertex_boxes, *node_boxes; /* [16 nv], [16 n] */
    double *power, *power_step; /* [3 n] are starts of the power method: that of the step, and that which its try goes on with */
    double kinetic_shift;    /* sums cti_judge_shift over the step [J] */
    cti_dcd_solves solve;
} cti_dcd;

/* cti_dcd_of -- returns cti_state.own of CT_STEPPER_DCD. */
CTI_INLINE cti_dcd *cti_dcd_of(const cti_state *s) { return (cti_dcd *)s->own; }

/* ---- dcd_detect.c ---- */

/* cti_dcd_prepare -- builds trees and rest data; needs the bodies' `model`, `embedded` and `tet0`, and tet_rest. 0: out of memory. */
CTI_FN int cti_dcd_prepare(cti_state *s);

/* cti_dcd_contact -- is a surface vertex that is inside a body or closer to it than the thickness. */
typedef struct cti_dcd_contact {
    cti_pair pair;    /* is VF or PLANE, with weights at the positions of the detection */
    cti_v3 normal;    /* points out of the body */
    ct_real distance; /* < 0: inside [m] */
} cti_dcd_contact;
/* cti_dcd_detect -- appends the contacts at positions q [3 n] of the nodes and x [3 nv] of the surface, body pair by body pair; with_near 0: only
   vertices inside bodies. 0: out of memory. */
CTI_FN int cti_dcd_detect(cti_state *s, const ct_real *q, const ct_real *x, int with_near, cti_dcd_contact **out);

/* ---- dcd_thin.c ---- */

/* cti_dcd_substeps -- returns into how many substeps (>= 1) the motion from x0 to x1 [3 nv] must be cut, so that in one of them no vertex enters a
   body by more than `fraction` of the body's thickness there. 0: out of memory. */
CTI_FN ct_real cti_dcd_substeps(cti_state *s, const ct_real *x0, const ct_real *x1, ct_real fraction);

/* ---- dcd_solve.c ---- */

/* cti_dcd_solution -- says how a solve ended. */
typedef struct cti_dcd_solution {
    int iterations, cg;
    int budget;       /* 1: it ended above the tolerance */
    int coupled;      /* 1: rows were not decoupled */
    ct_real residual; /* is the largest entry of |phi + beta| over the largest term in it */
} cti_dcd_solution;
/* cti_dcd_solve -- solves the program of contact.rows. v [3 n] is the start, then the solution; the rows' r[0] are the multipliers.
   tolerance > 0. 0: out of memory. */
CTI_FN int cti_dcd_solve(cti_state *s, ct_real tolerance, ct_real *v, cti_dcd_solution *out);
/* cti_dcd_decouple -- removes rows (and origins) until no two touch the same block; depth [rows]: the smallest is the deepest. Returns how
   many were removed, or -1 when memory ran out. */
CTI_FN int cti_dcd_decouple(cti_state *s, const double *depth, ct_decouple how);
/* cti_dcd_jacobian -- makes J [rows][3 n] from the rows' normals, projected onto the motions that constrained blocks have, and w [rows] with
   J v + w >= 0; arrays are from the arena. 0: out of memory. */
CTI_FN int cti_dcd_jacobian(const cti_state *s, cti_sparse *J, double **out_w);

/* ---- dcd_pivot.c ---- */

/* cti_dcd_pivots -- removes rows like cti_dcd_decouple, but they may share blocks. Rows that stay are put in an order in which each depends only on
   rows before it; cti_dcd.solve.pivot [rows] gets the blocks of their pivots. */
CTI_FN int cti_dcd_pivots(cti_state *s, const double *depth);
/* cti_dcd_transform -- is x = T z: for each row in order x_p -= q remainder'x, q its direction, so that size q'z_p is the row's value at x. */
typedef struct cti_dcd_transform {
    const int32_t *block; /* [rows] is the block p of each row's pivot */
    double *direction;    /* [3 rows] is the unit direction of the pivot, orthogonal to the others at p */
    double *size;         /* [rows] > 0 */
    uint8_t *first;       /* [rows] 1: no earlier row has its pivot at p */
    double *work;         /* [3 n] is 0 between calls */
    cti_sparse remainder; /* are the rows divided by `size`, without q at p */
} cti_dcd_transform;
/* cti_dcd_transform_make -- makes it for rows J in the order of cti_dcd_pivots; changes J's numbers. Arrays are from the arena. 0: out of memory. */
CTI_FN int cti_dcd_transform_make(const cti_state *s, const cti_sparse *J, cti_dcd_transform *t);
/* cti_dcd_transform_forward, _back, _transposed -- set x <- T x; x <- T^-1 x; y <- T' y. */
CTI_FN void cti_dcd_transform_forward(const cti_dcd_transform *t, double *x);
CTI_FN void cti_dcd_transform_back(const cti_dcd_transform *t, double *x);
CTI_FN void cti_dcd_transform_transposed(const cti_dcd_transform *t, double *y);

/* ---- dcd.c ---- */

/* cti_dcd_step -- makes the step, as cti_step. */
CTI_FN ct_code cti_dcd_step(cti_state *s, ct_real dt, ct_step_report *r);
