/* test_fields.c -- stress of elements against closed forms, and impulses of contacts at vertices against Newton's laws. */
#include "../src/1_math/real.h"
#include "world_util.h"

#define MU 3.0e4
#define LAMBDA 5.0e4
#define FLOAT_OR(a, b) (sizeof(ct_real) == 4 ? (a) : (b))

static const double young = MU * (3 * LAMBDA + 2 * MU) / (LAMBDA + MU), poisson = LAMBDA / (2 * (LAMBDA + MU));

/* stress of a box whose nodes are moved by x = F X: all elements have the same, which goes to s [6] */
static void stress_of(ct_model model, const double F[9], double s[6])
{
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_world *w = world_make(&wd);
    ct_soft_desc d = ct_soft_desc_default();
    ct_mesh m = mesh_box(1, 0.5, 0.75, 2, 1, 1, 1);
    ct_real x[3 * 64], out[6 * 128];
    ct_body_id id;
    int i, k, n = m.n_positions, e = m.n_tets;
    assert_true(n <= 64 && e <= 128);
    d.mesh = &m, d.material = ct_material_default(model);
    d.material.young = (ct_real)young, d.material.poisson = (ct_real)poisson;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            x[3 * i + k] = (ct_real)(F[3 * k] * (double)m.positions[3 * i] + F[3 * k + 1] * (double)m.positions[3 * i + 1] +
                                     F[3 * k + 2] * (double)m.positions[3 * i + 2]);
    assert_int_equal(ct_body_set_positions(w, id, x, n), CT_OK);
    assert_int_equal(ct_body_element_count(w, id), e);
    assert_int_equal(ct_body_get_stress(w, id, out, e), CT_OK);
    for (k = 0; k < 6; k++)
        for (s[k] = (double)out[k], i = 0; i < e; i++)
            assert_true(fabs((double)out[6 * i + k] - s[k]) < FLOAT_OR(1e-4, 1e-11) * (MU + LAMBDA));
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void near(const double *s, double xx, double yy, double zz, double xy, double yz, double xz)
{
    const double want[6] = {xx, yy, zz, xy, yz, xz};
    int k;
    for (k = 0; k < 6; k++)
        if (!(fabs(s[k] - want[k]) < FLOAT_OR(2e-4, 1e-10) * (MU + LAMBDA)))
            fail_msg("stress %d is %.9g, expected %.9g", k, s[k], want[k]);
}

/* principal Cauchy stresses of stretches a, b, b from the derivatives of the energy: s_i = a_i / J dpsi / da_i */
static void principal(ct_model model, double a, double b, double *sa, double *sb)
{
    const double J = a * b * b, I = a * a + 2 * b * b, tr = a + 2 * b - 3, kappa = LAMBDA + 2 * MU / 3;
    const double m = 4 * MU / 3, l = LAMBDA + 5 * MU / 6, alpha = 1 + m / l - m / (4 * l), te = (a * a + 2 * b * b - 3) / 2;
    const double x[2] = {a, b};
    double s[2];
    int i;
    for (i = 0; i < 2; i++) {
        double q = x[i];
        if (model == CT_MODEL_COROTATIONAL)
            s[i] = q / J * (2 * MU * (q - 1) + LAMBDA * tr);
        else if (model == CT_MODEL_STVK)
            s[i] = q * q / J * (MU * (q * q - 1) + LAMBDA * te);
        else if (model == CT_MODEL_NEOHOOKEAN)
            s[i] = (MU * (q * q - 1) + LAMBDA * log(J)) / J;
        else if (model == CT_MODEL_STABLE_NEOHOOKEAN)
            s[i] = m * (1 - 1 / (I + 1)) * q * q / J + l * (J - alpha);
        else
            s[i] = MU * pow(J, -5.0 / 3) * (q * q - I / 3) + kappa * (J - 1);
    }
    *sa = s[0], *sb = s[1];
}

static const ct_model solids[] = {CT_MODEL_COROTATIONAL, CT_MODEL_STVK, CT_MODEL_NEOHOOKEAN, CT_MODEL_STABLE_NEOHOOKEAN, CT_MODEL_HONG_NEOHOOKEAN};

/* stretched along one axis, and by all three alike: hydrostatic */
static void stretch(void **state)
{
    static const double cases[][2] = {{1.3, 1}, {0.8, 1}, {1.2, 0.9}, {1.1, 1.1}, {0.9, 0.9}};
    double s[6], sa, sb;
    int i, k;
    (void)state;
    for (i = 0; i < 5; i++)
        for (k = 0; k < 5; k++) {
            const double F[9] = {cases[k][0], 0, 0, 0, cases[k][1], 0, 0, 0, cases[k][1]};
            stress_of(solids[i], F, s);
            principal(solids[i], cases[k][0], cases[k][1], &sa, &sb);
            near(s, sa, sb, sb, 0, 0, 0);
            if (k > 2)
                assert_true(fabs(s[0] - s[1]) < FLOAT_OR(1e-4, 1e-10) * (MU + LAMBDA));
        }
}

/* simple shear x = X + g Y. Neo-Hookean solids have mu g and mu g^2 alone, StVK's S = 2 mu E + lambda tr E is pushed forward by hand; for all models
   the shear stress begins as mu g, and normal stresses as g^2 */
static void shear(void **state)
{
    const double g = 0.4, small = 1e-3;
    const double F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, G[9] = {1, small, 0, 0, 1, 0, 0, 0, 1};
    const double tr = LAMBDA * g * g / 2, s11 = tr, s12 = MU * g, s22 = MU * g * g + tr;
    double s[6];
    int i;
    (void)state;
    stress_of(CT_MODEL_NEOHOOKEAN, F, s);
    near(s, MU * g * g, 0, 0, MU * g, 0, 0);
    stress_of(CT_MODEL_HONG_NEOHOOKEAN, F, s); /* the deviator of the same */
    near(s, MU * g * g * 2 / 3, -MU * g * g / 3, -MU * g * g / 3, MU * g, 0, 0);
    stress_of(CT_MODEL_STVK, F, s);
    near(s, s11 + 2 * g * s12 + g * g * s22, s22, tr, s12 + g * s22, 0, 0);
    for (i = 0; i < 5; i++) {
        stress_of(solids[i], G, s);
        assert_true(fabs(s[3] - MU * small) < FLOAT_OR(1e-1, 1e-3) * MU * small + FLOAT_OR(10, 0));
        assert_true(fabs(s[0]) + fabs(s[1]) + fabs(s[2]) < 10 * (MU + LAMBDA) * small * small + FLOAT_OR(20, 0));
    }
}

/* a rotation Q turns the stress: s(Q F) = Q s(F) Q'; about z by 90 degrees xx and yy change places, and xy its sign */
static void turned(void **state)
{
    const double F[9] = {1.2, 0.3, 0, 0, 0.9, 0, 0, 0, 1}, Q[9] = {0, -0.9, 0, 1.2, 0.3, 0, 0, 0, 1};
    double s[6], t[6];
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        stress_of(solids[i], F, s);
        stress_of(solids[i], Q, t);
        near(t, s[1], s[0], s[2], -s[3], s[5], -s[4]);
    }
}

/* a sheet pulled along x by a, its width kept: S = Y E, s = a S / t, and across nu times that, over a; half as thick, the same stress */
static void sheet(void **state)
{
    const double a = 1.2, E = (a * a - 1) / 2, nu = 0.3, Y = 8e5 / (1 - nu * nu);
    double t;
    (void)state;
    for (t = 1e-3; t > 4e-4; t /= 2) {
        ct_world_desc wd = world_desc(1e-3, 0, NULL);
        ct_world *w = world_make(&wd);
        ct_cloth_desc d = ct_cloth_desc_default();
        ct_mesh m = mesh_grid(1, 1, 2, 2);
        ct_real x[3 * 9], out[6 * 8];
        int32_t nodes[3 * 8];
        ct_body_id id;
        int i;
        d.mesh = &m, d.material = ct_material_default(CT_MODEL_MEMBRANE);
        d.material.young = CTI_R(8e5), d.material.poisson = CTI_R(0.3), d.material.shell_thickness = (ct_real)t;
        assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
        for (i = 0; i < 27; i++)
            x[i] = m.positions[i] * (ct_real)(i % 3 ? 1 : a);
        assert_int_equal(ct_body_set_positions(w, id, x, 9), CT_OK);
        assert_int_equal(ct_body_element_count(w, id), 8);
        assert_int_equal(ct_body_get_elements(w, id, nodes, 8), CT_OK);
        assert_memory_equal(nodes, m.triangles, sizeof nodes);
        assert_int_equal(ct_body_get_stress(w, id, out, 8), CT_OK);
        for (i = 0; i < 8; i++) {
            assert_true(fabs((double)out[6 * i] - a * Y * E) < FLOAT_OR(1e-4, 1e-10) * Y);
            assert_true(fabs((double)out[6 * i + 2] - nu * Y * E / a) < FLOAT_OR(1e-4, 1e-10) * Y);
            assert_true(fabs((double)out[6 * i + 1]) + fabs((double)out[6 * i + 3]) + fabs((double)out[6 * i + 5]) < FLOAT_OR(100, 1e-5));
        }
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a tet turned inside out exerts the forces of its energy: their sum over a corner's faces is what its stress by its areas gives */
static void inverted(void **state)
{
    const double F[9] = {-0.5, 0, 0, 0, 1, 0, 0, 0, 1};
    double s[6];
    (void)state;
    stress_of(CT_MODEL_STABLE_NEOHOOKEAN, F, s);
    assert_true(s[0] - s[0] == 0);
    {
        const double m = 4 * MU / 3, l = LAMBDA + 5 * MU / 6, alpha = 1 + m / l - m / (4 * l), J = -0.5, I = 2.25;
        near(s, m * (1 - 1 / (I + 1)) * 0.25 / 0.5 + l * (J - alpha) * -1, m * (1 - 1 / (I + 1)) / 0.5 - l * (J - alpha),
             m * (1 - 1 / (I + 1)) / 0.5 - l * (J - alpha), 0, 0, 0);
    }
}

/* a box stretched alike everywhere: the forces on the nodes of a face sum to the stress times the area of the face, and on all nodes to nothing */
static void faces(void **state)
{
    const double a = 1.3, b = 0.9;
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        ct_world_desc wd = world_desc(1e-3, 0, NULL);
        ct_world *w = world_make(&wd);
        ct_soft_desc d = ct_soft_desc_default();
        ct_mesh m = mesh_box(1, 0.5, 0.75, 2, 1, 1, 1);
        ct_real x[3 * 64], f[3 * 64];
        double end[3] = {0, 0, 0}, all[3] = {0, 0, 0}, sa, sb;
        ct_body_id id;
        int j, k, n = m.n_positions;
        d.mesh = &m, d.material = ct_material_default(solids[i]);
        d.material.young = (ct_real)young, d.material.poisson = (ct_real)poisson;
        assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
        for (j = 0; j < 3 * n; j++)
            x[j] = m.positions[j] * (ct_real)(j % 3 ? b : a);
        assert_int_equal(ct_body_set_positions(w, id, x, n), CT_OK);
        assert_int_equal(ct_body_get_elastic_forces(w, id, f, n), CT_OK);
        for (j = 0; j < n; j++)
            for (k = 0; k < 3; k++) {
                all[k] += (double)f[3 * j + k];
                end[k] += m.positions[3 * j] > CTI_R(0.49) ? (double)f[3 * j + k] : 0;
            }
        principal(solids[i], a, b, &sa, &sb);
        /* tension pulls the end inward */
        assert_true(fabs(end[0] + sa * (0.5 * b) * (0.75 * b)) < FLOAT_OR(1e-3, 1e-10) * (MU + LAMBDA));
        assert_true(fabs(all[0]) + fabs(all[1]) + fabs(all[2]) < FLOAT_OR(1e-3, 1e-10) * (MU + LAMBDA));
        assert_int_equal(ct_body_get_elastic_forces(w, id, f, n - 1), CT_ERR_ARGUMENT);
        ct_mesh_free(&m);
        ct_world_destroy(w);
    }
}

/* a cloth of springs and a rod that hang from a node at rest: their elements hold each node's weight */
static void hanging(void **state)
{
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_world *w = world_make(&wd);
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_mesh m = mesh_grid(0.2, 0.2, 2, 2);
    const int32_t top[3] = {0, 1, 2};
    ct_real f[3 * 9], mass[9];
    ct_body_id id;
    int i;
    (void)state;
    d.mesh = &m, d.material = ct_material_default(CT_MODEL_SPRINGS), d.material.damping_mass = 20;
    assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
    assert_int_equal(ct_body_pin(w, id, top, 3, CT_AXIS_ALL, NULL, -1), CT_OK);
    for (i = 0; i < 600; i++)
        assert_int_equal(ct_world_step(w, CTI_R(0.01), NULL), CT_OK);
    assert_int_equal(ct_body_get_elastic_forces(w, id, f, 9), CT_OK);
    assert_int_equal(ct_body_get_masses(w, id, mass, 9), CT_OK);
    for (i = 3; i < 9; i++)
        assert_true(fabs((double)f[3 * i + 1] / (9.81 * (double)mass[i]) - 1) < FLOAT_OR(0.02, 1e-3));
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

static void refused(void **state)
{
    ct_world_desc wd = world_desc(1e-3, 0, NULL);
    ct_world *w = world_make(&wd);
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_cloth_desc cd = ct_cloth_desc_default();
    ct_mesh box = mesh_box(1, 1, 1, 1, 1, 1, 0), grid = mesh_grid(1, 1, 1, 1);
    const ct_body_id stale = {1, 99};
    ct_body_id rigid, cloth;
    ct_real out[64];
    int32_t nodes[64];
    (void)state;
    rd.mesh = &box, rd.name = "crate";
    assert_int_equal(ct_body_add_rigid(w, &rd, &rigid), CT_OK);
    mesh_place(&grid, 0, 0, 3, 0);
    cd.mesh = &grid, cd.material = ct_material_default(CT_MODEL_SPRINGS);
    assert_int_equal(ct_body_add_cloth(w, &cd, &cloth), CT_OK);
    assert_int_equal(ct_body_get_stress(w, rigid, out, 1), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "soft bodies and cloths"));
    assert_int_equal(ct_body_get_stress(w, cloth, out, 2), CT_ERR_UNSUPPORTED);
    assert_non_null(strstr(ct_world_error(w)->text, "CT_MODEL_MEMBRANE"));
    assert_int_equal(ct_body_get_stress(w, cloth, out, 3), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_elements(w, cloth, nodes, 2), CT_OK);
    assert_int_equal(ct_body_get_elements(w, cloth, NULL, 2), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_stress(w, stale, out, 2), CT_ERR_STALE_ID);
    assert_int_equal(ct_body_get_contact_impulses(w, cloth, out, 3), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_elastic_forces(w, rigid, out, 8), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_element_count(w, rigid) + ct_body_element_count(w, stale), 0);
    ct_mesh_free(&box), ct_mesh_free(&grid);
    ct_world_destroy(w);
}

/* a body at rest on another: the impulses at its vertices sum to m g dt, those of the one below to minus that and what the floor gives */
static void weights(void **state)
{
    ct_world_desc wd = world_desc(1e-3, 0.5, NULL);
    ct_world *w = world_make(&wd);
    ct_soft_desc sd = ct_soft_desc_default();
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_static_desc td = ct_static_desc_default();
    ct_mesh jelly = mesh_box(0.2, 0.2, 0.2, 2, 2, 2, 1), plate = mesh_box(0.3, 0.05, 0.3, 2, 1, 2, 0), floor = mesh_box(1, 0.1, 1, 1, 1, 1, 0);
    ct_body_id soft, rigid, ground;
    ct_real a[3 * 64], b[3 * 64], c[3 * 64];
    double sums[3][3], mass[2];
    int i, k, n[3];
    (void)state;
    mesh_place(&floor, 0, 0, -0.05, 0), mesh_place(&plate, 0, 0, 0.026, 0), mesh_place(&jelly, 0, 0, 0.152, 0);
    td.mesh = &floor, rd.mesh = &plate, sd.mesh = &jelly;
    sd.material = ct_material_default(CT_MODEL_COROTATIONAL), sd.material.damping_mass = 5;
    assert_int_equal(ct_body_add_static(w, &td, &ground), CT_OK);
    assert_int_equal(ct_body_add_rigid(w, &rd, &rigid), CT_OK);
    assert_int_equal(ct_body_add_soft(w, &sd, &soft), CT_OK);
    for (i = 0; i < 300; i++)
        assert_int_equal(ct_world_step(w, CTI_R(0.01), NULL), CT_OK);
    n[0] = ct_body_vertex_count(w, soft), n[1] = ct_body_vertex_count(w, rigid), n[2] = ct_body_vertex_count(w, ground);
    assert_true(n[0] <= 64 && n[1] <= 64 && n[2] <= 64);
    assert_int_equal(ct_body_get_contact_impulses(w, soft, a, n[0]), CT_OK);
    assert_int_equal(ct_body_get_contact_impulses(w, rigid, b, n[1]), CT_OK);
    assert_int_equal(ct_body_get_contact_impulses(w, ground, c, n[2]), CT_OK);
    memset(sums, 0, sizeof sums);
    for (k = 0; k < 3; k++) {
        for (i = 0; i < n[0]; i++)
            sums[0][k] += (double)a[3 * i + k];
        for (i = 0; i < n[1]; i++)
            sums[1][k] += (double)b[3 * i + k];
        for (i = 0; i < n[2]; i++)
            sums[2][k] += (double)c[3 * i + k];
    }
    mass[0] = (double)ct_body_get_mass(w, soft), mass[1] = (double)ct_body_get_mass(w, rigid);
    assert_true(fabs(sums[0][1] / (mass[0] * 9.81 * 0.01) - 1) < 0.02);
    assert_true(fabs(sums[1][1] / (mass[1] * 9.81 * 0.01) - 1) < 0.02);
    /* action and reaction, to rounding */
    for (k = 0; k < 3; k++)
        assert_true(fabs(sums[0][k] + sums[1][k] + sums[2][k]) < FLOAT_OR(1e-4, 1e-12) * mass[1]);
    ct_mesh_free(&jelly), ct_mesh_free(&plate), ct_mesh_free(&floor);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretch),  cmocka_unit_test(shear),   cmocka_unit_test(turned), cmocka_unit_test(sheet),
                                       cmocka_unit_test(inverted), cmocka_unit_test(refused), cmocka_unit_test(weights),
                                       cmocka_unit_test(faces),    cmocka_unit_test(hanging)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
