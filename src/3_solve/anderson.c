/* anderson.c -- Anderson acceleration.
   Method: with residuals f_i = W (g(x_i) - x_i) and differences dF, dG of the last steps, the next point is g_k - dG c, c minimizing
   |f_k - dF c|: in the linear regime this is GMRES on the sweeps. The least squares problem is solved by normal equations with a little
   regularization. Based on: Anderson 1965; Walker & Ni 2011. */
#include "anderson.h"
#include "../1_math/simd.h"

CTI_FN int cti_anderson_init(cti_anderson *a, cti_arena *arena, int n, const ct_real *weight, int n_slave)
{
    int k, ok;
    memset(a, 0, sizeof *a);
    a->n = n, a->n_slave = n_slave, a->weight = weight;
    a->f = CTI_ARENA_NEW(arena, ct_real, n);
    a->g = CTI_ARENA_NEW(arena, ct_real, n);
    a->slave = CTI_ARENA_NEW(arena, float, n_slave);
    ok = a->f && a->g && a->slave;
    for (k = 0; k < CTI_ANDERSON_DEPTH; k++) {
        a->df[k] = CTI_ARENA_NEW(arena, ct_real, n);
        a->dg[k] = CTI_ARENA_NEW(arena, ct_real, n);
        a->ds[k] = CTI_ARENA_NEW(arena, float, n_slave);
        ok = ok && a->df[k] && a->dg[k] && a->ds[k];
    }
    return ok;
}

CTI_FN void cti_anderson_restart(cti_anderson *a) { a->count = a->head = a->started = 0; }

CTI_FN void cti_anderson_resume(cti_anderson *a) { a->started = 0; }

static double cti_anderson_dot(int n, const ct_real *x, const ct_real *y)
{
    cti_r8 s = CTI_R8(set)(0);
    double sum = 0;
    int i;
    for (i = 0; i + 8 <= n; i += 8)
        s = CTI_R8(add)(s, CTI_R8(mul)(CTI_R8(load)(x + i), CTI_R8(load)(y + i)));
    for (; i < n; i++)
        sum += (double)(x[i] * y[i]);
    return sum + (double)CTI_R8(sum)(s);
}

/* c = (dF'dF + eps)^-1 dF' f by Cholesky; 0 when the matrix is not positive */
static int cti_anderson_fit(const cti_anderson *a, double *c)
{
    double L[CTI_ANDERSON_DEPTH][CTI_ANDERSON_DEPTH], trace = 0;
    int m = a->count, i, j, k;
    for (i = 0; i < m; i++)
        trace += a->gram[i][i];
    if (!(trace > 0))
        return 0;
    for (i = 0; i < m; i++)
        for (j = 0; j <= i; j++) {
            double s = a->gram[i][j] + (i == j ? 1e-12 * trace : 0);
            for (k = 0; k < j; k++)
                s -= L[i][k] * L[j][k];
            if (i == j) {
                if (!(s > 0))
                    return 0;
                L[i][i] = sqrt(s);
            } else
                L[i][j] = s / L[j][j];
        }
    for (i = 0; i < m; i++) {
        double s = cti_anderson_dot(a->n, a->df[i], a->f);
        for (k = 0; k < i; k++)
            s -= L[i][k] * c[k];
        c[i] = s / L[i][i];
    }
    for (i = m - 1; i >= 0; i--) {
        for (k = i + 1; k < m; k++)
            c[i] -= L[k][i] * c[k];
        c[i] /= L[i][i];
    }
    return 1;
}

/* a first point: nothing to take differences with */
static void cti_anderson_first(cti_anderson *a, const ct_real *x, const ct_real *g, const float *slave)
{
    int i;
    for (i = 0; i < a->n; i++) {
        a->f[i] = (g[i] - x[i]) * a->weight[i];
        a->g[i] = g[i];
    }
    if (slave)
        memcpy(a->slave, slave, sizeof(float) * (size_t)a->n_slave);
    a->started = 1;
}

/* the newest differences enter the history */
static void cti_anderson_record(cti_anderson *a, const ct_real *x, const ct_real *g, const float *slave)
{
    int i, k, h = a->head;
    ct_real *df = a->df[h], *dg = a->dg[h];
    for (i = 0; i < a->n; i++) {
        ct_real f = (g[i] - x[i]) * a->weight[i];
        df[i] = f - a->f[i], dg[i] = g[i] - a->g[i];
        a->f[i] = f, a->g[i] = g[i];
    }
    for (i = 0; slave && i < a->n_slave; i++) {
        a->ds[h][i] = slave[i] - a->slave[i];
        a->slave[i] = slave[i];
    }
    a->head = (h + 1) % CTI_ANDERSON_DEPTH;
    if (a->count < CTI_ANDERSON_DEPTH)
        a->count++;
    for (k = 0; k < a->count; k++)
        a->gram[h][k] = a->gram[k][h] = cti_anderson_dot(a->n, df, a->df[k]);
}

CTI_FN void cti_anderson_step(cti_anderson *a, const ct_real *x, ct_real *g, float *slave)
{
    double c[CTI_ANDERSON_DEPTH];
    int i, k;
    if (!a->started)
        cti_anderson_first(a, x, g, slave);
    else
        cti_anderson_record(a, x, g, slave);
    if (a->count == 0 || !cti_anderson_fit(a, c)) {
        a->count = a->head = 0;
        return;
    }
    for (k = 0; k < a->count; k++) {
        cti_r8 ck = CTI_R8(set)((ct_real)c[k]);
        const ct_real *dg = a->dg[k];
        for (i = 0; i + 8 <= a->n; i += 8)
            CTI_R8(store)(g + i, CTI_R8(sub)(CTI_R8(load)(g + i), CTI_R8(mul)(ck, CTI_R8(load)(dg + i))));
        for (; i < a->n; i++)
            g[i] -= (ct_real)c[k] * dg[i];
    }
    for (k = 0; slave && k < a->count; k++) {
        cti_f8 ck = cti_f8_set((float)c[k]);
        const float *ds = a->ds[k];
        for (i = 0; i + 8 <= a->n_slave; i += 8)
            cti_f8_store(slave + i, cti_f8_sub(cti_f8_load(slave + i), cti_f8_mul(ck, cti_f8_load(ds + i))));
        for (; i < a->n_slave; i++)
            slave[i] -= (float)c[k] * ds[i];
    }
}
