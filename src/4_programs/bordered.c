/* bordered.c -- a solver of K x = f, K = A + J'HJ, with the exact factors of A, for few rows on large bodies.
   Method: Woodbury 1950, K^-1 = A^-1 - A^-1 J' (I + H W)^-1 H J A^-1, W = J A^-1 J' (delassus_bodies.h), which is formed once. H costs a dense
   factor of W's size, and a solve costs two with A. The impulses (I + H W)^-1 g of g take none. */
#include "bordered.h"
#include "delassus_bodies.h"
#include "../2_linalg/lu.h"
#include "../3_solve/solve_policy.h"

typedef struct cti_bordered {
    const cti_jacobian *J;
    cti_arena *arena;
    int m, ld;      /* directions of rows, padded */
    double *W, *lu; /* [m][ld] J A^-1 J'; I + H W factored */
    double *H;      /* [9 rows] */
    double *u;      /* [m] */
    double *x;      /* [3 n] */
    double *scratch;
    int *pivot;
    int broken; /* 1: H is not finite; no row acts */
} cti_bordered;

static int cti_bordered_factor(void *ctx, const double *H)
{
    cti_bordered *b = (cti_bordered *)ctx;
    int i, k, j;
    memcpy(b->H, H, sizeof *H * 3 * (size_t)b->m);
    for (i = 0; i < b->m; i++) {
        double *row = b->lu + cti_index(i, b->ld, 0);
        cti_vec_zero(b->ld, row);
        for (k = 0; k < 3; k++)
            if (H[3 * i + k] != 0)
                for (j = 0; j < b->m; j++)
                    row[j] += H[3 * i + k] * b->W[cti_index(i / 3 * 3 + k, b->ld, j)];
        row[i] += 1;
    }
    b->broken = !cti_lu_factor(b->lu, b->m, b->ld, b->pivot, b->scratch);
    return 1;
}

static void cti_bordered_solve(void *ctx, double *x)
{
    cti_bordered *b = (cti_bordered *)ctx;
    const cti_problem *p = b->J->p;
    cti_arena_point mark = cti_arena_mark(b->arena);
    int n3 = 3 * p->A->n, i;
    cti_delassus_bodies_solve(b->arena, p, x);
    cti_vec_zero(n3, b->x);
    for (i = 0; i < p->n_rows; i++) {
        double u[3];
        cti_delassus_bodies_gather(p, &p->rows[i], x, u);
        cti_d3_mul(b->H + 9 * (size_t)i, u, b->u + 3 * i);
    }
    if (!b->broken) {
        cti_lu_solve(b->lu, b->m, b->ld, b->pivot, b->u);
        for (i = 0; i < p->n_rows; i++)
            cti_delassus_bodies_scatter(p, &p->rows[i], b->u + 3 * i, b->x);
        cti_delassus_bodies_solve(b->arena, p, b->x);
        cti_vec_add(n3, -1, b->x, x);
    }
    cti_arena_rewind(b->arena, mark);
}

static void cti_bordered_respond(void *ctx, const double *g, double *dr, double *du)
{
    cti_bordered *b = (cti_bordered *)ctx;
    int i;
    cti_vec_copy(b->m, g, dr);
    if (!b->broken)
        cti_lu_solve(b->lu, b->m, b->ld, b->pivot, dr);
    for (i = 0; i < b->m; i++)
        du[i] = cti_dot(b->m, b->W + cti_index(i, b->ld, 0), dr);
}

static void cti_bordered_move(void *ctx, const double *r, double *v)
{
    const cti_bordered *b = (const cti_bordered *)ctx;
    const cti_problem *p = b->J->p;
    cti_arena_point mark = cti_arena_mark(b->arena);
    int i;
    for (i = 0; i < 3 * p->A->n; i++)
        v[i] = (double)p->b[i];
    for (i = 0; i < p->n_rows; i++)
        cti_delassus_bodies_scatter(p, &p->rows[i], r + 3 * (size_t)i, v);
    cti_delassus_bodies_solve(b->arena, p, v);
    cti_arena_rewind(b->arena, mark);
}

CTI_FN double cti_bordered_flops(int rows, double nonzeros, double factors)
{
    double m = 3 * (double)rows;
    return (m + cti_solve_tuned.central.solves) * nonzeros + factors * m * m * m / 3;
}

CTI_FN int cti_bordered_make(const cti_jacobian *J, cti_arena *arena, cti_linear *out)
{
    cti_bordered *b = CTI_ARENA_ZERO(arena, cti_bordered, 1);
    const cti_problem *p = J->p;
    size_t m = 3 * (size_t)p->n_rows, ld = (size_t)cti_pad8((int)m);
    cti_delassus_bodies W;
    int32_t *all = CTI_ARENA_NEW(arena, int32_t, p->n_rows);
    int i, k, r, c;
    if (!b || !all)
        return 0;
    b->J = J, b->arena = arena, b->m = (int)m, b->ld = (int)ld;
    b->W = CTI_ARENA_ZERO(arena, double, 2 * m * ld), b->H = CTI_ARENA_NEW(arena, double, 4 * m), b->pivot = CTI_ARENA_NEW(arena, int, m);
    b->x = CTI_ARENA_NEW(arena, double, 3 * (size_t)p->A->n), b->scratch = CTI_ARENA_NEW(arena, double, cti_lu_scratch((int)m));
    for (i = 0; i < p->n_rows; i++)
        all[i] = i;
    if (!b->W || !b->H || !b->pivot || !b->x || !b->scratch || !cti_delassus_bodies_form(arena, p, all, p->n_rows, &W))
        return 0;
    b->lu = b->W + m * ld, b->u = b->H + 3 * m;
    for (i = 0; i < W.n; i++)
        for (k = W.first[i]; k < W.first[i + 1]; k++)
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++)
                    b->W[cti_index(3 * i + r, b->ld, 3 * W.column[k] + c)] = W.block[9 * (size_t)k + (size_t)(3 * r + c)];
    cti_vec_zero(3 * p->A->n, b->x);
    if (!cti_delassus_bodies_solve(arena, p, b->x)) /* later ones find its memory */
        return 0;
    out->flops = (double)(m * m * m) / 3;
    out->factor = cti_bordered_factor, out->solve = cti_bordered_solve, out->ctx = b;
    out->respond = cti_bordered_respond, out->move = cti_bordered_move;
    return 1;
}
