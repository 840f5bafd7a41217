/* layers_queue.c -- the event queue: a binary heap. based on: Williams 1964 (heap). */
#include "layers.h"

static int cti_layers_is_before(const cti_layers_event *a, const cti_layers_event *b)
{
    return a->tick < b->tick || (a->tick == b->tick && a->clock < b->clock);
}

CTI_FN int cti_layers_push(cti_mem *mem, cti_layers_event **heap, int64_t tick, int32_t clock)
{
    cti_layers_event *q = *heap, one;
    int at, up;
    one.tick = tick, one.clock = clock;
    if (!CTI_PUSH(mem, q, one)) {
        *heap = q;
        return 0;
    }
    *heap = q;
    for (at = CTI_LEN(q) - 1; at > 0; at = up) {
        up = (at - 1) / 2;
        if (!cti_layers_is_before(&one, &q[up]))
            break;
        q[at] = q[up];
    }
    q[at] = one;
    return 1;
}

CTI_FN cti_layers_event cti_layers_pop(cti_layers_event *heap)
{
    cti_layers_event first = heap[0], moved;
    int n = CTI_LEN(heap) - 1, at = 0, child;
    moved = heap[n];
    stbds_header(heap)->length = (size_t)n;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && cti_layers_is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!cti_layers_is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    if (n > 0)
        heap[at] = moved;
    return first;
}
