/* world.c -- creation, stepping, errors, library information. Method: the world validates arguments and keeps the bodies; all numerical
   work is in lower folders. */
#include "sleep.h"
#include "inspect.h"
#include "../4_programs/bridge.h"
#include "../1_math/simd.h"

#define CTI_WORLD_MOST 1.7976931348623157e308 /* the largest double */

static const char *const cti_world_codes[] = {
#define CTI_WORLD_TEXT(name, text) text,
    CT_CODE_LIST(CTI_WORLD_TEXT)};
static const char *const cti_world_statuses[] = {CT_STATUS_LIST(CTI_WORLD_TEXT)};
static const char *const cti_world_integrators[] = {"euler", "newmark", "bdf2", "midpoint"};
CONTACT_API_DEF const char *ct_code_text(ct_code code) { return (int)code >= 0 && code < CT_CODE_COUNT_ ? cti_world_codes[code] : "?"; }
CONTACT_API_DEF const char *ct_status_text(ct_status status)
{
    return (int)status >= 0 && status < CT_STATUS_COUNT_ ? cti_world_statuses[status] : "?";
}
#define CTI_WORLD_CASE(name, number, word, ...) case name: return #word;
CONTACT_API_DEF const char *ct_stepper_text(ct_stepper stepper)
{
    switch (stepper) {
        CT_STEPPER_LIST(CTI_WORLD_CASE)
    default:
        return "?";
    }
}
CONTACT_API_DEF const char *ct_solver_text(ct_solver solver)
{
    switch (solver) {
    case CT_SOLVER_AUTO:
        return "auto";
        CT_SOLVER_LIST(CTI_WORLD_CASE)
        CT_SOLVER_LIST_OWN(CTI_WORLD_CASE)
    default:
        return "?";
    }
}
CONTACT_API_DEF const char *ct_integrator_text(ct_integrator integrator)
{
    return (int)integrator >= 0 && integrator < CT_INTEGRATOR_COUNT_ ? cti_world_integrators[integrator] : "?";
}
CONTACT_API_DEF int ct_stepper_built(ct_stepper stepper) { return cti_steppers_find(stepper) != NULL; }
/* the stepper whose own solver this is, or -1 */
static int cti_world_owner(ct_solver solver)
{
#define CTI_WORLD_OWNER(name, number, word, built, stepper) solver == name ? (int)stepper:
    return CT_SOLVER_LIST_OWN(CTI_WORLD_OWNER) -1;
}
CONTACT_API_DEF int ct_solver_built(ct_solver solver)
{
    int owner = cti_world_owner(solver);
    return owner >= 0 ? ct_stepper_built((ct_stepper)owner) : solver == CT_SOLVER_ICA || solver == CT_SOLVER_AUTO || cti_bridge_solver(solver);
}

/* names of what is built, each with a space in front */
#define CTI_WORLD_STEPPER_WORD(name, number, word, built) CTI_IF(built, " " #word)
#define CTI_WORLD_SOLVER_WORD(name, number, word, built, worlds) CTI_IF(built, " " #word)
static const char cti_world_built_steppers[] = "" CT_STEPPER_LIST(CTI_WORLD_STEPPER_WORD);
static const char cti_world_built_solvers[] = " auto ica" CT_SOLVER_LIST_OPTIONAL(CTI_WORLD_SOLVER_WORD) CT_SOLVER_LIST_OWN(CTI_WORLD_SOLVER_WORD);

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

/* the default stepper: the user's, or the first of the list that is built */
#ifdef CONTACT_STEPPER
enum { CTI_WORLD_STEPPER = (int)(CONTACT_STEPPER) };
#else
#define CTI_WORLD_FIRST(name, number, word, built) (built) ? (int)name:
enum { CTI_WORLD_STEPPER = CT_STEPPER_LIST(CTI_WORLD_FIRST) -1 };
#endif
/* Defaults that are not built are refused here, by a name that says what to do: enum values are unknown to the preprocessor. */
#define CTI_WORLD_IS_STEPPER(name, number, word, built) || ((built) && CTI_WORLD_STEPPER == (int)name)
#define CTI_WORLD_IS_SOLVER(name, number, word, built, worlds) || ((built) && (CONTACT_SOLVER) == name)
typedef char cti_CONTACT_STEPPER_is_not_built_set_its_CONTACT_WITH_to_1[(0 CT_STEPPER_LIST(CTI_WORLD_IS_STEPPER)) ? 1 : -1];
typedef char cti_CONTACT_SOLVER_is_not_built_set_its_CONTACT_WITH_to_1
    [((CONTACT_SOLVER) == CT_SOLVER_AUTO || (CONTACT_SOLVER) == CT_SOLVER_ICA CT_SOLVER_LIST_OPTIONAL(CTI_WORLD_IS_SOLVER)) ? 1 : -1];

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

CONTACT_API_DEF ct_world_desc ct_world_desc_default(void) { return ct_world_desc_default_for((ct_stepper)CTI_WORLD_STEPPER); }

CONTACT_API_DEF ct_world_desc ct_world_desc_default_for(ct_stepper stepper)
{
    ct_world_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.gravity[1] = CTI_R(-9.81);
    d.thickness = CTI_R(1e-3);
    d.friction = CTI_R(0.4);
    d.restitution_threshold = 1;
    d.restitution_combine = CT_COMBINE_MAX;
    d.self_collision = 1;
    d.stepper = stepper;
    d.solver = ct_solver_desc_default();
    d.cmr_rounds = 5;
    d.max_halvings = 5;
    d.recovery_speed = 1;
    d.sleep_speed = CTI_R(0.01);
    d.hit_speed = 1;
    d.newton_iterations = 8;
    cti_steppers_defaults(&d);
    return d;
}

CONTACT_API_DEF ct_world_desc ct_world_desc_default_game(void)
{
    ct_world_desc d = ct_world_desc_default_for(CT_STEPPER_CMR);
    d.solver.solver = CT_SOLVER_ICA, d.solver.tolerance = CTI_R(1e-3);
    d.sleep_time = 0.5;
    return d;
}

CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text)
{
    int slot = cti_world_slot(w, body);
    w->error.code = code;
    w->error.text = text;
    w->error.body = body;
    w->error.element = element;
    w->error.value = value;
    cti_error_compose(&w->error, slot < 0 ? NULL : w->bodies[slot].name);
    return code;
}

CTI_FN ct_code cti_world_refuse(ct_world *w, ct_code code, int64_t element, double value, const char *text)
{
    ct_body_id none = {0, 0};
    return cti_world_fail(w, code, none, element, value, text);
}

CTI_FN ct_code cti_world_busy(ct_world *w)
{
    return w->busy ? cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "the world is in a call: a callback may not call back into it") : CT_OK;
}

static ct_code cti_world_check_solver(const ct_world_desc *d, ct_error_info *e)
{
    const ct_solver_desc *s = &d->solver;
    int owner = cti_world_owner(s->solver);
    if (s->cookie != CTI_COOKIE)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, s->cookie, "solver desc was not made by ct_solver_desc_default");
    if ((int)s->solver < 0 || s->solver >= CT_SOLVER_COUNT_)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)s->solver, "solver.solver is out of range");
    if (!ct_solver_built(s->solver) && ct_problem_solver_built(s->solver))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->solver,
                             "solver '%s' is for problems without a world (ct_problem_solve): worlds take CT_SOLVER_ICA, or CT_SOLVER_PGS",
                             ct_solver_text(s->solver));
    if (!ct_solver_built(s->solver))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->solver, "solver '%s' (%d) is not built", ct_solver_text(s->solver),
                             (int)s->solver);
    if (owner >= 0 && owner != (int)d->stepper)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->solver, "solver '%s' is a part of stepper '%s', and the world's stepper is '%s'",
                             ct_solver_text(s->solver), ct_stepper_text((ct_stepper)owner), ct_stepper_text(d->stepper));
    if (!(s->tolerance > 0) || !cti_finite(s->tolerance))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)s->tolerance, "solver.tolerance must be positive");
    if (s->max_iterations < 1 || s->inner_iterations < 1 || s->max_sweeps < 1 || s->inner_repeats < 1)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, s->max_iterations, "solver iteration counts must be at least 1");
    if ((int)s->cone < 0 || s->cone > CT_CONE_CONE || (int)s->cluster < 0 || s->cluster > CT_CLUSTER_BODY || (int)s->termination < 0 ||
        s->termination > CT_TERMINATION_PAPER)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, 0, "solver cone, cluster or termination is out of range");
    if (!CONTACT_WITH_PRINTED && s->termination == CT_TERMINATION_PAPER)
        return CTI_ERROR_UNBUILT(e, "printed algorithms", CONTACT_WITH_PRINTED);
    if (!cti_bridge_cone(s->solver, s->cone))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)s->cone,
                             "solver '%s' solves for Coulomb's cone only, solver.cone is another", ct_solver_text(s->solver));
    if (s->budget < 0 || !(s->seconds >= 0) || s->order < 0 || s->order > 2 || (int)s->friction < 0 || s->friction > CT_FRICTION_LOCAL ||
        !(s->relaxation > 0) || !(s->relaxation < 2))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, s->relaxation, "solver budget, seconds, order, relaxation or friction is out of range");
    return CT_OK;
}

static ct_code cti_world_check_tasks(const ct_tasks *t, ct_error_info *e)
{
    if (t->worker_count < 0 || t->worker_count > CTI_POOL_MOST)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, t->worker_count, "tasks.worker_count must be 0 to 256");
    if (!t->enqueue != !t->finish)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, 0, "tasks.enqueue and tasks.finish need each other");
    if (!CONTACT_THREADS && !t->enqueue && t->worker_count > 1)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, t->worker_count,
                                "threads of the world's own (tasks.worker_count without enqueue) are not built: CONTACT_THREADS is 0");
    return CT_OK;
}

static ct_code cti_world_check(const ct_world_desc *d, ct_error_info *e)
{
    const ct_real h = d->thickness;
    const cti_range ranges[] = {
        {(double)d->gravity[0], -CTI_FINITE, CTI_FINITE, "gravity must be finite"},
        {(double)d->gravity[1], -CTI_FINITE, CTI_FINITE, "gravity must be finite"},
        {(double)d->gravity[2], -CTI_FINITE, CTI_FINITE, "gravity must be finite"},
        {d->origin[0], -CTI_WORLD_MOST, CTI_WORLD_MOST, "origin must be finite"},
        {d->origin[1], -CTI_WORLD_MOST, CTI_WORLD_MOST, "origin must be finite"},
        {d->origin[2], -CTI_WORLD_MOST, CTI_WORLD_MOST, "origin must be finite"},
        {(double)h, CTI_POSITIVE, cti_finite(h * h * h * h) ? CTI_FINITE : 0, "thickness must be positive, and its fourth power finite"},
        {(double)d->friction, 0, CTI_FINITE, "friction must be zero or positive"},
        {(double)d->restitution, 0, 1, "restitution must be in [0, 1]"},
        {(double)d->restitution_threshold, 0, INFINITY, "restitution_threshold must be zero or positive"},
        {(double)d->restitution_law, 0, CT_RESTITUTION_POISSON, "restitution_law is out of range"},
        {(double)d->friction_combine, 0, CT_COMBINE_MAX, "friction_combine is out of range"},
        {(double)d->restitution_combine, 0, CT_COMBINE_MAX, "restitution_combine is out of range"},
        {(double)d->stepper, 0, CT_STEPPER_COUNT_ - 1, "stepper is out of range"},
        {(double)d->integrator, 0, CT_INTEGRATOR_COUNT_ - 1, "integrator is out of range"},
        {(double)d->broad_phase, 0, CT_BROAD_COUNT_ - 1, "broad_phase is out of range"},
        {(double)d->newton_iterations, 1, 100, "newton_iterations must be 1 to 100"},
        {(double)d->cmr_rounds, 1, INT_MAX, "cmr_rounds must be at least 1"},
        {(double)d->max_halvings, 0, 8, "max_halvings must be 0 to 8"},
        {(double)d->row_mode, 0, CT_ROW_VELOCITY, "row_mode is out of range"},
        {(double)d->ccd_limits_step, 0, 1, "ccd_limits_step must be 0 or 1"},
        {(double)d->recovery_speed, 0, INFINITY, "recovery_speed must be zero or positive"},
        {(double)d->hit_speed, 0, INFINITY, "hit_speed must be zero or positive"},
        {d->sleep_time, 0, CTI_FINITE, "sleep_time must be zero (never) or positive"},
        {d->frame_work, 0, CTI_FINITE, "frame_work must be zero (no bound) or positive"},
        {d->frame_ms, 0, CTI_FINITE, "frame_ms must be zero (no bound) or positive"},
        {(double)d->sleep_speed, CTI_POSITIVE, CTI_FINITE, "sleep_speed must be positive"}};
    ct_code code;
    if (d->cookie != CTI_COOKIE)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, 0, "world desc was not made by ct_world_desc_default");
    code = cti_error_ranges(e, ranges, CTI_COUNT(ranges));
    if (code != CT_OK)
        return code;
    if (!cti_bodies_is_moderate(d->wind))
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, (double)d->wind[0], "wind must be finite, and so must its fourth power");
    if (d->restitution != 0 && d->stepper != CT_STEPPER_CMR && d->stepper != CT_STEPPER_PENALTY && d->stepper != CT_STEPPER_LAYERS)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->restitution,
                             "stepper '%s' has no restitution other than 0: CT_STEPPER_CMR, CT_STEPPER_PENALTY and CT_STEPPER_LAYERS have",
                             ct_stepper_text(d->stepper));
    if (d->sleep_time > 0 && d->stepper != CT_STEPPER_CMR)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, d->sleep_time, "stepper '%s' puts no body to sleep: sleep_time must be 0",
                             ct_stepper_text(d->stepper));
    if ((d->frame_work > 0 || d->frame_ms > 0) && d->stepper != CT_STEPPER_CMR)
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, d->frame_work, "stepper '%s' does not bound a step: frame_work and frame_ms must be 0",
                             ct_stepper_text(d->stepper));
    if (d->frame_ms > 0 && !d->now_us)
        return cti_error_set(e, CT_ERR_ARGUMENT, -1, d->frame_ms, "frame_ms needs a clock, now_us");
    if (!ct_stepper_built(d->stepper))
        return cti_error_set(e, CT_ERR_UNSUPPORTED, -1, (double)d->stepper, "stepper '%s' (%d) is not built", ct_stepper_text(d->stepper),
                             (int)d->stepper);
    code = cti_world_check_tasks(&d->tasks, e);
    CTI_THEN(code, cti_world_check_solver(d, e));
    return code == CT_OK ? cti_steppers_check(d, e) : code;
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
        return cti_error_set(e, CT_ERR_MEMORY, -1, t->worker_count, "out of memory");
    if (!w->pool)
        return cti_error_set(e, CT_ERR_MEMORY, failed, system, "thread %d of %d could not be started (system error %d)", failed, t->worker_count - 1,
                             system);
    t->enqueue = cti_pool_enqueue, t->finish = cti_pool_finish, t->user = w->pool;
    return CT_OK;
}

static ct_code cti_world_make(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error)
{
    cti_mem whole;
    ct_world *w;
    ct_code code;
    if (!out_world)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "out_world is NULL");
    if (!desc) {
        ct_world_desc usual = ct_world_desc_default();
        return cti_world_make(&usual, out_world, out_error);
    }
    if (cti_world_contracted())
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, 0, "the compiler has fused products and sums: compile with -ffp-contract=off");
    code = cti_world_check(desc, out_error);
    if (code != CT_OK)
        return code;
    cti_mem_init(&whole, &desc->allocator);
    w = (ct_world *)cti_mem_zero(&whole, sizeof *w);
    if (!w)
        return cti_error_set(out_error, CT_ERR_MEMORY, -1, (double)sizeof *w, "out of memory");
    w->whole = whole;
    cti_mem_open(&w->mem, &w->whole), cti_mem_open(&w->state.prepared, &w->whole);
    cti_arena_init(&w->arena, &w->mem);
    w->state.mem = &w->mem;
    w->state.arena = &w->arena;
    w->state.desc = *desc;
    w->state.tell = cti_world_tell, w->state.teller = w;
    w->remesher = cti_refine_remesher(desc);
    if (cti_steppers_of(w)->complete)
        cti_steppers_of(w)->complete(&w->state.desc);
    w->error.element = -1;
    w->error.text = ct_code_text(CT_OK);
    code = cti_world_start_pool(w, out_error);
    if (code != CT_OK) {
        whole = w->whole;
        cti_mem_resize(&whole, w, sizeof *w, 0);
        return code;
    }
    *out_world = w;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_get_desc(const ct_world *w, ct_world_desc *out_desc)
{
    if (!w || !out_desc)
        return CT_ERR_ARGUMENT;
    *out_desc = w->state.desc;
    if (w->pool) /* the world's own */
        out_desc->tasks.enqueue = NULL, out_desc->tasks.finish = NULL, out_desc->tasks.user = NULL;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_set_options(ct_world *w, const ct_world_desc *desc)
{
    ct_world_desc next;
    const char *other;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!desc)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "ct_world_set_options: desc is NULL");
    code = cti_world_check(desc, &w->error);
    if (code != CT_OK)
        return code;
    next = w->state.desc;
    next.solver = desc->solver, next.newton_iterations = desc->newton_iterations;
    next.cmr_rounds = desc->cmr_rounds, next.max_halvings = desc->max_halvings, next.recovery_speed = desc->recovery_speed;
    next.frame_work = desc->frame_work, next.frame_ms = desc->frame_ms;
    next.sleep_time = desc->sleep_time, next.sleep_speed = desc->sleep_speed, next.hit_speed = desc->hit_speed;
    other = cti_world_other_option(&next, desc);
    if (other)
        return cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, 0, "ct_world_set_options: of the options at or behind %s one cannot change", other);
    code = cti_world_keep_contacts(w);
    if (memcmp(desc->gravity, next.gravity, sizeof next.gravity) != 0)
        CTI_THEN(code, ct_world_set_gravity(w, desc->gravity));
    if (code != CT_OK)
        return code;
    memcpy(next.gravity, desc->gravity, sizeof next.gravity);
    if (cti_steppers_of(w)->complete)
        cti_steppers_of(w)->complete(&next);
    if (!(next.sleep_time > 0))
        cti_sleep_wake(w, -1);
    w->state.desc = next;
    cti_world_unprepare(w);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_create(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_world_make(desc, out_world, out_error))
}

CONTACT_API_DEF void ct_world_destroy(ct_world *w)
{
    cti_mem whole;
    if (!w || cti_world_busy(w) != CT_OK)
        return;
    cti_pool_destroy(&w->mem, w->pool);
    cti_mem_release(&w->state.prepared), cti_mem_release(&w->mem);
    whole = w->whole;
    cti_mem_resize(&whole, w, sizeof *w, 0);
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
    double *sums[12];
    ct_real *reals[2];
    int k;
    sums[0] = &r->energy_kinetic, sums[1] = &r->energy_elastic, sums[2] = &r->energy_gravity, sums[3] = &r->work_script, sums[4] = &r->work_pins;
    sums[5] = &r->work_joints, sums[6] = &r->work_recovery, sums[7] = &r->loss_contact, sums[8] = &r->loss_damping, sums[9] = &r->energy_gained;
    sums[10] = &r->energy_contact, sums[11] = &r->rk.work_refine;
    for (k = 0; k < 12; k++)
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
    if (w->state.step.limit.n > 0)
        cti_world_public_pair(w, &w->state.step.limit, &r->limit);
    r->coarse = cti_world_coarse(&w->state.surface);
    cti_world_bound(r);
    r->ms_prepare = t1 - t0;
    r->ms_total = cti_state_clock(&w->state) - t0;
    r->ms_finish = r->ms_total - r->ms_prepare - r->ms_assemble - r->ms_unconstrained - r->ms_detect - r->ms_solve;
    r->ms_finish = r->ms_finish > 0 ? r->ms_finish : 0;
}

/* a start that the stepper refuses: the pair that intersects, and its bodies */
static ct_code cti_world_crossing(ct_world *w)
{
    ct_pair pair;
    const char *a, *b;
    cti_world_public_pair(w, &w->state.step.limit, &pair);
    a = w->bodies[cti_world_slot(w, pair.body_a)].name;
    b = w->bodies[cti_world_slot(w, pair.body_b)].name;
    cti_error_set(&w->error, CT_ERR_DOMAIN, pair.vertices_a[0], (double)pair.distance,
                  "bodies \"%s\" (vertex %d) and \"%s\" (vertex %d) intersect or touch, and stepper '%s' needs a start without intersections", a,
                  (int)pair.vertices_a[0], b, (int)pair.vertices_b[0], ct_stepper_text(w->state.desc.stepper));
    w->error.body = pair.body_a;
    return CT_ERR_DOMAIN;
}

/* prepares a step, and refuses it where the stepper does; refined elements may have a shorter bound */
static ct_code cti_world_open(ct_world *w, ct_real dt)
{
    ct_code code = cti_world_prepare(w);
    w->state.step.dt = dt;
    CTI_THEN(code, cti_steppers_admit(w, CTI_FEATURE_STEP, NULL));
    if (code != CT_OK)
        return code;
    code = w->remesher ? w->remesher->open(w, dt) : CT_OK;
    w->mem.failed = 0;
    if (code != CT_OK)
        return cti_world_refuse(w, code, -1, 0, "out of memory while elements were refined; the world is as it was");
    return w->refined.tets ? cti_steppers_admit(w, CTI_FEATURE_STEP, NULL) : CT_OK;
}

/* ends a step, and returns its code; done 0: the world is as before it */
static ct_code cti_world_close(ct_world *w, ct_code code, int done)
{
    cti_live_close(w, done);
    if (w->remesher)
        w->remesher->close(w, done);
    w->busy = 0;
    return code;
}

static double cti_world_clock(const void *user) { return cti_state_clock((const cti_state *)user); }

/* a call that began at `began` [ms] and has used so many units may use what is left of its bounds */
static void cti_world_bound_step(ct_world *w, double began, double used)
{
    cti_state *s = &w->state;
    double ms = s->desc.frame_ms > 0 ? cti_fmax(1e-3, s->desc.frame_ms + began - cti_state_clock(s)) : 0;
    cti_frame_open(&s->frame, s->desc.frame_work > 0 ? cti_fmax(1, s->desc.frame_work - used) : 0, ms, cti_world_clock, s);
}

/* a step in a call that began at `began` [ms] (below 0: now) and has used so many units */
static ct_code cti_world_step(ct_world *w, ct_real dt, double began, double used, ct_step_report *out_report)
{
    ct_step_report report;
    cti_events last;
    ct_code code;
    double t0, t1, pushed = 0;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!(dt >= CTI_REAL_LEAST) || !cti_finite(dt)) /* parts of smaller steps would be 0 */
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)dt, "dt must be positive, a normal number, and finite [s]");
    if (cti_sleep_open(w, dt))
        return cti_sleep_pass(w, dt, out_report);
    w->busy = 1;
    w->queries_ready = 0;
    t0 = cti_state_clock(&w->state), began = began < 0 ? t0 : began;
    code = cti_world_open(w, dt);
    if (code != CT_OK)
        return cti_world_close(w, code, 0);
    t1 = cti_state_clock(&w->state);
    cti_world_bound_step(w, began, used);
    w->mem.failed = 0;
    code = cti_wind_open(w);
    if (code != CT_OK)
        return cti_world_close(w, code, 0);
    code = cti_live_open(w, dt, &pushed) ? cti_steppers_of(w)->step(&w->state, dt, &report) : CT_ERR_MEMORY;
    if (code == CT_ERR_DOMAIN) {
        cti_world_close(w, code, 0);
        return cti_world_crossing(w);
    }
    if (code == CT_OK && CONTACT_VALIDATE) {
        code = cti_inspect(w, &report);
        if (code == CT_ERR_MEMORY)
            cti_step_undo(&w->state);
    }
    w->mem.failed = 0;
    if (code == CT_ERR_MEMORY) /* the list of contacts is still that of the last step */
        return cti_world_close(w, cti_world_refuse(w, code, -1, 0, "out of memory in a step; the world is as it was"), 0);
    if (code == CT_OK && cti_sleep_reached(w)) {
        cti_step_undo(&w->state);
        cti_world_close(w, code, 0);
        return cti_world_step(w, dt, began, used + w->state.frame.used, out_report);
    }
    cti_sleep_report(w, &report);
    if (out_report) {
        double late = cti_live_late(w);
        report.rk.refined = w->refined.tets, report.rk.work_refine = w->refined.work;
        report.energy_kinetic += late, report.work_forces += pushed + late;
        report.work = w->state.desc.stepper == CT_STEPPER_CMR ? used + w->state.frame.used : 0;
        cti_world_report(w, t0, t1, &report);
        *out_report = report;
    }
    w->contacts_ready = 0;
    last = w->events.last, w->events.last = w->events.next, w->events.next = last;
    cti_world_break(w);
    cti_sleep_close(w, dt, &report);
    return cti_world_close(w, code, 1);
}

CONTACT_API_DEF ct_code ct_world_step(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    CTI_FPENV_RETURN(cti_world_step(w, dt, -1, 0, out_report))
}

CONTACT_API_DEF const ct_error_info *ct_world_error(const ct_world *w) { return w ? &w->error : NULL; }
CONTACT_API_DEF double ct_world_time(const ct_world *w) { return w ? w->state.step.time : 0; }
CONTACT_API_DEF int ct_world_body_count(const ct_world *w) { return w ? w->n_alive : 0; }
CONTACT_API_DEF void ct_world_allocations(const ct_world *w, int64_t *out_calls, int64_t *out_bytes)
{
    if (out_calls)
        *out_calls = w ? w->whole.n_calls : 0;
    if (out_bytes)
        *out_bytes = w ? w->whole.bytes_live : 0;
}
