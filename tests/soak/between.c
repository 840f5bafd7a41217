/* between.c -- what happens to a random world before and between its steps: bodies, joints and pins come and go, velocities are set; and
   misuse, which has to be refused with a culprit and must not leave a trace. */
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a body that lives, or NULL */
static soak_item *pick(soak_run *u, soak_rng *r)
{
    int i, k = u->n_items ? soak_below(r, u->n_items) : 0;
    for (i = 0; i < u->n_items; i++)
        if (u->items[(k + i) % u->n_items].alive)
            return &u->items[(k + i) % u->n_items];
    return NULL;
}

static void motion_of(soak_run *u, soak_rng *r, ct_motion *m)
{
    int k;
    memset(m, 0, sizeof *m);
    soak_velocity(u, r, m->linear);
    if (soak_chance(r, 0.3))
        soak_spin(u, r, m->angular);
    for (k = 0; k < 3; k++)
        m->center[k] = (ct_real)(u->origin[k] + u->size * soak_uniform(r, -1, 1));
}

/* some nodes of a deformable body are held, or moved */
static void pin(soak_run *u, soak_rng *r)
{
    soak_item *q = pick(u, r);
    int32_t nodes[8];
    ct_motion m;
    int n, i, count, moves = soak_chance(r, 0.4), axes = 1 + soak_below(r, 7);
    double until = soak_chance(r, 0.5) ? -1 : ct_world_time(u->world) + u->dt * soak_uniform(r, 0, 10);
    if (!q || !q->deformable)
        return;
    count = ct_body_node_count(u->world, q->id);
    n = 1 + soak_below(r, 8);
    for (i = 0; i < n; i++)
        nodes[i] = soak_below(r, count);
    motion_of(u, r, &m);
    if (ct_body_pin(u->world, q->id, nodes, n, axes, moves ? &m : NULL, until) != CT_OK)
        soak_fail(u, SOAK_CODE, "pin: %s", ct_world_error(u->world)->text);
    /* what is held has no more room than what is moved by script */
    u->scripts = 1;
}

static void constrain(soak_run *u, soak_rng *r)
{
    soak_item *q = pick(u, r);
    ct_real P[9], d[3];
    double l = 0;
    int i, j, plane = soak_chance(r, 0.5);
    if (!q || !q->deformable)
        return;
    for (i = 0; i < 3; i++)
        d[i] = (ct_real)soak_uniform(r, 0.1, 1), l += (double)d[i] * (double)d[i];
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            double p = (double)d[i] * (double)d[j] / l;
            P[3 * i + j] = (ct_real)(plane ? (i == j) - p : p);
        }
    if (ct_body_constrain(u->world, q->id, soak_below(r, ct_body_node_count(u->world, q->id)), P) != CT_OK)
        soak_fail(u, SOAK_CODE, "constrain: %s", ct_world_error(u->world)->text);
    u->scripts = 1;
}

/* air, limits against a skin and masses of a deformable body; a stream of its own, so that worlds without them stay as they are */
static void dress(soak_run *u, int step)
{
    soak_rng stream = soak_stream(u->seed, 700000 + (uint64_t)(step + 1)), *r = &stream;
    soak_item *q = soak_chance(r, 0.12) ? pick(u, r) : NULL;
    ct_skin_limit limits[6];
    ct_real wind[3], at[3 * 6], *all;
    ct_air air;
    int i, k, n = 0, count;
    ct_code code;
    if (!q || u->desc.stepper != CT_STEPPER_CMR || (q->kind != 's' && q->kind != 'c'))
        return;
    count = ct_body_node_count(u->world, q->id);
    soak_velocity(u, r, wind);
    air.drag = (ct_real)soak_decades(r, -2, 1), air.lift = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -2, 1));
    air.density = (ct_real)soak_decades(r, -1, 3);
    code = ct_world_set_wind(u->world, wind);
    code = code == CT_OK && q->nt > 0 ? ct_body_set_air(u->world, q->id, &air) : code;
    all = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)count);
    if (code == CT_OK)
        code = ct_body_get_nodes(u->world, q->id, all, NULL, count);
    for (i = 0; i < 6 && i < count; i++, n++) {
        limits[n].vertex = i * (count / 6 > 0 ? count / 6 : 1);
        limits[n].max_distance = (ct_real)(soak_chance(r, 0.2) ? INFINITY : u->size * soak_decades(r, -4, 0));
        limits[n].backstop_distance = (ct_real)(u->size * soak_uniform(r, -0.1, 0.5));
        limits[n].backstop_radius = (ct_real)(soak_chance(r, 0.4) ? 0 : soak_chance(r, 0.2) ? INFINITY : u->size * soak_decades(r, -2, 2));
        for (k = 0; k < 3; k++)
            at[3 * n + k] = (ct_real)((double)all[3 * limits[n].vertex + k] + u->size * soak_uniform(r, -0.1, 0.1));
    }
    if (code == CT_OK && soak_chance(r, 0.6))
        code = ct_body_set_skin(u->world, q->id, limits, n);
    if (code == CT_OK && soak_chance(r, 0.8) && ct_body_get_skin(u->world, q->id, NULL, 0, &k) == CT_OK && k == n)
        code = ct_body_move_skin(u->world, q->id, at, NULL, n, u->dt * soak_uniform(r, 0.5, 4));
    code = code == CT_ERR_MESH ? CT_OK : code; /* too far out for the thickness */
    if (code == CT_OK && soak_chance(r, 0.3) && ct_body_get_masses(u->world, q->id, all, count) == CT_OK) {
        for (i = n = 0; i < count; i++) {
            all[i] = (ct_real)((double)all[i] * soak_decades(r, -1, 1));
            n += (double)all[i] > 0 && isfinite((double)(all[i] * all[i] * all[i] * all[i]));
        }
        if (ct_body_set_masses(u->world, q->id, all, count) != (n == count ? CT_OK : CT_ERR_ARGUMENT)) /* a node that no element has, has none */
            code = CT_ERR_ARGUMENT;
    }
    free(all);
    if (code != CT_OK)
        soak_fail(u, SOAK_CODE, "air, limits or masses: %s", ct_world_error(u->world)->text);
    u->explained = -1, u->scripts = 1;
}

static void set_velocities(soak_run *u, soak_rng *r)
{
    soak_item *q = pick(u, r);
    ct_real v[3], w[3], *all;
    int i, n;
    ct_code code = CT_OK;
    if (!q)
        return;
    soak_velocity(u, r, v), soak_spin(u, r, w);
    if (q->kind == 'r') {
        double torsional = soak_chance(r, 0.5) ? 0 : u->size * soak_decades(r, -4, 0);
        double rolling = soak_chance(r, 0.5) ? 0 : u->size * soak_decades(r, -4, 0);
        int has = u->desc.stepper == CT_STEPPER_CMR && u->desc.solver.termination != CT_TERMINATION_PAPER;
        code = ct_body_set_motion(u->world, q->id, v, w);
        if (code == CT_OK && ct_body_set_spin_friction(u->world, q->id, (ct_real)torsional, (ct_real)rolling) !=
                                 (has || (torsional == 0 && rolling == 0) ? CT_OK : CT_ERR_UNSUPPORTED))
            soak_fail(u, SOAK_CODE, "spin friction: %s", ct_world_error(u->world)->text);
        if (code == CT_OK && u->desc.stepper == CT_STEPPER_CMR)
            code = ct_body_set_restitution(u->world, q->id, (ct_real)soak_uniform(r, 0, 1));
    }
    if (q->deformable) {
        double random = soak_chance(r, 0.3) ? u->size * soak_decades(r, -1, 2) : 0;
        n = ct_body_node_count(u->world, q->id);
        all = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
        for (i = 0; i < 3 * n; i++)
            all[i] = (ct_real)((double)v[i % 3] + random * soak_uniform(r, -1, 1));
        code = ct_body_set_velocities(u->world, q->id, all, n);
        free(all);
    }
    if (code != CT_OK)
        soak_fail(u, SOAK_CODE, "set velocities: %s", ct_world_error(u->world)->text);
}

static void joint_side(soak_run *u, soak_rng *r, const soak_item *q, ct_joint_side *s)
{
    int k, n;
    if (!q)
        return;
    s->body = q->id;
    if (q->kind == 'r' && soak_chance(r, 0.6))
        return;
    n = q->n > 0 ? 1 + soak_below(r, 3) : 0;
    for (k = 0; k < n; k++)
        s->vertices[k] = soak_below(r, q->n), s->weights[k] = (ct_real)(1. / n);
    (void)u;
}

/* two bodies, or a body and the world; what is not supported may be refused */
static void join(soak_run *u, soak_rng *r, ct_joint_kind kind)
{
    ct_joint_desc d = ct_joint_desc_default(kind);
    soak_item *a = pick(u, r), *b = kind == CT_JOINT_DRAG || soak_chance(r, 0.2) ? NULL : pick(u, r);
    soak_joint *j = &u->joints[u->n_joints];
    uint64_t before = ct_world_hash(u->world);
    ct_code code;
    int k;
    if (!a || a == b || a->kind == 'p' || (b && b->kind == 'p') || u->n_joints == (int)(sizeof u->joints / sizeof *u->joints))
        return;
    memset(j, 0, sizeof *j);
    joint_side(u, r, a, &d.a), joint_side(u, r, b, &d.b);
    for (k = 0; k < 3; k++) {
        d.point[k] = (ct_real)(u->origin[k] + u->size * soak_uniform(r, -0.5, 0.5));
        d.axis[k] = (ct_real)soak_uniform(r, 0.1, 1);
    }
    if (d.a.vertices[0] >= 0 || d.b.vertices[0] >= 0)
        memset(d.point, 0, sizeof d.point); /* the joint is where they are */
    d.compliance = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -9, 2));
    d.angular_compliance = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -9, 2));
    d.rest_length = (ct_real)(soak_chance(r, 0.7) ? -1 : u->size * soak_decades(r, -4, 0));
    d.collide = soak_below(r, 3) - 1;
    code = ct_joint_add(u->world, &d, &j->id);
    if (code == CT_OK) {
        j->alive = 1, j->a = d.a.body, j->b = d.b.body;
        j->apart = b && (d.collide == 0 || (d.collide < 0 && a->deformable == b->deformable &&
                                            (!a->deformable || (d.kind != CT_JOINT_STITCH && !(d.compliance > 0)))));
        u->n_joints++;
        u->scripts = 1; /* what is joined to the world, or to two sides of a wall, may have no room */
    } else if ((code != CT_ERR_ARGUMENT && code != CT_ERR_UNSUPPORTED) || !ct_world_error(u->world)->text[0] ||
               ct_world_hash(u->world) != before)
        soak_fail(u, SOAK_CODE, "joint ends with code %d: %s", (int)code, ct_world_error(u->world)->text);
}

/* sets limits, a motor, a spring, a target or a strength of a joint; joints that cannot have it refuse it */
static void drive(soak_run *u, soak_rng *r)
{
    soak_joint *j = u->n_joints ? &u->joints[soak_below(r, u->n_joints)] : NULL;
    uint64_t before = ct_world_hash(u->world);
    double weight = soak_decades(r, -3, 4), a = soak_uniform(r, -2, 1), b = soak_uniform(r, -1, 2);
    ct_real to[3];
    ct_joint_state s;
    ct_code code = CT_OK;
    int k, what = soak_below(r, 5);
    if (!j || !j->alive)
        return;
    for (k = 0; k < 3; k++)
        to[k] = (ct_real)(u->origin[k] + u->size * soak_uniform(r, -1, 1));
    if (what == 0)
        code = ct_joint_set_limits(u->world, j->id, (ct_real)a, (ct_real)b);
    else if (what == 1)
        code = ct_joint_set_motor(u->world, j->id, (ct_real)soak_uniform(r, -5, 5), soak_chance(r, 0.2) ? (ct_real)INFINITY : (ct_real)weight);
    else if (what == 2)
        code = ct_joint_set_spring(u->world, j->id, (ct_real)a, (ct_real)weight, (ct_real)soak_decades(r, -3, 3));
    else if (what == 3)
        code = ct_joint_set_target(u->world, j->id, to);
    else
        code = ct_joint_set_break(u->world, j->id, (ct_real)weight, (ct_real)INFINITY);
    u->scripts = 1, u->explained = -1;
    if (code != CT_OK && ((code != CT_ERR_ARGUMENT && code != CT_ERR_UNSUPPORTED) || !ct_world_error(u->world)->text[0] ||
                          ct_world_hash(u->world) != before))
        soak_fail(u, SOAK_CODE, "a joint's drive ends with code %d: %s", (int)code, ct_world_error(u->world)->text);
    if (ct_joint_get_state(u->world, j->id, &s) != CT_OK || !(s.lower <= s.upper))
        soak_fail(u, SOAK_CODE, "a joint's state: %s", ct_world_error(u->world)->text);
}

static void unjoin(soak_run *u, soak_rng *r)
{
    soak_joint *j;
    if (!u->n_joints)
        return;
    j = &u->joints[soak_below(r, u->n_joints)];
    if (j->alive && ct_joint_remove(u->world, j->id) != CT_OK)
        soak_fail(u, SOAK_CODE, "joint is not removed: %s", ct_world_error(u->world)->text);
    j->alive = 0;
}

static void leave(soak_run *u, soak_rng *r)
{
    soak_item *q = pick(u, r);
    int i;
    if (!q)
        return;
    u->out->blocks -= q->deformable ? ct_body_node_count(u->world, q->id) : (q->kind == 'r' ? 2 : 0);
    if (ct_body_remove(u->world, q->id) != CT_OK)
        soak_fail(u, SOAK_CODE, "body is not removed: %s", ct_world_error(u->world)->text);
    q->alive = 0;
    for (i = 0; i < u->n_joints; i++)
        if (u->joints[i].a.index1 == q->id.index1 || u->joints[i].b.index1 == q->id.index1)
            u->joints[i].alive = 0;
    if (ct_body_remove(u->world, q->id) != CT_ERR_STALE_ID)
        soak_fail(u, SOAK_CODE, "a body is removed twice");
}

/* ---- misuse ---- */

static ct_code misuse_body(soak_run *u, soak_rng *r, int which)
{
    static const int32_t flat[4] = {0, 1, 2, 3}, outside[3] = {0, 1, 7}, turned[4] = {0, 2, 1, 4}, two[3] = {0, 1, 1};
    ct_real x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    ct_soft_desc s = ct_soft_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_rigid_desc g = ct_rigid_desc_default();
    ct_static_desc t = ct_static_desc_default();
    ct_body_id id;
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 15; i++)
        x[i] = (ct_real)((double)x[i] * u->size + u->origin[i % 3]);
    m.positions = x, m.n_positions = 5;
    s.mesh = c.mesh = g.mesh = t.mesh = &m;
    if (which < 4) {
        m.tets = (int32_t *)(which == 0 ? flat : turned), m.n_tets = 1;
        if (which == 2)
            x[soak_below(r, 15)] = (ct_real)NAN;
        if (which == 3)
            s.material.poisson = (ct_real)0.5;
        return ct_body_add_soft(u->world, &s, &id);
    }
    m.triangles = (int32_t *)(which == 4 ? outside : two), m.n_triangles = 1;
    if (which < 6)
        return u->desc.stepper == CT_STEPPER_DCD || u->desc.stepper == CT_STEPPER_EXPLICIT ? CT_ERR_UNSUPPORTED
                                                                                           : ct_body_add_cloth(u->world, &c, &id);
    if (which == 6)
        return u->desc.stepper == CT_STEPPER_DCD ? CT_ERR_UNSUPPORTED : ct_body_add_rigid(u->world, &g, &id);
    m.triangles = NULL;
    return ct_body_add_static(u->world, &t, &id);
}

static ct_code misuse_world(soak_run *u, soak_rng *r, int which)
{
    static const ct_real steps[4] = {0, -1, (ct_real)NAN, (ct_real)INFINITY};
    ct_body_id none = {0, 0}, far = {1000000, 1};
    ct_real v[3] = {0, (ct_real)NAN, 0};
    int32_t bad = 1000000, n = 0;
    soak_item *q = pick(u, r);
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    ct_joint_id joint;
    if (which == 0)
        return ct_world_step(u->world, steps[soak_below(r, 4)], NULL);
    if (which == 1)
        return ct_body_remove(u->world, soak_chance(r, 0.5) ? none : far);
    if (which == 2)
        return ct_body_pin(u->world, q ? q->id : none, &bad, 1, CT_AXIS_ALL, NULL, -1);
    if (which == 3)
        return ct_body_set_velocities(u->world, q ? q->id : none, v, 1);
    if (which == 4)
        return ct_body_set_motion(u->world, q ? q->id : none, v, NULL);
    if (which == 5)
        return ct_joint_add(u->world, &d, &joint);
    if (which == 6)
        return ct_body_get_positions(u->world, far, v, CT_SCALAR_DOUBLE, 24, &n);
    return ct_world_repair(u->world, NULL, NULL);
}

static void misuse(soak_run *u, soak_rng *r)
{
    uint64_t before = ct_world_hash(u->world);
    int world = soak_chance(r, 0.5), which = soak_below(r, 8);
    ct_code code = world ? misuse_world(u, r, which) : misuse_body(u, r, which);
    u->out->misuse++;
    if (code == CT_OK || ct_world_hash(u->world) != before || !ct_world_error(u->world)->text[0])
        soak_fail(u, SOAK_CODE, "misuse %s %d ends with code %d, %s", world ? "world" : "body", which, (int)code,
                  ct_world_hash(u->world) == before ? "no trace" : "and with another state");
}

void soak_between(soak_run *u, int step)
{
    soak_rng stream = soak_stream(u->seed, 2000 + (uint64_t)(step + 1)), *r = &stream;
    soak_rng drives = soak_stream(u->seed, 7000 + (uint64_t)(step + 1)), *r2 = &drives;
    int k, n = step < 0 ? soak_below(r, 6) : (soak_chance(r, 0.25) ? 1 + soak_below(r, 2) : 0);
    if (soak_chance(r2, 0.1))
        join(u, r2, soak_chance(r2, 0.5) ? CT_JOINT_SLIDER : CT_JOINT_DRAG);
    for (k = 0; k < 3 && soak_chance(r2, 0.5) && !u->failed; k++)
        drive(u, r2);
    dress(u, step);
    for (k = 0; k < n && !u->failed; k++) {
        int what = soak_below(r, step < 0 ? 7 : 10);
        if (what == 0 || what == 1)
            misuse(u, r);
        else if (what == 2)
            pin(u, r);
        else if (what == 3)
            soak_chance(r, 0.3) ? constrain(u, r) : pin(u, r);
        else if (what == 4 || what == 5)
            u->options->set == SOAK_LAYERS ? pin(u, r) : join(u, r, (ct_joint_kind)soak_below(r, 4)); /* the layers stepper has no joints */
        else if (what == 6)
            set_velocities(u, r);
        else if (what == 7)
            unjoin(u, r);
        else if (what == 8)
            leave(u, r);
        else if (u->out->blocks < SOAK_BLOCKS)
            soak_add(u, 8 + step);
        if (what > 1)
            u->explained = -1;
    }
}
