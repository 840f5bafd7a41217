/* archive.h -- a state as bytes, and back. Method: one function visits the members of a struct in one order; what it does with each depends on the
   mode: it counts bytes, writes, checks, or reads them. A check writes nothing into the state, but reserves the room that reading takes. So
   reading what has been checked cannot fail, and data that do not fit leave the state as it was. Based on: no paper. */
#pragma once

#include "array.h"

typedef enum cti_archive_mode { CTI_ARCHIVE_COUNT, CTI_ARCHIVE_WRITE, CTI_ARCHIVE_CHECK, CTI_ARCHIVE_READ } cti_archive_mode;

/* cti_archive -- zero it; set mode, data, size, and mem, of which arrays get their room. */
typedef struct cti_archive {
    cti_archive_mode mode;
    unsigned char *data; /* [size]; not written to by CHECK and READ */
    size_t size, at;     /* at: bytes visited so far */
    cti_mem *mem;
    ct_code code;        /* CT_OK, or the first error of a check: CT_ERR_FORMAT, CT_ERR_MEMORY; nothing is visited after it */
} cti_archive;

/* cti_archive_bytes -- a piece of memory. */
CTI_FN void cti_archive_bytes(cti_archive *a, void *data, size_t size);
/* cti_archive_value -- the same of a copy of a value: a check reads it, too. What is visited next may depend on it. */
CTI_FN void cti_archive_value(cti_archive *a, void *data, size_t size);
/* cti_archive_array -- a growable array whose length must be at least `least`, and at most `most`; below 0: any. Returns the length. */
CTI_FN int cti_archive_array(cti_archive *a, void **array, size_t element, int64_t least, int64_t most);
/* cti_archive_require -- refuses data where `holds` is 0. */
CTI_FN void cti_archive_require(cti_archive *a, int holds);
/* cti_archive_bound -- n integers, from `at` on in every element of the array of `element` bytes that was visited last, must be in [low, end).
   cti_archive_blank -- `size` bytes from `at` on in each of its elements, which no member has, are 0 in the data. */
CTI_FN void cti_archive_bound(cti_archive *a, int length, size_t element, size_t at, int n, int64_t low, int64_t end);
CTI_FN void cti_archive_blank(cti_archive *a, int length, size_t element, size_t at, size_t size);

/* cti_archive_hash -- of bytes, going on from h. Another byte always gives another hash; more of them nearly always. */
CTI_FN uint64_t cti_archive_hash(uint64_t h, const void *data, size_t size);

CTI_INLINE int cti_archive_reads(const cti_archive *a) { return a->mode == CTI_ARCHIVE_READ && a->code == CT_OK; }
CTI_INLINE int cti_archive_checks(const cti_archive *a) { return a->mode == CTI_ARCHIVE_CHECK && a->code == CT_OK; }

/* CTI_ARCHIVE -- a member. _SPAN -- all members from one to another, between which there is no room. _ARRAY -- an array of n elements. _UP_TO -- of
   at most n. _ANY -- of any number. Those of arrays are the length. */
#define CTI_ARCHIVE(a, member) cti_archive_bytes((a), &(member), sizeof(member))
#define CTI_ARCHIVE_SPAN(a, first, last) cti_archive_bytes((a), &(first), (size_t)((char *)(&(last) + 1) - (char *)&(first)))
#define CTI_ARCHIVE_VALUE(a, copy) cti_archive_value((a), &(copy), sizeof(copy))
#define CTI_ARCHIVE_SIZED(a, array, least, most) cti_archive_array((a), (void **)(void *)&(array), sizeof *(array), (least), (most))
#define CTI_ARCHIVE_ARRAY(a, array, n) CTI_ARCHIVE_SIZED(a, array, n, n)
#define CTI_ARCHIVE_UP_TO(a, array, n) CTI_ARCHIVE_SIZED(a, array, 0, n)
#define CTI_ARCHIVE_ANY(a, array) CTI_ARCHIVE_SIZED(a, array, 0, -1)
/* CTI_ARCHIVE_BOUND -- of n integers that begin with a member of struct type T. CTI_ARCHIVE_GAP -- blanks what is between two members. */
#define CTI_ARCHIVE_BOUND(a, length, T, member, n, low, end) cti_archive_bound((a), (length), sizeof(T), offsetof(T, member), (n), (low), (end))
#define CTI_ARCHIVE_GAP(a, length, T, member, next)                                                           \
    cti_archive_blank((a), (length), sizeof(T), offsetof(T, member) + sizeof(((T *)NULL)->member),            \
                      (next) - offsetof(T, member) - sizeof(((T *)NULL)->member))
