/* look.h -- what a picture of a run shows: camera, ground, and triangles with normals and colours. The software renderer and the viewer draw them. */
#ifndef LOOK_H
#define LOOK_H

#include "sim.h"

typedef enum look_colour { LOOK_BODY, LOOK_VELOCITY, LOOK_STRESS, LOOK_IMPULSE, LOOK_ISLAND, LOOK_COLOUR_COUNT } look_colour;
extern const char *const look_colour_names[LOOK_COLOUR_COUNT];
extern const char *const look_units[LOOK_COLOUR_COUNT]; /* of its values, "m/s"; "" where it has none */

typedef struct look_camera {
    double eye[3], target[3], fov; /* [degrees], vertical */
} look_camera;

typedef struct look_corner {
    float position[3], normal[3];
    float colour[4]; /* linear red, green, blue; 1: the back is paler */
} look_corner;

typedef struct look {
    look_colour colour;
    double range;           /* the value at the end of the scale of colours, the largest one so far where the caller gave none */
    int has_range;          /* the caller gave it */
    int n_measured;         /* bodies that have this value */
    int has_camera;         /* the scene has one */
    int levels;             /* of subdivision of cloth */
    look_camera camera;     /* the scene's */
    double floor;           /* height of a ground that is no body, -HUGE_VAL: there is none */
    double reach;           /* bound on the displacement by subdivision */
    double lo[3], hi[3];    /* of what moves, at the start */
    double center[3], radius; /* of what moves now */
    double tile;            /* length of a tile of the ground, as at first */
    int has_ground;
    double ground;        /* height of the highest horizontal plane below the eye */
    look_corner *corners; /* [3 n_triangles] */
    uint8_t *edges;       /* [n_triangles] mask of the edges (0-1, 1-2, 2-0) that belong to the mesh */
    int n_triangles, n_solid, room; /* n_solid: the first ones, which cast a shadow; those of planes follow */
} look;

/* look_sun -- towards the sun, not of unit length. */
extern const double look_sun[3];

/* look_find_colour -- the number of a name, or -1 after a message that begins with `option`. */
int look_find_colour(const char *option, const char *name);
/* look_init -- s may be NULL: no scene belongs to the bodies. range 0: the largest value so far. look_free frees the triangles. */
void look_init(look *l, const scene *s, const sim *start, look_colour colour, double range);
void look_free(look *l);
/* look_view -- finds centre and radius, once the tile, and the camera: the scene's, or one that sees everything that moves, in a film also where it
   was at the start. */
void look_view(look *l, const sim *m, int is_film, look_camera *out);
/* look_build -- the triangles and the ground that an eye sees. */
void look_build(look *l, const sim *m, const double eye[3]);
/* look_scale -- linear colour of a value from 0 to 1. */
void look_scale(double value, float out[3]);

#endif /* LOOK_H */
