/* boxed.h -- linear complementarity with bounds: lo <= z <= hi, u = q + M z, z = lo -> u >= 0, z = hi -> u <= 0, else u = 0.
   Based on: lecture notes, sec. 4.1.2.2 (boxed LCP; friction as a box of mu lambda_n along two tangents); Judice, Pires (block principal
   pivoting with bounds). Pivoting on the bounds is tried first. It is exact and fast for positive definite matrices. If it does not
   terminate, Lemke's method solves the bounds as three LCPs. */
#pragma once

#include "block_pivot.h"
#include "tableau.h"

CTI_FN cti_outcome cti_solver_boxed(const cti_program *p, cti_effort *e, cti_answer *a);

/* cti_boxed_pivot -- block principal pivoting alone, of a problem with bounds: SOLVED, BUDGET, FAILED (a cycle, or a singular part), MEMORY.
   state [n]: the start on input, the result on output: CTI_FACE_*. z [n]. a->iterations is increased by the number of block pivots. */
CTI_FN cti_outcome cti_boxed_pivot(const cti_lcp *p, uint8_t *state, cti_effort *e, cti_answer *a, double *z);
