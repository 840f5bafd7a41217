/* element.c -- node lists, slots and scatter of element batches. Method: slots are searched for once per topology. */
#include "element.h"

CTI_FN int cti_element_nodes(cti_mem *mem, int32_t **node, const int32_t *tuples, int n, int nn, int offset)
{
    int32_t *p = *node;
    int total = (n + 7) / 8 * 8, e, a;
    int ok = CTI_RESIZE(mem, p, (size_t)total * (size_t)nn);
    *node = p;
    if (!ok)
        return 0;
    for (e = 0; e < total; e++)
        for (a = 0; a < nn; a++)
            p[e * nn + a] = tuples[cti_min_int(e, n - 1) * nn + a] + offset;
    return 1;
}

CTI_FN int cti_element_pairs(cti_mem *mem, int32_t **pairs, const int32_t *node, int n, int nn)
{
    int32_t *p = *pairs;
    int e, a, b, used = CTI_LEN(p), ok = CTI_RESERVE(mem, p, (size_t)used + (size_t)n * (size_t)(nn * (nn - 1)));
    *pairs = p;
    if (!ok)
        return 0;
    for (e = 0; e < n; e++)
        for (a = 0; a < nn; a++)
            for (b = a + 1; b < nn; b++)
                p[used++] = node[e * nn + a], p[used++] = node[e * nn + b];
    if (p)
        stbds_header(p)->length = (size_t)used;
    return 1;
}

CTI_FN int cti_element_slots(cti_mem *mem, int32_t **slot, const int32_t *node, int n, int nn, cti_slot_fn *find, const void *ctx)
{
    int32_t *p = *slot;
    int e, a, b, found = 1, ok = CTI_RESIZE(mem, p, (size_t)n * (size_t)(nn * nn));
    *slot = p;
    if (!ok)
        return 0;
    for (e = 0; e < n; e++)
        for (a = 0; a < nn; a++)
            for (b = 0; b < nn; b++) {
                int s = find(ctx, node[e * nn + a], node[e * nn + b]);
                found = s < 0 ? -1 : found;
                p[(e * nn + a) * nn + b] = s;
            }
    return found;
}

CTI_FN void cti_element_scatter_force(ct_real *force, const int32_t *node, int nn, int count, const cti_r8 *f)
{
    ct_real buf[18][8];
    int a, l;
    for (a = 0; a < 3 * nn; a++)
        cti_store8(buf[a], f[a]);
    for (l = 0; l < count; l++)
        for (a = 0; a < nn; a++) {
            ct_real *p = force + 3 * (ptrdiff_t)node[l * nn + a];
            p[0] += buf[3 * a][l], p[1] += buf[3 * a + 1][l], p[2] += buf[3 * a + 2][l];
        }
}

/* adds one element; k points at the element's lane, its entries are eight numbers apart */
CTI_INLINE void cti_element_add_blocks(ct_real *val, const int32_t *slot, int nn, const ct_real *k)
{
    int a, b;
    for (a = 0; a < nn; a++) {
        ct_real *d = val + 9 * (ptrdiff_t)slot[a * nn + a];
        /* the diagonal block: the upper triangle is mirrored */
        d[0] += k[0], d[4] += k[32], d[8] += k[64];
        d[1] += k[8], d[3] += k[8], d[2] += k[16], d[6] += k[16], d[5] += k[40], d[7] += k[40];
        k += 72;
        for (b = a + 1; b < nn; b++, k += 72) {
            ct_real *p = val + 9 * (ptrdiff_t)slot[a * nn + b], *q = val + 9 * (ptrdiff_t)slot[b * nn + a];
            p[0] += k[0], p[1] += k[8], p[2] += k[16], p[3] += k[24], p[4] += k[32], p[5] += k[40], p[6] += k[48], p[7] += k[56],
                p[8] += k[64];
            q[0] += k[0], q[3] += k[8], q[6] += k[16], q[1] += k[24], q[4] += k[32], q[7] += k[40], q[2] += k[48], q[5] += k[56],
                q[8] += k[64];
        }
    }
}

CTI_FN void cti_element_scatter_blocks(ct_real *val, const int32_t *slot, int nn, int count, const cti_r8 *k)
{
    ct_real buf[90][8];
    int i, l;
    for (i = 0; i < 9 * nn * (nn + 1) / 2; i++)
        cti_store8(buf[i], k[i]);
    for (l = 0; l < count; l++)
        cti_element_add_blocks(val, slot + l * nn * nn, nn, &buf[0][l]);
}

CTI_FN double cti_element_sum(cti_r8 a, int count)
{
    ct_real t[8];
    double sum = 0;
    int l;
    cti_store8(t, a);
    for (l = 0; l < count; l++)
        sum += (double)t[l];
    return sum;
}

CTI_FN void cti_element_put_stress(ct_real *out, int batch, int count, const cti_r8 *stress)
{
    static const int from[6] = {0, 4, 8, 1, 5, 2};
    ct_real lanes[8];
    int i, l;
    for (i = 0; i < 6; i++) {
        cti_store8(lanes, stress[from[i]]);
        for (l = 0; l < count; l++)
            out[6 * (size_t)(8 * batch + l) + (size_t)i] = lanes[l];
    }
}
