/* supernodal.inl -- the factor for one number type; included by supernodal.c. */

static const CTI_T CTI_TN(cti_super, lanes)[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* an entry of A; one so small that it is denormal or nearly so becomes 0 */
CTI_INLINE CTI_T CTI_TN(cti_super, entry)(ct_real v) { return (CTI_T)(fabs((double)v) < (double)CTI_SUPER_GONE ? 0 : v); }

/* scratch = the columns of supernode s in A, column-major with leading dimension ld; orig: their diagonal */
static void CTI_TN(cti_super, assemble)(const cti_symbolic *sym, const cti_gather *g, const ct_real *val, int s, CTI_T *W, size_t ld,
                                        CTI_T *orig)
{
    int e, c, k, cols = cti_sym_cols(sym, s), pivots = cti_sym_pivots(sym, s);
    memset(W, 0, ld * (size_t)cols * sizeof *W);
    for (e = sym->entry_ptr[s]; e < sym->entry_ptr[s + 1]; e++) {
        const ct_real *v = val + 9 * (size_t)g->slot[e];
        CTI_T *w = W + (size_t)sym->entry[e].col * ld + sym->entry[e].row;
        for (k = 0; k < 3; k++, w += ld) {
            w[0] = CTI_TN(cti_super, entry)(v[k]), w[1] = CTI_TN(cti_super, entry)(v[3 + k]);
            w[2] = CTI_TN(cti_super, entry)(v[6 + k]);
        }
    }
    for (c = pivots; c < cols; c++)
        W[(size_t)c * (ld + 1)] = 1;
    for (c = 0; c < cols; c++)
        orig[c] = W[(size_t)c * (ld + 1)];
}

/* subtracts one strip of four columns: p0 .. p1 are the strip's pieces, to[q] the target columns, of which the first m count. A piece
   shorter than the strip is subtracted as a whole strip with zeros outside: the scratch has margins of eight numbers on both sides for
   this. */
CTI_TN(CTI_K, FN) void CTI_TN(cti_super, scatter)(const cti_sym_piece *p0, const cti_sym_piece *p1, int m, CTI_T *const to[4], const CTI_TVEC c[4])
{
    CTI_TVEC lanes, in, zero;
    if (p0->length == 8 && m == 4) {
        int at = p0->target;
        CTI_TN(cti_k, sub1)(to[0] + at, c[0]);
        CTI_TN(cti_k, sub1)(to[1] + at, c[1]);
        CTI_TN(cti_k, sub1)(to[2] + at, c[2]);
        CTI_TN(cti_k, sub1)(to[3] + at, c[3]);
        return;
    }
    lanes = CTI_TV(load)(CTI_TN(cti_super, lanes)), zero = CTI_TV(set)(0);
    for (; p0 < p1; p0++) {
        int at = p0->target - p0->lane;
        in = CTI_TV(and)(CTI_TV(le)(CTI_TV(set)((CTI_T)p0->lane), lanes), CTI_TV(lt)(lanes, CTI_TV(set)((CTI_T)(p0->lane + p0->length))));
        CTI_TN(cti_k, sub1)(to[0] + at, CTI_TV(select)(in, c[0], zero));
        if (m > 1)
            CTI_TN(cti_k, sub1)(to[1] + at, CTI_TV(select)(in, c[1], zero));
        if (m > 2)
            CTI_TN(cti_k, sub1)(to[2] + at, CTI_TV(select)(in, c[2], zero));
        if (m > 3)
            CTI_TN(cti_k, sub1)(to[3] + at, CTI_TV(select)(in, c[3], zero));
    }
}

/* subtracts from the target's scratch the product of the source's rows below and (its rows that are pivots of the target)' */
static void CTI_TN(cti_super, update)(const cti_symbolic *sym, const CTI_T *L, const cti_sym_update *u, int target, CTI_T *W, size_t ld)
{
    int d = u->source, cols = cti_sym_cols(sym, d), K = cti_sym_pivots(sym, d), strips = cti_strips(cti_sym_below(sym, d));
    int t, t0 = 3 * u->i0 / 8, c, k, first = 3 * u->i0, end = 3 * u->i1;
    size_t stride = 8 * (size_t)cols;
    const int *rows = sym->rows + sym->row_ptr[d], *sp = sym->strip_piece + u->strip - t0;
    const CTI_T *B = L + sym->panel[d] + (size_t)cti_sym_top(sym, d) * (size_t)cols, *from[3 * CTI_SYMBOLIC_WIDTH + 4];
    CTI_T *to[3 * CTI_SYMBOLIC_WIDTH + 4];
    const cti_sym_piece *piece = sym->piece;
    /* for each row c of the source among the target's pivots: where it is stored, and its column in the target; the last one is repeated as
       padding */
    for (k = u->i0, c = 0; k < u->i1; k++, c += 3) {
        int i = 3 * k;
        CTI_T *w = W + (size_t)(3 * (rows[k] - sym->first[target])) * ld;
        to[c] = w, to[c + 1] = w + ld, to[c + 2] = w + 2 * ld;
        from[c] = B + (size_t)(i >> 3) * stride + (i & 7);
        from[c + 1] = B + (size_t)((i + 1) >> 3) * stride + ((i + 1) & 7);
        from[c + 2] = B + (size_t)((i + 2) >> 3) * stride + ((i + 2) & 7);
    }
    for (k = 0; k < 3; k++)
        to[c + k] = to[c - 1], from[c + k] = from[c - 1];
    for (t = t0; t < strips; t += 2) {
        const CTI_T *b = B + (size_t)t * stride;
        const cti_sym_piece *p = piece + sp[t], *p1 = piece + sp[t + 1];
        CTI_TVEC v[8];
        if (t + 1 == strips) {
            for (c = first; c < end; c += 4) {
                CTI_TN(cti_k, tile1)(K, from + (c - first), 8, b, 8, v);
                CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            }
            break;
        }
        for (c = first; c < end && c < 8 * t + 16; c += 4) {
            CTI_TN(cti_k, tile2)(K, from + (c - first), 8, b, b + stride, 8, v);
            CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            CTI_TN(cti_super, scatter)(p1, piece + sp[t + 2], cti_min_int(4, end - c), to + (c - first), v + 4);
        }
    }
}

/* sets an entry to 0 if it is far below the rounding error of the column's pivot 1 / r. Where the diagonal dominates, fill-in decays until
   its products would be denormal */
CTI_INLINE CTI_T CTI_TN(cti_super, flush1)(CTI_T least, CTI_T x) { return CTI_SUPER_ABS(x) < least ? 0 : x; }

/* columns k0 .. k0+3 of strip t and, if two is set, t + 1: L = (W - L(rows, < k0) L(k0.., < k0)') L(k0.., k0..)'^-1. P: the panel */
CTI_LANES_FN void CTI_TN(cti_super, solve_tile)(CTI_T *P, size_t stride, const CTI_T *r, int k0, int t, int two, const CTI_T *W, size_t ld)
{
    const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *in = W + (size_t)k0 * ld + 8 * (size_t)t;
    CTI_T *b = P + (size_t)t * stride, *to = b + 8 * (size_t)k0;
    CTI_TVEC c[8];
    CTI_T least[4];
    int q;
    a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
    l += 8 * (size_t)k0;
    for (q = 0; q < 4; q++)
        least[q] = CTI_SUPER_TINY * l[9 * q];
    if (two) {
        CTI_TN(cti_k, tile2)(k0, a, 8, b, b + stride, 8, c);
        CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in + 8, ld, c + 4);
        CTI_TN(cti_k, flush4)(least, c + 4);
        CTI_TN(cti_k, store4)(to + stride, 8, c + 4);
    } else
        CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in, ld, c);
    CTI_TN(cti_k, flush4)(least, c);
    CTI_TN(cti_k, store4)(to, 8, c);
}

/* columns k0 .. k0+3 of their own strip: the factor of the 4x4 diagonal block, zeros above it, the rows below it; inverse pivots into r */
static int CTI_TN(cti_super, pivot)(CTI_T *P, size_t stride, CTI_T *r, int k0, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    CTI_T *b = P + (size_t)(k0 >> 3) * stride, *to = b + 8 * (size_t)k0, t[32], d[16];
    const CTI_T *a[4], *in = W + (size_t)k0 * ld + (size_t)(k0 & ~7);
    CTI_TVEC c[4], v[4];
    int q, p, boosted, o = k0 & 7;
    a[0] = b + o, a[1] = b + o + 1, a[2] = b + o + 2, a[3] = b + o + 3;
    CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, load4)(in, ld, v);
    v[0] = CTI_TV(sub)(v[0], c[0]), v[1] = CTI_TV(sub)(v[1], c[1]), v[2] = CTI_TV(sub)(v[2], c[2]), v[3] = CTI_TV(sub)(v[3], c[3]);
    CTI_TN(cti_k, store4)(t, 8, v);
    for (q = 0; q < 4; q++)
        for (p = 0; p <= q; p++) /* an entry small beside both diagonals is flushed to 0: its square would be denormal */
            d[4 * q + p] = CTI_TN(cti_super, flush1)(CTI_SUPER_TINY * (orig[k0 + p] < orig[k0 + q] ? orig[k0 + p] : orig[k0 + q]), t[8 * p + o + q]);
    boosted = CTI_TN(cti_k, chol4)(d, orig + k0, CTI_SUPER_EPS, d, r + k0);
    for (q = 1; q < 4; q++)
        for (p = 0; p < q; p++)
            d[4 * q + p] = CTI_TN(cti_super, flush1)(CTI_SUPER_TINY * d[5 * p], d[4 * q + p]);
    /* rows k0+4 .. k0+7 where they are in the strip: x_q = (t_q - sum_{p<q} d_qp x_p) r_q, in lanes 4 .. 7 */
    for (p = 0; p < 4; p++) {
        if (o == 0)
            for (q = 4; q < 8; q++) {
                CTI_T s = t[8 * p + q];
                int i;
                for (i = 0; i < p; i++)
                    s -= d[4 * p + i] * t[8 * i + q];
                t[8 * p + q] = CTI_TN(cti_super, flush1)(CTI_SUPER_TINY * d[5 * p], s * r[k0 + p]);
            }
        else
            t[8 * p] = t[8 * p + 1] = t[8 * p + 2] = t[8 * p + 3] = 0;
        for (q = 0; q < 4; q++)
            t[8 * p + o + q] = d[4 * q + p];
    }
    memcpy(to, t, sizeof t);
    return boosted;
}

/* factors the panel of supernode s from its scratch */
static int CTI_TN(cti_super, panel)(const cti_symbolic *sym, int s, CTI_T *P, CTI_T *r, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    int cols = cti_sym_cols(sym, s), top = cti_sym_top(sym, s) / 8, strips = cti_sym_height(sym, s) / 8, k0, t, boosted = 0;
    size_t stride = 8 * (size_t)cols;
    for (k0 = 0; k0 < cols; k0 += 4) {
        boosted += CTI_TN(cti_super, pivot)(P, stride, r, k0, W, ld, orig);
        for (t = (k0 >> 3) + 1; t < top; t += 2)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < top, W, ld);
    }
    for (t = top; t < strips; t += 2)
        for (k0 = 0; k0 < cols; k0 += 4)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < strips, W, ld);
    return boosted;
}

/* allocates one block of memory: panels, inverse pivots, scratch */
static int CTI_TN(cti_super, reserve)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym)
{
    size_t panels = sym->panel[sym->n_super], pivots = ((size_t)sym->pivot[sym->n_super] + 15) & ~(size_t)15, n, bytes;
    char *p;
    n = ((panels + 15) & ~(size_t)15) + pivots + sym->scratch + (size_t)sym->max_cols + 96;
    if (!cti_mem_mul(n, sizeof(CTI_T), &bytes))
        return 0;
    if (bytes > f->bytes) {
        /* the old content is not needed: release it first */
        if (f->block)
            cti_mem_resize(mem, f->block, f->bytes, 0);
        f->bytes = 0;
        f->sym = NULL;
        f->block = cti_mem_zero(mem, bytes); /* also the padding of panels, which a snapshot holds */
        if (!f->block)
            return 0;
        f->bytes = bytes;
    }
    p = (char *)f->block;
    p += (64 - ((uintptr_t)p & 63)) & 63;
    f->L = (CTI_T *)(void *)p;
    f->inverse = f->L + ((panels + 15) & ~(size_t)15);
    f->scratch = f->inverse + pivots + 16;
    /* the margins of the scratch are read and written back, so they need a value */
    memset(f->scratch - 16, 0, 16 * sizeof(CTI_T));
    memset(f->scratch + sym->scratch, 0, 16 * sizeof(CTI_T));
    f->sym = sym;
    return 1;
}

/* makes supernode s's panel from the assembled scratch */
static void CTI_TN(cti_super, finish)(CTI_TN(cti_factor, t) * f, int s, CTI_T *orig)
{
    const cti_symbolic *sym = f->sym;
    size_t ld = (size_t)cti_sym_height(sym, s);
    int u;
    for (u = sym->update_ptr[s]; u < sym->update_ptr[s + 1]; u++)
        CTI_TN(cti_super, update)(sym, f->L, &sym->update[u], s, f->scratch, ld);
    f->boosted += CTI_TN(cti_super, panel)(sym, s, f->L + sym->panel[s], f->inverse + sym->pivot[s], f->scratch, ld, orig);
    for (u = cti_sym_cols(sym, s); u < cti_sym_top(sym, s); u++)
        f->inverse[sym->pivot[s] + u] = 1;
}

CTI_FN int CTI_TN(cti_factor, reserve)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym)
{
    return CTI_TN(cti_super, reserve)(mem, f, sym);
}

CTI_FN void CTI_TN(cti_factor, refill)(CTI_TN(cti_factor, t) * f, const cti_gather *g, const ct_real *val)
{
    const cti_symbolic *sym = f->sym;
    int s;
    CTI_T *orig;
    f->boosted = 0;
    orig = f->scratch + sym->scratch + 16;
    for (s = 0; s < sym->n_super; s++) {
        CTI_TN(cti_super, assemble)(sym, g, val, s, f->scratch, (size_t)cti_sym_height(sym, s), orig);
        CTI_TN(cti_super, finish)(f, s, orig);
    }
}

CTI_FN int CTI_TN(cti_factor, compute)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym, const cti_gather *g,
                                       const ct_real *val)
{
    if (!CTI_TN(cti_super, reserve)(mem, f, sym))
        return 0;
    CTI_TN(cti_factor, refill)(f, g, val);
    return 1;
}

CTI_FN void CTI_TN(cti_factor, free)(cti_mem *mem, CTI_TN(cti_factor, t) * f)
{
    if (f->block)
        cti_mem_resize(mem, f->block, f->bytes, 0);
    memset(f, 0, sizeof *f);
}

CTI_FN void CTI_TN(cti_factor, archive)(cti_archive *a, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym)
{
    if (cti_archive_checks(a) && !CTI_TN(cti_factor, reserve)(a->mem, f, sym))
        a->code = CT_ERR_MEMORY;
    cti_archive_bytes(a, f->L, sym->panel[sym->n_super] * sizeof *f->L);
    cti_archive_bytes(a, f->inverse, (size_t)sym->pivot[sym->n_super] * sizeof *f->inverse);
    CTI_ARCHIVE(a, f->boosted);
}

#undef CTI_SUPER_EPS
#undef CTI_SUPER_TINY
#undef CTI_SUPER_GONE
