/* cmr_free.h -- computes the motion without contacts of an attempt. */
#pragma once

#include "cmr.h"

/* cti_cmr_free_motion -- solves A v = b for v_free, component by component. 0: out of memory; the same holds for all functions below. */
CTI_FN int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_cmr_free_one -- the same for one component; *its is raised to its number of iterations. */
CTI_FN int cti_cmr_free_one(cti_state *s, ct_real dt, cti_component *q, int *its);
/* cti_cmr_solve_extrapolated -- solves free motions that were extrapolated; solve.contact_energy measures the contacts' part from them. */
CTI_FN int cti_cmr_solve_extrapolated(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_cmr_solve_untouched -- solves free motions of the *moved components whose expected contacts did not occur, since they are the final ones. */
CTI_FN int cti_cmr_solve_untouched(cti_state *s, ct_real dt, cti_attempt *out, int *moved);
