/* plausible.c -- bounds on the motion of an attempt.
   Method: for every block a speed that the world's size allows. For the contacts' part of the motion a bound in the energy norm, in which the
   solution is the admissible v nearest to v_free. Rest, or the scripts' motion, is admissible. So the distance from v_free to rest, plus that of
   moving everything with the speeds of scripts and recovery, is a bound, for the world and for each island. Based on: no paper. */
#include "plausible.h"
#include "policy_numbers.h"
#include "assemble.h"
#include "factors.h"
#include "joints.h"
#include "tethers.h"

CTI_FN cti_plausible_size cti_plausible_size_of(const cti_state *s)
{
    cti_plausible_size out;
    ct_real script = 0;
    ct_real size[3] = {0, 0, 0}, speed[3] = {0, 0, 0}; /* by axis, as independent chains of maxima */
    const cti_surface *f = &s->surface;
    int b, k, i;
    for (i = 0; i < CTI_LEN(f->runs); i += 3)
        for (b = f->runs[i]; b < f->runs[i + 1]; b++)
            for (k = 0; k < 3; k++)
                size[k] = cti_max(size[k], cti_abs(f->x0[3 * b + k] - f->x0[k]));
    for (k = 0; k < 3 && f->has_still; k++) /* bodies that never move are represented by their box: rounding is monotone */
        size[k] = cti_max(size[k], cti_max(cti_abs(f->still_lo[k] - f->x0[k]), cti_abs(f->still_hi[k] - f->x0[k])));
    for (b = 0; b < s->n; b++) {
        if (cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, b))
            continue;
        for (k = 0; k < 3; k++) {
            size[k] = cti_max(size[k], cti_abs(s->x[3 * b + k] - s->x[k]));
            speed[k] = cti_max(speed[k], cti_abs(s->v[3 * b + k]));
            script = cti_max(script, s->scripts.n_constrained ? cti_abs(s->scripts.v_fixed[3 * b + k]) : 0);
        }
    }
    out.size = cti_max(size[0], cti_max(size[1], size[2])), out.speed = cti_max(speed[0], cti_max(speed[1], speed[2])), out.script = script;
    return out;
}

/* largest plausible motion of a block [m] */
static ct_real cti_plausible_limit(const cti_state *s, const cti_plausible_size *q, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0));
    ct_real script = cti_assemble_script_speed(s, dt) + cti_joints_speed(s, dt) + cti_tethers_speed(s, dt);
    return cti_step_tuned.attempt.sizes * (q->size + dt * (q->speed + cti_max(script, q->script) + dt * g));
}

static int cti_plausible_block(const cti_state *s, const ct_real *v, int b, ct_real dt, ct_real limit)
{
    int turns = cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, b) != NULL, k;
    for (k = 3 * b; k < 3 * b + 3; k++)
        if (!cti_finite(v[k]) || (!turns && !(cti_abs(dt * v[k]) <= limit)))
            return 0;
    return 1;
}

CTI_FN int cti_plausible_velocities(const cti_state *s, const ct_real *v, const cti_plausible_size *size, ct_real dt)
{
    ct_real limit = cti_plausible_limit(s, size, dt);
    int b;
    for (b = 0; b < s->n; b++)
        if (!cti_plausible_block(s, v, b, dt, limit))
            return 0;
    return 1;
}

CTI_FN int cti_plausible_motion(const cti_state *s, ct_real dt)
{
    cti_plausible_size size = cti_plausible_size_of(s);
    return cti_plausible_velocities(s, s->end.v, &size, dt);
}

CTI_FN void cti_plausible_blocks(const cti_state *s, ct_real dt, uint8_t *out)
{
    cti_plausible_size size = cti_plausible_size_of(s);
    ct_real limit = cti_plausible_limit(s, &size, dt);
    int b;
    for (b = 0; b < s->n; b++)
        out[b] = (uint8_t)cti_plausible_block(s, s->end.v, b, dt, limit);
}

/* largest speed of recovery and of scripts */
static ct_real cti_plausible_speed(const cti_state *s, ct_real dt)
{
    ct_real w = s->desc.recovery_speed > 0 ? s->desc.recovery_speed : s->desc.thickness / dt, script = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        script = cti_max(script, cti_abs(s->scripts.v_fixed[i]));
    return w + cti_max(script, cti_assemble_script_speed(s, dt)) + cti_joints_speed(s, dt) + cti_tethers_speed(s, dt);
}

/* a component's part of the reach, if scripts and recovery move it with w */
static double cti_plausible_part(const cti_state *s, const cti_component *q, ct_real w)
{
    double sum = q->solve.free_energy;
    int c, k;
    for (c = q->begin; c < q->end; c++) {
        int i = s->factors.blocks[c];
        sum += (double)(3 * s->bodies.mass[i] * w * w);
        for (k = 3 * i; s->scripts.n_constrained && s->scripts.filter[i] >= 0 && k < 3 * i + 3; k++)
            sum += (double)(s->system.A.val[9 * (size_t)s->system.A.diag[i] + 4 * (size_t)(k % 3)] * s->scripts.v_fixed[k] * s->scripts.v_fixed[k]);
    }
    return cti_step_tuned.attempt.margin * sum;
}

/* a row's part: the largest effect of a repair row, whose impulse is at most recover / softness */
static double cti_plausible_row(const cti_state *s, int row)
{
    const cti_row *q = &s->contact.rows[row];
    return s->contact.origins[row].repair ? cti_step_tuned.attempt.margin * (double)(q->recover * q->recover / q->softness) : 0;
}

/* What contacts change the motion of each island by, in energy, beyond its reach: excess[of[c]] of component c; first those of islands, then of
   components in none. 0: out of memory */
static int cti_plausible_excess(cti_state *s, ct_real dt, int32_t **out_of, double **out_excess)
{
    const cti_component *q = s->factors.components;
    int nc = CTI_LEN(q), nr = CTI_LEN(s->contact.rows), n, i, k, c;
    int32_t *of_row = CTI_ARENA_NEW(s->arena, int32_t, nr + 1), *of = CTI_ARENA_NEW(s->arena, int32_t, nc + 1);
    double *excess = CTI_ARENA_ZERO(s->arena, double, nr + nc + 1);
    ct_real w = cti_plausible_speed(s, dt);
    if (!of_row || !of || !excess || !cti_factors_islands(&s->factors, s->arena, s->contact.rows, nr, of_row, &n))
        return 0;
    for (c = 0; c < nc; c++)
        of[c] = nr + c;
    for (i = 0; i < nr; i++) {
        excess[of_row[i]] -= cti_plausible_row(s, i);
        for (k = 0; k < s->contact.rows[i].n; k++)
            of[s->factors.component_of[s->contact.rows[i].term[k].block]] = of_row[i];
    }
    for (c = 0; c < nc; c++)
        excess[of[c]] += q[c].substep.part ? 0 : q[c].solve.contact_energy - cti_plausible_part(s, &q[c], w);
    *out_of = of, *out_excess = excess;
    return 1;
}

CTI_FN int cti_plausible_contacts(cti_state *s, ct_real dt, int *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    double *excess;
    int32_t *of;
    int c;
    if (!cti_plausible_excess(s, dt, &of, &excess))
        return 0;
    for (*out = 1, c = 0; c < CTI_LEN(s->factors.components); c++)
        *out &= excess[of[c]] <= 0;
    cti_arena_rewind(s->arena, mark);
    return 1;
}

/* marks a component's blocks except those that scripts move or that are held; returns their number */
static int cti_plausible_mark(cti_state *s, const cti_component *q)
{
    int c, n = 0;
    for (c = q->begin; c < q->end; c++) {
        int b = s->factors.blocks[c];
        n += !s->scripts.fixed[b]; /* only blocks that are held then */
        s->scripts.held[b] |= s->scripts.fixed[b] ? 0 : CTI_HELD_IMPLAUSIBLE;
    }
    return n;
}

CTI_FN int cti_plausible_find(cti_state *s, ct_real dt, int *out_n)
{
    const cti_component *q = s->factors.components;
    cti_plausible_size size = cti_plausible_size_of(s);
    ct_real limit = cti_plausible_limit(s, &size, dt);
    double *excess;
    int32_t *of;
    int c, k;
    *out_n = 0;
    if (!cti_plausible_excess(s, dt, &of, &excess))
        return 0;
    for (c = 0; c < CTI_LEN(q); c++)
        for (k = q[c].begin; k < q[c].end; k++)
            if (!cti_plausible_block(s, s->end.v, s->factors.blocks[k], dt, limit))
                excess[of[c]] = HUGE_VAL;
    for (c = 0; c < CTI_LEN(q); c++)
        if (!q[c].substep.part && !(excess[of[c]] <= 0))
            *out_n += cti_plausible_mark(s, &q[c]);
    return 1;
}
