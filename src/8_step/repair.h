/* repair.h -- bounded impulses that take apart what intersects at the start of a step. */
#ifndef CTI_REPAIR_H
#define CTI_REPAIR_H

#include "state.h"

/* cti_repair_find -- contact.repairs from tangled_pairs and detect.tangles. Appends to *marks, in the form of detect.tangles, what else has to be let
   through. 0: out of memory. */
CTI_FN int cti_repair_find(cti_state *s, uint64_t **marks);
/* cti_repair_rows -- appends a row for each of them: recovery only, no hard law, no friction. 0: out of memory. */
CTI_FN int cti_repair_rows(cti_state *s, const cti_row_context *c);

#endif /* CTI_REPAIR_H */
