/* geometric_stepper.c -- registers the geometric stepper: options, refusals, memory. */
#include "../0_base/log.h"
#include "../7_contact/contact_archive.h"
#include "geometric.h"

static void cti_geometric_defaults(ct_world_desc *d)
{
    ct_geometric_desc *q = &d->geometric;
    q->cg_turns = 24;
    q->active_set = 16;
    q->sweeps = 4;
    q->position_distance = CTI_R(0.5);
    q->speed_distance = CTI_R(0.8);
    q->acceleration_distance = 1;
    q->displacement = 1;
    q->max_substeps = 8;
    q->fail_safe = 1;
    q->regions = 1;
    q->residual_state = 1;
}

static ct_code cti_geometric_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_geometric_desc *q = &d->geometric;
    const cti_range ranges[] = {
        {(double)q->scheme, 0, CT_GEOMETRIC_COUNT_ - 1, "geometric.scheme is out of range"},
        {(double)q->cg_turns, 1, 10000, "geometric.cg_turns must be 1 to 10000"},
        {(double)q->active_set, 0, 100, "geometric.active_set must be 0 to 100"},
        {(double)q->sweeps, 1, 10000, "geometric.sweeps must be 1 to 10000"},
        {(double)q->position_distance, 0, 1, "geometric.position_distance must be in [0, 1]"},
        {(double)q->speed_distance, 0, 1, "geometric.speed_distance must be in [0, 1]"},
        {(double)q->acceleration_distance, 0, 1, "geometric.acceleration_distance must be in [0, 1]"},
        {(double)q->displacement, CTI_POSITIVE, CTI_FINITE, "geometric.displacement must be positive"},
        {(double)q->interaction_damping, 0, 1, "geometric.interaction_damping must be in [0, 1]"},
        {(double)q->max_substeps, 1, 256, "geometric.max_substeps must be 1 to 256"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_GEOMETRIC)
        return code;
    if (d->integrator != CT_INTEGRATOR_EULER && d->integrator != CT_INTEGRATOR_MIDPOINT)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_GEOMETRIC steps by implicit Euler or the implicit midpoint rule only: set integrator to one of them");
    return CT_OK;
}

/* CT_SOLVER_GEOMETRIC_CG is the global scheme with equations only */
static void cti_geometric_settle(ct_world_desc *d)
{
    if (d->solver.solver == CT_SOLVER_GEOMETRIC_CG)
        d->geometric.scheme = CT_GEOMETRIC_GLOBAL, d->geometric.active_set = 0;
}

static const cti_refusal cti_geometric_refusals[] = {
    {CTI_FEATURE_ROD, "CT_STEPPER_GEOMETRIC corrects vertices of surfaces, and a rod has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_POINTS, "CT_STEPPER_GEOMETRIC corrects vertices of surfaces, and loose points have none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_RIGID, "CT_STEPPER_GEOMETRIC corrects particles, and a rigid body has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_DRIVE, "CT_STEPPER_GEOMETRIC has joints without limits and motors, and no drags: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SKIN, "CT_STEPPER_GEOMETRIC has no limits of nodes against a skin: use CT_STEPPER_CMR"},
    {CTI_FEATURE_WIND, "CT_STEPPER_GEOMETRIC has no drag and lift of air: use CT_STEPPER_CMR"},
    {CTI_FEATURE_REPAIR, "CT_STEPPER_GEOMETRIC cannot tell sides that it has not seen: repair the bodies in a world of CT_STEPPER_CMR"},
    {CTI_FEATURE_PROBLEM, "CT_STEPPER_GEOMETRIC solves no contact problem: its contacts are corrections: use CT_STEPPER_CMR"},
    {CTI_FEATURE_STEP, NULL}};

/* ---- memory ---- */

/* The forces that the next substep starts from stay: their keys do not change with other bodies */
static void cti_geometric_unprepare(cti_state *s)
{
    cti_geometric *g = cti_geometric_own(s);
    cti_mem *m = s->mem;
    cti_geometric_solve *q;
    cti_geometric_memory memory;
    int k;
    if (!g)
        return;
    q = &g->solve;
    cti_geometric_regions_free(s);
    CTI_FREE_SPAN(m, g->scope.lo, g->scope.x1);
    CTI_FREE_SPAN(m, g->unlimited[0], g->collisions);
    for (k = 0; k < CTI_LISTS; k++)
        cti_candidates_free(m, &g->list[k]);
    CTI_FREE_SPAN(m, q->particle_of, q->compliance);
    CTI_FREE_SPAN(m, q->scratch.work, q->scratch.pack);
    CTI_FREE_SPAN(m, q->stiff.particles, q->stiff.f);
    CTI_FREE_SPAN(m, q->filter, q->before);
    CTI_FREE_SPAN(m, q->goal.offset, q->goal.excluded);
    CTI_FREE_SPAN(m, q->forces.force, q->forces.damping_share);
    CTI_FREE_SPAN(m, g->detection.toi, g->detection.stopped);
    CTI_FREE_SPAN(m, g->recovery_way, g->dv_remaining);
    CTI_FREE_SPAN(m, g->implicit.y, g->implicit.error);
    CTI_FREE_SPAN(m, g->implicit.rotation, g->implicit.rotation_end);
    CTI_FREE(m, g->detection.velocity);
    CTI_FREE(m, g->end.x_last);
    memory = g->memory;
    memset(g, 0, sizeof *g);
    g->memory = memory;
}

/* sets masses of bodies, and joint_mass. 0: out of memory */
static int cti_geometric_weigh_bodies(cti_state *s)
{
    cti_geometric_implicit *q = &cti_geometric_own(s)->implicit;
    int i, k, n = CTI_LEN(s->factors.components);
    if (!CTI_RESIZE(s->mem, cti_geometric_own(s)->recovery_way, 2 * s->bodies.n_models) || !CTI_RESIZE(s->mem, q->body_mass, n) ||
        !CTI_RESIZE(s->mem, q->is_stiff, n) || !CTI_RESIZE(s->mem, q->joint_mass, n))
        return 0;
    for (i = 0; i < s->n; i++)
        q->body_mass[s->factors.component_of[i]] += s->bodies.mass[i];
    for (i = 0; i < CTI_JOINTS(s); i++)
        for (k = 0; k < 2; k++) {
            const cti_joint_side *side = k ? &s->bodies.joints[i].b : &s->bodies.joints[i].a;
            if (side->n > 0)
                q->joint_mass[s->factors.component_of[side->block[0]]] += 1;
        }
    for (i = 0; i < n; i++)
        q->joint_mass[i] = q->joint_mass[i] > 0 ? q->body_mass[i] / q->joint_mass[i] : 0;
    return 1;
}

static int cti_geometric_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    cti_geometric *g;
    cti_mem *m = s->mem;
    int i, n3 = 3 * s->n, moving = 3 * s->surface.n_moving;
    CTI_UNUSED(bodies);
    g = cti_geometric_own(s);
    if (!g) {
        s->own = g = (cti_geometric *)cti_mem_zero(m, sizeof *g);
        if (!g)
            return 0;
    }
    cti_candidates_kinds(g->list);
    /* boxes of bodies that never move are made once */
    for (i = 0; i < s->surface.n_bodies; i++)
        if (!s->surface.bodies[i].moves)
            s->surface.ranges[i].swept = CTI_SWEPT_BOX, s->surface.ranges[i].inflate = CTI_R(0.75) * s->surface.bodies[i].thickness;
    if (!CTI_RESIZE(m, g->scope.lo, moving) || !CTI_RESIZE(m, g->scope.hi, moving) || !CTI_RESIZE(m, g->solve.particle_of, s->n) ||
        !CTI_RESIZE(m, g->motion_share, s->n) || !CTI_RESIZE(m, g->detection.stopped, s->n) || !CTI_RESIZE(m, g->v, n3) ||
        !CTI_RESIZE(m, g->dv, n3) || !CTI_RESIZE(m, g->dx, n3) ||
        !CTI_RESIZE(m, g->dv_end, n3) || !CTI_RESIZE(m, g->dv_remaining, n3) || !CTI_RESIZE(m, g->implicit.y, n3) ||
        !CTI_RESIZE(m, g->implicit.free_acceleration, n3) || !CTI_RESIZE(m, g->implicit.last_acceleration, n3) ||
        !CTI_RESIZE(m, g->implicit.scratch, 7 * n3) || !CTI_RESIZE(m, g->implicit.rotation, n3) ||
        !CTI_RESIZE(m, g->implicit.A_rotation, n3) || !CTI_RESIZE(m, g->implicit.rotation_change, n3) || !CTI_RESIZE(m, g->implicit.rotation_end, n3))
        return 0;
    if (!CTI_RESIZE(m, g->implicit.scale, CTI_LEN(s->factors.components)) || !CTI_RESIZE(m, g->implicit.error, CTI_LEN(s->factors.components)))
        return 0;
    for (i = 0; i < s->n; i++)
        g->solve.particle_of[i] = -1;
    return cti_geometric_weigh_bodies(s) && cti_geometric_regions_prepare(s);
}

/* ---- snapshots ---- */

/* what tells whether the last pairs of a body with itself still hold */
static void cti_geometric_archive_regions(cti_archive *a, cti_regions *r)
{
    int n;
    CTI_ARCHIVE_SPAN(a, r->rule.margin, r->rule.cosine), CTI_ARCHIVE(a, r->rule.criterion);
    CTI_ARCHIVE_ARRAY(a, r->vertex_dop, CTI_LEN(r->vertex_dop));
    n = CTI_ARCHIVE_ANY(a, r->spared);
    cti_archive_require(a, n % 2 == 0);
    cti_archive_bound(a, n / 2, 2 * sizeof *r->spared, 0, 1, 0, CTI_LEN(r->tree.nodes));
    cti_archive_bound(a, n / 2, 2 * sizeof *r->spared, sizeof *r->spared, 1, -1, CTI_LEN(r->tree.nodes));
}

static void cti_geometric_archive_lists(cti_archive *a, cti_state *s, cti_geometric *g)
{
    int k, n;
    for (k = 0; k < CTI_LISTS; k++) {
        n = cti_candidates_archive(a, &s->surface, &g->list[k]);
        CTI_ARCHIVE_ARRAY(a, g->forced[k], n);
        if (k <= CTI_LIST_EE)
            CTI_ARCHIVE_ARRAY(a, g->unlimited[k], n);
    }
    n = 3 * s->surface.nv;
    CTI_ARCHIVE_ARRAY(a, g->scope.x0, n), CTI_ARCHIVE_ARRAY(a, g->scope.x1, n);
}

static void cti_geometric_archive(cti_archive *a, cti_state *s, int prepared)
{
    cti_geometric none, *g = (cti_geometric *)cti_stepper_archived(a, s, &none, sizeof none);
    cti_geometric_scope scope = g->scope;
    cti_geometric_end end = g->end;
    int n = CTI_ARCHIVE_ANY(a, g->memory.keys), i, stale = g->scope.version != s->surface.soup.version;
    CTI_ARCHIVE_ARRAY(a, g->memory.force, 3 * n), CTI_ARCHIVE_ARRAY(a, g->memory.mean_before, 3 * n), CTI_ARCHIVE(a, g->memory.h);
    if (!prepared)
        return;
    CTI_ARCHIVE_ARRAY(a, g->implicit.last_acceleration, 3 * s->n), CTI_ARCHIVE_ARRAY(a, g->implicit.free_acceleration, 3 * s->n);
    CTI_ARCHIVE(a, g->implicit.renewals);
    cti_archive_value(a, &end.is_clean, 2 * sizeof end.is_clean);
    CTI_ARCHIVE_UP_TO(a, g->end.x_last, 3 * s->surface.nv);
    scope.measured &= scope.covered;
    CTI_ARCHIVE_VALUE(a, stale);
    cti_archive_value(a, &scope.covered, sizeof scope - offsetof(cti_geometric_scope, covered));
    CTI_ARCHIVE_ARRAY(a, g->scope.lo, 3 * s->surface.n_moving), CTI_ARCHIVE_ARRAY(a, g->scope.hi, 3 * s->surface.n_moving);
    if (scope.covered)
        cti_geometric_archive_lists(a, s, g);
    for (i = 0; i < CTI_LEN(g->detection.regions); i++)
        cti_geometric_archive_regions(a, &g->detection.regions[i]);
    if (!cti_archive_reads(a))
        return;
    g->end.is_clean = end.is_clean, g->end.is_known = end.is_known;
    g->scope.version = s->surface.soup.version - (stale != 0);
    g->scope.covered = scope.covered, g->scope.measured = scope.measured, g->scope.wide = scope.wide;
    g->scope.thickness_way = scope.thickness_way, g->scope.longest_way = scope.longest_way;
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_geometric(void)
{
    static const cti_stepper geometric = {CTI_STEPPER_NEEDS_FACTORS,
                                          cti_geometric_defaults,
                                          cti_geometric_check,
                                          cti_geometric_settle,
                                          cti_geometric_refusals,
                                          NULL,
                                          cti_geometric_prepare,
                                          cti_geometric_step,
                                          NULL,
                                          cti_geometric_unprepare,
                                          cti_geometric_archive};
    return &geometric;
}
