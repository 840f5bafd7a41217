/* state.h -- what a step works on: blocks, models, surface, matrix, contact memory. The world owns one; steppers change it only by a commit
   at the end of a step. */
#ifndef CTI_STATE_H
#define CTI_STATE_H

#include "../2_linalg/krylov.h"
#include "../2_linalg/supernodal.h"
#include "../6_model/model.h"
#include "../6_model/joint.h"
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

/* cti_factor_stamp -- what a component's factors are of. Plain: a step that is taken back copies it. */
typedef struct cti_factor_stamp {
    int version;                 /* counts computations of the factor */
    int age;                     /* [steps] since the factor was computed; -1: there is none */
    ct_real dt;                  /* [s] time step that the factor is of */
    ct_real drift;               /* [m] bound on how far a block has moved since the factor was computed */
    int renewal_asked;           /* 1: the next step computes the factor anew */
    int base_iterations;         /* conjugate gradient iterations of the first free solve behind the factor */
    int excess_iterations;       /* iterations beyond that in the free solves since then: the price of the factor's age */
    int penalized_known;         /* 1: there is a factor of the penalized matrix */
    int penalized_version;       /* counts computations of the penalized factor */
    ct_real penalized_dt;        /* [s] time step that the penalized factor is of */
} cti_factor_stamp;

/* cti_compliance -- a component's response between ports, which are blocks that contacts touch. It is kept while the factor stands. */
typedef struct cti_compliance {
    int32_t *port_at;            /* [blocks] position in `ports` or -1 */
    int32_t *ports;
    float *C;
    int ld, version;             /* leading dimension of C; version of the factor that C is of, -1: none */
} cti_compliance;

/* cti_factor_cache -- a component's factors. The one in use is a cluster's inverse and a preconditioner; it may lag behind A. */
typedef struct cti_factor_cache {
    cti_factor32 single;         /* LDL' of A in float */
    cti_factor64 exact;          /* LDL' of A in double, used in its place where float is not enough for the matrix */
    cti_factor32 penalized;      /* LDL' of A and the stiffness of acting contacts, for corrections (smooth.h) */
    int is_exact;                /* 1: `exact` is used */
    int exact_logged;            /* 1: the log has named the component */
    int is_due;                  /* 1: the factor is being computed anew */
    cti_factor_stamp stamp;
    cti_compliance compliance;
} cti_factor_cache;

/* cti_solve_memory -- what the solves of a component leave for the next one. Plain: a step that is taken back copies it. */
typedef struct cti_solve_memory {
    int in_contact;              /* 1: rows of the attempt at hand touch the component */
    int was_free;                /* 1: rows of the last attempt did not */
    int node_ports;              /* blocks in contact when the last solve took the component node by node; 0: it took it whole */
    int whole_attempts;          /* attempts left in which the component is solved whole, since solves by nodes failed */
    int inexact_attempts;        /* attempts in a row in which the free motion was solved inexactly, since contacts were expected */
    int extrapolated_attempts;   /* attempts in a row in which the free motion was extrapolated from the last solved one */
    int free_iterations;         /* conjugate gradient iterations of the last free solve */
    int solver_failed;           /* 1: the chosen solver has failed on an island of the component with the matrix at hand */
    ct_real dt_free;             /* [s] time step of the last free motion, solved or extrapolated; 0: none */
    ct_real free_speed;          /* [m/s] largest entry of v_free */
    ct_real dynamics;            /* [m/s] largest entry of D^-1 (A v - b - J' r), D the 3x3 diagonal; -1: not known */
    ct_real natural;             /* natural map of the rows of the component's island when it was solved last */
    double free_energy;          /* v_free' A v_free of the last free motion */
    double contact_energy;       /* (v - v_free)' A (v - v_free) of the last solve */
} cti_solve_memory;

/* cti_substep_memory -- how a component is stepped where its time step is cut (parts.h). Plain: a step that is taken back copies it. */
typedef struct cti_substep_memory {
    int part;                    /* 0: the component is active; CTI_PART_*: it is excluded or interpolated */
    int failed;                  /* 1: the end of the component in this attempt is refused */
    int unbalanced;              /* 1: a group of the component that contacts press does not get its angular momentum back (momenta.h) */
    int forced;                  /* 1: nor does it, since the fail-safe has changed its motion */
    ct_real dt_limit;            /* [s] step limit for the rest of this step; 0: none */
    int successes;               /* accepted substeps in a row that were as long as the limit */
    ct_real elapsed;             /* [s] of an interpolated component: time since its split */
    ct_real interval;            /* [s] time that the split spans */
} cti_substep_memory;

/* cti_component -- blocks that A couples: one body, or a piece of one. Its own fields are geometry, which changes with the topology alone. */
typedef struct cti_component {
    int32_t begin, end;          /* in cti_factors.blocks, sorted */
    int32_t symbolic;            /* index of the shared analysis */
    int32_t patch0, patch1;      /* its patches in cti_factors.patches */
    int32_t place;               /* local number of its first block in the open island; -1: it is in none (island.h) */
    cti_gather gather;           /* entries of A in the order of the analysis */
    struct cti_factors *owner;
    cti_factor_cache cache;
    cti_solve_memory solve;
    cti_substep_memory substep;
} cti_component;

/* cti_component_start -- what a component was when a step began. */
typedef struct cti_component_start {
    cti_factor_stamp stamp;
    cti_solve_memory solve;
    cti_substep_memory substep;
} cti_component_start;

/* cti_exact -- a component's factor in double, of the matrix with that number. */
typedef struct cti_exact {
    cti_factor64 factor;
    int matrix;
} cti_exact;

typedef struct cti_factors {
    cti_component *components;
    uint8_t *held_at;      /* [n] 1: the block is held in its component's factor `held`; empty before the first */
    cti_exact *exacts;     /* [components] where a solver has asked for them, or NULL */
    int matrix;            /* counts matrices */
    cti_symbolic *symbolics;
    uint64_t *hashes;      /* of the symbolics */
    int32_t *blocks;       /* [n] component by component */
    int32_t *component_of; /* [n] */
    int32_t *rank;         /* [n] number of a block within its component */
    int in_order;          /* blocks are 0, 1, 2, ...: every component is a run of blocks */
    int32_t *patch_blocks; /* [n] patch by patch */
    int32_t *patches;      /* [n_patches + 1] starts in patch_blocks */
    const cti_bsr *A;
    const ct_real *mass;   /* [n] of the world; NULL: nothing is known to be stiff */
    double *x, *work;      /* scratch of a solve: [x_room] and [work_room] of each worker, for floats or doubles */
    size_t x_room, work_room;
    const ct_tasks *tasks; /* set before the rest */
    cti_mem *mem;
    cti_arena *arena;
    int n_refactored;      /* since cleared */
    ct_real rest;          /* [m] drift below which a large factor may lag under contacts */
} cti_factors;

/* cti_turn -- the turn of a component that its angular momentum predicts for a step (motion.h). */
typedef struct cti_turn {
    int turns;       /* 1: q = c + R (x - c), and b gets `rate`; 0: the turn is below rounding, the component is held, or `moved` is 2 */
    int moved;       /* place of linearization q: 0 x, 1 x turned by R, 2 the end of the last iteration */
    ct_real R[9];
    cti_v3 center;   /* c [m] */
    cti_v3 rate;     /* [rad/s] spin about c that Euler's b adds to v: the nodes at q then have the angular momentum that they have at x */
} cti_turn;

/* cti_group -- components that contacts connect in a step, at their root (momenta.h); 0: before the step, 1: after it. */
typedef struct cti_group {
    int32_t up;
    int has_impulses;           /* 1: impulses act between its components */
    int held;                   /* 1: something outside of it acts on it, too */
    ct_real mass;
    cti_v3 first, center[2], speed[2];
    ct_real inertia[9];         /* about the centre */
    double about;               /* [J] kinetic energy about the centre */
    cti_v3 lack, rate;          /* missing angular momentum; the angular velocity that gives it */
} cti_group;

/* cti_energy -- of a body [J]; gravity's is 0 at the origin. */
typedef struct cti_energy {
    double kinetic, elastic, gravity;
} cti_energy;

/* cti_repair -- features that are on the wrong side of each other; they are taken apart along the unit normal (a moves along it) by at least
   `depth` [m]. */
typedef struct cti_repair {
    cti_pair pair;
    cti_v3 normal;
    ct_real depth;
    int soft; /* 1: the direction is estimated, and changes from step to step */
} cti_repair;

/* cti_way -- the direction in which body a leaves body b, and how far that is [m]. */
typedef struct cti_way {
    uint64_t a, b; /* ids, see cti_surface_body */
    cti_v3 normal;
    ct_real depth;
} cti_way;

/* cti_touch -- a contact of a step: its impulse on side a over the step, and features, weights and axes of the last substep that loaded it. */
typedef struct cti_touch {
    uint64_t key;
    cti_pair pair;
    ct_real thickness, frame[9];
    ct_real r[3]; /* [N s] in the frame */
    int sticking;
} cti_touch;

/* cti_impulses -- of a step (impulses.h). */
typedef struct cti_impulses {
    cti_touch *touches;
    cti_memory joints; /* key of a joint's part; its impulse on side a, world axes */
    ct_real *pins;     /* [3 n] what pins and directions gave to their blocks, world axes */
} cti_impulses;

/* cti_history -- what steps leave for the next one beside x and v (integrate.h, motion.h). */
typedef struct cti_history {
    ct_real *dv;               /* [3 n] what the last step, of dt_prev, added to v */
    ct_real *dt_prev;          /* [n] last step of the block; 0 before its first */
    ct_real *dv_free, dt_free; /* [3 n] v_free - v of the last attempt, solved or extrapolated; DCD's time step: CMR's components have their own */
    ct_real *fall;             /* [n] share of gravity's kick by which the block gained speed in the last step (motion.h) */
    ct_real *v0, *u0;          /* [3 n] BDF2: end and average velocities of the step before; mean nothing where dt_prev is 0 */
    uint8_t *touched, *touches;/* 1: contacts or joints act on the body: [n] in the last step, [models] in this one */
    ct_real *v_end;            /* [3 n] scratch */
    int32_t *model_of;         /* [n] model of a block or -1 */
    int32_t *block, *last;     /* [models] first and last block; last -1: none */
    uint8_t *reset;            /* [models] starts again after this step */
    cti_impulses impulses;     /* of the last step */
} cti_history;

/* cti_reactions -- rows of A, each followed by its b, of the blocks that scripts constrain, before they are filtered. */
typedef struct cti_reactions {
    int32_t *blocks;
    ct_real *values; /* [9 entries of the row + 3] block by block */
} cti_reactions;

/* cti_copy -- of what belongs to blocks and bodies, and changes when a substep is committed. */
typedef struct cti_copy {
    ct_real *x, *v, *dv;       /* [3 n] */
    ct_real *dt_prev;          /* [n] */
    ct_real *v0, *u0;          /* [3 n] of BDF2 */
    uint8_t *touched;          /* [n] */
    ct_real *fall;             /* [n] */
    cti_rigid *rigids;
    cti_energy *energies;      /* [models + rigid bodies] */
} cti_copy;

/* cti_snapshot -- what to go back to when memory runs out; see snapshot.h. */
typedef struct cti_snapshot {
    double time;
    ct_real dt_memory, dt_free;
    cti_copy copy;
    ct_real *dv_free;          /* [3 n] */
    cti_component_start *components;
    cti_way *ways;
    uint64_t *tangles;
    int n_tangled;
    cti_memory memory;
} cti_snapshot;

/* cti_dcd_body -- what discrete detection knows of a surface body. */
typedef struct cti_dcd_body {
    cti_bvh faces, tets; /* trees in cti_dcd.forest */
    int model;           /* in cti_state.bodies.models, whose tets fill the body; -1: none */
    int embedded;        /* its surface lies in the tets, and is not their boundary */
    int closed;          /* the surface has an inside */
    int tet0;            /* first of its tets in cti_dcd.tet_rest */
    int fresh;           /* trees of a body that never moves are refitted once */
    ct_real edge;        /* [m] mean length of its surface's edges at rest */
} cti_dcd_body;

/* cti_dcd -- of CT_STEPPER_DCD; everything but `power` is made from the bodies when the world is prepared. */
typedef struct cti_dcd {
    cti_forest forest;
    cti_dcd_body *bodies;  /* [surface.n_bodies] */
    ct_real *tet_rest;     /* [4 tets] centre at rest and the radius around it that holds the corners */
    ct_real *near_rest;    /* [nv] radius at rest within which a vertex does not meet its own body */
    ct_real *normals;      /* [3 nv] sums of the faces' normals by angle, of bodies that are asked for the side of a point */
    ct_real *thickness;    /* [nf] of the body at rest behind a face */
    float *vertex_boxes, *node_boxes; /* [16 nv], [16 n] */
    double *power, *power_step;       /* [3 n] where the power method begins; the step's own */
    ct_real *v_start;      /* [3 n] of a Newton iteration; then the motion without friction */
    ct_real *step, *damping; /* [3 n] of a line search: A times the step, h beta K times its start */
    ct_real *answer;       /* [3 n] the last program's solution, and its multipliers: */
    ct_real *lambda;       /* [rows] */
    int32_t *pivot;        /* [rows] block of a row's pivot (CT_DECOUPLE_PIVOT) */
    ct_real *rub;          /* [rows] tangential viscosity [N s per m/s] */
    int dropped, cg, steps, solves, products; /* of the step so far */
    int ready;
} cti_dcd;

/* Depths of splits and halves, with the step's own 0. max_halvings is at most 8, so that depth 8 has the shortest substeps. A component that fails there
   is stepped alone at the same length, at depth 9. */
enum { CTI_PARTS_DEPTH = 10 };

/* cti_parts -- components that have their end while others are cut into substeps; parts.h says what the words mean. */
typedef struct cti_parts {
    int can_exclude;         /* 1: an attempt may exclude failed components */
    int never_exclude;       /* 1: no attempt of this try of the step may */
    int inactive;            /* 1: some component is excluded or interpolated */
    int conflict;            /* 1: an active and an interpolated component come near each other */
    int coupled_known;       /* 1: `coupled` is of this step */
    int32_t *coupled;        /* [components] sets: 0_base/sets.h; of components that had a conflict in this step */
    ct_real *x0, *x1;        /* [3 nv] of interpolated vertices: ends of the straight lines on which they move */
    ct_real *x_start;        /* [3 nv] surface.x0 before the commit of a split */
    cti_copy start, end;     /* state before that commit; state of interpolated components at their end */
    cti_memory contacts[CTI_PARTS_DEPTH]; /* contacts of components that a split interpolates, by its depth */
    int32_t *zoned;          /* [components] sets that rows and impact zones have joined in the substep at hand */
} cti_parts;

#define CTI_HELD_REPAIR 1
#define CTI_HELD_IMPLAUSIBLE 2
#define CTI_HELD_RESTED 4

/* cti_bodies -- what bodies are made of: prepared, and changed by the user alone, but for the rigid bodies' motion. */
typedef struct cti_bodies {
    ct_real *mass, *inv_mass; /* [n] */
    ct_real mass_min;         /* smallest positive mass of a block */
    ct_real *alpha;           /* [n] Rayleigh mass damping [1/s] */
    cti_rigid *rigids;
    int32_t *rigid_of;        /* [n] rigid body of a block, or -1 */
    ct_real *frames;          /* [9 rigids] rotations at the start of the step */
    cti_joint *joints;
    cti_model **models;
    int n_models;
} cti_bodies;

/* cti_energies -- of bodies: models first, then rigid bodies. */
typedef struct cti_energies {
    cti_energy *now, *end;    /* [models + rigid bodies] at x; at the tentative end of a substep */
    double *moduli;           /* [models] of the body's elasticity [J], see cti_model_modulus */
    double *works;            /* [models + rigid bodies] work done on the body in the substep [J] */
    uint8_t *gains;           /* [models + rigid bodies] 1: the body gains energy in the substep */
    int known;                /* `now` is of x and v */
} cti_energies;

/* cti_scripts -- what scripts say of blocks and surface vertices, and what follows for the substep at hand. */
typedef struct cti_scripts {
    cti_pin *pins;
    cti_direction *directions;
    ct_motion_segment *path;  /* pieces of the pins' paths */
    cti_mover *movers;
    int still;                /* 1: scripts stand where they are at `time` */
    uint8_t *fixed;           /* [n] all axes scripted */
    uint8_t *held;            /* [n] stays where it is: CTI_HELD_REPAIR, a repair leaves it alone; CTI_HELD_IMPLAUSIBLE, the last resort of an
                                 attempt; CTI_HELD_RESTED: did so in the substep that ends */
    int32_t *filter;          /* [n] -1 or index into projectors */
    ct_real *projectors;      /* [9 m] */
    int n_constrained;
    ct_real *v_fixed;         /* [3 n] scripted velocity */
    cti_reactions reactions;
} cti_scripts;

/* cti_contacts -- what detection has found, the rows made of it, and what is remembered of them. */
typedef struct cti_contacts {
    cti_hit *hits;
    cti_row *rows;            /* of the last solve */
    cti_contact_row *origins;
    ct_real *push;            /* [3 n] of an attempt as printed: response of the last step's contacts, for this one's length; else NULL */
    int is_solved;            /* 1: `rows` belong to a problem that was solved */
    ct_real solved_dt, solved_scale; /* of the last solve */
    cti_memory memory;        /* committed; the others are a step's own: two for each depth of splits */
    cti_memory memory_step[2 * CTI_PARTS_DEPTH], memory_none;
    int memory_slot;          /* of memory_step: what the last step began with */
    ct_real memory_dt;        /* [s] length of the substep that `memory` is of */
    int32_t *tangled_pairs;   /* [2 m] edge, face that have a point in common at surface.x0 when the last step began */
    cti_repair *repairs;      /* what takes them apart */
    cti_way *ways;            /* directions that pairs of bodies leave each other in, kept over steps */
} cti_contacts;

/* cti_system -- the equations of motion, linearized at q, and their solution without contacts: A v_free = b. */
typedef struct cti_system {
    ct_real *q;               /* [3 n] where forces are linearized in this step */
    cti_turn *turns;          /* [components] */
    ct_real *whole;           /* [n] inverse mass of a deformable component that no script holds, else 0 */
    int again;                /* linearizations before this one in the attempt */
    cti_bsr A;
    ct_real *b, *force;       /* [3 n] */
    ct_real *force0;          /* [3 n] Newmark: f(x) */
    ct_real *v_free;          /* [3 n] solution without contacts */
    ct_real *work;            /* [12 n + 8] scratch */
} cti_system;

/* cti_end -- tentative end of a substep; a commit makes it the state. */
typedef struct cti_end {
    ct_real *v, *x;           /* [3 n] */
    ct_real *frames;          /* [9 rigids] rotations */
    ct_real *fall;            /* [n] see cti_history */
    ct_real *impulse;         /* [3 n] J' r of the last solve */
    cti_group *groups;        /* [components] scratch */
} cti_end;

/* cti_clock -- the step at hand: its times, what it has spent, and what to go back to. */
typedef struct cti_clock {
    double time;              /* [s] of x and v */
    ct_real dt;               /* [s] length of the step */
    double until;             /* [s] time at which the substeps at hand end: that of the step, or of a part of it (parts.h) */
    ct_real left;             /* [s] what is left until then before a substep */
    ct_real event_least;      /* [s] shortest substep that an impact may cut off, 0: none is */
    ct_real spent;            /* of this step by a solver that pivots, or by interior point, see cti_solve_info */
    double wasted_sweeps;     /* sweeps of this step in ICA's solves that ended far from a solution, in budgets: max_sweeps over all contacts */
    cti_pair limit;           /* pair that limited the last step; n 0: none */
    cti_impulses impulses;    /* so far */
    cti_snapshot start;
} cti_clock;

/* cti_state -- all of it. A step writes energy, history, contact, system, end, step, parts and dcd, and a commit also x, v and rigid bodies. */
typedef struct cti_state {
    cti_mem *mem;
    cti_arena *arena;
    ct_world_desc desc;
    int n;                    /* blocks */
    ct_real *x, *v;           /* [3 n] */
    cti_bodies bodies;
    cti_scripts scripts;
    cti_history history;
    cti_energies energy;
    cti_surface surface;
    cti_detect detect;
    cti_contacts contact;
    cti_system system;
    cti_factors factors;
    cti_end end;
    cti_clock step;
    cti_parts parts;
    cti_dcd dcd;
    void *own;                /* private data of the stepper (stepper.h) */
} cti_state;

/* cti_state_is_inactive -- 1 where the block's component is excluded or interpolated (parts.h). */
CTI_INLINE int cti_state_is_inactive(const cti_state *s, int block)
{
    return s->parts.inactive && s->factors.components[s->factors.component_of[block]].substep.part;
}

/* cti_state_fail -- the end of the block's component in this attempt is refused. */
CTI_INLINE void cti_state_fail(cti_state *s, int block) { s->factors.components[s->factors.component_of[block]].substep.failed = 1; }

/* cti_state_ahead -- the time after a substep of dt: the last one of a step ends when the step does, to the bit, so that scripts seen then are
   those seen later. In a repair time stands still. */
CTI_INLINE double cti_state_ahead(const cti_state *s, ct_real dt)
{
    return s->scripts.still ? s->step.time : (dt == s->step.left ? s->step.until : s->step.time + (double)dt);
}

/* cti_state_is_paper -- 1 where steps and solves are Otaduy 2009's as printed, cti_state_is_printed -- where DCD's solves are Li 2015's. */
CTI_INLINE int cti_state_is_paper(const cti_state *s)
{
    return s->desc.solver.termination == CT_TERMINATION_PAPER && s->desc.stepper == CT_STEPPER_CMR;
}
CTI_INLINE int cti_state_is_printed(const cti_state *s)
{
    return s->desc.solver.termination == CT_TERMINATION_PAPER && s->desc.stepper == CT_STEPPER_DCD;
}

#endif /* CTI_STATE_H */
