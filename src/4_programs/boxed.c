/* boxed.c -- boxed linear complementarity by block principal pivoting, and friction in boxes.
   Method: each row is at its lower bound, at its upper bound, or free between them (block_pivot.h); free rows solve M_FF z_F = -q_F - M_FN z_N.
   The basis is kept as a dictionary (tableau); the final basis is solved again by an LU with refinement. differs: with a semidefinite matrix
   pivoting may not terminate; the bounds then become three LCPs for Lemke's method (notes, sec. 4.1.2.2). differs: if W is semidefinite and
   pivoting fails on friction boxes, rows get a compliance relative to the forces of the last round. differs: after the box along the given
   tangents, a square inside the round cone is used, with a corner turned against the sliding. A fixed point of this turning has Coulomb's friction
   force. */
#include "boxed.h"
#include "../1_math/elem.h"
#include "lemke.h"

typedef struct cti_boxed {
    cti_tableau t;
    int n;
    double *M, *q, *R, *C, *lo, *hi; /* scaled */
    double *x, *z, *u;               /* [n] values of the free rows, all z, all u */
    uint8_t *want;                   /* [2 n + 1] */
    int *list;                       /* [n] free rows */
    uint8_t *state;                  /* [n] */
} cti_boxed;

static int cti_boxed_open(cti_boxed *b, cti_arena *arena, const cti_lcp *p)
{
    double **const all[] = {&b->q, &b->R, &b->C, &b->lo, &b->hi, &b->x, &b->z, &b->u};
    int i, n = p->n;
    b->n = n, b->M = CTI_ARENA_NEW(arena, double, (size_t)n *(size_t)n);
    b->want = CTI_ARENA_ZERO(arena, uint8_t, 2 * n + 1), b->list = CTI_ARENA_NEW(arena, int, n);
    if (!b->M || !b->want || !b->list || !CTI_ARENA_VECTORS(arena, n, all))
        return 0;
    memcpy(b->M, p->M, sizeof *p->M * (size_t)n * (size_t)n);
    if (!cti_equilibrate(arena, b->M, n, b->R, b->C))
        return 0;
    for (i = 0; i < n; i++)
        b->q[i] = b->R[i] * p->q[i], b->lo[i] = p->lo[i] / b->C[i], b->hi[i] = p->hi[i] / b->C[i];
    return cti_tableau_open(&b->t, arena, b->M, b->q, n, n);
}

static double cti_boxed_bound(const cti_boxed *b, int i)
{
    if (b->state[i] == CTI_FACE_UPPER)
        return b->hi[i];
    return cti_finite64(b->lo[i]) ? b->lo[i] : (cti_finite64(b->hi[i]) ? b->hi[i] : 0);
}

/* pivots the dictionary to the given states; free rows that depend linearly on others move to a bound. 0: the basis is not complementary */
static int cti_boxed_reach(cti_boxed *b)
{
    cti_tableau *t = &b->t;
    int i, n = b->n, again;
    for (again = 0; again < 2; again++) {
        if (again || t->pivots > 2 * n + 64)
            cti_tableau_reset(t);
        for (i = 0; i < n; i++)
            b->want[n + i] = b->state[i] == CTI_FACE_FREE, b->want[i] = !b->want[n + i];
        if (cti_tableau_reach(t, b->want, cti_program_tuned.pivot.tiny) == 0)
            return 1;
    }
    for (i = 0; i < n; i++) {
        if ((t->row[i] >= 0) == (t->row[n + i] >= 0))
            return 0;
        if (b->state[i] == CTI_FACE_FREE && t->row[n + i] < 0)
            b->state[i] = cti_finite64(b->lo[i]) || !cti_finite64(b->hi[i]) ? CTI_FACE_LOWER : CTI_FACE_UPPER;
    }
    return 1;
}

/* z and u of the dictionary */
static cti_outcome cti_boxed_values(void *ctx, cti_block_pivot *p)
{
    cti_boxed *b = (cti_boxed *)ctx;
    const cti_tableau *t = &b->t;
    int i, j, n = b->n;
    if (!cti_boxed_reach(b))
        return CTI_OUTCOME_FAILED;
    for (j = 0; j < n; j++) {
        int v = t->nonbasic[j];
        b->x[j] = v >= n ? cti_boxed_bound(b, v - n) : 0;
    }
    for (i = 0; i < n; i++) {
        const double *Ti = t->T + (size_t)i * (size_t)t->ld;
        double s = t->value[i];
        int v = t->basic[i];
        for (j = 0; j < n; j++)
            s += Ti[j] * b->x[j];
        if (v >= n)
            b->z[v - n] = s, b->u[v - n] = 0;
        else
            b->u[v] = s, b->z[v] = cti_boxed_bound(b, v);
    }
    p->tiny_z = cti_program_tuned.pivot.tiny * cti_most(n, b->z);
    p->tiny_u = cti_program_tuned.pivot.tiny * cti_fmax(cti_most(n, b->q), cti_most(n, b->u));
    return CTI_OUTCOME_SOLVED;
}

/* computes the free z again by an LU of the last basis */
static void cti_boxed_polish(cti_boxed *b, cti_arena *arena)
{
    int i, j, n = b->n, count = 0, polished;
    for (i = 0; i < n; i++)
        if (b->t.row[n + i] >= 0)
            b->list[count++] = i, b->x[i] = 0;
        else
            b->x[i] = b->z[i];
    for (i = 0; i < n; i++)
        for (b->u[i] = b->q[i], j = 0; j < n; j++)
            b->u[i] += b->M[cti_index(i, n, j)] * b->x[j];
    polished = cti_submatrix_solve(arena, b->M, n, b->list, count, b->u, b->x) > 0;
    for (i = 0; i < n; i++)
        b->z[i] = cti_fmin(cti_fmax(polished ? b->x[i] : b->z[i], b->lo[i]), b->hi[i]);
}

CTI_FN cti_outcome cti_boxed_pivot(const cti_lcp *p, uint8_t *state, cti_effort *e, cti_answer *a, double *z)
{
    cti_arena_point mark = cti_arena_mark(e->arena);
    cti_outcome said;
    cti_block_pivot rule;
    cti_boxed b;
    cti_lcp scaled;
    int i, n = p->n;
    memset(&b, 0, sizeof b), memset(&rule, 0, sizeof rule);
    b.state = state;
    if (!cti_boxed_open(&b, e->arena, p))
        return CTI_OUTCOME_MEMORY;
    rule.n = n, rule.rounds = rule.singles = 40 + cti_min_int(4 * n, 16384 / cti_max_int(n, 1));
    rule.lo = b.lo, rule.hi = b.hi, rule.state = state, rule.z = b.z, rule.u = b.u, rule.solve = cti_boxed_values, rule.ctx = &b;
    rule.e = e, rule.a = a;
    said = cti_block_pivot_run(&rule);
    if (said == CTI_OUTCOME_SOLVED)
        cti_boxed_polish(&b, e->arena);
    scaled = cti_lcp_boxed(b.M, b.q, b.lo, b.hi, n);
    if (said == CTI_OUTCOME_SOLVED && !(cti_lcp_residual(&scaled, b.R, b.C, b.z, b.u) <= cti_fmin(e->tolerance, 1e-9) / 2))
        said = CTI_OUTCOME_FAILED;
    for (i = 0; i < n && said == CTI_OUTCOME_SOLVED; i++)
        z[i] = cti_fmin(cti_fmax(b.z[i] * b.C[i], p->lo[i]), p->hi[i]);
    cti_arena_rewind(e->arena, mark);
    return said;
}

/* ---- QPs and LCPs ---- */

static cti_outcome cti_boxed_plain(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a)
{
    double *lo = CTI_ARENA_NEW(e->arena, double, p->m), *hi = CTI_ARENA_NEW(e->arena, double, p->m);
    uint8_t *state = CTI_ARENA_NEW(e->arena, uint8_t, p->m);
    const cti_lcp lcp = cti_lcp_boxed(w->W, w->q, lo, hi, p->m);
    cti_outcome said;
    int i;
    if (!lo || !hi || !state)
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < p->m; i++) {
        int equation = p->equation && p->equation[i];
        lo[i] = p->lo ? p->lo[i] : (equation ? -INFINITY : 0), hi[i] = p->hi ? p->hi[i] : INFINITY;
        state[i] = e->warm && a->r[i] > lo[i] ? (a->r[i] < hi[i] ? CTI_FACE_FREE : CTI_FACE_UPPER) : CTI_FACE_LOWER;
    }
    said = cti_boxed_pivot(&lcp, state, e, a, a->r);
    a->why = "the bound on pivots or time was reached";
    if (said != CTI_OUTCOME_FAILED)
        return said;
    return p->lo ? cti_lemke_boxed(&lcp, p->m <= 200 ? 40 : 2, e, a, a->r) : cti_lemke_plain(p, w, e, a);
}

/* ---- friction ---- */

typedef struct cti_boxed_friction {
    const cti_program *p;
    cti_dual *w;
    int m;
    double *W, *q, *lo, *hi; /* W and q in the rotated tangents */
    double *c, *s, *load;    /* [contacts] direction of the first tangent; the lambda_n that bounds friction */
    double *z, *u;
    cti_candidate own;
    uint8_t *state;
    double soft; /* compliance relative to W's diagonal, about the last forces; its effect vanishes as the forces converge */
} cti_boxed_friction;

static int cti_boxed_friction_open(cti_boxed_friction *b, cti_effort *e, cti_answer *a)
{
    double **const all[] = {&b->q, &b->lo, &b->hi, &b->z, &b->c, &b->s, &b->load, &b->u};
    cti_arena *arena = e->arena;
    int m = b->p->m, i;
    b->m = m, b->W = CTI_ARENA_NEW(arena, double, (size_t)m *(size_t)m), b->state = CTI_ARENA_NEW(arena, uint8_t, m);
    if (!b->W || !b->state || !CTI_ARENA_VECTORS(arena, m, all) || !cti_candidate_open(&b->own, b->p, a, arena))
        return 0;
    for (i = 0; i < m; i++)
        b->c[i] = 1, b->state[i] = CTI_FACE_LOWER;
    return 1;
}

/* rotates a vector of contact rows into the rotated tangents, or back */
static void cti_boxed_turn(const cti_boxed_friction *b, double back, double *x, size_t stride)
{
    int i;
    for (i = 0; i < cti_program_contacts(b->p); i++) {
        double *y = x + (3 * (size_t)i + 1) * stride, t1 = y[0], t2 = y[stride], s = back * b->s[i];
        y[0] = b->c[i] * t1 + s * t2, y[stride] = b->c[i] * t2 - s * t1;
    }
}

/* solves one boxed LCP with the current tangents and bounds; gives r and u in the original tangents */
static cti_outcome cti_boxed_round(cti_boxed_friction *b, double share, cti_effort *e, cti_answer *a)
{
    int i, k, m = b->m;
    const cti_lcp lcp = cti_lcp_boxed(b->W, b->q, b->lo, b->hi, m);
    cti_outcome said;
    memcpy(b->W, b->w->W, sizeof *b->W * (size_t)m * (size_t)m);
    cti_vec_copy(m, b->w->q, b->q);
    for (i = 0; i < m; i++) {
        int tangent = i % 3 && i < m - b->p->spins, at = tangent ? i - i % 3 + 1 : i;
        double d = b->soft * cti_fmax(b->W[(size_t)at * (size_t)(m + 1)], b->W[(size_t)(tangent ? at + 1 : at) * (size_t)(m + 1)]);
        b->own.work[i] = d, b->q[i] -= d * b->own.r[i];
    }
    for (i = 0; i < m; i++)
        b->W[(size_t)i * (size_t)(m + 1)] += b->own.work[i];
    cti_boxed_turn(b, 1, b->q, 1);
    for (i = 0; i < m; i++)
        cti_boxed_turn(b, 1, b->W + (size_t)i * (size_t)m, 1);
    for (i = 0; i < m; i++)
        cti_boxed_turn(b, 1, b->W + i, (size_t)m);
    for (i = 0; i < cti_program_contacts(b->p); i++)
        for (b->lo[3 * i] = 0, b->hi[3 * i] = INFINITY, k = 1; k < 3; k++)
            b->hi[3 * i + k] = share * b->p->mu[i] * b->load[i], b->lo[3 * i + k] = -b->hi[3 * i + k];
    for (i = 0, k = m - b->p->spins; k < m; i++, k++)
        b->hi[k] = b->p->spin_mu[i] * b->load[b->p->spin_of[i]], b->lo[k] = -b->hi[k];
    said = cti_boxed_pivot(&lcp, b->state, e, a, b->z);
    if (said == CTI_OUTCOME_FAILED && b->soft == 0) {
        b->soft = cti_program_tuned.pivot.soft;
        return cti_boxed_round(b, share, e, a);
    }
    if (said == CTI_OUTCOME_FAILED)
        said = cti_lemke_boxed(&lcp, 1, e, a, b->z);
    if (said != CTI_OUTCOME_SOLVED)
        return said;
    cti_vec_copy(m, b->z, b->own.r);
    cti_boxed_turn(b, -1, b->own.r, 1);
    cti_dual_x(b->w, b->own.r, b->own.x);
    cti_program_u(b->p, b->own.x, b->own.r, b->u);
    cti_candidate_offer(&b->own);
    return CTI_OUTCOME_SOLVED;
}

/* Moves the loads towards lambda_n by a share. With `corner`, a corner of the square is rotated against the sliding, or along the force if nothing
   slides. Returns the largest change of a load relative to the largest load */
static double cti_boxed_follow(cti_boxed_friction *b, double share, int corner)
{
    double most = 0, moved = 0;
    int i;
    for (i = 0; i < cti_program_contacts(b->p); i++) {
        const double *r = b->own.r + 3 * i, *u = b->u + 3 * i, *z = b->z + 3 * i, *hi = b->hi + 3 * i;
        int slides = fabs(z[1]) >= hi[1] * (1 - 1e-12) || fabs(z[2]) >= hi[2] * (1 - 1e-12);
        double force = cti_atan2_64(r[2], r[1]), aim = slides ? cti_atan2_64(-u[2], -u[1]) : force, angle = cti_atan2_64(b->s[i], b->c[i]),
               eighth = 0.7853981633974483;
        moved = cti_fmax(moved, fabs(r[0] - b->load[i])), most = cti_fmax(most, r[0]);
        b->load[i] += share * (r[0] - b->load[i]);
        if (!corner || !(b->p->mu[i] > 0) || !(r[0] > 0) || (!slides && r[1] == 0 && r[2] == 0))
            continue;
        /* the corner nearest to the force */
        angle += share * remainder(aim - force + remainder(force - angle - eighth, 2 * eighth), 8 * eighth);
        b->c[i] = cti_cos64(angle), b->s[i] = cti_sin64(angle);
    }
    return most > 0 ? moved / most : 0;
}

static cti_outcome cti_boxed_coulomb(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a)
{
    cti_boxed_friction b;
    cti_outcome said = CTI_OUTCOME_SOLVED;
    double last = INFINITY, share = 1, moved;
    int round, corner = 0;
    memset(&b, 0, sizeof b);
    b.p = p, b.w = w;
    if (!cti_boxed_friction_open(&b, e, a))
        return CTI_OUTCOME_MEMORY;
    for (round = 0; round < cti_program_tuned.pivot.rounds && b.own.best > e->tolerance; round++) {
        said = cti_boxed_round(&b, corner ? 0.7071067811865476 : 1, e, a);
        if (said != CTI_OUTCOME_SOLVED)
            break;
        share = b.own.j.residual < 0.98 * last || round < 3 ? cti_fmin(1.2 * share, 1) : cti_fmax(0.5 * share, 0.05);
        last = b.own.j.residual;
        moved = cti_boxed_follow(&b, share, corner);
        if (!corner && (moved < 0.1 * e->tolerance || round >= cti_program_tuned.pivot.rounds / 5))
            corner = 1, share = 1, last = INFINITY;
    }
    if (b.own.best <= e->tolerance)
        return CTI_OUTCOME_SOLVED;
    if (said == CTI_OUTCOME_BUDGET)
        a->why = "the bound on pivots or time was reached";
    if (said == CTI_OUTCOME_SOLVED)
        a->why = "the boxes of friction are solved; the round cone is not reached by turning them";
    return said == CTI_OUTCOME_SOLVED || said == CTI_OUTCOME_RAY || said == CTI_OUTCOME_INFEASIBLE ? CTI_OUTCOME_FAILED : said;
}

static cti_outcome cti_boxed_run(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a)
{
    return p->mu ? cti_boxed_coulomb(p, w, e, a) : cti_boxed_plain(p, w, e, a);
}

CTI_FN cti_outcome cti_solver_boxed(const cti_program *p, cti_effort *e, cti_answer *a) { return cti_tableau_solve(p, e, a, cti_boxed_run); }
