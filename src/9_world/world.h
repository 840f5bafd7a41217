/* world.h -- the world: bodies over the step's state. */
#pragma once

#include "../0_base/log.h"
#include "../0_base/pool.h"
#include "../5_mesh/mesh.h"
#include "../5_mesh/place.h"
#include "../8_cmr/step.h"
#include "../8_step/stepper.h"
#include "../8_step/tangle.h"

typedef enum cti_body_kind {
    CTI_BODY_FREE, CTI_BODY_SOFT, CTI_BODY_CLOTH, CTI_BODY_STATIC, CTI_BODY_PLANE, CTI_BODY_RIGID, CTI_BODY_KINEMATIC, CTI_BODY_ROD,
    CTI_BODY_POINTS
} cti_body_kind;

/* cti_body_split -- elements that are split in regions of contact (refine.c). Node n + k of the body is the middle of edge k. */
typedef struct cti_body_split {
    int32_t *edges;     /* [2 m] nodes at the ends of the edges that are split */
    uint64_t *keys;     /* [m] the same, sorted (divide.h) */
    int32_t *tets;      /* [4 n] before any was split; NULL: not listed yet */
    int32_t *triangles; /* [3 nt] the surface as the user has it; NULL: that of the body */
    int32_t *owner;     /* [nt] tet of each of them */
    int32_t *parent;    /* triangle of which each of the body's is a part; NULL: itself */
} cti_body_split;

typedef struct cti_body {
    cti_body_kind kind;
    uint32_t generation;
    uint64_t print;         /* a hash of what it was added with (archive.c) */
    char name[64];
    int n;                  /* vertices as the user numbers them */
    int fresh;              /* 1: the prepared data do not contain the body yet */
    int unsearched;         /* 1: it was added or moved, or may meet others than before: it may intersect some */
    int block0, n_blocks;   /* its unknowns; block0 -1: none */
    int rigid;              /* number in state.rigids, or -1 */
    ct_real *rest;          /* [3 n] positions when added */
    cti_attach *attach;     /* [n] attachment of vertices embedded in nodes or in a rigid frame, with blocks counted from block0; NULL: a
                               vertex is a node */
    ct_real *nodes;         /* [3 n_blocks] positions of the nodes when added, where they are not the vertices alone: where
                               these are embedded, or a rod has frames */
    cti_rigid rigid_start;  /* of a rigid body when added */
    ct_real center[3];      /* its centre of mass when added */
    cti_script script;      /* of a kinematic body; its arrays are the next three fields and `rest` */
    ct_motion_segment *path;
    ct_real *keyframes;     /* [n_keyframes][3 n] */
    ct_real *stopped;       /* [3 n + 1] as cti_script.stopped */
    int32_t *triangles;     /* [3 nt] surface, body vertices */
    int32_t *segments;      /* [2 ns] */
    int32_t *surface_nodes; /* [n surface vertices] body vertices, sorted */
    int32_t *node_surface;  /* [n] surface vertex of each body vertex, or -1 */
    cti_topology topology;  /* of the surface, numbered by surface vertices */
    cti_model model;
    cti_body_split split;
    ct_material material;
    ct_real friction, thickness, restitution, spin_friction[2];
    ct_contact_material contact; /* -1: the world's */
    ct_filter filter;
    ct_real gravity_scale;
    ct_real pressure;       /* [Pa] inside, over that outside */
    ct_air air;
    int asleep;             /* not 0: number of the island that it sleeps with */
    int was[2];             /* scratch of a restoration: asleep, self_collision; */
    ct_real was_thickness;  /* thickness */
    double quiet;           /* [s] for which it has rested */
    ct_real *anchor;        /* [6 n] vertices when it came to rest, and a step ago; NULL: not watched */
    ct_real box[6];         /* of a sleeping body */
    cti_energy asleep_energy;
    int places;             /* how often it was put in another place */
    void *user_data;
    cti_place pose;         /* of a kinematic body at the start of its script */
    ct_real *local;         /* [3 n] its mesh before any pose; NULL: not needed so far */
    int self_collision;          /* 1, 0, -1: the world's */
    int sensor;
    ct_real belt[3];             /* [m/s] velocity of the surface along itself */
    ct_real plane_normal[3], plane_offset;
    int32_t *order; /* item order of its trees (cti_broad_order); NULL: not built yet */
} cti_body;

/* cti_refine_past -- a body as it was before elements were split for the step that runs (refine.c). */
typedef struct cti_refine_past {
    int slot;
    cti_body body;  /* its mesh and model; the list of triangles that the user has stays with the world's body */
    ct_real *nodes; /* [5 n_blocks] velocities [3 n], masses, inverse masses */
} cti_refine_past;

/* cti_refinement -- what refinement has done for the step that runs, so that a step that fails takes it back. */
typedef struct cti_refinement {
    int tets;              /* added */
    double work;           /* [J] change of the energy by it */
    cti_refine_past *past; /* in the order in which bodies were refined */
    int32_t *vf;           /* scratch: candidates */
} cti_refinement;

/* cti_remesher -- changes bodies' meshes for a step.
   open   before a step of dt, in a world that is prepared, which it is afterwards, too. CT_ERR_MEMORY: `close` takes back what was done
   close  after the step. done 0: the step has failed, and bodies, masses and velocities become those before it. Never allocates */
typedef struct cti_remesher {
    ct_code (*open)(ct_world *w, ct_real dt);
    void (*close)(ct_world *w, int done);
} cti_remesher;

/* cti_world_joint -- a joint. Its blocks are counted from its bodies' first blocks; rigid 0 stands for the body's own number. */
typedef struct cti_world_joint {
    int alive;
    uint32_t generation;
    int slot[2];  /* -1: the world */
    int collide;
    int broken, was_broken; /* 1: it acts no longer; scratch of snapshots.c */
    ct_real strength[2];    /* [N] and [N m] at which it breaks */
    cti_joint joint;
} cti_world_joint;

/* cti_joint_acts -- 1 for a joint that is there and not broken. */
CTI_INLINE int cti_joint_acts(const cti_world_joint *q) { return q->alive && !q->broken; }

typedef struct cti_queries cti_queries;
/* cti_meeting -- two bodies that touch, or a sensor and a body that overlaps it. */
typedef struct cti_meeting {
    ct_body_pair pair;
    int32_t sensor; /* 1: pair.body_a is one */
} cti_meeting;

/* cti_events -- of a step, as ct_events. */
typedef struct cti_events {
    cti_meeting *meetings; /* sorted (touching.c): all that the next step's events need */
    ct_touch *begin, *stay, *hit;
    ct_body_pair *end, *sensor_begin, *sensor_end;
    ct_joint_break *joint_break;
} cti_events;

/* cti_world_events -- those of the last step, and of the one that ends. */
typedef struct cti_world_events {
    cti_events last, next;
    int32_t *hits; /* scratch of sensors.c */
    uint64_t *sensed;
} cti_world_events;

/* cti_slept -- of the step after which bodies fell asleep last: distances [m], as in ct_step_report. */
typedef struct cti_slept {
    double min_distance, thickness_kept, joint_error;
} cti_slept;

struct ct_world {
    cti_mem whole;          /* the caller's allocator */
    cti_mem mem;            /* part of it: all memory of the world but this struct */
    cti_arena arena;
    cti_state state;
    cti_pool *pool;         /* the world's own threads, which state.desc.tasks then uses; or NULL */
    cti_body *bodies;       /* slots; kind FREE: unused */
    cti_world_joint *joints; /* slots */
    int32_t *surface_slot;  /* slot of each surface body */
    int n_alive;
    int ready;              /* 1: surface, matrix and factors match the bodies */
    int n_fresh;            /* number of bodies that the prepared data do not contain yet; if `prepared` is 1, nothing else is missing */
    int filtered;           /* 1: so do filters */
    int prepared;           /* 1: the prepared data match all other bodies and all joints */
    ct_error_info error;
    ct_pair *pairs;         /* the result of ct_world_validate */
    ct_contact *contacts;
    int contacts_ready;
    int searched;           /* 1: the prepared data have been searched for intersections */
    int clean;              /* 1: when they were released, no two bodies of them intersected: new bodies alone are searched */
    int n_asleep, n_slept;  /* bodies that sleep; how often some fell asleep */
    cti_slept slept;        /* what reports say while all sleep */
    int pushed;             /* 1: forces wait for the next step */
    ct_real *unpushed;      /* [9 n + 3 rigids] velocities and what is owed before they act, their impulses, spins before */
    cti_queries *queries;   /* what queries read (queries.h); NULL: nobody has asked */
    ct_real *was_mass;      /* [n] scratch of a restoration: masses of all nodes; NULL: it changes none */
    int queries_ready;      /* 1: they match bodies and positions. Whatever changes these sets it to 0 */
    cti_world_events events;
    int busy;               /* 1: during a step, a repair or the adding of a body: callbacks may not call the library */
    cti_refinement refined;
    const cti_remesher *remesher; /* or NULL */
    uint64_t mode;          /* the caller's floating-point mode, while a body is added */
};

/* cti_world_fail -- records the error with its culprit and returns the code. cti_world_refuse -- without a body that is it. */
CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text);
CTI_FN ct_code cti_world_refuse(ct_world *w, ct_code code, int64_t element, double value, const char *text);
/* cti_world_logger -- the caller's log function. */
static inline cti_logger cti_world_logger(const ct_world *w)
{
    cti_logger log;
    log.fn = w->state.desc.log, log.user = w->state.desc.log_user;
    return log;
}
/* cti_world_slot -- slot of a live body or -1. cti_world_find -- the body, or NULL and in *code why there is none: CT_ERR_STALE_ID, or
   CT_ERR_ARGUMENT without a world or from a callback. */
CTI_FN int cti_world_slot(const ct_world *w, ct_body_id body);
CTI_FN cti_body *cti_world_find(const ct_world *w, ct_body_id body, ct_code *code);
/* cti_world_list_models -- rebuilds state.models, whose pointers lead into the bodies; adding slots moves the bodies in memory. 0: out of
   memory. */
CTI_FN int cti_world_list_models(ct_world *w);

/* cti_world_busy -- CT_OK, or the recorded CT_ERR_ARGUMENT if a callback makes this call during a step. */
CTI_FN ct_code cti_world_busy(ct_world *w);
/* cti_world_keep_contacts -- builds the user's list of contacts before its sources are removed. CT_ERR_MEMORY. */
CTI_FN ct_code cti_world_keep_contacts(ct_world *w);
/* cti_world_contact -- a touch as the user sees it. cti_world_tell -- cti_state.tell: makes the events of the step that ends. */
CTI_FN void cti_world_contact(const ct_world *w, const cti_touch *t, ct_contact *out);
CTI_FN int cti_world_tell(void *world);
/* cti_world_tell_nothing -- the last step had no contacts, and nothing began or ended.
   cti_world_tell_removed -- the same, but what had met bodies that are gone now ended in it. 0: out of memory: nothing has changed. */
CTI_FN void cti_world_tell_nothing(ct_world *w);
CTI_FN int cti_world_tell_removed(ct_world *w);
/* cti_world_sense -- events.sensed: number in the surface of a sensor << 32 | that of a body that overlaps it, sorted. 0: out of memory. */
CTI_FN int cti_world_sense(ct_world *w);
CTI_FN ct_body_id cti_world_id(const ct_world *w, int slot);
/* cti_world_prepare -- builds surface, matrix pattern, factors after bodies changed. */
CTI_FN ct_code cti_world_prepare(ct_world *w);
CTI_FN void cti_world_unprepare(ct_world *w);
CTI_FN void cti_world_free_body(ct_world *w, cti_body *b);
/* cti_body_points -- vertices of a body, middles of split edges among them. cti_body_nodes -- blocks of a body without these. */
CTI_INLINE int cti_body_points(const cti_body *b) { return b->n + CTI_LEN(b->split.edges) / 2; }
CTI_INLINE int cti_body_nodes(const cti_body *b) { return b->n_blocks - CTI_LEN(b->split.edges) / 2; }
/* cti_body_has_model, cti_body_is_scripted -- 1 for a deformable body; 1 for a body moved by a script alone. */
CTI_INLINE int cti_body_has_model(const cti_body *b)
{
    return b->kind == CTI_BODY_SOFT || b->kind == CTI_BODY_CLOTH || b->kind == CTI_BODY_ROD || b->kind == CTI_BODY_POINTS;
}
/* cti_body_is_in_air -- 1 where air acts on it. */
CTI_INLINE int cti_body_is_in_air(const cti_body *b) { return b->air.density * (b->air.drag + b->air.lift) > 0; }
/* cti_body_meets_itself -- 1 for a deformable body that collides with itself. */
CTI_INLINE int cti_body_meets_itself(const ct_world *w, const cti_body *b)
{
    return cti_body_has_model(b) && (b->self_collision < 0 ? w->state.desc.self_collision : b->self_collision);
}
CTI_INLINE int cti_body_is_scripted(const cti_body *b)
{
    return b->kind == CTI_BODY_STATIC || b->kind == CTI_BODY_PLANE || b->kind == CTI_BODY_KINEMATIC;
}
/* cti_body_is_solid -- 1 for a closed surface around a volume. */
CTI_FN int cti_body_is_solid(const cti_body *b);
/* cti_blocks_reserve -- room for n blocks in the state's arrays by blocks, so that cti_blocks_resize cannot fail afterwards, which sets
   the lengths of the first `arrays` of them: CTI_BLOCKS_OF_STEPS with those of the last step. cti_blocks_shift -- `add` blocks of zeros
   more from block `at` on, for which there is room; later ones move up. add < 0: blocks are taken out, with their pins. 0: out of memory. */
enum { CTI_BLOCKS_OF_BODIES = 9, CTI_BLOCKS_OF_STEPS = 11, CTI_BLOCKS_ARRAYS = 13 };
CTI_FN int cti_blocks_reserve(cti_state *s, int n);
CTI_FN int cti_blocks_resize(cti_state *s, int arrays, int n);
CTI_FN void cti_blocks_shift(ct_world *w, int at, int add);
/* cti_blocks_gather -- arrays of n blocks, of which block i is the state's block from[i]; those that lack blocks stay empty. 0: out of memory.
   cti_blocks_exchange -- the state has them, and they become what it had. */
CTI_FN int cti_blocks_gather(cti_state *s, const int32_t *from, int n, void **out);
CTI_FN void cti_blocks_exchange(cti_state *s, void **arrays);
/* cti_steppers_find -- a stepper, or NULL where this build does not have it; cti_steppers_of -- a world's: a constant where there is one. */
CTI_FN const cti_stepper *cti_steppers_find(ct_stepper stepper);
CTI_FN const cti_stepper *cti_steppers_of(const ct_world *w);
/* cti_steppers_defaults, cti_steppers_check -- of all steppers that are built. */
CTI_FN void cti_steppers_defaults(ct_world_desc *d);
CTI_FN ct_code cti_steppers_check(const ct_world_desc *d, ct_error_info *e);
/* cti_steppers_admit -- CT_OK, or the recorded CT_ERR_UNSUPPORTED where the world's stepper refuses the feature; name: of a body, or NULL. */
CTI_FN ct_code cti_steppers_admit(ct_world *w, cti_feature what, const char *name);
/* cti_body_attach -- attachment of body vertex i with the world's block and frame numbers. */
CTI_FN void cti_body_attach(const cti_body *b, int i, cti_attach *out);
/* cti_body_point -- the position of vertex i of a body, by the same code path as the surface's. */
CTI_FN cti_v3 cti_body_point(const ct_world *w, const cti_body *b, int i);
/* cti_body_stored -- the positions [3 n] of all its vertices, where they are in memory; else NULL. */
CTI_FN const ct_real *cti_body_stored(const ct_world *w, const cti_body *b);
/* cti_body_velocity -- the velocity of it. */
CTI_FN cti_v3 cti_body_velocity(const ct_world *w, const cti_body *b, int i);
/* cti_refine_remesher -- splits tets in regions of contact (refine.c). NULL: the world's options do not ask for it. */
CTI_FN const cti_remesher *cti_refine_remesher(const ct_world_desc *d);
/* cti_body_id -- unique to a body for its whole life. cti_body_number -- what the contact memory knows a body by: another one after it was put in
   another place. */
CTI_INLINE uint64_t cti_body_id(const cti_body *b, int slot) { return (uint64_t)b->generation << 32 | (uint32_t)slot; }
CTI_INLINE uint64_t cti_body_number(const cti_body *b, int slot) { return cti_body_id(b, slot) ^ (uint64_t)(b->places & 0xfff) << 52; }
/* cti_world_refilter -- the prepared data get the bodies' filters, if they have others. cti_world_scripted -- movers and joints of a slot's body get
   its script, whose arrays may have moved. */
CTI_FN void cti_world_refilter(ct_world *w);
CTI_FN void cti_world_scripted(ct_world *w, int slot);
/* cti_world_has_joints -- 1 if a joint holds the body of the slot. cti_world_hold_joints, cti_world_follow_joints -- before and after a kinematic
   body gets another path: joints hold it where they do now, and then go with the path. */
CTI_FN int cti_world_has_joints(const ct_world *w, int slot);
CTI_FN void cti_world_hold_joints(ct_world *w, int slot);
CTI_FN void cti_world_follow_joints(ct_world *w, int slot);
/* cti_pins_pack_paths -- removes the pieces of paths that no pin uses any more. Pins are in the order of their paths, and those that share one follow
   each other. */
CTI_FN void cti_pins_pack_paths(cti_state *s);
/* cti_pins_move -- pins nodes [n] (NULL: all), and moves them to positions [3 n] in dt, where they stay. */
CTI_FN ct_code cti_pins_move(ct_world *w, const cti_body *b, const int32_t *vertices, const ct_real *positions, int n, double dt);
/* cti_live_weigh -- what follows from a body's masses after they have changed. */
CTI_FN void cti_live_weigh(ct_world *w, const cti_body *b);
/* cti_live_open -- forces and gravity scales change velocities before a step of dt; *out_work [J]. 0: out of memory. cti_live_late --
   [J] what is owed of forces adds to the kinetic energy. cti_live_close -- after it; done 0: the velocities are as before. */
CTI_FN double cti_live_late(const ct_world *w);
CTI_FN int cti_live_open(ct_world *w, ct_real dt, double *out_work);
CTI_FN void cti_live_close(ct_world *w, int done);
/* cti_live_pose -- where a kinematic body without keyframes is: its pose at the start of its path, and what the path has done since. */
CTI_FN void cti_live_pose(const ct_world *w, const cti_body *b, cti_place *out);
/* cti_live_anew -- a body's velocities become those of the present time, and its integration starts anew. */
CTI_FN void cti_live_anew(ct_world *w, const cti_body *b);
/* cti_bodies_write -- n vectors in the caller's layout; origin, if not NULL, is added in double. cti_bodies_check_layout -- refuses one that no
   memory holds. */
CTI_FN void cti_bodies_write(const ct_real *from, int n, const double *origin, void *out, ct_scalar_type type, size_t stride);
CTI_FN ct_code cti_bodies_check_layout(ct_world *w, int n, const void *out, ct_scalar_type type, size_t stride);
/* cti_world_other_option -- the name of the first option of ct_world_desc, as snapshots compare them, in which two descriptions differ, or
   NULL. */
CTI_FN const char *cti_world_other_option(const ct_world_desc *a, const ct_world_desc *b);
/* cti_wind_open -- lists the bodies in air for a step, and asks for its velocities. CT_ERR_ARGUMENT (the field's numbers), CT_ERR_MEMORY. */
CTI_FN ct_code cti_wind_open(ct_world *w);
/* cti_sleep_wake -- wakes the island of a slot's body; -1: all. cti_sleep_wake_near -- and all that the body, where it is, may touch. */
CTI_FN void cti_sleep_wake(ct_world *w, int slot);
CTI_FN void cti_sleep_wake_near(ct_world *w, int slot);
/* cti_world_drop_joints -- removes the joints of a body that is being removed. cti_world_resolve_joints -- builds state.joints and the
   surface's list of bodies that do not collide; 0: out of memory. */
CTI_FN void cti_world_drop_joints(ct_world *w, int slot);
CTI_FN int cti_world_resolve_joints(ct_world *w);
/* cti_joints_find -- a joint by its id; NULL: *out_code is set. cti_joints_forget -- makes the energy of the bodies of a joint unknown
   (linkage.h), since others hold them from now on. cti_world_renew_joints -- the prepared data get what drives.c has set. */
CTI_FN cti_world_joint *cti_joints_find(ct_world *w, ct_joint_id id, ct_code *out_code);
/* cti_joints_key -- key of the joint in slot i. */
CTI_FN uint64_t cti_joints_key(const cti_world_joint *q, int i);
CTI_FN void cti_joints_forget(ct_world *w, const cti_world_joint *q);
CTI_FN void cti_world_renew_joints(ct_world *w);
/* cti_drive_is_valid, cti_strength_is_valid -- 1 if a joint may have these limits and this motor; the force and torque [2] at which it breaks. */
CTI_FN int cti_drive_is_valid(const cti_joint *j, const cti_drive *q);
CTI_FN int cti_strength_is_valid(const ct_real *strength);
/* cti_world_tell_breaks -- finds the joints that the step breaks; 0: out of memory. cti_world_break -- after the step, these act no longer. */
CTI_FN int cti_world_tell_breaks(ct_world *w);
CTI_FN void cti_world_break(ct_world *w);
/* cti_world_surface_body -- number of a slot's body among the surface's bodies; -1: none. cti_world_show -- the surface learns what calls set of
   its body `at`; below 0: nothing. */
CTI_FN int cti_world_surface_body(const ct_world *w, int slot);
CTI_FN void cti_world_show(ct_world *w, int at);
/* cti_bodies_* -- the stages of adding a body, in this order; failures are recorded in the world. */
CTI_FN ct_code cti_bodies_open(ct_world *w, const uint32_t *cookie, const char *text); /* cookie NULL: there is no description */
/* cti_bodies_named -- the code of adding a body; the text of an error begins with the name that the body was to have. */
CTI_FN ct_code cti_bodies_named(ct_world *w, ct_code code, const uint32_t *cookie, const char *name);
CTI_FN ct_code cti_bodies_check_mesh(ct_world *w, const ct_mesh *m);
/* cti_bodies_check_repeats -- refuses an element (per 4: a tet, 3: a triangle) with the same vertices as one before it. */
CTI_FN ct_code cti_bodies_check_repeats(ct_world *w, const char *name, const int32_t *elements, int n, int per);
/* cti_bodies_check_velocities -- finite and moderate; both may be NULL. */
CTI_FN ct_code cti_bodies_check_velocities(ct_world *w, ct_body_id body, const ct_real *v, const ct_real *omega);
CTI_FN ct_code cti_bodies_check_scalars(ct_world *w, ct_real friction, ct_real thickness, const ct_real *v, const ct_real *omega);
/* cti_bodies_place -- the placement that a description gives its mesh. */
CTI_FN ct_code cti_bodies_place(ct_world *w, const char *name, const ct_real *position, const ct_real *rotation, cti_place *out);
/* CTI_BODIES_DEFAULT -- what the descriptions of bodies have in common at first: no friction and thickness of their own, no turn. */
#define CTI_BODIES_DEFAULT(d) \
    (memset(&(d), 0, sizeof(d)), (d).cookie = CTI_COOKIE, (d).friction = (d).thickness = -1, (d).rotation[0] = 1)
/* cti_bodies_common -- what the descriptions of bodies share that nothing else moves; CTI_BODIES_COMMON takes it from one. */
typedef struct cti_bodies_common {
    const char *name;
    const ct_mesh *mesh;
    ct_real friction, thickness;
    const ct_real *velocity, *angular_velocity, *position, *rotation;
} cti_bodies_common;
#define CTI_BODIES_COMMON(c, d)                                                                                                            \
    ((c).name = (d)->name, (c).mesh = (d)->mesh, (c).friction = (d)->friction, (c).thickness = (d)->thickness, (c).velocity = (d)->velocity, \
     (c).angular_velocity = (d)->angular_velocity, (c).position = (d)->position, (c).rotation = (d)->rotation)
/* cti_bodies_admit -- checks that the stepper has such bodies, then the mesh and the scalars; *out: the placement. */
CTI_FN ct_code cti_bodies_admit(ct_world *w, cti_feature what, const cti_bodies_common *c, cti_place *out);
/* cti_bodies_is_moderate -- 1 if the fourth power of a speed does not overflow: below 1e77 in double, 4e9 in float. */
CTI_FN int cti_bodies_is_moderate(const ct_real *v);
CTI_FN ct_code cti_bodies_check_motion(ct_world *w, ct_body_id body, const ct_motion *m);
CTI_FN ct_code cti_bodies_check_path(ct_world *w, ct_body_id body, const ct_motion_segment *path, int n);
/* cti_bodies_begin -- a body with n_blocks unknowns, which come after those of all others. */
CTI_FN void cti_bodies_begin(ct_world *w, cti_body *b, cti_body_kind kind, const char *name, ct_real friction, ct_real thickness, int n_blocks);
/* cti_bodies_copy -- copies positions, placed (place NULL: unchanged). cti_bodies_move -- places n points [3 n] of a body in place. */
CTI_FN ct_code cti_bodies_copy(ct_world *w, cti_body *b, const ct_mesh *mesh, const cti_place *place);
CTI_FN ct_code cti_bodies_move(ct_world *w, const cti_body *b, const cti_place *place, ct_real *points, int n);
CTI_FN ct_code cti_bodies_copy_list(ct_world *w, int32_t **out, const int32_t *list, int n);
CTI_FN ct_code cti_bodies_surface(ct_world *w, cti_body *b, int all_vertices);
/* cti_bodies_shell -- copies triangles and segments and builds their surface; a mesh without any is one of loose vertices. */
CTI_FN ct_code cti_bodies_shell(ct_world *w, cti_body *b, const ct_mesh *mesh);
/* cti_bodies_check_extent -- refuses a point, of n [3 n], whose coordinate is too far out for the body's thickness. */
CTI_FN ct_code cti_bodies_check_extent(ct_world *w, const cti_body *b, const ct_real *points, int n);
CTI_FN ct_code cti_bodies_join(ct_world *w, cti_body *b, ct_code code, const ct_real *v, const ct_real *omega, ct_body_id *out);
/* cti_world_print -- cti_body.print of a body whose blocks are in the state. */
CTI_FN uint64_t cti_world_print(const ct_world *w, const cti_body *b);
/* cti_world_public_pair -- converts surface features to features of bodies. */
CTI_FN void cti_world_public_pair(const ct_world *w, const cti_pair *p, ct_pair *out);

#define CTI_WORLD_AIR CTI_R(1e6) /* [1] coefficients and [kg/m^3] density of air, at most: so that products of them are finite in float */
#define CTI_COOKIE 0x63740001u
#define CTI_WORLD_ULPS 64 /* [ulp of a coordinate] smallest allowed thickness; CTI_EPS x >= ulp(x) */
