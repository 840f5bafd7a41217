/* penalty_stepper.c -- registers the penalty stepper: options, refusals, memory. */
#include "../0_base/log.h"
#include "../0_base/sort.h"
#include "penalty.h"

static void cti_penalty_defaults(ct_world_desc *d)
{
    ct_penalty_desc *q = &d->penalty;
    q->damping = -1;
    q->friction_velocity = CTI_R(1e-3);
    q->warp = 1;
    q->iterations = 100;
    q->max_substeps = 256;
}

static ct_code cti_penalty_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_penalty_desc *q = &d->penalty;
    const cti_range ranges[] = {
        {(double)q->form, 0, CT_PENALTY_FORM_COUNT_ - 1, "penalty.form is out of range"},
        {(double)q->depth, 0, CT_PENALTY_DEPTH_COUNT_ - 1, "penalty.depth is out of range"},
        {(double)q->friction, 0, CT_PENALTY_FRICTION_COUNT_ - 1, "penalty.friction is out of range"},
        {(double)q->stiffness, 0, CTI_FINITE, "penalty.stiffness must be zero or positive"},
        {q->damping == -1 ? 0 : (double)q->damping, 0, CTI_FINITE, "penalty.damping must be zero, positive or -1"},
        {(double)q->friction_stiffness, 0, CTI_FINITE, "penalty.friction_stiffness must be zero or positive"},
        {(double)q->friction_velocity, CTI_POSITIVE, CTI_FINITE, "penalty.friction_velocity must be positive"},
        {(double)q->warp, 0, 1, "penalty.warp must be 0 or 1"},
        {(double)q->iterations, 1, 1000, "penalty.iterations must be 1 to 1000"},
        {(double)q->max_substeps, 1, 4096, "penalty.max_substeps must be 1 to 4096"}};
    ct_code code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK || d->stepper != CT_STEPPER_PENALTY)
        return code;
    if (d->integrator != CT_INTEGRATOR_EULER)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->integrator,
                             "CT_STEPPER_PENALTY steps by implicit Euler only: set integrator to CT_INTEGRATOR_EULER");
    return CT_OK;
}

static const cti_refusal cti_penalty_refusals[] = {
    {CTI_FEATURE_JOINT, "CT_STEPPER_PENALTY has no joints and no stitches: use CT_STEPPER_CMR"},
    {CTI_FEATURE_SKIN, "CT_STEPPER_PENALTY has no limits of nodes against a skin: use CT_STEPPER_CMR"},
    {CTI_FEATURE_WIND, "CT_STEPPER_PENALTY has no drag and lift of air: use CT_STEPPER_CMR"},
    {CTI_FEATURE_REPAIR, "CT_STEPPER_PENALTY cannot tell sides that it has not seen: repair the bodies in a world of CT_STEPPER_CMR"},
    {CTI_FEATURE_PROBLEM, "CT_STEPPER_PENALTY solves no contact problem: its contacts are springs: use CT_STEPPER_CMR"},
    {CTI_FEATURE_STEP, NULL}};

/* ---- memory ---- */

/* drops all but the energy in the springs, the records and the ids of bodies: contacts of bodies that remain outlive a change of others */
static void cti_penalty_unprepare(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    if (p)
        memset(p, 0, offsetof(cti_penalty, next)), p->bodies.fresh = NULL;
}

/* sets masses of the bodies that contacts move */
static void cti_penalty_body_masses(cti_state *s, const cti_stepper_body *bodies)
{
    int i, k;
    for (i = 0; i < s->surface.n_bodies; i++) {
        ct_real *m = &cti_penalty_of(s)->mass[i];
        *m = 0;
        for (k = 0; s->surface.bodies[i].dynamic && k < bodies[i].n_blocks; k++)
            *m += s->bodies.mass[bodies[i].block0 + k];
    }
}

/* tells bodies that have been in a step from new ones. 0: out of memory */
static int cti_penalty_find_new_bodies(cti_state *s)
{
    cti_penalty *p = cti_penalty_of(s);
    const cti_surface *f = &s->surface;
    uint64_t *swap = p->bodies.known, *scratch = CTI_ARENA_NEW(s->arena, uint64_t, f->n_bodies + 1);
    int i;
    if (p->is_known)
        p->bodies.known = p->bodies.ids, p->bodies.ids = swap, p->is_known = 0;
    if (!scratch || !CTI_RESIZE(s->mem, p->bodies.ids, f->n_bodies) || !CTI_RESIZE(&s->prepared, p->bodies.fresh, f->n_bodies))
        return 0;
    for (i = 0; i < f->n_bodies; i++) {
        p->bodies.ids[i] = f->bodies[i].id;
        p->bodies.fresh[i] = !cti_sort_has_u64(p->bodies.known, CTI_LEN(p->bodies.known), p->bodies.ids[i]);
    }
    if (f->n_bodies)
        cti_sort_u64(p->bodies.ids, NULL, scratch, NULL, f->n_bodies);
    return 1;
}

static int cti_penalty_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    cti_penalty *p = cti_penalty_of(s);
    int n = s->bodies.n_models + CTI_LEN(s->bodies.rigids), components = CTI_LEN(s->factors.components);
    if (!p)
        s->own = p = (cti_penalty *)cti_mem_zero(s->mem, sizeof *p);
    if (!p || !CTI_RESIZE(&s->prepared, p->mass, s->surface.n_bodies) || !CTI_RESIZE(&s->prepared, p->inverse, 9 * (size_t)s->n) ||
        !CTI_RESIZE(&s->prepared, p->jacobi, 9 * (size_t)s->n) || !CTI_RESIZE(&s->prepared, p->work, 24 * (size_t)s->n) ||
        !CTI_RESIZE(&s->prepared, p->islands.first, components) || !CTI_RESIZE(&s->prepared, p->islands.scale, components) ||
        !CTI_RESIZE(&s->prepared, p->islands.lines, components) ||
        !CTI_RESIZE(&s->prepared, p->rebounds, n) || !cti_penalty_find_new_bodies(s))
        return 0;
    cti_penalty_body_masses(s, bodies);
    return s->desc.penalty.depth != CT_PENALTY_INSIDE || cti_penalty_inside_prepare(s);
}

/* ---- snapshots ---- */

static void cti_penalty_archive(cti_archive *a, cti_state *s, int prepared)
{
    cti_penalty none, *p = (cti_penalty *)cti_stepper_archived(a, s, &none, sizeof none);
    int n = CTI_ARCHIVE_ANY(a, p->records), b;
    CTI_ARCHIVE_GAP(a, n, cti_penalty_record, taken, sizeof(cti_penalty_record));
    CTI_ARCHIVE_ANY(a, p->bodies.ids), CTI_ARCHIVE_ANY(a, p->bodies.known);
    CTI_ARCHIVE(a, p->energy), CTI_ARCHIVE(a, p->is_known);
    if (prepared)
        CTI_ARCHIVE_ARRAY(a, p->bodies.fresh, s->surface.n_bodies);
    if (cti_archive_reads(a) && n > CTI_LEN(s->contact.memory.items))
        CTI_CLEAR(p->records);
    for (b = 0; b < CTI_LEN(p->inside.bodies) && cti_archive_reads(a); b++)
        p->inside.bodies[b].stale = 1;
}

CTI_CONSTANT_FN const cti_stepper *cti_stepper_penalty(void)
{
    static const cti_stepper penalty = {CTI_STEPPER_NEEDS_FACTORS | CTI_STEPPER_HALFWAY, cti_penalty_defaults, cti_penalty_check, NULL,
                                        cti_penalty_refusals, NULL, cti_penalty_prepare, cti_penalty_step, NULL, cti_penalty_unprepare,
                                        cti_penalty_archive};
    return &penalty;
}
