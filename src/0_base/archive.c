/* archive.c -- visits members of a state: counts, writes, checks or reads them. */
#include "archive.h"

/* the next `size` bytes of the data; NULL: there are none, or they are only counted */
static unsigned char *cti_archive_next(cti_archive *a, size_t size)
{
    unsigned char *at = a->data ? a->data + a->at : NULL;
    if (a->code != CT_OK)
        return NULL;
    if (a->mode != CTI_ARCHIVE_COUNT && size > a->size - a->at) {
        a->code = CT_ERR_FORMAT;
        return NULL;
    }
    a->at += size;
    return a->mode == CTI_ARCHIVE_COUNT || size == 0 ? NULL : at;
}

CTI_FN void cti_archive_bytes(cti_archive *a, void *data, size_t size)
{
    unsigned char *at = cti_archive_next(a, size);
    if (at && a->mode == CTI_ARCHIVE_WRITE)
        memcpy(at, data, size);
    else if (at && a->mode == CTI_ARCHIVE_READ)
        memcpy(data, at, size);
}

CTI_FN void cti_archive_value(cti_archive *a, void *data, size_t size)
{
    cti_archive_mode mode = a->mode;
    a->mode = mode == CTI_ARCHIVE_CHECK ? CTI_ARCHIVE_READ : mode;
    cti_archive_bytes(a, data, size);
    a->mode = mode;
}

CTI_FN void cti_archive_require(cti_archive *a, int holds)
{
    if (!holds && cti_archive_checks(a))
        a->code = CT_ERR_FORMAT;
}

CTI_FN int cti_archive_array(cti_archive *a, void **array, size_t element, int64_t least, int64_t most)
{
    int64_t length = CTI_LEN(*array);
    CTI_ARCHIVE_VALUE(a, length);
    cti_archive_require(a, length >= least && length <= (most < 0 ? INT32_MAX : most) && length <= (int64_t)((a->size - a->at) / element));
    if (a->code != CT_OK)
        return 0;
    if (a->mode == CTI_ARCHIVE_CHECK && length > 0 && !cti_array_ok(*array, (size_t)length)) {
        *array = cti_array_reserve(a->mem, *array, element, (size_t)length);
        a->code = cti_array_ok(*array, (size_t)length) ? CT_OK : CT_ERR_MEMORY;
    }
    if (a->mode == CTI_ARCHIVE_READ && *array)
        stbds_header(*array)->length = (size_t)length;
    cti_archive_bytes(a, *array, (size_t)length * element);
    return a->code == CT_OK ? (int)length : 0;
}

CTI_FN void cti_archive_bound(cti_archive *a, int length, size_t element, size_t at, int n, int64_t low, int64_t end)
{
    int i, k;
    for (i = 0; cti_archive_checks(a) && i < length; i++)
        for (k = 0; k < n; k++) {
            int32_t value;
            memcpy(&value, a->data + a->at - element * (size_t)(length - i) + at + sizeof value * (size_t)k, sizeof value);
            cti_archive_require(a, value >= low && value < end);
        }
}

CTI_FN void cti_archive_blank(cti_archive *a, int length, size_t element, size_t at, size_t size)
{
    int i;
    for (i = 0; size > 0 && a->mode == CTI_ARCHIVE_WRITE && a->code == CT_OK && i < length; i++)
        memset(a->data + a->at - element * (size_t)(length - i) + at, 0, size);
}

static uint64_t cti_archive_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15ull; /* one to one in the word */
    return h << 29 | h >> 35;
}

CTI_FN uint64_t cti_archive_hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t lane[4] = {1, 2, 3, 4}, word[4];
    int k;
    for (; size >= sizeof word; size -= sizeof word, p += sizeof word) {
        memcpy(word, p, sizeof word);
        for (k = 0; k < 4; k++)
            lane[k] = cti_archive_mix(lane[k], word[k]);
    }
    memset(word, 0, sizeof word);
    if (size > 0)
        memcpy(word, p, size);
    for (k = 0; k < 4; k++)
        h = cti_archive_mix(h, cti_archive_mix(lane[k], word[k]));
    return cti_archive_mix(h, (uint64_t)size);
}
