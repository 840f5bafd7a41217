/* active_set.c -- strictly convex quadratic programs by a dual active set method.
   Method: Goldfarb, Idnani 1983. From the unconstrained minimum A^-1 b the most violated row p is made active: along

     q = W_SS^-1 W_Sp,   y_p += t,   y_S -= t q,   u_p += t (W_pp - W_pS q),      W = J A^-1 J'

   until u_p = 0 (p enters the active set S) or a multiplier of S reaches 0 (its row leaves, and the step for p continues). The dual
   objective rises with every row that enters, so that no set occurs twice. If neither happens, row p contradicts S, and y_p = 1, y_S = -q
   proves it. A is factored once. A column of W is computed when its row is first needed. W_SS = L L' is updated: extended by a row, or
   reduced by rotations. differs: the baseline of Li 2015 is a primal active set method; the dual one needs no feasible start, no phase 1,
   and certifies inconsistent rows. */
#include "active_set.h"
#include "convex.h"

#define CTI_ACTIVE_ROWS 6000       /* most rows, since a column of W is dense */
#define CTI_ACTIVE_BATCH 32        /* columns of W that are computed together */
#define CTI_ACTIVE_DEPENDENT 1e-14 /* [W_pp] with a smaller pivot, row p depends on the active rows */
#define CTI_ACTIVE_NEARLY 1e-9     /* [W_pp] with a smaller pivot, a certificate of infeasibility is tried */
#define CTI_ACTIVE_ROUNDING 1e-14  /* [terms of u] a violation below it is rounding: 50 eps, as sums of hundreds of terms lose */
#define CTI_ACTIVE_REPAIRS 6       /* corrections of the multipliers by the exact u */

/* the Cholesky factor of W_SS */
typedef struct cti_active_factor {
    int ld;
    double *L;         /* [count][ld] lower */
    double *v, *q, *l; /* [m] W_Sp, W_SS^-1 W_Sp, L^-1 W_Sp */
} cti_active_factor;

typedef struct cti_active {
    cti_convex c;
    cti_effort *e;
    cti_answer *a;
    double *x, *u0, *u, *y; /* [n], [m]: u = u0 + W y, u0 = J A^-1 b + w */
    double *terms;          /* [m] sum of the sizes of the terms that u is computed from */
    double **column;        /* [m] columns of W, or NULL if not computed yet */
    int32_t *set;           /* [count] active rows, in the order of L */
    uint8_t *in, *ignored;  /* [m] */
    int count, steps;
    cti_active_factor factor;
    double *X, *many; /* right sides [3 blocks][batch], their scratch */
    double tolerance; /* on u */
} cti_active;

typedef enum cti_active_end {
    CTI_ACTIVE_ON,
    CTI_ACTIVE_MEMORY,
    CTI_ACTIVE_CONTRADICTION,
    CTI_ACTIVE_BUDGET,
    CTI_ACTIVE_LOST
} cti_active_end;

static int cti_active_alloc(cti_active *s)
{
    cti_arena *arena = s->e->arena;
    size_t m = (size_t)s->c.m;
    double **of_m[7];
    int k;
    of_m[0] = &s->u0, of_m[1] = &s->u, of_m[2] = &s->y, of_m[3] = &s->factor.v, of_m[4] = &s->factor.q, of_m[5] = &s->factor.l;
    of_m[6] = &s->terms;
    for (k = 0; k < 7; k++)
        if (!(*of_m[k] = CTI_ARENA_ZERO(arena, double, m)))
            return 0;
    s->x = CTI_ARENA_ZERO(arena, double, s->c.n);
    s->column = CTI_ARENA_ZERO(arena, double *, m);
    s->set = CTI_ARENA_ZERO(arena, int32_t, m);
    s->in = CTI_ARENA_ZERO(arena, uint8_t, m), s->ignored = CTI_ARENA_ZERO(arena, uint8_t, m);
    return s->x && s->column && s->set && s->in && s->ignored;
}

/* ---- columns of W ---- */

/* chooses the rows whose columns are computed together with p's: the most violated rows without a column. Returns their number, p
   included */
static int cti_active_batch(const cti_active *s, int p, int *batch)
{
    int n = 1, i, k;
    batch[0] = p;
    for (i = 0; i < s->c.m; i++) {
        if (i == p || s->column[i] || s->in[i] || s->u[i] >= -s->tolerance)
            continue;
        /* the batch stays sorted by violation */
        for (k = n < CTI_ACTIVE_BATCH ? n++ : n; k > 1 && s->u[batch[k - 1]] > s->u[i]; k--)
            if (k < CTI_ACTIVE_BATCH)
                batch[k] = batch[k - 1];
        if (k < CTI_ACTIVE_BATCH)
            batch[k] = i;
    }
    return n;
}

static int cti_active_column(cti_active *s, int p)
{
    const cti_sparse *J = &s->c.J;
    int batch[CTI_ACTIVE_BATCH + 1], n, width, i, k, b;
    double sums[CTI_ACTIVE_BATCH];
    if (s->column[p])
        return 1;
    n = cti_active_batch(s, p, batch);
    width = (n + 7) & ~7;
    memset(s->X, 0, sizeof *s->X * (size_t)(3 * s->c.kkt.system.bsr.n) * (size_t)width);
    for (b = 0; b < n; b++) {
        if (!(s->column[batch[b]] = CTI_ARENA_NEW(s->e->arena, double, s->c.m)))
            return 0;
        for (k = J->p[batch[b]]; k < J->p[batch[b] + 1]; k++)
            s->X[(size_t)J->i[k] * (size_t)width + (size_t)b] = J->x[k];
    }
    if (s->c.n)
        cti_factor64_solve_many(&s->c.kkt.system.factor, s->X, n, s->many);
    for (i = 0; i < J->rows; i++) {
        memset(sums, 0, sizeof sums);
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            for (b = 0; b < n; b++)
                sums[b] += J->x[k] * s->X[(size_t)J->i[k] * (size_t)width + (size_t)b];
        for (b = 0; b < n; b++)
            s->column[batch[b]][i] = sums[b];
    }
    return 1;
}

/* x = A^-1 (b + J'y), and u from x */
static void cti_active_point(cti_active *s, int refine)
{
    int i, k;
    memcpy(s->x, s->c.b, sizeof *s->x * (size_t)s->c.n);
    cti_sparse_addmul_t(&s->c.J, s->y, s->x);
    cti_scalar_solve(&s->c.kkt.system, s->x, refine);
    cti_sparse_mul(&s->c.J, s->x, s->u);
    for (i = 0; i < s->c.m; i++) {
        s->u[i] += s->c.w[i], s->terms[i] = fabs(s->c.w[i]);
        for (k = s->c.J.p[i]; k < s->c.J.p[i + 1]; k++)
            s->terms[i] += fabs(s->c.J.x[k] * s->x[s->c.J.i[k]]);
    }
}

/* u = u0 + W y, or computed from x if a solve with A costs less */
static void cti_active_update_u(cti_active *s)
{
    int i, k;
    if ((double)s->c.m * s->count > 6 * (double)s->c.kkt.system.factor.bytes / sizeof(double)) {
        cti_active_point(s, 1);
        return;
    }
    memcpy(s->u, s->u0, sizeof *s->u * (size_t)s->c.m);
    for (i = 0; i < s->c.m; i++)
        s->terms[i] = fabs(s->u0[i]);
    for (k = 0; k < s->count; k++) {
        const double *w = s->column[s->set[k]];
        double y = s->y[s->set[k]];
        for (i = 0; i < s->c.m; i++)
            s->u[i] += y * w[i], s->terms[i] += fabs(y * w[i]);
    }
}

/* ---- the factor of W_SS ---- */

/* makes room for one more row */
static int cti_active_grow(cti_active *s)
{
    int ld = s->factor.ld ? 2 * s->factor.ld : 64, i;
    double *L;
    if (s->count < s->factor.ld)
        return 1;
    L = CTI_ARENA_NEW(s->e->arena, double, (size_t)ld *(size_t)ld);
    if (!L)
        return 0;
    for (i = 0; i < s->count; i++)
        memcpy(L + (size_t)i * (size_t)ld, s->factor.L + (size_t)i * (size_t)s->factor.ld, sizeof *L * (size_t)(i + 1));
    s->factor.L = L, s->factor.ld = ld;
    return 1;
}

/* l = L^-1 v, q = L'^-1 l; returns l'l */
static double cti_active_solve(cti_active *s, const double *v)
{
    double square = 0;
    int i, k;
    for (i = 0; i < s->count; i++) {
        const double *row = s->factor.L + (size_t)i * (size_t)s->factor.ld;
        double sum = v[i];
        for (k = 0; k < i; k++)
            sum -= row[k] * s->factor.l[k];
        s->factor.l[i] = sum / row[i];
        square += s->factor.l[i] * s->factor.l[i];
    }
    memcpy(s->factor.q, s->factor.l, sizeof *s->factor.q * (size_t)s->count);
    for (i = s->count - 1; i >= 0; i--) {
        const double *row = s->factor.L + (size_t)i * (size_t)s->factor.ld;
        s->factor.q[i] /= row[i];
        for (k = 0; k < i; k++)
            s->factor.q[k] -= row[k] * s->factor.q[i];
    }
    return square;
}

/* p enters the set; l is L^-1 W_Sp, and `square` is the square of its pivot */
static int cti_active_enter(cti_active *s, int p, double square)
{
    double *row;
    if (!cti_active_grow(s))
        return 0;
    row = s->factor.L + (size_t)s->count * (size_t)s->factor.ld;
    memcpy(row, s->factor.l, sizeof *row * (size_t)s->count);
    row[s->count] = sqrt(square);
    s->set[s->count++] = p, s->in[p] = 1;
    return 1;
}

/* removes the row at position `at`: the rows below move up, and rotations of neighbouring columns make them lower triangular again; v and l
   hold the rotations */
static void cti_active_leave(cti_active *s, int at)
{
    double *cosine = s->factor.v, *sine = s->factor.l;
    int i, k;
    s->in[s->set[at]] = 0, s->y[s->set[at]] = 0;
    for (i = at; i + 1 < s->count; i++) {
        const double *from = s->factor.L + (size_t)(i + 1) * (size_t)s->factor.ld;
        double *row = s->factor.L + (size_t)i * (size_t)s->factor.ld, next, size;
        memmove(row, from, sizeof *row * (size_t)(at + 1));
        next = from[at];
        for (k = at; k < i; k++) {
            double other = from[k + 1];
            row[k] = cosine[k] * next + sine[k] * other;
            next = cosine[k] * other - sine[k] * next;
        }
        size = sqrt(next * next + from[i + 1] * from[i + 1]);
        cosine[i] = next / size, sine[i] = from[i + 1] / size;
        row[i] = size;
        s->set[i] = s->set[i + 1];
    }
    s->count--;
}

/* ---- one row ---- */

static int cti_active_choose(const cti_active *s, int bland)
{
    double worst = 0;
    int i, found = -1;
    for (i = 0; i < s->c.m; i++) {
        double off = s->c.equation[i] ? fabs(s->u[i]) : -s->u[i];
        if (s->in[i] || s->ignored[i] || off <= cti_fmax(s->tolerance, CTI_ACTIVE_ROUNDING * s->terms[i]))
            continue;
        /* equations are taken first */
        off = s->c.equation[i] ? 1e300 : off;
        if (off > worst)
            worst = off, found = i;
        if (found >= 0 && bland)
            break;
    }
    return found;
}

/* the first multiplier that reaches 0 along -sign q: its position in S, or -1; *t: at which step length */
static int cti_active_block(const cti_active *s, double sign, double *t)
{
    double most = 0;
    int i, found = -1;
    *t = INFINITY;
    for (i = 0; i < s->count; i++)
        most = cti_fmax(most, fabs(s->factor.q[i]));
    for (i = 0; i < s->count; i++) {
        double rate = sign * s->factor.q[i], room;
        if (s->c.equation[s->set[i]] || rate <= 1e-13 * most)
            continue;
        room = cti_fmax(0, s->y[s->set[i]]) / rate;
        if (room < *t)
            *t = room, found = i;
    }
    return found;
}

/* tries y_p = 1, y_S = -q as a proof that the rows contradict each other */
static int cti_active_certify(cti_active *s, int p, double sign)
{
    double *y = CTI_ARENA_ZERO(s->e->arena, double, s->c.m);
    int i;
    if (!y)
        return -1;
    if (s->c.dual || s->c.p->kind != CTI_PROGRAM_QP)
        return 0;
    y[p] = sign;
    for (i = 0; i < s->count; i++)
        y[s->set[i]] = s->c.equation[s->set[i]] ? -sign * s->factor.q[i] : cti_fmax(0, -sign * s->factor.q[i]);
    return cti_convex_certify(&s->c, y, s->a->x, s->a->r);
}

/* makes row p active; other rows may leave */
static cti_active_end cti_active_row(cti_active *s, int p)
{
    double sign = s->c.equation[p] && s->u[p] > 0 ? -1 : 1, up = s->u[p], square, t, full;
    int i, block, got;
    if (!cti_active_column(s, p))
        return CTI_ACTIVE_MEMORY;
    s->y[p] = 0;
    for (;; s->steps++) {
        const double *w = s->column[p];
        for (i = 0; i < s->count; i++)
            s->factor.v[i] = w[s->set[i]];
        square = w[p] - cti_active_solve(s, s->factor.v);
        block = cti_active_block(s, sign, &t);
        full = square > CTI_ACTIVE_DEPENDENT * w[p] ? fabs(up) / square : INFINITY;
        if (block < 0 && square <= CTI_ACTIVE_NEARLY * w[p]) {
            got = cti_active_certify(s, p, sign);
            if (got)
                return got > 0 ? CTI_ACTIVE_CONTRADICTION : CTI_ACTIVE_MEMORY;
            if (!(full < INFINITY)) {
                s->ignored[p] = 1, s->y[p] = 0;
                return CTI_ACTIVE_ON;
            }
        }
        t = cti_fmin(t, full);
        for (i = 0; i < s->count; i++)
            s->y[s->set[i]] -= sign * t * s->factor.q[i];
        s->y[p] += sign * t;
        if (t >= full)
            return cti_active_enter(s, p, square) ? CTI_ACTIVE_ON : CTI_ACTIVE_MEMORY;
        if (block < 0) /* u_p is no number */
            return CTI_ACTIVE_LOST;
        up += sign * t * cti_fmax(0, square);
        cti_active_leave(s, block);
    }
}

/* ---- exactness ---- */

/* corrects the multipliers so that the active rows' u, computed from x, is 0. u0 is updated, so that errors in the columns of W do not
   remain */
static void cti_active_repair(cti_active *s)
{
    int i, k, it;
    for (it = 0; it < 2; it++) {
        cti_active_point(s, 2);
        for (i = 0; i < s->count; i++)
            s->factor.v[i] = -s->u[s->set[i]];
        cti_active_solve(s, s->factor.v);
        for (i = 0; i < s->count; i++) {
            s->y[s->set[i]] += s->factor.q[i];
            if (!s->c.equation[s->set[i]])
                s->y[s->set[i]] = cti_fmax(0, s->y[s->set[i]]);
        }
    }
    cti_active_point(s, 2);
    memcpy(s->u0, s->u, sizeof *s->u0 * (size_t)s->c.m);
    for (k = 0; k < s->count; k++)
        for (i = 0; i < s->c.m; i++)
            s->u0[i] -= s->y[s->set[k]] * s->column[s->set[k]][i];
}

/* size of the terms that cancel in u */
static double cti_active_size(const cti_active *s)
{
    double size = 0;
    int i, k;
    for (i = 0; i < s->c.m; i++) {
        size = cti_fmax(size, fabs(s->c.w[i]));
        for (k = s->c.J.p[i]; k < s->c.J.p[i + 1]; k++)
            size = cti_fmax(size, fabs(s->c.J.x[k] * s->x[s->c.J.i[k]]));
    }
    return size;
}

/* ---- driver ---- */

/* factors A and computes the unconstrained minimum. 0: no memory, -1: A is not definite */
static int cti_active_open(cti_active *s)
{
    cti_scalar *sys = &s->c.kkt.system;
    const cti_factor64 *f = &sys->factor;
    double most = 0;
    int i;
    if (!cti_scalar_open(s->e->mem, sys, &s->c.A) || !cti_scalar_factor(s->e->mem, sys))
        return 0;
    for (i = 0; s->c.n && i < f->sym->pivot[f->sym->n_super]; i++)
        most = cti_fmax(most, f->inverse[i]);
    if (sys->boosted || most * most > 1e13)
        return -1;
    s->X = CTI_ARENA_NEW(s->e->arena, double, (size_t)(3 * sys->bsr.n) * CTI_ACTIVE_BATCH);
    s->many = CTI_ARENA_NEW(s->e->arena, double, s->c.n ? cti_factor64_many_work(&sys->factor) : 0);
    if (!s->X || !s->many || !cti_active_alloc(s))
        return 0;
    cti_active_point(s, 2);
    memcpy(s->u0, s->u, sizeof *s->u0 * (size_t)s->c.m);
    s->tolerance = 1e-12 * cti_active_size(s);
    return 1;
}

/* takes the rows with the caller's r > 0 as the first active set; rows whose multipliers become negative leave again. 0: no memory */
static int cti_active_warm(cti_active *s)
{
    const double *r = s->a->r;
    double square, low;
    int i, k, worst;
    for (i = 0; i < s->c.m; i++) {
        if (s->c.dual || !(s->c.equation[i] || r[s->c.source[i]] > 0))
            continue;
        if (!cti_active_column(s, i))
            return 0;
        for (k = 0; k < s->count; k++)
            s->factor.v[k] = s->column[i][s->set[k]];
        square = s->column[i][i] - cti_active_solve(s, s->factor.v);
        if (square > 1e-10 * s->column[i][i] && !cti_active_enter(s, i, square))
            return 0;
    }
    do {
        for (i = 0; i < s->count; i++)
            s->factor.v[i] = -s->u0[s->set[i]];
        cti_active_solve(s, s->factor.v);
        for (i = 0, worst = -1, low = 0; i < s->count; i++) {
            s->y[s->set[i]] = s->factor.q[i];
            if (!s->c.equation[s->set[i]] && s->factor.q[i] < low)
                low = s->factor.q[i], worst = i;
        }
        if (worst >= 0)
            cti_active_leave(s, worst);
    } while (worst >= 0);
    cti_active_update_u(s);
    return 1;
}

static cti_active_end cti_active_iterate(cti_active *s)
{
    int p, repairs = 0, bound = 20 * s->c.m + 100;
    for (;;) {
        if (!cti_effort_goes_on(s->e, s->steps, bound, s->a->x, s->a->r))
            return CTI_ACTIVE_BUDGET;
        p = cti_active_choose(s, s->steps > bound / 2);
        if (p < 0) {
            if (repairs++ == CTI_ACTIVE_REPAIRS)
                return CTI_ACTIVE_ON;
            cti_active_repair(s);
            if (cti_active_choose(s, 0) < 0)
                return CTI_ACTIVE_ON;
        } else {
            cti_active_end end = cti_active_row(s, p);
            s->steps++;
            if (end != CTI_ACTIVE_ON)
                return end;
            cti_active_update_u(s);
        }
    }
}

static cti_outcome cti_active_outcome(cti_active *s, cti_active_end end)
{
    s->a->iterations = s->steps;
    if (end == CTI_ACTIVE_MEMORY)
        return CTI_OUTCOME_MEMORY;
    if (end == CTI_ACTIVE_CONTRADICTION) {
        s->a->why = "the rows contradict each other";
        return CTI_OUTCOME_INFEASIBLE;
    }
    if (end == CTI_ACTIVE_LOST) {
        s->a->why = "the active rows depend on each other up to rounding";
        return CTI_OUTCOME_FAILED;
    }
    if (end == CTI_ACTIVE_BUDGET)
        cti_active_point(s, 2);
    cti_convex_answer(&s->c, s->x, s->y, s->a->x, s->a->r);
    s->a->why = end == CTI_ACTIVE_BUDGET ? "the bound on iterations or time was reached" : "";
    return end == CTI_ACTIVE_BUDGET ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_SOLVED;
}

CTI_FN cti_outcome cti_active_set_solve(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_active s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    int got;
    memset(&s, 0, sizeof s);
    s.e = e, s.a = a;
    a->why = cti_convex_open(&s.c, p, 0, e->mem, e->arena);
    if (!a->why && s.c.m > CTI_ACTIVE_ROWS)
        a->why = "more rows than the active set keeps dense columns for (6000)";
    if (a->why) {
        outcome = *a->why ? CTI_OUTCOME_NOT_APPLICABLE : CTI_OUTCOME_MEMORY;
    } else if ((got = cti_active_open(&s)) < 0) {
        a->why = "the active set takes a definite quadratic form only";
        outcome = CTI_OUTCOME_NOT_APPLICABLE;
    } else if (got && (!e->warm || cti_active_warm(&s))) {
        outcome = cti_active_outcome(&s, cti_active_iterate(&s));
    }
    a->why = a->why ? a->why : "";
    cti_convex_close(&s.c);
    return outcome;
}
