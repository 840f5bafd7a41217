/* cmr_free.h -- the motion without contacts of an attempt. */
#pragma once

#include "cmr.h"

/* cti_cmr_free_motion -- v_free: A v = b. 0: out of memory; the same holds for all functions below. */
CTI_FN int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_cmr_free_one -- the same for one component; *its is raised to its number of iterations. */
CTI_FN int cti_cmr_free_one(cti_state *s, ct_real dt, cti_component *q, int *its);
/* cti_cmr_measure -- solves free motions that were extrapolated, and measures the contacts' part of the motion from them. */
CTI_FN int cti_cmr_measure(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_cmr_tighten -- solves the free motion of bodies whose expected contacts did not occur; *moved: their number. */
CTI_FN int cti_cmr_tighten(cti_state *s, ct_real dt, cti_attempt *out, int *moved);
