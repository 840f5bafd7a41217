/* stepper.h -- the interface of a stepper to the world: a struct of functions. CT_STEPPER_LIST (methods.h) is the table of steppers.
   A stepper is a folder, and a function `const cti_stepper *cti_stepper_<word>(void)` that returns its struct. Its definition
   begins with CTI_CONSTANT_FN: in a build with one stepper the members are constants. Elsewhere a stepper has its lines in
   MANIFEST, its switch in config.h, and its options in ct_world_desc. docs/step.md has the list. */
#pragma once

#include "../0_base/archive.h"
#include "state.h"

/* cti_feature -- features of a world that a stepper may refuse. */
typedef enum cti_feature {
    CTI_FEATURE_SOFT,      /* bodies of each kind */
    CTI_FEATURE_CLOTH,
    CTI_FEATURE_ROD,
    CTI_FEATURE_POINTS,
    CTI_FEATURE_RIGID,
    CTI_FEATURE_STATIC,
    CTI_FEATURE_PLANE,
    CTI_FEATURE_KINEMATIC,
    CTI_FEATURE_SEGMENTS,  /* segments of a static or kinematic body that are in no triangle */
    CTI_FEATURE_PIN,       /* blocks whose axes a script moves */
    CTI_FEATURE_DIRECTION, /* blocks that move along a line or in a plane */
    CTI_FEATURE_JOINT,     /* joints and stitches */
    CTI_FEATURE_DRIVE,     /* sliders, limits, motors, drags */
    CTI_FEATURE_FRICTION,  /* a body with friction above 0 */
    CTI_FEATURE_SELF,      /* a body that collides with itself */
    CTI_FEATURE_BELT,      /* a surface that moves along itself */
    CTI_FEATURE_FORCE,     /* forces of a program, pressures, gravity scales */
    CTI_FEATURE_MASS,      /* masses of nodes other than by density */
    CTI_FEATURE_SKIN,      /* limits of nodes against targets */
    CTI_FEATURE_WIND,      /* drag and lift of air */
    CTI_FEATURE_REPAIR,    /* ct_world_repair */
    CTI_FEATURE_PROBLEM,   /* ct_world_dump_problem */
    CTI_FEATURE_SNAPSHOT,  /* ct_world_snapshot_save */
    CTI_FEATURE_STEP       /* a step of length cti_state.step.dt, in a world that is prepared */
} cti_feature;

/* cti_stepper_body -- data of a surface body for a stepper, passed when the world is prepared. The world keeps `nodes`. */
typedef struct cti_stepper_body {
    int model;            /* in cti_bodies.models; -1: not deformable */
    int rigid;            /* in cti_bodies.rigids; -1: not rigid */
    int embedded;         /* 1: its surface is embedded in the tets, 0: it is their boundary */
    int block0, n_blocks; /* its unknowns in cti_state */
    const ct_real *nodes; /* [3 n_blocks] positions of a deformable body's nodes when it was added; NULL: not deformable */
    int n_middles;        /* the last blocks of it are nodes at the middles of edges, with ends [2 n_middles], counted from block0 */
    const int32_t *ends;
} cti_stepper_body;

/* cti_stepper_own -- private data of zeros, which live until bodies or joints change. NULL: out of memory. */
CTI_INLINE void *cti_stepper_own(cti_state *s, size_t size) { return s->own = cti_mem_zero(&s->prepared, size); }

/* cti_stepper_archived -- private data that outlive a change of bodies, for an archive. Where there are none yet, a check makes them, of zeros; else
   `none` [size] stands for them. */
CTI_INLINE void *cti_stepper_archived(const cti_archive *a, cti_state *s, void *none, size_t size)
{
    if (!s->own && cti_archive_checks(a))
        s->own = cti_mem_zero(s->mem, size);
    memset(none, 0, size);
    return s->own ? s->own : none;
}

struct cti_program;

/* cti_refusal -- a feature that a stepper does not have, and the reason: a sentence for the error's text, which begins with the body's name. */
typedef struct cti_refusal {
    cti_feature what;
    const char *why;
} cti_refusal;

/* what a stepper is like */
enum {
    CTI_STEPPER_ENDS_APART = 1,    /* a step that begins without intersections ends without one */
    CTI_STEPPER_NEEDS_FACTORS = 2, /* the world keeps factors of A, by components (factors.h) */
    CTI_STEPPER_CUTS = 4,          /* takes ccd_limits_step */
    CTI_STEPPER_PRINTED = 8,       /* takes termination PAPER */
    CTI_STEPPER_HALFWAY = 16       /* velocities of what falls are those of the middle of the step (cti_motion_kick) */
};

/* cti_stepper -- members may be NULL, except check, prepare and step.
   defaults  sets the stepper's own options in the default description
   check     tests the description: CT_OK, or cti_error_set's code. All steppers of a build check the ranges of their own options, in every
             world; the world's stepper (d->stepper) also checks the rest
   complete  sets values that a description leaves to the stepper, in the world's copy of it
   refusals  features that worlds of this stepper do not have, up to one without a reason
   refuses   the same of features that only some worlds do not have: the reason, or NULL
   prepare   makes cti_state.own, the stepper's private data, after bodies or joints have changed; surface, models, rigids, joints, scratch
             and A's pattern are ready. bodies [surface.n_bodies]. 0: out of memory; `unprepare` is called then, too
   step      one step: CT_OK with the whole report except the sums of its times, or an error with the state unchanged: CT_ERR_MEMORY, or
             CT_ERR_DOMAIN where the start intersects and cti_state.step.limit names the pair. cti_state has
             the same layout for all steppers: a rigid body has two blocks (velocity of its centre, angular velocity) and a pose. A stepper
             with other unknowns keeps them in `own`, reads the state when a step begins and commits to it at the end. It saves
             cti_state.step.start (snapshot.h) before it changes anything, since cti_step_undo restores the state from there
   problem   the last step's problem as a stand-alone one, with its solution; the caller frees *out, also after a failure. 0: out of memory.
             NULL: the world makes it from cti_state.contact.rows. Called only if cti_state.contact.is_solved is set
   archive   what its later steps use of `own` (0_base/archive.h); prepared 0: of it what outlives a change of bodies. NULL: nothing
   unprepare before bodies or joints change, where `own` is in cti_state.mem: zeroes what of it is in cti_state.prepared; `own` may be NULL.
             NULL: all of it is, made by cti_stepper_own */
typedef struct cti_stepper {
    int traits; /* sum of CTI_STEPPER_... */
    void (*defaults)(ct_world_desc *d);
    ct_code (*check)(const ct_world_desc *d, ct_error_info *e);
    void (*complete)(ct_world_desc *d);
    const cti_refusal *refusals;
    const char *(*refuses)(const cti_state *s, cti_feature what);
    int (*prepare)(cti_state *s, const cti_stepper_body *bodies);
    ct_code (*step)(cti_state *s, ct_real dt, ct_step_report *report);
    int (*problem)(cti_state *s, cti_mem *mem, struct cti_program *out);
    void (*unprepare)(cti_state *s);
    void (*archive)(cti_archive *a, cti_state *s, int prepared);
} cti_stepper;

#define CTI_STEPPER_DECLARE(name, number, word, built) CTI_IF(built, CTI_FN const cti_stepper *cti_stepper_##word(void);)
CT_STEPPER_LIST(CTI_STEPPER_DECLARE)
