/* live.c -- what a program sets between two steps: places, targets, forces. */
#include "world.h"
#include "../1_math/elem.h"
#include "../8_step/factors.h"
#include "../8_step/motion.h"

/* ---- places ---- */

CTI_FN void cti_live_anew(ct_world *w, const cti_body *b)
{
    cti_state *s = &w->state;
    int i;
    for (i = b->block0; i < b->block0 + b->n_blocks && b->block0 >= 0; i++) { /* velocities become those of the present time */
        cti_v3_addto(s->v, i, cti_v3_mul(cti_v3_at(s->desc.gravity, 0), s->history.fall[i].owed * (s->bodies.inv_mass[i] > 0 ? 1 : 0)));
        cti_v3_addto(s->v, i, cti_v3_mul(cti_v3_at(s->bodies.owed, i), s->bodies.inv_mass[i]));
        cti_v3_put(s->bodies.owed, i, cti_v3_zero());
        s->history.dt_prev[i] = 0;
        cti_motion_anew(s, i);
    }
}

/* the blocks of a body start anew, as those of a body that is added, and the next preparation searches it for intersections. Its number changes,
   so that remembered contacts no longer match */
static void cti_live_moved(ct_world *w, cti_body *b)
{
    cti_sleep_wake(w, (int)(b - w->bodies));
    cti_live_anew(w, b);
    b->places++;
    b->unsearched = 1;
    w->queries_ready = 0;
    cti_world_unprepare(w);
}

static ct_code cti_live_set_pose(ct_world *w, ct_body_id body, const ct_real position[3], const ct_real quaternion[4])
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    cti_place place;
    cti_rigid *r;
    ct_real to[3], I[9];
    int k;
    if (!b)
        return code;
    if (b->kind != CTI_BODY_RIGID)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_set_pose: only a rigid body has a pose");
    memcpy(to, position ? position : w->state.x + 3 * (size_t)b->block0, sizeof to);
    r = &w->state.bodies.rigids[b->rigid];
    code = cti_bodies_place(w, b->name, to, quaternion ? quaternion : r->q, &place);
    CTI_THEN(code, cti_bodies_check_extent(w, b, to, 1));
    CTI_THEN(code, cti_world_keep_contacts(w));
    if (code != CT_OK)
        return code;
    for (k = 0; k < 2; k++)
        memcpy(w->state.x + 3 * (size_t)(b->block0 + k), to, sizeof to);
    for (k = 0; quaternion && k < 4; k++)
        r->q[k] = (ct_real)place.q[k];
    /* the angular velocity is kept, in world axes */
    cti_rigid_inertia(r, r->q, I);
    cti_v3_put(r->spin, 0, cti_m3_mul_v(I, cti_v3_at(w->state.v, b->block0 + 1)));
    r->linked = r->affine_known = 0;
    cti_live_moved(w, b);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_pose(ct_world *w, ct_body_id body, const ct_real position[3], const ct_real quaternion[4])
{
    CTI_FPENV_RETURN(cti_live_set_pose(w, body, position, quaternion))
}

/* the body, if it is deformable and has n nodes */
static cti_body *cti_live_nodes(ct_world *w, ct_body_id body, const void *numbers, int n, ct_code *code)
{
    cti_body *b = cti_world_find(w, body, code);
    if (!b || (cti_body_has_model(b) && n == cti_body_nodes(b) && numbers))
        return b;
    *code = cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "this needs a deformable body and one entry per node (value: entries)");
    return NULL;
}

CONTACT_API_DEF ct_code ct_body_get_nodes(const ct_world *cw, ct_body_id body, ct_real *out_positions, ct_real *out_velocities, int n)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_live_nodes((ct_world *)cw, body, out_positions ? out_positions : out_velocities, n, &code);
    if (b && out_positions)
        memcpy(out_positions, cw->state.x + 3 * (size_t)b->block0, 3 * sizeof(ct_real) * (size_t)n);
    if (b && out_velocities)
        memcpy(out_velocities, cw->state.v + 3 * (size_t)b->block0, 3 * sizeof(ct_real) * (size_t)n);
    return code;
}

static ct_code cti_live_set_positions(ct_world *w, ct_body_id body, const ct_real *positions, int n)
{
    ct_code code = CT_OK;
    cti_body *b = cti_live_nodes(w, body, positions, n, &code);
    int i;
    if (!b)
        return code;
    for (i = 0; i < 3 * n; i++)
        if (!cti_finite(positions[i]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i / 3, 0, "ct_body_set_positions: a position is not finite (element: node)");
    code = cti_bodies_check_extent(w, b, positions, n);
    CTI_THEN(code, cti_world_keep_contacts(w));
    if (code != CT_OK)
        return code;
    memcpy(w->state.x + 3 * (size_t)b->block0, positions, 3 * sizeof(ct_real) * (size_t)n);
    for (i = n; i < b->n_blocks; i++) { /* middles of split edges */
        const int32_t *ends = b->split.edges + 2 * (i - n);
        cti_v3_put(w->state.x, b->block0 + i, cti_v3_mul(cti_v3_add(cti_v3_at(positions, ends[0]), cti_v3_at(positions, ends[1])), CTI_R(0.5)));
    }
    cti_factors_of_other(&w->state.factors, cti_body_id(b, (int)(b - w->bodies)));
    cti_live_moved(w, b);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_positions(ct_world *w, ct_body_id body, const ct_real *positions, int n)
{
    CTI_FPENV_RETURN(cti_live_set_positions(w, body, positions, n))
}

/* ---- targets of kinematic bodies and pins ---- */

static ct_code cti_live_check_time(ct_world *w, ct_body_id body, double dt)
{
    if (dt > 0 && cti_finite((ct_real)dt))
        return CT_OK;
    return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, dt, "the time to a target must be positive and finite");
}

/* the script of a kinematic body begins now: with `path` [1], or with keyframes */
static void cti_live_restart(ct_world *w, cti_body *b, int n_path, int n_keyframes, double interval)
{
    int i, body;
    b->script.path = b->path, b->script.n_path = n_path;
    b->script.keyframes = b->keyframes, b->script.n_keyframes = n_keyframes, b->script.interval = interval;
    b->script.t0 = w->state.step.time;
    w->queries_ready = 0;
    cti_world_scripted(w, (int)(b - w->bodies));
    body = w->ready ? cti_world_surface_body(w, (int)(b - w->bodies)) : -1;
    for (i = 0; body >= 0 && i < CTI_LEN(b->surface_nodes); i++) /* the surface is where the new script has it, to the last bit */
        cti_v3_put(w->state.surface.x0, w->state.surface.ranges[body].v0 + i, cti_body_point(w, b, b->surface_nodes[i]));
}

CTI_FN void cti_live_pose(const ct_world *w, const cti_body *b, cti_place *out)
{
    double t = w->state.step.time - b->script.t0, R[9], o[3];
    cti_v3 from = cti_script_follow(b->script.path, b->script.n_path, cti_v3_zero(), t, NULL);
    ct_real at[3], p[3];
    int i, k;
    for (k = 0; k < 3; k++)
        at[k] = (ct_real)b->pose.t[k];
    cti_v3_put(p, 0, cti_script_follow(b->script.path, b->script.n_path, cti_v3_at(at, 0), t, NULL));
    for (i = 0; i < 3; i++) {
        cti_v3 column = cti_v3_make((ct_real)b->pose.M[i], (ct_real)b->pose.M[3 + i], (ct_real)b->pose.M[6 + i]);
        column = cti_v3_sub(cti_script_follow(b->script.path, b->script.n_path, column, t, NULL), from);
        R[i] = (double)column.x, R[3 + i] = (double)column.y, R[6 + i] = (double)column.z;
        o[i] = (double)p[i];
    }
    cti_place_of(R, o, out);
}

/* the segment that takes a body from a pose to another one in dt */
static void cti_live_segment(const cti_place *from, const cti_place *to, double dt, ct_motion_segment *out)
{
    double q[4], turn, half;
    int k;
    memset(out, 0, sizeof *out);
    out->duration = dt;
    /* to.q times the conjugate of from.q */
    q[0] = to->q[0] * from->q[0] + to->q[1] * from->q[1] + to->q[2] * from->q[2] + to->q[3] * from->q[3];
    for (k = 0; k < 3; k++) {
        int i = 1 + (k + 1) % 3, j = 1 + (k + 2) % 3;
        q[k + 1] = -to->q[0] * from->q[k + 1] + from->q[0] * to->q[k + 1] - (to->q[i] * from->q[j] - to->q[j] * from->q[i]);
    }
    half = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    turn = half > 0 ? 2 * cti_atan2_64(q[0] < 0 ? -half : half, fabs(q[0])) / (half * dt) : 0; /* the short way */
    for (k = 0; k < 3; k++) {
        out->motion.linear[k] = (ct_real)((to->t[k] - from->t[k]) / dt);
        out->motion.angular[k] = (ct_real)(turn * q[k + 1]);
        out->motion.center[k] = (ct_real)from->t[k];
    }
}

static ct_code cti_live_move_pose(ct_world *w, ct_body_id body, const ct_real position[3], const ct_real quaternion[4], double dt)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    cti_place now, to;
    ct_motion_segment one;
    ct_real target[3];
    int k;
    if (!b || (code = cti_live_check_time(w, body, dt)) != CT_OK)
        return code;
    if (b->kind != CTI_BODY_KINEMATIC || b->script.n_keyframes > 0)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_move_pose: only a kinematic body without keyframes moves to a pose");
    cti_live_pose(w, b, &now);
    code = cti_bodies_place(w, b->name, position, quaternion, &to);
    if (code != CT_OK)
        return code;
    if (!position)
        memcpy(to.t, now.t, sizeof to.t);
    if (!quaternion)
        memcpy(to.q, now.q, sizeof to.q);
    cti_live_segment(&now, &to, dt, &one);
    for (k = 0; k < 3; k++)
        target[k] = (ct_real)to.t[k];
    code = cti_bodies_check_path(w, body, &one, 1);
    CTI_THEN(code, cti_bodies_check_extent(w, b, target, 1));
    if (code != CT_OK)
        return code;
    if (CTI_LEN(b->local) == 0) {
        if (!CTI_RESIZE(&w->mem, b->local, 3 * b->n))
            return cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory; the body moves as before");
        cti_place_undo(&b->pose, b->rest, b->n, b->local);
    }
    cti_world_hold_joints(w, (int)(b - w->bodies));
    cti_place_apply(&now, b->local, b->n, b->rest);
    CTI_RESIZE(&w->mem, b->path, 1); /* it has had one at least */
    b->path[0] = one, b->pose = now;
    cti_live_restart(w, b, 1, 0, 0);
    cti_world_follow_joints(w, (int)(b - w->bodies));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_move_pose(ct_world *w, ct_body_id body, const ct_real position[3], const ct_real quaternion[4], double dt)
{
    CTI_FPENV_RETURN(cti_live_move_pose(w, body, position, quaternion, dt))
}

/* all vertices of a kinematic body; frame 0 is where they are */
static ct_code cti_live_move_mesh(ct_world *w, cti_body *b, const ct_real *positions, double dt)
{
    const ct_body_id body = cti_world_id(w, (int)(b - w->bodies));
    ct_real *now = NULL;
    int i;
    if (cti_world_has_joints(w, (int)(b - w->bodies)))
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0, "ct_body_move_vertices: a kinematic body with joints moves by ct_body_move_pose");
    if (!CTI_RESIZE(&w->mem, now, 6 * b->n))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory; the body moves as before");
    for (i = 0; i < b->n; i++)
        cti_v3_put(now, i, cti_body_point(w, b, i));
    memcpy(now + 3 * b->n, positions, 3 * sizeof *now * (size_t)b->n);
    CTI_FREE(&w->mem, b->keyframes);
    b->keyframes = now;
    cti_live_restart(w, b, 0, 2, dt);
    return CT_OK;
}

static ct_code cti_live_move_vertices(ct_world *w, ct_body_id body, const int32_t *vertices, const ct_real *positions, int n, double dt)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    int i;
    if (!b || (code = cti_live_check_time(w, body, dt)) != CT_OK)
        return code;
    if (!positions || n < 0 || (b->kind == CTI_BODY_KINEMATIC ? vertices || n != b->n : !cti_body_has_model(b)))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "ct_body_move_vertices: positions of nodes of a deformable body, or, with vertices "
                              "NULL, of all vertices of a kinematic one (value: n)");
    for (i = 0; i < 3 * n; i++)
        if (!cti_finite(positions[i]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i / 3, 0, "ct_body_move_vertices: a position is not finite (element: place in the list)");
    code = cti_bodies_check_extent(w, b, positions, n);
    if (code != CT_OK)
        return code;
    return b->kind == CTI_BODY_KINEMATIC ? cti_live_move_mesh(w, b, positions, dt) : cti_pins_move(w, b, vertices, positions, n, dt);
}

CONTACT_API_DEF ct_code ct_body_move_vertices(ct_world *w, ct_body_id body, const int32_t *vertices, const ct_real *positions, int n, double dt)
{
    CTI_FPENV_RETURN(cti_live_move_vertices(w, body, vertices, positions, n, dt))
}

/* ---- forces ---- */

/* adds f, which acts on a point of a body, to blocks out [3 n]: at a vertex >= 0, at the world point p, or (NULL) at the centre of mass. out begins
   at the body's first block */
static void cti_live_spread(const ct_world *w, const cti_body *b, int vertex, const ct_real *p, cti_v3 f, ct_real *out)
{
    const ct_real *x = w->state.x, *mass = w->state.bodies.mass;
    cti_attach a;
    double all = 0;
    int i;
    if (b->kind == CTI_BODY_RIGID) {
        cti_v3 at = vertex >= 0 ? cti_body_point(w, b, vertex) : p ? cti_v3_at(p, 0) : cti_v3_at(x, b->block0);
        cti_v3_addto(out, 0, f);
        cti_v3_addto(out, 1, cti_v3_cross(cti_v3_sub(at, cti_v3_at(x, b->block0)), f));
        return;
    }
    if (vertex >= 0) {
        cti_body_attach(b, vertex, &a);
        for (i = 0; i < a.n; i++)
            cti_v3_addto(out, a.block[i] - b->block0, cti_v3_mul(f, a.weight[i]));
        return;
    }
    for (i = 0; i < b->n_blocks; i++)
        all += (double)mass[b->block0 + i];
    for (i = 0; i < b->n_blocks && all > 0; i++)
        cti_v3_addto(out, i, cti_v3_mul(f, (ct_real)((double)mass[b->block0 + i] / all)));
}

/* velocities of n blocks, from `block` on, change by impulses J [3 n] */
static void cti_live_kick(ct_world *w, int block, int n, const ct_real *J)
{
    cti_state *s = &w->state;
    int i;
    for (i = 0; i < n; i++)
        cti_v3_addto(s->v, block + i, cti_v3_mul(cti_v3_at(J, i), s->bodies.inv_mass[block + i]));
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        int at = r->block - block;
        if (at < 0 || at >= n || !(cti_v3_norm2(cti_v3_at(J, at)) + cti_v3_norm2(cti_v3_at(J, at + 1)) > 0))
            continue;
        cti_v3_addto(r->spin, 0, cti_v3_at(J, at + 1));
        if (cti_v3_norm2(cti_v3_at(J, at + 1)) > 0)
            cti_v3_put(s->v, r->block + 1, cti_rigid_rate(r, r->q));
        r->linked = 0;
    }
    s->energy.known = 0;
}

/* 1 if velocities stay moderate with impulses J [3 blocks], or, of forces, what all of them give in a second */
static int cti_live_is_moderate(const ct_world *w, const cti_body *b, const ct_real *J, int now)
{
    const cti_state *s = &w->state;
    int i;
    for (i = 0; i < b->n_blocks; i++) {
        int at = b->block0 + i;
        cti_v3 sum = cti_v3_add(cti_v3_at(J, i), now ? cti_v3_zero() : cti_v3_at(s->bodies.force, at));
        ct_real v[3];
        cti_v3_put(v, 0, cti_v3_mad(now ? cti_v3_at(s->v, at) : cti_v3_zero(), sum, s->bodies.inv_mass[at]));
        if (!cti_bodies_is_moderate(v))
            return 0;
        cti_v3_put(v, 0, sum);
        if (!cti_bodies_is_moderate(v))
            return 0;
    }
    return 1;
}

static ct_code cti_live_push(ct_world *w, ct_body_id body, int vertex, const ct_real *p, const ct_real *f, int now, int turn)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    ct_real *J = NULL;
    int k;
    if (!b)
        return code;
    if (b->block0 < 0 || ((p || turn) && b->kind != CTI_BODY_RIGID))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0,
                              b->block0 < 0 ? "a static or kinematic body feels no force: soft, cloth, rod, points and rigid bodies do"
                                            : "only a rigid body has a torque, or a force at a point: name a vertex");
    if (vertex < -1 || vertex >= b->n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, vertex, "a vertex is out of range (element: vertex)");
    for (k = 0; k < 3; k++)
        if (!f || !cti_finite(f[k]) || (p && !cti_finite(p[k])))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "a force, an impulse or its point is NULL or not finite");
    if (!now && cti_steppers_admit(w, CTI_FEATURE_FORCE, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    if (!CTI_ZEROS(&w->mem, J, 3 * b->n_blocks))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory; no force acts");
    if (turn)
        cti_v3_put(J, 1, cti_v3_at(f, 0));
    else
        cti_live_spread(w, b, vertex, p, cti_v3_at(f, 0), J);
    if (!cti_live_is_moderate(w, b, J, now)) {
        CTI_FREE(&w->mem, J);
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)cti_v3_norm(cti_v3_at(f, 0)),
                              "a force or an impulse is too large: the fourth power of the speed that it gives is not finite");
    }
    cti_sleep_wake(w, (int)(b - w->bodies));
    if (now)
        cti_live_kick(w, b->block0, b->n_blocks, J);
    for (k = 0; !now && k < 3 * b->n_blocks; k++)
        w->state.bodies.force[3 * b->block0 + k] += J[k];
    w->pushed |= !now;
    CTI_FREE(&w->mem, J);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_add_force(ct_world *w, ct_body_id body, const ct_real force[3], const ct_real point[3])
{
    CTI_FPENV_RETURN(cti_live_push(w, body, -1, point, force, 0, 0))
}
CONTACT_API_DEF ct_code ct_body_add_torque(ct_world *w, ct_body_id body, const ct_real torque[3])
{
    CTI_FPENV_RETURN(cti_live_push(w, body, -1, NULL, torque, 0, 1))
}
CONTACT_API_DEF ct_code ct_body_add_vertex_force(ct_world *w, ct_body_id body, int vertex, const ct_real force[3])
{
    CTI_FPENV_RETURN(cti_live_push(w, body, vertex < 0 ? INT32_MAX : vertex, NULL, force, 0, 0))
}
CONTACT_API_DEF ct_code ct_body_add_impulse(ct_world *w, ct_body_id body, const ct_real impulse[3], const ct_real point[3])
{
    CTI_FPENV_RETURN(cti_live_push(w, body, -1, point, impulse, 1, 0))
}
CONTACT_API_DEF ct_code ct_body_add_vertex_impulse(ct_world *w, ct_body_id body, int vertex, const ct_real impulse[3])
{
    CTI_FPENV_RETURN(cti_live_push(w, body, vertex < 0 ? INT32_MAX : vertex, NULL, impulse, 1, 0))
}

/* kinetic energy of all blocks, of velocities as they are [J] */
static double cti_live_kinetic(const cti_state *s)
{
    double sum = 0;
    int i;
    for (i = 0; i < s->n; i++)
        sum += (double)(s->bodies.mass[i] * cti_v3_norm2(cti_v3_at(s->v, i))) / 2;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        sum += cti_rigid_energy(&s->bodies.rigids[i]);
    return sum;
}

/* adds the pressure on a body's surface where it is to its blocks J: on each triangle's vertices a third of pressure times area */
static void cti_live_inflate(const ct_world *w, const cti_body *b, ct_real *J)
{
    int t, k;
    for (t = 0; t < CTI_LEN(b->triangles) / 3; t++) {
        const int32_t *v = b->triangles + 3 * t;
        cti_v3 p = cti_body_point(w, b, v[0]);
        cti_v3 area = cti_v3_cross(cti_v3_sub(cti_body_point(w, b, v[1]), p), cti_v3_sub(cti_body_point(w, b, v[2]), p));
        for (k = 0; k < 3; k++)
            cti_live_spread(w, b, v[k], NULL, cti_v3_mul(area, b->pressure / 6), J);
    }
}

/* the impulses [3 n] of forces, pressures and gravity scales in a step of dt. A force acts as gravity does, so that both can balance: where
   velocities are those of the middle of steps, a part of it is owed to the next step. bodies.owed becomes what is owed then */
static void cti_live_impulses(ct_world *w, ct_real dt, ct_real *J)
{
    cti_state *s = &w->state;
    int i, k, halfway = cti_steppers_of(w)->traits & CTI_STEPPER_HALFWAY;
    memcpy(J, s->bodies.force, sizeof *J * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        for (k = 0; b->kind != CTI_BODY_FREE && b->block0 >= 0 && b->gravity_scale != 1 && k < b->n_blocks; k++)
            cti_v3_addto(J, b->block0 + k, cti_v3_mul(cti_v3_at(s->desc.gravity, 0), (b->gravity_scale - 1) * s->bodies.mass[b->block0 + k]));
    }
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].pressure != 0)
            cti_live_inflate(w, &w->bodies[i], J + 3 * (size_t)w->bodies[i].block0);
    for (i = 0; i < CTI_LEN(s->scripts.pins); i++) { /* a script bears what acts on a node that it holds */
        const cti_pin *p = &s->scripts.pins[i];
        if (p->axes == CT_AXIS_ALL && (p->until < 0 || s->step.time < p->until))
            cti_v3_put(J, p->block, cti_v3_zero());
    }
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].asleep)
            memset(J + 3 * (size_t)w->bodies[i].block0, 0, 3 * sizeof *J * (size_t)w->bodies[i].n_blocks);
    for (i = 0; i < s->n; i++) {
        cti_v3 F = cti_v3_at(J, i), owed = s->bodies.mass[i] > 0 && halfway ? cti_v3_mul(F, dt - cti_motion_kick(s, i, dt)) : cti_v3_zero();
        if (halfway && s->bodies.mass[i] > 0)
            owed = cti_v3_mad(owed, F, s->history.fall[i].owed);
        cti_v3_put(J, i, cti_v3_add(cti_v3_sub(cti_v3_mul(F, dt), owed), cti_v3_at(s->bodies.owed, i)));
        cti_v3_put(s->bodies.owed, i, owed);
    }
}

/* a body that rests is owed nothing, as of gravity */
CTI_FN double cti_live_late(const ct_world *w)
{
    const cti_state *s = &w->state;
    double sum = 0;
    int i;
    for (i = 0; i < s->n; i++) {
        ct_real share = s->history.fall[i].share, late = cti_motion_is_halfway(s, i) ? share * s->history.dt_prev[i] / 2 : 0;
        cti_v3 J = cti_v3_mul(cti_v3_at(s->bodies.owed, i), share), v = cti_v3_mad(cti_v3_at(s->v, i), cti_v3_at(s->desc.gravity, 0), late);
        sum += (double)(cti_v3_dot(J, v) + s->bodies.inv_mass[i] * cti_v3_norm2(J) / 2);
    }
    return sum;
}

CTI_FN int cti_live_open(ct_world *w, ct_real dt, double *out_work)
{
    cti_state *s = &w->state;
    int i, acts = w->pushed, n = 3 * s->n, m = CTI_LEN(s->bodies.rigids);
    double before;
    *out_work = 0;
    CTI_CLEAR(w->unpushed);
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        acts |= w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].block0 >= 0 && (w->bodies[i].gravity_scale != 1 || w->bodies[i].pressure != 0);
    for (i = 0; i < n; i++)
        acts |= s->bodies.owed[i] != 0;
    if (!acts)
        return 1;
    if (!CTI_RESIZE(&w->mem, w->unpushed, 3 * n + 3 * m))
        return 0;
    memcpy(w->unpushed, s->v, sizeof(ct_real) * (size_t)n), memcpy(w->unpushed + n, s->bodies.owed, sizeof(ct_real) * (size_t)n);
    for (i = 0; i < m; i++)
        memcpy(w->unpushed + 3 * n + 3 * i, s->bodies.rigids[i].spin, 3 * sizeof(ct_real));
    before = cti_live_kinetic(s) + cti_live_late(w);
    cti_live_impulses(w, dt, w->unpushed + 2 * n);
    cti_live_kick(w, 0, s->n, w->unpushed + 2 * n);
    *out_work = cti_live_kinetic(s) - before;
    return 1;
}

CTI_FN void cti_live_close(ct_world *w, int done)
{
    cti_state *s = &w->state;
    int i, n = 3 * s->n, m = CTI_LEN(s->bodies.rigids);
    if (!done && CTI_LEN(w->unpushed) > 0) {
        memcpy(s->v, w->unpushed, sizeof(ct_real) * (size_t)n), memcpy(s->bodies.owed, w->unpushed + n, sizeof(ct_real) * (size_t)n);
        for (i = 0; i < m; i++)
            memcpy(s->bodies.rigids[i].spin, w->unpushed + 3 * n + 3 * i, 3 * sizeof(ct_real));
        s->energy.known = 0;
    }
    if (done && w->pushed) {
        memset(s->bodies.force, 0, sizeof(ct_real) * (size_t)n);
        w->pushed = 0;
    }
    CTI_CLEAR(w->unpushed);
}

CTI_FN void cti_live_weigh(ct_world *w, const cti_body *b)
{
    cti_bodies *q = &w->state.bodies;
    int i;
    for (i = b->block0; i < b->block0 + b->n_blocks; i++)
        q->inv_mass[i] = q->mass[i] > 0 ? 1 / q->mass[i] : 0;
    for (q->mass_min = 0, i = 0; i < w->state.n; i++)
        if (q->mass[i] > 0 && (q->mass_min == 0 || q->mass[i] < q->mass_min))
            q->mass_min = q->mass[i];
    w->state.energy.known = 0;
}

static ct_code cti_live_set_masses(ct_world *w, ct_body_id body, const ct_real *masses, int n)
{
    ct_code code = CT_OK;
    cti_body *b = cti_live_nodes(w, body, masses, n, &code);
    int i;
    if (!b)
        return code;
    if (b->kind == CTI_BODY_ROD)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "ct_body_set_masses: a rod's frames have inertia by its density");
    for (i = 0; i < n; i++)
        if (!(masses[i] > 0) || !cti_finite(masses[i] * masses[i] * masses[i] * masses[i]) || !cti_finite(1 / masses[i]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, (double)masses[i],
                                  "a mass must be positive, its fourth power and its inverse finite: pin what does not move (element: node)");
    code = cti_steppers_admit(w, CTI_FEATURE_MASS, b->name);
    CTI_THEN(code, cti_world_keep_contacts(w));
    if (code != CT_OK)
        return code;
    cti_sleep_wake(w, (int)(b - w->bodies));
    memcpy(w->state.bodies.mass + b->block0, masses, sizeof *masses * (size_t)n);
    cti_live_weigh(w, b);
    cti_factors_of_other(&w->state.factors, cti_body_id(b, (int)(b - w->bodies)));
    cti_world_unprepare(w);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_masses(ct_world *w, ct_body_id body, const ct_real *masses, int n)
{
    CTI_FPENV_RETURN(cti_live_set_masses(w, body, masses, n))
}

CONTACT_API_DEF ct_code ct_body_get_masses(const ct_world *cw, ct_body_id body, ct_real *out_masses, int n)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_live_nodes((ct_world *)cw, body, out_masses, n, &code);
    if (b)
        memcpy(out_masses, cw->state.bodies.mass + b->block0, sizeof *out_masses * (size_t)n);
    return code;
}
