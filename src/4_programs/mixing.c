/* mixing.c -- Anderson acceleration in double.
   Method: the next point is g - sum c_k dg_k over the last differences of images and errors, with the c that minimize |e - sum c_k de_k|, e
   = weight (g - x). If the error has more than doubled, the iteration returns to the last image and drops the history. Based on: Walker and
   Ni 2011, Anderson acceleration for fixed-point iterations. */
#include "mixing.h"

CTI_FN int cti_mixing_open(cti_mixing *s, cti_arena *arena, int m, int depth, const double *weight, int slave)
{
    int k, ok;
    memset(s, 0, sizeof *s);
    s->m = m, s->depth = depth, s->weight = weight;
    s->share = 1;
    s->safe = CTI_ARENA_NEW(arena, double, m), s->e = CTI_ARENA_NEW(arena, double, m), s->last_e = CTI_ARENA_NEW(arena, double, m);
    s->safe_u = slave ? CTI_ARENA_NEW(arena, double, m) : NULL;
    ok = s->safe && s->e && s->last_e && (s->safe_u || !slave);
    for (k = 0; k < depth; k++) {
        s->dg[k] = CTI_ARENA_NEW(arena, double, m), s->de[k] = CTI_ARENA_NEW(arena, double, m);
        s->du[k] = slave ? CTI_ARENA_NEW(arena, double, m) : NULL;
        ok = ok && s->dg[k] && s->de[k] && (s->du[k] || !slave);
    }
    return ok;
}

CTI_FN void cti_mixing_restart(cti_mixing *s) { s->started = s->count = s->head = 0; }

/* stores the differences of this image and error to the last ones */
static void cti_mixing_remember(cti_mixing *s, const double *g, const double *u)
{
    int i, k = s->head;
    for (i = 0; i < s->m; i++)
        s->dg[k][i] = g[i] - s->safe[i], s->de[k][i] = s->e[i] - s->last_e[i];
    for (i = 0; u && i < s->m; i++)
        s->du[k][i] = u[i] - s->safe_u[i];
    s->head = (k + 1) % s->depth;
    s->count = cti_min_int(s->count + 1, s->depth);
    for (i = 0; i < s->count; i++)
        s->gram[k][i] = s->gram[i][k] = cti_dot_fast(s->m, s->de[k], s->de[i]);
}

/* c [count]; returns their number, 0 if they are not finite */
static int cti_mixing_weights(const cti_mixing *s, double *c)
{
    double dot[CTI_MIXING_DEPTH];
    int i;
    for (i = 0; i < s->count; i++)
        dot[i] = cti_dot_fast(s->m, s->de[i], s->e);
    if (!cti_anderson_weights(s->count, s->gram[0], CTI_MIXING_DEPTH, dot, cti_program_tuned.pgs.ridge, c))
        return 0;
    for (i = 0; i < s->count; i++)
        if (!cti_finite64(c[i]))
            return 0;
    return s->count;
}

/* the part of the errors that does not enter: g -= (1 - share) e of the point, and of each difference */
static void cti_mixing_damp(const cti_mixing *s, int n, const double *c, double *g)
{
    double rest = 1 - s->share;
    int i, k;
    cti_vec_add(s->m, -rest, s->e, g);
    for (k = 0; k < n; k++)
        for (i = 0; i < s->m; i++)
            g[i] += c[k] * rest * s->de[k][i];
}

CTI_FN void cti_mixing_step(cti_mixing *s, const double *x, double *g, double *u)
{
    size_t bytes = sizeof *g * (size_t)s->m;
    double c[CTI_MIXING_DEPTH], size;
    int i, k, n;
    for (i = 0; i < s->m; i++)
        s->e[i] = s->weight ? s->weight[i] * (g[i] - x[i]) : g[i] - x[i];
    size = cti_dot_fast(s->m, s->e, s->e);
    if (s->started && s->count > 0 && !s->takes_all && !(size <= 4 * s->last_size)) {
        memcpy(g, s->safe, bytes);
        if (u)
            memcpy(u, s->safe_u, bytes);
        cti_mixing_restart(s);
        return;
    }
    if (s->started && s->depth > 0)
        cti_mixing_remember(s, g, u);
    memcpy(s->safe, g, bytes), memcpy(s->last_e, s->e, bytes);
    if (u)
        memcpy(s->safe_u, u, bytes);
    s->last_size = size, s->started = 1;
    n = cti_mixing_weights(s, c);
    for (k = 0; k < n; k++) {
        for (i = 0; i < s->m; i++)
            g[i] -= c[k] * s->dg[k][i];
        for (i = 0; u && i < s->m; i++)
            u[i] -= c[k] * s->du[k][i];
    }
    if (s->share < 1)
        cti_mixing_damp(s, n, c, g);
}
