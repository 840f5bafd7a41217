/* test_laws.c -- one table: laws of mechanics and promises of the library in its rows, the seven steppers in its columns, on short scenes.
   A cell passes when what is measured is at most its bound. The default bound of a row is that of CT_STEPPER_CMR. A cell with another one
   has the words by which the head of the stepper's page states it, or is the mark of a known fault, which may not grow. A hole is a scene
   that the stepper refuses by its name. `test_laws --table` prints what is measured: s is stated, ! known. */
#include "laws_util.h"

#define FLOAT (CONTACT_REAL == 32)

/* ---- what a run is measured for, each as the worst of its steps ---- */
typedef enum fact {
    MOMENTUM, /* change, as a share of all masses times their speed */
    ANGULAR,  /* change, as a share of that at the start */
    BALANCE,  /* a body's momentum less the impulses of contacts, pins and gravity, as MOMENTUM */
    UNSEEN,   /* energy gained, work taken off, in steps of status ok to zones: a share of the scene's energy */
    TOP,      /* energy above that of the start, work taken off, in steps of any status */
    REPORT,   /* difference of the report's energies */
    WORK,     /* difference of the report's work of scripts and pins */
    ACCOUNT,  /* remainder of the report's account */
    LOSS,     /* losses below zero */
    TAKEN,    /* loss_contact less what contacts' impulses take and do not store; this and the next two in steps that are not divided */
    GAINED,   /* energy_gained, with all that contacts' impulses do as one sum, is less: recovery counts as gained, though contacts took it */
    DAMPED,   /* loss_damping less what dampers take */
    LIFTED,   /* work_recovery in steps that no pair began below its thickness; divided ones give back no more than contacts took in them */
    CROSSING, /* steps that end with surfaces through each other and do not say so */
    DEPTH,    /* [thicknesses] of the deepest vertex below the floor */
    SCRIPT,   /* distance of pins and moved surfaces from their scripts, as a share of the scene's size */
    CLOCK,    /* lag of the world's time, in steps */
    /* of whole runs, which sanitizers have no time for */
    WEIGHT,   /* impulses from outside over the last second, as a share of the weight's: difference to 1 */
    SAID,     /* steps of status budget and worse, as a share */
    CREEP,    /* [m/s] on a slope that holds */
    PULL,     /* error of the acceleration on a slope that does not, as a share */
    FACTS
} fact;
static void see(double *facts, fact f, double value) { facts[f] = value > facts[f] || value != value ? value : facts[f]; }

/* momentum p, angular momentum l, energies e of all; `old` gets the things' momenta of the step before */
static void measure_all(scene *s, double *p, double *l, double *e, double old[THINGS][3])
{
    double own[9];
    int i, k;
    memset(p, 0, 3 * sizeof *p), memset(l, 0, 3 * sizeof *l), memset(e, 0, 3 * sizeof *e);
    for (i = 0; i < s->n; i++) {
        thing *t = &s->things[i];
        assert_int_equal(ct_body_get_positions(s->w, t->id, t->x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
        assert_int_equal(ct_body_get_velocities(s->w, t->id, t->v, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
        thing_measure(s, t, own, own + 3, own + 6);
        memcpy(old[i], t->momentum, sizeof old[i]), memcpy(t->momentum, own, sizeof old[i]);
        for (k = 0; k < 3; k++)
            p[k] += own[k], l[k] += own[3 + k], e[k] += own[6 + k];
    }
}

/* impulses that each thing got from contacts and pins; outside [3]: all those from what is none of the things. Returns their work */
static double sum_impulses(const scene *s, double got[THINGS][3], double outside[3], const double *before)
{
    const ct_contact *c;
    double work = 0;
    int i, j, k, n;
    memset(got, 0, sizeof(double) * 3 * THINGS), memset(outside, 0, 3 * sizeof(double));
    assert_int_equal(ct_world_contacts(s->w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            const ct_contact *q = &c[i];
            double r = (double)(q->impulse_normal * q->normal[k] + q->impulse_tangent[0] * q->tangent[0][k] +
                                q->impulse_tangent[1] * q->tangent[1][k]);
            int sign = 0;
            for (j = 0; j < s->n; j++) {
                int on = (c[i].body_a.index1 == s->things[j].id.index1) - (c[i].body_b.index1 == s->things[j].id.index1);
                got[j][k] += on * r, sign += on;
            }
            outside[k] += sign * r, work += sign * r * s->mover_speed[k];
        }
    for (i = 0; i < s->n_pins; i++) {
        ct_real r[3];
        assert_int_equal(ct_body_get_pin_impulse(s->w, s->things[0].id, s->pins[i], r), CT_OK);
        for (k = 0; k < 3; k++) {
            got[0][k] += (double)r[k], outside[k] += (double)r[k];
            work += (double)r[k] * (s->things[0].x[3 * s->pins[i] + k] - before[3 * s->pins[i] + k]) / s->dt;
        }
    }
    return work;
}

/* pins at x(t) = center + R(t) (x(0) - center) + linear t, R about x; the mover on its line */
static void measure_scripts(scene *s, const double *start, double *facts)
{
    double t = ct_world_time(s->w), angle = (double)s->pin_motion.angular[0] * t;
    int i, k, n;
    for (i = 0; i < s->n_pins; i++) {
        const double *x = s->things[0].x + 3 * s->pins[i], *x0 = s->things[0].x0 + 3 * s->pins[i];
        double d[3], off[3], moves = i >= s->n_still;
        for (k = 0; k < 3; k++)
            d[k] = x0[k] - moves * (double)s->pin_motion.center[k];
        for (k = 0; k < 3; k++)
            off[k] = x[k] - x0[k] + d[k] - moves * (double)s->pin_motion.linear[k] * t;
        if (!moves)
            angle = 0;
        off[0] -= d[0], off[1] -= cos(angle) * d[1] - sin(angle) * d[2], off[2] -= sin(angle) * d[1] + cos(angle) * d[2];
        see(facts, SCRIPT, size3(off) / s->size);
    }
    if (start) {
        double *x = read_vectors(s->w, s->mover, 0, &n);
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++)
                see(facts, SCRIPT, fabs(x[3 * i + k] - start[3 * i + k] - s->mover_speed[k] * t) / s->size);
        free(x);
    }
}

typedef struct run {
    int substeps; /* of the step before */
    scene s;
    double mass, speed, scale; /* [kg] of all; [m/s], [J] that shares are of */
    double p0[3], l0[3], e0;   /* at the start */
    double least;              /* [J] smallest energy, work taken off, since a step that said what it gained */
    double stored, kept;       /* [J] in contacts; [thicknesses] smallest distance of the last step */
    double work, load, last;   /* [J] done so far; [N s] from outside; [J] the last report's energies */
    double *start;             /* of the mover's vertices */
    double *was[THINGS], *mean[THINGS]; /* [3 n] positions when a step began, and mean velocities in it */
} run;

static void run_begin(run *r)
{
    double e[3], old[THINGS][3];
    scene *s = &r->s;
    int i;
    memset(old, 0, sizeof old);
    measure_all(s, r->p0, r->l0, e, old);
    r->mass = r->work = r->load = r->last = r->stored = 0, r->kept = 2, r->start = NULL;
    for (i = 0; i < s->n; i++) {
        r->mass += s->things[i].total;
        memcpy(s->things[i].x0, s->things[i].x, sizeof(double) * 3 * (size_t)s->things[i].n);
        r->was[i] = (double *)malloc(sizeof(double) * 6 * (size_t)s->things[i].n), r->mean[i] = r->was[i] + 3 * s->things[i].n;
    }
    r->scale = s->drop + e[0], r->speed = sqrt(2 * r->scale / r->mass);
    r->e0 = r->least = e[0] + e[1] + e[2];
    if (s->mover.index1)
        r->start = read_vectors(s->w, s->mover, 0, NULL);
}

static void run_end(run *r)
{
    int i;
    for (i = 0; i < r->s.n; i++)
        free(r->was[i]);
    free(r->start);
    scene_close(&r->s);
}

/* a step begins */
static void remember(run *r, int j)
{
    memcpy(r->was[j], r->s.things[j].x, sizeof(double) * 3 * (size_t)r->s.things[j].n);
    memcpy(r->mean[j], r->s.things[j].v, sizeof(double) * 3 * (size_t)r->s.things[j].n);
}

/* energies and the report's account */
static void measure_energy(run *r, const ct_step_report *q, const double *e, double work, int first, double *facts)
{
    double in = q->work_script + q->work_pins + q->work_joints + q->work_recovery, out = q->loss_contact + q->loss_damping, total, differ;
    double now = q->energy_kinetic + q->energy_elastic + q->energy_gravity + q->energy_contact;
    r->work += work;
    total = e[0] + e[1] + e[2] + q->energy_contact - r->work;
    if (q->status <= CT_STATUS_ZONES)
        see(facts, UNSEEN, (total - r->least) / r->scale);
    else
        r->least = fmax(r->least, total);
    r->least = fmin(r->least, total);
    see(facts, TOP, (total - r->e0) / r->scale);
    /* under gravity Euler's velocities are of the middle of steps, and the report's kinetic energy is of their ends */
    differ = fabs(q->energy_elastic - e[1]) + fabs(q->energy_gravity - e[2]) + (r->s.gravity[1] == 0 ? fabs(q->energy_kinetic - e[0]) : 0);
    see(facts, REPORT, differ / r->scale);
    /* the first step gives nodes at rest the speed of their pins at once, which is no work at that speed */
    if (!first) {
        see(facts, WORK, fabs(q->work_script + q->work_pins - work) / r->scale);
        see(facts, ACCOUNT, fabs(now - r->last - (in - out + q->energy_gained)) / r->scale);
    }
    r->last = now;
    see(facts, LOSS, fmax(-q->loss_damping, -q->loss_contact) / r->scale);
}

/* ---- what contacts and dampers take ---- */

/* mean velocity of a contact's point in the step */
static void speed_of(const run *r, ct_body_id id, const int32_t *v, const ct_real *weights, double *out)
{
    int j, k, i;
    memset(out, 0, 3 * sizeof *out);
    for (j = 0; j < r->s.n; j++)
        for (i = 0; i < 3 && id.index1 == r->s.things[j].id.index1; i++)
            for (k = 0; k < 3 && v[i] >= 0; k++)
                out[k] += (double)weights[i] * r->mean[j][3 * v[i] + k];
    for (k = 0; r->s.mover.index1 == id.index1 && k < 3; k++)
        out[k] = r->s.mover_speed[k];
}

/* [J] An impulse takes its product with the speed at which its points approach. *lifted: what normal ones give to pairs that began the step below
   their thickness. pushed [things]: 1 where one acts */
static double taken_by_contacts(const run *r, double dt, double *lifted, int *pushed)
{
    const ct_contact *c;
    double sum = 0;
    int i, k, j, n;
    assert_int_equal(ct_world_contacts(r->s.w, &c, &n), CT_OK);
    for (*lifted = 0, i = 0; i < n; i++) {
        double a[3], b[3], u[3] = {0, 0, 0}, normal;
        speed_of(r, c[i].body_a, c[i].vertices_a, c[i].weights_a, a);
        speed_of(r, c[i].body_b, c[i].vertices_b, c[i].weights_b, b);
        for (k = 0; k < 3; k++) {
            u[0] += (a[k] - b[k]) * (double)c[i].normal[k];
            u[1] += (a[k] - b[k]) * (double)c[i].tangent[0][k], u[2] += (a[k] - b[k]) * (double)c[i].tangent[1][k];
        }
        normal = (double)c[i].impulse_normal * u[0];
        sum -= (double)c[i].impulse_tangent[0] * u[1] + (double)c[i].impulse_tangent[1] * u[2];
        sum -= normal, *lifted += normal > 0 && (double)c[i].gap < dt * u[0] ? normal : 0;
        for (j = 0; j < r->s.n; j++)
            pushed[j] |= c[i].body_a.index1 == r->s.things[j].id.index1 || c[i].body_b.index1 == r->s.things[j].id.index1;
    }
    return sum;
}

/* Losses of a step of dt, at whose start r->was and r->mean are positions and velocities. Mean velocities are those of the ways, or, where impulses
   act at instants, between those at both ends. Dampers act where the step began, turned along with a free body but by barrier, and by geometric where
   contacts push it */
static void measure_losses(run *r, const ct_step_report *q, double dt, int column, double *facts)
{
    double taken, lifted, damped = 0;
    int j, k, instant = column == LAYERS || column == EXPLICIT, springs = column == BARRIER || column == LAYERS || column == PENALTY;
    int pushed[THINGS] = {0, 0, 0};
    double *at[THINGS];
    for (j = 0; j < r->s.n; j++) {
        const thing *t = &r->s.things[j];
        at[j] = (double *)malloc(sizeof(double) * 3 * (size_t)t->n);
        memcpy(at[j], r->was[j], sizeof(double) * 3 * (size_t)t->n);
        if (t->kind != THING_RIGID)
            thing_turn(t, at[j], r->mean[j], dt);
        for (k = 0; k < 3 * t->n; k++)
            r->mean[j][k] = instant ? (r->mean[j][k] + t->v[k]) / 2 : (t->x[k] - r->was[j][k]) / dt;
    }
    taken = taken_by_contacts(r, dt, &lifted, pushed) - (q->energy_contact - r->stored);
    lifted = springs ? q->work_recovery : (column == GEOMETRIC ? fmin(lifted, q->work_recovery) : lifted);
    for (j = 0; j < r->s.n; j++) {
        const thing *t = &r->s.things[j];
        int held = j == 0 && r->s.n_pins > 0, turns = !held && !instant && column != BARRIER && !(column == GEOMETRIC && pushed[j]);
        for (k = 0; k < 3 * t->n; k++)
            r->mean[j][k] -= turns ? (at[j][k] - r->was[j][k]) / dt : 0;
        damped += t->kind == THING_RIGID ? 0 : dt * r->s.damping * thing_damping(t, turns ? at[j] : r->was[j], r->mean[j]);
        free(at[j]);
    }
    r->stored = q->energy_contact;
    if (q->substeps > 1)
        return;
    see(facts, TAKEN, fabs(q->loss_contact - fmax(0, taken + lifted)) / r->scale);
    if (q->loss_contact > 0)
        see(facts, GAINED, (q->energy_gained - fmax(0, q->energy_gained + q->work_recovery - q->loss_contact + taken)) / r->scale);
    if (column == BARRIER || q->newton_iterations <= 1) /* a linearization damps the difference to the one before */
        see(facts, DAMPED, fabs(q->loss_damping - damped) / r->scale);
}

/* dcd and explicit say how deep a vertex is, the others that a pair crosses */
static int crossing_is_said(const ct_step_report *q)
{
    return q->penetration > 0 || q->tangled > 0 || q->status == CT_STATUS_NOT_CONVERGED;
}

static void run_step(run *r, int column, int i, int steps, double *facts)
{
    double p[3], l[3], e[3], old[THINGS][3], got[THINGS][3], outside[3], work;
    scene *s = &r->s;
    ct_step_report q;
    int j, k;
    for (j = 0; j < s->n; j++)
        remember(r, j);
    q = step_once(s->w, s->dt);
    measure_all(s, p, l, e, old);
    work = sum_impulses(s, got, outside, r->was[0]);
    if (column != LAYERS && column != EXPLICIT)
        measure_losses(r, &q, s->dt, column, facts);
    if (r->kept >= 1)
        see(facts, LIFTED, (q.work_recovery - (q.substeps > 1 ? q.loss_contact : 0)) / r->scale);
    r->kept = (double)q.thickness_kept;
    for (k = 0; k < 3; k++) {
        see(facts, MOMENTUM, fabs(p[k] - r->p0[k]) / (r->mass * r->speed));
        see(facts, ANGULAR, fabs(l[k] - r->l0[k]) / size3(r->l0));
        /* where velocities are of the middle of substeps they show the impulses only if those are as long as before, and in the first step never */
        for (j = 0; j < s->n && i > 0 && q.substeps == r->substeps && q.status <= CT_STATUS_ZONES; j++) {
            double change = s->things[j].momentum[k] - old[j][k] - s->things[j].total * s->gravity[k] * s->dt;
            see(facts, BALANCE, (fabs(change - got[j][k]) - (double)q.momentum_lost) / (r->mass * r->speed));
        }
    }
    r->substeps = q.substeps;
    r->load += i >= steps - 100 ? outside[1] : 0;
    measure_energy(r, &q, e, work, i == 0, facts);
    facts[SAID] += (q.status > CT_STATUS_ZONES) / (double)steps;
    if (count_intersections(s->w) > 0)
        facts[CROSSING] += column == CMR || column == BARRIER || column == LAYERS || !crossing_is_said(&q);
    for (j = 0; j < s->n; j++)
        for (k = 0; k < s->things[j].n; k++)
            see(facts, DEPTH, (s->floor - s->things[j].x[3 * k + 1]) / LAW_H);
    measure_scripts(s, r->start, facts);
    see(facts, CLOCK, fabs(ct_world_time(s->w) / s->dt - (i + 1)));
}

/* the way down the slope at the end, at two thirds and at a third of the steps */
static double way_down(const scene *s)
{
    double m[3], c = 1 / sqrt(1 + s->slope * s->slope);
    read_middle(s->w, s->things[0].id, 0, m);
    return -m[0] * c - m[1] * c * s->slope;
}

/* LAYERS and EXPLICIT push many times in a step. So a short step after each of their steps shows what contacts and dampers take: one with a single
   impulse of each */
static void run_short_steps(int which, int column, double *facts)
{
    double p[3], l[3], e[3], old[THINGS][3];
    setup q;
    run r;
    int i, j, steps = PLAIN_OR(scenes[which].steps, 3 + scenes[which].steps / 8);
    memset(&q, 0, sizeof q), q.stepper = steppers[column];
    assert_int_equal(scenes[which].open(&r.s, &q), CT_OK);
    run_begin(&r);
    for (i = 0; i < steps; i++) {
        ct_step_report report = step_once(r.s.w, r.s.dt);
        r.stored = report.energy_contact;
        measure_all(&r.s, p, l, e, old);
        for (j = 0; j < r.s.n; j++)
            remember(&r, j);
        report = step_once(r.s.w, LAW_SHORT);
        measure_all(&r.s, p, l, e, old);
        measure_losses(&r, &report, LAW_SHORT, column, facts);
    }
    run_end(&r);
}

/* runs a scene; returns 0 where the stepper refuses it */
static int run_scene(int which, int column, double *facts)
{
    setup q;
    run r;
    double way[3], span, pull;
    int i, steps = PLAIN_OR(scenes[which].steps, 3 + scenes[which].steps / 8);
    ct_code code;
    memset(&q, 0, sizeof q), memset(facts, 0, FACTS * sizeof *facts);
    q.stepper = steppers[column];
    code = scenes[which].open(&r.s, &q);
    if (scenes[which].refused >> column & 1) {
        const char *text = r.s.w ? ct_world_error(r.s.w)->text : r.s.refusal.text;
        if (code != CT_ERR_UNSUPPORTED || !strstr(text, "CT_STEPPER_") || !strstr(text, words[column]))
            fail_msg("%s, %s: code %d, \"%s\", expected a refusal that names the stepper", scenes[which].name, words[column], (int)code,
                     text);
    } else
        assert_int_equal(code, CT_OK);
    if (code == CT_OK) {
        run_begin(&r);
        for (i = 0; i < steps; i++) {
            run_step(&r, column, i, steps, facts);
            if ((i + 1) % (steps / 3) == 0 && (i + 1) / (steps / 3) < 4)
                way[(i + 1) / (steps / 3) - 1] = way_down(&r.s);
        }
        span = steps / 3 * r.s.dt;
        facts[WEIGHT] = fabs(r.load / (r.mass * LAW_G * 100 * r.s.dt) - 1);
        facts[CREEP] = fabs(way[2] - way[1]) / span;
        /* g (sin - mu cos) */
        pull = LAW_G * (r.s.slope - (column == EXPLICIT ? 0 : LAW_MU)) / sqrt(1 + r.s.slope * r.s.slope);
        facts[PULL] = fabs((way[2] - 2 * way[1] + way[0]) / (span * span) / pull - 1);
        run_end(&r);
        if (column == LAYERS || column == EXPLICIT)
            run_short_steps(which, column, facts);
    } else
        scene_close(&r.s);
    return code == CT_OK;
}

/* ---- the same scene twice ---- */
typedef double twin_fn(int column);
enum { TWIN_STEPS = PLAIN_OR(30, 8) };

/* largest distance of a vertex from where it is in the scene alone, as a share of the scene's size; the common velocity taken off */
static double twin(int which, int column, setup q)
{
    double *x[2][TWIN_STEPS][2], off, worst = 0;
    int i, k, j, m, n[2] = {0, 0};
    for (m = 0; m < 2; m++) {
        scene s;
        setup alone;
        memset(&alone, 0, sizeof alone);
        alone.stepper = q.stepper = steppers[column];
        assert_int_equal(scenes[which].open(&s, m ? &q : &alone), CT_OK);
        for (i = 0; i < TWIN_STEPS; i++) {
            if (m && s.guest.index1 && i == TWIN_STEPS / 3)
                assert_int_equal(ct_body_remove(s.w, s.guest), CT_OK);
            step_once(s.w, s.dt);
            for (k = 0; k < 2; k++)
                x[m][i][k] = read_vectors(s.w, s.things[k].id, 0, &n[k]);
        }
        scene_close(&s);
    }
    for (i = 0; i < TWIN_STEPS; i++)
        for (k = 0; k < 2; k++) {
            for (j = 0; j < 3 * n[k]; j++) {
                off = fabs(x[1][i][k][j] - x[0][i][k][j] - q.common[j % 3] * LAW_DT * (i + 1)) / 0.2;
                worst = off > worst || off != off ? off : worst;
            }
            free(x[0][i][k]), free(x[1][i][k]);
        }
    return worst;
}

static double far_body(int column)
{
    setup q;
    memset(&q, 0, sizeof q), q.far = 1;
    return twin(DROP, column, q);
}

static double removed_body(int column)
{
    setup q;
    memset(&q, 0, sizeof q), q.guest = 1;
    return twin(DROP, column, q);
}

/* several: one alone may agree by chance */
static double common_velocity(int column)
{
    static const double sizes[] = {1, -1, 0.5, 1e-3};
    double worst = 0;
    int i;
    for (i = 0; i < 4; i++) {
        setup q;
        memset(&q, 0, sizeof q), q.common[0] = 3 * sizes[i], q.common[1] = -2 * sizes[i], q.common[2] = sizes[i];
        worst = fmax(worst, twin(COLLISION, column, q));
    }
    return worst;
}

/* ranges in reverse, one index each, by seven workers in turn; odd loops before enqueue returns */
typedef struct reversed {
    int loops, count;
    ct_task_fn *fn;
    void *context;
} reversed;

static void reversed_finish(void *task, void *user)
{
    reversed *t = (reversed *)task;
    int i;
    (void)user;
    for (i = t->count - 1; i >= 0; i--)
        t->fn(i, i + 1, i % 7, t->context);
}

static void *reversed_enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    reversed *t = (reversed *)user;
    (void)min_range;
    t->fn = fn, t->count = count, t->context = context;
    if (++t->loops % 2 == 0)
        return t;
    reversed_finish(t, user);
    return NULL;
}

/* steps whose state differs from that of one worker */
static int other_workers_in(ct_code (*open)(scene *s, const setup *q), int column)
{
    enum { STEPS = PLAIN_OR(5, 3) };
    uint64_t want[STEPS];
    int m, i, differ = 0;
    for (m = 0; m < 3; m++) {
        scene s;
        setup q;
        ct_tasks tasks;
        reversed t;
        memset(&q, 0, sizeof q), memset(&tasks, 0, sizeof tasks), memset(&t, 0, sizeof t);
        q.stepper = steppers[column], q.workers = m;
        tasks.enqueue = reversed_enqueue, tasks.finish = reversed_finish, tasks.worker_count = 7, tasks.user = &t;
        if (m == 2)
            q.tasks = &tasks;
        q.workers = m == 1 ? 2 : 1;
        assert_int_equal(open(&s, &q), CT_OK);
        for (i = 0; i < STEPS; i++) {
            step_once(s.w, s.dt);
            differ += m && ct_world_hash(s.w) != want[i];
            want[i] = m ? want[i] : ct_world_hash(s.w);
        }
        scene_close(&s);
        if (m == 2 && open == open_large && t.loops == 0)
            fail_msg("%s: no loop was shared", words[column]);
    }
    return differ;
}

static double other_workers(int column)
{
    return other_workers_in(open_large, column) + (scenes[CRUMPLE].refused >> column & 1 ? 0 : other_workers_in(open_crumple, column));
}

/* Three steps from the start of a scene. at > 0: the allocation of this number fails, and the step is taken again. SWEEP: each step runs out
   of memory at its first allocation, then at later ones, until it needs no more. A step that fails changes nothing. Returns the last hash */
enum { SWEEP = -1 };
static uint64_t run_out(int which, int column, int64_t at, int64_t *calls)
{
    books b;
    scene s;
    setup q;
    uint64_t hash;
    int i, k, failed = 0;
    memset(&b, 0, sizeof b), memset(&q, 0, sizeof q);
    q.stepper = steppers[column], q.memory = &b;
    assert_int_equal(scenes[which].open(&s, &q), CT_OK);
    *calls = b.calls, b.fail_at = at > 0 ? b.calls + at : 0;
    for (i = 0; i < 3; i++) {
        uint64_t start = ct_world_hash(s.w);
        for (k = 1;; k += PLAIN_OR(1, 1 + k / 2)) {
            ct_code code;
            b.fail_at = at == SWEEP ? b.calls + k : b.fail_at;
            code = ct_world_step(s.w, (ct_real)s.dt, NULL);
            if (code == CT_OK)
                break;
            assert_int_equal(code, CT_ERR_MEMORY);
            assert_true(ct_world_hash(s.w) == start);
            failed++;
        }
    }
    *calls = b.calls - *calls;
    hash = ct_world_hash(s.w);
    scene_close(&s);
    assert_true(at != SWEEP || failed > 5);
    assert_true(b.wrong == 0 && b.blocks == 0 && b.live == 0);
    return hash;
}

/* sweeps of small scenes, and five allocations of a larger one */
static double failed_allocation(int column)
{
    enum { RUNS = PLAIN_OR(5, 2) };
    int64_t calls, other;
    int i, wrong;
    uint64_t want = run_out(DROP, column, 0, &calls);
    wrong = run_out(DROP, column, SWEEP, &calls) != want;
    if (!(scenes[SHEET_HOLD].refused >> column & 1)) {
        want = run_out(SHEET_HOLD, column, 0, &calls);
        wrong += run_out(SHEET_HOLD, column, SWEEP, &calls) != want;
    }
    want = run_out(STACK, column, 0, &calls);
    for (i = 1; i <= RUNS; i++)
        wrong += run_out(STACK, column, i * calls / RUNS, &other) != want;
    return wrong;
}

/* ---- refusals ---- */

/* 1 if a refusal does not name the stepper, or names neither a setting nor a stepper that would do */
static int refusal_is_poor(int column, ct_code code, const ct_error_info *e)
{
    char name[32];
    const char *text = e->text, *other;
    if (code == CT_OK)
        return 0;
    snprintf(name, sizeof name, "'%s'", ct_stepper_text(steppers[column]));
    other = strstr(text, words[column]);
    other = other ? other + strlen(words[column]) : (strstr(text, name) ? text : NULL);
    if (code == CT_ERR_UNSUPPORTED && other && (strstr(other, "CT_STEPPER_") || strstr(other, "set ") || strstr(other, "leave ")))
        return 0;
    print_message("%s: %s\n", words[column], text);
    return 1;
}

enum { OPTIONS = 8, CALLS = 6 };

static void set_option(ct_world_desc *d, int which)
{
    switch (which) {
    case 0:
        d->self_collision = 1;
        break;
    case 1:
        d->friction = (ct_real)LAW_MU;
        break;
    case 2:
        d->ccd_limits_step = 1;
        break;
    case 3:
        d->restitution = (ct_real)0.5;
        break;
    case 4:
        d->solver.termination = CT_TERMINATION_PAPER;
        break;
    default:
        d->integrator = (ct_integrator)(which - 5 + CT_INTEGRATOR_NEWMARK);
    }
}

/* a call that adds another body or a joint, or takes bodies apart */
static ct_code make_call(ct_world *w, int which)
{
    ct_real x[6] = {0, 0, 0, (ct_real)0.1, 0, 0};
    int32_t segment[2] = {0, 1};
    ct_mesh line, box = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0), grid = mesh_grid(0.1, 0.1, 1, 1);
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_rod_desc rod = ct_rod_desc_default();
    ct_points_desc points = ct_points_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_joint_desc joint = ct_joint_desc_default(CT_JOINT_BALL);
    int freed, left;
    ct_code code;
    memset(&line, 0, sizeof line);
    line.positions = x, line.n_positions = 2, line.segments = segment, line.n_segments = 1;
    cloth.mesh = &grid, rod.mesh = points.mesh = &line, rigid.mesh = &box;
    joint.a.body = add_soft_box(w, "box", 0.1, 1, 1e5, 0, 1, 0), joint.a.vertices[0] = 0, joint.a.vertices[1] = -1;
    if (which < 3)
        code = which == 0 ? ct_body_add_cloth(w, &cloth, NULL)
                          : (which == 1 ? ct_body_add_rod(w, &rod, NULL) : ct_body_add_points(w, &points, NULL));
    else
        code = which == 3 ? ct_body_add_rigid(w, &rigid, NULL)
                          : (which == 4 ? ct_joint_add(w, &joint, NULL) : ct_world_repair(w, &freed, &left));
    ct_mesh_free(&box), ct_mesh_free(&grid);
    return code;
}

/* refusals without the stepper's name or a cure */
static double poor_refusals(int column)
{
    int i, poor = 0;
    for (i = 0; i < OPTIONS + CALLS; i++) {
        ct_world_desc d = world_desc(LAW_H, 0, NULL);
        ct_world *w = NULL;
        ct_error_info e;
        ct_code code;
        d.stepper = steppers[column], d.self_collision = 0;
        if (i < OPTIONS)
            set_option(&d, i);
        code = ct_world_create(&d, &w, &e);
        poor += refusal_is_poor(column, code, &e);
        if (i >= OPTIONS) {
            code = make_call(w, i - OPTIONS);
            poor += refusal_is_poor(column, code, ct_world_error(w));
        }
        ct_world_destroy(w);
    }
    return poor;
}

/* ---- the table ---- */
typedef enum cell_kind { AS_ROW, STATED, FAULT } cell_kind;
typedef struct cell {
    cell_kind kind;
    unsigned on;           /* scenes that it is for; the row's bound is for the others */
    double bound, bound32; /* in double, in float */
    const char *says;      /* STATED: words at the head of the stepper's page; FAULT: what makes it, as far as is known */
} cell;
#define ROW {AS_ROW, 0, 0, 0, NULL}
#define SAYS(on, bound, bound32, text) {STATED, on, bound, bound32, text}
#define KNOWN(on, bound, bound32, cause) {FAULT, on, bound, bound32, cause}

#define ON(scene) (1u << (scene))
#define FREE (ON(SPIN) | ON(RIGID_SPIN))
#define MEET (ON(COLLISION) | ON(RIGID))
#define ALL (ON(SCENES) - 1)
#define ONCE 1u /* of what a function of its own measures */

static const struct {
    fact f;
    twin_fn *fn; /* in its place, of scenes that are run twice */
    const char *name;
    unsigned on;
    double bound, bound32;
    cell cells[COLUMNS]; /* cmr, dcd, barrier, geometric, layers, penalty, explicit */
} rows[] = {
    {MOMENTUM, NULL, "linear momentum", FREE | MEET, 1e-12, 4e-6,
     {ROW, ROW, ROW,
      SAYS(ON(COLLISION) | ON(SPIN), 1e-8, 4e-6, "linear momentum to 1e-8"), ROW, ROW, ROW}},
    {ANGULAR, NULL, "angular momentum of a collision", MEET, 1e-12, 4e-6,
     {ROW, ROW,
      SAYS(ON(COLLISION) | ON(RIGID), 0.06, 0.06, "6 % of the angular momentum of a collision"),
      SAYS(ON(COLLISION), 0.01, 0.01, "1 % of the angular momentum of a collision"),
      SAYS(ON(COLLISION), 3e-3, 3e-3, ".3 % of the angular momentum of a collision"),
      KNOWN(ON(RIGID), 1e-12, 4e-4, "float: not converged"),
      SAYS(ON(COLLISION) | ON(RIGID), 1e-3, 1e-3, ".1 % of the angular momentum of a collision")}},
    {ANGULAR, NULL, "angular momentum of a free spin", FREE, 2e-3, 2e-3,
     {ROW, ROW, SAYS(ON(SPIN) | ON(RIGID_SPIN), 0.25, 0.25, "25 % of a free spin's"), ROW, ROW,
      SAYS(ON(SPIN), 0.1, 0.1, "10 % of a free spin's"), ROW}},
    {BALANCE, NULL, "impulses are the change of momentum", ALL, 1e-6, 1e-4,
     {ROW, SAYS(ON(PUSH) | ON(HANG), 1e-5, 1e-4, "momentum of a body that is held by 1e-5"), SAYS(ALL, 0.01, 0.01, "momentum of a body by 1 %"),
      SAYS(ALL, 2e-4, 2e-4, "momentum of a body by 2e-4"), ROW, SAYS(ON(CRUMPLE), 1e-5, 5e-4, "momentum of a body by 1e-5"), ROW}},
    {WEIGHT, NULL, "impulses of a second at rest are the weight's", ON(DROP) | ON(HANG), 1e-4, 1e-4,
     {ROW, ROW, ROW, ROW, ROW, ROW, SAYS(ON(DROP), 1e-3, 1e-3, ".1 % of the weight")}},
    {UNSEEN, NULL, "no energy is gained unseen", ALL, 1e-3, 1e-3,
     {ROW, KNOWN(ON(STACK), 0.02, 0.02, "no judge"),
      ROW,
      SAYS(ON(DROP) | ON(STACK), 0.1, 0.1, "10 % of the energy of a fall"), ROW, ROW,
      ROW}},
    {TOP, NULL, "energy is never above the start's", ALL, 1e-3, 1e-3, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {REPORT, NULL, "the report's energies", ALL, 1e-11, 1e-3, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {WORK, NULL, "the report's work of pins and scripts", ON(SHEET) | ON(STRETCH) | ON(PUSH), 1e-7, 1e-6,
     {ROW, ROW, ROW, KNOWN(ON(PUSH), 2e-6, 2e-6, "velocities that scripts change"),
      KNOWN(ON(STRETCH), 1e-7, 2e-6, "float: sums of impulses are rounded"), ROW, ROW}},
    {ACCOUNT, NULL, "the account closes", ALL, 1e-11, 1e-11,
     {ROW, ROW, KNOWN(ALL, 1e-11, 5e-9, "float: the barriers' scale is rounded"), ROW, ROW, ROW, ROW}},
    {LOSS, NULL, "losses are not below zero", ALL, 1e-9, 1e-9,
     {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {TAKEN, NULL, "losses of contacts are their impulses' work", ALL, 1e-6, 1e-4,
     {ROW, ROW, SAYS(ON(CRUMPLE), 1e-5, 1e-4, "contacts of rigid bodies by 1e-5"),
      SAYS(ON(COLLISION) | ON(SHEET) | ON(PUSH), 3e-4, 3e-4, "`loss_contact` by .03 %"), ROW, ROW, ROW}},
    {GAINED, NULL, "gains that contacts have taken", ALL, 1e-6, 1e-4, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {DAMPED, NULL, "losses of dampers are their forces' work", ALL, 1e-6, 1e-4,
     {ROW, ROW, ROW, SAYS(ON(STACK) | ON(COLLISION) | ON(SHEET) | ON(PUSH), 2e-3, 2e-3, "`loss_damping` by .2 %"),
      SAYS(ON(STRETCH), 2e-3, 2e-3, "less than its law, .2 %"), ROW, ROW}},
    {LIFTED, NULL, "recovery of pairs that need none", ALL, 1e-6, 1e-4, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {CROSSING, NULL, "steps that cross and do not say so", ALL, 0, 0,
     {ROW, KNOWN(ON(PUSH), 40, 40, "edges are not seen"), ROW, ROW, ROW, ROW, ROW}},
    {SAID, NULL, "share of steps above their tolerance", ALL, 0.05, 0.05,
     {ROW, ROW, KNOWN(ON(SHEET), 0.05, 0.13, "float: slips below its rounding"), ROW, ROW,
      KNOWN(ON(COLLISION) | ON(SHEET) | ON(CRUMPLE) | ON(RIGID), 0.9, 0.9, "not converged"), ROW}},
    {DEPTH, NULL, "thicknesses below the floor", ON(DROP) | ON(STACK) | ON(CRUMPLE), 0, 0,
     {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {SCRIPT, NULL, "pins and scripts are met", ON(SHEET) | ON(STRETCH) | ON(PUSH) | ON(HANG), 1e-10, 1e-6,
     {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {CLOCK, NULL, "time goes on", ALL, 1e-6, 1e-4, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {CREEP, NULL, "speed of what sticks on a slope, m/s", ON(HOLD) | ON(SHEET_HOLD) | ON(RIGID_HOLD), 1e-6, 1e-6,
     {ROW, ROW, SAYS(ON(HOLD) | ON(SHEET_HOLD) | ON(RIGID_HOLD), 1e-3, 1e-3, "1 mm/s"),
      SAYS(ON(HOLD), 2e-6, 2e-6, ".002 mm/s"), SAYS(ON(HOLD) | ON(SHEET_HOLD), 5e-5, 5e-5, ".05 mm/s"),
      KNOWN(ON(SHEET_HOLD), 1e-6, 4e-3, "float: anchors move"), ROW}},
    {PULL, NULL, "acceleration of what slides on it", ON(SLIDE) | ON(SHEET_SLIDE) | ON(RIGID_SLIDE), 2e-4, 2e-4,
     {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {FACTS, far_body, "a far body changes nothing", ONCE, 0, 0,
     {ROW, SAYS(ONCE, 1e-6, 1e-5, "far away moves others by 1e-6"), SAYS(ONCE, 0.01, 0.01, "far away moves others by 1 %"),
      KNOWN(ONCE, 0.02, 0.02, "substeps are the world's"), KNOWN(ONCE, 1e-12, 0.1, "float: its contact takes all updates"),
      SAYS(ONCE, 1e-5, 1e-4, "far away moves others by 1e-5"), KNOWN(ONCE, 2e-3, 2e-3, "step lengths are the world's")}},
    {FACTS, removed_body, "a body that is removed changes nothing", ONCE, 1e-6, 1e-5,
     {ROW, ROW, ROW, SAYS(ONCE, 5e-4, 5e-4, "is removed moves others by 5e-4"), ROW, ROW,
      SAYS(ONCE, 5e-5, 5e-5, "is removed moves others by 5e-5")}},
    {FACTS, common_velocity, "a common velocity changes nothing", ONCE, 1e-6, 2e-5,
     {ROW, ROW, SAYS(ONCE, 5e-3, 5e-3, "a common velocity by .5 %"),
      SAYS(ONCE, 5e-4, 1e-3, "a common velocity by 5e-4"), ROW, KNOWN(ONCE, 1e-4, 0.01, "not converged"), ROW}},
    {FACTS, poor_refusals, "refusals that do not name stepper and cure", ONCE, 0, 0, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {FACTS, other_workers, "steps of other bits with 1, 2, 7 workers", ONCE, 0, 0, {ROW, ROW, ROW, ROW, ROW, ROW, ROW}},
    {FACTS, failed_allocation, "runs of other bits after failed allocations", ONCE, 0, 0,
     {ROW, ROW, ROW, KNOWN(ONCE, 5, 5, "candidates in another order"), ROW, ROW, ROW}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* what is measured of a row on a scene; -1: the stepper refuses it */
static double measure(int row, int column, int which)
{
    static double facts[SCENES][COLUMNS][FACTS];
    static char done[SCENES][COLUMNS]; /* 1: run, 2: refused */
    if (rows[row].fn)
        return rows[row].fn(column);
    if (!done[which][column])
        done[which][column] = run_scene(which, column, facts[which][column]) ? 1 : 2;
    return done[which][column] == 1 ? facts[which][column][rows[row].f] : -1;
}

/* 1 if the first lines of the stepper's page have the words */
static int page_says(int column, const char *text)
{
    static const char *const pages[COLUMNS] = {"step", "dcd", "barrier", "geometric", "layers", "penalty", "explicit"};
    char path[64], head[4096];
    FILE *f;
    snprintf(path, sizeof path, "docs/%s.md", pages[column]);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s: the tests run from the folder that has it", path);
    head[fread(head, 1, sizeof head - 1, f)] = 0;
    fclose(f);
    return strstr(head, text) != NULL;
}

static int is_wrong(int row, int column)
{
    const cell *c = &rows[row].cells[column];
    double common = FLOAT ? rows[row].bound32 : rows[row].bound, own = FLOAT ? c->bound32 : c->bound, most = 0;
    int i, wrong = 0;
    for (i = 0; i < SCENES; i++) {
        double value, bound = c->on >> i & 1 ? own : common;
        if (!(rows[row].on >> i & 1))
            continue;
        value = measure(row, column, i);
        most = c->on >> i & 1 && value > most ? value : most;
        if (!(value <= bound)) {
            const char *where = rows[row].fn ? "twice" : scenes[i].name;
            print_message("%s, %s: %.3g (%s), bound %.3g\n", rows[row].name, words[column], value, where, bound);
            wrong = 1;
        }
    }
    /* shorter runs under sanitizers, and the other precision, may not show it */
    if (c->kind == FAULT && PLAIN_OR(!FLOAT, 0) && c->bound > rows[row].bound && most <= common)
        print_message("%s, %s: %.3g is mended: delete its mark (%s)\n", rows[row].name, words[column], most, c->says), wrong = 1;
    if (c->kind == STATED && !page_says(column, c->says))
        print_message("%s, %s: the page does not say \"%s\"\n", rows[row].name, words[column], c->says), wrong = 1;
    return wrong;
}

static void the_table(void **state)
{
    int i, k, wrong = 0;
    (void)state;
    for (k = 0; k < COLUMNS; k++)
        for (i = 0; i < ROWS; i++)
            wrong += PLAIN_OR(1, rows[i].f < WEIGHT || rows[i].f == FACTS) && is_wrong(i, k);
    assert_int_equal(wrong, 0);
}

static int print_table(void)
{
    int i, k, j;
    for (i = 0; i < ROWS; i++) {
        printf("%-46s", rows[i].name);
        for (k = 0; k < COLUMNS; k++) {
            static const char marks[] = " s!";
            double worst = -1;
            for (j = 0; j < SCENES; j++)
                worst = rows[i].on >> j & 1 ? fmax(worst, measure(i, k, j)) : worst;
            if (worst < 0)
                printf(" %9s ", "-");
            else
                printf(" %9.2g%c", worst, marks[rows[i].cells[k].kind]);
        }
        printf("\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table)};
    if (argc > 1 && strcmp(argv[1], "--table") == 0)
        return print_table();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
