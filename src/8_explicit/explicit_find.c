/* explicit_find.c -- contacts of a Runge-Kutta step.
   Method: box trees of each body give candidates. A vertex behind a surface, or nearer than the legal distance, is a contact with a face of it
   (explicit_near.c); with `edges` on, edges that have passed each other are contacts, too; with `refine` on, the middles of edges near another
   body are tested as vertices are: one level of refinement of the surface in regions of contact. A vertex that is about to leave its face has a
   contact with the next one, too, where the surface turns towards it: without it the vertex would go straight on in the plane of the first face,
   and be behind the second one at the end of the step.
   based on: Hong et al. 2006, sec. 2, 3 and 6. */
#include "explicit.h"
#include "../0_base/sort.h"
#include "../4_geom/dist.h"

/* returns 1 where the candidates are still complete at g->surface */
static int cti_explicit_candidates_are_valid(const cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    int i, k;
    if (!g->search.valid)
        return 0;
    for (k = 0; k < CTI_LEN(f->runs); k += 3)
        for (i = f->runs[k]; i < f->runs[k + 1]; i++) {
            ct_real slack = cti_explicit_tuned.contact.slack * cti_explicit_scale(s, f->body_of[i], -1);
            if (!(cti_v3_norm(cti_v3_sub(cti_v3_at(g->surface, i), cti_v3_at(g->search.x_found, i))) < slack))
                return 0;
        }
    return 1;
}

/* finds the candidates at g->surface, unless they are complete. 0: out of memory */
static int cti_explicit_candidates(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_surface *f = &s->surface;
    int i;
    if (cti_explicit_candidates_are_valid(s))
        return 1;
    CTI_CLEAR(g->search.vf.pairs);
    CTI_CLEAR(g->search.ee);
    CTI_CLEAR(g->search.mf.pairs);
    g->search.valid = 0;
    for (i = 0; i < f->n_bodies; i++) {
        ct_real own = cti_explicit_scale(s, i, -1);
        f->ranges[i].swept = CTI_SWEPT_BOX;
        f->ranges[i].inflate = cti_explicit_tuned.contact.reach / 2 * g->search.edge_length[3 * i + 2] +
                               (own < CTI_REAL_MAX ? cti_explicit_tuned.contact.slack * own : 0);
    }
    if (!cti_broad_update(&s->prepared, &f->broad, &f->soup, g->surface, g->surface) ||
        !cti_broad_pairs(&s->prepared, &f->broad, &f->soup, &g->search.vf.pairs, s->desc.rk.edges ? &g->search.ee : NULL, NULL, NULL) ||
        (s->desc.rk.refine == CT_REFINE_SURFACE && !cti_broad_edge_faces(&s->prepared, &f->broad, &f->soup, &g->search.mf.pairs)) ||
        !cti_candidates_complete(&s->prepared, &g->search.vf, f, NULL))
        return 0;
    i = cti_candidates_len(&g->search.mf);
    if (!CTI_RESIZE(&s->prepared, g->search.mf.d2, i) || !CTI_RESIZE(&s->prepared, g->search.mf.feature, i))
        return 0;
    memcpy(g->search.x_found, g->surface, sizeof(ct_real) * 3 * (size_t)f->nv);
    return g->search.valid = 1;
}

CTI_FN ct_real cti_explicit_scale(const cti_state *s, int a, int b)
{
    const ct_real *p = cti_explicit_own(s)->search.edge_length + 3 * (size_t)a;
    const ct_real *q = b < 0 ? p : cti_explicit_own(s)->search.edge_length + 3 * (size_t)b;
    ct_real soft = cti_min(p[0], q[0]);
    return soft < CTI_REAL_MAX ? soft : cti_min(p[1], q[1]);
}

static ct_real cti_explicit_pair_scale(const cti_state *s, const cti_pair *pair)
{
    const cti_surface *f = &s->surface;
    return cti_explicit_scale(s, f->body_of[pair->v[0]], pair->kind == CT_PAIR_PLANE ? -1 : f->body_of[pair->v[pair->n_a]]);
}

/* adds a contact, measured at y. 0: out of memory */
static int cti_explicit_add(cti_state *s, const ct_real *y, double t, const cti_pair *pair, ct_real sign, uint64_t key)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_contact c;
    memset(&c, 0, sizeof c);
    c.pair = *pair, c.sign = sign, c.key = key, c.scale = cti_explicit_pair_scale(s, pair);
    c.held = cti_sort_has_u64(g->memory.held, CTI_LEN(g->memory.held), key);
    return !cti_explicit_measure(s, y, t, &c) || CTI_PUSH(&s->prepared, g->contacts, c);
}

/* adds contacts of a vertex with the faces that its foot may reach in a step, across edges of the face it touches, where the surface turns
   towards it. 0: out of memory */
static int cti_explicit_add_adjacent(cti_state *s, const ct_real *y, double t, const cti_explicit_near *q, int face, uint64_t key)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real w[4];
    int k;
    cti_explicit_predict_foot(s, y, t, q->vertex, face, 2 * cti_min(g->stable_step, g->dt), w);
    for (k = 0; k < 3; k++) { /* edges 01, 12, 20 are opposite to vertices 2, 0, 1 */
        int edge = f->face_edges[3 * (size_t)face + (size_t)k], other = edge < 0 ? -1 : f->edge_faces[2 * (size_t)edge];
        cti_explicit_contact c;
        if (edge < 0 || !(w[1 + (k + 2) % 3] > -cti_explicit_tuned.contact.border))
            continue;
        other = other == face ? f->edge_faces[2 * (size_t)edge + 1] : other;
        if (other < 0)
            continue;
        memset(&c, 0, sizeof c);
        cti_pair_make(f, CT_PAIR_VF, q->vertex, other, &c.pair);
        c.sign = q->sign, c.key = key, c.held = c.adjacent = 1, c.scale = cti_explicit_pair_scale(s, &c.pair);
        if (cti_explicit_measure(s, y, t, &c) && c.d >= 0 && !CTI_PUSH(&s->prepared, g->contacts, c))
            return 0;
    }
    return 1;
}

/* makes the pair of a vertex, or the middle of an edge, and a face */
static void cti_explicit_pair(const cti_surface *f, const cti_explicit_near *q, int face, cti_pair *out)
{
    if (q->edge < 0) {
        cti_pair_make(f, CT_PAIR_VF, q->vertex, face, out);
        return;
    }
    memset(out, 0, sizeof *out);
    out->kind = CT_PAIR_EF, out->n_a = 2, out->n = 5, out->plane = -1;
    memcpy(out->v, f->edges + 2 * (size_t)q->edge, 2 * sizeof(int32_t));
    memcpy(out->v + 2, f->faces + 3 * (size_t)face, 3 * sizeof(int32_t));
}

/* makes the pair of two edges whose nearest points are inside of both, nearer than `reach`, with a normal that is roughly in the cones of the normals
   of both: others are contacts of faces. 0: they are not so. *out_d: their distance along the normal, below 0 where they have passed each other */
static int cti_explicit_pair_edges(const cti_state *s, int a, int b, ct_real reach, cti_pair *out, ct_real *out_sign, ct_real *out_d)
{
    const cti_surface *f = &s->surface;
    const ct_real *x = cti_explicit_own(s)->surface;
    const int32_t *p = f->edges + 2 * (size_t)a, *q = f->edges + 2 * (size_t)b;
    cti_v3 e1 = cti_v3_sub(cti_v3_at(x, p[1]), cti_v3_at(x, p[0])), e2 = cti_v3_sub(cti_v3_at(x, q[1]), cti_v3_at(x, q[0]));
    cti_v3 r = cti_v3_sub(cti_v3_at(x, q[0]), cti_v3_at(x, p[0])), n = cti_v3_cross(e1, e2), na, nb;
    ct_real n2 = cti_v3_norm2(n), s1 = cti_v3_dot(cti_v3_cross(r, e2), n), s2 = cti_v3_dot(cti_v3_cross(r, e1), n), d = cti_v3_dot(n, r);
    if (!(s1 > 0 && s1 < n2 && s2 > 0 && s2 < n2) || !(d * d < reach * reach * n2) ||
        !(n2 > cti_explicit_tuned.contact.sine * cti_explicit_tuned.contact.sine * cti_v3_norm2(e1) * cti_v3_norm2(e2)))
        return 0;
    n = cti_v3_mul(n, 1 / cti_sqrt(n2));
    na = cti_v3_mul(cti_explicit_edge_normal(f, x, a), cti_explicit_edge_side(s, a, b));
    nb = cti_v3_mul(cti_explicit_edge_normal(f, x, b), cti_explicit_edge_side(s, b, a));
    *out_sign = cti_v3_dot(n, cti_v3_sub(nb, na)) >= 0 ? CTI_R(1.0) : CTI_R(-1.0);
    if (!(*out_sign * cti_v3_dot(n, nb) > CTI_R(0.5) && *out_sign * cti_v3_dot(n, na) < CTI_R(-0.5)))
        return 0;
    *out_d = *out_sign * cti_v3_dot(n, cti_v3_sub(cti_v3_at(x, p[0]), cti_v3_at(x, q[0])));
    cti_pair_make(f, CT_PAIR_EE, a, b, out);
    return 1;
}

/* returns the distance of two edges along their normal when the Runge-Kutta step began, as cti_explicit_pair_edges has it now */
static ct_real cti_explicit_edges_before(const cti_state *s, int a, int b, ct_real sign)
{
    const ct_real *x = cti_explicit_own(s)->search.x_start;
    const int32_t *p = s->surface.edges + 2 * (size_t)a, *q = s->surface.edges + 2 * (size_t)b;
    cti_v3 e1 = cti_v3_sub(cti_v3_at(x, p[1]), cti_v3_at(x, p[0])), e2 = cti_v3_sub(cti_v3_at(x, q[1]), cti_v3_at(x, q[0]));
    return sign * cti_v3_dot(cti_v3_unit(cti_v3_cross(e1, e2), cti_v3_zero()), cti_v3_sub(cti_v3_at(x, p[0]), cti_v3_at(x, q[0])));
}

static uint64_t cti_explicit_edges_key(int a, int b) { return (uint64_t)cti_min_int(a, b) << 31 | (uint64_t)cti_max_int(a, b); }

/* adds contacts of a point that is behind a concave edge, or a concave vertex, with the faces there. 0: out of memory */
static int cti_explicit_add_concave(cti_state *s, const ct_real *y, double t, const cti_explicit_near *q, uint64_t key)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    int vertex = q->feature < 3 ? f->faces[3 * (size_t)q->face + (size_t)q->feature] : 0, edge = cti_explicit_nearest_edge(f, q);
    int i, n = edge >= 0 ? 2 : 0, first = CTI_LEN(g->contacts);
    const int32_t *list = f->edge_faces + 2 * (size_t)cti_max_int(edge, 0);
    if (q->feature < 3)
        list = g->search.vertex_faces + g->search.face_start[vertex], n = g->search.face_start[vertex + 1] - g->search.face_start[vertex];
    for (i = 0; i < n; i++) {
        cti_explicit_contact c;
        if (list[i] < 0)
            continue;
        memset(&c, 0, sizeof c);
        cti_explicit_pair(f, q, list[i], &c.pair);
        c.sign = q->sign, c.key = key, c.scale = cti_explicit_pair_scale(s, &c.pair);
        c.adjacent = CTI_LEN(g->contacts) > first, c.held = c.adjacent || cti_sort_has_u64(g->memory.held, CTI_LEN(g->memory.held), key);
        if (cti_explicit_measure(s, y, t, &c) && c.d < 0 && !CTI_PUSH(&s->prepared, g->contacts, c))
            return 0;
    }
    return 1;
}

static uint64_t cti_explicit_vertex_key(int vertex, int body) { return ((uint64_t)1 << 62) | (uint64_t)vertex << 31 | (uint64_t)body; }
static uint64_t cti_explicit_plane_key(int vertex, int plane) { return ((uint64_t)2 << 62) | (uint64_t)vertex << 31 | (uint64_t)plane; }

/* adds the contacts of a point that is behind a face, or touches it. 0: out of memory */
static int cti_explicit_near_add(cti_state *s, const ct_real *y, double t, cti_explicit_near *q)
{
    const cti_surface *f = &s->surface;
    int body = f->body_of[q->edge < 0 ? q->vertex : f->edges[2 * (size_t)q->edge]];
    ct_real length = cti_explicit_scale(s, body, q->body), reach = cti_explicit_tuned.contact.reach * length;
    cti_pair pair;
    uint64_t key;
    int face, behind;
    q->contact_distance = cti_explicit_tuned.contact.distance * s->desc.rk.penetration * length;
    if (!(length < CTI_REAL_MAX && q->d2 < reach * reach))
        return 1;
    behind = cti_explicit_is_behind(s, q);
    if (!behind && !(q->d2 <= q->contact_distance * q->contact_distance))
        return 1;
    key = q->edge >= 0 ? ((uint64_t)3 << 62) | (uint64_t)q->edge << 31 | (uint64_t)q->body : cti_explicit_vertex_key(q->vertex, q->body);
    face = cti_explicit_contact_face(s, q);
    if (face < 0)
        return cti_explicit_add_concave(s, y, t, q, key);
    cti_explicit_pair(f, q, face, &pair);
    return cti_explicit_add(s, y, t, &pair, q->sign, key) && (q->edge >= 0 || cti_explicit_add_adjacent(s, y, t, q, face, key));
}

static cti_v3 cti_explicit_point_at(const cti_surface *f, const ct_real *x, const cti_explicit_near *q)
{
    const int32_t *e = f->edges + 2 * (size_t)cti_max_int(q->edge, 0);
    return q->edge < 0 ? cti_v3_at(x, q->vertex) : cti_v3_mul(cti_v3_add(cti_v3_at(x, e[0]), cti_v3_at(x, e[1])), CTI_R(0.5));
}

/* measures the distances of middles of edges from their faces */
static void cti_explicit_measure_middles(cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_candidates *l = &g->search.mf;
    cti_explicit_near q;
    ct_real p[3], w[3];
    int i, feature;
    for (i = 0; i < cti_candidates_len(l); i++) {
        const int32_t *v = s->surface.faces + 3 * (size_t)l->pairs[2 * i + 1];
        q.edge = l->pairs[2 * i];
        cti_v3_put(p, 0, cti_explicit_point_at(&s->surface, g->surface, &q));
        l->d2[i] = cti_dist_pt(p, g->surface + 3 * (size_t)v[0], g->surface + 3 * (size_t)v[1], g->surface + 3 * (size_t)v[2], w, &feature);
        l->feature[i] = feature;
    }
}

/* adds contacts of points and faces of different bodies, of a list of vertices, or of middles of edges. 0: out of memory */
static int cti_explicit_find_faces(cti_state *s, const ct_real *y, double t, const cti_candidates *list, int middles, int is_new)
{
    const cti_surface *f = &s->surface;
    const cti_explicit *g = cti_explicit_own(s);
    const int32_t *pairs = list->pairs;
    cti_explicit_near q;
    int i, end;
    memset(&q, 0, sizeof q);
    q.list = list;
    for (i = 0; i < cti_candidates_len(list); i = end) { /* a run of faces of one body */
        int body = f->body_of[middles ? f->edges[2 * (size_t)pairs[2 * i]] : pairs[2 * i]];
        q.vertex = middles ? -1 : pairs[2 * i], q.edge = middles ? pairs[2 * i] : -1;
        q.body = f->body_of[f->faces[3 * (size_t)pairs[2 * i + 1]]];
        q.d2 = CTI_REAL_MAX, q.own_known = 0, q.first = i;
        for (end = i; end < cti_candidates_len(list); end++) { /* the nearest face, the first one of several */
            int face = pairs[2 * end + 1];
            if (pairs[2 * end] != pairs[2 * i] || f->body_of[f->faces[3 * (size_t)face]] != q.body)
                break;
            if (list->d2[end] < q.d2)
                q.d2 = list->d2[end], q.face = face, q.feature = list->feature[end];
        }
        q.n = end - i;
        if (body == q.body ||
            (is_new && !middles && cti_sort_has_u64(g->memory.held, CTI_LEN(g->memory.held), cti_explicit_vertex_key(q.vertex, q.body))))
            continue;
        q.x = cti_explicit_point_at(f, g->surface, &q), q.x_start = cti_explicit_point_at(f, g->search.x_start, &q);
        if (!cti_explicit_near_add(s, y, t, &q))
            return 0;
    }
    return 1;
}

static int cti_explicit_find_planes(cti_state *s, const ct_real *y, double t, int is_new)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real distance = cti_explicit_tuned.contact.distance * s->desc.rk.penetration;
    int p, v;
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_facing(f, p, 0); v < f->nv; v = cti_surface_facing(f, p, v + 1)) {
            ct_real most = distance * cti_explicit_scale(s, f->body_of[v], -1);
            cti_pair pair;
            if (cti_v3_dot(cti_v3_at(f->planes[p].normal, 0), cti_v3_at(g->surface, v)) - f->planes[p].offset > most)
                continue;
            if (is_new && cti_sort_has_u64(g->memory.held, CTI_LEN(g->memory.held), cti_explicit_plane_key(v, p)))
                continue;
            cti_pair_make(f, CT_PAIR_PLANE, v, p, &pair);
            if (!cti_explicit_add(s, y, t, &pair, 1, cti_explicit_plane_key(v, p)))
                return 0;
        }
    return 1;
}

/* adds contacts of edges of different bodies that are near, or have passed each other since the Runge-Kutta step began: others that are on the wrong
   side of each other's lines are not where these cross. 0: out of memory */
static int cti_explicit_find_edges(cti_state *s, const ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real distance = cti_explicit_tuned.contact.distance * s->desc.rk.penetration;
    int i;
    for (i = 0; i < CTI_LEN(g->search.ee); i += 2) {
        int a = cti_min_int(g->search.ee[i], g->search.ee[i + 1]), b = cti_max_int(g->search.ee[i], g->search.ee[i + 1]);
        int body_a = f->body_of[f->edges[2 * (size_t)a]], body_b = f->body_of[f->edges[2 * (size_t)b]];
        ct_real sign, d, length, reach, deepest;
        cti_pair pair;
        if (body_a == body_b)
            continue;
        length = cti_explicit_scale(s, body_a, body_b), deepest = -cti_explicit_tuned.contact.deepest * distance * length;
        reach = cti_min(cti_explicit_tuned.contact.reach / 2 * length,
                        cti_explicit_tuned.contact.through * cti_min(g->search.thickness[body_a], g->search.thickness[body_b]));
        if (!cti_explicit_pair_edges(s, a, b, reach, &pair, &sign, &d) || d > distance * length)
            continue;
        if (d < deepest && cti_explicit_edges_before(s, a, b, sign) < deepest &&
            !cti_sort_has_u64(g->memory.held, CTI_LEN(g->memory.held), cti_explicit_edges_key(a, b)))
            continue;
        if (!cti_explicit_add(s, y, t, &pair, sign, cti_explicit_edges_key(a, b)))
            return 0;
    }
    return 1;
}

CTI_FN int cti_explicit_find(cti_state *s, const ct_real *y, double t, int is_new)
{
    cti_explicit *g = cti_explicit_own(s);
    CTI_CLEAR(g->contacts);
    if (g->edge == 0)
        return 1;
    if (!cti_explicit_candidates(s))
        return 0;
    cti_candidates_measure(&g->search.vf, &s->surface, g->surface);
    cti_explicit_measure_middles(s);
    return cti_explicit_find_faces(s, y, t, &g->search.vf, 0, is_new) && cti_explicit_find_planes(s, y, t, is_new) &&
           (!s->desc.rk.edges || cti_explicit_find_edges(s, y, t)) && cti_explicit_find_faces(s, y, t, &g->search.mf, 1, is_new);
}

/* sets the box that a body sweeps from search.x_start to g->surface, and the box of its vertices' displacements. Vertices of a body that turns leave
   their straight lines by at most half of their displacement relative to the others' */
static void cti_explicit_swept_box(const cti_state *s, int body, cti_box *swept, cti_box *moved)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    const float *box = f->broad.body_boxes + 12 * (size_t)body;
    int i;
    *swept = *moved = cti_box_empty();
    if (!f->bodies[body].moves) {
        swept->lo = cti_v3_make(box[0], box[1], box[2]), swept->hi = cti_v3_make(box[3], box[4], box[5]);
        cti_box_add(moved, cti_v3_zero());
        return;
    }
    for (i = f->ranges[body].v0; i < f->ranges[body].v1; i++) {
        cti_v3 a = cti_v3_at(g->search.x_start, i), b = cti_v3_at(g->surface, i);
        cti_box_add(swept, a);
        cti_box_add(swept, b);
        cti_box_add(moved, cti_v3_sub(b, a));
    }
    if (moved->lo.x <= moved->hi.x) {
        ct_real arc = cti_v3_norm(cti_v3_sub(moved->hi, moved->lo)) / 2;
        swept->lo = cti_v3_sub(swept->lo, cti_v3_make(arc, arc, arc)), swept->hi = cti_v3_add(swept->hi, cti_v3_make(arc, arc, arc));
    }
}

/* returns the *out_n pairs of bodies with a deep contact, sorted, a pair as lower << 32 | higher */
static const uint64_t *cti_explicit_deep(const cti_state *s, int *out_n)
{
    const cti_explicit *g = cti_explicit_own(s);
    int i, m = CTI_LEN(g->contacts), n = 0;
    uint64_t *keys = g->solve.keys; /* scratch of cti_explicit_regions, which has made room */
    for (i = 0; i < m; i++) {
        const cti_pair *pair = &g->contacts[i].pair;
        int a, b;
        if (!g->contacts[i].deep || pair->kind == CT_PAIR_PLANE)
            continue;
        a = s->surface.body_of[pair->v[0]], b = s->surface.body_of[pair->v[pair->n_a]];
        keys[n++] = (uint64_t)cti_min_int(a, b) << 32 | (uint64_t)cti_max_int(a, b);
    }
    cti_sort_u64(keys, NULL, keys + m, NULL, n);
    *out_n = n;
    return keys;
}

CTI_FN ct_real cti_explicit_stride(const cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    cti_box *box = g->search.boxes;
    const cti_surface *f = &s->surface;
    const uint64_t *deep;
    ct_real most = 0, reach;
    int a, b, n_deep;
    if (g->edge == 0)
        return 0;
    for (a = 0; a < f->n_bodies; a++)
        cti_explicit_swept_box(s, a, box + 2 * a, box + 2 * a + 1);
    deep = cti_explicit_deep(s, &n_deep);
    for (a = 0; a < f->n_bodies; a++)
        for (b = a + 1; b < f->n_bodies; b++) {
            cti_v3 ab, ba;
            if (!(f->bodies[a].moves || f->bodies[b].moves) || !cti_box_overlap(box + 2 * a, box + 2 * b) ||
                !cti_broad_may_meet(&f->soup, a, b) || cti_sort_has_u64(deep, n_deep, (uint64_t)a << 32 | (uint64_t)b))
                continue;
            ab = cti_v3_sub(box[2 * a + 1].hi, box[2 * b + 1].lo), ba = cti_v3_sub(box[2 * b + 1].hi, box[2 * a + 1].lo);
            reach = cti_min(cti_explicit_tuned.contact.reach * cti_explicit_scale(s, a, b),
                            cti_explicit_tuned.contact.through * cti_min(g->search.thickness[a], g->search.thickness[b]));
            most = cti_max(most, cti_v3_norm(cti_v3_max(ab, ba)) / reach);
        }
    return most;
}
