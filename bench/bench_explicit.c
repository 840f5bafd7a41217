/* bench_explicit.c -- frames of 40 ms of the explicit stepper: two boxes of 500 tetrahedra, E 1e5, nu .49, cells of 1 cm, one of which falls on
   the other on a plane. Prints for each frame the CPU time of the process, the Runge-Kutta steps accepted and rejected, evaluations, and contacts.
     bench_explicit [--frames N] [--tolerance T] [--speed V] [--damping S] [--threads N] [--cells N] [--mesh FILE] [--edges] [--refine] [--halves]
   --halves: two workers in turns on one thread; cpu_ms is that of the one that takes longer, loop by loop */
#include "../src/public/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t); /* other processes do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double option(int argc, char **argv, const char *name, double otherwise)
{
    int i;
    for (i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return i + 1 < argc && argv[i + 1][0] != '-' ? atof(argv[i + 1]) : 1;
    return otherwise;
}

/* two workers on one thread: halves of each loop, one after the other; what the shorter half takes is saved */
static double saved, clock_cost; /* [s] of a call of the clock: three of each loop are no work, and one is in what is saved */
static void calibrate(void)
{
    double from = seconds(CLOCK_PROCESS_CPUTIME_ID), to = from;
    int i;
    for (i = 0; i < 20000; i++)
        to = seconds(CLOCK_PROCESS_CPUTIME_ID);
    clock_cost = (to - from) / 20000;
}
static void *halves(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    double t[3];
    (void)min_range, (void)user;
    t[0] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    fn(0, count / 2, 0, context);
    t[1] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    fn(count / 2, count, 1, context);
    t[2] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    saved += (t[2] - t[1] < t[1] - t[0] ? t[2] - t[1] : t[1] - t[0]) + 2 * clock_cost;
    return NULL;
}
static void finish(void *task, void *user)
{
    (void)task, (void)user;
}

static const char *text(int argc, char **argv, const char *name)
{
    int i;
    for (i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return argv[i + 1];
    return NULL;
}

/* two boxes of n x n x 4/5 n cells, the upper one a little aside; or two crossed bodies of a mesh that lies along x and is 4 cm thick */
static ct_world *make(int argc, char **argv)
{
    ct_world_desc d = ct_world_desc_default();
    ct_world *w = NULL;
    ct_soft_desc q = ct_soft_desc_default();
    ct_mesh m;
    int n = (int)option(argc, argv, "--cells", 5), cells[3], k;
    const char *path = text(argc, argv, "--mesh");
    ct_real size[3];
    cells[0] = cells[2] = n, cells[1] = 4 * n / 5;
    for (k = 0; k < 3; k++)
        size[k] = (ct_real)(0.01 * cells[k]);
    d.stepper = CT_STEPPER_EXPLICIT, d.friction = 0, d.self_collision = 0;
    d.rk.tolerance = (ct_real)option(argc, argv, "--tolerance", (double)d.rk.tolerance);
    d.rk.edges = (int)option(argc, argv, "--edges", 0), d.rk.refine = (ct_refine)option(argc, argv, "--refine", 0);
    d.tasks.worker_count = (int)option(argc, argv, "--threads", 1);
    if (option(argc, argv, "--halves", 0) > 0)
        calibrate(), d.tasks.enqueue = halves, d.tasks.finish = finish, d.tasks.worker_count = 2;
    if (ct_world_create(&d, &w, NULL) || ct_body_add_plane(w, NULL, 0, NULL) ||
        (path ? ct_mesh_read(path, &m, NULL) : ct_mesh_box(size, cells, 1, &m, NULL)))
        return NULL;
    if (path)
        size[1] = (ct_real)0.04;
    q.mesh = &m, q.material = ct_material_default(CT_MODEL_HONG_NEOHOOKEAN);
    q.material.young = 100000, q.material.poisson = (ct_real)0.49, q.material.density = 1000;
    q.material.damping_stiffness = (ct_real)option(argc, argv, "--damping", 1e-3);
    printf("%d tetrahedra each\n", m.n_tets);
    for (k = 0; k < 2; k++) {
        q.position[0] = (ct_real)(k ? 0.003 : 0), q.position[2] = (ct_real)(k ? 0.002 : 0);
        q.position[1] = size[1] / 2 + (ct_real)0.001 + (size[1] + (ct_real)0.002) * (ct_real)k;
        q.velocity[1] = k ? -(ct_real)option(argc, argv, "--speed", 0.3) : 0;
        if (path && k)
            q.rotation[0] = q.rotation[2] = (ct_real)0.7071067811865476;
        if (ct_body_add_soft(w, &q, NULL))
            return NULL;
    }
    ct_mesh_free(&m);
    return w;
}

int main(int argc, char **argv)
{
    int frames = (int)option(argc, argv, "--frames", 8), i;
    ct_world *w = make(argc, argv);
    if (!w)
        return 1;
    ct_world_step(w, (ct_real)1e-9, NULL); /* it prepares the world */
    printf("frame   cpu_ms  wall_ms   steps  rejected  evaluations  us/eval  contacts  held  deep     deepest       first     gained  status\n");
    for (i = 0; i < frames; i++) {
        ct_step_report r;
        double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
        if (ct_world_step(w, (ct_real)0.04, &r))
            return 1;
        cpu = 1e3 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - saved), saved = 0, wall = 1e3 * (seconds(CLOCK_MONOTONIC) - wall);
        printf("%5d %8.1f %8.1f %7d %9d %12d %8.1f %9d %5d %5d %11.2e %11.2e %10.1e  %s\n", i, cpu, wall, r.rk.accepted, r.rk.rejected,
               r.rk.evaluations, 1e3 * cpu / r.rk.evaluations, r.rows, r.rk.held, r.rk.held_deep, (double)r.rk.penetration_held,
               (double)r.rk.penetration_first, r.energy_gained, ct_status_text(r.status));
    }
    printf("state %016llx\n", (unsigned long long)ct_world_hash(w));
    ct_world_destroy(w);
    return 0;
}
