/* flats.c -- how near flat edges may come to each other.
   Problem: faces in contact are kept apart by rows at their vertices, and the surfaces bulge between those. So a diagonal of one face
   crosses a diagonal of the other nearer than the thickness. A row for each such crossing is redundant with the vertices' rows, and
   Gauss-Seidel sweeps move load between the two without end.
   Method: the opening between two faces in contact is linear along an edge. A crossing opens by sum w_i d_i when the rows at the ends of
   the edge open by d_i, where w_i are the crossing's weights at the ends. The smallest d_i that open it by a missing distance m are m w_i /
   sum w_j^2. A vertex's row keeps the largest distance that the crossings at its vertex require, measured from the vertex's present
   position. One edge of a crossing is enough: with both, cloth on a ball moves on, and 20 % fewer steps of S2 reach their tolerance. A
   crossing gets a row of its own where no row holds an end, or where the rows would have to open too far.
   Sliding cloth: its crossings change from step to step, and distances that follow them spoil the warm start. So a crossing of cloth from
   .9 of the thickness on raises no row. It gets a row of its own, in the first solve, where the last step's velocity brings it below .9.
   Where only the motion of the first solve does so, it gets one then, and the problem is solved once more. The normal of that row is the
   one at the end of the motion, as a collision's is the one at its impact (Otaduy 2009, sec. 4.4). Over four starts of S2, against raised
   rows and a second solve alone: 22,200 iterations, not 29,100, and 87 % of the steps reach their tolerance, not 81 %.
   A crossing of cloth that starts below .9 is lifted by the vertices' rows. Between bodies that leave no room nothing can lift it. */
#include "flats.h"
#include "../0_base/heads.h"

#define CTI_FLATS_LEAST CTI_R(0.92) /* [thickness] least distance of a crossing. With 0.95 rows that rest above it are nearly active, and a
                                       heap of letters ends 40 % of its steps on the sweep budget, not 10 % */
#define CTI_FLATS_FALLEN CTI_R(0.9) /* [thickness] a crossing of cloth that comes nearer during a motion gets a row, which keeps
                                       CTI_DETECT_KEEP. Without it cloth on a ball (S2) comes down to .73 to .78. With 0.91, equal to what
                                       the row keeps, rounding and curvature cause more second solves, and S2 takes 1.15 times as long */
#define CTI_FLATS_MOST CTI_R(1.5)   /* [thickness] largest distance that a row keeps for crossings; crossings nearer than half the thickness
                                       have their own rows */
#define CTI_FLATS_ALIKE CTI_R(0.7)  /* [cosine] least between a crossing's normal and a row's */
#define CTI_FLATS_AT CTI_R(0.96)    /* [1] weight from which on a pair's point counts as at a vertex, as in duplicates.c */

/* hits, listed at the vertices where their points are */
typedef struct cti_flats {
    const cti_surface *s;
    cti_hit *hits;
    cti_heads heads; /* first: 1 + an entry of a vertex */
    int32_t *next;  /* [2 n] 1 + next entry: entry 2 i + k belongs to the k-th vertex of hit i */
    ct_real *dist;  /* [n] along the normal */
} cti_flats;

static int cti_flats_init(cti_flats *q, cti_arena *arena)
{
    const cti_surface *s = q->s;
    int i, k, n = CTI_LEN(q->hits);
    q->next = CTI_ARENA_NEW(arena, int32_t, 2 * n), q->dist = CTI_ARENA_NEW(arena, ct_real, n);
    if (!cti_heads_init(&q->heads, arena, 2 * n, s->nv) || !q->next || !q->dist)
        return 0;
    for (i = 0; i < n; i++) {
        const cti_pair *p = &q->hits[i].pair;
        int at = 0;
        if (p->kind != CT_PAIR_VF && p->kind != CT_PAIR_EE)
            continue;
        q->dist[i] = cti_v3_dot(q->hits[i].normal, cti_pair_offset(s, s->x0, p));
        if (q->dist[i] > CTI_FLATS_MOST * cti_pair_thickness(s, p)) /* a pair of the expected motion, which carries no load yet */
            continue;
        for (k = 0; k < p->n && at < 2; k++)
            if (cti_abs(p->w[k]) >= CTI_FLATS_AT) {
                cti_head *head = cti_heads_at(&q->heads, p->v[k]);
                q->next[2 * i + at] = head->first;
                head->number = p->v[k] + 1, head->first = 2 * i + at++ + 1;
            }
    }
    return 1;
}

/* cosine between the normal of hit i and n, the unit direction from `body` to vertex v; 0 where the hit does not keep v away from it */
static ct_real cti_flats_holds(const cti_flats *q, int i, int32_t v, cti_v3 n, int body)
{
    const cti_pair *p = &q->hits[i].pair;
    int k, side = 0;
    for (k = p->n_a; k < p->n; k++)
        side |= p->v[k] == v;
    return q->s->body_of[p->v[side ? 0 : p->n_a]] == body ? (side ? -1 : 1) * cti_v3_dot(q->hits[i].normal, n) : 0;
}

/* an edge of a crossing: v, w [2] its ends and the crossing's weights there; n [unit] to it from the edge that it crosses, which is of
   `body` */
typedef struct cti_flats_edge {
    const int32_t *v;
    ct_real w[2];
    cti_v3 n;
    int body;
} cti_flats_edge;

/* the row that holds end k and whose normal is nearest to the crossing's; -1: none. One in another direction would block ways along the
   crossing's faces */
static int cti_flats_row(const cti_flats *q, const cti_flats_edge *a, int k)
{
    ct_real best = CTI_FLATS_ALIKE;
    int32_t e;
    int row = -1;
    for (e = cti_heads_at(&q->heads, a->v[k])->first; e > 0; e = q->next[e - 1]) {
        ct_real alike = cti_flats_holds(q, (e - 1) / 2, a->v[k], a->n, a->body);
        if (alike > best)
            best = alike, row = (e - 1) / 2;
    }
    return row;
}

/* sum of w^2 over the ends that rows hold; 0 when one that matters is not held. part: the nearer end is enough */
static ct_real cti_flats_reach(const cti_flats *q, const cti_flats_edge *a, int part)
{
    ct_real sum = 0;
    int k;
    for (k = 0; k < 2; k++)
        if (cti_flats_row(q, a, k) >= 0)
            sum += a->w[k] * a->w[k];
        else if (a->w[k] > (part ? CTI_R(0.5) : 1 - CTI_FLATS_AT))
            return 0;
    return sum;
}

/* raises the rows at the ends of an edge so that they open the crossing by `lacks` [m]; below 0 they may close it by as much. sum: its
   reach. Returns 0 when a row would have to keep more than `most` */
static int cti_flats_open(cti_flats *q, const cti_flats_edge *a, ct_real sum, ct_real lacks, ct_real most)
{
    int k, can = 1;
    for (k = 0; k < 2; k++) {
        int i = cti_flats_row(q, a, k);
        if (i >= 0) {
            cti_hit *hit = &q->hits[i];
            ct_real h = hit->keep > 0 ? hit->keep : cti_pair_thickness(q->s, &hit->pair), keep = q->dist[i] + lacks * a->w[k] / sum;
            hit->keep = cti_max(h, cti_min(most, keep));
            can &= keep <= most;
        }
    }
    return can;
}

/* 1 where one of the edges v [4] is a rigid body's */
static int cti_flats_rigid(const cti_surface *s, const int32_t *v)
{
    return cti_surface_attach(s, v[0])->frame >= 0 || cti_surface_attach(s, v[2])->frame >= 0;
}

/* 1 where one of the edges v [4] is a cloth's and none a rigid body's. Cloth slides from face to face of the surface that it lies on.
   Between solids the vertices' rows alone hold crossings apart (.905 of the thickness in S1, .90 in S3_N8), and a second solve for
   crossings that close at impacts takes S1 1.2 times as long */
static int cti_flats_slides(const cti_surface *s, const int32_t *v)
{
    return !cti_flats_rigid(s, v) && (s->bodies[s->body_of[v[0]]].is_cloth || s->bodies[s->body_of[v[2]]].is_cloth);
}

/* appends a row for candidate i, unless it intersects or its normal n leaves the cone of an edge. 0: out of memory */
static int cti_flats_push(cti_mem *mem, const cti_detect *d, const cti_surface *s, int i, const cti_pair *pair, cti_v3 n, cti_hit **out)
{
    cti_hit hit;
    if (cti_detect_is_tangled(d, s, pair->v, 2, 4) || !cti_detect_edge_cone(s, d->ee.pairs[2 * i + 1], n, pair->v) ||
        !cti_detect_edge_cone(s, d->ee.pairs[2 * i], cti_v3_mul(n, -1), pair->v + 2))
        return 1;
    memset(&hit, 0, sizeof hit);
    hit.pair = *pair, hit.normal = n, hit.flat = 1, hit.keep = cti_detect_keep(s, pair);
    return CTI_PUSH(mem, *out, hit);
}

/* 1 for a candidate of the edge-edge list that crosses with a flat edge, near enough to matter */
static int cti_flats_is_crossing(const cti_candidates *l, const cti_surface *s, int i)
{
    ct_real wide = CTI_FLATS_MOST * l->hat[i];
    return l->feature[i] == 0 && l->d2[i] < wide * wide && l->d2[i] > 0 &&
           (cti_detect_flat(s, l->pairs[2 * i]) || cti_detect_flat(s, l->pairs[2 * i + 1]));
}

/* appends a row for candidate i of cloth where x1 brings it from above .9 of the thickness to below it. 0: out of memory */
static int cti_flats_fall(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, int i, cti_hit **out)
{
    cti_pair pair;
    ct_real least;
    int feature;
    cti_candidates_pair(&d->ee, s, i, &pair);
    least = CTI_FLATS_FALLEN * cti_pair_thickness(s, &pair);
    if (d->ee.d2[i] < least * least || cti_pair_closest(s, x1, &pair, &feature) >= least || feature != 0)
        return 1;
    return cti_flats_push(mem, d, s, i, &pair, cti_v3_unit(cti_pair_offset(s, x1, &pair), cti_v3_make(0, 1, 0)), out);
}

/* treats candidate i of the edge-edge list, which has a flat edge. A crossing that the led motion of a rigid body keeps apart raises nothing,
   since the body may slide past it. The rows at the ends of one edge open the others, preferably of an edge that can move and is held at both
   ends; otherwise it gets a row of its own. 0: out of memory */
static int cti_flats_crossing(cti_mem *mem, cti_flats *q, const cti_detect *d, const ct_real *ahead, const ct_real *led, int i,
                              cti_hit **out)
{
    const cti_candidates *l = &d->ee;
    const cti_surface *s = q->s;
    const int32_t *v = l->quads + 4 * (size_t)i;
    const ct_real *t = l->w + 2 * (size_t)i;
    ct_real dist = cti_sqrt(l->d2[i]), h, sum = 0;
    cti_flats_edge a[2];
    cti_pair pair, view;
    int k, opens = 0, first = cti_surface_attach(s, v[0])->n == 0;
    cti_candidates_pair(l, s, i, &pair);
    view = pair, h = cti_pair_thickness(s, &pair);
    if (led && cti_flats_rigid(s, v) && cti_pair_closest(s, led, &view, &k) >= CTI_FLATS_LEAST * h)
        return 1;
    if (ahead && dist >= CTI_FLATS_FALLEN * h && cti_flats_slides(s, v))
        return cti_flats_fall(mem, d, s, ahead, i, out);
    for (k = 0; k < 2; k++) {
        a[k].v = v + 2 * k, a[k].w[0] = 1 - t[k], a[k].w[1] = t[k], a[k].body = s->body_of[v[2 - 2 * k]];
        a[k].n = cti_v3_mul(cti_pair_offset(s, s->x0, &pair), (k ? -1 : 1) / dist);
    }
    for (k = 0; k < 4 && !(sum > 0); k++)
        if ((sum = cti_flats_reach(q, &a[(k & 1) ^ first], k > 1)) > 0)
            opens = cti_flats_open(q, &a[(k & 1) ^ first], sum, CTI_FLATS_LEAST * h - dist, CTI_FLATS_MOST * h);
    if (opens || dist >= CTI_FLATS_LEAST * h)
        return 1;
    return cti_flats_push(mem, d, s, i, &pair, a[0].n, out);
}

CTI_FN int cti_flats_raise(cti_mem *mem, cti_arena *arena, const cti_detect *d, const cti_surface *s, const ct_real *ahead,
                           const ct_real *led, cti_hit **hits)
{
    const cti_candidates *l = &d->ee;
    cti_flats q;
    int i;
    q.s = s, q.hits = *hits;
    if (!cti_flats_init(&q, arena))
        return 0;
    for (i = 0; i < CTI_LEN(l->d2); i++) {
        if (!cti_flats_is_crossing(l, s, i))
            continue;
        q.hits = *hits;
        if (!cti_flats_crossing(mem, &q, d, ahead, led, i, hits))
            return 0;
    }
    return 1;
}

CTI_FN int cti_flats_fallen(cti_mem *mem, const cti_detect *d, const cti_surface *s, cti_hit **hits)
{
    const cti_candidates *l = &d->ee;
    int i;
    for (i = 0; i < CTI_LEN(l->d2); i++) {
        if (!cti_flats_slides(s, l->quads + 4 * (size_t)i) || !cti_flats_is_crossing(l, s, i))
            continue;
        if (!cti_flats_fall(mem, d, s, s->x1, i, hits))
            return 0;
    }
    return 1;
}
