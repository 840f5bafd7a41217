/* net_normal.c -- the global scheme along normals, with one unknown for each collision.
   Method: eq. 14 along the normals of the collisions that are on, by conjugate gradients scaled by the collisions' own mobilities. A turn is two
   passes: over collisions to particles, and back. Its matrix and the particles' corrections are in single precision and packed in the order
   of the passes, since memory is what they wait for. A solve is a correction of what it starts from, whose residual is in full precision, and
   is computed again where single precision ends. based on: Volino, Magnenat-Thalmann 2000, sec. 3.2 and 3.3. */
#include "net.h"

#define CTI_NET_RISE 100 /* [1] factor of |R|^2 in one turn that is no convergence any more, but rounding */
#define CTI_NET_SINGLE 1e-5 /* [1] share of a residual, well within single precision, below which it is computed anew in full precision */
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
        sum += (double)w * ((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]);
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

/* cti_net_normal_run -- the collisions of a solve that are on, one after the other. */
typedef struct cti_net_normal_run {
    const cti_net *net;
    int n;                        /* collisions */
    int32_t *on;                  /* [n] */
    ct_real *r, *t, *more, *scale; /* [n] residuals, direction, change of the solution, over the collisions' own mobilities */
    float *u;                     /* [4 net->n] */
} cti_net_normal_run;

/* a collision's part of net->pack: its normal and mobility, weights, particles */
CTI_INLINE float *cti_net_normal_packed(const cti_net *net, int k) { return net->pack + (size_t)k * (size_t)(4 + 2 * net->width); }

static void cti_net_normal_put(const cti_net *net, int c, int k)
{
    float *to = cti_net_normal_packed(net, k);
    int32_t *particle = (int32_t *)(void *)(to + 4 + net->width);
    int j, first = net->start[c], n = net->start[c + 1] - first;
    for (j = 0; j < 3; j++)
        to[j] = (float)net->normal[3 * (size_t)c + (size_t)j];
    to[3] = net->compliance && net->compliance[c] > 0 ? (float)net->compliance[c] : 1;
    for (j = 0; j < net->width; j++) {
        to[4 + j] = j < n ? (float)net->S[first + j] : 0;
        particle[j] = j < n ? net->particle[first + j] : 0;
    }
}

/* the residuals of x, and the rows that are on */
static void cti_net_normal_open(const cti_net *net, const ct_real *y, const ct_real *x, ct_real *work, cti_net_normal_run *run)
{
    int c, m = net->m;
    run->net = net, run->n = 0;
    run->r = work, run->t = work + m, run->more = work + 2 * (size_t)m, run->scale = work + 3 * (size_t)m;
    run->on = (int32_t *)(void *)(work + 4 * (size_t)m);
    cti_net_normal_product(net, x, run->t);
    run->u = (float *)(void *)net->work;
    for (c = 0; c < m; c++)
        if (net->mode[c]) {
            int k = run->n++;
            cti_net_normal_put(net, c, k);
            run->r[k] = y[c] - run->t[c];
            run->scale[k] = net->compliance && net->compliance[c] > 0 ? 1 / net->compliance[c] : 1;
            run->on[k] = c;
            run->more[k] = 0;
        }
}

/* r'r, scaled */
static double cti_net_normal_size(const cti_net_normal_run *run)
{
    double sum = 0;
    int k;
    for (k = 0; k < run->n; k++)
        sum += (double)(run->r[k] * run->r[k] * run->scale[k]);
    return sum;
}

/* u <- M^-1 u. Returns u'M^-1 u */
static double cti_net_normal_weigh(const cti_net *net, float *u)
{
    double sum = 0;
    int i, j;
    for (i = 0; i < net->n; i++) {
        float *p = u + 4 * (size_t)i, w = (float)net->inv[i];
        if (net->filter && net->filter[i] >= 0) {
            cti_v3 f = cti_v3_make((ct_real)p[0], (ct_real)p[1], (ct_real)p[2]), q = cti_net_inverse(net, i, f);
            sum += (double)cti_v3_dot(f, q);
            p[0] = (float)q.x, p[1] = (float)q.y, p[2] = (float)q.z;
            continue;
        }
        sum += (double)(w * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        for (j = 0; j < 4; j++)
            p[j] *= w;
    }
    return sum;
}

/* t = scaled r + keep t, and u: corrections by t. Returns t't over the scales */
CTI_INLINE double cti_net_normal_out(const cti_net_normal_run *run, ct_real keep, int width)
{
    float *u = run->u;
    double size = 0;
    int i, j, k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_net_normal_packed(run->net, k);
        const int32_t *particle = (const int32_t *)(const void *)(row + 4 + width);
        ct_real t = run->r[k] * run->scale[k] + (keep != 0 ? keep * run->t[k] : 0);
        float s[4];
        run->t[k] = t;
        size += (double)t * (double)t * (double)row[3];
        for (j = 0; j < 4; j++)
            s[j] = (float)t * row[j]; /* the fourth is read by no one */
        for (i = 0; i < width; i++) {
            float *to = u + 4 * (size_t)particle[i], w = row[4 + i];
            for (j = 0; j < 4; j++)
                to[j] += w * s[j];
        }
    }
    return size;
}

/* a step along t, whose corrections are u. Returns r'r, scaled; in four sums, which do not wait for each other */
CTI_INLINE double cti_net_normal_back(const cti_net_normal_run *run, ct_real step, int width)
{
    const float *u = run->u;
    ct_real soft = run->net->compliance ? run->net->soft : 0;
    double sum[4] = {0, 0, 0, 0};
    int i, j, k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_net_normal_packed(run->net, k);
        const int32_t *particle = (const int32_t *)(const void *)(row + 4 + width);
        float q[4] = {0, 0, 0, 0};
        ct_real r;
        for (i = 0; i < width; i++) {
            const float *from = u + 4 * (size_t)particle[i];
            for (j = 0; j < 4; j++)
                q[j] += row[4 + i] * from[j];
        }
        r = run->r[k] - step * ((ct_real)(row[0] * q[0] + row[1] * q[1] + row[2] * q[2]) + soft * (ct_real)row[3] * run->t[k]);
        run->r[k] = r;
        run->more[k] += step * run->t[k];
        sum[k & 3] += (double)(r * r * run->scale[k]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* conjugate gradients in single precision, until they have reduced the residual as far as that can. Returns the turns; *done: the solve is */
static int cti_net_normal_descend(const cti_net_normal_run *run, int turns, double least, double still, int *done)
{
    const cti_net *net = run->net;
    double alpha = cti_net_normal_size(run), beta = 0, curve, size, stiffest = 0, single = alpha * CTI_NET_SINGLE * CTI_NET_SINGLE;
    int turn;
    for (turn = 0; turn < turns && alpha > least; turn++) {
        ct_real keep = turn ? (ct_real)(alpha / beta) : 0;
        if (alpha < single)
            return turn;
        memset(run->u, 0, sizeof(float) * 4 * (size_t)net->n);
        size = net->width == 4 ? cti_net_normal_out(run, keep, 4) : cti_net_normal_out(run, keep, net->width);
        curve = cti_net_normal_weigh(net, run->u) + (net->compliance ? (double)net->soft * size : 0);
        /* t'D t, which t'H t is at most some ten times: in the null space it is rounding */
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_NET_ROUNDED * stiffest * size))
            break;
        beta = alpha;
        alpha = net->width == 4 ? cti_net_normal_back(run, (ct_real)(beta / curve), 4)
                                : cti_net_normal_back(run, (ct_real)(beta / curve), net->width);
        if (!(alpha <= CTI_NET_RISE * beta) || beta * (beta / curve) < still) {
            turn++;
            break;
        }
    }
    *done = 1;
    return turn;
}

CTI_FN int cti_net_normal_cg(const cti_net *net, const ct_real *y, int turns, ct_real enough, ct_real *x, ct_real *work)
{
    double least = -1, still = cti_net_still(net, enough);
    cti_net_normal_run run;
    int turn = 0, done = 0, k;
    while (!done && turn < turns) {
        cti_net_normal_open(net, y, x, work, &run);
        if (least < 0)
            least = cti_net_normal_size(&run) * CTI_NET_ROUNDED * CTI_NET_ROUNDED;
        turn += cti_net_normal_descend(&run, turns - turn, least, still, &done);
        for (k = 0; k < run.n; k++)
            x[run.on[k]] += run.more[k];
    }
    return turn;
}

#undef CTI_NET_RISE
#undef CTI_NET_ROUNDED
#undef CTI_NET_SINGLE
