/* sensors.c -- which bodies overlap sensors.
   Method: sensors and bodies whose boxes overlap are tested for an edge of one through a face of the other, exactly. Where there is none, each
   connected part of a surface is inside or outside of the other body as a whole: one of its vertices decides. Based on: no paper. */
#include "world.h"
#include "../0_base/sort.h"
#include "../4_geom/intersect.h"

/* adds bodies a and b of the surface, one of which is a sensor. 0: out of memory */
static int cti_sensors_add(ct_world *w, int a, int b)
{
    int turned = !w->state.surface.ranges[a].sensor;
    return CTI_PUSH(&w->mem, w->events.sensed, (uint64_t)(turned ? b : a) << 32 | (uint64_t)(turned ? a : b));
}

/* sorts what has been found, each pair once. 0: out of memory */
static int cti_sensors_sort(ct_world *w)
{
    int n = CTI_LEN(w->events.sensed);
    uint64_t *scratch = CTI_ARENA_NEW(&w->arena, uint64_t, n);
    if (n == 0 || !scratch)
        return scratch != NULL;
    cti_sort_u64(w->events.sensed, NULL, scratch, NULL, n);
    stbds_header(w->events.sensed)->length = (size_t)cti_sort_unique_u64(w->events.sensed, NULL, n);
    return 1;
}

/* 1 where a part of a is inside of b, which it does not cross. Every part has a vertex before all its neighbours */
static int cti_sensors_is_inside(const cti_surface *f, int a, int b)
{
    const cti_soup_body *r = &f->ranges[b];
    cti_box box = cti_surface_box(f, f->x0, b);
    int v, k, first, inside = 0;
    for (v = f->ranges[a].v0; v < f->ranges[a].v1 && f->bodies[b].solid && !inside; v++) {
        for (first = 1, k = f->vertex_start[v]; k < f->vertex_start[v + 1]; k++)
            first &= f->vertex_next[k] > v;
        inside = first && cti_box_has(&box, cti_v3_at(f->x0, v), 0) &&
                 cti_intersect_contains(f->faces + 3 * (size_t)r->f0, r->f1 - r->f0, f->x0, f->x0 + 3 * (size_t)v) == 1;
    }
    return inside;
}

/* adds what is behind a plane, where it or the plane is a sensor. 0: out of memory */
static int cti_sensors_planes(ct_world *w)
{
    const cti_surface *f = &w->state.surface;
    int p, b, v;
    for (p = 0; p < f->n_planes; p++)
        for (b = 0; b < f->n_bodies; b++) {
            if (!cti_broad_senses(&f->soup, f->planes[p].body, b))
                continue;
            for (v = f->ranges[b].v0; v < f->ranges[b].v1 && !(cti_plane_gap(&f->planes[p], cti_v3_at(f->x0, v)) <= 0); v++)
                ;
            if (v < f->ranges[b].v1 && !cti_sensors_add(w, f->planes[p].body, b))
                return 0;
        }
    return 1;
}

CTI_FN int cti_world_sense(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    cti_broad *q = &f->broad;
    int i, n, ok, sensors = 0;
    CTI_CLEAR(w->events.sensed);
    for (i = 0; i < f->n_bodies; i++)
        sensors += f->ranges[i].sensor;
    if (sensors == 0)
        return 1;
    q->others = q->sensors = 1;
    ok = cti_broad_update(&w->mem, q, &f->soup, f->x0, f->x0) && cti_intersect_soup(&w->mem, q, &f->soup, f->x0, &w->events.hits);
    q->others = q->sensors = 0;
    for (i = 0; ok && i < CTI_LEN(w->events.hits); i += 2)
        ok = cti_sensors_add(w, f->body_of[f->edges[2 * w->events.hits[i]]], f->body_of[f->faces[3 * w->events.hits[i + 1]]]);
    ok = ok && cti_sensors_sort(w);
    n = CTI_LEN(w->events.sensed);
    for (i = 0; ok && i < CTI_LEN(q->body_pairs); i += 2) {
        int a = q->body_pairs[i], b = q->body_pairs[i + 1];
        uint64_t key = f->ranges[a].sensor ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
        if (!cti_sort_has_u64(w->events.sensed, n, key) && (cti_sensors_is_inside(f, a, b) || cti_sensors_is_inside(f, b, a)))
            ok = cti_sensors_add(w, a, b);
    }
    return ok && cti_sensors_planes(w) && cti_sensors_sort(w);
}
