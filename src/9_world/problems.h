/* problems.h -- contact problems without a world. */
#pragma once

#include "../4_programs/program.h"

struct ct_problem {
    cti_mem mem;
    cti_program program;
};

#if CONTACT_WITH_FILES
/* cti_problem_save -- writes a program to a file, an LCP as text, all others as CPB. CT_ERR_FILE, CT_ERR_MEMORY. */
CTI_FN ct_code cti_problem_save(cti_mem *mem, const cti_program *p, const char *path, ct_error_info *error);
#endif
/* cti_problem_of_world -- the problem that the last step solved, with its solution as reference; out [mem] is to be freed. A code that is not
   CT_OK is recorded in the world. */
CTI_FN ct_code cti_problem_of_world(ct_world *w, cti_mem *mem, cti_program *out);
/* cti_problem_new -- empty; NULL when memory ran out. */
CTI_FN ct_problem *cti_problem_new(void);
