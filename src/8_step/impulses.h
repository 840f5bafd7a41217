/* impulses.h -- impulses of contacts, joints and pins on bodies over a step: sums over its substeps. */
#pragma once

#include "state.h"

/* cti_impulses_reserve -- reserves the pins' sums for s->n blocks; new blocks start with 0. 0: out of memory. */
CTI_FN int cti_impulses_reserve(cti_state *s);
/* cti_impulses_keep -- stores the rows of A and b of blocks that pins and directions constrain, before the filter changes them. Their
   reaction is A v - b minus the impulses of rows. 0: out of memory. */
CTI_FN int cti_impulses_keep(cti_state *s);
/* cti_impulses_reactions -- impulses [3 n] of scripts on the blocks in scripts.reactions, in a substep dt to end.v: factor (A v - b) - J'
   r, without the directions in which the block is free. In system.work. */
CTI_FN const ct_real *cti_impulses_reactions(cti_state *s, ct_real dt);
/* cti_impulses_borne -- impulse that rows give to a block with a reaction along its scripted directions, which the script bears. Known after
   cti_impulses_reactions until system.work is used again. */
CTI_FN cti_v3 cti_impulses_borne(const cti_state *s, int block);
/* cti_impulses_begin -- starts the sums of a new step with 0. */
CTI_FN void cti_impulses_begin(cti_state *s);
/* cti_impulses_work -- adds what an impulse J of a contact does. u is the relative velocity of its points, `script` the scripts' part of it; of an
   impulse at an instant both are means of before and after. All [3] in the contact's frame. What a push gives that lifts is work_recovery; what else
   the impulse takes is loss_contact.
   cti_impulses_along -- the same of a touch that acts for h seconds, along the way of its points from surface.x0 to x1. It lifts what was below its
   thickness at x0. */
CTI_FN void cti_impulses_work(const ct_real *J, const ct_real *u, const ct_real *script, int lifts, ct_step_report *r);
CTI_FN void cti_impulses_along(const cti_surface *f, const cti_touch *t, ct_real h, const ct_real *script, ct_step_report *r);
/* cti_impulses_add -- adds a substep of dt that is about to be committed: contact.rows, contact.origins, end.v; and the work of its contacts to r,
   unless that is NULL. system.work and the arena are scratch. 0: out of memory. */
CTI_FN int cti_impulses_add(cti_state *s, ct_real dt, ct_step_report *r);
/* cti_impulses_joint -- adds an impulse of a joint's part on side a, in world axes. 0: out of memory. */
CTI_FN int cti_impulses_joint(cti_state *s, uint64_t key, cti_v3 r);
/* cti_impulses_merge -- one touch for each contact of a step: the sum of its impulses, in the axes of the last one. 0: out of memory. */
CTI_FN int cti_impulses_merge(cti_state *s);
/* cti_impulses_make -- a touch of a solved row. */
CTI_FN void cti_impulses_make(const cti_state *s, const cti_row *row, const cti_contact_row *origin, cti_touch *out);
/* cti_impulses_of -- a touch of a pair with its weights, in the axes of `normal`: its key, and its impulse on side a [N s], in world axes. */
CTI_FN void cti_impulses_of(const cti_surface *f, const cti_pair *pair, cti_v3 normal, cti_v3 impulse, cti_touch *out);
/* cti_impulses_index -- index by key of the step's touches so far; at: [size] index + 1 or 0. */
typedef struct cti_impulses_index {
    int32_t *at;
    int size;
} cti_impulses_index;
/* cti_impulses_open -- makes the index, in the arena, and room for a substep's touches, at most `more`. 0: out of memory. */
CTI_FN int cti_impulses_open(cti_state *s, int more, cti_impulses_index *out);
/* cti_impulses_touch -- adds a touch of the substep: one with its key becomes it, with the sum of both impulses in its axes. */
CTI_FN void cti_impulses_touch(cti_impulses *q, const cti_impulses_index *x, const cti_touch *touch);
/* cti_impulses_swap -- makes the new step's sums those that the user reads; a second call undoes that. Not in a repair, in which time does
   not advance. */
CTI_FN void cti_impulses_swap(cti_state *s);
/* cti_impulses_clear -- empties the lists of contacts, joints and pins. */
CTI_FN void cti_impulses_clear(cti_impulses *q);
