/* run.h -- a random world while it is made (world.c) and run (run.c). */
#ifndef TEST_SOAK_RUN_H
#define TEST_SOAK_RUN_H

#include "soak.h"

typedef struct soak_joint {
    ct_joint_id id;
    ct_body_id a, b;
    int alive, apart; /* 1: the two bodies do not collide */
} soak_joint;

/* two bodies that touch, or a sensor and what it sees */
typedef struct soak_pair {
    ct_body_id a, b;
} soak_pair;
enum { SOAK_PAIRS = SOAK_BODIES * (SOAK_BODIES + 1) };

typedef struct soak_run {
    uint64_t seed;
    const soak_options *options;
    soak_result *out;
    ct_world *world;
    ct_world_desc desc;
    double size, dt, thickness, young, origin[3];
    double least; /* [m] smallest thickness that the library takes at the world's extent */
    double apart; /* [m] more room than the soak leaves between bodies, and above planes */
    int tangled; /* bodies are placed anywhere */
    int meet;    /* EXPLICIT: bodies of like stiffness fly to the middle. In a step sound crosses 0.2 to 2.5 bodies */
    double to[3]; /* direction to the middle, of the body that is added */
    int scripts; /* something is scripted and moves: room may end */
    soak_item items[SOAK_BODIES];
    int n_items;
    soak_joint joints[16];
    int n_joints;
    double explained; /* [J] energy that is there for a reason */
    int live;         /* 1: the calls of live.c come between steps */
    soak_pair touching[SOAK_PAIRS], sensed[SOAK_PAIRS]; /* after the last step */
    int n_touching, n_sensed, unsure;                   /* unsure: what sensors see was not to be told */
    int failed;
    int same;         /* 1: what a world is made of stays as it is */
} soak_run;

typedef struct soak_mesh {
    ct_mesh mesh;
    int own; /* 1: arrays of malloc */
} soak_mesh;

void soak_mesh_free(soak_mesh *m);
void soak_make_desc(soak_run *u, soak_rng *r);
void soak_make_meeting(soak_run *u, soak_rng *r);
void soak_add(soak_run *u, int number);
void soak_velocity(soak_run *u, soak_rng *r, ct_real out[3]);
void soak_spin(soak_run *u, soak_rng *r, ct_real out[3]);
/* soak_item_join -- fills what the tests know of a body that has just been added. */
void soak_item_join(soak_run *u, soak_item *q, const ct_mesh *m);
/* soak_fail -- the first failure counts. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void soak_fail(soak_run *u, soak_verdict v, const char *text, ...);

/* ---- split.c: surfaces whose elements are split ---- */
/* soak_split_mesh -- takes over the mesh of a soft body that has changed: points, triangles, tets, and room for positions and marks. 0: it has not.
   soak_split_positions -- those of the points that the interface does not show. */
int soak_split_mesh(const soak_run *u, soak_item *q);
void soak_split_positions(const soak_run *u, soak_item *q);
/* soak_split_edge -- mean edge of the soft bodies' surfaces at rest, or 0. */
double soak_split_edge(const soak_run *u);

/* ---- ask.c: queries after a step ---- */
void soak_ask(soak_run *u, int step);

/* ---- between.c: what happens between steps ---- */
void soak_between(soak_run *u, int step);

/* ---- live.c: calls of games between steps ---- */
/* soak_meet -- 1 where two bodies meet, or one itself. soak_may_meet -- ct_world_desc.may_meet. */
int soak_meet(const soak_run *u, const soak_item *a, const soak_item *b);
int soak_may_meet(ct_body_id a, ct_body_id b, void *user);
void soak_live(soak_run *u, int step);
/* soak_observe -- the events of the last step are those of its contacts and overlaps. overlap: 1, 0, -1: not to be told. */
void soak_observe(soak_run *u, int (*overlap)(const soak_run *u, const soak_item *sensor, const soak_item *other));

#endif /* TEST_SOAK_RUN_H */
