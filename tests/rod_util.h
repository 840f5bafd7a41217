/* rod_util.h -- what the tests of rods and points in worlds share. */
#ifndef TEST_ROD_UTIL_H
#define TEST_ROD_UTIL_H

#include "world_util.h"

static inline ct_rod_desc rod_desc(double radius, double young)
{
    ct_rod_desc d = ct_rod_desc_default();
    d.radius = (ct_real)radius, d.young = (ct_real)young;
    return d;
}

/* n segments from a to b */
static inline ct_mesh line(int n, double ax, double ay, double az, double bx, double by, double bz)
{
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    m.positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)(n + 1));
    m.segments = (int32_t *)malloc(sizeof(int32_t) * 2 * (size_t)n);
    m.n_positions = n + 1, m.n_segments = n;
    for (i = 0; i <= n; i++) {
        double t = (double)i / n;
        m.positions[3 * i] = (ct_real)(ax + t * (bx - ax)), m.positions[3 * i + 1] = (ct_real)(ay + t * (by - ay));
        m.positions[3 * i + 2] = (ct_real)(az + t * (bz - az));
    }
    for (i = 0; i < n; i++)
        m.segments[2 * i] = i, m.segments[2 * i + 1] = i + 1;
    return m;
}

static inline void line_free(ct_mesh *m) { free(m->positions), free(m->segments), memset(m, 0, sizeof *m); }

static inline ct_body_id add_rod(ct_world *w, const ct_rod_desc *desc, const ct_mesh *m)
{
    ct_rod_desc d = *desc;
    ct_body_id id;
    d.mesh = m;
    if (ct_body_add_rod(w, &d, &id) != CT_OK)
        fail_msg("%s", ct_world_error(w)->text);
    return id;
}

static inline ct_body_id add_points(ct_world *w, const ct_points_desc *desc, ct_real *x, int n)
{
    ct_points_desc d = *desc;
    ct_mesh m;
    ct_body_id id;
    memset(&m, 0, sizeof m);
    m.positions = x, m.n_positions = n;
    d.mesh = &m;
    if (ct_body_add_points(w, &d, &id) != CT_OK)
        fail_msg("%s", ct_world_error(w)->text);
    return id;
}

static inline void get(const ct_world *w, ct_body_id b, double *x)
{
    assert_int_equal(ct_body_get_positions(w, b, x, CT_SCALAR_DOUBLE, 24, NULL), CT_OK);
}

/* steps; the worst of statuses */
static inline int run(ct_world *w, double dt, int steps, int *out_near)
{
    ct_step_report r;
    int i, worst = 0, n_pairs;
    ct_pair *pairs;
    for (i = 0; i < steps; i++) {
        assert_int_equal(ct_world_step(w, (ct_real)dt, &r), CT_OK);
        worst = (int)r.status > worst ? (int)r.status : worst;
        if (out_near)
            *out_near += r.too_near;
    }
    assert_int_equal(ct_world_validate(w, &pairs, &n_pairs), CT_OK);
    assert_int_equal(n_pairs, 0);
    return worst;
}

static inline void pin(ct_world *w, ct_body_id b, const int32_t *list, int n, const ct_motion *motion)
{
    if (ct_body_pin(w, b, list, n, CT_AXIS_ALL, motion, -1) != CT_OK)
        fail_msg("%s", ct_world_error(w)->text);
}

#endif /* TEST_ROD_UTIL_H */
