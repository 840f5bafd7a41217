/* program.c -- stand-alone contact problems: sparse matrices, checks, the judge, limits.
   Method: the judge computes u, the residual of the dynamics and the natural map of each law from x and r alone, and uses nothing that a
   solver reports. Each number is relative to a size of the problem's data. So units do not matter, and diverging multipliers cannot make an
   error look small. */
#include "program.h"
#include "../0_base/fpenv.h"
#include "../0_base/sort.h"

/* ---- sparse rows ---- */

CTI_FN double cti_dot_fast(int n, const double *a, const double *b)
{
    double s[4] = {0, 0, 0, 0};
    int i;
    for (i = 0; i + 4 <= n; i += 4) {
        s[0] += a[i] * b[i];
        s[1] += a[i + 1] * b[i + 1];
        s[2] += a[i + 2] * b[i + 2];
        s[3] += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

CTI_FN double cti_most(int n, const double *a)
{
    double most = 0;
    int i;
    for (i = 0; i < n; i++)
        most = fabs(a[i]) > most || a[i] != a[i] ? fabs(a[i]) : most;
    return most;
}

CTI_FN void cti_sparse_free(cti_mem *mem, cti_sparse *a)
{
    CTI_FREE(mem, a->p);
    CTI_FREE(mem, a->i);
    CTI_FREE(mem, a->x);
    memset(a, 0, sizeof *a);
}

CTI_FN void cti_sparse_mul(const cti_sparse *a, const double *x, double *y)
{
    int i, k;
    for (i = 0; i < a->rows; i++) {
        double s = 0, s1 = 0, s2 = 0, s3 = 0;
        k = a->p[i];
        /* long rows in four independent sums, which the processor can overlap */
        if (a->p[i + 1] - k >= 16)
            for (; k + 4 <= a->p[i + 1]; k += 4) {
                s += a->x[k] * x[a->i[k]], s1 += a->x[k + 1] * x[a->i[k + 1]];
                s2 += a->x[k + 2] * x[a->i[k + 2]], s3 += a->x[k + 3] * x[a->i[k + 3]];
            }
        for (; k < a->p[i + 1]; k++)
            s += a->x[k] * x[a->i[k]];
        y[i] = (s + s1) + (s2 + s3);
    }
}

CTI_FN void cti_sparse_addmul_t(const cti_sparse *a, const double *x, double *y)
{
    int i, k;
    for (i = 0; i < a->rows; i++)
        for (k = a->p[i]; k < a->p[i + 1]; k++)
            y[a->i[k]] += a->x[k] * x[i];
}

CTI_FN double cti_sparse_at(const cti_sparse *a, int i, int j)
{
    int k = cti_sort_find(a->i, 1, a->p[i], a->p[i + 1], j);
    return k >= 0 ? a->x[k] : 0;
}

CTI_FN int cti_sparse_reserve(cti_mem *mem, cti_sparse *a, int rows, int cols, int entries)
{
    a->rows = rows, a->cols = cols;
    if (CTI_RESIZE(mem, a->p, rows + 1) && CTI_RESERVE(mem, a->i, 1) && CTI_RESERVE(mem, a->x, 1) && CTI_RESIZE(mem, a->i, entries) &&
        CTI_RESIZE(mem, a->x, entries))
        return 1;
    cti_sparse_free(mem, a);
    return 0;
}

CTI_FN int cti_sparse_copy(cti_mem *mem, const cti_sparse *from, cti_sparse *out)
{
    int n = from->p[from->rows];
    memset(out, 0, sizeof *out);
    if (!cti_sparse_reserve(mem, out, from->rows, from->cols, n))
        return 0;
    memcpy(out->p, from->p, sizeof *from->p * ((size_t)from->rows + 1));
    if (n)
        memcpy(out->i, from->i, sizeof *from->i * (size_t)n), cti_vec_copy(n, from->x, out->x);
    return 1;
}

CTI_FN void cti_sparse_unblock(const cti_bsr *A, cti_sparse *out)
{
    int i, k, e, c, at = 0;
    out->rows = out->cols = 3 * A->n, out->p[0] = 0;
    for (i = 0; i < A->n; i++)
        for (e = 0; e < 3; e++) {
            for (k = A->row[i]; k < A->row[i + 1]; k++)
                for (c = 0; c < 3; c++)
                    out->i[at] = 3 * A->col[k] + c, out->x[at++] = (double)A->val[9 * (size_t)k + (size_t)(3 * e + c)];
            out->p[3 * i + e + 1] = at;
        }
}

CTI_FN int cti_sparse_transpose(cti_mem *mem, const cti_sparse *a, cti_sparse *out)
{
    int i, k, n = a->rows ? a->p[a->rows] : 0;
    memset(out, 0, sizeof *out);
    if (!cti_sparse_reserve(mem, out, a->cols, a->rows, n))
        return 0;
    for (k = 0; k < n; k++)
        out->p[a->i[k] + 1]++;
    cti_sort_starts(out->p, (size_t)a->cols);
    for (i = 0; i < a->rows; i++)
        for (k = a->p[i]; k < a->p[i + 1]; k++) {
            int at = out->p[a->i[k]]++;
            out->i[at] = i, out->x[at] = a->x[k];
        }
    cti_sort_started(out->p, (size_t)a->cols);
    return 1;
}

/* sorts the entries into rows by counting, in their given order */
static void cti_sparse_bucket(cti_sparse *out, const int32_t *i, const int32_t *j, const double *x, int n_entries)
{
    int k;
    for (k = 0; k < n_entries; k++)
        out->p[i[k] + 1]++;
    cti_sort_starts(out->p, (size_t)out->rows);
    for (k = 0; k < n_entries; k++) {
        int at = out->p[i[k]]++;
        out->i[at] = j[k], out->x[at] = x[k];
    }
    cti_sort_started(out->p, (size_t)out->rows);
}

/* sums consecutive entries of the same column in a row */
static void cti_sparse_merge(cti_sparse *a)
{
    int i, k, n = 0, start;
    for (i = 0; i < a->rows; i++) {
        start = n;
        for (k = a->p[i]; k < a->p[i + 1]; k++) {
            if (n > start && a->i[n - 1] == a->i[k])
                a->x[n - 1] += a->x[k];
            else
                a->i[n] = a->i[k], a->x[n++] = a->x[k];
        }
        a->p[i] = start;
    }
    a->p[a->rows] = n;
}

/* differs: sorted by two transpositions, each of which is a counting sort */
CTI_FN int cti_sparse_from_triplets(cti_mem *mem, int rows, int cols, const int32_t *i, const int32_t *j, const double *x, int n_entries,
                                    cti_sparse *out)
{
    cti_sparse loose, turned;
    int ok;
    memset(&loose, 0, sizeof loose), memset(&turned, 0, sizeof turned), memset(out, 0, sizeof *out);
    ok = cti_sparse_reserve(mem, &loose, rows, cols, n_entries);
    if (ok)
        cti_sparse_bucket(&loose, i, j, x, n_entries);
    ok = ok && cti_sparse_transpose(mem, &loose, &turned) && cti_sparse_transpose(mem, &turned, out);
    if (ok)
        cti_sparse_merge(out);
    cti_sparse_free(mem, &loose);
    cti_sparse_free(mem, &turned);
    return ok;
}

CTI_FN int cti_triplets_add(cti_mem *mem, cti_triplets *t, int i, int j, double x)
{
    return CTI_PUSH(mem, t->i, i) && CTI_PUSH(mem, t->j, j) && CTI_PUSH(mem, t->x, x);
}

CTI_FN int cti_triplets_close(cti_mem *mem, cti_triplets *t, int ok, int rows, int cols, cti_sparse *out)
{
    ok = ok && cti_sparse_from_triplets(mem, rows, cols, t->i, t->j, t->x, CTI_LEN(t->x), out);
    CTI_FREE(mem, t->i), CTI_FREE(mem, t->j), CTI_FREE(mem, t->x);
    return ok;
}

CTI_FN double cti_sparse_asymmetry(const cti_sparse *a, int stride)
{
    double most = 0, off = 0;
    int i, k;
    for (i = 0; i < a->rows; i += stride)
        for (k = a->p[i]; k < a->p[i + 1]; k++) {
            if (a->i[k] % stride)
                continue;
            most = cti_fmax(most, fabs(a->x[k]));
            off = cti_fmax(off, fabs(a->x[k] - cti_sparse_at(a, a->i[k], i)));
        }
    return most > 0 ? off / most : 0;
}

/* ---- problems ---- */

CTI_FN void cti_program_free(cti_mem *mem, cti_program *p)
{
    cti_sparse_free(mem, &p->A);
    cti_sparse_free(mem, &p->J);
    cti_sparse_free(mem, &p->W);
    CTI_FREE_SPAN(mem, p->b, p->scale);
    CTI_FREE_SPAN(mem, p->known.x, p->known.r);
    memset(p, 0, sizeof *p);
}

static const char *cti_program_check_sparse(const cti_sparse *a, int rows, int cols)
{
    int i, k;
    if (a->rows != rows || a->cols != cols || CTI_LEN(a->p) != rows + 1)
        return "a matrix has not the size that the problem needs";
    if (a->p[0] != 0)
        return "a matrix's row pointers do not begin with 0";
    for (i = 0; i < rows; i++) {
        if (a->p[i + 1] < a->p[i] || a->p[i + 1] > CTI_LEN(a->i) || a->p[i + 1] > CTI_LEN(a->x))
            return "a matrix's row pointers fall, or leave its entries";
        for (k = a->p[i]; k < a->p[i + 1]; k++) {
            if (a->i[k] < 0 || a->i[k] >= cols || (k > a->p[i] && a->i[k] <= a->i[k - 1]))
                return "a matrix's column is outside, or columns are not sorted";
            if (!cti_finite64(a->x[k]))
                return "a matrix's entry is not finite";
        }
    }
    return NULL;
}

static const char *cti_program_check_vector(const double *x, int n)
{
    int i;
    if (CTI_LEN(x) != n)
        return "a vector has not the length that the problem needs";
    for (i = 0; i < n; i++)
        if (!cti_finite64(x[i]))
            return "a vector's entry is not finite";
    return NULL;
}

static const char *cti_program_check_law(const cti_program *p)
{
    int i, contacts = p->kind == CTI_PROGRAM_LOCAL || p->kind == CTI_PROGRAM_GLOBAL;
    if (contacts && (p->spins < 0 || p->spins > p->m || (p->m - p->spins) % 3))
        return "the number of rows, less those of torsional friction, is not three times that of contacts";
    if (contacts && CTI_LEN(p->mu) != (p->m - p->spins) / 3)
        return "there is not one friction coefficient for each contact";
    for (i = 0; i < cti_program_contacts(p); i++)
        if (!(p->mu[i] >= 0) || !cti_finite64(p->mu[i]))
            return "a friction coefficient is negative or not finite";
    for (i = 0; i < p->spins; i++)
        if (p->spin_of[i] < 0 || p->spin_of[i] >= cti_program_contacts(p) || !(p->spin_mu[i] >= 0) || !cti_finite64(p->spin_mu[i]))
            return "a row of torsional friction has no contact, or a coefficient that is negative or not finite";
    if (!p->lo != !p->hi || (p->lo && (CTI_LEN(p->lo) != p->m || CTI_LEN(p->hi) != p->m)))
        return "bounds have not the length that the problem needs";
    for (i = 0; p->lo && i < p->m; i++)
        if (!(p->lo[i] <= p->hi[i]) || p->lo[i] == INFINITY || p->hi[i] == -INFINITY)
            return "a lower bound is above the upper one, or no number is between them";
    if (p->equation && CTI_LEN(p->equation) != p->m)
        return "the marks of equations have not the length that the problem needs";
    if ((p->known.x && CTI_LEN(p->known.x) != p->n) || (p->known.r && CTI_LEN(p->known.r) != p->m))
        return "a reference solution has not the length that the problem needs";
    for (i = 0; p->known.x && i < p->n; i++)
        if (!cti_finite64(p->known.x[i]))
            return "a number of the reference solution is not finite";
    for (i = 0; p->known.r && i < p->m; i++)
        if (!cti_finite64(p->known.r[i]))
            return "a number of the reference multipliers is not finite";
    return NULL;
}

/* every solver assumes a symmetric A; a difference of 1e-9, relative to the diagonal of its row and column, counts as the writer's
   rounding */
static const char *cti_program_check_symmetric(const cti_sparse *A)
{
    int i, k;
    for (i = 0; i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            double other = cti_sparse_at(A, A->i[k], i), size;
            if (A->x[k] == other)
                continue;
            size = sqrt(fabs(cti_sparse_at(A, i, i)) * fabs(cti_sparse_at(A, A->i[k], A->i[k])));
            if (fabs(A->x[k] - other) > 1e-9 * cti_fmax(size, cti_fmax(fabs(A->x[k]), fabs(other))))
                return "A is not symmetric";
        }
    return NULL;
}

CTI_FN const char *cti_program_check(const cti_program *p)
{
    const char *wrong;
    if (cti_program_is_dynamic(p)) {
        wrong = cti_program_check_sparse(&p->A, p->n, p->n);
        wrong = wrong ? wrong : cti_program_check_symmetric(&p->A);
        wrong = wrong ? wrong : cti_program_check_sparse(&p->J, p->m, p->n);
        wrong = wrong ? wrong : cti_program_check_vector(p->b, p->n);
    } else {
        wrong = p->n != p->m ? "a local problem has as many unknowns as rows" : cti_program_check_sparse(&p->W, p->m, p->m);
    }
    wrong = wrong ? wrong : cti_program_check_vector(p->w, p->m);
    return wrong ? wrong : cti_program_check_law(p);
}

/* scales from the diagonal of W [m], and sizes of the free velocity u0 [m] */
static void cti_program_sizes(cti_program *p, const double *diagonal, const double *u0)
{
    double sum = 0;
    int i, rows = p->m - p->spins;
    for (i = 0; i < rows / 3; i++) {
        double trace = diagonal[3 * i] + diagonal[3 * i + 1] + diagonal[3 * i + 2];
        p->scale[i] = trace > 0 ? 3 / trace : 1;
    }
    p->size_u = cti_fmax(cti_most(rows, p->w), cti_most(rows, u0));
    for (i = 0; i < rows; i++)
        sum += p->scale[i / 3] * u0[i] * (p->scale[i / 3] * u0[i]);
    for (i = 0; i < p->spins; i++) {
        double scale = p->scale[p->spin_of[i]], own = scale * diagonal[rows + i], L = own > 0 ? 1 / sqrt(own) : 1, u = L * u0[rows + i];
        p->spin_lever[i] = L;
        p->size_u = cti_fmax(p->size_u, cti_fmax(fabs(u), L * fabs(p->w[rows + i]))), sum += scale * u * (scale * u);
    }
    p->size_r = sqrt(sum);
}

/* the diagonal of W = J A^-1 J', for CTI_PROGRAM_BATCH rows at a time; then the sizes */
static int cti_program_trace(cti_mem *mem, cti_program *p, double *diagonal)
{
    cti_scalar s;
    cti_arena arena;
    double *W, *x, *u;
    int i, a, ok;
    memset(&s, 0, sizeof s);
    cti_arena_init(&arena, mem);
    W = CTI_ARENA_NEW(&arena, double, CTI_PROGRAM_BATCH *CTI_PROGRAM_BATCH);
    x = CTI_ARENA_NEW(&arena, double, p->n), u = CTI_ARENA_NEW(&arena, double, p->m);
    ok = W && x && u && cti_scalar_open(&arena.own, &s, &p->A) && cti_scalar_factor(&arena.own, &s);
    for (i = 0; ok && i < p->m; i += CTI_PROGRAM_BATCH) {
        cti_sparse J = p->J;
        J.p += i, J.rows = cti_min_int(CTI_PROGRAM_BATCH, p->m - i);
        ok = cti_scalar_schur(&s, &arena, &J, W, CTI_PROGRAM_BATCH);
        for (a = 0; ok && a < J.rows; a++)
            diagonal[i + a] = W[a * (CTI_PROGRAM_BATCH + 1)];
    }
    if (ok) {
        cti_vec_copy(p->n, p->b, x);
        cti_scalar_solve(&s, x, 1);
        cti_program_u(p, x, x, u);
        cti_program_sizes(p, diagonal, u);
    }
    cti_arena_free(&arena);
    return ok;
}

CTI_FN int cti_program_prepare(cti_mem *mem, cti_program *p)
{
    int i, ok, contacts = p->kind == CTI_PROGRAM_LOCAL || p->kind == CTI_PROGRAM_GLOBAL;
    double *diagonal = NULL;
    /* empty arrays are not NULL, since solvers copy from them */
    if ((p->kind != CTI_PROGRAM_LOCAL && p->kind != CTI_PROGRAM_LCP && !CTI_RESERVE(mem, p->b, 1)) || !CTI_RESERVE(mem, p->w, 1) ||
        (contacts && (!CTI_RESERVE(mem, p->mu, 1) || !CTI_RESERVE(mem, p->scale, 1))))
        return 0;
    if (!contacts)
        return 1;
    ok = CTI_RESIZE(mem, p->scale, (p->m - p->spins) / 3) && CTI_RESIZE(mem, p->spin_lever, p->spins) && CTI_RESIZE(mem, diagonal, p->m);
    if (ok && p->kind == CTI_PROGRAM_GLOBAL)
        ok = cti_program_trace(mem, p, diagonal);
    else if (ok) {
        for (i = 0; i < p->m; i++)
            diagonal[i] = cti_sparse_at(&p->W, i, i);
        cti_program_sizes(p, diagonal, p->w);
    }
    CTI_FREE(mem, diagonal);
    return ok;
}

CTI_FN int cti_program_has_friction(const cti_program *p)
{
    int i;
    for (i = 0; i < cti_program_contacts(p); i++)
        if (p->mu[i] > 0)
            return 1;
    return p->spins > 0;
}

CTI_FN void cti_program_u(const cti_program *p, const double *x, const double *r, double *u)
{
    if (cti_program_is_dynamic(p))
        cti_sparse_mul(&p->J, x, u);
    else
        cti_sparse_mul(&p->W, r, u);
    cti_vec_add(p->m, 1, p->w, u);
}

CTI_FN int cti_program_normals(cti_mem *mem, const cti_program *p, cti_program *out)
{
    const cti_sparse *from = p->kind == CTI_PROGRAM_GLOBAL ? &p->J : &p->W;
    cti_sparse *to = p->kind == CTI_PROGRAM_GLOBAL ? &out->J : &out->W;
    int i, k, at = 0, square = p->kind == CTI_PROGRAM_LOCAL;
    memset(out, 0, sizeof *out);
    out->kind = square ? CTI_PROGRAM_LCP : CTI_PROGRAM_QP;
    out->m = p->m / 3, out->n = square ? out->m : p->n;
    out->A = p->A, out->b = p->b;
    if (!cti_sparse_reserve(mem, to, out->m, out->n, from->p[p->m]) || !CTI_RESERVE(mem, out->w, 1) || !CTI_RESIZE(mem, out->w, out->m))
        return 0;
    for (i = 0; i < out->m; i++) {
        out->w[i] = p->w[3 * i];
        for (k = from->p[3 * i]; k < from->p[3 * i + 1]; k++)
            if (!square || from->i[k] % 3 == 0)
                to->i[at] = square ? from->i[k] / 3 : from->i[k], to->x[at++] = from->x[k];
        to->p[i + 1] = at;
    }
    return 1;
}

/* ---- the judge ---- */

CTI_FN void cti_cone_project3(double mu, double *r)
{
    double t = sqrt(r[1] * r[1] + r[2] * r[2]), n;
    if (r[0] >= 0 && t <= mu * r[0]) /* the sign decides where mu = 0 */
        return;
    if (mu * t <= -r[0]) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    n = (r[0] + mu * t) / (1 + mu * mu);
    r[0] = n;
    r[1] *= mu * n / t, r[2] *= mu * n / t;
}

static ct_code cti_cone_public(double mu, const double *r, double *out_r)
{
    double p[3];
    int k;
    if (!r || !out_r)
        return CT_ERR_ARGUMENT;
    for (k = 0; k < 3; k++) {
        if (!(fabs(r[k]) <= 1e150)) /* the square is a number */
            return CT_ERR_DOMAIN;
        p[k] = r[k];
    }
    if (!(mu >= 0 && mu <= 1e150))
        return CT_ERR_DOMAIN;
    cti_cone_project3(mu, p);
    memcpy(out_r, p, sizeof p);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_cone_project(double mu, const double r[3], double out_r[3]) { CTI_FPENV_RETURN(cti_cone_public(mu, r, out_r)) }

/* With a = r - v, a = P_K(a) + g (-mu, e) on the slanted part, e = a_t / |a_t| and g = (|a_t| - mu a_n) / (1 + mu^2) > 0. r may be many orders of
   magnitude longer than v, so that |a_t| - |r_t| is formed without a difference of lengths */
CTI_FN void cti_cone_natural(double mu, const double *r, const double *v, double *out)
{
    double a[3], t, rt = sqrt(r[1] * r[1] + r[2] * r[2]), g;
    int k;
    for (k = 0; k < 3; k++)
        a[k] = r[k] - v[k], out[k] = v[k];
    t = sqrt(a[1] * a[1] + a[2] * a[2]);
    if (a[0] + mu * t <= 0) {
        memcpy(out, r, 3 * sizeof *r);
        return;
    }
    if (t == 0)
        return;
    g = rt - mu * r[0] + (v[1] * v[1] + v[2] * v[2] - 2 * (r[1] * v[1] + r[2] * v[2])) / (t + rt) + mu * v[0];
    if (g <= 0)
        return;
    g /= 1 + mu * mu;
    out[0] -= mu * g, out[1] += g * a[1] / t, out[2] += g * a[2] / t;
}

static double cti_judge_share(double part, double whole) { return part == 0 ? 0 : (whole > 0 ? part / whole : part); }

/* |A x - b - J'r| relative to A x and b; t [2 n] */
static double cti_judge_dynamics(const cti_program *p, const double *x, const double *r, double *t, double *out_quadratic)
{
    double *Ax = t, *f = t + p->n, whole, part = 0;
    int i;
    cti_sparse_mul(&p->A, x, Ax);
    cti_vec_zero(p->n, f);
    cti_sparse_addmul_t(&p->J, r, f);
    whole = cti_fmax(cti_most(p->n, Ax), cti_most(p->n, p->b));
    *out_quadratic = 0;
    for (i = 0; i < p->n; i++) {
        double d = fabs(Ax[i] - p->b[i] - f[i]);
        part = d > part || d != d ? d : part;
        *out_quadratic += x[i] * Ax[i];
    }
    return cti_judge_share(part, whole);
}

/* the largest term of u in a QP, where terms cancel */
static double cti_judge_size_u(const cti_program *p, const double *x, const double *u)
{
    double size = cti_fmax(cti_most(p->m, u), cti_most(p->m, p->w));
    int i, k;
    for (i = 0; i < p->m; i++)
        for (k = p->J.p[i]; k < p->J.p[i + 1]; k++) {
            double term = fabs(p->J.x[k] * x[p->J.i[k]]);
            size = term > size ? term : size;
        }
    return size;
}

/* the size of u in an LCP. *unit: the change of u by a unit multiplier whose own row has no positive diagonal. Both are of W, w and the
   bounds alone */
static double cti_judge_size_lcp(const cti_program *p, double *unit)
{
    double size = cti_most(p->m, p->w), most = cti_most(p->m ? p->W.p[p->m] : 0, p->W.x);
    int i, k;
    *unit = most > 0 ? most : 1;
    for (i = 0; p->lo && i < p->m; i++)
        for (k = 0; k < 2; k++) {
            double bound = fabs(k ? p->hi[i] : p->lo[i]), own = cti_sparse_at(&p->W, i, i);
            if (cti_finite64(bound))
                size = cti_fmax(size, (own > 0 ? own : *unit) * bound);
        }
    return size;
}

/* natural map of bounds. u and r have different units, so the smaller of the two relative numbers counts at each row. unit: of an LCP,
   whose r is measured by the u that it causes */
static void cti_judge_bounds(const cti_program *p, const double *r, const double *u, double size_u, double unit, cti_judgement *out)
{
    double most_r = cti_most(p->m, r), products = 0;
    int i;
    for (i = 0; i < p->m; i++) {
        double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY, ui = u[i], below, above, off;
        double own = unit > 0 ? cti_sparse_at(&p->W, i, i) : 0, size_r = unit > 0 ? size_u / (own > 0 ? own : unit) : most_r;
        if (p->equation && p->equation[i]) {
            out->primal = cti_fmax(out->primal, cti_judge_share(fabs(ui), size_u));
            out->natural = cti_fmax(out->natural, cti_judge_share(fabs(ui), size_u));
            continue;
        }
        below = r[i] - lo, above = hi - r[i];
        out->dual = cti_fmax(out->dual, cti_judge_share(cti_fmax(0, cti_fmax(-below, -above)), size_r));
        if (ui < 0 && above > 0 && !(p->hi && above < fabs(ui)))
            out->primal = cti_fmax(out->primal, cti_judge_share(-ui, size_u));
        off = ui > 0 ? cti_fmin(cti_judge_share(ui, size_u), cti_judge_share(fabs(below), size_r))
                     : cti_fmin(cti_judge_share(-ui, size_u), cti_finite64(above) ? cti_judge_share(fabs(above), size_r) : INFINITY);
        off = cti_fmax(off, cti_judge_share(cti_fmax(0, cti_fmax(-below, -above)), size_r));
        out->natural = off > out->natural || off != off ? off : out->natural;
        products += fabs(ui > 0 ? (cti_finite64(lo) ? ui * below : 0) : (cti_finite64(hi) ? ui * above : 0));
    }
    out->gap = products;
}

/* Coulomb's law: scaled and unscaled natural maps */
static void cti_judge_contacts(const cti_program *p, const double *r, const double *u, double size_u, cti_judgement *out)
{
    double scaled = 0, plain = 0, norm_r = 0, norm_u = 0, norm_w = 0, products = 0;
    int i, k;
    for (i = 0; i < cti_program_contacts(p); i++) {
        const double *ri = r + 3 * i, *ui = u + 3 * i;
        double mu = p->mu[i], t = sqrt(ui[1] * ui[1] + ui[2] * ui[2]), hat[3], v[3], a[3], b[3];
        hat[0] = ui[0] + mu * t, hat[1] = ui[1], hat[2] = ui[2];
        for (k = 0; k < 3; k++)
            v[k] = p->scale[i] * hat[k];
        cti_cone_natural(mu, ri, v, a), cti_cone_natural(mu, ri, hat, b);
        for (k = 0; k < 3; k++) {
            scaled += a[k] * a[k], plain += b[k] * b[k];
            norm_r += ri[k] * ri[k], norm_u += ui[k] * ui[k], norm_w += p->w[3 * i + k] * p->w[3 * i + k];
        }
        products += fabs(hat[0] * ri[0] + hat[1] * ri[1] + hat[2] * ri[2]);
        if (!(p->scale[i] > 0)) /* an infinite trace makes the scale 0, and the map would be 0 for every r */
            scaled = NAN;
        out->primal = cti_fmax(out->primal, cti_judge_share(cti_fmax(0, -ui[0]), size_u));
        out->dual = cti_fmax(out->dual, cti_judge_share(cti_fmax(0, sqrt(ri[1] * ri[1] + ri[2] * ri[2]) - mu * ri[0]), p->size_r));
    }
    for (i = 0; i < p->spins; i++) {
        int row = p->m - p->spins + i;
        double L = p->spin_lever[i], ri = r[row] / L, ui = u[row] * L, bound = p->spin_mu[i] * cti_fmax(0, r[3 * p->spin_of[i]]) / L;
        double a = ri - cti_fmin(bound, cti_fmax(-bound, ri - p->scale[p->spin_of[i]] * ui));
        double b = ri - cti_fmin(bound, cti_fmax(-bound, ri - ui));
        scaled += a * a, plain += b * b, norm_r += ri * ri, norm_u += ui * ui, norm_w += p->w[row] * L * (p->w[row] * L);
        products += fabs(ui * ri + bound * fabs(ui));
        out->dual = cti_fmax(out->dual, cti_judge_share(cti_fmax(0, fabs(ri) - bound), p->size_r));
    }
    norm_r = sqrt(norm_r), norm_u = sqrt(norm_u), norm_w = sqrt(norm_w);
    out->natural = cti_judge_share(sqrt(scaled), p->size_r);
    out->unscaled = cti_judge_share(sqrt(plain), cti_fmax(norm_w, cti_fmax(norm_r, norm_u)));
    out->gap = cti_judge_share(products, norm_r * norm_u);
}

CTI_FN void cti_program_judge(const cti_program *p, const double *x, const double *r, double *work, cti_judgement *out)
{
    int global = cti_program_is_dynamic(p), i;
    double *u = work, size_u = p->size_u, unit = 0, quadratic = 0, dual_objective;
    memset(out, 0, sizeof *out);
    cti_program_u(p, x, r, u);
    if (global)
        out->dynamics = cti_judge_dynamics(p, x, r, work + p->m, &quadratic);
    if (!p->mu)
        size_u = p->kind == CTI_PROGRAM_QP ? cti_judge_size_u(p, x, u) : cti_judge_size_lcp(p, &unit);
    if (p->mu)
        cti_judge_contacts(p, r, u, size_u, out);
    else
        cti_judge_bounds(p, r, u, size_u, unit, out);
    if (p->kind == CTI_PROGRAM_QP) {
        out->objective = quadratic / 2;
        for (i = 0; i < p->n; i++)
            out->objective -= p->b[i] * x[i];
        dual_objective = -quadratic / 2;
        for (i = 0; i < p->m; i++)
            dual_objective -= p->w[i] * r[i];
        out->gap =
            cti_judge_share(fabs(out->objective - dual_objective),
                            cti_fmax(fabs(out->objective), cti_fmax(fabs(dual_objective), quadratic / 2)));
        out->objective += p->constant;
    } else if (p->kind == CTI_PROGRAM_LCP) {
        out->gap = cti_judge_share(out->gap, size_u * cti_most(p->m, r));
    }
    out->residual = cti_fmax(out->dynamics, out->natural);
    if (p->kind == CTI_PROGRAM_QP)
        out->residual = cti_fmax(out->residual, cti_fmax(out->gap, cti_fmax(out->primal, out->dual)));
    /* NaN, or values whose squares overflow, are no solution, whatever the comparisons above have made of them */
    if (!(size_u < 1e150 && cti_most(p->m, u) < 1e150 && cti_most(p->m, r) < 1e150 &&
          (!global || cti_most(p->n, x) < 1e150)) ||
        !cti_finite64(quadratic) || !cti_finite64(out->natural) || !cti_finite64(out->dynamics) || !cti_finite64(out->gap))
        out->residual = INFINITY;
}

CTI_FN int cti_candidate_open(cti_candidate *c, const cti_program *p, cti_answer *a, cti_arena *arena)
{
    c->p = p, c->a = a, c->best = INFINITY;
    c->x = CTI_ARENA_ZERO(arena, double, p->n), c->r = CTI_ARENA_ZERO(arena, double, p->m);
    c->work = cti_judge_work(arena, p);
    return c->x && c->r && c->work;
}

CTI_FN double cti_candidate_offer(cti_candidate *c)
{
    cti_program_judge(c->p, c->x, c->r, c->work, &c->j);
    if (c->j.residual < c->best) {
        c->best = c->j.residual;
        cti_vec_copy(c->p->n, c->x, c->a->x);
        cti_vec_copy(c->p->m, c->r, c->a->r);
    }
    return c->j.residual;
}

/* ---- budgets ---- */

CTI_FN uint64_t cti_effort_now(const cti_effort *e) { return e->clock.now_us ? e->clock.now_us(e->clock.user) - e->clock.hidden : 0; }

CTI_FN int cti_effort_goes_on(cti_effort *e, int k, int own, const double *x, const double *r)
{
    int on;
    if (k >= (e->max_iterations > 0 ? e->max_iterations : own))
        return 0;
    if (e->seconds > 0 && e->clock.now_us && (double)(cti_effort_now(e) - e->clock.started) * 1e-6 > e->seconds)
        return 0;
    if (!e->watcher.watch || k < e->watcher.from)
        return 1;
    e->clock.turn = cti_effort_now(e);
    if (e->watcher.show)
        e->watcher.show(e->watcher.show_ctx);
    on = e->watcher.watch(e->watcher.user, k, x, r);
    e->clock.hidden += cti_effort_now(e) - e->clock.turn;
    return on;
}
