/* explicit_program.c -- contact forces of one region.
   Method: sec. 4 minimizes f'u over f >= 0, u = K f + b >= 0: a quadratic program with c = b and Q = 2 K, whose minimum is 0. Slacks w of the
   second condition, logarithmic barriers of f and w with weight mu, and multipliers of K f - w = -b give 2 m + 2 n equations. K is symmetric:
   on the central path the multipliers equal f, and f's dual variables equal w, so that the equations reduce to
     (K + F^-1 W) df = -(K f + b - w) + F^-1 (sigma mu e - F W e),     dw = K df + (K f + b - w),
   which are solved by Cholesky's factorization, first for sigma 0, then with the product of that step's changes (Mehrotra 1992).
   differs: without CT_EXPLICIT_INTERIOR_POINT the same problem is solved by active sets. The equations K f = -b of the set that the last problem
   ended with are solved, and the result is taken if it satisfies all conditions. Else contacts leave the set where the force is below 0, all whose
   condition is violated join it, and forces go towards those of the larger set until one of them is 0, which leaves it (Lawson, Hanson 1974,
   where one joins at a time). f'K f / 2 + b'f falls with each set, so that none comes again. Where rounding makes them come again the interior
   point method ends it.
   A problem without a solution has y >= 0 with K y = 0 and b'y < 0; the direction of the forces of sets, and of iterates, tends to one. That of the
   iterates has all contacts that take part, and is preferred.
   based on: Hong et al. 2006, sec. 4; Ye, Interior point algorithms, 1997; Lawson, Hanson, Solving least squares problems, 1974, ch. 23. */
#include "explicit_program.h"

/* ---- a matrix with a profile: rows of the upper triangle, in whole lanes ---- */

/* returns row k of A - U'U from column j on, in a lane, of the rows that reach it: from `first` on */
CTI_INLINE cti_d8 cti_explicit_pivot_row(const double *A, int ld, int first, int k, int j)
{
    const double *row = A + (size_t)first * (size_t)ld;
    cti_d8 a = cti_d8_load(A + (size_t)k * (size_t)ld + j), b = cti_d8_set(0);
    int i;
    for (i = first; i + 1 < k; i += 2, row += 2 * (size_t)ld) {
        a = cti_d8_sub(a, cti_d8_mul(cti_d8_set(row[k]), cti_d8_load(row + j)));
        b = cti_d8_sub(b, cti_d8_mul(cti_d8_set(row[ld + k]), cti_d8_load(row + ld + j)));
    }
    if (i < k)
        a = cti_d8_sub(a, cti_d8_mul(cti_d8_set(row[k]), cti_d8_load(row + j)));
    return cti_d8_add(a, b);
}

/* factors A = U'U in place: row i of U ends at column last[i]; the diagonal is stored inverted. A pivot that is rounding counts as 1 */
static void cti_explicit_factor(double *A, int n, int ld, const double *last)
{
    int j, k, first;
    for (k = 0; k < n; k++) {
        double *row = A + (size_t)k * (size_t)ld, pivot = 0, r = 0;
        for (j = k & ~7, first = 0; j <= (int)last[k]; j += 8) {
            for (; first < k && (int)last[first] < cti_max_int(j, k); first++)
                ;
            cti_d8_store(row + j, cti_explicit_pivot_row(A, ld, first, k, j));
            if (j <= k)
                pivot = row[k], r = 1 / sqrt(pivot > cti_explicit_tuned.program.pivot ? pivot : 1);
            cti_d8_store(row + j, cti_d8_mul(cti_d8_load(row + j), cti_d8_set(r)));
        }
        row[k] = r;
    }
}

/* sets x = (U'U)^-1 x; x has n rounded up to 8 entries */
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

/* cti_explicit_scaled -- is a region's problem with unit diagonal, A = S K S and b scaled, and its scratch. */
typedef struct cti_explicit_scaled {
    cti_explicit_system *system;
    int n, ld;
    const int32_t *lo, *hi;  /* [n] first and last column of a row that is not 0 */
    double *K;               /* [n ld], whole lanes of each row's columns, of the rows that `has` marks */
    uint8_t *known;            /* [n] */
    double *L;               /* [n ld] scratch of factors */
    double *b, *f, *w, *df, *dw, *r, *scale, *t, *last; /* [ld] */
    int32_t *list;           /* [n] contacts of a set */
    double size;             /* largest |b| before scaling by it */
} cti_explicit_scaled;

/* returns row i of K */
static const double *cti_explicit_row_at(cti_explicit_scaled *q, int i)
{
    double *row = q->K + (size_t)i * (size_t)q->ld;
    int from = q->lo[i] & ~7;
    if (!q->known[i]) {
        memset(row + from, 0, sizeof(double) * (size_t)((q->hi[i] | 7) + 1 - from));
        q->system->row(q->system->context, i, row);
        q->known[i] = 1;
    }
    return row;
}

/* sets out [ld] = A x */
static void cti_explicit_product(cti_explicit_scaled *q, const double *x, double *out)
{
    int i, j;
    memset(out, 0, sizeof(double) * (size_t)q->ld);
    for (i = 0; i < q->n; i++) {
        const double *row = x[i] != 0 ? cti_explicit_row_at(q, i) : NULL;
        cti_d8 s = cti_d8_set(x[i] * q->scale[i]);
        for (j = q->lo[i] & ~7; row && j <= q->hi[i]; j += 8)
            cti_d8_store(out + j, cti_d8_add(cti_d8_load(out + j), cti_d8_mul(s, cti_d8_load(row + j))));
    }
    for (j = 0; j < q->ld; j += 8)
        cti_d8_store(out + j, cti_d8_mul(cti_d8_load(out + j), cti_d8_load(q->scale + j)));
}

/* returns the largest violation of the conditions at f, and sets q->w to u; infinite where a number is not finite */
static double cti_explicit_violation(cti_explicit_scaled *q)
{
    double worst = 0;
    int i;
    cti_explicit_product(q, q->f, q->w);
    for (i = 0; i < q->n; i++) {
        q->w[i] += q->b[i];
        if (!cti_finite64(q->f[i]) || !cti_finite64(q->w[i])) /* cti_fmin passes over one that is NaN */
            return HUGE_VAL;
        worst = cti_fmax(worst, fabs(cti_fmin(q->f[i], q->w[i])));
    }
    return worst;
}

/* copies the rows and columns of a set, with their profile, to L, and lists the set's contacts; returns their number */
static int cti_explicit_compress(cti_explicit_scaled *q, const uint8_t *active, int *out_ld)
{
    int i, k, m = 0, row, ld, end = 0;
    for (i = 0; i < q->n; i++)
        if (active[i])
            q->list[m++] = i;
    *out_ld = ld = cti_pad8(m);
    for (row = 0; row < m; row++) {
        const double *from = cti_explicit_row_at(q, q->list[row]);
        double *to = q->L + (size_t)row * (size_t)ld, scale = q->scale[q->list[row]];
        int last = q->hi[q->list[row]];
        memset(to + (row & ~7), 0, sizeof(double) * (size_t)(row & 7));
        for (k = row; k < m && q->list[k] <= last; k++)
            to[k] = from[q->list[k]] * scale * q->scale[q->list[k]];
        end = cti_max_int(end, k - 1);
        memset(to + k, 0, sizeof(double) * (size_t)((end | 7) + 1 - k));
        to[row] += cti_explicit_tuned.program.shift;
        q->last[row] = end;
    }
    return m;
}

/* solves for the forces f of a set; returns the violation. Rows that depend on each other get one of their solutions. Corrections are left out where
   a force is below 0 */
static double cti_explicit_solve_set(cti_explicit_scaled *q, const uint8_t *active)
{
    int ld, m = cti_explicit_compress(q, active, &ld), k, turn, good;
    double worst = 0;
    q->system->iterations++;
    cti_explicit_factor(q->L, m, ld, q->last);
    memset(q->t, 0, sizeof(double) * (size_t)ld);
    memset(q->f, 0, sizeof(double) * (size_t)q->n);
    for (k = 0; k < m; k++)
        q->t[k] = q->b[q->list[k]];
    for (turn = 0, good = -1; turn < cti_explicit_tuned.program.corrections && good < m; turn++) {
        int negative = 0;
        cti_explicit_substitute(q->L, m, ld, q->last, q->t);
        for (k = 0; k < m; k++) {
            q->f[q->list[k]] -= q->t[k];
            negative |= !(q->f[q->list[k]] > 0);
        }
        worst = cti_explicit_violation(q);
        if (negative)
            break;
        for (k = 0, good = 0; k < m; k++) {
            q->t[k] = q->w[q->list[k]];
            good += fabs(q->t[k]) <= cti_explicit_tuned.program.tolerance;
        }
    }
    return worst;
}

/* moves the forces from [n] towards those of the set in q->f as far as none is below 0, and takes those that are 0 then out of the set. Returns how
   many it takes */
static int cti_explicit_step_to_set(cti_explicit_scaled *q, double *from, uint8_t *active)
{
    double a = 1;
    int i, out = 0;
    for (i = 0; i < q->n; i++)
        if (active[i] && q->f[i] <= 0)
            a = cti_fmin(a, from[i] > 0 ? from[i] / (from[i] - q->f[i]) : 0.0);
    for (i = 0; i < q->n; i++) {
        if (active[i] && q->f[i] <= 0 && from[i] <= (1 + 1e-12) * a * (from[i] - q->f[i]))
            from[i] = 0, active[i] = 0, out++;
        else
            from[i] = cti_fmax(from[i] + a * (q->f[i] - from[i]), 0.0);
    }
    return out;
}

/* returns 1 where f / |f| certifies that there is no solution; f becomes that */
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
    if (!(gain < -1e-6 && worst < 1e-5 * -gain))
        return 0;
    memcpy(q->f, q->t, sizeof(double) * (size_t)q->n);
    return 1;
}

/* solves by active sets, from that of the last problem */
static cti_explicit_outcome cti_explicit_sets(cti_explicit_scaled *q, uint8_t *active, double *natural)
{
    int turn, i, more = 1;
    double *from = q->df;
    while (more) {
        *natural = cti_explicit_solve_set(q, active);
        if (*natural <= cti_explicit_tuned.program.tolerance)
            return CTI_EXPLICIT_SOLVED;
        for (i = 0, more = 0; i < q->n; i++)
            if (active[i] && q->f[i] <= 0)
                active[i] = 0, more = 1;
    }
    memcpy(from, q->f, sizeof(double) * (size_t)q->n);
    for (turn = 0; turn < cti_explicit_tuned.program.changes; turn++) {
        for (i = 0; i < q->n; i++)
            active[i] |= q->w[i] < -cti_explicit_tuned.program.tolerance;
        do {
            *natural = cti_explicit_solve_set(q, active);
            if (*natural <= cti_explicit_tuned.program.tolerance)
                return CTI_EXPLICIT_SOLVED;
            if (!(*natural < HUGE_VAL))
                return CTI_EXPLICIT_FAILED;
        } while (cti_explicit_step_to_set(q, from, active));
        if (cti_explicit_certify(q))
            return CTI_EXPLICIT_SQUEEZED;
    }
    return CTI_EXPLICIT_FAILED;
}

/* returns the step along dx up to which x stays positive, at most 1 */
static double cti_explicit_step_to_boundary(const double *x, const double *dx, int n)
{
    double a = 1;
    int i;
    for (i = 0; i < n; i++)
        if (dx[i] < 0)
            a = cti_fmin(a, -0.995 * x[i] / dx[i]);
    return a;
}

/* solves for df and dw with f w + w df + f dw = target */
static void cti_explicit_direction(cti_explicit_scaled *q, const double *target)
{
    int i;
    for (i = 0; i < q->n; i++)
        q->df[i] = -q->r[i] + (target[i] - q->f[i] * q->w[i]) / q->f[i];
    cti_explicit_substitute(q->L, q->n, q->ld, q->last, q->df);
    for (i = 0; i < q->n; i++)
        q->dw[i] = (target[i] - q->f[i] * q->w[i] - q->w[i] * q->df[i]) / q->f[i];
}

/* makes one step of the interior point method */
static void cti_explicit_advance(cti_explicit_scaled *q, double mu)
{
    int i, j, n = q->n;
    double a, after = 0, sigma;
    for (i = 0; i < n; i++) {
        const double *K = cti_explicit_row_at(q, i);
        double *row = q->L + (size_t)i * (size_t)q->ld;
        int from = i & ~7, end = i && (int)q->last[i - 1] > q->hi[i] ? (int)q->last[i - 1] : q->hi[i];
        memset(row + from, 0, sizeof(double) * (size_t)((end | 7) + 1 - from));
        for (j = i; j <= q->hi[i]; j++)
            row[j] = K[j] * q->scale[i] * q->scale[j];
        row[i] += q->w[i] / q->f[i] + 1e-14;
        q->last[i] = end;
    }
    cti_explicit_factor(q->L, n, q->ld, q->last);
    q->system->iterations++;
    memset(q->t, 0, sizeof(double) * (size_t)n);
    cti_explicit_direction(q, q->t);
    a = cti_fmin(cti_explicit_step_to_boundary(q->f, q->df, n), cti_explicit_step_to_boundary(q->w, q->dw, n));
    for (i = 0; i < n; i++)
        after += (q->f[i] + a * q->df[i]) * (q->w[i] + a * q->dw[i]) / n;
    sigma = after / mu, sigma = sigma * sigma * sigma;
    for (i = 0; i < n; i++)
        q->t[i] = sigma * mu - q->df[i] * q->dw[i];
    cti_explicit_direction(q, q->t);
    a = cti_fmin(cti_explicit_step_to_boundary(q->f, q->df, n), cti_explicit_step_to_boundary(q->w, q->dw, n));
    for (i = 0; i < n; i++)
        q->f[i] += a * q->df[i], q->w[i] += a * q->dw[i];
}

static cti_explicit_outcome cti_explicit_interior(cti_explicit_scaled *q)
{
    int turn, i;
    for (i = 0; i < q->n; i++)
        q->f[i] = q->w[i] = 1;
    for (turn = 0; turn < cti_explicit_tuned.program.iterations; turn++) {
        double mu = 0, worst = 0;
        cti_explicit_product(q, q->f, q->r);
        for (i = 0; i < q->n; i++) {
            q->r[i] += q->b[i] - q->w[i];
            mu += q->f[i] * q->w[i] / q->n, worst = cti_fmax(worst, fabs(q->r[i]));
        }
        if (mu < 1e-14 && worst < cti_explicit_tuned.program.tolerance / 4)
            return CTI_EXPLICIT_SOLVED;
        if (!(mu < 1e300))
            return CTI_EXPLICIT_FAILED;
        if (cti_explicit_certify(q))
            return CTI_EXPLICIT_SQUEEZED;
        if (!(mu > 0))
            return CTI_EXPLICIT_FAILED;
        cti_explicit_advance(q, mu);
    }
    return CTI_EXPLICIT_FAILED;
}

/* solves by the interior point method, and then the equations of the set that it finds */
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
    *natural = cti_explicit_solve_set(q, active);
    if (!(*natural < worst)) {
        memcpy(q->f, q->df, sizeof(double) * (size_t)q->n);
        *natural = worst;
    }
    return *natural <= cti_explicit_tuned.program.accepted ? CTI_EXPLICIT_SOLVED : CTI_EXPLICIT_FAILED;
}

/* places the arrays of a problem in its scratch, the padding of vectors 0 */
static void cti_explicit_scaled_make(cti_explicit_system *K, double *work, cti_explicit_scaled *q)
{
    size_t n = (size_t)K->n, ld = (size_t)cti_pad8(K->n);
    q->system = K, q->n = K->n, q->ld = (int)ld, q->lo = K->lo, q->hi = K->hi, q->K = work, q->L = q->K + n * ld, q->b = q->L + n * ld;
    q->f = q->b + ld, q->w = q->f + ld, q->df = q->w + ld, q->dw = q->df + ld, q->r = q->dw + ld, q->scale = q->r + ld, q->t = q->scale + ld;
    q->last = q->t + ld, q->list = (int32_t *)(q->last + ld), q->known = (uint8_t *)(q->list + 2 * ld);
    memset(q->b, 0, sizeof(double) * 9 * ld);
    memset(q->known, 0, ld);
}

/* solves for one contact alone */
static cti_explicit_outcome cti_explicit_single(double K, double b, uint8_t *active, double *f)
{
    *active = b < 0;
    *f = b < 0 ? -b / K : 0;
    return CTI_EXPLICIT_SOLVED;
}

CTI_FN cti_explicit_outcome cti_explicit_program(cti_explicit_system *K, const double *b, ct_explicit_program method, uint8_t *active, double *f,
                                                 double *work, double *out_natural)
{
    cti_explicit_scaled q;
    cti_explicit_outcome outcome = CTI_EXPLICIT_FAILED;
    int i, n = K->n, finite = 1;
    *out_natural = 0;
    K->iterations = 0;
    if (method == CT_EXPLICIT_ACTIVE_SET && n == 1 && K->diagonal[0] > 0 && cti_finite64(b[0] / K->diagonal[0]))
        return cti_explicit_single(K->diagonal[0], b[0], active, f);
    cti_explicit_scaled_make(K, work, &q);
    q.size = 0;
    for (i = 0; i < n; i++) {
        double a = K->diagonal[i];
        q.scale[i] = a > 0 ? 1 / sqrt(a) : 1;
        q.size = cti_fmax(q.size, fabs(b[i]) * q.scale[i]);
        finite &= cti_finite64(b[i]);
    }
    if (!finite || !(q.size > 0)) {
        for (i = 0; i < n; i++)
            f[i] = 0, active[i] = 0;
        return finite ? CTI_EXPLICIT_SOLVED : CTI_EXPLICIT_FAILED;
    }
    for (i = 0; i < n; i++)
        q.b[i] = b[i] * q.scale[i] / q.size;
    if (method == CT_EXPLICIT_ACTIVE_SET)
        outcome = cti_explicit_sets(&q, active, out_natural);
    if (outcome != CTI_EXPLICIT_SOLVED) {
        int squeezed = outcome == CTI_EXPLICIT_SQUEEZED;
        memcpy(f, q.f, sizeof(double) * (size_t)n);
        outcome = cti_explicit_search_set(&q, active, out_natural);
        if (squeezed && outcome == CTI_EXPLICIT_FAILED) {
            memcpy(q.f, f, sizeof(double) * (size_t)n);
            outcome = CTI_EXPLICIT_SQUEEZED;
        }
    }
    for (i = 0; i < n; i++)
        f[i] = outcome == CTI_EXPLICIT_SQUEEZED ? q.f[i] * q.scale[i] : cti_fmax(q.f[i], 0.0) * q.scale[i] * q.size;
    return outcome;
}
