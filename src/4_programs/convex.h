/* convex.h -- one standard form for all stand-alone convex problems, with the linear algebra of an interior point method:

     min 1/2 x'A x - b'x   subject to   J x + w >= 0, rows marked in `equation`: = 0

   and the solution of    (A + rho) dx - J' dy = f,   J dx + H dy = g    for a positive diagonal H. */
#pragma once

#include "program.h"

/* cti_convex_kkt -- the linear systems of a step. */
typedef struct cti_convex_kkt {
    int dense;     /* 1: by the Schur complement J A^-1 J' + H, else by N */
    cti_sparse N;  /* A + rho + J' H^-1 J */
    cti_scalar system;
    int32_t *slot; /* places in N of A's entries, then of the products of J's rows */
    double *W, *F; /* [m][ld] */
    int ld;
    double rho, *delta, *H, *D; /* regularization; [m] */
    double *f1, *g1, *t;        /* [n], [m], [n] */
} cti_convex_kkt;

/* cti_convex -- a scaled copy of a problem: x = column * own x, y = line / cost * own y. Zero it before first use. */
typedef struct cti_convex {
    const cti_program *p;
    cti_arena *arena;
    int dual; /* 1: x is the problem's r (LCP, LOCAL) and y its u */
    int n, m;
    cti_sparse A, J; /* A stores every diagonal entry; memory of the arena */
    double *b, *w;
    uint8_t *equation;
    int32_t *source, *twin; /* [m] row of the problem; the opposite row with which it is an equation, or -1. dual: twin 1 marks an upper
                               bound */
    double *column, *line, cost;
    cti_convex_kkt kkt;
} cti_convex;

/* cti_convex_open -- makes the standard form of p. Returns NULL, or why there is none (a static sentence); "" when memory ran out. algebra
   0: the form alone, no solves. */
CTI_FN const char *cti_convex_open(cti_convex *c, const cti_program *p, int algebra, cti_arena *arena);
/* cti_convex_factor -- for H [m] > 0; cti_convex_solve then computes dx, dy from f [n], g [m], with refinement. 0 when memory ran out. */
CTI_FN int cti_convex_factor(cti_convex *c, const double *H);
CTI_FN void cti_convex_solve(cti_convex *c, const double *f, const double *g, double *dx, double *dy);
/* cti_convex_answer -- converts (x, y) to the problem's own units and rows. */
CTI_FN void cti_convex_answer(const cti_convex *c, const double *x, const double *y, double *out_x, double *out_r);
/* cti_convex_certify -- sharpens y [m] of the standard form on its support and tests it as a certificate of a QP. 1 and in out_r if it is
   one, 0 if not, -1 when memory ran out. */
CTI_FN int cti_convex_certify(cti_convex *c, const double *y, double *out_x, double *out_r);
