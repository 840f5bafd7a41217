/* mprgp_set.c -- the feasible set of decoupled rows: projection, free and chopped gradient.
   Method: rows are orthonormal, so the systems of equations 16, 18 and 20 are J J' = I: a multiplier a row, without coupling.
   Based on: Li et al. 2015, equations 11 to 20. */
#include "mprgp.h"

/* rounding of J_i x */

CTI_FN int cti_mprgp_set_reserve(cti_arena *arena, cti_mprgp_set *set, int n, int rows)
{
    set->n = n, set->rows = rows;
    set->lo = CTI_ARENA_NEW(arena, double, rows), set->hi = CTI_ARENA_NEW(arena, double, rows);
    set->s = CTI_ARENA_ZERO(arena, double, rows), set->t = CTI_ARENA_ZERO(arena, double, rows);
    set->face = CTI_ARENA_ZERO(arena, uint8_t, rows);
    return set->lo && set->hi && set->s && set->t && set->face;
}

CTI_FN int cti_mprgp_set_decoupled(const cti_sparse *J, const cti_sparse *Jt, int32_t *mark, double *dots)
{
    int i, k, l, ok = 1;
    for (i = 0; i < J->rows; i++)
        mark[i] = -1, dots[i] = 0;
    for (i = 0; ok && i < J->rows; i++) {
        double own = 0;
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            own += J->x[k] * J->x[k];
        /* row i of J J', for the earlier rows that share an unknown with it */
        for (k = J->p[i]; k < J->p[i + 1]; k++)
            for (l = Jt->p[J->i[k]]; l < Jt->p[J->i[k] + 1] && Jt->i[l] < i; l++) {
                int j = Jt->i[l];
                if (mark[j] != i)
                    mark[j] = i, dots[j] = 0;
                dots[j] += J->x[k] * Jt->x[l];
            }
        for (k = J->p[i]; ok && k < J->p[i + 1]; k++)
            for (l = Jt->p[J->i[k]]; l < Jt->p[J->i[k] + 1] && Jt->i[l] < i; l++) {
                double other = 0;
                int j = Jt->i[l], e;
                for (e = J->p[j]; e < J->p[j + 1]; e++)
                    other += J->x[e] * J->x[e];
                ok = ok && dots[j] * dots[j] <= 1e-26 * own * other;
            }
    }
    return ok;
}

/* J_i x; *size: the size of its cancelling terms */
static double cti_mprgp_row(const cti_mprgp_set *set, int i, const double *x, double *size)
{
    double s = 0, most = 0;
    int k;
    if (!set->J.p) {
        *size = 0;
        return x[i];
    }
    for (k = set->J.p[i]; k < set->J.p[i + 1]; k++) {
        double term = set->J.x[k] * x[set->J.i[k]];
        s += term, most += fabs(term);
    }
    *size = most;
    return s;
}

static void cti_mprgp_row_add(const cti_mprgp_set *set, int i, double c, double *x)
{
    int k;
    if (!set->J.p) {
        x[i] += c;
        return;
    }
    for (k = set->J.p[i]; k < set->J.p[i + 1]; k++)
        x[set->J.i[k]] += c * set->J.x[k];
}

CTI_FN double cti_mprgp_set_values(cti_mprgp_set *set, const double *x)
{
    double out = 0, size;
    int i;
    for (i = 0; i < set->rows; i++) {
        double s = cti_mprgp_row(set, i, x, &size), off = cti_fmax(set->lo[i] - s, s - set->hi[i]);
        set->s[i] = s;
        if (set->face[i] == CTI_FACE_FREE && off > out && off > cti_program_tuned.mprgp.rounding * size + set->noise)
            out = off;
    }
    return out;
}

CTI_FN void cti_mprgp_set_project(cti_mprgp_set *set, double *x)
{
    double size;
    int i;
    for (i = 0; i < set->rows; i++) {
        double s = cti_mprgp_row(set, i, x, &size), lo = set->lo[i], hi = set->hi[i], eps = cti_program_tuned.mprgp.rounding * size + set->noise;
        uint8_t face = lo == hi ? CTI_FACE_FIXED : (s <= lo + eps ? CTI_FACE_LOWER : (s >= hi - eps ? CTI_FACE_UPPER : CTI_FACE_FREE));
        set->face[i] = face, set->s[i] = s;
        if (face == CTI_FACE_FREE)
            continue;
        set->s[i] = face == CTI_FACE_UPPER ? hi : lo;
        if (set->J.p)
            cti_mprgp_row_add(set, i, set->s[i] - s, x);
        else
            x[i] = set->s[i];
    }
}

/* the row's contribution to phi~' phi: with t = J_i g, equation 13 moves s to s - step t and clamps it to [lo, hi] */
static double cti_mprgp_reduced(const cti_mprgp_set *set, int i, double t, double step)
{
    double to = set->s[i] - step * t;
    to = cti_fmin(cti_fmax(to, set->lo[i]), set->hi[i]);
    return (set->s[i] - to) / step * t;
}

CTI_FN void cti_mprgp_set_split(cti_mprgp_set *set, const double *g, double step, double *phi, double *sum, cti_mprgp_split *out)
{
    double size;
    int i;
    memset(out, 0, sizeof *out);
    cti_vec_copy(set->n, g, phi);
    for (i = 0; i < set->rows; i++) {
        set->t[i] = cti_mprgp_row(set, i, g, &size);
        if (set->face[i] != CTI_FACE_FREE)
            cti_mprgp_row_add(set, i, -set->t[i], phi);
    }
    cti_vec_copy(set->n, phi, sum);
    for (i = 0; i < set->n; i++)
        out->phi2 += phi[i] * phi[i];
    out->reduced = out->phi2;
    for (i = 0; i < set->rows; i++) {
        double t = set->t[i];
        int face = set->face[i];
        if (face == CTI_FACE_FREE) {
            out->reduced += cti_mprgp_reduced(set, i, t, step) - t * t;
        } else if ((face == CTI_FACE_LOWER && t < 0) || (face == CTI_FACE_UPPER && t > 0)) {
            out->beta2 += t * t;
            cti_mprgp_row_add(set, i, t, sum);
        } else {
            out->force = cti_fmax(out->force, fabs(t));
        }
    }
    out->reduced = cti_fmax(out->reduced, 0); /* rounding may leave less, and a point without beta would be proportioned for ever */
    for (i = 0; i < set->n; i++)
        out->most = fabs(sum[i]) > out->most || sum[i] != sum[i] ? fabs(sum[i]) : out->most;
}

CTI_FN void cti_mprgp_set_flatten(const cti_mprgp_set *set, double *z)
{
    double size;
    int i;
    for (i = 0; i < set->rows; i++)
        if (set->face[i] != CTI_FACE_FREE)
            cti_mprgp_row_add(set, i, -cti_mprgp_row(set, i, z, &size), z);
}

CTI_FN void cti_mprgp_half(int n, const int32_t *p, const int32_t *column, const double *block, const double *x, double *y)
{
    int b, k;
    for (b = 0; b < n; b++) {
        double u0 = x[3 * b], u1 = x[3 * b + 1], u2 = x[3 * b + 2], s0 = 0, s1 = 0, s2 = 0;
        for (k = p[b]; k < p[b + 1]; k++) {
            const double *M = block + 9 * (size_t)k, *v = x + 3 * column[k];
            double *z = y + 3 * column[k];
            double m0 = M[0], m1 = M[1], m2 = M[2], m3 = M[3], m4 = M[4], m5 = M[5], m6 = M[6], m7 = M[7], m8 = M[8];
            s0 += m0 * v[0] + m1 * v[1] + m2 * v[2], s1 += m3 * v[0] + m4 * v[1] + m5 * v[2], s2 += m6 * v[0] + m7 * v[1] + m8 * v[2];
            z[0] += m0 * u0 + m3 * u1 + m6 * u2, z[1] += m1 * u0 + m4 * u1 + m7 * u2, z[2] += m2 * u0 + m5 * u1 + m8 * u2;
        }
        y[3 * b] += s0, y[3 * b + 1] += s1, y[3 * b + 2] += s2;
    }
}
