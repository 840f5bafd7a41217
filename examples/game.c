/* cc -O2 game.c -lm -o game     (beside contact.h and stb_ds.h) -- a small game: an animated hero with a cape, ten jellies, fifty crates, a mouse
   that picks and drags, sounds of hits, crates that come and go, and a saved game that goes on with the same bits */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
enum { FRAMES = 180, SAVE = 120, COLLAR = 30 };
static const double dt = 1.0 / 60;
static ct_world *world;
static ct_mesh crate, lump, figure, cloth;
static ct_body_id hero, cape, picked;
static int vertex, sounds, good;
static int add(int soft, double x, double y, double z)
{
    ct_soft_desc s = ct_soft_desc_default();
    ct_rigid_desc r = ct_rigid_desc_default();
    s.mesh = &lump, s.name = "jelly", s.material.young = 30000, r.mesh = &crate, r.name = "crate", r.density = 300;
    r.position[0] = s.position[0] = (ct_real)x, r.position[1] = s.position[1] = (ct_real)y, r.position[2] = s.position[2] = (ct_real)z;
    return (soft ? ct_body_add_soft(world, &s, NULL) : ct_body_add_rigid(world, &r, NULL)) == CT_OK;
}
static int frame(int f) /* what depends on f alone is the same when a saved game goes on */
{
    double a = 0.8 * dt * (f + 1), x[3 * 512];
    ct_real at[3] = {(ct_real)(2 * cos(a)), (ct_real)0.95, (ct_real)(-2 * sin(a))}, turn[4] = {(ct_real)cos(a / 2), 0, (ct_real)sin(a / 2), 0};
    ct_real eye[3] = {(ct_real)-0.6, (ct_real)0.4, -9}, way[3] = {0, 0, 20}, pull[3] = {0, 0, 0}, collar[3 * COLLAR];
    ct_step_report report;
    ct_events e;
    ct_hit hit;
    for (int i = 0; i < COLLAR; i++) {
        const ct_real *c = cloth.positions + 3 * i;
        collar[3 * i] = (ct_real)((double)c[0] * cos(a) + (double)c[2] * sin(a)), collar[3 * i + 1] = c[1];
        collar[3 * i + 2] = (ct_real)((double)c[2] * cos(a) - (double)c[0] * sin(a));
    }
    ct_body_move_pose(world, hero, at, turn, dt), ct_body_move_vertices(world, cape, NULL, collar, COLLAR, dt);
    if (f == 40 && !ct_world_update_queries(world) && !ct_world_cast_ray(world, eye, way, NULL, &hit, NULL) && hit.body.index1)
        picked = hit.body, vertex = hit.vertices[0];
    if (f >= 40 && f < 140 && !ct_body_get_positions(world, picked, x, CT_SCALAR_DOUBLE, 24, NULL)) { /* a spring of 300 N/m to the mouse */
        pull[0] = (ct_real)(300 * (-0.6 - 0.01 * (f - 40) - x[3 * vertex])), pull[1] = (ct_real)(300 * (0.4 + 0.02 * (f - 40) - x[3 * vertex + 1]));
        ct_body_add_vertex_force(world, picked, vertex, pull);
    }
    if (ct_world_step(world, (ct_real)dt, &report) || ct_world_events(world, &e))
        return printf("frame %d: %s\n", f, ct_world_error(world)->text), 0;
    for (int i = 0; i < e.n_hit; i++)
        sounds += e.hit[i].speed > 2; /* play(e.hit[i].contact.point, e.hit[i].speed) */
    good += report.status <= CT_STATUS_SUBSTEPPED;
    return 1;
}
int main(void)
{
    ct_real size[3] = {(ct_real)0.3, (ct_real)0.3, (ct_real)0.3}, soft[3] = {(ct_real)0.5, (ct_real)0.5, (ct_real)0.5};
    ct_real sheet[2] = {(ct_real)0.7, (ct_real)1.1}, shape[3] = {(ct_real)0.22, (ct_real)0.85, (ct_real)0.22};
    int one[3] = {1, 1, 1}, three[3] = {3, 3, 3}, cells[2] = {COLLAR - 1, COLLAR - 1};
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_cloth_desc c = ct_cloth_desc_default();
    if (ct_mesh_box(size, one, 0, &crate, NULL) || ct_mesh_box(soft, three, 1, &lump, NULL) || ct_mesh_sphere(1, 2, &figure, NULL) ||
        ct_mesh_transform(&figure, shape, NULL, NULL, NULL) || ct_mesh_grid(sheet, cells, &cloth, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    for (int i = 0; i < cloth.n_positions; i++) { /* around the shoulders */
        ct_real *p = cloth.positions + 3 * i, angle = p[0] / (ct_real)0.28, down = p[2] + (ct_real)0.55;
        p[0] = (ct_real)(2 + 0.28 * cos((double)angle)), p[1] = (ct_real)1.5 - down, p[2] = (ct_real)(0.28 * sin((double)angle));
    }
    k.mesh = &figure, k.position[0] = 2, k.position[1] = (ct_real)0.95, c.mesh = &cloth, c.material.areal_density = (ct_real)0.25;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_kinematic(world, &k, &hero) || ct_body_add_cloth(world, &c, &cape))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (int i = 0; i < 60; i++)
        i < 10 ? add(1, -0.6 + 0.6 * (i % 3), 0.3 + 0.6 * (i / 3), 0.1 * (i & 1)) : add(0, -3.5 + 0.4 * (i % 10), 0.16 + 0.31 * (i / 10 - 1), 4);
    for (int f = 0; f < FRAMES; f++) {
        if (f < SAVE && f % 30 == 29 && (!add(0, 5 + f / 30, 3, 8) || ct_body_remove(world, ct_world_find_body(world, "crate"))))
            return 1; /* a crate comes, and one goes */
        if ((f == SAVE && ct_world_snapshot_write(world, "game.save")) || !frame(f))
            return 1;
    }
    printf("%d of %d frames within the tolerance, %d hits, picked a %s\n", good, FRAMES, sounds, ct_body_name(world, picked));
    uint64_t hash = ct_world_hash(world);
    for (int f = SAVE; f < FRAMES; f++)
        if ((f == SAVE && ct_world_snapshot_read(world, "game.save")) || !frame(f))
            return 1;
    printf("the saved game goes on %s\n", ct_world_hash(world) == hash ? "with the same bits" : "in another way");
    return ct_world_hash(world) == hash && sounds > 0 && picked.index1 && good > FRAMES * 9 / 10 ? ct_world_destroy(world), 0 : 1;
}
