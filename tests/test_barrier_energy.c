/* test_barrier_energy.c -- the incremental potential of CT_STEPPER_BARRIER as a whole: its gradient and Hessian against finite differences,
   for bodies, contacts, friction with anchors, joints and affine bodies; each of these alone; the projected Hessian has no negative
   eigenvalue. Double only. */
#include "world_util.h"
#include "../src/8_barrier/barrier.h"
#include "../src/9_world/world.h"
#include "../src/1_math/eig3.h"

static uint64_t seed = 11;
static double rnd(void) { return lcg(&seed) * 2 - 1; }

/* a world in the middle of a step: everything that an iteration begins with, at the end of the last one; exact: which Hessian */
typedef struct step {
    ct_world *w;
    cti_state *s;
    cti_barrier *b;
    ct_real *y; /* [3 n] the iterate */
} step;

/* the surface at y, active pairs */
static void step_go(step *q, const ct_real *y)
{
    cti_barrier_place(q->s, y, q->s->surface.x1);
    assert_int_equal(cti_barrier_cover(q->s, q->s->surface.x1), 1);
    cti_surface_commit(&q->s->surface);
    assert_int_equal(cti_barrier_find(q->s, q->s->surface.x0), 1);
    memcpy(q->b->y, y, sizeof *y * 3 * (size_t)q->b->n);
}

/* move: how far the iterate is from the start of the step, as a share of the motion without forces and at random [m] */
static void step_make(step *q, ct_world *w, double h, double share, double noise)
{
    ct_step_report r;
    int i;
    q->w = w, q->s = &w->state, q->b = cti_barrier_own(q->s);
    cti_arena_reset(q->s->arena);
    memset(&r, 0, sizeof r);
    q->s->step.until = q->s->step.time + h, q->s->step.left = (ct_real)h;
    assert_int_equal(cti_assemble_pins(q->s, (ct_real)h), 1);
    cti_barrier_load(q->s, (ct_real)h);
    memcpy(q->b->surface.x_start, q->s->surface.x0, sizeof(ct_real) * 3 * (size_t)q->s->surface.nv);
    cti_barrier_joints_open(q->s);
    q->y = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)q->b->n);
    assert_non_null(q->y);
    for (i = 0; i < 3 * q->b->n; i++)
        q->y[i] = q->b->y0[i] + (ct_real)(share * (double)(q->b->y_hat[i] - q->b->y0[i]) + noise * rnd());
    step_go(q, q->b->y0);
    assert_int_equal(cti_barrier_lag(q->s), 1);
    step_go(q, q->y);
    q->b->matrix.exact = 1, q->b->matrix.sigma = 0;
    assert_int_equal(cti_barrier_assemble(q->s, NULL, &r), 1);
}

static void step_free(step *q)
{
    free(q->y);
    ct_world_destroy(q->w);
}

/* what is compared: the whole, or the joints alone */
typedef enum part { WHOLE, JOINTS } part;

static double energy_of(step *q, part what, const ct_real *y)
{
    double size = 0;
    if (what == JOINTS)
        return cti_barrier_joints_energy(q->s, y, &size);
    step_go(q, y);
    return cti_barrier_energy(q->s, y, q->s->surface.x0, &size);
}

/* g [3 n] and B at y */
static void assemble(step *q, part what, const ct_real *y)
{
    ct_step_report r;
    cti_arena_point mark = cti_arena_mark(q->s->arena);
    memset(&r, 0, sizeof r);
    if (what == JOINTS) {
        memcpy(q->b->y, y, sizeof *y * 3 * (size_t)q->b->n);
        memset(q->b->g, 0, sizeof *y * 3 * (size_t)q->b->n);
        memset(q->b->hessian.B.val, 0, sizeof *y * 9 * (size_t)q->b->hessian.B.row[q->b->n]);
        cti_barrier_joints_assemble(q->s);
    } else {
        step_go(q, y);
        assert_int_equal(cti_barrier_assemble(q->s, NULL, &r), 1);
    }
    cti_arena_rewind(q->s->arena, mark);
}

/* out += what the projection of contacts' Hessians dropped, times d */
static void add_dropped(step *q, const ct_real *d, ct_real *out)
{
    const cti_barrier *b = q->b;
    int i, j, k, l;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++) {
        const cti_barrier_term *t = &b->contact.terms[i];
        cti_potential_terms exact, projected;
        ct_real u[12], f[12];
        int n3 = 3 * t->pair.n;
        if (!cti_barrier_eval(q->s, t, q->s->surface.x0, CTI_POTENTIAL_EXACT, &exact))
            continue;
        cti_barrier_eval(q->s, t, q->s->surface.x0, CTI_POTENTIAL_PROJECTED, &projected);
        memset(u, 0, sizeof u), memset(f, 0, sizeof f);
        for (j = 0; j < t->pair.n; j++) {
            const cti_attach *a = cti_barrier_of(q->s, b, t->pair.v[j]);
            for (k = 0; k < a->n; k++)
                for (l = 0; l < 3; l++)
                    u[3 * j + l] += a->weight[k] * d[3 * a->block[k] + l];
        }
        for (j = 0; j < n3; j++)
            for (k = 0; k < n3; k++)
                f[j] += (exact.hessian[n3 * j + k] - projected.hessian[n3 * j + k]) * u[k];
        for (j = 0; j < t->pair.n; j++) {
            const cti_attach *a = cti_barrier_of(q->s, b, t->pair.v[j]);
            for (k = 0; k < a->n; k++)
                for (l = 0; l < 3; l++)
                    out[3 * a->block[k] + l] += a->weight[k] * f[3 * j + l];
        }
    }
}

/* Along random directions of `reach` m: g against differences of the energy, B d against differences of g. Differences of the energy are
   rounded by its size, so the step is the one that serves each best. Returns the largest relative error */
static double differences(step *q, part what, double reach, int directions)
{
    int n = 3 * q->b->n, i, k;
    ct_real *d = (ct_real *)malloc(sizeof(ct_real) * 5 * (size_t)n), *at = d + n, *g = d + 2 * n, *up = d + 3 * n, *Bd = d + 4 * n;
    double worst = 0;
    assert_non_null(d);
    for (k = 0; k < directions; k++) {
        double slope = 0, size = 0, err = 0, big = 0, e1, e2, third, fourth;
        for (i = 0; i < n; i++)
            d[i] = (ct_real)(reach * rnd());
        assemble(q, what, q->y);
        memcpy(g, q->b->g, sizeof *g * (size_t)n);
        cti_bsr_mul(&q->b->hessian.B, d, Bd);
        if (what == WHOLE)
            add_dropped(q, d, Bd);
        for (i = 0; i < n; i++)
            slope += (double)(g[i] * d[i]), size += fabs((double)(g[i] * d[i]));
        /* fourth order: (8 (e1 - e-1) - (e2 - e-2)) / 12 */
        for (i = 0; i < n; i++)
            at[i] = q->y[i] + d[i];
        e1 = energy_of(q, what, at);
        for (i = 0; i < n; i++)
            at[i] = q->y[i] - d[i];
        e1 -= energy_of(q, what, at);
        for (i = 0; i < n; i++)
            at[i] = q->y[i] + 2 * d[i];
        third = energy_of(q, what, at);
        for (i = 0; i < n; i++)
            at[i] = q->y[i] - 2 * d[i];
        fourth = energy_of(q, what, at);
        e2 = (8 * e1 - (third - fourth)) / 12;
        worst = fmax(worst, fabs(e2 - slope) / size);
        if (getenv("V"))
        for (i = 0; i < n; i++)
            at[i] = q->y[i] + d[i] / 16;
        assemble(q, what, at);
        memcpy(up, q->b->g, sizeof *g * (size_t)n);
        for (i = 0; i < n; i++)
            at[i] = q->y[i] - d[i] / 16;
        assemble(q, what, at);
        for (i = 0; i < n; i++) {
            err = fmax(err, fabs((double)((up[i] - q->b->g[i]) * 8 - Bd[i])));
            big = fmax(big, fabs((double)Bd[i]));
        }
        if (getenv("V"))
        worst = fmax(worst, err / big);
    }
    free(d);
    return worst;
}

static ct_world *make(double dhat, double friction, int hold)
{
    ct_world_desc d = world_desc(dhat, friction, NULL);
    d.stepper = CT_STEPPER_BARRIER;
    d.barrier.static_hold = hold, d.barrier.friction_velocity = 0.1;
    return world_make(&d);
}

static ct_body_id add_rigid(ct_world *w, double x, double y, double z, double turn)
{
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = &m, d.name = "brick";
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z;
    d.rotation[0] = (ct_real)cos(turn / 2), d.rotation[1] = (ct_real)(sin(turn / 2) * 0.6), d.rotation[2] = (ct_real)(sin(turn / 2) * 0.8);
    d.angular_velocity[0] = 1, d.angular_velocity[1] = 2, d.velocity[0] = (ct_real)0.3;
    assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

/* without damping, whose Hessian is one of other positions */
static ct_body_id add_soft(ct_world *w, ct_model model, double x, double y, double z)
{
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 2, 2, 2, 1);
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    mesh_place(&m, 0, x, y, z);
    d.name = "soft", d.mesh = &m, d.material = ct_material_default(model);
    d.material.young = (ct_real)1e4, d.material.poisson = (ct_real)0.4, d.material.density = 1000;
    d.material.damping_mass = 1, d.material.damping_stiffness = 0;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    ct_mesh_free(&m);
    return id;
}

static void report(const char *name, double worst)
{
    if (!(worst < 1e-6))
        print_message("%s: %g\n", name, worst);
    assert_true(worst < 1e-6);
}

/* soft boxes on each other and on a plane, slipping, with anchors */
static void bodies_contacts_and_friction(void **state)
{
    int hold, i, k;
    (void)state;
    for (k = 0; k < 2; k++)
        for (hold = 0; hold < 2; hold++) {
            ct_world *w = make(4e-3, 0.5, hold);
            step q;
            add_plane(w, 0, 1, 0, 0);
            if (k) {
                add_rigid(w, 0, 0.0521, 0, 0), add_rigid(w, 0.021, 0.155, 0.013, 0);
            } else {
                add_soft(w, CT_MODEL_NEOHOOKEAN, 0, 0.0521, 0);
                add_soft(w, CT_MODEL_STABLE_NEOHOOKEAN, 0.021, 0.155, 0.013);
            }
            for (i = 0; i < 4; i++)
                step_once(w, 0.01);
            step_make(&q, w, 0.01, 0.1, 1e-6);
            assert_true(CTI_LEN(q.b->contact.terms) > 6 && CTI_LEN(q.b->contact.rubs) > 6);
            report(k ? "rigid" : "soft", differences(&q, WHOLE, 1e-6, 6));
            step_free(&q);
        }
}

/* a body alone: its inertia, and the energy that keeps it near a rotation, strained by a thousandth; with damping of its mass */
static void affine_bodies(void **state)
{
    ct_world *w = make(1e-3, 0, 0);
    step q;
    (void)state;
    add_rigid(w, 0, 0, 0, 0.7);
    step_once(w, 0.01);
    step_make(&q, w, 0.01, 1, 1e-3);
    report("affine", differences(&q, WHOLE, 1e-5, 6));
    step_free(&q);
}

static ct_joint_id join(ct_world *w, ct_joint_desc *d, ct_body_id a, ct_body_id b)
{
    ct_joint_id id = {0, 0};
    d->a.body = a, d->b.body = b;
    assert_int_equal(ct_joint_add(w, d, &id), CT_OK);
    return id;
}

/* ties of every kind, with multipliers of a step and at random positions. kind -1: a stitch with a length; press: shorter than that; most:
   the largest force [h^2 N], 0: of the body */
static double joint_error(int kind, double compliance, int press, double most, int *capped)
{
    ct_world *w = make(1e-3, 0, 0);
    ct_body_id a = add_rigid(w, 0, 0, 0, 0.7), b = add_rigid(w, 0.2, 0, 0, 0.4);
    ct_joint_desc d = ct_joint_desc_default(kind < 0 ? CT_JOINT_STITCH : (ct_joint_kind)kind);
    double worst;
    step q;
    int i;
    if (kind < 0) {
        d.a.vertices[0] = 1, d.b.vertices[0] = 6, d.rest_length = (ct_real)(press ? 0.3 : 0.1);
    } else
        d.point[0] = (ct_real)0.1;
    d.compliance = (ct_real)compliance, d.angular_compliance = (ct_real)compliance;
    join(w, &d, a, b);
    step_once(w, 0.01);
    step_make(&q, w, 0.01, 1, 1e-3);
    for (*capped = i = 0; i < CTI_LEN(q.b->joints.ties); i++) {
        cti_barrier_tie *t = &q.b->joints.ties[i];
        t->most = most > 0 ? (ct_real)most : t->most;
        t->m[0] = (ct_real)(press ? -0.7 : 0.7), t->m[1] = (ct_real)(kind < 0 ? 0 : -0.4);
        t->k = t->soft > 0 ? t->k : 20, t->k_first = 20;
        *capped += most > 0;
    }
    worst = differences(&q, JOINTS, 1e-5, 6);
    step_free(&q);
    return worst;
}

static void joints_alone(void **state)
{
    int kind, capped;
    (void)state;
    for (kind = -1; kind < 3; kind++) {
        report("joint", joint_error(kind, 0, 0, 0, &capped));
        report("spring", joint_error(kind, 1e-4, 0, 0, &capped));
        report("capped joint", joint_error(kind, 0, 0, 0.3, &capped));
        assert_true(capped > 0);
    }
    report("pressed stitch", joint_error(-1, 0, 1, 0, &capped));
    report("capped pressed stitch", joint_error(-1, 0, 1, 0.3, &capped));
}

/* the energy of a joint and its force where its force reaches the most that it may be */
static void a_cap_is_continuous(void **state)
{
    ct_world *w = make(1e-3, 0, 0);
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    ct_body_id a = add_rigid(w, 0, 0, 0, 0.7), none = {0, 0};
    cti_barrier_tie *t;
    double size, e[2], e0;
    ct_real *g, f = 0;
    step q;
    int i, k;
    (void)state;
    join(w, &d, a, none);
    step_once(w, 0.01);
    step_make(&q, w, 0.01, 1, 1e-3);
    t = &q.b->joints.ties[0];
    memset(t->m, 0, sizeof t->m);
    t->k = t->k_first = 20;
    assemble(&q, JOINTS, q.y);
    for (k = 0; k < 3; k++)
        f += q.b->g[3 * q.b->layout.affines[0].block + k] * q.b->g[3 * q.b->layout.affines[0].block + k];
    f = cti_sqrt(f);
    g = (ct_real *)malloc(sizeof *g * 3 * (size_t)q.b->n);
    assert_non_null(g);
    memcpy(g, q.b->g, sizeof *g * 3 * (size_t)q.b->n);
    e0 = energy_of(&q, JOINTS, q.y);
    for (i = 0; i < 2; i++) {
        t->most = f * (ct_real)(1 + (i ? 1e-9 : -1e-9));
        e[i] = cti_barrier_joints_energy(q.s, q.y, &size);
        assert_true(fabs(e[i] - e0) < 1e-15 * fabs(e0) + 1e-17);
        assemble(&q, JOINTS, q.y);
        for (k = 0; k < 3 * q.b->n; k++)
            assert_true(fabs((double)(q.b->g[k] - g[k])) <= 2e-9 * (double)f);
    }
    free(g);
    step_free(&q);
}

/* the law of friction with an anchor: force and Hessian in the tangent plane, which has no negative eigenvalue, and at the friction
 * velocity no jump */
static void friction_in_its_plane(void **state)
{
    const ct_real reach = 1e-3;
    cti_barrier_rub q;
    int i, j, k;
    (void)state;
    memset(&q, 0, sizeof q);
    q.load = 3;
    for (i = 0; i < 200; i++) {
        ct_real u[2], f[2], H[4], up[2], down[2], none[4], h = 1e-9, d[2];
        double size, e1, rate, slope, trace;
        u[0] = (ct_real)(2e-3 * rnd()), u[1] = (ct_real)(2e-3 * rnd());
        size = sqrt((double)(u[0] * u[0] + u[1] * u[1]));
        if (fabs(size / (double)reach - 1) < 1e-3)
            continue;
        cti_barrier_rub_derive(&q, reach, u, f, H);
        for (j = 0; j < 2; j++) {
            memcpy(d, u, sizeof d);
            d[j] += h * 100;
            e1 = cti_friction_value(sqrt((double)(d[0] * d[0] + d[1] * d[1])), (double)reach, &rate, &slope);
            d[j] = u[j] - h * 100;
            e1 -= cti_friction_value(sqrt((double)(d[0] * d[0] + d[1] * d[1])), (double)reach, &rate, &slope);
            assert_true(fabs((double)q.load * e1 / (200 * (double)h) - (double)f[j]) < 1e-6 * (double)q.load);
            d[j] = u[j] + h;
            cti_barrier_rub_derive(&q, reach, d, up, none);
            d[j] = u[j] - h;
            cti_barrier_rub_derive(&q, reach, d, down, none);
            for (k = 0; k < 2; k++)
                assert_true(fabs((double)((up[k] - down[k]) / (2 * h) - H[2 * k + j])) < 1e-6 * 2 * (double)(q.load / reach));
        }
        trace = (double)(H[0] + H[3]);
        assert_true(trace >= 0 && (double)(H[0] * H[3] - H[1] * H[2]) >= -1e-12 * trace * trace);
        /* just below and above the friction velocity, along u */
        for (j = 0; j < 2; j++)
            u[j] *= (ct_real)((double)reach / size);
        for (k = 0; k < 2; k++) {
            d[0] = u[0] * (ct_real)(1 + (k ? 1e-9 : -1e-9)), d[1] = u[1] * (ct_real)(1 + (k ? 1e-9 : -1e-9));
            cti_barrier_rub_derive(&q, reach, d, k ? up : down, k ? none : H);
        }
        assert_true(fabs((double)(up[0] - down[0])) < 1e-8 * (double)q.load);
        for (k = 0; k < 4; k++)
            assert_true(fabs((double)(H[k] - none[k])) < 1e-8 * (double)(q.load / reach));
    }
}

/* x'Bx of random x, and the factor's signs, in the worlds of the first test and of a pressed stitch. projected: not exact */
static void projected_hessians_are_semidefinite(void **state)
{
    ct_step_report report;
    int k, i, j, definite;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = make(4e-3, 0.5, 1);
        step q;
        ct_real *d, *Bd;
        double least = 0, most = 0;
        add_plane(w, 0, 1, 0, 0);
        if (k == 0)
            add_soft(w, CT_MODEL_NEOHOOKEAN, 0, 0.0521, 0), add_soft(w, CT_MODEL_STVK, 0.021, 0.155, 0.013);
        else {
            ct_body_id a = add_rigid(w, 0, 0.0521, 0, 0), b = add_rigid(w, 0.021, 0.155, 0.013, 0);
            ct_joint_desc jd = ct_joint_desc_default(CT_JOINT_STITCH);
            jd.a.vertices[0] = 6, jd.b.vertices[0] = 1, jd.rest_length = (ct_real)0.3;
            if (k == 2)
                join(w, &jd, a, b);
        }
        for (i = 0; i < 4; i++)
            step_once(w, 0.01);
        step_make(&q, w, 0.01, 0.1, 1e-3 * (k == 0));
        q.b->matrix.exact = 0;
        assemble(&q, WHOLE, q.y);
        d = (ct_real *)malloc(sizeof *d * 6 * (size_t)q.b->n);
        assert_non_null(d);
        Bd = d + 3 * q.b->n;
        for (i = 0; i < 500; i++) {
            double sum = 0;
            for (j = 0; j < 3 * q.b->n; j++)
                d[j] = (ct_real)rnd();
            cti_bsr_mul(&q.b->hessian.B, d, Bd);
            for (j = 0; j < 3 * q.b->n; j++)
                sum += (double)(d[j] * Bd[j]);
            least = fmin(least, sum), most = fmax(most, sum);
        }
        assert_true(least >= 0 && most > 0);
        memset(&report, 0, sizeof report);
        assert_int_equal(cti_barrier_solve(q.s, &definite, &report), 1);
        assert_int_equal(definite, 1);
        free(d);
        step_free(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_contacts_and_friction),
        cmocka_unit_test(affine_bodies),
        cmocka_unit_test(joints_alone),
        cmocka_unit_test(a_cap_is_continuous),
        cmocka_unit_test(friction_in_its_plane),
        cmocka_unit_test(projected_hessians_are_semidefinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
