/* lemke.c -- Lemke's method on a dense dictionary.
   Method: z0 >= 0 with a covering vector d > 0 makes w = q + M z + d z0 feasible; the complement of the variable that left enters next,
   until z0 leaves. The leaving variable is the lexicographic minimum of the rows [value, B^-1] over the pivot, so degenerate vertices
   cannot cycle. Numbers are scaled by powers of two, which does not change the path. The dictionary is recomputed every max(64, n) pivots,
   and z comes from an LU of the last basis with refinement. differs: after a ray the method starts again with other coverings and from
   other complementary bases, which bimatrix games need. */
#include "lemke.h"
#include "certificate.h"

typedef struct cti_lemke {
    cti_tableau t;
    cti_effort *e;
    cti_answer *a;
    int n, pivots, cap, base;                  /* base: pivots of the dictionary at the start of this run */
    double *M, *q, *R, *C, *cover, *ratio, *s; /* scaled numbers, scales */
    const uint8_t *equation;
    uint8_t *want, *reference; /* [2 n + 1] */
    int *slot, *candidate;     /* [n] the variable that was basic at the start; rows that may leave */
    uint64_t random;
} cti_lemke;

static int cti_lemke_free_row(const cti_lemke *l, int i)
{
    int v = l->t.basic[i];
    return l->equation && v < 2 * l->n && l->equation[v % l->n];
}

/* the dictionary of the reference basis, with z0's column. Equations that depend on others keep their w basic, which then never leaves */
static int cti_lemke_begin(cti_lemke *l)
{
    cti_tableau *t = &l->t;
    int i, n = l->n;
    cti_tableau_reset(t);
    cti_tableau_reach(t, l->reference, cti_program_tuned.pivot.tiny);
    for (i = 0; i < n; i++)
        l->slot[t->basic[i] % n] = t->basic[i];
    for (i = 0; i < n; i++)
        t->T[cti_index(i, t->ld, n)] = cti_lemke_free_row(l, i) ? 0 : l->cover[t->basic[i] % n];
    memset(l->reference, 0, (size_t)(2 * n + 1));
    for (i = 0; i < n; i++)
        l->reference[t->basic[i]] = 1;
    l->base = t->pivots;
    for (i = 0; i < n; i++) /* a pair without a basic half: the reference is not a complementary basis */
        if (l->reference[i] == l->reference[n + i])
            return 0;
    return 1;
}

/* reaches the same basis by new pivots; 0 when it is singular to working precision */
static int cti_lemke_refresh(cti_lemke *l)
{
    int i;
    memset(l->want, 0, (size_t)(2 * l->n + 1));
    for (i = 0; i < l->n; i++)
        l->want[l->t.basic[i]] = 1;
    if (!cti_lemke_begin(l) || cti_tableau_reach(&l->t, l->want, 1e-14) != 0)
        return 0;
    l->base = l->t.pivots;
    return 1;
}

/* coefficient of the j-th power of the perturbation in row i */
static double cti_lemke_lex(const cti_lemke *l, int i, int j)
{
    int v = l->slot[j], c = l->t.col[v];
    return c >= 0 ? -l->t.T[cti_index(i, l->t.ld, c)] : (l->t.row[v] == i ? 1 : 0);
}

/* keeps the candidates whose key / -T_c is smallest, up to rounding */
static int cti_lemke_keep_least(cti_lemke *l, int c, int count, const double *key, double noise)
{
    double least = INFINITY, f;
    int k, kept = 0;
    for (k = 0; k < count; k++)
        least = cti_fmin(least, key[k] / -l->t.T[cti_index(l->candidate[k], l->t.ld, c)]);
    for (k = 0; k < count; k++) {
        f = -l->t.T[cti_index(l->candidate[k], l->t.ld, c)];
        if (key[k] - f * least <= 1e-12 * (fabs(key[k]) + f * fabs(least)) + noise)
            l->candidate[kept++] = l->candidate[k];
    }
    return kept;
}

/* the row that leaves when column c grows, or -1: a ray */
static int cti_lemke_leaves(cti_lemke *l, int c)
{
    const cti_tableau *t = &l->t;
    double most = 0, value = 0, large = 0;
    int i, j, k, count = 0;
    for (i = 0; i < l->n; i++) {
        most = cti_fmax(most, fabs(t->T[cti_index(i, t->ld, c)]));
        value = cti_fmax(value, fabs(t->value[i]));
    }
    for (i = 0; i < l->n; i++)
        if (t->T[cti_index(i, t->ld, c)] < -cti_program_tuned.pivot.tiny * most && !cti_lemke_free_row(l, i)) {
            l->ratio[count] = cti_fmax(t->value[i], 0);
            l->candidate[count++] = i;
        }
    if (count == 0)
        return -1;
    count = cti_lemke_keep_least(l, c, count, l->ratio, cti_program_tuned.lemke.noise * value);
    for (k = 0; k < count; k++)
        if (t->basic[l->candidate[k]] == 2 * l->n)
            return l->candidate[k];
    for (k = 0; k < count && count > 1; k++)
        for (j = 0; j < l->n; j++)
            large = cti_fmax(large, fabs(t->T[cti_index(l->candidate[k], t->ld, j)]));
    for (j = 0; j < l->n && count > 1; j++) {
        if (l->equation && l->equation[j])
            continue;
        for (k = 0; k < count; k++)
            l->ratio[k] = cti_lemke_lex(l, l->candidate[k], j);
        count = cti_lemke_keep_least(l, c, count, l->ratio, cti_program_tuned.lemke.noise * large);
    }
    for (i = l->candidate[0], k = 1; k < count; k++)
        if (t->T[cti_index(l->candidate[k], t->ld, c)] < t->T[cti_index(i, t->ld, c)])
            i = l->candidate[k];
    return i;
}

/* the row that z0 replaces: lexicographic minimum of [value, 1] / d; -1: all values are >= 0 */
static int cti_lemke_first(const cti_lemke *l)
{
    const cti_tableau *t = &l->t;
    double least = 0, value = 0, x;
    int i, best = -1;
    for (i = 0; i < l->n; i++)
        value = cti_fmax(value, fabs(t->value[i]));
    for (i = 0; i < l->n; i++) {
        double d = t->T[cti_index(i, t->ld, l->n)];
        if (cti_lemke_free_row(l, i) || t->value[i] >= -1e-15 * value)
            continue;
        x = t->value[i] / d;
        if (best < 0 || x < least - 1e-13 * fabs(least) || (x <= least + 1e-13 * fabs(least) && t->basic[i] % l->n > t->basic[best] % l->n))
            best = i, least = x;
    }
    return best;
}

/* one run from the reference basis: SOLVED in a complementary basis, RAY with its column in *out_column, BUDGET or FAILED */
static cti_outcome cti_lemke_run(cti_lemke *l, int *out_column)
{
    cti_tableau *t = &l->t;
    int r, c, enter, leave, every = cti_max_int(64, l->n), bound = l->pivots + l->cap;
    *out_column = -1;
    if (!cti_lemke_begin(l))
        return CTI_OUTCOME_FAILED;
    r = cti_lemke_first(l);
    c = l->n;
    while (r >= 0) {
        if (l->pivots >= bound || !cti_effort_goes_on(l->e, l->pivots, cti_program_tuned.lemke.cap, l->a->x, l->a->r))
            return CTI_OUTCOME_BUDGET;
        leave = t->basic[r];
        cti_tableau_pivot(t, r, c);
        l->pivots++;
        if (leave == 2 * l->n)
            return CTI_OUTCOME_SOLVED;
        enter = leave < l->n ? leave + l->n : leave - l->n;
        if (t->pivots - l->base >= every && !cti_lemke_refresh(l))
            return CTI_OUTCOME_FAILED;
        c = t->col[enter];
        r = cti_lemke_leaves(l, c);
        if (r < 0 && t->pivots > l->base) { /* a ray counts only in a freshly computed dictionary */
            if (!cti_lemke_refresh(l))
                return CTI_OUTCOME_FAILED;
            c = t->col[enter];
            r = cti_lemke_leaves(l, c);
        }
        if (r < 0) {
            *out_column = c;
            return CTI_OUTCOME_RAY;
        }
    }
    return CTI_OUTCOME_SOLVED;
}

/* z of the complementary basis, from an LU with refinement or from the dictionary, whichever is better; returns the residual */
static double cti_lemke_polish(cti_lemke *l, double *z)
{
    cti_arena_point mark = cti_arena_mark(l->e->arena);
    double *other = CTI_ARENA_ZERO(l->e->arena, double, l->n), first, second = INFINITY;
    cti_lcp scaled = cti_lcp_of(l->M, l->q, l->n);
    int i, count = 0, n = l->n;
    scaled.equation = l->equation;
    cti_vec_zero(n, z);
    for (i = 0; i < n; i++)
        if (l->t.basic[i] >= n && l->t.basic[i] < 2 * n)
            l->candidate[count++] = l->t.basic[i] - n;
    for (i = 0; i < n; i++)
        if (l->t.basic[i] >= n && l->t.basic[i] < 2 * n)
            z[l->t.basic[i] - n] = l->equation && l->equation[l->t.basic[i] - n] ? l->t.value[i] : cti_fmax(l->t.value[i], 0);
    first = cti_lcp_residual(&scaled, l->R, l->C, z, l->s);
    if (other && cti_submatrix_solve(l->e->arena, l->M, n, l->candidate, count, l->q, other) > 0) {
        for (i = 0; i < n; i++)
            other[i] = l->equation && l->equation[i] ? other[i] : cti_fmax(other[i], 0);
        second = cti_lcp_residual(&scaled, l->R, l->C, other, l->s);
        if (second < first)
            cti_vec_copy(n, other, z);
    }
    cti_arena_rewind(l->e->arena, mark);
    return cti_fmin(first, second);
}

/* ---- proofs that there is no solution ---- */

/* z's part of a ray: a proof for copositive M that vanish on it */
static void cti_lemke_ray(const cti_lemke *l, int c, double *y)
{
    int i, n = l->n, enter = l->t.nonbasic[c];
    cti_vec_zero(n, y);
    for (i = 0; i < n; i++)
        if (l->t.basic[i] >= n && l->t.basic[i] < 2 * n)
            y[l->t.basic[i] - n] = l->t.T[cti_index(i, l->t.ld, c)];
    if (enter >= n && enter < 2 * n)
        y[enter - n] = 1;
    for (i = 0; i < n; i++) /* converts to multipliers of the scaled rows */
        y[i] *= l->C[i] / l->R[i];
}

/* min z0, z >= 0, z0 >= 0, q + M z + z0 >= 0. y are its multipliers, from Lemke's method on the skew matrix of its optimality conditions,
   which always ends solved */
static int cti_lemke_program(cti_lemke *l, double *y)
{
    cti_arena_point mark = cti_arena_mark(l->e->arena);
    int n = l->n, size = 2 * n + 1, i, j, ok = 0;
    double *S, *s, *x;
    cti_lemke_result out;
    cti_lcp lp;
    if (n > cti_program_tuned.lemke.program || l->equation)
        return 0;
    S = CTI_ARENA_ZERO(l->e->arena, double, (size_t)size *(size_t)size);
    s = CTI_ARENA_ZERO(l->e->arena, double, size);
    x = CTI_ARENA_ZERO(l->e->arena, double, size);
    if (S && s && x) {
        for (i = 0; i < n; i++) {
            double *Si = S + (size_t)(n + 1 + i) * (size_t)size;
            for (j = 0; j <= n; j++) {
                Si[j] = j < n ? l->M[cti_index(i, n, j)] : 1;
                S[cti_index(j, size, n + 1 + i)] = -Si[j];
            }
            s[n + 1 + i] = l->q[i];
        }
        s[n] = 1;
        memset(&out, 0, sizeof out);
        out.z = x;
        lp = cti_lcp_of(S, s, size);
        ok = cti_lemke_dense(&lp, NULL, 0, l->e, l->a, &out) == CTI_OUTCOME_SOLVED && x[n] > 0;
        cti_vec_copy(n, x + n + 1, y);
        l->pivots += out.pivots;
    }
    cti_arena_rewind(l->e->arena, mark);
    return ok;
}

/* 1 if y, a candidate in the scaled rows, is a proof for the judged problem, in whose rows it then is */
static int cti_lemke_proves(const cti_lemke *l, const cti_program *judged, double *y, double *work)
{
    int i;
    for (i = 0; i < l->n; i++)
        y[i] *= l->R[i];
    return cti_program_certify_sharp(judged, y, work);
}

static int cti_lemke_infeasible(cti_lemke *l, int column, const cti_lemke_result *out)
{
    cti_arena_point mark = cti_arena_mark(l->e->arena);
    double *work = out->judged ? cti_judge_work(l->e->arena, out->judged) : NULL;
    int found = 0;
    if (work) {
        cti_lemke_ray(l, column, out->y);
        found = cti_lemke_proves(l, out->judged, out->y, work) ||
                (cti_lemke_program(l, out->y) && cti_lemke_proves(l, out->judged, out->y, work));
    }
    cti_arena_rewind(l->e->arena, mark);
    return found;
}

/* ---- starts ---- */

static int cti_lemke_open(cti_lemke *l, const double *M, const double *q, int n)
{
    cti_arena *arena = l->e->arena;
    double **const all[] = {&l->q, &l->R, &l->C, &l->cover, &l->ratio, &l->s};
    int i;
    l->n = n;
    l->M = CTI_ARENA_NEW(arena, double, (size_t)n *(size_t)n);
    l->want = CTI_ARENA_ZERO(arena, uint8_t, 2 * n + 1), l->reference = CTI_ARENA_ZERO(arena, uint8_t, 2 * n + 1);
    l->slot = CTI_ARENA_NEW(arena, int, n), l->candidate = CTI_ARENA_NEW(arena, int, n);
    if (!l->M || !l->want || !l->reference || !l->slot || !l->candidate || !CTI_ARENA_VECTORS(arena, n, all))
        return 0;
    memcpy(l->M, M, sizeof *M * (size_t)n * (size_t)n);
    if (!cti_equilibrate(arena, l->M, n, l->R, l->C))
        return 0;
    for (i = 0; i < n; i++)
        l->q[i] = l->R[i] * q[i];
    return cti_tableau_open(&l->t, arena, l->M, l->q, n, n + 1);
}

static int cti_lemke_random(cti_lemke *l, int bound)
{
    l->random = l->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((l->random >> 33) % (uint64_t)bound);
}

/* the reference basis: w, but z for equations and for `start` */
static void cti_lemke_reference(cti_lemke *l, const uint8_t *start)
{
    int i, n = l->n, z;
    memset(l->reference, 0, (size_t)(2 * n + 1));
    for (i = 0; i < n; i++) {
        z = (start && start[i]) || (l->equation && l->equation[i]);
        l->reference[i + (z ? n : 0)] = 1;
    }
}

/* random principal pivots of one or two pairs, from the plain start */
static void cti_lemke_wander(cti_lemke *l, int moves)
{
    cti_tableau *t = &l->t;
    int k, i, n = l->n;
    cti_lemke_reference(l, NULL);
    cti_tableau_reset(t);
    cti_tableau_reach(t, l->reference, cti_program_tuned.pivot.tiny);
    for (k = 0; k < 8 * moves && moves > 0; k++) {
        int a = cti_lemke_random(l, n), b = cti_lemke_random(l, n), va, vb, ca, cb;
        double aa, ab, ba, bb;
        if (l->equation && (l->equation[a] || l->equation[b]))
            continue;
        va = t->row[a] >= 0 ? a : n + a, vb = t->row[b] >= 0 ? b : n + b; /* the basic halves of two pairs */
        ca = t->col[va < n ? va + n : va - n], cb = t->col[vb < n ? vb + n : vb - n];
        aa = t->T[cti_index(t->row[va], t->ld, ca)], ab = t->T[cti_index(t->row[va], t->ld, cb)];
        ba = t->T[cti_index(t->row[vb], t->ld, ca)], bb = t->T[cti_index(t->row[vb], t->ld, cb)];
        if (a == b && fabs(aa) > 1e-3)
            cti_tableau_pivot(t, t->row[va], ca), moves--;
        else if (a != b && fabs(ab) > 1e-3 && fabs(ba - bb * aa / ab) > 1e-3) {
            cti_tableau_pivot(t, t->row[va], cb);
            cti_tableau_pivot(t, t->row[vb], ca), moves--;
        }
    }
    for (i = 0; i < 2 * n; i++)
        l->reference[i] = t->row[i] >= 0;
}

/* prepares start number k: covering 1 in the problem's units and in scaled ones (scaled first if they differ by orders of magnitude), then
   random bases */
static void cti_lemke_start(cti_lemke *l, int k, const uint8_t *start, int repair)
{
    double least = INFINITY, most = 0;
    int i;
    for (i = 0; i < l->n; i++)
        least = cti_fmin(least, l->R[i]), most = cti_fmax(most, l->R[i]);
    if (repair) { /* starts from the basis just reached: a complementary one that rounding had made look feasible */
        for (i = 0; i < 2 * l->n; i++)
            l->reference[i] = l->t.row[i] >= 0;
    } else if (k <= 1) {
        cti_lemke_reference(l, start);
    } else {
        cti_lemke_wander(l, 1 + cti_lemke_random(l, cti_max_int(1, cti_min_int(l->n, k))));
    }
    for (i = 0; i < l->n; i++)
        l->cover[i] = !repair && k == (most <= 1024 * least ? 0 : 1) ? l->R[i] : 1;
}

static const char *cti_lemke_why(cti_outcome said)
{
    if (said == CTI_OUTCOME_RAY)
        return "ended on a ray, and it is not shown that there is no solution";
    if (said == CTI_OUTCOME_FAILED)
        return "the last basis is too ill conditioned for the tolerance";
    if (said == CTI_OUTCOME_BUDGET)
        return "the bound on pivots or time was reached";
    return said == CTI_OUTCOME_INFEASIBLE ? "no r >= 0 has u >= 0; the proof is in r" : "";
}

CTI_FN cti_outcome cti_lemke_dense(const cti_lcp *p, const uint8_t *start, int restarts, cti_effort *e, cti_answer *a, cti_lemke_result *out)
{
    cti_arena_point mark = cti_arena_mark(e->arena);
    cti_outcome said = CTI_OUTCOME_FAILED, last = CTI_OUTCOME_FAILED;
    cti_lemke l;
    double goal = cti_fmin(e->tolerance, 1e-9) / 2, residual = INFINITY, now, *z = CTI_ARENA_ZERO(e->arena, double, p->n);
    int n = p->n, k, i, column, repair = 0;
    memset(&l, 0, sizeof l);
    l.e = e, l.a = a, l.equation = p->equation, l.random = e->seed * 2 + 1;
    out->pivots = 0, out->why = "";
    if (!z || !cti_lemke_open(&l, p->M, p->q, n))
        last = CTI_OUTCOME_MEMORY;
    for (k = 0; last != CTI_OUTCOME_MEMORY && k <= restarts; k++) {
        l.cap = k > 0 ? 50 * n + 1000 : (n <= 22 ? cti_program_tuned.lemke.cap : cti_program_tuned.lemke.cap_large);
        cti_lemke_start(&l, k, start, repair);
        said = cti_lemke_run(&l, &column);
        out->attempts = k + 1, repair = said == CTI_OUTCOME_SOLVED;
        now = said == CTI_OUTCOME_SOLVED ? cti_lemke_polish(&l, z) : INFINITY;
        if (now < residual)
            cti_vec_copy(n, z, out->z), residual = now;
        if (said == CTI_OUTCOME_SOLVED && residual <= goal)
            break;
        if (said == CTI_OUTCOME_RAY && last != CTI_OUTCOME_RAY && cti_lemke_infeasible(&l, column, out))
            said = CTI_OUTCOME_INFEASIBLE;
        if (said == CTI_OUTCOME_INFEASIBLE ||
            (said == CTI_OUTCOME_BUDGET && !cti_effort_goes_on(e, l.pivots, cti_program_tuned.lemke.cap, a->x, a->r)))
            break;
        last = said == CTI_OUTCOME_RAY || last == CTI_OUTCOME_RAY ? CTI_OUTCOME_RAY : CTI_OUTCOME_FAILED;
    }
    if (k > restarts && last != CTI_OUTCOME_MEMORY)
        said = residual <= e->tolerance ? CTI_OUTCOME_SOLVED : last;
    out->pivots = l.pivots;
    for (i = 0; i < n && l.C && last != CTI_OUTCOME_MEMORY; i++)
        out->z[i] *= l.C[i];
    if (last == CTI_OUTCOME_MEMORY)
        said = CTI_OUTCOME_MEMORY;
    out->why = cti_lemke_why(said);
    cti_arena_rewind(e->arena, mark);
    return said;
}
