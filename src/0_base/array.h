/* array.h -- growable arrays that are stb_ds arrays: same header in front of the data, so that a user's arrlen works on what we hand
   out. They grow only here, checked, from a cti_mem (stb_ds's own growth neither checks realloc nor takes an allocator).

   T *a = NULL;                        an empty array
   CTI_LEN(a)                          its length as int
   CTI_RESERVE(mem, a, n)              capacity at least n;            0 when memory ran out, a unchanged
   CTI_RESIZE(mem, a, n)               length n, new elements zero;    0 when memory ran out
   CTI_PUSH(mem, a, value)             append;                         0 when memory ran out
   CTI_FREE(mem, a)                    release and set to NULL
   CTI_FREE_SPAN(mem, first, last)     the same of all members of a struct from one to another, which must be arrays */
#pragma once

#include "alloc.h"

/* stb_ds's header and accessors; none of its functions is called. In contact.h this include is made by the banner. */
#ifndef CTI_STB_DS_INCLUDED
#define CTI_STB_DS_INCLUDED
#include "stb_include.h"
#endif

CTI_FN void *cti_array_reserve(cti_mem *mem, void *array, size_t element, size_t count);
CTI_FN void cti_array_free(cti_mem *mem, void *array, size_t element);

#define CTI_LEN(a) ((int)stbds_arrlen(a))
#ifdef __cplusplus
extern "C++" {
template <class T> static inline T *cti_array_cast(T *, void *p) { return (T *)p; }
}
#define CTI_ARRAY_CAST(a, p) cti_array_cast((a), (p))
#else
#define CTI_ARRAY_CAST(a, p) (p)
#endif

CTI_INLINE int cti_array_ok(const void *a, size_t count) { return a != NULL && stbds_header(a)->capacity >= count; }
#define CTI_RESERVE(mem, a, n)                                                                                                             \
    ((n) <= 0 || cti_array_ok((a), (size_t)(n)) ||                                                                                         \
     (((a) = CTI_ARRAY_CAST((a), cti_array_reserve((mem), (a), sizeof *(a), (size_t)(n)))), cti_array_ok((a), (size_t)(n))))
#define CTI_RESIZE(mem, a, n) cti_array_resize_to((mem), (void **)(void *)&(a), sizeof *(a), (size_t)(n))
#define CTI_ZEROS(mem, a, n) (CTI_CLEAR(a), CTI_RESIZE(mem, a, n)) /* n elements of zero bytes */
#define CTI_PUSH(mem, a, value)                                                                                                            \
    ((CTI_RESERVE((mem), (a), stbds_arrlen(a) + 1)) ? ((a)[stbds_header(a)->length++] = (value), 1) : 0)
#define CTI_FREE(mem, a) (cti_array_free((mem), (a), sizeof *(a)), (a) = NULL)
#define CTI_FREE_SPAN(mem, first, last) cti_array_free_span((mem), (char *)&(first), (char *)(&(last) + 1))
#define CTI_CLEAR(a) ((a) ? (void)(stbds_header(a)->length = 0) : (void)0)

CTI_FN void cti_array_free_span(cti_mem *mem, char *first, char *end);
CTI_FN int cti_array_resize_to(cti_mem *mem, void **array, size_t element, size_t count);
