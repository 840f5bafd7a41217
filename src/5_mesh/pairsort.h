/* pairsort.h -- sorts pairs of non-negative integers lexicographically, in linear time.
   Method: radix sort from the least significant digit, digits of at most 13 bits, second number first; stable. Based on: Knuth, The Art of
   Computer Programming vol. 3, 5.2.5. */
#pragma once

#include "../0_base/array.h"

/* cti_pairsort -- sorts n pairs [2 n] by (first, second); values lie in [0, n_first) and [0, n_second). scratch is a growable array that
   the caller keeps and frees. 1, or 0 when memory ran out (pairs untouched). */
CTI_FN int cti_pairsort(cti_mem *mem, int32_t *pairs, int n, int n_first, int n_second, int32_t **scratch);
