/* eig3.h -- 3x3 eigenproblems: symmetric eigenvalues, signed singular values, polar decomposition; and the projection of a small symmetric
   matrix to positive semidefinite. Method: cyclic Jacobi rotations in eight lanes. The scalar functions run the same lanes, so that both
   give the same bits. A lane does not depend on its neighbours. */
#pragma once

#include "lanes.h"

/* cti_eig3_8 -- a = v diag(w) v', a [6] = xx yy zz yz xz xy; w [3] descending; v [9] row-major, eigenvectors are its columns, det v = +1.
 */
CTI_FN void cti_eig3_8(const cti_r8 *a, cti_r8 *w, cti_r8 *v);
/* cti_svd3_8 -- f = u diag(s) v' with rotations u, v (det +1); |s0| >= |s1| >= |s2| up to rounding; only s2 can be negative, and is when
   det f < 0. */
CTI_FN void cti_svd3_8(const cti_r8 *f, cti_r8 *u, cti_r8 *s, cti_r8 *v);
/* cti_psd3_8 -- sets negative eigenvalues of a [6] to zero; a lane that is positive definite already keeps its bits. */
CTI_FN void cti_psd3_8(cti_r8 *a);

/* The same for one matrix. a [6] as above; f, u, v [9] row-major. */
CTI_FN void cti_eig3(const ct_real *a, ct_real *w, ct_real *v);
CTI_FN void cti_svd3(const ct_real *f, ct_real *u, ct_real *s, ct_real *v);
/* cti_polar3 -- the rotation r nearest to f, f = r s with s symmetric; det r = +1 also where det f < 0 or f is singular. */
CTI_FN void cti_polar3(const ct_real *f, ct_real *r);
/* cti_eig3_spread -- copies n numbers into all lanes. cti_eig3_first -- reads them back from the first lane. */
CTI_FN void cti_eig3_spread(const ct_real *from, cti_r8 *to, int n);
CTI_FN void cti_eig3_first(const cti_r8 *from, ct_real *to, int n);
/* cti_psd_project_8 -- a [n n] symmetric, n 3, 5 or 9, in place: negative eigenvalues become 0. Off-diagonal entries below
   eps times the whole count as 0. */
CTI_FN void cti_psd_project_8(cti_r8 *a, int n);
/* cti_psd_project -- a [n n] symmetric, n <= 12, in place: eigenvalues below `least` become `least`. */
CTI_FN void cti_psd_project(ct_real *a, int n, ct_real least);
