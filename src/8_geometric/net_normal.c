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

CTI_FN double cti_net_masses(const cti_net *net, ct_real *u)
{
    const cti_net_stiff *a = &net->stiff;
    double sum = 0;
    int i, j;
    for (i = 0; i < a->n; i++)
        cti_v3_put(a->f, i, cti_v3_at(u + 4 * (size_t)a->list[i], 0));
    if (a->n)
        sum = a->solve(a->ctx, a->f);
    for (i = 0; i < a->n; i++)
        cti_v3_put(u + 4 * (size_t)a->list[i], 0, cti_v3_at(a->f, i));
    for (i = 0; i < net->n; i++) {
        ct_real *p = u + 4 * (size_t)i, w = net->inv[i];
        if (a->n && a->body[i] >= 0)
            continue;
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
    return cti_net_masses(net, u);
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
    int n;       /* collisions */
    int32_t *on; /* [n] */
    float *u;    /* [4 net->n] */
} cti_net_normal_run;

/* A row has all that a turn knows of a collision, so that a pass reads one stream. Directions and changes are those of the solution times the
   collisions' own mobilities, since with them the scale is all that is needed of these. Behind it are weights and particles, net->width of each. */
enum { CTI_ROW_NORMAL, CTI_ROW_SCALE = 3, CTI_ROW_RESIDUAL, CTI_ROW_DIRECTION, CTI_ROW_CHANGE, CTI_ROW_WEIGHTS = 8 };

CTI_INLINE float *cti_net_normal_row(const cti_net *net, int k, int width) { return net->pack + (size_t)k * (size_t)(CTI_ROW_WEIGHTS + 2 * width); }

static void cti_net_normal_put(const cti_net *net, int c, int k, ct_real residual)
{
    float *to = cti_net_normal_row(net, k, net->width), *w = to + CTI_ROW_WEIGHTS;
    int32_t *particle = (int32_t *)(void *)(w + net->width);
    int j, first = net->start[c], n = net->start[c + 1] - first;
    for (j = 0; j < 3; j++)
        to[j] = (float)net->normal[3 * (size_t)c + (size_t)j];
    to[CTI_ROW_SCALE] = net->compliance && net->compliance[c] > 0 ? (float)(1 / net->compliance[c]) : 1;
    to[CTI_ROW_RESIDUAL] = (float)residual;
    to[CTI_ROW_DIRECTION] = to[CTI_ROW_CHANGE] = to[CTI_ROW_CHANGE + 1] = 0;
    for (j = 0; j < net->width; j++) {
        w[j] = j < n ? (float)net->S[first + j] : 0;
        particle[j] = j < n ? net->particle[first + j] : 0;
    }
}

/* the residuals of x, and the rows that are on */
static void cti_net_normal_open(const cti_net *net, const ct_real *y, const ct_real *x, ct_real *work, cti_net_normal_run *run)
{
    int c, m = net->m;
    run->net = net, run->n = 0;
    run->on = (int32_t *)(void *)(work + m);
    cti_net_normal_product(net, x, work);
    run->u = (float *)(void *)net->work;
    for (c = 0; c < m; c++)
        if (net->mode[c]) {
            cti_net_normal_put(net, c, run->n, y[c] - work[c]);
            run->on[run->n++] = c;
        }
}

/* r'r, scaled */
static double cti_net_normal_size(const cti_net_normal_run *run)
{
    double sum = 0;
    int k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_net_normal_row(run->net, k, run->net->width);
        sum += (double)row[CTI_ROW_RESIDUAL] * (double)row[CTI_ROW_RESIDUAL] * (double)row[CTI_ROW_SCALE];
    }
    return sum;
}

/* x: the solution, with what the turns have changed */
static void cti_net_normal_close(const cti_net_normal_run *run, ct_real *x)
{
    int k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_net_normal_row(run->net, k, run->net->width);
        x[run->on[k]] += (ct_real)row[CTI_ROW_CHANGE] * (ct_real)row[CTI_ROW_SCALE];
    }
}

/* u <- M^-1 u, or A^-1 u. Returns u'M^-1 u */
static double cti_net_normal_weigh(const cti_net *net, float *u)
{
    const cti_net_stiff *a = &net->stiff;
    double sum = 0;
    int i, j;
    for (i = 0; i < 3 * a->n; i++)
        a->f[i] = (ct_real)u[4 * a->list[i / 3] + i % 3];
    if (a->n)
        sum = a->solve(a->ctx, a->f);
    for (i = 0; i < 3 * a->n; i++)
        u[4 * a->list[i / 3] + i % 3] = (float)a->f[i];
    for (i = 0; i < net->n; i++) {
        float *p = u + 4 * (size_t)i, w = (float)net->inv[i];
        if (a->n && a->body[i] >= 0)
            continue;
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

/* u of a particle += w s; the fourth number is read by no one */
CTI_INLINE void cti_net_normal_give(float *u, const float *w, const int32_t *particle, int i, const float s[4])
{
    float *to = u + 4 * (size_t)particle[i], wi = w[i];
    int j;
    for (j = 0; j < 4; j++)
        to[j] += wi * s[j];
}

/* q += w u of a particle */
CTI_INLINE void cti_net_normal_take(const float *u, const float *w, const int32_t *particle, int i, float q[4])
{
    const float *from = u + 4 * (size_t)particle[i];
    float wi = w[i];
    int j;
    for (j = 0; j < 4; j++)
        q[j] += wi * from[j];
}

/* t = r + keep t, and u: corrections by it. Returns t't, scaled */
CTI_INLINE double cti_net_normal_out(const cti_net_normal_run *run, float keep, int width)
{
    float *u = run->u;
    double size = 0;
    int i, j, k;
    for (k = 0; k < run->n; k++) {
        float *row = cti_net_normal_row(run->net, k, width), *w = row + CTI_ROW_WEIGHTS, s[4];
        const int32_t *particle = (const int32_t *)(const void *)(w + width);
        float t = row[CTI_ROW_RESIDUAL] + keep * row[CTI_ROW_DIRECTION], x = t * row[CTI_ROW_SCALE];
        row[CTI_ROW_DIRECTION] = t;
        size += (double)(t * x);
        for (j = 0; j < 4; j++)
            s[j] = x * row[j];
        for (i = 0; i < width; i++)
            cti_net_normal_give(u, w, particle, i, s);
    }
    return size;
}

/* a step along t, whose corrections are u. Returns r'r, scaled */
CTI_INLINE double cti_net_normal_back(const cti_net_normal_run *run, float step, int width)
{
    const float *u = run->u;
    float soft = run->net->compliance ? (float)run->net->soft : 0;
    double sum = 0;
    int i, k;
    for (k = 0; k < run->n; k++) {
        float *row = cti_net_normal_row(run->net, k, width), *w = row + CTI_ROW_WEIGHTS, q[4] = {0, 0, 0, 0}, r, t = row[CTI_ROW_DIRECTION];
        const int32_t *particle = (const int32_t *)(const void *)(w + width);
        for (i = 0; i < width; i++)
            cti_net_normal_take(u, w, particle, i, q);
        r = row[CTI_ROW_RESIDUAL] - step * ((row[0] * q[0] + row[1] * q[1] + row[2] * q[2]) + soft * t);
        row[CTI_ROW_RESIDUAL] = r;
        row[CTI_ROW_CHANGE] += step * t;
        sum += (double)(r * r * row[CTI_ROW_SCALE]);
    }
    return sum;
}

/* conjugate gradients in single precision, until they have reduced the residual as far as that can. Returns the turns; *done: the solve is */
static int cti_net_normal_descend(const cti_net_normal_run *run, int turns, double least, double still, int *done)
{
    const cti_net *net = run->net;
    double alpha = cti_net_normal_size(run), beta = 0, curve, size, stiffest = 0, single = alpha * CTI_NET_SINGLE * CTI_NET_SINGLE;
    int turn;
    for (turn = 0; turn < turns && alpha > least; turn++) {
        float keep = turn ? (float)(alpha / beta) : 0;
        memset(run->u, 0, sizeof(float) * 4 * (size_t)net->n);
        size = net->width == 4 ? cti_net_normal_out(run, keep, 4) : cti_net_normal_out(run, keep, net->width);
        curve = cti_net_normal_weigh(net, run->u) + (net->compliance ? (double)net->soft * size : 0);
        /* t'D t, which t'H t is at most some ten times: in the null space it is rounding */
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_NET_ROUNDED * stiffest * size))
            break;
        beta = alpha;
        alpha = net->width == 4 ? cti_net_normal_back(run, (float)(beta / curve), 4)
                                : cti_net_normal_back(run, (float)(beta / curve), net->width);
        if (!(alpha <= CTI_NET_RISE * beta) || beta * (beta / curve) < still) {
            turn++;
            break;
        }
        if (alpha < single)
            return turn + 1;
    }
    *done = 1;
    return turn;
}

CTI_FN int cti_net_normal_cg(const cti_net *net, const ct_real *y, int turns, ct_real enough, ct_real *x, ct_real *work)
{
    double least = -1, still = cti_net_still(net, enough);
    cti_net_normal_run run;
    int turn = 0, done = 0;
    while (!done && turn < turns) {
        cti_net_normal_open(net, y, x, work, &run);
        if (least < 0)
            least = cti_net_normal_size(&run) * CTI_NET_ROUNDED * CTI_NET_ROUNDED;
        turn += cti_net_normal_descend(&run, turns - turn, least, still, &done);
        cti_net_normal_close(&run, x);
    }
    return turn;
}
