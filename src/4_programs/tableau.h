/* tableau.h -- dense dictionaries of w = q + M z (+ d z0), and a problem's rows as such a dense system.
   x_B = value + T x_N; variables are numbered w_j: j, z_j: n + j, z0: 2 n. Complementary variables are j and n + j. */
#pragma once

#include "dual.h"

/* cti_tableau_solve -- a solve with dense rows of m by `run`, which finds a->r; then a->x, and for a QP that is solved one step of refinement. */
typedef cti_outcome (*cti_tableau_runner)(const cti_program *p, cti_dual *w, cti_effort *e, cti_answer *a);
CTI_FN cti_outcome cti_tableau_solve(const cti_program *p, cti_effort *e, cti_answer *a, cti_tableau_runner run);

/* cti_lcp -- a dense linear complementarity problem: u = q + M z, z = lo -> u >= 0, z = hi -> u <= 0, else u = 0. The caller's arrays. */
typedef struct cti_lcp {
    int n;
    const double *M, *q;     /* [n][n], [n] */
    const double *lo, *hi;   /* [n] bounds, which may be infinite; NULL: 0 and infinity */
    const uint8_t *equation; /* [n] or NULL: in marked rows u = 0 and z is free */
} cti_lcp;
CTI_INLINE cti_lcp cti_lcp_of(const double *M, const double *q, int n)
{
    cti_lcp p;
    p.n = n, p.M = M, p.q = q, p.lo = p.hi = NULL, p.equation = NULL;
    return p;
}
CTI_INLINE cti_lcp cti_lcp_boxed(const double *M, const double *q, const double *lo, const double *hi, int n)
{
    cti_lcp p = cti_lcp_of(M, q, n);
    p.lo = lo, p.hi = hi;
    return p;
}

typedef struct cti_tableau {
    int n, cols, ld;
    const double *M, *q;   /* [n][n], [n]: the start; the caller's */
    double *T, *value;     /* [n][ld], [n] */
    int *basic, *nonbasic; /* [n], [cols] the variable of a row, of a column */
    int *row, *col;        /* [2 n + 1] a variable's row and column, -1: none */
    int pivots;            /* since the start */
    int *scratch;          /* [n + 2 cols] */
} cti_tableau;

/* cti_tableau_open -- memory from the arena; cols: n, or n + 1 with z0. 0 when memory ran out. */
CTI_FN int cti_tableau_open(cti_tableau *t, cti_arena *arena, const double *M, const double *q, int n, int cols);
/* cti_tableau_reset -- all w basic, z0's column zero. */
CTI_FN void cti_tableau_reset(cti_tableau *t);
/* cti_tableau_pivot -- the basic variable of row r and the nonbasic one of column c change places; T[r][c] is not 0. */
CTI_FN void cti_tableau_pivot(cti_tableau *t, int r, int c);
/* cti_tableau_reach -- pivots, largest entry first (a complementary pair's within a factor of four), until the variables marked in want [2
   n + 1] (n marks) are basic. Entries below `least` are not pivots: returns how many marked variables had to stay nonbasic. */
CTI_FN int cti_tableau_reach(cti_tableau *t, const uint8_t *want, double least);

/* cti_equilibrate -- powers of two R, C [n] such that R M C has rows and columns of largest entries near 1; applied to M in place. A
   symmetric M stays so. 0 when memory ran out. */
CTI_FN int cti_equilibrate(cti_arena *arena, double *M, int n, double *R, double *C);
/* cti_lcp_residual -- of z [n] in the scaled problem p, R M C: the natural map relative to the sizes of z and of u's terms, in the problem's own
   units. u [n] out, scaled. */
CTI_FN double cti_lcp_residual(const cti_lcp *p, const double *R, const double *C, const double *z, double *u);
/* cti_submatrix_solve -- z[list] from M[list][list] z[list] = -s[list] by LU and refinement; other entries do not change. 0: singular; -1: memory
   ran out. */
CTI_FN int cti_submatrix_solve(cti_arena *arena, const double *M, int n, const int *list, int count, const double *s, double *z);
