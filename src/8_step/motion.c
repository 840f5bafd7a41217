/* motion.c -- the rigid part of a deformable component's motion.
   Method: a step moves nodes on straight lines, and a linear force law at x0 does not know rotations: a body that rotates by t in a step would be
   stretched by t^2 / 2. So the forces at the end are linearized at q = c + R (x0 - c), where R is the rotation of a rigid body with the same angular
   momentum and inertia: f(x1) = f(q) - K(q) (x1 - q). [Otaduy 2009, eq. 2-3, linearizes at x0.] Forces at q have no torque about it. A component that
   scripts hold in one point, or on a line, turns about that instead of its centre c: pins have no moment about it. But v has less angular momentum
   there than at x0, by cos t, so that implicit Euler would damp every rotation: b gets the missing part. The remaining change of angular momentum of
   a component without contacts is corrected at the step's end. Gravity follows Stoermer-Verlet while a component falls. */
#include "motion.h"
#include "policy_numbers.h"
#include "integrate.h"
#include "linkage.h"
#include "../0_base/log.h"

CTI_FN void cti_motion_sum(const cti_state *s, const int32_t *blocks, int n, const ct_real *x, const ct_real *v, cti_motion *out)
{
    const cti_bodies *bodies = &s->bodies;
    cti_v3 mx = cti_v3_zero(), mv = cti_v3_zero(), o = cti_v3_at(x, blocks[0]);
    ct_real m = 0, trace, *I = out->inertia;
    int i, k;
    memset(out, 0, sizeof *out);
    for (i = 0; i < n; i++) {
        int b = blocks[i];
        m += bodies->mass[b];
        mx = cti_v3_mad(mx, cti_v3_sub(cti_v3_at(x, b), o), bodies->mass[b]);
        mv = cti_v3_mad(mv, cti_v3_at(v, b), bodies->mass[b]);
    }
    out->mass = m;
    if (!(m > 0))
        return;
    out->center = cti_v3_mad(o, mx, 1 / m), out->speed = cti_v3_mul(mv, 1 / m);
    for (i = 0; i < n; i++) {
        int b = blocks[i];
        cti_v3 r = cti_v3_sub(cti_v3_at(x, b), out->center), u = cti_v3_sub(cti_v3_at(v, b), out->speed);
        out->spin = cti_v3_mad(out->spin, cti_v3_cross(r, u), bodies->mass[b]);
        out->about += (double)(bodies->mass[b] / 2 * cti_v3_norm2(u));
        I[0] += bodies->mass[b] * r.x * r.x, I[4] += bodies->mass[b] * r.y * r.y, I[8] += bodies->mass[b] * r.z * r.z;
        I[1] += bodies->mass[b] * r.x * r.y, I[2] += bodies->mass[b] * r.x * r.z, I[5] += bodies->mass[b] * r.y * r.z;
    }
    /* sum m (|r|^2 1 - r r') */
    trace = I[0] + I[4] + I[8];
    for (k = 0; k < 9; k += 4)
        I[k] = trace - I[k];
    I[3] = I[1] = -I[1], I[6] = I[2] = -I[2], I[7] = I[5] = -I[5];
}

static int cti_motion_is_rigid(const cti_state *s, const cti_component *c) { return s->bodies.rigid_of[s->factors.blocks[c->begin]] >= 0; }

/* what scripts leave of a component's rotation */
typedef struct cti_motion_hinge {
    int kind;              /* 0: no script holds it, 1: it turns about a point, 2: about an axis, 3: it does not turn freely */
    cti_v3 point, speed;   /* of the point, or of one on the axis, and its velocity in the step */
    cti_v3 axis;
    ct_real span;          /* [m] from that point to the script's farthest block */
} cti_motion_hinge;

/* 1 if script and position of a block agree with the hinge: on its line, and with its velocity, to within turn_least of the span */
static int cti_motion_is_on(const cti_state *s, const cti_motion_hinge *q, int b, ct_real dt)
{
    cti_v3 r = cti_v3_sub(cti_v3_at(s->x, b), q->point), u = cti_v3_sub(cti_v3_at(s->scripts.v_fixed, b), q->speed);
    ct_real least = cti_step_tuned.attempt.turn_least * q->span;
    return cti_v3_norm(cti_v3_cross(r, q->axis)) <= least && cti_v3_norm(u) * dt <= least;
}

/* Scripts that hold one block, or several on a line that they do not rotate, let a component rotate about them. */
static void cti_motion_hinge_of(const cti_state *s, const cti_component *c, ct_real dt, cti_motion_hinge *out)
{
    int i;
    memset(out, 0, sizeof *out);
    for (i = c->begin; s->scripts.n_constrained && i < c->end; i++) {
        int b = s->factors.blocks[i];
        cti_v3 r;
        if (s->scripts.filter[b] < 0)
            continue;
        if (!s->scripts.fixed[b] || s->scripts.held[b]) {
            out->kind = 3;
            return;
        }
        if (out->kind == 0)
            out->kind = 1, out->point = cti_v3_at(s->x, b), out->speed = cti_v3_at(s->scripts.v_fixed, b);
        r = cti_v3_sub(cti_v3_at(s->x, b), out->point);
        if (cti_v3_norm(r) > out->span)
            out->kind = 2, out->span = cti_v3_norm(r), out->axis = cti_v3_mul(r, 1 / out->span);
    }
    for (i = c->begin; out->kind == 2 && i < c->end; i++)
        if (s->scripts.filter[s->factors.blocks[i]] >= 0 && !cti_motion_is_on(s, out, s->factors.blocks[i], dt))
            out->kind = 3;
}

/* Angular momentum about a hinge that gravity gives to a component in the step, as far as the component fell in the last one: one that rests
   on others gets none. m: its motion about its centre of mass */
static cti_v3 cti_motion_pull(const cti_state *s, const cti_component *c, const cti_motion_hinge *q, const cti_motion *m, ct_real dt)
{
    int b = s->factors.blocks[c->begin];
    cti_v3 moment = cti_v3_cross(cti_v3_sub(m->center, q->point), cti_v3_at(s->desc.gravity, 0));
    if (q->kind == 0)
        return cti_v3_zero();
    if (q->kind == 2)
        moment = cti_v3_mul(q->axis, cti_v3_dot(q->axis, moment));
    return cti_v3_mul(moment, m->mass * s->history.fall[b].mean * cti_motion_kick(s, b, dt));
}

/* the motion about a hinge and relative to it, instead of about the centre of mass; about an axis the part that rotates about it */
static void cti_motion_hang(const cti_motion_hinge *q, cti_motion *m)
{
    cti_v3 r = cti_v3_sub(m->center, q->point), u = cti_v3_sub(m->speed, q->speed), a = q->axis;
    ct_real arm[3], inertia;
    int i, j;
    if (q->kind == 0)
        return;
    m->spin = cti_v3_mad(m->spin, cti_v3_cross(r, u), m->mass), m->about += (double)(m->mass / 2 * cti_v3_norm2(u));
    cti_v3_put(arm, 0, r);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            m->inertia[3 * i + j] += m->mass * ((i == j ? cti_v3_norm2(r) : 0) - arm[i] * arm[j]);
    m->center = q->point, m->speed = q->speed;
    if (q->kind == 1)
        return;
    m->spin = cti_v3_mul(a, cti_v3_dot(a, m->spin));
    inertia = cti_v3_dot(a, cti_m3_mul_v(m->inertia, a));
    for (i = 0; i < 9; i++)
        m->inertia[i] = i % 4 == 0 ? inertia : 0;
}

/* 1 if no script holds a block of the component */
static int cti_motion_is_free(const cti_state *s, const cti_component *c)
{
    int i, is_free = 1;
    for (i = c->begin; s->scripts.n_constrained && is_free && i < c->end; i++)
        is_free = s->scripts.filter[s->factors.blocks[i]] < 0;
    return is_free;
}

CTI_FN int cti_motion_rate(const cti_motion *m, cti_v3 *out)
{
    ct_real inverse[9];
    if (!(m->mass > 0) || !cti_m3_inverse(m->inertia, inverse))
        return 0;
    *out = cti_m3_mul_v(inverse, m->spin);
    /* a rigid motion has the least energy of all motions with its angular momentum */
    return (double)cti_v3_dot(*out, m->spin) <= 2.01 * m->about;
}

/* rotation [rad] of the component in dt; pull: the angular momentum that gravity gives to it about a hinge */
static int cti_motion_turn(const cti_motion *m, cti_v3 pull, ct_real dt, cti_v3 *out)
{
    cti_rigid body;
    if (!cti_motion_rate(m, out) || !(cti_v3_norm(*out) * dt > cti_step_tuned.attempt.turn_least))
        return 0;
    memset(&body, 0, sizeof body);
    body.q[0] = 1, body.mass = m->mass;
    memcpy(body.inertia, m->inertia, sizeof body.inertia);
    cti_v3_put(body.spin, 0, cti_v3_add(m->spin, pull));
    cti_rigid_free(&body, dt);
    *out = cti_v3_mul(cti_v3_at(body.w_mid, 0), dt);
    return cti_finite(cti_v3_norm(*out));
}

/* the spin about the centre or the hinge that v lacks at q: with it, nodes that rotate with R keep their angular momentum */
static cti_v3 cti_motion_lack(const cti_state *s, const cti_component *p, const cti_motion_hinge *hinge, const cti_motion *m)
{
    cti_motion there;
    ct_real inverse[9];
    cti_motion_measure(s, p, s->system.q, s->v, &there);
    cti_motion_hang(hinge, &there);
    return cti_m3_inverse(there.inertia, inverse) ? cti_m3_mul_v(inverse, cti_v3_sub(m->spin, there.spin)) : cti_v3_zero();
}

/* q of a component that turns */
static void cti_motion_rotate(cti_state *s, const cti_component *p, const cti_turn *t)
{
    int i;
    for (i = p->begin; i < p->end; i++) {
        int b = s->factors.blocks[i];
        if (!s->scripts.n_constrained || s->scripts.filter[b] < 0)
            cti_v3_put(s->system.q, b, cti_v3_add(t->center, cti_m3_mul_v(t->R, cti_v3_sub(cti_v3_at(s->x, b), t->center))));
    }
}

CTI_FN void cti_motion_predict(cti_state *s, ct_real dt)
{
    static const ct_real unit[4] = {1, 0, 0, 0};
    int c, i;
    memcpy(s->system.q, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *p = &s->factors.components[c];
        cti_turn *t = &s->system.turns[c];
        cti_motion_hinge hinge;
        ct_real q[4];
        cti_motion m;
        cti_v3 turn, pull = cti_v3_zero();
        t->turns = t->moved = 0;
        m.mass = 0;
        cti_motion_hinge_of(s, p, dt, &hinge);
        if (!p->substep.part && !cti_motion_is_rigid(s, p) && hinge.kind < 3) {
            cti_motion_measure(s, p, s->x, s->v, &m);
            pull = cti_motion_pull(s, p, &hinge, &m, dt);
            cti_motion_hang(&hinge, &m);
        }
        for (i = p->begin; i < p->end; i++) {
            int b = s->factors.blocks[i];
            s->system.sizes[b].whole = 0, s->system.sizes[b].lever = cti_rigid_lever(s->bodies.rigids, s->bodies.rigid_of, b);
        }
        if (!(m.mass > 0))
            continue;
        if (!cti_motion_turn(&m, pull, dt, &turn))
            continue;
        t->turns = t->moved = 1, t->center = m.center, t->speed = m.speed;
        cti_rigid_turn(unit, turn, q);
        cti_rigid_matrix(q, t->R);
        cti_motion_rotate(s, p, t);
        t->rate = s->desc.integrator == CT_INTEGRATOR_EULER ? cti_motion_lack(s, p, &hinge, &m) : cti_v3_zero();
    }
}

CTI_FN void cti_motion_whole(cti_state *s, const cti_component *c)
{
    ct_real m = 0;
    int i;
    if (!c->cache.is_exact || !cti_motion_is_free(s, c))
        return;
    for (i = c->begin; i < c->end; i++)
        m += s->bodies.mass[s->factors.blocks[i]];
    for (i = c->begin; m > 0 && i < c->end; i++)
        s->system.sizes[s->factors.blocks[i]].whole = 1 / m;
}

CTI_FN void cti_motion_tell(const cti_state *s, ct_real dt, cti_component *q)
{
    cti_logger log;
    if (!q->cache.is_exact || q->cache.exact_logged)
        return;
    q->cache.exact_logged = 1;
    log.fn = s->desc.log, log.user = s->desc.log_user;
    cti_logger_write(&log, CT_LOG_INFO,
                     "%d nodes from (%g, %g, %g) on are so stiff for their density, their size and a step of %g s that they move as one: "
                     "a rigid body does the same for less",
                     q->end - q->begin, (double)s->x[3 * s->factors.blocks[q->begin]], (double)s->x[3 * s->factors.blocks[q->begin] + 1],
                     (double)s->x[3 * s->factors.blocks[q->begin] + 2], (double)dt);
}

/* ---- Newton's method on a body that gains energy ---- */

CTI_FN int cti_newton_gains(const cti_state *s, const cti_component *q)
{
    int m = s->history.model_of[s->factors.blocks[q->begin]];
    return m >= 0 && s->energy.gains[m];
}

CTI_FN int cti_newton_helps(const cti_state *s)
{
    int m, n = 0;
    for (m = 0; m < s->bodies.n_models; m++)
        n += s->energy.gains[m];
    return n > 0;
}

CTI_FN void cti_newton_place(cti_state *s)
{
    int c, i, k;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        const cti_component *own = &s->factors.components[c];
        cti_v3 back = cti_v3_zero();
        if (!cti_newton_gains(s, own))
            continue;
        if (cti_motion_is_free(s, own)) {
            cti_motion start, end;
            cti_motion_measure(s, own, s->x, s->v, &start);
            cti_motion_measure(s, own, s->end.x, s->v, &end);
            back = cti_v3_sub(start.center, end.center);
        }
        for (i = own->begin; i < own->end; i++) {
            cti_v3 q = cti_v3_at(s->system.q, k = s->factors.blocks[i]);
            cti_v3_put(s->system.q, k, cti_v3_add(q, cti_v3_sub(cti_v3_add(cti_v3_at(s->end.x, k), back), q)));
        }
        s->system.turns[c].moved = 2, s->system.turns[c].turns = 0;
    }
}

/* ---- forces and impulses ---- */

CTI_FN void cti_motion_forces(cti_state *s)
{
    cti_system *sys = &s->system;
    int c, i, k;
    if (s->desc.integrator != CT_INTEGRATOR_NEWMARK)
        return;
    for (i = 0; !sys->n_linearized && i < 3 * s->n; i++)
        sys->force0[i] = sys->force[i];
    for (c = 0; !sys->n_linearized && c < CTI_LEN(s->factors.components); c++)
        for (i = s->factors.components[c].begin; sys->turns[c].turns && i < s->factors.components[c].end; i++) {
            int b = s->factors.blocks[i];
            cti_v3_put(sys->force0, b, cti_m3_mul_tv(sys->turns[c].R, cti_v3_at(sys->force, b)));
        }
    for (k = 0; k < 3 * s->n; k++)
        sys->force[k] = cti_integrate_is_plain(s, k / 3) ? sys->force[k] : (sys->force0[k] + sys->force[k]) / 2;
}

CTI_FN void cti_motion_impulses(cti_state *s)
{
    cti_problem p;
    int i;
    memset(&p, 0, sizeof p);
    p.filter = s->scripts.n_constrained ? s->scripts.filter : NULL, p.projectors = s->scripts.projectors;
    memset(s->end.impulse, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        cti_v3 r = cti_v3_mul(cti_v3_at(s->contact.rows[i].r, 0), cti_linkage_impulse_factor(s, i));
        ct_real whole[3];
        cti_v3_put(whole, 0, r);
        cti_row_scatter(&p, &s->contact.rows[i], whole, s->end.impulse);
    }
}

/* Computes it for the blocks list[begin .. end), or begin .. end if there is no list; angular blocks have no mass. on_joints 1: joints may turn what
   gravity gives into another direction. A body that swings has the velocity of the step's middle whatever its acceleration is, as in free fall */
static void cti_motion_fall_of(cti_state *s, ct_real dt, const ct_real *v, const int32_t *list, int begin, int end, int on_joints)
{
    cti_v3 g = cti_v3_at(s->desc.gravity, 0), change = cti_v3_zero();
    ct_real gained = 0, kicked = 0, share;
    int i;
    for (i = begin; i < end; i++) {
        int b = list ? list[i] : i;
        cti_v3 dv = cti_v3_sub(cti_v3_at(v, b), cti_v3_at(s->v, b));
        gained += s->bodies.mass[b] * cti_v3_dot(dv, g), change = cti_v3_mad(change, dv, s->bodies.mass[b]);
        kicked += s->bodies.mass[b] * cti_motion_kick(s, b, dt) * cti_v3_norm2(g);
    }
    if (on_joints)
        gained = cti_v3_norm(change) * cti_v3_norm(g) / cti_step_tuned.attempt.swing;
    share = kicked > 0 ? cti_clamp(gained / kicked, 0, 1) : 1;
    for (i = begin; i < end; i++) {
        int b = list ? list[i] : i;
        s->end.fall[b] = s->scripts.held[b] & CTI_HELD_RESTED ? 0 : share;
    }
}

/* marks rigid bodies that joints hold, so that they may swing [components]; NULL: out of memory, as if there were none. Deformable bodies are not
   marked: one that vibrates at rest would count as one that swings (test_momentum, test_joint) */
static const uint8_t *cti_motion_on_joints(const cti_state *s)
{
    uint8_t *on_joints = CTI_ARENA_ZERO(s->arena, uint8_t, CTI_LEN(s->factors.components) + 1);
    int i, k;
    if (!on_joints)
        return NULL;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 0; s->contact.rows[i].equations && s->contact.origins[i].spin == 0 && k < s->contact.rows[i].n; k++)
            if (s->bodies.rigid_of[s->contact.rows[i].term[k].block] >= 0)
                on_joints[s->factors.component_of[s->contact.rows[i].term[k].block]] = 1;
    return on_joints;
}

CTI_FN void cti_motion_fall(cti_state *s, ct_real dt, const ct_real *v)
{
    const uint8_t *on_joints = CTI_LEN(s->factors.components) ? cti_motion_on_joints(s) : NULL;
    int c;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        cti_motion_fall_of(s, dt, v, s->factors.blocks, s->factors.components[c].begin, s->factors.components[c].end, on_joints && on_joints[c]);
    for (c = 0; CTI_LEN(s->factors.components) == 0 && c < s->bodies.n_models; c++)
        cti_motion_fall_of(s, dt, v, NULL, s->history.block[c], s->history.last[c] + 1, 0);
}

CTI_FN int cti_motion_is_halfway(const cti_state *s, int block)
{
    return s->desc.integrator == CT_INTEGRATOR_EULER || s->history.model_of[block] < 0 || s->history.touched[block];
}

CTI_FN ct_real cti_motion_owed(const cti_state *s, int block, ct_real dt)
{
    const cti_fall *f = &s->history.fall[block];
    return f->owed + f->mean * (dt / 2 - f->owed);
}

CTI_FN void cti_motion_anew(cti_state *s, int block)
{
    cti_fall *f = &s->history.fall[block];
    f->owed = f->span = f->share = 0, f->mean = 1;
}

CTI_FN void cti_motion_fell(cti_state *s, int block, ct_real dt, int owes)
{
    cti_fall *f = &s->history.fall[block];
    f->owed = owes ? cti_motion_owed(s, block, dt) : 0;
    f->span = cti_max(dt, f->span - dt);
    if (f->span == dt) /* longer steps are long past: their half is owed to no body at rest */
        f->owed = cti_min(f->owed, dt / 2);
    f->share = s->end.fall[block];
    f->mean = dt < f->span ? f->mean + (f->share - f->mean) * (dt / f->span) : f->share;
}

CTI_FN ct_real cti_motion_kick(const cti_state *s, int block, ct_real dt)
{
    int rigid = s->bodies.rigid_of[block];
    if (rigid >= 0 && s->bodies.rigids[rigid].linkage_mode)
        return s->history.fall[block].owed + (s->bodies.rigids[rigid].linkage_mode == CTI_LINKAGE_ALONE ? dt / 2 : dt);
    return cti_motion_is_halfway(s, block) ? dt + (s->history.fall[block].owed - cti_motion_owed(s, block, dt)) : dt;
}
