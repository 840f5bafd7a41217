/* rows.h -- from a feature pair to a row of the contact problem: normal, gap, attachments, friction, memory. */
#pragma once

#include "../6_model/rigid.h"
#include "memory.h"
#include "../2_linalg/bsr.h"

/* cti_row_context -- the data of the step that rows need. */
typedef struct cti_row_context {
    const cti_surface *surface;
    const uint8_t *fixed;     /* [n blocks] 1: all three axes are scripted */
    const ct_real *v_fixed;   /* [3 n] scripted velocity of fixed blocks, 0 elsewhere [m/s] */
    const ct_real *inv_mass;  /* [n] 1/kg; 0 for angular blocks */
    const ct_real *v;         /* [3 n] tentative velocities: rows of rigid bodies are linearized there and at surface->x1 */
    const ct_real *v_star;    /* [3 n] velocities without contacts: tangents are aligned with them; NULL: tangents depend on the normal alone */
    const ct_real *v_start, *v_free; /* [3 n] velocities at the start, and without contacts */
    const cti_rigid *rigids;  /* NULL: impulses stop motions, and bear nothing */
    ct_cone cone;
    const ct_real *frames;    /* [9 rigids] rotations at the start of the step */
    const cti_bsr *A;         /* of this step */
    const cti_memory *memory;
    ct_real dt;               /* of this step */
    ct_real cut;              /* [1] length of the whole step over that of this substep */
    ct_real slight;           /* [m] gap or slip that the solver's tolerance leaves in a whole step */
    int own;                  /* 1: a row starts from multipliers of its own pair, never from those of a pair that it represents
                                 (cti_hit.before) */
    int at_start;             /* 1: rows of rigid bodies stay linearized at the start of the step (CT_ROW_VELOCITY) */
    int springs;              /* 1: rows are potentials, whose forces are those of the end of the step */
    ct_real recovery_speed;   /* [m/s] cap on the recovery of gaps; 0: none */
    cti_v3 gravity;           /* [m/s^2] */
} cti_row_context;

/* cti_contact_row -- a row and where it comes from. */
typedef struct cti_contact_row {
    cti_pair pair;
    ct_real thickness;
    ct_real gap0;  /* along the normal at the start of the step, less the thickness; of a joint that gives: what a substep closes, 0: none; of a row
                      that turned: that of its tangent there */
    ct_real slip[3]; /* [m] remembered slip, which the stick target undoes */
    ct_real base[3]; /* [m/s] w without the script's motion and without the term of a linearization; of a stitch that is damped across, less
                        the velocity that the common rotation of the jointed bodies gives it */
    ct_real script[3]; /* [m/s] relative velocity of the pair's points by scripts, in the frame */
    int is_nonlinear; /* 1: a rigid body takes part, so that the row is linearized again in every round */
    ct_real lift;    /* see cti_memory_item */
    ct_real load, asked; /* > 0 where the row lifts a loaded contact: the last step's normal multiplier [N s], and the requested speed
                            [m/s] */
    int is_unsolved; /* 1: not solved yet */
    int is_changed; /* 1: linearized again since its last solve, with a change that matters; 2: with one of a thickness or more */
    ct_real joint_error; /* violation of a joint's equation at the tentative motion, over the error that it may have */
    ct_real gives, anchor[3]; /* > 0: compliance [1/kg] of a joint that is being closed, around an impulse [N s] in world axes (joints.c) */
    int joint;     /* 0: a contact; else 1 + 2 joint + part: a joint's row, whose pair means nothing */
    int tether;    /* > 0: 1 + 2 number + kind of a limit in cti_scripts.tethers; its pair has no vertices, gives is its compliance, anchor[0] r0 */
    int spin;      /* > 0: number of a contact whose bodies spin with friction; below 0: minus that, of the rows of this friction (spins.h) */
    int repair;    /* 1: separates features that intersect; not a contact */
} cti_contact_row;

/* cti_rows_recovery -- [m/s] the largest speed at which a missing gap (gap < 0) is recovered. */
CTI_FN ct_real cti_rows_recovery(const cti_row_context *c, ct_real gap);
/* cti_rows_build -- fills row and origin for `pair` with weights set and unit normal n (from b to a); the gap is measured at x0. Returns 0
   when no unknown takes part (nothing to solve). before, keep: see cti_hit. twin > 0 distinguishes several rows of one pair. */
CTI_FN int cti_rows_build(const cti_row_context *c, const cti_pair *pair, cti_v3 n, uint64_t before, int twin, ct_real keep,
                          cti_row *row, cti_contact_row *origin);

/* cti_rows_linearize -- recomputes arms and w of a nonlinear row at the tentative state of the context: w + J v is the exact relative
   velocity there. Returns the largest change of a row's velocity at v [m/s]. */
CTI_FN ct_real cti_rows_linearize(const cti_row_context *c, cti_row *row, const cti_contact_row *origin);

/* cti_rows_turn -- gives a nonlinear row the normal and the weights of its pair at the end of the motion, surface->x1. Its gap there is exact to
   first order; the law and the slip stay. */
CTI_FN void cti_rows_turn(const cti_row_context *c, cti_row *row, cti_contact_row *origin);

/* cti_rows_arm -- arm of a rigid body's point [m], given in the body's frame, in the tentative motion of the context, or at the start where rows stay
   linearized there; `turning`: the body's angular block, late: see cti_rigid_arm. */
CTI_FN cti_v3 cti_rows_arm(const cti_row_context *c, int rigid, int turning, cti_v3 point, ct_real late);

/* cti_rows_answer -- velocity of term k's block for a unit impulse along n at the contact: w n / m, or I^-1 (arm x n). */
CTI_FN cti_v3 cti_rows_answer(const cti_row_context *c, const cti_term *t, cti_v3 n);

/* cti_rows_sticks -- 1 where the friction pair lies strictly inside its cone. */
CTI_FN int cti_rows_sticks(ct_cone cone, const cti_row *row);

/* cti_rows_remember -- fills the memory for the next step from the solved rows; v [3 blocks] the solution. 0 when memory ran out. */
CTI_FN int cti_rows_remember(cti_mem *mem, const cti_row_context *c, const cti_row *rows, const cti_contact_row *origins, int n, const ct_real *v,
                             cti_memory *out);
