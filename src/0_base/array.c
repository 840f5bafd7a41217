/* array.c -- checked growth of stb_ds arrays. Method: stb_ds's header {length, capacity, hash_table, temp} in front of the elements,
   capacity doubled, memory from a cti_mem. temp, which stb_ds uses in its hash tables only, holds the size of an element. */
#include "array.h"

CTI_FN void *cti_array_reserve(cti_mem *mem, void *array, size_t element, size_t count)
{
    size_t old_cap = array ? stbds_header(array)->capacity : 0, cap = old_cap * 2 < 8 ? 8 : old_cap * 2, bytes, old_bytes;
    stbds_array_header *h;
    if (count <= old_cap)
        return array;
    if (cap < count)
        cap = count;
    if (!cti_mem_mul(cap, element, &bytes) || bytes > (size_t)-1 - sizeof *h) {
        mem->failed = 1;
        return array;
    }
    old_bytes = array ? sizeof *h + old_cap * element : 0;
    h = (stbds_array_header *)cti_mem_resize(mem, array ? stbds_header(array) : NULL, old_bytes, sizeof *h + bytes);
    if (!h)
        return array;
    if (!array) {
        h->length = 0;
        h->hash_table = NULL;
    }
    h->temp = (ptrdiff_t)element;
    h->capacity = cap;
    return (void *)(h + 1);
}

CTI_FN int cti_array_resize_to(cti_mem *mem, void **array, size_t element, size_t count)
{
    void *a = *array;
    if (count == 0) {
        CTI_CLEAR(a);
        return 1;
    }
    a = cti_array_reserve(mem, a, element, count);
    *array = a;
    if (!cti_array_ok(a, count))
        return 0;
    if (stbds_header(a)->length < count)
        memset((char *)a + stbds_header(a)->length * element, 0, (count - stbds_header(a)->length) * element);
    stbds_header(a)->length = count;
    return 1;
}

CTI_FN void cti_array_free(cti_mem *mem, void *array, size_t element)
{
    if (array)
        cti_mem_resize(mem, stbds_header(array), sizeof(stbds_array_header) + stbds_header(array)->capacity * element, 0);
}

CTI_FN void cti_array_free_span(cti_mem *mem, char *first, char *end)
{
    void *array;
    for (; first < end; first += sizeof array) {
        memcpy(&array, first, sizeof array);
        cti_array_free(mem, array, array ? (size_t)stbds_header(array)->temp : 0);
        memset(first, 0, sizeof array);
    }
}
