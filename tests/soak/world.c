/* world.c -- a random world from a seed: how it is made. Method: every body has a stream of random numbers of its own, so that a world with
   bodies left out is the same but for them. Bodies are placed apart by their bounding spheres in three worlds of four, anywhere in the
   fourth. Meshes that the manual accepts must be accepted; others may be refused, with a culprit and without a trace. */
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers (splitmix64) ---- */
static uint64_t next(soak_rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
soak_rng soak_stream(uint64_t seed, uint64_t which)
{
    soak_rng r;
    r.s = seed * 0xd1342543de82ef95ull + which * 0x2545f4914f6cdd1dull + 1;
    next(&r);
    return r;
}
double soak_uniform(soak_rng *r, double lo, double hi) { return lo + (hi - lo) * ((double)(next(r) >> 11) / 9007199254740992.0); }
double soak_decades(soak_rng *r, double lo, double hi) { return pow(10, soak_uniform(r, lo, hi)); }
int soak_below(soak_rng *r, int n) { return (int)(next(r) % (uint64_t)n); }
int soak_chance(soak_rng *r, double p) { return soak_uniform(r, 0, 1) < p; }

static void direction(soak_rng *r, double out[3])
{
    double l;
    int k;
    do {
        for (l = 0, k = 0; k < 3; k++)
            out[k] = soak_uniform(r, -1, 1), l += out[k] * out[k];
    } while (l > 1 || l < 1e-3);
    for (k = 0; k < 3; k++)
        out[k] /= sqrt(l);
}

/* a speed [m/s] that suits the world's size; a fast one goes many sizes in a step */
static double speed(soak_run *u, soak_rng *r)
{
    double slow = u->size * soak_decades(r, -2, 1), fast = u->size / u->dt * soak_decades(r, -1, 2);
    return soak_chance(r, 0.1) ? fmin(fast, 1e6 * u->size) : slow;
}
void soak_velocity(soak_run *u, soak_rng *r, ct_real out[3])
{
    double d[3], s = soak_chance(r, 0.3) ? 0 : speed(u, r);
    int k;
    direction(r, d);
    if (u->meet)
        s = sqrt(u->young / 1000) * soak_decades(r, -1.6, -0.5);
    for (k = 0; k < 3; k++)
        out[k] = (ct_real)(s * (u->meet ? u->to[k] + 0.2 * d[k] : d[k]));
}
/* [rad/s]: slow, or many turns in a step */
void soak_spin(soak_run *u, soak_rng *r, ct_real out[3])
{
    double d[3], s = soak_chance(r, 0.5) ? 0 : (soak_chance(r, 0.1) ? soak_decades(r, -1, 2) / u->dt : soak_decades(r, -1, 1.5));
    int k;
    direction(r, d);
    for (k = 0; k < 3; k++)
        out[k] = (ct_real)(fmin(s, 1e5) * d[k]);
}

/* ---- the world ---- */
static void barrier_desc(soak_run *u, soak_rng *r)
{
    ct_barrier_desc *b = &u->desc.barrier;
    double slow = sizeof(ct_real) == 4 ? 1e-4 : 1e-8; /* [sizes a step] */
    u->desc.stepper = CT_STEPPER_BARRIER;
    b->kind = (ct_barrier_kind)soak_below(r, CT_BARRIER_COUNT_);
    b->dhat = (ct_real)(soak_chance(r, 0.6) ? 0 : u->thickness * soak_decades(r, -0.5, 1));
    b->friction_velocity = (ct_real)(soak_chance(r, 0.5) ? 1e-3 : u->size / u->dt * soak_decades(r, -7, -2));
    b->newton_tolerance = (ct_real)(soak_chance(r, 0.3) ? 1e-3 : u->size / u->dt * soak_decades(r, log10(slow), -3));
    b->friction_iterations = soak_chance(r, 0.6) ? 0 : soak_below(r, 4);
    b->newton_iterations = soak_chance(r, 0.6) ? 200 : 1 + soak_below(r, 60);
    b->stiffness = (ct_real)(soak_chance(r, 0.8) ? 0 : soak_decades(r, -6, 6));
}

static void penalty_desc(soak_run *u, soak_rng *r)
{
    ct_penalty_desc *p = &u->desc.penalty;
    u->desc.stepper = CT_STEPPER_PENALTY;
    p->form = (ct_penalty_form)soak_chance(r, 0.3);
    p->depth = (ct_penalty_depth)soak_chance(r, 0.3);
    p->friction = soak_chance(r, 0.6) ? CT_PENALTY_ANCHOR : (ct_penalty_friction)soak_below(r, CT_PENALTY_FRICTION_COUNT_);
    p->stiffness = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -6, 9));
    p->damping = (ct_real)(soak_chance(r, 0.6) ? -1 : (soak_chance(r, 0.3) ? 0 : soak_decades(r, -6, 4)));
    p->friction_stiffness = (ct_real)(soak_chance(r, 0.6) ? 0 : soak_decades(r, -6, 9));
    p->friction_velocity = (ct_real)(soak_chance(r, 0.5) ? 1e-3 : u->size / u->dt * soak_decades(r, -7, -2));
    p->warp = !soak_chance(r, 0.2);
    p->iterations = soak_chance(r, 0.6) ? 40 : 1 + soak_below(r, 60);
    p->max_substeps = soak_chance(r, 0.6) ? 16 : 1 + soak_below(r, 64);
    u->desc.restitution = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_uniform(r, 0, 1));
}

static void layers_desc(soak_run *u, soak_rng *r)
{
    ct_layers_desc *y = &u->desc.layers;
    u->desc.stepper = CT_STEPPER_LAYERS;
    u->desc.restitution = (ct_real)(soak_chance(r, 0.4) ? 0 : soak_uniform(r, 0, 1));
    y->clock = (ct_real)(soak_chance(r, 0.5) ? 0.0625 : soak_uniform(r, 0.01, 0.25));
    y->layer_clock = (ct_real)(soak_chance(r, 0.5) ? 0.03 : soak_uniform(r, 0.01, 0.2));
    y->depth = (ct_real)soak_decades(r, -3, 0);
    y->max_layers = soak_chance(r, 0.8) ? 4096 : 1 + soak_below(r, 100);
    y->max_updates = (int)soak_decades(r, 3, 5.7);
}

static void explicit_desc(soak_run *u, soak_rng *r)
{
    ct_explicit_desc *q = &u->desc.rk;
    double split;
    u->desc.stepper = CT_STEPPER_EXPLICIT;
    u->meet = soak_chance(r, 0.6);
    u->desc.friction = 0, u->desc.self_collision = 0;
    q->tolerance = (ct_real)(soak_chance(r, 0.5) ? 1e-4 : soak_decades(r, sizeof(ct_real) == 4 ? -4 : -7, -2));
    q->fixed_step = (ct_real)(soak_chance(r, 0.9) ? 0 : u->dt * soak_decades(r, -2, 0));
    q->extrapolate = soak_chance(r, 0.3), q->edges = soak_chance(r, 0.6), q->element_pressure = soak_chance(r, 0.3);
    q->penetration = (ct_real)(soak_chance(r, 0.6) ? 1e-3 : soak_decades(r, -4, -1));
    q->bulk_viscosity = (ct_real)(soak_chance(r, 0.6) ? 0.06 : soak_uniform(r, 0, 2));
    q->max_steps = 1 + soak_below(r, 400);
    split = soak_uniform(r, 0, 1);
    q->refine = split < 0.3 ? CT_REFINE_ELEMENTS : (split < 0.55 ? CT_REFINE_SURFACE : CT_REFINE_NONE);
    q->program = soak_chance(r, 0.8) ? CT_EXPLICIT_ACTIVE_SET : CT_EXPLICIT_INTERIOR_POINT;
    q->rules = q->refine == CT_REFINE_SURFACE || soak_chance(r, 0.8) ? CT_EXPLICIT_REGION : CT_EXPLICIT_NODE;
}

void soak_make_meeting(soak_run *u, soak_rng *r)
{
    ct_explicit_desc *q = &u->desc.rk;
    u->dt = u->size / sqrt(u->young / 1000) * soak_decades(r, -0.7, 0.4);
    q->fixed_step = q->fixed_step > 0 ? (ct_real)(u->dt * soak_decades(r, -2, -0.5)) : 0;
    q->max_steps = soak_chance(r, 0.8) ? 600 : q->max_steps;
}

static void geometric_desc(soak_run *u, soak_rng *r)
{
    ct_geometric_desc *g = &u->desc.geometric;
    u->desc.stepper = CT_STEPPER_GEOMETRIC;
    g->scheme = (ct_geometric_scheme)(soak_chance(r, 0.3) ? CT_GEOMETRIC_SUCCESSIVE : CT_GEOMETRIC_GLOBAL);
    g->cg_turns = soak_chance(r, 0.6) ? 24 : 1 + soak_below(r, 60);
    g->active_set = soak_chance(r, 0.6) ? 16 : soak_below(r, 30);
    g->sweeps = 1 + soak_below(r, 8);
    if (soak_chance(r, 0.4)) {
        g->position_distance = (ct_real)soak_uniform(r, 0, 1);
        g->speed_distance = (ct_real)soak_uniform(r, 0, 1);
        g->acceleration_distance = (ct_real)soak_uniform(r, 0, 1);
    }
    g->displacement = (ct_real)(soak_chance(r, 0.5) ? 1 : soak_decades(r, -1, 1));
    g->max_substeps = soak_chance(r, 0.5) ? 8 : 1 + soak_below(r, 16);
    g->fail_safe = !soak_chance(r, 0.2);
    g->residual_state = !soak_chance(r, 0.2);
    g->interaction_damping = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_uniform(r, 0, 1));
    if (soak_chance(r, 0.2))
        u->desc.integrator = CT_INTEGRATOR_MIDPOINT;
    if (soak_chance(r, 0.1))
        u->desc.solver.solver = CT_SOLVER_GEOMETRIC_CG;
}

void soak_make_desc(soak_run *u, soak_rng *r)
{
    static const ct_solver solvers[] = {CT_SOLVER_ICA,      CT_SOLVER_ICA,    CT_SOLVER_ICA,   CT_SOLVER_AUTO,       CT_SOLVER_CA,
                                        CT_SOLVER_PGS,      CT_SOLVER_PGS,    CT_SOLVER_ADMM,  CT_SOLVER_ACTIVE_SET, CT_SOLVER_MPRGP,
                                        CT_SOLVER_INTERIOR, CT_SOLVER_NEWTON, CT_SOLVER_ADMM};
    ct_world_desc *d = &u->desc;
    double g[3], eps = sizeof(ct_real) == 4 ? 1.2e-7 : 2.3e-16, far, least;
    int k;
    *d = ct_world_desc_default();
    u->size = soak_decades(r, -3, 3);
    u->dt = soak_decades(r, -5, -1);
    far = soak_chance(r, 0.3) ? soak_decades(r, 0, 5) : (soak_chance(r, 0.5) ? 0 : u->size * soak_decades(r, -1, 1));
    if (eps > 1e-10) /* float: far from the origin small things have no shape */
        far = fmin(far, 300 * u->size);
    u->least = least = 64 * eps * (far + 30 * u->size) * 1.01;
    direction(r, g);
    for (k = 0; k < 3; k++)
        u->origin[k] = far * g[k];
    u->thickness = u->size * soak_decades(r, -4, -1.5);
    if (u->thickness < least && !soak_chance(r, 0.03))
        u->thickness = least * soak_decades(r, 0, 0.5);
    d->thickness = (ct_real)u->thickness;
    if (soak_chance(r, 0.3)) {
        double many = soak_chance(r, 0.5) ? 0 : soak_decades(r, -1, 3);
        direction(r, g);
        for (k = 0; k < 3; k++)
            d->gravity[k] = (ct_real)(many * g[k]);
    }
    d->friction = (ct_real)(soak_chance(r, 0.2) ? 0 : (soak_chance(r, 0.1) ? 100 : soak_uniform(r, 0, 1.5)));
    d->self_collision = !soak_chance(r, 0.15);
    d->broad_phase = soak_chance(r, 0.3) ? CT_BROAD_HASH : CT_BROAD_TREE;
    d->recovery_speed = (ct_real)(soak_chance(r, 0.2) ? 0 : u->size * soak_decades(r, -1, 2));
    d->solver.tolerance = (ct_real)(soak_chance(r, 0.5) ? 1e-4 : soak_decades(r, -8, -2));
    d->solver.seed = 1 + (uint64_t)soak_below(r, 9);
    if (u->options->set == SOAK_BARRIER) {
        barrier_desc(u, r);
        return;
    }
    if (u->options->set == SOAK_PENALTY) {
        penalty_desc(u, r);
        return;
    }
    if (u->options->set == SOAK_LAYERS) {
        layers_desc(u, r);
        return;
    }
    if (u->options->set == SOAK_EXPLICIT) {
        explicit_desc(u, r);
        return;
    }
    if (u->options->set == SOAK_GEOMETRIC) {
        geometric_desc(u, r);
        return;
    }
    if (soak_chance(r, 0.2) && u->options->set == SOAK_MIXED) {
        d->stepper = CT_STEPPER_DCD;
        d->solver.solver = soak_chance(r, 0.5) ? CT_SOLVER_MPRGP : CT_SOLVER_ICA;
        d->dcd.newton_iterations = 1 + soak_below(r, 3) * soak_below(r, 3);
        d->dcd.decouple = (ct_decouple)soak_below(r, CT_DECOUPLE_COUNT_);
        d->dcd.friction = (ct_dcd_friction)soak_below(r, CT_DCD_FRICTION_COUNT_);
        d->dcd.max_substeps = 1 + soak_below(r, 16);
        d->dcd.substep_fraction = (ct_real)soak_uniform(r, 0.1, 2);
        d->dcd.recovery = (ct_real)soak_uniform(r, 0.05, 1);
        d->dcd.depth = (ct_real)(soak_chance(r, 0.7) ? 0 : u->size * soak_decades(r, -2, 0));
        return;
    }
    d->solver.solver = solvers[soak_below(r, (int)(sizeof solvers / sizeof *solvers))];
    if (d->solver.solver == CT_SOLVER_ICA && soak_chance(r, 0.4)) {
        d->solver.cone = (ct_cone)soak_below(r, 3);
        d->solver.cluster = (ct_cluster_mode)soak_below(r, 4);
        d->solver.termination = (ct_termination)soak_below(r, 2);
        d->solver.plain = soak_below(r, 2);
        d->solver.max_sweeps = 1 + soak_below(r, 400), d->solver.max_iterations = 1 + soak_below(r, 500);
        d->solver.inner_repeats = 1 + soak_below(r, 4), d->solver.inner_iterations = 1 + soak_below(r, 200);
    }
    /* their own bounds hold a solve to seconds, which is long where a step has many */
    if (d->solver.solver != CT_SOLVER_ICA && soak_chance(r, 0.8))
        d->solver.budget = (int)soak_decades(r, 1, 3);
    d->solver.friction = (ct_friction)soak_below(r, 3);
    d->solver.order = soak_below(r, 3);
    if (soak_chance(r, 0.3))
        d->integrator = (ct_integrator)soak_below(r, CT_INTEGRATOR_MIDPOINT);
    d->cmr_rounds = 1 + soak_below(r, 8);
    d->max_halvings = soak_below(r, 7);
    d->row_mode = soak_chance(r, 0.2) ? CT_ROW_VELOCITY : CT_ROW_ANTICIPATED;
    d->ccd_limits_step = soak_chance(r, 0.15);
    if (soak_chance(r, 0.4)) {
        d->restitution = (ct_real)(soak_chance(r, 0.2) ? 1 : soak_uniform(r, 0, 1));
        d->restitution_threshold = (ct_real)(soak_chance(r, 0.3) ? 0 : u->size * soak_decades(r, -3, 1));
        d->restitution_law = (ct_restitution_law)soak_below(r, 2), d->restitution_combine = (ct_combine)soak_below(r, 5);
    }
    if (soak_chance(r, 0.3))
        d->friction_combine = (ct_combine)soak_below(r, 5);
}

/* ---- meshes ---- */
static int32_t *list_of(const int32_t *from, int n)
{
    int32_t *to = (int32_t *)malloc(sizeof *to * (size_t)(n + 1));
    if (n)
        memcpy(to, from, sizeof *to * (size_t)n);
    return to;
}

/* a mesh from arrays on the C heap; soak_mesh_free knows by `own` */
static void from_arrays(soak_mesh *m, const double *x, int n, const int32_t *tets, int n_tets, const int32_t *tri, int n_tri,
                        const int32_t *seg, int n_seg)
{
    int i;
    m->own = 1;
    m->mesh.positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
    for (i = 0; i < 3 * n; i++)
        m->mesh.positions[i] = (ct_real)x[i];
    m->mesh.n_positions = n;
    m->mesh.tets = list_of(tets, 4 * n_tets), m->mesh.n_tets = n_tets;
    m->mesh.triangles = list_of(tri, 3 * n_tri), m->mesh.n_triangles = n_tri;
    m->mesh.segments = list_of(seg, 2 * n_seg), m->mesh.n_segments = n_seg;
}
void soak_mesh_free(soak_mesh *m)
{
    if (m->own) {
        free(m->mesh.positions), free(m->mesh.tets), free(m->mesh.triangles), free(m->mesh.segments);
        memset(&m->mesh, 0, sizeof m->mesh);
    } else
        ct_mesh_free(&m->mesh);
}

/* nodes moved by up to `share` of a cell */
static void jitter(soak_rng *r, ct_mesh *m, double cell)
{
    double share = soak_chance(r, 0.5) ? 0 : soak_decades(r, -3, -0.5);
    int i;
    for (i = 0; i < 3 * m->n_positions; i++)
        m->positions[i] = (ct_real)((double)m->positions[i] + cell * share * soak_uniform(r, -1, 1));
}

/* a box of about unit size, thin in one direction now and then */
static void box(soak_rng *r, int with_tets, soak_mesh *m)
{
    ct_real size[3];
    int cells[3], k;
    double least = 1;
    for (k = 0; k < 3; k++) {
        size[k] = (ct_real)soak_uniform(r, 0.3, 1);
        cells[k] = 1 + soak_below(r, 3);
    }
    if (soak_chance(r, 0.3)) {
        k = soak_below(r, 3);
        size[k] = (ct_real)((double)size[k] * soak_decades(r, -4, -0.5));
        cells[k] = 1;
    }
    ct_mesh_box(size, cells, with_tets, &m->mesh, NULL);
    for (k = 0; k < 3; k++)
        least = fmin(least, (double)size[k] / cells[k]);
    jitter(r, &m->mesh, 0.5 * least);
}

static void one_tet(soak_rng *r, int as_tets, soak_mesh *m)
{
    static const int32_t tet[4] = {0, 1, 2, 3}, faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1};
    x[11] = soak_chance(r, 0.5) ? 1 : soak_decades(r, -8, 0);
    from_arrays(m, x, 4, tet, as_tets, faces, as_tets ? 0 : 4, NULL, 0);
}

static void grid(soak_rng *r, int most, soak_mesh *m)
{
    ct_real size[2];
    int cells[2], k;
    double least = 1;
    for (k = 0; k < 2; k++) {
        size[k] = (ct_real)(soak_chance(r, 0.15) ? soak_decades(r, -4, 0) : soak_uniform(r, 0.3, 1));
        cells[k] = 1 + soak_below(r, most);
        least = fmin(least, (double)size[k] / cells[k]);
    }
    ct_mesh_grid(size, cells, &m->mesh, NULL);
    jitter(r, &m->mesh, 0.4 * least);
}

/* triangles as they come: through each other, three at an edge, doubled vertices, without an area where `flat` says so; segments and points
 */
static void rubble(soak_rng *r, int flat, int loose, soak_mesh *m)
{
    double x[3 * 24];
    int32_t tri[3 * 12], seg[2 * 6];
    int n = 4 + soak_below(r, 20), nt = loose == 2 ? 0 : 1 + soak_below(r, 12), ns = loose ? soak_below(r, 6) : 0, i, k;
    for (i = 0; i < 3 * n; i++)
        x[i] = soak_uniform(r, -0.5, 0.5);
    if (soak_chance(r, 0.3))
        memcpy(x, x + 3, 3 * sizeof *x);
    for (i = 0; i < nt; i++) {
        for (k = 0; k < 3; k++)
            tri[3 * i + k] = k == 0 && i > 0 && soak_chance(r, 0.5)
                                 ? tri[3 * i - 2]
                                 : (k == 1 && i > 0 && soak_chance(r, 0.5) ? tri[3 * i - 1] : soak_below(r, n));
        while (!flat && (tri[3 * i + 1] == tri[3 * i] || tri[3 * i + 2] == tri[3 * i] || tri[3 * i + 2] == tri[3 * i + 1]))
            for (k = 0; k < 3; k++)
                tri[3 * i + k] = soak_below(r, n);
        if (flat && soak_chance(r, 0.2)) /* three on a line */
            for (k = 0; k < 3; k++)
                x[3 * tri[3 * i + 2] + k] = (x[3 * tri[3 * i] + k] + x[3 * tri[3 * i + 1] + k]) / 2;
    }
    for (i = 0; i < ns; i++)
        seg[2 * i] = soak_below(r, n), seg[2 * i + 1] = soak_below(r, n);
    from_arrays(m, x, n, NULL, 0, tri, nt, seg, ns);
}

/* a sphere's lattice of tets, and the sphere to embed */
static void embedded(soak_rng *r, soak_mesh *m, soak_mesh *skin)
{
    ct_mesh_sphere((ct_real)0.5, soak_below(r, 2), &skin->mesh, NULL);
    ct_mesh_tetrahedralize(&skin->mesh, (ct_real)soak_uniform(r, 0.3, 1), &m->mesh, NULL);
}

/* turned, scaled and moved; the radius about `at` */
static void place(soak_rng *r, ct_mesh *m, double scale, const double at[3])
{
    double a[3], t = soak_chance(r, 0.3) ? 0 : soak_uniform(r, -3.2, 3.2), c = cos(t), s = sin(t);
    int i, k;
    direction(r, a);
    for (i = 0; i < m->n_positions; i++) {
        ct_real *p = m->positions + 3 * (size_t)i;
        double x[3], ax, cr[3];
        for (k = 0; k < 3; k++)
            x[k] = scale * (double)p[k];
        ax = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
        cr[0] = a[1] * x[2] - a[2] * x[1], cr[1] = a[2] * x[0] - a[0] * x[2], cr[2] = a[0] * x[1] - a[1] * x[0];
        for (k = 0; k < 3; k++)
            p[k] = (ct_real)(c * x[k] + s * cr[k] + (1 - c) * ax * a[k] + at[k]);
    }
}

static double radius(const ct_mesh *m)
{
    double big = 0;
    int i;
    for (i = 0; i < m->n_positions; i++) {
        const ct_real *p = m->positions + 3 * (size_t)i;
        big = fmax(big, sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]));
    }
    return big;
}

/* 1 where a sphere is clear of all that is there */
static int is_free(const soak_run *u, const double at[3], double rad)
{
    int i, k, v;
    for (i = 0; i < u->n_items; i++) {
        const soak_item *q = &u->items[i];
        double c[3] = {0, 0, 0}, big = 0, d = 0;
        if (!q->alive || q->kind == 'p')
            continue;
        for (v = 0; v < q->n; v++)
            for (k = 0; k < 3; k++)
                c[k] += q->x[3 * v + k] / q->n;
        for (v = 0; v < q->n; v++) {
            double e = 0;
            for (k = 0; k < 3; k++)
                e += (q->x[3 * v + k] - c[k]) * (q->x[3 * v + k] - c[k]);
            big = fmax(big, sqrt(e));
        }
        for (k = 0; k < 3; k++)
            d += (at[k] - c[k]) * (at[k] - c[k]);
        if (sqrt(d) < rad + big + u->size * 1e-3 + u->apart)
            return 0;
    }
    return 1;
}

/* a place for a body of this radius: free, touching spheres at times; 0: there is none */
static int find_place(soak_run *u, soak_rng *r, double rad, double at[3])
{
    int k, tries;
    for (tries = 0; tries < 40; tries++) {
        for (k = 0; k < 3; k++)
            at[k] = u->origin[k] + u->size * soak_uniform(r, -1, 1) * (1 + 0.05 * tries);
        if (u->tangled || is_free(u, at, rad))
            return 1;
    }
    return 0;
}

static void soft_material(soak_run *u, soak_rng *r, ct_material *m)
{
    *m = ct_material_default((ct_model)soak_below(r, 5));
    m->young = (ct_real)fmin(1e13, u->young * soak_decades(r, -4, 4));
    m->poisson = (ct_real)(soak_chance(r, 0.2) ? 0.499 : soak_uniform(r, 0, 0.49));
    m->density = (ct_real)(1000 * soak_decades(r, -3, 3));
    m->damping_mass = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -2, 3));
    m->damping_stiffness = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -6, 0));
    if (!u->meet)
        return;
    if (soak_chance(r, 0.5))
        m->model = CT_MODEL_HONG_NEOHOOKEAN;
    m->young = (ct_real)(u->young * soak_decades(r, -0.5, 0.5)), m->density = (ct_real)(1000 * soak_decades(r, -0.5, 0.5));
    m->damping_mass = 0, m->damping_stiffness = (ct_real)(soak_chance(r, 0.5) ? 0 : u->dt * soak_decades(r, -3, -1));
}

static void cloth_material(soak_run *u, soak_rng *r, ct_material *m)
{
    *m = ct_material_default(soak_chance(r, 0.5) ? CT_MODEL_MEMBRANE : CT_MODEL_SPRINGS);
    m->young = (ct_real)fmin(1e13, u->young * soak_decades(r, -4, 4));
    m->poisson = (ct_real)soak_uniform(r, 0, 0.49);
    m->shell_thickness = (ct_real)(u->size * soak_decades(r, -5, -2));
    m->bending = (ct_real)(soak_chance(r, 0.3) ? 0 : soak_decades(r, -9, 3));
    m->areal_density = (ct_real)(u->size * 1000 * soak_decades(r, -5, 0));
    m->stretch = (ct_real)(soak_chance(r, 0.1) ? 0 : soak_decades(r, -1, 7));
    m->shear = (ct_real)(soak_chance(r, 0.2) ? 0 : soak_decades(r, -1, 7));
    m->bend = (ct_real)(soak_chance(r, 0.3) ? 0 : soak_decades(r, -6, 4));
    m->strain_limit = (ct_real)(soak_chance(r, 0.6) ? 0 : soak_decades(r, -2, 0));
    m->damping_mass = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -2, 3));
    m->damping_stiffness = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -6, 0));
}

static void friction_thickness(soak_run *u, soak_rng *r, ct_real *friction, ct_real *thickness)
{
    *friction = (ct_real)(soak_chance(r, 0.6) || u->options->set == SOAK_EXPLICIT ? -1 : soak_uniform(r, 0, 2));
    *thickness = (ct_real)(soak_chance(r, 0.7) ? -1 : u->thickness * soak_decades(r, 0, 1));
}

static void scripted_motion(soak_run *u, soak_rng *r, ct_motion *m)
{
    int k;
    memset(m, 0, sizeof *m);
    soak_velocity(u, r, m->linear);
    if (soak_chance(r, 0.4))
        soak_spin(u, r, m->angular);
    for (k = 0; k < 3; k++)
        m->center[k] = (ct_real)(u->origin[k] + u->size * soak_uniform(r, -1, 1));
}

static ct_code add_kinematic(soak_run *u, soak_rng *r, const ct_mesh *m, ct_body_id *id)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_motion_segment path[3];
    ct_real *keys = NULL;
    ct_code code;
    int i, k, n3 = 3 * m->n_positions;
    d.name = "kinematic", d.mesh = m;
    friction_thickness(u, r, &d.friction, &d.thickness);
    scripted_motion(u, r, &d.motion);
    if (soak_chance(r, 0.3)) {
        d.segments = path, d.n_segments = 1 + soak_below(r, 3);
        for (i = 0; i < d.n_segments; i++) {
            scripted_motion(u, r, &path[i].motion);
            path[i].duration = i == d.n_segments - 1 && soak_chance(r, 0.5) ? -1 : u->dt * soak_uniform(r, 0, 10);
        }
    }
    if (soak_chance(r, 0.3)) {
        d.n_keyframes = 1 + soak_below(r, 4), d.keyframe_interval = u->dt * soak_decades(r, -1, 1);
        keys = (ct_real *)malloc(sizeof(ct_real) * (size_t)(n3 * d.n_keyframes));
        for (k = 0; k < d.n_keyframes; k++)
            for (i = 0; i < n3; i++)
                keys[k * n3 + i] = (ct_real)((double)m->positions[i] + (k ? 0.3 * u->size * soak_uniform(r, -1, 1) : 0));
        d.keyframes = keys;
    }
    code = ct_body_add_kinematic(u->world, &d, id);
    free(keys);
    return code;
}

/* a rod of about unit size: a line, straight or not, a loop, a net, or segments as they come */
static void rod(soak_rng *r, soak_mesh *m)
{
    double x[3 * 36], bend = soak_chance(r, 0.4) ? 0 : soak_decades(r, -2, 0), turns = soak_uniform(r, 0, 6.2);
    int32_t seg[2 * 64];
    int n = 2 + soak_below(r, 16), ns = 0, form = soak_below(r, 10), i, j, k;
    if (form < 2) { /* a net */
        int a = 2 + soak_below(r, 3), b = 2 + soak_below(r, 3);
        for (i = n = 0; i < a; i++)
            for (j = 0; j < b; j++, n++) {
                x[3 * n] = (double)i / a - 0.5, x[3 * n + 1] = 0, x[3 * n + 2] = (double)j / b - 0.5;
                if (j + 1 < b)
                    seg[2 * ns] = n, seg[2 * ns + 1] = n + 1, ns++;
                if (i + 1 < a)
                    seg[2 * ns] = n, seg[2 * ns + 1] = n + b, ns++;
            }
    } else {
        int loop = form < 4 && n > 2;
        for (i = 0; i < n; i++) {
            double s = (double)i / n, t = loop ? 6.283185307 * s : turns * s, c = loop || turns > 1 ? cos(t) / 2 : s - 0.5;
            x[3 * i] = c, x[3 * i + 1] = loop || turns > 1 ? sin(t) / 2 : 0, x[3 * i + 2] = loop ? 0 : 0.5 * s;
            if (i + 1 < n || loop)
                seg[2 * ns] = i, seg[2 * ns + 1] = (i + 1) % n, ns++;
        }
        for (i = 0; form == 9 && i < ns; i++) /* any joined to any */
            for (k = 0; k < 2; k++)
                seg[2 * i + k] = soak_chance(r, 0.7) ? seg[2 * i + k] : soak_below(r, n);
    }
    for (i = 0; i < 3 * n; i++)
        x[i] += bend * soak_uniform(r, -0.5, 0.5) / n;
    from_arrays(m, x, n, NULL, 0, NULL, 0, seg, ns);
}

static void grains(soak_rng *r, soak_mesh *m)
{
    double x[3 * 30];
    int n = 1 + soak_below(r, 30), i, near = soak_chance(r, 0.1);
    for (i = 0; i < 3 * n; i++)
        x[i] = soak_uniform(r, -0.5, 0.5);
    if (near && n > 1) /* nearly in one place */
        for (i = 0; i < 3; i++)
            x[i] = x[3 + i] + soak_decades(r, -12, -3);
    from_arrays(m, x, n, NULL, 0, NULL, 0, NULL, 0);
}

static ct_code add_rod(soak_run *u, soak_rng *r, const ct_mesh *m, ct_body_id *id)
{
    ct_rod_desc d = ct_rod_desc_default();
    double e = u->young * soak_decades(r, -4, 4);
    int k;
    d.name = "rod", d.mesh = m;
    d.radius = (ct_real)(u->size * soak_decades(r, -3.5, -1));
    d.young = (ct_real)fmin(1e13, e), d.poisson = (ct_real)soak_uniform(r, 0, 0.5);
    d.density = (ct_real)(1000 * soak_decades(r, -3, 3));
    if (soak_chance(r, 0.3)) /* a rope */
        d.bend[0] = d.bend[1] = d.torsion = 0;
    else if (soak_chance(r, 0.3))
        for (k = 0; k < 2; k++)
            d.bend[k] = (ct_real)(fmin(1e13, e) * pow((double)d.radius, 4) * soak_decades(r, -3, 3));
    d.curvature = (ct_real)(soak_chance(r, 0.6) ? 1 : soak_uniform(r, 0, 1));
    d.twist = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_uniform(r, -3, 3) / u->size);
    if (soak_chance(r, 0.4)) /* all of it: an axis of the box is along segments */
        for (k = 0; k < 3; k++)
            d.direction[k] = (ct_real)soak_uniform(r, -1, 1);
    d.damping_mass = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -2, 3));
    d.damping_stiffness = (ct_real)(soak_chance(r, 0.5) ? 0 : soak_decades(r, -6, 0));
    friction_thickness(u, r, &d.friction, &d.thickness);
    soak_velocity(u, r, d.velocity), soak_spin(u, r, d.angular_velocity);
    return ct_body_add_rod(u->world, &d, id);
}

static ct_code add_points(soak_run *u, soak_rng *r, const ct_mesh *m, ct_body_id *id)
{
    ct_points_desc d = ct_points_desc_default();
    d.name = "points", d.mesh = m;
    d.radius = (ct_real)(u->size * soak_decades(r, -3.5, -1));
    d.density = (ct_real)(1000 * soak_decades(r, -3, 3));
    d.damping_mass = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -2, 3));
    friction_thickness(u, r, &d.friction, &d.thickness);
    soak_velocity(u, r, d.velocity), soak_spin(u, r, d.angular_velocity);
    return ct_body_add_points(u->world, &d, id);
}

/* slivers, doubled vertices, elements without a size */
static void spoil(soak_rng *r, ct_mesh *m)
{
    int32_t *list = m->n_tets ? m->tets : m->triangles;
    int per = m->n_tets ? 4 : 3, n = m->n_tets ? m->n_tets : m->n_triangles, e, k;
    ct_real *p, *q;
    if (n == 0 && m->n_segments)
        list = m->segments, per = 2, n = m->n_segments;
    if (n == 0)
        return;
    e = soak_below(r, n);
    p = m->positions + 3 * (size_t)list[per * e], q = m->positions + 3 * (size_t)list[per * e + 1 + soak_below(r, per - 1)];
    if (soak_chance(r, 0.2))
        list[per * e] = list[per * e + 1]; /* a vertex twice */
    else if (soak_chance(r, 0.3))
        memcpy(p, q, 3 * sizeof *p); /* two vertices in one place */
    else
        for (k = 0; k < 3; k++) /* nearly so */
            p[k] = (ct_real)((double)q[k] + soak_decades(r, -12, -2) * ((double)p[k] - (double)q[k]));
}

/* the mesh of a body of this kind. *clean 1: it must be accepted */
static void make_mesh(soak_rng *r, char kind, soak_mesh *m, soak_mesh *skin, int *clean)
{
    int pick = soak_below(r, 10);
    *clean = 0;
    if (kind == 'l')
        rod(r, m);
    else if (kind == 'g')
        grains(r, m);
    else if (kind == 's' && pick < 2)
        embedded(r, m, skin);
    else if (kind == 's')
        pick < 4 ? one_tet(r, 1, m) : box(r, 1, m);
    else if (kind == 'c' && pick < 7)
        grid(r, 6, m);
    else if (kind == 'c' || ((kind == 't' || kind == 'k') && pick < 3))
        pick & 1 ? (void)ct_mesh_sphere((ct_real)0.5, soak_below(r, 2), &m->mesh, NULL)
                 : rubble(r, kind != 'c', kind == 'c' ? 0 : pick & 3, m);
    else if (kind == 'r' && pick < 3)
        pick ? one_tet(r, pick & 1, m) : box(r, 1, m);
    else if ((kind == 't' || kind == 'k') && pick < 6)
        grid(r, 4, m);
    else if (pick < 8) {
        box(r, 0, m);
    } else {
        ct_mesh_sphere((ct_real)0.5, soak_below(r, 2), &m->mesh, NULL);
        *clean = 1;
    }
}

static ct_code add_by_kind(soak_run *u, soak_rng *r, char kind, const ct_mesh *m, const ct_mesh *skin, ct_body_id *id)
{
    if (kind == 's') {
        ct_soft_desc d = ct_soft_desc_default();
        d.name = "soft", d.mesh = m, d.surface = skin->n_positions ? skin : NULL;
        soft_material(u, r, &d.material);
        friction_thickness(u, r, &d.friction, &d.thickness);
        soak_velocity(u, r, d.velocity), soak_spin(u, r, d.angular_velocity);
        return ct_body_add_soft(u->world, &d, id);
    }
    if (kind == 'c') {
        ct_cloth_desc d = ct_cloth_desc_default();
        d.name = "cloth", d.mesh = m;
        cloth_material(u, r, &d.material);
        friction_thickness(u, r, &d.friction, &d.thickness);
        soak_velocity(u, r, d.velocity), soak_spin(u, r, d.angular_velocity);
        return ct_body_add_cloth(u->world, &d, id);
    }
    if (kind == 'r') {
        ct_rigid_desc d = ct_rigid_desc_default();
        d.name = "rigid", d.mesh = m;
        d.density = (ct_real)(1000 * soak_decades(r, -3, 3));
        d.damping_mass = (ct_real)(soak_chance(r, 0.7) ? 0 : soak_decades(r, -2, 3));
        friction_thickness(u, r, &d.friction, &d.thickness);
        soak_velocity(u, r, d.velocity), soak_spin(u, r, d.angular_velocity);
        return ct_body_add_rigid(u->world, &d, id);
    }
    if (kind == 'l')
        return add_rod(u, r, m, id);
    if (kind == 'g')
        return add_points(u, r, m, id);
    if (kind == 'k')
        return add_kinematic(u, r, m, id);
    {
        ct_static_desc d = ct_static_desc_default();
        d.name = "static", d.mesh = m;
        friction_thickness(u, r, &d.friction, &d.thickness);
        return ct_body_add_static(u->world, &d, id);
    }
}

/* a plane below all that is there, or anywhere */
static ct_code add_plane(soak_run *u, soak_rng *r, soak_item *q)
{
    ct_static_desc d = ct_static_desc_default();
    double n[3] = {0, 1, 0}, low = INFINITY;
    int i, v, k;
    ct_code code;
    if (soak_chance(r, 0.5))
        direction(r, n);
    for (k = 0; k < 3; k++)
        d.plane_normal[k] = (ct_real)n[k], q->normal[k] = (double)d.plane_normal[k];
    for (low = 0, k = 0; k < 3; k++)
        low += q->normal[k] * u->origin[k];
    low -= u->tangled ? u->size * soak_uniform(r, 0, 2) : 2 * u->size;
    for (i = 0; i < u->n_items && !u->tangled; i++)
        for (v = 0; u->items[i].alive && u->items[i].dynamic && v < u->items[i].n; v++) {
            double s = 0;
            for (k = 0; k < 3; k++)
                s += q->normal[k] * u->items[i].x[3 * v + k];
            low = fmin(low, s - u->thickness * soak_decades(r, -1, 1) - u->apart);
        }
    d.plane_offset = (ct_real)low;
    q->offset = (double)d.plane_offset;
    friction_thickness(u, r, &d.friction, &d.thickness);
    code = ct_body_add_static(u->world, &d, &q->id);
    if (code == CT_OK)
        u->n_items++, q->alive = 1, q->kind = 'p';
    return code;
}

void soak_add(soak_run *u, int number)
{
    static const char kinds[] = "sssscccrrrttkkp", discrete[] = "ssssssssttkp", thin[] = "scrllllllgggttkp", all[] = "sssccrrrllggttkp",
                      nodes[] = "sssssscccccttkkp", firm[] = "sssssssrrrrttkkp", surfaces[] = "ssssscccccctttkp";
    soak_rng stream = soak_stream(u->seed, 100 + (uint64_t)number), *r = &stream;
    int dcd = u->desc.stepper == CT_STEPPER_DCD, clean, k;
    char kind = u->options->set == SOAK_RODS                                         ? thin[soak_below(r, 16)]
                : u->options->set == SOAK_BARRIER || u->options->set == SOAK_PENALTY ? all[soak_below(r, 16)]
                : u->options->set == SOAK_LAYERS                                     ? nodes[soak_below(r, 16)]
                : u->options->set == SOAK_EXPLICIT                                   ? firm[soak_below(r, 16)]
                : u->options->set == SOAK_GEOMETRIC                                  ? surfaces[soak_below(r, 16)]
                                                  : (dcd ? discrete[soak_below(r, 12)] : kinds[soak_below(r, 15)]);
    soak_item *q = &u->items[u->n_items];
    soak_mesh m, skin;
    double scale = u->size * (soak_chance(r, 0.2) ? soak_decades(r, -2, 0) : soak_uniform(r, 0.3, 1)), at[3], zero[3] = {0, 0, 0}, rad;
    uint64_t before;
    ct_code code;
    if (u->n_items >= SOAK_BODIES || (number < 32 && u->options->drop >> number & 1))
        return;
    memset(q, 0, sizeof *q), memset(&m, 0, sizeof m), memset(&skin, 0, sizeof skin);
    q->number = number, q->kind = kind, q->filter = ct_filter_default(), q->itself = -1;
    if (kind == 'p') {
        if (add_plane(u, r, q) != CT_OK)
            soak_fail(u, SOAK_CODE, "a plane is refused: %s", ct_world_error(u->world)->text);
        return;
    }
    make_mesh(r, kind, &m, &skin, &clean);
    if (soak_chance(r, 0.06))
        spoil(r, soak_chance(r, 0.8) || !skin.mesh.n_positions ? &m.mesh : &skin.mesh), clean = 0;
    {
        soak_rng same = *r;
        place(&same, &m.mesh, scale, zero);
        if (skin.mesh.n_positions)
            same = *r, place(&same, &skin.mesh, scale, zero);
        *r = same;
    }
    rad = fmax(radius(&m.mesh), radius(&skin.mesh));
    if (find_place(u, r, rad, at)) {
        before = ct_world_hash(u->world);
        for (k = 0; k < 3 * m.mesh.n_positions; k++)
            m.mesh.positions[k] = (ct_real)((double)m.mesh.positions[k] + at[k % 3]);
        for (k = 0; k < 3 * skin.mesh.n_positions; k++)
            skin.mesh.positions[k] = (ct_real)((double)skin.mesh.positions[k] + at[k % 3]);
        for (k = 0; k < 3; k++)
            u->to[k] = (u->origin[k] - at[k]) / u->size;
        if (u->desc.stepper == CT_STEPPER_EXPLICIT) /* it refuses them */
            m.mesh.n_segments = 0;
        code = add_by_kind(u, r, kind, &m.mesh, &skin.mesh, &q->id);
        if (code == CT_OK) {
            u->n_items++;
            soak_item_join(u, q, &m.mesh);
        } else {
            u->out->refused++;
            if (code != CT_ERR_MESH || (clean && u->thickness >= u->least) || !ct_world_error(u->world)->text[0] || ct_world_hash(u->world) != before)
                soak_fail(u, SOAK_CODE, "body %d (%c) ends with code %d: %s", number, kind, (int)code, ct_world_error(u->world)->text);
        }
    }
    soak_mesh_free(&m), soak_mesh_free(&skin);
}
