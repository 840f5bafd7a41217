/* dcd_solve.c -- the quadratic program of a step, for MPRGP.
   Method: the unknowns are the velocities of the step, v = (x - x^i) / dt, so that A and b are h^2 times those of equations 6 and 7 and the program
   is equation 9 with the same solution. A stays in blocks, of which the upper half is read. The rows are decoupled (section 5), so that a projection
   takes one division a row. Programs with coupled rows are solved for the multipliers (equation 2).
   differs: solved for is the difference to the mean velocity of each body, and the tolerance is relative to the largest term in the gradient of the
   same body. So neither a velocity that all bodies have in common nor a heavy or fast body elsewhere hides a light one at rest.
   Based on: Li et al. 2015, sections 3.2, 4, 5 and 6.1 (power method warm started from the last step). */
#include "dcd.h"
#include "../4_programs/mprgp.h"

/* The program is scaled by the 3x3 diagonal blocks A_ii = L_i L_i': with y_i = L_i' v_i the matrix has unit diagonal blocks and a norm of a
   few. Rows that touch no block twice stay orthogonal. So Jacobi's preconditioner (section 6.1) also serves expansion and proportioning,
   whose fixed step length depends on the norm. */
typedef struct cti_dcd_matrix {
    const cti_bsr *A;
    double *R;      /* [9 n] are inverses of L_i */
    int32_t *p, *i; /* list blocks above the diagonal by rows; also half of cti_dcd_identity_error where a diagonal block has no Cholesky factor */
    double *x;      /* are R_i A_ij R_j' */
    const cti_dcd_transform *T; /* is the change of unknowns by pivots; NULL: there is none */
    double *u;             /* [3 n] is scratch with T */
    const cti_sparse *J;   /* is that of the set */
} cti_dcd_matrix;

/* sets R = L^-1 of D = L L'. 0: the block is not positive definite, and R is that of its diagonal */
static int cti_dcd_cholesky(const ct_real *D, double *R)
{
    double a = (double)D[0], b = (double)D[3], c = (double)D[4], d = (double)D[6], e = (double)D[7], f = (double)D[8], l0, l1, l2, m, n, o;
    memset(R, 0, sizeof *R * 9);
    l0 = sqrt(a), m = b / l0, n = d / l0;
    l1 = sqrt(c - m * m), o = (e - n * m) / l1;
    l2 = sqrt(f - n * n - o * o);
    if (!(l0 > 0) || !(l1 > 0) || !(l2 > 1e-7 * sqrt(f))) {
        R[0] = a > 0 ? 1 / sqrt(a) : 1, R[4] = c > 0 ? 1 / sqrt(c) : 1, R[8] = f > 0 ? 1 / sqrt(f) : 1;
        return 0;
    }
    R[0] = 1 / l0, R[4] = 1 / l1, R[8] = 1 / l2;
    R[3] = -m * R[0] * R[4], R[7] = -o * R[4] * R[8], R[6] = -(n * R[0] + o * R[3]) * R[8];
    return 1;
}

/* sets out = R M S' */
static void cti_dcd_scale(const double *R, const ct_real *M, const double *S, double *out)
{
    double t[9];
    int r, c;
    for (r = 0; r < 3; r++)
        for (c = 0; c < 3; c++)
            t[3 * r + c] = R[3 * r] * (double)M[c] + R[3 * r + 1] * (double)M[3 + c] + R[3 * r + 2] * (double)M[6 + c];
    for (r = 0; r < 3; r++)
        for (c = 0; c < 3; c++)
            out[3 * r + c] = t[3 * r] * S[3 * c] + t[3 * r + 1] * S[3 * c + 1] + t[3 * r + 2] * S[3 * c + 2];
}

static void cti_dcd_times_R(const double *R, const double *x, double *out)
{
    double a = x[0], b = x[1], c = x[2];
    out[0] = R[0] * a, out[1] = R[3] * a + R[4] * b, out[2] = R[6] * a + R[7] * b + R[8] * c;
}

static void cti_dcd_times_Rt(const double *R, const double *x, double *out)
{
    double a = x[0], b = x[1], c = x[2];
    out[0] = R[0] * a + R[3] * b + R[6] * c, out[1] = R[4] * b + R[7] * c, out[2] = R[8] * c;
}

/* sets out = R_b A_bb R_b' - 1: zero where the block has a factor */
static void cti_dcd_identity_error(const cti_dcd_matrix *m, int b, const ct_real *block, double *out)
{
    const double *R = m->R + 9 * (size_t)b;
    cti_dcd_scale(R, block, R, out);
    out[0] -= 1, out[4] -= 1, out[8] -= 1;
}

/* collects the blocks above the diagonal. 0: out of memory */
static int cti_dcd_matrix_half(const cti_state *s, cti_dcd_matrix *m, const double *lack, int n_lacking)
{
    const cti_bsr *A = m->A;
    int b, k, e, at = 0, n = (A->row[A->n] - A->n) / 2 + n_lacking;
    m->p = CTI_ARENA_NEW(s->arena, int32_t, A->n + 1), m->i = CTI_ARENA_NEW(s->arena, int32_t, n);
    m->x = CTI_ARENA_NEW(s->arena, double, 9 * (size_t)n);
    if (!m->p || !m->i || !m->x)
        return 0;
    m->p[0] = 0;
    for (b = 0; b < A->n; b++) {
        if (lack[9 * (size_t)b] != 0 || lack[9 * (size_t)b + 1] != 0 || lack[9 * (size_t)b + 2] != 0 || lack[9 * (size_t)b + 5] != 0) {
            for (e = 0; e < 9; e++)
                m->x[9 * (size_t)at + (size_t)e] = lack[9 * (size_t)b + (size_t)e] / 2;
            m->i[at++] = b;
        }
        for (k = A->diag[b] + 1; k < A->row[b + 1]; k++, at++) {
            m->i[at] = A->col[k];
            cti_dcd_scale(m->R + 9 * (size_t)b, A->val + 9 * (size_t)k, m->R + 9 * (size_t)A->col[k], m->x + 9 * (size_t)at);
        }
        m->p[b + 1] = at;
    }
    return 1;
}

static int cti_dcd_matrix_make(const cti_state *s, cti_dcd_matrix *m)
{
    const cti_bsr *A = &s->system.A;
    int b, n_lacking = 0;
    double *lack = CTI_ARENA_ZERO(s->arena, double, 9 * (size_t)A->n);
    m->A = A;
    m->R = CTI_ARENA_NEW(s->arena, double, 9 * (size_t)A->n);
    if (!m->R || !lack)
        return 0;
    for (b = 0; b < A->n; b++) {
        const ct_real *block = A->val + 9 * (size_t)A->diag[b];
        if (!cti_dcd_cholesky(block, m->R + 9 * (size_t)b))
            cti_dcd_identity_error(m, b, block, lack + 9 * (size_t)b), n_lacking++;
    }
    return cti_dcd_matrix_half(s, m, lack, n_lacking);
}

static void cti_dcd_multiply_half(const cti_dcd_matrix *m, const double *x, double *y)
{
    memcpy(y, x, sizeof *y * 3 * (size_t)m->A->n);
    cti_mprgp_half(m->A->n, m->p, m->i, m->x, x, y);
}

static void cti_dcd_multiply(void *ctx, const double *x, double *y)
{
    const cti_dcd_matrix *m = (const cti_dcd_matrix *)ctx;
    if (!m->T) {
        cti_dcd_multiply_half(m, x, y);
        return;
    }
    memcpy(m->u, x, sizeof *x * 3 * (size_t)m->A->n);
    cti_dcd_transform_forward(m->T, m->u);
    cti_dcd_multiply_half(m, m->u, y);
    cti_dcd_transform_transposed(m->T, y);
}

/* returns x_b' (R A R' x)_b for an x with few entries */
static double cti_dcd_block_energy(const cti_dcd_matrix *m, int b, const double *x)
{
    const cti_bsr *A = m->A;
    double s[3] = {0, 0, 0}, v[3];
    int k, r;
    for (k = A->row[b]; k < A->row[b + 1]; k++) {
        const ct_real *M = A->val + 9 * (size_t)k;
        const double *u = x + 3 * (size_t)A->col[k];
        if (u[0] == 0 && u[1] == 0 && u[2] == 0)
            continue;
        cti_dcd_times_Rt(m->R + 9 * (size_t)A->col[k], u, v);
        for (r = 0; r < 3; r++)
            s[r] += (double)M[3 * r] * v[0] + (double)M[3 * r + 1] * v[1] + (double)M[3 * r + 2] * v[2];
    }
    cti_dcd_times_R(m->R + 9 * (size_t)b, s, v);
    return v[0] * x[3 * b] + v[1] * x[3 * b + 1] + v[2] * x[3 * b + 2];
}

/* returns d'A d for a d that is zero outside these rows' blocks */
static double cti_dcd_energy(void *ctx, const double *d, const int32_t *rows, int count)
{
    const cti_dcd_matrix *m = (const cti_dcd_matrix *)ctx;
    const cti_dcd_transform *T = m->T;
    double e = 0, *x;
    int i, k;
    for (i = 0; !T && i < count; i++)
        for (k = m->J->p[rows[i]]; k < m->J->p[rows[i] + 1]; k += 3)
            e += cti_dcd_block_energy(m, m->J->i[k] / 3, d);
    if (!T)
        return e;
    x = T->work;
    for (i = 0; i < count; i++)
        for (k = 3 * T->block[rows[i]]; k < 3 * T->block[rows[i]] + 3; k++)
            x[k] = d[k];
    cti_dcd_transform_forward(T, x);
    for (i = 0; i < T->remainder.rows; i++) {
        const double *u = x + 3 * (size_t)T->block[i];
        if (T->first[i] && (u[0] != 0 || u[1] != 0 || u[2] != 0))
            e += cti_dcd_block_energy(m, T->block[i], x);
    }
    for (i = 0; i < T->remainder.rows; i++)
        memset(x + 3 * (size_t)T->block[i], 0, sizeof *x * 3);
    return e;
}

/* ---- rows ---- */

/* sets axis 0 (n), 1, 2 of a row as scalars by block, projected onto the motions of constrained blocks: index, x [at most 48]. The rest of the
   velocity is added to *w. Returns the number of scalars */
static int cti_dcd_axis(const cti_state *s, const cti_row *row, int axis, int32_t *index, double *x, double *w)
{
    int order[CTI_ROW_TERMS], n = 0, at = 0, k, j, e;
    *w += (double)row->w[axis];
    for (k = 0; k < row->n; k++) {
        for (j = n++; j > 0 && row->term[order[j - 1]].block > row->term[k].block; j--)
            order[j] = order[j - 1];
        order[j] = k;
    }
    for (k = 0; k < n; k++) {
        const cti_term *t = &row->term[order[k]];
        int b = t->block, same = k > 0 && row->term[order[k - 1]].block == b;
        cti_v3 g = cti_v3_mul(cti_v3_at(row->frame, axis), t->weight);
        double c[3];
        if (s->scripts.filter[b] >= 0) {
            *w += (double)cti_v3_dot(g, cti_v3_at(s->scripts.v_fixed, b));
            g = cti_m3_mul_tv(s->scripts.projectors + 9 * (size_t)s->scripts.filter[b], g);
        }
        c[0] = (double)g.x, c[1] = (double)g.y, c[2] = (double)g.z;
        at += same ? 0 : 3;
        for (e = 0; e < 3; e++) {
            x[at - 3 + e] = c[e] + (same ? x[at - 3 + e] : 0);
            index[at - 3 + e] = 3 * b + e;
        }
    }
    return at;
}

CTI_FN int cti_dcd_jacobian(const cti_state *s, cti_sparse *J, double **out_w)
{
    int i, at = 0, rows = CTI_LEN(s->contact.rows), total = 0;
    for (i = 0; i < rows; i++)
        total += 3 * s->contact.rows[i].n;
    memset(J, 0, sizeof *J);
    J->rows = rows, J->cols = 3 * s->n;
    J->p = CTI_ARENA_NEW(s->arena, int32_t, rows + 1), J->i = CTI_ARENA_NEW(s->arena, int32_t, total);
    J->x = CTI_ARENA_NEW(s->arena, double, total), *out_w = CTI_ARENA_ZERO(s->arena, double, rows);
    if (!J->p || !J->i || !J->x || !*out_w)
        return 0;
    J->p[0] = 0;
    for (i = 0; i < rows; i++)
        J->p[i + 1] = at += cti_dcd_axis(s, &s->contact.rows[i], 0, J->i + at, J->x + at, *out_w + i);
    return 1;
}

CTI_FN int cti_dcd_decouple(cti_state *s, const double *depth, ct_decouple how)
{
    cti_contacts *found = &s->contact;
    int i, n = 0, rows = CTI_LEN(found->rows);
    cti_sparse J;
    double *w;
    uint8_t *keep = CTI_ARENA_ZERO(s->arena, uint8_t, rows);
    if (how == CT_DECOUPLE_NONE || rows == 0)
        return 0;
    if (how == CT_DECOUPLE_PIVOT)
        return cti_dcd_pivots(s, depth);
    if (!keep || !cti_dcd_jacobian(s, &J, &w))
        return -1;
    if (cti_mprgp_decouple(s->arena, &J, depth, how == CT_DECOUPLE_RANDOM ? CTI_DECOUPLE_RANDOM : CTI_DECOUPLE_DEEPEST, 3,
                           s->desc.solver.seed + (uint64_t)(s->step.time * 1e6), keep) < 0)
        return -1;
    for (i = 0; i < rows; i++)
        if (keep[i])
            found->rows[n] = found->rows[i], found->origins[n++] = found->origins[i];
    stbds_header(found->rows)->length = stbds_header(found->origins)->length = (size_t)n;
    return rows - n;
}

/* ---- frames ---- */

/* returns the velocities [3 n] that a solve's unknowns are differences to: of each body the mean one, and along constrained axes the scripts'. NULL:
   out of memory */
static double *cti_dcd_frame(const cti_state *s)
{
    const int32_t *start = cti_dcd_of(s)->first_unknown;
    double *frame = CTI_ARENA_NEW(s->arena, double, 3 * (size_t)s->n);
    int body, b, e;
    for (body = 0; frame && body < CTI_LEN(start) - 1; body++) {
        double sum[3] = {0, 0, 0}, mass = 0;
        for (b = start[body] / 3; b < start[body + 1] / 3; b++) {
            mass += (double)s->bodies.mass[b];
            for (e = 0; e < 3; e++)
                sum[e] += (double)s->bodies.mass[b] * (double)s->v[3 * b + e];
        }
        for (b = start[body] / 3; b < start[body + 1] / 3; b++) {
            cti_v3 v = cti_v3_make((ct_real)(sum[0] / mass), (ct_real)(sum[1] / mass), (ct_real)(sum[2] / mass));
            if (s->scripts.filter[b] >= 0)
                v = cti_v3_add(cti_state_free(s, b, v), cti_v3_at(s->scripts.v_fixed, b));
            frame[3 * b] = (double)v.x, frame[3 * b + 1] = (double)v.y, frame[3 * b + 2] = (double)v.z;
        }
    }
    return frame;
}

/* sets y = L' v by back substitution with R' */
static void cti_dcd_to_scaled(const cti_state *s, const cti_dcd_matrix *m, const double *v, double *y)
{
    int i;
    for (i = 0; i < s->n; i++) {
        const double *R = m->R + 9 * (size_t)i, *u = v + 3 * (size_t)i;
        double *z = y + 3 * (size_t)i;
        z[2] = u[2] / R[8], z[1] = (u[1] - R[7] * z[2]) / R[4], z[0] = (u[0] - R[3] * z[1] - R[6] * z[2]) / R[0];
    }
}

/* makes the bodies to groups of the solve; `from` [3 n]: the scaled frame, whose rounding errors are in b. 0: out of memory */
static int cti_dcd_groups(const cti_state *s, const double *from, double tolerance, cti_mprgp_groups *out)
{
    const int32_t *start = cti_dcd_of(s)->first_unknown;
    int i, k, n = CTI_LEN(start) - 1;
    double *least = CTI_ARENA_ZERO(s->arena, double, n);
    for (i = 0; least && i < n; i++)
        for (k = start[i]; k < start[i + 1]; k++)
            least[i] = cti_fmax(least[i], (double)CTI_EPS / tolerance * fabs(from[k]));
    out->n = n, out->start = start, out->least = least;
    return least != NULL;
}

/* ---- the set ---- */

/* makes the pivots to unit rows in the changed unknowns. 0: out of memory */
static int cti_dcd_pivot_rows(const cti_state *s, cti_mprgp_set *set, cti_dcd_transform *turn, const double *w, double *size)
{
    cti_sparse J;
    int i, e, rows = set->rows;
    if (!cti_dcd_transform_make(s, &set->J, turn))
        return 0;
    memset(&J, 0, sizeof J);
    J.rows = rows, J.cols = set->n;
    J.p = CTI_ARENA_NEW(s->arena, int32_t, rows + 1), J.i = CTI_ARENA_NEW(s->arena, int32_t, 3 * (size_t)rows), J.x = turn->direction;
    if (!J.p || !J.i)
        return 0;
    for (i = 0; i < rows; i++) {
        J.p[i] = 3 * i, size[i] = turn->size[i];
        for (e = 0; e < 3; e++)
            J.i[3 * i + e] = 3 * turn->block[i] + e;
        set->lo[i] = -w[i] / size[i];
    }
    J.p[rows] = 3 * rows;
    set->J = J;
    return 1;
}

/* makes unit rows in the scaled unknowns, differences to `frame`; size [rows]: their divisors. A row that no block can move is left free. 0: out of
   memory */
static int cti_dcd_make_set(const cti_state *s, const cti_dcd_matrix *m, const double *frame, cti_mprgp_set *set, cti_dcd_transform *turn,
                       double **out_size)
{
    int i, k, rows = CTI_LEN(s->contact.rows);
    double *w;
    memset(set, 0, sizeof *set);
    *out_size = CTI_ARENA_NEW(s->arena, double, rows);
    if (!*out_size || !cti_mprgp_set_reserve(s->arena, set, 3 * s->n, rows) || !cti_dcd_jacobian(s, &set->J, &w))
        return 0;
    for (i = 0; i < rows; i++) {
        double size = 0, plain = 0;
        for (k = set->J.p[i]; k < set->J.p[i + 1]; k += 3) {
            double *c = set->J.x + k;
            const double *f = frame + set->J.i[k];
            w[i] += c[0] * f[0] + c[1] * f[1] + c[2] * f[2];
            plain += c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
            cti_dcd_times_R(m->R + 3 * (size_t)set->J.i[k], c, c);
            size += c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        }
        size = plain > 1e-18 ? sqrt(size) : 0;
        (*out_size)[i] = size;
        set->lo[i] = size > 0 ? -w[i] / size : -INFINITY, set->hi[i] = INFINITY;
        for (k = set->J.p[i]; !turn && k < set->J.p[i + 1]; k++)
            set->J.x[k] = size > 0 ? set->J.x[k] / size : 0;
    }
    return !turn || cti_dcd_pivot_rows(s, set, turn, w, *out_size);
}

/* sets the rows' multipliers from the gradient A x - b = J' r at the end */
static void cti_dcd_multipliers(cti_state *s, const cti_mprgp_set *set, const double *size, const double *g)
{
    int i, k;
    for (i = 0; i < set->rows; i++) {
        double t = 0;
        for (k = set->J.p[i]; k < set->J.p[i + 1]; k++)
            t += set->J.x[k] * g[set->J.i[k]];
        s->contact.rows[i].r[0] = set->face[i] != CTI_FACE_FREE && t > 0 && size[i] > 0 ? (ct_real)(t / size[i]) : 0;
        s->contact.rows[i].r[1] = s->contact.rows[i].r[2] = 0;
    }
}

static void cti_dcd_effort(const cti_state *s, ct_real tolerance, cti_effort *e)
{
    memset(e, 0, sizeof *e);
    e->tolerance = (double)tolerance;
    e->max_iterations = s->desc.solver.budget > 0 ? s->desc.solver.budget : cti_dcd_tuned.dcd.iterations;
    e->warm = 1, e->seed = s->desc.solver.seed, e->arena = s->arena;
    e->seconds = s->desc.solver.seconds, e->clock.now_us = s->desc.solver.now_us, e->clock.user = s->desc.solver.now_user;
    e->clock.started = e->clock.now_us ? e->clock.now_us(e->clock.user) : 0;
}

/* ---- rows that are not decoupled ---- */

/* sets out to A as scalars; arrays are from the arena. 0: out of memory */
static int cti_dcd_scalars(const cti_state *s, cti_sparse *out)
{
    const cti_bsr *A = &s->system.A;
    out->p = CTI_ARENA_NEW(s->arena, int32_t, 3 * A->n + 1), out->i = CTI_ARENA_NEW(s->arena, int32_t, 9 * (size_t)A->row[A->n]);
    out->x = CTI_ARENA_NEW(s->arena, double, 9 * (size_t)A->row[A->n]);
    if (!out->p || !out->i || !out->x)
        return 0;
    cti_sparse_unblock(A, out);
    return 1;
}

/* changes the unknowns of a program, and v [n], to differences to `frame`; work [n + m] */
static void cti_dcd_shift_program(cti_program *p, const double *frame, double *v, double *work)
{
    int i;
    cti_sparse_mul(&p->A, frame, work);
    cti_sparse_mul(&p->J, frame, work + p->n);
    for (i = 0; i < p->n; i++)
        v[i] -= frame[i], p->b[i] -= work[i];
    for (i = 0; i < p->m; i++)
        p->w[i] += work[p->n + i];
}

/* solves the program with coupled rows; v [3 n] is the start, then the solution; b [3 n] is overwritten. 0: out of memory */
static int cti_dcd_solve_coupled(cti_state *s, ct_real tolerance, double *v, double *b, cti_dcd_solution *out)
{
    cti_program p;
    cti_effort e;
    cti_answer a;
    cti_mprgp_counters count;
    cti_mprgp_options o = cti_mprgp_options_default();
    cti_judgement j;
    int i, rows = CTI_LEN(s->contact.rows), n = 3 * s->n, is_paper = cti_state_is_paper(s);
    double *r = CTI_ARENA_ZERO(s->arena, double, rows), *work = CTI_ARENA_NEW(s->arena, double, (size_t)rows + 2 * (size_t)n);
    double *frame = is_paper ? CTI_ARENA_ZERO(s->arena, double, n) : cti_dcd_frame(s);
    cti_outcome end;
    memset(&p, 0, sizeof p), memset(&a, 0, sizeof a);
    p.kind = CTI_PROGRAM_QP, p.n = n, p.m = rows, p.b = b;
    if (!r || !work || !frame || !cti_dcd_scalars(s, &p.A) || !cti_dcd_jacobian(s, &p.J, &p.w))
        return 0;
    if (!is_paper)
        cti_dcd_shift_program(&p, frame, v, work);
    cti_dcd_effort(s, tolerance, &e);
    o.path = 2, o.printed = is_paper;
    a.x = v, a.r = r, a.why = "";
    end = cti_mprgp_solve_with(&p, &o, &e, &a, &count);
    if (end == CTI_OUTCOME_MEMORY)
        return 0;
    if (end == CTI_OUTCOME_INFEASIBLE) /* r has the proof */
        memset(r, 0, sizeof *r * (size_t)rows);
    cti_program_judge(&p, v, r, work, &j);
    for (i = 0; i < n; i++)
        v[i] += frame[i];
    for (i = 0; i < rows; i++)
        s->contact.rows[i].r[0] = (ct_real)r[i], s->contact.rows[i].r[1] = s->contact.rows[i].r[2] = 0;
    out->iterations = a.iterations, out->cg = count.cg;
    out->budget = end != CTI_OUTCOME_SOLVED, out->residual = (ct_real)j.residual, out->coupled = 1;
    return 1;
}

/* ---- the solve ---- */

/* solves the decoupled program; v [3 n] is the start, then the solution; b [3 n] is scaled in place. 0: out of memory */
static int cti_dcd_solve_decoupled(cti_state *s, ct_real tolerance, double *v, double *b, cti_dcd_solution *out)
{
    cti_dcd_matrix m;
    cti_mprgp_set set;
    cti_mprgp_task task;
    cti_mprgp_counters count;
    cti_effort e;
    cti_answer a;
    cti_mprgp_end end;
    cti_dcd_transform turn;
    cti_mprgp_groups groups;
    int i, n = 3 * s->n, turned = s->desc.dcd.decouple == CT_DECOUPLE_PIVOT && CTI_LEN(s->contact.rows) > 0;
    double *size, *y = CTI_ARENA_NEW(s->arena, double, n), *turned_x = CTI_ARENA_NEW(s->arena, double, n), *frame = cti_dcd_frame(s);
    memset(&m, 0, sizeof m);
    if (!y || !turned_x || !frame || !cti_dcd_matrix_make(s, &m) ||
        !cti_dcd_make_set(s, &m, frame, &set, turned ? &turn : NULL, &size))
        return 0;
    m.J = &set.J;
    for (i = 0; i < s->n; i++)
        cti_dcd_times_R(m.R + 9 * (size_t)i, b + 3 * (size_t)i, b + 3 * (size_t)i);
    /* from here on v, y and b are of the difference to the frame */
    cti_dcd_to_scaled(s, &m, frame, y);
    cti_dcd_multiply(&m, y, turned_x);
    if (!cti_dcd_groups(s, y, (double)tolerance, &groups))
        return 0;
    for (i = 0; i < n; i++)
        v[i] -= frame[i], b[i] -= turned_x[i];
    cti_dcd_to_scaled(s, &m, v, y);
    if (turned)
        m.T = &turn, m.u = turned_x;
    if (turned)
        cti_dcd_transform_back(&turn, y), cti_dcd_transform_transposed(&turn, b);
    memset(&task, 0, sizeof task), memset(&count, 0, sizeof count), memset(&a, 0, sizeof a);
    cti_dcd_effort(s, tolerance, &e);
    task.n = n, task.multiply = cti_dcd_multiply, task.multiply_ctx = &m, task.energy = cti_dcd_energy, task.b = b,
    task.set = &set, task.groups = &groups;
    task.tolerance = (double)tolerance, task.gamma = 1, task.projected = 1, task.effort = &e, task.answer = &a;
    task.count = &count, task.power = cti_dcd_of(s)->power_step;
    end = cti_mprgp_run(&task, y);
    if (end == CTI_MPRGP_MEMORY)
        return 0;
    cti_mprgp_set_project(&set, y);
    cti_dcd_multiply(&m, y, v);
    for (i = 0; i < n; i++)
        v[i] -= b[i];
    cti_dcd_multipliers(s, &set, size, v);
    if (turned)
        cti_dcd_transform_forward(&turn, y);
    for (i = 0; i < s->n; i++)
        cti_dcd_times_Rt(m.R + 9 * (size_t)i, y + 3 * (size_t)i, v + 3 * (size_t)i);
    for (i = 0; i < n; i++)
        v[i] += frame[i];
    out->iterations = count.cg + count.expansions + count.proportionings, out->cg = count.cg;
    out->budget = end != CTI_MPRGP_DONE, out->residual = (ct_real)task.reached;
    return 1;
}

CTI_FN int cti_dcd_solve(cti_state *s, ct_real tolerance, ct_real *v, cti_dcd_solution *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    double *x = CTI_ARENA_NEW(s->arena, double, 3 * (size_t)s->n), *b = CTI_ARENA_NEW(s->arena, double, 3 * (size_t)s->n);
    int i, ok;
    memset(out, 0, sizeof *out);
    if (!x || !b)
        return 0;
    for (i = 0; i < 3 * s->n; i++)
        x[i] = (double)v[i], b[i] = (double)s->system.b[i];
    if (CTI_LEN(s->contact.rows) && (s->desc.dcd.decouple == CT_DECOUPLE_NONE || cti_state_is_paper(s)))
        ok = cti_dcd_solve_coupled(s, tolerance, x, b, out);
    else
        ok = cti_dcd_solve_decoupled(s, tolerance, x, b, out);
    for (i = 0; ok && i < 3 * s->n; i++)
        v[i] = (ct_real)x[i];
    cti_arena_rewind(s->arena, mark);
    return ok;
}
