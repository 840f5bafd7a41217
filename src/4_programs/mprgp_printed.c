/* mprgp_printed.c -- algorithm 3 as printed, for a general J; worlds and problems use mprgp.c unless this is asked for. Method, in the
   paper's symbols, with J^ the rows that are active at x:
       phi  = g + J^' l_phi,  J^ J^' l_phi = -J^ g                                   [15, 16] the gradient within the face
       beta = g - phi - J^' l_beta,  0 <= l_beta  |  J^ J^' l_beta >= J^ (g - phi)   [17, 18] what leaves it
       P(x) = x + J' l_p,  0 <= l_p  |  J J' l_p >= c - J x                          [19, 20]
   Conjugate steps in the face (algorithm 2) while the objective of the projected point does not rise and |beta|^2 <= Gamma^2 phi~'phi,
   phi~ = (x - P(x - alpha phi)) / alpha; outside the feasible set an expansion, P(P(x) - alpha phi); else a proportioning step P(x -
   alpha_p beta). After both, P(x - alpha g) is repeated while the objective is higher. The method ends when |phi + beta| < epsilon. Choices
   that the paper leaves open: Jacobi's preconditioner as a change of unknowns, diag(A)^(1/2) x for x, so that every projection is still one
   of this page; alpha a share of .9 of 2 / |A|, by forty steps of the power method; x0 projected; independent active rows in [16]; epsilon
   is the tolerance times |b|, divided by ten whenever the judge does not accept the result. differs: phi'p for g'p, which is the same in
   the face; the termination test is made at feasible points only; alpha is halved when P(x - alpha g) raises the objective, which it cannot
   when alpha <= 2 / |A|. Based on: Li, Pan, Huang, Bao, Jin 2015, section 4. */
#include "mprgp_printed.h"
#include "active_set.h"
#include "certificate.h"
#include "dual.h"

/* J x >= c in the scaled unknowns */
typedef struct cti_printed_rows {
    cti_sparse J, G;      /* rows of unit length, J J' */
    double *size, *c;     /* [m] factor of the row in J; right side */
    double *eps;          /* [m] rounding of J_i x - c_i */
    uint8_t *active;      /* [m] */
    double *s, *q, *Jphi, *loose; /* [m] J x - c; right sides; J phi; rounding of J g */
} cti_printed_rows;

/* the programs of equations 16, 18, 20 and that of phi~, all with J J': y are their multipliers. Each keeps its set and factor */
typedef struct cti_printed_grams {
    cti_active face, chop, pull, reduce;
    double *q;              /* [m] minus their right sides */
    int none;               /* 1: a projection has no solution, so that there is no feasible point */
} cti_printed_grams;

/* results of step 1 at x */
typedef struct cti_printed_view {
    double *phi, *sum;      /* [n] phi, phi + beta */
    double beta2, reduced;  /* |beta|^2, phi~'phi */
    double rule;            /* |phi + beta| in the problem's unknowns */
    int feasible;           /* 1: x is */
} cti_printed_view;

/* where a chain of conjugate steps began, and f(x) and f(P(x)) less f there */
typedef struct cti_printed_chain {
    double *x, *g; /* [n] */
    double fall, fall_projected;
} cti_printed_chain;

typedef struct cti_printed_point {
    double *x, *g; /* [n] */
} cti_printed_point;

typedef struct cti_printed {
    const cti_program *p;
    cti_mprgp_target *t;
    int n, m;
    double *D;            /* [n] diag(A)^(-1/2): the unknowns of the file are D x */
    double *b;            /* [n] */
    cti_printed_rows row;
    cti_printed_grams gram;
    double *x, *g;        /* [n] */
    double *p_, *Ap;      /* [n] direction */
    cti_printed_point from; /* the point whose f is the reference */
    double *y, *scratch;  /* [n] */
    cti_printed_view view;
    cti_printed_chain chain;
    double alpha, epsilon;
} cti_printed;

/* y = A v in the scaled unknowns */
static void cti_printed_times(void *ctx, const double *v, double *y)
{
    cti_printed *s = (cti_printed *)ctx;
    int i;
    for (i = 0; i < s->n; i++)
        s->scratch[i] = s->D[i] * v[i];
    cti_sparse_mul(&s->p->A, s->scratch, y);
    for (i = 0; i < s->n; i++)
        y[i] *= s->D[i];
}

static void cti_printed_multiply(cti_printed *s, const double *v, double *y)
{
    cti_printed_times(s, v, y);
    s->t->count->products++;
}

static void cti_printed_gradient(cti_printed *s, const double *v, double *g)
{
    cti_printed_multiply(s, v, g);
    cti_vec_add(s->n, -1, s->b, g);
}

/* v += a J'l */
static void cti_printed_push(const cti_printed *s, double a, const double *l, double *v)
{
    int i, k;
    for (i = 0; i < s->m; i++)
        for (k = s->row.J.p[i]; l[i] != 0 && k < s->row.J.p[i + 1]; k++)
            v[s->row.J.i[k]] += a * s->row.J.x[k] * l[i];
}

/* out = J v - c, with its possible rounding error; 1 when v is feasible */
static int cti_printed_values(cti_printed *s, const double *v, double *out)
{
    int i, k, inside = 1;
    double noise = cti_program_tuned.mprgp.noise * sqrt(cti_dot_fast(s->n, v, v));
    for (i = 0; i < s->m; i++) {
        double sum = -s->row.c[i], most = fabs(s->row.c[i]);
        for (k = s->row.J.p[i]; k < s->row.J.p[i + 1]; k++) {
            double term = s->row.J.x[k] * v[s->row.J.i[k]];
            sum += term, most += fabs(term);
        }
        out[i] = sum, s->row.eps[i] = cti_program_tuned.mprgp.round * most + noise;
        if (s->p->equation && s->p->equation[i] ? fabs(sum) > s->row.eps[i] : sum < -s->row.eps[i])
            inside = 0;
    }
    return inside;
}

/* ---- J J' ---- */

static int cti_printed_gram_row(void *ctx, const cti_active *g, int p, double *z, double *own)
{
    const cti_sparse *G = &((const cti_printed *)ctx)->row.G;
    int k;
    cti_vec_zero(g->count, z);
    for (k = G->p[p]; k < G->p[p + 1]; k++)
        if (G->i[k] == p)
            *own = G->x[k];
        else if (g->at[G->i[k]] >= 0)
            z[g->at[G->i[k]]] = G->x[k];
    return 1;
}

static int cti_printed_gram_values(void *ctx, const cti_active *g)
{
    const cti_sparse *G = &((const cti_printed *)ctx)->row.G;
    int i, k;
    for (i = 0; i < g->m; i++) {
        double sum = g->q[i];
        if (g->at[i] >= 0 || (g->taken && !g->taken[i]))
            continue;
        for (k = G->p[i]; k < G->p[i + 1]; k++)
            sum += G->x[k] * g->y[G->i[k]];
        g->u[i] = sum;
    }
    return 1;
}

/* [18] always has a solution: what looks like a proof that it has none is rounding */
static int cti_printed_gram_proves(void *ctx, const double *y)
{
    CTI_UNUSED(ctx);
    CTI_UNUSED(y);
    return 0;
}

static int cti_printed_gram_open(cti_printed *s, cti_active *g)
{
    g->m = s->m, g->equation = s->p->equation, g->q = s->gram.q, g->eps = s->row.eps;
    g->row = cti_printed_gram_row, g->values = cti_printed_gram_values, g->ctx = s;
    return cti_active_open(g, s->t->effort->arena);
}

/* rows that are not taken leave the set */
static void cti_printed_gram_leave(cti_active *g, const uint8_t *taken)
{
    int i;
    for (i = g->count - 1; i >= 0; i--)
        if (!taken[g->set[i]])
            cti_active_drop(g, i);
}

/* makes the set of [16] a largest independent subset of the active rows. 0: memory ran out */
static int cti_printed_gram_face(cti_printed *s)
{
    cti_active *g = &s->gram.face;
    int i;
    cti_printed_gram_leave(g, s->row.active);
    for (i = 0; i < s->m; i++)
        if (s->row.active[i] && g->at[i] < 0 && cti_active_add(g, i) < 0)
            return 0;
    return 1;
}

/* v -= J' (J J')^-1 q on the set */
static void cti_printed_gram_remove(cti_printed *s, cti_active *g, const double *q, double *v)
{
    int i, k;
    cti_active_inverse(g, q);
    for (i = 0; i < g->count; i++)
        for (k = s->row.J.p[g->set[i]]; k < s->row.J.p[g->set[i] + 1]; k++)
            v[s->row.J.i[k]] -= s->row.J.x[k] * g->z[i];
}

/* [18, 20]: 0 <= y, J J' y >= row.q, complementary, for the rows that are taken (NULL: all), from the last y */
static cti_active_end cti_printed_gram_solve(cti_printed *s, cti_active *g, const uint8_t *taken)
{
    cti_active_end end;
    int i;
    memset(g->banned, 0, (size_t)s->m);
    for (i = 0; i < s->m; i++)
        s->gram.q[i] = -s->row.q[i];
    g->taken = taken;
    if (taken)
        cti_printed_gram_leave(g, taken);
    end = cti_active_run(g, 1);
    if (end == CTI_ACTIVE_NONE || end == CTI_ACTIVE_MEMORY)
        return end;
    cti_active_settle(g);
    return CTI_ACTIVE_DONE;
}

/* v = P(v), repeated once on the working set. 0: memory ran out or, with `none`, there is no feasible point */
static int cti_printed_project(cti_printed *s, double *v)
{
    int i;
    cti_active_end end;
    if (cti_printed_values(s, v, s->row.q))
        return 1;
    for (i = 0; i < s->m; i++)
        s->row.q[i] = -s->row.q[i];
    end = cti_printed_gram_solve(s, &s->gram.pull, NULL);
    s->gram.none = end == CTI_ACTIVE_NONE;
    if (end != CTI_ACTIVE_DONE)
        return 0;
    cti_printed_push(s, 1, s->gram.pull.y, v);
    cti_printed_values(s, v, s->row.q);
    cti_printed_gram_remove(s, &s->gram.pull, s->row.q, v);
    return 1;
}

/* f at `to` minus f at `from`; *noise: its possible rounding error */
static double cti_printed_change(const cti_printed *s, const double *from, const double *g_from, const double *to, const double *g_to, double *noise)
{
    double sum = 0, most = 0;
    int i;
    for (i = 0; i < s->n; i++) {
        sum += (to[i] - from[i]) * (g_from[i] + g_to[i]) / 2;
        most += fabs(to[i] * g_to[i]);
    }
    *noise = cti_program_tuned.mprgp.round * most; /* a feasible point is one up to that share */
    return sum;
}

/* ---- the state of the iteration ---- */

/* phi = g + J^'l_phi for any vector g, so that J^ phi = 0 */
static void cti_printed_flatten(cti_printed *s, double *v)
{
    if (!s->gram.face.count)
        return;
    cti_sparse_mul(&s->row.J, v, s->row.q);
    cti_printed_gram_remove(s, &s->gram.face, s->row.q, v);
}

/* phi~'phi, phi~ = (x - P(x - alpha phi)) / alpha; 0: memory ran out or there is no feasible point */
static int cti_printed_reduced(cti_printed *s, double phi2)
{
    double push = 0;
    cti_active_end end;
    int i, inside = 1;
    cti_sparse_mul(&s->row.J, s->view.phi, s->row.Jphi);
    for (i = 0; i < s->m; i++) {
        s->row.q[i] = s->alpha * s->row.Jphi[i] - s->row.s[i];
        inside = inside && s->row.q[i] <= s->row.eps[i];
    }
    s->view.reduced = phi2;
    if (inside)
        return 1;
    end = cti_printed_gram_solve(s, &s->gram.reduce, NULL);
    s->gram.none = end == CTI_ACTIVE_NONE;
    if (end != CTI_ACTIVE_DONE)
        return 0;
    for (i = 0; i < s->m; i++)
        push += s->gram.reduce.y[i] * s->row.Jphi[i];
    s->view.reduced -= push / s->alpha;
    return 1;
}

/* step 1: phi, beta and the numbers for the tests, at x with its g, in the current face */
static int cti_printed_look(cti_printed *s)
{
    double phi2, most;
    int i;
    cti_vec_copy(s->n, s->g, s->view.phi);
    cti_printed_flatten(s, s->view.phi);
    phi2 = cti_dot(s->n, s->view.phi, s->view.phi);
    cti_vec_copy(s->n, s->g, s->view.sum);
    cti_sparse_mul(&s->row.J, s->g, s->row.q);
    most = cti_most(s->m, s->row.q);
    for (i = 0; i < s->m; i++)
        s->row.loose[i] = cti_program_tuned.mprgp.round * most;
    if (cti_printed_gram_solve(s, &s->gram.chop, s->row.active) != CTI_ACTIVE_DONE)
        return 0;
    cti_printed_push(s, -1, s->gram.chop.y, s->view.sum); /* phi + beta = g - J^'l_beta */
    s->view.beta2 = s->view.rule = 0;
    for (i = 0; i < s->n; i++) {
        double beta = s->view.sum[i] - s->view.phi[i], own = s->view.sum[i] / s->D[i];
        s->view.beta2 += beta * beta, s->view.rule += own * own;
    }
    s->view.rule = sqrt(s->view.rule);
    return cti_printed_reduced(s, phi2);
}

/* x = P(x), with its active set and g; p = phi */
static int cti_printed_restart(cti_printed *s)
{
    int i;
    if (!cti_printed_project(s, s->x))
        return 0;
    cti_printed_values(s, s->x, s->row.s);
    for (i = 0; i < s->m; i++)
        s->row.active[i] = s->row.s[i] <= s->row.eps[i] || (s->p->equation && s->p->equation[i]);
    if (!cti_printed_gram_face(s))
        return 0;
    cti_printed_gram_remove(s, &s->gram.face, s->row.s, s->x); /* rows are active up to rounding: x goes onto its face */
    cti_printed_values(s, s->x, s->row.s);
    cti_printed_gradient(s, s->x, s->g);
    s->view.feasible = 1;
    if (!cti_printed_look(s))
        return 0;
    cti_vec_copy(s->n, s->view.phi, s->p_);
    return 1;
}

/* counts one more step; 0 when the budget is used up */
static int cti_printed_goes_on(cti_printed *s)
{
    cti_answer *a = s->t->answer;
    int on = cti_effort_goes_on(s->t->effort, a->iterations, 2000000, a->x, a->r);
    a->iterations += on;
    return on;
}

/* stores x and r of the problem in the answer */
static void cti_printed_put(void *ctx)
{
    cti_printed *s = (cti_printed *)ctx;
    cti_answer *a = s->t->answer;
    int i;
    for (i = 0; i < s->n; i++)
        a->x[i] = s->D[i] * s->x[i];
    cti_vec_zero(s->t->judged->m, a->r);
    for (i = 0; i < s->m; i++)
        a->r[s->t->stride * i] = s->row.size[i] * s->gram.chop.y[i];
}

/* ---- steps ---- */

/* x = P(x - alpha g) while f is higher than at w, whose gradient is g_w. 0: as for the projection */
static int cti_printed_descend(cti_printed *s)
{
    double noise, change, before = INFINITY;
    for (;;) {
        cti_printed_gradient(s, s->x, s->g);
        change = cti_printed_change(s, s->from.x, s->from.g, s->x, s->g, &noise);
        if (change <= noise)
            return 1;
        if (change > before + noise && s->t->count->halvings < 30)
            s->alpha /= 2, s->t->count->halvings++;
        before = change;
        if (!cti_printed_goes_on(s))
            return 1;
        s->t->count->inner++;
        cti_vec_add(s->n, -s->alpha, s->g, s->x);
        if (!cti_printed_project(s, s->x))
            return 0;
    }
}

/* steps 3 and 4: x = P(x - length d), then the inner loop, compared with f at w = P(x) */
static int cti_printed_jump(cti_printed *s, double length, const double *d)
{
    cti_vec_add(s->n, -length, d, s->x);
    return cti_printed_project(s, s->x) && cti_printed_descend(s) && cti_printed_restart(s);
}

/* step 3: y = P(x), x = P(y - alpha phi(y)) */
static int cti_printed_expand(cti_printed *s)
{
    s->t->count->expansions++;
    if (!cti_printed_restart(s))
        return 0;
    cti_vec_copy(s->n, s->x, s->from.x), cti_vec_copy(s->n, s->g, s->from.g);
    return cti_printed_jump(s, s->alpha, s->view.phi);
}

/* step 4: x = P(x - alpha_p beta), alpha_p = beta'g / beta'A beta */
static int cti_printed_proportion(cti_printed *s)
{
    double curvature;
    int i;
    s->t->count->proportionings++;
    for (i = 0; i < s->n; i++)
        s->y[i] = s->view.sum[i] - s->view.phi[i];
    cti_vec_copy(s->n, s->x, s->from.x), cti_vec_copy(s->n, s->g, s->from.g);
    if (!s->view.feasible) { /* f is compared with that of P(x) */
        if (!cti_printed_project(s, s->from.x))
            return 0;
        cti_printed_gradient(s, s->from.x, s->from.g);
    }
    cti_printed_multiply(s, s->y, s->Ap);
    curvature = cti_dot(s->n, s->y, s->Ap);
    return cti_printed_jump(s, curvature > 0 ? cti_dot(s->n, s->y, s->g) / curvature : s->alpha, s->y);
}

/* f at P(y) minus f at the start of the chain, for y outside; y is kept */
static int cti_printed_projected(cti_printed *s, double *out)
{
    double noise;
    cti_vec_copy(s->n, s->y, s->from.x);
    if (!cti_printed_project(s, s->from.x))
        return 0;
    cti_printed_gradient(s, s->from.x, s->from.g);
    *out = cti_printed_change(s, s->chain.x, s->chain.g, s->from.x, s->from.g, &noise);
    return 1;
}

/* makes y = x - alpha_cg p the new x, and computes the next p */
static int cti_printed_accept(cti_printed *s, double alpha, double pAp)
{
    double share;
    int i;
    cti_vec_copy(s->n, s->y, s->x);
    cti_vec_add(s->n, -alpha, s->Ap, s->g);
    s->view.feasible = cti_printed_values(s, s->x, s->row.s);
    s->t->count->cg++;
    if (!cti_printed_look(s))
        return 0;
    share = cti_dot(s->n, s->view.phi, s->Ap) / pAp;
    for (i = 0; i < s->n; i++)
        s->p_[i] = s->view.phi[i] - share * s->p_[i];
    cti_printed_flatten(s, s->p_);
    return 1;
}

typedef enum cti_printed_way { CTI_PRINTED_IN, CTI_PRINTED_OUT, CTI_PRINTED_FLAT, CTI_PRINTED_BUDGET, CTI_PRINTED_OVER } cti_printed_way;

/* algorithm 2. OUT: y left the set; IN: another end; FLAT: no curvature; OVER: as for the projection */
static cti_printed_way cti_printed_conjugate(cti_printed *s)
{
    double gamma2 = s->t->options->gamma * s->t->options->gamma;
    int i, inside;
    s->chain.fall = s->chain.fall_projected = 0;
    cti_vec_copy(s->n, s->x, s->chain.x), cti_vec_copy(s->n, s->g, s->chain.g);
    for (;;) {
        double gp, pAp, alpha, projected;
        if (s->view.rule < s->epsilon)
            return s->view.feasible ? CTI_PRINTED_IN : CTI_PRINTED_OUT;
        cti_printed_multiply(s, s->p_, s->Ap);
        gp = cti_dot(s->n, s->view.phi, s->p_), pAp = cti_dot(s->n, s->p_, s->Ap);
        if (!(pAp > 1e-15 * s->t->count->norm * cti_dot(s->n, s->p_, s->p_)))
            return s->view.feasible ? CTI_PRINTED_FLAT : CTI_PRINTED_OUT;
        alpha = gp / pAp;
        for (i = 0; i < s->n; i++)
            s->y[i] = s->x[i] - alpha * s->p_[i];
        inside = cti_printed_values(s, s->y, s->row.s);
        projected = s->chain.fall - alpha * gp / 2;
        if (!inside && !cti_printed_projected(s, &projected))
            return CTI_PRINTED_OVER;
        if (!(projected <= s->chain.fall_projected + 1e-13 * fabs(s->chain.fall_projected)))
            return inside && s->view.feasible ? CTI_PRINTED_IN : CTI_PRINTED_OUT;
        if (s->view.beta2 > gamma2 * s->view.reduced)
            return inside ? CTI_PRINTED_IN : CTI_PRINTED_OUT;
        if (!cti_printed_goes_on(s))
            return CTI_PRINTED_BUDGET;
        s->chain.fall -= alpha * gp / 2, s->chain.fall_projected = projected;
        if (!cti_printed_accept(s, alpha, pAp))
            return CTI_PRINTED_OVER;
    }
}

/* ---- algorithm 3 ---- */

/* 1: x is the result; epsilon is reduced if the judge rejects x */
static int cti_printed_finished(cti_printed *s)
{
    while (s->view.feasible && s->view.rule < s->epsilon) {
        cti_printed_put(s);
        if (cti_mprgp_target_good(s->t))
            return 1;
        s->epsilon /= 10;
    }
    return 0;
}

static cti_mprgp_end cti_printed_outline(cti_printed *s)
{
    double gamma2 = s->t->options->gamma * s->t->options->gamma, floor = 1e-10 * s->epsilon;
    if (!cti_printed_restart(s)) /* x0 is projected */
        return CTI_MPRGP_MEMORY;
    for (;;) {
        int ok = 1, cg = s->t->count->cg;
        if (cti_printed_finished(s))
            return CTI_MPRGP_DONE;
        if (s->epsilon < floor)
            return CTI_MPRGP_STALLED;
        if (s->view.beta2 > gamma2 * s->view.reduced) {
            if (!cti_printed_goes_on(s))
                return CTI_MPRGP_BUDGET;
            ok = cti_printed_proportion(s);
        } else {
            cti_printed_way chain = cti_printed_conjugate(s);
            if (chain == CTI_PRINTED_FLAT)
                return CTI_MPRGP_UNBOUNDED;
            if (chain == CTI_PRINTED_BUDGET || (chain == CTI_PRINTED_OUT && !cti_printed_goes_on(s)))
                return CTI_MPRGP_BUDGET;
            if (chain == CTI_PRINTED_IN && s->t->count->cg == cg && s->view.rule >= s->epsilon) /* f falls by less than rounding */
                return CTI_MPRGP_STALLED;
            ok = chain == CTI_PRINTED_OUT ? cti_printed_expand(s) : chain == CTI_PRINTED_IN;
        }
        if (!ok)
            return CTI_MPRGP_MEMORY;
    }
}

/* ---- setting up ---- */

/* rows of unit length in the scaled unknowns */
static int cti_printed_scale(cti_printed *s)
{
    const cti_program *p = s->p;
    cti_mem *mem = &s->t->effort->arena->own;
    int i, k;
    if (!cti_sparse_copy(mem, &p->J, &s->row.J))
        return 0;
    for (i = 0; i < s->m; i++) {
        double size = 0;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++) {
            s->row.J.x[k] = p->J.x[k] * s->D[p->J.i[k]];
            size += s->row.J.x[k] * s->row.J.x[k];
        }
        s->row.size[i] = size > 0 ? 1 / sqrt(size) : 1;
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++)
            s->row.J.x[k] *= s->row.size[i];
        s->row.c[i] = size > 0 ? -p->w[i] * s->row.size[i] : 0; /* a row of zeros holds, or cti_mprgp_void_row has its proof */
    }
    return cti_dual_thin(mem, NULL, &s->row.J, &s->row.G);
}

static int cti_printed_open(cti_printed *s)
{
    cti_arena *arena = s->t->effort->arena;
    double **const all[] = {&s->D, &s->x, &s->g, &s->b, &s->p_, &s->Ap, &s->y, &s->scratch, &s->view.phi, &s->view.sum,
                            &s->from.x, &s->from.g, &s->chain.x, &s->chain.g};
    double **const rows[] = {&s->row.size, &s->row.c, &s->row.eps, &s->row.loose, &s->row.s, &s->row.q, &s->row.Jphi, &s->gram.q};
    int i;
    if (!CTI_ARENA_VECTORS(arena, s->n, all) || !CTI_ARENA_VECTORS(arena, s->m, rows))
        return 0;
    for (i = 0; i < s->n; i++) {
        double d = cti_sparse_at(&s->p->A, i, i);
        s->D[i] = d > 0 ? 1 / sqrt(d) : 1;
        s->b[i] = s->D[i] * s->p->b[i];
        s->x[i] = s->t->answer->x[i] / s->D[i];
    }
    s->row.active = CTI_ARENA_ZERO(arena, uint8_t, s->m);
    if (!s->row.active || !cti_printed_scale(s) || !cti_printed_gram_open(s, &s->gram.face) || !cti_printed_gram_open(s, &s->gram.chop) ||
        !cti_printed_gram_open(s, &s->gram.pull) || !cti_printed_gram_open(s, &s->gram.reduce))
        return 0;
    s->gram.chop.eps = s->row.loose, s->gram.chop.proves = cti_printed_gram_proves;
    return 1;
}

/* the certificate from a projection without solution, in the problem's rows */
static int cti_printed_proof(cti_printed *s)
{
    double *y = s->gram.pull.proof;
    int i;
    for (i = 0; i < s->m; i++)
        y[i] *= s->row.size[i];
    if (!cti_program_certify(s->p, y, s->t->work))
        return 0;
    cti_mprgp_target_store(s->t, s->m, y);
    return 1;
}

CTI_FN cti_mprgp_end cti_mprgp_printed(const cti_program *p, cti_mprgp_target *t, int *out_infeasible)
{
    cti_printed s;
    cti_effort *e = t->effort;
    cti_mprgp_end end = CTI_MPRGP_MEMORY;
    double size = 0;
    int i;
    memset(&s, 0, sizeof s);
    s.p = p, s.t = t, s.n = p->n, s.m = p->m;
    *out_infeasible = 0, t->count->kept = p->m;
    if (cti_printed_open(&s)) {
        for (i = 0; i < s.n; i++)
            size += p->b[i] * p->b[i];
        s.epsilon = e->tolerance * (size > 0 ? sqrt(size) : 1);
        cti_mprgp_power(s.n, cti_printed_times, &s, 1e-3, s.y, s.from.x, t->count);
        s.alpha = t->count->norm > 0 ? cti_program_tuned.mprgp.share * 2 / t->count->norm : 1;
        e->watcher.show = cti_printed_put, e->watcher.show_ctx = &s;
        end = cti_printed_outline(&s);
        e->watcher.show = NULL;
        if (end == CTI_MPRGP_MEMORY && s.gram.none)
            *out_infeasible = cti_printed_proof(&s), end = *out_infeasible ? CTI_MPRGP_UNBOUNDED : CTI_MPRGP_STALLED;
        else if (end != CTI_MPRGP_DONE && end != CTI_MPRGP_MEMORY)
            cti_printed_put(&s);
    }
    return end;
}
