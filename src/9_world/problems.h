/* problems.h -- contact problems without a world. */
#ifndef CTI_PROBLEMS_H
#define CTI_PROBLEMS_H

#include "../3_solve/program.h"

struct ct_problem {
    cti_mem mem;
    cti_program program;
};

/* cti_problem_new -- empty; NULL when memory ran out. */
CTI_FN ct_problem *cti_problem_new(void);

#endif /* CTI_PROBLEMS_H */
