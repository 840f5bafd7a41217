/* membrane.h -- the in-plane elasticity of cloth: plane-stress St.Venant-Kirchhoff triangles in batches of eight. */
#pragma once

#include "element.h"
#include "material.h"
#include "tet.h" /* CTI_HESSIAN_* */

enum { CTI_MEMBRANE_REST = 5 };

/* cti_membrane_batch -- zero it before first use. */
typedef struct cti_membrane_batch {
    int n;                                                    /* triangles */
    int hessian;                                              /* CTI_HESSIAN_EXACT keeps the compressive part of the stress in K, the others
                                                                 drop it */
    ct_real stiff, poisson, areal_density, damping_stiffness; /* stiff = E t / (1 - nu^2) [N/m] */
    int32_t *node;                                            /* [3 x 8 batches] */
    int32_t *slot;                                            /* [9 n] */
    ct_real *rest; /* [batches][5][8]: gradients of the shape functions 1, 2 in the triangle's plane [1/m], area [m^2] */
} cti_membrane_batch;

/* As for tets (tet.h); -1: a triangle has no area: its number and its area. */
CTI_FN int cti_membrane_batch_init(cti_mem *mem, cti_membrane_batch *t, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                                   double *out_value);
/* areal_density times a third of each triangle */
CTI_FN void cti_membrane_batch_mass(const cti_membrane_batch *t, ct_real *mass);
CTI_FN void cti_membrane_batch_assemble(const cti_membrane_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                        double *out_energy);
/* the Cauchy stress F S F' / (thickness |f1 x f2|) [Pa] as for tets: plane stress, of a sheet that keeps its thickness */
CTI_FN void cti_membrane_batch_stress(const cti_membrane_batch *t, const ct_real *x, ct_real thickness, ct_real *out);
/* out [3 nodes] += D(x) v as for tets; D is damping_stiffness times K without its stress term */
CTI_FN void cti_membrane_batch_damping(const cti_membrane_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out);
