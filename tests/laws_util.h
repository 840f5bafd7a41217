/* laws_util.h -- the short scenes of test_laws.c, and what is measured while a stepper runs them. Masses, momenta and energies are computed
   here from positions, velocities and materials. */
#ifndef TEST_LAWS_UTIL_H
#define TEST_LAWS_UTIL_H

#include "world_util.h"

#define LAW_DT 0.01 /* [s] */
#define LAW_SHORT 2e-6 /* [s] a step in which what contacts and dampers take is within 1e-6 of that of single impulses */
#define LAW_H 1e-3  /* [m] thickness */
#define LAW_G 9.81  /* [m/s^2] */
#define LAW_MU 0.4
#define LAW_DENSITY 1000.0
#define SHEET_THICKNESS 1e-3 /* [m] of the membrane */

enum { CMR, DCD, BARRIER, GEOMETRIC, LAYERS, PENALTY, EXPLICIT, COLUMNS };
static const ct_stepper steppers[COLUMNS] = {CT_STEPPER_CMR,    CT_STEPPER_DCD,     CT_STEPPER_BARRIER, CT_STEPPER_GEOMETRIC,
                                             CT_STEPPER_LAYERS, CT_STEPPER_PENALTY, CT_STEPPER_EXPLICIT};
static const char *const words[COLUMNS] = {"CMR", "DCD", "BARRIER", "GEOMETRIC", "LAYERS", "PENALTY", "EXPLICIT"};
static const double ZERO[3] = {0, 0, 0};

/* ---- bodies that move ---- */
typedef enum thing_kind { THING_SOFT, THING_SHEET, THING_RIGID } thing_kind;
typedef struct thing {
    thing_kind kind;
    ct_body_id id;
    ct_mesh rest;
    double *mass; /* [n] of the vertices */
    double total; /* [kg] */
    double young, density;
    double inertia[3];  /* [kg m^2] of a rigid box, along its axes at the start */
    double *x, *v, *x0; /* [3 n] now, and at the start */
    double momentum[3]; /* of the step before */
    int n;
} thing;

enum { THINGS = 3, LAW_PINS = 64 };
typedef struct scene {
    ct_world *w;
    thing things[THINGS];
    int n;
    double gravity[3], dt, young, damping;
    ct_body_id mover; /* a kinematic body, or null */
    double mover_speed[3];
    int32_t pins[LAW_PINS]; /* of things[0]: the first n_still at rest, the others by pin_motion */
    int n_pins, n_still;
    ct_motion pin_motion;
    ct_body_id guest;          /* setup.guest */
    double floor, size, slope; /* [m] height of the floor; scale of lengths; tangent of the floor's slope, along which gravity acts */
    double drop;               /* [J] that falls can set free; the scale of energies is this with that of the start */
    ct_error_info refusal;     /* where no world is made */
} scene;

/* how a scene is run */
typedef struct setup {
    ct_stepper stepper;
    int needs_friction; /* 1: not without */
    double common[3];   /* [m/s] velocity of everything */
    int far;            /* 1: a lively body far away */
    int guest;          /* 1: a body that came first and is removed after ten steps */
    int workers;
    const ct_tasks *tasks;
    books *memory;
} setup;

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double size3(const double *a) { return sqrt(dot3(a, a)); }

/* [m^3] and masses of the vertices: a quarter of each tet's, a third of each triangle's */
static inline void thing_masses(thing *t)
{
    const ct_mesh *m = &t->rest;
    int i, k, corners = t->kind == THING_SHEET ? 3 : 4, count = t->kind == THING_SHEET ? m->n_triangles : m->n_tets;
    const int32_t *list = t->kind == THING_SHEET ? m->triangles : m->tets;
    t->mass = (double *)calloc((size_t)m->n_positions, sizeof(double));
    for (i = 0; i < count; i++) {
        double e[3][3], c[3], mass;
        const int32_t *q = list + corners * i;
        for (k = 0; k < 3 * (corners - 1); k++)
            e[k / 3][k % 3] = (double)(m->positions[3 * q[1 + k / 3] + k % 3] - m->positions[3 * q[0] + k % 3]);
        c[0] = e[0][1] * e[1][2] - e[0][2] * e[1][1], c[1] = e[0][2] * e[1][0] - e[0][0] * e[1][2],
        c[2] = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        mass = t->density * (corners == 3 ? size3(c) / 2 : dot3(c, e[2]) / 6);
        t->total += mass;
        for (k = 0; k < corners; k++)
            t->mass[q[k]] += mass / corners;
    }
}

/* ---- energies ---- */

/* [J] neohookean tetrahedra: V (mu / 2 (|F|^2 - 3) - mu log J + lambda / 2 log^2 J) */
static inline double soft_energy(const thing *t)
{
    double mu = t->young / (2 * 1.4), lambda = t->young * 0.4 / (1.4 * 0.2), sum = 0;
    int i, a, b, k;
    for (i = 0; i < t->rest.n_tets; i++) {
        const int32_t *q = t->rest.tets + 4 * i;
        double X[9], x[9], inverse[9], F[9], J, det, f2 = 0, log_j;
        for (a = 0; a < 3; a++)
            for (k = 0; k < 3; k++) {
                X[3 * k + a] = (double)t->rest.positions[3 * q[a + 1] + k] - (double)t->rest.positions[3 * q[0] + k];
                x[3 * k + a] = t->x[3 * q[a + 1] + k] - t->x[3 * q[0] + k];
            }
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) {
                int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
                inverse[3 * b + a] = X[3 * a1 + b1] * X[3 * a2 + b2] - X[3 * a1 + b2] * X[3 * a2 + b1];
            }
        det = X[0] * inverse[0] + X[1] * inverse[3] + X[2] * inverse[6];
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) {
                F[3 * a + b] = (x[3 * a] * inverse[b] + x[3 * a + 1] * inverse[3 + b] + x[3 * a + 2] * inverse[6 + b]) / det;
                f2 += F[3 * a + b] * F[3 * a + b];
            }
        J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
        log_j = log(J > 0.2 ? J : 0.2);
        sum += det / 6 * (mu / 2 * (f2 - 3) - mu * log_j + lambda / 2 * log_j * log_j);
    }
    return sum;
}

/* [J] membranes without bending: A Y / 2 ((1 - nu) |E|^2 + nu tr^2 E) with Green's strain E, Y = young thickness / (1 - nu^2). In a frame
   of the triangle at rest the metric of X is G = [X1 X2]' [X1 X2], and |E|, tr E are those of G^-1 (g - G) / 2 */
static inline double sheet_energy(const thing *t)
{
    double stretch = t->young * SHEET_THICKNESS / (1 - 0.3 * 0.3), sum = 0;
    int i, k;
    for (i = 0; i < t->rest.n_triangles; i++) {
        const int32_t *q = t->rest.triangles + 3 * i;
        double X[2][3], x[2][3], G[3], g[3], m[4], det, tr, square;
        for (k = 0; k < 6; k++) {
            X[k / 3][k % 3] = (double)t->rest.positions[3 * q[1 + k / 3] + k % 3] - (double)t->rest.positions[3 * q[0] + k % 3];
            x[k / 3][k % 3] = t->x[3 * q[1 + k / 3] + k % 3] - t->x[3 * q[0] + k % 3];
        }
        for (k = 0; k < 3; k++)
            G[k] = dot3(X[k / 2], X[(k + 1) / 2]), g[k] = (dot3(x[k / 2], x[(k + 1) / 2]) - G[k]) / 2;
        det = G[0] * G[2] - G[1] * G[1];
        m[0] = (G[2] * g[0] - G[1] * g[1]) / det, m[1] = (G[2] * g[1] - G[1] * g[2]) / det;
        m[2] = (G[0] * g[1] - G[1] * g[0]) / det, m[3] = (G[0] * g[2] - G[1] * g[1]) / det;
        tr = m[0] + m[3], square = m[0] * m[0] + 2 * m[1] * m[2] + m[3] * m[3];
        sum += sqrt(det) / 2 * stretch / 2 * (0.7 * square + 0.3 * tr * tr);
    }
    return sum;
}

/* Green's strain of element i at x: of a tetrahedron, or with mixed components of a triangle. Returns its volume or area */
static inline double strain(const thing *t, int i, const double *x, double *E)
{
    int d = t->kind == THING_SHEET ? 2 : 3, a, b, k, j;
    const int32_t *q = (d == 2 ? t->rest.triangles : t->rest.tets) + (d + 1) * i;
    double X[3][3], y[3][3], G[9], g[9], inverse[9], det;
    for (a = 0; a < d; a++)
        for (k = 0; k < 3; k++) {
            X[a][k] = (double)t->rest.positions[3 * q[1 + a] + k] - (double)t->rest.positions[3 * q[0] + k];
            y[a][k] = x[3 * q[1 + a] + k] - x[3 * q[0] + k];
        }
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            G[3 * a + b] = a < d && b < d ? dot3(X[a], X[b]) : a == b;
            g[3 * a + b] = a < d && b < d ? (dot3(y[a], y[b]) - G[3 * a + b]) / 2 : 0;
        }
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            inverse[3 * b + a] = G[3 * a1 + b1] * G[3 * a2 + b2] - G[3 * a1 + b2] * G[3 * a2 + b1];
        }
    det = G[0] * inverse[0] + G[1] * inverse[3] + G[2] * inverse[6];
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            for (E[3 * a + b] = 0, j = 0; j < 3; j++)
                E[3 * a + b] += inverse[3 * a + j] * g[3 * j + b] / det;
    return sqrt(det) / (d == 2 ? 2 : 6);
}

/* turns x [3 n] about the centre of mass as a rigid body with the angular momentum of velocities v turns in dt */
static inline void thing_turn(const thing *t, double *x, const double *v, double dt)
{
    double c[3] = {0, 0, 0}, I[3][3], L[3] = {0, 0, 0}, w[3], det = 0, size;
    int i, k, a;
    memset(I, 0, sizeof I);
    for (i = 0; i < 3 * t->n; i++)
        c[i % 3] += t->mass[i / 3] / t->total * x[i];
    for (i = 0; i < t->n; i++)
        for (k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double y1 = x[3 * i + k1] - c[k1], y2 = x[3 * i + k2] - c[k2];
            L[k] += t->mass[i] * (y1 * v[3 * i + k2] - y2 * v[3 * i + k1]);
            I[k][k] += t->mass[i] * (y1 * y1 + y2 * y2), I[k1][k2] -= t->mass[i] * y1 * y2, I[k2][k1] = I[k1][k2];
        }
    for (k = 0; k < 3; k++) { /* by Cramer's rule */
        double e[3];
        for (a = 0; a < 3; a++)
            e[a] = I[(a + 1) % 3][(k + 1) % 3] * I[(a + 2) % 3][(k + 2) % 3] - I[(a + 1) % 3][(k + 2) % 3] * I[(a + 2) % 3][(k + 1) % 3];
        w[k] = dot3(e, L), det = e[0] * I[0][k] + e[1] * I[1][k] + e[2] * I[2][k];
    }
    size = size3(w) / det * dt;
    for (k = 0; k < 3 && size > 0; k++)
        w[k] *= dt / det * tan(size / 2) / size;
    for (i = 0; i < t->n && size > 0; i++) {
        double y[3], along, square = dot3(w, w);
        for (k = 0; k < 3; k++)
            y[k] = x[3 * i + k] - c[k];
        for (along = dot3(w, y), k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            x[3 * i + k] = c[k] + ((1 - square) * y[k] + 2 * (w[k1] * y[k2] - w[k2] * y[k1]) + 2 * along * w[k]) / (1 + square);
        }
    }
}

/* [W s] power of stiffness damping at positions x and velocities v over its coefficient: V C dE/dt : dE/dt with the stiffness C at rest. E is a
   square of x, so that its rate is half of E(x + v) - E(x - v) */
static inline double thing_damping(const thing *t, const double *x, const double *v)
{
    double mu = t->young / (2 * 1.4), lambda = t->young * 0.4 / (1.4 * 0.2), flat = t->young * SHEET_THICKNESS / (1 - 0.3 * 0.3), sum = 0;
    double *ends = (double *)malloc(sizeof(double) * 6 * (size_t)t->n);
    int i, k, sheet = t->kind == THING_SHEET;
    for (i = 0; i < 3 * t->n; i++)
        ends[i] = x[i] + v[i], ends[3 * t->n + i] = x[i] - v[i];
    for (i = 0; i < (sheet ? t->rest.n_triangles : t->rest.n_tets); i++) {
        double E[9], other[9], size = strain(t, i, ends, E), tr, square = 0;
        strain(t, i, ends + 3 * t->n, other);
        for (k = 0; k < 9; k++)
            E[k] = (E[k] - other[k]) / 2;
        for (k = 0; k < 9; k++)
            square += E[k] * E[3 * (k % 3) + k / 3];
        tr = E[0] + E[4] + E[8];
        sum += size * (sheet ? flat * (0.7 * square + 0.3 * tr * tr) : lambda * tr * tr + 2 * mu * square);
    }
    free(ends);
    return sum;
}

/* momentum p, angular momentum l about the origin, energies e: kinetic, elastic, of gravity */
static inline void thing_measure(const scene *s, const thing *t, double *p, double *l, double *e)
{
    int i, k;
    memset(p, 0, 3 * sizeof *p), memset(l, 0, 3 * sizeof *l), memset(e, 0, 3 * sizeof *e);
    if (t->kind == THING_RIGID) {
        ct_real velocity[3], turning[3], at[3], q[4];
        double m[3] = {0, 0, 0};
        assert_int_equal(ct_body_get_momentum(s->w, t->id, NULL, turning), CT_OK);
        assert_int_equal(ct_body_get_motion(s->w, t->id, velocity, NULL), CT_OK);
        assert_int_equal(ct_body_get_pose(s->w, t->id, at, q), CT_OK);
        for (k = 0; k < 3; k++)
            p[k] = t->total * (double)velocity[k], m[k] = (double)at[k], e[2] -= t->total * s->gravity[k] * m[k];
        for (k = 0; k < 3; k++) {
            /* axis k of the box now: column k of the rotation */
            double a = (double)q[0], u[3], column[3], c[3];
            int i1 = (k + 1) % 3, i2 = (k + 2) % 3;
            u[0] = (double)q[1], u[1] = (double)q[2], u[2] = (double)q[3];
            column[k] = 1 - 2 * (u[i1] * u[i1] + u[i2] * u[i2]);
            column[i1] = 2 * (u[k] * u[i1] + a * u[i2]), column[i2] = 2 * (u[k] * u[i2] - a * u[i1]);
            for (i = 0; i < 3; i++)
                c[i] = (double)turning[i];
            e[0] += dot3(column, c) * dot3(column, c) / (2 * t->inertia[k]);
            l[k] = (double)turning[k] + m[i1] * p[i2] - m[i2] * p[i1];
        }
        e[0] += dot3(p, p) / (2 * t->total);
        return;
    }
    for (i = 0; i < t->n; i++) {
        const double *x = t->x + 3 * i, *v = t->v + 3 * i;
        for (k = 0; k < 3; k++) {
            p[k] += t->mass[i] * v[k];
            l[k] += t->mass[i] * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
        }
        e[0] += t->mass[i] * dot3(v, v) / 2, e[2] -= t->mass[i] * dot3(s->gravity, x);
    }
    e[1] = t->kind == THING_SHEET ? sheet_energy(t) : soft_energy(t);
}

/* ---- making scenes ---- */

static inline void put3(ct_real *out, const double *a, const double *b)
{
    int k;
    for (k = 0; k < 3; k++)
        out[k] = (ct_real)(a[k] + b[k]);
}

/* adds a body with its mesh's origin at `at`, turned about z by `angle`. The code is CT_OK or the stepper's refusal */
static inline ct_code add_thing(scene *s, const setup *q, thing_kind kind, ct_mesh mesh, const double *at, double angle, const double *v,
                                const double *spin)
{
    static const double none[3] = {0, 0, 0};
    thing *t = &s->things[s->n++];
    ct_real turn[4] = {(ct_real)cos(angle / 2), 0, 0, (ct_real)sin(angle / 2)};
    ct_soft_desc d = ct_soft_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_rigid_desc r = ct_rigid_desc_default();
    memset(t, 0, sizeof *t);
    t->kind = kind, t->rest = mesh, t->n = mesh.n_positions;
    t->young = s->young, t->density = kind == THING_SHEET ? 0.2 : LAW_DENSITY;
    t->x = (double *)calloc(9 * (size_t)t->n, sizeof(double)), t->v = t->x + 3 * t->n, t->x0 = t->v + 3 * t->n;
    if (kind == THING_RIGID) {
        r.name = "thing", r.mesh = &t->rest, r.density = (ct_real)LAW_DENSITY;
        put3(r.velocity, v, q->common), put3(r.angular_velocity, spin, none), put3(r.position, at, none),
            memcpy(r.rotation, turn, sizeof turn);
        return ct_body_add_rigid(s->w, &r, &t->id);
    }
    thing_masses(t);
    if (kind == THING_SHEET) {
        c.name = "thing", c.mesh = &t->rest, c.material = ct_material_default(CT_MODEL_MEMBRANE);
        c.material.areal_density = (ct_real)t->density, c.material.young = (ct_real)t->young, c.material.bending = 0;
        c.material.shell_thickness = (ct_real)SHEET_THICKNESS, c.material.damping_stiffness = (ct_real)s->damping;
        put3(c.velocity, v, q->common), put3(c.position, at, none), memcpy(c.rotation, turn, sizeof turn);
        return ct_body_add_cloth(s->w, &c, &t->id);
    }
    d.name = "thing", d.mesh = &t->rest, d.material = ct_material_default(CT_MODEL_NEOHOOKEAN);
    d.material.young = (ct_real)t->young, d.material.damping_stiffness = (ct_real)s->damping;
    put3(d.velocity, v, q->common), put3(d.angular_velocity, spin, none), put3(d.position, at, none), memcpy(d.rotation, turn, sizeof turn);
    return ct_body_add_soft(s->w, &d, &t->id);
}

/* a box of these edges [m] and `cells` cells along each, its middle at `at` */
static inline ct_code add_box(scene *s, const setup *q, thing_kind kind, const double *edges, int cells, const double *at, double angle,
                              const double *v, const double *spin)
{
    thing *t = &s->things[s->n];
    ct_mesh m = mesh_box(edges[0], edges[1], edges[2], cells, cells, cells, kind == THING_SOFT);
    ct_code code = add_thing(s, q, kind, m, at, angle, v, spin);
    int k;
    if (kind == THING_RIGID)
        t->total = LAW_DENSITY * edges[0] * edges[1] * edges[2];
    for (k = 0; k < 3; k++)
        t->inertia[k] = t->total / 12 * (edges[(k + 1) % 3] * edges[(k + 1) % 3] + edges[(k + 2) % 3] * edges[(k + 2) % 3]);
    return code;
}

/* an empty world; a stepper that has no friction gets none, unless that is what it is asked for */
static inline ct_code scene_open(scene *s, const setup *q, double gravity)
{
    ct_world_desc d = world_desc(LAW_H, q->stepper == CT_STEPPER_EXPLICIT && !q->needs_friction ? 0 : LAW_MU, q->memory);
    memset(s, 0, sizeof *s);
    d.stepper = q->stepper;
    s->gravity[1] = -gravity, d.gravity[1] = (ct_real)-gravity;
    s->size = 0.2, s->floor = -1e9, s->dt = LAW_DT, s->young = 1e5, s->damping = 1e-3, s->drop = 1;
    d.self_collision = q->stepper != CT_STEPPER_EXPLICIT;
    d.tasks.worker_count = q->workers;
    if (q->tasks)
        d.tasks = *q->tasks;
    d.layers.max_updates = 1000000; /* a step that explodes, or stands still, ends in a second; others take up to 500,000 */
    return ct_world_create(&d, &s->w, &s->refusal);
}

static inline void scene_close(scene *s)
{
    int i;
    for (i = 0; i < s->n; i++) {
        ct_mesh_free(&s->things[i].rest);
        free(s->things[i].mass), free(s->things[i].x);
    }
    ct_world_destroy(s->w);
}

/* ---- scenes ---- */

/* four walls around a box of .2 m */
static inline void add_walls(ct_world *w)
{
    int i;
    for (i = 0; i < 4; i++) {
        ct_static_desc d = ct_static_desc_default();
        double side = i % 2 ? -0.115 : 0.115;
        ct_mesh m = i < 2 ? mesh_box(0.02, 0.6, 0.3, 1, 1, 1, 0) : mesh_box(0.3, 0.6, 0.02, 1, 1, 1, 0);
        mesh_place(&m, 0, i < 2 ? side : 0, 0.31, i < 2 ? 0 : side);
        d.name = "wall", d.mesh = &m;
        assert_int_equal(ct_body_add_static(w, &d, NULL), CT_OK);
        ct_mesh_free(&m);
    }
}

/* Two soft boxes fall, one onto the other, and come to rest on a floor. Without friction the upper one slides towards the border, where the lower one
   gives way more; the walls keep it from falling off */
static inline ct_code open_drop(scene *s, const setup *q)
{
    static const double large[3] = {0.2, 0.2, 0.2}, small[3] = {0.1, 0.1, 0.1}, low[3] = {0, 0.1012, 0}, high[3] = {0.03, 0.3012, 0.02};
    ct_mesh far;
    ct_code code = scene_open(s, q, LAW_G);
    if (code != CT_OK)
        return code;
    add_plane(s->w, 0, 1, 0, 0);
    add_walls(s->w);
    s->floor = 0, s->drop = 0.6;
    if (q->guest)
        s->guest = add_soft_box(s->w, "guest", 0.1, 1, 1e5, 1, 0.0512, 0);
    if (q->far) {
        far = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
        mesh_place(&far, 0, 30, 5, 0);
        add_soft_mesh(s->w, "far", &far, 3e5, 3, -20, 0);
        ct_mesh_free(&far);
    }
    code = add_box(s, q, THING_SOFT, large, 2, low, 0, ZERO, ZERO);
    return code == CT_OK ? add_box(s, q, THING_SOFT, small, 1, high, 0, ZERO, ZERO) : code;
}

/* two boxes meet off their centres, one of them turning, without gravity */
static inline ct_code collide(scene *s, const setup *q, thing_kind kind)
{
    static const double edges[3] = {0.2, 0.2, 0.2}, left[3] = {-0.12, 0, 0}, right[3] = {0.12, 0.07, 0.04};
    static const double to_right[3] = {1, 0, 0}, to_left[3] = {-1, 0, 0}, spin[3] = {0, 0, 2};
    ct_code code = scene_open(s, q, 0);
    s->drop = 0;
    code = code == CT_OK ? add_box(s, q, kind, edges, 2, left, 0, to_right, spin) : code;
    return code == CT_OK ? add_box(s, q, kind, edges, 2, right, 0, to_left, ZERO) : code;
}
static inline ct_code open_collision(scene *s, const setup *q) { return collide(s, q, THING_SOFT); }
static inline ct_code open_rigid(scene *s, const setup *q) { return collide(s, q, THING_RIGID); }

/* a free bar turns about a short axis, without gravity */
static inline ct_code turn(scene *s, const setup *q, thing_kind kind)
{
    static const double edges[3] = {0.2, 0.1, 0.1}, spin[3] = {0, 0, 5};
    ct_code code = scene_open(s, q, 0);
    s->drop = 0;
    return code == CT_OK ? add_box(s, q, kind, edges, 1, ZERO, 0, ZERO, spin) : code;
}
static inline ct_code open_spin(scene *s, const setup *q) { return turn(s, q, THING_SOFT); }
static inline ct_code open_rigid_spin(scene *s, const setup *q) { return turn(s, q, THING_RIGID); }

/* two stiff soft boxes of a weight, laid upon each other */
static inline ct_code open_stack(scene *s, const setup *q)
{
    static const double edges[3] = {0.2, 0.2, 0.2}, low[3] = {0, 0.1015, 0}, high[3] = {0.004, 0.303, 0.003};
    ct_code code = scene_open(s, q, LAW_G);
    if (code != CT_OK)
        return code;
    add_plane(s->w, 0, 1, 0, 0);
    s->floor = 0, s->young = 1e6, s->drop = 0.5;
    code = add_box(s, q, THING_SOFT, edges, 3, low, 0, ZERO, ZERO);
    return code == CT_OK ? add_box(s, q, THING_SOFT, edges, 3, high, 0, ZERO, ZERO) : code;
}

/* two boxes of so many elements that loops over them are shared; in short steps, for a few of them */
static inline ct_code open_large(scene *s, const setup *q)
{
    static const double edges[3] = {0.2, 0.2, 0.2}, low[3] = {0, 0.1012, 0}, high[3] = {0.013, 0.3026, 0.007}, down[3] = {0, -0.5, 0};
    ct_code code = scene_open(s, q, LAW_G);
    add_plane(s->w, 0, 1, 0, 0);
    s->dt = 2e-3;
    code = code == CT_OK ? add_box(s, q, THING_SOFT, edges, PLAIN_OR(6, 4), low, 0, down, ZERO) : code;
    return code == CT_OK ? add_box(s, q, THING_SOFT, edges, PLAIN_OR(6, 4), high, 0, down, ZERO) : code;
}

/* a fast soft box falls on a sheet that is held by its corners */
static inline ct_code open_sheet(scene *s, const setup *q)
{
    static const double edges[3] = {0.1, 0.1, 0.1}, above[3] = {0.01, 0.06, 0.02}, down[3] = {0, -5, 0};
    ct_code code = scene_open(s, q, LAW_G);
    code = code == CT_OK ? add_thing(s, q, THING_SHEET, mesh_grid(0.4, 0.4, 6, 6), ZERO, 0, ZERO, ZERO) : code;
    if (code != CT_OK)
        return code;
    s->pins[0] = 0, s->pins[1] = 6, s->pins[2] = 42, s->pins[3] = 48, s->n_pins = s->n_still = 4;
    assert_int_equal(ct_body_pin(s->w, s->things[0].id, s->pins, 4, CT_AXIS_ALL, NULL, -1), CT_OK);
    return add_box(s, q, THING_SOFT, edges, 1, above, 0, down, ZERO);
}

/* one end of a damped sheet is held, the other is pulled to twice the length and more */
static inline ct_code open_stretch(scene *s, const setup *q)
{
    ct_code code = scene_open(s, q, 0);
    int i, side;
    s->damping = 0.1, s->drop = 1;
    code = code == CT_OK ? add_thing(s, q, THING_SHEET, mesh_grid(0.3, 0.1, 6, 2), ZERO, 0, ZERO, ZERO) : code;
    if (code != CT_OK)
        return code;
    for (side = -1; side < 2; side += 2)
        for (i = 0; i < s->things[0].n; i++)
            if (side * (double)s->things[0].rest.positions[3 * i] > 0.149)
                s->pins[s->n_pins++] = i, s->n_still += side < 0;
    s->pin_motion.linear[0] = 5;
    assert_int_equal(ct_body_pin(s->w, s->things[0].id, s->pins, s->n_still, CT_AXIS_ALL, NULL, -1), CT_OK);
    return ct_body_pin(s->w, s->things[0].id, s->pins + s->n_still, s->n_pins - s->n_still, CT_AXIS_ALL, &s->pin_motion, -1);
}

/* a sheet falls on the floor, and a rigid box on the sheet, in long steps */
static inline ct_code open_crumple(scene *s, const setup *q)
{
    static const double edges[3] = {0.12, 0.1, 0.12}, sheet[3] = {0, 0.1, 0}, box[3] = {0.02, 0.19, 0.01};
    ct_code code = scene_open(s, q, LAW_G);
    if (code != CT_OK)
        return code;
    add_plane(s->w, 0, 1, 0, 0);
    s->floor = 0, s->dt = 0.04, s->drop = 2;
    code = add_thing(s, q, THING_SHEET, mesh_grid(0.3, 0.3, 6, 6), sheet, 0, ZERO, ZERO);
    return code == CT_OK ? add_box(s, q, THING_RIGID, edges, 1, box, 0.2, ZERO, ZERO) : code;
}

/* a bar whose end follows a script, above a plate that comes up under its other end */
static inline ct_code open_push(scene *s, const setup *q)
{
    static const double edges[3] = {0.3, 0.1, 0.1}, at[3] = {0, 0.06, 0};
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_code code = scene_open(s, q, LAW_G);
    ct_mesh plate;
    int i;
    code = code == CT_OK ? add_box(s, q, THING_SOFT, edges, 2, at, 0, ZERO, ZERO) : code;
    if (code != CT_OK)
        return code;
    for (i = 0; i < s->things[0].n; i++)
        if ((double)s->things[0].rest.positions[3 * i] < -0.14)
            s->pins[s->n_pins++] = i;
    s->pin_motion.linear[1] = (ct_real)-0.05, s->pin_motion.angular[0] = (ct_real)0.5, s->pin_motion.center[1] = (ct_real)0.06;
    assert_int_equal(ct_body_pin(s->w, s->things[0].id, s->pins, s->n_pins, CT_AXIS_ALL, &s->pin_motion, -1), CT_OK);
    plate = mesh_box(0.1, 0.02, 0.2, 1, 1, 1, 0);
    mesh_place(&plate, 0, 0.12, -0.03, 0);
    s->mover_speed[1] = 0.15, k.motion.linear[1] = (ct_real)0.15, k.mesh = &plate;
    code = ct_body_add_kinematic(s->w, &k, &s->mover);
    ct_mesh_free(&plate);
    return code;
}

/* a block hangs from its upper corners and comes to rest */
static inline ct_code open_hang(scene *s, const setup *q)
{
    static const double edges[3] = {0.2, 0.2, 0.2};
    ct_code code = scene_open(s, q, LAW_G);
    int i;
    s->damping = 0.02;
    code = code == CT_OK ? add_box(s, q, THING_SOFT, edges, 1, ZERO, 0, ZERO, ZERO) : code;
    for (i = 0; code == CT_OK && i < 8; i++)
        if ((double)s->things[0].rest.positions[3 * i + 1] > 0)
            s->pins[s->n_pins++] = i;
    s->n_still = s->n_pins;
    return code == CT_OK ? ct_body_pin(s->w, s->things[0].id, s->pins, s->n_pins, CT_AXIS_ALL, NULL, -1) : code;
}

/* a block or a sheet on a slope with this tangent */
static inline ct_code slope(scene *s, const setup *q, thing_kind kind, double tangent)
{
    static const double edges[3] = {0.1, 0.05, 0.1};
    double angle = atan(tangent), at[3], above = kind == THING_SHEET ? 0.0012 : 0.0262;
    setup p = *q;
    ct_code code;
    p.needs_friction = tangent < LAW_MU;
    code = scene_open(s, &p, LAW_G);
    if (code != CT_OK)
        return code;
    add_plane(s->w, -sin(angle), cos(angle), 0, 0);
    at[0] = -above * sin(angle), at[1] = above * cos(angle), at[2] = 0;
    s->slope = tangent, s->drop = 0.5;
    return kind == THING_SHEET ? add_thing(s, &p, kind, mesh_grid(0.2, 0.2, 4, 4), at, angle, ZERO, ZERO)
                               : add_box(s, &p, kind, edges, 1, at, angle, ZERO, ZERO);
}
static inline ct_code open_hold(scene *s, const setup *q) { return slope(s, q, THING_SOFT, 0.9 * LAW_MU); }
static inline ct_code open_slide(scene *s, const setup *q) { return slope(s, q, THING_SOFT, 1.5 * LAW_MU); }
static inline ct_code open_sheet_hold(scene *s, const setup *q) { return slope(s, q, THING_SHEET, 0.9 * LAW_MU); }
static inline ct_code open_sheet_slide(scene *s, const setup *q) { return slope(s, q, THING_SHEET, 1.5 * LAW_MU); }
static inline ct_code open_rigid_hold(scene *s, const setup *q) { return slope(s, q, THING_RIGID, 0.9 * LAW_MU); }
static inline ct_code open_rigid_slide(scene *s, const setup *q) { return slope(s, q, THING_RIGID, 1.5 * LAW_MU); }

enum { DROP, STACK, COLLISION, RIGID, SPIN, RIGID_SPIN, SHEET, STRETCH, CRUMPLE, PUSH, HANG,
       HOLD, SLIDE, SHEET_HOLD, SHEET_SLIDE, RIGID_HOLD, RIGID_SLIDE, SCENES };
enum { NO_CLOTH = 1 << DCD | 1 << EXPLICIT, NO_RIGID = 1 << DCD | 1 << GEOMETRIC | 1 << LAYERS };
static const struct {
    const char *name;
    ct_code (*open)(scene *s, const setup *q);
    int steps;
    int refused; /* the steppers that refuse it, bit k for column k */
} scenes[SCENES] = {{"drop", open_drop, 200, 0},
                    {"stack", open_stack, 30, 0},
                    {"collision", open_collision, 60, 0},
                    {"rigid collision", open_rigid, 60, NO_RIGID},
                    {"spin", open_spin, 100, 0},
                    {"rigid spin", open_rigid_spin, 100, NO_RIGID},
                    {"sheet", open_sheet, 8, NO_CLOTH},
                    {"stretch", open_stretch, 10, NO_CLOTH},
                    {"crumple", open_crumple, 10, NO_CLOTH | NO_RIGID},
                    {"push", open_push, 40, 0},
                    {"hang", open_hang, 150, 0},
                    {"hold", open_hold, 60, 1 << EXPLICIT},
                    {"slide", open_slide, 60, 0},
                    {"sheet that holds", open_sheet_hold, 60, NO_CLOTH},
                    {"sheet that slides", open_sheet_slide, 60, NO_CLOTH},
                    {"rigid hold", open_rigid_hold, 60, NO_RIGID | 1 << EXPLICIT},
                    {"rigid slide", open_rigid_slide, 60, NO_RIGID}};

#endif /* TEST_LAWS_UTIL_H */
