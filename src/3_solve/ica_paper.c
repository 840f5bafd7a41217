/* ica_paper.c -- iterative constraint anticipation as printed, for comparison; worlds and problems use ica.c unless this is asked for.
   Method, in the paper's symbols: A = D - L - U with D of 3x3 nodes, dv = v - v*. An outer iteration i anticipates
       w = D^-1 ((L + U) dv(i-1) + J' lambda + H' gamma)                                                                   [eq. 9, 10, 13, 14]
   and solves for lambda and gamma in u = J (v* + w) by projected Gauss-Seidel, with three repeats of normal and friction at each contact
   [eq. 11; 5.5, 3.2.1]. Then dv(i) is refined by one block Gauss-Seidel sweep,
       (D - L) dv(i) = U dv(i-1) + J' lambda(i) + H' gamma(i)                                                              [eq. 12; 5.5, 3.3]
   and the residuals are evaluated again. Both loops end when the residuals change by less than 5 % and every distance is above half the
   thickness [5.5]. This criterion detects stagnation, not accuracy: the accuracy of the result is measured by the judge (residual.c).
   differs: caps on both loops; rows have our laws (compliance, recovery), and joints are solved as blocks.
   Based on: Otaduy, Tamstorf, Steinemann, Gross 2009. */
#include "ica_paper.h"
#include "law.h"
#include "solve_policy.h"

typedef struct cti_paper_term { /* a row's term: its part of J, and of D^-1 J' */
    int32_t block;
    ct_real G[9], W[9];
} cti_paper_term;

typedef struct cti_paper_contact {
    int32_t term0, n;
    ct_real star[3]; /* J v* and the row's constant part */
    cti_law local;
} cti_paper_contact;

/* what both loops test before they end. normal, friction: norms of the residuals of (13) and (14) [m/s]; response: that of
   A dv - J' lambda - H' gamma [N s]; apart: 1 where every contact's distance is above half the thickness */
typedef struct cti_paper_residuals {
    ct_real normal, friction, response;
    int apart;
} cti_paper_residuals;

typedef struct cti_paper {
    const cti_problem *p;
    const ct_solver_desc *desc;
    cti_paper_contact *contacts;
    cti_paper_term *terms;
    ct_real *D;         /* [9 n] D^-1 */
    ct_real *dv, *w;    /* [3 n] collision response; its anticipation (eq. 10) */
    ct_real *f, *e;     /* [3 n] J' lambda + H' gamma; f - A dv. Together [6 n] for the judge */
    ct_real noise, push; /* rounding error of velocities [m/s]; |f| of the first iteration [N s] */
} cti_paper;

static ct_real cti_paper_norm(int n, const ct_real *x)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return cti_sqrt((ct_real)sum);
}

/* ---- B and its parts ---- */

/* y += M x, 3x3 */
static void cti_paper_add(const ct_real *M, const ct_real *x, ct_real *y)
{
    cti_v3_addto(y, 0, cti_m3_mul_v(M, cti_v3_at(x, 0)));
}

/* G and W = D^-1 G' of a row's terms, B = sum of G W over equal blocks, and the contact's velocity at v* */
static void cti_paper_contact_make(cti_paper *s, int i, const ct_real *v_star)
{
    const cti_row *row = &s->p->rows[i];
    cti_paper_contact *q = &s->contacts[i];
    int k, l;
    for (k = 0; k < q->n; k++) {
        cti_paper_term *t = &s->terms[q->term0 + k];
        ct_real Gt[9];
        cti_m3 W;
        t->block = row->term[k].block;
        cti_row_map(row, k, t->G);
        cti_row_map_t(s->p, row, k, Gt);
        W = cti_m3_mul(s->D + 9 * (size_t)t->block, Gt);
        memcpy(t->W, W.m, sizeof t->W);
    }
    for (k = 0; k < q->n; k++)
        for (l = 0; l < q->n; l++) {
            cti_m3 B;
            int a;
            if (s->terms[q->term0 + k].block != s->terms[q->term0 + l].block)
                continue;
            B = cti_m3_mul(s->terms[q->term0 + k].G, s->terms[q->term0 + l].W);
            for (a = 0; a < 9; a++)
                q->local.B[a] += B.m[a];
        }
    cti_law_prepare(&q->local, row, s->desc->cone);
    q->local.whole = 0; /* the paper has no solve of the whole 3x3 block */
    cti_row_velocity(row, v_star, q->star);
}

static int cti_paper_make(cti_paper *s, cti_arena *arena, const ct_real *v_star, const ct_real *v)
{
    const cti_bsr *A = s->p->A;
    int i, n3 = 3 * A->n, total = 0;
    double size = 0;
    for (i = 0; i < s->p->n_rows; i++)
        total += s->p->rows[i].n;
    s->contacts = CTI_ARENA_ZERO(arena, cti_paper_contact, s->p->n_rows);
    s->terms = CTI_ARENA_NEW(arena, cti_paper_term, total);
    s->D = CTI_ARENA_ZERO(arena, ct_real, 3 * (size_t)n3);
    s->dv = CTI_ARENA_NEW(arena, ct_real, n3), s->w = CTI_ARENA_NEW(arena, ct_real, n3);
    s->f = CTI_ARENA_NEW(arena, ct_real, 2 * (size_t)n3);
    if (!s->contacts || !s->terms || !s->D || !s->dv || !s->w || !s->f)
        return 0;
    s->e = s->f + n3;
    for (i = 0; i < A->n; i++)
        if (!cti_m3_inverse(A->val + 9 * (size_t)A->diag[i], s->D + 9 * (size_t)i))
            memset(s->D + 9 * (size_t)i, 0, 9 * sizeof(ct_real)); /* a block with a singular diagonal does not move */
    for (i = 0; i < n3; i++)
        s->dv[i] = v[i] - v_star[i];
    for (i = total = 0; i < s->p->n_rows; i++) {
        s->contacts[i].term0 = total, s->contacts[i].n = s->p->rows[i].n;
        total += s->p->rows[i].n;
        cti_paper_contact_make(s, i, v_star);
        size += (double)cti_v3_norm2(cti_v3_at(s->contacts[i].star, 0));
    }
    s->noise = cti_solve_tuned.paper.noise * CTI_EPS * cti_sqrt((ct_real)size);
    return 1;
}

/* ---- residuals ---- */

/* u of a contact at the response dv */
static void cti_paper_velocity(const cti_paper *s, int i, const ct_real *dv, ct_real *u)
{
    const cti_paper_contact *q = &s->contacts[i];
    int k;
    for (k = 0; k < 3; k++)
        u[k] = q->star[k];
    for (k = q->term0; k < q->term0 + q->n; k++)
        cti_paper_add(s->terms[k].G, dv + 3 * (size_t)s->terms[k].block, u);
}

/* complementarity residual of one contact, as velocities: the change of its multipliers in a projected step of its own */
static void cti_paper_residual(const cti_law *q, ct_cone cone, const ct_real *r, const ct_real *u, double *normal, double *friction)
{
    ct_real law = u[0] + q->compliance[0] * r[0], d[3], next[3], g1, g2;
    int k;
    if (q->equations) {
        for (k = 0; k < 3; k++) {
            d[k] = q->equations >> k & 1 ? u[k] + q->compliance[k] * r[k] : 0;
            next[k] = r[k] - q->inv_top * d[k];
        }
        if (cti_row_bound(q->most, next))
            cti_v3_put(d, 0, cti_v3_mul(cti_v3_sub(cti_v3_at(r, 0), cti_v3_at(next, 0)), 1 / q->inv_top));
        *normal += (double)cti_v3_norm2(cti_v3_at(d, 0));
        return;
    }
    if (q->recover > 0)
        law = cti_min(law, u[0] + q->softness * r[0] - q->recover);
    d[0] = q->B[0] > 0 ? cti_min(law, r[0] * q->B[0]) : 0;
    *normal += (double)(d[0] * d[0]);
    if (!(q->mu > 0) || !(q->inv_top > 0))
        return;
    g1 = r[1] - (u[1] + q->compliance[1] * r[1]) * q->inv_top, g2 = r[2] - (u[2] + q->compliance[2] * r[2]) * q->inv_top;
    cti_cone_project(cone, q->mu * r[0], &g1, &g2);
    d[1] = (r[1] - g1) / q->inv_top, d[2] = (r[2] - g2) / q->inv_top;
    *friction += (double)(d[1] * d[1] + d[2] * d[2]);
}

/* residuals of all contacts at the response dv */
static void cti_paper_evaluate(const cti_paper *s, const ct_real *dv, cti_paper_residuals *out)
{
    double normal = 0, friction = 0;
    ct_real most = s->p->approach_limit;
    int i;
    out->apart = 1;
    for (i = 0; i < s->p->n_rows; i++) {
        const cti_row *row = &s->p->rows[i];
        ct_real u[3];
        cti_paper_velocity(s, i, dv, u);
        cti_paper_residual(&s->contacts[i].local, s->desc->cone, row->r, u, &normal, &friction);
        if (most > 0 && !row->equations && !(u[0] > -most))
            out->apart = 0;
    }
    out->normal = cti_sqrt((ct_real)normal), out->friction = cti_sqrt((ct_real)friction);
}

/* 1 where no residual changes by more than 5 % of its value after the last refinement of dv, or by more than rounding (5.5). The paper does
   not say what the 5 % refer to. With 5 % of the residual's own last value, an inner loop that converges fast goes on to the last digit.
   Fewer than half of the inner loops then end within ten sweeps, where nine in ten do in the paper. With 5 % of the first value, the outer
   loop ends so early that piles jump */
static int cti_paper_stands(const cti_paper *s, const cti_paper_residuals *now, const cti_paper_residuals *last, const cti_paper_residuals *left)
{
    ct_real noise = s->noise;
    return cti_abs(now->normal - last->normal) <= cti_max(cti_solve_tuned.paper.change * left->normal, noise) &&
           cti_abs(now->friction - last->friction) <= cti_max(cti_solve_tuned.paper.change * left->friction, noise) &&
           cti_abs(now->response - last->response) <=
               cti_max(cti_solve_tuned.paper.change * left->response, cti_solve_tuned.paper.noise * CTI_EPS * s->push);
}

/* ---- loops ---- */

/* solves one contact: w += D^-1 J' times the change of its multipliers */
static void cti_paper_visit(cti_paper *s, int i)
{
    const cti_paper_contact *q = &s->contacts[i];
    cti_row *row = &s->p->rows[i];
    ct_real u[3], d[3];
    int k;
    cti_paper_velocity(s, i, s->w, u);
    for (k = 0; k < 3; k++)
        d[k] = -row->r[k];
    cti_law_solve(&q->local, s->desc->cone, cti_solve_tuned.paper.repeats, row->r, u);
    for (k = 0; k < 3; k++)
        d[k] += row->r[k];
    if (d[0] == 0 && d[1] == 0 && d[2] == 0)
        return;
    for (k = q->term0; k < q->term0 + q->n; k++)
        cti_paper_add(s->terms[k].W, d, s->w + 3 * (size_t)s->terms[k].block);
}

/* 3.2: the LCPs of (13) and (14) by projected Gauss-Seidel. left: residuals after the last refinement of dv. Returns the sweeps */
static int cti_paper_inner(cti_paper *s, const cti_paper_residuals *left)
{
    cti_paper_residuals now = {0, 0, 0, 0}, last = now;
    int k, i;
    for (k = 1;; k++) {
        for (i = 0; i < s->p->n_rows; i++)
            cti_paper_visit(s, i);
        cti_paper_evaluate(s, s->w, &now);
        if (k == s->desc->inner_iterations)
            return k;
        if (k > 1 && now.apart && cti_paper_stands(s, &now, &last, left))
            return k;
        last = now;
    }
}

/* f = J' lambda + H' gamma */
static void cti_paper_push(cti_paper *s)
{
    int i;
    memset(s->f, 0, sizeof(ct_real) * 3 * (size_t)s->p->A->n);
    for (i = 0; i < s->p->n_rows; i++)
        cti_row_scatter(s->p, &s->p->rows[i], s->p->rows[i].r, s->f);
}

/* 3.3: one block Gauss-Seidel sweep for dv */
static void cti_paper_refine(cti_paper *s)
{
    int b;
    for (b = 0; b < s->p->A->n; b++) {
        cti_v3 e = cti_v3_sub(cti_v3_at(s->f, b), cti_bsr_row(s->p->A, s->dv, b));
        cti_v3_addto(s->dv, b, cti_m3_mul_v(s->D + 9 * (size_t)b, e));
    }
}

/* e = f - A dv, and the next iteration's w from it (eq. 10) */
static void cti_paper_anticipate(cti_paper *s)
{
    int b;
    cti_problem_residual(s->p, s->f, s->dv, s->e);
    for (b = 0; b < s->p->A->n; b++)
        cti_v3_put(s->w, b, cti_v3_add(cti_v3_at(s->dv, b), cti_m3_mul_v(s->D + 9 * (size_t)b, cti_v3_at(s->e, b))));
}

/* 3: the outer loop */
static cti_solve_status cti_paper_loop(cti_paper *s, const ct_real *v_star, ct_real *v, cti_solve_info *info)
{
    cti_paper_residuals now, last = {0, 0, 0, 0};
    ct_real least = CTI_REAL_MAX;
    int i, k, n3 = 3 * s->p->A->n;
    cti_paper_push(s);
    cti_paper_anticipate(s);
    cti_paper_evaluate(s, s->dv, &last);
    for (info->iterations = 1;; info->iterations++) {
        k = cti_paper_inner(s, &last);
        info->sweeps += k, info->quick += k < cti_solve_tuned.paper.quick;
        cti_paper_push(s);
        cti_paper_refine(s);
        cti_paper_anticipate(s);
        cti_paper_evaluate(s, s->dv, &now);
        now.response = cti_paper_norm(n3, s->e);
        if (info->iterations == 1)
            s->push = cti_paper_norm(n3, s->f);
        for (i = 0; i < n3; i++)
            v[i] = v_star[i] + s->dv[i];
        if (s->p->calls.watch && !s->p->calls.watch(s->p->calls.watch_user, info->iterations, v))
            return CTI_SOLVE_BUDGET;
        if (!cti_finite(now.response) || !cti_finite(now.normal) || now.response > cti_max(cti_solve_tuned.paper.growth * least, s->push))
            return CTI_SOLVE_DIVERGED;
        if (info->iterations > 1 && now.apart && cti_paper_stands(s, &now, &last, &last))
            return CTI_SOLVE_OK;
        if (info->iterations == s->desc->max_iterations || info->sweeps >= (double)cti_solve_tuned.paper.more * s->desc->max_sweeps)
            return CTI_SOLVE_BUDGET;
        least = cti_min(least, now.response), last = now;
    }
}

CTI_FN void cti_ica_paper_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, const ct_real *v_star, ct_real *v,
                                cti_solve_info *info)
{
    cti_paper s;
    memset(&s, 0, sizeof s), memset(info, 0, sizeof *info);
    s.p = p, s.desc = desc;
    info->status = CTI_SOLVE_MEMORY;
    if (!cti_paper_make(&s, arena, v_star, v))
        return;
    info->status = cti_paper_loop(&s, v_star, v, info);
    cti_residual_eval(p, desc->cone, v, s.f, &info->res);
    info->judged = 1;
}
