/* penalty.h -- the penalty stepper: contacts are springs and dampers that only push, friction is a spring to an anchor.
   [lecture notes 4.4.1; Xu, Zhao, Barbic 2014, Implicit multibody penalty-based distributed contact]
   Terms:
   row           a contact in cti_contacts.rows: J, normal and tangents; cti_penalty_contact of the same number is its spring.
   depth         rest_distance less the distance of the points along the normal [m]; the normal spring acts where it is above 0.
   anchor        the material point where a contact began to stick; slip is the contact's point less the anchor, along the tangents [m].
   missing depth by how much a pair was deeper when first seen than its points can have moved; its spring lacks that, and regains it slowly [m].
   bound         of friction, friction_bound: mu times the normal impulse, held while velocities are solved for, and then renewed [N s].
   half_longer   explicit form: half of how much longer the last substep h' was, (h' - h) / 2; springs act for h + half_longer, the time between the
                 middles of both substeps [s].
   rebound       a contact that is given a speed at the end of the substep (restitution) in place of a spring.
   record        where an item of the contact memory was, so that a pair that ends can transfer its springs to the pair that replaces it.
   island        components that rows connect: each has a line search and a norm of its own.
   stability     (h^2 lambda_k + 2 h lambda_b) / 4 of the explicit form: above 1 it is unstable, and oscillations grow.
   A new contact law goes into cti_penalty_impulse and cti_penalty_slope (penalty_law.c); docs/penalty.md lists what else it changes. */
#pragma once

#include "penalty_policy.h"
#include "../8_step/stepper.h"

/* An item of the contact memory is of a contact that touches, whether it pushes or not: slip, normal; impulse[0] is its depth at the end of the
   substep [m], impulse[1] its missing depth [m], impulse[2] its normal force [N]. */

/* cti_penalty_law -- gives impulses of a contact as a function of u: normal max(0, normal_at_rest - normal_slope u_n), friction
   -g min(1, friction_bound / |g|) with g = tangent_at_rest + tangent_slope u_t. */
typedef struct cti_penalty_law {
    ct_real normal_at_rest, normal_slope;      /* [N s] at u = 0, [kg] */
    ct_real tangent_at_rest[2], tangent_slope; /* [N s], [kg] */
    ct_real friction_bound;                  /* [N s] */
} cti_penalty_law;

/* cti_penalty_contact -- is the spring of a row, whose frame is n, t1, t2. */
typedef struct cti_penalty_contact {
    ct_real k, b, kf;        /* are stiffness, damping, stiffness of friction [N/m], [N s/m], [N/m] */
    ct_real mass;            /* is the reduced mass along n [kg] */
    ct_real tangential_mass; /* is, for explicit friction by velocity, the least one across n, shared with the bodies' other contacts [kg] */
    ct_real half_longer;     /* [s], see above */
    ct_real rest_distance;   /* is the distance along n at which the depth is 0 [m] */
    ct_real depth;           /* is that at the start of the substep; below 0 the contact does not touch yet [m] */
    ct_real missing_depth;   /* [m] */
    double recovered;        /* is the energy that the spring got since its missing depth is less than at the end of the last substep [J] */
    ct_real slip[2];         /* are those at the start, along t1, t2 [m] */
    ct_real rebound_speed;   /* is the speed at which the points part at the end of the substep, >= 0; -1: the spring acts [m/s] */
    int is_known;            /* 1: the pair has an item in the contact memory */
    int is_new_body;         /* 1: a side is a body that has not been in a substep yet */
    ct_real c[3], D[9];      /* are the last linearization, impulse c - D u [N s], [kg], in the frame; D is symmetric */
    cti_penalty_law law;     /* is that of the last linearization */
    ct_real friction_bound;  /* [N s], see above */
    int sticks;              /* 1: friction is not above its bound */
} cti_penalty_contact;

/* cti_penalty_record -- says where the item of the contact memory with the same number was. */
typedef struct cti_penalty_record {
    uint64_t key;      /* is that of the item */
    uint64_t body[2];  /* are ids of the bodies of sides a, b */
    ct_real middle[3]; /* is the middle of the contact's points at the end of the substep [m] */
    ct_real reach;     /* bounds the distance from there to the pair that may get its springs [m] */
    ct_real k, kf;     /* are those of its springs [N/m] */
    int taken;         /* 1: a row of the substep at hand has its springs */
} cti_penalty_record;

/* cti_penalty_inside_body -- holds the tree of a closed surface. */
typedef struct cti_penalty_inside_body {
    cti_bvh faces;
    int stale; /* 1: the tree is refitted at the next detection, also that of a body that never moves */
} cti_penalty_inside_body;

/* cti_penalty_inside -- holds the data of CT_PENALTY_INSIDE. */
typedef struct cti_penalty_inside {
    cti_forest forest;
    cti_penalty_inside_body *bodies; /* [surface.n_bodies] */
    float *boxes;                    /* [16 nv] is scratch (7_contact/inside.h) */
    ct_real *normals;                /* [3 nv] sum the faces' normals, weighted by angle */
    cti_hit *hits;
} cti_penalty_inside;

/* cti_penalty_line -- is the search for the least of an island's potential along a step. */
typedef struct cti_penalty_line {
    double slope, curve;                   /* are of the bodies' part: the slope at 0, and its change up to 1 */
    double slope_step, slope_lo, slope_hi; /* are slopes at step, lo, hi */
    double tolerance;                      /* is the slope at which the search ends */
    ct_real step, lo, hi;                  /* are step lengths in [0, 1]: the last one, and a bracket of the best one */
    int side;                              /* 1: the last slope was above 0, -1: below */
    int done;
} cti_penalty_line;

/* cti_penalty_islands -- says which components rows connect. */
typedef struct cti_penalty_islands {
    int32_t *first;          /* [components] is the first component of the island */
    ct_real *scale;          /* [components] is a power of two about the size of the island's norm, at its first component */
    cti_penalty_line *lines; /* [components] likewise */
} cti_penalty_islands;

/* cti_penalty_known_bodies -- says which bodies had been in a step when the world was prepared. */
typedef struct cti_penalty_known_bodies {
    uint64_t *ids;   /* [surface.n_bodies] are ids of the bodies, sorted */
    uint64_t *known; /* are ids of those that had been in a step, sorted */
    uint8_t *fresh;  /* [surface.n_bodies] 1: the body was not one of them */
} cti_penalty_known_bodies;

/* cti_penalty_run -- sums what a try of a step has [J]. */
typedef struct cti_penalty_run {
    double oscillation; /* is what the explicit form may gain: its energy oscillates */
    double shift;       /* bounds an apparent gain: velocities are of the end of a substep or, in free fall, of its middle (cti_judge_shift) */
    double new_bodies;  /* is stored in springs of new bodies at the start of their first substep */
} cti_penalty_run;

/* cti_penalty -- holds the data of CT_STEPPER_PENALTY. */
typedef struct cti_penalty {
    cti_penalty_contact *contacts; /* [rows] */
    ct_real *mass;                 /* [surface.n_bodies] [kg]; 0: no contact moves it */
    ct_real *inverse;              /* [9 n] are inverses of the blocks' masses and inertias, for the stability of the explicit form */
    ct_real *jacobi;               /* [9 n] are inverses of the blocks on the matrix' diagonal */
    ct_real *work;                 /* [24 n] is scratch, with those of penalty_system.c from 0, 3 n, 6 n, 18 n and 21 n on */
    cti_penalty_islands islands;
    cti_penalty_inside inside;
    int cg_end;                    /* is the value of the report's cg_steps at which the solves of the substep at hand end */
    uint8_t *rebounds;             /* [models + rigids] is scratch: bits 1, 2 where a contact that rebounds, or another one, pushes */
    /* what outlives a change of bodies */
    cti_memory next;               /* holds contacts of the substep at hand */
    cti_penalty_record *records;   /* [contact.memory.items] */
    cti_penalty_record *next_records; /* [next.items] */
    cti_penalty_record *start_records; /* are `records` when the step at hand began */
    double energy;                 /* is stored in the springs at the end of the last step [J] */
    cti_penalty_known_bodies bodies;
    int is_known;                  /* 1: a substep was done since the world was prepared, so that no body is new */
    cti_penalty_run run;
    double start_energy;           /* and was_known: are energy and is_known when the step at hand began */
    int was_known;
} cti_penalty;

CTI_INLINE cti_penalty *cti_penalty_of(const cti_state *s) { return (cti_penalty *)s->own; }

/* ---- penalty_law.c ---- */

/* cti_penalty_springs -- sets k, b, kf, mass of a contact from its bodies, its row and the options. */
CTI_FN void cti_penalty_springs(const cti_state *s, const cti_row_context *c, const cti_pair *pair, const cti_row *row, cti_penalty_contact *out);
/* cti_penalty_damping_ratio -- returns the ratio b / (2 sqrt(k m)) with which a mass on a spring and damper that only push parts with `restitution`
   of its approach speed; at most spring.ratio_most. */
CTI_FN double cti_penalty_damping_ratio(double restitution);
/* cti_penalty_impulse -- sets the impulse r [3] of a contact over a substep h with the mean relative velocity u [3] of it (implicit), in the frame,
   and its linearization: c, D and law. at_start (explicit): with the forces of the start, u being the velocity there. Implicit friction is bounded by
   q->friction_bound. */
CTI_FN void cti_penalty_impulse(const ct_penalty_desc *d, cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u, int at_start, ct_real *r);
/* cti_penalty_times_D -- returns D u. */
CTI_INLINE cti_v3 cti_penalty_times_D(const cti_penalty_contact *q, const ct_real *u) { return cti_m3_mul_v(q->D, cti_v3_at(u, 0)); }
/* cti_penalty_slope -- returns -r(u) . along, friction_bound held: the slope of the contact's potential, which is convex in u, along a change [J]. */
CTI_FN double cti_penalty_slope(const cti_penalty_law *law, const ct_real *u, const ct_real *along);
/* cti_penalty_energy -- returns the energy in a contact's springs with this depth and slip [2] [J]. */
CTI_FN double cti_penalty_energy(const cti_penalty_contact *q, ct_real depth, const ct_real *slip);
/* cti_penalty_advance_springs -- sets slip [2] and depth after a substep of velocity u with the impulse r; an anchor that would hold more than mu
   times the normal force moves. */
CTI_FN void cti_penalty_advance_springs(const ct_penalty_desc *d, const cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u,
                                        const ct_real *r, ct_real *slip, ct_real *depth);

/* ---- penalty_find.c ---- */

/* cti_penalty_find -- makes rows and contacts of a substep h, whose motion without contacts ends at end.x and surface.x1. 0: out of memory. */
CTI_FN int cti_penalty_find(cti_state *s, ct_real h, ct_step_report *r);
/* cti_penalty_find_more -- adds what the motion to surface.x1 hits and has no row. Returns the number of new rows; -1: out of memory. */
CTI_FN int cti_penalty_find_more(cti_state *s, ct_real h);
/* cti_penalty_passed -- counts pairs whose features meet on the way to surface.x1, of which step.limit is one; -1: out of memory. */
CTI_FN int cti_penalty_passed(cti_state *s);
/* cti_penalty_linearize_rows -- linearizes the rows of rigid bodies at end.v. */
CTI_FN void cti_penalty_linearize_rows(cti_state *s, ct_real h);
/* cti_penalty_crossings -- counts pairs (edge through face) that intersect at surface.x0, and vertices behind a plane; -1: out of memory. */
CTI_FN int cti_penalty_crossings(cti_state *s);

/* ---- penalty_anchors.c ---- */

/* cti_penalty_release_records -- makes all items of the contact memory free for the rows of a substep. */
CTI_FN void cti_penalty_release_records(cti_state *s);
/* cti_penalty_take_item -- returns the item of a row's pair in the contact memory, and takes it for the row; NULL: another row has its springs. */
CTI_FN const cti_memory_item *cti_penalty_take_item(cti_state *s, uint64_t key);
/* cti_penalty_transfer -- gives the springs of pairs that have no row in this substep to the rows from number `first` on. 0: out of memory. */
CTI_FN int cti_penalty_transfer(cti_state *s, ct_real h, int first);
/* cti_penalty_rotate_slip -- returns a slip, turned by the mean of the rotations of a pair's sides in a substep. */
CTI_FN cti_v3 cti_penalty_rotate_slip(const cti_state *s, ct_real h, const cti_pair *pair, cti_v3 slip);
/* cti_penalty_remember -- adds an item and its record to those of the substep at hand. slid [m]: way of the pair's points along each other in it.
   0: out of memory. */
CTI_FN int cti_penalty_remember(cti_state *s, int row, const cti_memory_item *item, ct_real slid);

/* ---- penalty_inside.c ---- */

CTI_FN int cti_penalty_inside_prepare(cti_state *s);
/* cti_penalty_inside_find -- sets inside.hits: vertices inside of closed surfaces at the positions x [3 nv] of the surface. 0: out of memory. */
CTI_FN int cti_penalty_inside_find(cti_state *s, const ct_real *x);

/* ---- penalty_system.c ---- */

/* cti_penalty_free_motion -- sets system.v_free: the motion without contacts. 0: conjugate gradients did not converge. */
CTI_FN int cti_penalty_free_motion(cti_state *s, ct_step_report *r);
/* cti_penalty_solve -- sets end.v and the rows' impulses of a substep h; *residual: error of the law and of the equations of motion, relative to the
   velocity scale. 0: it is above the solver's tolerance; -1: out of memory. */
CTI_FN int cti_penalty_solve(cti_state *s, ct_real h, ct_real *residual, ct_step_report *r);
/* cti_penalty_stability -- returns (h^2 lambda_k + 2 h lambda_b) / 4 of the explicit form, with the largest eigenvalues of M^-1 J'K J and
   M^-1 J'B J of the rows. *out_damping: h lambda_b; above 1 dampers turn a motion round. */
CTI_FN ct_real cti_penalty_stability(cti_state *s, ct_real h, ct_real *out_damping);

/* ---- penalty.c, penalty_stepper.c ---- */

CTI_FN ct_code cti_penalty_step(cti_state *s, ct_real dt, ct_step_report *r);
