/* files_cpb.c -- writes the last contact problem of a world as a CPB file. */
#include "../9_world/problems.h"
#include "../9_world/world.h"

#if CONTACT_WITH_FILES && CONTACT_WITH_PROBLEMS

static ct_code cti_dump_world(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    cti_program q;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!path)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "path is NULL");
    code = cti_problem_of_world(w, &w->mem, &q);
    if (code != CT_OK)
        return code;
    code = cti_problem_save(&w->mem, &q, path, NULL);
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
