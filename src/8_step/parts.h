/* parts.h -- parts of the world that keep their end while others are cut into substeps. */
#ifndef CTI_PARTS_H
#define CTI_PARTS_H

#include "cmr.h"

/* cti_component.part: left out of an attempt, since its end is faulty; carried along straight lines to the end that it has, by the split of this
   depth, the first is 1. Components that are neither are stepped. */
#define CTI_PART_OUT 1
#define CTI_PART_CARRIED(depth) (1 + (depth))

/* cti_parts_reset -- everything is stepped, and nothing has met: a step begins. cti_parts_rewind -- the same, but what has met is known: it begins
   again. */
CTI_FN void cti_parts_reset(cti_state *s);
CTI_FN void cti_parts_rewind(cti_state *s);
CTI_FN void cti_parts_free(cti_mem *mem, cti_parts *p);

/* cti_parts_begin -- an attempt begins: nothing is faulty. */
CTI_FN void cti_parts_begin(cti_state *s);
/* cti_parts_blame_pair -- both sides of a pair that collides are faulty. */
CTI_FN void cti_parts_blame_pair(cti_state *s, const cti_pair *pair);
/* cti_parts_blame_gains -- so are bodies in s->gains. */
CTI_FN void cti_parts_blame_gains(cti_state *s);
/* cti_parts_leave -- where s->parts.may: takes what is faulty out of the attempt, with all that rows, joints, or meetings earlier in the step connect
   to it, and the attempt is clear of it. Its rows and hits are gone, and it stands still at the start of the substep. Where that would be all that
   moves nothing is taken out, out->left is 0, and out->redo tells whether something had been before. 0: out of memory. */
CTI_FN int cti_parts_leave(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_parts_hurry -- the same of what is to take shorter substeps; where that is all that moves, out->hurry. */
CTI_FN int cti_parts_hurry(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_parts_wish -- 1 where a substep dt is to be halved before it is tried: everything is to take shorter ones, or something where nothing may be
   left out. */
CTI_FN int cti_parts_wish(const cti_state *s, ct_real dt, int may);
/* cti_parts_shorten -- what was left out, or with all != 0 what is stepped, takes substeps of dt / 2 from here on, or shorter ones that it took before.
   cti_parts_calm -- what is stepped ended a substep dt well: after two in a row it may take one twice as long. */
CTI_FN void cti_parts_shorten(cti_state *s, ct_real dt, int all);
CTI_FN void cti_parts_calm(cti_state *s, ct_real dt);
/* cti_parts_return -- what was left out is stepped again. */
CTI_FN void cti_parts_return(cti_state *s, cti_attempt *out);

/* cti_parts_place -- surface.x1 of what is not stepped. */
CTI_FN void cti_parts_place(cti_state *s, ct_real dt);
/* cti_parts_filter -- leaves of s->hits those that have a side that is stepped, and none that is not. Where both are there s->parts.met is set, and
   the two are in one part when the step begins again. */
CTI_FN void cti_parts_filter(cti_state *s);

/* cti_parts_keep -- before the commit of an attempt that left something out. 0: out of memory. */
CTI_FN int cti_parts_keep(cti_state *s);
/* cti_parts_carry -- after it: what was committed is carried for `span`, by the split of that depth; what was left out is at the start of the
   substep and stepped. 0: out of memory. */
CTI_FN int cti_parts_carry(cti_state *s, ct_real span, int depth);
/* cti_parts_advance -- after a commit of a substep dt of what is stepped: what is carried has its own end. */
CTI_FN void cti_parts_advance(cti_state *s, ct_real dt);
/* cti_parts_join -- what was carried by the split of this depth is at its end, and stepped again. */
CTI_FN void cti_parts_join(cti_state *s, int depth);

#endif /* CTI_PARTS_H */
