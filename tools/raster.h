/* raster.h -- triangles to a buffer of depth, normal, colour and edge per sample, and to a shadow map of depths seen from the light. */
#ifndef RASTER_H
#define RASTER_H

#include "look.h"

typedef struct raster_camera {
    double eye[3], right[3], up[3], forward[3]; /* unit, orthogonal */
    double focal, cx, cy;                       /* [samples] */
    double nearest;                             /* along forward: nothing before it is drawn */
} raster_camera;

enum { RASTER_NOTHING, RASTER_SURFACE, RASTER_GROUND };

typedef struct raster {
    int w, h;
    raster_camera camera;
    float *depth;  /* [w h] along forward, large where nothing is */
    float *normal; /* [3 w h] towards the eye */
    float *colour; /* [3 w h] linear */
    uint8_t *kind; /* [w h] */
    uint8_t *edge; /* [w h] 0..255 mesh edge */
} raster;

typedef struct raster_shadow {
    int n;                                             /* n x n */
    double right[3], up[3], light[3], center[3], half; /* light points to the sun */
    float *depth;                                      /* [n n] height towards the sun, very low where nothing is */
    double taps[24][2];                                /* points of a unit disk at which the sun's visibility is sampled */
} raster_shadow;

void raster_init(raster *r, int w, int h);
void raster_free(raster *r);
void raster_clear(raster *r);
void raster_look(raster_camera *c, const look_camera *from, int w, int h);
/* raster_ray -- the way through the middle of a sample, with 1 along forward. */
void raster_ray(const raster_camera *c, double x, double y, double out[3]);
/* raster_triangle -- edges: a mask of the edges (0-1, 1-2, 2-0) that are drawn. */
void raster_triangle(raster *r, const look_corner corners[3], int edges);

void raster_shadow_init(raster_shadow *s, int n);
void raster_shadow_free(raster_shadow *s);
/* raster_shadow_aim -- light from direction `light` over a ball. */
void raster_shadow_aim(raster_shadow *s, const double light[3], const double center[3], double radius);
void raster_shadow_triangle(raster_shadow *s, const look_corner corners[3]);
/* raster_shadow_lit -- 0..1, the part of the sun seen from x, softened over `blur` texels. */
double raster_shadow_lit(const raster_shadow *s, const double x[3], const double normal[3], double blur);

#endif /* RASTER_H */
