/* tetrahedralize.h -- parts of the lattice tetrahedralizer that are of use by themselves; ct_mesh_tetrahedralize is in api.h. */
#ifndef CTI_TETRAHEDRALIZE_H
#define CTI_TETRAHEDRALIZE_H

#include "mesh.h"

/* cti_tetrahedralize_overlap -- has the closed triangle [9] a point in common with the closed box centre +- half [3] each? Up to rounding;
   half may be 0 along an axis, the triangle may be flat. */
CTI_FN int cti_tetrahedralize_overlap(const double centre[3], const double half[3], const double triangle[9]);

#endif /* CTI_TETRAHEDRALIZE_H */
