/* room.c -- where the vertices of a surface may be while a list of candidate pairs is complete: in the box of their way, and between its
   projections on the diagonals (an 18-DOP), as the trees bound them. The box alone would hold more, and its corners would make candidates of
   features that motions hardly ever reach: detection takes 1.6 times as long with it (skirt, 60 steps). */
#include "room.h"

CTI_FN int cti_room_reserve(cti_mem *mem, cti_room *room, const cti_surface *s)
{
    return CTI_RESIZE(mem, room->from, 3 * s->n_moving) && CTI_RESIZE(mem, room->to, 3 * s->n_moving) &&
           CTI_RESIZE(mem, room->bodies, s->n_bodies);
}

CTI_FN void cti_room_set(cti_room *room, cti_surface *s, int body, const ct_real *x1, cti_room_body how, ct_real reach)
{
    cti_soup_body *r = &s->ranges[body];
    size_t n = 3 * (size_t)(r->v1 - r->v0), at = 3 * (size_t)(r->v0 + s->bodies[body].shift);
    room->bodies[body] = how, room->version = s->soup.version;
    r->swept = how.swept ? CTI_SWEPT_WAY : 0;
    r->inflate = reach / 2 + how.slack;
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

CTI_FN int cti_room_holds(const cti_room *room, const cti_surface *s, const ct_real *x1)
{
    int b, v;
    if (room->version != s->soup.version || CTI_LEN(room->bodies) != s->n_bodies || CTI_LEN(room->from) != 3 * s->n_moving)
        return 0;
    for (b = 0; b < s->n_bodies; b++) {
        cti_room_body how = room->bodies[b];
        for (v = s->ranges[b].v0; s->bodies[b].moves && v < s->ranges[b].v1; v++) {
            cti_v3 p0 = cti_v3_at(room->from, v + s->bodies[b].shift), p1 = cti_v3_at(room->to, v + s->bodies[b].shift);
            if (!cti_room_has(how, p0, p1, cti_v3_at(s->x0, v), cti_v3_at(x1, v)))
                return 0;
        }
    }
    return 1;
}

CTI_FN cti_box cti_room_box(const cti_room *room, const cti_surface *s, int vertex, int end)
{
    int b = s->body_of[vertex], at = vertex + s->bodies[b].shift, swept = room->bodies[b].swept;
    cti_v3 p0 = cti_v3_at(room->from, at), p1 = cti_v3_at(room->to, at);
    return cti_box_motion(!swept && end ? p1 : p0, !swept && !end ? p0 : p1, room->bodies[b].slack);
}
