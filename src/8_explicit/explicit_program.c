/* explicit_program.c -- contact forces of one region.
   Method: sec. 4 minimizes f'u over f >= 0, u = K f + b >= 0: a quadratic program with c = b and Q = 2 K, whose minimum is 0. Slacks w of the
   second condition, logarithmic barriers of f and w with weight mu, and multipliers of K f - w = -b give 2 m + 2 n equations. K is symmetric:
   on the central path the multipliers equal f, and f's dual variables equal w, so that the equations reduce to
     (K + F^-1 W) df = -(K f + b - w) + F^-1 (sigma mu e - F W e),     dw = K df + (K f + b - w),
   which are solved by Cholesky's factorization, first for sigma 0, then with the product of that step's changes (Mehrotra 1992).
   A guess of the active set comes first: its equations are solved, and the result is taken if it satisfies all conditions. Guesses do not
   see that a problem has no solution, and are left out once one of its contacts is squeezed.
   A problem without a solution has y >= 0 with K y = 0 and b'y < 0; the iterates' direction tends to one.
   based on: Hong et al. 2006, sec. 4; Ye, Interior point algorithms, 1997. */
#include "explicit_program.h"

#define CTI_EXPLICIT_GUESSES 8       /* [1] changes of the active set before the interior point method; not tuned */
#define CTI_EXPLICIT_ITERATIONS 100  /* [1] of the interior point method: a bound for problems that it does not solve; not tuned */
#define CTI_EXPLICIT_TOLERANCE 1e-10 /* [1] of scaled conditions: 1e6 times rounding, below what a step's error shows */
#define CTI_EXPLICIT_ACCEPTED 1e-6   /* [1] of scaled conditions, after the interior point method: what a step may report as converged */
#define CTI_EXPLICIT_LEAST 1e-13    /* [1] of a unit diagonal: pivots below are rounding */
#define CTI_EXPLICIT_SOFT 1e-10      /* [1] added to a unit diagonal, so that rows may depend on each other; corrections take its effect away */
#define CTI_EXPLICIT_CORRECTIONS 3   /* [1] solves with one factor: each multiplies the error by SOFT / (l + SOFT), l an eigenvalue of the matrix */
#define CTI_EXPLICIT_LARGE 1e300     /* [any] what is smaller is finite */

/* ---- a matrix with a profile: rows of the upper triangle, in whole lanes ---- */

/* A = U'U in place: row i of U ends at column last[i]; the diagonal is stored inverted. Of a pivot that rounding has taken the size is kept */
static void cti_explicit_factor(double *A, int n, int ld, const double *last)
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        double *row = A + (size_t)i * (size_t)ld, pivot = row[i], r = 1 / sqrt(pivot > CTI_EXPLICIT_LEAST ? pivot : 1);
        int end = (int)last[i];
        cti_d8 scale = cti_d8_set(r);
        for (j = i & ~7; j <= end; j += 8)
            cti_d8_store(row + j, cti_d8_mul(cti_d8_load(row + j), scale));
        row[i] = r;
        for (k = i + 1; k <= end; k++) {
            double *to = A + (size_t)k * (size_t)ld;
            cti_d8 u = cti_d8_set(row[k]);
            for (j = k & ~7; row[k] != 0 && j <= end; j += 8)
                cti_d8_store(to + j, cti_d8_sub(cti_d8_load(to + j), cti_d8_mul(u, cti_d8_load(row + j))));
        }
    }
}

/* x = (U'U)^-1 x; x has n rounded up to 8 entries */
static void cti_explicit_substitute(const double *U, int n, int ld, const double *last, double *x)
{
    int i, j;
    for (i = 0; i < n; i++) {
        const double *row = U + (size_t)i * (size_t)ld;
        double a = x[i] * row[i];
        cti_d8 s = cti_d8_set(a);
        x[i] = a;
        for (j = i + 1; j & 7; j++)
            x[j] -= a * row[j];
        for (; j <= (int)last[i]; j += 8)
            cti_d8_store(x + j, cti_d8_sub(cti_d8_load(x + j), cti_d8_mul(s, cti_d8_load(row + j))));
    }
    for (i = n - 1; i >= 0; i--) {
        const double *row = U + (size_t)i * (size_t)ld;
        cti_d8 sum = cti_d8_set(0);
        double a = x[i];
        for (j = i + 1; j & 7; j++)
            a -= row[j] * x[j];
        for (; j <= (int)last[i]; j += 8)
            sum = cti_d8_add(sum, cti_d8_mul(cti_d8_load(row + j), cti_d8_load(x + j)));
        x[i] = (a - cti_d8_sum(sum)) * row[i];
    }
}

/* a region's problem with unit diagonal: A, b scaled; scratch behind them */
typedef struct cti_explicit_scaled {
    int n, ld;
    const int32_t *lo, *hi;  /* [n] first and last column of a row that is not 0 */
    double *A;               /* [n ld], whole lanes of each row's columns */
    double *L;               /* [n ld] scratch of factors */
    double *b, *f, *w, *df, *dw, *r, *scale, *t, *last; /* [ld] */
    double size;             /* largest |b| before scaling by it */
} cti_explicit_scaled;

/* out [ld] = A x */
static void cti_explicit_product(const cti_explicit_scaled *q, const double *x, double *out)
{
    int i, j;
    memset(out, 0, sizeof(double) * (size_t)q->ld);
    for (i = 0; i < q->n; i++) {
        const double *row = q->A + (size_t)i * (size_t)q->ld;
        cti_d8 s = cti_d8_set(x[i]);
        for (j = q->lo[i] & ~7; x[i] != 0 && j <= q->hi[i]; j += 8)
            cti_d8_store(out + j, cti_d8_add(cti_d8_load(out + j), cti_d8_mul(s, cti_d8_load(row + j))));
    }
}

/* largest violation of the conditions at f, with u in q->w; infinite where a number is not finite */
static double cti_explicit_violation(cti_explicit_scaled *q)
{
    double worst = 0;
    int i;
    cti_explicit_product(q, q->f, q->w);
    for (i = 0; i < q->n; i++) {
        q->w[i] += q->b[i];
        if (!(fabs(q->f[i]) < CTI_EXPLICIT_LARGE && fabs(q->w[i]) < CTI_EXPLICIT_LARGE)) /* cti_fmin passes over one that is NaN */
            return HUGE_VAL;
        worst = cti_fmax(worst, fabs(cti_fmin(q->f[i], q->w[i])));
    }
    return worst;
}

/* the rows and columns of a set, with their profile, in L; returns their number */
static int cti_explicit_compress(cti_explicit_scaled *q, const uint8_t *active, int *out_ld)
{
    int i, j, m = 0, row = 0, at, ld, end = 0;
    for (i = 0; i < q->n; i++)
        m += active[i] != 0;
    *out_ld = ld = cti_pad8(m);
    for (i = 0; i < q->n; i++) {
        double *to = q->L + (size_t)row * (size_t)ld;
        if (!active[i])
            continue;
        at = row;
        if (m == q->n) {
            memcpy(to + i, q->A + (size_t)i * (size_t)q->ld + (size_t)i, sizeof(double) * (size_t)(q->hi[i] + 1 - i));
            at = q->hi[i] + 1;
        }
        for (j = i; m < q->n && j <= q->hi[i]; j++)
            if (active[j])
                to[at++] = q->A[(size_t)i * (size_t)q->ld + (size_t)j];
        end = cti_max_int(end, at - 1);
        memset(to + at, 0, sizeof(double) * (size_t)((end | 7) + 1 - at));
        memset(to + (row & ~7), 0, sizeof(double) * (size_t)(row & 7));
        to[row] += CTI_EXPLICIT_SOFT;
        q->last[row++] = end;
    }
    return m;
}

/* forces of a guess; f, and the violation. Rows that depend on each other have one of their solutions */
static double cti_explicit_guess(cti_explicit_scaled *q, const uint8_t *active)
{
    int i, ld, m = cti_explicit_compress(q, active, &ld), row, turn, good;
    double worst = 0;
    cti_explicit_factor(q->L, m, ld, q->last);
    memset(q->t, 0, sizeof(double) * (size_t)ld);
    for (i = 0, row = 0; i < q->n; i++) {
        q->f[i] = 0;
        if (active[i])
            q->t[row++] = q->b[i];
    }
    for (turn = 0; turn < CTI_EXPLICIT_CORRECTIONS; turn++) {
        cti_explicit_substitute(q->L, m, ld, q->last, q->t);
        for (i = 0, row = 0; i < q->n; i++)
            if (active[i])
                q->f[i] -= q->t[row++];
        worst = cti_explicit_violation(q);
        for (i = 0, row = 0, good = 0; i < q->n; i++)
            if (active[i]) {
                q->t[row++] = q->w[i];
                good += q->f[i] < 0 || fabs(q->w[i]) <= CTI_EXPLICIT_TOLERANCE;
            }
        if (good == m)
            break;
    }
    return worst;
}

/* 1: solved from the guess, which is improved */
static int cti_explicit_guesses(cti_explicit_scaled *q, uint8_t *active, double *natural)
{
    int turn, i;
    for (turn = 0; turn < CTI_EXPLICIT_GUESSES; turn++) {
        *natural = cti_explicit_guess(q, active);
        if (*natural <= CTI_EXPLICIT_TOLERANCE)
            return 1;
        for (i = 0; i < q->n; i++)
            active[i] = active[i] ? q->f[i] > 0 : q->w[i] < 0;
    }
    return 0;
}

/* 1: f / |f| shows that there is no solution */
static int cti_explicit_certify(cti_explicit_scaled *q)
{
    double most = 0, gain = 0, worst = 0;
    int i;
    for (i = 0; i < q->n; i++)
        most = cti_fmax(most, q->f[i]);
    if (!(most > 1e3))
        return 0;
    for (i = 0; i < q->n; i++)
        q->t[i] = q->f[i] / most;
    cti_explicit_product(q, q->t, q->dw);
    for (i = 0; i < q->n; i++)
        worst = cti_fmax(worst, fabs(q->dw[i])), gain += q->b[i] * q->t[i];
    return gain < -1e-6 && worst < 1e-5 * -gain;
}

static double cti_explicit_length(const double *x, const double *dx, int n)
{
    double a = 1;
    int i;
    for (i = 0; i < n; i++)
        if (dx[i] < 0)
            a = cti_fmin(a, -0.995 * x[i] / dx[i]);
    return a;
}

/* df, dw of a right side r [n] of the complementarity: f w + w df + f dw = target */
static void cti_explicit_direction(cti_explicit_scaled *q, const double *target)
{
    int i;
    for (i = 0; i < q->n; i++)
        q->df[i] = -q->r[i] + (target[i] - q->f[i] * q->w[i]) / q->f[i];
    cti_explicit_substitute(q->L, q->n, q->ld, q->last, q->df);
    for (i = 0; i < q->n; i++)
        q->dw[i] = (target[i] - q->f[i] * q->w[i] - q->w[i] * q->df[i]) / q->f[i];
}

/* one step of the interior point method. 0: no factor */
static int cti_explicit_advance(cti_explicit_scaled *q, double mu)
{
    int i, n = q->n;
    double a, after = 0, sigma;
    for (i = 0; i < n; i++) {
        double *row = q->L + (size_t)i * (size_t)q->ld;
        int from = i & ~7, end = i && (int)q->last[i - 1] > q->hi[i] ? (int)q->last[i - 1] : q->hi[i];
        memset(row + from, 0, sizeof(double) * (size_t)((end | 7) + 1 - from));
        memcpy(row + i, q->A + i * q->ld + i, sizeof(double) * (size_t)(q->hi[i] + 1 - i));
        row[i] += q->w[i] / q->f[i] + 1e-14;
        q->last[i] = end;
    }
    cti_explicit_factor(q->L, n, q->ld, q->last);
    memset(q->t, 0, sizeof(double) * (size_t)n);
    cti_explicit_direction(q, q->t);
    a = cti_fmin(cti_explicit_length(q->f, q->df, n), cti_explicit_length(q->w, q->dw, n));
    for (i = 0; i < n; i++)
        after += (q->f[i] + a * q->df[i]) * (q->w[i] + a * q->dw[i]) / n;
    sigma = after / mu, sigma = sigma * sigma * sigma;
    for (i = 0; i < n; i++)
        q->t[i] = sigma * mu - q->df[i] * q->dw[i];
    cti_explicit_direction(q, q->t);
    a = cti_fmin(cti_explicit_length(q->f, q->df, n), cti_explicit_length(q->w, q->dw, n));
    for (i = 0; i < n; i++)
        q->f[i] += a * q->df[i], q->w[i] += a * q->dw[i];
    return 1;
}

static cti_explicit_outcome cti_explicit_interior(cti_explicit_scaled *q)
{
    int turn, i;
    for (i = 0; i < q->n; i++)
        q->f[i] = q->w[i] = 1;
    for (turn = 0; turn < CTI_EXPLICIT_ITERATIONS; turn++) {
        double mu = 0, worst = 0;
        cti_explicit_product(q, q->f, q->r);
        for (i = 0; i < q->n; i++) {
            q->r[i] += q->b[i] - q->w[i];
            mu += q->f[i] * q->w[i] / q->n, worst = cti_fmax(worst, fabs(q->r[i]));
        }
        if (mu < 1e-14 && worst < CTI_EXPLICIT_TOLERANCE / 4)
            return CTI_EXPLICIT_SOLVED;
        if (!(mu < 1e300))
            return CTI_EXPLICIT_FAILED;
        if (cti_explicit_certify(q)) {
            memcpy(q->f, q->t, sizeof(double) * (size_t)q->n);
            return CTI_EXPLICIT_SQUEEZED;
        }
        if (!(mu > 0) || !cti_explicit_advance(q, mu))
            return CTI_EXPLICIT_FAILED;
    }
    return CTI_EXPLICIT_FAILED;
}

/* the interior point method, and the equations of the set that it finds */
static cti_explicit_outcome cti_explicit_search_set(cti_explicit_scaled *q, uint8_t *active, double *natural)
{
    cti_explicit_outcome outcome = cti_explicit_interior(q);
    double worst;
    int i;
    if (outcome == CTI_EXPLICIT_SQUEEZED)
        return outcome;
    for (i = 0; i < q->n; i++) {
        q->f[i] = cti_fmax(q->f[i], 0.0);
        active[i] = q->f[i] > q->w[i];
    }
    memcpy(q->df, q->f, sizeof(double) * (size_t)q->n);
    worst = cti_explicit_violation(q);
    *natural = cti_explicit_guess(q, active);
    if (!(*natural < worst)) {
        memcpy(q->f, q->df, sizeof(double) * (size_t)q->n);
        *natural = worst;
    }
    return *natural <= CTI_EXPLICIT_ACCEPTED ? CTI_EXPLICIT_SOLVED : CTI_EXPLICIT_FAILED;
}

/* arrays of a problem in its scratch, the padding of vectors 0 */
static void cti_explicit_scaled_of(const cti_explicit_system *K, double *work, cti_explicit_scaled *q)
{
    size_t n = (size_t)K->n, ld = (size_t)cti_pad8(K->n);
    q->n = K->n, q->ld = (int)ld, q->lo = K->lo, q->hi = K->hi, q->A = work, q->L = q->A + n * ld, q->b = q->L + n * ld;
    q->f = q->b + ld, q->w = q->f + ld, q->df = q->w + ld, q->dw = q->df + ld, q->r = q->dw + ld, q->scale = q->r + ld, q->t = q->scale + ld;
    q->last = q->t + ld;
    memset(q->b, 0, sizeof(double) * 9 * ld);
}

/* one contact alone */
static cti_explicit_outcome cti_explicit_alone(double K, double b, uint8_t *active, double *f)
{
    *active = b < 0;
    *f = b < 0 ? -b / K : 0;
    return CTI_EXPLICIT_SOLVED;
}

CTI_FN cti_explicit_outcome cti_explicit_program(const cti_explicit_system *K, const double *b, int guesses, uint8_t *active, double *f,
                                                 double *work, double *out_natural)
{
    cti_explicit_scaled q;
    cti_explicit_outcome outcome = CTI_EXPLICIT_SOLVED;
    int i, j, n = K->n, finite = 1;
    *out_natural = 0;
    if (n == 1 && K->K[0] > 0 && fabs(b[0]) < CTI_EXPLICIT_LARGE && fabs(b[0] / K->K[0]) < CTI_EXPLICIT_LARGE)
        return cti_explicit_alone(K->K[0], b[0], active, f);
    cti_explicit_scaled_of(K, work, &q);
    q.size = 0;
    for (i = 0; i < n; i++) {
        double a = K->K[i * K->ld + i];
        q.scale[i] = a > 0 ? 1 / sqrt(a) : 1;
        q.size = cti_fmax(q.size, fabs(b[i]) * q.scale[i]);
        finite &= fabs(b[i]) < CTI_EXPLICIT_LARGE;
    }
    if (!finite || !(q.size > 0)) {
        for (i = 0; i < n; i++)
            f[i] = 0, active[i] = 0;
        return finite ? CTI_EXPLICIT_SOLVED : CTI_EXPLICIT_FAILED;
    }
    for (i = 0; i < n; i++) {
        cti_d8 scale = cti_d8_set(q.scale[i]);
        q.b[i] = b[i] * q.scale[i] / q.size;
        for (j = q.lo[i] & ~7; j <= q.hi[i]; j += 8)
            cti_d8_store(q.A + i * q.ld + j, cti_d8_mul(cti_d8_mul(cti_d8_load(K->K + i * K->ld + j), scale), cti_d8_load(q.scale + j)));
    }
    if (!guesses || !cti_explicit_guesses(&q, active, out_natural))
        outcome = cti_explicit_search_set(&q, active, out_natural);
    for (i = 0; i < n; i++)
        f[i] = outcome == CTI_EXPLICIT_SQUEEZED ? q.f[i] * q.scale[i] : cti_fmax(q.f[i], 0.0) * q.scale[i] * q.size;
    return outcome;
}
