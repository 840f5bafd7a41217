/* geometric.h -- the geometric stepper: collisions are corrections of positions, speeds and accelerations, between the forces and an implicit
   integration. [Volino, Magnenat-Thalmann 2000, Accurate collision response on polygonal meshes]
   Terms:
   collision     two features nearer than the thickness, or about to be, with signed weights on blocks; or one axis of an elastic.
   elastic       a joint or a stitch: two points that a spring of the implicit step pulls together.
   particle      a block that has a weight in some collision of the substep.
   correction    of positions, speeds (before the integration) and accelerations (a force in the integration), by collisions that push.
   theta         1 or 1/2: time of the substep at which the implicit step has its forces, and whose velocities move positions: those of the way.
   M_c           mass of a collision by its weights (eq. 7); terms M_c S S' of collisions are in the matrix of the implicit step (eq. 25).
   stiff         a body of volume elements, or one that a script holds: corrections go through the matrix of its implicit step, not its masses.
   forced        a pair that is a collision because of what the motion has done, whatever its distance is.
   recovery      separation of features that are too near; it may give energy, within a bound.
   region        a connected part of a surface (regions.h); smooth ones do not collide with themselves.
   A new contact law goes into cti_geometric_apply_law (geometric_implicit.c), and as targets of the corrections into geometric_correct.c. */
#pragma once

#include "../7_contact/candidates.h"
#include "../8_step/stepper.h"
#include "response.h"
#include "regions.h"

/* cti_geometric_collision -- is a proximity, or an intersection of the motion, whose side is that before it; or an axis of an elastic. */
typedef struct cti_geometric_collision {
    cti_pair pair;
    cti_v3 normal;       /* points from side b to side a */
    ct_real distance;    /* is that of the closest points [m] */
    ct_real thickness, mu;
    int elastic, axis;   /* are the number of its joint + 1, and the axis; 0: it is no elastic */
    ct_real speed_target, mass; /* of an elastic: relative speed that it is to have on the way [m/s]; impulse over the speed that it lacks [kg] */
    cti_v3 script_velocity; /* is the relative velocity that scripts alone give the closest points [m/s] */
} cti_geometric_collision;

/* cti_geometric_forces -- holds what the corrections are of each collision. */
typedef struct cti_geometric_forces {
    ct_real *force;    /* [3 m] of the acceleration correction [N] */
    ct_real *speed;    /* [3 m] are impulses of the speed correction [N s] */
    ct_real *position; /* [3 m] of the position correction [kg m] */
    ct_real *end;      /* [3 m] are impulses of the correction of speeds after the integration [N s] */
    ct_real *remaining; /* [3 m] are impulses of the correction of the midpoint's remaining state [N s] */
    ct_real *J;        /* [3 m] are impulses of the integration [N s] */
    ct_real *asked;    /* [3 m] is what the acceleration correction asks for if speeds stay, without friction's bound [N s] */
    ct_real *share;    /* [m] is the share of M_c that eq. 25 has [kg] */
    ct_real *mass;     /* [m] is that of the collisions in the matrix; else 0 [kg] */
    ct_real *tangent_share; /* [m] is the share of its sliding that friction resists: 1 where it sticks, less at its bound [1] */
    ct_real *slide_direction; /* [3 m] is the unit direction of friction at its bound; else 0 */
    ct_real *bound;    /* [m] is friction's bound [N s] */
    ct_real *damping_share; /* [m] is the share of what friction leaves of the sliding that interaction_damping takes in a substep [1] */
} cti_geometric_forces;

/* cti_geometric_goal -- holds what a correction is to reach; see cti_response_goal. */
typedef struct cti_geometric_goal {
    ct_real *offset, *target, *mu, *slack;
    ct_real *distance; /* [m] is that after the position correction [m] */
    uint8_t *excluded;
    ct_real shortfall; /* is that of the corrections of speeds and accelerations [1] */
} cti_geometric_goal;

/* cti_geometric_scratch -- is scratch of solves; see cti_response. */
typedef struct cti_geometric_scratch {
    ct_real *work;
    float *pack;
} cti_geometric_scratch;

/* cti_geometric_stiff_bodies -- holds the stiff particles and their bodies (geometric_stiff.c); arrays are growable. */
typedef struct cti_geometric_stiff_bodies {
    int32_t *particles, *bodies; /* list these particles; components of A */
    int32_t *body_of;            /* [particles] is the number in `bodies` or -1 */
    ct_real *body_inverse_mass, *inv, *compliance, *f; /* as of cti_response */
} cti_geometric_stiff_bodies;

/* cti_geometric_solve -- holds the system of a substep's collisions; arrays are growable. */
typedef struct cti_geometric_solve {
    cti_response response;
    int32_t *particle_of; /* [blocks] is the number of a block among the particles, or -1 */
    int32_t *blocks;      /* [particles] */
    ct_real *inv, *S, *normal, *least, *compliance; /* as of cti_response */
    cti_geometric_scratch scratch;
    cti_geometric_stiff_bodies stiff;
    int first_weight;     /* is that of the collision that is being built */
    int32_t *filter, *start, *particle, *order;
    uint8_t *mode, *stick, *stick_end;
    ct_real *Q, *before;  /* [3 particles] are the property that is corrected; what it was */
    cti_geometric_goal goal;
    cti_geometric_forces forces;
} cti_geometric_solve;

/* cti_geometric_memory -- remembers forces of the last substep's acceleration correction (geometric_memory.c). */
typedef struct cti_geometric_memory {
    uint64_t *keys;       /* [old] name its collisions */
    ct_real *force;       /* [3 old] [N] */
    ct_real *mean_before; /* [3 old] is their mean before that substep, over a time as long as it [N] */
    ct_real h;            /* is the length of that substep [s] */
    int32_t *table;       /* is a hash table of the keys: entry + 1, or 0 */
    uint64_t *keys_now;   /* [m] name the collisions at hand */
    ct_real *normal_force; /* [m] is their remembered normal force; 0: there was none, or it is an elastic; -1: the collision is new */
    ct_real *mean;        /* [3 m] is their mean over the last time that is as long as this substep [N] */
    ct_real *warm_start;  /* [3 m] is the share of their forces that acts in the free motion, and that corrections start from */
    uint64_t *start_keys; /* and below: keys, force, mean_before, h at the start of the step, for one that is taken back */
    ct_real *start_force, *start_mean_before, start_h;
} cti_geometric_memory;

/* cti_geometric_detection -- holds the hierarchies of regions, and scratch of detection. */
typedef struct cti_geometric_detection {
    ct_real *velocity;    /* [3 nv] is that of the surface's vertices */
    cti_regions *regions; /* are those of each body that may meet itself (geometric_regions.c); growable */
    ct_real *toi;         /* are times of impact of the pairs of a list */
    uint8_t *stopped;     /* [blocks] 1: the fail-safe has stopped it in this step */
    cti_pair crossing;    /* is a pair that crosses; n 0: none */
} cti_geometric_detection;

/* cti_geometric_implicit -- holds the vectors of the implicit step. */
typedef struct cti_geometric_implicit {
    ct_real *y;          /* [3 blocks] is the right side */
    ct_real *free_acceleration; /* [3 blocks] has remembered forces alone: of the last substep, then of this one [m/s^2] */
    ct_real *last_acceleration; /* [3 blocks] is that of the last substep; 0 before the first one [m/s^2] */
    ct_real *scratch;    /* [21 blocks] */
    ct_real *body_mass;  /* [components of A] [kg] */
    uint8_t *is_stiff;   /* [components of A] 1: a body of volume elements; 2: one that a script holds somewhere */
    ct_real *joint_mass; /* [components of A] is body_mass over the number of elastics that the body has [kg] */
    ct_real *scale, *error; /* [components of A] of a solve: what residuals are measured by; the residuals */
    ct_real tolerance, residual; /* are the largest residual over its scale that a solve is to have, and has [1] */
    ct_real *rotation, *A_rotation; /* [3 blocks] are the change of velocities that turns free bodies as a whole, and A times it */
    ct_real *rotation_change, *rotation_end; /* [3 blocks] are what turning does to the velocities of free bodies (cti_geometric_rotation) */
    int rotates;         /* 1: forces of some body are linearized where its rotation brings it */
    int renewals;        /* counts substeps to come that begin with new factors */
} cti_geometric_implicit;

/* cti_geometric_end -- holds what the last step has found out of its end. */
typedef struct cti_geometric_end {
    ct_real *x_last;     /* [3 nv] is the surface there */
    int is_clean;        /* 1: the surface does not intersect itself at surface.x0 */
    int is_known;        /* 1: is_clean was found out at x_last */
} cti_geometric_end;

/* cti_geometric_scope -- says what the lists of pairs cover. */
typedef struct cti_geometric_scope {
    ct_real *lo, *hi;    /* [3 n_moving] are boxes of vertices: lists are complete while they contain the motion */
    ct_real *x0, *x1;    /* [3 nv] are the motion that they were made for */
    int covered;         /* 1: they and the lists are valid */
    int version;         /* of the soup, that the step knows: who may meet whom */
    int measured;        /* 1: distances of the lists are those at surface.x0 */
    int wide;            /* 1: the lists are to have all pairs within 2 thicknesses */
    ct_real thickness_way; /* is, with `measured`, the longest way for which thicknesses were asked for [m] */
    ct_real longest_way; /* is that of a vertex in the motion that the boxes were made for [m] */
} cti_geometric_scope;

/* cti_geometric_run -- holds what a try of a step adds up. */
typedef struct cti_geometric_run {
    double recovery_kinetic; /* is what the recovery of a substep may give for speeds, at most [J] */
    int stopped;         /* 1: the fail-safe has stopped blocks */
    int crossed;         /* 1: a motion with crossings was taken */
} cti_geometric_run;

/* cti_geometric -- holds the data of CT_STEPPER_GEOMETRIC. */
typedef struct cti_geometric {
    cti_geometric_scope scope;
    cti_candidates list[CTI_LISTS];
    uint8_t *unlimited[2];      /* [n] of VF and EE, 1: both features are of one body, and hat is not yet limited by their distance at rest */
    uint8_t *forced[CTI_LISTS]; /* [n] 1: the pair crosses in the motion, or comes near, and is a collision whatever its distance is */
    cti_geometric_collision *collisions;
    cti_geometric_solve solve;
    cti_geometric_memory memory;
    cti_geometric_detection detection;
    ct_real *recovery_way; /* [2 models] is how far features of a body are to move apart in the step [m]; scratch */
    ct_real *motion_share; /* [blocks] is the share of its motion that a block keeps */
    ct_real *v, *dv, *dx, *dv_end, *dv_remaining; /* [3 blocks] are the velocity within the substep; its change by the integration; corrections of the
                                           position, of speeds after the integration, and of the midpoint's remaining state */
    cti_geometric_implicit implicit;
    cti_geometric_end end;
    cti_geometric_run run;
} cti_geometric;

/* cti_geometric_own -- returns the stepper's data of a state. */
CTI_INLINE cti_geometric *cti_geometric_own(const cti_state *s) { return (cti_geometric *)s->own; }

/* cti_geometric_printed -- returns 1 for CT_SOLVER_GEOMETRIC_CG, the paper's scheme: all collisions are equations, conjugate gradients begin at 0
   and take all their turns. */
CTI_INLINE int cti_geometric_printed(const cti_state *s) { return s->desc.solver.solver == CT_SOLVER_GEOMETRIC_CG; }

/* cti_geometric_theta -- returns when the implicit step evaluates forces, as a share of the substep: 1 (Euler), 1/2 (midpoint). Positions move at
   the velocities of that time. */
CTI_INLINE ct_real cti_geometric_theta(const cti_state *s) { return s->desc.integrator == CT_INTEGRATOR_MIDPOINT ? CTI_R(0.5) : 1; }

/* cti_geometric_relative -- returns `start` and the relative motion of a collision by a vector of blocks. */
CTI_INLINE cti_v3 cti_geometric_relative(const cti_geometric_solve *q, const ct_real *v, int c, cti_v3 start)
{
    int k;
    for (k = q->start[c]; k < q->start[c + 1]; k++)
        start = cti_v3_mad(start, cti_v3_at(v, q->blocks[q->particle[k]]), q->S[k]);
    return start;
}

/* ---- geometric_candidates.c ---- */

/* cti_geometric_motion_bound -- returns the longest way of a vertex from surface.x0 to surface.x1. */
CTI_FN ct_real cti_geometric_motion_bound(const cti_surface *f);
/* cti_geometric_cover -- finds candidates for all motions from surface.x0 within boxes around surface.x1. 0: out of memory. */
CTI_FN int cti_geometric_cover(cti_state *s);
/* cti_geometric_distances -- sets squared distances and features of all lists at surface.x0, if they are not known yet, and thicknesses of pairs
   that a motion of `most` may bring together. 0: out of memory. */
CTI_FN int cti_geometric_distances(cti_state *s, ct_real most);

/* ---- geometric_find.c ---- */

/* cti_geometric_release -- makes no pair forced any more. */
CTI_FN void cti_geometric_release(cti_state *s);
/* cti_geometric_find -- finds the collisions at surface.x0 of a substep h whose scripts end at surface.script. 0: out of memory. */
CTI_FN int cti_geometric_find(cti_state *s, ct_real h);
/* cti_geometric_find_crossings -- finds pairs that cross on the way from surface.x0 to surface.x1: each is marked as forced, and with `cut` the
   blocks of its vertices keep, in motion_share, less of their motion. Returns their number; -1: out of memory. */
CTI_FN int cti_geometric_find_crossings(cti_state *s, int cut);
/* cti_geometric_find_missed -- finds after it pairs that are no collision of a substep h, and that are nearer than position_distance at surface.x1.
   Each is marked as forced. Returns their number. */
CTI_FN int cti_geometric_find_missed(cti_state *s, ct_real h);
/* cti_geometric_measure -- reports the smallest distance, and over thickness, of the candidates at surface.x0. 0: out of memory. */
CTI_FN int cti_geometric_measure(cti_state *s, ct_step_report *r);
/* cti_geometric_count_intersections -- counts pairs (edge through face) at surface.x0, and vertices behind a plane; -1: out of memory. */
CTI_FN int cti_geometric_count_intersections(cti_state *s);

/* ---- geometric_features.c ---- */

/* cti_geometric_reduce -- reduces a pair of two features to those that its closest points are in. 0: another pair has them.
   cti_geometric_is_nearest -- returns 1 where each of the features of an EE, VE or VV pair is the nearest of its neighbourhood to the other. edges:
   those of an EE pair. */
CTI_FN int cti_geometric_reduce(const cti_surface *f, int face, cti_pair *p, int feature);
CTI_FN int cti_geometric_is_nearest(const cti_surface *f, const int32_t *edges, const cti_pair *p);

/* ---- geometric_regions.c ---- */

/* cti_geometric_regions_prepare -- makes a hierarchy of regions for each body that may meet itself. 0: out of memory.
   cti_geometric_regions_pairs -- appends their pairs with themselves to the lists. 0: out of memory.
   cti_geometric_regions_hold -- returns 1 where those of the lists hold for the motion to surface.x1, too; -1: out of memory. */
CTI_FN int cti_geometric_regions_prepare(cti_state *s);
CTI_FN int cti_geometric_regions_pairs(cti_state *s);
CTI_FN int cti_geometric_regions_hold(cti_state *s);
CTI_FN void cti_geometric_regions_free(cti_state *s);

/* ---- geometric_correct.c ---- */

/* cti_geometric_build -- makes the system of the collisions of a substep h. 0: out of memory. */
CTI_FN int cti_geometric_build(cti_state *s, ct_real h);
/* cti_geometric_add_weight -- adds a block's weight to the collision that is being built; the same block has one weight. 0: out of memory. */
CTI_FN int cti_geometric_add_weight(cti_state *s, int block, ct_real w);
/* cti_geometric_correct -- makes the three corrections of a substep h: dx, v, and the forces X of the acceleration correction, from the forces in
   system.force. Returns the turns of conjugate gradients. */
CTI_FN int cti_geometric_correct(cti_state *s, ct_real h);
/* cti_geometric_correct_end -- sets dv_end: what the speeds of the way lack, where a collision would come nearer than speed_distance.
   cti_geometric_correct_remaining -- sets dv_remaining: what takes away what the midpoint rule's extrapolation adds to relative speeds of collisions
   that push. Both return the turns. */
CTI_FN int cti_geometric_correct_end(cti_state *s, ct_real h);
CTI_FN int cti_geometric_correct_remaining(cti_state *s);
/* cti_geometric_speed_target, _acceleration_target -- return normal targets of the corrections (eq. 18, 19) of a collision at distance p with wanted
   distance p0, normal speed u, in a step h; -1.5 u / h is a part of the acceleration. */
CTI_FN ct_real cti_geometric_speed_target(ct_real p0, ct_real p, ct_real h);
CTI_FN ct_real cti_geometric_acceleration_target(ct_real p0, ct_real p, ct_real u, ct_real h);

/* cti_geometric_recovery -- returns the longest way that a collision is separated by in a substep, at recovery_speed [m]. A step that is divided
   into N parts since it gains energy separates it by an N-th of a thickness at most, at an N-th of that speed: they would throw up what they lift. */
CTI_FN ct_real cti_geometric_recovery(const cti_state *s, ct_real thickness, ct_real h);
/* cti_geometric_mobility -- returns n'M_c^-1 n of a collision with the weights from `first` to `end`, by inverse masses inv [1/kg]; 0: scripts hold
   all of it along n, but for rounding. */
CTI_FN ct_real cti_geometric_mobility(const cti_state *s, const ct_real *inv, int first, int end, cti_v3 n);

/* ---- geometric_stiff.c ---- */

/* cti_geometric_mark_stiff -- sets is_stiff, by what scripts hold in the substep that begins.
   cti_geometric_find_stiff -- lists the stiff particles of the system, with the matrix at hand. 0: out of memory.
   cti_geometric_use_matrix -- makes corrections go through the matrices of stiff bodies, or through masses (matrix 0).
   cti_geometric_spread -- adds to out [3 blocks], which is 0, A^-1 S X of stiff bodies, with `cloth` of all bodies, else M^-1 S X, times a share;
   X [3 m]. */
CTI_FN void cti_geometric_mark_stiff(cti_state *s);
CTI_FN int cti_geometric_find_stiff(cti_state *s);
CTI_FN void cti_geometric_use_matrix(cti_state *s, int matrix);
CTI_FN void cti_geometric_spread(cti_state *s, const ct_real *X, ct_real share, int cloth, ct_real *out);

/* ---- geometric_elastics.c ---- */

/* cti_geometric_find_elastics -- adds the elastics to the collisions. cti_geometric_elastic_weights -- adds their weights to the system.
   cti_geometric_elastic_impulse -- adds an impulse to that of the joint. 0: out of memory. */
CTI_FN int cti_geometric_find_elastics(cti_state *s, ct_real h);
CTI_FN int cti_geometric_elastic_weights(cti_state *s, const cti_geometric_collision *t);
CTI_FN int cti_geometric_elastic_impulse(cti_state *s, const cti_geometric_collision *t, cti_v3 J);

/* ---- geometric_memory.c ---- */

/* cti_geometric_recall -- sets normal_force and warm_start of the collisions at hand; cti_geometric_remember -- keeps forces.force for the next
   substep. 0: out of memory. cti_geometric_memory_save -- saves what is known when a step begins; 0: out of memory. cti_geometric_memory_restore --
   restores it. */
CTI_FN int cti_geometric_recall(cti_state *s, ct_real h);
CTI_FN int cti_geometric_remember(cti_state *s, ct_real h);
CTI_FN int cti_geometric_memory_save(cti_state *s);
CTI_FN void cti_geometric_memory_restore(cti_state *s);

/* ---- geometric_implicit.c ---- */

/* cti_geometric_linearize -- sets system.A and system.force of a stage of h, linearized at system.q: s->x, but for free bodies, which are linearized
   where their rotation brings them. */
CTI_FN void cti_geometric_linearize(cti_state *s, ct_real h, ct_step_report *r);
/* cti_geometric_add_terms -- adds 2.5 sum S M_c S' x of the collisions that push to y [3 blocks] (eq. 26a); the midpoint rule has 1 for 2.5. */
CTI_FN void cti_geometric_add_terms(const cti_state *s, const ct_real *x, ct_real *y);
/* cti_geometric_free_motion -- sets free_acceleration: what eq. 20 and 21 give with the remembered forces of the collisions alone, over h. The
   report says whether conjugate gradients converged. 0: out of memory. */
CTI_FN int cti_geometric_free_motion(cti_state *s, ct_real h, ct_step_report *r);
/* cti_geometric_integrate -- solves for dv of eq. 20 and 21 with the collisions' terms (25, 26), and their impulses J. Returns 0 when conjugate
   gradients did not converge. */
CTI_FN int cti_geometric_integrate(cti_state *s, ct_real h, ct_step_report *r);

/* ---- geometric_account.c ---- */

/* cti_geometric_account -- reports works and impulses of pins, works of elastics and of corrections of positions, and what dampers take, in a substep
   h that is about to be committed. */
CTI_FN void cti_geometric_account(cti_state *s, ct_real h, ct_step_report *r);

/* ---- geometric_recovery.c ---- */

/* cti_geometric_touch -- tells the judge whom the collisions of a substep h touch, and notes what they lack. */
CTI_FN void cti_geometric_touch(cti_state *s, ct_real h);
/* cti_geometric_recovers -- returns what recovery may have given in the step [J], once the energies at its end are known; more is a gain. */
CTI_FN double cti_geometric_recovers(const cti_state *s);

/* ---- geometric.c ---- */

/* cti_geometric_step -- makes the step, as cti_step. */
CTI_FN ct_code cti_geometric_step(cti_state *s, ct_real dt, ct_step_report *r);
