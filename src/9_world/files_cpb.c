/* files_cpb.c -- the last contact problem of a world as a CPB file: global frictional contact, A v = f + H r, u = H' v + w; of the discrete
   stepper a quadratic program, min 1/2 x'A x - b'x, J x >= c.
   Method: arrays are built one after the other and written to a temporary file, which is renamed when whole. */
#include "world.h"
#include "../3_solve/bridge.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

typedef struct cti_cpb {
    cti_mem *mem;
    unsigned char *bytes; /* the file so far */
    uint32_t n_arrays;
    int ok;
} cti_cpb;

static void cti_cpb_bytes(cti_cpb *c, const void *data, size_t n)
{
    int at = CTI_LEN(c->bytes);
    if (!c->ok || n == 0)
        return;
    if (n > 0x3fffffff || !CTI_RESERVE(c->mem, c->bytes, at + (int)n)) {
        c->ok = 0;
        return;
    }
    memcpy(c->bytes + at, data, n);
    stbds_header(c->bytes)->length += n;
}

/* header of an array of `count` numbers, dtype 0 int32, 1 float64 */
static void cti_cpb_head(cti_cpb *c, const char *name, uint32_t dtype, uint64_t count)
{
    char padded[16];
    uint32_t zero = 0;
    memset(padded, 0, sizeof padded);
    memcpy(padded, name, strlen(name));
    cti_cpb_bytes(c, padded, sizeof padded);
    cti_cpb_bytes(c, &dtype, 4);
    cti_cpb_bytes(c, &zero, 4);
    cti_cpb_bytes(c, &count, 8);
    c->n_arrays++;
}

static void cti_cpb_pad(cti_cpb *c)
{
    static const unsigned char zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    cti_cpb_bytes(c, zero, (8 - (size_t)CTI_LEN(c->bytes) % 8) % 8);
}

static void cti_cpb_int(cti_cpb *c, int v)
{
    int32_t i = (int32_t)v;
    cti_cpb_bytes(c, &i, 4);
}

static void cti_cpb_real(cti_cpb *c, ct_real v)
{
    double d = (double)v;
    cti_cpb_bytes(c, &d, 8);
}

static void cti_cpb_dim(cti_cpb *c, const char *name, int rows, int columns)
{
    cti_cpb_head(c, name, 0, 2);
    cti_cpb_int(c, rows);
    cti_cpb_int(c, columns);
}

/* A: upper block triangle, 3x3 blocks row-major */
static void cti_cpb_matrix(cti_cpb *c, const cti_bsr *A)
{
    int i, k, e, n = 0;
    for (i = 0; i < A->n; i++)
        n += A->row[i + 1] - A->diag[i];
    cti_cpb_dim(c, "A.dim", A->n, A->n);
    cti_cpb_head(c, "A.p", 0, (uint64_t)A->n + 1);
    for (n = i = 0; i <= A->n; i++) {
        cti_cpb_int(c, n);
        n += i < A->n ? A->row[i + 1] - A->diag[i] : 0;
    }
    cti_cpb_pad(c);
    cti_cpb_head(c, "A.i", 0, (uint64_t)n);
    for (i = 0; i < A->n; i++)
        for (k = A->diag[i]; k < A->row[i + 1]; k++)
            cti_cpb_int(c, A->col[k]);
    cti_cpb_pad(c);
    cti_cpb_head(c, "A.x", 1, 9 * (uint64_t)n);
    for (i = 0; i < A->n; i++)
        for (k = A->diag[i]; k < A->row[i + 1]; k++)
            for (e = 0; e < 9; e++)
                cti_cpb_real(c, A->val[9 * (size_t)k + (size_t)e]);
}

/* H = J' as CSR over velocities */
static void cti_cpb_jacobian(cti_cpb *c, cti_arena *arena, const cti_problem *p)
{
    cti_sparse J, H;
    int n;
    memset(&J, 0, sizeof J), memset(&H, 0, sizeof H);
    c->ok = c->ok && cti_bridge_jacobian(c->mem, arena, p, &J) && cti_sparse_transpose(c->mem, &J, &H);
    if (c->ok) {
        n = H.p[H.rows];
        cti_cpb_dim(c, "H.dim", H.rows, H.cols);
        cti_cpb_head(c, "H.p", 0, (uint64_t)H.rows + 1);
        cti_cpb_bytes(c, H.p, sizeof *H.p * (size_t)(H.rows + 1));
        cti_cpb_pad(c);
        cti_cpb_head(c, "H.i", 0, (uint64_t)n);
        cti_cpb_bytes(c, H.i, sizeof *H.i * (size_t)n);
        cti_cpb_pad(c);
        cti_cpb_head(c, "H.x", 1, (uint64_t)n);
        cti_cpb_bytes(c, H.x, sizeof *H.x * (size_t)n);
    }
    cti_sparse_free(c->mem, &J);
    cti_sparse_free(c->mem, &H);
}

static void cti_cpb_start(cti_cpb *c, uint32_t kind)
{
    static const char magic[8] = {'C', 'P', 'B', '1', 0, 0, 0, 0};
    uint32_t zero = 0;
    cti_cpb_bytes(c, magic, 8);
    cti_cpb_bytes(c, &kind, 4);
    cti_cpb_bytes(c, &zero, 4);
}

static void cti_cpb_doubles_out(cti_cpb *c, const char *name, const double *x, int n)
{
    cti_cpb_head(c, name, 1, (uint64_t)n);
    cti_cpb_bytes(c, x, sizeof *x * (size_t)n);
}

/* the last program of the discrete stepper, with its solution */
static void cti_cpb_program(cti_cpb *c, cti_state *s)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    cti_sparse J;
    double *w, objective = 0;
    int i, rows = CTI_LEN(s->rows), n = 3 * s->n;
    c->ok = c->ok && cti_dcd_jacobian(s, &J, &w);
    if (!c->ok)
        return;
    cti_cpb_start(c, 3);
    cti_cpb_matrix(c, &s->A);
    cti_cpb_head(c, "b", 1, (uint64_t)n);
    for (i = 0; i < n; i++)
        cti_cpb_real(c, s->b[i]);
    cti_cpb_dim(c, "J.dim", rows, n);
    cti_cpb_head(c, "J.p", 0, (uint64_t)rows + 1);
    cti_cpb_bytes(c, J.p, sizeof *J.p * ((size_t)rows + 1));
    cti_cpb_pad(c);
    cti_cpb_head(c, "J.i", 0, (uint64_t)J.p[rows]);
    cti_cpb_bytes(c, J.i, sizeof *J.i * (size_t)J.p[rows]);
    cti_cpb_pad(c);
    cti_cpb_doubles_out(c, "J.x", J.x, J.p[rows]);
    for (i = 0; i < rows; i++)
        w[i] = -w[i];
    cti_cpb_doubles_out(c, "c", w, rows);
    cti_cpb_head(c, "x_ref", 1, (uint64_t)n);
    for (i = 0; i < n; i++)
        cti_cpb_real(c, s->dcd.answer[i]);
    cti_cpb_head(c, "lam_ref", 1, (uint64_t)rows);
    for (i = 0; i < rows; i++)
        cti_cpb_real(c, s->dcd.lambda[i]);
    for (i = 0; i < s->n; i++) {
        cti_v3 v = cti_v3_at(s->dcd.answer, i), Av = cti_bsr_row(&s->A, s->dcd.answer, i);
        objective += (double)(cti_v3_dot(v, Av) / 2 - cti_v3_dot(v, cti_v3_at(s->b, i)));
    }
    cti_cpb_doubles_out(c, "obj", &objective, 1);
    if (c->ok)
        memcpy(c->bytes + 12, &c->n_arrays, 4);
    cti_arena_rewind(s->arena, mark);
}

static void cti_cpb_build(cti_cpb *c, cti_arena *arena, const cti_problem *p, const ct_real *v)
{
    int i, k;
    cti_cpb_start(c, 2);
    cti_cpb_head(c, "nc", 0, 1);
    cti_cpb_int(c, p->n_rows);
    cti_cpb_pad(c);
    cti_cpb_matrix(c, p->A);
    cti_cpb_head(c, "f", 1, 3 * (uint64_t)p->A->n);
    for (i = 0; i < 3 * p->A->n; i++)
        cti_cpb_real(c, p->b[i]);
    cti_cpb_jacobian(c, arena, p);
    cti_cpb_head(c, "w", 1, 3 * (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            cti_cpb_real(c, p->rows[i].w[k]);
    cti_cpb_head(c, "mu", 1, (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        cti_cpb_real(c, p->rows[i].mu);
    cti_cpb_head(c, "r_ref", 1, 3 * (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            cti_cpb_real(c, p->rows[i].r[k]);
    cti_cpb_head(c, "v_ref", 1, 3 * (uint64_t)p->A->n);
    for (i = 0; i < 3 * p->A->n; i++)
        cti_cpb_real(c, v[i]);
    if (c->ok)
        memcpy(c->bytes + 12, &c->n_arrays, 4);
}

/* write, then rename; 0 when the file system refuses */
static int cti_cpb_save(const cti_cpb *c, const char *path, char *temporary)
{
    FILE *f;
    size_t n = (size_t)CTI_LEN(c->bytes), put;
    memcpy(temporary, path, strlen(path));
    memcpy(temporary + strlen(path), ".tmp", 5);
    f = fopen(temporary, "wb");
    if (!f)
        return 0;
    put = fwrite(c->bytes, 1, n, f);
    if (fclose(f) != 0 || put != n || rename(temporary, path) != 0) {
        remove(temporary);
        return 0;
    }
    return 1;
}

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    ct_body_id none = {0, 0};
    cti_problem p;
    cti_cpb c;
    char *temporary = NULL;
    ct_code code = CT_OK;
    int i, discrete;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!path || !w->ready || !w->state.has_problem)
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "no path, or no contact problem was solved in the last step");
    discrete = w->state.desc.stepper == CT_STEPPER_DCD;
    if (!discrete)
        cti_islands_problem(&w->state, &p);
    for (i = 0; !discrete && i < p.n_rows; i++)
        if (w->state.origins[i].repair)
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, none, i, 0,
                                  "the problem repairs tangled pairs, which a CPB file cannot hold (element: row)");
        else if (p.rows[i].equations)
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, none, i, 0, "the problem has joints, which a CPB file cannot hold (element: row)");
    memset(&c, 0, sizeof c);
    c.mem = &w->mem;
    c.ok = 1;
    if (discrete)
        cti_cpb_program(&c, &w->state);
    else
        cti_cpb_build(&c, &w->arena, &p, w->state.v_new); /* what the solve left: integrators and rigid bodies make other velocities of it */
    c.ok = c.ok && CTI_RESIZE(&w->mem, temporary, (int)strlen(path) + 8);
    if (!c.ok)
        code = cti_world_fail(w, CT_ERR_MEMORY, none, -1, 0, "out of memory while writing a problem");
    else if (!cti_cpb_save(&c, path, temporary))
        code = cti_world_fail(w, CT_ERR_FILE, none, -1, 0, "the problem file cannot be written");
    CTI_FREE(&w->mem, temporary);
    CTI_FREE(&w->mem, c.bytes);
    return code;
}
#endif
