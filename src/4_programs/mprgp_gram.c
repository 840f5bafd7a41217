/* mprgp_gram.c -- rows and columns of J J', factored and updated.
   Method: the active set method that the paper names for equations 18 and 20, on lambda >= 0. It goes towards the minimum in the working
   set (by its factor), up to the first multiplier that would become negative; that row leaves. Then the most violated row enters. A row
   that depends on the working set (J_p = sum r_i J_i) enters along y = e_p - r, for which J'y = 0, up to the first multiplier that becomes
   0. If none does, y proves that the rows have no common point. The factor of J J' is updated: a row is added at its end, or removed by
   rotations. Factor and working set are kept for the next problem. differs: rows that are violated at the start enter together. */
#include "mprgp_gram.h"

/* [squared length] a unit row nearer to the span of others than this depends on them: the square root of what a factor resolves if cond(J
   J') is 1e10 */
#define CTI_GRAM_DEPENDENT 1e-10

CTI_FN int cti_gram_open(cti_mem *mem, cti_arena *arena, cti_gram *g, const cti_sparse *G, const uint8_t *signless)
{
    int i, m = G->rows;
    memset(g, 0, sizeof *g);
    g->mem = mem, g->G = G, g->signless = signless;
    g->rows = CTI_ARENA_NEW(arena, int32_t, m), g->at = CTI_ARENA_NEW(arena, int32_t, m);
    g->lambda = CTI_ARENA_ZERO(arena, double, m), g->proof = CTI_ARENA_ZERO(arena, double, m);
    g->z = CTI_ARENA_ZERO(arena, double, m), g->v = CTI_ARENA_ZERO(arena, double, m), g->cs = CTI_ARENA_ZERO(arena, double, 2 * (size_t)m);
    g->banned = CTI_ARENA_ZERO(arena, uint8_t, m);
    if (!g->rows || !g->at || !g->lambda || !g->proof || !g->z || !g->v || !g->cs || !g->banned)
        return 0;
    for (i = 0; i < m; i++)
        g->at[i] = -1;
    return 1;
}

CTI_FN void cti_gram_close(cti_gram *g)
{
    if (g->mem)
        CTI_FREE(g->mem, g->L);
}

CTI_FN int cti_gram_product(cti_mem *mem, const cti_sparse *J, const cti_sparse *Jt, cti_sparse *G)
{
    int i, k, l, ok;
    int32_t *seen = NULL;
    memset(G, 0, sizeof *G);
    ok = cti_sparse_reserve(mem, G, J->rows, J->rows, 0) && CTI_RESIZE(mem, seen, J->rows);
    for (i = 0; ok && i < J->rows; i++)
        seen[i] = -1;
    for (i = 0; ok && i < J->rows; i++) {
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            for (l = Jt->p[J->i[k]]; ok && l < Jt->p[J->i[k] + 1]; l++) {
                int j = Jt->i[l];
                if (seen[j] < G->p[i]) {
                    seen[j] = CTI_LEN(G->i);
                    ok = CTI_PUSH(mem, G->i, j) && CTI_PUSH(mem, G->x, 0.0);
                }
                if (ok)
                    G->x[seen[j]] += J->x[k] * Jt->x[l];
            }
        G->p[i + 1] = CTI_LEN(G->i);
    }
    CTI_FREE(mem, seen);
    return ok;
}

/* ---- the factor ---- */

static double *cti_gram_row(const cti_gram *g, int i) { return g->L + (size_t)i * ((size_t)i + 1) / 2; }

/* z = L'^-1 z */
static void cti_gram_backward(const cti_gram *g, double *z)
{
    int i, k;
    for (i = g->count - 1; i >= 0; i--) {
        const double *row = cti_gram_row(g, i);
        double s = z[i] /= row[i];
        for (k = 0; k < i; k++)
            z[k] -= s * row[k];
    }
}

/* z = L^-1 z */
static void cti_gram_forward(const cti_gram *g, double *z)
{
    int i;
    for (i = 0; i < g->count; i++) {
        const double *row = cti_gram_row(g, i);
        z[i] = (z[i] - cti_dot_fast(i, row, z)) / row[i];
    }
}

/* adds row p at the end of the working set. 1: done; 0: it depends on the set, and z has L^-1 of its column; -1: memory ran out */
static int cti_gram_add(cti_gram *g, int p)
{
    size_t size = ((size_t)g->count + 1) * ((size_t)g->count + 2) / 2;
    double own = 0, *row;
    int k;
    memset(g->z, 0, sizeof *g->z * (size_t)g->count);
    for (k = g->G->p[p]; k < g->G->p[p + 1]; k++) {
        int j = g->G->i[k];
        if (j == p)
            own = g->G->x[k];
        else if (g->at[j] >= 0)
            g->z[g->at[j]] = g->G->x[k];
    }
    cti_gram_forward(g, g->z);
    own -= cti_dot_fast(g->count, g->z, g->z);
    if (own <= CTI_GRAM_DEPENDENT)
        return 0;
    if (size > 0x7fffffff || !CTI_RESIZE(g->mem, g->L, (int)size))
        return -1;
    row = cti_gram_row(g, g->count);
    if (g->count)
        memcpy(row, g->z, sizeof *row * (size_t)g->count);
    row[g->count] = sqrt(own);
    g->at[p] = g->count, g->rows[g->count++] = p;
    g->changes++;
    return 1;
}

/* removes the row at this place; rotations make the other rows lower triangular again */
static void cti_gram_drop(cti_gram *g, int place)
{
    double *cs = g->cs, *sn = g->cs + g->G->rows;
    int i, k;
    g->at[g->rows[place]] = -1, g->lambda[g->rows[place]] = 0;
    for (i = place + 1; i < g->count; i++) {
        double *from = cti_gram_row(g, i), *to = cti_gram_row(g, i - 1), size;
        for (k = place; k < i - 1; k++) {
            double a = from[k], b = from[k + 1];
            from[k] = cs[k] * a + sn[k] * b, from[k + 1] = cs[k] * b - sn[k] * a;
        }
        size = sqrt(from[i - 1] * from[i - 1] + from[i] * from[i]);
        cs[i - 1] = from[i - 1] / size, sn[i - 1] = from[i] / size, from[i - 1] = size;
        memmove(to, from, sizeof *to * (size_t)i);
        g->rows[i - 1] = g->rows[i], g->at[g->rows[i]] = i - 1;
    }
    g->count--, g->changes++;
}

/* ---- equations ---- */

CTI_FN int cti_gram_face(cti_gram *g, const uint8_t *taken)
{
    int i;
    for (i = g->count - 1; i >= 0; i--)
        if (!taken[g->rows[i]])
            cti_gram_drop(g, i);
    for (i = 0; i < g->G->rows; i++)
        if (taken[i] && g->at[i] < 0 && cti_gram_add(g, i) < 0)
            return 0;
    return 1;
}

/* z = (J J')^-1 q on the working set */
static void cti_gram_inverse(cti_gram *g, const double *q)
{
    int i;
    for (i = 0; i < g->count; i++)
        g->z[i] = q[g->rows[i]];
    cti_gram_forward(g, g->z);
    cti_gram_backward(g, g->z);
}

CTI_FN void cti_gram_equations(cti_gram *g, const double *q, double *l)
{
    int i;
    cti_gram_inverse(g, q);
    for (i = 0; i < g->G->rows; i++)
        l[i] = g->at[i] >= 0 ? g->z[g->at[i]] : 0;
}

/* ---- complementarity ---- */

static int cti_gram_signed(const cti_gram *g, int row) { return !g->signless || !g->signless[row]; }

/* Moves to the minimum in the working set; rows whose multipliers would become negative leave one by one */
static void cti_gram_settle(cti_gram *g, const double *q)
{
    for (;;) {
        double t = 1;
        int i, block = -1;
        cti_gram_inverse(g, q);
        for (i = 0; i < g->count; i++) {
            double now = g->lambda[g->rows[i]], own;
            if (!(g->z[i] < 0) || !cti_gram_signed(g, g->rows[i]))
                continue;
            own = now > 0 ? now / (now - g->z[i]) : 0;
            if (block < 0 || own < t || (own == t && g->z[i] < g->z[block]))
                t = own, block = i;
        }
        for (i = 0; i < g->count; i++)
            g->lambda[g->rows[i]] += t * (g->z[i] - g->lambda[g->rows[i]]);
        if (block < 0)
            return;
        cti_gram_drop(g, block);
    }
}

/* Row p depends on the working set: the multipliers move along e_p - r (for an equation violated from above: against it) to the first that becomes
   0, whose row p replaces. NONE: there is none */
static cti_gram_end cti_gram_exchange(cti_gram *g, int p)
{
    double t = INFINITY, sign = g->v[p] < 0 ? -1 : 1;
    int i, block = -1, added;
    cti_gram_backward(g, g->z); /* r */
    for (i = 0; i < g->count; i++)
        if (sign * g->z[i] > 1e-9 && cti_gram_signed(g, g->rows[i]) && g->lambda[g->rows[i]] / (sign * g->z[i]) < t)
            t = g->lambda[g->rows[i]] / (sign * g->z[i]), block = i;
    if (block < 0) {
        memset(g->proof, 0, sizeof *g->proof * (size_t)g->G->rows);
        for (i = 0; i < g->count; i++)
            g->proof[g->rows[i]] = -sign * g->z[i];
        g->proof[p] = sign;
        return CTI_GRAM_NONE;
    }
    for (i = 0; i < g->count; i++)
        g->lambda[g->rows[i]] -= t * sign * g->z[i];
    cti_gram_drop(g, block);
    added = cti_gram_add(g, p);
    if (added > 0)
        g->lambda[p] = t * sign;
    else
        g->banned[p] = 1;
    return added < 0 ? CTI_GRAM_MEMORY : CTI_GRAM_DONE;
}

/* v = q - J J' lambda for rows that are taken and not in the working set; returns the most violated one, or -1 */
static int cti_gram_violated(cti_gram *g, const double *q, const uint8_t *taken, const double *eps)
{
    double most = 0;
    int i, k, worst = -1;
    for (i = 0; i < g->G->rows; i++) {
        double v = q[i];
        g->v[i] = 0;
        if ((taken && !taken[i]) || g->at[i] >= 0 || g->banned[i])
            continue;
        for (k = g->G->p[i]; k < g->G->p[i + 1]; k++)
            v -= g->G->x[k] * g->lambda[g->G->i[k]];
        if ((cti_gram_signed(g, i) ? v : fabs(v)) <= eps[i])
            continue;
        g->v[i] = v;
        if (fabs(v) > most)
            most = fabs(v), worst = i;
    }
    return worst;
}

CTI_FN cti_gram_end cti_gram_solve(cti_gram *g, const double *q, const uint8_t *taken, const double *eps)
{
    int i, worst, m = g->G->rows;
    int64_t most = g->changes + 1000 + 20 * (int64_t)m;
    memset(g->banned, 0, (size_t)m);
    for (i = g->count - 1; taken && i >= 0; i--)
        if (!taken[g->rows[i]])
            cti_gram_drop(g, i);
    cti_gram_settle(g, q);
    for (i = 0; cti_gram_violated(g, q, taken, eps) >= 0 && i == 0; i++) {
        int k;
        for (k = 0; k < m; k++)
            if (g->v[k] != 0 && cti_gram_add(g, k) < 0)
                return CTI_GRAM_MEMORY;
        cti_gram_settle(g, q);
    }
    while ((worst = cti_gram_violated(g, q, taken, eps)) >= 0 && g->changes < most) {
        int added = cti_gram_add(g, worst);
        if (added < 0)
            return CTI_GRAM_MEMORY;
        if (added == 0) {
            cti_gram_end end = cti_gram_exchange(g, worst);
            if (end != CTI_GRAM_DONE)
                return end;
        }
        cti_gram_settle(g, q);
    }
    return CTI_GRAM_DONE;
}
