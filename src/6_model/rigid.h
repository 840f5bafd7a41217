/* rigid.h -- one rigid body: mass properties, orientation, free rotation. Its two blocks are the velocity of the centre of mass and the
   angular velocity, both in world axes. */
#pragma once

#include "../1_math/vec.h"

/* cti_rigid -- the body frame has its origin at the centre of mass and the axes of the mesh that the body was added with. R = R(q) takes it
   to the world. */
typedef struct cti_rigid {
    int32_t block;       /* linear; block + 1 is angular */
    ct_real mass;        /* [kg] */
    ct_real inertia[9];  /* about the centre of mass, body frame [kg m^2] */
    ct_real q[4];        /* orientation, unit quaternion w, x, y, z */
    ct_real spin[3];     /* angular momentum, world [N m s] */
    ct_real q_new[4];    /* at the tentative end of the step */
    ct_real I_mid[9];    /* world inertia at the middle of the step's free rotation */
    ct_real w_mid[3];    /* angular velocity there: I_mid w_mid = spin */
    ct_real q_free[4];   /* orientation at the end of the free rotation, where that is computed in several pieces */
    int has_q_free;      /* 1: q_free is valid */
    int linkage_mode;    /* not 0: joints without compliance hold it, and this says what moves it: CTI_LINKAGE_* (linkage.h) */
    int linked;          /* 1: its joints allow its velocities, which are of the present time */
    ct_real v_before[6]; /* end.v of its two blocks before the fail-safe */
    /* of CT_STEPPER_BARRIER, whose rigid bodies are x = p + A X: */
    ct_real affine[9], affine_rate[9];  /* A at the end of the last step, and its rate [1/s] */
    ct_real affine_q[4], affine_spin[3]; /* orientation and spin that the step left; where the body has others, the user has set them */
    ct_real affine_v[3];                /* velocity of the centre that the step left */
    ct_real affine_v0[9], affine_u0[9]; /* BDF2: A's rate at the start of that step, and on average over it */
    int affine_known;                   /* 1: there was such a step */
} cti_rigid;

/* cti_rigid_mass -- mass [kg], centre [3] and inertia [9] about it of a closed surface, positions [3 n], triangles [3 n_triangles]
   counter-clockwise from outside. Returns the volume [m^3]; if that is 0 or less, the outputs are meaningless. */
CTI_FN double cti_rigid_mass(const ct_real *positions, const int32_t *triangles, int n_triangles, double density, double *out_mass,
                             double *out_center, double *out_inertia);
/* cti_rigid_matrix -- R [9] of a unit quaternion. */
CTI_FN void cti_rigid_matrix(const ct_real *q, ct_real *R);
/* cti_rigid_frame -- R [9] that the body's vertices are at: A where CT_STEPPER_BARRIER has left the orientation, else that of q. */
CTI_FN void cti_rigid_frame(const cti_rigid *b, ct_real *R);
/* cti_rigid_turn -- out [4] = exp(turn) q, turn [rad] a rotation vector in world axes; normalized. */
CTI_FN void cti_rigid_turn(const ct_real *q, cti_v3 turn, ct_real *out);
/* cti_rigid_arm -- an arm that turns by exp(s turn), s from 0 to 1: the one at s = 1/2, by which its end moves by turn x arm but for the third order,
   and `late` [0..1] of the way from there to the arm at the end. */
CTI_FN cti_v3 cti_rigid_arm(cti_v3 turn, cti_v3 arm, ct_real late);
/* cti_rigid_inertia -- R I R' [9] at orientation q. */
CTI_FN void cti_rigid_inertia(const cti_rigid *b, const ct_real *q, ct_real *out);
/* cti_rigid_rate -- angular velocity at orientation q: (R I R')^-1 spin. */
CTI_FN cti_v3 cti_rigid_rate(const cti_rigid *b, const ct_real *q);
/* cti_rigid_free -- computes I_mid and w_mid of a torque-free step dt; for a fast rotation also q_free. */
CTI_FN void cti_rigid_free(cti_rigid *b, ct_real dt);
/* cti_rigid_go -- q_new after a step dt at angular velocity w. */
CTI_FN void cti_rigid_go(cti_rigid *b, cti_v3 w, ct_real dt);
/* cti_rigid_gyration -- radius of gyration [m], which converts an angular velocity to a speed. */
CTI_FN ct_real cti_rigid_gyration(const cti_rigid *b);
/* cti_rigid_turning -- the body whose angular block this is, or NULL; rigid_of [blocks]: index in `rigids` of a block's body, or -1. */
CTI_FN const cti_rigid *cti_rigid_turning(const cti_rigid *rigids, const int32_t *rigid_of, int block);
/* cti_rigid_lever -- what makes a speed of a block's velocity: 1, or for an angular block the radius of gyration [m]. */
CTI_FN ct_real cti_rigid_lever(const cti_rigid *rigids, const int32_t *rigid_of, int block);
CTI_FN double cti_rigid_energy(const cti_rigid *b); /* rotational energy [J] */
