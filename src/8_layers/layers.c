/* layers.c -- a step of the layers stepper, its energy account and its report.
   Method: windows advance all blocks to the end of the step (layers_window.c), and the end becomes the state. A step that has used up its updates
   ends at its last safe event: clocks that are in the middle of a part then give the impulse of their lag (a first order correction), and the next
   step begins there. based on: Harmon et al. 2009; lecture notes 4.5. */
#include "layers.h"
#include "../8_step/move.h"
#include "../8_step/assemble.h"
#include "../8_step/energy.h"
#include "../8_step/impulses.h"
#include "../8_step/policy.h"
#include "../8_step/shell.h"
#include "../8_step/tangle.h"
#include "../8_step/report.h"

/* ---- from the state and back ---- */

/* sets block i to the state, with the velocity that a script gives it; sums the work and the impulse of the jump to that velocity */
static void cti_layers_load_block(cti_state *s, int i)
{
    cti_layers *y = cti_layers_own(s);
    cti_v3 v = cti_v3_at(s->v, i);
    int k;
    if (s->scripts.filter[i] >= 0)
        v = cti_move_jump(s, i, v, &y->window.sums.pins);
    y->nodes.v[3 * i] = (double)v.x, y->nodes.v[3 * i + 1] = (double)v.y, y->nodes.v[3 * i + 2] = (double)v.z;
    y->nodes.inverse_mass[i] = s->scripts.fixed[i] ? 0 : (double)s->bodies.inv_mass[i];
    for (k = 3 * i; k < 3 * i + 3; k++) {
        y->nodes.x[k] = (double)s->x[k];
        y->nodes.x_rounded[k] = s->x[k], y->nodes.force[k] = 0;
    }
    y->nodes.tick[i] = 0;
}

/* sets blocks, clocks and window for the start of a step */
static void cti_layers_load(cti_state *s, ct_real dt)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    double speed2 = 0;
    int i, k;
    w->begin = w->end = w->updates = 0;
    w->windows = w->rollbacks = 0;
    w->tick = (double)dt / (double)CTI_LAYERS_TICKS;
    memset(&w->sums, 0, sizeof w->sums);
    /* a step depends on the state alone, not on deviations in windows of earlier steps */
    w->last_length = 0;
    y->surface.covered = 0;
    for (i = 0; i < s->n; i++)
        y->nodes.deviation_rate[i] = 0;
    for (i = 0; i < s->n; i++)
        cti_layers_load_block(s, i);
    for (i = 0; i < 3 * s->n; i += 3)
        speed2 =
            cti_fmax(speed2, y->nodes.v[i] * y->nodes.v[i] + y->nodes.v[i + 1] * y->nodes.v[i + 1] + y->nodes.v[i + 2] * y->nodes.v[i + 2]);
    cti_layers_clocks_speed(s, cti_finite64(speed2) ? sqrt(speed2) : 0);
    cti_layers_clocks_forces(s);
    for (k = 0; k <= CTI_LAYERS_LEVELS; k++)
        for (i = 0; i < CTI_LEN(y->set[k].impulses.tick); i++)
            y->set[k].impulses.tick[i] = -2; /* no tick, nor what cti_layers_previous returns */
    if (s->surface.nv)
        memcpy(y->surface.x_start, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
}

/* finds the candidates of a surface at rest, and the energy of their layers. 0: out of memory */
static int cti_layers_account_energy(cti_state *s, double *stored, ct_step_report *r)
{
    cti_layers *y = cti_layers_own(s);
    size_t n = (size_t)s->surface.nv;
    if (n) {
        memset(y->surface.velocity, 0, sizeof(ct_real) * 3 * n);
        memset(y->surface.deviation, 0, sizeof(ct_real) * n);
    }
    if (!cti_layers_is_covered(s, 0) && !cti_layers_cover(s, 0))
        return 0;
    cti_layers_distances(s);
    *stored = cti_layers_energy(s, r);
    return 1;
}

/* ---- the account ---- */

/* sets residual and status from the error of the energy's balance over the energy that the step exchanges, which it returns [J] */
static double cti_layers_residual(const cti_state *s, ct_real dt, ct_step_report *r)
{
    double kick = (double)(dt * cti_v3_norm(cti_v3_at(s->desc.gravity, 0))), mass = 0, scale, error, rounded = fabs(r->energy_gravity);
    double gravity = r->energy_gravity;
    int i;
    for (i = 0; i < s->bodies.n_models; i++)
        rounded += s->energy.moduli[i], gravity -= s->judge.bodies[i].before.gravity;
    for (i = 0; i < s->n; i++)
        mass += (double)s->bodies.mass[i];
    scale = r->energy_kinetic + fabs(r->energy_elastic) + r->energy_contact + fabs(gravity) + fabs(r->work_pins) + fabs(r->work_script) +
            r->loss_damping + fabs(r->loss_contact) + cti_layers_own(s)->energy_start + mass * kick * kick;
    error = cti_fmax(0, fabs(r->energy_gained) - cti_policy_body_gain(1, 0, rounded));
    r->residual = (ct_real)(scale > 0 ? error / scale : 0);
    if (!cti_finite(r->residual) || !cti_finite64(r->energy_gained) || !cti_finite64(scale))
        r->residual = CTI_REAL_MAX;
    if (!(r->residual <= CTI_R(cti_layers_tuned.window.energy)))
        r->status = CT_STATUS_NOT_CONVERGED;
    return scale;
}

/* counts the tets at the end whose log J is continued: events evaluate the same tet many times in a step */
static int cti_layers_extended(cti_state *s)
{
    int i, extended = 0;
    memset(s->system.force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_assemble(s->bodies.models[i], s->x, 0, s->system.force, NULL, &extended, NULL);
    return extended;
}

static void cti_layers_balance(cti_state *s, ct_real advanced, int whole, ct_step_report *r)
{
    const cti_layers_sums *q = &cti_layers_own(s)->window.sums;
    double scale;
    cti_report_energies(s, r);
    r->work_pins = q->pins, r->work_script = q->script;
    r->loss_contact = q->contact, r->loss_damping = q->damping;
    r->extended_elements = cti_layers_extended(s);
    cti_report_gain(s->judge.start, r);
    scale = cti_layers_residual(s, s->step.dt, r);
    if (!whole)
        r->status = CT_STATUS_BUDGET; /* also where the correction of the last parts leaves a residual */
    cti_judge_refuses(s, advanced, cti_layers_tuned.window.energy * scale, 0, r);
}

/* ---- the step ---- */

/* blames bodies whose motion is not finite, so that the judge refuses the try, and puts all blocks back to the start. 1: there is one */
static int cti_layers_blame(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int i, b, fails = 0;
    for (i = 0; i < 3 * s->n; i++)
        if (!(cti_finite(y->nodes.x_rounded[i]) && cti_finite64(y->nodes.v[i]) && cti_finite((ct_real)y->nodes.v[i])) &&
            (b = cti_energy_body(s, i / 3)) >= 0)
            s->judge.bodies[b].blamed = 1, fails = 1;
    for (i = 0; fails && i < 3 * s->n; i++)
        y->nodes.x_rounded[i] = s->x[i], y->nodes.v[i] = (double)s->v[i];
    if (fails)
        cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0), y->window.begin = 0;
    return fails;
}

/* copies the blocks to the state and completes the report. 0: out of memory */
static int cti_layers_finish(cti_state *s, ct_real dt, ct_step_report *r)
{
    cti_layers *y = cti_layers_own(s);
    cti_layers_window *w = &y->window;
    int i, k, whole = !cti_layers_blame(s) && w->begin == CTI_LAYERS_TICKS;
    double advanced = whole ? (double)dt : (double)w->begin * w->tick;
    if (!cti_layers_flush(s) || !cti_impulses_merge(s))
        return 0;
    cti_judge_touches(s);
    memcpy(s->x, y->nodes.x_rounded, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < 3 * s->n; i++)
        s->v[i] = (ct_real)y->nodes.v[i];
    for (i = 0; i < s->n; i++)
        s->history.dt_prev[i] = dt, s->history.fall[i].share = 0;
    s->energy.known = 0;
    s->step.time = whole ? s->step.until : s->step.start.time + advanced;
    cti_assemble_stop(s, NULL, !whole);
    if (!cti_layers_account_energy(s, &r->energy_contact, r))
        return 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        r->candidates += cti_candidates_len(&y->list[k].c);
    r->contacts = r->rows = CTI_LEN(s->step.impulses.touches);
    r->windows = w->windows, r->rollbacks = w->rollbacks, r->updates = w->updates, r->advanced = advanced;
    cti_layers_balance(s, (ct_real)advanced, whole, r);
    return 1;
}

/* drops what belongs to the motion of a refused try */
static void cti_layers_back(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    int k;
    y->surface.covered = 0;
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        CTI_CLEAR(y->list[k].c.pairs);
    y->clocks.dt = 0;
}

/* the frequency of the first layer follows gravity, which a program may change */
static void cti_layers_weigh(cti_state *s)
{
    cti_layers *y = cti_layers_own(s);
    double weight = cti_fmax(cti_layers_tuned.event.weight, (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0)));
    double frequency = sqrt(weight / (double)(s->desc.layers.depth * s->desc.thickness));
    if (frequency != y->frequency)
        y->clocks.dt = 0;
    y->frequency = frequency;
}

/* runs windows up to the end, or until the updates of a step are used up. 0: out of memory */
static int cti_layers_substep(cti_state *s, ct_real dt, int may_cut, ct_real *need, ct_step_report *r)
{
    cti_layers *y = cti_layers_own(s);
    double t = cti_state_clock(s);
    int k, ended;
    (void)may_cut, (void)need;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble_movers(s, s->step.until);
    for (k = 0; k < CTI_LAYERS_LISTS; k++)
        y->list[k].c.kind = k == CTI_LAYERS_VF ? CT_PAIR_VF : k == CTI_LAYERS_EE ? CT_PAIR_EE : CT_PAIR_PLANE;
    cti_layers_weigh(s);
    if (!cti_layers_clocks_set(s, (double)dt))
        return 0;
    cti_layers_load(s, dt);
    if (!cti_layers_account_energy(s, &y->energy_start, NULL))
        return 0;
    s->judge.start += y->energy_start;
    r->ms_assemble += cti_state_clock(s) - t;
    t = cti_state_clock(s);
    ended = cti_layers_advance(s);
    r->ms_solve += cti_state_clock(s) - t;
    return ended > 0;
}

CTI_FN ct_code cti_layers_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    static const cti_shell q = {0, 1, 1, cti_layers_substep, cti_layers_finish, NULL, cti_layers_back, NULL, cti_tangle_crossed};
    ct_code code = cti_shell_step(s, &q, dt, r);
    if (s->n == 0 && code == CT_OK)
        r->advanced = (double)dt;
    return code;
}
