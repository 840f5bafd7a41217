/* trace_explicit.c -- what the figures of docs/explicit.md are drawn from (tools/figures_explicit.py), as lines of text.
     trace_explicit depths             a soft slab falls on seven posts: time [s], post, vertex, distance before the move back [edges], 1 for held
     trace_explicit heights STEPPER [STIFFNESS [DAMPING]]  a soft box falls on a plane; STEPPER explicit or penalty (its explicit form): time [s],
                                       height of a node of its lower face [m], steps so far
     trace_explicit inside MESH        two crossed cylinders of the tetrahedra of MESH: positions and tetrahedra of both where they are bent most
     trace_explicit beam               sag of a cantilever by Poisson's ratio, mesh and remedy
     trace_explicit refine MESH        the ball on a board and two crossed cylinders of the tetrahedra of MESH by refinement, beside meshes of which
                                       every tetrahedron is split */
#include "../src/8_explicit/explicit.h"
#include "../src/9_world/world.h"
#include "../src/4_geom/dist.h"
#include "../src/5_mesh/divide.h"
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ct_world *open_world(ct_stepper stepper, double stiffness, double damping)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    d.stepper = stepper, d.friction = 0, d.self_collision = 0, d.thickness = (ct_real)1e-4;
    d.penalty.form = CT_PENALTY_EXPLICIT, d.penalty.depth = CT_PENALTY_INSIDE, d.penalty.max_substeps = 4096;
    d.penalty.stiffness = (ct_real)stiffness, d.penalty.damping = (ct_real)damping;
    if (ct_world_create(&d, &w, NULL))
        exit(1);
    return w;
}

static ct_body_id add_soft(ct_world *w, const ct_mesh *m, double young, double poisson, double damping, double x, double y, double z, double vy)
{
    ct_soft_desc q = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    q.mesh = m, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    q.material.young = (ct_real)young, q.material.poisson = (ct_real)poisson, q.material.density = 1000;
    q.material.damping_stiffness = (ct_real)damping, q.material.damping_mass = 0;
    q.position[0] = (ct_real)x, q.position[1] = (ct_real)y, q.position[2] = (ct_real)z, q.velocity[1] = (ct_real)vy;
    if (ct_body_add_soft(w, &q, &id))
        exit(1);
    return id;
}

static ct_mesh box(double x, double y, double z, int a, int b, int c, int tets)
{
    ct_real size[3];
    int cells[3];
    ct_mesh m;
    size[0] = (ct_real)x, size[1] = (ct_real)y, size[2] = (ct_real)z, cells[0] = a, cells[1] = b, cells[2] = c;
    if (ct_mesh_box(size, cells, tets, &m, NULL))
        exit(1);
    return m;
}

static ct_step_report step(ct_world *w, double dt)
{
    ct_step_report r;
    if (ct_world_step(w, (ct_real)dt, &r))
        exit(1);
    return r;
}

/* one Runge-Kutta step for each step of the world, so that every accepted one is seen */
static void depths(void)
{
    ct_world *w = open_world(CT_STEPPER_EXPLICIT, 0, -1);
    ct_mesh slab = box(0.1, 0.03, 0.1, 10, 3, 10, 1), post = box(0.012, 0.03, 0.012, 1, 1, 1, 0);
    static const double around[7][2] = {{0, 0}, {0.5, 0.866}, {-0.5, 0.866}, {-1, 0}, {-0.5, -0.866}, {0.5, -0.866}, {1, 0}};
    int i, k;
    add_soft(w, &slab, 1e5, 0.49, 0.002, 0.002, 0.046, 0.001, -0.5);
    for (k = 0; k < 7; k++) {
        ct_static_desc d = ct_static_desc_default();
        d.mesh = &post, d.position[1] = (ct_real)0.015;
        d.position[0] = (ct_real)(0.035 * around[k][0]), d.position[2] = (ct_real)(0.035 * around[k][1]);
        if (ct_body_add_static(w, &d, NULL))
            exit(1);
    }
    for (i = 0; i < 1600; i++) {
        const cti_explicit *g;
        ct_step_report r = step(w, 0.00025);
        g = cti_explicit_own(&w->state);
        for (k = 0; k < CTI_LEN(g->contacts); k++) {
            const cti_explicit_contact *c = &g->contacts[k];
            int a = w->state.surface.body_of[c->pair.v[0]], b = w->state.surface.body_of[c->pair.v[1]];
            if (!c->adjacent)
                printf("%.6f %d %d %.4g %d %d\n", ct_world_time(w), a > b ? a : b, c->pair.v[0], (double)(c->d_found / g->edge), c->held,
                       r.rk.accepted);
        }
    }
    ct_world_destroy(w);
    ct_mesh_free(&slab), ct_mesh_free(&post);
}

static void heights(ct_stepper stepper, double stiffness, double damping, double dt)
{
    ct_world *w = open_world(stepper, stiffness, damping);
    ct_mesh m = box(0.05, 0.04, 0.05, 5, 4, 5, 1);
    ct_body_id id;
    double *x = (double *)malloc(sizeof *x * (size_t)m.n_positions * 3);
    int i, k, node = 0, total = 0;
    /* the node nearest to the middle of the lower face */
    for (k = 0; k < m.n_positions; k++) {
        double best = fabs(m.positions[3 * node]) + fabs(m.positions[3 * node + 2]) + 10 * (m.positions[3 * node + 1] + 0.02);
        if (fabs(m.positions[3 * k]) + fabs(m.positions[3 * k + 2]) + 10 * (m.positions[3 * k + 1] + 0.02) < best)
            node = k;
    }
    ct_body_add_plane(w, NULL, 0, NULL);
    id = add_soft(w, &m, 1e5, 0.49, 1e-3, 0, 0.022, 0, -0.5);
    for (i = 0; i < (int)(0.3 / dt); i++) {
        ct_step_report r = step(w, dt);
        total += stepper == CT_STEPPER_EXPLICIT ? r.rk.accepted + r.rk.rejected : r.substeps;
        ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
        printf("%.5f %.6g %d\n", ct_world_time(w), x[3 * node + 1], total);
    }
    free(x);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* the crossed cylinders of make_explicit.py where they store most energy */
static void inside(const char *path)
{
    ct_world *w = open_world(CT_STEPPER_EXPLICIT, 0, -1);
    ct_mesh m, turned, post = box(0.02, 0.02, 0.08, 1, 1, 1, 0);
    ct_body_id id[2];
    double *x[2], *kept[2], most = 0;
    int i, k;
    if (ct_mesh_read(path, &m, NULL) || ct_mesh_read(path, &turned, NULL))
        exit(1);
    for (i = 0; i < turned.n_positions; i++) { /* by 90 degrees about y */
        ct_real a = turned.positions[3 * i];
        turned.positions[3 * i] = turned.positions[3 * i + 2], turned.positions[3 * i + 2] = -a;
    }
    id[0] = add_soft(w, &m, 1e5, 0.49, 0.002, 0, 0.0405, 0, 0);
    id[1] = add_soft(w, &turned, 1e5, 0.49, 0.002, 0.002, 0.083, 0.001, -1.2);
    for (k = 0; k < 2; k++) {
        ct_static_desc d = ct_static_desc_default();
        d.mesh = &post, d.position[0] = (ct_real)(k ? 0.05 : -0.05), d.position[1] = (ct_real)0.01;
        if (ct_body_add_static(w, &d, NULL))
            exit(1);
        x[k] = (double *)malloc(sizeof(double) * 3 * (size_t)m.n_positions), kept[k] = (double *)malloc(sizeof(double) * 3 * (size_t)m.n_positions);
    }
    ct_body_add_plane(w, NULL, 0, NULL);
    for (i = 0; i < 40; i++) {
        ct_step_report r = step(w, 0.002);
        if (r.energy_elastic <= most)
            continue;
        most = r.energy_elastic;
        for (k = 0; k < 2; k++)
            ct_body_get_positions(w, id[k], kept[k], CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
    }
    for (k = 0; k < 2; k++) {
        const ct_mesh *q = k ? &turned : &m;
        printf("%d %d\n", q->n_positions, q->n_tets);
        for (i = 0; i < q->n_positions; i++)
            printf("%.6g %.6g %.6g %.6g %.6g %.6g\n", kept[k][3 * i], kept[k][3 * i + 1], kept[k][3 * i + 2], (double)q->positions[3 * i],
                   (double)q->positions[3 * i + 1], (double)q->positions[3 * i + 2]);
        for (i = 0; i < q->n_tets; i++)
            printf("%d %d %d %d\n", q->tets[4 * i], q->tets[4 * i + 1], q->tets[4 * i + 2], q->tets[4 * i + 3]);
        free(x[k]), free(kept[k]);
    }
    ct_mesh_free(&m), ct_mesh_free(&turned), ct_mesh_free(&post);
    ct_world_destroy(w);
}

static double volume(const double *x, const ct_mesh *m)
{
    double sum = 0;
    int e;
    for (e = 0; e < m->n_tets; e++) {
        const double *p = x + 3 * m->tets[4 * e], *a = x + 3 * m->tets[4 * e + 1], *b = x + 3 * m->tets[4 * e + 2], *c = x + 3 * m->tets[4 * e + 3];
        double u[3], v[3], z[3];
        int k;
        for (k = 0; k < 3; k++)
            u[k] = a[k] - p[k], v[k] = b[k] - p[k], z[k] = c[k] - p[k];
        sum += (u[0] * (v[1] * z[2] - v[2] * z[1]) - u[1] * (v[0] * z[2] - v[2] * z[0]) + u[2] * (v[0] * z[1] - v[1] * z[0])) / 6;
    }
    return sum;
}

/* a clamped beam of 24 x 2 x 2 cm under a tenth of its weight: rho g A L^4 / (8 E I) + rho g L^2 / (2 (5/6) G) */
static void beam(int cells, double poisson, int element)
{
    const double L = 0.24, h = 0.02, young = 1e5, g = 0.0981;
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_mesh m = box(L, h, h, (int)(12 * cells), cells, cells, 1);
    ct_soft_desc q = ct_soft_desc_default();
    ct_body_id id;
    int32_t *nodes = (int32_t *)malloc(sizeof *nodes * (size_t)m.n_positions);
    double *x = (double *)malloc(sizeof *x * 3 * (size_t)m.n_positions), *rest = (double *)malloc(sizeof *rest * 3 * (size_t)m.n_positions), sag = 0;
    double exact = 1000 * g * L * L * L * L * 12 / (8 * young * h * h) + 1000 * g * L * L / (2 * 5.0 / 6 * young / (2 * (1 + poisson)));
    int i, n = 0, tip = 0, steps = 0;
    d.stepper = CT_STEPPER_EXPLICIT, d.friction = 0, d.self_collision = 0, d.gravity[1] = (ct_real)-g;
    d.rk.element_pressure = element;
    if (ct_world_create(&d, &w, NULL))
        exit(1);
    q.mesh = &m, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    q.material.young = (ct_real)young, q.material.poisson = (ct_real)poisson, q.material.density = 1000;
    q.material.damping_stiffness = 0, q.material.damping_mass = 8;
    if (ct_body_add_soft(w, &q, &id))
        exit(1);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i] < (ct_real)(-L / 2 + 1e-6))
            nodes[n++] = i;
    ct_body_pin(w, id, nodes, n, CT_AXIS_X | CT_AXIS_Y | CT_AXIS_Z, NULL, -1);
    ct_body_get_positions(w, id, rest, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
    for (i = 0; i < 60; i++)
        steps += step(w, 0.05).rk.accepted;
    ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
    for (i = 0; i < m.n_positions; i++)
        if (m.positions[3 * i] > (ct_real)(L / 2 - 1e-6))
            sag += rest[3 * i + 1] - x[3 * i + 1], tip++;
    printf("%d cells, nu %.3f, %s pressure: sag %.3f mm, exact %.3f mm, ratio %.3f, volume %.1e, %d steps\n", cells, poisson,
           element ? "element" : "nodal", 1e3 * sag / tip, 1e3 * exact, sag / tip / exact, volume(x, &m) / volume(rest, &m) - 1, steps);
    fflush(stdout);
    free(nodes), free(x), free(rest);
    ct_mesh_free(&m);
    ct_world_destroy(w);
}

/* ---- refinement ---- */

/* a mesh of which every tetrahedron is split; its first nodes are those of m */
static ct_mesh split(const ct_mesh *m)
{
    ct_mesh out;
    cti_mem mem;
    cti_divide q;
    int32_t *edges = NULL, *parent = NULL;
    int i;
    memset(&out, 0, sizeof out), memset(&q, 0, sizeof q);
    cti_mem_init(&mem, NULL);
    if (!cti_divide_edges(&mem, m->tets, m->n_tets, NULL, NULL, &edges) || !cti_divide_open(&mem, &q, m->positions, m->n_positions, edges, CTI_LEN(edges) / 2) ||
        !cti_divide_all(&mem, &q, 4, m->tets, m->n_tets, &out.tets, &parent) || !CTI_RESIZE(&mem, out.positions, 3 * (m->n_positions + q.n)))
        exit(1);
    memcpy(out.positions, m->positions, sizeof(ct_real) * 3 * (size_t)m->n_positions);
    for (i = 0; i < 3 * q.n; i++)
        out.positions[3 * m->n_positions + i] = (m->positions[3 * edges[i / 3 * 2] + i % 3] + m->positions[3 * edges[i / 3 * 2 + 1] + i % 3]) / 2;
    out.n_positions = m->n_positions + q.n, out.n_tets = CTI_LEN(parent);
    cti_divide_close(&mem, &q);
    CTI_FREE(&mem, edges), CTI_FREE(&mem, parent);
    return out;
}

/* the deepest of nine points on each edge behind the nearest face of another body [m]; all 0: static bodies do not count */
static double deepest(const ct_world *w, int all)
{
    const cti_surface *f = &w->state.surface;
    double most = 0;
    int e, k, t;
    for (e = 0; e < f->ne; e++)
        for (k = 1; k < 10 && (all || f->bodies[f->body_of[f->edges[2 * e]]].dynamic); k++) {
            const int32_t *v = f->edges + 2 * e;
            ct_real p[3], best = (ct_real)0.01 * (ct_real)0.01, depth = 0;
            int i;
            for (i = 0; i < 3; i++)
                p[i] = f->x0[3 * v[0] + i] + (f->x0[3 * v[1] + i] - f->x0[3 * v[0] + i]) * (ct_real)k / 10;
            for (t = 0; t < f->nf; t++) {
                const int32_t *q = f->faces + 3 * t;
                ct_real weights[3], d2;
                cti_v3 a = cti_v3_at(f->x0, q[0]), n, to;
                int feature;
                if (f->body_of[q[0]] == f->body_of[v[0]] || !(all || f->bodies[f->body_of[q[0]]].dynamic))
                    continue;
                d2 = cti_dist_pt(p, f->x0 + 3 * q[0], f->x0 + 3 * q[1], f->x0 + 3 * q[2], weights, &feature);
                if (!(d2 < best))
                    continue;
                n = cti_v3_unit(cti_v3_cross(cti_v3_sub(cti_v3_at(f->x0, q[1]), a), cti_v3_sub(cti_v3_at(f->x0, q[2]), a)), cti_v3_zero());
                to = cti_v3_sub(cti_v3_at(p, 0), a);
                best = d2, depth = feature == 6 ? -cti_v3_dot(to, n) : 0;
            }
            most = most > (double)depth ? most : (double)depth;
        }
    return most;
}

enum { TRACE_BOARD, TRACE_CYLINDERS };

/* two scenes of make_explicit.py, with `twice` of split meshes. Positions of the soft bodies' nodes [6 n] into x */
static void refined(int scene, const ct_mesh *mesh, ct_refine refine, int twice, double *x)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_mesh m[2], part[2], post = scene == TRACE_BOARD ? box(0.02, 0.05, 0.12, 1, 1, 1, 0) : box(0.02, 0.02, 0.08, 1, 1, 1, 0), ball;
    ct_body_id id[2];
    int bodies = scene == TRACE_BOARD ? 1 : 2, i, k, tets = 0, steps = 0, evaluations = 0, pairs = 0;
    double ms = 0, depth[2] = {0, 0}, at[2], gained = 0, work = 0;
    memset(&ball, 0, sizeof ball);
    d.stepper = CT_STEPPER_EXPLICIT, d.friction = 0, d.self_collision = 0, d.rk.refine = refine, d.rk.edges = 0;
    if (ct_world_create(&d, &w, NULL))
        exit(1);
    m[0] = *mesh, m[1] = *mesh, m[1].positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)mesh->n_positions);
    for (i = 0; i < mesh->n_positions; i++) /* by 90 degrees about y */
        m[1].positions[3 * i] = mesh->positions[3 * i + 2], m[1].positions[3 * i + 1] = mesh->positions[3 * i + 1],
        m[1].positions[3 * i + 2] = -mesh->positions[3 * i];
    for (k = 0; k < bodies; k++) {
        ct_soft_desc q = ct_soft_desc_default();
        part[k] = twice ? split(&m[k]) : m[k];
        q.mesh = &part[k], q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
        q.material.young = (ct_real)(scene == TRACE_BOARD ? 1e7 : 1e5), q.material.poisson = (ct_real)(scene == TRACE_BOARD ? 0.3 : 0.49);
        q.material.density = scene == TRACE_BOARD ? 600 : 1000, q.material.damping_stiffness = (ct_real)(scene == TRACE_BOARD ? 1e-5 : 2e-3);
        q.material.damping_mass = 0;
        q.position[1] = (ct_real)(scene == TRACE_BOARD ? 0.0561 : (k ? 0.083 : 0.0405));
        if (k)
            q.position[0] = (ct_real)0.002, q.position[2] = (ct_real)0.001, q.velocity[1] = (ct_real)-1.2;
        if (ct_body_add_soft(w, &q, &id[k]))
            exit(1);
    }
    if (scene == TRACE_BOARD) {
        ct_rigid_desc q = ct_rigid_desc_default();
        if (ct_mesh_sphere((ct_real)0.02, 2, &ball, NULL))
            exit(1);
        q.mesh = &ball, q.density = 7800, q.position[0] = (ct_real)0.003, q.position[1] = (ct_real)0.0836, q.position[2] = (ct_real)0.002;
        q.velocity[1] = -1;
        if (ct_body_add_rigid(w, &q, NULL))
            exit(1);
    }
    at[0] = scene == TRACE_BOARD ? 0.17 : 0.05, at[1] = scene == TRACE_BOARD ? 0.025 : 0.01;
    for (k = 0; k < 2; k++) {
        ct_static_desc q = ct_static_desc_default();
        q.mesh = &post, q.position[0] = (ct_real)(k ? at[0] : -at[0]), q.position[1] = (ct_real)at[1];
        if (ct_body_add_static(w, &q, NULL))
            exit(1);
    }
    ct_body_add_plane(w, NULL, 0, NULL);
    for (i = 0; i < (scene == TRACE_BOARD ? 15 : 6); i++) {
        clock_t start = clock();
        ct_step_report r = step(w, scene == TRACE_BOARD ? 0.002 : 0.01);
        ct_pair *p;
        int n = 0;
        ms += 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
        for (k = 0; k < 2; k++) {
            double now = deepest(w, k);
            depth[k] = now > depth[k] ? now : depth[k];
        }
        ct_world_validate(w, &p, &n);
        pairs += n, steps += r.rk.accepted, evaluations += r.rk.evaluations;
        gained = r.energy_gained > gained ? r.energy_gained : gained, work += r.rk.work_refine;
        if (r.status != CT_STATUS_OK)
            printf("step %d: status %d\n", i, (int)r.status);
    }
    for (k = 0; k < bodies; k++) {
        double *all = (double *)malloc(sizeof *all * 3 * (size_t)part[k].n_positions);
        tets += w->bodies[k].model.tets.n;
        ct_body_get_positions(w, id[k], all, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
        memcpy(x + 3 * (size_t)k * (size_t)mesh->n_positions, all, sizeof *all * 3 * (size_t)mesh->n_positions);
        free(all);
        if (twice)
            ct_free(part[k].positions), ct_free(part[k].tets);
    }
    printf("%s, refine %d%s: %d tets, %d steps, %d evaluations, %.0f ms of CPU time, %d intersecting pairs, deepest point of an edge %.3f mm between bodies that move, %.3f mm with the others, gained %.1e J, "
           "refinement %.1e J",
           scene == TRACE_BOARD ? "board" : "cylinders", (int)refine, twice ? ", all split" : "", tets, steps, evaluations, ms, pairs, 1e3 * depth[0], 1e3 * depth[1], gained,
           work);
    ct_world_destroy(w);
    free(m[1].positions);
    ct_mesh_free(&post), ct_mesh_free(&ball);
}

static void refinement(const char *path)
{
    ct_mesh m[2];
    int scene, k, i;
    m[0] = box(0.4, 0.012, 0.1, 20, 2, 5, 1);
    if (ct_mesh_read(path, &m[1], NULL))
        exit(1);
    for (scene = 0; scene < 2; scene++) {
        int n = (scene == TRACE_BOARD ? 3 : 6) * m[scene].n_positions;
        double *x = (double *)malloc(sizeof *x * 2 * (size_t)n), *fine = x + n;
        refined(scene, &m[scene], CT_REFINE_NONE, 1, fine);
        printf("\n");
        for (k = 0; k < CT_REFINE_COUNT_; k++) {
            double sum = 0, most = 0;
            refined(scene, &m[scene], (ct_refine)k, 0, x);
            for (i = 0; i < n; i++)
                sum += (x[i] - fine[i]) * (x[i] - fine[i]), most = fabs(x[i] - fine[i]) > most ? fabs(x[i] - fine[i]) : most;
            printf(", nodes off by %.3f mm, most %.3f\n", 1e3 * sqrt(3 * sum / n), 1e3 * most);
        }
        free(x);
    }
    ct_mesh_free(&m[0]), ct_mesh_free(&m[1]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int k, e;
    static const double nu[] = {0.3, 0.45, 0.49, 0.499};
    if (!strcmp(what, "depths"))
        depths();
    else if (!strcmp(what, "heights") && argc > 2)
        heights(strcmp(argv[2], "penalty") ? CT_STEPPER_EXPLICIT : CT_STEPPER_PENALTY, argc > 3 ? atof(argv[3]) : 0, argc > 4 ? atof(argv[4]) : -1,
                0.001);
    else if (!strcmp(what, "inside") && argc > 2)
        inside(argv[2]);
    else if (!strcmp(what, "refine") && argc > 2)
        refinement(argv[2]);
    else if (!strcmp(what, "beam"))
        for (k = 0; k < 4; k++)
            for (e = 0; e < 2; e++)
                beam(argc > 2 ? atoi(argv[2]) : 2, nu[k], e);
    else
        return 0; /* make bench runs it without arguments */
    return 0;
}
