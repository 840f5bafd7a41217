/* iterate.c -- the iterate of Newton's methods on a contact problem: J, A and J' in double, the balance and the judgement of an iterate. */
#include "iterate.h"
#include "solve_policy.h"

CTI_FN int cti_jacobian_make(const cti_problem *p, cti_arena *arena, cti_jacobian *out)
{
    int i, k, a;
    out->p = p, out->first = CTI_ARENA_NEW(arena, int32_t, p->n_rows + 1);
    if (!out->first)
        return 0;
    for (out->first[0] = 0, i = 0; i < p->n_rows; i++)
        out->first[i + 1] = out->first[i] + p->rows[i].n;
    out->G = CTI_ARENA_NEW(arena, double, 18 * (size_t)out->first[p->n_rows]);
    if (!out->G)
        return 0;
    out->Gt = out->G + 9 * (size_t)out->first[p->n_rows];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            size_t at = 9 * (size_t)(out->first[i] + k);
            ct_real G[9], Gt[9];
            cti_row_map(&p->rows[i], k, G), cti_row_map_t(p, &p->rows[i], k, Gt);
            for (a = 0; a < 9; a++)
                out->G[at + (size_t)a] = (double)G[a], out->Gt[at + (size_t)a] = (double)Gt[a];
        }
    return 1;
}

CTI_FN double cti_linear_price(const cti_linear *L) { return cti_solve_tuned.augmented.flop * L->flops; }

CTI_FN int cti_jacobian_stiffness(const cti_jacobian *J, int i, const double *H, double *out)
{
    const double *G = J->Gt + 9 * (size_t)J->first[i];
    int k, l, a, b, c, n = J->p->rows[i].n;
    if (!(H[0] > 0 || H[4] > 0 || H[8] > 0))
        return 0;
    for (k = 0; k < n; k++) {
        double T[9] = {0};
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++)
                for (c = 0; c < 3; c++)
                    T[3 * a + b] += G[9 * k + 3 * a + c] * H[3 * c + b];
        for (l = k; l < n; l++) {
            double *to = out + 9 * (k * n + l), *back = out + 9 * (l * n + k);
            const double *g = G + 9 * l;
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++)
                    to[3 * a + b] = T[3 * a] * g[3 * b] + T[3 * a + 1] * g[3 * b + 1] + T[3 * a + 2] * g[3 * b + 2];
            for (a = 0; a < 3; a++)
                for (b = 0; l > k && b < 3; b++)
                    back[3 * b + a] = to[3 * a + b];
        }
    }
    return n * n;
}

CTI_FN void cti_iterate_gather(const cti_iterate *q, const double *v, double *u)
{
    int i, k, a;
    for (i = 0; i < q->p->n_rows; i++) {
        double sum[3] = {0, 0, 0};
        for (k = 0; k < q->p->rows[i].n; k++) {
            const double *G = q->J->G + 9 * (size_t)(q->J->first[i] + k), *x = v + 3 * (size_t)q->p->rows[i].term[k].block;
            for (a = 0; a < 3; a++)
                sum[a] += G[3 * a] * x[0] + G[3 * a + 1] * x[1] + G[3 * a + 2] * x[2];
        }
        memcpy(u + 3 * (size_t)i, sum, sizeof sum);
    }
}

CTI_FN void cti_iterate_push(const cti_iterate *q, int i, const double *r, double *f)
{
    const double *G = q->J->Gt + 9 * (size_t)q->J->first[i];
    int k, a;
    for (k = 0; k < q->p->rows[i].n; k++, G += 9)
        for (a = 0; a < 3; a++)
            f[3 * (size_t)q->p->rows[i].term[k].block + (size_t)a] += G[3 * a] * r[0] + G[3 * a + 1] * r[1] + G[3 * a + 2] * r[2];
}

CTI_FN void cti_iterate_multiply(const cti_iterate *q, const double *x, double *y)
{
    const cti_bsr *A = q->p->A;
    int i, k, a;
    for (i = 0; i < A->n; i++)
        for (a = 0; a < 3; a++) {
            double sum = 0;
            for (k = A->row[i]; k < A->row[i + 1]; k++) {
                const ct_real *K = A->val + 9 * (size_t)k + 3 * a;
                const double *z = x + 3 * (size_t)A->col[k];
                sum += (double)K[0] * z[0] + (double)K[1] * z[1] + (double)K[2] * z[2];
            }
            y[3 * i + a] = sum;
        }
}

/* out = J v + w */
static void cti_iterate_velocities(const cti_iterate *q, double *out)
{
    int i;
    cti_iterate_gather(q, q->v, out);
    for (i = 0; i < 3 * q->p->n_rows; i++)
        out[i] += (double)q->p->rows[i / 3].w[i % 3];
}

CTI_FN double cti_iterate_gradient(const cti_iterate *q)
{
    const cti_problem *p = q->p;
    int n = p->A->n, i, k, a;
    double big = 0;
    cti_iterate_multiply(q, q->v, q->f);
    for (i = 0; i < 3 * n; i++)
        q->f[i] = (double)p->b[i] - q->f[i];
    for (i = 0; i < p->n_rows; i++)
        cti_iterate_push(q, i, q->r + 3 * (size_t)i, q->f);
    for (i = 0; i < n; i++) {
        ct_real inv[9] = {0}; /* 0 times what is no number is none */
        cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[i], inv);
        for (k = 0; k < 3; k++) {
            double e = 0;
            for (a = 0; a < 3; a++)
                e += (double)inv[3 * k + a] * q->f[3 * i + a];
            e = fabs(e) * (double)cti_problem_lever(p, i);
            big = e > big || e != e ? e : big; /* what is no number stays */
        }
    }
    return big / (double)p->velocity_scale;
}

/* balances the momenta of v and r. 0: out of memory */
static int cti_iterate_balance(const cti_iterate *q, ct_real *v)
{
    const cti_problem *p = q->p;
    int n3 = 3 * p->A->n, i, k;
    cti_iterate_gradient(q);
    for (i = 0; i < n3; i++)
        q->work[i] = (ct_real)q->f[i];
    if (p->calls.balance && !p->calls.balance(p->calls.balance_ctx, q->work, v))
        return 0;
    for (i = 0; i < n3; i++)
        q->v[i] = (double)v[i];
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            if (p->rows[i].r[k] != (ct_real)q->r[3 * i + k])
                q->r[3 * i + k] = (double)p->rows[i].r[k];
    return 1;
}

/* what r moves the rows beyond u, by their local compliances: the dynamics where v is not made */
static double cti_iterate_undone(const cti_iterate *q)
{
    double big = 0;
    int i;
    for (i = 0; i < 3 * q->p->n_rows; i++) {
        double e = fabs((double)q->p->local[i] * (q->r[i] - q->done[i]));
        big = e > big || e != e ? e : big; /* what is no number stays */
    }
    return big / (double)q->p->velocity_scale;
}

/* q->v, made or not, and q->r at velocities u, judged. Multipliers are judged in double: rounded to float, those under a heavy body
   throw a light one */
static void cti_iterate_residuals(const cti_iterate *q, const double *u, int made, cti_residuals *res)
{
    const cti_problem *p = q->p;
    int i;
    memset(res, 0, sizeof *res);
    for (i = 0; i < p->n_rows; i++) {
        cti_row_follow(&p->rows[i], (ct_real)q->r[cti_iterate_normal(q, i)]);
        cti_residual_row(p, q->cone, &p->rows[i], u + 3 * (size_t)i, q->r + 3 * (size_t)i, p->local + 3 * (size_t)i, res);
    }
    res->dynamics = (ct_real)(q->L->respond && !made ? cti_iterate_undone(q) : cti_iterate_gradient(q));
    res->natural_map = cti_max(res->natural, res->dynamics); /* NaN stays */
}

CTI_FN int cti_iterate_judge(cti_iterate *q, ct_real *v)
{
    const cti_problem *p = q->p;
    cti_residuals res;
    int n3 = 3 * p->A->n, i;
    if (q->L->respond && q->is_judged)
        q->L->move(q->L->ctx, q->r, q->v);
    for (i = 0; i < n3; i++)
        v[i] = (ct_real)q->v[i];
    for (i = 0; i < 3 * p->n_rows; i++)
        p->rows[i / 3].r[i % 3] = (ct_real)q->r[i];
    memcpy(q->d, q->v, sizeof *q->d * (size_t)n3), memcpy(q->du, q->r, sizeof *q->du * 3 * (size_t)p->n_rows);
    if (!cti_iterate_balance(q, v))
        return 0;
    cti_iterate_velocities(q, q->seen);
    cti_iterate_residuals(q, q->seen, 1, &res);
    memcpy(q->v, q->d, sizeof *q->d * (size_t)n3), memcpy(q->r, q->du, sizeof *q->du * 3 * (size_t)p->n_rows);
    q->now = res.natural_map;
    if (q->is_judged && !(res.natural_map < q->res.natural_map) && q->res.natural_map == q->res.natural_map) /* NaN gives way */
        return 1;
    q->res = res, q->is_judged = 1;
    memcpy(q->best, v, sizeof *v * (size_t)n3);
    for (i = 0; i < p->n_rows; i++)
        memcpy(q->best + n3 + 3 * i, p->rows[i].r, sizeof p->rows[i].r);
    return 1;
}

CTI_FN size_t cti_iterate_normal(const cti_iterate *q, int i) { return 3 * (size_t)(i + q->p->rows[i].load); }

CTI_FN double cti_iterate_coefficient(const cti_row *row) { return (double)(row->load ? row->share : row->equations ? 0 : row->mu); }

/* du = J d, d += (A + J'HJ)^-1 J' g */
static void cti_iterate_respond(const cti_iterate *q, const double *g)
{
    int i;
    if (q->L->respond) {
        q->L->respond(q->L->ctx, g, q->ddone, q->du);
        return;
    }
    for (i = 0; i < q->p->n_rows; i++)
        cti_iterate_push(q, i, g + 3 * (size_t)i, q->d);
    q->L->solve(q->L->ctx, q->d);
    cti_iterate_gather(q, q->d, q->du);
}

CTI_FN void cti_iterate_direct(const cti_iterate *q, const double *g, int moved)
{
    int m3 = 3 * q->p->n_rows, i;
    if (q->L->respond) {
        for (i = 0; i < m3; i++)
            q->seen[i] = g[i] + (q->r[i] - q->done[i]);
        cti_iterate_respond(q, q->seen);
        return;
    }
    if (moved)
        cti_iterate_gradient(q);
    cti_vec_copy(3 * q->p->A->n, q->f, q->d);
    cti_iterate_respond(q, g);
}

/* out [rows] = what the loads of the bounds lack after bounds change by x: x - mu (change of the normal impulses). With the last matrix, these
   change by -H J (A + J'HJ)^-1 J' edge x. g [3 rows] is overwritten */
static void cti_iterate_lack(const cti_iterate *q, const double *H, const double *edges, const double *x, double *g, double *out)
{
    const cti_problem *p = q->p;
    int i, k;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            g[3 * i + k] = edges[4 * i] > 0 ? edges[4 * i + 1 + k] * x[i] : 0;
    cti_vec_zero(3 * p->A->n, q->d);
    cti_iterate_respond(q, g);
    for (i = 0; i < p->n_rows; i++) {
        size_t normal = cti_iterate_normal(q, i);
        out[i] = edges[4 * i] > 0 ? x[i] + cti_iterate_coefficient(&p->rows[i]) * H[3 * normal] * q->du[normal] : 0;
    }
}

CTI_FN int cti_bounds_make(cti_bounds *b, cti_arena *arena, int rows, int most)
{
    b->n = 0, b->most = most;
    b->all = CTI_ARENA_NEW(arena, double, 2 * (size_t)rows * (size_t)most + 1), b->work = CTI_ARENA_NEW(arena, double, 5 * (size_t)rows);
    return b->all && b->work;
}

/* x += the share of r along direction k, r -= what the direction does */
static void cti_bounds_along(const cti_bounds *b, int k, int m, double *x, double *r)
{
    const double *z = b->all + 2 * (size_t)m * (size_t)k, *Mz = z + m;
    double along = cti_dot(m, r, Mz);
    cti_vec_add(m, along, z, x), cti_vec_add(m, -along, Mz, r);
}

CTI_FN void cti_iterate_bounds(const cti_iterate *q, cti_bounds *b, const double *H, const double *edges, int more, double solved, double *change)
{
    int m = q->p->n_rows, i, j, k, most = 0;
    double *r = b->work, *x = r + m, *g = x + m, first, along;
    for (i = 0; i < m; i++)
        r[i] = edges[4 * i] > 0 ? change[i] : 0, x[i] = 0, most += edges[4 * i] > 0;
    most = cti_min_int(cti_min_int(most, b->most), b->n + more);
    first = cti_dot(m, r, r);
    for (k = 0; k < b->n; k++)
        cti_bounds_along(b, k, m, x, r);
    for (; b->n < most && cti_dot(m, r, r) > solved * first; b->n++) {
        double *z = b->all + 2 * (size_t)m * (size_t)b->n, *Mz = z + m;
        cti_vec_copy(m, r, z);
        cti_iterate_lack(q, H, edges, z, g, Mz);
        for (j = 0; j < b->n; j++) {
            const double *y = b->all + 2 * (size_t)m * (size_t)j;
            along = cti_dot(m, Mz, y + m);
            cti_vec_add(m, -along, y, z), cti_vec_add(m, -along, y + m, Mz);
        }
        along = sqrt(cti_dot(m, Mz, Mz));
        if (!(along > 0) || !cti_finite64(along))
            break;
        for (i = 0; i < m; i++)
            z[i] /= along, Mz[i] /= along;
        cti_bounds_along(b, b->n, m, x, r);
    }
    for (i = 0; i < m; i++)
        change[i] = edges[4 * i] > 0 ? x[i] : 0;
}

CTI_FN double cti_iterate_natural(const cti_iterate *q)
{
    cti_residuals res;
    cti_iterate_residuals(q, q->u, 0, &res);
    return (double)res.natural_map;
}

CTI_FN int cti_iterate_open(cti_iterate *q, const cti_jacobian *J, const cti_linear *L, ct_cone cone, cti_arena *arena, ct_real *v)
{
    const cti_problem *p = J->p;
    size_t n3 = 3 * (size_t)p->A->n, m = (size_t)p->n_rows, i;
    memset(q, 0, sizeof *q);
    q->p = p, q->J = J, q->L = L, q->cone = cone;
    q->v = CTI_ARENA_NEW(arena, double, 3 * n3), q->u = CTI_ARENA_NEW(arena, double, 18 * m);
    q->best = CTI_ARENA_NEW(arena, ct_real, n3 + 3 * m), q->work = CTI_ARENA_NEW(arena, ct_real, n3);
    if (!q->v || !q->u || !q->best || !q->work)
        return 0;
    q->d = q->v + n3, q->f = q->d + n3;
    q->du = q->u + 3 * m, q->r = q->du + 3 * m, q->seen = q->r + 3 * m, q->done = q->seen + 3 * m, q->ddone = q->done + 3 * m;
    for (i = 0; i < n3; i++)
        q->v[i] = (double)v[i];
    for (i = 0; i < 3 * m; i++)
        q->r[i] = (double)p->rows[i / 3].r[i % 3];
    cti_iterate_velocities(q, q->u);
    if (!cti_iterate_judge(q, v))
        return 0;
    if (L->respond) {
        L->move(L->ctx, q->r, q->v);
        cti_vec_copy(3 * (int)m, q->r, q->done);
        cti_iterate_velocities(q, q->u);
    }
    return 1;
}

CTI_FN int cti_iterate_free(cti_iterate *q, double *H)
{
    const cti_problem *p = q->p;
    int n3 = 3 * p->A->n, m3 = 3 * p->n_rows, i;
    cti_vec_zero(m3, q->r);
    if (q->L->respond) {
        q->L->move(q->L->ctx, q->r, q->v);
        cti_vec_zero(m3, q->done);
    } else {
        cti_vec_zero(3 * m3, H);
        if (!q->L->factor(q->L->ctx, H))
            return 0;
        for (i = 0; i < n3; i++)
            q->v[i] = (double)p->b[i];
        q->L->solve(q->L->ctx, q->v);
    }
    cti_iterate_velocities(q, q->u);
    return 1;
}

CTI_FN void cti_iterate_step(const cti_iterate *q, double a)
{
    if (q->L->respond)
        cti_vec_add(3 * q->p->n_rows, a, q->ddone, q->done);
    else
        cti_vec_add(3 * q->p->A->n, a, q->d, q->v);
    cti_vec_add(3 * q->p->n_rows, a, q->du, q->u);
}

CTI_FN void cti_iterate_close(const cti_iterate *q, ct_real tolerance, ct_real *v, cti_solve_info *info)
{
    int n3 = 3 * q->p->A->n, i;
    memcpy(v, q->best, sizeof *v * (size_t)n3);
    for (i = 0; i < q->p->n_rows; i++)
        memcpy(q->p->rows[i].r, q->best + n3 + 3 * i, sizeof q->p->rows[i].r);
    info->res = q->res, info->judged = 1;
    info->status = q->res.natural_map <= tolerance ? CTI_SOLVE_OK : CTI_SOLVE_BUDGET;
}
