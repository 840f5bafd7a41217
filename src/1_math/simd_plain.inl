/* simd_plain.inl -- eight lanes as loops in plain C, which compilers may vectorize. Included by simd.h. */

#define CTI_SIMD_NAME "NONE"
typedef struct cti_d8 {
    double v[8];
} cti_d8;
typedef struct cti_f8 {
    float v[8];
} cti_f8;
/* masks are 1 or 0 per lane on this path */
#define CTI_LANES(V, T, name, expr)                                                                                                        \
    CTI_INLINE V V##_##name(V x, V y)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++) {                                                                                                          \
            T p = x.v[i], q = y.v[i];                                                                                                      \
            r.v[i] = (T)(expr);                                                                                                            \
        }                                                                                                                                  \
        return r;                                                                                                                          \
    }
#define CTI_LANES_ALL(V, T, SQRT)                                                                                                          \
    CTI_LANES(V, T, add, p + q)                                                                                                            \
    CTI_LANES(V, T, sub, p - q)                                                                                                            \
    CTI_LANES(V, T, mul, p *q)                                                                                                             \
    CTI_LANES(V, T, div, p / q)                                                                                                            \
    CTI_LANES(V, T, min, p < q ? p : q)                                                                                                    \
    CTI_LANES(V, T, max, p > q ? p : q)                                                                                                    \
    CTI_LANES(V, T, lt, p < q)                                                                                                             \
    CTI_LANES(V, T, le, p <= q)                                                                                                            \
    CTI_LANES(V, T, and, p != 0 && q != 0)                                                                                                 \
    CTI_LANES(V, T, or, p != 0 || q != 0)                                                                                                  \
    CTI_INLINE V V##_set(T s)                                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = s;                                                                                                                    \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_load(const T *p)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        memcpy(r.v, p, sizeof r.v);                                                                                                        \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE void V##_store(T *p, V x) { memcpy(p, x.v, sizeof x.v); }                                                                   \
    CTI_INLINE V V##_sqrt(V x)                                                                                                             \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = SQRT(x.v[i]);                                                                                                         \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_abs(V x)                                                                                                              \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = x.v[i] < 0 ? -x.v[i] : (x.v[i] == 0 ? 0 : x.v[i]);                                                                    \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_select(V m, V yes, V no)                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = m.v[i] != 0 ? yes.v[i] : no.v[i];                                                                                     \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE int V##_bits(V m)                                                                                                           \
    {                                                                                                                                      \
        int i, b = 0;                                                                                                                      \
        for (i = 0; i < 8; i++)                                                                                                            \
            b |= (m.v[i] != 0) << i;                                                                                                       \
        return b;                                                                                                                          \
    }
CTI_LANES_ALL(cti_d8, double, sqrt)
CTI_LANES_ALL(cti_f8, float, sqrtf)
CTI_INLINE cti_f8 cti_f8_short(const int16_t *p)
{
    cti_f8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (float)p[i];
    return r;
}
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    memcpy(r.v, p, 4 * sizeof(float)), memcpy(r.v + 4, q, 4 * sizeof(float));
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        cti_f8 r;                                                                                                                          \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = x.v[(i & 4) + k];                                                                                                     \
        return r;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    int i;
    for (i = 0; i < 4; i++)
        x.v[i] += x.v[i + 4];
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { memcpy(p, x.v, 4 * sizeof(float)); }
CTI_F8_SPREAD(0)
CTI_F8_SPREAD(1)
CTI_F8_SPREAD(2)

CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (double)x.v[i];
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (float)x.v[i];
    return r;
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint64_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull;
        k->v[i] = (double)(int)(u >> 52) - 1023;
        u = (u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint32_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3f800000u - 0x3f3504f3u;
        k->v[i] = (float)(int)(u >> 23) - 127;
        u = (u & 0x007fffffu) + 0x3f3504f3u;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
