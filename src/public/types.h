/* types.h -- every public type of contact.h. Lengths in metres, masses in kilograms, times in seconds, angles in radians unless said. */
#ifndef CT_TYPES_H_INCLUDED
#define CT_TYPES_H_INCLUDED

#include "config.h"
#include <stddef.h>
#include <stdint.h>

#if CONTACT_REAL == 32
typedef float ct_real;
#else
typedef double ct_real;
#endif

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

/* ct_mesh -- caller-owned: zero it, fill or read it, free it. Arrays that the library fills are stb_ds arrays (arrlen works). Triangles are
   counter-clockwise seen from outside, tets positive when dot(cross(x1-x0, x2-x0), x3-x0) > 0. Indices are 0-based. */
typedef struct ct_mesh {
    ct_real *positions; /* [3 n_positions] */
    int32_t *tets;      /* [4 n_tets] */
    int32_t *triangles; /* [3 n_triangles] */
    int32_t *segments;  /* [2 n_segments] */
    int n_positions, n_tets, n_triangles, n_segments;
} ct_mesh;

/* ct_allocator -- realloc with the old size; new_size 0 frees and returns NULL. NULL resize: malloc, realloc, free. Returned blocks are
   aligned as malloc's are. Called from the thread that calls the library only. */
typedef struct ct_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} ct_allocator;

/* ct_tasks -- who runs the loops of a step. Results have the same bits whoever does. Three ways:
   - all zero (default): the calling thread
   - worker_count N > 1 and no enqueue: N - 1 threads of the world's own, started by ct_world_create and ended by ct_world_destroy, and the
     calling thread. Needs CONTACT_THREADS 1, else CT_ERR_UNSUPPORTED; a thread that does not start is CT_ERR_MEMORY, `element` its number
     and `value` the system's error
   - enqueue and finish: the user's task system (box2d v3's shape). enqueue sees to it that fn(begin, end, worker, context) is called for
     ranges that together are [0, count) once, in any order and on any threads, also before it returns; each range of at least min_range
     but for what is left over. It returns a task that finish, which is called next, waits for, or NULL where all is done. Ranges that run
     at the same time have different workers; 0 <= worker < worker_count. fn calls nothing of the user's; it waits for what another range does
     for a moment at most, then leaves the rest to the others
   worker_count  0 to 256; no more than the machine has cores: 64 on 2 cores cost five times the CPU of one (12 bodies and a cloth)
   user          handed to enqueue and finish; not read otherwise */
typedef void ct_task_fn(int begin, int end, int worker, void *context);
typedef struct ct_tasks {
    void *(*enqueue)(ct_task_fn *fn, int count, int min_range, void *context, void *user);
    void (*finish)(void *task, void *user);
    int worker_count;
    void *user;
} ct_tasks;

typedef enum ct_log_level { CT_LOG_ERROR, CT_LOG_WARNING, CT_LOG_INFO } ct_log_level;
typedef void ct_log_fn(ct_log_level level, const char *text, void *user);

typedef enum ct_stepper {
    CT_STEPPER_CMR,
    CT_STEPPER_DCD,
    CT_STEPPER_BARRIER,
    CT_STEPPER_LAYERS,
    CT_STEPPER_PENALTY,
    CT_STEPPER_GEOMETRIC,
    CT_STEPPER_EXPLICIT,
    CT_STEPPER_COUNT_
} ct_stepper;

/* ct_integrator -- how CT_STEPPER_CMR steps deformable bodies in time; rigid bodies have their own rule in each. Forces are linearized once a
   step, where the body's own rigid turn takes it, and anew (newton_iterations) where a body would gain energy. A free body keeps its linear and
   angular momentum in every material with each of them; vibrations differ (docs/limits.md, "What integrators keep"):
   EULER    first order, the most robust: a vibration of angular frequency w loses its amplitude at w^2 dt / 2 [1/s]. v is the average velocity
            of the last step
   NEWMARK  beta 1/4, gamma 1/2 (trapezoidal): second order, keeps the energy of small vibrations; stiff bodies ring unless damped
   BDF2     second order, damps high frequencies only; looks one step back, starts with a step of Newmark, and starts again after contacts and
            joints have let go, velocities were set, or the fail-safe acted
   With NEWMARK and BDF2 v is the velocity at the end of the step. A body that contacts or joints act on is stepped by EULER's rule, and so is one
   that would gain energy, for that substep: contacts are inelastic, impulses and friction are EULER's, momentum is exact. Second order holds for
   small strains, where the stiffness needs no projection; in large swings the order falls towards one. */
typedef enum ct_integrator { CT_INTEGRATOR_EULER, CT_INTEGRATOR_NEWMARK, CT_INTEGRATOR_BDF2, CT_INTEGRATOR_COUNT_ } ct_integrator;

typedef enum ct_solver {
    CT_SOLVER_AUTO,
    CT_SOLVER_ICA,
    CT_SOLVER_CA,
    CT_SOLVER_PGS,
    CT_SOLVER_LEMKE,
    CT_SOLVER_BOXED,
    CT_SOLVER_ACTIVE_SET,
    CT_SOLVER_MPRGP,
    CT_SOLVER_INTERIOR,
    CT_SOLVER_GEOMETRIC_CG,
    CT_SOLVER_NEWTON,
    CT_SOLVER_ADMM,
    CT_SOLVER_COUNT_
} ct_solver;

/* ct_cone -- the set that a contact's friction (g1, g2) may reach at normal multiplier l:
   BOX      |g1| <= mu l and |g2| <= mu l (Otaduy 2009, 5.5: two independent projections)
   PYRAMID  |g1| + |g2| <= mu l           (a true four-sided pyramid inside the cone)
   CONE     g1^2 + g2^2 <= (mu l)^2       (Coulomb)
   The axes of BOX and PYRAMID are a contact's own in every step: t1 along the tangential velocity that it would have without contacts, t2 = n x t1
   (Otaduy 2009, 3.4), so that what slides is braked with mu g and not turned. */
typedef enum ct_cone { CT_CONE_BOX, CT_CONE_PYRAMID, CT_CONE_CONE } ct_cone;

/* ct_cluster_mode -- the blocks that ICA's splitting inverts together. AUTO picks by cost. */
typedef enum ct_cluster_mode { CT_CLUSTER_AUTO, CT_CLUSTER_NODE, CT_CLUSTER_PATCH, CT_CLUSTER_BODY } ct_cluster_mode;

/* ct_termination -- RESIDUAL: natural map below the tolerance. PAPER: a solver as its paper has it, to compare with.
   CT_SOLVER_MPRGP, or CT_STEPPER_DCD: algorithm 3 of Li 2015 for rows as they are, coupled and dependent ones too (a QP's, or contacts' without
   friction). It sets one Newton iteration, dcd.recovery 1, no friction, no substeps, and CT_DECOUPLE_RANDOM for PIVOT. See docs/solvers_mprgp.md.
   Solvers ICA and AUTO, CT_STEPPER_CMR: the step and the solve of Otaduy 2009 as printed; it is slower and ends early. It sets what the paper
   fixes, whatever is asked for: nodes as clusters, a box as the cone where Coulomb's is asked for, one linearization, five rounds, two halvings; it
   leaves out acceleration and corrections, and does nothing about a gain of energy. A solve ends when its residuals change by less than 5 % and every contact's
   distance is above half the thickness, or after max_iterations of inner_iterations, or 20 max_sweeps. A step that ends so above the tolerance, or
   in which a body gains energy, is `budget`, and stands. See docs/solvers_ica.md. */
typedef enum ct_termination { CT_TERMINATION_RESIDUAL, CT_TERMINATION_PAPER } ct_termination;

/* ct_friction -- how a world's solver that has no friction of its own (MPRGP, ACTIVE_SET) comes to it:
   STAGGERED    normals and friction in turn, to the tolerance (Kaufman et al. 2008)
   ANTICIPATED  normals by the solver, friction and normals by ICA from there (Li et al. 2015)
   LOCAL        after the normals, contact by contact, then the normals once more (Bridson et al. 2003): cheap, its friction is not solved
                for, and the report's residual says by how much it is missed */
typedef enum ct_friction { CT_FRICTION_STAGGERED, CT_FRICTION_ANTICIPATED, CT_FRICTION_LOCAL } ct_friction;

struct ct_solution;

/* ct_solver_desc -- how a contact problem is solved. Make it with ct_solver_desc_default. */
typedef struct ct_solver_desc {
    uint32_t cookie;
    ct_solver solver;
    ct_cone cone;
    ct_cluster_mode cluster;
    ct_termination termination;
    ct_real tolerance;     /* natural map relative to the velocity scale, > 0; default 1e-4, in float 1e-3, which it can resolve */
    int max_iterations;    /* outer iterations, >= 1; default 500 */
    int inner_iterations;  /* most Gauss-Seidel sweeps over the contacts in an outer iteration; default 200 */
    int max_sweeps;        /* sweeps over the contacts after which a solve stops; >= 1; the step is taken, its status is budget; default 200.
                              Fewer than 250 contacts of an island may take more, at most 20 times, for the same work. Once a step
                              has spent 24 budgets of all contacts on solves that end with a residual above 0.15 (96 where islands have joints),
                              islands that end so get an eighth */
    int inner_repeats;     /* normal-friction repeats at one contact; default 3 (Otaduy 5.5) */
    ct_friction friction;  /* default CT_FRICTION_STAGGERED */
    /* for ct_problem_solve, and for solvers other than ICA in worlds */
    int budget;            /* iterations of a solver, >= 0; 0 (default): its own bound; in worlds one that holds a solve to seconds */
    double seconds;        /* time limit by now_us, >= 0; 0 (default): none */
    int order;             /* PGS: 0 (default) rows as they come, 1 forth and back, 2 by colours */
    double relaxation;     /* PGS: in (0, 2), 1 (default): none */
    int plain;             /* ICA: 1: relaxation as in the paper, without our acceleration; default 0 */
    int warm;              /* ct_problem_solve: 1: x and r of the solution that is handed in are the start; default 0 */
    uint64_t seed;         /* of what a solver chooses at random; default 1 */
    uint64_t (*now_us)(void *user); /* clock; NULL (default): no limit, times are 0 */
    void *now_user;
    int (*watch)(void *user, int iteration, const double *x, const double *r); /* ct_problem_solve: sees every iteration, returns 0 to end;
                                                                                  may be NULL */
    void *watch_user;
    int (*trace)(void *user, const struct ct_solution *so_far); /* sees the answer as it stands, judged, at every iteration, after the
                             first 50 at every fiftieth of their number (with a watcher: at all); its seconds are without what tracing
                             costs; outcome and why mean nothing yet; returns 0 to end; may be NULL */
    void *trace_user;
} ct_solver_desc;

/* ct_problem -- a contact problem that stands alone, from a file or from a world. QP: min 1/2 x'A x - b'x, J x + w >= 0. GLOBAL: A x = b + J'r,
   u = J x + w with Coulomb's law; LOCAL: u = W r + w with it; LCP: u = W r + w >= 0, r >= 0 or in a box, r'u = 0. Contacts have three rows: n, t1, t2. */
typedef struct ct_problem ct_problem;
typedef enum ct_problem_kind { CT_PROBLEM_LOCAL = 1, CT_PROBLEM_GLOBAL = 2, CT_PROBLEM_QP = 3, CT_PROBLEM_LCP = 4 } ct_problem_kind;
typedef struct ct_problem_info {
    ct_problem_kind kind;
    int n, m, contacts;             /* length of x (LOCAL, LCP: of u), of r; contacts with friction */
    const double *x_ref, *r_ref;    /* reference solution or NULL; the problem's */
    int has_objective;
    double objective_ref;
    int expect;                     /* LCP files: 0 nothing said, 1 a solution, 2 infeasible, 3 no solution */
} ct_problem_info;

/* ct_csr -- rows of numbers: row i has the entries p[i] .. p[i + 1] - 1, columns in any order, those of one place are summed. The caller's. */
typedef struct ct_csr {
    int rows, cols;
    const int32_t *p, *i; /* [rows + 1], [p[rows]]; both NULL where rows is 0 */
    const double *x;      /* [p[rows]] */
} ct_csr;

/* ct_problem_desc -- a problem from arrays, which are copied. Make it with ct_problem_desc_default, set kind and what that kind has, and nothing
   else: what would be dropped is refused. n are A's rows,
   m those of J or W. */
typedef struct ct_problem_desc {
    uint32_t cookie;
    ct_problem_kind kind;
    ct_csr A, J;              /* QP, GLOBAL: [n][n], symmetric, both triangles; [m][n] */
    ct_csr W;                 /* LOCAL, LCP: [m][m] */
    const double *b, *w;      /* QP, GLOBAL: [n]; all: [m] */
    const double *mu;         /* LOCAL, GLOBAL: [m / 3], >= 0 */
    const double *lo, *hi;    /* LCP: [m], bounds of r, infinities allowed; or both NULL: 0 and infinity */
    const uint8_t *equation;  /* QP: [m], 1: that row is = 0; or NULL */
    const double *x_ref, *r_ref; /* [n], [m] a solution to compare with, or NULL */
} ct_problem_desc;

/* ct_outcome -- how a solve ended, in the words of `contact solve`. SOLVED is said by the judge, never by the solver alone. */
typedef enum ct_outcome {
    CT_OUTCOME_SOLVED,
    CT_OUTCOME_INFEASIBLE,     /* a certificate y is in r: y >= 0, J'y = 0 (LCP: W'y <= 0), w'y < 0 */
    CT_OUTCOME_RAY,            /* Lemke's method ended on a ray: no proof of anything, but for copositive W */
    CT_OUTCOME_BUDGET,
    CT_OUTCOME_FAILED,
    CT_OUTCOME_NOT_APPLICABLE,
    CT_OUTCOME_COUNT_
} ct_outcome;

/* ct_solution -- zero it before first use; ct_solution_free ends it. For a warm start hand in the last solve's, or one of the caller's with x, r, n
   and m: a solve of those sizes writes into x and r where they are. (Those that the caller allocated are the caller's to free.) */
typedef struct ct_solution {
    double *x, *r;             /* [n] (LOCAL, LCP: u), [m] */
    int n, m;
    ct_outcome outcome;
    ct_solver solver;          /* the one that AUTO took */
    const char *why;           /* a sentence where it is not SOLVED, else "" */
    int iterations;
    double seconds;            /* 0 without a clock */
    double objective;          /* QP */
    double residual;           /* the number that decides, relative: QP: KKT and gap; LCP: natural map; contacts: scaled natural map and dynamics */
    double dynamics, primal, dual, gap, natural, unscaled;
    int proof_rows;            /* INFEASIBLE: rows of the certificate r that are not 0, else 0; */
    double proof_value;        /* w'r < 0, relative to |w|'|r|; */
    double proof_off;          /* the largest sum of J'r (LCP, LOCAL: of W'r) that ought to vanish, relative to its terms */
} ct_solution;

/* ct_broad_phase -- how candidate pairs are found: TREE (box trees, refitted), HASH (a spatial hash, Teschner et al. 2003). Both give the same
   pairs in the same order, so that a run's results are the same; they differ in time. */
typedef enum ct_broad_phase { CT_BROAD_TREE, CT_BROAD_HASH, CT_BROAD_COUNT_ } ct_broad_phase;

typedef enum ct_scalar_type { CT_SCALAR_FLOAT, CT_SCALAR_DOUBLE } ct_scalar_type;

/* ct_row_mode -- where contacts of rigid bodies and joints are linearized. ANTICIPATED: at the tentative end of the step, anew in every round, so
   that they hold there exactly. VELOCITY: once, at the start of the step; joints then miss by the square of what bodies turn in a step.
   Rigid bodies that joints hold together, and nothing but gravity acts on, keep their energy and momenta in both. */
typedef enum ct_row_mode { CT_ROW_ANTICIPATED, CT_ROW_VELOCITY } ct_row_mode;

/* ct_decouple -- which constraints CT_STEPPER_DCD keeps where several touch one vertex. PIVOT (default): all that have a vertex to move of their
   own, made orthogonal by a change of unknowns; of two layers that press on each other about one. DEEPEST: the deepest of those at a vertex, one
   in four; RANDOM: any of them (solver.seed; as in the paper). NONE: all of them (the multipliers' problem is solved then, which is slow). */
typedef enum ct_decouple {
    CT_DECOUPLE_DEEPEST,
    CT_DECOUPLE_RANDOM,
    CT_DECOUPLE_NONE,
    CT_DECOUPLE_PIVOT,
    CT_DECOUPLE_COUNT_
} ct_decouple;

/* ct_dcd_friction -- friction of CT_STEPPER_DCD, after the solve and from its multipliers. IMPLICIT (default): two more programs with a viscosity
   mu lambda / |u_t| of the tangential motion, lagged; what sticks creeps at up to 3e-3 of the speed that gravity gives in a step. With
   CT_DECOUPLE_NONE it is LOCAL. LOCAL: of every contact's nodes alone (Bridson, Marino, Fedkiw 2003): costs nothing, holds small bodies only. */
typedef enum ct_dcd_friction {
    CT_DCD_FRICTION_NONE,
    CT_DCD_FRICTION_LOCAL,
    CT_DCD_FRICTION_IMPLICIT,
    CT_DCD_FRICTION_COUNT_
} ct_dcd_friction;

/* ct_dcd_desc -- of CT_STEPPER_DCD. */
typedef struct ct_dcd_desc {
    int newton_iterations;    /* 1..100; default 1 (Li et al. 2015, section 6) */
    ct_decouple decouple;     /* default CT_DECOUPLE_PIVOT */
    ct_dcd_friction friction; /* default CT_DCD_FRICTION_IMPLICIT */
    int max_substeps;         /* 1..256 pieces that a step may be cut into where features would pass through thin parts; 1: never; default 8 */
    ct_real substep_fraction; /* > 0: share of the local thickness that a vertex may go into it in one piece; default 0.5 */
    ct_real recovery;         /* (0, 1]: share of a penetration that one step takes back, within recovery_speed; default 0.5. The paper: 1 */
    ct_real depth;            /* [m] >= 0: how far behind a triangle an open static mesh pushes; 0 (default): twice its mean edge */
} ct_dcd_desc;

/* ct_world_desc -- make it with ct_world_desc_default; the cookie tells a zeroed or foreign struct from a real one. */
typedef struct ct_world_desc {
    uint32_t cookie;
    double origin[3];     /* [m] where (0, 0, 0) of this API lies in the caller's world, for float worlds far from its origin. Every ct_real position,
                             in and out, is relative to it; ct_body_get_positions adds it to doubles. Nothing else depends on it; default 0 */
    ct_real gravity[3];   /* [m/s^2]; default 0, -9.81, 0 */
    ct_real thickness;    /* distance that is kept [m], > 0; default 1e-3 */
    ct_real friction;     /* Coulomb coefficient, >= 0; default 0.4 */
    ct_real restitution;  /* 0 is the only value that is supported now */
    int self_collision;   /* 1: a body collides with itself; default 1 */
    ct_broad_phase broad_phase; /* default CT_BROAD_TREE */
    ct_stepper stepper;   /* default CONTACT_STEPPER */
    ct_integrator integrator; /* default CT_INTEGRATOR_EULER */
    int newton_iterations; /* most linearizations of a substep of CT_STEPPER_CMR, 1..100; 1 is Otaduy 2009's. Only a body that gains energy
                              asks for another one. Default 8 */
    ct_solver_desc solver;
    int cmr_rounds;       /* rounds of solve and CCD before the step is halved, >= 1; default 5 (Otaduy sec. 4) */
    int max_halvings;     /* times the step may be halved, 0..8; default 5 (Otaduy sec. 4 has 2) */
    ct_row_mode row_mode; /* default CT_ROW_ANTICIPATED */
    int ccd_limits_step;  /* 1: a step ends early, and goes on from there, where features that were apart first come within their thickness:
                             times of impact are then exact to about dt / 2^max_halvings, which no piece is shorter than, or to a quarter
                             of the thickness at the speed of impact, instead of to dt. An impact cuts all that is stepped. Costs an attempt or two
                             per impact and one more collision test per substep; default 0 */
    ct_dcd_desc dcd;        /* of CT_STEPPER_DCD */
    ct_real recovery_speed; /* most speed at which a pair closer than its thickness is eased apart [m/s], >= 0; 0: no cap; default 1 */
    ct_allocator allocator;
    ct_tasks tasks;         /* default: one thread */
    ct_log_fn *log;
    void *log_user;
    uint64_t (*now_us)(void *user); /* clock for the report's milliseconds; NULL: times are 0 */
    void *now_user;
} ct_world_desc;

/* ct_model -- what a material is. All soft models agree at small strain (Lame's constants from young and poisson) and give every element a
   positive semidefinite stiffness.
   COROTATIONAL       linear in the frame that turns with the element: the cheapest; brings inverted elements back
   STVK               E' C E of Green's strain E: stiffens when stretched, softens when compressed (one axis pressed to 0.58 of its length
                      resists most, at 0 not at all) and does not bring inverted elements back: for moderate strain only. Elements
                      that are inverted are counted in the step report's extended_elements
   NEOHOOKEAN         with log J, continued below J = 0.2 where an element is counted in extended_elements
   STABLE_NEOHOOKEAN  finite at every deformation, zero force at rest, brings flat and inverted elements back (Smith, de Goes, Kim 2018)
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
    ct_real density;           /* [kg/m^3] > 0: soft; of what an embedded surface encloses */
    ct_real damping_mass;      /* Rayleigh alpha [1/s] >= 0 */
    ct_real damping_stiffness; /* Rayleigh beta [s] >= 0: a stress beta C dE/dt by the rate of Green's strain, C the stiffness at rest. Small
                                  vibrations decay with beta w^2 / 2 [1/s]; what turns as a whole is not braked */
    ct_real shell_thickness;   /* [m] > 0: membrane */
    ct_real bending;           /* membrane: flexural rigidity B [N m] >= 0: B c^2 / 2 per area for a cylinder of curvature c in every
                                  direction, 2 and 2 times that for a twist and a sphere (no coupling by Poisson's ratio), within 1/20 on any
                                  mesh of 24 cells a side; free strips are up to 1/8 softer (docs/limits.md) */
    ct_real areal_density;     /* [kg/m^2] > 0: cloth */
    ct_real stretch, shear, bend; /* springs: [N/m] along edges, across them, over two edges; >= 0. Rates of single springs: what the sheet
                                     resists with depends on the mesh and the direction (docs/limits.md) */
    ct_real strain_limit;      /* springs: largest relative elongation (l - L) / L, 0: none. Held inside the implicit step, together with
                                  the contacts: from 7/10 of it on a spring stiffens, and at the limit it is as stiff as 200 times the
                                  mass of its heavier end over a step of at least 10 ms, and 20 times its own rate. A sheet that hangs at rest
                                  keeps it at steps to 10 ms; one that swings or falls exceeds it by about 1/10 where the world's
                                  newton_iterations allow it to be solved, else up to twice (docs/limits.md).
                                  Energies of a report hold the limit's own, which grows with shorter steps down to 10 ms */
} ct_material;

/* ct_soft_desc, ct_cloth_desc, ct_static_desc -- arrays are copied. friction and thickness below 0 stand for the world's. position and rotation of
   a body's description place the mesh as ct_mesh_transform does; they are not looked at again. Velocities are along the world's axes. */
typedef struct ct_soft_desc {
    uint32_t cookie;
    const char *name; /* copied, may be NULL; appears in error texts */
    const ct_mesh *mesh;    /* positions and tets: the nodes */
    const ct_mesh *surface; /* NULL: the tets' boundary collides; else a triangle mesh embedded in them: its vertices are the body's vertices
                               then, which positions, contacts and triangles count; pins and velocities go by nodes. A closed surface is what
                               weighs and resists: a tet counts with the part of it that lies inside, at least 1/10, and the mass is that of
                               the enclosed volume. Of an open one, or one that is inside out, all tets count whole */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3]; /* [rad/s] about the centre of mass */
    ct_real position[3]; /* [m] where the origin of mesh and surface is put: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: no turn */
} ct_soft_desc;

typedef struct ct_cloth_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* positions and triangles */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3];
    ct_real position[3]; /* [m] where the origin of the mesh is put: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: no turn */
} ct_cloth_desc;

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
    ct_real position[3]; /* [m] where the origin of the mesh is put: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: no turn. ct_body_get_pose says it, made a unit, until the body turns */
} ct_rigid_desc;

typedef struct ct_static_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* triangles, segments, single positions; NULL: the plane dot(normal, x) = offset, free space on the normal's side */
    ct_real plane_normal[3], plane_offset;
    ct_real friction, thickness;
    ct_real position[3]; /* [m] where the origin of the mesh, or of the plane, is put: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: no turn */
} ct_static_desc;

/* ct_motion -- scripted motion of pinned vertices: x(t) = center + R(t) (x(0) - center) + linear t, R about angular. */
typedef struct ct_motion {
    ct_real linear[3];  /* [m/s] */
    ct_real angular[3]; /* [rad/s] */
    ct_real center[3];  /* [m] */
} ct_motion;

/* ct_motion_segment -- a piece of a scripted path. Pieces follow one another: each moves what the ones before it have moved, its own time
   starts at 0 when it begins, and `center` is a place in the world then. After the last everything stands still. */
typedef struct ct_motion_segment {
    ct_motion motion;
    double duration; /* [s] >= 0; < 0: for ever, allowed in the last one only */
} ct_motion_segment;

/* ct_kinematic_desc -- a surface that follows a script and pushes what it meets: the mesh's vertices move by keyframes, then by `motion`, or by
   `segments` when there are some, in the world's axes, counted from the time at which the body is added. Between keyframes vertices move on straight lines, after
   the last they stay. Where scripted surfaces leave no room the step goes on, and the report counts what is tangled. Arrays are copied. */
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
    ct_real position[3]; /* [m] where the origin of mesh and keyframes is put: a vertex x starts at R(rotation) x + position; default 0 */
    ct_real rotation[4]; /* quaternion w x y z of any length > 0; default 1, 0, 0, 0: no turn */
} ct_kinematic_desc;

/* ct_joint_kind -- BALL: the points of both sides stay together. HINGE: so does the axis. FIXED: so do all axes. STITCH: two vertices at
   rest_length from each other, or together. */
typedef enum ct_joint_kind { CT_JOINT_BALL, CT_JOINT_HINGE, CT_JOINT_FIXED, CT_JOINT_STITCH } ct_joint_kind;

/* ct_joint_side -- what a joint holds: the point sum weights[k] x[vertices[k]] of a body, one to three vertices before the first -1 (weights of one
   vertex are not looked at; else they sum to 1); or without vertices the place of ct_joint_desc.point. Deformable bodies and stitches need
   vertices. */
typedef struct ct_joint_side {
    ct_body_id body; /* null (zero): the world */
    int32_t vertices[3];
    ct_real weights[3];
} ct_joint_side;

/* ct_joint_desc -- make it with ct_joint_desc_default(kind). A side without vertices holds where the other one's are, or at `point`. What is not
   together when the joint is added is brought together, at most at the world's recovery_speed. */
typedef struct ct_joint_desc {
    uint32_t cookie;
    ct_joint_kind kind;
    ct_joint_side a, b;
    ct_real point[3];   /* [m] world, at the time of adding; must stay 0 where a side has vertices: the joint is where they are */
    ct_real axis[3];    /* hinge: world, at the time of adding, any length > 0; default 0, 1, 0 */
    ct_real compliance; /* [m/N] >= 0: inverse of a spring's stiffness; default 0: rigid */
    ct_real angular_compliance; /* [rad/(N m)] >= 0 of hinge and fixed joints; default 0 */
    ct_real rest_length; /* [m] stitches; 0: the points meet; default -1: 0, or 1.1 thicknesses between vertices of bodies that collide */
    int collide;         /* 1, 0: the two bodies collide or not (planes always do); default -1: they do when one of them is deformable */
} ct_joint_desc;

enum { CT_AXIS_X = 1, CT_AXIS_Y = 2, CT_AXIS_Z = 4, CT_AXIS_ALL = 7 };

typedef enum ct_pair_kind { CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_EF, CT_PAIR_VE, CT_PAIR_VV, CT_PAIR_PLANE } ct_pair_kind;

/* ct_pair -- two features: body and element numbers within the body (vertex, surface face, surface edge by its two vertices). */
typedef struct ct_pair {
    ct_pair_kind kind;
    ct_body_id body_a, body_b;
    int32_t vertices_a[3], vertices_b[3]; /* body vertex numbers, -1 where unused */
    ct_real distance;
} ct_pair;

/* ct_contact -- one contact of the last step. normal points from b to a; impulses on a in N s, summed over all substeps, also where the contact
   has ended in an earlier one: impulse_normal normal + impulse_tangent[k] tangent[k] is what a got from b over the step. Features, weights, axes
   and sticking are those of the last substep that loaded the contact; point and gap belong to the end of the step. */
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

/* Status of a step, best first: done, or cut at impacts only; halved; the fail-safe acted; a solve stopped on max_sweeps or max_iterations above
   its tolerance; a residual stayed above its tolerance for another reason, or the fail-safe found no way out. The first three are said only
   where ct_step_report.residual is at most solver.tolerance, by whichever solver. */
#define CT_STATUS_LIST(X)                                                                                                                  \
    X(CT_STATUS_OK, "ok")                                                                                                                  \
    X(CT_STATUS_SUBSTEPPED, "substepped")                                                                                                  \
    X(CT_STATUS_ZONES, "zones")                                                                                                            \
    X(CT_STATUS_BUDGET, "budget")                                                                                                          \
    X(CT_STATUS_NOT_CONVERGED, "not_converged")
#define CT_STATUS_ENUM(name, text) name,
typedef enum ct_status { CT_STATUS_LIST(CT_STATUS_ENUM) CT_STATUS_COUNT_ } ct_status;
#undef CT_STATUS_ENUM

/* ct_step_report -- what a step says of itself. */
typedef struct ct_step_report {
    ct_status status;
    int substeps;          /* 1 unless the step, or a part of the world in it, was halved, or cut at impacts: of all parts together */
    int events;            /* substeps that were cut at a first impact (ccd_limits_step); they alone leave the status OK */
    int contacts, rows;    /* in the last solve: contacts with a positive multiplier; rows handed to the solver */
    int candidates;        /* pairs that CCD looked at */
    int cmr_rounds;        /* solves in the worst substep */
    int newton_iterations; /* linearizations of all attempts, summed */
    int solver_iterations; /* outer iterations, summed */
    int solver_sweeps;     /* sweeps over the contacts, summed */
    int solver_quick;      /* termination PAPER with CT_STEPPER_CMR: the solver_iterations whose inner loop took fewer than ten sweeps; else 0 */
    int solver_fallbacks;  /* solves of an island that another solver than the chosen one ended, summed: ICA where the chosen one failed or does
                              not take the problem; with CT_SOLVER_AUTO Newton's method where ICA failed */
    int linear_iterations; /* of the unconstrained solve, summed */
    int refactorizations;
    int zones, frozen;     /* impact zones; node-steps frozen by them, and by their motion meaning nothing */
    int extended_elements; /* tets whose log J was continued; StVK: inverted tets */
    int dropped;           /* DCD: constraints left out by decoupling, summed over substeps */
    int cg_steps;          /* DCD: conjugate steps among the solver_iterations of MPRGP */
    int solves;            /* DCD: quadratic programs with constraints, summed */
    int coarse;            /* bodies so far out at the end that their thickness is below 64 ulp of a coordinate: they do not intersect, but what rounds
                              their positions is no longer small beside what they keep. None is added there, but one may fall or be taken there */
    int tangled;           /* pairs (edge through face) that intersected when the last substep began: no contact between them, they are eased apart */
    ct_real residual;      /* natural map relative to the velocity scale, of the last solve and of free motion, worst substep */
    ct_real min_distance;  /* smallest found at the end, capped at twice the thickness */
    ct_real thickness_kept; /* smallest distance at the end over the pair's own thickness, at most 2. An impact may leave a quarter; what is below 1
                              is lifted in the next steps. 0 with CT_STEPPER_DCD, which keeps none */
    int too_near;          /* pairs that are nearer than half of their own thickness at the end: what the step did not reach */
    ct_real penetration;   /* DCD: depth of the deepest surface vertex inside of a body at the end */
    ct_real momentum_lost; /* [N s] by zones and freezing */
    ct_real joint_error;   /* [m] largest distance by which joints without compliance are apart at the end; a turn counts by the body's size */
    double energy_kinetic, energy_elastic, energy_gravity; /* [J] at the end of the step; gravity's is 0 at the origin. Kinetic energy is that of the
                              velocities at the end, also where the integrator's own live in the middle of steps */
    double work_script, work_pins, work_joints; /* [J] done in the step by scripted surfaces that touch, by pins, by joints and stitches. All of this
                              account is 0 with CT_STEPPER_DCD */
    double work_recovery;  /* [J] by easing apart what is nearer than its thickness, and by taking apart what is tangled */
    double loss_contact;   /* [J] taken by contacts: impacts, friction */
    double loss_damping;   /* [J] taken by mass and stiffness damping */
    double energy_gained;  /* [J] what does not close: energies at the end, less those at the start and work_*, plus loss_*. Below 0 the integrator
                              lost it. Above 0 the step gained it, or damping took less than loss_damping says. A deformable body that
                              gains more than 2e-4 (NEWMARK, BDF2: 1e-3) of its energy and the work on it, damping not counted, makes a
                              substep iterate, then halve; then the status is NOT_CONVERGED, and the gain is taken from the motion.
                              A rigid body that contacts press, and no joint, may gain 5e-3: the substep is halved, then NOT_CONVERGED */
    double center_of_mass[3];
    double ms_prepare;     /* [ms] by the world's clock: set-up of trees, matrix pattern and factors after bodies or joints have changed; */
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve; /* of all attempts; rows and tests of their motion are in ms_detect; */
    double ms_finish;      /* the rest: the start is saved, impact zones, commits, this report; */
    double ms_total;       /* all that the step did: the sum of these */
    ct_pair limit;         /* the pair that limited the step; or one that is tangled; limit.vertices_a[0] is -1 when
                              there is none */
} ct_step_report;

/* ct_library_info -- what was compiled in. */
typedef struct ct_library_info {
    int version_major, version_minor, version_patch;
    int real_bits;    /* 32 or 64 */
    const char *simd; /* "NONE", "SSE2", "AVX2", "AVX512", "NEON", "WASM" */
    int deterministic; /* 1: the same bits as every other such build; 0: CONTACT_DETERMINISTIC is 0 and products are fused */
    int with_files;
    int with_threads; /* CONTACT_THREADS: worlds can have threads of their own */
    const char *steppers, *solvers; /* names, separated by spaces */
} ct_library_info;

#endif /* CT_TYPES_H_INCLUDED */
