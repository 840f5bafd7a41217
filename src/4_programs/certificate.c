/* certificate.c -- proofs that a stand-alone problem has no feasible point.
   Method: Farkas' lemma. The sums that must vanish are measured independently of the units of rows and unknowns. An unknown with a small
   column may still make the rows feasible, so its sum is compared with the size of that column in the rows of the proof. */
#include "certificate.h"

static int cti_certificate_free(const cti_program *p, int i) { return p->equation && p->equation[i]; }

/* largest entry of row i; with stride 3 among the normals' columns only */
static double cti_certificate_row(const cti_sparse *S, int i, int stride)
{
    double most = 0;
    int k;
    for (k = S->p[i]; k < S->p[i + 1]; k++)
        if (S->i[k] % stride == 0)
            most = cti_fmax(most, fabs(S->x[k]));
    return most;
}

/* 1 if y has the signs and zeros that the kind of problem requires */
static int cti_certificate_signs(const cti_program *p, const double *y)
{
    int i;
    if (p->lo || p->spins)
        return 0;
    for (i = 0; i < p->m; i++)
        if (!cti_finite64(y[i]) || (y[i] < 0 && !cti_certificate_free(p, i)) || (p->mu && i % 3 && y[i] != 0))
            return 0;
    return 1;
}

/* how far the sums S'y [n] violate their condition, relative to `most` times the weight of their column. QP, GLOBAL: they are 0. LCP: they
   are not above 0. LOCAL: -S'y is in K* = {s_n >= mu |s_t|}, so that no r in its cone does positive work */
static double cti_certificate_off(const cti_program *p, const double *sum, const double *column, double most)
{
    double off = 0;
    int i;
    for (i = 0; i < p->n; i++) {
        double s = cti_program_is_dynamic(p) ? fabs(sum[i]) : cti_fmax(sum[i], 0), weight = column[i];
        if (p->kind == CTI_PROGRAM_LOCAL) {
            double mu = p->mu[i / 3];
            if (i % 3)
                continue;
            s = sum[i] + mu * sqrt(sum[i + 1] * sum[i + 1] + sum[i + 2] * sum[i + 2]);
            weight = mu > 0 ? cti_fmax(weight, cti_fmax(column[i + 1], column[i + 2])) : weight;
        }
        if (!cti_finite64(s))
            return INFINITY;
        off = s > 0 ? cti_fmax(off, s / (most * weight)) : off;
    }
    return off;
}

CTI_FN int cti_program_certificate(const cti_program *p, const double *y, double *work, cti_certificate *out)
{
    int stride = p->kind == CTI_PROGRAM_LOCAL ? 3 : 1, i, k;
    const cti_sparse *S = cti_program_is_dynamic(p) ? &p->J : &p->W;
    double *sum = work, *column = work + p->n, value = 0, terms = 0, most = 0;
    out->rows = 0;
    if (!cti_certificate_signs(p, y))
        return 0;
    for (i = 0; i < p->n; i++)
        sum[i] = column[i] = 0;
    for (i = 0; i < p->m; i++)
        most = cti_fmax(most, cti_certificate_row(S, i, stride) * fabs(y[i]));
    for (i = 0; i < p->m; i++) {
        double row = cti_certificate_row(S, i, stride), weight;
        if (p->mu && i % 3)
            continue;
        out->rows += y[i] != 0;
        value += p->w[i] * y[i], terms += fabs(p->w[i] * y[i]);
        weight = (row * fabs(y[i]) > cti_program_tuned.judge.noise * most ? 1 : cti_program_tuned.judge.rest) / row;
        for (k = S->p[i]; k < S->p[i + 1] && row > 0; k++) {
            column[S->i[k]] = cti_fmax(column[S->i[k]], weight * fabs(S->x[k]));
            sum[S->i[k]] += S->x[k] * y[i];
        }
    }
    out->off = cti_certificate_off(p, sum, column, most), out->value = value, out->terms = terms;
    return terms < INFINITY;
}

CTI_FN int cti_program_certifies(const cti_program *p, const double *y, double *work)
{
    cti_certificate c;
    return cti_program_certificate(p, y, work, &c) && c.off <= 1e-9 && c.value < -cti_fmax(1e-8, 100 * c.off) * c.terms;
}

CTI_FN int cti_program_certify(const cti_program *p, double *y, double *work)
{
    double most = 0;
    int i;
    for (i = 0; i < p->m; i++) {
        y[i] = (y[i] < 0 && !cti_certificate_free(p, i)) || (p->mu && i % 3) ? 0 : y[i];
        most = cti_fmax(most, fabs(y[i]));
    }
    if (!(most > 0) || !cti_finite64(most))
        return 0;
    for (i = 0; i < p->m; i++)
        y[i] /= most;
    return cti_program_certifies(p, y, work);
}

/* replaces y by the nearest vector with S'y = 0 on its support, by conjugate gradients on the normal equations. z, q [n], d, v [m] */
static void cti_certificate_project(const cti_program *p, const cti_sparse *S, double *y, double *z, double *q, double *d, double *v)
{
    double rho = 0, next;
    int i, it;
    for (i = 0; i < p->m; i++)
        y[i] = fabs(y[i]) > cti_program_tuned.judge.noise ? y[i] : 0;
    cti_vec_zero(p->n, z);
    cti_sparse_addmul_t(S, y, z);
    for (it = 0; it < 500; it++) {
        /* gradient S z on the support, direction d */
        cti_sparse_mul(S, z, v);
        next = 0;
        for (i = 0; i < p->m; i++)
            v[i] = y[i] != 0 ? -v[i] : 0, next += v[i] * v[i];
        for (i = 0; i < p->m; i++)
            d[i] = v[i] + (it ? next / rho * d[i] : 0);
        rho = next;
        cti_vec_zero(p->n, q);
        cti_sparse_addmul_t(S, d, q);
        next = 0;
        for (i = 0; i < p->n; i++)
            next += q[i] * q[i];
        if (!(rho > 1e-34) || !(next > 0))
            return;
        next = rho / next;
        cti_vec_add(p->n, next, q, z);
        cti_vec_add(p->m, next, d, y);
    }
}

CTI_FN int cti_program_certify_sharp(const cti_program *p, double *y, double *work)
{
    double *d = work + 2 * (size_t)p->n;
    if (cti_program_certify(p, y, work))
        return 1;
    if (p->lo)
        return 0;
    cti_certificate_project(p, cti_program_is_dynamic(p) ? &p->J : &p->W, y, work, work + p->n, d, d + p->m);
    return cti_program_certify(p, y, work);
}
