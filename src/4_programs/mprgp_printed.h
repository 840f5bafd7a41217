/* mprgp_printed.h -- algorithm 3 of Li et al. 2015 as printed, for rows that are coupled; for comparison. Solves use mprgp.c unless this is
   asked for. */
#pragma once

#include "mprgp.h"

/* cti_mprgp_printed -- QP with A definite; rows may be coupled and dependent. Ends by the paper's rule, with an epsilon for which the judge
   accepts the result. *out_infeasible: a projection had no solution, r has the certificate. */
CTI_FN cti_mprgp_end cti_mprgp_printed(const cti_program *p, cti_mprgp_target *t, int *out_infeasible);
