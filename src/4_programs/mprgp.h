/* mprgp.h -- modified proportioning with reduced gradient projections: quadratic programs under bounds and under decoupled linear
   constraints. Based on: Li, Pan, Huang, Bao, Jin: Deformable Objects Collision Handling with Fast Convergence (2015), algorithms 1 to 3,
   equations 10 to 20 and section 5; Dostal: Optimal Quadratic Programming Algorithms (2009), the monotonic variant. */
#pragma once

#include "block_pivot.h"

/* ---- the set of feasible points ---- */

/* cti_mprgp_set -- lo <= J x <= hi with orthonormal rows (J J' = I); without J (J.p NULL) the rows are the unknowns themselves. */
typedef struct cti_mprgp_set {
    int n, rows;
    cti_sparse J;
    double *lo, *hi; /* [rows], infinities allowed */
    uint8_t *face;   /* [rows] CTI_FACE_* of block_pivot.h; FIXED: an equation */
    double *s, *t;   /* [rows] J x and J g from the last calls */
    double noise;    /* absolute rounding error of J x: after a projection it is relative to the entries before it, which may be larger than
                        the remaining ones */
} cti_mprgp_set;
/* cti_mprgp_set_reserve -- takes all arrays of the set except J from the arena; all rows are free. 0 when memory ran out. */
CTI_FN int cti_mprgp_set_reserve(cti_arena *arena, cti_mprgp_set *set, int n, int rows);
/* cti_mprgp_set_decoupled -- 1 when the rows of J are orthogonal up to rounding; mark [J->rows] and dots [J->rows] are scratch; Jt = J'. */
CTI_FN int cti_mprgp_set_decoupled(const cti_sparse *J, const cti_sparse *Jt, int32_t *mark, double *dots);
/* cti_mprgp_set_values -- s = J x; returns the largest violation among free rows (0: feasible up to rounding). */
CTI_FN double cti_mprgp_set_values(cti_mprgp_set *set, const double *x);
/* cti_mprgp_set_project -- moves x to the nearest feasible point (equations 19, 20) and sets the faces that it is on. */
CTI_FN void cti_mprgp_set_project(cti_mprgp_set *set, double *x);
/* cti_mprgp_split -- the quantities of equations 11 to 13 and 15 to 18 at a point. */
typedef struct cti_mprgp_split {
    double beta2;   /* |beta|^2 */
    double phi2;    /* |phi|^2 */
    double reduced; /* reduced free gradient times free gradient */
    double most;    /* largest entry of |phi + beta| */
    double force;   /* largest multiplier */
} cti_mprgp_split;
/* cti_mprgp_set_split -- computes phi, sum = phi + beta [n], and the numbers; t = J g. `step` is that of the reduced gradient. s must be
   that of x. */
CTI_FN void cti_mprgp_set_split(cti_mprgp_set *set, const double *g, double step, double *phi, double *sum, cti_mprgp_split *out);
/* cti_mprgp_set_flatten -- replaces z by its component in the face. */
CTI_FN void cti_mprgp_set_flatten(const cti_mprgp_set *set, double *z);

/* ---- preconditioning in the face ---- */

typedef enum cti_mprgp_precondition {
    CTI_PRECONDITION_AUTO,
    CTI_PRECONDITION_NONE,
    CTI_PRECONDITION_JACOBI,
    CTI_PRECONDITION_BLOCKS, /* 3x3 */
    CTI_PRECONDITION_FACE    /* Cholesky of the matrix in the face, refactored when the face has changed; bounds only */
} cti_mprgp_precondition;

typedef struct cti_mprgp_preconditioner {
    cti_mprgp_precondition kind;
    const cti_sparse *A;
    cti_mprgp_set *set;
    int exact;         /* 1: no two rows touch the same block, so M^-1 in the face takes one division a row */
    double *M;         /* inverse diagonal, or inverse 3x3 blocks */
    cti_sparse Y;      /* M^-1 J' by rows */
    double *d;         /* [rows] J_i M^-1 J_i' */
    cti_face_factor face;
} cti_mprgp_preconditioner;
/* cti_mprgp_preconditioner_open -- 0 when memory ran out. */
CTI_FN int cti_mprgp_preconditioner_open(cti_mem *mem, cti_mprgp_preconditioner *q, cti_mprgp_precondition kind, const cti_sparse *A,
                                         cti_mprgp_set *set);
/* cti_mprgp_preconditioner_apply -- z = the component in the face of M^-1 phi. */
CTI_FN void cti_mprgp_preconditioner_apply(cti_mprgp_preconditioner *q, const double *phi, double *z);
/* cti_mprgp_preconditioner_renew -- FACE: factors the current face if it is another one. 1 when it did, 0 when not, -1 when memory ran
   out. */
CTI_FN int cti_mprgp_preconditioner_renew(cti_mem *mem, cti_mprgp_preconditioner *q);

/* cti_mprgp_half -- y += (M + M') x for 3x3 blocks above the diagonal, by rows: each is read once and used twice, since memory bounds the speed. */
CTI_FN void cti_mprgp_half(int n, const int32_t *p, const int32_t *column, const double *block, const double *x, double *y);

/* ---- the method ---- */

/* cti_mprgp_counters -- counts of the work done. */
typedef struct cti_mprgp_counters {
    int cg, expansions, proportionings; /* steps of each kind */
    int projected;                      /* expansions by a shortened conjugate step */
    int inner;                          /* repetitions of the two inner loops */
    int products;                       /* products with A, in all */
    int power, halvings, factors, pivots;
    int kept;    /* rows after decoupling */
    int dual;    /* 1: solved on the multipliers */
    double norm; /* estimate of |A| */
} cti_mprgp_counters;

typedef enum cti_mprgp_end {
    CTI_MPRGP_DONE,
    CTI_MPRGP_BUDGET,
    CTI_MPRGP_STALLED,
    CTI_MPRGP_UNBOUNDED,
    CTI_MPRGP_MEMORY,
    CTI_MPRGP_INDEFINITE
} cti_mprgp_end;

/* cti_mprgp_calls -- functions of the task's owner; each may be NULL. */
typedef struct cti_mprgp_calls {
    int (*done)(void *ctx, const double *x, const double *g); /* at a point that meets the tolerance: 0 asks for a tighter one */
    void (*show)(void *ctx, const double *x); /* stores x, feasible or not, in the answer for a watcher; the set does not change */
    void *ctx;
    int (*infeasible)(void *ctx, const double *direction); /* called at intervals: 1 when x or a direction proves that there is no solution */
    void *infeasible_ctx;
} cti_mprgp_calls;

/* cti_mprgp_groups -- parts of a program, such as bodies, that are solved to the tolerance each: the gradient of a part is compared with the
   terms of that part alone. */
typedef struct cti_mprgp_groups {
    int n;
    const int32_t *start; /* [n + 1] group i has the unknowns start[i] to start[i + 1] - 1 */
    const double *least;  /* [n] size of a group's terms at least, for rounding errors of b */
} cti_mprgp_groups;

/* cti_mprgp_power -- an estimate of |A| by the power method, into count. v [n]: the start, if it is not 0, then the vector; w [n] scratch. Ends when
   a step changes the estimate by less than `enough` of it. */
typedef void (*cti_mprgp_multiply)(void *ctx, const double *x, double *y);
CTI_FN void cti_mprgp_power(int n, cti_mprgp_multiply multiply, void *ctx, double enough, double *v, double *w, cti_mprgp_counters *count);

/* cti_mprgp_task -- min 1/2 x'A x - b'x in the set. */
typedef struct cti_mprgp_task {
    int n;
    cti_mprgp_multiply multiply; /* y = A x */
    void *multiply_ctx;
    const cti_sparse *A; /* rows of the same matrix or NULL */
    /* without A: computes d'A d with the context of multiply, for a d that is zero outside the unknowns of these rows; or NULL */
    double (*energy)(void *ctx, const double *d, const int32_t *rows, int count);
    const double *b;
    cti_mprgp_set *set;
    cti_mprgp_preconditioner *precondition;
    const cti_mprgp_groups *groups; /* NULL: all unknowns are one group */
    double tolerance; /* on the largest entry of |phi + beta|, relative to the largest term in it */
    double gamma;     /* Gamma of the proportioning test; 1 */
    int projected;    /* 1: conjugate steps that leave the set are shortened before the step of fixed length is taken */
    cti_mprgp_calls calls;
    cti_effort *effort;
    cti_answer *answer; /* its iterations are counted, and it is shown to the effort's watcher */
    cti_mprgp_counters *count;
    double *power; /* [n] start of the power method, replaced by its result; NULL: a fixed start */
    int limit;     /* steps after which the run counts as stalled; 0: no limit */
    double reached; /* out: the residual, in the sense of `tolerance`, at the end */
} cti_mprgp_task;
/* cti_mprgp_run -- x [n] is the start, feasible or not. */
CTI_FN cti_mprgp_end cti_mprgp_run(cti_mprgp_task *q, double *x);

/* ---- decoupling ---- */

typedef enum cti_mprgp_decoupling { CTI_DECOUPLE_NONE, CTI_DECOUPLE_RANDOM, CTI_DECOUPLE_DEEPEST } cti_mprgp_decoupling;
/* cti_mprgp_decouple -- sets keep [J->rows] = 1 for rows of which no two touch the same `block` unknowns (3: a vertex; 1: an unknown). Rows
   are visited in random order, or by depth [J->rows], smallest first. Returns how many are kept, or -1 when memory ran out. */
CTI_FN int cti_mprgp_decouple(cti_arena *arena, const cti_sparse *J, const double *depth, cti_mprgp_decoupling how, int block,
                              uint64_t seed, uint8_t *keep);

/* ---- programs ---- */

typedef struct cti_mprgp_options {
    cti_mprgp_precondition precondition;
    cti_mprgp_decoupling decoupling; /* not NONE: rows that are not kept are left out, so the result is that of another problem */
    int block;                       /* block size of the decoupling: 3 */
    int path;                        /* 0: chosen by the problem, 1: for the unknowns, 2: for the multipliers */
    int dense_rows;                  /* up to this number of rows the multipliers' matrix is formed: 2400 */
    int projected;                   /* 1 */
    int printed;                     /* 1: algorithm 3 as printed (mprgp_printed.h); decoupling, precondition, path and projected have no
                                        effect */
    double gamma;                    /* 1 */
    double *power;                   /* [n] or NULL: start of the power method on the unknowns (of an LCP: on its rows), replaced by its
                                        result */
} cti_mprgp_options;
CTI_FN cti_mprgp_options cti_mprgp_options_default(void);
CTI_FN cti_outcome cti_mprgp_solve_with(const cti_program *p, const cti_mprgp_options *o, cti_effort *e, cti_answer *a,
                                        cti_mprgp_counters *count);
CTI_FN cti_outcome cti_mprgp_solve(const cti_program *p, cti_effort *e, cti_answer *a);

/* ---- parts of it ---- */

/* cti_mprgp_target -- where results go, and the problem by which they are judged. */
typedef struct cti_mprgp_target {
    const cti_program *judged; /* may have three rows for each row that is solved */
    int stride;                /* 1, or 3: row i is row 3 i of `judged` */
    cti_effort *effort;
    cti_answer *answer;
    const cti_mprgp_options *options;
    cti_mprgp_counters *count;
    double *work;  /* [2 m + 2 n] of the judged */
} cti_mprgp_target;
/* cti_mprgp_target_good -- 1 when the judge accepts the present answer. */
CTI_FN int cti_mprgp_target_good(cti_mprgp_target *t);
/* cti_mprgp_target_task -- a task for this target, without matrix and set; calls are given ctx. */
CTI_FN void cti_mprgp_target_task(const cti_mprgp_target *t, void *ctx, cti_mprgp_task *out);
/* cti_mprgp_target_store -- r [m] of the rows that are solved becomes the answer's; the judged problem's other rows have 0. */
CTI_FN void cti_mprgp_target_store(const cti_mprgp_target *t, int m, const double *r);
/* cti_mprgp_primal -- solves for the unknowns, with decoupled rows or bounds. *out_taken -1: the rows are neither. */
CTI_FN cti_mprgp_end cti_mprgp_primal(const cti_program *p, cti_mprgp_target *t, int limit, int *out_taken);
/* cti_mprgp_dual -- solves for the multipliers. *out_infeasible 1: r holds a certificate. */
CTI_FN cti_mprgp_end cti_mprgp_dual(const cti_program *p, cti_mprgp_target *t, int *out_infeasible);
/* cti_mprgp_boxed -- solves an LCP with symmetric W. *out_infeasible 1: r holds a certificate. */
CTI_FN cti_mprgp_end cti_mprgp_boxed(const cti_program *p, cti_mprgp_target *t, int *out_infeasible);
