/* test_joint.c -- joints and stitches: geometry, rows, and whole worlds that hang together. */
#include "world_util.h"
#include "../src/1_math/elem.h"
#include "../src/6_model/joint.h"

#define IS_DOUBLE (sizeof(ct_real) == 8)

/* a rigid box of this size with its centre at (x, y, z) */
static ct_body_id add_rigid_box(ct_world *w, double sx, double sy, double sz, double x, double y, double z, double density, const double *omega)
{
    ct_mesh m = mesh_box(sx, sy, sz, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    int k;
    mesh_place(&m, 0, x, y, z);
    d.mesh = &m;
    d.density = (ct_real)density;
    for (k = 0; omega && k < 3; k++)
        d.angular_velocity[k] = (ct_real)omega[k];
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static ct_joint_desc joint_desc(ct_joint_kind kind, ct_body_id a, ct_body_id b, double x, double y, double z)
{
    ct_joint_desc d = ct_joint_desc_default(kind);
    d.a.body = a, d.b.body = b;
    d.point[0] = (ct_real)x, d.point[1] = (ct_real)y, d.point[2] = (ct_real)z;
    return d;
}

static ct_joint_id join(ct_world *w, const ct_joint_desc *d)
{
    ct_joint_id id = {0, 0};
    ct_code code = ct_joint_add(w, d, &id);
    if (code != CT_OK)
        print_message("ct_joint_add: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

static void pose(const ct_world *w, ct_body_id id, double x[3], double R[9])
{
    ct_real p[3], q[4], M[9];
    int k;
    assert_int_equal(ct_body_get_pose(w, id, p, q), CT_OK);
    M[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), M[1] = 2 * (q[1] * q[2] - q[0] * q[3]), M[2] = 2 * (q[1] * q[3] + q[0] * q[2]);
    M[3] = 2 * (q[1] * q[2] + q[0] * q[3]), M[4] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]), M[5] = 2 * (q[2] * q[3] - q[0] * q[1]);
    M[6] = 2 * (q[1] * q[3] - q[0] * q[2]), M[7] = 2 * (q[2] * q[3] + q[0] * q[1]), M[8] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    for (k = 0; k < 3; k++)
        x[k] = (double)p[k];
    for (k = 0; k < 9; k++)
        R[k] = (double)M[k];
}

/* the point of a body that was at `start` when the body's centre was at c */
static void material_point(const ct_world *w, ct_body_id id, const double c[3], const double start[3], double out[3])
{
    double x[3], R[9];
    int i, j;
    pose(w, id, x, R);
    for (i = 0; i < 3; i++)
        for (out[i] = x[i], j = 0; j < 3; j++)
            out[i] += R[3 * i + j] * (start[j] - c[j]);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- a chain that swings ---- */

enum { LINKS = 10 };
typedef struct chain {
    ct_world *w;
    ct_body_id link[LINKS], world;
    double c[LINKS][3];
} chain;

static void chain_make(chain *s, double angle)
{
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    int i;
    memset(s, 0, sizeof *s);
    s->w = world_make(&d);
    (void)angle;
    for (i = 0; i < LINKS; i++) {
        ct_joint_desc j;
        s->c[i][0] = 0.1 + 0.2 * i;
        s->link[i] = add_rigid_box(s->w, 0.2, 0.03, 0.02, s->c[i][0], 0, 0, 1000, NULL);
        j = joint_desc(CT_JOINT_BALL, s->link[i], i ? s->link[i - 1] : s->world, 0.2 * i, 0, 0);
        join(s->w, &j);
    }
}

static double chain_gap(const chain *s)
{
    double worst = 0;
    int i;
    for (i = 0; i < LINKS; i++) {
        double p[3], q[3] = {0, 0, 0}, at[3] = {0, 0, 0};
        at[0] = 0.2 * i;
        material_point(s->w, s->link[i], s->c[i], at, p);
        if (i)
            material_point(s->w, s->link[i - 1], s->c[i - 1], at, q);
        worst = fmax(worst, distance(p, q));
    }
    return worst;
}

static void a_chain_of_ten_swings(void **state)
{
    chain s;
    int i, sub = 0, bad = 0, its = 0;
    double gap = 0, e0 = 0, lo = 1e30, hi = -1e30;
    double dt = getenv("DT") ? atof(getenv("DT")) : 0.002;
    (void)state;
    chain_make(&s, 0);
    for (i = 0; i < (int)(10/dt); i++) {
        ct_step_report r = step_once(s.w, dt);
        double e = r.energy_kinetic + r.energy_gravity;
        gap = fmax(gap, chain_gap(&s));
        sub += r.substeps > 1, bad += r.status > CT_STATUS_SUBSTEPPED, its += r.cmr_rounds;
        if (i == 0)
            e0 = e;
        lo = fmin(lo, e - e0), hi = fmax(hi, e - e0);
        if (i % (int)(1/dt) == 0)
            printf("t %g status %d gap %g joint_error %g e %g kin %g rounds %d sweeps %d sub %d\n", i * dt, r.status, gap, (double)r.joint_error, e - e0, r.energy_kinetic, r.cmr_rounds, r.solver_sweeps, r.substeps);
    }
    printf("gap %g substepped %d bad %d rounds %d energy %g .. %g of %g\n", gap, sub, bad, its, lo, hi, 10 * 0.12 * 9.81);
    ct_world_destroy(s.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_ten_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
