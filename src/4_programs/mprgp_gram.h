/* mprgp_gram.h -- the small problems of algorithm 3 as printed: systems and complementarity problems with rows and columns of J J'. Based on: Li et
   al. 2015, equations 16, 18 and 20. */
#pragma once

#include "program.h"

/* cti_gram -- J J' with a unit diagonal, and the Cholesky factor of its part on a working set of independent rows. The factor is kept from
   one problem to the next. Zero it before first use; free it in any case. */
typedef struct cti_gram {
    cti_mem *mem;
    const cti_sparse *G;   /* J J' [m][m] */
    const uint8_t *signless; /* [m] 1 for rows whose multiplier may have any sign, or NULL */
    int count;
    int32_t *rows, *at;    /* [m] the working set; index of each row in it or -1 */
    double *L;             /* rows of the factor, one after the other; memory of mem, grows */
    double *lambda;        /* [m] multipliers, 0 outside the working set */
    double *proof;         /* [m] after CTI_GRAM_NONE: y >= 0 with |J'y| = 0, q'y > 0 */
    double *z, *v, *cs;    /* [m], [m], [2 m] scratch */
    uint8_t *banned;       /* [m] rows that depend on the set and are left out of this problem */
    int64_t changes;       /* number of rows added or removed, over all problems */
} cti_gram;
/* cti_gram_open -- 0 when memory ran out. */
CTI_FN int cti_gram_open(cti_mem *mem, cti_arena *arena, cti_gram *g, const cti_sparse *G, const uint8_t *signless);
CTI_FN void cti_gram_close(cti_gram *g);
/* cti_gram_product -- G = J J' for a J with rows of unit length, Jt = J'. 0 when memory ran out. */
CTI_FN int cti_gram_product(cti_mem *mem, const cti_sparse *J, const cti_sparse *Jt, cti_sparse *G);
/* cti_gram_face -- makes the working set a largest independent subset of the rows with taken[i] = 1. 0 when memory ran out. */
CTI_FN int cti_gram_face(cti_gram *g, const uint8_t *taken);
/* cti_gram_equations -- l [m] = (J J')^-1 q on the working set, 0 elsewhere. [equation 16] */
CTI_FN void cti_gram_equations(cti_gram *g, const double *q, double *l);

typedef enum cti_gram_end { CTI_GRAM_DONE, CTI_GRAM_NONE, CTI_GRAM_MEMORY } cti_gram_end;
/* cti_gram_solve -- 0 <= lambda, J J' lambda >= q, complementary, for the rows with taken[i] = 1 (NULL: all); q - J J' lambda <= eps [m]
   counts as 0. Starts from lambda and the working set. NONE: there is no solution, and `proof` proves it. [equations 18, 20] */
CTI_FN cti_gram_end cti_gram_solve(cti_gram *g, const double *q, const uint8_t *taken, const double *eps);
