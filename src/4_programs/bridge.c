/* bridge.c -- the world's contact problem as a stand-alone one, and back. Method: see bridge.h; rows are gathered as triplets and summed.
   Based on: Otaduy 2009, eq. 6-7 (the problem); Acary, Bremond and Huber 2018 (the global form of frictional contact). The compliances are
   exact penalties, r = -u / c. */
#include "bridge.h"

/* appends J of a row as the rows at .. at + 2. 0: out of memory */
static int cti_bridge_add_row(cti_mem *mem, cti_triplets *t, const cti_problem *p, const cti_row *row, int at)
{
    int k, e, ok = 1;
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9];
        cti_row_map_t(p, row, k, Gt);
        for (e = 0; ok && e < 9; e++)
            ok = cti_triplets_add(mem, t, at + e / 3, 3 * row->term[k].block + e % 3, (double)Gt[3 * (e % 3) + e / 3]);
    }
    return ok;
}

/* w [3] of a row for J = G S: w + G (I - S) v, where A (I - S) = a (I - S): a pin in one or two axes gives its velocity */
static void cti_bridge_constant(const cti_problem *p, const cti_row *row, double *w)
{
    int k, a, c;
    for (a = 0; a < 3; a++)
        w[a] = (double)row->w[a];
    for (k = 0; k < row->n; k++) {
        int block = row->term[k].block;
        const ct_real *S = p->filter && p->filter[block] >= 0 ? p->projectors + 9 * (size_t)p->filter[block] : NULL;
        ct_real G[9], v[3], size = 0, rank = 0;
        const ct_real *A = p->A->val + 9 * (size_t)p->A->diag[block];
        for (a = 0; S && a < 9; a++)
            size += ((a % 4 == 0) - S[a]) * A[a], rank += a % 4 ? 0 : 1 - S[a];
        if (!(size > 0))
            continue;
        cti_row_map(row, k, G);
        cti_v3_put(v, 0, cti_v3_sub(cti_v3_at(p->b, block), cti_m3_mul_v(S, cti_v3_at(p->b, block))));
        for (a = 0; a < 3; a++)
            for (c = 0; c < 3; c++)
                w[a] += (double)(G[3 * a + c] * v[c] * rank / size);
    }
}

/* ---- the laws of a row ---- */

CTI_FN cti_bridge_mode cti_bridge_whole(const cti_row *row)
{
    if (row->equations)
        return CTI_BRIDGE_EQUATION;
    if (!(row->recover > 0))
        return CTI_BRIDGE_HARD;
    return row->compliance[0] < row->softness ? CTI_BRIDGE_TWO : CTI_BRIDGE_SOFT;
}

/* cti_bridge_law -- the contacts of a row: one or two; compliance of the first normal, additional compliance of the second, recovery speed
   of the last one */
typedef struct cti_bridge_law {
    int two;
    double c, more, recover;
} cti_bridge_law;

static cti_bridge_law cti_bridge_law_of(const cti_bridge *q, int i)
{
    const cti_row *row = &q->p->rows[i];
    cti_bridge_law l;
    l.two = q->mode[i] == CTI_BRIDGE_TWO;
    l.c = (double)(q->mode[i] == CTI_BRIDGE_SOFT ? row->softness : row->compliance[0]);
    l.more = l.two ? (double)row->softness - l.c : 0;
    l.recover = q->mode[i] == CTI_BRIDGE_HARD ? 0 : (double)row->recover;
    return l;
}

/* compliance of an axis by the row's blocks, as if these were uncoupled */
static double cti_bridge_own(const cti_problem *p, const cti_row *row, int axis)
{
    double d = 0;
    int k, j, l;
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9], inverse[9];
        if (!cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[row->term[k].block], inverse))
            continue;
        cti_row_map_t(p, row, k, Gt);
        for (j = 0; j < 3; j++)
            for (l = 0; l < 3; l++)
                d += (double)(Gt[3 * j + axis] * inverse[3 * j + l] * Gt[3 * l + axis]);
    }
    return d;
}

/* compliance of an equation; 0: no block can move along the axis */
static double cti_bridge_soft(const cti_problem *p, const cti_row *row, int axis)
{
    double own = cti_bridge_own(p, row, axis);
    return own > 0 ? cti_fmax((double)row->compliance[axis], cti_program_tuned.bridge.rigid * own) : 0;
}

/* ---- to the program ---- */

static int cti_bridge_count(cti_bridge *q, cti_arena *arena, const uint8_t *mode)
{
    const cti_problem *p = q->p;
    uint8_t *whole = mode ? NULL : CTI_ARENA_NEW(arena, uint8_t, p->n_rows);
    int i;
    q->first = CTI_ARENA_NEW(arena, int32_t, p->n_rows);
    if (!q->first || !(mode || whole))
        return 0;
    for (i = 0; whole && i < p->n_rows; i++)
        whole[i] = (uint8_t)cti_bridge_whole(&p->rows[i]);
    q->mode = mode ? mode : whole;
    for (q->a = 0, i = 0; i < 3 * p->A->n; i++)
        q->a += (double)p->A->val[9 * (size_t)p->A->diag[i / 3] + 4 * (size_t)(i % 3)] / (3 * p->A->n);
    q->a = q->a > 0 ? q->a : 1;
    for (i = 0; i < p->n_rows; i++) {
        const cti_row *row = &p->rows[i];
        cti_bridge_law l = cti_bridge_law_of(q, i);
        q->first[i] = -1;
        if (q->mode[i] == CTI_BRIDGE_OUT || q->mode[i] == CTI_BRIDGE_EQUATION)
            continue;
        q->first[i] = q->contacts, q->contacts += 1 + l.two;
        q->extra += (l.c > 0) + (l.more > 0) + (row->mu > 0 && row->compliance[1] > 0) + (row->mu > 0 && row->compliance[2] > 0);
    }
    return 1;
}

/* the part of an equation's row in A and b: J'J / c, -J'w / c. 0: out of memory */
static int cti_bridge_eliminate(cti_bridge *q, cti_mem *mem, const cti_row *row, cti_triplets *t)
{
    cti_triplets J;
    double w[3];
    int k, l, ok;
    memset(&J, 0, sizeof J);
    ok = cti_bridge_add_row(mem, &J, q->p, row, 0);
    cti_bridge_constant(q->p, row, w);
    for (k = 0; ok && k < CTI_LEN(J.x); k++) {
        double c = (row->equations >> J.i[k] & 1) ? cti_bridge_soft(q->p, row, J.i[k]) : 0;
        if (!(c > 0))
            continue;
        q->program.b[J.j[k]] -= J.x[k] * w[J.i[k]] / c;
        for (l = 0; ok && l < CTI_LEN(J.x); l++)
            if (J.i[l] == J.i[k])
                ok = cti_triplets_add(mem, t, J.j[k], J.j[l], J.x[k] * J.x[l] / c);
    }
    cti_triplets_close(mem, &J, 0, 0, 0, NULL);
    return ok;
}

/* A, with the parts of v, of s and of eliminated equations; b */
static int cti_bridge_matrix(cti_bridge *q, cti_mem *mem)
{
    const cti_problem *p = q->p;
    const cti_bsr *A = p->A;
    cti_triplets t;
    int n3 = 3 * A->n, i, k, e, ok;
    memset(&t, 0, sizeof t);
    ok = CTI_RESIZE(mem, q->program.b, n3 + q->extra);
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            for (e = 0; ok && e < 9; e++)
                ok = cti_triplets_add(mem, &t, 3 * i + e / 3, 3 * A->col[k] + e % 3, (double)A->val[9 * (size_t)k + (size_t)e]);
    for (i = 0; ok && i < n3; i++)
        q->program.b[i] = (double)p->b[i];
    for (i = 0; ok && i < q->extra; i++)
        ok = cti_triplets_add(mem, &t, n3 + i, n3 + i, q->a);
    for (i = 0; ok && i < p->n_rows; i++)
        ok = !p->rows[i].equations || cti_bridge_eliminate(q, mem, &p->rows[i], &t);
    return cti_triplets_close(mem, &t, ok, n3 + q->extra, n3 + q->extra, &q->program.A);
}

/* an unknown s of compliance c, in one row or in the rows of both contacts. 0: out of memory */
static int cti_bridge_add_soft(const cti_bridge *q, cti_mem *mem, cti_triplets *t, int at, int both, double c, int *s)
{
    if (!(c > 0))
        return 1;
    ++*s;
    return cti_triplets_add(mem, t, at, *s - 1, sqrt(q->a * c)) && (!both || cti_triplets_add(mem, t, at + 3, *s - 1, sqrt(q->a * c)));
}

/* one or two contacts of a row, their unknowns s from *s on. 0: out of memory */
static int cti_bridge_put(cti_bridge *q, cti_mem *mem, cti_triplets *t, int i, int *s)
{
    cti_program *g = &q->program;
    const cti_row *row = &q->p->rows[i];
    cti_bridge_law l = cti_bridge_law_of(q, i);
    int at = 3 * q->first[i], k, ok = 1;
    for (k = 0; k < 1 + l.two; k++) {
        ok = ok && cti_bridge_add_row(mem, t, q->p, row, at + 3 * k);
        g->mu[at / 3 + k] = (double)row->mu;
        cti_bridge_constant(q->p, row, g->w + at + 3 * k);
    }
    g->w[at + 3 * l.two] -= l.recover;
    ok = ok && cti_bridge_add_soft(q, mem, t, at, l.two, l.c, s) && cti_bridge_add_soft(q, mem, t, at + 3, 0, l.more, s);
    for (k = 1; k < 3 && row->mu > 0; k++)
        ok = ok && cti_bridge_add_soft(q, mem, t, at + k, l.two, (double)row->compliance[k], s);
    return ok;
}

/* J, w, mu */
static int cti_bridge_rows(cti_bridge *q, cti_mem *mem)
{
    const cti_problem *p = q->p;
    cti_program *g = &q->program;
    cti_triplets t;
    int i, s = 3 * p->A->n, ok = CTI_RESIZE(mem, g->w, g->m) && CTI_RESIZE(mem, g->mu, q->contacts);
    memset(&t, 0, sizeof t);
    for (i = 0; ok && i < p->n_rows; i++)
        ok = q->first[i] < 0 || cti_bridge_put(q, mem, &t, i, &s);
    return cti_triplets_close(mem, &t, ok, g->m, g->n, &g->J);
}

/* ---- to the program between contacts ---- */

/* adds compliances to the diagonal block W of a row: contact k of it against contact l of the same row */
static void cti_bridge_compliant(const cti_bridge *q, int i, int k, int l, double *B)
{
    const cti_row *row = &q->p->rows[i];
    cti_bridge_law law = cti_bridge_law_of(q, i);
    B[0] += law.c + (k == 1 && l == 1 ? law.more : 0);
    if (row->mu > 0)
        B[4] += (double)row->compliance[1], B[8] += (double)row->compliance[2];
}

/* the entries of W from its blocks; a row with two laws appears as two contacts */
static void cti_bridge_entries(cti_bridge *q, const cti_delassus_bodies *d)
{
    cti_sparse *W = &q->program.W;
    int s, e, k, l, a, c, at = 0;
    for (s = 0; s < d->n; s++)
        for (k = 0; k < 1 + (q->mode[d->row[s]] == CTI_BRIDGE_TWO); k++)
            for (a = 0; a < 3; a++) {
                W->p[3 * (q->first[d->row[s]] + k) + a] = at;
                for (e = d->first[s]; e < d->first[s + 1]; e++) {
                    int j = d->row[d->column[e]];
                    for (l = 0; l < 1 + (q->mode[j] == CTI_BRIDGE_TWO); l++) {
                        double B[9];
                        memcpy(B, d->block + 9 * (size_t)e, sizeof B);
                        if (j == d->row[s])
                            cti_bridge_compliant(q, j, k, l, B);
                        for (c = 0; c < 3; c++)
                            W->i[at] = 3 * (q->first[j] + l) + c, W->x[at++] = B[3 * a + c];
                    }
                }
            }
    W->p[q->program.m] = at;
}

/* w = J x0 + w, mu */
static void cti_bridge_sides(cti_bridge *q, const cti_delassus_bodies *d)
{
    cti_program *g = &q->program;
    int s, k, a;
    for (s = 0; s < d->n; s++) {
        int i = d->row[s], at = q->first[i];
        const cti_row *row = &q->p->rows[i];
        cti_bridge_law l = cti_bridge_law_of(q, i);
        double u[3], w[3];
        cti_delassus_bodies_gather(q->p, row, q->x0, u);
        cti_bridge_constant(q->p, row, w);
        for (k = 0; k < 1 + l.two; k++) {
            g->mu[at + k] = (double)row->mu;
            for (a = 0; a < 3; a++)
                g->w[3 * (at + k) + a] = u[a] + w[a];
        }
        g->w[3 * (at + l.two)] -= l.recover;
    }
}

static int cti_bridge_reduce(cti_bridge *q, cti_mem *mem, cti_arena *arena)
{
    const cti_problem *p = q->p;
    cti_program *g = &q->program;
    int32_t *row = CTI_ARENA_NEW(arena, int32_t, p->n_rows);
    cti_arena_point mark;
    cti_delassus_bodies d;
    int i, s, e, n = 0, entries = 0, n3 = 3 * p->A->n, ok;
    q->x0 = CTI_ARENA_NEW(arena, double, n3);
    if (!row || !q->x0)
        return 0;
    mark = cti_arena_mark(arena);
    for (i = 0; i < n3; i++)
        q->x0[i] = (double)p->b[i];
    for (i = 0; i < p->n_rows; i++)
        if (q->first[i] >= 0)
            row[n++] = i;
    ok = cti_delassus_bodies_solve(arena, p, q->x0) && cti_delassus_bodies_form(arena, p, row, n, &d);
    for (s = 0; ok && s < n; s++)
        for (e = d.first[s]; e < d.first[s + 1]; e++)
            entries += 9 * (1 + (q->mode[row[s]] == CTI_BRIDGE_TWO)) * (1 + (q->mode[row[d.column[e]]] == CTI_BRIDGE_TWO));
    ok = ok && cti_sparse_reserve(mem, &g->W, g->m, g->m, entries) && CTI_RESIZE(mem, g->w, g->m) && CTI_RESIZE(mem, g->mu, q->contacts);
    if (ok) {
        cti_bridge_entries(q, &d);
        cti_bridge_sides(q, &d);
    }
    cti_arena_rewind(arena, mark);
    return ok;
}

CTI_FN int cti_bridge_is_local(const cti_problem *p)
{
    int i, equations = 0;
    for (i = 0; i < p->n_rows; i++)
        equations |= p->rows[i].equations;
    return p->n_bodies > 0 && !equations;
}

CTI_FN int cti_bridge_open(cti_mem *mem, cti_arena *arena, const cti_problem *p, const uint8_t *mode, cti_bridge *q)
{
    q->p = p;
    if (!cti_bridge_count(q, arena, mode))
        return 0;
    if (cti_bridge_is_local(p)) {
        q->program.kind = CTI_PROGRAM_LOCAL;
        q->program.n = q->program.m = 3 * q->contacts;
        return cti_bridge_reduce(q, mem, arena);
    }
    q->program.kind = CTI_PROGRAM_GLOBAL;
    q->program.n = 3 * p->A->n + q->extra, q->program.m = 3 * q->contacts;
    return cti_bridge_matrix(q, mem) && cti_bridge_rows(q, mem);
}

CTI_FN void cti_bridge_close(cti_mem *mem, cti_bridge *q) { cti_program_free(mem, &q->program); }

/* ---- numbers there and back ---- */

CTI_FN void cti_bridge_start(const cti_bridge *q, const ct_real *v, double *x, double *r)
{
    const cti_problem *p = q->p;
    int i, k, s = 3 * p->A->n, local = q->program.kind == CTI_PROGRAM_LOCAL;
    for (i = 0; i < s && !local; i++)
        x[i] = (double)v[i];
    for (i = 0; i < p->n_rows; i++) {
        const cti_row *row = &p->rows[i];
        cti_bridge_law l = cti_bridge_law_of(q, i);
        double n = (double)row->r[0], second = l.two ? cti_fmin(n, l.recover / l.more) : 0, part = n > 0 ? second / n : 0;
        int at = 3 * q->first[i];
        if (at < 0)
            continue;
        for (k = 0; k < 3; k++) {
            r[at + k] = (double)row->r[k] * (1 - part);
            if (l.two)
                r[at + 3 + k] = (double)row->r[k] * part;
        }
        /* s = sqrt(c / a) r */
        if (local)
            continue;
        if (l.c > 0)
            x[s++] = sqrt(l.c / q->a) * n;
        if (l.more > 0)
            x[s++] = sqrt(l.more / q->a) * second;
        for (k = 1; k < 3 && row->mu > 0; k++)
            if (row->compliance[k] > 0)
                x[s++] = sqrt((double)row->compliance[k] / q->a) * (double)row->r[k];
    }
}

/* r = -(J v + w) / c of a row's equations, in double */
static void cti_bridge_equations(const cti_bridge *q, cti_row *row, const double *x)
{
    double w[3];
    int k, a, c;
    cti_bridge_constant(q->p, row, w);
    for (a = 0; a < 3; a++) {
        double u = w[a], soft = (row->equations >> a & 1) ? cti_bridge_soft(q->p, row, a) : 0;
        row->r[a] = 0;
        if (!(soft > 0))
            continue;
        for (k = 0; k < row->n; k++) {
            ct_real Gt[9];
            cti_row_map_t(q->p, row, k, Gt);
            for (c = 0; c < 3; c++)
                u += (double)Gt[3 * c + a] * x[3 * row->term[k].block + c];
        }
        row->r[a] = (ct_real)(-u / soft);
    }
}

/* v = A^-1 (b + J'r) of the rows' multipliers. 0: out of memory */
static int cti_bridge_velocities(const cti_bridge *q, cti_arena *arena, ct_real *v)
{
    const cti_problem *p = q->p;
    cti_arena_point mark = cti_arena_mark(arena);
    int i, k, n3 = 3 * p->A->n, ok;
    double *f = CTI_ARENA_ZERO(arena, double, n3), r[3];
    for (i = 0; f && i < p->n_rows; i++) {
        for (k = 0; k < 3; k++)
            r[k] = (double)p->rows[i].r[k];
        cti_delassus_bodies_scatter(p, &p->rows[i], r, f);
    }
    ok = f && cti_delassus_bodies_solve(arena, p, f);
    for (i = 0; ok && i < n3; i++)
        v[i] = (ct_real)(q->x0[i] + f[i]);
    cti_arena_rewind(arena, mark);
    return ok;
}

CTI_FN int cti_bridge_finish(const cti_bridge *q, cti_arena *arena, const double *x, const double *r, ct_real *v)
{
    const cti_problem *p = q->p;
    int i, k, local = q->program.kind == CTI_PROGRAM_LOCAL;
    for (i = 0; i < 3 * p->A->n && !local; i++)
        v[i] = (ct_real)x[i];
    for (i = 0; i < p->n_rows; i++) {
        cti_row *row = &p->rows[i];
        const double *ri = q->first[i] < 0 ? NULL : r + 3 * q->first[i];
        if (q->mode[i] == CTI_BRIDGE_EQUATION)
            cti_bridge_equations(q, row, x);
        for (k = 0; k < 3 && q->mode[i] != CTI_BRIDGE_EQUATION; k++)
            row->r[k] = ri ? (ct_real)(ri[k] + (q->mode[i] == CTI_BRIDGE_TWO ? ri[3 + k] : 0)) : 0;
        if (!ri)
            continue;
        row->r[0] = cti_max(0, row->r[0]);
        if (!(row->mu > 0))
            row->r[1] = row->r[2] = 0;
    }
    return !local || cti_bridge_velocities(q, arena, v);
}
