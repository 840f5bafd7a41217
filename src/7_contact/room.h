/* room.h -- where the vertices of a surface may be while a list of candidate pairs is complete. */
#pragma once

#include "surface.h"

/* cti_room_body -- of one body. A slow body has one room around the whole way of each vertex, in which contact may stop it anywhere. A fast one has
   one at each end of the way: its features move together between them. */
typedef struct cti_room_body {
    ct_real slack; /* [m] that a vertex may leave its way, or its ends, by */
    int swept;     /* 1: slow */
} cti_room_body;

/* cti_room -- zero it before first use; all are arrays. */
typedef struct cti_room {
    ct_real *from, *to; /* [3 n_moving] ends of the ways */
    cti_room_body *bodies; /* [surface bodies] */
    int version;           /* of the soup: who may meet whom */
} cti_room;

/* cti_room_reserve -- 0: out of memory. */
CTI_FN int cti_room_reserve(cti_mem *mem, cti_room *room, const cti_surface *s);
/* cti_room_set -- the room of a moving body around the motion from surface.x0 to x1. Its range in the soup is set to match: pairs that come nearer
   than `reach` to each other are candidates, when each body adds half of it. */
CTI_FN void cti_room_set(cti_room *room, cti_surface *s, int body, const ct_real *x1, cti_room_body how, ct_real reach);
/* cti_room_show -- sets the range alone, which other queries may have changed. */
CTI_FN void cti_room_show(const cti_room *room, cti_surface *s, int body, ct_real reach);
/* cti_room_swap -- exchanges the positions of bodies b with which[b] == value between surface and room, so that queries cover the room. */
CTI_FN void cti_room_swap(cti_room *room, cti_surface *s, const uint8_t *which, int value);
/* cti_room_left -- number of bodies of which some vertex starts or ends outside its room; left[b] 1 for them. All, if the surface has no room yet.
   cti_room_holds -- 1 while every moving vertex starts and ends in its room; 0 also for a surface that has no room yet. */
CTI_FN int cti_room_left(const cti_room *room, const cti_surface *s, const ct_real *x1, uint8_t *left);
CTI_FN int cti_room_holds(const cti_room *room, const cti_surface *s, const ct_real *x1);
/* cti_room_has -- 1 for a vertex that starts at x0 and ends at x1, where its way was from p0 to p1. */
CTI_FN int cti_room_has(cti_room_body how, cti_v3 p0, cti_v3 p1, cti_v3 x0, cti_v3 x1);
/* cti_room_box -- the box of a moving vertex's room at end 0 or 1. */
CTI_FN cti_box cti_room_box(const cti_room *room, const cti_surface *s, int vertex, int end);
