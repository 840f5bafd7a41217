/* cmr_rows.h -- rows that an attempt adds. */
#ifndef CTI_CMR_ROWS_H
#define CTI_CMR_ROWS_H

#include "cmr.h"

/* cti_cmr_add_rows -- rows for contact.hits; a pair gets at most three. 0: out of memory. */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_refine -- the same for collisions; out->limit is one of them. 0: out of memory. */
CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, cti_attempt *out);
/* cti_cmr_bend -- linearizes rows of rigid bodies at the tentative motion. */
CTI_FN void cti_cmr_bend(cti_state *s, const cti_row_context *c);

#endif /* CTI_CMR_ROWS_H */
