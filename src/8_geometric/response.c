/* response.c -- corrections of all collisions as one system, or one after the other.
   Method: the global scheme solves H X = Y for all collisions (eq. 14) by conjugate gradients that start at X = 0, so that directions in
   which no collision is constrained stay 0. H is never formed: a product goes over the particles and back (eq. 16). The successive scheme
   corrects collision by collision, the nearest first, on the state already corrected, several times (sec. 3.1).
   differs: a normal correction is a force along the normal also where inverse masses are matrices, so that it keeps the angular momentum.
   differs: collisions only push. After a solve those that would pull are left out, those that are violated join, and the solve goes on from
   where it is (active_set 0: all collisions are equations, as in the paper).
   differs: friction is bounded by the correction that the solve gave the collision, delta Q_c = M_c^-1 X_c, not by the wanted one, which in
   a pile is 0 above the lowest layer. It is swept until each collision stops, or is at its bound: the answer then does not depend on the order
   in which bounds are found. based on: Volino, Magnenat-Thalmann 2000, sec. 2.2, 3 and 4.1. */
#include "response.h"

CTI_FN cti_v3 cti_response_value(const cti_response *sys, const ct_real *Q, int c)
{
    cti_v3 sum = cti_v3_zero();
    int k;
    for (k = sys->start[c]; k < sys->start[c + 1]; k++)
        sum = cti_v3_mad(sum, cti_v3_at(Q, sys->particle[k]), sys->S[k]);
    return sum;
}

CTI_FN cti_v3 cti_response_inverse(const cti_response *sys, int i, cti_v3 v)
{
    if (sys->filter && sys->filter[i] >= 0)
        v = cti_m3_mul_v(sys->projectors + 9 * (size_t)sys->filter[i], v);
    return cti_v3_mul(v, sys->inv[i]);
}

/* returns the small scalar that is added to a collision's M_c^-1 */
static ct_real cti_response_epsilon(const cti_response *sys, int c)
{
    ct_real big = 0;
    int k;
    for (k = sys->start[c]; k < sys->start[c + 1]; k++)
        big = cti_max(big, sys->inv[sys->particle[k]]);
    return big > 0 ? cti_geometric_tuned.correct.epsilon * big : 1;
}

CTI_FN ct_real cti_response_normal_mass(const cti_response *sys, int c)
{
    cti_v3 n = cti_v3_at(sys->normal, c);
    ct_real w = cti_response_epsilon(sys, c);
    int k;
    for (k = sys->start[c]; k < sys->start[c + 1]; k++)
        w += sys->S[k] * sys->S[k] * cti_v3_dot(n, cti_response_inverse(sys, sys->particle[k], n));
    return 1 / (sys->compliance ? cti_max(w, sys->compliance[c]) : w);
}

CTI_FN void cti_response_spread(const cti_response *sys, const ct_real *X, ct_real *out)
{
    int c, i, k;
    memset(out, 0, sizeof(ct_real) * 3 * (size_t)sys->n);
    for (c = 0; c < sys->m; c++) {
        cti_v3 x = cti_v3_at(X, c);
        for (k = sys->start[c]; k < sys->start[c + 1]; k++)
            cti_v3_addto(out, sys->particle[k], cti_v3_mul(x, sys->S[k]));
    }
    for (i = 0; i < sys->stiff.n; i++)
        cti_v3_put(sys->stiff.f, i, cti_v3_at(out, sys->stiff.particles[i]));
    for (i = 0; i < sys->n; i++)
        cti_v3_put(out, i, cti_response_inverse(sys, i, cti_v3_at(out, i)));
    if (sys->stiff.n)
        sys->stiff.solve(sys->stiff.ctx, sys->stiff.f);
    for (i = 0; i < sys->stiff.n; i++)
        cti_v3_put(out, sys->stiff.particles[i], cti_v3_at(sys->stiff.f, i));
}

/* returns the part of v in the directions of the collision's mode */
static cti_v3 cti_response_mode_part(const cti_response *sys, int c, cti_v3 v)
{
    cti_v3 n = cti_v3_at(sys->normal, c);
    switch (sys->mode[c]) {
    case CTI_RESPONSE_NORMAL:
        return cti_v3_mul(n, cti_v3_dot(n, v));
    case CTI_RESPONSE_TANGENT:
        return cti_v3_mad(v, n, -cti_v3_dot(n, v));
    case CTI_RESPONSE_ALL:
        return v;
    default:
        return cti_v3_zero();
    }
}

CTI_FN ct_real cti_response_body_weight(const cti_response *sys, int c, int k)
{
    int body = sys->stiff.n ? sys->stiff.body_of[sys->particle[k]] : -1, j;
    ct_real sum = 0;
    for (j = sys->start[c]; body >= 0 && j < sys->start[c + 1]; j++) {
        int same = sys->stiff.body_of[sys->particle[j]] == body;
        if (same && j < k)
            return 0;
        sum += same ? sys->S[j] : 0;
    }
    return sum;
}

/* returns 1 where a collision moves a stiff particle */
static int cti_response_is_stiff(const cti_response *sys, int c)
{
    int k;
    for (k = sys->start[c]; sys->stiff.n && k < sys->start[c + 1]; k++)
        if (sys->stiff.body_of[sys->particle[k]] >= 0)
            return 1;
    return 0;
}

CTI_FN void cti_response_shares(const cti_response *sys, const ct_real *w, ct_real *out)
{
    ct_real *u = sys->work, *all_of = u + sys->n; /* of the particles; of bodies as a whole, which are fewer */
    int c, k;
    memset(u, 0, sizeof(ct_real) * 2 * (size_t)sys->n);
    for (c = 0; c < sys->m; c++)
        for (k = sys->start[c]; w[c] > 0 && k < sys->start[c + 1]; k++) {
            u[sys->particle[k]] += w[c] * cti_abs(sys->S[k]);
            if (sys->stiff.n && sys->stiff.body_of[sys->particle[k]] >= 0)
                all_of[sys->stiff.body_of[sys->particle[k]]] += w[c] * cti_abs(cti_response_body_weight(sys, c, k));
        }
    for (c = 0; c < sys->m; c++) {
        ct_real own = 0, all = 0;
        for (k = sys->start[c]; w[c] > 0 && k < sys->start[c + 1]; k++) {
            int i = sys->particle[k];
            own += w[c] * sys->inv[i] * sys->S[k] * sys->S[k];
            all += sys->inv[i] * cti_abs(sys->S[k]) * u[i];
            if (sys->stiff.n && sys->stiff.body_of[i] >= 0) {
                ct_real whole = sys->stiff.body_inverse_mass[sys->stiff.body_of[i]], S = cti_abs(cti_response_body_weight(sys, c, k));
                own += w[c] * whole * S * S, all += whole * S * all_of[sys->stiff.body_of[i]];
            }
        }
        out[c] = all > 0 ? own / all : 1;
    }
}

/* ---- the global scheme ---- */

CTI_FN double cti_response_tolerance_energy(const cti_response *sys, ct_real tolerance)
{
    const ct_real *inv = sys->stiff.n ? sys->stiff.inv : sys->inv;
    double light = 0, sum = 0;
    int i;
    for (i = 0; i < sys->n && tolerance > 0; i++)
        light = cti_fmax(light, (double)inv[i]);
    for (i = 0; i < sys->n && tolerance > 0; i++)
        if (inv[i] > 0)
            sum += cti_fmin(1 / (double)inv[i], 4 / light);
    return sum * (double)tolerance * (double)tolerance;
}

/* cti_response_run -- holds the collisions of a solve that are on; four numbers a particle and a collision, so that each is one vector. */
typedef struct cti_response_run {
    const cti_response *system;
    int n;          /* collisions */
    int32_t *on;    /* [n] */
    ct_real *R, *T; /* [4 n] residuals, direction */
} cti_response_run;

/* sets T = R + keep T, and sys->work to the forces of T. Returns T'T; *own: T' times what `compliance` adds to H, times T */
static double cti_response_direction(const cti_response_run *run, ct_real keep, double *own)
{
    const cti_response *sys = run->system;
    double size = 0;
    *own = 0;
    int j, k, e;
    memset(sys->work, 0, sizeof(ct_real) * 4 * (size_t)sys->n);
    for (k = 0; k < run->n; k++) {
        const ct_real *r = run->R + 4 * (size_t)k;
        ct_real *t = run->T + 4 * (size_t)k;
        int c = run->on[k], end = sys->start[c + 1];
        for (j = 0; j < 4; j++)
            t[j] = r[j] + keep * t[j];
        size += (double)(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        *own += sys->compliance ? (double)(sys->compliance_factor * sys->compliance[c] * cti_v3_norm2(cti_v3_at(t, 0))) : 0;
        for (e = sys->start[c]; e < end; e++) {
            ct_real *to = sys->work + 4 * (size_t)sys->particle[e], w = sys->S[e];
            for (j = 0; j < 4; j++)
                to[j] += w * t[j];
        }
    }
    return size;
}

/* makes a step along T, whose corrections are sys->work. Returns R'R */
static double cti_response_step(const cti_response_run *run, ct_real step, ct_real *X)
{
    const cti_response *sys = run->system;
    double sum = 0;
    int j, k, e;
    for (k = 0; k < run->n; k++) {
        const ct_real *t = run->T + 4 * (size_t)k;
        ct_real *r = run->R + 4 * (size_t)k, q[4] = {0, 0, 0, 0};
        int c = run->on[k], end = sys->start[c + 1];
        cti_v3 own;
        for (e = sys->start[c]; e < end; e++) {
            const ct_real *from = sys->work + 4 * (size_t)sys->particle[e];
            for (j = 0; j < 4; j++)
                q[j] += sys->S[e] * from[j];
        }
        own = cti_v3_mad(cti_v3_at(q, 0), cti_v3_at(t, 0), sys->compliance ? sys->compliance_factor * sys->compliance[c] : 0);
        own = cti_v3_mad(cti_v3_at(r, 0), cti_response_mode_part(sys, c, own), -step);
        cti_v3_put(r, 0, own);
        cti_v3_addto(X, c, cti_v3_mul(cti_v3_at(t, 0), step));
        sum += (double)cti_v3_norm2(own);
    }
    return sum;
}

CTI_FN int cti_response_cg(const cti_response *sys, const ct_real *Y, int turns, ct_real tolerance, ct_real *X)
{
    cti_response_run run;
    double alpha = 0, beta = 0, least, curve, size, own, stiffest = 0, least_energy;
    int c, turn;
    run.system = sys, run.n = 0, run.R = sys->work + 4 * (size_t)sys->n, run.T = run.R + 4 * (size_t)sys->m;
    run.on = (int32_t *)(void *)(run.T + 4 * (size_t)sys->m);
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)sys->m);
    memset(run.R, 0, sizeof(ct_real) * 8 * (size_t)sys->m);
    for (c = 0; c < sys->m; c++)
        if (sys->mode[c]) {
            cti_v3 r = cti_response_mode_part(sys, c, cti_v3_at(Y, c));
            cti_v3_put(run.R + 4 * (size_t)run.n, 0, r);
            alpha += (double)cti_v3_norm2(r);
            run.on[run.n++] = c;
        }
    least = alpha * CTI_RESPONSE_ROUNDED * CTI_RESPONSE_ROUNDED;
    least_energy = cti_response_tolerance_energy(sys, tolerance);
    for (turn = 0; turn < turns && alpha > least; turn++) {
        size = cti_response_direction(&run, turn ? (ct_real)(alpha / beta) : 0, &own);
        curve = cti_response_inverse_all(sys, sys->work) + own;
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_RESPONSE_ROUNDED * stiffest * size)) /* in the null space, as far as rounding can tell */
            break;
        beta = alpha;
        alpha = cti_response_step(&run, (ct_real)(beta / curve), X);
        if (!(alpha <= cti_geometric_tuned.correct.diverged * beta) || beta * (beta / curve) < least_energy) {
            turn++;
            break;
        }
    }
    for (c = 0; c < sys->m; c++) /* rounding, which a large X may have off its directions */
        if (sys->mode[c])
            cti_v3_put(X, c, cti_response_mode_part(sys, c, cti_v3_at(X, c)));
    return turn;
}

/* ---- a correction ---- */

/* returns the normal value of a collision */
static ct_real cti_response_goal_value(const cti_response *sys, const cti_response_goal *goal, const ct_real *Q, int c)
{
    return cti_v3_dot(cti_v3_at(sys->normal, c), cti_v3_add(cti_response_value(sys, Q, c), cti_v3_at(goal->offset, c)));
}

static ct_real cti_response_slack(const cti_response_goal *goal, int c) { return goal->slack ? goal->slack[c] : 0; }

/* returns the normal force that a collision's solve starts from */
static ct_real cti_response_start(const cti_response *sys, const cti_response_goal *goal, int c)
{
    return goal->warm_start ? cti_v3_dot(cti_v3_at(sys->normal, c), cti_v3_at(goal->warm_start, c)) : 0;
}

/* makes collisions stiffer whose compliance gives by more than they may miss their law, under forces x, and right sides y those of them. Returns 1
   when it did */
static int cti_response_stiffen(const cti_response *sys, const cti_response_goal *goal, const ct_real *x, ct_real *softness, ct_real *y)
{
    int c, stiffer = 0;
    for (c = 0; c < sys->m && sys->least; c++) {
        ct_real start = cti_response_start(sys, goal, c), soft = cti_response_normal_compliance(sys, c), gives = soft * cti_abs(x[c] - start);
        ct_real may = cti_response_slack(goal, c) * cti_geometric_tuned.implicit.law / cti_geometric_tuned.correct.within;
        ct_real least = sys->least[c] * sys->compliance_factor;
        if (!sys->mode[c] || !(gives > 2 * may) || !(softness[c] > 2 * least))
            continue;
        softness[c] = cti_max(softness[c] * may / gives, least), stiffer = 1;
        y[c] += (cti_response_normal_compliance(sys, c) - soft) * start;
    }
    return stiffer;
}

/* leaves out collisions that would pull, and with `joins` lets those that are violated join; x: the forces so far. u [4 n] is scratch. Returns 1 when
   one changed */
static int cti_response_update_active_set(const cti_response *sys, const ct_real *lack, int joins, ct_real *x, ct_real *u)
{
    int c, changed = 0;
    cti_response_normal_spread(sys, x, u);
    for (c = 0; c < sys->m; c++) {
        if (sys->mode[c]) {
            if (x[c] >= 0)
                continue;
            sys->mode[c] = CTI_RESPONSE_OFF;
            x[c] = 0;
            changed = 1;
        } else if (joins && cti_response_normal_value(sys, u, c) < lack[c]) {
            sys->mode[c] = CTI_RESPONSE_NORMAL;
            changed = 1;
        }
    }
    return changed;
}

/* sets y to the right side of the equations of the whole forces, and x to the forces that they start from. Returns 1 when something is lacking */
static int cti_response_right_side(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, const ct_real *Q, ct_real *x,
                                   ct_real *y)
{
    int c, need = 0;
    for (c = 0; c < sys->m; c++) {
        x[c] = cti_response_start(sys, goal, c);
        sys->mode[c] = CTI_RESPONSE_NORMAL;
    }
    if (goal->warm_start)
        cti_response_normal_product(sys, x, y);
    else
        memset(y, 0, sizeof *y * (size_t)sys->m);
    for (c = 0; c < sys->m; c++) {
        ct_real lack = goal->target[c] - cti_response_goal_value(sys, goal, Q, c);
        int known = goal->warm_start && goal->start_force[c] >= 0;
        if (goal->excluded && goal->excluded[c]) {
            sys->mode[c] = CTI_RESPONSE_OFF, y[c] = -CTI_REAL_MAX / 1024;
            continue;
        }
        sys->mode[c] = (uint8_t)(d->active_set == 0 || (known ? goal->start_force[c] > 0 : lack > -cti_response_slack(goal, c))
                                     ? CTI_RESPONSE_NORMAL
                                     : CTI_RESPONSE_OFF);
        need |= lack > 0 || x[c] > 0;
        y[c] += d->active_set == 0 && !(x[c] > 0) ? cti_max(lack, 0) : lack;
    }
    return need;
}

/* raises *goal->shortfall to that of forces x whose equations have the right side y. u [4 n] is scratch */
static void cti_response_shortfall(const cti_response *sys, const cti_response_goal *goal, const ct_real *y, const ct_real *x, ct_real *u)
{
    int c;
    cti_response_normal_spread(sys, x, u);
    for (c = 0; c < sys->m; c++) {
        ct_real soft = sys->mode[c] ? cti_response_normal_compliance(sys, c) : 0, start = cti_response_start(sys, goal, c);
        ct_real own = soft * start + cti_min(soft * (x[c] - start), cti_response_slack(goal, c)); /* what it gives beyond is missing */
        if (!(goal->excluded && goal->excluded[c]))
            *goal->shortfall = cti_max(*goal->shortfall, (y[c] - cti_response_normal_value(sys, u, c) - own) / cti_response_slack(goal, c));
    }
}

/* solves for normal corrections of all collisions at once. Where rounds are used up, more of them only leave collisions out: a pull that is cut off
   without a solve leaves the pushes that it balanced, which crush a body */
static int cti_response_solve_normals(const cti_response *given, const ct_geometric_desc *d, const cti_response_goal *goal, const ct_real *Q,
                                      ct_real *X)
{
    ct_real *y = given->work + 4 * (size_t)given->n, *x = y + given->m, *work = x + given->m, *softness = work + 2 * (size_t)given->m;
    int c, round, pass = 0, turns = 0, last_turns;
    cti_response own = *given;
    const cti_response *sys = &own;
    for (c = 0; c < sys->m; c++)
        softness[c] = sys->compliance_factor;
    own.softness = softness;
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)sys->m);
    if (!cti_response_right_side(sys, d, goal, Q, x, y))
        return 0;
    do {
        turns += last_turns = cti_response_normal_cg(sys, y, d->cg_turns, goal->tolerance, x, work);
        for (round = 0; round < 2 * d->active_set && cti_response_update_active_set(sys, y, round < d->active_set, x, sys->work); round++)
            turns += last_turns = cti_response_normal_cg(sys, y, d->cg_turns, goal->tolerance, x, work);
    } while (++pass < d->active_set && cti_response_stiffen(sys, goal, x, softness, y));
    if (goal->shortfall && (last_turns == d->cg_turns || round >= d->active_set || pass >= d->active_set))
        cti_response_shortfall(sys, goal, y, x, sys->work);
    for (c = 0; c < sys->m; c++)
        cti_v3_put(X, c, cti_v3_mul(cti_v3_at(sys->normal, c), d->active_set > 0 ? cti_max(x[c], 0) : x[c]));
    return cti_max_int(turns, 1);
}

/* changes Q by collision c's force x */
static void cti_response_add_impulse(const cti_response *sys, int c, cti_v3 x, ct_real *Q)
{
    int k;
    for (k = sys->start[c]; k < sys->start[c + 1]; k++)
        cti_v3_addto(Q, sys->particle[k], cti_response_inverse(sys, sys->particle[k], cti_v3_mul(x, sys->S[k])));
}

static cti_v3 cti_response_tangent(const cti_response *sys, int c, cti_v3 v)
{
    cti_v3 n = cti_v3_at(sys->normal, c);
    return cti_v3_mad(v, n, -cti_v3_dot(n, v));
}

/* returns the mass of a collision in all directions in which no script holds it; in the others it is larger */
static ct_real cti_response_tangent_mass(const cti_response *sys, int c)
{
    ct_real w = cti_response_epsilon(sys, c);
    int k;
    for (k = sys->start[c]; k < sys->start[c + 1]; k++)
        w += sys->S[k] * sys->S[k] * sys->inv[sys->particle[k]];
    return 1 / w;
}

/* changes the whole friction of a collision to the one that stops it, within mu times its whole normal force. Returns twice the kinetic energy of the
   change */
static double cti_response_stick_or_slide(const cti_response *sys, const cti_response_goal *goal, int c, ct_real *Q, ct_real *X, uint8_t *stick)
{
    cti_v3 x = cti_v3_at(X, c), q = cti_v3_add(cti_response_value(sys, Q, c), cti_v3_at(goal->offset, c)), t = cti_response_tangent(sys, c, x), to;
    ct_real bound = goal->mu ? goal->mu[c] * cti_max(cti_v3_dot(cti_v3_at(sys->normal, c), x), 0) : 0, mass = cti_response_tangent_mass(sys, c), size;
    to = cti_v3_mad(t, cti_response_tangent(sys, c, q), -mass), size = cti_v3_norm(to);
    stick[c] = (uint8_t)(bound > 0 && size <= bound);
    t = cti_v3_sub(stick[c] ? to : cti_v3_mul(to, size > 0 ? bound / size : 0), t);
    cti_v3_addto(X, c, t);
    cti_response_add_impulse(sys, c, t, Q);
    return (double)(cti_v3_norm2(t) / mass);
}

/* corrects normal and friction of one collision after the other: the successive scheme */
static int cti_response_successive(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, ct_real *Q, ct_real *X,
                              uint8_t *stick)
{
    int sweep, i, acted = 1;
    memset(X, 0, sizeof(ct_real) * 3 * (size_t)sys->m);
    if (goal->warm_start)
        memcpy(X, goal->warm_start, sizeof(ct_real) * 3 * (size_t)sys->m);
    for (sweep = 0; sweep < d->sweeps && acted; sweep++)
        for (acted = 0, i = 0; i < sys->m; i++) {
            int c = goal->order ? goal->order[i] : i;
            cti_v3 n = cti_v3_at(sys->normal, c), x;
            ct_real lack = goal->target[c] - cti_response_goal_value(sys, goal, Q, c), push = cti_v3_dot(n, cti_v3_at(X, c));
            /* what the collision pushes from before may be too much */
            if (lack > 0 || (goal->warm_start && lack < -cti_response_slack(goal, c) / 8 && push > 0)) {
                acted = 1;
                x = cti_v3_mul(n, cti_max(cti_response_normal_mass(sys, c) * lack, -push));
                cti_v3_addto(X, c, x);
                cti_response_add_impulse(sys, c, x, Q);
            }
            acted |= cti_response_stick_or_slide(sys, goal, c, Q, X, stick) > 0;
        }
    for (i = 0; goal->shortfall && acted && i < sys->m; i++)
        if (!(goal->excluded && goal->excluded[i]))
            *goal->shortfall = cti_max(*goal->shortfall, (goal->target[i] - cti_response_goal_value(sys, goal, Q, i)) / cti_response_slack(goal, i));
    return sweep;
}

/* clamps friction's forces F to mu times the normal ones of X. stick: 0 afterwards where one was clamped; NULL: it is not asked for. Returns 1
   when one was clamped */
static int cti_response_clamp_friction(const cti_response *sys, const cti_response_goal *goal, const ct_real *X, ct_real *F, uint8_t *stick)
{
    int c, cut = 0;
    for (c = 0; c < sys->m; c++) {
        ct_real bound = goal->mu[c] * cti_max(cti_v3_dot(cti_v3_at(sys->normal, c), cti_v3_at(X, c)), 0), size = cti_v3_norm(cti_v3_at(F, c));
        if (size <= bound)
            continue;
        cti_v3_put(F, c, cti_v3_mul(cti_v3_at(F, c), bound / size));
        if (stick)
            stick[c] = 0;
        cut = 1;
    }
    return cut;
}

/* sets sys->work [3 n] to corrections by the forces F less what of `base` is along normals (along 1), or along tangents (0). scratch [3 m] */
static void cti_response_spread_change(const cti_response *sys, const ct_real *base, const ct_real *F, int along, ct_real *scratch)
{
    int c;
    for (c = 0; c < sys->m; c++) {
        cti_v3 b = base ? cti_v3_at(base, c) : cti_v3_zero(), t = cti_response_tangent(sys, c, b);
        cti_v3_put(scratch, c, cti_v3_sub(cti_v3_at(F, c), along ? cti_v3_sub(b, t) : t));
    }
    cti_response_spread(sys, scratch, sys->work);
}

/* solves for friction F [3 m] of all collisions at once; Q already has the normal corrections of X */
static int cti_response_solve_friction(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, const ct_real *X,
                                       const ct_real *Q, ct_real *F, uint8_t *stick)
{
    ct_real *Y = sys->work + 4 * (size_t)sys->n + 9 * (size_t)sys->m, *G = Y + 3 * (size_t)sys->m;
    int c, round, turns = 0, any = 0;
    for (c = 0; c < sys->m; c++) {
        stick[c] = (uint8_t)(goal->mu[c] > 0 && cti_v3_dot(cti_v3_at(sys->normal, c), cti_v3_at(X, c)) > 0);
        any |= stick[c];
    }
    memset(F, 0, sizeof(ct_real) * 3 * (size_t)sys->m);
    for (c = 0; c < sys->m && goal->warm_start; c++)
        if (stick[c] && !cti_response_is_stiff(sys, c)) /* on a stiff face forces that balance each other would stay; solves from 0 have none */
            cti_v3_put(F, c, cti_response_tangent(sys, c, cti_v3_at(goal->warm_start, c)));
    if (goal->warm_start)
        cti_response_clamp_friction(sys, goal, X, F, NULL);
    for (round = 0; any && round < cti_geometric_tuned.correct.friction; round++) {
        /* those that slide keep their force; the others stop what is left */
        cti_response_spread_change(sys, goal->warm_start, F, 0, G);
        for (c = 0; c < sys->m; c++) {
            cti_v3 q = cti_v3_add(cti_v3_add(cti_response_value(sys, Q, c), cti_response_value(sys, sys->work, c)), cti_v3_at(goal->offset, c));
            sys->mode[c] = (uint8_t)(stick[c] ? CTI_RESPONSE_TANGENT : CTI_RESPONSE_OFF);
            cti_v3_put(Y, c, cti_v3_mul(q, -1));
        }
        turns += cti_response_cg(sys, Y, d->cg_turns, goal->tolerance, G);
        for (c = 0; c < 3 * sys->m; c++)
            F[c] += G[c];
        if (!cti_response_clamp_friction(sys, goal, X, F, stick))
            break;
    }
    return turns;
}

CTI_FN ct_real cti_response_safe_share(const cti_response *sys, const ct_real *V, const ct_real *dV)
{
    double slope = 0, curve = 0;
    int i;
    for (i = 0; i < sys->n; i++)
        if (sys->inv[i] > 0) {
            slope += (double)cti_v3_dot(cti_v3_at(V, i), cti_v3_at(dV, i)) / (double)sys->inv[i];
            curve += (double)cti_v3_norm2(cti_v3_at(dV, i)) / (double)sys->inv[i];
        }
    if (slope >= 0)
        return 0;
    return -2 * slope >= curve ? 1 : (ct_real)(-2 * slope / curve);
}

/* adds the corrections by F beyond the warm start to Q, within the safeguard; F is scaled alike. scratch [3 m] */
static void cti_response_apply(const cti_response *sys, const cti_response_goal *goal, int along, ct_real *F, ct_real *Q, ct_real *scratch)
{
    const ct_real *dQ = sys->work;
    ct_real share;
    int k;
    cti_response_spread_change(sys, goal->warm_start, F, along, scratch);
    share = goal->is_speed ? cti_response_safe_share(sys, Q, dQ) : 1;
    for (k = 0; k < 3 * sys->n; k++)
        Q[k] += share * dQ[k];
    for (k = 0; k < 3 * sys->m && share < 1; k++)
        F[k] *= share;
}

/* solves for normals, then for friction within mu times what they push */
static int cti_response_pass(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, ct_real *Q, ct_real *X,
                             uint8_t *stick)
{
    ct_real *F = sys->work + 4 * (size_t)sys->n + 15 * (size_t)sys->m, *scratch = sys->work + 4 * (size_t)sys->n;
    double least_energy = cti_response_tolerance_energy(sys, goal->tolerance), energy = d->active_set > 0 ? least_energy : -1;
    int k, turns, sweep;
    turns = cti_response_solve_normals(sys, d, goal, Q, X);
    if (turns == 0)
        return 0;
    cti_response_apply(sys, goal, 1, X, Q, scratch);
    if (goal->mu) {
        turns += cti_response_solve_friction(sys, d, goal, X, Q, F, stick);
        cti_response_apply(sys, goal, 0, F, Q, scratch);
        for (k = 0; k < 3 * sys->m; k++)
            X[k] += F[k];
        /* the only friction that stops what it can: sweeps, until none changes. A stiff particle does not move alone */
        for (sweep = 0; sweep < d->cg_turns && energy >= least_energy; sweep++, turns++)
            for (energy = 0, k = 0; k < sys->m; k++)
                energy += cti_response_is_stiff(sys, k) ? 0 : cti_response_stick_or_slide(sys, goal, k, Q, X, stick);
    }
    return turns;
}

CTI_FN int cti_response_correct(const cti_response *sys, const ct_geometric_desc *d, const cti_response_goal *goal, ct_real *Q, ct_real *X,
                                uint8_t *stick)
{
    ct_real *base = sys->work + 4 * (size_t)sys->n + 18 * (size_t)sys->m, *first = base + 3 * (size_t)sys->m;
    cti_response_goal own = *goal;
    int c, pass, turns;
    memset(stick, 0, (size_t)sys->m);
    if (d->scheme == CT_GEOMETRIC_SUCCESSIVE)
        return cti_response_successive(sys, d, goal, Q, X, stick);
    turns = cti_response_pass(sys, d, goal, Q, X, stick);
    for (pass = 1; pass < cti_geometric_tuned.correct.passes && turns > 0 && goal->mu && sys->stiff.n; pass++) {
        memcpy(base, X, sizeof *X * 3 * (size_t)sys->m);
        for (c = 0; c < sys->m; c++)
            first[c] = cti_v3_dot(cti_v3_at(sys->normal, c), cti_v3_at(X, c));
        own.warm_start = base, own.start_force = first;
        turns += cti_response_pass(sys, d, &own, Q, X, stick);
    }
    return turns;
}
