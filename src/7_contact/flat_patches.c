/* flat_patches.c -- contacts of flat faces between rigid bodies.
   Method: in a pile of crates whose edges line up, two faces that meet make some twenty pairs. The gap of rigid bodies is linear over a
   flat patch, so that the corners of its outline determine it. The multipliers of the other pairs are not uniquely determined. Pairs are
   grouped by bodies and normal. A group keeps its extreme points in eight directions of its plane, and the pairs whose gap lies below the
   plane fitted to the outline's gaps; of a ball those are all. This culls constraints, never CCD candidates.
   differs: Otaduy 2009, sec. 4 has a row for every near pair. */
#include "flat_patches.h"
#include "../0_base/keys.h"

#define CTI_PATCHES_SAME CTI_R(0.999) /* [cosine] of two normals of one patch */
#define CTI_PATCHES_FLAT CTI_R(0.01)  /* [thickness] a pair whose gap lies below the patch's plane by more is kept */
#define CTI_PATCHES_STAY CTI_R(0.02)  /* [patch size] bonus of a point that carried load, or that is chosen already, so that the choice is
                                         stable from step to step */

typedef struct cti_patches {
    const cti_surface *s;
    int n, n_groups;
    int32_t *next, *first;  /* members of a group [n], [n_groups] */
    int32_t *table;         /* hash table: group + 1 by bodies and number of the normal */
    uint32_t mask;
    cti_v3 *normal;         /* [n_groups] from the body with the smaller number to the other */
    uint64_t *bodies;       /* [n_groups] */
    int32_t *number;        /* [n_groups] among those of the same bodies */
    cti_v3 *at;             /* [n] point of the pair */
    ct_real *gap;           /* [n] less the thickness */
    uint8_t *loaded, *keep, *bulge; /* [n] */
} cti_patches;

CTI_FN int cti_patches_is_hard(const cti_surface *s, const cti_pair *p)
{
    int k;
    for (k = 0; k < p->n; k++) {
        const cti_attach *a = cti_surface_attach(s, p->v[k]);
        if (a->frame < 0 && a->n > 0)
            return 0;
    }
    return 1;
}

/* the group of these bodies and this normal, created when there is none */
static int cti_patches_group(cti_patches *q, uint64_t bodies, cti_v3 n)
{
    int number;
    for (number = 0;; number++) {
        uint64_t h = (bodies + (uint64_t)(uint32_t)number) * 0x9e3779b97f4a7c15ull;
        uint32_t i = (uint32_t)(h >> 32) & q->mask;
        int g;
        while (q->table[i] && (q->bodies[q->table[i] - 1] != bodies || q->number[q->table[i] - 1] != number))
            i = (i + 1) & q->mask;
        if (q->table[i] && cti_v3_dot(q->normal[q->table[i] - 1], n) > CTI_PATCHES_SAME)
            return q->table[i] - 1;
        if (q->table[i])
            continue;
        g = q->n_groups++;
        q->table[i] = g + 1;
        q->bodies[g] = bodies, q->number[g] = number, q->normal[g] = n, q->first[g] = -1;
        return g;
    }
}

static int cti_patches_init(cti_patches *q, cti_arena *arena, const cti_surface *s, int n)
{
    int size = cti_keys_size(n);
    memset(q, 0, sizeof *q);
    q->s = s, q->n = n, q->mask = (uint32_t)size - 1;
    q->next = CTI_ARENA_NEW(arena, int32_t, n), q->first = CTI_ARENA_NEW(arena, int32_t, n), q->number = CTI_ARENA_NEW(arena, int32_t, n);
    q->table = CTI_ARENA_ZERO(arena, int32_t, size);
    q->normal = CTI_ARENA_NEW(arena, cti_v3, n), q->at = CTI_ARENA_NEW(arena, cti_v3, n);
    q->bodies = CTI_ARENA_NEW(arena, uint64_t, n);
    q->loaded = CTI_ARENA_ZERO(arena, uint8_t, n), q->keep = CTI_ARENA_ZERO(arena, uint8_t, n);
    q->bulge = CTI_ARENA_ZERO(arena, uint8_t, n), q->gap = CTI_ARENA_NEW(arena, ct_real, n);
    return q->next && q->first && q->number && q->table && q->normal && q->at && q->bodies && q->loaded && q->keep && q->bulge && q->gap;
}

/* extreme points of one group in eight directions of its plane */
static void cti_patches_outline(cti_patches *q, int g, cti_v3 t1, cti_v3 t2)
{
    static const ct_real way[8][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {CTI_R(0.7071), CTI_R(0.7071)}, {CTI_R(-0.7071), CTI_R(0.7071)},
                                      {CTI_R(-0.7071), CTI_R(-0.7071)}, {CTI_R(0.7071), CTI_R(-0.7071)}};
    cti_v3 o = q->at[q->first[g]];
    ct_real size = 0;
    int i, k;
    for (i = q->first[g]; i >= 0; i = q->next[i])
        size = cti_max(size, cti_v3_norm(cti_v3_sub(q->at[i], o)));
    for (k = 0; k < 8; k++) {
        cti_v3 d = cti_v3_mad(cti_v3_mul(t1, way[k][0]), t2, way[k][1]);
        ct_real best = -CTI_REAL_MAX;
        int chosen = q->first[g];
        for (i = q->first[g]; i >= 0; i = q->next[i]) {
            ct_real score = cti_v3_dot(cti_v3_sub(q->at[i], o), d) + CTI_PATCHES_STAY * size * (ct_real)(q->loaded[i] + q->keep[i]);
            if (score > best)
                best = score, chosen = i;
        }
        q->keep[chosen] = 1;
    }
}

/* the plane gap = c . (1, x, y), fitted by least squares to the outline's gaps about its centroid o; without an area the gap counts as
   constant */
static cti_v3 cti_patches_fit(const cti_patches *q, int g, cti_v3 t1, cti_v3 t2, const ct_real *gap, cti_v3 *out_o)
{
    ct_real n = 0, mean = 0, xx = 0, xy = 0, yy = 0, xg = 0, yg = 0, det, ridge;
    cti_v3 o = cti_v3_zero(), base = q->at[q->first[g]];
    int i;
    for (i = q->first[g]; i >= 0; i = q->next[i])
        if (q->keep[i])
            n += 1, mean += gap[i], o = cti_v3_add(o, cti_v3_sub(q->at[i], base));
    mean /= n, o = cti_v3_mad(base, o, 1 / n);
    for (i = q->first[g]; i >= 0; i = q->next[i])
        if (q->keep[i]) {
            cti_v3 r = cti_v3_sub(q->at[i], o);
            ct_real x = cti_v3_dot(r, t1), y = cti_v3_dot(r, t2);
            xx += x * x, xy += x * y, yy += y * y, xg += x * (gap[i] - mean), yg += y * (gap[i] - mean);
        }
    ridge = CTI_R(1e-6) * (xx + yy);
    xx += ridge, yy += ridge;
    det = xx * yy - xy * xy;
    *out_o = o;
    return det > 0 ? cti_v3_make(mean, (yy * xg - xy * yg) / det, (xx * yg - xy * xg) / det) : cti_v3_make(mean, 0, 0);
}

/* chooses the kept pairs of one group: its outline, and the pairs nearer than the plane through it. gap [n] scratch */
static void cti_patches_choose(cti_patches *q, int g, const cti_hit *hits)
{
    cti_v3 t1, t2, o, c;
    int i;
    cti_v3_tangents(q->normal[g], &t1, &t2);
    cti_patches_outline(q, g, t1, t2);
    for (i = q->first[g]; i >= 0; i = q->next[i])
        q->gap[i] = cti_v3_dot(hits[i].normal, cti_pair_offset(q->s, q->s->x0, &hits[i].pair)) - cti_pair_thickness(q->s, &hits[i].pair);
    c = cti_patches_fit(q, g, t1, t2, q->gap, &o);
    for (i = q->first[g]; i >= 0; i = q->next[i]) {
        cti_v3 r = cti_v3_sub(q->at[i], o);
        ct_real level = c.x + c.y * cti_v3_dot(r, t1) + c.z * cti_v3_dot(r, t2);
        q->bulge[i] = (uint8_t)(q->gap[i] < level - CTI_PATCHES_FLAT * cti_pair_thickness(q->s, &hits[i].pair));
    }
    for (i = q->first[g]; i >= 0; i = q->next[i])
        q->keep[i] |= q->bulge[i];
}

CTI_FN int cti_patches_flat(cti_arena *arena, const cti_surface *s, const cti_memory *memory, cti_hit *hits)
{
    cti_patches cull, *q = &cull;
    int i, n = CTI_LEN(hits);
    for (i = 0; i < n && !cti_patches_is_hard(s, &hits[i].pair); i++)
        ;
    if (i == n)
        return 1;
    if (!cti_patches_init(q, arena, s, n))
        return 0;
    /* backwards, so that lists run forwards */
    for (i = n - 1; i >= 0; i--) {
        const cti_pair *p = &hits[i].pair;
        uint64_t a = (uint64_t)(uint32_t)cti_pair_body_a(s, p), b = (uint64_t)(uint32_t)cti_pair_body_b(s, p);
        int g;
        if (!cti_patches_is_hard(s, p)) {
            q->keep[i] = 1;
            continue;
        }
        g = cti_patches_group(q, a < b ? a << 32 | b : b << 32 | a, a < b ? hits[i].normal : cti_v3_mul(hits[i].normal, -1));
        q->at[i] = cti_pair_point(s->x0, p, 0);
        q->loaded[i] = (uint8_t)(hits[i].before || cti_memory_find(memory, cti_pair_key(s, p)));
        q->next[i] = q->first[g], q->first[g] = i;
    }
    for (i = 0; i < q->n_groups; i++)
        cti_patches_choose(q, i, hits);
    cti_hits_take(hits, q->keep);
    return 1;
}
