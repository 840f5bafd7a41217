/* mprgp_decouple.c -- one row for each vertex: decoupling of constraints.
   Method: rows are visited one by one, in random order or the deepest first. A row is kept if no row kept before touches any of its blocks.
   The kept rows have a diagonal J J', also for surfaces embedded in coarser meshes, whose rows have four blocks and more. Based on: Li et
   al. 2015, section 5. */
#include "mprgp.h"
#include "../0_base/sort.h"

CTI_FN int cti_mprgp_decouple(cti_arena *arena, const cti_sparse *J, const double *depth, cti_mprgp_decoupling how, int block,
                              uint64_t seed, uint8_t *keep)
{
    cti_arena_point mark = cti_arena_mark(arena);
    uint8_t *taken = CTI_ARENA_ZERO(arena, uint8_t, J->cols / block + 1);
    int i, k, n = J->rows, kept = 0;
    int32_t *order = CTI_ARENA_NEW(arena, int32_t, 2 * (size_t)n);
    uint64_t *key = CTI_ARENA_NEW(arena, uint64_t, 2 * (size_t)n);
    if (!taken || !order || !key)
        return -1;
    for (i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        order[i] = i, keep[i] = 0;
        key[i] = how == CTI_DECOUPLE_RANDOM ? seed >> 11 : (how == CTI_DECOUPLE_DEEPEST ? cti_sort_key(depth[i]) : (uint64_t)i);
    }
    cti_sort_u64(key, order, key + n, order + n, n);
    for (i = 0; i < n; i++) {
        int row = order[i], apart = 1;
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
