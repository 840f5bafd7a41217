/* inspect.h -- CONTACT_VALIDATE 1: checks after every step that its guarantees hold. */
#pragma once

#include "world.h"

/* cti_inspect -- checks the world at the end of a step. The first fault found becomes w->error (CT_ERR_DOMAIN), and is also written to the
   log and passed to CONTACT_ASSERT. Nothing else changes, and no later step is affected. CT_ERR_MEMORY when there was no memory for the
   check. */
CTI_FN ct_code cti_inspect(ct_world *w, const ct_step_report *report);
