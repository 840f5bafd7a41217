/* penalty.h -- the penalty stepper: contacts are springs and dampers that only push, friction is a spring to an anchor.
   [lecture notes 4.4.1; Xu, Zhao, Barbic 2014, Implicit multibody penalty-based distributed contact] */
#pragma once

#include "../8_step/stepper.h"

/* [turns of conjugate gradients] of a try of a step of the implicit form; each of its parts has its share. Beyond, every solve ends with the
   iteration that it is in. A crushed body of 92 nodes with 2800 contacts took over a minute a step without this bound. In 150 random worlds no
   step that ended with CT_STATUS_OK took more than 3000.
   With this bound 771 of 1053 steps of 60 random worlds are CT_STATUS_OK; with 60,000 turns 776, with 200,000 turns 781, without a bound 787 */
#define CTI_PENALTY_TURNS 20000

/* An item of the contact memory is of a contact that touches, whether it pushes or not: slip, normal; impulse[0] is its depth at the end of the
   substep [m], impulse[1] what its spring misses of it [m], impulse[2] its normal force [N]. */

/* cti_penalty_law -- impulses of a contact as a function of u: normal max(0, start - stiff u_n), friction -g min(1, most / |g|) with
   g = rub_start + rub u_t. */
typedef struct cti_penalty_law {
    ct_real start, stiff;       /* [N s], [kg] */
    ct_real rub_start[2], rub;  /* [N s], [kg] */
    ct_real most;               /* [N s] mu times the normal impulse */
} cti_penalty_law;

/* cti_penalty_contact -- the spring of a row (cti_contacts.rows, of the same number), whose frame is n, t1, t2. */
typedef struct cti_penalty_contact {
    ct_real k, b, kf;      /* [N/m], [N s/m], [N/m] */
    ct_real mass;          /* [kg] reduced mass along n */
    ct_real across;        /* [kg] explicit friction by velocity: the least one across it, shared with the bodies' other contacts */
    ct_real lag;           /* [s] explicit form: half of what the last substep was longer than this one */
    ct_real rest;          /* [m] distance along n at which the depth is 0 */
    ct_real depth;         /* [m] at the start of the substep; below 0 it does not touch yet */
    ct_real missed;        /* [m] depth that the spring does not have, since it was first seen deeper than its points can have come */
    double eased;          /* [J] that the spring got since it misses less than at the end of the last substep */
    ct_real slip[2];       /* [m] p - a at the start, along t1, t2 */
    ct_real rebound;       /* [m/s] >= 0: speed at which the points part at the end of the substep (restitution); -1: the spring acts */
    int known;             /* 1: the pair has an item in the contact memory */
    int met;               /* 1: a side is a body that has not been in a substep yet */
    ct_real c[3], D[9];    /* impulse c - D u of the last linearization [N s], [kg], in the frame; D is symmetric */
    cti_penalty_law law;   /* of the last linearization */
    ct_real bound;         /* [N s] mu times the normal impulse, as friction has it at the moment */
    int sticks;
} cti_penalty_contact;

/* cti_penalty_place -- where the item of the contact memory with the same number was. */
typedef struct cti_penalty_place {
    uint64_t key;      /* of the item */
    uint64_t body[2];  /* ids of the bodies of sides a, b */
    ct_real at[3];     /* [m] middle of the contact's points at the end of the substep */
    ct_real reach;     /* [m] from there to the pair that may get its springs, at most */
    ct_real k, kf;     /* [N/m] of its springs */
    int taken;         /* 1: a row of the substep at hand has its springs */
} cti_penalty_place;

/* cti_penalty_inside_body -- trees of a closed surface. */
typedef struct cti_penalty_inside_body {
    cti_bvh faces;
    int fresh; /* 1: the tree of a body that never moves has been refitted */
} cti_penalty_inside_body;

/* cti_penalty_inside -- of CT_PENALTY_INSIDE. */
typedef struct cti_penalty_inside {
    cti_forest forest;
    cti_penalty_inside_body *bodies; /* [surface.n_bodies] */
    float *boxes;                    /* [16 nv] */
    ct_real *normals;                /* [3 nv] sums of the faces' normals, weighted by angle */
    cti_hit *hits;
} cti_penalty_inside;

/* cti_penalty_line -- search for the least of an island's potential along a step. */
typedef struct cti_penalty_line {
    double slope, curve;     /* of the bodies' part: slope at 0, and its change up to 1 */
    double at, at_lo, at_hi; /* slopes at share, lo, hi */
    double level;            /* slope at which the search ends */
    ct_real share, lo, hi;
    int side;                /* 1: the last slope was above 0, -1: below */
    int done;
} cti_penalty_line;

/* cti_penalty_groups -- components that rows connect. */
typedef struct cti_penalty_groups {
    int32_t *first;          /* [components] the first component of those that rows connect with it */
    ct_real *size;           /* [components] scratch: of the first component of an island */
    cti_penalty_line *lines; /* [components] scratch, likewise */
} cti_penalty_groups;

/* cti_penalty_census -- which bodies had been in a step when the world was prepared. */
typedef struct cti_penalty_census {
    uint64_t *ids;   /* [surface.n_bodies] ids of the bodies, sorted */
    uint64_t *known; /* ids of those that had been in a step, sorted */
    uint8_t *fresh;  /* [surface.n_bodies] 1: was not one of them */
} cti_penalty_census;

/* cti_penalty_run -- what a try of a step adds up [J]. */
typedef struct cti_penalty_run {
    double allowed; /* by which the explicit form may gain: its energy oscillates */
    double shifted; /* by which kinetic energies are of another time than before */
    double met;     /* in springs of new bodies at the start of their first substep */
} cti_penalty_run;

/* cti_penalty -- data of CT_STEPPER_PENALTY. */
typedef struct cti_penalty {
    cti_penalty_contact *contacts; /* [rows] */
    ct_real *mass;                 /* [surface.n_bodies] [kg]; 0: no contact moves it */
    ct_real *inverse;              /* [9 n] inverses of the masses' blocks, projected onto the motions that scripts leave */
    ct_real *jacobi;               /* [9 n] inverses of the blocks on the matrix' diagonal */
    ct_real *work;                 /* [24 n] scratch */
    cti_penalty_groups islands;
    cti_penalty_inside inside;
    int turns;                     /* cg_steps of the report at which the solves of the substep at hand end */
    uint8_t *flies;                /* [models + rigids] scratch: 1 where all contacts that push a body let it rebound */
    /* what outlives a change of bodies */
    cti_memory next;               /* contacts of the substep at hand */
    cti_penalty_place *places;     /* [contact.memory.items] */
    cti_penalty_place *next_places; /* [next.items] */
    cti_penalty_place *start_places; /* `places` when the step at hand began */
    double energy;                 /* [J] in the springs at the end of the last step */
    cti_penalty_census bodies;
    int is_known;                  /* 1: there was a substep since, and all bodies have been in it */
    cti_penalty_run run;
    double start_energy;           /* energy and is_known when the step at hand began */
    int was_known;
} cti_penalty;

CTI_INLINE cti_penalty *cti_penalty_of(const cti_state *s) { return (cti_penalty *)s->own; }

/* ---- penalty_law.c ---- */

/* cti_penalty_springs -- k, b, kf, mass of a contact from its bodies, its row and the options. */
CTI_FN void cti_penalty_springs(const cti_state *s, const cti_row_context *c, const cti_pair *pair, const cti_row *row, cti_penalty_contact *out);
/* cti_penalty_ratio -- damping ratio b / (2 sqrt(k m)) with which a mass on a spring and damper that only push parts with `restitution` of its
   approach speed; at most CTI_PENALTY_RATIO. */
CTI_FN double cti_penalty_ratio(double restitution);
/* cti_penalty_impulse -- impulse r [3] of a contact over a substep h with the mean relative velocity u [3] of it (implicit), in the frame.
   at_start: the forces of the start, u being the velocity there. Implicit friction is bounded by q->bound.
   c, D and law: its linearization, r = c - D u. */
CTI_FN void cti_penalty_impulse(const ct_penalty_desc *d, cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u, int at_start, ct_real *r);
/* cti_penalty_stiff -- D u. */
CTI_INLINE cti_v3 cti_penalty_stiff(const cti_penalty_contact *q, const ct_real *u) { return cti_m3_mul_v(q->D, cti_v3_at(u, 0)); }
/* cti_penalty_slope -- minus the impulse at u, with `most` as it is, along a change of u: the slope of a convex function of u [J]. */
CTI_FN double cti_penalty_slope(const cti_penalty_law *law, const ct_real *u, const ct_real *along);
/* cti_penalty_stored -- energy [J] in a contact's springs with this depth and slip [2]. */
CTI_FN double cti_penalty_stored(const cti_penalty_contact *q, ct_real depth, const ct_real *slip);
/* cti_penalty_close -- slip [2] and depth after a substep of velocity u with the impulse r; an anchor that would hold more than mu times the
   normal force moves. */
CTI_FN void cti_penalty_close(const ct_penalty_desc *d, const cti_penalty_contact *q, ct_real mu, ct_real h, const ct_real *u, const ct_real *r,
                              ct_real *slip, ct_real *depth);

/* ---- penalty_find.c ---- */

/* cti_penalty_find -- rows and contacts of a substep h, whose motion without contacts ends at end.x and surface.x1. 0: out of memory. */
CTI_FN int cti_penalty_find(cti_state *s, ct_real h, ct_step_report *r);
/* cti_penalty_more -- adds what the motion to surface.x1 hits and has no row. Returns the number of new rows; -1: out of memory. */
CTI_FN int cti_penalty_more(cti_state *s, ct_real h);
/* cti_penalty_passed -- pairs whose features meet on the way to surface.x1, of which step.limit is one; -1: out of memory. */
CTI_FN int cti_penalty_passed(cti_state *s);
/* cti_penalty_bend -- linearizes the rows of rigid bodies at end.v. */
CTI_FN void cti_penalty_bend(cti_state *s, ct_real h);
/* cti_penalty_crossings -- pairs (edge through face) that intersect at surface.x0, and vertices behind a plane; -1: out of memory. */
CTI_FN int cti_penalty_crossings(cti_state *s);

/* ---- penalty_anchors.c ---- */

/* cti_penalty_offer -- all items of the contact memory are there for the rows of a substep. */
CTI_FN void cti_penalty_offer(cti_state *s);
/* cti_penalty_known -- the item of a row's pair in the contact memory, unless another row has its springs; the row has them then. */
CTI_FN const cti_memory_item *cti_penalty_known(cti_state *s, uint64_t key);
/* cti_penalty_pass -- gives the springs of pairs that have no row in this substep to the rows from number `first` on. 0: out of memory. */
CTI_FN int cti_penalty_pass(cti_state *s, ct_real h, int first);
/* cti_penalty_turned -- a slip, turned by the mean of the rotations of a pair's sides in a substep. */
CTI_FN cti_v3 cti_penalty_turned(const cti_state *s, ct_real h, const cti_pair *pair, cti_v3 slip);
/* cti_penalty_leave -- adds an item and its place to those of the substep at hand. slid [m]: way of the pair's points along each other in it.
   0: out of memory. */
CTI_FN int cti_penalty_leave(cti_state *s, int row, const cti_memory_item *item, ct_real slid);

/* ---- penalty_inside.c ---- */

CTI_FN int cti_penalty_inside_prepare(cti_state *s);
/* cti_penalty_inside_find -- hits: vertices inside of closed surfaces at the positions x [3 nv] of the surface. 0: out of memory. */
CTI_FN int cti_penalty_inside_find(cti_state *s, const ct_real *x);

/* ---- penalty_system.c ---- */

/* cti_penalty_free -- system.v_free: the motion without contacts. 0: conjugate gradients did not converge. */
CTI_FN int cti_penalty_free_motion(cti_state *s, ct_step_report *r);
/* cti_penalty_solve -- end.v and the rows' impulses of a substep h; *residual: error of the law and of the equations of motion, relative to the
   velocity scale. 0: it is above the solver's tolerance; -1: out of memory. */
CTI_FN int cti_penalty_solve(cti_state *s, ct_real h, ct_real *residual, ct_step_report *r);
/* cti_penalty_load -- (h^2 lambda_k + 2 h lambda_b) / 4 of the explicit form, with the largest eigenvalues of M^-1 J'K J and M^-1 J'B J of the
   rows: above 1 a substep of h feeds itself. *out_damping: h lambda_b; above 1 dampers turn a motion round. */
CTI_FN ct_real cti_penalty_load(cti_state *s, ct_real h, ct_real *out_damping);

/* ---- penalty.c, penalty_stepper.c ---- */

CTI_FN ct_code cti_penalty_step(cti_state *s, ct_real dt, ct_step_report *r);
