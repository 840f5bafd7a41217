/* panel_lu.h -- LU of sparse matrices whose unknowns come in groups. The block of two groups is dense or absent; values are unsymmetric. */
#pragma once

#include "bsr.h"

/* cti_panel_lu -- zero it before first use. Arrays are stb_ds arrays. A position is a group's place in the order of elimination. */
typedef struct cti_panel_lu {
    int n, unknowns;            /* number of groups; length of a right side, in which each begins at a multiple of 8 */
    int *perm, *inv;            /* [n] order of elimination and its inverse */
    int *ptr, *rows;            /* [n + 1], [ptr[n]] positions above k in column k of L, and in row k of U, ascending */
    int *size, *start;          /* [n] unknowns of a position; [n + 1] where they begin in a right side */
    size_t *diag, *lower, *upper; /* [n], [fill], [fill] offsets of blocks in val; blocks are row-major, with rows padded to a multiple
                                     of 8. Factored: transposes of inverses of the diagonal, and of the lower blocks */
    double *val, *work;
    int *pivot;
} cti_panel_lu;

/* cti_panel_lu_open -- symbolic analysis; group i is coupled to groups column[first[i]] .. column[first[i + 1] - 1], in any order. 0: out
   of memory. */
CTI_FN int cti_panel_lu_open(cti_mem *mem, cti_panel_lu *s, int n, const int32_t *first, const int32_t *column);
CTI_FN void cti_panel_lu_close(cti_mem *mem, cti_panel_lu *s);
/* cti_panel_lu_clear -- sets group sizes [n] (0 is allowed), makes room for the blocks and zeroes them. 0: out of memory. */
CTI_FN int cti_panel_lu_clear(cti_mem *mem, cti_panel_lu *s, const int32_t *size);
/* cti_panel_lu_block -- where block (i, j) is to be written, its rows *ld numbers apart; NULL if the analysis has no such block. */
CTI_FN double *cti_panel_lu_block(cti_panel_lu *s, int i, int j, int *ld);
/* cti_panel_lu_factor -- 0 when the diagonal block of a group is singular or not finite: rows are exchanged within groups only. */
CTI_FN int cti_panel_lu_factor(cti_panel_lu *s);
/* cti_panel_lu_place -- where group i begins in the vector of cti_panel_lu_solve, which computes x [unknowns] = A^-1 x;
   the numbers between groups are 0. */
CTI_FN int cti_panel_lu_place(const cti_panel_lu *s, int i);
CTI_FN void cti_panel_lu_solve(cti_panel_lu *s, double *x);
