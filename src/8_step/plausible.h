/* plausible.h -- whether the tentative motion of an attempt is plausible, and if not, which blocks cause that. */
#pragma once

#include "state.h"

/* cti_plausible_motion -- 1 if end.v is finite and no block moves farther than ten times the sum of the world's size and the ways that speed,
   scripts and gravity allow (attempt.sizes). An element of nearly no volume may respond with any force, and trees and predicates need numbers
   in a sensible range. */
CTI_FN int cti_plausible_motion(const cti_state *s, ct_real dt);
/* cti_plausible_size -- the world's size, largest speed and largest velocity of a script at the start of a step. */
typedef struct cti_plausible_size {
    ct_real size, speed, script; /* [m], [m/s], [m/s] */
} cti_plausible_size;
CTI_FN cti_plausible_size cti_plausible_size_of(const cti_state *s);
/* cti_plausible_velocities -- cti_plausible_motion with velocities v [3 n] and a size that is known. */
CTI_FN int cti_plausible_velocities(const cti_state *s, const ct_real *v, const cti_plausible_size *size, ct_real dt);
/* cti_plausible_blocks -- out [n]: 1 for blocks of which that holds. */
CTI_FN void cti_plausible_blocks(const cti_state *s, ct_real dt, uint8_t *out);

/* cti_plausible_contacts -- *out: 1 if the change from v_free to end.v by contacts, squared in the norm of A, is within reach in each island.
   Otherwise a solve has not found its solution, and the motion is not tested for collisions. 0: out of memory. */
CTI_FN int cti_plausible_contacts(cti_state *s, ct_real dt, int *out);

/* cti_plausible_find -- marks in scripts.held the blocks of islands whose own motion is implausible, and of such components in no island.
   Fixed blocks are not marked. *out_n: number of marked blocks. Rows and end.v are those of the attempt. 0: out of memory. */
CTI_FN int cti_plausible_find(cti_state *s, ct_real dt, int *out_n);
