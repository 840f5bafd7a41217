/* material.h -- checks and derived constants of ct_material. */
#pragma once

#include "../1_math/real.h"

/* cti_material_check -- 1, or 0 and a static text that names the field and its range. cloth 0: soft models; 1: membrane and springs. */
CTI_FN int cti_material_check(const ct_material *m, int cloth, const char **out_text);
/* cti_material_lame -- mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu)), both [Pa]. */
CTI_FN void cti_material_lame(const ct_material *m, ct_real *out_mu, ct_real *out_lambda);
