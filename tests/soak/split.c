/* split.c -- the surface that collides, where elements are split in regions of contact: the interface does not show it. Its mesh and the positions of
   added nodes are read from the world's own data; what is judged of them is this program's (run.c, exact.c). */
#include "run.h"
#include "../../src/9_world/world.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cti_body *split_body(const soak_run *u, const soak_item *q) { return &u->world->bodies[cti_world_slot(u->world, q->id)]; }

void soak_split_positions(const soak_run *u, soak_item *q)
{
    const cti_body *b = split_body(u, q);
    const ct_real *x = u->world->state.x + 3 * (size_t)b->block0;
    int i;
    for (i = 3 * q->n; i < 3 * q->points; i++)
        q->x[i] = (double)x[i];
    for (i = 3 * q->n; i < 3 * q->points; i++)
        q->x[i] += u->world->state.desc.origin[i % 3] != 0 ? u->world->state.desc.origin[i % 3] : -0.0;
}

int soak_split_mesh(const soak_run *u, soak_item *q)
{
    const cti_body *b = split_body(u, q);
    int points = cti_body_points(b), i;
    if (points == q->points)
        return 0;
    q->points = points, q->nt = CTI_LEN(b->triangles) / 3, q->n_tets = b->model.tets.n;
    q->triangles = (int32_t *)realloc(q->triangles, sizeof(int32_t) * 3 * (size_t)q->nt);
    memcpy(q->triangles, b->triangles, sizeof(int32_t) * 3 * (size_t)q->nt);
    q->tets = (int32_t *)realloc(q->tets, sizeof(int32_t) * 4 * (size_t)q->n_tets);
    for (i = 0; i < 4 * q->n_tets; i++)
        q->tets[i] = b->model.tets.node[i] - b->block0;
    q->x = (double *)realloc(q->x, sizeof(double) * 3 * (size_t)points);
    q->used = (uint8_t *)realloc(q->used, (size_t)points);
    memset(q->used, 0, (size_t)points);
    return 1;
}

double soak_split_edge(const soak_run *u)
{
    double sum = 0;
    int i, e, k, n = 0;
    for (i = 0; i < u->n_items; i++) {
        const soak_item *q = &u->items[i];
        const cti_body *b = q->alive && q->kind == 's' ? split_body(u, q) : NULL;
        for (e = 0; b && e < q->ne; e++, n++) {
            double d2 = 0;
            for (k = 0; k < 3; k++) {
                double d = (double)b->rest[3 * q->edges[2 * e] + k] - (double)b->rest[3 * q->edges[2 * e + 1] + k];
                d2 += d * d;
            }
            sum += sqrt(d2);
        }
    }
    return n ? sum / n : 0;
}
