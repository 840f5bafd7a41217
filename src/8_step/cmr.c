/* cmr.c -- constraint manifold refinement.
   Method: linearize, solve without contacts, rows from near pairs, then rounds of solve and continuous collision detection; every collision
   found adds a row with the normal at its time of impact, until the straight motion from x to x + dt v is clear (Otaduy 2009, sec. 4,
   steps 1 - 4.4). differs: rows of near pairs are culled to one per geometric contact, the detection never is; CCD keeps a quarter of the
   thickness, so that rounding can not turn a touch into a crossing; a pair whose row the motion breaks is solved again instead of getting a
   twin; a body that nodes cannot solve is taken whole; a solve that is not plausible ends the attempt. */
#include "cmr.h"
#include "balance.h"
#include "integrate.h"
#include "linkage.h"
#include "motion.h"
#include "newton.h"
#include "plausible.h"
#include "swing.h"
#include "whirl.h"
#include "../7_contact/cull.h"
#include "../7_contact/flats.h"
#include "../7_contact/twins.h"

#define CTI_CMR_LOOSE 100          /* times the free tolerance for a body in contact that is solved by nodes */
#define CTI_CMR_GUESSES 9          /* attempts in a row in which it is only guessed */
#define CTI_CMR_JOINT CTI_R(1e-4) /* share of the thickness that a joint may miss by */
#define CTI_CMR_STRAIN 4          /* times that much makes the step shorter */
#define CTI_CMR_SETTLE 8          /* times joints are linearized anew in a round */
#define CTI_CMR_FREE_US 1.0 /* [us] that a block's free motion takes, about; see cti_tasks_run_work */
#define CTI_CMR_CRUSHED_US 0.02 /* the same for its elements' test */
#define CTI_CMR_ROW_US 0.2 /* and for a row */
#define CTI_CMR_BROKEN CTI_R(0.01) /* share of the thickness that a row may be missed by in a step */

CTI_FN double cti_cmr_clock(const cti_state *s) { return s->desc.now_us ? (double)s->desc.now_us(s->desc.now_user) * 1e-3 : 0.0; }

CTI_FN void cti_cmr_context(const cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_row_context *out)
{
    memset(out, 0, sizeof *out);
    out->surface = &s->surface;
    out->fixed = s->fixed;
    out->v_fixed = s->v_fixed;
    out->inv_mass = s->inv_mass;
    out->v = s->v_new;
    out->cone = s->desc.solver.cone;
    out->v_star = out->cone == CT_CONE_CONE ? NULL : s->v_free; /* Coulomb's cone is the same in every frame */
    out->at_start = s->desc.row_mode == CT_ROW_VELOCITY;
    out->frames = out->at_start ? s->frames0 : s->frames1;
    out->A = &s->A;
    out->memory = memory;
    out->dt = dt;
    out->cut = !s->still && s->dt_step > dt ? s->dt_step / dt : 1;
    out->slight = s->desc.solver.tolerance * cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * s->dt_step * s->dt_step;
    out->dt_memory = dt_memory;
    out->recovery_speed = s->desc.recovery_speed;
}

/* constrained blocks have their scripted velocity exactly: v <- S v + v_p */
static void cti_cmr_hold(const cti_state *s, ct_real *v)
{
    int i;
    for (i = 0; s->n_constrained && i < s->n; i++)
        if (s->filter[i] >= 0)
            cti_v3_put(v, i, cti_v3_add(cti_m3_mul_v(s->projectors + 9 * (size_t)s->filter[i], cti_v3_at(v, i)), cti_v3_at(s->v_fixed, i)));
}

CTI_FN void cti_cmr_move(cti_state *s, ct_real dt)
{
    int i;
    cti_cmr_hold(s, s->v_new);
    for (i = 0; i < 3 * s->n; i++)
        s->x_new[i] = s->x[i] + dt * s->v_new[i];
    for (i = 0; i < CTI_LEN(s->rigids); i++) {
        cti_rigid *r = &s->rigids[i];
        cti_rigid_go(r, cti_v3_at(s->v_new, r->block + 1), dt);
        cti_rigid_matrix(r->q_new, s->frames1 + 9 * (size_t)i);
        cti_v3_put(s->x_new, r->block + 1, cti_v3_at(s->x_new, r->block)); /* an angular block has no place of its own */
    }
    cti_surface_place(&s->surface, s->x_new, s->frames1, s->surface.x1);
}

/* the same for the world */
static ct_real cti_cmr_scale(const cti_state *s, ct_real dt)
{
    ct_real big = 0;
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        big = cti_max(big, s->factors.components[c].speed);
    return cti_islands_scale(s, dt, big);
}

/* what a component's free solve is asked for: half the tolerance of the velocity scale, in the energy norm of its lightest block; less where
   contacts are expected, whose solve starts from it and judges all of the motion */
static double cti_cmr_free_tolerance(const cti_state *s, const cti_component *c, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, light = CTI_REAL_MAX, speed = 0, n = (ct_real)(c->end - c->begin);
    int i, k;
    for (i = c->begin; i < c->end; i++) {
        int b = s->factors.blocks[i];
        if (s->mass[b] > 0)
            light = cti_min(light, s->mass[b]);
        for (k = 0; k < 3; k++)
            speed = cti_max(speed, cti_abs(s->v_free[3 * b + k]));
    }
    if (!(g > 0))
        g = speed > 0 ? CTI_R(1e-3) * speed : CTI_R(1e-9);
    if (c->loose)
        g *= CTI_CMR_LOOSE;
    return (double)(s->desc.solver.tolerance * CTI_R(0.5) * g * cti_sqrt(light) * cti_max(1, CTI_R(0.1) * cti_sqrt(n)));
}

/* 1 where about the gain of speed of the last solved free motion will do again: it finds the near pairs, and all of the motion is solved with
   them, from what the last step tells. Not behind an impact, whose flight tells nothing */
static int cti_cmr_may_guess(const cti_state *s, const cti_component *q, ct_real dt)
{
    return q->loose > 1 && !q->stale && dt == s->dt_free && q->guessed < CTI_CMR_GUESSES &&
           s->desc.integrator == CT_INTEGRATOR_EULER;
}

/* where v_free starts: exact for a body that falls without deformation; one that contacts press is deformed, and changes speed as in the
   last attempt */
static void cti_cmr_free_start(cti_state *s, ct_real dt)
{
    int c, k, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        ct_real speed = 0;
        for (k = q->begin; k < q->end; k++)
            for (i = 3 * s->factors.blocks[k]; i < 3 * s->factors.blocks[k] + 3; i++)
                s->v_free[i] = s->v[i] + (q->pressed ? s->dv_free[i] * (dt / s->dt_free) : cti_integrate_gain(s, i / 3, i % 3, dt));
        for (k = q->begin; k < q->end; k++)
            speed = cti_max(speed, cti_v3_norm2(cti_v3_at(s->v, s->factors.blocks[k])));
        q->drift += dt * cti_sqrt(speed);
        q->flew = !q->pressed;
        q->loose = q->pressed && q->split > 0 ? q->loose + 1 : 0;
        q->guessed = cti_cmr_may_guess(s, q, dt) ? q->guessed + 1 : 0;
        q->pressed = 0;
    }
    for (i = 0; i < CTI_LEN(s->rigids); i++) {
        const cti_rigid *r = &s->rigids[i];
        ct_real kick = cti_motion_kick(s, r->block, dt);
        cti_v3_put(s->v_free, r->block, cti_v3_mad(cti_v3_at(s->v, r->block), cti_v3_at(s->desc.gravity, 0), kick));
        cti_v3_put(s->v_free, r->block + 1, cti_v3_at(r->w_mid, 0));
    }
    cti_cmr_hold(s, s->v_free);
}

/* 1, or for an angular block the radius of gyration: what turns its velocity into a speed */
static ct_real cti_cmr_radius(const cti_state *s, int block)
{
    const cti_rigid *r = cti_rigid_turning(s->rigids, s->rigid_of, block);
    return r ? cti_rigid_gyration(r) : 1;
}

/* v_free of one component, whose factor has been prepared, and what is kept of it. Component by component, so that its part of A is read once
   from memory; it touches nothing of the others */
static void cti_cmr_free_component(cti_state *s, ct_real dt, cti_component *q, int worker)
{
    cti_factors *f = &s->factors;
    const int32_t *blocks = f->blocks + q->begin;
    int i, k, n = q->end - q->begin;
    q->took = 0;
    if (!q->guessed) {
        cti_factors_refill(q, &s->A, dt);
        q->took = cti_factors_free_solve(f, q, &s->A, s->b, s->v_free, cti_cmr_free_tolerance(s, q, dt), 200, s->pcg_work, worker);
    }
    cti_factors_residual(q, blocks, &s->A, s->b, s->v_free, s->pcg_work);
    q->energy = 0;
    for (i = 0; i < n; i++)
        q->energy += (double)cti_v3_dot(cti_v3_at(s->v_free, blocks[i]), cti_v3_sub(cti_v3_at(s->b, blocks[i]), cti_v3_at(s->pcg_work, blocks[i])));
    cti_balance_component(s, dt, q, blocks, s->pcg_work, s->v_free);
    q->speed = 0, q->dynamics = -1, q->moved = 0;
    for (i = 0; i < n; i++)
        for (k = 3 * blocks[i]; k < 3 * blocks[i] + 3; k++) {
            s->dv_free[k] = s->v_free[k] - s->v[k];
            q->speed = cti_max(q->speed, cti_abs(s->v_free[k]) * cti_cmr_radius(s, blocks[i]));
        }
}

/* the same for one alone. 0: out of memory */
static int cti_cmr_free_one(cti_state *s, ct_real dt, cti_component *q, int *its)
{
    if (!cti_factors_prepare(&s->factors, q, dt))
        return 0;
    cti_cmr_free_component(s, dt, q, 0);
    *its = cti_max_int(*its, q->took);
    return 1;
}

typedef struct cti_cmr_frees {
    cti_state *s;
    ct_real dt;
} cti_cmr_frees;

static void cti_cmr_free_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_frees *q = (const cti_cmr_frees *)context;
    for (; begin < end; begin++)
        cti_cmr_free_component(q->s, q->dt, &q->s->factors.components[begin], worker);
}

/* v_free: A v = b */
static int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out)
{
    cti_cmr_frees q;
    int c, its = 0, n = CTI_LEN(s->factors.components);
    cti_factors_age(&s->factors);
    s->factors.rest = s->desc.thickness, s->factors.mass = s->mass;
    cti_cmr_free_start(s, dt);
    for (c = 0; c < n; c++)
        if (!s->factors.components[c].guessed && !cti_factors_prepare(&s->factors, &s->factors.components[c], dt))
            return 0;
    for (c = 0; c < n; c++) {
        cti_motion_whole(s, &s->factors.components[c]);
        cti_motion_tell(s, dt, &s->factors.components[c]);
    }
    q.s = s, q.dt = dt;
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_free_range, n, CTI_CMR_FREE_US * s->n / cti_max_int(1, n), &q);
    for (c = 0; c < n; c++)
        its = cti_max_int(its, s->factors.components[c].took);
    out->linear_iterations += its;
    s->dt_free = dt;
    return 1;
}

/* a flood of hits: only those that are the first of one of their vertices; the others come back if they still matter */
static int cti_cmr_first_hits(cti_state *s)
{
    ct_real *first = CTI_ARENA_NEW(s->arena, ct_real, s->surface.nv);
    int i, k, n = 0;
    if (!first)
        return 0;
    for (i = 0; i < s->surface.nv; i++)
        first[i] = 2;
    for (i = 0; i < CTI_LEN(s->hits); i++)
        for (k = 0; k < s->hits[i].pair.n; k++)
            first[s->hits[i].pair.v[k]] = cti_min(first[s->hits[i].pair.v[k]], s->hits[i].toi);
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        int keep = 0;
        for (k = 0; k < s->hits[i].pair.n; k++)
            keep |= s->hits[i].toi <= first[s->hits[i].pair.v[k]];
        if (keep)
            s->hits[n++] = s->hits[i];
    }
    if (s->hits)
        stbds_header(s->hits)->length = (size_t)n;
    return 1;
}

/* flat edges wait for a round in which nothing else collides: their vertices' rows usually clear them */
static void cti_cmr_stage(cti_state *s)
{
    int i, n = 0;
    for (i = 0; i < CTI_LEN(s->hits); i++)
        if (!s->hits[i].flat)
            s->hits[n++] = s->hits[i];
    if (n > 0)
        stbds_header(s->hits)->length = (size_t)n;
}

/* rows by pair: how many a pair has, and its newest */
typedef struct cti_cmr_index {
    uint64_t *key;
    int32_t *count, *last;
    uint32_t mask;
} cti_cmr_index;

static uint32_t cti_cmr_find(const cti_cmr_index *x, uint64_t key)
{
    uint32_t i = (uint32_t)key & x->mask;
    while (x->count[i] && x->key[i] != key)
        i = (i + 1) & x->mask;
    return i;
}

static void cti_cmr_enter(cti_cmr_index *x, uint64_t key, int row)
{
    uint32_t i = cti_cmr_find(x, key);
    x->key[i] = key;
    x->count[i]++;
    x->last[i] = row;
}

static int cti_cmr_make_index(const cti_state *s, cti_cmr_index *x)
{
    int i, n = CTI_LEN(s->rows);
    uint32_t size = 64;
    while (size < 2 * (uint32_t)(n + CTI_LEN(s->hits)))
        size *= 2;
    x->mask = size - 1;
    x->key = CTI_ARENA_NEW(s->arena, uint64_t, size);
    x->count = CTI_ARENA_ZERO(s->arena, int32_t, size);
    x->last = CTI_ARENA_NEW(s->arena, int32_t, size);
    if (!x->key || !x->count || !x->last)
        return 0;
    for (i = 0; i < n; i++)
        if (!s->origins[i].joint && !s->origins[i].repair)
            cti_cmr_enter(x, cti_pair_key(&s->surface, &s->origins[i].pair), i);
    return 1;
}

/* 1 when the motion breaks this row itself: what its pair lacks is sweeps, not another row. A plane's row is exact, so it lacks nothing else */
static int cti_cmr_is_broken(const cti_state *s, int row, ct_real dt)
{
    ct_real u[3];
    if (s->origins[row].pair.kind == CT_PAIR_PLANE)
        return 1;
    cti_row_velocity(&s->rows[row], s->v_new, u);
    return u[0] + s->rows[row].compliance[0] * s->rows[row].r[0] < -CTI_CMR_BROKEN * s->origins[row].thickness / dt;
}

/* rows of rigid bodies are linearized at the motion that stands now; one that it misses by much asks for another solve */
static void cti_cmr_bend(cti_state *s, const cti_row_context *c)
{
    int i;
    for (i = 0; CTI_LEN(s->rigids) && i < CTI_LEN(s->rows); i++)
        if (s->origins[i].bends && cti_rows_linearize(c, &s->rows[i], &s->origins[i]) > CTI_CMR_BROKEN * s->origins[i].thickness / c->dt)
            s->origins[i].fresh = 1;
}

/* rows that are built behind those that stand */
typedef struct cti_cmr_build {
    const cti_row_context *c;
    const cti_hit *hits;
    int32_t *twins; /* [n hits] rows that the pair has; -1: it gets none */
    cti_row *rows;
    cti_contact_row *origins;
} cti_cmr_build;

static void cti_cmr_build_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_build *q = (const cti_cmr_build *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        const cti_hit *hit = &q->hits[begin];
        if (q->twins[begin] >= 0 && !cti_rows_build(q->c, &hit->pair, hit->normal, hit->before, cti_min_int(q->twins[begin], 2), hit->keep,
                                                    &q->rows[begin], &q->origins[begin]))
            q->twins[begin] = -1;
    }
}

/* rows a pair of hits has; where the newest is broken it gets no other, but is solved again */
static void cti_cmr_count_twins(cti_state *s, const cti_cmr_index *x, ct_real dt, int32_t *twins)
{
    int i;
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        uint32_t at = cti_cmr_find(x, cti_pair_key(&s->surface, &s->hits[i].pair));
        twins[i] = x->count[at];
        if (twins[i] > 0 && cti_cmr_is_broken(s, x->last[at], dt)) {
            s->origins[x->last[at]].fresh = 1;
            twins[i] = -1;
        }
    }
}

/* row and origin come behind the last, or in place of row `place` >= 0 whose multipliers the row takes over. There is room */
static void cti_cmr_put_row(cti_state *s, const cti_row *row, const cti_contact_row *origin, int place)
{
    int at = place >= 0 ? place : CTI_LEN(s->rows);
    ct_real r[3];
    memcpy(r, place >= 0 ? s->rows[place].r : row->r, sizeof r);
    if (row != &s->rows[at])
        s->rows[at] = *row, s->origins[at] = *origin;
    memcpy(s->rows[at].r, r, sizeof r);
    s->origins[at].fresh = 1;
    if (place < 0)
        stbds_header(s->rows)->length++, stbds_header(s->origins)->length++;
}

/* rows for hits; a pair gets at most three, then its newest is linearized anew. A pair that is there twice (a face given twice) gets one */
static int cti_cmr_add_rows(cti_state *s, const cti_row_context *c)
{
    cti_cmr_index x;
    cti_cmr_build q;
    int i, n = CTI_LEN(s->hits), n0 = CTI_LEN(s->rows);
    if (n == 0)
        return 1;
    q.c = c, q.hits = s->hits, q.twins = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!q.twins || !cti_cmr_make_index(s, &x) || !CTI_RESERVE(s->mem, s->rows, n0 + n) || !CTI_RESERVE(s->mem, s->origins, n0 + n))
        return 0;
    q.rows = s->rows + n0, q.origins = s->origins + n0;
    cti_cmr_count_twins(s, &x, c->dt, q.twins);
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_build_range, n, CTI_CMR_ROW_US, &q);
    for (i = 0; i < n; i++) {
        uint64_t key = cti_pair_key(&s->surface, &s->hits[i].pair);
        uint32_t at = cti_cmr_find(&x, key);
        if (q.twins[i] != x.count[at])
            continue;
        cti_cmr_put_row(s, &q.rows[i], &q.origins[i], q.twins[i] < 3 ? -1 : x.last[at]);
        if (q.twins[i] < 3)
            cti_cmr_enter(&x, key, CTI_LEN(s->rows) - 1);
    }
    return 1;
}

/* one constrained solve from v_new and the rows' multipliers. 0: out of memory */
static int cti_cmr_solve(cti_state *s, ct_real dt, ct_real scale, cti_attempt *out)
{
    cti_islands_result q;
    if (!cti_islands_solve(s, dt, scale, &q))
        return 0;
    out->solver_iterations += q.iterations;
    out->solver_sweeps += q.sweeps;
    out->solver_fallbacks += q.fallbacks;
    out->residual = cti_finite(q.residual) ? q.residual : CTI_REAL_MAX; /* numbers that mean nothing are given up, but they are reported */
    out->converged &= !q.diverged;
    /* the last sweeps may have reached the tolerance after all */
    out->budget = (out->budget || q.budget) && !(out->residual <= s->desc.solver.tolerance);
    return 1;
}

/* free motions that were guessed are solved after all, and the contacts' share of the motion is measured from them. 0: out of memory */
static int cti_cmr_measure(cti_state *s, ct_real dt, cti_attempt *out)
{
    ct_real *w = s->pcg_work;
    int c, i, its = 0;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        const int32_t *blocks = s->factors.blocks + q->begin;
        ct_real dynamics = q->dynamics;
        if (!q->guessed)
            continue;
        q->guessed = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
        q->dynamics = dynamics;
        for (i = 0; i < q->end - q->begin; i++)
            cti_v3_put(w, blocks[i], cti_v3_sub(cti_v3_at(s->v_new, blocks[i]), cti_v3_at(s->v_free, blocks[i])));
        for (i = 0; i < q->end - q->begin; i++)
            q->moved += (double)cti_v3_dot(cti_v3_at(w, blocks[i]), cti_bsr_row(&s->A, w, blocks[i]));
    }
    out->linear_iterations += its;
    return 1;
}

/* an attempt whose numbers mean nothing ends at rest where it began; which blocks that comes from is noted. 0: out of memory */
static int cti_cmr_give_up(cti_state *s, ct_real dt, cti_attempt *out)
{
    if (!cti_plausible_wild(s, dt, &out->wild))
        return 0;
    memset(s->v_new, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    out->clear = out->converged = 0;
    out->gave_up = 1;
    return 1;
}

/* collisions of the tentative motion into hits; the lists are made complete for it first */
CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out)
{
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed))
        return 0;
    if (changed && !cti_detect_distances(s->mem, &s->detect, &s->surface))
        return 0;
    out->candidates = (CTI_LEN(s->detect.vf.pairs) + CTI_LEN(s->detect.ee.pairs)) / 2;
    CTI_CLEAR(s->hits);
    return cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->hits);
}

/* candidates for the free motion and rows of the pairs that are near (steps 2 - 3) */
static int cti_cmr_begin(cti_state *s, const cti_row_context *c)
{
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed) || !cti_detect_distances(s->mem, &s->detect, &s->surface))
        return 0;
    CTI_CLEAR(s->hits);
    if (!cti_joints_append(s, c))
        return 0;
    cti_joints_linearize(s, c, 0);
    if (!cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, c->memory, &s->hits))
        return 0;
    cti_events_defer(s, c);
    return cti_twins_cull(s->arena, &s->surface, c->memory, s->hits) && cti_cull_flat(s->arena, &s->surface, c->memory, s->hits) &&
           cti_flats_raise(s->mem, s->arena, &s->detect, &s->surface, &s->hits) && cti_cmr_add_rows(s, c) && cti_repair_rows(s, c);
}

/* bodies whose contacts did not come again: their free motion is their motion, and is solved as such; *moved: how many. 0: out of memory */
static int cti_cmr_tighten(cti_state *s, ct_real dt, cti_attempt *out, int *moved)
{
    int i, k, c, its = 0, n = CTI_LEN(s->factors.components);
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, n);
    *moved = 0;
    if (!touched)
        return 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        for (k = 0; k < s->rows[i].n; k++)
            touched[s->factors.component_of[s->rows[i].term[k].block]] = 1;
    for (c = 0; c < n; c++) {
        cti_component *q = &s->factors.components[c];
        if (!q->loose || touched[c])
            continue;
        q->loose = q->guessed = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
        for (k = q->begin; k < q->end; k++)
            cti_v3_put(s->v_new, s->factors.blocks[k], cti_v3_at(s->v_free, s->factors.blocks[k]));
        ++*moved;
    }
    out->linear_iterations += its;
    return 1;
}

/* distance that joints may miss: far below the thickness, above what the solver and rounding leave */
static ct_real cti_cmr_slack(const cti_state *s, ct_real dt, ct_real scale)
{
    ct_real big = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        big = cti_max(big, cti_abs(s->x[i]));
    return cti_max(CTI_CMR_JOINT * s->desc.thickness, cti_max(2 * s->desc.solver.tolerance * scale * dt, 16 * CTI_EPS * big));
}

/* solves, linearizing joints anew until they hold where the motion ends. 0: out of memory */
static int cti_cmr_settle(cti_state *s, ct_real dt, const cti_row_context *c, ct_real scale, double reach, cti_attempt *out)
{
    ct_real slack = CTI_LEN(s->joints) ? cti_cmr_slack(s, dt, scale) : 0, miss;
    int k;
    for (k = 0;; k++) {
        if (!cti_cmr_solve(s, dt, scale, out))
            return 0;
        out->rounds++;
        if (!cti_plausible_contacts(s, reach)) {
            if (!cti_cmr_measure(s, dt, out))
                return 0;
            reach = cti_plausible_reach(s, dt);
        }
        if (!cti_plausible_contacts(s, reach) || !cti_plausible_motion(s, dt))
            return cti_cmr_give_up(s, dt, out);
        cti_swing_follow(s, dt);
        cti_cmr_move(s, dt);
        cti_cmr_bend(s, c);
        if (CTI_LEN(s->joints) == 0)
            return 1;
        miss = cti_joints_linearize(s, c, slack);
        out->strained = s->desc.row_mode != CT_ROW_VELOCITY && miss > CTI_CMR_STRAIN * slack;
        if (miss <= slack || k == CTI_CMR_SETTLE)
            return 1;
    }
}

/* rows for the collisions in hits. 0: out of memory */
static int cti_cmr_refine(cti_state *s, const cti_row_context *c, cti_attempt *out)
{
    out->limit = s->hits[0].pair;
    cti_cmr_stage(s);
    if (CTI_LEN(s->hits) > s->surface.nv && !cti_cmr_first_hits(s))
        return 0;
    return cti_cmr_add_rows(s, c);
}

/* the loop of solve and CCD (step 4) */
static int cti_cmr_rounds(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    ct_real scale = cti_cmr_scale(s, dt);
    double t, reach = cti_plausible_reach(s, dt);
    int round;
    for (round = 0; round <= s->desc.cmr_rounds; round++) {
        t = cti_cmr_clock(s);
        if (CTI_LEN(s->rows)) {
            if (!cti_cmr_settle(s, dt, c, scale, reach, out))
                return 0;
            if (!out->converged)
                return 1;
        }
        out->ms_solve += cti_cmr_clock(s) - t;
        t = cti_cmr_clock(s);
        if (!cti_cmr_collide(s, out))
            return 0;
        out->ms_detect += cti_cmr_clock(s) - t;
        if (round == 0 && !cti_events_first(s, c, &out->event, &out->limit))
            return 0;
        if (out->event > 0)
            return 1;
        out->clear = CTI_LEN(s->hits) == 0;
        if (out->clear)
            return 1;
        if (!cti_cmr_refine(s, c, out))
            return 0;
    }
    return 1;
}

typedef struct cti_cmr_crush {
    const cti_state *s;
    int *n; /* of each model */
} cti_cmr_crush;

static void cti_cmr_crushed_range(int begin, int end, int worker, void *context)
{
    const cti_cmr_crush *q = (const cti_cmr_crush *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++)
        q->n[begin] = cti_tet_batch_crushed(&q->s->models[begin]->tets, q->s->x, q->s->x_new);
}

/* tets that the motion crushes. 0: out of memory */
static int cti_cmr_crushed(const cti_state *s, cti_attempt *out)
{
    cti_cmr_crush q;
    int i;
    q.s = s, q.n = CTI_ARENA_ZERO(s->arena, int, s->n_models + 1);
    if (!q.n)
        return 0;
    cti_tasks_run_work(&s->desc.tasks, cti_cmr_crushed_range, s->n_models, CTI_CMR_CRUSHED_US * s->n / cti_max_int(1, s->n_models), &q);
    for (i = 0; i < s->n_models; i++)
        out->crushed += q.n[i];
    return 1;
}

/* Marks the rows of components that were linearized again as unsolved; a component without rows takes its free motion. 0: out of memory */
static int cti_cmr_freshen(cti_state *s)
{
    uint8_t *touched = CTI_ARENA_ZERO(s->arena, uint8_t, CTI_LEN(s->factors.components));
    int i, k, c;
    if (!touched)
        return 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        for (k = 0; k < s->rows[i].n; k++) {
            c = s->factors.component_of[s->rows[i].term[k].block];
            touched[c] = 1;
            s->origins[i].fresh |= cti_newton_gains(s, &s->factors.components[c]);
        }
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        for (i = q->begin; !touched[c] && cti_newton_gains(s, q) && i < q->end; i++)
            cti_v3_put(s->v_new, s->factors.blocks[i], cti_v3_at(s->v_free, s->factors.blocks[i]));
    }
    return 1;
}

/* Another Newton iteration. Bodies that gain energy are linearized where the last iteration ended, and the whole problem is solved again. They are
   stepped by Euler's rule, which dissipates: under a scheme that keeps energy an error of the linearization is a gain. 0: out of memory */
static int cti_cmr_again(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    double t0 = cti_cmr_clock(s), t1;
    int i, its = 0, n = CTI_LEN(s->factors.components);
    s->again++;
    cti_newton_place(s, dt);
    cti_integrate_yield(s, s->gains);
    out->extended = 0;
    if (!cti_assemble(s, dt, &out->extended))
        return 0;
    t1 = cti_cmr_clock(s);
    out->ms_assemble += t1 - t0;
    s->factors.matrix++;
    for (i = 0; i < n; i++) {
        cti_component *q = &s->factors.components[i];
        if (!cti_newton_gains(s, q))
            continue;
        q->age = 1, q->stale = 1, q->guessed = 0;
        if (!cti_cmr_free_one(s, dt, q, &its))
            return 0;
    }
    out->linear_iterations += its;
    out->ms_unconstrained += cti_cmr_clock(s) - t1;
    if (!cti_cmr_freshen(s))
        return 0;
    if (!cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    out->clear = 0, out->newton++;
    return cti_cmr_rounds(s, dt, c, out);
}

CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_attempt *out)
{
    cti_row_context c;
    double t0 = cti_cmr_clock(s), t1;
    int i;
    memset(out, 0, sizeof *out);
    out->converged = out->newton = 1;
    s->again = 0;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble_movers(s, cti_state_ahead(s, dt));
    cti_swing_begin(s);
    cti_motion_predict(s, dt);
    if (!cti_assemble(s, dt, &out->extended))
        return 0;
    t1 = cti_cmr_clock(s);
    out->ms_assemble = t1 - t0;
    if (!cti_cmr_free_motion(s, dt, out))
        return 0;
    t0 = cti_cmr_clock(s);
    out->ms_unconstrained = t0 - t1;
    cti_cmr_context(s, dt, memory, dt_memory, &c);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    memcpy(s->v_new, s->v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    if (!cti_cmr_begin(s, &c) || !cti_cmr_tighten(s, dt, out, &i))
        return 0;
    if (i > 0 && !cti_plausible_motion(s, dt))
        return cti_cmr_give_up(s, dt, out);
    if (i > 0)
        cti_cmr_move(s, dt);
    out->ms_detect = cti_cmr_clock(s) - t0;
    if (!cti_cmr_rounds(s, dt, &c, out))
        return 0;
    while (out->clear && out->converged && !(out->event > 0)) {
        out->gained = cti_energy_try(s, dt);
        if (out->gained == 0 || !cti_newton_helps(s) || out->newton >= s->desc.newton_iterations)
            break;
        if (!cti_cmr_again(s, dt, &c, out))
            return 0;
    }
    cti_swing_close(s, dt);
    if (!cti_linkage_climbs(s, dt, &out->gained))
        return 0;
    if (out->rounds == 0) /* nobody judged the free motion */
        out->residual = cti_islands_dynamics(s, cti_cmr_scale(s, dt));
    if (!cti_cmr_crushed(s, out))
        return 0;
    return cti_whirl_count(s, dt, &out->spun);
}
