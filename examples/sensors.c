/* cc -O2 sensors.c -lm -o sensors     (beside contact.h and stb_ds.h) -- sensors and filters: a ghost falls through a bridge on which a crate stays,
   and a sensor at the bottom tells who comes and goes */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>
#include <string.h>

enum { GROUND = 1, SOLID = 2, GHOST = 4 };

static ct_world *world;

static ct_body_id add_box(const char *name, double wide, double high, double y, int moves)
{
    ct_real size[3] = {(ct_real)wide, (ct_real)high, (ct_real)wide};
    int cells[3] = {1, 1, 1};
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_static_desc fixed = ct_static_desc_default();
    ct_body_id id = {0, 0};
    ct_mesh mesh;
    if (ct_mesh_box(size, cells, 0, &mesh, NULL))
        return id;
    rigid.mesh = fixed.mesh = &mesh, rigid.name = fixed.name = name, rigid.position[1] = fixed.position[1] = (ct_real)y;
    if (moves ? ct_body_add_rigid(world, &rigid, &id) : ct_body_add_static(world, &fixed, &id))
        printf("%s\n", ct_world_error(world)->text);
    ct_mesh_free(&mesh);
    return id;
}

static void filter(ct_body_id body, uint64_t category, uint64_t mask)
{
    ct_filter f = ct_filter_default();
    f.category = category, f.mask = mask;
    ct_body_set_filter(world, body, &f);
}

int main(void)
{
    ct_body_id bridge, gate, crate, ghost;
    ct_real ghost_at[3], crate_at[3];
    ct_events e;
    char log[200] = "";
    if (ct_world_create(NULL, &world, NULL) || ct_body_add_plane(world, NULL, 0, NULL))
        return 1;
    bridge = add_box("bridge", 2, 0.2, 2, 0), gate = add_box("gate", 3, 0.6, 0.8, 0);
    crate = add_box("crate", 0.4, 0.4, 2.5, 1), ghost = add_box("ghost", 0.4, 0.4, 3.2, 1);
    filter(bridge, SOLID, SOLID);                   /* the bridge holds what is solid */
    filter(ghost, GHOST, GROUND);                   /* the ghost meets the ground alone: the plane has category 1 at first */
    filter(crate, SOLID, SOLID | GROUND);
    filter(gate, GROUND, UINT64_MAX), ct_body_set_sensor(world, gate, 1); /* sees what its filter meets, and stops nothing */
    for (int step = 0; step < 150; step++) {
        if (ct_world_step(world, (ct_real)0.01, NULL) || ct_world_events(world, &e))
            return printf("%s\n", ct_world_error(world)->text), 1;
        for (int i = 0; i < e.n_sensor_begin + e.n_sensor_end; i++) {
            const ct_body_pair *p = i < e.n_sensor_begin ? &e.sensor_begin[i] : &e.sensor_end[i - e.n_sensor_begin];
            snprintf(log + strlen(log), sizeof log - strlen(log), "%s %s, ", ct_body_name(world, p->body_b), i < e.n_sensor_begin ? "comes" : "goes");
            printf("t = %.2f s   %s %s the gate\n", ct_world_time(world), ct_body_name(world, p->body_b), i < e.n_sensor_begin ? "enters" : "leaves");
        }
        for (int i = 0; i < e.n_begin; i++)
            printf("t = %.2f s   %s touches %s\n", ct_world_time(world), ct_body_name(world, e.begin[i].contact.body_a),
                   ct_body_name(world, e.begin[i].contact.body_b));
    }
    if (ct_body_get_pose(world, ghost, ghost_at, NULL) || ct_body_get_pose(world, crate, crate_at, NULL))
        return 1;
    printf("the crate is at %.2f m, the ghost at %.2f m; %s\n", (double)crate_at[1], (double)ghost_at[1], log);
    ct_world_destroy(world);
    return crate_at[1] > 2.2 && ghost_at[1] < 0.3 && strcmp(log, "ghost comes, ghost goes, ") == 0 ? 0 : 1;
}
