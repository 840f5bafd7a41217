/* penalty_inside.c -- vertices inside of closed surfaces.
   Method: a vertex is inside where it is behind the nearest triangle, by the normal of the face, edge or vertex that is nearest, weighted by angles;
   its depth is the distance to it, and the normal that of the triangle, or the direction to the nearest point at edges and corners.
   based on: Baerentzen, Aanaes 2005, Signed distance computation using the angle weighted pseudonormal. */
#include "penalty.h"

CTI_FN int cti_penalty_inside_prepare(cti_state *s)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_surface *f = &s->surface;
    int b, i, k;
    if (!CTI_RESIZE(&s->prepared, q->bodies, f->n_bodies) || !CTI_RESIZE(&s->prepared, q->boxes, 16 * (size_t)f->nv) ||
        !CTI_RESIZE(&s->prepared, q->normals, 3 * (size_t)f->nv))
        return 0;
    for (b = 0; b < f->n_bodies; b++) {
        const cti_soup_body *r = &f->ranges[b];
        cti_bvh_item *items;
        memset(&q->bodies[b], 0, sizeof q->bodies[b]);
        q->bodies[b].fresh = 1;
        if (!f->bodies[b].solid)
            continue;
        items = CTI_ARENA_NEW(s->arena, cti_bvh_item, r->f1 - r->f0 + 1);
        if (!items)
            return 0;
        for (i = r->f0; i < r->f1; i++) {
            cti_v3 c = cti_v3_zero();
            for (k = 0; k < 3; k++)
                c = cti_v3_mad(c, cti_v3_at(f->x0, f->faces[3 * i + k]), CTI_R(1.0) / 3);
            items[i - r->f0].id = i;
            cti_v3_put(items[i - r->f0].at, 0, c);
        }
        if (!cti_bvh_build(&s->prepared, &q->forest, &q->bodies[b].faces, items, r->f1 - r->f0, 1))
            return 0;
    }
    return 1;
}

/* adds vertex v if it is inside of body b. 0: out of memory */
static int cti_penalty_inside_vertex(cti_state *s, const ct_real *x, int v, int b)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_nearest_set faces = cti_nearest_set_of(&q->forest, &q->bodies[b].faces, s->surface.faces, x);
    cti_nearest nearest;
    cti_hit hit;
    cti_v3 away;
    ct_real d;
    int k, border;
    cti_nearest_face(&faces, cti_v3_at(x, v), CTI_REAL_MAX, NULL, NULL, &nearest);
    if (nearest.face < 0)
        return 1;
    memset(&hit, 0, sizeof hit);
    cti_pair_make(&s->surface, CT_PAIR_VF, v, nearest.face, &hit.pair);
    hit.pair.w[0] = 1;
    for (k = 0; k < 3; k++)
        hit.pair.w[1 + k] = -nearest.w[k];
    away = cti_pair_offset(&s->surface, x, &hit.pair);
    if (!(cti_v3_dot(cti_surface_feature_normal(&s->surface, x, q->normals, &nearest, &border), away) < 0))
        return 1;
    d = cti_sqrt(nearest.d2);
    hit.normal = cti_surface_normal(&s->surface, x, nearest.face, cti_v3_make(0, 1, 0));
    /* at an edge or corner the direction to the nearest point, unless that is too close to give one */
    if (nearest.feature != 6 && d > CTI_R(1e-3) * s->surface.bodies[b].thickness)
        hit.normal = cti_v3_mul(away, -1 / d);
    return CTI_PUSH(&s->prepared, q->hits, hit);
}

static void cti_penalty_inside_refit(cti_state *s, const ct_real *x, int b)
{
    cti_penalty_inside *q = &cti_penalty_of(s)->inside;
    const cti_soup_body *r = &s->surface.ranges[b];
    int i;
    if (!s->surface.bodies[b].solid || (!s->surface.bodies[b].moves && !q->bodies[b].fresh))
        return;
    q->bodies[b].fresh = 0;
    for (i = r->v0; i < r->v1; i++)
        cti_nearest_box(q->boxes + 16 * (size_t)i, cti_v3_at(x, i), cti_v3_at(x, i));
    cti_bvh_refit(&q->forest, &q->bodies[b].faces, cti_nearest_boxes(q->boxes), 0, s->surface.faces, 3);
    cti_surface_vertex_normals(&s->surface, x, b, q->normals);
}

static int cti_penalty_is_in_box(const float box[12], cti_v3 p)
{
    return p.x >= (ct_real)box[0] && p.y >= (ct_real)box[1] && p.z >= (ct_real)box[2] && p.x <= (ct_real)box[3] && p.y <= (ct_real)box[4] &&
           p.z <= (ct_real)box[5];
}

/* 1 if the box of a body's vertices meets that of another's tree */
static int cti_penalty_boxes_meet(const float box[12], const cti_box *b)
{
    return b->lo.x <= (ct_real)box[3] && b->hi.x >= (ct_real)box[0] && b->lo.y <= (ct_real)box[4] && b->hi.y >= (ct_real)box[1] &&
           b->lo.z <= (ct_real)box[5] && b->hi.z >= (ct_real)box[2];
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
        for (bounds[a] = cti_box_empty(), v = f->ranges[a].v0; v < f->ranges[a].v1; v++)
            cti_box_add(&bounds[a], cti_v3_at(x, v));
    for (b = 0; b < f->n_bodies; b++) {
        float box[12];
        if (!f->bodies[b].solid)
            continue;
        cti_penalty_inside_refit(s, x, b);
        cti_bvh_root(&q->forest, &q->bodies[b].faces, box);
        for (a = 0; a < f->n_bodies; a++) {
            if (a == b || !cti_broad_may_meet(&f->soup, a, b) || !cti_penalty_boxes_meet(box, bounds + a))
                continue;
            for (v = f->ranges[a].v0; v < f->ranges[a].v1; v++)
                if (cti_penalty_is_in_box(box, cti_v3_at(x, v)) && !cti_penalty_inside_vertex(s, x, v, b))
                    return 0;
        }
    }
    return 1;
}
