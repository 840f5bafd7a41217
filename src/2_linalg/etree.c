/* etree.c -- elimination tree, column counts, supernodes, amalgamation.
   Method: the tree by path compression, counts by walking every row's subtree; columns with nested patterns form supernodes. A supernode
   joins its parent when a time model says that the added zeros cost less than the smaller kernels do. Any child may join, not only the last
   one. The joined tree is postordered anew, which keeps the fill. Based on: Liu 1990 (the role of elimination trees); Ashcraft and Grimes
   1989 (relaxed supernodes). */
#include "etree.h"

/* modelled time of a supernode with ns pivot blocks and nb blocks below, in thousands of cycles */
static double cti_etree_cost(int ns, int nb)
{
    double k = 3.0 * ns, m = 3.0 * nb;
    return 1e-3 * (500 + (k * k * k / 3 + k * k * m + k * m * m) / 24 + 0.6 * k * (k + m) + 0.3 * m * m);
}

/* parent[j] in the order perm, -1 at roots; anc is scratch */
static void cti_etree_parents(const cti_graph *g, const int *perm, const int *inv, int *parent, int *anc)
{
    int i, j, k, next;
    for (i = 0; i < g->n; i++) {
        parent[i] = anc[i] = -1;
        for (k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
            for (j = inv[g->adj[k]]; j >= 0 && j < i; j = next) {
                next = anc[j];
                anc[j] = i;
                if (next < 0)
                    parent[j] = i;
            }
    }
}

/* count[j]: blocks below the diagonal in column j of the factor; mark is scratch */
static void cti_etree_counts(const cti_graph *g, const int *perm, const int *inv, const int *parent, int *count, int *mark)
{
    int i, j, k;
    for (i = 0; i < g->n; i++) {
        count[i] = 0;
        mark[i] = i;
        for (k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
            for (j = inv[g->adj[k]]; j < i && mark[j] != i; j = parent[j]) {
                mark[j] = i;
                count[j]++;
            }
    }
}

/* post[k] is the node visited k-th, children before parents, subtrees together; head and next are scratch */
static void cti_etree_postorder(const int *parent, int n, int *post, int *head, int *next)
{
    int i, k = 0, root, c;
    for (i = 0; i < n; i++)
        head[i] = -1;
    for (i = n - 1; i >= 0; i--)
        if (parent[i] >= 0) {
            next[i] = head[parent[i]];
            head[parent[i]] = i;
        }
    for (root = 0; root < n; root++) {
        if (parent[root] >= 0)
            continue;
        for (i = root;;) {
            /* descend to a leaf, number nodes on the way up, then go on with the next sibling of the first node that has one */
            while ((c = head[i]) >= 0) {
                head[i] = next[c];
                i = c;
            }
            post[k++] = i;
            if (i == root)
                break;
            i = parent[i];
        }
    }
}

/* cti_etree_work -- all arrays are [n] except the first, which is the block of ints behind them */
typedef struct cti_etree_work {
    int *store, *inv, *parent, *count, *post, *a, *b, *super;
    int *ns, *nb, *up, *rep;
} cti_etree_work;

/* postorders the tree: perm, parent and count are renumbered */
static void cti_etree_renumber(cti_etree_work *w, int n, int *perm)
{
    int i;
    if (n == 0)
        return;
    cti_etree_postorder(w->parent, n, w->post, w->a, w->b);
    for (i = 0; i < n; i++)
        w->inv[w->post[i]] = i;
    for (i = 0; i < n; i++) {
        int j = w->post[i];
        w->a[i] = perm[j];
        w->b[i] = w->parent[j] < 0 ? -1 : w->inv[w->parent[j]];
        w->super[i] = w->count[j];
    }
    memcpy(perm, w->a, (size_t)n * sizeof *perm);
    memcpy(w->parent, w->b, (size_t)n * sizeof *perm);
    memcpy(w->count, w->super, (size_t)n * sizeof *perm);
}

/* maximal chains of nested columns: super[j], ns, nb, up (parent supernode); returns their number */
static int cti_etree_chains(cti_etree_work *w, int n)
{
    int j, s = -1;
    for (j = 0; j < n; j++) {
        if (j == 0 || w->parent[j - 1] != j || w->count[j - 1] != w->count[j] + 1)
            w->ns[++s] = 0;
        w->super[j] = s;
        w->ns[s]++;
        w->nb[s] = w->count[j];
        w->up[s] = j; /* the chain's last column for now; replaced by the parent supernode */
    }
    for (j = 0; j <= s; j++)
        w->up[j] = w->parent[w->up[j]] < 0 ? -1 : w->super[w->parent[w->up[j]]];
    return s + 1;
}

/* joins children into parents while the time model gains; rep[s] is the supernode that s has become part of */
static void cti_etree_join(cti_etree_work *w, int m)
{
    int *head = w->a, *next = w->b, s, c, best;
    for (s = 0; s < m; s++)
        head[s] = -1;
    for (s = 0; s < m; s++) {
        w->rep[s] = s;
        for (;;) {
            double gain = 0, t;
            for (best = -1, c = head[s]; c >= 0; c = next[c]) {
                t = cti_etree_cost(w->ns[c], w->nb[c]) + cti_etree_cost(w->ns[s], w->nb[s]) - cti_etree_cost(w->ns[c] + w->ns[s], w->nb[s]);
                if (t > gain)
                    gain = t, best = c;
            }
            if (best < 0)
                break;
            /* unlinks best and hands its children to s */
            if (head[s] == best)
                head[s] = next[best];
            else {
                for (c = head[s]; next[c] != best; c = next[c]) {
                }
                next[c] = next[best];
            }
            while ((c = head[best]) >= 0) {
                head[best] = next[c];
                next[c] = head[s];
                head[s] = c;
                w->up[c] = s;
            }
            w->ns[s] += w->ns[best];
            w->rep[best] = s;
        }
        if (w->up[s] >= 0) {
            next[s] = head[w->up[s]];
            head[w->up[s]] = s;
        }
    }
    for (s = m - 1; s >= 0; s--)
        w->rep[s] = w->rep[w->rep[s]];
}

/* writes the columns in the order of the joined, postordered tree into perm, and the supernodes' first columns into first */
static int cti_etree_emit(cti_mem *mem, cti_etree_work *w, int n, int m, int *perm, int **first, double *out_cost)
{
    int i, s, k = 0, *at = w->post, *sorted = w->inv, *old = w->count;
    CTI_CLEAR(*first);
    if (!CTI_RESERVE(mem, *first, m + 1))
        return 0;
    /* joined supernodes leave the forest: they hang below their representative and emit nothing themselves */
    for (s = 0; s < m; s++)
        if (w->rep[s] != s)
            w->up[s] = w->rep[s];
    cti_etree_postorder(w->up, m, w->post, w->a, w->b);
    /* a[s]: first position of representative s */
    *out_cost = 0;
    for (i = 0; i < m; i++) {
        s = at[i];
        if (w->rep[s] != s)
            continue;
        w->a[s] = k;
        (*first)[stbds_header(*first)->length++] = k;
        k += w->ns[s];
        *out_cost += cti_etree_cost(w->ns[s], w->nb[s]);
    }
    (*first)[stbds_header(*first)->length++] = n;
    for (i = 0; i < n; i++) {
        sorted[w->a[w->rep[w->super[i]]]++] = i;
        old[i] = perm[i];
    }
    for (i = 0; i < n; i++)
        perm[i] = old[sorted[i]];
    return 1;
}

CTI_FN int cti_etree_supernodes(cti_mem *mem, const cti_graph *g, int *perm, int **first, double *out_cost)
{
    cti_etree_work w;
    int n = g->n, i, m, ok = 0;
    memset(&w, 0, sizeof w);
    if (!CTI_RESIZE(mem, w.store, 12 * (size_t)n + 1))
        return 0;
    w.inv = w.store, w.parent = w.inv + n, w.count = w.parent + n, w.post = w.count + n, w.a = w.post + n, w.b = w.a + n;
    w.super = w.b + n, w.ns = w.super + n, w.nb = w.ns + n, w.up = w.nb + n, w.rep = w.up + n;
    for (i = 0; i < n; i++)
        w.inv[perm[i]] = i;
    cti_etree_parents(g, perm, w.inv, w.parent, w.a);
    cti_etree_counts(g, perm, w.inv, w.parent, w.count, w.a);
    cti_etree_renumber(&w, n, perm);
    m = cti_etree_chains(&w, n);
    cti_etree_join(&w, m);
    ok = cti_etree_emit(mem, &w, n, m, perm, first, out_cost);
    CTI_FREE(mem, w.store);
    return ok;
}
