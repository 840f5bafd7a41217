/* linkage.c -- linkages: rigid bodies that joints without compliance hold together.
   Method: while nothing but joints and gravity acts on a linkage, its motion is that of mechanism.c, which keeps energy and momenta. This is
   its motion without contacts. Contacts, joints with compliance and joints to deformable bodies load a linkage. Its joints then are rows of the
   island's problem, with the same equations linearized at the tentative motion: A of a rotation is its derivative, arms are the means of
   both ends, and a multiplier is half of the joint's impulse. The impulses of contacts, and all of gravity, act at the start of the step. At
   its end the second half of the joints' impulses acts, and the velocities are projected onto those that the joints allow.
   The projection of a linkage that nothing loads takes nothing but what the step does not resolve: a vibration that changes its sign in each
   step. Below a share of the kinetic energy it stays, above it the rest of the motion gets its energy. A linkage that is loaded gains no more
   than the work of what loads it.
   Velocities of these bodies are those at the end of the step, not means over it. */
#include "linkage.h"
#include "policy.h"
#include "../0_base/sets.h"

static int cti_linkage_has_no_nodes(const cti_joint_side *a) { return a->rigid >= 0 || a->n == 0; }

/* 1 if a joint belongs to a linkage */
static int cti_linkage_has_joint(const cti_joint *j)
{
    return cti_linkage_has_no_nodes(&j->a) && cti_linkage_has_no_nodes(&j->b) && !(j->rest > 0) && j->kind != CT_JOINT_SLIDER &&
           j->kind != CT_JOINT_DRAG;
}

CTI_FN int cti_linkage_is_rigid(const cti_joint *j, int part)
{
    return part <= CTI_PART_TURN && cti_linkage_has_joint(j) && !cti_joints_is_soft(j, part);
}

CTI_FN int cti_linkage_recovers(const cti_state *s, const cti_joint *j)
{
    return s->desc.row_mode != CT_ROW_VELOCITY && cti_policy_joint_closes(cti_joints_rigid_error(s, j), j->slack);
}

/* ---- which bodies and joints a linkage has ---- */

/* joins the rigid bodies that joints connect into sets [rigids]; held [rigids] marks them */
static void cti_linkage_unite(const cti_state *s, int32_t *sets, uint8_t *held)
{
    int i;
    cti_sets_init(sets, CTI_LEN(s->bodies.rigids));
    for (i = 0; i < CTI_JOINTS(s); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        if (!cti_linkage_has_joint(j))
            continue;
        if (j->a.rigid >= 0 && j->b.rigid >= 0)
            cti_sets_join(sets, j->a.rigid, j->b.rigid);
        if (j->a.rigid >= 0)
            held[j->a.rigid] = 1;
        if (j->b.rigid >= 0)
            held[j->b.rigid] = 1;
    }
}

/* adds a part of a joint to its linkage */
static int cti_linkage_add(cti_state *s, cti_linkage *g, int id)
{
    const cti_joint *j = &s->bodies.joints[id / CTI_PARTS];
    cti_mechanism_row row;
    memset(&row, 0, sizeof row);
    row.part = id % CTI_PARTS, row.is_hinge = j->kind == CT_JOINT_HINGE;
    row.lever = (double)j->lever;
    row.body[0] = j->a.rigid >= 0 ? s->linkages.place[j->a.rigid] : -1;
    row.body[1] = j->b.rigid >= 0 ? s->linkages.place[j->b.rigid] : -1;
    s->linkages.row_of[id] = CTI_LEN(g->m.rows);
    return CTI_PUSH(&s->prepared, g->m.rows, row) && CTI_PUSH(&s->prepared, g->parts, id);
}

/* gives each set of bodies under joints a linkage, and each body a place in it */
static int cti_linkage_gather(cti_state *s, int32_t *sets, const uint8_t *held)
{
    cti_mechanism_body blank;
    int i, root, n = CTI_LEN(s->bodies.rigids);
    memset(&blank, 0, sizeof blank);
    for (i = 0; i < n; i++) {
        cti_linkage *g;
        root = cti_sets_root(sets, i);
        if (!held[i])
            continue;
        if (s->linkages.of[root] < 0) {
            cti_linkage fresh;
            memset(&fresh, 0, sizeof fresh);
            s->linkages.of[root] = CTI_LINKAGES(s);
            if (!CTI_PUSH(&s->prepared, s->linkages.list, fresh))
                return 0;
        }
        g = &s->linkages.list[s->linkages.of[root]];
        s->linkages.of[i] = s->linkages.of[root];
        s->linkages.place[i] = CTI_LEN(g->rigids);
        if (!CTI_PUSH(&s->prepared, g->rigids, i) || !CTI_PUSH(&s->prepared, g->m.bodies, blank))
            return 0;
    }
    return 1;
}

CTI_FN int cti_linkage_prepare(cti_state *s)
{
    int i, part, ok, n = CTI_LEN(s->bodies.rigids), joints = CTI_JOINTS(s);
    int32_t *sets = CTI_ARENA_NEW(s->arena, int32_t, n + 1);
    uint8_t *held = CTI_ARENA_ZERO(s->arena, uint8_t, n + 1);
    if (n == 0 || joints == 0 || cti_state_is_paper(s))
        return 1;
    if (!sets || !held || !CTI_RESIZE(&s->prepared, s->linkages.of, n) || !CTI_RESIZE(&s->prepared, s->linkages.place, n) ||
        !CTI_RESIZE(&s->prepared, s->linkages.row_of, CTI_PARTS * joints))
        return 0;
    for (i = 0; i < n; i++)
        s->linkages.of[i] = s->linkages.place[i] = -1;
    cti_linkage_unite(s, sets, held);
    ok = cti_linkage_gather(s, sets, held);
    for (i = 0; i < CTI_PARTS * joints; i++)
        s->linkages.row_of[i] = -1;
    for (i = 0; ok && i < joints; i++) {
        const cti_joint *j = &s->bodies.joints[i];
        int rigid = j->a.rigid >= 0 ? j->a.rigid : j->b.rigid;
        for (part = 0; ok && part <= CTI_PART_TURN; part++)
            if (rigid >= 0 && cti_linkage_has_joint(j) && cti_joint_has(j, part))
                ok = cti_linkage_add(s, &s->linkages.list[s->linkages.of[rigid]], CTI_PARTS * i + part);
    }
    for (i = 0; ok && i < CTI_LINKAGES(s); i++)
        ok = cti_mechanism_make(&s->prepared, &s->linkages.list[i].m);
    return ok;
}

CTI_FN cti_linkage *cti_linkage_of(const cti_state *s, int rigid)
{
    return CTI_LINKAGES(s) && rigid >= 0 && s->linkages.of[rigid] >= 0 ? &s->linkages.list[s->linkages.of[rigid]] : NULL;
}

CTI_FN cti_linkage *cti_linkage_of_block(const cti_state *s, int block) { return cti_linkage_of(s, s->bodies.rigid_of[block]); }

CTI_FN int cti_linkage_mode(const cti_state *s, const cti_linkage *g) { return s->bodies.rigids[g->rigids[0]].linkage_mode; }

CTI_FN void cti_linkage_set_mode(cti_state *s, const cti_linkage *g, int mode)
{
    int i;
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        s->bodies.rigids[g->rigids[i]].linkage_mode = mode;
}

/* ---- the start of a step ---- */

CTI_FN void cti_linkage_begin(cti_state *s)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        s->bodies.rigids[i].linkage_mode = 0;
    for (i = 0; i < CTI_LINKAGES(s); i++) {
        cti_linkage *g = &s->linkages.list[i];
        int mode = CTI_LINKAGE_ALONE;
        g->lost = 0;
        if (cti_state_is_inactive(s, s->bodies.rigids[g->rigids[0]].block))
            continue;
        for (k = 0; s->scripts.n_constrained && k < CTI_LEN(g->rigids); k++) /* something holds a body where it is */
            if (s->scripts.filter[s->bodies.rigids[g->rigids[k]].block] >= 0 || s->scripts.filter[s->bodies.rigids[g->rigids[k]].block + 1] >= 0)
                mode = CTI_LINKAGE_LOADED;
        cti_linkage_set_mode(s, g, mode);
    }
}

static void cti_linkage_to_double(const ct_real *from, double *to, int n)
{
    for (; n > 0; n--)
        *to++ = (double)*from++;
}

/* rotation matrix of a quaternion, in double: that of a float quaternion is orthonormal, too */
static void cti_linkage_matrix(const ct_real *q, double *R)
{
    double w = (double)q[0], x = (double)q[1], y = (double)q[2], z = (double)q[3], n = 2 / (w * w + x * x + y * y + z * z);
    R[0] = 1 - n * (y * y + z * z), R[1] = n * (x * y - w * z), R[2] = n * (x * z + w * y);
    R[3] = n * (x * y + w * z), R[4] = 1 - n * (x * x + z * z), R[5] = n * (y * z - w * x);
    R[6] = n * (x * z - w * y), R[7] = n * (y * z + w * x), R[8] = 1 - n * (x * x + y * y);
}

/* reads the state of the bodies at the start; positions are relative to the first one */
static void cti_linkage_bodies(const cti_state *s, cti_linkage *g)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
        cti_mechanism_body *b = &g->m.bodies[i];
        b->mass = (double)r->mass, b->slow = 0;
        memset(b->loads, 0, sizeof b->loads);
        cti_linkage_to_double(r->inertia, b->inertia, 9);
        cti_linkage_to_double(r->spin, b->spin, 3);
        cti_linkage_matrix(r->q, b->R);
        for (k = 0; k < 3; k++) {
            double gravity = (double)s->desc.gravity[k];
            b->x[k] = (double)s->x[3 * r->block + k] - (double)s->x[3 * s->bodies.rigids[g->rigids[0]].block + k];
            b->v[k] = (double)s->v[3 * r->block + k] + gravity * (double)s->history.fall[r->block].owed;
        }
    }
}

/* sets the point and the axes of side k of a row, and how a script moves them */
static void cti_linkage_side(const cti_state *s, const cti_linkage *g, const cti_joint_side *side, ct_real dt, int k, cti_mechanism_row *q)
{
    const cti_v3 o = cti_v3_at(s->x, s->bodies.rigids[g->rigids[0]].block);
    ct_real at[3], axes[9];
    int end, e;
    if (side->rigid >= 0) {
        cti_linkage_to_double(side->arm, q->point[k][0], 3);
        cti_linkage_to_double(side->triad, q->triad[k][0], 9);
        return;
    }
    for (end = 0; end < 2; end++) {
        double time = end ? cti_state_ahead(s, dt) : s->step.time;
        cti_v3_put(at, 0, cti_v3_sub(cti_joints_scripted(side, time, axes), o));
        cti_linkage_to_double(at, q->point[k][end], 3);
        cti_linkage_to_double(axes, q->triad[k][end], 9);
    }
    for (end = 0; end < 2; end++) { /* velocity at that end, of second order, from three places in the step */
        double time = end ? cti_state_ahead(s, dt) : s->step.time, h = (end ? -1 : 1) * (double)dt / 8;
        ct_real a0[9], a1[9], a2[9];
        cti_v3 p0 = cti_joints_scripted(side, time, a0), p1 = cti_joints_scripted(side, time + h, a1);
        cti_v3 p2 = cti_joints_scripted(side, time + 2 * h, a2);
        cti_v3 d = q->part ? cti_v3_mul(cti_v3_sub(cti_v3_mul(cti_joint_turn(a1, a0, 0), 4), cti_joint_turn(a2, a0, 0)), (ct_real)q->lever)
                           : cti_v3_sub(cti_v3_mul(cti_v3_sub(p1, p0), 4), cti_v3_sub(p2, p0));
        cti_v3_put(at, 0, cti_v3_mul(d, (ct_real)((k ? 1 : -1) / (2 * h))));
        for (e = 0; e < 3; e++)
            q->rate[end][e] += side->n_path || side->keyframes ? (double)at[e] : 0;
    }
}

/* sets the rows at the start, with the impulses of the last step */
static void cti_linkage_rows(cti_state *s, cti_linkage *g, ct_real dt, const cti_memory *memory)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->parts); i++) {
        const cti_joint *j = &s->bodies.joints[g->parts[i] / CTI_PARTS];
        cti_mechanism_row *q = &g->m.rows[i];
        const cti_memory_item *m = cti_memory_find(memory, j->key + (uint64_t)q->part);
        ct_real left[3];
        memset(q->rate, 0, sizeof q->rate), memset(q->noted, 0, sizeof q->noted);
        cti_linkage_side(s, g, &j->a, dt, 0, q);
        cti_linkage_side(s, g, &j->b, dt, 1, q);
        cti_v3_put(left, 0, cti_joints_left(s, j, q->part, dt));
        cti_linkage_to_double(left, q->left, 3);
        q->compliance = (double)cti_joints_yield(s, j, q->part, dt, &q->is_soft, &q->is_loose);
        for (k = 0; k < 3; k++)
            q->f[k] = m ? (double)(m->impulse[k] * (dt / m->dt)) : 0;
        cti_mechanism_rest(&g->m, i, g->keeps ? HUGE_VAL : (double)cti_joints_rounding(s, j));
        q->keeps &= !g->keeps; /* what turns with a body is no part of the derivative */
    }
}

/* writes A and b of a body: A u = b + J' r, of its rotation at the tentative one to first order. given [3]: the moment that J' r has there */
static void cti_linkage_linearize(cti_state *s, const cti_linkage *g, int i, const double *given)
{
    const cti_mechanism_body *b = &g->m.bodies[i];
    const cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
    ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[r->block + 1];
    cti_v3 w = cti_v3_at(r->w_mid, 0);
    int k;
    for (k = 0; k < 9; k++) {
        D[k] = (ct_real)b->D[k];
        s->system.A.val[9 * (size_t)s->system.A.diag[r->block] + (size_t)k] = k % 4 == 0 ? (ct_real)(b->mass * (1 + b->slow)) : 0;
    }
    for (k = 0; k < 3; k++)
        s->system.b[3 * r->block + k] = (ct_real)(b->mass * (b->v[k] + (r->linkage_mode == CTI_LINKAGE_ALONE ? 1 : 2) * b->kick[k]));
    w = cti_m3_mul_v(D, w);
    s->system.b[3 * (r->block + 1)] = (ct_real)((double)w.x - given[0]);
    s->system.b[3 * (r->block + 1) + 1] = (ct_real)((double)w.y - given[1]);
    s->system.b[3 * (r->block + 1) + 2] = (ct_real)((double)w.z - given[2]);
}

CTI_FN void cti_linkage_equation(cti_state *s, ct_real dt, int rigid)
{
    cti_linkage *g = cti_linkage_of(s, rigid);
    double moment[3];
    cti_mechanism_equation(&g->m, s->linkages.place[rigid], (double)dt, moment);
    cti_linkage_linearize(s, g, s->linkages.place[rigid], moment);
}

/* writes the mean velocities of a linkage to v [3 n] */
static void cti_linkage_write_velocities(cti_state *s, const cti_linkage *g, ct_real dt, ct_real *v)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
        double angle[3];
        cti_mechanism_angle(g->m.bodies[i].turn, angle);
        for (k = 0; k < 3; k++) {
            v[3 * r->block + k] = (ct_real)g->m.bodies[i].u[k];
            v[3 * r->block + 3 + k] = r->w_mid[k] = (ct_real)(angle[k] / (double)dt);
        }
    }
}

/* replaces a motion that was not found: the bodies keep the velocities that the joints allow at the start */
static void cti_linkage_fall_back(cti_state *s, cti_linkage *g, ct_real dt)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        for (k = 0; k < 3; k++)
            g->m.bodies[i].v[k] += g->m.bodies[i].kick[k];
    cti_mechanism_project(&g->m, 0);
    for (i = 0; i < CTI_LEN(g->m.rows); i++)
        memset(g->m.rows[i].f, 0, sizeof g->m.rows[i].f);
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        cti_mechanism_body *b = &g->m.bodies[i];
        double w[3];
        cti_mechanism_rate(b, 0, w);
        for (k = 0; k < 3; k++)
            b->u[k] = b->v[k], b->turn[k] = (double)dt * w[k];
    }
    cti_linkage_bodies(s, g);
    cti_mechanism_place(&g->m, (double)dt);
    cti_linkage_set_mode(s, g, CTI_LINKAGE_FORCED);
}

/* the motion without contacts under its rows; 0: not found */
static int cti_linkage_free_one(cti_state *s, cti_linkage *g, ct_real dt)
{
    int i, k, linked = 1;
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        linked &= s->bodies.rigids[g->rigids[i]].linked;
    if (!linked) {
        g->lost = cti_mechanism_project(&g->m, 0);
        cti_mechanism_note(&g->m);
    }
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
        cti_mechanism_body *b = &g->m.bodies[i];
        double angle[3];
        b->slow = (double)(dt * s->bodies.alpha[r->block]) / 2;
        for (k = 0; k < 3; k++) {
            b->kick[k] = (double)dt * (double)s->desc.gravity[k] / 2;
            /* half of the free motion to begin with: light links under load swing within a step, and in the mean of it hardly move */
            b->u[k] = (b->v[k] + b->kick[k]) / 2;
            angle[k] = (double)(dt * s->system.v_free[3 * r->block + 3 + k]) / 2;
        }
        cti_mechanism_turn(angle, b->turn);
    }
    return cti_mechanism_solve(&g->m, (double)dt);
}

/* the free motion of one linkage; where none closes its joints, as where these contradict each other, one that keeps their errors. 0: not found */
static int cti_linkage_find(cti_state *s, cti_linkage *g, ct_real dt, const cti_memory *memory)
{
    int i, apart = 1;
    for (g->keeps = 0; g->keeps <= apart; g->keeps++) {
        cti_linkage_bodies(s, g);
        cti_linkage_rows(s, g, dt, memory);
        if (cti_linkage_free_one(s, g, dt))
            return 1;
        for (apart = i = 0; i < CTI_LEN(g->parts); i++)
            apart |= cti_linkage_recovers(s, &s->bodies.joints[g->parts[i] / CTI_PARTS]);
    }
    g->keeps = 0;
    cti_linkage_fall_back(s, g, dt);
    return 0;
}

CTI_FN void cti_linkage_free(cti_state *s, ct_real dt, const cti_memory *memory, int *out)
{
    int i, k;
    for (i = 0; i < CTI_LINKAGES(s); i++) {
        cti_linkage *g = &s->linkages.list[i];
        if (!cti_linkage_mode(s, g))
            continue;
        if (!cti_linkage_find(s, g, dt, memory))
            cti_state_fail(s, s->bodies.rigids[g->rigids[0]].block), ++*out;
        if (cti_linkage_mode(s, g) != CTI_LINKAGE_LOADED)
            cti_linkage_write_velocities(s, g, dt, s->system.v_free);
        for (k = 0; k < CTI_LEN(g->rigids); k++) {
            cti_rigid *r = &s->bodies.rigids[g->rigids[k]];
            cti_component *c = &s->factors.components[s->factors.component_of[r->block]];
            r->has_q_free = 0; /* its rotation is not the free one */
            cti_linkage_equation(s, dt, g->rigids[k]);
            c->solve.free_speed = cti_max(cti_v3_norm(cti_v3_at(s->system.v_free, r->block)),
                                          cti_rigid_gyration(r) * cti_v3_norm(cti_v3_at(s->system.v_free, r->block + 1)));
        }
    }
}

/* ---- loads ---- */

/* 1 if a contact neither presses nor would */
static int cti_linkage_is_idle(const cti_row *row, const ct_real *v)
{
    ct_real u[3];
    cti_row_velocity(row, v, u);
    return !row->equations && row->r[0] == 0 && u[0] >= 0 && !(row->recover > 0 && u[0] < row->recover);
}

/* marks a linkage as loaded: from now on gravity's second half comes at the start of the step, too */
static void cti_linkage_mark_loaded(cti_state *s, cti_linkage *g, ct_real dt)
{
    int i;
    if (cti_linkage_mode(s, g) != CTI_LINKAGE_ALONE)
        return;
    cti_linkage_set_mode(s, g, CTI_LINKAGE_LOADED);
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        cti_linkage_equation(s, dt, g->rigids[i]);
}

CTI_FN int cti_linkage_is_alone(cti_state *s, ct_real dt, int first, int end)
{
    int i, k, linked = 0, alone = 1;
    for (i = first; i < end; i++) {
        const cti_row *row = &s->contact.rows[i];
        int id = s->contact.origins[i].joint - 1, own = id >= 0 && s->linkages.row_of && s->linkages.row_of[id] >= 0;
        alone &= own || cti_linkage_is_idle(row, s->end.v);
        for (k = 0; k < row->n; k++) {
            const cti_linkage *g = cti_linkage_of_block(s, row->term[k].block);
            linked |= g != NULL;
            alone &= !g || cti_linkage_mode(s, g) == CTI_LINKAGE_ALONE;
        }
    }
    for (i = first; linked && !alone && i < end; i++)
        for (k = 0; k < s->contact.rows[i].n; k++) {
            cti_linkage *g = cti_linkage_of_block(s, s->contact.rows[i].term[k].block);
            if (g)
                cti_linkage_mark_loaded(s, g, dt);
        }
    return linked && alone;
}

CTI_FN ct_real cti_linkage_residual(const cti_state *s, int first, int end)
{
    double most = 0;
    int i, k;
    for (i = first; i < end; i++)
        for (k = 0; k < s->contact.rows[i].n; k++) {
            const cti_linkage *g = cti_linkage_of_block(s, s->contact.rows[i].term[k].block);
            most = g ? cti_fmax(most, g->m.residual) : most;
        }
    return (ct_real)most;
}

/* ---- the tentative motion ---- */

/* 1 if the tentative motion is that of cti_linkage_free */
static int cti_linkage_is_unchanged(const cti_state *s, const cti_linkage *g)
{
    int i, k, same = 1;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
        for (k = 0; k < 3; k++)
            same &= s->end.v[3 * r->block + k] == (ct_real)g->m.bodies[i].u[k] && s->end.v[3 * r->block + 3 + k] == r->w_mid[k];
    }
    return same;
}

/* adds the stiffness of a row's force f [3] to the bodies of linkages that it acts on */
static void cti_linkage_load(cti_state *s, const cti_row *row, const double *f, ct_real dt)
{
    int k;
    for (k = 0; k < row->n; k++) {
        int rigid = row->term[k].weight == 0 ? s->bodies.rigid_of[row->term[k].block] : -1; /* a term of rotation */
        cti_linkage *g = rigid >= 0 ? cti_linkage_of(s, rigid) : NULL;
        double arm[3];
        cti_linkage_to_double(row->term[k].arm, arm, 3);
        if (g)
            cti_mechanism_turned(arm, f, (double)dt / 2, g->m.bodies[s->linkages.place[rigid]].loads);
    }
}

/* reads the rows' multipliers: those of rigid joints become their impulses, those of others add stiffness */
static void cti_linkage_read_impulses(cti_state *s, ct_real dt)
{
    int i, k;
    for (i = 0; i < CTI_LINKAGES(s); i++)
        for (k = 0; k < CTI_LEN(s->linkages.list[i].rigids); k++)
            memset(s->linkages.list[i].m.bodies[k].loads, 0, sizeof s->linkages.list[i].m.bodies[k].loads);
    for (i = 0; CTI_LINKAGES(s) && i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        int id = s->contact.origins[i].joint - 1, at = id >= 0 && s->linkages.row_of ? s->linkages.row_of[id] : -1;
        ct_real force[3];
        double f[3];
        cti_v3_put(force, 0, cti_m3_mul_tv(row->frame, cti_v3_at(row->r, 0)));
        cti_linkage_to_double(force, f, 3);
        if (at >= 0)
            memcpy(cti_linkage_of_block(s, row->term[0].block)->m.rows[at].f, f, sizeof f);
        else
            cti_linkage_load(s, row, f, dt);
    }
}

CTI_FN void cti_linkage_follow(cti_state *s, ct_real dt)
{
    int i, k;
    cti_linkage_read_impulses(s, dt);
    for (i = 0; i < CTI_LINKAGES(s); i++) {
        cti_linkage *g = &s->linkages.list[i];
        if (!cti_linkage_mode(s, g) || (cti_linkage_mode(s, g) == CTI_LINKAGE_ALONE && cti_linkage_is_unchanged(s, g)))
            continue;
        for (k = 0; k < CTI_LEN(g->rigids); k++) {
            cti_rigid *r = &s->bodies.rigids[g->rigids[k]];
            double angle[3];
            int e;
            memcpy(r->w_mid, s->end.v + 3 * (size_t)(r->block + 1), sizeof r->w_mid);
            for (e = 0; e < 3; e++)
                angle[e] = (double)(dt * r->w_mid[e]), g->m.bodies[k].u[e] = (double)s->end.v[3 * r->block + e];
            cti_mechanism_turn(angle, g->m.bodies[k].turn);
        }
        cti_mechanism_place(&g->m, (double)dt);
        for (k = 0; k < CTI_LEN(g->rigids); k++)
            cti_linkage_equation(s, dt, g->rigids[k]);
    }
}

/* adds the terms of one side of joint row q to a row */
static void cti_linkage_terms(const cti_state *s, const cti_linkage *g, const cti_mechanism_row *q, int side, cti_row *row)
{
    ct_real sign = side ? CTI_R(-1) : CTI_R(1);
    int b = q->body[side] >= 0 ? s->bodies.rigids[g->rigids[q->body[side]]].block : -1, k;
    if (b < 0)
        return;
    if (q->part) {
        row->term[row->n].block = b + 1;
        row->term[row->n++].weight = sign * (ct_real)q->lever;
        return;
    }
    row->term[row->n].block = b;
    row->term[row->n++].weight = sign;
    row->term[row->n].block = b + 1;
    for (k = 0; k < 3; k++)
        row->term[row->n].arm[k] = sign * (ct_real)q->arm[side][k];
    row->n++;
}

CTI_FN int cti_linkage_row(const cti_state *s, int id, cti_row *row, cti_v3 *out)
{
    const cti_joint *j = &s->bodies.joints[id / CTI_PARTS];
    int at = s->linkages.row_of ? s->linkages.row_of[id] : -1, rigid = j->a.rigid >= 0 ? j->a.rigid : j->b.rigid;
    const cti_linkage *g = at >= 0 ? cti_linkage_of(s, rigid) : NULL;
    const cti_mechanism_row *q;
    cti_v3 axis;
    if (!g || !s->bodies.rigids[rigid].linkage_mode)
        return 0;
    q = &g->m.rows[at];
    memset(row->term, 0, sizeof row->term);
    row->n = 0;
    cti_linkage_terms(s, g, q, 0, row);
    row->n_a = row->n;
    cti_linkage_terms(s, g, q, 1, row);
    axis = cti_v3_make((ct_real)q->axis[0], (ct_real)q->axis[1], (ct_real)q->axis[2]);
    if (row->equations == 6)
        cti_joint_axes(axis, row->frame);
    else {
        memset(row->frame, 0, sizeof row->frame);
        row->frame[0] = row->frame[4] = row->frame[8] = 1;
    }
    cti_v3_put(row->r, 0, cti_m3_mul_v(row->frame, cti_v3_make((ct_real)q->f[0], (ct_real)q->f[1], (ct_real)q->f[2])));
    row->compliance[0] = row->compliance[1] = row->compliance[2] = (ct_real)q->compliance;
    *out = cti_m3_mul_v(row->frame, cti_v3_make((ct_real)q->error[0], (ct_real)q->error[1], (ct_real)q->error[2]));
    return 1;
}

CTI_FN ct_real cti_linkage_impulse_factor(const cti_state *s, int row)
{
    const cti_joint *j = cti_joints_of(s, row);
    int rigid = !j ? -1 : (j->a.rigid >= 0 ? j->a.rigid : j->b.rigid);
    return j && s->linkages.row_of && s->linkages.row_of[s->contact.origins[row].joint - 1] >= 0 &&
                   s->bodies.rigids[rigid].linkage_mode ? CTI_R(2) : CTI_R(1);
}

CTI_FN cti_v3 cti_linkage_impulse(const cti_state *s, int row)
{
    const cti_row *q = &s->contact.rows[row];
    cti_v3 J = cti_m3_mul_tv(q->frame, cti_v3_at(q->r, 0));
    const double *a;
    if (cti_linkage_impulse_factor(s, row) == 1)
        return J;
    a = cti_linkage_of_block(s, q->term[0].block)->m.rows[s->linkages.row_of[s->contact.origins[row].joint - 1]].noted;
    return cti_v3_make(2 * J.x + (ct_real)a[0], 2 * J.y + (ct_real)a[1], 2 * J.z + (ct_real)a[2]);
}
