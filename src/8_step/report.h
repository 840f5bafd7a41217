/* report.h -- how steppers begin a step, commit a substep and fill the report. */
#pragma once

#include "energy.h"
#include "impulses.h"
#include "integrate.h"

/* cti_report_blank -- sets the report of a step or a substep in which nothing has happened. */
CTI_FN void cti_report_blank(const cti_state *s, ct_step_report *r);
/* cti_step_open -- begins a step of dt: drops the contacts and scratch memory of the last one, and sets when this one ends. */
CTI_FN void cti_step_open(cti_state *s, ct_real dt);
/* cti_substep_commit -- the tentative end of a substep of dt becomes the state, with velocities v [3 n]. Angular impulses of contacts act on the
   inertia at the middle of the substep. */
CTI_FN void cti_substep_commit(cti_state *s, ct_real dt, const ct_real *v);
/* cti_step_told -- the world learns what the step did. cti_step_empty -- steps a world without blocks by dt: scripts that were stopped are where they
   are due. 0: out of memory; then nothing has changed. */
CTI_INLINE int cti_step_told(cti_state *s) { return s->scripts.still || !s->tell || s->tell(s->teller); }
CTI_FN int cti_step_empty(cti_state *s, ct_real dt);
/* cti_report_cost -- adds the work and the times of a try or a substep to a report. */
CTI_FN void cti_report_cost(const ct_step_report *a, ct_step_report *r);
/* cti_report_gain -- computes energy_gained from the rest of the report; the step began with the energies `start` [J] of bodies and contacts. */
CTI_FN void cti_report_gain(double start, ct_step_report *r);
/* cti_report_settle -- what is below 0 of recovery and losses becomes a part of energy_gained. */
CTI_FN void cti_report_settle(ct_step_report *r);
/* cti_report_energies -- computes the energies and the centre of mass of the committed state. */
CTI_FN void cti_report_energies(cti_state *s, ct_step_report *report);
