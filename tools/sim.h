/* sim.h -- a world made from a scene, and the command line's data about its bodies. */
#ifndef SIM_H
#define SIM_H

#include "scene.h"

typedef struct sim_body {
    ct_body_id id;
    char *name;
    const char *path; /* the scene's, "bodies[3]": of all copies of a body */
    scene_type type;
    int is_plane;
    int is_embedded; /* 1: a soft body whose vertices are no nodes */
    double normal[3], offset, plane_size;
    int n_vertices, n_triangles, n_segments;
    double force[3];    /* [N] in every step */
    double radius;      /* [m] of segments and points in pictures */
    double *positions;  /* [3 n_vertices], of the last sim_refresh; planes: a square's corners */
    int32_t *triangles; /* [3 n_triangles] */
    int32_t *segments;  /* [2 n_segments] */
    double *velocities; /* [3 n_vertices] of stored frames; NULL: they are in the world */
} sim_body;

enum { SIM_WARNINGS = 16 };

typedef struct sim {
    ct_world *world;
    sim_body *bodies;
    int n_bodies;
    double n_nodes, n_tets; /* of deformable bodies */
    int is_slippery;        /* 1: friction has ended */
    struct {
        char kind[160]; /* what is said of all bodies alike */
        int more;       /* of them that were not printed */
    } warnings[SIM_WARNINGS];
    int n_warnings;
} sim;

typedef struct sim_options {
    const char *stepper, *solver; /* NULL: the scene's */
    int threads;
    int paper; /* 1: steps and solves of Otaduy 2009 as printed, CT_TERMINATION_PAPER */
} sim_options;

/* sim_create -- 1, or 0 after a message that names the scene, the body and what is wrong. */
int sim_create(const scene *s, const sim_options *options, sim *out);
void sim_free(sim *m);
/* sim_compare_names -- of qsort, for an array of names: runs of digits compare as numbers. */
int sim_compare_names(const void *a, const void *b);
/* sim_root -- the root of i among parents; the paths to it get shorter. */
int sim_root(int *parent, int i);
/* sim_refresh -- copies all positions out of the world. */
void sim_refresh(sim *m);
/* sim_change -- what the scene does before the step that begins at time t: forces, friction that ends. 0: after a message. */
int sim_change(sim *m, const scene *s, double t);
/* sim_find -- index of a body by id, -1. */
int sim_find(const sim *m, ct_body_id id);

#endif /* SIM_H */
