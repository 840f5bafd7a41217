/* candidates.c -- candidate pairs of features. Method: a pair is first tested by a bound: no two points of it come nearer to each other than the
   vertices of one come relative to those of the other. What that does not exclude goes to continuous detection with a minimum distance, in batches.
   based on: Li et al. 2020, sec. 4.4. */
#include "candidates.h"
#include "../0_base/tasks.h"
#include "../4_geom/ccd.h"
#include "../4_geom/dist.h"

/* [us] of a candidate: its distance, and its time of impact, most often excluded by the bound */
#define CTI_CANDIDATES_DISTANCE 0.02
#define CTI_CANDIDATES_MEET 0.02
/* [ulp] of the extent of a pair: rounding of its distance. Float needs it, where a press leaves a few ulp between bodies. Half and double were not
   compared */
#define CTI_CANDIDATES_DOUBT 64

CTI_FN void cti_candidates_kinds(cti_candidates *list)
{
    list[CTI_LIST_VF].kind = CT_PAIR_VF, list[CTI_LIST_EE].kind = CT_PAIR_EE, list[CTI_LIST_VE].kind = CT_PAIR_VE;
    list[CTI_LIST_VV].kind = CT_PAIR_VV, list[CTI_LIST_PLANE].kind = CT_PAIR_PLANE;
}

CTI_FN void cti_candidates_free(cti_mem *mem, cti_candidates *l) { CTI_FREE_SPAN(mem, l->pairs, l->feature); }

/* the numbers of pair i's closest points */
static ct_real *cti_candidates_closest(const cti_candidates *l, int i)
{
    return l->w + (l->kind == CT_PAIR_VF ? 3 : l->kind == CT_PAIR_EE ? 2 : 1) * (size_t)i;
}

static ct_real cti_candidates_hat(const cti_surface *s, const ct_real *hat, int a, int b)
{
    return hat ? (hat[a] + hat[b]) / 2 : cti_surface_pair_thickness(s, a, b);
}

CTI_FN int cti_candidates_complete(cti_mem *mem, cti_candidates *l, const cti_surface *s, const ct_real *hat)
{
    int n = cti_candidates_len(l), i, first = cti_kind_first(l->kind), a = -1, b = -1;
    ct_real thickness = 0;
    if (!CTI_RESIZE(mem, l->quads, 4 * n) || !CTI_RESIZE(mem, l->hat, n) || !CTI_RESIZE(mem, l->d2, n) || !CTI_RESIZE(mem, l->w, 3 * n) ||
        !CTI_RESIZE(mem, l->feature, n))
        return 0;
    for (i = 0; i < n; i++) {
        cti_pair p;
        cti_pair_make(s, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], &p);
        memcpy(l->quads + 4 * (size_t)i, p.v, 4 * sizeof *p.v);
        if (l->kind == CT_PAIR_PLANE || a != s->body_of[p.v[0]] || b != s->body_of[p.v[first]])
            thickness = cti_candidates_hat(s, hat, cti_pair_body_a(s, &p), cti_pair_body_b(s, &p));
        a = s->body_of[p.v[0]], b = l->kind == CT_PAIR_PLANE ? -1 : s->body_of[p.v[first]];
        l->hat[i] = thickness;
    }
    return 1;
}

/* the least distance of a vertex from a plane in a room */
static ct_real cti_candidates_above(const cti_surface *s, const cti_room *room, const cti_plane *q, int v)
{
    ct_real least = CTI_REAL_MAX;
    int end, k;
    for (end = 0; end < 2; end++) {
        cti_box box = cti_room_box(room, s, v, end);
        ct_real gap = -q->offset, lo[3], hi[3];
        cti_v3_put(lo, 0, box.lo), cti_v3_put(hi, 0, box.hi);
        for (k = 0; k < 3; k++)
            gap += q->normal[k] * (q->normal[k] > 0 ? lo : hi)[k];
        least = cti_min(least, gap);
    }
    return least;
}

CTI_FN int cti_candidates_planes(cti_mem *mem, cti_candidates *l, const cti_surface *s, const cti_room *room, const ct_real *hat, ct_real share)
{
    int p, v;
    for (p = 0; p < s->n_planes; p++)
        for (v = cti_surface_facing(s, p, 0); v < s->nv; v = cti_surface_facing(s, p, v + 1))
            if (cti_candidates_above(s, room, &s->planes[p], v) < share * cti_candidates_hat(s, hat, s->body_of[v], s->planes[p].body) &&
                (!CTI_PUSH(mem, l->pairs, v) || !CTI_PUSH(mem, l->pairs, p)))
                return 0;
    return 1;
}

/* cti_candidates_loop -- a loop over the pairs of a list */
typedef struct cti_candidates_loop {
    const cti_candidates *l;
    const cti_surface *s;
    const ct_real *x, *d2;
    const cti_candidates_way *way;
    ct_real apart; /* [m^2] pairs at a larger squared distance keep their share of it */
    ct_real *toi;
} cti_candidates_loop;

static void cti_candidates_measure_range(int begin, int end, int worker, void *context)
{
    const cti_candidates_loop *q = (const cti_candidates_loop *)context;
    const cti_candidates *l = q->l;
    size_t at = (size_t)begin;
    CTI_UNUSED(worker);
    cti_dist_batch(l->kind, q->x, l->quads + 4 * at, end - begin, l->d2 + at, cti_candidates_closest(l, begin), l->feature + at);
    for (; l->kind == CT_PAIR_PLANE && begin < end; begin++)
        l->d2[begin] = cti_plane_gap(&q->s->planes[l->pairs[2 * begin + 1]], cti_v3_at(q->x, l->pairs[2 * begin]));
}

CTI_FN void cti_candidates_measure(cti_candidates *l, const cti_surface *s, const ct_real *x)
{
    cti_candidates_loop q;
    memset(&q, 0, sizeof q);
    q.l = l, q.s = s, q.x = x;
    cti_tasks_run_work(s->soup.tasks, cti_candidates_measure_range, cti_candidates_len(l), CTI_CANDIDATES_DISTANCE, &q);
}

CTI_FN void cti_candidates_rest(cti_candidates *l, const cti_surface *s)
{
    int i, first = cti_kind_first(l->kind);
    cti_candidates_measure(l, s, s->rest);
    for (i = 0; l->kind != CT_PAIR_PLANE && i < cti_candidates_len(l); i++) {
        const int32_t *v = l->quads + 4 * (size_t)i;
        if (s->body_of[v[0]] == s->body_of[v[first]] && !s->is_point[v[0]])
            l->hat[i] = cti_min(l->hat[i], cti_sqrt(l->d2[i]) / 2);
    }
}

CTI_FN void cti_candidates_pair(const cti_candidates *l, const cti_surface *s, int i, cti_pair *out)
{
    cti_pair_make(s, l->kind, l->pairs[2 * i], l->pairs[2 * i + 1], out);
    cti_pair_weigh(out, cti_candidates_closest(l, i));
}

/* ---- motions ---- */

/* extent of a pair: its distance is formed from differences of its vertices */
static ct_real cti_candidates_extent(const int32_t *q, int n, const ct_real *x0)
{
    ct_real big = 0;
    int i, k;
    for (i = 1; i < n; i++)
        for (k = 0; k < 3; k++)
            big = cti_max(big, cti_abs(x0[3 * (size_t)q[i] + (size_t)k] - x0[3 * (size_t)q[0] + (size_t)k]));
    return big;
}

/* 1 if one of n vertices is marked */
static int cti_candidates_marked(const uint8_t *mark, const int32_t *v, int n)
{
    int k, any = 0;
    for (k = 0; k < n; k++)
        any |= mark[v[k]];
    return any;
}

/* 1: pair i keeps its distance by the bound; *least: what it is to keep */
static int cti_candidates_keeps(const cti_candidates_loop *q, int i, int first, int n, ct_real *least)
{
    const cti_candidates_way *w = q->way;
    const int32_t *v = q->l->quads + 4 * (size_t)i, *body = q->s->body_of;
    ct_real d, way;
    if (q->d2[i] > q->apart || (w->moved && !cti_candidates_marked(w->moved, v, n)))
        return 1;
    d = cti_sqrt(q->d2[i]), *least = cti_min(w->part * d, w->share * q->l->hat[i]);
    if (d - w->most > *least)
        return 1;
    way = cti_vertices_approach(v, first, n, w->x0, w->x1);
    if (w->size && !(way > cti_min(w->size[body[v[0]]], w->size[body[v[first]]])))
        return 1;
    return d - way * (1 + 16 * CTI_EPS) > *least + CTI_CANDIDATES_DOUBT * CTI_EPS * cti_candidates_extent(v, n, w->x0);
}

/* times of impact of m pairs at quads [4 m], those of numbers `which` */
static void cti_candidates_impacts(const cti_candidates_loop *q, const int32_t *quads, const int32_t *which, const ct_real *least, int m)
{
    ct_real toi[CTI_CANDIDATES_BLOCK];
    ct_pair_kind kind = q->l->kind;
    const cti_candidates_way *w = q->way;
    int i, n = cti_kind_corners(kind);
    if (n == 4)
        (kind == CT_PAIR_VF ? cti_ccd_vf_batch : cti_ccd_ee_batch)(w->x0, w->x1, quads, m, least, toi);
    for (i = 0; i < m; i++)
        q->toi[which[i]] = n == 4 ? toi[i] : cti_vertices_toi((int)kind, quads + 4 * (size_t)i, n, least[i], w->x0, w->x1);
}

static void cti_candidates_meet_range(int begin, int end, int worker, void *context)
{
    const cti_candidates_loop *q = (const cti_candidates_loop *)context;
    int32_t quads[4 * CTI_CANDIDATES_BLOCK], which[CTI_CANDIDATES_BLOCK];
    ct_real least[CTI_CANDIDATES_BLOCK];
    int first = cti_kind_first(q->l->kind), n = cti_kind_corners(q->l->kind);
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        int i = begin * CTI_CANDIDATES_BLOCK, last = cti_min_int(i + CTI_CANDIDATES_BLOCK, cti_candidates_len(q->l)), m = 0;
        for (; i < last; i++) {
            q->toi[i] = CTI_R(CTI_CCD_NONE);
            if (cti_candidates_keeps(q, i, first, n, &least[m]))
                continue;
            memcpy(quads + 4 * m, q->l->quads + 4 * (size_t)i, 4 * sizeof *quads);
            which[m++] = i;
        }
        cti_candidates_impacts(q, quads, which, least, m);
    }
}

CTI_FN void cti_candidates_meet(const cti_candidates *l, const cti_surface *s, const cti_candidates_way *way, const ct_real *d2, ct_real *toi)
{
    cti_candidates_loop q;
    q.l = l, q.s = s, q.x = way->x0, q.way = way, q.d2 = d2, q.toi = toi;
    q.apart = way->most * way->most / ((1 - way->part) * (1 - way->part)) * (1 + 16 * CTI_EPS);
    cti_tasks_run_work(s->soup.tasks, cti_candidates_meet_range, cti_candidates_blocks(l), (double)CTI_CANDIDATES_BLOCK * CTI_CANDIDATES_MEET, &q);
}
