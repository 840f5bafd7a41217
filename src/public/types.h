/* types.h -- every public type of contact.h. Lengths in metres, masses in kilograms, times in seconds, angles in radians unless said. */
#ifndef CT_TYPES_H_INCLUDED
#define CT_TYPES_H_INCLUDED

#include "steppers.h"
#include <stddef.h>
#include <stdint.h>

typedef struct ct_world ct_world;

/* ct_body_id -- a handle by value. index1 0 is null; a handle to a removed body is stale and refused in every build. */
typedef struct ct_body_id {
    uint32_t index1, generation;
} ct_body_id;

/* ct_joint_id -- a handle like ct_body_id. */
typedef struct ct_joint_id {
    uint32_t index1, generation;
} ct_joint_id;

/* Result codes: name, text. One list makes the enum and ct_code_text. */
#define CT_CODE_LIST(X)                                                                                                                    \
    X(CT_OK, "ok")                                                                                                                         \
    X(CT_ERR_ARGUMENT, "bad argument")                                                                                                     \
    X(CT_ERR_STALE_ID, "stale or null id")                                                                                                 \
    X(CT_ERR_MESH, "unusable mesh")                                                                                                        \
    X(CT_ERR_MEMORY, "out of memory")                                                                                                      \
    X(CT_ERR_FILE, "file cannot be opened, read or written")                                                                               \
    X(CT_ERR_FORMAT, "file content is not what its format says")                                                                           \
    X(CT_ERR_UNSUPPORTED, "not supported")                                                                                                 \
    X(CT_ERR_DOMAIN, "argument outside of the function's domain")
#define CT_CODE_ENUM(name, text) name,
typedef enum ct_code { CT_CODE_LIST(CT_CODE_ENUM) CT_CODE_COUNT_ } ct_code;
#undef CT_CODE_ENUM

/* ct_error_info -- what went wrong and where. text is owned by the library or static; it stays valid until the next call on the same world
   (or, without a world, on the same ct_error_info). element and value are -1 and 0 when they mean nothing. */
typedef struct ct_error_info {
    ct_code code;
    const char *text;
    ct_body_id body;
    int64_t element; /* vertex, tet, triangle or line number, as the text says */
    double value;
    char buffer[240]; /* storage behind text where it is composed */
} ct_error_info;

/* ct_filter -- whom a body meets, as in Box2D: two bodies meet when they share a group above 0; they do not when they share a group below 0;
   otherwise when the category of each has a bit in the mask of the other. ct_filter_default: category 1, all bits in the mask, group 0. It is for
   planes, too. A body meets itself by ct_body_set_self_collision alone. */
typedef struct ct_filter {
    uint64_t category, mask;
    int32_t group;
} ct_filter;

/* ct_mesh -- caller-owned: zero it, fill or read it, free it. Arrays that the library fills are stb_ds arrays (arrlen works). Triangles are
   counter-clockwise seen from outside, tets positive when dot(cross(x1-x0, x2-x0), x3-x0) > 0. Indices are 0-based. */
typedef struct ct_mesh {
    ct_real *positions; /* [3 n_positions] */
    int32_t *tets;      /* [4 n_tets] */
    int32_t *triangles; /* [3 n_triangles] */
    int32_t *segments;  /* [2 n_segments] */
    int n_positions, n_tets, n_triangles, n_segments;
} ct_mesh;

/* ct_allocator -- realloc with the old size; new_size 0 frees and returns NULL. resize NULL: malloc, realloc, free. Returned blocks have
   malloc's alignment. It is called only from the thread that calls the library. */
typedef struct ct_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} ct_allocator;

/* ct_tasks -- the threads that run the loops of a step. Results have the same bits for all of them. There are three ways:
   - all zero (default): the calling thread
   - worker_count N > 1 and no enqueue: the calling thread and N - 1 threads of the world's own, started by ct_world_create and ended by
     ct_world_destroy. This needs CONTACT_THREADS 1, else CT_ERR_UNSUPPORTED; a thread that does not start is CT_ERR_MEMORY, with its
     number in `element` and the system's error in `value`
   - enqueue and finish: the user's task system (box2d v3's interface). enqueue has fn(begin, end, worker, context) called for ranges that
     together cover [0, count) once, in any order and on any threads, also before it returns. Each range has at least min_range entries,
     except a remainder. enqueue returns a task for finish, which is called next and waits for it, or NULL where all is done. Ranges that
     run at the same time have different workers, 0 <= worker < worker_count. fn calls none of the user's functions. It waits for another
     range at most for a moment, then leaves the rest to the others
   worker_count  0 to 256; no more than the machine has cores: 64 on 2 cores cost five times the CPU of one (12 bodies and a cloth)
   user          passed to enqueue and finish; not read otherwise */
typedef void ct_task_fn(int begin, int end, int worker, void *context);
typedef struct ct_tasks {
    void *(*enqueue)(ct_task_fn *fn, int count, int min_range, void *context, void *user);
    void (*finish)(void *task, void *user);
    int worker_count;
    void *user;
} ct_tasks;

typedef enum ct_log_level { CT_LOG_ERROR, CT_LOG_WARNING, CT_LOG_INFO } ct_log_level;
typedef void ct_log_fn(ct_log_level level, const char *text, void *user);

/* ct_integrator -- the time integrator of deformable bodies, of CT_STEPPER_CMR as follows; rigid bodies have their own rule with each. Forces are
   linearized once a step, at the body after its own rigid rotation, and again (newton_iterations) where a body would gain energy. All
   integrators conserve the linear and angular momentum of a free body in every material; vibrations differ (docs/limits.md, "What
   integrators keep"):
   EULER    first order, the most robust: a vibration of angular frequency w loses its amplitude at w^2 dt / 2 [1/s]. v is the average
            velocity of the last step
   NEWMARK  beta 1/4, gamma 1/2 (trapezoidal): second order, conserves the energy of small vibrations; stiff bodies ring unless damped
   BDF2     second order, damps high frequencies only. It uses the step before, so it starts with a step of Newmark. It starts again after
            contacts and joints have released the body, velocities were set, or the fail-safe acted
   With NEWMARK and BDF2 v is the velocity at the end of the step. A body under contacts or joints, or one that would gain energy, is
   stepped by EULER's rule for that substep: contacts are inelastic, impulses and friction are EULER's, momentum is exact. Second order
   holds for small strains, where the stiffness needs no projection; in large swings the order falls towards one.
   Under CT_STEPPER_BARRIER all bodies have the integrator, rigid ones too, in every step; v is the velocity at the end of the step, and the
   orders are those above in large swings, too (docs/forms.md). Contacts act at the end of the step for all of it. Besides, there is
   MIDPOINT  the implicit midpoint rule: as NEWMARK, but the bodies' forces act at the middle of the step
   NEWMARK and MIDPOINT do not bound the energy there: steps in which a stiff body turns by 0.2 rad are divided; BDF2 is the second order rule
   for such
   Under CT_STEPPER_GEOMETRIC there are EULER and MIDPOINT: forces of bodies and contacts act at the middle of the step, linearized once; v is the
   velocity at the end. What its second half adds between features in contact is taken away (ct_geometric_desc.residual_state) */
typedef enum ct_integrator {
    CT_INTEGRATOR_EULER,
    CT_INTEGRATOR_NEWMARK,
    CT_INTEGRATOR_BDF2,
    CT_INTEGRATOR_MIDPOINT,
    CT_INTEGRATOR_COUNT_
} ct_integrator;

/* ct_cone -- the admissible set of a contact's friction (g1, g2) at normal multiplier l:
   BOX      |g1| <= mu l and |g2| <= mu l (Otaduy 2009, 5.5: two independent projections)
   PYRAMID  |g1| + |g2| <= mu l           (a true four-sided pyramid inside the cone)
   CONE     g1^2 + g2^2 <= (mu l)^2       (Coulomb)
   The axes of BOX and PYRAMID are set for each contact in every step: t1 along its tangential velocity without contacts, t2 = n x t1
   (Otaduy 2009, 3.4). So sliding is braked with mu g along its direction, and not deflected. */
typedef enum ct_cone { CT_CONE_BOX, CT_CONE_PYRAMID, CT_CONE_CONE } ct_cone;

/* ct_cluster_mode -- the blocks that ICA's splitting inverts together. AUTO picks by cost. */
typedef enum ct_cluster_mode { CT_CLUSTER_AUTO, CT_CLUSTER_NODE, CT_CLUSTER_PATCH, CT_CLUSTER_BODY } ct_cluster_mode;

/* ct_termination -- RESIDUAL: the natural map is below the tolerance. PAPER: the solver exactly as its paper prints it, for comparison.
   CT_SOLVER_MPRGP, or CT_STEPPER_DCD: algorithm 3 of Li 2015 for the given rows, also coupled and dependent ones (a QP's, or contacts'
   without friction). It sets one Newton iteration, dcd.recovery 1, no friction, no substeps, and CT_DECOUPLE_RANDOM for PIVOT. See
   docs/solvers_mprgp.md.
   Solvers ICA and AUTO, CT_STEPPER_CMR: the step and the solve of Otaduy 2009 as printed; it is slower and ends early. It overrides the
   settings that the paper fixes: nodes as clusters, a box as the cone where Coulomb's is set, one linearization, five rounds, two halvings.
   It has no acceleration and no corrections, and does not react to a gain of energy. A solve ends when its residuals change by less than 5
   % and every contact's distance is above half the thickness, or after max_iterations of inner_iterations, or 20 max_sweeps. A step that
   ends so above the tolerance, or in which a body gains energy, has status `budget` and is taken. See docs/solvers_ica.md. */
typedef enum ct_termination { CT_TERMINATION_RESIDUAL, CT_TERMINATION_PAPER } ct_termination;

/* ct_friction -- how friction is added to a world's solver that has none of its own (MPRGP, ACTIVE_SET):
   STAGGERED    normals and friction are solved alternately, to the tolerance (Kaufman et al. 2008)
   ANTICIPATED  the solver finds the normals, then ICA solves friction and normals from there (Li et al. 2015)
   LOCAL        after the normals friction is computed contact by contact, then the normals once more (Bridson et al. 2003): cheap. Friction
                is not solved for, and the report's residual shows its error */
typedef enum ct_friction { CT_FRICTION_STAGGERED, CT_FRICTION_ANTICIPATED, CT_FRICTION_LOCAL } ct_friction;

struct ct_solution;

/* ct_solver_desc -- how a contact problem is solved. Make it with ct_solver_desc_default. */
typedef struct ct_solver_desc {
    uint32_t cookie;
    ct_solver solver;
    ct_cone cone;
    ct_cluster_mode cluster;
    ct_termination termination;
    ct_real tolerance;     /* of natural map and error of A v = b + J'r, relative to the velocity scale, > 0; default 1e-4, in float 1e-3,
                              which it can resolve */
    int max_iterations;    /* outer iterations, >= 1; default 500 */
    int inner_iterations;  /* most Gauss-Seidel sweeps over the contacts in an outer iteration; default 200 */
    int max_sweeps;        /* sweeps over the contacts after which a solve stops; >= 1; the step is taken, with status budget; default 200.
                              A solve that has gained half of its digits by then goes on for as many, unless Newton steps take over. Where
                              bodies are split into nodes or patches, half of it bounds the outer iterations instead. An island
                              whose bodies are one cluster each, with fewer than 250 contacts, may take 250 / contacts times as many, at most
                              20 times, for the same work. Once a step has spent 24 budgets of all contacts (96 where islands have joints) on
                              solves that end with a residual above 0.15, islands that end so get an eighth of the sweeps */
    int inner_repeats;     /* normal-friction repeats at one contact; default 3 (Otaduy 5.5) */
    ct_friction friction;  /* default CT_FRICTION_STAGGERED */
    /* for ct_problem_solve, and for solvers other than ICA in worlds */
    int budget;            /* iterations of a solver, >= 0; 0 (default): the solver's own bound, which in worlds keeps a solve to seconds */
    double seconds;        /* time limit by now_us, >= 0; 0 (default): none */
    int order;             /* PGS: 0 (default) rows in their order, 1 forward and backward, 2 by colours */
    double relaxation;     /* PGS: in (0, 2), 1 (default): none */
    int plain;             /* ICA: 1: the paper's relaxation, without acceleration; default 0 */
    int warm;              /* ct_problem_solve: 1: x and r of the given solution are the start; default 0 */
    uint64_t seed;         /* of a solver's random choices; default 1 */
    uint64_t (*now_us)(void *user); /* clock; NULL (default): no limit, times are 0 */
    void *now_user;
    int (*watch)(void *user, int iteration, const double *x, const double *r); /* ct_problem_solve: called at every iteration, returns 0 to
                                                                                  end; may be NULL */
    void *watch_user;
    int (*trace)(void *user, const struct ct_solution *so_far); /* called with the present answer, judged, at every iteration; after the
                                                                   first 50 only at iterations whose distance is 1/50 of their number (with
                                                                   a watcher: at all). Its seconds are without the time of tracing; outcome
                                                                   and why are not set yet. LEMKE has no answer along its path: it shows the
                                                                   best one of its earlier rounds, at first the start, as to a watcher.
                                                                   Returns 0 to end; may be NULL */
    void *trace_user;
} ct_solver_desc;

/* ct_problem -- a stand-alone contact problem, from a file, from arrays or from a world. QP: min 1/2 x'A x - b'x, J x + w >= 0. GLOBAL: A x
   = b + J'r, u = J x + w with Coulomb's law; LOCAL: u = W r + w with the same law; LCP: u = W r + w >= 0, r >= 0 or in a box, r'u = 0.
   Contacts have three rows: n, t1, t2. Behind them may be rows of torsional friction, u = n . (w_a - w_b) [rad/s]: |r| <= c r_n of their contact,
   against u where it is not 0. CT_SOLVER_LEMKE and CT_SOLVER_BOXED take those, others refuse them, and files have none. */
typedef struct ct_problem ct_problem;
typedef enum ct_problem_kind { CT_PROBLEM_LOCAL = 1, CT_PROBLEM_GLOBAL = 2, CT_PROBLEM_QP = 3, CT_PROBLEM_LCP = 4 } ct_problem_kind;
typedef struct ct_problem_info {
    ct_problem_kind kind;
    int n, m, contacts, spins;      /* length of x (LOCAL, LCP: of u), of r; contacts with friction, and rows of torsional friction */
    const double *x_ref, *r_ref;    /* reference solution or NULL; the problem's */
    int has_objective;
    double objective_ref;
    int expect;                     /* LCP files: 0 nothing said, 1 a solution, 2 infeasible, 3 no solution */
} ct_problem_info;

/* ct_csr -- a sparse matrix by rows: row i has the entries p[i] .. p[i + 1] - 1, columns in any order; entries of the same place are
   summed. The arrays are the caller's. */
typedef struct ct_csr {
    int rows, cols;
    const int32_t *p, *i; /* [rows + 1], [p[rows]]; both NULL where rows is 0 */
    const double *x;      /* [p[rows]] */
} ct_csr;

/* ct_problem_desc -- a problem from arrays, which are copied. Make it with ct_problem_desc_default, and set kind and only the fields of
   that kind: others are refused, since they would be ignored. n is the number of A's rows, m that of J or W. */
typedef struct ct_problem_desc {
    uint32_t cookie;
    ct_problem_kind kind;
    ct_csr A, J;              /* QP, GLOBAL: [n][n], symmetric, both triangles; [m][n] */
    ct_csr W;                 /* LOCAL, LCP: [m][m] */
    const double *b, *w;      /* QP, GLOBAL: [n]; all: [m] */
    const double *mu;         /* LOCAL, GLOBAL: [contacts], >= 0; (m - spins) / 3 contacts */
    int spins;                /* LOCAL, GLOBAL: how many of the rows, the last ones, are torsional friction; default 0 */
    const int32_t *spin_of;   /* [spins] number of the row's contact */
    const double *spin_mu;    /* [spins] its coefficient c [m], >= 0 */
    const double *lo, *hi;    /* LCP: [m], bounds of r, infinities allowed; or both NULL: 0 and infinity */
    const uint8_t *equation;  /* QP: [m], 1: that row is = 0; or NULL */
    const double *x_ref, *r_ref; /* [n], [m] a solution to compare with, or NULL */
} ct_problem_desc;

/* ct_outcome -- how a solve ended, in the words of `contact solve`. SOLVED is decided by the judge, never by the solver alone. */
typedef enum ct_outcome {
    CT_OUTCOME_SOLVED,
    CT_OUTCOME_INFEASIBLE,     /* a certificate y is in r: y >= 0, J'y = 0 (LCP: W'y <= 0), w'y < 0 */
    CT_OUTCOME_RAY,            /* Lemke's method ended on a ray, which proves nothing, except for copositive W */
    CT_OUTCOME_BUDGET,
    CT_OUTCOME_FAILED,
    CT_OUTCOME_NOT_APPLICABLE,
    CT_OUTCOME_COUNT_
} ct_outcome;

/* ct_solution -- zero it before first use; ct_solution_free frees it. For a warm start pass the last solve's, or one with the caller's own
   x, r, n and m: a solve of the same sizes writes into the same x and r. (Arrays that the caller allocated are the caller's to free.) */
typedef struct ct_solution {
    double *x, *r;             /* [n] (LOCAL, LCP: u), [m] */
    int n, m;
    ct_outcome outcome;
    ct_solver solver;          /* the solver whose result this is, also under AUTO */
    const char *why;           /* a sentence where the outcome is not SOLVED, else "" */
    int iterations;
    double seconds;            /* 0 without a clock */
    double objective;          /* QP */
    double residual;           /* the number that decides, relative. QP: KKT and gap; LCP: natural map; contacts: scaled natural map and
                                  dynamics, relative to all contacts together: heavy bodies hide errors at light ones, which `primal` shows */
    double dynamics, primal, dual, gap, natural, unscaled;
    int proof_rows;            /* INFEASIBLE: rows of the certificate r that are not 0, else 0; */
    double proof_value;        /* w'r < 0, relative to |w|'|r|; */
    double proof_off;          /* the largest entry of J'r (LCP, LOCAL: of W'r), which a perfect certificate makes 0, relative to its
                                  terms */
} ct_solution;

/* ct_broad_phase -- how candidate pairs are found: TREE (box trees, refitted), HASH (a spatial hash, Teschner et al. 2003). Both give the same
   pairs in the same order, so that a run's results are the same; they differ in time. */
typedef enum ct_broad_phase { CT_BROAD_TREE, CT_BROAD_HASH, CT_BROAD_COUNT_ } ct_broad_phase;

typedef enum ct_scalar_type { CT_SCALAR_FLOAT, CT_SCALAR_DOUBLE } ct_scalar_type;

/* ct_row_mode -- the state at which contacts of rigid bodies and joints are linearized. ANTICIPATED: the tentative end of the step, again
   in every round, so that they hold there exactly. VELOCITY: the start of the step, once; joints are then violated by the square of the
   bodies' rotation in a step. In both modes jointed rigid bodies under gravity alone conserve their energy and momenta. */
typedef enum ct_row_mode { CT_ROW_ANTICIPATED, CT_ROW_VELOCITY } ct_row_mode;

/* ct_air -- how air acts on a body, each 0 to 1e6: drag and lift coefficients [1] as NvCloth has them, 0 at first; density [kg/m^3], 1.2 at first.
   Each triangle of area A with unit normal n, in air of the velocity u relative to it, feels density A / 2 c |u|^2 (drag u / |u| + lift (n - c u /
   |u|)), where n is on the side with c = n . u / |u| >= 0: drag along u, and lift across it, of size lift sin(t) cos(t). A closed surface feels it on
   triangles that face the wind, others on both sides. */
typedef struct ct_air {
    ct_real drag, lift, density;
} ct_air;
/* ct_skin_limit -- how far a node of a cloth or soft body may be from its target, which an animation moves (ct_body_move_skin).
   max_distance       [m] > 0: the node stays within this distance of the target; INFINITY: no limit. Pin what has to be at its target
                      (ct_body_move_vertices)
   backstop_distance  [m] any number: the backstop's surface is so far behind the target, against its normal
   backstop_radius    [m] >= 0: of the sphere that the node does not enter; INFINITY: a half-space; 0: no backstop */
typedef struct ct_skin_limit {
    int32_t vertex;
    ct_real max_distance, backstop_distance, backstop_radius;
} ct_skin_limit;
/* ct_wind_fn -- changes velocities of the air [3 n] [m/s], which are ct_world_desc.wind at first, to those at points [3 n] and a time [s]. It is
   called once in a step, at its beginning, on the calling thread, with the vertices of all bodies that air acts on, in the order of bodies and of
   vertices. It may not call the library. */
typedef void (*ct_wind_fn)(void *user, double time, const ct_real *points, ct_real *velocities, int n);
/* ct_combine -- a pair's coefficient from those of its two bodies, a and b: GEOMETRIC sqrt(a b), AVERAGE (a + b) / 2, MIN, MULTIPLY a b, MAX. */
typedef enum ct_combine { CT_COMBINE_GEOMETRIC, CT_COMBINE_AVERAGE, CT_COMBINE_MIN, CT_COMBINE_MULTIPLY, CT_COMBINE_MAX } ct_combine;

/* ct_restitution_law -- of an impact with CT_STEPPER_CMR:
   NEWTON   contacts part with e times the speed at which they met
   POISSON  contacts get e times the normal impulse of the compression, which stops the approach, once more, or more where others press them
   One contact without friction parts alike by both. In neither does an impact leave more energy than the step began with: rebounds that would, as
   several contacts with friction may by NEWTON, are smaller. */
typedef enum ct_restitution_law { CT_RESTITUTION_NEWTON, CT_RESTITUTION_POISSON } ct_restitution_law;

/* ct_world_desc -- make it with ct_world_desc_default; the cookie tells a zeroed or foreign struct from a real one. */
typedef struct ct_world_desc {
    uint32_t cookie;
    double origin[3];     /* [m] position of this API's (0, 0, 0) in the caller's world, for float worlds far from its origin. Every ct_real
                             position, in and out, is relative to it; ct_body_get_positions adds it to doubles. Nothing else depends on it;
                             default 0 */
    ct_real gravity[3];   /* [m/s^2]; default 0, -9.81, 0 */
    ct_real thickness;    /* distance that is kept [m], > 0; default 1e-3 */
    ct_real friction;     /* Coulomb coefficient, >= 0; default 0.4 */
    ct_real restitution;  /* [0, 1] share of the normal speed that an impact gives back. Other than 0 with CT_STEPPER_CMR, CT_STEPPER_LAYERS and
                             CT_STEPPER_PENALTY only; default 0. ct_body_set_restitution: of one body (CMR) */
    ct_real restitution_threshold;       /* [m/s] >= 0: features that meet more slowly do not rebound, so that bodies come to rest. Of
                                            CT_STEPPER_CMR; default 1 */
    ct_restitution_law restitution_law;  /* of CT_STEPPER_CMR; default CT_RESTITUTION_NEWTON */
    ct_combine friction_combine;         /* of all steppers; default CT_COMBINE_GEOMETRIC */
    ct_combine restitution_combine;      /* of CT_STEPPER_CMR; default CT_COMBINE_MAX */
    int self_collision;   /* 1: a body collides with itself; default 1. ct_body_set_self_collision: of one body */
    int (*may_meet)(ct_body_id a, ct_body_id b, void *user); /* 0: two bodies whose filters meet do not meet. It is asked, on the calling thread and
                             in no order, of bodies that come near each other, and of every plane; its answer depends on the two bodies and their
                             filters alone. NULL (default): all do */
    void *may_meet_user;
    ct_real wind[3];      /* [m/s] velocity of the air around bodies with ct_body_set_air; default 0. ct_world_set_wind: between steps */
    ct_wind_fn wind_field; /* NULL (default): the air has the velocity `wind` everywhere */
    void *wind_user;
    ct_broad_phase broad_phase; /* default CT_BROAD_TREE */
    ct_stepper stepper;   /* default CONTACT_STEPPER, or the first of the list that is built */
    ct_integrator integrator; /* default CT_INTEGRATOR_EULER */
    int newton_iterations; /* most linearizations of a substep of CT_STEPPER_CMR, 1..100; Otaduy 2009 has 1. Only a body that gains energy
                              uses more than one. Default 8 */
    ct_solver_desc solver;
    int cmr_rounds;       /* most refinements by collisions after the first solve, before the step is halved, >= 1; default 5 (Otaduy sec. 4). With
                             CT_TERMINATION_PAPER it counts the first solve, too */
    int max_halvings;     /* most halvings of the step, 0..8; default 5 (Otaduy sec. 4 has 2) */
    ct_row_mode row_mode; /* default CT_ROW_ANTICIPATED */
    int ccd_limits_step;  /* 1: a step is cut where features that were apart first come within their thickness, and continues from there.
                             Times of impact are then exact to about dt / 2^max_halvings, which no substep is shorter than, or to a quarter
                             of the thickness at the speed of impact, instead of to dt. An impact cuts the step of all bodies. It costs an
                             attempt or two per impact, and one more collision test per substep; default 0 */
    ct_dcd_desc dcd;        /* of CT_STEPPER_DCD */
    ct_barrier_desc barrier; /* of CT_STEPPER_BARRIER */
    ct_layers_desc layers;  /* of CT_STEPPER_LAYERS */
    ct_geometric_desc geometric; /* of CT_STEPPER_GEOMETRIC */
    ct_penalty_desc penalty; /* of CT_STEPPER_PENALTY */
    ct_explicit_desc rk;    /* of CT_STEPPER_EXPLICIT */
    ct_real recovery_speed; /* largest speed at which a pair closer than its thickness is separated [m/s], >= 0; 0: no such cap; default 1.
                               CMR, DCD: nor faster than a rise by what is missing needs; DCD: or than the motion without contacts goes
                               deeper */
    double sleep_time;      /* [s] >= 0: bodies that rest for so long are left out of steps until something comes near; CT_STEPPER_CMR only.
                               0: never (default) */
    ct_real sleep_speed;    /* [m/s] > 0: vertices that rest are slower, and have gone less than this times sleep_time; default 0.01 */
    double frame_work;      /* >= 0: units of work that a call of ct_world_step may use, about a microsecond of an x86-64 server each (report.work);
                               0 (default): no bound. It is counted, not measured: the same bits everywhere. What does not fit in is left out: solves
                               end early, the step is not halved, impact zones end what still collides. Nothing intersects, and the status is
                               BUDGET. What a step cannot do without is done even where that is more; the preparation of bodies that are
                               new is not counted. CT_STEPPER_CMR only (docs/games.md) */
    double frame_ms;        /* [ms] >= 0: the same by the clock now_us; 0 (default): no bound. The results depend on the clock. With both, the first
                               that is used up ends the step */
    ct_real hit_speed;      /* [m/s] >= 0: contacts that come nearer faster are events of hits (ct_events); INFINITY: none; default 1 */
    ct_allocator allocator;
    ct_tasks tasks;         /* default: one thread */
    ct_log_fn *log;
    void *log_user;
    uint64_t (*now_us)(void *user); /* clock for the report's milliseconds; NULL: times are 0 */
    void *now_user;
} ct_world_desc;

/* ct_model -- the constitutive law. All soft models agree at small strain (Lame's constants from young and poisson) and give every element
   a positive semidefinite stiffness.
   COROTATIONAL       linear in the frame that rotates with the element: the cheapest; recovers inverted elements
   STVK               E' C E of Green's strain E: stiffens in tension, softens in compression (the resistance to compression along one axis is
                      largest at 0.58 of the length, and 0 at 0). It does not recover inverted elements, so it is for moderate strain only.
                      Inverted
                      elements are counted in the step report's extended_elements
   NEOHOOKEAN         with log J, continued below J = 0.2; such elements are counted in extended_elements
   STABLE_NEOHOOKEAN  finite at every deformation, zero force at rest, recovers flat and inverted elements (Smith, de Goes, Kim 2018)
   HONG_NEOHOOKEAN    nearly incompressible (Hong et al. 2006)
   MEMBRANE, SPRINGS  cloth */
typedef enum ct_model {
    CT_MODEL_COROTATIONAL,
    CT_MODEL_STVK,
    CT_MODEL_NEOHOOKEAN,
    CT_MODEL_STABLE_NEOHOOKEAN,
    CT_MODEL_HONG_NEOHOOKEAN,
    CT_MODEL_MEMBRANE,
    CT_MODEL_SPRINGS
} ct_model;

/* ct_material -- of soft bodies (first group) and cloth (second and third). */
typedef struct ct_material {
    ct_model model;
    ct_real young;             /* [Pa] > 0 */
    ct_real poisson;           /* [0, 0.5) */
    ct_real density;           /* [kg/m^3] > 0: soft bodies; with an embedded surface, of the volume that it encloses */
    ct_real damping_mass;      /* Rayleigh alpha [1/s] >= 0 */
    ct_real damping_stiffness; /* Rayleigh beta [s] >= 0: a stress beta C dE/dt by the rate of Green's strain, C the stiffness at rest.
                                  Small vibrations decay with beta w^2 / 2 [1/s]; rotation as a rigid body is not damped */
    ct_real shell_thickness;   /* [m] > 0: membrane */
    ct_real bending;           /* membrane: flexural rigidity B [N m] >= 0: B c^2 / 2 per area for a cylinder of curvature c in every
                                  direction, 2 and 2 times that for a twist and a sphere (no coupling by Poisson's ratio), within 1/20 on any
                                  mesh of 24 cells a side; free strips are up to 1/8 softer (docs/limits.md) */
    ct_real areal_density;     /* [kg/m^2] > 0: cloth */
    ct_real stretch, shear, bend; /* springs: [N/m] along edges, across them, over two edges; >= 0. These are stiffnesses of single springs;
                                     the sheet's resistance depends on the mesh and the direction (docs/limits.md) */
    ct_real strain_limit;      /* springs: largest relative elongation (l - L) / L, 0: none. It is held inside the implicit step, together
                                  with the contacts. From 7/10 of it on a spring stiffens: at the limit by 2e6 / s^2 times the mass of its
                                  heavier end, 20 times its own stiffness, and what carries the sheet's weight per length of an edge, in
                                  steps of any length. A sheet that hangs by an edge at rest keeps the limit. One that swings or falls
                                  exceeds it by about 1/10 where the world's newton_iterations suffice to solve it, else up to twice
                                  (docs/limits.md). The limit's own energy is part of a report's energies */
} ct_material;

/* ct_soft_desc, ct_cloth_desc, ct_static_desc -- arrays are copied. A friction or thickness below 0 means the world's value. The fourth power of
   a thickness is finite: below 1e77 m in double, 4e9 m in float. position and rotation of a body's description place the mesh as
   ct_mesh_transform does, once, when the body is added. Velocities are along the world's axes. */
typedef struct ct_soft_desc {
    uint32_t cookie;
    const char *name; /* copied, may be NULL; appears in error texts */
    const ct_mesh *mesh;    /* positions and tets: the nodes */
    const ct_mesh *surface; /* NULL: the tets' boundary collides. Otherwise a triangle mesh embedded in the tets: its vertices are then the
                               body's vertices in positions, contacts and triangles; pins and velocities use the nodes. A closed surface
                               determines mass and stiffness: a tet counts with the part of it that lies inside, at least 1/10, and the mass
                               is that of the enclosed volume. With an open or inside-out surface all tets count fully */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3]; /* [rad/s] about the centre of mass */
    ct_real position[3]; /* [m] position of the origin of mesh and surface: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_soft_desc;

typedef struct ct_cloth_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* positions and triangles */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3];
    ct_real position[3]; /* [m] position of the origin of the mesh: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_cloth_desc;

/* ct_rod_desc -- rods, a chain, a net: the segments of a mesh, with a round cross-section of `radius` or with stiffnesses of their own. Make it
   with ct_rod_desc_default.
   A vertex of two segments joins them, whatever their angle; of more, those that continue each other within 30 degrees. Joined segments resist
   bending and twist, all others turn freely about their common vertex. With bend and torsion 0 that is a rope. The twist between two segments
   that follow each other is less than half a turn.
   Every segment has a frame, unless bend and torsion are 0: one more node, which points along the director of its cross-section. Nodes (see
   ct_body_node_count) are the vertices, then the frames: that of segment k is node n + k, n the number of vertices. A pin on both vertices of
   an end's segment clamps its direction; with its frame also its twist, and a scripted turn of the three twists the rod. Frames have a
   millionth of the mass: twist follows at once, without inertia. Pins on frames have impulses too (ct_body_get_pin_impulse): about the rod
   they are its torque.
   Rods collide as lines: two keep the sum of their radii, and everything else half of that beside half its own thickness. */
typedef struct ct_rod_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh;    /* positions and segments; every vertex belongs to a segment */
    ct_real radius;         /* [m] > 0; default 5e-3 */
    ct_real young;          /* [Pa] > 0; default 1e6 */
    ct_real poisson;        /* [0, 0.5]; default 0.4: with young it gives the shear modulus */
    ct_real density;        /* [kg/m^3] > 0; default 1000 */
    ct_real stretch;        /* [N] E A > 0; default -1: young pi r^2 */
    ct_real bend[2];        /* [N m^2] E I >= 0, in the plane of the segment and its director, and across it; default -1: young pi r^4 / 4 */
    ct_real torsion;        /* [N m^2] G J >= 0, > 0 where bend is; default -1: young / (2 (1 + poisson)) pi r^4 / 2 */
    ct_real line_density;   /* [kg/m] > 0; default -1: density pi r^2 */
    ct_real curvature;      /* [0, 1] share of the mesh's curvature that is natural; default 1: the mesh is at rest; 0: the rod is straight at rest */
    ct_real twist;          /* [rad/m] natural twist, below half a turn for the length of a segment; default 0 */
    ct_real direction[3];   /* directors are this vector's part across each segment, which may not be along it, turned by `rotation`; default 0: any,
                               without twist */
    ct_real damping_mass;      /* Rayleigh alpha [1/s] >= 0; default 0 */
    ct_real damping_stiffness; /* Rayleigh beta [s] >= 0; default 1e-3 */
    ct_real friction;
    ct_real thickness;      /* [m] default -1: twice the radius, not the world's */
    ct_real velocity[3];
    ct_real angular_velocity[3];
    ct_real position[3]; /* [m] position of the origin of the mesh: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_rod_desc;

/* ct_points_desc -- particles, like sand, that nothing but contact joins: all positions of a mesh, whose elements are not used. Make it with
   ct_points_desc_default. Two of a body keep their thickness, however near they were when added. They do not spin: friction stops them, they do
   not roll. */
typedef struct ct_points_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh;
    ct_real radius;        /* [m] > 0; default 5e-3 */
    ct_real density;       /* [kg/m^3] > 0; default 1000: the mass is density 4/3 pi r^3 */
    const ct_real *masses; /* [kg] one for every position, > 0; NULL: by density */
    ct_real damping_mass;  /* [1/s] >= 0; default 0 */
    ct_real friction;
    ct_real thickness;     /* [m] default -1: twice the radius, not the world's */
    ct_real velocity[3];
    ct_real angular_velocity[3]; /* of the whole body at the start, about its centre of mass */
    ct_real position[3]; /* [m] position of the origin of the mesh: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_points_desc;

/* ct_rigid_desc -- mesh: a closed surface, counter-clockwise seen from outside, or tets whose boundary is taken. */
typedef struct ct_rigid_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh;
    ct_real density;      /* [kg/m^3] > 0; default 1000 */
    ct_real damping_mass; /* decay of linear and angular speed [1/s] >= 0 */
    ct_real friction, thickness;
    ct_real velocity[3];         /* of the centre of mass */
    ct_real angular_velocity[3]; /* [rad/s], world axes */
    ct_real position[3]; /* [m] position of the origin of the mesh: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none. Until the body rotates, ct_body_get_pose returns
                            it, normalized */
} ct_rigid_desc;

typedef struct ct_static_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* triangles, segments, single positions; NULL: the plane dot(normal, x) = offset, free space on the normal's side */
    ct_real plane_normal[3], plane_offset;
    ct_real friction, thickness;
    ct_real position[3]; /* [m] position of the origin of the mesh, or of the plane: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_static_desc;

/* ct_motion -- scripted motion of pinned vertices: x(t) = center + R(t) (x(0) - center) + linear t, R about angular. */
typedef struct ct_motion {
    ct_real linear[3];  /* [m/s] */
    ct_real angular[3]; /* [rad/s] */
    ct_real center[3];  /* [m] */
} ct_motion;

/* ct_motion_segment -- one segment of a scripted path. Segments follow one another. Each moves the positions that the segments before it
   have reached. Its own time starts at 0 when it begins, and `center` is a position in the world at that time. After the last one
   everything stands still. */
typedef struct ct_motion_segment {
    ct_motion motion;
    double duration; /* [s] >= 0; < 0: for ever, allowed in the last one only */
} ct_motion_segment;

/* ct_kinematic_desc -- a surface that follows a script and pushes other bodies. The mesh's vertices move by keyframes, then by `motion`, or
   by `segments` when there are some, in the world's axes, with time counted from the adding of the body. Between keyframes vertices move on
   straight lines; after the last they stay. Where scripted surfaces leave no room the step continues, and the report counts the
   intersecting pairs. CT_STEPPER_BARRIER and CT_STEPPER_LAYERS: they wait there, positions are read where they are, and the status is BUDGET or
   worse. Arrays are copied. */
typedef struct ct_kinematic_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* triangles, segments, single positions */
    ct_motion motion;
    const ct_motion_segment *segments; /* [n_segments]; NULL: motion, for ever */
    int n_segments;
    const ct_real *keyframes;          /* [n_keyframes][3 n], n the mesh's positions; NULL: the mesh's positions stay as they are */
    int n_keyframes;
    double keyframe_interval;          /* [s] > 0 where there is more than one keyframe; keyframe k is reached after k intervals */
    ct_real friction, thickness;
    ct_real position[3]; /* [m] position of the origin of mesh and keyframes: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: none */
} ct_kinematic_desc;

/* ct_joint_kind -- BALL: the points of both sides stay together. HINGE: their axes, too. FIXED: all axes, too. STITCH: two vertices stay at
   rest_length from each other, or together. SLIDER: all axes stay together, and the points may part along `axis`. DRAG: a spring and a damper
   pull the point of side a to a point of the world, ct_joint_set_target, as a mouse does. */
typedef enum ct_joint_kind { CT_JOINT_BALL, CT_JOINT_HINGE, CT_JOINT_FIXED, CT_JOINT_STITCH, CT_JOINT_SLIDER, CT_JOINT_DRAG } ct_joint_kind;

/* ct_joint_side -- the point that a joint holds: sum weights[k] x[vertices[k]] of a body, with one to three vertices before the first -1
   (the weight of a single vertex is ignored; otherwise they sum to 1). Without vertices it is the position ct_joint_desc.point. Deformable
   bodies, stitches, and kinematic bodies with more than one keyframe need vertices, which the joint follows. */
typedef struct ct_joint_side {
    ct_body_id body; /* null (zero): the world */
    int32_t vertices[3];
    ct_real weights[3];
} ct_joint_side;

/* ct_joint_desc -- make it with ct_joint_desc_default(kind). A side without vertices holds at the other side's point, or at `point`. Sides
   that are apart when the joint is added are brought together, at most at the world's recovery_speed. Where contacts leave no room for that they stay
   apart, and the step ends `not_converged`. */
typedef struct ct_joint_desc {
    uint32_t cookie;
    ct_joint_kind kind;
    ct_joint_side a, b;
    ct_real point[3];   /* [m] world, at the time of adding; must stay 0 where a side has vertices, which then define the point */
    ct_real axis[3];    /* hinge, slider: world, at the time of adding, any length > 0; default 0, 1, 0 */
    ct_real compliance; /* [m/N] >= 0: inverse of a spring's stiffness; default 0: rigid */
    ct_real angular_compliance; /* [rad/(N m)] >= 0 of hinges, sliders and fixed joints; default 0 */
    ct_real rest_length; /* [m] stitches; default -1: 0, the points coincide. Between vertices of bodies that collide at least 1.1
                            thicknesses, which the log says: a seam closes to its thickness */
    int collide;         /* 1, 0: the two bodies collide or not, where their filters meet (with planes these decide alone); default -1: they
                            collide when one of them is deformable. Where both are, only if the joint is a stitch or has a compliance: others
                            hold vertices of both in one place, which contradicts their thickness */
} ct_joint_desc;

/* ct_joint_state -- what is set of a joint, and where it is: value is the angle [rad] of a hinge, in (-pi, pi], or the way [m] of a slider, of side a
   relative to side b along the axis, 0 at the time of adding. Units of what belongs to it: rad and N m of hinges, m and N of others. */
typedef struct ct_joint_state {
    ct_real value, lower, upper;
    ct_real speed, target, stiffness, damping, max_effort; /* of the motor or the drag; max_effort 0: none */
    ct_real point[3];                 /* [m] a drag: its target */
    ct_real break_force, break_torque; /* [N], [N m] */
    int broken;
} ct_joint_state;

enum { CT_AXIS_X = 1, CT_AXIS_Y = 2, CT_AXIS_Z = 4, CT_AXIS_ALL = 7 };

typedef enum ct_pair_kind { CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_EF, CT_PAIR_VE, CT_PAIR_VV, CT_PAIR_PLANE } ct_pair_kind;

/* ct_pair -- two features: body and element numbers within the body (vertex, surface face, surface edge by its two vertices). */
typedef struct ct_pair {
    ct_pair_kind kind;
    ct_body_id body_a, body_b;
    int32_t vertices_a[3], vertices_b[3]; /* body vertex numbers, -1 where unused */
    ct_real distance;
} ct_pair;

/* ct_contact -- one contact of the last step. normal points from b to a. Impulses act on a, in N s, and are summed over all substeps, also
   where the contact ended in an earlier one: a received impulse_normal normal + impulse_tangent[k] tangent[k] from b during the step.
   Features, weights, axes and sticking are those of the last substep in which the contact carried load; point and gap are those at the end
   of the step. A node that CT_REFINE_ELEMENTS has added appears as the two ends of its edge, with half its weight each; an edge that it has
   added inside of a face as that face. EE between two such edges has three vertices on both sides. */
typedef struct ct_contact {
    ct_pair_kind kind;
    ct_body_id body_a, body_b;
    int32_t vertices_a[3], vertices_b[3];
    ct_real weights_a[3], weights_b[3];
    ct_real point[3], normal[3], tangent[2][3];
    ct_real gap;                 /* [m] */
    ct_real impulse_normal, impulse_tangent[2];
    int sticking;
} ct_contact;

/* ct_query_filter -- which bodies a query considers: those with a bit of `mask` in their category and a bit of `category` in their mask (ct_filter;
   groups play no part), for which `accept` then returns 1. ct_query_filter_default: category 1, all bits in the mask, no `accept`. */
typedef struct ct_query_filter {
    uint64_t category, mask;
    int (*accept)(ct_body_id body, void *user); /* called on the thread that asks; may be NULL */
    void *user;
} ct_query_filter;

/* ct_hit_kind -- what a query found: nothing, a feature of a body's surface, or, INSIDE, no feature: the body contains what was asked for. */
typedef enum ct_hit_kind { CT_HIT_NONE, CT_HIT_TRIANGLE, CT_HIT_SEGMENT, CT_HIT_POINT, CT_HIT_PLANE, CT_HIT_INSIDE } ct_hit_kind;

/* ct_hit -- one answer of a query. */
typedef struct ct_hit {
    ct_body_id body;     /* null: nothing was found */
    ct_hit_kind kind;
    int32_t feature;     /* number in the list of ct_body_get_triangles or _segments; the vertex of a POINT; else -1 */
    int32_t vertices[3]; /* body vertices of the feature, -1 where unused */
    ct_real weights[3];  /* of the vertices at the point of the triangle or segment that was hit, or that is nearest */
    ct_real point[3];    /* [m] on the surface: of segments and points, that of the capsule or sphere around them, or the place of the query in it */
    ct_real normal[3];   /* unit vector, see the query */
    ct_real fraction;    /* casts: [0, 1] share of the translation; else 0 */
    ct_real distance;    /* [m] casts: fraction times the translation's length; closest points and spheres: from the surface, 0 inside of a
                            capsule or behind a plane that a sphere overlaps; else 0 */
} ct_hit;

/* ct_draw -- what ct_world_draw draws, and the functions by which it does. Make it with ct_draw_default: surfaces, contacts, joints and the pair
   that limited the step. Functions may be NULL, and may not call the world. Colours are 0xRRGGBB. */
typedef struct ct_draw {
    uint32_t cookie;
    void (*triangle)(const ct_real a[3], const ct_real b[3], const ct_real c[3], uint32_t color, void *user);
    void (*line)(const ct_real a[3], const ct_real b[3], uint32_t color, void *user);
    void (*point)(const ct_real p[3], ct_real radius, uint32_t color, void *user); /* radius 0: as small as it can be seen */
    void *user;
    int surfaces;          /* 1: triangles, segments as lines, points with half their thickness, of planes the part below all other bodies; by kind */
    int islands;           /* 1: surfaces of moving bodies have the colour of what contacts and joints connect in place of their kind's; default 0 */
    int contacts;          /* 1: contacts of the last step, and the impulses that a receives, as lines */
    ct_real impulse_scale; /* [m/(N s)] length of these lines for an impulse; default 1 */
    int joints;            /* 1: the points of both sides, and the line between them */
    int limit;             /* 1: the pair that limited the last step, or one that intersects (ct_step_report.limit) */
    int boxes;             /* 1: the boxes of bodies; default 0 */
} ct_draw;
/* ct_body_pair -- two bodies, or one with itself. */
typedef struct ct_body_pair {
    ct_body_id body_a, body_b;
} ct_body_pair;

/* ct_touch -- two bodies that touched in a step, contact.body_a and contact.body_b, or one with itself. */
typedef struct ct_touch {
    ct_contact contact; /* the one with the largest normal impulse; of a hit the fastest one */
    ct_real impulse;    /* [N s] sum of the normal impulses of all contacts of the pair, over the whole step */
    ct_real speed;      /* [m/s] at which points of a contact came nearer to each other along its normal when the step began: the largest of the
                           pair. What gravity adds until they meet, at most g dt, is not in it */
} ct_touch;

/* ct_joint_break -- a joint that broke at the end of a step. Its id stays valid until it is removed. A null body is the world. */
typedef struct ct_joint_break {
    ct_joint_id joint;
    ct_body_id body_a, body_b;
    ct_real impulse[3];         /* [N s] on side a over the step, world axes */
    ct_real angular_impulse[3]; /* [N m s] */
} ct_joint_break;

/* ct_events -- what has happened in the last step. Two bodies touch in a step if a contact between them carried load in it: ct_world_contacts lists
   one. Each list is ordered by the bodies' index1, the lower of a pair first, and does not depend on the number of workers. */
typedef struct ct_events {
    const ct_touch *begin;   /* [n_begin] pairs that touched in this step, and not in the one before */
    const ct_touch *stay;    /* [n_stay] pairs that touched in both */
    const ct_touch *hit;     /* [n_hit] pairs, of those in begin and stay, with a speed above ct_world_desc.hit_speed */
    const ct_body_pair *end; /* [n_end] pairs that touched in the step before, and not in this one; also of bodies that were removed, whose ids are
                                stale */
    const ct_body_pair *sensor_begin; /* [n_sensor_begin] a sensor, body_a, and a body that overlaps it now and did not after the step before */
    const ct_body_pair *sensor_end;   /* [n_sensor_end] one that did, and does not */
    const ct_joint_break *joint_break; /* [n_joint_break] joints that broke, by their index1 */
    int n_begin, n_stay, n_hit, n_end, n_sensor_begin, n_sensor_end, n_joint_break;
} ct_events;

/* Status of a step, best first: OK: not halved (cuts at impacts do not count); SUBSTEPPED: halved; ZONES: the fail-safe acted; BUDGET: a solve
   stopped on max_sweeps or max_iterations above its tolerance, or frame_work or frame_ms left something out; NOT_CONVERGED: a residual stayed
   above its tolerance for another reason, or in a shortest substep a body gains energy, a joint or a chain is beyond its bound, a rigid body
   rotates too far, blocks were held for an implausible motion or a gain of energy, pairs still collide after impact zones, or some crossed each
   other when it began (`tangled`). The first three need ct_step_report.residual to be at most solver.tolerance, with every solver; with
   CT_STEPPER_BARRIER, whose BUDGET is barrier.newton_iterations, at most barrier.newton_tolerance; with CT_STEPPER_LAYERS, whose BUDGET is
   layers.max_updates or max_layers, at most 5e-3. With CT_STEPPER_GEOMETRIC, BUDGET also says that linearizations did not suffice, or that a
   collision lacks a tenth of its thickness where cg_turns, active_set or sweeps ended a solve. */
#define CT_STATUS_LIST(X)                                                                                                                  \
    X(CT_STATUS_OK, "ok")                                                                                                                  \
    X(CT_STATUS_SUBSTEPPED, "substepped")                                                                                                  \
    X(CT_STATUS_ZONES, "zones")                                                                                                            \
    X(CT_STATUS_BUDGET, "budget")                                                                                                          \
    X(CT_STATUS_NOT_CONVERGED, "not_converged")
#define CT_STATUS_ENUM(name, text) name,
typedef enum ct_status { CT_STATUS_LIST(CT_STATUS_ENUM) CT_STATUS_COUNT_ } ct_status;
#undef CT_STATUS_ENUM

/* ct_rk_report -- the Runge-Kutta steps of a step of CT_STEPPER_EXPLICIT. Contacts are counted once in each of them. */
enum { CT_RK_HISTORY = 32 };
typedef struct ct_rk_report {
    int accepted, rejected;       /* Runge-Kutta steps */
    int evaluations;              /* of the forces, those of rejected steps included */
    ct_real dt_least, dt_most;    /* [s] of the accepted ones */
    ct_real dt_history[CT_RK_HISTORY]; /* [s] the last accepted ones: number k, from 0, at k % CT_RK_HISTORY */
    int regions;                  /* sets of contacts that share nodes, at the end */
    int held, first;              /* contacts that were there in the Runge-Kutta step before; first touches */
    int held_deep;                /* held ones that are deeper than 1e-4 edges, before their nodes are moved back */
    ct_real penetration_held, penetration_first; /* [m] largest depths, before nodes are moved back */
    int left;                     /* contacts deeper than the legal penetration after it */
    int squeezed;                 /* contacts that no force can keep: both bodies cannot give way */
    int refined;                  /* tets that were added before the step, where refine is CT_REFINE_ELEMENTS */
    double work_refine;           /* [J] by which this has changed the energy; energy_gained begins after it */
} ct_rk_report;

/* ct_step_report -- the results and the quality of a step. */
typedef struct ct_step_report {
    ct_status status;
    int substeps;          /* 1 unless the step, or a part of the world in it, was halved or cut at impacts; counted over all parts
                              together */
    int events;            /* substeps that were cut at a first impact (ccd_limits_step); these alone leave the status OK */
    int contacts, rows;    /* in the last solve: contacts with a positive multiplier; rows handed to the solver. EXPLICIT: contacts of the whole
                              step, rows of its last Runge-Kutta step */
    int candidates;        /* pairs that CCD looked at */
    int cmr_rounds;        /* solves in the worst substep */
    int newton_iterations; /* linearizations of all attempts, summed */
    int solver_iterations; /* outer iterations, summed. EXPLICIT: active sets, or steps of the interior point method */
    int solver_sweeps;     /* sweeps over the contacts, summed */
    int solver_quick;      /* termination PAPER with CT_STEPPER_CMR: the solver_iterations whose inner loop took fewer than ten sweeps; else 0 */
    int solver_fallbacks;  /* solves of an island that ended with another solver than the chosen one, summed: with ICA where the chosen one
                              failed or refuses the problem; with CT_SOLVER_AUTO with Newton steps that took over from ICA */
    int linear_iterations; /* of the unconstrained solve, summed */
    int refactorizations;
    int zones, frozen;     /* impact zones; blocks that they froze, or that were held for an implausible motion or a gain of energy, summed over
                              substeps */
    int extended_elements; /* tets whose log J was continued; StVK: inverted tets */
    int dropped;           /* DCD: constraints left out by decoupling, summed over substeps */
    int cg_steps;          /* DCD: conjugate steps among the solver_iterations of MPRGP. BARRIER, PENALTY: those of the linear solves */
    int solves;            /* DCD: quadratic programs with constraints, summed */
    int coarse;            /* bodies so far from the origin at the end that their thickness is below 64 ulp of a coordinate. They do not
                              intersect, but rounding of their positions is no longer small compared with the thickness. Such bodies cannot
                              be added, but may fall or be moved there */
    int tangled;           /* pairs (edge through face) that intersected when the last substep began: they make no contact, and are
                              separated gradually. PENALTY, GEOMETRIC, EXPLICIT: at the end of the step */
    ct_real residual;      /* natural map or error of A v = b + J'r, relative to the velocity scale, of the last solve and of free motion, worst
                              substep. BARRIER: last change of a velocity by Newton's method [m/s]. LAYERS: size of energy_gained, losses
                              below 0 not counted, over all energies, work and losses of the step, beyond rounding. PENALTY: error of the
                              force law as a velocity and of the equations, relative to that scale; its explicit form: by how much a substep is
                              over its bound. GEOMETRIC: error of the implicit step's equations, relative to that scale, of the worst body */
    ct_real min_distance;  /* smallest found at the end, capped at twice the thickness; pairs of one body are looked for up to 1.25 times */
    ct_real thickness_kept; /* smallest distance at the end, divided by the pair's own thickness, at most 2. An impact may leave a quarter;
                               pairs below 1 are separated in the next steps. 0 with CT_STEPPER_DCD and CT_STEPPER_EXPLICIT, which do not
                               control it */
    int too_near;          /* pairs nearer than half of their own thickness at the end, which the step could not separate */
    ct_real penetration;   /* DCD, EXPLICIT: depth of the deepest surface vertex inside of a body at the end. PENALTY: largest depth of a contact */
    ct_real momentum_lost; /* [N s] by zones and freezing; DCD: of bodies that rest because their motion is implausible */
    ct_real joint_error;   /* [m] largest violation of a joint without compliance at the end; a rotation is multiplied by the body's size */
    ct_real rigid_strain;  /* BARRIER: largest entry of A - R at the end. A rigid body's vertices are at p + A X; its pose is R, the rotation of
                              A's polar decomposition. Above 0.02 the step is NOT_CONVERGED */
    ct_rk_report rk;       /* of CT_STEPPER_EXPLICIT; else 0 */
    double energy_kinetic, energy_elastic, energy_gravity; /* [J] at the end of the step; that of gravity is 0 at the origin. Kinetic energy
                                                              is that of the velocities at the end, also where the integrator's own
                                                              velocities belong to the middle of steps */
    double energy_contact; /* [J] BARRIER, PENALTY, LAYERS: stored in barriers and springs of contacts at the end; else 0 */
    double work_script, work_pins, work_joints; /* [J] done in the step by scripted surfaces in contact, by pins, by joints and stitches */
    double work_forces;    /* [J] of ct_body_add_force and gravity scales: kinetic energy that they have added before the step; of air, in it */
    double work_recovery;  /* [J] of separating pairs that began the substep nearer than their thickness, and pairs that intersect: their normal
                              impulses, where they lift. PENALTY: of springs of pairs that were first seen deeper than they can have come */
    double loss_contact;   /* [J] dissipated by contacts: impacts, friction. An impulse takes its product with the way by which its points approach in
                              the substep, over the substep's length; at an instant, with the mean of the speeds before and after. Less what is
                              work_recovery (GEOMETRIC: and what exceeds its need), and what energy_contact has risen by; 0 or above. LAYERS: of
                              the impulses of friction and of those that restitution withholds */
    double loss_damping;   /* [J] dissipated by mass and stiffness damping: force times velocity, by the material's coefficients; 0 or above */
    double energy_gained;  /* [J] the remainder of the balance: energies at the end, less those at the start and work_*, plus loss_*. Below
                              0 the integrator dissipated it. Above 0 the step gained it, or damping dissipated less than loss_damping says.
                              A deformable body that gains more than 2e-4 (NEWMARK, BDF2: 1e-3) of its energy and the work on it, damping
                              not counted, makes a substep iterate, then halve; after that the status is NOT_CONVERGED, and the gain is
                              removed from the motion. A rigid body with loaded contacts and no joint may gain 5e-3; then the substep is
                              halved, and after that the status is NOT_CONVERGED. BARRIER, PENALTY: the same bound of 2e-4 for bodies that
                              touch, besides Newton's tolerance and, but for EULER, half of what its rule exchanges (BARRIER); a step that
                              gains more is repeated in parts. LAYERS: above or below 0, the error of its clocks, as in `residual` */
    double center_of_mass[3];
    double advanced;       /* [s] LAYERS: by which time went on: the step, or less with CT_STATUS_BUDGET; else 0 */
    int64_t updates;       /* LAYERS: elements and pairs that were evaluated, blocks under gravity; else 0 */
    int windows, rollbacks; /* LAYERS: safe windows of the step, and those that were repeated; else 0 */
    double work;           /* CMR: units of work, as frame_work counts them; else 0 */
    double ms_prepare;     /* [ms] by the world's clock: set-up of trees, matrix pattern and factors after bodies or joints have changed; */
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve; /* of all attempts; rows and tests of their motion are in ms_detect; */
    double ms_finish;      /* the rest: saving the start, impact zones, commits, this report; */
    double ms_total;       /* the whole step: the sum of these */
    ct_pair limit;         /* the pair that limited the step, or one that intersects; limit.vertices_a[0] is -1 when there is none */
} ct_step_report;

/* ct_library_info -- what was compiled in. */
typedef struct ct_library_info {
    int version_major, version_minor, version_patch;
    int real_bits;    /* 32 or 64 */
    const char *simd; /* "NONE", "SSE2", "AVX2", "AVX512", "NEON", "WASM" */
    int deterministic; /* 1: the same bits as every other such build; 0: CONTACT_DETERMINISTIC is 0, and products and sums may be fused */
    int with_files;
    int with_threads; /* CONTACT_THREADS: worlds can have threads of their own */
    const char *steppers, *solvers; /* names, separated by spaces */
} ct_library_info;

#endif /* CT_TYPES_H_INCLUDED */
