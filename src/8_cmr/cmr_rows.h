/* cmr_rows.h -- adds the rows of an attempt, and linearizes them again. */
#pragma once

#include "cmr.h"

/* cti_cmr_add_rows -- adds rows for contact.hits. A pair gets at most three; then its newest one is linearized again. 0: out of memory. */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_refine -- adds rows for collisions in contact.hits, of which out->limit is one, but not yet for flat edges in an island with others, nor
   for pairs that the others' rows lead the motion past (seams.h). 0: out of memory. */
CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, cti_attempt *out);
/* cti_cmr_linearize_rows -- linearizes rows of rigid bodies at the tentative motion. Returns 1 if a row has to be solved again: one that changes by
   more than attempt.row, and is loaded or violated. */
CTI_FN int cti_cmr_linearize_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_turn_rows -- turns loaded rows of rigid bodies whose distance at the end of the motion is not the one that their half-space says, of
   islands without a collision in contact.hits. The end of a pair that leaves its face or edge is nearer to another pair: that takes the row, or
   has one. *changed 1: a row turned. 0: out of memory. */
CTI_FN int cti_cmr_turn_rows(cti_state *s, const cti_row_context *c, int *changed);
/* cti_cmr_rows_error -- largest violation [m/s] of the normal law by rows that cti_cmr_linearize_rows has changed since their last solve. */
CTI_FN ct_real cti_cmr_rows_error(const cti_state *s);
