/* place.h -- rotation and translation of points. */
#pragma once

#include "../1_math/real.h"

/* cti_place -- x -> M x + t, computed in double and rounded once. */
typedef struct cti_place {
    double M[9], t[3];
    double q[4]; /* unit quaternion w x y z of the rotation */
    int moves;   /* 0: the placement is the identity and changes no bit */
} cti_place;

/* cti_place_make -- from a quaternion w x y z of any length > 0 and a translation; either may be NULL: none. Returns NULL, or the reason
   why there is no such placement. */
CTI_FN const char *cti_place_make(const ct_real *rotation, const ct_real *position, cti_place *out);
/* cti_place_of -- from a rotation matrix [9] and a translation [3]. */
CTI_FN void cti_place_of(const double *R, const double *t, cti_place *out);
/* cti_place_undo -- the points before the placement: M' (in - t), [3 n]. */
CTI_FN void cti_place_undo(const cti_place *place, const ct_real *in, int n, ct_real *out);
/* cti_place_apply -- points in [3 n] to out [3 n], which may be the same. Returns the first point whose result is not finite, or -1. */
CTI_FN int cti_place_apply(const cti_place *place, const ct_real *in, int n, ct_real *out);
