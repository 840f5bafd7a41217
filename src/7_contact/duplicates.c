/* duplicates.c -- one row for several near pairs that are one contact.
   Method: a vertex over the diagonal of a square is near both triangles, and near every edge that crosses the diagonal there. Two edges
   along each other are near in one point, and each is near the other's ends. Such pairs have about one normal, and the same points but for
   a small share of a feature, or points between those of two others. Their multipliers are not uniquely determined, and Gauss-Seidel sweeps
   move load between them without end. The nearest pair represents the others. Pairs at vertices go before those inside of edges, so that
   the ends represent the points between. In a groove both sides are kept, since neither half-space of a vertex implies the other, unless they
   are nearly parallel. This culls constraints, never CCD candidates.
   differs: Otaduy 2009, sec. 4 has a row for every near pair. */
#include "duplicates.h"
#include "../0_base/heads.h"
#include "../0_base/sort.h"

#define CTI_DUPLICATES_SAME CTI_R(0.04) /* [1] largest difference of the weights of duplicates, */
#define CTI_DUPLICATES_APART CTI_R(1.5) /* [thickness] of their points, */
#define CTI_DUPLICATES_ALIKE CTI_R(0.7) /* [cosine] and of their normals */
/* [cosine] and of those of two planes below one vertex: the sides of a valley whose sine is 0.3, CTI_DETECT_SHALLOW, which says why */
#define CTI_DUPLICATES_PARALLEL CTI_R(0.955)
#define CTI_DUPLICATES_NEARER                                                                                                              \
    CTI_R(0.25) /* [distance] a pair may be nearer than its representative by this share, measured along the representative's normal */
/* VIEWS: most kept pairs that one is compared with; LOOKS: most entries inspected to find them */
enum { CTI_DUPLICATES_VIEWS = 16, CTI_DUPLICATES_LOOKS = 128 };

/* kept pairs, listed at the vertices where their points are */
typedef struct cti_duplicates {
    const cti_surface *s;
    const cti_memory *memory;
    cti_hit *hits;
    cti_heads heads; /* first: 1 + oldest entry of a vertex, last: 1 + its newest one */
    int32_t *next;   /* [2 n] 1 + next entry of the same vertex: entry 2 i + k belongs to the k-th vertex at which the point of hit i is */
    ct_real *h;      /* [n] thickness */
    uint8_t *keep;   /* [n] */
} cti_duplicates;

/* a kept pair, in the coordinates of a pair that may be its duplicate */
typedef struct cti_duplicates_view {
    int hit;
    ct_real w[5];  /* its weights on the vertices of the other pair */
    cti_v3 at[2];  /* its points, in the order of the other pair's sides */
    ct_real slack; /* [m] by which the other pair could come still nearer along the kept pair's normal and remain its duplicate */
} cti_duplicates_view;

/* 1 for a vertex on the second side */
static int cti_duplicates_side(const cti_pair *p, int place) { return place >= p->n_a; }

/* the vertices, at most two, that coincide with the pair's point on their side; returns how many */
static int cti_duplicates_poles(const cti_duplicates *q, int hit, int32_t *out)
{
    const cti_pair *p = &q->hits[hit].pair;
    int k, n = 0;
    for (k = 0; k < p->n && n < 2; k++)
        if (cti_abs(p->w[k]) >= 1 - CTI_DUPLICATES_SAME &&
            cti_v3_norm(cti_v3_sub(cti_pair_point(q->s->x0, p, cti_duplicates_side(p, k)), cti_v3_at(q->s->x0, p->v[k]))) <=
                CTI_DUPLICATES_APART * q->h[hit])
            out[n++] = p->v[k];
    return n;
}

/* 1 + place of a vertex in a pair, 0: it is not in it */
static int cti_duplicates_has(const cti_pair *p, int32_t v)
{
    int k;
    for (k = 0; k < p->n && p->v[k] != v; k++)
        ;
    return k < p->n ? k + 1 : 0;
}

static ct_real cti_duplicates_weight(const cti_pair *p, int32_t v)
{
    int k = cti_duplicates_has(p, v);
    return k ? p->w[k - 1] : 0;
}

/* the kept hit j in the coordinates of hit i, both at vertex `pole`; 0 where j has other vertices or another normal */
static int cti_duplicates_look(const cti_duplicates *q, int i, int j, int32_t pole, cti_duplicates_view *out)
{
    const cti_hit *a = &q->hits[i], *b = &q->hits[j];
    int same = cti_duplicates_side(&a->pair, cti_duplicates_has(&a->pair, pole) - 1) ==
               cti_duplicates_side(&b->pair, cti_duplicates_has(&b->pair, pole) - 1);
    ct_real sign = same ? 1 : -1, gain;
    cti_v3 off_a, off_b;
    int k, planes = a->pair.v[0] == b->pair.v[0] && cti_pair_is_inside(&a->pair) && cti_pair_is_inside(&b->pair);
    if (sign * cti_v3_dot(a->normal, b->normal) < (planes ? CTI_DUPLICATES_PARALLEL : CTI_DUPLICATES_ALIKE))
        return 0;
    for (k = 0; k < b->pair.n; k++)
        if (cti_abs(b->pair.w[k]) > CTI_DUPLICATES_SAME && !cti_duplicates_has(&a->pair, b->pair.v[k]))
            return 0;
    for (k = 0; k < a->pair.n; k++)
        out->w[k] = sign * cti_duplicates_weight(&b->pair, a->pair.v[k]);
    out->hit = j;
    for (k = 0; k < 2; k++)
        out->at[k] = cti_pair_point(q->s->x0, &b->pair, sign > 0 ? k : 1 - k);
    off_a = cti_v3_mul(cti_pair_offset(q->s, q->s->x0, &a->pair), sign), off_b = cti_pair_offset(q->s, q->s->x0, &b->pair);
    gain = cti_v3_dot(b->normal, cti_v3_sub(off_b, off_a)) + q->h[i] - q->h[j];
    out->slack = CTI_DUPLICATES_NEARER * cti_min(q->h[j], cti_v3_norm(off_b)) - gain;
    return 1;
}

/* 1 when the points of pair p, at [2], lie between those of a and b, which may be the same pair, and p is hardly nearer than they are there */
static int cti_duplicates_between(const cti_pair *p, const cti_v3 *at, const cti_duplicates_view *a, const cti_duplicates_view *b,
                                  ct_real apart)
{
    ct_real ab = 0, ap = 0, t;
    int k;
    for (k = 0; k < p->n; k++)
        ab += (b->w[k] - a->w[k]) * (b->w[k] - a->w[k]), ap += (b->w[k] - a->w[k]) * (p->w[k] - a->w[k]);
    t = ab > 0 ? cti_clamp(ap / ab, 0, 1) : 0;
    if (a->slack + t * (b->slack - a->slack) < 0)
        return 0;
    for (k = 0; k < p->n; k++)
        if (cti_abs(a->w[k] + t * (b->w[k] - a->w[k]) - p->w[k]) > CTI_DUPLICATES_SAME)
            return 0;
    for (k = 0; k < 2; k++)
        if (cti_v3_norm(cti_v3_sub(cti_v3_mad(a->at[k], cti_v3_sub(b->at[k], a->at[k]), t), at[k])) > apart)
            return 0;
    return 1;
}

/* the kept pairs at the vertices of hit i, nearest first at each vertex; returns how many */
static int cti_duplicates_views(const cti_duplicates *q, int i, cti_duplicates_view *view)
{
    const cti_pair *p = &q->hits[i].pair;
    int32_t e;
    int k, j, n = 0, looks = 0;
    for (k = 0; k < p->n; k++)
        for (e = cti_heads_at(&q->heads, p->v[k])->first; e > 0 && n < CTI_DUPLICATES_VIEWS && looks < CTI_DUPLICATES_LOOKS;
             e = q->next[e - 1]) {
            looks++;
            for (j = 0; j < n && view[j].hit != (e - 1) / 2; j++)
                ;
            n += j == n && cti_duplicates_look(q, i, (e - 1) / 2, p->v[k], &view[n]);
        }
    return n;
}

/* the kept hit that represents hit i: one with the same points, or one of two with points on both sides of them. Along two edges that touch
   lengthwise, the pairs at the end vertices represent those between. -1: none. *out_same: 1 when it is the same point */
static int cti_duplicates_find_kept(const cti_duplicates *q, int i, int *out_same)
{
    const cti_pair *p = &q->hits[i].pair;
    cti_duplicates_view view[CTI_DUPLICATES_VIEWS];
    cti_v3 at[2];
    int a, apart, n = cti_duplicates_views(q, i, view);
    for (a = 0; a < 2; a++)
        at[a] = cti_pair_point(q->s->x0, p, a);
    for (apart = 0; apart < n; apart++)
        for (a = apart; a < n; a++)
            if (cti_duplicates_between(p, at, &view[a - apart], &view[a], CTI_DUPLICATES_APART * q->h[i])) {
                *out_same = apart == 0;
                return view[a].hit;
            }
    return -1;
}

/* pair `to` starts from the load that pair `from` carried in the last step, where that had about the same direction */
static void cti_duplicates_hand_over(const cti_duplicates *q, int from, int to)
{
    uint64_t key = cti_pair_key(q->s, &q->hits[from].pair);
    const cti_memory_item *m = cti_memory_find(q->memory, key);
    if (m && cti_v3_dot(cti_v3_at(m->normal, 0), q->hits[from].normal) >= CTI_R(0.5) && !q->hits[to].before &&
        !cti_memory_find(q->memory, cti_pair_key(q->s, &q->hits[to].pair)))
        q->hits[to].before = key;
}

/* appends hit i to the list of vertex v, where it is the farthest so far */
static void cti_duplicates_list(cti_duplicates *q, int i, int k, int32_t v)
{
    int32_t e = 2 * i + k + 1;
    cti_head *head = cti_heads_at(&q->heads, v);
    q->next[e - 1] = 0;
    if (head->first)
        q->next[head->last - 1] = e;
    else
        head->number = v + 1, head->first = e;
    head->last = e;
}

/* keeps hit i unless another one represents it */
static void cti_duplicates_admit(cti_duplicates *q, int i)
{
    int32_t pole[2];
    int k, n, same, other = cti_duplicates_find_kept(q, i, &same);
    if (other >= 0) {
        if (same)
            cti_duplicates_hand_over(q, i, other);
        return;
    }
    q->keep[i] = 1;
    n = cti_duplicates_poles(q, i, pole);
    for (k = 0; k < n; k++)
        cti_duplicates_list(q, i, k, pole[k]);
}

static int cti_duplicates_is_candidate(const cti_hit *hit) { return hit->pair.kind != CT_PAIR_PLANE; }

/* sort key: pairs at vertices first, then those inside of edges; both by distance, in units of a thousandth of the thickness */
static uint32_t cti_duplicates_rank(const cti_duplicates *q, int i)
{
    int32_t pole[2];
    ct_real away = cti_v3_norm(cti_pair_offset(q->s, q->s->x0, &q->hits[i].pair)) / q->h[i];
    return (uint32_t)(cti_min(away, 1000) * 1000) + (cti_duplicates_poles(q, i, pole) ? 0 : 1u << 24);
}

CTI_FN int cti_duplicates_cull(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits)
{
    cti_duplicates q;
    int i, m = 0, n = CTI_LEN(hits);
    uint32_t *rank = CTI_ARENA_NEW(arena, uint32_t, n), *rank_tmp = CTI_ARENA_NEW(arena, uint32_t, n);
    int32_t *order = CTI_ARENA_NEW(arena, int32_t, n), *order_tmp = CTI_ARENA_NEW(arena, int32_t, n);
    q.s = s, q.memory = memory, q.hits = hits;
    q.next = CTI_ARENA_NEW(arena, int32_t, 2 * n);
    q.h = CTI_ARENA_NEW(arena, ct_real, n), q.keep = CTI_ARENA_ZERO(arena, uint8_t, n);
    if (!rank || !rank_tmp || !order || !order_tmp || !q.next || !cti_heads_init(&q.heads, arena, 2 * n, s->nv) || !q.h || !q.keep)
        return 0;
    for (i = 0; i < n; i++)
        if (cti_duplicates_is_candidate(&hits[i]))
            q.h[i] = cti_pair_thickness(s, &hits[i].pair), rank[m] = cti_duplicates_rank(&q, i), order[m++] = i;
        else
            q.keep[i] = 1;
    cti_sort_u32(rank, order, rank_tmp, order_tmp, m);
    for (i = 0; i < m; i++)
        cti_duplicates_admit(&q, order[i]);
    cti_hits_take(hits, q.keep);
    return 1;
}
