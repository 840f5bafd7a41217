/* barrier.h -- the barrier stepper: implicit Euler as the minimum of one incremental potential, in which contacts are barriers.
   [Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang, Kaufman 2020, Incremental potential contact; Lan, Kaufman, Li, Jiang, Yang 2022,
   Affine body dynamics] */
#pragma once

#include "barrier_policy.h"
#include "../8_step/impulses.h"
#include "../8_step/stepper.h"
#include "../2_linalg/krylov.h"
#include "../7_contact/candidates.h"
#include "../7_contact/potential.h"

/* cti_affine -- a rigid body as four blocks: its centre of mass p and the columns of A, x = p + A X. */
typedef struct cti_affine {
    int32_t block;
    ct_real mass, J[9];  /* [kg], [kg m^2] second moments about the centre, body frame */
    ct_real stiff;       /* [J] of the energy stiff |A'A - 1|^2 */
    ct_real radius;      /* [m] turns a change of A into one of a vertex */
} cti_affine;

/* cti_barrier_rub -- friction of a contact, with the normal force and the directions of an earlier solve. */
typedef struct cti_barrier_rub {
    cti_pair pair;
    ct_real t[2][3];
    ct_real load; /* rule.contact mu times the normal force [kg m] */
    uint64_t key; /* of the pair, as in the contact memory */
    ct_real anchor[2]; /* [m] slip at the start of the step, along t; 0 without static_hold */
    ct_real belt[2];   /* [m] slip by belts in the step */
    ct_real at[2];     /* [m] slip of the last assembly */
} cti_barrier_rub;

/* cti_barrier_tie -- one equation of a joint: phi = sum w_k y_k - at - left; of a stitch with a length phi = |sum w_k y_k - at| - rest - left.
   part 0: the points; 1..3: the axes, a joint's rotation, times its lever. */
typedef struct cti_barrier_tie {
    int32_t joint, part;
    int32_t n, block[2 * CTI_JOINT_NODES];
    ct_real w[2 * CTI_JOINT_NODES];
    ct_real at[3], left[3]; /* [m] */
    ct_real soft;           /* [m/N] compliance; 0: none, and a multiplier */
    ct_real m[3];           /* multiplier [kg m], h^2 times a force; of a distance m[0] alone */
    ct_real most;           /* most force, in the units of m */
    ct_real k, k_first;     /* penalty [kg], and what it was first; 0: not known yet */
    ct_real error;          /* [m] at the last update */
} cti_barrier_tie;

/* cti_contact_rub -- a rub's force on its point a, and the Hessian by the displacement there. */
typedef struct cti_contact_rub {
    ct_real f[3], K[9];
} cti_contact_rub;

/* cti_barrier_term -- an active pair: nearer than its dhat. */
typedef struct cti_barrier_term {
    cti_pair pair; /* without weights */
    ct_real hat, d2;
    ct_real mass; /* [kg] the smaller of its bodies' layout.share; 0: no unknown of it is free, so that it has no force */
    int32_t wall; /* 0: the pair itself; else its wall, number wall - 1 */
} cti_barrier_term;

/* cti_barrier_wall -- a plane that a pair does not go through in the step at hand, see barrier_walls.c: its barrier acts where the gap
   normal . sum w_k x_k - hat is below hat. */
typedef struct cti_barrier_wall {
    cti_pair pair;
    ct_real normal[3];
    ct_real hat;         /* [m] */
    ct_real mass;        /* as of cti_barrier_term */
    ct_real when, lasts; /* [steps] the pair comes within dhat, and how long it takes to go as far as it is from there */
} cti_barrier_wall;

/* cti_barrier_rule -- a step of an integrator as a potential: E(y) = 1/2 |y - y^|_M^2 + force / at V(y0 + at (y - y0)) + contact
   (contacts, rigid bodies' stiffness) + damping, c / 2 |y - r|_D^2; the velocity at its end is v = (y - p) / c. See barrier_rule.c. */
typedef struct cti_barrier_rule {
    ct_real c;       /* [s] */
    ct_real at;      /* [1] */
    ct_real force;   /* [s^2] */
    ct_real contact; /* [s^2] */
    ct_real span;    /* [s] time that y - r is the way of */
    ct_real share;   /* [1] of a strain limit's force, see cti_model_ahead */
    uint8_t *fresh;  /* [n] 1: BDF2 knows no step before of the block, and its velocity is (y - p) / (h / 2) */
    ct_real *rate;   /* [3 n] velocities at the start of the step */
    ct_real *p, *r;  /* [3 n] */
} cti_barrier_rule;

/* cti_barrier_hessian -- the Hessian with its pattern. Pattern, analysis and factor are used from step to step. */
typedef struct cti_barrier_hessian {
    cti_bsr B;
    int known;          /* 1: B has a pattern */
    int analyzed;       /* 1: the analysis is that of the pattern as it is */
    int32_t *slot_of;   /* [blocks of A] slot in B */
    int contact_blocks; /* block pairs of contacts in the pattern */
} cti_barrier_hessian;

/* cti_barrier_analysis -- of a pattern, for factors of its matrices. */
typedef struct cti_barrier_analysis {
    cti_symbolic symbolic;
    cti_gather gather;
} cti_barrier_analysis;

/* cti_barrier_factor -- of B as it was in an earlier iteration or step: the preconditioner of the conjugate gradients. */
typedef struct cti_barrier_factor {
    cti_factor16 packed;
    int known;     /* 1: it is a factor */
    double excess; /* [iterations] since it was computed, without the first of each solve */
} cti_barrier_factor;

/* cti_barrier_scale -- [m/s^2] of the barriers' forces: the next step's, the last solve's; 0: not known. */
typedef struct cti_barrier_scale {
    double now, solved;
} cti_barrier_scale;

/* cti_barrier_start -- what the step began with: numbers, and pattern, analysis and factor, each kept when the step is to replace it. */
typedef struct cti_barrier_start {
    cti_barrier_scale scale;
    ct_real sigma;         /* matrix.sigma */
    int replaced; /* of CTI_BARRIER_OLD_*: those that are here; the step has left the others as they were */
    cti_barrier_hessian hessian;
    cti_barrier_analysis analysis;
    cti_barrier_factor factor; /* its numbers are here always */
    int analyzed;              /* the Hessian's, which an analysis sets without replacing the Hessian; here always */
} cti_barrier_start;
enum { CTI_BARRIER_OLD_HESSIAN = 1, CTI_BARRIER_OLD_ANALYSIS = 2, CTI_BARRIER_OLD_FACTOR = 4 };

/* cti_barrier_factors -- factors of one step, and scratch. */
typedef struct cti_barrier_factors {
    cti_factor32 lagged; /* as it was computed, to be packed */
    cti_factor64 exact;  /* of B itself, where float does not do */
    float *x32;
    double *x64, *work64;
    float *work32;
    ct_real *vectors;    /* [6][3 n]: right side, a correction, and those of the conjugate gradients */
} cti_barrier_factors;

/* cti_barrier_layout -- from the state's blocks and the surface's vertices to blocks of y. */
typedef struct cti_barrier_layout {
    int32_t *block_of;          /* [state blocks] first block; -1: the angular block of a rigid body */
    cti_affine *affines;        /* [rigids] */
    cti_attach *attach;         /* [n_moving + 1] as of the surface, but of y: x = sum weight_k y_k; n 0: no block moves it */
    ct_real *hat;               /* [surface bodies] dhat */
    ct_real *share;             /* [surface bodies] mass over the number of surface vertices [kg]; CTI_REAL_MAX: not dynamic */
    int32_t *all;               /* [n] 0, 1, 2, ... */
    ct_real *x_state;           /* [3 state blocks] scratch of cti_barrier_place */
    ct_real *damping;           /* [6 state blocks] scratch */
    ct_real strain;             /* largest entry of A - R at the end of the step */
    int loose;                  /* 1: the surface has loose points or edges */
} cti_barrier_layout;

/* cti_barrier_goals -- where scripts want their parts at the end of the step. */
typedef struct cti_barrier_goals {
    ct_real *goal;   /* [3 n] constrained blocks */
    int32_t *filter; /* [n] index into cti_scripts.projectors, or -1; the columns of a rigid body have that of its angular block */
    ct_real *script; /* [3 n_moving] the surface */
    int late;        /* 1: the step ended before they were there */
} cti_barrier_goals;

/* cti_barrier_surface -- positions of the surface [3 nv]. */
typedef struct cti_barrier_surface {
    ct_real *x_start;       /* at the start of the substep at hand */
    ct_real *x_before;      /* before the last Newton step */
    const ct_real *x_slide; /* that friction is evaluated at; NULL: surface.x0 */
} cti_barrier_surface;

enum { CTI_BARRIER_LISTS = CTI_LIST_PLANE };
/* cti_barrier_candidates -- candidates, which are complete while the surface stays in the room. */
typedef struct cti_barrier_candidates {
    int known;         /* 1: the room and the lists are */
    int made;          /* 1: the last cti_barrier_cover has made them */
    cti_room room;     /* see cti_detect */
    cti_candidates list[CTI_LISTS];       /* d2: where active pairs were last found */
    ct_real *start2[CTI_BARRIER_LISTS];   /* [n] squared distances at surface.x0 of all but planes */
    ct_real *toi;                         /* scratch of the step filter */
} cti_barrier_candidates;

/* cti_barrier_contact -- contacts at the iterate. Their forces are cti_barrier.scale times the mass of a pair. */
typedef struct cti_barrier_contact {
    cti_barrier_term *terms; /* active pairs, and then active walls */
    cti_barrier_term *before; /* those before the last Newton step */
    cti_barrier_wall *walls; /* of the step at hand */
    cti_barrier_rub *rubs;
    cti_barrier_rub *ahead;  /* scratch: friction as it is elsewhere */
    double least;            /* [m/s^2] smallest scale, that of the first step: gravity */
    double energy, stiff;    /* [J] of the barriers, and of what keeps rigid bodies rigid */
    double eased;            /* [J] what of that the try at hand has got back: it is in no energy of the report */
    double worked;           /* [J] taken by the forces of pairs in the last minimization, on the ways of their points */
} cti_barrier_contact;

/* cti_barrier_joints -- the equations of the joints. */
typedef struct cti_barrier_joints {
    cti_barrier_tie *ties;
    int updates, stalls; /* of multipliers in this step; those in a row that changed little */
    int open;            /* ties with an error above the tolerance when Newton's method ended */
    double rounded;      /* [J] what rounding of the joints' work in the try at hand is of */
} cti_barrier_joints;

/* cti_barrier_matrix -- what the Hessian is made of. */
typedef struct cti_barrier_matrix {
    int32_t *elastic; /* [2 m] block pairs without contacts */
    int32_t *wanted;  /* [2 m] scratch: elastic and contacts' block pairs */
    int exact;        /* 1: elasticity's part of the next Hessian is not projected */
    ct_real sigma;    /* times M that is added to it then */
    int contacts;     /* what assembly takes of the barriers' Hessian, CTI_POTENTIAL_*; CTI_POTENTIAL_VALUE: no barriers at all */
} cti_barrier_matrix;

/* cti_barrier -- of CT_STEPPER_BARRIER; made when the world is prepared, but for what the comments say. */
typedef struct cti_barrier {
    int n;                   /* blocks */
    ct_real h;               /* [s] of the step at hand */
    ct_real *y, *y0, *y_hat; /* [3 n] iterate; start of the step; where inertia and external forces take it */
    ct_real *y_try, *dy, *g; /* [3 n] */
    cti_barrier_rule rule;
    cti_barrier_layout layout;
    cti_barrier_goals scripts;
    cti_barrier_surface surface;
    cti_barrier_candidates cover;
    cti_barrier_contact contact;
    cti_barrier_joints joints;
    cti_barrier_matrix matrix;
    cti_barrier_hessian hessian;
    cti_barrier_analysis analysis;
    cti_barrier_factor factor;
    cti_barrier_factors factors;
    cti_barrier_start start;
    void *form;              /* private data of the forms; NULL before the first step of one */
    cti_barrier_scale scale; /* the last member: it stays when bodies change */
} cti_barrier;

/* cti_barrier_own -- the stepper's data of a state. */
CTI_INLINE cti_barrier *cti_barrier_own(const cti_state *s) { return (cti_barrier *)s->own; }

/* cti_barrier_forms -- what 8_forms does in a world whose barrier.form is another one than POTENTIAL. 0: out of memory.
   step     the step, from what cti_barrier_open has prepared. *speed: of the last iteration; *moves 1: scripted blocks have not arrived
   touches  contacts of constrained forms for the report; next: friction's
   push     adds the constraints' forces to g, whose contacts have none
   problem  as cti_stepper.problem: the last quadratic program */
typedef struct cti_barrier_forms {
    int (*step)(cti_state *s, ct_real *speed, int *moves, ct_step_report *r);
    int (*touches)(cti_state *s, const cti_memory *next, ct_step_report *r);
    void (*push)(cti_state *s);
    int (*problem)(cti_state *s, cti_mem *mem, struct cti_program *out);
} cti_barrier_forms;

CTI_FN const cti_barrier_forms *cti_forms(void);
/* cti_barrier_form -- those of the world's form; NULL: it is POTENTIAL. cti_barrier_constraints -- the same, of a form with constraints. */
CTI_INLINE const cti_barrier_forms *cti_barrier_form(const cti_state *s)
{
#if CONTACT_WITH_FORMS
    return s->desc.barrier.form == CT_FORM_POTENTIAL ? NULL : cti_forms();
#else
    CTI_UNUSED(s);
    return NULL;
#endif
}
CTI_INLINE const cti_barrier_forms *cti_barrier_constraints(const cti_state *s)
{
    return s->desc.barrier.form < CT_FORM_POSITION ? NULL : cti_barrier_form(s);
}

/* ---- barrier_layout.c ---- */

/* cti_barrier_prepare -- as cti_stepper.prepare. */
CTI_FN int cti_barrier_prepare(cti_state *s, const cti_stepper_body *bodies);
/* cti_affine_is_known -- 1 when the affine state that the last step left is that of the pose and the motion as they are. */
CTI_INLINE int cti_affine_is_known(const cti_rigid *r)
{
    return r->affine_known && memcmp(r->q, r->affine_q, sizeof r->q) == 0 && memcmp(r->spin, r->affine_spin, sizeof r->spin) == 0;
}
/* cti_barrier_load -- y0, rate, the rule and y_hat of a step of h from the state. */
CTI_FN void cti_barrier_load(cti_state *s, ct_real h);
/* cti_barrier_place -- out [3 nv]: the surface at y; scripted vertices are those of s->surface.script. */
CTI_FN void cti_barrier_place(cti_state *s, const ct_real *y, ct_real *out);
/* cti_barrier_store -- the state at the end of a step: positions, velocities, poses, the surface. */
CTI_FN void cti_barrier_store(cti_state *s);
/* cti_barrier_speed -- largest entry of a change of y as a speed [m/s]. */
CTI_FN ct_real cti_barrier_speed(const cti_state *s, const ct_real *dy);
/* cti_barrier_of -- the attachment of vertex v. */
CTI_INLINE const cti_attach *cti_barrier_of(const cti_state *s, const cti_barrier *b, int v)
{
    const cti_surface_body *body = &s->surface.bodies[s->surface.body_of[v]];
    return &b->layout.attach[body->moves ? v + body->shift : s->surface.n_moving];
}

/* cti_barrier_went -- how far vertex v has come in the substep at hand, with the surface at x. */
CTI_INLINE cti_v3 cti_barrier_went(const cti_state *s, const ct_real *x, int v)
{
    return cti_v3_sub(cti_v3_at(x, v), cti_v3_at(cti_barrier_own(s)->surface.x_start, v));
}

/* ---- barrier_rule.c ---- */

/* cti_barrier_rule_make -- rule, p, r and y_hat of a step of h from y0 and rate. */
CTI_FN void cti_barrier_rule_make(cti_state *s, ct_real h);
/* cti_barrier_rule_c -- rule.c of a block of y. */
CTI_INLINE ct_real cti_barrier_rule_c(const cti_barrier *b, int block) { return b->rule.fresh[block] ? b->h / 2 : b->rule.c; }
/* cti_barrier_rule_end -- velocity [3] of block `block` of y at the end of the step. */
CTI_FN cti_v3 cti_barrier_rule_end(const cti_barrier *b, int block);
/* cti_barrier_rule_keep -- what the next step's rule needs of this one; before the state's velocities are replaced. */
CTI_FN void cti_barrier_rule_keep(cti_state *s);

/* ---- barrier_pairs.c ---- */

/* cti_barrier_cover -- lists that are complete for the motion of the surface from x0 to x1. 0: out of memory. */
CTI_FN int cti_barrier_cover(cti_state *s, const ct_real *x1);
/* cti_barrier_find -- terms: the active pairs at the surface positions x, which the lists cover. 0: out of memory. */
CTI_FN int cti_barrier_find(cti_state *s, const ct_real *x);
/* cti_barrier_filter -- the largest step in [0, 1] along surface.x0 -> x1 that keeps every pair at this share of its distance at least;
   below 0: out of memory. */
CTI_FN ct_real cti_barrier_filter(cti_state *s, const ct_real *x1, ct_real share);
/* cti_barrier_passes -- at the end of a step: 1 where the straight way from x_start to surface.x0 leads through something, of pairs that move farther
   relative to each other than the smaller body's size: the minimum that was found lies behind an obstacle. -1: out of memory. */
CTI_FN int cti_barrier_passes(cti_state *s);
/* cti_barrier_measure -- squared distances at x of all candidates but planes. */
CTI_FN void cti_barrier_measure(cti_state *s, const ct_real *x);
/* cti_barrier_term_of -- candidate i of a list as a term, but for its mass. */
CTI_FN cti_barrier_term cti_barrier_term_of(const cti_candidates *l, int i);
/* cti_barrier_least_mass -- cti_barrier_term.mass, from its vertices. */
CTI_FN ct_real cti_barrier_least_mass(const cti_state *s, const cti_barrier_term *t);
/* cti_barrier_falls -- 1 where a merit's change in a step is at most its share of what the slope promises and its rounding. slope: of the whole step;
   size: of all that is summed up, units: ulp of that. */
CTI_FN int cti_barrier_falls(double change, double slope, double size, double units);
/* cti_barrier_clears -- 1 where the way to y_try, with the surface at surface.x1, may be taken: it keeps pairs apart, and rigid bodies proper; 0;
   -1: out of memory. */
CTI_FN int cti_barrier_clears(cti_state *s);
/* cti_barrier_arrive -- surface.x0 has become the positions that active pairs were last found at. */
CTI_FN void cti_barrier_arrive(cti_state *s);
/* cti_barrier_law -- the potential of a term, in rule.contact J. */
CTI_FN void cti_barrier_law(const cti_state *s, const cti_barrier_term *t, cti_potential *out);
/* cti_barrier_eval -- a term's potential at surface positions x. */
CTI_FN int cti_barrier_eval(const cti_state *s, const cti_barrier_term *t, const ct_real *x, int want, cti_potential_terms *out);
/* cti_barrier_crosses -- as cti_shell.crosses. A pair nearer than an ulp of its bodies' dhat counts, like two points in one place: its barrier has
   no value. */
CTI_FN int cti_barrier_crosses(cti_state *s);
/* cti_barrier_squeezes -- 1 when the motion to x, at which pairs were last found, brings a pair nearer than a solve resolves. */
CTI_FN int cti_barrier_squeezes(const cti_state *s, const ct_real *x);

/* ---- barrier_walls.c ---- */

/* cti_barrier_walls -- after a minimization, at surface.x0: adds walls for pairs without faces that the straight way from x_start to `to` [3 nv]
   leads through each other; `to` may be surface.x0. Returns how many; below 0: out of memory. */
CTI_FN int cti_barrier_walls(cti_state *s, const ct_real *to);
/* cti_barrier_wall_gap -- signed distance from a wall at surface positions x. */
CTI_FN ct_real cti_barrier_wall_gap(const cti_barrier_wall *w, const ct_real *x);
/* cti_barrier_wall_eval -- as cti_potential_eval. */
CTI_FN int cti_barrier_wall_eval(const cti_barrier_wall *w, const cti_potential *law, const ct_real *x, int want, cti_potential_terms *out);
/* cti_barrier_walls_find -- adds active walls at x to the terms. 0: out of memory. */
CTI_FN int cti_barrier_walls_find(cti_state *s, const ct_real *x);
/* cti_barrier_walls_filter -- as cti_barrier_filter, of the walls. */
CTI_FN ct_real cti_barrier_walls_filter(const cti_state *s, const ct_real *x1, ct_real share);

/* ---- barrier_energy.c: the objective in h^2 J ---- */

/* cti_barrier_part, _whole -- what the rounding of a sum is of, from its terms. Errors of floats, whose sums are double, are independent: the root
   of the sum of squares. Doubles' add up. */
CTI_INLINE double cti_barrier_part(double term) { return sizeof(ct_real) == sizeof(double) ? term : term * term; }
CTI_INLINE double cti_barrier_whole(double parts) { return sizeof(ct_real) == sizeof(double) ? parts : sqrt(parts); }
/* cti_barrier_is_proper -- 1 where no rigid body of y is inside-out or flat: |A'A - 1|^2 does not tell a reflection from a rotation. */
CTI_FN int cti_barrier_is_proper(const cti_state *s, const ct_real *y);
/* cti_barrier_energy -- of y, with the surface at x, whose active pairs are `terms`; *size: what its rounding is of; below 0: out of memory. */
CTI_FN double cti_barrier_energy(cti_state *s, const ct_real *y, const ct_real *x, double *size);
/* cti_barrier_assemble -- g and B at cti_barrier_own(s)->y and surface.x0. shift [3 nv]: how far the surface's scripted vertices are to
   move, or NULL: the contacts' part of that is added to g. 0: out of memory. */
CTI_FN int cti_barrier_assemble(cti_state *s, const ct_real *shift, ct_step_report *r);
/* cti_barrier_contact_energy -- of the barriers and of friction, with the surface at x; *size += their rounding's. 0: out of memory. */
CTI_FN int cti_barrier_contact_energy(cti_state *s, const ct_real *x, double *barriers, double *friction, double *size);
/* cti_barrier_contacts -- the contacts' part of cti_barrier_assemble. 0: out of memory. */
CTI_FN int cti_barrier_contacts(cti_state *s, const ct_real *shift);
/* cti_barrier_loss -- dissipated by damping from y0 to y [J]. */
CTI_FN double cti_barrier_loss(cti_state *s);
/* cti_barrier_slide -- tangential displacement [2] of a contact since the start of the step, plus its anchor, with the surface at x. */
CTI_FN void cti_barrier_slide(const cti_state *s, const cti_barrier_rub *q, const ct_real *x, ct_real out[2]);
/* cti_barrier_rub_derive -- force f [2] and Hessian H [4] of a rub at the slip u [2], along t, in h^2 N; reach: friction_velocity h. */
CTI_FN void cti_barrier_rub_derive(const cti_barrier_rub *q, ct_real reach, const ct_real *u, ct_real *f, ct_real *H);
/* cti_barrier_rub_terms -- the same in space, at surface positions x, or x_slide where that is set; q->at is set, too. */
CTI_FN void cti_barrier_rub_terms(const cti_state *s, cti_barrier_rub *q, const ct_real *x, cti_contact_rub *out);

/* ---- barrier_lag.c ---- */

/* cti_barrier_lag -- rubs: friction with the normal forces and the directions at surface.x0. 0: out of memory. */
CTI_FN int cti_barrier_lag(cti_state *s);
/* cti_barrier_lead -- dy = -B^-1 g becomes the step that knows how loads and directions change along it, where that goes down. 0: out of memory. */
CTI_FN int cti_barrier_lead(cti_state *s, ct_step_report *r);
/* cti_barrier_lead_energy -- out: what half of friction's potential changes more from surface.x0 to x1, whose pairs are active, with the loads and
   directions of x1. 0: out of memory. */
CTI_FN int cti_barrier_lead_energy(cti_state *s, double *out);

/* ---- barrier_joints.c ---- */

/* cti_barrier_joints_make -- ties of all joints, their block pairs in `elastic`. 0: out of memory. */
CTI_FN int cti_barrier_joints_make(cti_state *s, cti_barrier *b);
/* cti_barrier_joints_open -- the ties of a step, with y0 and the last step's forces. */
CTI_FN void cti_barrier_joints_open(cti_state *s);
/* cti_barrier_joints_energy -- as cti_barrier_energy: sum of m phi + k / 2 |phi|^2; *size: what its rounding is of is added. */
CTI_FN double cti_barrier_joints_energy(const cti_state *s, const ct_real *y, double *size);
/* cti_barrier_joints_assemble -- adds to g and B, in which the bodies' part is. */
CTI_FN void cti_barrier_joints_assemble(cti_state *s);
/* cti_barrier_joints_settle -- at a minimum: 1: every error is at most newton_tolerance h, or updates have run out (joints.open > 0); 0: multipliers
   have changed, and there is another minimum. */
CTI_FN int cti_barrier_joints_settle(cti_state *s);
/* cti_barrier_joints_close -- work and impulses of a step at its end; out: what the next step begins with, unless r->status says that this
   one has not converged. 0: out of memory. */
CTI_FN int cti_barrier_joints_close(cti_state *s, cti_memory *out, ct_step_report *r);

/* ---- barrier_hold.c ---- */

/* cti_barrier_key -- of a term in the contact memory; a wall has another one than its pair. */
CTI_FN uint64_t cti_barrier_key(const cti_state *s, const cti_barrier_term *p);
/* cti_barrier_pair -- a term's pair with weights c [4]. */
CTI_INLINE cti_pair cti_barrier_pair(const cti_barrier_term *p, const ct_real *c)
{
    cti_pair pair = p->pair;
    memcpy(pair.w, c, 4 * sizeof *c);
    return pair;
}
/* cti_barrier_rub_add -- adds friction of a contact with weights c, a normal and cti_barrier_rub.load. 0: out of memory. */
CTI_FN int cti_barrier_rub_add(cti_state *s, const cti_barrier_term *p, const ct_real *c, cti_v3 normal, ct_real load);
/* cti_barrier_keep_contacts -- keeps the pairs and the surface before a Newton step. 0: out of memory. cti_barrier_contacts_agree -- after it: 1
   where the forces of pairs and of friction are what their linearizations said, to a tenth. */
CTI_FN int cti_barrier_keep_contacts(cti_state *s);
CTI_FN int cti_barrier_contacts_agree(const cti_state *s);
/* cti_barrier_remember -- out: an item for each rub, in their order, at the end of a step. 0: out of memory. */
CTI_FN int cti_barrier_remember(cti_state *s, cti_memory *out);
/* cti_barrier_rubbed -- adds friction's impulse to a contact, from what cti_barrier_remember has made. Returns its rub; -1: none. */
CTI_FN int cti_barrier_rubbed(const cti_state *s, const cti_memory *m, cti_touch *t);

/* cti_barrier_rates -- out [3 n] = (M (1 + c alpha) + c D(y0)) z: inertia and damping. out is not z. work [3 n]. */
CTI_FN void cti_barrier_rates(cti_state *s, const ct_real *z, ct_real *work, ct_real *out);
/* cti_barrier_rub_shift -- b->g += friction's Hessian at b->surface.x_slide times the displacement shift [3 nv] of the surface; NULL: its force. */
CTI_FN void cti_barrier_rub_shift(cti_state *s, const ct_real *shift);
/* cti_barrier_scatter -- g += a vector g [3 n] and B += H [3 n][3 n], or NULL, over the vertices v [n] of a pair, in the rows [begin, end). */
CTI_FN void cti_barrier_scatter(cti_state *s, const int32_t *v, int n, const ct_real *g, const ct_real *H, int begin, int end);

/* ---- barrier_system.c ---- */

/* cti_barrier_pattern -- B's pattern holds the blocks of all bodies, of `terms` and of `rubs`, and B is zero. 0: out of memory. */
CTI_FN int cti_barrier_pattern(cti_state *s);
/* cti_barrier_add -- B(i, j) += m [9], scaled. Of i and j a term or a rub has both. */
CTI_FN void cti_barrier_add(cti_barrier *b, int i, int j, const ct_real *m, ct_real scale);
/* cti_barrier_constrain -- after an assembly: g and B of constrained blocks, which are on their way to the goal. */
CTI_FN void cti_barrier_constrain(cti_state *s);
/* cti_barrier_free -- what scripts leave of a vector at a block of y. */
CTI_INLINE cti_v3 cti_barrier_free(const cti_state *s, int at, cti_v3 v)
{
    int filter = cti_barrier_own(s)->scripts.filter[at];
    return filter >= 0 ? cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)filter, v) : v;
}
/* cti_barrier_follow -- dy of constrained blocks: exactly what is left of their way, which conjugate gradients only come near. */
CTI_FN void cti_barrier_follow(cti_state *s);
/* cti_barrier_shift_mass -- B += by M of deformable nodes, after cti_barrier_constrain. */
CTI_FN void cti_barrier_shift_mass(cti_state *s, ct_real by);
/* cti_barrier_lift -- B += by times the mean of the diagonal of its own diagonal blocks. */
CTI_FN void cti_barrier_lift(cti_state *s, ct_real by);
/* cti_barrier_solve -- dy = -B^-1 g, up to newton.inexact; *definite 0: B is not positive definite, and dy is no direction. 0: out of memory. */
CTI_FN int cti_barrier_solve(cti_state *s, int *definite, ct_step_report *r);
/* cti_barrier_preconditioner -- the inverse of the last factor, after a solve. */
CTI_FN cti_operator cti_barrier_preconditioner(cti_barrier *b);
/* cti_barrier_correct -- dy, which solves another system, becomes -B^-1 g up to a tenth of the change; *definite 0: B is not positive definite or
   conjugate gradients did not converge, and dy is as it was. 0: out of memory. */
CTI_FN int cti_barrier_correct(cti_state *s, int *definite, ct_step_report *r);
/* cti_barrier_system_begin -- at the start of a step; cti_barrier_system_restore -- back to the pattern, the analysis and the factor of then. */
CTI_FN void cti_barrier_system_begin(cti_barrier *b);
CTI_FN void cti_barrier_system_restore(cti_barrier *b);
/* cti_barrier_exchange -- exchanges parts, CTI_BARRIER_OLD_*, with those that are put aside. cti_barrier_slots -- slot_of a Hessian with a pattern.
   0: out of memory. */
CTI_FN void cti_barrier_exchange(cti_barrier *b, int parts);
CTI_FN int cti_barrier_slots(cti_state *s, cti_barrier_hessian *h);
/* cti_barrier_archive -- as cti_stepper.archive (barrier_archive.c). */
CTI_FN void cti_barrier_archive(cti_archive *a, cti_state *s, int prepared);

/* ---- barrier.c ---- */

/* cti_barrier_substep -- as cti_shell.substep: one minimization, which becomes the state. */
CTI_FN int cti_barrier_substep(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r);

/* ---- barrier_report.c ---- */

/* cti_barrier_reported -- the touches of a step while they are reported. */
typedef struct cti_barrier_reported {
    const cti_memory *next;    /* friction's */
    cti_impulses_index index;
    uint8_t *rubbed;           /* [rubs] 1: it is in a touch */
    ct_step_report *r;
} cti_barrier_reported;
/* cti_barrier_touches_open -- room for `most` contacts; q->next and q->r are set. 0: out of memory. cti_barrier_touch -- adds the touch of a term,
   with weights c, a normal, a normal impulse and a thickness, and with its friction. cti_barrier_touches_close -- adds friction of pairs that
   carry no load at the end of the step. */
CTI_FN int cti_barrier_touches_open(cti_state *s, int most, cti_barrier_reported *q);
CTI_FN void cti_barrier_touch(cti_state *s, cti_barrier_reported *q, const cti_barrier_term *p, const ct_real *c, cti_v3 normal, ct_real impulse,
                              ct_real thickness);
CTI_FN void cti_barrier_touches_close(cti_state *s, cti_barrier_reported *q);
/* cti_barrier_touches -- impulses of the contacts, smallest distances; next: friction's. 0: out of memory. */
CTI_FN int cti_barrier_touches(cti_state *s, const cti_memory *next, ct_step_report *r);
/* cti_barrier_works -- work of scripts and pins, with the pins' impulses, and losses in the step. 0: out of memory. */
CTI_FN int cti_barrier_works(cti_state *s, ct_step_report *r);
/* cti_barrier_swing -- [J] gain of a step that its rule and rounding explain. */
CTI_FN double cti_barrier_swing(const cti_state *s, const ct_step_report *r);

/* ---- barrier_step.c ---- */

/* cti_barrier_step -- as cti_stepper.step. */
CTI_FN ct_code cti_barrier_step(cti_state *s, ct_real dt, ct_step_report *r);
