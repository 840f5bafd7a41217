/* balance.h -- momenta of an island's components behind a solve that left a residual. */
#ifndef CTI_BALANCE_H
#define CTI_BALANCE_H

#include "island.h"

/* cti_balance -- r [3 n] is the residual b + J' r - A v of the island. The multipliers of its rows take up what they can of the momentum that r
   holds of each component, velocities the rest; r is spent. 0: out of memory. */
CTI_FN int cti_balance(cti_state *s, ct_real dt, const cti_island *q, ct_real *r, ct_real *v);
/* cti_balance_component -- velocities of one component take up all of it. at [its blocks]: their numbers in r and v. */
CTI_FN void cti_balance_component(const cti_state *s, ct_real dt, const cti_component *q, const int32_t *at, const ct_real *r, ct_real *v);

#endif /* CTI_BALANCE_H */
