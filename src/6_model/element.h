/* element.h -- code that all element batches share: gathering lanes from flat arrays, scatter of forces and of stiffness blocks.
   Method: element e is lane e mod 8 of batch e / 8. Node numbers are stored by element; the last batch is filled up with copies of the last
   element, whose results are never scattered. Blocks are added in element order, so that sums have one fixed order. */
#pragma once

#include "../0_base/array.h"
#include "../1_math/lanes.h"
#include "../1_math/simd_turn.h"

/* cti_slot_fn -- slot of block (i, j) of the matrix, or -1 (cti_bsr_slot behind a context). */
typedef int cti_slot_fn(const void *ctx, int i, int j);

/* CTI_UPPER(nn, a, b) -- index of block (a, b), a <= b, among the nn (nn + 1) / 2 upper blocks of an element with nn nodes. */
#define CTI_UPPER(nn, a, b) ((a) * (2 * (nn) - (a) + 1) / 2 + (b) - (a))

/* cti_rest_mesh -- the elements of one body at rest. */
typedef struct cti_rest_mesh {
    const ct_real *X;        /* [3 n_nodes] positions [m] by local number */
    const int32_t *elements; /* [nodes of an element x n] local numbers, which node_offset makes global */
    int n_nodes, n, node_offset;
    ct_real gravity;         /* [m/s^2] its size, for the load of strain limits */
} cti_rest_mesh;
CTI_INLINE cti_rest_mesh cti_rest_mesh_of(const ct_real *X, int n_nodes, const int32_t *elements, int n, int node_offset)
{
    cti_rest_mesh r;
    r.X = X, r.elements = elements, r.n_nodes = n_nodes, r.n = n, r.node_offset = node_offset, r.gravity = 0;
    return r;
}

/* cti_element_gather -- out [3 nn]: coordinates of the nodes of eight elements; node [8 nn]. */
CTI_INLINE void cti_element_gather(const ct_real *x, const int32_t *node, int nn, cti_r8 *out)
{
    int a;
    for (a = 0; a < nn; a++)
        cti_gather3(x, node + a, nn, out + 3 * a);
}

/* cti_element_nodes -- node [8 nn n_batches] from tuples [nn n], shifted by offset and padded; 0 when memory ran out. */
CTI_FN int cti_element_nodes(cti_mem *mem, int32_t **node, const int32_t *tuples, int n, int nn, int offset);
/* cti_element_pairs -- appends the block pairs i, j (a < b) of n elements. */
CTI_FN int cti_element_pairs(cti_mem *mem, int32_t **pairs, const int32_t *node, int n, int nn);
/* cti_element_slots -- slot [nn nn n]: the slot of block (a, b) of each element. 1; 0 when memory ran out; -1 when a block is missing. */
CTI_FN int cti_element_slots(cti_mem *mem, int32_t **slot, const int32_t *node, int n, int nn, cti_slot_fn *find, const void *ctx);
/* cti_element_scatter_force -- force += the first `count` lanes of f [3 nn]. */
CTI_FN void cti_element_scatter_force(ct_real *force, const int32_t *node, int nn, int count, const cti_r8 *f);
/* cti_element_scatter_blocks -- val += the first `count` lanes of the upper blocks k [9 nn (nn + 1) / 2], and of their transposes. Of
   diagonal blocks only the upper triangle is read. */
CTI_FN void cti_element_scatter_blocks(ct_real *val, const int32_t *slot, int nn, int count, const cti_r8 *k);
/* cti_element_sum -- the sum of the first `count` lanes, in double, in order. */
CTI_FN double cti_element_sum(cti_r8 a, int count);
/* cti_element_put_stress -- out [6 n]: the upper triangles xx yy zz xy yz xz of the first `count` symmetric lanes of this batch. */
CTI_FN void cti_element_put_stress(ct_real *out, int batch, int count, const cti_r8 *stress);
/* cti_element_count -- how many lanes of batch k hold elements. */
CTI_INLINE int cti_element_count(int n, int k) { return cti_min_int(8, n - 8 * k); }
