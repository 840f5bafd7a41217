/* supernodal.c -- left-looking supernodal Cholesky and the solve with one right side.
   Method: a supernode's columns are gathered from A into a column-major scratch. Every earlier supernode that reaches them subtracts its
   outer product, tile by tile, through the pieces found by the analysis. Then the panel is factored in groups of four columns and written
   in strips. Zeros above the diagonal of a strip are stored, so that kernels may run over whole strips. Based on: Ng and Peyton 1993; Chen,
   Davis, Hager, Rajamanickam 2008; Goto and van de Geijn 2008. */
#include "supernodal.h"

CTI_FN double cti_factor32_scale(double most)
{
    int e;
    if (!(most > 0) || !cti_finite64(most))
        return 1;
    frexp(most, &e);
    return ldexp(1, 1 - cti_max_int(-1000, cti_min_int(e, 1000)));
}

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_SUPER_EPS 1.1920929e-7f
#define CTI_SUPER_TINY 3.5e-15f /* eps^2 / 4 */
#define CTI_SUPER_ABS fabsf
#define CTI_SUPER_LEAST CTI_FACTOR32_LEAST
#define CTI_SUPER_GONE 1e-34f /* 1e4 times the smallest normal number */
#include "supernodal.inl"
#define CTI_L float
#define CTI_LV(p) cti_f8_load(p)
#include "supernodal_solve.inl"

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_SUPER_EPS 2.2204460492503131e-16
#define CTI_SUPER_TINY 1.2e-32
#define CTI_SUPER_ABS fabs
#define CTI_SUPER_LEAST 0 /* no unknown is flushed to 0: products of doubles do not underflow here */
#define CTI_SUPER_GONE 0
#include "supernodal.inl"
#define CTI_L double
#define CTI_LV(p) cti_d8_load(p)
#include "supernodal_solve.inl"

/* scratch = the columns of supernode s, entry by entry in double */
static void cti_super64_assemble_double(const cti_symbolic *sym, const cti_gather *g, const double *val, int s, double *W, size_t ld, double *orig)
{
    int e, k, c, cols = cti_sym_cols(sym, s);
    memset(W, 0, ld * (size_t)cols * sizeof *W);
    for (e = sym->entry_ptr[s]; e < sym->entry_ptr[s + 1]; e++)
        for (k = 0; k < 9; k++)
            W[(size_t)(sym->entry[e].col + k % 3) * ld + (size_t)(sym->entry[e].row + k / 3)] = val[9 * (size_t)g->slot[e] + (size_t)k];
    for (c = cti_sym_pivots(sym, s); c < cols; c++)
        W[(size_t)c * (ld + 1)] = 1;
    for (c = 0; c < cols; c++)
        orig[c] = W[(size_t)c * (ld + 1)];
}

CTI_FN int cti_factor64_compute_double(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const double *val)
{
    int s;
    double *orig;
    f->boosted = 0;
    if (!cti_super64_reserve(mem, f, sym))
        return 0;
    orig = f->scratch + sym->scratch + 16;
    for (s = 0; s < sym->n_super; s++) {
        cti_super64_assemble_double(sym, g, val, s, f->scratch, (size_t)cti_sym_height(sym, s), orig);
        cti_super64_finish(f, s, orig);
    }
    return 1;
}
