/* queries.c -- brings the trees of queries up to date. Method: the trees of a body are built when it is first seen, and kept as long as it lives.
   They are refitted where its positions differ from those of the last update. The tree over the bodies is built anew each time. Of the step's data
   positions alone are read, and nothing is written. */
#include "queries.h"
#include "../5_mesh/nearest.h"

static void cti_queries_free(ct_world *w, cti_queries_body *q)
{
    CTI_FREE(&w->mem, q->x);
    cti_forest_free(&w->mem, &q->forest);
    memset(q, 0, sizeof *q);
}

static void cti_queries_add(cti_queries_body *q, ct_hit_kind kind, const int32_t *elements, int width, double r)
{
    cti_queries_set *s = &q->sets[q->n_sets];
    if (CTI_LEN(elements) == 0)
        return;
    s->kind = kind, s->elements = elements, s->width = width, s->r = r;
    s->n = CTI_LEN(elements) / width;
    q->n_sets++;
}

/* the features of a body as the user knows them; where refined elements are whole again, their lists have moved in memory */
static void cti_queries_list(const cti_body *b, cti_queries_body *q)
{
    q->n_sets = 0;
    cti_queries_add(q, CT_HIT_TRIANGLE, b->split.triangles ? b->split.triangles : b->triangles, 3, 0);
    cti_queries_add(q, CT_HIT_SEGMENT, b->segments, 2, (double)b->thickness / 2);
    if (q->n_sets == 0)
        cti_queries_add(q, CT_HIT_POINT, b->surface_nodes, 1, (double)b->thickness / 2);
}

static void cti_queries_place(const ct_world *w, const cti_body *b, ct_real *out)
{
    const ct_real *stored = cti_body_stored(w, b);
    int i;
    if (stored)
        memcpy(out, stored, sizeof(ct_real) * 3 * (size_t)b->n);
    else
        for (i = 0; i < b->n; i++)
            cti_v3_put(out, i, cti_body_point(w, b, i));
}

/* 0: out of memory */
static int cti_queries_build(ct_world *w, const cti_body *b, cti_queries_body *q)
{
    int k, ok;
    cti_queries_free(w, q);
    cti_queries_list(b, q);
    q->closed = b->topology.closed && b->kind != CTI_BODY_CLOTH;
    q->solid = cti_body_is_solid(b);
    ok = CTI_RESIZE(&w->mem, q->x, 3 * b->n);
    if (ok)
        cti_queries_place(w, b, q->x);
    for (k = 0; ok && k < q->n_sets; k++)
        ok = cti_nearest_build(&w->mem, &q->forest, &q->sets[k].tree, q->sets[k].elements, q->sets[k].width, q->x, 0, q->sets[k].n);
    if (!ok)
        cti_queries_free(w, q);
    return ok;
}

/* refits the trees of a body, where its positions have changed. 0: out of memory */
static int cti_queries_refit(ct_world *w, int slot)
{
    cti_queries *all = w->queries;
    const cti_body *b = &w->bodies[slot];
    cti_queries_body *q = &all->bodies[slot];
    size_t bytes = sizeof(ct_real) * 3 * (size_t)b->n;
    int fresh = q->generation != b->generation, i;
    if ((fresh && !cti_queries_build(w, b, q)) || !CTI_RESIZE(&w->mem, all->x, 3 * b->n) || !CTI_RESIZE(&w->mem, all->boxes, 16 * b->n))
        return 0;
    cti_queries_list(b, q);
    cti_queries_place(w, b, all->x);
    if (!fresh && memcmp(all->x, q->x, bytes) == 0)
        return 1;
    memcpy(q->x, all->x, bytes);
    for (i = 0; i < b->n; i++)
        cti_nearest_box(all->boxes + 16 * (size_t)i, cti_v3_at(q->x, i), cti_v3_at(q->x, i));
    for (i = 0; i < q->n_sets; i++)
        cti_bvh_refit(&q->forest, &q->sets[i].tree, cti_nearest_boxes(all->boxes), 0, q->sets[i].elements, q->sets[i].width);
    q->generation = b->generation;
    return 1;
}

/* the box of a body's features, with their thickness */
static cti_box cti_queries_box(const cti_queries_body *q)
{
    cti_box box = cti_box_empty();
    float lo[3], hi[3];
    int i;
    for (i = 0; i < q->n_sets; i++) {
        ct_real r = (ct_real)q->sets[i].r;
        cti_walk_root(&q->forest, &q->sets[i].tree, lo, hi);
        cti_box_add(&box, cti_v3_make((ct_real)lo[0] - r, (ct_real)lo[1] - r, (ct_real)lo[2] - r));
        cti_box_add(&box, cti_v3_make((ct_real)hi[0] + r, (ct_real)hi[1] + r, (ct_real)hi[2] + r));
    }
    return box;
}

/* the tree over the bodies. 0: out of memory */
static int cti_queries_join(ct_world *w)
{
    cti_queries *q = w->queries;
    cti_bvh_item item;
    int i;
    cti_forest_clear(&q->forest);
    CTI_CLEAR(q->items);
    CTI_CLEAR(q->planes);
    if (!CTI_RESIZE(&w->mem, q->boxes, 16 * CTI_LEN(w->bodies)))
        return 0;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        cti_box box;
        if (w->bodies[i].kind == CTI_BODY_PLANE && !CTI_PUSH(&w->mem, q->planes, i))
            return 0;
        if (q->bodies[i].n_sets == 0)
            continue;
        box = cti_queries_box(&q->bodies[i]);
        cti_nearest_box(q->boxes + 16 * (size_t)i, box.lo, box.hi);
        cti_v3_put(item.at, 0, cti_v3_mul(cti_v3_add(box.lo, box.hi), CTI_R(0.5)));
        item.id = i;
        if (!CTI_PUSH(&w->mem, q->items, item))
            return 0;
    }
    if (!cti_bvh_build(&w->mem, &q->forest, &q->tree, q->items, CTI_LEN(q->items), 1))
        return 0;
    cti_bvh_refit(&q->forest, &q->tree, cti_nearest_boxes(q->boxes), 0, NULL, 1);
    return 1;
}

/* 0: out of memory */
static int cti_queries_update(ct_world *w)
{
    int i, ok;
    if (!w->queries)
        w->queries = (cti_queries *)cti_mem_zero(&w->mem, sizeof *w->queries);
    ok = w->queries && CTI_RESIZE(&w->mem, w->queries->bodies, CTI_LEN(w->bodies));
    for (i = 0; ok && i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].kind != CTI_BODY_PLANE)
            ok = cti_queries_refit(w, i);
        else
            cti_queries_free(w, &w->queries->bodies[i]);
    return ok && cti_queries_join(w);
}

static ct_code cti_queries_open(ct_world *w)
{
    if (w->queries_ready)
        return CT_OK;
    w->queries_ready = cti_queries_update(w);
    w->mem.failed = 0;
    return w->queries_ready ? CT_OK : cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory while preparing queries");
}

CONTACT_API_DEF ct_code ct_world_update_queries(ct_world *w)
{
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
#if CONTACT_WITH_QUERIES
    CTI_FPENV_RETURN(cti_queries_open(w))
#else
    return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, 0, "built without queries (CONTACT_WITH_QUERIES 0)");
#endif
}
