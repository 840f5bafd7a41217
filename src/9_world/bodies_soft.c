/* bodies_soft.c -- soft bodies and cloth: nodes with an elastic model, and the surface that collides. Method: the surface is the boundary
   of the tets, or a triangle mesh that is embedded in them by barycentric weights. In the second case each tet is scaled by the fraction of
   it that the mesh encloses. Based on: Otaduy 2009, sec. 6 (letters in coarse tets). */
#include "../5_mesh/embed.h"
#include "../5_mesh/fill.h"
#include "../5_mesh/weld.h"
#include "world.h"

#define CTI_BODIES_REACH CTI_R(0.25) /* [weights] largest distance outside its tet at which a vertex may be embedded */

CONTACT_API_DEF ct_soft_desc ct_soft_desc_default(void)
{
    ct_soft_desc d;
    CTI_BODIES_DEFAULT(d);
    d.material = ct_material_default(CT_MODEL_NEOHOOKEAN);
    return d;
}

CONTACT_API_DEF ct_cloth_desc ct_cloth_desc_default(void)
{
    ct_cloth_desc d;
    CTI_BODIES_DEFAULT(d);
    d.material = ct_material_default(CT_MODEL_MEMBRANE);
    return d;
}

/* the longest edge of n elements of `width` vertices [m] */
static double cti_bodies_longest(const ct_real *X, const int32_t *list, int n, int width)
{
    double most = 0;
    int i, a, b;
    for (i = 0; i < n; i++)
        for (a = 0; a < width; a++)
            for (b = 0; b < a; b++)
                most = cti_fmax(most, (double)cti_v3_norm(cti_v3_sub(cti_v3_at(X, list[width * i + a]), cti_v3_at(X, list[width * i + b]))));
    return most;
}

/* logs a warning about a surface that is coarser than its tets: contacts act at its vertices, and nodes between them follow no contact */
static void cti_bodies_warn_coarse(const ct_world *w, const ct_soft_desc *d)
{
    const cti_logger log = cti_world_logger(w);
    double skin = cti_bodies_longest(d->surface->positions, d->surface->triangles, d->surface->n_triangles, 3);
    double tets = cti_bodies_longest(d->mesh->positions, d->mesh->tets, d->mesh->n_tets, 4);
    if (skin > tets)
        cti_logger_write(&log, CT_LOG_WARNING,
                         "body '%.32s': edges of the embedded surface are up to %g m long, those of its tets %g m. Contacts act at surface vertices, "
                         "and tets between them pass through other bodies: give a finer surface or coarser tets",
                         d->name ? d->name : "", skin, tets);
}

/* attaches each surface vertex to the four nodes of the tet that contains it */
static ct_code cti_bodies_embed(ct_world *w, cti_body *b, const ct_mesh *nodes, const ct_mesh *surface)
{
    cti_mem *m = &w->mem;
    int32_t *tet = NULL;
    ct_real *weights = NULL;
    int i, k, n = surface->n_positions, ok, bad = -1;
    ok = CTI_RESIZE(m, tet, n) && CTI_RESIZE(m, weights, 4 * n) && CTI_RESIZE(m, b->attach, n) && CTI_RESIZE(m, b->nodes, 3 * nodes->n_positions) &&
         cti_embed(m, nodes, surface->positions, n, tet, weights, NULL, NULL);
    if (ok)
        memcpy(b->nodes, nodes->positions, sizeof(ct_real) * 3 * (size_t)nodes->n_positions);
    for (i = 0; ok && i < n; i++) {
        cti_attach *a = &b->attach[i];
        a->n = 4;
        if (tet[i] < 0 && bad < 0)
            bad = i; /* all tets are flat */
        for (k = 0; tet[i] >= 0 && k < 4; k++) {
            a->block[k] = nodes->tets[4 * tet[i] + k];
            a->weight[k] = weights[4 * i + k];
            if (!(a->weight[k] >= -CTI_BODIES_REACH) && bad < 0)
                bad = i;
        }
    }
    CTI_FREE(m, tet);
    CTI_FREE(m, weights);
    if (!ok)
        return CT_ERR_MEMORY;
    return bad < 0 ? CT_OK : cti_world_refuse(w, CT_ERR_MESH, bad, 0, "a vertex of the embedded surface lies outside of the tets (element: vertex)");
}

/* makes the visible mesh of a soft body: the embedded surface, or the boundary of the tets */
static ct_code cti_bodies_skin(ct_world *w, cti_body *b, const ct_soft_desc *d)
{
    ct_code code = cti_bodies_copy(w, b, d->surface ? d->surface : d->mesh, NULL);
    if (code == CT_OK && d->surface)
        code = cti_bodies_copy_list(w, &b->triangles, d->surface->triangles, 3 * d->surface->n_triangles);
    else if (code == CT_OK && !cti_mesh_boundary(&w->mem, d->mesh->tets, d->mesh->n_tets, b->n, &b->triangles))
        code = CT_ERR_MEMORY;
    if (code == CT_OK && d->surface)
        code = cti_bodies_embed(w, b, d->mesh, d->surface);
    return code == CT_OK ? cti_bodies_surface(w, b, 0) : code;
}

/* scales mass and stiffness of each tet of an embedded body by the fraction that its surface encloses */
static ct_code cti_bodies_fill(ct_world *w, cti_body *b, const ct_soft_desc *d)
{
    cti_mem *m = &w->mem;
    ct_real *fill = NULL;
    int ok;
    if (!d->surface || !b->topology.closed)
        return CT_OK;
    ok = CTI_RESIZE(m, fill, d->mesh->n_tets) && cti_fill(m, d->mesh->positions, d->mesh->tets, d->mesh->n_tets, d->surface->positions,
                                                          d->surface->triangles, d->surface->n_triangles, fill);
    if (ok)
        cti_tet_batch_fill(&b->model.tets, fill);
    CTI_FREE(m, fill);
    return ok ? CT_OK : CT_ERR_MEMORY;
}

/* Height of a tet over its largest face, as a share of its longest edge, below which the log warns of it. The condition number of the
   stiffness is the inverse square of this share. At 1e-4 a float factor, which is the preconditioner in both builds, has no correct digit
   left. */
#define CTI_SOFT_SLIVER 1e-4

/* finds the flattest tet of a mesh; logs a warning if it is a sliver */
static void cti_bodies_warn_slivers(const ct_world *w, const char *name, const ct_mesh *m)
{
    static const int face[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    const cti_logger log = cti_world_logger(w);
    double flattest = CTI_SOFT_SLIVER;
    int t, f, a, b, k, found = -1;
    for (t = 0; t < m->n_tets; t++) {
        double d[4][3], edge2 = 0, area2 = 0, n[3], volume;
        for (a = 0; a < 4; a++)
            for (k = 0; k < 3; k++)
                d[a][k] = (double)m->positions[3 * (size_t)m->tets[4 * t + a] + (size_t)k] -
                          (double)m->positions[3 * (size_t)m->tets[4 * t] + (size_t)k];
        for (a = 0; a < 4; a++)
            for (b = 0; b < a; b++) {
                double x = d[a][0] - d[b][0], y = d[a][1] - d[b][1], z = d[a][2] - d[b][2];
                edge2 = cti_fmax(edge2, x * x + y * y + z * z);
            }
        for (f = 0; f < 4; f++) {
            const double *p = d[face[f][0]], *q = d[face[f][1]], *r = d[face[f][2]];
            for (k = 0; k < 3; k++) {
                int i = (k + 1) % 3, j = (k + 2) % 3;
                n[k] = (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]);
            }
            area2 = cti_fmax(area2, n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        }
        volume = fabs(n[0] * d[1][0] + n[1] * d[1][1] + n[2] * d[1][2]); /* six times; n is the normal of the face without corner 0 */
        if (area2 > 0 && edge2 > 0 && volume / sqrt(area2 * edge2) < flattest)
            flattest = volume / sqrt(area2 * edge2), found = t;
    }
    if (found >= 0)
        cti_logger_write(&log, CT_LOG_WARNING, "body '%s': tet %d is a sliver: its height is %.1e of its longest edge. Steps will be hard to solve; "
                         "mesh it without", name ? name : "", found, flattest);
}

/* logs a warning about vertices of a cloth that are in one place: the cloth is open there, and its parts push each other apart */
static void cti_bodies_warn_split(ct_world *w, const cti_body *b)
{
    const cti_logger log = cti_world_logger(w);
    char hint[140];
    cti_weld_hint(&w->mem, b->rest, b->n, 0, hint);
    w->mem.failed = 0;
    if (hint[0])
        cti_logger_write(&log, CT_LOG_WARNING, "body '%s': the cloth is open where corners are stored once a triangle%s", b->name, hint);
}

/* the mesh as placed: it gets positions of its own if they change; all other arrays stay the caller's */
static ct_code cti_bodies_place_mesh(ct_world *w, const cti_body *b, const cti_place *place, const ct_mesh *mesh, ct_mesh *out)
{
    size_t n = (size_t)mesh->n_positions;
    *out = *mesh;
    if (!place->moves)
        return CT_OK;
    out->positions = NULL;
    if (!CTI_RESIZE(&w->mem, out->positions, 3 * mesh->n_positions))
        return CT_ERR_MEMORY;
    memcpy(out->positions, mesh->positions, sizeof(ct_real) * 3 * n);
    return cti_bodies_move(w, b, place, out->positions, mesh->n_positions);
}

static void cti_bodies_free_placed(ct_world *w, const ct_mesh *mesh, ct_mesh *placed)
{
    if (mesh && placed->positions != mesh->positions)
        CTI_FREE(&w->mem, placed->positions);
}

/* makes model, surface and filling of a soft body */
static ct_code cti_bodies_make_soft(ct_world *w, cti_body *b, const ct_soft_desc *d)
{
    int64_t bad = -1;
    double value = 0;
    ct_code code;
    const cti_rest_mesh rest = cti_rest_mesh_of(d->mesh->positions, b->n_blocks, d->mesh->tets, d->mesh->n_tets, b->block0);
    int ok;
    code = cti_bodies_check_extent(w, b, d->mesh->positions, d->mesh->n_positions);
    if (code != CT_OK)
        return code;
    ok = cti_model_init_soft(&w->mem, &b->model, &d->material, &rest, &bad, &value);
    if (ok < 0)
        return cti_world_refuse(w, CT_ERR_MESH, bad, value,
                                "a tet is inverted or flat; exchange two of its vertices if its volume is below 0 (element: tet, value: volume)");
    code = ok > 0 ? CT_OK : CT_ERR_MEMORY;
    CTI_THEN(code, cti_bodies_skin(w, b, d));
    return code == CT_OK ? cti_bodies_fill(w, b, d) : code;
}

/* the same for the description's meshes as placed */
static ct_code cti_bodies_make_placed(ct_world *w, cti_body *b, const ct_soft_desc *d, const cti_place *place)
{
    ct_soft_desc at = *d;
    ct_mesh nodes, skin;
    ct_code code = cti_bodies_place_mesh(w, b, place, d->mesh, &nodes);
    memset(&skin, 0, sizeof skin);
    if (code == CT_OK && d->surface)
        code = cti_bodies_place_mesh(w, b, place, d->surface, &skin);
    at.mesh = &nodes;
    at.surface = d->surface ? &skin : NULL;
    CTI_THEN(code, cti_bodies_make_soft(w, b, &at));
    cti_bodies_free_placed(w, d->mesh, &nodes);
    cti_bodies_free_placed(w, d->surface, &skin);
    return code;
}

static ct_code cti_bodies_add_soft(ct_world *w, const ct_soft_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_bodies_common common;
    cti_place place;
    const char *text = NULL;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_soft_desc_default");
    if (code == CT_OK)
        CTI_BODIES_COMMON(common, d), code = cti_bodies_admit(w, CTI_FEATURE_SOFT, &common, &place);
    if (code == CT_OK && d->surface)
        code = cti_bodies_check_mesh(w, d->surface);
    if (code != CT_OK)
        return code;
    if (d->mesh->n_tets <= 0)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0,
                                "a soft body needs tets: ct_mesh_tetrahedralize fills a closed surface, ct_body_add_cloth takes triangles");
    if (d->surface && d->surface->n_triangles <= 0)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0, "an embedded surface needs triangles");
    if (!cti_material_check(&d->material, 0, &text))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, text);
    code = cti_bodies_check_repeats(w, d->name, d->mesh->tets, d->mesh->n_tets, 4);
    if (code != CT_OK)
        return code;
    cti_bodies_begin(w, &b, CTI_BODY_SOFT, d->name, d->friction, d->thickness, d->mesh->n_positions);
    b.material = d->material;
    code = cti_bodies_make_placed(w, &b, d, &place);
    if (code == CT_OK && w->state.desc.log)
        cti_bodies_warn_slivers(w, d->name, d->mesh);
    if (code == CT_OK && w->state.desc.log && d->surface)
        cti_bodies_warn_coarse(w, d);
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_soft(ct_world *w, const ct_soft_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_soft(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}

static ct_code cti_bodies_add_cloth(ct_world *w, const ct_cloth_desc *d, ct_body_id *out_body)
{
    cti_body b;
    cti_bodies_common common;
    cti_place place;
    const char *text = NULL;
    int64_t bad = -1;
    double value = 0;
    ct_code code = cti_bodies_open(w, d ? &d->cookie : NULL, "desc was not made by ct_cloth_desc_default");
    int ok;
    if (code == CT_OK)
        CTI_BODIES_COMMON(common, d), code = cti_bodies_admit(w, CTI_FEATURE_CLOTH, &common, &place);
    if (code != CT_OK)
        return code;
    if (d->mesh->n_triangles <= 0)
        return cti_world_refuse(w, CT_ERR_MESH, -1, 0, "a cloth needs triangles: ct_body_add_soft takes tets, ct_body_add_rod segments");
    if (!cti_material_check(&d->material, 1, &text))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, text);
    code = cti_bodies_check_repeats(w, d->name, d->mesh->triangles, d->mesh->n_triangles, 3);
    if (code != CT_OK)
        return code;
    cti_bodies_begin(w, &b, CTI_BODY_CLOTH, d->name, d->friction, d->thickness, d->mesh->n_positions);
    b.material = d->material;
    code = cti_bodies_copy(w, &b, d->mesh, &place);
    if (code == CT_OK) {
        cti_rest_mesh rest = cti_rest_mesh_of(b.rest, b.n, d->mesh->triangles, d->mesh->n_triangles, b.block0);
        rest.gravity = cti_v3_norm(cti_v3_at(w->state.desc.gravity, 0));
        ok = cti_model_init_cloth(&w->mem, &b.model, &d->material, &rest, &bad, &value);
        code = ok > 0 ? CT_OK : CT_ERR_MEMORY;
        if (ok < 0)
            code = cti_world_refuse(w, CT_ERR_MESH, bad, value, "a triangle has no area (element: triangle, value: area)");
    }
    CTI_THEN(code, cti_bodies_copy_list(w, &b.triangles, d->mesh->triangles, 3 * d->mesh->n_triangles));
    CTI_THEN(code, cti_bodies_surface(w, &b, 0));
    if (code == CT_OK && w->state.desc.log)
        cti_bodies_warn_slivers(w, d->name, d->mesh), cti_bodies_warn_split(w, &b);
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_cloth(ct_world *w, const ct_cloth_desc *d, ct_body_id *out_body)
{
    return cti_bodies_named(w, cti_bodies_add_cloth(w, d, out_body), d ? &d->cookie : NULL, d ? d->name : NULL);
}
