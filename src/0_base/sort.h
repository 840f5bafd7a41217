/* sort.h -- sorting. Stable, of integer keys with a payload: least significant digit radix sort, 8 bits a pass. Passes in which all keys
   agree are skipped; below 48 elements insertion sort is used. The result depends on the keys and their order alone. */
#pragma once

#include "platform.h"

/* cti_sort_u32, cti_sort_u64 -- sorts keys [n] in place, ascending and stable; payload [n] moves along (may be NULL). keys_tmp [n],
   payload_tmp [n] are scratch (payload_tmp NULL when payload is). */
CTI_FN void cti_sort_u32(uint32_t *keys, int32_t *payload, uint32_t *keys_tmp, int32_t *payload_tmp, int n);
CTI_FN void cti_sort_u64(uint64_t *keys, int32_t *payload, uint64_t *keys_tmp, int32_t *payload_tmp, int n);

/* cti_sort_unique_u64 -- drops repetitions from sorted keys; the payload (may be NULL) of the first one stays. Returns the new length. */
CTI_FN int cti_sort_unique_u64(uint64_t *keys, int32_t *payload, int n);

/* cti_sort_lower_u64 -- the first position in sorted keys whose key is at least `key`; n if there is none. cti_sort_find_u64 -- where the key is,
   or -1. cti_sort_has_u64 -- 1 if it is there. */
CTI_FN int cti_sort_lower_u64(const uint64_t *keys, int n, uint64_t key);
CTI_FN int cti_sort_find_u64(const uint64_t *keys, int n, uint64_t key);
CTI_INLINE int cti_sort_has_u64(const uint64_t *keys, int n, uint64_t key) { return cti_sort_find_u64(keys, n, key) >= 0; }

/* cti_sort_lower -- the first i in [begin, end) with list[stride i] at least x; end if there is none. cti_sort_find -- the i with x, or -1. The
   entries are ascending. */
CTI_INLINE int cti_sort_lower(const int32_t *list, int stride, int begin, int end, int32_t x)
{
    while (begin < end) {
        int mid = begin + (end - begin) / 2;
        if (list[stride * mid] < x)
            begin = mid + 1;
        else
            end = mid;
    }
    return begin;
}
CTI_INLINE int cti_sort_find(const int32_t *list, int stride, int begin, int end, int32_t x)
{
    int at = cti_sort_lower(list, stride, begin, end, x);
    return at < end && list[stride * at] == x ? at : -1;
}

/* cti_sort_starts -- for a counting sort into n lists: start [n + 1] has 0 and the lists' lengths; out the place where each list starts.
   cti_sort_started -- restores the starts after filling, which has moved each of them to the next list's. */
CTI_INLINE void cti_sort_starts(int32_t *start, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        start[i + 1] += start[i];
}
CTI_INLINE void cti_sort_started(int32_t *start, size_t n)
{
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
}

/* cti_sort_list -- distinct numbers in place, ascending, by heap sort: it needs no scratch. */
CTI_FN void cti_sort_list(int32_t *list, int n);

/* cti_sort_key -- a key that is ordered as x is; 0 and -0 have the same. x is a number. */
CTI_INLINE uint64_t cti_sort_key(double x)
{
    uint64_t u;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}
