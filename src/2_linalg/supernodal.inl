/* supernodal.inl -- factor and single solve for one number type; included by supernodal.c. */

/* scratch = the columns of supernode s in A, column-major with ld; orig: their diagonal */
static void CTI_TN(cti_super, assemble)(const cti_symbolic *sym, const cti_gather *g, const ct_real *val, int s, CTI_T *W, size_t ld, CTI_T *orig)
{
    int e, c, a, b, cols = cti_sym_cols(sym, s), pivots = cti_sym_pivots(sym, s);
    memset(W, 0, ld * (size_t)cols * sizeof *W);
    for (e = sym->entry_ptr[s]; e < sym->entry_ptr[s + 1]; e++) {
        const ct_real *v = val + 9 * (size_t)g->slot[e];
        CTI_T *w = W + (size_t)sym->entry[e].col * ld + sym->entry[e].row;
        for (b = 0; b < 3; b++)
            for (a = 0; a < 3; a++)
                w[(size_t)b * ld + (size_t)a] = (CTI_T)v[3 * a + b];
    }
    for (c = pivots; c < cols; c++)
        W[(size_t)c * (ld + 1)] = 1;
    for (c = 0; c < cols; c++)
        orig[c] = W[(size_t)c * (ld + 1)];
}

/* subtracts one strip of four columns: p0 .. p1 are the strip's pieces, to[q] the target columns */
CTI_INLINE void CTI_TN(cti_super, scatter)(const cti_sym_piece *p0, const cti_sym_piece *p1, int m, CTI_T *const to[4], const CTI_TVEC c[4])
{
    CTI_T t[32];
    int q, i;
    if (p0->length == 8) {
        for (q = 0; q < m; q++) {
            CTI_T *w = to[q] + p0->target;
            CTI_TV(store)(w, CTI_TV(sub)(CTI_TV(load)(w), c[q]));
        }
        return;
    }
    for (q = 0; q < m; q++)
        CTI_TV(store)(t + 8 * q, c[q]);
    for (; p0 < p1; p0++)
        for (q = 0; q < m; q++) {
            CTI_T *w = to[q] + p0->target;
            const CTI_T *v = t + 8 * q + p0->lane;
            for (i = 0; i < p0->length; i++)
                w[i] -= v[i];
        }
}

/* scratch of target -= (rows below of u->source) (its rows that are pivots of the target)' */
static void CTI_TN(cti_super, update)(const cti_symbolic *sym, const CTI_T *L, const cti_sym_update *u, int target, CTI_T *W, size_t ld)
{
    int d = u->source, cols = cti_sym_cols(sym, d), K = cti_sym_pivots(sym, d), strips = cti_strips(cti_sym_below(sym, d));
    int t, t0 = 3 * u->i0 / 8, c, q, end = 3 * u->i1;
    size_t stride = 8 * (size_t)cols;
    const int *rows = sym->rows + sym->row_ptr[d], *sp = sym->strip_piece + u->strip - t0;
    const CTI_T *B = L + sym->panel[d] + (size_t)cti_sym_top(sym, d) * (size_t)cols;
    const cti_sym_piece *piece = sym->piece;
    for (t = t0; t < strips; t += 2) {
        int two = t + 1 < strips;
        const CTI_T *b = B + (size_t)t * stride;
        for (c = 3 * u->i0; c < end && c < 8 * t + 16; c += 4) {
            const CTI_T *a[4];
            CTI_T *to[4];
            CTI_TVEC v[8];
            int m = cti_min_int(4, end - c);
            for (q = 0; q < 4; q++) {
                int i = c + cti_min_int(q, m - 1);
                a[q] = B + (size_t)(i >> 3) * stride + (i & 7);
                to[q] = W + (size_t)(3 * (rows[i / 3] - sym->first[target]) + i % 3) * ld;
            }
            if (two)
                CTI_TN(cti_k, tile2)(K, a, 8, b, b + stride, 8, v);
            else
                CTI_TN(cti_k, tile1)(K, a, 8, b, 8, v);
            CTI_TN(cti_super, scatter)(piece + sp[t], piece + sp[t + 1], m, to, v);
            if (two)
                CTI_TN(cti_super, scatter)(piece + sp[t + 1], piece + sp[t + 2], m, to, v + 4);
        }
    }
}

/* columns k0 .. k0+3 of strips t and, if two, t + 1: L = (W - L(rows, < k0) L(k0.., < k0)') L(k0.., k0..)'^-1. P: the panel */
CTI_INLINE void CTI_TN(cti_super, solve_tile)(CTI_T *P, size_t stride, const CTI_T *r, int k0, int t, int two, const CTI_T *W, size_t ld)
{
    const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7);
    CTI_T *b = P + (size_t)t * stride;
    CTI_TVEC c[8], in[4];
    int q, s;
    for (q = 0; q < 4; q++)
        a[q] = l + q;
    if (two)
        CTI_TN(cti_k, tile2)(k0, a, 8, b, b + stride, 8, c);
    else
        CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    for (s = 0; s <= two; s++) {
        for (q = 0; q < 4; q++)
            in[q] = CTI_TV(load)(W + (size_t)(k0 + q) * ld + 8 * (t + s));
        CTI_TN(cti_k, trsm4)(l + 8 * (size_t)k0, 1, 8, r + k0, in, c + 4 * s);
        for (q = 0; q < 4; q++)
            CTI_TV(store)(b + (size_t)s * stride + 8 * (size_t)(k0 + q), c[4 * s + q]);
    }
}

/* 4x4 diagonal block at k0: its factor into the panel, zeros above it in its strip, inverse pivots into r */
static int CTI_TN(cti_super, pivot)(CTI_T *P, size_t stride, CTI_T *r, int k0, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    CTI_T *b = P + (size_t)(k0 >> 3) * stride, *l = b + 8 * (size_t)k0 + (k0 & 7), t[32], d[16];
    const CTI_T *a[4];
    CTI_TVEC c[4];
    int q, p, boosted;
    for (q = 0; q < 4; q++)
        a[q] = b + (k0 & 7) + q;
    CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    for (q = 0; q < 4; q++)
        CTI_TV(store)(t + 8 * q, c[q]);
    for (q = 0; q < 4; q++)
        for (p = 0; p <= q; p++)
            d[4 * q + p] = W[(size_t)(k0 + p) * ld + (size_t)(k0 + q)] - t[8 * p + (k0 & 7) + q];
    boosted = CTI_TN(cti_k, chol4)(4, d, orig + k0, CTI_SUPER_EPS, d, r + k0);
    for (p = 0; p < 4; p++)
        for (q = 0; q < 4; q++)
            l[8 * p + q] = q >= p ? d[4 * q + p] : 0;
    return boosted;
}

/* panel of supernode s from its scratch */
static int CTI_TN(cti_super, panel)(const cti_symbolic *sym, int s, CTI_T *P, CTI_T *r, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    int cols = cti_sym_cols(sym, s), top = cti_sym_top(sym, s) / 8, strips = cti_sym_height(sym, s) / 8, k0, t, q, p, boosted = 0;
    size_t stride = 8 * (size_t)cols;
    for (k0 = 0; k0 < cols; k0 += 4) {
        int own = k0 >> 3;
        boosted += CTI_TN(cti_super, pivot)(P, stride, r, k0, W, ld, orig);
        /* rows of the same strip below the 4x4 block, zeros above it */
        if ((k0 & 7) == 0) {
            CTI_T keep[16], *l = P + (size_t)own * stride + 8 * (size_t)k0;
            for (p = 0; p < 4; p++)
                for (q = 0; q < 4; q++)
                    keep[4 * p + q] = l[8 * p + q];
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, own, 0, W, ld);
            for (p = 0; p < 4; p++)
                for (q = 0; q < 4; q++)
                    l[8 * p + q] = keep[4 * p + q];
        } else {
            CTI_T *l = P + (size_t)own * stride + 8 * (size_t)k0;
            for (p = 0; p < 4; p++)
                for (q = 0; q < 4; q++)
                    l[8 * p + q] = 0;
        }
        for (t = own + 1; t < top; t += 2)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < top, W, ld);
    }
    for (t = top; t < strips; t += 2)
        for (k0 = 0; k0 < cols; k0 += 4)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < strips, W, ld);
    return boosted;
}

/* one block of memory: panels, inverse pivots, scratch */
static int CTI_TN(cti_super, reserve)(cti_mem *mem, CTI_TN(cti_factor, t) *f, const cti_symbolic *sym)
{
    size_t panels = sym->panel[sym->n_super], pivots = ((size_t)sym->pivot[sym->n_super] + 15) & ~(size_t)15, n, bytes;
    char *p;
    n = ((panels + 15) & ~(size_t)15) + pivots + sym->scratch + (size_t)sym->max_cols + 64;
    if (!cti_mem_mul(n, sizeof(CTI_T), &bytes))
        return 0;
    if (bytes > f->bytes) {
        /* nothing is kept: release first */
        if (f->block)
            cti_mem_resize(mem, f->block, f->bytes, 0);
        f->bytes = 0;
        f->sym = NULL;
        f->block = cti_mem_resize(mem, NULL, 0, bytes);
        if (!f->block)
            return 0;
        f->bytes = bytes;
    }
    p = (char *)f->block;
    p += (64 - ((uintptr_t)p & 63)) & 63;
    f->L = (CTI_T *)(void *)p;
    f->inverse = f->L + ((panels + 15) & ~(size_t)15);
    f->scratch = f->inverse + pivots;
    f->sym = sym;
    return 1;
}

CTI_FN int CTI_TN(cti_factor, compute)(cti_mem *mem, CTI_TN(cti_factor, t) *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val)
{
    int s, u;
    CTI_T *orig;
    f->boosted = 0;
    if (!CTI_TN(cti_super, reserve)(mem, f, sym))
        return 0;
    orig = f->scratch + sym->scratch;
    for (s = 0; s < sym->n_super; s++) {
        size_t ld = (size_t)cti_sym_height(sym, s);
        CTI_TN(cti_super, assemble)(sym, g, val, s, f->scratch, ld, orig);
        for (u = sym->update_ptr[s]; u < sym->update_ptr[s + 1]; u++)
            CTI_TN(cti_super, update)(sym, f->L, &sym->update[u], s, f->scratch, ld);
        f->boosted += CTI_TN(cti_super, panel)(sym, s, f->L + sym->panel[s], f->inverse + sym->pivot[s], f->scratch, ld, orig);
        for (u = cti_sym_cols(sym, s); u < cti_sym_top(sym, s); u++)
            f->inverse[sym->pivot[s] + u] = 1;
    }
    return 1;
}

CTI_FN void CTI_TN(cti_factor, free)(cti_mem *mem, CTI_TN(cti_factor, t) *f)
{
    if (f->block)
        cti_mem_resize(mem, f->block, f->bytes, 0);
    memset(f, 0, sizeof *f);
}

CTI_FN size_t CTI_TN(cti_factor, work)(const CTI_TN(cti_factor, t) *f)
{
    return (size_t)f->sym->pivot[f->sym->n_super] + (size_t)f->sym->max_rows + 32;
}

/* x = L(pivots, pivots)^-1 x, x padded */
static void CTI_TN(cti_super, forward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, CTI_T *x)
{
    CTI_T t[8];
    int i, k, n;
    for (i = 0; i < cols; i += 8, P += stride) {
        CTI_TVEC v = CTI_TV(load)(x + i), w = CTI_TV(set)(0);
        for (k = 0; k + 2 <= i; k += 2) {
            v = CTI_TV(sub)(v, CTI_TV(mul)(CTI_TV(load)(P + 8 * (size_t)k), CTI_TV(set)(x[k])));
            w = CTI_TV(add)(w, CTI_TV(mul)(CTI_TV(load)(P + 8 * (size_t)k + 8), CTI_TV(set)(x[k + 1])));
        }
        CTI_TV(store)(t, CTI_TV(sub)(v, w));
        for (n = cti_min_int(8, cols - i), k = 0; k < n; k++) {
            const CTI_T *l = P + 8 * (size_t)(i + k);
            CTI_T y = t[k] * r[i + k];
            int j;
            x[i + k] = y;
            for (j = k + 1; j < 8; j++)
                t[j] -= l[j] * y;
        }
    }
}

/* y = L(below, pivots) x, y padded to strips */
static void CTI_TN(cti_super, below)(const CTI_T *B, size_t stride, int pivots, int strips, const CTI_T *x, CTI_T *y)
{
    int t, k;
    for (t = 0; t + 4 <= strips; t += 4, B += 4 * stride, y += 32) {
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0, s;
        const CTI_T *b = B;
        for (k = 0; k < pivots; k++, b += 8) {
            s = CTI_TV(set)(x[k]);
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(b), s));
            v1 = CTI_TV(add)(v1, CTI_TV(mul)(CTI_TV(load)(b + stride), s));
            v2 = CTI_TV(add)(v2, CTI_TV(mul)(CTI_TV(load)(b + 2 * stride), s));
            v3 = CTI_TV(add)(v3, CTI_TV(mul)(CTI_TV(load)(b + 3 * stride), s));
        }
        CTI_TV(store)(y, v0), CTI_TV(store)(y + 8, v1), CTI_TV(store)(y + 16, v2), CTI_TV(store)(y + 24, v3);
    }
    for (; t < strips; t++, B += stride, y += 8) {
        CTI_TVEC v0 = CTI_TV(set)(0);
        for (k = 0; k < pivots; k++)
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(B + 8 * (size_t)k), CTI_TV(set)(x[k])));
        CTI_TV(store)(y, v0);
    }
}

/* c[q] += sum over strips of L(strip, k0 + q)' y(strip), q = 0..3 */
CTI_INLINE void CTI_TN(cti_super, dots4)(const CTI_T *B, size_t stride, int strips, const CTI_T *y, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t;
    for (t = 0; t < strips; t++, B += stride, y += 8) {
        v = CTI_TV(load)(y);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(load)(B), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(load)(B + 8), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(load)(B + 16), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(load)(B + 24), v));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* x = L(pivots, pivots)'^-1 (x - L(below, pivots)' y) */
static void CTI_TN(cti_super, backward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, int top, int strips, const CTI_T *y, CTI_T *x)
{
    CTI_TVEC c[4];
    int k0, q, j;
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        int own = k0 >> 3;
        const CTI_T *b = P + 8 * (size_t)k0;
        c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
        CTI_TN(cti_super, dots4)(b + (size_t)(own + 1) * stride, stride, top - own - 1, x + 8 * (own + 1), c);
        CTI_TN(cti_super, dots4)(b + (size_t)top * stride, stride, strips, y, c);
        b += (size_t)own * stride;
        for (q = 3; q >= 0; q--) {
            CTI_T s = x[k0 + q] - CTI_TV(sum)(c[q]);
            for (j = (k0 & 7) + q + 1; j < 8; j++)
                s -= b[8 * q + j] * x[8 * own + j];
            x[k0 + q] = s * r[k0 + q];
        }
    }
}

CTI_FN void CTI_TN(cti_factor, solve)(const CTI_TN(cti_factor, t) *f, CTI_T *x, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    CTI_T *z = work, *y = z + ((sym->pivot[sym->n_super] + 15) & ~15);
    int i, s, k;
    /* z = x in elimination order, pads 0 */
    memset(z, 0, (size_t)sym->pivot[sym->n_super] * sizeof *z);
    for (i = 0; i < sym->n; i++)
        memcpy(z + sym->place[i], x + 3 * (size_t)sym->perm[i], 3 * sizeof *z);
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        const CTI_T *P = f->L + sym->panel[s];
        CTI_TN(cti_super, forward)(P, 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, z + sym->pivot[s]);
        CTI_TN(cti_super, below)(P + (size_t)cti_sym_top(sym, s) * (size_t)cols, 8 * (size_t)cols, cti_sym_pivots(sym, s), cti_strips(3 * below),
                                 z + sym->pivot[s], y);
        for (k = 0; k < below; k++) {
            CTI_T *v = z + sym->place[sym->rows[sym->row_ptr[s] + k]];
            v[0] -= y[3 * k], v[1] -= y[3 * k + 1], v[2] -= y[3 * k + 2];
        }
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        for (k = 0; k < below; k++)
            memcpy(y + 3 * k, z + sym->place[sym->rows[sym->row_ptr[s] + k]], 3 * sizeof *z);
        for (k = 3 * below; k < cti_pad8(3 * below); k++)
            y[k] = 0;
        CTI_TN(cti_super, backward)(f->L + sym->panel[s], 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, cti_sym_top(sym, s) / 8,
                                    cti_strips(3 * below), y, z + sym->pivot[s]);
    }
    for (i = 0; i < sym->n; i++)
        memcpy(x + 3 * (size_t)sym->perm[i], z + sym->place[i], 3 * sizeof *z);
}
