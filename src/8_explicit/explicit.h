/* explicit.h -- the explicit stepper: finite elements of a nearly incompressible material, Runge-Kutta steps of fourth order with adaptive
   length, and contact forces that keep accelerations apart. [Hong, Choi, Lee 2006, Constraint-based contact analysis between deformable
   objects]
   Terms:
   d             signed distance of a contact along its normal [m]; d < 0: penetration. d' and d'' are its rate and acceleration.
   scale         of a contact: mean edge of its bodies [m]. The legal penetration is rk.penetration of it; a contact rests at a share of that above 0.
   foot          the point in the plane of a face, or on the line of an edge, that is nearest to the other side of a contact.
   behind        on the inner side of a surface, by the normal of the nearest face, edge or vertex.
   held          a contact that was there in the last Runge-Kutta step; else its appearance is a first touch.
   move back     puts nodes that are behind a surface onto it, without a velocity.
   adjacent      a further contact of a vertex that is about to cross an edge of its face, with the face beyond.
   region        contacts that share blocks: one linear complementarity problem.
   squeezed      a contact whose problem has no solution: between bodies that cannot give way.
   stable step   half of the longest Runge-Kutta step that the elements' vibrations and damping allow [s]; steps of a fixed length are at most that.
   A new contact law goes into explicit_rates.c: cti_explicit_solve_all has the conditions on d'' and d', explicit_program.c solves them. */
#pragma once

#include "../1_math/simd_turn.h"
#include "../4_geom/bounds.h"
#include "../7_contact/candidates.h"
#include "../8_step/plausible.h"
#include "../8_step/stepper.h"
#include "explicit_policy.h"
#include "explicit_program.h"

/* cti_explicit_entry -- is a part of a contact's row J: the gradient g of d by the position of a block, and z = M^-1 g. */
typedef struct cti_explicit_entry {
    int32_t block;
    cti_v3 g, z;
} cti_explicit_entry;

/* cti_explicit_contact -- is a contact of a Runge-Kutta step: vertex and face, vertex and plane, two edges, or the middle of an edge and a face. */
typedef struct cti_explicit_contact {
    cti_pair pair;
    uint64_t key;        /* names features and bodies; contacts of a vertex with faces of one body have one key */
    ct_real sign;        /* turns the normal: -1 where the face, or the cross product of the edges, points to side b */
    int held;            /* 1: the contact was there in the step before */
    int adjacent;        /* 1: the face is not the one that the vertex touches, but beside it; or it is another one of a concave edge */
    int was_active;      /* 1: a force kept it at the end of the last Runge-Kutta step */
    int squeezed;        /* 1: no force keeps it; it takes part in no solve of this step */
    int deep;            /* 1: the move back left it deeper than the legal penetration */
    int region, n, n_a;  /* n counts the entries, one for each block; the first n_a are those of side a */
    cti_v3 normal;       /* points from side b to side a */
    ct_real scale;       /* is the mean edge of its bodies, cti_explicit_scale [m] */
    ct_real d;           /* is the distance along the normal [m] */
    ct_real d_found;     /* is d before the move back [m]; bench/trace_explicit.c reads it */
    ct_real d_target;    /* is d to which it is moved back [m] */
    ct_real rate;        /* is d' [m/s] */
    ct_real script_rate; /* is the part of d' that scripts give [m/s] */
    ct_real bias;        /* is d'' without the blocks' accelerations [m/s^2] */
    ct_real force;       /* is that of the last evaluation [N], or the impulse of the collision [N s] */
    cti_explicit_entry entry[CTI_EXPLICIT_ENTRIES];
} cti_explicit_contact;

/* cti_explicit_material -- holds the shear modulus [Pa] and the viscosities of shear and of volume [Pa s] of a material. */
typedef struct cti_explicit_material {
    ct_real mu, eta, bulk;
} cti_explicit_material;

/* cti_explicit_elements -- holds elements with nodal pressures in batches of eight, each of one model, and scratch of their forces. Element l of
   batch k has nodes node[32 k + 4 l ..]. Records of a node have four entries. */
typedef struct cti_explicit_elements {
    int n_batches;
    int32_t *node;       /* [32 batches] */
    int32_t *model_of;   /* [batches] is the model of a batch */
    int32_t *row_start, *row; /* [n + 1], list for each node its rows of `row_force`, in the order of elements: row 32 k + 8 a + l is node a of
                                 element l. Lists are filled up to whole fours with row 32 batches, which is 0 */
    int32_t *quarter_of; /* lists as `row` the entries of `quarter`, 8 k + l */
    ct_real *rest;       /* [80 batches] has the layout of cti_tet_batch; volume 0 where there is no element */
    cti_explicit_material *material; /* [models] */
    ct_real *height;     /* [models] is the shortest height of an element [m] */
    ct_real *volume0, *inverse0; /* [n] are a quarter of the volumes of the elements around a node at rest [m^3], and 1 / volume0 */
    ct_real *kappa;      /* [n] is the bulk modulus [Pa] */
    ct_real *x, *v;      /* [4 n] are positions; velocities and pressures */
    ct_real *carried;    /* is what elements compute in the first pass for the second */
    ct_real *quarter;    /* [8 batches] is a quarter of each element's volume [m^3] */
    ct_real *row_force;  /* [4 rows + 4] are forces on the nodes of elements [N] */
    double *power;       /* [batches] is that of viscous forces [W], or the energy of shape [J] */
    ct_real *force;      /* [3 n] sums the forces of all elements [N] */
    int plain;           /* 1: all bodies are of these elements, without pins and without damping of their mass */
} cti_explicit_elements;

/* cti_explicit_search -- holds candidates, valid while no surface vertex has moved by more than a share of its body's edges since they were found. */
typedef struct cti_explicit_search {
    cti_candidates vf, mf; /* vertices and faces; edges, of which middles count, and faces: empty without rk.refine SURFACE */
    int32_t *ee;         /* [2 n] lists pairs of edges */
    ct_real *x_found;    /* [3 nv] are the positions at which they were found */
    ct_real *x_start;    /* [3 nv] are the positions at the start of the Runge-Kutta step */
    cti_box *boxes;      /* [2 bodies] are scratch: boxes of swept vertices and of displacements */
    ct_real *edge_length; /* [3 bodies] [m] mean edge at rest if soft; if it moves (CTI_REAL_MAX: neither); largest scale with others */
    ct_real *thickness;  /* [bodies] is the smallest one at rest [m]; CTI_REAL_MAX: the surface is open */
    int32_t *face_start, *vertex_faces; /* [nv + 2], [3 nf]: faces around vertex v are vertex_faces[face_start[v]] .. */
    int valid;
    cti_explicit_contact *contacts_end; /* contacts at the end of a Runge-Kutta step that is tried or predicted, and at that of the step */
} cti_explicit_search;

/* cti_explicit_rule -- is a Runge-Kutta rule of n stages: weights a of earlier rates in stages, row by row, b in the step, and d in its error. It is
   stable in the left half of a disk around 0, and on the negative axis as far as `axis`. */
typedef struct cti_explicit_rule {
    int n;
    ct_real disk, axis;
    ct_real a[CTI_EXPLICIT_STAGES * (CTI_EXPLICIT_STAGES - 1) / 2], b[CTI_EXPLICIT_STAGES], d[CTI_EXPLICIT_STAGES];
} cti_explicit_rule;

/* cti_explicit_ode -- holds the vectors of the ordinary differential equations: positions [3 n], velocities [3 n], orientations [4 rigids], and
   integrals from the start of the Runge-Kutta step on: energy [3] (damping, scripts, contacts), impulses of pins [pins] and of contacts
   [3 contacts]. */
typedef struct cti_explicit_ode {
    int state, size;     /* count entries without and with integrals; size is a multiple of 8, the last entries are 0 */
    int pins;            /* 3 n, or 0 in a world without pins */
    const cti_explicit_rule *rule;
    ct_real *y, *full, *half, *end, *stage; /* start; the error; after h / 2 of two steps; after h; the argument of a stage */
    ct_real *k1, *k;     /* are rates at the start; [CTI_EXPLICIT_STAGES - 1][size] those of other stages */
} cti_explicit_ode;

/* cti_explicit_slot -- is an entry of a contact in the list of its block. */
typedef struct cti_explicit_slot {
    int32_t position;    /* is that of the contact in `order` */
    cti_v3 g, z;         /* are the entry's; 0 of a contact that takes no part */
} cti_explicit_slot;

/* cti_explicit_solve -- is scratch of the contact problem; regions are runs of `order`. Positions are those in `order`. */
typedef struct cti_explicit_solve {
    double *work;
    ct_real *scratch;    /* [3 n] is 0 between uses */
    int32_t *set;        /* [n] sets of blocks (0_base/sets.h) */
    int32_t *order;      /* lists contacts by region */
    int32_t *slot_start; /* [n + 2] slots of block b are slots[slot_start[b]] .. by position. Blocks held by scripts have none: they couple nothing */
    int32_t *entry_start, *slot_of; /* [contacts + 1], by position; slots of its entries are slot_of[entry_start[i]] .., -1: none */
    cti_explicit_slot *slots;
    double *diagonal;    /* [contacts] is a_ii by position */
    int32_t *lo, *hi;    /* [contacts] by position: first and last position, from the region's first on, of contacts with a common block */
    uint64_t *keys;      /* are scratch of sorting, with `order` */
    ct_real *inverse_mass;    /* [n] of blocks */
    ct_real *inverse_inertia; /* [9 rigids] in the frames of the bodies */
    uint8_t *active;
    double natural;      /* is the largest natural residual of a problem in the step, relative to its right side */
    int iterations;      /* counts linear solves of problems in the step */
} cti_explicit_solve;

/* cti_explicit_memory -- is what a Runge-Kutta step leaves to the next one. */
typedef struct cti_explicit_memory {
    uint64_t *held;      /* are sorted keys of contacts of the last Runge-Kutta step */
    uint64_t *active;    /* are scratch: sorted keys of those that a force kept at its end */
    ct_real next_length; /* is the length to try next [s]; 0: not known */
    ct_real last_length; /* is the length of the last Runge-Kutta step [s]; 0: there was none */
} cti_explicit_memory;

/* cti_explicit_run -- holds data of a try of a step. */
typedef struct cti_explicit_run {
    double energy_moves_back; /* sums the elastic energy that moves back store [J] */
    double t;            /* is the time since the start of the step [s] */
    double t_found;      /* is the time at which search.contacts_end has the contacts of the last Runge-Kutta step's end [s]; < 0: it has not */
    int forced;          /* counts steps accepted above the tolerance, or in which bodies go farther than contacts reach */
    int ended;           /* 1: the rest of the step is left out */
    int squeezed;        /* counts such contacts */
    int deep;            /* counts contacts that the step leaves deeper than the legal penetration */
    int moved;           /* counts contacts that the last move back has moved */
    cti_plausible_size world_size; /* is that at the start */
} cti_explicit_run;

/* cti_explicit -- holds the data of CT_STEPPER_EXPLICIT. */
typedef struct cti_explicit {
    cti_explicit_elements elements;
    cti_explicit_contact *contacts;
    cti_explicit_memory memory, memory_start; /* memory_start: at the start of the step, for one that fails */
    cti_explicit_search search;
    cti_explicit_ode ode;
    cti_explicit_solve solve;
    int32_t *middles;    /* [3 m] lists nodes at the middles of edges, each with the edge's ends */
    ct_real *frames;     /* [9 rigids] */
    ct_real *surface;    /* [3 nv] are positions of the surface where it was last placed */
    ct_real *surface_start, *script_end; /* [3 nv], [3 n_moving] are the surface at the start of the step; scripted positions at its end */
    ct_real edge;        /* is the mean edge of all surfaces that move [m] */
    ct_real error_unit;  /* is the unit of errors: the mean edge, or less where an element is flat [m] */
    ct_real stable_step; /* [s] */
    ct_real decay;       /* is c in d'' + 2 c d' + c^2 max(d - rest, 0) >= 0, the rate at which contacts come to rest on the surface [1/s] */
    ct_real rest_distance; /* [scale of a contact] is d at rest: far above rounding, so that what touches does not intersect */
    ct_real dt;          /* is the length of the world's step [s] */
    cti_explicit_run run;
    double energy_start; /* is the kinetic and elastic energy at the start of the step [J] */
    ct_error_info refusal; /* says why the step is refused */
} cti_explicit;

CTI_INLINE cti_explicit *cti_explicit_own(const cti_state *s) { return (cti_explicit *)s->own; }

/* ---- explicit_force.c ---- */

/* cti_explicit_is_nodal -- returns 1 where the elements of a model have nodal pressures. cti_explicit_is_plain -- returns elements.plain. */
CTI_FN int cti_explicit_is_nodal(const cti_state *s, int model);
CTI_FN int cti_explicit_is_plain(const cti_state *s);
/* cti_explicit_bodies_rest -- measures volumes at rest, the elements' heights, and the stable step. 0: out of memory. */
CTI_FN int cti_explicit_bodies_rest(cti_state *s, const cti_stepper_body *bodies);
/* cti_explicit_forces -- sets force [3 n]: elastic forces at x [3 n], damping forces at velocities v. Returns the power of the latter [W], <= 0. */
CTI_FN double cti_explicit_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force);
/* cti_explicit_elastic -- returns the elastic energy at x [J]; that of each body goes to out [models], unless it is NULL. */
CTI_FN double cti_explicit_elastic(cti_state *s, const ct_real *x, cti_energy *out);

/* ---- explicit_nodal.c: elements with nodal pressures ---- */

/* cti_explicit_nodal_rest -- copies the elements at rest; needs elements.height. 0: out of memory. */
CTI_FN int cti_explicit_nodal_rest(cti_state *s);
/* cti_explicit_nodal_forces -- sets force [3 n], to 0 at other nodes, too. Returns the power of the viscous forces [W], <= 0. */
CTI_FN double cti_explicit_nodal_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force);
/* cti_explicit_nodal_rates -- does the same for a plain world: dx [3 n] = v, and accelerations a [3 n] without contacts. */
CTI_FN double cti_explicit_nodal_rates(cti_state *s, const ct_real *x, const ct_real *v, ct_real *dx, ct_real *a);
CTI_FN double cti_explicit_nodal_energy(cti_state *s, const ct_real *x, cti_energy *out);

/* ---- explicit_contact.c ---- */

/* cti_explicit_place -- sets g->surface and g->frames for the state y, t seconds after the start of the step. */
CTI_FN void cti_explicit_place(cti_state *s, const ct_real *y, double t);
/* cti_explicit_measure -- sets normal, distance, rates and entries of a contact at y. 0: its features are flat. */
CTI_FN int cti_explicit_measure(const cti_state *s, const ct_real *y, double t, cti_explicit_contact *c);
/* cti_explicit_predict_foot -- sets the weights w [4] of the foot of a vertex in the plane of a face after h seconds of straight motion; w[1..3] < 0
   inside. */
CTI_FN void cti_explicit_predict_foot(const cti_state *s, const ct_real *y, double t, int vertex, int face, ct_real h, ct_real *w);

/* cti_explicit_move_back -- moves nodes that are behind a surface onto it, along its normal. Returns how many contacts moved something. */
CTI_FN int cti_explicit_move_back(cti_state *s, ct_real *y, double t);

/* ---- explicit_near.c ---- */

/* cti_explicit_near -- is a vertex, or the middle of an edge, and the face of a body that is nearest to it. */
typedef struct cti_explicit_near {
    int vertex, edge, body, face, feature; /* edge -1: it is a vertex */
    const cti_candidates *list; /* has all faces of the body that are candidates: n pairs from `first` on */
    int first, n;
    cti_v3 x, x_start;    /* are the point now, and at the start of the Runge-Kutta step */
    cti_v3 own_normal;    /* is the normal of its own body there, if own_known */
    int own_known;
    ct_real d2, contact_distance; /* [m^2], [m] */
    ct_real sign;         /* -1: the body's triangles face away from the point */
} cti_explicit_near;

/* cti_explicit_vertex_faces -- lists the faces around vertices. 0: out of memory. */
CTI_FN int cti_explicit_vertex_faces(cti_state *s);
/* cti_explicit_edge_normal -- returns the sum of the normals of the edge's faces, scaled to length 1. */
CTI_FN cti_v3 cti_explicit_edge_normal(const cti_surface *f, const ct_real *x, int edge);
/* cti_explicit_nearest_edge -- returns the edge that is nearest; -1: a face or a vertex is, or a flat face without this edge. */
CTI_FN int cti_explicit_nearest_edge(const cti_surface *f, const cti_explicit_near *q);
/* cti_explicit_is_behind -- returns 1 where the point is behind the surface at its nearest point. Sets q->sign. */
CTI_FN int cti_explicit_is_behind(const cti_state *s, cti_explicit_near *q);
/* cti_explicit_edge_side -- returns 1, or -1 where the triangles at an edge face away from the other edge. */
CTI_FN ct_real cti_explicit_edge_side(const cti_state *s, int edge, int other);
/* cti_explicit_contact_face -- returns the face of the contact of a point that is behind, or that touches. -1: the contacts are with all faces at the
   nearest edge or vertex that it is behind. */
CTI_FN int cti_explicit_contact_face(const cti_state *s, cti_explicit_near *q);

/* ---- explicit_find.c ---- */

/* cti_explicit_scale -- returns the scale of contacts of two surface bodies [m], b -1: of one with planes. It is the smaller mean edge of those that
   are soft; of those that move where none is. */
CTI_FN ct_real cti_explicit_scale(const cti_state *s, int a, int b);

/* cti_explicit_find -- finds the contacts at y; g->surface must be of y. is_new: vertices that had a contact with the same body in the last
   Runge-Kutta step are left out. 0: out of memory. */
CTI_FN int cti_explicit_find(cti_state *s, const ct_real *y, double t, int is_new);
/* cti_explicit_stride -- bounds the relative displacement of two bodies that may meet, from search.x_start to g->surface, over the depth up to
   which contacts are found, on the right side of a thin body: the largest of all pairs. Two bodies with a contact that is `deep` do not count.
   After cti_explicit_find. */
CTI_FN ct_real cti_explicit_stride(const cti_state *s);

/* ---- explicit_rates.c ---- */

/* cti_explicit_masses -- sets inverse masses and inertias. 0: out of memory. */
CTI_FN int cti_explicit_masses(cti_state *s);
/* cti_explicit_regions -- joins contacts that share blocks to regions, and orders contacts by them. 0: out of memory. */
CTI_FN int cti_explicit_regions(cti_state *s, ct_step_report *r);
/* cti_explicit_rates -- sets dy, the time derivative of y, with contact forces that keep d'' >= 0. 0: a number is not finite. */
CTI_FN int cti_explicit_rates(cti_state *s, const ct_real *y, double t, ct_real *dy);
/* cti_explicit_collide -- adds completely inelastic impulses at contacts that approach to y's velocities. */
CTI_FN void cti_explicit_collide(cti_state *s, ct_real *y, double t, ct_step_report *r);

/* ---- explicit_runge.c ---- */

/* cti_explicit_choose -- returns the rule for the fastest vibration and the largest rate of damping [1/s], and sets the stable step [s]. */
CTI_FN const cti_explicit_rule *cti_explicit_choose(const ct_explicit_desc *rk, ct_real omega, ct_real damping, ct_real *out_stable);
/* cti_explicit_runge -- sets end [size], y after h by the world's rule; k1: rates at y. 0: a number is not finite. */
CTI_FN int cti_explicit_runge(cti_state *s, const ct_real *y, const ct_real *k1, double t, ct_real h, ct_real *end);
/* cti_explicit_try -- sets ode.end to y after h, and returns the step's error relative to the tolerance; < 0: a number is not finite. */
CTI_FN ct_real cti_explicit_try(cti_state *s, double t, ct_real h, int *evaluations);

/* cti_explicit_predict -- sets ode.end to the state after h by Taylor's series of second order, from the rates k1. */
CTI_FN void cti_explicit_predict(cti_state *s, ct_real h);

/* ---- explicit_account.c ---- */

/* cti_explicit_account_touches -- tells the judge which bodies touch. */
CTI_FN void cti_explicit_account_touches(cti_state *s);
/* cti_explicit_account_scale -- returns the energy that takes part in the step [J], after the judge has seen it. */
CTI_FN double cti_explicit_account_scale(const cti_state *s, const ct_step_report *r);
/* cti_explicit_impulses -- adds the impulses of the contacts and pins at ode.end to the step's. 0: out of memory. */
CTI_FN int cti_explicit_impulses(cti_state *s);

/* ---- explicit.c, explicit_stepper.c ---- */

/* cti_explicit_energy -- puts the energies of the committed state into the report, unless it is NULL, and, by body, into s->energy.now; elastic
   energy is that of nodal pressures. Returns the sum [J]. */
CTI_FN double cti_explicit_energy(cti_state *s, ct_step_report *r);
CTI_FN ct_code cti_explicit_step(cti_state *s, ct_real dt, ct_step_report *r);
