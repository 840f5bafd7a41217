/* plausible.h -- whether the tentative motion of an attempt means something, and what it comes from where it does not. */
#ifndef CTI_PLAUSIBLE_H
#define CTI_PLAUSIBLE_H

#include "state.h"

/* cti_plausible_motion -- 1 while end.v is finite and no block runs farther than ten times the world's size and what speed and gravity allow:
   an element that was crushed may answer with any force, and trees and predicates are for numbers that mean something. */
CTI_FN int cti_plausible_motion(const cti_state *s, ct_real dt);

/* cti_plausible_reach -- how far contacts may take end.v from v_free, squared in the norm of A. */
CTI_FN double cti_plausible_reach(const cti_state *s, ct_real dt);

/* cti_plausible_contacts -- 1 while the contacts' share of the motion is within reach: a solve that ends outside has not found the
   solution, and its motion is not worth a detection. */
CTI_FN int cti_plausible_contacts(const cti_state *s, double reach);

/* cti_plausible_find -- marks in scripts.held the blocks of islands whose own motion is implausible, and of such components that are in no island.
   Fixed blocks are not marked. *out_n: how many are. Rows and end.v are those of the attempt. 0: out of memory. */
CTI_FN int cti_plausible_find(cti_state *s, ct_real dt, int *out_n);

#endif /* CTI_PLAUSIBLE_H */
