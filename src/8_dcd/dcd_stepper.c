/* dcd_stepper.c -- registers the discrete stepper: options, refusals, preparation, the last problem. */
#include "../0_base/log.h"
#include "dcd.h"

/* ---- options ---- */

static void cti_dcd_defaults(ct_world_desc *d)
{
    d->dcd.newton_iterations = 1;
    d->dcd.decouple = CT_DECOUPLE_PIVOT;
    d->dcd.friction = CT_DCD_FRICTION_IMPLICIT;
    d->dcd.max_substeps = 8;
    d->dcd.substep_fraction = CTI_R(0.5);
    d->dcd.recovery = CTI_R(0.5);
}

static ct_code cti_dcd_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_dcd_desc *q = &d->dcd;
    const cti_range ranges[] = {
        {(double)q->newton_iterations, 1, 100, "dcd.newton_iterations must be 1 to 100"},
        {(double)q->decouple, 0, CT_DECOUPLE_COUNT_ - 1, "dcd.decouple is out of range"},
        {(double)q->friction, 0, CT_DCD_FRICTION_COUNT_ - 1, "dcd.friction is out of range"},
        {(double)q->max_substeps, 1, 256, "dcd.max_substeps must be 1 to 256"},
        {(double)q->substep_fraction, CTI_POSITIVE, CTI_FINITE, "dcd.substep_fraction must be positive"},
        {(double)q->recovery, CTI_POSITIVE, 1, "dcd.recovery must be in (0, 1]"},
        {(double)q->depth, 0, CTI_FINITE, "dcd.depth must be zero or positive"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_DCD)
        return code;
    if (d->integrator != CT_INTEGRATOR_EULER)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_DCD steps by implicit Euler only: set integrator to CT_INTEGRATOR_EULER");
    if (d->solver.solver != CT_SOLVER_ICA && d->solver.solver != CT_SOLVER_AUTO && d->solver.solver != CT_SOLVER_MPRGP)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->solver.solver,
                             "CT_STEPPER_DCD solves by CT_SOLVER_MPRGP, which the default and CT_SOLVER_AUTO stand for, too");
    return CT_OK;
}

/* sets the options of Li 2015: one Newton iteration, no friction, and one random row a vertex, unless all rows or the deepest are chosen */
static void cti_dcd_complete(ct_world_desc *d)
{
    if (d->solver.termination != CT_TERMINATION_PAPER) {
        if (d->solver.solver == CT_SOLVER_MPRGP) /* of the program; friction's solver is ICA then */
            d->solver.solver = CT_SOLVER_ICA;
        return;
    }
    d->dcd.newton_iterations = 1;
    d->dcd.friction = CT_DCD_FRICTION_NONE;
    d->dcd.recovery = 1;
    d->dcd.max_substeps = 1;
    if (d->dcd.decouple == CT_DECOUPLE_PIVOT)
        d->dcd.decouple = CT_DECOUPLE_RANDOM;
}

static const cti_refusal cti_dcd_refusals[] = {
    {CTI_FEATURE_CLOTH, "CT_STEPPER_DCD needs bodies with an inside, and cloth has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_ROD, "CT_STEPPER_DCD needs bodies with an inside, and a rod has none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_POINTS, "CT_STEPPER_DCD needs bodies with an inside, and points have none: use CT_STEPPER_CMR"},
    {CTI_FEATURE_RIGID, "CT_STEPPER_DCD steps no rigid bodies, only soft ones: use CT_STEPPER_CMR"},
    {CTI_FEATURE_JOINT, "CT_STEPPER_DCD has no joints and no stitches: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SKIN, "CT_STEPPER_DCD has no limits of nodes against a skin: use CT_STEPPER_CMR"},
    {CTI_FEATURE_WIND, "CT_STEPPER_DCD has no drag and lift of air: use CT_STEPPER_CMR"},
    {CTI_FEATURE_REPAIR, "CT_STEPPER_DCD takes bodies apart in its steps; ct_world_repair is for CT_STEPPER_CMR"},
    {CTI_FEATURE_STEP, NULL}};

/* ---- preparation ---- */

/* sets centres and radii of a body's tets at rest */
static void cti_dcd_rest_tets(const cti_tet_batch *tets, const cti_stepper_body *b, ct_real *out)
{
    const ct_real *X = b->nodes;
    int i, k;
    for (i = 0; i < tets->n; i++) {
        const int32_t *t = tets->node + 4 * (size_t)i;
        cti_v3 c = cti_v3_zero();
        ct_real r = 0;
        for (k = 0; k < 4; k++)
            c = cti_v3_mad(c, cti_v3_at(X, t[k] - b->block0), CTI_R(0.25));
        for (k = 0; k < 4; k++)
            r = cti_max(r, cti_v3_norm(cti_v3_sub(cti_v3_at(X, t[k] - b->block0), c)));
        cti_v3_put(out + 4 * (size_t)i, 0, c);
        out[4 * (size_t)i + 3] = r;
    }
}

/* makes the stepper's data from the bodies. 0: out of memory */
static int cti_dcd_bodies(cti_state *s, const cti_stepper_body *bodies)
{
    cti_dcd *d = (cti_dcd *)cti_stepper_own(s, sizeof *d);
    int i, k, n = 0;
    if (!d)
        return 0;
    for (k = 0; k < s->bodies.n_models; k++)
        n += s->bodies.models[k]->tets.n;
    if (!CTI_RESIZE(&s->prepared, d->bodies, s->surface.n_bodies) || !CTI_RESIZE(&s->prepared, d->tet_rest, 4 * (size_t)n))
        return 0;
    if (!CTI_PUSH(&s->prepared, d->first_unknown, 0))
        return 0;
    for (i = n = 0; i < s->surface.n_bodies; i++) {
        const cti_stepper_body *b = &bodies[i];
        if (b->n_blocks > 0 && !CTI_PUSH(&s->prepared, d->first_unknown, 3 * (b->block0 + b->n_blocks)))
            return 0;
        memset(&d->bodies[i], 0, sizeof d->bodies[i]);
        d->bodies[i].model = b->model;
        if (b->model < 0)
            continue;
        d->bodies[i].embedded = b->embedded;
        d->bodies[i].tet0 = n;
        cti_dcd_rest_tets(&s->bodies.models[b->model]->tets, b, d->tet_rest + 4 * (size_t)n);
        n += s->bodies.models[b->model]->tets.n;
    }
    return cti_dcd_prepare(s);
}

/* ---- the last problem ---- */

#if CONTACT_WITH_FILES
/* copies numbers of the world as double. 0: out of memory */
static int cti_dcd_dump_vector(cti_mem *mem, const ct_real *from, int n, double **out)
{
    int i;
    if (!CTI_RESIZE(mem, *out, n))
        return 0;
    for (i = 0; i < n; i++)
        (*out)[i] = (double)from[i];
    return 1;
}

/* copies the last program and its solution. 0: out of memory */
static int cti_dcd_problem(cti_state *s, cti_mem *mem, cti_program *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    int i, m = CTI_LEN(s->contact.rows), n = 3 * s->n, ok;
    const cti_bsr *A = &s->system.A;
    cti_sparse J;
    double *w;
    out->kind = CTI_PROGRAM_QP, out->n = n, out->m = m, out->known.has_objective = 1;
    ok = cti_dcd_jacobian(s, &J, &w) && cti_sparse_reserve(mem, &out->A, n, n, 9 * A->row[A->n]) && cti_sparse_copy(mem, &J, &out->J) &&
         cti_dcd_dump_vector(mem, s->system.b, n, &out->b) && cti_dcd_dump_vector(mem, cti_dcd_of(s)->solve.solution, n, &out->known.x) &&
         CTI_RESIZE(mem, out->known.r, m) && CTI_RESIZE(mem, out->w, m);
    if (ok)
        cti_sparse_unblock(A, &out->A);
    if (ok && m)
        memcpy(out->w, w, sizeof *w * (size_t)m);
    for (i = 0; ok && i < m; i++)
        out->known.r[i] = (double)s->contact.origins[i].load;
    for (i = 0; ok && i < s->n; i++) {
        cti_v3 v = cti_v3_at(cti_dcd_of(s)->solve.solution, i), Av = cti_bsr_row(&s->system.A, cti_dcd_of(s)->solve.solution, i);
        out->known.objective += (double)(cti_v3_dot(v, Av) / 2 - cti_v3_dot(v, cti_v3_at(s->system.b, i)));
    }
    cti_arena_rewind(s->arena, mark);
    return ok;
}

#define CTI_DCD_PROBLEM cti_dcd_problem
#else
#define CTI_DCD_PROBLEM NULL
#endif

/* ---- snapshots ---- */

static void cti_dcd_archive(cti_archive *a, cti_state *s, int prepared)
{
    cti_dcd *d = cti_dcd_of(s);
    int b;
    if (!prepared)
        return;
    CTI_ARCHIVE_ARRAY(a, d->power, 3 * s->n);
    for (b = 0; b < s->surface.n_bodies && cti_archive_reads(a); b++)
        d->bodies[b].stale = 1;
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_dcd(void)
{
    static const cti_stepper dcd = {CTI_STEPPER_NEEDS_FACTORS | CTI_STEPPER_PRINTED | CTI_STEPPER_HALFWAY, cti_dcd_defaults, cti_dcd_check,
                                    cti_dcd_complete, cti_dcd_refusals, NULL, cti_dcd_bodies, cti_dcd_step, CTI_DCD_PROBLEM, NULL, cti_dcd_archive};
    return &dcd;
}
