/* response_normal.c -- the global scheme along normals, with one unknown for each collision.
   Method: eq. 14 along the normals of the collisions that are on, by conjugate gradients scaled by the collisions' own mobilities. A turn is two
   passes: over collisions to particles, and back. Its matrix and the particles' corrections are in single precision and packed in the order
   of the passes, since memory is what they wait for. A solve is a correction of what it starts from, whose residual is in full precision, and
   is computed again where single precision ends. based on: Volino, Magnenat-Thalmann 2000, sec. 3.2 and 3.3. */
#include "response.h"

/* adds S n x of a collision to u [4 n], four numbers a particle, so that a particle is one vector */
CTI_INLINE void cti_response_normal_scatter(const cti_response *sys, int c, ct_real x, ct_real *u)
{
    const ct_real *n = sys->normal + 3 * (size_t)c;
    ct_real t[4]; /* the fourth is of the next normal, and is not read */
    int j, k, end = sys->start[c + 1];
    for (j = 0; j < 4; j++)
        t[j] = n[j] * x;
    for (k = sys->start[c]; k < end; k++) {
        ct_real *to = u + 4 * (size_t)sys->particle[k], w = sys->S[k];
        for (j = 0; j < 4; j++)
            to[j] += w * t[j];
    }
}

CTI_FN double cti_response_inverse_all(const cti_response *sys, ct_real *u)
{
    const cti_response_stiff *a = &sys->stiff;
    double sum = 0;
    int i, j;
    for (i = 0; i < a->n; i++)
        cti_v3_put(a->f, i, cti_v3_at(u + 4 * (size_t)a->particles[i], 0));
    if (a->n)
        sum = a->solve(a->ctx, a->f);
    for (i = 0; i < a->n; i++)
        cti_v3_put(u + 4 * (size_t)a->particles[i], 0, cti_v3_at(a->f, i));
    for (i = 0; i < sys->n; i++) {
        ct_real *p = u + 4 * (size_t)i, w = sys->inv[i];
        if (a->n && a->body_of[i] >= 0)
            continue;
        if (sys->filter && sys->filter[i] >= 0) {
            cti_v3 f = cti_v3_at(p, 0), q = cti_response_inverse(sys, i, f);
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

/* returns n'sum S u of a collision */
CTI_INLINE ct_real cti_response_normal_gather(const cti_response *sys, int c, const ct_real *u)
{
    const ct_real *n = sys->normal + 3 * (size_t)c;
    ct_real q[4] = {0, 0, 0, 0};
    int j, k, end = sys->start[c + 1];
    for (k = sys->start[c]; k < end; k++) {
        const ct_real *from = u + 4 * (size_t)sys->particle[k];
        for (j = 0; j < 4; j++)
            q[j] += sys->S[k] * from[j];
    }
    return n[0] * q[0] + n[1] * q[1] + n[2] * q[2];
}

CTI_FN double cti_response_normal_spread(const cti_response *sys, const ct_real *x, ct_real *u)
{
    int c;
    memset(u, 0, sizeof(ct_real) * 4 * (size_t)sys->n);
    for (c = 0; c < sys->m; c++)
        if (sys->mode[c])
            cti_response_normal_scatter(sys, c, x[c], u);
    return cti_response_inverse_all(sys, u);
}

CTI_FN ct_real cti_response_normal_value(const cti_response *sys, const ct_real *u, int c) { return cti_response_normal_gather(sys, c, u); }

CTI_FN ct_real cti_response_normal_compliance(const cti_response *sys, int c)
{
    return sys->compliance ? (sys->softness ? sys->softness[c] : sys->compliance_factor) * sys->compliance[c] : 0;
}

CTI_FN double cti_response_normal_product(const cti_response *sys, const ct_real *t, ct_real *ht)
{
    double sum = cti_response_normal_spread(sys, t, sys->work);
    int c;
    for (c = 0; c < sys->m; c++) {
        ct_real own = cti_response_normal_compliance(sys, c) * t[c];
        ht[c] = sys->mode[c] ? cti_response_normal_gather(sys, c, sys->work) + own : 0;
        sum += sys->mode[c] ? (double)(own * t[c]) : 0;
    }
    return sum;
}

/* ---- conjugate gradients ---- */

/* cti_response_normal_run -- holds the collisions of a solve that are on, one after the other. */
typedef struct cti_response_normal_run {
    const cti_response *system;
    int n;       /* collisions */
    int32_t *on; /* [n] */
    float *u;    /* [4 sys->n] */
} cti_response_normal_run;

/* A row has all that a turn knows of a collision, so that a pass reads one stream. Directions and changes are those of the solution times the
   collisions' own mobilities, since with them the scale is all that is needed of these. Behind it are weights and particles, sys->width of each. */
enum { CTI_ROW_X, CTI_ROW_Y, CTI_ROW_Z, CTI_ROW_SCALE, CTI_ROW_RESIDUAL, CTI_ROW_DIRECTION, CTI_ROW_CHANGE, CTI_ROW_SOFT, CTI_ROW_WEIGHTS };

CTI_INLINE float *cti_response_normal_row(const cti_response *sys, int k, int width)
{
    return sys->pack + (size_t)k * (size_t)(CTI_ROW_WEIGHTS + 2 * width);
}

static void cti_response_normal_put(const cti_response *sys, int c, int k, ct_real residual)
{
    float *to = cti_response_normal_row(sys, k, sys->width), *w = to + CTI_ROW_WEIGHTS;
    int32_t *particle = (int32_t *)(void *)(w + sys->width);
    int j, first = sys->start[c], n = sys->start[c + 1] - first;
    for (j = 0; j < 3; j++)
        to[j] = (float)sys->normal[3 * (size_t)c + (size_t)j];
    to[CTI_ROW_SCALE] = sys->compliance && sys->compliance[c] > 0 ? (float)(1 / sys->compliance[c]) : 1;
    to[CTI_ROW_RESIDUAL] = (float)residual;
    to[CTI_ROW_DIRECTION] = to[CTI_ROW_CHANGE] = 0, to[CTI_ROW_SOFT] = (float)cti_response_normal_compliance(sys, c) * to[CTI_ROW_SCALE];
    for (j = 0; j < sys->width; j++) {
        w[j] = j < n ? (float)sys->S[first + j] : 0;
        particle[j] = j < n ? sys->particle[first + j] : 0;
    }
}

/* packs the rows of collisions that are on, with the residuals of x */
static void cti_response_normal_open(const cti_response *sys, const ct_real *y, const ct_real *x, ct_real *work, cti_response_normal_run *run)
{
    int c, m = sys->m;
    run->system = sys, run->n = 0;
    run->on = (int32_t *)(void *)(work + m);
    cti_response_normal_product(sys, x, work);
    run->u = (float *)(void *)sys->work;
    for (c = 0; c < m; c++)
        if (sys->mode[c]) {
            cti_response_normal_put(sys, c, run->n, y[c] - work[c]);
            run->on[run->n++] = c;
        }
}

/* returns r'r, scaled */
static double cti_response_normal_norm2(const cti_response_normal_run *run)
{
    double sum = 0;
    int k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_response_normal_row(run->system, k, run->system->width);
        sum += (double)row[CTI_ROW_RESIDUAL] * (double)row[CTI_ROW_RESIDUAL] * (double)row[CTI_ROW_SCALE];
    }
    return sum;
}

/* adds what the turns have changed to x */
static void cti_response_normal_close(const cti_response_normal_run *run, ct_real *x)
{
    int k;
    for (k = 0; k < run->n; k++) {
        const float *row = cti_response_normal_row(run->system, k, run->system->width);
        x[run->on[k]] += (ct_real)row[CTI_ROW_CHANGE] * (ct_real)row[CTI_ROW_SCALE];
    }
}

/* sets u <- M^-1 u, or A^-1 u, in single precision. Returns u'M^-1 u */
static double cti_response_normal_inverse_all(const cti_response *sys, float *u)
{
    const cti_response_stiff *a = &sys->stiff;
    double sum = 0;
    int i, j;
    for (i = 0; i < 3 * a->n; i++)
        a->f[i] = (ct_real)u[4 * a->particles[i / 3] + i % 3];
    if (a->n)
        sum = a->solve(a->ctx, a->f);
    for (i = 0; i < 3 * a->n; i++)
        u[4 * a->particles[i / 3] + i % 3] = (float)a->f[i];
    for (i = 0; i < sys->n; i++) {
        float *p = u + 4 * (size_t)i, w = (float)sys->inv[i];
        if (a->n && a->body_of[i] >= 0)
            continue;
        if (sys->filter && sys->filter[i] >= 0) {
            cti_v3 f = cti_v3_make((ct_real)p[0], (ct_real)p[1], (ct_real)p[2]), q = cti_response_inverse(sys, i, f);
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

/* adds w s to u of a particle; the fourth number is not read */
CTI_INLINE void cti_response_normal_scatter_one(float *u, const float *w, const int32_t *particle, int i, const float s[4])
{
    float *to = u + 4 * (size_t)particle[i], wi = w[i];
    int j;
    for (j = 0; j < 4; j++)
        to[j] += wi * s[j];
}

/* adds w u of a particle to q */
CTI_INLINE void cti_response_normal_gather_one(const float *u, const float *w, const int32_t *particle, int i, float q[4])
{
    const float *from = u + 4 * (size_t)particle[i];
    float wi = w[i];
    int j;
    for (j = 0; j < 4; j++)
        q[j] += wi * from[j];
}

/* sets t = r + keep t, and u to corrections by it. Returns t't, scaled; *own: t' times what `compliance` adds to H, times t */
CTI_INLINE double cti_response_normal_direction(const cti_response_normal_run *run, float keep, int width, double *own)
{
    float *u = run->u;
    double size = 0, soft = 0;
    int i, j, k;
    for (k = 0; k < run->n; k++) {
        float *row = cti_response_normal_row(run->system, k, width), *w = row + CTI_ROW_WEIGHTS, s[4];
        const int32_t *particle = (const int32_t *)(const void *)(w + width);
        float t = row[CTI_ROW_RESIDUAL] + keep * row[CTI_ROW_DIRECTION], x = t * row[CTI_ROW_SCALE];
        row[CTI_ROW_DIRECTION] = t;
        size += (double)(t * x), soft += (double)(row[CTI_ROW_SOFT] * t * x);
        for (j = 0; j < 4; j++)
            s[j] = x * row[j];
        for (i = 0; i < width; i++)
            cti_response_normal_scatter_one(u, w, particle, i, s);
    }
    *own = soft;
    return size;
}

/* makes a step along t, whose corrections are u. Returns r'r, scaled */
CTI_INLINE double cti_response_normal_step(const cti_response_normal_run *run, float step, int width)
{
    const float *u = run->u;
    double sum = 0;
    int i, k;
    for (k = 0; k < run->n; k++) {
        float *row = cti_response_normal_row(run->system, k, width), *w = row + CTI_ROW_WEIGHTS, q[4] = {0, 0, 0, 0}, r, t = row[CTI_ROW_DIRECTION];
        const int32_t *particle = (const int32_t *)(const void *)(w + width);
        for (i = 0; i < width; i++)
            cti_response_normal_gather_one(u, w, particle, i, q);
        r = row[CTI_ROW_RESIDUAL] - step * ((row[0] * q[0] + row[1] * q[1] + row[2] * q[2]) + row[CTI_ROW_SOFT] * t);
        row[CTI_ROW_RESIDUAL] = r;
        row[CTI_ROW_CHANGE] += step * t;
        sum += (double)(r * r * row[CTI_ROW_SCALE]);
    }
    return sum;
}

/* makes turns of conjugate gradients in single precision, until they have reduced the residual as far as that can. Returns the turns; *done 1: the
   solve is */
static int cti_response_normal_descend(const cti_response_normal_run *run, int turns, double least, double least_energy, int *done)
{
    const cti_response *sys = run->system;
    double alpha = cti_response_normal_norm2(run), beta = 0, curve, size, own, stiffest = 0;
    double single = alpha * cti_geometric_tuned.correct.single * cti_geometric_tuned.correct.single;
    int turn;
    for (turn = 0; turn < turns && alpha > least; turn++) {
        float keep = turn ? (float)(alpha / beta) : 0;
        memset(run->u, 0, sizeof(float) * 4 * (size_t)sys->n);
        size = sys->width == 4 ? cti_response_normal_direction(run, keep, 4, &own) : cti_response_normal_direction(run, keep, sys->width, &own);
        curve = cti_response_normal_inverse_all(sys, run->u) + own;
        /* t'D t, which t'H t is at most some ten times: in the null space it is rounding */
        stiffest = cti_fmax(stiffest, curve / size);
        if (!(curve > CTI_RESPONSE_ROUNDED * stiffest * size))
            break;
        beta = alpha;
        alpha = sys->width == 4 ? cti_response_normal_step(run, (float)(beta / curve), 4)
                                : cti_response_normal_step(run, (float)(beta / curve), sys->width);
        if (!(alpha <= cti_geometric_tuned.correct.diverged * beta) || beta * (beta / curve) < least_energy) {
            turn++;
            break;
        }
        if (alpha < single)
            return turn + 1;
    }
    *done = 1;
    return turn;
}

CTI_FN int cti_response_normal_cg(const cti_response *sys, const ct_real *y, int turns, ct_real tolerance, ct_real *x, ct_real *work)
{
    double least = -1, least_energy = cti_response_tolerance_energy(sys, tolerance);
    cti_response_normal_run run;
    int turn = 0, done = 0;
    while (!done && turn < turns) {
        cti_response_normal_open(sys, y, x, work, &run);
        if (least < 0)
            least = cti_response_normal_norm2(&run) * CTI_RESPONSE_ROUNDED * CTI_RESPONSE_ROUNDED;
        turn += cti_response_normal_descend(&run, turns - turn, least, least_energy, &done);
        cti_response_normal_close(&run, x);
    }
    return turn;
}
