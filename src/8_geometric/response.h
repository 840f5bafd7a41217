/* response.h -- collisions as one system of equations, and corrections of a property (position, speed or acceleration) of their particles.
   A collision c has signed weights S_ci on its particles, so that Q_c = sum S_ci Q_i (eq. 2). A correction X_c [gamma N] spreads as
   M_i^-1 S_ci X_c (eq. 4 and 8). Inverse masses are scalars times a projector, which is 0 for a particle that is held.
   [Volino, Magnenat-Thalmann 2000, Accurate collision response on polygonal meshes, sec. 2.2 and 3] */
#pragma once

#include "../0_base/arena.h"
#include "../1_math/vec.h"
#include "../public/types.h"
#include "geometric_policy.h"

#define CTI_RESPONSE_ROUNDED (1024 * (double)CTI_EPS) /* [1] what is below this share of the start is rounding */

/* Directions in which a collision takes part in a solve. */
enum { CTI_RESPONSE_OFF, CTI_RESPONSE_NORMAL, CTI_RESPONSE_TANGENT, CTI_RESPONSE_ALL };

/* cti_response_stiff -- lists particles of bodies that resist being deformed by more than their masses: corrections of them are A^-1 S X, A being
   the matrix of their body's implicit step. */
typedef struct cti_response_stiff {
    int n;                            /* counts them; 0: there are none, or their masses are meant */
    const int32_t *particles;         /* [n] */
    const int32_t *body_of;           /* [sys->n] is the body of a particle; -1: it is not stiff */
    const ct_real *body_inverse_mass; /* [bodies] is that of the body as a whole [1/kg]; 0: scripts hold some of it */
    const ct_real *inv;               /* [sys->n] are inverse masses */
    ct_real *f;                       /* [3 n] is scratch */
    double (*solve)(void *ctx, ct_real *f); /* sets f <- A^-1 f at these particles; returns f'A^-1 f */
    void *ctx;
} cti_response_stiff;

/* cti_response -- is the system; its arrays are the caller's. */
typedef struct cti_response {
    int n, m;                  /* count particles, collisions */
    const ct_real *inv;        /* [n] are inverse masses [1/kg], 0: held; of stiff particles an estimate of their block of A^-1 */
    cti_response_stiff stiff;
    const int32_t *filter;     /* [n] is the number of the particle's projector, or -1; NULL: there are none */
    const ct_real *projectors; /* [9 each] */
    const int32_t *start;      /* [m + 1] is the first weight of each collision */
    const int32_t *particle;   /* [start[m]] is the particle of a weight */
    const ct_real *S;          /* [start[m]] are the weights */
    const ct_real *normal;     /* [3 m + 1] point from side b to side a */
    const ct_real *compliance; /* [m] are scalars added to H_cc, so that contradictions among complementary collisions have bounded
                                  corrections [1/kg]; NULL: none */
    ct_real compliance_factor; /* multiplies `compliance` */
    const ct_real *least;      /* [m] is how far a solve for normals may lower that of a collision whose compliance gives too much; NULL: 1 */
    const ct_real *softness;   /* [m] are these factors in such a solve; else NULL */
    uint8_t *mode;             /* [m] is CTI_RESPONSE_*; scratch of cti_response_correct */
    ct_real *work;             /* [4 n + 22 m] is scratch */
    int width;                 /* is the largest number of weights of a collision, at least 4 */
    float *pack;               /* [(8 + 2 width) m] is scratch */
} cti_response;

/* cti_response_goal -- says what a correction is to reach: n'(Q_c + offset_c) >= target, and of the tangential part as little as friction leaves. */
typedef struct cti_response_goal {
    const ct_real *offset;     /* [3 m] is the part of the relative property that no particle has */
    const ct_real *target;     /* [m] */
    const ct_real *mu;         /* [m] is the coefficient of friction; NULL: there is none */
    const int32_t *order;      /* [m] is the order of the successive scheme: smallest distance first */
    const ct_real *slack;      /* [m] a collision whose normal value is above its target by more than this is left out at first */
    int is_speed;              /* 1: Q are velocities, and kinetic energy must not rise */
    const ct_real *warm_start; /* [3 m] are forces whose effect Q already has, and from which the solve starts; NULL: none */
    const uint8_t *excluded;   /* [m] 1: the collision takes no part; NULL: all do */
    const ct_real *start_force; /* [m] with warm_start: its normal force; 0: the collision is left out at first; < 0: it has no warm start */
    ct_real tolerance;         /* ends a solve when a turn changes the particles' corrections by less (root mean square, in which heavy particles
                                  count as light ones do); 0: never */
    ct_real *shortfall;        /* out, raised: where a solve for normals ended since its turns, rounds or sweeps were used up, the largest amount by
                                  which a normal value stays below its target, over slack [1]; NULL: it is not asked for */
} cti_response_goal;

/* cti_response_value -- returns Q_c (eq. 2). */
CTI_FN cti_v3 cti_response_value(const cti_response *sys, const ct_real *Q, int c);
/* cti_response_inverse -- returns M_i^-1 v. */
CTI_FN cti_v3 cti_response_inverse(const cti_response *sys, int i, cti_v3 v);
/* cti_response_normal_mass -- returns the reduced mass of eq. 7 along the normal [kg]. A small scalar is added to the inverse, so that an
   over-constrained collision has a mass, too. differs: the inverse is at least `compliance`, where there is one. */
CTI_FN ct_real cti_response_normal_mass(const cti_response *sys, int c);
/* cti_response_spread -- sets out [3 n] to corrections M_i^-1 sum S_ci X_c of the particles (eq. 12), or A^-1 of that; X [3 m]. */
CTI_FN void cti_response_spread(const cti_response *sys, const ct_real *X, ct_real *out);
/* cti_response_body_weight -- returns the sum of a collision's weights on a stiff body, where weight k is its first one on that body; else 0. */
CTI_FN ct_real cti_response_body_weight(const cti_response *sys, int c, int k);
/* cti_response_shares -- sets out [m] to the share in [0, 1] of a collision in what it and its neighbours ask of their particles,
   H_cc w_c / sum |H_cd| w_d. */
CTI_FN void cti_response_shares(const cti_response *sys, const ct_real *w, ct_real *out);
/* cti_response_cg -- solves H X = Y (eq. 16), within the directions of `mode`, by conjugate gradients from X = 0, with a fixed number of turns
   (sec. 3.3), or until one changes the particles' corrections by less than `tolerance` (root mean square). Returns the turns that were done. */
CTI_FN int cti_response_cg(const cti_response *sys, const ct_real *Y, int turns, ct_real tolerance, ct_real *X);
/* cti_response_inverse_all -- sets u [4 n] <- M^-1 u, or A^-1 u; returns u'M^-1 u. The fourth number of a particle is scratch. */
CTI_FN double cti_response_inverse_all(const cti_response *sys, ct_real *u);
/* cti_response_tolerance_energy -- returns twice the kinetic energy of corrections of which each is `tolerance`; heavy particles count no more than
   four of the lightest, so that they do not hide what is left of light ones. */
CTI_FN double cti_response_tolerance_energy(const cti_response *sys, ct_real tolerance);

/* ---- response_normal.c: along the normals of the collisions that are on, with one unknown for each ---- */

/* cti_response_normal_spread -- sets u [4 n] to corrections M_i^-1 sum S_ci n x_c; returns x'H x. cti_response_normal_compliance -- returns what is
   added to H_cc. cti_response_normal_value -- returns n'sum S_ci u_i. cti_response_normal_product -- sets ht [m] = H t; returns t'H t. */
CTI_FN double cti_response_normal_spread(const cti_response *sys, const ct_real *x, ct_real *u);
CTI_FN ct_real cti_response_normal_value(const cti_response *sys, const ct_real *u, int c);
CTI_FN ct_real cti_response_normal_compliance(const cti_response *sys, int c);
CTI_FN double cti_response_normal_product(const cti_response *sys, const ct_real *t, ct_real *ht);
/* cti_response_normal_cg -- solves as cti_response_cg; y [m]; x [m] in: start, out: solution. Residuals are scaled by the collisions' own mobilities,
   if `compliance` has them. work [2 m]. Turns are in single precision. */
CTI_FN int cti_response_normal_cg(const cti_response *sys, const ct_real *y, int turns, ct_real tolerance, ct_real *x, ct_real *work);

/* cti_response_correct -- sets X [3 m], and corrects Q [3 n]. stick [m] is set to 1 where friction stops all tangential motion. Returns the turns. */
CTI_FN int cti_response_correct(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, ct_real *Q, ct_real *X,
                                uint8_t *stick);
/* cti_response_safe_share -- returns the largest share in [0, 1] of a change dV [3 n] of velocities V [3 n] with which the kinetic energy does not
   rise. */
CTI_FN ct_real cti_response_safe_share(const cti_response *sys, const ct_real *V, const ct_real *dV);
