/* dcd_detect.c -- discrete detection: surface vertices inside a body, and the triangle through which they are pushed out. Method: a vertex is inside
   a body of tets when it is inside one of its tets; it is pushed out through the surface triangle that is nearest in the current shape (Li et al.
   2015, section 3.2). Surfaces without tets, or embedded in them: the side of the nearest triangle, by normals of faces, edges and vertices weighted
   by angles (Baerentzen, Aanaes 2005). A body against itself: tets and triangles near the vertex at rest are ignored. Open meshes push out vertices
   behind them up to a certain depth. differs: vertices outside but closer than the thickness count, too, so that contacts do not flicker. */
#include "dcd.h"
#include "../7_contact/inside.h"

/* ---- preparation ---- */

/* computes radii at rest around vertices, and mean edge lengths of bodies */
static void cti_dcd_rest(cti_state *s)
{
    const cti_surface *f = &s->surface;
    int b, e, k;
    for (b = 0; b < f->n_bodies; b++) {
        const cti_soup_body *r = &f->ranges[b];
        ct_real sum = 0;
        for (e = r->e0; e < r->e1; e++) {
            const int32_t *v = f->edges + 2 * (size_t)e;
            ct_real length = cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, v[0]), cti_v3_at(f->rest, v[1])));
            sum += length;
            for (k = 0; k < 2; k++)
                cti_dcd_of(s)->self_radius[v[k]] = cti_max(cti_dcd_of(s)->self_radius[v[k]], cti_dcd_tuned.discrete.self_radius * length);
        }
        cti_dcd_of(s)->bodies[b].edge = r->e1 > r->e0 ? sum / (ct_real)(r->e1 - r->e0) : 0;
    }
}

CTI_FN int cti_dcd_prepare(cti_state *s)
{
    cti_dcd *d = cti_dcd_of(s);
    const cti_surface *f = &s->surface;
    int b, i, n3 = 3 * s->n;
    if (!CTI_RESIZE(&s->prepared, d->self_radius, f->nv) || !CTI_RESIZE(&s->prepared, d->normals, 3 * f->nv) ||
        !CTI_RESIZE(&s->prepared, d->vertex_boxes, 16 * (size_t)f->nv) || !CTI_RESIZE(&s->prepared, d->node_boxes, 16 * (size_t)s->n) ||
        !CTI_RESIZE(&s->prepared, d->power, n3) || !CTI_RESIZE(&s->prepared, d->power_step, n3) || !CTI_RESIZE(&s->prepared, d->solve.v_start, n3) ||
        !CTI_RESIZE(&s->prepared, d->solve.solution, n3))
        return 0;
    for (i = 0; i < f->nv; i++)
        d->self_radius[i] = 0;
    for (i = 0; i < n3; i++)
        d->power[i] = 0;
    cti_dcd_rest(s);
    for (b = 0; b < f->n_bodies; b++) {
        cti_dcd_body *q = &d->bodies[b];
        const cti_soup_body *r = &f->ranges[b];
        const cti_tet_batch *t = q->model >= 0 ? &s->bodies.models[q->model]->tets : NULL;
        q->stale = 1;
        q->closed = f->bodies[b].solid;
        if (!cti_nearest_build(&s->prepared, &d->forest, &q->faces, f->faces, 3, f->x0, r->f0, r->f1 - r->f0) ||
            (t && !cti_nearest_build(&s->prepared, &d->forest, &q->tets, t->node, 4, s->x, 0, t->n)))
            return 0;
    }
    return 1;
}

/* ---- trees at the positions of a detection ---- */

/* brings the trees and normals of all bodies to positions q of nodes and x of the surface */
static void cti_dcd_refit(cti_state *s, const ct_real *q, const ct_real *x)
{
    cti_dcd *d = cti_dcd_of(s);
    const cti_surface *f = &s->surface;
    int b, i;
    for (i = 0; i < s->n; i++)
        cti_nearest_box(d->node_boxes + 16 * (size_t)i, cti_v3_at(q, i), cti_v3_at(q, i));
    for (b = 0; b < f->n_bodies; b++) {
        cti_dcd_body *body = &d->bodies[b];
        if (!f->bodies[b].moves && !body->stale)
            continue;
        body->stale = 0;
        cti_inside_refit(f, b, x, x, d->vertex_boxes, &d->forest, &body->faces);
        if (body->model >= 0)
            cti_bvh_refit(&d->forest, &body->tets, cti_nearest_boxes(d->node_boxes), 0, s->bodies.models[body->model]->tets.node, 4);
        if (body->model < 0 || body->embedded)
            cti_inside_normals(f, x, b, d->normals);
    }
}

/* ---- one vertex against one body ---- */

/* cti_dcd_query -- is a query of vertex v of the soup (-1: a point of no body) against body b, for the callbacks. */
typedef struct cti_dcd_query {
    const cti_state *s;
    const ct_real *q, *x;
    int v, b, self;
    cti_v3 rest; /* of the vertex, at rest */
} cti_dcd_query;

/* return 1 where a tet or a face is apart from the vertex at rest */
static int cti_dcd_is_apart_tet(const void *ctx, int item)
{
    const cti_dcd_query *k = (const cti_dcd_query *)ctx;
    const ct_real *t = cti_dcd_of(k->s)->tet_rest + 4 * (size_t)(cti_dcd_of(k->s)->bodies[k->b].tet0 + item);
    ct_real r = t[3] + cti_dcd_of(k->s)->self_radius[k->v];
    return cti_v3_norm2(cti_v3_sub(cti_v3_make(t[0], t[1], t[2]), k->rest)) > r * r;
}

static int cti_dcd_is_apart_face(const void *ctx, int item)
{
    const cti_dcd_query *k = (const cti_dcd_query *)ctx;
    const cti_surface *f = &k->s->surface;
    const int32_t *t = f->faces + 3 * (size_t)item;
    ct_real r = cti_dcd_of(k->s)->self_radius[k->v];
    int i;
    for (i = 0; i < 3; i++)
        if (cti_v3_norm2(cti_v3_sub(cti_v3_at(f->rest, t[i]), k->rest)) <= r * r)
            return 0;
    return 1;
}

/* returns the distance from a body's triangles up to which it pushes vertices; for an open mesh also behind them */
static ct_real cti_dcd_reach(const cti_state *s, int b, ct_real h)
{
    const cti_dcd_body *body = &cti_dcd_of(s)->bodies[b];
    if (body->model >= 0 || body->closed)
        return h;
    return cti_max(h, s->desc.dcd.depth > 0 ? s->desc.dcd.depth : 2 * body->edge);
}

/* returns 1 inside, 0 outside. `nearest`: for a point inside the nearest triangle, for one outside the nearest within `reach` (face -1: none) */
static int cti_dcd_is_inside(const cti_dcd_query *k, cti_v3 p, ct_real reach, cti_nearest *nearest)
{
    const cti_state *s = k->s;
    const cti_dcd_body *b = &cti_dcd_of(s)->bodies[k->b];
    const cti_forest *forest = &cti_dcd_of(s)->forest;
    const cti_nearest_set faces = cti_nearest_set_of(forest, &b->faces, s->surface.faces, k->x);
    int inside = 1;
    if (b->model >= 0) {
        const cti_nearest_set tets = cti_nearest_set_of(forest, &b->tets, s->bodies.models[b->model]->tets.node, k->q);
        inside = cti_nearest_tet(&tets, p, k->self ? cti_dcd_is_apart_tet : NULL, k) >= 0;
    } else if (!b->closed)
        reach = cti_dcd_reach(s, k->b, reach), inside = 0;
    cti_nearest_face(&faces, p, inside ? CTI_REAL_MAX : reach, k->self ? cti_dcd_is_apart_face : NULL, k, nearest);
    if (nearest->face < 0)
        return 0;
    if (b->model >= 0 && (!b->embedded || !inside))
        return inside;
    return cti_inside_is_behind(&s->surface, k->x, cti_dcd_of(s)->normals, nearest, p);
}

/* adds a contact of vertex k->v with its body, if there is one. 0: out of memory */
static int cti_dcd_add_vertex(const cti_dcd_query *k, int with_near, cti_dcd_contact **out)
{
    const cti_state *s = k->s;
    ct_real h = cti_surface_pair_thickness(&s->surface, s->surface.body_of[k->v], k->b), d;
    cti_nearest n;
    cti_dcd_contact t;
    int inside = cti_dcd_is_inside(k, cti_v3_at(k->x, k->v), with_near ? h : 0, &n);
    if (n.face < 0 || (!inside && (!with_near || !(n.d2 < h * h))))
        return 1;
    memset(&t, 0, sizeof t);
    cti_inside_pair(&s->surface, k->v, &n, &t.pair);
    d = cti_sqrt(n.d2);
    t.normal = cti_inside_out(&s->surface, k->x, &t.pair, &n, inside, CTI_R(1e-3) * h);
    /* in a fold the features that meet are far apart at rest, compared with the depth */
    if (k->self && d > cti_dcd_tuned.discrete.fold * cti_v3_norm(cti_pair_offset(&s->surface, s->surface.rest, &t.pair)))
        return 1;
    /* the far side of a part that is thinner than the thickness */
    if (k->self && !inside && n.feature == 6 && cti_v3_dot(cti_pair_offset(&s->surface, k->x, &t.pair), t.normal) <= 0)
        return 1;
    t.distance = inside ? -d : d;
    if (k->self)
        h = cti_pair_thickness(&s->surface, &t.pair);
    if (!inside && !(d < h))
        return 1;
    return CTI_PUSH(s->mem, *out, t);
}

/* ---- all ---- */

/* adds contacts of vertices of body a with body b. 0: out of memory */
static int cti_dcd_pair(const cti_state *s, const ct_real *q, const ct_real *x, int a, int b, const cti_box *box, int with_near,
                        cti_dcd_contact **out)
{
    const cti_surface *f = &s->surface;
    ct_real h = cti_dcd_reach(s, b, with_near ? cti_surface_pair_thickness(f, a, b) : 0);
    cti_dcd_query k;
    int v;
    memset(&k, 0, sizeof k);
    k.s = s, k.q = q, k.x = x, k.b = b, k.self = a == b;
    for (v = f->ranges[a].v0; v < f->ranges[a].v1; v++) {
        if (!cti_box_has(box, cti_v3_at(x, v), h))
            continue;
        k.v = v, k.rest = cti_v3_at(f->rest, v);
        if (!cti_dcd_add_vertex(&k, with_near, out))
            return 0;
    }
    return 1;
}

/* adds contacts of vertices of body a with the planes. 0: out of memory */
static int cti_dcd_planes(const cti_state *s, const ct_real *x, int a, int with_near, cti_dcd_contact **out)
{
    const cti_surface *f = &s->surface;
    int p, v;
    for (p = 0; p < f->n_planes; p++) {
        int first = cti_surface_meets(f, p, a) ? f->ranges[a].v0 : f->ranges[a].v1;
        cti_v3 n = cti_v3_at(f->planes[p].normal, 0);
        ct_real h = with_near ? cti_surface_pair_thickness(f, a, f->planes[p].body) : 0;
        for (v = first; v < f->ranges[a].v1; v++) {
            cti_dcd_contact t;
            ct_real d = cti_v3_dot(n, cti_v3_at(x, v)) - f->planes[p].offset;
            if (!(d < h))
                continue;
            memset(&t, 0, sizeof t);
            cti_pair_make(f, CT_PAIR_PLANE, v, p, &t.pair);
            t.pair.w[0] = 1;
            t.normal = n, t.distance = d;
            if (!CTI_PUSH(s->mem, *out, t))
                return 0;
        }
    }
    return 1;
}

CTI_FN int cti_dcd_detect(cti_state *s, const ct_real *q, const ct_real *x, int with_near, cti_dcd_contact **out)
{
    const cti_surface *f = &s->surface;
    cti_box *box = CTI_ARENA_NEW(s->arena, cti_box, f->n_bodies + 1);
    int a, b;
    if (!box)
        return 0;
    cti_dcd_refit(s, q, x);
    for (a = 0; a < f->n_bodies; a++)
        box[a] = cti_surface_box(f, x, a);
    for (a = 0; a < f->n_bodies; a++) {
        if (!cti_dcd_planes(s, x, a, with_near, out))
            return 0;
        for (b = 0; b < f->n_bodies; b++) {
            cti_box wide = box[a];
            ct_real h = cti_dcd_reach(s, b, cti_surface_pair_thickness(f, a, b));
            wide.lo = cti_v3_sub(wide.lo, cti_v3_make(h, h, h)), wide.hi = cti_v3_add(wide.hi, cti_v3_make(h, h, h));
            if (!cti_box_overlap(&wide, &box[b]) || !cti_broad_may_meet(&f->soup, a, b) || (a == b && cti_dcd_of(s)->bodies[b].model < 0))
                continue;
            if (!cti_dcd_pair(s, q, x, a, b, &box[b], with_near, out))
                return 0;
        }
    }
    return 1;
}
