/* joint.h -- joints and stitches: where they hold two bodies, and how large the error of their constraint is. This file knows no time step.
   */
#pragma once

#include "../1_math/vec.h"

enum { CTI_JOINT_NODES = 12 }; /* most nodes of one side: three embedded vertices with four nodes each */

/* cti_joint_side -- the point at which one side of a joint holds: weighted nodes, an arm in a rigid body's frame, or a scripted point (a
   point of the world is one that never moves). */
typedef struct cti_joint_side {
    int32_t n;            /* nodes; 0: rigid or scripted */
    int32_t rigid;        /* number of the rigid body, -1: none */
    int32_t block[CTI_JOINT_NODES];
    ct_real weight[CTI_JOINT_NODES];
    ct_real arm[3];       /* rigid: in the body's frame; scripted: the point at the path's start */
    ct_real triad[9];     /* rows are the joint's axes; rigid: in the body's frame; scripted: at the path's start */
    const ct_motion_segment *path; /* the scripted body's own path */
    int32_t n_path;
    double t0;            /* when the path begins */
    const ct_real *keyframes; /* [n_keyframes][3 n_vertices] of the scripted body, whose vertices [3], -1: none, hold with the weights
                                 above; NULL: the arm does */
    int32_t n_keyframes, n_vertices, vertices[3];
    double interval;      /* [s] between keyframes */
} cti_joint_side;

/* cti_joint -- becomes one or two rows: one for the points (all three axes, or their distance if rest > 0), one for the rotation of a hinge
   or a fixed joint. */
typedef struct cti_joint {
    int32_t kind;         /* ct_joint_kind */
    cti_joint_side a, b;
    ct_real compliance;   /* [m/N] */
    ct_real angular_compliance; /* [rad/(N m)] */
    ct_real rest;         /* [m] distance that a stitch keeps; 0: the points meet */
    ct_real lever;        /* [m] > 0: a rotation error times this counts as a distance */
    int32_t body[2];      /* number of each side's body in the surface, -1: none */
    uint64_t key;         /* key of its first row; key + 1 is that of its second */
    ct_real slack;    /* [m] error that the last attempt allowed it; 0: there was none */
} cti_joint;

/* cti_joint_axes -- rows axis, t1, t2: orthonormal. */
CTI_FN void cti_joint_axes(cti_v3 axis, ct_real *out);
/* cti_joint_turn -- the rotation vector [rad], in world axes, that takes triad b to triad a (rows: orthonormal axes in the world). For a
   hinge: the smallest rotation that takes b's axis to a's, a vector across the axis. Valid up to half a turn. */
CTI_FN cti_v3 cti_joint_turn(const ct_real *a, const ct_real *b, int hinge);
/* cti_joint_apart -- the same in double. */
CTI_FN void cti_joint_apart(const double *a, const double *b, int is_hinge, double *out);
/* cti_joint_left -- the error that remains of e if at most `most` of it may be corrected. */
CTI_FN cti_v3 cti_joint_left(cti_v3 e, ct_real most);
