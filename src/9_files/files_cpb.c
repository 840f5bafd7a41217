/* files_cpb.c -- writes the last contact problem of a world as a CPB file: global frictional contact, A v = b + J'r, u = J v + w; or the
   problem that the stepper states (CT_STEPPER_DCD: a quadratic program, min 1/2 v'A v - b'v, J v + w >= 0).
   Method: the problem is converted to a program (program.h) with the same solution, which is then written like any other. A row with
   compliance adds an unknown; a row that is recovering its gap becomes two contacts (bridge.h). */
#include "../4_programs/bridge.h"
#include "../9_world/problems.h"
#include "../9_world/world.h"

#if CONTACT_WITH_FILES && CONTACT_WITH_PROBLEMS

/* the contacts' problem with each row's whole law, compliance and recovery included (bridge.h), and its solution v. 0 when memory ran out */
static int cti_dump_contacts(cti_mem *mem, cti_arena *arena, const cti_problem *p, const ct_real *v, cti_program *out)
{
    cti_arena_point mark = cti_arena_mark(arena);
    cti_bridge q;
    int ok;
    memset(&q, 0, sizeof q);
    ok = cti_bridge_open(mem, arena, p, NULL, &q);
    *out = q.program; /* also of one that failed on the way: the caller frees it */
    ok = ok && CTI_RESIZE(mem, out->known.x, out->n) && CTI_RESIZE(mem, out->known.r, out->m);
    if (ok)
        cti_bridge_start(&q, v, out->known.x, out->known.r);
    cti_arena_rewind(arena, mark);
    return ok;
}

/* the last problem of contacts; where it cannot be written a code, which the world has recorded */
static ct_code cti_dump_rows(ct_world *w, cti_program *out)
{
    cti_problem p;
    int i;
    cti_islands_problem(&w->state, &p);
    for (i = 0; i < p.n_rows; i++)
        if (w->state.contact.origins[i].repair)
            return cti_world_refuse(w, CT_ERR_UNSUPPORTED, i, 0,
                                  "the problem repairs tangled pairs, which a CPB file cannot hold (element: row)");
        else if (p.rows[i].equations || w->state.contact.origins[i].tether)
            return cti_world_refuse(w, CT_ERR_UNSUPPORTED, i, 0,
                                  "the problem has joints, limits of a skin or friction of spin, which a CPB file cannot hold (element: row)");
    /* end.v is what the solve left: integrators and rigid bodies make other velocities of it */
    return cti_dump_contacts(&w->mem, &w->arena, &p, w->state.end.v, out) ? CT_OK : CT_ERR_MEMORY;
}

static ct_code cti_dump_world(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    const cti_stepper *stepper;
    cti_program q;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    code = cti_steppers_admit(w, CTI_FEATURE_PROBLEM, NULL);
    if (code != CT_OK)
        return code;
    if (!path || !w->ready || !w->state.contact.is_solved)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "no path, or no contact problem was solved in the last step");
    stepper = cti_steppers_of(w);
    memset(&q, 0, sizeof q);
    if (stepper->problem)
        code = stepper->problem(&w->state, &w->mem, &q) ? CT_OK : CT_ERR_MEMORY;
    else
        code = cti_dump_rows(w, &q);
    if (code == CT_ERR_UNSUPPORTED)
        return code;
    CTI_THEN(code, cti_problem_save(&w->mem, &q, path, NULL));
    cti_program_free(&w->mem, &q);
    w->mem.failed = 0;
    if (code == CT_ERR_MEMORY)
        return cti_world_refuse(w, code, -1, 0, "out of memory while writing a problem");
    return code == CT_OK ? code : cti_world_refuse(w, code, -1, 0, "the problem file cannot be written");
}

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *cw, const char *path) { CTI_FPENV_RETURN(cti_dump_world(cw, path)) }

#else

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *w, const char *path)
{
    CTI_UNUSED(path);
    return w ? cti_world_refuse((ct_world *)w, CT_ERR_UNSUPPORTED, -1, 0, "built without files or problems (CONTACT_WITH_*)") : CT_ERR_ARGUMENT;
}

#endif
