/* ica_program.c -- iterative constraint anticipation on a problem that stands alone.
   Method: unknowns 3 k .. 3 k + 2 are block k, pads have 1 on the diagonal. A row of J that touches blocks with g_k [3] is a contact
   without friction of normal n = g_1 / |g_1|: weight n.g_k and arm n x g_k give n.(weight v + v x arm) = g_k.v for every g_k. Three rows
   with friction need G_k = F (weight I - [arm]x) with one orthonormal F, which contacts of vertices and faces have. The judge is asked at
   intervals that grow by an eighth of the iterations so far; only the judge ends a solve as solved. In the paper's version the paper's rule
   ends the solve, and the judge measures the result. Based on: Otaduy 2009, sec. 5.2-5.5. */
#include "ica_program.h"
#include "../2_linalg/krylov.h"
#include "../3_solve/ica.h"
#include "../3_solve/ica_paper.h"

#define CTI_ICA_PROGRAM_INNER 200 /* most inner iterations of the paper's solve */

typedef struct cti_ica_program {
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    cti_bsr A;
    cti_row *rows;
    int n_rows, stride; /* row i of the problem is row stride * i of the program */
    double *work;       /* [2 m + 2 n] of the judge */
    int own, next;      /* [iterations] the solver's own bound; the next judgement */
    int before;         /* iterations of earlier starts */
    int solved;
    ct_real *turn;      /* [2 rows] cosine and sine of the tangents' rotation in 3.4, or NULL */
} cti_ica_program;

/* ---- A ---- */

static int cti_ica_program_matrix(cti_mem *mem, const cti_sparse *A, cti_bsr *out)
{
    int32_t *pairs = NULL;
    int i, k, ok, slot = -1, row = -1, col = -1, n = (A->rows + 2) / 3, count = 0;
    ok = CTI_RESIZE(mem, pairs, 2 * A->p[A->rows] + 2);
    for (i = 0; ok && i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            int a = i / 3, b = A->i[k] / 3;
            if (count == 0 || pairs[2 * count - 2] != a || pairs[2 * count - 1] != b)
                pairs[2 * count] = a, pairs[2 * count + 1] = b, count++;
        }
    ok = ok && cti_bsr_pattern(mem, out, n, pairs, count);
    CTI_FREE(mem, pairs);
    for (i = 0; ok && i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            if (row != i / 3 || col != A->i[k] / 3)
                row = i / 3, col = A->i[k] / 3, slot = cti_bsr_slot(out, row, col);
            out->val[9 * (size_t)slot + (size_t)(3 * (i % 3) + A->i[k] % 3)] = (ct_real)A->x[k];
        }
    for (i = A->rows; ok && i < 3 * n; i++)
        out->val[9 * (size_t)out->diag[i / 3] + 4 * (size_t)(i % 3)] = 1;
    return ok;
}

/* ---- rows ---- */

/* the blocks of `lines` rows of J from `first` on: G [16][9], blocks [16]. Returns the number of blocks, or -1 if there are more than 16 */
static int cti_ica_program_blocks(const cti_sparse *J, int first, int lines, int32_t *blocks, double *G)
{
    int i, k, at, n = 0;
    for (i = 0; i < lines; i++)
        for (k = J->p[first + i]; k < J->p[first + i + 1]; k++) {
            if (J->x[k] == 0)
                continue;
            for (at = 0; at < n && blocks[at] != J->i[k] / 3; at++)
                ;
            if (at == CTI_ROW_TERMS)
                return -1;
            if (at == n) {
                blocks[n++] = J->i[k] / 3;
                memset(G + 9 * at, 0, 9 * sizeof *G);
            }
            G[9 * at + 3 * i + J->i[k] % 3] = J->x[k];
        }
    return n;
}

static void cti_ica_program_term(cti_row *row, int block, double weight, const double *arm)
{
    cti_term *t = &row->term[row->n++];
    int k;
    t->block = block, t->weight = (ct_real)weight;
    for (k = 0; k < 3; k++)
        t->arm[k] = (ct_real)arm[k];
    row->n_a = row->n;
}

/* a row without friction: any g_k are possible */
static void cti_ica_program_normal(cti_row *row, int n, const int32_t *blocks, const double *G)
{
    double size = 0;
    cti_v3 normal, t1, t2;
    int k, i;
    for (i = 0; n > 0 && i < 3; i++)
        size += G[i] * G[i];
    size = sqrt(size);
    normal = size > 0 ? cti_v3_make((ct_real)(G[0] / size), (ct_real)(G[1] / size), (ct_real)(G[2] / size)) : cti_v3_make(0, 1, 0);
    cti_v3_tangents(normal, &t1, &t2);
    cti_v3_put(row->frame, 0, normal), cti_v3_put(row->frame, 1, t1), cti_v3_put(row->frame, 2, t2);
    for (k = 0; k < n; k++) {
        const double *g = G + 9 * k;
        double f[3], arm[3];
        for (i = 0; i < 3; i++)
            f[i] = (double)row->frame[i];
        arm[0] = f[1] * g[2] - f[2] * g[1], arm[1] = f[2] * g[0] - f[0] * g[2], arm[2] = f[0] * g[1] - f[1] * g[0];
        cti_ica_program_term(row, blocks[k], f[0] * g[0] + f[1] * g[1] + f[2] * g[2], arm);
    }
}

/* F [9] = G / w where G G' = w^2 I; 0 if G has no such form */
static int cti_ica_program_frame(const double *G, double *F)
{
    double w2 = (G[0] * G[0] + G[1] * G[1] + G[2] * G[2]), off = 0;
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            off = cti_fmax(off, fabs(G[3 * i] * G[3 * j] + G[3 * i + 1] * G[3 * j + 1] + G[3 * i + 2] * G[3 * j + 2] - (i == j ? w2 : 0)));
    for (i = 0; i < 9; i++)
        F[i] = w2 > 0 ? G[i] / sqrt(w2) : 0;
    return w2 > 0 && off <= 1e-9 * w2;
}

/* F' G = w I - [arm]x for every block, with the frame of the first block that has one; 0 when there is no such frame */
static int cti_ica_program_contact(cti_row *row, int n, const int32_t *blocks, const double *G)
{
    double F[9], big = 0;
    int first, k, i, j;
    for (k = 0; k < 9 * n; k++)
        big = cti_fmax(big, fabs(G[k]));
    for (first = 0; first < n && !cti_ica_program_frame(G + 9 * first, F); first++)
        ;
    if (n > 0 && first == n)
        return 0;
    for (k = 0; n == 0 && k < 9; k++)
        F[k] = k % 4 == 0;
    for (k = 0; k < 9; k++)
        row->frame[k] = (ct_real)F[k];
    for (k = 0; k < n; k++) {
        double M[9], arm[3], weight, off;
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                M[3 * i + j] = F[i] * G[9 * k + j] + F[3 + i] * G[9 * k + 3 + j] + F[6 + i] * G[9 * k + 6 + j];
        weight = (M[0] + M[4] + M[8]) / 3;
        off = cti_fmax(fabs(M[0] - weight), cti_fmax(fabs(M[4] - weight), fabs(M[8] - weight)));
        off = cti_fmax(off, cti_fmax(fabs(M[1] + M[3]), cti_fmax(fabs(M[2] + M[6]), fabs(M[5] + M[7]))));
        if (off > 1e-9 * big)
            return 0;
        arm[0] = (M[5] - M[7]) / 2, arm[1] = (M[6] - M[2]) / 2, arm[2] = (M[1] - M[3]) / 2;
        cti_ica_program_term(row, blocks[k], weight, arm);
    }
    return 1;
}

/* converts all rows; returns a reason when one does not have the form */
static const char *cti_ica_program_rows(cti_ica_program *s)
{
    const cti_program *p = s->p;
    int32_t blocks[CTI_ROW_TERMS];
    double G[9 * CTI_ROW_TERMS];
    int i, k, n;
    for (i = 0; i < s->n_rows; i++) {
        cti_row *row = &s->rows[i];
        int at = s->stride * i, lines = p->mu && p->mu[i] > 0 ? 3 : 1;
        n = cti_ica_program_blocks(&p->J, at, lines, blocks, G);
        if (n < 0)
            return "a row touches more than sixteen blocks of three unknowns";
        row->mu = p->mu ? (ct_real)p->mu[i] : 0;
        row->equations = p->equation && p->equation[i];
        row->key = (uint64_t)i + 1;
        for (k = 0; k < s->stride; k++) {
            row->w[k] = (ct_real)p->w[at + k];
            row->r[k] = s->e->warm && (k == 0 || row->mu > 0) ? (ct_real)s->a->r[at + k] : 0;
        }
        if (lines == 1)
            cti_ica_program_normal(row, n, blocks, G);
        else if (!cti_ica_program_contact(row, n, blocks, G))
            return "a contact with friction has no frame that its blocks see by a weight and an arm";
    }
    return NULL;
}

/* ---- the solve ---- */

/* stores x and r in the answer */
static void cti_ica_program_answer(cti_ica_program *s, const ct_real *v)
{
    int i, k;
    for (i = 0; i < s->p->n; i++)
        s->a->x[i] = (double)v[i];
    for (i = 0; i < s->n_rows; i++) {
        const ct_real *r = s->rows[i].r, *t = s->turn + 2 * (size_t)i;
        double *to = s->a->r + (size_t)s->stride * (size_t)i;
        for (k = 0; k < s->stride; k++)
            to[k] = (double)r[k];
        if (s->turn && s->stride == 3)
            to[1] = (double)(t[0] * r[1] - t[1] * r[2]), to[2] = (double)(t[1] * r[1] + t[0] * r[2]);
    }
}

/* called after an outer iteration: updates the answer, asks judge and effort; 0 ends the solve */
static int cti_ica_program_watch(void *user, int iteration, const ct_real *v)
{
    cti_ica_program *s = (cti_ica_program *)user;
    cti_judgement j;
    cti_ica_program_answer(s, v);
    iteration += s->before;
    s->a->iterations = iteration;
    if (!s->e->paper && iteration >= s->next) {
        cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
        s->next = iteration + 1 + iteration / 8;
        s->solved = j.residual <= s->e->tolerance;
    }
    return !s->solved && cti_effort_goes_on(s->e, iteration, s->own, s->a->x, s->a->r);
}

/* bound on outer iterations: about 2e10 multiplications */
static int cti_ica_program_bound(const cti_program *p)
{
    double work = 2e10 / (p->A.p[p->n] + 12.0 * p->J.p[p->m] + 1);
    return work > 1e5 ? 100000 : (work < 200 ? 200 : (int)work);
}

/* rotates t1 of contacts with friction to their tangential velocity at v* (3.4) */
static void cti_ica_program_align(cti_ica_program *s, const ct_real *v_star)
{
    int i, k;
    for (i = 0; i < s->n_rows; i++) {
        cti_row *row = &s->rows[i];
        ct_real u[3], size, c = 1, sine = 0, old;
        cti_row_velocity(row, v_star, u);
        size = row->mu > 0 ? cti_sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
        if (size > 0)
            c = u[1] / size, sine = u[2] / size;
        s->turn[2 * i] = c, s->turn[2 * i + 1] = sine;
        for (k = 3; k < 6; k++) {
            old = row->frame[k];
            row->frame[k] = c * old + sine * row->frame[k + 3], row->frame[k + 3] = c * row->frame[k + 3] - sine * old;
        }
        old = row->w[1], row->w[1] = c * old + sine * row->w[2], row->w[2] = c * row->w[2] - sine * old;
        old = row->r[1], row->r[1] = c * old + sine * row->r[2], row->r[2] = c * row->r[2] - sine * old;
    }
}

/* solves A v* = b by conjugate gradients, up to rounding. 0: out of memory */
static int cti_ica_program_star(cti_ica_program *s, const ct_real *b, ct_real *v_star)
{
    int n = s->A.n, i;
    cti_jacobi jacobi;
    cti_operator A, M;
    ct_real *work = CTI_ARENA_NEW(s->e->arena, ct_real, 12 * (size_t)n), size;
    memset(&jacobi, 0, sizeof jacobi);
    if (!work || !cti_jacobi_make(s->e->mem, &jacobi, &s->A))
        return 0;
    cti_jacobi_apply(&jacobi, b, work);
    size = cti_krylov_dot(3 * n, b, work);
    for (i = 0; i < 3 * n; i++)
        v_star[i] = 0;
    A = cti_bsr_operator(&s->A), M = cti_jacobi_operator(&jacobi);
    cti_pcg(&A, &M, b, v_star, 16 * CTI_EPS * cti_sqrt(size), 100 + 30 * n, work, NULL);
    cti_jacobi_free(s->e->mem, &jacobi);
    return 1;
}

/* the solve as printed; without a thickness there is no test of distances. v: the start, if warm */
static cti_outcome cti_ica_program_printed(cti_ica_program *s, const cti_problem *q, ct_real *v)
{
    ct_solver_desc desc;
    cti_solve_info info;
    cti_judgement j;
    ct_real *star = CTI_ARENA_NEW(s->e->arena, ct_real, 3 * (size_t)s->A.n);
    s->turn = CTI_ARENA_NEW(s->e->arena, ct_real, 2 * (size_t)s->n_rows);
    if (!star || !s->turn || !cti_ica_program_star(s, q->b, star))
        return CTI_OUTCOME_MEMORY;
    cti_ica_program_align(s, star);
    if (!s->e->warm)
        memcpy(v, star, sizeof(ct_real) * 3 * (size_t)s->A.n);
    memset(&desc, 0, sizeof desc);
    desc.cone = CT_CONE_BOX, desc.max_iterations = desc.max_sweeps = 1 << 30, desc.inner_iterations = CTI_ICA_PROGRAM_INNER;
    s->own = cti_ica_program_bound(s->p);
    cti_ica_paper_solve(q, &desc, s->e->arena, star, v, &info);
    if (info.status == CTI_SOLVE_MEMORY)
        return CTI_OUTCOME_MEMORY;
    cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
    if (j.residual <= s->e->tolerance)
        return CTI_OUTCOME_SOLVED;
    s->a->why = info.status == CTI_SOLVE_DIVERGED ? "the relaxation diverges"
                                                  : (info.status == CTI_SOLVE_OK ? "the paper's rule ended above the tolerance"
                                                                                 : "the budget ended before the paper's rule did");
    return info.status == CTI_SOLVE_DIVERGED ? CTI_OUTCOME_FAILED : CTI_OUTCOME_BUDGET;
}

static cti_outcome cti_ica_program_run(cti_ica_program *s)
{
    cti_problem q;
    ct_solver_desc desc;
    cti_solve_info info;
    cti_judgement j;
    ct_real *v = CTI_ARENA_ZERO(s->e->arena, ct_real, 3 * s->A.n), *b = CTI_ARENA_ZERO(s->e->arena, ct_real, 3 * s->A.n);
    double residual = INFINITY, last;
    int i;
    if (!v || !b)
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < s->p->n; i++)
        b[i] = (ct_real)s->p->b[i], v[i] = s->e->warm ? (ct_real)s->a->x[i] : 0;
    memset(&q, 0, sizeof q), memset(&desc, 0, sizeof desc);
    q.A = &s->A, q.b = b, q.dt = 1, q.velocity_scale = 1;
    q.rows = s->rows, q.n_rows = s->n_rows;
    q.split.plain = s->e->plain, q.split.predict = 1, q.calls.watch = cti_ica_program_watch, q.calls.watch_user = s;
    if (s->e->paper)
        return cti_ica_program_printed(s, &q, v);
    /* only the watcher ends the solve: every change that is a normal number exceeds this tolerance */
    desc.cone = CT_CONE_CONE, desc.tolerance = CTI_R(1e-30);
    desc.max_iterations = 1 << 30, desc.max_sweeps = 1 << 30, desc.inner_iterations = 50, desc.inner_repeats = 3;
    s->own = cti_ica_program_bound(s->p);
    do { /* ICA works on changes from a base point in float. Changes below its resolution are lost, and the next base point then looks like
            divergence. So the solve is started again from the result */
        cti_arena_point mark = cti_arena_mark(s->e->arena);
        last = residual;
        cti_ica_solve(&q, &desc, s->e->arena, v, &info);
        cti_arena_rewind(s->e->arena, mark);
        if (info.status == CTI_SOLVE_MEMORY)
            return CTI_OUTCOME_MEMORY;
        cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
        residual = j.residual, s->before = s->a->iterations;
    } while ((info.status == CTI_SOLVE_OK || info.status == CTI_SOLVE_DIVERGED) && !s->solved && residual > s->e->tolerance &&
             residual < 0.5 * last);
    if (s->solved || j.residual <= s->e->tolerance)
        return CTI_OUTCOME_SOLVED;
    s->a->why = info.status == CTI_SOLVE_DIVERGED ? "the relaxation diverges"
                                                  : (info.status == CTI_SOLVE_OK ? "the relaxation stands still short of the tolerance"
                                                                                 : "the budget ended before the relaxation converged");
    return info.status == CTI_SOLVE_BUDGET ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_FAILED;
}

/* a solution of a problem that is not convex is none */
static cti_outcome cti_ica_program_confirm(const cti_program *p, cti_effort *e, cti_answer *a, cti_outcome outcome)
{
    int is_convex = outcome == CTI_OUTCOME_SOLVED ? cti_scalar_is_convex(e->mem, &p->A) : 1;
    if (is_convex > 0)
        return outcome;
    a->why = is_convex < 0 ? "" : "the quadratic form is not convex";
    return is_convex < 0 ? CTI_OUTCOME_MEMORY : CTI_OUTCOME_NOT_APPLICABLE;
}

CTI_FN cti_outcome cti_solver_ica(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_ica_program s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    memset(&s, 0, sizeof s);
    a->why = "";
    if ((p->kind != CTI_PROGRAM_QP && p->kind != CTI_PROGRAM_GLOBAL) || p->n == 0) {
        a->why = "anticipation by nodes needs the matrix of the unknowns, which this kind of problem does not have";
        return CTI_OUTCOME_NOT_APPLICABLE;
    }
    s.p = p, s.e = e, s.a = a;
    s.stride = p->mu ? 3 : 1, s.n_rows = p->m / s.stride;
    s.rows = CTI_ARENA_ZERO(e->arena, cti_row, s.n_rows);
    s.work = CTI_ARENA_NEW(e->arena, double, 2 * (size_t)p->m + 2 * (size_t)p->n);
    if (s.rows && s.work) {
        const char *why = cti_ica_program_rows(&s);
        if (why) {
            a->why = why;
            outcome = CTI_OUTCOME_NOT_APPLICABLE;
        } else if (cti_ica_program_matrix(e->mem, &p->A, &s.A))
            outcome = cti_ica_program_confirm(p, e, a, cti_ica_program_run(&s));
    }
    cti_bsr_free(e->mem, &s.A);
    return outcome;
}
