/* sort.c -- stable radix sort. Method: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, here by counting); 5.2.3 (heap
   sort). */
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

/* moves list[at] down in the heap of n numbers until no number below it is larger */
static void cti_sort_sift(int32_t *list, int n, int at)
{
    int32_t moved = list[at];
    int child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && list[child + 1] > list[child])
            child++;
        if (list[child] <= moved)
            break;
        list[at] = list[child];
        at = child;
    }
    list[at] = moved;
}

CTI_FN int cti_sort_lower_u64(const uint64_t *keys, int n, uint64_t key)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

CTI_FN int cti_sort_find_u64(const uint64_t *keys, int n, uint64_t key)
{
    int at = cti_sort_lower_u64(keys, n, key);
    return at < n && keys[at] == key ? at : -1;
}

CTI_FN void cti_sort_list(int32_t *list, int n)
{
    int i;
    for (i = n / 2 - 1; i >= 0; i--)
        cti_sort_sift(list, n, i);
    for (i = n - 1; i > 0; i--) {
        int32_t largest = list[0];
        list[0] = list[i];
        list[i] = largest;
        cti_sort_sift(list, i, 0);
    }
}
