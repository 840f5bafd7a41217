/* wind.h -- drag and lift of air on the triangles of deformable bodies. */
#pragma once

#include "state.h"

/* cti_wind_assemble -- adds the force of the air and its derivative to A and b of a substep of dt, before scripts are filtered out. */
CTI_FN void cti_wind_assemble(cti_state *s, ct_real dt);
/* cti_wind_end -- wind.impulse: what the air gives to each block if the substep ends with end.v. */
CTI_FN void cti_wind_end(cti_state *s, ct_real dt);
/* cti_wind_impulse -- of a block; 0 where no air acts. */
CTI_INLINE cti_v3 cti_wind_impulse(const cti_state *s, int block)
{
    return CTI_LEN(s->wind.bodies) ? cti_v3_at(s->wind.impulse, block) : cti_v3_zero();
}
/* cti_wind_work -- [J] of the air in the substep. */
CTI_FN double cti_wind_work(const cti_state *s);
/* cti_wind_is_on -- 1 if air acts on the body of a block. */
CTI_INLINE int cti_wind_is_on(const cti_state *s, int block) { return CTI_LEN(s->wind.bodies) && s->wind.blown[block]; }
