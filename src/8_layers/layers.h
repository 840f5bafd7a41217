/* layers.h -- the layers stepper: contacts are stacked quadratic layers, and every element and every layer has a clock of its own.
   [lecture notes 4.5; Harmon, Vouga, Smith, Tamstorf, Grinspun 2009, Asynchronous contact mechanics; Lew, Marsden, Ortiz, West 2003,
   Asynchronous variational integrators] */
#pragma once

#include "../7_contact/candidates.h"
#include "../8_step/stepper.h"

/* A step has 2^CTI_LAYERS_LOG ticks; a clock of level j strikes at the middle of each of the 2^j equal parts of the step. */
enum { CTI_LAYERS_LOG = 40, CTI_LAYERS_LEVELS = 36 };
#define CTI_LAYERS_TICKS ((int64_t)1 << CTI_LAYERS_LOG)

/* ---- layers_law.c ---- */

/* cti_layers_share -- nu_l / nu_1 = l^(-1/4), l >= 1. */
CTI_FN double cti_layers_share(int l);
/* cti_layers_reached -- number of layers thicker than s nu_1: all l with l^(-1/4) > s; INT32_MAX where that does not fit, and for s <= 0.
 */
CTI_FN int cti_layers_reached(double s);
/* cti_layers_force -- sum over the layers first .. last of l^3 (l^(-1/4) - s)+, in k_1 nu_1; *out_energy (may be NULL): of half of l^3
   (...)^2, in k_1 nu_1^2. */
CTI_FN double cti_layers_force(double s, int first, int last, double *out_energy);
/* cti_layers_period -- [s] longest time between two strikes of layer l: `share` times 2 / W, W = w l (l + 1) / 2 the frequency of the
   layers 1 .. l together, w that of the first. */
CTI_FN double cti_layers_period(double w, int l, double share);
/* cti_layers_level -- the smallest level whose clock strikes at least every h [s] in a step of dt [s]; at most CTI_LAYERS_LEVELS. */
CTI_FN int cti_layers_level(double dt, double h);
/* cti_layers_next -- the first strike of a level after tick t >= 0. */
CTI_FN int64_t cti_layers_next(int64_t t, int level);
/* cti_layers_before -- the last strike of a level up to tick t >= 0; below 0: none. */
CTI_FN int64_t cti_layers_before(int64_t t, int level);
/* cti_layers_due -- [ticks] what a clock owes, or < 0 has given too much, if the step ends at tick t: the time since its part began, less
   that part if it has struck in it. */
CTI_FN int64_t cti_layers_due(int64_t t, int level);

/* ---- layers_queue.c ---- */

/* cti_layers_strike -- an entry of the event queue. */
typedef struct cti_layers_strike {
    int64_t tick;
    int32_t clock;
} cti_layers_strike;

/* cti_layers_push -- adds a strike to a binary heap, a growable array, whose first entry is the earliest; of equal ticks the lower clock.
   0: out of memory. cti_layers_pop -- removes the first entry of a heap that is not empty. */
CTI_FN int cti_layers_push(cti_mem *mem, cti_layers_strike **heap, int64_t tick, int32_t clock);
CTI_FN cti_layers_strike cti_layers_pop(cti_layers_strike *heap);

/* ---- the stepper's data ---- */

enum { CTI_LAYERS_TET, CTI_LAYERS_MEMBRANE, CTI_LAYERS_BEND, CTI_LAYERS_PLATE, CTI_LAYERS_SPRING, CTI_LAYERS_BOUND, CTI_LAYERS_KINDS };

/* cti_layers_group -- elements of one body, of one kind and with one clock, as a model of their own. */
typedef struct cti_layers_group {
    cti_model part;
    int32_t *blocks; /* the nodes of its elements, ascending */
    int n;           /* elements */
    int level;       /* of its clock in this step: `least`, or more where blocks are fast */
    int least;       /* by its frequency */
    double size;     /* [m] smallest height of its elements at rest */
    double rate;     /* [1/s] bound on what stiffness damping takes from a velocity in a second */
    int at;          /* its blocks' forces in cti_layers_clocks.force: numbers at .. at + length of blocks */
} cti_layers_group;

/* cti_layers_clocks -- of the elements of all bodies. */
typedef struct cti_layers_clocks {
    double *frequency; /* [rad/s] bound for each element; of model m and kind k from at[CTI_LAYERS_KINDS m + k] on */
    double *around;    /* [rad/s] the largest frequency of an element at one of its nodes */
    uint8_t *bare;     /* [elements] 1: a node of it moves the surface */
    double *node;      /* [n] the same of each block */
    double *size;      /* [m] smallest height of each element */
    int32_t *at;
    cti_layers_group *groups;
    double dt;      /* [s] step that groups and levels are of; 0: none */
    int free_level; /* of gravity and mass damping */
    ct_real *force, *kept; /* [3 entries] of every group on its blocks, at its last strike; the same at window.mark [N] */
    int32_t *begin, *from; /* [n + 1], [2 entries] for each block: groups that it is in, and number in `force` */
    double *due;           /* [groups] time that a group's impulses are behind a tick, see cti_layers_owed [s] */
    int *level_of;  /* [max_layers + 1] level of layer l */
} cti_layers_clocks;

/* cti_layers_list -- candidate pairs of one kind: VF, EE, or vertices and planes. */
typedef struct cti_layers_list {
    cti_candidates c; /* hat: nu_1; distances are those at the start of the window */
    ct_real *width;   /* [n] EE: of the mollifier of nearly parallel edges (potential.h) [m^4] */
    ct_real *stiff;   /* [n] k_1 [N/m]; 0: no block takes part */
    int32_t *last;    /* [n] layers that the window lets strike */
    ct_real *room;    /* [m] sum of both sides' ways off their lines that keeps the pair outside of layer last + 1 */
    ct_real *sum;     /* [3 n] impulse on side a in this step [N s] */
    ct_real *held;    /* [4 n] weights when it was last loaded */
    uint8_t *stick;   /* [n] 1: loaded in this step; 3: and sticking when it was loaded last */
} cti_layers_list;
enum { CTI_LAYERS_VF, CTI_LAYERS_EE, CTI_LAYERS_PLANES, CTI_LAYERS_LISTS };

/* cti_layers_given -- impulses of a set on blocks. */
typedef struct cti_layers_given {
    int64_t *tick; /* [n] last strike that the block was part of */
    double *J;     /* [3 n] what it gave [N s] */
} cti_layers_given;

/* cti_layers_set -- the pairs of a window some of whose layers strike at one level. */
typedef struct cti_layers_set {
    int first, last;                  /* layers of the level; last 0: none */
    int32_t *pair[CTI_LAYERS_LISTS];  /* numbers in the lists */
    int32_t *quads[CTI_LAYERS_LISTS]; /* [4 n] their vertices */
    int32_t *vertices, *blocks;       /* each once */
    cti_layers_given given, kept;     /* with restitution below 1; the same at window.mark */
    double share;                     /* what it owes at a tick, of the impulses of a part; its last strike until then */
    int64_t struck;
} cti_layers_set;

/* cti_layers_nodes -- blocks and their straight lines. */
typedef struct cti_layers_nodes {
    double *x, *v;   /* [3 n] position at `tick` [m], velocity [m/s] */
    int64_t *tick;   /* [n] */
    ct_real *at;     /* [3 n] x, rounded */
    ct_real *force;  /* [3 n] scratch, 0 between uses */
    ct_real *speed;  /* [3 n] scratch: v, rounded */
    double *inverse; /* [n] inverse masses [1/kg]; 0: a script moves all axes */
    double *x0, *v0; /* [3 n] at the start of the window */
    double *x1, *v1; /* [3 n] at window.mark */
    double *off2;    /* [n] largest squared distance from the line x0 + v0 t in the window [m^2] */
    double *drift;   /* [n] how far blocks left their lines, over the time, in the last window [m/s] */
} cti_layers_nodes;

/* cti_layers_places -- of the surface. */
typedef struct cti_layers_places {
    ct_real *begin;                    /* [3 nv] at the start of the step */
    ct_real *u;                        /* [3 nv] velocities at the start of the window */
    ct_real *off;                      /* [nv] how far vertices may leave their lines in the window, later: did [m] */
    ct_real *from, *to;                /* [3 nv] ends of the lines that the candidates are complete for, and vertices that never move */
    ct_real *reach;                    /* [bodies] how far from its line a vertex may be [m] */
    int32_t *seen_vertex, *seen_block; /* [nv], [n] number of the last set that took it */
    int32_t seen;
    int covered; /* 1: lines and candidates are known */
} cti_layers_places;

/* cti_layers_sums -- what a window adds to the report; plain data, restored when it is rolled back. */
typedef struct cti_layers_sums {
    double script, pins;      /* [J] work */
    double contact;           /* [J] lost by friction and restitution: work of their impulses */
    double damping;           /* [J] lost */
} cti_layers_sums;

/* cti_layers_window -- of time in which no pair comes into a layer that does not strike. */
typedef struct cti_layers_window {
    int64_t begin, end; /* ticks */
    int64_t mark;       /* tick up to which the window is safe */
    double tick;        /* [s] */
    double due;         /* [s] time that gravity's impulses are behind the tick of a strike */
    double span;        /* [s] length of the last window that was accepted or rolled back; 0: none */
    int64_t updates;    /* elements and pairs evaluated in this step */
    int windows, rollbacks;
    cti_layers_sums sums, saved;
    ct_real *pins;     /* [3 n] saved impulses of pins */
    ct_real *impulses; /* saved sums of pairs that strike, in the lists' order */
} cti_layers_window;

/* cti_layers -- data of CT_STEPPER_LAYERS. */
typedef struct cti_layers {
    double w; /* [rad/s] frequency of the first layer of every pair */
    cti_layers_clocks clocks;
    cti_layers_nodes nodes;
    cti_layers_places places;
    cti_layers_list list[CTI_LAYERS_LISTS];
    cti_layers_set set[CTI_LAYERS_LEVELS + 1];
    cti_layers_strike *queue;
    int n_owing, owing[CTI_LAYERS_LEVELS + 1]; /* sets that have written down impulses */
    double *last;          /* [3 n] impulses of a set's last strike on its blocks, while it strikes */
    cti_layers_given *at;  /* of the set that strikes; NULL: impulses are not written down */
    ct_real *d2, *weights; /* scratch of the distances of a set */
    int32_t *feature;
    cti_layers_window window;
    double stored;         /* [J] in all layers at the start of the step */
} cti_layers;

CTI_INLINE cti_layers *cti_layers_own(const cti_state *s) { return (cti_layers *)s->own; }

/* cti_layers_dissipates -- 1 where contacts have friction, or restitution below 1. */
CTI_INLINE int cti_layers_dissipates(const cti_state *s)
{
    int b, rubs = 0;
    for (b = 0; b < s->surface.n_bodies; b++)
        rubs |= s->surface.bodies[b].friction > 0;
    return rubs || s->desc.restitution < 1;
}

/* ---- layers_clock.c ---- */

/* cti_layers_measure -- frequency: of every element, from rest positions X [3 n] and masses. 0: out of memory. */
CTI_FN int cti_layers_measure(cti_state *s, const ct_real *X);
/* cti_layers_clocks_set -- groups and levels of a step dt. 0: out of memory. */
CTI_FN int cti_layers_clocks_set(cti_state *s, double dt);
/* cti_layers_clocks_pull -- force: at the positions of all blocks. */
CTI_FN void cti_layers_clocks_pull(cti_state *s);
/* cti_layers_clocks_hurry -- levels for a step in which blocks have speeds [m/s] up to `speed`. */
CTI_FN void cti_layers_clocks_hurry(cti_state *s, double speed);

/* ---- layers_pairs.c ---- */

/* cti_layers_cover -- candidates that are complete for `span` seconds from surface.x0 on, and longer while vertices stay near the lines. 0:
   out of memory. */
CTI_FN int cti_layers_cover(cti_state *s, double span);
/* cti_layers_is_covered -- 1 where vertices stay within reach of those lines for `span` seconds, and places.off beside their own. */
CTI_FN int cti_layers_is_covered(const cti_state *s, double span);
/* cti_layers_distances -- of all candidates at surface.x0. */
CTI_FN void cti_layers_distances(cti_state *s);
/* cti_layers_parallel -- the factor of the energy of a pair of edges v [4], below 1 where they are nearly parallel; out_gradient [12], or
 * NULL. */
CTI_FN double cti_layers_parallel(const ct_real *x, const int32_t *v, ct_real width, ct_real *out_gradient);
/* cti_layers_stored -- [J] in all layers at those distances; r (may be NULL): the smallest distance, and over thickness. */
CTI_FN double cti_layers_stored(cti_state *s, ct_step_report *r);
/* cti_layers_flush -- moves the impulses of all pairs to the step's sums. 0: out of memory. */
CTI_FN int cti_layers_flush(cti_state *s);

/* ---- layers_strike.c ---- */

/* cti_layers_drift -- block i along its line to a tick. */
CTI_INLINE void cti_layers_drift(cti_layers_nodes *q, int i, int64_t tick, double second)
{
    double h = (double)(tick - q->tick[i]) * second;
    int k;
    for (k = 3 * i; k < 3 * i + 3; k++) {
        q->x[k] += h * q->v[k];
        q->at[k] = (ct_real)q->x[k];
    }
    q->tick[i] = tick;
}
/* cti_layers_strike_group, _free, _set -- the impulses of h seconds at a tick: of elements; of gravity and mass damping; of layers. plain:
   without friction and restitution. */
CTI_FN void cti_layers_strike_group(cti_state *s, cti_layers_group *g, int64_t tick, double h);
CTI_FN void cti_layers_strike_free(cti_state *s, int64_t tick, double h);
CTI_FN void cti_layers_strike_set(cti_state *s, cti_layers_set *set, int64_t tick, double h, int plain);
/* cti_layers_place -- surface positions of vertex v at a tick that its blocks are at. */
CTI_FN cti_v3 cti_layers_place(const cti_state *s, int v, int64_t tick);
/* cti_layers_velocity -- of vertex v; *out_script: the part of a script. */
CTI_FN cti_v3 cti_layers_velocity(const cti_state *s, int v, cti_v3 *out_script);

/* ---- layers_window.c ---- */

/* cti_layers_advance -- windows until the end of the step, or until the step's updates are used up. 1: the end; 2: stopped at window.begin;
   0: out of memory. */
CTI_FN int cti_layers_advance(cti_state *s);

/* ---- layers.c, layers_stepper.c ---- */

/* cti_layers_step -- the step, as cti_step; CT_ERR_DOMAIN where the surface intersects itself when the step begins. */
CTI_FN ct_code cti_layers_step(cti_state *s, ct_real dt, ct_step_report *r);
