/* script.h -- prescribed motion: keyframes, and paths of consecutive segments. */
#pragma once

#include "../1_math/vec.h"

/* cti_script -- points that start at rest [3 n] at time t0, or follow keyframes [n_keyframes][3 n], and then a path. All arrays belong to
   the owner. A stepper that stops them where there is no room keeps in `stopped` where the points are. */
typedef struct cti_script {
    const ct_real *rest, *keyframes;
    const ct_motion_segment *path;
    int n, n_keyframes, n_path;
    double interval, t0;
    ct_real *stopped; /* [3 n + 1] positions at the end of the last step, then a number: 1: the points are there; 0: where the script has them.
                         NULL: they are never stopped */
} cti_script;

/* cti_script_follow -- position of a point after t seconds on the path; *out_velocity (may be NULL): its velocity [m/s]. At the border of
   two segments it is the later one's. */
CTI_FN cti_v3 cti_script_follow(const ct_motion_segment *path, int n, cti_v3 start, double t, cti_v3 *out_velocity);
/* cti_script_point -- position of point i at a time, with its velocity. */
CTI_FN cti_v3 cti_script_point(const cti_script *s, int i, double time, cti_v3 *out_velocity);
/* cti_script_is_stopped -- 1 if the points are behind the script. cti_script_place -- where point i is, at the time of the last step's end. */
CTI_INLINE int cti_script_is_stopped(const cti_script *s) { return s->stopped && s->stopped[3 * (size_t)s->n] != 0; }
CTI_INLINE cti_v3 cti_script_place(const cti_script *s, int i, double time)
{
    return cti_script_is_stopped(s) ? cti_v3_at(s->stopped, i) : cti_script_point(s, i, time, NULL);
}
