/* shell.h -- a step in substeps, which the judge may refuse. */
#pragma once

#include "judge.h"

/* cti_shell -- a stepper's part of such a step. Its functions return 0 when memory ran out; members from `keep` on may be NULL.
   crosses  of a stepper whose steps end free of intersections, where somebody has moved the surface since the last step: above 0: it intersects
            itself, and step.limit is a pair that does; -1: out of memory
   substep  one of length h: 1: it is done, and committed, here or in `finish`; -1: it must be *need times shorter, which only one with may_cut may
            ask for
   finish   completes the report at the end of all substeps, and has the judge decide (cti_judge_refuses)
   keep     copies what snapshot.h does not know before a try, and `back` brings it back after one that failed
   open     a try begins */
typedef struct cti_shell {
    int contacts; /* 1: the step changes the contact memory */
    int parts;    /* [substeps] a step that is refused with fewer is divided into at most so many: refusal.parts, or the stepper's number */
    int cuts;     /* [substeps] most that one may be cut into: none is shorter than dt / cuts */
    int (*substep)(cti_state *s, ct_real h, int may_cut, ct_real *need, ct_step_report *r);
    int (*finish)(cti_state *s, ct_real dt, ct_step_report *r);
    int (*keep)(cti_state *s);
    void (*back)(cti_state *s);
    int (*open)(cti_state *s, ct_step_report *r);
    int (*crosses)(cti_state *s);
} cti_shell;

/* cti_shell_step -- the step, as cti_stepper.step. */
CTI_FN ct_code cti_shell_step(cti_state *s, const cti_shell *q, ct_real dt, ct_step_report *r);
