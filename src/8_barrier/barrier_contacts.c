/* barrier_contacts.c -- contacts' part of the potential, its gradient and its Hessian: barriers and lagged friction.
   Method: pairs are evaluated in chunks, on all workers, and then added to g and B by ranges of rows. A row's sums are taken in the order of
   the pairs, whatever the ranges are, so that results have the same bits for any number of workers. based on: Li et al. 2020, eq. 4 and 19. */
#include "barrier.h"
#include "../0_base/tasks.h"

/* cti_contacts_job -- a chunk of pairs */
typedef struct cti_contacts_job {
    cti_state *s;
    const ct_real *shift;       /* as of cti_barrier_assemble */
    int first, n;               /* of the terms or of the rubs */
    cti_potential_terms *terms; /* [n] */
    const cti_pair **pair;      /* [n] that they belong to */
    uint8_t *found;             /* [n] 1: there is a force */
    const ct_real *x;
    double *value, *size;       /* [n] */
    int parts;                  /* ranges of rows */
} cti_contacts_job;

/* ---- energy ---- */

/* largest coordinate of a vertex: its rounding changes a potential by as much times the force */
static double cti_contacts_far(const ct_real *x, int v)
{
    return (double)cti_max(cti_abs(x[3 * (size_t)v]), cti_max(cti_abs(x[3 * (size_t)v + 1]), cti_abs(x[3 * (size_t)v + 2])));
}

static void cti_contacts_values(int begin, int end, int worker, void *context)
{
    const cti_contacts_job *q = (const cti_contacts_job *)context;
    const cti_barrier *b = cti_barrier_own(q->s);
    cti_potential_terms t;
    int i;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        q->value[i] = q->size[i] = 0;
        if (!cti_barrier_eval(q->s, &b->contact.terms[i], q->x, CTI_POTENTIAL_VALUE, &t))
            continue;
        q->value[i] = t.value;
        q->size[i] = (double)t.force * cti_contacts_far(q->x, b->contact.terms[i].pair.v[0]);
    }
}

static void cti_contacts_frictions(int begin, int end, int worker, void *context)
{
    const cti_contacts_job *q = (const cti_contacts_job *)context;
    const cti_barrier *b = cti_barrier_own(q->s);
    double reach = (double)(q->s->desc.barrier.friction_velocity * b->h), rate, slope;
    int i;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        ct_real u[2];
        cti_barrier_slide(q->s, &b->contact.rubs[i], q->x, u);
        q->value[i] = (double)b->contact.rubs[i].load * cti_friction_value((double)cti_sqrt(u[0] * u[0] + u[1] * u[1]), reach, &rate, &slope);
    }
}

CTI_FN int cti_barrier_contact_energy(cti_state *s, const ct_real *x, double *barriers, double *friction, double *size)
{
    cti_barrier *b = cti_barrier_own(s);
    int n = CTI_LEN(b->contact.terms), m = CTI_LEN(b->contact.rubs), most = cti_max_int(n, m), i;
    cti_contacts_job q;
    memset(&q, 0, sizeof q);
    *barriers = *friction = 0;
    q.s = s, q.x = x;
    q.value = CTI_ARENA_NEW(s->arena, double, most + 1), q.size = CTI_ARENA_NEW(s->arena, double, most + 1);
    if (!q.value || !q.size)
        return 0;
    cti_tasks_run_work(&s->desc.tasks, cti_contacts_values, n, cti_barrier_tuned.terms.value, &q);
    for (i = 0; i < n; i++)
        *barriers += q.value[i], *size += cti_barrier_part(q.size[i]);
    cti_tasks_run_work(&s->desc.tasks, cti_contacts_frictions, m, cti_barrier_tuned.terms.friction, &q);
    for (i = 0; i < m; i++)
        *friction += q.value[i];
    return 1;
}

/* ---- rows ---- */

/* g(row) += w g_i and B(row, .) += w H(i, .) of vertex i of a pair */
CTI_FN void cti_barrier_scatter(cti_state *s, const int32_t *v, int n, const ct_real *g, const ct_real *H, int begin, int end)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, j, k, l, p, n3 = 3 * n;
    for (i = 0; i < n; i++) {
        const cti_attach *a = cti_barrier_of(s, b, v[i]);
        for (k = 0; k < a->n; k++) {
            int row = a->block[k];
            if (row < begin || row >= end)
                continue;
            cti_v3_addto(b->g, row, cti_v3_mul(cti_v3_at(g, i), a->weight[k]));
            for (j = 0; H && j < n; j++) {
                const cti_attach *c = cti_barrier_of(s, b, v[j]);
                const ct_real *from = H + n3 * 3 * i + 3 * j;
                for (l = 0; l < c->n; l++) {
                    ct_real w = a->weight[k] * c->weight[l];
                    ct_real *to = b->hessian.B.val +
                                  9 * (size_t)(row == c->block[l] ? b->hessian.B.diag[row] : cti_bsr_slot(&b->hessian.B, row, c->block[l]));
                    for (p = 0; p < 3; p++) {
                        to[3 * p] += w * from[n3 * p];
                        to[3 * p + 1] += w * from[n3 * p + 1];
                        to[3 * p + 2] += w * from[n3 * p + 2];
                    }
                }
            }
        }
    }
}

/* ---- barriers ---- */

/* g += H times the shift of scripted vertices */
static void cti_contacts_shift(const int32_t *v, int n, const ct_real *H, const ct_real *shift, ct_real *g)
{
    int i, k, l;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            ct_real d = shift[3 * (ptrdiff_t)v[i] + k];
            for (l = 0; d != 0 && l < 3 * n; l++)
                g[l] += H[3 * n * l + 3 * i + k] * d;
        }
}

/* first row of a range of rows */
static int cti_contacts_row(const cti_contacts_job *q, int part) { return (int)((int64_t)cti_barrier_own(q->s)->n * part / q->parts); }

/* adds a chunk of terms or of rubs to the rows */
static void cti_contacts_add(int begin, int end, int worker, void *context)
{
    const cti_contacts_job *q = (const cti_contacts_job *)context;
    int i;
    CTI_UNUSED(worker);
    begin = cti_contacts_row(q, begin), end = cti_contacts_row(q, end);
    for (i = 0; i < q->n; i++)
        if (q->found[i])
            cti_barrier_scatter(q->s, q->pair[i]->v, q->pair[i]->n, q->terms[i].gradient, q->terms[i].hessian, begin, end);
}

/* adds a chunk: every range looks at all of its pairs, so that there are few ranges */
static void cti_contacts_add_all(cti_contacts_job *q)
{
    const ct_tasks *tasks = &q->s->desc.tasks;
    q->parts = cti_barrier_tuned.terms.add * q->n < 2 * cti_tasks_least(tasks) ? 1 : cti_min_int(cti_tasks_workers(tasks), cti_barrier_own(q->s)->n);
    cti_tasks_run(q->parts > 1 ? tasks : NULL, cti_contacts_add, q->parts, 1, q);
}

/* groups of pairs: of the chunk's pairs, those from CTI_POTENTIAL_MANY begin on */
static void cti_contacts_derive(int begin, int end, int worker, void *context)
{
    const cti_contacts_job *q = (const cti_contacts_job *)context;
    const cti_barrier *b = cti_barrier_own(q->s);
    cti_potential law[CTI_POTENTIAL_MANY];
    ct_pair_kind kind[CTI_POTENTIAL_MANY];
    ct_real x[12 * CTI_POTENTIAL_MANY];
    int group, i, k;
    CTI_UNUSED(worker);
    for (group = begin; group < end; group++) {
        int from = group * CTI_POTENTIAL_MANY, to = cti_min_int(q->n, from + CTI_POTENTIAL_MANY);
        int pairs = from;
        /* planes and walls come last: they are no pairs of features */
        for (; pairs < to && b->matrix.contacts == CTI_POTENTIAL_PROJECTED; pairs++) {
            const cti_barrier_term *t = &b->contact.terms[q->first + pairs];
            if (t->pair.kind == CT_PAIR_PLANE || t->wall)
                break;
            cti_barrier_law(q->s, t, &law[pairs - from]);
            kind[pairs - from] = (ct_pair_kind)t->pair.kind;
            for (k = 0; k < t->pair.n; k++)
                cti_v3_put(x + 12 * (size_t)(pairs - from), k, cti_v3_at(q->x, t->pair.v[k]));
        }
        cti_potential_eval_many(law, kind, x, pairs - from, q->terms + from, q->found + from);
        for (i = pairs; i < to; i++)
            q->found[i] = (uint8_t)cti_barrier_eval(q->s, &b->contact.terms[q->first + i], q->x, b->matrix.contacts, &q->terms[i]);
        for (i = from; i < to; i++) {
            q->pair[i] = &b->contact.terms[q->first + i].pair;
            if (q->shift && q->found[i])
                cti_contacts_shift(q->pair[i]->v, q->pair[i]->n, q->terms[i].hessian, q->shift, q->terms[i].gradient);
        }
    }
}

/* ---- friction ---- */

/* blocks w_i w_j K */
static void cti_contacts_rub(int begin, int end, int worker, void *context)
{
    const cti_contacts_job *j = (const cti_contacts_job *)context;
    int i, k, l, p;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        cti_barrier_rub *q = &cti_barrier_own(j->s)->contact.rubs[j->first + i];
        cti_potential_terms *t = &j->terms[i];
        cti_contact_rub r;
        int n = q->pair.n;
        cti_barrier_rub_terms(j->s, q, j->x, &r);
        for (k = 0; k < n; k++) {
            cti_v3_put(t->gradient, k, cti_v3_mul(cti_v3_at(r.f, 0), q->pair.w[k]));
            for (l = 0; l < n; l++)
                for (p = 0; p < 3; p++)
                    cti_v3_put(t->hessian + 3 * n * (3 * k + p) + 3 * l, 0, cti_v3_mul(cti_v3_at(r.K, p), q->pair.w[k] * q->pair.w[l]));
        }
        if (j->shift)
            cti_contacts_shift(q->pair.v, n, t->hessian, j->shift, t->gradient);
        j->pair[i] = &q->pair, j->found[i] = 1;
    }
}

CTI_FN int cti_barrier_contacts(cti_state *s, const ct_real *shift)
{
    cti_barrier *b = cti_barrier_own(s);
    int many = cti_tasks_workers(&s->desc.tasks) > 1, chunk = many ? cti_barrier_tuned.terms.chunk_many : cti_barrier_tuned.terms.chunk;
    int n = CTI_LEN(b->contact.terms), m = CTI_LEN(b->contact.rubs);
    cti_contacts_job q;
    memset(&q, 0, sizeof q);
    chunk = cti_min_int(chunk, cti_max_int(n, m) + 1);
    q.s = s, q.shift = shift, q.x = s->surface.x0;
    q.terms = CTI_ARENA_NEW(s->arena, cti_potential_terms, chunk), q.found = CTI_ARENA_NEW(s->arena, uint8_t, chunk);
    q.pair = CTI_ARENA_NEW(s->arena, const cti_pair *, chunk);
    if (!q.terms || !q.found || !q.pair)
        return 0;
    for (q.first = 0; b->matrix.contacts != CTI_POTENTIAL_VALUE && q.first < n; q.first += chunk) {
        q.n = cti_min_int(chunk, n - q.first);
        cti_tasks_run_work(&s->desc.tasks, cti_contacts_derive, (q.n + CTI_POTENTIAL_MANY - 1) / CTI_POTENTIAL_MANY,
                           cti_barrier_tuned.terms.hessian * CTI_POTENTIAL_MANY, &q);
        cti_contacts_add_all(&q);
    }
    for (q.first = 0; q.first < m; q.first += chunk) {
        q.n = cti_min_int(chunk, m - q.first);
        cti_tasks_run_work(&s->desc.tasks, cti_contacts_rub, q.n, cti_barrier_tuned.terms.friction, &q);
        cti_contacts_add_all(&q);
    }
    return 1;
}
