/* inside.h -- containment: finds parts of surfaces that went into, or out of, closed surfaces without an intersection in any tested
   state. */
#ifndef INSIDE_H
#define INSIDE_H

#include "sim.h"

/* inside_is_closed -- 1 for a surface that is closed and oriented: every directed edge has its opposite exactly once. */
int inside_is_closed(const sim_body *b);
typedef struct inside_state inside_state;
/* inside_create -- splits all surfaces into connected parts and stores which of them are inside of which closed body at the start. tangled: parts
   that are inside at the start may come out. Bodies that a joint of the scene lets overlap are not tested with each other. */
inside_state *inside_create(const sim *m, const scene *from, int tangled);
/* inside_count -- parts whose side changed since the start, and surface vertices on the wrong side of a plane. The first one is described in
   text. */
long inside_count(inside_state *s, const sim *m, char *text, size_t size);
/* inside_inverted -- inner nodes of soft bodies behind a plane, below which their surface is not: elements there are inverted. The first is described
   in text. */
long inside_inverted(const inside_state *s, const sim *m, char *text, size_t size);
void inside_free(inside_state *s);

#endif /* INSIDE_H */
