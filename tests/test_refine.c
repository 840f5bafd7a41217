/* test_refine.c -- refinement of elements in regions of contact: divided meshes are conforming and keep their volume, linear fields stay exact,
   momenta and energies are accounted for, users' numbers stay, and an indented slab is nearer to that of a fine mesh. */
#include "plain.h"
#include "world_util.h"
#include "../src/8_explicit/explicit.h"
#include "../src/9_world/world.h"
#include "../src/5_mesh/divide.h"

#define FLOAT (CONTACT_REAL == 32)
#define ROUND (FLOAT ? 2e-6 : 1e-13)

static double span(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * lcg(seed); }

/* ---- meshes ---- */

static double six_volumes(const ct_real *x, const int32_t *t)
{
    double d[3][3];
    int k, j;
    for (k = 0; k < 3; k++)
        for (j = 0; j < 3; j++)
            d[k][j] = (double)x[3 * t[k + 1] + j] - (double)x[3 * t[0] + j];
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* a triangle's vertices from its lowest one on: the same for all turns of it */
static void turned(const int32_t *t, int32_t *out)
{
    int k, low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
    for (k = 0; k < 3; k++)
        out[k] = t[(low + k) % 3];
}

static int by_vertices(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

static void sort_triangles(int32_t *t, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        int32_t a[3];
        turned(t + 3 * i, a);
        memcpy(t + 3 * i, a, sizeof a);
    }
    qsort(t, (size_t)n, 3 * sizeof *t, by_vertices);
}

/* the boundary of the divided tets, whose faces belong to one or two tets, is the divided boundary. A crack would add faces to the former */
static void assert_conforming(cti_mem *m, const int32_t *tets, int n_tets, int nodes, const int32_t *triangles)
{
    int32_t *boundary = NULL, *copy = NULL;
    int n = CTI_LEN(triangles);
    assert_true(cti_mesh_boundary(m, tets, n_tets, nodes, &boundary) && CTI_RESIZE(m, copy, n));
    assert_int_equal(CTI_LEN(boundary), n);
    memcpy(copy, triangles, sizeof *copy * (size_t)n);
    sort_triangles(boundary, n / 3), sort_triangles(copy, n / 3);
    assert_memory_equal(boundary, copy, sizeof *copy * (size_t)n);
    CTI_FREE(m, boundary), CTI_FREE(m, copy);
}

static void divided_meshes(void **state)
{
    uint64_t seed = 7;
    int turn, i, patterns[7] = {0};
    (void)state;
    for (turn = 0; turn < 40; turn++) {
        ct_mesh m = mesh_box(1, 1.1, 0.9, 3, 2, 3, 1);
        cti_mem mem;
        uint8_t marks[200], held[200];
        int32_t *edges = NULL, *tets = NULL, *parent = NULL, *triangles = NULL, *faces = NULL, *of = NULL;
        ct_real *x = NULL;
        double *left;
        cti_divide q;
        cti_mem_init(&mem, NULL);
        memset(&q, 0, sizeof q);
        assert_true(m.n_tets < 200 && m.n_positions < 200);
        for (i = 0; i < 3 * m.n_positions; i++)
            m.positions[i] += (ct_real)(turn % 2 ? span(&seed, -0.05, 0.05) : 0);
        for (i = 0; i < m.n_tets; i++)
            marks[i] = lcg(&seed) < turn / 40.0;
        for (i = 0; i < m.n_positions; i++)
            held[i] = turn % 3 == 0 && lcg(&seed) < 0.5;
        assert_true(cti_mesh_boundary(&mem, m.tets, m.n_tets, m.n_positions, &triangles));
        assert_true(cti_divide_edges(&mem, m.tets, m.n_tets, marks, held, &edges));
        i = CTI_LEN(edges);
        assert_true(cti_divide_edges(&mem, m.tets, m.n_tets, marks, held, &edges) && CTI_LEN(edges) == i); /* none twice */
        assert_true(cti_divide_open(&mem, &q, m.positions, m.n_positions, edges, CTI_LEN(edges) / 2));
        assert_true(cti_divide_all(&mem, &q, 4, m.tets, m.n_tets, &tets, &parent));
        assert_true(cti_divide_all(&mem, &q, 3, triangles, CTI_LEN(triangles) / 3, &faces, &of));
        assert_true(CTI_RESIZE(&mem, x, 3 * (m.n_positions + q.n)));
        memcpy(x, m.positions, sizeof *x * 3 * (size_t)m.n_positions);
        for (i = 0; i < 3 * q.n; i++)
            x[3 * m.n_positions + i] = (x[3 * edges[i / 3 * 2] + i % 3] + x[3 * edges[i / 3 * 2 + 1] + i % 3]) / 2;
        assert_conforming(&mem, tets, CTI_LEN(parent), m.n_positions + q.n, faces);
        left = (double *)calloc((size_t)m.n_tets, sizeof *left);
        for (i = 0; i < CTI_LEN(parent); i++) {
            double v = six_volumes(x, tets + 4 * i), whole = six_volumes(m.positions, m.tets + 4 * parent[i]);
            assert_true(v > whole / 8 - 10 * ROUND && v <= whole + 10 * ROUND);
            left[parent[i]] += v / whole;
        }
        for (i = 0; i < m.n_tets; i++)
            assert_true(fabs(left[i] - 1) < 100 * ROUND);
        for (i = 0; i < m.n_tets; i++) {
            int k, n = 0, a;
            for (k = 0; k < q.n; k++)
                for (a = 0; a < 16; a++)
                    n += m.tets[4 * i + a / 4] == edges[2 * k] && m.tets[4 * i + a % 4] == edges[2 * k + 1];
            patterns[n]++;
            for (k = a = 0; k < CTI_LEN(parent); k++)
                a += parent[k] == i;
            assert_true(n < 6 || a == 8);
            assert_true(n > 0 || a == 1);
        }
        free(left);
        cti_divide_close(&mem, &q);
        CTI_FREE(&mem, edges), CTI_FREE(&mem, tets), CTI_FREE(&mem, parent), CTI_FREE(&mem, triangles), CTI_FREE(&mem, faces);
        CTI_FREE(&mem, of), CTI_FREE(&mem, x);
        ct_mesh_free(&m);
    }
    for (i = 0; i < 7; i++)
        assert_true(patterns[i] > 10); /* tets with each number of split edges were there */
}

/* ---- worlds ---- */

static ct_world_desc desc_of(books *b)
{
    ct_world_desc d = world_desc(1e-3, 0, b);
    d.stepper = CT_STEPPER_EXPLICIT;
    d.self_collision = 0;
    d.rk.refine = CT_REFINE_ELEMENTS;
    return d;
}

static ct_body_id add_at(ct_world *w, const ct_mesh *m, double poisson, double damping, double x, double y, double z, double vy)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    d.name = "soft", d.mesh = m, d.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    d.material.young = (ct_real)1e5, d.material.poisson = (ct_real)poisson, d.material.density = 1000;
    d.material.damping_stiffness = (ct_real)damping, d.material.damping_mass = 0;
    d.position[0] = (ct_real)x, d.position[1] = (ct_real)y, d.position[2] = (ct_real)z, d.velocity[1] = (ct_real)vy;
    assert_int_equal(ct_body_add_soft(w, &d, &id), CT_OK);
    return id;
}

/* three boxes, one above the other; the plane and the gaps are near */
static void three_boxes(ct_world *w, const ct_mesh *m, ct_body_id *id, double gap)
{
    int k;
    assert_int_equal(ct_body_add_plane(w, NULL, 0, NULL), CT_OK);
    for (k = 0; k < 3; k++)
        id[k] = add_at(w, m, 0.45, 1e-3, 0.003 * k, 0.1 + (0.2 + gap) * k, 0.002 * k, 0);
}

/* masses, momentum and angular momentum about the origin of all blocks of a body */
static void sums_of(const ct_world *w, int slot, double *out)
{
    const cti_body *b = &w->bodies[slot];
    const cti_state *s = &w->state;
    int i;
    memset(out, 0, 7 * sizeof *out);
    for (i = b->block0; i < b->block0 + b->n_blocks; i++) {
        double m = (double)s->bodies.mass[i];
        const ct_real *x = s->x + 3 * i, *v = s->v + 3 * i;
        out[0] += m;
        out[1] += m * (double)v[0], out[2] += m * (double)v[1], out[3] += m * (double)v[2];
        out[4] += m * ((double)x[1] * (double)v[2] - (double)x[2] * (double)v[1]);
        out[5] += m * ((double)x[2] * (double)v[0] - (double)x[0] * (double)v[2]);
        out[6] += m * ((double)x[0] * (double)v[1] - (double)x[1] * (double)v[0]);
    }
}

/* x = F X with velocity of a translation: nodes that are added are on it, no inner node is pulled, and no energy changes */
static void linear_fields_stay(void **state)
{
    static const double F[9] = {1.1, 0.05, -0.02, 0.03, 0.9, 0.04, -0.06, 0.02, 1.05};
    int element;
    (void)state;
    for (element = 0; element < 2; element++) {
        ct_world_desc d = desc_of(NULL);
        ct_world *w;
        ct_mesh m = mesh_box(0.2, 0.2, 0.2, 4, 4, 4, 1);
        cti_state *s;
        const cti_body *b;
        ct_real *force, *still;
        double most = 0, outer = 0, energy;
        int i, k, inner = 0, added = 0;
        d.rk.element_pressure = element, d.gravity[1] = 0;
        w = world_make(&d);
        add_at(w, &m, 0.45, 0, 0, 0, 0, 0);
        assert_int_equal(ct_body_add_plane(w, NULL, (ct_real)-0.12, NULL), CT_OK);
        assert_int_equal(cti_world_prepare(w), CT_OK);
        s = &w->state, b = &w->bodies[0];
        for (i = 0; i < s->n; i++)
            for (k = 0; k < 3; k++) {
                s->x[3 * i + k] = (ct_real)(F[3 * k] * (double)b->rest[3 * i] + F[3 * k + 1] * (double)b->rest[3 * i + 1] + F[3 * k + 2] * (double)b->rest[3 * i + 2]);
                s->v[3 * i + k] = (ct_real)(k - 0.5);
            }
        cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
        energy = cti_explicit_energy(s, NULL);
        i = s->n;
        assert_int_equal(w->remesher->open(w, (ct_real)1e-4), CT_OK);
        added = s->n - i;
        assert_true(added > 50 && added == CTI_LEN(b->split.edges) / 2 && w->refined.tets > 0);
        assert_true(fabs(w->refined.work) < 100 * ROUND * energy);
        for (i = 0; i < s->n; i++)
            for (k = 0; k < 3; k++) {
                double at = F[3 * k] * (double)b->rest[3 * i] + F[3 * k + 1] * (double)b->rest[3 * i + 1] + F[3 * k + 2] * (double)b->rest[3 * i + 2];
                assert_true(fabs((double)s->x[3 * i + k] - at) < ROUND && fabs((double)s->v[3 * i + k] - (k - 0.5)) < 100 * ROUND);
            }
        force = (ct_real *)calloc(6 * (size_t)s->n, sizeof *force), still = force + 3 * s->n;
        cti_explicit_forces(s, s->x, still, force);
        for (i = 0; i < s->n; i++) {
            double f = (double)cti_v3_norm(cti_v3_at(force, i));
            if (b->node_surface[i] >= 0)
                outer = fmax(outer, f);
            else
                most = fmax(most, f), inner++;
        }
        if (!(inner > 30 && most < 1e3 * ROUND * outer))
            fail_msg("%d inner nodes, force %g of %g", inner, most, outer);
        free(force);
        ct_mesh_free(&m);
        w->remesher->close(w, 1);
        ct_world_destroy(w);
    }
}

/* whatever the motion is, mass, momentum and angular momentum of each body stay, and the energy changes by what is reported */
static void momenta_stay(void **state)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_body_id id[3];
    cti_state *s;
    double before[3][7], after[3][7], energy;
    uint64_t seed = 11;
    int i, k, n;
    (void)state;
    three_boxes(w, &m, id, 0.01);
    assert_int_equal(cti_world_prepare(w), CT_OK);
    s = &w->state, n = s->n;
    for (i = 0; i < 3 * s->n; i++)
        s->x[i] += (ct_real)span(&seed, -0.004, 0.004), s->v[i] = (ct_real)span(&seed, -1, 1);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
    for (k = 0; k < 3; k++)
        sums_of(w, k + 1, before[k]);
    energy = cti_explicit_energy(s, NULL);
    assert_int_equal(w->remesher->open(w, (ct_real)1e-4), CT_OK);
    assert_true(s->n > n + 100);
    for (k = 0; k < 3; k++) {
        double size = (double)before[k][0];
        sums_of(w, k + 1, after[k]);
        assert_true(CTI_LEN(w->bodies[k + 1].split.edges) > 0);
        for (i = 0; i < 7; i++)
            if (!(fabs(after[k][i] - before[k][i]) < 100 * ROUND * size))
                fail_msg("body %d, sum %d: %.15g and %.15g", k, i, before[k][i], after[k][i]);
    }
    assert_true(fabs(w->refined.work) > 1e-3 * energy && fabs(cti_explicit_energy(s, NULL) - energy - w->refined.work) < 100 * ROUND * energy);
    ct_mesh_free(&m);
    w->remesher->close(w, 1);
    ct_world_destroy(w);
}

/* vertices, nodes and triangles of the user; contacts and pins in their numbers; the account of energies over steps closes */
static void numbers_of_the_user_stay(void **state)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w = world_make(&d);
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_body_id id[3];
    const int32_t *triangles[2];
    const ct_contact *c;
    double x[2][3 * 64], energy[2], work = 0;
    int32_t top[16];
    ct_real *v = (ct_real *)calloc(3 * 64, sizeof *v), impulse[3];
    int n[2], i, k, j, contacts = 0, refined = 0, n_top = 0, kinds = 0, middles = 0;
    (void)state;
    three_boxes(w, &m, id, 0.004);
    assert_int_equal(m.n_positions, 64);
    for (i = 0; i < 64; i++)
        if (m.positions[3 * i + 1] > (ct_real)0.099)
            top[n_top++] = i;
    assert_int_equal(ct_body_get_triangles(w, id[1], &triangles[0], &n[0]), CT_OK);
    assert_int_equal(ct_body_get_positions(w, id[0], x[0], CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    assert_int_equal(cti_world_prepare(w), CT_OK);
    energy[0] = cti_explicit_energy(&w->state, NULL);
    for (i = 0; i < 30; i++) {
        ct_step_report r = step_once(w, 0.002);
        refined += r.rk.refined;
        work += r.rk.work_refine + r.work_recovery + r.work_pins + r.work_script - r.loss_contact - r.loss_damping + r.energy_gained;
        assert_true(r.rk.refined == 0 || i < 20);
        assert_int_equal(ct_world_contacts(w, &c, &k), CT_OK);
        for (contacts += k; k-- > 0;) {
            double sum[2] = {0, 0};
            kinds |= 1 << (int)c[k].kind;
            for (j = 0; j < 3; j++) {
                assert_true(c[k].vertices_a[j] < 64 && c[k].vertices_b[j] < 64);
                sum[0] += (double)c[k].weights_a[j], sum[1] += (double)c[k].weights_b[j];
            }
            assert_true(fabs(sum[0] - 1) < 1e-4 && (c[k].kind == CT_PAIR_PLANE || fabs(sum[1] - 1) < 1e-4));
        }
    }
    energy[1] = cti_explicit_energy(&w->state, NULL);
    assert_true(fabs(energy[1] - energy[0] - work) < (FLOAT ? 1e-3 : 1e-9) * fabs(energy[0]));
    assert_true(refined > 300 && contacts > 100 && (kinds >> CT_PAIR_EF & 1) && (kinds >> CT_PAIR_VF & 1));
    assert_int_equal(ct_body_get_triangles(w, id[1], &triangles[1], &n[1]), CT_OK);
    assert_true(triangles[0] == triangles[1] && n[0] == n[1] && n[0] < CTI_LEN(w->bodies[2].triangles) / 3);
    assert_true(ct_body_vertex_count(w, id[1]) == 64 && ct_body_node_count(w, id[1]) == 64 && w->bodies[2].n_blocks > 64);
    /* pins hold the middles between two of their nodes, and nothing else */
    assert_int_equal(ct_body_set_velocities(w, id[2], v, 64), CT_OK);
    assert_int_equal(ct_body_set_velocities(w, id[2], v, 65), CT_ERR_ARGUMENT);
    assert_int_equal(ct_body_get_positions(w, id[1], x[0], CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    assert_int_equal(ct_body_pin(w, id[1], top, n_top, CT_AXIS_ALL, NULL, -1), CT_OK);
    assert_int_equal(CTI_LEN(w->state.scripts.pins), n_top);
    step_once(w, 0.002);
    for (i = 64; i < w->bodies[2].n_blocks; i++)
        middles += w->state.scripts.fixed[w->bodies[2].block0 + i];
    assert_true(middles > 10);
    assert_int_equal(ct_body_get_positions(w, id[1], x[1], CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    for (i = 0; i < n_top; i++)
        for (k = 0; k < 3; k++)
            assert_true(fabs(x[0][3 * top[i] + k] - x[1][3 * top[i] + k]) < ROUND);
    for (i = 0, work = 0; i < n_top; i++) {
        assert_int_equal(ct_body_get_pin_impulse(w, id[1], top[i], impulse), CT_OK);
        work += (double)impulse[1];
    }
    for (i = 0, energy[0] = 0; i < w->bodies[2].n_blocks; i++)
        energy[0] += (double)w->state.history.impulses.pins[3 * (w->bodies[2].block0 + i) + 1];
    assert_true(fabs(work - energy[0]) <= 1e-4 * fabs(work) && work != 0);
    free(v);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* edges of a box's lower face that are split near a plane, with its nodes pinned until a time; most [kg m/s]: change of its momentum along x */
static int split_low(double until, double *change)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_body_id id;
    int32_t low[64];
    double p[2] = {0, 0};
    int i, n = 0, found = 0;
    const cti_body *b;
    w = world_make(&d);
    id = add_at(w, &m, 0.4, 1e-3, 0, 0.1, 0, 0);
    assert_int_equal(ct_body_add_plane(w, NULL, (ct_real)-0.01, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i + 1] < (ct_real)-0.099)
            low[n++] = i;
    assert_int_equal(ct_body_pin(w, id, low, n, CT_AXIS_ALL, NULL, until), CT_OK);
    assert_int_equal(cti_world_prepare(w), CT_OK);
    for (i = 0; i < w->state.n; i++)
        w->state.v[3 * i] = (ct_real)(1 + i % 7), p[0] += (double)(w->state.bodies.mass[i] * w->state.v[3 * i]);
    assert_int_equal(w->remesher->open(w, (ct_real)0.002), CT_OK);
    assert_true(w->refined.tets > 0);
    b = &w->bodies[0];
    for (i = 0; i < w->state.n; i++)
        p[1] += (double)(w->state.bodies.mass[i] * w->state.v[3 * i]);
    for (i = 0; i < CTI_LEN(b->split.edges); i += 2)
        found += b->rest[3 * b->split.edges[i] + 1] < (ct_real)1e-3 && b->rest[3 * b->split.edges[i + 1] + 1] < (ct_real)1e-3;
    *change = fabs(p[1] - p[0]);
    ct_mesh_free(&m);
    w->remesher->close(w, 1);
    ct_world_destroy(w);
    return found;
}

/* edges between pinned nodes are not split, so that a pinned face stays where it is; pins that have ended hold nothing, and momentum is kept then */
static void pinned_edges_stay(void **state)
{
    double change;
    (void)state;
    assert_int_equal(split_low(-1, &change), 0);
    assert_true(split_low(0, &change) > 20);
    assert_true(change < 300 * ROUND); /* of 30 kg m/s */
}

/* a box whose lower cells have been refined, and one of its split edges */
static ct_world *refined_box(ct_body_id *id, int32_t *ends, int *middle)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    d.gravity[1] = 0;
    w = world_make(&d);
    *id = add_at(w, &m, 0.4, 1e-3, 0, 0.1, 0, 0);
    assert_int_equal(ct_body_add_plane(w, NULL, (ct_real)-0.01, NULL), CT_OK);
    assert_true(step_once(w, 1e-3).rk.refined > 0);
    memcpy(ends, w->bodies[0].split.edges, 2 * sizeof *ends);
    *middle = w->bodies[0].block0 + w->bodies[0].n;
    ct_mesh_free(&m);
    return w;
}

static void pin_one(ct_world *w, ct_body_id id, int32_t vertex, int axes, double x, double y, double z, double until)
{
    ct_motion m;
    memset(&m, 0, sizeof m);
    m.linear[0] = (ct_real)x, m.linear[1] = (ct_real)y, m.linear[2] = (ct_real)z;
    assert_int_equal(ct_body_pin(w, id, &vertex, 1, axes, &m, until), CT_OK);
}

/* middles are held in the directions in which both ends are now, whatever calls have pinned them, and move there at the mean velocity */
static void middles_are_held_as_their_ends(void **state)
{
    static const ct_real line[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, all[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, slant[9] = {0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 1};
    ct_body_id id;
    int32_t e[2];
    ct_real before[3], impulse[3];
    double sum = 0;
    int at, k;
    ct_world *w = refined_box(&id, e, &at);
    const cti_scripts *c = &w->state.scripts;
    (void)state;
    /* one call for each end, other velocities, one of the pins for a time */
    pin_one(w, id, e[0], CT_AXIS_ALL, 0.1, 0.02, 0, -1);
    step_once(w, 1e-3);
    assert_true(c->filter[at] < 0);
    pin_one(w, id, e[1], CT_AXIS_ALL, 0.3, 0, 0.04, ct_world_time(w) + 1.5e-3);
    memcpy(before, w->state.x + 3 * at, sizeof before);
    step_once(w, 1e-3);
    assert_true(c->filter[at] >= 0 && c->fixed[at]);
    for (k = 0; k < 3; k++) {
        static const double mean[3] = {0.2, 0.01, 0.02};
        assert_true(fabs((double)w->state.x[3 * at + k] - (double)before[k] - 1e-3 * mean[k]) < ROUND);
        assert_true(fabs((double)w->state.v[3 * at + k] - mean[k]) < 1e3 * ROUND);
    }
    assert_true(ct_body_get_pin_impulse(w, id, e[0], impulse) == CT_OK && impulse[0] != 0);
    for (k = 0; k < w->state.n; k++)
        sum += c->filter[k] < 0 ? fabs((double)w->state.history.impulses.pins[3 * k]) : 0;
    assert_true(sum == 0);
    step_once(w, 1e-3);
    step_once(w, 1e-3); /* the other pin has ended */
    assert_true(c->filter[at] < 0 && c->filter[w->bodies[0].block0 + e[0]] >= 0);
    ct_world_destroy(w);
    /* a middle that stands still for a reason of its own */
    w = refined_box(&id, e, &at), c = &w->state.scripts;
    pin_one(w, id, e[0], CT_AXIS_X, 0.1, 0, 0, -1), pin_one(w, id, e[1], CT_AXIS_X, 0.1, 0, 0, -1);
    w->state.scripts.held[at] = CTI_HELD_REPAIR;
    step_once(w, 1e-3);
    assert_true(c->filter[at] >= 0 && c->fixed[at] && c->v_fixed[3 * at] == 0 && w->state.v[3 * at] == 0);
    ct_world_destroy(w);
    /* axes that both pins hold */
    w = refined_box(&id, e, &at), c = &w->state.scripts;
    pin_one(w, id, e[0], CT_AXIS_X | CT_AXIS_Y, 0.1, 0.2, 0, -1), pin_one(w, id, e[1], CT_AXIS_Y | CT_AXIS_Z, 0, 0.4, 0.5, -1);
    step_once(w, 1e-3);
    assert_true(c->filter[at] >= 0 && !c->fixed[at] && fabs((double)w->state.v[3 * at + 1] - 0.3) < 1e3 * ROUND);
    assert_true(fabs((double)c->v_fixed[3 * at]) < ROUND && fabs((double)c->v_fixed[3 * at + 2]) < ROUND);
    ct_world_destroy(w);
    /* a direction pin and a pin; then one is taken away */
    w = refined_box(&id, e, &at), c = &w->state.scripts;
    assert_int_equal(ct_body_constrain(w, id, e[0], line), CT_OK);
    pin_one(w, id, e[1], CT_AXIS_ALL, 0.1, 0.2, 0, -1);
    step_once(w, 1e-3);
    assert_true(c->filter[at] >= 0 && !c->fixed[at] && fabs((double)w->state.v[3 * at + 1] - 0.1) < 1e3 * ROUND);
    assert_int_equal(ct_body_constrain(w, id, e[0], slant), CT_OK); /* x - y is held */
    step_once(w, 1e-3);
    assert_true(fabs((double)w->state.v[3 * at] - (double)w->state.v[3 * at + 1] + 0.05) < 1e3 * ROUND && !c->fixed[at]);
    assert_int_equal(ct_body_constrain(w, id, e[0], all), CT_OK);
    step_once(w, 1e-3);
    assert_true(c->filter[at] < 0);
    ct_world_destroy(w);
}

/* ---- steps that fail ---- */

enum { KEPT = 1 << 16 };

/* what a world has: blocks, masses, meshes, rigid bodies, pins, contacts, and what is read of it */
typedef struct image {
    unsigned char bytes[KEPT];
    size_t n;
} image;

static void add_bytes(image *q, const void *data, size_t n)
{
    assert_true(q->n + n <= KEPT);
    if (n)
        memcpy(q->bytes + q->n, data, n);
    q->n += n;
}

static void add_body(image *q, const ct_world *w, int slot)
{
    const cti_body *b = &w->bodies[slot];
    int32_t n[8];
    memset(n, 0, sizeof n);
    n[0] = b->n, n[1] = b->n_blocks, n[2] = b->block0, n[3] = b->rigid, n[4] = CTI_LEN(b->split.edges), n[5] = CTI_LEN(b->triangles);
    n[6] = b->model.tets.n, n[7] = CTI_LEN(b->surface_nodes);
    add_bytes(q, n, sizeof n);
    add_bytes(q, b->rest, sizeof *b->rest * 3 * (size_t)cti_body_points(b));
    add_bytes(q, b->triangles, sizeof *b->triangles * (size_t)n[5]);
    add_bytes(q, b->split.edges, sizeof *b->split.edges * (size_t)n[4]);
    add_bytes(q, b->model.tets.node, sizeof *b->model.tets.node * 4 * (size_t)n[6]);
}

static void take_image(image *q, const ct_world *w)
{
    const cti_state *s = &w->state;
    const ct_contact *c;
    int n = s->n, i, contacts = 0;
    double time = ct_world_time(w);
    q->n = 0;
    assert_true(ct_world_contacts(w, &c, &contacts) == CT_OK && contacts > 0); /* of the rigid box */
    add_bytes(q, &n, sizeof n), add_bytes(q, &time, sizeof time);
    add_bytes(q, s->x, sizeof *s->x * 3 * (size_t)n), add_bytes(q, s->v, sizeof *s->v * 3 * (size_t)n);
    add_bytes(q, s->bodies.mass, sizeof *s->x * (size_t)n), add_bytes(q, s->bodies.inv_mass, sizeof *s->x * (size_t)n);
    add_bytes(q, s->bodies.alpha, sizeof *s->x * (size_t)n), add_bytes(q, s->history.dt_prev, sizeof *s->x * (size_t)n);
    add_bytes(q, s->history.impulses.pins, sizeof *s->x * 3 * (size_t)n);
    for (i = 0; i < CTI_LEN(s->scripts.pins); i++)
        add_bytes(q, &s->scripts.pins[i].block, sizeof(int32_t));
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        add_bytes(q, s->bodies.rigids[i].q, sizeof s->bodies.rigids[i].q), add_bytes(q, &s->bodies.rigids[i].block, sizeof(int32_t));
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        add_body(q, w, i);
    for (i = 0; i < contacts; i++)
        add_bytes(q, c[i].impulse_tangent, sizeof c[i].impulse_tangent), add_bytes(q, &c[i].impulse_normal, sizeof c[i].impulse_normal),
            add_bytes(q, c[i].vertices_a, sizeof c[i].vertices_a), add_bytes(q, c[i].point, sizeof c[i].point);
}

/* two boxes one above the other, a rigid one, and a soft one in the slot of a body that was removed, whose blocks come last. The upper one has pins. A step
   of 0.2 s takes them near the plane and each other */
static ct_world *falling(const ct_world_desc *d, ct_body_id *id)
{
    ct_world *w = world_make(d);
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_rigid_desc r = ct_rigid_desc_default();
    int32_t top[2] = {2, 3};
    ct_body_id gone = add_at(w, &m, 0.4, 1e-3, 9, 9, 9, 0);
    id[0] = add_at(w, &m, 0.4, 1e-3, 0, 0.3, 0, -1);
    r.name = "rigid", r.mesh = &m, r.density = 1000, r.position[0] = (ct_real)0.5, r.position[1] = (ct_real)0.05;
    assert_int_equal(ct_body_add_rigid(w, &r, &id[1]), CT_OK);
    id[2] = add_at(w, &m, 0.4, 1e-3, 0.02, 0.62, 0.01, -2);
    assert_int_equal(ct_body_remove(w, gone), CT_OK);
    id[3] = add_at(w, &m, 0.4, 1e-3, -0.5, 0.3, 0, -1.5);
    assert_int_equal(ct_body_add_plane(w, NULL, 0, NULL), CT_OK);
    assert_int_equal(ct_body_pin(w, id[2], top, 2, CT_AXIS_X | CT_AXIS_Z, NULL, -1), CT_OK);
    assert_int_equal(step_once(w, FLOAT ? 1e-4 : 1e-5).rk.refined, 0);
    ct_mesh_free(&m);
    return w;
}

/* allocations fail one after the other: nothing leaks, the world is what it was, and the same step goes on as in a world in which none failed */
static void memory_runs_out(void **state)
{
    static image before, after;
    int64_t k;
    uint64_t hash = 0;
    int done = 0, late = 0;
    (void)state;
    for (k = 0; !done && k < 3000; k += k ? PLAIN_OR(1, 7) : 1) { /* first without a failure */
        books b;
        ct_world_desc d;
        ct_world *w;
        ct_step_report r;
        ct_body_id id[4];
        const int32_t *triangles[2];
        int n;
        memset(&b, 0, sizeof b);
        d = desc_of(&b);
        w = falling(&d, id);
        take_image(&before, w);
        assert_int_equal(ct_body_get_triangles(w, id[0], &triangles[0], &n), CT_OK);
        b.fail_at = k ? b.calls + k : 0;
        if (ct_world_step(w, (ct_real)0.2, &r) == CT_OK) {
            done = k > 0 && b.refused == 0;
            assert_true(r.rk.refined > 50 && CTI_LEN(w->bodies[0].split.edges) && CTI_LEN(w->bodies[1].split.edges));
            assert_true(k == 0 || hash == ct_world_hash(w));
            hash = ct_world_hash(w);
        } else {
            b.fail_at = 0;
            late += w->bodies[0].split.tets != NULL; /* tets are listed where a body was about to be refined */
            take_image(&after, w);
            assert_int_equal(before.n, after.n);
            assert_memory_equal(before.bytes, after.bytes, before.n);
            assert_int_equal(ct_body_get_triangles(w, id[0], &triangles[1], &n), CT_OK);
            assert_true(triangles[0] == triangles[1]);
            if (k % 8 == 0) {
                assert_int_equal(ct_world_step(w, (ct_real)0.2, &r), CT_OK);
                assert_true(ct_world_hash(w) == hash && r.rk.refined > 50);
            }
        }
        ct_world_destroy(w);
        assert_true(b.live == 0 && b.blocks == 0 && b.wrong == 0);
    }
    assert_true(done && late > PLAIN_OR(100, 15));
}

/* the same where contacts have not been read before the step: it lists them before elements are split, and memory runs out in that, too */
static void memory_runs_out_while_contacts_are_listed(void **state)
{
    static image before, after;
    int64_t k;
    int listed = 0;
    (void)state;
    for (k = 0; k == 0 || !listed; k++) { /* first without a step */
        books b;
        ct_world_desc d;
        ct_world *w;
        ct_body_id id[4];
        memset(&b, 0, sizeof b);
        d = desc_of(&b);
        w = falling(&d, id);
        if (k == 0)
            take_image(&before, w);
        else {
            assert_int_equal(w->contacts_ready, 0);
            b.fail_at = b.calls + k;
            assert_int_equal(ct_world_step(w, (ct_real)0.2, NULL), CT_ERR_MEMORY);
            b.fail_at = 0;
            listed = w->contacts_ready;
            take_image(&after, w);
            assert_int_equal(before.n, after.n);
            assert_memory_equal(before.bytes, after.bytes, before.n);
        }
        ct_world_destroy(w);
        assert_true(b.live == 0 && b.blocks == 0 && b.wrong == 0);
    }
    assert_true(k > 2); /* the first allocation is one of the list */
}

/* a fixed step that is stable with the elements as they are, and not with those near the plane: it is refused, and the world is what it was */
static void refusals_change_nothing(void **state)
{
    static image before, after;
    ct_world_desc d = desc_of(NULL);
    ct_world *w;
    ct_body_id id[4];
    ct_step_report r;
    int k;
    (void)state;
    d.rk.fixed_step = (ct_real)4.5e-3;
    w = falling(&d, id);
    take_image(&before, w);
    for (k = 0; k < 2; k++) {
        assert_int_equal(ct_world_step(w, (ct_real)0.2, &r), CT_ERR_UNSUPPORTED);
        assert_non_null(strstr(ct_world_error(w)->text, "not stable"));
        take_image(&after, w);
        assert_int_equal(before.n, after.n);
        assert_memory_equal(before.bytes, after.bytes, before.n);
    }
    assert_int_equal(ct_world_step(w, (ct_real)4.5e-3, &r), CT_OK); /* a step in which nothing comes near */
    assert_int_equal(r.rk.refined, 0);
    ct_world_destroy(w);
}

/* the search for elements to be split allocates nothing where none are left to be split; the bodies come down, and do not touch yet */
static void searches_allocate_nothing(void **state)
{
    books b;
    ct_world_desc d;
    ct_world *w;
    ct_mesh m = mesh_box(0.2, 0.2, 0.2, 3, 3, 3, 1);
    ct_body_id id[3];
    int64_t calls[2] = {0, 0};
    int i, refined[2] = {0, 0};
    (void)state;
    memset(&b, 0, sizeof b);
    d = desc_of(&b);
    w = world_make(&d);
    three_boxes(w, &m, id, 0.004);
    for (i = 0; i < 15; i++) {
        refined[i >= 3] += step_once(w, 0.002).rk.refined;
        calls[i >= 3] = b.calls; /* calls[0]: after the first three */
    }
    assert_true(refined[0] > 300 && refined[1] == 0 && calls[0] == calls[1]);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* vertices of a side, and the sum of their weights */
static int side_of(const int32_t *vertices, const ct_real *weights, double *sum)
{
    int k, n = 0;
    for (k = 0, *sum = 0; k < 3; k++)
        n += vertices[k] >= 0, *sum += (double)weights[k];
    return n;
}

/* contacts of edges inside of faces: the edge of a bar is pressed into a slab and slides over the pieces of its faces. A contact's kind tells how many
   vertices its sides have, and the force does not jump where the bar goes from piece to piece */
static void edges_inside_of_faces(void **state)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.08, 0.04, 0.08, 4, 2, 4, 1), bar = mesh_box(0.012, 0.02, 0.2, 1, 1, 1, 0);
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_motion_segment path[2];
    const ct_contact *c;
    int32_t low[64];
    ct_body_id id;
    double last = 0, jump = 0, sum[2];
    int i, j, n, kinds[6] = {0}, count = 0;
    (void)state;
    d.rk.edges = 1, d.gravity[1] = 0;
    w = world_make(&d);
    id = add_at(w, &m, 0.3, 2e-3, 0, 0.02, 0, 0);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i + 1] < (ct_real)-0.0199)
            low[count++] = i;
    assert_int_equal(ct_body_pin(w, id, low, count, CT_AXIS_ALL, NULL, -1), CT_OK);
    memset(path, 0, sizeof path);
    path[0].motion.linear[1] = (ct_real)-0.1, path[0].duration = 0.02, path[1].motion.linear[0] = (ct_real)0.1, path[1].duration = -1;
    k.mesh = &bar, k.position[0] = (ct_real)-0.005, k.position[1] = (ct_real)0.0505;
    k.rotation[0] = (ct_real)cos(0.2), k.rotation[2] = (ct_real)sin(0.2);
    k.segments = path, k.n_segments = 2;
    assert_int_equal(ct_body_add_kinematic(w, &k, NULL), CT_OK);
    for (i = 0; i < 50; i++) {
        double force = 0;
        step_once(w, 0.002);
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (j = 0; j < n; j++) {
            int a = side_of(c[j].vertices_a, c[j].weights_a, &sum[0]), b = side_of(c[j].vertices_b, c[j].weights_b, &sum[1]);
            int on = c[j].body_a.index1 == id.index1; /* the slab is pressed down; walls of the bar have normals to the side */
            assert_true(fabs(sum[0] - 1) < 1e-4 && fabs(sum[1] - 1) < 1e-4 && (on ? -c[j].normal[1] : c[j].normal[1]) > (ct_real)-0.5);
            assert_true(c[j].kind == CT_PAIR_EE ? a == b : (b == 3 && a == (c[j].kind == CT_PAIR_VF ? 1 : 2)));
            assert_true(fabs((double)c[j].point[1] - 0.04) < 0.01);
            kinds[c[j].kind]++;
            force += (double)c[j].impulse_normal * fabs((double)c[j].normal[1]) / 0.002;
        }
        jump = i > 15 ? fmax(jump, fabs(force - last) / force) : 0;
        last = force;
    }
    if (!(kinds[CT_PAIR_EE] > 100 && kinds[CT_PAIR_EF] > 100 && jump < 0.03))
        fail_msg("%d EE, %d EF, largest change of the force %g", kinds[CT_PAIR_EE], kinds[CT_PAIR_EF], jump);
    ct_mesh_free(&m), ct_mesh_free(&bar);
    ct_world_destroy(w);
}

/* a rigid ball of radius 3 cm is pressed 4 mm into a slab; impulse of its contacts over the last 10 ms */
static double indented(int cells, ct_refine refine, int *tets, int *steps)
{
    ct_world_desc d = desc_of(NULL);
    ct_world *w;
    ct_mesh m = mesh_box(0.08, 0.04, 0.08, 2 * cells, cells, 2 * cells, 1), ball;
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_motion_segment path[2];
    ct_body_id id;
    double sum = 0;
    int i, j, n;
    const ct_contact *c;
    d.rk.refine = refine, d.gravity[1] = 0;
    w = world_make(&d);
    memset(&ball, 0, sizeof ball);
    assert_int_equal(ct_mesh_sphere((ct_real)0.03, 3, &ball, NULL), CT_OK);
    add_at(w, &m, 0.3, 2e-3, 0, 0.02, 0, 0);
    assert_int_equal(ct_body_add_plane(w, NULL, 0, NULL), CT_OK);
    memset(path, 0, sizeof path);
    path[0].motion.linear[1] = (ct_real)-0.1, path[0].duration = 0.045, path[1].duration = -1;
    k.name = "ball", k.mesh = &ball, k.position[0] = (ct_real)0.0011, k.position[1] = (ct_real)0.0705, k.position[2] = (ct_real)0.0007;
    k.segments = path, k.n_segments = 2;
    assert_int_equal(ct_body_add_kinematic(w, &k, &id), CT_OK);
    *steps = 0;
    for (i = 0; i < 20; i++) {
        ct_step_report r = step_once(w, 0.005);
        *steps += r.rk.accepted;
        assert_true(r.status == CT_STATUS_OK || i < 4); /* energies are 1e-12 J before the ball touches */
        assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
        for (j = 0; j < n && i >= 18; j++)
            if (c[j].kind != CT_PAIR_PLANE)
                sum += (double)c[j].impulse_normal * (double)c[j].normal[1] / 0.01 * (c[j].body_b.index1 == id.index1 ? 1 : -1);
    }
    *tets = w->bodies[0].model.tets.n;
    ct_mesh_free(&m), ct_mesh_free(&ball);
    ct_world_destroy(w);
    return fabs(sum);
}

static void indentation(void **state)
{
    int tets[3], steps[3];
    double coarse = indented(3, CT_REFINE_NONE, &tets[0], &steps[0]), refined = indented(3, CT_REFINE_ELEMENTS, &tets[1], &steps[1]),
           fine = indented(6, CT_REFINE_NONE, &tets[2], &steps[2]);
    (void)state;
    print_message("force %.4f N, %d tets, %d steps; refined %.4f, %d, %d; fine %.4f, %d, %d\n", coarse, tets[0], steps[0], refined, tets[1], steps[1],
                  fine, tets[2], steps[2]);
    assert_true(fabs(refined - fine) < 0.6 * fabs(coarse - fine) && tets[1] < tets[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divided_meshes),           cmocka_unit_test(linear_fields_stay), cmocka_unit_test(momenta_stay),
        cmocka_unit_test(numbers_of_the_user_stay), cmocka_unit_test(pinned_edges_stay),  cmocka_unit_test(middles_are_held_as_their_ends),
        cmocka_unit_test(memory_runs_out),          cmocka_unit_test(memory_runs_out_while_contacts_are_listed),
        cmocka_unit_test(refusals_change_nothing),  cmocka_unit_test(searches_allocate_nothing),
        cmocka_unit_test(edges_inside_of_faces),    PLAIN_TEST(indentation)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
