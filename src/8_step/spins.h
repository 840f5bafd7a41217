/* spins.h -- torsional and rolling friction: rows of the relative angular velocity at contacts of rigid bodies. */
#pragma once

#include "state.h"
#include "../7_contact/rows.h"

/* cti_spins_add -- appends such rows for the contacts from row `first` on. 0: out of memory. */
CTI_FN int cti_spins_add(cti_state *s, const cti_row_context *c, int first);
/* cti_spins_link -- after rows were sorted or turned: each such row finds its contact, and takes its axes. 0: out of memory. */
CTI_FN int cti_spins_link(cti_state *s);
/* cti_spins_work -- what a row takes in a substep, in the report. */
CTI_FN void cti_spins_work(const cti_state *s, const cti_row *row, ct_step_report *r);
