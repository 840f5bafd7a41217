/* joints.c -- joints between bodies: checks, book-keeping, and their block numbers for a step. Method: a joint stores block numbers
   relative to its bodies' first blocks, so that bodies may be added and removed; preparation makes them absolute. Based on: lecture notes
   4.1 (bilateral constraints). */
#include "world.h"

#define CTI_JOINT_SIZE CTI_R(4)   /* [radius of gyration] lever that converts a joint's rotation to a distance: about the size of the
                                     body */
#define CTI_JOINT_CLEAR CTI_R(1.1) /* [thickness of the surfaces] least rest length of a stitch between surfaces that collide */

CONTACT_API_DEF ct_joint_desc ct_joint_desc_default(ct_joint_kind kind)
{
    ct_joint_desc d;
    int k;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.kind = kind;
    for (k = 0; k < 3; k++)
        d.a.vertices[k] = d.b.vertices[k] = -1;
    d.axis[1] = 1;
    d.rest_length = -1;
    d.collide = -1;
    return d;
}

/* ---- checks ---- */

/* 1 for kinds that hold axes */
static int cti_joints_turns(ct_joint_kind kind) { return kind == CT_JOINT_HINGE || kind == CT_JOINT_FIXED || kind == CT_JOINT_SLIDER; }

static int cti_joints_is_world(ct_body_id id) { return id.index1 == 0; }

/* checks one side: a live body, vertices in range, weights that sum to one. *out_slot -1: the world */
static ct_code cti_joints_check_side(ct_world *w, const ct_joint_side *s, ct_joint_kind kind, int *out_slot)
{
    const cti_body *b;
    ct_real sum = 0;
    int k, n = 0;
    *out_slot = -1;
    if (cti_joints_is_world(s->body))
        return CT_OK;
    *out_slot = cti_world_slot(w, s->body);
    if (*out_slot < 0)
        return cti_world_fail(w, CT_ERR_STALE_ID, s->body, -1, s->body.index1,
                              "a joint's body is stale: it was removed, or never added (value: index)");
    b = &w->bodies[*out_slot];
    for (k = 0; k < 3 && s->vertices[k] >= 0; k++, n++) {
        if (s->vertices[k] >= b->n)
            return cti_world_fail(w, CT_ERR_ARGUMENT, s->body, k, s->vertices[k],
                                     "a joint's vertex is out of range (element: place in the list, value: vertex)");
        if (!cti_finite(s->weights[k]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, s->body, k, 0, "a joint's weight is not finite (element: place in the list)");
        sum += s->weights[k];
    }
    if (n > 1 && !(cti_abs(sum - 1) <= CTI_R(1e-4)))
        return cti_world_fail(w, CT_ERR_ARGUMENT, s->body, -1, (double)sum, "a joint's weights do not sum to one (value: sum)");
    if (cti_body_has_model(b) && cti_joints_turns(kind))
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, s->body, -1, 0,
                              "hinges, sliders and fixed joints hold rigid bodies, scripted ones or the world: CT_JOINT_BALL holds a vertex");
    if (n == 0 && (cti_body_has_model(b) || kind == CT_JOINT_STITCH))
        return cti_world_fail(w, CT_ERR_ARGUMENT, s->body, -1, 0, "this side of a joint needs vertices: a deformable body, or a stitch");
    if (b->kind == CTI_BODY_KINEMATIC && b->script.n_keyframes > 1 && (n == 0 || cti_joints_turns(kind)))
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, s->body, -1, b->script.n_keyframes,
                                 "a body with keyframes has no frame to hold a point or an axis: only balls and stitches at its vertices join it");
    return CT_OK;
}

static ct_code cti_joints_check(ct_world *w, const ct_joint_desc *d)
{
    int k;
    if (!d || d->cookie != CTI_COOKIE)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "desc was not made by ct_joint_desc_default");
    if ((int)d->kind < 0 || d->kind > CT_JOINT_DRAG)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)d->kind, "a joint's kind is out of range");
    for (k = 0; k < 3; k++)
        if (!cti_finite(d->point[k]) || !cti_finite(d->axis[k]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, 0, "a joint's point and axis must be finite");
    if ((d->kind == CT_JOINT_HINGE || d->kind == CT_JOINT_SLIDER) && !(cti_v3_norm(cti_v3_at(d->axis, 0)) > 0))
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, 0, "joint.axis is zero: a hinge or slider needs a direction, of any length");
    if (d->kind == CT_JOINT_DRAG && !cti_joints_is_world(d->b.body))
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->b.body, -1, 0, "a drag pulls to a point of the world: its side b has no body");
    if (!(d->compliance >= 0) || !cti_finite(d->compliance) || !(d->angular_compliance >= 0) || !cti_finite(d->angular_compliance))
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, (double)d->compliance, "a joint's compliances must be zero or positive");
    if (!cti_finite(d->rest_length) || d->collide < -1 || d->collide > 1)
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, d->collide, "a joint's rest_length must be finite, collide -1, 0 or 1");
    return CT_OK;
}

/* ---- making ---- */

/* the point at which a side with vertices holds */
static cti_v3 cti_joints_held(const ct_world *w, const cti_body *b, const ct_joint_side *s)
{
    cti_v3 p = cti_v3_zero();
    int k;
    for (k = 0; k < 3 && s->vertices[k] >= 0; k++)
        p = cti_v3_mad(p, cti_body_point(w, b, s->vertices[k]), s->vertices[1] < 0 ? CTI_R(1) : s->weights[k]);
    return p;
}

/* the nodes of a deformable side's vertices, counted from the body's first block */
static void cti_joints_nodes(const cti_body *b, const ct_joint_side *from, cti_joint_side *out)
{
    int k, i, j;
    for (k = 0; k < 3 && from->vertices[k] >= 0; k++) {
        cti_attach a;
        ct_real weight = from->vertices[1] < 0 ? 1 : from->weights[k];
        cti_body_attach(b, from->vertices[k], &a);
        for (i = 0; i < a.n; i++) {
            for (j = 0; j < out->n && out->block[j] != a.block[i] - b->block0; j++)
                ;
            out->block[j] = a.block[i] - b->block0;
            out->weight[j] += weight * a.weight[i];
            out->n = cti_max_int(out->n, j + 1);
        }
    }
}

/* a side that holds vertices of a body with keyframes */
static void cti_joints_frames(const cti_body *b, const ct_joint_side *from, cti_joint_side *out)
{
    int k, n = 0;
    for (k = 0; k < 3; k++)
        out->vertices[k] = -1;
    for (k = 0; k < 3 && from->vertices[k] >= 0; k++)
        out->vertices[n] = from->vertices[k], out->weight[n++] = from->vertices[1] < 0 ? 1 : from->weights[k];
    if (n == 0 || b->script.n_keyframes < 2)
        return;
    out->keyframes = b->script.keyframes, out->n_keyframes = (int32_t)b->script.n_keyframes;
    out->n_vertices = (int32_t)b->script.n, out->interval = b->script.interval;
}

/* makes a side that holds at p with the joint's axes; slot -1: the world */
static void cti_joints_make_side(const ct_world *w, int slot, const ct_joint_side *from, cti_v3 p, const ct_real *axes, cti_joint_side *out)
{
    const cti_body *b = slot < 0 ? NULL : &w->bodies[slot];
    int k;
    memset(out, 0, sizeof *out);
    out->rigid = -1;
    out->t0 = w->state.step.time;
    memcpy(out->triad, axes, sizeof out->triad);
    cti_v3_put(out->arm, 0, p);
    if (!b)
        return;
    if (b->kind == CTI_BODY_RIGID) {
        ct_real R[9];
        cti_rigid_matrix(w->state.bodies.rigids[b->rigid].q, R);
        out->rigid = 0;
        cti_v3_put(out->arm, 0, cti_m3_mul_tv(R, cti_v3_sub(p, cti_v3_at(w->state.x, b->block0))));
        for (k = 0; k < 3; k++)
            cti_v3_put(out->triad, k, cti_m3_mul_tv(R, cti_v3_at(axes, k)));
    } else if (cti_body_has_model(b))
        cti_joints_nodes(b, from, out);
    else if (b->kind == CTI_BODY_KINEMATIC) {
        /* point and axes at the path's start: the rotation R and translation o so far are undone */
        double t = w->state.step.time - b->script.t0;
        cti_v3 o = cti_script_follow(b->script.path, b->script.n_path, cti_v3_zero(), t, NULL);
        ct_real R[9];
        for (k = 0; k < 3; k++) /* rows: the images of the unit vectors */
            cti_v3_put(R, k, cti_v3_sub(cti_script_follow(b->script.path, b->script.n_path, cti_v3_make(k == 0, k == 1, k == 2), t, NULL), o));
        cti_v3_put(out->arm, 0, cti_m3_mul_v(R, cti_v3_sub(p, o)));
        for (k = 0; k < 3; k++)
            cti_v3_put(out->triad, k, cti_m3_mul_v(R, cti_v3_at(axes, k)));
        out->path = b->script.path, out->n_path = b->script.n_path, out->t0 = b->script.t0;
        cti_joints_frames(b, from, out);
    }
}

static ct_real cti_joints_gyration(const ct_world *w, int slot)
{
    if (slot < 0 || w->bodies[slot].kind != CTI_BODY_RIGID)
        return 0;
    return cti_rigid_gyration(&w->state.bodies.rigids[w->bodies[slot].rigid]);
}

/* Returns 1 if the two bodies are to collide. A joint without compliance that holds vertices of both in one place contradicts their thickness; a
   stitch has a length for it */
static int cti_joints_collide(const ct_world *w, const ct_joint_desc *d, int a, int b)
{
    int n = (a >= 0 && cti_body_has_model(&w->bodies[a])) + (b >= 0 && cti_body_has_model(&w->bodies[b]));
    if (d->collide >= 0)
        return d->collide;
    return n == 2 ? d->kind == CT_JOINT_STITCH || d->compliance > 0 : n == 1;
}

static void cti_joints_make(const ct_world *w, const ct_joint_desc *d, int slot_a, int slot_b, cti_world_joint *out)
{
    cti_joint *j = &out->joint;
    const cti_body *a = slot_a < 0 ? NULL : &w->bodies[slot_a], *b = slot_b < 0 ? NULL : &w->bodies[slot_b];
    int held_a = a && d->a.vertices[0] >= 0, held_b = b && d->b.vertices[0] >= 0;
    int meets = slot_a == slot_b && a && !cti_body_meets_itself(w, a); /* a body that does not collide with itself */
    cti_v3 pa, pb;
    ct_real axes[9];
    out->slot[0] = slot_a, out->slot[1] = slot_b;
    out->collide = cti_joints_collide(w, d, slot_a, slot_b);
    cti_joint_axes(cti_v3_unit(cti_v3_at(d->axis, 0), cti_v3_make(0, 1, 0)), axes);
    pa = held_a ? cti_joints_held(w, a, &d->a) : cti_v3_at(d->point, 0);
    pb = held_b ? cti_joints_held(w, b, &d->b) : (held_a ? pa : cti_v3_at(d->point, 0));
    pa = !held_a && held_b ? pb : pa;
    cti_joints_make_side(w, slot_a, &d->a, pa, axes, &j->a);
    cti_joints_make_side(w, slot_b, &d->b, pb, axes, &j->b);
    j->kind = (int32_t)d->kind;
    j->drive.lower = (ct_real)-INFINITY, j->drive.upper = (ct_real)INFINITY;
    out->strength[0] = out->strength[1] = (ct_real)INFINITY;
    j->compliance = d->compliance, j->angular_compliance = d->angular_compliance;
    j->lever = cti_max(cti_joints_gyration(w, slot_a), cti_joints_gyration(w, slot_b)) * CTI_JOINT_SIZE;
    j->lever = j->lever > 0 ? j->lever : 1;
    if (d->kind == CT_JOINT_STITCH)
        j->rest = cti_max(d->rest_length, held_a && held_b && !meets && out->collide ? CTI_JOINT_CLEAR * (a->thickness + b->thickness) / 2 : 0);
}

/* logs that a stitch is longer than it was asked to be, since its vertices keep their thickness */
static void cti_joints_warn_rest(const ct_world *w, const ct_joint_desc *d, const cti_world_joint *q)
{
    const cti_logger log = cti_world_logger(w);
    if (d->kind == CT_JOINT_STITCH && d->rest_length >= 0 && q->joint.rest > d->rest_length)
        cti_logger_write(&log, CT_LOG_WARNING, "the stitch of vertex %d of '%s' and vertex %d of '%s' is %g m long, not %g m: the bodies collide "
                         "and keep their thickness. With collide 0 the points meet", (int)d->a.vertices[0], w->bodies[q->slot[0]].name,
                         (int)d->b.vertices[0], w->bodies[q->slot[1]].name, (double)q->joint.rest, (double)d->rest_length);
}

static int cti_joints_terms(const cti_joint_side *s) { return s->rigid >= 0 ? 2 : s->n; }

/* checks that the nodes of a side have masses: one that no element has cannot bear a force */
static ct_code cti_joints_check_masses(ct_world *w, const ct_joint_side *from, int slot, const cti_joint_side *s)
{
    int i;
    for (i = 0; i < s->n; i++)
        if (s->weight[i] != 0 && !(w->state.bodies.mass[w->bodies[slot].block0 + s->block[i]] > 0))
            return cti_world_fail(w, CT_ERR_ARGUMENT, from->body, s->block[i], 0,
                                  "a joint holds a node that no element has, and so without a mass (element: node). Take the vertex out of the mesh, "
                                  "or give it a mass by ct_body_set_masses");
    return CT_OK;
}

/* checks that the two sides differ, that at least one has unknowns, and that they have no more terms than fit into a row */
static ct_code cti_joints_check_made(ct_world *w, const ct_joint_desc *d, const cti_world_joint *q)
{
    int na = cti_joints_terms(&q->joint.a), nb = cti_joints_terms(&q->joint.b);
    ct_code code;
    if (na + nb == 0)
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, 0, "neither side of the joint can move");
    if (na + nb > CTI_ROW_TERMS)
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, d->a.body, -1, na + nb, "the joint's sides have more than 16 nodes together (value: nodes)");
    if (q->slot[0] == q->slot[1] && q->slot[0] >= 0 &&
        (q->joint.a.rigid >= 0 || (!memcmp(q->joint.a.block, q->joint.b.block, sizeof q->joint.a.block) &&
                                   !memcmp(q->joint.a.weight, q->joint.b.weight, sizeof q->joint.a.weight))))
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, 0, "a joint of a body with itself needs different vertices of a deformable body");
    code = cti_joints_check_masses(w, &d->a, q->slot[0], &q->joint.a);
    CTI_THEN(code, cti_joints_check_masses(w, &d->b, q->slot[1], &q->joint.b));
    return code;
}

CTI_FN void cti_joints_forget(ct_world *w, const cti_world_joint *q)
{
    int i;
    for (i = 0; i < 2; i++) {
        int rigid = q->slot[i] >= 0 ? w->bodies[q->slot[i]].rigid : -1;
        if (rigid >= 0 && rigid < CTI_LEN(w->state.bodies.rigids))
            w->state.bodies.rigids[rigid].linked = 0;
    }
}

CTI_FN uint64_t cti_joints_key(const cti_world_joint *q, int i)
{
    return ((uint64_t)q->generation << 33 | (uint64_t)(uint32_t)i << 1) * 0x9e3779b97f4a7c15ull & ~(uint64_t)1;
}

static ct_code cti_joints_add(ct_world *w, const ct_joint_desc *d, ct_joint_id *out_joint)
{
    cti_world_joint q;
    ct_code code;
    int slot_a, slot_b, i;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    code = cti_joints_check(w, d);
    CTI_THEN(code, cti_steppers_admit(w, CTI_FEATURE_JOINT, NULL));
    if (code == CT_OK && d->kind >= CT_JOINT_SLIDER)
        code = cti_steppers_admit(w, CTI_FEATURE_DRIVE, NULL);
    CTI_THEN(code, cti_joints_check_side(w, &d->a, d->kind, &slot_a));
    CTI_THEN(code, cti_joints_check_side(w, &d->b, d->kind, &slot_b));
    if (code != CT_OK)
        return code;
    if (((slot_a >= 0 && d->a.vertices[0] >= 0) || (slot_b >= 0 && d->b.vertices[0] >= 0)) && cti_v3_norm2(cti_v3_at(d->point, 0)) > 0)
        return cti_world_fail(w, CT_ERR_ARGUMENT, d->a.body, -1, 0, "a joint that holds vertices is where they are: its point must stay 0");
    memset(&q, 0, sizeof q);
    cti_joints_make(w, d, slot_a, slot_b, &q);
    code = cti_joints_check_made(w, d, &q);
    if (code != CT_OK)
        return code;
    for (i = 0; i < CTI_LEN(w->joints) && w->joints[i].alive; i++)
        ;
    if (i == CTI_LEN(w->joints) && !CTI_PUSH(&w->mem, w->joints, q)) {
        w->mem.failed = 0;
        return cti_world_fail(w, CT_ERR_MEMORY, d->a.body, -1, 0, "out of memory; the joint was not added");
    }
    q.alive = 1;
    q.generation = w->joints[i].generation + 1;
    q.joint.key = cti_joints_key(&q, i);
    w->joints[i] = q;
    cti_joints_forget(w, &q);
    cti_joints_warn_rest(w, d, &q);
    if (slot_a >= 0)
        cti_sleep_wake(w, slot_a);
    if (slot_b >= 0)
        cti_sleep_wake(w, slot_b);
    w->ready = w->prepared = 0;
    if (out_joint) {
        out_joint->index1 = (uint32_t)i + 1;
        out_joint->generation = q.generation;
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_joint_add(ct_world *w, const ct_joint_desc *d, ct_joint_id *out_joint)
{
#if CONTACT_WITH_JOINTS
    CTI_FPENV_RETURN(cti_joints_add(w, d, out_joint))
#else
    CTI_UNUSED(d), CTI_UNUSED(out_joint);
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, 0, "built without joints (CONTACT_WITH_JOINTS 0)");
#endif
}

CTI_FN cti_world_joint *cti_joints_find(ct_world *w, ct_joint_id id, ct_code *out_code)
{
    cti_world_joint *q = w && id.index1 > 0 && id.index1 <= (uint32_t)CTI_LEN(w->joints) ? &w->joints[id.index1 - 1] : NULL;
    if (q && q->alive && q->generation == id.generation)
        return q;
    if (w && w->busy)
        *out_code = cti_world_busy(w);
    else
        *out_code = w ? cti_world_refuse(w, CT_ERR_STALE_ID, -1, id.index1, "stale or null joint id") : CT_ERR_ARGUMENT;
    return NULL;
}

CONTACT_API_DEF ct_code ct_joint_remove(ct_world *w, ct_joint_id joint)
{
    ct_code code = CT_OK;
    cti_world_joint *q = cti_joints_find(w, joint, &code);
    int k;
    if (!q)
        return code;
    q->alive = q->broken = 0;
    cti_joints_forget(w, q);
    for (k = 0; k < 2; k++)
        if (q->slot[k] >= 0)
            w->bodies[q->slot[k]].unsearched |= !q->collide, cti_sleep_wake(w, q->slot[k]);
    w->ready = w->prepared = 0;
    return CT_OK;
}

CONTACT_API_DEF int ct_world_get_joints(const ct_world *w, ct_joint_id *out_joints, int capacity)
{
    int i, n = 0;
    for (i = 0; w && i < CTI_LEN(w->joints); i++)
        if (w->joints[i].alive) {
            if (out_joints && n < capacity)
                out_joints[n].index1 = (uint32_t)i + 1, out_joints[n].generation = w->joints[i].generation;
            n++;
        }
    return n;
}

CONTACT_API_DEF ct_code ct_joint_get_bodies(const ct_world *cw, ct_joint_id joint, ct_body_id *out_a, ct_body_id *out_b)
{
    const ct_body_id none = {0, 0};
    ct_code code = CT_OK;
    const cti_world_joint *q = cti_joints_find((ct_world *)cw, joint, &code);
    if (q && out_a)
        *out_a = q->slot[0] < 0 ? none : cti_world_id(cw, q->slot[0]);
    if (q && out_b)
        *out_b = q->slot[1] < 0 ? none : cti_world_id(cw, q->slot[1]);
    return code;
}

/* ---- for a step ---- */

CTI_FN void cti_world_drop_joints(ct_world *w, int slot)
{
    int i;
    for (i = 0; i < CTI_LEN(w->joints); i++)
        if (w->joints[i].alive && (w->joints[i].slot[0] == slot || w->joints[i].slot[1] == slot)) {
            int side;
            w->joints[i].alive = w->joints[i].broken = 0;
            cti_joints_forget(w, &w->joints[i]);
            for (side = 0; side < 2; side++)
                if (w->joints[i].slot[side] >= 0)
                    cti_sleep_wake(w, w->joints[i].slot[side]);
        }
}

CTI_FN int cti_world_has_joints(const ct_world *w, int slot)
{
    int i;
    for (i = 0; i < CTI_LEN(w->joints); i++)
        if (w->joints[i].alive && (w->joints[i].slot[0] == slot || w->joints[i].slot[1] == slot))
            return 1;
    return 0;
}

CTI_FN void cti_world_hold_joints(ct_world *w, int slot)
{
    int i, side, k;
    for (i = 0; i < CTI_LEN(w->joints); i++)
        for (side = 0; side < 2; side++) {
            cti_joint_side *s = side ? &w->joints[i].joint.b : &w->joints[i].joint.a;
            double t = w->state.step.time - s->t0;
            cti_v3 o;
            if (!w->joints[i].alive || w->joints[i].slot[side] != slot)
                continue;
            o = cti_script_follow(s->path, s->n_path, cti_v3_zero(), t, NULL);
            cti_v3_put(s->arm, 0, cti_script_follow(s->path, s->n_path, cti_v3_at(s->arm, 0), t, NULL));
            for (k = 0; k < 3; k++)
                cti_v3_put(s->triad, k, cti_v3_sub(cti_script_follow(s->path, s->n_path, cti_v3_at(s->triad, k), t, NULL), o));
        }
}

/* 1 for a joint that the prepared data have: not of bodies that sleep */
static int cti_joints_steps(const ct_world *w, const cti_world_joint *q)
{
    return cti_joint_acts(q) && !(q->slot[0] >= 0 && w->bodies[q->slot[0]].asleep) && !(q->slot[1] >= 0 && w->bodies[q->slot[1]].asleep);
}

CTI_FN void cti_world_renew_joints(ct_world *w)
{
    int i, at = 0;
    for (i = 0; w->ready && i < CTI_LEN(w->joints); i++) {
        const cti_joint *q = &w->joints[i].joint;
        if (!cti_joints_steps(w, &w->joints[i]))
            continue;
        w->state.bodies.joints[at].drive = q->drive;
        if (q->kind == CT_JOINT_DRAG)
            memcpy(w->state.bodies.joints[at].b.arm, q->b.arm, sizeof q->b.arm);
        at++;
    }
}

CTI_FN void cti_world_scripted(ct_world *w, int slot)
{
    const cti_body *b = &w->bodies[slot];
    int i, side, at = 0;
    for (i = 0; b->kind == CTI_BODY_KINEMATIC && i < CTI_LEN(w->state.scripts.movers); i++)
        if (w->state.scripts.movers[i].vertices == b->surface_nodes)
            w->state.scripts.movers[i].script = b->script;
    for (i = 0; i < CTI_LEN(w->joints); i++) {
        cti_world_joint *q = &w->joints[i];
        int is = cti_joints_steps(w, q);
        cti_joint *now = w->ready && is ? &w->state.bodies.joints[at] : NULL;
        at += is;
        for (side = 0; side < 2; side++) {
            cti_joint_side *s = side ? &q->joint.b : &q->joint.a;
            if (!q->alive || q->slot[side] != slot || b->kind != CTI_BODY_KINEMATIC)
                continue;
            s->path = b->script.path, s->n_path = b->script.n_path;
            s->keyframes = s->keyframes && b->script.n_keyframes > 1 ? b->script.keyframes : NULL;
            s->n_keyframes = s->keyframes ? b->script.n_keyframes : 0;
            if (now && side)
                now->b = *s;
            else if (now)
                now->a = *s;
        }
    }
}

CTI_FN void cti_world_follow_joints(ct_world *w, int slot)
{
    const cti_body *b = &w->bodies[slot];
    int i, side;
    for (i = 0; i < CTI_LEN(w->joints); i++)
        for (side = 0; side < 2; side++) {
            cti_joint_side *s = side ? &w->joints[i].joint.b : &w->joints[i].joint.a;
            if (w->joints[i].alive && w->joints[i].slot[side] == slot)
                s->t0 = b->script.t0;
        }
    cti_world_scripted(w, slot);
}

static void cti_joints_resolve(const ct_world *w, int slot, cti_joint_side *s)
{
    int i;
    if (slot < 0)
        return;
    if (s->rigid >= 0)
        s->rigid = w->bodies[slot].rigid;
    for (i = 0; i < s->n; i++)
        s->block[i] += w->bodies[slot].block0;
}

CTI_FN int cti_world_surface_body(const ct_world *w, int slot)
{
    int i;
    for (i = 0; i < CTI_LEN(w->surface_slot); i++)
        if (w->surface_slot[i] == slot)
            return i;
    return -1;
}

CTI_FN int cti_world_resolve_joints(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    int i;
    CTI_CLEAR(w->state.bodies.joints);
    for (i = 0; i < CTI_LEN(w->joints); i++) {
        const cti_world_joint *q = &w->joints[i];
        cti_joint j = q->joint;
        if (!cti_joints_steps(w, q))
            continue;
        cti_joints_resolve(w, q->slot[0], &j.a);
        cti_joints_resolve(w, q->slot[1], &j.b);
        j.body[0] = cti_world_surface_body(w, q->slot[0]), j.body[1] = cti_world_surface_body(w, q->slot[1]);
        if (!CTI_PUSH(&w->mem, w->state.bodies.joints, j))
            return 0;
        if (!q->collide && j.body[0] >= 0 && j.body[1] >= 0 && j.body[0] != j.body[1] &&
            !cti_broad_keep_apart(&w->mem, &f->apart, j.body[0], j.body[1]))
            return 0;
    }
    f->soup.apart = f->apart;
    f->soup.n_apart = CTI_LEN(f->apart) / 2;
    return 1;
}
