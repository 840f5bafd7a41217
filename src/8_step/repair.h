/* repair.h -- bounded impulses that separate pairs that intersect at the start of a step. */
#pragma once

#include "state.h"

/* cti_repair_find -- makes contact.repairs from tangled_pairs and detect.tangles. Appends to *marks, in the form of detect.tangles, further
   features that must be allowed to pass. 0: out of memory. */
CTI_FN int cti_repair_find(cti_state *s, uint64_t **marks);
/* cti_repair_rows -- appends a row for each repair: recovery only, no hard law, no friction. 0: out of memory. */
CTI_FN int cti_repair_rows(cti_state *s, const cti_row_context *c);
