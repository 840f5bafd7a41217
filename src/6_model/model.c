/* model.c -- element batches of one body: tets for soft bodies; membrane, hinges and plates, or springs, for cloth; springs and joints for rods;
   nothing but masses for points. */
#include "model.h"
#include "../1_math/vec.h"

CTI_FN int cti_model_init_soft(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                               double *out_value)
{
    return cti_tet_batch_init(mem, &model->tets, m, rest, out_bad, out_value);
}

/* largest tension [N/m] of a sheet that hangs by an edge: the weight of an area as long as the sheet */
static ct_real cti_model_tension(const ct_material *m, const cti_rest_mesh *rest, ct_real gravity)
{
    cti_v3 center = cti_v3_zero();
    ct_real far2 = 0;
    int i;
    for (i = 0; i < rest->n_nodes; i++)
        center = cti_v3_mad(center, cti_v3_at(rest->X, i), CTI_R(1.0) / (ct_real)rest->n_nodes);
    for (i = 0; i < rest->n_nodes; i++)
        far2 = cti_max(far2, cti_v3_norm2(cti_v3_sub(cti_v3_at(rest->X, i), center)));
    return m->areal_density * gravity * 2 * cti_sqrt(far2);
}

/* gives springs with a strain limit what its stiffness depends on */
static int cti_model_init_limit(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest)
{
    ct_real *mass = NULL;
    int i, n_nodes = rest->node_offset + rest->n_nodes, ok = CTI_RESIZE(mem, mass, n_nodes);
    for (i = 0; ok && i < n_nodes; i++)
        mass[i] = 0;
    if (ok) {
        cti_membrane_batch_mass(&model->membrane, mass);
        cti_spring_batch_limit(&model->springs, m, mass, cti_model_tension(m, rest, rest->gravity));
    }
    CTI_FREE(mem, mass);
    return ok;
}
static int cti_model_init_springs(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                                  double *out_value)
{
    cti_rest_mesh springs = *rest;
    int32_t *ends = NULL;
    ct_real *rates = NULL;
    int code = cti_spring_list(mem, m, rest, &ends, &rates);
    springs.elements = ends, springs.n = CTI_LEN(rates);
    if (code)
        code = cti_spring_batch_init(mem, &model->springs, m, &springs, rates, out_bad, out_value);
    if (code == 1 && m->strain_limit > 0 && !cti_model_init_limit(mem, model, m, rest))
        code = 0;
    CTI_FREE(mem, ends);
    CTI_FREE(mem, rates);
    return code;
}

CTI_FN int cti_model_init_cloth(cti_mem *mem, cti_model *model, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                                double *out_value)
{
    int code = cti_membrane_batch_init(mem, &model->membrane, m, rest, out_bad, out_value);
    if (code != 1)
        return code;
    if (m->model == CT_MODEL_SPRINGS)
        return cti_model_init_springs(mem, model, m, rest, out_bad, out_value);
    if (!(m->bending > 0))
        return 1;
    return cti_plate_init(mem, &model->plates, &model->bounds, &model->bend, m, rest);
}

/* half of each segment's mass at either end; a frame has its share of it */
static void cti_model_lump(cti_model *model, const cti_rod_desc *d)
{
    int i;
    for (i = 0; i < d->n_segments; i++) {
        const int32_t *s = d->segments + 2 * (size_t)i;
        ct_real l = cti_v3_norm(cti_v3_sub(cti_v3_at(d->X, s[1]), cti_v3_at(d->X, s[0]))), m = d->law->line_density * l;
        ct_real own = d->has_frames ? cti_rod_frame_mass(d->law, l) : 0;
        model->lumps[s[0]] += (m - own) / 2, model->lumps[s[1]] += (m - own) / 2;
        if (d->has_frames)
            model->lumps[d->n_nodes + i] = own;
    }
}

CTI_FN int cti_model_init_rod(cti_mem *mem, cti_model *model, const cti_rod_desc *d, int node_offset, int64_t *out_bad, double *out_value)
{
    const cti_rest_mesh rest = cti_rest_mesh_of(d->X, d->n_nodes, d->segments, d->n_segments, node_offset);
    ct_real *rates = NULL;
    int i, code = -1, n = d->n_nodes + (d->has_frames ? d->n_segments : 0);
    model->lump0 = node_offset;
    if (!CTI_RESIZE(mem, rates, d->n_segments) || !CTI_RESIZE(mem, model->lumps, n))
        code = 0;
    for (i = 0; code && i < d->n_segments; i++) {
        const int32_t *s = d->segments + 2 * (size_t)i;
        ct_real l = cti_v3_norm(cti_v3_sub(cti_v3_at(d->X, s[1]), cti_v3_at(d->X, s[0])));
        rates[i] = l > 0 ? d->stretch / l : 0; /* the batch refuses it */
    }
    if (code)
        code = cti_spring_batch_init(mem, &model->springs, d->material, &rest, rates, out_bad, out_value);
    if (code == 1 && d->has_frames)
        code = cti_rod_batch_init(mem, &model->rods, d, node_offset, out_bad, out_value);
    if (code == 1)
        cti_model_lump(model, d);
    CTI_FREE(mem, rates);
    return code;
}

CTI_FN int cti_model_init_points(cti_mem *mem, cti_model *model, const ct_real *masses, int n, int node_offset)
{
    if (!CTI_RESIZE(mem, model->lumps, n))
        return 0;
    memcpy(model->lumps, masses, sizeof *masses * (size_t)n);
    model->lump0 = node_offset;
    return 1;
}

CTI_FN void cti_model_range(const cti_model *model, int32_t *out_first, int32_t *out_last)
{
    const int32_t *list = model->tets.n ? model->tets.node : model->membrane.node;
    int32_t lo = INT32_MAX, hi = -1;
    int i;
    for (i = 0; i < CTI_LEN(list); i++) {
        lo = list[i] < lo ? list[i] : lo;
        hi = list[i] > hi ? list[i] : hi;
    }
    if (CTI_LEN(model->lumps) > 0)
        lo = model->lump0, hi = model->lump0 + CTI_LEN(model->lumps) - 1;
    *out_first = lo, *out_last = hi;
}

CTI_FN void cti_model_free(cti_mem *mem, cti_model *model)
{
    CTI_FREE_SPAN(mem, model->tets.node, model->tets.rest);
    CTI_FREE_SPAN(mem, model->membrane.node, model->membrane.rest);
    CTI_FREE_SPAN(mem, model->bend.node, model->bend.rest);
    CTI_FREE_SPAN(mem, model->bounds.node, model->bounds.rest);
    CTI_FREE_SPAN(mem, model->plates.node, model->plates.rest);
    CTI_FREE_SPAN(mem, model->springs.node, model->springs.rest);
    CTI_FREE_SPAN(mem, model->rods.node, model->rods.rest);
    CTI_FREE(mem, model->lumps);
    cti_bsr_free(mem, &model->pattern);
    model->tets.n = model->membrane.n = model->bend.n = model->bounds.n = model->plates.n = model->springs.n = 0;
    model->rods.n = model->rods.n_joints = 0;
}

CTI_FN void cti_model_ahead(cti_model *model, ct_real step, ct_real share, const ct_real *v)
{
    model->springs.step = step, model->springs.share = share, model->springs.ahead = v;
}

CTI_FN void cti_model_shift(cti_model *model, int by)
{
    int32_t *lists[6];
    int k, i;
    lists[0] = model->tets.node, lists[1] = model->membrane.node, lists[2] = model->bend.node, lists[3] = model->springs.node;
    lists[4] = model->plates.node, lists[5] = model->bounds.node;
    for (k = 0; k < 6; k++)
        for (i = 0; i < CTI_LEN(lists[k]); i++)
            lists[k][i] += by;
#if CONTACT_WITH_RODS
    cti_rod_batch_shift(&model->rods, by);
#endif
    model->lump0 += by;
}

/* mass-spring cloth has a membrane batch for its areas only, which adds no force */
static int cti_model_has_membrane(const cti_model *model) { return model->membrane.n > 0 && model->membrane.stiff > 0; }

/* n elements with nn nodes each, whose blocks are in the matrix */
typedef struct cti_model_part {
    int32_t *node, **slot;
    int n, nn;
} cti_model_part;

static cti_model_part cti_model_part_of(int32_t *node, int32_t **slot, int n, int nn)
{
    cti_model_part p;
    p.node = node, p.slot = slot, p.n = n, p.nn = nn;
    return p;
}

enum { CTI_MODEL_PARTS = 7 };
static void cti_model_parts(cti_model *m, cti_model_part *out)
{
    out[0] = cti_model_part_of(m->tets.node, &m->tets.slot, m->tets.n, 4);
    out[1] = cti_model_part_of(m->membrane.node, &m->membrane.slot, cti_model_has_membrane(m) ? m->membrane.n : 0, 3);
    out[2] = cti_model_part_of(m->bend.node, &m->bend.slot, m->bend.n, 4);
    out[3] = cti_model_part_of(m->bounds.node, &m->bounds.slot, m->bounds.n, 4);
    out[4] = cti_model_part_of(m->springs.node, &m->springs.slot, m->springs.n, 2);
    out[5] = cti_model_part_of(m->rods.node, &m->rods.slot, m->rods.n, 3);
    out[6] = cti_model_part_of(m->rods.joint_node, &m->rods.joint_slot, m->rods.n_joints, 5);
}

CTI_FN int cti_model_pairs(cti_model *model, cti_mem *mem, int32_t **pairs)
{
    cti_model_part p[CTI_MODEL_PARTS];
    int k, ok = 1;
    cti_model_parts(model, p);
    for (k = 0; ok && k < CTI_MODEL_PARTS; k++)
        ok = cti_element_pairs(mem, pairs, p[k].node, p[k].n, p[k].nn);
    return ok;
}

CTI_FN int cti_model_slots(cti_mem *mem, cti_model *model, cti_slot_fn *slot, const void *ctx)
{
    cti_model_part p[CTI_MODEL_PARTS];
    int k, code = 1;
    cti_model_parts(model, p);
    for (k = 0; code == 1 && k < CTI_MODEL_PARTS; k++)
        code = cti_element_slots(mem, p[k].slot, p[k].node, p[k].n, p[k].nn, slot, ctx);
    return code;
}

/* the pattern and its first block */
typedef struct cti_model_blocks {
    const cti_bsr *pattern;
    int block0;
} cti_model_blocks;
static int cti_model_slot(const void *ctx, int i, int j)
{
    const cti_model_blocks *b = (const cti_model_blocks *)ctx;
    return cti_bsr_slot(b->pattern, i - b->block0, j - b->block0);
}

CTI_FN int cti_model_pattern(cti_mem *mem, cti_model *model, int block0, int n)
{
    cti_model_blocks blocks;
    int32_t *pairs = NULL;
    int i, ok;
    if (CTI_LEN(model->pattern.row) > 0)
        return 1;
    ok = cti_model_pairs(model, mem, &pairs);
    for (i = 0; ok && i < CTI_LEN(pairs); i++)
        pairs[i] -= block0;
    ok = ok && cti_bsr_shape(mem, &model->pattern, n, pairs, CTI_LEN(pairs) / 2);
    CTI_FREE(mem, pairs);
    blocks.pattern = &model->pattern, blocks.block0 = block0;
    ok = ok && cti_model_slots(mem, model, cti_model_slot, &blocks) > 0;
    model->slot0 = 0;
    if (!ok)
        cti_bsr_free(mem, &model->pattern);
    return ok;
}

CTI_FN void cti_model_place(cti_model *model, int slot0)
{
    cti_model_part p[CTI_MODEL_PARTS];
    int k, i, by = slot0 - model->slot0;
    cti_model_parts(model, p);
    for (k = 0; k < CTI_MODEL_PARTS; k++)
        for (i = 0; i < p[k].n * p[k].nn * p[k].nn; i++)
            (*p[k].slot)[i] += by;
    model->slot0 = slot0;
}

CTI_FN void cti_model_mass(const cti_model *model, ct_real *mass)
{
    int i;
    cti_tet_batch_mass(&model->tets, mass);
    cti_membrane_batch_mass(&model->membrane, mass);
    for (i = 0; i < CTI_LEN(model->lumps); i++)
        mass[model->lump0 + i] += model->lumps[i];
}

CTI_FN void cti_model_assemble(const cti_model *model, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                               double *out_energy)
{
    cti_tet_batch_assemble(&model->tets, x, dt, force, val, out_extended, out_energy);
    if (cti_model_has_membrane(model))
        cti_membrane_batch_assemble(&model->membrane, x, dt, force, val, out_energy);
    cti_bend_batch_assemble(&model->bend, x, dt, force, val, out_energy);
    if (force || out_energy)
        cti_plate_batch_assemble(&model->plates, x, force, out_energy);
    if (val)
        cti_bend_batch_assemble(&model->bounds, x, dt, NULL, val, NULL);
    cti_spring_batch_assemble(&model->springs, x, dt, force, val, out_energy);
#if CONTACT_WITH_RODS
    cti_rod_batch_assemble(&model->rods, x, dt, force, val, out_energy);
#endif
}

CTI_FN void cti_model_damping(const cti_model *model, const ct_real *x, const ct_real *v, ct_real *out)
{
    cti_tet_batch_damping(&model->tets, x, v, model->slow, out);
    if (cti_model_has_membrane(model))
        cti_membrane_batch_damping(&model->membrane, x, v, model->slow, out);
    cti_bend_batch_damping(&model->bend, x, v, model->slow, out);
    cti_bend_batch_damping(&model->bounds, x, v, model->slow, out);
    cti_spring_batch_damping(&model->springs, x, v, model->slow, out);
#if CONTACT_WITH_RODS
    cti_rod_batch_damping(&model->rods, x, v, out);
#endif
}

/* sum over all elements of rest[at] rest[at2] (at2 < 0: of rest[at]); each element has `per` numbers */
static double cti_model_sum(const ct_real *rest, int n, int per, int at, int at2)
{
    double sum = 0;
    int e;
    for (e = 0; e < n; e++) {
        const ct_real *r = rest + (size_t)(e / 8 * per) * 8 + e % 8;
        sum += (double)r[8 * at] * (at2 < 0 ? 1 : (double)r[8 * at2] * (double)r[8 * at2]);
    }
    return sum;
}

CTI_FN double cti_model_modulus(const cti_model *m)
{
    return cti_model_sum(m->tets.rest, m->tets.n, CTI_TET_REST, 9, -1) * (double)(2 * m->tets.mu + m->tets.lambda) +
           cti_model_sum(m->membrane.rest, m->membrane.n, CTI_MEMBRANE_REST, 4, -1) * (double)m->membrane.stiff +
           cti_model_sum(m->springs.rest, m->springs.n, CTI_SPRING_REST, 0, 1);
}

CTI_FN double cti_model_energy(const cti_model *model, const ct_real *x)
{
    double energy = 0;
    cti_model_assemble(model, x, 0, NULL, NULL, NULL, &energy);
    return energy;
}
