/* tableau.c -- dense dictionaries for pivoting methods, and the rows of a problem as one.
   Method: x_B = value + T x_N with only the nonbasic columns stored, so a pivot is one rank-one update of [n][n + 1]. A basis is reached
   again from the start by pivots of largest entries (Gauss-Jordan with full pivoting), which removes what many small pivots have left. */
#include "tableau.h"
#include "../2_linalg/lu.h"

/* ---- a problem's rows ---- */

/* One step on the rows with positive multipliers, with u of A and J themselves instead of W's; kept if it reduces the judge's residual. 0 when
   memory ran out */
static int cti_tableau_refine(cti_dual *d, cti_effort *e, cti_answer *a)
{
    const cti_program *p = d->p;
    double *u = CTI_ARENA_NEW(e->arena, double, p->m), *r = CTI_ARENA_ZERO(e->arena, double, p->m);
    int *list = CTI_ARENA_NEW(e->arena, int, p->m), i, count = 0, solved;
    cti_candidate own;
    if (!u || !r || !list || !cti_candidate_open(&own, p, a, e->arena))
        return 0;
    cti_vec_copy(p->n, a->x, own.x), cti_vec_copy(p->m, a->r, own.r);
    cti_candidate_offer(&own);
    for (i = 0; i < p->m; i++)
        if (a->r[i] > 0 || (p->equation && p->equation[i]))
            list[count++] = i;
    cti_program_u(p, a->x, a->r, u);
    solved = cti_submatrix_solve(e->arena, d->W, p->m, list, count, u, r);
    for (i = 0; i < p->m; i++)
        own.r[i] = p->equation && p->equation[i] ? r[i] + a->r[i] : cti_fmax(r[i] + a->r[i], 0);
    if (solved > 0) {
        cti_dual_x(d, own.r, own.x);
        cti_candidate_offer(&own);
    }
    return solved >= 0;
}

CTI_FN cti_outcome cti_tableau_solve(const cti_program *p, cti_effort *e, cti_answer *a, cti_tableau_runner run)
{
    cti_dual d;
    cti_outcome said;
    memset(&d, 0, sizeof d);
    a->iterations = 0;
    said = cti_dual_open(p, e, CTI_DUAL_DENSE, cti_program_tuned.pivot.rows, &d, &a->why);
    if (said == CTI_OUTCOME_SOLVED)
        said = run(p, &d, e, a);
    if (said == CTI_OUTCOME_MEMORY || said == CTI_OUTCOME_NOT_APPLICABLE)
        return said;
    cti_dual_x(&d, a->r, a->x);
    return said == CTI_OUTCOME_SOLVED && p->kind == CTI_PROGRAM_QP && !cti_tableau_refine(&d, e, a) ? CTI_OUTCOME_MEMORY : said;
}

/* ---- dictionaries ---- */

CTI_FN int cti_tableau_open(cti_tableau *t, cti_arena *arena, const double *M, const double *q, int n, int cols)
{
    t->n = n, t->cols = cols, t->ld = (cols + 7) & ~7, t->M = M, t->q = q;
    t->T = CTI_ARENA_NEW(arena, double, (size_t)n *(size_t)t->ld);
    t->value = CTI_ARENA_NEW(arena, double, n);
    t->basic = CTI_ARENA_NEW(arena, int, n);
    t->nonbasic = CTI_ARENA_NEW(arena, int, cols);
    t->row = CTI_ARENA_NEW(arena, int, 2 * n + 1);
    t->col = CTI_ARENA_NEW(arena, int, 2 * n + 1);
    t->scratch = CTI_ARENA_NEW(arena, int, n + 2 * cols);
    if (!t->scratch || !t->T || !t->value || !t->basic || !t->nonbasic || !t->row || !t->col)
        return 0;
    cti_tableau_reset(t);
    return 1;
}

CTI_FN void cti_tableau_reset(cti_tableau *t)
{
    int i, n = t->n;
    for (i = 0; i < n; i++) {
        double *Ti = t->T + (size_t)i * (size_t)t->ld;
        cti_vec_copy(n, t->M + (size_t)i * (size_t)n, Ti);
        cti_vec_zero(t->ld - n, Ti + n);
        t->value[i] = t->q[i];
        t->basic[i] = i, t->row[i] = i, t->col[i] = -1;
        t->nonbasic[i] = n + i, t->row[n + i] = -1, t->col[n + i] = i;
    }
    t->row[2 * n] = -1, t->col[2 * n] = t->cols > n ? n : -1;
    if (t->cols > n)
        t->nonbasic[n] = 2 * n;
    t->pivots = 0;
}

CTI_FN void cti_tableau_pivot(cti_tableau *t, int r, int c)
{
    double *Tr = t->T + (size_t)r * (size_t)t->ld, inverse = 1 / Tr[c], f;
    int i, j, leave = t->basic[r], enter = t->nonbasic[c];
    for (j = 0; j < t->cols; j++)
        Tr[j] *= -inverse;
    t->value[r] *= -inverse;
    Tr[c] = inverse;
    for (i = 0; i < t->n; i++) {
        double *Ti = t->T + (size_t)i * (size_t)t->ld;
        f = Ti[c];
        if (i == r || f == 0)
            continue;
        Ti[c] = 0;
        cti_lu_subtract(Ti, -f, Tr, t->cols);
        t->value[i] += f * t->value[r];
    }
    t->basic[r] = enter, t->row[enter] = r, t->col[enter] = -1;
    t->nonbasic[c] = leave, t->col[leave] = c, t->row[leave] = -1;
    t->pivots++;
}

/* rows that have to leave, columns that have to enter */
typedef struct cti_tableau_change {
    int *rows, *cols, *place; /* place [n]: index in cols of the partner of rows[i], or -1 */
    int n_rows, n_cols;
} cti_tableau_change;

/* the complementary pair of largest entry, when that is not small in its row and column; 0: none */
static int cti_tableau_pair(const cti_tableau *t, const cti_tableau_change *c, int *bi, int *bj)
{
    double best = 0, most;
    int i, j;
    for (i = 0; i < c->n_rows; i++) {
        int v = t->basic[c->rows[i]], pair = t->col[v < t->n ? v + t->n : v - t->n];
        double x = v < 2 * t->n && pair >= 0 && c->place[pair] >= 0 ? fabs(t->T[cti_index(c->rows[i], t->ld, pair)]) : 0;
        if (x > best)
            best = x, *bi = i, *bj = c->place[pair];
    }
    if (best == 0)
        return 0;
    most = 4 * best;
    for (j = 0; j < c->n_cols; j++)
        if (fabs(t->T[cti_index(c->rows[*bi], t->ld, c->cols[j])]) > most)
            return 0;
    for (i = 0; i < c->n_rows; i++)
        if (fabs(t->T[cti_index(c->rows[i], t->ld, c->cols[*bj])]) > most)
            return 0;
    return 1;
}

static void cti_tableau_largest(const cti_tableau *t, const cti_tableau_change *c, int *bi, int *bj)
{
    double best = 0;
    int i, j;
    for (i = 0; i < c->n_rows; i++) {
        const double *Ti = t->T + (size_t)c->rows[i] * (size_t)t->ld;
        for (j = 0; j < c->n_cols; j++)
            if (fabs(Ti[c->cols[j]]) > best)
                best = fabs(Ti[c->cols[j]]), *bi = i, *bj = j;
    }
}

CTI_FN int cti_tableau_reach(cti_tableau *t, const uint8_t *want, double least)
{
    cti_tableau_change c;
    int i, j;
    c.rows = t->scratch, c.cols = c.rows + t->n, c.place = c.cols + t->cols;
    c.n_rows = c.n_cols = 0;
    for (i = 0; i < t->n; i++)
        if (!want[t->basic[i]])
            c.rows[c.n_rows++] = i;
    for (j = 0; j < t->cols; j++) {
        c.place[j] = want[t->nonbasic[j]] ? c.n_cols : -1;
        if (want[t->nonbasic[j]])
            c.cols[c.n_cols++] = j;
    }
    while (c.n_cols && c.n_rows) {
        int bi = -1, bj = -1;
        if (!cti_tableau_pair(t, &c, &bi, &bj))
            bi = bj = -1, cti_tableau_largest(t, &c, &bi, &bj);
        if (bi < 0 || fabs(t->T[cti_index(c.rows[bi], t->ld, c.cols[bj])]) < least)
            break;
        cti_tableau_pivot(t, c.rows[bi], c.cols[bj]);
        c.place[c.cols[bj]] = -1;
        c.rows[bi] = c.rows[--c.n_rows], c.cols[bj] = c.cols[--c.n_cols];
        if (bj < c.n_cols)
            c.place[c.cols[bj]] = bj;
    }
    return c.n_cols;
}

/* ---- scaling, and solves with a part ---- */

/* the power of two nearest 1 / sqrt(x) */
static double cti_equilibrate_power(double x)
{
    int e;
    if (!(x > 0))
        return 1;
    frexp(x, &e);
    return ldexp(1, -(e - (e & 1 ? 1 : 0)) / 2);
}

/* one pass of Ruiz: rows and columns by the roots of their largest entries; r, c receive its powers. 1 when something changed */
static int cti_equilibrate_pass(double *M, int n, double *r, double *c)
{
    int i, j, changed = 0;
    for (i = 0; i < n; i++)
        r[i] = c[i] = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double x = fabs(M[cti_index(i, n, j)]);
            r[i] = cti_fmax(r[i], x), c[j] = cti_fmax(c[j], x);
        }
    for (i = 0; i < n; i++) {
        r[i] = cti_equilibrate_power(r[i]), c[i] = cti_equilibrate_power(c[i]);
        changed |= r[i] != 1 || c[i] != 1;
    }
    for (i = 0; i < n && changed; i++)
        for (j = 0; j < n; j++)
            M[cti_index(i, n, j)] *= r[i] * c[j];
    return changed;
}

CTI_FN int cti_equilibrate(cti_arena *arena, double *M, int n, double *R, double *C)
{
    cti_arena_point mark = cti_arena_mark(arena);
    double *r = CTI_ARENA_NEW(arena, double, n), *c = CTI_ARENA_NEW(arena, double, n);
    int i, k, changed = 1;
    for (i = 0; i < n; i++)
        R[i] = C[i] = 1;
    for (k = 0; r && c && changed && k < 3; k++)
        for (changed = cti_equilibrate_pass(M, n, r, c), i = 0; i < n; i++)
            R[i] *= r[i], C[i] *= c[i];
    cti_arena_rewind(arena, mark);
    return r && c;
}

CTI_FN double cti_lcp_residual(const cti_lcp *p, const double *R, const double *C, const double *z, double *u)
{
    double size_u = 0, size_z = 0, worst = 0;
    int i, j, n = p->n;
    for (i = 0; i < n; i++) {
        size_z = cti_fmax(size_z, fabs(z[i] * C[i]));
        u[i] = p->q[i], size_u = cti_fmax(size_u, fabs(p->q[i]) / R[i]);
        for (j = 0; j < n; j++) {
            double x = p->M[cti_index(i, n, j)] * z[j];
            u[i] += x, size_u = cti_fmax(size_u, fabs(x) / R[i]);
        }
    }
    for (i = 0; i < n; i++) {
        double off = size_u > 0 ? fabs(u[i]) / R[i] / size_u : 0, room = INFINITY;
        if (!(p->equation && p->equation[i]))
            room = u[i] > 0 ? z[i] - (p->lo ? p->lo[i] : 0) : (p->hi ? p->hi[i] - z[i] : INFINITY);
        if (cti_finite64(room))
            off = cti_fmin(off, size_z > 0 ? room * C[i] / size_z : 0);
        worst = cti_fmax(worst, off);
    }
    return worst;
}

CTI_FN int cti_submatrix_solve(cti_arena *arena, const double *M, int n, const int *list, int count, const double *s, double *z)
{
    cti_arena_point mark = cti_arena_mark(arena);
    int ld = (count + 7) & ~7, i, j, it, ok;
    double *A = CTI_ARENA_ZERO(arena, double, (size_t)count *(size_t)ld), *y = CTI_ARENA_NEW(arena, double, ld),
           *x = CTI_ARENA_ZERO(arena, double, ld);
    double *scratch = CTI_ARENA_NEW(arena, double, cti_lu_scratch(count));
    int *pivot = CTI_ARENA_NEW(arena, int, count);
    if (!A || !y || !x || !scratch || !pivot)
        return -1;
    for (i = 0; i < count; i++)
        for (j = 0; j < count; j++)
            A[cti_index(i, ld, j)] = M[cti_index(list[i], n, list[j])];
    ok = count == 0 || cti_lu_factor(A, count, ld, pivot, scratch);
    for (it = 0; ok && count && it < 3; it++) {
        for (i = 0; i < count; i++) {
            const double *Mi = M + (size_t)list[i] * (size_t)n;
            y[i] = -s[list[i]];
            for (j = 0; it && j < count; j++)
                y[i] -= Mi[list[j]] * x[j];
        }
        cti_lu_solve(A, count, ld, pivot, y);
        cti_vec_add(count, 1, y, x);
    }
    for (i = 0; ok && i < count; i++)
        ok = cti_finite64(x[i]) != 0;
    for (i = 0; ok && i < count; i++)
        z[list[i]] = x[i];
    cti_arena_rewind(arena, mark);
    return ok;
}
