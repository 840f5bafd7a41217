/* schur.c -- Schur complements of sparse rows.
   Method: W = Y'Y with Y = L^-1 J'. A row of J fills in only along the paths from its blocks to the roots of the elimination trees. W is a
   sum over these trees (bodies that no entry of A joins), taken one at a time. In a tree, rows are sorted by their first block in
   elimination order and laid out in strips of eight columns. A supernode stores only the strips that reach it. Y'Y is summed supernode by
   supernode. Based on: Gilbert and Peierls 1988 (sparse right sides); Amestoy et al. 2012 (their order). */
#include "schur.h"
#include "../0_base/sort.h"

/* cti_schur_plan -- one tree at a time: supernodes s0 .. s1 - 1, columns row[0 .. n - 1] */
typedef struct cti_schur_plan {
    const cti_factor64 *f;
    const int32_t *ptr, *idx;
    const double *val;
    int32_t *row, *at; /* [pairs] rows of J, sorted by tree and first position; the first position of each */
    int pairs;
    int s0, s1, n, strips;
    const int32_t *own;    /* the tree's part of row */
    int32_t *first;        /* [s1 - s0 + 1] ranges in strip: the strips that reach a supernode, ascending */
    int32_t *strip, *zero; /* number of a strip; zero: its rows above this one (a multiple of 4) are 0 */
    size_t *offset;        /* [s1 - s0] where the supernode's strips begin in Y, each [top][8] */
    double *Y, *C;         /* C [8 strips][8 strips]: Y'Y on and right of the diagonal */
    size_t *to, *step;     /* [max_rows] for each row below: its place in strip 0 of the supernode that owns it; distance between strips
                              there */
    const int32_t **map;   /* [max_rows] for each row below: number, in the supernode that owns it, of each strip of this one */
    int32_t *maps;
} cti_schur_plan;

static int cti_schur_parent(const cti_symbolic *sym, int s)
{
    return sym->row_ptr[s + 1] > sym->row_ptr[s] ? sym->owner[sym->rows[sym->row_ptr[s]]] : -1;
}

/* root[s]: the supernode at the top of its tree */
static void cti_schur_roots(const cti_symbolic *sym, int32_t *root)
{
    int s;
    for (s = sym->n_super - 1; s >= 0; s--) {
        int up = cti_schur_parent(sym, s);
        root[s] = up < 0 ? s : root[up];
    }
}

/* lists every pair of a row and a tree that it touches, sorted by the first position it touches; bucket [n + 1] */
static void cti_schur_pairs(cti_schur_plan *w, int rows, const int32_t *root, int32_t *row, int32_t *at, int32_t *bucket)
{
    const cti_symbolic *sym = w->f->sym;
    int i, k, c, n = 0, start;
    for (i = 0; i < rows; i++) {
        start = n;
        for (k = w->ptr[i]; k < w->ptr[i + 1]; k++) {
            int p = sym->inv[w->idx[k] / 3], tree = root[sym->owner[p]];
            for (c = start; c < n && root[sym->owner[at[c]]] != tree; c++) {
            }
            if (c == n)
                row[n] = i, at[n++] = p;
            else
                at[c] = cti_min_int(at[c], p);
        }
    }
    memset(bucket, 0, sizeof *bucket * (size_t)(sym->n + 1));
    for (c = 0; c < n; c++)
        bucket[at[c] + 1]++;
    cti_sort_starts(bucket, (size_t)sym->n);
    for (c = 0; c < n; c++) {
        int to = bucket[at[c]]++;
        w->row[to] = row[c], w->at[to] = at[c];
    }
    w->pairs = n;
}

/* the strips that reach each supernode of the tree: those of its own blocks and of its children. mark [s1 - s0][strips]: 1 + first row, or
   0 */
static int cti_schur_reach(cti_schur_plan *w, cti_arena *arena, int32_t *mark)
{
    const cti_symbolic *sym = w->f->sym;
    int c, k, s, j, count = 0;
    size_t used = 0, strips = (size_t)w->strips;
    memset(mark, 0, sizeof *mark * (size_t)(w->s1 - w->s0) * strips);
    for (c = 0; c < w->n; c++)
        for (k = w->ptr[w->own[c]]; k < w->ptr[w->own[c] + 1]; k++) {
            int p = sym->inv[w->idx[k] / 3], o = sym->owner[p], z = 1 + ((sym->place[p] - sym->pivot[o]) & ~3);
            int32_t *m;
            if (o < w->s0 || o >= w->s1)
                continue;
            m = mark + (size_t)(o - w->s0) * strips + c / 8;
            *m = *m ? cti_min_int(*m, z) : z;
        }
    for (s = w->s0; s < w->s1; s++) {
        int up = cti_schur_parent(sym, s);
        for (j = 0; j < w->strips; j++)
            if (mark[(size_t)(s - w->s0) * strips + (size_t)j]) {
                count++;
                if (up >= 0)
                    mark[(size_t)(up - w->s0) * strips + (size_t)j] = 1;
            }
    }
    w->strip = CTI_ARENA_NEW(arena, int32_t, count), w->zero = CTI_ARENA_NEW(arena, int32_t, count);
    if (!w->strip || !w->zero)
        return 0;
    for (s = w->s0, count = 0; s < w->s1; s++) {
        const int32_t *m = mark + (size_t)(s - w->s0) * strips;
        w->first[s - w->s0] = count;
        w->offset[s - w->s0] = used;
        for (j = 0; j < w->strips; j++)
            if (m[j])
                w->strip[count] = j, w->zero[count++] = m[j] - 1;
        used += 8 * (size_t)cti_sym_top(sym, s) * (size_t)(count - w->first[s - w->s0]);
    }
    w->first[w->s1 - w->s0] = count;
    w->Y = CTI_ARENA_ZERO(arena, double, used);
    return w->Y != NULL;
}

/* index of a strip among those of supernode s (counted from s0) */
static int cti_schur_find(const cti_schur_plan *w, int s, int strip)
{
    return cti_sort_lower(w->strip, 1, w->first[s], w->first[s + 1] - 1, strip) - w->first[s];
}

/* Y = J' */
static void cti_schur_fill(cti_schur_plan *w)
{
    const cti_symbolic *sym = w->f->sym;
    int c, k;
    for (c = 0; c < w->n; c++)
        for (k = w->ptr[w->own[c]]; k < w->ptr[w->own[c] + 1]; k++) {
            int p = sym->inv[w->idx[k] / 3], o = sym->owner[p];
            size_t at;
            if (o < w->s0 || o >= w->s1)
                continue;
            at = w->offset[o - w->s0] + 8 * (size_t)cti_sym_top(sym, o) * (size_t)cti_schur_find(w, o - w->s0, c / 8);
            w->Y[at + 8 * (size_t)(sym->place[p] - sym->pivot[o] + w->idx[k] % 3) + (size_t)(c & 7)] = w->val[k];
        }
}

/* one strip: y = L(pivots, pivots)^-1 y; rows above z are 0 */
static void cti_schur_forward(const double *P, const double *inverse, int cols, double *y, int z)
{
    size_t stride = 8 * (size_t)cols;
    int k0;
    for (k0 = z; k0 < cols; k0 += 4) {
        const double *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7);
        cti_d8 c[4];
        a[0] = l + 8 * (size_t)z, a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
        cti_k64_tile1(k0 - z, a, 8, y + 8 * (size_t)z, 8, c);
        cti_k64_trsm4(l + 8 * (size_t)k0, 1, 8, inverse + k0, y + 8 * (size_t)k0, 8, c);
        cti_k64_store4(y + 8 * (size_t)k0, 8, c);
    }
}

/* for each row below supernode s: its place in the supernode that owns it */
static void cti_schur_targets(cti_schur_plan *w, int s)
{
    const cti_symbolic *sym = w->f->sym;
    int t = s - w->s0, count = w->first[t + 1] - w->first[t], k, q, j, owner = -1;
    int32_t *map = w->maps - count;
    for (k = sym->row_ptr[s]; k < sym->row_ptr[s + 1]; k++) {
        int p = sym->rows[k], o = sym->owner[p];
        if (o != owner) {
            /* the owner's strips contain those of s, in the same order */
            int at = w->first[o - w->s0];
            owner = o, map += count;
            for (j = 0; j < count; j++) {
                while (w->strip[at] < w->strip[w->first[t] + j])
                    at++;
                map[j] = at - w->first[o - w->s0];
            }
        }
        for (q = 0; q < 3; q++) {
            int i = 3 * (k - sym->row_ptr[s]) + q;
            w->step[i] = 8 * (size_t)cti_sym_top(sym, o);
            w->to[i] = w->offset[o - w->s0] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + q);
            w->map[i] = map;
        }
    }
}

#define CTI_SCHUR_BLOCK 64 /* rows below that stay in cache while all strips are processed */

/* rows of later supernodes -= L(below, pivots) Y */
static void cti_schur_below(cti_schur_plan *w, int s)
{
    const cti_symbolic *sym = w->f->sym;
    int t = s - w->s0, count = w->first[t + 1] - w->first[t], cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), i0, i, j, q;
    size_t ys = 8 * (size_t)cti_sym_top(sym, s), stride = 8 * (size_t)cols;
    const double *B = w->f->L + sym->panel[s] + (size_t)cti_sym_top(sym, s) * (size_t)cols, *Y = w->Y + w->offset[t];
    for (i0 = 0; i0 < below; i0 += CTI_SCHUR_BLOCK)
        for (j = 0; j < count; j++) {
            int z = w->zero[w->first[t] + j], end = cti_min_int(below, i0 + CTI_SCHUR_BLOCK);
            const double *b = Y + (size_t)j * ys + 8 * (size_t)z;
            for (i = i0; i < end; i += 4) {
                const double *a[4], *l = B + (size_t)(i >> 3) * stride + (i & 7) + 8 * (size_t)z;
                cti_d8 c[4];
                a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
                cti_k64_tile1(cti_sym_pivots(sym, s) - z, a, 8, b, 8, c);
                for (q = 0; q < 4 && i + q < end; q++)
                    cti_k64_sub1(w->Y + w->to[i + q] + (size_t)w->map[i + q][j] * w->step[i + q], c[q]);
            }
        }
}

/* C += Y'Y of supernode s: tiles of eight by eight on and right of the diagonal */
static void cti_schur_product(cti_schur_plan *w, int s)
{
    const cti_symbolic *sym = w->f->sym;
    int t = s - w->s0, count = w->first[t + 1] - w->first[t], pivots = cti_sym_pivots(sym, s), i, j, h;
    size_t ys = 8 * (size_t)cti_sym_top(sym, s), ld = 8 * (size_t)w->strips;
    const double *Y = w->Y + w->offset[t];
    const int32_t *strip = w->strip + w->first[t], *zero = w->zero + w->first[t];
    for (i = 0; i < count; i++)
        for (j = i; j < count; j++) {
            int z = zero[i] > zero[j] ? zero[i] : zero[j];
            double *to = w->C + 8 * (size_t)strip[i] * ld + 8 * (size_t)strip[j];
            for (h = 0; h < 8; h += 4) {
                const double *a[4];
                cti_d8 c[4];
                a[0] = Y + (size_t)i * ys + 8 * (size_t)z + h, a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
                cti_k64_tile1(pivots - z, a, 8, Y + (size_t)j * ys + 8 * (size_t)z, 8, c);
                cti_k64_add4(to + (size_t)h * ld, ld, c);
            }
        }
}

/* W += C, both triangles from the upper one */
static void cti_schur_add(const cti_schur_plan *w, double *W, size_t ld)
{
    size_t lc = 8 * (size_t)w->strips;
    int i, j;
    for (i = 0; i < w->n; i++) {
        size_t a = (size_t)w->own[i];
        W[a * ld + a] += w->C[(size_t)i * (lc + 1)];
        for (j = i + 1; j < w->n; j++) {
            size_t b = (size_t)w->own[j];
            double v = w->C[(size_t)i * lc + (size_t)j];
            W[a * ld + b] += v;
            W[b * ld + a] = W[a * ld + b];
        }
    }
}

/* one tree's part of W. 0 when memory ran out */
static int cti_schur_tree(cti_schur_plan *w, cti_arena *arena, double *W, int ld)
{
    const cti_symbolic *sym = w->f->sym;
    size_t supers = (size_t)(w->s1 - w->s0), strips = (size_t)cti_strips(w->n);
    int32_t *mark = CTI_ARENA_NEW(arena, int32_t, supers * strips);
    int s;
    w->strips = (int)strips;
    w->first = CTI_ARENA_NEW(arena, int32_t, supers + 1), w->offset = CTI_ARENA_NEW(arena, size_t, supers);
    w->C = CTI_ARENA_ZERO(arena, double, 64 * strips * strips), w->maps = CTI_ARENA_NEW(arena, int32_t, (size_t)sym->max_rows * strips);
    if (!mark || !w->first || !w->offset || !w->C || !w->maps || !cti_schur_reach(w, arena, mark))
        return 0;
    cti_schur_fill(w);
    for (s = w->s0; s < w->s1; s++) {
        int t = s - w->s0, j, cols = cti_sym_cols(sym, s);
        size_t ys = 8 * (size_t)cti_sym_top(sym, s);
        for (j = w->first[t]; j < w->first[t + 1]; j++)
            cti_schur_forward(w->f->L + sym->panel[s], w->f->inverse + sym->pivot[s], cols,
                              w->Y + w->offset[t] + (size_t)(j - w->first[t]) * ys, w->zero[j]);
        if (w->first[t + 1] == w->first[t])
            continue;
        cti_schur_targets(w, s);
        cti_schur_below(w, s);
        cti_schur_product(w, s);
    }
    cti_schur_add(w, W, (size_t)ld);
    return 1;
}

CTI_FN int cti_factor64_schur(const cti_factor64 *f, cti_arena *arena, int rows, const int32_t *ptr, const int32_t *idx, const double *val,
                              double *W, int ld)
{
    const cti_symbolic *sym = f->sym;
    cti_arena_point mark = cti_arena_mark(arena), tree;
    cti_schur_plan w;
    int i, c, ok, nnz = rows ? ptr[rows] : 0;
    int32_t *root = CTI_ARENA_NEW(arena, int32_t, sym->n_super), *row = CTI_ARENA_NEW(arena, int32_t, nnz),
            *at = CTI_ARENA_NEW(arena, int32_t, nnz);
    int32_t *bucket = CTI_ARENA_NEW(arena, int32_t, sym->n + 1);
    memset(&w, 0, sizeof w);
    w.f = f, w.ptr = ptr, w.idx = idx, w.val = val;
    w.row = CTI_ARENA_NEW(arena, int32_t, nnz), w.at = CTI_ARENA_NEW(arena, int32_t, nnz);
    w.to = CTI_ARENA_NEW(arena, size_t, sym->max_rows + 8), w.step = CTI_ARENA_NEW(arena, size_t, sym->max_rows + 8);
    w.map = CTI_ARENA_NEW(arena, const int32_t *, sym->max_rows + 8);
    ok = root && row && at && bucket && w.row && w.at && w.to && w.step && w.map;
    for (i = 0; ok && i < rows; i++)
        memset(W + (size_t)i * (size_t)ld, 0, sizeof *W * (size_t)rows);
    if (ok) {
        cti_schur_roots(sym, root);
        cti_schur_pairs(&w, rows, root, row, at, bucket);
    }
    tree = cti_arena_mark(arena);
    for (c = 0; ok && c < w.pairs; c += w.n) {
        int top = root[sym->owner[w.at[c]]];
        for (w.n = 1; c + w.n < w.pairs && root[sym->owner[w.at[c + w.n]]] == top; w.n++) {
        }
        w.own = w.row + c, w.s0 = sym->owner[sym->subtree[top]], w.s1 = top + 1;
        ok = cti_schur_tree(&w, arena, W, ld);
        cti_arena_rewind(arena, tree);
    }
    cti_arena_rewind(arena, mark);
    return ok;
}
