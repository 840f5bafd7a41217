/* judge.c -- one judge of energy for steppers whose steps may fail.
   Method: a step must not end with more energy than it began with and what scripts, pins and recovery did. Energies are those of the states at both
   ends. What bodies exchange is the scale of the error that is allowed: bodies that touch in the step are a set, and only the kinetic energy about
   the mean velocity of a set counts, with that of the speeds at which its features meet. In the world's own frame a common velocity would allow any
   gain. The world and each set have their bounds: what one set loses is nothing that another one may gain. But works of scripts, recovery and springs
   of contacts are sums over the world, which each set may have had. A gain within refusal.debt is owed, and the steps to come lose it. A step that
   gains more is refused, and its stepper divides it. What then still gains more ends in one of two safe states. Sets lose their
   gain from their velocities: about the mean, or all of it where something outside of the set acts on it. Sets that do not have as much stand still
   for a step where it began, and the others move around them. Based on: no paper. */
#include "judge.h"
#include "energy.h"
#include "report.h"
#include "motion.h"
#include "plausible.h"
#include "../0_base/sets.h"

static int cti_judge_count(const cti_state *s) { return s->bodies.n_models + CTI_LEN(s->bodies.rigids); }

/* [J] of what is outside of the bodies */
static double cti_judge_works(const ct_step_report *r) { return r->work_pins + r->work_script + r->work_joints; }

static double cti_judge_sum(const cti_energy *e) { return e->kinetic + e->elastic + e->gravity; }

CTI_FN void cti_judge_begin(cti_state *s)
{
    int i;
    s->judge.excess = 0;
    for (i = 0; i < s->n; i++)
        s->scripts.held[i] &= (uint8_t)~CTI_HELD_IMPLAUSIBLE;
}

CTI_FN void cti_judge_open(cti_state *s)
{
    int b, n = cti_judge_count(s);
    s->judge.refused = s->judge.coarse = s->judge.spent = 0, s->judge.start = s->judge.untaken = 0;
    if (n == 0)
        return;
    memset(s->judge.bodies, 0, sizeof *s->judge.bodies * (size_t)n);
    cti_sets_init(s->judge.of, n);
    cti_energy_state(s);
    for (b = 0; b < n; b++)
        s->judge.bodies[b].before = s->energy.now[b], s->judge.start += cti_judge_sum(&s->energy.now[b]);
}

CTI_FN int cti_judge_touch(cti_state *s, int first, int block, double met2)
{
    int b = cti_energy_body(s, block);
    if (b < 0)
        return first;
    s->judge.bodies[b].touched = 1, s->judge.bodies[b].met2 = cti_fmax(s->judge.bodies[b].met2, met2);
    if (first >= 0)
        cti_sets_join(s->judge.of, first, b);
    return b;
}

CTI_FN void cti_judge_touches(cti_state *s)
{
    int i, k, first;
    for (i = 0; i < CTI_LEN(s->step.impulses.touches); i++)
        for (k = 0, first = -1; k < s->step.impulses.touches[i].pair.n; k++) {
            const cti_attach *a = cti_surface_attach(&s->surface, s->step.impulses.touches[i].pair.v[k]);
            first = a->n > 0 ? cti_judge_touch(s, first, a->block[0], 0) : first;
        }
    for (i = 0; i < CTI_JOINTS(s); i++)
        for (k = 0, first = -1; k < 2; k++) {
            const cti_joint_side *side = k ? &s->bodies.joints[i].b : &s->bodies.joints[i].a;
            if (side->rigid >= 0 || side->n > 0)
                first = cti_judge_touch(s, first, side->rigid >= 0 ? s->bodies.rigids[side->rigid].block : side->block[0], 0);
        }
}

CTI_FN void cti_judge_row(cti_state *s, const cti_row *row)
{
    ct_real start[3], end[3];
    double met2;
    int k, first = -1;
    cti_row_velocity(row, s->v, start), cti_row_velocity(row, s->end.v, end);
    met2 = cti_fmax((double)cti_v3_norm2(cti_v3_at(start, 0)), (double)cti_v3_norm2(cti_v3_at(end, 0)));
    for (k = 0; k < row->n; k++)
        first = cti_judge_touch(s, first, row->term[k].block, met2);
}

CTI_FN int cti_judge_has(const cti_state *s, int block)
{
    int b = cti_energy_body(s, block);
    return b >= 0 && s->judge.bodies[b].touched;
}

CTI_FN int cti_judge_blame(cti_state *s, ct_real dt)
{
    uint8_t *fine = CTI_ARENA_NEW(s->arena, uint8_t, s->n);
    int i;
    if (!fine)
        return 0;
    cti_plausible_blocks(s, dt, fine);
    for (i = 0; i < s->n; i++) {
        int b = cti_energy_body(s, i);
        if (b >= 0 && (!fine[i] || !cti_all_finite(s->end.x + 3 * i, 3)))
            s->judge.bodies[b].blamed = 1;
    }
    return 1;
}

/* the set of a block with a mass; NULL: it has none */
static cti_judge_body *cti_judge_set(cti_state *s, int block)
{
    int b = s->bodies.mass[block] > 0 ? cti_energy_body(s, block) : -1;
    return b >= 0 ? &s->judge.bodies[cti_sets_root(s->judge.of, b)] : NULL;
}

/* sums of the sets: masses, mean velocities at both ends, energies, the kinetic energy about the mean */
static void cti_judge_measure(cti_state *s)
{
    cti_judge_body *body = s->judge.bodies;
    int i, k, b, n = cti_judge_count(s);
    for (b = n - 1; b >= 0; b--) { /* a root is the smallest number of its set */
        cti_judge_body *set = &body[cti_sets_root(s->judge.of, b)];
        set->gain += cti_judge_sum(&s->energy.now[b]) - cti_judge_sum(&body[b].before), set->stored += fabs(s->energy.now[b].elastic);
        set->had += fabs(body[b].before.elastic), set->moving += body[b].before.kinetic, set->debt += s->judge.debts[b];
        set->rounded += fabs(s->energy.now[b].gravity) + s->energy.now[b].kinetic + (b < s->bodies.n_models ? fabs(s->energy.moduli[b]) : 0);
        set->met2 = cti_fmax(set->met2, body[b].met2), set->blamed |= body[b].blamed;
    }
    for (i = 0; i < s->n; i++) {
        cti_judge_body *q = cti_judge_set(s, i);
        for (k = 0; q && k < 3; k++) {
            q->start[k] += (double)(s->bodies.mass[i] * s->step.start.copy.v[3 * i + k]);
            q->end[k] += (double)(s->bodies.mass[i] * s->v[3 * i + k]);
        }
        if (q)
            q->mass += (double)s->bodies.mass[i];
    }
    for (b = 0; b < n; b++)
        for (k = 0; k < 3 && body[b].mass > 0; k++)
            body[b].start[k] /= body[b].mass, body[b].end[k] /= body[b].mass;
    for (i = 0; i < s->n; i++) {
        cti_judge_body *q = cti_judge_set(s, i);
        for (k = 0; q && k < 3; k++) {
            double u = (double)s->v[3 * i + k] - q->end[k], u0 = (double)s->step.start.copy.v[3 * i + k] - q->start[k];
            q->kinetic += 0.5 * (double)s->bodies.mass[i] * u * u, q->had += 0.5 * (double)s->bodies.mass[i] * u0 * u0;
        }
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_judge_body *q = &body[cti_sets_root(s->judge.of, s->bodies.n_models + i)];
        q->kinetic += cti_rigid_energy(&s->bodies.rigids[i]), q->had += cti_rigid_energy(&s->step.start.copy.rigids[i]);
    }
}

/* the impulse from outside of a set, over its mass; 0 where there is none. *out: how fast what gave it moves along it, by its work */
static double cti_judge_push(const cti_state *s, const cti_judge_body *q, ct_real dt, double works, double *push, double *out)
{
    double size = 0, all = 0;
    int k;
    for (k = 0; k < 3; k++) {
        push[k] = q->end[k] - q->start[k] - (double)(dt * s->desc.gravity[k]);
        size += push[k] * push[k], all += fabs(q->end[k]) + fabs(q->start[k]) + fabs((double)(dt * s->desc.gravity[k]));
    }
    size = sqrt(size), *out = size > 0 ? works / (q->mass * size) : 0;
    for (k = 0; k < 3 && size > 0; k++)
        push[k] /= size;
    return q->touched && size > cti_step_tuned.refusal.outside * all ? size : 0;
}

/* energy that a set had at the start, about its mean velocity, and of its approach to what pushes it from outside */
static double cti_judge_had(const cti_state *s, const cti_judge_body *q, ct_real dt, double works)
{
    double kick = (double)(dt * cti_v3_norm(cti_v3_at(s->desc.gravity, 0))), push[3], at, along;
    if (!(cti_judge_push(s, q, dt, works, push, &at) > 0))
        return q->had + q->mass * kick * kick;
    along = q->start[0] * push[0] + q->start[1] * push[1] + q->start[2] * push[2] - at;
    return q->had + 0.5 * q->mass * along * along + q->mass * kick * kick;
}

/* 1 where scripts have moved bodies: what they work is known as a sum over the world alone */
static int cti_judge_is_driven(const cti_state *s, const ct_step_report *r)
{
    int i, moves = r->work_script != 0;
    for (i = 0; i < 3 * s->n && s->scripts.n_constrained && !moves; i++)
        moves = s->scripts.v_fixed[i] != 0;
    return moves;
}

/* What the sets gain beyond their own bounds [J]. given: what scripts, recovery, and contacts' springs may have done in any of them, and gains
   that the stepper explains. *gains: 1 where a set gains more than it may owe */
static double cti_judge_sets(cti_state *s, ct_real dt, double given, double shift, int *gains)
{
    double sum = 0;
    int b;
    for (b = 0; b < cti_judge_count(s); b++) {
        cti_judge_body *q = &s->judge.bodies[b];
        double had, own;
        q->owes = s->judge.debts[b];
        if (s->judge.of[b] != b)
            continue;
        had = cti_judge_had(s, q, dt, 0), own = q->gain - given - cti_policy_body_gain(1, q->touched ? had : q->stored + had, q->rounded);
        q->owes = own + q->debt;
        *gains |= own > 0 && q->owes > cti_step_tuned.refusal.debt * had + cti_fmin(shift, had + q->moving);
        sum += cti_fmax(0, q->owes);
    }
    return sum;
}

CTI_FN void cti_judge_refuses(cti_state *s, ct_real dt, double swing, double shift, ct_step_report *r)
{
    double kick = (double)(dt * cti_v3_norm(cti_v3_at(s->desc.gravity, 0)));
    double rounded = fabs(r->work_pins) + fabs(r->work_script) + fabs(r->work_joints), joints = cti_fmax(0, r->work_joints);
    double scale = r->energy_contact + r->work_recovery + r->loss_contact - s->judge.untaken, springs = r->energy_contact;
    double works = cti_judge_works(r), work = works, alone = 0, damped = 0, had = 0, moving = 0, given;
    int b, k, n = cti_judge_count(s), blamed = 0, gains = 0;
    cti_judge_measure(s);
    for (b = 0; b < n; b++) {
        const cti_judge_body *q = &s->judge.bodies[b];
        double own = q->stored + q->kinetic + q->mass * kick * kick;
        if (s->judge.of[b] != b)
            continue;
        moving += q->moving;
        blamed |= q->blamed, rounded += q->rounded, springs += q->gain;
        scale += q->touched ? own + 0.5 * q->mass * q->met2 : q->mass * kick * kick;
        had += q->touched ? cti_judge_had(s, q, dt, works) : q->mass * kick * kick;
        if (!q->touched) { /* each has its own bound; damped: the same of what dampers may have taken, too */
            alone += cti_fmin(cti_fmax(0, q->gain), cti_policy_body_gain(1, own, q->rounded));
            damped += cti_fmin(cti_fmax(0, q->gain + r->loss_damping), cti_policy_body_gain(1, own, q->rounded));
        }
        for (k = 0; k < 3; k++) /* work on the common motion is no scale of errors */
            work -= q->mass * ((q->end[k] - q->start[k]) * (q->end[k] + q->start[k]) / 2 - (double)(s->desc.gravity[k] * dt) * q->end[k]);
    }
    given = r->energy_gained - r->loss_contact - r->loss_damping;
    springs = cti_fmax(0, springs - given - works - r->work_recovery), had += springs; /* what they had at the start */
    given -= alone + cti_fmin(swing, had + moving) + cti_policy_body_gain(1, had + fabs(work), rounded);
    s->judge.most = cti_step_tuned.refusal.debt * had + cti_fmin(shift, had + moving);
    s->judge.excess = given + s->judge.debt;
    gains = given > 0 && s->judge.excess > s->judge.most;
    if (!cti_judge_is_driven(s, r))
        s->judge.excess = cti_fmax(s->judge.excess, cti_judge_sets(s, dt, springs + swing + r->work_recovery + joints, shift, &gains));
    gains |= !(r->energy_gained - s->judge.untaken <= damped + swing + shift + cti_policy_body_gain(1, scale + fabs(work), rounded));
    s->judge.refused = blamed || (gains && !cti_state_is_paper(s));
    s->judge.excess = blamed ? HUGE_VAL : s->judge.excess;
    if (s->judge.refused)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
}

/* Kinetic energy is that of v and of the gravity that a body has still to get, if v is that of a step's middle (energy.c). A body that lands or takes
   off has that counted anew; and impulses J'r on a body that had a part f of it to get work along v alone: an apparent gain of at most
   f |J'r g| h / 2 */
CTI_FN double cti_judge_shift(const cti_state *s, ct_real h, const ct_real *v)
{
    cti_v3 g = cti_v3_at(s->desc.gravity, 0);
    double sum = 0, more = 0, g2 = (double)cti_v3_norm2(g);
    int i;
    for (i = 0; i < s->n; i++) {
        double was = (double)(s->history.fall[i].share * s->history.dt_prev[i]) / 2, is = (double)(s->end.fall[i] * h) / 2;
        if (!(s->bodies.mass[i] > 0))
            continue;
        sum += (double)s->bodies.mass[i] * ((double)cti_v3_dot(cti_v3_at(v, i), g) * (is - was) + g2 * (is * is - was * was) / 2);
        more += was * fabs((double)cti_v3_dot(cti_v3_at(s->end.impulse, i), g));
    }
    return fabs(sum) + more;
}

/* ---- the end of a step that is refused ---- */

/* what each set gains more than it may: of the works, which belong to no set, it may have had all. Returns the sum; it is 1, of the set that gains
   most, if none has more */
static double cti_judge_fault(cti_state *s, ct_real dt, double works, const ct_step_report *r)
{
    double given = cti_fmax(0, r->work_pins) + cti_fmax(0, r->work_script) + cti_fmax(0, r->work_joints) + r->work_recovery;
    double most = -HUGE_VAL, sum = 0;
    int b, worst = -1;
    for (b = 0; b < cti_judge_count(s); b++) {
        cti_judge_body *q = &s->judge.bodies[b];
        if (s->judge.of[b] != b)
            continue;
        if (q->gain > most)
            most = q->gain, worst = b;
        q->fault = cti_fmax(0, q->gain - given - cti_policy_body_gain(1, cti_judge_had(s, q, dt, works), q->rounded));
        q->blamed |= !cti_finite64(q->gain);
        sum += q->fault;
    }
    if (!(sum > 0) && worst >= 0)
        s->judge.bodies[worst].fault = sum = 1;
    return sum;
}

/* cti_judge_frame -- the motion that a set keeps: its own as a rigid body. Where something outside of it acts on it, it turns no longer, and along
   that impulse it moves with what gave the impulse */
typedef struct cti_judge_frame {
    cti_motion motion;
    cti_v3 rate;
} cti_judge_frame;

/* inertia of a rigid body, world axes [9] */
static cti_m3 cti_judge_inertia(const cti_state *s, int rigid)
{
    const ct_real *R = s->bodies.frames + 9 * (size_t)rigid;
    cti_m3 turned = cti_m3_mul(R, s->bodies.rigids[rigid].inertia);
    ct_real back[9];
    int k;
    for (k = 0; k < 9; k++)
        back[k] = R[3 * (k % 3) + k / 3];
    return cti_m3_mul(turned.m, back);
}

/* adds the rotations of rigid bodies to the motion of a set. 0: it has no rotation */
static int cti_judge_turn(cti_state *s, const cti_judge_body *set, cti_judge_frame *out)
{
    ct_real inverse[9];
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_m3 I;
        if (&s->judge.bodies[cti_sets_root(s->judge.of, s->bodies.n_models + i)] != set)
            continue;
        I = cti_judge_inertia(s, i);
        for (k = 0; k < 9; k++)
            out->motion.inertia[k] += I.m[k];
        out->motion.spin = cti_v3_add(out->motion.spin, cti_v3_at(s->bodies.rigids[i].spin, 0));
    }
    if (!cti_m3_inverse(out->motion.inertia, inverse))
        return 0;
    out->rate = cti_m3_mul_v(inverse, out->motion.spin);
    return 1;
}

/* works: of scripts and pins [J]. 0: out of memory, or the set has no mass */
static int cti_judge_frame_of(cti_state *s, const cti_judge_body *set, ct_real dt, double works, cti_judge_frame *out)
{
    int32_t *list = CTI_ARENA_NEW(s->arena, int32_t, s->n + 1);
    double push[3], at;
    int i, n = 0;
    for (i = 0; list && i < s->n; i++)
        if (cti_judge_set(s, i) == set)
            list[n++] = i;
    if (n == 0)
        return 0;
    cti_motion_sum(s, list, n, s->x, s->v, &out->motion), out->rate = cti_v3_zero();
    if (cti_judge_push(s, set, dt, works, push, &at) > 0) {
        cti_v3 along = cti_v3_make((ct_real)push[0], (ct_real)push[1], (ct_real)push[2]);
        out->motion.speed = cti_v3_mad(out->motion.speed, along, (ct_real)at - cti_v3_dot(out->motion.speed, along));
    } else if (!cti_judge_turn(s, set, out))
        out->rate = cti_v3_zero();
    return 1;
}

/* [J] that the velocities of a set have about its frame; they lose a share of themselves. What that takes from outside of the set is work of
   scripts */
static double cti_judge_brake(cti_state *s, const cti_judge_body *set, const cti_judge_frame *f, ct_real share, ct_step_report *r)
{
    double sum = 0;
    cti_v3 given = cti_v3_zero();
    int i;
    for (i = 0; i < s->n; i++) {
        cti_v3 u;
        if (cti_judge_set(s, i) != set)
            continue;
        u = cti_v3_sub(cti_v3_at(s->v, i), cti_v3_add(f->motion.speed, cti_v3_cross(f->rate, cti_v3_sub(cti_v3_at(s->x, i), f->motion.center))));
        u = cti_state_free(s, i, u);
        sum += 0.5 * (double)s->bodies.mass[i] * (double)cti_v3_norm2(u);
        cti_v3_addto(s->v, i, cti_v3_mul(u, -share));
        given = cti_v3_mad(given, u, -share * s->bodies.mass[i]);
        r->momentum_lost += share * s->bodies.mass[i] * cti_v3_norm(u);
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *q = &s->bodies.rigids[i];
        cti_rigid own = *q;
        cti_m3 I;
        if (&s->judge.bodies[cti_sets_root(s->judge.of, s->bodies.n_models + i)] != set)
            continue;
        I = cti_judge_inertia(s, i);
        cti_v3_put(own.spin, 0, cti_v3_sub(cti_v3_at(q->spin, 0), cti_m3_mul_v(I.m, f->rate)));
        sum += cti_rigid_energy(&own);
        cti_v3_put(q->spin, 0, cti_v3_mad(cti_v3_at(q->spin, 0), cti_v3_at(own.spin, 0), -share));
        cti_v3_put(s->v, q->block + 1, cti_rigid_rate(q, q->q));
    }
    r->work_script += (double)cti_v3_dot(f->motion.speed, given);
    return sum;
}

CTI_FN int cti_judge_calm(cti_state *s, ct_real dt, ct_step_report *r)
{
    double all, before = r->energy_kinetic, script = r->work_script, works = cti_judge_works(r), excess = s->judge.excess;
    int b;
    if (excess <= 0)
        return 1;
    all = cti_judge_fault(s, dt, works, r);
    if (!cti_finite64(excess)) /* it is not for its energy */
        return 0;
    for (b = 0; b < cti_judge_count(s); b++) {
        cti_judge_body *q = &s->judge.bodies[b];
        cti_judge_frame frame;
        double has, share;
        if (!(q->fault > 0) || !cti_judge_frame_of(s, q, dt, works, &frame))
            continue;
        has = cti_judge_brake(s, q, &frame, 0, r), share = excess * (q->fault / all);
        q->blamed |= !(share < has), share = share < has ? share / has : 1;
        s->judge.excess -= share * has;
        cti_judge_brake(s, q, &frame, (ct_real)(1 - sqrt(1 - share)), r);
    }
    if (!(s->judge.excess <= s->judge.most))
        return 0;
    s->energy.known = 0;
    cti_report_energies(s, r);
    r->energy_gained += r->energy_kinetic - before - (r->work_script - script);
    return 1;
}

CTI_FN int cti_judge_hold(cti_state *s)
{
    int i, all, n = 0;
    for (all = 0; all < 2 && n == 0; all++)
        for (i = 0; i < s->n; i++) {
            int b = cti_energy_body(s, i), blamed = b >= 0 && s->judge.bodies[cti_sets_root(s->judge.of, b)].blamed;
            if (!(blamed || all) || s->scripts.held[i])
                continue;
            s->scripts.held[i] = CTI_HELD_IMPLAUSIBLE, n++;
        }
    return n > 0;
}

CTI_FN void cti_judge_close(cti_state *s, ct_real dt, ct_step_report *r)
{
    int i, b;
    cti_report_settle(r);
    s->judge.debt = cti_finite64(s->judge.excess) ? cti_fmax(0, s->judge.excess) : 0;
    for (b = 0; b < cti_judge_count(s); b++) {
        double owes = s->judge.bodies[b].owes;
        s->judge.debts[b] = cti_finite64(owes) ? cti_fmax(0, owes) : 0;
        s->judge.bodies[b].touched = 0; /* counted below, once for each body */
    }
    for (i = 0; i < s->n; i++) {
        if (!(s->scripts.held[i] & CTI_HELD_IMPLAUSIBLE))
            continue;
        s->scripts.held[i] = 0, r->frozen++;
        s->history.fall[i].share = 0, s->history.fall[i].owed = 0;
        r->momentum_lost += s->bodies.mass[i] * cti_v3_norm(cti_v3_mad(cti_v3_at(s->step.start.copy.v, i), cti_v3_at(s->desc.gravity, 0), dt));
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
        b = cti_energy_body(s, i);
        if (b < 0 || s->judge.bodies[b].touched++)
            continue;
        r->loss_contact += s->judge.bodies[b].before.kinetic - s->energy.now[b].kinetic;
        r->energy_gained += s->judge.bodies[b].before.kinetic - s->energy.now[b].kinetic;
    }
}
