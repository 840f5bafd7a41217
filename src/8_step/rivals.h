/* rivals.h -- who takes over an island from ICA: where sweeps would take longer, and under AUTO where their budget was not enough. */
#pragma once

#include "island.h"
#include "solve_islands.h"
#include "../3_solve/iterate.h"

typedef struct cti_rival {
    cti_arena *arena;
    cti_jacobian J;
    cti_linear linear;
    int holds;  /* 1: joints of deformable bodies are among the rows */
    int failed; /* 1: out of memory */
} cti_rival;

/* cti_rival_find -- the rival of an open island, which takes at least the factors of A alone. None where joints of deformable bodies are among the
   rows: in test_joint's joints_pull_together, whose joint and contact contradict each other, it takes the thickness in fewer steps. first: the
   island's first row in the world. */
CTI_FN void cti_rival_find(const cti_state *s, int first, cti_island *q, cti_rival *out);
/* cti_rival_sweep -- ICA; not in an island with joints where the rival took over in the last solve of the same rows: it will again, and goes on from
   its own result. Contacts alone turn to other normals, for which that is a worse start: in float a box on flush tiles loses four fifths of its
   speed. */
CTI_FN void cti_rival_sweep(cti_state *s, int later, cti_island *q, const ct_solver_desc *desc, cti_solve_info *info);
/* cti_rival_finish -- Newton's methods go on from where ICA ended: where they outpace it, with the rival's factor, and under AUTO also where its
   budget was not enough, and from the free motion where it diverged; not so with joints, which are farther apart after an unsolved step of a crash
   than after one that is refused (test_joint's zones_keep_joints). Contacts are solved by the interior point method. The augmented Lagrangian takes
   islands with joints, none of them of deformable bodies, and the last digits in islands of rigid bodies. visits: += the rival's time; AUTO's is not
   bounded by the step. 0 when memory ran out. */
CTI_FN int cti_rival_finish(cti_state *s, cti_island *q, const ct_solver_desc *desc, cti_rival *rival, cti_islands_result *out,
                            cti_solve_info *info, double *visits);
