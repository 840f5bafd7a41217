/* tetrahedralize.h -- parts of the lattice tetrahedralizer that are of use by themselves; ct_mesh_tetrahedralize is in api.h. */
#pragma once

#include "mesh.h"

/* cti_tetrahedralize_overlap -- does the closed triangle [9] meet the closed box centre +- half [3]? Exact up to rounding; half may be 0
   along an axis, and the triangle may be flat. */
CTI_FN int cti_tetrahedralize_overlap(const double centre[3], const double half[3], const double triangle[9]);
