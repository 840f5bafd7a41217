/* balance.c -- momenta of an island's components after a solve that left a residual.
   Method: sweeps over nodes leave a residual r that is small at each node compared with the node's stiffness, but whose sum over a
   component is an error of its momentum. A shift of the component's velocity would remove the error, and violate its contacts by as much.
   So it is first transferred to the loaded contacts: by the smallest change of their multipliers, relative to each one's load and room in
   its cone, whose sums are those of r with the opposite sign. The normal equations have three unknowns a component. What no contact can
   take goes to the velocities, so that momentum is kept to rounding. */
#include "balance.h"
#include "policy_numbers.h"
#include "integrate.h"
#include "wind.h"

/* a rigid body's two blocks are not coupled: their residual r is transferred exactly */
static void cti_balance_rigid(const cti_state *s, const cti_component *q, const int32_t *at, const ct_real *r, ct_real *v)
{
    const int32_t *blocks = s->factors.blocks + q->begin;
    int k;
    for (k = 0; k < q->end - q->begin; k++) {
        ct_real inverse[9];
        if (cti_m3_inverse(s->system.A.val + 9 * (size_t)s->system.A.diag[blocks[k]], inverse))
            cti_v3_addto(v, at[k], cti_m3_mul_v(inverse, cti_v3_at(r, at[k])));
    }
}

/* sum of r, less the momentum at velocities v unless they are NULL, and mass with its damping over h; 0 if a script or air acts on a block, or there
   is no mass */
static ct_real cti_balance_sum(const cti_state *s, ct_real h, const cti_component *q, const int32_t *at, const ct_real *r, const ct_real *v,
                               cti_v3 *sum)
{
    const int32_t *blocks = s->factors.blocks + q->begin;
    ct_real m = 0;
    int k, n = q->end - q->begin, held = 0;
    *sum = cti_v3_zero();
    for (k = 0; k < n; k++) {
        ct_real mass = s->bodies.mass[blocks[k]] * (1 + h * s->bodies.alpha[blocks[k]]);
        held |= (s->scripts.n_constrained && s->scripts.filter[blocks[k]] >= 0) || cti_wind_is_on(s, blocks[k]);
        if (!(s->bodies.mass[blocks[k]] > 0)) /* an angular block */
            continue;
        *sum = cti_v3_add(*sum, v ? cti_v3_mad(cti_v3_at(r, at[k]), cti_v3_at(v, at[k]), -mass) : cti_v3_at(r, at[k]));
        m += mass;
    }
    return held ? 0 : m;
}

/* a component moves by what it lacks of its momentum */
static void cti_balance_move(const cti_component *q, const int32_t *at, cti_v3 lack, ct_real m, ct_real *v)
{
    int k;
    for (k = 0; m > 0 && k < q->end - q->begin; k++)
        cti_v3_addto(v, at[k], cti_v3_mul(lack, 1 / m));
}

CTI_FN void cti_balance_component(const cti_state *s, ct_real dt, const cti_component *q, const int32_t *at, const ct_real *r, ct_real *v)
{
    cti_v3 sum;
    int first = s->factors.blocks[q->begin];
    ct_real m;
    if (s->bodies.rigid_of[first] >= 0) {
        cti_balance_rigid(s, q, at, r, v);
        return;
    }
    m = cti_balance_sum(s, cti_integrate_h(s, first, dt), q, at, r, NULL, &sum);
    cti_balance_move(q, at, sum, m, v);
}

CTI_FN void cti_balance_momentum(const cti_state *s, ct_real h, const cti_component *q, const ct_real *y, ct_real *v)
{
    const int32_t *blocks = s->factors.blocks + q->begin;
    cti_v3 lack;
    ct_real m = cti_balance_sum(s, h, q, blocks, y, v, &lack);
    cti_balance_move(q, blocks, lack, m, v);
}

/* directions in which a row's multipliers may change, with their room */
typedef struct cti_balance_ways {
    int n;
    cti_v3 way[3], axis[3]; /* in the world; in the row's frame */
    double room[3];         /* [N s] */
} cti_balance_ways;

static void cti_balance_way(cti_balance_ways *w, const cti_row *row, cti_v3 axis, ct_real room)
{
    if (!(room > 0))
        return;
    w->axis[w->n] = axis;
    w->way[w->n] = cti_v3_mad(cti_v3_mad(cti_v3_mul(cti_v3_at(row->frame, 0), axis.x), cti_v3_at(row->frame, 1), axis.y),
                              cti_v3_at(row->frame, 2), axis.z);
    w->room[w->n++] = (double)room;
}

/* a contact's multipliers change along themselves and, if it sticks, also across; a joint's along its equations. load: [N s] average load of a row */
static void cti_balance_look(cti_balance_ways *w, const cti_row *row, ct_real load)
{
    int k;
    w->n = 0;
    if (row->equations) {
        for (k = 0; k < 3; k++)
            if (row->equations >> k & 1)
                cti_balance_way(w, row, cti_v3_make((ct_real)(k == 0), (ct_real)(k == 1), (ct_real)(k == 2)),
                                row->most > 0 ? (row->most - cti_v3_norm(cti_v3_at(row->r, 0))) / 2 : cti_abs(row->r[k]) + load);
        return;
    }
    if (!(row->r[0] > 0))
        return;
    cti_balance_way(w, row, cti_v3_make(1, row->r[1] / row->r[0], row->r[2] / row->r[0]), row->r[0]);
    for (k = 1; k < 3; k++)
        cti_balance_way(w, row, cti_v3_make(0, (ct_real)(k == 1), (ct_real)(k == 2)),
                        (row->mu * row->r[0] - cti_sqrt(row->r[1] * row->r[1] + row->r[2] * row->r[2])) / 2);
}

/* the components that a row acts on, and the share of its multiplier that each gets; returns their number */
static int cti_balance_sides(const cti_row *row, const int32_t *of, const uint8_t *is_free, int32_t *c, double *share)
{
    int k, j, n = 0;
    for (k = 0; k < row->n; k++) {
        int at = of[row->term[k].block];
        double w = (double)row->term[k].weight; /* terms of side b have the opposite sign */
        if (!is_free[at])
            continue;
        for (j = 0; j < n && c[j] != at; j++)
            ;
        if (j == n)
            c[n] = at, share[n++] = 0;
        share[j] += w;
    }
    return n;
}

typedef struct cti_balance_work {
    int n;             /* components */
    int32_t *of;       /* [island's blocks] component */
    uint8_t *is_free;  /* [n] 1: it has a momentum of its own */
    double *H, *y;     /* [3 n][3 n] normal equations; [3 n] minus the sums of r, then their solution */
    ct_real load;
} cti_balance_work;

/* adds one row to the equations */
static void cti_balance_add(cti_balance_work *b, const cti_row *row)
{
    cti_balance_ways w;
    int32_t c[CTI_ROW_TERMS];
    double share[CTI_ROW_TERMS];
    int sides, k, i, j, x, y;
    cti_balance_look(&w, row, b->load);
    sides = w.n ? cti_balance_sides(row, b->of, b->is_free, c, share) : 0;
    for (k = 0; k < w.n; k++) {
        double g[3];
        g[0] = (double)w.way[k].x, g[1] = (double)w.way[k].y, g[2] = (double)w.way[k].z;
        for (i = 0; i < sides; i++)
            for (j = 0; j < sides; j++)
                for (x = 0; x < 3; x++)
                    for (y = 0; y < 3; y++)
                        b->H[(size_t)(3 * c[i] + x) * (size_t)(3 * b->n) + (size_t)(3 * c[j] + y)] +=
                            share[i] * share[j] * w.room[k] * w.room[k] * g[x] * g[y];
    }
}

/* y <- H^-1 y by Cholesky, without directions along which contacts transmit nothing */
static void cti_balance_equations(double *H, double *y, int n)
{
    double most = 0;
    int i, j, k;
    for (i = 0; i < n; i++)
        most = H[(size_t)i * (size_t)(n + 1)] > most ? H[(size_t)i * (size_t)(n + 1)] : most;
    for (j = 0; j < n; j++) {
        double *Lj = H + (size_t)j * (size_t)n, d = Lj[j];
        for (k = 0; k < j; k++)
            d -= Lj[k] * Lj[k];
        d = d > cti_step_tuned.energy.balance_soft * most && d > 0 ? sqrt(d) : 0;
        Lj[j] = d;
        for (i = j + 1; i < n; i++) {
            double *Li = H + (size_t)i * (size_t)n, sum = Li[j];
            for (k = 0; k < j; k++)
                sum -= Li[k] * Lj[k];
            Li[j] = d > 0 ? sum / d : 0;
        }
        for (k = 0; k < j; k++)
            y[j] -= Lj[k] * y[k];
        y[j] = d > 0 ? y[j] / d : 0;
    }
    for (j = n - 1; j >= 0; j--) {
        double d = H[(size_t)j * (size_t)(n + 1)];
        for (k = j + 1; k < n; k++)
            y[j] -= H[(size_t)k * (size_t)n + (size_t)j] * y[k];
        y[j] = d > 0 ? y[j] / d : 0;
    }
}

/* changes one row's multipliers, and r by J' of the change */
static void cti_balance_change(const cti_balance_work *b, const cti_problem *p, cti_row *row, ct_real *r)
{
    cti_balance_ways w;
    int32_t c[CTI_ROW_TERMS];
    double share[CTI_ROW_TERMS];
    ct_real change[3] = {0, 0, 0};
    int sides, k, i;
    cti_balance_look(&w, row, b->load);
    sides = w.n ? cti_balance_sides(row, b->of, b->is_free, c, share) : 0;
    for (k = 0; k < w.n; k++) {
        double t = 0;
        for (i = 0; i < sides; i++)
            t += share[i] * ((double)w.way[k].x * b->y[3 * c[i]] + (double)w.way[k].y * b->y[3 * c[i] + 1] + (double)w.way[k].z * b->y[3 * c[i] + 2]);
        t = (double)cti_clamp((ct_real)(t * w.room[k]), -cti_step_tuned.energy.balance_share, cti_step_tuned.energy.balance_share) * w.room[k];
        change[0] += (ct_real)t * w.axis[k].x, change[1] += (ct_real)t * w.axis[k].y, change[2] += (ct_real)t * w.axis[k].z;
    }
    for (k = 0; k < 3; k++)
        row->r[k] += change[k];
    if (sides)
        cti_row_scatter(p, row, change, r);
}

/* transfers to contacts what they can take. 0: out of memory */
static int cti_balance_contacts(cti_state *s, ct_real dt, const cti_island *q, ct_real *r)
{
    cti_balance_work b;
    ct_real most = 0, tol = s->desc.solver.tolerance * q->p.velocity_scale;
    int c, k, n = q->n_components;
    b.n = n, b.load = 0;
    b.of = CTI_ARENA_NEW(s->arena, int32_t, q->n), b.is_free = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    b.y = CTI_ARENA_ZERO(s->arena, double, 3 * n);
    if (!b.of || !b.is_free || !b.y)
        return 0;
    for (c = 0; c < n; c++) {
        const cti_component *f = &s->factors.components[q->components[c]];
        cti_v3 sum;
        ct_real m = cti_balance_sum(s, cti_integrate_h(s, s->factors.blocks[f->begin], dt), f, q->own + f->place, r, NULL, &sum);
        for (k = f->place; k < f->place + f->end - f->begin; k++)
            b.of[k] = c;
        if (!(m > 0))
            continue;
        b.is_free[c] = 1, most = cti_max(most, cti_v3_norm(sum) / m);
        b.y[3 * c] = -(double)sum.x, b.y[3 * c + 1] = -(double)sum.y, b.y[3 * c + 2] = -(double)sum.z;
    }
    if (!(most > cti_step_tuned.energy.balance_least * tol && most <= cti_step_tuned.energy.balance_most * tol))
        return 1;
    b.H = CTI_ARENA_ZERO(s->arena, double, 9 * (size_t)n * (size_t)n);
    if (!b.H)
        return 0;
    for (k = 0; k < q->p.n_rows; k++)
        b.load += cti_abs(q->p.rows[k].r[0]) / (ct_real)q->p.n_rows;
    for (k = 0; k < q->p.n_rows; k++)
        cti_balance_add(&b, &q->p.rows[k]);
    cti_balance_equations(b.H, b.y, 3 * n);
    for (k = 0; k < q->p.n_rows; k++)
        cti_balance_change(&b, &q->p, &q->p.rows[k], r);
    return 1;
}

CTI_FN int cti_balance(cti_state *s, ct_real dt, const cti_island *q, ct_real *r, ct_real *v)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    int c, ok = q->n_components > cti_step_tuned.energy.balanced || cti_balance_contacts(s, dt, q, r);
    cti_arena_rewind(s->arena, mark);
    for (c = 0; ok && c < q->n_components; c++) {
        const cti_component *f = &s->factors.components[q->components[c]];
        cti_balance_component(s, dt, f, q->own + f->place, r, v);
    }
    return ok;
}
