/* drives.c -- limits, motors, drags and strengths of joints: calls that set them between steps, where a joint is, and which joints break.
   Method: a joint breaks by its mean force over a step, which is told with the step's other events (touching.c), and has no rows from the next step
   on. Based on: no paper; names and laws are those of Box2D 3. */
#include "world.h"
#include "../8_step/joints.h"

/* ---- what a joint may have ---- */

static int cti_drives_is_moderate(ct_real x)
{
    ct_real v[3];
    v[0] = x, v[1] = v[2] = 0;
    return cti_bodies_is_moderate(v);
}

/* 1 for a bound that is at least 0, or infinite */
static int cti_drives_is_bound(ct_real x) { return x >= 0 && (x > CTI_REAL_MAX || cti_drives_is_moderate(x)); }

CTI_FN int cti_drive_is_valid(const cti_joint *j, const cti_drive *q)
{
    const ct_real pi = CTI_R(3.14159265358979324);
    int guided = j->kind == CT_JOINT_HINGE || j->kind == CT_JOINT_SLIDER, low = !cti_finite(q->lower), high = !cti_finite(q->upper);
    if (!(q->lower <= q->upper) || q->lower > CTI_REAL_MAX || q->upper < -CTI_REAL_MAX || (!guided && !(low && high)))
        return 0;
    if (j->kind == CT_JOINT_HINGE && (low != high || (!low && !(q->lower > -pi && q->upper < pi))))
        return 0;
    if (!(low || cti_drives_is_moderate(q->lower)) || !(high || cti_drives_is_moderate(q->upper)) || !cti_drives_is_bound(q->most))
        return 0;
    if (q->most > 0 && !guided && j->kind != CT_JOINT_DRAG)
        return 0;
    return cti_drives_is_moderate(q->speed) && cti_drives_is_moderate(q->target) && q->stiffness >= 0 && cti_drives_is_moderate(q->stiffness) &&
           q->damping >= 0 && cti_drives_is_moderate(q->damping);
}

CTI_FN int cti_strength_is_valid(const ct_real *strength)
{
    return strength[0] > 0 && strength[1] > 0 && cti_drives_is_bound(strength[0]) && cti_drives_is_bound(strength[1]);
}

/* ---- calls ---- */

/* the joint that a call sets; NULL: *out_code says why not */
static cti_world_joint *cti_drives_find(ct_world *w, ct_joint_id id, ct_code *out_code)
{
    cti_world_joint *q;
    *out_code = !w || cti_world_busy(w) != CT_OK ? CT_ERR_ARGUMENT : CT_OK;
    q = *out_code == CT_OK ? cti_joints_find(w, id, out_code) : NULL;
    return q;
}

/* the prepared data and the bodies learn what was set */
static ct_code cti_drives_done(ct_world *w, const cti_world_joint *q)
{
    int k;
    for (k = 0; k < 2; k++)
        if (q->slot[k] >= 0)
            cti_sleep_wake(w, q->slot[k]);
    cti_world_renew_joints(w);
    return CT_OK;
}

/* limits, motor, spring: what a call sets; NULL: not that */
static ct_code cti_drives_set(ct_world *w, ct_joint_id id, const ct_real *limits, const ct_real *motor, const ct_real *spring)
{
    ct_code code;
    cti_world_joint *q = cti_drives_find(w, id, &code);
    cti_drive next;
    if (!q)
        return code;
    next = q->joint.drive;
    if (limits)
        next.lower = limits[0], next.upper = limits[1];
    if (motor)
        next.speed = motor[0], next.most = motor[1];
    if (spring)
        next.target = spring[0], next.stiffness = spring[1], next.damping = spring[2];
    if (!(q->joint.kind == CT_JOINT_HINGE || q->joint.kind == CT_JOINT_SLIDER || (q->joint.kind == CT_JOINT_DRAG && !limits)))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, q->joint.kind,
                                "only hinges and sliders have limits, and these and drags have motors (value: kind)");
    if (!cti_drive_is_valid(&q->joint, &next))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, limits ? (double)next.lower : (double)next.most,
                                "a joint's limits need lower <= upper, of a hinge between -pi and pi, and what drives it numbers, of which efforts, "
                                "stiffness and damping are not below 0");
    code = cti_steppers_admit(w, CTI_FEATURE_DRIVE, NULL);
    if (code != CT_OK)
        return code;
    q->joint.drive = next;
    return cti_drives_done(w, q);
}

CONTACT_API_DEF ct_code ct_joint_set_limits(ct_world *w, ct_joint_id joint, ct_real lower, ct_real upper)
{
    ct_real limits[2];
    limits[0] = lower, limits[1] = upper;
    CTI_FPENV_RETURN(cti_drives_set(w, joint, limits, NULL, NULL))
}

CONTACT_API_DEF ct_code ct_joint_set_motor(ct_world *w, ct_joint_id joint, ct_real speed, ct_real max_effort)
{
    ct_real motor[2];
    motor[0] = speed, motor[1] = max_effort;
    CTI_FPENV_RETURN(cti_drives_set(w, joint, NULL, motor, NULL))
}

CONTACT_API_DEF ct_code ct_joint_set_spring(ct_world *w, ct_joint_id joint, ct_real target, ct_real stiffness, ct_real damping)
{
    ct_real spring[3];
    spring[0] = target, spring[1] = stiffness, spring[2] = damping;
    CTI_FPENV_RETURN(cti_drives_set(w, joint, NULL, NULL, spring))
}

static ct_code cti_drives_aim(ct_world *w, ct_joint_id id, const ct_real *point)
{
    ct_code code;
    cti_world_joint *q = cti_drives_find(w, id, &code);
    if (!q)
        return code;
    if (q->joint.kind != CT_JOINT_DRAG || !point || !cti_bodies_is_moderate(point))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, q->joint.kind, "only a drag has a target, which is a place (value: kind)");
    memcpy(q->joint.b.arm, point, sizeof q->joint.b.arm);
    return cti_drives_done(w, q);
}

CONTACT_API_DEF ct_code ct_joint_set_target(ct_world *w, ct_joint_id joint, const ct_real point[3])
{
    CTI_FPENV_RETURN(cti_drives_aim(w, joint, point))
}

static ct_code cti_drives_break_at(ct_world *w, ct_joint_id id, ct_real force, ct_real torque)
{
    ct_code code;
    cti_world_joint *q = cti_drives_find(w, id, &code);
    ct_real strength[2];
    if (!q)
        return code;
    strength[0] = force, strength[1] = torque;
    if (!cti_strength_is_valid(strength))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)force, "a joint breaks at a force and a torque above 0, or at INFINITY never");
    memcpy(q->strength, strength, sizeof q->strength);
    return cti_drives_done(w, q);
}

CONTACT_API_DEF ct_code ct_joint_set_break(ct_world *w, ct_joint_id joint, ct_real force, ct_real torque)
{
    CTI_FPENV_RETURN(cti_drives_break_at(w, joint, force, torque))
}

/* ---- where a joint is ---- */

/* point and axes of a side as it is now */
static cti_v3 cti_drives_place(const ct_world *w, const cti_world_joint *q, int side, ct_real *axes)
{
    const cti_joint_side *s = side ? &q->joint.b : &q->joint.a;
    ct_real R[9];
    int k, block;
    if (s->rigid < 0)
        return cti_joints_scripted(s, w->state.step.time, axes);
    block = w->bodies[q->slot[side]].block0;
    cti_rigid_matrix(w->state.bodies.rigids[w->bodies[q->slot[side]].rigid].q, R);
    for (k = 0; k < 3; k++)
        cti_v3_put(axes, k, cti_m3_mul_v(R, cti_v3_at(s->triad, k)));
    return cti_v3_add(cti_v3_at(w->state.x, block), cti_m3_mul_v(R, cti_v3_at(s->arm, 0)));
}

static ct_real cti_drives_value_now(const ct_world *w, const cti_world_joint *q)
{
    ct_real a[9], b[9];
    cti_v3 d;
    if (q->joint.kind != CT_JOINT_HINGE && q->joint.kind != CT_JOINT_SLIDER)
        return 0;
    d = cti_drives_place(w, q, 0, a);
    return cti_joint_value(&q->joint, a, b, cti_v3_sub(d, cti_drives_place(w, q, 1, b)));
}

CONTACT_API_DEF ct_code ct_joint_get_state(const ct_world *cw, ct_joint_id joint, ct_joint_state *out)
{
    ct_world *w = (ct_world *)cw;
    ct_code code;
    const cti_world_joint *q = cti_drives_find(w, joint, &code);
    const cti_drive *d;
    if (!q)
        return code;
    if (!out)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "ct_joint_get_state: out_state is NULL");
    d = &q->joint.drive;
    memset(out, 0, sizeof *out);
    out->value = cti_drives_value_now(w, q), out->lower = d->lower, out->upper = d->upper;
    out->speed = d->speed, out->target = d->target, out->stiffness = d->stiffness, out->damping = d->damping, out->max_effort = d->most;
    if (q->joint.kind == CT_JOINT_DRAG)
        memcpy(out->point, q->joint.b.arm, sizeof out->point);
    out->break_force = q->strength[0], out->break_torque = q->strength[1], out->broken = q->broken;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_joint_get_angle(const ct_world *w, ct_joint_id joint, ct_real *out_value)
{
    ct_joint_state s;
    ct_code code = ct_joint_get_state(w, joint, &s);
    if (code == CT_OK && !out_value)
        return cti_world_refuse((ct_world *)w, CT_ERR_ARGUMENT, -1, 0, "ct_joint_get_angle: out_value is NULL");
    if (code == CT_OK)
        *out_value = s.value;
    return code;
}

/* ---- impulses ---- */

/* linear and angular impulse of a joint on side a, [3] each, in a list of a step. Returns the step's length [s], 0: it gave none */
static ct_real cti_drives_sum(const cti_memory *list, const cti_joint *j, ct_real *linear, ct_real *angular)
{
    ct_real dt = 0;
    int part, k;
    memset(linear, 0, 3 * sizeof *linear), memset(angular, 0, 3 * sizeof *angular);
    for (part = 0; part < CTI_PARTS; part++) {
        const cti_memory_item *m = cti_memory_find(list, cti_joint_key(j, part));
        int turns = part == CTI_PART_TURN || (part > CTI_PART_TURN && j->kind == CT_JOINT_HINGE);
        for (k = 0; m && k < 3; k++)
            (turns ? angular : linear)[k] += m->impulse[k] * (turns ? j->lever : 1);
        dt = m ? m->dt : dt;
    }
    return dt;
}

static ct_code cti_drives_get(const ct_world *cw, ct_joint_id joint, int force, ct_real *out_linear, ct_real *out_angular)
{
    ct_world *w = (ct_world *)cw;
    ct_code code = CT_OK;
    const cti_world_joint *q = cti_joints_find(w, joint, &code);
    ct_real linear[3], angular[3], dt;
    int k;
    if (!q)
        return code;
    dt = cti_drives_sum(&w->state.history.impulses.joints, &q->joint, linear, angular);
    for (k = 0; k < 3; k++) {
        if (out_linear)
            out_linear[k] = force && dt > 0 ? linear[k] / dt : linear[k];
        if (out_angular)
            out_angular[k] = force && dt > 0 ? angular[k] / dt : angular[k];
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_joint_get_impulse(const ct_world *w, ct_joint_id joint, ct_real out_linear[3], ct_real out_angular[3])
{
    return cti_drives_get(w, joint, 0, out_linear, out_angular);
}

CONTACT_API_DEF ct_code ct_joint_get_force(const ct_world *w, ct_joint_id joint, ct_real out_force[3], ct_real out_torque[3])
{
    return cti_drives_get(w, joint, 1, out_force, out_torque);
}

/* ---- breaking ---- */

CTI_FN int cti_world_tell_breaks(ct_world *w)
{
    int i, k, ok = 1;
    CTI_CLEAR(w->events.next.joint_break);
    for (i = 0; ok && i < CTI_LEN(w->joints); i++) {
        const cti_world_joint *q = &w->joints[i];
        ct_joint_break e;
        ct_real dt;
        if (!cti_joint_acts(q) || (q->strength[0] > CTI_REAL_MAX && q->strength[1] > CTI_REAL_MAX))
            continue;
        memset(&e, 0, sizeof e);
        dt = cti_drives_sum(&w->state.step.impulses.joints, &q->joint, e.impulse, e.angular_impulse);
        if (!(cti_v3_norm(cti_v3_at(e.impulse, 0)) > q->strength[0] * dt) && !(cti_v3_norm(cti_v3_at(e.angular_impulse, 0)) > q->strength[1] * dt))
            continue;
        e.joint.index1 = (uint32_t)i + 1, e.joint.generation = q->generation;
        for (k = 0; k < 2; k++)
            if (q->slot[k] >= 0)
                *(k ? &e.body_b : &e.body_a) = cti_world_id(w, q->slot[k]);
        ok = CTI_PUSH(&w->mem, w->events.next.joint_break, e);
    }
    return ok;
}

CTI_FN void cti_world_break(ct_world *w)
{
    int i, k;
    for (i = 0; i < CTI_LEN(w->events.last.joint_break); i++) {
        ct_joint_id id = w->events.last.joint_break[i].joint;
        cti_world_joint *q = &w->joints[id.index1 - 1];
        if (!cti_joint_acts(q) || q->generation != id.generation)
            continue;
        q->broken = 1;
        cti_joints_forget(w, q);
        for (k = 0; k < 2; k++)
            if (q->slot[k] >= 0)
                w->bodies[q->slot[k]].unsearched |= !q->collide, cti_sleep_wake(w, q->slot[k]);
        w->ready = w->prepared = 0;
    }
}
