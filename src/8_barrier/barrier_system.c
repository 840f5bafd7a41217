/* barrier_system.c -- Newton's linear system: the pattern, the solve, and blocks that scripts move.
   Method: conjugate gradients, preconditioned by a supernodal LDL' in float of an earlier Hessian. Small systems, those of the forms, and those
   that float does not solve, have a factor of the Hessian itself in double. The pattern is kept while all blocks that are wanted have a place in
   it, so that pairs that come and go within a step cost nothing. It is made anew when one does not fit, or when most contact blocks are of pairs
   that are gone.
   A constrained block goes the rest of its way to where its script wants it: B <- S B S + (1 - S) scale, as in assemble.c. */
#include "barrier.h"

/* ---- what steps share ---- */

CTI_FN void cti_barrier_exchange(cti_barrier *b, int parts)
{
    cti_barrier_start *start = &b->start;
    if (parts & CTI_BARRIER_OLD_HESSIAN) {
        cti_barrier_hessian t = b->hessian;
        b->hessian = start->hessian, start->hessian = t;
    }
    if (parts & CTI_BARRIER_OLD_ANALYSIS) {
        cti_barrier_analysis t = b->analysis;
        b->analysis = start->analysis, start->analysis = t;
    }
    if (parts & CTI_BARRIER_OLD_FACTOR) {
        cti_factor16 t = b->factor.packed;
        b->factor.packed = start->factor.packed, start->factor.packed = t;
    }
}

/* before a part is made anew: that of the start goes aside, and gives its place to memory of an earlier one */
static void cti_barrier_replace(cti_barrier *b, int part)
{
    cti_barrier_exchange(b, part & ~b->start.replaced);
    b->start.replaced |= part;
}

CTI_FN void cti_barrier_system_begin(cti_barrier *b)
{
    b->start.replaced = 0;
    b->start.analyzed = b->hessian.analyzed;
    b->start.factor.known = b->factor.known, b->start.factor.excess = b->factor.excess;
}

CTI_FN void cti_barrier_system_restore(cti_barrier *b)
{
    cti_barrier_exchange(b, b->start.replaced);
    b->start.replaced = 0;
    b->hessian.analyzed = b->start.analyzed;
    b->factor.known = b->start.factor.known, b->factor.excess = b->start.factor.excess;
}

/* ---- the pattern ---- */

/* blocks of a set of vertices */
static int cti_barrier_blocks_of(const cti_state *s, const int32_t *v, int n, int32_t *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, k, m = 0;
    for (i = 0; i < n; i++) {
        const cti_attach *a = cti_barrier_of(s, b, v[i]);
        for (k = 0; k < a->n; k++)
            out[m++] = a->block[k];
    }
    return m;
}

/* 1 when all pairs of the vertices' blocks are in the pattern; counts those that are not in `seen` [slots], where many pairs of rigid bodies have the
   same. Without it they are appended to `wanted`. -1: out of memory */
static int cti_barrier_want(cti_state *s, const int32_t *v, int n, uint8_t *seen, int *count)
{
    cti_barrier *b = cti_barrier_own(s);
    int32_t list[16];
    int m = cti_barrier_blocks_of(s, v, n, list), i, j, slot;
    for (i = 0; i < m; i++)
        for (j = i + 1; j < m; j++) {
            if (list[i] == list[j])
                continue;
            if (!seen) {
                if (!CTI_PUSH(&s->prepared, b->matrix.wanted, list[i]) || !CTI_PUSH(&s->prepared, b->matrix.wanted, list[j]))
                    return -1;
                continue;
            }
            slot = cti_bsr_slot(&b->hessian.B, cti_min_int(list[i], list[j]), cti_max_int(list[i], list[j]));
            if (slot < 0)
                return 0;
            *count += !seen[slot], seen[slot] = 1;
        }
    return 1;
}

static int cti_barrier_want_all(cti_state *s, uint8_t *seen, int *count)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, fits = 1;
    for (i = 0; fits > 0 && i < CTI_LEN(b->contact.terms); i++)
        fits = cti_barrier_want(s, b->contact.terms[i].pair.v, b->contact.terms[i].pair.n, seen, count);
    for (i = 0; fits > 0 && i < CTI_LEN(b->contact.rubs); i++)
        fits = cti_barrier_want(s, b->contact.rubs[i].pair.v, b->contact.rubs[i].pair.n, seen, count);
    return fits;
}

/* the blocks of candidates that are not active, but within reach: pairs that come next find their place. 0: out of memory */
static int cti_barrier_want_near(cti_state *s)
{
    const cti_candidates *l = cti_barrier_own(s)->cover.list;
    int i, fits = 1;
    for (; l->kind != CT_PAIR_PLANE; l++)
        for (i = 0; fits > 0 && i < cti_candidates_len(l); i++) {
            ct_real reach = cti_barrier_tuned.newton.reach * l->hat[i];
            if (l->d2[i] < reach * reach && l->d2[i] >= l->hat[i] * l->hat[i])
                fits = cti_barrier_want(s, l->quads + 4 * (size_t)i, cti_kind_corners(l->kind), NULL, NULL);
        }
    return fits > 0;
}

/* where blocks of A go in B */
CTI_FN int cti_barrier_slots(cti_state *s, cti_barrier_hessian *h)
{
    const int32_t *block_of = cti_barrier_own(s)->layout.block_of;
    int i, k;
    if (!CTI_RESIZE(&s->prepared, h->slot_of, s->system.A.row[s->n]))
        return 0;
    for (i = 0; i < s->n; i++)
        for (k = s->system.A.row[i]; k < s->system.A.row[i + 1]; k++)
            h->slot_of[k] = s->bodies.rigid_of[i] < 0 ? cti_bsr_slot(&h->B, block_of[i], block_of[s->system.A.col[k]]) : -1;
    return 1;
}

static int cti_barrier_repattern(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, n = CTI_LEN(b->matrix.elastic);
    CTI_CLEAR(b->matrix.wanted);
    if (!CTI_RESERVE(&s->prepared, b->matrix.wanted, n + 1))
        return 0;
    for (i = 0; i < n; i++)
        if (!CTI_PUSH(&s->prepared, b->matrix.wanted, b->matrix.elastic[i]))
            return 0;
    if (cti_barrier_want_all(s, NULL, NULL) < 0 || !cti_barrier_want_near(s))
        return 0;
    cti_barrier_replace(b, CTI_BARRIER_OLD_HESSIAN);
    b->hessian.known = b->hessian.analyzed = 0;
    if (!cti_bsr_pattern(&s->prepared, &b->hessian.B, b->n, b->matrix.wanted, CTI_LEN(b->matrix.wanted) / 2) || !cti_barrier_slots(s, &b->hessian))
        return 0;
    b->hessian.contact_blocks = (b->hessian.B.row[b->n] - b->n - n) / 2;
    b->hessian.known = 1;
    return 1;
}

CTI_FN int cti_barrier_pattern(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    uint8_t *seen = b->hessian.known ? CTI_ARENA_ZERO(s->arena, uint8_t, b->hessian.B.row[b->n]) : NULL;
    int count = 0, fits = seen && cti_barrier_want_all(s, seen, &count);
    cti_arena_rewind(s->arena, mark);
    if (b->hessian.known && !seen)
        return 0;
    if (!fits || b->hessian.contact_blocks > cti_barrier_tuned.newton.stale * count + 64) {
        if (!cti_barrier_repattern(s))
            return 0;
    } else
        memset(b->hessian.B.val, 0, sizeof(ct_real) * 9 * (size_t)b->hessian.B.row[b->n]);
    return 1;
}

CTI_FN void cti_barrier_add(cti_barrier *b, int i, int j, const ct_real *m, ct_real scale)
{
    ct_real *to = b->hessian.B.val + 9 * (size_t)(i == j ? b->hessian.B.diag[i] : cti_bsr_slot(&b->hessian.B, i, j));
    int k;
    for (k = 0; k < 9; k++)
        to[k] += scale * m[k];
}

/* what is left of the way of a block of y, along its scripted axes; free: what it moves along the others */
static cti_v3 cti_barrier_way(const cti_state *s, int at, cti_v3 free)
{
    const cti_barrier *b = cti_barrier_own(s);
    cti_v3 d = cti_v3_sub(cti_v3_at(b->scripts.goal, at), cti_v3_at(b->y, at));
    return cti_v3_add(d, cti_barrier_free(s, at, cti_v3_sub(free, d)));
}

CTI_FN void cti_barrier_follow(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int at;
    for (at = 0; s->scripts.n_constrained && at < b->n; at++)
        if (b->scripts.filter[at] >= 0)
            cti_v3_put(b->dy, at, cti_barrier_way(s, at, cti_v3_at(b->dy, at)));
}

/* scripted blocks go what is left of their way */
CTI_FN void cti_barrier_constrain(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real *way = b->y_try;
    int at;
    if (s->scripts.n_constrained == 0)
        return;
    memset(way, 0, sizeof(ct_real) * 3 * (size_t)b->n);
    for (at = 0; at < b->n; at++)
        if (b->scripts.filter[at] >= 0)
            cti_v3_put(way, at, cti_barrier_way(s, at, cti_v3_zero()));
    cti_bsr_constrain(&b->hessian.B, b->scripts.filter, s->scripts.projectors, way, -1, b->g);
}

CTI_FN void cti_barrier_shift_mass(cti_state *s, ct_real by)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k;
    for (i = 0; i < s->n; i++) {
        ct_real *D, m = by * s->bodies.mass[i];
        if (s->bodies.rigid_of[i] >= 0)
            continue;
        D = b->hessian.B.val + 9 * (size_t)b->hessian.B.diag[b->layout.block_of[i]];
        for (k = 0; k < 9; k++)
            D[k] += m * (s->scripts.filter[i] >= 0 ? s->scripts.projectors[9 * (size_t)s->scripts.filter[i] + (size_t)k] : (k % 4 == 0 ? 1 : 0));
    }
}

CTI_FN void cti_barrier_lift(cti_state *s, ct_real by)
{
    cti_bsr *B = &cti_barrier_own(s)->hessian.B;
    int i, k;
    for (i = 0; i < B->n; i++) {
        ct_real *D = B->val + 9 * (size_t)B->diag[i], mean = by * (D[0] + D[4] + D[8]) / 3;
        for (k = 0; k < 9; k += 4)
            D[k] += mean;
    }
}

/* ---- the linear system ---- */

/* z = M^-1 r by the lagged factor, or by that of B in double: cti_operator_fns */
static void cti_barrier_precondition_exactly(void *ctx, const ct_real *r, ct_real *z)
{
    cti_barrier_factors *f = &((cti_barrier *)ctx)->factors;
    int n = 3 * ((cti_barrier *)ctx)->n, i;
    for (i = 0; i < n; i++)
        f->x64[i] = (double)r[i];
    cti_factor64_solve(&f->exact, f->x64, f->work64);
    for (i = 0; i < n; i++)
        z[i] = (ct_real)f->x64[i];
}

static void cti_barrier_precondition(void *ctx, const ct_real *r, ct_real *z)
{
    cti_barrier *b = (cti_barrier *)ctx;
    cti_barrier_factors *f = &b->factors;
    int n = 3 * b->n, i;
    ct_real most = 0;
    double scale;
    for (i = 0; i < n; i++)
        most = cti_max(most, cti_abs(r[i]));
    scale = cti_factor32_scale((double)most);
    for (i = 0; i < n; i++)
        f->x32[i] = (float)((double)r[i] * scale);
    cti_factor16_solve(&b->factor.packed, f->x32, f->work32);
    for (i = 0; i < n; i++)
        z[i] = (ct_real)((double)f->x32[i] / scale);
}

CTI_FN cti_operator cti_barrier_preconditioner(cti_barrier *b)
{
    cti_operator M;
    M.n = 3 * b->n, M.apply = b->factor.known ? cti_barrier_precondition : cti_barrier_precondition_exactly, M.ctx = b;
    return M;
}

/* the pattern's analysis, where it is not known. 0: out of memory */
static int cti_barrier_analyze(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_analysis *a = &b->analysis;
    if (b->hessian.analyzed)
        return 1;
    cti_barrier_replace(b, CTI_BARRIER_OLD_ANALYSIS);
    b->factor.known = 0;
    cti_symbolic_free(&s->prepared, &a->symbolic);
    b->hessian.analyzed = cti_symbolic_analyze_once(&s->prepared, &a->symbolic, &b->hessian.B, b->layout.all, b->n, NULL) &&
                          cti_gather_make(&s->prepared, &a->gather, &a->symbolic, &b->hessian.B, b->layout.all);
    return b->hessian.analyzed;
}

/* the lagged factor becomes that of B. 0: out of memory */
static int cti_barrier_refactor(cti_state *s, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_factors *f = &b->factors;
    const cti_barrier_analysis *a = &b->analysis;
    b->factor.known = 0;
    cti_barrier_replace(b, CTI_BARRIER_OLD_FACTOR);
    if (!cti_barrier_analyze(s) || !CTI_RESIZE(&s->prepared, f->x32, 3 * b->n) ||
        !cti_factor32_compute(&s->prepared, &f->lagged, &a->symbolic, &a->gather, b->hessian.B.val) ||
        !cti_factor16_pack(&s->prepared, &b->factor.packed, &f->lagged) || !CTI_RESIZE(&s->prepared, f->work32, cti_factor16_work(&b->factor.packed)))
        return 0;
    r->refactorizations++;
    b->factor.excess = 0;
    b->factor.known = 1;
    return 1;
}

/* dy by a factor of B in double. 0: out of memory */
static int cti_barrier_solve_exactly(cti_state *s, int *definite, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_factors *f = &b->factors;
    int i, n3 = 3 * b->n;
    b->factor.known = 0;
    if (!cti_barrier_analyze(s) || !CTI_RESIZE(&s->prepared, f->x64, n3) ||
        !cti_factor64_compute(&s->prepared, &f->exact, &b->analysis.symbolic, &b->analysis.gather, b->hessian.B.val) ||
        !CTI_RESIZE(&s->prepared, f->work64, cti_factor64_work(&f->exact)))
        return 0;
    r->refactorizations++;
    *definite = f->exact.boosted == 0;
    cti_barrier_precondition_exactly(b, b->g, b->dy);
    for (i = 0; i < n3; i++)
        b->dy[i] = -b->dy[i];
    return 1;
}

/* a solve that took `it` iterations, the first of which a factor of the matrix itself takes, too */
static void cti_barrier_age(cti_barrier_factor *f, int it) { f->excess += cti_max_int(it - 1, 0); }

/* iterations that a new factor costs, its analysis included */
static double cti_barrier_factor_cost(const cti_symbolic *a)
{
    return cti_barrier_tuned.newton.analysis + a->flops / (cti_barrier_tuned.newton.flops * a->nonzeros);
}

CTI_FN int cti_barrier_solve(cti_state *s, int *definite, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_factor *f = &b->factor;
    const cti_symbolic *a = &b->analysis.symbolic;
    cti_operator B = cti_bsr_operator(&b->hessian.B), M;
    ct_real *rhs = b->factors.vectors;
    cti_pcg_end end;
    double cost = f->known ? cti_barrier_factor_cost(a) : 0;
    int i, fresh, it, brief = (int)cti_fmax(cti_barrier_tuned.newton.most, cost / 2);
    int is_stiff = CTI_LEN(s->bodies.rigids) > 0 || CTI_JOINTS(s) > 0;
    for (i = 0; i < 3 * b->n; i++)
        rhs[i] = -b->g[i];
    *definite = 1;
    M.n = B.n, M.apply = cti_barrier_precondition, M.ctx = b;
    if (cti_barrier_form(s) || b->n <= cti_barrier_tuned.newton.blocks || (b->hessian.analyzed && a->flops <= cti_barrier_tuned.newton.factor_flops))
        return cti_barrier_solve_exactly(s, definite, r);
    for (fresh = !f->known || f->excess >= cost;; fresh = 1) {
        if (fresh && !cti_barrier_refactor(s, r))
            return 0;
        end = cti_pcg_run(&B, &M, rhs, b->dy, is_stiff ? cti_barrier_tuned.newton.inexact_rigid : cti_barrier_tuned.newton.inexact,
                          fresh ? cti_barrier_tuned.newton.fresh : brief, rhs + 3 * (size_t)b->n, &it);
        r->cg_steps += it;
        cti_barrier_age(f, it);
        if (end == CTI_PCG_CONVERGED)
            return 1;
        if (end == CTI_PCG_INDEFINITE && b->matrix.exact) {
            *definite = 0;
            return 1;
        }
        if (fresh) /* float does not do */
            break;
    }
    return cti_barrier_solve_exactly(s, definite, r);
}

CTI_FN int cti_barrier_correct(cti_state *s, int *definite, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_operator B = cti_bsr_operator(&b->hessian.B), M;
    ct_real *rhs = b->factors.vectors, *more = rhs + 3 * (size_t)b->n, *work = more + 3 * (size_t)b->n;
    int n3 = 3 * b->n, i, it;
    cti_pcg_end end;
    *definite = 1;
    if (!b->factor.known)
        return cti_barrier_solve_exactly(s, definite, r);
    M.n = B.n, M.apply = cti_barrier_precondition, M.ctx = b;
    B.apply(B.ctx, b->dy, rhs);
    for (i = 0; i < n3; i++)
        rhs[i] = -b->g[i] - rhs[i];
    end = cti_pcg_run(&B, &M, rhs, more, cti_barrier_tuned.newton.correction, cti_barrier_tuned.newton.most, work, &it);
    r->cg_steps += it;
    cti_barrier_age(&b->factor, it);
    *definite = end == CTI_PCG_CONVERGED;
    for (i = 0; *definite && i < n3; i++)
        b->dy[i] += more[i];
    return 1;
}
