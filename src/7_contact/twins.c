/* twins.c -- one row for near pairs that are one contact.
   Method: a vertex over the diagonal of a square is near both triangles, and near every edge that crosses there; edges that lie along each other
   are near in one point, and each is near the other's ends. Pairs whose points are the same but for a small share of a feature, or are
   between those of two others, with about one normal, have multipliers that can not be told from each other, and sweeps hand load from one
   to the other without end. The nearest speaks for them; at vertices before insides of edges, so that ends speak for what is between. In a
   groove both sides stay, since from each of them the other is nearer than its own pair says.
   Constraint culling, never CCD culling. differs: Otaduy 2009, sec. 4 has a row for every near pair. */
#include "twins.h"
#include "../0_base/sort.h"

#define CTI_TWINS_SAME CTI_R(0.04)   /* most by which weights of one contact differ, */
#define CTI_TWINS_APART CTI_R(1.5)   /* and its points, of the thickness */
#define CTI_TWINS_ALIKE CTI_R(0.7)   /* cosine of its normals */
#define CTI_TWINS_NEARER CTI_R(0.25) /* of the thickness: so much nearer may a pair be, seen along the normal of the one that speaks for it */
enum { CTI_TWINS_VIEWS = 16 };       /* pairs that are compared with one, at most */


/* near pairs by the vertices that they touch */
typedef struct cti_twins {
    const cti_surface *s;
    const cti_memory *memory;
    cti_hit *hits;
    int32_t *first; /* [nv] 1 + newest entry of a vertex, 0: none */
    int32_t *next;  /* [2 n] the same of the next: entry 2 i + k is of the k-th vertex that hit i touches */
    uint8_t *keep;  /* [n] */
} cti_twins;

/* a pair that is kept, as one that might go sees it */
typedef struct cti_twins_view {
    int hit;
    ct_real w[5];   /* its weights on the other's vertices */
    cti_v3 at[2];   /* its points, on the other's sides */
    ct_real nearer; /* by how much the other is nearer along its normal */
} cti_twins_view;

/* vertices that hold all of a pair's point on their side, at most two; returns how many */
static int cti_twins_poles(const cti_pair *p, int32_t *out)
{
    int k, n = 0;
    for (k = 0; k < p->n && n < 2; k++)
        if (cti_abs(p->w[k]) >= 1 - CTI_TWINS_SAME)
            out[n++] = p->v[k];
    return n;
}

/* 1 + place of a vertex in a pair, 0: it is not in it */
static int cti_twins_has(const cti_pair *p, int32_t v)
{
    int k;
    for (k = 0; k < p->n && p->v[k] != v; k++)
        ;
    return k < p->n ? k + 1 : 0;
}

static ct_real cti_twins_weight(const cti_pair *p, int32_t v)
{
    int k = cti_twins_has(p, v);
    return k ? p->w[k - 1] : 0;
}

/* the kept hit j as hit i sees it, both at vertex `pole`; 0 where j, or its normal, is somewhere else */
static int cti_twins_look(const cti_twins *q, int i, int j, int32_t pole, cti_twins_view *out)
{
    const cti_hit *a = &q->hits[i], *b = &q->hits[j];
    ct_real sign = cti_twins_weight(&a->pair, pole) * cti_twins_weight(&b->pair, pole) > 0 ? 1 : -1;
    cti_v3 off_a, off_b;
    int k;
    if (sign * cti_v3_dot(a->normal, b->normal) < CTI_TWINS_ALIKE)
        return 0;
    for (k = 0; k < b->pair.n; k++)
        if (cti_abs(b->pair.w[k]) > CTI_TWINS_SAME && !cti_twins_has(&a->pair, b->pair.v[k]))
            return 0;
    for (k = 0; k < a->pair.n; k++)
        out->w[k] = sign * cti_twins_weight(&b->pair, a->pair.v[k]);
    out->hit = j;
    for (k = 0; k < 2; k++)
        out->at[k] = cti_pair_point(q->s->x0, &b->pair, sign > 0 ? k : 1 - k);
    off_a = cti_v3_mul(cti_pair_offset(q->s, q->s->x0, &a->pair), sign), off_b = cti_pair_offset(q->s, q->s->x0, &b->pair);
    out->nearer = cti_v3_dot(b->normal, cti_v3_sub(off_b, off_a));
    return 1;
}

/* 1 when the points of pair p are between those of a and b, which may be the same; at: where they are */
static int cti_twins_between(const cti_pair *p, const cti_v3 *at, const cti_twins_view *a, const cti_twins_view *b, ct_real apart)
{
    ct_real ab = 0, ap = 0, t;
    int k;
    for (k = 0; k < p->n; k++)
        ab += (b->w[k] - a->w[k]) * (b->w[k] - a->w[k]), ap += (b->w[k] - a->w[k]) * (p->w[k] - a->w[k]);
    t = ab > 0 ? cti_clamp(ap / ab, 0, 1) : 0;
    for (k = 0; k < p->n; k++)
        if (cti_abs(a->w[k] + t * (b->w[k] - a->w[k]) - p->w[k]) > CTI_TWINS_SAME)
            return 0;
    for (k = 0; k < 2; k++)
        if (cti_v3_norm(cti_v3_sub(cti_v3_mad(a->at[k], cti_v3_sub(b->at[k], a->at[k]), t), at[k])) > apart)
            return 0;
    return 1;
}

/* the kept hit that has the points of hit i, or one of two that have points on both sides of them: along two edges that lie on each other,
   the vertices at the ends speak for what is between. -1: none. *out_same: it is the same point */
static int cti_twins_speaker(const cti_twins *q, int i, int *out_same)
{
    const cti_pair *p = &q->hits[i].pair;
    ct_real h = cti_pair_thickness(q->s, p);
    cti_twins_view view[CTI_TWINS_VIEWS];
    cti_v3 at[2];
    int32_t e;
    int k, j, n = 0;
    for (k = 0; k < 2; k++)
        at[k] = cti_pair_point(q->s->x0, p, k);
    for (k = 0; k < p->n; k++)
        for (e = q->first[p->v[k]]; e > 0 && n < CTI_TWINS_VIEWS; e = q->next[e - 1]) {
            if (!cti_twins_look(q, i, (e - 1) / 2, p->v[k], &view[n]))
                continue;
            for (j = n; j >= 0; j--)
                if (cti_min(view[j].nearer, view[n].nearer) <= CTI_TWINS_NEARER * h &&
                    cti_twins_between(p, at, &view[j], &view[n], CTI_TWINS_APART * h)) {
                    *out_same = j == n;
                    return view[n].hit;
                }
            n++;
        }
    return -1;
}

/* what a contact carried as pair `from` in the last step, it goes on with as pair `to` */
static void cti_twins_hand_over(const cti_twins *q, int from, int to)
{
    uint64_t key = cti_pair_key(q->s, &q->hits[from].pair);
    if (!q->hits[to].before && !cti_memory_find(q->memory, cti_pair_key(q->s, &q->hits[to].pair)) && cti_memory_find(q->memory, key))
        q->hits[to].before = key;
}

/* keeps hit i unless another one speaks for it */
static void cti_twins_admit(cti_twins *q, int i)
{
    int32_t pole[2];
    int k, n, same, other = cti_twins_speaker(q, i, &same);
    if (other >= 0) {
        if (same)
            cti_twins_hand_over(q, i, other);
        return;
    }
    n = cti_twins_poles(&q->hits[i].pair, pole);
    q->keep[i] = 1;
    for (k = 0; k < n; k++) {
        q->next[2 * i + k] = q->first[pole[k]];
        q->first[pole[k]] = 2 * i + k + 1;
    }
}

static int cti_twins_may_twin(const cti_hit *hit) { return hit->pair.kind == CT_PAIR_VF || hit->pair.kind == CT_PAIR_EE; }

/* pairs at vertices first, then those between insides of edges; of both the nearest first, in steps of a thousandth of the thickness */
static uint32_t cti_twins_rank(const cti_surface *s, const cti_hit *hit)
{
    int32_t pole[2];
    ct_real h = cti_surface_pair_thickness(s, cti_pair_body_a(s, &hit->pair), cti_pair_body_b(s, &hit->pair));
    ct_real far = cti_v3_norm(cti_pair_offset(s, s->x0, &hit->pair)) / h;
    return (uint32_t)(cti_min(far, 1000) * 1000) + (cti_twins_poles(&hit->pair, pole) ? 0 : 1u << 24);
}

CTI_FN int cti_twins_cull(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits)
{
    cti_twins q;
    int i, m = 0, n = CTI_LEN(hits);
    uint32_t *rank = CTI_ARENA_NEW(arena, uint32_t, n), *rank_tmp = CTI_ARENA_NEW(arena, uint32_t, n);
    int32_t *order = CTI_ARENA_NEW(arena, int32_t, n), *order_tmp = CTI_ARENA_NEW(arena, int32_t, n);
    q.s = s, q.memory = memory, q.hits = hits;
    q.first = CTI_ARENA_ZERO(arena, int32_t, s->nv), q.next = CTI_ARENA_NEW(arena, int32_t, 2 * n), q.keep = CTI_ARENA_ZERO(arena, uint8_t, n);
    if (!rank || !rank_tmp || !order || !order_tmp || !q.first || !q.next || !q.keep)
        return 0;
    for (i = 0; i < n; i++)
        if (cti_twins_may_twin(&hits[i]))
            rank[m] = cti_twins_rank(s, &hits[i]), order[m++] = i;
        else
            q.keep[i] = 1;
    cti_sort_u32(rank, order, rank_tmp, order_tmp, m);
    for (i = 0; i < m; i++)
        cti_twins_admit(&q, order[i]);
    cti_hits_take(hits, q.keep);
    return 1;
}
