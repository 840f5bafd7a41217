/* soc.h -- second-order cones x_0 >= |x_1| of vectors [n], n at most 4: products, steps, and the scaling of Nesterov and Todd (1997). */
#pragma once

#include "real.h"

/* cti_soc_dot, cti_soc_form -- x_0 y_0 + x_1.y_1, x_0 y_0 - x_1.y_1; cti_soc_size -- |x_1|; cti_soc_det -- x_0^2 - |x_1|^2, without cancellation. */
CTI_FN double cti_soc_dot(int n, const double *x, const double *y);
CTI_FN double cti_soc_form(int n, const double *x, const double *y);
CTI_FN double cti_soc_size(int n, const double *x);
CTI_FN double cti_soc_det(int n, const double *x);
/* cti_soc_reach -- the largest step from x, in the cone, along d within it; INFINITY where there is no end. */
CTI_FN double cti_soc_reach(int n, const double *x, const double *d);
/* cti_soc_product -- out = (a.b, a_0 b_1 + b_0 a_1). */
CTI_FN void cti_soc_product(int n, const double *a, const double *b, double *out);
/* cti_soc_divide -- x whose product with l is d. */
CTI_FN void cti_soc_divide(int n, const double *l, const double *d, double *x);
/* cti_soc_scaling -- s [n + 1] = {size, w [n]} of the matrix W = size (w_0, w_1'; w_1, 1 + w_1 w_1' / (1 + w_0)) with W y = W^-1 z. */
CTI_FN void cti_soc_scaling(int n, const double *y, const double *z, double *s);
/* cti_soc_scale -- out = W x, or W^-1 x. */
CTI_FN void cti_soc_scale(int n, const double *s, int inverse, const double *x, double *out);
