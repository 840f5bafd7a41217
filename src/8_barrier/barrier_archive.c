/* barrier_archive.c -- what barrier steps share, in an archive.
   Method: the pattern of the Hessian, its analysis and the factor are of earlier steps. A check builds them anew where a step puts aside those that
   it replaces, and reading exchanges both. An analysis follows from its own pattern, which may be that of an earlier Hessian. Based on: no paper. */
#include "barrier.h"

/* block pairs above the diagonal of a pattern row [n + 1], col, with or without diagonal; *out: in a check, a list in the arena. Returns how
   many */
static int cti_barrier_archive_pairs(cti_archive *a, cti_state *s, int n, const int *row, const int *col, int32_t **out)
{
    int count = 0, i, k, at = 0;
    for (i = 0; row && i < n; i++)
        for (k = row[i]; k < row[i + 1]; k++)
            count += col[k] > i;
    CTI_ARCHIVE_VALUE(a, count);
    cti_archive_require(a, count >= 0 && (size_t)count <= (a->size - a->at) / (2 * sizeof **out));
    *out = cti_archive_checks(a) ? CTI_ARENA_NEW(s->arena, int32_t, 2 * (size_t)count + 1) : NULL;
    if (cti_archive_checks(a) && !*out)
        a->code = CT_ERR_MEMORY;
    if (a->mode >= CTI_ARCHIVE_CHECK) {
        cti_archive_value(a, *out, *out ? 2 * sizeof **out * (size_t)count : 0);
        a->at += a->mode == CTI_ARCHIVE_READ ? 2 * sizeof **out * (size_t)count : 0;
        cti_archive_bound(a, 2 * count, sizeof **out, 0, 1, 0, n);
        return count;
    }
    for (i = 0; at < count; i++)
        for (k = row[i]; k < row[i + 1]; k++)
            if (col[k] > i) {
                int32_t pair[2];
                pair[0] = i, pair[1] = col[k], at++;
                CTI_ARCHIVE(a, pair);
            }
    return count;
}

/* the analysis of the pattern B, with which the Hessian's factors are computed; whole 0: of an earlier one. 0: out of memory */
static int cti_barrier_archive_analyze(cti_state *s, cti_barrier_analysis *to, const cti_bsr *B, int whole)
{
    const cti_barrier *b = cti_barrier_own(s);
    cti_symbolic_free(&s->prepared, &to->symbolic);
    return cti_symbolic_analyze_once(&s->prepared, &to->symbolic, B, b->layout.all, b->n, NULL) &&
           (!whole || cti_gather_make(&s->prepared, &to->gather, &to->symbolic, B, b->layout.all));
}

/* pattern and analysis; is [3]: there is a pattern, its analysis, a factor */
static void cti_barrier_archive_patterns(cti_archive *a, cti_state *s, const int *is)
{
    cti_barrier *b = cti_barrier_own(s);
    cti_barrier_start *to = &b->start;
    const cti_symbolic *sym = &b->analysis.symbolic;
    const int32_t *elastic = b->matrix.elastic;
    int32_t *pairs;
    int n, i, ok = 1;
    if (is[0]) {
        n = cti_barrier_archive_pairs(a, s, b->n, b->hessian.B.row, b->hessian.B.col, &pairs);
        if (cti_archive_checks(a))
            ok = cti_bsr_pattern(&s->prepared, &to->hessian.B, b->n, pairs, n) && cti_barrier_slots(s, &to->hessian) &&
                 (!is[1] || cti_barrier_archive_analyze(s, &to->analysis, &to->hessian.B, 1));
        for (i = 0; ok && i < CTI_LEN(elastic); i += 2)
            cti_archive_require(a, !cti_archive_checks(a) || cti_bsr_slot(&to->hessian.B, elastic[i], elastic[i + 1]) >= 0);
        n = b->hessian.contact_blocks;
        CTI_ARCHIVE_VALUE(a, n);
        if (cti_archive_reads(a))
            to->hessian.contact_blocks = n;
    }
    if (is[2] && !is[1]) {
        cti_bsr B;
        memset(&B, 0, sizeof B);
        n = cti_barrier_archive_pairs(a, s, b->n, sym->ptr, sym->adj, &pairs);
        if (cti_archive_checks(a))
            ok = ok && cti_bsr_shape(&s->prepared, &B, b->n, pairs, n) && cti_barrier_archive_analyze(s, &to->analysis, &B, 0);
        cti_bsr_free(&s->prepared, &B);
    }
    if (!ok && cti_archive_checks(a))
        a->code = CT_ERR_MEMORY;
}

/* the packed factor of an analysis */
static void cti_barrier_archive_factor(cti_archive *a, cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int checks = a->mode == CTI_ARCHIVE_CHECK;
    cti_factor16 *f = checks ? &b->start.factor.packed : &b->factor.packed;
    a->mem = &s->prepared;
    cti_factor16_archive(a, f, checks ? &b->start.analysis.symbolic : &b->analysis.symbolic);
    if (cti_archive_checks(a) && !(CTI_RESIZE(a->mem, b->factors.x32, 3 * b->n) && CTI_RESIZE(a->mem, b->factors.work32, cti_factor16_work(f))))
        a->code = CT_ERR_MEMORY;
    a->mem = s->mem;
}

CTI_FN void cti_barrier_archive(cti_archive *a, cti_state *s, int prepared)
{
    cti_barrier none, *b = (cti_barrier *)cti_stepper_archived(a, s, &none, sizeof none);
    cti_arena_point mark = cti_arena_mark(s->arena);
    int is[3];
    CTI_ARCHIVE(a, b->scale);
    if (!prepared || a->code != CT_OK)
        return;
    is[0] = b->hessian.known, is[1] = b->hessian.known && b->hessian.analyzed, is[2] = b->factor.known;
    CTI_ARCHIVE(a, b->matrix.sigma), CTI_ARCHIVE_VALUE(a, is), CTI_ARCHIVE(a, b->factor.excess);
    cti_archive_require(a, is[0] || !is[1]);
    cti_barrier_archive_patterns(a, s, is);
    if (cti_archive_reads(a)) {
        cti_barrier_exchange(b, (is[0] ? CTI_BARRIER_OLD_HESSIAN : 0) | (is[1] || is[2] ? CTI_BARRIER_OLD_ANALYSIS : 0) |
                                    (is[2] ? CTI_BARRIER_OLD_FACTOR : 0));
        b->hessian.known = is[0], b->hessian.analyzed = is[1], b->factor.known = is[2];
    }
    if (is[2] && a->code == CT_OK)
        cti_barrier_archive_factor(a, s);
    cti_arena_rewind(s->arena, mark);
}
