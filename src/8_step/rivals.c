/* rivals.c -- Newton's methods beside ICA, for an island. */
#include "rivals.h"
#include "linkage.h"
#include "../4_programs/bordered.h"
#include "../3_solve/augmented.h"
#include "../3_solve/central.h"
#include "../3_solve/ica.h"
#include "../3_solve/solve_policy.h"

static double cti_rival_price(void *ctx)
{
    cti_rival *q = (cti_rival *)ctx;
    cti_arena_point mark = cti_arena_mark(q->arena);
    q->failed = !cti_envelope_make(&q->J, q->arena, &q->linear);
    cti_arena_rewind(q->arena, mark);
    return q->failed ? 0 : cti_augmented_price(q->linear.flops);
}

CTI_FN void cti_rival_find(const cti_state *s, int first, cti_island *q, cti_rival *out)
{
    const cti_factors *f = &s->factors;
    double flops = 1;
    int c, split = 0, holds = 0;
    q->p.split.rigid = 1;
    for (c = 0; c < q->p.n_rows; c++)
        holds |= q->p.rows[c].equations && cti_linkage_impulse_factor(s, first + c) == 1 && !cti_joints_is_guide(s, first + c) &&
                 s->contact.origins[first + c].spin >= 0;
    for (c = 0; c < q->n_components; c++) {
        const cti_component *k = &f->components[q->components[c]];
        split |= k->solve.node_ports > 0;
        q->p.split.rigid &= s->bodies.rigid_of[f->blocks[k->begin]] >= 0;
        flops += k->analysis->symbolic.flops / 2; /* its multiplications */
    }
    out->holds = holds;
    q->p.split.rival = split || holds ? 0 : cti_augmented_price(flops);
    out->arena = s->arena, out->J.p = &q->p, out->failed = 0;
    q->p.calls.price = cti_rival_price, q->p.calls.price_ctx = out;
}

CTI_FN void cti_rival_sweep(cti_state *s, int later, cti_island *q, const ct_solver_desc *desc, cti_solve_info *info)
{
    int c, outpaced = 0;
    for (c = 0; later && c < q->p.n_rows; c++)
        outpaced |= q->p.rows[c].equations != 0;
    for (c = 0; c < q->n_components; c++)
        outpaced &= s->factors.components[q->components[c]].solve.outpaced;
    memset(info, 0, sizeof *info);
    info->status = CTI_SOLVE_OUTPACED;
    if (!outpaced || !(q->p.split.rival > 0))
        cti_ica_solve(&q->p, desc, s->arena, q->v, info);
    for (c = 0; c < q->n_components; c++)
        s->factors.components[q->components[c]].solve.outpaced = info->status == CTI_SOLVE_OUTPACED;
}

/* 1 if rows are equations that no contact bounds */
static int cti_rival_has_joints(const cti_island *q)
{
    int i, any = 0;
    for (i = 0; i < q->p.n_rows; i++)
        any |= q->p.rows[i].equations && !q->p.rows[i].load;
    return any;
}

/* where the island's blocks are, and of which components. 0: out of memory */
static int cti_rival_places(const cti_state *s, const cti_island *q, cti_order_places *out)
{
    double *x = CTI_ARENA_NEW(s->arena, double, 3 * (size_t)q->n);
    int32_t *group = CTI_ARENA_NEW(s->arena, int32_t, q->n);
    int i, k;
    out->x = x, out->group = group;
    if (!x || !group)
        return 0;
    for (i = 0; i < q->n; i++) {
        int block = q->blocks[i], rigid = s->bodies.rigid_of[block];
        group[i] = s->factors.component_of[block];
        for (k = 0; k < 3; k++)
            x[3 * i + k] = (double)s->x[3 * (rigid < 0 ? block : s->bodies.rigids[rigid].block) + k];
    }
    return 1;
}

/* Who solves A + J'HJ under AUTO: the exact factors of the bodies where few rows touch large ones, or a factor of the whole. *done 0: that would take
   too long. 0: out of memory */
static int cti_rival_linear(cti_state *s, cti_island *q, cti_rival *rival, int *done)
{
    double most = cti_solve_tuned.augmented.reach, factors = cti_solve_tuned.augmented.expected, numbers = 0, flops = 0;
    cti_order_places at;
    int c, ok;
    for (c = 0; c < q->n_components; c++) {
        const cti_symbolic *sym = &s->factors.components[q->components[c]].analysis->symbolic;
        numbers += sym->nonzeros, flops += sym->flops / 2;
    }
    *done = 1;
    if (cti_bordered_flops(q->p.n_rows, numbers, factors) < factors * cti_fmin(flops, most))
        return cti_factors_exact(&s->factors, s->arena, &s->system.A, q) && cti_bordered_make(&rival->J, s->arena, &rival->linear);
    if (!cti_rival_places(s, q, &at))
        return 0;
    ok = cti_merged_make(&rival->J, most, &at, s->arena, &rival->linear);
    *done = rival->linear.flops <= most;
    return ok;
}

/* the start of a solve whose iterates have diverged: the free motion, without impulses */
static void cti_rival_forget(const cti_state *s, const cti_island *q)
{
    int i;
    for (i = 0; i < q->n; i++)
        cti_v3_put(q->v, i, cti_v3_at(s->system.v_free, q->blocks[i]));
    for (i = 0; i < q->p.n_rows; i++)
        memset(q->p.rows[i].r, 0, sizeof q->p.rows[i].r);
}

CTI_FN int cti_rival_finish(cti_state *s, cti_island *q, const ct_solver_desc *desc, cti_rival *rival, cti_islands_result *out,
                              cti_solve_info *info, double *visits)
{
    int joints = cti_rival_has_joints(q), diverged = info->status == CTI_SOLVE_DIVERGED && !joints, ok, done = 1;
    int unsolved = (diverged || info->status == CTI_SOLVE_BUDGET) && desc->solver == CT_SOLVER_AUTO && !rival->holds;
    if (!unsolved && info->status != CTI_SOLVE_OUTPACED)
        return 1;
    if (!cti_frame_may(q->p.frame, q->p.split.rival)) {
        info->status = diverged ? info->status : CTI_SOLVE_BUDGET;
        return 1;
    }
    if (diverged)
        cti_rival_forget(s, q);
    ok = cti_jacobian_make(&q->p, s->arena, &rival->J) &&
         (unsolved ? cti_rival_linear(s, q, rival, &done) : cti_envelope_make(&rival->J, s->arena, &rival->linear));
    done = done && cti_frame_may(q->p.frame, cti_augmented_price(rival->linear.flops));
    if (!ok || !done) {
        info->status = info->status == CTI_SOLVE_OUTPACED ? CTI_SOLVE_BUDGET : info->status;
        return ok;
    }
    memset(info, 0, sizeof *info);
    info->status = CTI_SOLVE_BUDGET;
    ok = (joints ? cti_augmented_solve : cti_central_solve)(&rival->J, &rival->linear, desc, s->arena, q->v, info);
    out->iterations += info->iterations, out->fallbacks += desc->solver == CT_SOLVER_AUTO;
    *visits += unsolved ? 0 : info->iterations * cti_augmented_visits(&rival->linear);
    return ok;
}
