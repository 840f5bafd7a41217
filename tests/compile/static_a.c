/* static_a.c -- CONTACT_STATIC: a copy of the library that only this file sees. static_b.c has another, of the other precision, with the
   same names. */
#define CONTACT_STATIC
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"

int static_a_bits(void);
double static_a_height(void);
int static_a_bits(void) { return ct_library_info_get()->real_bits; }

/* where a box is after 0.2 s of free fall from 1 m */
double static_a_height(void)
{
    const ct_real size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    ct_world_desc d = ct_world_desc_default();
    ct_soft_desc s = ct_soft_desc_default();
    ct_step_report report;
    ct_world *w = NULL;
    ct_mesh m;
    ct_body_id body;
    double height = -1;
    int i;
    if (ct_mesh_box(size, cells, 1, &m, NULL) != CT_OK || ct_world_create(&d, &w, NULL) != CT_OK)
        return -1;
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] += 1;
    s.mesh = &m;
    if (ct_body_add_soft(w, &s, &body) == CT_OK) {
        for (i = 0; i < 20; i++)
            if (ct_world_step(w, (ct_real)0.01, &report) != CT_OK)
                return -1;
        height = report.center_of_mass[1];
    }
    ct_world_destroy(w), ct_mesh_free(&m);
    return height;
}
