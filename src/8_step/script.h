/* script.h -- motion that is prescribed: keyframes, and paths of pieces that follow one another. */
#ifndef CTI_SCRIPT_H
#define CTI_SCRIPT_H

#include "../1_math/vec.h"

/* cti_script -- points that start at rest [3 n] at time t0, or follow keyframes [n_keyframes][3 n], and then a path. Everything is the owner's. */
typedef struct cti_script {
    const ct_real *rest, *keyframes;
    const ct_motion_segment *path;
    int n, n_keyframes, n_path;
    double interval, t0;
} cti_script;

/* cti_script_follow -- where the path has taken a point after t seconds; *out_velocity (may be NULL) how fast it goes there [m/s]. At the border
   of two pieces that is the later one's. */
CTI_FN cti_v3 cti_script_follow(const ct_motion_segment *path, int n, cti_v3 start, double t, cti_v3 *out_velocity);
/* cti_script_point -- point i at a time; the same with its velocity. */
CTI_FN cti_v3 cti_script_point(const cti_script *s, int i, double time, cti_v3 *out_velocity);

#endif /* CTI_SCRIPT_H */
