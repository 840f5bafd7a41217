/* cc -O2 rigid_stack.c -lm -o rigid_stack     (beside contact.h and stb_ds.h) -- five crates on a soft block: rigid and soft in one solve
 */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

static int fail(const char *text)
{
    printf("%s\n", text);
    return 1;
}

int main(void)
{
    ct_real block_size[3] = {(ct_real)0.6, (ct_real)0.3, (ct_real)0.6}, crate_size[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int block_cells[3] = {6, 3, 6}, crate_cells[3] = {1, 1, 1}, i, k;
    ct_mesh block, crate;
    ct_world *world = NULL;
    ct_world_desc desc = ct_world_desc_default();
    ct_static_desc ground = ct_static_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_body_id id, crates[5];
    ct_real at[3] = {0, 0, 0};
    ct_error_info error;
    ct_step_report report;

    desc.friction = (ct_real)0.5;
    if (ct_mesh_box(block_size, block_cells, 1, &block, &error) != CT_OK ||
        ct_mesh_box(crate_size, crate_cells, 0, &crate, &error) != CT_OK || ct_world_create(&desc, &world, &error) != CT_OK)
        return fail(error.text);
    for (i = 0; i < block.n_positions; i++)
        block.positions[3 * i + 1] += (ct_real)0.151;
    soft.name = "block";
    soft.mesh = &block;
    soft.material.young = (ct_real)5e4;
    soft.material.density = 500;
    if (ct_body_add_static(world, &ground, &id) != CT_OK || ct_body_add_soft(world, &soft, &id) != CT_OK)
        return fail(ct_world_error(world)->text);

    /* a rigid body is given by its closed surface, from which mass, centre and inertia follow */
    rigid.name = "crate";
    rigid.mesh = &crate;
    rigid.density = 300;
    for (i = 0; i < crate.n_positions; i++)
        crate.positions[3 * i + 1] += (ct_real)0.402;
    for (k = 0; k < 5; k++) {
        if (ct_body_add_rigid(world, &rigid, &crates[k]) != CT_OK)
            return fail(ct_world_error(world)->text);
        for (i = 0; i < crate.n_positions; i++)
            crate.positions[3 * i + 1] += (ct_real)0.201;
    }

    for (i = 1; i <= 200; i++) {
        if (ct_world_step(world, (ct_real)0.01, &report) != CT_OK)
            return fail(ct_world_error(world)->text);
        if (i % 50 == 0) {
            ct_real q[4];
            ct_body_get_pose(world, crates[4], at, q);
            printf("t = %.1f s   top crate at %.3f m, turned by %.3f   %3d contacts   %s\n", ct_world_time(world), (double)at[1],
                   2 * (double)(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), report.contacts, ct_status_text(report.status));
        }
    }
    ct_world_destroy(world);
    ct_mesh_free(&block);
    ct_mesh_free(&crate);
    return at[1] > 1.19 && at[1] < 1.21 ? 0 : 1; /* the stack is still upright */
}
