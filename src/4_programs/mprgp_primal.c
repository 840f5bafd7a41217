/* mprgp_primal.c -- quadratic programs with decoupled rows or bounds, on the unknowns.
   Method: rows are made unit vectors; rows of one entry become two-sided bounds of their unknown. Multipliers are computed from the
   gradient at the end. Products with A use 3x3 blocks if A has that structure. Based on: Li et al. 2015, equations 1, 15 to 20, algorithm
   3. */
#include "mprgp.h"

/* the blocks of A on the diagonal, and those above it by rows */
typedef struct cti_mprgp_blocks {
    int n;          /* block rows */
    double *D;
    int32_t *p, *i;
    double *x;
} cti_mprgp_blocks;

typedef struct cti_mprgp_primal_state {
    const cti_program *p;
    cti_mprgp_target *t;
    cti_mprgp_set set;
    cti_mprgp_blocks blocks;
    int32_t *row;           /* decoupled: [set.rows] row of the program */
    int32_t *lower, *upper; /* bounds: [n] the row that each is from, or -1 */
    double *size;           /* decoupled: [set.rows] |J_i|; */
    double *x;
    double *shown_g, *shown_s; /* [n], [set.rows] for a watcher */
    uint8_t *shown_face;       /* [set.rows] */
} cti_mprgp_primal_state;

/* ---- products ---- */

/* makes the blocks of A, or none (n = 0) if a third or more of their entries would be zeros. 0 when memory ran out */
static int cti_mprgp_blocks_make(cti_arena *arena, const cti_sparse *A, cti_mprgp_blocks *out)
{
    int b, i, k, n = A->rows / 3, count = 0, at;
    int32_t *seen = CTI_ARENA_NEW(arena, int32_t, n + 1);
    out->n = 0;
    if (!seen)
        return 0;
    if (A->rows % 3 || A->rows == 0)
        return 1;
    memset(seen, 255, sizeof *seen * (size_t)n);
    for (b = 0; b < n; b++)
        for (k = A->p[3 * b]; k < A->p[3 * b + 3]; k++)
            if (A->i[k] / 3 > b && seen[A->i[k] / 3] != b)
                seen[A->i[k] / 3] = b, count++;
    if (12 * (int64_t)(count + n) > A->p[A->rows])
        return 1;
    out->p = CTI_ARENA_ZERO(arena, int32_t, n + 1), out->i = CTI_ARENA_NEW(arena, int32_t, count);
    out->x = CTI_ARENA_ZERO(arena, double, 9 * (size_t)count), out->D = CTI_ARENA_ZERO(arena, double, 9 * (size_t)n);
    if (!out->p || !out->i || !out->x || !out->D)
        return 0;
    memset(seen, 255, sizeof *seen * (size_t)n);
    for (b = 0, at = 0; b < n; out->p[++b] = at) {
        int first = at;
        for (i = 3 * b; i < 3 * b + 3; i++)
            for (k = A->p[i]; k < A->p[i + 1]; k++) {
                int c = A->i[k] / 3;
                if (c > b && seen[c] < first)
                    seen[c] = at, out->i[at++] = c;
                if (c >= b)
                    (c == b ? out->D + 9 * (size_t)b : out->x + 9 * (size_t)seen[c])[3 * (i % 3) + A->i[k] % 3] = A->x[k];
            }
    }
    out->n = n;
    return 1;
}

static void cti_mprgp_primal_multiply(void *ctx, const double *x, double *y)
{
    const cti_mprgp_primal_state *q = (const cti_mprgp_primal_state *)ctx;
    const cti_mprgp_blocks *A = &q->blocks;
    int i;
    if (!A->n) {
        cti_sparse_mul(&q->p->A, x, y);
        return;
    }
    for (i = 0; i < 3 * A->n; i++) {
        const double *D = A->D + 3 * i, *u = x + i - i % 3;
        y[i] = D[0] * u[0] + D[1] * u[1] + D[2] * u[2];
    }
    cti_mprgp_half(A->n, A->p, A->i, A->x, x, y);
}

/* ---- the set ---- */

/* normalizes the rows that are kept and not zero */
static int cti_mprgp_primal_rows(cti_mprgp_primal_state *q, const uint8_t *keep)
{
    const cti_program *p = q->p;
    const cti_sparse *J = &p->J;
    cti_arena *arena = q->t->effort->arena;
    cti_sparse *U = &q->set.J;
    int i, k, rows = 0, at = 0;
    q->row = CTI_ARENA_NEW(arena, int32_t, J->rows), q->size = CTI_ARENA_NEW(arena, double, J->rows);
    U->p = CTI_ARENA_ZERO(arena, int32_t, J->rows + 1), U->i = CTI_ARENA_NEW(arena, int32_t, J->p[J->rows]);
    U->x = CTI_ARENA_NEW(arena, double, J->p[J->rows]);
    if (!q->row || !q->size || !U->p || !U->i || !U->x || !cti_mprgp_set_reserve(arena, &q->set, p->n, J->rows))
        return 0;
    for (i = 0; i < J->rows; i++) {
        double size = 0;
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            size += J->x[k] * J->x[k];
        size = sqrt(size);
        if (!(size > 0) || (keep && !keep[i]))
            continue;
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            U->i[at] = J->i[k], U->x[at++] = J->x[k] / size;
        q->set.lo[rows] = -p->w[i] / size;
        q->set.hi[rows] = p->equation && p->equation[i] ? q->set.lo[rows] : INFINITY;
        q->row[rows] = i, q->size[rows++] = size;
        U->p[rows] = at;
    }
    U->rows = q->set.rows = rows, U->cols = p->n;
    return 1;
}

/* collects two-sided bounds. 0 when memory ran out; *empty: a lower bound is above an upper one, and r has the certificate */
static int cti_mprgp_primal_bounds(cti_mprgp_primal_state *q, int *empty)
{
    const cti_program *p = q->p;
    cti_arena *arena = q->t->effort->arena;
    double *r = q->t->answer->r;
    int i, j;
    q->lower = CTI_ARENA_NEW(arena, int32_t, p->n), q->upper = CTI_ARENA_NEW(arena, int32_t, p->n);
    if (!q->lower || !q->upper || !cti_mprgp_set_reserve(arena, &q->set, p->n, p->n))
        return 0;
    for (j = 0; j < p->n; j++)
        q->set.lo[j] = -INFINITY, q->set.hi[j] = INFINITY, q->lower[j] = q->upper[j] = -1;
    for (i = 0; i < p->m; i++) {
        int k = p->J.p[i], both = p->equation && p->equation[i];
        double c = k < p->J.p[i + 1] ? p->J.x[k] : 0, at = c != 0 ? -p->w[i] / c : 0;
        if (c == 0)
            continue;
        j = p->J.i[k];
        if ((c > 0 || both) && (at > q->set.lo[j] || (both && at == q->set.lo[j])))
            q->set.lo[j] = at, q->lower[j] = i;
        if ((c < 0 || both) && (at < q->set.hi[j] || (both && at == q->set.hi[j])))
            q->set.hi[j] = at, q->upper[j] = i;
    }
    for (j = 0, *empty = 0; j < p->n && !*empty; j++)
        if (q->set.lo[j] - q->set.hi[j] > 1e-12 * cti_fmax(fabs(q->set.lo[j]), fabs(q->set.hi[j]))) {
            cti_vec_zero(q->t->judged->m, r);
            r[q->t->stride * q->lower[j]] = 1 / p->J.x[p->J.p[q->lower[j]]];
            r[q->t->stride * q->upper[j]] = -1 / p->J.x[p->J.p[q->upper[j]]];
            *empty = 1;
        } else if (q->set.lo[j] > q->set.hi[j]) {
            q->set.hi[j] = q->set.lo[j];
        }
    return 1;
}

/* ---- results ---- */

/* multipliers from the gradient g: its components along the active rows */
static void cti_mprgp_primal_multipliers(const cti_mprgp_primal_state *q, const double *g)
{
    const cti_mprgp_set *set = &q->set;
    double *r = q->t->answer->r;
    int i, k, stride = q->t->stride;
    cti_vec_zero(q->t->judged->m, r);
    for (i = 0; i < set->rows; i++) {
        double t = 0;
        int owner, face = set->face[i];
        if (face == CTI_FACE_FREE)
            continue;
        if (set->J.p) {
            for (k = set->J.p[i]; k < set->J.p[i + 1]; k++)
                t += set->J.x[k] * g[set->J.i[k]];
            r[stride * q->row[i]] = (face == CTI_FACE_LOWER ? cti_fmax(t, 0) : t) / q->size[i];
            continue;
        }
        owner = face == CTI_FACE_UPPER || (face == CTI_FACE_FIXED && g[i] < 0 && q->upper[i] >= 0) ? q->upper[i] : q->lower[i];
        if (owner >= 0 && ((face == CTI_FACE_FIXED) || (face == CTI_FACE_LOWER ? g[i] > 0 : g[i] < 0)))
            r[stride * owner] = g[i] / q->p->J.x[q->p->J.p[owner]];
    }
}

static int cti_mprgp_primal_done(void *ctx, const double *x, const double *g)
{
    cti_mprgp_primal_state *q = (cti_mprgp_primal_state *)ctx;
    cti_vec_copy(q->p->n, x, q->t->answer->x);
    cti_mprgp_primal_multipliers(q, g);
    return q->t->options->decoupling != CTI_DECOUPLE_NONE || cti_mprgp_target_good(q->t);
}

/* shows the projection of x and the multipliers of its gradient; faces and values of the set are restored afterwards */
static void cti_mprgp_primal_show(void *ctx, const double *x)
{
    cti_mprgp_primal_state *q = (cti_mprgp_primal_state *)ctx;
    cti_mprgp_set *set = &q->set;
    double *own = q->t->answer->x, *g = q->shown_g;
    cti_vec_copy(q->p->n, x, own);
    cti_vec_copy(set->rows, set->s, q->shown_s);
    memcpy(q->shown_face, set->face, sizeof *set->face * (size_t)set->rows);
    cti_mprgp_set_project(set, own);
    cti_mprgp_primal_multiply(q, own, g);
    cti_vec_add(q->p->n, -1, q->p->b, g);
    cti_mprgp_primal_multipliers(q, g);
    cti_vec_copy(set->rows, q->shown_s, set->s);
    memcpy(set->face, q->shown_face, sizeof *set->face * (size_t)set->rows);
}

/* scratch for that, if there is a watcher. 0 when memory ran out */
static int cti_mprgp_primal_watched(cti_mprgp_primal_state *q)
{
    cti_arena *arena = q->t->effort->arena;
    if (!q->t->effort->watcher.watch)
        return 1;
    q->shown_g = CTI_ARENA_NEW(arena, double, q->p->n), q->shown_s = CTI_ARENA_NEW(arena, double, q->set.rows);
    q->shown_face = CTI_ARENA_NEW(arena, uint8_t, q->set.rows);
    return q->shown_g && q->shown_s && q->shown_face;
}

/* ---- the solve ---- */

/* 1: every row has at most one entry; 2: rows are orthogonal; 0: neither; -1: out of memory */
static int cti_mprgp_primal_kind(const cti_program *p, cti_effort *e)
{
    cti_arena_point mark = cti_arena_mark(e->arena);
    cti_sparse Jt;
    int i, single = 1, kind;
    int32_t *seen;
    double *dots;
    for (i = 0; i < p->m; i++)
        single = single && p->J.p[i + 1] - p->J.p[i] <= 1 && (p->J.p[i + 1] > p->J.p[i] ? p->J.x[p->J.p[i]] != 0 : 1);
    if (single)
        return 1;
    seen = CTI_ARENA_NEW(e->arena, int32_t, p->m), dots = CTI_ARENA_NEW(e->arena, double, p->m);
    if (!seen || !dots || !cti_sparse_transpose(&e->arena->own, &p->J, &Jt))
        return -1;
    kind = cti_mprgp_set_decoupled(&p->J, &Jt, seen, dots) ? 2 : 0;
    cti_arena_rewind(e->arena, mark);
    return kind;
}

/* marks the rows that decoupling keeps; NULL when memory ran out */
static uint8_t *cti_mprgp_primal_keep(const cti_program *p, cti_mprgp_target *t)
{
    cti_arena *arena = t->effort->arena;
    uint8_t *keep = CTI_ARENA_ZERO(arena, uint8_t, p->m);
    double *depth = CTI_ARENA_NEW(arena, double, p->m);
    int i, k;
    if (!keep || !depth)
        return NULL;
    for (i = 0; i < p->m; i++) {
        double u = p->w[i], size = 0;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            u += p->J.x[k] * t->answer->x[p->J.i[k]], size += p->J.x[k] * p->J.x[k];
        depth[i] = size > 0 ? u / sqrt(size) : INFINITY;
    }
    t->count->kept = cti_mprgp_decouple(arena, &p->J, depth, t->options->decoupling, t->options->block, t->effort->seed, keep);
    return t->count->kept >= 0 ? keep : NULL;
}

static cti_mprgp_end cti_mprgp_primal_run(cti_mprgp_primal_state *q, int limit)
{
    cti_mprgp_preconditioner precondition;
    cti_mprgp_task task;
    cti_mprgp_target *t = q->t;
    cti_mprgp_end end;
    cti_mprgp_precondition kind = t->options->precondition;
    kind = kind != CTI_PRECONDITION_AUTO ? kind : (q->blocks.n ? CTI_PRECONDITION_BLOCKS : CTI_PRECONDITION_JACOBI);
    cti_mprgp_target_task(t, q, &task);
    if (!cti_mprgp_primal_watched(q) || !cti_mprgp_preconditioner_open(&t->effort->arena->own, &precondition, kind, &q->p->A, &q->set))
        return CTI_MPRGP_MEMORY;
    task.n = q->p->n, task.multiply = cti_mprgp_primal_multiply, task.A = &q->p->A, task.b = q->p->b, task.set = &q->set;
    task.precondition = &precondition, task.calls.done = cti_mprgp_primal_done, task.calls.show = cti_mprgp_primal_show;
    task.power = t->options->power, task.limit = limit;
    cti_vec_copy(q->p->n, t->answer->x, q->x);
    end = cti_mprgp_run(&task, q->x);
    if (end != CTI_MPRGP_DONE && end != CTI_MPRGP_MEMORY) {
        double *g = CTI_ARENA_NEW(t->effort->arena, double, q->p->n);
        int i;
        cti_mprgp_set_project(&q->set, q->x);
        cti_mprgp_primal_multiply(q, q->x, g ? g : q->x);
        for (i = 0; g && i < q->p->n; i++)
            g[i] -= q->p->b[i];
        if (g && cti_mprgp_primal_done(q, q->x, g))
            end = CTI_MPRGP_DONE;
    }
    t->count->factors += precondition.face.factors;
    return end;
}

CTI_FN cti_mprgp_end cti_mprgp_primal(const cti_program *p, cti_mprgp_target *t, int limit, int *out_taken)
{
    cti_mprgp_primal_state q;
    uint8_t *keep = NULL;
    int kind, empty = 0, ok;
    memset(&q, 0, sizeof q);
    q.p = p, q.t = t;
    *out_taken = 1;
    t->count->kept = p->m;
    if (t->options->decoupling != CTI_DECOUPLE_NONE) {
        keep = cti_mprgp_primal_keep(p, t), kind = 2;
        if (!keep)
            return CTI_MPRGP_MEMORY;
    } else {
        kind = cti_mprgp_primal_kind(p, t->effort);
    }
    *out_taken = kind != 0;
    if (kind <= 0)
        return kind < 0 ? CTI_MPRGP_MEMORY : CTI_MPRGP_STALLED;
    q.x = CTI_ARENA_NEW(t->effort->arena, double, p->n);
    ok = q.x && cti_mprgp_blocks_make(t->effort->arena, &p->A, &q.blocks);
    ok = ok && (kind == 1 ? cti_mprgp_primal_bounds(&q, &empty) : cti_mprgp_primal_rows(&q, keep));
    if (!ok)
        return CTI_MPRGP_MEMORY;
    return empty ? CTI_MPRGP_UNBOUNDED : cti_mprgp_primal_run(&q, limit);
}
