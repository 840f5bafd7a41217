/* cc -O2 rollback.c -lm -o rollback     (beside contact.h and stb_ds.h) -- two players, each with a world of their own, and inputs that arrive late.
   Each steps on with the inputs that it has. When one of an earlier frame arrives, it goes back to a snapshot of that frame, and steps again with it */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 120, DELAY = 6, PLAYERS = 2 };

typedef struct player {
    ct_world *world;
    ct_body_id puck[PLAYERS];
    double input[FRAMES][PLAYERS]; /* [N] pushes along x that are known; 0: nothing yet */
    void *snapshot[FRAMES];        /* before each frame */
    size_t bytes[FRAMES];
    int rolled_back;
} player;

static int create(player *p)
{
    ct_real size[3] = {(ct_real)0.4, (ct_real)0.2, (ct_real)0.4};
    int cells[3] = {1, 1, 1}, good = 1;
    ct_mesh mesh;
    if (ct_mesh_box(size, cells, 0, &mesh, NULL) || ct_world_create(NULL, &p->world, NULL) || ct_body_add_plane(p->world, NULL, 0, NULL))
        return 0;
    for (int k = 0; k < PLAYERS; k++) {
        ct_rigid_desc d = ct_rigid_desc_default();
        d.mesh = &mesh, d.density = 300, d.friction = (ct_real)0.1, d.position[0] = (ct_real)(k ? 1 : -1), d.position[1] = (ct_real)0.101;
        good &= ct_body_add_rigid(p->world, &d, &p->puck[k]) == CT_OK;
    }
    ct_mesh_free(&mesh);
    return good;
}

/* one frame with the inputs that this player knows, and a snapshot before it */
static int frame(player *p, int f)
{
    if (ct_world_snapshot_size(p->world, &p->bytes[f]))
        return 0;
    p->snapshot[f] = realloc(p->snapshot[f], p->bytes[f]);
    if (!p->snapshot[f] || ct_world_snapshot_save(p->world, p->snapshot[f], p->bytes[f], NULL))
        return 0;
    for (int k = 0; k < PLAYERS; k++) {
        ct_real push[3] = {(ct_real)p->input[f][k], 0, 0};
        if (p->input[f][k] != 0 && ct_body_add_force(p->world, p->puck[k], push, NULL))
            return 0;
    }
    return ct_world_step(p->world, (ct_real)(1.0 / 60), NULL) == CT_OK;
}

/* an input of frame f arrives while `now` is to be made */
static int receive(player *p, int f, int who, double push, int now)
{
    if (p->input[f][who] == push)
        return 1; /* as it was thought to be */
    p->input[f][who] = push, p->rolled_back++;
    if (ct_world_snapshot_restore(p->world, p->snapshot[f], p->bytes[f]))
        return 0;
    for (; f < now; f++)
        if (!frame(p, f))
            return 0;
    return 1;
}

static int same(const player *p) { return ct_world_hash(p[0].world) == ct_world_hash(p[1].world); }
static double press(int who, int f) { return (f / 20) % 2 == who ? (who ? -60 : 60) : 0; } /* [N] each pushes his puck towards the other one */

int main(void)
{
    static player p[PLAYERS];
    if (!create(&p[0]) || !create(&p[1]))
        return 1;
    for (int f = 0; f < FRAMES + DELAY; f++)
        for (int me = 0; me < PLAYERS; me++) {
            if (f >= DELAY && !receive(&p[me], f - DELAY, !me, press(!me, f - DELAY), f < FRAMES ? f : FRAMES))
                return printf("%s\n", ct_world_error(p[me].world)->text), 1;
            if (f >= FRAMES)
                continue;
            p[me].input[f][me] = press(me, f); /* one's own is known at once */
            if (!frame(&p[me], f))
                return printf("%s\n", ct_world_error(p[me].world)->text), 1;
            if (f % 30 == 29 && me)
                printf("frame %3d   worlds %s while inputs are on their way\n", f + 1, same(p) ? "agree" : "differ");
        }
    int good = same(p) && p[0].rolled_back > 0;
    printf("at last they %s: %d and %d inputs came late, a snapshot has %d bytes\n", same(p) ? "agree to the bit" : "differ", p[0].rolled_back,
           p[1].rolled_back, (int)p[0].bytes[0]);
    for (int me = 0; me < PLAYERS; me++) {
        for (int f = 0; f < FRAMES; f++)
            free(p[me].snapshot[f]);
        ct_world_destroy(p[me].world);
    }
    return good ? 0 : 1;
}
