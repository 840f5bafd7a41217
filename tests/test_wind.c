/* test_wind.c -- drag and lift of air, against the formula of api.h and what follows from it. */
#include "../src/9_world/world.h"
#include "world_util.h"

#define RHO 1.2
#define FLOAT_OR(a, b) (sizeof(ct_real) == 4 ? (a) : (b))

static ct_world *world_in(double gravity, double wx, double wy, double wz, ct_integrator rule)
{
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    d.gravity[1] = (ct_real)-gravity, d.integrator = rule;
    d.wind[0] = (ct_real)wx, d.wind[1] = (ct_real)wy, d.wind[2] = (ct_real)wz;
    return world_make(&d);
}

static void air_on(ct_world *w, ct_body_id id, double drag, double lift)
{
    ct_air air, got;
    air.drag = (ct_real)drag, air.lift = (ct_real)lift, air.density = (ct_real)RHO;
    assert_int_equal(ct_body_set_air(w, id, &air), CT_OK);
    assert_int_equal(ct_body_get_air(w, id, &got), CT_OK);
    assert_memory_equal(&air, &got, sizeof air);
}

/* a sheet of side 1 with the areal density sigma, turned by `angle` about z, in the plane y = 0 at angle 0 */
static ct_body_id sheet_at(ct_world *w, double sigma, double angle, int cells)
{
    ct_mesh m = mesh_grid(1, 1, cells, cells);
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id;
    mesh_place(&m, angle, 0, 0, 0);
    d.mesh = &m, d.name = "sheet", d.material = ct_material_default(CT_MODEL_SPRINGS);
    d.material.areal_density = (ct_real)sigma;
    assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* mean velocity of a body's nodes, which have masses in proportion to the areas around them; sheets move as one here */
static void speed_of(ct_world *w, ct_body_id id, double *mean, double *most)
{
    ct_real v[3 * 1024];
    int i, k, n = ct_body_node_count(w, id);
    assert_true(n <= 1024);
    assert_int_equal(ct_body_get_nodes(w, id, NULL, v, n), CT_OK);
    for (mean[0] = mean[1] = mean[2] = *most = 0, i = 0; i < 3 * n; i++)
        mean[i % 3] += (double)v[i] / n;
    for (i = 0; i < n; i++) {
        double size = 0;
        for (k = 0; k < 3; k++)
            size += (double)v[3 * i + k] * (double)v[3 * i + k];
        *most = sqrt(size) > *most ? sqrt(size) : *most;
    }
}

/* m dv/dt = m g - rho A / 2 c_d v^2: v = V tanh(g t / V), V = sqrt(2 m g / (rho A c_d)); then the air takes what gravity gives */
static void a_falling_sheet_has_its_terminal_speed(void **state)
{
    static const ct_integrator rules[] = {CT_INTEGRATOR_EULER, CT_INTEGRATOR_NEWMARK, CT_INTEGRATOR_BDF2};
    const double sigma = 0.1, drag = 1.2, g = 9.81, V = sqrt(2 * sigma * g / (RHO * drag)), dt = 1e-3;
    int k, i;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = world_in(g, 0, 0, 0, rules[k]);
        ct_body_id id = sheet_at(w, sigma, 0, 4);
        double v[3], most, early = 0, work, mass = (double)ct_body_get_mass(w, id);
        ct_step_report r;
        assert_true(fabs(mass - sigma) < 1e-6);
        air_on(w, id, drag, 0.5);
        for (i = 1; i <= 1000; i++) {
            assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
            assert_int_equal(r.status, CT_STATUS_OK);
            speed_of(w, id, v, &most);
            if (i == 100)
                early = -v[1] / (V * tanh(g * (i * dt) / V));
        }
        work = r.work_forces / (-mass * g * V * dt);
        print_message("rule %d: terminal speed %.6f V, at .1 s %.4f of the law, work of the air %.6f of -m g V dt, gained %.1e of it\n", (int)rules[k],
                      -v[1] / V, early, work, r.energy_gained / (mass * g * V * dt));
        assert_true(fabs(-v[1] / V - 1) < FLOAT_OR(1e-3, 1e-5) && fabs(v[0]) + fabs(v[2]) < 1e-4 && fabs(most / V - 1) < 1e-3);
        assert_true(fabs(early - 1) < 0.01);
        assert_true(fabs(work - 1) < FLOAT_OR(1e-2, 1e-4) && fabs(r.energy_gained) < FLOAT_OR(1e-2, 1e-4) * mass * g * V * dt);
        ct_world_destroy(w);
    }
}

/* Without gravity the air's velocity relative to a sheet is w / (1 + k w t), k = rho c_d c / (2 sigma), at every angle t of its normal, c = cos t. What
   the air has worked is its kinetic energy, less what the integrator dissipates */
static void wind_takes_a_sheet_along(void **state)
{
    const double sigma = 0.05, wind = 8, dt = 1e-3;
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        double angle = k ? 0.7 : 0, rate = RHO * 1.1 * cos(angle) / (2 * sigma), v[3], most, work = 0, gained = 0, at, kinetic = 0;
        ct_world *w = world_in(0, 0, wind, 0, CT_INTEGRATOR_EULER);
        ct_body_id id = sheet_at(w, sigma, angle, 4);
        air_on(w, id, 1.1, 0);
        for (i = 1; i <= 8000; i++) {
            ct_step_report r;
            assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
            assert_int_equal(r.status, CT_STATUS_OK);
            work += r.work_forces, gained += r.energy_gained, kinetic = r.energy_kinetic;
            speed_of(w, id, v, &most);
            at = wind - wind / (1 + rate * wind * (i * dt));
            if (i == 20 || i == 200 || i == 8000) {
                print_message("angle %.1f, %.3f s: %.5f m/s by the law %.5f\n", angle, i * dt, v[1], at);
                assert_true(fabs(v[1] - at) < 0.01 * wind && fabs(v[0]) + fabs(v[2]) < 1e-3 * wind);
            }
        }
        print_message("  at the end %.4f of the wind; work of the air %.6f J, kinetic energy %.6f, gained %.6f\n", v[1] / wind, work, kinetic, gained);
        assert_true(fabs(v[1] / wind - 1) < 0.01);
        assert_true(fabs(work + gained - kinetic) < FLOAT_OR(1e-3, 1e-6) * kinetic && gained < FLOAT_OR(1e-3, 1e-4) * kinetic && gained > -0.05 * kinetic);
        ct_world_destroy(w);
    }
}

/* the sum of the impulses of all pins over a step, per second */
static void held_force(ct_world *w, ct_body_id id, double dt, double *sum)
{
    ct_real J[3];
    int i, k;
    sum[0] = sum[1] = sum[2] = 0;
    for (i = 0; i < ct_body_node_count(w, id); i++) {
        assert_int_equal(ct_body_get_pin_impulse(w, id, i, J), CT_OK);
        for (k = 0; k < 3; k++)
            sum[k] += (double)J[k] / dt;
    }
}

static void hold(ct_world *w, ct_body_id id, const ct_motion *motion)
{
    int32_t all[1024];
    int i, n = ct_body_node_count(w, id);
    for (i = 0; i < n; i++)
        all[i] = i;
    assert_int_equal(ct_body_pin(w, id, all, n, CT_AXIS_ALL, motion, -1), CT_OK);
}

/* A held sheet at an angle a to wind along x: drag rho A / 2 c_d sin a u^2 along x, lift rho A / 2 c_l sin a cos a u^2 across it. The same in still air
   for a sheet that is moved against it */
static void a_held_sheet_bears_drag_and_lift(void **state)
{
    const double u = 12, drag = 0.8, lift = 0.6, dt = 1.0 / 60;
    double angle, force[3];
    int moved;
    (void)state;
    for (angle = -1.2; angle < 1.6; angle += 0.4)
        for (moved = 0; moved < 2; moved++) {
            double q = RHO / 2 * u * u * fabs(sin(angle)), across = -lift * q * cos(angle) * (sin(angle) > 0 ? 1 : -1), off;
            ct_world *w = world_in(0, moved ? 0 : u, 0, 0, CT_INTEGRATOR_EULER);
            ct_body_id id = sheet_at(w, 0.2, angle, 3);
            ct_motion m;
            ct_step_report r;
            memset(&m, 0, sizeof m);
            m.linear[0] = (ct_real)-u;
            hold(w, id, moved ? &m : NULL);
            air_on(w, id, drag, lift);
            assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
            assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
            held_force(w, id, dt, force);
            off = fabs(force[0] + drag * q) + fabs(force[1] - (-across)) + fabs(force[2]);
            assert_true(off < FLOAT_OR(1e-3, 1e-10) * RHO / 2 * u * u);
            /* moved through still air, the pins work against drag, and the air takes it */
            assert_true(fabs(r.work_forces + (moved ? drag * q * u * dt : 0)) < FLOAT_OR(1e-3, 1e-9) * RHO * u * u * u * dt);
            ct_world_destroy(w);
        }
}

/* a closed surface feels the wind on the faces that meet it alone: a cube of side a rho / 2 a^2 c_d u^2 */
static void a_cube_has_one_windward_face(void **state)
{
    const double u = 5, a = 0.4, dt = 0.01;
    ct_world *w = world_in(0, u, 0, 0, CT_INTEGRATOR_EULER);
    ct_mesh m = mesh_box(a, a, a, 3, 3, 3, 1);
    ct_body_id id = add_soft_mesh(w, "cube", &m, 1e5, 0, 0, 0);
    double force[3], want = RHO / 2 * a * a * 0.9 * u * u;
    ct_step_report r;
    (void)state;
    hold(w, id, NULL);
    air_on(w, id, 0.9, 0.4);
    assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
    held_force(w, id, dt, force);
    assert_true(fabs(force[0] + want) < 1e-5 * want && fabs(force[1]) + fabs(force[2]) < 1e-5 * want);
    ct_mesh_free(&m), ct_world_destroy(w);
}

/* No wind is too strong: a sheet of 2 g/m^2 held at two corners and a free one, in a gale whose direction changes every step. No node gets faster than
   the air has been, and statuses are ok */
static void gales_do_not_explode_light_cloth(void **state)
{
    const double sigma = 0.002;
    static const double gales[] = {20, 100};
    const int32_t corners[2] = {0, 8};
    int k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = world_in(9.81, 0, 0, 0, CT_INTEGRATOR_EULER);
        ct_body_id held = sheet_at(w, sigma, 0.3, 8), free_one;
        ct_real p[3 * 81];
        double v[3], most, worst = 0;
        int bad = 0;
        uint64_t seed = 7;
        assert_int_equal(ct_body_pin(w, held, corners, 2, CT_AXIS_ALL, NULL, -1), CT_OK);
        free_one = sheet_at(w, sigma, 0.3, 8);
        assert_int_equal(ct_body_get_nodes(w, free_one, p, NULL, 81), CT_OK);
        for (i = 0; i < 81; i++)
            p[3 * i + 1] += 3;
        assert_int_equal(ct_body_set_positions(w, free_one, p, 81), CT_OK);
        air_on(w, held, 1, 1), air_on(w, free_one, 0.3, 1);
        for (i = 0; i < 300; i++) {
            ct_real wind[3];
            ct_step_report r;
            wind[0] = (ct_real)gales[k], wind[1] = (ct_real)(gales[k] * (lcg(&seed) - 0.5)), wind[2] = (ct_real)(gales[k] * (lcg(&seed) - 0.5));
            assert_int_equal(ct_world_set_wind(w, wind), CT_OK);
            assert_int_equal(ct_world_step(w, (ct_real)(1.0 / 60), &r), CT_OK);
            bad += r.status > CT_STATUS_SUBSTEPPED;
            speed_of(w, held, v, &most);
            worst = most > worst ? most : worst;
            speed_of(w, free_one, v, &most);
            worst = most > worst ? most : worst;
        }
        print_message("gale of %.0f m/s: fastest node %.1f m/s, %d of 300 steps with another status than ok or substepped\n", gales[k], worst, bad);
        assert_true(worst < 2 * sqrt(1.5) * gales[k]); /* at rest in the air it has been blown from, and opposed by that of now */
        assert_true(bad <= 3);
        ct_world_destroy(w);
    }
}

/* ---- the field ---- */

typedef struct field {
    ct_world *world;
    int calls, n, spoil;
    double time;
    ct_real points[3 * 81];
} field;

/* wind that grows with height, over the constant one */
static void shear(void *user, double time, const ct_real *points, ct_real *velocities, int n)
{
    field *f = (field *)user;
    int i;
    f->calls++, f->n = n, f->time = time;
    assert_true(n <= 81);
    memcpy(f->points, points, 3 * sizeof(ct_real) * (size_t)n);
    for (i = 0; i < n; i++)
        velocities[3 * i] += 2 * points[3 * i + 1];
    if (f->spoil)
        velocities[3 * n - 2] = f->spoil > 1 ? (ct_real)NAN : sizeof(ct_real) == 4 ? (ct_real)1e20 : (ct_real)1e100;
    assert_int_equal(ct_world_set_wind(f->world, points), CT_ERR_ARGUMENT);
}

static void a_field_is_asked_once_for_all_points(void **state)
{
    const double dt = 0.01;
    ct_world_desc d = world_desc(1e-3, 0.3, NULL);
    field f;
    ct_world *w;
    ct_body_id id;
    ct_real x[2][3 * 16];
    double force[3], want = 0;
    int k;
    (void)state;
    memset(&f, 0, sizeof f);
    d.wind[0] = 1, d.gravity[1] = 0, d.wind_field = shear, d.wind_user = &f;
    w = f.world = world_make(&d);
    id = sheet_at(w, 0.2, 1.5707963267948966, 3);
    step_once(w, dt);
    assert_int_equal(f.calls, 0);
    hold(w, id, NULL), air_on(w, id, 1, 0);
    step_once(w, dt);
    assert_true(f.calls == 1 && f.n == 16 && fabs(f.time - dt) < 1e-8);
    assert_int_equal(ct_body_get_nodes(w, id, x[0], NULL, 16), CT_OK);
    assert_memory_equal(f.points, x[0], sizeof x[0]);
    /* F = rho / 2 c_d sum of A_i (1 + 2 y_i)^2 over corners, y of the rows -1/2, -1/6, 1/6, 1/2 with a sixth, two thirds .. of the area each */
    for (k = 0; k < 4; k++)
        want += RHO / 2 * (k == 0 || k == 3 ? 1.0 / 6 : 1.0 / 3) * (1 + 2 * (k / 3.0 - 0.5)) * (1 + 2 * (k / 3.0 - 0.5));
    held_force(w, id, dt, force);
    assert_true(fabs(force[0] + want) < FLOAT_OR(1e-4, 1e-10));
    for (f.spoil = 1; f.spoil < 3; f.spoil++) {
        assert_int_equal(ct_world_step(w, (ct_real)dt, NULL), CT_ERR_ARGUMENT);
        assert_true(ct_world_error(w)->element == 15 && fabs(ct_world_time(w) - 2 * dt) < 1e-8);
        assert_int_equal(ct_body_get_nodes(w, id, x[1], NULL, 16), CT_OK);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
    f.spoil = 0;
    step_once(w, dt);
    ct_world_destroy(w);
}

/* still until 2 s, then from below */
static void gust(void *user, double time, const ct_real *points, ct_real *velocities, int n)
{
    int i;
    (void)user, (void)points;
    for (i = 0; i < n; i++)
        velocities[3 * i + 1] = (ct_real)(time < 2 ? 0 : 10);
}

/* a sheet that has rested for long on a floor sleeps, but in a field it feels a gust, whose drag is 30 times its weight: it is blown up */
static void a_gust_moves_what_rests(void **state)
{
    const double dt = 0.01;
    int blows;
    (void)state;
    for (blows = 0; blows < 2; blows++) {
        ct_world_desc d = world_desc(1e-3, 0.3, NULL);
        ct_world *w;
        ct_body_id id;
        ct_real x[3 * 16];
        int k;
        d.sleep_time = 0.3, d.wind_field = blows ? gust : NULL;
        w = world_make(&d);
        add_plane(w, 0, 1, 0, -0.002);
        id = sheet_at(w, 0.2, 0, 3), air_on(w, id, 1, 0);
        for (k = 0; k * dt < 1.95; k++)
            step_once(w, dt);
        assert_int_equal(ct_body_is_asleep(w, id), !blows);
        assert_int_equal(ct_body_get_nodes(w, id, x, NULL, 16), CT_OK);
        assert_true(fabs((double)x[1]) < 2e-3);
        for (; k * dt < 2.5; k++)
            step_once(w, dt);
        assert_int_equal(ct_body_get_nodes(w, id, x, NULL, 16), CT_OK);
        assert_true(blows ? (double)x[1] > 0.5 : fabs((double)x[1]) < 2e-3);
        ct_world_destroy(w);
    }
}

/* ---- refusals, snapshots, memory ---- */

static void what_has_no_air_says_so(void **state)
{
    static const double bad[] = {-1, 2e6, 0};
    ct_world *w = world_in(9.81, 0, 0, 0, CT_INTEGRATOR_EULER);
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_mesh m = mesh_box(1, 1, 1, 1, 1, 1, 0);
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id sheet = sheet_at(w, 0.1, 0, 2), box, none = {0, 0};
    ct_air air = {1, 1, 1};
    ct_real v[3] = {0, 0, 0};
    int k;
    (void)state;
    r.mesh = &m, r.name = "box", r.position[1] = 5;
    assert_int_equal(ct_body_add_rigid(w, &r, &box), CT_OK);
    assert_int_equal(ct_body_set_air(w, box, &air), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_air(w, sheet, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_set_air(w, none, &air), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_set_air(NULL, sheet, &air), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_air(w, sheet, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_set_wind(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_get_wind(w, NULL), CT_ERR_ARGUMENT);
    assert_int_equal(ct_world_set_wind(NULL, v), CT_ERR_ARGUMENT);
    for (k = 0; k < 9; k++) {
        ct_real *q = k / 3 == 0 ? &air.drag : k / 3 == 1 ? &air.lift : &air.density;
        *q = k % 3 < 2 ? (ct_real)bad[k % 3] : (ct_real)NAN;
        assert_int_equal(ct_body_set_air(w, sheet, &air), CT_ERR_ARGUMENT);
        *q = 1;
    }
    v[1] = (ct_real)INFINITY;
    assert_int_equal(ct_world_set_wind(w, v), CT_ERR_ARGUMENT);
    d.wind[2] = (ct_real)NAN;
    ct_mesh_free(&m), ct_world_destroy(w);
    assert_int_equal(ct_world_create(&d, &w, NULL), CT_ERR_ARGUMENT);
    for (k = 0; k < CT_STEPPER_COUNT_; k++) {
        ct_body_id soft;
        if (k == CT_STEPPER_CMR || !ct_stepper_built((ct_stepper)k))
            continue;
        d = ct_world_desc_default_for((ct_stepper)k);
        w = world_make(&d);
        m = mesh_box(1, 1, 1, 1, 1, 1, 1);
        soft = add_soft_mesh(w, "soft", &m, 1e5, 0, 0, 0);
        assert_int_equal(ct_body_set_air(w, soft, &air), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(ct_world_error(w)->text, "'soft': CT_STEPPER_"));
        ct_mesh_free(&m), ct_world_destroy(w);
    }
}

/* a snapshot has coefficients and the wind: the world goes on with the same bits after others were set */
static void snapshots_have_the_air(void **state)
{
    ct_world *w = world_in(9.81, 3, 0, 1, CT_INTEGRATOR_EULER);
    ct_body_id id = sheet_at(w, 0.1, 0.4, 4);
    const ct_real other[3] = {-9, 0, 0};
    ct_real x[2][75], got[3];
    size_t size;
    void *data;
    int i, k;
    (void)state;
    air_on(w, id, 0.8, 0.3);
    for (i = 0; i < 10; i++)
        step_once(w, 0.01);
    assert_int_equal(ct_world_snapshot_size(w, &size), CT_OK);
    data = malloc(size);
    assert_int_equal(ct_world_snapshot_save(w, data, size, &size), CT_OK);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 10; i++)
            step_once(w, 0.01);
        assert_int_equal(ct_body_get_nodes(w, id, x[k], NULL, 25), CT_OK);
        assert_int_equal(ct_world_set_wind(w, other), CT_OK);
        air_on(w, id, 0, 0);
        step_once(w, 0.01);
        assert_int_equal(ct_world_snapshot_restore(w, data, size), CT_OK);
        assert_int_equal(ct_world_get_wind(w, got), CT_OK);
        assert_true(got[0] == 3 && got[1] == 0 && got[2] == 1);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    free(data), ct_world_destroy(w);
}

/* an allocator that fails once in a step leaves the world as it was */
static void memory_may_run_out(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_body_id id;
    int64_t at, before;
    ct_real x[2][27];
    (void)state;
    memset(&b, 0, sizeof b);
    d = world_desc(1e-3, 0.3, &b);
    d.wind[1] = 2;
    w = world_make(&d);
    id = sheet_at(w, 0.1, 0.4, 2);
    step_once(w, 0.01);
    air_on(w, id, 1, 1);
    assert_int_equal(ct_body_get_nodes(w, id, x[0], NULL, 9), CT_OK);
    for (at = 1;; at++) {
        b.fail_at = b.calls + at;
        before = b.refused;
        if (ct_world_step(w, (ct_real)0.01, NULL) == CT_OK)
            break;
        assert_true(b.refused > before && ct_world_error(w)->code == CT_ERR_MEMORY);
        assert_int_equal(ct_body_get_nodes(w, id, x[1], NULL, 9), CT_OK);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
    print_message("%d allocations of a step with air may fail\n", (int)at - 1);
    assert_true(at > 3);
    ct_world_destroy(w);
    assert_true(b.blocks == 0 && b.wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_sheet_has_its_terminal_speed), cmocka_unit_test(wind_takes_a_sheet_along),
        cmocka_unit_test(a_held_sheet_bears_drag_and_lift),       cmocka_unit_test(a_cube_has_one_windward_face),
        cmocka_unit_test(gales_do_not_explode_light_cloth),       cmocka_unit_test(a_field_is_asked_once_for_all_points),
        cmocka_unit_test(a_gust_moves_what_rests),
        cmocka_unit_test(what_has_no_air_says_so),                cmocka_unit_test(snapshots_have_the_air),
        cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
