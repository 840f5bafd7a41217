/* mixing.h -- Anderson acceleration of a fixed-point map in double, with an optional dependent vector that is an affine function of the
   point. A point whose error grew is rejected. [Walker and Ni 2011] */
#ifndef CTI_MIXING_H
#define CTI_MIXING_H

#include "../0_base/arena.h"
#include "../1_math/real.h"

enum { CTI_MIXING_DEPTH = 6 };

typedef struct cti_mixing {
    int m, count, head, started;
    const double *weight;                                 /* [m] weights of the errors */
    double *safe, *safe_u, *e, *last_e;                   /* [m] the last image and its dependent vector; weighted errors */
    double *dg[CTI_MIXING_DEPTH], *de[CTI_MIXING_DEPTH], *du[CTI_MIXING_DEPTH]; /* [m] */
    double gram[CTI_MIXING_DEPTH][CTI_MIXING_DEPTH];
    double last_size;
} cti_mixing;

/* cti_mixing_open -- weight [m] stays the caller's; slave 1: there is a dependent vector. Scratch from the arena. 0 when memory ran out. */
CTI_FN int cti_mixing_open(cti_mixing *s, cti_arena *arena, int m, const double *weight, int slave);
/* cti_mixing_step -- x [m]: the point; g [m]: its image; u [m]: the image's dependent vector (NULL: none). g and u become the next point
   and its vector. */
CTI_FN void cti_mixing_step(cti_mixing *s, const double *x, double *g, double *u);

#endif /* CTI_MIXING_H */
