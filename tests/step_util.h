/* step_util.h -- helpers for the tests of single decisions of a step: worlds of a few triangles and boxes, prepared as for one attempt of a
   step. A test then reads and sets their internal state. */
#ifndef TEST_STEP_UTIL_H
#define TEST_STEP_UTIL_H

#include "../src/0_base/sets.h"
#include "../src/8_cmr/cmr.h"
#include "../src/8_step/motion.h"
#include "../src/8_cmr/parts.h"
#include "../src/9_world/world.h"
#include "world_util.h"

#define STEP_H 0.01  /* [m] thickness */
#define STEP_DT 0.01 /* [s] */

static inline int step_near(double got, double want, double tolerance, const char *what)
{
    if (fabs(got - want) <= tolerance)
        return 1;
    print_message("%s: %.12g, expected %.12g within %.2g\n", what, got, want, tolerance);
    return 0;
}
/* STEP_NEAR -- fails with both numbers */
#define STEP_NEAR(got, want, tolerance) assert_true(step_near((double)(got), (double)(want), (double)(tolerance), #got))

static inline ct_world *step_world(double gravity)
{
    ct_world_desc d = world_desc(STEP_H, 0, NULL);
    d.gravity[1] = (ct_real)-gravity;
    return world_make(&d);
}

/* three corners p [9], the normal (p1 - p0) x (p2 - p0) */
static inline ct_mesh step_triangle_mesh(ct_real *x, int32_t *t, const double *p)
{
    ct_mesh m;
    int i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < 9; i++)
        x[i] = (ct_real)p[i];
    for (i = 0; i < 3; i++)
        t[i] = i;
    m.positions = x, m.n_positions = 3;
    m.triangles = t, m.n_triangles = 1;
    return m;
}

/* a cloth of one triangle [kg/m^2]: one component of three blocks */
static inline ct_body_id step_triangle(ct_world *w, const double *p, double density)
{
    ct_real x[9];
    int32_t t[3];
    ct_mesh m = step_triangle_mesh(x, t, p);
    return add_cloth_mesh(w, "triangle", &m, CT_MODEL_SPRINGS, density);
}

static inline ct_body_id step_static(ct_world *w, const ct_mesh *m)
{
    ct_static_desc d = ct_static_desc_default();
    ct_body_id id = {0, 0};
    d.mesh = m;
    assert_int_equal(ct_body_add_static(w, &d, &id), CT_OK);
    return id;
}

static inline ct_body_id step_static_triangle(ct_world *w, const double *p)
{
    ct_real x[9];
    int32_t t[3];
    ct_mesh m = step_triangle_mesh(x, t, p);
    return step_static(w, &m);
}

/* a right triangle in the plane of height y about the y-axis, legs of 1 m: its normal is y */
static inline ct_body_id step_flat(ct_world *w, double x, double y, double density)
{
    double p[9];
    p[0] = x - 0.3, p[1] = y, p[2] = -0.3;
    p[3] = x - 0.3, p[4] = y, p[5] = 0.7;
    p[6] = x + 0.7, p[7] = y, p[8] = -0.3;
    return step_triangle(w, p, density);
}

/* the state of the world's bodies, ready for an attempt of length dt: pins, script, A and b, and the free motion end.v = v */
static inline cti_state *step_ready(ct_world *w, double dt)
{
    cti_state *s = &w->state;
    int extended = 0;
    assert_int_equal(cti_world_prepare(w), CT_OK);
    s->step.dt = s->step.left = (ct_real)dt;
    s->step.until = s->step.time + dt;
    cti_parts_reset(s);
    cti_parts_begin(s);
    assert_true(cti_assemble_pins(s, (ct_real)dt));
    cti_assemble_movers(s, cti_state_ahead(s, (ct_real)dt));
    cti_motion_predict(s, (ct_real)dt);
    assert_true(cti_assemble(s, (ct_real)dt, &extended));
    cti_factors_age(&s->factors);
    memcpy(s->end.v, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->system.v_free, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, (ct_real)dt);
    cti_sets_init(s->parts.zoned, CTI_LEN(s->factors.components));
    return s;
}

/* end.v of blocks [first, first + n) */
static inline void step_speed(cti_state *s, int first, int n, double x, double y, double z)
{
    int i;
    for (i = first; i < first + n; i++)
        s->end.v[3 * i] = (ct_real)x, s->end.v[3 * i + 1] = (ct_real)y, s->end.v[3 * i + 2] = (ct_real)z;
}

static inline double step_mass(const cti_state *s, int first, int n)
{
    double m = 0;
    int i;
    for (i = first; i < first + n; i++)
        m += (double)s->bodies.mass[i];
    return m;
}

/* p, l [3]: momentum and angular momentum about the origin of nodes at x with velocities v */
static inline void step_momenta(const cti_state *s, const ct_real *v, double *p, double *l)
{
    int i, k;
    for (k = 0; k < 3; k++)
        p[k] = l[k] = 0;
    for (i = 0; i < s->n; i++)
        for (k = 0; k < 3; k++) {
            int a = (k + 1) % 3, c = (k + 2) % 3;
            double m = (double)s->bodies.mass[i];
            p[k] += m * (double)v[3 * i + k];
            l[k] += m * (double)(s->x[3 * i + a] * v[3 * i + c] - s->x[3 * i + c] * v[3 * i + a]);
        }
}

/* candidates and distances for the motion to surface.x1 */
static inline void step_candidates(cti_state *s)
{
    int changed;
    s->detect.valid = 0;
    assert_true(cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed));
    assert_true(changed);
    cti_detect_distances(&s->detect, &s->surface);
}

/* 1 if hit i is between these features: kind, and the first vertex of both sides */
static inline int step_is_pair(const cti_pair *p, ct_pair_kind kind, int a, int b)
{
    return p->kind == (int32_t)kind && p->v[0] == a && (kind == CT_PAIR_PLANE || p->v[p->n_a] == b);
}

static inline int step_count(const cti_hit *hits, ct_pair_kind kind)
{
    int i, n = 0;
    for (i = 0; i < CTI_LEN(hits); i++)
        n += hits[i].pair.kind == (int32_t)kind;
    return n;
}

#endif /* TEST_STEP_UTIL_H */
