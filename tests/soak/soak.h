/* soak.h -- random worlds: what the generator (world.c), the independent intersection test (exact.c) and the driver (soak.c) share. */
#ifndef TEST_SOAK_H
#define TEST_SOAK_H

#include "../../src/public/api.h"
#include <stddef.h>
#include <stdint.h>

enum { SOAK_BODIES = 24, SOAK_BLOCKS = 300, SOAK_TEXT = 480 };

/* ---- random numbers: a stream of its own for every body and every step, so that leaving one out changes no other ---- */
typedef struct soak_rng {
    uint64_t s;
} soak_rng;

soak_rng soak_stream(uint64_t seed, uint64_t which);
double soak_uniform(soak_rng *r, double lo, double hi);
double soak_decades(soak_rng *r, double lo, double hi); /* 10 to a uniform power */
int soak_below(soak_rng *r, int n);                     /* 0 .. n - 1 */
int soak_chance(soak_rng *r, double p);

/* ---- exact.c: points in, answers out; shares no code with the library ---- */
/* soak_edge_meets_triangle -- 1 when the closed edge and the closed triangle have a point in common, exact. */
int soak_edge_meets_triangle(const double *p, const double *q, const double *a, const double *b, const double *c);
/* soak_winding -- times that a closed surface goes around p, to rounding. */
double soak_winding(const double *x, const int32_t *triangles, int n, const double *p);
/* soak_distance -- from p to the nearest of n triangles, to rounding. */
double soak_distance(const double *x, const int32_t *triangles, int n, const double *p);
/* soak_edges_distance -- between the edges ab and cd, to rounding. */
double soak_edges_distance(const double *a, const double *b, const double *c, const double *d);

/* ---- a world in progress ---- */
typedef struct soak_item {
    ct_body_id id;
    int alive, number; /* number: of the generator's stream */
    char kind;         /* s soft, c cloth, l rod, g points, r rigid, t static, k kinematic, p plane */
    int deformable, dynamic, closed;
    int n, points;              /* vertices; the same with nodes that are added where elements are split */
    int32_t *triangles, *edges; /* [3 nt], [2 ne]: each edge once, loose ones too */
    int nt, ne;
    int32_t *tets; /* [4 n_tets] of a soft body whose surface is their boundary */
    int n_tets;
    uint8_t *used;            /* [points] 1: of the surface */
    double *x;                /* [3 points] now */
    double normal[3], offset; /* plane */
    ct_filter filter; /* as it was set; the other ones, too */
    int sensor, itself; /* itself: it collides with itself, -1: as the world says */
    int slept;        /* it slept before the step */
    uint64_t rest;    /* a hash of where it slept */
} soak_item;

/* what a world did, as it is sent to the driver: no pointers */
typedef enum soak_verdict {
    SOAK_FINE,
    SOAK_NAN,       /* a position, velocity, contact or report that is not finite */
    SOAK_CROSSING,  /* an intersection that nobody reported */
    SOAK_DISAGREES, /* ct_world_validate and the independent test see different pairs */
    SOAK_WORK,      /* a step that took more than its bound */
    SOAK_CODE,      /* an error code that was not to be expected, or misuse that was accepted or left a trace */
    SOAK_DEPTH,     /* CT_STEPPER_DCD: a depth that was not reported */
    SOAK_BITS,      /* a second run with other bits */
    SOAK_EVENTS,    /* events that an observer does not see, or the other way round; a sleeper that moves */
    SOAK_CRASH,     /* set by the driver: the process died */
    SOAK_HANG,      /* set by the driver: the process was stopped */
    SOAK_VERDICTS
} soak_verdict;

typedef struct soak_result {
    soak_verdict verdict;
    int steps, step; /* steps done; the step that the verdict is about */
    int blocks, bodies, joints;
    int refused, misuse;     /* bodies that were refused; calls of misuse, each refused with its culprit */
    int cut;                 /* the world was ended early, its time was over */
    int tangled_start, left; /* world began with intersections; it left the extent that its thickness allows */
    int stopped;             /* BARRIER: the world intersected when a step began, which the stepper refuses */
    int unstable;            /* EXPLICIT: the fixed length of its steps is above their bound, which the stepper refuses */
    int status[CT_STATUS_COUNT_];
    int touching;          /* steps with contacts */
    int live, events, overlaps, slept; /* calls between steps; events; those of sensors; steps of bodies that sleep */
    int split;             /* EXPLICIT: bodies whose elements a step has split, counted anew in each step that splits some */
    int crossing_reported; /* steps that ended with new intersections that the report names */
    int zones, frozen, substeps;
    double cpu, worst_cpu; /* [s] of steps */
    double worst_share;    /* of its bound */
    double energy_ratio;   /* largest energy over the largest explained */
    int energy_step;
    uint64_t hash;
    char text[SOAK_TEXT];
    char what[160]; /* the world in a line */
} soak_result;

/* soak_set -- which worlds the generator makes. MIXED: soft bodies, cloth, rigid bodies and joints under the steppers CMR and DCD; RODS: rods and
   points among them, under CMR; BARRIER, PENALTY: bodies of all kinds under these steppers; LAYERS, GEOMETRIC: soft bodies and cloth under these;
   EXPLICIT: soft, rigid, scripted and static ones under the explicit stepper. */
typedef enum soak_set {
    SOAK_MIXED,
    SOAK_RODS,
    SOAK_BARRIER,
    SOAK_PENALTY,
    SOAK_LAYERS,
    SOAK_EXPLICIT,
    SOAK_GEOMETRIC,
    SOAK_SETS
} soak_set;

typedef struct soak_options {
    uint64_t seed;
    soak_set set;
    int verbose;
    int max_steps; /* 0: as the seed says */
    uint32_t drop; /* mask of bodies that are left out */
    int calm;      /* 1: nothing happens between steps */
    int once;      /* 1: no second run */
    int across;    /* 1: a snapshot goes on in another process */
    const char *load; /* then the file that this other process goes on from, for max_steps; NULL: it is the first one */
    int quiet;     /* 1: nobody asks the world or draws it, as in the second run: that has to have the same bits */
} soak_options;

/* soak_world -- makes and runs the world of a seed. */
void soak_world(const soak_options *options, soak_result *out);
/* soak_across_file -- the file that this process writes. */
void soak_across_file(const soak_options *options, char *out, size_t size);
const char *soak_verdict_text(soak_verdict v);
const char *soak_set_text(soak_set set);

#endif /* TEST_SOAK_H */
