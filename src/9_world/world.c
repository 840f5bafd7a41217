/* world.c -- creation, stepping, errors, library information. Method: the world validates arguments and keeps the bodies; all numerical
   work is on the floors below. */
#include "world.h"
#include "inspect.h"
#include "../0_base/log.h"
#include "../4_programs/bridge.h"
#include "../8_step/impulses.h"
#include "../8_step/integrate.h"
#include "../8_step/parts.h"
#include "../8_step/snapshot.h"
#include "../1_math/simd.h"

#define CTI_WORLD_MOST 1.7976931348623157e308 /* the largest double */

static const char *const cti_world_codes[] = {
#define CTI_WORLD_TEXT(name, text) text,
    CT_CODE_LIST(CTI_WORLD_TEXT)};
static const char *const cti_world_statuses[] = {CT_STATUS_LIST(CTI_WORLD_TEXT)};
#undef CTI_WORLD_TEXT
static const char *const cti_world_steppers[] = {"cmr", "dcd", "barrier", "layers", "penalty", "geometric", "explicit"};
static const char *const cti_world_integrators[] = {"euler", "newmark", "bdf2"};
static const char *const cti_world_solvers[] = {"auto",       "ica",   "ca",       "pgs",          "lemke",  "boxed",
                                                "active_set", "mprgp", "interior", "geometric_cg", "newton", "admm"};

CONTACT_API_DEF const char *ct_code_text(ct_code code) { return (int)code >= 0 && code < CT_CODE_COUNT_ ? cti_world_codes[code] : "?"; }
CONTACT_API_DEF const char *ct_status_text(ct_status status)
{
    return (int)status >= 0 && status < CT_STATUS_COUNT_ ? cti_world_statuses[status] : "?";
}
CONTACT_API_DEF const char *ct_stepper_text(ct_stepper stepper)
{
    return (int)stepper >= 0 && stepper < CT_STEPPER_COUNT_ ? cti_world_steppers[stepper] : "?";
}
CONTACT_API_DEF const char *ct_solver_text(ct_solver solver)
{
    return (int)solver >= 0 && solver < CT_SOLVER_COUNT_ ? cti_world_solvers[solver] : "?";
}
CONTACT_API_DEF const char *ct_integrator_text(ct_integrator integrator)
{
    return (int)integrator >= 0 && integrator < CT_INTEGRATOR_COUNT_ ? cti_world_integrators[integrator] : "?";
}
CONTACT_API_DEF int ct_stepper_built(ct_stepper stepper) 
{
    return (CONTACT_WITH_CMR && stepper == CT_STEPPER_CMR) || (CONTACT_WITH_DCD && stepper == CT_STEPPER_DCD) ||
           (CONTACT_WITH_BARRIER && stepper == CT_STEPPER_BARRIER);
}
CONTACT_API_DEF int ct_solver_built(ct_solver solver)
{
    return solver == CT_SOLVER_ICA || solver == CT_SOLVER_AUTO || cti_bridge_solver(solver);
}

/* names of what is built, each with a space in front */
static const char cti_world_built_steppers[] = ""
#if CONTACT_WITH_CMR
                                               " cmr"
#endif
#if CONTACT_WITH_DCD
                                               " dcd"
#endif
#if CONTACT_WITH_BARRIER
                                               " barrier"
#endif
    ;
static const char cti_world_built_solvers[] = " auto ica"
#if CONTACT_WITH_CA
                                              " ca"
#endif
#if CONTACT_WITH_PGS
                                              " pgs"
#endif
#if CONTACT_WITH_LEMKE
                                              " lemke"
#endif
#if CONTACT_WITH_BOXED
                                              " boxed"
#endif
#if CONTACT_WITH_ACTIVE_SET
                                              " active_set"
#endif
#if CONTACT_WITH_MPRGP
                                              " mprgp"
#endif
#if CONTACT_WITH_INTERIOR
                                              " interior"
#endif
#if CONTACT_WITH_NEWTON
                                              " newton"
#endif
#if CONTACT_WITH_ADMM
                                              " admm"
#endif
    ;

CONTACT_API_DEF const ct_library_info *ct_library_info_get(void)
{
    static const ct_library_info info = {CT_VERSION_MAJOR,
                                         CT_VERSION_MINOR,
                                         CT_VERSION_PATCH,
                                         CONTACT_REAL,
                                         CTI_SIMD_NAME,
                                         !CTI_FUSED,
                                         CONTACT_WITH_FILES,
                                         CONTACT_THREADS,
                                         cti_world_built_steppers + 1,
                                         cti_world_built_solvers + 1};
    return &info;
}

/* Defaults that are not built are refused here, by a name that says what to do: enum values are unknown to the preprocessor. */
#define CTI_WORLD_IS(solver) ((CONTACT_SOLVER) == CT_SOLVER_##solver)
typedef char cti_CONTACT_STEPPER_is_not_built_set_its_CONTACT_WITH_to_1[(CONTACT_WITH_CMR && (CONTACT_STEPPER) == CT_STEPPER_CMR) ||
                                                                                (CONTACT_WITH_DCD && (CONTACT_STEPPER) == CT_STEPPER_DCD) || (CONTACT_WITH_BARRIER && (CONTACT_STEPPER) == CT_STEPPER_BARRIER)
                                                                            ? 1
                                                                            : -1];
typedef char cti_CONTACT_SOLVER_is_not_built_set_its_CONTACT_WITH_to_1
    [CTI_WORLD_IS(AUTO) || CTI_WORLD_IS(ICA) || (CONTACT_WITH_CA && CTI_WORLD_IS(CA)) || (CONTACT_WITH_PGS && CTI_WORLD_IS(PGS)) ||
             (CONTACT_WITH_LEMKE && CTI_WORLD_IS(LEMKE)) || (CONTACT_WITH_BOXED && CTI_WORLD_IS(BOXED)) ||
             (CONTACT_WITH_ACTIVE_SET && CTI_WORLD_IS(ACTIVE_SET)) || (CONTACT_WITH_MPRGP && CTI_WORLD_IS(MPRGP)) ||
             (CONTACT_WITH_INTERIOR && CTI_WORLD_IS(INTERIOR)) || (CONTACT_WITH_NEWTON && CTI_WORLD_IS(NEWTON)) ||
             (CONTACT_WITH_ADMM && CTI_WORLD_IS(ADMM))
         ? 1
         : -1];
#undef CTI_WORLD_IS

CONTACT_API_DEF ct_solver_desc ct_solver_desc_default(void)
{
    ct_solver_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.solver = CONTACT_SOLVER;
    d.cone = CT_CONE_CONE;
    d.cluster = CT_CLUSTER_AUTO;
    d.termination = CT_TERMINATION_RESIDUAL;
    d.tolerance = sizeof(ct_real) == sizeof(float) ? CTI_R(1e-3) : CTI_R(1e-4); /* float does not resolve less: further sweeps would change
                                                                                   nothing */
    d.max_iterations = 500;
    d.max_sweeps = 200;
    d.inner_iterations = 200;
    d.inner_repeats = 3;
    d.relaxation = 1;
    d.seed = 1;
    return d;
}

CONTACT_API_DEF ct_world_desc ct_world_desc_default(void)
{
    ct_world_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.gravity[1] = CTI_R(-9.81);
    d.thickness = CTI_R(1e-3);
    d.friction = CTI_R(0.4);
    d.self_collision = 1;
    d.stepper = CONTACT_STEPPER;
    d.solver = ct_solver_desc_default();
    d.cmr_rounds = 5;
    d.max_halvings = 5;
    d.recovery_speed = 1;
    d.newton_iterations = 8;
    d.dcd.newton_iterations = 1;
    d.dcd.decouple = CT_DECOUPLE_PIVOT;
    d.dcd.friction = CT_DCD_FRICTION_IMPLICIT;
    d.dcd.max_substeps = 8;
    d.dcd.substep_fraction = d.dcd.recovery = CTI_R(0.5);
    d.barrier.friction_velocity = d.barrier.newton_tolerance = CTI_R(1e-3);
    d.barrier.friction_iterations = 1;
    d.barrier.newton_iterations = 200;
    return d;
}

CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text)
{
    w->error.code = code;
    w->error.text = text;
    w->error.body = body;
    w->error.element = element;
    w->error.value = value;
    return code;
}

CTI_FN ct_code cti_world_busy(ct_world *w)
{
    ct_body_id none = {0, 0};
    return w->busy ? cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "the world is in a call: a callback may not call back into it") : CT_OK;
}

CTI_FN ct_code cti_world_refuse_discrete(ct_world *w, const char *name, const char *text)
{
    ct_body_id none = {0, 0};
    char *to = w->error.buffer, *end = to + sizeof w->error.buffer - 1;
    if (!CTI_IS_DISCRETE(&w->state))
        return CT_OK;
    for (; name && *name && to < end; name++)
        *to++ = *name;
    for (name = name ? ": " : ""; *name && to < end; name++)
        *to++ = *name;
    for (name = text; *name && to < end; name++)
        *to++ = *name;
    *to = '\0';
    return cti_world_fail(w, CT_ERR_UNSUPPORTED, none, -1, 0, w->error.buffer);
}

static ct_code cti_world_refuse(ct_error_info *out, ct_code code, double value, const char *text)
{
    if (out) {
        memset(out, 0, sizeof *out);
        out->code = code;
        out->text = text;
        out->element = -1;
        out->value = value;
    }
    return code;
}

static ct_code cti_world_check_solver(const ct_solver_desc *s, ct_error_info *e)
{
    if (s->cookie != CTI_COOKIE)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, s->cookie, "solver desc was not made by ct_solver_desc_default");
    if ((int)s->solver < 0 || s->solver >= CT_SOLVER_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)s->solver, "solver.solver is out of range");
    if (!ct_solver_built(s->solver))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->solver, "solver '%s' is not built", ct_solver_text(s->solver));
    if (!(s->tolerance > 0) || !cti_finite(s->tolerance))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)s->tolerance, "solver.tolerance must be positive");
    if (s->max_iterations < 1 || s->inner_iterations < 1 || s->max_sweeps < 1 || s->inner_repeats < 1)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, s->max_iterations, "solver iteration counts must be at least 1");
    if ((int)s->cone < 0 || s->cone > CT_CONE_CONE || (int)s->cluster < 0 || s->cluster > CT_CLUSTER_BODY || (int)s->termination < 0 ||
        s->termination > CT_TERMINATION_PAPER)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "solver cone, cluster or termination is out of range");
    if (!cti_bridge_cone(s->solver, s->cone))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->cone,
                             "solver '%s' solves for Coulomb's cone only, solver.cone is another", ct_solver_text(s->solver));
    if (s->budget < 0 || !(s->seconds >= 0) || s->order < 0 || s->order > 2 || (int)s->friction < 0 || s->friction > CT_FRICTION_LOCAL ||
        !(s->relaxation > 0) || !(s->relaxation < 2))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, s->relaxation, "solver budget, seconds, order, relaxation or friction is out of range");
    return CT_OK;
}

static ct_code cti_world_check_dcd(const ct_world_desc *d, ct_error_info *e)
{
    const ct_dcd_desc *q = &d->dcd;
    if (q->newton_iterations < 1 || q->newton_iterations > 100)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, q->newton_iterations, "dcd.newton_iterations must be 1 to 100");
    if ((int)q->decouple < 0 || q->decouple >= CT_DECOUPLE_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)q->decouple, "dcd.decouple is out of range");
    if ((int)q->friction < 0 || q->friction >= CT_DCD_FRICTION_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)q->friction, "dcd.friction is out of range");
    if (q->max_substeps < 1 || q->max_substeps > 256)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, q->max_substeps, "dcd.max_substeps must be 1 to 256");
    if (!(q->substep_fraction > 0) || !cti_finite(q->substep_fraction))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)q->substep_fraction, "dcd.substep_fraction must be positive");
    if (!(q->recovery > 0 && q->recovery <= 1))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)q->recovery, "dcd.recovery must be in (0, 1]");
    if (!(q->depth >= 0) || !cti_finite(q->depth))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)q->depth, "dcd.depth must be zero or positive");
    if (d->stepper != CT_STEPPER_DCD)
        return CT_OK;
    if (d->integrator != CT_INTEGRATOR_EULER)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->integrator, "CT_STEPPER_DCD steps by implicit Euler only");
    if (d->ccd_limits_step)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, 1, "CT_STEPPER_DCD has no continuous detection that could limit a step");
    if (d->solver.solver != CT_SOLVER_ICA && d->solver.solver != CT_SOLVER_AUTO && d->solver.solver != CT_SOLVER_MPRGP)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->solver.solver,
                                "CT_STEPPER_DCD solves by CT_SOLVER_MPRGP, which the default and CT_SOLVER_AUTO stand for, too");
    return CT_OK;
}

static ct_code cti_world_check_paper(const ct_world_desc *d, ct_error_info *e)
{
    if (d->solver.termination != CT_TERMINATION_PAPER || d->stepper == CT_STEPPER_DCD)
        return CT_OK;
    if (d->solver.solver != CT_SOLVER_ICA && d->solver.solver != CT_SOLVER_AUTO)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->solver.solver, "solver '%s' has no termination PAPER, which is CT_SOLVER_ICA's with CT_STEPPER_CMR, CT_SOLVER_MPRGP's with CT_STEPPER_DCD",
                             ct_solver_text(d->solver.solver));
    if (d->stepper != CT_STEPPER_CMR)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->stepper, "solver.termination PAPER is for CT_STEPPER_CMR and CT_STEPPER_DCD");
    return CT_OK;
}

static ct_code cti_world_check_tasks(const ct_tasks *t, ct_error_info *e)
{
    if (t->worker_count < 0 || t->worker_count > CTI_POOL_MOST)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, t->worker_count, "tasks.worker_count must be 0 to 256");
    if (!t->enqueue != !t->finish)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "tasks.enqueue and tasks.finish need each other");
    if (!CONTACT_THREADS && !t->enqueue && t->worker_count > 1)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, t->worker_count,
                                "threads of the world's own (tasks.worker_count without enqueue) are not built: CONTACT_THREADS is 0");
    return CT_OK;
}

static ct_code cti_world_check(const ct_world_desc *d, ct_error_info *e)
{
    ct_code code;
    int k;
    if (d->cookie != CTI_COOKIE)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "world desc was not made by ct_world_desc_default");
    for (k = 0; k < 3; k++)
        if (!cti_finite(d->gravity[k]))
            return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "gravity must be finite");
    for (k = 0; k < 3; k++)
        if (!cti_finite64(d->origin[k]))
            return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "origin must be finite");
    if (!(d->thickness > 0) || !cti_finite(d->thickness))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->thickness, "thickness must be positive");
    if (!(d->friction >= 0) || !cti_finite(d->friction))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->friction, "friction must be zero or positive");
    if (d->restitution != 0)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->restitution, "restitution other than 0 is not built");
    if ((int)d->stepper < 0 || d->stepper >= CT_STEPPER_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->stepper, "stepper is out of range");
    if (!ct_stepper_built(d->stepper))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->stepper, "stepper '%s' is not built", ct_stepper_text(d->stepper));
    if ((int)d->integrator < 0 || d->integrator >= CT_INTEGRATOR_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->integrator, "integrator is out of range");
    if ((int)d->broad_phase < 0 || d->broad_phase >= CT_BROAD_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->broad_phase, "broad_phase is out of range");
    if (d->newton_iterations < 1 || d->newton_iterations > 100)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, d->newton_iterations, "newton_iterations must be 1 to 100");
    if (d->cmr_rounds < 1 || d->max_halvings < 0 || d->max_halvings > 8)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, d->cmr_rounds, "cmr_rounds must be at least 1, max_halvings 0 to 8");
    if ((int)d->row_mode < 0 || d->row_mode > CT_ROW_VELOCITY)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->row_mode, "row_mode is out of range");
    if (d->ccd_limits_step != 0 && d->ccd_limits_step != 1)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, d->ccd_limits_step, "ccd_limits_step must be 0 or 1");
    if (!(d->recovery_speed >= 0))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->recovery_speed, "recovery_speed must be zero or positive");
    if (cti_world_check_dcd(d, e) != CT_OK)
        return e ? e->code : CT_ERR_ARGUMENT;
    code = cti_world_check_tasks(&d->tasks, e);
    if (code == CT_OK)
        code = cti_world_check_solver(&d->solver, e);
    return code == CT_OK ? cti_world_check_paper(d, e) : code;
}

/* the settings of Li 2015: one Newton iteration, no friction, and one random row a vertex, unless all rows or the deepest are chosen */
static void cti_world_as_li_printed(ct_world_desc *d)
{
    d->dcd.newton_iterations = 1, d->dcd.friction = CT_DCD_FRICTION_NONE, d->dcd.recovery = 1, d->dcd.max_substeps = 1;
    if (d->dcd.decouple == CT_DECOUPLE_PIVOT)
        d->dcd.decouple = CT_DECOUPLE_RANDOM;
}

/* the settings of Otaduy 2009, or with DCD of Li 2015, where the paper's own step is chosen */
static void cti_world_as_printed(ct_world_desc *d)
{
    if (d->solver.termination != CT_TERMINATION_PAPER)
        return;
    if (d->stepper == CT_STEPPER_DCD) {
        cti_world_as_li_printed(d);
        return;
    }
    d->solver.solver = CT_SOLVER_ICA, d->solver.cluster = CT_CLUSTER_NODE;
    if (d->solver.cone == CT_CONE_CONE)
        d->solver.cone = CT_CONE_BOX;
    d->solver.inner_repeats = 3;
    d->newton_iterations = 1, d->cmr_rounds = 5, d->max_halvings = 2;
}

/* 1 when products and sums of this file were fused in spite of the pragma on top of contact.h: by clang -ffp-contract=fast, or in src/
   built without -ffp-contract=off. The collision test's bounds do not hold then. The test: without fusion the exact product 1 - 2^-54
   rounds to 1 */
static int cti_world_contracted(void)
{
    volatile double a = 1 + 1.0 / 134217728, b = 1 - 1.0 / 134217728, c = -1;
    double x = a, y = b, z = c;
    return x * y + z != 0;
}

/* starts the world's own threads, where they are asked for */
static ct_code cti_world_start_pool(ct_world *w, ct_error_info *e)
{
    ct_tasks *t = &w->state.desc.tasks;
    int failed, system;
    if (t->enqueue || t->worker_count < 2)
        return CT_OK;
    w->pool = cti_pool_create(&w->mem, t->worker_count, &failed, &system);
    if (!w->pool && failed < 0)
        return cti_world_refuse(e, CT_ERR_MEMORY, t->worker_count, "out of memory");
    if (!w->pool)
        return cti_error_set(e, CT_ERR_MEMORY, failed, system, "thread %d of %d could not be started (system error %d)", failed, t->worker_count - 1,
                             system);
    t->enqueue = cti_pool_enqueue, t->finish = cti_pool_finish, t->user = w->pool;
    return CT_OK;
}

static ct_code cti_world_make(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error)
{
    cti_mem mem;
    ct_world *w;
    ct_code code;
    if (!out_world)
        return cti_world_refuse(out_error, CT_ERR_ARGUMENT, 0, "out_world is NULL");
    if (!desc) {
        ct_world_desc usual = ct_world_desc_default();
        return cti_world_make(&usual, out_world, out_error);
    }
    if (cti_world_contracted())
        return cti_world_refuse(out_error, CT_ERR_UNSUPPORTED, 0, "the compiler has fused products and sums: compile with -ffp-contract=off");
    code = cti_world_check(desc, out_error);
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, &desc->allocator);
    w = (ct_world *)cti_mem_resize(&mem, NULL, 0, sizeof *w);
    if (!w)
        return cti_world_refuse(out_error, CT_ERR_MEMORY, (double)sizeof *w, "out of memory");
    memset(w, 0, sizeof *w);
    w->mem = mem;
    cti_arena_init(&w->arena, &w->mem);
    w->state.mem = &w->mem;
    w->state.arena = &w->arena;
    w->state.desc = *desc;
    cti_world_as_printed(&w->state.desc);
    w->error.element = -1;
    w->error.text = ct_code_text(CT_OK);
    code = cti_world_start_pool(w, out_error);
    if (code != CT_OK) {
        mem = w->mem;
        cti_mem_resize(&mem, w, sizeof *w, 0);
        return code;
    }
    *out_world = w;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_create(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error)
{
    uint64_t mode = cti_fpenv_enter();
    ct_code code = cti_world_make(desc, out_world, out_error);
    cti_fpenv_leave(mode);
    return code;
}

static void cti_world_free_state(ct_world *w)
{
    cti_state *s = &w->state;
    cti_mem *m = &w->mem;
    int i;
    CTI_FREE(m, s->x), CTI_FREE(m, s->v), CTI_FREE(m, s->mass), CTI_FREE(m, s->inv_mass), CTI_FREE(m, s->alpha), CTI_FREE(m, s->dt_prev);
    CTI_FREE(m, s->fall), CTI_FREE(m, s->fall_new), CTI_FREE(m, s->energies), CTI_FREE(m, s->energies_new), CTI_FREE(m, s->works), CTI_FREE(m, s->moduli);
    CTI_FREE(m, s->gains), CTI_FREE(m, s->whole), CTI_FREE(m, s->q), CTI_FREE(m, s->turns), CTI_FREE(m, s->groups), CTI_FREE(m, s->force0), CTI_FREE(m, s->impulse);
    CTI_FREE(m, s->held), CTI_FREE(m, s->fixed), CTI_FREE(m, s->v_fixed), CTI_FREE(m, s->filter), CTI_FREE(m, s->projectors);
    CTI_FREE(m, s->pins), CTI_FREE(m, s->path), CTI_FREE(m, s->directions);
    CTI_FREE(m, s->b), CTI_FREE(m, s->force), CTI_FREE(m, s->v_free), CTI_FREE(m, s->dv), CTI_FREE(m, s->dv_free), CTI_FREE(m, s->v_new);
    CTI_FREE(m, s->x_new), CTI_FREE(m, s->pcg_work);
    CTI_FREE(m, s->rigids), CTI_FREE(m, s->rigid_of), CTI_FREE(m, s->frames0), CTI_FREE(m, s->frames1), CTI_FREE(m, s->movers);
    CTI_FREE(m, s->joints);
    cti_integrate_free(s);
    cti_snapshot_free(m, &s->start);
    CTI_FREE(m, s->rows), CTI_FREE(m, s->origins), CTI_FREE(m, s->hits), CTI_FREE(m, s->tangled_pairs);
    CTI_FREE(m, s->repairs), CTI_FREE(m, s->ways);
#if CONTACT_WITH_DCD
    cti_dcd_free(m, &s->dcd);
#endif
#if CONTACT_WITH_BARRIER
    cti_barrier_free(s);
#endif
    cti_memory_free(m, &s->memory);
    for (i = 0; i < 2 * CTI_PARTS_DEPTH; i++)
        cti_memory_free(m, &s->memory_step[i]);
    cti_parts_free(m, &s->parts);
    cti_impulses_free(m, &s->impulses);
    cti_impulses_free(m, &s->impulses_step);
    CTI_FREE(m, s->reactions.blocks), CTI_FREE(m, s->reactions.values);
}

CONTACT_API_DEF void ct_world_destroy(ct_world *w)
{
    cti_mem mem;
    int i;
    if (!w || cti_world_busy(w) != CT_OK)
        return;
    cti_world_unprepare(w);
    cti_world_free_state(w);
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        cti_world_free_body(w, &w->bodies[i]);
    CTI_FREE(&w->mem, w->bodies);
    CTI_FREE(&w->mem, w->joints);
    CTI_FREE(&w->mem, w->pairs);
    CTI_FREE(&w->mem, w->contacts);
    cti_arena_free(&w->arena);
    cti_pool_destroy(&w->mem, w->pool);
    mem = w->mem;
    cti_mem_resize(&mem, w, sizeof *w, 0);
}

/* counts bodies so far from the origin that their thickness is below 64 ulp of a coordinate */
static int cti_world_coarse(const cti_surface *f)
{
    int b, i, n = 0;
    for (b = 0; b < f->n_bodies; b++) {
        ct_real big = 0;
        for (i = 3 * f->ranges[b].v0; f->bodies[b].moves && i < 3 * f->ranges[b].v1; i++)
            big = cti_max(big, cti_abs(f->x0[i]));
        n += f->bodies[b].thickness < CTI_WORLD_ULPS * CTI_EPS * big;
    }
    return n;
}

/* an overflowing sum, or a difference of such sums, becomes the largest number */
static double cti_world_bounded(double x) { return cti_finite64(x) ? x : (x < 0 ? -CTI_WORLD_MOST : CTI_WORLD_MOST); }

static void cti_world_bound(ct_step_report *r)
{
    double *sums[10];
    ct_real *reals[2];
    int k;
    sums[0] = &r->energy_kinetic, sums[1] = &r->energy_elastic, sums[2] = &r->energy_gravity, sums[3] = &r->work_script, sums[4] = &r->work_pins;
    sums[5] = &r->work_joints, sums[6] = &r->work_recovery, sums[7] = &r->loss_contact, sums[8] = &r->loss_damping, sums[9] = &r->energy_gained;
    for (k = 0; k < 10; k++)
        *sums[k] = cti_world_bounded(*sums[k]);
    for (k = 0; k < 3; k++)
        r->center_of_mass[k] = cti_world_bounded(r->center_of_mass[k]);
    reals[0] = &r->residual, reals[1] = &r->momentum_lost;
    for (k = 0; k < 2; k++)
        *reals[k] = cti_finite(*reals[k]) ? *reals[k] : CTI_REAL_MAX;
}

/* the report's times, which add up to the total, and bounds on sums that may overflow. t0, t1: start of the step, and end of the bodies'
   preparation [ms] */
static void cti_world_report(const ct_world *w, double t0, double t1, ct_step_report *r)
{
    if (w->state.limit.n > 0)
        cti_world_public_pair(w, &w->state.limit, &r->limit);
    r->coarse = cti_world_coarse(&w->state.surface);
    cti_world_bound(r);
    r->ms_prepare = t1 - t0;
    r->ms_total = cti_cmr_clock(&w->state) - t0;
    r->ms_finish = r->ms_total - r->ms_prepare - r->ms_assemble - r->ms_unconstrained - r->ms_detect - r->ms_solve;
    r->ms_finish = r->ms_finish > 0 ? r->ms_finish : 0;
}

/* the step of the world's stepper */
static ct_code cti_world_advance(cti_state *s, ct_real dt, ct_step_report *report)
{
#if CONTACT_WITH_DCD
    if (CTI_IS_DISCRETE(s))
        return cti_dcd_step(s, dt, report);
#endif
#if CONTACT_WITH_BARRIER
    if (s->desc.stepper == CT_STEPPER_BARRIER)
        return cti_barrier_step(s, dt, report);
#endif
#if CONTACT_WITH_CMR
    return cti_step(s, dt, report);
#else
    return CT_ERR_UNSUPPORTED; /* unreachable: ct_world_create refuses such a world */
#endif
}

static ct_code cti_world_step(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    ct_step_report report;
    ct_body_id none = {0, 0};
    ct_code code;
    double t0, t1;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!(dt > 0) || !cti_finite(dt))
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, (double)dt, "dt must be positive and finite");
    w->busy = 1;
    t0 = cti_cmr_clock(&w->state);
    code = cti_world_prepare(w);
    if (code != CT_OK) {
        w->busy = 0;
        return code;
    }
    t1 = cti_cmr_clock(&w->state);
    w->contacts_ready = 0;
    w->mem.failed = 0;
    code = cti_world_advance(&w->state, dt, &report);
    if (code == CT_OK && CONTACT_VALIDATE) {
        code = cti_inspect(w, &report);
        if (code == CT_ERR_MEMORY)
            cti_step_undo(&w->state);
    }
    w->mem.failed = 0;
    if (code != CT_ERR_MEMORY && out_report) {
        cti_world_report(w, t0, t1, &report);
        *out_report = report;
    }
    w->busy = 0;
    return code != CT_ERR_MEMORY ? code : cti_world_fail(w, code, none, -1, 0, "out of memory in a step; the world is as it was");
}

CONTACT_API_DEF ct_code ct_world_step(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    uint64_t mode = cti_fpenv_enter();
    ct_code code = cti_world_step(w, dt, out_report);
    cti_fpenv_leave(mode);
    return code;
}

CONTACT_API_DEF const ct_error_info *ct_world_error(const ct_world *w) { return w ? &w->error : NULL; }
CONTACT_API_DEF double ct_world_time(const ct_world *w) { return w ? w->state.time : 0; }
CONTACT_API_DEF int ct_world_body_count(const ct_world *w) { return w ? w->n_alive : 0; }
CONTACT_API_DEF void ct_world_allocations(const ct_world *w, int64_t *out_calls, int64_t *out_bytes)
{
    if (out_calls)
        *out_calls = w ? w->mem.n_calls : 0;
    if (out_bytes)
        *out_bytes = w ? w->mem.bytes_live : 0;
}
