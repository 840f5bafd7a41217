/* files_cpb.c -- the last contact problem of a world as a CPB file: global frictional contact, A v = b + J'r, u = J v + w; of the discrete
   stepper a quadratic program, min 1/2 v'A v - b'v, J v + w >= 0.
   Method: the problem becomes a program (program.h) with the same solution, which is written as any other; a row's compliance is an
   unknown more, and a row that is eased apart while it is held is two contacts (bridge.h). */
#include "../4_programs/bridge.h"
#include "../9_world/problems.h"
#include "../9_world/world.h"

#if CONTACT_WITH_FILES

/* numbers of the world as double. 0 when memory ran out */
static int cti_dump_vector(cti_mem *mem, const ct_real *from, int n, double **out)
{
    int i;
    if (!CTI_RESIZE(mem, *out, n))
        return 0;
    for (i = 0; i < n; i++)
        (*out)[i] = (double)from[i];
    return 1;
}

static int cti_dump_matrix(cti_mem *mem, const cti_bsr *A, cti_sparse *out)
{
    cti_triplets t;
    int i, k, e, ok = 1;
    memset(&t, 0, sizeof t);
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            for (e = 0; ok && e < 9; e++)
                ok = cti_triplets_add(mem, &t, 3 * i + e / 3, 3 * A->col[k] + e % 3, (double)A->val[9 * (size_t)k + (size_t)e]);
    return cti_triplets_close(mem, &t, ok, 3 * A->n, 3 * A->n, out);
}

/* the contacts' problem with each row's whole law, compliance and recovery included (bridge.h), and its solution v. 0 when memory ran out */
static int cti_dump_contacts(cti_mem *mem, cti_arena *arena, const cti_problem *p, const ct_real *v, cti_program *out)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_bridge q;
    int ok;
    memset(&q, 0, sizeof q);
    ok = cti_bridge_open(mem, arena, p, NULL, &q);
    *out = q.program; /* also of one that failed on the way: the caller frees it */
    ok = ok && CTI_RESIZE(mem, out->x_ref, out->n) && CTI_RESIZE(mem, out->r_ref, out->m);
    if (ok)
        cti_bridge_start(&q, v, out->x_ref, out->r_ref);
    cti_arena_rewind(arena, mark);
    return ok;
}

/* a copy of a matrix whose arrays are the arena's */
static int cti_dump_copy(cti_mem *mem, const cti_sparse *from, cti_sparse *out)
{
    int n = from->p[from->rows];
    if (!cti_sparse_reserve(mem, out, from->rows, from->cols, n))
        return 0;
    memcpy(out->p, from->p, sizeof *from->p * ((size_t)from->rows + 1));
    if (n)
        memcpy(out->i, from->i, sizeof *from->i * (size_t)n), memcpy(out->x, from->x, sizeof *from->x * (size_t)n);
    return 1;
}

/* the last program of the discrete stepper, and its solution. 0 when memory ran out */
static int cti_dump_discrete(cti_mem *mem, cti_state *s, cti_program *out)
{
    cti_arena_point mark = cti_arena_mark(s->arena);
    int i, m = CTI_LEN(s->contact.rows), n = 3 * s->n, ok;
    cti_sparse J;
    double *w;
    out->kind = CTI_PROGRAM_QP, out->n = n, out->m = m, out->has_objective = 1;
    ok = cti_dcd_jacobian(s, &J, &w) && cti_dump_matrix(mem, &s->system.A, &out->A) && cti_dump_copy(mem, &J, &out->J) &&
         cti_dump_vector(mem, s->system.b, n, &out->b) && cti_dump_vector(mem, s->dcd.solve.answer, n, &out->x_ref) &&
         cti_dump_vector(mem, s->dcd.solve.lambda, m, &out->r_ref) && CTI_RESIZE(mem, out->w, m);
    if (ok && m)
        memcpy(out->w, w, sizeof *w * (size_t)m);
    for (i = 0; ok && i < s->n; i++) {
        cti_v3 v = cti_v3_at(s->dcd.solve.answer, i), Av = cti_bsr_row(&s->system.A, s->dcd.solve.answer, i);
        out->objective_ref += (double)(cti_v3_dot(v, Av) / 2 - cti_v3_dot(v, cti_v3_at(s->system.b, i)));
    }
    cti_arena_rewind(s->arena, mark);
    return ok;
}

/* the last problem of the world's stepper; p: that of contacts. 0 when memory ran out */
static int cti_dump_problem(ct_world *w, const cti_problem *p, cti_program *out)
{
#if CONTACT_WITH_DCD
    if (CTI_IS_DISCRETE(&w->state))
        return cti_dump_discrete(&w->mem, &w->state, out);
#endif
    /* end.v is what the solve left: integrators and rigid bodies make other velocities of it */
    return cti_dump_contacts(&w->mem, &w->arena, p, w->state.end.v, out);
}

static ct_code cti_dump_world(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    ct_body_id none = {0, 0};
    cti_problem p;
    cti_program q;
    ct_code code;
    int i, discrete;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!path || !w->ready || !w->state.contact.is_solved)
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "no path, or no contact problem was solved in the last step");
    discrete = CTI_IS_DISCRETE(&w->state);
    if (!discrete)
        cti_islands_problem(&w->state, &p);
    for (i = 0; !discrete && i < p.n_rows; i++)
        if (w->state.contact.origins[i].repair)
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, none, i, 0,
                                  "the problem repairs tangled pairs, which a CPB file cannot hold (element: row)");
        else if (p.rows[i].equations)
            return cti_world_fail(w, CT_ERR_UNSUPPORTED, none, i, 0, "the problem has joints, which a CPB file cannot hold (element: row)");
    memset(&q, 0, sizeof q);
    code = cti_dump_problem(w, &p, &q) ? cti_problem_save(&w->mem, &q, path, NULL) : CT_ERR_MEMORY;
    cti_program_free(&w->mem, &q);
    w->mem.failed = 0;
    if (code == CT_ERR_MEMORY)
        return cti_world_fail(w, code, none, -1, 0, "out of memory while writing a problem");
    return code == CT_OK ? code : cti_world_fail(w, code, none, -1, 0, "the problem file cannot be written");
}

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *cw, const char *path)
{
    uint64_t mode = cti_fpenv_enter();
    ct_code code = cti_dump_world(cw, path);
    cti_fpenv_leave(mode);
    return code;
}

#else

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *w, const char *path)
{
    ct_body_id none = {0, 0};
    CTI_UNUSED(path);
    return w ? cti_world_fail((ct_world *)w, CT_ERR_UNSUPPORTED, none, -1, 0, "built without files (CONTACT_WITH_FILES 0)") : CT_ERR_ARGUMENT;
}

#endif
