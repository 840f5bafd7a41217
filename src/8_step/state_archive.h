/* state_archive.h -- the state of a world in an archive (0_base/archive.h). */
#pragma once

#include "../0_base/archive.h"
#include "stepper.h"

/* cti_state_archive -- all that later steps depend on; prepared 0: of a world whose bodies or joints have changed since the last step, without what
   its preparation makes anew. In a check and a reading the world is prepared where the data are. */
CTI_FN void cti_state_archive(cti_archive *a, cti_state *s, int prepared);
