/* problems_make.c -- contact problems from the caller's arrays.
   Method: index patterns are checked before anything is read through them. Rows are then sorted and duplicate entries summed. The numbers
   are checked by the same function as those of files. */
#include "problems.h"
#include "world.h"

#define CTI_MAKE_MOST 0x0fffffff /* entries of a matrix */

/* cti_make -- memory, and the error record of a refusal */
typedef struct cti_make {
    cti_mem *mem;
    ct_error_info *error;
    ct_code code;
} cti_make;

static int cti_make_refuse(cti_make *k, ct_code code, int64_t element, double value, const char *text)
{
    k->code = code;
    if (k->error) {
        memset(k->error, 0, sizeof *k->error);
        k->error->code = code, k->error->text = text, k->error->element = element, k->error->value = value;
    }
    return 0;
}

/* copies a matrix of the caller's, sorted; cols -1: it has to be square */
static int cti_make_sparse(cti_make *k, const ct_csr *from, int cols, cti_sparse *out)
{
    int32_t *row = NULL;
    int i, at, n, ok;
    if (from->rows < 0 || from->rows > CTI_MAKE_MOST || from->cols != (cols < 0 ? from->rows : cols))
        return cti_make_refuse(k, CT_ERR_DOMAIN, -1, from->cols, "a matrix has not the size that the problem needs (value: its columns)");
    if (from->rows > 0 && !from->p)
        return cti_make_refuse(k, CT_ERR_ARGUMENT, -1, 0, "a matrix has rows and no array p");
    for (i = 0; i < from->rows; i++)
        if (from->p[0] != 0 || from->p[i + 1] < from->p[i] || from->p[i + 1] > CTI_MAKE_MOST)
            return cti_make_refuse(k, CT_ERR_DOMAIN, i, from->p[i + 1], "a matrix's p does not begin with 0, or falls (element: row)");
    n = from->rows ? from->p[from->rows] : 0;
    if (n > 0 && (!from->i || !from->x))
        return cti_make_refuse(k, CT_ERR_ARGUMENT, -1, 0, "a matrix has entries and no array i or x");
    for (at = 0; at < n; at++)
        if (from->i[at] < 0 || from->i[at] >= from->cols)
            return cti_make_refuse(k, CT_ERR_DOMAIN, at, from->i[at], "a matrix's column is outside (element: entry, value: column)");
    ok = CTI_RESIZE(k->mem, row, n);
    for (i = 0; ok && i < from->rows; i++)
        for (at = from->p[i]; at < from->p[i + 1]; at++)
            row[at] = i;
    ok = ok && cti_sparse_from_triplets(k->mem, from->rows, from->cols, row, from->i, from->x, n, out);
    CTI_FREE(k->mem, row);
    return ok || cti_make_refuse(k, CT_ERR_MEMORY, -1, 0, "out of memory");
}

/* copies [n] numbers of the caller's; an array that is not needed may be NULL */
static int cti_make_vector(cti_make *k, const double *from, int n, int needed, double **out)
{
    if (!from && (!needed || n == 0))
        return 1;
    if (!from)
        return cti_make_refuse(k, CT_ERR_ARGUMENT, -1, n, "an array that the kind of problem needs is NULL (value: its length)");
    if (!CTI_RESIZE(k->mem, *out, n))
        return cti_make_refuse(k, CT_ERR_MEMORY, -1, 0, "out of memory");
    if (n)
        memcpy(*out, from, sizeof *from * (size_t)n);
    return 1;
}

/* refuses data that the kind does not have, since it would be ignored */
static int cti_make_only(cti_make *k, const ct_problem_desc *d)
{
    int qp = d->kind == CT_PROBLEM_QP, lcp = d->kind == CT_PROBLEM_LCP, dynamic = qp || d->kind == CT_PROBLEM_GLOBAL;
    const char *text = NULL;
    if (!lcp && (d->lo || d->hi))
        text = "desc.lo or desc.hi is given, and only CT_PROBLEM_LCP has bounds";
    else if (!qp && d->equation)
        text = "desc.equation is given, and only CT_PROBLEM_QP has equations";
    else if ((qp || lcp) && (d->mu || d->spins))
        text = "desc.mu or desc.spins is given, and only CT_PROBLEM_GLOBAL and CT_PROBLEM_LOCAL have friction";
    else if (!dynamic && (d->b || d->A.rows || d->A.p || d->J.rows || d->J.p))
        text = "desc.A, desc.J or desc.b is given, and only CT_PROBLEM_QP and CT_PROBLEM_GLOBAL have them";
    else if (dynamic && (d->W.rows || d->W.p))
        text = "desc.W is given, and only CT_PROBLEM_LOCAL and CT_PROBLEM_LCP have it";
    return !text || cti_make_refuse(k, CT_ERR_ARGUMENT, -1, 0, text);
}

static int cti_make_fill(cti_make *k, const ct_problem_desc *d, cti_program *p)
{
    int dynamic = d->kind == CT_PROBLEM_QP || d->kind == CT_PROBLEM_GLOBAL,
        contacts = d->kind == CT_PROBLEM_LOCAL || d->kind == CT_PROBLEM_GLOBAL, i;
    p->kind = (cti_program_kind)d->kind;
    if (dynamic ? !cti_make_sparse(k, &d->A, -1, &p->A) || !cti_make_sparse(k, &d->J, d->A.rows, &p->J)
                : !cti_make_sparse(k, &d->W, -1, &p->W))
        return 0;
    p->m = dynamic ? p->J.rows : p->W.rows, p->n = dynamic ? p->A.rows : p->m, p->spins = d->spins;
    if (p->spins < 0 || p->spins > p->m)
        return cti_make_refuse(k, CT_ERR_DOMAIN, -1, p->spins, "desc.spins is below 0, or more than there are rows");
    if (!CTI_RESIZE(k->mem, p->spin_of, p->spins))
        return cti_make_refuse(k, CT_ERR_MEMORY, -1, 0, "out of memory");
    for (i = 0; i < p->spins; i++)
        p->spin_of[i] = d->spin_of ? d->spin_of[i] : -1;
    if ((dynamic && !cti_make_vector(k, d->b, p->n, 1, &p->b)) || !cti_make_vector(k, d->w, p->m, 1, &p->w) ||
        (contacts && !cti_make_vector(k, d->mu, (p->m - p->spins) / 3, 1, &p->mu)) ||
        !cti_make_vector(k, d->spin_mu, p->spins, p->spins > 0, &p->spin_mu) || !cti_make_vector(k, d->x_ref, p->n, 0, &p->known.x) ||
        !cti_make_vector(k, d->r_ref, p->m, 0, &p->known.r))
        return 0;
    if (d->kind == CT_PROBLEM_LCP && (!cti_make_vector(k, d->lo, p->m, 0, &p->lo) || !cti_make_vector(k, d->hi, p->m, 0, &p->hi)))
        return 0;
    if (d->kind != CT_PROBLEM_QP || !d->equation)
        return 1;
    if (!CTI_RESIZE(k->mem, p->equation, p->m))
        return cti_make_refuse(k, CT_ERR_MEMORY, -1, 0, "out of memory");
    for (i = 0; i < p->m; i++)
        p->equation[i] = d->equation[i] != 0;
    return 1;
}

CONTACT_API_DEF ct_problem_desc ct_problem_desc_default(void)
{
    ct_problem_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.kind = CT_PROBLEM_QP;
    return d;
}

static ct_code cti_make_create(const ct_problem_desc *desc, ct_problem **out_problem, ct_error_info *out_error)
{
    cti_make k;
    ct_problem *q;
    const char *wrong;
    memset(&k, 0, sizeof k);
    k.error = out_error, k.code = CT_OK;
    if (!desc || !out_problem || desc->cookie != CTI_COOKIE || (int)desc->kind < CT_PROBLEM_LOCAL || (int)desc->kind > CT_PROBLEM_LCP) {
        cti_make_refuse(&k, CT_ERR_ARGUMENT, -1, 0,
                        "desc was not made by ct_problem_desc_default, has no known kind, or a pointer is NULL");
        return k.code;
    }
    q = cti_problem_new();
    if (!q) {
        cti_make_refuse(&k, CT_ERR_MEMORY, -1, 0, "out of memory");
        return k.code;
    }
    k.mem = &q->mem;
    if (cti_make_only(&k, desc) && cti_make_fill(&k, desc, &q->program)) {
        wrong = cti_program_check(&q->program);
        if (wrong)
            cti_make_refuse(&k, CT_ERR_DOMAIN, -1, 0, wrong);
        else if (!cti_program_prepare(&q->mem, &q->program))
            cti_make_refuse(&k, CT_ERR_MEMORY, -1, 0, "out of memory");
    }
    if (k.code != CT_OK) {
        ct_problem_free(q);
        return k.code;
    }
    *out_problem = q;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_problem_create(const ct_problem_desc *desc, ct_problem **out_problem, ct_error_info *out_error)
{
#if CONTACT_WITH_PROBLEMS
    CTI_FPENV_RETURN(cti_make_create(desc, out_problem, out_error))
#else
    CTI_UNUSED(desc), CTI_UNUSED(out_problem);
    return CTI_ERROR_UNBUILT(out_error, "problems without a world", CONTACT_WITH_PROBLEMS);
#endif
}
