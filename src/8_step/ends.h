/* ends.h -- what steppers have in common at the beginning and at the end of a step. */
#pragma once

#include "energy.h"
#include "impulses.h"
#include "integrate.h"

/* cti_ends_blank -- the report of a step or a substep in which nothing has happened. */
CTI_FN void cti_ends_blank(const cti_state *s, ct_step_report *r);
/* cti_ends_open -- begins a step of dt: drops the contacts and scratch memory of the last one, and sets when this one ends. */
CTI_FN void cti_ends_open(cti_state *s, ct_real dt);
/* cti_ends_commit -- the tentative end of a substep of dt becomes the state, with velocities v [3 n]. Angular impulses of contacts act on the
   inertia at the middle of the substep. */
CTI_FN void cti_ends_commit(cti_state *s, ct_real dt, const ct_real *v);
/* cti_ends_nothing -- a step of dt of a world without blocks: scripts that were late are where they are due. */
CTI_FN void cti_ends_nothing(cti_state *s, ct_real dt);
/* cti_ends_cost -- adds the work and the times of a try or a substep to a report. */
CTI_FN void cti_ends_cost(const ct_step_report *a, ct_step_report *r);
/* cti_ends_gain -- energy_gained of a step that began with the energies `start` [J] of bodies and contacts, from the rest of the report. */
CTI_FN void cti_ends_gain(double start, ct_step_report *r);
/* cti_ends_energies -- energies and centre of mass of the committed state. */
CTI_FN void cti_ends_energies(cti_state *s, ct_step_report *report);
