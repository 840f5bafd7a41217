/* mixing.h -- Anderson acceleration of a fixed-point map in double, with an optional dependent vector that is an affine function of the
   point. A point whose error grew is rejected. [Walker and Ni 2011] */
#pragma once

#include "../3_solve/anderson.h"
#include "program.h"

typedef struct cti_mixing {
    int m, count, head, started;
    int depth;                                            /* differences that are kept, at most CTI_MIXING_DEPTH; 0: the map is not accelerated */
    int takes_all;                                        /* 1: a point whose error grew is accepted, too */
    double share;                                         /* part of the errors that the next point contains; below 1 with weight NULL alone */
    const double *weight;                                 /* [m] weights of the errors; NULL: 1 */
    double *safe, *safe_u, *e, *last_e;                   /* [m] the last image and its dependent vector; weighted errors */
    double *dg[CTI_MIXING_DEPTH], *de[CTI_MIXING_DEPTH], *du[CTI_MIXING_DEPTH]; /* [m] */
    double gram[CTI_MIXING_DEPTH][CTI_MIXING_DEPTH];
    double last_size;
} cti_mixing;

/* cti_mixing_open -- weight [m] (or NULL) stays the caller's; slave 1: there is a dependent vector. takes_all is 0, share 1. Scratch from the
   arena. 0 when memory ran out. */
CTI_FN int cti_mixing_open(cti_mixing *s, cti_arena *arena, int m, int depth, const double *weight, int slave);
/* cti_mixing_restart -- forgets all differences. */
CTI_FN void cti_mixing_restart(cti_mixing *s);
/* cti_mixing_step -- x [m]: the point; g [m]: its image; u [m]: the image's dependent vector (NULL: none). g and u become the next point
   and its vector. */
CTI_FN void cti_mixing_step(cti_mixing *s, const double *x, double *g, double *u);
