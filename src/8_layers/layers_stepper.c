/* layers_stepper.c -- registers the layers stepper: options, refusals, memory. */
#include "layers.h"
#include "../0_base/log.h"

static void cti_layers_defaults(ct_world_desc *d)
{
    d->layers.clock = CTI_R(0.0625);
    d->layers.layer_clock = CTI_R(0.02);
    d->layers.depth = CTI_R(0.0625);
    d->layers.max_layers = 4096;
    d->layers.max_updates = 20000000;
}

static ct_code cti_layers_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_layers_desc *q = &d->layers;
    const cti_range ranges[] = {
        {(double)q->clock, CTI_POSITIVE, 0.5, "layers.clock must be in (0, 0.5]"},
        {(double)q->layer_clock, CTI_POSITIVE, 0.5, "layers.layer_clock must be in (0, 0.5]"},
        {(double)q->depth, CTI_POSITIVE, 1, "layers.depth must be in (0, 1]"},
        {(double)q->max_layers, 1, 100000, "layers.max_layers must be 1 to 100000"},
        {(double)q->max_updates, 1, INT_MAX, "layers.max_updates must be at least 1"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_LAYERS)
        return code;
    if (d->integrator != CT_INTEGRATOR_EULER)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_LAYERS has an integrator of its own, and takes no other: leave it at CT_INTEGRATOR_EULER");
    return CT_OK;
}

static const cti_refusal cti_layers_refusals[] = {
    {CTI_FEATURE_ROD, "CT_STEPPER_LAYERS has clocks for tets and triangles, and a rod has neither: use CT_STEPPER_CMR"},
    {CTI_FEATURE_POINTS, "CT_STEPPER_LAYERS has layers between vertices, faces and edges, and loose points have no faces: use CT_STEPPER_CMR"},
    {CTI_FEATURE_RIGID, "CT_STEPPER_LAYERS moves nodes on straight lines, and those of a rigid body turn: use CT_STEPPER_CMR"},
    {CTI_FEATURE_JOINT, "CT_STEPPER_LAYERS has no joints and no stitches: use CT_STEPPER_CMR"},
    {CTI_FEATURE_FORCE, "CT_STEPPER_LAYERS has a clock for gravity alone: use impulses, or CT_STEPPER_CMR"},
    {CTI_FEATURE_MASS, "CT_STEPPER_LAYERS has bounds of its steps by density: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SKIN, "CT_STEPPER_LAYERS has no limits of nodes against a skin: use CT_STEPPER_CMR"},
    {CTI_FEATURE_WIND, "CT_STEPPER_LAYERS has no drag and lift of air: use CT_STEPPER_CMR"},
    {CTI_FEATURE_REPAIR, "CT_STEPPER_LAYERS has no way out of an intersection: repair the bodies in a world of CT_STEPPER_CMR"},
    {CTI_FEATURE_PROBLEM, "CT_STEPPER_LAYERS solves no contact problem: its contacts are springs: use CT_STEPPER_CMR"},
    {CTI_FEATURE_STEP, NULL}};

/* ---- memory ---- */

static int cti_layers_reserve(cti_state *s, cti_layers *y)
{
    cti_mem *m = &s->prepared;
    cti_layers_nodes *q = &y->nodes;
    cti_layers_surface *p = &y->surface;
    int n = s->n, n3 = 3 * n, nv = s->surface.nv;
    return CTI_RESIZE(m, q->x, n3) && CTI_RESIZE(m, q->v, n3) && CTI_RESIZE(m, q->tick, n) && CTI_RESIZE(m, q->x_rounded, n3) &&
           CTI_RESIZE(m, q->force, n3) && CTI_RESIZE(m, q->v_rounded, n3) && CTI_RESIZE(m, q->inverse_mass, n) && CTI_RESIZE(m, q->x0, n3) &&
           CTI_RESIZE(m, q->v0, n3) && CTI_RESIZE(m, q->x_saved, n3) && CTI_RESIZE(m, q->v_saved, n3) && CTI_RESIZE(m, q->deviation2, n) &&
           CTI_RESIZE(m, q->deviation_rate, n) && CTI_RESIZE(m, p->x_start, 3 * nv) && CTI_RESIZE(m, p->velocity, 3 * nv) &&
           CTI_RESIZE(m, p->deviation, nv) && CTI_RESIZE(m, p->reach, s->surface.n_bodies) && CTI_RESIZE(m, p->line_start, 3 * nv) &&
           CTI_RESIZE(m, p->line_end, 3 * nv) && CTI_ZEROS(m, p->visited_vertex, nv) && CTI_ZEROS(m, p->visited_block, n);
}

static int cti_layers_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    cti_layers *y = (cti_layers *)cti_stepper_own(s, sizeof *y);
    ct_real *X = NULL;
    int i, ok;
    if (!y)
        return 0;
    /* boxes of bodies that never move are made once */
    for (i = 0; i < s->surface.n_bodies; i++)
        if (!s->surface.bodies[i].moves)
            s->surface.ranges[i].swept = CTI_SWEPT_BOX, s->surface.ranges[i].inflate = s->surface.bodies[i].thickness / 2;
    if (!cti_layers_reserve(s, y) || !CTI_RESIZE(&s->prepared, X, 3 * s->n))
        return 0;
    for (i = 0; i < s->surface.n_bodies; i++)
        if (bodies[i].nodes)
            memcpy(X + 3 * (size_t)bodies[i].block0, bodies[i].nodes, sizeof(ct_real) * 3 * (size_t)bodies[i].n_blocks);
    if (s->surface.nv) {
        memcpy(y->surface.line_start, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
        memcpy(y->surface.line_end, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    }
    ok = cti_layers_clocks_measure(s, X);
    CTI_FREE(&s->prepared, X);
    return ok;
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_layers(void)
{
    static const cti_stepper layers = {CTI_STEPPER_ENDS_APART, cti_layers_defaults, cti_layers_check, NULL, cti_layers_refusals, NULL,
                                       cti_layers_prepare, cti_layers_step, NULL, NULL, NULL};
    return &layers;
}
