/* hinge.c -- edges and hinges by sorting edge keys. Method: radix sort of (smaller node, larger node), payload 3 triangle + corner; the
   sort is stable, so triangles at an edge stay in their order. */
#include "hinge.h"
#include "../0_base/sort.h"

/* appends the hinges of keys [begin, end), which are one edge */
static int cti_hinge_push(cti_mem *mem, const int32_t *triangles, const uint64_t *key, const int32_t *corner, int begin, int end,
                          int32_t **hinges)
{
    int32_t *h = *hinges;
    int i, ok = 1;
    for (i = begin; i + 1 < end && ok; i++) {
        int32_t a = triangles[corner[i] / 3 * 3 + (corner[i] % 3 + 2) % 3],
                b = triangles[corner[i + 1] / 3 * 3 + (corner[i + 1] % 3 + 2) % 3];
        if (a == b)
            continue;
        ok = CTI_PUSH(mem, h, (int32_t)(key[i] >> 32)) && CTI_PUSH(mem, h, (int32_t)(key[i] & 0xffffffffu)) && CTI_PUSH(mem, h, a) &&
             CTI_PUSH(mem, h, b);
    }
    *hinges = h;
    return ok;
}

static int cti_hinge_group(cti_mem *mem, const int32_t *triangles, const uint64_t *key, const int32_t *corner, int n, int32_t **edges,
                           int32_t **hinges)
{
    int i, begin;
    for (begin = 0; begin < n; begin = i) {
        for (i = begin + 1; i < n && key[i] == key[begin]; i++)
            ;
        if (edges) {
            int32_t *e = *edges;
            int ok = CTI_PUSH(mem, e, (int32_t)(key[begin] >> 32)) && CTI_PUSH(mem, e, (int32_t)(key[begin] & 0xffffffffu));
            *edges = e;
            if (!ok)
                return 0;
        }
        if (hinges && !cti_hinge_push(mem, triangles, key, corner, begin, i, hinges))
            return 0;
    }
    return 1;
}

CTI_FN int cti_hinge_find(cti_mem *mem, const int32_t *triangles, int n, int32_t **edges, int32_t **hinges)
{
    uint64_t *key = NULL, *key_tmp = NULL;
    int32_t *corner = NULL, *corner_tmp = NULL;
    int i, ok;
    if (edges)
        CTI_CLEAR(*edges);
    if (hinges)
        CTI_CLEAR(*hinges);
    ok = CTI_RESIZE(mem, key, 3 * (size_t)n) && CTI_RESIZE(mem, key_tmp, 3 * (size_t)n) && CTI_RESIZE(mem, corner, 3 * (size_t)n) &&
         CTI_RESIZE(mem, corner_tmp, 3 * (size_t)n);
    if (ok && n > 0) {
        for (i = 0; i < 3 * n; i++) {
            uint32_t a = (uint32_t)triangles[i], b = (uint32_t)triangles[i / 3 * 3 + (i + 1) % 3];
            key[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            corner[i] = i;
        }
        cti_sort_u64(key, corner, key_tmp, corner_tmp, 3 * n);
        ok = cti_hinge_group(mem, triangles, key, corner, 3 * n, edges, hinges);
    }
    CTI_FREE(mem, key);
    CTI_FREE(mem, key_tmp);
    CTI_FREE(mem, corner);
    CTI_FREE(mem, corner_tmp);
    return ok;
}
