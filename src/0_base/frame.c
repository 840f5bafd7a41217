/* frame.c -- the work of one call, and its bound. Method: frame.h */
#include "frame.h"

#define CTI_FRAME_LOOK 50     /* [units] between two looks at the clock: one takes up to a unit */
#define CTI_FRAME_NEVER 1e300 /* [units] */
#define CTI_FRAME_UNIT 1e3    /* [units/ms] as long as the clock stands still: its ticks may be longer than a step */
#define CTI_FRAME_MOST(a, b) ((a) > (b) ? (a) : (b))

CTI_FN void cti_frame_open(cti_frame *f, double work, double ms, double (*clock)(const void *user), const void *user)
{
    memset(f, 0, sizeof *f);
    f->most = work, f->ms = ms, f->clock = clock, f->user = user;
    f->start = ms > 0 ? clock(user) : 0;
    f->looked = -CTI_FRAME_LOOK;
}

/* [units] of `used` at which the call is to end */
static double cti_frame_end(cti_frame *f)
{
    double end = f->most > 0 ? f->most : CTI_FRAME_NEVER;
    if (f->ms > 0 && f->used >= f->looked + CTI_FRAME_LOOK) {
        double taken = f->clock(f->user) - f->start;
        f->looked = f->used;
        f->until = (taken > 0 ? f->used / taken : CTI_FRAME_UNIT) * f->ms;
    }
    return f->ms > 0 && f->until < end ? f->until : end;
}

CTI_FN int cti_frame_may(cti_frame *f, double units)
{
    int may;
    if (!f || !cti_frame_is_bound(f))
        return 1;
    if (f->stage > 0) {
        may = f->used + units <= f->stage;
        f->cut |= !may;
        return may;
    }
    may = f->used + f->ending + units <= cti_frame_end(f);
    f->refused += !may;
    return may;
}

CTI_FN void cti_frame_share(cti_frame *f, double share, double least)
{
    double end;
    f->stage = 0, f->cut = 0;
    if (!cti_frame_is_bound(f) || !(share > 0))
        return;
    end = cti_frame_end(f);
    f->assured = f->assured > 0 ? f->assured : f->used + least * end;
    end = CTI_FRAME_MOST(end - f->ending, f->assured) - f->used;
    f->stage = f->used + share * CTI_FRAME_MOST(end, 0);
}
