/* nodes.c -- Gauss-Seidel over single blocks.
   Method: v = v0 + delta. With a known A v0, (f - A v)_i = (f - A v0)_i - (A delta)_i. Since delta is small and shrinks as the sweeps
   converge, float is enough for it: this is iterative refinement whose inner solver is the sweep. Based on: Otaduy 2009, eq. 12. */
#include "nodes.h"
#include "solve_policy.h"

/* lists the columns of A's rows in the list, each once */
static int cti_nodes_find_near(cti_nodes *q, cti_arena *arena)
{
    uint8_t *seen = CTI_ARENA_ZERO(arena, uint8_t, q->A->n);
    int i, k;
    q->beside = CTI_ARENA_NEW(arena, int32_t, q->A->n);
    if (!seen || !q->beside)
        return 0;
    for (i = 0; i < q->n; i++)
        for (k = q->A->row[q->blocks[i]]; k < q->A->row[q->blocks[i] + 1]; k++) {
            int b = q->A->col[k];
            if (!seen[b])
                q->beside[q->n_beside++] = b;
            seen[b] = 1;
        }
    return 1;
}

/* rows of A in float. Reading a row touches one number beyond its end, also of the last row */
static int cti_nodes_fill_rows(cti_nodes *q, cti_arena *arena)
{
    size_t at = 0;
    int i;
    q->start = CTI_ARENA_NEW(arena, size_t, q->n);
    if (!q->start)
        return 0;
    for (i = 0; i < q->n; i++) {
        q->start[i] = at;
        at += 9 * (size_t)(q->A->row[q->blocks[i] + 1] - q->A->row[q->blocks[i]]);
    }
    q->val = CTI_ARENA_NEW(arena, float, at + 1);
    if (!q->val)
        return 0;
    for (i = 0; i < q->n; i++)
        cti_bsr_float_row(q->A, q->blocks[i], q->val + q->start[i]);
    q->val[at] = 0;
    return 1;
}

CTI_FN int cti_nodes_init(cti_nodes *q, cti_arena *arena, const cti_bsr *A, int32_t *blocks, int n)
{
    int i, k;
    memset(q, 0, sizeof *q);
    q->A = A, q->blocks = blocks, q->n = n;
    q->inverse = CTI_ARENA_ZERO(arena, float, 12 * (size_t)n);
    q->delta = CTI_ARENA_ZERO(arena, float, 4 * (size_t)A->n);
    q->v0 = CTI_ARENA_NEW(arena, ct_real, 3 * (size_t)A->n);
    q->Av0 = CTI_ARENA_NEW(arena, ct_real, 3 * (size_t)A->n);
    if (!q->inverse || !q->delta || !q->v0 || !q->Av0 || !cti_nodes_fill_rows(q, arena) || !cti_nodes_find_near(q, arena))
        return 0;
    for (i = 0; i < n; i++) {
        ct_real inv[9];
        if (!cti_m3_inverse(A->val + 9 * (size_t)A->diag[blocks[i]], inv))
            continue;
        for (k = 0; k < 9; k++)
            q->inverse[12 * (size_t)i + (size_t)((k / 3) * 4 + k % 3)] = (float)inv[k];
    }
    return 1;
}

CTI_FN void cti_nodes_restart(cti_nodes *q) { q->age = 0; }

static void cti_nodes_rebase(cti_nodes *q, const ct_real *v)
{
    int i;
    for (i = 0; i < q->n_beside; i++)
        cti_v3_put(q->v0, q->beside[i], cti_v3_at(v, q->beside[i]));
    for (i = 0; i < q->n; i++)
        cti_v3_put(q->Av0, q->blocks[i], cti_bsr_row(q->A, v, q->blocks[i]));
}

/* one block; returns its change in lanes 0 to 2 */
static cti_f8 cti_nodes_visit(cti_nodes *q, int i, const ct_real *f, ct_real *v)
{
    const float *D = q->inverse + 12 * (size_t)i;
    size_t b = (size_t)q->blocks[i];
    const ct_real *fb = f + 3 * b, *Av = q->Av0 + 3 * b;
    ct_real *vb = v + 3 * b;
    float t[4], *delta = q->delta + 4 * b;
    cti_f8 r, d;
    t[0] = (float)(fb[0] - Av[0]), t[1] = (float)(fb[1] - Av[1]), t[2] = (float)(fb[2] - Av[2]), t[3] = 0;
    r = cti_f8_sub(cti_f8_load44(t, t), cti_bsr_float_dot(q->A, q->val + q->start[i], q->delta, (int)b));
    /* D is symmetric: its rows are its columns */
    d = cti_f8_add(cti_f8_mul(cti_f8_load44(D, D), cti_f8_spread0(r)), cti_f8_mul(cti_f8_load44(D + 4, D + 4), cti_f8_spread1(r)));
    d = cti_f8_add(d, cti_f8_mul(cti_f8_load44(D + 8, D + 8), cti_f8_spread2(r)));
    cti_f8_store4(delta, cti_f8_add(cti_f8_load44(delta, delta), d));
    cti_f8_store4(t, d);
    vb[0] += (ct_real)t[0], vb[1] += (ct_real)t[1], vb[2] += (ct_real)t[2];
    return d;
}

CTI_FN ct_real cti_nodes_sweep(cti_nodes *q, const ct_real *f, ct_real *v, cti_nodes_after *after, void *ctx)
{
    cti_f8 big = cti_f8_set(0), wrong = big;
    ct_real other = 0;
    float t[4], w[4];
    int i, k;
    if (q->age++ % cti_solve_tuned.anderson.rebase == 0)
        cti_nodes_rebase(q, v);
    for (i = 0; i < q->n_beside; i++) {
        size_t b = (size_t)q->beside[i];
        for (k = 0; k < 3; k++)
            q->delta[4 * b + (size_t)k] = (float)(v[3 * b + (size_t)k] - q->v0[3 * b + (size_t)k]);
    }
    for (i = 0; i < q->n; i++) {
        cti_f8 d = cti_nodes_visit(q, i, f, v);
        big = cti_f8_max(big, cti_f8_abs(d));
        wrong = cti_f8_add(wrong, cti_f8_sub(d, d)); /* a maximum may drop a NaN, a sum keeps it */
        if (after)
            other = cti_max(other, after(ctx, i));
    }
    cti_f8_store4(t, big), cti_f8_store4(w, wrong);
    return cti_max(other, (ct_real)cti_max(t[0], cti_max(t[1], t[2]))) + (ct_real)(w[0] + w[1] + w[2]);
}
