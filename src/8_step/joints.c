/* joints.c -- rows of joints and stitches.
   Method: a joint holds at the end of the step, phi(q(v)) = 0, which is solved by Newton steps: at the tentative motion v_k of a round the
   row is phi(q(v_k))/dt + J (v - v_k) + c r = 0. J has the arms of rigid bodies at the middle of that motion, sliders those at the start. Since J is
   not the exact derivative, a round reduces the error by a factor of the order of the step's rotation. Joints between rigid bodies are rows of
   linkages (linkage.h), whose J is the mean of both ends.
   The notes' "numerical stabilization" (4.1.2.2: springs against the drift of the linear approximation) is here the compliance c = 1 / (k
   dt^2) of an implicit spring k. Without a spring there is no drift to stabilize, since phi contains the whole error.
   An error from outside is closed by the method of multipliers: c (r - r0) in place of c r, c a share of the mobility of the joint's blocks, r0 at
   first the impulse that closes a linkage's joint without contacts, of others 0. While a solve at least halves the error, its r is the next one's
   r0. Where contacts leave no room to close the joint no solve does: its force stays bounded, and the motion is the nearest one to closing it.
   Based on: lecture notes 4.1.1 (bilateral constraints, J = d phi / d q G); Otaduy 2009, eq. 4-5. */
#include "joints.h"
#include "drives.h"
#include "linkage.h"
#include "momenta.h"
#include "policy.h"

static const ct_real cti_joints_unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* the point that vertices with keyframes hold */
static cti_v3 cti_joints_framed(const cti_joint_side *side, double time)
{
    cti_script script;
    cti_v3 p = cti_v3_zero();
    int k;
    memset(&script, 0, sizeof script);
    script.rest = script.keyframes = side->keyframes;
    script.n = side->n_vertices, script.n_keyframes = side->n_keyframes, script.interval = side->interval;
    script.path = side->path, script.n_path = side->n_path, script.t0 = side->t0;
    for (k = 0; k < 3 && side->vertices[k] >= 0; k++)
        p = cti_v3_mad(p, cti_script_point(&script, side->vertices[k], time, NULL), side->weight[k]);
    return p;
}

CTI_FN cti_joint *cti_joints_of(const cti_state *s, int row)
{
    int id = CTI_JOINTS(s) ? s->contact.origins[row].joint - 1 : -1;
    return id >= 0 ? &s->bodies.joints[id / CTI_PARTS] : NULL;
}

CTI_FN cti_v3 cti_joints_scripted(const cti_joint_side *side, double time, ct_real *triad)
{
    double t = time - side->t0;
    cti_v3 o = cti_script_follow(side->path, side->n_path, cti_v3_zero(), t, NULL);
    int i;
    for (i = 0; triad && i < 3; i++)
        cti_v3_put(triad, i, cti_v3_sub(cti_script_follow(side->path, side->n_path, cti_v3_at(side->triad, i), t, NULL), o));
    return side->keyframes ? cti_joints_framed(side, time) : cti_script_follow(side->path, side->n_path, cti_v3_at(side->arm, 0), t, NULL);
}

CTI_FN cti_v3 cti_joints_place(const cti_state *s, const cti_joint_side *side, int end, double time, ct_real *triad)
{
    const ct_real *x = end ? s->end.x : s->x;
    cti_v3 p = cti_v3_zero();
    int i;
    if (side->rigid >= 0) {
        const ct_real *R = (end ? s->end.frames : s->bodies.frames) + 9 * (size_t)side->rigid;
        for (i = 0; triad && i < 3; i++)
            cti_v3_put(triad, i, cti_m3_mul_v(R, cti_v3_at(side->triad, i)));
        return cti_v3_add(cti_v3_at(x, s->bodies.rigids[side->rigid].block), cti_m3_mul_v(R, cti_v3_at(side->arm, 0)));
    }
    if (side->n == 0)
        return cti_joints_scripted(side, time, triad);
    for (i = 0; i < side->n; i++)
        p = cti_v3_mad(p, cti_v3_at(x, side->block[i]), side->weight[i]);
    return p;
}

/* phi of a part in the row's axes: the points' offset, a stitch's elongation, or the rotation times the lever */
static cti_v3 cti_joints_phi(const cti_state *s, const cti_joint *j, int part, int end, double time, const ct_real *frame)
{
    ct_real a[9], b[9];
    cti_v3 d = cti_joints_place(s, &j->a, end, time, a);
    d = cti_v3_sub(d, cti_joints_place(s, &j->b, end, time, b));
    if (part == CTI_PART_TURN)
        d = cti_v3_mul(cti_joint_turn(a, b, j->kind == CT_JOINT_HINGE), j->lever);
    else if (j->kind == CT_JOINT_SLIDER)
        d = cti_v3_mad(d, cti_v3_at(b, 0), -cti_v3_dot(d, cti_v3_at(b, 0)));
    else if (j->rest > 0)
        return cti_v3_make(cti_v3_norm(d) - j->rest, 0, 0);
    return cti_m3_mul_v(frame, d);
}

/* terms of one side with sign +-1, at the start of the step; the motion of scripts and fixed nodes is included through phi */
static void cti_joints_side(const cti_state *s, const cti_joint_side *side, int part, ct_real sign, cti_row *row)
{
    int i, first = row->n;
    if (side->rigid >= 0) {
        int b = s->bodies.rigids[side->rigid].block;
        if (part == 1) {
            cti_row_term(row, first, b + 1)->weight = sign;
            return;
        }
        cti_row_term(row, first, b)->weight = sign;
        cti_v3_put(cti_row_term(row, first, b + 1)->arm, 0,
                   cti_v3_mul(cti_m3_mul_v(s->bodies.frames + 9 * (size_t)side->rigid, cti_v3_at(side->arm, 0)), sign));
        return;
    }
    for (i = 0; i < side->n; i++)
        if (side->weight[i] != 0 && !s->scripts.fixed[side->block[i]])
            cti_row_term(row, first, side->block[i])->weight += sign * side->weight[i];
}

/* largest response of term k's block, by itself, to a unit multiplier on an axis, or the least one; M [9]: the block's mass */
static ct_real cti_joints_response(const cti_row *row, int k, const ct_real *M, int least)
{
    ct_real G[9], inverse[9], big = 0;
    int i, j, l;
    if (!cti_m3_inverse(M, inverse))
        return 0;
    cti_row_map(row, k, G);
    for (i = 0; i < 3; i++) {
        ct_real d = 0;
        for (j = 0; j < 3; j++)
            for (l = 0; l < 3; l++)
                d += G[3 * i + j] * inverse[3 * j + l] * G[3 * i + l];
        big = i && least ? cti_min(big, d) : cti_max(big, d);
    }
    return big;
}

CTI_FN ct_real cti_joints_own(const cti_state *s, const cti_row *row, int masses, int least)
{
    ct_real sum = 0;
    int k;
    for (k = 0; k < row->n; k++) {
        int b = row->term[k].block;
        sum += masses && s->bodies.rigid_of[b] < 0 ? row->term[k].weight * row->term[k].weight * s->bodies.inv_mass[b]
                                                   : cti_joints_response(row, k, s->system.A.val + 9 * (size_t)s->system.A.diag[b], least);
    }
    return sum;
}

CTI_FN cti_v3 cti_joints_script(const cti_state *s, const cti_joint *j, int part, ct_real dt, const ct_real *frame)
{
    const cti_joint_side *side[2];
    cti_v3 u = cti_v3_zero();
    int k, i;
    side[0] = &j->a, side[1] = &j->b;
    for (k = 0; k < 2; k++) {
        cti_v3 v = cti_v3_zero();
        if (side[k]->rigid >= 0)
            continue;
        for (i = 0; i < side[k]->n; i++)
            if (s->scripts.fixed[side[k]->block[i]])
                v = cti_v3_mad(v, cti_v3_at(s->scripts.v_fixed, side[k]->block[i]), side[k]->weight[i]);
        if (part == 1 && side[k]->n == 0) {
            ct_real from[9], to[9];
            cti_joints_place(s, side[k], 0, s->step.time, from);
            cti_joints_place(s, side[k], 0, cti_state_ahead(s, dt), to);
            v = cti_v3_mul(cti_joint_turn(to, from, 0), j->lever / dt);
        } else if (side[k]->n == 0) {
            v = cti_v3_sub(cti_joints_place(s, side[k], 0, cti_state_ahead(s, dt), NULL), cti_joints_place(s, side[k], 0, s->step.time, NULL));
            v = cti_v3_mul(v, 1 / dt);
        }
        u = cti_v3_mad(u, v, k == 0 ? CTI_R(1) : CTI_R(-1));
    }
    return cti_m3_mul_v(frame, u);
}

CTI_FN void cti_joints_sides(const cti_state *s, const cti_joint *j, int turns, cti_row *row)
{
    cti_joints_side(s, &j->a, turns, turns ? j->lever : 1, row);
    row->n_a = row->n;
    cti_joints_side(s, &j->b, turns, turns ? -j->lever : -1, row);
    if (!turns && j->kind == CT_JOINT_SLIDER && j->b.rigid >= 0) { /* side b holds the point of side a where that is on the axis */
        cti_v3 a = cti_joints_place(s, &j->a, 0, s->step.time, NULL);
        cti_v3_put(row->term[row->n - 1].arm, 0, cti_v3_sub(cti_v3_at(s->x, s->bodies.rigids[j->b.rigid].block), a));
    }
}

/* key, equations, axes and terms of a part at the present state; multipliers and w are 0 */
static void cti_joints_row(const cti_state *s, const cti_joint *j, int part, cti_row *row)
{
    memset(row, 0, sizeof *row);
    row->key = cti_joint_key(j, part);
    row->equations = part == 1 ? (j->kind == CT_JOINT_HINGE ? 6 : 7) : (j->kind == CT_JOINT_SLIDER ? 6 : j->rest > 0 ? 1 : 7);
    row->frame[0] = row->frame[4] = row->frame[8] = 1;
    if (part == 1 || j->kind == CT_JOINT_SLIDER)
        cti_joints_place(s, &j->b, 0, s->step.time, row->frame);
    else if (j->rest > 0)
        cti_joint_axes(cti_v3_unit(cti_v3_sub(cti_joints_place(s, &j->a, 0, s->step.time, NULL), cti_joints_place(s, &j->b, 0, s->step.time, NULL)),
                                   cti_v3_make(0, 1, 0)), row->frame);
    cti_joints_sides(s, j, part, row);
}

/* compliance [m/N] of a part at its lever */
static ct_real cti_joints_softness(const cti_joint *j, int part)
{
    return part == 1 ? j->angular_compliance * j->lever * j->lever : j->compliance;
}

/* The geometric stiffness of a stretched stitch. Its row pulls along the direction d0 / L at the start of the step. The pull T along that at
   the end also has -T (d1 across d0) / L: a spring T / L in the two directions across, which stores no energy as long as T and L stay.
   Without it the step is explicit there: vibrations across with angular frequency w = sqrt(T g / L), g the mobility of the ends, do not decay where
   w dt > 1, and grow without bound where w dt > 2. With the part of the spring above w dt = 1 they decay. Slower motion, such as a pendulum's,
   has no such part, and keeps its energy. T is that of the last step; a stitch under pressure has none. */
static void cti_joints_across(const cti_state *s, const cti_joint *j, ct_real dt, cti_row *row)
{
    ct_real length = cti_v3_norm(cti_v3_sub(cti_joints_place(s, &j->a, 0, s->step.time, NULL), cti_joints_place(s, &j->b, 0, s->step.time, NULL)));
    ct_real g = cti_joints_own(s, row, 1, 0), stiff = g > 0 ? -row->r[0] * dt / length - 1 / g : 0; /* [kg] spring times dt^2 */
    if (!(stiff > 0) || !cti_finite(stiff))
        return;
    row->equations = 7;
    row->compliance[1] = row->compliance[2] = 1 / stiff;
}

/* frame, axes and multipliers of a part */
static void cti_joints_build(const cti_state *s, const cti_row_context *c, const cti_joint *j, int part, cti_row *row, cti_contact_row *origin)
{
    const cti_memory_item *m;
    const cti_linkage *g = NULL;
    ct_real soft = cti_joints_softness(j, part), share;
    cti_v3 e;
    int k;
    memset(origin, 0, sizeof *origin);
    origin->is_unsolved = 1;
    if (part > CTI_PART_TURN) {
        cti_drives_build(s, c, j, part, row);
        return;
    }
    cti_joints_row(s, j, part, row);
    soft = cti_max(soft / (c->dt * c->dt), cti_joints_own(s, row, 0, 0) * cti_step_tuned.attempt.joint_own);
    row->compliance[0] = row->compliance[1] = row->compliance[2] = soft;
    if (cti_linkage_row(s, CTI_PARTS * (int)(j - s->bodies.joints) + part, row, &e))
        g = cti_linkage_of(s, j->a.rigid >= 0 ? j->a.rigid : j->b.rigid);
    m = g ? NULL : cti_memory_find(c->memory, row->key);
    if (m)
        cti_v3_put(row->r, 0, cti_m3_mul_v(row->frame, cti_v3_mul(cti_v3_at(m->impulse, 0), c->dt / m->dt)));
    if (row->equations == 1)
        cti_joints_across(s, j, c->dt, row);
    for (k = 0; k < 3; k++)
        row->r[k] = (row->equations >> k & 1) ? row->r[k] : 0;
    if (cti_joints_is_soft(j, part) || !cti_linkage_recovers(s, j))
        return;
    share = c->dt / s->step.dt; /* a substep closes its share of the error, and its force is that of a whole step */
    origin->gives = cti_joints_own(s, row, 0, !g) * (g ? cti_step_tuned.attempt.joint_gives : cti_step_tuned.attempt.joint_gives_soft / share);
    if (!g || !g->keeps)
        origin->gap0 = cti_min(cti_joints_rigid_error(s, j) * share, s->desc.recovery_speed > 0 ? c->dt * s->desc.recovery_speed : CTI_REAL_MAX);
    if (g)
        cti_v3_put(origin->anchor, 0, cti_m3_mul_tv(row->frame, cti_v3_at(row->r, 0)));
    for (k = 0; !g && k < (j->rest > 0 ? 1 : 3); k++)
        row->compliance[k] += origin->gives;
}

/* 1 if a body of the joint is inactive. Its other blocks are in the same coupled set, and are inactive as well */
static int cti_joints_is_inactive(const cti_state *s, const cti_joint *j)
{
    int k, inactive = 0;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *side = k ? &j->b : &j->a;
        if (side->rigid >= 0 || side->n > 0)
            inactive |= cti_state_is_inactive(s, side->rigid >= 0 ? s->bodies.rigids[side->rigid].block : side->block[0]);
    }
    return inactive;
}

CTI_FN int cti_joints_is_guide(const cti_state *s, int row)
{
    const cti_joint *j = cti_joints_of(s, row);
    return j && j->a.n == 0 && j->b.n == 0 && (j->kind == CT_JOINT_SLIDER || cti_joints_part(s, row) > CTI_PART_TURN);
}

CTI_FN int cti_joints_is_damped(const cti_state *s, int row)
{
    const cti_joint *j = cti_joints_of(s, row);
    return j && cti_joints_part(s, row) == CTI_PART_POINT && j->rest > 0 && s->contact.rows[row].equations == 7;
}

/* Stitches that are damped across follow the rotation of all bodies that joints connect, if nothing holds these: it is no vibration */
static void cti_joints_follow(cti_state *s)
{
    int i, damped = 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        damped |= cti_joints_is_damped(s, i);
    if (damped)
        cti_momenta_turning(s);
    for (i = 0; damped && i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        const cti_joint *j = cti_joints_of(s, i);
        cti_v3 d, u;
        if (!cti_joints_is_damped(s, i))
            continue;
        d = cti_v3_sub(cti_joints_place(s, &j->a, 0, s->step.time, NULL), cti_joints_place(s, &j->b, 0, s->step.time, NULL));
        u = cti_m3_mul_v(row->frame, cti_v3_cross(cti_momenta_rate_of(s, row->term[0].block), d));
        s->contact.origins[i].base[1] = -u.y, s->contact.origins[i].base[2] = -u.z;
    }
}

CTI_FN int cti_joints_is_soft(const cti_joint *j, int part) { return cti_joints_softness(j, part) > 0; }

/* the error that remains after a substep of dt, which closes the share dt / step.dt of an error from outside, but at most at the recovery speed; a
   spring's elongation stays */
static cti_v3 cti_joints_target(const cti_state *s, const cti_joint *j, int part, ct_real dt, const ct_real *frame)
{
    cti_v3 phi = cti_v3_zero();
    ct_real way;
    if (cti_joints_is_soft(j, part) || (!(s->desc.recovery_speed > 0) && !(dt < s->step.dt)))
        return phi;
    phi = cti_joints_phi(s, j, part, 0, s->step.time, frame);
    way = cti_v3_norm(phi) * (dt / s->step.dt);
    return cti_joint_left(phi, s->desc.recovery_speed > 0 ? cti_min(way, dt * s->desc.recovery_speed) : way);
}

/* largest coordinate of the blocks of a side [m], which rounds as their positions do */
static ct_real cti_joints_size(const cti_state *s, const cti_joint_side *side)
{
    ct_real most = 0;
    int i, k;
    for (i = 0; i < side->n || (i == 0 && side->rigid >= 0); i++)
        for (k = 0; k < 3; k++)
            most = cti_max(most, cti_abs(s->x[3 * (side->n ? side->block[i] : s->bodies.rigids[side->rigid].block) + k]));
    return most;
}

CTI_FN cti_v3 cti_joints_left(const cti_state *s, const cti_joint *j, int part, ct_real dt)
{
    return cti_joints_target(s, j, part, dt, cti_joints_unit);
}

CTI_FN ct_real cti_joints_rounding(const cti_state *s, const cti_joint *j)
{
    ct_real size = cti_max(cti_joints_size(s, &j->a), cti_joints_size(s, &j->b));
    return cti_step_tuned.attempt.link_round * CTI_EPS * (size + cti_v3_norm(cti_v3_at(j->a.arm, 0)) + cti_v3_norm(cti_v3_at(j->b.arm, 0)));
}

CTI_FN ct_real cti_joints_yield(const cti_state *s, const cti_joint *j, int part, ct_real dt, int *is_soft, int *is_loose)
{
    cti_row row;
    ct_real own, mobility, soft = 2 * cti_joints_softness(j, part) / (dt * dt);
    cti_joints_row(s, j, part, &row);
    own = cti_joints_own(s, &row, 0, 0);
    *is_soft = soft > 0, *is_loose = soft > 2 * own;
    mobility = (j->a.rigid >= 0 ? 1 / s->bodies.rigids[j->a.rigid].mass : 0) + (j->b.rigid >= 0 ? 1 / s->bodies.rigids[j->b.rigid].mass : 0);
    return cti_max(*is_loose ? soft * 2 / 3 : soft, mobility * cti_step_tuned.attempt.link_own);
}

CTI_FN int cti_joints_is_scripted(const cti_joint *j)
{
    return j->a.n_path > 0 || j->b.n_path > 0 || j->a.keyframes || j->b.keyframes;
}

/* offset of a stitch's points across its axis, in the row's axes; 0 along it */
static cti_v3 cti_joints_offset(const cti_state *s, const cti_joint *j, int end, double time, const ct_real *frame)
{
    cti_v3 d = cti_m3_mul_v(frame, cti_v3_sub(cti_joints_place(s, &j->a, end, time, NULL), cti_joints_place(s, &j->b, end, time, NULL)));
    return cti_v3_make(0, d.y, d.z);
}

/* the arms of a joint's points become those at the middle of the tentative motion, as those of contacts do (rows.c). A slider's stay those of the
   start: there its side b holds the point of side a */
static void cti_joints_turn_arms(const cti_state *s, const cti_row_context *c, const cti_joint *j, cti_row *row)
{
    int k, side;
    for (side = 0; side < 2; side++) {
        const cti_joint_side *q = side ? &j->b : &j->a;
        int turning = q->rigid >= 0 ? s->bodies.rigids[q->rigid].block + 1 : -1;
        for (k = side ? row->n_a : 0; k < (side ? row->n : row->n_a) && j->kind != CT_JOINT_SLIDER; k++)
            if (row->term[k].block == turning)
                cti_v3_put(row->term[k].arm, 0, cti_v3_mul(cti_rows_arm(c, q->rigid, turning, cti_v3_at(q->arm, 0), 0), side ? -1 : 1));
    }
}

/* w of one row; returns the row's error at v [m], beyond what its compliance gives way. *apart: the whole
   error of a linkage's joint, whatever its compliance explains */
static ct_real cti_joints_linearize_row(const cti_state *s, const cti_row_context *c, const cti_joint *j, int i, ct_real *apart)
{
    cti_row *row = &s->contact.rows[i];
    const cti_contact_row *o = &s->contact.origins[i];
    int k, start = s->desc.row_mode == CT_ROW_VELOCITY, part = cti_joints_part(s, i), across = cti_joints_is_damped(s, i);
    ct_real u[3], error[3], held[3], miss = 0;
    cti_v3 e;
    *apart = row->w[0] = row->w[1] = row->w[2] = 0;
    if (part > CTI_PART_TURN)
        return cti_drives_linearize(s, c, j, part, row);
    cti_v3_put(held, 0, cti_v3_mul(cti_m3_mul_v(row->frame, cti_v3_at(o->anchor, 0)), o->gives));
    if (across) /* compliance across is of the damper alone */
        held[1] = held[2] = 0;
    if (cti_linkage_row(s, o->joint - 1, row, &e)) {
        cti_v3_put(error, 0, e);
        cti_row_velocity(row, c->v, u);
        cti_v3_put(row->w, 0, cti_v3_sub(cti_v3_sub(cti_v3_mul(e, 1 / c->dt), cti_v3_at(u, 0)), cti_v3_at(held, 0)));
        for (k = 0; k < 3; k++)
            if (row->equations >> k & 1) {
                row->compliance[k] += o->gives;
                miss = cti_max(miss, cti_abs(error[k] + c->dt * row->compliance[k] * row->r[k] - c->dt * held[k]));
                *apart = cti_max(*apart, cti_abs(error[k]));
            }
        return miss;
    }
    e = cti_joints_phi(s, j, part, !start, start ? s->step.time : cti_state_ahead(s, c->dt), row->frame);
    e = cti_v3_sub(e, cti_joints_target(s, j, part, c->dt, row->frame));
    if (across)
        e = cti_v3_add(e, cti_joints_offset(s, j, !start, start ? s->step.time : cti_state_ahead(s, c->dt), row->frame));
    e = cti_v3_mul(e, 1 / c->dt);
    if (across)
        e = cti_v3_add(e, cti_v3_at(o->base, 0));
    if (start)
        e = cti_v3_add(e, cti_joints_script(s, j, part, c->dt, row->frame));
    else { /* the exact equation at the tentative motion, minus J's value there */
        if (part == 0)
            cti_joints_turn_arms(s, c, j, row);
        cti_row_velocity(row, c->v, u);
        e = cti_v3_sub(e, cti_v3_at(u, 0));
    }
    cti_v3_put(row->w, 0, cti_v3_sub(e, cti_v3_at(held, 0)));
    cti_row_velocity(row, c->v, u);
    for (k = 0; k < (across ? 1 : 3); k++)
        if (row->equations >> k & 1) {
            miss = cti_max(miss, cti_abs(u[k] + row->compliance[k] * row->r[k]) * c->dt);
            *apart = cti_max(*apart, cti_abs(u[k] + held[k]) * c->dt);
        }
    return miss;
}

/* the smaller thickness [m] of a joint's bodies; without bodies that of the world */
static ct_real cti_joints_thickness(const cti_state *s, const cti_joint *j)
{
    ct_real a = j->body[0] >= 0 ? s->surface.bodies[j->body[0]].thickness : CTI_REAL_MAX;
    ct_real b = j->body[1] >= 0 ? s->surface.bodies[j->body[1]].thickness : CTI_REAL_MAX;
    return a < CTI_REAL_MAX || b < CTI_REAL_MAX ? cti_min(a, b) : s->desc.thickness;
}

/* error that a joint may have [m] */
static ct_real cti_joints_slack(const cti_state *s, const cti_joint *j, ct_real scale, ct_real dt)
{
    ct_real size = cti_max(cti_joints_size(s, &j->a), cti_joints_size(s, &j->b));
    return cti_policy_joint_slack(cti_joints_thickness(s, j), s->desc.solver.tolerance, scale, dt, size);
}

CTI_FN int cti_joints_append(cti_state *s, const cti_row_context *c, ct_real scale)
{
    int i, part;
    for (i = 0; i < CTI_JOINTS(s); i++) {
        if (cti_joints_is_inactive(s, &s->bodies.joints[i]))
            continue;
        s->bodies.joints[i].slack = cti_joints_slack(s, &s->bodies.joints[i], scale, c->dt);
        for (part = 0; part < CTI_PARTS; part++) {
            cti_row row;
            cti_contact_row origin;
            if (!cti_joint_has(&s->bodies.joints[i], part))
                continue;
            cti_joints_build(s, c, &s->bodies.joints[i], part, &row, &origin);
            if (row.n == 0)
                continue;
            origin.joint = 1 + CTI_PARTS * i + part;
            if (!CTI_RESERVE(s->mem, s->contact.origins, CTI_LEN(s->contact.origins) + 1) || !CTI_PUSH(s->mem, s->contact.rows, row))
                return 0;
            CTI_PUSH(s->mem, s->contact.origins, origin);
        }
    }
    cti_joints_follow(s);
    return 1;
}

CTI_FN void cti_joints_linearize(cti_state *s, const cti_row_context *c, ct_real scale)
{
    ct_real joint_error, apart;
    int i;
    cti_linkage_follow(s, c->dt);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_contact_row *o = &s->contact.origins[i];
        cti_joint *j = cti_joints_of(s, i);
        if (!j)
            continue;
        j->slack = cti_joints_slack(s, j, scale, c->dt);
        joint_error = cti_joints_linearize_row(s, c, j, i, &apart) / j->slack;
        if (o->gives > 0 && cti_policy_joint_solves_again(apart / j->slack) && !(o->joint_error > 0 && 2 * apart > o->joint_error * j->slack)) {
            cti_v3_put(o->anchor, 0, cti_m3_mul_tv(s->contact.rows[i].frame, cti_v3_at(s->contact.rows[i].r, 0)));
            joint_error = cti_joints_linearize_row(s, c, j, i, &apart) / j->slack;
        }
        o->joint_error = o->gives > 0 ? cti_max(joint_error, apart / j->slack) : joint_error;
        o->is_unsolved |= cti_policy_joint_solves_again(joint_error);
    }
}

CTI_FN ct_real cti_joints_linearize_all(cti_state *s, const cti_row_context *c)
{
    ct_real worst = 0, apart;
    int i;
    cti_linkage_follow(s, c->dt);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_joint *j = cti_joints_of(s, i);
        if (j)
            worst = cti_max(worst, cti_joints_linearize_row(s, c, j, i, &apart) / cti_joints_thickness(s, j));
    }
    return worst;
}

CTI_FN ct_real cti_joints_rigid_error(const cti_state *s, const cti_joint *j)
{
    ct_real worst = 0;
    int part;
    for (part = 0; part <= CTI_PART_TURN; part++)
        if (cti_joint_has(j, part) && !cti_joints_is_soft(j, part))
            worst = cti_max(worst, cti_v3_norm(cti_joints_phi(s, j, part, 0, s->step.time, cti_joints_unit)));
    return worst;
}

CTI_FN ct_real cti_joints_error(const cti_state *s)
{
    ct_real worst = 0;
    int i;
    for (i = 0; i < CTI_JOINTS(s); i++)
        worst = cti_max(worst, cti_max(cti_joints_rigid_error(s, &s->bodies.joints[i]), cti_drives_error(s, &s->bodies.joints[i])));
    return worst;
}

CTI_FN ct_real cti_joints_speed(const cti_state *s, ct_real dt)
{
    ct_real most = 0;
    int i, part;
    for (i = 0; i < CTI_JOINTS(s); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        if (cti_joints_is_inactive(s, j))
            continue;
        most = cti_max(most, cti_drives_speed(s, j, dt));
        for (part = 0; part <= CTI_PART_TURN; part++) {
            ct_real e = cti_joints_is_soft(j, part) ? 0 : cti_v3_norm(cti_joints_phi(s, j, part, 0, s->step.time, cti_joints_unit));
            if (!cti_joint_has(j, part))
                continue;
            if (s->desc.recovery_speed > 0)
                e = cti_min(e, dt * s->desc.recovery_speed);
            most = cti_max(most, e / dt + cti_v3_norm(cti_joints_script(s, j, part, dt, cti_joints_unit)));
        }
    }
    return most;
}
