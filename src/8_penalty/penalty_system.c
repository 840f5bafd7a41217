/* penalty_system.c -- the linear systems of a substep, and the bound of the explicit form.
   Method: the implicit form solves A v = b + J' r(J v + w) for velocities. A is the assembled matrix of the bodies without contacts; each solve takes
   r = c - D u, linearized at the last velocities (penalty_law.c), so that its matrix A + J' D J is symmetric and positive definite. It is never
   formed: conjugate gradients get its product with a vector, and the inverses of its 3x3 blocks on the diagonal as the preconditioner. Bodies that
   rows connect are an island, whose solves and line searches end by its own numbers. Unknowns are six for a rigid body and three for a node. The
   impulses are those of the last linearization, so that action and reaction are the same numbers, and the momentum of bodies that touch each other
   is kept to the accuracy of conjugate gradients. What the linearization misses of the law is the residual.
   The explicit form, v+ = v + h M^-1 J'(k d - b u), x+ = x + h v+, is stable for C + 2 B < 4 (docs/penalty.md), with C and B the largest eigenvalues
   of h^2 M^-1 J'K J and h M^-1 J'B J, which the power method finds; elasticity only adds to M.
   based on: lecture notes 4.1.2.3, 4.4.1; Xu, Zhao, Barbic 2014. */
#include "../8_step/assemble.h"
#include "../8_step/move.h"
#include "penalty.h"
#include "../0_base/sets.h"

/* cti_penalty_operator -- is A + J' D J; with `contacts` 0 A alone. */
typedef struct cti_penalty_operator {
    const cti_state *s;
    cti_problem p;
    int contacts;
} cti_penalty_operator;

static void cti_penalty_problem(const cti_state *s, cti_problem *p)
{
    memset(p, 0, sizeof *p);
    p->A = &s->system.A, p->b = s->system.b, p->rows = s->contact.rows, p->n_rows = CTI_LEN(s->contact.rows);
    p->filter = s->scripts.n_constrained ? s->scripts.filter : NULL;
    p->projectors = s->scripts.projectors;
}

/* sets u to J v of a row, without w */
static void cti_penalty_relative(const cti_row *row, const ct_real *v, ct_real *u)
{
    int k;
    cti_row_velocity(row, v, u);
    for (k = 0; k < 3; k++)
        u[k] -= row->w[k];
}

/* sets out to the part of x that scripts leave; J acts on it alone, so that the product is symmetric */
static void cti_penalty_project(const cti_state *s, const ct_real *x, ct_real *out)
{
    int i;
    memcpy(out, x, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; s->scripts.n_constrained && i < s->n; i++)
        cti_v3_put(out, i, cti_state_free(s, i, cti_v3_at(x, i)));
}

/* 0: the row has no impulse. A law whose impulse can be a constant, without a slope, must test c, too */
static int cti_penalty_has_tangent(const cti_penalty_contact *q) { return q->D[0] > 0 || q->D[4] > 0 || q->D[8] > 0; }

static void cti_penalty_apply(void *ctx, const ct_real *x, ct_real *y)
{
    const cti_penalty_operator *q = (const cti_penalty_operator *)ctx;
    const cti_penalty *p = cti_penalty_of(q->s);
    ct_real *free = p->work;
    int i;
    cti_bsr_mul(&q->s->system.A, x, y);
    if (!q->contacts)
        return;
    cti_penalty_project(q->s, x, free);
    for (i = 0; i < q->p.n_rows; i++) {
        ct_real u[3];
        if (!cti_penalty_has_tangent(&p->contacts[i]))
            continue;
        cti_penalty_relative(&q->p.rows[i], free, u);
        cti_v3_put(u, 0, cti_penalty_times_D(&p->contacts[i], u));
        cti_row_scatter(&q->p, &q->p.rows[i], u, y);
    }
}

/* sets `jacobi`: inverses of the diagonal blocks of A, or of A + J' D J */
static void cti_penalty_precondition(const cti_state *s, const cti_penalty_operator *q)
{
    cti_penalty *p = cti_penalty_of(s);
    int i, k, e;
    for (i = 0; i < s->n; i++)
        memcpy(p->jacobi + 9 * (size_t)i, s->system.A.val + 9 * (size_t)s->system.A.diag[i], 9 * sizeof(ct_real));
    for (i = 0; q->contacts && i < q->p.n_rows; i++)
        for (k = 0; cti_penalty_has_tangent(&p->contacts[i]) && k < q->p.rows[i].n; k++) {
            ct_real G[9], Gt[9], *block = p->jacobi + 9 * (size_t)q->p.rows[i].term[k].block;
            cti_m3 m;
            cti_row_map(&q->p.rows[i], k, G);
            cti_row_map_t(&q->p, &q->p.rows[i], k, Gt);
            m = cti_m3_mul(p->contacts[i].D, G);
            m = cti_m3_mul(Gt, m.m);
            for (e = 0; e < 9; e++)
                block[e] += m.m[e];
        }
    for (i = 0; i < s->n; i++) {
        ct_real inverse[9], *block = p->jacobi + 9 * (size_t)i;
        ct_real trace = block[0] + block[4] + block[8];
        /* a constrained block is not symmetric there; its own part of A is a projection, and the mean of its diagonal suffices */
        if (s->scripts.n_constrained && s->scripts.filter[i] >= 0 ? 1 : !cti_m3_inverse(block, inverse)) {
            memset(inverse, 0, sizeof inverse);
            inverse[0] = inverse[4] = inverse[8] = trace > 0 ? 3 / trace : 1;
        }
        memcpy(block, inverse, sizeof inverse);
    }
}

static void cti_penalty_jacobi(void *ctx, const ct_real *r, ct_real *z)
{
    const cti_state *s = (const cti_state *)ctx;
    const ct_real *inverse = cti_penalty_of(s)->jacobi;
    int i;
    for (i = 0; i < s->n; i++)
        cti_v3_put(z, i, cti_m3_mul_v(inverse + 9 * (size_t)i, cti_v3_at(r, i)));
}

/* returns the island of a block */
static int cti_penalty_island(const cti_state *s, int block) { return cti_penalty_of(s)->islands.first[s->factors.component_of[block]]; }

/* finds the islands of the rows at hand */
static void cti_penalty_find_islands(cti_state *s)
{
    int32_t *set = cti_penalty_of(s)->islands.first;
    const int32_t *of = s->factors.component_of;
    int i, k, n = CTI_LEN(s->factors.components);
    cti_sets_init(set, n);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 1; k < s->contact.rows[i].n; k++)
            cti_sets_join(set, of[s->contact.rows[i].term[0].block], of[s->contact.rows[i].term[k].block]);
    for (i = 0; i < n; i++) /* a root comes before the others of its set */
        set[i] = set[set[i]];
}

/* z = y / S, v = v / S with islands.scale S: powers of two that make the norms of z in M^-1 at most 1 on each island. Returns the least of those */
static ct_real cti_penalty_scale_islands(cti_state *s, const ct_real *y, ct_real *z, ct_real *v)
{
    cti_penalty *p = cti_penalty_of(s);
    ct_real least = 1;
    int i, k, n = CTI_LEN(s->factors.components);
    cti_penalty_jacobi(s, y, z);
    for (i = 0; i < n; i++)
        p->islands.scale[i] = 0;
    for (i = 0; i < s->n; i++)
        p->islands.scale[cti_penalty_island(s, i)] += cti_v3_dot(cti_v3_at(y, i), cti_v3_at(z, i));
    for (i = 0; i < n; i++) {
        double norm = sqrt(cti_fmax(0, (double)p->islands.scale[i]));
        int e = 0;
        if (norm > 0 && cti_finite64(norm)) {
            frexp(norm, &e);
            least = cti_min(least, (ct_real)ldexp(norm, -e));
        }
        p->islands.scale[i] = (ct_real)ldexp(1, e);
    }
    for (i = 0; i < 3 * s->n; i++) {
        k = cti_penalty_island(s, i / 3);
        z[i] = y[i] / p->islands.scale[k], v[i] /= p->islands.scale[k];
    }
    return least;
}

/* solves (A + J' D J) v = y, with `contacts` 0 A v = y, from v until the residual is `tolerance` of the right side's norm. Rows connect no two
   islands, so that each has its own units: in those of cti_penalty_scale_islands this norm is each island's, and a heavy fast body far away does
   not end others' solves early. 0: it did not converge */
static int cti_penalty_conjugate(cti_state *s, int contacts, ct_real tolerance, const ct_real *y, ct_real *v, int *cg_iterations)
{
    cti_penalty *p = cti_penalty_of(s);
    cti_penalty_operator q;
    cti_operator A, M;
    ct_real *z = p->work + 3 * (size_t)s->n, least;
    int i, done;
    q.s = s, q.contacts = contacts;
    cti_penalty_problem(s, &q.p);
    cti_penalty_precondition(s, &q);
    A.n = M.n = 3 * s->n, A.apply = cti_penalty_apply, A.ctx = &q, M.apply = cti_penalty_jacobi, M.ctx = s;
    least = cti_penalty_scale_islands(s, y, z, v);
    done = cti_pcg(&A, &M, z, v, tolerance * least, cti_penalty_tuned.minimum.cg_iterations, p->work + 6 * (size_t)s->n, cg_iterations);
    for (i = 0; i < 3 * s->n; i++)
        v[i] *= p->islands.scale[cti_penalty_island(s, i / 3)];
    return done;
}

CTI_FN int cti_penalty_free_motion(cti_state *s, ct_step_report *r)
{
    int i, cg_iterations = 0, done;
    cti_penalty_find_islands(s);
    for (i = 0; i < 3 * s->n; i++)
        s->system.v_free[i] = s->v[i];
    cti_move_hold(s, s->system.v_free);
    done = cti_penalty_conjugate(s, 0, cti_penalty_tuned.minimum.tolerance, s->system.b, s->system.v_free, &cg_iterations);
    r->linear_iterations += cg_iterations;
    return done;
}

/* sets y = b + J' (c - D w) of the linearization; w has the motion that scripts give */
static void cti_penalty_right_side(const cti_state *s, const cti_problem *p, ct_real *y)
{
    const cti_penalty *own = cti_penalty_of(s);
    const ct_real *fixed = s->scripts.v_fixed;
    int i, k;
    memcpy(y, s->system.b, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < p->n_rows; i++) {
        const cti_penalty_contact *q = &own->contacts[i];
        ct_real r[3], u[3] = {0, 0, 0};
        if (!cti_penalty_has_tangent(q))
            continue;
        if (s->scripts.n_constrained)
            cti_penalty_relative(&p->rows[i], fixed, u);
        for (k = 0; k < 3; k++)
            u[k] += p->rows[i].w[k];
        cti_v3_put(r, 0, cti_v3_sub(cti_v3_at(q->c, 0), cti_penalty_times_D(q, u)));
        cti_row_scatter(p, &p->rows[i], r, y);
    }
}

/* linearizes the law of every row at v, and returns the largest difference of its impulse to that of the last linearization, as a velocity */
static ct_real cti_penalty_linearize(cti_state *s, ct_real h, const ct_real *v, int at_start)
{
    cti_penalty *p = cti_penalty_of(s);
    ct_real most = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_row *row = &s->contact.rows[i];
        ct_real u[3], r[3], miss = 0;
        cti_row_velocity(row, v, u);
        cti_penalty_impulse(&s->desc.penalty, &p->contacts[i], row->mu, h, u, at_start, r);
        for (k = 0; k < 3; k++)
            miss = cti_max(miss, cti_abs(r[k] - row->r[k]));
        /* less what rounding leaves of the spring's and the damper's terms */
        miss -= cti_penalty_tuned.minimum.rounded * CTI_EPS *
                (cti_abs(p->contacts[i].law.normal_at_rest) + cti_abs(p->contacts[i].law.normal_slope * u[0]));
        /* a change of u by d moves the impulse by D d: the velocity is wrong by the impulse over D or over the mass, whichever is less */
        most = cti_max(most, miss / cti_max(p->contacts[i].D[0], p->contacts[i].mass));
        if (at_start)
            memcpy(row->r, r, sizeof r);
    }
    return most;
}

/* sets velocities and impulses between the last ones, of velocities v [3 n], and those of the linearization at end.v, by the lines' steps. Both
   fulfil the equations of motion, and so does what is between them */
static void cti_penalty_take_steps(cti_state *s, const ct_real *v)
{
    const cti_penalty *p = cti_penalty_of(s);
    ct_real step;
    int i, k;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_row *row = &s->contact.rows[i];
        ct_real u[3];
        cti_row_velocity(row, s->end.v, u);
        cti_v3_put(u, 0, cti_v3_sub(cti_v3_at(p->contacts[i].c, 0), cti_penalty_times_D(&p->contacts[i], u)));
        step = p->islands.lines[cti_penalty_island(s, row->term[0].block)].step;
        for (k = 0; k < 3; k++)
            row->r[k] = step < 1 ? row->r[k] + step * (u[k] - row->r[k]) : u[k];
    }
    for (i = 0; i < 3 * s->n; i++) {
        step = p->islands.lines[cti_penalty_island(s, i / 3)].step;
        if (step < 1)
            s->end.v[i] = v[i] + step * (s->end.v[i] - v[i]);
    }
}

/* adds to v what conjugate gradients have left of b + J' r - A v: of a rigid body all of it, of a component that no script holds its momentum */
static void cti_penalty_correct_momentum(cti_state *s, ct_real *v)
{
    ct_real *y = cti_penalty_of(s)->work;
    const int32_t *blocks = s->factors.blocks;
    cti_problem p;
    int c, i;
    cti_penalty_problem(s, &p);
    cti_problem_rhs(&p, y);
    cti_problem_residual(&p, y, v, y);
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *q = &s->factors.components[c];
        cti_v3 sum = cti_v3_zero();
        ct_real mass = 0, inverse[9];
        int held = 0, rigid = s->bodies.rigid_of[blocks[q->begin]] >= 0;
        for (i = q->begin; i < q->end; i++) {
            int b = blocks[i];
            held |= s->scripts.n_constrained && s->scripts.filter[b] >= 0;
            sum = cti_v3_add(sum, cti_v3_at(y, b)), mass += s->bodies.mass[b] * (1 + s->contact.solved_dt * s->bodies.alpha[b]);
            if (rigid && cti_m3_inverse(s->system.A.val + 9 * (size_t)s->system.A.diag[b], inverse))
                cti_v3_addto(v, b, cti_m3_mul_v(inverse, cti_v3_at(y, b)));
        }
        for (i = q->begin; !rigid && !held && mass > 0 && i < q->end; i++)
            cti_v3_addto(v, blocks[i], cti_v3_mul(sum, 1 / mass));
    }
}

/* returns the largest entry of |D^-1 (A v - b - J' r)| over the velocity scale */
static ct_real cti_penalty_dynamics(const cti_state *s, const ct_real *v, ct_real scale)
{
    cti_problem p;
    cti_residuals res;
    memset(&res, 0, sizeof res);
    cti_penalty_problem(s, &p);
    p.velocity_scale = scale;
    cti_residual_dynamics(&p, v, cti_penalty_of(s)->work, &res);
    return res.dynamics;
}

static ct_real cti_penalty_scale(const cti_state *s, ct_real h)
{
    ct_real big = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        big = cti_max(big, cti_abs(s->system.v_free[i]));
    return cti_assemble_scale(s, h, big);
}

/* solves the explicit form, with forces of the start. 0: conjugate gradients did not converge */
static int cti_penalty_explicit(cti_state *s, ct_real h, int *cg_iterations)
{
    ct_real *y = cti_penalty_of(s)->work + 18 * (size_t)s->n;
    cti_problem p;
    cti_penalty_linearize(s, h, s->v, 1);
    cti_penalty_problem(s, &p);
    cti_problem_rhs(&p, y);
    if (!cti_penalty_conjugate(s, 0, cti_penalty_tuned.minimum.tolerance, y, s->end.v, cg_iterations))
        return 0;
    cti_penalty_correct_momentum(s, s->end.v);
    return 1;
}

/* returns the error of the law, with the bounds of friction as they are, and of the equations at end.v, over the scale; linearizes the law */
static ct_real cti_penalty_error(cti_state *s, ct_real h, ct_real scale)
{
    ct_real miss = cti_penalty_linearize(s, h, s->end.v, 0) / scale;
    return cti_max(miss, cti_penalty_dynamics(s, s->end.v, scale));
}

/* renews the bounds of friction; half: only half of the way. Returns what they have been wrong by, as that error */
static ct_real cti_penalty_renew_bounds(cti_state *s, ct_real h, ct_real scale, int half)
{
    cti_penalty *p = cti_penalty_of(s);
    ct_real most = 0;
    int i;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_penalty_contact *q = &p->contacts[i];
        ct_real want = s->contact.rows[i].mu * s->contact.rows[i].r[0];
        ct_real error = q->sticks && want >= q->friction_bound ? 0 : cti_abs(want - q->friction_bound);
        most = cti_max(most, error / cti_max(q->D[4] + q->D[8], q->mass));
        q->friction_bound = half ? (q->friction_bound + want) / 2 : want;
    }
    cti_penalty_linearize(s, h, s->end.v, 0);
    return most / scale;
}

/* sets slopes of the islands' potentials at their steps; u [6 rows]: velocities of the rows before the step, and their changes in it */
static void cti_penalty_slopes(cti_state *s, const ct_real *u)
{
    cti_penalty *p = cti_penalty_of(s);
    int i, k;
    for (i = 0; i < CTI_LEN(p->islands.lines); i++)
        p->islands.lines[i].slope_step = p->islands.lines[i].slope + (double)p->islands.lines[i].step * p->islands.lines[i].curve;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++, u += 6) {
        cti_penalty_line *line = &p->islands.lines[cti_penalty_island(s, s->contact.rows[i].term[0].block)];
        ct_real at[3];
        for (k = 0; k < 3; k++)
            at[k] = u[k] + line->step * u[3 + k];
        line->slope_step += cti_penalty_slope(&p->contacts[i].law, at, u + 3);
    }
}

/* sets slopes of the bodies' parts, and of all at both ends of the step from v to end.v */
static void cti_penalty_line_ends(cti_state *s, const ct_real *v, ct_real *u)
{
    cti_penalty *p = cti_penalty_of(s);
    ct_real *d = p->work, *Ad = d + 3 * (size_t)s->n;
    int i, n = CTI_LEN(p->islands.lines);
    memset(p->islands.lines, 0, sizeof *p->islands.lines * (size_t)n);
    for (i = 0; i < 3 * s->n; i++)
        d[i] = s->end.v[i] - v[i];
    cti_bsr_mul(&s->system.A, d, Ad);
    for (i = 0; i < 3 * s->n; i++) {
        cti_penalty_line *line = &p->islands.lines[cti_penalty_island(s, i / 3)];
        line->slope += (double)(Ad[i] * v[i]) - (double)(s->system.b[i] * d[i]);
        line->curve += (double)(Ad[i] * d[i]);
    }
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_row_velocity(&s->contact.rows[i], v, u + 6 * (size_t)i);
        cti_penalty_relative(&s->contact.rows[i], d, u + 6 * (size_t)i + 3);
    }
    cti_penalty_slopes(s, u);
    for (i = 0; i < n; i++)
        p->islands.lines[i].slope_lo = p->islands.lines[i].slope_step, p->islands.lines[i].step = p->islands.lines[i].hi = 1;
    cti_penalty_slopes(s, u);
    for (i = 0; i < n; i++) {
        cti_penalty_line *line = &p->islands.lines[i];
        line->slope_hi = line->slope_step, line->tolerance = cti_penalty_tuned.minimum.line_tolerance * fabs(line->slope_lo);
        line->done = line->slope_hi <= line->tolerance || !(line->slope_lo < 0);
    }
}

/* brings an island's bracket up to date with its slope */
static void cti_penalty_update_bracket(cti_penalty_line *line)
{
    line->done = line->done || fabs(line->slope_step) <= line->tolerance;
    if (line->done)
        return;
    if (line->slope_step > 0) {
        line->hi = line->step, line->slope_hi = line->slope_step;
        line->slope_lo = line->side > 0 ? line->slope_lo / 2 : line->slope_lo, line->side = 1;
    } else {
        line->lo = line->step, line->slope_lo = line->slope_step;
        line->slope_hi = line->side < 0 ? line->slope_hi / 2 : line->slope_hi, line->side = -1;
    }
}

/* finds the step length in (0, 1], from v to end.v, for each island, at which 1/2 v'A v - b'v and the contacts' potentials, with friction
   bounded as at v, are least: the implicit form is their minimum. That function is convex, and the zero of its slope is found by false position
   (Illinois). u [6 rows] is scratch */
static void cti_penalty_line_search(cti_state *s, const ct_real *v, ct_real *u)
{
    cti_penalty_line *lines = cti_penalty_of(s)->islands.lines;
    int i, k, open = 1, n = CTI_LEN(lines);
    cti_penalty_line_ends(s, v, u);
    for (k = 0; k < cti_penalty_tuned.minimum.line_steps && open; k++) {
        for (open = i = 0; i < n; i++) {
            cti_penalty_line *q = &lines[i];
            open |= !q->done;
            if (!q->done)
                q->step = cti_clamp((ct_real)((q->slope_hi * (double)q->lo - q->slope_lo * (double)q->hi) / (q->slope_hi - q->slope_lo)),
                                     q->lo, q->hi);
        }
        if (!open)
            break;
        cti_penalty_slopes(s, u);
        for (i = 0; i < n; i++)
            cti_penalty_update_bracket(&lines[i]);
    }
    for (i = 0; i < n; i++)
        if (!lines[i].done)
            lines[i].step = lines[i].lo > 0 ? lines[i].lo : lines[i].hi;
}

/* solves the implicit form: Newton's method on that function, with a line search; where it has converged the bounds of friction are renewed, and it
   goes on, until they do not change. 0: it is above the tolerance; -1: out of memory */
static int cti_penalty_implicit(cti_state *s, ct_real h, ct_real scale, ct_real *residual, ct_step_report *r)
{
    ct_real *last = cti_penalty_of(s)->work + 21 * (size_t)s->n, *y = cti_penalty_of(s)->work + 18 * (size_t)s->n;
    cti_problem p;
    ct_real *line = CTI_ARENA_NEW(s->arena, ct_real, 6 * (size_t)CTI_LEN(s->contact.rows) + 1), tolerance = cti_penalty_tuned.minimum.loose;
    int it, cg_iterations, renewals = 0;
    if (!line)
        return -1;
    cti_penalty_problem(s, &p);
    cti_penalty_linearize(s, h, s->end.v, 0);
    for (it = 0; it < s->desc.penalty.iterations && (it == 0 || r->cg_steps < cti_penalty_of(s)->cg_end); it++) {
        memcpy(last, s->end.v, sizeof(ct_real) * 3 * (size_t)s->n);
        cti_penalty_right_side(s, &p, y);
        cti_penalty_conjugate(s, 1, tolerance, y, s->end.v, &cg_iterations);
        r->cg_steps += cg_iterations, r->solver_iterations++;
        cti_penalty_line_search(s, last, line);
        cti_penalty_take_steps(s, last);
        cti_penalty_correct_momentum(s, s->end.v);
        cti_move(s, h);
        cti_penalty_linearize_rows(s, h);
        *residual = cti_penalty_error(s, h, scale);
        /* far from the solution a rough step does; the error of the last ones is one of momentum */
        tolerance = cti_clamp(cti_penalty_tuned.minimum.loose * *residual, cti_penalty_tuned.minimum.tolerance, cti_penalty_tuned.minimum.loose);
        if (!(*residual <= s->desc.solver.tolerance))
            continue;
        *residual = cti_max(*residual, cti_penalty_renew_bounds(s, h, scale, renewals++ >= cti_penalty_tuned.minimum.renewals));
        if (*residual <= s->desc.solver.tolerance)
            return 1;
    }
    return 0;
}

CTI_FN int cti_penalty_solve(cti_state *s, ct_real h, ct_real *residual, ct_step_report *r)
{
    ct_real scale = cti_penalty_scale(s, h);
    int done, cg_iterations;
    r->solves++;
    cti_penalty_find_islands(s);
    if (s->desc.penalty.form == CT_PENALTY_IMPLICIT)
        return cti_penalty_implicit(s, h, scale, residual, r);
    done = cti_penalty_explicit(s, h, &cg_iterations);
    r->cg_steps += cg_iterations, r->solver_iterations++;
    *residual = cti_penalty_dynamics(s, s->end.v, scale);
    return done && *residual <= s->desc.solver.tolerance;
}

/* ---- the bound of the explicit form ---- */

/* sets `inverse` from the masses and inertias */
static void cti_penalty_masses(cti_state *s)
{
    ct_real *out = cti_penalty_of(s)->inverse;
    int i, k;
    for (i = 0; i < s->n; i++) {
        ct_real *m = out + 9 * (size_t)i;
        memset(m, 0, 9 * sizeof *m);
        if (cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, i)) {
            if (!cti_m3_inverse(s->bodies.rigids[s->bodies.rigid_of[i]].I_mid, m))
                memset(m, 0, 9 * sizeof *m);
        } else
            for (k = 0; k < 9; k += 4)
                m[k] = s->bodies.inv_mass[i];
    }
}

/* sets out = M^-1 J' S J x with S of stiffness (part 0) or damping, as if all contacts with anchors stuck */
static void cti_penalty_response(const cti_state *s, const cti_problem *p, int part, const ct_real *x, ct_real *out)
{
    const cti_penalty *own = cti_penalty_of(s);
    int i;
    memset(out, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < p->n_rows; i++) {
        const cti_penalty_contact *q = &own->contacts[i];
        int has_anchor = p->rows[i].mu > 0 && s->desc.penalty.friction == CT_PENALTY_ANCHOR;
        ct_real u[3];
        cti_penalty_relative(&p->rows[i], x, u);
        u[0] *= part ? q->b : q->k;
        u[1] *= !has_anchor ? 0 : (part ? q->b : q->kf);
        u[2] *= !has_anchor ? 0 : (part ? q->b : q->kf);
        cti_row_scatter(p, &p->rows[i], u, out);
    }
    for (i = 0; i < s->n; i++)
        cti_v3_put(out, i, cti_m3_mul_v(own->inverse + 9 * (size_t)i, cti_v3_at(out, i)));
}

/* returns the largest eigenvalue of M^-1 J' S J */
static ct_real cti_penalty_eigenvalue(const cti_state *s, const cti_problem *p, int part)
{
    ct_real *x = cti_penalty_of(s)->work, *y = x + 3 * (size_t)s->n, big = 0, size;
    int i, k;
    for (i = 0; i < 3 * s->n; i++) /* no direction is left out by symmetry */
        x[i] = CTI_R(1.0) + CTI_R(0.37) * (ct_real)(i % 5) - CTI_R(0.61) * (ct_real)(i % 3);
    for (k = 0; k < cti_penalty_tuned.minimum.power; k++) {
        for (size = 0, i = 0; i < 3 * s->n; i++)
            size = cti_max(size, cti_abs(x[i]));
        if (!(size > 0))
            return 0;
        for (i = 0; i < 3 * s->n; i++)
            x[i] /= size;
        cti_penalty_response(s, p, part, x, y);
        big = cti_krylov_dot(3 * s->n, x, x);
        big = cti_sqrt(cti_krylov_dot(3 * s->n, y, y) / big);
        memcpy(x, y, sizeof(ct_real) * 3 * (size_t)s->n);
    }
    return big * cti_penalty_tuned.minimum.margin;
}

CTI_FN ct_real cti_penalty_stability(cti_state *s, ct_real h, ct_real *out_damping)
{
    cti_problem p;
    *out_damping = 0;
    cti_penalty_problem(s, &p);
    cti_penalty_masses(s);
    if (p.n_rows == 0)
        return 0;
    *out_damping = h * cti_penalty_eigenvalue(s, &p, 1);
    return (h * h * cti_penalty_eigenvalue(s, &p, 0) + 2 * *out_damping) / 4;
}
