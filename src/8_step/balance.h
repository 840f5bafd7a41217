/* balance.h -- balances the momenta of an island's components after a solve that left a residual. */
#pragma once

#include "island.h"

/* cti_balance -- r [3 n] is the residual b + J' r - A v of the island, and is used up. The momentum of each component in r is transferred
   to the multipliers of its rows as far as possible, the rest to the velocities. 0: out of memory. */
CTI_FN int cti_balance(cti_state *s, ct_real dt, const cti_island *q, ct_real *r, ct_real *v);
/* cti_balance_component -- transfers all of it to the velocities of one component. at [its blocks]: their numbers in r and v. */
CTI_FN void cti_balance_component(const cti_state *s, ct_real dt, const cti_component *q, const int32_t *at, const ct_real *r, ct_real *v);
/* cti_balance_momentum -- translates a component that no script holds, until its momentum at velocities v [3 blocks], with what dampers of mass take
   over h, is the sum of the impulses y [3 blocks]. Elastic forces have no sum, and residuals of stiff bodies are rounded more. */
CTI_FN void cti_balance_momentum(const cti_state *s, ct_real h, const cti_component *q, const ct_real *y, ct_real *v);
