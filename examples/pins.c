/* cc -O2 pins.c -lm -o pins     (beside contact.h and stb_ds.h) -- a sheet hangs by two corners: what the pins carry is its weight */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    ct_real size[2] = {1, 1}, impulse[3];
    int cells[2] = {8, 8};
    int32_t corners[2] = {0, 8};
    double carried = 0, weight = 0.2 * 9.81, dt = 0.01; /* 0.2 kg/m^2, 1 m^2 */
    ct_mesh sheet;
    ct_world *world;
    ct_body_id body;
    ct_cloth_desc cloth = ct_cloth_desc_default();

    if (ct_mesh_grid(size, cells, &sheet, NULL) || ct_world_create(NULL, &world, NULL))
        return 1;
    cloth.mesh = &sheet;
    cloth.material.areal_density = 0.2;
    cloth.material.damping_mass = 2; /* so that it comes to rest */
    if (ct_body_add_cloth(world, &cloth, &body) || ct_body_pin(world, body, corners, 2, CT_AXIS_ALL, NULL, -1)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (int i = 0; i < 600; i++)
        if (ct_world_step(world, dt, NULL))
            return 1;
    for (int i = 0; i < 2; i++) {
        if (ct_body_get_pin_impulse(world, body, corners[i], impulse))
            return 1;
        printf("corner %d is held with %6.3f %6.3f %6.3f N\n", i, (double)impulse[0] / dt, (double)impulse[1] / dt,
               (double)impulse[2] / dt);
        carried += (double)impulse[1] / dt;
    }
    printf("together %.3f N up, the sheet weighs %.3f N\n", carried, weight);
    ct_world_destroy(world);
    ct_mesh_free(&sheet);
    return fabs(carried - weight) < 0.02 * weight ? 0 : 1;
}
