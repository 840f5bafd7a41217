/* heap.h -- a binary heap of numbers by keys. Based on: Williams 1964. */
#pragma once

#include "array.h"

typedef struct cti_heap_item {
    int64_t key;
    int32_t item;
} cti_heap_item;

/* cti_heap_push -- adds an item to a heap, a growable array, whose first entry has the smallest key; of equal keys the smallest item. 0: out of
   memory. cti_heap_pop -- removes the first entry of a heap that is not empty. */
CTI_FN int cti_heap_push(cti_mem *mem, cti_heap_item **heap, int64_t key, int32_t item);
CTI_FN cti_heap_item cti_heap_pop(cti_heap_item *heap);
