/* test_fig2.c -- Otaduy 2009, Fig. 2: a global response leaves less energy than a local one.
   A step of a real world is taken with our solver; then its contacts are resolved again in the test, from the same free motion, by projecting
   velocities contact by contact through the masses alone, which is what local methods do (the coupling of the nodes by A is ignored). Both
   end without penetration of the same rows. Compared: the elastic energy at the end (the figure's measure), the total energy, and the distance
   to the free motion 1/2 dv' A dv that eq. 6 minimizes. */
#include "../src/9_world/world.h"
#include "world_util.h"

typedef struct measure {
    double elastic, total, distance, worst; /* elastic and total energy, distance from the free motion [J]; smallest u_n [m/s] */
} measure;

/* measures of the motion at v over dt from the start of the step */
static measure measure_of(const cti_state *s, const ct_real *v, double dt)
{
    measure m = {0, 0, 0, 1e30};
    int n3 = 3 * s->n, i;
    ct_real *x = (ct_real *)malloc(sizeof(ct_real) * 2 * (size_t)n3), *d = x + n3, *Ad;
    Ad = (ct_real *)malloc(sizeof(ct_real) * (size_t)n3);
    assert_true(x && Ad);
    for (i = 0; i < n3; i++) {
        x[i] = s->step.start.copy.x[i] + (ct_real)dt * v[i], d[i] = v[i] - s->system.v_free[i];
        m.total += 0.5 * (double)(s->bodies.mass[i / 3] * v[i] * v[i]) - (double)(s->bodies.mass[i / 3] * s->desc.gravity[i % 3] * x[i]);
    }
    for (i = 0; i < s->bodies.n_models; i++)
        m.elastic += cti_model_energy(s->bodies.models[i], x);
    m.total += m.elastic;
    cti_bsr_mul(&s->system.A, d, Ad);
    for (i = 0; i < n3; i++)
        m.distance += 0.5 * (double)(d[i] * Ad[i]);
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        ct_real u[3];
        cti_row_velocity(&s->contact.rows[i], v, u);
        m.worst = fmin(m.worst, (double)u[0]);
    }
    free(x), free(Ad);
    return m;
}

/* v: projected until every row has u_n >= 0: lambda = max(0, lambda - u_n / (J M^-1 J')) row by row */
static void project_locally(const cti_state *s, ct_real *v)
{
    int sweep, i, k, n = CTI_LEN(s->contact.rows);
    double *lambda = (double *)calloc((size_t)n, sizeof *lambda);
    assert_non_null(lambda);
    for (sweep = 0; sweep < 2000; sweep++)
        for (i = 0; i < n; i++) {
            const cti_row *row = &s->contact.rows[i];
            ct_real u[3];
            double B = 0, d;
            cti_row_velocity(row, v, u);
            for (k = 0; k < row->n; k++)
                if (!s->scripts.fixed[row->term[k].block])
                    B += (double)(row->term[k].weight * row->term[k].weight * s->bodies.inv_mass[row->term[k].block]);
            if (!(B > 0))
                continue;
            d = fmax(0, lambda[i] - (double)u[0] / B) - lambda[i];
            lambda[i] += d;
            for (k = 0; k < row->n; k++) {
                int b = row->term[k].block;
                cti_v3 q = cti_v3_mul(cti_v3_at(row->frame, 0), (ct_real)d * row->term[k].weight * (s->scripts.fixed[b] ? 0 : s->bodies.inv_mass[b]));
                cti_v3_addto(v, b, q);
            }
        }
    free(lambda);
}

typedef struct outcome {
    double before; /* total energy at the start of the step */
    measure ours, local;
    int rows;
} outcome;

/* steps until the first one with many contacts; kind 0: a box on an edge, 1: a held beam that is thrown at a plane, 2: a box on a box */
static outcome strike(int kind, double young, double dt, double speed)
{
    ct_world_desc d = world_desc(1e-3, 0, NULL);
    ct_world *w;
    ct_mesh m = kind == 1 ? mesh_box(0.6, 0.03, 0.06, 12, 1, 1, 1) : mesh_box(0.2, 0.2, 0.2, 4, 4, 4, 1);
    ct_body_id b;
    outcome o;
    ct_real *v;
    cti_state *s;
    double lift = 2.5 * speed * dt;
    int i, k;
    memset(&o, 0, sizeof o);
    d.gravity[1] = 0; /* without gravity the free motion is that of the throw, and so is every energy */
    d.solver.tolerance = (ct_real)1e-6;
    w = world_make(&d);
    s = &w->state;
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, kind == 0 ? 0.7 : 0, 0, lift + (kind == 1 ? 0.016 : kind == 0 ? 0.142 : 0.102), 0);
    b = add_soft_mesh(w, "body", &m, young, 0, kind == 1 ? 0 : -speed, 0);
    if (kind == 1) { /* one end is held, the rest moves down as x^2 */
        v = (ct_real *)calloc(3 * (size_t)m.n_positions, sizeof *v);
        assert_non_null(v);
        for (i = 0; i < m.n_positions; i++) {
            int32_t at = i;
            double r = (double)m.positions[3 * i] + 0.3;
            v[3 * i + 1] = (ct_real)(-speed * r * r / 0.36);
            if (r < 1e-6)
                assert_int_equal(ct_body_pin(w, b, &at, 1, CT_AXIS_ALL, NULL, -1), CT_OK);
        }
        assert_int_equal(ct_body_set_velocities(w, b, v, m.n_positions), CT_OK);
        free(v);
    }
    if (kind == 2) {
        mesh_place(&m, 0, 0.03, 0.203 + 3 * lift, 0.02);
        add_soft_mesh(w, "upper", &m, young, 0, -3 * speed, 0);
    }
    for (k = 0; k < 50; k++) {
        double before = 0, pressed;
        ct_step_report r;
        for (i = 0; w->ready && i < 3 * s->n; i++)
            before += 0.5 * (double)(s->bodies.mass[i / 3] * s->v[i] * s->v[i]);
        for (i = 0; w->ready && i < s->bodies.n_models; i++)
            before += cti_model_energy(s->bodies.models[i], s->x);
        r = step_once(w, dt);
        for (pressed = 0, i = 0; i < CTI_LEN(s->contact.rows); i++)
            pressed += (double)s->contact.rows[i].r[0];
        if (pressed < 1e-3) /* N s */
            continue;
        assert_int_equal(r.substeps, 1);
        assert_true(k > 0);
        o.before = before, o.rows = r.rows;
        v = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)s->n);
        assert_non_null(v);
        o.ours = measure_of(s, s->v, dt);
        memcpy(v, s->system.v_free, sizeof(ct_real) * 3 * (size_t)s->n);
        project_locally(s, v);
        o.local = measure_of(s, v, dt);
        free(v);
        break;
    }
    assert_true(k < 50);
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return o;
}

static void a_global_response_leaves_less_energy(void **state)
{
    static const char *const what[3] = {"box on an edge", "held beam", "box on a box"};
    static const double youngs[3] = {1e4, 1e5, 1e6}, dts[2] = {0.002, 0.01};
    int kind, y, t;
    (void)state;
    for (kind = 0; kind < 3; kind++)
        for (y = 0; y < 3; y++)
            for (t = 0; t < 2; t++) {
                outcome o = strike(kind, youngs[y], dts[t], 1);
                print_message("%s, %g Pa, dt %g: %d rows; elastic %.4g J, local %.4g; total %.4g, local %.4g, before %.4g; eq. 6 %.4g, local %.4g\n",
                              what[kind], youngs[y], dts[t], o.rows, o.ours.elastic, o.local.elastic, o.ours.total, o.local.total, o.before,
                              o.ours.distance, o.local.distance);
                /* both leave the same rows open */
                assert_true(o.ours.worst > -1e-4 && o.local.worst > -1e-4);
                /* the global response is the one nearest to the free motion, has less elastic and less total energy, and adds none */
                assert_true(o.ours.distance < o.local.distance && o.ours.elastic < o.local.elastic && o.ours.total < o.local.total);
                assert_true(o.ours.total < o.before);
                /* stiff bodies and long steps: "clearly adds excessive energy" */
                if (youngs[y] > 5e5 && dts[t] > 0.005) {
                    assert_true(o.local.elastic > 10 * o.ours.elastic);
                    assert_true(o.local.total > 1.3 * o.before);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_global_response_leaves_less_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
