/* layers.h -- the layers stepper: contacts are stacked quadratic layers, and every element and every layer has a clock of its own.
   [lecture notes 4.5; Harmon, Vouga, Smith, Tamstorf, Grinspun 2009, Asynchronous contact mechanics; Lew, Marsden, Ortiz, West 2003,
   Asynchronous variational integrators]
   Terms:
   layer         a penalty spring of a pair: it is loaded where the pair is nearer than the layer's thickness. Layer l + 1 is thinner and stiffer.
   tick          the unit of time in a step of dt: dt / 2^40.
   clock         says when a group of elements, gravity or a set of layers acts; its level j divides the step into 2^j equal parts.
   event         in the middle of each part of a clock, its forces act on the nodes for the length of the part [N s].
   lag           time since the part began, less the whole part after its event [s]: how far impulses are behind forces that act all the time.
   line          the straight motion that a node would have without events of the window.
   deviation     how far a node is from its line [m].
   window        time in which deviations are expected to stay below a bound, so that pairs are at least so far apart.
   active        a layer that a pair may reach in the window, by that bound. Events of the others would be without force.
   checkpoint    the state at the last tick at which the bounds held; a rollback returns to it.
   A new contact law goes into layers_law.c (thickness, force and clock of layer l); its friction and restitution into cti_layers_pair_kick. */
#pragma once

#include "../0_base/heap.h"
#include "../7_contact/candidates.h"
#include "../8_step/stepper.h"
#include "layers_policy.h"

#define CTI_LAYERS_TICKS ((int64_t)1 << CTI_LAYERS_LOG)

/* ---- layers_law.c ---- */

/* cti_layers_thickness -- returns nu_l / nu_1 = l^(-1/4), l >= 1. */
CTI_FN double cti_layers_thickness(int l);
/* cti_layers_reached -- counts the layers thicker than s nu_1: all l with l^(-1/4) > s. INT32_MAX where that does not fit, and for s <= 0. */
CTI_FN int cti_layers_reached(double s);
/* cti_layers_force -- sums l^3 (l^(-1/4) - s)+ over the layers first .. last, in k_1 nu_1; *out_energy (may be NULL) gets the sum of half of l^3
   (...)^2, in k_1 nu_1^2. */
CTI_FN double cti_layers_force(double s, int first, int last, double *out_energy);
/* cti_layers_period -- returns the longest time between two events of layer l [s]: `share` times 2 / W. W = w l (l + 1) / 2 is the frequency of the
   layers 1 .. l together, w that of the first. */
CTI_FN double cti_layers_period(double w, int l, double share);
/* cti_layers_level -- returns the lowest level with an event at least every h [s] in a step of dt [s]; at most CTI_LAYERS_LEVELS. */
CTI_FN int cti_layers_level(double dt, double h);
/* cti_layers_next -- returns the tick of the first event of a level after tick t >= 0. */
CTI_FN int64_t cti_layers_next(int64_t t, int level);
/* cti_layers_previous -- returns the tick of the last event of a level up to tick t >= 0; below 0: there is none. */
CTI_FN int64_t cti_layers_previous(int64_t t, int level);
/* cti_layers_lag -- returns the lag of a clock at tick t [ticks]; it is negative between an event and the end of its part. */
CTI_FN int64_t cti_layers_lag(int64_t t, int level);

/* ---- the stepper's data ---- */

enum { CTI_LAYERS_TET, CTI_LAYERS_MEMBRANE, CTI_LAYERS_BEND, CTI_LAYERS_PLATE, CTI_LAYERS_SPRING, CTI_LAYERS_PLATE_DAMPING, CTI_LAYERS_KINDS };

/* cti_layers_group -- holds elements of one body, of one kind and with one clock, as a model of their own. */
typedef struct cti_layers_group {
    cti_model part;
    int32_t *blocks;     /* lists the nodes of its elements, ascending */
    int n;               /* counts its elements */
    int level;           /* is the level of its clock in this step: base_level, or more where nodes are fast */
    int base_level;      /* follows from its frequency */
    double height;       /* is the smallest height of its elements at rest [m] */
    double damping_rate; /* bounds the share of a velocity that stiffness damping takes in a second [1/s] */
    int first_force;     /* is the number of its first node's force in cti_layers_clocks.force; the others follow */
} cti_layers_group;

/* cti_layers_clocks -- holds the clocks of elements and of gravity. Entry e of model m and kind k is first[CTI_LAYERS_KINDS m + k] + e. */
typedef struct cti_layers_clocks {
    double *frequency;           /* [elements] bounds the frequency of the element [rad/s] */
    double *neighbour_frequency; /* [elements] is the largest frequency of an element at one of its nodes [rad/s] */
    uint8_t *on_surface;         /* [elements] 1: one of its nodes moves the surface */
    double *block_frequency;     /* [n] is the largest frequency of an element at the node [rad/s] */
    double *height;              /* [elements] is the smallest height at rest [m] */
    int32_t *first;
    cti_layers_group *groups;
    double dt;                   /* is the step that groups and levels were made for [s]; 0: they were not */
    int body_force_level;        /* is the level of gravity and mass damping */
    ct_real *force, *force_saved; /* [3 entries] holds every group's forces on its nodes at its last event [N]; those at the checkpoint */
    int32_t *block_start, *block_force; /* [n + 1], [2 entries] list for each node the groups that it is in, and its numbers in `force` */
    double *lag;                 /* [groups] is the lag of each group at the event at hand [s] */
    int *level_of;               /* [max_layers + 1] is the level of layer l */
} cti_layers_clocks;

/* cti_layers_list -- holds the candidate pairs of one kind: VF, EE, or vertices and planes. */
typedef struct cti_layers_list {
    cti_candidates c;        /* has nu_1 as `hat`, and distances at the start of the window */
    ct_real *width;          /* [n] EE: is the width of the mollifier of nearly parallel edges (potential.h) [m^4] */
    ct_real *stiffness;      /* [n] is k_1 [N/m]; 0: the pair has no node that forces move */
    int32_t *active;         /* [n] counts the layers 1 .. that are active in the window */
    ct_real *deviation_most; /* [n] bounds the sum of both sides' deviations that keeps the pair outside of layer active + 1 [m] */
    ct_real *impulse;        /* [3 n] sums the impulses on side a in this step [N s] */
    ct_real *weights;        /* [4 n] holds the closest points' weights when the pair was loaded last */
    uint8_t *load;           /* [n] 1: the pair was loaded in this step; 3: friction also held it when it was loaded last */
} cti_layers_list;
enum { CTI_LAYERS_VF, CTI_LAYERS_EE, CTI_LAYERS_PLANES, CTI_LAYERS_LISTS };

/* cti_layers_record -- holds what the last event of a set of layers gave to each node. */
typedef struct cti_layers_record {
    int64_t *tick; /* [n] is the tick of the last event that the node was part of in this step; -2: there was none */
    double *J;     /* [3 n] is the impulse in it [N s] */
} cti_layers_record;

/* cti_layers_set -- holds the pairs that have active layers of one level. */
typedef struct cti_layers_set {
    int first, last;                    /* are the layers of the level; last 0: there are none */
    int32_t *pair[CTI_LAYERS_LISTS];    /* lists the pairs by their numbers in the lists */
    int32_t *quads[CTI_LAYERS_LISTS];   /* [4 n] lists their vertices */
    int32_t *vertices, *blocks;         /* list all of these once */
    cti_layers_record impulses, saved;  /* are kept where friction or restitution needs them; the same at the checkpoint */
    double lag;                         /* is the clock's lag at the event at hand over the length of a part [1] */
    int64_t last_tick;                  /* is the tick of its last event until then */
} cti_layers_set;

/* cti_layers_nodes -- holds all nodes (blocks) and their lines. */
typedef struct cti_layers_nodes {
    double *x, *v;             /* [3 n] are position at `tick` [m], velocity [m/s] */
    int64_t *tick;             /* [n] */
    ct_real *x_rounded;        /* [3 n] */
    ct_real *force;            /* [3 n] is scratch, and 0 between uses */
    ct_real *v_rounded;        /* [3 n] is scratch */
    double *inverse_mass;      /* [n] [1/kg]; 0: a script moves all axes */
    double *x0, *v0;           /* [3 n] are position and velocity at the start of the window: the line is x0 + v0 t */
    double *x_saved, *v_saved; /* [3 n] are those at the checkpoint */
    double *deviation2;        /* [n] is the square of the largest deviation in the window [m^2] */
    double *deviation_rate;    /* [n] is the largest deviation in the last windows over their length [m/s]; it halves with each window */
} cti_layers_nodes;

/* cti_layers_surface -- holds what bounds of distances need of the surface's vertices. */
typedef struct cti_layers_surface {
    ct_real *x_start;                        /* [3 nv] are positions at the start of the step */
    ct_real *velocity;                       /* [3 nv] are velocities at the start of the window */
    ct_real *deviation;                      /* [nv] bounds how far each vertex is from its line in the window, expected or measured [m] */
    ct_real *line_start, *line_end;          /* [3 nv] are the ends of lines that candidates are complete for, and vertices that never move */
    ct_real *reach;                          /* [bodies] is how far from its line a vertex may be then [m] */
    int32_t *visited_vertex, *visited_block; /* [nv], [n] are the number of the last visit */
    int32_t visit;
    int covered;                             /* 1: line_start, line_end and the candidates are valid */
} cti_layers_surface;

/* cti_layers_sums -- sums for the report what windows do; a rollback restores it. */
typedef struct cti_layers_sums {
    double script, pins; /* are works [J] */
    double contact;      /* is lost by friction and restitution: the work of their impulses [J] */
    double damping;      /* is lost by damping [J] */
} cti_layers_sums;

/* cti_layers_window -- is the window at hand, and what is counted over the windows of a step. */
typedef struct cti_layers_window {
    int64_t begin, end;       /* [ticks] */
    int64_t safe;             /* is the tick of the checkpoint: up to it no pair has reached a layer that was not active */
    double tick;              /* is the length of a tick [s] */
    double lag;               /* is gravity's lag at the event at hand [s] */
    double last_length;       /* is the length of the last window that was accepted or rolled back [s]; 0: there was none */
    int64_t updates;          /* counts evaluations of elements and pairs in this step */
    int windows, rollbacks;   /* count both in this step */
    cti_layers_sums sums, sums_saved;
    ct_real *pins_saved;      /* [3 n] are the impulses of pins at the checkpoint */
    ct_real *impulses_saved;  /* [4 pairs with active layers] are impulse and load of each then, in the lists' order */
} cti_layers_window;

/* cti_layers -- holds the data of CT_STEPPER_LAYERS. */
typedef struct cti_layers {
    double frequency;             /* is that of the first layer of every pair [rad/s] */
    cti_layers_clocks clocks;
    cti_layers_nodes nodes;
    cti_layers_surface surface;
    cti_layers_list list[CTI_LAYERS_LISTS];
    cti_layers_set set[CTI_LAYERS_LEVELS + 1];
    cti_heap_item *queue; /* a clock by the tick of its event: groups come first, then gravity, then the sets by level */
    int n_recorded, recorded[CTI_LAYERS_LEVELS + 1]; /* list the sets that have a record */
    double *previous;             /* [3 n] is the record of the last event of the set at hand, during its next one [N s] */
    cti_layers_record *recording; /* is the record of the set at hand; NULL: impulses are not recorded */
    ct_real *d2, *weights;        /* are scratch of the distances of a set */
    int32_t *feature;
    cti_layers_window window;
    double energy_start;          /* is stored in all layers at the start of the step [J] */
} cti_layers;

CTI_INLINE cti_layers *cti_layers_own(const cti_state *s) { return (cti_layers *)s->own; }

/* cti_layers_dissipates -- returns 1 where contacts have friction, or restitution below 1. */
CTI_INLINE int cti_layers_dissipates(const cti_state *s)
{
    int b, friction = 0;
    for (b = 0; b < s->surface.n_bodies; b++)
        friction |= s->surface.bodies[b].friction > 0;
    return friction || s->desc.restitution < 1;
}

/* ---- layers_clock.c ---- */

/* cti_layers_clocks_measure -- bounds the frequency of every element, from rest positions X [3 n] and masses. 0: out of memory. */
CTI_FN int cti_layers_clocks_measure(cti_state *s, const ct_real *X);
/* cti_layers_clocks_set -- makes groups and levels for a step dt. 0: out of memory. */
CTI_FN int cti_layers_clocks_set(cti_state *s, double dt);
/* cti_layers_clocks_forces -- evaluates `force` at the positions of all nodes. */
CTI_FN void cti_layers_clocks_forces(cti_state *s);
/* cti_layers_clocks_speed -- sets the groups' levels for a step in which nodes have speeds up to `speed` [m/s]. */
CTI_FN void cti_layers_clocks_speed(cti_state *s, double speed);

/* ---- layers_pairs.c ---- */

/* cti_layers_cover -- finds candidates that are complete for `span` seconds from surface.x0 on, and longer while vertices stay near the lines. 0:
   out of memory. */
CTI_FN int cti_layers_cover(cti_state *s, double span);
/* cti_layers_is_covered -- returns 1 where vertices stay within reach of those lines for `span` seconds, with their deviations from their own. */
CTI_FN int cti_layers_is_covered(const cti_state *s, double span);
/* cti_layers_distances -- measures all candidates at surface.x0. */
CTI_FN void cti_layers_distances(cti_state *s);
/* cti_layers_mollifier -- returns the factor of the energy of a pair of edges v [4], below 1 where they are nearly parallel; out_gradient [12] or
   NULL. */
CTI_FN double cti_layers_mollifier(const ct_real *x, const int32_t *v, ct_real width, ct_real *out_gradient);
/* cti_layers_energy -- returns what all layers store at those distances [J]; r (may be NULL) gets the smallest distance, and over thickness. */
CTI_FN double cti_layers_energy(cti_state *s, ct_step_report *r);
/* cti_layers_flush -- moves the impulses of all pairs to the step's sums. 0: out of memory. */
CTI_FN int cti_layers_flush(cti_state *s);

/* ---- layers_event.c ---- */

/* cti_layers_drift -- moves node i along its line to a tick; `second` is the length of a tick [s]. */
CTI_INLINE void cti_layers_drift(cti_layers_nodes *q, int i, int64_t tick, double second)
{
    double h = (double)(tick - q->tick[i]) * second;
    int k;
    for (k = 3 * i; k < 3 * i + 3; k++) {
        q->x[k] += h * q->v[k];
        q->x_rounded[k] = (ct_real)q->x[k];
    }
    q->tick[i] = tick;
}
/* cti_layers_event_elements, _body_forces, _layers -- give the impulses of h seconds at a tick: of elements; of gravity and mass damping; of layers.
   plain: layers act without friction and restitution. */
CTI_FN void cti_layers_event_elements(cti_state *s, cti_layers_group *g, int64_t tick, double h);
CTI_FN void cti_layers_event_body_forces(cti_state *s, int64_t tick, double h);
CTI_FN void cti_layers_event_layers(cti_state *s, cti_layers_set *set, int64_t tick, double h, int plain);
/* cti_layers_position -- returns the position of surface vertex v at a tick that its nodes are at. */
CTI_FN cti_v3 cti_layers_position(const cti_state *s, int v, int64_t tick);
/* cti_layers_velocity -- returns the velocity of vertex v; *out_script gets a script's part of it. */
CTI_FN cti_v3 cti_layers_velocity(const cti_state *s, int v, cti_v3 *out_script);

/* ---- layers_window.c ---- */

/* cti_layers_advance -- runs windows until the end of the step, or until the step's updates are used up. 1: the end; 2: it stopped at window.begin;
   0: out of memory. */
CTI_FN int cti_layers_advance(cti_state *s);

/* ---- layers.c, layers_stepper.c ---- */

/* cti_layers_step -- makes the step, as cti_step; CT_ERR_DOMAIN where the surface intersects itself when the step begins. */
CTI_FN ct_code cti_layers_step(cti_state *s, ct_real dt, ct_step_report *r);
