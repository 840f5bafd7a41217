/* files_problem.c -- contact problems from files: the CPB container and LCPs as text.
   Method: a CPB file is held in memory and its arrays are found by name; sizes are checked against the file before anything is copied. */
#include "../9_world/problems.h"
#include "files.h"

#if CONTACT_WITH_FILES

#define CTI_CPB_ARRAYS 64
#define CTI_CPB_MOST 0x0fffffff /* entries of an array: twice as many are still an int */

typedef struct cti_cpb_array {
    char name[17];
    uint32_t dtype; /* 0 int32, 1 float64 */
    uint64_t count;
    const unsigned char *data;
} cti_cpb_array;

typedef struct cti_cpb_file {
    cti_mem *mem;
    ct_error_info *error;
    ct_code code;
    uint32_t kind;
    int n;
    cti_cpb_array array[CTI_CPB_ARRAYS];
} cti_cpb_file;

static int cti_cpb_refuse(cti_cpb_file *f, ct_code code, double value, const char *format, const char *name)
{
    if (f->code == CT_OK)
        f->code = cti_file_error(f->error, code, 0, value, format, name);
    return 0;
}

static int cti_cpb_open(cti_cpb_file *f, const unsigned char *bytes, size_t size)
{
    uint32_t count, k;
    size_t at = 16;
    if (size < 16 || memcmp(bytes, "CPB1\0\0\0\0", 8) != 0)
        return cti_cpb_refuse(f, CT_ERR_FORMAT, 0, "byte 0: not a CPB file (magic CPB1)", NULL);
    memcpy(&f->kind, bytes + 8, 4), memcpy(&count, bytes + 12, 4);
    if (f->kind < 1 || f->kind > 3 || count > CTI_CPB_ARRAYS)
        return cti_cpb_refuse(f, CT_ERR_FORMAT, (double)f->kind, "byte 8: unknown kind, or too many arrays", NULL);
    for (k = 0; k < count; k++) {
        cti_cpb_array *a = &f->array[f->n++];
        size_t width;
        if (size - at < 32)
            return cti_cpb_refuse(f, CT_ERR_FORMAT, (double)at, "the file ends within an array's head", NULL);
        memset(a, 0, sizeof *a);
        memcpy(a->name, bytes + at, 16);
        memcpy(&a->dtype, bytes + at + 16, 4), memcpy(&a->count, bytes + at + 24, 8);
        at += 32;
        width = a->dtype == 0 ? 4 : 8;
        if (a->dtype > 1 || a->count > (size - at) / width || a->count > CTI_CPB_MOST)
            return cti_cpb_refuse(f, CT_ERR_FORMAT, (double)at, "array %s: unknown type, or longer than the file", a->name);
        a->data = bytes + at;
        at += (width * (size_t)a->count + 7) & ~(size_t)7;
        if (at > size)
            at = size; /* the padding after the last array may be missing */
    }
    return 1;
}

static const cti_cpb_array *cti_cpb_find(const cti_cpb_file *f, const char *name)
{
    int k;
    for (k = 0; k < f->n; k++)
        if (!strcmp(f->array[k].name, name))
            return &f->array[k];
    return NULL;
}

/* finds a required array by name, type and (if count >= 0) length; NULL and an error if it is not there */
static const cti_cpb_array *cti_cpb_need(cti_cpb_file *f, const char *name, uint32_t dtype, int64_t count)
{
    const cti_cpb_array *a = cti_cpb_find(f, name);
    if (!a)
        cti_cpb_refuse(f, CT_ERR_FORMAT, 0, "array %s is missing", name);
    else if (a->dtype != dtype || (count >= 0 && a->count != (uint64_t)count))
        cti_cpb_refuse(f, CT_ERR_FORMAT, (double)a->count, "array %s has the wrong type or length", name);
    else
        return a;
    return NULL;
}

static int cti_cpb_doubles(cti_cpb_file *f, const char *name, int64_t count, double **out)
{
    const cti_cpb_array *a = cti_cpb_need(f, name, 1, count);
    if (!a)
        return 0;
    if (!CTI_RESIZE(f->mem, *out, (int)a->count))
        return cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
    if (a->count)
        memcpy(*out, a->data, 8 * (size_t)a->count);
    return 1;
}

/* finds an optional array; if it is missing, *out is NULL */
static int cti_cpb_optional(cti_cpb_file *f, const char *name, int64_t count, double **out)
{
    return !cti_cpb_find(f, name) || cti_cpb_doubles(f, name, count, out);
}

static int32_t cti_cpb_int_at(const cti_cpb_array *a, int64_t k)
{
    int32_t v;
    memcpy(&v, a->data + 4 * k, 4);
    return v;
}

static double cti_cpb_double_at(const cti_cpb_array *a, int64_t k)
{
    double v;
    memcpy(&v, a->data + 8 * k, 8);
    return v;
}

/* reads a matrix of scalars (block 1) or 3x3 blocks (block 3). It must have `columns` columns (-1: as many as rows). mirror: only the upper
   triangle is stored */
static int cti_cpb_sparse(cti_cpb_file *f, const char *letter, int block, int mirror, int columns, cti_sparse *out)
{
    char name[8];
    const cti_cpb_array *dim, *p, *index, *x;
    cti_triplets t;
    int rows, cols, i, k, a, b, ok = 1;
    memset(&t, 0, sizeof t);
    name[0] = letter[0];
    strcpy(name + 1, ".dim");
    if ((dim = cti_cpb_need(f, name, 0, 2)) == NULL)
        return 0;
    rows = cti_cpb_int_at(dim, 0), cols = cti_cpb_int_at(dim, 1);
    if (rows < 0 || cols < 0 || rows > CTI_CPB_MOST / block || cols > CTI_CPB_MOST / block ||
        block * cols != (columns < 0 ? block * rows : columns))
        return cti_cpb_refuse(f, CT_ERR_DOMAIN, rows, "array %s has a size that is not possible", name);
    strcpy(name + 1, ".p");
    p = cti_cpb_need(f, name, 0, (int64_t)rows + 1);
    strcpy(name + 1, ".i");
    index = p ? cti_cpb_need(f, name, 0, -1) : NULL;
    strcpy(name + 1, ".x");
    x = index ? cti_cpb_need(f, name, 1, (int64_t)index->count * block * block) : NULL;
    if (!x)
        return 0;
    if (cti_cpb_int_at(p, 0) != 0 || (uint64_t)cti_cpb_int_at(p, rows) != index->count)
        return cti_cpb_refuse(f, CT_ERR_FORMAT, cti_cpb_int_at(p, 0) ? 0 : rows,
                              "matrix %s: row pointers (.p) do not begin with 0 and end with the length of .i", letter);
    for (i = 0; ok && i < rows; i++) {
        int from = cti_cpb_int_at(p, i), to = cti_cpb_int_at(p, i + 1);
        if (from < 0 || to < from || (uint64_t)to > index->count)
            return cti_triplets_close(f->mem, &t, 0, 0, 0, out),
                   cti_cpb_refuse(f, CT_ERR_FORMAT, i, "matrix %s: row pointers fall or leave the array", letter);
        for (k = from; ok && k < to; k++) {
            int j = cti_cpb_int_at(index, k);
            if (j < 0 || j >= cols)
                return cti_triplets_close(f->mem, &t, 0, 0, 0, out),
                       cti_cpb_refuse(f, CT_ERR_FORMAT, j, "matrix %s: a column is outside", letter);
            for (a = 0; a < block; a++)
                for (b = 0; b < block; b++) {
                    double v = cti_cpb_double_at(x, (int64_t)k * block * block + a * block + b);
                    ok = ok && cti_triplets_add(f->mem, &t, block * i + a, block * j + b, v);
                    if (mirror && j > i)
                        ok = ok && cti_triplets_add(f->mem, &t, block * j + b, block * i + a, v);
                }
        }
    }
    ok = cti_triplets_close(f->mem, &t, ok, block * rows, block * cols, out);
    return ok || cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
}

/* whether only the upper triangle is stored: P of a QP is mirrored if nothing is stored below the diagonal */
static int cti_cpb_is_upper(cti_cpb_file *f, const char *p_name, const char *i_name)
{
    const cti_cpb_array *p = cti_cpb_find(f, p_name), *index = cti_cpb_find(f, i_name);
    int64_t i, k;
    for (i = 0; p && index && i + 1 < (int64_t)p->count; i++)
        for (k = cti_cpb_int_at(p, i); k >= 0 && k < cti_cpb_int_at(p, i + 1) && k < (int64_t)index->count; k++)
            if (cti_cpb_int_at(index, k) < i)
                return 0;
    return 1;
}

/* the matrix of a global problem (M or H) or of a QP */
static int cti_cpb_operator(cti_cpb_file *f, const char *scalar, cti_sparse *out)
{
    if (cti_cpb_find(f, "A.p"))
        return cti_cpb_sparse(f, "A", 3, 1, -1, out);
    return cti_cpb_sparse(f, scalar, 1, scalar[0] == 'P' ? cti_cpb_is_upper(f, "P.p", "P.i") : cti_cpb_is_upper(f, "M.p", "M.i"), -1, out);
}

static int cti_cpb_qp(cti_cpb_file *f, cti_program *q)
{
    const cti_cpb_array *objective = cti_cpb_find(f, "obj"), *equation = cti_cpb_find(f, "equation");
    int i;
    if (!cti_cpb_operator(f, "P", &q->A) || !cti_cpb_sparse(f, "J", 1, 0, q->A.rows, &q->J))
        return 0;
    q->n = q->A.rows, q->m = q->J.rows;
    if (!cti_cpb_doubles(f, "b", q->n, &q->b) || !cti_cpb_doubles(f, "c", q->m, &q->w))
        return 0;
    for (i = 0; i < q->m; i++)
        q->w[i] = -q->w[i];
    if (equation && (equation->dtype != 0 || equation->count != (uint64_t)q->m))
        return cti_cpb_refuse(f, CT_ERR_FORMAT, (double)equation->count, "array %s has the wrong type or length", "equation");
    if (equation && !CTI_RESIZE(f->mem, q->equation, q->m))
        return cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
    for (i = 0; equation && i < q->m; i++)
        q->equation[i] = cti_cpb_int_at(equation, i) != 0;
    if (objective && !cti_cpb_need(f, "obj", 1, 1))
        return 0;
    if (objective)
        q->known.has_objective = 1, q->known.objective = cti_cpb_double_at(objective, 0);
    return cti_cpb_optional(f, "x_ref", q->n, &q->known.x) && cti_cpb_optional(f, "lam_ref", q->m, &q->known.r);
}

static int cti_cpb_contacts(cti_cpb_file *f, cti_program *q)
{
    const cti_cpb_array *nc = cti_cpb_need(f, "nc", 0, 1);
    int count;
    if (!nc)
        return 0;
    count = cti_cpb_int_at(nc, 0);
    if (count < 0 || count > 0x0fffffff)
        return cti_cpb_refuse(f, CT_ERR_DOMAIN, count, "array %s: a number of contacts that is not possible", "nc");
    q->m = 3 * count;
    if (!cti_cpb_doubles(f, "mu", count, &q->mu) || !cti_cpb_optional(f, "r_ref", q->m, &q->known.r))
        return 0;
    if (q->kind == CTI_PROGRAM_LOCAL) {
        q->n = q->m;
        return cti_cpb_sparse(f, "W", 3, 0, -1, &q->W) && cti_cpb_doubles(f, "q", q->m, &q->w);
    } else {
        cti_sparse H;
        int ok;
        memset(&H, 0, sizeof H);
        if (!cti_cpb_operator(f, "M", &q->A) || !cti_cpb_sparse(f, "H", 1, 0, q->m, &H))
            return 0;
        ok = cti_sparse_transpose(f->mem, &H, &q->J);
        cti_sparse_free(f->mem, &H);
        if (!ok)
            return cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
        q->n = q->A.rows;
        return cti_cpb_doubles(f, "f", q->n, &q->b) && cti_cpb_doubles(f, "w", q->m, &q->w) &&
               cti_cpb_optional(f, "v_ref", q->n, &q->known.x);
    }
}

/* refuses an array that belongs to another kind of problem: skipping it, like an unknown array, would change the problem */
static int cti_cpb_only(cti_cpb_file *f, cti_program_kind kind)
{
    static const char *const other[2][4] = {{"lo", "hi", "mu", NULL}, {"lo", "hi", "equation", NULL}};
    const char *const *name;
    for (name = other[kind != CTI_PROGRAM_QP]; *name; name++)
        if (cti_cpb_find(f, *name))
            return cti_cpb_refuse(f, CT_ERR_FORMAT, (double)kind, "array %s: a problem of this kind has none", *name);
    return 1;
}

static ct_code cti_problem_read_cpb(cti_mem *mem, const char *bytes, size_t size, cti_program *q, ct_error_info *error)
{
    cti_cpb_file f;
    memset(&f, 0, sizeof f);
    f.mem = mem, f.error = error, f.code = CT_OK;
    if (!cti_cpb_open(&f, (const unsigned char *)bytes, size))
        return f.code;
    q->kind = (cti_program_kind)f.kind;
    if (!cti_cpb_only(&f, q->kind))
        return f.code;
    if (q->kind == CTI_PROGRAM_QP)
        cti_cpb_qp(&f, q);
    else
        cti_cpb_contacts(&f, q);
    return f.code;
}

/* ---- LCPs as text ---- */

/* reads a number; inf and -inf are allowed */
static int cti_lcp_number(cti_scan *s, double *out, const char *what)
{
    const char *token;
    int length;
    if (!cti_scan_word(s, &token, &length))
        return cti_scan_fail(s, CT_ERR_FORMAT, "expected a number: %s", what);
    if (cti_scan_like(token, length, "inf") || cti_scan_like(token, length, "+inf"))
        return *out = INFINITY, 1;
    if (cti_scan_like(token, length, "-inf"))
        return *out = -INFINITY, 1;
    return cti_scan_double(token, length, out) || cti_scan_fail(s, CT_ERR_FORMAT, "expected a number: %s", what);
}

static int cti_lcp_vector(cti_scan *s, int n, double **out, const char *what)
{
    int i;
    if (*out)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a second time: %s", what);
    if (!CTI_RESIZE(s->mem, *out, n))
        return cti_scan_memory(s);
    for (i = 0; i < n; i++)
        if (!cti_lcp_number(s, &(*out)[i], what))
            return 0;
    return 1;
}

static int cti_lcp_matrix(cti_scan *s, int n, cti_sparse *out)
{
    cti_triplets t;
    int i, j, ok = 1;
    memset(&t, 0, sizeof t);
    if (out->p)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a second time: M", NULL);
    for (i = 0; ok && i < n; i++)
        for (j = 0; ok && j < n; j++) {
            double v;
            ok = cti_lcp_number(s, &v, "an entry of M");
            if (ok && v != 0 && !cti_triplets_add(s->mem, &t, i, j, v))
                ok = cti_scan_memory(s);
        }
    if (!cti_triplets_close(s->mem, &t, ok, n, n, out) && ok)
        ok = cti_scan_memory(s);
    return ok;
}

static int cti_lcp_expect(cti_scan *s, cti_program *q)
{
    const char *token;
    int length;
    if (!cti_scan_word(s, &token, &length))
        return cti_scan_fail(s, CT_ERR_FORMAT, "expected solution, infeasible or nosolution", NULL);
    q->known.expect = cti_scan_is(token, length, "solution") ? 1 : (cti_scan_is(token, length, "infeasible") ? 2 : 3);
    if (q->known.expect == 3 && !cti_scan_is(token, length, "nosolution"))
        return cti_scan_fail(s, CT_ERR_FORMAT, "expected solution, infeasible or nosolution", NULL);
    return 1;
}

/* reads one keyword and its data; 0 on an error */
static int cti_lcp_item(cti_scan *s, const char *token, int length, cti_program *q)
{
    int64_t n;
    if (cti_scan_is(token, length, "n")) {
        if (!cti_scan_integer(s, &n, "n"))
            return 0;
        if (n < 0 || n > 100000)
            return cti_scan_fail(s, CT_ERR_DOMAIN, "n has to be 0 to 100000", NULL);
        if (q->W.p || q->w || q->lo || q->hi || q->known.r)
            return cti_scan_fail(s, CT_ERR_FORMAT, "n has to come first, and once", NULL);
        q->n = q->m = (int)n;
        return 1;
    }
    if (cti_scan_is(token, length, "expect"))
        return cti_lcp_expect(s, q);
    if (cti_scan_is(token, length, "lemke"))
        return (cti_scan_word(s, &token, &length) && cti_scan_word(s, &token, &length)) ||
               cti_scan_fail(s, CT_ERR_FORMAT, "expected two words after lemke", NULL);
    if (cti_scan_is(token, length, "M"))
        return cti_lcp_matrix(s, q->n, &q->W);
    if (cti_scan_is(token, length, "q"))
        return cti_lcp_vector(s, q->n, &q->w, "an entry of q");
    if (cti_scan_is(token, length, "lo"))
        return cti_lcp_vector(s, q->n, &q->lo, "an entry of lo");
    if (cti_scan_is(token, length, "hi"))
        return cti_lcp_vector(s, q->n, &q->hi, "an entry of hi");
    if (cti_scan_is(token, length, "z"))
        return cti_lcp_vector(s, q->n, &q->known.r, "an entry of z");
    return cti_scan_fail(s, CT_ERR_FORMAT, "unknown keyword; expected n, expect, lemke, M, q, lo, hi or z", NULL);
}

static ct_code cti_problem_read_lcp(cti_mem *mem, const char *bytes, size_t size, cti_program *q, ct_error_info *error)
{
    cti_scan s;
    const char *token;
    int length;
    memset(&s, 0, sizeof s);
    s.at = bytes, s.end = bytes + size, s.line = 1, s.comments = 1, s.error = error, s.mem = mem, s.code = CT_OK;
    q->kind = CTI_PROGRAM_LCP;
    while (cti_scan_word(&s, &token, &length))
        if (!cti_lcp_item(&s, token, length, q))
            break;
    return s.code;
}

static ct_code cti_problem_load(const char *path, ct_problem **out_problem, ct_error_info *out_error)
{
    ct_problem *q;
    char *bytes = NULL;
    const char *wrong;
    ct_code code;
    int cpb;
    if (!path || !out_problem)
        return cti_file_error(out_error, CT_ERR_ARGUMENT, 0, 0, "path and out_problem may not be NULL", NULL);
    cpb = cti_file_has_extension(path, ".cpb");
    if (!cpb && !cti_file_has_extension(path, ".lcp") && !cti_file_has_extension(path, ".blcp"))
        return cti_file_error(out_error, CT_ERR_UNSUPPORTED, 0, 0, "file name must end in .cpb, .lcp or .blcp", NULL);
    q = cti_problem_new();
    if (!q)
        return cti_file_error(out_error, CT_ERR_MEMORY, 0, 0, "out of memory", NULL);
    code = cti_file_load(&q->mem, path, &bytes, out_error);
    CTI_THEN(code, (cpb ? cti_problem_read_cpb : cti_problem_read_lcp)(&q->mem, bytes, (size_t)CTI_LEN(bytes), &q->program, out_error));
    CTI_FREE(&q->mem, bytes);
    if (code == CT_OK) {
        wrong = cti_program_check(&q->program);
        if (wrong)
            code = cti_file_error(out_error, CT_ERR_DOMAIN, 0, 0, wrong, NULL);
        else if (!cti_program_prepare(&q->mem, &q->program))
            code = cti_file_error(out_error, CT_ERR_MEMORY, 0, 0, "out of memory", NULL);
    }
    if (code != CT_OK) {
        ct_problem_free(q);
        return code;
    }
    *out_problem = q;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_problem_read(const char *path, ct_problem **out_problem, ct_error_info *out_error)
{
#if CONTACT_WITH_PROBLEMS
    CTI_FPENV_RETURN(cti_problem_load(path, out_problem, out_error))
#else
    CTI_UNUSED(path), CTI_UNUSED(out_problem);
    return CTI_ERROR_UNBUILT(out_error, "problems without a world", CONTACT_WITH_PROBLEMS);
#endif
}

#else

CONTACT_API_DEF ct_code ct_problem_read(const char *path, ct_problem **out_problem, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(out_problem);
    return cti_file_unbuilt(out_error);
}

#endif
