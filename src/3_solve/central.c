/* central.c -- a primal-dual interior point method for the contact problem with Coulomb friction.
   Method: a law of contact is one or two pairs (lambda, y) of a multiplier and a slack,
       y = u_n + shift + c lambda,   lambda >= 0,   y >= 0,   lambda y = 0.
   A row that recovers has two, since max(-u / c, (recover - u) / s, 0), s its softness, is the sum of a pair of softness s and one that adds what is
   missing below their crossing. Steps follow the central path lambda y = eta to eta = 0, with Mehrotra's predictor and corrector: an iteration takes
   one factor of A + J'HJ, and one solve for each of its directions. eta is an energy and the same for all pairs: were it made of velocities alone,
   a pair of a light body would be centred long after one of a heavy body.
   Friction, and equations with a bound, satisfy gamma nu + g y_t = 0, y_t = u_t + c gamma, nu = sqrt(|y_t|^2 + delta^2), with g = mu lambda; its
   change in the corrector is Newton's (cti_iterate_bounds). Both gamma and y_t are unknowns of the linearized equation, whose H is symmetric and,
   with |gamma| <= g, positive semidefinite. delta vanishes with eta, and eta stays near the residual: far below it, steps would end at pairs
   that nearly vanish. The sections of boxes and pyramids are two intervals, those of a pyramid along axes that are turned by 45 degrees.
   Based on: Mehrotra 1992 (predictor and corrector); Chan, Golub, Mulet 1999 (the linearization of gamma nu + g y); Otaduy 2009, eq. 6-7 (laws). */
#include "central.h"
#include "solve_policy.h"

/* a pair: its law, values, and step; after the predictor bent is the product of its steps */
typedef struct cti_central_pair {
    double c, shift, r, y, dr, dy, miss, bent;
} cti_central_pair;

typedef struct cti_central {
    cti_iterate q;
    cti_central_pair *pair; /* [2 rows] */
    double *e, *dr, *H;     /* [3 rows] dr = -e - H du + edge (change of the bound); [3 rows]; [9 rows] */
    double *edges, *change; /* [4 rows] 1 of friction, and its edge; [rows] change of its bound */
    double *nu;             /* [2 rows] of the intervals or discs */
    double unit, eta;       /* [m/s per N s] a mean of the local compliances, between the arithmetic and the harmonic one; [J] of the pairs */
    int n_pairs;
} cti_central;

static double cti_central_local(const cti_problem *p, int i) { return p->rows[i].equations ? 0 : (double)p->local[3 * (size_t)i]; }

/* The pairs of row i; those without a multiplier have c < 0 */
static void cti_central_law(const cti_central *s, int i)
{
    const cti_row *row = &s->q.p->rows[i];
    cti_central_pair *a = s->pair + 2 * (size_t)i, *b = a + 1;
    double c = (double)row->compliance[0], soft = (double)row->softness, ahead = (double)row->recover;
    double r = s->q.r[3 * (size_t)i], u = s->q.u[3 * (size_t)i];
    int k;
    memset(a, 0, 2 * sizeof *a);
    a->c = b->c = -1;
    if (!(cti_central_local(s->q.p, i) > 0))
        return;
    a->c = c, a->r = r;
    a->y = u + c * r;
    if (!(ahead > 0))
        return;
    b->c = soft, b->shift = -ahead, b->r = r;
    b->y = u - ahead + soft * r, a->c = -1;
    if (!(soft > c))
        return;
    /* the laws cross at lambda = ahead / (soft - c) */
    a->c = c * soft / (soft - c), a->shift = ahead * c / (soft - c);
    b->r = cti_fmin(r, ahead / (soft - c)), a->r = r - b->r;
    for (k = 0; k < 2; k++)
        a[k].y = u + a[k].shift + a[k].c * a[k].r;
}

/* Pairs of row i whose product is below `least` [J] get it: the smaller of lambda and y, as velocities, is raised */
static void cti_central_center(const cti_central *s, int i, double least)
{
    cti_central_pair *a = s->pair + 2 * (size_t)i;
    int k;
    for (k = 0; k < 2; k++, a++) {
        double x = a->r * s->unit, more = cti_fmax(cti_fmax(x, a->y), sqrt(least * s->unit));
        if (a->c < 0 || (a->r > 0 && a->y > 0 && a->r * a->y >= least))
            continue;
        a->r = x >= a->y ? more / s->unit : cti_fmax(a->r, least / more);
        a->y = x >= a->y ? cti_fmax(a->y, least * s->unit / more) : more;
    }
    a -= 2;
    if (a[0].c >= 0 || a[1].c >= 0)
        s->q.r[3 * (size_t)i] = (a[0].c >= 0 ? a[0].r : 0) + (a[1].c >= 0 ? a[1].r : 0);
}

static double cti_central_mean(const cti_central *s, double a)
{
    double sum = 0;
    int i;
    for (i = 0; i < 2 * s->q.p->n_rows; i++) {
        const cti_central_pair *q = &s->pair[i];
        sum += q->c < 0 ? 0 : (q->r + a * q->dr) * (q->y + a * q->dy);
    }
    return sum / cti_fmax(1, s->n_pairs);
}

/* 1 and the start, unless memory ran out */
static int cti_central_open(cti_central *s, const cti_jacobian *J, const cti_linear *L, ct_cone cone, cti_arena *arena, ct_real *v)
{
    const cti_problem *p = J->p;
    size_t m = (size_t)p->n_rows;
    double speed, sum = 0, inverse = 0;
    int i;
    s->pair = CTI_ARENA_NEW(arena, cti_central_pair, 2 * m), s->e = CTI_ARENA_ZERO(arena, double, 22 * m);
    if (!s->pair || !s->e || !cti_iterate_open(&s->q, J, L, cone, arena, v))
        return 0;
    s->dr = s->e + 3 * m, s->H = s->dr + 3 * m, s->nu = s->H + 9 * m;
    s->edges = s->nu + 2 * m, s->change = s->edges + 4 * m;
    for (i = 0; i < p->n_rows; i++) {
        double d = cti_central_local(p, i);
        sum += d, inverse += d > 0 ? 1 / d : 0;
    }
    s->unit = inverse > 0 ? sqrt(sum / inverse) : 1;
    speed = cti_solve_tuned.central.start * cti_fmin((double)s->q.now, 1) * (double)p->velocity_scale;
    for (s->n_pairs = 0, i = 0; i < p->n_rows; i++) {
        cti_central_law(s, i), cti_central_center(s, i, speed * speed / s->unit);
        s->n_pairs += (s->pair[2 * i].c >= 0) + (s->pair[2 * i + 1].c >= 0);
    }
    return 1;
}

/* a disc or an interval of friction: its axes, bound and compliance; multipliers and y_t, 0 on other axes; and what its linearization adds to e, edge
   and H */
typedef struct cti_central_section {
    int mask;
    double g, c, gamma[3], y[3], e[3], edge[3], H[9];
} cti_central_section;

/* e, edge and H of gamma nu + g y_t = 0, gamma within g. fresh 1: H is made, and nu [1] is what is in it from then on */
static void cti_central_disc(cti_central_section *q, double delta, int fresh, double *nu)
{
    double now, M[9], D[9], inverse[9], f[3], size = sqrt(cti_d3_dot(q->gamma, q->gamma));
    int i, k;
    for (k = 0; k < 3; k++) {
        q->gamma[k] *= size > q->g ? q->g / size : 1;
        q->y[k] += q->c * q->gamma[k];
    }
    now = sqrt(cti_d3_dot(q->y, q->y) + delta * delta);
    if (fresh)
        *nu = now;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) {
            int in = q->mask >> i & q->mask >> k & 1;
            M[3 * i + k] = in ? (q->gamma[i] * q->y[k] + q->gamma[k] * q->y[i]) / (2 * *nu) + (i == k) * q->g : 0;
            D[3 * i + k] = (i == k) * *nu + q->c * M[3 * i + k];
        }
    if (!cti_d3_inverse(D, inverse))
        return;
    for (k = 0; k < 3; k++)
        f[k] = q->mask >> k & 1 ? q->gamma[k] * now + q->g * q->y[k] : 0;
    cti_d3_mul(inverse, f, q->e), cti_d3_mul(inverse, q->y, q->edge);
    for (k = 0; k < 3; k++)
        q->edge[k] *= -1;
    if (fresh)
        cti_d3_product(inverse, M, 0, q->H);
}

/* x [3] along the axes of a pyramid's edges, or back */
static void cti_central_turn(double *x)
{
    double a = (x[1] + x[2]) * sqrt(.5);
    x[2] = (x[1] - x[2]) * sqrt(.5), x[1] = a;
}

/* bound of row i's friction, or of its equations */
static double cti_central_bound(const cti_central *s, int i)
{
    const cti_row *row = &s->q.p->rows[i];
    if (row->equations && !row->load)
        return (double)row->most;
    return cti_iterate_coefficient(row) * cti_fmax(0, s->q.r[cti_iterate_normal(&s->q, i)]);
}

/* friction of row i, or an equation with a bound: multipliers within the bound, and their e, edges and H */
static void cti_central_bounded(const cti_central *s, int i, double delta, int fresh)
{
    const cti_row *row = &s->q.p->rows[i];
    double *r = s->q.r + 3 * (size_t)i, *e = s->e + 3 * (size_t)i, *H = s->H + 9 * (size_t)i, x[3], y[3], turned[3];
    ct_cone cone = row->equations ? CT_CONE_CONE : s->q.cone;
    int mask = row->equations ? row->equations : 6, diagonal = cone == CT_CONE_PYRAMID, parts = cone == CT_CONE_CONE ? 1 : 2, k, j, part;
    double shrink = diagonal ? sqrt(.5) : 1;
    for (k = 0; k < 3; k++)
        x[k] = mask >> k & 1 ? r[k] : 0, y[k] = mask >> k & 1 ? s->q.u[3 * (size_t)i + (size_t)k] : 0;
    memset(turned, 0, sizeof turned);
    if (diagonal)
        cti_central_turn(x), cti_central_turn(y);
    for (part = 0; part < parts; part++) {
        cti_central_section q;
        memset(&q, 0, sizeof q);
        q.mask = parts > 1 ? 2 << part : mask, q.g = shrink * cti_central_bound(s, i);
        for (k = 0; k < 3; k++)
            if (q.mask >> k & 1)
                q.gamma[k] = x[k], q.y[k] = y[k], q.c = (double)row->compliance[k]; /* the same on all axes */
        cti_central_disc(&q, delta, fresh, s->nu + 2 * (size_t)i + part);
        for (k = 0; k < 3; k++)
            turned[k] += q.gamma[k];
        if (diagonal)
            cti_central_turn(q.e), cti_central_turn(q.edge);
        for (k = 0; k < 3; k++) {
            e[k] += mask >> k & 1 ? q.e[k] : 0;
            s->edges[4 * (size_t)i + 1 + (size_t)k] += mask >> k & 1 ? shrink * q.edge[k] : 0;
            for (j = 0; j < 3; j++) /* along an axis that is turned by 45 degrees half of it is on each, with the sign of their product */
                H[3 * k + j] += !fresh ? 0 : (!diagonal ? q.H[3 * k + j] : (k && j ? (k != j && part ? -.5 : .5) * q.H[4 * (part + 1)] : 0));
        }
    }
    if (diagonal)
        cti_central_turn(turned);
    for (k = 0; k < 3; k++)
        r[k] = mask >> k & 1 ? turned[k] : r[k];
    s->edges[4 * (size_t)i] = cti_iterate_coefficient(row) > 0;
}

/* e, and with `fresh` H, of steps to lambda y = eta and delta */
static void cti_central_linearize(const cti_central *s, double eta, double delta, int fresh)
{
    const cti_problem *p = s->q.p;
    int i, k;
    cti_vec_zero(3 * p->n_rows, s->e), cti_vec_zero(4 * p->n_rows, s->edges);
    if (fresh)
        memset(s->H, 0, sizeof *s->H * 9 * (size_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++) {
        const cti_row *row = &p->rows[i];
        double *e = s->e + 3 * (size_t)i, *H = s->H + 9 * (size_t)i;
        for (k = 0; k < 2; k++) {
            cti_central_pair *a = s->pair + 2 * (size_t)i + k;
            double D = a->y + a->c * a->r;
            if (a->c < 0)
                continue;
            a->miss = s->q.u[3 * (size_t)i] + a->shift + a->c * a->r - a->y;
            e[0] += (a->r * (a->y + a->miss) + a->bent - eta) / D;
            if (fresh)
                H[0] += a->r / D;
        }
        if (row->equations ? row->most > 0 : row->mu > 0 && p->local[3 * (size_t)i + 1] + p->local[3 * (size_t)i + 2] > 0)
            cti_central_bounded(s, i, delta, fresh);
    }
}

/* the steps d, du, dr, and those of the pairs; a: the longest step in which all pairs stay positive, at most 1. 0: out of memory */
static int cti_central_direct(const cti_central *s, double eta, int fresh, double *a)
{
    const cti_problem *p = s->q.p;
    int i, k;
    for (i = 0; i < 3 * p->n_rows; i++)
        s->dr[i] = -s->e[i];
    if (fresh && !s->q.L->factor(s->q.L->ctx, s->H))
        return 0;
    cti_iterate_direct(&s->q, s->dr);
    for (*a = 1, i = 0; i < p->n_rows; i++) {
        const double *du = s->q.du + 3 * (size_t)i;
        double *dr = s->dr + 3 * (size_t)i;
        cti_d3_mul(s->H + 9 * (size_t)i, du, dr);
        for (k = 0; k < 3; k++)
            dr[k] = -s->e[3 * i + k] - dr[k];
        for (k = 0; k < 2; k++) {
            cti_central_pair *b = s->pair + 2 * (size_t)i + k;
            if (b->c < 0)
                continue;
            b->dr = -(b->r * (b->y + b->miss + du[0]) + b->bent - eta) / (b->y + b->c * b->r);
            b->dy = du[0] + b->c * b->dr + b->miss;
            *a = cti_fmin(*a, b->dr < 0 ? -b->r / b->dr : 1), *a = cti_fmin(*a, b->dy < 0 ? -b->y / b->dy : 1);
        }
    }
    return 1;
}

/* delta [m/s] of eta */
static double cti_central_delta(const cti_central *s, double eta)
{
    return cti_fmax(sqrt(eta * s->unit), cti_solve_tuned.central.rounded * (double)s->q.p->velocity_scale);
}

/* The change of the friction bounds in the last step becomes that of Newton's method, and the step is made again: loads that friction itself carries
   would swing. 0: out of memory */
static int cti_central_follow(cti_central *s, cti_arena *arena, double eta, double *a)
{
    const cti_problem *p = s->q.p;
    cti_arena_point mark = cti_arena_mark(arena);
    int i, k, ok;
    for (i = 0; i < p->n_rows; i++)
        s->change[i] = s->edges[4 * i] > 0 ? cti_iterate_coefficient(&p->rows[i]) * s->dr[cti_iterate_normal(&s->q, i)] : 0;
    ok = cti_iterate_bounds(&s->q, arena, s->H, s->edges, cti_solve_tuned.central.directions, cti_solve_tuned.central.solved, s->change);
    cti_arena_rewind(arena, mark);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            s->e[3 * i + k] -= s->edges[4 * i + 1 + k] * s->change[i];
    return ok && cti_central_direct(s, eta, 0, a);
}

/* One iteration: the predictor aims at eta = 0, the corrector at the share of eta that the predictor leaves, cubed, with what the predictor bends.
   Where that cuts the step short, it is bent only as far as the predictor went, and friction keeps its bounds. natural: of the iterate. 0: out of
   memory */
static int cti_central_iterate(cti_central *s, cti_arena *arena, double natural)
{
    const cti_problem *p = s->q.p;
    double a, ahead, share, least;
    int i, k;
    for (i = 0; i < 2 * p->n_rows; i++)
        s->pair[i].bent = 0;
    s->eta = cti_central_mean(s, 0);
    for (i = 0; i < p->n_rows; i++)
        cti_central_center(s, i, cti_solve_tuned.central.behind * s->eta);
    cti_central_linearize(s, 0, cti_central_delta(s, s->eta), 1);
    if (!cti_central_direct(s, 0, 1, &ahead))
        return 0;
    share = s->eta > 0 ? cti_central_mean(s, ahead) / s->eta : 0, share = share * share * share;
    least = cti_solve_tuned.central.ahead * natural * (double)p->velocity_scale, least *= least / s->unit;
    share = cti_fmax(share, s->eta > 0 ? cti_fmin(cti_solve_tuned.central.centre, least / s->eta) : 0);
    for (i = 0; i < 2 * p->n_rows; i++)
        s->pair[i].bent = s->pair[i].dr * s->pair[i].dy;
    for (k = 0; k < 2; k++) {
        cti_central_linearize(s, share * s->eta, cti_central_delta(s, share * s->eta), 0);
        if (!cti_central_direct(s, share * s->eta, 0, &a) || (k == 0 && !cti_central_follow(s, arena, share * s->eta, &a)))
            return 0;
        if (k || a >= cti_solve_tuned.central.shorter * ahead)
            break;
        for (i = 0; i < 2 * p->n_rows; i++)
            s->pair[i].bent *= ahead * ahead;
        share = cti_fmax(share, cti_solve_tuned.central.centre);
    }
    a = a < 1 ? cti_solve_tuned.central.inside * a : 1;
    cti_iterate_step(&s->q, a);
    cti_vec_add(3 * p->n_rows, a, s->dr, s->q.r);
    for (i = 0; i < 2 * p->n_rows; i++)
        if (s->pair[i].c >= 0)
            s->pair[i].r += a * s->pair[i].dr, s->pair[i].y += a * s->pair[i].dy;
    return 1;
}

CTI_FN int cti_central_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                             cti_solve_info *info)
{
    cti_central state, *s = &state;
    double aim = cti_solve_tuned.central.aim * (double)desc->tolerance, natural;
    int k, seen;
    if (!cti_central_open(s, J, L, desc->cone, arena, v))
        return 0;
    natural = cti_iterate_natural(&s->q);
    for (k = 0; k < cti_solve_tuned.central.factors && (double)s->q.res.natural_map > aim; k++, info->iterations++) {
        if (k > 0 && !cti_frame_may(J->p->frame, cti_solve_tuned.augmented.flop * L->flops))
            break;
        cti_frame_add(J->p->frame, cti_solve_tuned.augmented.flop * L->flops);
        if (!cti_central_iterate(s, arena, natural))
            return 0;
        natural = cti_iterate_natural(&s->q);
        seen = !L->respond || natural <= (double)desc->tolerance || k + 1 == cti_solve_tuned.central.factors;
        if (seen && natural < (double)s->q.res.natural_map && !cti_iterate_judge(&s->q, v))
            return 0;
    }
    cti_iterate_close(&s->q, desc->tolerance, v, info);
    return 1;
}
