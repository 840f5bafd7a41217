/* joint.h -- joints and stitches: where they hold two bodies, and how large the error of their constraint is. This file knows no time step.
   */
#pragma once

#include "../1_math/vec.h"

/* parts of a joint: its points, its rotation, its lower and upper limit, its motor or drag. Each is a row */
enum { CTI_PART_POINT, CTI_PART_TURN, CTI_PART_LOWER, CTI_PART_UPPER, CTI_PART_DRIVE, CTI_PARTS };

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

/* cti_drive -- what a program sets of a joint: its limits, and a motor, which for a drag acts along all axes. Its effort is -stiffness (value - target)
   - damping (rate - speed), or without stiffness and damping what makes the rate the speed; both at the end of a step. Units are those of the value, rad
   and N m of a hinge, m and N of others. */
typedef struct cti_drive {
    ct_real lower, upper; /* -+INFINITY: none */
    ct_real speed, target, stiffness, damping;
    ct_real most;         /* largest effort, may be INFINITY; 0: no motor */
} cti_drive;

/* cti_joint -- becomes a row for its points (all three axes, their distance if rest > 0, or the two across a slider), one for the rotation of a hinge, a
   slider or a fixed joint, and those of its drive. */
typedef struct cti_joint {
    int32_t kind;         /* ct_joint_kind */
    cti_joint_side a, b;
    ct_real compliance;   /* [m/N] */
    ct_real angular_compliance; /* [rad/(N m)] */
    ct_real rest;         /* [m] distance that a stitch keeps; 0: the points meet */
    ct_real lever;        /* [m] > 0: a rotation error times this counts as a distance */
    cti_drive drive;
    int32_t body[2];      /* number of each side's body in the surface, -1: none */
    uint64_t key;         /* even; see cti_joint_key */
    ct_real slack;    /* [m] error that the last attempt allowed it; 0: there was none */
} cti_joint;

/* cti_joint_key -- key of the row of a part. */
CTI_INLINE uint64_t cti_joint_key(const cti_joint *j, int part) { return (j->key + (uint64_t)(part & 1)) ^ (uint64_t)(part >> 1) << 60; }
/* cti_joint_has -- 1 if a joint has a part. */
CTI_FN int cti_joint_has(const cti_joint *j, int part);
/* cti_joint_value -- the angle [rad] of a hinge, in (-pi, pi], or the way [m] of a slider: of side a, whose triad is a and which is d away from side b,
   relative to side b along b's axis. */
CTI_FN ct_real cti_joint_value(const cti_joint *j, const ct_real *a, const ct_real *b, cti_v3 d);
/* cti_joint_gap -- how far a value is from the limit CTI_PART_LOWER or CTI_PART_UPPER; below 0 behind it. */
CTI_FN ct_real cti_joint_gap(const cti_joint *j, int part, ct_real value);
/* cti_joint_lag -- how far a value is ahead of the drive's target; of a hinge in (-pi, pi]. */
CTI_FN ct_real cti_joint_lag(const cti_joint *j, ct_real value);
/* cti_joint_axes -- rows axis, t1, t2: orthonormal. */
CTI_FN void cti_joint_axes(cti_v3 axis, ct_real *out);
/* cti_joint_turn -- the rotation vector [rad], in world axes, that takes triad b to triad a (rows: orthonormal axes in the world). For a
   hinge: the smallest rotation that takes b's axis to a's, a vector across the axis. Valid up to half a turn. */
CTI_FN cti_v3 cti_joint_turn(const ct_real *a, const ct_real *b, int hinge);
/* cti_joint_apart -- the same in double. */
CTI_FN void cti_joint_apart(const double *a, const double *b, int is_hinge, double *out);
/* cti_joint_left -- the error that remains of e if at most `most` of it may be corrected. */
CTI_FN cti_v3 cti_joint_left(cti_v3 e, ct_real most);
