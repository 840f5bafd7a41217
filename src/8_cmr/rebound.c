/* rebound.c -- restitution.
   Method: the motion of a substep ends inelastically where features meet, so that nothing can cross. The velocity with which the next one begins is
   that of a second solve of the same islands, with other laws of the contacts that met: they part at e times the speed at the time of impact
   (Newton), or have 1 + e times the impulse of the compression, at least (Poisson). All other rows keep their laws, so that contacts that touch
   already do not approach, and joints hold. The speed of impact is that of the start, and of what the motion without contacts gains on the gap.
   Of the change of an island's velocities so much is taken that it has not more energy than at the start, with the work of scripts: along the change
   the energy is a quadratic function, and one share of it solves both. So neither law gains energy where friction or several contacts would
   (Kane 1984, A dynamics puzzle), and a solve that ends early does no harm.
   Based on: Moreau 1988, Unilateral contact and dry friction in finite freedom dynamics; Anitescu, Potra 1997 (Poisson's law). */
#include "rebound.h"
#include "../0_base/sets.h"
#include "../8_step/impulses.h"
#include "../8_step/policy_numbers.h"

/* cti_rebound_set -- of components that rows connect, at the root of the set: the kinetic energy of v + share d is start + share along +
   share^2 across. */
typedef struct cti_rebound_set {
    double start, along, across; /* [J] */
    double most;                 /* [J] what it may have with the share 0 */
    double script;               /* [J] work of scripts, times the share */
    ct_real share;
    int meets;                   /* 1: some contact of it rebounds */
} cti_rebound_set;

typedef struct cti_rebound_task {
    cti_state *s;
    ct_real dt;
    cti_row *rows;            /* [n] and their origins, as the substep has solved them */
    cti_contact_row *origins;
    int n;
    ct_real *e, *speed;       /* [n] restitution of contacts that have met, 0 of others; [m/s] how fast */
    ct_real *v, *was;         /* [3 n] end velocities without rebounds; end.v of the substep, from which the second solve changes it */
    int32_t *sets;            /* [components] */
    cti_rebound_set *of;      /* [components] at roots */
} cti_rebound_task;

/* the change of a block's velocity by the second solve */
static cti_v3 cti_rebound_change(const cti_rebound_task *q, int i) { return cti_v3_sub(cti_v3_at(q->s->end.v, i), cti_v3_at(q->was, i)); }

static int cti_rebound_root(const cti_rebound_task *q, int block) { return cti_sets_root(q->sets, q->s->factors.component_of[block]); }

/* [m/s] speed at which a loaded contact has met, above 0; 0: it has not, or is no contact. The motion without contacts has the acceleration a, so
   that u^2 = u0^2 + 2 a gap there */
static ct_real cti_rebound_speed(const cti_state *s, int i, ct_real dt)
{
    const cti_row *row = &s->contact.rows[i];
    const cti_contact_row *o = &s->contact.origins[i];
    ct_real u[3], free[3], speed, gained;
    if (row->equations || !(row->r[0] > 0))
        return 0;
    cti_row_velocity(row, s->v, u), cti_row_velocity(row, s->system.v_free, free);
    gained = u[0] - free[0];
    speed = row->w[0] - o->script[0] - (u[0] + free[0]) / 2; /* v is of the middle of steps, and so is v_free */
    speed = speed > 0 ? speed * speed + 2 * gained / dt * cti_max(0, o->gap0) : 0;
    return speed > 0 ? cti_sqrt(speed) : 0;
}

/* its restitution where that speed is above the threshold; else 0 */
static ct_real cti_rebound_of(const cti_state *s, int i, ct_real dt, ct_real *speed)
{
    const cti_contact_row *o = &s->contact.origins[i];
    ct_real e = o->joint || o->repair || o->tether ? 0 : cti_pair_restitution(&s->surface, &o->pair);
    *speed = e > 0 ? cti_rebound_speed(s, i, dt) : 0;
    return *speed > s->desc.restitution_threshold ? e : 0;
}

/* which contacts have met, and how fast. Returns their number */
static int cti_rebound_find(cti_rebound_task *q)
{
    int i, n = 0;
    for (i = 0; i < q->n; i++) {
        q->e[i] = cti_rebound_of(q->s, i, q->dt, &q->speed[i]);
        n += q->e[i] > 0;
    }
    return n;
}

/* Gives these contacts a law: that of the compression, which stops the approach; Newton's; or Poisson's, after the solve of the compression */
static void cti_rebound_laws(cti_rebound_task *q, int compress)
{
    int i;
    for (i = 0; i < q->n; i++) {
        cti_row *row = &q->s->contact.rows[i];
        if (!(q->e[i] > 0))
            continue;
        q->s->contact.origins[i].is_unsolved = 1;
        row->w[0] = q->origins[i].script[0], row->recover = row->softness = 0;
        if (compress)
            continue;
        if (q->s->desc.restitution_law == CT_RESTITUTION_NEWTON)
            row->w[0] -= q->e[i] * q->speed[i];
        else if (row->r[0] > 0)
            row->softness = cti_step_tuned.attempt.rebound * q->speed[i] / row->r[0], row->recover = row->softness * (1 + q->e[i]) * row->r[0];
    }
}

/* sets of components, and which of them have contacts that rebound. 0: out of memory */
static int cti_rebound_connect(cti_rebound_task *q)
{
    cti_state *s = q->s;
    int i, k, n = CTI_LEN(s->factors.components);
    q->sets = CTI_ARENA_NEW(s->arena, int32_t, n), q->of = CTI_ARENA_ZERO(s->arena, cti_rebound_set, n);
    if (!q->sets || !q->of)
        return 0;
    cti_sets_init(q->sets, n);
    for (i = 0; i < s->n; i++) /* of one body, too: its elastic energy is one number */
        if (s->history.model_of[i] >= 0)
            cti_sets_join(q->sets, s->factors.component_of[i], s->factors.component_of[s->history.block[s->history.model_of[i]]]);
    for (i = 0; i < q->n; i++)
        for (k = 1; k < s->contact.rows[i].n; k++)
            cti_sets_join(q->sets, s->factors.component_of[s->contact.rows[i].term[k].block],
                          s->factors.component_of[s->contact.rows[i].term[0].block]);
    for (i = 0; i < q->n; i++)
        if (q->e[i] > 0)
            q->of[cti_rebound_root(q, s->contact.rows[i].term[0].block)].meets = 1;
    return 1;
}

/* a . M b of a block; the matrix of a rigid body's angular one is its inertia */
static double cti_rebound_product(const cti_state *s, int i, cti_v3 a, cti_v3 b)
{
    int rigid = s->bodies.rigid_of[i];
    if (rigid >= 0 && i != s->bodies.rigids[rigid].block)
        return (double)cti_v3_dot(a, cti_m3_mul_v(s->bodies.rigids[rigid].I_mid, b));
    return (double)s->bodies.mass[i] * (double)cti_v3_dot(a, b);
}

/* sums the energies of the sets, and what they may have: that of the start, and the work of scripts */
static void cti_rebound_sum(cti_rebound_task *q)
{
    cti_state *s = q->s;
    int i, k, m;
    for (i = 0; i < s->n; i++) {
        cti_rebound_set *set = &q->of[cti_rebound_root(q, i)];
        cti_v3 v = cti_v3_at(q->v, i), d = cti_rebound_change(q, i);
        if (!set->meets)
            continue;
        set->start += cti_rebound_product(s, i, v, v) / 2, set->across += cti_rebound_product(s, i, d, d) / 2;
        set->along += cti_rebound_product(s, i, v, d);
    }
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++) {
        const cti_energy *a = &s->energy.now[m], *b = &s->energy.end[m];
        int model = m < s->bodies.n_models, block = model ? s->history.block[m] : s->bodies.rigids[m - s->bodies.n_models].block;
        if (!model || s->history.last[m] >= 0)
            q->of[cti_rebound_root(q, block)].most += a->kinetic + a->elastic + a->gravity + s->energy.works[m] - b->elastic - b->gravity;
    }
    for (i = 0; i < q->n; i++) {
        const cti_row *row = &q->rows[i], *now = &s->contact.rows[i];
        const cti_contact_row *o = &q->origins[i];
        cti_rebound_set *set = &q->of[cti_rebound_root(q, row->term[0].block)];
        ct_real u[3];
        cti_row_velocity(row, q->was, u);
        for (k = 0; k < 3 && !row->equations; k++) {
            set->most -= (double)(row->r[k] * (u[k] - row->w[k] + o->script[k]));
            set->script -= (double)((now->r[k] - row->r[k]) * o->script[k]);
        }
    }
}

/* the largest share of the change with which no set has more energy than it may have */
static void cti_rebound_share(cti_rebound_set *q)
{
    double over = q->start - q->most, slope = q->along - q->script, root = slope * slope - 4 * q->across * over;
    q->share = 1;
    if (over + slope + q->across <= 0)
        return;
    q->share = over < 0 && root > 0 ? (ct_real)cti_fmax(0, cti_fmin(1, (sqrt(root) - slope) / (2 * q->across))) : 0;
}

/* adds the impulses J of row i to those of the step; u: the mean of the velocities before and after */
static int cti_rebound_impulse(cti_rebound_task *q, cti_impulses_index *x, int i, cti_v3 J, ct_real *u, ct_step_report *r)
{
    const cti_row *row = &q->rows[i];
    const cti_contact_row *o = &q->origins[i];
    int k, contact = !row->equations && !o->joint && !o->tether;
    ct_real r_of[3];
    cti_touch t;
    if (o->joint && !cti_impulses_joint(q->s, row->key, J)) /* the change of v_end is that of end.v, whole, also in a linkage */
        return 0;
    cti_v3_put(r_of, 0, cti_m3_mul_v(row->frame, J));
    if (o->spin < 0)
        cti_impulses_work(r_of, u, row->w, 0, r);
    if (!contact)
        return 1;
    for (k = 0; k < 3; k++)
        u[k] += o->script[k] - row->w[k];
    cti_impulses_work(r_of, u, o->script, 0, r);
    if (o->repair || !(cti_v3_norm2(J) > 0))
        return 1;
    cti_impulses_make(q->s, row, o, &t);
    memcpy(t.r, r_of, sizeof t.r);
    cti_impulses_touch(&q->s->step.impulses, x, &t);
    return 1;
}

/* adds the impulses of the change, and their work, to those of the step. 0: out of memory */
static int cti_rebound_impulses(cti_rebound_task *q, ct_step_report *r)
{
    cti_state *s = q->s;
    ct_real *mean = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->n), u[3];
    cti_impulses_index x;
    int i;
    if (!mean || !cti_impulses_open(s, q->n, &x))
        return 0;
    for (i = 0; i < s->n; i++)
        cti_v3_put(mean, i, cti_v3_mad(cti_v3_at(q->v, i), cti_rebound_change(q, i), q->of[cti_rebound_root(q, i)].share / 2));
    for (i = 0; i < q->n; i++) {
        const cti_row *row = &q->rows[i];
        ct_real share = q->of[cti_rebound_root(q, row->term[0].block)].share;
        cti_v3 J = cti_v3_mul(cti_v3_sub(cti_v3_at(s->contact.rows[i].r, 0), cti_v3_at(row->r, 0)), share);
        cti_row_velocity(row, mean, u);
        if (share > 0 && !cti_rebound_impulse(q, &x, i, cti_m3_mul_tv(row->frame, J), u, r))
            return 0;
    }
    return 1;
}

/* takes the changes of all sets that have met */
static void cti_rebound_take(cti_rebound_task *q, uint8_t *fresh)
{
    cti_state *s = q->s;
    int i;
    for (i = 0; i < s->n; i++) {
        cti_rebound_set *set = &q->of[cti_rebound_root(q, i)];
        int body = cti_energy_body(s, i);
        cti_v3 v = cti_v3_at(q->v, i), d = cti_v3_mul(cti_rebound_change(q, i), set->share);
        if (!set->meets)
            continue;
        if (body >= 0)
            s->energy.end[body].kinetic += cti_rebound_product(s, i, d, cti_v3_mad(v, d, CTI_R(0.5)));
        cti_v3_put(s->history.v_end, i, cti_v3_add(v, d));
        s->end.fall[i] = 0, fresh[i] = 1;
    }
}

/* end velocities of blocks: those of the middle of the substep get the other half of gravity's change. 0: out of memory */
static int cti_rebound_begin(cti_rebound_task *q)
{
    cti_state *s = q->s;
    size_t size = sizeof(ct_real) * 3 * (size_t)s->n;
    int i;
    q->v = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->n), q->was = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->n);
    if (!q->v || !q->was)
        return 0;
    memcpy(q->v, s->history.v_end, size), memcpy(q->was, s->end.v, size);
    for (i = 0; i < s->n; i++)
        if (s->bodies.mass[i] > 0)
            cti_v3_addto(q->v, i, cti_state_free(s, i, cti_v3_mul(cti_v3_at(s->desc.gravity, 0), s->end.fall[i] * q->dt / 2)));
    return 1;
}

/* solves the islands of the contacts that have met. 0: out of memory. *out: 0 where nothing can be said of the end */
static int cti_rebound_solve(cti_rebound_task *q, int compress, ct_step_report *r, int *out)
{
    cti_islands_result end;
    cti_rebound_laws(q, compress);
    if (!cti_islands_solve(q->s, q->dt, q->s->contact.solved_scale, &end))
        return 0;
    r->solver_iterations += end.iterations, r->solver_sweeps += end.sweeps, r->solver_quick += end.quick, r->solver_fallbacks += end.fallbacks;
    *out &= !end.diverged && cti_all_finite(q->s->end.v, 3 * q->s->n);
    return 1;
}

/* both phases, and what is taken of the change. 0: out of memory */
static int cti_rebound_run(cti_rebound_task *q, ct_step_report *r, uint8_t *fresh)
{
    int i, fine = 1;
    if (q->s->desc.restitution_law == CT_RESTITUTION_POISSON && !cti_rebound_solve(q, 1, r, &fine))
        return 0;
    if (fine && !cti_rebound_solve(q, 0, r, &fine))
        return 0;
    if (!fine)
        return 1;
    cti_rebound_sum(q);
    for (i = 0; i < CTI_LEN(q->s->factors.components); i++)
        cti_rebound_share(&q->of[i]);
    if (!cti_rebound_impulses(q, r))
        return 0;
    cti_rebound_take(q, fresh);
    return 1;
}

CTI_FN int cti_rebound(cti_state *s, ct_real dt, ct_step_report *r, uint8_t **out_fresh)
{
    cti_rebound_task q;
    cti_arena_point mark = cti_arena_mark(s->arena);
    uint8_t *fresh = CTI_ARENA_ZERO(s->arena, uint8_t, s->n);
    int ok;
    memset(&q, 0, sizeof q);
    q.s = s, q.dt = dt, q.n = CTI_LEN(s->contact.rows);
    q.e = CTI_ARENA_NEW(s->arena, ct_real, q.n), q.speed = CTI_ARENA_NEW(s->arena, ct_real, q.n);
    *out_fresh = NULL;
    if (!fresh || !q.e || !q.speed)
        return 0;
    if (s->scripts.still || !cti_rebound_find(&q)) {
        cti_arena_rewind(s->arena, mark);
        return 1;
    }
    q.rows = CTI_ARENA_NEW(s->arena, cti_row, q.n), q.origins = CTI_ARENA_NEW(s->arena, cti_contact_row, q.n);
    if (!q.rows || !q.origins || !cti_rebound_begin(&q))
        return 0;
    memcpy(q.rows, s->contact.rows, sizeof *q.rows * (size_t)q.n), memcpy(q.origins, s->contact.origins, sizeof *q.origins * (size_t)q.n);
    ok = cti_rebound_connect(&q) && cti_rebound_run(&q, r, fresh);
    memcpy(s->contact.rows, q.rows, sizeof *q.rows * (size_t)q.n), memcpy(s->contact.origins, q.origins, sizeof *q.origins * (size_t)q.n);
    memcpy(s->end.v, q.was, sizeof(ct_real) * 3 * (size_t)s->n);
    *out_fresh = fresh;
    return ok;
}
