/* problem.h -- the contact problem: one linearized implicit step with contacts, the input of every solver.

   A v = b + J' r,   u = J v + w,   per contact (u_n, u_t) and r = (lambda, gamma1, gamma2) in its frame n, t1, t2:
   0 <= lambda  perpendicular to  u_n + c_n lambda >= 0,   gamma in the cone of radius mu lambda, opposing u_t.     [Otaduy 2009, eq. 6-7]

   Joints and stitches are rows of the same shape whose axes are equations, u + c r = 0 with r of either sign. Those of a motor have a bound:
   |r| <= most, and u + c r opposes an r that is there.
   J is never stored: a row keeps its attachments, at most sixteen terms, and gathers and scatters through them. A row's constant part w
   holds g0/dt, scripted motion and the stick target. This floor knows no mesh and no body: blocks are numbered, clusters are lists of
   blocks. */
#pragma once

#include "../0_base/arena.h"
#include "../0_base/frame.h"
#include "../0_base/tasks.h"
#include "../1_math/vec.h"
#include "../2_linalg/bsr.h"

/* cti_term -- one block of an attachment: it contributes weight * v + cross(v, arm) to the velocity of the attached point. A node has arm 0;
   a rigid body's linear block has weight 1, arm 0, its angular block weight 0 and arm = the lever. */
typedef struct cti_term {
    int32_t block;
    ct_real weight;
    ct_real arm[3];
} cti_term;

enum { CTI_ROW_TERMS = 16 }; /* an embedded vertex against an embedded face: 4 + 3 * 4 nodes */

/* cti_row -- one contact or joint: three rows (n, t1, t2) of J. Terms [0, n_a) belong to side a, [n_a, n) to side b with their signs turned, so that
   u = frame * sum(terms) + w is the velocity of a relative to b. n points from b to a. */
typedef struct cti_row {
    int32_t n_a, n;
    int32_t equations;     /* 0: a contact; else a mask of the axes 1 n, 2 t1, 4 t2 that are equations, the others have no multiplier */
    cti_term term[CTI_ROW_TERMS];
    ct_real frame[9];      /* rows n, t1, t2: orthonormal */
    ct_real w[3];          /* [m/s] */
    ct_real mu;            /* >= 0 */
    ct_real most;          /* [N s] of equations: bound of |r|; 0: none */
    int32_t load;          /* not 0: the contact so many rows from here; the bound is share times its normal multiplier (cti_row_follow) */
    ct_real share;
    ct_real compliance[3]; /* [m/s per N s] >= 0: softens the hard law u_n >= 0 and the stick */
    ct_real recover;       /* > 0: [m/s] speed at which a pair closer than its thickness is separated: lambda >= (recover - u_n) / softness */
    ct_real softness;      /* [m/s per N s] > 0 where recover > 0 */
    ct_real r[3];          /* in: start values; out: multipliers [N s] */
    uint64_t key;          /* of the feature pair, by which multipliers are found again in later rounds and steps */
} cti_row;

/* cti_cluster -- blocks that a solver inverts together. Hooks are optional: without them a solver inverts A's own sub-matrix.
   solve       x <- D^-1 x in place, x [3 n] in the order of blocks; worker: number of the calling worker, see ct_task_fn
   compliance  C [3 p][ld] float <- (D^-1) restricted to ports (positions in `blocks`); 0 when memory ran out. *out_work > 0: C is not
               filled yet
   fill        fills it, with work [*out_work]; allocates nothing, so that several workers can fill tiles of different clusters */
typedef struct cti_cluster {
    const int32_t *blocks;
    int n;
    void (*solve)(void *ctx, ct_real *x, int worker);
    int (*compliance)(void *ctx, const int32_t *ports, int n_ports, float **out_c, int *out_ld, size_t *out_work);
    void (*fill)(void *ctx, const int32_t *ports, int n_ports, float *C, float *work);
    void *ctx;
    int lagged; /* 1: solve and compliance use the factor of an earlier matrix */
} cti_cluster;

/* cti_correction -- v += M^-1 (f - A v) on bodies that a splitting divides into several clusters. M is A plus the stiffness of the
   constraints at their contacts.
   apply       returns the largest change of an entry, below 0 when memory ran out
   renew       1: M is built for the multipliers rows[].r and v at hand; 0: it is built where the last M is not good enough; -1: the last
               M is used */
typedef struct cti_correction {
    ct_real (*apply)(void *ctx, int renew, const ct_real *f, ct_real *v);
    void *ctx;
    int is_cheap; /* 1: M is factored in the time of a few iterations */
} cti_correction;

/* cti_split -- how solvers go that split A into clusters. */
typedef struct cti_split {
    const cti_cluster *clusters;
    int n_clusters;             /* 0: every block is its own cluster */
    int lagged;                 /* 1: the clusters' inverses are of an earlier matrix; a solver that contracts slowly then returns
                                   CTI_SOLVE_SLOW */
    int free_start;             /* 1: the start solves A v = b on components of A that no contact touches; such clusters are left
                                   unchanged */
    const cti_correction *correction; /* applied between sweeps over coupled clusters; or NULL */
    int plain;                  /* 1: the paper's relaxation, without acceleration */
    int rigid;                  /* 1: all blocks are rigid bodies' */
    double rival;               /* [us] time that another solver takes at least; 0: there is none. A solver that would take longer than
                                   calls.price says returns CTI_SOLVE_OUTPACED */
    int predict;                /* 1: contacts of nodes anticipate from the Jacobi step D^-1 ((L + U) v + b + J' r), eq. 9 for v; 0: from v */
} cti_split;

/* cti_problem_calls -- what a solver calls; each may be NULL. */
typedef struct cti_problem_calls {
    int (*balance)(void *ctx, ct_real *r, ct_real *v); /* transfers the net momentum of each body in the residual r [3 n] into rows[].r and
                                                          v, before the natural map is evaluated. 0: out of memory */
    void *balance_ctx;
    double (*price)(void *ctx); /* [us] estimated time of the other solver: asked for once, where split.rival is not 0 and in reach */
    void *price_ctx;
    int (*watch)(void *user, int iteration, const ct_real *v); /* sees v and rows[].r after every outer iteration, 0 ends */
    void *watch_user;
} cti_problem_calls;

/* cti_block_size -- how errors of a block are judged. */
typedef struct cti_block_size {
    ct_real whole; /* [1/kg] inverse mass of the component of A that the block belongs to, 0 where that component is held */
    ct_real lever; /* what makes a speed [m/s] of the block's velocity: 1, or of an angular velocity the body's radius of gyration [m] */
} cti_block_size;

typedef struct cti_problem {
    const cti_bsr *A;
    const ct_real *b;           /* [3 n] */
    ct_real dt;                 /* [s] */
    ct_real velocity_scale;     /* [m/s] > 0: |g| dt where there is gravity; residuals are relative to it */
    ct_real approach_limit;     /* [m/s] half the thickness / dt: approach speed at which a distance reaches half the thickness, a bound in
                                   the paper's solve only; 0: no test */
    cti_row *rows;
    int n_rows;
    const int32_t *filter;      /* [n] index into projectors or -1; NULL: no block is constrained */
    const ct_real *projectors;  /* [9 m]: J' r acts through them on constrained blocks (A and b are filtered already) */
    const struct cti_body_factor *bodies; /* the factored diagonal blocks of A, one a body or component, with exact factors
                                             (delassus_bodies.h) */
    int n_bodies;               /* 0: not available */
    const cti_block_size *sizes; /* [n]; NULL: masses are not known, all levers are 1 */
    ct_real *local;             /* [3 n_rows] local compliances of the rows (cti_residual_prepare); NULL: the judge computes them at each
                                   evaluation */
    cti_split split;
    cti_problem_calls calls;
    const ct_tasks *tasks;      /* who runs the loops, or NULL */
    cti_frame *frame;           /* the bound of the call, which sweeps and iterations ask, or NULL */
} cti_problem;

/* cti_problem_lever -- of a block, see cti_block_size. */
CTI_INLINE ct_real cti_problem_lever(const cti_problem *p, int block) { return p->sizes ? p->sizes[block].lever : 1; }

/* cti_residuals -- the errors of a solution, as the judge computes them. All but dual_gap are the largest entries of velocities divided by
   velocity_scale. */
typedef struct cti_residuals {
    ct_real dynamics;      /* |D^-1 (A v - b - J' r)|, D the 3x3 diagonal */
    ct_real primal;        /* violation of u_n >= 0 */
    ct_real dual;          /* -lambda, or friction outside of the cone, times the local compliance */
    ct_real natural;       /* natural map |r - P(r - u/d)| d in the problem's cone */
    ct_real natural_cone;  /* the same in Coulomb's cone, d the mean diagonal of the local compliance */
    ct_real natural_map;   /* max(dynamics, natural): the number that decides. Texts call `natural` the natural map */
    double dual_gap;       /* sum lambda u_n [J] */
} cti_residuals;

/* cti_solve_info -- how a solver ended; the judgement is cti_residual_eval's. */
typedef enum cti_solve_status {
    CTI_SOLVE_OK,
    CTI_SOLVE_SLOW,
    CTI_SOLVE_OUTPACED,
    CTI_SOLVE_BUDGET,
    CTI_SOLVE_DIVERGED,
    CTI_SOLVE_MEMORY,
    CTI_SOLVE_FAILED
} cti_solve_status;
typedef struct cti_solve_info {
    cti_solve_status status;
    int iterations; /* outer */
    int sweeps;     /* over the contacts */
    int quick;      /* iterations of ica_paper.c whose inner loop took fewer than ten sweeps */
    ct_real spent;  /* iterations of the interior point method, as a share of a step's */
    ct_real change; /* largest change of the last outer iteration (solve_policy.h), relative to velocity_scale */
    int judged;     /* 1: the solution's residual is `res`; its momenta are balanced if calls.balance is set */
    cti_residuals res;
} cti_solve_info;

/* cti_row_term -- the term of a block on one side of a row, whose terms start at `first`; made where there is none. */
CTI_FN cti_term *cti_row_term(cti_row *row, int first, int block);
/* cti_row_velocity -- u [3] of a row at v. */
CTI_FN void cti_row_velocity(const cti_row *row, const ct_real *v, ct_real *u);
/* cti_row_scatter -- f += J' r of one row, through the projectors. */
CTI_FN void cti_row_scatter(const cti_problem *p, const cti_row *row, const ct_real *r, ct_real *f);
/* cti_row_bound -- moves the multipliers of equations to the nearest ones within their bound. Returns 1 if it held them. */
CTI_FN int cti_row_bound(ct_real most, ct_real *r);
/* cti_row_follow -- the bound of equations whose contact has the normal multiplier. A bound that vanishes is a number next to 0. */
CTI_INLINE void cti_row_follow(cti_row *row, ct_real normal)
{
    if (row->load)
        row->most = row->share * cti_max(0, normal) + CTI_R(1e-30);
}
/* cti_row_map -- G [9] of term k: frame * (weight I - [arm]x), block velocity to contact frame. */
CTI_FN void cti_row_map(const cti_row *row, int k, ct_real *G);
/* cti_row_map_t -- the same transposed and projected: contact impulse to block impulse, S G'. [9] */
CTI_FN void cti_row_map_t(const cti_problem *p, const cti_row *row, int k, ct_real *Gt);
/* cti_problem_rhs -- f = b + J' r. */
CTI_FN void cti_problem_rhs(const cti_problem *p, ct_real *f);

/* cti_problem_residual -- r = f - A v; r may be f. */
CTI_FN void cti_problem_residual(const cti_problem *p, const ct_real *f, const ct_real *v, ct_real *r);

/* cti_cone_project, cti_cone_project64 -- (g1, g2) to the nearest point of the cone's section of radius `bound` >= 0. */
CTI_FN void cti_cone_project64(ct_cone cone, double bound, double *g1, double *g2);
CTI_FN void cti_cone_project(ct_cone cone, ct_real bound, ct_real *g1, ct_real *g2);

/* cti_residual_prepare -- computes p->local from the rows and A, for problems that are judged more than once. 0 when memory ran out. */
CTI_FN int cti_residual_prepare(cti_problem *p, cti_arena *arena);
/* cti_residual_eval -- all residuals, by the two functions below. work [6 n] */
CTI_FN void cti_residual_eval(const cti_problem *p, ct_cone cone, const ct_real *v, ct_real *work, cti_residuals *out);
/* cti_residual_dynamics -- out->dynamics, of all blocks. work [6 n] */
CTI_FN void cti_residual_dynamics(const cti_problem *p, const ct_real *v, ct_real *work, cti_residuals *out);
/* cti_residual_row -- residuals of one row at its velocity u [3] and multipliers r [3], merged into the maxima that `out` already holds.
   local [3]: its local compliance. */
CTI_FN void cti_residual_row(const cti_problem *p, ct_cone cone, const cti_row *row, const double *u, const double *r, const ct_real *local,
                             cti_residuals *out);
