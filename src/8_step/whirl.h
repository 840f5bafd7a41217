/* whirl.h -- rigid bodies that turn far in a step. */
#ifndef CTI_WHIRL_H
#define CTI_WHIRL_H

#include "state.h"

/* cti_whirl_count -- *out: rigid bodies that the tentative motion turns by more than half a radian and that have a row, or whose bounding
   sphere comes within the thickness of another body on its way: a shorter step is better for them. 0: out of memory. */
CTI_FN int cti_whirl_count(cti_state *s, ct_real dt, int *out);

#endif /* CTI_WHIRL_H */
