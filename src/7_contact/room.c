/* room.c -- where the vertices of a surface may be while a list of candidate pairs is complete: in the box of their way, and between its
   projections on the diagonals (an 18-DOP), as the trees bound them. The box alone would hold more, and its corners would make candidates of
   features that motions hardly ever reach: detection takes 1.6 times as long with it (skirt, 60 steps). */
#include "room.h"

CTI_FN int cti_room_reserve(cti_mem *mem, cti_room *room, const cti_surface *s)
{
    return CTI_RESIZE(mem, room->from, 3 * s->n_moving) && CTI_RESIZE(mem, room->to, 3 * s->n_moving) &&
           CTI_RESIZE(mem, room->bodies, s->n_bodies);
}

CTI_FN void cti_room_show(const cti_room *room, cti_surface *s, int body, ct_real reach)
{
    s->ranges[body].swept = room->bodies[body].swept ? CTI_SWEPT_WAY : 0;
    s->ranges[body].inflate = reach / 2 + room->bodies[body].slack;
}

CTI_FN void cti_room_set(cti_room *room, cti_surface *s, int body, const ct_real *x1, cti_room_body how, ct_real reach)
{
    const cti_soup_body *r = &s->ranges[body];
    size_t n = 3 * (size_t)(r->v1 - r->v0), at = 3 * (size_t)(r->v0 + s->bodies[body].shift);
    room->bodies[body] = how, room->version = s->soup.version;
    cti_room_show(room, s, body, reach);
    if (n == 0)
        return;
    memcpy(room->from + at, s->x0 + 3 * (size_t)r->v0, n * sizeof *x1);
    memcpy(room->to + at, x1 + 3 * (size_t)r->v0, n * sizeof *x1);
}

CTI_FN int cti_room_has(cti_room_body how, cti_v3 p0, cti_v3 p1, cti_v3 x0, cti_v3 x1)
{
    /* a ball about either end is in the room */
    ct_real near2 = CTI_R(0.99) * how.slack * how.slack;
    return (cti_v3_norm2(cti_v3_sub(x0, p0)) < near2 || cti_way_holds(p0, how.swept ? p1 : p0, how.slack, x0)) &&
           (cti_v3_norm2(cti_v3_sub(x1, p1)) < near2 || cti_way_holds(how.swept ? p0 : p1, p1, how.slack, x1));
}

/* 1 for a room of the present surface */
static int cti_room_is_of(const cti_room *room, const cti_surface *s)
{
    return room->version == s->soup.version && CTI_LEN(room->bodies) == s->n_bodies && CTI_LEN(room->from) == 3 * s->n_moving;
}

/* 1 while each vertex of a body starts and ends in its room */
static int cti_room_keeps(const cti_room *room, const cti_surface *s, int body, const ct_real *x1)
{
    const cti_soup_body *r = &s->ranges[body];
    int v, in = 1;
    for (v = r->v0; s->bodies[body].moves && v < r->v1 && in; v++) {
        int at = v + s->bodies[body].shift;
        in = cti_room_has(room->bodies[body], cti_v3_at(room->from, at), cti_v3_at(room->to, at), cti_v3_at(s->x0, v), cti_v3_at(x1, v));
    }
    return in;
}

CTI_FN int cti_room_left(const cti_room *room, const cti_surface *s, const ct_real *x1, uint8_t *left)
{
    int b, n = 0, is_of = cti_room_is_of(room, s);
    for (b = 0; b < s->n_bodies; b++)
        n += left[b] = !is_of || !cti_room_keeps(room, s, b, x1);
    return n;
}

CTI_FN int cti_room_holds(const cti_room *room, const cti_surface *s, const ct_real *x1)
{
    int b, in = cti_room_is_of(room, s);
    for (b = 0; b < s->n_bodies && in; b++)
        in = cti_room_keeps(room, s, b, x1);
    return in;
}

CTI_FN void cti_room_swap(cti_room *room, cti_surface *s, const uint8_t *which, int value)
{
    int b, i, at;
    for (b = 0; b < s->n_bodies; b++)
        for (i = 3 * s->ranges[b].v0; s->bodies[b].moves && which[b] == value && i < 3 * s->ranges[b].v1; i++) {
            ct_real x0 = s->x0[i], x1 = s->x1[i];
            at = i + 3 * s->bodies[b].shift;
            s->x0[i] = room->from[at], room->from[at] = x0;
            s->x1[i] = room->to[at], room->to[at] = x1;
        }
}

CTI_FN cti_box cti_room_box(const cti_room *room, const cti_surface *s, int vertex, int end)
{
    int b = s->body_of[vertex], at = vertex + s->bodies[b].shift, swept = room->bodies[b].swept;
    cti_v3 p0 = cti_v3_at(room->from, at), p1 = cti_v3_at(room->to, at);
    return cti_box_motion(!swept && end ? p1 : p0, !swept && !end ? p0 : p1, room->bodies[b].slack);
}
