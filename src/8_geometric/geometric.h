/* geometric.h -- the geometric stepper: collisions are corrections of positions, speeds and accelerations, between the forces and an implicit
   integration. [Volino, Magnenat-Thalmann 2000, Accurate collision response on polygonal meshes] */
#pragma once

#include "../7_contact/candidates.h"
#include "../8_step/stepper.h"
#include "net.h"
#include "regions.h"

#define CTI_GEOMETRIC_MARGIN CTI_R(1.25) /* [thickness] pairs below are collisions also when they do not move */
#define CTI_GEOMETRIC_SLACK CTI_R(0.25)  /* [thickness] that a vertex may leave its predicted box by before candidates are found anew */

/* cti_geometric_hit -- a collision: a proximity, or an intersection of the motion, whose side is that before it. */
typedef struct cti_geometric_hit {
    cti_pair pair;
    cti_v3 normal;       /* unit, from side b to side a */
    ct_real distance;    /* [m] of the closest points */
    ct_real thickness, mu;
    int elastic, part;   /* number of its joint + 1, and the axis; 0: it is a collision */
    ct_real want, mass;  /* [m/s] of an elastic: the relative speed that it is to have on the way; [kg] weight of the speed that it lacks */
    cti_v3 script;       /* [m/s] relative velocity that scripts alone give the closest points */
} cti_geometric_hit;

/* cti_geometric_forces -- what the corrections are of each collision. */
typedef struct cti_geometric_forces {
    ct_real *force; /* [3 m] of the acceleration correction [N] */
    ct_real *speed; /* [3 m] impulses of the speed correction [N s] */
    ct_real *place; /* [3 m] of the position correction [kg m] */
    ct_real *last;  /* [3 m] impulses of the correction of speeds on the way [N s] */
    ct_real *rest;  /* [3 m] impulses of the correction of the midpoint's remaining state [N s] */
    ct_real *J;     /* [3 m] impulses of the whole substep [N s] */
    ct_real *asked; /* [3 m] what the acceleration correction asks for if speeds stay, without friction's bound [N s] */
    ct_real *share; /* [m] share M_c of eq. 25 [kg] */
    ct_real *mass;  /* [m] that, of the collisions in the matrix; else 0 */
    ct_real *hold;  /* [m] [1] share of its sliding that friction resists: 1 where it sticks, less at its bound */
    ct_real *slide; /* [3 m] unit direction of friction at its bound; else 0 */
    ct_real *bound; /* [m] friction's bound [N s] */
    ct_real *slip;  /* [m] [1] share of the sliding of a collision, within what others leave of it, that interaction_damping takes in a substep */
} cti_geometric_forces;

/* cti_geometric_ask -- what a correction is to reach; see cti_net_goal. */
typedef struct cti_geometric_ask {
    ct_real *extra, *target, *mu, *slack;
    ct_real *distance; /* [m] [m] after the position correction */
    uint8_t *out;
    ct_real lack; /* [1] of the corrections of speeds and accelerations */
} cti_geometric_ask;

/* cti_geometric_scratch -- of the network's solves; see cti_net. */
typedef struct cti_geometric_scratch {
    ct_real *work;
    float *pack;
} cti_geometric_scratch;

/* cti_geometric_stiffs -- of the particles whose corrections go through the matrix of their body (geometric_stiff.c); arrays are growable. */
typedef struct cti_geometric_stiffs {
    int32_t *list, *bodies; /* these particles; components of A */
    int32_t *body;          /* [particles] number in `bodies` or -1 */
    ct_real *whole, *inv, *compliance, *f; /* as of cti_net */
} cti_geometric_stiffs;

/* cti_geometric_net -- the network of a substep's collisions; arrays are growable. */
typedef struct cti_geometric_net {
    cti_net net;
    int32_t *local;      /* [blocks] number of a block among the particles, or -1 */
    int32_t *blocks;     /* [particles] */
    ct_real *inv, *S, *normal, *compliance;
    cti_geometric_scratch scratch;
    cti_geometric_stiffs stiff;
    int first;           /* first weight of the collision that is being built */
    int32_t *filter, *start, *particle, *order;
    uint8_t *mode, *stick, *slide;
    ct_real *Q, *before; /* [3 particles] the property that is corrected; what it was */
    cti_geometric_ask ask;
    cti_geometric_forces forces;
} cti_geometric_net;

/* cti_geometric_memory -- forces of the last substep's acceleration correction (geometric_memory.c). */
typedef struct cti_geometric_memory {
    uint64_t *keys;      /* [old] of its collisions */
    ct_real *force;      /* [3 old] [N] */
    ct_real *before;     /* [3 old] their mean before that substep, over a time as long as it [N] */
    ct_real h;           /* [s] the length of that substep */
    int32_t *table;      /* hash table of the keys: entry + 1, or 0 */
    int tabled;          /* 1: it is made */
    uint64_t *now;       /* [m] keys of the collisions at hand */
    ct_real *first;      /* [m] their normal forces; 0: there was none, or it is an elastic; -1: the collision is new */
    ct_real *mean;       /* [3 m] their mean over the last time that is as long as this substep [N] */
    ct_real *base;       /* [3 m] share of their forces that acts in the free motion, and that corrections start from */
    uint64_t *start_keys;  /* keys, force, before, h at the start of the step, for one that is taken back */
    ct_real *start_force, *start_before, start_h;
} cti_geometric_memory;

/* cti_geometric_crossing -- the hierarchies of regions, and scratch of detection. */
typedef struct cti_geometric_crossing {
    ct_real *speed;       /* [3 nv] velocities of the surface's vertices */
    cti_regions *regions; /* growable: of each body that may meet itself (geometric_regions.c) */
    ct_real *toi;         /* of the pairs of a list */
    uint8_t *stopped; /* [blocks] 1: the fail-safe has stopped it in this step */
    cti_pair pair; /* one that crosses; n 0: none */
} cti_geometric_crossing;

/* cti_geometric_account -- energy that the integration moves [J], at the velocities of the way. */
typedef struct cti_geometric_account {
    double script, pins, joints, recovery, contact, damping; /* entries of the report */
    double late;         /* work of pins against impulses after the integration */
} cti_geometric_account;

/* cti_geometric_implicit -- vectors of the implicit step. */
typedef struct cti_geometric_implicit {
    ct_real *y;          /* [3 blocks] right side */
    ct_real *free;       /* [3 blocks] accelerations with the remembered forces alone: of the last substep, then of this one */
    ct_real *gain;       /* [3 blocks] accelerations of the last substep; 0 before the first one */
    ct_real *solve;      /* [21 blocks] scratch of the linear solve */
    ct_real *body_mass;  /* [components of A] [kg] */
    uint8_t *is_stiff;   /* [components of A] 1: a body of volume elements */
    ct_real *tie_mass;   /* [components of A] [kg] that, over the number of elastics that it has */
    ct_real *scale, *error; /* [components of A] of a solve: what residuals are measured by; the residuals */
    ct_real tolerance, left; /* [1] largest residual over its scale that a solve is to have, and has */
    ct_real *way, *along;/* [3 blocks] the change of velocities that turns free bodies as a whole, and A times it */
    ct_real *spun, *spin;/* [3 blocks] what turning does to the velocities of free bodies (cti_geometric_spins) */
    int turns;           /* 1: forces of some body are linearized where its rotation brings it */
    int renewals;        /* substeps to come that begin with new factors */
    cti_geometric_account account;
} cti_geometric_implicit;

/* cti_geometric_known -- what the last step has found out of its end. */
typedef struct cti_geometric_known {
    ct_real *x_last;     /* [3 nv] surface there */
    int is_clean;        /* 1: the surface does not intersect itself at surface.x0 */
    int is_known;        /* 1: is_clean was found out at x_last */
} cti_geometric_known;

/* cti_geometric_scope -- what the lists of pairs cover. */
typedef struct cti_geometric_scope {
    ct_real *lo, *hi; /* [3 n_moving] boxes */
    ct_real *from, *to; /* [3 nv] the motion that they were made for */
    int covered;      /* 1: they and the lists are known */
    int measured;     /* 1: distances of the lists are those at surface.x0 */
    int wide;         /* 1: the lists are to have all pairs within 2 thicknesses */
    ct_real thinned;  /* [m] with `measured`: the largest way for which thicknesses were asked for */
    ct_real way;      /* [m] longest way of a vertex in the motion that the boxes were made for */
} cti_geometric_scope;

/* cti_geometric_run -- what a try of a step adds up. */
typedef struct cti_geometric_run {
    double lift, kick; /* [J] that recovery may need: of heights, and of the speed that its fastest substep gives */
    int cut;          /* 1: the fail-safe has stopped blocks */
    int crossing;     /* 1: a motion with crossings was taken */
} cti_geometric_run;

/* cti_geometric -- data of CT_STEPPER_GEOMETRIC. */
typedef struct cti_geometric {
    cti_geometric_scope scope;
    cti_candidates list[CTI_LISTS];
    uint8_t *rests[2];          /* [n] of VF and EE, 1: both features are of one body, and hat is not yet limited by their distance at rest */
    uint8_t *forced[CTI_LISTS]; /* [n] 1: the pair crosses in the motion, or comes near, and is a collision whatever its distance is */
    cti_geometric_hit *hits;
    cti_geometric_net q;
    cti_geometric_memory memory;
    cti_geometric_crossing crossing;
    ct_real *ways;       /* [models] by which features of a body, or of those that touch it, are to move apart in a substep [m] */
    ct_real *share;      /* [blocks] share of its motion that a block keeps */
    ct_real *v, *dv, *dx, *last, *rest; /* [3 blocks] velocity within the substep; its change by the integration; corrections of the position, of
                                           speeds on the way, and of the midpoint's remaining state */
    cti_geometric_implicit implicit;
    cti_geometric_known known;
    cti_geometric_run run;
} cti_geometric;

/* cti_geometric_own -- the stepper's data of a state. */
CTI_INLINE cti_geometric *cti_geometric_own(const cti_state *s) { return (cti_geometric *)s->own; }

/* cti_geometric_printed -- 1: CT_SOLVER_GEOMETRIC_CG, the paper's scheme: all collisions are equations, conjugate gradients begin at 0 and take
   all their turns. */
CTI_INLINE int cti_geometric_printed(const cti_state *s) { return s->desc.solver.solver == CT_SOLVER_GEOMETRIC_CG; }

/* cti_geometric_share -- when the implicit step evaluates forces, as a share of the substep: 1 (Euler), 1/2 (midpoint). Positions move at the
   velocities of that time. */
CTI_INLINE ct_real cti_geometric_share(const cti_state *s) { return s->desc.integrator == CT_INTEGRATOR_MIDPOINT ? CTI_R(0.5) : 1; }

/* ---- geometric_candidates.c ---- */

/* cti_geometric_motion_bound -- longest way of a vertex from surface.x0 to surface.x1. */
CTI_FN ct_real cti_geometric_motion_bound(const cti_surface *f);
/* cti_geometric_cover -- candidates for all motions from surface.x0 within boxes around surface.x1. 0: out of memory. */
CTI_FN int cti_geometric_cover(cti_state *s);
/* cti_geometric_distances -- squared distances and features of all lists at surface.x0, if they are not known yet; thicknesses of pairs that a
   motion of `most` may bring together. 0: out of memory. */
CTI_FN int cti_geometric_distances(cti_state *s, ct_real most);

/* ---- geometric_find.c ---- */

/* cti_geometric_release -- no pair is forced any more. */
CTI_FN void cti_geometric_release(cti_state *s);
/* cti_geometric_find -- the collisions at surface.x0 of a substep h whose scripts end at surface.script. 0: out of memory. */
CTI_FN int cti_geometric_find(cti_state *s, ct_real h);
/* cti_geometric_cross -- pairs that cross on the way from surface.x0 to surface.x1: each is marked as forced, and the blocks of its vertices
   keep, in `share`, less of their motion. Returns their number; -1: out of memory. */
CTI_FN int cti_geometric_cross(cti_state *s, int cut);
/* cti_geometric_miss -- after it: pairs that are no collision of a substep h, and that are nearer than position_distance at surface.x1. Each is
   marked as forced. Returns their number. */
CTI_FN int cti_geometric_miss(cti_state *s, ct_real h);
/* cti_geometric_measure -- smallest distance, and smallest distance over thickness, of the candidates at surface.x0. 0: out of memory. */
CTI_FN int cti_geometric_measure(cti_state *s, ct_step_report *r);
/* cti_geometric_count -- pairs (edge through face) that intersect at surface.x0, and vertices behind a plane; -1: out of memory. */
CTI_FN int cti_geometric_count(cti_state *s);

/* ---- geometric_features.c ---- */

/* cti_geometric_reduce -- reduces a pair of two features to those that its closest points are in. 0: another pair has them.
   cti_geometric_is_nearest -- 1 where each of the features of an EE, VE or VV pair is the nearest of its neighbourhood to the other. edges: those of
   an EE pair. */
CTI_FN int cti_geometric_reduce(const cti_surface *f, int face, cti_pair *p, int feature);
CTI_FN int cti_geometric_is_nearest(const cti_surface *f, const int32_t *edges, const cti_pair *p);

/* ---- geometric_regions.c ---- */

/* cti_geometric_regions_prepare -- a hierarchy of regions for each body that may meet itself. 0: out of memory.
   cti_geometric_regions_pairs -- appends their pairs with themselves to the lists. 0: out of memory.
   cti_geometric_regions_hold -- 1: those of the lists hold for the motion to surface.x1, too; -1: out of memory. */
CTI_FN int cti_geometric_regions_prepare(cti_state *s);
CTI_FN int cti_geometric_regions_pairs(cti_state *s);
CTI_FN int cti_geometric_regions_hold(cti_state *s);
CTI_FN void cti_geometric_regions_free(cti_state *s);

/* ---- geometric_correct.c ---- */

/* cti_geometric_build -- the network of the hits of a substep h. 0: out of memory. */
CTI_FN int cti_geometric_build(cti_state *s, ct_real h);
/* cti_geometric_weight -- adds a block's weight to the collision that is being built; the same block has one weight. 0: out of memory. */
CTI_FN int cti_geometric_weight(cti_state *s, int block, ct_real w);
/* cti_geometric_correct -- the three corrections of a substep h: dx, v, and the forces X of the acceleration correction, from the forces in
   system.force. Returns the turns of conjugate gradients. */
CTI_FN int cti_geometric_correct(cti_state *s, ct_real h);
/* cti_geometric_correct_end -- last: what the speeds of the way lack, where a collision would come nearer than speed_distance.
   cti_geometric_correct_rest -- rest: what the midpoint rule's extrapolation adds to relative speeds of collisions that push. Both return the
   turns. */
CTI_FN int cti_geometric_correct_end(cti_state *s, ct_real h);
CTI_FN int cti_geometric_correct_rest(cti_state *s);
/* cti_geometric_targets -- normal targets of the corrections (eq. 17-19) of a collision at distance p with wanted distance p0, normal speed
   u, in a step h: the wanted distance; the speed; the acceleration, of which -1.5 u / h is a part. */
CTI_FN ct_real cti_geometric_speed_target(ct_real p0, ct_real p, ct_real h);
CTI_FN ct_real cti_geometric_acceleration_target(ct_real p0, ct_real p, ct_real u, ct_real h);

/* cti_geometric_recovery -- [m] the longest way that a collision is separated by in a substep, at recovery_speed. A step that is divided since it
   gains energy separates it by no more than one thickness, so that shorter substeps recover no faster. */
CTI_FN ct_real cti_geometric_recovery(const cti_state *s, ct_real thickness, ct_real h);
/* cti_geometric_mobility -- [1/kg] n'M_c^-1 n of a collision with the weights from `first` to `end`, by inverse masses inv; 0: scripts hold all of it
   along n, but for rounding. */
CTI_FN ct_real cti_geometric_mobility(const cti_state *s, const ct_real *inv, int first, int end, cti_v3 n);

/* ---- geometric_stiff.c ---- */

/* cti_geometric_stiffen -- the stiff particles of the network, with the matrix at hand. 0: out of memory.
   cti_geometric_by -- corrections go through the matrices of stiff bodies, or through masses (matrix 0).
   cti_geometric_carry -- out [3 blocks] of all blocks of these bodies: A^-1 S X, times a share; X [3 m]. The others are left as they are. */
CTI_FN int cti_geometric_stiffen(cti_state *s);
CTI_FN void cti_geometric_by(cti_state *s, int matrix);
CTI_FN void cti_geometric_carry(cti_state *s, const ct_real *X, ct_real share, ct_real *out);

/* ---- geometric_elastics.c ---- */

/* cti_geometric_find_elastics -- adds the elastics to the hits. cti_geometric_elastic_weights -- adds their weights to the network.
   cti_geometric_elastic_impulse -- adds an impulse to that of the joint. 0: out of memory. */
CTI_FN int cti_geometric_find_elastics(cti_state *s, ct_real h);
CTI_FN int cti_geometric_elastic_weights(cti_state *s, const cti_geometric_hit *t);
CTI_FN int cti_geometric_elastic_impulse(cti_state *s, const cti_geometric_hit *t, cti_v3 J);

/* ---- geometric_memory.c ---- */

/* cti_geometric_recall -- memory.first and friction of the hits at hand; cti_geometric_remember -- keeps forces.force for the next substep.
   0: out of memory. cti_geometric_memory_save -- what is known when a step begins; 0: out of memory. cti_geometric_memory_restore -- it is known
   again. */
CTI_FN int cti_geometric_recall(cti_state *s, ct_real h);
CTI_FN int cti_geometric_remember(cti_state *s, ct_real h);
CTI_FN int cti_geometric_memory_save(cti_state *s);
CTI_FN void cti_geometric_memory_restore(cti_state *s);

/* ---- geometric_implicit.c ---- */

/* cti_geometric_start -- system.A and system.force of a stage of h, linearized at system.q: s->x, but for free bodies, which are linearized where
   their rotation brings them. */
CTI_FN void cti_geometric_start(cti_state *s, ct_real h, ct_step_report *r);
/* cti_geometric_terms -- y += 2.5 sum S M_c S' x of the collisions that push (eq. 26a), [3 blocks]; the midpoint rule has 1 for 2.5. */
CTI_FN void cti_geometric_terms(const cti_state *s, const ct_real *x, ct_real *y);
/* cti_geometric_free_motion -- free: what eq. 20 and 21 give with the remembered forces of the collisions alone, over h. The report says
   whether conjugate gradients converged. 0: out of memory. */
CTI_FN int cti_geometric_free_motion(cti_state *s, ct_real h, ct_step_report *r);
/* cti_geometric_integrate -- dv of eq. 20 and 21 with the collisions' terms (25, 26), and their impulses J. Returns 0 when conjugate
   gradients did not converge. */
CTI_FN int cti_geometric_integrate(cti_state *s, ct_real h, ct_step_report *r);

/* ---- geometric_account.c ---- */

/* cti_geometric_kinetic -- kinetic energy at velocities v. */
CTI_FN double cti_geometric_kinetic(const cti_state *s, const ct_real *v);
/* cti_geometric_speed_work -- the work of speed corrections, whose impulses act between the velocities before (g->dv) and after (g->v). */
CTI_FN void cti_geometric_speed_work(const cti_state *s, ct_step_report *r);
/* cti_geometric_works -- implicit.account: what the integration's impulses, dampers and pins work at the velocities of the way. */
CTI_FN void cti_geometric_works(cti_state *s, ct_real h);
/* cti_geometric_enter -- its entries, reactions of pins, and what corrections of positions, and of speeds after the integration, move: to the
   report. */
CTI_FN void cti_geometric_enter(cti_state *s, ct_real h, ct_step_report *r);

/* ---- geometric_recovery.c ---- */

/* cti_geometric_touch -- tells the judge whom the collisions of a substep h touch. run.lift, run.kick: what their recovery may need; what they
   give beyond is a gain. */
CTI_FN void cti_geometric_touch(cti_state *s, ct_real h);

/* ---- geometric.c ---- */

/* cti_geometric_step -- the step, as cti_step. */
CTI_FN ct_code cti_geometric_step(cti_state *s, ct_real dt, ct_step_report *r);
