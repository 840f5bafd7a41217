/* skin.c -- limits of nodes against targets that an animation moves. */
#include "world.h"
#include "../8_step/tethers.h"

/* first tether of a body, and their number */
static int cti_skin_range(const cti_state *s, const cti_body *b, int *out_n)
{
    const cti_tether *t = s->scripts.tethers;
    int first = 0, n = 0;
    while (first < CTI_LEN(t) && (t[first].block < b->block0 || t[first].block >= b->block0 + b->n_blocks))
        first++;
    while (first + n < CTI_LEN(t) && t[first + n].block >= b->block0 && t[first + n].block < b->block0 + b->n_blocks)
        n++;
    *out_n = n;
    return first;
}

/* the surface's normal at a node, by its triangles' areas */
static cti_v3 cti_skin_normal(const ct_world *w, const cti_body *b, int node)
{
    cti_v3 sum = cti_v3_zero();
    int t;
    for (t = 0; t < CTI_LEN(b->triangles) / 3; t++) {
        const int32_t *v = b->triangles + 3 * t;
        cti_v3 p;
        if (b->attach || (v[0] != node && v[1] != node && v[2] != node))
            continue;
        p = cti_body_point(w, b, v[0]);
        sum = cti_v3_add(sum, cti_v3_cross(cti_v3_sub(cti_body_point(w, b, v[1]), p), cti_v3_sub(cti_body_point(w, b, v[2]), p)));
    }
    return cti_v3_unit(sum, cti_v3_make(0, 1, 0));
}

static ct_code cti_skin_check(ct_world *w, const cti_body *b, const ct_skin_limit *limits, int n)
{
    const ct_body_id body = cti_world_id(w, (int)(b - w->bodies));
    uint8_t *taken = NULL;
    int i;
    if ((b->kind != CTI_BODY_SOFT && b->kind != CTI_BODY_CLOTH) || n < 0 || (n > 0 && !limits))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "limits against a skin need a cloth or soft body, and n >= 0 of them (value: n)");
    if (!CTI_RESIZE(&w->mem, taken, b->n_blocks))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, n, "out of memory; the limits are as before");
    for (i = 0; i < n; i++) {
        const ct_skin_limit *q = &limits[i];
        const ct_real R = q->backstop_radius, d = q->backstop_distance, most = q->max_distance;
        int in = q->vertex >= 0 && q->vertex < cti_body_nodes(b);
        if (!in || taken[q->vertex] || !(most > 0) || !(R >= 0) || !cti_finite(d * d * d * d) ||
            (most <= CTI_REAL_MAX && !cti_finite(most * most * most * most)) || (R <= CTI_REAL_MAX && !cti_finite(R * R * R * R)))
            break;
        taken[q->vertex] = 1;
    }
    CTI_FREE(&w->mem, taken);
    if (i < n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, limits[i].vertex,
                              "a limit has a vertex out of range or twice, or a number out of range: max_distance > 0, backstop_radius >= 0, their "
                              "fourth powers finite, or INFINITY (element: place in the list, value: vertex)");
    return CT_OK;
}

static void cti_skin_make(const ct_world *w, const cti_body *b, const ct_skin_limit *q, cti_tether *t)
{
    const int block = b->block0 + q->vertex;
    memset(t, 0, sizeof *t);
    t->block = block;
    t->key = ((cti_body_id(b, (int)(b - w->bodies)) ^ (uint64_t)(uint32_t)q->vertex << 40) + 1) * 0xd1342543de82ef95ull & ~(uint64_t)1;
    t->max_distance = q->max_distance > CTI_REAL_MAX ? -1 : q->max_distance;
    t->behind = q->backstop_distance;
    t->radius = q->backstop_radius > CTI_REAL_MAX ? 0 : q->backstop_radius > 0 ? q->backstop_radius : -1;
    memcpy(t->from, w->state.x + 3 * block, sizeof t->from), memcpy(t->to, t->from, sizeof t->to);
    cti_v3_put(t->normal, 0, cti_skin_normal(w, b, q->vertex));
    t->t0 = w->state.step.time;
}

static ct_code cti_skin_set(ct_world *w, ct_body_id body, const ct_skin_limit *limits, int n)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    cti_scripts *s;
    int i, first, had, all;
    if (!b)
        return code;
    code = cti_skin_check(w, b, limits, n);
    if (n > 0)
        CTI_THEN(code, cti_steppers_admit(w, CTI_FEATURE_SKIN, b->name));
    if (code != CT_OK)
        return code;
    s = &w->state.scripts;
    first = cti_skin_range(&w->state, b, &had), all = CTI_LEN(s->tethers);
    if (!CTI_RESERVE(&w->mem, s->tethers, all + n))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, n, "out of memory; the limits are as before");
    if (had > 0) {
        memmove(s->tethers + first, s->tethers + first + had, sizeof *s->tethers * (size_t)(all - first - had));
        stbds_header(s->tethers)->length -= (size_t)had;
    }
    for (i = 0; i < n; i++) {
        cti_tether t;
        cti_skin_make(w, b, &limits[i], &t);
        CTI_PUSH(&w->mem, s->tethers, t);
    }
    cti_sleep_wake(w, (int)(b - w->bodies));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_skin(ct_world *w, ct_body_id body, const ct_skin_limit *limits, int n)
{
    CTI_FPENV_RETURN(cti_skin_set(w, body, limits, n))
}

CONTACT_API_DEF ct_code ct_body_get_skin(const ct_world *cw, ct_body_id body, ct_skin_limit *out_limits, int capacity, int *out_n)
{
    ct_world *w = (ct_world *)cw;
    ct_code code = CT_OK;
    const cti_body *b = cti_world_find(w, body, &code);
    int i, first, n;
    if (!b)
        return code;
    if (!out_n || capacity < 0 || (capacity > 0 && !out_limits))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, capacity, "where the limits or their number go is NULL (value: capacity)");
    first = b->block0 >= 0 ? cti_skin_range(&w->state, b, &n) : (n = 0);
    for (i = 0; i < n && i < capacity; i++) {
        const cti_tether *t = &w->state.scripts.tethers[first + i];
        out_limits[i].vertex = t->block - b->block0;
        out_limits[i].max_distance = t->max_distance < 0 ? (ct_real)INFINITY : t->max_distance;
        out_limits[i].backstop_distance = t->behind;
        out_limits[i].backstop_radius = t->radius < 0 ? 0 : t->radius > 0 ? t->radius : (ct_real)INFINITY;
    }
    *out_n = n;
    return CT_OK;
}

static ct_code cti_skin_move(ct_world *w, ct_body_id body, const ct_real *positions, const ct_real *normals, int n, double dt)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    cti_state *s;
    int i, first, have = 0;
    if (!b)
        return code;
    s = &w->state;
    first = b->block0 >= 0 ? cti_skin_range(s, b, &have) : 0;
    if (n != have || (n > 0 && !positions) || !(dt > 0) || !cti_finite((ct_real)dt))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n,
                              "ct_body_move_skin: one position for each limit of the body, in a time > 0 (value: n)");
    for (i = 0; i < n; i++) {
        ct_real size = normals ? cti_v3_norm(cti_v3_at(normals, i)) : 1;
        if (!cti_bodies_is_moderate(positions + 3 * i) || !(size > 0) || !cti_finite(size))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, 0,
                                  "ct_body_move_skin: a position is not finite, or its fourth power, or a normal has no direction (element: "
                                  "place in the list)");
    }
    code = cti_bodies_check_extent(w, b, positions, n);
    if (code != CT_OK)
        return code;
    for (i = 0; i < n; i++) {
        cti_tether *t = &s->scripts.tethers[first + i];
        cti_v3_put(t->from, 0, cti_tethers_target(t, s->step.time)), cti_v3_put(t->to, 0, cti_v3_at(positions, i));
        t->t0 = s->step.time, t->span = dt;
        if (normals)
            cti_v3_put(t->normal, 0, cti_v3_unit(cti_v3_at(normals, i), cti_v3_at(t->normal, 0)));
    }
    cti_sleep_wake(w, (int)(b - w->bodies));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_move_skin(ct_world *w, ct_body_id body, const ct_real *positions, const ct_real *normals, int n, double dt)
{
    CTI_FPENV_RETURN(cti_skin_move(w, body, positions, normals, n, dt))
}
