/* cmr_rows.h -- adds the rows of an attempt, and linearizes them again. */
#pragma once

#include "cmr.h"

/* cti_cmr_join_pair -- joins the components of a pair's vertices into one set (0_base/sets.h); returns one of them, or -1: it has none. */
CTI_FN int cti_cmr_join_pair(const cti_state *s, int32_t *sets, const cti_pair *pair);
/* cti_cmr_add_rows -- adds rows for contact.hits. A pair gets at most three; then its newest one is linearized again. 0: out of memory. */
CTI_FN int cti_cmr_add_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_refine -- prepares the next solve. Collisions in contact.hits get rows, but not yet those of flat edges in an island with others, those
   that the others' rows lead the motion past (seams.h), nor those of an island whose motion misses by a thickness what was linearized again. An
   island gets rows in at most desc.cmr_rounds rounds, and is solved again in attempt.joint_times others. Without a collision in it loaded rows of
   rigid bodies turn if their distance at the end is not the one that their half-space says. The end of a pair that leaves its face or edge is
   nearer to another pair: that takes the row, or has one. *unsolved: number of rows to solve. 0: out of memory. */
CTI_FN int cti_cmr_refine(cti_state *s, const cti_row_context *c, int round, int *unsolved);
/* cti_cmr_linearize_rows -- linearizes rows of rigid bodies at the tentative motion. One that changes by more than attempt.row, and is loaded or
   violated, is unsolved. */
CTI_FN void cti_cmr_linearize_rows(cti_state *s, const cti_row_context *c);
/* cti_cmr_row_error -- violation [m/s] of the normal law by row i, if cti_cmr_linearize_rows has changed it since its last solve; else 0. */
CTI_FN ct_real cti_cmr_row_error(const cti_state *s, int i);
