/* files_problem_write.c -- contact problems to files: the CPB container, LCPs as text.
   Method: the new file replaces an old one only when it is complete (cti_file_write). Text has 17 digits and a decimal point in every
   locale; CPB has the binary numbers. Rows that are equations are listed in an array `equation` of their own; readers that do not know it
   skip it. */
#include "../9_world/problems.h"
#include "files.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

/* ---- CPB ---- */

/* writes the head of an array, its numbers, and zeros up to a multiple of 8 bytes */
static void cti_problem_put(FILE *f, const char *name, uint32_t dtype, const void *data, uint64_t count)
{
    static const unsigned char zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    char padded[16];
    uint32_t none = 0;
    size_t bytes = (dtype ? 8 : 4) * (size_t)count;
    memset(padded, 0, sizeof padded);
    memcpy(padded, name, strlen(name));
    fwrite(padded, 1, sizeof padded, f), fwrite(&dtype, 4, 1, f), fwrite(&none, 4, 1, f), fwrite(&count, 8, 1, f);
    if (bytes)
        fwrite(data, 1, bytes, f);
    fwrite(zero, 1, (8 - bytes % 8) % 8, f);
}

static void cti_problem_put_sparse(FILE *f, char letter, const cti_sparse *a, int block, const double *x)
{
    char name[8];
    int32_t dim[2];
    uint64_t entries = (uint64_t)a->p[a->rows];
    dim[0] = (int32_t)a->rows, dim[1] = (int32_t)a->cols;
    name[0] = letter;
    strcpy(name + 1, ".dim"), cti_problem_put(f, name, 0, dim, 2);
    strcpy(name + 1, ".p"), cti_problem_put(f, name, 0, a->p, (uint64_t)a->rows + 1);
    strcpy(name + 1, ".i"), cti_problem_put(f, name, 0, a->i, entries);
    strcpy(name + 1, ".x"), cti_problem_put(f, name, 1, x, entries * (uint64_t)(block * block));
}

/* writes W in 3x3 blocks. 0 when memory ran out */
static int cti_problem_put_blocks(cti_mem *mem, FILE *f, const cti_sparse *W)
{
    cti_sparse P;
    int32_t *row = NULL, *col = NULL;
    double *one = NULL, *x = NULL;
    int i, k, n = W->p[W->rows], ok;
    memset(&P, 0, sizeof P);
    ok = CTI_RESIZE(mem, row, n) && CTI_RESIZE(mem, col, n) && CTI_RESIZE(mem, one, n);
    for (i = 0; ok && i < W->rows; i++)
        for (k = W->p[i]; k < W->p[i + 1]; k++)
            row[k] = i / 3, col[k] = W->i[k] / 3;
    ok = ok && cti_sparse_from_triplets(mem, W->rows / 3, W->cols / 3, row, col, one, n, &P) && CTI_RESIZE(mem, x, 9 * P.p[P.rows]);
    for (i = 0; ok && i < P.rows; i++)
        for (k = 9 * P.p[i]; k < 9 * P.p[i + 1]; k++)
            x[k] = cti_sparse_at(W, 3 * i + k % 9 / 3, 3 * P.i[k / 9] + k % 3);
    if (ok)
        cti_problem_put_sparse(f, 'W', &P, 3, x);
    cti_sparse_free(mem, &P);
    CTI_FREE(mem, row), CTI_FREE(mem, col), CTI_FREE(mem, one), CTI_FREE(mem, x);
    return ok;
}

static int cti_problem_put_contacts(cti_mem *mem, FILE *f, const cti_program *p)
{
    int32_t contacts = (int32_t)(p->m / 3);
    cti_sparse H;
    cti_problem_put(f, "nc", 0, &contacts, 1);
    cti_problem_put(f, "mu", 1, p->mu, (uint64_t)contacts);
    if (p->known.r)
        cti_problem_put(f, "r_ref", 1, p->known.r, (uint64_t)p->m);
    if (p->kind == CTI_PROGRAM_LOCAL) {
        cti_problem_put(f, "q", 1, p->w, (uint64_t)p->m);
        return cti_problem_put_blocks(mem, f, &p->W);
    }
    if (!cti_sparse_transpose(mem, &p->J, &H))
        return 0;
    cti_problem_put_sparse(f, 'M', &p->A, 1, p->A.x), cti_problem_put_sparse(f, 'H', &H, 1, H.x);
    cti_sparse_free(mem, &H);
    cti_problem_put(f, "f", 1, p->b, (uint64_t)p->n), cti_problem_put(f, "w", 1, p->w, (uint64_t)p->m);
    if (p->known.x)
        cti_problem_put(f, "v_ref", 1, p->known.x, (uint64_t)p->n);
    return 1;
}

static int cti_problem_put_qp(cti_mem *mem, FILE *f, const cti_program *p)
{
    double *c = NULL;
    int32_t *equation = NULL;
    int i, ok = CTI_RESIZE(mem, c, p->m) && (!p->equation || CTI_RESIZE(mem, equation, p->m));
    for (i = 0; ok && i < p->m; i++)
        c[i] = -p->w[i];
    for (i = 0; ok && p->equation && i < p->m; i++)
        equation[i] = p->equation[i];
    if (ok) {
        cti_problem_put_sparse(f, 'P', &p->A, 1, p->A.x), cti_problem_put_sparse(f, 'J', &p->J, 1, p->J.x);
        cti_problem_put(f, "b", 1, p->b, (uint64_t)p->n), cti_problem_put(f, "c", 1, c, (uint64_t)p->m);
        if (p->equation)
            cti_problem_put(f, "equation", 0, equation, (uint64_t)p->m);
        if (p->known.x)
            cti_problem_put(f, "x_ref", 1, p->known.x, (uint64_t)p->n);
        if (p->known.r)
            cti_problem_put(f, "lam_ref", 1, p->known.r, (uint64_t)p->m);
        if (p->known.has_objective)
            cti_problem_put(f, "obj", 1, &p->known.objective, 1);
    }
    CTI_FREE(mem, c), CTI_FREE(mem, equation);
    return ok;
}

/* number of arrays that the functions above write */
static uint32_t cti_problem_arrays(const cti_program *p)
{
    uint32_t refs = (uint32_t)((p->known.x != NULL) + (p->known.r != NULL));
    if (p->kind == CTI_PROGRAM_QP)
        return 10 + refs + (uint32_t)((p->equation != NULL) + (p->known.has_objective != 0));
    return p->kind == CTI_PROGRAM_LOCAL ? 7 + (uint32_t)(p->known.r != NULL) : 12 + refs;
}

static int cti_problem_write_cpb(cti_mem *mem, FILE *f, const cti_program *p)
{
    uint32_t kind = (uint32_t)p->kind, arrays = cti_problem_arrays(p);
    fwrite("CPB1\0\0\0\0", 1, 8, f), fwrite(&kind, 4, 1, f), fwrite(&arrays, 4, 1, f);
    return p->kind == CTI_PROGRAM_QP ? cti_problem_put_qp(mem, f, p) : cti_problem_put_contacts(mem, f, p);
}

/* ---- text ---- */

static void cti_problem_line(FILE *f, const char *word, const double *x, int n)
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

static int cti_problem_write_lcp(cti_mem *mem, FILE *f, const cti_program *p)
{
    static const char *const expect[] = {"", "expect solution\n", "expect infeasible\n", "expect nosolution\n"};
    int i, j, k;
    CTI_UNUSED(mem);
    fprintf(f, "n %d\n%sM\n", p->m, expect[p->known.expect]);
    for (i = 0; i < p->m; i++) {
        for (k = p->W.p[i], j = 0; j < p->m; j++)
            if (k < p->W.p[i + 1] && p->W.i[k] == j)
                cti_write_real(f, p->W.x[k++]);
            else
                fputs(" 0", f);
        fputc('\n', f);
    }
    cti_problem_line(f, "q", p->w, p->m);
    if (p->lo)
        cti_problem_line(f, "lo", p->lo, p->m), cti_problem_line(f, "hi", p->hi, p->m);
    if (p->known.r)
        cti_problem_line(f, "z", p->known.r, p->m);
    return 1;
}

/* ---- the file ---- */

typedef struct cti_problem_out {
    cti_mem *mem;
    const cti_program *p;
    ct_error_info *error;
} cti_problem_out;

static ct_code cti_problem_out_write(FILE *f, void *user)
{
    const cti_problem_out *o = (const cti_problem_out *)user;
    int ok = (o->p->kind == CTI_PROGRAM_LCP ? cti_problem_write_lcp : cti_problem_write_cpb)(o->mem, f, o->p);
    return ok ? CT_OK : cti_file_error(o->error, CT_ERR_MEMORY, 0, 0, "out of memory", NULL);
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
        return cti_file_error(out_error, CT_ERR_ARGUMENT, 0, 0, "problem and path may not be NULL", NULL);
    text = problem->program.kind == CTI_PROGRAM_LCP;
    if (text ? !cti_file_has_extension(path, ".lcp") && !cti_file_has_extension(path, ".blcp") : !cti_file_has_extension(path, ".cpb"))
        return cti_file_error(out_error, CT_ERR_UNSUPPORTED, 0, 0, "an LCP is written as .lcp or .blcp, all others as .cpb", NULL);
    cti_mem_init(&mem, NULL);
    return cti_problem_save(&mem, &problem->program, path, out_error);
}

#else

CONTACT_API_DEF ct_code ct_problem_write(const ct_problem *problem, const char *path, ct_error_info *out_error)
{
    CTI_UNUSED(problem);
    CTI_UNUSED(path);
    return cti_file_unbuilt(out_error);
}

#endif
