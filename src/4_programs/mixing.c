/* mixing.c -- Anderson acceleration in double.
   Method: the next point is g - sum c_k dg_k over the last differences of images and errors, with the c that minimize |e - sum c_k de_k|, e
   = weight (g - x). If the error has more than doubled, the iteration returns to the last image and drops the history. Based on: Walker and
   Ni 2011, Anderson acceleration for fixed-point iterations. */
#include "mixing.h"

CTI_FN int cti_mixing_open(cti_mixing *s, cti_arena *arena, int m, const double *weight, int slave)
{
    int k, ok;
    memset(s, 0, sizeof *s);
    s->m = m, s->weight = weight;
    s->safe = CTI_ARENA_NEW(arena, double, m), s->e = CTI_ARENA_NEW(arena, double, m), s->last_e = CTI_ARENA_NEW(arena, double, m);
    s->safe_u = slave ? CTI_ARENA_NEW(arena, double, m) : NULL;
    ok = s->safe && s->e && s->last_e && (s->safe_u || !slave);
    for (k = 0; k < CTI_MIXING_DEPTH; k++) {
        s->dg[k] = CTI_ARENA_NEW(arena, double, m), s->de[k] = CTI_ARENA_NEW(arena, double, m);
        s->du[k] = slave ? CTI_ARENA_NEW(arena, double, m) : NULL;
        ok = ok && s->dg[k] && s->de[k] && (s->du[k] || !slave);
    }
    return ok;
}

static double cti_mixing_dot(const double *a, const double *b, int n)
{
    double s[4] = {0, 0, 0, 0};
    int i;
    for (i = 0; i + 4 <= n; i += 4)
        s[0] += a[i] * b[i], s[1] += a[i + 1] * b[i + 1], s[2] += a[i + 2] * b[i + 2], s[3] += a[i + 3] * b[i + 3];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* stores the differences of this image and error to the last ones */
static void cti_mixing_remember(cti_mixing *s, const double *g, const double *u)
{
    int i, k = s->head;
    for (i = 0; i < s->m; i++)
        s->dg[k][i] = g[i] - s->safe[i], s->de[k][i] = s->e[i] - s->last_e[i];
    for (i = 0; u && i < s->m; i++)
        s->du[k][i] = u[i] - s->safe_u[i];
    s->head = (k + 1) % CTI_MIXING_DEPTH, s->count = s->count < CTI_MIXING_DEPTH ? s->count + 1 : s->count;
    for (i = 0; i < s->count; i++)
        s->gram[k][i] = s->gram[i][k] = cti_mixing_dot(s->de[k], s->de[i], s->m);
}

/* c [count]. 0 when they are not finite */
static int cti_mixing_weights(const cti_mixing *s, double *c)
{
    double G[CTI_MIXING_DEPTH][CTI_MIXING_DEPTH], trace = 0;
    int i, j, k, n = s->count, finite = 1;
    memcpy(G, s->gram, sizeof G);
    for (i = 0; i < n; i++)
        trace += G[i][i], c[i] = cti_mixing_dot(s->de[i], s->e, s->m);
    for (i = 0; i < n; i++)
        G[i][i] += 1e-11 * trace + 1e-300;
    for (k = 0; k < n; k++)
        for (i = k + 1; i < n; i++) {
            double t = G[i][k] / G[k][k];
            for (j = k; j < n; j++)
                G[i][j] -= t * G[k][j];
            c[i] -= t * c[k];
        }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            c[i] -= G[i][j] * c[j];
        c[i] /= G[i][i];
        finite = finite && cti_finite64(c[i]);
    }
    return finite;
}

CTI_FN void cti_mixing_step(cti_mixing *s, const double *x, double *g, double *u)
{
    size_t bytes = sizeof *g * (size_t)s->m;
    double c[CTI_MIXING_DEPTH], size;
    int i, k, n;
    for (i = 0; i < s->m; i++)
        s->e[i] = s->weight[i] * (g[i] - x[i]);
    size = cti_mixing_dot(s->e, s->e, s->m);
    if (s->started && s->count > 0 && !(size <= 4 * s->last_size)) {
        memcpy(g, s->safe, bytes);
        if (u)
            memcpy(u, s->safe_u, bytes);
        s->started = s->count = s->head = 0;
        return;
    }
    if (s->started)
        cti_mixing_remember(s, g, u);
    memcpy(s->safe, g, bytes), memcpy(s->last_e, s->e, bytes);
    if (u)
        memcpy(s->safe_u, u, bytes);
    s->last_size = size, s->started = 1;
    n = cti_mixing_weights(s, c) ? s->count : 0;
    for (k = 0; k < n; k++) {
        for (i = 0; i < s->m; i++)
            g[i] -= c[k] * s->dg[k][i];
        for (i = 0; u && i < s->m; i++)
            u[i] -= c[k] * s->du[k][i];
    }
}
