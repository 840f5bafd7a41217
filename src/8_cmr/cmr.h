/* cmr.h -- one attempt at a (sub)step by constraint manifold refinement. [Otaduy 2009, sec. 4] */
#pragma once

#include "../8_step/assemble.h"
#include "../8_step/energy.h"
#include "events.h"
#include "../8_step/joints.h"
#include "../8_step/move.h"
#include "../8_step/repair.h"
#include "../8_step/solve_islands.h"

/* cti_attempt_work -- work and times of an attempt. */
typedef struct cti_attempt_work {
    int newton;           /* linearizations */
    int rounds;           /* solves */
    int solver_iterations, solver_sweeps, solver_quick, linear_iterations;
    int solver_fallbacks; /* islands, over all solves */
    int candidates;
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve;
} cti_attempt_work;

/* cti_attempt -- how an attempt ended. */
typedef struct cti_attempt {
    int clear;          /* the motion to end.x is free of collisions */
    int converged;      /* no solve diverged and the motion is plausible; otherwise end.x is meaningless */
    int budget;         /* the last solve ended on its budget, above its tolerance */
    int extended;       /* tets whose log J was continued */
    int crushed;        /* tets that the motion compresses below J = 0.2 */
    int rotated_far;           /* rigid bodies that rotate by more than half a radian, and may meet another feature (rotation.h) */
    ct_real event;      /* [s] > 0: the attempt ended early because features first meet then (events.h); it is neither clear nor failed */
    int gave_up;        /* 1: the velocities were implausible, and end.x is x (plausible.h) */
    int implausible;    /* number of blocks with implausible velocities of their own, marked in cti_state.scripts.held */
    int gained;         /* bodies that gain energy (energy.h) */
    int strained;       /* rows of joints whose error at the end is too large */
    int excluded;       /* components that are excluded (parts.h); the other fields describe active components alone */
    int limited;        /* 1: the attempt ended at once, since all components that move have a step limit below dt */
    int redo;           /* 1: components were excluded, and then the others failed as well: the attempt is made again without exclusion */
    ct_real residual;   /* of the last solve: the largest of natural map, dynamics, and what contacts that turned still miss; relative as these */
    cti_pair limit;     /* a pair that still collides when not clear; n 0: none */
    cti_attempt_work work;
} cti_attempt;

/* cti_cmr_attempt -- one attempt from (x, v) to tentative end.v, end.x and surface.x1 over dt. Multipliers start from `memory`. x and v are
   not changed. Returns 0 when memory ran out. */
CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, cti_attempt *out);

/* cti_cmr_move -- cti_move; excluded components stay where they are. */
CTI_FN void cti_cmr_move(cti_state *s, ct_real dt);
/* cti_cmr_collide -- stores the collisions of the motion to surface.x1 in contact.hits; the candidate lists are completed for it first. 0:
   out of memory. */
CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out);
/* cti_cmr_scale -- the velocity that residuals of active components are relative to. */
CTI_FN ct_real cti_cmr_scale(const cti_state *s, ct_real dt);
