/* cmr_rows.h -- rows that an attempt adds. */
#pragma once

#include "cmr.h"

/* cti_cmr_add_rows -- rows for contact.hits; a pair gets at most three. 0: out of memory. */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_refine -- the same for collisions; out->limit is one of them. 0: out of memory. */
CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, cti_attempt *out);
/* cti_cmr_bend -- linearizes rows of rigid bodies at the tentative motion. Returns 1 if a row has to be solved again: one that changes by more
   than attempt.row, and is loaded or violated. */
CTI_FN int cti_cmr_bend(cti_state *s, const cti_row_context *c);
/* cti_cmr_bent -- error [m/s] of the normal law in rows that cti_cmr_bend has changed since their last solve. */
CTI_FN ct_real cti_cmr_bent(const cti_state *s);
