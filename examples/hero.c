/* cc -O2 hero.c -lm -o hero     (beside contact.h and stb_ds.h) -- a figure that an animation moves, its cape, a jelly that a hand pulls, and crates that
   come and go: what a game sets in every frame */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

enum { COLLAR = 16, FRAMES = 240 };
static const double frame = 1.0 / 60;

int main(void)
{
    ct_real figure_size[3] = {0.22, 0.85, 0.22}, cape_size[2] = {0.6, 0.9}, box[3] = {0.4, 0.4, 0.4}, start[3] = {2, 0.95, 0};
    ct_real collar[3 * COLLAR], hand[3] = {-1, 1, 0}, point[3];
    int cape_cells[2] = {COLLAR - 1, 20}, jelly_cells[3] = {3, 3, 3}, crate_cells[3] = {1, 1, 1}, good = 0, n;
    double at[3 * 64];
    ct_mesh figure, sheet, jelly_mesh, crate_mesh;
    ct_world *world;
    ct_body_id hero, cape, jelly, crate = {0, 0};
    ct_kinematic_desc kinematic = ct_kinematic_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_step_report report;

    if (ct_mesh_sphere(1, 2, &figure, NULL) || ct_mesh_transform(&figure, figure_size, NULL, NULL, NULL) ||
        ct_mesh_grid(cape_size, cape_cells, &sheet, NULL) || ct_mesh_box(box, jelly_cells, 1, &jelly_mesh, NULL) ||
        ct_mesh_box(box, crate_cells, 0, &crate_mesh, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    for (int i = 0; i < sheet.n_positions; i++) { /* the sheet hangs around the figure's shoulders */
        ct_real *x = sheet.positions + 3 * i, angle = x[0] / (ct_real)0.3, down = x[2] + cape_size[1] / 2;
        x[0] = (ct_real)(2 + 0.3 * cos((double)angle)), x[1] = (ct_real)1.4 - down, x[2] = (ct_real)(0.3 * sin((double)angle));
    }
    kinematic.mesh = &figure, kinematic.name = "hero";
    kinematic.position[0] = start[0], kinematic.position[1] = start[1];
    cloth.mesh = &sheet, cloth.name = "cape", cloth.material.areal_density = (ct_real)0.25;
    soft.mesh = &jelly_mesh, soft.name = "jelly", soft.material.young = 30000, soft.position[0] = -1, soft.position[1] = (ct_real)0.201;
    rigid.mesh = &crate_mesh, rigid.name = "crate", rigid.density = 300, rigid.position[0] = 5, rigid.position[1] = 1;
    if (ct_body_add_plane(world, NULL, 0, NULL) || ct_body_add_kinematic(world, &kinematic, &hero) || ct_body_add_cloth(world, &cloth, &cape) ||
        ct_body_add_soft(world, &soft, &jelly))
        return printf("%s\n", ct_world_error(world)->text), 1;
    for (int k = 0; k < FRAMES; k++) {
        double angle = 0.8 * frame * (k + 1); /* the animation: a walk on a circle */
        ct_real position[3] = {(ct_real)(2 * cos(angle)), (ct_real)0.95, (ct_real)(-2 * sin(angle))};
        ct_real turn[4] = {(ct_real)cos(angle / 2), 0, (ct_real)sin(angle / 2), 0};
        for (int i = 0; i < COLLAR; i++) { /* the collar goes with the shoulders, as skinning would compute it */
            const ct_real *x = sheet.positions + 3 * i;
            collar[3 * i] = (ct_real)((double)x[0] * cos(angle) + (double)x[2] * sin(angle)), collar[3 * i + 1] = x[1];
            collar[3 * i + 2] = (ct_real)((double)x[2] * cos(angle) - (double)x[0] * sin(angle));
        }
        if (ct_body_move_pose(world, hero, position, turn, frame) || ct_body_move_vertices(world, cape, NULL, collar, COLLAR, frame))
            return printf("%s\n", ct_world_error(world)->text), 1;
        /* the hand: a spring of 400 N/m from a corner of the jelly to a point that rises */
        hand[1] = (ct_real)(0.4 + 0.3 * k / FRAMES);
        if (ct_body_get_positions(world, jelly, at, CT_SCALAR_DOUBLE, 3 * sizeof(double), &n))
            return 1;
        for (int i = 0; i < 3; i++)
            point[i] = (ct_real)(400 * ((double)hand[i] - at[3 * (n - 1) + i]));
        if (ct_body_add_vertex_force(world, jelly, n - 1, point))
            return 1;
        if (k % 60 == 30 && ct_body_add_rigid(world, &rigid, &crate)) /* a crate comes every second, and goes half a second later */
            return 1;
        if (k % 60 == 59 && ct_body_remove(world, crate))
            return 1;
        if (ct_world_step(world, (ct_real)frame, &report))
            return printf("%s\n", ct_world_error(world)->text), 1;
        good += report.status <= CT_STATUS_SUBSTEPPED;
        if (k % 60 == 59)
            printf("t = %.1f s   the jelly's corner at %.2f m, %d contacts\n", ct_world_time(world), at[3 * (n - 1) + 1], report.contacts);
    }
    printf("%d of %d frames within the tolerance\n", good, FRAMES);
    ct_world_destroy(world);
    ct_mesh_free(&figure), ct_mesh_free(&sheet), ct_mesh_free(&jelly_mesh), ct_mesh_free(&crate_mesh);
    return good >= FRAMES - 12 ? 0 : 1;
}
