/* explicit_contact.c -- contacts of a Runge-Kutta step: detection, distances and their derivatives, nodes that are moved back.
   Method: box trees of each body give candidates; the face nearest to a vertex tells on which side it is. A vertex behind it, or nearer than
   the legal distance, is a contact; with `edges` on, edges that have passed each other are contacts, too. Nodes that have penetrated are moved
   onto the surface along its normal, without going back in time.
   Distance d = n . (P_a - P_b) is that from the plane of the face, or between the lines of two edges. With P_b (and P_a) the foot points, whose
   weights w are constant in a derivative, P_a - P_b = d n, so that n''. (P_a - P_b) = -d |n'|^2 and
     d' = n . (v_a - v_b),     d'' = -d |n'|^2 + 2 n' . (v_a - v_b) + n . (a_a - a_b),
   n' = (1 - n n') N' / |N|, N the cross product of two edges. These are all terms of the derivatives of d: there are no others in n'' or n'.
   The printed d'' ends before n . (a_a - a_b); the text below it needs the term.
   differs: the force of the artificial deformation is that of the elements at the moved positions. The paper estimates the same change by
   interpolation and adds it to the node; both together would count it twice. Its energy is work_recovery, and stays in the elements.
   differs: a node of a rigid or scripted body cannot be moved back alone; then nodes of the face are, by the smallest change.
   based on: Hong et al. 2006, sec. 2 and 3. */
#include "explicit.h"
#include "../0_base/sort.h"
#include "../4_geom/dist.h"

#define CTI_EXPLICIT_REACH CTI_R(0.4)    /* [edges] depth up to which a vertex is behind a face; half an element is not crossed in a step */
#define CTI_EXPLICIT_SLACK CTI_R(0.1)    /* [edges] of motion until candidates are found anew; not tuned */
#define CTI_EXPLICIT_TOUCH CTI_R(1.0)    /* [legal penetrations] distance up to which a contact that ends or begins is one; a tenth lets them flicker */
#define CTI_EXPLICIT_SINE CTI_R(0.2)     /* [1] edges at a smaller angle have no contact: their normal is not well defined */
#define CTI_EXPLICIT_BORDER CTI_R(0.02)  /* [1] share of a face within which its border counts as reached: errors of the predicted motion */
#define CTI_EXPLICIT_BACKS 8             /* [1] passes of the move back over contacts that share nodes; not tuned */

/* ---- places ---- */

/* position and velocity of a surface vertex that a script moves or that does not move */
static cti_v3 cti_explicit_scripted(const cti_state *s, int v, double t, cti_v3 *velocity)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface_body *b = &s->surface.bodies[s->surface.body_of[v]];
    cti_v3 at = cti_v3_at(g->start, v);
    *velocity = cti_v3_zero();
    if (!b->moves)
        return at;
    *velocity = cti_v3_mul(cti_v3_sub(cti_v3_at(g->script, v + b->shift), at), 1 / g->dt);
    return cti_v3_mad(at, *velocity, (ct_real)t);
}

CTI_FN void cti_explicit_place(cti_state *s, const ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_surface *f = &s->surface;
    const ct_real *q = y + 6 * (size_t)s->n;
    int i, b;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_rigid_matrix(q + 4 * (size_t)i, g->frames + 9 * (size_t)i);
    for (b = 0; b < f->n_bodies; b++)
        for (i = f->ranges[b].v0; i < f->ranges[b].v1 && f->bodies[b].moves; i++)
            if (cti_surface_attach(f, i)->n == 0) {
                cti_v3 v, p = cti_explicit_scripted(s, i, t, &v);
                cti_v3_put(cti_surface_script(f, i), 0, p);
            }
    cti_surface_place(f, y, g->frames, g->surface);
}

/* ---- distances ---- */

/* a vertex of a contact: position, velocity, centripetal acceleration, the part of the velocity that a script gives */
typedef struct cti_explicit_vertex {
    cti_v3 x, v, c, script;
    const cti_attach *attach;
} cti_explicit_vertex;

static void cti_explicit_vertex_of(const cti_state *s, const ct_real *y, int vertex, double t, cti_explicit_vertex *p)
{
    const ct_real *v = y + 3 * (size_t)s->n;
    int k;
    p->attach = cti_surface_attach(&s->surface, vertex);
    p->c = p->script = p->v = cti_v3_zero();
    if (p->attach->n == 0) {
        p->x = cti_explicit_scripted(s, vertex, t, &p->script);
        p->v = p->script;
    } else if (p->attach->frame >= 0) {
        const ct_real *R = cti_explicit_own(s)->frames + 9 * (size_t)p->attach->frame;
        int b = p->attach->block[0];
        cti_v3 arm = cti_m3_mul_v(R, cti_v3_at(p->attach->weight, 0)), w = cti_v3_at(v, b + 1), spin = cti_v3_cross(w, arm);
        p->x = cti_v3_add(cti_v3_at(y, b), arm), p->v = cti_v3_add(cti_v3_at(v, b), spin), p->c = cti_v3_cross(w, spin);
    } else {
        p->x = cti_v3_zero();
        for (k = 0; k < p->attach->n; k++) {
            p->x = cti_v3_mad(p->x, cti_v3_at(y, p->attach->block[k]), p->attach->weight[k]);
            p->v = cti_v3_mad(p->v, cti_v3_at(v, p->attach->block[k]), p->attach->weight[k]);
        }
    }
}

/* the same, quickly for a node that is its own surface vertex. Written field by field: copies of the struct would wait for its stores */
CTI_INLINE void cti_explicit_vertex_at(const cti_state *s, const ct_real *y, int vertex, double t, cti_explicit_vertex *p)
{
    const cti_attach *a = cti_surface_attach(&s->surface, vertex);
    const ct_real *x, *v;
    if (a->n != 1) {
        cti_explicit_vertex_of(s, y, vertex, t, p);
        return;
    }
    x = y + 3 * (size_t)a->block[0], v = x + 3 * (size_t)s->n;
    p->attach = a;
    p->x.x = x[0], p->x.y = x[1], p->x.z = x[2];
    p->v.x = v[0], p->v.y = v[1], p->v.z = v[2];
    p->c.x = p->c.y = p->c.z = 0;
    p->script.x = p->script.y = p->script.z = 0;
}

/* the gradient w n of a vertex as entries of the row */
static void cti_explicit_row_of(const cti_state *s, const cti_explicit_vertex *p, ct_real w, cti_explicit_touch *c)
{
    int k;
    cti_v3 g = cti_v3_mul(c->normal, w);
    if (p->attach->n == 0)
        return;
    if (p->attach->frame >= 0) {
        const ct_real *R = cti_explicit_own(s)->frames + 9 * (size_t)p->attach->frame;
        c->entry[c->n].block = p->attach->block[0], c->entry[c->n++].g = g;
        c->entry[c->n].block = p->attach->block[0] + 1;
        c->entry[c->n++].g = cti_v3_cross(cti_m3_mul_v(R, cti_v3_at(p->attach->weight, 0)), g);
        return;
    }
    for (k = 0; k < p->attach->n; k++)
        c->entry[c->n].block = p->attach->block[k], c->entry[c->n++].g = cti_v3_mul(g, p->attach->weight[k]);
}

CTI_INLINE void cti_explicit_row(const cti_state *s, const cti_explicit_vertex *p, ct_real w, cti_explicit_touch *c)
{
    if (p->attach->n == 1)
        c->entry[c->n].block = p->attach->block[0], c->entry[c->n++].g = cti_v3_mul(c->normal, w);
    else
        cti_explicit_row_of(s, p, w, c);
}

/* weights of the foot of p in the plane of a triangle */
CTI_INLINE void cti_explicit_foot(cti_v3 p, cti_v3 a, cti_v3 e1, cti_v3 e2, cti_v3 N, ct_real *w)
{
    cti_v3 r = cti_v3_sub(p, a);
    ct_real n2 = cti_v3_norm2(N);
    w[2] = -cti_v3_dot(cti_v3_cross(r, e2), N) / n2;
    w[3] = -cti_v3_dot(cti_v3_cross(e1, r), N) / n2;
    w[0] = 1, w[1] = -1 - w[2] - w[3];
}

/* weights of the closest points of two lines, e1 and e2 their edges */
static void cti_explicit_lines(cti_v3 a, cti_v3 b, cti_v3 e1, cti_v3 e2, ct_real *w)
{
    cti_v3 r = cti_v3_sub(a, b);
    ct_real A = cti_v3_norm2(e1), B = cti_v3_dot(e1, e2), C = cti_v3_norm2(e2), D = cti_v3_dot(e1, r), E = cti_v3_dot(e2, r), den = A * C - B * B;
    ct_real p = (B * E - C * D) / den, q = (A * E - B * D) / den;
    w[0] = 1 - p, w[1] = p, w[2] = q - 1, w[3] = -q;
}

CTI_FN int cti_explicit_measure(const cti_state *s, const ct_real *y, double t, cti_explicit_touch *c)
{
    cti_explicit_vertex p[4];
    cti_v3 e1, e2, d1, d2, N, rate, dn = cti_v3_zero(), u = cti_v3_zero(), us = u, centripetal = u;
    const int32_t *v = c->pair.v;
    ct_real *w = c->pair.w, size;
    int k, n = c->pair.kind == CT_PAIR_PLANE ? 1 : 4;
    c->n = 0;
    for (k = 0; k < n; k++)
        cti_explicit_vertex_at(s, y, v[k], t, &p[k]);
    if (c->pair.kind == CT_PAIR_PLANE) {
        const cti_plane *q = &s->surface.planes[c->pair.plane];
        c->normal = cti_v3_at(q->normal, 0);
        c->d = cti_v3_dot(c->normal, p[0].x) - q->offset;
        w[0] = 1;
    } else {
        int edges = c->pair.kind == CT_PAIR_EE, from = edges ? 0 : 1, other = edges ? 2 : 1;
        e1 = cti_v3_sub(p[edges ? 1 : 2].x, p[from].x), e2 = cti_v3_sub(p[3].x, p[other].x);
        d1 = cti_v3_sub(p[edges ? 1 : 2].v, p[from].v), d2 = cti_v3_sub(p[3].v, p[other].v);
        N = cti_v3_mul(cti_v3_cross(e1, e2), c->sign);
        rate = cti_v3_mul(cti_v3_add(cti_v3_cross(d1, e2), cti_v3_cross(e1, d2)), c->sign);
        size = cti_v3_norm(N);
        if (!(size > 0)) {
            c->d = c->rate = c->script_rate = c->bias = 0;
            return 0;
        }
        c->normal = cti_v3_mul(N, 1 / size);
        dn = cti_v3_mul(cti_v3_mad(rate, c->normal, -cti_v3_dot(c->normal, rate)), 1 / size);
        if (edges)
            cti_explicit_lines(p[0].x, p[2].x, e1, e2, w);
        else
            cti_explicit_foot(p[0].x, p[1].x, e1, e2, N, w);
        c->d = cti_v3_dot(c->normal, cti_v3_sub(p[0].x, p[other].x));
    }
    for (k = 0; k < n; k++) {
        u = cti_v3_mad(u, p[k].v, w[k]), us = cti_v3_mad(us, p[k].script, w[k]);
        centripetal = cti_v3_mad(centripetal, p[k].c, w[k]);
        cti_explicit_row(s, &p[k], w[k], c);
    }
    c->rate = cti_v3_dot(c->normal, u), c->script_rate = cti_v3_dot(c->normal, us);
    c->bias = -c->d * cti_v3_norm2(dn) + 2 * cti_v3_dot(dn, u) + cti_v3_dot(c->normal, centripetal);
    return 1;
}

/* ---- detection ---- */

/* 1: candidates are still those of g->surface */
static int cti_explicit_is_known(const cti_state *s)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    int i, k;
    if (!g->search.known)
        return 0;
    for (k = 0; k < CTI_LEN(f->runs); k += 3)
        for (i = f->runs[k]; i < f->runs[k + 1]; i++)
            if (!(cti_v3_norm2(cti_v3_sub(cti_v3_at(g->surface, i), cti_v3_at(g->search.x, i))) < g->search.slack * g->search.slack))
                return 0;
    return 1;
}

/* 0: out of memory */
static int cti_explicit_candidates(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_surface *f = &s->surface;
    int i;
    if (cti_explicit_is_known(s))
        return 1;
    CTI_CLEAR(g->search.vf);
    CTI_CLEAR(g->search.ee);
    g->search.known = 0;
    g->search.slack = CTI_EXPLICIT_SLACK * g->edge;
    for (i = 0; i < f->n_bodies; i++)
        f->ranges[i].swept = 1, f->ranges[i].inflate = CTI_EXPLICIT_REACH / 2 * g->edge + (f->bodies[i].moves ? g->search.slack : 0);
    if (!cti_broad_update(s->mem, &f->broad, &f->soup, g->surface, g->surface) ||
        !cti_broad_pairs(s->mem, &f->broad, &f->soup, &g->search.vf, s->desc.rk.edges ? &g->search.ee : NULL, NULL, NULL))
        return 0;
    memcpy(g->search.x, g->surface, sizeof(ct_real) * 3 * (size_t)f->nv);
    g->search.known = 1;
    return 1;
}

static cti_v3 cti_explicit_face_normal(const cti_surface *f, const ct_real *x, int face)
{
    const int32_t *v = f->faces + 3 * (size_t)face;
    cti_v3 a = cti_v3_at(x, v[0]);
    return cti_v3_unit(cti_v3_cross(cti_v3_sub(cti_v3_at(x, v[1]), a), cti_v3_sub(cti_v3_at(x, v[2]), a)), cti_v3_zero());
}

/* normal of an edge: the sum of its faces' */
static cti_v3 cti_explicit_edge_normal(const cti_surface *f, const ct_real *x, int edge)
{
    int a = f->edge_faces[2 * (size_t)edge], b = f->edge_faces[2 * (size_t)edge + 1];
    cti_v3 n = a >= 0 ? cti_explicit_face_normal(f, x, a) : cti_v3_zero();
    return b >= 0 ? cti_v3_add(n, cti_explicit_face_normal(f, x, b)) : n;
}

/* adds a contact, as it is at y. 0: out of memory */
static int cti_explicit_add(cti_state *s, const ct_real *y, double t, const cti_pair *pair, ct_real sign, uint64_t key)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_touch c;
    int lo = 0, hi = CTI_LEN(g->held);
    memset(&c, 0, sizeof c);
    c.pair = *pair, c.sign = sign, c.key = key;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (g->held[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    c.held = lo < CTI_LEN(g->held) && g->held[lo] == key;
    return !cti_explicit_measure(s, y, t, &c) || CTI_PUSH(s->mem, g->touches, c);
}

/* contacts of a vertex with the faces that its foot may reach in a step, across edges of the face it touches, where the surface turns towards
   it. 0: out of memory */
static int cti_explicit_add_ahead(cti_state *s, const ct_real *y, double t, int vertex, int face, uint64_t key)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    const int32_t *q = f->faces + 3 * (size_t)face;
    ct_real w[4], h = 2 * cti_min(g->bound, g->dt);
    cti_v3 x[4], e1, e2;
    int k;
    for (k = 0; k < 4; k++) {
        cti_explicit_vertex p;
        cti_explicit_vertex_at(s, y, k ? q[k - 1] : vertex, t, &p);
        x[k] = cti_v3_mad(p.x, p.v, h);
    }
    e1 = cti_v3_sub(x[2], x[1]), e2 = cti_v3_sub(x[3], x[1]);
    cti_explicit_foot(x[0], x[1], e1, e2, cti_v3_cross(e1, e2), w);
    for (k = 0; k < 3; k++) { /* edges 01, 12, 20 are opposite to vertices 2, 0, 1 */
        int edge = f->face_edges[3 * (size_t)face + (size_t)k], other = f->edge_faces[2 * (size_t)edge];
        cti_explicit_touch c;
        if (!(w[1 + (k + 2) % 3] > -CTI_EXPLICIT_BORDER))
            continue;
        other = other == face ? f->edge_faces[2 * (size_t)edge + 1] : other;
        if (other < 0)
            continue;
        memset(&c, 0, sizeof c);
        cti_pair_make(f, CT_PAIR_VF, vertex, other, &c.pair);
        c.sign = 1, c.key = key, c.held = c.ahead = 1;
        if (cti_explicit_measure(s, y, t, &c) && c.d >= 0 && !CTI_PUSH(s->mem, g->touches, c))
            return 0;
    }
    return 1;
}

/* the face nearest to a vertex, of one body */
typedef struct cti_explicit_near {
    int vertex, body, face, feature;
    ct_real d2;
} cti_explicit_near;

/* makes it a contact if the vertex is behind, or touches. 0: out of memory */
static int cti_explicit_near_add(cti_state *s, const ct_real *y, double t, const cti_explicit_near *q)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real touch = CTI_EXPLICIT_TOUCH * s->desc.rk.penetration * g->edge, reach = CTI_EXPLICIT_REACH * g->edge;
    cti_v3 n, to;
    cti_pair pair;
    uint64_t key;
    int k;
    if (q->vertex < 0 || !(q->d2 < reach * reach))
        return 1;
    cti_pair_make(f, CT_PAIR_VF, q->vertex, q->face, &pair);
    if (!(q->d2 <= touch * touch)) {
        if (q->feature < 3) /* nearest to a vertex: outside, but for saddles */
            return 1;
        n = q->feature == 6 ? cti_explicit_face_normal(f, g->surface, q->face)
                            : cti_explicit_edge_normal(f, g->surface, f->face_edges[3 * q->face + q->feature - 3]);
        k = f->faces[3 * (size_t)q->face + (q->feature == 4 ? 1u : 0u)];
        to = cti_v3_sub(cti_v3_at(g->surface, q->vertex), cti_v3_at(g->surface, k));
        if (!(cti_v3_dot(to, n) < 0))
            return 1;
    }
    key = ((uint64_t)1 << 62) | (uint64_t)q->vertex << 31 | (uint64_t)q->body;
    return cti_explicit_add(s, y, t, &pair, 1, key) && cti_explicit_add_ahead(s, y, t, q->vertex, q->face, key);
}

/* vertices and faces of different bodies. 0: out of memory */
static int cti_explicit_find_faces(cti_state *s, const ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    cti_explicit_near best;
    int i;
    best.vertex = best.body = -1, best.face = best.feature = 0, best.d2 = 0;
    for (i = 0; i < CTI_LEN(g->search.vf); i += 2) {
        int v = g->search.vf[i], face = g->search.vf[i + 1], feature;
        const int32_t *q = f->faces + 3 * (size_t)face;
        int body = f->body_of[q[0]];
        ct_real w[3], d2;
        if (body == f->body_of[v])
            continue;
        d2 = cti_dist_pt(g->surface + 3 * (size_t)v, g->surface + 3 * (size_t)q[0], g->surface + 3 * (size_t)q[1], g->surface + 3 * (size_t)q[2], w,
                         &feature);
        if (v != best.vertex || body != best.body) {
            if (!cti_explicit_near_add(s, y, t, &best))
                return 0;
        } else if (!(d2 < best.d2))
            continue;
        best.vertex = v, best.body = body, best.face = face, best.feature = feature, best.d2 = d2;
    }
    return cti_explicit_near_add(s, y, t, &best);
}

static int cti_explicit_find_planes(cti_state *s, const ct_real *y, double t)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real touch = CTI_EXPLICIT_TOUCH * s->desc.rk.penetration * g->edge;
    int p, v;
    for (p = 0; p < f->n_planes; p++)
        for (v = cti_surface_dynamic(f, 0); v < f->nv; v = cti_surface_dynamic(f, v + 1)) {
            cti_pair pair;
            if (cti_v3_dot(cti_v3_at(f->planes[p].normal, 0), cti_v3_at(g->surface, v)) - f->planes[p].offset > touch)
                continue;
            cti_pair_make(f, CT_PAIR_PLANE, v, p, &pair);
            if (!cti_explicit_add(s, y, t, &pair, 1, ((uint64_t)2 << 62) | (uint64_t)v << 31 | (uint64_t)p))
                return 0;
        }
    return 1;
}

/* edges of different bodies that have passed each other. 0: out of memory */
static int cti_explicit_find_edges(cti_state *s, const ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_surface *f = &s->surface;
    ct_real touch = CTI_EXPLICIT_TOUCH * s->desc.rk.penetration * g->edge, reach = CTI_EXPLICIT_REACH / 2 * g->edge;
    int i;
    for (i = 0; i < CTI_LEN(g->search.ee); i += 2) {
        int a = g->search.ee[i], b = g->search.ee[i + 1], feature;
        const int32_t *p = f->edges + 2 * (size_t)a, *q = f->edges + 2 * (size_t)b;
        const ct_real *x = g->surface;
        ct_real st[2], d2, sign, d;
        cti_v3 n, na, nb, e1, e2;
        cti_pair pair;
        if (f->body_of[p[0]] == f->body_of[q[0]])
            continue;
        d2 = cti_dist_ee(x + 3 * (size_t)p[0], x + 3 * (size_t)p[1], x + 3 * (size_t)q[0], x + 3 * (size_t)q[1], st, &feature);
        if (!(d2 < reach * reach) || !(st[0] > 0 && st[0] < 1 && st[1] > 0 && st[1] < 1))
            continue;
        e1 = cti_v3_sub(cti_v3_at(x, p[1]), cti_v3_at(x, p[0])), e2 = cti_v3_sub(cti_v3_at(x, q[1]), cti_v3_at(x, q[0]));
        n = cti_v3_cross(e1, e2);
        if (!(cti_v3_norm(n) > CTI_EXPLICIT_SINE * cti_v3_norm(e1) * cti_v3_norm(e2)))
            continue;
        n = cti_v3_unit(n, cti_v3_zero());
        na = cti_v3_unit(cti_explicit_edge_normal(f, x, a), cti_v3_zero()), nb = cti_v3_unit(cti_explicit_edge_normal(f, x, b), cti_v3_zero());
        sign = cti_v3_dot(n, cti_v3_sub(nb, na)) >= 0 ? CTI_R(1.0) : CTI_R(-1.0);
        /* the normal has to be in both edges' cones, roughly: others are contacts of faces */
        if (!(sign * cti_v3_dot(n, nb) > CTI_R(0.5) && sign * cti_v3_dot(n, na) < CTI_R(-0.5)))
            continue;
        d = sign * cti_v3_dot(n, cti_v3_sub(cti_v3_at(x, p[0]), cti_v3_at(x, q[0])));
        if (d > touch)
            continue;
        cti_pair_make(f, CT_PAIR_EE, a, b, &pair);
        if (!cti_explicit_add(s, y, t, &pair, sign, (uint64_t)a << 31 | (uint64_t)b))
            return 0;
    }
    return 1;
}

CTI_FN int cti_explicit_find(cti_state *s, const ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    CTI_CLEAR(g->touches);
    if (g->edge == 0)
        return 1;
    return cti_explicit_candidates(s) && cti_explicit_find_faces(s, y, t) && cti_explicit_find_planes(s, y, t) &&
           (!s->desc.rk.edges || cti_explicit_find_edges(s, y, t));
}

/* ---- back onto the surface ---- */

/* moves the blocks of one side, or of both, by the smallest change of d to 0, each in proportion to its gradient. 0: nothing moves */
static int cti_explicit_lift(cti_state *s, ct_real *y, const cti_explicit_touch *c, int first, int last)
{
    ct_real sum = 0;
    int k;
    for (k = first; k < last; k++)
        if (!s->scripts.fixed[c->entry[k].block] && s->bodies.rigid_of[c->entry[k].block] < 0)
            sum += cti_v3_norm2(c->entry[k].g);
    if (!(sum > 0))
        return 0;
    for (k = first; k < last; k++)
        if (!s->scripts.fixed[c->entry[k].block] && s->bodies.rigid_of[c->entry[k].block] < 0)
            cti_v3_addto(y, c->entry[k].block, cti_v3_mul(c->entry[k].g, -c->d / sum));
    return 1;
}

/* rigid bodies alone: they are moved without rotation, by their inverse masses */
static int cti_explicit_shift(cti_state *s, ct_real *y, const cti_explicit_touch *c)
{
    ct_real sum = 0, side[2] = {0, 0};
    int block[2] = {-1, -1}, k, n = c->pair.kind == CT_PAIR_PLANE ? 1 : 4;
    for (k = 0; k < n; k++) {
        const cti_attach *a = cti_surface_attach(&s->surface, c->pair.v[k]);
        int i = k < c->pair.n_a ? 0 : 1;
        if (a->n && a->frame >= 0 && !s->scripts.fixed[a->block[0]])
            block[i] = a->block[0], side[i] = 1 / s->bodies.mass[a->block[0]];
    }
    sum = side[0] + side[1];
    if (!(sum > 0))
        return 0;
    for (k = 0; k < 2; k++)
        if (block[k] >= 0)
            cti_v3_addto(y, block[k], cti_v3_mul(c->normal, (k == 0 ? -c->d : c->d) * side[k] / sum));
    return 1;
}

CTI_FN int cti_explicit_back(cti_state *s, ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    int turn, i, moved = 0, again = 1;
    ct_real rounding = 64 * CTI_EPS * g->edge;
    for (turn = 0; turn < CTI_EXPLICIT_BACKS && again; turn++) {
        again = 0;
        for (i = 0; i < CTI_LEN(g->touches); i++) {
            cti_explicit_touch *c = &g->touches[i];
            int own;
            if (!cti_explicit_measure(s, y, t, c) || !(c->d < -rounding))
                continue;
            own = c->pair.kind == CT_PAIR_EE ? 0 : cti_max_int(cti_surface_attach(&s->surface, c->pair.v[0])->n, 0);
            if ((own && cti_explicit_lift(s, y, c, 0, own)) || cti_explicit_lift(s, y, c, 0, c->n) || cti_explicit_shift(s, y, c))
                moved++, again = 1;
        }
    }
    return moved;
}

#undef CTI_EXPLICIT_REACH
#undef CTI_EXPLICIT_SLACK
#undef CTI_EXPLICIT_TOUCH
#undef CTI_EXPLICIT_SINE
#undef CTI_EXPLICIT_BORDER
#undef CTI_EXPLICIT_BACKS
