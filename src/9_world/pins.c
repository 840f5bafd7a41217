/* pins.c -- nodes that scripts hold and move, and those that move in some directions only. */
#include "world.h"

CTI_FN void cti_pins_pack_paths(cti_state *s)
{
    cti_scripts *scripts = &s->scripts;
    int i, from = -1, to = 0, n = 0;
    for (i = 0; i < CTI_LEN(scripts->pins); i++) {
        cti_pin *p = &scripts->pins[i];
        if (p->n_path == 0) {
            p->path = 0;
            continue;
        }
        if (p->path != from) {
            from = p->path, to = n;
            memmove(scripts->path + to, scripts->path + from, sizeof *scripts->path * (size_t)p->n_path);
            n += p->n_path;
        }
        p->path = to;
    }
    if (scripts->path)
        stbds_header(scripts->path)->length = (size_t)n;
}

/* Removes pins without effect: those whose time is over, and those whose axes a newer pin of the same block (covered [blocks], from block
   b0 on) holds for at least as long */
static void cti_pins_drop(cti_state *s, int b0, const uint8_t *covered, int n_covered, int axes, double until)
{
    int i, k;
    for (i = k = 0; i < CTI_LEN(s->scripts.pins); i++) {
        const cti_pin *p = &s->scripts.pins[i];
        int over = !p->axes || (p->until >= 0 && s->step.time >= p->until);
        if (!over && p->block >= b0 && p->block < b0 + n_covered && covered[p->block - b0] && !(p->axes & ~axes))
            over = until < 0 || (p->until >= 0 && p->until <= until);
        if (!over)
            s->scripts.pins[k++] = *p;
    }
    if (s->scripts.pins)
        stbds_header(s->scripts.pins)->length = (size_t)k;
    cti_pins_pack_paths(s);
}

CTI_FN ct_code cti_bodies_check_motion(ct_world *w, ct_body_id body, const ct_motion *m)
{
    int k;
    for (k = 0; m && k < 3; k++)
        if (!cti_finite(m->linear[k]) || !cti_finite(m->angular[k]) || !cti_finite(m->center[k]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "motion must be finite");
    if (m && (!cti_bodies_is_moderate(m->linear) || !cti_bodies_is_moderate(m->angular) || !cti_bodies_is_moderate(m->center)))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)cti_v3_norm(cti_v3_at(m->angular, 0)),
                              "motion.linear, angular or center is too large: its fourth power is not finite (value: angular)");
    return CT_OK;
}

CTI_FN ct_code cti_bodies_check_path(ct_world *w, ct_body_id body, const ct_motion_segment *path, int n)
{
    int i;
    if (n < 0 || (n > 0 && !path))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "n_segments without segments");
    for (i = 0; i < n; i++) {
        if (cti_bodies_check_motion(w, body, &path[i].motion) != CT_OK)
            return CT_ERR_ARGUMENT;
        if (!cti_finite((ct_real)path[i].duration) || (path[i].duration < 0 && i + 1 < n))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, path[i].duration,
                                  "a segment's duration must be finite, and may be negative in the last one only (element: segment)");
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_pin(ct_world *w, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion *motion, double until)
{
    ct_motion_segment one;
    memset(&one, 0, sizeof one);
    if (motion)
        one.motion = *motion;
    one.duration = -1;
    return ct_body_pin_path(w, body, vertices, n, axes, &one, motion ? 1 : 0, until);
}

/* refuses vertices and axes that a deformable body does not have */
static ct_code cti_pins_check(ct_world *w, const cti_body *b, const int32_t *vertices, int n, int axes)
{
    const ct_body_id body = cti_world_id(w, (int)(b - w->bodies));
    int i;
    if (!cti_body_has_model(b) || n < 0 || (n > 0 && !vertices))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "pins need a deformable body and n >= 0 of its vertices (value: n)");
    if (!axes || (axes & ~CT_AXIS_ALL))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, axes,
                              "axes is no mask of CT_AXIS_X, CT_AXIS_Y and CT_AXIS_Z; ct_body_unpin releases what a pin holds (value: axes)");
    for (i = 0; i < n; i++)
        if (vertices[i] < 0 || vertices[i] >= cti_body_nodes(b))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, vertices[i],
                                  "a pinned vertex is out of range, see ct_body_node_count (element: place in the list, value: vertex)");
    return CT_OK;
}

/* covered [nodes], new: 1 for the listed vertices. NULL: out of memory */
static uint8_t *cti_pins_cover(ct_world *w, const cti_body *b, const int32_t *vertices, int n)
{
    uint8_t *covered = NULL;
    int i;
    if (!CTI_RESIZE(&w->mem, covered, cti_body_nodes(b)))
        return NULL;
    for (i = 0; i < n; i++)
        covered[vertices[i]] = 1;
    return covered;
}

/* a pin like p on a block, from where it is; there is room for it */
static void cti_pins_add(ct_world *w, int block, const cti_pin *p)
{
    cti_pin q = *p;
    q.block = block;
    memcpy(q.start, w->state.x + 3 * block, sizeof q.start);
    CTI_PUSH(&w->mem, w->state.scripts.pins, q);
}

/* what every new pin of n nodes needs: the stepper's leave, a check, room for n pins and `pieces` of paths; *out_covered: freed by the caller */
static ct_code cti_pins_open(ct_world *w, const cti_body *b, const int32_t *vertices, int n, int axes, int pieces, uint8_t **out_covered)
{
    cti_scripts *s = &w->state.scripts;
    if (cti_steppers_admit(w, CTI_FEATURE_PIN, NULL) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    if (cti_pins_check(w, b, vertices, n, axes) != CT_OK)
        return CT_ERR_ARGUMENT;
    *out_covered = cti_pins_cover(w, b, vertices, n);
    if (*out_covered && CTI_RESERVE(&w->mem, s->pins, CTI_LEN(s->pins) + n) && CTI_RESERVE(&w->mem, s->path, CTI_LEN(s->path) + pieces))
        return CT_OK;
    CTI_FREE(&w->mem, *out_covered);
    return cti_world_fail(w, CT_ERR_MEMORY, cti_world_id(w, (int)(b - w->bodies)), -1, n, "out of memory; nothing was pinned");
}

CONTACT_API_DEF ct_code ct_body_pin_path(ct_world *w, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion_segment *segments,
                                         int n_segments, double until)
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i;
    uint8_t *covered = NULL;
    cti_pin p;
    if (!b)
        return code;
    if (!(until == until))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, until, "a pin's end is not a number");
    if (cti_bodies_check_path(w, body, segments, n_segments) != CT_OK)
        return CT_ERR_ARGUMENT;
    code = cti_pins_open(w, b, vertices, n, axes, n_segments, &covered);
    if (code != CT_OK)
        return code;
    cti_sleep_wake(w, (int)(b - w->bodies));
    cti_pins_drop(&w->state, b->block0, covered, cti_body_nodes(b), axes, until);
    memset(&p, 0, sizeof p);
    p.axes = axes, p.path = CTI_LEN(w->state.scripts.path), p.n_path = n_segments;
    p.t0 = w->state.step.time, p.until = until;
    for (i = 0; n > 0 && i < n_segments; i++)
        CTI_PUSH(&w->mem, w->state.scripts.path, segments[i]);
    for (i = 0; i < n; i++)
        cti_pins_add(w, b->block0 + vertices[i], &p);
    CTI_FREE(&w->mem, covered);
    return CT_OK;
}

/* the straight way of a block to its target in dt. 0: it is too fast */
static int cti_pins_way(const ct_world *w, int block, const ct_real *target, double dt, ct_motion_segment *out)
{
    int k;
    memset(out, 0, sizeof *out);
    out->duration = dt;
    for (k = 0; k < 3; k++)
        out->motion.linear[k] = (ct_real)(((double)target[k] - (double)w->state.x[3 * block + k]) / dt);
    return cti_bodies_is_moderate(out->motion.linear);
}

/* pins the listed nodes on their ways */
static ct_code cti_pins_move_listed(ct_world *w, const cti_body *b, const int32_t *vertices, const ct_real *positions, int n, double dt)
{
    ct_motion_segment one;
    uint8_t *covered = NULL;
    cti_pin p;
    int i;
    ct_code code = cti_pins_open(w, b, vertices, n, CT_AXIS_ALL, n, &covered);
    for (i = 0; code == CT_OK && i < n; i++)
        if (!cti_pins_way(w, b->block0 + vertices[i], positions + 3 * i, dt, &one))
            code = cti_world_fail(w, CT_ERR_ARGUMENT, cti_world_id(w, (int)(b - w->bodies)), i, dt,
                                  "ct_body_move_vertices: the way in this time is too fast: the fourth power of the speed is not finite "
                                  "(element: place in the list, value: dt)");
    if (code == CT_OK) {
        cti_sleep_wake(w, (int)(b - w->bodies));
        cti_pins_drop(&w->state, b->block0, covered, cti_body_nodes(b), CT_AXIS_ALL, -1);
        memset(&p, 0, sizeof p);
        p.axes = CT_AXIS_ALL, p.n_path = 1, p.t0 = w->state.step.time, p.until = -1;
    }
    for (i = 0; code == CT_OK && i < n; i++) {
        cti_pins_way(w, b->block0 + vertices[i], positions + 3 * i, dt, &one);
        p.path = CTI_LEN(w->state.scripts.path);
        CTI_PUSH(&w->mem, w->state.scripts.path, one);
        cti_pins_add(w, b->block0 + vertices[i], &p);
    }
    CTI_FREE(&w->mem, covered);
    return code;
}

CTI_FN ct_code cti_pins_move(ct_world *w, const cti_body *b, const int32_t *vertices, const ct_real *positions, int n, double dt)
{
    int32_t *all = NULL;
    int i;
    ct_code code;
    if (!vertices && n > cti_body_nodes(b))
        return cti_world_fail(w, CT_ERR_ARGUMENT, cti_world_id(w, (int)(b - w->bodies)), -1, n, "ct_body_move_vertices: more positions than nodes");
    if (!vertices && !CTI_RESIZE(&w->mem, all, n))
        return cti_world_fail(w, CT_ERR_MEMORY, cti_world_id(w, (int)(b - w->bodies)), -1, n, "out of memory; nothing was pinned");
    for (i = 0; !vertices && i < n; i++)
        all[i] = i;
    code = cti_pins_move_listed(w, b, vertices ? vertices : all, positions, n, dt);
    CTI_FREE(&w->mem, all);
    return code;
}

CONTACT_API_DEF ct_code ct_body_unpin(ct_world *w, ct_body_id body, const int32_t *vertices, int n, int axes)
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i;
    uint8_t *covered;
    if (!b)
        return code;
    if (cti_pins_check(w, b, vertices, n, axes) != CT_OK)
        return CT_ERR_ARGUMENT;
    covered = cti_pins_cover(w, b, vertices, n);
    if (!covered)
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, n, "out of memory; nothing was released");
    for (i = 0; i < CTI_LEN(w->state.scripts.pins); i++) {
        cti_pin *p = &w->state.scripts.pins[i];
        if (p->block >= b->block0 && p->block < b->block0 + cti_body_nodes(b) && covered[p->block - b->block0])
            p->axes &= ~axes;
    }
    cti_pins_drop(&w->state, b->block0, covered, 0, 0, 0);
    CTI_FREE(&w->mem, covered);
    return CT_OK;
}

/* the projector nearest to a matrix that is almost one: the iteration P <- 3 P^2 - 2 P^3 drives its eigenvalues to 0 and 1 (McWeeny
   1960) */
static void cti_bodies_purify(const ct_real *from, ct_real *P)
{
    int i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            P[3 * i + j] = (from[3 * i + j] + from[3 * j + i]) / 2;
    for (k = 0; k < 4; k++) {
        cti_m3 sq = cti_m3_mul(P, P), cube = cti_m3_mul(sq.m, P);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                P[3 * i + j] = (3 * sq.m[3 * i + j] - 2 * cube.m[3 * i + j] + 3 * sq.m[3 * j + i] - 2 * cube.m[3 * j + i]) / 2;
    }
}

/* number of the direction pin of a block, or -1 */
static int cti_directions_find(const cti_state *s, int block)
{
    int i;
    for (i = CTI_LEN(s->scripts.directions) - 1; i >= 0; i--)
        if (s->scripts.directions[i].block == block)
            break;
    return i;
}

/* sets a direction pin; there is room for it */
static void cti_directions_set(cti_state *s, const cti_direction *d)
{
    int at = cti_directions_find(s, d->block);
    if (at >= 0)
        s->scripts.directions[at] = *d;
    else
        CTI_PUSH(s->mem, s->scripts.directions, *d);
}

CONTACT_API_DEF ct_code ct_body_constrain(ct_world *w, ct_body_id body, int vertex, const ct_real projector[9])
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i, j;
    cti_direction d;
    cti_m3 sq;
    if (!b)
        return code;
    if (cti_steppers_admit(w, CTI_FEATURE_DIRECTION, NULL) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    if (!cti_body_has_model(b) || vertex < 0 || vertex >= cti_body_nodes(b) || !projector)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, vertex, "the constrained vertex is out of range (element: vertex)");
    /* a projector is symmetric and idempotent */
    sq = cti_m3_mul(projector, projector);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (!(cti_abs(projector[3 * i + j] - projector[3 * j + i]) <= CTI_R(1e-4)) ||
                !(cti_abs(sq.m[3 * i + j] - projector[3 * i + j]) <= CTI_R(1e-4)))
                return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, (double)projector[3 * i + j], "the matrix is no symmetric projector");
    d.block = b->block0 + vertex;
    cti_bodies_purify(projector, d.projector);
    if (!CTI_RESERVE(&w->mem, w->state.scripts.directions, CTI_LEN(w->state.scripts.directions) + 1))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory");
    cti_sleep_wake(w, (int)(b - w->bodies));
    cti_directions_set(&w->state, &d);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_pin_impulse(const ct_world *cw, ct_body_id body, int32_t vertex, ct_real out_impulse[3])
{
    ct_world *w = (ct_world *)cw;
    const ct_real *pins;
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int block, i, k;
    if (!b)
        return code;
    if (cti_steppers_admit(w, CTI_FEATURE_DIRECTION, NULL) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    if (!cti_body_has_model(b) || vertex < 0 || vertex >= cti_body_nodes(b) || !out_impulse)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, vertex,
                              "a pin's impulse needs a deformable body, one of its nodes and room for it (element: vertex)");
    pins = w->state.history.impulses.pins;
    block = b->block0 + vertex;
    for (k = 0; k < 3; k++)
        out_impulse[k] = 3 * block < CTI_LEN(pins) ? pins[3 * block + k] : 0;
    for (i = cti_body_nodes(b); i < b->n_blocks && 3 * (b->block0 + i) < CTI_LEN(pins); i++) { /* half of that of middles of its edges */
        const int32_t *ends = b->split.edges + 2 * (size_t)(i - cti_body_nodes(b));
        for (k = 0; k < 3 && (ends[0] == vertex || ends[1] == vertex); k++)
            out_impulse[k] += pins[3 * (b->block0 + i) + k] / 2;
    }
    return CT_OK;
}
