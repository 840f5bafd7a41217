/* cc -O2 rod.c -lm -o rod     (beside contact.h and stb_ds.h) -- a rod between two clamps, one of which turns: its torque is G J times the twist */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 20 /* segments */

int main(void)
{
    ct_real x[3 * (N + 1)], p[3];
    int32_t segments[2 * N], left[3] = {0, 1, N + 1}, right[3] = {N - 1, N, 2 * N};
    double twist = 2 / (1 - 1.0 / N), torque, want; /* [rad/m]: clamps hold the ends' segments, whose middles are 1 - 1 / N apart */
    ct_world_desc d = ct_world_desc_default();
    ct_rod_desc rod = ct_rod_desc_default();
    ct_motion_segment turn;
    ct_mesh mesh;
    ct_world *world;
    ct_body_id body;
    int i;

    /* a straight line of segments */
    memset(&mesh, 0, sizeof mesh);
    for (i = 0; i <= N; i++)
        x[3 * i] = (ct_real)i / N, x[3 * i + 1] = x[3 * i + 2] = 0;
    for (i = 0; i < N; i++)
        segments[2 * i] = i, segments[2 * i + 1] = i + 1;
    mesh.positions = x, mesh.segments = segments, mesh.n_positions = N + 1, mesh.n_segments = N;
    rod.mesh = &mesh, rod.radius = (ct_real)0.01, rod.young = (ct_real)1e7;
    memset(d.gravity, 0, sizeof d.gravity);
    if (ct_world_create(&d, &world, NULL))
        return 1;

    /* nodes are the vertices, then the frames: those of the two end segments are N + 1 and 2 N. A clamp holds a segment's ends and its frame */
    memset(&turn, 0, sizeof turn);
    turn.motion.angular[0] = 1, turn.duration = 2;
    if (ct_body_add_rod(world, &rod, &body) || ct_body_pin(world, body, left, 3, CT_AXIS_ALL, NULL, -1) ||
        ct_body_pin_path(world, body, right, 3, CT_AXIS_ALL, &turn, 1, -1)) {
        printf("%s\n", ct_world_error(world)->text);
        return 1;
    }
    for (i = 0; i < 300; i++)
        if (ct_world_step(world, (ct_real)0.01, NULL))
            return 1;

    /* a frame is a segment's length away from the rod: its pin's impulse times that length is the torque of the step */
    if (ct_body_get_pin_impulse(world, body, left[2], p))
        return 1;
    torque = sqrt((double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]) / 0.01 / N;
    want = 1e7 / (2 * 1.4) * 3.14159265358979 * pow(0.01, 4) / 2 * twist;
    printf("torque at the clamp %.6f N m, G J times the twist %.6f N m\n", torque, want);
    ct_world_destroy(world);
    return fabs(torque / want - 1) < 1e-3 ? 0 : 1;
}
