/* test_properties.c -- material properties have their physical meaning. Damping does not act on rotation; bending is a plate's in every
   direction on every mesh; an embedded body has the weight of what its surface encloses; strain limits hold at rest; sheets of springs have
   the stiffness of the table. */
#include "model_check.h"
#include "world_util.h"
#include "../src/5_mesh/fill.h"
#include "../src/9_world/world.h"
#include <math.h>

static double hinge_energy(const cti_bend_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_bend_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

static double springs_energy(const cti_spring_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_spring_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

/* ---- meshes of a unit square in the plane y = 0 ---- */

enum { SHEET_GRID, SHEET_DIAGONAL, SHEET_EQUILATERAL, SHEET_JITTER, SHEET_EQUILATERAL_JITTER, SHEETS };

static ct_mesh sheet_mesh(int kind, int n)
{
    ct_mesh m = mesh_grid(1, 1, n, n);
    uint64_t seed = 5;
    int i, j, equilateral = kind == SHEET_EQUILATERAL || kind == SHEET_EQUILATERAL_JITTER;
    for (j = 0; equilateral && j <= n; j++)
        for (i = 0; i <= n; i++) {
            ct_real *x = m.positions + 3 * (j * (n + 1) + i);
            x[0] = (ct_real)((i - n / 2 + 0.5 * (j & 1)) / n), x[2] = (ct_real)((j - n / 2) * 0.8660254037844386 / n);
        }
    for (j = 0; (equilateral || kind == SHEET_DIAGONAL) && j < n; j++)
        for (i = 0; i < n; i++) {
            int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, e = c + 1, *t = m.triangles + 6 * (j * n + i);
            int other = equilateral && !(j & 1);
            t[0] = a, t[1] = c, t[2] = other ? b : e, t[3] = other ? b : a, t[4] = other ? c : e, t[5] = other ? e : b;
        }
    for (j = 1; (kind == SHEET_JITTER || kind == SHEET_EQUILATERAL_JITTER) && j < n; j++)
        for (i = 1; i < n; i++) {
            ct_real *x = m.positions + 3 * (j * (n + 1) + i);
            x[0] += (ct_real)(0.3 / n * (2 * lcg(&seed) - 1)), x[2] += (ct_real)(0.3 / n * (2 * lcg(&seed) - 1));
        }
    return m;
}
static double sheet_area(const ct_mesh *m)
{
    double area = 0;
    int t;
    for (t = 0; t < m->n_triangles; t++) {
        cti_v3 o = cti_v3_at(m->positions, m->triangles[3 * t]);
        area += (double)cti_v3_norm(cti_v3_cross(cti_v3_sub(cti_v3_at(m->positions, m->triangles[3 * t + 1]), o),
                                                 cti_v3_sub(cti_v3_at(m->positions, m->triangles[3 * t + 2]), o))) / 2;
    }
    return area;
}

static void cloth_model(cti_mem *mem, cti_model *model, const ct_material *m, const ct_mesh *mesh)
{
    const cti_rest_mesh rest = cti_rest_mesh_of(mesh->positions, mesh->n_positions, mesh->triangles, mesh->n_triangles, 0);
    int64_t bad;
    double value;
    memset(model, 0, sizeof *model);
    cti_mem_init(mem, NULL);
    assert_int_equal(cti_model_init_cloth(mem, model, m, &rest, &bad, &value), 1);
}
static double bending_energy(const cti_model *model, const ct_real *x, ct_real *force)
{
    double e = 0;
    cti_bend_batch_assemble(&model->bend, x, 0, force, NULL, &e);
    cti_plate_batch_assemble(&model->plates, x, force, &e);
    return e;
}

/* ---- damping ---- */

static double spin_left(ct_model kind, ct_integrator integrator, double beta)
{
    ct_world_desc d = world_desc(1e-4, 0, NULL);
    int cloth = kind >= CT_MODEL_MEMBRANE, i, k, n;
    ct_mesh m = cloth ? mesh_grid(0.5, 0.1, 10, 2) : mesh_box(0.2, 0.1, 0.1, 4, 2, 2, 1);
    double L[2] = {0, 0}, *x, *v;
    ct_world *w;
    ct_body_id id;
    memset(d.gravity, 0, sizeof d.gravity);
    d.self_collision = 0, d.integrator = integrator;
    w = world_make(&d);
    if (cloth) {
        ct_cloth_desc c = ct_cloth_desc_default();
        c.mesh = &m, c.material = ct_material_default(kind), c.material.damping_stiffness = (ct_real)beta, c.angular_velocity[1] = 20;
        c.material.young = (ct_real)1e6, c.material.stretch = 500, c.material.shear = 100;
        assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
    } else {
        ct_soft_desc s = ct_soft_desc_default();
        s.mesh = &m, s.material = ct_material_default(kind), s.material.damping_stiffness = (ct_real)beta, s.angular_velocity[1] = 20;
        s.material.young = (ct_real)2e4;
        assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    }
    for (i = 0; i <= 300; i++) {
        if (i > 0)
            step_once(w, 1e-3);
        if (i > 0 && i < 300)
            continue;
        x = read_vectors(w, id, 0, &n), v = read_vectors(w, id, 1, NULL);
        for (k = 0; k < n; k++)
            L[i > 0] += (double)w->state.bodies.mass[k] * (x[3 * k + 2] * v[3 * k] - x[3 * k] * v[3 * k + 2]);
        free(x), free(v);
    }
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return L[1] / L[0];
}

/* Bodies that spin freely, 20 rad/s for 0.3 s: the stressed body is not decelerated (damping of rotation would do so by 1 / sqrt(1 + 2 beta w^2 t)
   = 0.28) */
static void damping_leaves_rotation_alone(void **state)
{
    int k;
    (void)state;
    for (k = 0; k < 21; k++) {
        ct_model kind = (ct_model)(k / 3);
        ct_integrator integrator = (ct_integrator)(k % 3);
        double free_ = spin_left(kind, integrator, 0), some = spin_left(kind, integrator, 1e-3), much = spin_left(kind, integrator, 0.05);
        print_message("model %d, integrator %d: %.4f of the spin without damping, %.4f with 1e-3, %.4f with .05\n", (int)kind, (int)integrator, free_,
                      some, much);
        assert_true(some > 0.99 * free_ && much > 0.99 * free_);
    }
}

/* all elements of a cloth, crumpled: A contains dt^2 K + dt D with one D, which is definite and does not act on rotations */
static void damping_is_one_operator(void **state)
{
    enum { N = 9 };
    static ct_real A[9 * N * N], B[9 * N * N];
    int kind, k, i, j, n = N;
    (void)state;
    for (kind = 0; kind < 4; kind++) {
        ct_mesh mesh = sheet_mesh(kind % 2 ? SHEET_JITTER : SHEET_GRID, 2);
        ct_material m = ct_material_default(kind < 2 ? CT_MODEL_MEMBRANE : CT_MODEL_SPRINGS);
        ct_real x[3 * N], v[3 * N], d[3 * N], spin[3] = {1, -2, CTI_R(0.5)}, dt = CTI_R(0.125), size = 0;
        cti_mem mem, plain_mem;
        cti_model model, plain;
        m.bending = 50, m.young = 1000, m.shell_thickness = 1, m.stretch = 50, m.strain_limit = CTI_R(0.05), m.damping_stiffness = CTI_R(0.5);
        cloth_model(&mem, &model, &m, &mesh);
        m.damping_stiffness = 0;
        cloth_model(&plain_mem, &plain, &m, &mesh);
        assert_int_equal(cti_model_slots(&mem, &model, model_dense_slot, &n), 1);
        assert_int_equal(cti_model_slots(&plain_mem, &plain, model_dense_slot, &n), 1);
        cti_model_ahead(&model, dt, 1, NULL), cti_model_ahead(&plain, dt, 1, NULL);
        for (i = 0; i < 3 * N; i++)
            x[i] = mesh.positions[i] + CTI_R(0.2) * model_random(), v[i] = model_random();
        memset(A, 0, sizeof A), memset(B, 0, sizeof B), memset(d, 0, sizeof d);
        cti_model_assemble(&model, x, dt, NULL, A, NULL, NULL);
        cti_model_assemble(&plain, x, dt, NULL, B, NULL, NULL);
        cti_model_damping(&model, x, v, d);
        for (i = 0; i < 9 * N * N; i++)
            A[i] -= B[i], size = cti_max(size, cti_abs(A[i]) / dt);
        for (i = 0; i < 3 * N; i++) {
            ct_real sum = 0;
            for (j = 0; j < 3 * N; j++)
                sum += A[9 * (N * (i / 3) + j / 3) + 3 * (i % 3) + j % 3] * v[j] / dt;
            assert_true(cti_abs(sum - d[i]) <= 1000 * CTI_EPS * size);
        }
        for (i = 0; i < N; i++)
            cti_v3_put(v, i, cti_v3_cross(cti_v3_at(spin, 0), cti_v3_at(x, i)));
        memset(d, 0, sizeof d);
        cti_model_damping(&model, x, v, d);
        assert_true(size > 1 && model_norm(d, 3 * N) <= 1000 * CTI_EPS * size);
        for (k = 0; k < 50; k++) {
            double power = 0;
            for (i = 0; i < 3 * N; i++)
                v[i] = model_random(), d[i] = 0;
            cti_model_damping(&model, x, v, d);
            for (i = 0; i < 3 * N; i++)
                power += (double)(v[i] * d[i]);
            assert_true(power >= 0);
        }
        cti_model_free(&mem, &model), cti_model_free(&plain_mem, &plain);
        assert_int_equal(mem.bytes_live + plain_mem.bytes_live, 0);
        ct_mesh_free(&mesh);
    }
}

/* ---- bending ---- */

/* Energies of given shapes over B c^2 / 2 per area: a cylinder is 1 in every direction, a twist and a sphere are 2. The outermost row of 24 has no
   curvature across it */
static void bending_is_a_plates(void **state)
{
    static const double angles[5] = {0, 22.5, 45, 90, 135};
    int kind, k, i;
    (void)state;
    for (kind = 0; kind < SHEETS; kind++) {
        ct_mesh mesh = sheet_mesh(kind, 24);
        ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
        ct_real *x = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)mesh.n_positions);
        double c = 0.01, got[8];
        cti_mem mem;
        cti_model model;
        m.bending = 3;
        cloth_model(&mem, &model, &m, &mesh);
        for (k = 0; k < 8; k++) {
            double a = (k < 5 ? angles[k] : k == 6 ? 45 : 0) * 3.14159265358979324 / 180;
            for (i = 0; i < 3 * mesh.n_positions; i += 3) {
                double s = cos(a) * (double)mesh.positions[i] + sin(a) * (double)mesh.positions[i + 2];
                double t = -sin(a) * (double)mesh.positions[i] + cos(a) * (double)mesh.positions[i + 2];
                x[i] = mesh.positions[i], x[i + 2] = mesh.positions[i + 2];
                x[i + 1] = (ct_real)(k < 5 ? c * s * s / 2 : k < 7 ? c * s * t : c * (s * s + t * t) / 2);
            }
            got[k] = bending_energy(&model, x, NULL) / (3 * c * c / 2 * sheet_area(&mesh)) / (k < 5 ? 1 : 2);
        }
        print_message("mesh %d: cylinders %.3f %.3f %.3f %.3f %.3f, twists %.3f %.3f, sphere %.3f\n", kind, got[0], got[1], got[2], got[3], got[4],
                      got[5], got[6], got[7]);
        for (k = 0; k < 8 && sizeof(ct_real) == 8; k++)
            assert_true(got[k] > 0.95 && got[k] < 1.005);
        cti_model_free(&mem, &model);
        assert_int_equal(mem.bytes_live, 0);
        free(x);
        ct_mesh_free(&mesh);
    }
}

/* A strip that is held at one end and free elsewhere: the deflection of its tip over that of a beam, less what the two rows without curvature
   across them add */
static void free_strips_bend_as_beams(void **state)
{
    static const double most[3] = {1.09, 1.02, 1.13};
    int kind, i;
    (void)state;
    for (kind = 0; kind < 3; kind++) {
        enum { NX = 20, NZ = 6 };
        double L = 0.2, h = L / NX, B = 1e-3, tip = 0, *x;
        ct_world_desc d = world_desc(1e-5, 0, NULL);
        ct_cloth_desc c = ct_cloth_desc_default();
        ct_mesh m = mesh_grid(L + h, 0.05, NX + 1, NZ);
        ct_world *w;
        ct_body_id id;
        uint64_t seed = 7;
        int ends = 0;
        d.self_collision = 0, d.gravity[1] = (ct_real)-0.1;
        w = world_make(&d);
        for (i = 0; kind == 1 && i < (NX + 1) * NZ; i++) {
            int32_t a = i / (NX + 1) * (NX + 2) + i % (NX + 1), *t = m.triangles + 6 * i;
            t[0] = a, t[1] = a + NX + 2, t[2] = a + NX + 3, t[3] = a, t[4] = a + NX + 3, t[5] = a + 1;
        }
        for (i = 0; kind == 2 && i < m.n_positions; i++) {
            ct_real *p = m.positions + 3 * i;
            if (fabs((double)p[2]) < 0.0249 && (double)p[0] > -(L + h) / 2 + 1.5 * h && (double)p[0] < (L + h) / 2 - 1e-6)
                p[0] += (ct_real)(0.3 * h * (2 * lcg(&seed) - 1)), p[2] += (ct_real)(0.3 * 0.05 / NZ * (2 * lcg(&seed) - 1));
        }
        c.mesh = &m, c.material = ct_material_default(CT_MODEL_MEMBRANE);
        c.material.young = (ct_real)1e7, c.material.poisson = 0, c.material.shell_thickness = (ct_real)1e-3;
        c.material.bending = (ct_real)B, c.material.areal_density = (ct_real)0.1, c.material.damping_mass = 10;
        assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
        for (i = 0; i < m.n_positions; i++) {
            int32_t at = i;
            if ((double)m.positions[3 * i] < -(L + h) / 2 + h + 1e-6)
                assert_int_equal(ct_body_pin(w, id, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
        for (i = 0; i < 100; i++)
            step_once(w, 0.08);
        x = read_vectors(w, id, 0, NULL);
        for (i = 0; i < m.n_positions; i++)
            if ((double)m.positions[3 * i] > (L + h) / 2 - 1e-6)
                tip += x[3 * i + 1], ends++;
        tip = tip / ends / (-0.01 * L * L * L * L / (8 * B)) / ((1 + h / L) * (1 + h / L));
        print_message("strip %d: tip %.4f of a beam's\n", kind, tip);
        assert_true(tip > 0.97 && tip < most[kind]);
        free(x);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* A shell that is curved at rest has neither energy nor force there, however it is rotated. Forces are the gradient of the energy and rotate with
   it, and the stiffness is definite */
static void curved_shells_rest(void **state)
{
    ct_mesh ball, turned;
    ct_error_info e;
    ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
    cti_mem mem;
    cti_model model;
    ct_real *x, *f, *g, *h, worst = 0;
    int i, k, n3;
    (void)state;
    memset(&ball, 0, sizeof ball);
    assert_int_equal(ct_mesh_sphere(1, 1, &ball, &e), CT_OK);
    n3 = 3 * ball.n_positions;
    x = (ct_real *)malloc(sizeof(ct_real) * 4 * (size_t)n3), f = x + n3, g = f + n3, h = g + n3;
    for (i = 0; i < n3; i++)
        ball.positions[i] *= 1 + CTI_R(0.1) * model_random();
    m.bending = 2;
    cloth_model(&mem, &model, &m, &ball);
    assert_true(model.plates.n == ball.n_triangles && model.bend.n == 0);
    turned = ball;
    model_turn(turned.positions, ball.n_positions, x);
    memset(f, 0, sizeof(ct_real) * (size_t)n3);
    assert_true(bending_energy(&model, x, f) < (double)(1000 * CTI_EPS * CTI_EPS) && model_norm(f, n3) < 1000 * CTI_EPS);
    for (i = 0; i < n3; i++)
        x[i] = ball.positions[i] + CTI_R(0.05) * model_random(), f[i] = g[i] = 0;
    /* the stiffness in A is above that of the energy, at most three times */
    assert_true(hinge_energy(&model.bounds, x) >= bending_energy(&model, x, f));
    for (i = 0; i < n3 && sizeof(ct_real) == 8; i++) {
        ct_real keep = x[i], step = CTI_R(1e-5);
        double up, down;
        x[i] = keep + step, up = bending_energy(&model, x, NULL);
        x[i] = keep - step, down = bending_energy(&model, x, NULL);
        x[i] = keep;
        worst = cti_max(worst, cti_abs(f[i] + (ct_real)((up - down) / (2 * (double)step))));
    }
    assert_true(worst < CTI_R(1e-6) * (1 + model_norm(f, n3)));
    /* a rotated shape has the same energy, and forces of the same size */
    model_turn(x, ball.n_positions, h);
    assert_true(fabs(bending_energy(&model, h, g) / bending_energy(&model, x, NULL) - 1) < (double)(10000 * CTI_EPS));
    for (i = 0; i < ball.n_positions; i++)
        assert_true(cti_abs(cti_v3_norm(cti_v3_at(f, i)) - cti_v3_norm(cti_v3_at(g, i))) < 10000 * CTI_EPS * (1 + model_norm(f, n3)));
    for (k = 0; k < 20; k++) {
        double power = 0;
        model.bounds.damping_stiffness = 1;
        for (i = 0; i < n3; i++)
            f[i] = model_random(), g[i] = 0;
        cti_bend_batch_damping(&model.bounds, h, f, 0, g);
        for (i = 0; i < n3; i++)
            power += (double)(f[i] * g[i]);
        assert_true(power > 0);
    }
    cti_model_free(&mem, &model);
    assert_int_equal(mem.bytes_live, 0);
    free(x);
    ct_mesh_free(&ball);
}

/* edges of three triangles, folded pairs, single triangles: finite, at rest, and nothing leaks */
static void odd_sheets_are_taken(void **state)
{
    static const ct_real X[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, CTI_R(0.1), 0, CTI_R(0.5), 1};
    static const int32_t triangles[15] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 2, 2, 3, 4};
    int n;
    (void)state;
    for (n = 1; n <= 5; n++) {
        ct_mesh mesh;
        ct_material m = ct_material_default(CT_MODEL_MEMBRANE);
        cti_mem mem;
        cti_model model;
        ct_real f[15];
        memset(&mesh, 0, sizeof mesh);
        memset(f, 0, sizeof f);
        mesh.positions = (ct_real *)X, mesh.triangles = (int32_t *)triangles, mesh.n_positions = 5, mesh.n_triangles = n;
        cloth_model(&mem, &model, &m, &mesh);
        assert_true(bending_energy(&model, X, f) < 1e-9 && model_norm(f, 15) < CTI_R(1e-6));
        assert_true(n < 2 || model.bend.n + model.plates.n > 0);
        cti_model_free(&mem, &model);
        assert_int_equal(mem.bytes_live, 0);
    }
}

/* ---- embedded bodies ---- */

static double surface_volume(const ct_mesh *m)
{
    double sum = 0;
    int t;
    for (t = 0; t < m->n_triangles; t++)
        sum += (double)cti_v3_dot(cti_v3_at(m->positions, m->triangles[3 * t]), cti_v3_cross(cti_v3_at(m->positions, m->triangles[3 * t + 1]),
                                                                                             cti_v3_at(m->positions, m->triangles[3 * t + 2]))) / 6;
    return sum;
}

/* a ball in a lattice whose cells hold 1.8 times its volume: the floor carries the ball's weight. For a body with an open surface it carries the
   lattice's */
static void embedded_bodies_weigh_what_is_seen(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_soft_desc s = ct_soft_desc_default();
    ct_world *w = world_make(&d);
    ct_mesh ball, tets;
    ct_error_info e;
    ct_body_id id, open;
    const ct_contact *c;
    double force = 0, mass = 0, whole = 0, volume;
    int i, n;
    (void)state;
    memset(&ball, 0, sizeof ball);
    memset(&tets, 0, sizeof tets);
    assert_int_equal(ct_mesh_sphere((ct_real)0.1, 3, &ball, &e), CT_OK);
    assert_int_equal(ct_mesh_tetrahedralize(&ball, (ct_real)0.04, &tets, &e), CT_OK);
    volume = surface_volume(&ball);
    add_plane(w, 0, 1, 0, -0.101);
    s.mesh = &tets, s.surface = &ball, s.material = ct_material_default(CT_MODEL_COROTATIONAL), s.material.young = (ct_real)1e6;
    assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
    for (i = 0; i < tets.n_positions; i++)
        mass += (double)w->state.bodies.mass[i];
    for (i = 0; i < 200; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        force += (double)c[i].impulse_normal / 0.01;
    ball.n_triangles--;
    assert_int_equal(ct_body_add_soft(w, &s, &open), CT_OK);
    ball.n_triangles++;
    for (i = tets.n_positions; i < 2 * tets.n_positions; i++)
        whole += (double)w->state.bodies.mass[i];
    print_message("floor carries %.3f N, the ball weighs %.3f N; mass %.4f kg of %.4f kg, with a hole %.4f kg\n", force, 9810 * volume, mass,
                  1000 * volume, whole);
    assert_true(fabs(force / (9810 * volume) - 1) < 0.02 && fabs(mass / (1000 * volume) - 1) < 1e-5);
    assert_true(whole > 1.7 * mass);
    ct_mesh_free(&ball);
    ct_mesh_free(&tets);
    ct_world_destroy(w);
}

/* fractions of a box that is cut at a known place, on every axis, and inside out */
static void fractions_are_those_of_the_cut(void **state)
{
    ct_mesh lattice = mesh_box(1, 1, 1, 4, 4, 4, 1), box = mesh_box(0.7, 0.7, 0.7, 1, 1, 1, 0);
    ct_real *fill = (ct_real *)malloc(sizeof(ct_real) * (size_t)lattice.n_tets);
    double sum = 0, worst = 0, low = 9, high = 0;
    cti_mem mem;
    int t, k, i;
    (void)state;
    cti_mem_init(&mem, NULL);
    assert_int_equal(cti_fill(&mem, lattice.positions, lattice.tets, lattice.n_tets, box.positions, box.triangles, box.n_triangles, fill), 1);
    for (t = 0; t < lattice.n_tets; t++) {
        const int32_t *v = lattice.tets + 4 * t;
        double most = 0;
        cti_v3 o = cti_v3_at(lattice.positions, v[0]), a = cti_v3_sub(cti_v3_at(lattice.positions, v[1]), o);
        cti_v3 b = cti_v3_sub(cti_v3_at(lattice.positions, v[2]), o), c = cti_v3_sub(cti_v3_at(lattice.positions, v[3]), o);
        sum += (double)fill[t] * (double)cti_v3_dot(cti_v3_cross(a, b), c) / 6;
        for (k = 0; k < 4; k++) {
            double far = 0;
            for (i = 0; i < 3; i++)
                far = fmax(far, fabs((double)lattice.positions[3 * v[k] + i]));
            most = fmax(most, far);
        }
        /* all of it inside: 1 */
        if (most < 0.35)
            worst = fmax(worst, fabs((double)fill[t] - 1));
        low = fmin(low, (double)fill[t]), high = fmax(high, (double)fill[t]);
    }
    print_message("fractions from %.3f to %.3f; tets inside are filled but for %.3f\n", low, high, worst);
    assert_true(fabs(sum - 0.343) < 1e-5 && worst < 0.05 && low > 0.09 && high < 1.01);
    for (t = 0; t < box.n_triangles; t++) {
        int32_t swap = box.triangles[3 * t];
        box.triangles[3 * t] = box.triangles[3 * t + 1], box.triangles[3 * t + 1] = swap;
    }
    assert_int_equal(cti_fill(&mem, lattice.positions, lattice.tets, lattice.n_tets, box.positions, box.triangles, box.n_triangles, fill), 1);
    for (t = 0; t < lattice.n_tets; t++)
        assert_true(fill[t] == 1);
    assert_int_equal(mem.bytes_live, 0);
    free(fill);
    ct_mesh_free(&lattice);
    ct_mesh_free(&box);
}

/* ---- springs ---- */

/* a weak square of 0.5 m that swings in its plane, at 10 ms: the bounds on its stretch are those documented in types.h */
static void strain_limits_hold_at_rest(void **state)
{
    static const double peak[2] = {1.1, 1.15};
    int k, i, t;
    (void)state;
    for (k = 0; k < 2; k++) {
        int n = k ? 20 : 10;
        ct_world_desc d = world_desc(1e-4, 0, NULL);
        ct_cloth_desc c = ct_cloth_desc_default();
        ct_mesh m = mesh_grid(0.5, 0.5, n, n);
        double worst = 0, last = 0;
        ct_world *w;
        ct_body_id id;
        d.self_collision = 0;
        w = world_make(&d);
        for (i = 0; i < m.n_positions; i++)
            m.positions[3 * i + 1] = m.positions[3 * i + 2], m.positions[3 * i + 2] = 0;
        c.mesh = &m, c.material = ct_material_default(CT_MODEL_SPRINGS);
        c.material.stretch = 2, c.material.shear = (ct_real)0.5, c.material.bend = 0;
        c.material.damping_mass = 1, c.material.strain_limit = (ct_real)0.05;
        assert_int_equal(ct_body_add_cloth(w, &c, &id), CT_OK);
        for (i = 0; i < m.n_positions; i++) {
            int32_t at = i;
            if ((double)m.positions[3 * i + 1] > 0.2499)
                assert_int_equal(ct_body_pin(w, id, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
        for (i = 0; i < 300; i++) {
            double *x;
            step_once(w, 0.01);
            x = read_vectors(w, id, 0, NULL);
            for (last = 0, t = 0; t < 3 * m.n_triangles; t++) {
                int a = m.triangles[t], b = m.triangles[t / 3 * 3 + (t + 1) % 3];
                double l = 0, L = 0;
                int j;
                for (j = 0; j < 3; j++) {
                    l += (x[3 * a + j] - x[3 * b + j]) * (x[3 * a + j] - x[3 * b + j]);
                    L += (double)((m.positions[3 * a + j] - m.positions[3 * b + j]) * (m.positions[3 * a + j] - m.positions[3 * b + j]));
                }
                last = fmax(last, sqrt(l / L) - 1);
            }
            worst = fmax(worst, last);
            free(x);
        }
        print_message("%d cells: limit 0.05, at most %.4f, at rest %.4f\n", n, worst, last);
        assert_true(last <= 0.05 && worst < 0.05 * peak[k]);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* the table of docs/limits.md: stretch and shear of the sheet's stiffness by direction, per rate of the springs */
static void sheets_of_springs_resist_as_told(void **state)
{
    static const double angles[5] = {0, 22.5, 45, 90, 135};
    static const double told[3][2][5] = {{{1.5, 1.5, 1.5, 1.5, 1.5}, {4.5, 3.75, 3, 4.5, 3}},
                                         {{1.5, 2.21, 2.5, 1.5, 0.5}, {3.9, 6.57, 8.1, 3.9, 2.1}},
                                         {{1.3, 1.3, 1.3, 1.3, 1.3}, {3.9, 3.9, 3.9, 3.9, 3.9}}};
    int kind, part, k, i;
    (void)state;
    if (sizeof(ct_real) < 8)
        skip();
    for (kind = 0; kind < 3; kind++)
        for (part = 0; part < 2; part++) {
            enum { N = 60 };
            ct_mesh mesh = sheet_mesh(kind, N);
            ct_material m = ct_material_default(CT_MODEL_SPRINGS);
            ct_real *x = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)mesh.n_positions);
            cti_mem mem;
            cti_model model;
            m.stretch = part ? 0 : 1, m.shear = (ct_real)part, m.bend = 0;
            cloth_model(&mem, &model, &m, &mesh);
            for (k = 0; k < 5; k++) {
                double a = angles[k] * 3.14159265358979324 / 180, e = 1e-4, got;
                for (i = 0; i < 3 * mesh.n_positions; i += 3) {
                    double s = e * (cos(a) * (double)mesh.positions[i] + sin(a) * (double)mesh.positions[i + 2]);
                    x[i] = mesh.positions[i] + (ct_real)(s * cos(a)), x[i + 1] = 0, x[i + 2] = mesh.positions[i + 2] + (ct_real)(s * sin(a));
                }
                got = springs_energy(&model.springs, x) / (e * e / 2 * sheet_area(&mesh));
                if (fabs(got / told[kind][part][k] - 1) > 0.03)
                    print_message("mesh %d part %d angle %g: %.3f, told %.3f\n", kind, part, angles[k], got, told[kind][part][k]);
                assert_true(fabs(got / told[kind][part][k] - 1) < 0.05);
            }
            cti_model_free(&mem, &model);
            free(x);
            ct_mesh_free(&mesh);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(damping_leaves_rotation_alone) cmocka_unit_test(damping_is_one_operator),
        cmocka_unit_test(bending_is_a_plates),           cmocka_unit_test(free_strips_bend_as_beams),
        cmocka_unit_test(curved_shells_rest),            cmocka_unit_test(odd_sheets_are_taken),
        cmocka_unit_test(embedded_bodies_weigh_what_is_seen), cmocka_unit_test(fractions_are_those_of_the_cut),
        cmocka_unit_test(strain_limits_hold_at_rest),    cmocka_unit_test(sheets_of_springs_resist_as_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
