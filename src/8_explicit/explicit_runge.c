/* explicit_runge.c -- Runge-Kutta rules of fourth order, and the errors of their steps.
   Method: stage i is at y + h sum a_ij k_j, the step is y + h sum b_i k_i. A step is bounded by the elements' vibrations, whose z = h lambda are
   roots of z^2 + h damping z + (h omega)^2 = 0: they are in the left half of a disk of radius h omega, or on the negative axis.
   The classical rule: a step of h and two of h / 2 from the same rates, of eleven evaluations; their difference is 15 times the error of the latter,
   to leading order, and added to it (`extrapolate`) makes the result of fifth order.
   differs: where viscosity bounds the step the rule has eight stages, which go five times as far. Its polynomial P, |P(z)| <= 1, is that with the
   largest half disk for an axis of five radii. Its coefficients solve the eight conditions of order four and four of P, with stages that stay within
   1.2 times what vibrates: so that integrals of power, which are squares, hold, too. The step's error is h sum d_i k_i, of order 4, d with the least
   effect on these z: half of what vibrates at most.
   The error of a step is the largest |dx|, |dv| tau of a block in units of the tolerance, tau the stable step: so that errors of velocities weigh as
   the way that they make in such a time.
   based on: Hong et al. 2006, sec. 5 (fourth-order Runge-Kutta with adaptive step size); Press et al., Numerical recipes, 16.2; Abdulle, Fourth order
   Chebyshev methods with recurrence relation, 2002; Ketcheson, Ahmadia, Optimal stability polynomials, 2012. */
#include "explicit.h"
#include "../0_base/tasks.h"
#include "../1_math/lanes.h"

/* the classical rule, stable up to 2.78 on either axis, and that for viscosity; on the axis beyond its disk |P| is at most 0.95 */
static const cti_explicit_rule cti_explicit_rules[] = {
    {4, CTI_R(2.75), CTI_R(2.75),
     {CTI_R(0.5), CTI_R(0.0), CTI_R(0.5), CTI_R(0.0), CTI_R(0.0), CTI_R(1.0)},
     {CTI_R(1.0) / 6, CTI_R(1.0) / 3, CTI_R(1.0) / 3, CTI_R(1.0) / 6},
     {CTI_R(0.0)}},
    {8, CTI_R(3.7822), CTI_R(18.9110),
     {CTI_R(0.054763946755949151), CTI_R(0.048867092379765165), CTI_R(0.074152812098464096), CTI_R(0.017368755978918564),
      CTI_R(0.013187759711360734), CTI_R(0.062174654394181378), CTI_R(-0.05164616623516035), CTI_R(0.054354954351109472),
      CTI_R(0.055989417170207216), CTI_R(0.16971581639155173), CTI_R(0.023291466646107813), CTI_R(0.017832292345804218),
      CTI_R(-0.046038005875322627), CTI_R(0.119785551772796), CTI_R(0.069681593327514182), CTI_R(0.22322379032164832), CTI_R(-0.60386810663510748),
      CTI_R(-0.23395822973752303), CTI_R(0.33031648236917943), CTI_R(0.33668262896720252), CTI_R(0.45855403340941497), CTI_R(1.7230805239337905),
      CTI_R(-1.5794696001693582), CTI_R(0.38502134128511917), CTI_R(-1.3426905490796184), CTI_R(0.28639328868539748), CTI_R(0.80493029142440731),
      CTI_R(0.51366083555258391)},
     {CTI_R(-4.3533970809899529e-06), CTI_R(-2.2941234953566326e-06), CTI_R(0.040620555272821407), CTI_R(-9.3184888704344645e-10),
      CTI_R(0.3992363972202464), CTI_R(0.063390128797452552), CTI_R(0.0028115206475632054), CTI_R(0.49394804651434138)},
     {CTI_R(-0.529858889246825), CTI_R(-0.09214742254871852), CTI_R(0.6449876511973829), CTI_R(0.6210529767751062), CTI_R(-0.49480251689480453),
      CTI_R(-0.12505285903522204), CTI_R(-0.08333415387579966), CTI_R(0.05915521362896895)}}};

CTI_FN const cti_explicit_rule *cti_explicit_choose(const ct_explicit_desc *rk, ct_real omega, ct_real damping, ct_real *out_stable)
{
    const cti_explicit_rule *classical = &cti_explicit_rules[0], *viscous = &cti_explicit_rules[1];
    ct_real rate[2];
    int is_printed = rk->fixed_step > 0 || rk->extrapolate || rk->rules == CT_EXPLICIT_NODE;
    rate[0] = cti_max(omega / classical->disk, damping / classical->axis), rate[1] = 2 * cti_max(omega / viscous->disk, damping / viscous->axis);
    /* the one that takes fewer evaluations: in two stable steps the classical rule has eleven, the other one eight */
    if (is_printed || 11 * rate[0] <= 8 * rate[1]) {
        *out_stable = rate[0] > 0 ? 1 / rate[0] : CTI_REAL_MAX;
        return classical;
    }
    *out_stable = 1 / rate[1];
    return viscous;
}

/* cti_explicit_sum -- is out = y + h sum w_i k_i, without y where it is NULL, by strips of eight entries; k_0 is apart from the others. */
typedef struct cti_explicit_sum {
    const ct_real *y, *k0, *k, *w;
    ct_real *out, h;
    size_t size;
    int n;
} cti_explicit_sum;

static void cti_explicit_sum_range(int begin, int end, int worker, void *context)
{
    const cti_explicit_sum *q = (const cti_explicit_sum *)context;
    int i, k;
    CTI_UNUSED(worker);
    for (i = 8 * begin; i < 8 * end; i += 8) {
        cti_r8 sum = cti_mul8(cti_set8(q->w[0]), cti_load8(q->k0 + i));
        for (k = 1; k < q->n; k++)
            sum = cti_mad8(sum, cti_set8(q->w[k]), cti_load8(q->k + (size_t)(k - 1) * q->size + i));
        cti_store8(q->out + i, q->y ? cti_mad8(cti_load8(q->y + i), cti_set8(q->h), sum) : cti_mul8(cti_set8(q->h), sum));
    }
}

/* sets out to y + h sum w_i k_i of n rates, those at the start and of stages */
static void cti_explicit_sum_of(cti_state *s, const ct_real *y, const ct_real *k0, ct_real h, int n, const ct_real *w, ct_real *out)
{
    const cti_explicit_ode *o = &cti_explicit_own(s)->ode;
    cti_explicit_sum q;
    q.y = y, q.h = h, q.n = n, q.w = w, q.k0 = k0, q.k = o->k, q.out = out, q.size = (size_t)o->size;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_sum_range, o->size / 8, cti_explicit_tuned.costs.strip, &q);
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
    cti_explicit_ode *o = &cti_explicit_own(s)->ode;
    const cti_explicit_rule *q = o->rule;
    const ct_real *a = q->a;
    int i, k;
    for (i = 1; i < q->n; a += i++) {
        ct_real c = 0;
        for (k = 0; k < i; k++)
            c += a[k];
        cti_explicit_sum_of(s, y, k1, h, i, a, o->stage);
        if (!cti_explicit_rates(s, o->stage, t + (double)(c * h), o->k + (size_t)(i - 1) * (size_t)o->size))
            return 0;
    }
    cti_explicit_sum_of(s, y, k1, h, q->n, q->b, end);
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

/* makes two steps of h / 2, to ode.end, and one of h; sets ode.full to the error of the former, which `extrapolate` adds to them. 0: a number is not
   finite */
static int cti_explicit_doubled(cti_state *s, double t, ct_real h)
{
    cti_explicit_ode *o = &cti_explicit_own(s)->ode;
    ct_real *k = o->k + 3 * (size_t)o->size;
    int i;
    if (!cti_explicit_runge(s, o->y, o->k1, t, h, o->full) || !cti_explicit_runge(s, o->y, o->k1, t, h / 2, o->half) ||
        !cti_explicit_rates(s, o->half, t + (double)h / 2, k) || !cti_explicit_runge(s, o->half, k, t + (double)h / 2, h / 2, o->end))
        return 0;
    for (i = 0; i < o->size; i++) {
        o->full[i] = (o->end[i] - o->full[i]) / 15;
        o->end[i] += s->desc.rk.extrapolate ? o->full[i] : 0;
    }
    cti_explicit_normalize(s, o->end);
    return 1;
}

CTI_FN ct_real cti_explicit_try(cti_state *s, double t, ct_real h, int *evaluations)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_ode *o = &g->ode;
    ct_real worst = 0, tau = cti_min(g->stable_step, g->dt);
    int i, n3 = 3 * s->n, single = o->rule == &cti_explicit_rules[1] || (s->desc.rk.fixed_step > 0 && !s->desc.rk.extrapolate);
    *evaluations += single ? o->rule->n : 11;
    if (!(single ? cti_explicit_runge(s, o->y, o->k1, t, h, o->end) : cti_explicit_doubled(s, t, h)))
        return -1;
    if (single)
        cti_explicit_sum_of(s, NULL, o->k1, h, o->rule->n, o->rule->d, o->full);
    for (i = 0; i < n3; i++)
        worst = cti_max(worst, cti_max(cti_abs(o->full[i]), tau * cti_abs(o->full[n3 + i])));
    for (i = 2 * n3; i < o->state; i++) /* orientations, at the distance of a radius of gyration */
        worst = cti_max(worst, 2 * cti_abs(o->full[i]) * cti_rigid_gyration(&s->bodies.rigids[(i - 2 * n3) / 4]));
    return worst / (s->desc.rk.tolerance * g->error_unit) * (ct_real)(s->step.parts * s->step.parts);
}
