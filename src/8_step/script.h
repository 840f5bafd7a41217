/* script.h -- prescribed motion: keyframes, and paths of consecutive segments. */
#ifndef CTI_SCRIPT_H
#define CTI_SCRIPT_H

#include "../1_math/vec.h"

/* cti_script -- points that start at rest [3 n] at time t0, or follow keyframes [n_keyframes][3 n], and then a path. All arrays belong to
   the owner. */
typedef struct cti_script {
    const ct_real *rest, *keyframes;
    const ct_motion_segment *path;
    int n, n_keyframes, n_path;
    double interval, t0;
} cti_script;

/* cti_script_follow -- position of a point after t seconds on the path; *out_velocity (may be NULL): its velocity [m/s]. At the border of
   two segments it is the later one's. */
CTI_FN cti_v3 cti_script_follow(const ct_motion_segment *path, int n, cti_v3 start, double t, cti_v3 *out_velocity);
/* cti_script_point -- position of point i at a time, with its velocity. */
CTI_FN cti_v3 cti_script_point(const cti_script *s, int i, double time, cti_v3 *out_velocity);

#endif /* CTI_SCRIPT_H */
