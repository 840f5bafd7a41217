/* factors_archive.c -- factors in an archive, with their numbers: those of an earlier matrix could not be computed again. */
#include "factors.h"

/* the response between ports, where it is that of the factor; reading what is not makes it anew when it is needed */
static void cti_compliance_archive(cti_archive *a, cti_component *q, int version)
{
    cti_compliance *m = &q->cache.compliance;
    int known = m->version == q->cache.stamp.version, blocks = q->end - q->begin, n, i, ld;
    CTI_ARCHIVE_VALUE(a, known);
    n = known ? CTI_ARCHIVE_UP_TO(a, m->ports, blocks) : 0;
    cti_archive_bound(a, n, sizeof *m->ports, 0, 1, 0, blocks);
    ld = (3 * n + 7) & ~7;
    if (cti_archive_checks(a) && n > 0 && !CTI_RESERVE(a->mem, m->C, 3 * n * ld))
        a->code = CT_ERR_MEMORY;
    for (i = 0; i < 3 * n; i++)
        cti_archive_bytes(a, m->C + (size_t)i * (size_t)ld, 3 * sizeof *m->C * (size_t)n);
    if (!cti_archive_reads(a))
        return;
    m->version = known ? version : -1, m->ld = ld;
    for (i = 0; i < blocks; i++)
        m->port_at[i] = -1;
    for (i = 0; i < n; i++)
        m->port_at[m->ports[i]] = i;
}

/* the factors that there are by the stamp; reading takes the numbers of versions over */
static void cti_factor_cache_archive(cti_archive *a, cti_factors *f, cti_component *q)
{
    cti_factor_cache *k = &q->cache;
    const cti_symbolic *sym = &q->analysis->symbolic;
    cti_factor_stamp t = k->stamp;
    int is[3];
    is[0] = k->is_exact, is[1] = k->is_grid, is[2] = k->exact_logged;
    CTI_ARCHIVE_VALUE(a, t), CTI_ARCHIVE_VALUE(a, is);
    cti_archive_require(a, !is[1] || k->grid.n > 0);
    if (cti_archive_checks(a) && (t.age >= 0 || t.penalized_known) && !cti_factors_reserve(f, q, is[0], is[1]))
        a->code = CT_ERR_MEMORY;
    if (a->code != CT_OK)
        return;
    if (is[1])
        cti_twogrid_archive(a, &k->grid);
    if (t.age >= 0 && is[1])
        cti_twogrid_inverse_archive(a, &k->plain, &k->grid);
    else if (t.age >= 0 && is[0])
        cti_factor64_archive(a, &k->exact, sym);
    else if (t.age >= 0)
        cti_factor32_archive(a, &k->single, sym);
    if (t.penalized_known && is[1])
        cti_twogrid_inverse_archive(a, &k->held, &k->grid);
    else if (t.penalized_known)
        cti_factor32_archive(a, &k->penalized, sym);
    if (cti_archive_checks(a) && t.penalized_known && !is[1] && !cti_factors_room(f, &k->penalized))
        a->code = CT_ERR_MEMORY;
    cti_compliance_archive(a, q, t.version);
    if (cti_archive_reads(a))
        k->stamp = t, k->is_exact = is[0], k->is_grid = is[1], k->exact_logged = is[2], k->is_due = 0;
}

CTI_FN void cti_factors_archive(cti_archive *a, cti_factors *f)
{
    cti_mem *mem = a->mem;
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        a->mem = f->components[c].lasting;
        CTI_ARCHIVE(a, f->components[c].solve), CTI_ARCHIVE(a, f->components[c].substep);
        cti_factor_cache_archive(a, f, &f->components[c]);
        if (cti_archive_reads(a))
            f->components[c].place = -1;
    }
    a->mem = mem;
    CTI_ARCHIVE_UP_TO(a, f->held_at, CTI_LEN(f->blocks));
    for (c = 0; c < CTI_LEN(f->exacts) && cti_archive_reads(a); c++)
        f->exacts[c].matrix = f->matrix - 1;
}
