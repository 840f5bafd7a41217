/* net.c -- corrections of networks of collisions.
   Method: the global scheme solves H X = Y for all collisions (eq. 14) by conjugate gradients that start at X = 0, so that directions in
   which no collision is constrained stay 0. H is never formed: a product goes over the particles and back (eq. 16). The successive scheme
   corrects collision by collision, the nearest first, on the state already corrected, several times (sec. 3.1).
   differs: a normal correction is a force along the normal also where inverse masses are matrices, so that it keeps the angular momentum.
   differs: collisions only push. After a solve those that would pull are left out, those that are violated join, and the solve goes on from
   where it is (active_set 0: all collisions are equations, as in the paper).
   differs: friction is bounded by the correction that the solve gave the collision, delta Q_c = M_c^-1 X_c, not by the wanted one, which in
   a pile is 0 above the lowest layer. It is swept until each collision stops, or is at its bound: the answer then does not depend on the order
   in which bounds are found. based on: Volino, Magnenat-Thalmann 2000, sec. 2.2, 3 and 4.1. */
#include "net.h"

#define CTI_NET_SMALL                                                                                                                      \
    CTI_R(1e-9)          /* [1] over the largest inverse mass of a collision: what is added to M_c^-1. It is below every mass ratio */
#define CTI_NET_RISE 100 /* [1] factor of |R|^2 in one turn that is no convergence any more, but rounding */
#define CTI_NET_ROUNDED (1024 * (double)CTI_EPS) /* [1] what is below this share of the start is rounding */
/* passes over normals and friction with stiff particles, of which friction moves others along normals. A cube of 1e6 Pa on another one bounces for
   ever at 40 mm/s after 1 pass, 3 after 2, .1 after 3, .02 after 6, which take 1.9 times the time */
#define CTI_NET_PASSES 3
#define CTI_NET_FRICTIONS 2                      /* solves of friction: of all contacts, then of those that stick */

CTI_FN cti_v3 cti_net_value(const cti_net *net, const ct_real *Q, int c)
{
    cti_v3 sum = cti_v3_zero();
    int k;
    for (k = net->start[c]; k < net->start[c + 1]; k++)
        sum = cti_v3_mad(sum, cti_v3_at(Q, net->particle[k]), net->S[k]);
    return sum;
}

CTI_FN cti_v3 cti_net_inverse(const cti_net *net, int i, cti_v3 v)
{
    if (net->filter && net->filter[i] >= 0)
        v = cti_m3_mul_v(net->projectors + 9 * (size_t)net->filter[i], v);
    return cti_v3_mul(v, net->inv[i]);
}

/* the small scalar of a collision's M_c^-1 */
static ct_real cti_net_small(const cti_net *net, int c)
{
    ct_real big = 0;
    int k;
    for (k = net->start[c]; k < net->start[c + 1]; k++)
        big = cti_max(big, net->inv[net->particle[k]]);
    return big > 0 ? CTI_NET_SMALL * big : 1;
}

CTI_FN ct_real cti_net_normal_mass(const cti_net *net, int c)
{
    cti_v3 n = cti_v3_at(net->normal, c);
    ct_real w = cti_net_small(net, c);
    int k;
    for (k = net->start[c]; k < net->start[c + 1]; k++)
        w += net->S[k] * net->S[k] * cti_v3_dot(n, cti_net_inverse(net, net->particle[k], n));
    return 1 / (net->compliance ? cti_max(w, net->compliance[c]) : w);
}

CTI_FN void cti_net_spread(const cti_net *net, const ct_real *X, ct_real *out)
{
    int c, i, k;
    memset(out, 0, sizeof(ct_real) * 3 * (size_t)net->n);
    for (c = 0; c < net->m; c++) {
        cti_v3 x = cti_v3_at(X, c);
        for (k = net->start[c]; k < net->start[c + 1]; k++)
            cti_v3_addto(out, net->particle[k], cti_v3_mul(x, net->S[k]));
    }
    for (i = 0; i < net->stiff.n; i++)
        cti_v3_put(net->stiff.f, i, cti_v3_at(out, net->stiff.list[i]));
    for (i = 0; i < net->n; i++)
        cti_v3_put(out, i, cti_net_inverse(net, i, cti_v3_at(out, i)));
    if (net->stiff.n)
        net->stiff.solve(net->stiff.ctx, net->stiff.f);
    for (i = 0; i < net->stiff.n; i++)
        cti_v3_put(out, net->stiff.list[i], cti_v3_at(net->stiff.f, i));
}

/* the part of v in the directions of the collision's mode */
static cti_v3 cti_net_part(const cti_net *net, int c, cti_v3 v)
{
    cti_v3 n = cti_v3_at(net->normal, c);
    switch (net->mode[c]) {
    case CTI_NET_NORMAL:
        return cti_v3_mul(n, cti_v3_dot(n, v));
    case CTI_NET_TANGENT:
        return cti_v3_mad(v, n, -cti_v3_dot(n, v));
    case CTI_NET_ALL:
        return v;
    default:
        return cti_v3_zero();
    }
}

CTI_FN ct_real cti_net_together(const cti_net *net, int c, int k)
{
    int body = net->stiff.n ? net->stiff.body[net->particle[k]] : -1, j;
    ct_real sum = 0;
    for (j = net->start[c]; body >= 0 && j < net->start[c + 1]; j++) {
        int same = net->stiff.body[net->particle[j]] == body;
        if (same && j < k)
            return 0;
        sum += same ? net->S[j] : 0;
    }
    return sum;
}

/* 1: a collision moves a stiff particle */
static int cti_net_is_stiff(const cti_net *net, int c)
{
    int k;
    for (k = net->start[c]; net->stiff.n && k < net->start[c + 1]; k++)
        if (net->stiff.body[net->particle[k]] >= 0)
            return 1;
    return 0;
}

CTI_FN void cti_net_share(const cti_net *net, const ct_real *w, ct_real *out)
{
    ct_real *u = net->work, *all_of = u + net->n; /* of the particles; of bodies as a whole, which are fewer */
    int c, k;
    memset(u, 0, sizeof(ct_real) * 2 * (size_t)net->n);
    for (c = 0; c < net->m; c++)
        for (k = net->start[c]; w[c] > 0 && k < net->start[c + 1]; k++) {
            u[net->particle[k]] += w[c] * cti_abs(net->S[k]);
            if (net->stiff.n && net->stiff.body[net->particle[k]] >= 0)
                all_of[net->stiff.body[net->particle[k]]] += w[c] * cti_abs(cti_net_together(net, c, k));
        }
    for (c = 0; c < net->m; c++) {
        ct_real own = 0, all = 0;
        for (k = net->start[c]; w[c] > 0 && k < net->start[c + 1]; k++) {
            int i = net->particle[k];
            own += w[c] * net->inv[i] * net->S[k] * net->S[k];
            all += net->inv[i] * cti_abs(net->S[k]) * u[i];
            if (net->stiff.n && net->stiff.body[i] >= 0) {
                ct_real whole = net->stiff.whole[net->stiff.body[i]], S = cti_abs(cti_net_together(net, c, k));
                own += w[c] * whole * S * S, all += whole * S * all_of[net->stiff.body[i]];
            }
        }
        out[c] = all > 0 ? own / all : 1;
    }
}

/* ---- the global scheme ---- */

CTI_FN double cti_net_still(const cti_net *net, ct_real enough)
{
    const ct_real *inv = net->stiff.n ? net->stiff.inv : net->inv;
    double light = 0, sum = 0;
    int i;
    for (i = 0; i < net->n && enough > 0; i++)
        light = cti_fmax(light, (double)inv[i]);
    for (i = 0; i < net->n && enough > 0; i++)
        if (inv[i] > 0)
            sum += cti_fmin(1 / (double)inv[i], 4 / light);
    return sum * (double)enough * (double)enough;
}

/* cti_net_run -- the collisions of a solve that are on; four numbers a particle and a collision, so that each is one vector. */
typedef struct cti_net_run {
    const cti_net *net;
    int n;          /* collisions */
    int32_t *on;    /* [n] */
    ct_real *R, *T; /* [4 n] residuals, direction */
} cti_net_run;

/* T = R + keep T, and net->work: the forces of T. Returns T'T */
static double cti_net_out(const cti_net_run *run, ct_real keep)
{
    const cti_net *net = run->net;
    double size = 0;
    int j, k, e;
    memset(net->work, 0, sizeof(ct_real) * 4 * (size_t)net->n);
    for (k = 0; k < run->n; k++) {
        const ct_real *r = run->R + 4 * (size_t)k;
        ct_real *t = run->T + 4 * (size_t)k;
        int c = run->on[k], end = net->start[c + 1];
        for (j = 0; j < 4; j++)
            t[j] = r[j] + keep * t[j];
        size += (double)(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        for (e = net->start[c]; e < end; e++) {
            ct_real *to = net->work + 4 * (size_t)net->particle[e], w = net->S[e];
            for (j = 0; j < 4; j++)
                to[j] += w * t[j];
        }
    }
    return size;
}

/* a step along T, whose corrections are net->work. Returns R'R */
static double cti_net_back(const cti_net_run *run, ct_real step, ct_real *X)
{
    const cti_net *net = run->net;
    double sum = 0;
    int j, k, e;
    for (k = 0; k < run->n; k++) {
        const ct_real *t = run->T + 4 * (size_t)k;
        ct_real *r = run->R + 4 * (size_t)k, q[4] = {0, 0, 0, 0};
        int c = run->on[k], end = net->start[c + 1];
        cti_v3 own;
        for (e = net->start[c]; e < end; e++) {
            const ct_real *from = net->work + 4 * (size_t)net->particle[e];
            for (j = 0; j < 4; j++)
                q[j] += net->S[e] * from[j];
        }
        own = cti_v3_mad(cti_v3_at(q, 0), cti_v3_at(t, 0), net->compliance ? net->soft * net->compliance[c] : 0);
        own = cti_v3_mad(cti_v3_at(r, 0), cti_net_part(net, c, own), -step);
        cti_v3_put(r, 0, own);
        cti_v3_addto(X, c, cti_v3_mul(cti_v3_at(t, 0), step));
        sum += (double)cti_v3_norm2(own);
    }
    return sum;
}

/* T' times what `compliance` adds to H, times T */
static double cti_net_soft(const cti_net_run *run)
{
    const cti_net *net = run->net;
    double sum = 0;
    int k;
    for (k = 0; k < run->n && net->compliance; k++)
        sum += (double)(net->soft * net->compliance[run->on[k]] * cti_v3_norm2(cti_v3_at(run->T + 4 * (size_t)k, 0)));
    return sum;
}

CTI_FN int cti_net_cg(const cti_net *net, const ct_real *Y, int turns, ct_real enough, ct_real *X)
{
    cti_net_run run;
    double alpha = 0, beta = 0, least, curve, size, stiffest = 0, still;
    int c, turn;
    run.net = net, run.n = 0, run.R = net->work + 4 * (size_t)net->n, run.T = run.R + 4 * (size_t)net->m;
    run.on = (int32_t *)(void *)(run.T + 4 * (size_t)net->m);
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)net->m);
    memset(run.R, 0, sizeof(ct_real) * 8 * (size_t)net->m);
    for (c = 0; c < net->m; c++)
        if (net->mode[c]) {
            cti_v3 r = cti_net_part(net, c, cti_v3_at(Y, c));
            cti_v3_put(run.R + 4 * (size_t)run.n, 0, r);
            alpha += (double)cti_v3_norm2(r);
            run.on[run.n++] = c;
        }
    least = alpha * CTI_NET_ROUNDED * CTI_NET_ROUNDED;
    still = cti_net_still(net, enough);
    for (turn = 0; turn < turns && alpha > least; turn++) {
        size = cti_net_out(&run, turn ? (ct_real)(alpha / beta) : 0);
        curve = cti_net_masses(net, net->work) + cti_net_soft(&run);
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_NET_ROUNDED * stiffest * size)) /* in the null space, as far as rounding can tell */
            break;
        beta = alpha;
        alpha = cti_net_back(&run, (ct_real)(beta / curve), X);
        if (!(alpha <= CTI_NET_RISE * beta) || beta * (beta / curve) < still) {
            turn++;
            break;
        }
    }
    for (c = 0; c < net->m; c++) /* rounding, which a large X may have off its directions */
        if (net->mode[c])
            cti_v3_put(X, c, cti_net_part(net, c, cti_v3_at(X, c)));
    return turn;
}

/* ---- a correction ---- */

/* normal value of a collision */
static ct_real cti_net_level(const cti_net *net, const cti_net_goal *goal, const ct_real *Q, int c)
{
    return cti_v3_dot(cti_v3_at(net->normal, c), cti_v3_add(cti_net_value(net, Q, c), cti_v3_at(goal->extra, c)));
}

static ct_real cti_net_slack(const cti_net_goal *goal, int c) { return goal->slack ? goal->slack[c] : 0; }

/* collisions that would pull are left out, and with `joins` those that are violated join; x: the forces so far. u [4 n]: scratch. Returns 1 when one
   changed */
static int cti_net_revise(const cti_net *net, const ct_real *lack, int joins, ct_real *x, ct_real *u)
{
    int c, changed = 0;
    cti_net_normal_spread(net, x, u);
    for (c = 0; c < net->m; c++) {
        if (net->mode[c]) {
            if (x[c] >= 0)
                continue;
            net->mode[c] = CTI_NET_OFF;
            x[c] = 0;
            changed = 1;
        } else if (joins && cti_net_normal_value(net, u, c) < lack[c]) {
            net->mode[c] = CTI_NET_NORMAL;
            changed = 1;
        }
    }
    return changed;
}

/* y: what the equations of the whole forces ask for, x: the forces that they start from. Returns 1 when something is lacking */
static int cti_net_ask(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, const ct_real *Q, ct_real *x, ct_real *y)
{
    int c, need = 0;
    for (c = 0; c < net->m; c++) {
        x[c] = goal->base ? cti_v3_dot(cti_v3_at(net->normal, c), cti_v3_at(goal->base, c)) : 0;
        net->mode[c] = CTI_NET_NORMAL;
    }
    if (goal->base)
        cti_net_normal_product(net, x, y);
    else
        memset(y, 0, sizeof *y * (size_t)net->m);
    for (c = 0; c < net->m; c++) {
        ct_real lack = goal->target[c] - cti_net_level(net, goal, Q, c);
        int known = goal->base && goal->first[c] >= 0;
        if (goal->out && goal->out[c]) {
            net->mode[c] = CTI_NET_OFF, y[c] = -CTI_REAL_MAX / 1024;
            continue;
        }
        net->mode[c] = (uint8_t)(d->active_set == 0 || (known ? goal->first[c] > 0 : lack > -cti_net_slack(goal, c)) ? CTI_NET_NORMAL : CTI_NET_OFF);
        need |= lack > 0 || x[c] > 0;
        y[c] += d->active_set == 0 && !(x[c] > 0) ? cti_max(lack, 0) : lack;
    }
    return need;
}

/* *goal->lack of forces x whose equations ask for y. u [4 n]: scratch */
static void cti_net_lack(const cti_net *net, const cti_net_goal *goal, const ct_real *y, const ct_real *x, ct_real *u)
{
    int c;
    cti_net_normal_spread(net, x, u);
    for (c = 0; c < net->m; c++) {
        ct_real own = net->mode[c] && net->compliance ? net->soft * net->compliance[c] * x[c] : 0;
        if (!(goal->out && goal->out[c]))
            *goal->lack = cti_max(*goal->lack, (y[c] - cti_net_normal_value(net, u, c) - own) / cti_net_slack(goal, c));
    }
}

/* normal corrections of all collisions at once. Where rounds are used up, more of them only leave collisions out: a pull that is cut off without a
   solve leaves the pushes that it balanced, which crush a body */
static int cti_net_global(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, const ct_real *Q, ct_real *X)
{
    ct_real *y = net->work + 4 * (size_t)net->n, *x = y + net->m, *work = x + net->m;
    int c, round, turns, last;
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)net->m);
    if (!cti_net_ask(net, d, goal, Q, x, y))
        return 0;
    turns = last = cti_net_normal_cg(net, y, d->cg_turns, goal->enough, x, work);
    for (round = 0; round < 2 * d->active_set && cti_net_revise(net, y, round < d->active_set, x, net->work); round++)
        turns += last = cti_net_normal_cg(net, y, d->cg_turns, goal->enough, x, work);
    if (goal->lack && (last == d->cg_turns || round >= d->active_set))
        cti_net_lack(net, goal, y, x, net->work);
    for (c = 0; c < net->m; c++)
        cti_v3_put(X, c, cti_v3_mul(cti_v3_at(net->normal, c), d->active_set > 0 ? cti_max(x[c], 0) : x[c]));
    return cti_max_int(turns, 1);
}

/* changes Q by collision c's force x */
static void cti_net_add(const cti_net *net, int c, cti_v3 x, ct_real *Q)
{
    int k;
    for (k = net->start[c]; k < net->start[c + 1]; k++)
        cti_v3_addto(Q, net->particle[k], cti_net_inverse(net, net->particle[k], cti_v3_mul(x, net->S[k])));
}

static cti_v3 cti_net_tangent(const cti_net *net, int c, cti_v3 v)
{
    cti_v3 n = cti_v3_at(net->normal, c);
    return cti_v3_mad(v, n, -cti_v3_dot(n, v));
}

/* the mass of a collision in all directions in which no script holds it; in the others it is larger */
static ct_real cti_net_slide_mass(const cti_net *net, int c)
{
    ct_real w = cti_net_small(net, c);
    int k;
    for (k = net->start[c]; k < net->start[c + 1]; k++)
        w += net->S[k] * net->S[k] * net->inv[net->particle[k]];
    return 1 / w;
}

/* the whole friction of a collision becomes the one that stops it, within mu times its whole normal force. Returns twice the kinetic energy of the
   change */
static double cti_net_rub(const cti_net *net, const cti_net_goal *goal, int c, ct_real *Q, ct_real *X, uint8_t *stick)
{
    cti_v3 x = cti_v3_at(X, c), q = cti_v3_add(cti_net_value(net, Q, c), cti_v3_at(goal->extra, c)), t = cti_net_tangent(net, c, x), to;
    ct_real bound = goal->mu ? goal->mu[c] * cti_max(cti_v3_dot(cti_v3_at(net->normal, c), x), 0) : 0, mass = cti_net_slide_mass(net, c), size;
    to = cti_v3_mad(t, cti_net_tangent(net, c, q), -mass), size = cti_v3_norm(to);
    stick[c] = (uint8_t)(bound > 0 && size <= bound);
    t = cti_v3_sub(stick[c] ? to : cti_v3_mul(to, size > 0 ? bound / size : 0), t);
    cti_v3_addto(X, c, t);
    cti_net_add(net, c, t, Q);
    return (double)(cti_v3_norm2(t) / mass);
}

/* the successive scheme: normal and friction of each collision */
static int cti_net_successive(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, ct_real *Q, ct_real *X,
                              uint8_t *stick)
{
    int sweep, i, acted = 1;
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)net->m);
    if (goal->base)
        memcpy(X, goal->base, sizeof(ct_real) * 3 * (size_t)net->m);
    for (sweep = 0; sweep < d->sweeps && acted; sweep++)
        for (acted = 0, i = 0; i < net->m; i++) {
            int c = goal->order ? goal->order[i] : i;
            cti_v3 n = cti_v3_at(net->normal, c), x;
            ct_real lack = goal->target[c] - cti_net_level(net, goal, Q, c), push = cti_v3_dot(n, cti_v3_at(X, c));
            /* what the collision pushes from before may be too much */
            if (lack > 0 || (goal->base && lack < -cti_net_slack(goal, c) / 8 && push > 0)) {
                acted = 1;
                x = cti_v3_mul(n, cti_max(cti_net_normal_mass(net, c) * lack, -push));
                cti_v3_addto(X, c, x);
                cti_net_add(net, c, x, Q);
            }
            acted |= cti_net_rub(net, goal, c, Q, X, stick) > 0;
        }
    for (i = 0; goal->lack && acted && i < net->m; i++)
        if (!(goal->out && goal->out[i]))
            *goal->lack = cti_max(*goal->lack, (goal->target[i] - cti_net_level(net, goal, Q, i)) / cti_net_slack(goal, i));
    return sweep;
}

/* friction's forces F are cut to mu times the normal ones of X. stick: 0 afterwards where one was cut; NULL: it is not asked for. Returns 1
   when one was cut */
static int cti_net_cut(const cti_net *net, const cti_net_goal *goal, const ct_real *X, ct_real *F, uint8_t *stick)
{
    int c, cut = 0;
    for (c = 0; c < net->m; c++) {
        ct_real bound = goal->mu[c] * cti_max(cti_v3_dot(cti_v3_at(net->normal, c), cti_v3_at(X, c)), 0), size = cti_v3_norm(cti_v3_at(F, c));
        if (size <= bound)
            continue;
        cti_v3_put(F, c, cti_v3_mul(cti_v3_at(F, c), bound / size));
        if (stick)
            stick[c] = 0;
        cut = 1;
    }
    return cut;
}

/* net->work [3 n]: corrections by the forces F less what of base is along normals (along 1), or along tangents (0). scratch [3 m] */
static void cti_net_spread_more(const cti_net *net, const ct_real *base, const ct_real *F, int along, ct_real *scratch)
{
    int c;
    for (c = 0; c < net->m; c++) {
        cti_v3 b = base ? cti_v3_at(base, c) : cti_v3_zero(), t = cti_net_tangent(net, c, b);
        cti_v3_put(scratch, c, cti_v3_sub(cti_v3_at(F, c), along ? cti_v3_sub(b, t) : t));
    }
    cti_net_spread(net, scratch, net->work);
}

/* friction of all collisions at once; Q already has the normal corrections of X. F [3 m]: scratch, then friction's forces */
static int cti_net_friction(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, const ct_real *X, const ct_real *Q,
                            ct_real *F, uint8_t *stick)
{
    ct_real *Y = net->work + 4 * (size_t)net->n + 9 * (size_t)net->m, *G = Y + 3 * (size_t)net->m;
    int c, round, turns = 0, any = 0;
    for (c = 0; c < net->m; c++) {
        stick[c] = (uint8_t)(goal->mu[c] > 0 && cti_v3_dot(cti_v3_at(net->normal, c), cti_v3_at(X, c)) > 0);
        any |= stick[c];
    }
    memset(F, 0, sizeof(ct_real) * 3 * (size_t)net->m);
    for (c = 0; c < net->m && goal->base; c++)
        if (stick[c] && !cti_net_is_stiff(net, c)) /* on a stiff face forces that balance each other would stay for ever; those from 0 have none */
            cti_v3_put(F, c, cti_net_tangent(net, c, cti_v3_at(goal->base, c)));
    if (goal->base)
        cti_net_cut(net, goal, X, F, NULL);
    for (round = 0; any && round < CTI_NET_FRICTIONS; round++) {
        /* those that slide keep their force; the others stop what is left */
        cti_net_spread_more(net, goal->base, F, 0, G);
        for (c = 0; c < net->m; c++) {
            cti_v3 q = cti_v3_add(cti_v3_add(cti_net_value(net, Q, c), cti_net_value(net, net->work, c)), cti_v3_at(goal->extra, c));
            net->mode[c] = (uint8_t)(stick[c] ? CTI_NET_TANGENT : CTI_NET_OFF);
            cti_v3_put(Y, c, cti_v3_mul(q, -1));
        }
        turns += cti_net_cg(net, Y, d->cg_turns, goal->enough, G);
        for (c = 0; c < 3 * net->m; c++)
            F[c] += G[c];
        if (!cti_net_cut(net, goal, X, F, stick))
            break;
    }
    return turns;
}

CTI_FN ct_real cti_net_safe(const cti_net *net, const ct_real *V, const ct_real *dV)
{
    double slope = 0, curve = 0;
    int i;
    for (i = 0; i < net->n; i++)
        if (net->inv[i] > 0) {
            slope += (double)cti_v3_dot(cti_v3_at(V, i), cti_v3_at(dV, i)) / (double)net->inv[i];
            curve += (double)cti_v3_norm2(cti_v3_at(dV, i)) / (double)net->inv[i];
        }
    if (slope >= 0)
        return 0;
    return -2 * slope >= curve ? 1 : (ct_real)(-2 * slope / curve);
}

/* Q += the corrections by F beyond base, within the safeguard; F is scaled alike. scratch [3 m] */
static void cti_net_apply(const cti_net *net, const cti_net_goal *goal, int along, ct_real *F, ct_real *Q, ct_real *scratch)
{
    const ct_real *dQ = net->work;
    ct_real share;
    int k;
    cti_net_spread_more(net, goal->base, F, along, scratch);
    share = goal->is_speed ? cti_net_safe(net, Q, dQ) : 1;
    for (k = 0; k < 3 * net->n; k++)
        Q[k] += share * dQ[k];
    for (k = 0; k < 3 * net->m && share < 1; k++)
        F[k] *= share;
}

/* normals, then friction by what they push */
static int cti_net_pass(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, ct_real *Q, ct_real *X, uint8_t *stick)
{
    ct_real *F = net->work + 4 * (size_t)net->n + 15 * (size_t)net->m, *scratch = net->work + 4 * (size_t)net->n;
    double still = cti_net_still(net, goal->enough), moved = d->active_set > 0 ? still : -1;
    int k, turns, sweep;
    turns = cti_net_global(net, d, goal, Q, X);
    if (turns == 0)
        return 0;
    cti_net_apply(net, goal, 1, X, Q, scratch);
    if (goal->mu) {
        turns += cti_net_friction(net, d, goal, X, Q, F, stick);
        cti_net_apply(net, goal, 0, F, Q, scratch);
        for (k = 0; k < 3 * net->m; k++)
            X[k] += F[k];
        /* the only friction that stops what it can: sweeps, until none changes. A stiff particle does not move alone */
        for (sweep = 0; sweep < d->cg_turns && moved >= still; sweep++, turns++)
            for (moved = 0, k = 0; k < net->m; k++)
                moved += cti_net_is_stiff(net, k) ? 0 : cti_net_rub(net, goal, k, Q, X, stick);
    }
    return turns;
}

CTI_FN int cti_net_correct(const cti_net *net, const ct_geometric_desc *d, const cti_net_goal *goal, ct_real *Q, ct_real *X, uint8_t *stick)
{
    ct_real *base = net->work + 4 * (size_t)net->n + 18 * (size_t)net->m, *first = base + 3 * (size_t)net->m;
    cti_net_goal own = *goal;
    int c, pass, turns;
    memset(stick, 0, (size_t)net->m);
    if (d->scheme == CT_GEOMETRIC_SUCCESSIVE)
        return cti_net_successive(net, d, goal, Q, X, stick);
    turns = cti_net_pass(net, d, goal, Q, X, stick);
    for (pass = 1; pass < CTI_NET_PASSES && turns > 0 && goal->mu && net->stiff.n; pass++) {
        memcpy(base, X, sizeof *X * 3 * (size_t)net->m);
        for (c = 0; c < net->m; c++)
            first[c] = cti_v3_dot(cti_v3_at(net->normal, c), cti_v3_at(X, c));
        own.base = base, own.first = first;
        turns += cti_net_pass(net, d, &own, Q, X, stick);
    }
    return turns;
}
