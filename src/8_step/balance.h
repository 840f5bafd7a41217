/* balance.h -- balances the momenta of an island's components after a solve that left a residual. */
#pragma once

#include "island.h"

/* cti_balance -- r [3 n] is the residual b + J' r - A v of the island, and is used up. The momentum of each component in r is transferred
   to the multipliers of its rows as far as possible, the rest to the velocities. 0: out of memory. */
CTI_FN int cti_balance(cti_state *s, ct_real dt, const cti_island *q, ct_real *r, ct_real *v);
/* cti_balance_component -- transfers all of it to the velocities of one component. at [its blocks]: their numbers in r and v. */
CTI_FN void cti_balance_component(const cti_state *s, ct_real dt, const cti_component *q, const int32_t *at, const ct_real *r, ct_real *v);
