/* friction.c -- code shared by the solvers of stand-alone frictional contact problems: the scaled form, products with W, the residual, block
   Gauss-Seidel sweeps. Based on: Acary, Bremond and Huber 2018, On solving contact problems with Coulomb friction: formulations and numerical
   comparisons (NSGS with exact local solver, natural map). */
#include "friction.h"
#include "coulomb.h"
#include "dual.h"
#include "../2_linalg/lu.h"

/* ---- the form ---- */

/* 1 if block (i, j) of the dense W is not 0 */
static int cti_friction_joined(const cti_friction *f, int i, int j)
{
    int a, b;
    for (a = 3 * i; a < 3 * i + 3; a++)
        for (b = 3 * j; b < 3 * j + 3; b++)
            if (f->W[cti_index(a, f->ld, b)] != 0)
                return 1;
    return i == j;
}

/* converts a dense W that is mostly zeros, as for rigid bodies, to sparse blocks: the first pass counts, the second copies */
static int cti_friction_thin(cti_friction *f)
{
    int i, j, a, b, n = f->nc, count, pass;
    f->first = CTI_ARENA_ZERO(f->e->arena, int32_t, n + 1);
    if (!f->first)
        return 0;
    for (pass = 0; pass < 2; pass++) {
        for (count = 0, i = 0; i < n; f->first[++i] = count)
            for (j = 0; j < n; j++) {
                if (!cti_friction_joined(f, i, j))
                    continue;
                for (a = 0; a < 9 && pass; a++)
                    b = 3 * j + a % 3, f->block[9 * (size_t)count + (size_t)a] = f->W[cti_index(3 * i + a / 3, f->ld, b)];
                if (pass)
                    f->column[count] = j;
                count++;
            }
        if (pass == 0) {
            if (6.0 * count > (double)n * n)
                return 1;
            f->column = CTI_ARENA_NEW(f->e->arena, int32_t, count);
            f->block = CTI_ARENA_NEW(f->e->arena, double, 9 * (size_t)count);
            if (!f->column || !f->block)
                return 0;
        }
    }
    f->W = NULL;
    return 1;
}

/* scales W of f->dual, which is dense, for GLOBAL. 0: out of memory */
static int cti_friction_dense(cti_friction *f)
{
    int i, j, k;
    f->W = f->dual.W, f->ld = f->dual.ld;
    for (i = 0; i < f->m; i++) {
        double *row = f->W + (size_t)i * (size_t)f->ld;
        for (j = 0; j < f->m; j++)
            row[j] *= f->root[i / 3] * f->root[j / 3];
        for (k = 0; k < 3; k++)
            f->diagonal[9 * (i / 3) + 3 * (i % 3) + k] = row[3 * (i / 3) + k];
        f->q[i] = f->root[i / 3] * f->dual.q[i];
    }
    return cti_friction_thin(f);
}

/* columns of the blocks in block row i, the diagonal one included; `seen` is set to i for them. Returns their number, and writes them to
   `out` unless it is NULL */
static int cti_friction_columns(const cti_sparse *W, int i, int32_t *seen, int32_t *out)
{
    int a, k, n = 0;
    for (a = 3 * i; a < 3 * i + 3; a++)
        for (k = W->p[a]; k < W->p[a + 1]; k++) {
            int b = W->i[k] / 3;
            if (seen[b] == i)
                continue;
            seen[b] = i;
            if (out)
                out[n] = b;
            n++;
        }
    if (seen[i] == i)
        return n;
    seen[i] = i;
    if (out)
        out[n] = i;
    return n + 1;
}

/* fills the scaled numbers of one block row; place [nc] is scratch */
static void cti_friction_blocks(cti_friction *f, int i, int32_t *place)
{
    const cti_sparse *W = &f->p->W;
    int a, k, at;
    for (at = f->first[i]; at < f->first[i + 1]; at++)
        place[f->column[at]] = at;
    memset(f->block + 9 * (size_t)f->first[i], 0, 9 * sizeof *f->block * (size_t)(f->first[i + 1] - f->first[i]));
    for (a = 0; a < 3; a++)
        for (k = W->p[3 * i + a]; k < W->p[3 * i + a + 1]; k++) {
            int j = W->i[k] / 3;
            f->block[9 * (size_t)place[j] + (size_t)(3 * a + W->i[k] % 3)] = f->root[i] * f->root[j] * W->x[k];
        }
    memcpy(f->diagonal + 9 * (size_t)i, f->block + 9 * (size_t)place[i], 9 * sizeof *f->block);
}

/* stores sparse blocks that are mostly there as dense rows */
static int cti_friction_fill(cti_friction *f)
{
    int i, k, a;
    if (f->nc < cti_program_tuned.friction.few || f->nc > cti_program_tuned.friction.full || 3.0 * f->first[f->nc] < (double)f->nc * f->nc)
        return 1;
    f->ld = cti_pad8(f->m) + 8;
    f->W = CTI_ARENA_ZERO(f->e->arena, double, (size_t)f->m *(size_t)f->ld);
    for (i = 0; f->W && i < f->nc; i++)
        for (k = f->first[i]; k < f->first[i + 1]; k++)
            for (a = 0; a < 9; a++)
                f->W[cti_index(3 * i + a / 3, f->ld, 3 * f->column[k] + a % 3)] = f->block[9 * (size_t)k + (size_t)a];
    return f->W != NULL;
}

/* W as sparse blocks, for LOCAL */
static int cti_friction_sparse(cti_friction *f)
{
    const cti_sparse *W = &f->p->W;
    int i, n = f->nc;
    int32_t *seen = CTI_ARENA_NEW(f->e->arena, int32_t, n);
    f->first = CTI_ARENA_NEW(f->e->arena, int32_t, n + 1);
    if (!seen || !f->first)
        return 0;
    memset(seen, -1, sizeof *seen * (size_t)n);
    for (f->first[0] = 0, i = 0; i < n; i++)
        f->first[i + 1] = f->first[i] + cti_friction_columns(W, i, seen, NULL);
    f->column = CTI_ARENA_NEW(f->e->arena, int32_t, f->first[n]);
    f->block = CTI_ARENA_NEW(f->e->arena, double, 9 * (size_t)f->first[n]);
    if (!f->column || !f->block)
        return 0;
    memset(seen, -1, sizeof *seen * (size_t)n);
    for (i = 0; i < n; i++) {
        cti_friction_columns(W, i, seen, f->column + f->first[i]);
    }
    for (i = 0; i < n; i++)
        cti_friction_blocks(f, i, seen);
    for (i = 0; i < f->m; i++)
        f->q[i] = f->root[i / 3] * f->p->w[i];
    return cti_friction_fill(f);
}

static void cti_friction_show(void *ctx) { cti_friction_answer((cti_friction *)ctx, ((cti_friction *)ctx)->a); }

static void cti_friction_start(cti_friction *f, const cti_answer *a)
{
    double norm = 0;
    int i;
    for (i = 0; i < f->m; i++)
        norm += f->q[i] * f->q[i];
    f->unit = norm > 0 ? sqrt(norm) : 1;
    for (i = 0; i < f->m; i++) {
        f->q[i] /= f->unit;
        f->r[i] = f->e->warm ? a->r[i] / (f->root[i / 3] * f->unit) : 0;
    }
    f->least.residual = INFINITY;
    cti_friction_residual(f);
    f->e->watcher.show = cti_friction_show, f->e->watcher.show_ctx = f;
}

CTI_FN cti_outcome cti_friction_open(cti_friction *f, const cti_program *p, cti_effort *e, cti_answer *a)
{
    double **const all[] = {&f->q, &f->r, &f->u, &f->least.r};
    cti_arena *arena = e->arena;
    cti_outcome outcome;
    int i;
    memset(f, 0, sizeof *f);
    f->p = p, f->e = e, f->a = a, f->m = p->m, f->nc = p->m / 3, f->mu = p->mu;
    if (p->kind != CTI_PROGRAM_LOCAL && p->kind != CTI_PROGRAM_GLOBAL)
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "the solver takes local and global frictional contact only");
    a->why = "";
    f->root = CTI_ARENA_NEW(arena, double, f->nc);
    f->diagonal = CTI_ARENA_ZERO(arena, double, 9 * (size_t)f->nc);
    if (!f->root || !f->diagonal || !CTI_ARENA_VECTORS(arena, f->m, all))
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < f->nc; i++)
        f->root[i] = sqrt(p->scale[i]);
    if (p->kind == CTI_PROGRAM_GLOBAL) {
        outcome = cti_dual_open(p, e, CTI_DUAL_PADDED, cti_program_tuned.judge.dense, &f->dual, &a->why);
        if (outcome != CTI_OUTCOME_SOLVED)
            return outcome;
    }
    if (!(p->kind == CTI_PROGRAM_GLOBAL ? cti_friction_dense(f) : cti_friction_sparse(f)))
        return CTI_OUTCOME_MEMORY;
    cti_friction_start(f, a);
    return CTI_OUTCOME_SOLVED;
}

CTI_FN void cti_friction_close(cti_friction *f) { f->e->watcher.show = NULL; }

/* ---- products and the residual ---- */

/* y [3] = rows of contact i of W times x */
static void cti_friction_row(const cti_friction *f, int i, const double *x, double *y)
{
    const double *B;
    double y0 = 0, y1 = 0, y2 = 0;
    int a, k, end;
    if (f->W) {
        for (a = 0; a < 3; a++)
            y[a] = cti_lu_dot(f->W + (size_t)(3 * i + a) * (size_t)f->ld, x, f->m);
        return;
    }
    B = f->block + 9 * (size_t)f->first[i];
    for (k = f->first[i], end = f->first[i + 1]; k < end; k++, B += 9) {
        const double *z = x + 3 * f->column[k];
        double z0 = z[0], z1 = z[1], z2 = z[2];
        y0 += B[0] * z0 + B[1] * z1 + B[2] * z2;
        y1 += B[3] * z0 + B[4] * z1 + B[5] * z2;
        y2 += B[6] * z0 + B[7] * z1 + B[8] * z2;
    }
    y[0] = y0, y[1] = y1, y[2] = y2;
}

CTI_FN void cti_friction_mul(const cti_friction *f, const double *x, double *y)
{
    int i;
    for (i = 0; i < f->nc; i++)
        cti_friction_row(f, i, x, y + 3 * i);
}

CTI_FN double cti_friction_natural(const cti_friction *f, const double *r, const double *u, double *share)
{
    double part = 0, whole = 0, data = 0, residual;
    int i, k;
    for (i = 0; i < f->nc; i++) {
        const double *ri = r + 3 * i, *ui = u + 3 * i, *qi = f->q + 3 * i;
        double hat[3], z[3];
        hat[0] = ui[0] + f->mu[i] * sqrt(ui[1] * ui[1] + ui[2] * ui[2]), hat[1] = ui[1], hat[2] = ui[2];
        cti_cone_natural(f->mu[i], ri, hat, z);
        for (k = 0; k < 3; k++) {
            double s = f->root[i] * f->root[i]; /* r_i of the problem is root_i s_i */
            part += s * z[k] * z[k], whole += s * ri[k] * ri[k], data += s * qi[k] * qi[k];
        }
    }
    residual = part == 0 ? 0 : (part > 0 ? sqrt(data > 0 ? part / data : part) : INFINITY);
    *share = part > 0 && whole > 0 ? sqrt(part / whole) : residual;
    return residual;
}

CTI_FN double cti_friction_residual(cti_friction *f)
{
    double residual;
    cti_friction_mul(f, f->r, f->u);
    cti_vec_add(f->m, 1, f->q, f->u);
    residual = cti_friction_natural(f, f->r, f->u, &f->share);
    if (residual < f->least.residual) {
        f->least.residual = residual;
        cti_vec_copy(f->m, f->r, f->least.r);
    }
    return residual;
}

CTI_FN void cti_friction_sweep(cti_friction *f, int back)
{
    int k, a;
    for (k = 0; k < f->nc; k++) {
        int i = back ? f->nc - 1 - k : k;
        const double *B = f->diagonal + 9 * (size_t)i;
        double *r = f->r + 3 * i, q[3];
        cti_friction_row(f, i, f->r, q);
        for (a = 0; a < 3; a++)
            q[a] += f->q[3 * i + a] - B[3 * a] * r[0] - B[3 * a + 1] * r[1] - B[3 * a + 2] * r[2];
        cti_coulomb_solve(B, q, f->mu[i], r);
    }
}

/* ---- budgets and the answer ---- */

CTI_FN void cti_friction_answer(cti_friction *f, cti_answer *a)
{
    const cti_program *p = f->p;
    int i;
    for (i = 0; i < f->m; i++)
        a->r[i] = f->least.r[i] * f->root[i / 3] * f->unit;
    a->iterations = f->run.iterations;
    if (p->kind == CTI_PROGRAM_GLOBAL)
        cti_dual_x(&f->dual, a->r, a->x);
    else
        cti_program_u(p, a->x, a->r, a->x);
}

CTI_FN int cti_friction_goes_on(cti_friction *f, int own, cti_answer *a)
{
    if (f->run.memory)
        return 0;
    f->run.spent = !cti_effort_goes_on(f->e, f->run.iterations, own, a->x, a->r);
    return !f->run.spent;
}

CTI_FN cti_outcome cti_friction_outcome(cti_friction *f, double enough, cti_answer *a)
{
    if (f->run.memory)
        return CTI_OUTCOME_MEMORY;
    cti_friction_answer(f, a);
    if (f->least.residual <= enough)
        return CTI_OUTCOME_SOLVED;
    a->why = f->run.spent ? "iterations or time ran out" : "the residual stood still, or a linear system was singular";
    return f->run.spent ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_FAILED;
}
