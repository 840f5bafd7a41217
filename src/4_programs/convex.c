/* convex.c -- the standard form of convex problems and its linear algebra.
   Method: two opposite rows become one equation; rows and columns are equilibrated (Ruiz 2001). If A is safely definite and there are fewer
   rows than unknowns, the Newton system is solved by the dense Schur complement J A^-1 J' + H, else by the sparse normal form A + rho + J'
   H^-1 J. rho and a lower bound on H are a proximal regularization about the iterate (Friedlander, Orban 2012): it changes the path but not
   the answer. */
#include "convex.h"
#include "../0_base/sort.h"
#include "certificate.h"
#include "../2_linalg/dense.h"

/* ---- the standard form ---- */

static const char *cti_convex_kind(const cti_program *p)
{
    if (cti_program_has_friction(p))
        return "interior point takes contacts without friction only: the law of Coulomb is no quadratic program";
    if (cti_program_is_dynamic(p))
        return NULL;
    return cti_sparse_asymmetry(&p->W, p->mu ? 3 : 1) > 1e-12 ? "interior point takes a symmetric W only" : NULL;
}

/* copies A, or W's normal rows, with a complete diagonal and exactly symmetric */
static int cti_convex_matrix(cti_convex *c, const cti_sparse *from, int stride)
{
    cti_triplets t;
    int i, k, ok = 1;
    memset(&t, 0, sizeof t);
    for (i = 0; ok && i < c->n; i++) {
        ok = cti_triplets_add(&c->arena->own, &t, i, i, 0);
        for (k = from->p[i * stride]; ok && k < from->p[i * stride + 1]; k++)
            if (from->i[k] % stride == 0)
                ok = cti_triplets_add(&c->arena->own, &t, i, from->i[k] / stride, 0.5 * from->x[k]) &&
                     cti_triplets_add(&c->arena->own, &t, from->i[k] / stride, i, 0.5 * from->x[k]);
    }
    return cti_triplets_close(&c->arena->own, &t, ok, c->n, c->n, &c->A);
}

static int cti_convex_rows_alloc(cti_convex *c, int m)
{
    c->w = CTI_ARENA_ZERO(c->arena, double, m);
    c->equation = CTI_ARENA_ZERO(c->arena, uint8_t, m);
    c->source = CTI_ARENA_ZERO(c->arena, int32_t, m);
    c->twin = CTI_ARENA_ZERO(c->arena, int32_t, m);
    return c->w && c->equation && c->source && c->twin;
}

/* a hash that equal and opposite rows share, since it uses the absolute values of J's entries */
static uint32_t cti_convex_row_hash(const cti_sparse *J, int i)
{
    uint32_t h = 2166136261u;
    int k;
    for (k = J->p[i]; k < J->p[i + 1]; k++)
        h = (h ^ (uint32_t)J->i[k]) * 16777619u;
    return h ^ (h >> 15);
}

static int cti_convex_opposite(const cti_program *p, int a, int b)
{
    int k, na = p->J.p[a + 1] - p->J.p[a], pa = p->J.p[a], pb = p->J.p[b];
    if (na != p->J.p[b + 1] - pb || p->w[a] != -p->w[b] || na == 0)
        return 0;
    for (k = 0; k < na; k++)
        if (p->J.i[pa + k] != p->J.i[pb + k] || p->J.x[pa + k] != -p->J.x[pb + k])
            return 0;
    return 1;
}

/* twin[i]: the opposite row that comes after i; -1: none; -2: i itself is such a later row. head and next: chains of equal hashes */
static int cti_convex_pairs(cti_convex *c, int32_t *twin)
{
    const cti_program *p = c->p;
    int i, k, size = 1;
    int32_t *head, *next;
    while (size < 2 * p->m + 2)
        size *= 2;
    head = CTI_ARENA_NEW(c->arena, int32_t, size);
    next = CTI_ARENA_NEW(c->arena, int32_t, p->m);
    if (!head || !next)
        return 0;
    for (i = 0; i < size; i++)
        head[i] = -1;
    for (i = 0; i < p->m; i++) {
        uint32_t h = cti_convex_row_hash(&p->J, i) & (uint32_t)(size - 1);
        int tries = 0;
        twin[i] = -1;
        if (p->equation && p->equation[i])
            continue;
        for (k = head[h]; k >= 0 && tries < 32; k = next[k], tries++)
            if (twin[k] == -1 && cti_convex_opposite(p, i, k)) {
                twin[k] = i, twin[i] = -2;
                break;
            }
        if (twin[i] == -1)
            next[i] = head[h], head[h] = i;
    }
    return 1;
}

/* the rows of a QP or of contacts without friction */
static int cti_convex_rows(cti_convex *c)
{
    const cti_program *p = c->p;
    int stride = p->mu ? 3 : 1, i, k, ok = 1, n = 0;
    int32_t *twin = CTI_ARENA_NEW(c->arena, int32_t, p->m);
    cti_triplets t;
    memset(&t, 0, sizeof t);
    if (!twin || !cti_convex_rows_alloc(c, p->m) || !cti_convex_pairs(c, twin))
        return 0;
    for (i = 0; ok && i < p->m; i += stride) {
        int pair = !p->mu && twin[i] >= 0;
        if (!p->mu && twin[i] == -2)
            continue;
        c->w[n] = p->w[i], c->source[n] = i, c->twin[n] = pair ? twin[i] : -1;
        c->equation[n] = (uint8_t)(pair || (p->equation && p->equation[i]));
        for (k = p->J.p[i]; ok && k < p->J.p[i + 1]; k++)
            ok = cti_triplets_add(&c->arena->own, &t, n, p->J.i[k], p->J.x[k]);
        n++;
    }
    c->m = n;
    return cti_triplets_close(&c->arena->own, &t, ok, n, p->n, &c->J);
}

/* the rows lo <= x <= hi of the dual of an LCP */
static int cti_convex_bounds(cti_convex *c)
{
    const cti_program *p = c->p;
    int i, k, ok = 1, n = 0, stride = p->mu ? 3 : 1;
    cti_triplets t;
    memset(&t, 0, sizeof t);
    if (!cti_convex_rows_alloc(c, 2 * c->n))
        return 0;
    for (i = 0; i < c->n; i++) {
        double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY;
        for (k = 0; ok && k < 2; k++) {
            if (!cti_finite64(k ? hi : lo) || (k && lo == hi))
                continue;
            ok = cti_triplets_add(&c->arena->own, &t, n, i, k ? -1 : 1);
            c->w[n] = k ? hi : -lo, c->source[n] = i * stride, c->twin[n] = k, c->equation[n] = lo == hi;
            n++;
        }
    }
    c->m = n;
    return cti_triplets_close(&c->arena->own, &t, ok, n, c->n, &c->J);
}

/* ---- equilibration ---- */

/* one pass of equilibration: each row and column of [A J'; J 0] is divided by the root of its largest entry */
static void cti_convex_equilibrate_once(cti_convex *c, double *most_x, double *most_y)
{
    int i, k;
    cti_vec_zero(c->n, most_x), cti_vec_zero(c->m, most_y);
    for (i = 0; i < c->n; i++)
        for (k = c->A.p[i]; k < c->A.p[i + 1]; k++)
            most_x[i] = cti_fmax(most_x[i], fabs(c->A.x[k]));
    for (i = 0; i < c->m; i++)
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++) {
            most_x[c->J.i[k]] = cti_fmax(most_x[c->J.i[k]], fabs(c->J.x[k]));
            most_y[i] = cti_fmax(most_y[i], fabs(c->J.x[k]));
        }
    for (i = 0; i < c->n; i++)
        most_x[i] = most_x[i] > 0 ? 1 / sqrt(most_x[i]) : 1, c->column[i] *= most_x[i], c->b[i] *= most_x[i];
    for (i = 0; i < c->m; i++)
        most_y[i] = most_y[i] > 0 ? 1 / sqrt(most_y[i]) : 1, c->line[i] *= most_y[i], c->w[i] *= most_y[i];
    for (i = 0; i < c->n; i++)
        for (k = c->A.p[i]; k < c->A.p[i + 1]; k++)
            c->A.x[k] *= most_x[i] * most_x[c->A.i[k]];
    for (i = 0; i < c->m; i++)
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++)
            c->J.x[k] *= most_y[i] * most_x[c->J.i[k]];
}

static int cti_convex_equilibrate(cti_convex *c)
{
    int i, pass;
    double big = 0;
    double *most_x = CTI_ARENA_NEW(c->arena, double, c->n), *most_y = CTI_ARENA_NEW(c->arena, double, c->m);
    c->column = CTI_ARENA_NEW(c->arena, double, c->n), c->line = CTI_ARENA_NEW(c->arena, double, c->m);
    if (!most_x || !most_y || !c->column || !c->line)
        return 0;
    for (i = 0; i < c->n; i++)
        c->column[i] = 1;
    for (i = 0; i < c->m; i++)
        c->line[i] = 1;
    for (pass = 0; pass < 10; pass++)
        cti_convex_equilibrate_once(c, most_x, most_y);
    for (i = 0; i < c->A.p[c->n]; i++)
        big = cti_fmax(big, fabs(c->A.x[i]));
    c->cost = big > 0 ? 1 / big : 1;
    for (i = 0; i < c->A.p[c->n]; i++)
        c->A.x[i] *= c->cost;
    for (i = 0; i < c->n; i++)
        c->b[i] *= c->cost;
    return 1;
}

/* ---- the normal form ---- */

/* the pattern of A + J'J and the position of every term in it */
static const char *cti_convex_normal(cti_convex *c)
{
    cti_triplets t;
    double products = 0;
    int i, k, l, ok = 1, n = 0;
    memset(&t, 0, sizeof t);
    for (i = 0; i < c->m; i++)
        products += (double)(c->J.p[i + 1] - c->J.p[i]) * (c->J.p[i + 1] - c->J.p[i]);
    if (products > cti_program_tuned.convex.products)
        return "the rows are too dense for the normal form, and A is not definite or the rows are too many for the Schur complement";
    for (i = 0; i < c->n; i++)
        for (k = c->A.p[i]; ok && k < c->A.p[i + 1]; k++)
            ok = cti_triplets_add(&c->arena->own, &t, i, c->A.i[k], 0);
    for (i = 0; i < c->m; i++)
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++)
            for (l = c->J.p[i]; ok && l < c->J.p[i + 1]; l++)
                ok = cti_triplets_add(&c->arena->own, &t, c->J.i[k], c->J.i[l], 0);
    ok = cti_triplets_close(&c->arena->own, &t, ok, c->n, c->n, &c->kkt.N);
    c->kkt.slot = CTI_ARENA_NEW(c->arena, int32_t, (double)c->A.p[c->n] + products);
    if (!ok || !c->kkt.slot)
        return "";
    for (i = 0; i < c->n; i++)
        for (k = c->A.p[i]; k < c->A.p[i + 1]; k++)
            c->kkt.slot[n++] = cti_sort_find(c->kkt.N.i, 1, c->kkt.N.p[i], c->kkt.N.p[i + 1], c->A.i[k]);
    for (i = 0; i < c->m; i++)
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++)
            for (l = c->J.p[i]; l < c->J.p[i + 1]; l++)
                c->kkt.slot[n++] = cti_sort_find(c->kkt.N.i, 1, c->kkt.N.p[c->J.i[k]], c->kkt.N.p[c->J.i[k] + 1], c->J.i[l]);
    return cti_scalar_open(&c->arena->own, &c->kkt.system, &c->kkt.N) ? NULL : "";
}

static int cti_convex_normal_factor(cti_convex *c)
{
    int i, k, l, n = 0;
    if (c->n == 0)
        return 1;
    cti_vec_zero(c->kkt.N.p[c->n], c->kkt.N.x);
    for (i = 0; i < c->n; i++)
        for (k = c->A.p[i]; k < c->A.p[i + 1]; k++)
            c->kkt.N.x[c->kkt.slot[n++]] += c->A.x[k] + (c->A.i[k] == i ? c->kkt.rho : 0);
    for (i = 0; i < c->m; i++)
        for (k = c->J.p[i]; k < c->J.p[i + 1]; k++)
            for (l = c->J.p[i]; l < c->J.p[i + 1]; l++)
                c->kkt.N.x[c->kkt.slot[n++]] += c->J.x[k] * c->kkt.D[i] * c->J.x[l];
    return cti_scalar_factor(&c->arena->own, &c->kkt.system);
}

/* ---- the Schur complement ---- */

/* factors A and computes W; 0 when A is not definite enough, -1 when memory ran out */
static int cti_convex_schur(cti_convex *c)
{
    int i;
    if (!cti_scalar_open(&c->arena->own, &c->kkt.system, &c->A) || !cti_scalar_factor(&c->arena->own, &c->kkt.system))
        return -1;
    if (c->kkt.system.boosted || cti_scalar_pivot(&c->kkt.system) < cti_program_tuned.convex.pivot) {
        cti_scalar_close(&c->arena->own, &c->kkt.system);
        return 0;
    }
    c->kkt.ld = ((c->m + 7) & ~7) + 8;
    c->kkt.W = CTI_ARENA_ZERO(c->arena, double, (size_t)c->kkt.ld *(size_t)c->m);
    c->kkt.F = CTI_ARENA_ZERO(c->arena, double, (size_t)c->kkt.ld *(size_t)c->m);
    if (!c->kkt.W || !c->kkt.F || !cti_scalar_schur(&c->kkt.system, c->arena, &c->J, c->kkt.W, c->kkt.ld))
        return -1;
    for (i = 0; i < c->m; i++)
        c->kkt.delta[i] = 1e-13 * c->kkt.W[cti_index(i, c->kkt.ld, i)] + 1e-300;
    c->kkt.rho = 0, c->kkt.dense = 1;
    return 1;
}

static const char *cti_convex_algebra(cti_convex *c)
{
    double **const of_m[] = {&c->kkt.delta, &c->kkt.H, &c->kkt.D, &c->kkt.g1}, **const of_n[] = {&c->kkt.f1, &c->kkt.t};
    int i, got = 0;
    if (!CTI_ARENA_VECTORS(c->arena, c->m, of_m) || !CTI_ARENA_VECTORS(c->arena, c->n, of_n))
        return "";
    if (c->n && c->m < c->n && c->m <= cti_program_tuned.convex.dense)
        got = cti_convex_schur(c);
    if (got)
        return got < 0 ? "" : NULL;
    got = cti_scalar_is_convex(c->arena, &c->A);
    if (got <= 0)
        return got < 0 ? "" : "the quadratic form is not convex";
    c->kkt.rho = 1e-9;
    for (i = 0; i < c->m; i++)
        c->kkt.delta[i] = c->equation[i] ? 1e-10 : 1e-15;
    return cti_convex_normal(c);
}

CTI_FN const char *cti_convex_open(cti_convex *c, const cti_program *p, int algebra, cti_arena *arena)
{
    const char *wrong = cti_convex_kind(p);
    int i, stride = p->mu ? 3 : 1;
    if (wrong)
        return wrong;
    c->p = p, c->arena = arena;
    c->dual = !cti_program_is_dynamic(p);
    c->n = c->dual ? p->m / stride : p->n;
    c->b = CTI_ARENA_ZERO(arena, double, c->n);
    if (!c->b || !cti_convex_matrix(c, c->dual ? &p->W : &p->A, c->dual ? stride : 1))
        return "";
    for (i = 0; i < c->n; i++)
        c->b[i] = c->dual ? -p->w[i * stride] : p->b[i];
    if (!(c->dual ? cti_convex_bounds(c) : cti_convex_rows(c)) || !cti_convex_equilibrate(c))
        return "";
    return algebra ? cti_convex_algebra(c) : NULL;
}

/* ---- Newton systems ---- */

CTI_FN int cti_convex_factor(cti_convex *c, const double *H)
{
    int i, j;
    for (i = 0; i < c->m; i++)
        c->kkt.H[i] = H[i], c->kkt.D[i] = 1 / H[i];
    if (!c->kkt.dense)
        return cti_convex_normal_factor(c);
    for (i = 0; i < c->m; i++) {
        double *row = c->kkt.F + (size_t)i * (size_t)c->kkt.ld;
        for (j = i; j < c->m; j++)
            row[j] = c->kkt.W[cti_index(i, c->kkt.ld, j)];
        row[i] += H[i];
    }
    cti_dense64_factor(c->kkt.F, c->m, c->kkt.ld);
    return 1;
}

/* computes dx, dy with the factor alone, without refinement */
static void cti_convex_apply(cti_convex *c, const double *f, const double *g, double *dx, double *dy)
{
    int i;
    cti_vec_copy(c->n, f, dx);
    if (c->kkt.dense) {
        cti_scalar_solve(&c->kkt.system, dx, 0);
        cti_sparse_mul(&c->J, dx, dy);
        for (i = 0; i < c->m; i++)
            dy[i] = g[i] - dy[i];
        cti_dense64_solve(c->kkt.F, c->m, c->kkt.ld, dy);
        cti_vec_copy(c->n, f, dx);
        cti_sparse_addmul_t(&c->J, dy, dx);
        cti_scalar_solve(&c->kkt.system, dx, 0);
        return;
    }
    for (i = 0; i < c->m; i++)
        dy[i] = c->kkt.D[i] * g[i];
    cti_sparse_addmul_t(&c->J, dy, dx);
    cti_scalar_solve(&c->kkt.system, dx, 0);
    cti_sparse_mul(&c->J, dx, dy);
    for (i = 0; i < c->m; i++)
        dy[i] = c->kkt.D[i] * (g[i] - dy[i]);
}

/* f1, g1: residual of dx, dy; returns its size relative to f and g */
static double cti_convex_left(cti_convex *c, const double *f, const double *g, const double *dx, const double *dy)
{
    double part_f = 0, part_g = 0, most_f = 0, most_g = 0;
    int i;
    cti_vec_zero(c->n, c->kkt.t);
    cti_sparse_addmul_t(&c->J, dy, c->kkt.t);
    cti_sparse_mul(&c->A, dx, c->kkt.f1);
    for (i = 0; i < c->n; i++) {
        c->kkt.f1[i] = f[i] - c->kkt.f1[i] - c->kkt.rho * dx[i] + c->kkt.t[i];
        part_f = cti_fmax(part_f, fabs(c->kkt.f1[i])), most_f = cti_fmax(most_f, cti_fmax(fabs(f[i]), fabs(c->kkt.t[i])));
    }
    cti_sparse_mul(&c->J, dx, c->kkt.g1);
    for (i = 0; i < c->m; i++) {
        double Hy = c->kkt.H[i] * dy[i];
        most_g = cti_fmax(most_g, cti_fmax(fabs(g[i]), fabs(c->kkt.g1[i])));
        c->kkt.g1[i] = g[i] - c->kkt.g1[i] - Hy;
        part_g = cti_fmax(part_g, fabs(c->kkt.g1[i]));
    }
    return cti_fmax(most_f > 0 ? part_f / most_f : 0, most_g > 0 ? part_g / most_g : 0);
}

CTI_FN void cti_convex_solve(cti_convex *c, const double *f, const double *g, double *dx, double *dy)
{
    cti_arena_point mark = cti_arena_mark(c->arena);
    double *ex = CTI_ARENA_NEW(c->arena, double, c->n), *ey = CTI_ARENA_NEW(c->arena, double, c->m), left, next;
    int it;
    cti_convex_apply(c, f, g, dx, dy);
    left = ex && ey ? cti_convex_left(c, f, g, dx, dy) : 0;
    for (it = 0; it < 4 && left > 1e-13; it++) {
        cti_convex_apply(c, c->kkt.f1, c->kkt.g1, ex, ey);
        cti_vec_add(c->n, 1, ex, dx);
        cti_vec_add(c->m, 1, ey, dy);
        next = cti_convex_left(c, f, g, dx, dy);
        if (!(next < left)) {
            cti_vec_add(c->n, -1, ex, dx);
            cti_vec_add(c->m, -1, ey, dy);
            break;
        }
        if (next > 0.3 * left)
            break;
        left = next;
    }
    cti_arena_rewind(c->arena, mark);
}

/* ---- answers ---- */

static void cti_convex_answer_dual(const cti_convex *c, const double *x, double *out_u, double *out_r)
{
    const cti_program *p = c->p;
    int i, stride = p->mu ? 3 : 1;
    cti_vec_zero(p->m, out_r);
    for (i = 0; i < c->n; i++) {
        double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY, r = c->column[i] * x[i];
        out_r[i * stride] = r < lo ? lo : (r > hi ? hi : r);
    }
    cti_program_u(p, NULL, out_r, out_u);
}

CTI_FN void cti_convex_answer(const cti_convex *c, const double *x, const double *y, double *out_x, double *out_r)
{
    int i;
    if (c->dual) {
        cti_convex_answer_dual(c, x, out_x, out_r);
        return;
    }
    cti_vec_zero(c->p->m, out_r);
    for (i = 0; i < c->n; i++)
        out_x[i] = c->column[i] * x[i];
    for (i = 0; i < c->m; i++) {
        double r = c->line[i] / c->cost * y[i];
        if (c->twin[i] >= 0 && r < 0)
            out_r[c->twin[i]] = -r;
        else
            out_r[c->source[i]] = r;
    }
}

CTI_FN int cti_convex_certify(cti_convex *c, const double *y, double *out_x, double *out_r)
{
    const cti_program *p = c->p;
    cti_arena_point mark = cti_arena_mark(c->arena);
    double *zero = CTI_ARENA_ZERO(c->arena, double, c->n), *x = CTI_ARENA_NEW(c->arena, double, p->n);
    double *r = CTI_ARENA_NEW(c->arena, double, p->m), *work = cti_judge_work(c->arena, p);
    int found = -1;
    if (zero && x && r && work) {
        cti_convex_answer(c, zero, y, x, r);
        found = cti_program_certify_sharp(p, r, work);
        if (found) {
            cti_vec_copy(p->m, r, out_r);
            cti_vec_copy(p->n, x, out_x);
        }
    }
    cti_arena_rewind(c->arena, mark);
    return found;
}
