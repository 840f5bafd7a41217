/* test_physics.c -- closed-form results and invariants: free fall, momentum, energy, slopes, stacks, weights, light and heavy cloth, other
   units of length, fast bodies, a uniform strain. */
#include "world_util.h"

#define G 9.81

/* mass-weighted sums of a soft body made by ct_mesh_box; a vertex has a quarter of the mass of each of its tets */
typedef struct masses {
    double *m, total;
    int n;
} masses;

static masses masses_of(const ct_mesh *mesh, double density)
{
    masses r;
    int t, k, i;
    r.n = mesh->n_positions, r.total = 0;
    r.m = (double *)calloc((size_t)r.n, sizeof *r.m);
    for (t = 0; t < mesh->n_tets; t++) {
        double e[3][3], vol;
        const int32_t *v = mesh->tets + 4 * t;
        for (k = 0; k < 3; k++)
            for (i = 0; i < 3; i++)
                e[k][i] = (double)(mesh->positions[3 * v[k + 1] + i] - mesh->positions[3 * v[0] + i]);
        vol = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) / 6;
        for (k = 0; k < 4; k++)
            r.m[v[k]] += density * vol / 4;
        r.total += density * vol;
    }
    return r;
}

/* linear and angular momentum about the origin */
static void momenta(const ct_world *w, ct_body_id b, const masses *m, double p[3], double l[3])
{
    double *x = read_vectors(w, b, 0, NULL), *v = read_vectors(w, b, 1, NULL);
    int i, k;
    for (i = 0; i < m->n; i++)
        for (k = 0; k < 3; k++) {
            int a = (k + 1) % 3, c = (k + 2) % 3;
            p[k] += m->m[i] * v[3 * i + k];
            l[k] += m->m[i] * (x[3 * i + a] * v[3 * i + c] - x[3 * i + c] * v[3 * i + a]);
        }
    free(x), free(v);
}

static double norm3(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
static double away3(const double a[3], const double b[3])
{
    double d[3];
    d[0] = a[0] - b[0], d[1] = a[1] - b[1], d[2] = a[2] - b[2];
    return norm3(d);
}

/* ---- free motion ---- */

/* A folded cloth that is thrown has the candidates that it has at rest, however far it moves in a step. */
static void a_thrown_body_has_no_more_candidates(void **state)
{
    static const double speed[3] = {0, 2, 50};
    int i, k, n[3] = {0, 0, 0};
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world_desc d = world_desc(1e-3, 0.5, NULL);
        ct_world *w;
        ct_mesh m = mesh_grid(1, 1, 24, 24);
        ct_body_id b;
        ct_real *v = (ct_real *)malloc(sizeof *v * 3 * (size_t)m.n_positions);
        assert_non_null(v);
        d.gravity[1] = 0;
        w = world_make(&d);
        for (i = 0; i < m.n_positions; i++) { /* four layers, 15 mm apart at the ends of the folds */
            double t = ((double)m.positions[3 * i] + 0.5) * 4;
            int layer = t < 3 ? (int)t : 3;
            m.positions[3 * i] = (ct_real)((layer % 2 ? layer + 1 - t : t - layer) / 4);
            m.positions[3 * i + 1] = (ct_real)(0.015 * t);
        }
        b = add_cloth_mesh(w, "cloth", &m, CT_MODEL_MEMBRANE, 0.2);
        for (i = 0; i < m.n_positions; i++)
            v[3 * i] = (ct_real)(0.3 * speed[k]), v[3 * i + 1] = (ct_real)-speed[k], v[3 * i + 2] = (ct_real)(0.7 * speed[k]);
        assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
        n[k] = step_once(w, 0.02).candidates;
        assert_int_equal(count_intersections(w), 0);
        free(v);
        ct_world_destroy(w);
        ct_mesh_free(&m);
    }
    if (n[1] > n[0] + n[0] / 5 || n[2] > n[0] + n[0] / 5)
        print_message("candidates: %d at rest, %d, %d\n", n[0], n[1], n[2]);
    assert_true(n[0] > 0 && n[1] <= n[0] + n[0] / 5 && n[2] <= n[0] + n[0] / 5);
}

/* A thin mat that lands on its edge at 8 m/s, two and a half times the speed of sound in it: its edge is crushed, and recovers. Its energy is never more
   than that of its fall, 50 J, with a tenth for what it falls on */
static void a_mat_lands_on_its_edge(void **state)
{
    ct_world_desc d = world_desc(3e-4, 0, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.36, 0.36, 0.012, 12, 12, 1, 1);
    double last = 1.1 * 0.36 * 0.36 * 0.012 * 1000 * 8 * 8 / 2;
    int i;
    (void)state;
    mesh_place(&m, 0.02, 0, 0.2, 0);
    add_soft_mesh(w, "mat", &m, 1e4, 0, -8, 0);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 12; i++) {
        ct_step_report r = step_once(w, 0.025);
        assert_true(i < 2 || r.extended_elements == 0);
        assert_true(r.status < CT_STATUS_ZONES || r.status == CT_STATUS_BUDGET);
        assert_true(r.energy_kinetic + r.energy_elastic < last);
        assert_true(r.energy_gained < 1e-3 * last);
    }
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

/* a stiff plate with more ports than a cluster has by default: relaxation by nodes does not converge, the body as one cluster does */
static void a_stiff_plate_lands_flat(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.1, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(1, 0.02, 1, 16, 1, 16, 1);
    int i;
    (void)state;
    mesh_place(&m, 0.002, 0, 0.03, 0);
    add_soft_mesh(w, "plate", &m, 1e8, 0, -1, 0);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 12; i++) {
        ct_step_report r = step_once(w, 0.02);
        assert_int_equal(r.zones, 0);
        assert_true(r.residual < (ct_real)0.5);
    }
    ct_world_destroy(w);
    ct_mesh_free(&m);
}

/* a soft slab that a script moves at 10 m/s into a heavy block: the block moves along, and no fail-safe is needed for it */
static void a_light_ram_moves_a_heavy_block(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_mesh slab = mesh_box(0.4, 0.003, 0.4, 4, 1, 4, 1), block = mesh_box(0.3, 0.3, 0.3, 4, 4, 4, 1);
    ct_motion push;
    ct_body_id s, b;
    int32_t all[50];
    double *y, speed = 0;
    int i, n;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    mesh_place(&slab, 0, 0.013, -0.16, 0.017);
    s = add_soft_mesh(w, "ram", &slab, 10, 0, 0, 0);
    b = add_soft_mesh(w, "block", &block, 1e7, 0, 0, 0);
    assert_int_equal(slab.n_positions, 50);
    for (i = 0; i < 50; i++)
        all[i] = i;
    memset(&push, 0, sizeof push);
    push.linear[1] = 10;
    assert_int_equal(ct_body_pin(w, s, all, 50, CT_AXIS_ALL, &push, -1), CT_OK);
    for (i = 0; i < 20; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_int_equal(r.zones, 0);
        assert_int_equal(r.substeps, 1);
        assert_true(r.status != CT_STATUS_NOT_CONVERGED);
    }
    y = read_vectors(w, b, 1, &n);
    for (i = 0; i < n; i++)
        speed += y[3 * i + 1] / n;
    assert_true(speed > 8);
    free(y);
    ct_world_destroy(w);
    ct_mesh_free(&slab), ct_mesh_free(&block);
}

static void free_fall_is_exact(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.2, 0.1, 0.1, 4, 2, 2, 1);
    ct_body_id b = add_soft_mesh(w, "stone", &m, 1e5, 1, 2, -0.5);
    double worst = 0, t = 0;
    int i, k, j;
    (void)state;
    /* dt changes: gravity's change of velocity is over half of the last step and half of this one */
    for (k = 1; k <= 100; k++) {
        double *x;
        step_once(w, 0.01);
        t += 0.01;
        x = read_vectors(w, b, 0, NULL);
        for (i = 0; i < m.n_positions; i++)
            for (j = 0; j < 3; j++) {
                double v0 = j == 0 ? 1 : (j == 1 ? 2 : -0.5), want = (double)m.positions[3 * i + j] + v0 * t - (j == 1 ? 0.5 * G * t * t : 0);
                worst = fmax(worst, fabs(x[3 * i + j] - want));
            }
        free(x);
    }
    if (worst > 1e-12)
        print_message("free fall of %g m is wrong by %g m\n", 0.5 * G * t * t, worst);
    assert_true(worst <= 1e-12);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a soft bar that tumbles and vibrates: its centre of mass falls as a point does, its linear momentum is what gravity gave it */
static void centre_of_mass_falls_as_a_point(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.3, 0.1, 0.1, 6, 2, 2, 1);
    masses ms = masses_of(&m, 1000);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id b;
    double worst = 0;
    int k, n = 200;
    (void)state;
    sd.mesh = &m, sd.material.young = (ct_real)2e4, sd.material.poisson = (ct_real)0.3, sd.material.density = 1000;
    sd.angular_velocity[0] = 3, sd.angular_velocity[1] = -2, sd.angular_velocity[2] = 7;
    assert_int_equal(ct_body_add_soft(w, &sd, &b), CT_OK);
    for (k = 1; k <= n; k++) {
        double t = k * 0.005, want[3] = {0, 0, 0}, p[3] = {0, 0, 0}, l[3] = {0, 0, 0};
        ct_step_report r = step_once(w, 0.005);
        want[1] = -0.5 * G * t * t;
        worst = fmax(worst, away3(r.center_of_mass, want) / (0.5 * G * t * t));
        momenta(w, b, &ms, p, l);
        want[1] = -ms.total * G * (t - 0.0025);
        worst = fmax(worst, away3(p, want) / fabs(want[1]));
    }
    if (worst > 1e-10)
        print_message("a tumbling bar's centre of mass and momentum: relative error %g over %d steps\n", worst, n);
    assert_true(worst <= 1e-10);
    free(ms.m);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* relative loss of angular momentum of a free tumbling bar over one second */
static double tumble(ct_model model, double dt, double *out_linear)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.3, 0.1, 0.1, 6, 2, 2, 1);
    masses ms = masses_of(&m, 1000);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id b;
    double p0[3] = {0, 0, 0}, l0[3] = {0, 0, 0}, p1[3] = {0, 0, 0}, l1[3] = {0, 0, 0};
    int k, n = (int)(1 / dt + 0.5);
    d.gravity[1] = 0;
    w = world_make(&d);
    sd.mesh = &m, sd.material = ct_material_default(model), sd.material.damping_stiffness = 0;
    sd.material.young = (ct_real)1e6, sd.material.poisson = (ct_real)0.3, sd.material.density = 1000;
    sd.angular_velocity[0] = (ct_real)0.5, sd.angular_velocity[2] = (ct_real)1.5;
    sd.velocity[0] = 1, sd.velocity[2] = (ct_real)-0.25;
    assert_int_equal(ct_body_add_soft(w, &sd, &b), CT_OK);
    momenta(w, b, &ms, p0, l0);
    for (k = 0; k < n; k++)
        step_once(w, dt);
    momenta(w, b, &ms, p1, l1);
    *out_linear = away3(p1, p0) / norm3(p0);
    free(ms.m);
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return away3(l1, l0) / norm3(l0);
}

/* linear and angular momentum are conserved to rounding, whatever the material */
static void momenta_of_a_free_body(void **state)
{
    double lin[4], ang[4];
    int i;
    (void)state;
    for (i = 0; i < 4; i++)
        ang[i] = tumble(i < 2 ? CT_MODEL_COROTATIONAL : CT_MODEL_NEOHOOKEAN, i % 2 ? 0.005 : 0.01, &lin[i]);
    print_message(
        "free bar, dt 10 and 5 ms, lost in a second: linear %.2g %.2g %.2g %.2g, angular co-rotational %.3g %.3g, neo-Hookean %.3g %.3g\n",
        lin[0], lin[1], lin[2], lin[3], ang[0], ang[1], ang[2], ang[3]);
    for (i = 0; i < 4; i++)
        assert_true(lin[i] <= 1e-10);
    for (i = 0; i < 4; i++)
        assert_true(ang[i] < 1e-10);
}

static void free_bodies_lose_energy(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_body_id b;
    ct_real *v = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)m.n_positions);
    uint64_t seed = 5;
    double last = 0, first = 0;
    int i, k;
    (void)state;
    d.gravity[1] = 0;
    w = world_make(&d);
    b = add_soft_mesh(w, "gel", &m, 5e4, 0, 0, 0);
    for (i = 0; i < 3 * m.n_positions; i++)
        v[i] = (ct_real)(2 * (lcg(&seed) - 0.5) + (i % 3 == 0 ? 8 * (double)m.positions[i] : 0));
    assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
    for (k = 0; k < 200; k++) {
        ct_step_report r = step_once(w, 0.002);
        double e = r.energy_kinetic + r.energy_elastic;
        assert_true(isfinite(e) && e >= 0);
        if (k == 0)
            first = e;
        /* with one Newton iteration a step may add energy of second order, and no more */
        if (k > 1 && e > last * (1 + 1e-3))
            print_message("step %d: energy rose from %.9g to %.9g J\n", k + 1, last, e);
        assert_true(k <= 1 || e <= last * (1 + 1e-3));
        last = e;
    }
    print_message("energy of a free ringing box: %.4g J, after 0.4 s %.4g J\n", first, last);
    assert_true(last < 0.5 * first);
    free(v);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* ---- slopes ---- */

typedef struct slope {
    ct_world *w;
    ct_body_id box;
    double down[3], angle;
} slope;

static slope slope_make(double angle, double mu)
{
    ct_world_desc d = world_desc(1e-3, mu, NULL);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 4, 4, 4, 1);
    slope s;
    s.w = world_make(&d);
    s.angle = angle;
    s.down[0] = cos(angle), s.down[1] = -sin(angle), s.down[2] = 0;
    add_plane(s.w, sin(angle), cos(angle), 0, 0);
    mesh_place(&m, -angle, 0.0511 * sin(angle), 0.0511 * cos(angle), 0);
    s.box = add_soft_mesh(s.w, "block", &m, 5e5, 0, 0, 0);
    ct_mesh_free(&m);
    return s;
}

/* drift of the centre of mass after the first two seconds */
static void blocks_hold_on_slopes(void **state)
{
    static const double degrees[] = {10, 30};
    double seconds = 60;
    size_t i;
    int k;
    (void)state;
    for (i = 0; i < 2; i++) {
        double a = degrees[i] * 3.14159265358979323846 / 180, far = 0, from[3] = {0, 0, 0};
        slope s = slope_make(a, 1.05 * tan(a));
        for (k = 1; k <= (int)(seconds * 100); k++) {
            ct_step_report r = step_once(s.w, 0.01);
            if (k == 200)
                memcpy(from, r.center_of_mass, sizeof from);
            if (k > 200)
                far = fmax(far, away3(r.center_of_mass, from));
        }
        print_message("slope of %g degrees, mu = 1.05 tan: drift %.3g m in %g s after the first two\n", degrees[i], far, seconds - 2);
        assert_true(far <= 1e-5 * 0.1);
        ct_world_destroy(s.w);
    }
}

/* the same on a floor of triangles, static or a soft body that is held: edges inside of a flat surface have no effect */
static void blocks_slide_over_mesh_edges(void **state)
{
    double a = 3.14159265358979323846 / 6, mu = 0.8 * tan(a), want = G * (sin(a) - mu * cos(a));
    int held, i, k;
    (void)state;
    for (held = 0; held < 2; held++) {
        ct_world_desc d = world_desc(1e-3, mu, NULL);
        ct_mesh floor_mesh = mesh_box(2, 0.1, 0.5, 16, 1, 4, held), block = mesh_box(0.1, 0.1, 0.1, 4, 4, 4, 1);
        ct_static_desc sd = ct_static_desc_default();
        ct_world *w;
        ct_body_id floor_id, id;
        double x[3][3], got;
        d.gravity[0] = (ct_real)(G * sin(a)), d.gravity[1] = (ct_real)(-G * cos(a));
        w = world_make(&d);
        mesh_place(&floor_mesh, 0, 0.5, -0.05, 0);
        mesh_place(&block, 0, 0, 0.0512, 0.013);
        if (held) {
            int32_t *all = (int32_t *)malloc(sizeof *all * (size_t)floor_mesh.n_positions);
            floor_id = add_soft_mesh(w, "floor", &floor_mesh, 5e5, 0, 0, 0);
            for (i = 0; i < floor_mesh.n_positions; i++)
                all[i] = i;
            assert_int_equal(ct_body_pin(w, floor_id, all, floor_mesh.n_positions, CT_AXIS_ALL, NULL, -1), CT_OK);
            free(all);
        } else {
            sd.mesh = &floor_mesh;
            assert_int_equal(ct_body_add_static(w, &sd, &floor_id), CT_OK);
        }
        id = add_soft_mesh(w, "block", &block, 5e5, 0, 0, 0);
        for (k = 1; k <= 150; k++) {
            step_once(w, 0.01);
            if (k % 50 == 0)
                read_middle(w, id, 0, x[k / 50 - 1]);
            assert_int_equal(count_intersections(w), 0);
        }
        got = (x[2][0] - 2 * x[1][0] + x[0][0]) / 0.25;
        print_message("slope of triangles (%s): acceleration %.6g, analytic %.6g (%.3f %%)\n", held ? "soft, held" : "static", got, want,
                      100 * (got / want - 1));
        assert_true(fabs(got / want - 1) < 0.01);
        ct_mesh_free(&floor_mesh), ct_mesh_free(&block);
        ct_world_destroy(w);
    }
}

/* ---- a stack ---- */

static void five_boxes_rest(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&d);
    ct_body_id ground = add_plane(w, 0, 1, 0, 0), box[5];
    double weight = 5 * 1000 * 0.1 * 0.1 * 0.1 * G, impulse = 0, heights[5], kinetic = 0;
    int i, k, n, j;
    (void)state;
    for (i = 0; i < 5; i++)
        box[i] = add_soft_box(w, "box", 0.1, 2, 1e6, 0.001 * i, 0.0513 + 0.1015 * i, -0.001 * i);
    for (k = 1; k <= 300; k++) {
        ct_step_report r = step_once(w, 0.01);
        const ct_contact *c;
        assert_int_equal(count_intersections(w), 0);
        kinetic = r.energy_kinetic;
        if (k <= 250)
            continue;
        if (k == 251)
            for (i = 0; i < 5; i++) {
                double x[3];
                read_middle(w, box[i], 0, x);
                heights[i] = x[1];
            }
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (j = 0; j < n; j++)
            if (c[j].body_b.index1 == ground.index1)
                impulse += (double)c[j].impulse_normal * (double)c[j].normal[1];
    }
    impulse /= 50;
    print_message("stack of five: impulse on the ground %.6g N s a step, weight x dt %.6g; kinetic energy %.3g J\n", impulse, weight * 0.01, kinetic);
    assert_true(fabs(impulse / (weight * 0.01) - 1) < 0.01);
    assert_true(kinetic < 1e-6);
    for (i = 0; i < 5; i++) {
        double x[3];
        read_middle(w, box[i], 0, x);
        assert_true(fabs(x[1] - heights[i]) < 1e-5);
        assert_true(fabs(x[0] - 0.001 * i) < 0.01 && fabs(x[2] + 0.001 * i) < 0.01);
        if (i)
            assert_true(heights[i] - heights[i - 1] > 0.095 && heights[i] - heights[i - 1] < 0.1025);
    }
    ct_world_destroy(w);
}

/* ---- cloth of 1 g and of 10 kg ---- */

static void drape(double mass, ct_model model)
{
    ct_world_desc d = world_desc(2e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_mesh sheet = mesh_grid(1, 1, 20, 20), ball;
    ct_static_desc sd = ct_static_desc_default();
    ct_body_id cloth, s;
    double fastest = 0, *x, *v, low = 0;
    int k, i, n, contacts = 0, zones = 0;
    memset(&ball, 0, sizeof ball);
    assert_int_equal(ct_mesh_sphere((ct_real)0.25, 2, &ball, NULL), CT_OK);
    mesh_place(&sheet, 0, 0.02, 0.27, 0.03);
    sd.mesh = &ball, sd.name = "ball";
    assert_int_equal(ct_body_add_static(w, &sd, &s), CT_OK);
    cloth = add_cloth_mesh(w, "sheet", &sheet, model, mass);
    for (k = 0; k < PLAIN_OR(120, 50); k++) {
        ct_step_report r = step_once(w, 0.005);
        int bad = count_intersections(w);
        contacts += r.contacts;
        zones += r.zones > 0;
        if (bad)
            print_message("cloth of %g kg, step %d: %d intersections (status %s)\n", mass, k + 1, bad, ct_status_text(r.status));
        assert_int_equal(bad, 0);
        v = read_vectors(w, cloth, 1, &n);
        for (i = 0; i < n; i++)
            fastest = fmax(fastest, norm3(v + 3 * i));
        free(v);
    }
    x = read_vectors(w, cloth, 0, &n);
    for (i = 0; i < n; i++) {
        assert_true(norm3(x + 3 * i) > 0.23 && norm3(x + 3 * i) < 2.5);
        low = fmin(low, x[3 * i + 1]);
    }
    print_message("cloth of %g kg on a sphere: %d contacts, fastest vertex %.3g m/s, lowest at %.3g m, zones in %d steps\n", mass, contacts,
                  fastest, low, zones);
    assert_true(contacts > PLAIN_OR(100, 50));
    assert_true(fastest < 2.5 * G * 0.6);
    free(x);
    ct_mesh_free(&sheet), ct_mesh_free(&ball);
    ct_world_destroy(w);
}

static void light_cloth_drapes(void **state)
{
    (void)state;
    drape(1e-3, CT_MODEL_MEMBRANE);
}
static void heavy_cloth_drapes(void **state)
{
    (void)state;
    drape(10, CT_MODEL_MEMBRANE);
}

/* ---- units of length ---- */

/* lengths in units of L with rho and g as they are: E ~ L, times (dt, damping) ~ sqrt(L); out [3 n] positions / L after each of 100 steps,
   last kept */
static double *scaled_run(double L, int *out_n, int *out_contacts)
{
    ct_world_desc d = world_desc(1e-3 * L, 0.4, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.1 * L, 0.1 * L, 0.1 * L, 3, 3, 3, 1);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id b;
    double *x, T = sqrt(L);
    int k, i, n;
    d.recovery_speed = (ct_real)T;
    w = world_make(&d);
    mesh_place(&m, 0.2, 0, 0.085 * L, 0);
    add_plane(w, 0, 1, 0, 0);
    sd.mesh = &m, sd.material.young = (ct_real)(1e5 * L), sd.material.damping_stiffness = (ct_real)((double)sd.material.damping_stiffness * T);
    sd.velocity[0] = (ct_real)(0.5 * T), sd.velocity[2] = (ct_real)(0.1 * T);
    assert_int_equal(ct_body_add_soft(w, &sd, &b), CT_OK);
    *out_contacts = 0;
    for (k = 0; k < 100; k++)
        *out_contacts += step_once(w, 0.01 * T).contacts;
    x = read_vectors(w, b, 0, &n);
    for (i = 0; i < 3 * n; i++)
        x[i] /= L;
    *out_n = n;
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return x;
}

static void units_of_length_do_not_matter(void **state)
{
    /* the first two are exact in binary arithmetic: the same bits */
    static const double L[] = {1.0 / 1024, 1024, 1e-3, 1e3};
    int n, m, i, k, c0, c;
    double *x = scaled_run(1, &n, &c0);
    (void)state;
    assert_true(c0 > 200);
    for (k = 0; k < 4; k++) {
        double *y = scaled_run(L[k], &m, &c), worst = 0;
        assert_int_equal(n, m);
        for (i = 0; i < 3 * n; i++)
            worst = fmax(worst, fabs(x[i] - y[i]) / 0.1);
        print_message("lengths times %g: positions after 100 steps differ by %.3g of the size (%d contacts, %d)\n", L[k], worst, c0, c);
        if (k < 2)
            assert_true(worst == 0);
        assert_true(worst <= 1e-6);
        free(y);
    }
    free(x);
}

/* ---- fast bodies ---- */

/* solid angle of triangle abc seen from p [van Oosterom, Strackee 1983] */
static double solid_angle(const double *p, const double *a, const double *b, const double *c)
{
    double A[3], B[3], C[3], la, lb, lc, det;
    int k;
    for (k = 0; k < 3; k++)
        A[k] = a[k] - p[k], B[k] = b[k] - p[k], C[k] = c[k] - p[k];
    la = norm3(A), lb = norm3(B), lc = norm3(C);
    det = A[0] * (B[1] * C[2] - B[2] * C[1]) - A[1] * (B[0] * C[2] - B[2] * C[0]) + A[2] * (B[0] * C[1] - B[1] * C[0]);
    return 2 * atan2(det, la * lb * lc + (A[0] * B[0] + A[1] * B[1] + A[2] * B[2]) * lc + (A[0] * C[0] + A[1] * C[1] + A[2] * C[2]) * lb +
                              (B[0] * C[0] + B[1] * C[1] + B[2] * C[2]) * la);
}

/* A cube at 1000 m/s along +z against a sheet in the xy plane whose border is held. The sheet now and its rest shape, turned round, close a
   volume; a vertex on the far side of the rest plane must be inside of it, one on the near side outside. */
static void fast_cubes_do_not_pass(void **state)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    ct_world *w = world_make(&d);
    ct_mesh sheet = mesh_grid(0.6, 0.6, 10, 10), cube = mesh_box(0.08, 0.08, 0.08, 2, 2, 2, 1);
    ct_body_id s, c;
    double *rest;
    int32_t border[40];
    const int32_t *skin;
    int i, k, j, nb = 0, ns, nc, n_skin, passed = 0, touched = 0;
    (void)state;
    for (i = 0; i < sheet.n_positions; i++) { /* (x, 0, z) to (x, z, 0) and a little sag */
        ct_real *p = sheet.positions + 3 * i, z = p[2];
        p[1] = z, p[2] = 0;
        if (fabs((double)p[0]) > 0.2999 || fabs((double)p[1]) > 0.2999)
            border[nb++] = i;
    }
    assert_int_equal(nb, 40);
    mesh_place(&cube, 0.4, 0.03, 0.02, -0.3);
    s = add_cloth_mesh(w, "sheet", &sheet, CT_MODEL_MEMBRANE, 0.2);
    c = add_soft_mesh(w, "cube", &cube, 1e6, 0, 0, 1000);
    assert_int_equal(ct_body_pin(w, s, border, nb, CT_AXIS_ALL, NULL, -1), CT_OK);
    rest = read_vectors(w, s, 0, &ns);
    for (k = 0; k < 25; k++) {
        ct_step_report r = step_once(w, 0.005);
        double *x = read_vectors(w, s, 0, NULL), *y = read_vectors(w, c, 0, &nc), deepest = 0;
        int bad = count_intersections(w);
        touched += r.contacts > 0 || r.zones > 0;
        if (bad)
            print_message("step %d: %d intersections, status %s\n", k + 1, bad, ct_status_text(r.status));
        assert_int_equal(bad, 0);
        assert_int_equal(ct_body_get_triangles(w, c, &skin, &n_skin), CT_OK);
        for (j = 0; j < nc; j++) {
            double angle = 0;
            int inside, beyond = y[3 * j + 2] > 0;
            for (i = 0; i < 3 * n_skin && skin[i] != j; i++)
                ;
            if (i == 3 * n_skin)
                continue; /* an inner vertex of a compressed cube may leave it */
            for (i = 0; i < sheet.n_triangles; i++) {
                const int32_t *t = sheet.triangles + 3 * i;
                angle += solid_angle(y + 3 * j, x + 3 * t[0], x + 3 * t[1], x + 3 * t[2]);
                angle -= solid_angle(y + 3 * j, rest + 3 * t[0], rest + 3 * t[1], rest + 3 * t[2]);
            }
            inside = (int)floor(fabs(angle) / (4 * 3.14159265358979323846) + 0.5);
            deepest = fmax(deepest, y[3 * j + 2]);
            /* a piece that returned may have gone around the frame: then it is beside it */
            passed += inside != beyond && (inside || (fabs(y[3 * j]) < 0.3 && fabs(y[3 * j + 1]) < 0.3));
            assert_true(isfinite(y[3 * j]) && isfinite(y[3 * j + 1]) && isfinite(y[3 * j + 2]));
        }
        if (k < 3 || k == 24)
            print_message("step %d: cube's front at z = %.4g m, status %s, %d substeps, %d contacts, %d zones, %d frozen\n", k + 1, deepest,
                          ct_status_text(r.status), r.substeps, r.contacts, r.zones, r.frozen);
        if (passed)
            print_message("step %d: %d vertices of the cube are on the other side\n", k + 1, passed);
        assert_int_equal(passed, 0);
        free(x), free(y);
    }
    assert_true(touched > 0);
    free(rest);
    ct_mesh_free(&sheet), ct_mesh_free(&cube);
    ct_world_destroy(w);
}

/* ---- a uniform strain ---- */

/* patch test: the surface of a box is moved to x = F X; at rest the inner vertices are there too */
static void uniform_strain_is_kept(void **state)
{
    static const double F[9] = {1.1, 0.05, 0.02, -0.03, 0.95, 0.04, 0.01, -0.02, 1.05};
    ct_world_desc d = world_desc(1e-4, 0, NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.3, 0.3, 0.3, 3, 3, 3, 1);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id b;
    double worst = 0, moved = 0, *x;
    uint64_t seed = 3;
    int i, j, k, n_inner = 0;
    int inner[64];
    (void)state;
    d.gravity[1] = 0;
    d.self_collision = 0;
    w = world_make(&d);
    for (i = 0; i < m.n_positions; i++) {
        ct_real *p = m.positions + 3 * i;
        if (fabs((double)p[0]) < 0.14 && fabs((double)p[1]) < 0.14 && fabs((double)p[2]) < 0.14) {
            inner[n_inner++] = i;
            for (k = 0; k < 3; k++) /* a mesh that is not regular inside */
                p[k] = (ct_real)((double)p[k] + 0.02 * (lcg(&seed) - 0.5));
        }
    }
    assert_int_equal(n_inner, 8);
    sd.mesh = &m, sd.material.young = (ct_real)1e5, sd.material.poisson = (ct_real)0.35, sd.material.density = 1000, sd.material.damping_mass = 5;
    assert_int_equal(ct_body_add_soft(w, &sd, &b), CT_OK);
    for (i = 0; i < m.n_positions; i++) {
        ct_motion go;
        int32_t at = i;
        for (j = 0; j < n_inner && inner[j] != i; j++)
            ;
        if (j < n_inner)
            continue;
        memset(&go, 0, sizeof go);
        for (k = 0; k < 3; k++)
            for (j = 0; j < 3; j++)
                go.linear[k] = (ct_real)((double)go.linear[k] + 4 * (F[3 * k + j] - (k == j)) * (double)m.positions[3 * i + j]);
        assert_int_equal(ct_body_pin(w, b, &at, 1, CT_AXIS_ALL, &go, 0.25), CT_OK);
    }
    for (k = 0; k < 25; k++)
        step_once(w, 0.01);
    for (i = 0; i < m.n_positions; i++) {
        int32_t at = i;
        for (j = 0; j < n_inner && inner[j] != i; j++)
            ;
        if (j == n_inner)
            assert_int_equal(ct_body_pin(w, b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
    }
    for (k = 0; k < 300; k++)
        step_once(w, 0.02);
    x = read_vectors(w, b, 0, NULL);
    for (i = 0; i < m.n_positions; i++)
        for (k = 0; k < 3; k++) {
            double want = 0;
            for (j = 0; j < 3; j++)
                want += F[3 * k + j] * (double)m.positions[3 * i + j];
            worst = fmax(worst, fabs(x[3 * i + k] - want));
            moved = fmax(moved, fabs(x[3 * i + k] - (double)m.positions[3 * i + k]));
        }
    print_message("patch test: largest distance from F X %.3g m (moved by %.3g m)\n", worst, moved);
    assert_true(moved > 0.01);
    assert_true(worst < 1e-8);
    free(x);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* A rigid block of 2.5 t falls at 3 m/s onto a neo-Hookean cube, whose tets it presses to less than a fifth of their volume. No step gains more than
   1e-3 of the energy that there is at the start */
static void a_crushed_cube_gains_nothing(void **state)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = world_make(&d);
    ct_mesh soft = mesh_box(0.5, 0.5, 0.5, 4, 4, 4, 1), block = mesh_box(0.5, 0.5, 0.5, 1, 1, 1, 0);
    ct_soft_desc s = ct_soft_desc_default();
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_step_report q;
    double start = 0;
    int i, crushed = 0;
    (void)state;
    add_plane(w, 0, 1, 0, 0);
    s.mesh = &soft, s.material.model = CT_MODEL_NEOHOOKEAN, s.material.young = (ct_real)(2e4), s.position[1] = (ct_real)(0.3);
    r.mesh = &block, r.density = 20000, r.position[1] = 1, r.velocity[1] = -3;
    assert_int_equal(ct_body_add_soft(w, &s, NULL), CT_OK);
    assert_int_equal(ct_body_add_rigid(w, &r, NULL), CT_OK);
    for (i = 0; i < 120; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)(1.0 / 60), &q), CT_OK);
        if (i == 0)
            start = q.energy_kinetic + q.energy_elastic + q.energy_gravity;
        crushed += q.extended_elements;
        assert_true(q.energy_gained <= 1e-3 * start);
        assert_true(q.status <= CT_STATUS_SUBSTEPPED);
    }
    assert_true(crushed > 100);
    ct_mesh_free(&soft), ct_mesh_free(&block);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(a_thrown_body_has_no_more_candidates),
        cmocka_unit_test(a_light_ram_moves_a_heavy_block),
        PLAIN_TEST(a_mat_lands_on_its_edge)
        PLAIN_TEST(a_stiff_plate_lands_flat)
        cmocka_unit_test(centre_of_mass_falls_as_a_point),
        cmocka_unit_test(momenta_of_a_free_body),
        cmocka_unit_test(free_bodies_lose_energy),
        PLAIN_TEST(blocks_hold_on_slopes)
        PLAIN_TEST(blocks_slide_over_mesh_edges)
        cmocka_unit_test(five_boxes_rest),
        cmocka_unit_test(light_cloth_drapes),
        PLAIN_TEST(heavy_cloth_drapes)
        cmocka_unit_test(units_of_length_do_not_matter),
        PLAIN_TEST(fast_cubes_do_not_pass)
        cmocka_unit_test(uniform_strain_is_kept),
        PLAIN_TEST(a_crushed_cube_gains_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
