/* anderson.c -- Anderson acceleration.
   Method: with residuals f_i = W (g(x_i) - x_i) and differences dF, dG of the last steps, the next point is g_k - dG c, c minimizing
   |f_k - dF c|. In the linear regime this is GMRES on the sweeps. The least squares problem is solved by normal equations with a little
   regularization. Differences and the history are float, sums are double: the next sweep checks what they extrapolate.
   Based on: Anderson 1965; Walker & Ni 2011. */
#include "anderson.h"
#include "../1_math/simd.h"

CTI_FN int cti_anderson_init(cti_anderson *a, cti_arena *arena, int n, const ct_real *weight, int n_slave, int depth)
{
    int k, ok;
    memset(a, 0, sizeof *a);
    a->n = n, a->n_slave = n_slave, a->depth = depth;
    a->weight = CTI_ARENA_NEW(arena, float, n);
    a->f = CTI_ARENA_NEW(arena, float, n);
    a->g = CTI_ARENA_NEW(arena, ct_real, n);
    a->slave = CTI_ARENA_NEW(arena, float, n_slave);
    ok = a->weight && a->f && a->g && a->slave;
    for (k = 0; ok && k < n; k++)
        a->weight[k] = (float)weight[k];
    for (k = 0; k < depth; k++) {
        a->df[k] = CTI_ARENA_NEW(arena, float, n);
        a->dg[k] = CTI_ARENA_NEW(arena, float, n);
        a->ds[k] = CTI_ARENA_NEW(arena, float, n_slave);
        ok = ok && a->df[k] && a->dg[k] && a->ds[k];
    }
    return ok;
}

CTI_FN void cti_anderson_restart(cti_anderson *a) { a->count = a->head = a->started = 0; }

CTI_FN void cti_anderson_resume(cti_anderson *a) { a->started = 0; }

/* the arguments of a step's loops, which run over vectors of the history or over ranges of entries. The operations on an entry, and the
   order of a sum, do not depend on how a loop is cut */
typedef struct cti_anderson_loop {
    cti_anderson *a;
    const float *x, *z;         /* inputs of the dot products */
    double *out, *out2;
    const ct_real *from;        /* the point x */
    const ct_real *to;
    int column;
    const double *c;            /* coefficients of the mixture */
    ct_real *y;
    float *slave;
    ct_task_fn *of_point, *of_slave;
} cti_anderson_loop;

/* x' df_k and z' df_k for columns of the history */
static void cti_anderson_dots(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    const cti_anderson *a = q->a;
    const float *x = q->x, *z = q->z;
    int i, k;
    CTI_UNUSED(worker);
    for (k = begin; k < end; k++) {
        const float *y = a->df[k];
        cti_d8 s = cti_d8_set(0), t = s;
        double sum = 0, sum2 = 0;
        for (i = 0; i + 8 <= a->n; i += 8) {
            cti_d8 w = cti_d8_widen(cti_f8_load(y + i));
            s = cti_d8_add(s, cti_d8_mul(cti_d8_widen(cti_f8_load(x + i)), w));
            t = cti_d8_add(t, cti_d8_mul(cti_d8_widen(cti_f8_load(z + i)), w));
        }
        for (; i < a->n; i++) {
            sum += (double)x[i] * (double)y[i];
            sum2 += (double)z[i] * (double)y[i];
        }
        q->out[k] = sum + cti_d8_sum(s);
        q->out2[k] = sum2 + cti_d8_sum(t);
    }
}

CTI_FN int cti_anderson_weights(int n, const double *gram, int ld, const double *dot, double ridge, double *c)
{
    double L[CTI_ANDERSON_WEIGHTS][CTI_ANDERSON_WEIGHTS], trace = 0;
    int i, j, k;
    for (i = 0; i < n; i++)
        trace += gram[i * ld + i];
    if (!(trace > 0))
        return 0;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++) {
            double s = gram[i * ld + j] + (i == j ? ridge * trace : 0);
            for (k = 0; k < j; k++)
                s -= L[i][k] * L[j][k];
            if (i == j) {
                if (!(s > 0))
                    return 0;
                L[i][i] = sqrt(s);
            } else
                L[i][j] = s / L[j][j];
        }
    for (i = 0; i < n; i++) {
        double s = dot[i];
        for (k = 0; k < i; k++)
            s -= L[i][k] * c[k];
        c[i] = s / L[i][i];
    }
    for (i = n - 1; i >= 0; i--) {
        for (k = i + 1; k < n; k++)
            c[i] -= L[k][i] * c[k];
        c[i] /= L[i][i];
    }
    return 1;
}

/* 1 where the coefficients are so large that rounding of the float differences exceeds the step's accuracy */
static int cti_anderson_is_far(const cti_anderson *a, const double *c)
{
    double sum = 0;
    int k;
    for (k = 0; k < a->count; k++)
        sum += fabs(c[k]);
    return !(sum <= cti_solve_tuned.anderson.sum);
}

/* f and g of this point. Their differences to the last point go into `column` of the history, where it is >= 0 */
static void cti_anderson_point(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    cti_anderson *a = q->a;
    const ct_real *x = q->from, *g = q->to;
    float *df = q->column < 0 ? NULL : a->df[q->column], *dg = q->column < 0 ? NULL : a->dg[q->column];
    int i, last = cti_min_int(end * cti_solve_tuned.costs.range, a->n);
    CTI_UNUSED(worker);
    for (i = begin * cti_solve_tuned.costs.range; i + 8 <= last; i += 8) {
        cti_r8 gi = CTI_R8(load)(g + i);
        cti_f8 f = cti_f8_mul(cti_r8_narrow(CTI_R8(sub)(gi, CTI_R8(load)(x + i))), cti_f8_load(a->weight + i));
        if (df) {
            cti_f8_store(df + i, cti_f8_sub(f, cti_f8_load(a->f + i)));
            cti_f8_store(dg + i, cti_r8_narrow(CTI_R8(sub)(gi, CTI_R8(load)(a->g + i))));
        }
        cti_f8_store(a->f + i, f);
        CTI_R8(store)(a->g + i, gi);
    }
    for (; i < last; i++) {
        float f = (float)(g[i] - x[i]) * a->weight[i];
        if (df)
            df[i] = f - a->f[i], dg[i] = (float)(g[i] - a->g[i]);
        a->f[i] = f, a->g[i] = g[i];
    }
}

/* the same for the slave vector */
static void cti_anderson_follow(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    cti_anderson *a = q->a;
    int i, first = begin * cti_solve_tuned.costs.range, last = cti_min_int(end * cti_solve_tuned.costs.range, a->n_slave);
    CTI_UNUSED(worker);
    for (i = first; q->column >= 0 && i < last; i++)
        a->ds[q->column][i] = q->slave[i] - a->slave[i];
    memcpy(a->slave + first, q->slave + first, sizeof(float) * (size_t)(last - first));
}

static int cti_anderson_cuts(int n) { return (n + cti_solve_tuned.costs.range - 1) / cti_solve_tuned.costs.range; }

/* ranges of the point, then those of the slave vector */
static void cti_anderson_both(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    int cuts = cti_anderson_cuts(q->a->n);
    if (begin < cuts)
        q->of_point(begin, cti_min_int(end, cuts), worker, context);
    if (end > cuts)
        q->of_slave(cti_max_int(begin, cuts) - cuts, end - cuts, worker, context);
}

/* one loop over both. us: estimated time of a range */
static void cti_anderson_run(cti_anderson_loop *q, ct_task_fn *of_point, ct_task_fn *of_slave, double us)
{
    const cti_anderson *a = q->a;
    q->of_point = of_point, q->of_slave = of_slave;
    cti_tasks_run_work(a->tasks, cti_anderson_both, cti_anderson_cuts(a->n) + (q->slave ? cti_anderson_cuts(a->n_slave) : 0), us, q);
}

/* records the newest point and its differences to the last one, if there is one; dot = dF' f */
static void cti_anderson_record(cti_anderson *a, const ct_real *x, const ct_real *g, float *slave, double *dot)
{
    int k, h = a->started ? a->head : -1;
    double row[CTI_ANDERSON_MOST];
    cti_anderson_loop q;
    memset(&q, 0, sizeof q);
    q.a = a, q.from = x, q.to = g, q.column = h, q.slave = slave;
    cti_anderson_run(&q, cti_anderson_point, cti_anderson_follow, 2 * cti_solve_tuned.costs.mix);
    a->started = 1;
    if (h >= 0) {
        a->head = (h + 1) % a->depth;
        a->count = cti_min_int(a->count + 1, a->depth);
    }
    q.x = a->f, q.z = h >= 0 ? a->df[h] : a->f, q.out = dot, q.out2 = row;
    cti_tasks_run_work(a->tasks, cti_anderson_dots, a->count, cti_solve_tuned.costs.mix * a->n / cti_solve_tuned.costs.range, &q);
    for (k = 0; h >= 0 && k < a->count; k++)
        a->gram[h][k] = a->gram[k][h] = row[k];
}

/* y -= sum c_k d_k, floats */
static void cti_anderson_mix_slave(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    const cti_anderson *a = q->a;
    float *y = q->slave;
    int i, k, last = cti_min_int(end * cti_solve_tuned.costs.range, a->n_slave);
    CTI_UNUSED(worker);
    for (k = 0; k < a->count; k++) {
        cti_f8 ck = cti_f8_set((float)q->c[k]);
        const float *d = a->ds[k];
        for (i = begin * cti_solve_tuned.costs.range; i + 8 <= last; i += 8)
            cti_f8_store(y + i, cti_f8_sub(cti_f8_load(y + i), cti_f8_mul(ck, cti_f8_load(d + i))));
        for (; i < last; i++)
            y[i] -= (float)q->c[k] * d[i];
    }
}

static void cti_anderson_mix(int begin, int end, int worker, void *context)
{
    const cti_anderson_loop *q = (const cti_anderson_loop *)context;
    const cti_anderson *a = q->a;
    ct_real *g = q->y;
    int i, k, last = cti_min_int(end * cti_solve_tuned.costs.range, a->n);
    CTI_UNUSED(worker);
    for (i = begin * cti_solve_tuned.costs.range; i + 8 <= last; i += 8) {
        cti_r8 y = CTI_R8(load)(g + i);
        for (k = 0; k < a->count; k++)
            y = CTI_R8(sub)(y, CTI_R8(mul)(CTI_R8(set)((ct_real)q->c[k]), cti_r8_widen(cti_f8_load(a->dg[k] + i))));
        CTI_R8(store)(g + i, y);
    }
    for (; i < last; i++)
        for (k = 0; k < a->count; k++)
            g[i] -= (ct_real)q->c[k] * (ct_real)a->dg[k][i];
}

CTI_FN void cti_anderson_step(cti_anderson *a, const ct_real *x, ct_real *g, float *slave)
{
    double c[CTI_ANDERSON_MOST], dot[CTI_ANDERSON_MOST];
    cti_anderson_loop q;
    cti_anderson_record(a, x, g, slave, dot);
    if (a->count == 0 || !cti_anderson_weights(a->count, a->gram[0], CTI_ANDERSON_MOST, dot, cti_solve_tuned.anderson.ridge, c) ||
        cti_anderson_is_far(a, c)) {
        a->count = a->head = 0;
        return;
    }
    memset(&q, 0, sizeof q);
    q.a = a, q.c = c, q.y = g, q.slave = slave;
    cti_anderson_run(&q, cti_anderson_mix, cti_anderson_mix_slave, cti_solve_tuned.costs.mix * a->count);
}
