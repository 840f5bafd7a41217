/* augmented.c -- semismooth Newton steps on the augmented Lagrangian of the contact problem.
   Method: an outer iteration holds multipliers r and friction bounds g = mu lambda. It minimizes over v
       v'A v / 2 - b'v + sum of psi_i(J_i v + w_i),   -psi_i'(u) = P(r - rho u),   P: the row's law with its compliance, gamma within g,
   which is convex, by Newton steps (A + J'HJ) d = -gradient, H = -dP/du, with a search along d. Then r = P(r - rho u) at the minimum, g
   follows lambda by Newton's method on g = mu lambda or by shares of the way there, and rho grows. With whole steps to mu lambda, g would
   swing between two values for ever where friction jams. Bounds of spin (problem.h: load) go the same way. A contact whose load grows faster than its
   bound sticks: the next bound is none. The judge (residual.c) sees every outer iterate, and the best one is the result. rho is in inverse local
   compliances. All is in double, since rho is up to 1e8 of them, and more for joints with a compliance. Based on: Rockafellar 1976
   (proximal method of multipliers); Alart and Curnier 1991; Haslinger 1983 (friction by a held bound). */
#include "augmented.h"
#include "solve_policy.h"
#include <float.h>

typedef struct cti_augmented {
    cti_iterate q;                   /* its r: P(r - rho u) */
    double *Ad, *r;                  /* [3 n] A d; [3 rows] held multipliers */
    double *rho, *stiffest;          /* [3 rows] penalty, and its largest value */
    double *bound, *swing, *H;       /* [rows] mu lambda, its last change, which a share was taken of; [9 rows] */
    double share;                    /* of the last change of the bounds */
    int newton;                      /* 1: that was Newton's */
} cti_augmented;

CTI_FN double cti_augmented_price(double flops) { return cti_solve_tuned.augmented.expected * cti_solve_tuned.augmented.flop * flops; }

CTI_FN double cti_augmented_visits(const cti_linear *L) { return cti_linear_price(L) / cti_solve_tuned.costs.visit; }

/* x [2] to the cone's section of radius `bound`; D [4]: the derivative of that */
static void cti_augmented_section(ct_cone cone, double bound, double *x, double *D)
{
    double n[2], g[2], length = sqrt(x[0] * x[0] + x[1] * x[1]), share = 0;
    int out0 = fabs(x[0]) > bound, out1 = fabs(x[1]) > bound;
    int inside = cone == CT_CONE_BOX ? !out0 && !out1 : (cone == CT_CONE_PYRAMID ? fabs(x[0]) + fabs(x[1]) <= bound : length <= bound);
    D[0] = D[3] = 1, D[1] = D[2] = 0;
    if (inside)
        return;
    memcpy(g, x, sizeof g);
    cti_cone_project64(cone, bound, &g[0], &g[1]);
    if (cone == CT_CONE_BOX)
        D[0] = !out0, D[3] = !out1;
    else {
        /* along the section's border: a circle, an edge of the pyramid, or none at its corner */
        if (cone == CT_CONE_PYRAMID)
            share = g[0] != 0 && g[1] != 0, n[0] = x[0] < 0 ? -sqrt(.5) : sqrt(.5), n[1] = x[1] < 0 ? -sqrt(.5) : sqrt(.5);
        else
            share = bound / length, n[0] = x[0] / length, n[1] = x[1] / length;
        D[0] = share * (1 - n[0] * n[0]), D[1] = D[2] = -share * n[0] * n[1], D[3] = share * (1 - n[1] * n[1]);
    }
    memcpy(x, g, sizeof g);
}

/* r of equations to the bound `most`; H: the derivative there, of a slope that is the same along all axes */
static void cti_augmented_within(const cti_row *row, double most, double slope, double *r, double *H)
{
    double size = most > 0 ? sqrt(cti_dot(3, r, r)) : 0;
    int i, k;
    if (!(size > most))
        return;
    for (i = 0; H && i < 3; i++)
        for (k = 0; k < 3; k++)
            H[3 * i + k] = row->equations >> i & row->equations >> k & 1 ? slope * most / size * ((i == k) - r[i] * r[k] / (size * size)) : 0;
    for (k = 0; k < 3; k++)
        r[k] *= most / size;
}

/* r = P(r_held - rho u) of row i, with its compliance; H [9] = -dr/du, or NULL */
static void cti_augmented_law(const cti_augmented *s, int i, const double *u, double *r, double *H)
{
    const cti_row *row = &s->q.p->rows[i];
    const double *rho = s->rho + 3 * (size_t)i, *held = s->r + 3 * (size_t)i;
    double x[3], slope[3], D[4], soft;
    int k;
    if (H)
        memset(H, 0, 9 * sizeof *H);
    for (k = 0; k < 3; k++) {
        slope[k] = rho[k] / (1 + rho[k] * (double)row->compliance[k]);
        x[k] = (held[k] - rho[k] * u[k]) / (1 + rho[k] * (double)row->compliance[k]);
        r[k] = row->equations >> k & 1 ? x[k] : 0;
        if (H && row->equations >> k & 1)
            H[4 * k] = slope[k];
    }
    if (row->equations) {
        cti_augmented_within(row, row->load ? cti_fmax(s->bound[i], 1e-30) : (double)row->most, slope[0], r, H);
        return;
    }
    /* the normal law, or recovery through its softness, whichever requires more */
    soft = 1 + rho[0] * (double)row->softness;
    if (row->recover > 0 && (held[0] - rho[0] * (u[0] - (double)row->recover)) / soft > x[0])
        x[0] = (held[0] - rho[0] * (u[0] - (double)row->recover)) / soft, slope[0] = rho[0] / soft;
    r[0] = x[0] > 0 ? x[0] : 0;
    if (H && x[0] > 0)
        H[0] = slope[0];
    if (!(row->mu > 0))
        return;
    cti_augmented_section(s->q.cone, s->bound[i], x + 1, D);
    r[1] = x[1], r[2] = x[2];
    if (H)
        H[4] = slope[1] * D[0], H[5] = H[7] = slope[1] * D[1], H[8] = slope[2] * D[3];
}

/* the laws and f at v and u. Returns as cti_augmented_gradient */
static double cti_augmented_evaluate(const cti_augmented *s)
{
    int i;
    for (i = 0; i < s->q.p->n_rows; i++)
        cti_augmented_law(s, i, s->q.u + 3 * (size_t)i, s->q.r + 3 * (size_t)i, s->H + 9 * (size_t)i);
    return cti_iterate_gradient(&s->q);
}

/* the length a along d where the derivative of the convex function vanishes, nearly: by secants inside of a bracket */
static double cti_augmented_search(cti_augmented *s, double *start)
{
    const cti_problem *p = s->q.p;
    int n3 = 3 * p->A->n, i, k, t;
    double slope = -cti_dot(n3, s->q.f, s->q.d), a = 1, low = 0, at_low = slope, high = 0, at_high = 0, dAd, base;
    cti_iterate_gather(&s->q, s->q.d, s->q.du);
    cti_iterate_multiply(&s->q, s->q.d, s->Ad);
    dAd = cti_dot(n3, s->q.d, s->Ad);
    base = slope + cti_dot(3 * p->n_rows, s->q.r, s->q.du);
    for (t = 0; t < cti_solve_tuned.augmented.trials; t++) {
        double at = base + a * dAd;
        for (i = 0; i < p->n_rows; i++) {
            double u[3], r[3];
            for (k = 0; k < 3; k++)
                u[k] = s->q.u[3 * i + k] + a * s->q.du[3 * i + k];
            cti_augmented_law(s, i, u, r, NULL);
            at -= cti_dot(3, r, s->q.du + 3 * (size_t)i);
        }
        if (fabs(at) <= -slope / 2 || (at <= 0 && high == 0))
            break;
        if (at > 0)
            high = a, at_high = at;
        else
            low = a, at_low = at;
        a = low + (high - low) * (double)cti_clamp((ct_real)(-at_low / (at_high - at_low)), CTI_R(0.1), CTI_R(0.9));
    }
    *start = slope;
    return a;
}

/* memory, and the start */
static int cti_augmented_open(cti_augmented *s, const cti_jacobian *J, const cti_linear *L, ct_cone cone, cti_arena *arena, ct_real *v)
{
    const cti_problem *p = J->p;
    size_t m = (size_t)p->n_rows, i;
    s->Ad = CTI_ARENA_NEW(arena, double, 3 * (size_t)p->A->n), s->r = CTI_ARENA_NEW(arena, double, 20 * m);
    if (!s->Ad || !s->r || !cti_iterate_open(&s->q, J, L, cone, arena, v))
        return 0;
    s->rho = s->r + 3 * m, s->stiffest = s->rho + 3 * m, s->bound = s->stiffest + 3 * m, s->swing = s->bound + m, s->H = s->swing + m;
    for (i = 0; i < m; i++) {
        const ct_real *local = p->local + 3 * i;
        double across = (double)(local[1] + local[2]) / 2, d[3];
        int k;
        d[0] = (double)local[0], d[1] = d[2] = across;
        if (p->rows[i].most > 0)
            d[0] = d[1] = d[2] = (double)cti_max(local[0], cti_max(local[1], local[2]));
        for (k = 0; k < 3; k++) {
            double c = p->rows[i].equations && !(p->rows[i].most > 0) ? (double)local[k] : d[k];
            double yield = p->rows[i].equations ? (double)p->rows[i].compliance[k] : 0;
            s->rho[3 * i + (size_t)k] = c > 0 ? cti_solve_tuned.augmented.stiff / c : 0;
            /* an equation with a compliance has at most that spring's stiffness, whatever rho: it may grow until its multiplier does not matter */
            s->stiffest[3 * i + (size_t)k] =
                cti_fmax(c > 0 ? cti_solve_tuned.augmented.stiffest / c : 0, yield > 0 ? cti_solve_tuned.augmented.stiff / yield : 0);
        }
        s->bound[i] = s->swing[i] = 0;
    }
    return 1;
}

/* edge [3]: the change of the friction impulse of row i with its bound. 0: the bound does not hold it */
static int cti_augmented_edge(const cti_augmented *s, int i, double *edge)
{
    const cti_row *row = &s->q.p->rows[i];
    const double *r = s->q.r + 3 * (size_t)i, least = s->bound[i] * (1 - cti_solve_tuned.augmented.rounded);
    double length = s->q.cone == CT_CONE_PYRAMID ? fabs(r[1]) + fabs(r[2]) : sqrt(r[1] * r[1] + r[2] * r[2]);
    int k, flat = s->q.cone == CT_CONE_PYRAMID && r[1] != 0 && r[2] != 0;
    if (!(least > 0) || !(s->q.r[cti_iterate_normal(&s->q, i)] > 0) || (row->equations && !row->load))
        return 0;
    for (k = 0; k < 3; k++)
        edge[k] = r[k] / s->bound[i];
    if (row->load)
        return sqrt(cti_dot(3, r, r)) >= least;
    edge[0] = 0;
    for (k = 1; k < 3; k++) {
        if (flat) /* along an edge of the pyramid both change alike */
            edge[k] = r[k] > 0 ? .5 : -.5;
        if (s->q.cone == CT_CONE_BOX && fabs(r[k]) < least)
            edge[k] = 0;
    }
    return s->q.cone == CT_CONE_BOX ? edge[1] != 0 || edge[2] != 0 : length >= least;
}

/* change [rows]: goals minus bounds become Newton's change of the bounds, where contacts slide. Where a load grows faster than its bound, no bound
   lets the contact slide: it sticks, DBL_MAX. 0: out of memory */
static int cti_augmented_respond(cti_augmented *s, cti_arena *arena, double *change)
{
    const cti_problem *p = s->q.p;
    int m = p->n_rows, i, ok;
    cti_bounds bounds;
    double *edges = CTI_ARENA_ZERO(arena, double, 4 * m), *x = CTI_ARENA_NEW(arena, double, m);
    for (i = 0; edges && x && i < m; i++)
        edges[4 * i] = cti_augmented_edge(s, i, edges + 4 * i + 1), x[i] = change[i];
    ok = edges && x && cti_bounds_make(&bounds, arena, m, cti_solve_tuned.augmented.directions);
    if (ok)
        cti_iterate_bounds(&s->q, &bounds, s->H, edges, cti_solve_tuned.augmented.directions, cti_solve_tuned.augmented.solved, x);
    for (i = 0; ok && i < m; i++)
        if (edges[4 * i] > 0)
            change[i] = change[i] > 0 && s->bound[i] + x[i] < 0 ? DBL_MAX : x[i];
    return ok;
}

/* The next friction bounds; the first ones are mu lambda. By Newton's method on bounds = mu lambda; where its change turns back, bounds would go to
   and fro between two sets of sliding contacts, and they go to where the change vanishes between the last ones and these. Or by Aitken's share of the
   way to mu lambda (Irons and Tuck 1969), since loads of contacts that repeat each other have no derivative: where the first does not better the
   result. Changes are measured with the local compliances. idle: outer
   iterations since the best. 0: out of memory */
static int cti_augmented_bounds(cti_augmented *s, cti_arena *arena, int turn, int idle)
{
    const cti_problem *p = s->q.p;
    cti_arena_point mark = cti_arena_mark(arena);
    double *change = CTI_ARENA_NEW(arena, double, p->n_rows), along = 0, square = 0, apart = 0, goal;
    int i, newton = idle <= cti_solve_tuned.augmented.newton, again = turn > 1 && newton == s->newton;
    for (i = 0; change && i < p->n_rows; i++) {
        goal = cti_iterate_coefficient(&p->rows[i]) * cti_fmax(0, s->q.r[cti_iterate_normal(&s->q, i)]);
        s->bound[i] = s->bound[i] < DBL_MAX ? s->bound[i] : goal;
        change[i] = goal - s->bound[i];
    }
    if (!change || (newton && turn && !cti_augmented_respond(s, arena, change)))
        return 0;
    for (i = 0; i < p->n_rows; i++) {
        double local = change[i] < DBL_MAX ? (double)p->local[3 * i + 1] : 0, d = change[i] - s->swing[i];
        along += local * change[i] * s->swing[i], square += local * s->swing[i] * s->swing[i], apart += local * d * d;
    }
    if (again && !newton && apart > 0)
        s->share = cti_fmin(cti_solve_tuned.augmented.most, cti_fmax(cti_solve_tuned.augmented.least, s->share * (square - along) / apart));
    else
        s->share = again && newton && along < 0 ? square / (square - along) : 1;
    for (i = 0; i < p->n_rows; i++) {
        int sticks = !(change[i] < DBL_MAX);
        s->swing[i] = sticks ? 0 : (newton ? s->share : 1) * change[i];
        s->bound[i] = sticks ? DBL_MAX : cti_fmax(0, s->bound[i] + s->share * change[i]);
    }
    s->newton = newton;
    cti_arena_rewind(arena, mark);
    return 1;
}

/* An outer iteration: Newton steps until the gradient is `enough`. One that is not halved by a whole step, or by any step below `least`, ends the
   iteration, too: it is rounding, or new multipliers do more. 0: out of memory */
static int cti_augmented_minimize(cti_augmented *s, double enough, double least, int *factors)
{
    const cti_linear *L = s->q.L;
    int n3 = 3 * s->q.p->A->n, k;
    double now, last = 0, a = 0;
    for (k = 0; *factors < cti_solve_tuned.augmented.factors; k++, last = now) {
        double slope;
        now = cti_augmented_evaluate(s);
        if (k > 0 && (now <= enough || ((a == 1 || now <= least) && now > last / 2)))
            return 1;
        memcpy(s->q.d, s->q.f, sizeof *s->q.d * (size_t)n3);
        if (!L->factor(L->ctx, s->H))
            return 0;
        L->solve(L->ctx, s->q.d), ++*factors;
        cti_frame_add(s->q.p->frame, cti_linear_price(L));
        a = cti_augmented_search(s, &slope);
        if (!(slope < 0)) /* rounding */
            return 1;
        cti_iterate_step(&s->q, a);
    }
    cti_augmented_evaluate(s);
    return 1;
}

CTI_FN int cti_augmented_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                               cti_solve_info *info)
{
    cti_augmented state, *s = &state;
    cti_linear full = *L;
    const cti_problem *p = J->p;
    double aim = cti_solve_tuned.augmented.aim * (double)desc->tolerance;
    int i, turn, idle = 0, factors = 0;
    full.respond = NULL; /* v is searched for, beside r */
    if (!cti_augmented_open(s, J, &full, desc->cone, arena, v))
        return 0;
    /* the better the start, the less is gained by penalties that let it move */
    for (i = 0; i < 3 * p->n_rows; i++)
        s->rho[i] = cti_fmin(s->rho[i] * cti_fmax(1, cti_solve_tuned.augmented.start / (double)s->q.now), s->stiffest[i]);
    for (turn = 0; idle <= cti_solve_tuned.augmented.idle && factors < cti_solve_tuned.augmented.factors; turn++) {
        double last = (double)s->q.res.natural_map, enough = cti_solve_tuned.augmented.inner * cti_fmin(1, last), best;
        if (last <= aim || !cti_frame_may(p->frame, cti_linear_price(L)))
            break;
        memcpy(s->r, s->q.r, sizeof *s->r * 3 * (size_t)p->n_rows);
        if (!cti_augmented_bounds(s, arena, turn, idle) ||
            !cti_augmented_minimize(s, cti_fmax(enough, .3 * aim), 10 * aim, &factors) || !cti_iterate_judge(&s->q, v))
            return 0;
        best = (double)s->q.res.natural_map;
        idle = best < last ? 0 : idle + 1;
        if (best <= 10 * aim && best > last / 2) /* rounding */
            break;
        for (i = 0; i < 3 * p->n_rows; i++)
            s->rho[i] = cti_fmin(s->rho[i] * cti_solve_tuned.augmented.grow, s->stiffest[i]);
    }
    info->iterations += factors;
    cti_iterate_close(&s->q, desc->tolerance, v, info);
    return 1;
}
