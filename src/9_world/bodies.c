/* bodies.c -- the stages of adding a body, and static bodies. Method: a body is built completely before it joins the world, so that a
   refused one leaves no trace. */
#include "world.h"
#include "../1_math/vec.h"
#include "../8_step/motion.h"

#define CTI_BODIES_MOST (1 << 26) /* [vertices, elements] so that their multiples fit an int */

CONTACT_API_DEF ct_static_desc ct_static_desc_default(void)
{
    ct_static_desc d;
    CTI_BODIES_DEFAULT(d);
    d.plane_normal[1] = 1;
    return d;
}

CTI_FN void cti_world_free_body(ct_world *w, cti_body *b)
{
    uint32_t generation = b->generation;
    CTI_FREE_SPAN(&w->mem, b->rest, b->nodes);
    CTI_FREE_SPAN(&w->mem, b->path, b->node_surface);
    CTI_FREE(&w->mem, b->order);
    CTI_FREE(&w->mem, b->local);
    CTI_FREE(&w->mem, b->anchor);
    CTI_FREE_SPAN(&w->mem, b->split.edges, b->split.parent);
    cti_topology_free(&w->mem, &b->topology);
    cti_model_free(&w->mem, &b->model);
    memset(b, 0, sizeof *b);
    b->generation = generation;
}

CTI_FN int cti_world_slot(const ct_world *w, ct_body_id body)
{
    const cti_body *b;
    if (!w || w->busy || body.index1 == 0 || body.index1 > (uint32_t)CTI_LEN(w->bodies))
        return -1;
    b = &w->bodies[body.index1 - 1];
    return b->kind == CTI_BODY_FREE || b->generation != body.generation ? -1 : (int)(body.index1 - 1);
}

CTI_FN cti_body *cti_world_find(const ct_world *cw, ct_body_id body, ct_code *code)
{
    ct_world *w = (ct_world *)cw;
    int slot = cti_world_slot(w, body);
    if (slot >= 0)
        return &w->bodies[slot];
    if (!w)
        *code = CT_ERR_ARGUMENT;
    else if (w->busy)
        *code = cti_world_busy(w);
    else
        *code = cti_world_fail(w, CT_ERR_STALE_ID, body, -1, body.index1,
                               "stale or null body id: the body was removed, or never added (value: index)");
    return NULL;
}

CTI_FN ct_body_id cti_world_id(const ct_world *w, int slot)
{
    ct_body_id id;
    id.index1 = (uint32_t)slot + 1;
    id.generation = w->bodies[slot].generation;
    return id;
}

CTI_FN void cti_body_attach(const cti_body *b, int i, cti_attach *out)
{
    int k;
    memset(out, 0, sizeof *out);
    out->frame = -1;
    if (cti_body_is_scripted(b))
        return;
    if (b->attach) {
        *out = b->attach[i];
        out->frame = b->rigid;
        for (k = 0; k < out->n; k++)
            out->block[k] += b->block0;
        return;
    }
    out->n = 1, out->block[0] = b->block0 + i, out->weight[0] = 1;
}

/* ---- checks ---- */

CTI_FN ct_code cti_bodies_named(ct_world *w, ct_code code, const uint32_t *cookie, const char *name)
{
    if (code != CT_OK && w && w->error.code == code && cookie && *cookie == CTI_COOKIE)
        cti_error_compose(&w->error, name);
    return code;
}

CTI_FN ct_code cti_bodies_open(ct_world *w, const uint32_t *cookie, const char *text)
{
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!cookie || *cookie != CTI_COOKIE)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, text);
    return CT_OK;
}

CTI_FN ct_code cti_bodies_check_mesh(ct_world *w, const ct_mesh *m)
{
    if (!m || m->n_positions <= 0 || !m->positions)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0, "mesh has no positions");
    if (m->n_positions > CTI_BODIES_MOST || m->n_tets > CTI_BODIES_MOST || m->n_triangles > CTI_BODIES_MOST || m->n_segments > CTI_BODIES_MOST ||
        w->state.n > CTI_BODIES_MOST)
        return cti_world_refuse(w, CT_ERR_MESH, -1, m->n_positions, "more elements than a body can have");
    return cti_mesh_check(m, CTI_MESH_ANY, &w->error) == CT_OK ? CT_OK : (w->error.code = CT_ERR_MESH);
}

CTI_FN ct_code cti_bodies_check_repeats(ct_world *w, const char *name, const int32_t *elements, int n, int per)
{
    const char *what = per == 4 ? "tet" : "triangle";
    int32_t *first = NULL;
    int i = 0, ok = cti_mesh_firsts(&w->mem, elements, n, per, &first);
    ct_code code = CT_OK;
    while (ok && i < n && first[i] == i)
        i++;
    if (ok && i < n)
        code = cti_error_set(&w->error, CT_ERR_MESH, i, first[i],
                             "body '%.32s': %s %d has the same vertices as %s %d", name ? name : "", what, i, what, (int)first[i]);
    CTI_FREE(&w->mem, first);
    w->mem.failed = 0;
    return ok ? code : cti_world_refuse(w, CT_ERR_MEMORY, -1, n, "out of memory; the body was not added");
}

CTI_FN int cti_bodies_is_moderate(const ct_real *v)
{
    ct_real square = cti_v3_norm2(cti_v3_at(v, 0));
    return cti_finite(square * square);
}

CTI_FN ct_code cti_bodies_check_velocities(ct_world *w, ct_body_id body, const ct_real *v, const ct_real *omega)
{
    int k;
    for (k = 0; k < 3; k++)
        if ((v && !cti_finite(v[k])) || (omega && !cti_finite(omega[k])))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "velocity must be finite");
    if (v && !cti_bodies_is_moderate(v))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)cti_v3_norm(cti_v3_at(v, 0)),
                              "velocity is too large: its fourth power is not finite");
    if (omega && !cti_bodies_is_moderate(omega))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)cti_v3_norm(cti_v3_at(omega, 0)),
                              "angular_velocity is too large: its fourth power is not finite");
    return CT_OK;
}

CTI_FN ct_code cti_bodies_check_scalars(ct_world *w, ct_real friction, ct_real thickness, const ct_real *v, const ct_real *omega)
{
    ct_body_id none = {0, 0};
    ct_code code;
    if (!cti_finite(friction) || !cti_finite(thickness) || thickness == 0)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)thickness, "friction and thickness must be finite, thickness not 0");
    code = friction > 0 ? cti_steppers_admit(w, CTI_FEATURE_FRICTION, NULL) : CT_OK;
    CTI_THEN(code, cti_bodies_check_velocities(w, none, v, omega));
    return code;
}

CTI_FN ct_code cti_bodies_place(ct_world *w, const char *name, const ct_real *position, const ct_real *rotation, cti_place *out)
{
    uint64_t mode = cti_fpenv_enter();
    const char *text = cti_place_make(rotation, position, out);
    cti_fpenv_leave(mode);
    return text ? cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, 0, "body '%.32s': %s", name ? name : "", text) : CT_OK;
}

CTI_FN ct_code cti_bodies_admit(ct_world *w, cti_feature what, const cti_bodies_common *c, cti_place *out)
{
    ct_code code = cti_steppers_admit(w, what, c->name);
    CTI_THEN(code, cti_bodies_check_mesh(w, c->mesh));
    CTI_THEN(code, cti_bodies_check_scalars(w, c->friction, c->thickness, c->velocity, c->angular_velocity));
    return code == CT_OK ? cti_bodies_place(w, c->name, c->position, c->rotation, out) : code;
}

/* ---- building ---- */

static void cti_bodies_name(cti_body *b, const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (n >= sizeof b->name)
        n = sizeof b->name - 1;
    if (n)
        memcpy(b->name, name, n);
    b->name[n] = 0;
}

/* builds the surface: its vertices, and its topology in their numbering */
CTI_FN ct_code cti_bodies_surface(ct_world *w, cti_body *b, int all_vertices)
{
    cti_mem *m = &w->mem;
    int32_t *tri = NULL, *seg = NULL;
    int i, nt = CTI_LEN(b->triangles), ns = CTI_LEN(b->segments), points = cti_body_points(b), ok;
    if (!CTI_RESIZE(m, b->node_surface, points))
        return CT_ERR_MEMORY;
    for (i = 0; i < points; i++)
        b->node_surface[i] = all_vertices ? 0 : -1;
    for (i = 0; i < nt; i++)
        b->node_surface[b->triangles[i]] = 0;
    for (i = 0; i < ns; i++)
        b->node_surface[b->segments[i]] = 0;
    for (i = 0; i < points; i++)
        if (b->node_surface[i] == 0) {
            b->node_surface[i] = CTI_LEN(b->surface_nodes);
            if (!CTI_PUSH(m, b->surface_nodes, i))
                return CT_ERR_MEMORY;
        }
    ok = CTI_RESIZE(m, tri, nt) && CTI_RESIZE(m, seg, ns);
    if (ok) {
        for (i = 0; i < nt; i++)
            tri[i] = b->node_surface[b->triangles[i]];
        for (i = 0; i < ns; i++)
            seg[i] = b->node_surface[b->segments[i]];
        ok = cti_topology_build(m, &b->topology, CTI_LEN(b->surface_nodes), tri, nt / 3, seg, ns / 2);
    }
    CTI_FREE(m, tri);
    CTI_FREE(m, seg);
    return ok ? CT_OK : CT_ERR_MEMORY;
}

CTI_FN ct_code cti_bodies_move(ct_world *w, const cti_body *b, const cti_place *place, ct_real *points, int n)
{
    int bad = place->moves ? cti_place_apply(place, points, n, points) : -1;
    if (bad < 0)
        return CT_OK;
    bad = b->n > 0 ? bad % b->n : bad; /* keyframes repeat the body's vertices */
    return cti_error_set(&w->error, CT_ERR_MESH, bad, 0, "body '%.32s': position and rotation take vertex %d beyond the largest number",
                         b->name, bad);
}

CTI_FN ct_code cti_bodies_copy(ct_world *w, cti_body *b, const ct_mesh *mesh, const cti_place *place)
{
    b->n = mesh->n_positions;
    if (!CTI_RESIZE(&w->mem, b->rest, 3 * b->n))
        return CT_ERR_MEMORY;
    memcpy(b->rest, mesh->positions, sizeof(ct_real) * 3 * (size_t)b->n);
    return place ? cti_bodies_move(w, b, place, b->rest, b->n) : CT_OK;
}

CTI_FN ct_code cti_bodies_copy_list(ct_world *w, int32_t **out, const int32_t *list, int n)
{
    if (!CTI_RESIZE(&w->mem, *out, n))
        return CT_ERR_MEMORY;
    if (n)
        memcpy(*out, list, sizeof(int32_t) * (size_t)n);
    return CT_OK;
}

CTI_FN ct_code cti_bodies_shell(ct_world *w, cti_body *b, const ct_mesh *mesh)
{
    ct_code code = cti_bodies_copy_list(w, &b->triangles, mesh->triangles, 3 * mesh->n_triangles);
    CTI_THEN(code, cti_bodies_copy_list(w, &b->segments, mesh->segments, 2 * mesh->n_segments));
    CTI_THEN(code, cti_bodies_surface(w, b, mesh->n_triangles == 0 && mesh->n_segments == 0));
    if (code == CT_OK && b->topology.n_loose > 0)
        code = cti_steppers_admit(w, CTI_FEATURE_SEGMENTS, b->name[0] ? b->name : NULL);
    return code;
}

/* initializes a deformable body's nodes: masses, and the velocity of a rigid motion about the centre of mass */
static void cti_bodies_join_nodes(ct_world *w, cti_body *b, const ct_real *v, const ct_real *omega)
{
    cti_state *s = &w->state;
    const ct_real *nodes = b->nodes ? b->nodes : b->rest;
    cti_v3 c = cti_v3_zero();
    ct_real M = 0;
    int i, n0 = b->block0;
    cti_model_mass(&b->model, s->bodies.mass);
    for (i = n0; i < n0 + b->n_blocks; i++) {
        c = cti_v3_mad(c, cti_v3_at(nodes, i - n0), s->bodies.mass[i]);
        M += s->bodies.mass[i];
        s->bodies.inv_mass[i] = s->bodies.mass[i] > 0 ? 1 / s->bodies.mass[i] : 0;
    }
    c = M > 0 ? cti_v3_mul(c, 1 / M) : c;
    for (i = n0; i < n0 + b->n_blocks; i++) {
        cti_v3 p = cti_v3_at(nodes, i - n0), r = cti_v3_sub(p, c);
        cti_v3_put(s->x, i, p);
        cti_v3_put(s->v, i, cti_v3_add(cti_v3_at(v, 0), cti_v3_cross(cti_v3_at(omega, 0), r)));
    }
}

/* initializes a rigid body's two blocks; the angular one has no mass and no position of its own */
static void cti_bodies_join_rigid(ct_world *w, cti_body *b, const ct_real *v, const ct_real *omega)
{
    cti_state *s = &w->state;
    cti_rigid *r = &b->rigid_start;
    ct_real R[9];
    cti_v3 L;
    int n0 = b->block0, k;
    b->rigid = CTI_LEN(s->bodies.rigids);
    r->block = n0;
    /* L = R I R' w, computed in the body frame, so that a body that starts unrotated has exactly I w */
    cti_rigid_matrix(r->q, R);
    L = cti_m3_mul_v(r->inertia, cti_m3_mul_tv(R, cti_v3_at(omega, 0)));
    cti_v3_put(r->spin, 0, cti_m3_mul_v(R, L));
    s->bodies.mass[n0] = r->mass, s->bodies.inv_mass[n0] = 1 / r->mass;
    s->bodies.mass[n0 + 1] = s->bodies.inv_mass[n0 + 1] = 0;
    for (k = 0; k < 2; k++)
        cti_v3_put(s->x, n0 + k, cti_v3_at(b->center, 0));
    cti_v3_put(s->v, n0, cti_v3_at(v, 0));
    cti_v3_put(s->v, n0 + 1, cti_v3_at(omega, 0));
    CTI_PUSH(&w->mem, s->bodies.rigids, *r);
}

/* extends the block arrays by the body's blocks */
static void cti_bodies_join_blocks(ct_world *w, cti_body *b, const ct_real *v, const ct_real *omega)
{
    cti_state *s = &w->state;
    int n0 = s->n, n1 = s->n + b->n_blocks, i;
    cti_blocks_resize(s, CTI_BLOCKS_OF_BODIES, n1);
    for (i = n0; i < n1; i++) {
        s->bodies.mass[i] = 0;
        cti_v3_put(s->bodies.force, i, cti_v3_zero()), cti_v3_put(s->bodies.owed, i, cti_v3_zero());
        s->bodies.alpha[i] = b->material.damping_mass;
        s->history.dt_prev[i] = 0;
        cti_motion_anew(s, i);
    }
    s->n = n1;
    if (b->kind == CTI_BODY_RIGID)
        cti_bodies_join_rigid(w, b, v, omega);
    else
        cti_bodies_join_nodes(w, b, v, omega);
}

/* a free slot, or a new one at the end */
static int cti_bodies_slot(ct_world *w)
{
    cti_body empty;
    int i;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind == CTI_BODY_FREE)
            return i;
    memset(&empty, 0, sizeof empty);
    empty.generation = 1;
    return CTI_PUSH(&w->mem, w->bodies, empty) ? i : -1;
}

/* Refuses a thickness that is only few ulp of the positions: CCD would still keep the surfaces apart, but they would have no room to
   move */
CTI_FN ct_code cti_bodies_check_extent(ct_world *w, const cti_body *b, const ct_real *points, int n)
{
    ct_real most = b->thickness / (CTI_WORLD_ULPS * CTI_EPS), big = 0;
    int i, at = 0;
    for (i = 0; i < 3 * n; i++)
        if (cti_abs(points[i]) > big)
            big = cti_abs(points[i]), at = i;
    if (!(big > most))
        return CT_OK;
    return cti_error_set(&w->error, CT_ERR_MESH, at / 3, (double)points[at],
                         "body '%.32s', vertex %d: the coordinate %.9g m is beyond %.6g m, where the thickness %.6g m is 64 ulp of a %s; choose "
                         "ct_world_desc.origin nearer to it, or more thickness",
                         b->name, at / 3, (double)points[at], (double)most, (double)b->thickness, CONTACT_REAL == 32 ? "float" : "double");
}

/* logs a warning about a thickness above half of a surface's mean edge: every vertex is then near many others, at rest as well. The barrier
   stepper keeps dhat in place of it */
static void cti_bodies_warn_thick(const ct_world *w, const cti_body *b)
{
    const cti_topology *t = &b->topology;
    const cti_logger log = cti_world_logger(w);
    double sum = 0;
    int e;
    for (e = 0; e < t->n_edges; e++)
        sum += (double)cti_v3_norm(cti_v3_sub(cti_v3_at(b->rest, b->surface_nodes[t->edges[2 * e]]),
                                              cti_v3_at(b->rest, b->surface_nodes[t->edges[2 * e + 1]])));
    if (t->n_faces > 0 && w->state.desc.stepper != CT_STEPPER_BARRIER && (double)b->thickness * t->n_edges > 0.5 * sum)
        cti_logger_write(&log, CT_LOG_WARNING,
                         "body '%.32s': the thickness %g m is above half of the surface's edges, which are %g m in the mean. Steps take long, "
                         "for each vertex is near many others: make it thinner or its mesh coarser",
                         b->name, (double)b->thickness, sum / t->n_edges);
}

/* makes the finished body part of the world; after a failure (code) frees it instead */
CTI_FN ct_code cti_bodies_join(ct_world *w, cti_body *b, ct_code code, const ct_real *v, const ct_real *omega, ct_body_id *out)
{
    int slot = -1;
    ct_real square = b->thickness * b->thickness;
    w->busy = 0;
    if (code != CT_ERR_MEMORY && !cti_finite(square * square)) {
        code = cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, (double)b->thickness,
                             "body '%.32s': the thickness %.6g m is too large: its fourth power is not finite", b->name, (double)b->thickness);
    } else if ((code == CT_OK || code == CT_ERR_MESH) && b->rest) { /* elements may be unusable because of a coordinate, which is named then */
        ct_code extent = cti_bodies_check_extent(w, b, b->rest, b->n);
        code = extent != CT_OK ? extent : code;
    }
    /* blocks first: new slots may move the bodies in memory, while a step after a refusal still uses pointers to their models */
    if (code == CT_OK && b->block0 >= 0 &&
        !(CTI_RESERVE(&w->mem, w->state.bodies.rigids, CTI_LEN(w->state.bodies.rigids) + 1) &&
          cti_blocks_reserve(&w->state, w->state.n + b->n_blocks)))
        code = CT_ERR_MEMORY;
    if (code == CT_OK) {
        slot = cti_bodies_slot(w);
        if (slot < 0)
            code = CT_ERR_MEMORY;
        else if (b->block0 >= 0)
            cti_bodies_join_blocks(w, b, v, omega);
    }
    cti_fpenv_leave(w->mode);
    if (code != CT_OK) {
        cti_world_free_body(w, b);
        w->mem.failed = 0;
        return code == CT_ERR_MEMORY ? cti_world_refuse(w, code, -1, 0, "out of memory; the body was not added") : code;
    }
    b->generation = w->bodies[slot].generation;
    b->print = cti_world_print(w, b);
    w->bodies[slot] = *b;
    w->bodies[slot].fresh = w->bodies[slot].unsearched = 1;
    w->n_alive++, w->n_fresh++;
    w->ready = w->queries_ready = 0;
    cti_sleep_wake_near(w, slot);
    if (w->state.desc.log)
        cti_bodies_warn_thick(w, &w->bodies[slot]);
    if (out)
        *out = cti_world_id(w, slot);
    return CT_OK;
}

CTI_FN void cti_bodies_begin(ct_world *w, cti_body *b, cti_body_kind kind, const char *name, ct_real friction, ct_real thickness, int n_blocks)
{
    w->mode = cti_fpenv_enter(); /* cti_bodies_join restores it, when the body joins or is refused. No callback may change the world in
                                    between */
    w->busy = 1;
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->block0 = n_blocks ? w->state.n : -1, b->n_blocks = n_blocks, b->rigid = -1;
    b->friction = friction < 0 ? w->state.desc.friction : friction;
    b->thickness = thickness < 0 ? w->state.desc.thickness : thickness;
    b->restitution = w->state.desc.restitution;
    b->contact.stiffness = b->contact.damping = b->contact.friction_stiffness = -1;
    b->filter = ct_filter_default(), b->self_collision = -1;
    b->gravity_scale = 1, b->air.density = CTI_R(1.2);
    cti_bodies_name(b, name);
}

/* sets the plane, rotated and translated: dot(M n, x) = offset + dot(M n, t), n a unit vector */
static ct_code cti_bodies_set_plane(ct_world *w, cti_body *b, const ct_static_desc *d, const cti_place *place)
{
    cti_v3 n = cti_v3_at(d->plane_normal, 0);
    ct_real len = cti_v3_norm(n);
    cti_v3_put(b->plane_normal, 0, cti_v3_mul(n, 1 / len));
    b->plane_offset = d->plane_offset / len;
    if (place->moves) {
        cti_place turn = *place;
        double m[3];
        int k;
        for (k = 0; k < 3; k++)
            turn.t[k] = 0;
        cti_place_apply(&turn, b->plane_normal, 1, b->plane_normal);
        for (k = 0; k < 3; k++)
            m[k] = (double)b->plane_normal[k];
        b->plane_offset = (ct_real)((double)b->plane_offset + (m[0] * place->t[0] + m[1] * place->t[1] + m[2] * place->t[2]));
    }
    if (!cti_finite(b->plane_offset))
        return cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, 0, "body '%.32s': position takes the plane beyond the largest number", b->name);
    return CT_OK;
}

static ct_code cti_bodies_add_static(ct_world *w, const ct_static_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_place place;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_static_desc_default");
    cti_v3 n;
    CTI_THEN(code, cti_steppers_admit(w, d->mesh ? CTI_FEATURE_STATIC : CTI_FEATURE_PLANE, d->name));
    CTI_THEN(code, cti_bodies_check_scalars(w, d->friction, d->thickness, NULL, NULL));
    CTI_THEN(code, cti_bodies_place(w, d->name, d->position, d->rotation, &place));
    if (code == CT_OK && d->mesh)
        code = cti_bodies_check_mesh(w, d->mesh);
    if (code != CT_OK)
        return code;
    n = cti_v3_at(d->plane_normal, 0);
    if (!d->mesh && (!cti_finite(d->plane_offset) || !cti_finite(cti_v3_norm2(n)) || !(cti_v3_norm2(n) > 0)))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "a plane needs a finite offset and a normal other than 0");
    cti_bodies_begin(w, &b, d->mesh ? CTI_BODY_STATIC : CTI_BODY_PLANE, d->name, d->friction, d->thickness, 0);
    if (!d->mesh)
        return cti_bodies_join(w, &b, cti_bodies_set_plane(w, &b, d, &place), NULL, NULL, out_body);
    code = cti_bodies_copy(w, &b, d->mesh, &place);
    CTI_THEN(code, cti_bodies_shell(w, &b, d->mesh));
    return cti_bodies_join(w, &b, code, NULL, NULL, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_static(ct_world *w, const ct_static_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_static(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}

CONTACT_API_DEF ct_code ct_body_add_plane(ct_world *w, const ct_real normal[3], ct_real offset, ct_body_id *out_body)
{
    ct_static_desc d = ct_static_desc_default();
    d.name = "plane";
    if (normal)
        memcpy(d.plane_normal, normal, sizeof d.plane_normal);
    d.plane_offset = offset;
    return ct_body_add_static(w, &d, out_body);
}
