/* sets.h -- disjoint sets (union-find) of the numbers 0 .. n - 1 in parent [n]. A root is its own parent and the smallest number of its
   set. Method: path halving, no ranks. Based on: Tarjan, van Leeuwen, Worst-case analysis of set union algorithms, 1984. */
#pragma once

#include "platform.h"

/* cti_sets_init -- n sets of one number each. */
CTI_INLINE void cti_sets_init(int32_t *parent, int n)
{
    int i;
    for (i = 0; i < n; i++)
        parent[i] = i;
}

/* cti_sets_root -- the smallest number of the set that holds i. */
CTI_CALL int32_t cti_sets_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* cti_sets_join -- the sets of a and b become one. */
CTI_INLINE void cti_sets_join(int32_t *parent, int32_t a, int32_t b)
{
    a = cti_sets_root(parent, a), b = cti_sets_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}
