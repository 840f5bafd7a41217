/* bench_game.c -- the world of docs/games.md: a cape of 900 vertices on a figure that walks, ten jellies, fifty crates. CPU times of frames under
   bounds of a frame, with changes of structure, for thicknesses of the cape, of snapshots, and asleep.
   build/bench/bench_game [frames [frame_ms ...]], at first 600 frames without a bound and with 8 ms; the tables of the page are of 3,000. */
#include "../contact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GAME_BODIES = 256, GAME_COLLAR = 30, GAME_TEN_SECONDS = 600, GAME_LOADED = 300 };
static const double dt = 1.0 / 60, thickness = 0.004;

typedef struct game {
    ct_world *world;
    ct_body_id hero, capes[3], bodies[GAME_BODIES];
    int n_capes, n, vertices;
    double walked;
    int32_t all[GAME_COLLAR * GAME_COLLAR];
} game;

static double now_ms(void) { return (double)clock() * 1e3 / CLOCKS_PER_SEC; }
static uint64_t now_us(void *user) { return (void)user, (uint64_t)(now_ms() * 1e3); }
static int compare(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }
static void check(ct_code code, const char *what)
{
    if (code)
        printf("%s: %s\n", what, ct_code_text(code)), exit(1);
}

static ct_body_id add_box(game *g, int soft, double size, double x, double y, double z)
{
    ct_real sizes[3] = {(ct_real)size, (ct_real)size, (ct_real)size}, at[3] = {(ct_real)x, (ct_real)y, (ct_real)z};
    int cells[3] = {soft ? 3 : 1, soft ? 3 : 1, soft ? 3 : 1};
    ct_soft_desc s = ct_soft_desc_default();
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_body_id id;
    ct_mesh m;
    check(ct_mesh_box(sizes, cells, soft, &m, NULL), "box");
    s.mesh = r.mesh = &m, s.material.young = (ct_real)3e4, r.density = 300;
    memcpy(s.position, at, sizeof at), memcpy(r.position, at, sizeof at);
    check(soft ? ct_body_add_soft(g->world, &s, &id) : ct_body_add_rigid(g->world, &r, &id), "add");
    ct_mesh_free(&m);
    return id;
}

static void add_cape(game *g, double h, double turn)
{
    ct_real size[2] = {(ct_real)0.7, (ct_real)1.1};
    int cells[2] = {GAME_COLLAR - 1, GAME_COLLAR - 1}, i;
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_mesh m;
    check(ct_mesh_grid(size, cells, &m, NULL), "grid");
    for (i = 0; i < m.n_positions; i++) { /* around the figure's back, which is turned about the middle of the world */
        ct_real *p = m.positions + 3 * i;
        double a = (double)p[0] / 0.28, x = 2 + 0.28 * cos(a), z = 0.28 * sin(a);
        p[1] = (ct_real)(0.95 - (double)p[2]);
        p[0] = (ct_real)(x * cos(turn) + z * sin(turn)), p[2] = (ct_real)(z * cos(turn) - x * sin(turn));
    }
    d.mesh = &m, d.thickness = (ct_real)h, d.friction = (ct_real)0.2, d.material.areal_density = (ct_real)0.25;
    check(ct_body_add_cloth(g->world, &d, &g->capes[g->n_capes++]), "cape");
    ct_mesh_free(&m);
}

static void add_hero(game *g)
{
    ct_real scale[3] = {(ct_real)0.22, (ct_real)0.85, (ct_real)0.22};
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_mesh m;
    check(ct_mesh_sphere(1, 2, &m, NULL), "sphere");
    check(ct_mesh_transform(&m, scale, NULL, NULL, NULL), "figure");
    d.mesh = &m, d.friction = (ct_real)0.2, d.position[0] = 2, d.position[1] = (ct_real)0.95;
    check(ct_body_add_cloth(g->world, &d, &g->hero), "figure");
    g->vertices = m.n_positions;
    ct_mesh_free(&m);
}

/* capes 0: none, and no figure */
static game make(double frame_ms, int capes, double h, int boxes)
{
    ct_world_desc d = ct_world_desc_default_game();
    ct_error_info e;
    game g;
    int i;
    memset(&g, 0, sizeof g);
    d.now_us = now_us, d.recovery_speed = 5, d.thickness = (ct_real)thickness, d.frame_ms = frame_ms;
    check(ct_world_create(&d, &g.world, &e), "world");
    check(ct_body_add_plane(g.world, NULL, 0, NULL), "floor");
    for (i = 0; i < GAME_COLLAR * GAME_COLLAR; i++)
        g.all[i] = i;
    if (capes)
        add_hero(&g);
    for (i = 0; i < capes; i++)
        add_cape(&g, h, 2.0944 * i);
    for (i = 0; boxes && i < 10; i++)
        g.bodies[g.n++] = add_box(&g, 1, 0.5, -0.6 + 0.6 * (i % 3), 0.3 + 0.6 * (i / 3), 0.1 * (i & 1));
    for (i = 0; boxes && i < 50; i++)
        g.bodies[g.n++] = add_box(&g, 0, 0.3, -3.5 + 0.4 * (i % 10), 0.16 + 0.31 * (i / 10), 4);
    return g;
}

/* the figure and the collars walk; ms of the step alone */
static double step(game *g, ct_step_report *r)
{
    double t = ct_world_time(g->world), begin;
    ct_motion m;
    int i;
    memset(&m, 0, sizeof m);
    m.angular[1] = (ct_real)(-1 + 0.8 * sin(2 * t)), m.linear[1] = (ct_real)(0.2 * cos(5 * t));
    if (g->n_capes)
        check(ct_body_pin(g->world, g->hero, g->all, g->vertices, CT_AXIS_ALL, &m, -1), "walk");
    for (i = 0; i < g->n_capes; i++)
        check(ct_body_pin(g->world, g->capes[i], g->all, GAME_COLLAR, CT_AXIS_ALL, &m, -1), "collar");
    begin = now_ms();
    check(ct_world_step(g->world, (ct_real)dt, r), "step");
    return now_ms() - begin;
}

static void middle(const game *g, ct_body_id id, double out[3])
{
    int n = ct_body_vertex_count(g->world, id), i;
    double *x = (double *)malloc(sizeof *x * 3 * (size_t)n);
    check(ct_body_get_positions(g->world, id, x, CT_SCALAR_DOUBLE, 3 * sizeof *x, NULL), "positions");
    for (out[0] = out[1] = out[2] = 0, i = 0; i < 3 * n; i++)
        out[i % 3] += x[i] / n;
    free(x);
}

/* one crate is replaced every second frame. first [3 GAME_BODIES]: middles after ten seconds of the first run; 1: this is it */
static void bounded(double frame_ms, int frames, double *first, int is_first)
{
    game g = make(frame_ms, 1, 0.002, 1);
    double *ms = (double *)malloc(sizeof *ms * (size_t)frames), sum = 0;
    int f, i, count[5] = {0}, crossings = 0, close = 0;
    for (f = 0; f < frames; f++) {
        ct_step_report r;
        ct_pair *pairs;
        int n;
        if (f % 2)
            g.bodies[g.n++] = add_box(&g, 0, 0.3, 5 + f % 7, 3, 8);
        else
            check(ct_body_remove(g.world, g.bodies[--g.n]), "remove");
        sum += ms[f] = step(&g, &r), count[r.status]++;
        if (f % 10 == 0)
            check(ct_world_validate(g.world, &pairs, &n), "validate"), crossings += n > 0;
        for (i = 0; f == GAME_TEN_SECONDS - 1 && i < 59; i++) {
            double at[3], *q = first + 3 * i;
            middle(&g, g.bodies[i], at);
            if (is_first)
                memcpy(q, at, sizeof at);
            close += hypot(hypot(at[0] - q[0], at[1] - q[1]), at[2] - q[2]) < 0.05;
        }
    }
    qsort(ms, (size_t)frames, sizeof *ms, compare);
    printf("frame_ms %4.1f: mean %.1f, median %.1f, 95 %% %.1f, 99 %% %.1f, 99.9 %% %.1f, worst but one %.1f ms; ", frame_ms, sum / frames,
           ms[frames / 2], ms[frames * 95 / 100], ms[frames * 99 / 100], ms[(int)(frames * 0.999)], ms[frames - 2]);
    printf("budget %.1f %%, not converged %d; %d of %d tests with intersections; %d of 59 boxes within 5 cm after 10 s\n",
           100.0 * count[CT_STATUS_BUDGET] / frames, count[CT_STATUS_NOT_CONVERGED], crossings, (frames + 9) / 10, close);
    free(ms), ct_world_destroy(g.world);
}

/* six frames as they are and six with a change take turns. joint: a joint of two crates is made again, else a crate comes or goes */
static void changed(int capes, int joint)
{
    game g = make(0, capes, 0.002, 1);
    double sum[2] = {0, 0};
    ct_joint_id made = {0, 0};
    int f, count[2] = {0, 0}, extra = 0;
    for (f = 0; f < 1200; f++) {
        int change = f >= GAME_LOADED && f / 6 % 2;
        double begin = now_ms();
        ct_step_report r;
        if (joint && change) {
            ct_joint_desc j = ct_joint_desc_default(CT_JOINT_BALL);
            double at[3];
            if (made.index1)
                check(ct_joint_remove(g.world, made), "part");
            j.a.body = g.bodies[g.n - 1], j.b.body = g.bodies[g.n - 2], j.collide = 1;
            middle(&g, j.a.body, at);
            j.point[0] = (ct_real)at[0], j.point[1] = (ct_real)at[1], j.point[2] = (ct_real)at[2];
            check(ct_joint_add(g.world, &j, &made), "join");
        } else if (change) {
            if (extra)
                check(ct_body_remove(g.world, g.bodies[--g.n]), "remove");
            else
                g.bodies[g.n++] = add_box(&g, 0, 0.3, 7, 0.16, 7);
            extra = !extra;
        }
        begin = now_ms() - begin + step(&g, &r);
        if (f >= GAME_LOADED)
            sum[change] += begin, count[change]++;
    }
    printf("%d capes, %s: %.2f ms, plain %.2f: %.2f times\n", capes, joint ? "a joint made again" : "a crate more or less", sum[1] / count[1],
           sum[0] / count[0], sum[1] / count[1] * count[0] / sum[0]);
    if (joint == 0) {
        double save = 1e9, restore = 1e9;
        int64_t calls, live;
        size_t size;
        void *data;
        check(ct_world_snapshot_size(g.world, &size), "size");
        ct_world_allocations(g.world, &calls, &live);
        data = malloc(size);
        for (f = 0; f < 9; f++) {
            ct_step_report r;
            double begin = now_ms();
            check(ct_world_snapshot_save(g.world, data, size, &size), "save");
            save = fmin(save, now_ms() - begin);
            step(&g, &r);
            begin = now_ms();
            check(ct_world_snapshot_restore(g.world, data, size), "restore");
            restore = fmin(restore, now_ms() - begin);
        }
        printf("%d capes: a snapshot of %.1f MB, %.1f MB are live; save %.1f ms, restore %.1f\n", capes, (double)size / 1e6, (double)live / 1e6,
               save, restore);
        free(data);
    }
    ct_world_destroy(g.world);
}

/* mean of the last frames */
static double calm(int capes, double h, int boxes, int frames, int last)
{
    game g = make(0, capes, h, boxes);
    double sum = 0;
    int f;
    for (f = 0; f < frames; f++) {
        ct_step_report r;
        double ms = step(&g, &r);
        sum += f >= frames - last ? ms : 0;
    }
    ct_world_destroy(g.world);
    return sum / last;
}

int main(int argc, char **argv)
{
    static const double h[] = {0.001, 0.002, 0.006, 0.012};
    double first[3 * GAME_BODIES];
    int frames = argc > 1 ? atoi(argv[1]) : 600, i;
    if (frames < GAME_TEN_SECONDS)
        return puts("at least 600 frames"), 1;
    bounded(argc > 2 ? atof(argv[2]) : 0, frames, first, 1);
    for (i = 3; i < (argc > 2 ? argc : 4); i++)
        bounded(argc > 2 ? atof(argv[i]) : 8, frames, first, 0);
    for (i = 0; i < 4; i++)
        changed(i < 2 ? 1 : 3, i % 2);
    for (i = 0; i < 4; i++)
        printf("figure and cape of %.0f mm: %.2f ms\n", 1e3 * h[i], calm(1, h[i], 0, 1200, 1200));
    printf("ten jellies and fifty crates asleep: %.4f ms\n", calm(0, 0, 1, 2400, 500));
    return 0;
}
