/* detect.c -- from the trees' candidates to near pairs and collisions.
   Method: one query covers the motion with a slack. Its lists serve all rounds of a step, and later steps until a vertex leaves the covered
   boxes. Distances at the start are computed in batches. CCD keeps a positive separation, so that every pair has a normal at its time of
   impact. Rows are culled, candidates never. A feature shared by several faces is represented by one of them, its owner. End points of
   edges are left to vertex-face pairs, where there are faces, and flat edges to flats.c and to CCD. Based on: Otaduy 2009, sec. 3.2 and 4. */
#include "detect.h"
#include "../0_base/sort.h"
#include "../4_geom/dist.h"

#define CTI_DETECT_TRUST CTI_R(4)    /* [thickness] farthest pair that gets a row, when the free motion would close its gap */
#define CTI_DETECT_SLACK CTI_R(0.5) /* [thickness] flat edges that are nearer get a row */
#define CTI_DETECT_CONE CTI_R(0.02)  /* [sine] angle by which a direction may leave a feature's normal cone */
/* [sine] angle between the sides of a valley, from which on a vertex has rows against both. With 0.06 S1 at 1/60 s ends 18 of 180 steps on the
   sweep budget, not 2. In flatter valleys a vertex may jump by this share of its speed */
#define CTI_DETECT_SHALLOW CTI_R(0.3)
/* [thickness] a body that moves farther in a step gets separate boxes for start and end, for which a motion that both share does not count. With 4
   S1 at 1/60 s took 1.1 times as long */
#define CTI_DETECT_FAST CTI_R(8)
#define CTI_DETECT_LAST CTI_R(1)     /* [thickness a step] motion up to which lists are made to last for several steps */
#define CTI_DETECT_NEAR_US 0.1 /* [us] the estimated time of a pair that may be near */
#define CTI_DETECT_FLAT CTI_R(0.995) /* [cosine] between the normals of the two faces, above which an edge is flat */

CTI_FN void cti_hits_take(cti_hit *hits, const uint8_t *keep)
{
    int i, k = 0, n = CTI_LEN(hits);
    for (i = 0; i < n; i++)
        if (keep[i])
            hits[k++] = hits[i];
    if (hits)
        stbds_header(hits)->length = (size_t)k;
}

CTI_FN void cti_detect_free(cti_mem *mem, cti_detect *d)
{
    cti_own own = d->own;
    cti_candidates_free(mem, &d->vf);
    cti_candidates_free(mem, &d->ee);
    CTI_FREE_SPAN(mem, d->ve, d->vv);
    CTI_FREE_SPAN(mem, d->others[0], d->spare[CTI_OWN_KINDS - 1]);
    CTI_FREE_SPAN(mem, d->room.from, d->room.bodies);
    CTI_FREE_SPAN(mem, d->measured, d->tangles);
    memset(d, 0, sizeof *d);
    d->own = own, d->own.moved = 1;
}

/* largest displacement of any coordinate of the body */
static ct_real cti_detect_way(const cti_surface *s, int body, const ct_real *x1)
{
    const cti_soup_body *r = &s->ranges[body];
    ct_real big = 0;
    int i;
    for (i = 3 * r->v0; s->bodies[body].moves && i < 3 * r->v1; i++)
        big = cti_max(big, cti_abs(x1[i] - s->x0[i]));
    return big;
}

/* 1 when all motion is slow enough for the lists to last several steps. They end with the first vertex that leaves its room, and the room
   of scripted bodies covers no more than the motion of this step */
static int cti_detect_lasts(const cti_surface *s, const ct_real *x1)
{
    int b;
    for (b = 0; b < s->n_bodies; b++)
        if (cti_detect_way(s, b, x1) > (s->bodies[b].dynamic ? CTI_DETECT_LAST * s->bodies[b].thickness : 0))
            return 0;
    return 1;
}

/* The room that the lists will cover. A body is slow up to CTI_DETECT_FAST; a contact that stops a fast one makes a new query. The slack is half the
   thickness, or a quarter of a slow motion, and twice the thickness where later steps may use the lists */
static void cti_detect_room(cti_detect *d, cti_surface *s, int body, const ct_real *x1, int lasts)
{
    cti_room_body how;
    ct_real big = cti_detect_way(s, body, x1), h = s->bodies[body].thickness, least = lasts ? 2 * h : h / 2;
    how.swept = big <= CTI_DETECT_FAST * h;
    how.slack = !s->bodies[body].dynamic ? 0 : how.swept ? cti_max(least, big / 4) : least;
    cti_room_set(&d->room, s, body, x1, how, CTI_DETECT_REACH * h);
}

CTI_FN void cti_detect_still(cti_surface *s)
{
    int b;
    for (b = 0; b < s->n_bodies; b++)
        if (!s->bodies[b].moves)
            s->ranges[b].swept = CTI_SWEPT_BOX, s->ranges[b].inflate = CTI_DETECT_REACH / 2 * s->bodies[b].thickness;
}

/* leaves only pairs of bodies that the last query's room no longer holds */
static void cti_detect_take_left(cti_broad *broad, const uint8_t *left)
{
    int i, n = 0;
    int32_t *pair = broad->body_pairs;
    for (i = 0; i < CTI_LEN(pair); i += 2)
        if (left[pair[i]] | left[pair[i + 1]])
            pair[n] = pair[i], pair[n + 1] = pair[i + 1], n += 2;
    if (pair)
        stbds_header(pair)->length = (size_t)n;
}

/* finds the pairs of two bodies of which one has left its room, and keeps the others */
static int cti_detect_others(cti_mem *mem, cti_detect *d, cti_surface *s, const ct_real *x1)
{
    int b, k, ok, lasts = cti_detect_lasts(s, x1);
    int32_t **list = d->own.fresh;
    if (!cti_room_reserve(mem, &d->room, s))
        return 0;
    for (b = 0; b < s->n_bodies; b++) {
        ct_real h = s->bodies[b].thickness;
        if (!s->bodies[b].moves)
            continue;
        d->left[b] |= !lasts && s->bodies[b].dynamic && d->room.bodies[b].slack >= 2 * h; /* a room that was made to last */
        if (d->left[b])
            cti_detect_room(d, s, b, x1, lasts);
        else
            cti_room_show(&d->room, s, b, CTI_DETECT_REACH * h);
    }
    cti_room_swap(&d->room, s, d->left, 0);
    s->broad.others = 1;
    ok = cti_broad_update(mem, &s->broad, &s->soup, s->x0, s->x1);
    cti_detect_take_left(&s->broad, d->left);
    ok = ok && cti_broad_pairs(mem, &s->broad, &s->soup, &list[CTI_OWN_VF], &list[CTI_OWN_EE], &list[CTI_OWN_VE], &list[CTI_OWN_VV]);
    s->broad.others = 0;
    cti_room_swap(&d->room, s, d->left, 0);
    for (k = 0; k < CTI_OWN_KINDS && ok; k++) {
        int32_t *old = d->others[k];
        ok = cti_own_merge(mem, s, k, old, d->left, list[k], &d->spare[k]);
        d->others[k] = d->spare[k], d->spare[k] = old;
    }
    return ok;
}

CTI_FN int cti_detect_cover(cti_mem *mem, cti_detect *d, cti_surface *s, const ct_real *x1, int *out_changed)
{
    int32_t **list[CTI_OWN_KINDS];
    int k, n_left, stale;
    *out_changed = 0;
    if (!CTI_RESIZE(mem, d->left, s->n_bodies))
        return 0;
    if (!d->valid)
        d->room.version = s->soup.version - 1; /* none of its rooms is of this surface */
    n_left = cti_room_left(&d->room, s, x1, d->left), stale = cti_own_stale(mem, &d->own, s, x1);
    if (n_left == 0 && stale == 0)
        return 1;
    d->is_measured = d->valid = 0;
    if (stale < 0 || !CTI_RESIZE(mem, d->tangled, s->nv) || !CTI_RESIZE(mem, d->measured, 3 * s->n_moving) ||
        (stale && !cti_own_renew(mem, &d->own, s, x1, CTI_DETECT_NEAR, CTI_DETECT_FAST)) || (n_left && !cti_detect_others(mem, d, s, x1)))
        return 0;
    list[CTI_OWN_VF] = &d->vf.pairs, list[CTI_OWN_EE] = &d->ee.pairs, list[CTI_OWN_VE] = &d->ve, list[CTI_OWN_VV] = &d->vv;
    for (k = 0; k < CTI_OWN_KINDS; k++)
        if (!cti_own_merge(mem, s, k, d->own.found[k], NULL, d->others[k], list[k]))
            return 0;
    d->vf.kind = CT_PAIR_VF, d->ee.kind = CT_PAIR_EE;
    if (!cti_candidates_complete(mem, &d->vf, s, NULL) || !cti_candidates_complete(mem, &d->ee, s, NULL))
        return 0;
    d->valid = 1;
    d->n_queries++;
    *out_changed = 1;
    return 1;
}

/* 1: what moves is where the distances were measured */
static int cti_detect_stays(const cti_detect *d, const cti_surface *s)
{
    int k, stays = d->is_measured;
    for (k = 0; k < CTI_LEN(s->runs) && stays; k += 3)
        stays = memcmp(d->measured + 3 * (size_t)s->runs[k + 2], s->x0 + 3 * (size_t)s->runs[k],
                       3 * sizeof *s->x0 * (size_t)(s->runs[k + 1] - s->runs[k])) == 0;
    return stays;
}

CTI_FN void cti_detect_distances(cti_detect *d, const cti_surface *s)
{
    int k;
    if (cti_detect_stays(d, s))
        return;
    cti_candidates_measure(&d->vf, s, s->x0);
    cti_candidates_measure(&d->ee, s, s->x0);
    for (k = 0; k < CTI_LEN(s->runs); k += 3)
        memcpy(d->measured + 3 * (size_t)s->runs[k + 2], s->x0 + 3 * (size_t)s->runs[k],
               3 * sizeof *s->x0 * (size_t)(s->runs[k + 1] - s->runs[k]));
    d->is_measured = 1;
}

CTI_FN int cti_detect_tangle(const cti_detect *d, int vertex, int body)
{
    uint64_t key = (uint64_t)(uint32_t)vertex << 32 | (uint64_t)(uint32_t)body << 1;
    int lo;
    if (d->n_tangled == 0 || !d->tangled[vertex])
        return 0;
    lo = cti_sort_lower_u64(d->tangles, CTI_LEN(d->tangles), key);
    if (lo >= CTI_LEN(d->tangles) || (d->tangles[lo] | 1) != (key | 1))
        return 0;
    return (d->tangles[lo] & 1) || (lo + 1 < CTI_LEN(d->tangles) && d->tangles[lo + 1] == (key | 1)) ? 2 : 1;
}

CTI_FN int cti_detect_is_tangled(const cti_detect *d, const cti_surface *s, const int32_t *v, int n_a, int n)
{
    int k, worst_a = 0, worst_b = 0, any = 0, a, b;
    if (d->n_tangled == 0)
        return 0;
    for (k = 0; k < n; k++)
        any |= d->tangled[v[k]];
    if (!any)
        return 0;
    a = s->body_of[v[0]], b = s->body_of[v[n_a]];
    for (k = 0; k < n_a; k++)
        worst_a = cti_max_int(worst_a, cti_detect_tangle(d, v[k], b));
    for (k = n_a; k < n; k++)
        worst_b = cti_max_int(worst_b, cti_detect_tangle(d, v[k], a));
    return worst_a == 2 || worst_b == 2 || (worst_a && worst_b);
}

/* ---- near pairs ---- */

/* a flat edge has two faces, nearly in one plane */
CTI_FN int cti_detect_flat(const cti_surface *s, int e)
{
    int f0 = s->edge_faces[2 * e], f1 = s->edge_faces[2 * e + 1];
    if (f0 < 0 || f1 < 0)
        return 0;
    return cti_v3_dot(cti_surface_normal(s, s->x0, f0, cti_v3_zero()), cti_surface_normal(s, s->x0, f1, cti_v3_zero())) > CTI_DETECT_FLAT;
}

CTI_FN ct_real cti_detect_keep(const cti_surface *s, const cti_pair *pair)
{
    int rigid = cti_surface_attach(s, pair->v[0])->frame >= 0 || cti_surface_attach(s, pair->v[pair->n_a])->frame >= 0;
    return (rigid ? CTI_DETECT_KEEP_RIGID : CTI_DETECT_KEEP) * cti_pair_thickness(s, pair);
}

/* 1 when vertex v is one of other [2]; -1: none */
static int cti_detect_is_one(int32_t v, const int32_t *other) { return v == other[0] || v == other[1]; }

CTI_FN int cti_detect_edge_cone(const cti_surface *s, int e, cti_v3 n, const int32_t *other)
{
    int k;
    for (k = 0; k < 2; k++) {
        int32_t tip;
        ct_real foot;
        cti_v3 in;
        if (s->edge_faces[2 * e + k] < 0)
            continue;
        in = cti_surface_across(s, s->edge_faces[2 * e + k], e, &tip, &foot);
        if (!cti_detect_is_one(tip, other) && cti_v3_dot(n, cti_v3_unit(in, cti_v3_zero())) > CTI_DETECT_CONE)
            return 0;
    }
    return 1;
}

/* 1 when vertex v is the point of its neighbourhood nearest to the feature of vertices other [2], which lies off it in the unit direction
   n: no edge at v leads nearer */
static int cti_detect_vertex_cone(const cti_surface *s, int v, cti_v3 n, const int32_t *other)
{
    int k;
    cti_v3 x = cti_v3_at(s->x0, v);
    for (k = s->vertex_start[v]; k < s->vertex_start[v + 1]; k++)
        if (!cti_detect_is_one(s->vertex_next[k], other) &&
            cti_v3_dot(n, cti_v3_unit(cti_v3_sub(cti_v3_at(s->x0, s->vertex_next[k]), x), cti_v3_zero())) > CTI_DETECT_CONE)
            return 0;
    return 1;
}

/* 1 for a ghost contact. A vertex against an edge or a vertex of a face makes a row only when each is the nearest point of its
   neighbourhood to the other. An edge that slides over the inside of a flat mesh has no such vertex, and must not be stopped by the mesh's
   inner edges */
static int cti_detect_is_ghost(const cti_surface *s, const cti_pair *pair, int edge_b, cti_v3 n)
{
    int32_t a[2] = {-1, -1}, b[2] = {-1, -1};
    int k;
    a[0] = pair->v[0];
    if (edge_b >= 0)
        return !cti_detect_edge_cone(s, edge_b, n, a) || !cti_detect_vertex_cone(s, a[0], cti_v3_mul(n, -1), s->edges + 2 * (size_t)edge_b);
    for (k = 1; k < pair->n; k++)
        if (pair->w[k] == -1) {
            b[0] = pair->v[k];
            return !cti_detect_vertex_cone(s, b[0], n, a) || !cti_detect_vertex_cone(s, a[0], cti_v3_mul(n, -1), b);
        }
    return 0;
}

CTI_FN int cti_detect_is_owner(const cti_surface *s, int face, int feature)
{
    if (feature == 6)
        return 1;
    if (feature < 3 || s->face_edges[3 * face + feature - 3] < 0) /* a side without an edge is a vertex that is listed twice */
        return s->vertex_owner[s->faces[3 * face + feature % 3]] == face;
    return s->edge_owner[s->face_edges[3 * face + feature - 3]] == face;
}

/* A direction for two points in one place, as from v[1] to v[0]: that between two places which are the points' own, so that any number of points have
   an arrangement in space to part into. Places are of the additive sequence of Roberts, The unreasonable effectiveness of quasirandom sequences,
   2018 (in three dimensions, in units of 2^-32) */
static cti_v3 cti_detect_parting(const int32_t *v)
{
    static const uint32_t step[3] = {3518319155u, 2882110345u, 2360945575u};
    ct_real off[3];
    int k;
    for (k = 0; k < 3; k++)
        off[k] = (ct_real)((double)((uint32_t)v[0] * step[k]) - (double)((uint32_t)v[1] * step[k]));
    return cti_v3_at(off, 0);
}

/* 1 for two points that no edge has, in one place */
static int cti_detect_coincide(const cti_surface *s, const cti_pair *pair, ct_real dist)
{
    int k, loose = pair->kind == CT_PAIR_VV && !(dist > 0);
    for (k = 0; loose && k < 2; k++)
        loose = s->vertex_start[pair->v[k]] == s->vertex_start[pair->v[k] + 1];
    return loose;
}

/* completes *hit, whose pair is given. 1 when the pair is near, or will be, and its direction lies in the normal cones of the edges that it
   is on (-1: on none) */
static int cti_detect_is_near(const cti_surface *s, const ct_real *x1, const cti_memory *memory, int edge_a, int edge_b, ct_real dist,
                              cti_hit *hit)
{
    const cti_pair *pair = &hit->pair;
    int loaded = 0;
    ct_real h = cti_pair_thickness(s, pair);
    if (dist > CTI_DETECT_TRUST * h)
        return 0;
    hit->toi = 0, hit->flat = 0, hit->before = 0, hit->keep = 0;
    if (pair->kind == CT_PAIR_PLANE)
        hit->normal = cti_v3_at(s->planes[pair->plane].normal, 0);
    else {
        hit->normal = cti_detect_coincide(s, pair, dist) ? cti_v3_unit(cti_detect_parting(pair->v), cti_v3_zero())
                                                       : cti_pair_normal(s, s->x0, pair, cti_v3_zero());
        if (!(cti_v3_norm2(hit->normal) > 0))
            return 0;
    }
    if (memory && pair->kind != CT_PAIR_PLANE)
        loaded = cti_memory_find(memory, cti_pair_key(s, pair)) != NULL;
    if (!loaded && pair->kind == CT_PAIR_EE &&
        (!cti_detect_edge_cone(s, edge_b, hit->normal, pair->v) || !cti_detect_edge_cone(s, edge_a, cti_v3_mul(hit->normal, -1), pair->v + 2)))
        return 0;
    if (!loaded && pair->n_a == 1 && pair->n > 1 && dist > h / 2 && cti_detect_is_ghost(s, pair, edge_b, hit->normal))
        return 0;
    if (!loaded && dist > CTI_DETECT_NEAR * h && (pair->kind == CT_PAIR_EE || pair->kind == CT_PAIR_VF) && !cti_pair_is_inside(pair))
        return 0;
    if (!(dist > CTI_DETECT_NEAR * h))
        return 1;
    if (cti_v3_dot(hit->normal, cti_pair_offset(s, x1, pair)) > h)
        return 0;
    if (pair->kind == CT_PAIR_PLANE)
        return 1;
    h *= cti_pair_body_a(s, pair) == cti_pair_body_b(s, pair) ? CTI_DETECT_NEAR : CTI_DETECT_REACH; /* as near as candidates in any room */
    return cti_vertices_toi(pair->kind, pair->v, pair->n, h, s->x0, x1) <= 1;
}

/* the arguments of a loop over candidates of a list that may be near */
typedef struct cti_detect_nears {
    const cti_detect *d;
    const cti_surface *s;
    const ct_real *x1;
    const cti_memory *memory;
    int edges;
    cti_hit *hits; /* one for each of d->maybe */
} cti_detect_nears;

/* 1 when candidate i of the vertex-face list is near; fills *hit */
static int cti_detect_near_face(const cti_detect_nears *q, int i, cti_hit *hit)
{
    const cti_candidates *l = &q->d->vf;
    const cti_surface *s = q->s;
    cti_pair *pair = &hit->pair;
    int face = l->pairs[2 * i + 1], edge = l->feature[i] >= 3 && l->feature[i] < 6 ? s->face_edges[3 * face + l->feature[i] - 3] : -1;
    ct_real dist = cti_sqrt(l->d2[i]);
    cti_candidates_pair(l, s, i, pair);
    if (cti_pair_valley(s, face, l->feature[i], CTI_DETECT_SHALLOW, pair, &dist))
        edge = -1;
    else if (!cti_detect_is_owner(s, face, l->feature[i]))
        return 0;
    return !cti_detect_is_tangled(q->d, s, l->quads + 4 * (size_t)i, 1, 4) && cti_detect_is_near(s, q->x1, q->memory, -1, edge, dist, hit);
}

/* 1 when an edge of vertex a ends at b */
static int cti_detect_is_joined(const cti_surface *s, int a, int b)
{
    int k;
    for (k = s->vertex_start[a]; k < s->vertex_start[a + 1] && s->vertex_next[k] != b; k++)
        ;
    return k < s->vertex_start[a + 1];
}

/* completes *hit for two vertices of which none has a face. Every pair of their edges leads here and makes the same pair, of which one row comes */
static int cti_detect_near_ends(const cti_surface *s, const ct_real *x1, const cti_memory *memory, int a, int b, cti_hit *hit)
{
    int feature;
    if (cti_detect_is_joined(s, a, b))
        return 0;
    cti_pair_make(s, CT_PAIR_VV, cti_min_int(a, b), cti_max_int(a, b), &hit->pair);
    return cti_detect_is_near(s, x1, memory, -1, -1, cti_pair_closest(s, s->x0, &hit->pair, &feature), hit);
}

/* edges a and b whose closest points are at ends of them. Where a face has the edge, or one of two such ends, a vertex-face pair stands for them;
   at loose edges they are pairs of their own */
static int cti_detect_near_loose(const cti_detect_nears *q, int i, cti_hit *hit)
{
    const cti_surface *s = q->s;
    int feature = q->d->ee.feature[i], edge[2], end[2], k, closest;
    for (k = 0; k < 2; k++, feature /= CTI_DIST_B0) {
        edge[k] = q->d->ee.pairs[2 * i + k];
        end[k] = feature & (CTI_DIST_A0 | CTI_DIST_A1) ? s->edges[2 * edge[k] + (feature & CTI_DIST_A0 ? 0 : 1)] : -1;
    }
    if (end[0] >= 0 && end[1] >= 0)
        return s->vertex_owner[end[0]] < 0 && s->vertex_owner[end[1]] < 0 && cti_detect_near_ends(s, q->x1, q->memory, end[0], end[1], hit);
    k = end[0] >= 0 ? 0 : 1;
    if (s->edge_faces[2 * edge[1 - k]] >= 0)
        return 0;
    cti_pair_make(s, CT_PAIR_VE, end[k], edge[1 - k], &hit->pair);
    return cti_detect_is_near(s, q->x1, q->memory, -1, edge[1 - k], cti_pair_closest(s, s->x0, &hit->pair, &closest), hit);
}

/* the same for the edge-edge list */
static int cti_detect_near_edge(const cti_detect_nears *q, int i, cti_hit *hit)
{
    const cti_candidates *l = &q->d->ee;
    const cti_surface *s = q->s;
    cti_pair *pair = &hit->pair;
    ct_real sep;
    int a = l->pairs[2 * i], b = l->pairs[2 * i + 1], flat;
    if (cti_detect_is_tangled(q->d, s, l->quads + 4 * (size_t)i, 2, 4))
        return 0;
    if (l->feature[i] != 0)
        return (s->edge_faces[2 * a] < 0 || s->edge_faces[2 * b] < 0) && cti_detect_near_loose(q, i, hit);
    cti_candidates_pair(l, s, i, pair);
    /* flat edges are left to CCD, unless they carry load or are nearer than SLACK; sep is at most a quarter of the thickness */
    flat = cti_detect_flat(s, a) || cti_detect_flat(s, b);
    sep = cti_detect_sep(l, i);
    if (sep * sep * (CTI_DETECT_SLACK * CTI_DETECT_SLACK / (CTI_DETECT_SEP * CTI_DETECT_SEP)) < l->d2[i] && flat &&
        !(q->memory && cti_memory_find(q->memory, cti_pair_key(s, pair))))
        return 0;
    if (!cti_detect_is_near(s, q->x1, q->memory, a, b, cti_sqrt(l->d2[i]), hit))
        return 0;
    hit->flat = flat;
    hit->keep = flat ? cti_detect_keep(s, pair) : 0;
    return 1;
}

static void cti_detect_near_range(int begin, int end, int worker, void *context)
{
    const cti_detect_nears *q = (const cti_detect_nears *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        cti_hit *hit = &q->hits[begin];
        int i = q->d->maybe[begin];
        if (!(q->edges ? cti_detect_near_edge(q, i, hit) : cti_detect_near_face(q, i, hit)))
            hit->toi = -1;
    }
}

/* near pairs of the vertex-face or the edge-edge list, in its order */
static int cti_detect_near_list(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, int edges,
                                cti_hit **out)
{
    const cti_candidates *l = edges ? &d->ee : &d->vf;
    cti_detect_nears q;
    int n = cti_candidates_len(l), first = CTI_LEN(*out), end = first, m = 0, i;
    if (!CTI_RESIZE(mem, d->maybe, n))
        return 0;
    for (i = 0; i < n; i++) {
        ct_real trusted = CTI_DETECT_TRUST * l->hat[i];
        if (!(l->d2[i] > trusted * trusted))
            d->maybe[m++] = i;
    }
    if (m == 0)
        return 1;
    if (!CTI_RESIZE(mem, *out, first + m))
        return 0;
    q.d = d, q.s = s, q.x1 = x1, q.memory = memory, q.edges = edges, q.hits = *out + first;
    cti_tasks_run_work(s->soup.tasks, cti_detect_near_range, m, CTI_DETECT_NEAR_US, &q);
    for (i = first; i < first + m; i++)
        if ((*out)[i].toi >= 0)
            (*out)[end++] = (*out)[i];
    return CTI_RESIZE(mem, *out, end);
}

CTI_FN ct_real cti_detect_above(const cti_surface *s, int k, const ct_real *x, int vertex)
{
    return cti_v3_dot(cti_v3_at(s->planes[k].normal, 0), cti_v3_at(x, vertex)) - s->planes[k].offset;
}

/* pairs of loose points with loose edges and with each other. A point next to an edge's end is next to the vertex, which other edges have, too */
static int cti_detect_near_points(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    int i, k, f;
    cti_hit hit;
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? d->vv : d->ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            ct_real dist;
            int is_near;
            cti_pair_make(s, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &hit.pair);
            dist = cti_pair_closest(s, s->x0, &hit.pair, &f);
            if (dist > CTI_DETECT_TRUST * cti_surface_pair_thickness(s, cti_pair_body_a(s, &hit.pair), cti_pair_body_b(s, &hit.pair)) ||
                cti_detect_is_tangled(d, s, hit.pair.v, 1, hit.pair.n))
                continue;
            is_near = !k && f < 2 ? cti_detect_near_ends(s, x1, memory, list[2 * i], hit.pair.v[1 + f], &hit)
                               : cti_detect_is_near(s, x1, memory, -1, k ? -1 : list[2 * i + 1], dist, &hit);
            if (is_near && !CTI_PUSH(mem, *out, hit))
                return 0;
        }
    }
    return 1;
}

/* planes, which are few or cheap */
static int cti_detect_near_planes(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    int i, k;
    cti_hit hit;
    for (k = 0; k < s->n_planes; k++)
        for (i = cti_surface_facing(s, k, 0); i < s->nv; i = cti_surface_facing(s, k, i + 1)) {
            ct_real dist = cti_detect_above(s, k, s->x0, i);
            if (dist > CTI_DETECT_TRUST * cti_surface_pair_thickness(s, s->body_of[i], s->planes[k].body) ||
                cti_detect_tangle(d, i, s->planes[k].body))
                continue;
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &hit.pair);
            hit.pair.w[0] = 1;
            if (cti_detect_is_near(s, x1, memory, -1, -1, dist, &hit) && !CTI_PUSH(mem, *out, hit))
                return 0;
        }
    return 1;
}

CTI_FN int cti_detect_near(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    return cti_detect_near_list(mem, d, s, x1, memory, 0, out) && cti_detect_near_list(mem, d, s, x1, memory, 1, out) &&
           cti_detect_near_points(mem, d, s, x1, memory, out) && cti_detect_near_planes(mem, d, s, x1, memory, out);
}

/* ---- collisions ---- */

/* weights and normal at the time of impact, where the pair is still cti_detect_sep apart */
static int cti_detect_impact(const cti_surface *s, const ct_real *x1, cti_hit *hit)
{
    ct_real local[12];
    cti_pair q = hit->pair;
    cti_surface view = *s;
    int k, feature;
    memset(local, 0, sizeof local);
    for (k = 0; k < q.n; k++) {
        cti_v3 a = cti_v3_at(s->x0, q.v[k]), b = cti_v3_at(x1, q.v[k]);
        cti_v3_put(local, k, cti_v3_mad(a, cti_v3_sub(b, a), hit->toi));
        q.v[k] = k;
    }
    cti_pair_closest(&view, local, &q, &feature);
    for (k = 0; k < q.n; k++)
        hit->pair.w[k] = q.w[k];
    hit->normal = cti_pair_normal(&view, local, &q, cti_v3_unit(cti_pair_offset(s, s->x0, &hit->pair), cti_v3_make(0, 1, 0)));
    return 1;
}

static int cti_detect_collide_list(cti_mem *mem, cti_detect *d, const cti_candidates *l, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    const cti_candidates_way way = {s->x0, x1, CTI_DETECT_SEP, CTI_R(0.5), CTI_REAL_MAX, NULL, d->is_tested ? d->moved : NULL};
    int n = cti_candidates_len(l), i;
    if (!CTI_RESIZE(mem, d->toi, n))
        return 0;
    cti_candidates_meet(l, s, &way, l->d2, d->toi);
    for (i = 0; i < n; i++) {
        cti_hit hit;
        if (d->toi[i] > 1)
            continue;
        if (cti_detect_is_tangled(d, s, l->quads + 4 * (size_t)i, cti_kind_first(l->kind), 4))
            continue;
        cti_pair_make(s, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &hit.pair);
        hit.toi = d->toi[i];
        hit.before = 0;
        hit.flat = l->kind == CT_PAIR_EE && (cti_detect_flat(s, l->pairs[2 * i]) || cti_detect_flat(s, l->pairs[2 * i + 1]));
        hit.keep = hit.flat ? cti_detect_keep(s, &hit.pair) : 0;
        cti_detect_impact(s, x1, &hit);
        if (!CTI_PUSH(mem, *out, hit))
            return 0;
    }
    return 1;
}

/* vertex against plane: the gap is linear in time, so that its value at the end decides */
static int cti_detect_collide_planes(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int i, k;
    for (k = 0; k < s->n_planes; k++)
        for (i = cti_surface_facing(s, k, 0); i < s->nv; i = cti_surface_facing(s, k, i + 1)) {
            cti_hit hit;
            ct_real g0 = cti_detect_above(s, k, s->x0, i), g1 = cti_detect_above(s, k, x1, i),
                    sep = cti_min(CTI_DETECT_SEP * cti_surface_pair_thickness(s, s->body_of[i], s->planes[k].body), g0 / 2);
            if (g1 >= sep || cti_detect_tangle(d, i, s->planes[k].body))
                continue;
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &hit.pair);
            hit.pair.w[0] = 1;
            hit.toi = g0 > g1 ? cti_clamp((g0 - sep) / (g0 - g1), 0, 1) : 0;
            hit.normal = cti_v3_at(s->planes[k].normal, 0);
            hit.flat = 0, hit.before = 0, hit.keep = 0;
            if (!CTI_PUSH(mem, *out, hit))
                return 0;
        }
    return 1;
}

static int cti_detect_collide_thin(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int i, k, f;
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? d->vv : d->ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            cti_hit hit;
            ct_real sep, dist;
            cti_pair_make(s, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &hit.pair);
            dist = cti_pair_closest(s, s->x0, &hit.pair, &f);
            if (cti_detect_coincide(s, &hit.pair, dist)) /* any motion leads apart; the near pair has the direction */
                continue;
            sep = cti_min(CTI_DETECT_SEP * cti_surface_pair_thickness(s, cti_pair_body_a(s, &hit.pair), cti_pair_body_b(s, &hit.pair)), dist / 2);
            hit.toi = cti_vertices_toi(hit.pair.kind, hit.pair.v, hit.pair.n, sep, s->x0, x1);
            if (hit.toi > 1 || cti_detect_is_tangled(d, s, hit.pair.v, hit.pair.n_a, hit.pair.n))
                continue;
            hit.flat = 0, hit.before = 0, hit.keep = 0;
            cti_detect_impact(s, x1, &hit);
            if (!CTI_PUSH(mem, *out, hit))
                return 0;
        }
    }
    return 1;
}

/* marks vertices of which the last test's motion had another end, besides those that it found */
static void cti_detect_mark_moved(cti_detect *d, const cti_surface *s, const ct_real *x1)
{
    int k, v;
    for (k = 0; k < CTI_LEN(s->runs); k += 3) {
        const ct_real *last = d->tested + 3 * (size_t)s->runs[k + 2];
        for (v = s->runs[k]; v < s->runs[k + 1]; v++, last += 3)
            d->moved[v] |= x1[3 * v] != last[0] || x1[3 * v + 1] != last[1] || x1[3 * v + 2] != last[2];
    }
}

/* remembers this test. found [n]: its collisions */
static void cti_detect_remember(cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_hit *found, int n)
{
    int i, k;
    for (k = 0; k < CTI_LEN(s->runs); k += 3)
        memcpy(d->tested + 3 * (size_t)s->runs[k + 2], x1 + 3 * (size_t)s->runs[k], 3 * sizeof *x1 * (size_t)(s->runs[k + 1] - s->runs[k]));
    memset(d->moved, 0, (size_t)s->nv);
    for (i = 0; i < n; i++)
        for (k = 0; k < found[i].pair.n; k++)
            d->moved[found[i].pair.v[k]] = 1;
}

CTI_FN int cti_detect_collisions(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int before = CTI_LEN(*out);
    if (!CTI_RESIZE(mem, d->tested, 3 * s->n_moving) || !CTI_RESIZE(mem, d->moved, s->nv + 1))
        return 0;
    if (d->is_tested)
        cti_detect_mark_moved(d, s, x1);
    if (!cti_detect_collide_list(mem, d, &d->vf, s, x1, out) || !cti_detect_collide_list(mem, d, &d->ee, s, x1, out) ||
        !cti_detect_collide_thin(mem, d, s, x1, out) || !cti_detect_collide_planes(mem, d, s, x1, out))
        return 0;
    cti_detect_remember(d, s, x1, *out + before, CTI_LEN(*out) - before);
    return 1;
}
