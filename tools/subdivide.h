/* subdivide.h -- a finer surface for pictures of cloth: Loop subdivision that stays near the original surface. */
#ifndef SUBDIVIDE_H
#define SUBDIVIDE_H

#include <stdint.h>

typedef struct subdivision {
    int n_vertices, n_triangles;
    double *positions;  /* [3 n_vertices] of the constrained surface; the first ones belong to the vertices that were given */
    double *smooth;     /* [3 n_vertices] of the free one, for normals */
    int32_t *triangles; /* [3 n_triangles] */
    uint8_t *edges;     /* [n_triangles] mask of the edges (0-1, 1-2, 2-0) that lie on edges of the given surface */
} subdivision;

/* subdivide -- levels >= 0 steps: 4^levels times as many triangles. No point of the result is as far as reach [m] > 0 from its place on the given
   surface, nor as far as a sixteenth of the shortest edge there. subdivide_free frees the result. */
void subdivide(const double *positions, int n_vertices, const int32_t *triangles, int n_triangles, int levels, double reach,
               subdivision *out);
void subdivide_free(subdivision *s);

#endif /* SUBDIVIDE_H */
