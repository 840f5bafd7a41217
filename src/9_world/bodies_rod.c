/* bodies_rod.c -- rods and points: bodies without faces. Method: a rod's nodes are its vertices, then the frames of its segments; the vertices and
   segments are its surface. Points are nodes that nothing joins. */
#include "world.h"
#include "../1_math/vec.h"

#define CTI_ROD_PI CTI_R(3.14159265358979324)

CONTACT_API_DEF ct_rod_desc ct_rod_desc_default(void)
{
    ct_rod_desc d;
    CTI_BODIES_DEFAULT(d);
    d.radius = CTI_R(5e-3), d.young = CTI_R(1e6), d.poisson = CTI_R(0.4), d.density = CTI_R(1000);
    d.stretch = d.bend[0] = d.bend[1] = d.torsion = d.line_density = -1;
    d.curvature = 1, d.damping_stiffness = CTI_R(1e-3);
    return d;
}

CONTACT_API_DEF ct_points_desc ct_points_desc_default(void)
{
    ct_points_desc d;
    CTI_BODIES_DEFAULT(d);
    d.radius = CTI_R(5e-3), d.density = CTI_R(1000);
    return d;
}

/* what a rod resists with, from its section where no stiffness is given */
static ct_code cti_rod_resolve(ct_world *w, const ct_rod_desc *d, cti_rod_law *law, ct_real *stretch)
{
    ct_real r2 = d->radius * d->radius, area = CTI_ROD_PI * r2, moment = area * r2 / 4;
    int k;
    memset(law, 0, sizeof *law);
    *stretch = d->stretch < 0 ? d->young * area : d->stretch;
    law->torsion = d->torsion < 0 ? d->young / (2 * (1 + d->poisson)) * 2 * moment : d->torsion;
    law->line_density = d->line_density < 0 ? d->density * area : d->line_density;
    for (k = 0; k < 2; k++)
        law->bend[k] = d->bend[k] < 0 ? d->young * moment : d->bend[k];
    law->curvature = d->curvature, law->twist = d->twist;
    memcpy(law->direction, d->direction, sizeof law->direction);
    {
        const cti_range ranges[] = {
            {(double)d->radius, CTI_POSITIVE, CTI_FINITE, "radius must be finite and > 0 [m]"},
            {(double)d->young, CTI_POSITIVE, CTI_FINITE, "young must be finite and > 0 [Pa]"},
            {(double)d->poisson, 0, 0.5, "poisson must be in [0, 0.5]"},
            {(double)d->density, CTI_POSITIVE, CTI_FINITE, "density must be finite and > 0 [kg/m^3]"},
            {(double)*stretch, CTI_POSITIVE, CTI_FINITE, "stretch must be finite and > 0 [N], or below 0: from young and radius"},
            {(double)law->bend[0], 0, CTI_FINITE, "bend must be finite [N m^2]; below 0: from young and radius"},
            {(double)law->bend[1], 0, CTI_FINITE, "bend must be finite [N m^2]; below 0: from young and radius"},
            {(double)law->torsion, 0, CTI_FINITE, "torsion must be finite [N m^2]; below 0: from young, poisson and radius"},
            {(double)law->line_density, CTI_POSITIVE, CTI_FINITE, "line_density must be finite and > 0 [kg/m], or below 0: from density and radius"},
            {(double)d->curvature, 0, 1, "curvature must be in [0, 1]"},
            {(double)d->twist, -CTI_FINITE, CTI_FINITE, "twist must be finite [rad/m]"},
            {(double)cti_v3_norm2(cti_v3_at(d->direction, 0)), 0, CTI_FINITE, "direction must be finite"},
            {(double)d->damping_mass, 0, CTI_FINITE, "damping_mass and damping_stiffness must be finite and >= 0"},
            {(double)d->damping_stiffness, 0, CTI_FINITE, "damping_mass and damping_stiffness must be finite and >= 0"}};
        ct_code code = cti_error_ranges(&w->error, ranges, CTI_COUNT(ranges));
        if (code != CT_OK)
            return code;
    }
    if (law->torsion == 0 && (law->bend[0] > 0 || law->bend[1] > 0))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0,
                                "torsion must be > 0 where bend is: nothing else holds the frames that bending is measured in");
    return CT_OK;
}

/* the first vertex that no segment has, or -1 */
static int cti_rod_unused(const cti_body *b)
{
    int i, k, n = CTI_LEN(b->surface_nodes);
    for (i = k = 0; i < b->n; i++)
        if (k < n && b->surface_nodes[k] == i)
            k++;
        else
            return i;
    return -1;
}

/* twist and direction that mean nothing on the segments they are given for: twist between two segments is known up to whole turns, and a direction
   along a segment has no part across it */
static ct_code cti_rod_check_frames(ct_world *w, const cti_rod_desc *d)
{
    int i, bad = cti_rod_along(d);
    if (bad >= 0)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, bad, 0, "direction is along a segment of the rod: it has no part across it (element: segment)");
    for (i = 0; i < d->n_joints; i++) {
        ct_real turn = d->law->twist * cti_rod_joint_length(d, i);
        if (!(cti_abs(turn) < CTI_ROD_PI))
            return cti_world_refuse(w, CT_ERR_ARGUMENT, d->joints[2 * i], (double)turn,
                                     "natural twist of a segment must be below half a turn: use shorter segments (element: segment, value: radians)");
    }
    return CT_OK;
}

/* nodes and model of a rod whose rest positions are placed. segments, joints: of the strands, the caller's to free */
static ct_code cti_rod_model(ct_world *w, cti_body *b, cti_rod_desc *d, int32_t **segments, int32_t **joints)
{
    cti_mem *m = &w->mem;
    int64_t bad = -1;
    double value = 0;
    int i, ok, n = d->n_segments;
    ct_code code = CT_OK;
    if (!CTI_RESIZE(m, b->nodes, 3 * (size_t)b->n_blocks) || !cti_rod_strands(m, b->rest, b->n, b->segments, n, segments, joints))
        return CT_ERR_MEMORY;
    memcpy(b->nodes, b->rest, sizeof(ct_real) * 3 * (size_t)b->n);
    for (i = 0; i < n; i++)
        if (!(cti_v3_norm(cti_v3_sub(cti_v3_at(b->rest, b->segments[2 * i]), cti_v3_at(b->rest, b->segments[2 * i + 1]))) > 0))
            return cti_world_refuse(w, CT_ERR_MESH, i, 0, "a segment has no length (element: segment)");
    d->segments = *segments, d->joints = *joints, d->n_joints = CTI_LEN(*joints) / 2, d->X = b->nodes, d->n_nodes = b->n;
    if (d->has_frames)
        code = cti_rod_check_frames(w, d);
    if (code != CT_OK)
        return code;
    if (d->has_frames)
        cti_rod_frames(d->law, b->rest, *segments, n, *joints, d->n_joints, b->nodes + 3 * b->n);
    ok = cti_model_init_rod(m, &b->model, d, b->block0, &bad, &value);
    if (ok < 0)
        return cti_world_refuse(w, CT_ERR_MESH, bad, value, "a segment's length is not usable (element: segment, value: length)");
    return ok ? CT_OK : CT_ERR_MEMORY;
}

/* surface, nodes and model */
static ct_code cti_rod_make(ct_world *w, cti_body *b, const ct_rod_desc *d, const cti_place *place, cti_rod_desc *made)
{
    int32_t *segments = NULL, *joints = NULL;
    ct_code code = cti_bodies_copy(w, b, d->mesh, place);
    int unused;
    CTI_THEN(code, cti_bodies_copy_list(w, &b->segments, d->mesh->segments, 2 * d->mesh->n_segments));
    CTI_THEN(code, cti_bodies_surface(w, b, 0));
    if (code != CT_OK)
        return code;
    unused = cti_rod_unused(b);
    if (unused >= 0)
        return cti_world_refuse(w, CT_ERR_MESH, unused, 0, "a vertex of a rod belongs to no segment (element: vertex)");
    if (b->topology.n_edges != d->mesh->n_segments)
        return cti_world_refuse(w, CT_ERR_MESH, -1, d->mesh->n_segments - b->topology.n_edges,
                                 "a segment is there twice, or joins a vertex to itself (value: how many)");
    code = cti_rod_model(w, b, made, &segments, &joints);
    CTI_FREE(&w->mem, segments);
    CTI_FREE(&w->mem, joints);
    return code;
}

static ct_code cti_rod_add(ct_world *w, const ct_rod_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_bodies_common common;
    cti_place place, turn;
    cti_rod_law law;
    cti_rod_desc made;
    ct_code code;
    memset(&made, 0, sizeof made);
    CTI_BODIES_COMMON(common, d);
    code = cti_bodies_admit(w, CTI_FEATURE_ROD, &common, &place);
    if (code != CT_OK)
        return code;
    if (d->mesh->n_segments <= 0)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0, "a rod needs segments");
    code = cti_rod_resolve(w, d, &law, &made.stretch);
    if (code != CT_OK)
        return code;
    turn = place;
    memset(turn.t, 0, sizeof turn.t);
    if (place.moves)
        cti_place_apply(&turn, law.direction, 1, law.direction);
    made.law = &law, made.n_segments = d->mesh->n_segments, made.has_frames = law.torsion > 0;
    cti_bodies_begin(w, &b, CTI_BODY_ROD, d->name, d->friction, d->thickness < 0 ? 2 * d->radius : d->thickness,
                     d->mesh->n_positions + (made.has_frames ? d->mesh->n_segments : 0));
    b.material = ct_material_default(CT_MODEL_SPRINGS);
    b.material.damping_mass = d->damping_mass, b.material.damping_stiffness = d->damping_stiffness;
    made.material = &b.material;
    code = cti_rod_make(w, &b, d, &place, &made);
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

static ct_code cti_bodies_add_rod(ct_world *w, const ct_rod_desc *d, ct_body_id *out_body)
{
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_rod_desc_default");
    if (code != CT_OK)
        return code;
#if CONTACT_WITH_RODS
    return cti_rod_add(w, d, out_body);
#else
    CTI_UNUSED(out_body);
    return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, 0, "built without rods (CONTACT_WITH_RODS 0)");
#endif
}

CONTACT_API_DEF ct_code ct_body_add_rod(ct_world *w, const ct_rod_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_rod(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}

/* masses [n] of points into the model */
static ct_code cti_points_model(ct_world *w, cti_body *b, const ct_points_desc *d)
{
    ct_real *masses = NULL, one = d->density * CTI_R(4.0) / 3 * CTI_ROD_PI * d->radius * d->radius * d->radius;
    int i, ok = CTI_RESIZE(&w->mem, masses, b->n);
    for (i = 0; ok && i < b->n; i++)
        masses[i] = d->masses ? d->masses[i] : one;
    ok = ok && cti_model_init_points(&w->mem, &b->model, masses, b->n, b->block0);
    CTI_FREE(&w->mem, masses);
    return ok ? CT_OK : CT_ERR_MEMORY;
}

static ct_code cti_points_check(ct_world *w, const ct_points_desc *d)
{
    const cti_range ranges[] = {{(double)d->radius, CTI_POSITIVE, CTI_FINITE, "radius must be finite and > 0 [m]"},
                                {(double)d->density, CTI_POSITIVE, CTI_FINITE, "density must be finite and > 0 [kg/m^3]"},
                                {(double)d->damping_mass, 0, CTI_FINITE, "damping_mass must be finite and >= 0 [1/s]"}};
    ct_code code = cti_error_ranges(&w->error, ranges, CTI_COUNT(ranges));
    int i;
    for (i = 0; code == CT_OK && d->masses && i < d->mesh->n_positions; i++)
        if (!cti_finite(d->masses[i]) || !(d->masses[i] > 0))
            code = cti_world_refuse(w, CT_ERR_ARGUMENT, i, (double)d->masses[i], "a mass must be finite and > 0 [kg] (element: point)");
    return code;
}

static ct_code cti_bodies_add_points(ct_world *w, const ct_points_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_bodies_common common;
    cti_place place;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_points_desc_default");
    if (code == CT_OK)
        CTI_BODIES_COMMON(common, d), code = cti_bodies_admit(w, CTI_FEATURE_POINTS, &common, &place);
    CTI_THEN(code, cti_points_check(w, d));
    if (code != CT_OK)
        return code;
    cti_bodies_begin(w, &b, CTI_BODY_POINTS, d->name, d->friction, d->thickness < 0 ? 2 * d->radius : d->thickness, d->mesh->n_positions);
    b.material.damping_mass = d->damping_mass;
    code = cti_bodies_copy(w, &b, d->mesh, &place);
    CTI_THEN(code, cti_points_model(w, &b, d));
    CTI_THEN(code, cti_bodies_surface(w, &b, 1));
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_points(ct_world *w, const ct_points_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_points(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}
