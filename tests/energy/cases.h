/* cases.h -- scenes in which a step must not gain energy, and the account of a run. Method: the energy of a step is the sum of its report's
   kinetic, elastic and gravity energies less that of the scene's lowest state, so that it is positive; the start is before the first
   step. A scene is a row of numbers: the short test (test_energy.c) takes some, the long one (energy.c) all. */
#ifndef TEST_ENERGY_CASES_H
#define TEST_ENERGY_CASES_H

#include "../../src/public/api.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENERGY_GAIN 0.01 /* share of the start's energy that a step up to `zones` may have above it */
#define ENERGY_MOST 1.0  /* and a step of any status */
#define ENERGY_GOOD 0.9  /* share of a run's steps that end up to `zones` */

/* ---- the account of a run ---- */
typedef struct energy_run {
    double rest, start; /* [J] energy of the lowest state; of the start above it */
    double good, any;   /* largest (energy - start) / start of steps up to `zones`, and of all */
    int steps, n_good;
    int at_good, at_any; /* steps of them */
    ct_status status_any;
    double residual_good; /* largest of steps up to `zones` */
    double last;          /* the last step's energy over the start's */
    int cut;              /* processor time was over before the run was */
    double seconds;
} energy_run;

static inline double energy_of(const ct_step_report *r) { return r->energy_kinetic + r->energy_elastic + r->energy_gravity; }

/* u->start is known; scale [J] > 0: what gains are shares of */
static inline void energy_note(energy_run *u, const ct_step_report *r, double scale)
{
    double e = energy_of(r) - u->rest, gain;
    u->steps++;
    gain = (e - u->start) / scale;
    if (!(gain < 1e300))
        gain = 1e300;
    u->last = 1 + gain;
    if (gain > u->any)
        u->any = gain, u->at_any = u->steps, u->status_any = r->status;
    if (r->status > CT_STATUS_ZONES)
        return;
    u->n_good++;
    u->residual_good = fmax(u->residual_good, (double)r->residual);
    if (gain > u->good)
        u->good = gain, u->at_good = u->steps;
}

/* what the run breaks: 1 a step up to `zones` gains, 2 too few such steps, 4 a step of any status gains too much */
static inline int energy_verdict(const energy_run *u)
{
    return (u->good > ENERGY_GAIN) | (u->n_good < ENERGY_GOOD * u->steps) << 1 | (u->any > ENERGY_MOST) << 2;
}

static inline void energy_head(void)
{
    printf("%-58s %10s %10s %5s %10s %5s %-13s %6s %8s %9s %7s\n", "run", "start J", "gain <=z", "step", "gain any", "step", "its status",
           "% <=z", "residual", "last", "s");
}

static inline void energy_row(const char *name, const energy_run *u)
{
    int v = energy_verdict(u);
    printf("%-58s %10.3g %10.3g %5d %10.3g %5d %-13s %6.1f %8.1e %9.3g %7.2f%s%s%s%s\n", name, u->start, u->good, u->at_good, u->any,
           u->at_any, ct_status_text(u->status_any), u->steps ? 100. * u->n_good / u->steps : 100., u->residual_good, u->last, u->seconds,
           v & 1 ? " GAINS" : "", v & 2 ? " FAILS" : "", v & 4 ? " DOUBLES" : "", u->cut ? " cut" : "");
}

/* ---- scenes ---- */
typedef enum energy_kind { ENERGY_DROP, ENERGY_TWO, ENERGY_SPIN, ENERGY_RODS, ENERGY_IMPACT } energy_kind;

typedef struct energy_case {
    energy_kind kind;
    ct_model model;
    ct_integrator integrator;
    double young, poisson, density, size, dt, duration;
    int count;        /* RODS: how many; IMPACT: which offset */
    double speed;     /* IMPACT [m/s] */
    double friction;  /* IMPACT */
    ct_row_mode rows; /* RODS */
} energy_case;

static inline double energy_clock(void) { return (double)clock() / CLOCKS_PER_SEC; }

static inline void energy_must(ct_code code, const char *what)
{
    if (code == CT_OK)
        return;
    printf("FAILED %s: %s\n", what, ct_code_text(code));
    exit(2);
}

static inline ct_mesh energy_box(double x, double y, double z, int nx, int ny, int nz, int tets)
{
    ct_mesh m;
    ct_real size[3];
    int cells[3];
    memset(&m, 0, sizeof m);
    size[0] = (ct_real)x, size[1] = (ct_real)y, size[2] = (ct_real)z;
    cells[0] = nx, cells[1] = ny, cells[2] = nz;
    energy_must(ct_mesh_box(size, cells, tets, &m, NULL), "box");
    return m;
}

/* turned about z, moved */
static inline void energy_place(ct_mesh *m, double angle, double tx, double ty, double tz)
{
    double c = cos(angle), s = sin(angle);
    int i;
    for (i = 0; i < m->n_positions; i++) {
        ct_real *p = m->positions + 3 * (size_t)i;
        double x = (double)p[0], y = (double)p[1];
        p[0] = (ct_real)(c * x - s * y + tx), p[1] = (ct_real)(s * x + c * y + ty), p[2] = (ct_real)((double)p[2] + tz);
    }
}

static inline void energy_soft(ct_world *w, const energy_case *c, ct_mesh *m, ct_model model, double friction, double spin)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id;
    d.mesh = m, d.material = ct_material_default(model);
    d.material.young = (ct_real)c->young, d.material.poisson = (ct_real)c->poisson, d.material.density = (ct_real)c->density;
    d.friction = (ct_real)friction, d.angular_velocity[1] = (ct_real)spin;
    energy_must(ct_body_add_soft(w, &d, &id), "soft body");
}

static inline void energy_rigid(ct_world *w, ct_mesh *m, double density, double friction, double vx, ct_body_id *id)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    d.mesh = m, d.density = (ct_real)density, d.friction = (ct_real)friction, d.velocity[0] = (ct_real)vx;
    energy_must(ct_body_add_rigid(w, &d, id), "rigid body");
}

static inline void energy_floor(ct_world *w)
{
    ct_static_desc d = ct_static_desc_default();
    ct_body_id id;
    d.plane_normal[0] = d.plane_normal[2] = 0, d.plane_normal[1] = 1, d.plane_offset = 0;
    energy_must(ct_body_add_static(w, &d, &id), "plane");
}

static inline void energy_sheet(ct_world *w, const energy_case *c)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id;
    ct_mesh m;
    ct_real size[2];
    int cells[2] = {6, 2};
    memset(&m, 0, sizeof m);
    size[0] = (ct_real)c->size, size[1] = (ct_real)(c->size / 4);
    energy_must(ct_mesh_grid(size, cells, &m, NULL), "grid");
    d.mesh = &m, d.material = ct_material_default(c->model), d.angular_velocity[1] = (ct_real)3.16;
    energy_must(ct_body_add_cloth(w, &d, &id), "cloth");
    ct_mesh_free(&m);
}

/* rods of 16 g, 20 cm apart, that hang on each other by balls, let go at 1.2 rad; the energy of the chain at rest [J] */
static inline double energy_rods(ct_world *w, const energy_case *c)
{
    ct_body_id last = {0, 0}, id;
    double angle = 1.2, rest = 0;
    int i;
    for (i = 0; i < c->count; i++) {
        ct_mesh m = energy_box(0.05 * c->size, 0.8 * c->size, 0.05 * c->size, 1, 1, 1, 0);
        ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
        ct_joint_id joint;
        double l = c->size * (0.5 + i);
        energy_place(&m, angle, l * sin(angle), -l * cos(angle), 0);
        energy_rigid(w, &m, 1000, -1, 0, &id);
        rest -= 2 * c->size * c->size * c->size * 9.81 * l; /* 1000 kg/m^3, .05 .8 .05 of the size */
        j.a.body = id, j.b.body = last, j.collide = 0;
        j.point[0] = (ct_real)(c->size * i * sin(angle)), j.point[1] = (ct_real)(-c->size * i * cos(angle));
        energy_must(ct_joint_add(w, &j, &joint), "joint");
        last = id;
        ct_mesh_free(&m);
    }
    return rest;
}

static inline void energy_impact(ct_world *w, const energy_case *c)
{
    ct_mesh a = energy_box(0.1, 0.1, 0.1, 2, 2, 2, 1), b = energy_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_body_id id;
    energy_place(&a, 0, -0.06, 0, 0), energy_place(&b, 0, 0.06, 0.007 * c->count, 0.003 * c->count);
    energy_soft(w, c, &a, c->model, c->friction, 0);
    energy_rigid(w, &b, 5000, c->friction, -c->speed, &id);
    ct_mesh_free(&a), ct_mesh_free(&b);
}

static inline void energy_bodies(ct_world *w, const energy_case *c, double *rest)
{
    ct_mesh m;
    double s = c->size;
    *rest = 0;
    if (c->kind == ENERGY_DROP || c->kind == ENERGY_TWO) {
        energy_floor(w);
        m = energy_box(s, s, s, 3, 3, 3, 1);
        energy_place(&m, 20 * 3.14159265358979 / 180, 0, s + 0.2, 0);
        energy_soft(w, c, &m, c->kind == ENERGY_TWO ? CT_MODEL_STABLE_NEOHOOKEAN : c->model, -1, 0);
        ct_mesh_free(&m);
        if (c->kind == ENERGY_DROP)
            return;
        m = energy_box(s, s, s, 3, 3, 3, 1);
        energy_place(&m, 0, 0.1 * s, 2.5 * s + 0.3, 0);
        energy_soft(w, c, &m, CT_MODEL_NEOHOOKEAN, -1, 0);
        ct_mesh_free(&m);
    } else if (c->kind == ENERGY_SPIN && c->model >= CT_MODEL_MEMBRANE) {
        energy_sheet(w, c);
    } else if (c->kind == ENERGY_SPIN) {
        m = energy_box(s, s / 2, s / 2, 4, 2, 2, 1);
        energy_soft(w, c, &m, c->model, -1, 3.16);
        ct_mesh_free(&m);
    } else if (c->kind == ENERGY_RODS) {
        *rest = energy_rods(w, c);
    } else {
        energy_impact(w, c);
    }
}

static const char *const energy_models[] = {"corotational", "stvk", "neohookean", "stable", "hong", "membrane", "springs"};
static const char *const energy_schemes[] = {"euler", "newmark", "bdf2"};

static inline void energy_name(const energy_case *c, char *out, size_t size)
{
    static const char *const kinds[] = {"drop", "two", "spin", "rods", "impact"};
    char what[80];
    if (c->kind == ENERGY_RODS)
        snprintf(what, sizeof what, "%d of %g m, %s rows", c->count, c->size, c->rows == CT_ROW_VELOCITY ? "velocity" : "anticipated");
    else if (c->kind == ENERGY_IMPACT)
        snprintf(what, sizeof what, "%s %g m/s mu %g offset %d", energy_models[c->model], c->speed, c->friction, c->count);
    else
        snprintf(what, sizeof what, "%s E%g nu%.9g rho%g %gm", energy_models[c->model], c->young, c->poisson, c->density, c->size);
    snprintf(out, size, "%s %s %s dt%.3g", kinds[c->kind], what, energy_schemes[c->integrator], c->dt);
}

static inline ct_world *energy_world(const energy_case *c, double *rest)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    d.integrator = c->integrator, d.row_mode = c->rows;
    if (c->kind == ENERGY_SPIN || c->kind == ENERGY_IMPACT)
        d.gravity[0] = d.gravity[1] = d.gravity[2] = 0;
    energy_must(ct_world_create(&d, &w, NULL), "world");
    energy_bodies(w, c, rest);
    return w;
}

/* runs a scene; most [s] > 0: processor time after which it is cut. A first step that gains is none to start from: the start is that of a step a
   millionth as long where that has less */
static inline void energy_play(const energy_case *c, double most, energy_run *u)
{
    double begin = energy_clock();
    int k, n = (int)(c->duration / c->dt + 0.5);
    ct_step_report start;
    ct_world *w;
    memset(u, 0, sizeof *u);
    w = energy_world(c, &u->rest);
    energy_must(ct_world_step(w, (ct_real)(1e-6 * c->dt), &start), "start");
    ct_world_destroy(w);
    w = energy_world(c, &u->rest);
    for (k = 0; k < n && !u->cut; k++) {
        ct_step_report r;
        energy_must(ct_world_step(w, (ct_real)c->dt, &r), "step");
        if (k == 0)
            u->start = fmin(energy_of(&start), energy_of(&r)) - u->rest;
        energy_note(u, &r, u->start);
        u->cut = most > 0 && energy_clock() - begin > most;
    }
    u->seconds = energy_clock() - begin;
    ct_world_destroy(w);
}

/* a drop of a cube with sensible values for the rest */
static inline energy_case energy_drop(ct_model model, ct_integrator scheme, double young, double poisson, double density, double size,
                                      double dt)
{
    energy_case c;
    memset(&c, 0, sizeof c);
    c.kind = ENERGY_DROP, c.model = model, c.integrator = scheme, c.young = young, c.poisson = poisson, c.density = density;
    c.size = size, c.dt = dt, c.duration = 2, c.rows = CT_ROW_ANTICIPATED;
    return c;
}

static inline energy_case energy_spin(ct_model model, ct_integrator scheme, double size, double dt, double duration)
{
    energy_case c = energy_drop(model, scheme, 1e5, 0.4, 1000, size, dt);
    c.kind = ENERGY_SPIN, c.duration = duration;
    return c;
}

static inline energy_case energy_chain(int count, double size, double dt, double duration, ct_row_mode rows)
{
    energy_case c = energy_drop(CT_MODEL_COROTATIONAL, CT_INTEGRATOR_EULER, 1, 0, 1, size, dt);
    c.kind = ENERGY_RODS, c.count = count, c.duration = duration, c.rows = rows;
    return c;
}

static inline energy_case energy_blow(ct_model model, double friction, int offset, double speed, double dt)
{
    energy_case c = energy_drop(model, CT_INTEGRATOR_EULER, 1e6, 0.3, 1000, 0.1, dt);
    c.kind = ENERGY_IMPACT, c.friction = friction, c.count = offset, c.speed = speed, c.duration = 0.3;
    return c;
}

#endif /* TEST_ENERGY_CASES_H */
