/* model.h -- the elasticity of one body: all its element batches behind one set of calls. */
#pragma once

#include "../2_linalg/bsr.h"
#include "bend.h"
#include "membrane.h"
#include "plate.h"
#include "rod.h"
#include "spring.h"
#include "tet.h"

/* cti_model -- zero it before first use. Batches that a body does not have are empty. */
typedef struct cti_model {
    cti_tet_batch tets;
    cti_membrane_batch membrane; /* every cloth has one: its areas also give the mass */
    cti_bend_batch bend;     /* bending: the edges whose angles are not coupled */
    cti_plate_batch plates;  /* bending: forces of the triangles whose three angles are coupled */
    cti_bend_batch bounds;   /* stiffness of these: hinges that bound it from above */
    cti_spring_batch springs; /* of cloth, and a rod's stretch */
    cti_rod_batch rods;
    ct_real slow;            /* [1] h times the rate at rest of damping that acts for h seconds in one kick, see cti_model_damping; 0: none */
    ct_real *lumps;          /* [nodes] masses [kg] of rods and points, which no element gives, from node lump0 on */
    int lump0;
    cti_bsr pattern;         /* of the body's blocks, counted from its first one; it has no values */
    int slot0;               /* first slot of the body's rows in the matrix that the slots of elements are of */
} cti_model;

/* cti_model_init_soft, _cloth, _rod -- elements: tets [4 n], triangles [3 n]; the rod's are in its description. 1; 0 out of memory; -1 an element
   is unusable: *out_bad its number, *out_value its volume, area or length. After 0 or -1 the caller calls cti_model_free. */
CTI_FN int cti_model_init_soft(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                               double *out_value);
CTI_FN int cti_model_init_cloth(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                                double *out_value);
CTI_FN int cti_model_init_rod(cti_mem *mem, cti_model *model, const cti_rod_desc *d, int node_offset, int64_t *out_bad, double *out_value);
/* cti_model_init_points -- nodes that nothing joins; masses [n] kg. 0: out of memory. */
CTI_FN int cti_model_init_points(cti_mem *mem, cti_model *model, const ct_real *masses, int n, int node_offset);
CTI_FN void cti_model_free(cti_mem *mem, cti_model *model);
/* cti_model_range -- the smallest and the largest of the body's node numbers; *out_last -1: it has none. */
CTI_FN void cti_model_range(const cti_model *model, int32_t *out_first, int32_t *out_last);
/* cti_model_ahead -- prepares strain limits for the next assembly: it belongs to a step of this length that starts with velocities v [3
   nodes of the world]; limits are evaluated at the step's end, or at its start if v is NULL. share: part of their force that the step
   applies (1; 1/2 for Newmark). step 0: no limit acts. A limit's energy and stiffness are the same for all other steps. */
CTI_FN void cti_model_ahead(cti_model *model, ct_real step, ct_real share, const ct_real *v);
/* cti_model_shift -- adds `by` to all node numbers, after bodies before this one were removed or added. */
CTI_FN void cti_model_shift(cti_model *model, int by);
/* cti_model_pairs -- appends block pairs for the pattern; 0: out of memory. cti_model_slots -- 1, 0, or -1: a block is missing. */
CTI_FN int cti_model_pairs(cti_model *model, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_model_slots(cti_mem *mem, cti_model *model, cti_slot_fn *slot, const void *ctx);
/* cti_model_pattern -- the pattern of a body's n blocks, the first of which is block0, and the slots of its elements in it. It is made once: later
   calls do nothing. 0: out of memory. cti_model_place -- the rows of the body begin at slot0 of the matrix. */
CTI_FN int cti_model_pattern(cti_mem *mem, cti_model *model, int block0, int n);
CTI_FN void cti_model_place(cti_model *model, int slot0);
/* cti_model_mass -- mass [nodes] += lumped masses [kg]. */
CTI_FN void cti_model_mass(const cti_model *model, ct_real *mass);
/* cti_model_assemble -- as cti_tet_batch_assemble, over all batches. */
CTI_FN void cti_model_assemble(const cti_model *model, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                               double *out_energy);
/* cti_model_damping -- out [3 nodes of the world] += D(x) v over all batches: minus the force [N] of stiffness damping at positions x and
   velocities v. v' D v is its power [W]. D (w x x) = 0 for every w, and A contains dt^2 K + dt D. model->slow > 0: D of each element over
   1 + slow q, q a bound on its stretch: of the largest square of F, of a hinge |grad theta|^2, of a spring 1. Rods have none. */
CTI_FN void cti_model_damping(const cti_model *model, const ct_real *x, const ct_real *v, ct_real *out);
/* cti_model_modulus -- the scale of the elastic energy [J], that of a strain of one: the sum of volume times 2 mu + lambda, area times
   membrane stiffness, spring rate times squared length. The energy's rounding error is relative to this. */
CTI_FN double cti_model_modulus(const cti_model *model);
CTI_FN double cti_model_energy(const cti_model *model, const ct_real *x);
