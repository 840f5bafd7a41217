/* seams.c -- near pairs that the motion passes.
   Problem: a row's half-space is a tangent plane of the surface around one point. It blocks the way past an edge, although the way is
   clear: a box on flush tiles stops at the edge of the next tile, whose side is buried.
   Method: the free motion is projected on the half-spaces of pairs in a sequence, vertex by vertex, as a sweep of Gauss-Seidel over
   positions with equal masses does. Pairs on faces come first, since their direction is the only one that the features allow. Pairs at
   edges and vertices follow, those first that change the motion least; their directions depend on the place. When the turn of such a pair
   comes, the motion is the one that the pairs before lead. CCD decides whether it passes the pair. A pair that comes too near keeps its
   row, and so does one that would if the motion went on until it has passed. Any other pair gets none. Collisions of a solved motion are
   treated alike: those behind the first ones vanish with them, and a later round finds those that do not.
   Where no pairs lead all vertices of a pair, its motion is not known: the pair gets no row only if it ends apart. A pair that carried load
   needs both. So does a pair inside of a face whose led motion leaves the face: a ball that passes a corner of tiles leaves the plane of
   its slanted face behind. All that is near its vertex must end apart. A loaded contact may be nearer than its thickness. What it misses, pairs
   of the same points may miss, too, along its normal: the next tile is as near as this one. differs: Otaduy 2009, sec. 4 has a row for every near
   pair. */
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
    const cti_row_context *c;
    const ct_real *x1;
    ct_real *x;     /* [3 n_moving] end of the motion that the pairs so far lead; not of rigid bodies */
    ct_real *shift; /* [3 n_bodies] of rigid bodies, from x1 to there */
    uint8_t *led;   /* [n_moving] 1: a vertex of such a pair; of a rigid body, its first vertex stands for all */
    ct_real *miss;  /* [3 n_moving] of vertices: what they have, as vectors, of the distance that their pair lacks which lacks most [m] */
    uint8_t *keep;  /* [n] 0: the pair gets no row */
    uint64_t *rank; /* [2 n] keys of the sequence, and scratch */
    int32_t *order; /* [2 n] the sequence of the pairs, and scratch */
    int n;
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

/* place of a vertex in `led`; -1: it is scripted */
static int cti_seams_place_of(const cti_seams *q, int v)
{
    const cti_surface *s = q->s;
    if (!s->bodies[s->body_of[v]].dynamic)
        return -1;
    return cti_seams_of(s, cti_seams_rigid(s, v) ? s->ranges[s->body_of[v]].v0 : v);
}

/* distributes what a pair lacks of its thickness on the vertices of each side, as a projection does, so that its point has all of it */
static void cti_seams_miss(cti_seams *q, const cti_hit *hit, ct_real miss)
{
    const cti_pair *p = &hit->pair;
    int k;
    ct_real sum[2] = {0, 0};
    for (k = 0; k < p->n; k++)
        sum[k >= p->n_a] += p->w[k] * p->w[k];
    for (k = 0; k < p->n; k++) {
        int i = q->s->bodies[q->s->body_of[p->v[k]]].dynamic ? cti_seams_of(q->s, p->v[k]) : -1;
        ct_real part = miss * p->w[k] / sum[k >= p->n_a];
        if (i >= 0 && cti_abs(part) > cti_v3_norm(cti_v3_at(q->miss, i)))
            cti_v3_put(q->miss, i, cti_v3_mul(hit->normal, part));
    }
}

/* projects the led motion on the pair's half-space. A rigid body is shifted as a whole */
static void cti_seams_lead(cti_seams *q, const cti_hit *hit)
{
    const cti_pair *p = &hit->pair;
    int k;
    ct_real lacks = cti_seams_lacks(q, hit), sum = 0, w[5];
    ct_real miss = cti_pair_thickness(q->s, p) - cti_v3_dot(hit->normal, cti_pair_offset(q->s, q->s->x0, p)) + cti_min(0, lacks);
    for (k = 0; k < p->n; k++) {
        int rigid = cti_seams_rigid(q->s, p->v[k]), first = k == 0 || k == p->n_a;
        w[k] = !q->s->bodies[q->s->body_of[p->v[k]]].dynamic || (rigid && !first) ? 0 : rigid ? (k ? -1 : 1) : p->w[k];
        sum += w[k] * w[k];
    }
    if (miss > 0)
        cti_seams_miss(q, hit, miss);
    for (k = 0; k < p->n; k++) {
        int rigid = cti_seams_rigid(q->s, p->v[k]);
        if (w[k] == 0)
            continue;
        q->led[cti_seams_place_of(q, p->v[k])] = 1;
        if (lacks > 0)
            cti_v3_addto(rigid ? q->shift : q->x, rigid ? q->s->body_of[p->v[k]] : cti_seams_of(q->s, p->v[k]),
                         cti_v3_mul(hit->normal, lacks * w[k] / sum));
    }
}

/* 1 if pairs lead all vertices of a pair that are not scripted */
static int cti_seams_known(const cti_seams *q, const cti_pair *p)
{
    int k, known = 1;
    for (k = 0; k < p->n; k++) {
        int i = cti_seams_place_of(q, p->v[k]);
        known &= i < 0 || q->led[i];
    }
    return known;
}

/* distance [m] that a pair keeps in direction n where the pairs that lead its points keep theirs: less than its thickness by what those lack, but
   no less than CCD keeps. w: weights of its vertices */
static ct_real cti_seams_kept(const cti_seams *q, const cti_pair *p, const ct_real *w, cti_v3 n)
{
    ct_real miss[2] = {0, 0}, h = cti_pair_thickness(q->s, p);
    int k;
    for (k = 0; k < p->n; k++) {
        int i = cti_seams_of(q->s, p->v[k]);
        if (i >= 0)
            miss[k >= p->n_a] += w[k] * cti_v3_dot(n, cti_v3_at(q->miss, i));
    }
    return cti_max(CTI_DETECT_SEP * h, h - cti_max(0, cti_max(miss[0], miss[1])));
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

/* 1 for a pair that carried load in the last step: one whose impulse moves its sides by more than their gap. Interior points leave impulses on all
   rows, as small as their gaps are large */
static int cti_seams_loaded(const cti_seams *q, const cti_pair *p)
{
    const cti_memory_item *m = cti_memory_find(q->c->memory, cti_pair_key(q->s, p));
    ct_real soft = 0, gap = cti_v3_norm(cti_pair_offset(q->s, q->s->x0, p)) - cti_pair_thickness(q->s, p);
    int k, j;
    for (k = 0; m && k < p->n; k++) {
        const cti_attach *a = cti_surface_attach(q->s, p->v[k]);
        for (j = 0; j < a->n; j++)
            soft += p->w[k] * p->w[k] * a->weight[j] * a->weight[j] * q->c->inv_mass[a->block[j]];
    }
    return m && gap < soft * q->c->dt * cti_v3_norm(cti_v3_at(m->impulse, 0));
}

/* distance of a pair, whose view this is, at positions x; *kept [m]: what it keeps in the direction there, at most `away` */
static ct_real cti_seams_end(const cti_seams *q, const ct_real *x, const cti_pair *p, cti_pair view, ct_real away, ct_real *kept)
{
    int feature;
    ct_real end = cti_pair_closest(q->s, x, &view, &feature);
    *kept = cti_min(away, cti_seams_kept(q, p, view.w, cti_pair_normal(q->s, x, &view, cti_v3_zero())));
    return end + cti_seams_slight(*kept, x);
}

/* 1 if the pair's half-space blocks the led motion, which passes the pair: one side keeps KEPT of its distance from the other, and would if
   it moved on past it. It must end apart, too, where its motion is not known or began out of reach, and out of reach where it carried load */
static int cti_seams_passes(cti_seams *q, const cti_hit *hit)
{
    const cti_surface *s = q->s;
    const cti_pair *p = &hit->pair;
    cti_pair view;
    cti_v3 off = cti_pair_offset(s, s->x0, p), way;
    ct_real h = cti_pair_thickness(s, p), away = cti_v3_norm(off), least, end, a[12], b[12];
    int k, known = cti_seams_known(q, p), loaded = cti_seams_loaded(q, p);
    /* points and rods have no faces, beside whose planes a way could be clear; flat edges have waited for other collisions */
    if (p->kind == CT_PAIR_VV || p->kind == CT_PAIR_VE || (hit->flat && away > CTI_DETECT_NEAR * h))
        return 0;
    if (!cti_seams_blocks(q, hit) || (!known && (loaded || hit->toi > 0)))
        return 0;
    view = cti_seams_view(q, p, a, b);
    end = cti_seams_end(q, b, p, view, away, &least);
    if ((loaded || !known || away > CTI_DETECT_NEAR * h) && end < (loaded ? CTI_DETECT_NEAR * h : least))
        return 0;
    way = cti_v3_sub(cti_pair_offset(s, b, &view), off);
    way = cti_v3_mul(way, cti_max(1, CTI_SEAMS_ON * h / cti_v3_norm(way)) - 1);
    for (k = 0; k < p->n_a; k++)
        cti_v3_addto(b, k, way);
    return cti_vertices_toi(p->kind, view.v, p->n, CTI_SEAMS_KEPT * least, a, b) > 1;
}

/* 1 for a plane, and for a vertex that stands on a face, its border included, so that off, of any length, has the direction of the face's normal: it
   is the only one that the pair has. Flush tiles have many vertices right above their borders. h: its thickness */
static int cti_seams_stands(const ct_real *x, const cti_pair *p, cti_v3 off, ct_real h)
{
    cti_v3 n;
    if (p->kind != CT_PAIR_VF || cti_pair_is_inside(p))
        return cti_pair_is_inside(p);
    n = cti_pair_face(x, p), off = cti_v3_mul(cti_v3_unit(off, n), h);
    return !(cti_v3_norm(cti_v3_mad(off, n, -cti_v3_dot(n, off))) > cti_seams_slight(h, x + 3 * (size_t)p->v[0]));
}

/* 1 if the half-space of a pair that is on its face blocks the led motion, which takes the vertex out of the face, or, of a collision, keeps
   the pair apart: a motion that passes through one face meets others from inside */
static int cti_seams_leaves(cti_seams *q, const cti_hit *hit)
{
    ct_real a[12], b[12], least;
    cti_pair view;
    int feature;
    if (hit->pair.kind == CT_PAIR_PLANE || !cti_seams_blocks(q, hit))
        return 0;
    view = cti_seams_view(q, &hit->pair, a, b);
    if (hit->toi > 0 && !cti_seams_loaded(q, &hit->pair) &&
        cti_seams_end(q, b, &hit->pair, view, CTI_REAL_MAX, &least) >= least &&
        cti_vertices_toi(view.kind, view.v, view.n, CTI_SEAMS_KEPT * least, a, b) > 1)
        return 1;
    cti_pair_closest(q->s, b, &view, &feature);
    return !cti_seams_stands(b, &view, cti_pair_offset(q->s, b, &view), cti_pair_thickness(q->s, &hit->pair));
}

/* 1 if the led motion keeps all candidates of vertex v as far apart as a passing one, and none ends nearer than now, or than it keeps */
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
        view = cti_seams_view(q, &p, a, b);
        if (cti_seams_end(q, b, &p, view, cti_sqrt(l->d2[i]), &least) < least ||
            cti_vertices_toi(p.kind, view.v, p.n, CTI_SEAMS_KEPT * least, a, b) <= 1)
            return 0;
    }
    return 1;
}

/* The pairs on faces, by distance, which lead, in two sweeps, since a corner has several. Those that the motion of the others leaves wait */
static void cti_seams_faces(cti_seams *q, const cti_hit *hits, int n)
{
    int k;
    for (k = 0; k < 2 * n; k++) {
        int i = q->order[k % n];
        if (k < n && cti_seams_known(q, &hits[i].pair) && cti_seams_leaves(q, &hits[i]))
            q->keep[i] = 0;
        if (q->keep[i])
            cti_seams_lead(q, &hits[i]);
    }
}

/* The others, and those that wait, which get no row where the led motion passes all that is near. Those that change it least are first, since the
   others may pass then */
static void cti_seams_others(cti_seams *q, const cti_detect *d, const cti_hit *hits, int inside)
{
    int k;
    for (k = 0; k < q->n; k++) {
        int i = q->order[k];
        q->keep[i] = k < inside ? (uint8_t)(1 + q->keep[i]) : 0; /* 2: has a row; 1: waits; 0: one of the others */
        q->rank[k] = q->keep[i] == 2 ? 0 : cti_sort_key(cti_max(0, cti_seams_lacks(q, &hits[i])));
    }
    cti_sort_u64(q->rank, q->order, q->rank + q->n, q->order + q->n, q->n);
    for (k = 0; k < q->n; k++) {
        int i = q->order[k];
        int32_t v = hits[i].pair.v[0];
        int waits = q->keep[i] == 1;
        if (q->keep[i] == 2)
            continue;
        q->keep[i] = !(waits ? cti_seams_leaves(q, &hits[i]) && (!d || (cti_seams_apart(q, &d->vf, v) && cti_seams_apart(q, &d->ee, v)))
                             : cti_seams_passes(q, &hits[i]));
        if (q->keep[i])
            cti_seams_lead(q, &hits[i]);
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

CTI_FN int cti_seams_pass(cti_arena *arena, const cti_detect *d, const cti_row_context *c, cti_hit *hits, ct_real *led)
{
    const cti_surface *s = c->surface;
    int i, n = CTI_LEN(hits), inside = 0;
    cti_seams q;
    q.s = s, q.c = c, q.x1 = s->x1, q.x = CTI_ARENA_NEW(arena, ct_real, 3 * s->n_moving + 1);
    q.led = CTI_ARENA_ZERO(arena, uint8_t, s->n_moving + 1), q.miss = CTI_ARENA_ZERO(arena, ct_real, 3 * s->n_moving + 1);
    q.shift = CTI_ARENA_ZERO(arena, ct_real, 3 * s->n_bodies);
    q.keep = CTI_ARENA_NEW(arena, uint8_t, n);
    q.rank = CTI_ARENA_NEW(arena, uint64_t, 2 * n), q.order = CTI_ARENA_NEW(arena, int32_t, 2 * n), q.n = n;
    if (!q.rank || !q.order || !q.x || !q.led || !q.miss || !q.shift || !q.keep)
        return 0;
    for (i = 0; i < s->nv; i++)
        if (cti_seams_of(s, i) >= 0)
            cti_v3_put(q.x, cti_seams_of(s, i), cti_v3_at(s->x1, i));
    /* the sequence of the pairs: kind, then distance */
    for (i = 0; i < n; i++) {
        int in = cti_seams_stands(s->x0, &hits[i].pair, hits[i].normal, cti_pair_thickness(s, &hits[i].pair));
        q.rank[i] = (uint64_t)!in << 63 | cti_sort_key(cti_v3_norm(cti_pair_offset(s, s->x0, &hits[i].pair))) >> 1;
        q.order[i] = i, q.keep[i] = 1;
        inside += in;
    }
    cti_sort_u64(q.rank, q.order, q.rank + n, q.order + n, n);
    cti_seams_faces(&q, hits, inside);
    cti_seams_others(&q, d, hits, inside);
    cti_hits_take(hits, q.keep);
    return !led || cti_seams_tell(arena, &q, d, led);
}
