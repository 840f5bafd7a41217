/* merged.c -- a direct solver of K x = f, K = A + J'HJ, by supernodes.
   Method: one pattern, of the blocks that A couples and of those that a row touches together, is analyzed once; then K is factored by
   supernodal.h, in double: H is up to 1e8 times as stiff as A. Rows that are open stay in the pattern. Most Newton steps change H in a few rows
   (a contact closes, another one opens or slides). The factor of an earlier H, K_0 = L L', is kept then, and the directions of contacts that changed,
   the columns of U, are added by the formula of Woodbury 1950 with Z = K_0^-1 U:
       K_1^-1 = K_0^-1 - Z (I + C U'Z)^-1 C Z',   K_1 = K_0 + U C U',   C: what H changed by in these directions.
   Rows that changed by little are not among them; conjugate gradients on K, preconditioned by K_1, account for those. */
#include "augmented.h"
#include "solve_policy.h"
#include "../2_linalg/lu.h"
#include "../2_linalg/supernodal.h"

typedef struct cti_merged {
    const cti_jacobian *J;
    cti_mem mem; /* of the arena */
    cti_bsr shape;
    cti_symbolic symbolic;
    cti_gather gather;
    cti_factor64 factor;
    int32_t *from; /* [slots of A] slot in `shape` */
    int32_t *at;   /* slot in `shape` of each pair of terms of each row, row by row */
    double *val, *work;
    double *H, *H_made;      /* [9 rows] of K, and of K_0 */
    int32_t *column, *of;    /* [3 rows] column of U of a row's direction, or -1; [most] its inverse: 3 row + direction */
    double *Z;               /* [most][3 n] */
    double *UZ, *C, *lu;     /* [most][ld] U'Z, C, I + C U'Z factored */
    int *pivot;              /* [most] of that */
    double *many, *scratch;  /* [3 n][ld] new columns; of cti_factor64_solve_many and cti_lu_factor */
    double *f, *r, *z, *q, *d; /* [3 n] of conjugate gradients */
    double *w, *t;           /* [ld] */
    int made, n_columns, most, ld;
} cti_merged;

/* out [3 n] with a stride += column c of U, unless NULL; returns U_c'y, 0 if y is NULL */
static double cti_merged_direction(const cti_merged *m, int c, const double *y, double *out, int stride)
{
    int row = m->of[c] / 3, k, a;
    const cti_row *q = &m->J->p->rows[row];
    const double *u = m->J->Gt + 9 * (size_t)m->J->first[row] + m->of[c] % 3;
    double sum = 0;
    for (k = 0; k < q->n; k++)
        for (a = 0; a < 3; a++, u += 3) {
            size_t at = 3 * (size_t)q->term[k].block + (size_t)a;
            sum += y ? *u * y[at] : 0;
            if (out)
                out[at * (size_t)stride] += *u;
        }
    return sum;
}

/* x = K_1^-1 x */
static void cti_merged_apply(const cti_merged *m, double *x)
{
    int i, c, d, n3 = 3 * m->shape.n;
    cti_factor64_solve(&m->factor, x, m->work);
    for (c = 0; c < m->n_columns; c++)
        m->w[c] = cti_merged_direction(m, c, x, NULL, 0);
    for (c = 0; c < m->n_columns; c++)
        for (m->t[c] = 0, d = 0; d < m->n_columns; d++)
            m->t[c] += m->C[c * m->ld + d] * m->w[d];
    if (m->n_columns)
        cti_lu_solve(m->lu, m->n_columns, m->ld, m->pivot, m->t);
    for (c = 0; c < m->n_columns; c++)
        for (i = 0; i < n3; i++)
            x[i] -= m->t[c] * m->Z[(size_t)c * (size_t)n3 + (size_t)i];
}

/* K_0 = K. 0: out of memory */
static int cti_merged_renew(cti_merged *m)
{
    int i;
    memcpy(m->H_made, m->H, sizeof *m->H * 9 * (size_t)m->J->p->n_rows);
    for (i = 0; i < 3 * m->J->p->n_rows; i++)
        m->column[i] = -1;
    m->n_columns = 0, m->made = 1;
    return cti_factor64_compute_double(&m->mem, &m->factor, &m->symbolic, &m->gather, m->val);
}

/* Numbers the directions that changed since K_0 and have no column, of[n_columns] on. Returns how many, or -1 where columns would cost more than a
   factor */
static int cti_merged_changes(cti_merged *m)
{
    const cti_problem *p = m->J->p;
    int i, a, b, fresh = 0;
    for (i = 0; i < 3 * p->n_rows; i++) {
        const double *H = m->H + 3 * (size_t)i, *made = m->H_made + 3 * (size_t)i;
        double local = (double)p->local[i], much = cti_solve_tuned.augmented.changed * (1 + made[i % 3] * local);
        for (a = 0, b = 0; b < 3; b++)
            a |= fabs(H[b] - made[b]) * local > much;
        if (!a || m->column[i] >= 0)
            continue;
        if (m->n_columns + fresh >= m->most)
            return -1;
        m->of[m->n_columns + fresh++] = i;
    }
    return fresh;
}

/* K_1 of H, from K_0. 0: it would cost more than a factor, or is singular */
static int cti_merged_add(cti_merged *m)
{
    int fresh = cti_merged_changes(m), first = m->n_columns, n3 = 3 * m->shape.n, pad = cti_pad8(fresh), ld = m->ld, c, d, i, k;
    if (fresh < 0)
        return 0;
    if (fresh)
        memset(m->many, 0, sizeof *m->many * (size_t)n3 * (size_t)pad);
    for (c = 0; c < fresh; c++)
        m->column[m->of[first + c]] = first + c, cti_merged_direction(m, first + c, NULL, m->many + c, pad);
    if (fresh)
        cti_factor64_solve_many(&m->factor, m->many, fresh, m->scratch);
    k = m->n_columns += fresh;
    for (c = first; c < k; c++) {
        double *z = m->Z + (size_t)c * (size_t)n3;
        for (i = 0; i < n3; i++)
            z[i] = m->many[(size_t)i * (size_t)pad + (size_t)(c - first)];
        for (d = 0; d < k; d++)
            m->UZ[c * ld + d] = m->UZ[d * ld + c] = cti_merged_direction(m, d, z, NULL, 0);
    }
    for (c = 0; c < k; c++)
        for (memset(m->C + c * ld, 0, sizeof *m->C * (size_t)k), i = 0; i < 3; i++)
            if ((d = m->column[m->of[c] / 3 * 3 + i]) >= 0)
                m->C[c * ld + d] = m->H[3 * m->of[c] + i] - m->H_made[3 * m->of[c] + i];
    for (c = 0; c < k; c++)
        for (d = 0; d < k; d++)
            for (m->lu[c * ld + d] = c == d, i = 0; i < k; i++)
                m->lu[c * ld + d] += m->C[c * ld + i] * m->UZ[i * ld + d];
    return !k || cti_lu_factor(m->lu, k, ld, m->pivot, m->scratch);
}

static int cti_merged_factor(void *ctx, const double *H)
{
    cti_merged *m = (cti_merged *)ctx;
    const cti_problem *p = m->J->p;
    const cti_bsr *A = p->A;
    const int32_t *at = m->at;
    double K[9 * CTI_ROW_TERMS * CTI_ROW_TERMS];
    int i, k, a;
    memset(m->val, 0, sizeof *m->val * 9 * (size_t)m->shape.row[m->shape.n]);
    for (k = 0; k < A->row[A->n]; k++)
        for (a = 0; a < 9; a++)
            m->val[9 * (size_t)m->from[k] + (size_t)a] = (double)A->val[9 * (size_t)k + (size_t)a];
    for (i = 0; i < p->n_rows; at += p->rows[i].n * p->rows[i].n, i++) {
        int pairs = cti_jacobian_stiffness(m->J, i, H + 9 * (size_t)i, K);
        for (k = 0; k < pairs; k++)
            for (a = 0; a < 9; a++)
                m->val[9 * (size_t)at[k] + (size_t)a] += K[9 * k + a];
    }
    memcpy(m->H, H, sizeof *H * 9 * (size_t)p->n_rows);
    return (m->made && cti_merged_add(m)) || cti_merged_renew(m);
}

/* y = K x. Returns x'y */
static double cti_merged_multiply(const cti_merged *m, const double *x, double *y)
{
    int i, k, a;
    for (i = 0; i < m->shape.n; i++)
        for (a = 0; a < 3; a++) {
            double sum = 0;
            for (k = m->shape.row[i]; k < m->shape.row[i + 1]; k++) {
                const double *K = m->val + 9 * (size_t)k + 3 * a, *z = x + 3 * (size_t)m->shape.col[k];
                sum += K[0] * z[0] + K[1] * z[1] + K[2] * z[2];
            }
            y[3 * i + a] = sum;
        }
    return cti_dot(3 * m->shape.n, x, y);
}

/* r'D^-1 r, D the diagonal of K */
static double cti_merged_size(const cti_merged *m, const double *r)
{
    double sum = 0;
    int i;
    for (i = 0; i < 3 * m->shape.n; i++)
        sum += r[i] * r[i] / m->val[9 * (size_t)m->shape.diag[i / 3] + 4 * (size_t)(i % 3)];
    return sum;
}

static int cti_merged_solve(void *ctx, double *x, int rough)
{
    cti_merged *m = (cti_merged *)ctx;
    int n3 = 3 * m->shape.n, i, k;
    double rz = 0, enough;
    if (rough || (!m->n_columns && !memcmp(m->H, m->H_made, sizeof *m->H * 9 * (size_t)m->J->p->n_rows))) {
        cti_merged_apply(m, x);
        return 1;
    }
    memcpy(m->f, x, sizeof *x * (size_t)n3), memcpy(m->r, x, sizeof *x * (size_t)n3);
    memset(x, 0, sizeof *x * (size_t)n3), memset(m->d, 0, sizeof *x * (size_t)n3);
    enough = cti_solve_tuned.augmented.refine * cti_solve_tuned.augmented.refine * cti_merged_size(m, m->r);
    if (!(enough > 0))
        return 1;
    for (k = 0; k < cti_solve_tuned.augmented.refinements; k++) {
        double last = rz, along;
        memcpy(m->z, m->r, sizeof *x * (size_t)n3);
        cti_merged_apply(m, m->z);
        rz = cti_dot(n3, m->r, m->z);
        if (!(rz > 0)) /* K_1 is not definite */
            break;
        for (i = 0; i < n3; i++)
            m->d[i] = m->z[i] + (k ? rz / last : 0) * m->d[i];
        along = rz / cti_merged_multiply(m, m->d, m->q);
        for (i = 0; i < n3; i++)
            x[i] += along * m->d[i], m->r[i] -= along * m->q[i];
        if (cti_merged_size(m, m->r) <= enough)
            return 1;
    }
    /* K has gone too far from K_1 */
    memcpy(x, m->f, sizeof *x * (size_t)n3);
    if (!cti_merged_renew(m))
        return 0;
    cti_merged_apply(m, x);
    return 1;
}

/* memory of columns and conjugate gradients. 0: there is none left */
static int cti_merged_open(cti_merged *m, cti_arena *arena)
{
    size_t n3 = 3 * (size_t)m->shape.n, slots = (size_t)m->shape.row[m->shape.n], rows = (size_t)m->J->p->n_rows;
    size_t most, ld, scratch = cti_factor64_many_work(&m->factor);
    m->most = (int)(m->symbolic.flops / (cti_solve_tuned.augmented.columns * m->symbolic.nonzeros));
    most = (size_t)m->most, m->ld = cti_pad8(m->most), ld = (size_t)m->ld;
    if (scratch < cti_lu_scratch(m->most))
        scratch = cti_lu_scratch(m->most);
    m->H = CTI_ARENA_NEW(arena, double, 18 * rows), m->column = CTI_ARENA_NEW(arena, int32_t, 3 * rows + most);
    m->Z = CTI_ARENA_NEW(arena, double, n3 * (most + ld + 5)), m->UZ = CTI_ARENA_NEW(arena, double, 3 * most * ld + 2 * ld);
    m->val = CTI_ARENA_NEW(arena, double, 9 * slots), m->work = CTI_ARENA_NEW(arena, double, cti_factor64_work(&m->factor));
    m->pivot = CTI_ARENA_NEW(arena, int, most), m->scratch = CTI_ARENA_NEW(arena, double, scratch);
    if (!m->val || !m->work || !m->H || !m->column || !m->Z || !m->UZ || !m->pivot || !m->scratch)
        return 0;
    m->H_made = m->H + 9 * rows, m->of = m->column + 3 * rows, m->many = m->Z + n3 * most;
    m->r = m->many + n3 * ld, m->z = m->r + n3, m->q = m->z + n3, m->d = m->q + n3, m->f = m->d + n3;
    m->C = m->UZ + most * ld, m->lu = m->C + most * ld, m->w = m->lu + most * ld, m->t = m->w + ld;
    return 1;
}

/* the pattern. 0: out of memory */
static int cti_merged_pattern(cti_merged *m)
{
    const cti_problem *p = m->J->p;
    const cti_bsr *A = p->A;
    int32_t *pairs = NULL;
    int i, k, l, count = 0, ok, slots = 0;
    for (i = 0; i < p->n_rows; i++)
        slots += p->rows[i].n * p->rows[i].n;
    if (!CTI_RESIZE(&m->mem, m->from, A->row[A->n]) || !CTI_RESIZE(&m->mem, m->at, slots) || !CTI_RESIZE(&m->mem, pairs, 2 * (A->row[A->n] + slots)))
        return 0;
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++, count++)
            pairs[2 * count] = i, pairs[2 * count + 1] = A->col[k];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++)
            for (l = 0; l < p->rows[i].n; l++, count++)
                pairs[2 * count] = p->rows[i].term[k].block, pairs[2 * count + 1] = p->rows[i].term[l].block;
    ok = cti_bsr_shape(&m->mem, &m->shape, A->n, pairs, count);
    for (i = 0; ok && i < A->row[A->n]; i++)
        m->from[i] = cti_bsr_slot(&m->shape, pairs[2 * i], pairs[2 * i + 1]);
    for (i = 0; ok && i < slots; i++)
        m->at[i] = cti_bsr_slot(&m->shape, pairs[2 * (A->row[A->n] + i)], pairs[2 * (A->row[A->n] + i) + 1]);
    return ok;
}

CTI_FN int cti_merged_make(const cti_jacobian *J, double most, cti_arena *arena, cti_linear *out)
{
    cti_merged *m = CTI_ARENA_ZERO(arena, cti_merged, 1);
    int n = J->p->A->n, i;
    int32_t *all = CTI_ARENA_NEW(arena, int32_t, n);
    if (!m || !all)
        return 0;
    for (i = 0; i < n; i++)
        all[i] = i;
    m->J = J;
    cti_arena_mem(arena, &m->mem);
    if (!cti_merged_pattern(m) || !cti_symbolic_analyze_once(&m->mem, &m->symbolic, &m->shape, all, n))
        return 0;
    out->flops = m->symbolic.flops / 2;
    out->factor = cti_merged_factor, out->solve = cti_merged_solve, out->ctx = m;
    return out->flops > most || (cti_gather_make(&m->mem, &m->gather, &m->symbolic, &m->shape, all) &&
                                 cti_factor64_reserve(&m->mem, &m->factor, &m->symbolic) && cti_merged_open(m, arena));
}
