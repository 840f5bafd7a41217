/* rebound.h -- restitution: the velocities with which features part after an impact. */
#pragma once

#include "cmr.h"

/* cti_rebound -- of the accepted motion of a substep dt, before its commit: contacts that met faster than desc.restitution_threshold part by
   desc.restitution_law. Changes history.v_end, the energies of the end and the report's work of scripts, and adds the impulses to those of the step.
   *out_fresh [n]: 1 for blocks whose velocities are then of the end of the substep, or NULL: there are none. Returns 0 when memory ran out. */
CTI_FN int cti_rebound(cti_state *s, ct_real dt, ct_step_report *r, uint8_t **out_fresh);
