/* repair.c -- separating pairs that intersect. Method: if one of two bodies is a solid, both separate along one direction. Candidates are
   the normals of the intersecting faces, and the axes; the one with the shortest way out for the shared part is taken. Points inside move
   to where a ray along it leaves the solid, or, if that way is long for the size of the shared part, to the nearest point of its surface.
   Sheets have no inside: an edge moves relative to a face so that the contour of the intersection gets shorter,
       G = sum over the edge's faces i of R_i - 2 (E . R_i) / (E . N) N,
   E the edge, N the face's normal, R_i the direction in which the contour runs from the edge into face i: when the edge moves by d its point
   in the plane moves by d - E (N . d) / (N . E), and the contour by -R_i along that. Half of R_i cancels over a closed contour and may be left
   out. The rest is the same with the roles of edge and face exchanged. The sum over a contour is a direction for all of it.
   Every row requires a speed through recovery and softness alone, so that contradicting rows find a compromise.
   Based on: Li, Pan, Huang, Bao, Jin 2015, sec. 3 (push-out through the nearest surface); Volino, Magnenat-Thalmann, Resolving surface
   collisions through intersection contour minimization, 2006. differs: the common direction of two bodies; if a contour cuts a sheet in
   two, the smaller part is pulled back through, since the length of such a contour may have no gradient. */
#include "repair.h"
#include "policy_numbers.h"
#include "../0_base/sets.h"
#include "../0_base/sort.h"
#include "../4_geom/dist.h"

/* two bodies with a shared part; ways [n]: candidate directions, along which a moves */
typedef struct cti_repair_bodies {
    int a, b, n;
    cti_v3 ways[CTI_REPAIR_WAYS];
    ct_real lo[CTI_REPAIR_WAYS], hi[CTI_REPAIR_WAYS]; /* extent of the shared part along each */
    int inside;  /* vertices inside the other body */
} cti_repair_bodies;

static cti_v3 cti_repair_normal(const cti_surface *f, int face) { return cti_surface_normal(f, f->x0, face, cti_v3_make(0, 1, 0)); }

/* weights of a point of a face, each at most one */
static void cti_repair_weights(const cti_surface *f, cti_v3 p, const int32_t *t, ct_real *w)
{
    ct_real point[3], bary[3];
    int k, feature;
    cti_v3_put(point, 0, p);
    cti_dist_pt(point, f->x0 + 3 * (size_t)t[0], f->x0 + 3 * (size_t)t[1], f->x0 + 3 * (size_t)t[2], bary, &feature);
    for (k = 0; k < 3; k++)
        w[k] = -bary[k];
}

/* the common point of an edge and a face, as a pair */
static cti_v3 cti_repair_cross(const cti_surface *f, int edge, int face, cti_pair *out)
{
    const int32_t *e = f->edges + 2 * (size_t)edge, *t = f->faces + 3 * (size_t)face;
    cti_v3 n = cti_repair_normal(f, face), o = cti_v3_at(f->x0, t[0]), p = cti_v3_at(f->x0, e[0]), q = cti_v3_at(f->x0, e[1]);
    ct_real d0 = cti_v3_dot(n, cti_v3_sub(p, o)), d1 = cti_v3_dot(n, cti_v3_sub(q, o));
    ct_real along = d0 != d1 ? cti_clamp(d0 / (d0 - d1), 0, 1) : CTI_R(0.5);
    memset(out, 0, sizeof *out);
    out->kind = (int32_t)CT_PAIR_EF;
    out->n_a = 2, out->n = 5;
    out->v[0] = e[0], out->v[1] = e[1], out->v[2] = t[0], out->v[3] = t[1], out->v[4] = t[2];
    p = cti_v3_mad(p, cti_v3_sub(q, p), along);
    out->w[0] = 1 - along, out->w[1] = along;
    cti_repair_weights(f, p, t, out->w + 2);
    return p;
}

static int cti_repair_push(cti_state *s, const cti_pair *pair, cti_v3 normal, ct_real depth, int soft)
{
    cti_repair r;
    r.pair = *pair, r.normal = normal, r.depth = depth, r.soft = soft;
    return CTI_PUSH(s->mem, s->contact.repairs, r);
}

/* ---- two bodies, one of them a solid ---- */

static void cti_repair_offer(cti_repair_bodies *q, cti_v3 n)
{
    int i, sign;
    for (i = 0; i < q->n; i++)
        if (cti_v3_dot(q->ways[i], n) > cti_step_tuned.repair.same)
            return;
    for (sign = 0; sign < 2 && q->n < CTI_REPAIR_WAYS; sign++) {
        q->lo[q->n] = CTI_REAL_MAX, q->hi[q->n] = -CTI_REAL_MAX;
        q->ways[q->n++] = cti_v3_mul(n, sign ? -1 : 1);
    }
}

static void cti_repair_extend(cti_repair_bodies *q, cti_v3 p)
{
    int i;
    for (i = 0; i < q->n; i++) {
        ct_real d = cti_v3_dot(q->ways[i], p);
        q->lo[i] = cti_min(q->lo[i], d), q->hi[i] = cti_max(q->hi[i], d);
    }
}

/* 1 if this edge and this face belong to the two bodies */
static int cti_repair_is_of(const cti_surface *f, const cti_repair_bodies *q, int edge, int face)
{
    int x = f->body_of[f->edges[2 * edge]], y = f->body_of[f->faces[3 * face]];
    return (x == q->a && y == q->b) || (x == q->b && y == q->a);
}

/* extent of the shared part: points on both surfaces, and vertices of one body inside the other */
static void cti_repair_share(const cti_state *s, cti_repair_bodies *q)
{
    const cti_contacts *found = &s->contact;
    const cti_surface *f = &s->surface;
    int i, k, n = CTI_LEN(found->tangled_pairs) / 2;
    cti_pair pair;
    q->n = q->inside = 0;
    for (i = 0; i < 3; i++)
        cti_repair_offer(q, cti_v3_make(i == 0, i == 1, i == 2));
    for (i = 0; i < n; i++)
        if (cti_repair_is_of(f, q, found->tangled_pairs[2 * i], found->tangled_pairs[2 * i + 1]))
            cti_repair_offer(q, cti_repair_normal(f, found->tangled_pairs[2 * i + 1]));
    for (i = 0; i < n; i++)
        if (cti_repair_is_of(f, q, found->tangled_pairs[2 * i], found->tangled_pairs[2 * i + 1]))
            cti_repair_extend(q, cti_repair_cross(f, found->tangled_pairs[2 * i], found->tangled_pairs[2 * i + 1], &pair));
    for (k = 0; k < 2; k++) {
        const cti_soup_body *r = &f->ranges[k ? q->b : q->a];
        for (i = r->v0; i < r->v1; i++)
            if (cti_detect_tangle(&s->detect, i, k ? q->a : q->b) == 2) {
                cti_repair_extend(q, cti_v3_at(f->x0, i));
                q->inside++;
            }
    }
}

/* distance that a must move along direction i until the shared part has left the solid: past b's top, or b past a's bottom */
static ct_real cti_repair_way_out(const cti_surface *f, const cti_repair_bodies *q, int way)
{
    ct_real out = CTI_REAL_MAX, top = -CTI_REAL_MAX, bottom = CTI_REAL_MAX;
    int i;
    for (i = f->ranges[q->b].v0; i < f->ranges[q->b].v1; i++)
        top = cti_max(top, cti_v3_dot(q->ways[way], cti_v3_at(f->x0, i)));
    for (i = f->ranges[q->a].v0; i < f->ranges[q->a].v1; i++)
        bottom = cti_min(bottom, cti_v3_dot(q->ways[way], cti_v3_at(f->x0, i)));
    if (f->bodies[q->b].solid)
        out = cti_min(out, top - q->lo[way]);
    if (f->bodies[q->a].solid)
        out = cti_min(out, q->hi[way] - bottom);
    return cti_max(out, 0);
}

/* the shortest way out; *out_local 1 if it is long for the size of the shared part. 0: out of memory */
static int cti_repair_choose(cti_state *s, const cti_repair_bodies *q, cti_v3 *out_n, ct_real *out_depth, int *out_local)
{
    const cti_surface *f = &s->surface;
    uint64_t a = f->bodies[q->a].id, b = f->bodies[q->b].id;
    ct_real best = CTI_REAL_MAX, size = CTI_REAL_MAX;
    int i, k, at = 0;
    cti_way *old = NULL, way;
    for (k = 0; k < CTI_LEN(s->contact.ways); k++)
        if (s->contact.ways[k].a == a && s->contact.ways[k].b == b)
            old = &s->contact.ways[k];
    for (i = 0; i < q->n; i++) {
        ct_real d = cti_repair_way_out(f, q, i);
        size = cti_min(size, q->hi[i] - q->lo[i]);
        /* the old direction is preferred by a factor, so that small changes do not switch directions */
        if (old && cti_v3_dot(old->normal, q->ways[i]) > cti_step_tuned.repair.same)
            d /= cti_step_tuned.repair.keep;
        if (d < best)
            best = d, at = i;
    }
    best = cti_repair_way_out(f, q, at);
    *out_n = q->ways[at], *out_depth = best;
    *out_local = q->inside > 0 && best > cti_step_tuned.repair.local * (size + f->bodies[q->a].thickness);
    way.a = a, way.b = b, way.normal = q->ways[at], way.depth = best;
    if (old) {
        *old = way;
        return 1;
    }
    return CTI_PUSH(s->mem, s->contact.ways, way);
}

/* where the ray from vertex v along n first leaves a body: weights of the face; returns the distance, or < 0 */
static ct_real cti_repair_ray(const cti_surface *f, int v, cti_v3 n, int body, cti_pair *out)
{
    cti_v3 p = cti_v3_at(f->x0, v);
    ct_real best = -1;
    int i;
    for (i = f->ranges[body].f0; i < f->ranges[body].f1; i++) {
        const int32_t *t = f->faces + 3 * (size_t)i;
        cti_v3 o = cti_v3_at(f->x0, t[0]), e1 = cti_v3_sub(cti_v3_at(f->x0, t[1]), o), e2 = cti_v3_sub(cti_v3_at(f->x0, t[2]), o);
        cti_v3 h = cti_v3_cross(n, e2), r = cti_v3_sub(p, o), q = cti_v3_cross(r, e1);
        ct_real det = cti_v3_dot(e1, h), u = cti_v3_dot(r, h), w = cti_v3_dot(n, q), d = cti_v3_dot(e2, q);
        if (det < 0)
            det = -det, u = -u, w = -w, d = -d;
        if (!(det > 0) || u < 0 || w < 0 || u + w > det || !(d > 0) || (best >= 0 && d >= best * det))
            continue;
        best = d / det;
        cti_pair_make(f, CT_PAIR_VF, v, i, out);
        out->w[0] = 1, out->w[1] = u / det + w / det - 1, out->w[2] = -u / det, out->w[3] = -w / det;
    }
    return best;
}

/* the nearest point of a body's faces: weights, distance, direction from v to it */
static ct_real cti_repair_nearest(const cti_surface *f, int v, int body, cti_pair *out, cti_v3 *out_n)
{
    ct_real best = CTI_REAL_MAX;
    int i, feature;
    for (i = f->ranges[body].f0; i < f->ranges[body].f1; i++) {
        cti_pair pair;
        ct_real d;
        cti_pair_make(f, CT_PAIR_VF, v, i, &pair);
        d = cti_pair_closest(f, f->x0, &pair, &feature);
        if (d < best)
            best = d, *out = pair;
    }
    *out_n = cti_v3_mul(cti_v3_unit(cti_pair_offset(f, f->x0, out), cti_v3_zero()), -1);
    return best;
}

/* vertices of the first body inside the second: each leaves along n or through the nearest surface */
static int cti_repair_inside(cti_state *s, int body, int solid, cti_v3 n, int local)
{
    const cti_surface *f = &s->surface;
    int i;
    for (i = f->ranges[body].v0; i < f->ranges[body].v1; i++) {
        cti_pair pair;
        cti_v3 to = n;
        ct_real d;
        if (cti_detect_tangle(&s->detect, i, solid) != 2)
            continue;
        d = local ? cti_repair_nearest(f, i, solid, &pair, &to) : cti_repair_ray(f, i, n, solid, &pair);
        if (d > 0 && cti_v3_norm2(to) > 0 && !cti_repair_push(s, &pair, to, d, 0))
            return 0;
    }
    return 1;
}

/* Features of the shared part on the far side have to be able to return: faces of both bodies there are marked as tangled with the other body. The
   box is that of the points on both surfaces and inside, widened */
static int cti_repair_around(cti_state *s, const cti_repair_bodies *q, ct_real depth, uint64_t **marks)
{
    const cti_surface *f = &s->surface;
    ct_real wide = 4 * cti_surface_pair_thickness(f, q->a, q->b) + depth / 4;
    int k, i, j;
    for (k = 0; k < 2; k++) {
        const cti_soup_body *r = &f->ranges[k ? q->b : q->a];
        for (i = r->f0; i < r->f1; i++) {
            const int32_t *t = f->faces + 3 * (size_t)i;
            cti_v3 x = cti_v3_at(f->x0, t[0]), y = cti_v3_at(f->x0, t[1]), z = cti_v3_at(f->x0, t[2]);
            cti_v3 lo = cti_v3_min(x, cti_v3_min(y, z)), hi = cti_v3_max(x, cti_v3_max(y, z));
            /* the first six directions are the axes, each with its opposite */
            if (lo.x > q->hi[0] + wide || hi.x < q->lo[0] - wide || lo.y > q->hi[2] + wide || hi.y < q->lo[2] - wide || lo.z > q->hi[4] + wide ||
                hi.z < q->lo[4] - wide)
                continue;
            for (j = 0; j < 3; j++)
                if (!CTI_PUSH(s->mem, *marks, (uint64_t)(uint32_t)t[j] << 32 | (uint64_t)(uint32_t)(k ? q->a : q->b) << 1))
                    return 0;
        }
    }
    return 1;
}

/* one pair of bodies; done [pairs] marks intersections that need no contour */
static int cti_repair_solids(cti_state *s, int a, int b, uint8_t *done, uint64_t **marks)
{
    const cti_surface *f = &s->surface;
    cti_repair_bodies q;
    cti_v3 n;
    ct_real depth;
    int i, local;
    q.a = a, q.b = b;
    cti_repair_share(s, &q);
    if (!cti_repair_choose(s, &q, &n, &depth, &local) || (!local && !cti_repair_around(s, &q, depth, marks)))
        return 0;
    for (i = 0; !local && i < CTI_LEN(s->contact.tangled_pairs) / 2; i++) {
        int e = s->contact.tangled_pairs[2 * i], face = s->contact.tangled_pairs[2 * i + 1];
        cti_pair pair;
        if (!cti_repair_is_of(f, &q, e, face))
            continue;
        cti_repair_cross(f, e, face, &pair);
        done[i] = 1;
        if (!cti_repair_push(s, &pair, f->body_of[f->edges[2 * e]] == a ? n : cti_v3_mul(n, -1), depth, 0))
            return 0;
    }
    return (!f->bodies[b].solid || cti_repair_inside(s, a, b, n, local)) &&
           (!f->bodies[a].solid || cti_repair_inside(s, b, a, cti_v3_mul(n, -1), local));
}

/* ---- contours ---- */

/* an intersection as a member of its contour: union-find with parity; 1: the edge's side here is the face's side at the parent */
typedef struct cti_repair_point {
    int32_t parent;
    uint8_t turned;
    cti_v3 gradient, sum; /* of this point; of the contour, as seen from the edge of its root */
    ct_real length;       /* of the edge */
    int side_small[2];    /* of the contour: smallest part that is cut off on the side of the root's edge, and on that of its face */
    cti_v3 side_pull[2];  /* along the edges, from the smaller part to the larger */
} cti_repair_point;

/* G of one edge and face */
static cti_v3 cti_repair_gradient(const cti_surface *f, int edge, int face, ct_real *out_length)
{
    cti_v3 n = cti_repair_normal(f, face), p = cti_v3_at(f->x0, f->edges[2 * edge]), d = cti_v3_sub(cti_v3_at(f->x0, f->edges[2 * edge + 1]), p);
    cti_v3 e = cti_v3_unit(d, cti_v3_zero()), g = cti_v3_zero();
    ct_real en = cti_v3_dot(e, n);
    int k, j;
    *out_length = cti_v3_norm(d);
    if (cti_abs(en) < cti_step_tuned.repair.steep)
        en = en < 0 ? -cti_step_tuned.repair.steep : cti_step_tuned.repair.steep;
    for (k = 0; k < 2; k++) {
        int own = f->edge_faces[2 * edge + k];
        cti_v3 r, inward;
        if (own < 0)
            continue;
        for (j = 0; j < 2 && (f->faces[3 * own + j] == f->edges[2 * edge] || f->faces[3 * own + j] == f->edges[2 * edge + 1]); j++) {
        }
        inward = cti_v3_sub(cti_v3_at(f->x0, f->faces[3 * own + j]), p);
        inward = cti_v3_mad(inward, e, -cti_v3_dot(inward, e));
        r = cti_v3_unit(cti_v3_cross(n, cti_repair_normal(f, own)), cti_v3_zero());
        if (cti_v3_dot(r, inward) < 0)
            r = cti_v3_mul(r, -1);
        g = cti_v3_add(g, cti_v3_mad(r, n, -2 * cti_v3_dot(e, r) / en));
    }
    return g;
}

static int32_t cti_repair_root(const cti_repair_point *p, int32_t i, int *turned)
{
    for (*turned = 0; p[i].parent != i; i = p[i].parent)
        *turned ^= p[i].turned;
    return i;
}

/* joins two points of one segment to one contour; turned: the edge of one is on the side of the face of the other */
static void cti_repair_join(cti_repair_point *p, int32_t i, int32_t j, int turned)
{
    int ti, tj;
    int32_t ri = cti_repair_root(p, i, &ti), rj = cti_repair_root(p, j, &tj);
    if (ri == rj)
        return;
    p[ri > rj ? ri : rj].turned = (uint8_t)(ti ^ tj ^ turned);
    p[ri > rj ? ri : rj].parent = ri > rj ? rj : ri;
}

/* segments of contours lie in two faces: points with the same two faces are the ends of one segment. 0: out of memory */
static int cti_repair_link(cti_state *s, cti_repair_point *p, const uint8_t *done)
{
    const cti_surface *f = &s->surface;
    int i, k, m = 0, n = CTI_LEN(s->contact.tangled_pairs) / 2;
    uint64_t *keys = CTI_ARENA_NEW(s->arena, uint64_t, 2 * n + 1), *scratch = CTI_ARENA_NEW(s->arena, uint64_t, 2 * n + 1);
    int32_t *who = CTI_ARENA_NEW(s->arena, int32_t, 4 * n + 1);
    if (!keys || !scratch || !who)
        return 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < 2; k++) {
            const int32_t *pair = s->contact.tangled_pairs + 2 * (size_t)i;
            int own = f->edge_faces[2 * pair[0] + k], face = pair[1], low = cti_min_int(own, face);
            if (own < 0 || done[i])
                continue;
            keys[m] = (uint64_t)(uint32_t)low << 32 | (uint32_t)cti_max_int(own, face);
            who[m++] = 2 * i + (low == face); /* 1: the edge is on the side of the face with the higher number */
        }
    cti_sort_u64(keys, who, scratch, who + 2 * n, m);
    for (i = 1; i < m; i++)
        if (keys[i] == keys[i - 1])
            cti_repair_join(p, who[i - 1] / 2, who[i] / 2, (who[i - 1] ^ who[i]) & 1);
    return 1;
}

/* the parts into which the intersecting edges cut the surfaces: part [nv], and the number of vertices of each at its root. 0: out of memory */
static int cti_repair_cut(cti_state *s, const uint8_t *done, int32_t **out_part, int32_t **out_size)
{
    const cti_surface *f = &s->surface;
    int32_t *part = CTI_ARENA_NEW(s->arena, int32_t, f->nv), *size = CTI_ARENA_ZERO(s->arena, int32_t, f->nv);
    uint8_t *cut = CTI_ARENA_ZERO(s->arena, uint8_t, f->ne);
    int i;
    if (!part || !size || !cut)
        return 0;
    for (i = 0; i < CTI_LEN(s->contact.tangled_pairs) / 2; i++)
        cut[s->contact.tangled_pairs[2 * i]] = (uint8_t)(cut[s->contact.tangled_pairs[2 * i]] | !done[i]);
    cti_sets_init(part, f->nv);
    for (i = 0; i < f->ne; i++)
        if (!cut[i])
            cti_sets_join(part, f->edges[2 * i], f->edges[2 * i + 1]);
    for (i = 0; i < f->nv; i++) {
        part[i] = part[part[i]]; /* a root is the smallest vertex of its part, so that all smaller vertices are flattened already */
        size[part[i]]++;
    }
    *out_part = part, *out_size = size;
    return 1;
}

/* Of the parts that a contour cuts off, the smaller one is on the wrong side: its edges are pulled back through. The side of the contour
   that cuts off less decides */
static int cti_repair_pull(cti_state *s, cti_repair_point *p, const uint8_t *done)
{
    const cti_surface *f = &s->surface;
    int32_t *part, *size;
    int i, turned, n = CTI_LEN(s->contact.tangled_pairs) / 2;
    if (!cti_repair_cut(s, done, &part, &size))
        return 0;
    for (i = 0; i < n; i++)
        p[i].side_small[0] = p[i].side_small[1] = INT32_MAX;
    for (i = 0; i < n; i++) {
        const int32_t *e = f->edges + 2 * (size_t)s->contact.tangled_pairs[2 * i];
        int32_t root = cti_repair_root(p, i, &turned), a = size[part[e[0]]], b = size[part[e[1]]];
        cti_v3 d = cti_v3_unit(cti_v3_sub(cti_v3_at(f->x0, e[1]), cti_v3_at(f->x0, e[0])), cti_v3_zero());
        if (done[i] || part[e[0]] == part[e[1]] || a == b)
            continue;
        p[root].side_small[turned] = cti_min_int(p[root].side_small[turned], cti_min_int(a, b));
        p[root].side_pull[turned] = cti_v3_mad(p[root].side_pull[turned], d, a < b ? 1 : -1);
    }
    for (i = 0; i < n; i++)
        if (p[i].parent == i && cti_min_int(p[i].side_small[0], p[i].side_small[1]) < INT32_MAX) {
            int side = p[i].side_small[1] < p[i].side_small[0];
            if (cti_v3_norm2(p[i].side_pull[side]) > cti_step_tuned.repair.pull)
                p[i].sum = cti_v3_mul(p[i].side_pull[side], side ? -1 : 1);
        }
    return 1;
}

/* all intersections that are not done: along the sum of their contour, or along their own gradient if the sum has no direction */
static int cti_repair_contours(cti_state *s, const uint8_t *done)
{
    const cti_surface *f = &s->surface;
    int i, turned, n = CTI_LEN(s->contact.tangled_pairs) / 2;
    cti_repair_point *p = CTI_ARENA_ZERO(s->arena, cti_repair_point, n);
    if (n && !p)
        return 0;
    for (i = 0; i < n; i++) {
        p[i].parent = i;
        p[i].gradient = cti_repair_gradient(f, s->contact.tangled_pairs[2 * i], s->contact.tangled_pairs[2 * i + 1], &p[i].length);
    }
    if (!cti_repair_link(s, p, done))
        return 0;
    for (i = 0; i < n; i++) {
        int32_t root = cti_repair_root(p, i, &turned);
        p[root].sum = cti_v3_mad(p[root].sum, p[i].gradient, turned ? -1 : 1);
    }
    if (!cti_repair_pull(s, p, done))
        return 0;
    for (i = 0; i < n; i++) {
        int32_t root = cti_repair_root(p, i, &turned);
        cti_v3 g = cti_v3_mul(p[root].sum, turned ? -1 : 1);
        cti_pair pair;
        if (done[i])
            continue;
        if (cti_v3_norm2(g) < cti_step_tuned.repair.even)
            g = p[i].gradient;
        if (cti_v3_norm2(g) < cti_step_tuned.repair.even)
            continue;
        cti_repair_cross(f, s->contact.tangled_pairs[2 * i], s->contact.tangled_pairs[2 * i + 1], &pair);
        if (!cti_repair_push(s, &pair, cti_v3_unit(g, cti_v3_zero()), p[i].length / 2, 1))
            return 0;
    }
    return 1;
}

/* ---- both ---- */

/* pairs of bodies, the lower first, with a shared part, of which at least one is a solid. 0: out of memory */
static int cti_repair_list(cti_state *s, uint64_t **out)
{
    const cti_surface *f = &s->surface;
    int i, n = 0;
    uint64_t *scratch;
    for (i = 0; i < CTI_LEN(s->detect.tangles); i++) {
        int a = f->body_of[s->detect.tangles[i] >> 32], b = (int)((uint32_t)s->detect.tangles[i] >> 1);
        if (a == b || f->ranges[b].v0 == f->ranges[b].v1 || (!f->bodies[a].solid && !f->bodies[b].solid))
            continue;
        n++;
        if (!CTI_PUSH(s->mem, *out, (uint64_t)(uint32_t)cti_min_int(a, b) << 32 | (uint32_t)cti_max_int(a, b)))
            return 0;
    }
    scratch = CTI_ARENA_NEW(s->arena, uint64_t, n);
    if (n && !scratch)
        return 0;
    cti_sort_u64(*out, NULL, scratch, NULL, n);
    if (n)
        stbds_header(*out)->length = (size_t)cti_sort_unique_u64(*out, NULL, n);
    return 1;
}

/* vertices behind planes. 0: out of memory */
static int cti_repair_planes(cti_state *s)
{
    const cti_surface *f = &s->surface;
    int i, k, feature;
    for (k = 0; k < f->n_planes; k++)
        for (i = 0; i < f->nv; i++) {
            cti_pair pair;
            if (cti_detect_tangle(&s->detect, i, f->planes[k].body) != 2)
                continue;
            cti_pair_make(f, CT_PAIR_PLANE, i, k, &pair);
            pair.w[0] = 1;
            if (!cti_repair_push(s, &pair, cti_v3_at(f->planes[k].normal, 0), -cti_pair_closest(f, f->x0, &pair, &feature), 0))
                return 0;
        }
    return 1;
}

CTI_FN int cti_repair_find(cti_state *s, uint64_t **marks)
{
    uint8_t *done = CTI_ARENA_ZERO(s->arena, uint8_t, CTI_LEN(s->contact.tangled_pairs) / 2 + 1);
    uint64_t *bodies = NULL;
    int i, ok;
    CTI_CLEAR(s->contact.repairs);
    ok = done && cti_repair_list(s, &bodies);
    for (i = 0; ok && i < CTI_LEN(bodies); i++)
        ok = cti_repair_solids(s, (int)(bodies[i] >> 32), (int)(uint32_t)bodies[i], done, marks);
    ok = ok && cti_repair_contours(s, done) && cti_repair_planes(s);
    CTI_FREE(s->mem, bodies);
    return ok;
}

/* an edge and a face that depend on more blocks than a row has terms: the nearer end represents the edge */
static void cti_repair_fit(const cti_surface *f, cti_pair *pair)
{
    int k, n = 0, nearer = pair->w[1] > pair->w[0];
    for (k = 0; k < pair->n; k++)
        n += cti_surface_attach(f, pair->v[k])->n;
    if (n <= CTI_ROW_TERMS || pair->n < 5)
        return;
    pair->v[0] = pair->v[nearer], pair->w[0] = 1;
    for (k = 1; k < 4; k++)
        pair->v[k] = pair->v[k + 1], pair->w[k] = pair->w[k + 1];
    pair->kind = (int32_t)CT_PAIR_VF;
    pair->n_a = 1, pair->n = 4;
}

/* rows on the same rigid body add up, so each is softened by their number. rows [bodies]; 0: out of memory */
static int32_t *cti_repair_crowds(cti_state *s)
{
    const cti_surface *f = &s->surface;
    int32_t *rows = CTI_ARENA_ZERO(s->arena, int32_t, f->n_bodies + 1);
    int i;
    for (i = 0; rows && i < CTI_LEN(s->contact.repairs); i++) {
        const cti_pair *p = &s->contact.repairs[i].pair;
        rows[cti_pair_body_a(f, p)] += cti_surface_attach(f, p->v[0])->frame >= 0;
        if (p->n > p->n_a)
            rows[f->body_of[p->v[p->n_a]]] += cti_surface_attach(f, p->v[p->n_a])->frame >= 0;
    }
    return rows;
}

/* response of the nodes to an impulse by their own blocks of A, relative to that by their masses. Stiff nodes respond less, so that
   their rows get less compliance */
static ct_real cti_repair_stiffer(const cti_row_context *c, const cti_row *row)
{
    ct_real soft = 0, own = 0;
    int k;
    for (k = 0; k < row->n; k++) {
        const ct_real *D = c->A->val + 9 * (size_t)c->A->diag[row->term[k].block];
        ct_real w2 = row->term[k].weight * row->term[k].weight, trace = D[0] + D[4] + D[8];
        soft += w2 * c->inv_mass[row->term[k].block];
        own += trace > 0 ? 3 * w2 / trace : 0;
    }
    return soft > 0 && own > 0 ? cti_min(1, own / soft) : 1;
}

/* response of the row to a unit impulse along n, by the blocks' masses: softness of a row whose end is already on the right side */
static ct_real cti_repair_softness(const cti_row_context *c, const cti_row *row, cti_v3 n)
{
    ct_real soft = 0;
    int k;
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        soft += cti_v3_dot(cti_rows_answer(c, t, n), cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), n), n, t->weight));
    }
    return soft;
}

CTI_FN int cti_repair_rows(cti_state *s, const cti_row_context *c)
{
    int32_t *crowds = s->detect.n_tangled ? cti_repair_crowds(s) : NULL;
    int i, crowd;
    if (s->detect.n_tangled && !crowds)
        return 0;
    for (i = 0; s->detect.n_tangled && i < CTI_LEN(s->contact.repairs); i++) {
        cti_repair r = s->contact.repairs[i];
        cti_row row;
        cti_contact_row origin;
        cti_repair_fit(&s->surface, &r.pair);
        if (!cti_rows_build(c, &r.pair, r.normal, 0, 1, 0, &row, &origin))
            continue;
        /* lambda >= (recover - u_n) / softness and nothing else: a hard law with the same compliance requires less */
        row.mu = 0;
        row.w[0] -= origin.base[0];
        origin.base[0] = origin.base[1] = origin.base[2] = 0;
        crowd = cti_max_int(crowds[cti_pair_body_a(&s->surface, &r.pair)], crowds[cti_pair_body_b(&s->surface, &r.pair)]);
        if (row.softness == 0)
            row.softness = cti_repair_softness(c, &row, r.normal);
        row.softness *= cti_repair_stiffer(c, &row) * (crowd    ? cti_step_tuned.repair.rigid * (ct_real)crowd
                                                       : r.soft ? cti_step_tuned.repair.soft
                                                                : cti_step_tuned.repair.stiff);
        row.compliance[0] = row.softness;
        row.recover = (r.depth + cti_step_tuned.repair.past * origin.thickness) / cti_max(cti_step_tuned.repair.time, 2 * c->dt);
        if (c->recovery_speed > 0)
            row.recover = cti_min(row.recover, c->recovery_speed);
        if (!(row.softness > 0))
            continue;
        origin.repair = origin.is_unsolved = 1;
        if (!CTI_PUSH(s->mem, s->contact.rows, row))
            return 0;
        if (!CTI_PUSH(s->mem, s->contact.origins, origin)) {
            stbds_header(s->contact.rows)->length--;
            return 0;
        }
    }
    return 1;
}
