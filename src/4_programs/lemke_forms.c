/* lemke_forms.c -- problems as linear complementarity problems, for Lemke's method.
   Based on: lecture notes, sec. 4.1.2.1: 0 <= v_n _|_ lambda_n, 0 <= beta e + v_t _|_ lambda_t, 0 <= mu lambda_n - e'lambda_t _|_ beta, the
   cone spanned by k tangents; the same with two directions for a row of torsional friction (sec. 4.1.2.3); sec. 4.1.2.2: bounds as three LCPs.
   Method: QP and GLOBAL through W = J A^-1 J'. The cone with k sides is inscribed in the round one. differs: the first tangent is rotated against the
   sliding that the last solve found (along the force where nothing slides), and the LCP is solved again. At a fixed point the force opposes the
   sliding and is on the round cone, so the solution obeys Coulomb's law. */
#include "../1_math/elem.h"
#include "lemke.h"

CTI_FN cti_outcome cti_lemke_plain(const cti_program *p, const cti_dual *w, cti_effort *e, cti_answer *a)
{
    uint8_t *start = CTI_ARENA_ZERO(e->arena, uint8_t, p->m);
    double *y = CTI_ARENA_ZERO(e->arena, double, p->m);
    cti_lcp lcp = cti_lcp_of(w->W, w->q, p->m);
    cti_lemke_result out;
    cti_outcome said;
    int i;
    if (!start || !y)
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < p->m; i++)
        start[i] = e->warm && a->r[i] > 0;
    memset(&out, 0, sizeof out);
    out.z = a->r, out.y = y, out.judged = p, lcp.equation = p->equation;
    said = cti_lemke_dense(&lcp, e->warm ? start : NULL, p->m <= 200 ? cti_program_tuned.lemke.restarts : 2, e, a, &out);
    a->iterations += out.pivots, a->why = out.why;
    if (said == CTI_OUTCOME_INFEASIBLE)
        cti_vec_copy(p->m, y, a->r);
    return said;
}

/* ---- bounds ---- */

/* a boxed problem as an LCP: rows [count] with lo < hi, then a partner row for each of those with two bounds */
typedef struct cti_lemke_box {
    int n, count, *row, *partner; /* rows of the LCP; [count] row of the problem; its partner row or -1 */
    double *B, *b, *s, *offset;   /* [n][n], [n], [n]; [count] where s = 0 */
    int8_t *sign;                 /* [count] z = offset + sign s */
    uint8_t *equation;
} cti_lemke_box;

static int cti_lemke_box_open(cti_lemke_box *x, cti_arena *arena, const cti_lcp *p)
{
    const double *lo = p->lo, *hi = p->hi;
    int i, m = p->n;
    x->row = CTI_ARENA_NEW(arena, int, m), x->partner = CTI_ARENA_NEW(arena, int, m);
    x->offset = CTI_ARENA_NEW(arena, double, m), x->sign = CTI_ARENA_NEW(arena, int8_t, m);
    if (!x->row || !x->partner || !x->offset || !x->sign)
        return 0;
    for (x->count = 0, i = 0; i < m; i++)
        if (lo[i] < hi[i])
            x->row[x->count++] = i;
    for (x->n = x->count, i = 0; i < x->count; i++) {
        double l = lo[x->row[i]], h = hi[x->row[i]];
        x->partner[i] = cti_finite64(l) && cti_finite64(h) ? x->n++ : -1;
        x->offset[i] = cti_finite64(l) ? l : (cti_finite64(h) ? h : 0), x->sign[i] = !cti_finite64(l) && cti_finite64(h) ? -1 : 1;
    }
    x->B = CTI_ARENA_ZERO(arena, double, (size_t)x->n *(size_t)x->n), x->b = CTI_ARENA_ZERO(arena, double, x->n);
    x->s = CTI_ARENA_ZERO(arena, double, x->n), x->equation = CTI_ARENA_ZERO(arena, uint8_t, x->n);
    return x->B && x->b && x->s && x->equation;
}

/* v+ = q + M z + v- >= 0, 0 <= v- _|_ hi - lo - s >= 0; z0 [m]: the offsets, and the entries with lo = hi */
static void cti_lemke_box_fill(cti_lemke_box *x, const cti_lcp *p, const double *z0)
{
    const double *lo = p->lo, *hi = p->hi;
    int i, j, n = x->n, m = p->n;
    for (i = 0; i < x->count; i++) {
        const double *Mi = p->M + (size_t)x->row[i] * (size_t)m;
        double *Bi = x->B + (size_t)i * (size_t)n;
        x->equation[i] = !cti_finite64(lo[x->row[i]]) && !cti_finite64(hi[x->row[i]]);
        x->b[i] = p->q[x->row[i]];
        for (j = 0; j < m; j++)
            x->b[i] += Mi[j] * z0[j];
        x->b[i] *= x->sign[i];
        for (j = 0; j < x->count; j++)
            Bi[j] = x->sign[i] * x->sign[j] * Mi[x->row[j]];
        if (x->partner[i] >= 0) {
            Bi[x->partner[i]] = 1, x->B[cti_index(x->partner[i], n, i)] = -1;
            x->b[x->partner[i]] = hi[x->row[i]] - lo[x->row[i]];
        }
    }
}

CTI_FN cti_outcome cti_lemke_boxed(const cti_lcp *p, int restarts, cti_effort *e, cti_answer *a, double *z)
{
    const double *lo = p->lo, *hi = p->hi;
    cti_arena_point mark = cti_arena_mark(e->arena);
    cti_lemke_box x;
    cti_lemke_result out;
    cti_outcome said = CTI_OUTCOME_MEMORY;
    cti_lcp lcp;
    int i;
    memset(&x, 0, sizeof x), memset(&out, 0, sizeof out);
    if (cti_lemke_box_open(&x, e->arena, p)) {
        for (i = 0; i < p->n; i++)
            z[i] = lo[i] < hi[i] ? 0 : lo[i];
        for (i = 0; i < x.count; i++)
            z[x.row[i]] = x.offset[i];
        cti_lemke_box_fill(&x, p, z);
        out.z = x.s;
        lcp = cti_lcp_of(x.B, x.b, x.n), lcp.equation = x.equation;
        said = cti_lemke_dense(&lcp, NULL, restarts, e, a, &out);
        a->iterations += out.pivots, a->why = out.why;
        for (i = 0; i < x.count; i++)
            z[x.row[i]] = cti_fmin(cti_fmax(x.offset[i] + x.sign[i] * x.s[i], lo[x.row[i]]), hi[x.row[i]]);
    }
    cti_arena_rewind(e->arena, mark);
    return said;
}

/* ---- friction ---- */

typedef struct cti_lemke_cone {
    const cti_program *p;
    const double *W, *q; /* [m][m], [m] */
    int n;               /* rows of the LCP */
    int contacts, *first; /* [contacts] its first row: normal, then k tangents and the slack where mu > 0; then of each row of torsional friction:
                             two directions and the slack */
    double *angle;       /* [contacts] angle of the first tangent */
    double *M, *b, *z;
    uint8_t *start;
    int *row;      /* [n] row of W for each row: normal 3 i, tangents 3 i + 1, slack -1 */
    double *c, *s; /* [n] direction of its tangent; c = 1 for normals */
} cti_lemke_cone;

static int cti_lemke_cone_open(cti_lemke_cone *l, cti_effort *e)
{
    int i, k, contacts = l->contacts = cti_program_contacts(l->p), spins = l->p->spins, n = 0;
    l->first = CTI_ARENA_NEW(e->arena, int, contacts + spins);
    if (!l->first)
        return 0;
    for (i = 0; i < contacts; i++)
        l->first[i] = n, n += l->p->mu[i] > 0 ? CTI_LEMKE_SIDES + 2 : 1;
    for (i = contacts; i < contacts + spins; i++)
        l->first[i] = n, n += 3;
    l->n = n;
    if (n > cti_program_tuned.lemke.largest)
        return 1;
    l->angle = CTI_ARENA_ZERO(e->arena, double, contacts);
    l->M = CTI_ARENA_NEW(e->arena, double, (size_t)n *(size_t)n), l->b = CTI_ARENA_NEW(e->arena, double, n),
    l->z = CTI_ARENA_ZERO(e->arena, double, n);
    l->start = CTI_ARENA_ZERO(e->arena, uint8_t, n), l->row = CTI_ARENA_NEW(e->arena, int, n);
    l->c = CTI_ARENA_NEW(e->arena, double, n), l->s = CTI_ARENA_NEW(e->arena, double, n);
    if (!l->angle || !l->M || !l->b || !l->z || !l->start || !l->row || !l->c || !l->s)
        return 0;
    for (i = 0; i < contacts; i++)
        for (k = 0; k < (l->p->mu[i] > 0 ? CTI_LEMKE_SIDES + 2 : 1); k++)
            l->row[l->first[i] + k] = k == 0 ? 3 * i : (k <= CTI_LEMKE_SIDES ? 3 * i + 1 : -1);
    for (i = 0; i < spins; i++)
        for (k = 0; k < 3; k++)
            l->row[l->first[contacts + i] + k] = k < 2 ? 3 * contacts + i : -1;
    return 1;
}

/* the rows of friction from `at` on, `sides` directions and the slack, whose bound is mu times the multiplier of row `normal` */
static void cti_lemke_cone_bound(cti_lemke_cone *l, int at, int sides, int normal, double mu)
{
    int k, n = l->n;
    l->M[cti_index(at + sides, n, normal)] = mu;
    for (k = 0; k < sides; k++)
        l->M[cti_index(at + k, n, at + sides)] = 1, l->M[cti_index(at + sides, n, at + k)] = -1;
}

/* the matrix of sec. 4.1.2.1, reduced to W, with the tangents as rotated so far */
static void cti_lemke_cone_build(cti_lemke_cone *l)
{
    int i, j, k, n = l->n, m = l->p->m;
    memset(l->M, 0, sizeof *l->M * (size_t)n * (size_t)n);
    for (i = l->contacts; i < l->contacts + l->p->spins; i++)
        for (k = 0; k < 3; k++)
            l->c[l->first[i] + k] = k == 1 ? -1 : 1, l->s[l->first[i] + k] = 0;
    for (i = 0; i < l->contacts; i++)
        for (k = 0; k < (l->p->mu[i] > 0 ? CTI_LEMKE_SIDES + 2 : 1); k++) {
            double turn = l->angle[i] + 6.283185307179586 * (k - 1) / (int)CTI_LEMKE_SIDES;
            l->c[l->first[i] + k] = k ? cti_cos64(turn) : 1, l->s[l->first[i] + k] = k ? cti_sin64(turn) : 0;
        }
    for (i = 0; i < n; i++) {
        double *Mi = l->M + (size_t)i * (size_t)n;
        int a = l->row[i];
        l->b[i] = 0;
        if (a < 0)
            continue;
        l->b[i] = l->c[i] * l->q[a] + (l->s[i] != 0 ? l->s[i] * l->q[a + 1] : 0);
        for (j = 0; j < n; j++) {
            int b = l->row[j];
            const double *W0, *W1;
            if (b < 0)
                continue;
            W0 = l->W + cti_index(a, m, b);
            W1 = a + 1 < m ? W0 + m : W0;
            Mi[j] = l->c[i] * (l->c[j] * W0[0] + (l->s[j] != 0 ? l->s[j] * W0[1] : 0));
            if (l->s[i] != 0)
                Mi[j] += l->s[i] * (l->c[j] * W1[0] + (l->s[j] != 0 ? l->s[j] * W1[1] : 0));
        }
    }
    for (i = 0; i < l->contacts; i++)
        if (l->p->mu[i] > 0)
            cti_lemke_cone_bound(l, l->first[i] + 1, CTI_LEMKE_SIDES, l->first[i], l->p->mu[i]);
    for (i = 0; i < l->p->spins; i++)
        cti_lemke_cone_bound(l, l->first[l->contacts + i], 2, l->first[l->p->spin_of[i]], l->p->spin_mu[i]);
}

static void cti_lemke_cone_forces(const cti_lemke_cone *l, double *r)
{
    int i;
    cti_vec_zero(l->p->m, r);
    for (i = 0; i < l->n; i++) {
        if (l->row[i] < 0)
            continue;
        r[l->row[i]] += l->c[i] * l->z[i];
        if (l->s[i] != 0)
            r[l->row[i] + 1] += l->s[i] * l->z[i];
    }
}

/* rotates the tangents by a share of the remaining angle, and finds the basis that the present state has with them */
static void cti_lemke_cone_turn(cti_lemke_cone *l, const double *r, const double *u, double share)
{
    int i;
    memset(l->start, 0, (size_t)l->n);
    for (i = l->p->spins ? l->first[l->contacts] : l->n; i < l->n; i++)
        l->start[i] = l->z[i] > 0;
    for (i = 0; i < l->contacts; i++) {
        const double *ri = r + 3 * i, *ui = u + 3 * i;
        double force = cti_atan2_64(ri[2], ri[1]), aim = force, turn = 6.283185307179586;
        int at = l->first[i];
        l->start[at] = ri[0] > 0;
        if (!(l->p->mu[i] > 0) || !(ri[0] > 0))
            continue;
        if (l->z[at + CTI_LEMKE_SIDES + 1] > 0) {
            aim = cti_atan2_64(-ui[2], -ui[1]);
            l->start[at + 1] = l->start[at + CTI_LEMKE_SIDES + 1] = 1;
        } else if (ri[1] != 0 || ri[2] != 0) {
            aim = force;
            l->start[at + 1] = l->start[at + 1 + CTI_LEMKE_SIDES / 4] = 1;
        } else {
            continue;
        }
        /* the vertex of the cone's cross-section nearest to the force becomes the first tangent, and rotates */
        l->angle[i] = force - remainder(force - l->angle[i], turn / (int)CTI_LEMKE_SIDES);
        l->angle[i] += share * remainder(aim - l->angle[i], turn);
    }
}

static cti_outcome cti_lemke_friction(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a)
{
    cti_lemke_cone l;
    cti_lemke_result out;
    cti_outcome said = CTI_OUTCOME_SOLVED;
    static const char *const flat = "the LCP of a cone with eight sides is solved; the round cone is not reached by turning its sides";
    cti_candidate own;
    double last = INFINITY, share = 1, *u = CTI_ARENA_NEW(e->arena, double, p->m);
    int round;
    memset(&l, 0, sizeof l);
    l.p = p, l.W = w->W, l.q = w->q;
    if (!u || !cti_candidate_open(&own, p, a, e->arena) || !cti_lemke_cone_open(&l, e))
        return CTI_OUTCOME_MEMORY;
    if (l.n > cti_program_tuned.lemke.largest)
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, "too many contacts: a cone of eight sides takes ten rows of a dense LCP for each");
    memset(&out, 0, sizeof out);
    out.z = l.z;
    for (round = 0; round < cti_program_tuned.lemke.rounds && own.best > e->tolerance; round++) {
        const cti_lcp lcp = cti_lcp_of(l.M, l.b, l.n);
        if (round && e->max_iterations > 0 && a->iterations >= e->max_iterations) { /* the limit is on the sum over all rounds */
            said = CTI_OUTCOME_BUDGET, out.why = "the bound on pivots was reached";
            break;
        }
        cti_lemke_cone_build(&l);
        said = cti_lemke_dense(&lcp, round ? l.start : NULL, 2, e, a, &out);
        a->iterations += out.pivots;
        if (said != CTI_OUTCOME_SOLVED)
            break;
        cti_lemke_cone_forces(&l, own.r);
        cti_dual_x(w, own.r, own.x);
        cti_program_u(p, own.x, own.r, u);
        share = cti_candidate_offer(&own) < 0.98 * last ? cti_fmin(1.2 * share, 1) : cti_fmax(0.5 * share, 0.05);
        last = own.j.residual;
        cti_lemke_cone_turn(&l, own.r, u, share);
    }
    if (own.best <= e->tolerance)
        return CTI_OUTCOME_SOLVED;
    a->why = own.best < INFINITY && said != CTI_OUTCOME_BUDGET ? flat : out.why;
    return said == CTI_OUTCOME_SOLVED || own.best < INFINITY ? (said == CTI_OUTCOME_BUDGET ? said : CTI_OUTCOME_FAILED) : said;
}

static cti_outcome cti_lemke_solve(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a)
{
    const cti_lcp lcp = cti_lcp_boxed(w->W, w->q, p->lo, p->hi, p->m);
    if (p->mu)
        return cti_lemke_friction(p, w, e, a);
    return p->lo ? cti_lemke_boxed(&lcp, p->m <= 200 ? cti_program_tuned.lemke.restarts : 2, e, a, a->r) : cti_lemke_plain(p, w, e, a);
}

CTI_FN cti_outcome cti_solver_lemke(const cti_program *p, cti_effort *e, cti_answer *a) { return cti_tableau_solve(p, e, a, cti_lemke_solve); }
