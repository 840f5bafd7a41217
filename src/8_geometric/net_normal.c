/* net_normal.c -- the global scheme along normals, with one unknown for each collision.
   Method: eq. 14 along the normals of the collisions that are on, by conjugate gradients scaled by the collisions' own mobilities. A turn is three
   passes: over collisions to particles, back, and over the vectors. based on: Volino, Magnenat-Thalmann 2000, sec. 3.2 and 3.3. */
#include "net.h"

#define CTI_NET_RISE 100 /* [1] factor of |R|^2 in one turn that is no convergence any more, but rounding */
#define CTI_NET_ROUNDED (1024 * (double)CTI_EPS) /* [1] what is below this share of the start is rounding */

/* u [4 n] += S n x of a collision, four numbers a particle, so that a particle is one vector */
CTI_INLINE void cti_net_normal_scatter(const cti_net *net, int c, ct_real x, ct_real *u)
{
    const ct_real *n = net->normal + 3 * (size_t)c;
    ct_real t[4]; /* the fourth comes of the next normal's first number, and no one reads it */
    int j, k, end = net->start[c + 1];
    for (j = 0; j < 4; j++)
        t[j] = n[j] * x;
    for (k = net->start[c]; k < end; k++) {
        ct_real *to = u + 4 * (size_t)net->particle[k], w = net->S[k];
        for (j = 0; j < 4; j++)
            to[j] += w * t[j];
    }
}

/* u <- M^-1 u. Returns u'M^-1 u */
static double cti_net_normal_masses(const cti_net *net, ct_real *u)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < net->n; i++) {
        ct_real *p = u + 4 * (size_t)i, w = net->inv[i];
        if (net->filter && net->filter[i] >= 0) {
            cti_v3 f = cti_v3_at(p, 0), q = cti_net_inverse(net, i, f);
            sum += (double)cti_v3_dot(f, q);
            cti_v3_put(p, 0, q);
            continue;
        }
        sum += (double)(w * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        for (j = 0; j < 4; j++)
            p[j] *= w;
    }
    return sum;
}

/* n'sum S u of a collision */
CTI_INLINE ct_real cti_net_normal_gather(const cti_net *net, int c, const ct_real *u)
{
    const ct_real *n = net->normal + 3 * (size_t)c;
    ct_real q[4] = {0, 0, 0, 0};
    int j, k, end = net->start[c + 1];
    for (k = net->start[c]; k < end; k++) {
        const ct_real *from = u + 4 * (size_t)net->particle[k];
        for (j = 0; j < 4; j++)
            q[j] += net->S[k] * from[j];
    }
    return n[0] * q[0] + n[1] * q[1] + n[2] * q[2];
}

CTI_FN double cti_net_normal_spread(const cti_net *net, const ct_real *x, ct_real *u)
{
    int c;
    memset(u, 0, sizeof(ct_real) * 4 * (size_t)net->n);
    for (c = 0; c < net->m; c++)
        if (net->mode[c])
            cti_net_normal_scatter(net, c, x[c], u);
    return cti_net_normal_masses(net, u);
}

CTI_FN ct_real cti_net_normal_value(const cti_net *net, const ct_real *u, int c) { return cti_net_normal_gather(net, c, u); }

CTI_FN double cti_net_normal_product(const cti_net *net, const ct_real *t, ct_real *ht)
{
    double sum = cti_net_normal_spread(net, t, net->work);
    int c;
    for (c = 0; c < net->m; c++) {
        ct_real own = net->compliance ? net->soft * net->compliance[c] * t[c] : 0;
        ht[c] = net->mode[c] ? cti_net_normal_gather(net, c, net->work) + own : 0;
        sum += net->mode[c] ? (double)(own * t[c]) : 0;
    }
    return sum;
}

/* ---- conjugate gradients ---- */

/* cti_net_normal_run -- vectors of a solve, of the collisions that are on. */
typedef struct cti_net_normal_run {
    const cti_net *net;
    int n;               /* collisions */
    int32_t *on;         /* [n] */
    ct_real *r, *t, *ht; /* [n] residuals, direction, its product */
    ct_real *scale;      /* [n] over the collisions' own mobilities */
} cti_net_normal_run;

static void cti_net_normal_open(const cti_net *net, const ct_real *y, const ct_real *x, ct_real *work, cti_net_normal_run *run)
{
    int c, m = net->m;
    run->net = net, run->n = 0;
    run->r = work, run->t = work + m, run->ht = work + 2 * (size_t)m, run->scale = work + 3 * (size_t)m;
    run->on = (int32_t *)(work + 4 * (size_t)m);
    cti_net_normal_product(net, x, run->t);
    for (c = 0; c < m; c++)
        if (net->mode[c]) {
            run->r[run->n] = y[c] - run->t[c];
            run->scale[run->n] = net->compliance && net->compliance[c] > 0 ? 1 / net->compliance[c] : 1;
            run->on[run->n++] = c;
        }
}

/* x and r by a step along t; returns r'r, scaled. In four sums, which do not wait for each other */
static double cti_net_normal_step(const cti_net_normal_run *run, ct_real step, ct_real *x)
{
    double sum[4] = {0, 0, 0, 0};
    int k;
    for (k = 0; k < run->n; k++) {
        ct_real r = run->r[k] - step * run->ht[k];
        run->r[k] = r;
        x[run->on[k]] += step * run->t[k];
        sum[k & 3] += (double)(r * r * run->scale[k]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* t = scaled r + more t, and its product; returns t'H t. size: t't over the scales */
static double cti_net_normal_turn(const cti_net_normal_run *run, ct_real more, double *size)
{
    const cti_net *net = run->net;
    ct_real *u = net->work;
    double curve, own = 0;
    int k;
    memset(u, 0, sizeof(ct_real) * 4 * (size_t)net->n);
    for (k = 0; k < run->n; k++) {
        ct_real t = run->r[k] * run->scale[k] + (more != 0 ? more * run->t[k] : 0);
        run->t[k] = t;
        cti_net_normal_scatter(net, run->on[k], t, u);
    }
    curve = cti_net_normal_masses(net, u);
    for (k = 0; k < run->n; k++) {
        ct_real t = run->t[k], q = t / run->scale[k];
        own += (double)(t * q);
        run->ht[k] = cti_net_normal_gather(net, run->on[k], u) + (net->compliance ? net->soft * q : 0);
    }
    *size = own;
    return curve + (net->compliance ? (double)net->soft * own : 0);
}

CTI_FN int cti_net_normal_cg(const cti_net *net, const ct_real *y, int turns, ct_real enough, ct_real *x, ct_real *work)
{
    double alpha, beta = 0, least, curve, size, stiffest = 0, still = cti_net_still(net, enough);
    cti_net_normal_run run;
    int turn;
    cti_net_normal_open(net, y, x, work, &run);
    memset(run.t, 0, sizeof(ct_real) * (size_t)net->m);
    memset(run.ht, 0, sizeof(ct_real) * (size_t)net->m);
    alpha = cti_net_normal_step(&run, 0, x);
    least = alpha * CTI_NET_ROUNDED * CTI_NET_ROUNDED;
    for (turn = 0; turn < turns && alpha > least; turn++) {
        curve = cti_net_normal_turn(&run, turn ? (ct_real)(alpha / beta) : 0, &size);
        /* t'D t, which t'H t is at most some ten times: in the null space it is rounding */
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_NET_ROUNDED * stiffest * size))
            break;
        beta = alpha;
        alpha = cti_net_normal_step(&run, (ct_real)(beta / curve), x);
        if (!(alpha <= CTI_NET_RISE * beta) || beta * (beta / curve) < still)
            return turn + 1;
    }
    return turn;
}

#undef CTI_NET_RISE
#undef CTI_NET_ROUNDED
