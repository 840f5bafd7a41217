/* net.h -- networks of collisions, and corrections of a property (position, speed or acceleration) of their particles.
   A collision c has signed weights S_ci on its particles, so that Q_c = sum S_ci Q_i (eq. 2). A correction X_c [gamma N] spreads as
   M_i^-1 S_ci X_c (eq. 4 and 8). Inverse masses are scalars times a projector, which is 0 for a particle that is held.
   [Volino, Magnenat-Thalmann 2000, Accurate collision response on polygonal meshes, sec. 2.2 and 3] */
#pragma once

#include "../0_base/arena.h"
#include "../1_math/vec.h"
#include "../public/types.h"

/* Directions in which a collision takes part in a solve. */
enum { CTI_NET_OFF, CTI_NET_NORMAL, CTI_NET_TANGENT, CTI_NET_ALL };

/* cti_net_stiff -- particles of bodies that resist being deformed by more than their masses: corrections of them are A^-1 S X, A being the
   matrix of their body's implicit step. */
typedef struct cti_net_stiff {
    int n;                /* 0: there are none, or their masses are meant */
    const int32_t *list;  /* [n] the particles */
    const int32_t *body;  /* [net->n] body of a particle; -1: it is not stiff */
    const ct_real *whole; /* [bodies] what moves a body as a whole: its inverse mass [1/kg]; 0: scripts hold some of it */
    const ct_real *inv;   /* [net->n] inverse masses */
    ct_real *f;           /* [3 n] */
    double (*solve)(void *ctx, ct_real *f); /* f <- A^-1 f at these particles; returns f'A^-1 f */
    void *ctx;
} cti_net_stiff;

/* cti_net -- arrays are the caller's. */
typedef struct cti_net {
    int n, m;                  /* particles, collisions */
    const ct_real *inv;        /* [n] inverse masses [1/kg], 0: held; of stiff particles an estimate of their block of A^-1 */
    cti_net_stiff stiff;
    const int32_t *filter;     /* [n] number of the particle's projector, or -1; NULL: there are none */
    const ct_real *projectors; /* [9 each] */
    const int32_t *start;      /* [m + 1] first weight of each collision */
    const int32_t *particle;   /* [start[m]] */
    const ct_real *S;          /* [start[m]] */
    const ct_real *normal;     /* [3 m + 1] unit, from side b to side a */
    const ct_real *compliance; /* [m] [1/kg] scalars added to H_cc, so that contradictions among complementary collisions have bounded
                                  corrections; NULL: none */
    ct_real soft;              /* factor of `compliance` */
    uint8_t *mode;             /* [m] CTI_NET_*; scratch of cti_net_correct */
    ct_real *work;             /* [4 n + 22 m] scratch */
    int width;                 /* most weights of a collision, at least 4 */
    float *pack;               /* [(8 + 2 width) m] scratch */
} cti_net;

/* cti_net_goal -- what a correction is to reach: n'(Q_c + extra_c) >= target, and of the tangential part as little as friction leaves. */
typedef struct cti_net_goal {
    const ct_real *extra;  /* [3 m] part of the relative property that no particle has */
    const ct_real *target; /* [m] */
    const ct_real *mu;     /* [m] friction; NULL: none */
    const int32_t *order;  /* [m] order of the successive scheme: smallest distance first */
    const ct_real *slack;  /* [m] a collision whose normal value is above its target by more than this is left out at first */
    int is_speed;          /* 1: Q are velocities, and kinetic energy must not rise */
    const ct_real *base;   /* [3 m] forces whose effect Q already has, and from which the solve starts; NULL: none */
    const uint8_t *out;    /* [m] 1: the collision takes no part; NULL: all do */
    const ct_real *first;  /* [m] with base: 0: the collision is left out at first; < 0: it has no base */
    ct_real enough;        /* a solve ends when a turn changes the particles' corrections by less (root mean square, in which heavy particles count
                              as light ones do); 0: never */
    ct_real *lack;         /* out, raised: where a solve for normals ended since its turns, rounds or sweeps were used up, the largest amount by
                              which a normal value stays below its target, over slack [1]; NULL: it is not asked for */
} cti_net_goal;

/* cti_net_value -- Q_c (eq. 2). */
CTI_FN cti_v3 cti_net_value(const cti_net *net, const ct_real *Q, int c);
/* cti_net_inverse -- M_i^-1 v. */
CTI_FN cti_v3 cti_net_inverse(const cti_net *net, int i, cti_v3 v);
/* cti_net_normal_mass -- the reduced mass of eq. 7 along the normal [kg]. A small scalar is added to the inverse, so that an over-constrained
   collision has a mass, too. differs: the inverse is at least `compliance`, where there is one. */
CTI_FN ct_real cti_net_normal_mass(const cti_net *net, int c);
/* cti_net_spread -- out [3 n]: corrections M_i^-1 sum S_ci X_c of the particles (eq. 12), or A^-1 of that; X [3 m]. */
CTI_FN void cti_net_spread(const cti_net *net, const ct_real *X, ct_real *out);
/* cti_net_together -- where weight k of collision c is its first one on a stiff body: the sum of its weights on that body; else 0. */
CTI_FN ct_real cti_net_together(const cti_net *net, int c, int k);
/* cti_net_share -- out [m]: the share in [0, 1] of a collision in what it and its neighbours ask of their particles, H_cc w_c / sum |H_cd| w_d. */
CTI_FN void cti_net_share(const cti_net *net, const ct_real *w, ct_real *out);
/* cti_net_cg -- H X = Y (eq. 16), within the directions of `mode`, by conjugate gradients from X = 0, with a fixed number of turns (sec. 3.3), or
   until one changes the particles' corrections by less than `enough` (root mean square). Returns the turns that were done. */
CTI_FN int cti_net_cg(const cti_net *net, const ct_real *Y, int turns, ct_real enough, ct_real *X);
/* cti_net_masses -- u [4 n] <- M^-1 u, or A^-1 u; returns u'M^-1 u. The fourth number of a particle is scratch. */
CTI_FN double cti_net_masses(const cti_net *net, ct_real *u);
/* cti_net_still -- twice the kinetic energy of corrections of which each is `enough`; heavy particles count no more than four of the lightest,
   so that they do not hide what is left of light ones. */
CTI_FN double cti_net_still(const cti_net *net, ct_real enough);

/* ---- net_normal.c: along the normals of the collisions that are on, with one unknown for each ---- */

/* cti_net_normal_spread -- u [4 n]: corrections M_i^-1 sum S_ci n x_c; returns x'H x. cti_net_normal_value -- n'sum S_ci u_i.
   cti_net_normal_product -- ht [m] = H t. */
CTI_FN double cti_net_normal_spread(const cti_net *net, const ct_real *x, ct_real *u);
CTI_FN ct_real cti_net_normal_value(const cti_net *net, const ct_real *u, int c);
CTI_FN double cti_net_normal_product(const cti_net *net, const ct_real *t, ct_real *ht);
/* cti_net_normal_cg -- as cti_net_cg; y [m]; x [m] in: start, out: solution. Residuals are scaled by the collisions' own mobilities, if
   `compliance` has them. work [2 m]. Turns are in single precision. */
CTI_FN int cti_net_normal_cg(const cti_net *net, const ct_real *y, int turns, ct_real enough, ct_real *x, ct_real *work);

/* cti_net_correct -- X [3 m] and the corrected Q [3 n]. stick [m] is set to 1 where friction stops all tangential motion. Returns the turns. */
CTI_FN int cti_net_correct(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, ct_real *Q, ct_real *X, uint8_t *stick);
/* cti_net_safe -- largest share in [0, 1] of a change dV [3 n] of velocities V [3 n] with which the kinetic energy does not rise. */
CTI_FN ct_real cti_net_safe(const cti_net *net, const ct_real *V, const ct_real *dV);
