/* mprgp_decouple.c -- one row for each vertex: decoupling of constraints.
   Method: rows are visited one by one, in random order or the deepest first. A row is kept if no row kept before touches any of its blocks.
   The kept rows have a diagonal J J', also for surfaces embedded in coarser meshes, whose rows have four blocks and more. Based on: Li et
   al. 2015, section 5. */
#include "mprgp.h"

/* order of the rows: a heap by key, smallest first; ties by number */
static int cti_mprgp_before(const double *key, int a, int b) { return key[a] < key[b] || (key[a] == key[b] && a < b); }

static void cti_mprgp_sift(int32_t *heap, int n, int at, const double *key)
{
    for (;;) {
        int child = 2 * at + 1;
        int32_t t;
        if (child + 1 < n && cti_mprgp_before(key, heap[child + 1], heap[child]))
            child++;
        if (child >= n || !cti_mprgp_before(key, heap[child], heap[at]))
            return;
        t = heap[at], heap[at] = heap[child], heap[child] = t;
        at = child;
    }
}

CTI_FN int cti_mprgp_decouple(cti_arena *arena, const cti_sparse *J, const double *depth, cti_mprgp_decoupling how, int block,
                              uint64_t seed, uint8_t *keep)
{
    cti_arena_point mark = cti_arena_mark(arena);
    uint8_t *taken = CTI_ARENA_ZERO(arena, uint8_t, J->cols / block + 1);
    int32_t *heap = CTI_ARENA_NEW(arena, int32_t, J->rows);
    double *key = CTI_ARENA_NEW(arena, double, J->rows);
    int i, k, n = J->rows, kept = 0;
    if (!taken || !heap || !key)
        return -1;
    for (i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        heap[i] = i, keep[i] = 0;
        key[i] = how == CTI_DECOUPLE_RANDOM ? (double)(seed >> 11) : (how == CTI_DECOUPLE_DEEPEST ? depth[i] : (double)i);
    }
    for (i = n / 2 - 1; i >= 0; i--)
        cti_mprgp_sift(heap, n, i, key);
    while (n > 0) {
        int row = heap[0], apart = 1;
        heap[0] = heap[--n];
        cti_mprgp_sift(heap, n, 0, key);
        for (k = J->p[row]; k < J->p[row + 1]; k++)
            apart = apart && !taken[J->i[k] / block];
        if (!apart)
            continue;
        for (k = J->p[row]; k < J->p[row + 1]; k++)
            taken[J->i[k] / block] = 1;
        keep[row] = 1, kept++;
    }
    cti_arena_rewind(arena, mark);
    return kept;
}
