/* augmented.c -- semismooth Newton steps on the augmented Lagrangian of the contact problem.
   Method: an outer iteration holds multipliers r and friction bounds g = mu lambda. It minimizes over v
       v'A v / 2 - b'v + sum of psi_i(J_i v + w_i),   -psi_i'(u) = P(r - rho u),   P: the row's law with its compliance, gamma within g,
   which is convex, by Newton steps (A + J'HJ) d = -gradient, H = -dP/du, with a search along d. Then r = P(r - rho u) at the minimum, g
   follows lambda by Newton's method on g = mu lambda or by shares of the way there, and rho grows. With whole steps to mu lambda, g would
   swing between two values for ever where friction jams. Bounds of spin (problem.h: load) go the same way. A contact whose load grows faster than its
   bound sticks: the next bound is none. The judge (residual.c) sees every outer iterate, and the best one is the result. rho is in inverse local
   compliances. All is in double, since rho is up to 1e8 of them, and more for joints with a compliance. u follows the steps, u += a J d: from v, its
   rounding of 1e-16 m/s would be an impulse of 1e-6 N s in a joint, and no gradient would fall below 1e-4. Based on: Rockafellar 1976
   (proximal method of multipliers); Alart and Curnier 1991; Haslinger 1983 (friction by a held bound). */
#include "augmented.h"
#include "solve_policy.h"
#include <float.h>

typedef struct cti_augmented {
    const cti_problem *p;
    const cti_jacobian *J;
    ct_cone cone;
    double *v, *d, *f, *Ad;          /* [3 n] velocity, Newton direction, minus the gradient, A d */
    double *u, *du, *r, *next;       /* [3 rows] velocities, their change by d, held multipliers, P(r - rho u) */
    double *seen;                    /* [3 rows] velocities that the judge sees */
    double *rho, *stiffest;          /* [3 rows] penalty, and its largest value */
    double *bound, *swing, *H;       /* [rows] mu lambda, its last change, which a share was taken of; [9 rows] */
    double share;                    /* of the last change of the bounds */
    int newton;                      /* 1: that was Newton's */
    ct_real *best, *work;            /* [3 n + 3 rows] the best judged v and r; [3 n] */
} cti_augmented;

CTI_FN int cti_jacobian_make(const cti_problem *p, cti_arena *arena, cti_jacobian *out)
{
    int i, k, a;
    out->p = p, out->first = CTI_ARENA_NEW(arena, int32_t, p->n_rows + 1);
    if (!out->first)
        return 0;
    for (out->first[0] = 0, i = 0; i < p->n_rows; i++)
        out->first[i + 1] = out->first[i] + p->rows[i].n;
    out->G = CTI_ARENA_NEW(arena, double, 18 * (size_t)out->first[p->n_rows]), out->Gt = out->G + 9 * (size_t)out->first[p->n_rows];
    for (i = 0; out->G && i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            size_t at = 9 * (size_t)(out->first[i] + k);
            ct_real G[9], Gt[9];
            cti_row_map(&p->rows[i], k, G), cti_row_map_t(p, &p->rows[i], k, Gt);
            for (a = 0; a < 9; a++)
                out->G[at + (size_t)a] = (double)G[a], out->Gt[at + (size_t)a] = (double)Gt[a];
        }
    return out->G != NULL;
}

CTI_FN int cti_jacobian_stiffness(const cti_jacobian *J, int i, const double *H, double *out)
{
    const double *G = J->Gt + 9 * (size_t)J->first[i];
    int k, l, a, b, c, n = J->p->rows[i].n;
    if (!(H[0] > 0 || H[4] > 0 || H[8] > 0))
        return 0;
    for (k = 0; k < n; k++) {
        double T[9] = {0};
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                for (c = 0; c < 3; c++)
                    T[3 * a + b] += G[9 * k + 3 * a + c] * H[3 * c + b];
        for (l = k; l < n; l++) {
            double *to = out + 9 * (k * n + l), *back = out + 9 * (l * n + k);
            const double *g = G + 9 * l;
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++)
                    to[3 * a + b] = T[3 * a] * g[3 * b] + T[3 * a + 1] * g[3 * b + 1] + T[3 * a + 2] * g[3 * b + 2];
            for (a = 0; a < 3; a++)
                for (b = 0; l > k && b < 3; b++)
                    back[3 * b + a] = to[3 * a + b];
        }
    }
    return n * n;
}

CTI_FN double cti_augmented_price(double flops) { return cti_solve_tuned.augmented.expected * cti_solve_tuned.augmented.flop * flops; }

CTI_FN double cti_augmented_visits(const cti_linear *L) { return cti_solve_tuned.augmented.flop * L->flops / cti_solve_tuned.costs.visit; }

/* u = J v */
static void cti_augmented_gather(const cti_augmented *s, const double *v, double *u)
{
    int i, k, a;
    for (i = 0; i < s->p->n_rows; i++) {
        double sum[3] = {0, 0, 0};
        for (k = 0; k < s->p->rows[i].n; k++) {
            const double *G = s->J->G + 9 * (size_t)(s->J->first[i] + k), *x = v + 3 * (size_t)s->p->rows[i].term[k].block;
            for (a = 0; a < 3; a++)
                sum[a] += G[3 * a] * x[0] + G[3 * a + 1] * x[1] + G[3 * a + 2] * x[2];
        }
        memcpy(u + 3 * (size_t)i, sum, sizeof sum);
    }
}

/* f += S J_i' r of row i, r [3], S the projectors of constrained blocks */
static void cti_augmented_push(const cti_augmented *s, int i, const double *r, double *f)
{
    const double *G = s->J->Gt + 9 * (size_t)s->J->first[i];
    int k, a;
    for (k = 0; k < s->p->rows[i].n; k++, G += 9)
        for (a = 0; a < 3; a++)
            f[3 * (size_t)s->p->rows[i].term[k].block + (size_t)a] += G[3 * a] * r[0] + G[3 * a + 1] * r[1] + G[3 * a + 2] * r[2];
}

/* y = A x */
static void cti_augmented_multiply(const cti_bsr *A, const double *x, double *y)
{
    int i, k, a;
    for (i = 0; i < A->n; i++)
        for (a = 0; a < 3; a++) {
            double sum = 0;
            for (k = A->row[i]; k < A->row[i + 1]; k++) {
                const ct_real *K = A->val + 9 * (size_t)k + 3 * a;
                const double *z = x + 3 * (size_t)A->col[k];
                sum += (double)K[0] * z[0] + (double)K[1] * z[1] + (double)K[2] * z[2];
            }
            y[3 * i + a] = sum;
        }
}

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
    const cti_row *row = &s->p->rows[i];
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
    cti_augmented_section(s->cone, s->bound[i], x + 1, D);
    r[1] = x[1], r[2] = x[2];
    if (H)
        H[4] = slope[1] * D[0], H[5] = H[7] = slope[1] * D[1], H[8] = slope[2] * D[3];
}

/* out = J v + w */
static void cti_augmented_velocities(const cti_augmented *s, double *out)
{
    int i, k;
    cti_augmented_gather(s, s->v, out);
    for (i = 0; i < s->p->n_rows; i++)
        for (k = 0; k < 3; k++)
            out[3 * i + k] += (double)s->p->rows[i].w[k];
}

/* f = b - A v + J' next. Returns the largest entry of D^-1 f, as the judge measures it */
static double cti_augmented_gradient(const cti_augmented *s)
{
    const cti_problem *p = s->p;
    int n = p->A->n, i, k, a;
    double big = 0;
    cti_augmented_multiply(p->A, s->v, s->f);
    for (i = 0; i < 3 * n; i++)
        s->f[i] = (double)p->b[i] - s->f[i];
    for (i = 0; i < p->n_rows; i++)
        cti_augmented_push(s, i, s->next + 3 * (size_t)i, s->f);
    for (i = 0; i < n; i++) {
        ct_real inv[9];
        if (!cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[i], inv))
            continue;
        for (k = 0; k < 3; k++) {
            double e = 0;
            for (a = 0; a < 3; a++)
                e += (double)inv[3 * k + a] * s->f[3 * i + a];
            big = fabs(e) > big || e != e ? fabs(e) : big; /* what is no number stays */
        }
    }
    return big / (double)p->velocity_scale;
}

/* the laws and f at v and u. Returns as cti_augmented_gradient */
static double cti_augmented_evaluate(const cti_augmented *s)
{
    int i;
    for (i = 0; i < s->p->n_rows; i++)
        cti_augmented_law(s, i, s->u + 3 * (size_t)i, s->next + 3 * (size_t)i, s->H + 9 * (size_t)i);
    return cti_augmented_gradient(s);
}

/* the length a along d where the derivative of the convex function vanishes, nearly: by secants inside of a bracket */
static double cti_augmented_search(cti_augmented *s, double *start)
{
    const cti_problem *p = s->p;
    int n3 = 3 * p->A->n, i, k, t;
    double slope = -cti_dot(n3, s->f, s->d), a = 1, low = 0, at_low = slope, high = 0, at_high = 0, dAd, base;
    cti_augmented_gather(s, s->d, s->du);
    cti_augmented_multiply(p->A, s->d, s->Ad);
    dAd = cti_dot(n3, s->d, s->Ad);
    base = slope + cti_dot(3 * p->n_rows, s->next, s->du);
    for (t = 0; t < cti_solve_tuned.augmented.trials; t++) {
        double at = base + a * dAd;
        for (i = 0; i < p->n_rows; i++) {
            double u[3], r[3];
            for (k = 0; k < 3; k++)
                u[k] = s->u[3 * i + k] + a * s->du[3 * i + k];
            cti_augmented_law(s, i, u, r, NULL);
            at -= cti_dot(3, r, s->du + 3 * (size_t)i);
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

/* balances the momenta of v and `next`. 0: out of memory */
static int cti_augmented_balance(const cti_augmented *s, ct_real *v)
{
    const cti_problem *p = s->p;
    int n3 = 3 * p->A->n, i, k;
    cti_augmented_gradient(s);
    for (i = 0; i < n3; i++)
        s->work[i] = (ct_real)s->f[i];
    if (p->calls.balance && !p->calls.balance(p->calls.balance_ctx, s->work, v))
        return 0;
    for (i = 0; i < n3; i++)
        s->v[i] = (double)v[i];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            if (p->rows[i].r[k] != (ct_real)s->next[3 * i + k])
                s->next[3 * i + k] = (double)p->rows[i].r[k];
    return 1;
}

/* Judges v and the multipliers `next`, after their momenta are balanced, and keeps them if they are the best so far; the iteration goes on from
   what was not balanced. Multipliers are judged in double: rounded to float, those under a heavy body throw a light one. 0: out of memory */
static int cti_augmented_judge(cti_augmented *s, ct_real *v, cti_residuals *best, int first)
{
    const cti_problem *p = s->p;
    cti_residuals res;
    int n3 = 3 * p->A->n, i, k;
    for (i = 0; i < n3; i++)
        v[i] = (ct_real)s->v[i];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            p->rows[i].r[k] = (ct_real)s->next[3 * i + k];
    memcpy(s->d, s->v, sizeof *s->d * (size_t)n3), memcpy(s->du, s->next, sizeof *s->du * 3 * (size_t)p->n_rows);
    if (!cti_augmented_balance(s, v))
        return 0;
    memset(&res, 0, sizeof res);
    cti_augmented_velocities(s, s->seen);
    for (i = 0; i < p->n_rows; i++)
        cti_row_follow(&p->rows[i], p->rows[i + p->rows[i].load].r[0]);
    for (i = 0; i < p->n_rows; i++)
        cti_residual_row(p, s->cone, &p->rows[i], s->seen + 3 * (size_t)i, s->next + 3 * (size_t)i, p->local + 3 * (size_t)i, &res);
    res.dynamics = (ct_real)cti_augmented_gradient(s), res.natural_map = cti_max(res.dynamics, res.natural);
    memcpy(s->v, s->d, sizeof *s->d * (size_t)n3), memcpy(s->next, s->du, sizeof *s->du * 3 * (size_t)p->n_rows);
    if (!first && !(res.natural_map < best->natural_map))
        return 1;
    *best = res;
    memcpy(s->best, v, sizeof *v * (size_t)n3);
    for (i = 0; i < p->n_rows; i++)
        memcpy(s->best + n3 + 3 * i, p->rows[i].r, sizeof p->rows[i].r);
    return 1;
}

/* memory, and the start */
static int cti_augmented_open(cti_augmented *s, cti_arena *arena, const ct_real *v)
{
    const cti_problem *p = s->p;
    size_t n3 = 3 * (size_t)p->A->n, m = (size_t)p->n_rows, i;
    s->v = CTI_ARENA_NEW(arena, double, 4 * n3), s->u = CTI_ARENA_NEW(arena, double, 32 * m);
    s->best = CTI_ARENA_NEW(arena, ct_real, n3 + 3 * m), s->work = CTI_ARENA_NEW(arena, ct_real, n3);
    if (!s->v || !s->u || !s->best || !s->work)
        return 0;
    s->d = s->v + n3, s->f = s->d + n3, s->Ad = s->f + n3;
    s->du = s->u + 3 * m, s->r = s->du + 3 * m, s->next = s->r + 3 * m, s->rho = s->next + 3 * m;
    s->stiffest = s->rho + 3 * m, s->bound = s->stiffest + 3 * m, s->swing = s->bound + m, s->H = s->swing + m, s->seen = s->H + 9 * m;
    for (i = 0; i < n3; i++)
        s->v[i] = (double)v[i];
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
            s->next[3 * i + (size_t)k] = (double)p->rows[i].r[k];
        }
        s->bound[i] = s->swing[i] = 0;
    }
    cti_augmented_velocities(s, s->u);
    return 1;
}

/* the normal multiplier that bounds the friction of row i, or its spin's, and the bound over it: 0 for rows without */
static size_t cti_augmented_normal(const cti_augmented *s, int i) { return 3 * (size_t)(i + s->p->rows[i].load); }
static double cti_augmented_coefficient(const cti_row *row) { return (double)(row->load ? row->share : row->equations ? 0 : row->mu); }

/* edge [3]: the change of the friction impulse of row i with its bound. 0: the bound does not hold it */
static int cti_augmented_edge(const cti_augmented *s, int i, double *edge)
{
    const cti_row *row = &s->p->rows[i];
    const double *r = s->next + 3 * (size_t)i, least = s->bound[i] * (1 - cti_solve_tuned.augmented.rounded);
    double length = s->cone == CT_CONE_PYRAMID ? fabs(r[1]) + fabs(r[2]) : sqrt(r[1] * r[1] + r[2] * r[2]);
    int k, flat = s->cone == CT_CONE_PYRAMID && r[1] != 0 && r[2] != 0;
    if (!(least > 0) || !(s->next[cti_augmented_normal(s, i)] > 0) || (row->equations && !row->load))
        return 0;
    for (k = 0; k < 3; k++)
        edge[k] = r[k] / s->bound[i];
    if (row->load)
        return sqrt(cti_dot(3, r, r)) >= least;
    edge[0] = 0;
    for (k = 1; k < 3; k++) {
        if (flat) /* along an edge of the pyramid both change alike */
            edge[k] = r[k] > 0 ? .5 : -.5;
        if (s->cone == CT_CONE_BOX && fabs(r[k]) < least)
            edge[k] = 0;
    }
    return s->cone == CT_CONE_BOX ? edge[1] != 0 || edge[2] != 0 : length >= least;
}

/* out [rows] = what the goals of the bounds lack after bounds change by x: x - mu (change of the normal impulses). With the last matrix, these
   change by -H J (A + J'HJ)^-1 J' edge x. edges [4 rows]: 1 and the edge, or 0 without one. 0: out of memory */
static int cti_augmented_lack(cti_augmented *s, const cti_linear *L, const double *edges, const double *x, double *out)
{
    const cti_problem *p = s->p;
    int i;
    memset(s->d, 0, sizeof *s->d * 3 * (size_t)p->A->n);
    for (i = 0; i < p->n_rows; i++) {
        double r[3];
        r[0] = edges[4 * i + 1] * x[i], r[1] = edges[4 * i + 2] * x[i], r[2] = edges[4 * i + 3] * x[i];
        if (edges[4 * i] > 0)
            cti_augmented_push(s, i, r, s->d);
    }
    if (!L->solve(L->ctx, s->d, 1))
        return 0;
    cti_augmented_gather(s, s->d, s->du);
    for (i = 0; i < p->n_rows; i++) {
        size_t normal = cti_augmented_normal(s, i);
        out[i] = edges[4 * i] > 0 ? x[i] + cti_augmented_coefficient(&p->rows[i]) * s->H[3 * normal] * s->du[normal] : 0;
    }
    return 1;
}

/* change [rows]: goals minus bounds become Newton's change of the bounds, where contacts slide: by generalized conjugate residuals, each of
   which takes one solve with the last factor. Where a load grows faster than its bound, no bound lets the contact slide: it sticks, DBL_MAX.
   0: out of memory */
static int cti_augmented_respond(cti_augmented *s, const cti_linear *L, cti_arena *arena, double *change)
{
    const cti_problem *p = s->p;
    int m = p->n_rows, most = cti_solve_tuned.augmented.directions, i, j, k, slides = 0;
    double *edges = CTI_ARENA_ZERO(arena, double, 4 * m), *r = CTI_ARENA_ZERO(arena, double, m), *x = CTI_ARENA_ZERO(arena, double, m), *all, first;
    for (i = 0; edges && r && i < m; i++)
        if (cti_augmented_edge(s, i, edges + 4 * i + 1))
            edges[4 * i] = 1, r[i] = change[i], slides++;
    most = cti_min_int(most, slides), all = CTI_ARENA_NEW(arena, double, 2 * (size_t)m * (size_t)most + 1);
    if (!edges || !r || !x || !all)
        return 0;
    first = cti_dot(m, r, r);
    for (k = 0; k < most && cti_dot(m, r, r) > cti_solve_tuned.augmented.solved * first; k++) {
        double *z = all + 2 * (size_t)m * (size_t)k, *Mz = z + m, along;
        memcpy(z, r, sizeof *z * (size_t)m);
        if (!cti_augmented_lack(s, L, edges, z, Mz))
            return 0;
        for (j = 0; j < k; j++) {
            const double *y = all + 2 * (size_t)m * (size_t)j;
            along = cti_dot(m, Mz, y + m);
            for (i = 0; i < m; i++)
                z[i] -= along * y[i], Mz[i] -= along * y[m + i];
        }
        along = sqrt(cti_dot(m, Mz, Mz));
        if (!(along > 0) || !cti_finite64(along))
            break;
        for (i = 0; i < m; i++)
            z[i] /= along, Mz[i] /= along;
        along = cti_dot(m, r, Mz);
        for (i = 0; i < m; i++)
            x[i] += along * z[i], r[i] -= along * Mz[i];
    }
    for (i = 0; i < m; i++)
        if (edges[4 * i] > 0)
            change[i] = change[i] > 0 && s->bound[i] + x[i] < 0 ? DBL_MAX : x[i];
    return 1;
}

/* The next friction bounds; the first ones are mu lambda. By Newton's method on bounds = mu lambda; where its change turns back, bounds would go to
   and fro between two sets of sliding contacts, and they go to where the change vanishes between the last ones and these. Or by Aitken's share of the
   way to mu lambda (Irons and Tuck 1969), since loads of contacts that repeat each other have no derivative: where the first does not better the
   result. Changes are measured with the local compliances. idle: outer
   iterations since the best. 0: out of memory */
static int cti_augmented_bounds(cti_augmented *s, const cti_linear *L, cti_arena *arena, int turn, int idle)
{
    const cti_problem *p = s->p;
    cti_arena_point mark = cti_arena_mark(arena);
    double *change = CTI_ARENA_NEW(arena, double, p->n_rows), along = 0, square = 0, apart = 0, goal;
    int i, newton = idle <= cti_solve_tuned.augmented.newton, again = turn > 1 && newton == s->newton;
    for (i = 0; change && i < p->n_rows; i++) {
        goal = cti_augmented_coefficient(&p->rows[i]) * cti_fmax(0, s->next[cti_augmented_normal(s, i)]);
        s->bound[i] = s->bound[i] < DBL_MAX ? s->bound[i] : goal;
        change[i] = goal - s->bound[i];
    }
    if (!change || (newton && turn && !cti_augmented_respond(s, L, arena, change)))
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
static int cti_augmented_minimize(cti_augmented *s, const cti_linear *L, double enough, double least, int *factors)
{
    int n3 = 3 * s->p->A->n, i, k;
    double now, last = 0, a = 0;
    for (k = 0; *factors < cti_solve_tuned.augmented.factors; k++, last = now) {
        double slope;
        now = cti_augmented_evaluate(s);
        if (k > 0 && (now <= enough || ((a == 1 || now <= least) && now > last / 2)))
            return 1;
        memcpy(s->d, s->f, sizeof *s->d * (size_t)n3);
        if (!L->factor(L->ctx, s->H) || !L->solve(L->ctx, s->d, 0))
            return 0;
        ++*factors;
        a = cti_augmented_search(s, &slope);
        if (!(slope < 0)) /* rounding */
            return 1;
        for (i = 0; i < n3; i++)
            s->v[i] += a * s->d[i];
        for (i = 0; i < 3 * s->p->n_rows; i++)
            s->u[i] += a * s->du[i];
    }
    cti_augmented_evaluate(s);
    return 1;
}

CTI_FN int cti_augmented_solve(const cti_jacobian *J, const cti_linear *L, const ct_solver_desc *desc, cti_arena *arena, ct_real *v,
                               cti_solve_info *info)
{
    cti_augmented state, *s = &state;
    const cti_problem *p = J->p;
    double aim = cti_solve_tuned.augmented.aim * (double)desc->tolerance;
    int i, turn, idle = 0, n3 = 3 * p->A->n;
    s->p = p, s->J = J, s->cone = desc->cone;
    memset(info, 0, sizeof *info);
    if (!cti_augmented_open(s, arena, v) || !cti_augmented_judge(s, v, &info->res, 1))
        return 0;
    /* the better the start, the less is gained by penalties that let it move */
    for (i = 0; i < 3 * p->n_rows; i++)
        s->rho[i] = cti_fmin(s->rho[i] * cti_fmax(1, cti_solve_tuned.augmented.start / (double)info->res.natural_map), s->stiffest[i]);
    for (turn = 0; idle <= cti_solve_tuned.augmented.idle && info->iterations < cti_solve_tuned.augmented.factors; turn++) {
        double last = (double)info->res.natural_map, enough = cti_solve_tuned.augmented.inner * cti_fmin(1, last);
        if (last <= aim)
            break;
        memcpy(s->r, s->next, sizeof *s->r * 3 * (size_t)p->n_rows);
        if (!cti_augmented_bounds(s, L, arena, turn, idle) ||
            !cti_augmented_minimize(s, L, cti_fmax(enough, .3 * aim), 10 * aim, &info->iterations) || !cti_augmented_judge(s, v, &info->res, 0))
            return 0;
        idle = (double)info->res.natural_map < last ? 0 : idle + 1;
        if ((double)info->res.natural_map <= 10 * aim && (double)info->res.natural_map > last / 2) /* rounding */
            break;
        for (i = 0; i < 3 * p->n_rows; i++)
            s->rho[i] = cti_fmin(s->rho[i] * cti_solve_tuned.augmented.grow, s->stiffest[i]);
    }
    memcpy(v, s->best, sizeof *v * (size_t)n3);
    for (i = 0; i < p->n_rows; i++)
        memcpy(p->rows[i].r, s->best + n3 + 3 * i, sizeof p->rows[i].r);
    info->judged = 1;
    info->status = info->res.natural_map <= desc->tolerance ? CTI_SOLVE_OK : CTI_SOLVE_BUDGET;
    return 1;
}
