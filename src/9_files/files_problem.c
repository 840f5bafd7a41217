/* files_problem.c -- contact problems from files and to files: the CPB container, and LCPs as text.
   Method: a CPB file is held in memory and its arrays are found by name; sizes are checked against the file before anything is copied. One table
   names the vectors of each kind of problem, for reading and for writing. Rows that are equations are listed in an array `equation` of their
   own; readers that do not know it skip it. A new file replaces an old one only when it is complete (cti_file_write). Text has 17 digits and a
   decimal point in every locale; CPB has the binary numbers. */
#include "../9_world/problems.h"
#include "files.h"

#if CONTACT_WITH_FILES
#include <stddef.h>
#include <stdio.h>

#define CTI_CPB_ARRAYS 64
#define CTI_CPB_MOST 0x0fffffff /* entries of an array: twice as many are still an int */

/* The vectors of a problem: the kinds that have it, its name in a file, its place in cti_program, its length: 'n', 'm' or 'c' for contacts. */
enum { CTI_CPB_LOCAL = 1 << CTI_PROGRAM_LOCAL, CTI_CPB_GLOBAL = 1 << CTI_PROGRAM_GLOBAL, CTI_CPB_QP = 1 << CTI_PROGRAM_QP };
typedef struct cti_cpb_vector {
    int kinds;
    const char *name;
    size_t place;
    char length;
    int optional;
} cti_cpb_vector;
static const cti_cpb_vector cti_cpb_vectors[] = {{CTI_CPB_LOCAL | CTI_CPB_GLOBAL, "mu", offsetof(cti_program, mu), 'c', 0},
                                                 {CTI_CPB_QP, "b", offsetof(cti_program, b), 'n', 0},
                                                 {CTI_CPB_GLOBAL, "f", offsetof(cti_program, b), 'n', 0},
                                                 {CTI_CPB_QP, "c", offsetof(cti_program, w), 'm', 0}, /* -w */
                                                 {CTI_CPB_GLOBAL, "w", offsetof(cti_program, w), 'm', 0},
                                                 {CTI_CPB_LOCAL, "q", offsetof(cti_program, w), 'm', 0},
                                                 {CTI_CPB_QP, "x_ref", offsetof(cti_program, known.x), 'n', 1},
                                                 {CTI_CPB_GLOBAL, "v_ref", offsetof(cti_program, known.x), 'n', 1},
                                                 {CTI_CPB_QP, "lam_ref", offsetof(cti_program, known.r), 'm', 1},
                                                 {CTI_CPB_LOCAL | CTI_CPB_GLOBAL, "r_ref", offsetof(cti_program, known.r), 'm', 1}};

static double **cti_cpb_place(cti_program *q, const cti_cpb_vector *v) { return (double **)(void *)((char *)q + v->place); }

static int cti_cpb_length(const cti_program *q, const cti_cpb_vector *v)
{
    return v->length == 'n' ? q->n : (v->length == 'm' ? q->m : q->m / 3);
}

/* ---- CPB: reading ---- */

typedef struct cti_cpb_array {
    char name[17];
    uint32_t dtype; /* 0 int32, 1 float64 */
    uint64_t count;
    const unsigned char *data;
} cti_cpb_array;

typedef struct cti_cpb_file {
    cti_mem *mem, own; /* of the problem; scratch */
    ct_error_info *error;
    ct_code code; /* the first error */
    uint32_t kind;
    int n;
    cti_cpb_array array[CTI_CPB_ARRAYS];
} cti_cpb_file;

static int cti_cpb_refuse(cti_cpb_file *f, ct_code code, double value, const char *format, const char *name)
{
    if (f->code == CT_OK)
        f->code = cti_error_set(f->error, code, -1, value, format, name);
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

/* the arrays of a matrix of scalars (block 1) or 3x3 blocks (block 3), and its size in blocks */
typedef struct cti_cpb_matrix {
    const cti_cpb_array *p, *index, *x;
    int rows, cols;
} cti_cpb_matrix;

/* finds the matrix, which must have `columns` columns (-1: as many as rows). 0: an error */
static int cti_cpb_matrix_find(cti_cpb_file *f, const char *letter, int block, int columns, cti_cpb_matrix *m)
{
    char name[8];
    const cti_cpb_array *dim;
    name[0] = letter[0];
    strcpy(name + 1, ".dim");
    if ((dim = cti_cpb_need(f, name, 0, 2)) == NULL)
        return 0;
    m->rows = cti_cpb_int_at(dim, 0), m->cols = cti_cpb_int_at(dim, 1);
    if (m->rows < 0 || m->cols < 0 || m->rows > CTI_CPB_MOST / block || m->cols > CTI_CPB_MOST / block ||
        block * m->cols != (columns < 0 ? block * m->rows : columns))
        return cti_cpb_refuse(f, CT_ERR_DOMAIN, m->rows, "array %s has a size that is not possible", name);
    strcpy(name + 1, ".p");
    m->p = cti_cpb_need(f, name, 0, (int64_t)m->rows + 1);
    strcpy(name + 1, ".i");
    m->index = m->p ? cti_cpb_need(f, name, 0, -1) : NULL;
    strcpy(name + 1, ".x");
    m->x = m->index ? cti_cpb_need(f, name, 1, (int64_t)m->index->count * block * block) : NULL;
    if (!m->x)
        return 0;
    if (cti_cpb_int_at(m->p, 0) != 0 || (uint64_t)cti_cpb_int_at(m->p, m->rows) != m->index->count)
        return cti_cpb_refuse(f, CT_ERR_FORMAT, cti_cpb_int_at(m->p, 0) ? 0 : m->rows,
                              "matrix %s: row pointers (.p) do not begin with 0 and end with the length of .i", letter);
    return 1;
}

/* reads a matrix. mirror: only the upper triangle is stored */
static int cti_cpb_sparse(cti_cpb_file *f, const char *letter, int block, int mirror, int columns, cti_sparse *out)
{
    cti_cpb_matrix m;
    cti_triplets t;
    int i, k, e, ok = 1, square = block * block;
    memset(&t, 0, sizeof t), memset(&m, 0, sizeof m);
    if (!cti_cpb_matrix_find(f, letter, block, columns, &m))
        return 0;
    for (i = 0; ok && i < m.rows; i++) {
        int from = cti_cpb_int_at(m.p, i), to = cti_cpb_int_at(m.p, i + 1);
        if (from < 0 || to < from || (uint64_t)to > m.index->count)
            return cti_cpb_refuse(f, CT_ERR_FORMAT, i, "matrix %s: row pointers fall or leave the array", letter);
        for (k = from; ok && k < to; k++) {
            int j = cti_cpb_int_at(m.index, k);
            if (j < 0 || j >= m.cols)
                return cti_cpb_refuse(f, CT_ERR_FORMAT, j, "matrix %s: a column is outside", letter);
            for (e = 0; ok && e < square; e++) {
                int row = block * i + e / block, col = block * j + e % block;
                double v = cti_cpb_double_at(m.x, (int64_t)k * square + e);
                ok = cti_triplets_add(&f->own, &t, row, col, v) && (!mirror || j <= i || cti_triplets_add(&f->own, &t, col, row, v));
            }
        }
    }
    ok = ok && cti_sparse_from_triplets(f->mem, block * m.rows, block * m.cols, t.i, t.j, t.x, CTI_LEN(t.x), out);
    return ok || cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
}

/* whether only the upper triangle is stored: P or M is mirrored if nothing is stored below the diagonal */
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

/* A of a QP or GLOBAL problem, then its rows, which a GLOBAL one stores as columns. m: of a GLOBAL problem */
static int cti_cpb_dynamics(cti_cpb_file *f, cti_program *q)
{
    int qp = q->kind == CTI_PROGRAM_QP;
    cti_sparse H;
    memset(&H, 0, sizeof H);
    if (cti_cpb_find(f, "A.p") ? !cti_cpb_sparse(f, "A", 3, 1, -1, &q->A)
                               : !cti_cpb_sparse(f, qp ? "P" : "M", 1, cti_cpb_is_upper(f, qp ? "P.p" : "M.p", qp ? "P.i" : "M.i"), -1, &q->A))
        return 0;
    q->n = q->A.rows;
    if (qp) {
        if (!cti_cpb_sparse(f, "J", 1, 0, q->n, &q->J))
            return 0;
        q->m = q->J.rows;
        return 1;
    }
    if (!cti_cpb_sparse(f, "H", 1, 0, q->m, &H))
        return 0;
    if (!cti_sparse_transpose(f->mem, &H, &q->J))
        cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
    cti_sparse_free(f->mem, &H);
    return f->code == CT_OK;
}

/* the vectors of the problem, whose sizes are known */
static void cti_cpb_read_vectors(cti_cpb_file *f, cti_program *q)
{
    int i, k;
    for (k = 0; k < CTI_COUNT(cti_cpb_vectors); k++) {
        const cti_cpb_vector *v = &cti_cpb_vectors[k];
        const cti_cpb_array *a = NULL;
        double **to = cti_cpb_place(q, v);
        if ((v->kinds >> q->kind & 1) && (!v->optional || cti_cpb_find(f, v->name)))
            a = cti_cpb_need(f, v->name, 1, cti_cpb_length(q, v));
        if (!a)
            continue;
        if (!CTI_RESIZE(f->mem, *to, (int)a->count))
            cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
        else if (a->count)
            memcpy(*to, a->data, 8 * (size_t)a->count);
    }
    for (i = 0; i < CTI_LEN(q->w) && q->kind == CTI_PROGRAM_QP; i++)
        q->w[i] = -q->w[i];
}

/* what only a QP has: its equations and its least value */
static void cti_cpb_qp(cti_cpb_file *f, cti_program *q)
{
    const cti_cpb_array *a;
    int i;
    if (cti_cpb_find(f, "equation") && (a = cti_cpb_need(f, "equation", 0, q->m)) != NULL) {
        if (!CTI_RESIZE(f->mem, q->equation, q->m))
            cti_cpb_refuse(f, CT_ERR_MEMORY, 0, "out of memory", NULL);
        for (i = 0; i < CTI_LEN(q->equation); i++)
            q->equation[i] = cti_cpb_int_at(a, i) != 0;
    }
    if (cti_cpb_find(f, "obj") && (a = cti_cpb_need(f, "obj", 1, 1)) != NULL)
        q->known.has_objective = 1, q->known.objective = cti_cpb_double_at(a, 0);
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

static ct_code cti_cpb_read(cti_mem *mem, const char *bytes, size_t size, cti_program *q, ct_error_info *error)
{
    cti_cpb_file f;
    const cti_cpb_array *nc = NULL;
    int ok, count = 0;
    memset(&f, 0, sizeof f);
    cti_mem_open(&f.own, mem);
    f.mem = mem, f.error = error, f.code = CT_OK;
    ok = cti_cpb_open(&f, (const unsigned char *)bytes, size) && cti_cpb_only(&f, (cti_program_kind)f.kind);
    if (ok)
        q->kind = (cti_program_kind)f.kind;
    if (ok && q->kind != CTI_PROGRAM_QP) {
        nc = cti_cpb_need(&f, "nc", 0, 1), count = nc ? cti_cpb_int_at(nc, 0) : 0;
        ok = nc && ((count >= 0 && count <= CTI_CPB_MOST) ||
                    cti_cpb_refuse(&f, CT_ERR_DOMAIN, count, "array %s: a number of contacts that is not possible", "nc"));
        q->m = q->n = ok ? 3 * count : 0;
    }
    ok = ok && (q->kind == CTI_PROGRAM_LOCAL ? cti_cpb_sparse(&f, "W", 3, 0, -1, &q->W) : cti_cpb_dynamics(&f, q));
    if (ok) {
        cti_cpb_read_vectors(&f, q);
        if (q->kind == CTI_PROGRAM_QP)
            cti_cpb_qp(&f, q);
    }
    cti_mem_release(&f.own);
    return f.code;
}

/* ---- CPB: writing ---- */

/* cti_cpb_out -- a file that is written, or NULL, where arrays are counted only */
typedef struct cti_cpb_out {
    FILE *f;
    uint32_t n; /* arrays so far */
    cti_mem own;
} cti_cpb_out;

/* writes the head of an array, its numbers, and zeros up to a multiple of 8 bytes */
static void cti_cpb_put(cti_cpb_out *o, const char *name, uint32_t dtype, const void *data, uint64_t count)
{
    static const unsigned char zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    char padded[16];
    uint32_t none = 0;
    size_t bytes = (dtype ? 8 : 4) * (size_t)count;
    memset(padded, 0, sizeof padded);
    memcpy(padded, name, strlen(name));
    o->n++;
    if (!o->f)
        return;
    fwrite(padded, 1, sizeof padded, o->f), fwrite(&dtype, 4, 1, o->f), fwrite(&none, 4, 1, o->f), fwrite(&count, 8, 1, o->f);
    if (bytes)
        fwrite(data, 1, bytes, o->f);
    fwrite(zero, 1, (8 - bytes % 8) % 8, o->f);
}

static void cti_cpb_put_sparse(cti_cpb_out *o, char letter, const cti_sparse *a, int block, const double *x)
{
    char name[8];
    int32_t dim[2];
    uint64_t entries = (uint64_t)a->p[a->rows];
    dim[0] = (int32_t)a->rows, dim[1] = (int32_t)a->cols;
    name[0] = letter;
    strcpy(name + 1, ".dim"), cti_cpb_put(o, name, 0, dim, 2);
    strcpy(name + 1, ".p"), cti_cpb_put(o, name, 0, a->p, (uint64_t)a->rows + 1);
    strcpy(name + 1, ".i"), cti_cpb_put(o, name, 0, a->i, entries);
    strcpy(name + 1, ".x"), cti_cpb_put(o, name, 1, x, entries * (uint64_t)(block * block));
}

/* writes W in 3x3 blocks. 0 when memory ran out */
static int cti_cpb_put_blocks(cti_cpb_out *o, const cti_sparse *W)
{
    cti_sparse P;
    int32_t *row = NULL, *col = NULL;
    double *one = NULL, *x = NULL;
    int i, k, n = W->p[W->rows];
    if (!CTI_RESIZE(&o->own, row, n) || !CTI_RESIZE(&o->own, col, n) || !CTI_RESIZE(&o->own, one, n))
        return 0;
    for (i = 0; i < W->rows; i++)
        for (k = W->p[i]; k < W->p[i + 1]; k++)
            row[k] = i / 3, col[k] = W->i[k] / 3;
    if (!cti_sparse_from_triplets(&o->own, W->rows / 3, W->cols / 3, row, col, one, n, &P) || !CTI_RESIZE(&o->own, x, 9 * P.p[P.rows]))
        return 0;
    for (i = 0; i < P.rows; i++)
        for (k = 9 * P.p[i]; k < 9 * P.p[i + 1]; k++)
            x[k] = cti_sparse_at(W, 3 * i + k % 9 / 3, 3 * P.i[k / 9] + k % 3);
    cti_cpb_put_sparse(o, 'W', &P, 3, x);
    return 1;
}

/* the arrays of a problem. 0 when memory ran out */
static int cti_cpb_put_all(cti_cpb_out *o, cti_program *p)
{
    int32_t contacts = (int32_t)(p->m / 3), *equation = NULL;
    double *c = NULL;
    cti_sparse H;
    int i, k, qp = p->kind == CTI_PROGRAM_QP;
    if (!CTI_RESIZE(&o->own, c, p->m) || !CTI_RESIZE(&o->own, equation, p->m))
        return 0;
    for (i = 0; i < p->m; i++)
        c[i] = -p->w[i], equation[i] = p->equation && p->equation[i];
    if (!qp)
        cti_cpb_put(o, "nc", 0, &contacts, 1);
    for (k = 0; k < CTI_COUNT(cti_cpb_vectors); k++) {
        const cti_cpb_vector *v = &cti_cpb_vectors[k];
        const double *x = *cti_cpb_place(p, v);
        if ((v->kinds >> p->kind & 1) && (x || !v->optional))
            cti_cpb_put(o, v->name, 1, qp && x == p->w ? c : x, (uint64_t)cti_cpb_length(p, v));
    }
    if (p->kind == CTI_PROGRAM_LOCAL)
        return cti_cpb_put_blocks(o, &p->W);
    cti_cpb_put_sparse(o, qp ? 'P' : 'M', &p->A, 1, p->A.x);
    if (qp)
        cti_cpb_put_sparse(o, 'J', &p->J, 1, p->J.x);
    else if (!cti_sparse_transpose(&o->own, &p->J, &H))
        return 0;
    else
        cti_cpb_put_sparse(o, 'H', &H, 1, H.x);
    if (p->equation)
        cti_cpb_put(o, "equation", 0, equation, (uint64_t)p->m);
    if (qp && p->known.has_objective)
        cti_cpb_put(o, "obj", 1, &p->known.objective, 1);
    return 1;
}

static int cti_cpb_write(cti_mem *mem, FILE *f, cti_program *p)
{
    uint32_t kind = (uint32_t)p->kind;
    cti_cpb_out o;
    int ok;
    memset(&o, 0, sizeof o);
    cti_mem_open(&o.own, mem);
    ok = cti_cpb_put_all(&o, p);
    o.f = f;
    fwrite("CPB1\0\0\0\0", 1, 8, f), fwrite(&kind, 4, 1, f), fwrite(&o.n, 4, 1, f);
    ok = ok && cti_cpb_put_all(&o, p);
    cti_mem_release(&o.own);
    return ok;
}

/* ---- LCPs as text ---- */

/* reads a number; inf and -inf are allowed */
static double cti_lcp_number(cti_scan *s, const char *what)
{
    double x = 0;
    int word = cti_scan_word(s);
    if (word && (cti_scan_like(s, "inf") || cti_scan_like(s, "+inf")))
        return INFINITY;
    if (word && cti_scan_like(s, "-inf"))
        return -INFINITY;
    if (!word || !cti_scan_double(s->token, s->length, &x))
        cti_scan_fail(s, CT_ERR_FORMAT, "expected a number: an entry of %s", what);
    return x;
}

static void cti_lcp_vector(cti_scan *s, int n, double **out, const char *what)
{
    int i;
    if (*out)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second time: an entry of %s", what);
    else if (!CTI_RESIZE(s->mem, *out, n))
        cti_scan_memory(s);
    for (i = 0; i < n && cti_scan_ok(s); i++)
        (*out)[i] = cti_lcp_number(s, what);
}

static void cti_lcp_matrix(cti_scan *s, int n, cti_sparse *out)
{
    cti_triplets t;
    int k, entries = out->p ? 0 : n;
    memset(&t, 0, sizeof t);
    if (out->p)
        cti_scan_fail(s, CT_ERR_FORMAT, "a second time: M", NULL);
    for (k = 0; k < entries; k++) {
        int j;
        for (j = 0; j < n && cti_scan_ok(s); j++) {
            double v = cti_lcp_number(s, "M");
            if (v != 0 && !cti_triplets_add(&s->own, &t, k, j, v))
                cti_scan_memory(s);
        }
    }
    if (cti_scan_ok(s) && !cti_sparse_from_triplets(s->mem, n, n, t.i, t.j, t.x, CTI_LEN(t.x), out))
        cti_scan_memory(s);
}

static const char *const cti_lcp_expects[] = {"", "solution", "infeasible", "nosolution"};

/* reads one keyword, which was read last, and its data */
static void cti_lcp_item(cti_scan *s, cti_program *q)
{
    double **const vectors[] = {&q->w, &q->lo, &q->hi, &q->known.r};
    static const char *const names[] = {"q", "lo", "hi", "z"};
    int64_t n;
    int k = 0;
    while (k < CTI_COUNT(names) && !cti_scan_is(s, names[k]))
        k++;
    if (k < CTI_COUNT(names)) {
        cti_lcp_vector(s, q->n, vectors[k], names[k]);
    } else if (cti_scan_is(s, "M")) {
        cti_lcp_matrix(s, q->n, &q->W);
    } else if (cti_scan_is(s, "n")) {
        n = cti_scan_integer(s, "n");
        if (n < 0 || n > 100000)
            n = cti_scan_fail(s, CT_ERR_DOMAIN, "n has to be 0 to 100000", NULL);
        if (q->W.p || q->w || q->lo || q->hi || q->known.r)
            cti_scan_fail(s, CT_ERR_FORMAT, "n has to come first, and once", NULL);
        else
            q->n = q->m = (int)n;
    } else if (cti_scan_is(s, "expect")) {
        for (k = cti_scan_word(s) ? 1 : 4; k < 4 && !cti_scan_is(s, cti_lcp_expects[k]); k++) {
        }
        q->known.expect = k < 4 ? k : cti_scan_fail(s, CT_ERR_FORMAT, "expected solution, infeasible or nosolution", NULL);
    } else if (!cti_scan_is(s, "lemke")) {
        cti_scan_fail(s, CT_ERR_FORMAT, "unknown keyword; expected n, expect, lemke, M, q, lo, hi or z", NULL);
    } else if (!cti_scan_word(s) || !cti_scan_word(s)) {
        cti_scan_fail(s, CT_ERR_FORMAT, "expected two words after lemke", NULL);
    }
}

static ct_code cti_lcp_read(cti_mem *mem, const char *bytes, size_t size, cti_program *q, ct_error_info *error)
{
    cti_scan s;
    cti_scan_open(&s, mem, bytes, size, NULL, error);
    s.comments = 1;
    q->kind = CTI_PROGRAM_LCP;
    while (cti_scan_word(&s))
        cti_lcp_item(&s, q);
    return cti_scan_close(&s);
}

static void cti_lcp_line(FILE *f, const char *word, const double *x, int n)
{
    int i;
    if (!x && n > 0)
        return;
    fprintf(f, "%s\n", word);
    for (i = 0; i < n; i++)
        if (cti_finite64(x[i]))
            cti_write_real(f, x[i]);
        else
            fputs(x[i] > 0 ? " inf" : " -inf", f);
    fputc('\n', f);
}

static void cti_lcp_write(FILE *f, const cti_program *p)
{
    int i, j, k;
    fprintf(f, "n %d\n%s%s%sM\n", p->m, p->known.expect ? "expect " : "", cti_lcp_expects[p->known.expect], p->known.expect ? "\n" : "");
    for (i = 0; i < p->m; i++) {
        for (k = p->W.p[i], j = 0; j < p->m; j++)
            if (k < p->W.p[i + 1] && p->W.i[k] == j)
                cti_write_real(f, p->W.x[k++]);
            else
                fputs(" 0", f);
        fputc('\n', f);
    }
    cti_lcp_line(f, "q", p->w, p->m);
    if (p->lo)
        cti_lcp_line(f, "lo", p->lo, p->m), cti_lcp_line(f, "hi", p->hi, p->m);
    if (p->known.r)
        cti_lcp_line(f, "z", p->known.r, p->m);
}

/* ---- the file ---- */

static ct_code cti_problem_load(const char *path, ct_problem **out_problem, ct_error_info *out_error)
{
    ct_problem *q;
    char *bytes = NULL;
    const char *wrong;
    ct_code code;
    int cpb;
    if (!path || !out_problem)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "path and out_problem may not be NULL");
    cpb = cti_file_has_extension(path, ".cpb");
    if (!cpb && !cti_file_has_extension(path, ".lcp") && !cti_file_has_extension(path, ".blcp"))
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, 0, "file name must end in .cpb, .lcp or .blcp");
    q = cti_problem_new();
    if (!q)
        return cti_error_set(out_error, CT_ERR_MEMORY, -1, 0, "out of memory");
    code = cti_file_load(&q->mem, path, &bytes, out_error);
    CTI_THEN(code, (cpb ? cti_cpb_read : cti_lcp_read)(&q->mem, bytes, (size_t)CTI_LEN(bytes), &q->program, out_error));
    CTI_FREE(&q->mem, bytes);
    wrong = code == CT_OK ? cti_program_check(&q->program) : NULL;
    if (wrong)
        code = cti_error_set(out_error, CT_ERR_DOMAIN, -1, 0, "%s", wrong);
    if (code == CT_OK && !cti_program_prepare(&q->mem, &q->program))
        code = cti_error_set(out_error, CT_ERR_MEMORY, -1, 0, "out of memory");
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

typedef struct cti_problem_out {
    cti_mem *mem;
    const cti_program *p;
    ct_error_info *error;
} cti_problem_out;

static ct_code cti_problem_out_write(FILE *f, void *user)
{
    const cti_problem_out *o = (const cti_problem_out *)user;
    cti_program copy = *o->p; /* the table of vectors leads into a problem that may be written */
    int ok = 1;
    if (copy.kind == CTI_PROGRAM_LCP)
        cti_lcp_write(f, &copy);
    else
        ok = cti_cpb_write(o->mem, f, &copy);
    return ok ? CT_OK : cti_error_set(o->error, CT_ERR_MEMORY, -1, 0, "out of memory");
}

CTI_FN ct_code cti_problem_save(cti_mem *mem, const cti_program *p, const char *path, ct_error_info *error)
{
    cti_problem_out o;
    o.mem = mem, o.p = p, o.error = error;
    return cti_file_write(mem, path, cti_problem_out_write, &o, error);
}

CONTACT_API_DEF ct_code ct_problem_write(const ct_problem *problem, const char *path, ct_error_info *out_error)
{
    cti_mem mem;
    int text;
    if (!problem || !path)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "problem and path may not be NULL");
    text = problem->program.kind == CTI_PROGRAM_LCP;
    if (text ? !cti_file_has_extension(path, ".lcp") && !cti_file_has_extension(path, ".blcp") : !cti_file_has_extension(path, ".cpb"))
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, 0, "an LCP is written as .lcp or .blcp, all others as .cpb");
    if (problem->program.spins)
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, problem->program.spins, "files have no rows of torsional friction (value: rows)");
    cti_mem_init(&mem, NULL);
    return cti_problem_save(&mem, &problem->program, path, out_error);
}

#else

CONTACT_API_DEF ct_code ct_problem_read(const char *path, ct_problem **out_problem, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(out_problem);
    return CTI_ERROR_UNBUILT(out_error, "files", CONTACT_WITH_FILES);
}

CONTACT_API_DEF ct_code ct_problem_write(const ct_problem *problem, const char *path, ct_error_info *out_error)
{
    CTI_UNUSED(problem);
    CTI_UNUSED(path);
    return CTI_ERROR_UNBUILT(out_error, "files", CONTACT_WITH_FILES);
}

#endif
