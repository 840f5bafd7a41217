/* form_rows.c -- what the forms share: steps along dy that collisions cut, contacts as rows of a Jacobian, and their report.
   based on: lecture notes 4.3 (J of a contact point that is a weighted sum of nodes). */
#include "form.h"

CTI_FN void cti_form_save(cti_state *s, cti_form_run *q)
{
    memcpy(q->y_old, cti_barrier_own(s)->y, sizeof(ct_real) * 3 * (size_t)cti_barrier_own(s)->n);
    if (s->surface.nv)
        memcpy(q->x_old, s->surface.x0, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
}

CTI_FN void cti_form_back(cti_state *s, cti_form_run *q)
{
    memcpy(cti_barrier_own(s)->y, q->y_old, sizeof(ct_real) * 3 * (size_t)cti_barrier_own(s)->n);
    if (s->surface.nv)
        memcpy(s->surface.x1, q->x_old, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    cti_surface_commit(&s->surface);
}

static void cti_form_place(cti_state *s, ct_real t)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    for (i = 0; i < 3 * b->n; i++)
        b->y_try[i] = b->y[i] + t * b->dy[i];
    cti_barrier_place(s, b->y_try, s->surface.x1);
}

CTI_FN ct_real cti_form_cap(cti_state *s)
{
    cti_form_place(s, 1);
    return cti_barrier_cover(s, s->surface.x1) ? cti_barrier_filter(s, s->surface.x1, cti_barrier_tuned.search.keep) : -1;
}

CTI_FN int cti_form_try(cti_state *s, ct_real t)
{
    cti_form_place(s, t);
    return cti_barrier_clears(s);
}

CTI_FN void cti_form_take(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    memcpy(b->y, b->y_try, sizeof(ct_real) * 3 * (size_t)b->n);
    cti_surface_commit(&s->surface);
}

/* ---- rows ---- */

CTI_FN void cti_form_row_make(const cti_state *s, const cti_barrier_term *t, const ct_real *x, cti_form_row *out)
{
    cti_potential law;
    cti_potential_terms p;
    ct_real points[12];
    cti_v3 r = cti_v3_zero();
    int k;
    memset(out, 0, sizeof *out);
    out->t = *t;
    if (t->pair.kind == CT_PAIR_PLANE) {
        const cti_plane *plane = &s->surface.planes[t->pair.plane];
        out->c[0] = 1;
        out->d = cti_plane_gap(plane, cti_v3_at(x, t->pair.v[0]));
        cti_v3_put(out->n, 0, cti_v3_at(plane->normal, 0));
        return;
    }
    for (k = 0; k < t->pair.n; k++)
        cti_v3_put(points, k, cti_v3_at(x, t->pair.v[k]));
    /* any potential that reaches the pair has its closest points */
    memset(&law, 0, sizeof law);
    out->d = cti_sqrt(t->d2);
    law.kind = CT_BARRIER_LOG, law.k = 1, law.dhat = 2 * out->d;
    if (!cti_potential_eval(&law, (ct_pair_kind)t->pair.kind, points, CTI_POTENTIAL_VALUE, &p))
        return;
    memcpy(out->c, p.c, sizeof out->c);
    for (k = 1; k < t->pair.n; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(points, k), cti_v3_at(points, 0)), p.c[k]);
    out->d = cti_v3_norm(r);
    cti_v3_put(out->n, 0, cti_v3_unit(r, cti_v3_make(0, 1, 0)));
}

CTI_FN int cti_form_find(cti_state *s, ct_real reach, cti_form_row **rows)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_form_row row;
    cti_barrier_term t;
    int i, k;
    CTI_CLEAR(*rows);
    if (!cti_barrier_find(s, s->surface.x0))
        return 0;
    CTI_CLEAR(b->contact.terms);
    for (k = 0; k < CTI_LISTS; k++)
        for (i = 0; i < cti_candidates_len(&b->cover.list[k]); i++) {
            const cti_candidates *l = &b->cover.list[k];
            ct_real within = l->hat[i] + reach;
            if (!(l->d2[i] < (k == CTI_LIST_PLANE ? within : within * within)))
                continue;
            t = cti_barrier_term_of(l, i);
            cti_form_row_make(s, &t, s->surface.x0, &row);
            if (!CTI_PUSH(&s->prepared, *rows, row))
                return 0;
        }
    return 1;
}

CTI_FN int cti_form_jacobian(cti_state *s, const cti_form_row *rows, int m, int is_free, cti_sparse *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    cti_triplets t;
    int i, j, k, e, ok = 1;
    memset(&t, 0, sizeof t);
    memset(out, 0, sizeof *out);
    for (i = 0; ok && i < m; i++)
        for (j = 0; ok && j < rows[i].t.pair.n; j++) {
            const cti_attach *a = cti_barrier_of(s, b, rows[i].t.pair.v[j]);
            for (k = 0; ok && k < a->n; k++) {
                ct_real n[3];
                cti_v3 w = cti_v3_mul(cti_v3_at(rows[i].n, 0), rows[i].c[j] * a->weight[k]);
                cti_v3_put(n, 0, is_free ? cti_barrier_free(s, a->block[k], w) : w);
                for (e = 0; ok && e < 3; e++)
                    ok = n[e] == 0 || cti_triplets_add(&s->prepared, &t, i, 3 * a->block[k] + e, (double)n[e]);
            }
        }
    return cti_triplets_close(&s->prepared, &t, ok, m, 3 * b->n, out);
}

/* ---- what the rows did ---- */

CTI_FN void cti_form_push(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k;
    for (i = 0; i < CTI_LEN(cti_form_own(s)->rows); i++) {
        const cti_form_row *q = &cti_form_own(s)->rows[i];
        ct_real g[12];
        for (k = 0; k < q->t.pair.n; k++)
            cti_v3_put(g, k, cti_v3_mul(cti_v3_at(q->n, 0), -(ct_real)q->lambda * q->c[k]));
        cti_barrier_scatter(s, q->t.pair.v, q->t.pair.n, g, NULL, 0, b->n);
    }
}

CTI_FN int cti_form_touches(cti_state *s, const cti_memory *next, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_reported report;
    int i, k;
    report.next = next, report.r = r;
    if (!cti_barrier_touches_open(s, CTI_LEN(cti_form_own(s)->rows), &report) || !cti_barrier_find(s, s->surface.x0))
        return 0;
    for (i = 0; i < CTI_LEN(b->contact.terms); i++) {
        ct_real d = cti_sqrt(b->contact.terms[i].d2);
        r->min_distance = cti_min(r->min_distance, d);
        r->thickness_kept = cti_min(r->thickness_kept, d / b->contact.terms[i].hat);
    }
    CTI_CLEAR(b->contact.terms);
    for (i = 0; i < CTI_LEN(cti_form_own(s)->rows); i++) {
        const cti_form_row *q = &cti_form_own(s)->rows[i];
        double work = 0;
        if (!(q->lambda > 0))
            continue;
        cti_barrier_touch(s, &report, &q->t, q->c, cti_v3_at(q->n, 0), (ct_real)q->lambda * b->h / b->rule.contact, q->t.hat);
        for (k = 0; k < q->t.pair.n; k++)
            work += (double)(q->c[k] * cti_v3_dot(cti_v3_at(q->n, 0), cti_barrier_went(s, s->surface.x0, q->t.pair.v[k])));
        work *= q->lambda / (double)b->rule.contact;
        r->work_recovery += cti_fmax(0, work), r->loss_contact += cti_fmax(0, -work); /* bodies nearer than dhat go apart, others come near */
    }
    cti_barrier_touches_close(s, &report);
    return 1;
}

CTI_FN int cti_form_lag(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    CTI_CLEAR(b->contact.rubs);
    for (i = 0; i < CTI_LEN(cti_form_own(s)->rows); i++) {
        const cti_form_row *p = &cti_form_own(s)->rows[i];
        cti_pair pair = cti_barrier_pair(&p->t, p->c);
        ct_real load = cti_pair_friction(&s->surface, &pair) * (ct_real)p->lambda;
        if (load > 0 && !cti_barrier_rub_add(s, &p->t, p->c, cti_v3_at(p->n, 0), load))
            return 0;
    }
    return 1;
}
