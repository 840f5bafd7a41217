/* heap.c -- a binary heap: items rise and sink by moves into the hole that they leave. Based on: Williams 1964. */
#include "heap.h"

static int cti_heap_is_before(const cti_heap_item *a, const cti_heap_item *b)
{
    return a->key < b->key || (a->key == b->key && a->item < b->item);
}

CTI_FN int cti_heap_push(cti_mem *mem, cti_heap_item **heap, int64_t key, int32_t item)
{
    cti_heap_item *q = *heap, one;
    int at, up;
    one.key = key, one.item = item;
    if (!CTI_PUSH(mem, q, one)) {
        *heap = q;
        return 0;
    }
    *heap = q;
    for (at = CTI_LEN(q) - 1; at > 0; at = up) {
        up = (at - 1) / 2;
        if (!cti_heap_is_before(&one, &q[up]))
            break;
        q[at] = q[up];
    }
    q[at] = one;
    return 1;
}

CTI_FN cti_heap_item cti_heap_pop(cti_heap_item *heap)
{
    cti_heap_item first = heap[0], moved;
    int n = CTI_LEN(heap) - 1, at = 0, child;
    moved = heap[n];
    stbds_header(heap)->length = (size_t)n;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && cti_heap_is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!cti_heap_is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    if (n > 0)
        heap[at] = moved;
    return first;
}
