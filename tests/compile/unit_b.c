/* unit_b.c -- a user in C: declarations only. Links with unit_a.c of the same precision and with no other. */
#include "../../contact.h"

int unit_b_steps(void);
int unit_b_steps(void)
{
    ct_world_desc wd = ct_world_desc_default();
    ct_soft_desc sd = ct_soft_desc_default();
    ct_world *world = NULL;
    ct_mesh mesh;
    ct_body_id body;
    ct_real size[3] = {1, 1, 1};
    ct_step_report report;
    int cells[3] = {1, 1, 1}, ok;
    if (ct_mesh_box(size, cells, 1, &mesh, NULL) != CT_OK)
        return 0;
    ok = ct_world_create(&wd, &world, NULL) == CT_OK;
    sd.mesh = &mesh;
    ok = ok && ct_body_add_soft(world, &sd, &body) == CT_OK;
    ok = ok && ct_world_step(world, (ct_real)0.01, &report) == CT_OK && ct_world_time(world) > 0;
    ct_world_destroy(world);
    ct_mesh_free(&mesh);
    return ok;
}
