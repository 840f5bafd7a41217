/* test_own.c -- pairs within one body (own.c): none is missing while a sheet flies, spins, curls until its ends meet, and is stopped in part; and a
   body that keeps its shape renews nothing. */
#include "../src/7_contact/detect.h"
#include "step_util.h"

enum { CELLS = 12 };
static const double SIDE = 0.24, H = 0.004, PI = 3.14159265358979;

static cti_state *sheet(ct_world *w)
{
    ct_mesh mesh;
    ct_cloth_desc d = ct_cloth_desc_default();
    const ct_real size[2] = {(ct_real)SIDE, (ct_real)SIDE};
    const int cells[2] = {CELLS, CELLS};
    ct_body_id id;
    assert_int_equal(ct_mesh_grid(size, cells, &mesh, NULL), CT_OK);
    d.mesh = &mesh, d.thickness = (ct_real)H;
    assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
    ct_mesh_free(&mesh);
    return step_ready(w, STEP_DT);
}

/* the sheet on a cylinder around which it goes `turn` times, spun by `spin` [rad] and away by `far` [m] */
static void place(const cti_state *s, double turn, double spin, double far, ct_real *out)
{
    int v;
    for (v = 0; v < s->surface.nv; v++) {
        const ct_real *r = s->surface.rest + 3 * v;
        double k = 2 * PI * turn / SIDE, x = sin(k * r[0]) / k, y = (1 - cos(k * r[0])) / k, z = (double)r[2] + (double)r[1];
        double c = cos(spin), q = sin(spin), x2 = c * x - q * y, y2 = q * x + c * y; /* about an axis askew to the cylinder's */
        out[3 * v] = (ct_real)(x2 + far), out[3 * v + 1] = (ct_real)(0.8 * y2 - 0.6 * z), out[3 * v + 2] = (ct_real)(0.6 * y2 + 0.8 * z - far);
    }
}

/* the pairs of one list that come within 1.25 thicknesses at one of five times of the motion, by brute force: each has to be a candidate */
static int all_are_found(const cti_state *s, const cti_candidates *l)
{
    const cti_surface *f = &s->surface;
    ct_real *x = (ct_real *)malloc(sizeof *x * 3 * (size_t)f->nv);
    int a, b, t, i, k, near = 0, na = l->kind == CT_PAIR_VF ? f->nv : f->ne, nb = l->kind == CT_PAIR_VF ? f->nf : f->ne;
    assert_non_null(x);
    for (t = 0; t <= 4; t++) {
        for (i = 0; i < 3 * f->nv; i++)
            x[i] = f->x0[i] + (f->x1[i] - f->x0[i]) * (ct_real)(t / 4.0);
        for (a = 0; a < na; a++)
            for (b = l->kind == CT_PAIR_VF ? 0 : a + 1; b < nb; b++) {
                cti_pair p;
                int shared = 0, feature;
                cti_pair_make(f, l->kind, a, b, &p);
                for (i = 0; i < p.n_a; i++)
                    for (k = p.n_a; k < p.n; k++)
                        shared |= p.v[i] == p.v[k];
                if (shared || cti_v3_norm(cti_v3_sub(cti_v3_at(x, p.v[0]), cti_v3_at(x, p.v[p.n_a]))) > CTI_R(0.08) ||
                    cti_pair_closest(f, x, &p, &feature) > CTI_R(1.25) * f->bodies[0].thickness)
                    continue;
                assert_true(cti_broad_has_pair(l->pairs, cti_candidates_len(l), a, b));
                near++;
            }
    }
    free(x);
    return near;
}

static void none_is_missing(void **state)
{
    ct_world *w = step_world(0);
    cti_state *s = sheet(w);
    int step, changed, v, k, near = 0;
    (void)state;
    for (step = 0; step < 24; step++) {
        double turn[2];
        for (k = 0; k < 2; k++)
            turn[k] = 0.02 + 0.96 * (0.5 - 0.5 * cos(PI * (step + k) / 12.0));
        place(s, turn[0], 0.05 * step, 0.1 * step, s->surface.x0);
        place(s, turn[1], 0.05 * (step + 1), 0.1 * (step + 1), s->surface.x1);
        for (k = 0; k < 2; k++) {
            assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
            near += all_are_found(s, &s->detect.vf) + all_are_found(s, &s->detect.ee);
            /* what contact may do: a third of the sheet stops somewhere on its way */
            for (v = 0; v < 3 * s->surface.nv; v++)
                if (v / 3 % 13 < 4)
                    s->surface.x1[v] = s->surface.x0[v] + (s->surface.x1[v] - s->surface.x0[v]) * (ct_real)(v / 39 % 5 / 4.0);
        }
    }
    assert_true(near > 1000);
    ct_world_destroy(w);
}

/* rigid motions of .05 rad and 10 cm a step, which is 25 thicknesses */
static void rigid_motion_renews_nothing(void **state)
{
    ct_world *w = step_world(0);
    cti_state *s = sheet(w);
    int step, changed;
    (void)state;
    for (step = 0; step < 200; step++) {
        place(s, 0.5, 0.05 * step, 0.1 * step, s->surface.x0);
        place(s, 0.5, 0.05 * (step + 1), 0.1 * (step + 1), s->surface.x1);
        assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
        assert_int_equal(s->detect.own.renew[0], step == 0);
    }
    ct_world_destroy(w);
}

/* a sheet that flies half a metre in a step, while one half of it moves by 8 mm against the other: what stops it halfway renews nothing */
static void a_stopped_flight_renews_nothing(void **state)
{
    ct_world *w = step_world(0);
    cti_state *s = sheet(w);
    int v, changed;
    (void)state;
    place(s, 0.02, 0, 0, s->surface.x0);
    place(s, 0.02, 0, 0.5, s->surface.x1);
    for (v = 0; v < s->surface.nv / 2; v++)
        s->surface.x1[3 * v + 1] += CTI_R(0.008);
    assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
    for (v = 0; v < 3 * s->surface.nv; v++)
        s->surface.x1[v] = (s->surface.x0[v] + s->surface.x1[v]) / 2;
    assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
    assert_int_equal(s->detect.own.renew[0], 0);
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_missing), cmocka_unit_test(rigid_motion_renews_nothing),
                                       cmocka_unit_test(a_stopped_flight_renews_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
