/* panel_lu.h -- LU of sparse matrices whose unknowns come in groups, every pair of them with a dense block or none; unsymmetric numbers. */
#ifndef CTI_PANEL_LU_H
#define CTI_PANEL_LU_H

#include "block_lu.h"

/* cti_panel_lu -- zero it before first use. Arrays are stb_ds arrays. Position: place in the order of elimination. */
typedef struct cti_panel_lu {
    cti_block_lu plan;          /* order and fill of the groups; its numbers are not used */
    int n, unknowns;            /* groups; unknowns of all of them */
    int *size, *start;          /* [n] unknowns of a position, [n + 1] their first place in a right side */
    size_t *diag, *lower, *upper; /* [n], [fill] of blocks in val, row-major, rows of the columns rounded up to 8 */
    double *val, *work;
    int *pivot;
} cti_panel_lu;

/* cti_panel_lu_open -- analysis; group i is joined with groups column[first[i]] .. column[first[i + 1] - 1], in any order. 0: out of memory. */
CTI_FN int cti_panel_lu_open(cti_mem *mem, cti_panel_lu *s, int n, const int32_t *first, const int32_t *column);
CTI_FN void cti_panel_lu_close(cti_mem *mem, cti_panel_lu *s);
/* cti_panel_lu_clear -- room and zeros for groups of size [n] unknowns, 0 is allowed. 0: out of memory. */
CTI_FN int cti_panel_lu_clear(cti_mem *mem, cti_panel_lu *s, const int32_t *size);
/* cti_panel_lu_block -- where the numbers of block (i, j) go, rows *ld apart; NULL where the analysis has none. */
CTI_FN double *cti_panel_lu_block(cti_panel_lu *s, int i, int j, int *ld);
/* cti_panel_lu_factor -- 0 when a group's block is singular or not finite: rows are exchanged within groups only. */
CTI_FN int cti_panel_lu_factor(cti_panel_lu *s);
/* cti_panel_lu_place -- first place of group i's unknowns in the vector that cti_panel_lu_solve takes; x [unknowns] = A^-1 x. */
CTI_FN int cti_panel_lu_place(const cti_panel_lu *s, int i);
CTI_FN void cti_panel_lu_solve(cti_panel_lu *s, double *x);

#endif /* CTI_PANEL_LU_H */
