/* explicit.h -- the explicit stepper: finite elements of a nearly incompressible material, Runge-Kutta steps of fourth order with adaptive
   length, and contact forces that keep accelerations apart. [Hong, Choi, Lee 2006, Constraint-based contact analysis between deformable
   objects] */
#pragma once

#include "../1_math/simd_turn.h"
#include "../4_geom/bounds.h"
#include "../8_step/plausible.h"
#include "../8_step/stepper.h"
#include "explicit_program.h"

/* cti_explicit_entry -- a part of a contact's row: the gradient g of its distance by the position of a block, and z = M^-1 g. */
typedef struct cti_explicit_entry {
    int32_t block;
    cti_v3 g, z;
} cti_explicit_entry;
enum { CTI_EXPLICIT_ENTRIES = 20 }; /* five vertices of four nodes each */

/* cti_explicit_touch -- a contact of a Runge-Kutta step: vertex and face, vertex and plane, two edges, or the middle of an edge and a face. */
typedef struct cti_explicit_touch {
    cti_pair pair;
    uint64_t key;        /* features and bodies; contacts of a vertex with faces of one body have one key */
    ct_real sign;        /* EE: of the cross product of the edges */
    int held;            /* 1: the contact was there in the step before */
    int adjacent;        /* 1: with a face beside that of the contact: the one to which the vertex is on its way, or another one of a concave edge */
    int pushed;          /* 1: a force kept it at the end of the last Runge-Kutta step */
    int squeezed;        /* 1: no force keeps it; it takes part in no solve of this step */
    int deep;            /* 1: the move back left it deeper than the legal penetration */
    int region, n, own;  /* n entries, one for each block; the first `own` are those of side a */
    cti_v3 normal;       /* unit, from side b to side a */
    ct_real edge;        /* [m] length of its bodies, cti_explicit_scale */
    ct_real d;           /* [m] distance along it, below 0 in penetration */
    ct_real found;       /* [m] d when the contact was found, before nodes are moved back */
    ct_real goal;        /* [m] d to which it is moved back */
    ct_real rate;        /* [m/s] d' */
    ct_real script_rate; /* [m/s] the part of it that scripts give */
    ct_real bias;        /* [m/s^2] d'' without the blocks' accelerations */
    ct_real force;       /* [N] of the last evaluation */
    cti_explicit_entry entry[CTI_EXPLICIT_ENTRIES];
} cti_explicit_touch;

/* cti_explicit_matter -- numbers of a material: shear modulus, viscosities of shear and of volume [Pa s]. */
typedef struct cti_explicit_matter {
    ct_real mu, eta, bulk;
} cti_explicit_matter;

/* cti_explicit_elements -- elements with nodal pressures in batches of eight, each of one model, and scratch of their forces. Element l of
   batch k has nodes node[32 k + 4 l ..]. Records of a node have four entries. */
typedef struct cti_explicit_elements {
    int n_batches;
    int32_t *node;       /* [32 batches] */
    int32_t *of;         /* [batches] model */
    int32_t *first, *slot; /* [n + 1], by node: rows of `out`, in the order of elements; row 32 k + 8 a + l is node a of element l. Lists have whole
                              fours, filled up with row 32 batches, which is 0 */
    int32_t *lane;       /* as slot: entries of `quarter`, 8 k + l */
    ct_real *rest;       /* [80 batches] as cti_tet_batch has it; volume 0 where there is no element */
    cti_explicit_matter *matter; /* [models] */
    ct_real *length;     /* [models] shortest height of an element [m] */
    ct_real *volume0, *inverse0; /* [n] a quarter of the volumes of the elements around a block at rest [m^3]; 1 / volume0 */
    ct_real *kappa;      /* [n] bulk modulus [Pa] */
    ct_real *x, *v;      /* [4 n] positions; velocities and pressures */
    ct_real *kept;       /* what elements keep from the first pass to the second */
    ct_real *quarter;    /* [8 batches] quarters of the elements' volumes [m^3] */
    ct_real *out;        /* [4] of each row: forces on the nodes of elements [N] */
    double *power;       /* [batches] of viscous forces [W], or energies of shape [J] */
    ct_real *force;      /* [3 n] of all elements */
    int plain;           /* 1: all bodies are of these elements, without pins and without damping of their mass */
} cti_explicit_elements;

/* cti_explicit_face -- a face of the candidates at g->surface. A point whose computed distance from the face is at most r has a squared distance
   of at most 2 r^2 + slack from the box: rounding of the distance is below 64 eps times the size of the box. */
typedef struct cti_explicit_face {
    cti_v3 normal, lo, hi; /* unit normal, box */
    ct_real slack;         /* [m^2] */
} cti_explicit_face;

/* cti_explicit_search -- candidates, valid while no surface vertex has moved by more than a share of its body's edges since they were found. */
typedef struct cti_explicit_search {
    int32_t *vf, *ee;    /* [2 n] */
    int32_t *mf;         /* [2 n] (edge, face), for middles of edges; empty without rk.refine SURFACE */
    ct_real *x;          /* [3 nv] positions that they are of */
    ct_real *from;       /* [3 nv] positions at the start of a Runge-Kutta step */
    cti_box *ways;       /* [2 bodies] scratch: boxes of ways and displacements */
    ct_real *edges;      /* [3 bodies] [m] mean edge at rest: of a soft body, of one that moves; CTI_REAL_MAX: none. Largest length with others */
    ct_real *thin;       /* [bodies] [m] smallest thickness at rest; CTI_REAL_MAX: the surface is open */
    int32_t *around_at, *around; /* [nv + 2], [3 nf] faces around vertex v: around[around_at[v]] .. */
    int32_t *listed, *face_at; /* faces of vf and mf; [nf] their places in the list */
    cti_explicit_face *faces;  /* as `listed` */
    int known;
    cti_explicit_touch *at_end; /* contacts at the end of a Runge-Kutta step that is tried or predicted, and at that of the step */
} cti_explicit_search;

/* cti_explicit_flat -- vectors of the ordinary differential equations: positions [3 n], velocities [3 n], orientations [4 rigids], and
   integrals from the start of the Runge-Kutta step on: energy [3] (damping, scripts, contacts), impulses of pins [pins] and of contacts
   [3 contacts]. */
typedef struct cti_explicit_flat {
    int state, size;     /* entries without and with integrals; size is a multiple of 8, the last entries are 0 */
    int pins;            /* 3 n, or 0 in a world without pins */
    ct_real *y, *full, *half, *end, *stage;
    ct_real *k1, *k;     /* rates at the start; [4][size] of other stages */
} cti_explicit_flat;

/* cti_explicit_slot -- an entry of a contact in the list of its block. */
typedef struct cti_explicit_slot {
    int32_t at;          /* position of the contact in `order` */
    cti_v3 g, z;         /* as the entry's; 0 of a contact that takes no part */
} cti_explicit_slot;

/* cti_explicit_solve -- scratch of the contact problem; regions are runs of `order`. */
typedef struct cti_explicit_solve {
    double *work;
    ct_real *spread;     /* [3 n] zero between uses */
    int32_t *set;        /* [n] sets of blocks */
    int32_t *order;      /* contacts by region */
    int32_t *slot_at;    /* [n + 2] slots of block b: slots[slot_at[b]] .. by position. None of blocks that scripts hold: they couple nothing */
    int32_t *entry_at, *slot_of; /* [contacts + 1], by position; slots of its entries: slot_of[entry_at[i]] .., -1: none */
    cti_explicit_slot *slots;
    double *diagonal;    /* [contacts] by position */
    int32_t *lo, *hi;    /* [contacts] by position: first and last position, from the region's first on, of contacts with a common block */
    uint64_t *keys;      /* scratch of sorting, with `order` */
    ct_real *inverse;    /* [n] of blocks' masses */
    ct_real *inertia;    /* [9 rigids] inverse, in the frames of the bodies */
    uint8_t *active;
    double natural;      /* largest residual of a problem in the step, relative */
    int iterations;      /* linear solves of problems in the step */
} cti_explicit_solve;

/* cti_explicit_past -- what the Runge-Kutta steps so far leave to the next one. */
typedef struct cti_explicit_past {
    uint64_t *held;      /* sorted keys of contacts of the last Runge-Kutta step */
    uint64_t *pushed;    /* scratch: sorted keys of those that a force kept at its end */
    ct_real next;        /* [s] length to try next; 0: not known */
    ct_real last;        /* [s] length of the last Runge-Kutta step; 0: there was none */
} cti_explicit_past;

/* cti_explicit_run -- data of a try of a step. */
typedef struct cti_explicit_run {
    double stored; /* [J] elastic energy of the moves back */
    double t;      /* [s] since the start */
    double found;  /* [s] time at which search.at_end has the contacts of the last Runge-Kutta step's end; < 0: it has not */
    int forced;    /* steps accepted above the tolerance, or in which bodies go farther than contacts reach */
    int over;      /* 1: the rest of the step is left out */
    int squeezed;
    int deep;      /* contacts that the step leaves deeper than the legal penetration */
    int moved;     /* contacts that the last move back has moved */
    cti_plausible_size size; /* of the world at the start */
} cti_explicit_run;

/* cti_explicit -- data of CT_STEPPER_EXPLICIT. */
typedef struct cti_explicit {
    cti_explicit_elements elements;
    cti_explicit_touch *touches;
    cti_explicit_past past, kept; /* kept: at the start of the step, for one that fails */
    cti_explicit_search search;
    cti_explicit_flat flat;
    cti_explicit_solve solve;
    int32_t *middles;    /* [3 m] nodes at the middles of edges, each with the edge's ends */
    ct_real *frames;     /* [9 rigids] */
    ct_real *surface;    /* [3 nv] at the positions of the last placement */
    ct_real *start, *script; /* [3 nv], [3 n_moving] surface at the start of the step; scripted positions at its end */
    ct_real edge;        /* [m] mean edge of all surfaces that move */
    ct_real unit;        /* [m] of errors: the mean edge, or less where an element is flat */
    ct_real bound;       /* [s] bound of the step from the wave speed */
    ct_real decay;       /* [1/s] c in d'' + 2 c d' + c^2 max(d - rest, 0) >= 0: the rate at which contacts come to rest on the surface */
    ct_real rest;        /* [edges] distance at which contacts are at rest: far above rounding, so that what touches does not intersect */
    ct_real dt;          /* [s] length of the world's step */
    cti_explicit_run run;
    double moving;       /* [J] kinetic and elastic energy at the start of the step */
    ct_error_info refusal; /* why the step is refused */
} cti_explicit;

CTI_INLINE cti_explicit *cti_explicit_own(const cti_state *s) { return (cti_explicit *)s->own; }

/* ---- explicit_force.c ---- */

/* cti_explicit_is_nodal -- 1: the elements of a model have nodal pressures. */
CTI_FN int cti_explicit_is_nodal(const cti_state *s, int model);
/* cti_explicit_is_plain -- as elements.plain. */
CTI_FN int cti_explicit_is_plain(const cti_state *s);
/* cti_explicit_rest -- volumes at rest, the elements' heights, and the bound of the step. 0: out of memory. */
CTI_FN int cti_explicit_rest(cti_state *s);
/* cti_explicit_forces -- force [3 n]: elastic forces at x [3 n] and damping forces at velocities v. Returns the power of the latter [W], <= 0. */
CTI_FN double cti_explicit_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force);
/* cti_explicit_elastic -- elastic energy at x [J]; of each body in out [models], unless it is NULL. */
CTI_FN double cti_explicit_elastic(cti_state *s, const ct_real *x, cti_energy *out);

/* ---- explicit_nodal.c: elements with nodal pressures ---- */

/* cti_explicit_nodal_rest -- copies of the elements at rest; needs elements.length. 0: out of memory. */
CTI_FN int cti_explicit_nodal_rest(cti_state *s);
/* cti_explicit_nodal_forces -- force [3 n] is set, to 0 at other nodes, too. Returns the power of the viscous forces [W], <= 0. */
CTI_FN double cti_explicit_nodal_forces(cti_state *s, const ct_real *x, const ct_real *v, ct_real *force);
/* cti_explicit_nodal_rates -- the same for a plain world: dx [3 n] = v, and accelerations a [3 n] without contacts. */
CTI_FN double cti_explicit_nodal_rates(cti_state *s, const ct_real *x, const ct_real *v, ct_real *dx, ct_real *a);
CTI_FN double cti_explicit_nodal_energy(cti_state *s, const ct_real *x, cti_energy *out);

/* ---- explicit_contact.c ---- */

/* cti_explicit_place -- g->surface and g->frames at the state y, t seconds after the start of the step. */
CTI_FN void cti_explicit_place(cti_state *s, const ct_real *y, double t);
/* cti_explicit_measure -- normal, distance, rates and entries of a contact at y. 0: its features are flat. */
CTI_FN int cti_explicit_measure(const cti_state *s, const ct_real *y, double t, cti_explicit_touch *c);
/* cti_explicit_predict_foot -- weights w [4] of the foot of a vertex in the plane of a face after h seconds of straight motion, w[1..3] < 0
   inside. */
CTI_FN void cti_explicit_predict_foot(const cti_state *s, const ct_real *y, double t, int vertex, int face, ct_real h, ct_real *w);

/* cti_explicit_back -- moves nodes that are behind a surface onto it, along its normal. Returns how many contacts moved something. */
CTI_FN int cti_explicit_back(cti_state *s, ct_real *y, double t);

/* ---- explicit_near.c ---- */

/* [legal penetrations] distance up to which a pair is a contact. Slab on seven posts, 12 steps: with half two are not_converged, with 1 and 2
   none */
#define CTI_EXPLICIT_TOUCH CTI_R(1.0)

/* [legal penetrations] deepest first touch of two rigid bodies: the move back changes angular momentum. Of two grazing balls it takes 0.02 %, without
   the bound 0.8 %; half and double change no test. Also of two edges whose ends slide into each other's range: contacts of vertices end shallower */
#define CTI_EXPLICIT_DEEPEST_TOUCH CTI_R(10.0)

/* cti_explicit_near -- a vertex, or the middle of an edge, and the face of a body that is nearest to it. */
typedef struct cti_explicit_near {
    int vertex, edge, body, face, feature; /* edge -1: it is a vertex */
    const int32_t *pairs; /* [2 n] all faces of the body that are candidates: entries 1, 3, .. */
    int n;
    cti_v3 at, from;      /* the point now, and at the start of the Runge-Kutta step */
    cti_v3 own;           /* normal of its own body there, if own_known */
    int own_known;
    ct_real d2, touch;    /* [m^2], [m] */
    ct_real sign;         /* -1: the body's triangles face away from the point */
} cti_explicit_near;

/* cti_explicit_around -- lists the faces around vertices. 0: out of memory. */
CTI_FN int cti_explicit_around(cti_state *s);
/* cti_explicit_list_faces -- lists the faces of the candidates. 0: out of memory. cti_explicit_measure_faces -- their boxes and normals. */
CTI_FN int cti_explicit_list_faces(cti_state *s);
CTI_FN void cti_explicit_measure_faces(cti_state *s);
/* cti_explicit_off_box -- 1: the squared distance of a point from a face of the candidates is more than d2. */
CTI_INLINE int cti_explicit_off_box(const cti_explicit_face *f, cti_v3 p, ct_real d2)
{
    cti_v3 a = cti_v3_max(cti_v3_sub(f->lo, p), cti_v3_sub(p, f->hi)), zero = cti_v3_zero();
    return cti_v3_norm2(cti_v3_max(a, zero)) > 2 * d2 + f->slack;
}
/* cti_explicit_edge_normal -- the sum of the normals of the edge's faces, of length 1. */
CTI_FN cti_v3 cti_explicit_edge_normal(const cti_surface *f, const ct_real *x, int edge);
/* cti_explicit_near_at -- the edge that is nearest; -1: a face or a vertex is, or a flat face without this edge. */
CTI_FN int cti_explicit_near_at(const cti_surface *f, const cti_explicit_near *q);
/* cti_explicit_is_behind -- 1: the point is behind the surface at its nearest point. Sets q->sign. */
CTI_FN int cti_explicit_is_behind(const cti_state *s, cti_explicit_near *q);
/* cti_explicit_edge_side -- 1, or -1: the triangles at an edge face away from the other edge. */
CTI_FN ct_real cti_explicit_edge_side(const cti_state *s, int edge, int other);
/* cti_explicit_facing -- the face of the contact of a point that is behind, or that touches. -1: all faces at the nearest edge or vertex that it is
   behind. */
CTI_FN int cti_explicit_facing(const cti_state *s, cti_explicit_near *q);

/* ---- explicit_find.c ---- */

/* cti_explicit_scale -- length of the contacts of two surface bodies [m], b -1: of one with planes. The smaller mean edge of those that are soft;
   of those that move where none is. */
CTI_FN ct_real cti_explicit_scale(const cti_state *s, int a, int b);

/* cti_explicit_find -- the contacts at y; g->surface must be of y. is_new: vertices that had a contact with the same body in the last
   Runge-Kutta step are left out. 0: out of memory. */
CTI_FN int cti_explicit_find(cti_state *s, const ct_real *y, double t, int is_new);
/* cti_explicit_stride -- bound on the relative displacement of two bodies that may meet, from search.from to g->surface, over the depth up to
   which contacts are found, on the right side of a thin body: the largest of all pairs. Two bodies with a contact that is `deep` do not count.
   After cti_explicit_find. */
CTI_FN ct_real cti_explicit_stride(const cti_state *s);

/* ---- explicit_rates.c ---- */

/* cti_explicit_masses -- inverse masses and inertias. 0: out of memory. */
CTI_FN int cti_explicit_masses(cti_state *s);
/* cti_explicit_regions -- sets of contacts that share blocks; contacts are in the order of the sets. 0: out of memory. */
CTI_FN int cti_explicit_regions(cti_state *s, ct_step_report *r);
/* cti_explicit_rates -- dy: the time derivative of y, with contact forces that keep d'' >= 0. 0: a number is not finite. */
CTI_FN int cti_explicit_rates(cti_state *s, const ct_real *y, double t, ct_real *dy);
/* cti_explicit_collide -- completely inelastic impulses at contacts that approach, added to y's velocities. */
CTI_FN void cti_explicit_collide(cti_state *s, ct_real *y, double t, ct_step_report *r);

/* ---- explicit_runge.c ---- */

/* cti_explicit_runge -- end [size] = y after h by the classical rule of fourth order; k1: rates at y. 0: a number is not finite. */
CTI_FN int cti_explicit_runge(cti_state *s, const ct_real *y, const ct_real *k1, double t, ct_real h, ct_real *end);
/* cti_explicit_doubled -- two steps of h / 2 and their error, relative to the tolerance; < 0: a number is not finite. Result in flat.end. */
CTI_FN ct_real cti_explicit_doubled(cti_state *s, double t, ct_real h);

/* cti_explicit_predict -- flat.end: the state after h by Taylor's series of second order, from the rates k1. */
CTI_FN void cti_explicit_predict(cti_state *s, ct_real h);

/* ---- explicit_account.c ---- */

/* cti_explicit_account_touches -- the judge has the bodies that touch. */
CTI_FN void cti_explicit_account_touches(cti_state *s);
/* cti_explicit_account_scale -- energy that takes part in the step [J], after the judge has seen it. */
CTI_FN double cti_explicit_account_scale(const cti_state *s, const ct_step_report *r);
/* cti_explicit_impulses -- adds the impulses of the contacts and pins at flat.end to the step's. 0: out of memory. */
CTI_FN int cti_explicit_impulses(cti_state *s);

/* ---- explicit.c, explicit_stepper.c ---- */

/* cti_explicit_energy -- energies of the committed state in the report, unless it is NULL, and, by body, in s->energy.now; elastic energy is that of
   nodal pressures. The sum [J]. */
CTI_FN double cti_explicit_energy(cti_state *s, ct_step_report *r);
CTI_FN ct_code cti_explicit_step(cti_state *s, ct_real dt, ct_step_report *r);
