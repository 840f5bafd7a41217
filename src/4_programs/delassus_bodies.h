/* delassus_bodies.h -- W = J A^-1 J' of a problem's rows, by blocks of contacts that share a body. */
#pragma once

#include "../2_linalg/supernodal.h"
#include "../3_solve/problem.h"

/* cti_body_factor -- blocks [first, first + n) of a problem's A, which couples them to no others, and their factor. */
typedef struct cti_body_factor {
    int first, n;
    const cti_factor64 *factor;
} cti_body_factor;

/* cti_delassus_bodies -- arrays belong to the arena in which it was formed. There is a block (i, j), [9] row-major, if rows i and j share a
   body; W is exactly symmetric. */
typedef struct cti_delassus_bodies {
    int n;                   /* rows in W */
    const int32_t *row;      /* [n] their numbers in the problem, ascending */
    int32_t *first, *column; /* [n + 1], [first[n]] ascending in each row, the diagonal is always there */
    double *block;           /* [9 first[n]] */
} cti_delassus_bodies;

/* cti_delassus_bodies_pairs -- estimates the number of blocks of W between rows with used [rows] not 0: pairs that share a body. -1: out of
   memory. */
CTI_FN double cti_delassus_bodies_pairs(cti_arena *arena, const cti_problem *p, const uint8_t *used);
/* cti_delassus_bodies_form -- forms W of the rows row [n]; the array stays the caller's. p->bodies covers all of A. 0 when memory ran
   out. */
CTI_FN int cti_delassus_bodies_form(cti_arena *arena, const cti_problem *p, const int32_t *row, int n, cti_delassus_bodies *out);
/* cti_delassus_bodies_solve -- x [3 blocks] in: right side, out: A^-1 x, with one step of refinement. 0 when memory ran out. */
CTI_FN int cti_delassus_bodies_solve(cti_arena *arena, const cti_problem *p, double *x);
/* cti_delassus_bodies_scatter -- f [3 blocks] += J' r of one row; cti_delassus_bodies_gather -- J x of one row, without w. Both in double
   in every build. */
CTI_FN void cti_delassus_bodies_scatter(const cti_problem *p, const cti_row *row, const double *r, double *f);
CTI_FN void cti_delassus_bodies_gather(const cti_problem *p, const cti_row *row, const double *x, double *u);
