/* supernodal_short.c -- a factor in 16-bit integers, and the solve with it.
   Method: with L the factor of A, D = diag(A) and L_s = D^-1/2 L G, whose entries are integers, A^-1 r is
   D^-1/2 L_s'^-1 G^2 L_s^-1 D^-1/2 r. D^-1/2 L has rows of norm 1. Without that, rows of soft parts beside stiff ones would lose all
   of their digits. */
#include "supernodal.h"

/* [1] largest entry of a packed column: that of 16 bits, less one for the rounding of scales. Half of it would waste a bit, double does not fit */
#define CTI_SUPER_SHORT 32766.f

#define CTI_T float
#define CTI_TN(a, b) a##16_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_L int16_t
#define CTI_LV(p) cti_f8_short(p)
#define CTI_SUPER_ABS fabsf
#define CTI_SUPER_LEAST CTI_FACTOR32_LEAST
#define CTI_SUPER_GAIN
#include "supernodal_solve.inl"

/* to[i]: where row i of supernode s's panel stands in elimination order; n for rows that are padding */
static void cti_super16_rows(const cti_symbolic *sym, int s, int n, int32_t *to)
{
    int i, top = cti_sym_top(sym, s), below = cti_sym_below(sym, s);
    for (i = 0; i < cti_sym_height(sym, s); i++) {
        int k = i - top;
        to[i] = i < cti_sym_cols(sym, s) ? sym->pivot[s] + i
                : k < 0 || k >= below    ? n
                                         : sym->place[sym->rows[sym->row_ptr[s] + k / 3]] + k % 3;
    }
}

/* columns that the strip of eight rows at i has: of the pivots' rows, those up to its diagonal block. The panel's rest is not written */
CTI_INLINE int cti_super16_width(int i, int cols) { return cti_min_int(i + 8, cols); }

/* row[i] += the squares of L's row i: in the end the diagonal of A */
static void cti_super16_squares(cti_factor16 *to, const cti_factor32 *from, int s, int n)
{
    const cti_symbolic *sym = from->sym;
    int cols = cti_sym_cols(sym, s), height = cti_sym_height(sym, s), i, c;
    const float *P = from->L + sym->panel[s];
    cti_super16_rows(sym, s, n, to->where);
    for (i = 0; i < height; i += 8, P += 8 * (size_t)cols) {
        cti_f8 sum = cti_f8_set(0);
        float t[8];
        for (c = 0; c < cti_super16_width(i, cols); c++)
            sum = cti_f8_add(sum, cti_f8_mul(cti_f8_load(P + 8 * c), cti_f8_load(P + 8 * c)));
        cti_f8_store(t, sum);
        for (c = 0; c < 8; c++)
            to->row[to->where[i + c]] += t[c];
    }
}

/* the panel of supernode s, scaled and rounded. A sum with 1.5 2^23 has the nearest integer in its last bits */
static void cti_super16_panel(cti_factor16 *to, const cti_factor32 *from, int s, int n)
{
    const cti_symbolic *sym = from->sym;
    int cols = cti_sym_cols(sym, s), height = cti_sym_height(sym, s), at = sym->pivot[s], i, c, k;
    const float *P = from->L + sym->panel[s];
    int16_t *Q = to->L + sym->panel[s];
    float *most = to->most;
    cti_super16_rows(sym, s, n, to->where);
    memset(most, 0, 8 * (size_t)cols * sizeof *most);
    for (i = 0; i < height; i++)
        to->scale[i] = to->row[to->where[i]];
    for (i = 0; i < height; i += 8, P += 8 * (size_t)cols)
        for (c = 0; c < cti_super16_width(i, cols); c++) {
            cti_f8 size = cti_f8_abs(cti_f8_mul(cti_f8_load(P + 8 * c), cti_f8_load(to->scale + i)));
            cti_f8_store(most + 8 * c, cti_f8_max(cti_f8_load(most + 8 * c), size));
        }
    for (c = 0; c < cols; c++) {
        for (k = 1; k < 8; k++)
            most[8 * c] = most[8 * c] < most[8 * c + k] ? most[8 * c + k] : most[8 * c];
        to->gain[at + c] = most[8 * c] > 0 && most[8 * c] < 1e36f ? CTI_SUPER_SHORT / most[8 * c] : 1;
        to->inverse[at + c] = from->inverse[at + c] / (to->gain[at + c] * to->row[at + c]);
    }
    P = from->L + sym->panel[s];
    for (i = 0; i < height; i += 8, P += 8 * (size_t)cols, Q += 8 * (size_t)cols)
        for (c = 0; c < cti_super16_width(i, cols); c++) {
            cti_f8 v = cti_f8_mul(cti_f8_mul(cti_f8_load(P + 8 * c), cti_f8_load(to->scale + i)), cti_f8_set(to->gain[at + c]));
            float t[8];
            uint32_t u[8];
            cti_f8_store(t, cti_f8_add(v, cti_f8_set(12582912)));
            memcpy(u, t, sizeof u);
            for (k = 0; k < 8; k++)
                Q[8 * c + k] = (int16_t)(u[k] & 0xffff);
        }
}

CTI_FN int cti_factor16_pack(cti_mem *mem, cti_factor16 *to, const cti_factor32 *from)
{
    const cti_symbolic *sym = from->sym;
    int s, i, n = sym->pivot[sym->n_super];
    if (!CTI_RESIZE(mem, to->L, sym->panel[sym->n_super]) || !CTI_RESIZE(mem, to->inverse, n) || !CTI_RESIZE(mem, to->gain, n) ||
        !CTI_RESIZE(mem, to->row, n + 1) || !CTI_RESIZE(mem, to->where, sym->max_rows) || !CTI_RESIZE(mem, to->scale, sym->max_rows) ||
        !CTI_RESIZE(mem, to->most, 8 * sym->max_cols))
        return 0;
    to->sym = sym;
    memset(to->row, 0, ((size_t)n + 1) * sizeof *to->row);
    for (s = 0; s < sym->n_super; s++)
        cti_super16_squares(to, from, s, n);
    for (i = 0; i <= n; i++)
        to->row[i] = i < n && to->row[i] > 0 ? 1 / sqrtf(to->row[i]) : 1;
    for (s = 0; s < sym->n_super; s++)
        cti_super16_panel(to, from, s, n);
    return 1;
}

CTI_FN void cti_factor16_archive(cti_archive *a, cti_factor16 *f, const cti_symbolic *sym)
{
    int64_t n = sym->pivot[sym->n_super];
    CTI_ARCHIVE_ARRAY(a, f->L, (int64_t)sym->panel[sym->n_super]), CTI_ARCHIVE_ARRAY(a, f->inverse, n), CTI_ARCHIVE_ARRAY(a, f->gain, n);
    CTI_ARCHIVE_ARRAY(a, f->row, n + 1);
    if (a->mode >= CTI_ARCHIVE_CHECK)
        f->sym = sym;
}
