/* supernodal_solve.inl -- solve with one right side for one number type CTI_T and one type CTI_L of the stored panels; included by supernodal.c.
   CTI_LV(p) loads eight entries of a panel. With CTI_SUPER_GAIN the panels are those of cti_factor16. */

/* [strips times columns] panels from this size on are read in storage order by the backward sweep, which changes no bit. Processor time: S1 under cmr
   2.4 s with 400, 2.5 to 2.6 s with half and with 0; N16 under the barrier stepper 16.3 s with 400, 17.0 s with 4000, 19.3 s with 40000. Double was
   not measured */
#define CTI_SUPER_WIDE 400

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_super, align)(CTI_T *p) { return p + ((size_t)(64 - ((uintptr_t)p & 63)) & 63) / sizeof(CTI_T); }

CTI_FN size_t CTI_TN(cti_factor, work)(const CTI_TN(cti_factor, t) * f)
{
    return (size_t)f->sym->pivot[f->sym->n_super] + (size_t)f->sym->max_rows + 8 * (size_t)f->sym->max_cols + 48;
}

/* an unknown of a solve with the pivot 1 / r; set to 0 if it is far below the largest right side. Its influence decays with distance until
   products would be denormal */
CTI_INLINE CTI_T CTI_TN(cti_super, keep)(CTI_T r, CTI_T x) { return CTI_SUPER_ABS(x) < CTI_SUPER_LEAST * r ? 0 : x; }

/* x = L(pivots, pivots)^-1 x, x padded: by halves of strips */
static void CTI_TN(cti_super, forward)(const CTI_L *P, const CTI_T *r, int cols, CTI_T *x)
{
    const size_t stride = 8 * (size_t)cols;
    int i, k;
    for (i = 0; i < cols; i += 4) {
        const CTI_L *b = P + (size_t)(i >> 3) * stride, *l = b + 8 * (size_t)i + (i & 7);
        CTI_T t[8], x0, x1, x2, x3;
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < i; k += 4, b += 32) {
            v0 = CTI_TV(mad)(v0, CTI_LV(b), CTI_TV(set)(x[k]));
            v1 = CTI_TV(mad)(v1, CTI_LV(b + 8), CTI_TV(set)(x[k + 1]));
            v2 = CTI_TV(mad)(v2, CTI_LV(b + 16), CTI_TV(set)(x[k + 2]));
            v3 = CTI_TV(mad)(v3, CTI_LV(b + 24), CTI_TV(set)(x[k + 3]));
        }
        CTI_TV(store)(t, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
        k = i & 7;
        x0 = (x[i] - t[k]) * r[i];
        x1 = (x[i + 1] - t[k + 1] - l[1] * x0) * r[i + 1];
        x2 = x[i + 2] - t[k + 2] - l[2] * x0;
        x3 = x[i + 3] - t[k + 3] - l[3] * x0;
        x2 = (x2 - l[10] * x1) * r[i + 2];
        x3 = (x3 - l[11] * x1 - l[19] * x2) * r[i + 3];
        x[i] = CTI_TN(cti_super, keep)(r[i], x0), x[i + 1] = CTI_TN(cti_super, keep)(r[i + 1], x1);
        x[i + 2] = CTI_TN(cti_super, keep)(r[i + 2], x2), x[i + 3] = CTI_TN(cti_super, keep)(r[i + 3], x3);
    }
}

/* y = L(below, pivots) x, y padded to strips; the panel is read in storage order. cols is a multiple of 4, x padded with 0. */
static void CTI_TN(cti_super, below)(const CTI_L *B, int cols, int strips, const CTI_T *x, CTI_T *y)
{
    int t, k;
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < cols; k += 4, B += 32) {
            v0 = CTI_TV(mad)(v0, CTI_LV(B), CTI_TV(set)(x[k]));
            v1 = CTI_TV(mad)(v1, CTI_LV(B + 8), CTI_TV(set)(x[k + 1]));
            v2 = CTI_TV(mad)(v2, CTI_LV(B + 16), CTI_TV(set)(x[k + 2]));
            v3 = CTI_TV(mad)(v3, CTI_LV(B + 24), CTI_TV(set)(x[k + 3]));
        }
        CTI_TV(store)(y, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
    }
}

/* c[q] += sum over strips of L(strip, k0 + q)' y(strip), q = 0..3 */
CTI_INLINE void CTI_TN(cti_super, dots4)(const CTI_L *B, size_t stride, int strips, const CTI_T *y, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t;
    for (t = 0; t < strips; t++, B += stride, y += 8) {
        v = CTI_TV(load)(y);
        c0 = CTI_TV(mad)(c0, CTI_LV(B), v);
        c1 = CTI_TV(mad)(c1, CTI_LV(B + 8), v);
        c2 = CTI_TV(mad)(c2, CTI_LV(B + 16), v);
        c3 = CTI_TV(mad)(c3, CTI_LV(B + 24), v);
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* c[k] = sum over strips of L(strip, k)' y(strip) for all columns, c [cols][8]; L is read once, in storage order */
static void CTI_TN(cti_super, dots)(const CTI_L *B, int cols, int strips, const CTI_T *y, CTI_T *c)
{
    int t, k;
    memset(c, 0, 8 * (size_t)cols * sizeof *c);
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v = CTI_TV(load)(y);
        for (k = 0; k < 8 * cols; k += 32, B += 32) {
            CTI_TV(store)(c + k, CTI_TV(mad)(CTI_TV(load)(c + k), CTI_LV(B), v));
            CTI_TV(store)(c + k + 8, CTI_TV(mad)(CTI_TV(load)(c + k + 8), CTI_LV(B + 8), v));
            CTI_TV(store)(c + k + 16, CTI_TV(mad)(CTI_TV(load)(c + k + 16), CTI_LV(B + 16), v));
            CTI_TV(store)(c + k + 24, CTI_TV(mad)(CTI_TV(load)(c + k + 24), CTI_LV(B + 24), v));
        }
    }
}

/* x = L(pivots, pivots)'^-1 (x - L(below, pivots)' y); work [8 cols] */
static void CTI_TN(cti_super, backward)(const CTI_L *P, const CTI_T *r, int cols, int top, int strips, const CTI_T *y, CTI_T *x, CTI_T *work)
{
    CTI_TVEC c[4];
    const size_t stride = 8 * (size_t)cols;
    int k0, j, wide = strips * cols >= CTI_SUPER_WIDE;
    if (wide)
        CTI_TN(cti_super, dots)(P + (size_t)top * stride, cols, strips, y, work);
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        int own = k0 >> 3, o = k0 & 7;
        const CTI_L *b = P + 8 * (size_t)k0;
        CTI_T s0, s1, s2, s3;
        if (wide)
            for (j = 0; j < 4; j++)
                c[j] = CTI_TV(load)(work + 8 * (size_t)(k0 + j));
        else {
            c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
            CTI_TN(cti_super, dots4)(b + (size_t)top * stride, stride, strips, y, c);
        }
        CTI_TN(cti_super, dots4)(b + (size_t)(own + 1) * stride, stride, top - own - 1, x + 8 * (own + 1), c);
        b += (size_t)own * stride;
        s0 = x[k0] - CTI_TV(sum)(c[0]), s1 = x[k0 + 1] - CTI_TV(sum)(c[1]);
        s2 = x[k0 + 2] - CTI_TV(sum)(c[2]), s3 = x[k0 + 3] - CTI_TV(sum)(c[3]);
        /* the other half of the strip, then the 4x4 triangle by columns */
        if (o == 0)
            for (j = 4; j < 8; j++) {
                CTI_T v = x[k0 + j];
                s0 -= b[j] * v, s1 -= b[8 + j] * v, s2 -= b[16 + j] * v, s3 -= b[24 + j] * v;
            }
        b += o;
        s3 *= r[k0 + 3];
        s0 -= b[3] * s3, s1 -= b[11] * s3, s2 = (s2 - b[19] * s3) * r[k0 + 2];
        s0 -= b[2] * s2, s1 = (s1 - b[10] * s2) * r[k0 + 1];
        s0 = (s0 - b[1] * s1) * r[k0];
        x[k0] = CTI_TN(cti_super, keep)(r[k0], s0), x[k0 + 1] = CTI_TN(cti_super, keep)(r[k0 + 1], s1);
        x[k0 + 2] = CTI_TN(cti_super, keep)(r[k0 + 2], s2), x[k0 + 3] = CTI_TN(cti_super, keep)(r[k0 + 3], s3);
    }
}

CTI_FN void CTI_TN(cti_factor, solve)(const CTI_TN(cti_factor, t) * f, CTI_T *x, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    CTI_T *z = CTI_TN(cti_super, align)(work), *y = z + ((sym->pivot[sym->n_super] + 15) & ~15), *w = y + sym->max_rows;
    int i, s, k;
    /* z = x in elimination order; padding is 0 */
    memset(z, 0, (size_t)sym->pivot[sym->n_super] * sizeof *z);
    for (i = 0; i < sym->n; i++)
        memcpy(z + sym->place[i], x + 3 * (size_t)sym->perm[i], 3 * sizeof *z);
#ifdef CTI_SUPER_GAIN
    for (i = 0; i < sym->pivot[sym->n_super]; i++)
        z[i] *= f->row[i];
#endif
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        const CTI_L *P = f->L + sym->panel[s];
        CTI_TN(cti_super, forward)(P, f->inverse + sym->pivot[s], cols, z + sym->pivot[s]);
        CTI_TN(cti_super, below)(P + (size_t)cti_sym_top(sym, s) * (size_t)cols, cols, cti_strips(3 * below), z + sym->pivot[s], y);
        for (k = 0; k < below; k++) {
            CTI_T *v = z + sym->place[sym->rows[sym->row_ptr[s] + k]];
            v[0] -= y[3 * k], v[1] -= y[3 * k + 1], v[2] -= y[3 * k + 2];
        }
    }
#ifdef CTI_SUPER_GAIN
    for (i = 0; i < sym->pivot[sym->n_super]; i++)
        z[i] *= f->gain[i], z[i] *= f->gain[i];
#endif
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        for (k = 0; k < below; k++)
            memcpy(y + 3 * k, z + sym->place[sym->rows[sym->row_ptr[s] + k]], 3 * sizeof *z);
        for (k = 3 * below; k < cti_pad8(3 * below); k++)
            y[k] = 0;
        CTI_TN(cti_super, backward)
        (f->L + sym->panel[s], f->inverse + sym->pivot[s], cols, cti_sym_top(sym, s) / 8, cti_strips(3 * below), y, z + sym->pivot[s], w);
    }
#ifdef CTI_SUPER_GAIN
    for (i = 0; i < sym->pivot[sym->n_super]; i++)
        z[i] *= f->row[i];
#endif
    for (i = 0; i < sym->n; i++)
        memcpy(x + 3 * (size_t)sym->perm[i], z + sym->place[i], 3 * sizeof *z);
}

#undef CTI_SUPER_WIDE
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_L
#undef CTI_LV
#undef CTI_SUPER_ABS
#undef CTI_SUPER_LEAST
