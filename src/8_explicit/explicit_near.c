/* explicit_near.c -- the faces of a body with which a point near it has contacts.
   Method: a point is behind a surface where its offset from the nearest point has a negative product with the normal there: of a face, the sum of
   an edge's two, or the mean of a vertex's faces by their angles. A surface without an inside has two sides; the point belongs to the side on which
   it was at the start of the Runge-Kutta step, or at the surface to that which its own normal opposes. A point behind the surface has its contact
   with the face that it has passed since, even where another one is nearer now: the vertex of a box that falls on an equal box is as near to that
   one's sides as to its top. At a convex edge a point may pass the plane of one face while it touches the other, in whose plane it slides: it did not
   come through the first. Its contact is with the face that opposes its own normal most, of those that it touches or has passed, as at an edge
   where it has passed none. A point behind a concave edge or vertex has contacts with all faces there.
   based on: Baerentzen, Aanaes, Signed distance computation using the angle weighted pseudonormal, 2005. */
#include "explicit.h"
#include "../1_math/elem.h"
#include "../4_geom/dist.h"

CTI_FN int cti_explicit_vertex_faces(cti_state *s)
{
    cti_explicit_search *q = &cti_explicit_own(s)->search;
    const cti_surface *f = &s->surface;
    int i;
    if (!CTI_ZEROS(&s->prepared, q->face_start, f->nv + 2) || !CTI_RESIZE(&s->prepared, q->vertex_faces, 3 * f->nf))
        return 0;
    for (i = 0; i < 3 * f->nf; i++)
        q->face_start[f->faces[i] + 2]++;
    for (i = 2; i < f->nv + 2; i++)
        q->face_start[i] += q->face_start[i - 1];
    for (i = 0; i < 3 * f->nf; i++)
        q->vertex_faces[q->face_start[f->faces[i] + 1]++] = i / 3;
    return 1;
}

static cti_v3 cti_explicit_face_normal(const cti_surface *f, const ct_real *x, int face) { return cti_surface_normal(f, x, face, cti_v3_zero()); }

CTI_FN cti_v3 cti_explicit_edge_normal(const cti_surface *f, const ct_real *x, int edge)
{
    int a = f->edge_faces[2 * (size_t)edge], b = f->edge_faces[2 * (size_t)edge + 1];
    cti_v3 n = a >= 0 ? cti_explicit_face_normal(f, x, a) : cti_v3_zero();
    return cti_v3_unit(b >= 0 ? cti_v3_add(n, cti_explicit_face_normal(f, x, b)) : n, cti_v3_zero());
}

/* returns the mean of the normals of a vertex's faces by their angles, of length 1 */
static cti_v3 cti_explicit_vertex_normal(const cti_state *s, const ct_real *x, int v)
{
    const cti_explicit_search *q = &cti_explicit_own(s)->search;
    cti_v3 sum = cti_v3_zero(), p = cti_v3_at(x, v);
    int i;
    for (i = q->face_start[v]; i < q->face_start[v + 1]; i++) {
        const int32_t *t = s->surface.faces + 3 * (size_t)q->vertex_faces[i];
        int k = t[0] == v ? 0 : (t[1] == v ? 1 : 2);
        cti_v3 a = cti_v3_sub(cti_v3_at(x, t[(k + 1) % 3]), p), b = cti_v3_sub(cti_v3_at(x, t[(k + 2) % 3]), p), n = cti_v3_cross(a, b);
        ct_real size = cti_v3_norm(n);
        if (size > 0)
            sum = cti_v3_mad(sum, n, cti_atan2(size, cti_v3_dot(a, b)) / size);
    }
    return cti_v3_unit(sum, cti_v3_zero());
}

CTI_FN int cti_explicit_nearest_edge(const cti_surface *f, const cti_explicit_near *q)
{
    return q->feature < 3 || q->feature == 6 ? -1 : f->face_edges[3 * (size_t)q->face + (size_t)q->feature - 3];
}

/* returns the normal of the nearest feature at x, and sets a point of it */
static cti_v3 cti_explicit_feature(const cti_state *s, const ct_real *x, const cti_explicit_near *q, cti_v3 *out_at)
{
    const cti_surface *f = &s->surface;
    const int32_t *v = f->faces + 3 * (size_t)q->face;
    int k = q->feature < 3 ? q->feature : q->feature == 4, edge = cti_explicit_nearest_edge(f, q);
    *out_at = cti_v3_at(x, v[k]);
    if (q->feature < 3)
        return cti_explicit_vertex_normal(s, x, v[k]);
    if (edge >= 0)
        return cti_explicit_edge_normal(f, x, edge);
    return cti_explicit_face_normal(f, x, q->face);
}

/* returns 1 where the nearest point is on the border of an open surface */
static int cti_explicit_on_border(const cti_state *s, const cti_explicit_near *q)
{
    const cti_explicit_search *g = &cti_explicit_own(s)->search;
    const cti_surface *f = &s->surface;
    int i, k, v, edge = cti_explicit_nearest_edge(f, q);
    if (q->feature >= 3)
        return edge >= 0 && f->edge_faces[2 * (size_t)edge + 1] < 0;
    v = f->faces[3 * (size_t)q->face + (size_t)q->feature];
    for (i = g->face_start[v]; i < g->face_start[v + 1]; i++)
        for (k = 0; k < 3; k++) {
            int e = f->face_edges[3 * (size_t)g->vertex_faces[i] + (size_t)k];
            if (e >= 0 && (f->edges[2 * (size_t)e] == v || f->edges[2 * (size_t)e + 1] == v) && f->edge_faces[2 * (size_t)e + 1] < 0)
                return 1;
        }
    return 0;
}

static cti_v3 cti_explicit_own_normal(const cti_state *s, cti_explicit_near *q)
{
    const ct_real *x = cti_explicit_own(s)->surface;
    if (!q->own_known)
        q->own_normal = q->edge >= 0 ? cti_explicit_edge_normal(&s->surface, x, q->edge) : cti_explicit_vertex_normal(s, x, q->vertex);
    q->own_known = 1;
    return q->own_normal;
}

CTI_FN int cti_explicit_is_behind(const cti_state *s, cti_explicit_near *q)
{
    const cti_explicit *g = cti_explicit_own(s);
    cti_v3 at, n = cti_explicit_feature(s, g->surface, q, &at);
    ct_real d = cti_v3_dot(n, cti_v3_sub(q->x, at)), before;
    q->sign = 1;
    if (s->surface.bodies[q->body].solid)
        return d < 0;
    before = cti_v3_dot(cti_explicit_feature(s, g->search.x_start, q, &at), cti_v3_sub(q->x_start, at));
    if (cti_abs(before) > q->contact_distance)
        q->sign = before > 0 ? CTI_R(1.0) : CTI_R(-1.0);
    else
        q->sign = cti_v3_dot(n, cti_explicit_own_normal(s, q)) > 0 ? CTI_R(-1.0) : CTI_R(1.0);
    return q->sign * d < 0 && !cti_explicit_on_border(s, q);
}

CTI_FN ct_real cti_explicit_edge_side(const cti_state *s, int edge, int other)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    const int32_t *p = f->edges + 2 * (size_t)edge, *q = f->edges + 2 * (size_t)other;
    const ct_real *x = g->search.x_start;
    cti_v3 middle;
    ct_real d;
    if (f->bodies[f->body_of[p[0]]].solid)
        return 1;
    middle = cti_v3_mul(cti_v3_add(cti_v3_at(x, q[0]), cti_v3_at(x, q[1])), CTI_R(0.5));
    d = cti_v3_dot(cti_explicit_edge_normal(f, x, edge), cti_v3_sub(middle, cti_v3_at(x, p[0])));
    if (!(cti_abs(d) > cti_explicit_tuned.contact.distance * s->desc.rk.penetration * cti_explicit_scale(s, f->body_of[p[0]], f->body_of[q[0]])))
        d = -cti_v3_dot(cti_explicit_edge_normal(f, g->surface, edge), cti_explicit_edge_normal(f, g->surface, other));
    return d < 0 ? CTI_R(-1.0) : CTI_R(1.0);
}

/* returns the distance of p from the plane of a face, and sets the plane's normal; both are positive on the side that is free of the body [m] */
static ct_real cti_explicit_height(const cti_state *s, const cti_explicit_near *q, int face, cti_v3 p, cti_v3 *out_n)
{
    const ct_real *x = cti_explicit_own(s)->surface;
    *out_n = cti_v3_mul(cti_explicit_face_normal(&s->surface, x, face), q->sign);
    return cti_v3_dot(*out_n, cti_v3_sub(p, cti_v3_at(x, s->surface.faces[3 * (size_t)face])));
}

/* returns that distance of the point and the face when the Runge-Kutta step began */
static ct_real cti_explicit_height_before(const cti_state *s, const cti_explicit_near *q, int face)
{
    const ct_real *x = cti_explicit_own(s)->search.x_start;
    cti_v3 n = cti_v3_mul(cti_explicit_face_normal(&s->surface, x, face), q->sign);
    return cti_v3_dot(n, cti_v3_sub(q->x_start, cti_v3_at(x, s->surface.faces[3 * (size_t)face])));
}

/* returns 1 where the point is within contact_distance of face i of its candidates */
static int cti_explicit_touches(const cti_explicit_near *q, int i)
{
    return q->list->d2[q->first + i] <= q->contact_distance * q->contact_distance;
}

static int cti_explicit_face_of(const cti_explicit_near *q, int i) { return q->list->pairs[2 * (q->first + i) + 1]; }

/* Returns when the point, now d < 0 from the plane of a face of normal n, has passed this face, in shares of the Runge-Kutta step; at most 0: it
   touched the face when the step began. -CTI_REAL_MAX: it is not over the face, or has not passed it beyond contact_distance */
static ct_real cti_explicit_passed(const cti_state *s, const cti_explicit_near *q, int face, cti_v3 n, ct_real d)
{
    const ct_real *x = cti_explicit_own(s)->surface;
    const int32_t *v = s->surface.faces + 3 * (size_t)face;
    ct_real before = cti_explicit_height_before(s, q, face), p[3], w[3];
    int feature;
    if (!(before > d && before >= -q->contact_distance && (before > q->contact_distance || d < -q->contact_distance)))
        return -CTI_REAL_MAX;
    cti_v3_put(p, 0, cti_v3_mad(q->x, n, -d));
    if (!(cti_dist_pt(p, x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2], w, &feature) <= q->contact_distance * q->contact_distance))
        return -CTI_REAL_MAX;
    return (before - q->contact_distance) / (before - d);
}

/* returns 1 where the point touches a face behind whose plane it was not when the Runge-Kutta step began, and the face that it has passed is behind
   this plane. At a convex edge a point is behind the surface only where it is behind both faces: it may have come to the other one */
static int cti_explicit_touches_other(const cti_state *s, const cti_explicit_near *q, int passed)
{
    const cti_explicit *g = cti_explicit_own(s);
    const int32_t *v = s->surface.faces + 3 * (size_t)passed;
    cti_v3 center = cti_v3_add(cti_v3_add(cti_v3_at(g->surface, v[0]), cti_v3_at(g->surface, v[1])), cti_v3_at(g->surface, v[2])), n;
    int i;
    center = cti_v3_mul(center, CTI_R(1.0) / 3);
    for (i = 0; i < q->n && q->d2 <= q->contact_distance * q->contact_distance; i++) {
        int face = cti_explicit_face_of(q, i);
        if (cti_explicit_touches(q, i) && cti_explicit_height_before(s, q, face) >= -q->contact_distance &&
            cti_explicit_height(s, q, face, center, &n) < 0)
            return 1;
    }
    return 0;
}

CTI_FN int cti_explicit_contact_face(const cti_state *s, cti_explicit_near *q)
{
    ct_real last = 0, least = CTI_REAL_MAX;
    int i, last_passed = -1, opposed = -1;
    for (i = 0; i < q->n; i++) {
        int face = cti_explicit_face_of(q, i);
        cti_v3 n;
        ct_real d = cti_explicit_height(s, q, face, q->x, &n), along, passed;
        if (d > q->contact_distance)
            continue;
        /* the face that it has passed last, and the most opposed one of those that it has passed or touches */
        passed = d < 0 ? cti_explicit_passed(s, q, face, n, d) : -CTI_REAL_MAX;
        if (passed > last)
            last = passed, last_passed = face;
        if (!(passed > -CTI_REAL_MAX) && !cti_explicit_touches(q, i))
            continue;
        if (opposed >= 0 && least == CTI_REAL_MAX) /* the own normal is needed from the second face on */
            least = cti_v3_dot(cti_v3_mul(cti_explicit_face_normal(&s->surface, cti_explicit_own(s)->surface, opposed), q->sign),
                               cti_explicit_own_normal(s, q));
        along = opposed < 0 ? 0 : cti_v3_dot(n, cti_explicit_own_normal(s, q));
        if (opposed < 0 || along < least)
            least = opposed < 0 ? CTI_REAL_MAX : along, opposed = face;
    }
    if (last_passed < 0 || cti_explicit_touches_other(s, q, last_passed))
        last_passed = opposed;
    return last_passed < 0 && q->feature == 6 ? q->face : last_passed;
}
