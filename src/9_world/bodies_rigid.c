/* bodies_rigid.c -- rigid and kinematic bodies: adding them, pose and motion. Method: mass properties come from the closed surface, about
   the centre of mass; every vertex is attached to the body by its arm. Based on: lecture notes 4.1. */
#include "../5_mesh/weld.h"
#include "world.h"

CONTACT_API_DEF ct_rigid_desc ct_rigid_desc_default(void)
{
    ct_rigid_desc d;
    CTI_BODIES_DEFAULT(d);
    d.density = 1000;
    return d;
}

CONTACT_API_DEF ct_kinematic_desc ct_kinematic_desc_default(void)
{
    ct_kinematic_desc d;
    CTI_BODIES_DEFAULT(d);
    return d;
}

static ct_code cti_bodies_check_rigid(ct_world *w, const ct_rigid_desc *d)
{
    if (d->mesh->n_tets <= 0 && d->mesh->n_triangles <= 0)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0, "a rigid body needs a closed surface, or tets");
    if (!(d->density > 0) || !cti_finite(d->density) || !(d->damping_mass >= 0) || !cti_finite(d->damping_mass))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)d->density, "density must be positive, damping_mass zero or positive");
    return CT_OK;
}

/* Returns 1 if an inertia is positive definite (its leading minors are positive) */
static int cti_bodies_is_positive(const double *I)
{
    double m = I[0] * I[4] - I[1] * I[3];
    double d = I[0] * (I[4] * I[8] - I[5] * I[7]) - I[1] * (I[3] * I[8] - I[5] * I[6]) + I[2] * (I[3] * I[7] - I[4] * I[6]);
    return I[0] > 0 && m > 0 && d > 0;
}

/* computes the mass properties from the surface, which has to be closed; the body frame has the axes of the mesh */
static ct_code cti_bodies_mass(ct_world *w, cti_body *b, const ct_rigid_desc *d)
{
    cti_rigid *r = &b->rigid_start;
    double mass = 0, center[3], inertia[9], volume;
    ct_real inverse[9];
    char hint[140];
    int i, e;
    if (!b->topology.closed) {
        for (e = 0; e < b->topology.n_edges; e++)
            if (b->topology.edge_flags[e] & (CTI_EDGE_BOUNDARY | CTI_EDGE_NONMANIFOLD | CTI_EDGE_TWISTED))
                break;
        e = e < b->topology.n_edges ? b->surface_nodes[b->topology.edges[2 * e]] : -1;
        cti_weld_hint(&w->mem, b->rest, b->n, CTI_WELD_NOISE, hint);
        w->mem.failed = 0;
        return cti_error_set(&w->error, CT_ERR_MESH, e, 0,
                             "a rigid body's surface is not closed, or its triangles do not agree on the outside%s; ct_body_add_cloth "
                             "takes a sheet (element: vertex of such an edge)", hint);
    }
    volume = cti_rigid_mass(b->rest, b->triangles, CTI_LEN(b->triangles) / 3, (double)d->density, &mass, center, inertia);
    if (!(volume > 0) || !(mass > 0) || !cti_finite((ct_real)mass))
        return cti_world_refuse(w, CT_ERR_MESH, -1, volume, "a rigid body's surface is inside out or has no volume (value: volume)");
    r->mass = (ct_real)mass;
    for (i = 0; i < 3; i++)
        b->center[i] = (ct_real)center[i];
    for (i = 0; i < 9; i++)
        r->inertia[i] = (ct_real)inertia[i];
    if (!CTI_RESIZE(&w->mem, b->attach, b->n))
        return CT_ERR_MEMORY;
    if (!cti_bodies_is_positive(inertia) || !cti_m3_inverse(r->inertia, inverse) || !(r->mass > 0))
        return cti_world_refuse(w, CT_ERR_MESH, -1, volume, "a rigid body's inertia is singular (value: volume)");
    for (i = 0; i < b->n; i++) {
        cti_attach *a = &b->attach[i];
        a->n = 2, a->block[1] = 1;
        cti_v3_put(a->weight, 0, cti_v3_sub(cti_v3_at(b->rest, i), cti_v3_at(b->center, 0)));
    }
    return CT_OK;
}

/* places the body at its start; arms and inertia stay in the body frame */
static ct_code cti_bodies_start(ct_world *w, cti_body *b, const cti_place *place)
{
    int k;
    ct_code code = cti_bodies_move(w, b, place, b->rest, b->n);
    CTI_THEN(code, cti_bodies_move(w, b, place, b->center, 1));
    for (k = 0; k < 4; k++)
        b->rigid_start.q[k] = (ct_real)place->q[k];
    return code;
}

static ct_code cti_bodies_add_rigid(ct_world *w, const ct_rigid_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_bodies_common common;
    cti_place place;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_rigid_desc_default");
    if (code == CT_OK)
        CTI_BODIES_COMMON(common, d), code = cti_bodies_admit(w, CTI_FEATURE_RIGID, &common, &place);
    CTI_THEN(code, cti_bodies_check_rigid(w, d));
    CTI_THEN(code, cti_bodies_check_repeats(w, d->name, d->mesh->tets, d->mesh->n_tets, 4));
    if (code != CT_OK)
        return code;
    cti_bodies_begin(w, &b, CTI_BODY_RIGID, d->name, d->friction, d->thickness, 2);
    b.material.damping_mass = d->damping_mass;
    code = cti_bodies_copy(w, &b, d->mesh, NULL);
    if (code == CT_OK && d->mesh->n_tets > 0)
        code = cti_mesh_boundary(&w->mem, d->mesh->tets, d->mesh->n_tets, b.n, &b.triangles) ? CT_OK : CT_ERR_MEMORY;
    else if (code == CT_OK)
        code = cti_bodies_copy_list(w, &b.triangles, d->mesh->triangles, 3 * d->mesh->n_triangles);
    CTI_THEN(code, cti_bodies_surface(w, &b, 0));
    CTI_THEN(code, cti_bodies_mass(w, &b, d));
    CTI_THEN(code, cti_bodies_start(w, &b, &place));
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_rigid(ct_world *w, const ct_rigid_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_rigid(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}

static ct_code cti_bodies_check_script(ct_world *w, const ct_kinematic_desc *d)
{
    ct_body_id none = {0, 0};
    ct_code code = cti_bodies_check_motion(w, none, &d->motion);
    int k, i, n3 = 3 * d->mesh->n_positions;
    CTI_THEN(code, cti_bodies_check_path(w, none, d->segments, d->n_segments));
    if (code != CT_OK)
        return code;
    if (d->n_keyframes < 0 || (d->n_keyframes > 0 && !d->keyframes))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, d->n_keyframes, "n_keyframes without keyframes");
    if (d->n_keyframes > 1 && (!(d->keyframe_interval > 0) || !cti_finite((ct_real)d->keyframe_interval)))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, d->keyframe_interval, "keyframe_interval must be positive and finite");
    if (d->n_keyframes > INT32_MAX / n3)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, d->n_keyframes, "more keyframes than a body can have");
    for (k = 0; k < d->n_keyframes; k++)
        for (i = 0; i < n3; i++)
            if (!cti_finite(d->keyframes[(size_t)k * (size_t)n3 + (size_t)i]))
                return cti_world_refuse(w, CT_ERR_ARGUMENT, k, 0, "a keyframe is not finite (element: keyframe)");
    return CT_OK;
}

static ct_code cti_bodies_copy_script(ct_world *w, cti_body *b, const ct_kinematic_desc *d)
{
    int n_keys = 3 * b->n * d->n_keyframes, n_path = d->n_segments > 0 ? d->n_segments : 1;
    if (!CTI_RESIZE(&w->mem, b->keyframes, n_keys) || !CTI_RESIZE(&w->mem, b->path, n_path) || !CTI_ZEROS(&w->mem, b->stopped, 3 * b->n + 1))
        return CT_ERR_MEMORY;
    if (n_keys)
        memcpy(b->keyframes, d->keyframes, sizeof(ct_real) * (size_t)n_keys);
    b->path[0].motion = d->motion;
    b->path[0].duration = -1;
    if (d->n_segments > 0)
        memcpy(b->path, d->segments, sizeof *b->path * (size_t)n_path);
    b->script.rest = b->rest, b->script.n = b->n;
    b->script.keyframes = b->keyframes, b->script.n_keyframes = d->n_keyframes, b->script.interval = d->keyframe_interval;
    b->script.path = b->path, b->script.n_path = n_path;
    b->script.t0 = w->state.step.time, b->script.stopped = b->stopped;
    return CT_OK;
}

static ct_code cti_bodies_add_kinematic(ct_world *w, const ct_kinematic_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_place place;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_kinematic_desc_default");
    CTI_THEN(code, cti_steppers_admit(w, CTI_FEATURE_KINEMATIC, d->name));
    CTI_THEN(code, cti_bodies_check_mesh(w, d->mesh));
    CTI_THEN(code, cti_bodies_check_scalars(w, d->friction, d->thickness, NULL, NULL));
    CTI_THEN(code, cti_bodies_check_script(w, d));
    CTI_THEN(code, cti_bodies_place(w, d->name, d->position, d->rotation, &place));
    if (code != CT_OK)
        return code;
    cti_bodies_begin(w, &b, CTI_BODY_KINEMATIC, d->name, d->friction, d->thickness, 0);
    code = cti_bodies_copy(w, &b, d->mesh, &place);
    CTI_THEN(code, cti_bodies_copy_script(w, &b, d));
    b.pose = place;
    CTI_THEN(code, cti_bodies_move(w, &b, &place, b.keyframes, b.n * d->n_keyframes));
    CTI_THEN(code, cti_bodies_shell(w, &b, d->mesh));
    return cti_bodies_join(w, &b, code, NULL, NULL, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_kinematic(ct_world *w, const ct_kinematic_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_kinematic(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}

/* ---- pose and motion of a rigid body ---- */

static const cti_body *cti_bodies_rigid(ct_world *w, ct_body_id body, ct_code *out_code)
{
    const cti_body *b = cti_world_find(w, body, out_code);
    if (!b || b->kind == CTI_BODY_RIGID)
        return b;
    *out_code = cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0,
                               "only a rigid body has a pose and a motion: ct_body_get_positions and ct_body_set_velocities are for others");
    return NULL;
}

/* copies n numbers where there is a place for them */
static void cti_bodies_give(ct_real *out, const ct_real *from, size_t n)
{
    if (out)
        memcpy(out, from, n * sizeof(ct_real));
}

CONTACT_API_DEF ct_code ct_body_get_pose(const ct_world *cw, ct_body_id body, ct_real out_position[3], ct_real out_quaternion[4])
{
    ct_world *w = (ct_world *)cw;
    ct_code code = CT_OK;
    const cti_body *b = cti_world_find(w, body, &code);
    cti_place place;
    int k;
    if (b && b->kind == CTI_BODY_KINEMATIC) {
        if (b->script.n_keyframes > 0)
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "a kinematic body has no pose with keyframes, and after ct_body_move_vertices");
        cti_live_pose(w, b, &place);
        for (k = 0; out_position && k < 3; k++)
            out_position[k] = (ct_real)place.t[k];
        for (k = 0; out_quaternion && k < 4; k++)
            out_quaternion[k] = (ct_real)place.q[k];
        return CT_OK;
    }
    b = b ? cti_bodies_rigid(w, body, &code) : NULL;
    if (b) {
        cti_bodies_give(out_position, cw->state.x + 3 * b->block0, 3);
        cti_bodies_give(out_quaternion, cw->state.bodies.rigids[b->rigid].q, 4);
    }
    return code;
}

CONTACT_API_DEF ct_code ct_body_get_motion(const ct_world *cw, ct_body_id body, ct_real out_velocity[3], ct_real out_angular_velocity[3])
{
    ct_code code = CT_OK;
    const cti_body *b = cti_bodies_rigid((ct_world *)cw, body, &code);
    if (b) {
        cti_bodies_give(out_velocity, cw->state.v + 3 * b->block0, 3);
        cti_bodies_give(out_angular_velocity, cw->state.v + 3 * (size_t)(b->block0 + 1), 3);
    }
    return code;
}

CONTACT_API_DEF ct_code ct_body_get_momentum(const ct_world *cw, ct_body_id body, ct_real out_linear[3], ct_real out_angular[3])
{
    ct_code code = CT_OK;
    const cti_body *b = cti_bodies_rigid((ct_world *)cw, body, &code);
    const cti_history *q;
    const cti_rigid *r;
    ct_real late, share;
    if (!b)
        return code;
    r = &cw->state.bodies.rigids[b->rigid], q = &cw->state.history;
    /* before the first step, and after a change of bodies, nothing is behind */
    share = b->block0 < CTI_LEN(q->dt_prev) ? q->fall[b->block0].share : 0;
    late = share > 0 ? share * q->dt_prev[b->block0] / 2 : 0;
    if (out_linear) {
        cti_v3 v = cti_v3_mad(cti_v3_at(cw->state.v, b->block0), cti_v3_at(cw->state.desc.gravity, 0), late);
        cti_v3_put(out_linear, 0, cti_v3_mad(cti_v3_mul(cti_v3_at(cw->state.bodies.owed, b->block0), share), v, r->mass));
    }
    cti_bodies_give(out_angular, r->spin, 3);
    return CT_OK;
}

static ct_code cti_bodies_set_motion(ct_world *w, ct_body_id body, const ct_real velocity[3], const ct_real angular_velocity[3])
{
    ct_code code = CT_OK;
    const cti_body *b = cti_bodies_rigid(w, body, &code);
    CTI_THEN(code, cti_bodies_check_velocities(w, body, velocity, angular_velocity));
    if (code != CT_OK)
        return code;
    cti_sleep_wake(w, (int)(b - w->bodies));
    w->state.bodies.rigids[b->rigid].linked = 0;
    w->state.energy.known = 0;
    if (velocity)
        memcpy(w->state.v + 3 * b->block0, velocity, 3 * sizeof(ct_real));
    if (angular_velocity) {
        cti_rigid *r = &w->state.bodies.rigids[b->rigid];
        ct_real I[9];
        memcpy(w->state.v + 3 * (size_t)(b->block0 + 1), angular_velocity, 3 * sizeof(ct_real));
        cti_rigid_inertia(r, r->q, I);
        cti_v3_put(r->spin, 0, cti_m3_mul_v(I, cti_v3_at(angular_velocity, 0)));
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_motion(ct_world *w, ct_body_id body, const ct_real velocity[3], const ct_real angular_velocity[3])
{
    CTI_FPENV_RETURN(cti_bodies_set_motion(w, body, velocity, angular_velocity))
}
