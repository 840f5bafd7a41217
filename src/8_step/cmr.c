/* cmr.c -- constraint manifold refinement.
   Method: linearize, solve without contacts, rows from near pairs, then rounds of solve and continuous collision detection; every collision
   found adds a row with the normal at its time of impact, until the straight motion from x to x + dt v is clear (Otaduy 2009, sec. 4,
   steps 1 - 4.4). differs: rows of near pairs are culled to one per geometric contact, the detection never is; CCD keeps a quarter of the
   thickness, so that rounding can not turn a touch into a crossing. */
#include "cmr.h"
#include "../3_solve/ica.h"

CTI_FN double cti_cmr_clock(const cti_state *s) { return s->desc.now_us ? (double)s->desc.now_us(s->desc.now_user) * 1e-3 : 0.0; }

CTI_FN void cti_cmr_context(const cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_row_context *out)
{
    memset(out, 0, sizeof *out);
    out->surface = &s->surface;
    out->fixed = s->fixed;
    out->v_fixed = s->v_fixed;
    out->inv_mass = s->inv_mass;
    out->memory = memory;
    out->dt = dt;
    out->dt_memory = dt_memory;
    out->recovery_speed = s->desc.recovery_speed;
}

CTI_FN void cti_cmr_move(cti_state *s, ct_real dt)
{
    int i;
    for (i = 0; i < 3 * s->n; i++)
        s->x_new[i] = s->x[i] + dt * s->v_new[i];
    cti_surface_place(&s->surface, s->x_new, s->surface.x1);
}

/* velocity that residuals are relative to: |g| dt, or a thousandth of the largest speed where that is more */
static ct_real cti_cmr_scale(const cti_state *s, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, big = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        big = cti_max(big, cti_abs(s->v_free[i]));
    g = cti_max(g, big * CTI_R(1e-3));
    return g > 0 ? g : CTI_R(1e-9);
}

/* v_free: A v = b by conjugate gradients behind the float factors; a lagging factor is renewed when it costs iterations */
static int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, tol = s->desc.solver.tolerance, scale = g, big = 0;
    int i, its = 0, lim;
    cti_factors_age(&s->factors);
    if (!cti_factors_refresh(&s->factors, &s->A, dt))
        return 0;
    for (i = 0; i < 3 * s->n; i++) {
        s->v_free[i] = s->v[i] + s->desc.gravity[i % 3] * (s->fixed[i / 3] ? 0 : dt);
        big = cti_max(big, cti_abs(s->v_free[i]));
    }
    scale = cti_max(scale, big * CTI_R(1e-3));
    if (!(scale > 0))
        scale = CTI_R(1e-9);
    for (lim = 0; lim < 2; lim++) {
        cti_pcg(&s->A, s->b, s->v_free, cti_factors_precondition, &s->factors, tol * CTI_R(0.5) * scale * cti_sqrt(s->mass_min) * cti_max(1, CTI_R(0.1) * cti_sqrt((ct_real)s->n)), 200, s->pcg_work, &its);
        out->linear_iterations += its;
        if (its <= 8 || !cti_factors_mark(&s->factors))
            break;
        if (its < 30)
            break; /* renewed in the next step */
        if (!cti_factors_refresh(&s->factors, &s->A, dt))
            return 0;
    }
    return 1;
}

/* number of rows that this pair has already; *last is the newest of them */
static int cti_cmr_twins(const cti_state *s, uint64_t key, int *last)
{
    int i, n = 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        if (s->rows[i].key >= key && s->rows[i].key < key + 4)
            n++, *last = i;
    return n;
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

/* rows for hits; a pair gets at most three, then its newest is linearized anew */
static int cti_cmr_add_rows(cti_state *s, const cti_row_context *c, int from_ccd)
{
    int i, last = 0;
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        cti_row row;
        cti_contact_row origin;
        int twin = from_ccd ? cti_cmr_twins(s, cti_pair_key(&s->surface, &s->hits[i].pair), &last) : 0;
        if (!cti_rows_build(c, &s->hits[i].pair, s->hits[i].normal, twin < 3 ? twin : 2, &row, &origin))
            continue;
        origin.from_ccd = from_ccd;
        if (twin >= 3) {
            memcpy(row.r, s->rows[last].r, sizeof row.r);
            s->rows[last] = row;
            s->origins[last] = origin;
            continue;
        }
        if (!CTI_PUSH(s->mem, s->rows, row))
            return 0;
        if (!CTI_PUSH(s->mem, s->origins, origin)) {
            stbds_header(s->rows)->length--;
            return 0;
        }
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

/* one constrained solve from v_new and the rows' multipliers */
static int cti_cmr_solve(cti_state *s, ct_real dt, ct_real scale, cti_attempt *out)
{
    cti_problem p;
    cti_solve_info info;
    cti_residuals res;
    ct_real *work;
    s->problem_dt = dt, s->problem_scale = scale, s->has_problem = 1;
    work = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->n);
    if (!work)
        return 0;
    do {
        cti_cmr_problem(s, &p);
        p.lagged = cti_factors_lag(&s->factors);
        p.clusters = cti_factors_clusters(&s->factors, s->arena, s->desc.solver.cluster, s->rows, p.n_rows, s->n, &p.n_clusters);
        if (!p.clusters)
            return 0;
        cti_ica_solve(&p, &s->desc.solver, s->arena, s->v_new, &info);
        out->solver_iterations += info.iterations;
        out->solver_sweeps += info.sweeps;
        if (info.status == CTI_SOLVE_MEMORY)
            return 0;
        /* slow: go on with new factors */
        if (info.status == CTI_SOLVE_SLOW && cti_factors_mark(&s->factors) && !cti_factors_refresh(&s->factors, &s->A, dt))
            return 0;
    } while (info.status == CTI_SOLVE_SLOW);
    cti_residual_eval(&p, s->desc.solver.cone, s->v_new, work, &res);
    out->residual = res.natural_map;
    out->budget = info.status == CTI_SOLVE_BUDGET;
    if (info.status == CTI_SOLVE_DIVERGED)
        out->converged = 0;
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
static int cti_cmr_begin(cti_state *s, ct_real dt, const cti_row_context *c)
{
    int changed;
    memcpy(s->v_new, s->v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed) || !cti_detect_distances(s->mem, &s->detect, &s->surface))
        return 0;
    CTI_CLEAR(s->hits);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    return cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, &s->hits) && cti_cmr_add_rows(s, c, 0);
}

/* the loop of solve and CCD (step 4) */
static int cti_cmr_rounds(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    ct_real scale = cti_cmr_scale(s, dt);
    double t;
    int round;
    for (round = 0; round <= s->desc.cmr_rounds; round++) {
        t = cti_cmr_clock(s);
        if (CTI_LEN(s->rows)) {
            if (!cti_cmr_solve(s, dt, scale, out))
                return 0;
            cti_cmr_move(s, dt);
            out->rounds++;
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
        if (!cti_cmr_add_rows(s, c, 1))
            return 0;
    }
    return 1;
}

CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_attempt *out)
{
    cti_row_context c;
    double t0 = cti_cmr_clock(s), t1;
    memset(out, 0, sizeof *out);
    out->converged = 1;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble(s, dt, &out->extended);
    t1 = cti_cmr_clock(s);
    out->ms_assemble = t1 - t0;
    if (!cti_cmr_free_motion(s, dt, out))
        return 0;
    t0 = cti_cmr_clock(s);
    out->ms_unconstrained = t0 - t1;
    cti_cmr_context(s, dt, memory, dt_memory, &c);
    if (!cti_cmr_begin(s, dt, &c))
        return 0;
    out->ms_detect = cti_cmr_clock(s) - t0;
    return cti_cmr_rounds(s, dt, &c, out);
}
