/* joint.h -- joints and stitches: where they hold two bodies, and how far the bodies are from what a joint asks for. Knows no time step. */
#ifndef CTI_JOINT_H
#define CTI_JOINT_H

#include "../1_math/vec.h"

enum { CTI_JOINT_NODES = 12 }; /* of one side: three embedded vertices of four nodes each */

/* cti_joint_side -- one side's hold: nodes by weight, an arm in a rigid body's frame, or a point that a script moves (the world's: at rest). */
typedef struct cti_joint_side {
    int32_t n;            /* nodes; 0: rigid or scripted */
    int32_t rigid;        /* number of the rigid body, -1: none */
    int32_t block[CTI_JOINT_NODES];
    ct_real weight[CTI_JOINT_NODES];
    ct_real arm[3];       /* rigid: in the body's frame; scripted: the point before its path begins */
    ct_real triad[9];     /* rows: the joint's axes in the rigid body's frame; scripted: before the path begins */
    const ct_motion_segment *path; /* of a scripted side, the body's own; keyframes do not carry a joint */
    int32_t n_path;
    double t0;            /* when the path begins */
} cti_joint_side;

/* cti_joint -- one or two rows: the points (all axes, or the distance where rest > 0), and the turn of a hinge or a fixed joint. */
typedef struct cti_joint {
    int32_t kind;         /* ct_joint_kind */
    cti_joint_side a, b;
    ct_real compliance;   /* [m/N] */
    ct_real angular_compliance; /* [rad/(N m)] */
    ct_real rest;         /* [m] distance that a stitch keeps; 0: the points meet */
    ct_real lever;        /* [m] > 0: a turn times this counts as a distance */
    uint64_t key;         /* of its first row; + 1 of its second */
} cti_joint;

/* cti_joint_axes -- rows axis, t1, t2: orthonormal. */
CTI_FN void cti_joint_axes(cti_v3 axis, ct_real *out);
/* cti_joint_turn -- rotation vector [rad], world axes, that takes triad b to triad a (rows: axes in the world, orthonormal); of a hinge its
   part across the axis: the smallest turn that takes b's axis to a's. Good up to half a turn. */
CTI_FN cti_v3 cti_joint_turn(const ct_real *a, const ct_real *b, int hinge);
/* cti_joint_left -- what may remain of an error e after `most` of it was taken back. */
CTI_FN cti_v3 cti_joint_left(cti_v3 e, ct_real most);

#endif /* CTI_JOINT_H */
