/* report.c -- how steppers begin a step, commit a substep and fill the report. */
#include "report.h"
#include "assemble.h"

CTI_FN void cti_report_blank(const cti_state *s, ct_step_report *r)
{
    memset(r, 0, sizeof *r);
    r->limit.vertices_a[0] = -1;
    r->substeps = 1;
    r->min_distance = 2 * s->desc.thickness;
    r->thickness_kept = 2;
}

CTI_FN void cti_step_open(cti_state *s, ct_real dt)
{
    cti_arena_reset(s->arena);
    s->contact.is_solved = 0;
    memset(&s->step.limit, 0, sizeof s->step.limit);
    cti_impulses_begin(s);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    s->step.until = s->step.time + (double)dt;
    s->step.left = dt;
}

/* scripts move without bodies, too */
static void cti_step_stand(cti_state *s, double time)
{
    s->step.time = time;
    cti_assemble_standing(s);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
}

CTI_FN int cti_step_empty(cti_state *s, ct_real dt)
{
    double start = s->step.time;
    cti_assemble_stop(s, NULL, 0);
    cti_step_stand(s, s->step.until);
    if (!cti_step_told(s)) {
        cti_step_stand(s, start);
        return 0;
    }
    s->contact.memory_dt = dt;
    cti_impulses_swap(s);
    return 1;
}

CTI_FN void cti_report_cost(const ct_step_report *a, ct_step_report *r)
{
    r->newton_iterations += a->newton_iterations, r->solver_iterations += a->solver_iterations, r->solves += a->solves;
    r->cg_steps += a->cg_steps, r->linear_iterations += a->linear_iterations, r->refactorizations += a->refactorizations;
    r->rk.rejected += a->rk.accepted + a->rk.rejected, r->rk.evaluations += a->rk.evaluations;
    r->ms_assemble += a->ms_assemble, r->ms_unconstrained += a->ms_unconstrained, r->ms_detect += a->ms_detect, r->ms_solve += a->ms_solve;
}

CTI_FN void cti_report_gain(double start, ct_step_report *r)
{
    r->energy_gained = r->energy_kinetic + r->energy_elastic + r->energy_gravity + r->energy_contact - start - r->work_pins - r->work_script -
                       r->work_joints - r->work_forces - r->work_recovery + r->loss_contact + r->loss_damping;
}

CTI_FN void cti_report_settle(ct_step_report *r)
{
    double recovery = cti_fmin(0, r->work_recovery), contact = cti_fmin(0, r->loss_contact), damping = cti_fmin(0, r->loss_damping);
    r->work_recovery -= recovery, r->loss_contact -= contact, r->loss_damping -= damping;
    r->energy_gained += recovery - contact - damping;
}

/* commits the rotations of rigid bodies */
static void cti_substep_commit_rigids(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        cti_v3_put(r->spin, 0, cti_m3_mul_v(r->I_mid, cti_v3_at(s->v, r->block + 1)));
        memcpy(r->q, r->q_new, sizeof r->q);
        cti_v3_put(s->v, r->block + 1, cti_rigid_rate(r, r->q));
    }
    if (CTI_LEN(s->bodies.rigids))
        memcpy(s->bodies.frames, s->end.frames, sizeof(ct_real) * 9 * (size_t)CTI_LEN(s->bodies.rigids));
}

CTI_FN void cti_substep_commit(cti_state *s, ct_real dt, const ct_real *v)
{
    int i;
    cti_integrate_advance(s, dt);
    memcpy(s->x, s->end.x, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->history.dv, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_substep_commit_rigids(s);
    for (i = 0; i < 3 * s->n; i++)
        s->history.dv[i] = s->v[i] - s->history.dv[i];
    for (i = 0; i < s->n; i++)
        s->history.dt_prev[i] = dt;
    cti_surface_commit(&s->surface);
    cti_integrate_forget(s);
    s->step.time = cti_state_ahead(s, dt);
}

CTI_FN void cti_report_energies(cti_state *s, ct_step_report *r)
{
    int i, k;
    double m = 0;
    cti_energy_state(s);
    r->energy_kinetic = r->energy_elastic = r->energy_gravity = 0;
    for (i = 0; i < s->bodies.n_models + CTI_LEN(s->bodies.rigids); i++) {
        r->energy_kinetic += s->energy.now[i].kinetic;
        r->energy_elastic += s->energy.now[i].elastic, r->energy_gravity += s->energy.now[i].gravity;
    }
    r->center_of_mass[0] = r->center_of_mass[1] = r->center_of_mass[2] = 0;
    for (i = 0; i < s->n; i++) {
        m += (double)s->bodies.mass[i];
        for (k = 0; k < 3; k++) /* angular blocks have no mass */
            r->center_of_mass[k] += (double)(s->bodies.mass[i] * s->x[3 * i + k]);
    }
    for (k = 0; k < 3; k++)
        r->center_of_mass[k] = m > 0 ? r->center_of_mass[k] / m : 0;
}
