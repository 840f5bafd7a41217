/* delassus_bodies.c -- W = J A^-1 J' by bodies.
   Method: A is block diagonal over bodies, so W is the sum over bodies of J_b A_b^-1 J_b'. Each summand is a small dense matrix between the
   rows that touch the body (schur.c), which is scattered into blocks. Two rows without a common body have no block. Based on: Otaduy et al.
   2009, section 5.1 (the Schur complement); Acary, Bremond and Huber 2018, section 2 (its blocks). */
#include "delassus_bodies.h"
#include "../2_linalg/schur.h"

/* ---- single rows ---- */

CTI_FN void cti_delassus_bodies_scatter(const cti_problem *p, const cti_row *row, const double *r, double *f)
{
    int k, a;
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9];
        double *to = f + 3 * (size_t)row->term[k].block;
        cti_row_map_t(p, row, k, Gt);
        for (a = 0; a < 3; a++)
            to[a] += (double)Gt[3 * a] * r[0] + (double)Gt[3 * a + 1] * r[1] + (double)Gt[3 * a + 2] * r[2];
    }
}

CTI_FN void cti_delassus_bodies_gather(const cti_problem *p, const cti_row *row, const double *x, double *u)
{
    int k, a;
    u[0] = u[1] = u[2] = 0;
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9];
        const double *from = x + 3 * (size_t)row->term[k].block;
        cti_row_map_t(p, row, k, Gt);
        for (a = 0; a < 3; a++)
            u[a] += (double)Gt[a] * from[0] + (double)Gt[3 + a] * from[1] + (double)Gt[6 + a] * from[2];
    }
}

/* ---- A^-1 ---- */

/* r = f - A x for a body's blocks */
static void cti_delassus_bodies_rest(const cti_problem *p, const cti_body_factor *b, const double *f, const double *x, double *r)
{
    const cti_bsr *A = p->A;
    int i, k, e;
    for (i = 0; i < b->n; i++) {
        double s[3];
        memcpy(s, f + 3 * (size_t)(b->first + i), sizeof s);
        for (k = A->row[b->first + i]; k < A->row[b->first + i + 1]; k++) {
            const ct_real *a = A->val + 9 * (size_t)k;
            const double *z = x + 3 * A->col[k];
            for (e = 0; e < 3; e++)
                s[e] -= (double)a[3 * e] * z[0] + (double)a[3 * e + 1] * z[1] + (double)a[3 * e + 2] * z[2];
        }
        memcpy(r + 3 * i, s, sizeof s);
    }
}

CTI_FN int cti_delassus_bodies_solve(cti_arena *arena, const cti_problem *p, double *x)
{
    cti_arena_point mark = cti_arena_mark(arena);
    size_t most = 0, n3 = 3 * (size_t)p->A->n, i;
    double *f = CTI_ARENA_NEW(arena, double, n3), *r = CTI_ARENA_NEW(arena, double, n3), *work;
    int b;
    for (b = 0; b < p->n_bodies; b++) {
        size_t w = cti_factor64_work(p->bodies[b].factor);
        most = w > most ? w : most;
    }
    work = CTI_ARENA_NEW(arena, double, most);
    if (f && r && work) {
        memcpy(f, x, sizeof *f * n3);
        for (b = 0; b < p->n_bodies; b++) {
            const cti_body_factor *q = &p->bodies[b];
            double *at = x + 3 * q->first;
            cti_factor64_solve(q->factor, at, work);
            cti_delassus_bodies_rest(p, q, f, x, r);
            cti_factor64_solve(q->factor, r, work);
            for (i = 0; i < 3 * (size_t)q->n; i++)
                at[i] += r[i];
        }
    }
    cti_arena_rewind(arena, mark);
    return f && r && work;
}

/* ---- which rows touch which body ---- */

/* cti_delassus_bodies_lists -- rows of W by body. A row is in the list of each body that it touches. */
typedef struct cti_delassus_bodies_lists {
    int32_t *start, *row; /* [bodies + 1] */
    int32_t *of;          /* [blocks] body */
} cti_delassus_bodies_lists;

/* the bodies of a row, each once, at most CTI_ROW_TERMS; returns their number */
static int cti_delassus_bodies_bodies(const cti_delassus_bodies_lists *l, const cti_row *row, int32_t *out)
{
    int k, j, n = 0;
    for (k = 0; k < row->n; k++) {
        int32_t b = l->of[row->term[k].block];
        for (j = 0; j < n && out[j] != b; j++) {
        }
        if (j == n)
            out[n++] = b;
    }
    return n;
}

static int cti_delassus_bodies_list(cti_arena *arena, const cti_problem *p, const cti_delassus_bodies *d, cti_delassus_bodies_lists *l)
{
    int32_t mine[CTI_ROW_TERMS];
    int b, i, k, n, pass;
    l->of = CTI_ARENA_ZERO(arena, int32_t, p->A->n), l->start = CTI_ARENA_ZERO(arena, int32_t, p->n_bodies + 2);
    if (!l->of || !l->start)
        return 0;
    for (b = 0; b < p->n_bodies; b++)
        for (i = 0; i < p->bodies[b].n; i++)
            l->of[p->bodies[b].first + i] = b;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < d->n; i++)
            for (n = cti_delassus_bodies_bodies(l, &p->rows[d->row[i]], mine), k = 0; k < n; k++) {
                if (pass)
                    l->row[l->start[mine[k] + 1]++] = i;
                else
                    l->start[mine[k] + 2]++;
            }
        for (b = 0; pass == 0 && b < p->n_bodies; b++)
            l->start[b + 2] += l->start[b + 1];
        if (pass == 0 && (l->row = CTI_ARENA_NEW(arena, int32_t, l->start[p->n_bodies + 1])) == NULL)
            return 0;
    }
    return 1;
}

/* columns of each row: those in the lists of its bodies. They are sorted by a transposition, since the pattern is symmetric. 0: out of
   memory */
static int cti_delassus_bodies_pattern(cti_arena *arena, const cti_problem *p, const cti_delassus_bodies_lists *l, cti_delassus_bodies *d)
{
    int32_t mine[CTI_ROW_TERMS], *seen = CTI_ARENA_NEW(arena, int32_t, d->n), *fill;
    int i, k, e, n, pass, count = 0;
    d->first = CTI_ARENA_NEW(arena, int32_t, d->n + 1), fill = CTI_ARENA_NEW(arena, int32_t, d->n + 1);
    if (!seen || !fill || !d->first)
        return 0;
    for (pass = 0; pass < 2; pass++) {
        memset(seen, -1, sizeof *seen * (size_t)d->n);
        for (count = 0, i = 0; i < d->n; i++) {
            d->first[i] = count;
            for (n = cti_delassus_bodies_bodies(l, &p->rows[d->row[i]], mine), k = 0; k < n; k++)
                for (e = l->start[mine[k]]; e < l->start[mine[k] + 1]; e++) {
                    int j = l->row[e];
                    if (seen[j] == i)
                        continue;
                    seen[j] = i, count++;
                    if (pass)
                        d->column[fill[j]++] = i;
                }
        }
        d->first[d->n] = count;
        if (pass == 0 && (d->column = CTI_ARENA_NEW(arena, int32_t, count)) == NULL)
            return 0;
        memcpy(fill, d->first, sizeof *fill * (size_t)(d->n + 1));
    }
    d->block = CTI_ARENA_ZERO(arena, double, 9 * (size_t)count);
    return d->block != NULL;
}

/* ---- one body ---- */

/* row i of J in the local numbers of body b: entries [3][3 terms], columns sorted, equal columns summed. Returns the number of blocks */
static int cti_delassus_bodies_entries(const cti_problem *p, const cti_delassus_bodies_lists *l, const cti_row *row, int b, int32_t *block,
                                       double *G)
{
    int k, j, e, n = 0, first = p->bodies[b].first;
    for (k = 0; k < row->n; k++) {
        int at = row->term[k].block;
        ct_real Gt[9];
        if (l->of[at] != b)
            continue;
        at -= first;
        cti_row_map_t(p, row, k, Gt);
        for (j = 0; j < n && block[j] < at; j++) {
        }
        if (j == n || block[j] != at) {
            memmove(block + j + 1, block + j, sizeof *block * (size_t)(n - j));
            memmove(G + 9 * (j + 1), G + 9 * j, 9 * sizeof *G * (size_t)(n - j));
            block[j] = at, n++;
            memset(G + 9 * j, 0, 9 * sizeof *G);
        }
        for (e = 0; e < 9; e++)
            G[9 * j + e] += (double)Gt[e];
    }
    return n;
}

/* J_b as scalar rows, three for each row of its list. 0: out of memory */
static int cti_delassus_bodies_jacobian(cti_arena *arena, const cti_problem *p, const cti_delassus_bodies *d,
                                        const cti_delassus_bodies_lists *l, int b, int32_t **ptr, int32_t **idx, double **val)
{
    int32_t block[CTI_ROW_TERMS + 1];
    double G[9 * (CTI_ROW_TERMS + 1)];
    int i, k, a, c, at = 0, n = l->start[b + 1] - l->start[b], most = 0;
    for (i = 0; i < n; i++)
        most += 9 * p->rows[d->row[l->row[l->start[b] + i]]].n;
    *ptr = CTI_ARENA_NEW(arena, int32_t, 3 * n + 1), *idx = CTI_ARENA_NEW(arena, int32_t, most), *val = CTI_ARENA_NEW(arena, double, most);
    if (!*ptr || !*idx || !*val)
        return 0;
    for ((*ptr)[0] = 0, i = 0; i < n; i++) {
        int blocks = cti_delassus_bodies_entries(p, l, &p->rows[d->row[l->row[l->start[b] + i]]], b, block, G);
        for (a = 0; a < 3; a++) {
            for (k = 0; k < blocks; k++)
                for (c = 0; c < 3; c++)
                    (*idx)[at] = 3 * block[k] + c, (*val)[at++] = G[9 * k + 3 * c + a];
            (*ptr)[3 * i + a + 1] = at;
        }
    }
    return 1;
}

/* W += J_b A_b^-1 J_b'; place [n] scratch. 0: out of memory */
static int cti_delassus_bodies_add(cti_arena *arena, const cti_problem *p, const cti_delassus_bodies_lists *l, int b, int32_t *place,
                                   cti_delassus_bodies *d)
{
    cti_arena_point mark = cti_arena_mark(arena);
    const int32_t *row = l->row + l->start[b];
    int n = l->start[b + 1] - l->start[b], ld = cti_pad8(3 * n), i, j, k, a, ok;
    int32_t *ptr, *idx;
    double *val, *W = CTI_ARENA_NEW(arena, double, (size_t)ld *(size_t)(3 * n) + 8);
    ok = W && cti_delassus_bodies_jacobian(arena, p, d, l, b, &ptr, &idx, &val) &&
         cti_factor64_schur(p->bodies[b].factor, arena, 3 * n, ptr, idx, val, W, ld);
    for (i = 0; ok && i < n; i++) {
        for (k = d->first[row[i]]; k < d->first[row[i] + 1]; k++)
            place[d->column[k]] = k;
        for (j = 0; j < n; j++) {
            double *to = d->block + 9 * (size_t)place[row[j]];
            const double *from = W + (size_t)(3 * i) * (size_t)ld + 3 * j;
            for (a = 0; a < 3; a++, from += ld)
                to[3 * a] += from[0], to[3 * a + 1] += from[1], to[3 * a + 2] += from[2];
        }
    }
    cti_arena_rewind(arena, mark);
    return ok;
}

CTI_FN double cti_delassus_bodies_pairs(cti_arena *arena, const cti_problem *p, const uint8_t *used)
{
    cti_arena_point mark = cti_arena_mark(arena);
    int32_t *body_of = CTI_ARENA_NEW(arena, int32_t, p->A->n), *last = CTI_ARENA_ZERO(arena, int32_t, p->n_bodies);
    double *rows = CTI_ARENA_ZERO(arena, double, p->n_bodies), sum = -1;
    int b, i, k;
    if (body_of && last && rows) {
        for (b = 0; b < p->n_bodies; b++)
            for (i = 0; i < p->bodies[b].n; i++)
                body_of[p->bodies[b].first + i] = b;
        for (i = 0; i < p->n_rows; i++)
            for (k = 0; used[i] && k < p->rows[i].n; k++) {
                b = body_of[p->rows[i].term[k].block];
                rows[b] += last[b] != i + 1;
                last[b] = i + 1;
            }
        for (sum = 0, b = 0; b < p->n_bodies; b++)
            sum += rows[b] * rows[b];
    }
    cti_arena_rewind(arena, mark);
    return sum;
}

CTI_FN int cti_delassus_bodies_form(cti_arena *arena, const cti_problem *p, const int32_t *row, int n, cti_delassus_bodies *d)
{
    cti_delassus_bodies_lists l;
    int32_t *place = CTI_ARENA_NEW(arena, int32_t, n);
    int b;
    d->n = n, d->row = row;
    if (!place || !cti_delassus_bodies_list(arena, p, d, &l) || !cti_delassus_bodies_pattern(arena, p, &l, d))
        return 0;
    for (b = 0; b < p->n_bodies; b++)
        if (l.start[b + 1] > l.start[b] && !cti_delassus_bodies_add(arena, p, &l, b, place, d))
            return 0;
    return 1;
}
