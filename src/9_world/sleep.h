/* sleep.h -- bodies that rest are left out of steps (sleep.c). */
#pragma once

#include "world.h"

/* cti_sleep_open -- before a step of dt: wakes what will be reached. 1: all that moves by forces is asleep, and nothing else moves.
   cti_sleep_pass -- then takes the place of the step. CT_ERR_MEMORY: nothing has changed.
   cti_sleep_reached -- after a step: wakes sleeping bodies that contacts have loaded. 1: there were some, and the step must be made once more.
   cti_sleep_close -- after a step with the report r: puts to sleep what has come to rest.
   cti_sleep_report -- adds the energies of deformable bodies that sleep. */
CTI_FN int cti_sleep_open(ct_world *w, ct_real dt);
CTI_FN ct_code cti_sleep_pass(ct_world *w, ct_real dt, ct_step_report *out_report);
CTI_FN int cti_sleep_reached(ct_world *w);
CTI_FN void cti_sleep_close(ct_world *w, ct_real dt, const ct_step_report *r);
CTI_FN void cti_sleep_report(const ct_world *w, ct_step_report *r);
