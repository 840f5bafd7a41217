/* step.h -- one time step of the world: substeps, fail-safe, commit, report. */
#pragma once

#include "../8_step/stepper.h"
#include "zones.h"

/* cti_step -- steps the world by dt. CT_OK, or CT_ERR_MEMORY with the state unchanged. surface.x0 is up to date before and after. */
CTI_FN ct_code cti_step(cti_state *s, ct_real dt, ct_step_report *report);
/* cti_step_undo -- restores the state before the cti_step that has just been done. It is called once at most, and before any other change. */
CTI_FN void cti_step_undo(cti_state *s);
