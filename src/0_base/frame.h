/* frame.h -- the work of one call, and its bound.
   Work is counted in units by the sizes of what is done, about a microsecond of an x86-64 server each: the same numbers on every machine, with any
   compiler and any number of workers. A stage that a step can do without asks before it begins, with its price. Under a bound in milliseconds the
   clock tells how long a unit has taken in this call. Nothing is kept from call to call. All pointers may be NULL: then there is no bound. */
#pragma once

#include "platform.h"

typedef struct cti_frame {
    double used;    /* [units] so far */
    double most;    /* [units] that the call may use; 0: no bound */
    double ms;      /* [ms] that it may take from `start` on; 0: no bound */
    double ending;  /* [units] that the end of the step takes, which are kept back */
    double stage;   /* [units] of `used` at which the stage at hand ends; 0: with the call */
    double assured; /* [units] of `used` up to which stages with a share go on in any case; 0: none has begun */
    double start;   /* [ms] by the clock */
    double (*clock)(const void *user); /* [ms] */
    const void *user;
    double looked, until; /* [units] of `used` when the clock was last read; at which it then said that the time is over */
    int cut;        /* 1: the stage at hand has used up its share */
    int refused;    /* stages that were refused, but for those of which only their share was used up */
} cti_frame;

/* cti_frame_add -- counts what has been, or certainly will be, done. cti_frame_must -- the same; it does not come out of the share of a stage. */
CTI_INLINE void cti_frame_add(cti_frame *f, double units)
{
    if (f)
        f->used += units;
}
CTI_INLINE void cti_frame_must(cti_frame *f, double units)
{
    if (f && f->stage > 0)
        f->stage += units, f->assured += units;
    cti_frame_add(f, units);
}
CTI_INLINE int cti_frame_is_bound(const cti_frame *f) { return f->most > 0 || f->ms > 0; }
/* cti_frame_release -- ends the bound: what follows has to be done. */
CTI_INLINE void cti_frame_release(cti_frame *f) { f->most = f->ms = f->stage = 0; }
/* cti_frame_open -- a call begins. work: it may use so many units, ms: take so long from now on; each 0: no such bound. */
CTI_FN void cti_frame_open(cti_frame *f, double work, double ms, double (*clock)(const void *user), const void *user);
/* cti_frame_may -- 1 if a stage of this price fits in. */
CTI_FN int cti_frame_may(cti_frame *f, double units);
/* cti_frame_share -- the stage that begins may use this share of what is left; 0: what follows is bounded by the call again. All such stages of a
   call may use `least` of its bound together, whatever is left. */
CTI_FN void cti_frame_share(cti_frame *f, double share, double least);
