/* sort.c -- stable radix sort. Method: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, here by counting). */
#include "sort.h"

#define CTI_T uint32_t
#define CTI_TN(name) name##_u32
#include "sort.inl"
#undef CTI_T
#undef CTI_TN

#define CTI_T uint64_t
#define CTI_TN(name) name##_u64
#include "sort.inl"
#undef CTI_T
#undef CTI_TN

CTI_FN int cti_sort_unique_u64(uint64_t *keys, int32_t *payload, int n)
{
    int i, m = 0;
    for (i = 0; i < n; i++) {
        if (i && keys[i] == keys[m - 1])
            continue;
        keys[m] = keys[i];
        if (payload)
            payload[m] = payload[i];
        m++;
    }
    return m;
}
