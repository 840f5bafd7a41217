/* cmr.h -- one attempt at a (sub)step by constraint manifold refinement. [Otaduy 2009, sec. 4]
   Terms, besides those of docs/step.md and parts.h:
   linearization  A v = b at system.q; Newton's method repeats it where bodies gain energy.
   hit            a pair that gets a row: near at the start of the substep, or a collision of the tentative motion.
   tentative      velocities end.v [m/s] and positions end.x, surface.x1 [m] of the attempt; a commit makes them the state.
   round          one solve of all unsolved rows, then CCD of the motion; its collisions are the hits of the next round.
   unsolved row   a row that is new, or whose linearization changed: its island is solved in the next round.
   row error      violation of a contact's normal law [m/s] in rows that were linearized again after their solve.
   clear          CCD finds no collision in the tentative motion.
   to fail        of a component: its end is rejected (cti_state_fail); of an attempt: no end is accepted.
   budget         sweeps or iterations that a solve may use; it ended on them above its tolerance.
   fail-safe      what ends a substep that fails and cannot be shorter: impact zones (zones.h), then blocks at rest.
   held, rested   of a block: kept in place by an attempt that is solved around it; and, once that substep ends. Zones freeze blocks instead.
   paper          Otaduy 2009 as printed (termination PAPER): no component is excluded, and no gain of energy is refused.
   docs/step.md says where a new contact law goes. */
#pragma once

#include "../8_step/assemble.h"
#include "../8_step/energy.h"
#include "events.h"
#include "../8_step/joints.h"
#include "../8_step/move.h"
#include "../8_step/repair.h"
#include "../8_step/solve_islands.h"

/* cti_attempt_work -- the work and the times of an attempt. */
typedef struct cti_attempt_work {
    int newton;           /* linearizations */
    int rounds;           /* solves */
    int solver_iterations, solver_sweeps, solver_quick, linear_iterations;
    int solver_fallbacks; /* islands that another solver solved after the chosen one failed, over all solves */
    int candidates;
    double linear; /* [units] of the first linearization and its free motion (frame.h) */
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve;
} cti_attempt_work;

/* cti_attempt -- how an attempt ended. Numbers count what they name. */
typedef struct cti_attempt {
    int clear;          /* 1: the motion to end.x has no collisions */
    int tested;         /* 1: contact.hits are all collisions of the motion: the bound of the call left no other round */
    int converged;      /* 1: no solve diverged and the motion is plausible; otherwise end.x is meaningless */
    int budget;         /* 1: the last solve ended on its budget, above its tolerance */
    int extended_tets;  /* tets below J = 0.2, where a polynomial continues log J (6_model/tet.c) */
    int crushed;        /* tets that the motion compresses below J = 0.2 */
    int rotated_far;    /* rigid bodies that rotate by more than half a radian, and may meet another feature (rotation.h) */
    ct_real impact;     /* [s] > 0: the attempt ended early because features first meet then (events.h); it is neither clear nor failed */
    int gave_up;        /* 1: the velocities were implausible, and end.x is x (plausible.h) */
    int implausible;    /* blocks with implausible velocities of their own, marked in cti_state.scripts.held */
    int gained;         /* bodies that gain energy (energy.h) */
    int unclosed_joint_rows; /* rows of joints that are being closed, and of which the motion closes less than half of what it should */
    int missed_rows;    /* contacts of rigid bodies that the motion misses, as the last linearization sees them, by more than the tolerance */
    int unresolved_joints; /* rows of joints whose error at the end is too large */
    int excluded;       /* components that are excluded (parts.h); all other fields describe active components alone */
    int limited;        /* 1: the attempt ended at once, since all components that move have a step limit below dt */
    int repeats_whole;  /* 1: components were excluded, and then the others failed as well: the attempt is made again without exclusion */
    ct_real residual;   /* of the last solve: the largest of natural map, dynamics and row error, over the velocity scale */
    cti_pair limit;     /* a pair that still collides when not clear; n 0: none does */
    cti_attempt_work work;
} cti_attempt;

/* cti_cmr_attempt -- makes one attempt from (x, v) to tentative end.v, end.x and surface.x1 over dt. Multipliers start from `memory`. x and v
   are not changed. Returns 0 when memory ran out. */
CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, cti_attempt *out);

/* cti_cmr_move -- moves active components (cti_move); inactive ones are where parts.h has them. */
CTI_FN void cti_cmr_move(cti_state *s, ct_real dt);
/* cti_cmr_price -- units of work (frame.h) of moving and collecting the collisions of a motion. */
CTI_FN double cti_cmr_price(const cti_state *s);
/* cti_cmr_collide -- completes the candidate lists, and stores the collisions of the motion to surface.x1 in contact.hits. 0: out of memory. */
CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out);
/* cti_cmr_scale -- returns the velocity that residuals of active components are relative to. */
CTI_FN ct_real cti_cmr_scale(const cti_state *s, ct_real dt);
