/* explicit_runge.c -- the classical Runge-Kutta rule of fourth order, and its error by step doubling.
   Method: a step of h and two of h / 2 from the same rates; their difference is 15 times the error of the latter, to leading order, and added
   to it (`extrapolate`) makes the result of fifth order. The error of a step is the largest |dx|, |dv| tau of a block in units of the tolerance,
   tau the bound of the step from the wave speed: so that errors of velocities weigh as the way that they make in such a time.
   based on: Hong et al. 2006, sec. 5 (fourth-order Runge-Kutta with adaptive step size); Press et al., Numerical recipes, 16.2. */
#include "explicit.h"
#include "../0_base/tasks.h"
#include "../1_math/lanes.h"

/* cti_explicit_sum -- is out = y + h (k[0] + 2 (k[1] + k[2]) + k[3]), or y + h k[0] where k[1] is NULL, by strips of eight entries. */
typedef struct cti_explicit_sum {
    const ct_real *y, *k[4];
    ct_real *out, h;
} cti_explicit_sum;

static void cti_explicit_sum_range(int begin, int end, int worker, void *context)
{
    const cti_explicit_sum *q = (const cti_explicit_sum *)context;
    int i;
    CTI_UNUSED(worker);
    for (i = 8 * begin; i < 8 * end; i += 8) {
        cti_r8 sum = cti_load8(q->k[0] + i);
        if (q->k[1]) {
            cti_r8 middle = cti_add8(cti_load8(q->k[1] + i), cti_load8(q->k[2] + i));
            sum = cti_add8(cti_add8(sum, cti_add8(middle, middle)), cti_load8(q->k[3] + i));
        }
        cti_store8(q->out + i, cti_mad8(cti_load8(q->y + i), cti_set8(q->h), sum));
    }
}

static void cti_explicit_sum_run(cti_state *s, cti_explicit_sum *q)
{
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_sum_range, cti_explicit_own(s)->ode.size / 8, cti_explicit_tuned.costs.strip, q);
}

static void cti_explicit_stage(cti_state *s, const ct_real *y, const ct_real *k, ct_real h)
{
    cti_explicit_sum q;
    q.y = y, q.k[0] = k, q.k[1] = q.k[2] = q.k[3] = NULL, q.h = h, q.out = cti_explicit_own(s)->ode.stage;
    cti_explicit_sum_run(s, &q);
}

static void cti_explicit_normalize(const cti_state *s, ct_real *y)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        ct_real *q = y + 6 * (size_t)s->n + 4 * (size_t)i;
        ct_real size = cti_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        q[0] /= size, q[1] /= size, q[2] /= size, q[3] /= size;
    }
}

CTI_FN int cti_explicit_runge(cti_state *s, const ct_real *y, const ct_real *k1, double t, ct_real h, ct_real *end)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *k2 = g->ode.k, *k3 = k2 + g->ode.size, *k4 = k3 + g->ode.size, *at = g->ode.stage;
    cti_explicit_sum q;
    cti_explicit_stage(s, y, k1, h / 2);
    if (!cti_explicit_rates(s, at, t + (double)h / 2, k2))
        return 0;
    cti_explicit_stage(s, y, k2, h / 2);
    if (!cti_explicit_rates(s, at, t + (double)h / 2, k3))
        return 0;
    cti_explicit_stage(s, y, k3, h);
    if (!cti_explicit_rates(s, at, t + (double)h, k4))
        return 0;
    q.y = y, q.k[0] = k1, q.k[1] = k2, q.k[2] = k3, q.k[3] = k4, q.h = h / 6, q.out = end;
    cti_explicit_sum_run(s, &q);
    cti_explicit_normalize(s, end);
    return 1;
}

CTI_FN void cti_explicit_predict(cti_state *s, ct_real h)
{
    cti_explicit *g = cti_explicit_own(s);
    const ct_real *y = g->ode.y, *k = g->ode.k1;
    ct_real *end = g->ode.end;
    int i, n3 = 3 * s->n;
    for (i = 0; i < g->ode.state; i++)
        end[i] = y[i] + h * (i < n3 ? k[i] + h / 2 * k[n3 + i] : k[i]);
    cti_explicit_normalize(s, end);
}

CTI_FN ct_real cti_explicit_doubled(cti_state *s, double t, ct_real h)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *k = g->ode.k + 3 * (size_t)g->ode.size, worst = 0, tau = cti_min(g->stable_step, g->dt), unit;
    int i, n3 = 3 * s->n;
    if (!cti_explicit_runge(s, g->ode.y, g->ode.k1, t, h, g->ode.full) ||
        !cti_explicit_runge(s, g->ode.y, g->ode.k1, t, h / 2, g->ode.half) ||
        !cti_explicit_rates(s, g->ode.half, t + (double)h / 2, k) ||
        !cti_explicit_runge(s, g->ode.half, k, t + (double)h / 2, h / 2, g->ode.end))
        return -1;
    unit = s->desc.rk.tolerance * g->error_unit / (ct_real)(s->step.parts * s->step.parts);
    for (i = 0; i < n3; i++) {
        ct_real dx = cti_abs(g->ode.end[i] - g->ode.full[i]), dv = tau * cti_abs(g->ode.end[n3 + i] - g->ode.full[n3 + i]);
        worst = cti_max(worst, cti_max(dx, dv));
    }
    for (i = 2 * n3; i < g->ode.state; i++) /* orientations, at the distance of a radius of gyration */
        worst = cti_max(worst, 2 * cti_abs(g->ode.end[i] - g->ode.full[i]) * cti_rigid_gyration(&s->bodies.rigids[(i - 2 * n3) / 4]));
    if (s->desc.rk.extrapolate) {
        for (i = 0; i < g->ode.size; i++)
            g->ode.end[i] += (g->ode.end[i] - g->ode.full[i]) / 15;
        cti_explicit_normalize(s, g->ode.end);
    }
    return worst / (15 * unit);
}
