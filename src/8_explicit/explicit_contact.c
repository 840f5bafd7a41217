/* explicit_contact.c -- distances of contacts and their derivatives, nodes that are moved back.
   Method: nodes that have penetrated are moved onto the surface along its normal, without going back in time.
   The distance d = n . (P_a - P_b) is measured from the plane of the face, or between the lines of two edges. With P_b (and P_a) the foot points,
   whose weights w are constant in a derivative, P_a - P_b = d n, so that n''. (P_a - P_b) = -d |n'|^2 and
     d' = n . (v_a - v_b),     d'' = -d |n'|^2 + 2 n' . (v_a - v_b) + n . (a_a - a_b),
   n' = (1 - n n') N' / |N|, N the cross product of two edges. These are all terms of the derivatives of d: there are no others in n'' or n'.
   The paper's formula of d'' lacks n . (a_a - a_b), which the text below it uses.
   differs: the force of the artificial deformation is that of the elements at the moved positions. The paper estimates the same change by
   interpolation and adds it to the node; both together would count it twice. Its energy is work_recovery, and stays in the elements.
   differs: a node of a rigid or scripted body cannot be moved back alone; then nodes of the face are, by the smallest change.
   based on: Hong et al. 2006, sec. 2 and 3. */
#include "explicit.h"

/* ---- places ---- */

/* returns the position, and sets the velocity, of a surface vertex that a script moves or that does not move */
static cti_v3 cti_explicit_scripted(const cti_state *s, int v, double t, cti_v3 *velocity)
{
    const cti_explicit *g = cti_explicit_own(s);
    const cti_surface_body *b = &s->surface.bodies[s->surface.body_of[v]];
    cti_v3 at = cti_v3_at(g->surface_start, v);
    *velocity = cti_v3_zero();
    if (!b->moves)
        return at;
    *velocity = cti_v3_mul(cti_v3_sub(cti_v3_at(g->script_end, v + b->shift), at), 1 / g->dt);
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

/* cti_explicit_vertex -- is a vertex of a contact: position, velocity, centripetal acceleration, the part of the velocity that a script gives. */
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

/* does the same, quickly for a node that is its own surface vertex; field by field, since copies of the struct would wait for its stores */
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

/* appends the gradient w n of a vertex to the entries of the row */
static void cti_explicit_row_of(const cti_state *s, const cti_explicit_vertex *p, ct_real w, cti_explicit_contact *c)
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

/* merges entries from `first` on that are of one block: vertices of rigid and of embedded bodies share blocks */
static void cti_explicit_merge(cti_explicit_contact *c, int first)
{
    int i, k, n = first;
    for (i = first; i < c->n; i++) {
        for (k = first; k < n && c->entry[k].block != c->entry[i].block; k++)
            ;
        if (k < n)
            c->entry[k].g = cti_v3_add(c->entry[k].g, c->entry[i].g);
        else if (n++ < i)
            c->entry[n - 1] = c->entry[i];
    }
    c->n = n;
}

CTI_INLINE void cti_explicit_row(const cti_state *s, const cti_explicit_vertex *p, ct_real w, cti_explicit_contact *c)
{
    if (p->attach->n == 1)
        c->entry[c->n].block = p->attach->block[0], c->entry[c->n++].g = cti_v3_mul(c->normal, w);
    else
        cti_explicit_row_of(s, p, w, c);
}

/* sets the weights of the foot of p in the plane of a triangle */
CTI_INLINE void cti_explicit_foot(cti_v3 p, cti_v3 a, cti_v3 e1, cti_v3 e2, cti_v3 N, ct_real *w)
{
    cti_v3 r = cti_v3_sub(p, a);
    ct_real n2 = cti_v3_norm2(N);
    w[2] = -cti_v3_dot(cti_v3_cross(r, e2), N) / n2;
    w[3] = -cti_v3_dot(cti_v3_cross(e1, r), N) / n2;
    w[0] = 1, w[1] = -1 - w[2] - w[3];
}

/* sets the weights of the closest points of the lines of two edges e1, e2 */
static void cti_explicit_lines(cti_v3 a, cti_v3 b, cti_v3 e1, cti_v3 e2, ct_real *w)
{
    cti_v3 r = cti_v3_sub(a, b);
    ct_real A = cti_v3_norm2(e1), B = cti_v3_dot(e1, e2), C = cti_v3_norm2(e2), D = cti_v3_dot(e1, r), E = cti_v3_dot(e2, r), den = A * C - B * B;
    ct_real p = (B * E - C * D) / den, q = (A * E - B * D) / den;
    w[0] = 1 - p, w[1] = p, w[2] = q - 1, w[3] = -q;
}

/* sets p to the middle of an edge: the mean of its ends */
static void cti_explicit_middle(const cti_explicit_vertex *q, cti_explicit_vertex *p)
{
    const ct_real half = CTI_R(0.5);
    p->attach = NULL;
    p->x = cti_v3_mul(cti_v3_add(q[0].x, q[1].x), half), p->v = cti_v3_mul(cti_v3_add(q[0].v, q[1].v), half);
    p->c = cti_v3_mul(cti_v3_add(q[0].c, q[1].c), half), p->script = cti_v3_mul(cti_v3_add(q[0].script, q[1].script), half);
}

/* sets the normal of a face or of two edges, n', d, and the weights of the four points. 0: the features are flat */
static int cti_explicit_normal(const cti_explicit_vertex *p, int edges, cti_explicit_contact *c, ct_real *w, cti_v3 *dn)
{
    int from = edges ? 0 : 1, other = edges ? 2 : 1;
    cti_v3 e1 = cti_v3_sub(p[edges ? 1 : 2].x, p[from].x), e2 = cti_v3_sub(p[3].x, p[other].x);
    cti_v3 d1 = cti_v3_sub(p[edges ? 1 : 2].v, p[from].v), d2 = cti_v3_sub(p[3].v, p[other].v);
    cti_v3 N = cti_v3_mul(cti_v3_cross(e1, e2), c->sign);
    cti_v3 rate = cti_v3_mul(cti_v3_add(cti_v3_cross(d1, e2), cti_v3_cross(e1, d2)), c->sign);
    ct_real size = cti_v3_norm(N);
    if (!(size > 0)) {
        c->d = c->rate = c->script_rate = c->bias = 0;
        return 0;
    }
    c->normal = cti_v3_mul(N, 1 / size);
    *dn = cti_v3_mul(cti_v3_mad(rate, c->normal, -cti_v3_dot(c->normal, rate)), 1 / size);
    if (edges)
        cti_explicit_lines(p[0].x, p[2].x, e1, e2, w);
    else
        cti_explicit_foot(p[0].x, p[1].x, e1, e2, cti_v3_mul(N, c->sign), w);
    c->d = cti_v3_dot(c->normal, cti_v3_sub(p[0].x, p[other].x));
    return 1;
}

/* returns 1 where all vertices of a contact are nodes */
static int cti_explicit_is_nodes(const cti_surface *f, const cti_pair *pair)
{
    const int32_t *v = pair->v;
    if (pair->kind == CT_PAIR_EF || cti_surface_attach(f, v[0])->n != 1)
        return 0;
    return pair->kind == CT_PAIR_PLANE ||
           (cti_surface_attach(f, v[1])->n == 1 && cti_surface_attach(f, v[2])->n == 1 && cti_surface_attach(f, v[3])->n == 1);
}

/* measures a contact of a node and a plane */
static void cti_explicit_measure_plane(const cti_state *s, const ct_real *y, cti_explicit_contact *c)
{
    const cti_plane *plane = &s->surface.planes[c->pair.plane];
    int block = cti_surface_attach(&s->surface, c->pair.v[0])->block[0];
    c->normal = c->entry[0].g = cti_v3_at(plane->normal, 0);
    c->d = cti_v3_dot(c->normal, cti_v3_at(y, block)) - plane->offset;
    c->rate = cti_v3_dot(c->normal, cti_v3_at(y + 3 * (size_t)s->n, block));
    c->script_rate = c->bias = 0, c->pair.w[0] = 1;
    c->n = c->n_a = 1, c->entry[0].block = block;
}

/* measures a contact of nodes: it has an entry for each vertex, no scripts, no frames that turn */
static int cti_explicit_measure_nodes(const cti_state *s, const ct_real *y, cti_explicit_contact *c)
{
    cti_explicit_vertex p[4];
    cti_v3 dn, u = cti_v3_zero();
    ct_real w[4];
    int k;
    if (c->pair.kind == CT_PAIR_PLANE) {
        cti_explicit_measure_plane(s, y, c);
        return 1;
    }
    for (k = 0; k < 4; k++) {
        int block = cti_surface_attach(&s->surface, c->pair.v[k])->block[0];
        p[k].x = cti_v3_at(y, block), p[k].v = cti_v3_at(y + 3 * (size_t)s->n, block);
        c->entry[k].block = block;
    }
    c->n = c->n_a = 0;
    if (!cti_explicit_normal(p, c->pair.kind == CT_PAIR_EE, c, w, &dn))
        return 0;
    for (k = 0; k < 4; k++) {
        u = cti_v3_mad(u, p[k].v, w[k]);
        c->pair.w[k] = w[k], c->entry[k].g = cti_v3_mul(c->normal, w[k]);
    }
    c->n = 4, c->n_a = c->pair.kind == CT_PAIR_EE ? 2 : 1;
    c->rate = cti_v3_dot(c->normal, u), c->script_rate = 0;
    c->bias = -c->d * cti_v3_norm2(dn) + 2 * cti_v3_dot(dn, u);
    return 1;
}

CTI_FN int cti_explicit_measure(const cti_state *s, const ct_real *y, double t, cti_explicit_contact *c)
{
    cti_explicit_vertex p[4], q[2];
    cti_v3 dn = cti_v3_zero(), u = dn, us = dn, centripetal = dn;
    const int32_t *v = c->pair.v;
    ct_real w[4];
    int k, n = c->pair.kind == CT_PAIR_PLANE ? 1 : 4, middle = c->pair.kind == CT_PAIR_EF, side = c->pair.kind == CT_PAIR_EE ? 2 : 1;
    if (cti_explicit_is_nodes(&s->surface, &c->pair))
        return cti_explicit_measure_nodes(s, y, c);
    c->n = c->n_a = 0;
    for (k = 0; k < 2 && middle; k++)
        cti_explicit_vertex_at(s, y, v[k], t, &q[k]);
    if (middle)
        cti_explicit_middle(q, &p[0]);
    for (k = middle; k < n; k++)
        cti_explicit_vertex_at(s, y, v[k + middle], t, &p[k]);
    if (c->pair.kind == CT_PAIR_PLANE) {
        const cti_plane *plane = &s->surface.planes[c->pair.plane];
        c->normal = cti_v3_at(plane->normal, 0);
        c->d = cti_v3_dot(c->normal, p[0].x) - plane->offset;
        w[0] = 1;
    } else if (!cti_explicit_normal(p, c->pair.kind == CT_PAIR_EE, c, w, &dn))
        return 0;
    for (k = 0; k < n; k++) {
        u = cti_v3_mad(u, p[k].v, w[k]), us = cti_v3_mad(us, p[k].script, w[k]);
        centripetal = cti_v3_mad(centripetal, p[k].c, w[k]);
        c->pair.w[k + middle] = w[k];
        if (k >= middle)
            cti_explicit_row(s, &p[k], w[k], c);
        else
            cti_explicit_row(s, &q[0], w[k] / 2, c), cti_explicit_row(s, &q[1], w[k] / 2, c);
        if (k + 1 == side || k + 1 == n) {
            cti_explicit_merge(c, c->n_a);
            c->n_a = k + 1 == side ? c->n : c->n_a;
        }
    }
    if (middle)
        c->pair.w[0] = c->pair.w[1] = w[0] / 2;
    c->rate = cti_v3_dot(c->normal, u), c->script_rate = cti_v3_dot(c->normal, us);
    c->bias = -c->d * cti_v3_norm2(dn) + 2 * cti_v3_dot(dn, u) + cti_v3_dot(c->normal, centripetal);
    return 1;
}

CTI_FN void cti_explicit_predict_foot(const cti_state *s, const ct_real *y, double t, int vertex, int face, ct_real h, ct_real *w)
{
    const int32_t *q = s->surface.faces + 3 * (size_t)face;
    cti_v3 x[4], e1, e2;
    int k;
    for (k = 0; k < 4; k++) {
        cti_explicit_vertex p;
        cti_explicit_vertex_at(s, y, k ? q[k - 1] : vertex, t, &p);
        x[k] = cti_v3_mad(p.x, p.v, h);
    }
    e1 = cti_v3_sub(x[2], x[1]), e2 = cti_v3_sub(x[3], x[1]);
    cti_explicit_foot(x[0], x[1], e1, e2, cti_v3_cross(e1, e2), w);
}

/* ---- back onto the surface ---- */

/* returns the part of a gradient in whose direction a node may be moved back: none of rigid bodies, and none in which a script holds it */
static cti_v3 cti_explicit_free_part(const cti_state *s, const cti_explicit_entry *e)
{
    return s->bodies.rigid_of[e->block] >= 0 ? cti_v3_zero() : cti_state_free(s, e->block, e->g);
}

/* moves the blocks of one side, or of both, by the smallest change that brings d to its target, in proportion to their gradients. 0: nothing moves */
static int cti_explicit_move_nodes(cti_state *s, ct_real *y, const cti_explicit_contact *c, int first, int last)
{
    ct_real sum = 0;
    int k;
    for (k = first; k < last; k++)
        sum += cti_v3_dot(c->entry[k].g, cti_explicit_free_part(s, &c->entry[k]));
    if (!(sum > 0))
        return 0;
    for (k = first; k < last; k++)
        cti_v3_addto(y, c->entry[k].block, cti_v3_mul(cti_explicit_free_part(s, &c->entry[k]), (c->d_target - c->d) / sum));
    return 1;
}

/* moves two rigid bodies apart without rotation, by their inverse masses. 0: nothing moves */
static int cti_explicit_move_rigid(cti_state *s, ct_real *y, const cti_explicit_contact *c)
{
    ct_real sum = 0, side[2] = {0, 0};
    int block[2] = {-1, -1}, k;
    for (k = 0; k < c->pair.n; k++) {
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
            cti_v3_addto(y, block[k], cti_v3_mul(c->normal, (k == 0 ? 1 : -1) * (c->d_target - c->d) * side[k] / sum));
    return 1;
}

CTI_FN int cti_explicit_move_back(cti_state *s, ct_real *y, double t)
{
    cti_explicit *g = cti_explicit_own(s);
    int turn, i, moved = 0, again = 1;
    for (turn = 0; turn < cti_explicit_tuned.contact.passes && again; turn++) {
        again = 0;
        for (i = 0; i < CTI_LEN(g->contacts); i++) {
            cti_explicit_contact *c = &g->contacts[i];
            int n_a;
            if (!cti_explicit_measure(s, y, t, c) || !(c->d < c->d_target - g->rest_distance / 2 * c->scale))
                continue;
            n_a = c->pair.kind == CT_PAIR_EE ? 0 : c->n_a;
            if ((n_a && cti_explicit_move_nodes(s, y, c, 0, n_a)) || cti_explicit_move_nodes(s, y, c, 0, c->n) || cti_explicit_move_rigid(s, y, c))
                moved++, again = 1;
        }
    }
    return moved;
}
