/* cmr.c -- constraint manifold refinement.
   Method: linearize, solve without contacts, rows from near pairs, then rounds of solve and continuous collision detection; every collision
   found adds a row with the normal at its time of impact, until the straight motion from x to x + dt v is clear (Otaduy 2009, sec. 4,
   steps 1 - 4.4). differs: rows of near pairs are culled to one per geometric contact, the detection never is; CCD keeps a quarter of the
   thickness, so that rounding can not turn a touch into a crossing; a pair whose row the motion breaks is solved again instead of getting a
   twin; a body that nodes cannot solve is taken whole; a solve that is not plausible ends the attempt. */
#include "cmr.h"
#include "../3_solve/ica.h"
#include "../7_contact/cull.h"

#define CTI_CMR_POOR CTI_R(0.5) /* natural map at which a solve by nodes has failed */
#define CTI_CMR_TURN CTI_R(0.5)    /* rad that a rigid body may turn in a substep */
#define CTI_CMR_JOINT CTI_R(1e-4) /* share of the thickness that a joint may miss by */
#define CTI_CMR_STRAIN 4          /* times that much makes the step shorter */
#define CTI_CMR_SETTLE 8          /* times joints are linearized anew in a round */
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
    out->at_start = s->desc.row_mode == CT_ROW_VELOCITY;
    out->frames = out->at_start ? s->frames0 : s->frames1;
    out->A = &s->A;
    out->memory = memory;
    out->dt = dt;
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
        cti_rigid_turn(r->q, cti_v3_mul(cti_v3_at(s->v_new, r->block + 1), dt), r->q_new);
        cti_rigid_matrix(r->q_new, s->frames1 + 9 * (size_t)i);
        cti_v3_put(s->x_new, r->block + 1, cti_v3_at(s->x_new, r->block)); /* an angular block has no place of its own */
    }
    cti_surface_place(&s->surface, s->x_new, s->frames1, s->surface.x1);
}

/* velocity that residuals are relative to: |g| dt, or without gravity a thousandth of the largest speed or of a thickness a step */
static ct_real cti_cmr_scale(const cti_state *s, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, big = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        if (s->rigid_of[i / 3] < 0 || s->mass[i / 3] > 0)
            big = cti_max(big, cti_abs(s->v_free[i]));
    for (i = 0; i < CTI_LEN(s->rigids); i++) { /* a turning body's points, at its radius of gyration */
        const cti_rigid *r = &s->rigids[i];
        big = cti_max(big, cti_v3_norm(cti_v3_at(s->v_free, r->block + 1)) * cti_sqrt((r->inertia[0] + r->inertia[4] + r->inertia[8]) / (2 * r->mass)));
    }
    if (!(g > 0))
        g = CTI_R(1e-3) * cti_max(big, s->desc.thickness / dt);
    return g > 0 ? g : CTI_R(1e-9);
}

/* a rigid body's two blocks are not coupled: their residual r is taken up exactly */
static void cti_cmr_balance_rigid(const cti_state *s, const cti_rigid *b, const ct_real *r, ct_real *v)
{
    int i;
    for (i = b->block; i < b->block + 2; i++) {
        ct_real inverse[9];
        if (cti_m3_inverse(s->A.val + 9 * (size_t)s->A.diag[i], inverse))
            cti_v3_addto(v, i, cti_m3_mul_v(inverse, cti_v3_at(r, i)));
    }
}

/* what an iteration left of each free component's momentum: a uniform velocity takes it up exactly, since 1' A = 1' M (1 + dt alpha).
   f [3 n] is b + J' r. only_touched: components whose island was solved */
static void cti_cmr_balance(cti_state *s, ct_real dt, const ct_real *f, int only_touched, ct_real *v)
{
    const cti_factors *q = &s->factors;
    ct_real *r = s->pcg_work;
    int c, k;
    cti_bsr_residual(&s->A, f, v, r);
    for (c = 0; c < CTI_LEN(q->components); c++) {
        cti_v3 sum = cti_v3_zero();
        ct_real m = 0;
        int held = only_touched && !q->components[c].touched, rigid = s->rigid_of[q->blocks[q->components[c].begin]];
        if (rigid >= 0) {
            if (!held)
                cti_cmr_balance_rigid(s, &s->rigids[rigid], r, v);
            continue;
        }
        for (k = q->components[c].begin; k < q->components[c].end; k++) {
            int i = q->blocks[k];
            sum = cti_v3_add(sum, cti_v3_at(r, i));
            m += s->mass[i] * (1 + dt * s->alpha[i]);
            held |= s->n_constrained && s->filter[i] >= 0;
        }
        if (held || !(m > 0))
            continue;
        for (k = q->components[c].begin; k < q->components[c].end; k++)
            cti_v3_addto(v, q->blocks[k], cti_v3_mul(sum, 1 / m));
    }
}

/* what a component's free solve is asked for: half the tolerance of the velocity scale, in the energy norm of its lightest block */
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
    return (double)(s->desc.solver.tolerance * CTI_R(0.5) * g * cti_sqrt(light) * cti_max(1, CTI_R(0.1) * cti_sqrt(n)));
}

/* where v_free starts: exact for a body that falls without deformation; one that contacts press is deformed, and changes speed as in the
   last attempt */
static void cti_cmr_free_start(cti_state *s, ct_real dt)
{
    int c, k, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        for (k = q->begin; k < q->end; k++)
            for (i = 3 * s->factors.blocks[k]; i < 3 * s->factors.blocks[k] + 3; i++)
                s->v_free[i] = s->v[i] + (q->pressed ? s->dv_free[i] * (dt / s->dt_free) : s->desc.gravity[i % 3] * ((dt + s->dt_prev[i / 3]) / 2));
        q->pressed = 0;
    }
    for (i = 0; i < CTI_LEN(s->rigids); i++) {
        const cti_rigid *r = &s->rigids[i];
        ct_real kick = (dt + s->dt_prev[r->block]) / 2;
        cti_v3_put(s->v_free, r->block, cti_v3_mad(cti_v3_at(s->v, r->block), cti_v3_at(s->desc.gravity, 0), kick));
        cti_v3_put(s->v_free, r->block + 1, cti_v3_at(r->w_mid, 0));
    }
    cti_cmr_hold(s, s->v_free);
}

/* v_free: A v = b */
static int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out)
{
    int i, its = 0, nc = CTI_LEN(s->factors.components);
    double *tol = CTI_ARENA_NEW(s->arena, double, nc);
    cti_factors_age(&s->factors);
    if (!tol || !cti_factors_refresh(&s->factors, &s->A, dt))
        return 0;
    cti_cmr_free_start(s, dt);
    for (i = 0; i < nc; i++)
        tol[i] = cti_cmr_free_tolerance(s, &s->factors.components[i], dt);
    if (!cti_factors_free_solve(&s->factors, &s->A, s->b, s->v_free, tol, 200, s->pcg_work, &its))
        return 0;
    out->linear_iterations += its;
    cti_cmr_balance(s, dt, s->b, 0, s->v_free);
    for (i = 0; i < 3 * s->n; i++)
        s->dv_free[i] = s->v_free[i] - s->v[i];
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
        if (!s->origins[i].joint)
            cti_cmr_enter(x, cti_pair_key(&s->surface, &s->origins[i].pair), i);
    return 1;
}

/* one row: appended, or in place of row `place` >= 0 whose multipliers it takes over */
static int cti_cmr_put_row(cti_state *s, cti_row *row, const cti_contact_row *origin, int place)
{
    if (place >= 0) {
        memcpy(row->r, s->rows[place].r, sizeof row->r);
        s->rows[place] = *row;
        s->origins[place] = *origin;
        return 1;
    }
    if (!CTI_PUSH(s->mem, s->rows, *row))
        return 0;
    if (!CTI_PUSH(s->mem, s->origins, *origin)) {
        stbds_header(s->rows)->length--;
        return 0;
    }
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

/* rows for hits; a pair gets at most three, then its newest is linearized anew; one whose newest row is broken is only solved again */
static int cti_cmr_add_rows(cti_state *s, const cti_row_context *c)
{
    cti_cmr_index x;
    int i;
    if (!cti_cmr_make_index(s, &x))
        return 0;
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        cti_row row;
        cti_contact_row origin;
        uint64_t key = cti_pair_key(&s->surface, &s->hits[i].pair);
        uint32_t at = cti_cmr_find(&x, key);
        int twin = x.count[at];
        if (twin > 0 && cti_cmr_is_broken(s, x.last[at], c->dt)) {
            s->origins[x.last[at]].fresh = 1;
            continue;
        }
        if (!cti_rows_build(c, &s->hits[i].pair, s->hits[i].normal, cti_min_int(twin, 2), &row, &origin))
            continue;
        origin.fresh = 1;
        if (!cti_cmr_put_row(s, &row, &origin, twin < 3 ? -1 : x.last[at]))
            return 0;
        if (twin < 3)
            cti_cmr_enter(&x, key, CTI_LEN(s->rows) - 1);
    }
    return 1;
}

CTI_FN void cti_cmr_problem(const cti_state *s, cti_problem *p)
{
    memset(p, 0, sizeof *p);
    p->A = &s->A, p->b = s->b, p->dt = s->problem_dt;
    p->velocity_scale = s->problem_scale;
    p->approach_limit = s->desc.thickness / (2 * s->problem_dt);
    p->rows = s->rows, p->n_rows = CTI_LEN(s->rows);
    p->filter = s->n_constrained ? s->filter : NULL;
    p->projectors = s->projectors;
}

/* rows and origins sorted by island, each island's in their order; start [n_islands + 1] */
static int cti_cmr_sort_islands(cti_state *s, int32_t **out_start, int *out_n)
{
    int n = CTI_LEN(s->rows), i;
    int32_t *island = CTI_ARENA_NEW(s->arena, int32_t, n), *start;
    cti_row *rows = CTI_ARENA_NEW(s->arena, cti_row, n);
    cti_contact_row *origins = CTI_ARENA_NEW(s->arena, cti_contact_row, n);
    if (!island || !rows || !origins || !cti_factors_islands(&s->factors, s->arena, s->rows, n, island, out_n))
        return 0;
    start = CTI_ARENA_ZERO(s->arena, int32_t, *out_n + 2);
    if (!start)
        return 0;
    *out_start = start;
    if (*out_n == 1) {
        start[1] = n;
        return 1;
    }
    for (i = 0; i < n; i++)
        start[island[i] + 2]++;
    for (i = 0; i < *out_n; i++)
        start[i + 2] += start[i + 1];
    for (i = 0; i < n; i++) {
        int at = start[island[i] + 1]++;
        rows[at] = s->rows[i], origins[at] = s->origins[i];
    }
    memcpy(s->rows, rows, sizeof(cti_row) * (size_t)n);
    memcpy(s->origins, origins, sizeof(cti_contact_row) * (size_t)n);
    return 1;
}

/* one island: its rows and the components that they touch; a factor that lags too far is renewed on the way. 0: out of memory */
static int cti_cmr_solve_island(cti_state *s, ct_real dt, int first, int end, cti_attempt *out, cti_solve_status *ended)
{
    ct_solver_desc desc = s->desc.solver;
    cti_problem p;
    cti_solve_info info;
    if (out->rounds > 0)
        desc.max_sweeps = cti_max_int(1, desc.max_sweeps / 2); /* a later round starts from the solution of the one before */
    do {
        cti_cmr_problem(s, &p);
        p.rows = s->rows + first, p.n_rows = end - first;
        p.lagged = cti_factors_lag(&s->factors);
        p.free_start = 1;
        p.clusters = cti_factors_clusters(&s->factors, s->arena, desc.cluster, p.rows, p.n_rows, s->n, &p.n_clusters);
        if (!p.clusters)
            return 0;
        if (out->rounds == 0)
            cti_factors_respond(&s->factors, &p, s->v_new, s->pcg_work);
        cti_ica_solve(&p, &desc, s->arena, s->v_new, &info);
        out->solver_iterations += info.iterations;
        out->solver_sweeps += info.sweeps;
        if (info.status == CTI_SOLVE_MEMORY)
            return 0;
        if (info.status == CTI_SOLVE_SLOW && cti_factors_mark(&s->factors) && !cti_factors_refresh(&s->factors, &s->A, dt))
            return 0;
    } while (info.status == CTI_SOLVE_SLOW);
    *ended = info.status;
    return 1;
}

/* 1 when an island has rows that were not solved yet; marks its components. An island without any keeps its solution, bit by bit */
static int cti_cmr_touch(cti_state *s, int first, int end)
{
    int i, k, fresh = 0;
    for (i = first; i < end; i++)
        fresh |= s->origins[i].fresh;
    for (i = first; fresh && i < end; i++) {
        s->origins[i].fresh = 0;
        for (k = 0; k < s->rows[i].n; k++) {
            cti_component *c = &s->factors.components[s->factors.component_of[s->rows[i].term[k].block]];
            c->touched = c->pressed = 1;
        }
    }
    return fresh;
}

/* the islands with fresh rows, each for itself, so that none feels another; then what all of it is worth. work [6 n];
   ended [n]: how each island did when it was solved last */
static int cti_cmr_solve_islands(cti_state *s, ct_real dt, const int32_t *start, const uint8_t *touched, int n, ct_real *work, cti_attempt *out,
                                 cti_solve_status *ended)
{
    cti_problem p;
    cti_residuals res;
    int i;
    for (i = 0; i < n; i++)
        if (touched[i] && !cti_cmr_solve_island(s, dt, start[i], start[i + 1], out, &ended[i]))
            return 0;
    cti_cmr_problem(s, &p);
    cti_problem_rhs(&p, work);
    cti_cmr_balance(s, dt, work, 1, s->v_new);
    cti_residual_eval(&p, s->desc.solver.cone, s->v_new, work, &res);
    out->residual = res.natural_map;
    return 1;
}

/* islands that ended poorly with a body split into nodes: the body is taken whole, and they start again. touched: in, those that were solved;
   out, those to solve again. r [3 rows]: multipliers that the first solve started from. Returns how many */
static int cti_cmr_harden(cti_state *s, const int32_t *start, uint8_t *touched, int n, const ct_real *r, ct_real *work)
{
    cti_problem p;
    cti_residuals res;
    int i, k, e, c, count = 0;
    for (i = 0; i < n; i++) {
        if (!touched[i])
            continue;
        cti_cmr_problem(s, &p);
        p.rows = s->rows + start[i], p.n_rows = start[i + 1] - start[i];
        cti_residual_eval(&p, s->desc.solver.cone, s->v_new, work, &res);
        touched[i] = (uint8_t)(!(res.natural < CTI_CMR_POOR) && cti_factors_harden(&s->factors, p.rows, p.n_rows));
        if (!touched[i])
            continue;
        count++;
        for (k = start[i]; k < start[i + 1]; k++) {
            memcpy(s->rows[k].r, r + 3 * (size_t)k, 3 * sizeof(ct_real));
            for (e = 0; e < s->rows[k].n; e++) {
                const cti_component *q = &s->factors.components[s->factors.component_of[s->rows[k].term[e].block]];
                for (c = q->begin; c < q->end; c++)
                    cti_v3_put(s->v_new, s->factors.blocks[c], cti_v3_at(s->v_free, s->factors.blocks[c]));
            }
        }
    }
    return count;
}

/* one constrained solve from v_new and the rows' multipliers */
static int cti_cmr_solve(cti_state *s, ct_real dt, ct_real scale, cti_attempt *out)
{
    int32_t *start;
    uint8_t *touched;
    cti_solve_status *ended;
    int i, n, budget = 0;
    ct_real *work = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->n), *r;
    s->problem_dt = dt, s->problem_scale = scale, s->has_problem = 1;
    if (!work || !cti_cmr_sort_islands(s, &start, &n))
        return 0;
    touched = CTI_ARENA_NEW(s->arena, uint8_t, n);
    r = CTI_ARENA_NEW(s->arena, ct_real, 3 * CTI_LEN(s->rows));
    ended = CTI_ARENA_ZERO(s->arena, cti_solve_status, n);
    if (!touched || !r || !ended)
        return 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        memcpy(r + 3 * (size_t)i, s->rows[i].r, 3 * sizeof(ct_real));
    for (i = 0; i < CTI_LEN(s->factors.components); i++)
        s->factors.components[i].touched = 0;
    for (i = 0; i < n; i++)
        touched[i] = (uint8_t)cti_cmr_touch(s, start[i], start[i + 1]);
    if (!cti_cmr_solve_islands(s, dt, start, touched, n, work, out, ended))
        return 0;
    if (!(out->residual < CTI_CMR_POOR) && s->desc.solver.cluster == CT_CLUSTER_AUTO && cti_cmr_harden(s, start, touched, n, r, work) &&
        !cti_cmr_solve_islands(s, dt, start, touched, n, work, out, ended))
        return 0;
    for (i = 0; i < n; i++) {
        budget |= ended[i] == CTI_SOLVE_BUDGET;
        out->converged &= ended[i] != CTI_SOLVE_DIVERGED;
    }
    /* the last sweeps may have reached the tolerance after all */
    out->budget = (out->budget || budget) && !(out->residual <= s->desc.solver.tolerance);
    return 1;
}

/* 1 for a rigid body's angular block, whose velocity is no speed */
static int cti_cmr_turns(const cti_state *s, int block) { return s->rigid_of[block] >= 0 && s->rigids[s->rigid_of[block]].block != block; }

/* most speed of a surface that a script moves */
static ct_real cti_cmr_script(const cti_state *s, ct_real dt)
{
    ct_real big = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(s->movers); i++)
        for (k = s->movers[i].v0; k < s->movers[i].v0 + s->movers[i].n; k++)
            big = cti_max(big, cti_v3_norm2(cti_v3_sub(cti_v3_at(s->surface.script, k), cti_v3_at(s->surface.x0, k))));
    return cti_sqrt(big) / dt;
}

/* 1 while the tentative motion is finite and no block runs farther than ten times the world's size and what speed and gravity allow:
   an element that was crushed may answer with any force, and trees and predicates are for numbers that mean something */
static int cti_cmr_sane(const cti_state *s, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), size = 0, speed = 0, script = cti_cmr_script(s, dt) + cti_joints_speed(s, dt), limit;
    int i;
    for (i = 0; i < 3 * s->surface.nv; i++)
        size = cti_max(size, cti_abs(s->surface.x0[i] - s->surface.x0[i % 3]));
    for (i = 0; i < 3 * s->n; i++)
        if (!cti_cmr_turns(s, i / 3)) {
            size = cti_max(size, cti_abs(s->x[i] - s->x[i % 3]));
            speed = cti_max(speed, cti_abs(s->v[i]));
            script = cti_max(script, cti_abs(s->v_fixed[i]));
        }
    limit = 10 * (size + dt * (speed + script + dt * g));
    for (i = 0; i < 3 * s->n; i++)
        if (!cti_finite(s->v_new[i]) || (!cti_cmr_turns(s, i / 3) && !(cti_abs(dt * s->v_new[i]) <= limit)))
            return 0;
    return 1;
}

/* how far contacts may take v_new from v_free, squared in the norm of A: what stopping everything would take, and moving all of it at the
   speeds of the script and of easing apart, with a margin for friction. Rest or the script's motion is admissible, and the solution is the
   admissible v nearest to v_free */
static double cti_cmr_reach(const cti_state *s, ct_real dt)
{
    ct_real w = s->desc.recovery_speed > 0 ? s->desc.recovery_speed : s->desc.thickness / dt, script = 0;
    double sum = 0;
    int i, k;
    for (i = 0; i < 3 * s->n; i++)
        script = cti_max(script, cti_abs(s->v_fixed[i]));
    w += cti_max(script, cti_cmr_script(s, dt)) + cti_joints_speed(s, dt);
    cti_bsr_mul(&s->A, s->v_free, s->pcg_work);
    for (i = 0; i < s->n; i++)
        for (k = 3 * i; k < 3 * i + 3; k++) {
            ct_real own = s->A.val[9 * (size_t)s->A.diag[i] + 4 * (size_t)(k % 3)] * s->v_fixed[k] * s->v_fixed[k];
            sum += (double)(s->v_free[k] * s->pcg_work[k] + own + s->mass[i] * w * w);
        }
    return 4 * sum;
}

/* 1 while the contacts' share of the motion is within reach: a solve that ends outside has not found the solution, and its motion is not
   worth a detection */
static int cti_cmr_plausible(const cti_state *s, double reach)
{
    ct_real *d = s->pcg_work, *Ad = d + 3 * (size_t)s->n;
    double moved = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        d[i] = s->v_new[i] - s->v_free[i];
    cti_bsr_mul(&s->A, d, Ad);
    for (i = 0; i < 3 * s->n; i++)
        moved += (double)(d[i] * Ad[i]);
    return moved <= reach;
}

/* an attempt whose numbers mean nothing ends at rest where it began */
static int cti_cmr_give_up(cti_state *s, ct_real dt, cti_attempt *out)
{
    memset(s->v_new, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    out->clear = out->converged = 0;
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
    return cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, c->memory, &s->hits) &&
           cti_cull_flat(s->arena, &s->surface, c->memory, s->hits) && cti_cmr_add_rows(s, c);
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
        if (!cti_cmr_plausible(s, reach) || !cti_cmr_sane(s, dt))
            return cti_cmr_give_up(s, dt, out);
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

/* the loop of solve and CCD (step 4) */
static int cti_cmr_rounds(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    ct_real scale = cti_cmr_scale(s, dt);
    double t, reach = cti_cmr_reach(s, dt);
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
        if (CTI_LEN(s->hits) == 0) {
            out->clear = 1;
            return 1;
        }
        out->limit = s->hits[0].pair;
        cti_cmr_stage(s);
        if (CTI_LEN(s->hits) > s->surface.nv && !cti_cmr_first_hits(s))
            return 0;
        if (!cti_cmr_add_rows(s, c))
            return 0;
    }
    return 1;
}

CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_attempt *out)
{
    cti_row_context c;
    double t0 = cti_cmr_clock(s), t1;
    int i;
    memset(out, 0, sizeof *out);
    out->converged = 1;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble_movers(s, s->time + (double)dt);
    cti_assemble(s, dt, &out->extended);
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
    if (!cti_cmr_sane(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    if (!cti_cmr_begin(s, &c))
        return 0;
    out->ms_detect = cti_cmr_clock(s) - t0;
    if (!cti_cmr_rounds(s, dt, &c, out))
        return 0;
    for (i = 0; i < s->n_models; i++)
        out->crushed += cti_tet_batch_crushed(&s->models[i]->tets, s->x, s->x_new);
    for (i = 0; i < CTI_LEN(s->rigids); i++)
        out->spun += dt * cti_v3_norm(cti_v3_at(s->v_new, s->rigids[i].block + 1)) > CTI_CMR_TURN;
    return 1;
}
