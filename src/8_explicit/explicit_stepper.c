/* explicit_stepper.c -- the explicit stepper, as the world has it: options, refusals, memory. */
#include "../0_base/log.h"
#include "explicit.h"
#include "../7_contact/inside.h"

static void cti_explicit_defaults(ct_world_desc *d)
{
    ct_explicit_desc *q = &d->rk;
    q->tolerance = CTI_R(1e-4);
    q->penetration = CTI_R(1e-3);
    q->bulk_viscosity = CTI_R(0.06);
    q->max_steps = 100000;
    q->edges = 1;
    if (d->stepper == CT_STEPPER_EXPLICIT)
        d->friction = 0, d->self_collision = 0;
}

static ct_code cti_explicit_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_explicit_desc *q = &d->rk;
    const cti_range ranges[] = {
        {(double)q->tolerance, CTI_POSITIVE, CTI_FINITE, "rk.tolerance must be positive"},
        {(double)q->fixed_step, 0, CTI_FINITE, "rk.fixed_step must be finite and >= 0"},
        {(double)q->penetration, CTI_POSITIVE, (double)CTI_R(0.1), "rk.penetration must be in (0, 0.1]"},
        {(double)q->bulk_viscosity, 0, 10, "rk.bulk_viscosity must be in [0, 10]"},
        {(double)q->refine, 0, CT_REFINE_COUNT_ - 1, "rk.refine is out of range"},
        {(double)q->program, 0, CT_EXPLICIT_PROGRAM_COUNT_ - 1, "rk.program is out of range"},
        {(double)q->rules, 0, CT_EXPLICIT_RULES_COUNT_ - 1, "rk.rules is out of range"},
        {(double)q->max_steps, 1, 100000000, "rk.max_steps must be 1 to 100000000"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_EXPLICIT)
        return code;
    if (d->integrator != CT_INTEGRATOR_EULER)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_EXPLICIT steps by its own Runge-Kutta rule: leave integrator at CT_INTEGRATOR_EULER");
    if (q->rules == CT_EXPLICIT_NODE && q->refine == CT_REFINE_SURFACE)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)q->refine,
                             "rk.rules CT_EXPLICIT_NODE has no contacts of middles of edges: leave rk.refine at CT_REFINE_NONE or _ELEMENTS");
    if (d->friction > 0)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->friction, "CT_STEPPER_EXPLICIT has no friction: set friction to 0");
    if (d->self_collision)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, 1,
                             "CT_STEPPER_EXPLICIT has no contacts of a body with itself: set self_collision to 0");
    return CT_OK;
}

/* the reason why steps of a fixed length are refused, or NULL: vibrations of elements would grow in them */
static const char *cti_explicit_refuses(const cti_state *s, cti_feature what)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real h = cti_min(s->desc.rk.fixed_step, s->step.dt), most;
    if (what == CTI_FEATURE_SNAPSHOT && s->desc.rk.refine == CT_REFINE_ELEMENTS)
        return "rk.refine CT_REFINE_ELEMENTS changes the bodies' meshes, which a snapshot does not hold: it cannot be saved or restored";
    if (what != CTI_FEATURE_STEP)
        return NULL;
    most = g->stable_step * (s->desc.rk.extrapolate ? cti_explicit_tuned.rate.extrapolated : CTI_R(1.0));
    if (!(h > most))
        return NULL;
    cti_error_set(&g->refusal, CT_ERR_UNSUPPORTED, -1, (double)most,
                  "Runge-Kutta steps of rk.fixed_step, %.4g s, are not stable: the bound is %.4g s", (double)h, (double)most);
    return g->refusal.text;
}

static const cti_refusal cti_explicit_refusals[] = {
    {CTI_FEATURE_CLOTH, "CT_STEPPER_EXPLICIT needs bodies with an inside, and cloth has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_ROD, "CT_STEPPER_EXPLICIT needs bodies with an inside, and a rod has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_POINTS, "CT_STEPPER_EXPLICIT needs bodies with an inside, and points have none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SEGMENTS, "CT_STEPPER_EXPLICIT has no contacts of segments that are in no triangle: use CT_STEPPER_CMR"},
    {CTI_FEATURE_JOINT, "CT_STEPPER_EXPLICIT has no joints and no stitches: use CT_STEPPER_CMR"},
    {CTI_FEATURE_FRICTION, "CT_STEPPER_EXPLICIT has no friction: set the body's friction to 0"},
    {CTI_FEATURE_BELT, "CT_STEPPER_EXPLICIT has no friction, by which surfaces drag: use CT_STEPPER_CMR"},
    {CTI_FEATURE_FORCE, "CT_STEPPER_EXPLICIT has no forces but those of bodies and contacts within its steps: use impulses, or CT_STEPPER_CMR"},
    {CTI_FEATURE_SELF, "CT_STEPPER_EXPLICIT has no contacts of a body with itself"},
    {CTI_FEATURE_MASS, "CT_STEPPER_EXPLICIT has bounds of its steps by density: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SKIN, "CT_STEPPER_EXPLICIT has no limits of nodes against a skin: use CT_STEPPER_CMR"},
    {CTI_FEATURE_WIND, "CT_STEPPER_EXPLICIT has no drag and lift of air: use CT_STEPPER_CMR"},
    {CTI_FEATURE_REPAIR, "CT_STEPPER_EXPLICIT moves nodes out of bodies in its steps: use CT_STEPPER_CMR"},
    {CTI_FEATURE_PROBLEM, "CT_STEPPER_EXPLICIT has a contact problem in each stage of its steps, and keeps none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_STEP, NULL}};

/* ---- memory ---- */

/* mean edge of the bodies that move, at rest; rigid and scripted ones count only where there are no others */
static ct_real cti_explicit_mean_edge(const cti_state *s, const cti_stepper_body *bodies)
{
    const cti_surface *f = &s->surface;
    int soft, i, e, n = 0;
    double sum = 0;
    for (soft = 1; soft >= 0 && n == 0; soft--)
        for (i = 0; i < f->n_bodies; i++)
            for (e = f->ranges[i].e0; e < f->ranges[i].e1 && (soft ? bodies[i].model >= 0 : f->bodies[i].moves); e++, n++)
                sum += (double)cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, f->edges[2 * e + 1]), cti_v3_at(f->rest, f->edges[2 * e])));
    return n ? (ct_real)(sum / n) : 0;
}

/* mean edges of the bodies at rest. 0: out of memory */
static int cti_explicit_edge_lengths(cti_state *s, const cti_stepper_body *bodies)
{
    cti_explicit_search *q = &cti_explicit_own(s)->search;
    const cti_surface *f = &s->surface;
    int i, e, k;
    if (!CTI_RESIZE(&s->prepared, q->edge_length, 3 * f->n_bodies))
        return 0;
    for (i = 0; i < f->n_bodies; i++) {
        double sum = 0;
        int n = f->ranges[i].e1 - f->ranges[i].e0;
        for (e = f->ranges[i].e0; e < f->ranges[i].e1; e++)
            sum += (double)cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, f->edges[2 * e + 1]), cti_v3_at(f->rest, f->edges[2 * e])));
        q->edge_length[3 * i] = n && bodies[i].model >= 0 ? (ct_real)(sum / n) : CTI_REAL_MAX;
        q->edge_length[3 * i + 1] = n && f->bodies[i].moves ? (ct_real)(sum / n) : CTI_REAL_MAX;
    }
    for (i = 0; i < f->n_bodies; i++)
        for (k = 0, q->edge_length[3 * i + 2] = 0; k < f->n_bodies; k++) {
            ct_real length = cti_explicit_scale(s, i, k);
            if (k != i && length < CTI_REAL_MAX)
                q->edge_length[3 * i + 2] = cti_max(q->edge_length[3 * i + 2], length);
        }
    return 1;
}

/* smallest thickness of the mesh of each body with an inside. 0: out of memory */
static int cti_explicit_thicknesses(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    float *boxes = CTI_ARENA_NEW(s->arena, float, 16 * (size_t)f->nv + 1);
    cti_forest forest;
    cti_bvh tree;
    int b, i, ok = 1;
    if (!boxes || !CTI_RESIZE(&s->prepared, g->search.thickness, f->n_bodies))
        return 0;
    memset(&forest, 0, sizeof forest);
    for (b = 0; b < f->n_bodies && ok; b++) {
        cti_nearest_set faces = cti_nearest_set_of(&forest, &tree, f->faces, f->rest);
        ct_real size = 0;
        int f0 = f->ranges[b].f0, n = f->ranges[b].f1 - f0;
        g->search.thickness[b] = CTI_REAL_MAX;
        if (!f->bodies[b].solid || n == 0)
            continue;
        cti_forest_clear(&forest);
        if (!(ok = cti_nearest_build(&s->prepared, &forest, &tree, f->faces, 3, f->rest, f0, n)))
            continue;
        cti_inside_refit(f, b, f->rest, f->rest, boxes, &forest, &tree);
        for (i = f0; i < f0 + n; i++)
            size += cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, f->faces[3 * i + 1]), cti_v3_at(f->rest, f->faces[3 * i]))) / (ct_real)n;
        for (i = f0; i < f0 + n; i++)
            g->search.thickness[b] = cti_min(g->search.thickness[b], cti_nearest_behind(&faces, i, CTI_R(1e-4) * size));
        g->search.thickness[b] = cti_max(g->search.thickness[b], cti_explicit_tuned.contact.thinnest * size);
    }
    cti_forest_free(&s->prepared, &forest);
    return ok;
}

/* lists the middles of split edges. 0: out of memory */
static int cti_explicit_middles(cti_state *s, const cti_stepper_body *bodies)
{
    cti_explicit *g = cti_explicit_own(s);
    int b, k, n = 0;
    for (b = 0; b < s->surface.n_bodies; b++)
        n += bodies[b].n_middles;
    if (!CTI_RESIZE(&s->prepared, g->middles, 3 * n))
        return 0;
    for (b = 0, n = 0; b < s->surface.n_bodies; b++)
        for (k = 0; k < bodies[b].n_middles; k++, n += 3) {
            g->middles[n] = bodies[b].block0 + bodies[b].n_blocks - bodies[b].n_middles + k;
            g->middles[n + 1] = bodies[b].block0 + bodies[b].ends[2 * k], g->middles[n + 2] = bodies[b].block0 + bodies[b].ends[2 * k + 1];
        }
    return 1;
}

static int cti_explicit_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    cti_explicit *g = (cti_explicit *)cti_stepper_own(s, sizeof *g);
    cti_mem *m = &s->prepared;
    int n3 = 3 * s->n, nv3 = 3 * s->surface.nv;
    if (!g)
        return 0;
    g->search.vf.kind = CT_PAIR_VF, g->search.mf.kind = CT_PAIR_EF;
    g->edge = cti_explicit_mean_edge(s, bodies);
    return CTI_RESIZE(m, g->solve.scratch, n3) && CTI_RESIZE(m, g->solve.set, s->n) && CTI_RESIZE(m, g->elements.force, n3) &&
           CTI_RESIZE(m, g->frames, 9 * CTI_LEN(s->bodies.rigids)) && CTI_RESIZE(m, g->surface, nv3) && CTI_RESIZE(m, g->surface_start, nv3) &&
           CTI_RESIZE(m, g->search.x_found, nv3) && CTI_RESIZE(m, g->search.x_start, nv3) &&
           CTI_RESIZE(m, g->search.boxes, 2 * s->surface.n_bodies) && CTI_RESIZE(m, g->script_end, 3 * s->surface.n_moving) &&
           cti_explicit_edge_lengths(s, bodies) && cti_explicit_middles(s, bodies) && cti_explicit_thicknesses(s) && cti_explicit_vertex_faces(s) &&
           cti_explicit_masses(s) && cti_explicit_bodies_rest(s, bodies);
}

/* ---- snapshots ---- */

static void cti_explicit_archive(cti_archive *a, cti_state *s, int prepared)
{
    cti_explicit *g = cti_explicit_own(s);
    if (!prepared)
        return;
    CTI_ARCHIVE_SPAN(a, g->memory.next_length, g->memory.last_length);
    a->mem = &s->prepared;
    CTI_ARCHIVE_ANY(a, g->memory.held);
    a->mem = s->mem;
    if (cti_archive_reads(a))
        g->search.valid = 0;
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_explicit(void)
{
    static const cti_stepper stepper = {0, cti_explicit_defaults, cti_explicit_check, NULL, cti_explicit_refusals, cti_explicit_refuses,
                                        cti_explicit_prepare, cti_explicit_step, NULL, NULL, cti_explicit_archive};
    return &stepper;
}
