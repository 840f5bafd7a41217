/* envelope.c -- a direct solver of (A + J'HJ) x = f for small problems.
   Method: blocks in the reverse of a breadth-first order from an outer block, which keeps neighbours close. Then Cholesky row by row, where
   a row begins at its first entry and fills no further. Blocks are neighbours if A couples them or a row touches both. Based on: Cuthill
   and McKee 1969; George and Liu 1981, ch. 4 (envelope methods). differs: neighbours are not sorted by degree. */
#include "augmented.h"

typedef struct cti_envelope {
    const cti_jacobian *J;
    cti_arena *arena;         /* L comes from it with the first factor */
    int32_t *row_at, *row_of; /* [n + 1], list: the rows that touch a block */
    uint8_t *seen;            /* [rows] number of searches that went through it */
    int32_t *order, *place;   /* [n] block at a place, and its inverse */
    int32_t *lead;            /* [n] first place of a block's envelope */
    size_t *start;            /* [3 n + 1] of an unknown's row in L */
    double *L, *diag, *x;     /* diag, x [3 n]: pivots' inverses, the right side in this order */
} cti_envelope;

/* lists the rows of each block. 0: out of memory */
static int cti_envelope_rows(cti_envelope *e, cti_arena *arena)
{
    const cti_problem *p = e->J->p;
    int n = p->A->n, i, k;
    e->row_at = CTI_ARENA_ZERO(arena, int32_t, n + 2);
    for (i = 0; e->row_at && i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++)
            e->row_at[p->rows[i].term[k].block + 2]++;
    for (i = 0; e->row_at && i < n; i++)
        e->row_at[i + 2] += e->row_at[i + 1];
    e->row_of = e->row_at ? CTI_ARENA_NEW(arena, int32_t, e->row_at[n + 1]) : NULL;
    if (!e->row_of)
        return 0;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++)
            e->row_of[e->row_at[p->rows[i].term[k].block + 1]++] = i;
    return 1;
}

/* appends the component of `root` to order[at ...], breadth first; place: -1 marks the blocks that are not in it yet. search: 0, then 1
   for the component once more. Returns its end */
static int cti_envelope_spread(const cti_envelope *e, int root, int at, int search)
{
    const cti_problem *p = e->J->p;
    int head, k, t;
    e->order[at] = root, e->place[root] = at;
    head = at++;
    for (; head < at; head++) {
        int b = e->order[head];
        for (k = p->A->row[b]; k < p->A->row[b + 1]; k++)
            if (e->place[p->A->col[k]] < 0)
                e->place[p->A->col[k]] = at, e->order[at++] = p->A->col[k];
        for (k = e->row_at[b]; k < e->row_at[b + 1]; k++) {
            const cti_row *row = &p->rows[e->row_of[k]];
            if (e->seen[e->row_of[k]] > search)
                continue;
            e->seen[e->row_of[k]]++;
            for (t = 0; t < row->n; t++)
                if (e->place[row->term[t].block] < 0)
                    e->place[row->term[t].block] = at, e->order[at++] = row->term[t].block;
        }
    }
    return at;
}

/* the order: each component from the last block of a search that began anywhere in it, all reversed */
static void cti_envelope_order(const cti_envelope *e)
{
    int n = e->J->p->A->n, i, k, at = 0;
    for (i = 0; i < n; i++)
        e->place[i] = -1;
    for (i = 0; i < n; i++) {
        int end, outer;
        if (e->place[i] >= 0)
            continue;
        end = cti_envelope_spread(e, i, at, 0), outer = e->order[end - 1];
        for (k = at; k < end; k++)
            e->place[e->order[k]] = -1;
        at = cti_envelope_spread(e, outer, at, 1);
    }
    for (i = 0; i < n / 2; i++)
        k = e->order[i], e->order[i] = e->order[n - 1 - i], e->order[n - 1 - i] = k;
    for (i = 0; i < n; i++)
        e->place[e->order[i]] = i;
}

/* where each block's envelope begins, and the rows' starts. Returns the multiplications of a factor */
static double cti_envelope_lay(const cti_envelope *e)
{
    const cti_problem *p = e->J->p;
    int n = p->A->n, i, k, a;
    double flops = 0;
    for (i = 0; i < n; i++)
        for (e->lead[i] = i, k = p->A->row[e->order[i]]; k < p->A->row[e->order[i] + 1]; k++)
            e->lead[i] = cti_min_int(e->lead[i], e->place[p->A->col[k]]);
    for (i = 0; i < p->n_rows; i++) {
        const cti_row *row = &p->rows[i];
        int first = n;
        for (k = 0; k < row->n; k++)
            first = cti_min_int(first, e->place[row->term[k].block]);
        for (k = 0; k < row->n; k++)
            e->lead[e->place[row->term[k].block]] = cti_min_int(e->lead[e->place[row->term[k].block]], first);
        flops += 45.0 * row->n * row->n;
    }
    for (e->start[0] = 0, i = 0; i < n; i++)
        for (a = 0; a < 3; a++) {
            double length = 3.0 * (i - e->lead[i]) + a + 1;
            e->start[3 * i + a + 1] = e->start[3 * i + a] + (size_t)length;
            flops += length * length / 2 + 2 * length;
        }
    return flops;
}

/* adds a 3x3 block at blocks (b, c) to L, which holds the lower triangle */
static void cti_envelope_add(const cti_envelope *e, int b, int c, const double *K)
{
    int i = e->place[b], j = e->place[c], k, l;
    for (k = 0; j <= i && k < 3; k++)
        for (l = 0; l < (j == i ? k + 1 : 3); l++)
            e->L[e->start[3 * i + k] + (size_t)(3 * (j - e->lead[i]) + l)] += K[3 * k + l];
}

/* a dot product in eight lanes */
static double cti_envelope_dot(const double *x, const double *y, int n)
{
    cti_d8 s = cti_d8_set(0);
    double sum = 0;
    int i;
    for (i = 0; i + 8 <= n; i += 8)
        s = cti_d8_mad(s, cti_d8_load(x + i), cti_d8_load(y + i));
    for (; i < n; i++)
        sum += x[i] * y[i];
    return sum + (n >= 8 ? cti_d8_sum(s) : 0);
}

/* Cholesky by rows. A pivot that rounding has eaten up is replaced by the matrix's own entry, as in supernodal.h */
static void cti_envelope_cholesky(const cti_envelope *e, int n)
{
    int i, j;
    for (i = 0; i < n; i++) {
        double *row = e->L + e->start[i], pivot, own;
        int first = 3 * e->lead[i / 3];
        for (j = first; j < i; j++) {
            int other = 3 * e->lead[j / 3], from = cti_max_int(first, other);
            row[j - first] =
                (row[j - first] - cti_envelope_dot(row + (from - first), e->L + e->start[j] + (from - other), j - from)) * e->diag[j];
        }
        own = row[i - first];
        pivot = own - cti_envelope_dot(row, row, i - first);
        if (!(pivot > 1e-15 * own))
            pivot = own > 0 ? own : 1;
        row[i - first] = sqrt(pivot), e->diag[i] = 1 / row[i - first];
    }
}

static int cti_envelope_factor(void *ctx, const double *H)
{
    cti_envelope *e = (cti_envelope *)ctx;
    const cti_bsr *A = e->J->p->A;
    double pair[9 * CTI_ROW_TERMS * CTI_ROW_TERMS];
    int i, k, a;
    if (!e->L && (e->L = CTI_ARENA_NEW(e->arena, double, e->start[3 * A->n])) == NULL)
        return 0;
    memset(e->L, 0, sizeof(double) * e->start[3 * A->n]);
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            double K[9];
            for (a = 0; a < 9; a++)
                K[a] = (double)A->val[9 * (size_t)k + (size_t)a];
            cti_envelope_add(e, i, A->col[k], K);
        }
    for (i = 0; i < e->J->p->n_rows; i++) {
        const cti_row *row = &e->J->p->rows[i];
        int pairs = cti_jacobian_stiffness(e->J, i, H + 9 * (size_t)i, pair);
        for (k = 0; k < pairs; k++)
            cti_envelope_add(e, row->term[k / row->n].block, row->term[k % row->n].block, pair + 9 * k);
    }
    cti_envelope_cholesky(e, 3 * A->n);
    return 1;
}

static void cti_envelope_solve(void *ctx, double *x)
{
    const cti_envelope *e = (const cti_envelope *)ctx;
    int n = 3 * e->J->p->A->n, i, j;
    for (i = 0; i < n; i++)
        e->x[i] = x[3 * e->order[i / 3] + i % 3];
    for (i = 0; i < n; i++) {
        int first = 3 * e->lead[i / 3];
        e->x[i] = (e->x[i] - cti_envelope_dot(e->L + e->start[i], e->x + first, i - first)) * e->diag[i];
    }
    for (i = n - 1; i >= 0; i--) {
        const double *row = e->L + e->start[i];
        int first = 3 * e->lead[i / 3];
        e->x[i] *= e->diag[i];
        for (j = first; j < i; j++)
            e->x[j] -= row[j - first] * e->x[i];
    }
    for (i = 0; i < n; i++)
        x[3 * e->order[i / 3] + i % 3] = e->x[i];
}

CTI_FN int cti_envelope_make(const cti_jacobian *J, cti_arena *arena, cti_linear *out)
{
    cti_envelope *e = CTI_ARENA_ZERO(arena, cti_envelope, 1);
    int n = J->p->A->n;
    if (!e)
        return 0;
    e->J = J, e->arena = arena;
    e->order = CTI_ARENA_NEW(arena, int32_t, n), e->place = CTI_ARENA_NEW(arena, int32_t, n), e->lead = CTI_ARENA_NEW(arena, int32_t, n);
    e->start = CTI_ARENA_NEW(arena, size_t, 3 * (size_t)n + 1), e->seen = CTI_ARENA_ZERO(arena, uint8_t, J->p->n_rows);
    e->diag = CTI_ARENA_NEW(arena, double, 3 * (size_t)n), e->x = CTI_ARENA_NEW(arena, double, 3 * (size_t)n);
    if (!e->order || !e->place || !e->lead || !e->start || !e->seen || !e->diag || !e->x || !cti_envelope_rows(e, arena))
        return 0;
    cti_envelope_order(e);
    out->flops = cti_envelope_lay(e);
    out->factor = cti_envelope_factor, out->solve = cti_envelope_solve, out->ctx = e;
    out->respond = NULL, out->move = NULL;
    return 1;
}
