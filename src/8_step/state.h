/* state.h -- the data that a step works on: blocks, models, surface, matrix, contact memory. The world owns it. Motion changes by commits alone:
   at the end of a step, or of each substep where a stepper has substeps. docs/step.md says what block, component, row, island and attempt are. */
#pragma once

#include "../2_linalg/krylov.h"
#include "../2_linalg/twogrid.h"
#include "../6_model/model.h"
#include "../6_model/joint.h"
#include "../6_model/mechanism.h"
#include "../6_model/rigid.h"
#include "../5_mesh/nearest.h"
#include "../7_contact/detect.h"
#include "script.h"

/* cti_pin -- scripted axes of one block, which was at `start` at time t0 and moves along a path (script.h). */
typedef struct cti_pin {
    int32_t block;
    int axes;          /* CT_AXIS_* mask */
    ct_real start[3];
    int32_t path, n_path; /* pieces [path, path + n_path) of cti_state.scripts.path */
    double t0, until;  /* until < 0: for ever */
} cti_pin;

/* cti_tether -- limits of one block against a target that goes from `from` to `to` within `span` seconds from t0 on, and stays there (tethers.h). */
typedef struct cti_tether {
    double t0, span;
    uint64_t key;          /* of its row for the distance; that for the backstop has the next one */
    ct_real from[3], to[3], normal[3];
    ct_real max_distance;  /* < 0: none */
    ct_real behind, radius; /* of the backstop; radius 0: a half-space; < 0: none */
    ct_real out[2], bears; /* of a substep: how much both limits are violated when it begins, 0 to 1; mass that it is to move then [kg] */
    int32_t block, spare;  /* spare: 0 */
} cti_tether;

/* cti_direction -- a block that moves only in the range of a projector. */
typedef struct cti_direction {
    int32_t block;
    ct_real projector[9];
} cti_direction;

/* cti_mover -- surface vertices [v0, v0 + n) that a script moves; `vertices` [n] are their numbers in it. */
typedef struct cti_mover {
    int32_t v0, n;
    const int32_t *vertices;
    cti_script script;
} cti_mover;

/* cti_factor_stamp -- the matrix that a component's factors belong to. Plain data, copied when a step is undone. */
typedef struct cti_factor_stamp {
    int version;                 /* counts computations of the factor */
    int age;                     /* [attempts] since the factor was computed; 0: it is of the present matrix; -1: there is none */
    ct_real dt;                  /* [s] time step that the factor is of */
    ct_real drift;               /* [m] bound on how far a block has moved since the factor was computed */
    int renewal_asked;           /* 1: the factor is computed anew when factors are next renewed */
    int base_iterations;         /* conjugate gradient iterations of the first free solve with the factor */
    int excess_iterations;       /* iterations beyond that in later free solves: the cost of the factor's age */
    int penalized_known;         /* 1: there is a factor of the penalized matrix */
    int penalized_version;       /* counts computations of the penalized factor */
    ct_real penalized_dt;        /* [s] time step that the penalized factor is of */
} cti_factor_stamp;

/* cti_compliance -- a component's response between ports, the blocks that contacts touch. It is valid while the factor is unchanged. */
typedef struct cti_compliance {
    int32_t *port_at;            /* [blocks] position in `ports` or -1 */
    int32_t *ports;
    float *C;
    int ld, version;             /* leading dimension of C; version of the factor that C is of, -1: none */
} cti_compliance;

/* cti_factor_cache -- a component's factors. The one in use serves as the inverse of a cluster and as a preconditioner; it may lag behind A. */
typedef struct cti_factor_cache {
    cti_factor32 single;         /* LDL' of A in float */
    cti_factor64 exact;          /* LDL' of A in double, used instead where float is not accurate enough for the matrix */
    cti_factor32 penalized;      /* LDL' of A and the stiffness of acting contacts, for corrections (coarse.h) */
    cti_twogrid grid;               /* of a large component; n 0: it has none */
    cti_twogrid_inverse plain, held; /* take the places of `single` and `penalized` where is_grid */
    int is_exact;                /* 1: `exact` is used */
    int is_grid;                 /* 1: two grids take the place of a factor, and no compliance is known */
    int exact_logged;            /* 1: the log has named the component */
    int is_due;                  /* 1: the factor is being computed anew */
    cti_factor_stamp stamp;
    cti_compliance compliance;
} cti_factor_cache;

/* cti_solve_memory -- results of a component's solves that the next solve uses. Plain data, copied when a step is undone. */
typedef struct cti_solve_memory {
    int in_contact;              /* 1: rows of the current attempt touch the component */
    int was_free;                /* 1: rows of the last attempt did not */
    int refined;                 /* rounds of the current attempt in which collisions of its island got rows */
    int outpaced;                /* 1: Newton steps took over the last solve of its island in this attempt, which has no new rows since */
    int node_ports;              /* blocks in contact when the last solve split the component into nodes; 0: the last solve took it as one
                                    cluster */
    int whole_attempts;          /* remaining attempts in which the component is one cluster, after solves by nodes failed */
    int inexact_attempts;        /* attempts in a row in which the free motion was solved inexactly, since contacts were expected */
    int extrapolated_attempts;   /* attempts in a row in which the free motion was extrapolated from the last solved one */
    int free_iterations;         /* conjugate gradient iterations of the last free solve */
    int free_refactored;         /* 1: that solve computed a factor, since the lagged one was slow */
    int solver_failed;           /* 1: the solver that the user chose has failed on an island of the component with the current matrix */
    ct_real dt_free;             /* [s] time step of the last free motion, solved or extrapolated; 0: none */
    ct_real free_speed;          /* [m/s] largest entry of v_free */
    ct_real dynamics;            /* [m/s] largest entry of D^-1 (A v - b - J' r), D the 3x3 diagonal; -1: not known */
    ct_real natural;             /* natural map of the rows of the component's island when it was solved last */
    double free_energy;          /* v_free' A v_free of the last free motion */
    double contact_energy;       /* (v - v_free)' A (v - v_free) of the last solve */
} cti_solve_memory;

/* cti_substep_memory -- how a component is stepped if its time step is cut (parts.h). Plain data, copied when a step is undone. */
typedef struct cti_substep_memory {
    int part;                    /* 0: the component is active; CTI_PART_*: it is excluded or interpolated */
    int failed;                  /* 1: the component's result of this attempt is rejected */
    int unbalanced;              /* 1: some group of bodies in contact that contains the component does not get its missing angular momentum
                                    back (momenta.h) */
    int forced;                  /* 1: neither does it, because the fail-safe changed its motion */
    ct_real dt_limit;            /* [s] step limit for the rest of this step; 0: none */
    int successes;               /* accepted substeps in a row that were as long as the limit */
    ct_real elapsed;             /* [s] of an interpolated component: time since its split */
    ct_real interval;            /* [s] time that the split spans */
} cti_substep_memory;

/* cti_analysis -- of components with equal graphs. It lasts as long as there is one. */
typedef struct cti_analysis {
    cti_mem own;           /* its memory */
    cti_symbolic symbolic;
    uint64_t hash;
    int is_used;           /* scratch */
} cti_analysis;

/* cti_component -- blocks that A couples: one body, or a piece of one. Its own fields are geometry, which changes with the topology only. */
typedef struct cti_component {
    uint64_t body;               /* id of its body, see cti_surface_body */
    int32_t number;              /* among the components of its body */
    int32_t begin, end;          /* in cti_factors.blocks, sorted */
    int32_t slot0;               /* first slot of its first row in A */
    cti_analysis *analysis; /* that equal components share */
    cti_mem *lasting;            /* memory of gather and cache, which outlast the preparation of bodies; NULL: it has none yet */
    int32_t patch0, patch1;      /* its patches in cti_factors.patches.at */
    int32_t place;               /* local number of its first block in the open island; -1: it is in none (island.h) */
    cti_gather gather;           /* entries of A in the order of the analysis */
    struct cti_factors *owner;
    cti_factor_cache cache;
    cti_solve_memory solve;
    cti_substep_memory substep;
} cti_component;

/* cti_component_start -- a component's data at the start of a step. */
typedef struct cti_component_start {
    cti_factor_stamp stamp;
    cti_solve_memory solve;
    cti_substep_memory substep;
} cti_component_start;

/* cti_exact -- a component's factor in double; `matrix` numbers the matrix it belongs to. */
typedef struct cti_exact {
    cti_factor64 factor;
    int matrix;
} cti_exact;

/* cti_factor_patches -- of blocks, patch by patch (clusters.h). */
typedef struct cti_factor_patches {
    int32_t *blocks;       /* [n] */
    int32_t *at;           /* [number + 1] starts in blocks */
} cti_factor_patches;

/* cti_factor_scratch -- of a solve: [x_room] and [work_room] of each worker, for floats or doubles. */
typedef struct cti_factor_scratch {
    double *x, *work;
    size_t x_room, work_room;
} cti_factor_scratch;

typedef struct cti_factors {
    cti_component *components, *past; /* past: those before bodies were added or removed; their caches go to equal components */
    cti_analysis **analyses;
    uint8_t *held_at;      /* [n] 1: the block is held in the factor of its component; empty until a block is held */
    cti_exact *exacts;     /* [components] made when a solver needs them, or NULL */
    int matrix;            /* counts matrices */
    int32_t *blocks;       /* [n] component by component */
    int32_t *component_of; /* [n] */
    int32_t *rank;         /* [n] number of a block within its component */
    int in_order;          /* blocks are 0, 1, 2, ...: every component is a run of blocks */
    cti_factor_patches patches;
    const cti_bsr *A;
    const ct_real *mass;   /* [n] of the world; NULL: no block counts as stiff */
    const ct_real *x;      /* [3 n] places of the blocks; NULL: no component goes without a factor */
    cti_factor_scratch scratch;
    const ct_tasks *tasks; /* set before the other fields */
    cti_mem *mem, *lasting; /* of what is as old as the last change of bodies; of the arrays above that outlast it */
    cti_arena *arena;
    int n_refactored;      /* factors computed since this was cleared */
    cti_frame *frame;      /* counts their work, or NULL */
    ct_real rest;          /* [m] drift below which a large factor may lag under contacts */
} cti_factors;

/* cti_turn -- the rotation of a component in a step, as predicted from its angular momentum (motion.h). */
typedef struct cti_turn {
    int turns;       /* 1: q = c + R (x - c), and b gets `rate`; 0: the rotation is below rounding, the component is held, or `moved` is
                        2 */
    int moved;       /* position q of the linearization: 0 x, 1 x rotated by R, 2 the end of the last iteration */
    ct_real R[9];
    cti_v3 center;   /* c [m]: the centre of mass, or the point or a point of the axis about which scripts let the component rotate */
    cti_v3 speed;    /* [m/s] of c */
    cti_v3 rate;     /* [rad/s] spin about c that b adds to v under Euler's rule: with it the nodes at q have the same angular momentum as
                        at x */
} cti_turn;

/* cti_group -- components that contacts connect in a step, stored at their root (momenta.h). Index 0: before the step, 1: after it. */
typedef struct cti_group {
    int32_t up;
    int has_impulses;           /* 1: impulses act between its components */
    int joined;                 /* 1: by joints, which leave it a rotation as one body */
    int held;                   /* 1: something outside the group acts on it */
    ct_real mass;
    cti_v3 first, center[2], speed[2];
    ct_real inertia[9];         /* about the centre */
    double about, had;          /* [J] kinetic energy about the centre, at the end and at the start */
    cti_v3 lack, rate, spin;    /* missing angular momentum; the angular velocity that restores it; that of the end */
} cti_group;

/* cti_energy -- energies of a body [J]; that of gravity is 0 at the origin. */
typedef struct cti_energy {
    double kinetic, elastic, gravity;
} cti_energy;

/* cti_repair -- features on the wrong side of each other. They are separated along the unit normal (side a moves along it) by at least
   `depth` [m]. */
typedef struct cti_repair {
    cti_pair pair;
    cti_v3 normal;
    ct_real depth;
    int soft; /* 1: the direction is estimated, and changes from step to step */
} cti_repair;

/* cti_way -- the direction in which body a leaves body b, and the distance along it [m]. */
typedef struct cti_way {
    uint64_t a, b; /* ids, see cti_surface_body */
    cti_v3 normal;
    ct_real depth;
} cti_way;

/* cti_touch -- a contact of a step: its impulse on side a over the whole step, and the features, weights and axes of the last substep that
   loaded it. */
typedef struct cti_touch {
    uint64_t key;
    cti_pair pair;
    ct_real thickness, frame[9];
    ct_real r[3]; /* [N s] in the frame */
    int sticking;
} cti_touch;

/* cti_impulses -- sums over a step (impulses.h). */
typedef struct cti_impulses {
    cti_touch *touches;
    cti_memory joints; /* key of a joint's part; the impulse on side a in world axes */
    ct_real *pins;     /* [3 n] impulses of pins and direction pins on their blocks, world axes */
} cti_impulses;

/* cti_fall -- of a block after its last step (motion.h).
   share   of the velocity change by gravity that it really gained: 1 in free fall, 0 at rest
   mean    of shares over the time `span` [s], about the longest recent step: in short steps a share is mostly vibration. 1 before the first step
   owed    [s] gravity times this is still to come: v is that of the step's middle, or was when the block last fell */
typedef struct cti_fall {
    ct_real share, mean, span, owed;
} cti_fall;

/* cti_history -- data besides x and v that the next step uses (integrate.h, motion.h). */
typedef struct cti_history {
    ct_real *dv;               /* [3 n] change of v in the last step, whose length was dt_prev */
    ct_real *dt_prev;          /* [n] last step of the block; 0 before its first */
    ct_real *dv_free, dt_free; /* [3 n] v_free - v of the last attempt, solved or extrapolated; dt_free is DCD's time step (CMR's components
                                  have their own) */
    cti_fall *fall;            /* [n] */
    ct_real *v0, *u0;          /* [3 n] BDF2: end and average velocities of the step before; undefined where dt_prev is 0 */
    uint8_t *touched, *touches;/* 1: contacts or joints act on the body: [n] in the last step, [models] in this one */
    ct_real *v_end;            /* [3 n] scratch */
    int32_t *model_of;         /* [n] model of a block or -1 */
    int32_t *block, *last;     /* [models] first and last block; last -1: none */
    uint8_t *reset;            /* [models] the integrator starts anew after this step */
    cti_impulses impulses;     /* of the last step */
} cti_history;

/* cti_reactions -- rows of A, each followed by its b, of the blocks that scripts constrain, before they are filtered. */
typedef struct cti_reactions {
    int32_t *blocks;
    ct_real *values; /* [9 entries of the row + 3] block by block */
} cti_reactions;

/* cti_copy -- copy of the data of blocks and bodies that a commit changes. */
typedef struct cti_copy {
    ct_real *x, *v, *dv;       /* [3 n] */
    ct_real *dt_prev;          /* [n] */
    ct_real *v0, *u0;          /* [3 n] of BDF2 */
    uint8_t *touched;          /* [n] */
    cti_fall *fall;            /* [n] */
    cti_rigid *rigids;
    cti_energy *energies;      /* [models + rigid bodies] */
} cti_copy;

/* cti_snapshot -- the state to restore when memory runs out; see snapshot.h. */
typedef struct cti_snapshot {
    double time;
    ct_real dt_memory, dt_free;
    cti_copy copy;
    ct_real *dv_free;          /* [3 n] */
    cti_component_start *components;
    cti_way *ways;
    uint64_t *tangles;
    int n_tangled;
    ct_real *stopped;          /* cti_script.stopped of the movers, one after the other */
    cti_memory memory;
} cti_snapshot;

/* Number of depths of splits and halves, counting the step itself as depth 0. max_halvings is at most 8, so that depth 8 has the shortest
   substeps. A component that fails there is stepped alone with the same length, at depth 9. */
enum { CTI_PARTS_DEPTH = 10 };

/* cti_parts -- components that keep their result while others are cut into substeps; parts.h defines the terms. */
typedef struct cti_parts {
    int can_exclude;         /* 1: an attempt may exclude failed components */
    int never_exclude;       /* 1: no attempt of this try of the step may exclude components */
    int inactive;            /* 1: some component is excluded or interpolated */
    int conflict;            /* 1: an active and an interpolated component came near each other */
    int coupled_known;       /* 1: `coupled` is valid for this step */
    int32_t *coupled;        /* [components] sets: 0_base/sets.h; of components that had a conflict in this step */
    ct_real *x0, *x1;        /* [3 nv] of interpolated vertices: ends of the straight lines on which they move */
    ct_real *x_start;        /* [3 nv] surface.x0 before the commit of a split */
    cti_copy start, end;     /* state before that commit; state of interpolated components at the end of their interval */
    cti_memory contacts[CTI_PARTS_DEPTH]; /* contacts of components that a split interpolates, by its depth */
    int32_t *zoned;          /* [components] sets of components that rows and impact zones have joined in the current substep */
} cti_parts;

#define CTI_HELD_REPAIR 1
#define CTI_HELD_IMPLAUSIBLE 2
#define CTI_HELD_RESTED 4

/* cti_bodies -- the bodies' properties. They are set by preparation and changed only by the user, except for the motion of rigid bodies. */
typedef struct cti_bodies {
    ct_real *mass, *inv_mass; /* [n] */
    ct_real mass_min;         /* smallest positive mass of a block */
    ct_real *alpha;           /* [n] Rayleigh mass damping [1/s] */
    ct_real *force;           /* [3 n] that a program has put on blocks for the next step; of a rigid body force and torque */
    ct_real *owed;            /* [3 n] impulses of forces that are still to come, see cti_fall.owed */
    cti_rigid *rigids;
    int32_t *rigid_of;        /* [n] rigid body of a block, or -1 */
    ct_real *frames;          /* [9 rigids] rotations at the start of the step */
    cti_joint *joints;
    cti_model **models;
    int n_models;
} cti_bodies;

/* cti_linkage -- rigid bodies that joints without compliance hold together (linkage.h). */
typedef struct cti_linkage {
    cti_mechanism m;
    int32_t *rigids; /* numbers of its bodies */
    int32_t *parts;  /* 2 joint + part of its rows */
    double lost;     /* [J] kinetic energy before the step that the joints do not allow */
    int keeps;       /* 1: joints keep their errors in this attempt: no motion was found that closes them */
} cti_linkage;
typedef struct cti_linkages {
    cti_linkage *list;
    int32_t *of, *place; /* [rigids] linkage of a body, or -1; its number there */
    int32_t *row_of;     /* [2 joints] row of a joint's part in its linkage, or -1 */
    int unresolved;      /* linkages whose motion the last attempt did not resolve */
} cti_linkages;

/* CTI_JOINTS, CTI_LINKAGES -- how many there are; 0 to the compiler without CONTACT_WITH_JOINTS, so that it leaves out what loops over them. */
#define CTI_JOINTS(s) (CONTACT_WITH_JOINTS ? CTI_LEN((s)->bodies.joints) : 0)
#define CTI_LINKAGES(s) (CONTACT_WITH_JOINTS ? CTI_LEN((s)->linkages.list) : 0)

/* cti_energy_mean -- of a component in a substep: mean velocity by mass [m/s], square of the largest relative velocity at the start in a loaded
   row [m^2/s^2]. */
typedef struct cti_energy_mean {
    double mean[3], met;
} cti_energy_mean;

/* cti_energies -- energies of bodies: models first, then rigid bodies. */
typedef struct cti_energies {
    cti_energy *now, *end;    /* [models + rigid bodies] at x; at the tentative end of a substep */
    double *moduli;           /* [models] scale of the body's elastic energy [J], see cti_model_modulus */
    double *works;            /* [models + rigid bodies] work done on the body in the substep [J] */
    double *through;          /* [models + rigid bodies] sum of what each row works on a rigid body, without signs [J] */
    double *inner;            /* [models] the same relative to the mean velocities of the body's components */
    cti_energy_mean *means;   /* [components] these */
    double *push;             /* [3 models] sum of the impulses of rows and pins on the body in the substep [N s] */
    uint8_t *gains;           /* [models + rigid bodies] not 0: the body gains energy in the substep; energy.c has the values */
    int known;                /* 1: `now` belongs to x and v */
} cti_energies;

/* cti_judge_body -- of a body, or of the set of bodies that touch and whose first body it is (judge.h). */
typedef struct cti_judge_body {
    cti_energy before;             /* of the body at the start */
    double mass, start[3], end[3]; /* [kg], [m/s] mean velocities at both ends of the step */
    double met2;                   /* [m^2/s^2] square of the largest speed at which points of contacts moved along each other or met */
    double kinetic, stored;        /* [J] about the mean velocity at the end; sum of the elastic energies' sizes */
    double had, moving;            /* [J] both at the start; all of the kinetic energy then */
    double debt, owes;             /* [J] cti_judge.debts; that with what it gains beyond its bound in this step */
    double gain, fault, rounded;   /* [J] what it has more than at the start; that beyond its bound; energies that rounding is a share of */
    uint8_t touched, blamed;       /* 1: a contact acted on it; the step is refused because of it */
} cti_judge_body;

/* cti_judge -- of the step at hand. */
typedef struct cti_judge {
    cti_judge_body *bodies; /* [models + rigid bodies] */
    int32_t *of;            /* [models + rigid bodies] sets (0_base/sets.h) */
    double start;           /* [J] energies at the start of the step, see cti_report_gain */
    double untaken;         /* [J] part of loss_contact that no body has lost; below 0 what some contacts gave, which is no loss of others */
    double excess, most;    /* [J] gain beyond the bound, with that of the steps before; what of it may stay */
    double debt, *debts;    /* [J] gains that stayed in the last step: of the world; [models + rigid bodies] of the sets, at their first bodies */
    int refused;            /* 1: the try at hand */
    int coarse;             /* 1: it should have shorter substeps, whatever it gains */
    int spent;              /* 1: it has used up the work of a step, and is not divided */
} cti_judge;

/* cti_wind_body -- a body of the surface in air (wind.h). */
typedef struct cti_wind_body {
    int32_t body, first; /* in cti_surface.bodies; its first vertex in cti_wind.air */
    int closed;          /* 1: only what faces the wind is in it */
    ct_air air;
} cti_wind_body;

/* cti_wind -- the air of a step. Without bodies the arrays mean nothing. */
typedef struct cti_wind {
    cti_wind_body *bodies;
    ct_real *points, *air; /* [3 vertices of these] where they are when the step begins; the velocity of the air there */
    uint8_t *blown;        /* [n] 1: a block of these bodies */
    ct_real *impulse;      /* [3 n] of the air in the substep */
} cti_wind;

/* cti_scripts -- scripted motion of blocks and surface vertices, and the data derived from it for the current substep. */
typedef struct cti_scripts {
    cti_pin *pins;
    cti_direction *directions;
    cti_tether *tethers;      /* those of a body follow each other */
    ct_motion_segment *path;  /* pieces of the pins' paths */
    cti_mover *movers;
    int still;                /* 1: scripts stand where they are at `time` */
    uint8_t *fixed;           /* [n] all axes scripted */
    uint8_t *held;            /* [n] the block does not move: CTI_HELD_REPAIR, a repair leaves it alone; CTI_HELD_IMPLAUSIBLE, the last resort of
                                 an attempt; CTI_HELD_RESTED: it was held in the substep that ends */
    int32_t *filter;          /* [n] -1 or index into projectors */
    ct_real *projectors;      /* [9 m] */
    int n_constrained;
    ct_real *v_fixed;         /* [3 n] scripted velocity */
    cti_reactions reactions;
} cti_scripts;

/* cti_contacts -- results of detection, the rows made from them, and the contact memory. */
typedef struct cti_contacts {
    cti_hit *hits;
    cti_row *rows;            /* of the last solve */
    cti_contact_row *origins;
    ct_real *response;        /* [3 n] in a step as printed: change of velocity by the last step's contacts [m/s], scaled to this step's
                                 length; else NULL */
    int is_solved;            /* 1: `rows` belong to a problem that has been solved */
    ct_real solved_dt, solved_scale; /* of the last solve */
    cti_memory memory;        /* committed; the others belong to the current step: two for each depth of splits */
    cti_memory memory_step[2 * CTI_PARTS_DEPTH], memory_none;
    int memory_slot;          /* of memory_step: the memory at the start of the last step */
    ct_real memory_dt;        /* [s] length of the substep that `memory` belongs to */
    int32_t *tangled_pairs;   /* [2 m] edge, face: pairs that intersected at surface.x0 when the last step began */
    cti_repair *repairs;      /* rows that separate them */
    cti_way *ways;            /* directions in which pairs of bodies separate, kept over steps */
} cti_contacts;

/* cti_system -- the equations of motion, linearized at q, and their solution without contacts: A v_free = b. */
typedef struct cti_system {
    ct_real *q;               /* [3 n] where forces are linearized in this step */
    cti_turn *turns;          /* [components] */
    cti_block_size *sizes;    /* [n]; whole is 0 unless the component is deformable and no script holds it */
    int n_linearized;         /* earlier linearizations in this attempt */
    cti_bsr A;
    ct_real *b, *force;       /* [3 n] */
    ct_real *force0;          /* [3 n] Newmark: f(x) */
    ct_real *v_free;          /* [3 n] solution without contacts */
    ct_real *work;            /* [12 n + 8] scratch */
} cti_system;

/* cti_end -- tentative end of a substep; a commit copies it to the state. */
typedef struct cti_end {
    ct_real *v, *x;           /* [3 n] */
    ct_real *frames;          /* [9 rigids] rotations */
    ct_real *fall;            /* [n] see cti_history */
    ct_real *impulse;         /* [3 n] J' r of the last solve */
    cti_group *groups;        /* [components] scratch */
} cti_end;

/* cti_clock -- the current step: its times, the work done so far, and the state to restore. */
typedef struct cti_clock {
    double time;              /* [s] time that x and v belong to */
    ct_real dt;               /* [s] length of the step */
    int parts;                /* substeps that it is divided into, since the judge refused it with fewer (shell.h) */
    double until;             /* [s] time at which the current substeps end: the end of the step, or of a part of it (parts.h) */
    ct_real left;             /* [s] time left until then, before a substep */
    int may_halve;            /* 1: a substep that fails now is done again in halves, or without what failed */
    ct_real event_least;      /* [s] shortest substep at which an impact may cut, 0: impacts do not cut */
    ct_real spent;            /* share of this step's bound that the interior point method has used, see cti_solve_info */
    double wasted_sweeps;     /* sweeps in this step of ICA solves that ended far from a solution; in budgets, which are max_sweeps over all
                                 contacts */
    cti_pair limit;           /* pair that limited the last step; n 0: none */
    cti_impulses impulses;    /* sums so far */
    cti_snapshot start;
    cti_snapshot attempt;     /* its solves alone, at the start of an attempt that may exclude components */
} cti_clock;

/* cti_state -- the whole state. A step writes energy, history, contact, system, end, step, parts and own. Its attempts also write factors, detect,
   scripts, the surface's end and what is derived from the motion of rigid bodies. A commit writes x, v and the rigid bodies. */
typedef struct cti_state {
    cti_mem *mem;
    cti_mem prepared;         /* what refers to the bodies as they were prepared: released before they change */
    cti_arena *arena;
    ct_world_desc desc;
    int n;                    /* blocks */
    ct_real *x, *v;           /* [3 n] */
    cti_bodies bodies;
    cti_linkages linkages;
    cti_scripts scripts;
    cti_wind wind;
    cti_history history;
    cti_energies energy;
    cti_judge judge;
    cti_surface surface;
    cti_detect detect;
    cti_contacts contact;
    cti_system system;
    cti_factors factors;
    cti_end end;
    cti_clock step;
    cti_parts parts;
    cti_frame frame;          /* the work of the call at hand */
    void *own;                /* private data of the stepper (stepper.h) */
    int (*tell)(void *teller); /* called when a step has its end, with its touches in step.impulses. 0: out of memory, and the step fails */
    void *teller;
} cti_state;

/* cti_state_component -- component that moves a surface vertex; -1: the vertex is static or scripted. */
CTI_INLINE int cti_state_component(const cti_state *s, int vertex)
{
    const cti_attach *a = cti_surface_attach(&s->surface, vertex);
    return a->n > 0 ? s->factors.component_of[a->block[0]] : -1;
}
/* cti_state_is_inactive -- 1 where the block's component is excluded or interpolated (parts.h). */
CTI_INLINE int cti_state_is_inactive(const cti_state *s, int block)
{
    return s->parts.inactive && s->factors.components[s->factors.component_of[block]].substep.part;
}

/* cti_state_free -- the part of a vector of a block in the directions that no script holds. */
CTI_INLINE cti_v3 cti_state_free(const cti_state *s, int block, cti_v3 v)
{
    int slot = s->scripts.filter[block];
    return slot < 0 ? v : cti_m3_mul_v(s->scripts.projectors + 9 * (size_t)slot, v);
}

/* cti_state_fail -- rejects the result of the block's component in this attempt. */
CTI_INLINE void cti_state_fail(cti_state *s, int block) { s->factors.components[s->factors.component_of[block]].substep.failed = 1; }

/* cti_state_clock -- [ms] by the user's clock; 0 without one. */
CTI_INLINE double cti_state_clock(const cti_state *s) { return s->desc.now_us ? (double)s->desc.now_us(s->desc.now_user) * 1e-3 : 0.0; }

/* cti_state_ahead -- the time after a substep of dt. The last substep of a step ends exactly when the step does, so that scripts are
   evaluated at the same time as later. In a repair time does not advance. */
CTI_INLINE double cti_state_ahead(const cti_state *s, ct_real dt)
{
    return s->scripts.still ? s->step.time : (dt == s->step.left ? s->step.until : s->step.time + (double)dt);
}

/* cti_state_is_paper -- 1 if steps and solves are as a paper prints them: Otaduy 2009's with CT_STEPPER_CMR, Li 2015's with CT_STEPPER_DCD. */
CTI_INLINE int cti_state_is_paper(const cti_state *s) 
{
    return CONTACT_WITH_PRINTED && s->desc.solver.termination == CT_TERMINATION_PAPER;
}

/* cti_step_status -- a step's status is the worst that has been said of it. */
CTI_INLINE void cti_step_status(ct_step_report *r, ct_status status)
{
    if (status > r->status)
        r->status = status;
}
