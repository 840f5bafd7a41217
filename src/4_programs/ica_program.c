/* ica_program.c -- iterative constraint anticipation on a problem that stands alone.
   Method: unknowns 3 k .. 3 k + 2 are block k, pads have 1 on the diagonal. A row of J that touches blocks with g_k [3] is a contact
   without friction of normal n = g_1 / |g_1|: weight n.g_k and arm n x g_k give n.(weight v + v x arm) = g_k.v for every g_k. Three rows
   with friction need G_k = F (weight I - [arm]x) with one orthonormal F, which contacts of vertices and faces have. Unknowns that are compliances
   are eliminated (ica_springs.h). One in no line is b_s / a, as a pinned axis of a node is. A projector S takes it out of its block, and
   G_k = F (weight I - [arm]x) S. A component of A with few blocks in contact is one cluster with its factor, as a body is in worlds; where contacts
   then cycle, nodes go on. The judge is asked at intervals that grow by an eighth of the iterations so far; only the judge ends a solve as solved.
   In the paper's version the paper's rule ends the solve, and the judge measures the result. Based on: Otaduy 2009, sec. 5.2-5.5. */
#include "ica_program.h"
#include "ica_springs.h"
#include "../2_linalg/krylov.h"
#include "../3_solve/ica.h"
#include "../3_solve/ica_paper.h"

#define CTI_ICA_PROGRAM_FRAME cti_fmax(1e-9, 32 * CTI_EPS) /* [1] error of a frame; that of a float world is rounded */

/* a component of A as a cluster */
typedef struct cti_ica_whole {
    cti_symbolic symbolic;
    cti_gather gather;
    cti_factor64 factor;
    cti_arena *arena;
    double *work; /* of a solve, then its vector */
    int n;
} cti_ica_whole;

typedef struct cti_ica_program {
    const cti_program *p;
    cti_effort *e;
    cti_answer *a;
    cti_bsr A;
    cti_row *rows;
    cti_ica_springs springs;
    cti_cluster *clusters;
    cti_ica_whole *wholes; /* [n_wholes] */
    int n_clusters, n_wholes;
    int n_rows, stride;  /* rows; lines of a contact */
    double *work;        /* [2 m + 2 n] of the judge */
    int own, next;       /* [iterations] the solver's own bound; the next judgement */
    int before;          /* iterations of earlier starts */
    int solved, stopped; /* by the judge; by the effort */
    int whole;           /* 1: bodies are clusters */
    int32_t *filter;     /* [blocks of A] and */
    ct_real *projectors; /* [9 blocks]: as of cti_problem; NULL: all unknowns are in lines or coupled */
    ct_real *turn;       /* [2 rows] cosine and sine of the tangents' rotation in 3.4, or NULL */
} cti_ica_program;

/* ---- A ---- */

static int cti_ica_program_matrix(cti_mem *mem, const cti_sparse *A, const int32_t *to, cti_bsr *out)
{
    int32_t *pairs = NULL;
    int i, k, ok, slot = -1, row = -1, col = -1, n = 0, count = cti_sparse_pairs(mem, A, to, &pairs);
    for (i = 0; i < A->rows; i++)
        n = cti_max_int(n, to[i / 3] + 1);
    ok = count >= 0 && cti_bsr_pattern(mem, out, n, pairs, count);
    for (i = 0; ok && i < A->rows; i++)
        for (k = A->p[i]; k < A->p[i + 1]; k++) {
            int a = to[i / 3], b = to[A->i[k] / 3];
            if (a < 0 || b < 0)
                continue;
            if (row != a || col != b)
                row = a, col = b, slot = cti_bsr_slot(out, row, col);
            out->val[9 * (size_t)slot + (size_t)(3 * (i % 3) + A->i[k] % 3)] = (ct_real)A->x[k];
        }
    for (i = A->rows; ok && i % 3 && to[i / 3] >= 0; i++)
        out->val[9 * (size_t)out->diag[to[i / 3]] + 4 * (size_t)(i % 3)] = 1;
    return ok;
}

/* ---- projectors ---- */

/* projectors of the n blocks that have unknowns of their own. 0: out of memory */
static int cti_ica_program_project(cti_ica_program *s, int n)
{
    int i, k, at;
    for (i = 0; i < s->p->n; i++) {
        at = s->springs.to[i / 3];
        if (at < 0 || s->springs.times[i] >= 0)
            continue;
        if (!s->filter) {
            s->filter = CTI_ARENA_NEW(s->e->arena, int32_t, n), s->projectors = CTI_ARENA_ZERO(s->e->arena, ct_real, 9 * (size_t)n);
            if (!s->filter || !s->projectors)
                return 0;
            memset(s->filter, 0xff, sizeof *s->filter * (size_t)n);
        }
        for (k = 0; k < 3 && s->filter[at] < 0; k++)
            s->projectors[9 * at + 4 * k] = 1;
        s->filter[at] = at, s->projectors[9 * at + 4 * (i % 3)] = 0;
    }
    return 1;
}

/* finds springs, rows and projectors. 0: out of memory */
static int cti_ica_program_reduce(cti_ica_program *s)
{
    int n = 0;
    s->n_rows = cti_ica_springs_find(&s->springs, s->e->arena, s->p, s->stride, &n);
    return s->n_rows >= 0 && cti_ica_program_project(s, n);
}

/* ---- clusters ---- */

static void cti_ica_whole_solve(void *ctx, ct_real *x, int worker)
{
    cti_ica_whole *q = (cti_ica_whole *)ctx;
    double *y = q->work + cti_factor64_work(&q->factor);
    int i;
    CTI_UNUSED(worker);
    for (i = 0; i < 3 * q->n; i++)
        y[i] = (double)x[i];
    cti_factor64_solve(&q->factor, y, q->work);
    for (i = 0; i < 3 * q->n; i++)
        x[i] = (ct_real)y[i];
}

static int cti_ica_whole_compliance(void *ctx, const int32_t *ports, int n, float **out_c, int *out_ld, size_t *out_work)
{
    cti_ica_whole *q = (cti_ica_whole *)ctx;
    size_t numbers;
    CTI_UNUSED(ports);
    *out_ld = (3 * n + 7) & ~7, numbers = (size_t)(3 * n) * (size_t)*out_ld;
    *out_work = 2 * (cti_factor64_compliance_work(&q->factor, n) + numbers);
    *out_c = CTI_ARENA_NEW(q->arena, float, numbers);
    return *out_c != NULL;
}

static void cti_ica_whole_fill(void *ctx, const int32_t *ports, int n, float *C, float *work)
{
    cti_ica_whole *q = (cti_ica_whole *)ctx;
    double *D = (double *)(void *)work;
    int ld = (3 * n + 7) & ~7;
    size_t i;
    cti_factor64_compliance(&q->factor, ports, n, D, ld, D + (size_t)(3 * n) * (size_t)ld);
    for (i = 0; i < (size_t)(3 * n) * (size_t)ld; i++)
        C[i] = (float)D[i];
}

/* a cluster of the sorted blocks list [n]. 1: a whole, 0: its factor costs too much or fails, -1: out of memory */
static int cti_ica_program_whole(cti_ica_program *s, const int32_t *list, int n)
{
    cti_ica_whole *q = &s->wholes[s->n_wholes++];
    cti_mem *mem = &s->e->arena->own;
    cti_cluster *c = &s->clusters[s->n_clusters];
    if (!cti_symbolic_analyze_once(mem, &q->symbolic, &s->A, list, n, NULL))
        return -1;
    if (q->symbolic.flops > cti_program_tuned.ica.flops)
        return 0;
    if (!cti_gather_make(mem, &q->gather, &q->symbolic, &s->A, list) ||
        !cti_factor64_compute(mem, &q->factor, &q->symbolic, &q->gather, s->A.val))
        return -1;
    if (q->factor.boosted)
        return 0;
    q->n = n, q->arena = s->e->arena;
    q->work = CTI_ARENA_NEW(q->arena, double, cti_factor64_work(&q->factor) + 3 * (size_t)n);
    c->blocks = list, c->n = n, c->solve = cti_ica_whole_solve, c->compliance = cti_ica_whole_compliance, c->fill = cti_ica_whole_fill;
    c->ctx = q;
    s->n_clusters++;
    return q->work ? 1 : -1;
}

/* the component of A at block i, sorted: queue [n] after `seen` [blocks]. Returns its size; *ports: its blocks in contact */
static int cti_ica_program_component(const cti_bsr *A, int i, uint8_t *seen, int32_t *list, int *ports)
{
    int n = 1, at, k, first = i, last = i;
    *ports = 0, list[0] = i, seen[i] |= 1;
    for (at = 0; at < n; at++)
        for (k = A->row[list[at]], *ports += seen[list[at]] >> 1; k < A->row[list[at] + 1]; k++)
            if (!(seen[A->col[k]] & 1))
                seen[list[n++] = A->col[k]] |= 1;
    for (at = 0; at < n; at++)
        seen[list[at]] |= 4, last = cti_max_int(last, list[at]);
    for (at = 0, k = first; k <= last; k++)
        if (seen[k] & 4)
            list[at++] = k, seen[k] &= 3;
    return n;
}

/* components with few blocks in contact as clusters, and nodes. 0: out of memory */
static int cti_ica_program_clusters(cti_ica_program *s)
{
    int i, k, n, ports, got, size = s->A.n;
    uint8_t *seen = CTI_ARENA_ZERO(s->e->arena, uint8_t, size);
    int32_t *list = CTI_ARENA_NEW(s->e->arena, int32_t, size);
    s->clusters = CTI_ARENA_ZERO(s->e->arena, cti_cluster, size), s->wholes = CTI_ARENA_ZERO(s->e->arena, cti_ica_whole, size);
    if (!seen || !list || !s->clusters || !s->wholes)
        return 0;
    for (i = 0; i < s->n_rows; i++)
        for (k = 0; k < s->rows[i].n; k++)
            seen[s->rows[i].term[k].block] = 2;
    for (i = 0; i < size; i++) {
        if (seen[i] & 1)
            continue;
        n = cti_ica_program_component(&s->A, i, seen, list, &ports);
        got = n > 1 && ports <= cti_program_tuned.ica.ports ? cti_ica_program_whole(s, list, n) : 0;
        if (got < 0)
            return 0;
        for (k = 0; k < n && !got; k++)
            s->clusters[s->n_clusters].blocks = list + k, s->clusters[s->n_clusters++].n = 1;
        list += n;
    }
    return 1;
}

/* ---- rows ---- */

/* the blocks of `lines` rows of J from `first` on, without springs: G [16][9], blocks [16]. Returns the number of blocks, or -1 if there
 * are more than 16 */
static int cti_ica_program_blocks(const cti_sparse *J, const int32_t *to, int first, int lines, int32_t *blocks, double *G)
{
    int i, k, at, n = 0;
    for (i = 0; i < lines; i++)
        for (k = J->p[first + i]; k < J->p[first + i + 1]; k++) {
            int block = to[J->i[k] / 3];
            if (J->x[k] == 0 || block < 0)
                continue;
            for (at = 0; at < n && blocks[at] != block; at++)
                ;
            if (at == CTI_ROW_TERMS)
                return -1;
            if (at == n) {
                blocks[n++] = block;
                memset(G + 9 * at, 0, 9 * sizeof *G);
            }
            G[9 * at + 3 * i + J->i[k] % 3] = J->x[k];
        }
    return n;
}

static void cti_ica_program_term(cti_row *row, int block, double weight, const double *arm)
{
    cti_term *t = &row->term[row->n++];
    int k;
    t->block = block, t->weight = (ct_real)weight;
    for (k = 0; k < 3; k++)
        t->arm[k] = (ct_real)arm[k];
    row->n_a = row->n;
}

/* a row without friction: any g_k are possible */
static void cti_ica_program_normal(cti_row *row, int n, const int32_t *blocks, const double *G)
{
    double size = 0;
    cti_v3 normal, t1, t2;
    int k, i;
    for (i = 0; n > 0 && i < 3; i++)
        size += G[i] * G[i];
    size = sqrt(size);
    normal = size > 0 ? cti_v3_make((ct_real)(G[0] / size), (ct_real)(G[1] / size), (ct_real)(G[2] / size)) : cti_v3_make(0, 1, 0);
    cti_v3_tangents(normal, &t1, &t2);
    cti_v3_put(row->frame, 0, normal), cti_v3_put(row->frame, 1, t1), cti_v3_put(row->frame, 2, t2);
    for (k = 0; k < n; k++) {
        const double *g = G + 9 * k;
        double f[3], arm[3];
        for (i = 0; i < 3; i++)
            f[i] = (double)row->frame[i];
        arm[0] = f[1] * g[2] - f[2] * g[1], arm[1] = f[2] * g[0] - f[0] * g[2], arm[2] = f[0] * g[1] - f[1] * g[0];
        cti_ica_program_term(row, blocks[k], f[0] * g[0] + f[1] * g[1] + f[2] * g[2], arm);
    }
}

/* F [9], orthonormal, with G = w F S; S [9] a diagonal projector. Columns outside of S complete F. Returns the rank of S, or 0 if G
   has no such form */
static int cti_ica_program_frame(const double *G, const ct_real *S, double *F)
{
    double w2 = 0, off = 0;
    int i, j, rank = 0, one = 0, none = 0;
    cti_v3 f[3];
    for (j = 0; j < 3; j++)
        if (S[4 * j] > 0)
            w2 += G[j] * G[j] + G[3 + j] * G[3 + j] + G[6 + j] * G[6 + j], rank++, one = j;
        else
            none = j;
    w2 /= cti_max_int(rank, 1);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (S[4 * i] > 0 && S[4 * j] > 0)
                off = cti_fmax(off, fabs(G[i] * G[j] + G[3 + i] * G[3 + j] + G[6 + i] * G[6 + j] - (i == j ? w2 : 0)));
    for (i = 0; i < 9; i++)
        F[i] = w2 > 0 ? G[i] / sqrt(w2) : 0;
    if (!(w2 > 0) || off > CTI_ICA_PROGRAM_FRAME * w2)
        return 0;
    for (j = 0; j < 3; j++)
        f[j] = cti_v3_make((ct_real)F[j], (ct_real)F[3 + j], (ct_real)F[6 + j]);
    if (rank == 1)
        cti_v3_tangents(f[one], &f[(one + 1) % 3], &f[(one + 2) % 3]);
    else if (rank == 2)
        f[none] = cti_v3_cross(f[(none + 1) % 3], f[(none + 2) % 3]);
    for (j = 0; j < 3; j++)
        if (!(S[4 * j] > 0))
            F[j] = (double)f[j].x, F[3 + j] = (double)f[j].y, F[6 + j] = (double)f[j].z;
    return rank;
}

/* M = (weight I - [arm]x) S; returns the largest error of an entry */
static double cti_ica_program_fit(const double *M, const ct_real *S, double *weight, double *arm)
{
    double off = 0, n = (double)(S[0] + S[4] + S[8]);
    int i;
    *weight = n > 0 ? (M[0] + M[4] + M[8]) / n : 0;
    for (i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double sj = (double)S[4 * j], sk = (double)S[4 * k];
        arm[i] = (M[3 * j + k] - M[3 * k + j]) / cti_fmax(sj + sk, 1);
        off = cti_fmax(off, fabs(M[4 * i] - *weight * (double)S[4 * i]));
        off = cti_fmax(off, cti_fmax(fabs(M[3 * j + k] - arm[i] * sk), fabs(M[3 * k + j] + arm[i] * sj)));
    }
    return off;
}

/* F' G = (w I - [arm]x) S for every block, with the frame of the first block that has one in most columns; 0 when there is no such frame */
static int cti_ica_program_contact(const cti_ica_program *s, cti_row *row, int n, const int32_t *blocks, const double *G)
{
    static const ct_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const ct_real *S[CTI_ROW_TERMS];
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, big = 0;
    int rank = 0, k, i, j;
    for (k = 0; k < n; k++) {
        double frame[9];
        int got;
        S[k] = s->filter && s->filter[blocks[k]] >= 0 ? s->projectors + 9 * (size_t)blocks[k] : one;
        for (i = 0; i < 9; i++)
            big = cti_fmax(big, fabs(G[9 * k + i]));
        got = cti_ica_program_frame(G + 9 * k, S[k], frame);
        if (got > rank)
            rank = got, memcpy(F, frame, sizeof F);
    }
    if (n > 0 && rank == 0)
        return 0;
    for (k = 0; k < 9; k++)
        row->frame[k] = (ct_real)F[k];
    for (k = 0; k < n; k++) {
        double M[9], arm[3], weight;
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                M[3 * i + j] = F[i] * G[9 * k + j] + F[3 + i] * G[9 * k + 3 + j] + F[6 + i] * G[9 * k + 6 + j];
        if (cti_ica_program_fit(M, S[k], &weight, arm) > CTI_ICA_PROGRAM_FRAME * big)
            return 0;
        cti_ica_program_term(row, blocks[k], weight, arm);
    }
    return 1;
}

/* converts all rows; returns a reason when one does not have the form */
static const char *cti_ica_program_rows(cti_ica_program *s)
{
    const cti_program *p = s->p;
    int32_t blocks[CTI_ROW_TERMS];
    double G[9 * CTI_ROW_TERMS];
    int i, k, n;
    for (i = 0; i < s->n_rows; i++) {
        cti_row *row = &s->rows[i];
        const cti_ica_springs *q = &s->springs;
        int at = s->springs.first[i], lines = p->mu && p->mu[at / 3] > 0 ? 3 : 1;
        n = cti_ica_program_blocks(&p->J, q->to, at, lines, blocks, G);
        if (n < 0)
            return "a row touches more than sixteen blocks of three unknowns";
        row->mu = p->mu ? (ct_real)p->mu[at / 3] : 0;
        row->equations = p->equation && p->equation[i];
        row->key = (uint64_t)i + 1;
        for (k = 0; k < s->stride; k++) {
            row->w[k] = (ct_real)q->w[at + k];
            row->r[k] = s->e->warm && (k == 0 || row->mu > 0) ? (ct_real)(s->a->r[at + k] + (s->springs.two[i] ? s->a->r[at + 3 + k] : 0)) : 0;
            row->compliance[k] = (ct_real)(s->springs.two[i] ? q->shared[at + k] : q->own[at + k]);
        }
        if (s->springs.two[i])
            row->recover = (ct_real)(q->w[at] - q->w[at + 3]), row->softness = (ct_real)(q->shared[at] + q->own[at + 3]);
        if (lines == 1)
            cti_ica_program_normal(row, n, blocks, G);
        else if (!cti_ica_program_contact(s, row, n, blocks, G))
            return "a contact with friction has no frame that its blocks see by a weight and an arm";
    }
    return NULL;
}

/* ---- the solve ---- */

/* stores x and r in the answer. The second contact of a row carries what its compliance takes at most */
static void cti_ica_program_answer(cti_ica_program *s, const ct_real *v)
{
    const cti_program *p = s->p;
    const cti_ica_springs *q = &s->springs;
    int i, k, l;
    for (i = 0; i < s->n_rows; i++) {
        const cti_row *row = &s->rows[i];
        const ct_real *r = row->r, *t = s->turn + 2 * (size_t)i;
        double *to = s->a->r + s->springs.first[i], n = (double)r[0], part = 0;
        for (k = 0; k < s->stride; k++)
            to[k] = (double)r[k];
        if (s->turn && s->stride == 3)
            to[1] = (double)(t[0] * r[1] - t[1] * r[2]), to[2] = (double)(t[1] * r[1] + t[0] * r[2]);
        if (s->springs.two[i] && n > 0)
            part = cti_fmin(1, (double)row->recover / ((double)(row->softness - row->compliance[0]) * n));
        for (k = 0; k < 3 && s->springs.two[i]; k++)
            to[3 + k] = part * to[k], to[k] -= to[3 + k];
    }
    for (i = 0; i < p->n; i++)
        if (q->to[i / 3] >= 0 && q->times[i] >= 0)
            s->a->x[i] = (double)v[3 * q->to[i / 3] + i % 3];
        else
            s->a->x[i] = p->b[i] / cti_ica_springs_alone(&p->A, i);
    for (l = 0; l < p->m; l++)
        for (k = p->J.p[l]; k < p->J.p[l + 1]; k++)
            if (p->J.x[k] != 0 && q->to[(i = p->J.i[k]) / 3] < 0)
                s->a->x[i] += p->J.x[k] * s->a->r[l] / cti_ica_springs_alone(&p->A, i);
}

/* called after an outer iteration: updates the answer, asks judge and effort; 0 ends the solve */
static int cti_ica_program_watch(void *user, int iteration, const ct_real *v)
{
    cti_ica_program *s = (cti_ica_program *)user;
    cti_judgement j;
    cti_ica_program_answer(s, v);
    iteration += s->before;
    s->a->iterations = iteration;
    if (!s->e->paper && iteration >= s->next) {
        cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
        s->next = iteration + 1 + iteration / 8;
        s->solved = j.residual <= s->e->tolerance;
    }
    s->stopped = !cti_effort_goes_on(s->e, iteration, s->own, s->a->x, s->a->r);
    return !s->solved && !s->stopped && !(s->whole && iteration >= cti_program_tuned.ica.tries);
}

/* bound on outer iterations: about 2e10 multiplications */
static int cti_ica_program_bound(const cti_program *p)
{
    double work = 2e10 / (p->A.p[p->n] + 12.0 * p->J.p[p->m] + 1);
    return work > 1e5 ? 100000 : (work < 200 ? 200 : (int)work);
}

/* rotates t1 of contacts with friction to their tangential velocity at v* (3.4) */
static void cti_ica_program_align(cti_ica_program *s, const ct_real *v_star)
{
    int i, k;
    for (i = 0; i < s->n_rows; i++) {
        cti_row *row = &s->rows[i];
        ct_real u[3], size, c = 1, sine = 0, old;
        cti_row_velocity(row, v_star, u);
        size = row->mu > 0 ? cti_sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
        if (size > 0)
            c = u[1] / size, sine = u[2] / size;
        s->turn[2 * i] = c, s->turn[2 * i + 1] = sine;
        for (k = 3; k < 6; k++) {
            old = row->frame[k];
            row->frame[k] = c * old + sine * row->frame[k + 3], row->frame[k + 3] = c * row->frame[k + 3] - sine * old;
        }
        old = row->w[1], row->w[1] = c * old + sine * row->w[2], row->w[2] = c * row->w[2] - sine * old;
        old = row->r[1], row->r[1] = c * old + sine * row->r[2], row->r[2] = c * row->r[2] - sine * old;
    }
}

/* solves A v* = b by conjugate gradients, up to rounding. 0: out of memory */
static int cti_ica_program_star(cti_ica_program *s, const ct_real *b, ct_real *v_star)
{
    int n = s->A.n, i;
    cti_jacobi jacobi;
    cti_operator A, M;
    ct_real *work = CTI_ARENA_NEW(s->e->arena, ct_real, 12 * (size_t)n), size;
    memset(&jacobi, 0, sizeof jacobi);
    if (!work || !cti_jacobi_make(&s->e->arena->own, &jacobi, &s->A))
        return 0;
    cti_jacobi_apply(&jacobi, b, work);
    size = cti_krylov_dot(3 * n, b, work);
    for (i = 0; i < 3 * n; i++)
        v_star[i] = 0;
    A = cti_bsr_operator(&s->A), M = cti_jacobi_operator(&jacobi);
    cti_pcg(&A, &M, b, v_star, 16 * CTI_EPS * cti_sqrt(size), 100 + 30 * n, work, NULL);
    return 1;
}

/* the solve as printed; without a thickness there is no test of distances. v: the start, if warm */
static cti_outcome cti_ica_program_printed(cti_ica_program *s, const cti_problem *q, ct_real *v)
{
    ct_solver_desc desc;
    cti_solve_info info;
    cti_judgement j;
    ct_real *star = CTI_ARENA_NEW(s->e->arena, ct_real, 3 * (size_t)s->A.n);
    s->turn = CTI_ARENA_NEW(s->e->arena, ct_real, 2 * (size_t)s->n_rows);
    if (!star || !s->turn || !cti_ica_program_star(s, q->b, star))
        return CTI_OUTCOME_MEMORY;
    cti_ica_program_align(s, star);
    if (!s->e->warm)
        memcpy(v, star, sizeof(ct_real) * 3 * (size_t)s->A.n);
    memset(&desc, 0, sizeof desc);
    desc.cone = CT_CONE_BOX, desc.max_iterations = desc.max_sweeps = 1 << 30, desc.inner_iterations = cti_program_tuned.ica.inner;
    s->own = cti_ica_program_bound(s->p);
    cti_ica_paper_solve(q, &desc, s->e->arena, star, v, &info);
    if (info.status == CTI_SOLVE_MEMORY)
        return CTI_OUTCOME_MEMORY;
    cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
    if (j.residual <= s->e->tolerance)
        return CTI_OUTCOME_SOLVED;
    s->a->why = info.status == CTI_SOLVE_DIVERGED ? "the relaxation diverges"
                                                  : (info.status == CTI_SOLVE_OK ? "the paper's rule ended above the tolerance"
                                                                                 : "the budget ended before the paper's rule did");
    return info.status == CTI_SOLVE_DIVERGED ? CTI_OUTCOME_FAILED : CTI_OUTCOME_BUDGET;
}

/* ICA works on changes from a base point in float. Changes below its resolution are lost, and the next base point then looks like
   divergence. So the solve is started again from the result. 0: out of memory */
static int cti_ica_program_relax(cti_ica_program *s, const cti_problem *q, ct_real *v, cti_solve_info *info)
{
    ct_solver_desc desc;
    cti_judgement j;
    double last;
    memset(&desc, 0, sizeof desc), memset(&j, 0, sizeof j);
    /* only the watcher ends the solve: every change that is a normal number exceeds this tolerance */
    desc.cone = CT_CONE_CONE, desc.tolerance = CTI_R(1e-30);
    desc.max_iterations = 1 << 30, desc.max_sweeps = 1 << 30, desc.inner_iterations = 50, desc.inner_repeats = 3;
    j.residual = INFINITY;
    do {
        cti_arena_point mark = cti_arena_mark(s->e->arena);
        last = j.residual;
        cti_ica_solve(q, &desc, s->e->arena, v, info);
        cti_arena_rewind(s->e->arena, mark);
        if (info->status == CTI_SOLVE_MEMORY)
            return 0;
        cti_program_judge(s->p, s->a->x, s->a->r, s->work, &j);
        s->before = s->a->iterations;
        s->solved = s->solved || j.residual <= s->e->tolerance;
    } while ((info->status == CTI_SOLVE_OK || info->status == CTI_SOLVE_DIVERGED) && !s->solved && !s->stopped && j.residual < 0.5 * last);
    return 1;
}

static cti_outcome cti_ica_program_run(cti_ica_program *s)
{
    cti_problem q;
    cti_solve_info info;
    ct_real *v = CTI_ARENA_ZERO(s->e->arena, ct_real, 3 * s->A.n), *b = CTI_ARENA_ZERO(s->e->arena, ct_real, 3 * s->A.n);
    int i;
    if (!v || !b)
        return CTI_OUTCOME_MEMORY;
    for (i = 0; i < s->p->n; i++) {
        int at = 3 * s->springs.to[i / 3] + i % 3;
        if (at >= 0 && s->springs.times[i] >= 0)
            b[at] = (ct_real)s->p->b[i], v[at] = s->e->warm ? (ct_real)s->a->x[i] : 0;
    }
    memset(&q, 0, sizeof q);
    q.A = &s->A, q.b = b, q.dt = 1, q.velocity_scale = 1;
    q.rows = s->rows, q.n_rows = s->n_rows;
    q.filter = s->filter, q.projectors = s->projectors;
    q.split.plain = s->e->plain, q.split.predict = 1, q.calls.watch = cti_ica_program_watch, q.calls.watch_user = s;
#if CONTACT_WITH_PRINTED
    if (s->e->paper)
        return cti_ica_program_printed(s, &q, v);
#endif
    s->own = cti_ica_program_bound(s->p);
    if (!s->e->plain && s->p->kind == CTI_PROGRAM_GLOBAL && !cti_ica_program_clusters(s))
        return CTI_OUTCOME_MEMORY;
    s->whole = s->n_wholes > 0, q.split.clusters = s->clusters, q.split.n_clusters = s->n_clusters;
    if (!cti_ica_program_relax(s, &q, v, &info))
        return CTI_OUTCOME_MEMORY;
    if (s->whole && !s->solved && !s->stopped) {
        s->whole = 0, q.split.n_clusters = 0;
        memset(v, 0, sizeof *v * 3 * (size_t)s->A.n);
        for (i = 0; i < s->n_rows; i++)
            memset(s->rows[i].r, 0, sizeof s->rows[i].r);
        if (!cti_ica_program_relax(s, &q, v, &info))
            return CTI_OUTCOME_MEMORY;
    }
    if (s->solved)
        return CTI_OUTCOME_SOLVED;
    s->a->why = info.status == CTI_SOLVE_DIVERGED ? "the relaxation diverges"
                                                  : (info.status == CTI_SOLVE_OK ? "the relaxation stands still short of the tolerance"
                                                                                 : "the budget ended before the relaxation converged");
    return info.status == CTI_SOLVE_BUDGET ? CTI_OUTCOME_BUDGET : CTI_OUTCOME_FAILED;
}

/* a solution of a problem that is not convex is none */
static cti_outcome cti_ica_program_confirm(const cti_program *p, cti_effort *e, cti_answer *a, cti_outcome outcome)
{
    int is_convex = outcome == CTI_OUTCOME_SOLVED ? cti_scalar_is_convex(e->arena, &p->A) : 1;
    if (is_convex > 0)
        return outcome;
    a->why = is_convex < 0 ? "" : "the quadratic form is not convex";
    return is_convex < 0 ? CTI_OUTCOME_MEMORY : CTI_OUTCOME_NOT_APPLICABLE;
}

CTI_FN cti_outcome cti_solver_ica(const cti_program *p, cti_effort *e, cti_answer *a)
{
    cti_ica_program s;
    cti_outcome outcome = CTI_OUTCOME_MEMORY;
    memset(&s, 0, sizeof s);
    a->why = "";
    if (!cti_program_is_dynamic(p) || p->n == 0)
        return cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE,
                              "anticipation by nodes needs the matrix of the unknowns, which this kind of problem does not have");
    s.p = p, s.e = e, s.a = a;
    s.stride = p->mu ? 3 : 1;
    s.rows = CTI_ARENA_ZERO(e->arena, cti_row, p->m / s.stride);
    s.work = cti_judge_work(e->arena, p);
    if (s.rows && s.work && cti_ica_program_reduce(&s)) {
        const char *why = cti_ica_program_rows(&s);
        if (why)
            outcome = cti_answer_end(a, CTI_OUTCOME_NOT_APPLICABLE, why);
        else if (cti_ica_program_matrix(&e->arena->own, &p->A, s.springs.to, &s.A))
            outcome = cti_ica_program_confirm(p, e, a, cti_ica_program_run(&s));
    }
    return outcome;
}
