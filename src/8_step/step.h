/* step.h -- one time step of the world: substeps, fail-safe, commit, report. */
#ifndef CTI_STEP_H
#define CTI_STEP_H

#include "stepper.h"
#include "zones.h"

/* cti_step -- CT_OK, or CT_ERR_MEMORY with the state as it was. surface.x0 is up to date before and after. */
CTI_FN ct_code cti_step(cti_state *s, ct_real dt, ct_step_report *report);
/* cti_step_undo -- takes the step back that cti_step has just done: the state is as it was. Once, and before anything else changes. */
CTI_FN void cti_step_undo(cti_state *s);
/* cti_stepper_cmr -- the stepper whose step is cti_step. */
CTI_FN const cti_stepper *cti_stepper_cmr(void);
/* cti_step_energies -- energies and centre of mass of the committed state. */
CTI_FN void cti_step_energies(cti_state *s, ct_step_report *report);

#endif /* CTI_STEP_H */
