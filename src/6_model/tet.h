/* tet.h -- linear tetrahedra in batches of eight: elastic energy, force and stiffness of the soft models. */
#pragma once

#include "element.h"
#include "material.h"

/* Kind of stiffness. STEP: Mueller and Gross' R K0 R' for corotational, the projected Hessian for the others (always positive
   semidefinite). PROJECTED: for every model the Hessian of the energy with negative eigenvalues set to zero. EXACT: the Hessian itself. */
enum { CTI_HESSIAN_STEP, CTI_HESSIAN_PROJECTED, CTI_HESSIAN_EXACT };

enum { CTI_TET_REST = 10 };

/* cti_tet_batch -- zero it before first use. Arrays are stb_ds arrays. */
typedef struct cti_tet_batch {
    int n;       /* tets */
    int hessian; /* CTI_HESSIAN_*; the caller may change it */
    ct_model model;
    ct_real mu, lambda, density, damping_stiffness;
    int32_t *node; /* [4 x 8 batches] global numbers, by element, padded */
    int32_t *slot; /* [16 n] blocks of the matrix, row-major over (a, b) */
    ct_real *rest; /* [batches][10][8]: gradients of the shape functions 1, 2, 3 [1/m], volume [m^3] */
} cti_tet_batch;

/* cti_tet_batch_init -- elements: tets [4 n]. 1 done; 0 out of memory; -1 a tet is inverted or flat: its number and its volume. */
CTI_FN int cti_tet_batch_init(cti_mem *mem, cti_tet_batch *t, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad_tet,
                              double *out_value);
/* cti_tet_batch_material -- of the same tets, from now on. */
CTI_FN void cti_tet_batch_material(cti_tet_batch *t, const ct_material *m);
/* cti_tet_batch_fill -- scales mass, stiffness and damping of each tet e by fill[e] from now on; fill [n] > 0. */
CTI_FN void cti_tet_batch_fill(cti_tet_batch *t, const ct_real *fill);
/* cti_tet_batch_mass -- mass [nodes] += lumped mass, a quarter of each tet to each of its nodes. */
CTI_FN void cti_tet_batch_mass(const cti_tet_batch *t, ct_real *mass);
/* cti_tet_batch_assemble -- at positions x [3 nodes]:
   force  [3 nodes] += elastic force, minus the gradient of the energy;        NULL: not wanted
   val    blocks += dt^2 K + dt D, both triangles, D as for damping;           NULL: not wanted
   out_extended += tets whose log J was continued, or that StVK finds inverted;  out_energy += elastic energy [J];  either may be NULL. */
CTI_FN void cti_tet_batch_assemble(const cti_tet_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                                   double *out_energy);
/* cti_tet_batch_stress -- out [6 n]: the elastic Cauchy stress P F' / |det F| [Pa] of each tet at positions x, as xx yy zz xy yz xz. It is the force
   that acts on what is outside by the area as it now is; |det F| is at least CTI_EPS. */
CTI_FN void cti_tet_batch_stress(const cti_tet_batch *t, const ct_real *x, ct_real *out);
/* cti_tet_batch_damping -- out [3 nodes] += D(x) v, minus the damping force. D = damping_stiffness dE/dx' C dE/dx with Green's strain E and
   Lame's C. D is symmetric and positive semidefinite, and D (w x x) = 0: a rigid rotation is not damped. slow: of cti_model. */
CTI_FN void cti_tet_batch_damping(const cti_tet_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out);
/* cti_tet_batch_crushed -- number of tets whose J falls below 0.2, where their energy is continued, and by more than half, between x0 and x1. A
   linearization at x0 does not describe these at x1. Without "by more than half" a load that presses a tet there slowly divides steps for nothing;
   without the test a cube at 1000 m/s ends in impact zones (test_physics). 0 for models that need no continuation. */
CTI_FN int cti_tet_batch_crushed(const cti_tet_batch *t, const ct_real *x0, const ct_real *x1);
