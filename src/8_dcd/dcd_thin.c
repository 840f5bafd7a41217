/* dcd_thin.c -- motions that would pass through thin parts.
   Method: a vertex that passes through a triangle of a body must not move, relative to the triangle, by more than a share of the body's
   thickness behind it. Otherwise the next discrete detection would find it on the other side (Li et al. 2015, Fig. 7, which asks for
   shorter steps there). The thickness is measured at rest, through the body from the middle of the triangle against its normal. */
#include "dcd.h"
#include "../7_contact/inside.h"

/* returns the normal of a face, and sets its middle */
static cti_v3 cti_dcd_normal_at(const cti_surface *f, const ct_real *x, int face, cti_v3 *out_middle)
{
    const int32_t *t = f->faces + 3 * (size_t)face;
    cti_v3 a = cti_v3_at(x, t[0]), b = cti_v3_at(x, t[1]), c = cti_v3_at(x, t[2]);
    *out_middle = cti_v3_mul(cti_v3_add(a, cti_v3_add(b, c)), 1 / CTI_R(3.0));
    return cti_v3_unit(cti_v3_cross(cti_v3_sub(b, a), cti_v3_sub(c, a)), cti_v3_zero());
}

/* computes the thickness behind every face. 0: out of memory */
static int cti_dcd_thicknesses(cti_state *s)
{
    cti_dcd *d = cti_dcd_of(s);
    const cti_surface *f = &s->surface;
    int b, i;
    if (!CTI_RESIZE(&s->prepared, d->thickness, f->nf))
        return 0;
    for (b = 0; b < f->n_bodies; b++) {
        cti_dcd_body *body = &d->bodies[b];
        const cti_nearest_set faces = cti_nearest_set_of(&d->forest, &body->faces, f->faces, f->rest);
        cti_inside_refit(f, b, f->rest, f->rest, d->vertex_boxes, &d->forest, &body->faces);
        body->stale = 1;
        for (i = f->ranges[b].f0; i < f->ranges[b].f1; i++) {
            ct_real depth = s->desc.dcd.depth > 0 ? s->desc.dcd.depth : 2 * body->edge;
            if (body->closed || body->model >= 0)
                depth = cti_nearest_behind(&faces, i, CTI_R(1e-4) * body->edge);
            d->thickness[i] = cti_max(depth, cti_dcd_tuned.discrete.thinnest * body->edge);
        }
    }
    return 1;
}

/* cti_dcd_path -- is the motion of vertex v, for the callback; `need` is the number of substeps so far. */
typedef struct cti_dcd_path {
    const cti_state *s;
    const ct_real *x0, *x1;
    int v, self;
    cti_v3 rest;
    ct_real fraction, need;
} cti_dcd_path;

/* returns 1 if p is in the triangle, or nearly, by its weights in the triangle's plane */
static int cti_dcd_is_in_triangle(cti_v3 p, cti_v3 a, cti_v3 b, cti_v3 c)
{
    cti_v3 e = cti_v3_sub(b, a), g = cti_v3_sub(c, a), r = cti_v3_sub(p, a);
    ct_real ee = cti_v3_dot(e, e), eg = cti_v3_dot(e, g), gg = cti_v3_dot(g, g), er = cti_v3_dot(e, r), gr = cti_v3_dot(g, r);
    ct_real det = ee * gg - eg * eg, u = gg * er - eg * gr, w = ee * gr - eg * er;
    ct_real slack = cti_dcd_tuned.discrete.beside * det;
    return det > 0 && u >= slack && w >= slack && det - u - w >= slack;
}

/* raises `need` where the path goes in through a face */
static void cti_dcd_path_visit(void *ctx, int face)
{
    cti_dcd_path *k = (cti_dcd_path *)ctx;
    const cti_surface *f = &k->s->surface;
    const int32_t *t = f->faces + 3 * (size_t)face;
    cti_v3 m0, m1, n0 = cti_dcd_normal_at(f, k->x0, face, &m0), n1 = cti_dcd_normal_at(f, k->x1, face, &m1), p[4];
    ct_real d0 = cti_v3_dot(n0, cti_v3_sub(cti_v3_at(k->x0, k->v), m0)), d1 = cti_v3_dot(n1, cti_v3_sub(cti_v3_at(k->x1, k->v), m1)), at;
    int i;
    if (!(d0 >= 0 && d1 < 0) || !(d0 - d1 > k->need * k->fraction * cti_dcd_of(k->s)->thickness[face]))
        return;
    for (i = 0; k->self && i < 3; i++)
        if (cti_v3_norm(cti_v3_sub(cti_v3_at(f->rest, t[i]), k->rest)) <= cti_dcd_of(k->s)->self_radius[k->v])
            return;
    at = d0 / (d0 - d1);
    for (i = 0; i < 4; i++) {
        int v = i < 3 ? t[i] : k->v;
        p[i] = cti_v3_mad(cti_v3_at(k->x0, v), cti_v3_sub(cti_v3_at(k->x1, v), cti_v3_at(k->x0, v)), at);
    }
    if (cti_dcd_is_in_triangle(p[3], p[0], p[1], p[2]))
        k->need = (d0 - d1) / (k->fraction * cti_dcd_of(k->s)->thickness[face]);
}

/* cti_dcd_motion -- holds a body's box over the motion, and statistics of its vertices' displacements. */
typedef struct cti_dcd_motion {
    cti_box box;
    cti_v3 mean;
    ct_real spread, thickness; /* are the largest distance of a displacement from the mean; the smallest thickness */
} cti_dcd_motion;

static void cti_dcd_motion_of(const cti_state *s, const ct_real *x0, const ct_real *x1, int b, cti_dcd_motion *m)
{
    const cti_soup_body *r = &s->surface.ranges[b];
    int i;
    m->box = cti_box_empty(), m->mean = cti_v3_zero(), m->spread = 0, m->thickness = CTI_REAL_MAX;
    for (i = r->v0; i < r->v1; i++) {
        cti_box_add(&m->box, cti_v3_at(x0, i)), cti_box_add(&m->box, cti_v3_at(x1, i));
        m->mean = cti_v3_add(m->mean, cti_v3_sub(cti_v3_at(x1, i), cti_v3_at(x0, i)));
    }
    if (r->v1 > r->v0)
        m->mean = cti_v3_mul(m->mean, 1 / (ct_real)(r->v1 - r->v0));
    for (i = r->v0; i < r->v1; i++)
        m->spread = cti_max(m->spread, cti_v3_norm2(cti_v3_sub(cti_v3_sub(cti_v3_at(x1, i), cti_v3_at(x0, i)), m->mean)));
    m->spread = cti_sqrt(m->spread);
    for (i = r->f0; i < r->f1; i++)
        m->thickness = cti_min(m->thickness, cti_dcd_of(s)->thickness[i]);
}

static ct_real cti_dcd_substeps_pair(cti_state *s, const ct_real *x0, const ct_real *x1, int a, int b, const cti_box *box, ct_real fraction)
{
    const cti_surface *f = &s->surface;
    cti_dcd_path k;
    memset(&k, 0, sizeof k);
    k.s = s, k.x0 = x0, k.x1 = x1, k.self = a == b, k.fraction = fraction, k.need = 1;
    for (k.v = f->ranges[a].v0; k.v < f->ranges[a].v1; k.v++) {
        cti_v3 p = cti_v3_at(x0, k.v), q = cti_v3_at(x1, k.v);
        cti_box way;
        way.lo = cti_v3_min(p, q), way.hi = cti_v3_max(p, q);
        if (!cti_box_overlap(&way, box))
            continue;
        k.rest = cti_v3_at(f->rest, k.v);
        cti_nearest_visit(&cti_dcd_of(s)->forest, &cti_dcd_of(s)->bodies[b].faces, way.lo, way.hi, cti_dcd_path_visit, &k);
    }
    return k.need;
}

CTI_FN ct_real cti_dcd_substeps(cti_state *s, const ct_real *x0, const ct_real *x1, ct_real fraction)
{
    cti_dcd *d = cti_dcd_of(s);
    const cti_surface *f = &s->surface;
    cti_dcd_motion *m = CTI_ARENA_NEW(s->arena, cti_dcd_motion, f->n_bodies + 1);
    ct_real need = 1;
    int a, b;
    if (!m || (CTI_LEN(d->thickness) != f->nf && !cti_dcd_thicknesses(s)))
        return 0;
    for (b = 0; b < f->n_bodies; b++)
        cti_dcd_motion_of(s, x0, x1, b, &m[b]);
    for (b = 0; b < f->n_bodies; b++) {
        int placed = 0;
        for (a = 0; a < f->n_bodies; a++) {
            ct_real most = cti_v3_norm(cti_v3_sub(m[a].mean, m[b].mean)) + m[a].spread + m[b].spread;
            if (!cti_box_overlap(&m[a].box, &m[b].box) || most <= fraction * m[b].thickness || !cti_broad_may_meet(&f->soup, a, b))
                continue;
            /* the tree over the motions of the faces */
            if (!placed)
                cti_inside_refit(f, b, x0, x1, d->vertex_boxes, &d->forest, &d->bodies[b].faces);
            placed = 1, d->bodies[b].stale = 1;
            need = cti_max(need, cti_dcd_substeps_pair(s, x0, x1, a, b, &m[b].box, fraction));
        }
    }
    return need;
}
