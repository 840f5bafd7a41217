/* stepper.h -- what a stepper is to the world: a struct of functions. CT_STEPPER_LIST (types.h) is the table of them.
   A stepper is a folder, and a function `CTI_CONSTANT_FN const cti_stepper *cti_stepper_<word>(void)` that returns its struct: where a build
   has one stepper, the members are constants. All else that knows of a stepper by name is its switch in config.h, and its options in
   ct_world_desc. */
#ifndef CTI_STEPPER_H
#define CTI_STEPPER_H

#include "state.h"

/* cti_feature -- what a world may be asked for, and a stepper may refuse. */
typedef enum cti_feature {
    CTI_FEATURE_SOFT, /* bodies of each kind */
    CTI_FEATURE_CLOTH,
    CTI_FEATURE_RIGID,
    CTI_FEATURE_STATIC,
    CTI_FEATURE_PLANE,
    CTI_FEATURE_KINEMATIC,
    CTI_FEATURE_PIN,      /* blocks whose axes a script moves */
    CTI_FEATURE_DIRECTION, /* blocks that move along a line or in a plane */
    CTI_FEATURE_JOINT,    /* joints and stitches */
    CTI_FEATURE_REPAIR,   /* ct_world_repair */
    CTI_FEATURE_PROBLEM   /* ct_world_dump_problem */
} cti_feature;

/* cti_stepper_body -- what a stepper is told of a surface body when the world is prepared. The world keeps `nodes`. */
typedef struct cti_stepper_body {
    int model;            /* in cti_bodies.models; -1: not deformable */
    int rigid;            /* in cti_bodies.rigids; -1: not rigid */
    int embedded;         /* 1: its surface lies in the tets, and is not their boundary */
    int block0, n_blocks; /* its unknowns in cti_state */
    const ct_real *nodes; /* [3 n_blocks] positions of a deformable body's nodes when it was added; NULL: not deformable */
} cti_stepper_body;

struct cti_program;

/* cti_stepper -- members may be NULL but for check, prepare and step.
   check     whether the description is one that the stepper takes: CT_OK, or cti_error_set's code. All steppers of a build check the ranges
             of their own options, in every world; for worlds of other steppers that is all (d->stepper). A stepper refuses termination PAPER
             where it has none
   complete  sets what a description leaves to the stepper, in the world's copy of it
   refuses   why a world of this stepper has no such feature, a sentence for the error's text; NULL: it has it. The body is named in front
   prepare   makes cti_state.own, the stepper's private data, when bodies or joints have changed; surface, models, rigids, joints, scratch
             and A's pattern are ready. bodies [surface.n_bodies]. 0: out of memory; `release` is called then, too
   step      one step: CT_OK and the whole report but its times' sums, or CT_ERR_MEMORY with the state as it was. cti_state's layout is the
             same for all steppers: a rigid body is two blocks (velocity of its centre, angular velocity), and a pose. A stepper with other
             unknowns keeps them in `own`, reads the state when a step begins, and commits to it when it ends. It saves cti_state.step.start
             (snapshot.h) before it changes anything, since cti_step_undo takes the step back from there
   problem   the last step's problem as a stand-alone one, with its solution; the caller frees *out also where it fails. 0: out of memory.
             NULL: cti_state.contact.rows are contacts, and the world makes it of them. Called where cti_state.contact.is_solved is set
   release   frees `own`, of which there may be none */
typedef struct cti_stepper {
    int ends_apart;    /* 1: a step that begins without intersections ends without */
    int needs_factors; /* 1: the world keeps factors of A, by components (factors.h) */
    void (*defaults)(ct_world_desc *d);
    ct_code (*check)(const ct_world_desc *d, ct_error_info *e);
    void (*complete)(ct_world_desc *d);
    const char *(*refuses)(const cti_state *s, cti_feature what);
    int (*prepare)(cti_state *s, const cti_stepper_body *bodies);
    ct_code (*step)(cti_state *s, ct_real dt, ct_step_report *report);
    int (*problem)(cti_state *s, cti_mem *mem, struct cti_program *out);
    void (*release)(cti_state *s);
} cti_stepper;

#endif /* CTI_STEPPER_H */
