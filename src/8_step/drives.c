/* drives.c -- rows of limits, motors and drags.
   Method: the value q of a joint is the angle of a hinge, times the joint's lever, or the way of a slider. A limit is a contact without friction
   along the axis: it pushes where its gap would be negative at the end of the step. The force of a motor is F = -k (q - target) - c (q' - speed) at
   the end of the step. With q' = u = J v, q = q0 + dt u and r = dt F this is the equation
     u + share (q0 - target) / dt - (1 - share) speed + r / (dt (dt k + c)) = 0,   share = dt k / (dt k + c),
   and u = speed without k and c. Its multiplier has a bound, |r| <= dt F_max, beyond which it slips. A drag is the same along three axes, with the
   offset of its points for q. As in joints.c, q0 + dt u is q at the tentative motion to first order, and the exact one is taken.
   Based on: lecture notes 4.1.1; Catto 2011 (soft constraints), of which this is the implicit Euler step. */
#include "drives.h"
#include "joints.h"
#include "policy.h"

/* scale of the value: a hinge's angle counts by its lever */
static ct_real cti_drives_scale(const cti_joint *j) { return j->kind == CT_JOINT_HINGE ? j->lever : 1; }

/* the value, at the start (end 0) or the tentative end of the step */
static ct_real cti_drives_value(const cti_state *s, const cti_joint *j, int end, double time)
{
    ct_real a[9], b[9];
    cti_v3 d = cti_joints_place(s, &j->a, end, time, a);
    d = cti_v3_sub(d, cti_joints_place(s, &j->b, end, time, b));
    return cti_joint_value(j, a, b, d);
}

/* k and c of the row, and the compliance and the share that they have in a step of dt; 0 without both */
static ct_real cti_drives_soft(const cti_joint *j, ct_real dt, ct_real *share)
{
    const cti_drive *q = &j->drive;
    ct_real scale = cti_drives_scale(j), sum = (dt * q->stiffness + q->damping) / (scale * scale);
    *share = sum > 0 ? dt * q->stiffness / (scale * scale * sum) : 0;
    return sum > 0 ? 1 / (dt * sum) : 0;
}

CTI_FN void cti_drives_build(const cti_state *s, const cti_row_context *c, const cti_joint *j, int part, cti_row *row)
{
    const cti_memory_item *m;
    ct_real triad[9], own, share;
    int k;
    memset(row, 0, sizeof *row);
    row->key = cti_joint_key(j, part);
    row->frame[0] = row->frame[4] = row->frame[8] = 1;
    if (j->kind != CT_JOINT_DRAG) {
        cti_joints_place(s, &j->b, 0, s->step.time, triad);
        cti_joint_axes(cti_v3_mul(cti_v3_at(triad, 0), part == CTI_PART_UPPER ? CTI_R(-1) : CTI_R(1)), row->frame);
    }
    cti_joints_sides(s, j, j->kind == CT_JOINT_HINGE, row);
    own = cti_joints_own(s, row, 0, 0);
    if (part == CTI_PART_DRIVE) {
        row->equations = j->kind == CT_JOINT_DRAG ? 7 : 1;
        row->most = cti_finite(j->drive.most) ? cti_min(j->drive.most * c->dt / cti_drives_scale(j), CTI_REAL_MAX) : 0;
    }
    own = cti_max(part == CTI_PART_DRIVE ? cti_drives_soft(j, c->dt, &share) : 0, own * cti_step_tuned.attempt.joint_own);
    m = cti_memory_find(c->memory, row->key);
    if (m)
        cti_v3_put(row->r, 0, cti_m3_mul_v(row->frame, cti_v3_mul(cti_v3_at(m->impulse, 0), c->dt / m->dt)));
    for (k = 0; k < 3; k++) {
        row->compliance[k] = own;
        row->r[k] = row->equations >> k & 1 ? row->r[k] : (row->equations || k ? 0 : cti_max(0, row->r[0]));
    }
    cti_row_bound(row->most, row->r);
}

/* the gap that a limit has left after a substep of dt; one that is exceeded from outside is restored like the error of a joint */
static ct_real cti_drives_left(const cti_state *s, ct_real gap, ct_real dt)
{
    ct_real way = -cti_min(gap, 0) * (dt / s->step.dt);
    way = s->desc.recovery_speed > 0 ? cti_min(way, dt * s->desc.recovery_speed) : way;
    return cti_joint_left(cti_v3_make(cti_min(gap, 0), 0, 0), way).x;
}

/* the way [m] that a limit leaves to its part of the value in a substep of dt */
static ct_real cti_drives_room(const cti_state *s, const cti_joint *j, int part, ct_real dt)
{
    ct_real gap = cti_drives_scale(j) * cti_joint_gap(j, part, cti_drives_value(s, j, 0, s->step.time));
    return gap - cti_drives_left(s, gap, dt);
}

/* [m/s] the speed of a motor, which does not ask for what its own limits forbid: one without a bound would go through them */
static ct_real cti_drives_wanted(const cti_state *s, const cti_joint *j, ct_real dt)
{
    ct_real speed = cti_drives_scale(j) * j->drive.speed;
    if (cti_joint_has(j, CTI_PART_LOWER))
        speed = cti_max(speed, -cti_drives_room(s, j, CTI_PART_LOWER, dt) / dt);
    return cti_joint_has(j, CTI_PART_UPPER) ? cti_min(speed, cti_drives_room(s, j, CTI_PART_UPPER, dt) / dt) : speed;
}

/* what the row has at the motion of the step [m]: a gap, or an error of the motor's value; e [3] in the row's axes */
static cti_v3 cti_drives_phi(const cti_state *s, const cti_joint *j, int part, int end, ct_real dt, const ct_real *frame)
{
    double time = end ? cti_state_ahead(s, dt) : s->step.time;
    ct_real scale = cti_drives_scale(j);
    if (j->kind == CT_JOINT_DRAG)
        return cti_m3_mul_v(frame, cti_v3_sub(cti_joints_place(s, &j->a, end, time, NULL), cti_joints_place(s, &j->b, end, time, NULL)));
    if (part == CTI_PART_DRIVE)
        return cti_v3_make(scale * cti_joint_lag(j, cti_drives_value(s, j, end, time)), 0, 0);
    return cti_v3_make(scale * cti_joint_gap(j, part, cti_drives_value(s, j, end, time)) -
                           cti_drives_left(s, scale * cti_joint_gap(j, part, cti_drives_value(s, j, 0, s->step.time)), dt), 0, 0);
}

CTI_FN ct_real cti_drives_linearize(const cti_state *s, const cti_row_context *c, const cti_joint *j, int part, cti_row *row)
{
    int k, start = s->desc.row_mode == CT_ROW_VELOCITY;
    ct_real u[3], share = 1, own = cti_joints_own(s, row, 0, 0), miss = 0;
    cti_v3 e;
    row->w[0] = row->w[1] = row->w[2] = 0;
    cti_row_velocity(row, c->v, u);
    e = cti_v3_mul(cti_drives_phi(s, j, part, !start, c->dt, row->frame), 1 / c->dt);
    e = start ? cti_v3_add(e, cti_joints_script(s, j, j->kind == CT_JOINT_HINGE, c->dt, row->frame)) : cti_v3_sub(e, cti_v3_at(u, 0));
    if (part == CTI_PART_DRIVE) {
        cti_drives_soft(j, c->dt, &share);
        e = cti_v3_mul(e, share);
        if (j->kind != CT_JOINT_DRAG)
            e.x -= share > 0 || j->drive.damping > 0 ? (1 - share) * cti_drives_scale(j) * j->drive.speed : cti_drives_wanted(s, j, c->dt);
    }
    cti_v3_put(row->w, 0, e);
    cti_row_velocity(row, c->v, u);
    for (k = 0; k < (row->equations == 7 ? 3 : 1); k++)
        u[k] += row->compliance[k] * row->r[k], miss = cti_max(miss, cti_abs(u[k]));
    if (!row->equations && !(row->r[0] > 0))
        miss = cti_max(0, -u[0]);
    if (row->most > 0 && !(cti_v3_norm(cti_v3_at(row->r, 0)) < row->most * (1 - 64 * CTI_EPS)))
        return 0;
    return own > 0 ? miss * c->dt * own / (own + row->compliance[0]) : 0;
}

CTI_FN ct_real cti_drives_error(const cti_state *s, const cti_joint *j)
{
    ct_real worst = 0;
    int part;
    for (part = CTI_PART_LOWER; part <= CTI_PART_UPPER; part++)
        if (cti_joint_has(j, part))
            worst = cti_max(worst, -cti_drives_scale(j) * cti_joint_gap(j, part, cti_drives_value(s, j, 0, s->step.time)));
    return worst;
}

CTI_FN ct_real cti_drives_speed(const cti_state *s, const cti_joint *j, ct_real dt)
{
    cti_row row;
    ct_real share, own, soft, error, most = cti_drives_error(s, j) / dt;
    if (s->desc.recovery_speed > 0)
        most = cti_min(most, s->desc.recovery_speed);
    if (!cti_joint_has(j, CTI_PART_DRIVE))
        return most;
    memset(&row, 0, sizeof row);
    row.frame[0] = row.frame[4] = row.frame[8] = 1;
    cti_joints_sides(s, j, j->kind == CT_JOINT_HINGE, &row);
    soft = cti_drives_soft(j, dt, &share), own = cti_joints_own(s, &row, 1, 0);
    error = share > 0 ? cti_v3_norm(cti_drives_phi(s, j, CTI_PART_DRIVE, 0, dt, row.frame)) : 0;
    error = own > 0 ? (share * error / dt + (1 - share) * cti_drives_scale(j) * cti_abs(j->drive.speed)) * own / (own + soft) : 0;
    return most + cti_min(error, own * cti_min(j->drive.most * dt / cti_drives_scale(j), CTI_REAL_MAX));
}
