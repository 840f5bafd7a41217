/* parts.h -- when a step fails in one place, only the part there is cut into substeps.

   Terms, after multirate time integration (components with steps of different lengths) and optimistic simulation (conflict, rollback):
   component     blocks that A couples: one body, or a piece of one (state.h).
   attempt       one try of a substep by CMR (cmr.h). An attempt that is accepted gives each component its end.
   end           state of a component at the end of a substep.
   coupled set   components that must be accepted or rejected together: rows, joints, one body, or a conflict of this step connect them.
   failed        a component whose end is rejected: it collides, rotates too far, gains energy, or has a crushed tet or a joint with too
                 large an error.
   excluded      a component that was taken out of the attempt, since its coupled set has a failed member. It stays at the start of the
                 substep.
   active        a component that the attempt steps.
   interpolated  a component that has its end while others are stepped through the same time. Its surface moves on straight lines from its
                 start to its end: CCD has found that motion clear of all components that were accepted with it.
   inactive      excluded or interpolated.
   split         after an accepted attempt with excluded components: the accepted ones become interpolated, the excluded ones active. Splits
                 nest. Depth counts splits and halves; the step itself has 0.
   interval      time that a split spans. Active components are stepped through it in substeps, interpolated ones wait at its end.
   merge         the end of a split: all components are at the end of its interval, and active.
   conflict      a near pair or a collision between an active and an interpolated component. Neither end takes it into account.
   rollback      the response to a conflict: the step begins again, and the two components are in one coupled set for the rest of it.
   step limit    longest substep that a component takes in the rest of the step (dt_limit). A failure lowers it, successes raise it.
   given up      an attempt with implausible velocities (cti_attempt.gave_up, plausible.h). The ends of all active components are rejected. */
#pragma once

#include "cmr.h"

/* cti_substep_memory.part -- 0: the component is active. CTI_PART_INTERPOLATED(depth): it is interpolated by the split of that depth. */
#define CTI_PART_EXCLUDED 1
#define CTI_PART_INTERPOLATED(depth) (1 + (depth))

/* cti_parts_reset -- for the start of a step: all components are active and have no step limit, and no conflict is known.
   cti_parts_rollback -- for a step that begins again: the same, but components of its conflicts stay coupled. */
CTI_FN void cti_parts_reset(cti_state *s);
CTI_FN void cti_parts_rollback(cti_state *s);

/* cti_parts_begin -- for the start of an attempt: no component has failed, and excluded components are active again. */
CTI_FN void cti_parts_begin(cti_state *s);
/* cti_parts_fail_pair -- the components on both sides of a pair have failed.
   cti_parts_fail_gaining -- the components of bodies that gain energy (energy.gains) have failed. */
CTI_FN void cti_parts_fail_pair(cti_state *s, const cti_pair *pair);
CTI_FN void cti_parts_fail_gaining(cti_state *s);
/* cti_parts_exclude -- excludes the coupled sets of failed components from the attempt, if s->parts.can_exclude. The rows and hits of these
   sets are deleted, and `out` describes the others alone: the attempt is clear. If no other component moves, all stay active: out->excluded
   is 0, and out->repeats_whole is set if some had been excluded before. 0: out of memory. */
CTI_FN int cti_parts_exclude(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_parts_exclude_limited -- the same for components whose step limit is below dt, which count as failed. out->limited is set if all
   moving components have such a limit. 0: out of memory. */
CTI_FN int cti_parts_exclude_limited(cti_state *s, ct_real dt, cti_attempt *out);
/* cti_parts_include -- makes excluded components active again. They have stood still, so the attempt does not count: out->repeats_whole is set. */
CTI_FN void cti_parts_include(cti_state *s, cti_attempt *out);

/* cti_parts_must_halve -- 1 if a substep dt is halved untried: all active components have a limit below it, or some, and none can be excluded. */
CTI_FN int cti_parts_must_halve(const cti_state *s, ct_real dt, int can_exclude);
/* cti_parts_lower_limit -- after a failure at dt: the step limit of excluded components, or with all != 0 of active ones, becomes dt / 2. A
   limit that is lower already stays.
   cti_parts_raise_limit -- after a success at dt: the step limit of active components doubles if it is the second success in a row. */
CTI_FN void cti_parts_lower_limit(cti_state *s, ct_real dt, int all);
CTI_FN void cti_parts_raise_limit(cti_state *s, ct_real dt);

/* cti_parts_place -- surface.x1 of inactive components for a substep dt: excluded ones at the start, interpolated ones on their straight lines. */
CTI_FN void cti_parts_place(cti_state *s, ct_real dt);
/* cti_parts_filter -- deletes the hits of contact.hits that have an inactive side, or no active one. A hit between an active and an
   interpolated component is a conflict: s->parts.conflict is set, and both are coupled from the next try of the step on. */
CTI_FN void cti_parts_filter(cti_state *s);

/* Order of calls in a split: cti_parts_save, commit of the attempt, cti_parts_split; then for each substep of the excluded components an
   attempt, its commit, and cti_parts_advance; at the end of the interval cti_parts_merge.
   cti_parts_save -- stores the start of the substep. 0: out of memory.
   cti_parts_split -- accepted components are interpolated over `interval`, excluded ones are active, at the start. 0: out of memory.
   cti_parts_advance -- restores the end of interpolated components, which the commit of a substep dt has moved.
   cti_parts_merge -- components that the split of this depth interpolated are active again. */
CTI_FN int cti_parts_save(cti_state *s);
CTI_FN int cti_parts_split(cti_state *s, ct_real interval, int depth);
CTI_FN void cti_parts_advance(cti_state *s, ct_real dt);
CTI_FN void cti_parts_merge(cti_state *s, int depth);
