/* block_pivot.c -- block principal pivoting.
   Method: free rows solve u = 0, the others are at a bound. All rows that violate their condition change state at once while their number falls.
   After some rounds without a new least number only the last of them changes (Murty's rule), which terminates for P-matrices.
   A face's factor is sparse, with a small shift, since faces may be singular: a second solve takes the shift's error away.
   Based on: Kostreva 1978; Judice and Pires 1994; Hintermueller, Ito and Kunisch 2003 (the same as a primal-dual active set strategy). */
#include "block_pivot.h"

/* ---- the rule ---- */

/* a state that the row can have, its present one if possible */
static uint8_t cti_block_pivot_possible(const cti_block_pivot *p, int i)
{
    int below = cti_finite64(p->lo[i]) != 0, above = cti_finite64(p->hi[i]) != 0;
    if (!(p->lo[i] < p->hi[i]))
        return CTI_FACE_FIXED;
    if (p->state[i] == CTI_FACE_FREE || (!below && !above))
        return CTI_FACE_FREE;
    return p->state[i] == CTI_FACE_UPPER && above ? CTI_FACE_UPPER : (below ? CTI_FACE_LOWER : CTI_FACE_UPPER);
}

/* the state that row i should have */
static uint8_t cti_block_pivot_better(const cti_block_pivot *p, int i)
{
    double z = p->z[i], u = p->u[i];
    switch (p->state[i]) {
    case CTI_FACE_FREE:
        return z < p->lo[i] - p->tiny_z ? CTI_FACE_LOWER : (z > p->hi[i] + p->tiny_z ? CTI_FACE_UPPER : CTI_FACE_FREE);
    case CTI_FACE_LOWER: /* without any bound where `solve` found the row dependent on others */
        return u < -p->tiny_u || (u > p->tiny_u && !cti_finite64(p->lo[i])) ? CTI_FACE_FREE : CTI_FACE_LOWER;
    case CTI_FACE_UPPER:
        return u > p->tiny_u ? CTI_FACE_FREE : CTI_FACE_UPPER;
    default:
        return p->state[i];
    }
}

CTI_FN cti_outcome cti_block_pivot_run(cti_block_pivot *p)
{
    int i, round, least = p->n + 1, chances = cti_program_tuned.pivot.chances;
    for (i = 0; i < p->n; i++)
        p->state[i] = cti_block_pivot_possible(p, i);
    for (round = 0; round < p->rounds && chances >= -p->singles; round++) {
        int wrong = 0, last = -1;
        cti_outcome said;
        if (p->e && !cti_effort_goes_on(p->e, p->a->iterations, 1000000, p->a->x, p->a->r))
            return CTI_OUTCOME_BUDGET;
        if (p->e)
            p->a->iterations++;
        said = p->solve(p->ctx, p);
        if (said != CTI_OUTCOME_SOLVED)
            return said;
        for (i = 0; i < p->n; i++)
            if (cti_block_pivot_better(p, i) != p->state[i])
                wrong++, last = i;
        if (!wrong)
            return CTI_OUTCOME_SOLVED;
        chances = wrong < least ? cti_program_tuned.pivot.chances : chances - 1;
        least = cti_min_int(least, wrong);
        for (i = chances >= 0 ? 0 : last; i <= last; i++)
            p->state[i] = cti_block_pivot_better(p, i);
    }
    return CTI_OUTCOME_FAILED;
}

/* ---- a face's factor ---- */

/* analyses the pattern of M, unless it is that already. 0: out of memory */
static int cti_face_factor_open(cti_mem *mem, cti_face_factor *f, const cti_sparse *M)
{
    int n = M->p[M->rows];
    if (f->open && f->masked.rows == M->rows && f->masked.p[M->rows] == n && memcmp(f->masked.i, M->i, sizeof *M->i * (size_t)n) == 0)
        return 1;
    cti_scalar_close(mem, &f->system);
    cti_sparse_free(mem, &f->masked);
    f->fresh = 0, f->open = 1;
    return cti_sparse_copy(mem, M, &f->masked) && CTI_RESIZE(mem, f->state, M->rows) && cti_scalar_open(mem, &f->system, &f->masked);
}

CTI_FN int cti_face_factor_renew(cti_mem *mem, cti_face_factor *f, const cti_sparse *M, const uint8_t *state, double shift)
{
    int i, k;
    if (!cti_face_factor_open(mem, f, M))
        return -1;
    shift = cti_fmax(shift, cti_program_tuned.pivot.shift);
    f->fresh = f->fresh && f->shift == shift;
    for (i = 0; f->fresh && i < M->rows; i++)
        f->fresh = (state[i] == CTI_FACE_FREE) == (f->state[i] == CTI_FACE_FREE);
    if (f->fresh)
        return 0;
    memcpy(f->state, state, (size_t)M->rows);
    for (i = 0; i < M->rows; i++)
        for (k = M->p[i]; k < M->p[i + 1]; k++) {
            int j = M->i[k], is_free = state[i] == CTI_FACE_FREE && state[j] == CTI_FACE_FREE;
            f->masked.x[k] = is_free ? M->x[k] * (i == j ? 1 + shift : 1) : (i == j ? cti_fmax(M->x[k], 1e-300) : 0);
        }
    f->shift = shift, f->fresh = 1, f->factors++;
    return cti_scalar_factor(mem, &f->system) ? 1 : -1;
}

/* ---- with it ---- */

static cti_outcome cti_sparse_pivot_solve(void *ctx, cti_block_pivot *p)
{
    cti_sparse_pivot *s = (cti_sparse_pivot *)ctx;
    int i, k;
    for (i = 0; i < p->n; i++)
        if (p->state[i] != CTI_FACE_FREE)
            p->z[i] = p->state[i] == CTI_FACE_UPPER ? p->hi[i] : p->lo[i];
    if (cti_face_factor_renew(s->mem, s->face, s->M, p->state, s->prox) < 0)
        return CTI_OUTCOME_MEMORY;
    for (k = 0; k < 3; k++) { /* two solves, and u */
        cti_sparse_mul(s->M, p->z, p->u);
        for (i = 0; i < p->n; i++)
            p->u[i] += s->q[i] + (s->prox > 0 ? s->prox * (p->z[i] - s->near_to[i]) : 0);
        for (i = 0; i < p->n && k < 2; i++)
            s->work[i] = p->state[i] == CTI_FACE_FREE ? p->u[i] : 0;
        if (k < 2)
            cti_scalar_solve(&s->face->system, s->work, 0);
        for (i = 0; i < p->n && k < 2; i++)
            p->z[i] -= p->state[i] == CTI_FACE_FREE ? s->work[i] : 0;
    }
    p->tiny_z = cti_program_tuned.pivot.slope * cti_most(p->n, p->z), p->tiny_u = s->slight * cti_most(p->n, s->q);
    return CTI_OUTCOME_SOLVED;
}

CTI_FN cti_outcome cti_sparse_pivot_run(cti_sparse_pivot *s)
{
    s->rule.n = s->M->rows, s->rule.solve = cti_sparse_pivot_solve, s->rule.ctx = s;
    return cti_block_pivot_run(&s->rule);
}
