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
/* cti_problem_new -- empty; NULL when memory ran out. */
CTI_FN ct_problem *cti_problem_new(void);
