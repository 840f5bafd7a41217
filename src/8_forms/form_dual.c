/* form_dual.c -- root finding, dual: contact forces lambda as unknowns beside u and q. The notes leave the heading empty; docs/forms.md derives this.
   With psi(d) = -E_c'(d) the force of a contact's potential at its distance d(q), J = grad d:
     F1 = M (u - u_t) - h (f_ext + f_d(u) + f_e(q) + J' lambda),   F2 = q - q_t - h u,   F3 = lambda - psi(d(q))
   Newton's step, with Psi = -psi' = E_c'':
     | M + h B   h K - h lambda grad J   -h J' | | du      |      | F1 |
     | -h        1                        0    | | dq      |  = - | F2 |
     | 0         Psi J                    1    | | dlambda |      | F3 |
   dq eliminated by its row leaves A = M + h B + h^2 (K - lambda grad J), that of free bodies, and then the contacts' own system
     (Psi h^2 J A^-1 J' + 1) dlambda = -F3 - Psi J dq0,   dq0: the step without dlambda.
   Here everything is in the units of the objective (F1 times h, lambda times h^2). Where lambda is psi the step is the primal form's. A potential
   that is no function of a distance alone, nearly parallel edges', stays primal. */
#include "form.h"
#include "../2_linalg/schur.h"
#include "../2_linalg/lu.h"

/* 1 for edges inside of the mollifier's width */
static int cti_form_fades(const cti_state *s, const cti_barrier_term *t, const cti_potential *law)
{
    const ct_real *x = s->surface.x0;
    cti_v3 u, v;
    if (t->pair.kind != CT_PAIR_EE)
        return 0;
    u = cti_v3_sub(cti_v3_at(x, t->pair.v[1]), cti_v3_at(x, t->pair.v[0])), v = cti_v3_sub(cti_v3_at(x, t->pair.v[3]), cti_v3_at(x, t->pair.v[2]));
    return cti_v3_norm2(cti_v3_cross(u, v)) < law->width;
}

/* the row of the same pair, searched from *hint on */
static const cti_form_row *cti_form_dual_same(const cti_form_row *rows, const cti_barrier_term *t, int *hint)
{
    int i, n = CTI_LEN(rows);
    for (i = 0; i < n; i++) {
        const cti_form_row *p = &rows[(*hint + i) % n];
        const cti_pair *a = &p->t.pair, *b = &t->pair;
        if (a->kind == b->kind && a->plane == b->plane && memcmp(a->v, b->v, sizeof(int32_t) * (size_t)b->n) == 0) {
            *hint = (*hint + i + 1) % n;
            return p;
        }
    }
    return NULL;
}

CTI_FN int cti_form_dual_update(cti_state *s, const cti_form_row *from, ct_real t, cti_form_row **rows)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, hint = 0;
    CTI_CLEAR(*rows);
    for (i = 0; i < CTI_LEN(b->contact.terms); i++) {
        const cti_form_row *p = cti_form_dual_same(from, &b->contact.terms[i], &hint);
        cti_potential law;
        cti_form_row q;
        double hat2, b1, b2, share;
        cti_barrier_law(s, &b->contact.terms[i], &law);
        cti_form_row_make(s, &b->contact.terms[i], s->surface.x0, &q);
        hat2 = (double)law.dhat * (double)law.dhat, share = (double)q.d * (double)q.d / hat2;
        cti_barrier_value(law.kind, share, &b1, &b2);
        q.psi = -2 * (double)law.k * b1 / hat2 * (double)q.d;
        q.rate = (double)law.k / hat2 * (2 * b1 + 4 * b2 * share);
        q.fades = cti_form_fades(s, &b->contact.terms[i], &law);
        q.lambda = p && !p->fades && !q.fades ? p->lambda + (double)t * p->step : q.psi;
        if (!CTI_PUSH(&s->prepared, *rows, q))
            return 0;
    }
    return 1;
}

CTI_FN void cti_form_dual_add(cti_state *s, cti_form_row *rows, int is_exact)
{
    cti_potential_terms p;
    ct_real g[12];
    int i, j, k, l, n_blocks = cti_barrier_own(s)->n;
    for (i = 0; i < CTI_LEN(rows); i++) {
        const cti_form_row *q = &rows[i];
        int n = q->t.pair.n;
        if (q->fades) {
            if (!cti_barrier_eval(s, &q->t, s->surface.x0, CTI_POTENTIAL_PROJECTED, &p))
                continue;
            cti_barrier_scatter(s, q->t.pair.v, n, p.gradient, p.hessian, 0, n_blocks);
            continue;
        }
        for (j = 0; j < n; j++)
            cti_v3_put(g, j, cti_v3_mul(cti_v3_at(q->n, 0), -(ct_real)q->lambda * q->c[j]));
        /* the potential's Hessian is Psi J'J - psi grad J */
        if (!is_exact || !(q->psi > 0) || !cti_barrier_eval(s, &q->t, s->surface.x0, CTI_POTENTIAL_EXACT, &p)) {
            cti_barrier_scatter(s, q->t.pair.v, n, g, NULL, 0, n_blocks);
            continue;
        }
        for (j = 0; j < n; j++)
            for (k = 0; k < n; k++)
                for (l = 0; l < 9; l++) {
                    ct_real *H = &p.hessian[3 * n * (3 * j + l / 3) + 3 * k + l % 3];
                    *H = (ct_real)(q->lambda / q->psi) * (*H - (ct_real)q->rate * q->c[j] * q->c[k] * q->n[l / 3] * q->n[l % 3]);
                }
        cti_barrier_scatter(s, q->t.pair.v, n, g, p.hessian, 0, n_blocks);
    }
}

CTI_FN double cti_form_dual_size(const cti_state *s, const cti_form_row *rows, const double *mass)
{
    const cti_barrier *b = cti_barrier_own(s);
    double sum = 0;
    int i, j, k;
    for (i = 0; i < CTI_LEN(rows); i++) {
        double e = rows[i].lambda - rows[i].psi, JJ = 0;
        for (j = 0; j < rows[i].t.pair.n; j++) {
            const cti_attach *a = cti_barrier_of(s, b, rows[i].t.pair.v[j]);
            for (k = 0; k < a->n; k++) {
                double c = (double)(rows[i].c[j] * a->weight[k]);
                JJ += mass[a->block[k]] > 0 ? c * c / mass[a->block[k]] : 0;
            }
        }
        sum += rows[i].fades ? 0 : e * e * JJ;
    }
    return sum;
}

/* (Psi W + 1) x = r, W in place */
static int cti_form_dual_system(cti_state *s, const cti_form_row *rows, double *W, int ld, double *x)
{
    int m = CTI_LEN(rows), i, j;
    int *pivot = CTI_ARENA_NEW(s->arena, int, m + 8);
    double *scratch = CTI_ARENA_NEW(s->arena, double, cti_lu_scratch(m));
    if (!pivot || !scratch)
        return -1;
    for (i = 0; i < m; i++) {
        for (j = 0; j < m; j++)
            W[(size_t)i * (size_t)ld + (size_t)j] *= rows[i].fades ? 0 : rows[i].rate;
        W[(size_t)i * (size_t)ld + (size_t)i] += 1;
    }
    if (!cti_lu_factor(W, m, ld, pivot, scratch))
        return 0;
    cti_lu_solve(W, m, ld, pivot, x);
    return 1;
}

CTI_FN int cti_form_dual_solve(cti_state *s, cti_form_row *rows)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_arena_point mark = cti_arena_mark(s->arena);
    int m = CTI_LEN(rows), ld = (m + 7) / 8 * 8, i, k, ok = -1;
    double *W, *x;
    cti_sparse J, S;
    if (m == 0)
        return 1;
    memset(&J, 0, sizeof J), memset(&S, 0, sizeof S);
    W = CTI_ARENA_NEW(s->arena, double, (size_t)m *(size_t)ld + 8);
    x = CTI_ARENA_NEW(s->arena, double, ld + 8);
    if (W && x && cti_form_jacobian(s, rows, m, 0, &J) && cti_form_jacobian(s, rows, m, 1, &S) &&
        cti_factor64_schur(&b->factors.exact, s->arena, m, S.p, S.i, S.x, W, ld)) {
        for (i = 0; i < m; i++) {
            double moved = 0;
            for (k = J.p[i]; k < J.p[i + 1]; k++)
                moved += J.x[k] * (double)b->dy[J.i[k]];
            x[i] = rows[i].fades ? 0 : rows[i].psi - rows[i].lambda - rows[i].rate * moved;
        }
        ok = cti_form_dual_system(s, rows, W, ld, x);
    }
    if (ok == 1) {
        memset(b->factors.x64, 0, sizeof *b->factors.x64 * 3 * (size_t)b->n);
        cti_sparse_addmul_t(&S, x, b->factors.x64);
        cti_factor64_solve(&b->factors.exact, b->factors.x64, b->factors.work64);
        for (i = 0; i < 3 * b->n; i++)
            b->dy[i] += (ct_real)b->factors.x64[i];
        for (i = 0; i < m; i++)
            rows[i].step = x[i];
    }
    cti_sparse_free(&s->prepared, &J);
    cti_sparse_free(&s->prepared, &S);
    cti_arena_rewind(s->arena, mark);
    return ok;
}
