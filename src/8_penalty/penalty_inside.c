/* penalty_inside.c -- vertices inside of closed surfaces.
   Method: a vertex is inside where it is behind the nearest triangle, by the normal of the face, edge or vertex that is nearest, weighted by angles;
   its depth is the distance to it, and the normal that of the triangle, or the direction to the nearest point at edges and corners.
   based on: Baerentzen, Aanaes 2005, Signed distance computation using the angle weighted pseudonormal. */
#include "penalty.h"
#include "../7_contact/inside.h"

CTI_FN int cti_penalty_inside_prepare(cti_state *s)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_surface *f = &s->surface;
    int b;
    if (!CTI_RESIZE(&s->prepared, q->bodies, f->n_bodies) || !CTI_RESIZE(&s->prepared, q->boxes, 16 * (size_t)f->nv) ||
        !CTI_RESIZE(&s->prepared, q->normals, 3 * (size_t)f->nv))
        return 0;
    for (b = 0; b < f->n_bodies; b++) {
        const cti_soup_body *r = &f->ranges[b];
        memset(&q->bodies[b], 0, sizeof q->bodies[b]);
        q->bodies[b].stale = 1;
        if (f->bodies[b].solid && !cti_nearest_build(&s->prepared, &q->forest, &q->bodies[b].faces, f->faces, 3, f->x0, r->f0, r->f1 - r->f0))
            return 0;
    }
    return 1;
}

/* adds vertex v if it is inside of body b. 0: out of memory */
static int cti_penalty_inside_vertex(cti_state *s, const ct_real *x, int v, int b)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_surface *f = &s->surface;
    const cti_nearest_set faces = cti_nearest_set_of(&q->forest, &q->bodies[b].faces, f->faces, x);
    cti_nearest nearest;
    cti_hit hit;
    cti_nearest_face(&faces, cti_v3_at(x, v), CTI_REAL_MAX, NULL, NULL, &nearest);
    if (nearest.face < 0 || !cti_inside_is_behind(f, x, q->normals, &nearest, cti_v3_at(x, v)))
        return 1;
    memset(&hit, 0, sizeof hit);
    cti_inside_pair(f, v, &nearest, &hit.pair);
    hit.normal = cti_inside_out(f, x, &hit.pair, &nearest, 1, CTI_R(1e-3) * f->bodies[b].thickness);
    return CTI_PUSH(&s->prepared, q->hits, hit);
}

/* brings the tree and the normals of body b to positions x */
static void cti_penalty_inside_refit(cti_state *s, const ct_real *x, int b)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    if (!s->surface.bodies[b].moves && !q->bodies[b].stale)
        return;
    q->bodies[b].stale = 0;
    cti_inside_refit(&s->surface, b, x, x, q->boxes, &q->forest, &q->bodies[b].faces);
    cti_inside_normals(&s->surface, x, b, q->normals);
}

CTI_FN int cti_penalty_inside_find(cti_state *s, const ct_real *x)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_surface *f = &s->surface;
    cti_box *bounds = CTI_ARENA_NEW(s->arena, cti_box, f->n_bodies + 1);
    int a, b, v;
    CTI_CLEAR(q->hits);
    if (!bounds)
        return 0;
    for (a = 0; a < f->n_bodies; a++)
        bounds[a] = cti_surface_box(f, x, a);
    for (b = 0; b < f->n_bodies; b++) {
        if (!f->bodies[b].solid)
            continue;
        cti_penalty_inside_refit(s, x, b);
        for (a = 0; a < f->n_bodies; a++) {
            if (a == b || !cti_box_overlap(bounds + a, bounds + b) || !cti_broad_may_meet(&f->soup, a, b))
                continue;
            for (v = f->ranges[a].v0; v < f->ranges[a].v1; v++)
                if (cti_box_has(bounds + b, cti_v3_at(x, v), 0) && !cti_penalty_inside_vertex(s, x, v, b))
                    return 0;
        }
    }
    return 1;
}
