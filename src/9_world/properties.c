/* properties.c -- what a program sets of bodies and of a world between two steps, and reads: properties, materials, gravity, options, vertices. */
#include "world.h"
#include "../6_model/material.h"
#include "../8_step/factors.h"

/* ---- properties ---- */

CONTACT_API_DEF ct_code ct_body_set_gravity_scale(ct_world *w, ct_body_id body, ct_real scale)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    if (b && !cti_finite(scale * scale * scale * scale))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_set_gravity_scale: scale must be finite, and its fourth power, too");
    if (b && scale != 1 && cti_steppers_admit(w, CTI_FEATURE_FORCE, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    if (b)
        b->gravity_scale = scale, cti_sleep_wake(w, (int)(b - w->bodies));
    return code;
}

CONTACT_API_DEF ct_code ct_body_set_pressure(ct_world *w, ct_body_id body, ct_real pressure)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!cti_body_has_model(b) || !b->topology.closed)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)pressure, "a pressure needs a deformable body with a closed surface");
    if (!cti_finite(pressure * pressure * pressure * pressure))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)pressure, "a pressure and its fourth power must be finite");
    if (pressure != 0 && cti_steppers_admit(w, CTI_FEATURE_FORCE, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    b->pressure = pressure;
    cti_sleep_wake(w, (int)(b - w->bodies));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_thickness(ct_world *w, ct_body_id body, ct_real thickness)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    ct_real old;
    if (!b)
        return code;
    if (!(thickness > 0) || !cti_finite(thickness * thickness * thickness * thickness))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)thickness, "thickness must be positive and its fourth power finite");
    if (cti_world_keep_contacts(w) != CT_OK)
        return CT_ERR_MEMORY;
    old = b->thickness, b->thickness = thickness;
    code = b->block0 >= 0 ? cti_bodies_check_extent(w, b, w->state.x + 3 * (size_t)b->block0, b->n_blocks)
                          : cti_bodies_check_extent(w, b, b->rest, b->rest ? b->n : 0);
    if (code != CT_OK) {
        b->thickness = old;
        return code;
    }
    w->queries_ready = 0;
    b->places++; /* candidates are those of the thickness before */
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    cti_world_unprepare(w);
    return CT_OK;
}

/* what a body has of a property; none: of a body that is gone */
#define CTI_PROPERTY(type, property, none)                                                                                                \
    CONTACT_API_DEF type ct_body_get_##property(const ct_world *w, ct_body_id body)                                                        \
    {                                                                                                                                      \
        int slot = cti_world_slot(w, body);                                                                                                \
        return slot < 0 ? none : w->bodies[slot].property;                                                                                 \
    }
CTI_PROPERTY(ct_real, thickness, 0)
CTI_PROPERTY(ct_real, friction, 0)
CTI_PROPERTY(ct_real, restitution, 0)
CTI_PROPERTY(ct_real, gravity_scale, 0)
CTI_PROPERTY(ct_real, pressure, 0)
CTI_PROPERTY(int, self_collision, 0)
CTI_PROPERTY(void *, user_data, NULL)
#undef CTI_PROPERTY

CONTACT_API_DEF ct_real ct_body_get_mass(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body), i;
    double sum = 0;
    for (i = 0; slot >= 0 && w->bodies[slot].block0 >= 0 && i < w->bodies[slot].n_blocks; i++)
        sum += (double)w->state.bodies.mass[w->bodies[slot].block0 + i];
    return (ct_real)sum;
}

CONTACT_API_DEF ct_code ct_body_set_user_data(ct_world *w, ct_body_id body, void *data)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    if (b)
        b->user_data = data;
    return code;
}

CONTACT_API_DEF int ct_world_get_bodies(const ct_world *w, ct_body_id *out_bodies, int capacity)
{
    int i, n = 0;
    for (i = 0; w && i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE) {
            if (out_bodies && n < capacity)
                out_bodies[n] = cti_world_id(w, i);
            n++;
        }
    return n;
}

CONTACT_API_DEF ct_body_id ct_world_find_body(const ct_world *w, const char *name)
{
    ct_body_id none = {0, 0};
    int i;
    for (i = 0; w && name && i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && strcmp(w->bodies[i].name, name) == 0)
            return cti_world_id(w, i);
    return none;
}

static ct_code cti_properties_set_gravity(ct_world *w, const ct_real gravity[3])
{
    cti_state *s;
    int i, k;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    s = &w->state;
    for (k = 0; k < 3; k++)
        if (!gravity || !cti_finite(gravity[k]) || !cti_finite(gravity[k] * gravity[k] * gravity[k] * gravity[k]))
            return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "gravity must be finite, and so must its fourth power");
    cti_sleep_wake(w, -1);
    for (i = 0; i < s->n; i++) /* velocities are those of the middle of the last step: what is owed of it is the old gravity's */
        cti_v3_addto(s->v, i, cti_v3_mul(cti_v3_sub(cti_v3_at(s->desc.gravity, 0), cti_v3_at(gravity, 0)), s->history.fall[i].owed));
    memcpy(s->desc.gravity, gravity, sizeof s->desc.gravity);
    s->energy.known = 0;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_set_gravity(ct_world *w, const ct_real gravity[3]) { CTI_FPENV_RETURN(cti_properties_set_gravity(w, gravity)) }

/* a live body, and room for what is read of it; NULL: neither */
static const cti_body *cti_properties_of(const ct_world *cw, ct_body_id body, const void *out, ct_code *code)
{
    ct_world *w = (ct_world *)cw;
    const cti_body *b = cti_world_find(w, body, code);
    if (b && !out)
        *code = cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "where the answer goes is NULL");
    return out ? b : NULL;
}

CONTACT_API_DEF ct_code ct_body_get_surface_velocity(const ct_world *w, ct_body_id body, ct_real out_velocity[3])
{
    ct_code code = CT_OK;
    const cti_body *b = cti_properties_of(w, body, out_velocity, &code);
    if (b)
        memcpy(out_velocity, b->belt, sizeof b->belt);
    return code;
}

CONTACT_API_DEF ct_code ct_body_get_contact(const ct_world *w, ct_body_id body, ct_contact_material *out_material)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_properties_of(w, body, out_material, &code);
    if (b)
        *out_material = b->contact;
    return code;
}

CONTACT_API_DEF ct_code ct_body_get_air(const ct_world *w, ct_body_id body, ct_air *out_air)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_properties_of(w, body, out_air, &code);
    if (b)
        *out_air = b->air;
    return code;
}

CONTACT_API_DEF ct_code ct_world_get_gravity(const ct_world *w, ct_real out_gravity[3])
{
    if (!w || !out_gravity)
        return CT_ERR_ARGUMENT;
    memcpy(out_gravity, w->state.desc.gravity, sizeof w->state.desc.gravity);
    return CT_OK;
}

/* ---- materials ---- */

/* the body, if its material is a ct_material */
static cti_body *cti_properties_elastic(ct_world *w, ct_body_id body, const void *material, ct_code *code)
{
    cti_body *b = cti_world_find(w, body, code);
    if (!b || (material && (b->kind == CTI_BODY_SOFT || b->kind == CTI_BODY_CLOTH)))
        return b;
    *code = cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "this needs a soft body or a cloth, and a material");
    return NULL;
}

CONTACT_API_DEF ct_code ct_body_get_material(const ct_world *w, ct_body_id body, ct_material *out_material)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_properties_elastic((ct_world *)w, body, out_material, &code);
    if (b)
        *out_material = b->material;
    return code;
}

/* the model of another material on the mesh at rest. Tets keep their shapes and fillings, which do not depend on the material. 0: out of memory,
   -1: a triangle cannot be used; the model is as it was */
static int cti_properties_model(ct_world *w, cti_body *b, const ct_material *m)
{
    cti_model made;
    int64_t bad;
    double value;
    int ok;
    if (b->kind == CTI_BODY_SOFT) {
        cti_tet_batch_material(&b->model.tets, m);
        return 1;
    }
    memset(&made, 0, sizeof made);
    {
        cti_rest_mesh rest = cti_rest_mesh_of(b->rest, b->n, b->triangles, CTI_LEN(b->triangles) / 3, b->block0);
        rest.gravity = cti_v3_norm(cti_v3_at(w->state.desc.gravity, 0));
        ok = cti_model_init_cloth(&w->mem, &made, m, &rest, &bad, &value);
    }
    if (ok <= 0) {
        cti_model_free(&w->mem, &made);
        return ok;
    }
    cti_model_free(&w->mem, &b->model);
    b->model = made;
    return 1;
}

static ct_code cti_properties_set_material(ct_world *w, ct_body_id body, const ct_material *m)
{
    ct_code code = CT_OK;
    cti_body *b = cti_properties_elastic(w, body, m, &code);
    cti_state *s = &w->state;
    const char *text = NULL;
    int i, ok;
    if (!b)
        return code;
    if (!cti_material_check(m, b->kind == CTI_BODY_CLOTH, &text))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, text);
    if (cti_world_keep_contacts(w) != CT_OK)
        return CT_ERR_MEMORY;
    ok = cti_properties_model(w, b, m);
    w->mem.failed = 0;
    if (ok <= 0)
        return cti_world_fail(w, ok ? CT_ERR_MESH : CT_ERR_MEMORY, body, -1, 0, "the body's material is as it was");
    b->material = *m;
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    cti_live_anew(w, b);
    for (i = b->block0; i < b->block0 + b->n_blocks; i++)
        s->bodies.inv_mass[i] = s->bodies.mass[i], s->bodies.mass[i] = 0, s->bodies.alpha[i] = m->damping_mass;
    cti_model_mass(&b->model, s->bodies.mass);
    for (i = b->block0; i < b->block0 + b->n_blocks; i++) /* nodes of no element keep the mass that they were given: joints may hold them */
        s->bodies.mass[i] = s->bodies.mass[i] > 0 ? s->bodies.mass[i] : s->bodies.inv_mass[i];
    cti_live_weigh(w, b);
    b->print = cti_world_print(w, b);
    cti_factors_estrange(&s->factors, cti_body_id(b, (int)(b - w->bodies)));
    cti_world_unprepare(w);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_material(ct_world *w, ct_body_id body, const ct_material *material)
{
    CTI_FPENV_RETURN(cti_properties_set_material(w, body, material))
}

/* ---- vertices for renderers ---- */

/* sums of the normals of triangles, times their areas, at the vertices of a body [3 n] */
static void cti_properties_sum_normals(const ct_world *w, const cti_body *b, ct_real *out)
{
    const int32_t *list = b->split.triangles ? b->split.triangles : b->triangles;
    int t, k;
    memset(out, 0, 3 * sizeof *out * (size_t)b->n);
    for (t = 0; t < CTI_LEN(list) / 3; t++) {
        const int32_t *v = list + 3 * (size_t)t;
        cti_v3 p = cti_body_point(w, b, v[0]);
        cti_v3 area = cti_v3_cross(cti_v3_sub(cti_body_point(w, b, v[1]), p), cti_v3_sub(cti_body_point(w, b, v[2]), p));
        for (k = 0; k < 3; k++)
            cti_v3_addto(out, v[k], area);
    }
}

/* writes the unit normals of a body from sums [3 n] */
static void cti_properties_write_normals(const ct_real *sums, int n, void *out, ct_scalar_type type, size_t stride)
{
    int i;
    for (i = 0; i < n; i++) {
        ct_real one[3];
        cti_v3_put(one, 0, cti_v3_unit(cti_v3_at(sums, i), cti_v3_zero()));
        cti_bodies_write(one, 1, NULL, (char *)out + (size_t)i * stride, type, stride);
    }
}

static ct_code cti_properties_get_normals(ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_world_find(w, body, &code);
    ct_real *sums = NULL;
    CTI_THEN(code, cti_bodies_check_layout(w, b->n, out, type, stride));
    if (code != CT_OK)
        return code;
    if (out && b->n > 0) {
        if (!CTI_RESIZE(&w->mem, sums, 3 * b->n)) {
            w->mem.failed = 0;
            return cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory for normals");
        }
        cti_properties_sum_normals(w, b, sums);
        cti_properties_write_normals(sums, b->n, out, type, stride);
        CTI_FREE(&w->mem, sums);
    }
    if (out_n)
        *out_n = b->n;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_normals(const ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    return cti_properties_get_normals((ct_world *)w, body, out, type, stride, out_n); /* only scratch memory of the world is written */
}

CONTACT_API_DEF ct_code ct_world_get_vertices(const ct_world *cw, void *out_positions, void *out_normals, ct_scalar_type type, size_t stride,
                                              int capacity, int *out_n)
{
    ct_world *w = (ct_world *)cw;
    ct_code code = CT_OK;
    int i, n = 0;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        n += w->bodies[i].kind != CTI_BODY_FREE ? w->bodies[i].n : 0;
    if (!out_n || ((out_positions || out_normals) && capacity < n))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, n, "out_n is NULL, or the capacity is too small (value: vertices)");
    code = cti_bodies_check_layout(w, n, out_positions ? out_positions : out_normals, type, stride);
    for (i = n = 0; code == CT_OK && i < CTI_LEN(w->bodies); i++) {
        size_t at = (size_t)n * stride;
        if (w->bodies[i].kind == CTI_BODY_FREE)
            continue;
        if (out_normals)
            code = ct_body_get_normals(w, cti_world_id(w, i), (char *)out_normals + at, type, stride, NULL);
        if (out_positions)
            CTI_THEN(code, ct_body_get_positions(w, cti_world_id(w, i), (char *)out_positions + at, type, stride, NULL));
        n += w->bodies[i].n;
    }
    if (code == CT_OK)
        *out_n = n;
    return code;
}
