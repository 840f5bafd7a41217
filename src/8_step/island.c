/* island.c -- copies a contact island out of the world and back.
   Method: A couples blocks only within a component, so the rows of A of the components under some contacts form a separate matrix, exactly.
   Blocks are numbered component by component, and components in the world's order. So a distant body changes no number and no order here,
   and no bit of the result. Based on: no paper, only the graph of A. */
#include "island.h"
#include "../0_base/sort.h"

/* finds the components under the rows, ascending, each with its place */
static int cti_island_find(cti_factors *f, cti_arena *arena, const cti_row *rows, int n_rows, cti_island *out)
{
    int i, k, most = 0;
    int32_t *list, *tmp;
    for (i = 0; i < n_rows; i++)
        most += rows[i].n;
    most = cti_min_int(most, CTI_LEN(f->components));
    list = CTI_ARENA_NEW(arena, int32_t, most), tmp = CTI_ARENA_NEW(arena, int32_t, most);
    if (!list || !tmp)
        return 0;
    out->components = list;
    for (i = 0; i < n_rows; i++)
        for (k = 0; k < rows[i].n; k++) {
            int32_t c = f->component_of[rows[i].term[k].block];
            if (f->components[c].place < 0)
                list[out->n_components++] = c, f->components[c].place = 0;
        }
    cti_sort_u32((uint32_t *)list, NULL, (uint32_t *)tmp, NULL, out->n_components);
    for (i = 0; i < out->n_components; i++) {
        cti_component *q = &f->components[list[i]];
        q->place = out->n;
        out->n += q->end - q->begin;
    }
    return 1;
}

/* numbers the blocks; run: they are consecutive in the world */
static int cti_island_number(const cti_factors *f, cti_arena *arena, int run, cti_island *out)
{
    int32_t *blocks, *own;
    int i, c;
    if (run) {
        out->own = f->blocks;
        out->blocks = f->blocks + f->components[out->components[0]].begin;
        return 1;
    }
    blocks = CTI_ARENA_NEW(arena, int32_t, out->n), own = CTI_ARENA_NEW(arena, int32_t, out->n);
    if (!blocks || !own)
        return 0;
    for (c = 0; c < out->n_components; c++) {
        const cti_component *q = &f->components[out->components[c]];
        memcpy(blocks + q->place, f->blocks + q->begin, sizeof(int32_t) * (size_t)(q->end - q->begin));
    }
    for (i = 0; i < out->n; i++)
        own[i] = i;
    out->blocks = blocks, out->own = own;
    return 1;
}

/* the components' rows of A; for a run the values are referenced, not copied */
static int cti_island_matrix(const cti_factors *f, cti_arena *arena, const cti_bsr *A, int run, cti_island *out)
{
    cti_bsr *L = &out->A;
    int i, k, c, at = 0;
    if (run && out->blocks[0] == 0) {
        *L = *A;
        L->n = out->n;
        return 1;
    }
    for (i = 0; i < out->n; i++)
        at += A->row[out->blocks[i] + 1] - A->row[out->blocks[i]];
    L->n = out->n;
    L->row = CTI_ARENA_NEW(arena, int, out->n + 1), L->diag = CTI_ARENA_NEW(arena, int, out->n), L->col = CTI_ARENA_NEW(arena, int, at);
    L->val = run ? A->val + 9 * (size_t)A->row[out->blocks[0]] : CTI_ARENA_NEW(arena, ct_real, 9 * (size_t)at);
    if (!L->row || !L->diag || !L->col || !L->val)
        return 0;
    for (i = c = at = 0; c < out->n_components; c++) {
        const cti_component *q = &f->components[out->components[c]];
        for (; i < q->place + q->end - q->begin; i++) {
            int b = out->blocks[i], k0 = A->row[b], k1 = A->row[b + 1];
            L->row[i] = at;
            L->diag[i] = at + A->diag[b] - k0;
            if (!run)
                memcpy(L->val + 9 * (size_t)at, A->val + 9 * (size_t)k0, sizeof(ct_real) * 9 * (size_t)(k1 - k0));
            for (k = k0; k < k1; k++)
                L->col[at++] = q->place + f->rank[A->col[k]];
        }
    }
    L->row[out->n] = at;
    return 1;
}

/* b, v and the filter */
static int cti_island_vectors(cti_arena *arena, const cti_problem *world, int run, ct_real *v, cti_island *out)
{
    size_t n = (size_t)out->n, first = (size_t)out->blocks[0], i;
    int32_t *filter = NULL;
    ct_real *b;
    cti_block_size *sizes = NULL;
    if (run) {
        out->p.b = world->b + 3 * first, out->v = v + 3 * first;
        out->p.filter = world->filter ? world->filter + first : NULL;
        out->p.sizes = world->sizes ? world->sizes + first : NULL;
        return 1;
    }
    b = CTI_ARENA_NEW(arena, ct_real, 3 * n), out->v = CTI_ARENA_NEW(arena, ct_real, 3 * n);
    if (!b || !out->v || (world->filter && (filter = CTI_ARENA_NEW(arena, int32_t, n)) == NULL) ||
        (world->sizes && (sizes = CTI_ARENA_NEW(arena, cti_block_size, n)) == NULL))
        return 0;
    for (i = 0; i < n; i++) {
        cti_v3_put(b, (int)i, cti_v3_at(world->b, out->blocks[i]));
        cti_v3_put(out->v, (int)i, cti_v3_at(v, out->blocks[i]));
        if (filter)
            filter[i] = world->filter[out->blocks[i]];
        if (sizes)
            sizes[i] = world->sizes[out->blocks[i]];
    }
    out->p.b = b, out->p.filter = filter, out->p.sizes = sizes;
    return 1;
}

/* the rows with local block numbers; an island that begins with the world's first block keeps the world's numbers */
static int cti_island_rows(const cti_factors *f, cti_arena *arena, cti_row *rows, int n_rows, int run, cti_island *out)
{
    int i, k;
    out->p.rows = rows, out->p.n_rows = n_rows;
    if (run && out->blocks[0] == 0)
        return 1;
    out->p.rows = CTI_ARENA_NEW(arena, cti_row, n_rows);
    if (!out->p.rows)
        return 0;
    memcpy(out->p.rows, rows, sizeof(cti_row) * (size_t)n_rows);
    for (i = 0; i < n_rows; i++)
        for (k = 0; k < rows[i].n; k++) {
            int32_t b = rows[i].term[k].block;
            out->p.rows[i].term[k].block = f->components[f->component_of[b]].place + f->rank[b];
        }
    return 1;
}

static void cti_island_leave(cti_factors *f, const cti_island *q)
{
    int c;
    for (c = 0; c < q->n_components; c++)
        f->components[q->components[c]].place = -1;
}

CTI_FN int cti_island_open(cti_factors *f, cti_arena *arena, const cti_problem *world, int first, int end, ct_real *v, cti_island *out)
{
    cti_row *rows = world->rows + first;
    int n = end - first, run;
    memset(out, 0, sizeof *out);
    if (n < 1 || !cti_island_find(f, arena, rows, n, out))
        return 0;
    run = f->in_order && out->components[out->n_components - 1] - out->components[0] + 1 == out->n_components;
    out->p = *world;
    out->p.A = &out->A;
    out->p.split.clusters = NULL, out->p.split.n_clusters = 0;
    if (cti_island_number(f, arena, run, out) && cti_island_matrix(f, arena, world->A, run, out) && cti_island_vectors(arena, world, run, v, out) &&
        cti_island_rows(f, arena, rows, n, run, out))
        return 1;
    cti_island_leave(f, out);
    return 0;
}

CTI_FN void cti_island_close(cti_factors *f, const cti_island *q, cti_row *rows, ct_real *v)
{
    int i;
    if (q->p.rows != rows)
        for (i = 0; i < q->p.n_rows; i++)
            memcpy(rows[i].r, q->p.rows[i].r, sizeof rows[i].r);
    if (q->v != v + 3 * (size_t)q->blocks[0])
        for (i = 0; i < q->n; i++)
            cti_v3_put(v, q->blocks[i], cti_v3_at(q->v, i));
    cti_island_leave(f, q);
}
