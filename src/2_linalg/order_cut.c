/* order_cut.c -- vertex separators of graphs.
   Method: the graph is coarsened by heavy-edge matching; the coarsest is cut by growing regions from several seeds; on the way back every
   level is refined by Fiduccia-Mattheyses moves: a separator vertex goes to one side and pulls its neighbours of the other side into the
   separator. The best prefix of the moves is kept, and of several cuts the best one. Random numbers come from a fixed generator,
   so the result is a function of the graph. Where the vertices' places are known, planes across the three axes stand in for the coarse
   graphs: along each axis the fewest edges pass through the plane, once between vertices, once between whole bodies by their centres.
   based on: Karypis and Kumar 1998 (multilevel schemes); Heath and Raghavan 1995 (planes);
   Ashcraft and Liu 1997 (separator refinement); Fiduccia and Mattheyses 1982. */
#include "order.h"
#include "../0_base/heap.h"
#include "../0_base/sort.h"

#define CTI_ORDER_COARSEST 60
#define CTI_ORDER_LEVELS 40
#define CTI_ORDER_TRIES 10
#define CTI_ORDER_CUTS 3    /* cuts of one graph, of which the best counts. Two cubes of 16^3 cells: 30.6 MB of factor with 1, 25.8 with 3, which
                               take 0.1 s more; 8 save another 4 % */
#define CTI_ORDER_SMALL 300 /* [vertices] below this one cut is enough. 100 saves 1 % of the factor for half of the time more; 500 costs 1 % */
#define CTI_ORDER_SHARE 65  /* [%] most of the weight that a side may have. Separators of unequal sides can be smaller: with 56 the factor of a
                               cube is 12 % larger, with 70 it is 3 % larger */
#define CTI_ORDER_IDLE(n) (20 + (n) / 50) /* [moves] without a better separator, after which a pass ends. Three and four times as many take a
                                             quarter longer and find the same */

CTI_FN int cti_graph_alloc(cti_mem *mem, cti_graph *g, int n, int m)
{
    g->n = n;
    if (!CTI_RESIZE(mem, g->mem, 2 * (size_t)n + 1 + 2 * (size_t)m))
        return 0;
    g->ptr = g->mem;
    g->w = g->ptr + n + 1;
    g->adj = g->w + n;
    g->ew = g->adj + m;
    return 1;
}

CTI_FN void cti_graph_free(cti_mem *mem, cti_graph *g)
{
    CTI_FREE(mem, g->mem);
    memset(g, 0, sizeof *g);
}

static uint32_t cti_order_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* cti_order_fm -- the state of a refinement. A heap has vertices by their gain with a minus. It may hold stale entries: an entry is valid only if
   its gain is the vertex's current gain. */
typedef struct cti_order_fm {
    cti_mem *mem;
    const cti_graph *g;
    int *label;
    int *side[2];             /* [n] weight of a separator vertex's neighbours in side 0, 1 */
    int *locked;              /* [n] pass in which the vertex moved */
    int *undo;                /* to undo moves: pairs of vertex and old label */
    cti_heap_item *heap[2];   /* possible moves to side 0, 1 */
    int weight[3], most, pass;
    int *store;
    int failed;
} cti_order_fm;

static void cti_order_push(cti_order_fm *s, int to, int v)
{
    if (!cti_heap_push(s->mem, &s->heap[to], (int64_t)s->side[1 - to][v] - s->g->w[v], v))
        s->failed = 1;
}

/* computes the weights of v's neighbours in both sides, and puts its two moves into the heaps */
static void cti_order_enter(cti_order_fm *s, int v)
{
    const cti_graph *g = s->g;
    int k;
    s->side[0][v] = s->side[1][v] = 0;
    for (k = g->ptr[v]; k < g->ptr[v + 1]; k++)
        if (s->label[g->adj[k]] < 2)
            s->side[s->label[g->adj[k]]][v] += g->w[g->adj[k]];
    if (s->locked[v] != s->pass) {
        cti_order_push(s, 0, v);
        cti_order_push(s, 1, v);
    }
}

static void cti_order_relabel(cti_order_fm *s, int v, int to)
{
    const cti_graph *g = s->g;
    int k, u, from = s->label[v];
    if (!CTI_PUSH(s->mem, s->undo, v) || !CTI_PUSH(s->mem, s->undo, from)) {
        s->failed = 1;
        return;
    }
    s->weight[from] -= g->w[v];
    s->weight[to] += g->w[v];
    s->label[v] = to;
    /* neighbours in the separator: update their weights and gains */
    for (k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
        u = g->adj[k];
        if (s->label[u] != 2)
            continue;
        if (from < 2)
            s->side[from][u] -= g->w[v];
        if (to < 2)
            s->side[to][u] += g->w[v];
        if (s->locked[u] != s->pass && from < 2)
            cti_order_push(s, 1 - from, u);
        if (s->locked[u] != s->pass && to < 2)
            cti_order_push(s, 1 - to, u);
    }
    if (to == 2)
        cti_order_enter(s, v);
}

/* the best valid move, or -1 */
static int cti_order_pick(cti_order_fm *s, int *out_to)
{
    int to, v, best = -1, best_gain = 0, lighter = s->weight[1] < s->weight[0];
    for (to = 0; to < 2; to++) {
        int side = to ? 1 - lighter : lighter;
        while (CTI_LEN(s->heap[side]) > 0) {
            int gain = (int)-s->heap[side][0].key;
            v = s->heap[side][0].item;
            if (s->label[v] != 2 || s->locked[v] == s->pass || gain != s->g->w[v] - s->side[1 - side][v] ||
                s->weight[side] + s->g->w[v] > s->most) {
                cti_heap_pop(s->heap[side]);
                continue;
            }
            if (best < 0 || gain > best_gain)
                best = v, best_gain = gain, *out_to = side;
            break;
        }
    }
    if (best >= 0)
        cti_heap_pop(s->heap[*out_to]);
    return best;
}

static int cti_order_imbalance(const int weight[3]) { return weight[0] > weight[1] ? weight[0] - weight[1] : weight[1] - weight[0]; }

/* one pass of moves; returns 1 when it found a better separator */
static int cti_order_fm_pass(cti_order_fm *s)
{
    const cti_graph *g = s->g;
    int v, u, k, to = 0, idle = 0, kept = 0, best[3];
    s->pass++;
    CTI_CLEAR(s->undo);
    CTI_CLEAR(s->heap[0]);
    CTI_CLEAR(s->heap[1]);
    for (v = 0; v < g->n; v++)
        if (s->label[v] == 2)
            cti_order_enter(s, v);
    memcpy(best, s->weight, sizeof best);
    while (!s->failed && idle < CTI_ORDER_IDLE(g->n) && (v = cti_order_pick(s, &to)) >= 0) {
        int over, best_over;
        s->locked[v] = s->pass;
        cti_order_relabel(s, v, to);
        for (k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            u = g->adj[k];
            if (s->label[u] == 1 - to)
                cti_order_relabel(s, u, 2);
        }
        /* of two states the feasible one is better, then the lighter separator, then the better balance */
        over = cti_max_int(cti_max_int(s->weight[0], s->weight[1]) - s->most, 0);
        best_over = cti_max_int(cti_max_int(best[0], best[1]) - s->most, 0);
        idle++;
        if (over < best_over ||
            (over == best_over &&
             (s->weight[2] < best[2] || (s->weight[2] == best[2] && cti_order_imbalance(s->weight) < cti_order_imbalance(best))))) {
            memcpy(best, s->weight, sizeof best);
            kept = CTI_LEN(s->undo);
            idle = 0;
        }
    }
    /* undo the moves after the best prefix */
    for (k = CTI_LEN(s->undo); k > kept; k -= 2)
        s->label[s->undo[k - 2]] = s->undo[k - 1];
    memcpy(s->weight, best, sizeof best);
    return kept > 0;
}

static int cti_order_refine(cti_mem *mem, const cti_graph *g, int *label, int passes)
{
    cti_order_fm s;
    int v, n = g->n, total = 0;
    memset(&s, 0, sizeof s);
    s.mem = mem, s.g = g, s.label = label;
    if (!CTI_RESIZE(mem, s.store, 3 * (size_t)n))
        return 0;
    s.side[0] = s.store, s.side[1] = s.store + n, s.locked = s.store + 2 * n;
    for (v = 0; v < n; v++) {
        s.weight[label[v]] += g->w[v];
        total += g->w[v];
    }
    s.most = (int)((int64_t)total * CTI_ORDER_SHARE / 100);
    while (passes-- > 0 && cti_order_fm_pass(&s) && !s.failed) {
    }
    CTI_FREE(mem, s.heap[0]);
    CTI_FREE(mem, s.heap[1]);
    CTI_FREE(mem, s.undo);
    CTI_FREE(mem, s.store);
    return !s.failed;
}

/* cost of a separator: its weight, raised by imbalance of the sides */
static double cti_order_cost(const cti_graph *g, const int *label)
{
    int v, w[3] = {0, 0, 0};
    double total;
    for (v = 0; v < g->n; v++)
        w[label[v]] += g->w[v];
    total = (double)w[0] + w[1] + w[2];
    if (w[0] == 0 || w[1] == 0)
        return 10 * total;
    return w[2] * (1 + ((double)cti_order_imbalance(w) / total) * ((double)cti_order_imbalance(w) / total));
}

/* grows a region of half the weight around a random vertex; its outer boundary is the separator */
static void cti_order_grow(const cti_graph *g, uint32_t *random, int *label, int *queue)
{
    int v, k, head = 0, tail = 0, w = 0, half = 0;
    for (v = 0; v < g->n; v++) {
        label[v] = 1;
        half += g->w[v];
    }
    half /= 2;
    v = (int)(cti_order_random(random) % (uint32_t)g->n);
    /* labels: 1 untouched, 3 queued, 0 in the region. Breadth first, with a new seed when a component is exhausted */
    label[v] = 3;
    queue[tail++] = v;
    while (w < half) {
        if (head == tail) {
            for (v = 0; v < g->n && label[v] != 1; v++) {
            }
            if (v == g->n)
                break;
            label[v] = 3;
            queue[tail++] = v;
        }
        v = queue[head++];
        label[v] = 0;
        w += g->w[v];
        for (k = g->ptr[v]; k < g->ptr[v + 1]; k++)
            if (label[g->adj[k]] == 1) {
                label[g->adj[k]] = 3;
                queue[tail++] = g->adj[k];
            }
    }
    for (v = 0; v < g->n; v++)
        if (label[v] == 3)
            label[v] = 2;
}

/* grows and refines several regions, keeps the best */
static int cti_order_initial(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label)
{
    int *w = NULL, t, n = g->n, ok = 0;
    double best = 0, cost;
    if (!CTI_RESIZE(mem, w, 2 * (size_t)n))
        return 0;
    for (t = 0; t < CTI_ORDER_TRIES; t++) {
        cti_order_grow(g, &seed, w, w + n);
        if (!cti_order_refine(mem, g, w, 6))
            goto done;
        cost = cti_order_cost(g, w);
        if (t == 0 || cost < best) {
            best = cost;
            memcpy(label, w, (size_t)n * sizeof *label);
        }
    }
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

/* heavy-edge matching: map[v] is v's coarse vertex; returns their number. order is scratch [n]. */
static int cti_order_match(const cti_graph *g, uint32_t *random, int *map, int *order)
{
    int i, k, v, u, best, n = 0, total = 0, most;
    for (i = 0; i < g->n; i++) {
        map[i] = -1;
        order[i] = i;
        total += g->w[i];
    }
    most = cti_max_int(2, (int)((int64_t)total * 3 / (2 * CTI_ORDER_COARSEST)));
    for (i = g->n - 1; i > 0; i--) {
        k = (int)(cti_order_random(random) % (uint32_t)(i + 1));
        v = order[i], order[i] = order[k], order[k] = v;
    }
    for (i = 0; i < g->n; i++) {
        int weight = 0;
        v = order[i];
        if (map[v] >= 0)
            continue;
        for (best = -1, k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            u = g->adj[k];
            if (map[u] < 0 && g->ew[k] > weight && g->w[u] + g->w[v] <= most)
                best = u, weight = g->ew[k];
        }
        map[v] = n;
        if (best >= 0)
            map[best] = n;
        n++;
    }
    return n;
}

/* the graph of the matched pairs; mark and list are scratch [n] */
static int cti_order_contract(cti_mem *mem, const cti_graph *g, const int *map, int n, cti_graph *c, int *mark, int *list)
{
    int v, i, k, u, e = 0;
    if (!cti_graph_alloc(mem, c, n, g->ptr[g->n]))
        return 0;
    /* list: first member of each coarse vertex; mark: the second, or -1 */
    for (v = g->n - 1; v >= 0; v--)
        list[map[v]] = mark[map[v]] = -1;
    for (v = 0; v < g->n; v++)
        if (list[map[v]] < 0)
            list[map[v]] = v;
        else
            mark[map[v]] = v;
    for (i = 0; i < n; i++)
        c->w[i] = -1;
    for (i = 0; i < n; i++) {
        int member[2], m, first = e;
        member[0] = list[i], member[1] = mark[i];
        c->ptr[i] = e;
        /* w maps a neighbour to its edge; vertex weights are written at the end */
        for (m = 0; m < 2 && member[m] >= 0; m++)
            for (k = g->ptr[member[m]]; k < g->ptr[member[m] + 1]; k++) {
                u = map[g->adj[k]];
                if (u == i)
                    continue;
                if (c->w[u] < first) {
                    c->w[u] = e;
                    c->adj[e] = u;
                    c->ew[e++] = 0;
                }
                c->ew[c->w[u]] += g->ew[k];
            }
    }
    c->ptr[n] = e;
    for (i = 0; i < n; i++)
        c->w[i] = g->w[list[i]] + (mark[i] >= 0 ? g->w[mark[i]] : 0);
    return 1;
}

/* one cut: down to the coarsest graph, and up again */
static int cti_order_multilevel(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label)
{
    cti_graph level[CTI_ORDER_LEVELS];
    int *map[CTI_ORDER_LEVELS], *w = NULL, *fine = NULL, *t, n = g->n, d = 0, i, v, ok = 0;
    memset(level, 0, sizeof level);
    memset(map, 0, sizeof map);
    level[0] = *g;
    if (!CTI_RESIZE(mem, w, 2 * (size_t)n) || !CTI_RESIZE(mem, fine, n))
        goto done;
    /* down: coarsen */
    while (level[d].n > CTI_ORDER_COARSEST && d + 1 < CTI_ORDER_LEVELS) {
        if (!CTI_RESIZE(mem, map[d], level[d].n))
            goto done;
        i = cti_order_match(&level[d], &seed, map[d], w);
        if (i > level[d].n - level[d].n / 10)
            break;
        if (!cti_order_contract(mem, &level[d], map[d], i, &level[d + 1], w, w + n))
            goto done;
        d++;
    }
    if (!cti_order_initial(mem, &level[d], seed, fine))
        goto done;
    /* up: labels of the coarse vertices, then refinement */
    while (d-- > 0) {
        for (v = 0; v < level[d].n; v++)
            w[v] = fine[map[d][v]];
        t = w, w = fine, fine = t;
        if (!CTI_RESIZE(mem, w, 2 * (size_t)n) || !cti_order_refine(mem, &level[d], fine, 8))
            goto done;
    }
    memcpy(label, fine, (size_t)n * sizeof *label);
    ok = 1;
done:
    for (i = 0; i < CTI_ORDER_LEVELS; i++) {
        if (i > 0)
            cti_graph_free(mem, &level[i]);
        CTI_FREE(mem, map[i]);
    }
    CTI_FREE(mem, w);
    CTI_FREE(mem, fine);
    return ok;
}

CTI_FN int cti_order_cut(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label)
{
    int *w = NULL, t, ok;
    double best, cost;
    if (!cti_order_multilevel(mem, g, seed, label))
        return 0;
    if (g->n < CTI_ORDER_SMALL)
        return 1;
    best = cti_order_cost(g, label);
    ok = CTI_RESIZE(mem, w, g->n) != 0;
    for (t = 1; ok && t < CTI_ORDER_CUTS; t++) {
        ok = cti_order_multilevel(mem, g, seed + (uint32_t)t, w);
        if (ok && (cost = cti_order_cost(g, w)) < best) {
            best = cost;
            memcpy(label, w, (size_t)g->n * sizeof *label);
        }
    }
    CTI_FREE(mem, w);
    return ok;
}

/* work of cti_order_cut_places */
typedef struct cti_order_planes {
    const cti_graph *g;
    const cti_order_places *at;
    const int *part;
    uint64_t *keys; /* [2 n] */
    int32_t *list;  /* [2 n] vertices along an axis */
    int *w;         /* [3 n] */
    double *centre; /* [2 n] sum and number of a body's vertices, at the first of them */
} cti_order_planes;

/* sorts the vertices along an axis, or whole bodies by their centres. first [n]: a vertex of the same body */
static void cti_order_along(cti_order_planes *p, const int *first, int axis, int whole)
{
    int n = p->g->n, i;
    memset(p->centre, 0, sizeof *p->centre * 2 * (size_t)n);
    for (i = 0; i < n; i++) {
        double *c = p->centre + 2 * (size_t)(whole ? first[i] : i);
        c[0] += p->at->x[3 * (size_t)p->part[i] + (size_t)axis], c[1]++;
    }
    for (i = 0; i < n; i++) {
        const double *c = p->centre + 2 * (size_t)(whole ? first[i] : i);
        p->keys[i] = cti_sort_key(c[0] / c[1]), p->list[i] = i;
    }
    cti_sort_u64(p->keys, p->list, p->keys + n, p->list + n, n);
}

/* Where to cut the list: as few edges as possible pass from in front of it to behind it, for sides that are not too unequal; -1 where no place
   separates bodies. Uses w + n, w + 2 n */
static int cti_order_gap(const cti_order_planes *p)
{
    const cti_graph *g = p->g;
    int *place = p->w + g->n, *opens = place + g->n, n = g->n, best = -1, passing = 0, i, k;
    double least = 0;
    for (i = 0; i < n; i++)
        place[p->list[i]] = i, opens[i] = 0;
    for (i = 0; i < n; i++)
        for (k = g->ptr[i]; k < g->ptr[i + 1]; k++)
            if (place[g->adj[k]] > place[i])
                opens[place[i]]++, opens[place[g->adj[k]]]--;
    for (i = 0; i < n - 1; i++) {
        double uneven = fabs(2. * (i + 1) / n - 1), cost;
        passing += opens[i];
        cost = (passing + 1) * (1 + uneven * uneven);
        if (100 * (1 + uneven) > 2 * CTI_ORDER_SHARE || p->keys[i] == p->keys[i + 1] || (best >= 0 && cost >= least))
            continue;
        best = i + 1, least = cost;
    }
    return best;
}

/* The separator of the sides w [n]: of each edge between them the vertex with more such edges. Uses w + 2 n */
static void cti_order_cover(const cti_order_planes *p, int *label)
{
    const cti_graph *g = p->g;
    int *w = p->w, *edges = w + 2 * (size_t)g->n, i, k;
    for (i = 0; i < g->n; i++)
        for (label[i] = w[i], edges[i] = 0, k = g->ptr[i]; k < g->ptr[i + 1]; k++)
            edges[i] += w[g->adj[k]] != w[i];
    for (i = 0; i < g->n; i++)
        for (k = g->ptr[i]; w[i] == 0 && label[i] != 2 && k < g->ptr[i + 1]; k++) {
            int u = g->adj[k];
            if (w[u] && label[u] != 2)
                label[edges[u] > edges[i] ? u : i] = 2;
        }
}

CTI_FN int cti_order_cut_places(cti_mem *mem, const cti_graph *g, const cti_order_places *at, const int *part, int *label)
{
    cti_order_planes p;
    int *first = NULL, n = g->n, axis, i, whole, ok = 0;
    double best = -1;
    memset(&p, 0, sizeof p);
    p.g = g, p.at = at, p.part = part;
    if (!CTI_RESIZE(mem, p.keys, 2 * (size_t)n) || !CTI_RESIZE(mem, p.list, 2 * (size_t)n) || !CTI_RESIZE(mem, p.w, 3 * (size_t)n) ||
        !CTI_RESIZE(mem, p.centre, 2 * (size_t)n) || !CTI_RESIZE(mem, first, n))
        goto done;
    for (i = 0; i < n; i++)
        p.keys[i] = (uint64_t)at->group[part[i]], p.list[i] = i;
    cti_sort_u64(p.keys, p.list, p.keys + n, p.list + n, n);
    for (i = 0; i < n; i++)
        first[p.list[i]] = i > 0 && p.keys[i] == p.keys[i - 1] ? first[p.list[i - 1]] : p.list[i];
    for (whole = 0; whole < 2; whole++)
        for (axis = 0; axis < 3; axis++) {
            int gap, *now = p.w + n;
            double cost;
            cti_order_along(&p, first, axis, whole);
            gap = cti_order_gap(&p);
            for (i = 0; i < n; i++)
                p.w[p.list[i]] = i >= gap;
            if (gap < 0)
                continue;
            cti_order_cover(&p, now);
            cost = cti_order_cost(g, now);
            if (best < 0 || cost < best)
                best = cost, memcpy(label, now, sizeof *label * (size_t)n);
        }
    ok = best < 0 ? cti_order_cut(mem, g, (uint32_t)n, label) : cti_order_refine(mem, g, label, 8);
done:
    CTI_FREE(mem, p.keys);
    CTI_FREE(mem, p.list);
    CTI_FREE(mem, p.w);
    CTI_FREE(mem, p.centre);
    CTI_FREE(mem, first);
    return ok;
}
