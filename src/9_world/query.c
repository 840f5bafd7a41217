/* query.c -- queries of a world: pairs, contacts, hash. */
#include "world.h"

/* soup vertex to body vertex */
static int32_t cti_query_vertex(const ct_world *w, int v)
{
    const cti_surface *f = &w->state.surface;
    int body = f->body_of[v];
    return w->bodies[w->surface_slot[body]].surface_nodes[v - f->ranges[body].v0];
}

/* adds a weight to a vertex of a feature; vertices [3] are filled from the front */
static void cti_query_add(int32_t vertex, ct_real weight, int32_t *vertices, ct_real *weights)
{
    int k;
    for (k = 0; k < 2 && vertices[k] >= 0 && vertices[k] != vertex; k++)
        ;
    vertices[k] = vertex, weights[k] += weight;
}

/* soup vertices v [n] of one body with weights as vertices of the user's: the middle of a split edge becomes the edge's ends. All vertices of a
   feature are in one face of the user's. Returns the number of vertices */
static int cti_query_feature(const ct_world *w, const int32_t *v, const ct_real *weight, int n, int32_t *vertices, ct_real *weights)
{
    const cti_body *b = n > 0 ? &w->bodies[w->surface_slot[w->state.surface.body_of[v[0]]]] : NULL;
    int k;
    for (k = 0; k < 3; k++)
        vertices[k] = -1, weights[k] = 0;
    for (k = 0; k < n; k++) {
        int32_t i = cti_query_vertex(w, v[k]);
        const int32_t *ends = i < b->n ? NULL : b->split.edges + 2 * (i - b->n);
        cti_query_add(ends ? ends[0] : i, ends ? weight[k] / 2 : weight[k], vertices, weights);
        if (ends)
            cti_query_add(ends[1], weight[k] / 2, vertices, weights);
    }
    for (k = 0; k < 3 && vertices[k] >= 0; k++)
        ;
    return k;
}

/* sides a and b of a pair change places */
static void cti_query_turn(ct_pair *q, ct_real *weights_a, ct_real *weights_b)
{
    ct_pair old = *q;
    ct_real t;
    int k;
    q->body_a = old.body_b, q->body_b = old.body_a;
    memcpy(q->vertices_a, old.vertices_b, sizeof q->vertices_a);
    memcpy(q->vertices_b, old.vertices_a, sizeof q->vertices_b);
    for (k = 0; k < 3; k++)
        t = weights_a[k], weights_a[k] = weights_b[k], weights_b[k] = t;
}

/* a pair and the weights [3] of its two sides in the user's numbering. An edge of a refined surface inside of a face of the user's is that face: with
   an edge of the other side the pair is EF. Returns 1 where side a of the pair is side b of *out, since the edge is a */
static int cti_query_pair(const ct_world *w, const cti_pair *p, ct_pair *out, ct_real *weights_a, ct_real *weights_b)
{
    const cti_surface *f = &w->state.surface;
    int n, m, k;
    memset(out, 0, sizeof *out);
    out->kind = (ct_pair_kind)p->kind;
    out->body_a = cti_world_id(w, w->surface_slot[cti_pair_body_a(f, p)]);
    out->body_b = cti_world_id(w, w->surface_slot[cti_pair_body_b(f, p)]);
    n = cti_query_feature(w, p->v, p->w, p->n_a, out->vertices_a, weights_a);
    m = cti_query_feature(w, p->v + p->n_a, p->w + p->n_a, p->n - p->n_a, out->vertices_b, weights_b);
    for (k = 0; k < 3; k++)
        weights_b[k] = weights_b[k] == 0 ? 0 : -weights_b[k];
    if ((out->kind == CT_PAIR_VF && n == 2) || (out->kind == CT_PAIR_EE && n + m == 5))
        out->kind = CT_PAIR_EF;
    if (n != 3 || m != 2)
        return 0;
    cti_query_turn(out, weights_a, weights_b);
    return 1;
}

CTI_FN void cti_world_public_pair(const ct_world *w, const cti_pair *p, ct_pair *out)
{
    ct_real weights[6];
    cti_query_pair(w, p, out, weights, weights + 3);
}

/* an edge of a and a face of b as a public pair */
static void cti_query_edge_face(const ct_world *w, int e, int face, ct_pair *out)
{
    const cti_surface *f = &w->state.surface;
    const ct_real none[3] = {0, 0, 0};
    ct_real weights[3];
    memset(out, 0, sizeof *out);
    out->kind = CT_PAIR_EF;
    out->body_a = cti_world_id(w, w->surface_slot[f->body_of[f->edges[2 * e]]]);
    out->body_b = cti_world_id(w, w->surface_slot[f->body_of[f->faces[3 * face]]]);
    cti_query_feature(w, f->edges + 2 * e, none, 2, out->vertices_a, weights);
    cti_query_feature(w, f->faces + 3 * face, none, 3, out->vertices_b, weights);
}

/* counts vertices of moving bodies that are behind a plane */
static int cti_query_planes(ct_world *w)
{
    const cti_surface *f = &w->state.surface;
    int i, k;
    for (k = 0; k < f->n_planes; k++)
        for (i = cti_surface_facing(f, k, 0); i < f->nv; i = cti_surface_facing(f, k, i + 1)) {
            cti_pair p;
            ct_pair out;
            int feature;
            cti_pair_make(f, CT_PAIR_PLANE, i, k, &p);
            out.distance = cti_pair_closest(f, f->x0, &p, &feature);
            if (out.distance > 0)
                continue;
            cti_world_public_pair(w, &p, &out);
            out.distance = cti_pair_closest(f, f->x0, &p, &feature);
            if (!CTI_PUSH(&w->mem, w->pairs, out))
                return 0;
        }
    return 1;
}

static ct_code cti_world_validate(const ct_world *cw, ct_pair **out_pairs, int *out_n)
{
    ct_world *w = (ct_world *)cw; /* only scratch memory of the world is written; its state does not change */
    int32_t *hits = NULL;
    ct_code code;
    int i, ok;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!out_pairs || !out_n)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_pairs or out_n is NULL");
    code = cti_world_prepare(w);
    if (code != CT_OK)
        return code;
    CTI_CLEAR(w->pairs);
    w->state.detect.valid = 0; /* the query below refits the trees to other motions */
    ok = cti_broad_update(&w->mem, &w->state.surface.broad, &w->state.surface.soup, w->state.surface.x0, w->state.surface.x0) &&
         cti_intersect_soup(&w->mem, &w->state.surface.broad, &w->state.surface.soup, w->state.surface.x0, &hits);
    for (i = 0; ok && i < CTI_LEN(hits) / 2; i++) {
        ct_pair p;
        cti_query_edge_face(w, hits[2 * i], hits[2 * i + 1], &p);
        ok = CTI_PUSH(&w->mem, w->pairs, p);
    }
    ok = ok && cti_query_planes(w);
    CTI_FREE(&w->mem, hits);
    if (!ok)
        return cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory while validating");
    *out_pairs = w->pairs;
    *out_n = CTI_LEN(w->pairs);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_validate(const ct_world *cw, ct_pair **out_pairs, int *out_n)
{
    CTI_FPENV_RETURN(cti_world_validate(cw, out_pairs, out_n))
}

CTI_FN void cti_world_contact(const ct_world *w, const cti_touch *t, ct_contact *out)
{
    const cti_state *s = &w->state;
    const cti_pair *p = &t->pair;
    cti_v3 at = cti_v3_zero();
    ct_pair names;
    int k, turned;
    memset(out, 0, sizeof *out);
    turned = cti_query_pair(w, p, &names, out->weights_a, out->weights_b);
    out->kind = names.kind;
    out->body_a = names.body_a, out->body_b = names.body_b;
    memcpy(out->vertices_a, names.vertices_a, sizeof names.vertices_a);
    memcpy(out->vertices_b, names.vertices_b, sizeof names.vertices_b);
    for (k = turned ? p->n_a : 0; k < (turned ? p->n : p->n_a); k++)
        at = cti_v3_mad(at, cti_v3_at(s->surface.x0, p->v[k]), turned ? -p->w[k] : p->w[k]);
    cti_v3_put(out->point, 0, at);
    memcpy(out->normal, t->frame, sizeof out->normal);
    memcpy(out->tangent, t->frame + 3, sizeof out->tangent);
    out->gap = cti_v3_dot(cti_v3_at(t->frame, 0), cti_pair_offset(&s->surface, s->surface.x0, p)) - t->thickness;
    out->impulse_normal = t->r[0];
    out->impulse_tangent[0] = t->r[1], out->impulse_tangent[1] = t->r[2];
    out->sticking = t->sticking;
    if (!turned)
        return;
    for (k = 0; k < 3; k++) /* to the other side: the axes stay a right-handed frame */
        out->normal[k] = -out->normal[k], out->tangent[1][k] = -out->tangent[1][k];
    out->impulse_tangent[0] = -out->impulse_tangent[0];
}

CTI_FN ct_code cti_world_keep_contacts(ct_world *w)
{
    int i;
    if (w->contacts_ready)
        return CT_OK;
    CTI_CLEAR(w->contacts);
    for (i = 0; i < CTI_LEN(w->state.history.impulses.touches); i++) {
        ct_contact c;
        cti_world_contact(w, &w->state.history.impulses.touches[i], &c);
        if (!CTI_PUSH(&w->mem, w->contacts, c))
            return cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory while listing contacts");
    }
    w->contacts_ready = 1;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_contacts(const ct_world *cw, const ct_contact **out_contacts, int *out_n)
{
    ct_world *w = (ct_world *)cw;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!out_contacts || !out_n)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_contacts or out_n is NULL");
    code = cti_world_keep_contacts(w);
    if (code != CT_OK)
        return code;
    *out_contacts = w->contacts;
    *out_n = CTI_LEN(w->contacts);
    return CT_OK;
}

static uint64_t cti_query_mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

/* mixes in the history that the next step uses, block by block: the last dt, and for BDF2 the velocities before it */
static uint64_t cti_query_mix_history(uint64_t h, const cti_state *s)
{
    const cti_history *q = &s->history;
    int i, k = 0, bytes = 3 * (int)sizeof(ct_real);
    h = cti_query_mix(h, s->history.dt_prev, sizeof(ct_real) * (size_t)s->n);
    for (i = 0; i < CTI_LEN(q->v0) / 3 && i < s->n; i++) {
        /* rigid bodies, which are in the order of their blocks, have no history */
        while (k < CTI_LEN(s->bodies.rigids) && s->bodies.rigids[k].block + 1 < i)
            k++;
        if (!(s->history.dt_prev[i] > 0) || (k < CTI_LEN(s->bodies.rigids) && i >= s->bodies.rigids[k].block))
            continue;
        h = cti_query_mix(h, q->v0 + 3 * i, (size_t)bytes);
        h = cti_query_mix(h, q->u0 + 3 * i, (size_t)bytes);
    }
    return h;
}

CONTACT_API_DEF uint64_t ct_world_hash(const ct_world *w)
{
    uint64_t h = 0xcbf29ce484222325ull;
    int i;
    if (!w)
        return 0;
    h = cti_query_mix(h, w->state.x, sizeof(ct_real) * 3 * (size_t)w->state.n);
    h = cti_query_mix(h, w->state.v, sizeof(ct_real) * 3 * (size_t)w->state.n);
    h = cti_query_mix_history(h, &w->state);
    for (i = 0; i < CTI_LEN(w->state.bodies.rigids); i++)
        h = cti_query_mix(h, w->state.bodies.rigids[i].q, sizeof w->state.bodies.rigids[i].q);
    for (i = 0; i < CTI_LEN(w->state.bodies.rigids); i++)
        h = cti_query_mix(h, w->state.bodies.rigids[i].spin, sizeof w->state.bodies.rigids[i].spin);
    for (i = 0; i < CTI_LEN(w->state.contact.memory.items); i++) {
        h = cti_query_mix(h, w->state.contact.memory.items[i].impulse, sizeof w->state.contact.memory.items[i].impulse);
        h = cti_query_mix(h, w->state.contact.memory.items[i].slip, sizeof w->state.contact.memory.items[i].slip);
    }
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (cti_script_is_stopped(&w->bodies[i].script))
            h = cti_query_mix(h, w->bodies[i].stopped, sizeof(ct_real) * 3 * (size_t)w->bodies[i].n);
    return cti_query_mix(h, &w->state.step.time, sizeof w->state.step.time);
}
