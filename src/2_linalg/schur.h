/* schur.h -- W = J A^-1 J' with a supernodal factor of A and sparse rows J. */
#pragma once

#include "../0_base/arena.h"
#include "supernodal.h"

/* cti_factor64_schur -- W = J A^-1 J', full and exactly symmetric.
   rows       in   rows of J
   ptr, idx   in   [rows + 1], [ptr[rows]] columns of each row, sorted: column 3 i + a is unknown a of the cluster's block i
   val        in   [ptr[rows]]
   W          out  [rows][ld], ld >= rows
   Scratch comes from the arena and is given back. Returns 0 when memory ran out. */
CTI_FN int cti_factor64_schur(const cti_factor64 *f, cti_arena *arena, int rows, const int32_t *ptr, const int32_t *idx, const double *val,
                              double *W, int ld);
