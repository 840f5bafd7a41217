/* stagger.h -- contacts with friction by solvers that have none: normals and friction in turn. [Kaufman et al. 2008, Staggered projections]
 */
#ifndef CTI_STAGGER_H
#define CTI_STAGGER_H

#include "program.h"

/* cti_stagger_solve -- LOCAL and GLOBAL by `inner`, by name `kind`, a solver of linear complementarity problems with symmetric W and bounds. */
CTI_FN cti_outcome cti_stagger_solve(const cti_program *p, ct_solver kind, cti_program_solver inner, cti_effort *e, cti_answer *a);
/* cti_stagger_mprgp, cti_stagger_active_set, cti_stagger_interior -- these solvers on problems of every kind: as they are where nothing
   rubs, staggered elsewhere. Interior point has a method of its own for friction; staggering takes what that one refuses, being too
   large for it. What it fails on it would fail on again, normals and friction being programs of its own kind: FAILED stays. */
CTI_FN cti_outcome cti_stagger_mprgp(const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_stagger_active_set(const cti_program *p, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_stagger_interior(const cti_program *p, cti_effort *e, cti_answer *a);

#endif /* CTI_STAGGER_H */
