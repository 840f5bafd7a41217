/* fields.c -- fields over a body's elements and vertices, as pictures and studies want them: stress, elastic forces, and what contacts did to a
   vertex. */
#include "world.h"

/* corners of an element: 4 of a soft body, 3 of a cloth; 0: the body has none */
static int cti_fields_corners(const cti_body *b) { return b->kind == CTI_BODY_SOFT ? 4 : b->kind == CTI_BODY_CLOTH ? 3 : 0; }

static int cti_fields_count(const cti_body *b)
{
    return b->kind == CTI_BODY_SOFT ? b->model.tets.n : b->kind == CTI_BODY_CLOTH ? b->model.membrane.n : 0;
}

/* the body, if its n elements are those that it was added with */
static const cti_body *cti_fields_elements(ct_world *w, ct_body_id body, const void *out, int n, ct_code *code)
{
    const cti_body *b = cti_world_find(w, body, code);
    if (!b)
        return NULL;
    if (!cti_fields_corners(b))
        *code = cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0, "only soft bodies and cloths have elements: tets and triangles");
    else if (CTI_LEN(b->split.edges))
        *code = cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0, "elements of this body were split (CT_REFINE_ELEMENTS)");
    else if (n != cti_fields_count(b) || !out)
        *code = cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "this needs one entry per element, see ct_body_element_count (value: entries)");
    return *code == CT_OK ? b : NULL;
}

CONTACT_API_DEF int ct_body_element_count(const ct_world *cw, ct_body_id body)
{
    ct_code code;
    const cti_body *b = cti_world_find((ct_world *)cw, body, &code);
    return b ? cti_fields_count(b) : 0;
}

CONTACT_API_DEF ct_code ct_body_get_elements(const ct_world *cw, ct_body_id body, int32_t *out_nodes, int n)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_fields_elements((ct_world *)cw, body, out_nodes, n, &code);
    const int32_t *nodes;
    int i;
    if (!b)
        return code;
    nodes = b->kind == CTI_BODY_SOFT ? b->model.tets.node : b->model.membrane.node;
    for (i = 0; i < cti_fields_corners(b) * n; i++)
        out_nodes[i] = nodes[i] - b->block0;
    return CT_OK;
}

static ct_code cti_fields_stress(ct_world *w, ct_body_id body, ct_real *out, int n)
{
    ct_code code = CT_OK;
    const cti_body *b = cti_fields_elements(w, body, out, n, &code);
    if (!b)
        return code;
    if (b->kind == CTI_BODY_CLOTH && b->material.model != CT_MODEL_MEMBRANE)
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, 0, "a cloth of CT_MODEL_SPRINGS has no stress: use CT_MODEL_MEMBRANE");
    if (b->kind == CTI_BODY_SOFT)
        cti_tet_batch_stress(&b->model.tets, w->state.x, out);
    else
        cti_membrane_batch_stress(&b->model.membrane, w->state.x, b->material.shell_thickness, out);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_stress(const ct_world *cw, ct_body_id body, ct_real *out_stress, int n)
{
    CTI_FPENV_RETURN(cti_fields_stress((ct_world *)cw, body, out_stress, n))
}

static ct_code cti_fields_forces(ct_world *w, ct_body_id body, ct_real *out, int n)
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    ct_real *force = NULL;
    int i, k;
    if (!b)
        return code;
    if (!cti_body_has_model(b) || n != cti_body_nodes(b) || !out)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "this needs a deformable body and one entry per node (value: entries)");
    if (!CTI_ZEROS(&w->mem, force, 3 * (int64_t)w->state.n))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, n, "out of memory for forces");
    cti_model_assemble(&b->model, w->state.x, 0, force, NULL, NULL, NULL);
    memcpy(out, force + 3 * (size_t)b->block0, 3 * sizeof *out * (size_t)n);
    for (i = n; i < b->n_blocks; i++) /* half of that of a split edge's middle to each of its ends */
        for (k = 0; k < 6; k++)
            out[3 * b->split.edges[2 * (i - n) + k / 3] + k % 3] += force[3 * (size_t)(b->block0 + i) + (size_t)(k % 3)] / 2;
    CTI_FREE(&w->mem, force);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_elastic_forces(const ct_world *cw, ct_body_id body, ct_real *out_forces, int n)
{
    CTI_FPENV_RETURN(cti_fields_forces((ct_world *)cw, body, out_forces, n))
}

/* adds a contact's impulse J to the vertices of one of its sides, by their weights there */
static void cti_fields_add(const int32_t *vertices, const ct_real *weights, const ct_real J[3], ct_real sign, ct_real *out)
{
    int i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3 && vertices[i] >= 0; k++)
            out[3 * (size_t)vertices[i] + (size_t)k] += sign * weights[i] * J[k];
}

static ct_code cti_fields_impulses(ct_world *w, ct_body_id body, ct_real *out, int n)
{
    const ct_contact *c;
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i, k, count = 0;
    if (!b)
        return code;
    if (n != b->n || !out)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "this needs one entry per vertex, see ct_body_vertex_count (value: entries)");
    code = ct_world_contacts(w, &c, &count);
    if (code != CT_OK)
        return code;
    memset(out, 0, 3 * sizeof *out * (size_t)n);
    for (i = 0; i < count; i++, c++) {
        ct_real J[3];
        for (k = 0; k < 3; k++)
            J[k] = c->impulse_normal * c->normal[k] + c->impulse_tangent[0] * c->tangent[0][k] + c->impulse_tangent[1] * c->tangent[1][k];
        if (c->body_a.index1 == body.index1 && c->body_a.generation == body.generation)
            cti_fields_add(c->vertices_a, c->weights_a, J, 1, out);
        if (c->body_b.index1 == body.index1 && c->body_b.generation == body.generation)
            cti_fields_add(c->vertices_b, c->weights_b, J, -1, out);
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_contact_impulses(const ct_world *cw, ct_body_id body, ct_real *out_impulses, int n)
{
    CTI_FPENV_RETURN(cti_fields_impulses((ct_world *)cw, body, out_impulses, n))
}
