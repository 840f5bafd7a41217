/* sort.inl -- radix sort of keys of type CTI_T; included once for each key type. */

static void CTI_TN(cti_sort_insertion)(CTI_T *keys, int32_t *payload, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        CTI_T k = keys[i];
        int32_t p = payload ? payload[i] : 0;
        for (j = i; j > 0 && keys[j - 1] > k; j--) {
            keys[j] = keys[j - 1];
            if (payload)
                payload[j] = payload[j - 1];
        }
        keys[j] = k;
        if (payload)
            payload[j] = p;
    }
}

/* one pass: start[d] is where the next key with digit d goes */
static void CTI_TN(cti_sort_scatter)(const CTI_T *from, const int32_t *from_p, CTI_T *to, int32_t *to_p, int n, int shift, int *start)
{
    int i;
    for (i = 0; i < n; i++) {
        int at = start[(from[i] >> shift) & 255]++;
        to[at] = from[i];
        if (to_p)
            to_p[at] = from_p[i];
    }
}

CTI_FN void CTI_TN(cti_sort)(CTI_T *keys, int32_t *payload, CTI_T *keys_tmp, int32_t *payload_tmp, int n)
{
    int count[sizeof(CTI_T)][256], pass, i, d, sum;
    CTI_T *from = keys, *to = keys_tmp;
    int32_t *from_p = payload, *to_p = payload ? payload_tmp : NULL;
    if (n < 48) {
        CTI_TN(cti_sort_insertion)(keys, payload, n);
        return;
    }
    /* histograms of all digits in one pass over the keys */
    memset(count, 0, sizeof count);
    for (i = 0; i < n; i++)
        for (pass = 0; pass < (int)sizeof(CTI_T); pass++)
            count[pass][(keys[i] >> (8 * pass)) & 255]++;
    for (pass = 0; pass < (int)sizeof(CTI_T); pass++) {
        if (count[pass][(keys[0] >> (8 * pass)) & 255] == n)
            continue;
        for (d = 0, sum = 0; d < 256; d++) {
            int c = count[pass][d];
            count[pass][d] = sum;
            sum += c;
        }
        CTI_TN(cti_sort_scatter)(from, from_p, to, to_p, n, 8 * pass, count[pass]);
        {
            CTI_T *k = from;
            int32_t *p = from_p;
            from = to, to = k;
            from_p = to_p, to_p = p;
        }
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
        if (payload)
            memcpy(payload, from_p, (size_t)n * sizeof *payload);
    }
}
