/* coarse.c -- the coarse grid of a solve that splits bodies into nodes: it corrects whole bodies.
   Method: Gauss-Seidel over nodes leaves errors that are smooth over a body. With fixed multipliers and contact states they solve M z = b +
   J' r - A v. M is A plus a stiffness at the blocks of active contacts: along the normal of a loaded one, and in the tangent plane mu
   lambda / |u_t|, the majorant of sliding friction, which is stiff if the contact sticks. Where the other side can move, the stiffness is at
   most that side's own: a Robin condition in place of a Dirichlet condition. M has the pattern of A. Its float factor may lag: for a contact
   that it does not contain, the correction is scaled back so that it neither presses nor opens the contact.
   Based on: Graeser and Kornhuber 2009 (truncated Newton multigrid: relax, then correct what the constraints leave free), Gander 2006 (Robin
   conditions between subdomains); differs: a direct solve for the coarse grids of bodies that have a factor, conjugate gradients for those that have
   two grids (twogrid.h); a contact of several nodes holds each of them independently. */
#include "coarse.h"
#include "policy.h"

static int cti_coarse_is_split(const cti_coarse *t, int c) { return t->f->components[t->island->components[c]].solve.node_ports > 0; }

/* 1 if a row acts: it is a loaded contact or a joint */
static int cti_coarse_is_active(const cti_row *row) { return row->equations || row->r[0] > 0; }

/* largest stiffness with which terms [k, end) of a row hold the other side: the inverse of the sum of their blocks' compliances. A side without
   terms is static or scripted, which is a wall */
static ct_real cti_coarse_side(const cti_coarse *t, const cti_row *row, int k, int end)
{
    ct_real yield = 0;
    for (; k < end; k++) {
        const ct_real *D = t->diagonal + 9 * (size_t)row->term[k].block;
        yield += 3 * row->term[k].weight * row->term[k].weight / (D[0] + D[4] + D[8]);
    }
    return yield > 0 ? 1 / yield : CTI_REAL_MAX;
}

/* adds the stiffness of one row to the diagonal of A, at the row's blocks of split components. A wall holds them. Blocks that can move hold them
   with their own stiffness at most: two bodies that held each other like walls would correct no motion that they share. A correction that couples
   them holds with the stiffness of the softer side */
static void cti_coarse_stiffen(const cti_coarse *t, int number, const ct_real *v)
{
    const cti_row *row = &t->island->p.rows[number];
    ct_real u[3], slip, slide = row->mu * row->r[0], facing[2], between;
    int k, a, i, j;
    cti_row_velocity(row, v, u);
    slip = cti_sqrt(u[1] * u[1] + u[2] * u[2]);
    facing[0] = cti_coarse_side(t, row, row->n_a, row->n), facing[1] = cti_coarse_side(t, row, 0, row->n_a);
    between = cti_min(facing[0], facing[1]) * (cti_max(facing[0], facing[1]) < CTI_REAL_MAX ? 1 : cti_step_tuned.factors.held);
    if (t->between) {
        t->between[2 * number] = between;
        t->between[2 * number + 1] = row->equations || slide >= between * slip ? between : slide / slip;
    }
    for (k = 0; k < row->n; k++) {
        int b = row->term[k].block;
        const ct_real *D0 = t->diagonal + 9 * (size_t)b;
        ct_real *D = t->A->val + 9 * (size_t)t->A->diag[t->island->blocks[b]];
        ct_real w2 = row->term[k].weight * row->term[k].weight;
        ct_real stiff = t->between ? between : cti_min(cti_step_tuned.factors.held * (D0[0] + D0[4] + D0[8]) / 3, facing[k >= row->n_a]);
        ct_real across = row->equations || slide >= stiff * slip ? stiff : slide / slip;
        for (a = 0; a < 3; a++)
            for (i = 0; i < 3; i++)
                for (j = 0; j < 3; j++)
                    D[3 * i + j] += (a == 0 ? stiff : across) * w2 * row->frame[3 * a + i] * row->frame[3 * a + j];
    }
}

/* finds the blocks that active rows touch, and how many of each component's the present factor does not contain; marks components whose
   factor is due */
static int cti_coarse_find_due(cti_coarse *t, int renew)
{
    const cti_island *q = t->island;
    int i, k, c, any = 0;
    memset(t->is_touched, 0, (size_t)q->n);
    for (i = 0; i < q->p.n_rows; i++)
        for (k = 0; cti_coarse_is_active(&q->p.rows[i]) && k < q->p.rows[i].n; k++)
            t->is_touched[q->p.rows[i].term[k].block] = 1;
    for (c = 0; c < q->n_components; c++) {
        const cti_component *p = &t->f->components[q->components[c]];
        int last = p->place + p->end - p->begin, missing = 0, touched = 0;
        for (i = p->place; i < last; i++)
            touched += t->is_touched[i], missing += t->is_touched[i] && !t->f->held_at[q->blocks[i]];
        t->is_due[c] = (uint8_t)(cti_coarse_is_split(t, c) && (cti_policy_penalized_is_due(&p->cache.stamp, q->p.dt, renew, missing, touched) ||
                                                                (t->between && !t->is_known)));
        any |= t->is_due[c];
    }
    return any;
}

/* factors a component's M, which is stored in A. 0: out of memory */
static int cti_coarse_factor(cti_coarse *t, cti_component *p)
{
    cti_factors *f = t->f;
    cti_factor_cache *k = &p->cache;
    k->stamp.penalized_known = 0;
    k->stamp.penalized_version++;
    if (k->is_grid ? !cti_twogrid_inverse_reserve(p->lasting, &k->held, &k->grid)
                   : !cti_factor32_compute(p->lasting, &k->penalized, &p->analysis->symbolic, &p->gather, t->A->val) ||
                         !cti_factors_room(f, &k->penalized))
        return 0;
    if (k->is_grid)
        cti_twogrid_inverse_fill(&k->held, &k->grid, t->A, f->blocks + p->begin);
    k->stamp.penalized_known = 1;
    k->stamp.penalized_dt = t->island->p.dt;
    return 1;
}

/* computes the factors that are due. 0: out of memory */
static int cti_coarse_renew(cti_coarse *t, int renew, const ct_real *v)
{
    const cti_island *q = t->island;
    int c, i, ok = 1;
    if (!cti_coarse_find_due(t, renew))
        return 1;
    t->is_known = 1;
    for (c = 0; c < q->n_components; c++)
        if (t->f->components[q->components[c]].cache.is_grid)
            cti_factors_share_grid(&t->f->components[q->components[c]], t->A);
    for (i = 0; i < q->n; i++)
        memcpy(t->diagonal + 9 * (size_t)i, t->A->val + 9 * (size_t)t->A->diag[q->blocks[i]], 9 * sizeof(ct_real));
    if (t->between)
        memset(t->between, 0, sizeof(ct_real) * 2 * (size_t)q->p.n_rows);
    for (i = 0; i < q->p.n_rows; i++)
        if (cti_coarse_is_active(&q->p.rows[i]))
            cti_coarse_stiffen(t, i, v);
    for (c = 0; ok && c < q->n_components; c++) {
        cti_component *p = &t->f->components[q->components[c]];
        if (!t->is_due[c])
            continue;
        ok = cti_coarse_factor(t, p);
        for (i = p->place; i < p->place + p->end - p->begin; i++)
            t->f->held_at[q->blocks[i]] = t->is_touched[i];
    }
    for (i = 0; i < q->n; i++)
        memcpy(t->A->val + 9 * (size_t)t->A->diag[q->blocks[i]], t->diagonal + 9 * (size_t)i, 9 * sizeof(ct_real));
    return ok;
}

/* a row with blocks that the factor does not contain: z may not change the approach of an active row, nor close an open one farther than to touch */
static void cti_coarse_limit(cti_coarse *t, const cti_row *row, const ct_real *v)
{
    cti_v3 n = cti_v3_at(row->frame, 0);
    ct_real u[3], dz = 0, w2 = 0, cut;
    int k, known = 1;
    for (k = 0; k < row->n; k++) {
        const cti_term *m = &row->term[k];
        if (!t->is_split[m->block])
            continue;
        known &= t->f->held_at[t->island->blocks[m->block]];
        dz += m->weight * cti_v3_dot(n, cti_v3_at(t->z, m->block)), w2 += m->weight * m->weight;
    }
    if (known || !(w2 > 0))
        return;
    cut = dz;
    if (!cti_coarse_is_active(row)) {
        cti_row_velocity(row, v, u);
        cut = cti_max(cti_min(0, u[0] + dz), cti_min(0, dz));
    }
    for (k = 0; cut != 0 && k < row->n; k++)
        if (t->is_split[row->term[k].block])
            cti_v3_addto(t->z, row->term[k].block, cti_v3_mul(n, -cut * row->term[k].weight / w2));
}

/* y = (A + J'HJ) x: bodies with two grids are corrected together, as the stiffness H of the rows between them couples them */
static void cti_coarse_product(void *ctx, const ct_real *x, ct_real *y)
{
    const cti_coarse *t = (const cti_coarse *)ctx;
    const cti_island *q = t->island;
    ct_real u[3];
    int c, i, k;
    memset(y, 0, sizeof *y * 3 * (size_t)q->n);
    for (c = 0; c < q->n_components; c++) {
        const cti_component *p = &t->f->components[q->components[c]];
        if (cti_coarse_is_split(t, c) && p->cache.is_grid)
            cti_factors_by_grid(t->f, p, NULL, q->own + p->place, x, y, 0);
        for (i = p->place; cti_coarse_is_split(t, c) && !p->cache.is_grid && i < p->place + p->end - p->begin; i++)
            cti_v3_put(y, i, cti_bsr_row(&q->A, x, i));
    }
    for (i = 0; i < q->p.n_rows; i++) {
        if (!(t->between[2 * i] > 0))
            continue;
        cti_row_velocity(&q->p.rows[i], x, u);
        for (k = 0; k < 3; k++)
            u[k] = (u[k] - q->p.rows[i].w[k]) * t->between[2 * i + (k > 0)];
        cti_row_scatter(&q->p, &q->p.rows[i], u, y);
    }
    for (i = 0; i < q->n; i++)
        if (!t->is_split[i])
            cti_v3_put(y, i, cti_v3_zero());
}

/* z = M^-1 r, body by body */
static void cti_coarse_precondition(void *ctx, const ct_real *r, ct_real *z)
{
    const cti_coarse *t = (const cti_coarse *)ctx;
    const cti_island *q = t->island;
    int c;
    memset(z, 0, sizeof(ct_real) * 3 * (size_t)q->n);
    for (c = 0; c < q->n_components; c++) {
        const cti_component *p = &t->f->components[q->components[c]];
        if (cti_coarse_is_split(t, c))
            cti_factors_apply(t->f, p, &p->cache.penalized, q->own + p->place, r, z, 0);
    }
}

static ct_real cti_coarse_apply(void *ctx, int renew, const ct_real *f, ct_real *v)
{
    cti_coarse *t = (cti_coarse *)ctx;
    const cti_island *q = t->island;
    cti_operator A, M;
    ct_real big = 0;
    int c, i, k;
    A.n = M.n = 3 * q->n, A.ctx = M.ctx = t, A.apply = cti_coarse_product, M.apply = cti_coarse_precondition;
    if (renew >= 0 && !cti_coarse_renew(t, renew, v))
        return -1;
    memset(t->z, 0, sizeof(ct_real) * 3 * (size_t)q->n);
    memset(t->r, 0, sizeof(ct_real) * 3 * (size_t)q->n);
    for (c = 0; c < q->n_components; c++) {
        const cti_component *p = &t->f->components[q->components[c]];
        if (!cti_coarse_is_split(t, c))
            continue;
        cti_factors_residual(p, q->own + p->place, &q->A, f, v, t->r);
        if (!t->between)
            cti_factors_apply(t->f, p, &p->cache.penalized, q->own + p->place, t->r, t->z, 0);
    }
    if (t->between)
        cti_pcg_run(&A, &M, t->r, t->z, cti_step_tuned.factors.share, cti_step_tuned.factors.gradients, t->work, NULL);
    for (i = 0; i < q->p.n_rows; i++)
        cti_coarse_limit(t, &q->p.rows[i], v);
    for (k = 0; k < 3 * q->n; k++)
        v[k] += t->z[k], big = cti_max(big, cti_abs(t->z[k]));
    return big;
}

CTI_FN void cti_coarse_begin(cti_factors *f)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++)
        if (cti_factors_is_cheap(&f->components[c]))
            f->components[c].cache.stamp.penalized_known = 0;
}

CTI_FN int cti_coarse_open(cti_factors *f, cti_arena *arena, cti_bsr *A, const cti_island *island, cti_coarse *out)
{
    int c, any = 0, known = CTI_LEN(f->held_at), grids = 0;
    memset(out, 0, sizeof *out);
    out->f = f, out->A = A, out->island = island;
    for (c = 0; c < island->n_components; c++) {
        any += cti_coarse_is_split(out, c);
        grids |= cti_coarse_is_split(out, c) && f->components[island->components[c]].cache.is_grid;
    }
    if (!cti_policy_is_corrected(any))
        return 1;
    out->is_split = CTI_ARENA_ZERO(arena, uint8_t, island->n);
    for (c = 0; out->is_split && c < island->n_components; c++) {
        const cti_component *p = &f->components[island->components[c]];
        if (cti_coarse_is_split(out, c))
            memset(out->is_split + p->place, 1, (size_t)(p->end - p->begin));
    }
    if (known < A->n) {
        if (!CTI_RESIZE(f->mem, f->held_at, A->n))
            return 0;
        memset(f->held_at + known, 0, (size_t)(A->n - known));
    }
    out->r = CTI_ARENA_NEW(arena, ct_real, 3 * island->n), out->z = CTI_ARENA_NEW(arena, ct_real, 3 * island->n);
    out->diagonal = CTI_ARENA_NEW(arena, ct_real, 9 * island->n), out->is_touched = CTI_ARENA_NEW(arena, uint8_t, island->n);
    out->is_due = CTI_ARENA_NEW(arena, uint8_t, island->n_components);
    if (grids) {
        out->between = CTI_ARENA_NEW(arena, ct_real, 2 * island->p.n_rows), out->work = CTI_ARENA_NEW(arena, ct_real, 12 * (size_t)island->n);
        if (!out->between || !out->work)
            return 0;
    }
    out->correction.apply = cti_coarse_apply, out->correction.ctx = out;
    for (out->correction.is_cheap = 1, c = 0; c < island->n_components; c++)
        out->correction.is_cheap &= !cti_coarse_is_split(out, c) || cti_factors_is_cheap(&f->components[island->components[c]]);
    return out->r && out->z && out->diagonal && out->is_touched && out->is_due && out->is_split;
}
