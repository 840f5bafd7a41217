/* program.h -- a stand-alone contact problem: read from a file, given by the caller or made from a world, without mesh, body or scene. All
   solvers of this floor take it, and one judge measures their results.
   QP      min 1/2 x'A x - b'x  subject to  J x + w >= 0 (rows marked in `equation`: = 0);      A x - b - J'r = 0, r >= 0, r'(J x + w) = 0
   GLOBAL  A x = b + J'r, u = J x + w, and Coulomb's law between u and r of every contact
   LOCAL   u = W r + w with the same law; W [m][m] may be unsymmetric
   LCP     u = W r + w >= 0, r >= 0, r'u = 0; boxed with lo, hi: r = lo -> u >= 0, r = hi -> u <= 0, else u = 0
   A contact has three rows in the order n, t1, t2. Coulomb's law: (u_n + mu |u_t|, u_t) in K*, r in K = {|r_t| <= mu r_n}, their product 0.
   Behind them may be rows of torsional friction, u = n . (w_a - w_b): |r| <= c r_n of their contact, against u where it is not 0 [lecture notes
   4.1.2.3].
   Numbers are double in every build: such problems are compared and certified, and speed is second to accuracy. */
#pragma once

#include "../0_base/arena.h"
#include "../0_base/array.h"
#include "../1_math/d3.h"
#include "../2_linalg/supernodal.h"
#include "program_policy.h"

/* cti_sparse -- a scalar matrix in compressed rows; columns are sorted in each row, none appears twice. Zero it before first use. stb_ds
   arrays. */
typedef struct cti_sparse {
    int rows, cols;
    int32_t *p, *i; /* [rows + 1], [p[rows]] */
    double *x;
} cti_sparse;

/* cti_dot_fast -- a'b in four sums, which do not wait for each other. */
CTI_FN double cti_dot_fast(int n, const double *a, const double *b);
/* cti_most -- largest |a_i|, i < n; NaN if one is NaN. */
CTI_FN double cti_most(int n, const double *a);

CTI_FN void cti_sparse_free(cti_mem *mem, cti_sparse *a);
/* cti_sparse_reserve -- room for `entries`, row pointers 0; empty arrays are not NULL. 0, and an empty matrix, when memory ran out. */
CTI_FN int cti_sparse_reserve(cti_mem *mem, cti_sparse *a, int rows, int cols, int entries);
/* cti_sparse_copy -- out need not be initialized. 0 when memory ran out. */
CTI_FN int cti_sparse_copy(cti_mem *mem, const cti_sparse *from, cti_sparse *out);
/* cti_sparse_mul -- y = A x; cti_sparse_addmul_t -- y += A' x. */
CTI_FN void cti_sparse_mul(const cti_sparse *a, const double *x, double *y);
CTI_FN void cti_sparse_addmul_t(const cti_sparse *a, const double *x, double *y);
/* cti_sparse_transpose -- out need not be initialized. 0 when memory ran out. */
CTI_FN int cti_sparse_transpose(cti_mem *mem, const cti_sparse *a, cti_sparse *out);
/* cti_sparse_unblock -- the blocks of A as scalars. p, i and x have room: 3 n + 1 and 9 per block. */
CTI_FN void cti_sparse_unblock(const cti_bsr *A, cti_sparse *out);
/* cti_sparse_pairs -- (block row, block column) of the 3x3 blocks in which A, symmetric in its pattern, has entries, row by row;
   to [blocks]: other numbers for them, -1: left out; or NULL. Returns how many; -1: memory ran out. */
CTI_FN int cti_sparse_pairs(cti_mem *mem, const cti_sparse *A, const int32_t *to, int32_t **pairs);
/* cti_sparse_from_triplets -- entries in any order, sums of equal places. [n_entries] each. 0 when memory ran out. */
CTI_FN int cti_sparse_from_triplets(cti_mem *mem, int rows, int cols, const int32_t *i, const int32_t *j, const double *x, int n_entries,
                                    cti_sparse *out);
/* cti_triplets -- a list of entries; zero it before first use. add: 0 when memory ran out. close: makes their matrix where ok is not 0, and
   empties the list. */
typedef struct cti_triplets {
    int32_t *i, *j;
    double *x;
} cti_triplets;
CTI_FN int cti_triplets_add(cti_mem *mem, cti_triplets *t, int i, int j, double x);
CTI_FN int cti_triplets_close(cti_mem *mem, cti_triplets *t, int ok, int rows, int cols, cti_sparse *out);
/* cti_sparse_asymmetry -- largest |a_ij - a_ji| over the largest |a_ij|, over every stride-th row and column; 0 for a zero matrix. */
CTI_FN double cti_sparse_asymmetry(const cti_sparse *a, int stride);
/* cti_sparse_at -- entry (i, j), 0 where none is stored. */
CTI_FN double cti_sparse_at(const cti_sparse *a, int i, int j);

typedef enum cti_program_kind { CTI_PROGRAM_LOCAL = 1, CTI_PROGRAM_GLOBAL = 2, CTI_PROGRAM_QP = 3, CTI_PROGRAM_LCP = 4 } cti_program_kind;

/* cti_program_known -- what is known of the solution. */
typedef struct cti_program_known {
    double *x, *r;     /* a reference solution or NULL */
    double objective;
    int has_objective;
    int expect;        /* LCP text: 0 nothing, 1 solution, 2 infeasible, 3 no solution */
} cti_program_known;

typedef struct cti_program {
    cti_program_kind kind;
    int n, m;          /* unknowns x (LOCAL, LCP: m, x holds u); rows */
    int spins;         /* LOCAL, GLOBAL: how many of the rows, the last ones, are torsional friction */
    cti_sparse A, J;   /* QP, GLOBAL: symmetric with both triangles [n][n]; [m][n] */
    cti_sparse W;      /* LOCAL, LCP */
    double *b, *w;     /* [n], [m] */
    double *mu;        /* LOCAL, GLOBAL: [contacts] */
    double *lo, *hi;   /* boxed LCP: [m], infinities allowed; else NULL */
    uint8_t *equation; /* QP: [m] or NULL */
    int32_t *spin_of;  /* [spins] contact */
    double *spin_mu;   /* [spins] c [m] */
    double *spin_lever; /* [spins] length with which they count as the others: u times it, r over it; from the data, as scale */
    /* Scales of the contacts' residuals, from the data alone, so that a diverging multiplier does not make them small; filled by
       cti_program_prepare. scale [contacts] is 3 / trace W_ii. size_u is the largest entry of w and of the free velocity w + J A^-1 b. size_r
       is the norm of that velocity times `scale` */
    double *scale;
    double size_u, size_r;
    double constant;   /* added to a QP's objective */
    cti_program_known known;
} cti_program;

CTI_FN void cti_program_free(cti_mem *mem, cti_program *p);
/* cti_program_is_dynamic -- 1 for a QP or GLOBAL problem, which has A and J; else it has W, and x holds u. */
CTI_INLINE int cti_program_is_dynamic(const cti_program *p) { return p->kind == CTI_PROGRAM_QP || p->kind == CTI_PROGRAM_GLOBAL; }
/* cti_program_contacts -- their number. cti_program_is_friction -- 1 for a row that is no contact's normal. */
CTI_INLINE int cti_program_contacts(const cti_program *p) { return p->mu ? (p->m - p->spins) / 3 : 0; }
CTI_INLINE int cti_program_is_friction(const cti_program *p, int row) { return p->mu && (row % 3 || row >= p->m - p->spins); }
/* cti_program_check -- NULL, or a sentence on the first size, pattern or number that is wrong. */
CTI_FN const char *cti_program_check(const cti_program *p);
/* cti_program_prepare -- computes the judge's scales: once, after the problem is filled. 0 when memory ran out. */
CTI_FN int cti_program_prepare(cti_mem *mem, cti_program *p);
/* cti_program_has_friction -- 1 if a contact has a coefficient of friction above 0. */
CTI_FN int cti_program_has_friction(const cti_program *p);
/* cti_program_u -- u [m] = J x + w, or W r + w for LOCAL and LCP. */
CTI_FN void cti_program_u(const cti_program *p, const double *x, const double *r, double *u);

/* cti_program_normals -- a LOCAL or GLOBAL problem without friction: an LCP of W's rows and columns 3 i, a QP of J's rows 3 i that shares A and b.
   0 when memory ran out. */
CTI_FN int cti_program_normals(cti_mem *mem, const cti_program *p, cti_program *out);

/* cti_judgement -- the errors of (x, r) as the judge measures them, independent of the solver. They are relative to sizes of the data:
   size_u and size_r; an LCP's w and bounds. A QP's are relative to the terms that cancel, since its gap shows diverging multipliers. */
typedef struct cti_judgement {
    double dynamics;  /* |A x - b - J'r| of QP and GLOBAL */
    double primal;    /* violation of u >= 0 (LCP, QP; equations: |u|) or u_n >= 0 */
    double dual;      /* violation of r >= 0, of the box, of Coulomb's cone */
    double gap;       /* QP: |r'u| relative to the objective; else sum |r_i u_i| relative to |r| |u| */
    double natural;   /* QP, LCP: largest |r - P(r - u)|, relative; LOCAL, GLOBAL: |r - P_K(r - D u^)| / size_r, D_i = 3 / trace W_ii */
    double unscaled;  /* LOCAL, GLOBAL: |r - P_K(r - u^)| / max(|w|, |r|, |u|) */
    double objective; /* QP */
    double residual;  /* the number that decides: the largest of those that the kind's tolerance is about */
} cti_judgement;
/* cti_program_judge -- work [m + 2 n]. cti_judge_work -- [2 m + 2 n], room for it and for certificates; NULL: out of memory. */
CTI_INLINE double *cti_judge_work(cti_arena *arena, const cti_program *p)
{
    return CTI_ARENA_NEW(arena, double, 2 * ((size_t)p->m + (size_t)p->n));
}
CTI_FN void cti_program_judge(const cti_program *p, const double *x, const double *r, double *work, cti_judgement *out);
/* cti_cone_project3 -- r [3] to the nearest point of |r_t| <= mu r_n. */
CTI_FN void cti_cone_project3(double mu, double *r);
/* cti_cone_natural -- out [3] = r - P_K(r - v), the natural map; exactly v where r - v is in K, however long r is. */
CTI_FN void cti_cone_natural(double mu, const double *r, const double *v, double *out);

/* cti_effort_watcher -- a function that sees the iterates. */
typedef struct cti_effort_watcher {
    int (*watch)(void *user, int iteration, const double *x, const double *r); /* returns 0 to end the solve; may be NULL */
    void *user;
    void (*show)(void *ctx); /* set by the solver while it runs: updates the answer for the watcher; or NULL */
    void *show_ctx;
    int from;           /* iterations before this one are not shown */
} cti_effort_watcher;

/* cti_effort_clock -- time of the solve, without the watcher's. */
typedef struct cti_effort_clock {
    uint64_t (*now_us)(void *user);
    void *user;
    uint64_t started;
    uint64_t turn;      /* [us] cti_effort_now when the watcher's turn began */
    uint64_t hidden;    /* [us] spent in showing and watching, which is no part of the solve */
} cti_effort_clock;

/* cti_effort -- limits, options and observers of a solve. */
typedef struct cti_effort {
    double tolerance;   /* > 0, of cti_judgement.residual */
    int max_iterations; /* 0: the solver's own bound */
    double seconds;     /* of the clock; 0: no limit */
    int warm;           /* 1: the answer's x and r hold a start; 2: they hold this solver's result on nearly the same problem */
    int order;          /* PGS: 0 rows in their order, 1 forward and backward, 2 by colours */
    double relaxation;  /* PGS: (0, 2), 1 plain */
    int plain;          /* ICA: 1 not accelerated */
    int paper;          /* ICA, MPRGP: 1: the paper's algorithm with its own termination */
    int mix;            /* PGS: 1 W is symmetric, and its sweeps are accelerated (mixing.h) */
    uint64_t seed;      /* of random choices */
    cti_effort_clock clock;
    cti_effort_watcher watcher;
    cti_arena *arena;   /* all scratch, with its own memory for growable arrays; rewound by the caller */
} cti_effort;
/* cti_effort_goes_on -- 1 when iteration `k` (from 0) may begin: no limit is reached (`own` is the solver's default), and the watcher
   agrees. */
CTI_FN int cti_effort_goes_on(cti_effort *e, int k, int own, const double *x, const double *r);
/* cti_effort_now -- the clock less the time spent in watching [us]; 0 without a clock. */
CTI_FN uint64_t cti_effort_now(const cti_effort *e);

typedef enum cti_outcome {
    CTI_OUTCOME_SOLVED,
    CTI_OUTCOME_INFEASIBLE,     /* with a certificate: in r, y >= 0 with J'y = 0 and w'y < 0 (QP); in r, y >= 0 with W'y <= 0, w'y < 0 (LCP) */
    CTI_OUTCOME_RAY,            /* Lemke ended on a ray */
    CTI_OUTCOME_BUDGET,
    CTI_OUTCOME_FAILED,
    CTI_OUTCOME_NOT_APPLICABLE,
    CTI_OUTCOME_MEMORY
} cti_outcome;
typedef struct cti_answer {
    double *x, *r; /* [n] (LOCAL, LCP: u [m]), [m]; the caller's */
    int iterations;
    const char *why; /* a sentence where the outcome is not SOLVED; a static string */
} cti_answer;
/* cti_answer_end -- stores the sentence, and returns the outcome. */
CTI_INLINE cti_outcome cti_answer_end(cti_answer *a, cti_outcome outcome, const char *why)
{
    a->why = why;
    return outcome;
}
/* cti_candidate -- a point that is offered as an answer; the best one so far is the answer. */
typedef struct cti_candidate {
    const cti_program *p;
    cti_answer *a;
    double *x, *r, *work; /* [n], [m] the point; [2 n + 2 m] */
    double best;          /* residual of the answer; INFINITY where there was none */
    cti_judgement j;      /* of the last point */
} cti_candidate;
/* cti_candidate_open -- 0 when memory ran out; x and r are 0. */
CTI_FN int cti_candidate_open(cti_candidate *c, const cti_program *p, cti_answer *a, cti_arena *arena);
/* cti_candidate_offer -- judges x and r, which become the answer if they are better. Returns their residual. */
CTI_FN double cti_candidate_offer(cti_candidate *c);
typedef cti_outcome (*cti_program_solver)(const cti_program *p, cti_effort *e, cti_answer *a);

/* cti_scalar -- A z = y for a sparse symmetric positive definite matrix, by supernodal Cholesky in double and refinement. Zero it before first use.
   Pivots that fail are boosted (count in `boosted`): a semidefinite matrix then needs a shift by the caller. */
typedef struct cti_scalar {
    cti_sparse const *A;
    cti_bsr bsr; /* the pattern: scalars in 3x3 blocks, unknown i is entry i % 3 of block i / 3 */
    double *val; /* its blocks; pads have 1 on the diagonal */
    int32_t *blocks;
    int32_t *to;   /* [entries of A] where they go in val; made by the first factor */
    cti_symbolic symbolic;
    cti_gather gather;
    cti_factor64 factor;
    double *work, *z, *r;
    int boosted;
} cti_scalar;
/* cti_scalar_open -- analysis of the pattern of A, which has to live as long as the system. 0 when memory ran out. */
CTI_FN int cti_scalar_open(cti_mem *mem, cti_scalar *s, const cti_sparse *A);
/* cti_scalar_factor -- factors the present values of A. 0 when memory ran out. */
CTI_FN int cti_scalar_factor(cti_mem *mem, cti_scalar *s);
/* cti_scalar_pivot -- the smallest pivot of the factor. */
CTI_FN double cti_scalar_pivot(const cti_scalar *s);
/* cti_scalar_is_convex -- 1 if x'Ax has no negative value, up to rounding, in any units; else 0. A stores its diagonal. -1 when memory ran out. */
CTI_FN int cti_scalar_is_convex(cti_arena *arena, const cti_sparse *A);
/* cti_scalar_solve -- z [n] in: right side, out: solution; `refine` steps of refinement with A (1 or 2 are enough). */
CTI_FN void cti_scalar_solve(cti_scalar *s, double *z, int refine);
CTI_FN void cti_scalar_close(cti_mem *mem, cti_scalar *s);
/* cti_scalar_schur -- W [m][ld] row-major = J A^-1 J', full and symmetric, ld >= m; A must have been factored. Scratch from the arena. 0
   when memory ran out. */
CTI_FN int cti_scalar_schur(cti_scalar *s, cti_arena *arena, const cti_sparse *J, double *W, int ld);
