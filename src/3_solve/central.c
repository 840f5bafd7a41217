/* central.c -- a primal-dual interior point method for the contact problem with Coulomb friction.
   Method: a law of contact is one or two pairs (lambda, y) of a multiplier and a slack,
       y = u_n + shift + c lambda,   lambda >= 0,   y >= 0,   lambda y = 0.
   A row that recovers has two, since max(-u / c, (recover - u) / s, 0), s its softness, is the sum of a pair of softness s and one that adds what is
   missing below their crossing. Steps follow the central path lambda y = eta to eta = 0, with Mehrotra's predictor and corrector: an iteration takes
   one factor of A + J'HJ, and one solve for each of its directions. eta is an energy and the same for all pairs: were it made of velocities alone,
   a pair of a light body would be centred long after one of a heavy body.
   Friction, and equations with a bound, have the bound g = mu lambda and y_t = u_t + c gamma. From the start that is given they satisfy
   gamma nu + g y_t = 0, nu = sqrt(|y_t|^2 + delta^2), whose change with g in the corrector is Newton's (cti_iterate_bounds). Both gamma and y_t are
   unknowns of the linearized equation, whose H is symmetric and, with |gamma| <= g, positive semidefinite. delta vanishes with eta, and eta stays
   near the residual: far below it, steps would end at pairs that nearly vanish.
   A solve that does not end so starts anew from the motion without impulses, with friction on the central path, too: (g, gamma) and (z_0, y_t) are
   vectors in second-order cones (discs.h), and g is an unknown of its own, whose step is Newton's for g = mu lambda. That path is longer, and seldom
   turns back.
   The sections of boxes and pyramids are two intervals, those of a pyramid along axes that are turned by 45 degrees.
   Based on: Mehrotra 1992 (predictor and corrector); Chan, Golub, Mulet 1999 (the linearization of gamma nu + g y); Acary et al. 2022 (contacts by
   interior points in cones); Otaduy 2009, eq. 6-7 (laws). */
#include "central.h"
#include "discs.h"
#include "solve_policy.h"

/* a pair: its law, values, and step; after the predictor bent is the product of its steps */
typedef struct cti_central_pair {
    double c, shift, r, y, dr, dy, miss, bent;
} cti_central_pair;

typedef struct cti_central {
    cti_iterate q;
    cti_central_pair *pair; /* [2 rows] */
    cti_disc *cone;         /* [2 rows] of the intervals or discs; without `conic` z_0 is nu, and x and z are those of r and u */
    cti_bounds bounds;      /* of the last factor */
    double *e, *dr, *H;     /* [3 rows] dr = -e - H du + edge (change of the bound); [3 rows]; [9 rows] */
    double *edges, *change; /* [4 rows] 1 of friction, and its edge; [rows] change of its bound */
    double unit, eta;       /* [m/s per N s] a mean of the local compliances, between the arithmetic and the harmonic one; [J] of the pairs */
    int n, conic;           /* pairs, with `conic` and cones */
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

/* ---- friction ---- */

static int cti_central_diagonal(const cti_central *s, int i) { return !s->q.p->rows[i].equations && s->q.cone == CT_CONE_PYRAMID; }

/* the bound of a section over that of the row */
static double cti_central_share(const cti_central *s, int i) { return cti_central_diagonal(s, i) ? sqrt(.5) : 1; }

/* out [3]: x along the axes of row i's sections, or back */
static void cti_central_turn(const cti_central *s, int i, const double *x, double *out)
{
    double a = x[1], b = x[2];
    int diagonal = cti_central_diagonal(s, i);
    out[0] = x[0];
    out[1] = diagonal ? (a + b) * sqrt(.5) : a, out[2] = diagonal ? (a - b) * sqrt(.5) : b;
}

/* bound of row i's friction, or of its equations */
static double cti_central_bound(const cti_central *s, int i)
{
    const cti_row *row = &s->q.p->rows[i];
    if (row->equations && !row->load)
        return (double)row->most;
    return cti_iterate_coefficient(row) * cti_fmax(0, s->q.r[cti_iterate_normal(&s->q, i)]);
}

/* multipliers of row i's sections to r */
static void cti_central_put(const cti_central *s, int i)
{
    const cti_disc *q = s->cone + 2 * (size_t)i;
    double x[3], *r = s->q.r + 3 * (size_t)i;
    int k;
    for (k = 0; k < 3; k++)
        x[k] = q[0].x[k + 1] + q[1].x[k + 1];
    cti_central_turn(s, i, x, x);
    for (k = 0; k < 3; k++)
        r[k] = (q[0].mask | q[1].mask) >> k & 1 ? x[k] : r[k];
}

/* x and z of row i's sections at its velocities and multipliers */
static void cti_central_take(const cti_central *s, int i)
{
    cti_disc *q = s->cone + 2 * (size_t)i;
    double u[3], x[3];
    int k, part;
    cti_central_turn(s, i, s->q.u + 3 * (size_t)i, u), cti_central_turn(s, i, s->q.r + 3 * (size_t)i, x);
    for (part = 0; part < 2 && q->mask; part++, q++)
        for (q->x[0] = cti_central_share(s, i) * cti_central_bound(s, i), k = 0; k < 3; k++)
            if (q->mask >> k & 1)
                q->x[k + 1] = x[k], q->z[k + 1] = u[k] + q->c * x[k];
}

/* the sections of row i, with `conic` those whose bound is not 0. Returns their number */
static int cti_central_sections(const cti_central *s, int i, double least)
{
    const cti_problem *p = s->q.p;
    const cti_row *row = &p->rows[i];
    cti_disc *q = s->cone + 2 * (size_t)i;
    int mask = row->equations ? row->equations : 6, parts = row->equations || s->q.cone == CT_CONE_CONE ? 1 : 2, k, part;
    memset(q, 0, 2 * sizeof *q);
    if (!(row->equations ? row->most > 0 : row->mu > 0 && p->local[3 * (size_t)i + 1] + p->local[3 * (size_t)i + 2] > 0))
        return 0;
    for (k = 0; k < 3 && s->conic && !(cti_central_bound(s, i) > 0); k++)
        s->q.r[3 * (size_t)i + (size_t)k] *= !(mask >> k & 1);
    if (k > 0)
        return 0;
    for (part = 0; part < parts; part++)
        for (q[part].mask = parts > 1 ? 2 << part : mask, k = 0; k < 3; k++)
            if (q[part].mask >> k & 1)
                q[part].c = (double)row->compliance[k]; /* the same on all axes */
    cti_central_take(s, i);
    for (part = 0; part < parts && s->conic; part++)
        cti_disc_widen(&q[part], least);
    cti_central_put(s, i);
    return parts;
}

/* e, edge and H of the smoothed law gamma nu + g y_t = 0, gamma within g. fresh 1: H is made, and nu is what is in it from then on */
static void cti_central_smooth(cti_disc *q, double delta, int fresh, double *e, double *edge, double *H)
{
    double now, M[9], D[9], inverse[9], f[3], *gamma = q->x + 1, *y = q->z + 1, size = sqrt(cti_d3_dot(gamma, gamma));
    int i, k;
    for (k = 0; k < 3; k++) {
        double less = size > q->x[0] ? q->x[0] / size : 1;
        y[k] -= q->c * gamma[k] * (1 - less), gamma[k] *= less;
    }
    now = sqrt(cti_d3_dot(y, y) + delta * delta);
    if (fresh)
        q->z[0] = now;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) {
            int in = q->mask >> i & q->mask >> k & 1;
            M[3 * i + k] = in ? (gamma[i] * y[k] + gamma[k] * y[i]) / (2 * q->z[0]) + (i == k) * q->x[0] : 0;
            D[3 * i + k] = (i == k) * q->z[0] + q->c * M[3 * i + k];
        }
    cti_vec_zero(3, e), cti_vec_zero(3, edge), cti_vec_zero(9, H);
    if (!cti_d3_inverse(D, inverse))
        return;
    for (k = 0; k < 3; k++)
        f[k] = q->mask >> k & 1 ? gamma[k] * now + q->x[0] * y[k] : 0;
    cti_d3_mul(inverse, f, e), cti_d3_mul(inverse, y, edge);
    for (k = 0; k < 3; k++)
        edge[k] *= -1;
    cti_d3_product(inverse, M, 0, H);
}

/* friction of row i, or an equation with a bound: its e, edges and with `fresh` H */
static void cti_central_bounded(const cti_central *s, int i, double eta, double delta, int fresh)
{
    double *e = s->e + 3 * (size_t)i, *edge = s->edges + 4 * (size_t)i + 1, *H = s->H + 9 * (size_t)i, u[3], e1[3], edge1[3], H1[9];
    int diagonal = cti_central_diagonal(s, i), k, j, part;
    cti_disc *q = s->cone + 2 * (size_t)i;
    cti_central_turn(s, i, s->q.u + 3 * (size_t)i, u);
    if (!s->conic)
        cti_central_take(s, i);
    for (part = 0; part < 2 && q[part].mask; part++) {
        cti_disc *c = &q[part];
        for (k = 0; k < 3; k++)
            c->miss[k] = c->mask >> k & 1 ? u[k] + c->c * c->x[k + 1] - c->z[k + 1] : 0;
        if (s->conic && fresh)
            cti_soc_scaling(4, c->z, c->x, c->scaling);
        if (s->conic)
            cti_disc_linearize(c, eta, e1, edge1, H1);
        else
            cti_central_smooth(c, delta, fresh, e1, edge1, H1);
        cti_central_turn(s, i, e1, e1), cti_central_turn(s, i, edge1, edge1);
        cti_d3_add(e, e1, 1), cti_d3_add(edge, edge1, cti_central_share(s, i));
        for (k = 0; k < 3; k++)
            for (j = 0; j < 3; j++) /* along an axis that is turned by 45 degrees half of it is on each, with the sign of their product */
                H[3 * k + j] += !fresh ? 0 : (!diagonal ? H1[3 * k + j] : (k && j ? (k != j && part ? -.5 : .5) * H1[4 * (part + 1)] : 0));
    }
    if (!s->conic)
        cti_central_put(s, i);
    edge[-1] = cti_iterate_coefficient(&s->q.p->rows[i]) > 0;
}

/* ---- iterations ---- */

static double cti_central_mean(const cti_central *s, double a)
{
    double sum = 0, x[4], z[4];
    int i, k;
    for (i = 0; i < 2 * s->q.p->n_rows; i++) {
        const cti_central_pair *q = &s->pair[i];
        const cti_disc *c = &s->cone[i];
        sum += q->c < 0 ? 0 : (q->r + a * q->dr) * (q->y + a * q->dy);
        for (k = 0; k < 4; k++)
            x[k] = c->x[k] + a * c->dx[k], z[k] = c->z[k] + a * c->dz[k];
        sum += s->conic && c->mask ? cti_soc_dot(4, x, z) : 0;
    }
    return sum / cti_fmax(1, s->n);
}

/* Free motion, r = 0, to the largest impulse that its contacts would get as springs of stiffness augmented.stiff: through stacks and sheets it is far
   above that of single bodies, and a path that starts below it turns back. 0: out of memory */
static int cti_central_springs(const cti_central *s, double *largest)
{
    const cti_problem *p = s->q.p;
    int i;
    cti_vec_zero(9 * p->n_rows, s->H), cti_vec_zero(3 * p->n_rows, s->dr);
    for (i = 0; i < p->n_rows; i++) {
        const cti_row *row = &p->rows[i];
        double c = (double)(row->recover > 0 ? row->softness : row->compliance[0]), local = cti_central_local(p, i) / cti_solve_tuned.augmented.stiff;
        double lack = (double)row->recover - s->q.u[3 * (size_t)i];
        if (local > 0 && lack > 0)
            s->H[9 * (size_t)i] = 1 / (local + c), s->dr[3 * (size_t)i] = lack / (local + c);
    }
    if (!s->q.L->factor(s->q.L->ctx, s->H))
        return 0;
    cti_iterate_direct(&s->q, s->dr, 1);
    for (*largest = 0, i = 0; i < p->n_rows; i++)
        *largest = cti_fmax(*largest, s->dr[3 * (size_t)i] - s->H[9 * (size_t)i] * s->q.du[3 * (size_t)i]);
    return 1;
}

/* Pairs of the iterate, or with `anew` of the motion without impulses, where friction has cones. 0: out of memory */
static int cti_central_start(cti_central *s, int anew)
{
    const cti_problem *p = s->q.p;
    double speed = cti_solve_tuned.central.start * cti_fmin((double)s->q.now, 1), r = 0, least;
    int i, n = 0;
    s->conic = anew;
    if (anew && (!cti_iterate_free(&s->q, s->H) || !cti_central_springs(s, &r)))
        return 0;
    if (anew)
        cti_frame_add(p->frame, (s->q.L->respond ? 1 : 2) * cti_linear_price(s->q.L));
    speed = (double)p->velocity_scale * (anew ? cti_fmax(cti_iterate_natural(&s->q), cti_solve_tuned.central.rounded) : speed); /* not 0 */
    least = speed * cti_fmax(speed / s->unit, r);
    for (s->n = 0, i = 0; i < p->n_rows; i++) {
        cti_central_law(s, i), cti_central_center(s, i, least);
        s->n += (s->pair[2 * i].c >= 0) + (s->pair[2 * i + 1].c >= 0);
    }
    for (i = 0; i < p->n_rows; i++)
        n += cti_central_sections(s, i, least);
    s->n += anew ? n : 0;
    return 1;
}

/* 1 unless memory ran out */
static int cti_central_open(cti_central *s, const cti_jacobian *J, const cti_linear *L, ct_cone cone, cti_arena *arena, ct_real *v)
{
    const cti_problem *p = J->p;
    size_t m = (size_t)p->n_rows;
    double sum = 0, inverse = 0;
    int i;
    s->pair = CTI_ARENA_NEW(arena, cti_central_pair, 2 * m), s->cone = CTI_ARENA_NEW(arena, cti_disc, 2 * m);
    s->e = CTI_ARENA_ZERO(arena, double, 20 * m);
    if (!s->pair || !s->cone || !s->e || !cti_bounds_make(&s->bounds, arena, p->n_rows, 2 * cti_solve_tuned.central.directions) ||
        !cti_iterate_open(&s->q, J, L, cone, arena, v))
        return 0;
    s->dr = s->e + 3 * m, s->H = s->dr + 3 * m, s->edges = s->H + 9 * m, s->change = s->edges + 4 * m;
    for (i = 0; i < p->n_rows; i++) {
        double d = cti_central_local(p, i);
        sum += d, inverse += d > 0 ? 1 / d : 0;
    }
    s->unit = inverse > 0 ? sqrt(sum / inverse) : 1;
    return cti_central_start(s, 0);
}

/* e, and with `fresh` H, of steps to lambda y = eta and delta; bounds do not change */
static void cti_central_linearize(cti_central *s, double eta, double delta, int fresh)
{
    const cti_problem *p = s->q.p;
    int i, k;
    cti_vec_zero(3 * p->n_rows, s->e), cti_vec_zero(4 * p->n_rows, s->edges), cti_vec_zero(p->n_rows, s->change);
    if (fresh)
        cti_vec_zero(9 * p->n_rows, s->H), s->bounds.n = 0;
    for (i = 0; i < p->n_rows; i++) {
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
        if (s->cone[2 * i].mask)
            cti_central_bounded(s, i, eta, delta, fresh);
    }
}

/* steps of the cones of row i; the longest step in which they stay cones, at most a */
static double cti_central_slides(const cti_central *s, int i, double a)
{
    double du[3], dr[3];
    cti_disc *q = s->cone + 2 * (size_t)i;
    int part;
    cti_central_turn(s, i, s->q.du + 3 * (size_t)i, du), cti_central_turn(s, i, s->dr + 3 * (size_t)i, dr);
    for (part = 0; part < 2 && q[part].mask; part++) {
        cti_disc_step(&q[part], cti_central_share(s, i) * s->change[i], dr, du);
        a = cti_disc_reach(&q[part], a);
    }
    return a;
}

/* the steps d, du, dr, and those of pairs and cones; a: the longest step in which they stay positive, at most 1. 0: out of memory */
static int cti_central_direct(const cti_central *s, double eta, int fresh, double *a)
{
    const cti_problem *p = s->q.p;
    int i, k;
    for (i = 0; i < 3 * p->n_rows; i++)
        s->dr[i] = -s->e[i];
    if (fresh && !s->q.L->factor(s->q.L->ctx, s->H))
        return 0;
    cti_iterate_direct(&s->q, s->dr, fresh);
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
        *a = s->conic ? cti_central_slides(s, i, *a) : *a;
    }
    return 1;
}

/* delta [m/s] of eta */
static double cti_central_delta(const cti_central *s, double eta)
{
    return cti_fmax(sqrt(eta * s->unit), cti_solve_tuned.central.rounded * (double)s->q.p->velocity_scale);
}

/* The friction bounds of the last step become Newton's, and the step is made again: loads that friction itself carries would swing. 0: out of
   memory */
static int cti_central_follow(cti_central *s, double eta, double *a)
{
    const cti_problem *p = s->q.p;
    int i, k;
    for (i = 0; i < p->n_rows; i++) {
        size_t normal = cti_iterate_normal(&s->q, i);
        double more = s->conic ? s->q.r[normal] : 0, bound = s->conic ? s->cone[2 * i].x[0] / cti_central_share(s, i) : 0;
        s->change[i] = s->edges[4 * i] > 0 ? cti_iterate_coefficient(&p->rows[i]) * (s->dr[normal] + more) - bound : 0;
    }
    cti_iterate_bounds(&s->q, &s->bounds, s->H, s->edges, cti_solve_tuned.central.directions,
                       s->conic ? cti_solve_tuned.central.solved_cones : cti_solve_tuned.central.solved, s->change);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            s->e[3 * i + k] -= s->edges[4 * i + 1 + k] * s->change[i];
    return cti_central_direct(s, eta, 0, a);
}

static void cti_central_step(cti_central *s, double a)
{
    int i, k;
    cti_iterate_step(&s->q, a);
    cti_vec_add(3 * s->q.p->n_rows, a, s->dr, s->q.r);
    for (i = 0; i < 2 * s->q.p->n_rows; i++) {
        cti_central_pair *b = &s->pair[i];
        cti_disc *c = &s->cone[i];
        if (b->c >= 0)
            b->r += a * b->dr, b->y += a * b->dy;
        for (k = 0; s->conic && c->mask && k < 4; k++)
            c->x[k] += a * c->dx[k], c->z[k] += a * c->dz[k];
    }
}

/* One iteration: the predictor aims at eta = 0, the corrector at the share of eta that the predictor leaves, cubed, with what the predictor bends.
   Where that cuts the step short, it is bent only as far as the predictor went, and without cones friction keeps its bounds. natural: of the iterate.
   out: length of the step. 0: out of memory */
static int cti_central_iterate(cti_central *s, double natural, double *out)
{
    const cti_problem *p = s->q.p;
    double a, ahead, share, least;
    int i, k, j;
    for (i = 0; i < 2 * p->n_rows; i++)
        s->pair[i].bent = 0, memset(s->cone[i].bent, 0, sizeof s->cone[i].bent);
    s->eta = cti_central_mean(s, 0);
    for (i = 0; i < p->n_rows; i++) {
        if (!s->conic)
            cti_central_center(s, i, cti_solve_tuned.central.behind * s->eta);
        for (k = 0; s->conic && k < 2 && s->cone[2 * i + k].mask; k++)
            cti_disc_widen(&s->cone[2 * i + k], cti_solve_tuned.central.apart * s->eta), cti_central_put(s, i);
    }
    cti_central_linearize(s, 0, cti_central_delta(s, s->eta), 1);
    if (!cti_central_direct(s, 0, 1, &ahead) || (s->conic && !cti_central_follow(s, 0, &ahead)))
        return 0;
    share = s->eta > 0 ? cti_fmax(0, cti_central_mean(s, ahead) / s->eta) : 0, share = share * share * share;
    least = cti_solve_tuned.central.ahead * natural * (double)p->velocity_scale, least *= least / s->unit;
    share = cti_fmax(share, s->eta > 0 ? cti_fmin(cti_solve_tuned.central.centre, least / s->eta) : 0);
    for (i = 0; i < 2 * p->n_rows; i++) {
        s->pair[i].bent = s->pair[i].dr * s->pair[i].dy;
        if (s->conic && s->cone[i].mask)
            cti_disc_bend(&s->cone[i]);
    }
    for (k = 0; k < 2; k++) {
        cti_central_linearize(s, share * s->eta, cti_central_delta(s, share * s->eta), 0);
        if (!cti_central_direct(s, share * s->eta, 0, &a) || ((s->conic || !k) && !cti_central_follow(s, share * s->eta, &a)))
            return 0;
        if (k || a >= cti_solve_tuned.central.shorter * ahead)
            break;
        for (i = 0; i < 2 * p->n_rows; i++)
            for (s->pair[i].bent *= ahead * ahead, j = 0; j < 4; j++)
                s->cone[i].bent[j] *= ahead * ahead;
        share = cti_fmax(share, cti_solve_tuned.central.centre);
    }
    cti_central_step(s, a < 1 ? cti_solve_tuned.central.inside * a : 1);
    *out = a;
    return 1;
}

/* iterations from one start, which end at `aim`. 0: out of memory */
static int cti_central_path(cti_central *s, const ct_solver_desc *desc, double aim, ct_real *v, cti_solve_info *info)
{
    const cti_linear *L = s->q.L;
    double natural = cti_iterate_natural(&s->q), a, price = cti_linear_price(L);
    int k, seen, stuck = 0, most = cti_solve_tuned.central.factors;
    for (k = 0; k < most && stuck < cti_solve_tuned.central.stuck && !((double)s->q.res.natural_map <= aim) && cti_finite64(natural); k++) {
        if (info->iterations > 0 && !cti_frame_may(s->q.p->frame, price))
            break;
        cti_frame_add(s->q.p->frame, price), info->iterations++;
        if (!cti_central_iterate(s, natural, &a))
            return 0;
        stuck = a > cti_solve_tuned.central.little ? 0 : stuck + 1;
        natural = cti_iterate_natural(&s->q);
        seen = !L->respond || natural <= (double)desc->tolerance || k + 1 == most;
        if (seen && !(natural >= (double)s->q.res.natural_map) && !cti_iterate_judge(&s->q, v))
            return 0;
    }
    return 1;
}

CTI_FN int cti_central_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                             cti_solve_info *info)
{
    cti_central state, *s = &state;
    double aim = (double)desc->tolerance * (J->p->split.rigid ? cti_solve_tuned.augmented.aim : cti_solve_tuned.central.aim);
    if (!cti_central_open(s, J, L, desc->cone, arena, v) || !cti_central_path(s, desc, aim, v, info))
        return 0;
    if (!(s->q.res.natural_map <= desc->tolerance) && cti_frame_may(J->p->frame, cti_linear_price(L)) &&
        (!cti_central_start(s, 1) || !cti_central_path(s, desc, aim, v, info)))
        return 0;
    cti_iterate_close(&s->q, desc->tolerance, v, info);
    return 1;
}
