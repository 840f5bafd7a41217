/* seams.c -- near pairs that the motion passes.
   Problem: a row's half-space is a tangent plane of the surface around one point. It blocks the way past an edge, although the way is
   clear: a box on flush tiles stops at the edge of the next tile, whose side is buried.
   Method: the free motion is projected on the half-spaces of pairs in a sequence, vertex by vertex, as a sweep of Gauss-Seidel over
   positions with equal masses does. Pairs inside of faces come first, since their direction is the only one that the features allow. Pairs
   at edges and vertices follow, by distance; their directions depend on the place. When the turn of such a pair comes, the motion is the
   one that the pairs before lead. CCD decides whether it passes the pair. A pair that comes too near keeps its row, and so does one that
   would if the motion went on until it has passed. Any other pair gets none. Collisions of a solved motion are treated alike: those behind
   the first ones vanish with them, and a later round finds those that do not.
   Where no pairs lead all vertices of a pair, its motion is not known: the pair gets no row only if it ends apart. A pair that carried load
   needs both. So does a pair inside of a face whose led motion leaves the face: a ball that passes a corner of tiles leaves the plane of
   its slanted face behind. All that is near its vertex must end apart. differs: Otaduy 2009, sec. 4 has a row for every near pair. */
#include "seams.h"
#include "rows.h"
#include "../0_base/sort.h"

/* [thickness] way after which a pair is past: near pairs are no farther apart (CTI_DETECT_TRUST). With one distance of the pair a stack of five
   soft boxes shakes, since ways at 45 degrees to a face seem to pass it */
#define CTI_SEAMS_ON 4
/* [thickness] a pair that the motion brings nearer by less keeps its row, which hardly blocks; with 0 rows at rest come and go with rounding */
#define CTI_SEAMS_SLIGHT CTI_R(1e-4)
#define CTI_SEAMS_ROUNDED 8 /* [ulp of a coordinate] the same, of what rounding makes of a distance: more than that in float */
/* [thickness, or distance where that is less] distance that a passing motion keeps. An edge that is half a thickness high is passed at half of
   it: with 0.9 such an edge takes up to a sixth of a ball's speed */
#define CTI_SEAMS_KEPT CTI_R(0.45)

typedef struct cti_seams {
    const cti_surface *s;
    const ct_real *x1;
    ct_real *x;     /* [3 n_moving] end of the motion that the pairs so far lead; not of rigid bodies */
    ct_real *shift; /* [3 n_bodies] of rigid bodies, from x1 to there */
    uint8_t *led;   /* [n_moving] 1: a vertex of such a pair; of a rigid body, its first vertex stands for all */
    uint8_t *keep;  /* [n] 0: the pair gets no row */
} cti_seams;

static int cti_seams_rigid(const cti_surface *s, int v) { return cti_surface_attach(s, v)->frame >= 0; }

/* place of a vertex among those that may move; -1: it never does */
static int cti_seams_of(const cti_surface *s, int v)
{
    const cti_surface_body *b = &s->bodies[s->body_of[v]];
    return b->moves ? v + b->shift : -1;
}

/* end of the led motion of vertex v. A rigid body moves as a whole; a vertex of a deformable one that no pair has moves as its neighbours do on
   average */
static cti_v3 cti_seams_place(cti_seams *q, int v)
{
    const cti_surface *s = q->s;
    cti_v3 sum = cti_v3_zero();
    int k, n = 0, i = cti_seams_of(s, v);
    if (i < 0)
        return cti_v3_at(q->x1, v);
    if (cti_seams_rigid(s, v))
        return cti_v3_add(cti_v3_at(q->x1, v), cti_v3_at(q->shift, s->body_of[v]));
    for (k = s->vertex_start[v]; !q->led[i] && k < s->vertex_start[v + 1]; k++) {
        int u = s->vertex_next[k], j = cti_seams_of(s, u);
        if (q->led[j])
            sum = cti_v3_add(sum, cti_v3_sub(cti_v3_at(q->x, j), cti_v3_at(q->x1, u))), n++;
    }
    if (n > 0)
        cti_v3_put(q->x, i, cti_v3_mad(cti_v3_at(q->x1, v), sum, 1 / (ct_real)n));
    return cti_v3_at(q->x, i);
}

/* a, b [12] = positions of a pair's vertices at the start and at the end of the led motion; returns the pair with their places there */
static cti_pair cti_seams_view(cti_seams *q, const cti_pair *p, ct_real *a, ct_real *b)
{
    cti_pair view = *p;
    int k;
    for (k = 0; k < p->n; k++) {
        cti_v3_put(a, k, cti_v3_at(q->s->x0, p->v[k]));
        cti_v3_put(b, k, cti_seams_place(q, p->v[k]));
        view.v[k] = k;
    }
    return view;
}

/* distance [m] by which the led motion violates the pair's half-space; below 0: it does not */
static ct_real cti_seams_lacks(cti_seams *q, const cti_hit *hit)
{
    ct_real a[12], b[12], h = cti_pair_thickness(q->s, &hit->pair);
    cti_pair view = cti_seams_view(q, &hit->pair, a, b);
    return cti_min(h, cti_v3_dot(hit->normal, cti_pair_offset(q->s, a, &view))) - cti_v3_dot(hit->normal, cti_pair_offset(q->s, b, &view));
}

/* projects the led motion on the pair's half-space. A rigid body is shifted as a whole */
static void cti_seams_lead(cti_seams *q, const cti_hit *hit)
{
    const cti_pair *p = &hit->pair;
    int k;
    ct_real lacks = cti_seams_lacks(q, hit), sum = 0, w[5];
    for (k = 0; k < p->n; k++) {
        int rigid = cti_seams_rigid(q->s, p->v[k]), first = k == 0 || k == p->n_a;
        w[k] = !q->s->bodies[q->s->body_of[p->v[k]]].dynamic || (rigid && !first) ? 0 : rigid ? (k ? -1 : 1) : p->w[k];
        sum += w[k] * w[k];
    }
    for (k = 0; k < p->n; k++) {
        int rigid = cti_seams_rigid(q->s, p->v[k]);
        if (w[k] == 0)
            continue;
        q->led[cti_seams_of(q->s, rigid ? q->s->ranges[q->s->body_of[p->v[k]]].v0 : p->v[k])] = 1;
        if (lacks > 0)
            cti_v3_addto(rigid ? q->shift : q->x, rigid ? q->s->body_of[p->v[k]] : cti_seams_of(q->s, p->v[k]),
                         cti_v3_mul(hit->normal, lacks * w[k] / sum));
    }
}

/* 1 if pairs lead all vertices of a pair that are not scripted */
static int cti_seams_known(const cti_seams *q, const cti_pair *p)
{
    const cti_surface *s = q->s;
    int k, known = 1;
    for (k = 0; k < p->n; k++) {
        int v = cti_seams_rigid(s, p->v[k]) ? s->ranges[s->body_of[p->v[k]]].v0 : p->v[k];
        known &= !s->bodies[s->body_of[v]].dynamic || q->led[cti_seams_of(s, v)];
    }
    return known;
}

CTI_FN ct_real cti_seams_slight(ct_real distance, const ct_real *x)
{
    return CTI_SEAMS_SLIGHT * distance + CTI_SEAMS_ROUNDED * CTI_EPS * cti_max(cti_abs(x[0]), cti_max(cti_abs(x[1]), cti_abs(x[2])));
}

/* 1 if the pair's half-space blocks the led motion */
static int cti_seams_blocks(cti_seams *q, const cti_hit *hit)
{
    return cti_seams_lacks(q, hit) > cti_seams_slight(cti_pair_thickness(q->s, &hit->pair), q->s->x0 + 3 * (size_t)hit->pair.v[0]);
}

/* 1 if a pair ends nearer than `least` at positions x */
static int cti_seams_ends(const cti_seams *q, const ct_real *x, cti_pair view, ct_real least)
{
    int feature;
    return cti_pair_closest(q->s, x, &view, &feature) < least - cti_seams_slight(least, x);
}

/* 1 if the pair's half-space blocks the led motion, which passes the pair: one side keeps KEPT of its distance from the other, and would if
   it moved on past it. It must end apart, too, where its motion is not known or began out of reach, and out of reach where it carried load */
static int cti_seams_passes(cti_seams *q, const cti_hit *hit, const cti_memory *memory)
{
    const cti_surface *s = q->s;
    const cti_pair *p = &hit->pair;
    cti_pair view;
    cti_v3 off = cti_pair_offset(s, s->x0, p), way;
    ct_real h = cti_pair_thickness(s, p), away = cti_v3_norm(off), least = cti_min(h, away), a[12], b[12];
    int k, known = cti_seams_known(q, p), loaded = memory && cti_memory_find(memory, cti_pair_key(s, p));
    /* points and rods have no faces, beside whose planes a way could be clear; flat edges have waited for other collisions */
    if (p->kind == CT_PAIR_VV || p->kind == CT_PAIR_VE || (hit->flat && away > CTI_DETECT_NEAR * h))
        return 0;
    if (!cti_seams_blocks(q, hit) || (!known && (loaded || hit->toi > 0)))
        return 0;
    view = cti_seams_view(q, p, a, b);
    if ((loaded || !known || away > CTI_DETECT_NEAR * h) && cti_seams_ends(q, b, view, loaded ? CTI_DETECT_NEAR * h : least))
        return 0;
    way = cti_v3_sub(cti_pair_offset(s, b, &view), off);
    way = cti_v3_mul(way, cti_max(1, CTI_SEAMS_ON * h / cti_v3_norm(way)) - 1);
    for (k = 0; k < p->n_a; k++)
        cti_v3_addto(b, k, way);
    return cti_vertices_toi(p->kind, view.v, p->n, CTI_SEAMS_KEPT * least, a, b) > 1;
}

/* 1 if the half-space of a pair that is inside of its face blocks the led motion, which takes the vertex out of the face */
static int cti_seams_leaves(cti_seams *q, const cti_hit *hit)
{
    ct_real a[12], b[12];
    cti_pair view;
    int feature = 6;
    if (hit->pair.kind == CT_PAIR_PLANE || !cti_seams_blocks(q, hit))
        return 0;
    view = cti_seams_view(q, &hit->pair, a, b);
    cti_pair_closest(q->s, b, &view, &feature);
    return feature != 6;
}

/* 1 if the led motion keeps all candidates of vertex v as far apart as a passing one, and none ends nearer than now, or than a contact at rest */
static int cti_seams_apart(cti_seams *q, const cti_candidates *l, int32_t v)
{
    int i;
    for (i = 0; i < CTI_LEN(l->d2); i++) {
        const int32_t *at = l->quads + 4 * (size_t)i;
        ct_real a[12], b[12], least;
        cti_pair p, view;
        if (at[0] != v && (l->kind == CT_PAIR_VF || (at[1] != v && at[2] != v && at[3] != v)))
            continue;
        cti_pair_make(q->s, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &p);
        view = cti_seams_view(q, &p, a, b), least = cti_min((1 - CTI_ROWS_REST) * cti_pair_thickness(q->s, &p), cti_sqrt(l->d2[i]));
        if (cti_seams_ends(q, b, view, least) || cti_vertices_toi(p.kind, view.v, p.n, CTI_SEAMS_KEPT * least, a, b) <= 1)
            return 0;
    }
    return 1;
}

/* The pairs inside of faces, by distance. They lead, in two sweeps, since a corner has several. Those that the motion of the others leaves
   wait, and get no row where it passes all that is near */
static void cti_seams_faces(cti_seams *q, const cti_detect *d, const cti_hit *hits, const int32_t *order, int n)
{
    int k;
    for (k = 0; k < 2 * n; k++) {
        int i = order[k % n];
        if (k < n && cti_seams_known(q, &hits[i].pair) && cti_seams_leaves(q, &hits[i]))
            q->keep[i] = 0;
        if (q->keep[i])
            cti_seams_lead(q, &hits[i]);
    }
    for (k = 0; k < n; k++) {
        const cti_hit *hit = &hits[order[k]];
        int32_t v = hit->pair.v[0];
        if (q->keep[order[k]] ||
            (cti_seams_leaves(q, hit) && (!d || (cti_seams_apart(q, &d->vf, v) && cti_seams_apart(q, &d->ee, v)))))
            continue;
        q->keep[order[k]] = 1;
        cti_seams_lead(q, hit);
    }
}

/* led: the ends of the vertices in d->ee, which are in many pairs. 0: out of memory */
static int cti_seams_tell(cti_arena *arena, cti_seams *q, const cti_detect *d, ct_real *led)
{
    uint8_t *told = CTI_ARENA_ZERO(arena, uint8_t, q->s->nv);
    int i, v;
    for (i = 0; told && i < 4 * CTI_LEN(d->ee.d2); i++) {
        v = d->ee.quads[i];
        if (!told[v])
            cti_v3_put(led, v, cti_seams_place(q, v));
        told[v] = 1;
    }
    return told != NULL;
}

CTI_FN int cti_seams_pass(cti_arena *arena, const cti_detect *d, const cti_surface *s, const cti_memory *memory, cti_hit *hits,
                           ct_real *led)
{
    int i, k, n = CTI_LEN(hits), inside = 0;
    uint64_t *rank = CTI_ARENA_NEW(arena, uint64_t, 2 * n);
    int32_t *order = CTI_ARENA_NEW(arena, int32_t, 2 * n);
    cti_seams q;
    q.s = s, q.x1 = s->x1, q.x = CTI_ARENA_NEW(arena, ct_real, 3 * s->n_moving + 1);
    q.led = CTI_ARENA_ZERO(arena, uint8_t, s->n_moving + 1);
    q.shift = CTI_ARENA_ZERO(arena, ct_real, 3 * s->n_bodies);
    q.keep = CTI_ARENA_NEW(arena, uint8_t, n);
    if (!rank || !order || !q.x || !q.led || !q.shift || !q.keep)
        return 0;
    for (i = 0; i < s->nv; i++)
        if (cti_seams_of(s, i) >= 0)
            cti_v3_put(q.x, cti_seams_of(s, i), cti_v3_at(s->x1, i));
    /* the sequence of the pairs: kind, then distance */
    for (i = 0; i < n; i++) {
        int in = cti_pair_is_inside(&hits[i].pair);
        rank[i] = (uint64_t)!in << 63 | cti_sort_key(cti_v3_norm(cti_pair_offset(s, s->x0, &hits[i].pair))) >> 1;
        order[i] = i, q.keep[i] = 1;
        inside += in;
    }
    cti_sort_u64(rank, order, rank + n, order + n, n);
    cti_seams_faces(&q, d, hits, order, inside);
    for (k = inside; k < n; k++) {
        const cti_hit *hit = &hits[order[k]];
        q.keep[order[k]] = (uint8_t)!cti_seams_passes(&q, hit, memory);
        if (q.keep[order[k]])
            cti_seams_lead(&q, hit);
    }
    cti_hits_take(hits, q.keep);
    return !led || cti_seams_tell(arena, &q, d, led);
}
