/* import.h -- a text scene of IPC as plain data, as its lines say it; import_text.c reads it, cmd_import.c writes a scene of it. */
#ifndef IMPORT_H
#define IMPORT_H

#include "../src/public/api.h"
#include <stdio.h>

enum { IMPORT_TEXT = 1024, IMPORT_MOST = 100000, IMPORT_ABOVE = 12 };

typedef struct import_mesh {
    char *file;
    ct_mesh mesh;
} import_mesh;

/* vertices in a box of the mesh (shares of the box around it), which follow a motion */
typedef struct import_fix {
    double box[6], linear[3], angular[3], from, until; /* angles in degrees; until < 0: for ever */
    int line, shape;
} import_fix;

typedef struct import_shape {
    int mesh, line;
    int obstacle;                           /* of meshCO: neither scaled nor shifted with the others */
    double translate[3], rotate[3], scale[3]; /* rotations about z, then y, then x, in degrees */
    double density, young, poisson;         /* density 0: the scene's */
    double linear[3], angular[3], start[6]; /* scripted; initial velocity and spin */
    int scripted, started;
    double friction; /* of an obstacle */
    char *sequence;  /* folder of keyframes; NULL: none */
} import_shape;

typedef struct import_plane {
    double normal[3], offset, friction;
} import_plane;

typedef struct import_scene {
    const char *file;
    FILE *f;
    int line, failed;
    char buffer[8 * IMPORT_TEXT], *at; /* the line, and what of it is not read yet */
    char *ignored;                     /* keywords of drawing and of IPC's solver, with their lines */
    import_mesh *mesh;
    import_shape *shape;
    import_fix *fix;
    import_plane *plane;
    int n_meshes, n_shapes, n_fixes, n_planes;
    const char *model, *integrator;
    double size, duration, dt, density, young, poisson, friction, dhat, epsv, tolerance, fix_until;
    int absolute, gravity, collides, lags, falls, solver; /* solver: what sections are read of: 0 interior point, 1 SQP, 2 QP */
    double zoom, shift[3], diagonal; /* x of the scene = zoom x + shift */
} import_scene;

/* import_text -- reads the whole file and its meshes; 0 after a message with the line. What has no counterpart is named on stderr. */
int import_text(import_scene *s);
/* import_left -- a warning, with the line that is being read. */
void import_left(import_scene *s, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* import_place -- where a vertex of a shape's mesh is. */
void import_place(const import_scene *s, const import_shape *p, const ct_real *x, double out[3]);
/* import_range -- the box around the vertices of a mesh as its file has them. import_box -- the box around those of a shape where they are, or of
   those that are chosen [n], joined with the box that is there. import_around -- that around all shapes but obstacles; returns its diagonal. */
void import_range(const ct_mesh *m, double low[3], double high[3]);
void import_box(const import_scene *s, const import_shape *p, const int *chosen, int n, double low[3], double high[3]);
double import_around(const import_scene *s, double low[3], double high[3]);

#endif /* IMPORT_H */
