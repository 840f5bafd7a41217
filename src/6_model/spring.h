/* spring.h -- mass-spring cloth in batches of eight springs. */
#pragma once

#include "element.h"
#include "material.h"
#include "tet.h" /* CTI_HESSIAN_* */

enum { CTI_SPRING_REST = 3 };

/* cti_spring_batch -- zero it before first use. */
typedef struct cti_spring_batch {
    int n;       /* springs */
    int hessian; /* CTI_HESSIAN_EXACT keeps the transverse part of compressed springs in K, the others drop it */
    ct_real damping_stiffness;
    ct_real limit;        /* largest relative elongation; 0: none */
    ct_real step, share;  /* set by the caller before a step: the step's length [s], 0: no limit acts; the part of the limit's force that
                             the step applies */
    const ct_real *ahead; /* velocities by global node number, to evaluate springs at the step's end; NULL: at its start */
    int32_t *node;        /* [2 x 8 batches] */
    int32_t *slot;        /* [4 n] */
    ct_real *rest;        /* [batches][3][8]: rate k [N/m], rest length [m], stiffness of the limit [N/m] */
} cti_spring_batch;

/* cti_spring_list -- the springs of triangles [3 n]. `stretch`: along every edge; `shear`: between the two nodes opposite to an inner edge;
   `bend`: over two edges that continue each other at a node within 30 degrees (each the other's best continuation). A kind of rate 0 is
   left out. *out_ends [2 m] local numbers, *out_rates [m]: stb_ds arrays. 0: out of memory. */
CTI_FN int cti_spring_list(cti_mem *mem, const ct_material *m, const cti_rest_mesh *rest, int32_t **out_ends, ct_real **out_rates);
/* As for tets (tet.h); elements: ends [2 n]; rates [n] N/m. -1: a spring has length zero: its number and its length. */
CTI_FN int cti_spring_batch_init(cti_mem *mem, cti_spring_batch *t, const ct_material *m, const cti_rest_mesh *rest, const ct_real *rates,
                                 int64_t *out_bad, double *out_value);
/* cti_spring_batch_limit -- gives the springs the material's strain_limit; node_mass [nodes] by global number; tension: what a sheet at rest carries
   [N/m], with which its springs are at the limit at most. */
CTI_FN void cti_spring_batch_limit(cti_spring_batch *t, const ct_material *m, const ct_real *node_mass, ct_real tension);
CTI_FN void cti_spring_batch_assemble(const cti_spring_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                      double *out_energy);
/* out [3 nodes] += D(x) v, D = damping_stiffness k n n'; k includes the stiffness of the limit */
CTI_FN void cti_spring_batch_damping(const cti_spring_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out);
