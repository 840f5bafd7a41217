/* test_dcd_program.c -- the discrete stepper's programs: rows with a vertex of their own, line search, changes of unknowns, implausible
   motions. */
#include "world_util.h"
#include "../src/8_dcd/dcd.h"
#include "../src/9_world/world.h"
#include <math.h>

static ct_world_desc dcd_desc(double thickness, double friction)
{
    ct_world_desc d = world_desc(thickness, friction, NULL);
    d.stepper = CT_STEPPER_DCD;
    return d;
}

static void no_gravity(ct_world_desc *d) { d->gravity[0] = d->gravity[1] = d->gravity[2] = 0; }

/* Largest entry of A v - b - J'lambda over the largest of b, and the largest violation of J v + w >= 0, lambda >= 0, at the last program's answer */
static double kkt_of(ct_world *w, double *out_rows)
{
    cti_state *s = &w->state;
    cti_sparse J;
    double *v, most = 0, size = 0, force = 0;
    int i, k;
    ct_real *Av = (ct_real *)malloc(sizeof *Av * 3 * (size_t)s->n);
    assert_true(cti_dcd_jacobian(s, &J, &v));
    cti_bsr_mul(&s->system.A, cti_dcd_of(s)->solve.solution, Av);
    *out_rows = 0;
    for (i = 0; i < J.rows; i++) {
        double u = v[i], l = (double)s->contact.origins[i].load;
        for (k = J.p[i]; k < J.p[i + 1]; k++)
            u += J.x[k] * (double)cti_dcd_of(s)->solve.solution[J.i[k]], Av[J.i[k]] -= (ct_real)(J.x[k] * l);
        *out_rows = fmax(*out_rows, fmax(-u, fmin(l, fabs(u))));
        force = fmax(force, l);
    }
    for (i = 0; i < 3 * s->n; i++)
        most = fmax(most, fabs((double)(Av[i] - s->system.b[i]))), size = fmax(size, fabs((double)s->system.b[i]));
    free(Av);
    return most / fmax(size, force);
}

/* the change of unknowns makes rows orthogonal, has an inverse, and a transpose that fits */
static void pivots_make_rows_orthogonal(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    cti_state *s;
    cti_sparse J, copy;
    cti_dcd_transform t;
    double *rhs, *x, *y, *z, *row, dot[2] = {0, 0}, kkt, miss;
    int i, k, n, shared = 0;
    uint64_t seed = 3;
    (void)state;
    no_gravity(&d);
    d.solver.tolerance = (ct_real)1e-9;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, -0.152);
    add_soft_box(w, "lower", 0.3, 4, 1e5, 0, 0, 0);
    add_soft_box(w, "upper", 0.3, 4, 1e5, 0.031, 0.26, 0.017);
    add_soft_box(w, "third", 0.3, 3, 1e5, 0.26, 0.1, 0.05);
    step_once(w, 0.01);
    s = &w->state;
    kkt = kkt_of(w, &miss);
    print_message("pivots: %d rows, KKT %.2g, rows miss %.2g\n", (int)CTI_LEN(s->contact.rows), kkt, miss);
    assert_true(kkt < 1e-7 && miss < 1e-7);
    n = 3 * s->n;
    x = (double *)calloc((size_t)(4 * n), sizeof *x), y = x + n, z = y + n, row = z + n;
    assert_true(cti_dcd_jacobian(s, &J, &rhs));
    for (i = 0; i < J.rows; i++)
        for (k = J.p[i]; k < J.p[i + 1]; k += 3)
            shared += cti_dcd_of(s)->solve.pivot[i] != J.i[k] / 3 && row[J.i[k]]++ > 0;
    assert_true(shared > 0); /* rows do share vertices */
    for (i = 0; i < n; i++)
        x[i] = z[i] = lcg(&seed) - 0.5, y[i] = lcg(&seed) - 0.5;
    assert_true(cti_dcd_jacobian(s, &copy, &rhs) && cti_dcd_transform_make(s, &copy, &t)); /* which takes the copy's numbers */
    cti_dcd_transform_forward(&t, x);
    for (i = 0; i < J.rows; i++) {
        const double *q = t.direction + 3 * i, *p = z + 3 * t.block[i];
        double u = 0;
        for (k = J.p[i]; k < J.p[i + 1]; k++)
            u += J.x[k] * x[J.i[k]];
        assert_true(fabs(u - t.size[i] * (q[0] * p[0] + q[1] * p[1] + q[2] * p[2])) < 1e-12);
        for (k = 0; k < i; k++)
            if (t.block[k] == t.block[i])
                assert_true(fabs(q[0] * t.direction[3 * k] + q[1] * t.direction[3 * k + 1] + q[2] * t.direction[3 * k + 2]) < 1e-12);
    }
    for (i = 0; i < n; i++)
        dot[0] += x[i] * y[i];
    cti_dcd_transform_transposed(&t, y);
    for (i = 0; i < n; i++)
        dot[1] += z[i] * y[i];
    assert_true(fabs(dot[0] - dot[1]) < 1e-11);
    cti_dcd_transform_back(&t, x);
    for (i = 0; i < n; i++)
        assert_true(fabs(x[i] - z[i]) < 1e-12);
    free(x);
    ct_world_destroy(w);
}

/* two soft slabs, one thrown onto the other: their largest depth inside of each other after the impact */
static double slabs(ct_decouple how)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    ct_mesh m = mesh_box(0.4, 0.12, 0.4, 10, 3, 10, 1);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id id;
    double deepest = 0;
    int i;
    d.dcd.decouple = how;
    w = world_make(&d);
    sd.mesh = &m, sd.material = ct_material_default(CT_MODEL_COROTATIONAL), sd.material.young = (ct_real)1e5;
    mesh_place(&m, 0, 0, 0.062, 0);
    assert_int_equal(ct_body_add_soft(w, &sd, &id), CT_OK);
    mesh_place(&m, 0, 0.013, 0.13, 0.021);
    sd.velocity[1] = -4;
    assert_int_equal(ct_body_add_soft(w, &sd, &id), CT_OK);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 25; i++)
        deepest = fmax(deepest, (double)step_once(w, 0.005).penetration);
    ct_mesh_free(&m);
    ct_world_destroy(w);
    return deepest;
}

static void pivots_hold_layers_apart(void **state)
{
    double pivot = slabs(CT_DECOUPLE_PIVOT), deepest = slabs(CT_DECOUPLE_DEEPEST);
    (void)state;
    print_message("slabs: %.2g m deep, one row a vertex: %.2g m\n", pivot, deepest);
    assert_true(pivot < 0.015 && pivot < deepest / 2);
}

/* a step with a nonlinear answer: the residual of its equation at the end, over b */
static double step_misses(ct_world *w)
{
    cti_state *s = &w->state;
    ct_real *x = (ct_real *)malloc(sizeof *x * 9 * (size_t)s->n), *v = x + 3 * s->n, *r = v + 3 * s->n;
    double most = 0, size = 0;
    int i, extended;
    memcpy(x, s->x, sizeof *x * 3 * (size_t)s->n), memcpy(v, s->end.v, sizeof *v * 3 * (size_t)s->n);
    memcpy(s->x, s->step.start.copy.x, sizeof *x * 3 * (size_t)s->n), memcpy(s->v, s->step.start.copy.v, sizeof *v * 3 * (size_t)s->n);
    memcpy(s->history.dt_prev, s->step.start.copy.dt_prev, sizeof *x * (size_t)s->n);
    assert_true(cti_assemble_at(s, (ct_real)0.02, x, v, &extended));
    cti_bsr_residual_rows(&s->system.A, s->system.b, v, r, 0, s->n);
    for (i = 0; i < 3 * s->n; i++)
        most = fmax(most, fabs((double)r[i])), size = fmax(size, fabs((double)s->system.b[i]));
    free(x);
    return most / size;
}

/* a cube that is torn apart, with damping: the line search follows the potential whose minimum is the step */
static void the_line_search_knows_damping(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id id;
    double left;
    int i;
    (void)state;
    no_gravity(&d);
    d.dcd.newton_iterations = 16, d.dcd.max_substeps = 1, d.solver.tolerance = (ct_real)1e-9;
    w = world_make(&d);
    sd.mesh = &m, sd.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), sd.material.young = (ct_real)1e5;
    sd.material.damping_stiffness = (ct_real)0.1;
    assert_int_equal(ct_body_add_soft(w, &sd, &id), CT_OK);
    step_once(w, 0.02);
    for (i = 0; i < w->state.n; i++)
        w->state.v[3 * i] = 10 * w->state.x[3 * i], w->state.v[3 * i + 1] = 3 * w->state.x[3 * i];
    w->state.energy.known = 0; /* they were those of other velocities */
    step_once(w, 0.02);
    left = step_misses(w);
    print_message("damped step: %.2g left after 16 iterations\n", left);
    assert_true(left < 1e-6);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* with a line search the end of the step is not the last program's solution, which is stored for dumps */
static void the_answer_is_the_programs(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_body_id id;
    int i, k, shortened = 0, programs = 0;
    (void)state;
    d.dcd.newton_iterations = 2, d.dcd.max_substeps = 1, d.solver.tolerance = (ct_real)1e-7;
    w = world_make(&d);
    mesh_place(&m, 0, 0, 0.102, 0);
    sd.mesh = &m, sd.material = ct_material_default(CT_MODEL_STABLE_NEOHOOKEAN), sd.material.young = (ct_real)1e5;
    sd.angular_velocity[1] = 120, sd.velocity[1] = -3;
    assert_int_equal(ct_body_add_soft(w, &sd, &id), CT_OK);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 12; i++) {
        double miss = 0, kkt;
        step_once(w, 0.02);
        if (!w->state.contact.is_solved)
            continue;
        kkt = kkt_of(w, &miss);
        assert_true(kkt < 1e-5 && miss < 1e-6);
        programs++;
        for (k = 0; k < 3 * w->state.n && cti_dcd_of(&w->state)->solve.solution[k] == w->state.v[k]; k++) {
        }
        shortened += k < 3 * w->state.n;
    }
    print_message("programs: %d, %d of them with a shortened step\n", programs, shortened);
    assert_true(shortened > 0);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* finite velocities that are implausible for this world: their body rests, another one goes on, and the report tells */
static void absurd_motions_are_not_committed(void **state)
{
    ct_world_desc d = dcd_desc(1e-3, 0.3);
    ct_world *w;
    ct_step_report r;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1);
    ct_body_id bad, other;
    cti_state *s;
    double v[3], lost = 0;
    int i, n;
    (void)state;
    no_gravity(&d);
    w = world_make(&d);
    bad = add_soft_mesh(w, "bad", &m, 1e5, 0, 0, 0.5);
    mesh_place(&m, 0, 1, 0, 0);
    other = add_soft_mesh(w, "other", &m, 1e5, 0, 0, 3);
    step_once(w, 0.01);
    s = &w->state;
    s->bodies.models[0]->tets.mu = s->bodies.models[0]->tets.lambda = CTI_R(-1e30), s->bodies.models[0]->tets.damping_stiffness = 0;
    s->x[0] += CTI_R(0.01);
    s->energy.known = 0; /* they were those of other positions */
    for (i = 0; i < s->n / 2; i++)
        lost += (double)s->bodies.mass[i] * (double)cti_v3_norm(cti_v3_at(s->v, i));
    assert_int_equal(ct_world_step(w, (ct_real)0.01, &r), CT_OK);
    assert_int_equal(r.status, CT_STATUS_NOT_CONVERGED);
    for (i = 0; i < 3 * s->n; i++)
        assert_true(fabs((double)s->v[i]) < 1e3 && fabs((double)s->x[i]) < 2);
    free(read_vectors(w, bad, 1, &n));
    read_middle(w, other, 1, v);
    print_message("absurd: the other body has %.6f m/s, %d nodes rest, %.6f of %.6f N s lost\n", v[2], r.frozen, (double)r.momentum_lost, lost);
    assert_true(fabs(v[2] - 3) < 1e-9);
    assert_int_equal(r.frozen, n);
    assert_true(fabs((double)r.momentum_lost - lost) < 1e-9 * lost);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* a block without a Cholesky factor: the whole block is replaced, not only its diagonal */
static void a_block_without_a_factor_counts_whole(void **state)
{
    static const double g[3] = {1, 2, -2};
    ct_world_desc d = dcd_desc(1e-3, 0);
    ct_world *w = world_make(&d);
    cti_dcd_solution q;
    cti_state *s;
    ct_real *v;
    double pull = 0;
    int i, k, r, c, b = 5;
    (void)state;
    add_soft_box(w, "cube", 0.2, 2, 1e5, 0, 0.5, 0);
    step_once(w, 0.01);
    s = &w->state;
    for (i = 0; i < s->n; i++)
        for (k = s->system.A.row[i]; k < s->system.A.row[i + 1]; k++)
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++) {
                    if (i == b && s->system.A.col[k] == b)
                        s->system.A.val[9 * k + 3 * r + c] = (ct_real)(g[r] * g[c]);
                    else if (i == b || s->system.A.col[k] == b)
                        s->system.A.val[9 * k + 3 * r + c] = 0;
                }
    v = (ct_real *)calloc((size_t)(3 * s->n), sizeof *v);
    for (r = 0; r < 3; r++)
        s->system.b[3 * b + r] = (ct_real)(18 * g[r]);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    assert_true(cti_dcd_solve(s, (ct_real)1e-10, v, &q));
    for (r = 0; r < 3; r++)
        pull += g[r] * (double)v[3 * b + r];
    assert_true(fabs(pull - 18) < 1e-6 && !q.budget);
    free(v);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_make_rows_orthogonal),
        cmocka_unit_test(pivots_hold_layers_apart),
        cmocka_unit_test(the_line_search_knows_damping),
        cmocka_unit_test(the_answer_is_the_programs),
        cmocka_unit_test(absurd_motions_are_not_committed),
        cmocka_unit_test(a_block_without_a_factor_counts_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
