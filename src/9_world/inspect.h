/* inspect.h -- CONTACT_VALIDATE 1: what a step promises is looked up after it. */
#ifndef CTI_INSPECT_H
#define CTI_INSPECT_H

#include "world.h"

/* cti_inspect -- the world at the end of a step, w->error the first thing that is wrong: CT_ERR_DOMAIN. Also written to the log and handed to
   CONTACT_ASSERT. Changes nothing else, and no later step. CT_ERR_MEMORY when there was none to look with. */
CTI_FN ct_code cti_inspect(ct_world *w, const ct_step_report *report);

#endif /* CTI_INSPECT_H */
