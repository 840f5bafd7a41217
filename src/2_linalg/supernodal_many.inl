/* supernodal_many.inl -- many right sides and compliance for one number type; included by supernodal_many.c.
   Right sides are kept by supernode as strips of eight columns: strip j of supernode s is [padded pivot][8]. */

/* four rows of Y = L^-1 Y. If tiny > 0, an entry below `tiny` times what its pivot 1 / r makes of a unit load becomes 0. The inverse decays
   with the distance from a port, and products would become denormal */
CTI_INLINE void CTI_TN(cti_many, rows4)(const CTI_T *l, const CTI_T *r, CTI_T tiny, const CTI_T *y, CTI_TVEC c[4])
{
    CTI_T least[4];
    int q;
    CTI_TN(cti_k, trsm4)(l, 1, 8, r, y, 8, c);
    if (!(tiny > 0))
        return;
    for (q = 0; q < 4; q++)
        least[q] = tiny * r[q];
    CTI_TN(cti_k, flush4)(least, c);
}

/* cti_many_strips -- right sides of one supernode: n strips of size ys at Y. Rows of strip j below zero[j] (a multiple of 4, ascending in j)
   are 0; zero may be NULL. */
typedef struct CTI_TN(cti_many, strips) {
    CTI_T *Y;
    size_t ys;
    int n;
    const int *zero;
} CTI_TN(cti_many, strips);

/* Y = L(pivots, pivots)^-1 Y in place. tiny: see rows4 */
static void CTI_TN(cti_many, forward)(const CTI_T *P, const CTI_T *r, int cols, const CTI_TN(cti_many, strips) * s, CTI_T tiny)
{
    size_t stride = 8 * (size_t)cols, ys = s->ys;
    const int *zero = s->zero;
    CTI_T *Y = s->Y;
    int k0, j, n = s->n;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0;
        CTI_T *b = Y + (size_t)j * ys;
        for (k0 = z; k0 < cols; k0 += 4) {
            const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *u = b + 8 * (size_t)z;
            CTI_T *y = b + 8 * (size_t)k0;
            CTI_TVEC c[8];
            a[0] = l + 8 * (size_t)z, a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
            l += 8 * (size_t)k0;
            if (two) {
                CTI_TN(cti_k, tile2)(k0 - z, a, 8, u, u + ys, 8, c);
                CTI_TN(cti_many, rows4)(l, r + k0, tiny, y + ys, c + 4);
                CTI_TN(cti_k, store4)(y + ys, 8, c + 4);
            } else
                CTI_TN(cti_k, tile1)(k0 - z, a, 8, u, 8, c);
            CTI_TN(cti_many, rows4)(l, r + k0, tiny, y, c);
            CTI_TN(cti_k, store4)(y, 8, c);
        }
    }
}

/* the first m of the four rows y -= c */
CTI_TN(CTI_K, FN) void CTI_TN(cti_many, sub4)(CTI_T *const y[4], int m, const CTI_TVEC c[4])
{
    CTI_TN(cti_k, sub1)(y[0], c[0]);
    if (m > 1)
        CTI_TN(cti_k, sub1)(y[1], c[1]);
    if (m > 2)
        CTI_TN(cti_k, sub1)(y[2], c[2]);
    if (m > 3)
        CTI_TN(cti_k, sub1)(y[3], c[3]);
}

/* cti_many_rows -- where the rows below a supernode are: row i of strip 0 at base + to[i], strip j is j step[i] numbers behind it. */
typedef struct CTI_TN(cti_many, rows) {
    CTI_T *base;
    const size_t *to, *step;
} CTI_TN(cti_many, rows);

/* rows of later supernodes -= L(below, pivots) Y */
static void CTI_TN(cti_many, below)(const CTI_T *B, int cols, int pivots, int below, const CTI_TN(cti_many, strips) * s,
                                    const CTI_TN(cti_many, rows) * rows)
{
    size_t stride = 8 * (size_t)cols, ys = s->ys;
    const size_t *to = rows->to, *step = rows->step;
    const int *zero = s->zero;
    const CTI_T *Y = s->Y;
    CTI_T *base = rows->base;
    int i, q, j, m, n = s->n;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0, K = pivots - z;
        const CTI_T *b = Y + (size_t)j * ys + 8 * (size_t)z;
        for (i = 0; i < below; i += 4) {
            const CTI_T *a[4], *l = B + (size_t)(i >> 3) * stride + (i & 7) + 8 * (size_t)z;
            CTI_TVEC c[8];
            CTI_T *y[4];
            a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
            m = cti_min_int(4, below - i);
            for (q = 0; q < 4; q++)
                y[q] = base + to[i + cti_min_int(q, m - 1)] + (size_t)j * step[i + cti_min_int(q, m - 1)];
            if (two) {
                CTI_TN(cti_k, tile2)(K, a, 8, b, b + ys, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
                for (q = 0; q < 4; q++)
                    y[q] += step[i + cti_min_int(q, m - 1)];
                CTI_TN(cti_many, sub4)(y, m, c + 4);
            } else {
                CTI_TN(cti_k, tile1)(K, a, 8, b, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
            }
        }
    }
}

/* c[q] = sum over strips of L(strip, k0 + q)' G(strip): L from B, G [row][8] */
CTI_INLINE void CTI_TN(cti_many, transposed)(const CTI_T *B, size_t stride, int strips, const CTI_T *G, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t, i;
    for (t = 0; t < strips; t++, B += stride)
        for (i = 0; i < 8; i++, G += 8) {
            v = CTI_TV(load)(G);
            c0 = CTI_TV(mad)(c0, CTI_TV(set)(B[i]), v);
            c1 = CTI_TV(mad)(c1, CTI_TV(set)(B[8 + i]), v);
            c2 = CTI_TV(mad)(c2, CTI_TV(set)(B[16 + i]), v);
            c3 = CTI_TV(mad)(c3, CTI_TV(set)(B[24 + i]), v);
        }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* one strip: Y = L(pivots, pivots)'^-1 (Y - L(below, pivots)' G) */
static void CTI_TN(cti_many, backward)(const CTI_T *P, const CTI_T *r, int cols, int top, int strips, const CTI_T *G, CTI_T *Y)
{
    size_t stride = 8 * (size_t)cols;
    int k0, q, p, own;
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        const CTI_T *b = P + 8 * (size_t)k0, *l;
        CTI_TVEC c[4], x;
        own = k0 >> 3;
        c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
        CTI_TN(cti_many, transposed)(b + (size_t)(own + 1) * stride, stride, top - own - 1, Y + 64 * (size_t)(own + 1), c);
        CTI_TN(cti_many, transposed)(b + (size_t)top * stride, stride, strips, G, c);
        l = b + (size_t)own * stride;
        for (q = 3; q >= 0; q--) {
            x = CTI_TV(sub)(CTI_TV(load)(Y + 8 * (size_t)(k0 + q)), c[q]);
            /* the rest of the strip's triangle; rows past the padded columns are 0 in L */
            for (p = (k0 & 7) + q + 1; p < 8 && 8 * own + p < cols; p++)
                x = CTI_TV(nmad)(x, CTI_TV(set)(l[8 * q + p]), CTI_TV(load)(Y + 8 * (size_t)(8 * own + p)));
            CTI_TV(store)(Y + 8 * (size_t)(k0 + q), CTI_TV(mul)(x, CTI_TV(set)(r[k0 + q])));
        }
    }
}

#define CTI_MANY_GROUP 4 /* strips of right sides that are solved together */

CTI_FN size_t CTI_TN(cti_factor, many_work)(const CTI_TN(cti_factor, t) * f)
{
    const cti_symbolic *sym = f->sym;
    size_t table = (2 * (size_t)sym->max_rows + 2) * sizeof(size_t) / sizeof(CTI_T) + 2;
    return 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super] + 8 * (size_t)sym->max_rows + table + 64;
}

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_many, align)(CTI_T *p)
{
    size_t bytes = (size_t)(64 - ((uintptr_t)p & 63)) & 63;
    return p + bytes / sizeof(CTI_T);
}

/* X = A^-1 X for n strips, already gathered: supernode s's strips at Z + 8 n pivot[s] */
static void CTI_TN(cti_many, group)(const CTI_TN(cti_factor, t) * f, CTI_T *Z, int n, CTI_T *G, size_t *table)
{
    const cti_symbolic *sym = f->sym;
    size_t *to = table, *step = table + sym->max_rows;
    CTI_TN(cti_many, strips) own;
    CTI_TN(cti_many, rows) later;
    int s, i, j;
    own.n = n, own.zero = NULL;
    later.base = Z, later.to = to, later.step = step;
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        own.Y = Z + 8 * (size_t)n * (size_t)sym->pivot[s], own.ys = 8 * (size_t)top;
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            step[i] = 8 * (size_t)cti_sym_top(sym, o);
            to[i] = 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, &own, 0);
        CTI_TN(cti_many, below)(P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, &own, &later);
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        for (j = 0; j < n; j++) {
            for (i = 0; i < below; i++) {
                int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
                const CTI_T *z = Z + 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)j * (size_t)cti_sym_top(sym, o);
                memcpy(G + 8 * (size_t)i, z + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3), 8 * sizeof *G);
            }
            memset(G + 8 * (size_t)below, 0, 8 * (size_t)(cti_pad8(below) - below) * sizeof *G);
            CTI_TN(cti_many, backward)
            (f->L + sym->panel[s], f->inverse + sym->pivot[s], cols, top / 8, cti_strips(below), G,
             Z + 8 * (size_t)n * (size_t)sym->pivot[s] + 8 * (size_t)j * (size_t)top);
        }
    }
}

CTI_FN void CTI_TN(cti_factor, solve_many)(const CTI_TN(cti_factor, t) * f, CTI_T *X, int nrhs, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    int strips = cti_strips(nrhs), first, n, j, i, a;
    size_t ld = 8 * (size_t)strips;
    CTI_T *Z = CTI_TN(cti_many, align)(work), *G = Z + 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super];
    size_t *table = (size_t *)(void *)CTI_TN(cti_many, align)(G + 8 * (size_t)sym->max_rows);
    for (first = 0; first < strips; first += n) {
        n = cti_min_int(CTI_MANY_GROUP, strips - first);
        memset(Z, 0, 8 * (size_t)n * (size_t)sym->pivot[sym->n_super] * sizeof *Z);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j), 8 * sizeof *Z);
        }
        CTI_TN(cti_many, group)(f, Z, n, G, table);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j),
                           Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           8 * sizeof *Z);
        }
    }
}

/* largest number of strips that supernode s can have with p ports */
static int CTI_TN(cti_many, most)(const cti_symbolic *sym, int s, int p)
{
    int sub = sym->first[s + 1] - sym->subtree[s];
    return cti_min_int(cti_strips(3 * p), cti_strips(3 * cti_min_int(p, sub)) + 1);
}

CTI_FN size_t CTI_TN(cti_factor, compliance_work)(const CTI_TN(cti_factor, t) * f, int n_ports)
{
    const cti_symbolic *sym = f->sym;
    size_t n = 256, words;
    int s;
    for (s = 0; s < sym->n_super; s++)
        n += 8 * (size_t)cti_sym_top(sym, s) * (size_t)CTI_TN(cti_many, most)(sym, s, n_ports);
    /* sizes of the tables: two numbers per row, one offset and two strip numbers per supernode, two numbers per port */
    words = (2 * (size_t)sym->max_rows + (size_t)sym->n_super) * sizeof(size_t) +
            (2 * (size_t)sym->n_super + 3 * (size_t)n_ports + (size_t)sym->n + 8) * sizeof(int);
    n += words / sizeof(CTI_T) + 64;
    return n + 3 * (size_t)n_ports * (size_t)cti_pad8(3 * n_ports);
}

/* cti_many_plan -- the columns of Y that supernode s stores: strips strip[s] .. strip[s] + count[s] - 1, at Y + offset[s] */
typedef struct CTI_TN(cti_many, plan) {
    CTI_T *Y, *C; /* C: in elimination order of the ports */
    size_t ld, used;
    size_t *to, *step, *offset;
    int *zero;                 /* of the current supernode: see cti_many_zeros */
    int *strip, *count, *port; /* port[k]: the caller's number of the k-th port in elimination order */
    int n, sorted;
} CTI_TN(cti_many, plan);

/* lays out the work array, sorts the ports into elimination order, and finds the columns of every supernode */
static void CTI_TN(cti_many, prepare)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n, CTI_T *work, CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int i, s, k, lo, hi, *at;
    char *p = (char *)(void *)CTI_TN(cti_many, align)(work);
    w->to = (size_t *)(void *)p;
    w->step = w->to + sym->max_rows;
    w->offset = w->step + sym->max_rows;
    w->strip = (int *)(void *)(w->offset + sym->n_super);
    w->count = w->strip + sym->n_super;
    w->port = w->count + sym->n_super;
    w->zero = w->port + n;
    at = w->zero + cti_strips(3 * n);
    w->n = n;
    w->sorted = 1;
    for (i = 0; i < n; i++)
        w->sorted = w->sorted && (i == 0 || sym->inv[ports[i]] > sym->inv[ports[i - 1]]);
    if (w->sorted)
        for (i = 0; i < n; i++)
            w->port[i] = i;
    else {
        for (i = 0; i < sym->n; i++)
            at[i] = -1;
        for (i = 0; i < n; i++)
            at[sym->inv[ports[i]]] = i;
        for (i = 0, k = 0; i < sym->n; i++)
            if (at[i] >= 0)
                w->port[k++] = at[i];
    }
    p = (char *)(void *)(at + (w->sorted ? 0 : sym->n));
    p += (64 - ((uintptr_t)p & 63)) & 63;
    w->Y = (CTI_T *)(void *)p;
    w->used = 0;
    /* the ends of the supernodes' port ranges ascend with s; a range's beginning is found by going back */
    for (s = 0, hi = 0; s < sym->n_super; s++) {
        while (hi < n && sym->inv[ports[w->port[hi]]] < sym->first[s + 1])
            hi++;
        for (lo = hi; lo > 0 && sym->inv[ports[w->port[lo - 1]]] >= sym->subtree[s]; lo--) {
        }
        w->strip[s] = 3 * lo / 8;
        w->count[s] = lo < hi ? cti_strips(3 * hi) - w->strip[s] : 0;
        w->offset[s] = w->used;
        w->used += 8 * (size_t)cti_sym_top(sym, s) * (size_t)w->count[s];
    }
    w->C = w->Y + w->used;
}

/* zero[j] for supernode s: a column that begins in one of its own ports has zeros above that port */
static void CTI_TN(cti_many, zeros)(const cti_symbolic *sym, const int32_t *ports, const CTI_TN(cti_many, plan) * w, int s)
{
    int j;
    for (j = 0; j < w->count[s]; j++) {
        int k = cti_min_int(8 * (w->strip[s] + j) / 3, w->n - 1), p = sym->inv[ports[w->port[k]]];
        w->zero[j] = p >= sym->first[s] && p < sym->first[s + 1] ? (sym->place[p] - sym->pivot[s]) & ~3 : 0;
    }
}

/* Y = L^-1 S */
static void CTI_TN(cti_many, columns)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    CTI_TN(cti_many, strips) own;
    CTI_TN(cti_many, rows) later;
    int s, k, i, a;
    own.zero = w->zero;
    later.base = w->Y, later.to = w->to, later.step = w->step;
    memset(w->Y, 0, w->used * sizeof(CTI_T));
    for (k = 0; k < w->n; k++) {
        int p = sym->inv[ports[w->port[k]]], o = sym->owner[p];
        for (a = 0; a < 3; a++)
            w->Y[w->offset[o] + (size_t)((3 * k + a) / 8 - w->strip[o]) * 8 * (size_t)cti_sym_top(sym, o) +
                 8 * (size_t)(sym->place[p] - sym->pivot[o] + a) + (size_t)((3 * k + a) & 7)] = 1;
    }
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        if (w->count[s] == 0)
            continue;
        own.Y = w->Y + w->offset[s], own.ys = 8 * (size_t)top, own.n = w->count[s];
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            w->step[i] = 8 * (size_t)cti_sym_top(sym, o);
            w->to[i] =
                w->offset[o] + (size_t)(w->strip[s] - w->strip[o]) * w->step[i] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, &own, CTI_MANY_TINY);
        CTI_TN(cti_many, below)(P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, &own, &later);
    }
}

/* C = Y' Y: strips on and right of the diagonal */
static void CTI_TN(cti_many, product)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int s, i, j, q, u, rows = 3 * w->n;
    CTI_T t[64];
    for (i = 0; i < rows; i++)
        for (j = i >> 3; j < cti_strips(rows); j++)
            CTI_TV(store)(w->C + (size_t)i * w->ld + 8 * (size_t)j, CTI_TV(set)(0));
    for (s = 0; s < sym->n_super; s++) {
        size_t ys = 8 * (size_t)cti_sym_top(sym, s);
        int K = cti_sym_pivots(sym, s), s0 = w->strip[s], s1 = s0 + w->count[s];
        const CTI_T *Y = w->Y + w->offset[s];
        if (s0 == s1)
            continue;
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 8 * s0; i < 8 * s1 && i < rows; i += 4) {
            for (j = i >> 3; j < s1; j += 2) {
                CTI_TVEC c[8];
                int z = w->zero[j - s0];
                const CTI_T *b = Y + (size_t)(j - s0) * ys + 8 * (size_t)z, *a[4];
                a[0] = Y + (size_t)((i >> 3) - s0) * ys + (i & 7) + 8 * (size_t)z;
                a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
                CTI_T *v = w->C + (size_t)i * w->ld + 8 * (size_t)j;
                c[4] = c[5] = c[6] = c[7] = CTI_TV(set)(0);
                if (j + 1 < s1)
                    CTI_TN(cti_k, tile2)(K - z, a, 8, b, b + ys, 8, c);
                else
                    CTI_TN(cti_k, tile1)(K - z, a, 8, b, 8, c);
                if (i + 4 <= rows) {
                    CTI_TN(cti_k, add4)(v, w->ld, c);
                    if (j + 1 < s1)
                        CTI_TN(cti_k, add4)(v + 8, w->ld, c + 4);
                    continue;
                }
                /* fewer than four rows are left */
                CTI_TN(cti_k, store4)(t, 16, c);
                CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
                for (q = 0; i + q < rows; q++)
                    for (u = 0; u < 8 * cti_min_int(2, s1 - j); u++)
                        v[(size_t)q * w->ld + (size_t)u] += t[16 * q + u];
            }
        }
    }
}

/* sets entries of C to 0 that are negligible beside the smallest diagonal entry, since sweeps multiply columns by small changes of
   multipliers */
static void CTI_TN(cti_many, trim)(CTI_T *C, int rows, int ld)
{
    CTI_T least = C[0];
    CTI_TVEC v;
    int i, j;
    for (i = 1; i < rows; i++)
        least = C[(size_t)i * (size_t)(ld + 1)] < least ? C[(size_t)i * (size_t)(ld + 1)] : least;
    for (i = 0; i < rows; i++)
        for (j = 0; j < ld; j += 8) {
            CTI_T *c = C + (size_t)i * (size_t)ld + (size_t)j;
            v = CTI_TV(load)(c);
            CTI_TV(store)(c, CTI_TV(select)(CTI_TV(lt)(CTI_TV(abs)(v), CTI_TV(set)(CTI_MANY_TINY * least)), CTI_TV(set)(0), v));
        }
}

/* for sorted ports, C already is the upper triangle, which is mirrored into the lower one; for other orders the blocks come from w->C */
static void CTI_TN(cti_many, mirror)(const CTI_TN(cti_many, plan) * w, CTI_T *C, int ld)
{
    int i, j, i0, j0, rows = 3 * w->n;
    if (w->sorted) {
        /* in tiles of 8x8 */
        for (i0 = 0; i0 < rows; i0 += 8)
            for (j0 = 0; j0 <= i0; j0 += 8)
                for (i = i0; i < i0 + 8 && i < rows; i++)
                    for (j = j0; j < j0 + 8 && j < i; j++)
                        C[(size_t)i * (size_t)ld + (size_t)j] = C[(size_t)j * (size_t)ld + (size_t)i];
        return;
    }
    /* copies blocks to the caller's places and mirrors them; the lower half of a diagonal block is the mirror image of its upper half */
    for (i = 0; i < w->n; i++)
        for (j = i; j < w->n; j++) {
            const CTI_T *u = w->C + 3 * (size_t)i * w->ld + 3 * (size_t)j, *v = u + w->ld, *x = v + w->ld;
            CTI_T *p = C + 3 * (size_t)w->port[i] * (size_t)ld + 3 * (size_t)w->port[j],
                  *q = C + 3 * (size_t)w->port[j] * (size_t)ld + 3 * (size_t)w->port[i];
            CTI_T d = i == j ? u[1] : v[0], e = i == j ? u[2] : x[0], g = i == j ? v[2] : x[1];
            p[0] = u[0], p[1] = u[1], p[2] = u[2], p += ld;
            p[0] = d, p[1] = v[1], p[2] = v[2], p += ld;
            p[0] = e, p[1] = g, p[2] = x[2];
            q[0] = u[0], q[1] = d, q[2] = e, q += ld;
            q[0] = u[1], q[1] = v[1], q[2] = g, q += ld;
            q[0] = u[2], q[1] = v[2], q[2] = x[2];
        }
}

CTI_FN void CTI_TN(cti_factor, compliance)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n_ports, CTI_T *C, int ld,
                                           CTI_T *work)
{
    CTI_TN(cti_many, plan) w;
    CTI_TN(cti_many, prepare)(f, ports, n_ports, work, &w);
    w.ld = (size_t)(w.sorted ? ld : cti_pad8(3 * n_ports));
    if (w.sorted)
        w.C = C;
    CTI_TN(cti_many, columns)(f, ports, &w);
    CTI_TN(cti_many, product)(f, ports, &w);
    CTI_TN(cti_many, mirror)(&w, C, ld);
    if (CTI_MANY_TINY > 0 && n_ports > 0)
        CTI_TN(cti_many, trim)(C, 3 * n_ports, ld);
}

#undef CTI_MANY_GROUP
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_MANY_TINY
