/* test_paper.c -- Otaduy et al. 2009 as printed: friction on a box or a pyramid that is aligned with the unconstrained tangential velocity (3.4). */
#include "world_util.h"

enum { DIRECTIONS = 5 };
#define PI 3.14159265358979

/* a plate of 1 m, rigid or soft, that slides on a plane at 2 m/s, `angle` from x */
static ct_body_id add_plate(ct_world *w, int rigid, double angle)
{
    ct_mesh m = mesh_box(1, 0.05, 1, 2, 1, 2, !rigid);
    ct_body_id id;
    double vx = 2 * cos(angle), vz = 2 * sin(angle);
    add_plane(w, 0, 1, 0, 0);
    mesh_place(&m, 0, 0, 0.026, 0);
    if (rigid) {
        ct_rigid_desc d = ct_rigid_desc_default();
        d.mesh = &m, d.velocity[0] = (ct_real)vx, d.velocity[2] = (ct_real)vz;
        assert_int_equal(ct_body_add_rigid(w, &d, &id), CT_OK);
    } else
        id = add_soft_mesh(w, "plate", &m, 1e6, vx, 0, vz);
    ct_mesh_free(&m);
    return id;
}

/* how a plate is braked, as a share of mu g, and by how many degrees its path turns, over a tenth of a second. */
static void slide(ct_world_desc *d, int rigid, double angle, double *brake, double *turn)
{
    ct_world *w = world_make(d);
    ct_body_id plate = add_plate(w, rigid, angle);
    double before[3], after[3];
    int i;
    for (i = 0; i < 10; i++)
        step_once(w, 0.005);
    read_middle(w, plate, 1, before);
    for (i = 0; i < 20; i++)
        step_once(w, 0.005);
    read_middle(w, plate, 1, after);
    *brake = (hypot(before[0], before[2]) - hypot(after[0], after[2])) / (0.1 * 9.81 * (double)d->friction);
    *turn = (atan2(after[2], after[0]) - atan2(before[2], before[0])) * 180 / PI;
    ct_world_destroy(w);
}

/* every cone brakes with mu g and turns nothing, whatever the direction */
static void cones(void **state)
{
    static const ct_cone list[] = {CT_CONE_BOX, CT_CONE_PYRAMID, CT_CONE_CONE};
    static const char *const name[] = {"box", "pyramid", "cone"};
    int k, i, kind;
    (void)state;
    for (kind = 0; kind < 2; kind++)
        for (k = 0; k < 3; k++) {
            double worst = 0, most = 0, brake, turn;
            for (i = 0; i < DIRECTIONS; i++) {
                ct_world_desc d = world_desc(1e-3, 0.3, NULL);
                d.solver.cone = list[k];
                slide(&d, kind == 0, i * PI / 16, &brake, &turn);
                worst = fabs(brake - 1) > worst ? fabs(brake - 1) : worst;
                most = fabs(turn) > most ? fabs(turn) : most;
            }
            print_message("%s, %s: braked with mu g within %.2g, turned by at most %.2g degrees\n",
                          kind == 0 ? "rigid plate" : "soft plate", name[k], worst, most);
            assert_true(worst < 0.01);
            assert_true(most < 0.1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
