/* script.c -- prescribed motion.
   Method: x(t) = path(t, key(t)). key is linear between keyframes. A segment of a path is a screw motion that starts where the one before
   it ended, x -> center + R(t) (x - center) + linear t; the path is their composition. It depends on time alone: a step that is undone or
   halved finds it unchanged. */
#include "script.h"
#include "../1_math/elem.h"

/* one segment after t seconds: rotation about a moving centre, by Rodrigues' formula. In double in both builds and rounded once: a float
   time of one hour has a resolution of a quarter of a millisecond only */
static cti_v3 cti_script_piece(const ct_motion *motion, cti_v3 start, double t)
{
    double p[3], w[3], c[3], r[3], turned[3], rate, co, si, along;
    int k;
    p[0] = (double)start.x, p[1] = (double)start.y, p[2] = (double)start.z;
    for (k = 0; k < 3; k++)
        w[k] = (double)motion->angular[k], c[k] = (double)motion->center[k], r[k] = p[k] - c[k];
    rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (k = 0; k < 3; k++)
        turned[k] = p[k];
    if (rate > 0) {
        for (k = 0; k < 3; k++)
            w[k] = w[k] * (1 / rate);
        co = cti_cos64(rate * t), si = cti_sin64(rate * t);
        along = (w[0] * r[0] + w[1] * r[1] + w[2] * r[2]) * (1 - co);
        for (k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            turned[k] = r[k] * co + (w[i] * r[j] - w[j] * r[i]) * si + w[k] * along + c[k];
        }
    }
    for (k = 0; k < 3; k++)
        turned[k] += (double)motion->linear[k] * t;
    return cti_v3_make((ct_real)turned[0], (ct_real)turned[1], (ct_real)turned[2]);
}

CTI_FN cti_v3 cti_script_follow(const ct_motion_segment *path, int n, cti_v3 start, double t, cti_v3 *out_velocity)
{
    cti_v3 x = start;
    int i;
    if (out_velocity)
        *out_velocity = cti_v3_zero();
    for (i = 0; i < n; i++) {
        const ct_motion *m = &path[i].motion;
        if (path[i].duration < 0 || t < path[i].duration) {
            x = cti_script_piece(m, x, t);
            if (out_velocity) {
                cti_v3 arm = cti_v3_sub(x, cti_v3_mad(cti_v3_at(m->center, 0), cti_v3_at(m->linear, 0), (ct_real)t));
                *out_velocity = cti_v3_add(cti_v3_at(m->linear, 0), cti_v3_cross(cti_v3_at(m->angular, 0), arm));
            }
            return x;
        }
        x = cti_script_piece(m, x, path[i].duration);
        t -= path[i].duration;
    }
    return x;
}

CTI_FN cti_v3 cti_script_point(const cti_script *s, int i, double time, cti_v3 *out_velocity)
{
    double t = time - s->t0, at;
    cti_v3 x = cti_v3_at(s->rest, i), rate = cti_v3_zero(), moved;
    int k = 0, last = s->n_keyframes - 1;
    if (s->n_keyframes > 0) {
        at = last > 0 ? t / s->interval : 0;
        /* a time that equals a keyframe's up to rounding is the keyframe's */
        k = at >= (double)last ? last : (at > 0 ? (int)(at + 1e-9) : 0);
        x = cti_v3_at(s->keyframes + 3 * (size_t)k * (size_t)s->n, i);
        if (k < last) {
            cti_v3 d = cti_v3_sub(cti_v3_at(s->keyframes + 3 * (size_t)(k + 1) * (size_t)s->n, i), x);
            x = cti_v3_mad(x, d, (ct_real)cti_max(0, (ct_real)(at - (double)k)));
            rate = cti_v3_mul(d, (ct_real)(1 / s->interval));
        }
    }
    moved = cti_script_follow(s->path, s->n_path, x, t, out_velocity);
    /* the path rotates the keyframes' velocity; it is affine, so a difference is exact */
    if (out_velocity && cti_v3_norm2(rate) > 0)
        *out_velocity = cti_v3_add(*out_velocity, cti_v3_sub(cti_script_follow(s->path, s->n_path, cti_v3_add(x, rate), t, NULL), moved));
    return moved;
}
