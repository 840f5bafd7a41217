/* pairsort.c -- pairs of integers into lexicographic order. Method: insertion sort for a few pairs, else radix sort by the two numbers
   instead of a packed key. So the number of passes depends on the largest value, not on the key's width. */
#include "pairsort.h"

enum { CTI_PAIRSORT_BITS = 13, CTI_PAIRSORT_FEW = 24 };

static void cti_pairsort_insertion(int32_t *pairs, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        for (j = i; j > 0 && (pairs[2 * j - 2] > a || (pairs[2 * j - 2] == a && pairs[2 * j - 1] > b)); j--) {
            pairs[2 * j] = pairs[2 * j - 2];
            pairs[2 * j + 1] = pairs[2 * j - 1];
        }
        pairs[2 * j] = a;
        pairs[2 * j + 1] = b;
    }
}

/* One stable pass of the radix sort: by `bits` bits, from bit `shift` on, of number `which` of each pair. */
static void cti_pairsort_pass(const int32_t *CTI_RESTRICT in, int32_t *CTI_RESTRICT out, int n, int which, int shift, int bits)
{
    int start[1 << CTI_PAIRSORT_BITS], i, sum = 0, size = 1 << bits;
    uint32_t mask = (uint32_t)size - 1u;
    /* histogram, then first place of every digit */
    memset(start, 0, (size_t)size * sizeof start[0]);
    for (i = 0; i < n; i++)
        start[((uint32_t)in[2 * (size_t)i + (size_t)which] >> shift) & mask]++;
    for (i = 0; i < size; i++) {
        int c = start[i];
        start[i] = sum;
        sum += c;
    }
    /* scatter in order */
    for (i = 0; i < n; i++) {
        const int32_t *p = in + 2 * (size_t)i;
        size_t k = 2 * (size_t)start[((uint32_t)p[which] >> shift) & mask]++;
        out[k] = p[0];
        out[k + 1] = p[1];
    }
}

static int cti_pairsort_bit_count(int values)
{
    int bits = 0;
    while (bits < 31 && ((uint32_t)1 << bits) < (uint32_t)values)
        bits++;
    return bits;
}

CTI_FN int cti_pairsort(cti_mem *mem, int32_t *pairs, int n, int n_first, int n_second, int32_t **scratch)
{
    int which;
    int32_t *a = pairs, *b, *t;
    if (n <= CTI_PAIRSORT_FEW) {
        cti_pairsort_insertion(pairs, n);
        return 1;
    }
    if (!CTI_RESERVE(mem, *scratch, 2 * (int64_t)n))
        return 0;
    b = *scratch;
    for (which = 1; which >= 0; which--) {
        int total = cti_pairsort_bit_count(which ? n_second : n_first), shift = 0;
        /* a digit gets roughly no more values than there are pairs */
        int most = cti_max_int(8, cti_min_int(CTI_PAIRSORT_BITS, cti_pairsort_bit_count(n))), passes = (total + most - 1) / most, p;
        for (p = 0; p < passes; p++) {
            int bits = (total - shift + passes - p - 1) / (passes - p);
            cti_pairsort_pass(a, b, n, which, shift, bits);
            shift += bits;
            t = a, a = b, b = t;
        }
    }
    if (a != pairs)
        memcpy(pairs, a, 2 * (size_t)n * sizeof *pairs);
    return 1;
}
