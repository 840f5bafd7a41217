/* mprgp_dual.c -- quadratic programs on their multipliers, and linear complementarity with a symmetric matrix: bounds only.
   Method: min 1/2 r'W r + (w + J A^-1 b)'r over r >= 0, W = J A^-1 J', with unit diagonal by scaling. W is formed if it is small or A is
   diagonal; otherwise a product with W is a solve with A's factor. A singular A gets a proximal term about the current x. The multipliers
   of an infeasible program diverge along a y >= 0 with J'y = 0, w'y < 0. This y also solves min |J'y|^2 + (w'y + 1)^2 over y >= 0, from
   which it is computed exactly. Based on: Li et al. 2015, equation 2, algorithm 1. */
#include "certificate.h"
#include "dual.h"
#include "mprgp.h"

typedef struct cti_mprgp_bounds {
    const cti_program *p;
    cti_mprgp_target *t;
    cti_mprgp_set set;
    cti_program own; /* p, or with a proximal term in A and b */
    cti_dual dual;   /* of it */
    cti_sparse B;    /* the scaled matrix; without entries W by the factor */
    double *S, *c;   /* [m] scaling, right side */
    double *x, *b;   /* [n] */
    double *y, *r, *polish; /* [m], [m], [3 m] */
    double shift;
    cti_mprgp_preconditioner *precondition;
    int infeasible, certifying;
} cti_mprgp_bounds;

/* ---- the matrix ---- */

/* y = S J A^-1 J' S v */
static void cti_mprgp_bounds_multiply(void *ctx, const double *v, double *y)
{
    cti_mprgp_bounds *q = (cti_mprgp_bounds *)ctx;
    double *f = q->dual.f;
    int i;
    if (q->B.p) {
        cti_sparse_mul(&q->B, v, y);
        return;
    }
    for (i = 0; i < q->p->m; i++)
        q->r[i] = q->S[i] * v[i];
    cti_vec_zero(q->p->n, f);
    cti_sparse_addmul_t(&q->p->J, q->r, f);
    cti_scalar_solve(&q->dual.system, f, 0);
    cti_sparse_mul(&q->p->J, f, y);
    for (i = 0; i < q->p->m; i++)
        y[i] *= q->S[i];
}

/* B with all entries of a dense W [m][ld]. 0: memory ran out */
static int cti_mprgp_fill(cti_mem *mem, cti_sparse *B, const double *W, int m, int ld)
{
    int i, j;
    if (!cti_sparse_reserve(mem, B, m, m, m * m))
        return 0;
    for (i = 0; i < m; i++)
        for (B->p[i + 1] = (i + 1) * m, j = 0; j < m; j++)
            B->i[i * m + j] = j, B->x[i * m + j] = W[cti_index(i, ld, j)];
    return 1;
}

/* S = 1 / sqrt(diagonal); B scaled */
static void cti_mprgp_scale(cti_mprgp_bounds *q)
{
    int i, k, m = q->p->m;
    for (i = 0; i < m; i++) {
        double d = 0;
        if (q->B.p)
            d = cti_sparse_at(&q->B, i, i);
        for (k = q->B.p ? 0 : q->p->J.p[i]; !q->B.p && k < q->p->J.p[i + 1]; k++)
            d += q->p->J.x[k] * q->p->J.x[k] / cti_fmax(cti_sparse_at(&q->p->A, q->p->J.i[k], q->p->J.i[k]), 1e-300);
        q->S[i] = d > 0 ? 1 / sqrt(d) : 1;
    }
    for (i = 0; q->B.p && i < m; i++)
        for (k = q->B.p[i]; k < q->B.p[i + 1]; k++)
            q->B.x[k] *= q->S[i] * q->S[q->B.i[k]];
}

/* ---- results ---- */

CTI_FN int cti_mprgp_target_good(cti_mprgp_target *t)
{
    cti_judgement j;
    if (!cti_program_is_dynamic(t->judged))
        cti_program_u(t->judged, t->answer->x, t->answer->r, t->answer->x);
    cti_program_judge(t->judged, t->answer->x, t->answer->r, t->work, &j);
    return j.residual <= t->effort->tolerance;
}

CTI_FN void cti_mprgp_target_task(const cti_mprgp_target *t, void *ctx, cti_mprgp_task *out)
{
    memset(out, 0, sizeof *out);
    out->multiply_ctx = out->calls.ctx = ctx, out->gamma = t->options->gamma, out->projected = t->options->projected;
    out->effort = t->effort, out->answer = t->answer, out->count = t->count, out->tolerance = t->effort->tolerance;
}

CTI_FN void cti_mprgp_target_store(const cti_mprgp_target *t, int m, const double *r)
{
    int i;
    cti_vec_zero(t->judged->m, t->answer->r);
    for (i = 0; i < m; i++)
        t->answer->r[t->stride * i] = r[i];
}

/* the answer of y, within the bounds: x = A^-1 (b + J'r), or that of the proximal step */
static void cti_mprgp_bounds_put(cti_mprgp_bounds *q, const double *y)
{
    cti_mprgp_target *t = q->t;
    int i;
    for (i = 0; i < q->p->m; i++)
        t->answer->r[t->stride * i] = q->r[i] = q->S[i] * cti_fmin(cti_fmax(y[i], q->set.lo[i]), q->set.hi[i]);
    if (q->p->kind == CTI_PROGRAM_QP)
        cti_dual_x(&q->dual, q->r, t->answer->x);
}

/* W r cancels against the right side. So the rest of u = J x + w on the free rows, with x from A itself, is removed by the face's factor. 1
   when the judge accepts the answer */
static int cti_mprgp_bounds_polish(cti_mprgp_bounds *q, const double *y)
{
    int i, k, m = q->p->m;
    double *u = q->polish, *z = u + m, *own = z + m;
    cti_vec_copy(m, y, own);
    for (k = 0; k < 4; k++) {
        cti_sparse_mul(&q->p->J, q->t->answer->x, u);
        for (i = 0; i < m; i++)
            u[i] = q->set.face[i] == CTI_FACE_FREE ? q->S[i] * (u[i] + q->p->w[i]) : 0;
        cti_mprgp_preconditioner_apply(q->precondition, u, z);
        for (i = 0; i < m; i++)
            own[i] = cti_fmax(q->set.lo[i], own[i] - z[i]);
        cti_mprgp_bounds_put(q, own);
        if (cti_mprgp_target_good(q->t))
            return 1;
    }
    return 0;
}

static void cti_mprgp_bounds_show(void *ctx, const double *y)
{
    cti_mprgp_bounds *q = (cti_mprgp_bounds *)ctx;
    if (!q->certifying)
        cti_mprgp_bounds_put(q, y);
}

static int cti_mprgp_bounds_done(void *ctx, const double *y, const double *g)
{
    cti_mprgp_bounds *q = (cti_mprgp_bounds *)ctx;
    CTI_UNUSED(g);
    if (q->certifying)
        return 0;
    cti_mprgp_bounds_put(q, y);
    if (cti_mprgp_target_good(q->t) || q->shift > 0)
        return 1;
    if (!q->precondition || q->precondition->kind != CTI_PRECONDITION_FACE || q->p->kind != CTI_PROGRAM_QP)
        return 0;
    if (cti_mprgp_preconditioner_renew(&q->t->effort->arena->own, q->precondition) < 0)
        return 0;
    return cti_mprgp_bounds_polish(q, y);
}

/* 1 when the direction, cleaned and stored in y, is a certificate */
static int cti_mprgp_bounds_infeasible(void *ctx, const double *direction)
{
    cti_mprgp_bounds *q = (cti_mprgp_bounds *)ctx;
    int i;
    for (i = 0; i < q->p->m; i++)
        q->y[i] = q->S[i] * direction[i];
    q->infeasible = cti_program_certify(q->p, q->y, q->t->work);
    return q->infeasible;
}

/* ---- runs ---- */

static int cti_mprgp_bounds_reserve(cti_mprgp_bounds *q, const cti_program *p, cti_mprgp_target *t)
{
    cti_arena *arena = t->effort->arena;
    double **const of_m[] = {&q->S, &q->c, &q->y, &q->r}, **const of_n[] = {&q->x, &q->b};
    int i, m = p->m;
    cti_mprgp_set *set = &q->set;
    memset(q, 0, sizeof *q);
    q->p = p, q->t = t;
    q->polish = CTI_ARENA_NEW(arena, double, 3 * (size_t)m);
    if (!q->polish || !cti_mprgp_set_reserve(arena, set, m, m) || !CTI_ARENA_VECTORS(arena, m, of_m) || !CTI_ARENA_VECTORS(arena, p->n, of_n))
        return 0;
    for (i = 0; i < m; i++)
        set->lo[i] = p->equation && p->equation[i] ? -INFINITY : 0, set->hi[i] = INFINITY;
    return 1;
}

/* y is the start, then the result */
static cti_mprgp_end cti_mprgp_bounds_run(cti_mprgp_bounds *q, double tolerance)
{
    cti_mprgp_preconditioner precondition;
    cti_mprgp_task task;
    cti_mprgp_target *t = q->t;
    cti_mprgp_end end;
    cti_mprgp_precondition kind = t->options->precondition;
    cti_arena_point mark = cti_arena_mark(t->effort->arena);
    double *y = CTI_ARENA_NEW(t->effort->arena, double, q->p->m);
    if (!y)
        return CTI_MPRGP_MEMORY;
    cti_mprgp_target_task(t, q, &task);
    kind = q->B.p ? (kind == CTI_PRECONDITION_AUTO || q->certifying ? CTI_PRECONDITION_FACE : kind) : CTI_PRECONDITION_NONE;
    if (q->B.p && !cti_mprgp_preconditioner_open(&t->effort->arena->own, &precondition, kind, &q->B, &q->set))
        return CTI_MPRGP_MEMORY;
    q->precondition = q->B.p ? &precondition : NULL;
    task.n = q->p->m, task.multiply = cti_mprgp_bounds_multiply, task.A = q->B.p ? &q->B : NULL, task.b = q->c;
    task.set = &q->set, task.precondition = q->B.p ? &precondition : NULL, task.tolerance = tolerance;
    task.calls.done = cti_mprgp_bounds_done, task.calls.show = cti_mprgp_bounds_show;
    task.calls.infeasible = q->certifying ? NULL : cti_mprgp_bounds_infeasible, task.calls.infeasible_ctx = q;
    task.limit = q->certifying ? 2000 : 0;
    task.power = q->certifying || q->p->kind != CTI_PROGRAM_LCP ? NULL : t->options->power;
    cti_vec_copy(q->p->m, q->y, y);
    end = cti_mprgp_run(&task, y);
    if (!q->infeasible)
        cti_vec_copy(q->p->m, y, q->y);
    if (q->B.p)
        t->count->factors += precondition.face.factors;
    q->precondition = NULL;
    cti_arena_rewind(t->effort->arena, mark);
    return end;
}

/* products of unit rows (J_i, w_i): J J' + w w', all entries; right side -w */
static int cti_mprgp_certify_form(cti_mprgp_bounds *q, const cti_sparse *Jt, double most)
{
    const cti_program *p = q->p;
    int i, j, k, l, m = p->m;
    if (!cti_sparse_reserve(&q->t->effort->arena->own, &q->B, m, m, m * m))
        return 0;
    for (i = 0; i < m; i++) {
        double *row = q->B.x + (size_t)i * (size_t)m;
        q->c[i] = -p->w[i] * q->S[i] / most;
        q->B.p[i + 1] = (i + 1) * m;
        for (j = 0; j < m; j++)
            q->B.i[i * m + j] = j, row[j] = p->w[i] * q->S[i] / most * (p->w[j] * q->S[j] / most);
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            for (l = Jt->p[p->J.i[k]]; l < Jt->p[p->J.i[k] + 1]; l++)
                row[Jt->i[l]] += p->J.x[k] * q->S[i] * Jt->x[l] * q->S[Jt->i[l]];
    }
    return 1;
}

/* 1: r holds a certificate; 0: none was found; -1: memory ran out */
static int cti_mprgp_certify(const cti_program *p, cti_mprgp_target *t)
{
    cti_mprgp_bounds q;
    cti_sparse Jt;
    double most = 0;
    int i, k, ok;
    if (p->m > t->options->dense_rows || p->m == 0)
        return 0;
    if (!cti_mprgp_bounds_reserve(&q, p, t) || !cti_sparse_transpose(&t->effort->arena->own, &p->J, &Jt))
        return -1;
    q.certifying = 1;
    for (i = 0; i < p->m; i++) {
        double d = 0;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            d += p->J.x[k] * p->J.x[k];
        q.S[i] = d > 0 ? 1 / sqrt(d) : 1;
        most = cti_fmax(most, fabs(p->w[i] * q.S[i]));
    }
    ok = cti_mprgp_certify_form(&q, &Jt, most > 0 ? most : 1) && cti_mprgp_bounds_run(&q, 1e-10) != CTI_MPRGP_MEMORY;
    for (i = 0; ok && i < p->m; i++)
        q.y[i] *= q.S[i];
    k = ok ? cti_program_certify(p, q.y, t->work) : -1;
    if (k > 0)
        cti_mprgp_target_store(t, p->m, q.y);
    return k;
}

/* ---- the dual ---- */

/* A + shift I in place of a singular A. 0 when memory ran out */
static int cti_mprgp_dual_shift(cti_mprgp_bounds *q)
{
    const cti_sparse *A = &q->p->A;
    cti_mem *mem = &q->t->effort->arena->own;
    cti_triplets t;
    int i, k, ok = 1;
    double most = 0;
    memset(&t, 0, sizeof t);
    for (i = 0; i < A->rows; i++)
        most = cti_fmax(most, cti_sparse_at(A, i, i));
    q->shift = most > 0 ? 1e-4 * most : 1e-4;
    for (i = 0; ok && i < A->rows; i++) {
        ok = cti_triplets_add(mem, &t, i, i, q->shift);
        for (k = A->p[i]; ok && k < A->p[i + 1]; k++)
            ok = cti_triplets_add(mem, &t, i, A->i[k], A->x[k]);
    }
    memset(&q->own.A, 0, sizeof q->own.A);
    return cti_triplets_close(mem, &t, ok, A->rows, A->rows, &q->own.A);
}

/* factors A, or A + shift I if A is singular, and forms W if it is sparse or small. 0 when memory ran out */
static int cti_mprgp_dual_form(cti_mprgp_bounds *q)
{
    cti_effort *e = q->t->effort;
    cti_dual_rows rows = cti_dual_is_diagonal(&q->p->A) ? CTI_DUAL_THIN : CTI_DUAL_DENSE;
    cti_outcome said;
    const char *why;
    int ok = 1;
    q->own = *q->p, q->own.b = q->b;
    cti_vec_copy(q->p->n, q->p->b, q->b);
    said = cti_dual_open(&q->own, e, rows, q->t->options->dense_rows, &q->dual, &why);
    if (q->dual.system.boosted) {
        memset(&q->dual, 0, sizeof q->dual);
        ok = cti_mprgp_dual_shift(q);
        said = ok ? cti_dual_open(&q->own, e, CTI_DUAL_DENSE, q->t->options->dense_rows, &q->dual, &why) : CTI_OUTCOME_MEMORY;
    }
    if (said == CTI_OUTCOME_SOLVED)
        ok = q->dual.W ? cti_mprgp_fill(&e->arena->own, &q->B, q->dual.W, q->p->m, q->dual.ld) : cti_sparse_copy(&e->arena->own, q->dual.S, &q->B);
    if (ok && said != CTI_OUTCOME_MEMORY)
        cti_mprgp_scale(q);
    return ok && said != CTI_OUTCOME_MEMORY;
}

/* one solve, or proximal ones until the judge accepts */
static cti_mprgp_end cti_mprgp_dual_run(cti_mprgp_bounds *q)
{
    cti_mprgp_end end;
    int i, k;
    for (k = 0;; k++) {
        for (i = 0; i < q->p->n; i++)
            q->b[i] = q->p->b[i] + q->shift * q->x[i];
        if (k > 0)
            cti_dual_side(&q->dual);
        for (i = 0; i < q->p->m; i++)
            q->c[i] = -q->S[i] * q->dual.q[i];
        end = cti_mprgp_bounds_run(q, q->shift > 0 ? q->t->effort->tolerance / 10 : q->t->effort->tolerance);
        if (q->shift == 0 || end != CTI_MPRGP_DONE)
            return end;
        cti_vec_copy(q->p->n, q->t->answer->x, q->x);
        if (cti_mprgp_target_good(q->t))
            return CTI_MPRGP_DONE;
        if (k == 400)
            return CTI_MPRGP_STALLED;
    }
}

CTI_FN cti_mprgp_end cti_mprgp_dual(const cti_program *p, cti_mprgp_target *t, int *out_infeasible)
{
    cti_mprgp_bounds q;
    cti_mprgp_end end;
    int i, ok, certified = 0;
    *out_infeasible = 0;
    t->count->dual = 1;
    if (!cti_mprgp_bounds_reserve(&q, p, t))
        return CTI_MPRGP_MEMORY;
    ok = cti_mprgp_dual_form(&q);
    for (i = 0; ok && t->effort->warm && i < p->m; i++)
        q.y[i] = t->answer->r[t->stride * i] / q.S[i];
    end = ok ? cti_mprgp_dual_run(&q) : CTI_MPRGP_MEMORY;
    if (q.infeasible)
        cti_mprgp_target_store(t, p->m, q.y);
    else if (end != CTI_MPRGP_DONE && end != CTI_MPRGP_MEMORY)
        cti_mprgp_bounds_put(&q, q.y);
    *out_infeasible = q.infeasible;
    if (!*out_infeasible && (end == CTI_MPRGP_UNBOUNDED || end == CTI_MPRGP_STALLED)) {
        double *keep = CTI_ARENA_NEW(t->effort->arena, double, t->judged->m);
        certified = keep ? (cti_vec_copy(t->judged->m, t->answer->r, keep), cti_mprgp_certify(p, t)) : -1;
        if (certified == 0)
            cti_vec_copy(t->judged->m, keep, t->answer->r);
        *out_infeasible = certified > 0;
    }
    return certified < 0 ? CTI_MPRGP_MEMORY : end;
}

/* ---- complementarity ---- */

CTI_FN cti_mprgp_end cti_mprgp_boxed(const cti_program *p, cti_mprgp_target *t, int *out_infeasible)
{
    cti_mprgp_bounds q;
    cti_mprgp_end end = CTI_MPRGP_MEMORY;
    int i;
    *out_infeasible = 0;
    t->count->dual = 1;
    if (!cti_mprgp_bounds_reserve(&q, p, t))
        return CTI_MPRGP_MEMORY;
    if (cti_sparse_copy(&t->effort->arena->own, &p->W, &q.B)) {
        cti_mprgp_scale(&q);
        for (i = 0; i < p->m; i++) {
            q.set.lo[i] = p->lo ? p->lo[i] / q.S[i] : 0, q.set.hi[i] = p->hi ? p->hi[i] / q.S[i] : INFINITY;
            q.c[i] = -q.S[i] * p->w[i];
            q.y[i] = t->effort->warm ? t->answer->r[t->stride * i] / q.S[i] : 0;
        }
        end = cti_mprgp_bounds_run(&q, t->effort->tolerance);
        if (q.infeasible)
            cti_mprgp_target_store(t, p->m, q.y);
        else if (end != CTI_MPRGP_MEMORY)
            cti_mprgp_bounds_put(&q, q.y);
        *out_infeasible = q.infeasible;
    }
    return end;
}
