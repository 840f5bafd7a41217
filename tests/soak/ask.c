/* ask.c -- queries of a random world after a step, against its triangles; and a drawing of it. */
#include "run.h"
#include <math.h>
#include <string.h>

/* an item with a surface that the tests know: not one whose elements are split */
static int has_surface(const soak_item *q) { return q->alive && q->kind != 'p' && q->nt > 0 && q->points == q->n; }

static const soak_item *item_of(const soak_run *u, ct_body_id id)
{
    int i;
    for (i = 0; i < u->n_items; i++)
        if (u->items[i].alive && u->items[i].id.index1 == id.index1 && u->items[i].id.generation == id.generation)
            return &u->items[i];
    return NULL;
}

static void check_hit(soak_run *u, const ct_hit *h, const char *what)
{
    double sum = 0;
    int k, ok = h->kind != CT_HIT_NONE && item_of(u, h->body);
    for (k = 0; k < 3; k++) {
        ok = ok && fabs((double)h->point[k]) <= 1e30 && fabs((double)h->normal[k]) <= 1.001 && h->weights[k] >= 0 && h->weights[k] <= 1;
        sum += (double)h->weights[k];
    }
    if (!ok || !(h->distance >= 0) || !(h->fraction >= 0 && h->fraction <= 1) || (sum > 0 && fabs(sum - 1) > 1e-4))
        soak_fail(u, SOAK_CODE, "%s: a hit of kind %d, body %u, fraction %g, distance %g, weights %g", what, (int)h->kind, (unsigned)h->body.index1,
                  (double)h->fraction, (double)h->distance, sum);
}

/* the nearest point, and who is around, against all triangles */
static void compare_point(soak_run *u, const ct_real *at, double slack)
{
    double p[3];
    ct_hit near_by, in[SOAK_BODIES];
    int i, j, n = 0;
    for (i = 0; i < 3; i++)
        p[i] = (double)at[i];
    if (ct_world_closest_point(u->world, at, (ct_real)INFINITY, NULL, &near_by, NULL) != CT_OK ||
        ct_world_inside(u->world, at, NULL, in, SOAK_BODIES, &n, NULL) != CT_OK) {
        soak_fail(u, SOAK_CODE, "a query is refused");
        return;
    }
    for (i = 0; i < u->n_items; i++) {
        const soak_item *q = &u->items[i];
        double d, turns;
        int found = 0;
        if (!has_surface(q))
            continue;
        for (j = 0; j < 3 * q->n; j++) /* of triangles that reach far out less is known */
            slack = fmax(slack, (sizeof(ct_real) == 4 ? 1e-4 : 1e-9) * fabs(q->x[j]));
        d = soak_distance(q->x, q->triangles, q->nt, p);
        turns = q->closed ? soak_winding(q->x, q->triangles, q->nt, p) : 0;
        if (d < (double)near_by.distance - slack ||
            (near_by.kind == CT_HIT_TRIANGLE && item_of(u, near_by.body) == q && d > (double)near_by.distance + slack))
            soak_fail(u, SOAK_CODE, "body %d is at %.9g, the nearest point at %.9g, of triangle %d", q->number, d, (double)near_by.distance,
                      (int)near_by.feature);
        for (j = 0; j < n; j++)
            found |= in[j].kind == CT_HIT_INSIDE && item_of(u, in[j].body) == q;
        if (q->closed && d > slack && found != (fabs(turns) > 0.5))
            soak_fail(u, SOAK_CODE, "body %d goes %.3f times around a point, inside is %d", q->number, turns, found);
    }
    if (near_by.body.index1)
        check_hit(u, &near_by, "nearest");
}

void soak_ask(soak_run *u, int step)
{
    soak_rng stream = soak_stream(u->seed, 5000 + (uint64_t)step), *r = &stream;
    double far = fabs(u->origin[0]) + fabs(u->origin[1]) + fabs(u->origin[2]), slack = (sizeof(ct_real) == 4 ? 1e-5 : 1e-10) * (far + 10 * u->size);
    ct_draw draw = ct_draw_default();
    int i, k, n = 0, m = 0;
    draw.boxes = draw.islands = step & 1;
    if (ct_world_update_queries(u->world) != CT_OK || ct_world_draw(u->world, &draw) != CT_OK)
        soak_fail(u, SOAK_CODE, "queries or drawing: %s", ct_world_error(u->world)->text);
    for (i = 0; i < 4 && !u->failed; i++) {
        ct_real a[3], d[3], b[3], radius = (ct_real)(u->size * soak_decades(r, -3, 0));
        ct_hit all[4], one, sphere, box[4];
        for (k = 0; k < 3; k++) {
            a[k] = (ct_real)(u->origin[k] + u->size * soak_uniform(r, -2, 2));
            d[k] = (ct_real)(u->size * soak_uniform(r, -3, 3));
            b[k] = a[k] + radius;
        }
        if (ct_world_cast_ray(u->world, a, d, NULL, &one, NULL) != CT_OK || ct_world_cast_ray_all(u->world, a, d, NULL, all, 4, &n, NULL) != CT_OK ||
            ct_world_cast_sphere(u->world, a, radius, d, NULL, &sphere, NULL) != CT_OK ||
            ct_world_overlap_box(u->world, a, b, NULL, box, 4, &m, NULL) != CT_OK) {
            soak_fail(u, SOAK_CODE, "a query is refused");
            return;
        }
        for (k = 0; k < n && k < 4; k++)
            check_hit(u, &all[k], "ray");
        if (sphere.body.index1)
            check_hit(u, &sphere, "sphere");
        if ((n > 0) != (one.body.index1 > 0) || (n > 0 && memcmp(&one, &all[0], sizeof one) != 0))
            soak_fail(u, SOAK_CODE, "%d hits, and the first one is another", n);
        if (n > 0 && (!sphere.body.index1 || (double)(sphere.fraction - one.fraction) * (double)u->size > slack))
            soak_fail(u, SOAK_CODE, "a sphere ends at %g of the way on which a ray ends at %g", (double)sphere.fraction, (double)one.fraction);
        for (k = 0; k < m && k < 4; k++)
            check_hit(u, &box[k], "box");
        compare_point(u, a, slack);
    }
}
