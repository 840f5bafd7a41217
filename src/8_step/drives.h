/* drives.h -- limits, motors and drags of joints as rows of the contact problem. */
#pragma once

#include "assemble.h"

/* cti_drives_build -- the row of a part from CTI_PART_LOWER on, with multipliers from the context's memory; not linearized yet. */
CTI_FN void cti_drives_build(const cti_state *s, const cti_row_context *c, const cti_joint *j, int part, cti_row *row);
/* cti_drives_linearize -- its w at the tentative motion. Returns the error [m] that the next solve would take away. */
CTI_FN ct_real cti_drives_linearize(const cti_state *s, const cti_row_context *c, const cti_joint *j, int part, cti_row *row);
/* cti_drives_error -- how far [m] a joint is behind its limits; angles count by its lever. */
CTI_FN ct_real cti_drives_error(const cti_state *s, const cti_joint *j);
/* cti_drives_speed -- largest speed [m/s] that a limit, a motor or a drag asks of what it joins. */
CTI_FN ct_real cti_drives_speed(const cti_state *s, const cti_joint *j, ct_real dt);
