/* contact.h -- version 0.1.0, made from src/ by tools/amalgamate.py; do not edit. Inputs 20690bac6f5548bc.

contact.h simulates deformable bodies in contact: soft bodies (tetrahedra) and cloth (triangles) against each other, against themselves and
against static meshes and planes, with friction and continuous collision detection. One C file, C99 and C++11, no dependency but stb_ds.h.
Licence: MIT-0 or public domain, your choice (text at the end of the repository's LICENSE file).


USE
    In ONE .c (or .cc) file of its own:
        #define CONTACT_IMPLEMENTATION
        #include "contact.h"
    everywhere else:
        #include "contact.h"
    Put stb_ds.h (https://github.com/nothings/stb) beside it, or install libstb-dev. Link with -lm. A file that also wants stb_ds.h's short
    names (arrlen, arrput) includes stb_ds.h before contact.h. The implementation takes some seconds to compile; that is why it wants a file
    of its own.

STEP BY STEP
    1. ct_world_desc d = ct_world_desc_default();   change what you like;   ct_world_create(&d, &world, &error)
    2. make meshes: ct_mesh_read, ct_mesh_box, ct_mesh_grid, ct_mesh_sphere, or fill a ct_mesh yourself
    3. ct_soft_desc s = ct_soft_desc_default();  s.mesh = &mesh;  s.material = ...;  ct_body_add_soft(world, &s, &body)
       likewise ct_body_add_cloth and ct_body_add_static (without a mesh: a plane). Meshes are copied; free yours with ct_mesh_free.
    4. ct_body_pin for what is held or moved by script
    5. ct_world_step(world, dt, &report) again and again;  ct_body_get_positions, ct_world_contacts to read
    6. ct_world_destroy(world)

WHAT IT DOES NOT DO
    Rigid bodies, rods, points and keyframed colliders, joints, stitches, embedded surfaces, restitution, tearing, plasticity, fluids: not in
    this version. Steppers other than CMR and solvers other than ICA are named in the enums and refused with CT_ERR_UNSUPPORTED
    (ct_stepper_built, ct_solver_built). It never prints, never exits, never starts a thread, has no writable global, and reads no clock but
    the one you give it. It does not sleep bodies. ct_tasks is accepted and not used yet: steps run on the calling thread.
    Implicit Euler damps motion, more so with larger steps: bounces and swings fade sooner than in nature. Where that matters take smaller
    steps; a run with an eighth of the step bounces visibly higher.

UNITS AND CONVENTIONS
    SI: metres, kilograms, seconds, radians. +y is up in the default gravity. Triangles are counter-clockwise seen from outside; tets are
    positive when dot(cross(x1 - x0, x2 - x0), x3 - x0) > 0. Ids are {index1, generation}; a stale id is an error in every build.

HOW A STEP WORKS (Otaduy, Tamstorf, Steinemann, Gross 2009)
    Implicit Euler is linearized at the start of the step, A v = b. An unconstrained solve gives tentative velocities; features that come
    within the thickness become rows; up to cmr_rounds rounds of solve, continuous collision detection and new rows follow (constraint
    manifold refinement). What is still not clear, or takes a neo-Hookean tet below a fifth of its volume, halves the step, at most
    max_halvings times; short steps grow again when two in a row went well; what cannot be halved goes to impact zones, the fail-safe. The
    rows are solved by iterative constraint anticipation: outer relaxation over clusters of unknowns, inner Gauss-Seidel over contacts,
    normal and friction multipliers in turn, warm started from the last step. A body with few contacts is one cluster; one with many
    first answers as a whole to the last step's multipliers, is then relaxed node by node, and taken whole for a while when that got
    nowhere. The step is accepted only when every vertex-face and edge-edge pair has a clear straight path, rounding included.

RESULTS AND ERRORS
    Misuse (bad argument, stale id, inverted tet) and the environment (memory, files) give a ct_code; the world is unchanged, and
    ct_world_error (or your ct_error_info) names the body, the element and the value. Numerics never fail a step: it ends in a finite state
    and ct_step_report says how well, from best to worst: ok, substepped (the step was halved), zones (the fail-safe acted), budget (a solve
    stopped on max_sweeps or max_iterations above its tolerance; max_sweeps bounds what the worst step costs), not_converged (a residual above
    its tolerance). Budget and not_converged are about the accuracy of contact forces: the test for intersections is the same for every status.

WHAT IS GUARANTEED
    Given a start without intersections, a step of CT_STEPPER_CMR ends without one, in double and in float: the collision test has no false
    negatives, rounding included, and the rounded end positions are the exact start of the next step. Exceptions are reported, not hidden:
    scripted surfaces that leave no room. A start with intersections is not refused: those pairs are named by ct_world_validate, excluded from
    the test, and eased apart. The same program and input give the same bits on every run and on every SIMD path.

THREADS
    A world belongs to one thread at a time; two worlds never touch. The ct_ccd_* and ct_mesh_* functions need no world and are safe on every
    thread.

MEMORY
    All of it comes from ct_world_desc.allocator (default malloc, realloc, free), and every failure is an error code. Arrays that the library
    hands out inside a ct_mesh are stb_ds arrays: arrlen works on them, ct_mesh_free and ct_free release them.


SWITCHES. Macros that you define before the include. The first group must be the same in every file that includes contact.h.

    CONTACT_REAL          64 (default) or 32. The type ct_real: double or float. 32 halves memory and is faster; exported names then end in
                          _f32, so that mixing precisions is a link error and both may live in one program.
    CONTACT_STATIC        undefined (default) or defined. Every function is static: a private copy for one file. Define it together with
                          CONTACT_IMPLEMENTATION.
    CONTACT_API           what stands in front of every declaration; default extern. For example __declspec(dllexport).
    CONTACT_CONFIG_H      the name of a header, in quotes, that defines these switches for a whole project.

    The second group counts only beside CONTACT_IMPLEMENTATION.

    CONTACT_SIMD          CT_SIMD_AUTO (default): AVX2 where the compiler is told of it (-mavx2, -march=native), plain C elsewhere.
                          CT_SIMD_NONE: plain C, several times slower in collision detection. CT_SIMD_AVX2: insist. All give the same bits.
    CONTACT_WITH_FILES    1 (default) or 0: mesh and problem files. 0 removes stdio; ct_mesh_read then returns CT_ERR_UNSUPPORTED.
    CONTACT_STB_DS_H      the name of stb_ds.h with its quotes, where it is neither "stb_ds.h" nor <stb/stb_ds.h>.
    CONTACT_ASSERT(x)     internal checks; default nothing. For debugging the library itself.

    Refused by #error: -ffast-math and -Ofast (they remove its error bounds), x87 arithmetic. Contraction (fused multiply-add) is switched off
    inside the implementation by pragma; with clang do not pass -ffp-contract=fast, which overrides pragmas.


SOURCES
    Otaduy, Tamstorf, Steinemann, Gross: Implicit contact handling for deformable objects. Eurographics 2009.
    Mueller, Gross: Interactive virtual materials. GI 2004. Irving, Teran, Fedkiw: Invertible finite elements. SCA 2004.
    Baraff, Witkin: Large steps in cloth simulation. SIGGRAPH 1998. Volino, Magnenat-Thalmann: Implementing fast cloth simulation with
    collision response. CGI 2000.
    Provot: Collision and self-collision handling in cloth model dedicated to design garments. 1997. Harmon, Vouga, Tamstorf, Grinspun: Robust
    treatment of simultaneous collisions. SIGGRAPH 2008. Wang, Ferguson, Schneider, Jiang, Attene, Panozzo: A large-scale benchmark and an
    inclusion-based algorithm for continuous collision detection. TOG 2021.
*/
#ifndef CT_CONTACT_H_INCLUDED
#define CT_CONTACT_H_INCLUDED

/* ---- public/config.h ---- */
/* config.h -- switches and their defaults. Each is described in the manual on top of contact.h. */

/* Version of the library; ct_library_info_get gives the same numbers. */
#define CT_VERSION_MAJOR 0
#define CT_VERSION_MINOR 1
#define CT_VERSION_PATCH 0

#ifdef CONTACT_CONFIG_H
#include CONTACT_CONFIG_H
#endif

#ifndef CONTACT_REAL
#define CONTACT_REAL 64
#endif
#if CONTACT_REAL != 32 && CONTACT_REAL != 64
#error "CONTACT_REAL is 64 (double, the default) or 32 (float)"
#endif
#ifdef __FAST_MATH__
#error "contact.h: -ffast-math and -Ofast remove its error bounds and finite tests; compile this file without them"
#endif

#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "contact.h: x87 arithmetic rounds twice, which breaks its error bounds; compile with -msse2 -mfpmath=sse"
#endif

/* Values of CONTACT_SIMD. */
#define CT_SIMD_AUTO 0
#define CT_SIMD_NONE 1
#define CT_SIMD_SSE2 2
#define CT_SIMD_AVX2 3
#define CT_SIMD_AVX512 4
#define CT_SIMD_NEON 5
#define CT_SIMD_WASM 6
#ifndef CONTACT_SIMD
#define CONTACT_SIMD CT_SIMD_AUTO
#endif
#ifndef CONTACT_WITH_FILES
#define CONTACT_WITH_FILES 1
#endif

#ifndef CONTACT_API
#if defined(CONTACT_STATIC) && (defined(__GNUC__) || defined(__clang__))
#define CONTACT_API static __attribute__((unused))
#elif defined(CONTACT_STATIC)
#define CONTACT_API static
#else
#define CONTACT_API extern
#endif
#endif


/* The float build's exported names end in _f32, so that a mix of precisions is a link error. */
#if CONTACT_REAL == 32
#define ct_library_info_get ct_library_info_get_f32
#define ct_code_text ct_code_text_f32
#define ct_status_text ct_status_text_f32
#define ct_stepper_text ct_stepper_text_f32
#define ct_solver_text ct_solver_text_f32
#define ct_stepper_built ct_stepper_built_f32
#define ct_solver_built ct_solver_built_f32
#define ct_solver_desc_default ct_solver_desc_default_f32
#define ct_world_desc_default ct_world_desc_default_f32
#define ct_world_create ct_world_create_f32
#define ct_world_destroy ct_world_destroy_f32
#define ct_world_step ct_world_step_f32
#define ct_world_error ct_world_error_f32
#define ct_world_validate ct_world_validate_f32
#define ct_world_hash ct_world_hash_f32
#define ct_world_time ct_world_time_f32
#define ct_world_body_count ct_world_body_count_f32
#define ct_world_contacts ct_world_contacts_f32
#define ct_world_dump_problem ct_world_dump_problem_f32
#define ct_world_allocations ct_world_allocations_f32
#define ct_material_default ct_material_default_f32
#define ct_soft_desc_default ct_soft_desc_default_f32
#define ct_cloth_desc_default ct_cloth_desc_default_f32
#define ct_static_desc_default ct_static_desc_default_f32
#define ct_body_add_soft ct_body_add_soft_f32
#define ct_body_add_cloth ct_body_add_cloth_f32
#define ct_body_add_static ct_body_add_static_f32
#define ct_body_remove ct_body_remove_f32
#define ct_body_pin ct_body_pin_f32
#define ct_body_constrain ct_body_constrain_f32
#define ct_body_vertex_count ct_body_vertex_count_f32
#define ct_body_name ct_body_name_f32
#define ct_body_get_positions ct_body_get_positions_f32
#define ct_body_get_velocities ct_body_get_velocities_f32
#define ct_body_set_velocities ct_body_set_velocities_f32
#define ct_body_get_triangles ct_body_get_triangles_f32
#define ct_mesh_read ct_mesh_read_f32
#define ct_mesh_free ct_mesh_free_f32
#define ct_mesh_box ct_mesh_box_f32
#define ct_mesh_grid ct_mesh_grid_f32
#define ct_mesh_sphere ct_mesh_sphere_f32
#define ct_mesh_intersections ct_mesh_intersections_f32
#define ct_free ct_free_f32
#define ct_ccd_vertex_face ct_ccd_vertex_face_f32
#define ct_ccd_edge_edge ct_ccd_edge_edge_f32
#define ct_ccd_vertex_edge ct_ccd_vertex_edge_f32
#define ct_ccd_vertex_vertex ct_ccd_vertex_vertex_f32
#define ct_ccd_vertex_face_batch ct_ccd_vertex_face_batch_f32
#define ct_ccd_edge_edge_batch ct_ccd_edge_edge_batch_f32
#endif

/* ---- public/types.h ---- */
/* types.h -- every public type of contact.h. Lengths in metres, masses in kilograms, times in seconds, angles in radians unless said. */

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

/* ct_tasks -- the user's task system (box2d v3's shape): enqueue runs fn(begin, end, worker, context) over [0, count) in blocks of at least
   min_range and returns a task that finish waits for. NULL enqueue: serial. */
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
    CT_SOLVER_COUNT_
} ct_solver;

/* ct_cone -- the set that a contact's friction (g1, g2) may reach at normal multiplier l:
   BOX      |g1| <= mu l and |g2| <= mu l (Otaduy 2009, 5.5: two independent projections)
   PYRAMID  |g1| + |g2| <= mu l           (a true four-sided pyramid inside the cone)
   CONE     g1^2 + g2^2 <= (mu l)^2       (Coulomb) */
typedef enum ct_cone { CT_CONE_BOX, CT_CONE_PYRAMID, CT_CONE_CONE } ct_cone;

/* ct_cluster_mode -- the blocks that ICA's splitting inverts together. AUTO picks by cost. */
typedef enum ct_cluster_mode { CT_CLUSTER_AUTO, CT_CLUSTER_NODE, CT_CLUSTER_PATCH, CT_CLUSTER_BODY } ct_cluster_mode;

/* ct_termination -- RESIDUAL: natural map below the tolerance. PAPER: Otaduy's rule, residuals that change by less than 5 %. */
typedef enum ct_termination { CT_TERMINATION_RESIDUAL, CT_TERMINATION_PAPER } ct_termination;

/* ct_solver_desc -- how a contact problem is solved. Make it with ct_solver_desc_default. */
typedef struct ct_solver_desc {
    uint32_t cookie;
    ct_solver solver;
    ct_cone cone;
    ct_cluster_mode cluster;
    ct_termination termination;
    ct_real tolerance;     /* natural map relative to the velocity scale, > 0; default 1e-4 */
    int max_iterations;    /* outer iterations, >= 1; default 500 */
    int inner_iterations;  /* most Gauss-Seidel sweeps over the contacts in an outer iteration; default 200 */
    int max_sweeps;        /* sweeps over the contacts after which a solve stops; >= 1; the step is taken, its status is budget; default 200.
                              Fewer than 250 contacts of an island may take more, at most 20 times, for the same work */
    int inner_repeats;     /* normal-friction repeats at one contact; default 3 (Otaduy 5.5) */
} ct_solver_desc;

typedef enum ct_scalar_type { CT_SCALAR_FLOAT, CT_SCALAR_DOUBLE } ct_scalar_type;

/* ct_world_desc -- make it with ct_world_desc_default; the cookie tells a zeroed or foreign struct from a real one. */
typedef struct ct_world_desc {
    uint32_t cookie;
    ct_real gravity[3];   /* [m/s^2]; default 0, -9.81, 0 */
    ct_real thickness;    /* distance that is kept [m], > 0; default 1e-3 */
    ct_real friction;     /* Coulomb coefficient, >= 0; default 0.4 */
    ct_real restitution;  /* 0 is the only value that is supported now */
    int self_collision;   /* 1: a body collides with itself; default 1 */
    ct_stepper stepper;   /* default CT_STEPPER_CMR */
    ct_solver_desc solver;
    int cmr_rounds;       /* rounds of solve and CCD before the step is halved, >= 1; default 5 (Otaduy sec. 4) */
    int max_halvings;     /* times the step may be halved, 0..8; default 5 (Otaduy sec. 4 has 2) */
    ct_real recovery_speed; /* most speed at which a pair closer than its thickness is eased apart [m/s], >= 0; 0: no cap; default 1 */
    ct_allocator allocator;
    ct_tasks tasks;
    ct_log_fn *log;
    void *log_user;
    uint64_t (*now_us)(void *user); /* clock for the report's milliseconds; NULL: times are 0 */
    void *now_user;
} ct_world_desc;

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
    ct_real density;           /* [kg/m^3] > 0: soft */
    ct_real damping_mass;      /* Rayleigh alpha [1/s] >= 0 */
    ct_real damping_stiffness; /* Rayleigh beta [s] >= 0 */
    ct_real shell_thickness;   /* [m] > 0: membrane */
    ct_real bending;           /* membrane: bending stiffness [N m] >= 0 */
    ct_real areal_density;     /* [kg/m^2] > 0: cloth */
    ct_real stretch, shear, bend; /* springs: [N/m] along edges, across them, over two edges; >= 0 */
    ct_real strain_limit;      /* springs: largest relative elongation, 0: none */
} ct_material;

/* ct_soft_desc, ct_cloth_desc, ct_static_desc -- arrays are copied. friction and thickness below 0 stand for the world's. */
typedef struct ct_soft_desc {
    uint32_t cookie;
    const char *name; /* copied, may be NULL; appears in error texts */
    const ct_mesh *mesh; /* positions and tets; the surface is extracted */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3]; /* [rad/s] about the centre of mass */
} ct_soft_desc;

typedef struct ct_cloth_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* positions and triangles */
    ct_material material;
    ct_real friction, thickness;
    ct_real velocity[3];
    ct_real angular_velocity[3];
} ct_cloth_desc;

typedef struct ct_static_desc {
    uint32_t cookie;
    const char *name;
    const ct_mesh *mesh; /* triangles, segments, single positions; NULL: the plane dot(normal, x) = offset, free space on the normal's side */
    ct_real plane_normal[3], plane_offset;
    ct_real friction, thickness;
} ct_static_desc;

/* ct_motion -- scripted motion of pinned vertices: x(t) = center + R(t) (x(0) - center) + linear t, R about angular. */
typedef struct ct_motion {
    ct_real linear[3];  /* [m/s] */
    ct_real angular[3]; /* [rad/s] */
    ct_real center[3];  /* [m] */
} ct_motion;

enum { CT_AXIS_X = 1, CT_AXIS_Y = 2, CT_AXIS_Z = 4, CT_AXIS_ALL = 7 };

typedef enum ct_pair_kind { CT_PAIR_VF, CT_PAIR_EE, CT_PAIR_EF, CT_PAIR_VE, CT_PAIR_VV, CT_PAIR_PLANE } ct_pair_kind;

/* ct_pair -- two features: body and element numbers within the body (vertex, surface face, surface edge by its two vertices). */
typedef struct ct_pair {
    ct_pair_kind kind;
    ct_body_id body_a, body_b;
    int32_t vertices_a[3], vertices_b[3]; /* body vertex numbers, -1 where unused */
    ct_real distance;
} ct_pair;

/* ct_contact -- one contact of the last step. normal points from b to a; impulses in N s. */
typedef struct ct_contact {
    ct_pair_kind kind;
    ct_body_id body_a, body_b;
    int32_t vertices_a[3], vertices_b[3];
    ct_real weights_a[3], weights_b[3];
    ct_real point[3], normal[3], tangent[2][3];
    ct_real gap;                 /* at the end of the step [m] */
    ct_real impulse_normal, impulse_tangent[2];
    int sticking;
} ct_contact;

/* Status of a step, best first: done; halved; the fail-safe acted; a solve stopped on max_sweeps or max_iterations above its tolerance; a
   residual stayed above its tolerance for another reason, or the fail-safe found no way out. */
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
    int substeps;          /* 1 unless the step was halved */
    int contacts, rows;    /* in the last solve: contacts with a positive multiplier; rows handed to the solver */
    int candidates;        /* pairs that CCD looked at */
    int cmr_rounds;        /* solves in the worst substep */
    int newton_iterations;
    int solver_iterations; /* outer iterations, summed */
    int solver_sweeps;     /* sweeps over the contacts, summed */
    int linear_iterations; /* of the unconstrained solve, summed */
    int refactorizations;
    int zones, frozen;     /* impact zones; node-steps frozen */
    int extended_elements; /* tets whose log J was continued */
    int tangled;           /* pairs that intersect and are excluded */
    ct_real residual;      /* natural map relative to the velocity scale, worst solve */
    ct_real min_distance;  /* smallest found at the end, capped at twice the thickness */
    ct_real penetration;
    ct_real momentum_lost; /* [N s] by zones and freezing */
    double energy_kinetic, energy_elastic, energy_gravity;
    double center_of_mass[3];
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve, ms_total;
    ct_pair limit;         /* the pair that limited the step; limit.vertices_a[0] is -1 when none did */
} ct_step_report;

/* ct_library_info -- what was compiled in. */
typedef struct ct_library_info {
    int version_major, version_minor, version_patch;
    int real_bits;    /* 32 or 64 */
    const char *simd; /* "AVX2", "NONE" */
    int with_files;
    const char *steppers, *solvers; /* names, separated by spaces */
} ct_library_info;


/* ---- public/api.h ---- */
/* api.h -- every public function. Outputs come last and are named out_*. Functions that return ct_code leave their outputs untouched unless
   they return CT_OK, and leave the world unchanged. A world is used by one thread at a time; two worlds never touch. */


#ifdef __cplusplus
extern "C" {
#endif

/* ---- library ---- */
CONTACT_API const ct_library_info *ct_library_info_get(void);
/* ct_code_text, ct_status_text, ct_stepper_text, ct_solver_text -- the name in lower case as scene files spell it ("ok", "cmr",
   "active_set"; codes: a short sentence); "?" when out of range. Static strings. */
CONTACT_API const char *ct_code_text(ct_code code);
CONTACT_API const char *ct_status_text(ct_status status);
CONTACT_API const char *ct_stepper_text(ct_stepper stepper);
CONTACT_API const char *ct_solver_text(ct_solver solver);
/* ct_stepper_built, ct_solver_built -- 1 when this build can run it. */
CONTACT_API int ct_stepper_built(ct_stepper stepper);
CONTACT_API int ct_solver_built(ct_solver solver);

/* ---- world ---- */
CONTACT_API ct_solver_desc ct_solver_desc_default(void);
CONTACT_API ct_world_desc ct_world_desc_default(void);
/* ct_world_create -- out_error may be NULL. CT_ERR_ARGUMENT (a field out of range, wrong cookie), CT_ERR_UNSUPPORTED (stepper or solver that
   is not built, pair that makes no sense), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_world_create(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error);
CONTACT_API void ct_world_destroy(ct_world *world); /* NULL is fine */
/* ct_world_step -- advances by dt [s] > 0. The state at the end is finite in every case; out_report (may be NULL) says how well it went.
   CT_ERR_ARGUMENT (dt), CT_ERR_MEMORY, CT_ERR_MESH (thickness below 64 ulp of the world's extent): world unchanged. */
CONTACT_API ct_code ct_world_step(ct_world *world, ct_real dt, ct_step_report *out_report);
CONTACT_API const ct_error_info *ct_world_error(const ct_world *world);
/* ct_world_validate -- every pair that intersects now (edge through face), exact. *out_pairs [*out_n] belongs to the world and is valid until
   the next call on it. */
CONTACT_API ct_code ct_world_validate(const ct_world *world, ct_pair **out_pairs, int *out_n);
CONTACT_API uint64_t ct_world_hash(const ct_world *world); /* of positions, velocities, multipliers and time */
CONTACT_API double ct_world_time(const ct_world *world);
CONTACT_API int ct_world_body_count(const ct_world *world);
/* ct_world_contacts -- contacts of the last step, ordered by feature; valid until the next call that changes the world. */
CONTACT_API ct_code ct_world_contacts(const ct_world *world, const ct_contact **out_contacts, int *out_n);
/* ct_world_dump_problem -- the contact problem that the last step solved, with its solution as r_ref and v_ref, as a CPB file (global frictional
   contact). CT_ERR_ARGUMENT when the last step had no contact problem, CT_ERR_FILE when the file cannot be written. */
CONTACT_API ct_code ct_world_dump_problem(const ct_world *world, const char *path);
/* ct_world_allocations -- resize calls made to the allocator so far, and bytes live now; either may be NULL. */
CONTACT_API void ct_world_allocations(const ct_world *world, int64_t *out_calls, int64_t *out_bytes);

/* ---- bodies ---- */
CONTACT_API ct_material ct_material_default(ct_model model);
CONTACT_API ct_soft_desc ct_soft_desc_default(void);
CONTACT_API ct_cloth_desc ct_cloth_desc_default(void);
CONTACT_API ct_static_desc ct_static_desc_default(void);
CONTACT_API ct_code ct_body_add_soft(ct_world *world, const ct_soft_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_cloth(ct_world *world, const ct_cloth_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_static(ct_world *world, const ct_static_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_remove(ct_world *world, ct_body_id body);
/* ct_body_pin -- holds the axes (CT_AXIS_* mask) of n body vertices to a scripted motion (NULL: at rest where they are) until world time
   `until` [s] (< 0: for ever). Axes of later pins on a vertex are added. CT_ERR_ARGUMENT names an index out of range in .element. */
CONTACT_API ct_code ct_body_pin(ct_world *world, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion *motion, double until);
/* ct_body_constrain -- a direction pin (Volino 2000, 2.2): the vertex moves only in the range of the symmetric projector S [9], row-major:
   0 fixes it, X X' keeps it on a line along the unit vector X, I - X X' in a plane with normal X. Its inverse mass is S / m. */
CONTACT_API ct_code ct_body_constrain(ct_world *world, ct_body_id body, int vertex, const ct_real projector[9]);
CONTACT_API int ct_body_vertex_count(const ct_world *world, ct_body_id body); /* 0 for planes and stale ids */
CONTACT_API const char *ct_body_name(const ct_world *world, ct_body_id body); /* "" for stale ids */
/* ct_body_get_positions -- writes x, y, z of every vertex as scalar type `type` at out + i * stride. out NULL: only *out_n. out_n may be NULL. */
CONTACT_API ct_code ct_body_get_positions(const ct_world *world, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n);
CONTACT_API ct_code ct_body_get_velocities(const ct_world *world, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n);
/* ct_body_set_velocities -- [3 n], n as ct_body_vertex_count. */
CONTACT_API ct_code ct_body_set_velocities(ct_world *world, ct_body_id body, const ct_real *velocities, int n);
/* ct_body_get_triangles -- the surface: indices into the body's vertices; valid while the body lives. */
CONTACT_API ct_code ct_body_get_triangles(const ct_world *world, ct_body_id body, const int32_t **out_triangles, int *out_n);

/* ---- meshes ---- */
/* ct_mesh_read -- by extension: .obj (v, f, l, p; polygons are fanned), .msh (Gmsh 2.2 and 4.1, ASCII). out_error names the line. */
CONTACT_API ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error);
CONTACT_API void ct_mesh_free(ct_mesh *mesh);
/* ct_mesh_box -- size [m] centred at the origin, cells per axis >= 1; with_tets 1: five or six tets a cell and no triangles, 0: surface. */
CONTACT_API ct_code ct_mesh_box(const ct_real size[3], const int cells[3], int with_tets, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_grid -- a sheet size[0] x size[1] in the xz plane, centred, normal +y; diagonals alternate. */
CONTACT_API ct_code ct_mesh_grid(const ct_real size[2], const int cells[2], ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_sphere -- subdivided icosahedron, 20 * 4^levels triangles, levels 0..7. */
CONTACT_API ct_code ct_mesh_sphere(ct_real radius, int levels, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_intersections -- edge-face intersections of a whole triangle surface with itself, exact; out_pairs [2 *out_n] (edge as its two
   vertices is not stored: triangle that owns the edge, triangle that is hit) is an stb_ds array to be freed with ct_free. */
CONTACT_API ct_code ct_mesh_intersections(const ct_mesh *mesh, int32_t **out_pairs, int *out_n, ct_error_info *out_error);
CONTACT_API void ct_free(void *stb_ds_array);

/* ---- kernels: pure, no world, no allocation, safe on every thread ---- */
/* ct_ccd_vertex_face, ct_ccd_edge_edge -- first time in [0, 1] at which two features that move on straight lines come as near as min_distance.
   x0, x1    in   [12] four points at t = 0 and at t = 1: VF vertex, face 0 1 2; EE edge a 0 1, edge b 0 1; finite
   min_distance in [m] >= 0; 0: touch
   out_toi   out  first time, rounded down, never late; 2 when they stay apart; may not be NULL
   returns CT_OK, or CT_ERR_DOMAIN when a number is not finite or min_distance < 0 (out untouched). No false negative, rounding included. */
CONTACT_API ct_code ct_ccd_vertex_face(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CONTACT_API ct_code ct_ccd_edge_edge(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CONTACT_API ct_code ct_ccd_vertex_edge(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_toi);
CONTACT_API ct_code ct_ccd_vertex_vertex(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_toi);
/* ct_ccd_*_batch -- n queries: points x0, x1 [3 n_points] (t = 0, 1), quads [4 n] point numbers in the order above; out_toi [n]. */
CONTACT_API ct_code ct_ccd_vertex_face_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance, ct_real *out_toi);
CONTACT_API ct_code ct_ccd_edge_edge_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance, ct_real *out_toi);

#ifdef __cplusplus
}
#endif


#endif /* CT_CONTACT_H_INCLUDED */

#ifdef CONTACT_IMPLEMENTATION
#ifndef CT_CONTACT_IMPLEMENTATION_INCLUDED
#define CT_CONTACT_IMPLEMENTATION_INCLUDED
#define CTI_FN static
/* Rounding bounds are proven for separate multiply and add: contraction is off from here to the end of the implementation. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunneeded-internal-declaration"
#pragma float_control(push)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4505)
#pragma fp_contract(off)
#endif

/* ---- 0_base/platform.h ---- */
/* platform.h -- compiler facts: linkage of internal functions, inlining, restrict, finite tests on bits.
   Method: every internal function is declared with CTI_FN. The modular build leaves it empty (external linkage, so that tests can
   call it); contact.h defines it as `static`. No mathematics here. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef CTI_FN
#define CTI_FN
#endif

/* CONTACT_API_DEF -- in front of the definition of a public function. */
#ifndef CONTACT_API_DEF
#ifdef CONTACT_STATIC
#define CONTACT_API_DEF static
#else
#define CONTACT_API_DEF
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define CTI_INLINE static inline __attribute__((always_inline, unused))
#define CTI_NOINLINE __attribute__((noinline))
#define CTI_RESTRICT __restrict__
#define CTI_ALIGNED(n) __attribute__((aligned(n)))
#define CTI_LIKELY(x) __builtin_expect(!!(x), 1)
#define CTI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#define CTI_INLINE static __forceinline
#define CTI_NOINLINE __declspec(noinline)
#define CTI_RESTRICT __restrict
#define CTI_ALIGNED(n) __declspec(align(n))
#define CTI_LIKELY(x) (x)
#define CTI_UNLIKELY(x) (x)
#else
#define CTI_INLINE static inline
#define CTI_NOINLINE
#define CTI_RESTRICT
#define CTI_ALIGNED(n)
#define CTI_LIKELY(x) (x)
#define CTI_UNLIKELY(x) (x)
#endif

/* CTI_ASSERT -- internal invariant. Nothing by default: the library neither prints nor aborts. Users and tests may define it. */
#ifndef CONTACT_ASSERT
#define CTI_ASSERT(x) ((void)0)
#else
#define CTI_ASSERT(x) CONTACT_ASSERT(x)
#endif

#define CTI_UNUSED(x) ((void)(x))

/* cti_finite -- 1 when x is neither infinite nor NaN. Reads the exponent bits, so that no compiler flag can remove the test. */
CTI_INLINE int cti_finite64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return (u & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}
CTI_INLINE int cti_finite32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (u & 0x7f800000u) != 0x7f800000u;
}

CTI_INLINE int cti_max_int(int a, int b) { return a > b ? a : b; }
CTI_INLINE int cti_min_int(int a, int b) { return a < b ? a : b; }

/* cti_lowest_bit -- number of the lowest set bit; x is not 0. */
CTI_INLINE int cti_lowest_bit(unsigned x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctz(x);
#else
    int n = 0;
    while (!(x & 1u))
        x >>= 1, n++;
    return n;
#endif
}

CTI_INLINE int cti_lowest_bit64(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    unsigned low = (unsigned)(x & 0xffffffffu);
    return low ? cti_lowest_bit(low) : 32 + cti_lowest_bit((unsigned)(x >> 32));
#endif
}


/* ---- 0_base/stb_include.h ---- */
/* stb_include.h -- finds stb_ds.h: CONTACT_STB_DS_H, else "stb_ds.h", else <stb/stb_ds.h>. Its implementation is never emitted here and a
   user's STB_DS_IMPLEMENTATION is put aside and restored; only the array header and the accessors that do not grow are used. */

#ifdef STB_DS_IMPLEMENTATION
#define CTI_STB_DS_WAS_IMPLEMENTATION
#undef STB_DS_IMPLEMENTATION
#endif
#ifndef INCLUDE_STB_DS_H
#ifndef STBDS_NO_SHORT_NAMES
#define STBDS_NO_SHORT_NAMES
#define CTI_STB_DS_SET_NO_SHORT_NAMES
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#if defined(CONTACT_STB_DS_H)
#include CONTACT_STB_DS_H
#elif defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#elif __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>
#else
#error "contact.h needs stb_ds.h: put https://github.com/nothings/stb's stb_ds.h beside it, install libstb-dev, or define CONTACT_STB_DS_H to its name"
#endif
#else
#include "stb_ds.h"
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif
#ifdef CTI_STB_DS_SET_NO_SHORT_NAMES
#undef STBDS_NO_SHORT_NAMES
#undef CTI_STB_DS_SET_NO_SHORT_NAMES
#endif
#endif
#ifdef CTI_STB_DS_WAS_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#undef CTI_STB_DS_WAS_IMPLEMENTATION
#endif


/* ---- 0_base/log.h ---- */
/* log.h -- messages to the caller's log function, and error infos that name the culprit. Nothing is ever printed by the library. */


typedef struct cti_logger {
    ct_log_fn *fn; /* NULL: messages are dropped */
    void *user;
} cti_logger;

#if defined(__GNUC__) || defined(__clang__)
#define CTI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CTI_PRINTF(text, first)
#endif

/* cti_logger_write -- one line without its newline, cut at 500 characters. */
CTI_FN void cti_logger_write(const cti_logger *log, ct_log_level level, const char *format, ...) CTI_PRINTF(3, 4);

/* cti_error_clear -- CT_OK, empty text, no culprit. error may be NULL. */
CTI_FN void cti_error_clear(ct_error_info *error);

/* cti_error_set -- fills *error (may be NULL) and returns code, so that `return cti_error_set(...)` ends a function. The text is composed
   into error->buffer; element -1 and value 0 mean nothing; body stays null: cti_error_set_body adds it. */
CTI_FN ct_code cti_error_set(ct_error_info *error, ct_code code, int64_t element, double value, const char *format, ...) CTI_PRINTF(5, 6);
CTI_FN void cti_error_set_body(ct_error_info *error, ct_body_id body);

/* cti_error_copy -- a copy whose text points into itself when the source's does. */
CTI_FN void cti_error_copy(ct_error_info *to, const ct_error_info *from);


/* ---- 0_base/log.c ---- */
/* log.c -- formatting of log lines and error infos into fixed buffers. */
#include <stdarg.h>
#include <stdio.h>

CTI_FN void cti_logger_write(const cti_logger *log, ct_log_level level, const char *format, ...)
{
    char line[512];
    va_list args;
    if (!log || !log->fn)
        return;
    va_start(args, format);
    if (vsnprintf(line, sizeof line, format, args) < 0)
        line[0] = '\0';
    va_end(args);
    log->fn(level, line, log->user);
}

CTI_FN void cti_error_clear(ct_error_info *error)
{
    if (!error)
        return;
    memset(error, 0, sizeof *error);
    error->code = CT_OK;
    error->element = -1;
    error->text = error->buffer;
}

CTI_FN ct_code cti_error_set(ct_error_info *error, ct_code code, int64_t element, double value, const char *format, ...)
{
    va_list args;
    if (!error)
        return code;
    cti_error_clear(error);
    error->code = code;
    error->element = element;
    error->value = cti_finite64(value) ? value : 0;
    va_start(args, format);
    if (vsnprintf(error->buffer, sizeof error->buffer, format, args) < 0)
        error->buffer[0] = '\0';
    va_end(args);
    return code;
}

CTI_FN void cti_error_set_body(ct_error_info *error, ct_body_id body)
{
    if (error)
        error->body = body;
}

CTI_FN void cti_error_copy(ct_error_info *to, const ct_error_info *from)
{
    if (!to || to == from)
        return;
    *to = *from;
    if (from->text == from->buffer)
        to->text = to->buffer;
}

/* ---- 0_base/alloc.h ---- */
/* alloc.h -- the one door to memory: a checked allocator with counters and failure injection. Method: every block goes through the
   caller's `ct_allocator`; sizes are known at release, so that no header of ours is needed. */


/* cti_mem -- one allocator with its books. A world owns one; functions that work without a world use a local one. */
typedef struct cti_mem {
    ct_allocator user;   /* never with a NULL resize: cti_mem_init fills the default */
    int64_t n_calls;     /* resize calls that asked for memory, since init */
    int64_t bytes_live;  /* bytes handed out and not returned */
    int64_t bytes_peak;
    int failed;          /* 1 once any request was refused; the caller clears it */
} cti_mem;

/* cti_mem_init -- user may be NULL: malloc, realloc, free. */
CTI_FN void cti_mem_init(cti_mem *mem, const ct_allocator *user);

/* cti_mem_resize -- like realloc with the old size. new_size 0 frees and returns NULL. On failure returns NULL, sets mem->failed, and the
   old block stays valid. Blocks are aligned as malloc's are. */
CTI_FN void *cti_mem_resize(cti_mem *mem, void *block, size_t old_size, size_t new_size);

/* cti_mem_mul -- a * b into *out, 0 on overflow. */
CTI_FN int cti_mem_mul(size_t a, size_t b, size_t *out);


/* ---- 0_base/alloc.c ---- */
/* alloc.c -- checked allocation through the caller's allocator. Purpose: count, refuse overflow, report failure as NULL. */
#include <stdlib.h>

static void *cti_default_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    CTI_UNUSED(user);
    CTI_UNUSED(old_size);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

CTI_FN void cti_mem_init(cti_mem *mem, const ct_allocator *user)
{
    memset(mem, 0, sizeof *mem);
    if (user && user->resize)
        mem->user = *user;
    else
        mem->user.resize = cti_default_resize;
}

CTI_FN void *cti_mem_resize(cti_mem *mem, void *block, size_t old_size, size_t new_size)
{
    void *p;
    if (new_size == 0) {
        if (block) {
            mem->user.resize(mem->user.user, block, old_size, 0);
            mem->bytes_live -= (int64_t)old_size;
        }
        return NULL;
    }
    mem->n_calls++;
    if (new_size > PTRDIFF_MAX) {
        mem->failed = 1;
        return NULL;
    }
    p = mem->user.resize(mem->user.user, block, block ? old_size : 0, new_size);
    if (!p) {
        mem->failed = 1;
        return NULL;
    }
    mem->bytes_live += (int64_t)new_size - (int64_t)(block ? old_size : 0);
    if (mem->bytes_live > mem->bytes_peak)
        mem->bytes_peak = mem->bytes_live;
    return p;
}

CTI_FN int cti_mem_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > (size_t)-1 / b)
        return 0;
    *out = a * b;
    return 1;
}

/* ---- 0_base/array.h ---- */
/* array.h -- growable arrays that are stb_ds arrays: same header in front of the data, so that a user's arrlen works on what we hand
   out. They grow only here, checked, from a cti_mem (stb_ds's own growth neither checks realloc nor takes an allocator).

   T *a = NULL;                        an empty array
   CTI_LEN(a)                          its length as int
   CTI_RESERVE(mem, a, n)              capacity at least n;            0 when memory ran out, a unchanged
   CTI_RESIZE(mem, a, n)               length n, new elements zero;    0 when memory ran out
   CTI_PUSH(mem, a, value)             append;                         0 when memory ran out
   CTI_FREE(mem, a)                    release and set to NULL */


/* stb_ds's header and accessors; none of its functions is called. In contact.h this include is made by the banner. */
#ifndef CTI_STB_DS_INCLUDED
#define CTI_STB_DS_INCLUDED
#endif

CTI_FN void *cti_array_reserve(cti_mem *mem, void *array, size_t element, size_t count);
CTI_FN void cti_array_free(cti_mem *mem, void *array, size_t element);

#define CTI_LEN(a) ((int)stbds_arrlen(a))
#ifdef __cplusplus
extern "C++" {
template <class T> static inline T *cti_array_cast(T *, void *p) { return (T *)p; }
}
#define CTI_ARRAY_CAST(a, p) cti_array_cast((a), (p))
#else
#define CTI_ARRAY_CAST(a, p) (p)
#endif

CTI_INLINE int cti_array_ok(const void *a, size_t count) { return a != NULL && stbds_header(a)->capacity >= count; }
#define CTI_RESERVE(mem, a, n)                                                                                                             \
    ((n) <= 0 || cti_array_ok((a), (size_t)(n)) ||                                                                                         \
     (((a) = CTI_ARRAY_CAST((a), cti_array_reserve((mem), (a), sizeof *(a), (size_t)(n)))), cti_array_ok((a), (size_t)(n))))
#define CTI_RESIZE(mem, a, n) cti_array_resize_to((mem), (void **)(void *)&(a), sizeof *(a), (size_t)(n))
#define CTI_PUSH(mem, a, value)                                                                                                            \
    ((CTI_RESERVE((mem), (a), stbds_arrlen(a) + 1)) ? ((a)[stbds_header(a)->length++] = (value), 1) : 0)
#define CTI_FREE(mem, a) (cti_array_free((mem), (a), sizeof *(a)), (a) = NULL)
#define CTI_CLEAR(a) ((a) ? (void)(stbds_header(a)->length = 0) : (void)0)

CTI_FN int cti_array_resize_to(cti_mem *mem, void **array, size_t element, size_t count);


/* ---- 0_base/array.c ---- */
/* array.c -- checked growth of stb_ds arrays. Method: stb_ds's header {length, capacity, hash_table, temp} in front of the elements,
   capacity doubled, memory from a cti_mem. */

CTI_FN void *cti_array_reserve(cti_mem *mem, void *array, size_t element, size_t count)
{
    size_t old_cap = array ? stbds_header(array)->capacity : 0, cap = old_cap * 2 < 8 ? 8 : old_cap * 2, bytes, old_bytes;
    stbds_array_header *h;
    if (count <= old_cap)
        return array;
    if (cap < count)
        cap = count;
    if (!cti_mem_mul(cap, element, &bytes) || bytes > (size_t)-1 - sizeof *h) {
        mem->failed = 1;
        return array;
    }
    old_bytes = array ? sizeof *h + old_cap * element : 0;
    h = (stbds_array_header *)cti_mem_resize(mem, array ? stbds_header(array) : NULL, old_bytes, sizeof *h + bytes);
    if (!h)
        return array;
    if (!array) {
        h->length = 0;
        h->hash_table = NULL;
        h->temp = 0;
    }
    h->capacity = cap;
    return (void *)(h + 1);
}

CTI_FN int cti_array_resize_to(cti_mem *mem, void **array, size_t element, size_t count)
{
    void *a = *array;
    if (count == 0) {
        CTI_CLEAR(a);
        return 1;
    }
    a = cti_array_reserve(mem, a, element, count);
    *array = a;
    if (!cti_array_ok(a, count))
        return 0;
    if (stbds_header(a)->length < count)
        memset((char *)a + stbds_header(a)->length * element, 0, (count - stbds_header(a)->length) * element);
    stbds_header(a)->length = count;
    return 1;
}

CTI_FN void cti_array_free(cti_mem *mem, void *array, size_t element)
{
    if (array)
        cti_mem_resize(mem, stbds_header(array), sizeof(stbds_array_header) + stbds_header(array)->capacity * element, 0);
}

/* ---- 0_base/arena.h ---- */
/* arena.h -- per-step scratch memory: bump allocation in chunks, released together. Method: after a reset that followed an overflow the
   chunks are replaced by one of the peak size, so that a warmed-up step asks the allocator for nothing. */


typedef struct cti_arena_chunk {
    struct cti_arena_chunk *next;
    size_t size; /* payload bytes */
} cti_arena_chunk;

typedef struct cti_arena {
    cti_mem *mem;
    cti_arena_chunk *first; /* newest chunk */
    size_t used;            /* bytes used in the newest chunk */
    size_t total, peak;     /* bytes handed out since the last reset; most ever */
} cti_arena;

CTI_FN void cti_arena_init(cti_arena *arena, cti_mem *mem);
CTI_FN void cti_arena_free(cti_arena *arena);
/* cti_arena_reset -- everything handed out becomes invalid. */
CTI_FN void cti_arena_reset(cti_arena *arena);
/* cti_arena_get -- 64-byte aligned, uninitialised; NULL when memory ran out or the size overflows. count 0 gives a valid pointer. */
CTI_FN void *cti_arena_get(cti_arena *arena, size_t count, size_t element);
/* cti_arena_zero -- the same, filled with zero bytes. */
CTI_FN void *cti_arena_zero(cti_arena *arena, size_t count, size_t element);
#define CTI_ARENA_NEW(arena, T, count) ((T *)cti_arena_get((arena), (size_t)(count), sizeof(T)))
#define CTI_ARENA_ZERO(arena, T, count) ((T *)cti_arena_zero((arena), (size_t)(count), sizeof(T)))


/* ---- 0_base/arena.c ---- */
/* arena.c -- scratch memory of a step. */

#define CTI_ARENA_ALIGN 64u
#define CTI_ARENA_MIN_CHUNK ((size_t)1 << 16)

CTI_FN void cti_arena_init(cti_arena *arena, cti_mem *mem)
{
    memset(arena, 0, sizeof *arena);
    arena->mem = mem;
}

CTI_FN void cti_arena_free(cti_arena *arena)
{
    while (arena->first) {
        cti_arena_chunk *next = arena->first->next;
        cti_mem_resize(arena->mem, arena->first, sizeof *next + arena->first->size + CTI_ARENA_ALIGN, 0);
        arena->first = next;
    }
    arena->used = arena->total = 0;
}

static int cti_arena_grow(cti_arena *arena, size_t size)
{
    cti_arena_chunk *c;
    if (size < CTI_ARENA_MIN_CHUNK)
        size = CTI_ARENA_MIN_CHUNK;
    if (arena->first && size < arena->first->size * 2)
        size = arena->first->size * 2;
    c = (cti_arena_chunk *)cti_mem_resize(arena->mem, NULL, 0, sizeof *c + size + CTI_ARENA_ALIGN);
    if (!c)
        return 0;
    c->next = arena->first;
    c->size = size;
    arena->first = c;
    arena->used = 0;
    return 1;
}

CTI_FN void cti_arena_reset(cti_arena *arena)
{
    if (arena->total > arena->peak)
        arena->peak = arena->total;
    if (arena->first && arena->first->next) {
        /* one chunk of the peak size instead of many; if that fails the next get tries again */
        size_t want = arena->peak + arena->peak / 4;
        cti_arena_free(arena);
        cti_arena_grow(arena, want);
    }
    arena->used = arena->total = 0;
}

CTI_FN void *cti_arena_get(cti_arena *arena, size_t count, size_t element)
{
    size_t bytes;
    uintptr_t base;
    if (!cti_mem_mul(count, element, &bytes) || bytes > (size_t)-1 - 4 * CTI_ARENA_ALIGN)
        return NULL;
    bytes = (bytes + CTI_ARENA_ALIGN - 1) & ~(size_t)(CTI_ARENA_ALIGN - 1);
    if (!arena->first || arena->used + bytes > arena->first->size) {
        if (!cti_arena_grow(arena, bytes))
            return NULL;
    }
    base = (uintptr_t)(arena->first + 1);
    base = (base + CTI_ARENA_ALIGN - 1) & ~(uintptr_t)(CTI_ARENA_ALIGN - 1);
    base += arena->used;
    arena->used += bytes;
    arena->total += bytes;
    return (void *)base;
}

CTI_FN void *cti_arena_zero(cti_arena *arena, size_t count, size_t element)
{
    void *p = cti_arena_get(arena, count, element);
    if (p)
        memset(p, 0, count * element);
    return p;
}

/* ---- 0_base/ids.h ---- */
/* ids.h -- handles {index1, generation}: a slot number from 1 and the number of times that the slot changed hands. Method: a generation is
   odd while its slot lives and even while it is free; a slot whose generations are used up is never given out again, so that a stale handle
   is recognised for ever. Freed slots are reused last in, first out, which depends on the calls alone. */


typedef struct cti_ids {
    uint32_t *generations; /* [slots] */
    int32_t *next;         /* [slots] next free slot or -1, -2 while alive */
    int32_t first_free;    /* -1: none */
    int count;             /* slots alive */
} cti_ids;

CTI_FN void cti_ids_init(cti_ids *ids);
CTI_FN void cti_ids_free(cti_mem *mem, cti_ids *ids);
/* cti_ids_add -- 1 and a handle, or 0 when memory ran out. The slot's index is index1 - 1. */
CTI_FN int cti_ids_add(cti_mem *mem, cti_ids *ids, uint32_t *out_index1, uint32_t *out_generation);
/* cti_ids_find -- the slot of a living handle, or -1 for null, stale and invented ones. */
CTI_FN int cti_ids_find(const cti_ids *ids, uint32_t index1, uint32_t generation);
/* cti_ids_remove -- 1, or 0 when the handle does not live. Never allocates. */
CTI_FN int cti_ids_remove(cti_ids *ids, uint32_t index1, uint32_t generation);


/* ---- 0_base/ids.c ---- */
/* ids.c -- generational handles. */

#define CTI_IDS_ALIVE (-2)
#define CTI_IDS_NONE (-1)

CTI_FN void cti_ids_init(cti_ids *ids)
{
    memset(ids, 0, sizeof *ids);
    ids->first_free = CTI_IDS_NONE;
}

CTI_FN void cti_ids_free(cti_mem *mem, cti_ids *ids)
{
    CTI_FREE(mem, ids->generations);
    CTI_FREE(mem, ids->next);
    cti_ids_init(ids);
}

CTI_FN int cti_ids_add(cti_mem *mem, cti_ids *ids, uint32_t *out_index1, uint32_t *out_generation)
{
    int32_t slot = ids->first_free;
    if (slot == CTI_IDS_NONE) {
        /* both arrays are reserved before either grows, so that a failure leaves them alike */
        if (!CTI_RESERVE(mem, ids->generations, CTI_LEN(ids->generations) + 1) || !CTI_RESERVE(mem, ids->next, CTI_LEN(ids->next) + 1))
            return 0;
        slot = CTI_LEN(ids->next);
        (void)CTI_PUSH(mem, ids->generations, 0);
        (void)CTI_PUSH(mem, ids->next, CTI_IDS_NONE);
    } else {
        ids->first_free = ids->next[slot];
    }
    ids->generations[slot]++;
    ids->next[slot] = CTI_IDS_ALIVE;
    ids->count++;
    *out_index1 = (uint32_t)slot + 1;
    *out_generation = ids->generations[slot];
    return 1;
}

CTI_FN int cti_ids_find(const cti_ids *ids, uint32_t index1, uint32_t generation)
{
    if (index1 == 0 || index1 > (uint32_t)CTI_LEN(ids->generations))
        return -1;
    if (ids->next[index1 - 1] != CTI_IDS_ALIVE || ids->generations[index1 - 1] != generation)
        return -1;
    return (int)(index1 - 1);
}

CTI_FN int cti_ids_remove(cti_ids *ids, uint32_t index1, uint32_t generation)
{
    int slot = cti_ids_find(ids, index1, generation);
    if (slot < 0)
        return 0;
    ids->count--;
    /* generation 2^32 - 1 is the last one of a slot: it is retired */
    if (ids->generations[slot] == 0xffffffffu) {
        ids->next[slot] = CTI_IDS_NONE;
        return 1;
    }
    ids->generations[slot]++;
    ids->next[slot] = ids->first_free;
    ids->first_free = slot;
    return 1;
}

#undef CTI_IDS_ALIVE
#undef CTI_IDS_NONE

/* ---- 0_base/sort.h ---- */
/* sort.h -- stable sorting of integer keys with a payload: least significant digit radix sort, 8 bits a pass, passes in which all keys
   agree are skipped, insertion sort below 48 elements. The result depends on keys and order alone. */


/* cti_sort_u32, cti_sort_u64 -- keys [n] ascending in place, equal keys in their first order; payload [n] moves along (may be NULL).
   keys_tmp [n], payload_tmp [n] are scratch (payload_tmp NULL when payload is). */
CTI_FN void cti_sort_u32(uint32_t *keys, int32_t *payload, uint32_t *keys_tmp, int32_t *payload_tmp, int n);
CTI_FN void cti_sort_u64(uint64_t *keys, int32_t *payload, uint64_t *keys_tmp, int32_t *payload_tmp, int n);

/* cti_sort_unique_u64 -- drops repetitions from sorted keys (payload of the first stays; may be NULL); returns the new length. */
CTI_FN int cti_sort_unique_u64(uint64_t *keys, int32_t *payload, int n);


/* ---- 0_base/sort.c ---- */
/* sort.c -- stable radix sort. Method: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, here by counting). */

#define CTI_T uint32_t
#define CTI_TN(name) name##_u32
/* sort.inl -- radix sort of CTI_T keys; included once a key type. */

static void CTI_TN(cti_sort_insertion)(CTI_T *keys, int32_t *payload, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        CTI_T k = keys[i];
        int32_t p = payload ? payload[i] : 0;
        for (j = i; j > 0 && keys[j - 1] > k; j--) {
            keys[j] = keys[j - 1];
            if (payload)
                payload[j] = payload[j - 1];
        }
        keys[j] = k;
        if (payload)
            payload[j] = p;
    }
}

/* one pass: start[d] is where the next key with digit d goes */
static void CTI_TN(cti_sort_scatter)(const CTI_T *from, const int32_t *from_p, CTI_T *to, int32_t *to_p, int n, int shift, int *start)
{
    int i;
    for (i = 0; i < n; i++) {
        int at = start[(from[i] >> shift) & 255]++;
        to[at] = from[i];
        if (to_p)
            to_p[at] = from_p[i];
    }
}

CTI_FN void CTI_TN(cti_sort)(CTI_T *keys, int32_t *payload, CTI_T *keys_tmp, int32_t *payload_tmp, int n)
{
    int count[sizeof(CTI_T)][256], pass, i, d, sum;
    CTI_T *from = keys, *to = keys_tmp;
    int32_t *from_p = payload, *to_p = payload ? payload_tmp : NULL;
    if (n < 48) {
        CTI_TN(cti_sort_insertion)(keys, payload, n);
        return;
    }
    /* histograms of all digits in one reading */
    memset(count, 0, sizeof count);
    for (i = 0; i < n; i++)
        for (pass = 0; pass < (int)sizeof(CTI_T); pass++)
            count[pass][(keys[i] >> (8 * pass)) & 255]++;
    for (pass = 0; pass < (int)sizeof(CTI_T); pass++) {
        if (count[pass][(keys[0] >> (8 * pass)) & 255] == n)
            continue;
        for (d = 0, sum = 0; d < 256; d++) {
            int c = count[pass][d];
            count[pass][d] = sum;
            sum += c;
        }
        CTI_TN(cti_sort_scatter)(from, from_p, to, to_p, n, 8 * pass, count[pass]);
        {
            CTI_T *k = from;
            int32_t *p = from_p;
            from = to, to = k;
            from_p = to_p, to_p = p;
        }
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
        if (payload)
            memcpy(payload, from_p, (size_t)n * sizeof *payload);
    }
}
#undef CTI_T
#undef CTI_TN

#define CTI_T uint64_t
#define CTI_TN(name) name##_u64
/* sort.inl -- radix sort of CTI_T keys; included once a key type. */

static void CTI_TN(cti_sort_insertion)(CTI_T *keys, int32_t *payload, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        CTI_T k = keys[i];
        int32_t p = payload ? payload[i] : 0;
        for (j = i; j > 0 && keys[j - 1] > k; j--) {
            keys[j] = keys[j - 1];
            if (payload)
                payload[j] = payload[j - 1];
        }
        keys[j] = k;
        if (payload)
            payload[j] = p;
    }
}

/* one pass: start[d] is where the next key with digit d goes */
static void CTI_TN(cti_sort_scatter)(const CTI_T *from, const int32_t *from_p, CTI_T *to, int32_t *to_p, int n, int shift, int *start)
{
    int i;
    for (i = 0; i < n; i++) {
        int at = start[(from[i] >> shift) & 255]++;
        to[at] = from[i];
        if (to_p)
            to_p[at] = from_p[i];
    }
}

CTI_FN void CTI_TN(cti_sort)(CTI_T *keys, int32_t *payload, CTI_T *keys_tmp, int32_t *payload_tmp, int n)
{
    int count[sizeof(CTI_T)][256], pass, i, d, sum;
    CTI_T *from = keys, *to = keys_tmp;
    int32_t *from_p = payload, *to_p = payload ? payload_tmp : NULL;
    if (n < 48) {
        CTI_TN(cti_sort_insertion)(keys, payload, n);
        return;
    }
    /* histograms of all digits in one reading */
    memset(count, 0, sizeof count);
    for (i = 0; i < n; i++)
        for (pass = 0; pass < (int)sizeof(CTI_T); pass++)
            count[pass][(keys[i] >> (8 * pass)) & 255]++;
    for (pass = 0; pass < (int)sizeof(CTI_T); pass++) {
        if (count[pass][(keys[0] >> (8 * pass)) & 255] == n)
            continue;
        for (d = 0, sum = 0; d < 256; d++) {
            int c = count[pass][d];
            count[pass][d] = sum;
            sum += c;
        }
        CTI_TN(cti_sort_scatter)(from, from_p, to, to_p, n, 8 * pass, count[pass]);
        {
            CTI_T *k = from;
            int32_t *p = from_p;
            from = to, to = k;
            from_p = to_p, to_p = p;
        }
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
        if (payload)
            memcpy(payload, from_p, (size_t)n * sizeof *payload);
    }
}
#undef CTI_T
#undef CTI_TN

CTI_FN int cti_sort_unique_u64(uint64_t *keys, int32_t *payload, int n)
{
    int i, m = 0;
    for (i = 0; i < n; i++) {
        if (i && keys[i] == keys[m - 1])
            continue;
        keys[m] = keys[i];
        if (payload)
            payload[m] = payload[i];
        m++;
    }
    return m;
}

/* ---- 0_base/tasks.h ---- */
/* tasks.h -- loops over ranges, serial or by the caller's task system. The result of a loop may not depend on the number of workers: a body
   writes only what belongs to its own range, sums are taken afterwards in a fixed order. */


/* cti_tasks_workers -- number of workers, at least 1; worker numbers that a body sees are below it. tasks may be NULL. */
CTI_FN int cti_tasks_workers(const ct_tasks *tasks);

/* cti_tasks_run -- fn(begin, end, worker, context) over [0, count), and waits. Ranges shorter than 2 min_range run here as worker 0. */
CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context);


/* ---- 0_base/tasks.c ---- */
/* tasks.c -- one loop through the caller's enqueue and finish (box2d v3's shape: a NULL task means that enqueue ran it at once). */

CTI_FN int cti_tasks_workers(const ct_tasks *tasks)
{
    return tasks && tasks->enqueue && tasks->finish && tasks->worker_count > 1 ? tasks->worker_count : 1;
}

CTI_FN void cti_tasks_run(const ct_tasks *tasks, ct_task_fn *fn, int count, int min_range, void *context)
{
    void *task;
    if (count <= 0)
        return;
    if (min_range < 1)
        min_range = 1;
    if (cti_tasks_workers(tasks) == 1 || count / 2 < min_range) {
        fn(0, count, 0, context);
        return;
    }
    task = tasks->enqueue(fn, count, min_range, context, tasks->user);
    if (task)
        tasks->finish(task, tasks->user);
}

/* ---- 1_math/real.h ---- */
/* real.h -- facts about ct_real: unit roundoff, largest value, square root, absolute value, finite test. */

#include <math.h>

#if CONTACT_REAL == 32
#define CTI_EPS ((ct_real)1.1920929e-7f) /* 2^-23: distance from 1 to the next number */
#define CTI_REAL_MAX ((ct_real)3.4028234e38f)
#else
#define CTI_EPS ((ct_real)2.2204460492503131e-16)
#define CTI_REAL_MAX ((ct_real)1.7976931348623157e308)
#endif
#define CTI_R(x) ((ct_real)(x))

CTI_INLINE ct_real cti_sqrt(ct_real x)
{
#if CONTACT_REAL == 32
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}
CTI_INLINE ct_real cti_abs(ct_real x) { return x < 0 ? -x : x; }
CTI_INLINE ct_real cti_min(ct_real a, ct_real b) { return a < b ? a : b; }
CTI_INLINE ct_real cti_max(ct_real a, ct_real b) { return a > b ? a : b; }
CTI_INLINE ct_real cti_clamp(ct_real x, ct_real lo, ct_real hi) { return x < lo ? lo : (x > hi ? hi : x); }
CTI_INLINE int cti_finite(ct_real x)
{
#if CONTACT_REAL == 32
    return cti_finite32(x);
#else
    return cti_finite64(x);
#endif
}


/* ---- 1_math/vec.h ---- */
/* vec.h -- three-vectors and 3x3 matrices (row-major) by value. Arrays of positions stay flat ct_real[3 n]; cti_v3_at reads one. */


typedef struct cti_v3 {
    ct_real x, y, z;
} cti_v3;
typedef struct cti_m3 {
    ct_real m[9]; /* row-major */
} cti_m3;

CTI_INLINE cti_v3 cti_v3_make(ct_real x, ct_real y, ct_real z)
{
    cti_v3 r;
    r.x = x, r.y = y, r.z = z;
    return r;
}
CTI_INLINE cti_v3 cti_v3_zero(void) { return cti_v3_make(0, 0, 0); }
CTI_INLINE cti_v3 cti_v3_at(const ct_real *p, int i) { return cti_v3_make(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }
CTI_INLINE void cti_v3_put(ct_real *p, int i, cti_v3 a) { p[3 * i] = a.x, p[3 * i + 1] = a.y, p[3 * i + 2] = a.z; }
CTI_INLINE void cti_v3_addto(ct_real *p, int i, cti_v3 a) { p[3 * i] += a.x, p[3 * i + 1] += a.y, p[3 * i + 2] += a.z; }
CTI_INLINE cti_v3 cti_v3_add(cti_v3 a, cti_v3 b) { return cti_v3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
CTI_INLINE cti_v3 cti_v3_sub(cti_v3 a, cti_v3 b) { return cti_v3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
CTI_INLINE cti_v3 cti_v3_mul(cti_v3 a, ct_real s) { return cti_v3_make(a.x * s, a.y * s, a.z * s); }
CTI_INLINE cti_v3 cti_v3_mad(cti_v3 a, cti_v3 b, ct_real s) { return cti_v3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s); }
CTI_INLINE ct_real cti_v3_dot(cti_v3 a, cti_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CTI_INLINE cti_v3 cti_v3_cross(cti_v3 a, cti_v3 b)
{
    return cti_v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
CTI_INLINE ct_real cti_v3_norm2(cti_v3 a) { return cti_v3_dot(a, a); }
CTI_INLINE ct_real cti_v3_norm(cti_v3 a) { return cti_sqrt(cti_v3_dot(a, a)); }
CTI_INLINE cti_v3 cti_v3_min(cti_v3 a, cti_v3 b) { return cti_v3_make(cti_min(a.x, b.x), cti_min(a.y, b.y), cti_min(a.z, b.z)); }
CTI_INLINE cti_v3 cti_v3_max(cti_v3 a, cti_v3 b) { return cti_v3_make(cti_max(a.x, b.x), cti_max(a.y, b.y), cti_max(a.z, b.z)); }
/* cti_v3_unit -- a / |a|, or `fallback` when a is too short to have a direction. */
CTI_INLINE cti_v3 cti_v3_unit(cti_v3 a, cti_v3 fallback)
{
    ct_real s = cti_max(cti_max(cti_abs(a.x), cti_abs(a.y)), cti_abs(a.z)), n;
    if (!(s > 0) || !cti_finite(s))
        return fallback;
    a = cti_v3_make(a.x / s, a.y / s, a.z / s);
    n = cti_v3_norm(a);
    return cti_v3_make(a.x / n, a.y / n, a.z / n);
}
/* cti_v3_tangents -- t1, t2 complete the unit vector n to a right-handed frame (n, t1, t2); t1 depends on n alone. */
CTI_INLINE void cti_v3_tangents(cti_v3 n, cti_v3 *t1, cti_v3 *t2)
{
    cti_v3 e = cti_abs(n.x) < CTI_R(0.57735) ? cti_v3_make(1, 0, 0) : cti_v3_make(0, 1, 0);
    *t1 = cti_v3_unit(cti_v3_cross(e, n), cti_v3_make(0, 0, 1));
    *t2 = cti_v3_cross(n, *t1);
}

CTI_INLINE cti_m3 cti_m3_zero(void)
{
    cti_m3 r;
    memset(&r, 0, sizeof r);
    return r;
}
CTI_INLINE cti_m3 cti_m3_diag(ct_real d)
{
    cti_m3 r = cti_m3_zero();
    r.m[0] = r.m[4] = r.m[8] = d;
    return r;
}
CTI_INLINE cti_v3 cti_m3_mul_v(const ct_real *m, cti_v3 a)
{
    return cti_v3_make(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z, m[6] * a.x + m[7] * a.y + m[8] * a.z);
}
CTI_INLINE cti_v3 cti_m3_mul_tv(const ct_real *m, cti_v3 a)
{
    return cti_v3_make(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z, m[2] * a.x + m[5] * a.y + m[8] * a.z);
}
CTI_INLINE cti_m3 cti_m3_mul(const ct_real *a, const ct_real *b)
{
    cti_m3 r;
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            r.m[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    return r;
}
CTI_INLINE ct_real cti_m3_det(const ct_real *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}
/* cti_m3_inverse -- 1 and the inverse, or 0 (out untouched) when the determinant is zero or not finite. */
CTI_INLINE int cti_m3_inverse(const ct_real *m, ct_real *out)
{
    ct_real d = cti_m3_det(m), i;
    if (!(cti_abs(d) > 0) || !cti_finite(d))
        return 0;
    i = 1 / d;
    out[0] = (m[4] * m[8] - m[5] * m[7]) * i, out[1] = (m[2] * m[7] - m[1] * m[8]) * i, out[2] = (m[1] * m[5] - m[2] * m[4]) * i;
    out[3] = (m[5] * m[6] - m[3] * m[8]) * i, out[4] = (m[0] * m[8] - m[2] * m[6]) * i, out[5] = (m[2] * m[3] - m[0] * m[5]) * i;
    out[6] = (m[3] * m[7] - m[4] * m[6]) * i, out[7] = (m[1] * m[6] - m[0] * m[7]) * i, out[8] = (m[0] * m[4] - m[1] * m[3]) * i;
    return 1;
}


/* ---- 1_math/simd.h ---- */
/* simd.h -- the one place where SIMD is decided: eight virtual lanes of double (cti_d8) and of float (cti_f8) on every path. Method: AVX2
   uses two 256-bit registers of double and one of float; SSE2 four and two 128-bit ones; NONE uses plain loops. Every operation is lane-wise and correctly rounded, there
   is no fused multiply-add, and sums over lanes have one fixed order ((0+4)+(2+6))+((1+5)+(3+7)), so all paths give the same bits.
   CTI_SIMD_NAME is the path that was compiled in. */


#define CTI_SIMD_NONE 1
#define CTI_SIMD_SSE2 2
#define CTI_SIMD_AVX2 3
#ifndef CTI_SIMD
#if (!defined(CONTACT_SIMD) || CONTACT_SIMD == CT_SIMD_AUTO) && defined(__AVX2__)
#define CTI_SIMD CTI_SIMD_AVX2
#elif defined(CONTACT_SIMD) && CONTACT_SIMD == CT_SIMD_AVX2
#define CTI_SIMD CTI_SIMD_AVX2
#elif (!defined(CONTACT_SIMD) || CONTACT_SIMD == CT_SIMD_AUTO) && (defined(__SSE2__) || defined(_M_X64))
#define CTI_SIMD CTI_SIMD_SSE2
#elif defined(CONTACT_SIMD) && CONTACT_SIMD == CT_SIMD_SSE2
#define CTI_SIMD CTI_SIMD_SSE2
#else
#define CTI_SIMD CTI_SIMD_NONE
#endif
#endif

#if CTI_SIMD == CTI_SIMD_AVX2
#define CTI_SIMD_NAME "AVX2"
#include <immintrin.h>
typedef struct cti_d8 {
    __m256d a, b;
} cti_d8;
typedef struct cti_f8 {
    __m256 a;
} cti_f8;
/* a mask is all ones or all zeros per lane */
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        cti_d8 r;                                                                                                                          \
        r.a = ins(x.a, y.a), r.b = ins(x.b, y.b);                                                                                          \
        return r;                                                                                                                          \
    }
#define CTI_F8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        cti_f8 r;                                                                                                                          \
        r.a = ins(x.a, y.a);                                                                                                               \
        return r;                                                                                                                          \
    }
#define CTI_CMP_LT_PD(x, y) _mm256_cmp_pd(x, y, _CMP_LT_OQ)
#define CTI_CMP_LE_PD(x, y) _mm256_cmp_pd(x, y, _CMP_LE_OQ)
#define CTI_CMP_LT_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LT_OQ)
#define CTI_CMP_LE_PS(x, y) _mm256_cmp_ps(x, y, _CMP_LE_OQ)
CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = r.b = _mm256_set1_pd(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = _mm256_loadu_pd(p), r.b = _mm256_loadu_pd(p + 4);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x) { _mm256_storeu_pd(p, x.a), _mm256_storeu_pd(p + 4, x.b); }
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    cti_d8 r;
    r.a = _mm256_sqrt_pd(x.a), r.b = _mm256_sqrt_pd(x.b);
    return r;
}
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    cti_d8 r;
    r.a = _mm256_blendv_pd(no.a, yes.a, m.a), r.b = _mm256_blendv_pd(no.b, yes.b, m.b);
    return r;
}
/* cti_d8_bits -- bit i is set where lane i of the mask is */
CTI_INLINE int cti_d8_bits(cti_d8 m) { return _mm256_movemask_pd(m.a) | (_mm256_movemask_pd(m.b) << 4); }
CTI_INLINE cti_f8 cti_f8_set(float v)
{
    cti_f8 r;
    r.a = _mm256_set1_ps(v);
    return r;
}
CTI_INLINE cti_f8 cti_f8_load(const float *p)
{
    cti_f8 r;
    r.a = _mm256_loadu_ps(p);
    return r;
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { _mm256_storeu_ps(p, x.a); }
/* two halves of four lanes: cti_f8_load44 -- p[0..3] and q[0..3]; cti_f8_spread -- lane k of each half in all four of it, k a constant;
   cti_f8_fold -- lane i + lane i + 4 in lane i < 4, the others mean nothing; cti_f8_store4 -- lanes 0 to 3 */
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    r.a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1);
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        x.a = _mm256_permute_ps(x.a, 0x55 * k);                                                                                            \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = _mm256_castps128_ps256(_mm_add_ps(_mm256_castps256_ps128(x.a), _mm256_extractf128_ps(x.a, 1)));
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, _mm256_castps256_ps128(x.a)); }
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    cti_f8 r;
    r.a = _mm256_sqrt_ps(x.a);
    return r;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    cti_f8 r;
    r.a = _mm256_blendv_ps(no.a, yes.a, m.a);
    return r;
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return _mm256_movemask_ps(m.a); }
CTI_D8_OP2(add, _mm256_add_pd)
CTI_D8_OP2(sub, _mm256_sub_pd)
CTI_D8_OP2(mul, _mm256_mul_pd)
CTI_D8_OP2(div, _mm256_div_pd)
CTI_D8_OP2(min, _mm256_min_pd) /* y where either is NaN, as x < y ? x : y */
CTI_D8_OP2(max, _mm256_max_pd)
CTI_D8_OP2(lt, CTI_CMP_LT_PD)
CTI_D8_OP2(le, CTI_CMP_LE_PD)
CTI_D8_OP2(and, _mm256_and_pd)
CTI_D8_OP2(or, _mm256_or_pd)
CTI_F8_OP2(add, _mm256_add_ps)
CTI_F8_OP2(sub, _mm256_sub_ps)
CTI_F8_OP2(mul, _mm256_mul_ps)
CTI_F8_OP2(div, _mm256_div_ps)
CTI_F8_OP2(min, _mm256_min_ps)
CTI_F8_OP2(max, _mm256_max_ps)
CTI_F8_OP2(lt, CTI_CMP_LT_PS)
CTI_F8_OP2(le, CTI_CMP_LE_PS)
CTI_F8_OP2(and, _mm256_and_ps)
CTI_F8_OP2(or, _mm256_or_ps)
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    cti_d8 r;
    r.a = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.a), r.b = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.b);
    return r;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    cti_f8 r;
    r.a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x.a);
    return r;
}
#undef CTI_CMP_LT_PD
#undef CTI_CMP_LE_PD
#undef CTI_CMP_LT_PS
#undef CTI_CMP_LE_PS
#undef CTI_D8_OP2
#undef CTI_F8_OP2
#elif CTI_SIMD == CTI_SIMD_SSE2
#define CTI_SIMD_NAME "SSE2"
#include <emmintrin.h>
typedef struct cti_d8 {
    __m128d a, b, c, d;
} cti_d8;
typedef struct cti_f8 {
    __m128 a, b;
} cti_f8;
/* a mask is all ones or all zeros per lane */
#define CTI_D8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_d8 cti_d8_##name(cti_d8 x, cti_d8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a), x.b = ins(x.b, y.b), x.c = ins(x.c, y.c), x.d = ins(x.d, y.d);                                                \
        return x;                                                                                                                          \
    }
#define CTI_F8_OP2(name, ins)                                                                                                              \
    CTI_INLINE cti_f8 cti_f8_##name(cti_f8 x, cti_f8 y)                                                                                    \
    {                                                                                                                                      \
        x.a = ins(x.a, y.a), x.b = ins(x.b, y.b);                                                                                          \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_d8 cti_d8_set(double v)
{
    cti_d8 r;
    r.a = r.b = r.c = r.d = _mm_set1_pd(v);
    return r;
}
CTI_INLINE cti_d8 cti_d8_load(const double *p)
{
    cti_d8 r;
    r.a = _mm_loadu_pd(p), r.b = _mm_loadu_pd(p + 2), r.c = _mm_loadu_pd(p + 4), r.d = _mm_loadu_pd(p + 6);
    return r;
}
CTI_INLINE void cti_d8_store(double *p, cti_d8 x)
{
    _mm_storeu_pd(p, x.a), _mm_storeu_pd(p + 2, x.b), _mm_storeu_pd(p + 4, x.c), _mm_storeu_pd(p + 6, x.d);
}
CTI_INLINE cti_d8 cti_d8_sqrt(cti_d8 x)
{
    x.a = _mm_sqrt_pd(x.a), x.b = _mm_sqrt_pd(x.b), x.c = _mm_sqrt_pd(x.c), x.d = _mm_sqrt_pd(x.d);
    return x;
}
CTI_INLINE __m128d cti_choose_pd(__m128d m, __m128d yes, __m128d no) { return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)); }
CTI_INLINE __m128 cti_choose_ps(__m128 m, __m128 yes, __m128 no) { return _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)); }
CTI_INLINE cti_d8 cti_d8_select(cti_d8 m, cti_d8 yes, cti_d8 no)
{
    m.a = cti_choose_pd(m.a, yes.a, no.a), m.b = cti_choose_pd(m.b, yes.b, no.b);
    m.c = cti_choose_pd(m.c, yes.c, no.c), m.d = cti_choose_pd(m.d, yes.d, no.d);
    return m;
}
CTI_INLINE int cti_d8_bits(cti_d8 m)
{
    return _mm_movemask_pd(m.a) | (_mm_movemask_pd(m.b) << 2) | (_mm_movemask_pd(m.c) << 4) | (_mm_movemask_pd(m.d) << 6);
}
CTI_INLINE cti_f8 cti_f8_set(float v)
{
    cti_f8 r;
    r.a = r.b = _mm_set1_ps(v);
    return r;
}
CTI_INLINE cti_f8 cti_f8_load(const float *p)
{
    cti_f8 r;
    r.a = _mm_loadu_ps(p), r.b = _mm_loadu_ps(p + 4);
    return r;
}
CTI_INLINE void cti_f8_store(float *p, cti_f8 x) { _mm_storeu_ps(p, x.a), _mm_storeu_ps(p + 4, x.b); }
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    r.a = _mm_loadu_ps(p), r.b = _mm_loadu_ps(q);
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        x.a = _mm_shuffle_ps(x.a, x.a, 0x55 * k), x.b = _mm_shuffle_ps(x.b, x.b, 0x55 * k);                                                \
        return x;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    x.a = _mm_add_ps(x.a, x.b);
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { _mm_storeu_ps(p, x.a); }
CTI_INLINE cti_f8 cti_f8_sqrt(cti_f8 x)
{
    x.a = _mm_sqrt_ps(x.a), x.b = _mm_sqrt_ps(x.b);
    return x;
}
CTI_INLINE cti_f8 cti_f8_select(cti_f8 m, cti_f8 yes, cti_f8 no)
{
    m.a = cti_choose_ps(m.a, yes.a, no.a), m.b = cti_choose_ps(m.b, yes.b, no.b);
    return m;
}
CTI_INLINE int cti_f8_bits(cti_f8 m) { return _mm_movemask_ps(m.a) | (_mm_movemask_ps(m.b) << 4); }
CTI_D8_OP2(add, _mm_add_pd)
CTI_D8_OP2(sub, _mm_sub_pd)
CTI_D8_OP2(mul, _mm_mul_pd)
CTI_D8_OP2(div, _mm_div_pd)
CTI_D8_OP2(min, _mm_min_pd)
CTI_D8_OP2(max, _mm_max_pd)
CTI_D8_OP2(lt, _mm_cmplt_pd)
CTI_D8_OP2(le, _mm_cmple_pd)
CTI_D8_OP2(and, _mm_and_pd)
CTI_D8_OP2(or, _mm_or_pd)
CTI_F8_OP2(add, _mm_add_ps)
CTI_F8_OP2(sub, _mm_sub_ps)
CTI_F8_OP2(mul, _mm_mul_ps)
CTI_F8_OP2(div, _mm_div_ps)
CTI_F8_OP2(min, _mm_min_ps)
CTI_F8_OP2(max, _mm_max_ps)
CTI_F8_OP2(lt, _mm_cmplt_ps)
CTI_F8_OP2(le, _mm_cmple_ps)
CTI_F8_OP2(and, _mm_and_ps)
CTI_F8_OP2(or, _mm_or_ps)
CTI_INLINE cti_d8 cti_d8_abs(cti_d8 x)
{
    const __m128d sign = _mm_set1_pd(-0.0);
    x.a = _mm_andnot_pd(sign, x.a), x.b = _mm_andnot_pd(sign, x.b), x.c = _mm_andnot_pd(sign, x.c), x.d = _mm_andnot_pd(sign, x.d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_abs(cti_f8 x)
{
    const __m128 sign = _mm_set1_ps(-0.0f);
    x.a = _mm_andnot_ps(sign, x.a), x.b = _mm_andnot_ps(sign, x.b);
    return x;
}
#undef CTI_D8_OP2
#undef CTI_F8_OP2
#else
#define CTI_SIMD_NAME "NONE"
typedef struct cti_d8 {
    double v[8];
} cti_d8;
typedef struct cti_f8 {
    float v[8];
} cti_f8;
/* masks are 1 or 0 per lane on this path; use them only with select, and, or, bits */
#define CTI_LANES(V, T, name, expr)                                                                                                        \
    CTI_INLINE V V##_##name(V x, V y)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++) {                                                                                                          \
            T p = x.v[i], q = y.v[i];                                                                                                      \
            r.v[i] = (T)(expr);                                                                                                            \
        }                                                                                                                                  \
        return r;                                                                                                                          \
    }
#define CTI_LANES_ALL(V, T, SQRT)                                                                                                          \
    CTI_LANES(V, T, add, p + q)                                                                                                            \
    CTI_LANES(V, T, sub, p - q)                                                                                                            \
    CTI_LANES(V, T, mul, p *q)                                                                                                             \
    CTI_LANES(V, T, div, p / q)                                                                                                            \
    CTI_LANES(V, T, min, p < q ? p : q)                                                                                                    \
    CTI_LANES(V, T, max, p > q ? p : q)                                                                                                    \
    CTI_LANES(V, T, lt, p < q)                                                                                                             \
    CTI_LANES(V, T, le, p <= q)                                                                                                            \
    CTI_LANES(V, T, and, p != 0 && q != 0)                                                                                                 \
    CTI_LANES(V, T, or, p != 0 || q != 0)                                                                                                  \
    CTI_INLINE V V##_set(T s)                                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = s;                                                                                                                    \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_load(const T *p)                                                                                                      \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        memcpy(r.v, p, sizeof r.v);                                                                                                        \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE void V##_store(T *p, V x) { memcpy(p, x.v, sizeof x.v); }                                                                   \
    CTI_INLINE V V##_sqrt(V x)                                                                                                             \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = SQRT(x.v[i]);                                                                                                         \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_abs(V x)                                                                                                              \
    {                                                                                                                                      \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            x.v[i] = x.v[i] < 0 ? -x.v[i] : (x.v[i] == 0 ? 0 : x.v[i]);                                                                    \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE V V##_select(V m, V yes, V no)                                                                                              \
    {                                                                                                                                      \
        V r;                                                                                                                               \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = m.v[i] != 0 ? yes.v[i] : no.v[i];                                                                                     \
        return r;                                                                                                                          \
    }                                                                                                                                      \
    CTI_INLINE int V##_bits(V m)                                                                                                           \
    {                                                                                                                                      \
        int i, b = 0;                                                                                                                      \
        for (i = 0; i < 8; i++)                                                                                                            \
            b |= (m.v[i] != 0) << i;                                                                                                       \
        return b;                                                                                                                          \
    }
CTI_LANES_ALL(cti_d8, double, sqrt)
CTI_LANES_ALL(cti_f8, float, sqrtf)
CTI_INLINE cti_f8 cti_f8_load44(const float *p, const float *q)
{
    cti_f8 r;
    memcpy(r.v, p, 4 * sizeof(float)), memcpy(r.v + 4, q, 4 * sizeof(float));
    return r;
}
#define CTI_F8_SPREAD(k)                                                                                                                   \
    CTI_INLINE cti_f8 cti_f8_spread##k(cti_f8 x)                                                                                           \
    {                                                                                                                                      \
        cti_f8 r;                                                                                                                          \
        int i;                                                                                                                             \
        for (i = 0; i < 8; i++)                                                                                                            \
            r.v[i] = x.v[(i & 4) + k];                                                                                                     \
        return r;                                                                                                                          \
    }
CTI_INLINE cti_f8 cti_f8_fold(cti_f8 x)
{
    int i;
    for (i = 0; i < 4; i++)
        x.v[i] += x.v[i + 4];
    return x;
}
CTI_INLINE void cti_f8_store4(float *p, cti_f8 x) { memcpy(p, x.v, 4 * sizeof(float)); }
#undef CTI_LANES
#undef CTI_LANES_ALL
#endif

/* cti_d8_widen -- exact; cti_f8_narrow -- rounded to nearest */
#if CTI_SIMD == CTI_SIMD_AVX2
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = _mm256_cvtps_pd(_mm256_castps256_ps128(x.a)), r.b = _mm256_cvtps_pd(_mm256_extractf128_ps(x.a, 1));
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.a)), _mm256_cvtpd_ps(x.b), 1);
    return r;
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    r.a = _mm_cvtps_pd(x.a), r.b = _mm_cvtps_pd(_mm_movehl_ps(x.a, x.a));
    r.c = _mm_cvtps_pd(x.b), r.d = _mm_cvtps_pd(_mm_movehl_ps(x.b, x.b));
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    r.a = _mm_movelh_ps(_mm_cvtpd_ps(x.a), _mm_cvtpd_ps(x.b)), r.b = _mm_movelh_ps(_mm_cvtpd_ps(x.c), _mm_cvtpd_ps(x.d));
    return r;
}
#else
CTI_INLINE cti_d8 cti_d8_widen(cti_f8 x)
{
    cti_d8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (double)x.v[i];
    return r;
}
CTI_INLINE cti_f8 cti_f8_narrow(cti_d8 x)
{
    cti_f8 r;
    int i;
    for (i = 0; i < 8; i++)
        r.v[i] = (float)x.v[i];
    return r;
}
#endif
CTI_F8_SPREAD(0)
CTI_F8_SPREAD(1)
CTI_F8_SPREAD(2)
#undef CTI_F8_SPREAD

/* cti_*8_split -- x = 2^k m with m in [sqrt(1/2), sqrt 2), for positive normal lanes; exact on every path. */
#if CTI_SIMD == CTI_SIMD_AVX2
CTI_INLINE __m256d cti_split_pd(__m256d x, __m256d *k)
{
    __m256i u = _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll));
    __m256i e = _mm256_or_si256(_mm256_srli_epi64(u, 52), _mm256_set1_epi64x(0x4330000000000000ll));
    *k = _mm256_sub_pd(_mm256_castsi256_pd(e), _mm256_set1_pd(4503599627370496.0 + 1023.0));
    u = _mm256_add_epi64(_mm256_and_si256(u, _mm256_set1_epi64x(0x000fffffffffffffll)), _mm256_set1_epi64x(0x3fe6a09e667f3bcdll));
    return _mm256_castsi256_pd(u);
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    x.a = cti_split_pd(x.a, &k->a), x.b = cti_split_pd(x.b, &k->b);
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    __m256i u = _mm256_add_epi32(_mm256_castps_si256(x.a), _mm256_set1_epi32(0x3f800000 - 0x3f3504f3));
    __m256i e = _mm256_or_si256(_mm256_srli_epi32(u, 23), _mm256_set1_epi32(0x4b000000));
    k->a = _mm256_sub_ps(_mm256_castsi256_ps(e), _mm256_set1_ps(8388608.0f + 127.0f));
    u = _mm256_add_epi32(_mm256_and_si256(u, _mm256_set1_epi32(0x007fffff)), _mm256_set1_epi32(0x3f3504f3));
    x.a = _mm256_castsi256_ps(u);
    return x;
}
#elif CTI_SIMD == CTI_SIMD_SSE2
CTI_INLINE __m128d cti_split_pd(__m128d x, __m128d *k)
{
    __m128i u = _mm_add_epi64(_mm_castpd_si128(x), _mm_set1_epi64x(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll));
    __m128i e = _mm_or_si128(_mm_srli_epi64(u, 52), _mm_set1_epi64x(0x4330000000000000ll));
    *k = _mm_sub_pd(_mm_castsi128_pd(e), _mm_set1_pd(4503599627370496.0 + 1023.0));
    u = _mm_add_epi64(_mm_and_si128(u, _mm_set1_epi64x(0x000fffffffffffffll)), _mm_set1_epi64x(0x3fe6a09e667f3bcdll));
    return _mm_castsi128_pd(u);
}
CTI_INLINE __m128 cti_split_ps(__m128 x, __m128 *k)
{
    __m128i u = _mm_add_epi32(_mm_castps_si128(x), _mm_set1_epi32(0x3f800000 - 0x3f3504f3));
    __m128i e = _mm_or_si128(_mm_srli_epi32(u, 23), _mm_set1_epi32(0x4b000000));
    *k = _mm_sub_ps(_mm_castsi128_ps(e), _mm_set1_ps(8388608.0f + 127.0f));
    u = _mm_add_epi32(_mm_and_si128(u, _mm_set1_epi32(0x007fffff)), _mm_set1_epi32(0x3f3504f3));
    return _mm_castsi128_ps(u);
}
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    x.a = cti_split_pd(x.a, &k->a), x.b = cti_split_pd(x.b, &k->b), x.c = cti_split_pd(x.c, &k->c), x.d = cti_split_pd(x.d, &k->d);
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    x.a = cti_split_ps(x.a, &k->a), x.b = cti_split_ps(x.b, &k->b);
    return x;
}
#else
CTI_INLINE cti_d8 cti_d8_split(cti_d8 x, cti_d8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint64_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull;
        k->v[i] = (double)(int)(u >> 52) - 1023;
        u = (u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
CTI_INLINE cti_f8 cti_f8_split(cti_f8 x, cti_f8 *k)
{
    int i;
    for (i = 0; i < 8; i++) {
        uint32_t u;
        memcpy(&u, &x.v[i], sizeof u);
        u += 0x3f800000u - 0x3f3504f3u;
        k->v[i] = (float)(int)(u >> 23) - 127;
        u = (u & 0x007fffffu) + 0x3f3504f3u;
        memcpy(&x.v[i], &u, sizeof u);
    }
    return x;
}
#endif

/* The lane type of ct_real: cti_r8. */
#if CONTACT_REAL == 32
typedef cti_f8 cti_r8;
#define CTI_R8(op) cti_f8_##op
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return x; }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return x; }
#else
typedef cti_d8 cti_r8;
#define CTI_R8(op) cti_d8_##op
CTI_INLINE cti_f8 cti_r8_narrow(cti_r8 x) { return cti_f8_narrow(x); }
CTI_INLINE cti_r8 cti_r8_widen(cti_f8 x) { return cti_d8_widen(x); }
#endif

/* cti_*8_sum -- the sum over lanes in the fixed order. */
CTI_INLINE double cti_d8_sum(cti_d8 x)
{
    double t[8];
    cti_d8_store(t, x);
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}
CTI_INLINE float cti_f8_sum(cti_f8 x)
{
    float t[8];
    cti_f8_store(t, x);
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}


/* ---- 1_math/lanes.h ---- */
/* lanes.h -- short names for arithmetic on eight lanes of ct_real, and 3-vectors and 3x3 matrices of lanes (arrays of cti_r8, row-major).
   Everything is lane-wise: lane i of a result depends on lane i of the arguments only. Products are written out, so that they stay in
   registers at -O2. */


CTI_INLINE cti_r8 cti_set8(ct_real a) { return CTI_R8(set)(a); }
CTI_INLINE cti_r8 cti_load8(const ct_real *p) { return CTI_R8(load)(p); }
CTI_INLINE void cti_store8(ct_real *p, cti_r8 a) { CTI_R8(store)(p, a); }
CTI_INLINE cti_r8 cti_add8(cti_r8 a, cti_r8 b) { return CTI_R8(add)(a, b); }
CTI_INLINE cti_r8 cti_sub8(cti_r8 a, cti_r8 b) { return CTI_R8(sub)(a, b); }
CTI_INLINE cti_r8 cti_mul8(cti_r8 a, cti_r8 b) { return CTI_R8(mul)(a, b); }
CTI_INLINE cti_r8 cti_div8(cti_r8 a, cti_r8 b) { return CTI_R8(div)(a, b); }
CTI_INLINE cti_r8 cti_max8(cti_r8 a, cti_r8 b) { return CTI_R8(max)(a, b); }
CTI_INLINE cti_r8 cti_min8(cti_r8 a, cti_r8 b) { return CTI_R8(min)(a, b); }
CTI_INLINE cti_r8 cti_abs8(cti_r8 a) { return CTI_R8(abs)(a); }
CTI_INLINE cti_r8 cti_sqrt8(cti_r8 a) { return CTI_R8(sqrt)(a); }
CTI_INLINE cti_r8 cti_lt8(cti_r8 a, cti_r8 b) { return CTI_R8(lt)(a, b); }
CTI_INLINE cti_r8 cti_select8(cti_r8 mask, cti_r8 yes, cti_r8 no) { return CTI_R8(select)(mask, yes, no); }
CTI_INLINE int cti_bits8(cti_r8 mask) { return CTI_R8(bits)(mask); }
/* c + a b, c - a b, s a, -a; two roundings each */
CTI_INLINE cti_r8 cti_mad8(cti_r8 c, cti_r8 a, cti_r8 b) { return cti_add8(c, cti_mul8(a, b)); }
CTI_INLINE cti_r8 cti_nmad8(cti_r8 c, cti_r8 a, cti_r8 b) { return cti_sub8(c, cti_mul8(a, b)); }
CTI_INLINE cti_r8 cti_scale8(ct_real s, cti_r8 a) { return cti_mul8(cti_set8(s), a); }
CTI_INLINE cti_r8 cti_neg8(cti_r8 a) { return cti_sub8(cti_set8(0), a); }
/* a0 b0 + a1 b1 + a2 b2 from left to right */
CTI_INLINE cti_r8 cti_sum3_8(cti_r8 a0, cti_r8 b0, cti_r8 a1, cti_r8 b1, cti_r8 a2, cti_r8 b2)
{
    return cti_mad8(cti_mad8(cti_mul8(a0, b0), a1, b1), a2, b2);
}
CTI_INLINE cti_r8 cti_dot8(const cti_r8 *a, const cti_r8 *b) { return cti_sum3_8(a[0], b[0], a[1], b[1], a[2], b[2]); }
CTI_INLINE void cti_cross8(const cti_r8 *a, const cti_r8 *b, cti_r8 *r)
{
    cti_r8 x = cti_nmad8(cti_mul8(a[1], b[2]), a[2], b[1]), y = cti_nmad8(cti_mul8(a[2], b[0]), a[0], b[2]);
    r[2] = cti_nmad8(cti_mul8(a[0], b[1]), a[1], b[0]);
    r[0] = x, r[1] = y;
}
CTI_INLINE void cti_sub3_8(const cti_r8 *a, const cti_r8 *b, cti_r8 *r)
{
    r[0] = cti_sub8(a[0], b[0]), r[1] = cti_sub8(a[1], b[1]), r[2] = cti_sub8(a[2], b[2]);
}
CTI_INLINE void cti_scale3_8(cti_r8 s, const cti_r8 *a, cti_r8 *r)
{
    r[0] = cti_mul8(s, a[0]), r[1] = cti_mul8(s, a[1]), r[2] = cti_mul8(s, a[2]);
}
/* r = A x and r = A' x; r apart from x */
CTI_INLINE void cti_matvec8(const cti_r8 *A, const cti_r8 *x, cti_r8 *r)
{
    r[0] = cti_sum3_8(A[0], x[0], A[1], x[1], A[2], x[2]);
    r[1] = cti_sum3_8(A[3], x[0], A[4], x[1], A[5], x[2]);
    r[2] = cti_sum3_8(A[6], x[0], A[7], x[1], A[8], x[2]);
}
CTI_INLINE void cti_matvec_t8(const cti_r8 *A, const cti_r8 *x, cti_r8 *r)
{
    r[0] = cti_sum3_8(A[0], x[0], A[3], x[1], A[6], x[2]);
    r[1] = cti_sum3_8(A[1], x[0], A[4], x[1], A[7], x[2]);
    r[2] = cti_sum3_8(A[2], x[0], A[5], x[1], A[8], x[2]);
}
/* R = A B and R = A B'; R apart from A and B */
#define CTI_LANES_ROW(i)                                                                                                                   \
    R[3 * (i)] = cti_sum3_8(A[3 * (i)], B[0], A[3 * (i) + 1], B[3], A[3 * (i) + 2], B[6]);                                                 \
    R[3 * (i) + 1] = cti_sum3_8(A[3 * (i)], B[1], A[3 * (i) + 1], B[4], A[3 * (i) + 2], B[7]);                                             \
    R[3 * (i) + 2] = cti_sum3_8(A[3 * (i)], B[2], A[3 * (i) + 1], B[5], A[3 * (i) + 2], B[8])
CTI_INLINE void cti_matmul8(const cti_r8 *A, const cti_r8 *B, cti_r8 *R)
{
    CTI_LANES_ROW(0);
    CTI_LANES_ROW(1);
    CTI_LANES_ROW(2);
}
#undef CTI_LANES_ROW
CTI_INLINE void cti_matmul_t8(const cti_r8 *A, const cti_r8 *B, cti_r8 *R)
{
    R[0] = cti_dot8(A, B), R[1] = cti_dot8(A, B + 3), R[2] = cti_dot8(A, B + 6);
    R[3] = cti_dot8(A + 3, B), R[4] = cti_dot8(A + 3, B + 3), R[5] = cti_dot8(A + 3, B + 6);
    R[6] = cti_dot8(A + 6, B), R[7] = cti_dot8(A + 6, B + 3), R[8] = cti_dot8(A + 6, B + 6);
}
/* C = the cofactors of A (rows are cross products of A's rows); returns det A */
CTI_INLINE cti_r8 cti_cofactor8(const cti_r8 *A, cti_r8 *C)
{
    cti_cross8(A + 3, A + 6, C);
    cti_cross8(A + 6, A, C + 3);
    cti_cross8(A, A + 3, C + 6);
    return cti_dot8(A, C);
}


/* ---- 1_math/elem.h ---- */
/* elem.h -- elementary functions of our own, so that results do not depend on a machine's libm: log, exp, sin, cos, acos, atan2, cbrt.
   Method: argument reduction and a polynomial in double; float results are double results rounded once. Error of a double result: below
   1 unit in the last place (log, exp, sin, cos, cbrt), below 2 (acos, atan2). No table, no state, no errno. Only + - * / and sqrt are used.
 */


/* cti_log64 -- natural logarithm; -inf at 0, NaN below. */
CTI_FN double cti_log64(double x);
/* cti_exp64 -- inf above 709.79, 0 below -745.2. */
CTI_FN double cti_exp64(double x);
/* cti_sincos64 -- both at once, x [rad]; NaN where |x| > 1e8 (an angle that large has no meaning here). */
CTI_FN void cti_sincos64(double x, double *out_sin, double *out_cos);
CTI_FN double cti_sin64(double x);
CTI_FN double cti_cos64(double x);
/* cti_acos64 -- in [0, pi]; NaN where |x| > 1. */
CTI_FN double cti_acos64(double x);
/* cti_atan2_64 -- angle of (x, y) in (-pi, pi]; 0 at the origin; a negative zero counts as zero. x, y finite, below 1e300. */
CTI_FN double cti_atan2_64(double y, double x);
CTI_FN double cti_cbrt64(double x);

/* Eight lanes. log: lanes must be positive and normal, others give an unspecified number. atan2 as above. */
CTI_FN cti_d8 cti_d8_log(cti_d8 x);
CTI_FN cti_f8 cti_f8_log(cti_f8 x);
CTI_FN cti_d8 cti_d8_atan2(cti_d8 y, cti_d8 x);
CTI_FN cti_f8 cti_f8_atan2(cti_f8 y, cti_f8 x);

/* The same for ct_real. */
CTI_INLINE ct_real cti_log(ct_real x) { return (ct_real)cti_log64((double)x); }
CTI_INLINE ct_real cti_exp(ct_real x) { return (ct_real)cti_exp64((double)x); }
CTI_INLINE ct_real cti_sin(ct_real x) { return (ct_real)cti_sin64((double)x); }
CTI_INLINE ct_real cti_cos(ct_real x) { return (ct_real)cti_cos64((double)x); }
CTI_INLINE ct_real cti_acos(ct_real x) { return (ct_real)cti_acos64((double)x); }
CTI_INLINE ct_real cti_atan2(ct_real y, ct_real x) { return (ct_real)cti_atan2_64((double)y, (double)x); }
CTI_INLINE ct_real cti_cbrt(ct_real x) { return (ct_real)cti_cbrt64((double)x); }


/* ---- 1_math/elem.c ---- */
/* elem.c -- log, exp, sin, cos, acos, atan2, cbrt by argument reduction and polynomials.
   Method: reductions carry a low part, polynomials are Taylor sums (log, exp, sin, cos) or interpolate in Chebyshev's points (asin, atan),
   each truncated below 2^-58 of the result. The lane versions do the same arithmetic lane by lane.
   based on: Muller, Elementary Functions (2006), ch. 5, 8, 10; Cody and Waite 1980 for the reductions; Kahan's cube root. */

#define CTI_ELEM_LN2_HI 0.6931471803691238     /* 32 bits: k * hi is exact */
#define CTI_ELEM_LN2_LO 1.9082149292705877e-10 /* ln 2 - hi */
#define CTI_ELEM_PI_2 1.5707963267948966
#define CTI_ELEM_PI_2_LO 6.123233995736766e-17
#define CTI_ELEM_TAN_PI_8 0.41421356237309503

static double cti_elem_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static uint64_t cti_elem_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static double cti_elem_nan(void) { return cti_elem_from_bits(0x7ff8000000000000ull); }
static double cti_elem_inf(void) { return cti_elem_from_bits(0x7ff0000000000000ull); }

/* R(z) = 2 atanh(s) / s - 2 with z = s^2 <= 0.0295: 2 z / 3 + 2 z^2 / 5 + ... */
static double cti_elem_log_poly(double z)
{
    double r = 2.0 / 21.0;
    r = 2.0 / 19.0 + z * r, r = 2.0 / 17.0 + z * r, r = 2.0 / 15.0 + z * r;
    r = 2.0 / 13.0 + z * r, r = 2.0 / 11.0 + z * r, r = 2.0 / 9.0 + z * r;
    r = 2.0 / 7.0 + z * r, r = 2.0 / 5.0 + z * r, r = 2.0 / 3.0 + z * r;
    return z * r;
}

CTI_FN double cti_log64(double x)
{
    uint64_t u;
    double k = 0, f, s, h;
    if (!(x > 0))
        return x == 0 ? -cti_elem_inf() : cti_elem_nan();
    if (!cti_finite64(x))
        return x;
    if (x < 2.2250738585072014e-308)
        x *= 18014398509481984.0, k = -54; /* subnormal: 2^54 x */
    /* x = 2^k m with m in [sqrt(1/2), sqrt 2), f = m - 1 */
    u = cti_elem_bits(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
    k += (double)((int)(u >> 52) - 1023);
    f = cti_elem_from_bits((u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1;
    /* log(1 + f) = f - (h - s (h + R(s^2))), s = f / (2 + f), h = f^2 / 2 */
    s = f / (2 + f), h = 0.5 * f * f;
    return k * CTI_ELEM_LN2_HI - ((h - (s * (h + cti_elem_log_poly(s * s)) + k * CTI_ELEM_LN2_LO)) - f);
}

CTI_FN double cti_exp64(double x)
{
    static const double inverse_factorial[12] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                                 1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                                 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    double k, hi, lo, r, p, y;
    int i, e, first;
    if (x != x)
        return x;
    if (x > 709.782712893384)
        return cti_elem_inf();
    if (x < -745.1332191019412)
        return 0;
    /* x = k ln 2 + r + lo, |r| <= 0.35 */
    k = floor(x * 1.4426950408889634 + 0.5);
    hi = x - k * CTI_ELEM_LN2_HI, lo = k * CTI_ELEM_LN2_LO;
    r = hi - lo, lo = (hi - r) - lo;
    p = inverse_factorial[11];
    for (i = 10; i >= 0; i--)
        p = inverse_factorial[i] + r * p;
    y = 1 + (r + (r * r * p + lo * (1 + r)));
    /* times 2^k in two steps, so that neither factor leaves the normal range */
    e = (int)k, first = e / 2;
    return y * cti_elem_from_bits((uint64_t)(first + 1023) << 52) * cti_elem_from_bits((uint64_t)(e - first + 1023) << 52);
}

/* x = n pi/2 + *r + *t with |r| <= pi/4 and t the rounding of r; returns n mod 4. Three 26-bit parts of pi/2 make n * part exact. */
static int cti_elem_reduce(double x, double *r, double *t)
{
    double n = floor(x * 0.6366197723675814 + 0.5), a, b, s, e;
    a = x - n * 1.5707963109016418;
    b = n * 1.5893254712295857e-08, s = a - b, e = (a - s) - b;
    a = s, b = n * 6.123233932053594e-17;
    s = a - b, e += ((a - s) - b) - n * 6.36831716351095e-25;
    *r = s + e, *t = (s - *r) + e;
    return (int)(n - 4 * floor(n * 0.25));
}
/* sin(r + t), |r| <= pi/4: r - r^3/6 + ... + t (1 - r^2/2) */
static double cti_elem_sin_poly(double r, double t)
{
    double z = r * r, p = 1.0 / 355687428096000.0;
    p = -1.0 / 1307674368000.0 + z * p, p = 1.0 / 6227020800.0 + z * p, p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880 + z * p, p = -1.0 / 5040 + z * p, p = 1.0 / 120 + z * p, p = -1.0 / 6 + z * p;
    return r + (r * z * p + t * (1 - 0.5 * z));
}
/* cos(r + t) = 1 - r^2/2 + r^4/24 - ... - r t, with the rounding of 1 - r^2/2 put back */
static double cti_elem_cos_poly(double r, double t)
{
    double z = r * r, h = 0.5 * z, w = 1 - h, p = 1.0 / 20922789888000.0;
    p = -1.0 / 87178291200.0 + z * p, p = 1.0 / 479001600.0 + z * p, p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320 + z * p, p = -1.0 / 720 + z * p, p = 1.0 / 24 + z * p;
    return w + (((1 - w) - h) + (z * z * p - r * t));
}

CTI_FN void cti_sincos64(double x, double *out_sin, double *out_cos)
{
    double r, t, s, c;
    int q;
    if (!(x <= 1e8 && x >= -1e8)) {
        *out_sin = *out_cos = cti_elem_nan();
        return;
    }
    q = cti_elem_reduce(x, &r, &t);
    s = cti_elem_sin_poly(r, t), c = cti_elem_cos_poly(r, t);
    *out_sin = q == 0 ? s : (q == 1 ? c : (q == 2 ? -s : -c));
    *out_cos = q == 0 ? c : (q == 1 ? -s : (q == 2 ? -c : s));
}
CTI_FN double cti_sin64(double x)
{
    double s, c;
    cti_sincos64(x, &s, &c);
    return s;
}
CTI_FN double cti_cos64(double x)
{
    double s, c;
    cti_sincos64(x, &s, &c);
    return c;
}

/* (asin(x) / x - 1) / z, z = x^2 in [0, 1/4] */
static double cti_elem_asin_poly(double z)
{
    static const double c[14] = {0.16666666666666666,  0.07500000000000118,  0.044642857142551895,  0.03038194447553234,
                                 0.02237215744350722,  0.017352816540325496, 0.01396378001220357,   0.011566459612121669,
                                 0.009621842970100282, 0.009319560794767446, 0.0030448799094556773, 0.019554513336123378,
                                 -0.01924167174674304, 0.02961201126495512};
    double p = c[13];
    int i;
    for (i = 12; i >= 0; i--)
        p = c[i] + z * p;
    return p;
}

CTI_FN double cti_acos64(double x)
{
    double a = fabs(x), z, s, h, t, w;
    if (!(a <= 1))
        return cti_elem_nan();
    if (a <= 0.5)
        return CTI_ELEM_PI_2 - (x - (CTI_ELEM_PI_2_LO - x * (x * x * cti_elem_asin_poly(x * x))));
    /* acos(a) = 2 asin(s), s = sqrt((1 - a) / 2) = h + t with h of 26 bits */
    z = 0.5 * (1 - a), s = sqrt(z);
    w = z * cti_elem_asin_poly(z);
    if (x < 0)
        return 2 * (CTI_ELEM_PI_2 - (s + (s * w - CTI_ELEM_PI_2_LO)));
    h = cti_elem_from_bits(cti_elem_bits(s) & 0xfffffffff8000000ull);
    t = s > 0 ? (z - h * h) / (s + h) : 0;
    return 2 * (h + (t + s * w));
}

/* (atan(x) / x - 1) / z, z = x^2, |x| <= tan(pi/8) */
static const double cti_elem_atan_c[12] = {-0.3333333333333333,   0.19999999999999804,  -0.14285714285659748, 0.11111111105147764,
                                           -0.09090908753118594,  0.07692296363979952,  -0.066664246872465,   0.05878926715756726,
                                           -0.052304374642516874, 0.045515165635903104, -0.0345685906686069,  0.01628357235648259};

CTI_FN double cti_atan2_64(double y, double x)
{
    double ax = fabs(x), ay = fabs(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax, w, z, p, base = 0, low = 0, r;
    int i;
    if (!(big > 0))
        return big == 0 ? 0 : cti_elem_nan();
    /* small / big = tan(base + angle of w), |w| <= tan(pi/8) */
    if (small > CTI_ELEM_TAN_PI_8 * big)
        w = (small - big) / (small + big), base = 0.5 * CTI_ELEM_PI_2, low = 0.5 * CTI_ELEM_PI_2_LO;
    else
        w = small / big;
    z = w * w, p = cti_elem_atan_c[11];
    for (i = 10; i >= 0; i--)
        p = cti_elem_atan_c[i] + z * p;
    r = w * z * p + low;
    /* r + w + base, reflected at pi/4 and pi/2, keeping the low part apart */
    if (ay > ax)
        r = CTI_ELEM_PI_2 - base - (w + (r - CTI_ELEM_PI_2_LO));
    else
        r = base + (w + r);
    if (x < 0)
        r = 2 * CTI_ELEM_PI_2 - (r - 2 * CTI_ELEM_PI_2_LO);
    return y < 0 ? -r : r;
}

CTI_FN double cti_cbrt64(double x)
{
    double a = fabs(x), m, t, r, scale = 1;
    uint64_t u;
    int e, q;
    if (!(a > 0) || !cti_finite64(a))
        return x;
    if (a < 2.2250738585072014e-308)
        a *= 18014398509481984.0, scale = 3.814697265625e-06; /* 2^54 a, 2^-18 after the root */
    /* a = 2^(3 q) m, m in [1, 8) */
    u = cti_elem_bits(a), e = (int)(u >> 52) - 1023;
    q = (e + 1026) / 3 - 342;
    m = cti_elem_from_bits((u & 0x000fffffffffffffull) | ((uint64_t)(e - 3 * q + 1023) << 52));
    /* two of Halley's steps from a quadratic guess, then Newton's from 26 bits, whose square is exact */
    t = 0.70 + m * (0.3215 - m * 0.0203);
    r = t * t * t, t = t * (r + 2 * m) / (2 * r + m);
    r = t * t * t, t = t * (r + 2 * m) / (2 * r + m);
    t = cti_elem_from_bits((cti_elem_bits(t) + 0x4000000ull) & 0xfffffffff8000000ull);
    r = m / (t * t), t = t + t * ((r - t) / (2 * t + r));
    t *= cti_elem_from_bits((uint64_t)(q + 1023) << 52) * scale;
    return x < 0 ? -t : t;
}

/* ---- eight lanes: the same arithmetic, operation by operation ---- */

#define CTI_ELEM_LOG_STEP(V, T, num, den) r = V##_add(V##_set((T)(num) / (T)(den)), V##_mul(z, r))

CTI_FN cti_d8 cti_d8_log(cti_d8 x)
{
    cti_d8 k, f, s, h, z, r;
    /* x = 2^k (1 + f), s = f / (2 + f) */
    f = cti_d8_sub(cti_d8_split(x, &k), cti_d8_set(1));
    s = cti_d8_div(f, cti_d8_add(cti_d8_set(2), f));
    h = cti_d8_mul(cti_d8_mul(cti_d8_set(0.5), f), f);
    z = cti_d8_mul(s, s);
    r = cti_d8_set(2.0 / 21.0);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 19);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 17);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 15);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 13);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 11);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 9);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 7);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 5);
    CTI_ELEM_LOG_STEP(cti_d8, double, 2, 3);
    r = cti_d8_mul(z, r);
    /* k ln2_hi - ((h - (s (h + R) + k ln2_lo)) - f) */
    r = cti_d8_add(cti_d8_mul(s, cti_d8_add(h, r)), cti_d8_mul(k, cti_d8_set(CTI_ELEM_LN2_LO)));
    return cti_d8_sub(cti_d8_mul(k, cti_d8_set(CTI_ELEM_LN2_HI)), cti_d8_sub(cti_d8_sub(h, r), f));
}

CTI_FN cti_f8 cti_f8_log(cti_f8 x)
{
    cti_f8 k, f, s, h, z, r;
    f = cti_f8_sub(cti_f8_split(x, &k), cti_f8_set(1));
    s = cti_f8_div(f, cti_f8_add(cti_f8_set(2), f));
    h = cti_f8_mul(cti_f8_mul(cti_f8_set(0.5f), f), f);
    z = cti_f8_mul(s, s);
    r = cti_f8_set(2.0f / 11.0f);
    CTI_ELEM_LOG_STEP(cti_f8, float, 2, 9);
    CTI_ELEM_LOG_STEP(cti_f8, float, 2, 7);
    CTI_ELEM_LOG_STEP(cti_f8, float, 2, 5);
    CTI_ELEM_LOG_STEP(cti_f8, float, 2, 3);
    r = cti_f8_mul(z, r);
    r = cti_f8_add(cti_f8_mul(s, cti_f8_add(h, r)), cti_f8_mul(k, cti_f8_set(1.4286068e-06f)));
    return cti_f8_sub(cti_f8_mul(k, cti_f8_set(0.69314575f)), cti_f8_sub(cti_f8_sub(h, r), f));
}

/* the same steps for both widths: V the lane type, T its scalar, C[i] the n + 1 coefficients of (atan(w) / w - 1) / w^2 */
#define CTI_ELEM_ATAN2(V, T, C, n, LOW)                                                                                                    \
    CTI_FN V V##_atan2(V y, V x)                                                                                                           \
    {                                                                                                                                      \
        V ax = V##_abs(x), ay = V##_abs(y), zero = V##_set((T)0), half = V##_set((T)CTI_ELEM_PI_2), half_low = V##_set((T)(LOW));          \
        V big = V##_max(ax, ay), small = V##_min(ax, ay), steep, base, low, w, z, p, r, mask;                                              \
        int i;                                                                                                                             \
        mask = V##_lt(V##_mul(V##_set((T)CTI_ELEM_TAN_PI_8), big), small);                                                                 \
        w = V##_div(V##_select(mask, V##_sub(small, big), small), V##_max(V##_select(mask, V##_add(small, big), big), V##_set((T)1e-37))); \
        base = V##_select(mask, V##_set((T)(0.5 * CTI_ELEM_PI_2)), zero);                                                                  \
        low = V##_select(mask, V##_set((T)(0.5 * (LOW))), zero);                                                                           \
        z = V##_mul(w, w), p = V##_set((T)C[n]);                                                                                           \
        for (i = (n)-1; i >= 0; i--)                                                                                                       \
            p = V##_add(V##_set((T)C[i]), V##_mul(z, p));                                                                                  \
        r = V##_add(V##_mul(V##_mul(w, z), p), low);                                                                                       \
        steep = V##_sub(V##_sub(half, base), V##_add(w, V##_sub(r, half_low)));                                                            \
        r = V##_select(V##_lt(ax, ay), steep, V##_add(base, V##_add(w, r)));                                                               \
        steep = V##_sub(V##_add(half, half), V##_sub(r, V##_add(half_low, half_low)));                                                     \
        r = V##_select(V##_lt(x, zero), steep, r);                                                                                         \
        return V##_select(V##_lt(y, zero), V##_sub(zero, r), r);                                                                           \
    }

static const float cti_elem_atan_c32[5] = {-0.3333333176000804f, 0.19999540216937534f, -0.1426394635791234f, 0.10743631627144574f,
                                           -0.06451597258952992f};
CTI_ELEM_ATAN2(cti_d8, double, cti_elem_atan_c, 11, CTI_ELEM_PI_2_LO)
CTI_ELEM_ATAN2(cti_f8, float, cti_elem_atan_c32, 4, -4.371139e-08)

#undef CTI_ELEM_LOG_STEP
#undef CTI_ELEM_ATAN2
#undef CTI_ELEM_LN2_HI
#undef CTI_ELEM_LN2_LO
#undef CTI_ELEM_PI_2
#undef CTI_ELEM_PI_2_LO
#undef CTI_ELEM_TAN_PI_8

/* ---- 1_math/eig3.h ---- */
/* eig3.h -- 3x3 eigenproblems: symmetric eigenvalues, signed singular values, polar decomposition; and the projection of a small symmetric
   matrix to positive semidefinite. Method: cyclic Jacobi rotations, in eight lanes; the scalar functions run the same lanes, so both give
   the same bits. A lane does not depend on its neighbours. */


/* cti_eig3_8 -- a = v diag(w) v', a [6] = xx yy zz yz xz xy; w [3] descending; v [9] row-major, eigenvectors are its columns, det v = +1.
 */
CTI_FN void cti_eig3_8(const cti_r8 *a, cti_r8 *w, cti_r8 *v);
/* cti_svd3_8 -- f = u diag(s) v' with rotations u, v (det +1): |s0| >= |s1| >= |s2| to rounding, only s2 is negative, when det f is. */
CTI_FN void cti_svd3_8(const cti_r8 *f, cti_r8 *u, cti_r8 *s, cti_r8 *v);
/* cti_psd3_8 -- a [6] with negative eigenvalues set to zero; a lane that is positive definite already is left as it is. */
CTI_FN void cti_psd3_8(cti_r8 *a);

/* The same for one matrix. a [6] as above; f, u, v [9] row-major. */
CTI_FN void cti_eig3(const ct_real *a, ct_real *w, ct_real *v);
CTI_FN void cti_svd3(const ct_real *f, ct_real *u, ct_real *s, ct_real *v);
/* cti_polar3 -- the rotation r nearest to f, f = r s with s symmetric; det r = +1 also where det f < 0 or f is singular. */
CTI_FN void cti_polar3(const ct_real *f, ct_real *r);
/* cti_psd_project -- a [n n] symmetric, n <= 12, in place: eigenvalues below `least` become `least`. */
CTI_FN void cti_psd_project(ct_real *a, int n, ct_real least);


/* ---- 1_math/eig3.c ---- */
/* eig3.c -- symmetric 3x3 eigenproblem, signed SVD and polar decomposition in eight lanes; positive semidefinite projection up to 12x12.
   Method: cyclic Jacobi on A; for the SVD on F'F, then one one-sided rotation on the two small columns of B = F V, so that their angle does
   not suffer from squaring, and a QR step: u = orthonormalized columns of B, s = u . B, the sign of det F ends in s2.
   based on: Golub and Van Loan, Matrix Computations, 8.5; Hestenes 1958; McAdams et al. 2011 (sorting and signs);
   Teran et al. 2005 (why the signs are wanted). */

#if CONTACT_REAL == 32
#define CTI_EIG3_TINY CTI_R(1e-30f)
#else
#define CTI_EIG3_TINY CTI_R(1e-280)
#endif
enum { CTI_EIG3_SWEEPS = 8 };

/* columns p, q of v: (c p - s q, s p + c q) */
CTI_INLINE void cti_eig3_turn(cti_r8 *v, int p, int q, cti_r8 c, cti_r8 s)
{
    int i;
    for (i = 0; i < 3; i++) {
        cti_r8 a = v[3 * i + p], b = v[3 * i + q];
        v[3 * i + p] = cti_nmad8(cti_mul8(c, a), s, b);
        v[3 * i + q] = cti_mad8(cti_mul8(s, a), c, b);
    }
}

/* One rotation that makes apq zero; lanes where |apq| <= eps/2 sqrt(app aqq) keep all their bits. Returns whether any lane turned. */
CTI_INLINE int cti_eig3_rotate(cti_r8 *app, cti_r8 *aqq, cti_r8 *apq, cti_r8 *arp, cti_r8 *arq, cti_r8 *v, int p, int q)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1);
    cti_r8 g = *apq, g2 = cti_mul8(g, g), turn, d, t, c, s, r;
    turn = cti_lt8(cti_scale8(CTI_EPS * CTI_EPS / 4, cti_abs8(cti_mul8(*app, *aqq))), g2);
    if (!cti_bits8(turn))
        return 0;
    /* t = tan of the smaller angle, |t| <= 1 */
    d = cti_scale8(CTI_R(0.5), cti_sub8(*aqq, *app));
    t = cti_div8(g, cti_max8(cti_add8(cti_abs8(d), cti_sqrt8(cti_mad8(g2, d, d))), cti_set8(CTI_EIG3_TINY)));
    t = cti_max8(cti_min8(t, one), cti_set8(-1));
    t = cti_select8(cti_lt8(d, zero), cti_neg8(t), t);
    t = cti_select8(turn, t, zero);
    c = cti_div8(one, cti_sqrt8(cti_mad8(one, t, t))), s = cti_mul8(t, c);
    *app = cti_nmad8(*app, t, g), *aqq = cti_mad8(*aqq, t, g);
    *apq = cti_select8(turn, zero, g);
    r = *arp;
    *arp = cti_nmad8(cti_mul8(c, r), s, *arq), *arq = cti_mad8(cti_mul8(s, r), c, *arq);
    cti_eig3_turn(v, p, q, c, s);
    return 1;
}

/* where w[q] > w[p]: swap them, columns (p, q) of v become (q, -p), so that det v stays */
CTI_INLINE void cti_eig3_order(cti_r8 *w, cti_r8 *v, int p, int q)
{
    cti_r8 swap = cti_lt8(w[p], w[q]), a = w[p];
    int i;
    w[p] = cti_select8(swap, w[q], a), w[q] = cti_select8(swap, a, w[q]);
    for (i = 0; i < 3; i++) {
        a = v[3 * i + p];
        v[3 * i + p] = cti_select8(swap, v[3 * i + q], a);
        v[3 * i + q] = cti_select8(swap, cti_neg8(a), v[3 * i + q]);
    }
}

CTI_FN void cti_eig3_8(const cti_r8 *a, cti_r8 *w, cti_r8 *v)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1);
    cti_r8 xx = a[0], yy = a[1], zz = a[2], yz = a[3], xz = a[4], xy = a[5];
    int sweep, turned = 1;
    v[0] = v[4] = v[8] = one;
    v[1] = v[2] = v[3] = v[5] = v[6] = v[7] = zero;
    for (sweep = 0; sweep < CTI_EIG3_SWEEPS && turned; sweep++) {
        turned = cti_eig3_rotate(&xx, &yy, &xy, &xz, &yz, v, 0, 1);
        turned |= cti_eig3_rotate(&xx, &zz, &xz, &xy, &yz, v, 0, 2);
        turned |= cti_eig3_rotate(&yy, &zz, &yz, &xy, &xz, v, 1, 2);
    }
    w[0] = xx, w[1] = yy, w[2] = zz;
    cti_eig3_order(w, v, 0, 1);
    cti_eig3_order(w, v, 1, 2);
    cti_eig3_order(w, v, 0, 1);
}

/* u1 = b1 / |b1|, u2 = b2 made orthogonal to u1 (twice) and normalized, u3 = u1 x u2; columns of b without a direction get one */
CTI_INLINE void cti_eig3_frame(const cti_r8 *b, cti_r8 *u, cti_r8 *s)
{
    const cti_r8 zero = cti_set8(0), one = cti_set8(1), tiny = cti_set8(CTI_EIG3_TINY);
    cti_r8 u1[3], u2[3], u3[3], n2, ok, d, e[3], c[3];
    int i, pass;
    n2 = cti_sum3_8(b[0], b[0], b[3], b[3], b[6], b[6]), ok = cti_lt8(tiny, n2);
    d = cti_div8(one, cti_sqrt8(cti_select8(ok, n2, one)));
    for (i = 0; i < 3; i++)
        u1[i] = cti_select8(ok, cti_mul8(b[3 * i], d), i == 0 ? one : zero), u2[i] = b[3 * i + 1];
    for (pass = 0; pass < 2; pass++) {
        d = cti_dot8(u1, u2);
        for (i = 0; i < 3; i++)
            u2[i] = cti_nmad8(u2[i], d, u1[i]);
    }
    /* where b2 vanishes: a unit vector orthogonal to u1, from the axis that u1 is far from */
    n2 = cti_dot8(u2, u2), ok = cti_lt8(tiny, n2);
    if (cti_bits8(ok) != 255) {
        d = cti_lt8(cti_abs8(u1[0]), cti_set8(CTI_R(0.7)));
        e[0] = cti_select8(d, one, zero), e[1] = cti_select8(d, zero, one), e[2] = zero;
        cti_cross8(u1, e, c);
        for (i = 0; i < 3; i++)
            u2[i] = cti_select8(ok, u2[i], c[i]);
        n2 = cti_dot8(u2, u2);
    }
    d = cti_div8(one, cti_sqrt8(n2));
    cti_scale3_8(d, u2, u2);
    cti_cross8(u1, u2, u3);
    for (i = 0; i < 3; i++)
        u[3 * i] = u1[i], u[3 * i + 1] = u2[i], u[3 * i + 2] = u3[i];
    s[0] = cti_sum3_8(u1[0], b[0], u1[1], b[3], u1[2], b[6]);
    s[1] = cti_sum3_8(u2[0], b[1], u2[1], b[4], u2[2], b[7]);
    s[2] = cti_sum3_8(u3[0], b[2], u3[1], b[5], u3[2], b[8]);
}

CTI_FN void cti_svd3_8(const cti_r8 *f, cti_r8 *u, cti_r8 *s, cti_r8 *v)
{
    cti_r8 a[6], w[3], b[9], pq, r0, r1;
    /* F'F = V diag(w) V' */
    a[0] = cti_sum3_8(f[0], f[0], f[3], f[3], f[6], f[6]), a[1] = cti_sum3_8(f[1], f[1], f[4], f[4], f[7], f[7]);
    a[2] = cti_sum3_8(f[2], f[2], f[5], f[5], f[8], f[8]), a[3] = cti_sum3_8(f[1], f[2], f[4], f[5], f[7], f[8]);
    a[4] = cti_sum3_8(f[0], f[2], f[3], f[5], f[6], f[8]), a[5] = cti_sum3_8(f[0], f[1], f[3], f[4], f[6], f[7]);
    cti_eig3_8(a, w, v);
    /* B = F V; turn columns 2, 3 until they are orthogonal to rounding of themselves, the longer one first */
    cti_matmul8(f, v, b);
    w[1] = cti_sum3_8(b[1], b[1], b[4], b[4], b[7], b[7]), w[2] = cti_sum3_8(b[2], b[2], b[5], b[5], b[8], b[8]);
    pq = cti_sum3_8(b[1], b[2], b[4], b[5], b[7], b[8]), r0 = r1 = cti_set8(0);
    cti_eig3_rotate(w + 1, w + 2, &pq, &r0, &r1, v, 1, 2);
    cti_eig3_order(w, v, 1, 2);
    cti_matmul8(f, v, b);
    cti_eig3_frame(b, u, s);
}

CTI_FN void cti_psd3_8(cti_r8 *a)
{
    const cti_r8 zero = cti_set8(0);
    cti_r8 m2, m3, bad, w[3], v[9], p[6];
    int i;
    /* leading minors: positive where the matrix is positive definite */
    m2 = cti_nmad8(cti_mul8(a[0], a[1]), a[5], a[5]);
    m3 = cti_sub8(cti_mul8(a[4], a[5]), cti_mul8(a[0], a[3]));
    m3 = cti_add8(cti_mul8(m2, a[2]), cti_add8(cti_mul8(a[3], m3), cti_mul8(a[4], cti_nmad8(cti_mul8(a[3], a[5]), a[1], a[4]))));
    bad = CTI_R8(or)(CTI_R8(le)(a[0], zero), CTI_R8(or)(CTI_R8(le)(m2, zero), CTI_R8(le)(m3, zero)));
    if (!cti_bits8(bad))
        return;
    cti_eig3_8(a, w, v);
    for (i = 0; i < 3; i++)
        w[i] = cti_max8(w[i], zero);
    /* V max(w, 0) V' */
    for (i = 0; i < 3; i++) {
        const cti_r8 *x = v + 3 * i, *y = v + (i == 0 ? 3 : 0), *z = v + (i == 2 ? 3 : 6);
        p[i] = cti_sum3_8(cti_mul8(w[0], x[0]), x[0], cti_mul8(w[1], x[1]), x[1], cti_mul8(w[2], x[2]), x[2]);
        p[3 + i] = cti_sum3_8(cti_mul8(w[0], y[0]), z[0], cti_mul8(w[1], y[1]), z[1], cti_mul8(w[2], y[2]), z[2]);
    }
    for (i = 0; i < 6; i++)
        a[i] = cti_select8(bad, p[i], a[i]);
}

/* ---- one matrix: the same lanes with the matrix in each ---- */

static void cti_eig3_spread(const ct_real *from, cti_r8 *to, int n)
{
    int i;
    for (i = 0; i < n; i++)
        to[i] = cti_set8(from[i]);
}
static void cti_eig3_first(const cti_r8 *from, ct_real *to, int n)
{
    ct_real t[8];
    int i;
    for (i = 0; i < n; i++) {
        cti_store8(t, from[i]);
        to[i] = t[0];
    }
}

CTI_FN void cti_eig3(const ct_real *a, ct_real *w, ct_real *v)
{
    cti_r8 a8[6], w8[3], v8[9];
    cti_eig3_spread(a, a8, 6);
    cti_eig3_8(a8, w8, v8);
    cti_eig3_first(w8, w, 3);
    cti_eig3_first(v8, v, 9);
}
CTI_FN void cti_svd3(const ct_real *f, ct_real *u, ct_real *s, ct_real *v)
{
    cti_r8 f8[9], u8[9], s8[3], v8[9];
    cti_eig3_spread(f, f8, 9);
    cti_svd3_8(f8, u8, s8, v8);
    cti_eig3_first(u8, u, 9);
    cti_eig3_first(s8, s, 3);
    cti_eig3_first(v8, v, 9);
}
CTI_FN void cti_polar3(const ct_real *f, ct_real *r)
{
    cti_r8 f8[9], u8[9], s8[3], v8[9], r8[9];
    cti_eig3_spread(f, f8, 9);
    cti_svd3_8(f8, u8, s8, v8);
    cti_matmul_t8(u8, v8, r8);
    cti_eig3_first(r8, r, 9);
}

/* one Jacobi rotation of a [n n] and its vectors v [n n] in the plane (p, q) */
static void cti_psd_rotate(ct_real *a, ct_real *v, int n, int p, int q)
{
    ct_real g = a[p * n + q], d, t, c, s;
    int i;
    d = CTI_R(0.5) * (a[q * n + q] - a[p * n + p]);
    t = cti_abs(d) + cti_sqrt(d * d + g * g);
    t = t > 0 ? cti_clamp(g / t, -1, 1) : CTI_R(1);
    t = d < 0 ? -t : t;
    c = 1 / cti_sqrt(1 + t * t), s = t * c;
    for (i = 0; i < n; i++) {
        ct_real x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y, a[i * n + q] = s * x + c * y;
        x = v[i * n + p], y = v[i * n + q];
        v[i * n + p] = c * x - s * y, v[i * n + q] = s * x + c * y;
    }
    for (i = 0; i < n; i++) {
        ct_real x = a[p * n + i], y = a[q * n + i];
        a[p * n + i] = c * x - s * y, a[q * n + i] = s * x + c * y;
    }
}

CTI_FN void cti_psd_project(ct_real *a, int n, ct_real least)
{
    ct_real work[144], v[144], off, all, sum;
    int sweep, i, j, k;
    CTI_ASSERT(n <= 12);
    for (i = 0; i < n * n; i++)
        work[i] = a[i], v[i] = i % (n + 1) == 0 ? CTI_R(1) : CTI_R(0);
    for (sweep = 0; sweep < 30; sweep++) {
        for (off = all = 0, i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                all += work[i * n + j] * work[i * n + j];
                off += i == j ? 0 : work[i * n + j] * work[i * n + j];
            }
        if (!(off > CTI_EPS * CTI_EPS * all))
            break;
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++)
                if (cti_abs(work[i * n + j]) > 0)
                    cti_psd_rotate(work, v, n, i, j);
    }
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            for (sum = 0, k = 0; k < n; k++)
                sum += v[i * n + k] * cti_max(work[k * n + k], least) * v[j * n + k];
            a[i * n + j] = a[j * n + i] = sum;
        }
}

#undef CTI_EIG3_TINY

/* ---- 1_math/dd.h ---- */
/* dd.h -- double-double numbers hi + lo, |lo| <= ulp(hi)/2: about 106 bits, in both builds.
   Errors, u = 2^-53, barring underflow and overflow: cti_dd_diff exact; add, sub 4 u^2 (|a| + |b|); mul 8 u^2 |a| |b|; half exact.
   So each operation errs by at most CTI_DD_U = 8 u^2 times the sum of the sizes of its operands or their product. No fused operation is
   used or needed; the file must be compiled without contraction and without value-changing optimisation. based on: Dekker 1971; Knuth
   (two-sum); Joldes, Muller, Popescu 2017 (bounds). */


#define CTI_DD_U (8 * 1.2325951644078309e-32)

typedef struct cti_dd {
    double hi, lo;
} cti_dd;

/* cti_dd_diff -- a - b exactly (two-sum) */
CTI_INLINE cti_dd cti_dd_diff(double a, double b)
{
    cti_dd r;
    double t;
    r.hi = a - b;
    t = r.hi - a;
    r.lo = (a - (r.hi - t)) - (b + t);
    return r;
}
CTI_INLINE cti_dd cti_dd_sum(double a, double b) { return cti_dd_diff(a, -b); }
CTI_INLINE cti_dd cti_dd_add(cti_dd a, cti_dd b)
{
    cti_dd s = cti_dd_sum(a.hi, b.hi);
    return cti_dd_sum(s.hi, s.lo + (a.lo + b.lo));
}
CTI_INLINE cti_dd cti_dd_neg(cti_dd a)
{
    a.hi = -a.hi, a.lo = -a.lo;
    return a;
}
CTI_INLINE cti_dd cti_dd_sub(cti_dd a, cti_dd b) { return cti_dd_add(a, cti_dd_neg(b)); }
CTI_INLINE cti_dd cti_dd_mul(cti_dd a, cti_dd b)
{
    /* product of the high parts exactly, by Dekker's splitting with 2^27 + 1 */
    double p = a.hi * b.hi, c = 134217729.0 * a.hi, d = 134217729.0 * b.hi, a1 = c - (c - a.hi), b1 = d - (d - b.hi), a2 = a.hi - a1,
           b2 = b.hi - b1, e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    return cti_dd_sum(p, e + (a.hi * b.lo + a.lo * b.hi));
}
/* cti_dd_scale -- times a power of two: exact */
CTI_INLINE cti_dd cti_dd_scale(cti_dd a, double s)
{
    a.hi *= s, a.lo *= s;
    return a;
}


/* ---- 1_math/exact.h ---- */
/* exact.h -- signs that rounding cannot change: expansion arithmetic and orientation tests on doubles.
   Method: a number is an unevaluated sum of doubles (an expansion) whose parts do not overlap, smallest first; sums and products of
   expansions are exact. A sign is taken from plain arithmetic when a bound of its error allows, else from an expansion.
   Exact while all parts stay in range: nonzero coordinates between 2^-200 and 2^300 in size (every nonzero float is). No fused
   multiply-add, round to nearest. based on: Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates,
   1997; Dekker 1971, Knuth. */


/* cti_two_sum -- s + e = a + b exactly, s the rounded sum (Knuth). */
CTI_INLINE double cti_two_sum(double a, double b, double *e)
{
    double s = a + b, bv = s - a, av = s - bv;
    *e = (a - av) + (b - bv);
    return s;
}
/* cti_two_product -- p + e = a b exactly, p the rounded product (Dekker; Veltkamp's split by 2^27 + 1). */
CTI_INLINE double cti_two_product(double a, double b, double *e)
{
    double p = a * b, c = 134217729.0 * a, ah = c - (c - a), al = a - ah, bh, bl;
    c = 134217729.0 * b;
    bh = c - (c - b);
    bl = b - bh;
    *e = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    return p;
}

/* cti_expansion_sum -- h = e + f; h [ne + nf] may not be e or f. cti_expansion_scale -- h = b e; h [2 ne]. cti_expansion_product -- h = e
   f; h and scratch [2 ne nf] each. All return the length of h, at least 1; zero parts are left out (0 itself is one part). */
CTI_FN int cti_expansion_sum(int ne, const double *e, int nf, const double *f, double *h);
CTI_FN int cti_expansion_scale(int ne, const double *e, double b, double *h);
CTI_FN int cti_expansion_product(int ne, const double *e, int nf, const double *f, double *h, double *scratch);
/* cti_expansion_sign -- -1, 0, 1. */
CTI_FN int cti_expansion_sign(int ne, const double *e);

/* cti_exact_orient2d -- the exact sign of (b - a) x (c - a): 1 when a, b, c turn counter-clockwise, 0 on one line. */
CTI_FN int cti_exact_orient2d(const double a[2], const double b[2], const double c[2]);
/* cti_exact_orient3d -- the exact sign of dot(cross(b - a, c - a), d - a): 1 for a positive tet, 0 in one plane. */
CTI_FN int cti_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);


/* ---- 1_math/exact.c ---- */
/* exact.c -- expansion arithmetic and orientation signs. Method: exact.h.
   based on: Shewchuk 1997: fast expansion sum with zero elimination (fig. 13), scale expansion (fig. 13 of the paper's section 2.5), error
   bounds of the first filter of orient2d and orient3d (section 4).
   // differs: one exact stage in place of the adaptive ones between filter and end; short parts make it cheap on grids. */

/* unit roundoff 2^-53 and the bounds (3 + 16 u) u, (7 + 56 u) u; below CTI_EXACT_TINY products may have lost bits to underflow */
#define CTI_EXACT_U 1.1102230246251565e-16
#define CTI_EXACT_BOUND2 ((3.0 + 16.0 * CTI_EXACT_U) * CTI_EXACT_U)
#define CTI_EXACT_BOUND3 ((7.0 + 56.0 * CTI_EXACT_U) * CTI_EXACT_U)
#define CTI_EXACT_TINY 1e-280

CTI_FN int cti_expansion_sum(int ne, const double *e, int nf, const double *f, double *h)
{
    int i = 0, j = 0, n = 0;
    double q = 0, r;
    /* parts in the order of their size, added one by one; roundoff errors are the parts of the sum */
    while (i < ne || j < nf) {
        double t;
        if (j >= nf || (i < ne && (e[i] < 0 ? -e[i] : e[i]) < (f[j] < 0 ? -f[j] : f[j])))
            t = e[i++];
        else
            t = f[j++];
        q = cti_two_sum(q, t, &r);
        if (r != 0)
            h[n++] = r;
    }
    if (q != 0 || n == 0)
        h[n++] = q;
    return n;
}

CTI_FN int cti_expansion_scale(int ne, const double *e, double b, double *h)
{
    int i, n = 0;
    double q, r, p, s, t;
    q = cti_two_product(e[0], b, &r);
    if (r != 0)
        h[n++] = r;
    for (i = 1; i < ne; i++) {
        p = cti_two_product(e[i], b, &s);
        t = cti_two_sum(q, s, &r);
        if (r != 0)
            h[n++] = r;
        q = cti_two_sum(p, t, &r);
        if (r != 0)
            h[n++] = r;
    }
    if (q != 0 || n == 0)
        h[n++] = q;
    return n;
}

CTI_FN int cti_expansion_product(int ne, const double *e, int nf, const double *f, double *h, double *scratch)
{
    double part[64];
    int n = 0, j, k;
    CTI_ASSERT(ne <= 32);
    for (j = 0; j < nf; j++) {
        int m = cti_expansion_scale(ne, e, f[j], part);
        if (j == 0) {
            for (k = 0; k < m; k++)
                h[k] = part[k];
            n = m;
            continue;
        }
        for (k = 0; k < n; k++)
            scratch[k] = h[k];
        n = cti_expansion_sum(n, scratch, m, part, h);
    }
    return n;
}

CTI_FN int cti_expansion_sign(int ne, const double *e)
{
    double top = ne > 0 ? e[ne - 1] : 0;
    return top > 0 ? 1 : (top < 0 ? -1 : 0);
}

/* a - b as an expansion; its length. */
static int cti_exact_difference(double a, double b, double d[2])
{
    double e, s = cti_two_sum(a, -b, &e);
    if (e == 0) {
        d[0] = s;
        return 1;
    }
    d[0] = e, d[1] = s;
    return 2;
}

/* p q - r s for expansions of at most two parts: h [16]. */
static int cti_exact_minor(int np, const double *p, int nq, const double *q, int nr, const double *r, int ns, const double *s, double *h)
{
    double x[8], y[8], scratch[8];
    int nx = cti_expansion_product(np, p, nq, q, x, scratch), ny = cti_expansion_product(nr, r, ns, s, y, scratch), i;
    for (i = 0; i < ny; i++)
        y[i] = -y[i];
    return cti_expansion_sum(nx, x, ny, y, h);
}

static int cti_exact_orient2d_full(const double a[2], const double b[2], const double c[2])
{
    double p[2], q[2], r[2], s[2], h[16];
    int np = cti_exact_difference(b[0], a[0], p), nq = cti_exact_difference(c[1], a[1], q);
    int nr = cti_exact_difference(b[1], a[1], r), ns = cti_exact_difference(c[0], a[0], s);
    return cti_expansion_sign(cti_exact_minor(np, p, nq, q, nr, r, ns, s, h), h);
}

CTI_FN int cti_exact_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]), det = left - right;
    double bound = CTI_EXACT_BOUND2 * ((left < 0 ? -left : left) + (right < 0 ? -right : right)) + CTI_EXACT_TINY;
    if (det > bound)
        return 1;
    if (det < -bound)
        return -1;
    return cti_exact_orient2d_full(a, b, c);
}

/* det [u; v; w] with u = a - d, v = b - d, w = c - d by the third column, exactly. */
static int cti_exact_orient3d_full(const double *a, const double *b, const double *c, const double *d)
{
    double u[3][2], v[3][2], w[3][2], m[16], part[64], scratch[64], sum[192], total[192];
    int nu[3], nv[3], nw[3], k, i, n = 1, np;
    for (k = 0; k < 3; k++) {
        nu[k] = cti_exact_difference(a[k], d[k], u[k]);
        nv[k] = cti_exact_difference(b[k], d[k], v[k]);
        nw[k] = cti_exact_difference(c[k], d[k], w[k]);
    }
    total[0] = 0;
    for (k = 0; k < 3; k++) {
        const double *z = k == 0 ? u[2] : (k == 1 ? v[2] : w[2]);
        int nz = k == 0 ? nu[2] : (k == 1 ? nv[2] : nw[2]);
        if (k == 0)
            np = cti_exact_minor(nv[0], v[0], nw[1], w[1], nw[0], w[0], nv[1], v[1], m);
        else if (k == 1)
            np = cti_exact_minor(nw[0], w[0], nu[1], u[1], nu[0], u[0], nw[1], w[1], m);
        else
            np = cti_exact_minor(nu[0], u[0], nv[1], v[1], nv[0], v[0], nu[1], u[1], m);
        np = cti_expansion_product(np, m, nz, z, part, scratch);
        for (i = 0; i < n; i++)
            sum[i] = total[i];
        n = cti_expansion_sum(n, sum, np, part, total);
    }
    return -cti_expansion_sign(n, total);
}

CTI_FN int cti_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ux = a[0] - d[0], uy = a[1] - d[1], uz = a[2] - d[2];
    double vx = b[0] - d[0], vy = b[1] - d[1], vz = b[2] - d[2];
    double wx = c[0] - d[0], wy = c[1] - d[1], wz = c[2] - d[2];
    double vw = vx * wy, wv = wx * vy, wu = wx * uy, uw = ux * wy, uv = ux * vy, vu = vx * uy;
    double det = uz * (vw - wv) + vz * (wu - uw) + wz * (uv - vu);
    /* the sum of the sizes of all products bounds the error */
    double size = (fabs(vw) + fabs(wv)) * fabs(uz) + (fabs(wu) + fabs(uw)) * fabs(vz) + (fabs(uv) + fabs(vu)) * fabs(wz);
    double bound = CTI_EXACT_BOUND3 * size + CTI_EXACT_TINY;
    if (det > bound)
        return -1;
    if (det < -bound)
        return 1;
    return cti_exact_orient3d_full(a, b, c, d);
}
#undef CTI_EXACT_U
#undef CTI_EXACT_BOUND2
#undef CTI_EXACT_BOUND3
#undef CTI_EXACT_TINY

/* ---- 2_linalg/kernel.h ---- */
/* kernel.h -- the small matrix product below every dense and supernodal routine, in float and double.
   A tile is four broadcast rows times one or two strips of eight lanes; operands are read with strides, so that strips (8 numbers per k,
   stride 8) and row-major matrices (stride ld) use the same code. Products are summed in order of k, lane by lane, without fused
   multiply-add: every SIMD path gives the same bits.
   based on: Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008 (register blocking). */


/* cti_strips -- n numbers in strips of eight lanes; cti_pad8, cti_pad4 -- n rounded up. */
CTI_INLINE int cti_strips(int n) { return (n + 7) >> 3; }
CTI_INLINE int cti_pad8(int n) { return (n + 7) & ~7; }
CTI_INLINE int cti_pad4(int n) { return (n + 3) & ~3; }

/* cti_k_keep -- the value stays in its register: without it gcc folds a load into each of its uses, and the tile is bound by loads. */
#if CTI_SIMD == CTI_SIMD_AVX2 && (defined(__GNUC__) || defined(__clang__))
#define CTI_K_KEEP32(v) __asm__("" : "+x"((v).a))
#define CTI_K_KEEP64(v) __asm__("" : "+x"((v).a), "+x"((v).b))
#else
#define CTI_K_KEEP32(v) ((void)0)
#define CTI_K_KEEP64(v) ((void)0)
#endif

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_T_IS_FLOAT 1
#define CTI_K_KEEP CTI_K_KEEP32
/* kernel.inl -- micro kernels for one number type; included by kernel.h. a[q] points at row q's first number; row q at k is a[q][k sa], the
   strip at k is b[k sb .. k sb + 7]. */

/* cti_k_tile1 -- c[q] = sum_k a_q(k) b(k), q = 0..3 */
CTI_INLINE void CTI_TN(cti_k, tile1)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, size_t sb, CTI_TVEC c[4])
{
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, v;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        v = CTI_TV(load)(b + j);
        CTI_K_KEEP(v);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(set)(a0[i]), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(set)(a1[i]), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(set)(a2[i]), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(set)(a3[i]), v));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* cti_k_tile2 -- the same for two strips: c[q] from b, c[4 + q] from e */
CTI_INLINE void CTI_TN(cti_k, tile2)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, const CTI_T *e, size_t sb, CTI_TVEC c[8])
{
#if CTI_T_IS_FLOAT
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, d0 = c0, d1 = c0, d2 = c0, d3 = c0, v, w, s;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        v = CTI_TV(load)(b + j), w = CTI_TV(load)(e + j);
        CTI_K_KEEP(v);
        CTI_K_KEEP(w);
        s = CTI_TV(set)(a0[i]);
        CTI_K_KEEP(s);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(s, v)), d0 = CTI_TV(add)(d0, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a1[i]);
        CTI_K_KEEP(s);
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(s, v)), d1 = CTI_TV(add)(d1, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a2[i]);
        CTI_K_KEEP(s);
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(s, v)), d2 = CTI_TV(add)(d2, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a3[i]);
        CTI_K_KEEP(s);
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(s, v)), d3 = CTI_TV(add)(d3, CTI_TV(mul)(s, w));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3, c[4] = d0, c[5] = d1, c[6] = d2, c[7] = d3;
#else
    CTI_TN(cti_k, tile1)(K, a, sa, b, sb, c);
    CTI_TN(cti_k, tile1)(K, a, sa, e, sb, c + 4);
#endif
}

/* Groups of four vectors at p, p + step, ...: written out, so that they stay in registers. */
CTI_INLINE void CTI_TN(cti_k, load4)(const CTI_T *p, size_t step, CTI_TVEC v[4])
{
    v[0] = CTI_TV(load)(p), v[1] = CTI_TV(load)(p + step), v[2] = CTI_TV(load)(p + 2 * step), v[3] = CTI_TV(load)(p + 3 * step);
}
CTI_INLINE void CTI_TN(cti_k, store4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, v[0]), CTI_TV(store)(p + step, v[1]), CTI_TV(store)(p + 2 * step, v[2]), CTI_TV(store)(p + 3 * step, v[3]);
}
CTI_INLINE void CTI_TN(cti_k, add4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, CTI_TV(add)(CTI_TV(load)(p), v[0]));
    CTI_TV(store)(p + step, CTI_TV(add)(CTI_TV(load)(p + step), v[1]));
    CTI_TV(store)(p + 2 * step, CTI_TV(add)(CTI_TV(load)(p + 2 * step), v[2]));
    CTI_TV(store)(p + 3 * step, CTI_TV(add)(CTI_TV(load)(p + 3 * step), v[3]));
}
/* cti_k_sum4 -- v += w */
CTI_INLINE void CTI_TN(cti_k, sum4)(CTI_TVEC v[4], const CTI_TVEC w[4])
{
    v[0] = CTI_TV(add)(v[0], w[0]), v[1] = CTI_TV(add)(v[1], w[1]), v[2] = CTI_TV(add)(v[2], w[2]), v[3] = CTI_TV(add)(v[3], w[3]);
}
/* cti_k_sub1 -- p[0..7] -= v */
CTI_INLINE void CTI_TN(cti_k, sub1)(CTI_T *p, CTI_TVEC v) { CTI_TV(store)(p, CTI_TV(sub)(CTI_TV(load)(p), v)); }

/* cti_k_trsm4 -- four rows of a triangular solve with many right sides: x_q = (in_q - c_q - sum_{p<q} l_qp x_p) r_q, l_qp = l[q sq + p sp],
   in place in c; in_q at in + q step, or 0 where in is NULL */
CTI_INLINE void CTI_TN(cti_k, trsm4)(const CTI_T *l, size_t sq, size_t sp, const CTI_T *r, const CTI_T *in, size_t step, CTI_TVEC c[4])
{
    CTI_TVEC x0, x1, x2, x3, v[4];
    v[0] = v[1] = v[2] = v[3] = CTI_TV(set)(0);
    if (in)
        CTI_TN(cti_k, load4)(in, step, v);
    x0 = CTI_TV(mul)(CTI_TV(sub)(v[0], c[0]), CTI_TV(set)(r[0]));
    x1 = CTI_TV(sub)(CTI_TV(sub)(v[1], c[1]), CTI_TV(mul)(CTI_TV(set)(l[sq]), x0));
    x1 = CTI_TV(mul)(x1, CTI_TV(set)(r[1]));
    x2 = CTI_TV(sub)(CTI_TV(sub)(v[2], c[2]), CTI_TV(mul)(CTI_TV(set)(l[2 * sq]), x0));
    x2 = CTI_TV(mul)(CTI_TV(sub)(x2, CTI_TV(mul)(CTI_TV(set)(l[2 * sq + sp]), x1)), CTI_TV(set)(r[2]));
    x3 = CTI_TV(sub)(CTI_TV(sub)(v[3], c[3]), CTI_TV(mul)(CTI_TV(set)(l[3 * sq]), x0));
    x3 = CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + sp]), x1));
    x3 = CTI_TV(mul)(CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + 2 * sp]), x2)), CTI_TV(set)(r[3]));
    c[0] = x0, c[1] = x1, c[2] = x2, c[3] = x3;
}

/* cti_k_judge -- a pivot, or its replacement: what is not above eps orig, or not finite, becomes |orig|, or 1 where that is no use */
CTI_INLINE CTI_T CTI_TN(cti_k, judge)(CTI_T s, CTI_T orig, CTI_T eps, int *boosted)
{
    if (CTI_LIKELY(s > eps * orig && s > (CTI_T)1e-36 && s < (CTI_T)1e36))
        return s;
    ++*boosted;
    s = orig < 0 ? -orig : orig;
    return s > (CTI_T)1e-30 && s < (CTI_T)1e30 ? s : 1;
}

CTI_INLINE CTI_T CTI_TN(cti_k, root)(CTI_T s)
{
#if CTI_T_IS_FLOAT
    return sqrtf(s);
#else
    return sqrt(s);
#endif
}

/* cti_k_chol4 -- l l' = d for a 4x4 block, l lower triangular with zeros above, r its inverse diagonal. orig[q] is the diagonal before any
   elimination (see judge). d and l [16] with stride 4, may be the same. The recurrence is that of l D l', whose chain has no square root.
   Returns the number of replaced pivots. */
CTI_INLINE int CTI_TN(cti_k, chol4)(const CTI_T *d, const CTI_T *orig, CTI_T eps, CTI_T *l, CTI_T *r)
{
    int boosted = 0;
    CTI_T u10 = d[4], u20 = d[8], u21 = d[9], u30 = d[12], u31 = d[13], u32 = d[14], s0, s1, s2, s3, i, t1, t2, t3;
    s0 = CTI_TN(cti_k, judge)(d[0], orig[0], eps, &boosted);
    i = 1 / s0, t1 = u10 * i, t2 = u20 * i, t3 = u30 * i;
    s1 = CTI_TN(cti_k, judge)(d[5] - t1 * u10, orig[1], eps, &boosted);
    u21 -= t2 * u10, u31 -= t3 * u10, s2 = d[10] - t2 * u20, u32 -= t3 * u20, s3 = d[15] - t3 * u30;
    i = 1 / s1, t2 = u21 * i, t3 = u31 * i;
    s2 = CTI_TN(cti_k, judge)(s2 - t2 * u21, orig[2], eps, &boosted);
    u32 -= t3 * u21, s3 -= t3 * u31;
    s3 = CTI_TN(cti_k, judge)(s3 - u32 / s2 * u32, orig[3], eps, &boosted);
    s0 = CTI_TN(cti_k, root)(s0), s1 = CTI_TN(cti_k, root)(s1), s2 = CTI_TN(cti_k, root)(s2), s3 = CTI_TN(cti_k, root)(s3);
    r[0] = 1 / s0, r[1] = 1 / s1, r[2] = 1 / s2, r[3] = 1 / s3;
    l[0] = s0, l[1] = 0, l[2] = 0, l[3] = 0;
    l[4] = u10 * r[0], l[5] = s1, l[6] = 0, l[7] = 0;
    l[8] = u20 * r[0], l[9] = u21 * r[1], l[10] = s2, l[11] = 0;
    l[12] = u30 * r[0], l[13] = u31 * r[1], l[14] = u32 * r[2], l[15] = s3;
    return boosted;
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_T_IS_FLOAT
#undef CTI_K_KEEP

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_T_IS_FLOAT 0
#define CTI_K_KEEP CTI_K_KEEP64
/* kernel.inl -- micro kernels for one number type; included by kernel.h. a[q] points at row q's first number; row q at k is a[q][k sa], the
   strip at k is b[k sb .. k sb + 7]. */

/* cti_k_tile1 -- c[q] = sum_k a_q(k) b(k), q = 0..3 */
CTI_INLINE void CTI_TN(cti_k, tile1)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, size_t sb, CTI_TVEC c[4])
{
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, v;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        v = CTI_TV(load)(b + j);
        CTI_K_KEEP(v);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(set)(a0[i]), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(set)(a1[i]), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(set)(a2[i]), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(set)(a3[i]), v));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* cti_k_tile2 -- the same for two strips: c[q] from b, c[4 + q] from e */
CTI_INLINE void CTI_TN(cti_k, tile2)(int K, const CTI_T *const a[4], size_t sa, const CTI_T *b, const CTI_T *e, size_t sb, CTI_TVEC c[8])
{
#if CTI_T_IS_FLOAT
    const CTI_T *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    CTI_TVEC c0 = CTI_TV(set)(0), c1 = c0, c2 = c0, c3 = c0, d0 = c0, d1 = c0, d2 = c0, d3 = c0, v, w, s;
    size_t i = 0, j = 0;
    for (; K > 0; K--, i += sa, j += sb) {
        v = CTI_TV(load)(b + j), w = CTI_TV(load)(e + j);
        CTI_K_KEEP(v);
        CTI_K_KEEP(w);
        s = CTI_TV(set)(a0[i]);
        CTI_K_KEEP(s);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(s, v)), d0 = CTI_TV(add)(d0, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a1[i]);
        CTI_K_KEEP(s);
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(s, v)), d1 = CTI_TV(add)(d1, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a2[i]);
        CTI_K_KEEP(s);
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(s, v)), d2 = CTI_TV(add)(d2, CTI_TV(mul)(s, w));
        s = CTI_TV(set)(a3[i]);
        CTI_K_KEEP(s);
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(s, v)), d3 = CTI_TV(add)(d3, CTI_TV(mul)(s, w));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3, c[4] = d0, c[5] = d1, c[6] = d2, c[7] = d3;
#else
    CTI_TN(cti_k, tile1)(K, a, sa, b, sb, c);
    CTI_TN(cti_k, tile1)(K, a, sa, e, sb, c + 4);
#endif
}

/* Groups of four vectors at p, p + step, ...: written out, so that they stay in registers. */
CTI_INLINE void CTI_TN(cti_k, load4)(const CTI_T *p, size_t step, CTI_TVEC v[4])
{
    v[0] = CTI_TV(load)(p), v[1] = CTI_TV(load)(p + step), v[2] = CTI_TV(load)(p + 2 * step), v[3] = CTI_TV(load)(p + 3 * step);
}
CTI_INLINE void CTI_TN(cti_k, store4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, v[0]), CTI_TV(store)(p + step, v[1]), CTI_TV(store)(p + 2 * step, v[2]), CTI_TV(store)(p + 3 * step, v[3]);
}
CTI_INLINE void CTI_TN(cti_k, add4)(CTI_T *p, size_t step, const CTI_TVEC v[4])
{
    CTI_TV(store)(p, CTI_TV(add)(CTI_TV(load)(p), v[0]));
    CTI_TV(store)(p + step, CTI_TV(add)(CTI_TV(load)(p + step), v[1]));
    CTI_TV(store)(p + 2 * step, CTI_TV(add)(CTI_TV(load)(p + 2 * step), v[2]));
    CTI_TV(store)(p + 3 * step, CTI_TV(add)(CTI_TV(load)(p + 3 * step), v[3]));
}
/* cti_k_sum4 -- v += w */
CTI_INLINE void CTI_TN(cti_k, sum4)(CTI_TVEC v[4], const CTI_TVEC w[4])
{
    v[0] = CTI_TV(add)(v[0], w[0]), v[1] = CTI_TV(add)(v[1], w[1]), v[2] = CTI_TV(add)(v[2], w[2]), v[3] = CTI_TV(add)(v[3], w[3]);
}
/* cti_k_sub1 -- p[0..7] -= v */
CTI_INLINE void CTI_TN(cti_k, sub1)(CTI_T *p, CTI_TVEC v) { CTI_TV(store)(p, CTI_TV(sub)(CTI_TV(load)(p), v)); }

/* cti_k_trsm4 -- four rows of a triangular solve with many right sides: x_q = (in_q - c_q - sum_{p<q} l_qp x_p) r_q, l_qp = l[q sq + p sp],
   in place in c; in_q at in + q step, or 0 where in is NULL */
CTI_INLINE void CTI_TN(cti_k, trsm4)(const CTI_T *l, size_t sq, size_t sp, const CTI_T *r, const CTI_T *in, size_t step, CTI_TVEC c[4])
{
    CTI_TVEC x0, x1, x2, x3, v[4];
    v[0] = v[1] = v[2] = v[3] = CTI_TV(set)(0);
    if (in)
        CTI_TN(cti_k, load4)(in, step, v);
    x0 = CTI_TV(mul)(CTI_TV(sub)(v[0], c[0]), CTI_TV(set)(r[0]));
    x1 = CTI_TV(sub)(CTI_TV(sub)(v[1], c[1]), CTI_TV(mul)(CTI_TV(set)(l[sq]), x0));
    x1 = CTI_TV(mul)(x1, CTI_TV(set)(r[1]));
    x2 = CTI_TV(sub)(CTI_TV(sub)(v[2], c[2]), CTI_TV(mul)(CTI_TV(set)(l[2 * sq]), x0));
    x2 = CTI_TV(mul)(CTI_TV(sub)(x2, CTI_TV(mul)(CTI_TV(set)(l[2 * sq + sp]), x1)), CTI_TV(set)(r[2]));
    x3 = CTI_TV(sub)(CTI_TV(sub)(v[3], c[3]), CTI_TV(mul)(CTI_TV(set)(l[3 * sq]), x0));
    x3 = CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + sp]), x1));
    x3 = CTI_TV(mul)(CTI_TV(sub)(x3, CTI_TV(mul)(CTI_TV(set)(l[3 * sq + 2 * sp]), x2)), CTI_TV(set)(r[3]));
    c[0] = x0, c[1] = x1, c[2] = x2, c[3] = x3;
}

/* cti_k_judge -- a pivot, or its replacement: what is not above eps orig, or not finite, becomes |orig|, or 1 where that is no use */
CTI_INLINE CTI_T CTI_TN(cti_k, judge)(CTI_T s, CTI_T orig, CTI_T eps, int *boosted)
{
    if (CTI_LIKELY(s > eps * orig && s > (CTI_T)1e-36 && s < (CTI_T)1e36))
        return s;
    ++*boosted;
    s = orig < 0 ? -orig : orig;
    return s > (CTI_T)1e-30 && s < (CTI_T)1e30 ? s : 1;
}

CTI_INLINE CTI_T CTI_TN(cti_k, root)(CTI_T s)
{
#if CTI_T_IS_FLOAT
    return sqrtf(s);
#else
    return sqrt(s);
#endif
}

/* cti_k_chol4 -- l l' = d for a 4x4 block, l lower triangular with zeros above, r its inverse diagonal. orig[q] is the diagonal before any
   elimination (see judge). d and l [16] with stride 4, may be the same. The recurrence is that of l D l', whose chain has no square root.
   Returns the number of replaced pivots. */
CTI_INLINE int CTI_TN(cti_k, chol4)(const CTI_T *d, const CTI_T *orig, CTI_T eps, CTI_T *l, CTI_T *r)
{
    int boosted = 0;
    CTI_T u10 = d[4], u20 = d[8], u21 = d[9], u30 = d[12], u31 = d[13], u32 = d[14], s0, s1, s2, s3, i, t1, t2, t3;
    s0 = CTI_TN(cti_k, judge)(d[0], orig[0], eps, &boosted);
    i = 1 / s0, t1 = u10 * i, t2 = u20 * i, t3 = u30 * i;
    s1 = CTI_TN(cti_k, judge)(d[5] - t1 * u10, orig[1], eps, &boosted);
    u21 -= t2 * u10, u31 -= t3 * u10, s2 = d[10] - t2 * u20, u32 -= t3 * u20, s3 = d[15] - t3 * u30;
    i = 1 / s1, t2 = u21 * i, t3 = u31 * i;
    s2 = CTI_TN(cti_k, judge)(s2 - t2 * u21, orig[2], eps, &boosted);
    u32 -= t3 * u21, s3 -= t3 * u31;
    s3 = CTI_TN(cti_k, judge)(s3 - u32 / s2 * u32, orig[3], eps, &boosted);
    s0 = CTI_TN(cti_k, root)(s0), s1 = CTI_TN(cti_k, root)(s1), s2 = CTI_TN(cti_k, root)(s2), s3 = CTI_TN(cti_k, root)(s3);
    r[0] = 1 / s0, r[1] = 1 / s1, r[2] = 1 / s2, r[3] = 1 / s3;
    l[0] = s0, l[1] = 0, l[2] = 0, l[3] = 0;
    l[4] = u10 * r[0], l[5] = s1, l[6] = 0, l[7] = 0;
    l[8] = u20 * r[0], l[9] = u21 * r[1], l[10] = s2, l[11] = 0;
    l[12] = u30 * r[0], l[13] = u31 * r[1], l[14] = u32 * r[2], l[15] = s3;
    return boosted;
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_T_IS_FLOAT
#undef CTI_K_KEEP

#undef CTI_K_KEEP32
#undef CTI_K_KEEP64


/* ---- 2_linalg/dense.h ---- */
/* dense.h -- small dense symmetric positive definite matrices in float and double (factor, solve, inverse), and a general LU in double.
   Matrices are row-major with a leading dimension ld: at least n rounded up to 8, so that rows may be read in whole lanes. The columns
   n .. ld-1 may hold anything and may be overwritten up to n rounded up to 8. ld = n + 8 k with odd k avoids cache conflicts for large n.
 */


/* cti_dense*_factor -- A = U' U in place: reads and overwrites the upper triangle, the lower one is destroyed; the diagonal of U is stored
   inverted. A pivot that is not above eps a_kk is replaced by |a_kk|. Returns the number of replaced pivots. */
CTI_FN int cti_dense32_factor(float *A, int n, int ld);
CTI_FN int cti_dense64_factor(double *A, int n, int ld);
/* cti_dense*_solve -- x = A^-1 x with a factor; x [n] */
CTI_FN void cti_dense32_solve(const float *A, int n, int ld, float *x);
CTI_FN void cti_dense64_solve(const double *A, int n, int ld, double *x);
/* cti_dense*_invert_spd -- A = A^-1, full and symmetric; reads the upper triangle. n^3 additions and multiplications in all, no scratch.
   Returns the number of replaced pivots. */
CTI_FN int cti_dense32_invert_spd(float *A, int n, int ld);
CTI_FN int cti_dense64_invert_spd(double *A, int n, int ld);

/* cti_dense64_lu -- P A = L U in place with partial pivoting, pivot [n]. 0 when A is singular or not finite. */
CTI_FN int cti_dense64_lu(double *A, int n, int ld, int *pivot);
/* cti_dense64_lu_solve -- x = A^-1 x; x [n] */
CTI_FN void cti_dense64_lu_solve(const double *A, int n, int ld, const int *pivot, double *x);


/* ---- 2_linalg/dense.c ---- */
/* dense.c -- dense Cholesky, inverse and LU.
   Method: A = U' U by rows of four with the tiles of kernel.h, left-looking, so that the original diagonal is at hand when a pivot is
   judged. The inverse is W' W with W = U'^-1 built column strip by column strip in the lower triangle; nothing but the matrix itself is
   used. based on: Golub and Van Loan, Matrix Computations, 3.4 (LU), 4.2 (Cholesky); LAPACK's potri for the order of the three stages. */

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_DENSE_EPS 1.1920929e-7f
/* dense.inl -- dense SPD routines for one number type; included by dense.c. */

/* rows i0 .. i0+3 from strip j on: A(i, j) - sum_{k<i0} U(k, i) U(k, j), then the 4x4 solve with l, r */
static void CTI_TN(cti_dense, factor_row)(CTI_T *A, int n, size_t ld, int i0, int j, const CTI_T *l, const CTI_T *r)
{
    const CTI_T *a[4];
    CTI_TVEC c[8];
    int q, m = cti_min_int(4, n - i0);
    CTI_T *to = A + (size_t)i0 * ld + j;
    for (q = 0; q < 4; q++)
        a[q] = A + i0 + cti_min_int(q, m - 1);
    if (m < 4) {
        /* the last rows of a matrix whose size is no multiple of four: one strip at a time, through a copy */
        CTI_T t[32];
        for (; j < n; j += 8, to += 8) {
            for (q = 0; q < 4; q++)
                CTI_TV(store)(t + 8 * q, CTI_TV(load)(to + (size_t)cti_min_int(q, m - 1) * ld));
            CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
            CTI_TN(cti_k, trsm4)(l, 4, 1, r, t, 8, c);
            CTI_TN(cti_k, store4)(t, 8, c);
            for (q = 0; q < m; q++)
                CTI_TV(store)(to + (size_t)q * ld, CTI_TV(load)(t + 8 * q));
        }
        return;
    }
    for (; j + 8 < n; j += 16, to += 16) {
        CTI_TN(cti_k, tile2)(i0, a, ld, A + j, A + j + 8, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to + 8, ld, c + 4);
        CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
    }
    if (j < n) {
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
    }
}

CTI_FN int CTI_TN(cti_dense, factor)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i0, q, p, j, m, boosted = 0;
    for (i0 = 0; i0 < n; i0 += 4) {
        CTI_T d[16], r[4], orig[4], t[32];
        const CTI_T *a[4];
        CTI_TVEC c[4];
        m = cti_min_int(4, n - i0);
        /* 4x4 diagonal block: d = A(i, i) - sum_k U(k, i)' U(k, i), then its factor */
        for (q = 0; q < 4; q++)
            a[q] = A + i0 + cti_min_int(q, m - 1);
        j = i0 & ~7;
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, store4)(t, 8, c);
        for (q = 0; q < 4; q++)
            for (p = 0; p <= q; p++)
                d[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] - t[8 * p + (i0 - j) + q] : (CTI_T)(p == q);
        for (q = 0; q < 4; q++)
            orig[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
        boosted += CTI_TN(cti_k, chol4)(d, orig, CTI_DENSE_EPS, d, r);
        /* the rows right of it; the diagonal is stored inverted */
        CTI_TN(cti_dense, factor_row)(A, n, ld, i0, j, d, r);
        for (q = 0; q < m; q++) {
            for (p = 0; p < q; p++)
                A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] = d[4 * q + p];
            A[(size_t)(i0 + q) * (ld + 1)] = r[q];
        }
    }
    return boosted;
}

CTI_FN void CTI_TN(cti_dense, solve)(const CTI_T *A, int n, int ldi, CTI_T *x)
{
    size_t ld = (size_t)ldi;
    int i, j;
    /* U' y = x by rows */
    for (i = 0; i < n; i++) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = x[i] * u[i];
        x[i] = s;
        for (j = i + 1; j < n; j++)
            x[j] -= s * u[j];
    }
    /* U x = y by rows, from the last one; lanes from the first multiple of eight on */
    for (i = n - 1; i >= 0; i--) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = 0;
        CTI_TVEC v = CTI_TV(set)(0);
        for (j = i + 1; j < n && (j & 7); j++)
            s += u[j] * x[j];
        for (; j + 8 <= n; j += 8)
            v = CTI_TV(add)(v, CTI_TV(mul)(CTI_TV(load)(u + j), CTI_TV(load)(x + j)));
        for (; j < n; j++)
            s += u[j] * x[j];
        x[i] = (x[i] - (s + CTI_TV(sum)(v))) * u[i];
    }
}

/* t = inverse of the m x m lower triangle U(j.., j..)', row-major 16 wide, zero above the diagonal and below row m */
static void CTI_TN(cti_dense, inverse16)(const CTI_T *A, size_t ld, int j, int m, CTI_T *t)
{
    int i, k, p;
    memset(t, 0, 256 * sizeof *t);
    for (i = 0; i < m; i++) {
        const CTI_T *u = A + (size_t)j * ld + (size_t)(j + i);
        CTI_T r = u[(size_t)i * ld];
        for (p = 0; p < i; p++) {
            CTI_T s = 0;
            for (k = p; k < i; k++)
                s += u[(size_t)k * ld] * t[16 * k + p];
            t[16 * i + p] = -s * r;
        }
        t[17 * i] = r;
    }
}

/* columns j .. j+15 of W = U'^-1 into the lower triangle; the diagonal holds 1 / u_ii */
static void CTI_TN(cti_dense, inverse_columns)(CTI_T *A, int n, size_t ld, int j)
{
    CTI_T t[256], l[16], r[4], x[64];
    int i0, q, p, m = cti_min_int(16, n - j);
    CTI_TN(cti_dense, inverse16)(A, ld, j, m, t);
    for (q = 0; q < m; q++)
        for (p = 0; p <= q; p++)
            A[(size_t)(j + q) * ld + (size_t)(j + p)] = t[16 * q + p];
    for (i0 = j + 16; i0 < n; i0 += 4) {
        const CTI_T *a[4], *b[4], *w = A + (size_t)(j + 16) * ld + j;
        CTI_T *to = A + (size_t)i0 * ld + j;
        CTI_TVEC c[8], e[8];
        m = cti_min_int(4, n - i0);
        for (q = 0; q < 4; q++) {
            a[q] = A + (size_t)j * ld + (size_t)(i0 + cti_min_int(q, m - 1));
            b[q] = a[q] + 16 * ld;
            r[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
            for (p = 0; p < q; p++)
                l[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] : 0;
        }
        /* sum_k U(k, i) W(k, j): the triangle from t, the rest from A */
        CTI_TN(cti_k, tile2)(16, a, ld, t, t + 8, 16, c);
        CTI_TN(cti_k, tile2)(i0 - j - 16, b, ld, w, w + 8, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c + 4);
        if (m == 4) {
            CTI_TN(cti_k, store4)(to, ld, c);
            CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
            continue;
        }
        CTI_TN(cti_k, store4)(x, 16, c);
        CTI_TN(cti_k, store4)(x + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(to + (size_t)q * ld, x + 16 * q, 16 * sizeof *x);
    }
}

/* rows i0 .. i0+3 of W' W into the lower triangle */
static void CTI_TN(cti_dense, product_row)(CTI_T *A, int n, size_t ld, int i0)
{
    CTI_T w[16], t[64];
    const CTI_T *a[4], *b[4];
    CTI_TVEC c[8], e[8];
    int q, k, j, m = cti_min_int(4, n - i0);
    /* the 4x4 triangle of W on the diagonal, w[4 k + q] = W(i0 + k, i0 + q) */
    for (k = 0; k < 4; k++)
        for (q = 0; q < 4; q++)
            w[4 * k + q] = k < m && q <= k ? A[(size_t)(i0 + k) * ld + (size_t)(i0 + q)] : 0;
    for (q = 0; q < 4; q++) {
        a[q] = A + (size_t)(i0 + m) * ld + (size_t)(i0 + cti_min_int(q, m - 1));
        b[q] = w + q;
    }
    for (j = 0; j < i0 + m; j += 16) {
        int two = j + 8 < i0 + m;
        CTI_T *x = A + (size_t)i0 * ld + j, *y = x + (two ? 8 : 0);
        CTI_TN(cti_k, tile2)(m, b, 4, x, y, ld, c);
        CTI_TN(cti_k, tile2)(n - i0 - m, a, ld, x + (size_t)m * ld, y + (size_t)m * ld, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        if (m == 4 && j + 15 <= i0) {
            CTI_TN(cti_k, store4)(x, ld, c);
            CTI_TN(cti_k, store4)(y, ld, c + 4);
            continue;
        }
        /* strips that may cross the diagonal: only the lower part is written */
        CTI_TN(cti_k, store4)(t, 16, c);
        CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(x + (size_t)q * ld, t + 16 * q, (size_t)cti_min_int(16, i0 + q + 1 - j) * sizeof *t);
    }
}

CTI_FN int CTI_TN(cti_dense, invert_spd)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i, j, i0, j0, boosted = CTI_TN(cti_dense, factor)(A, n, ldi);
    for (j = 0; j < n; j += 16)
        CTI_TN(cti_dense, inverse_columns)(A, n, ld, j);
    for (i = 0; i < n; i += 4)
        CTI_TN(cti_dense, product_row)(A, n, ld, i);
    /* the upper triangle is the lower one's mirror image, in tiles of 8x8 */
    for (i0 = 0; i0 < n; i0 += 8)
        for (j0 = 0; j0 <= i0; j0 += 8)
            for (i = i0; i < i0 + 8 && i < n; i++)
                for (j = j0; j < j0 + 8 && j < i; j++)
                    A[(size_t)j * ld + (size_t)i] = A[(size_t)i * ld + (size_t)j];
    return boosted;
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_DENSE_EPS 2.2204460492503131e-16
/* dense.inl -- dense SPD routines for one number type; included by dense.c. */

/* rows i0 .. i0+3 from strip j on: A(i, j) - sum_{k<i0} U(k, i) U(k, j), then the 4x4 solve with l, r */
static void CTI_TN(cti_dense, factor_row)(CTI_T *A, int n, size_t ld, int i0, int j, const CTI_T *l, const CTI_T *r)
{
    const CTI_T *a[4];
    CTI_TVEC c[8];
    int q, m = cti_min_int(4, n - i0);
    CTI_T *to = A + (size_t)i0 * ld + j;
    for (q = 0; q < 4; q++)
        a[q] = A + i0 + cti_min_int(q, m - 1);
    if (m < 4) {
        /* the last rows of a matrix whose size is no multiple of four: one strip at a time, through a copy */
        CTI_T t[32];
        for (; j < n; j += 8, to += 8) {
            for (q = 0; q < 4; q++)
                CTI_TV(store)(t + 8 * q, CTI_TV(load)(to + (size_t)cti_min_int(q, m - 1) * ld));
            CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
            CTI_TN(cti_k, trsm4)(l, 4, 1, r, t, 8, c);
            CTI_TN(cti_k, store4)(t, 8, c);
            for (q = 0; q < m; q++)
                CTI_TV(store)(to + (size_t)q * ld, CTI_TV(load)(t + 8 * q));
        }
        return;
    }
    for (; j + 8 < n; j += 16, to += 16) {
        CTI_TN(cti_k, tile2)(i0, a, ld, A + j, A + j + 8, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to + 8, ld, c + 4);
        CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
    }
    if (j < n) {
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, to, ld, c);
        CTI_TN(cti_k, store4)(to, ld, c);
    }
}

CTI_FN int CTI_TN(cti_dense, factor)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i0, q, p, j, m, boosted = 0;
    for (i0 = 0; i0 < n; i0 += 4) {
        CTI_T d[16], r[4], orig[4], t[32];
        const CTI_T *a[4];
        CTI_TVEC c[4];
        m = cti_min_int(4, n - i0);
        /* 4x4 diagonal block: d = A(i, i) - sum_k U(k, i)' U(k, i), then its factor */
        for (q = 0; q < 4; q++)
            a[q] = A + i0 + cti_min_int(q, m - 1);
        j = i0 & ~7;
        CTI_TN(cti_k, tile1)(i0, a, ld, A + j, ld, c);
        CTI_TN(cti_k, store4)(t, 8, c);
        for (q = 0; q < 4; q++)
            for (p = 0; p <= q; p++)
                d[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] - t[8 * p + (i0 - j) + q] : (CTI_T)(p == q);
        for (q = 0; q < 4; q++)
            orig[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
        boosted += CTI_TN(cti_k, chol4)(d, orig, CTI_DENSE_EPS, d, r);
        /* the rows right of it; the diagonal is stored inverted */
        CTI_TN(cti_dense, factor_row)(A, n, ld, i0, j, d, r);
        for (q = 0; q < m; q++) {
            for (p = 0; p < q; p++)
                A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] = d[4 * q + p];
            A[(size_t)(i0 + q) * (ld + 1)] = r[q];
        }
    }
    return boosted;
}

CTI_FN void CTI_TN(cti_dense, solve)(const CTI_T *A, int n, int ldi, CTI_T *x)
{
    size_t ld = (size_t)ldi;
    int i, j;
    /* U' y = x by rows */
    for (i = 0; i < n; i++) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = x[i] * u[i];
        x[i] = s;
        for (j = i + 1; j < n; j++)
            x[j] -= s * u[j];
    }
    /* U x = y by rows, from the last one; lanes from the first multiple of eight on */
    for (i = n - 1; i >= 0; i--) {
        const CTI_T *u = A + (size_t)i * ld;
        CTI_T s = 0;
        CTI_TVEC v = CTI_TV(set)(0);
        for (j = i + 1; j < n && (j & 7); j++)
            s += u[j] * x[j];
        for (; j + 8 <= n; j += 8)
            v = CTI_TV(add)(v, CTI_TV(mul)(CTI_TV(load)(u + j), CTI_TV(load)(x + j)));
        for (; j < n; j++)
            s += u[j] * x[j];
        x[i] = (x[i] - (s + CTI_TV(sum)(v))) * u[i];
    }
}

/* t = inverse of the m x m lower triangle U(j.., j..)', row-major 16 wide, zero above the diagonal and below row m */
static void CTI_TN(cti_dense, inverse16)(const CTI_T *A, size_t ld, int j, int m, CTI_T *t)
{
    int i, k, p;
    memset(t, 0, 256 * sizeof *t);
    for (i = 0; i < m; i++) {
        const CTI_T *u = A + (size_t)j * ld + (size_t)(j + i);
        CTI_T r = u[(size_t)i * ld];
        for (p = 0; p < i; p++) {
            CTI_T s = 0;
            for (k = p; k < i; k++)
                s += u[(size_t)k * ld] * t[16 * k + p];
            t[16 * i + p] = -s * r;
        }
        t[17 * i] = r;
    }
}

/* columns j .. j+15 of W = U'^-1 into the lower triangle; the diagonal holds 1 / u_ii */
static void CTI_TN(cti_dense, inverse_columns)(CTI_T *A, int n, size_t ld, int j)
{
    CTI_T t[256], l[16], r[4], x[64];
    int i0, q, p, m = cti_min_int(16, n - j);
    CTI_TN(cti_dense, inverse16)(A, ld, j, m, t);
    for (q = 0; q < m; q++)
        for (p = 0; p <= q; p++)
            A[(size_t)(j + q) * ld + (size_t)(j + p)] = t[16 * q + p];
    for (i0 = j + 16; i0 < n; i0 += 4) {
        const CTI_T *a[4], *b[4], *w = A + (size_t)(j + 16) * ld + j;
        CTI_T *to = A + (size_t)i0 * ld + j;
        CTI_TVEC c[8], e[8];
        m = cti_min_int(4, n - i0);
        for (q = 0; q < 4; q++) {
            a[q] = A + (size_t)j * ld + (size_t)(i0 + cti_min_int(q, m - 1));
            b[q] = a[q] + 16 * ld;
            r[q] = q < m ? A[(size_t)(i0 + q) * (ld + 1)] : 1;
            for (p = 0; p < q; p++)
                l[4 * q + p] = q < m ? A[(size_t)(i0 + p) * ld + (size_t)(i0 + q)] : 0;
        }
        /* sum_k U(k, i) W(k, j): the triangle from t, the rest from A */
        CTI_TN(cti_k, tile2)(16, a, ld, t, t + 8, 16, c);
        CTI_TN(cti_k, tile2)(i0 - j - 16, b, ld, w, w + 8, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c);
        CTI_TN(cti_k, trsm4)(l, 4, 1, r, NULL, 0, c + 4);
        if (m == 4) {
            CTI_TN(cti_k, store4)(to, ld, c);
            CTI_TN(cti_k, store4)(to + 8, ld, c + 4);
            continue;
        }
        CTI_TN(cti_k, store4)(x, 16, c);
        CTI_TN(cti_k, store4)(x + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(to + (size_t)q * ld, x + 16 * q, 16 * sizeof *x);
    }
}

/* rows i0 .. i0+3 of W' W into the lower triangle */
static void CTI_TN(cti_dense, product_row)(CTI_T *A, int n, size_t ld, int i0)
{
    CTI_T w[16], t[64];
    const CTI_T *a[4], *b[4];
    CTI_TVEC c[8], e[8];
    int q, k, j, m = cti_min_int(4, n - i0);
    /* the 4x4 triangle of W on the diagonal, w[4 k + q] = W(i0 + k, i0 + q) */
    for (k = 0; k < 4; k++)
        for (q = 0; q < 4; q++)
            w[4 * k + q] = k < m && q <= k ? A[(size_t)(i0 + k) * ld + (size_t)(i0 + q)] : 0;
    for (q = 0; q < 4; q++) {
        a[q] = A + (size_t)(i0 + m) * ld + (size_t)(i0 + cti_min_int(q, m - 1));
        b[q] = w + q;
    }
    for (j = 0; j < i0 + m; j += 16) {
        int two = j + 8 < i0 + m;
        CTI_T *x = A + (size_t)i0 * ld + j, *y = x + (two ? 8 : 0);
        CTI_TN(cti_k, tile2)(m, b, 4, x, y, ld, c);
        CTI_TN(cti_k, tile2)(n - i0 - m, a, ld, x + (size_t)m * ld, y + (size_t)m * ld, ld, e);
        CTI_TN(cti_k, sum4)(c, e);
        CTI_TN(cti_k, sum4)(c + 4, e + 4);
        if (m == 4 && j + 15 <= i0) {
            CTI_TN(cti_k, store4)(x, ld, c);
            CTI_TN(cti_k, store4)(y, ld, c + 4);
            continue;
        }
        /* strips that may cross the diagonal: only the lower part is written */
        CTI_TN(cti_k, store4)(t, 16, c);
        CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
        for (q = 0; q < m; q++)
            memcpy(x + (size_t)q * ld, t + 16 * q, (size_t)cti_min_int(16, i0 + q + 1 - j) * sizeof *t);
    }
}

CTI_FN int CTI_TN(cti_dense, invert_spd)(CTI_T *A, int n, int ldi)
{
    size_t ld = (size_t)ldi;
    int i, j, i0, j0, boosted = CTI_TN(cti_dense, factor)(A, n, ldi);
    for (j = 0; j < n; j += 16)
        CTI_TN(cti_dense, inverse_columns)(A, n, ld, j);
    for (i = 0; i < n; i += 4)
        CTI_TN(cti_dense, product_row)(A, n, ld, i);
    /* the upper triangle is the lower one's mirror image, in tiles of 8x8 */
    for (i0 = 0; i0 < n; i0 += 8)
        for (j0 = 0; j0 <= i0; j0 += 8)
            for (i = i0; i < i0 + 8 && i < n; i++)
                for (j = j0; j < j0 + 8 && j < i; j++)
                    A[(size_t)j * ld + (size_t)i] = A[(size_t)i * ld + (size_t)j];
    return boosted;
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_DENSE_EPS

CTI_FN int cti_dense64_lu(double *A, int n, int ld, int *pivot)
{
    int i, j, k, p;
    for (k = 0; k < n; k++) {
        double best = 0, t;
        /* pivot: the largest of the column */
        for (p = k, i = k; i < n; i++) {
            t = fabs(A[(size_t)i * (size_t)ld + (size_t)k]);
            if (t > best)
                best = t, p = i;
        }
        pivot[k] = p;
        if (!(best > 0) || !cti_finite64(best))
            return 0;
        if (p != k)
            for (j = 0; j < n; j++) {
                t = A[(size_t)k * (size_t)ld + (size_t)j];
                A[(size_t)k * (size_t)ld + (size_t)j] = A[(size_t)p * (size_t)ld + (size_t)j];
                A[(size_t)p * (size_t)ld + (size_t)j] = t;
            }
        for (i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            const double *top = A + (size_t)k * (size_t)ld;
            t = row[k] /= top[k];
            for (j = k + 1; j < n; j++)
                row[j] -= t * top[j];
        }
    }
    return 1;
}

CTI_FN void cti_dense64_lu_solve(const double *A, int n, int ld, const int *pivot, double *x)
{
    int i, j;
    for (i = 0; i < n; i++) {
        double t = x[pivot[i]];
        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            x[i] -= A[(size_t)i * (size_t)ld + (size_t)j] * x[j];
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            x[i] -= A[(size_t)i * (size_t)ld + (size_t)j] * x[j];
        x[i] /= A[(size_t)i * (size_t)ld + (size_t)i];
    }
}

/* ---- 2_linalg/bsr.h ---- */
/* bsr.h -- symmetric matrices of 3x3 blocks, compressed by rows. Both triangles are stored, columns are sorted in each row and the diagonal
   block is always there, so that a product is one stream and an element's blocks are found once and kept as slots. */


/* cti_bsr -- zero it before first use. All arrays are stb_ds arrays. */
typedef struct cti_bsr {
    int n;        /* block rows */
    int *row;     /* [n + 1] first slot of each row */
    int *col;     /* [nnz] */
    int *diag;    /* [n] slot of the diagonal block */
    ct_real *val; /* [9 nnz] blocks, row-major */
} cti_bsr;

/* cti_bsr_pattern -- pattern from unordered block pairs (i, j), 0 <= i, j < n; duplicates and i == j are allowed. val is zeroed.
   pairs  in  [2 n_pairs]
   returns 1, or 0 when memory ran out (A may then only be freed or built again). Linear time: two counting sorts. */
CTI_FN int cti_bsr_pattern(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs);
/* cti_bsr_slot -- number of block (i, j), or -1. */
CTI_FN int cti_bsr_slot(const cti_bsr *A, int i, int j);
CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A);
CTI_FN void cti_bsr_zero(cti_bsr *A);
/* cti_bsr_mul -- y = A x; x and y [3 n], not the same. */
CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y);
/* cti_bsr_residual -- r = b - A x; r may be b, not x. */
CTI_FN void cti_bsr_residual(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r);

/* cti_bsr_row -- (A x)_i of one block row; x [3 n]. */
CTI_INLINE cti_v3 cti_bsr_row(const cti_bsr *A, const ct_real *x, int i)
{
    cti_v3 s = cti_v3_zero();
    int k;
    for (k = A->row[i]; k < A->row[i + 1]; k++)
        s = cti_v3_add(s, cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(x, A->col[k])));
    return s;
}

/* cti_bsr_float_row -- row i of A in float, block by block, each column by column. row [9 m] for m blocks. */
CTI_FN void cti_bsr_float_row(const cti_bsr *A, int i, float *row);
/* cti_blocks_mul2 -- a x in the lower half, b y in the upper one: two 3x3 blocks, column by column, with one finite number behind; x and y
   three numbers and one that is ignored. Lanes 3 and 7 mean nothing. */
CTI_INLINE cti_f8 cti_blocks_mul2(const float *a, const float *b, const float *x, const float *y)
{
    cti_f8 v = cti_f8_load44(x, y);
    cti_f8 s = cti_f8_add(cti_f8_mul(cti_f8_load44(a, b), cti_f8_spread0(v)), cti_f8_mul(cti_f8_load44(a + 3, b + 3), cti_f8_spread1(v)));
    return cti_f8_add(s, cti_f8_mul(cti_f8_load44(a + 6, b + 6), cti_f8_spread2(v)));
}
/* cti_bsr_float_dot -- (A x)_i in lanes 0 to 2 from such a row with a finite number behind it, x [4 n] */
CTI_INLINE cti_f8 cti_bsr_float_dot(const cti_bsr *A, const float *row, const float *x, int i)
{
    static const float zero[12] = {0};
    cti_f8 sum = cti_f8_set(0);
    int k = A->row[i], end = A->row[i + 1];
    const float *a = row;
    /* two blocks at a time, one in each half; an odd one is paired with zeros */
    for (; k + 1 < end; k += 2, a += 18)
        sum = cti_f8_add(sum, cti_blocks_mul2(a, a + 9, x + 4 * (size_t)A->col[k], x + 4 * (size_t)A->col[k + 1]));
    if (k < end)
        sum = cti_f8_add(sum, cti_blocks_mul2(a, zero, x + 4 * (size_t)A->col[k], zero));
    return cti_f8_fold(sum);
}


/* ---- 2_linalg/bsr.c ---- */
/* bsr.c -- block-sparse rows with 3x3 blocks: pattern, slots, product.
   Method: the directed pairs and the diagonal are counting-sorted by column, then stably by row, and duplicates dropped. The product adds
   one block's three terms before they meet the row's sum, so that a block costs one addition of latency; it is bound by memory. based on:
   the usual compressed row storage (Saad, Iterative Methods for Sparse Linear Systems, 3.4). */

/* counting sort of the items (row, col) by key into (row2, col2); head is [n + 1] */
static void cti_bsr_sort(int n, int m, const int *key, const int *row, const int *col, int *row2, int *col2, int *head)
{
    int i;
    memset(head, 0, ((size_t)n + 1) * sizeof *head);
    for (i = 0; i < m; i++)
        head[key[i] + 1]++;
    for (i = 0; i < n; i++)
        head[i + 1] += head[i];
    for (i = 0; i < m; i++) {
        int at = head[key[i]]++;
        row2[at] = row[i];
        col2[at] = col[i];
    }
}

/* drops duplicates of the sorted items and writes rows, columns, diagonal slots; returns the number of blocks */
static int cti_bsr_compress(cti_bsr *A, int n, int m, const int *row, const int *col)
{
    int i, r = -1, k = 0;
    for (i = 0; i < m; i++) {
        if (i > 0 && row[i] == row[i - 1] && col[i] == col[i - 1])
            continue;
        while (r < row[i])
            A->row[++r] = k;
        if (col[i] == r)
            A->diag[r] = k;
        A->col[k++] = col[i];
    }
    A->row[n] = k;
    return k;
}

CTI_FN int cti_bsr_pattern(cti_mem *mem, cti_bsr *A, int n, const int32_t *pairs, int n_pairs)
{
    int *w = NULL, *r0, *c0, *r1, *c1, m = 2 * n_pairs + n, i, k, ok = 0;
    A->n = 0;
    if (!CTI_RESIZE(mem, w, 4 * (size_t)m + (size_t)n + 1))
        goto done;
    if (!CTI_RESIZE(mem, A->row, n + 1) || !CTI_RESIZE(mem, A->diag, n) || !CTI_RESIZE(mem, A->col, m))
        goto done;
    r0 = w, c0 = r0 + m, r1 = c0 + m, c1 = r1 + m;
    for (i = 0; i < n_pairs; i++) {
        CTI_ASSERT(pairs[2 * i] >= 0 && pairs[2 * i] < n && pairs[2 * i + 1] >= 0 && pairs[2 * i + 1] < n);
        r0[2 * i] = c0[2 * i + 1] = pairs[2 * i];
        c0[2 * i] = r0[2 * i + 1] = pairs[2 * i + 1];
    }
    for (i = 0; i < n; i++)
        r0[2 * n_pairs + i] = c0[2 * n_pairs + i] = i;
    cti_bsr_sort(n, m, c0, r0, c0, r1, c1, c1 + m);
    cti_bsr_sort(n, m, r1, r1, c1, r0, c0, c1 + m);
    if (n == 0)
        A->row[0] = 0;
    k = cti_bsr_compress(A, n, m, r0, c0);
    if (!CTI_RESIZE(mem, A->col, k) || !CTI_RESIZE(mem, A->val, 9 * (size_t)k))
        goto done;
    A->n = n;
    cti_bsr_zero(A);
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

CTI_FN int cti_bsr_slot(const cti_bsr *A, int i, int j)
{
    int lo = A->row[i], hi = A->row[i + 1];
    if (i == j)
        return A->diag[i];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (A->col[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < A->row[i + 1] && A->col[lo] == j ? lo : -1;
}

CTI_FN void cti_bsr_free(cti_mem *mem, cti_bsr *A)
{
    CTI_FREE(mem, A->row);
    CTI_FREE(mem, A->col);
    CTI_FREE(mem, A->diag);
    CTI_FREE(mem, A->val);
    A->n = 0;
}

CTI_FN void cti_bsr_zero(cti_bsr *A)
{
    if (A->n > 0)
        memset(A->val, 0, (size_t)A->row[A->n] * 9 * sizeof *A->val);
}

CTI_FN void cti_bsr_mul(const cti_bsr *A, const ct_real *x, ct_real *y)
{
    int i, k;
    for (i = 0; i < A->n; i++) {
        ct_real s0 = 0, s1 = 0, s2 = 0;
        const ct_real *v = A->val + 9 * (size_t)A->row[i];
        for (k = A->row[i]; k < A->row[i + 1]; k++, v += 9) {
            const ct_real *p = x + 3 * (size_t)A->col[k];
            ct_real a = p[0], b = p[1], c = p[2];
            s0 += v[0] * a + v[1] * b + v[2] * c;
            s1 += v[3] * a + v[4] * b + v[5] * c;
            s2 += v[6] * a + v[7] * b + v[8] * c;
        }
        y[3 * i] = s0, y[3 * i + 1] = s1, y[3 * i + 2] = s2;
    }
}

CTI_FN void cti_bsr_residual(const cti_bsr *A, const ct_real *b, const ct_real *x, ct_real *r)
{
    int i, k;
    for (i = 0; i < A->n; i++) {
        ct_real s0 = 0, s1 = 0, s2 = 0;
        const ct_real *v = A->val + 9 * (size_t)A->row[i];
        for (k = A->row[i]; k < A->row[i + 1]; k++, v += 9) {
            const ct_real *p = x + 3 * (size_t)A->col[k];
            ct_real a = p[0], e = p[1], c = p[2];
            s0 += v[0] * a + v[1] * e + v[2] * c;
            s1 += v[3] * a + v[4] * e + v[5] * c;
            s2 += v[6] * a + v[7] * e + v[8] * c;
        }
        r[3 * i] = b[3 * i] - s0, r[3 * i + 1] = b[3 * i + 1] - s1, r[3 * i + 2] = b[3 * i + 2] - s2;
    }
}

CTI_FN void cti_bsr_float_row(const cti_bsr *A, int i, float *row)
{
    int k, r, c;
    for (k = A->row[i]; k < A->row[i + 1]; k++, row += 9)
        for (r = 0; r < 3; r++)
            for (c = 0; c < 3; c++)
                row[3 * c + r] = (float)A->val[9 * (size_t)k + (size_t)(3 * r + c)];
}

/* ---- 2_linalg/order.h ---- */
/* order.h -- fill-reducing orders of symmetric graphs: nested dissection by multilevel vertex separators, minimum degree on the leaves. */


/* cti_graph -- undirected graph with weights; both directions of an edge are stored, no loops. mem is the one block behind all arrays. */
typedef struct cti_graph {
    int n;
    int *ptr; /* [n + 1] */
    int *adj; /* [ptr[n]] */
    int *w;   /* [n] vertex weights > 0 */
    int *ew;  /* [ptr[n]] edge weights > 0 */
    int *mem; /* stb_ds array */
} cti_graph;
/* cti_graph_alloc -- room for n vertices and m directed edges; cti_graph_free releases it. 0 when memory ran out. */
CTI_FN int cti_graph_alloc(cti_mem *mem, cti_graph *g, int n, int m);
CTI_FN void cti_graph_free(cti_mem *mem, cti_graph *g);

/* cti_order_cut -- vertex separator: label[v] 0 or 1 for the two sides, 2 for the separator; no edge joins 0 and 1. Sides weigh at most
   about 0.6 of all where the graph allows it. seed makes the tries differ. 0 when memory ran out. */
CTI_FN int cti_order_cut(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label);

/* cti_order_dissect -- perm[k] is the vertex that is eliminated k-th. Parts of at most `leaf` vertices are ordered by exact minimum degree,
   with their surroundings counted. leaf >= n: minimum degree alone. Weights are not used. 0 when memory ran out. */
CTI_FN int cti_order_dissect(cti_mem *mem, const cti_graph *g, int leaf, int *perm);


/* ---- 2_linalg/order_cut.c ---- */
/* order_cut.c -- vertex separators of graphs.
   Method: the graph is coarsened by heavy-edge matching; the coarsest is cut by growing regions from several seeds; on the way back every
   level is refined by Fiduccia-Mattheyses moves: a separator vertex goes to one side and pulls its neighbours of the other side into the
   separator. The best prefix of the moves is kept. Random numbers come from a fixed generator, so the result is a function of the graph.
   based on: Karypis and Kumar 1998 (multilevel schemes); Ashcraft and Liu 1997 (separator refinement); Fiduccia and Mattheyses 1982. */

#define CTI_ORDER_COARSEST 60
#define CTI_ORDER_LEVELS 40
#define CTI_ORDER_TRIES 10

CTI_FN int cti_graph_alloc(cti_mem *mem, cti_graph *g, int n, int m)
{
    g->n = n;
    if (!CTI_RESIZE(mem, g->mem, 2 * (size_t)n + 1 + 2 * (size_t)m))
        return 0;
    g->ptr = g->mem;
    g->w = g->ptr + n + 1;
    g->adj = g->w + n;
    g->ew = g->adj + m;
    return 1;
}

CTI_FN void cti_graph_free(cti_mem *mem, cti_graph *g)
{
    CTI_FREE(mem, g->mem);
    memset(g, 0, sizeof *g);
}

static uint32_t cti_order_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* cti_order_fm -- the state of a refinement. Heap entries may be stale: they count only while their gain is the current one. */
typedef struct cti_order_entry {
    int gain, v;
} cti_order_entry;
typedef struct cti_order_fm {
    cti_mem *mem;
    const cti_graph *g;
    int *label;
    int *side[2];             /* [n] weight of a separator vertex's neighbours in side 0, 1 */
    int *locked;              /* [n] pass in which the vertex moved */
    int *undo;                /* pairs vertex, old label */
    cti_order_entry *heap[2]; /* moves to side 0, 1 */
    int weight[3], most, pass;
    int *store;
    int failed;
} cti_order_fm;

static int cti_order_before(cti_order_entry a, cti_order_entry b) { return a.gain != b.gain ? a.gain > b.gain : a.v < b.v; }

static void cti_order_push(cti_order_fm *s, int to, int v)
{
    cti_order_entry e;
    cti_order_entry *h;
    int i;
    e.v = v;
    e.gain = s->g->w[v] - s->side[1 - to][v];
    if (!CTI_PUSH(s->mem, s->heap[to], e)) {
        s->failed = 1;
        return;
    }
    h = s->heap[to];
    for (i = CTI_LEN(h) - 1; i > 0 && cti_order_before(e, h[(i - 1) / 2]); i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = e;
}

static void cti_order_pop(cti_order_entry *h)
{
    int n = CTI_LEN(h) - 1, i = 0, c;
    cti_order_entry e = h[n];
    stbds_header(h)->length = (size_t)n;
    while ((c = 2 * i + 1) < n) {
        if (c + 1 < n && cti_order_before(h[c + 1], h[c]))
            c++;
        if (!cti_order_before(h[c], e))
            break;
        h[i] = h[c];
        i = c;
    }
    if (n > 0)
        h[i] = e;
}

/* the weights of v's neighbours in both sides, and its two moves into the heaps */
static void cti_order_enter(cti_order_fm *s, int v)
{
    const cti_graph *g = s->g;
    int k;
    s->side[0][v] = s->side[1][v] = 0;
    for (k = g->ptr[v]; k < g->ptr[v + 1]; k++)
        if (s->label[g->adj[k]] < 2)
            s->side[s->label[g->adj[k]]][v] += g->w[g->adj[k]];
    if (s->locked[v] != s->pass) {
        cti_order_push(s, 0, v);
        cti_order_push(s, 1, v);
    }
}

static void cti_order_relabel(cti_order_fm *s, int v, int to)
{
    const cti_graph *g = s->g;
    int k, u, from = s->label[v];
    if (!CTI_PUSH(s->mem, s->undo, v) || !CTI_PUSH(s->mem, s->undo, from)) {
        s->failed = 1;
        return;
    }
    s->weight[from] -= g->w[v];
    s->weight[to] += g->w[v];
    s->label[v] = to;
    /* neighbours in the separator see the side change */
    for (k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
        u = g->adj[k];
        if (s->label[u] != 2)
            continue;
        if (from < 2)
            s->side[from][u] -= g->w[v];
        if (to < 2)
            s->side[to][u] += g->w[v];
        if (s->locked[u] != s->pass && from < 2)
            cti_order_push(s, 1 - from, u);
        if (s->locked[u] != s->pass && to < 2)
            cti_order_push(s, 1 - to, u);
    }
    if (to == 2)
        cti_order_enter(s, v);
}

/* the best valid move: -1 when there is none */
static int cti_order_pick(cti_order_fm *s, int *out_to)
{
    int to, v, best = -1, best_gain = 0, lighter = s->weight[1] < s->weight[0];
    for (to = 0; to < 2; to++) {
        int side = to ? 1 - lighter : lighter;
        while (CTI_LEN(s->heap[side]) > 0) {
            cti_order_entry e = s->heap[side][0];
            v = e.v;
            if (s->label[v] != 2 || s->locked[v] == s->pass || e.gain != s->g->w[v] - s->side[1 - side][v] ||
                s->weight[side] + s->g->w[v] > s->most) {
                cti_order_pop(s->heap[side]);
                continue;
            }
            if (best < 0 || e.gain > best_gain)
                best = v, best_gain = e.gain, *out_to = side;
            break;
        }
    }
    if (best >= 0)
        cti_order_pop(s->heap[*out_to]);
    return best;
}

static int cti_order_imbalance(const int weight[3]) { return weight[0] > weight[1] ? weight[0] - weight[1] : weight[1] - weight[0]; }

/* one pass of moves; returns 1 when the separator became better */
static int cti_order_fm_pass(cti_order_fm *s)
{
    const cti_graph *g = s->g;
    int v, u, k, to = 0, idle = 0, kept = 0, best[3];
    s->pass++;
    CTI_CLEAR(s->undo);
    CTI_CLEAR(s->heap[0]);
    CTI_CLEAR(s->heap[1]);
    for (v = 0; v < g->n; v++)
        if (s->label[v] == 2)
            cti_order_enter(s, v);
    memcpy(best, s->weight, sizeof best);
    while (!s->failed && idle < 60 + g->n / 20 && (v = cti_order_pick(s, &to)) >= 0) {
        int over, best_over;
        s->locked[v] = s->pass;
        cti_order_relabel(s, v, to);
        for (k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            u = g->adj[k];
            if (s->label[u] == 1 - to)
                cti_order_relabel(s, u, 2);
        }
        /* a better state is feasible first, then light, then balanced */
        over = cti_max_int(cti_max_int(s->weight[0], s->weight[1]) - s->most, 0);
        best_over = cti_max_int(cti_max_int(best[0], best[1]) - s->most, 0);
        idle++;
        if (over < best_over ||
            (over == best_over &&
             (s->weight[2] < best[2] || (s->weight[2] == best[2] && cti_order_imbalance(s->weight) < cti_order_imbalance(best))))) {
            memcpy(best, s->weight, sizeof best);
            kept = CTI_LEN(s->undo);
            idle = 0;
        }
    }
    /* back to the best prefix */
    for (k = CTI_LEN(s->undo); k > kept; k -= 2)
        s->label[s->undo[k - 2]] = s->undo[k - 1];
    memcpy(s->weight, best, sizeof best);
    return kept > 0;
}

static int cti_order_refine(cti_mem *mem, const cti_graph *g, int *label, int passes)
{
    cti_order_fm s;
    int v, n = g->n, total = 0;
    memset(&s, 0, sizeof s);
    s.mem = mem, s.g = g, s.label = label;
    if (!CTI_RESIZE(mem, s.store, 3 * (size_t)n))
        return 0;
    s.side[0] = s.store, s.side[1] = s.store + n, s.locked = s.store + 2 * n;
    for (v = 0; v < n; v++) {
        s.weight[label[v]] += g->w[v];
        total += g->w[v];
    }
    s.most = (int)((int64_t)total * 56 / 100);
    while (passes-- > 0 && cti_order_fm_pass(&s) && !s.failed) {
    }
    CTI_FREE(mem, s.heap[0]);
    CTI_FREE(mem, s.heap[1]);
    CTI_FREE(mem, s.undo);
    CTI_FREE(mem, s.store);
    return !s.failed;
}

/* separator quality: its weight, raised when the sides differ */
static double cti_order_cost(const cti_graph *g, const int *label)
{
    int v, w[3] = {0, 0, 0};
    double total;
    for (v = 0; v < g->n; v++)
        w[label[v]] += g->w[v];
    total = (double)w[0] + w[1] + w[2];
    if (w[0] == 0 || w[1] == 0)
        return 10 * total;
    return w[2] * (1 + 2 * ((double)cti_order_imbalance(w) / total) * ((double)cti_order_imbalance(w) / total));
}

/* region of half the weight around a random vertex; its outer boundary is the separator */
static void cti_order_grow(const cti_graph *g, uint32_t *random, int *label, int *queue)
{
    int v, k, head = 0, tail = 0, w = 0, half = 0;
    for (v = 0; v < g->n; v++) {
        label[v] = 1;
        half += g->w[v];
    }
    half /= 2;
    v = (int)(cti_order_random(random) % (uint32_t)g->n);
    /* labels: 1 untouched, 3 queued, 0 taken; breadth first, a new seed when a component ends */
    label[v] = 3;
    queue[tail++] = v;
    while (w < half) {
        if (head == tail) {
            for (v = 0; v < g->n && label[v] != 1; v++) {
            }
            if (v == g->n)
                break;
            label[v] = 3;
            queue[tail++] = v;
        }
        v = queue[head++];
        label[v] = 0;
        w += g->w[v];
        for (k = g->ptr[v]; k < g->ptr[v + 1]; k++)
            if (label[g->adj[k]] == 1) {
                label[g->adj[k]] = 3;
                queue[tail++] = g->adj[k];
            }
    }
    for (v = 0; v < g->n; v++)
        if (label[v] == 3)
            label[v] = 2;
}

/* the best of several grown and refined regions */
static int cti_order_initial(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label)
{
    int *w = NULL, t, n = g->n, ok = 0;
    double best = 0, cost;
    if (!CTI_RESIZE(mem, w, 2 * (size_t)n))
        return 0;
    for (t = 0; t < CTI_ORDER_TRIES; t++) {
        cti_order_grow(g, &seed, w, w + n);
        if (!cti_order_refine(mem, g, w, 6))
            goto done;
        cost = cti_order_cost(g, w);
        if (t == 0 || cost < best) {
            best = cost;
            memcpy(label, w, (size_t)n * sizeof *label);
        }
    }
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

/* heavy-edge matching: map[v] is v's coarse vertex; returns their number. order is scratch [n]. */
static int cti_order_match(const cti_graph *g, uint32_t *random, int *map, int *order)
{
    int i, k, v, u, best, n = 0, total = 0, most;
    for (i = 0; i < g->n; i++) {
        map[i] = -1;
        order[i] = i;
        total += g->w[i];
    }
    most = cti_max_int(2, (int)((int64_t)total * 3 / (2 * CTI_ORDER_COARSEST)));
    for (i = g->n - 1; i > 0; i--) {
        k = (int)(cti_order_random(random) % (uint32_t)(i + 1));
        v = order[i], order[i] = order[k], order[k] = v;
    }
    for (i = 0; i < g->n; i++) {
        int weight = 0;
        v = order[i];
        if (map[v] >= 0)
            continue;
        for (best = -1, k = g->ptr[v]; k < g->ptr[v + 1]; k++) {
            u = g->adj[k];
            if (map[u] < 0 && g->ew[k] > weight && g->w[u] + g->w[v] <= most)
                best = u, weight = g->ew[k];
        }
        map[v] = n;
        if (best >= 0)
            map[best] = n;
        n++;
    }
    return n;
}

/* the graph of the matched pairs; mark and list are scratch [n] */
static int cti_order_contract(cti_mem *mem, const cti_graph *g, const int *map, int n, cti_graph *c, int *mark, int *list)
{
    int v, i, k, u, e = 0;
    if (!cti_graph_alloc(mem, c, n, g->ptr[g->n]))
        return 0;
    /* list: first member of each coarse vertex; mark: the second, or -1 */
    for (v = g->n - 1; v >= 0; v--)
        list[map[v]] = mark[map[v]] = -1;
    for (v = 0; v < g->n; v++)
        if (list[map[v]] < 0)
            list[map[v]] = v;
        else
            mark[map[v]] = v;
    for (i = 0; i < n; i++)
        c->w[i] = -1;
    for (i = 0; i < n; i++) {
        int member[2], m, first = e;
        member[0] = list[i], member[1] = mark[i];
        c->ptr[i] = e;
        /* w serves as a map from neighbour to edge until the end */
        for (m = 0; m < 2 && member[m] >= 0; m++)
            for (k = g->ptr[member[m]]; k < g->ptr[member[m] + 1]; k++) {
                u = map[g->adj[k]];
                if (u == i)
                    continue;
                if (c->w[u] < first) {
                    c->w[u] = e;
                    c->adj[e] = u;
                    c->ew[e++] = 0;
                }
                c->ew[c->w[u]] += g->ew[k];
            }
    }
    c->ptr[n] = e;
    for (i = 0; i < n; i++)
        c->w[i] = g->w[list[i]] + (mark[i] >= 0 ? g->w[mark[i]] : 0);
    return 1;
}

CTI_FN int cti_order_cut(cti_mem *mem, const cti_graph *g, uint32_t seed, int *label)
{
    cti_graph level[CTI_ORDER_LEVELS];
    int *map[CTI_ORDER_LEVELS], *w = NULL, *fine = NULL, *t, n = g->n, d = 0, i, v, ok = 0;
    memset(level, 0, sizeof level);
    memset(map, 0, sizeof map);
    level[0] = *g;
    if (!CTI_RESIZE(mem, w, 2 * (size_t)n) || !CTI_RESIZE(mem, fine, n))
        goto done;
    /* down */
    while (level[d].n > CTI_ORDER_COARSEST && d + 1 < CTI_ORDER_LEVELS) {
        if (!CTI_RESIZE(mem, map[d], level[d].n))
            goto done;
        i = cti_order_match(&level[d], &seed, map[d], w);
        if (i > level[d].n - level[d].n / 10)
            break;
        if (!cti_order_contract(mem, &level[d], map[d], i, &level[d + 1], w, w + n))
            goto done;
        d++;
    }
    if (!cti_order_initial(mem, &level[d], seed, fine))
        goto done;
    /* up: labels of the coarse vertices, then refinement */
    while (d-- > 0) {
        for (v = 0; v < level[d].n; v++)
            w[v] = fine[map[d][v]];
        t = w, w = fine, fine = t;
        if (!CTI_RESIZE(mem, w, 2 * (size_t)n) || !cti_order_refine(mem, &level[d], fine, 8))
            goto done;
    }
    memcpy(label, fine, (size_t)n * sizeof *label);
    ok = 1;
done:
    for (i = 0; i < CTI_ORDER_LEVELS; i++) {
        if (i > 0)
            cti_graph_free(mem, &level[i]);
        CTI_FREE(mem, map[i]);
    }
    CTI_FREE(mem, w);
    CTI_FREE(mem, fine);
    return ok;
}

#undef CTI_ORDER_COARSEST
#undef CTI_ORDER_LEVELS
#undef CTI_ORDER_TRIES

/* ---- 2_linalg/order.c ---- */
/* order.c -- fill-reducing orders.
   Method: nested dissection; a segment of perm holds a part's vertices, a cut sorts them into side 0, side 1, separator, and the two sides
   are segments again. Small parts are ordered by exact minimum degree on an elimination graph of bit rows, with the vertices around them
   (which are all eliminated later) as columns that count but are never chosen. based on: George 1973 (nested dissection); Tinney and Walker
   1967 (minimum degree); Ashcraft, Liu 1998 (constrained leaves). */

static int cti_order_bits(uint64_t x)
{
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (int)((x * 0x0101010101010101ull) >> 56);
}

/* cti_order_work -- at[v]: local number of v in the current part, -1 outside */
typedef struct cti_order_work {
    cti_mem *mem;
    const cti_graph *g;
    int *at;
    int *list; /* scratch [n] */
    uint64_t *rows;
    int *todo; /* segments lo, hi */
} cti_order_work;

/* bit rows of the part part[0..n), its surroundings numbered from n on; returns the words per row, 0 when memory ran out */
static int cti_order_rows(cti_order_work *s, const int *part, int n)
{
    const cti_graph *g = s->g;
    int i, k, u, m = n, words;
    for (i = 0; i < n; i++)
        s->at[part[i]] = i;
    for (i = 0; i < n; i++)
        for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++) {
            u = g->adj[k];
            if (s->at[u] < 0) {
                s->list[m - n] = u;
                s->at[u] = m++;
            }
        }
    words = (m + 63) / 64;
    if (!CTI_RESIZE(s->mem, s->rows, (size_t)words * (size_t)n))
        words = 0;
    else
        memset(s->rows, 0, (size_t)words * (size_t)n * sizeof *s->rows);
    for (i = 0; i < n && words; i++) {
        uint64_t *row = s->rows + (size_t)words * (size_t)i;
        row[i >> 6] |= (uint64_t)1 << (i & 63);
        for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++) {
            u = s->at[g->adj[k]];
            row[u >> 6] |= (uint64_t)1 << (u & 63);
        }
    }
    for (i = 0; i < n; i++)
        s->at[part[i]] = -1;
    for (i = 0; i < m - n; i++)
        s->at[s->list[i]] = -1;
    return words;
}

/* exact minimum degree: part becomes its elimination order. Rows keep their own bit; eliminated bits are cleared. */
static int cti_order_degree(cti_order_work *s, int *part, int n)
{
    int i, k, j, step, words = cti_order_rows(s, part, n);
    int *degree = s->list, *copy = s->list + n;
    if (!words)
        return 0;
    for (i = 0; i < n; i++) {
        copy[i] = part[i];
        for (degree[i] = 0, k = 0; k < words; k++)
            degree[i] += cti_order_bits(s->rows[(size_t)words * (size_t)i + (size_t)k]);
    }
    for (step = 0; step < n; step++) {
        int best = -1;
        const uint64_t *r;
        for (i = 0; i < n; i++)
            if (degree[i] >= 0 && (best < 0 || degree[i] < degree[best]))
                best = i;
        part[step] = copy[best];
        degree[best] = -1;
        /* the neighbours become a clique */
        r = s->rows + (size_t)words * (size_t)best;
        for (j = 0; j < n; j++) {
            uint64_t *row = s->rows + (size_t)words * (size_t)j;
            if (degree[j] < 0 || !((r[j >> 6] >> (j & 63)) & 1))
                continue;
            for (degree[j] = 0, k = 0; k < words; k++) {
                row[k] |= r[k];
                if (k == best >> 6)
                    row[k] &= ~((uint64_t)1 << (best & 63));
                degree[j] += cti_order_bits(row[k]);
            }
        }
    }
    return 1;
}

/* the graph induced by part[0..n), unit weights */
static int cti_order_induced(cti_order_work *s, const int *part, int n, cti_graph *out)
{
    const cti_graph *g = s->g;
    int i, k, m = 0;
    for (i = 0; i < n; i++) {
        s->at[part[i]] = i;
        m += g->ptr[part[i] + 1] - g->ptr[part[i]];
    }
    if (cti_graph_alloc(s->mem, out, n, m))
        for (i = 0, m = 0; i < n; i++) {
            out->ptr[i] = m;
            out->w[i] = 1;
            for (k = g->ptr[part[i]]; k < g->ptr[part[i] + 1]; k++)
                if (s->at[g->adj[k]] >= 0) {
                    out->adj[m] = s->at[g->adj[k]];
                    out->ew[m++] = 1;
                }
            out->ptr[i + 1] = m;
        }
    for (i = 0; i < n; i++)
        s->at[part[i]] = -1;
    return out->mem != NULL || n == 0;
}

/* cuts part[0..n) into side 0, side 1, separator; their sizes in count. A side may come out empty. */
static int cti_order_split(cti_order_work *s, int *part, int n, int count[3])
{
    cti_graph sub;
    int i, k, *label = s->list, at[3], ok;
    memset(&sub, 0, sizeof sub);
    count[0] = count[1] = count[2] = 0;
    ok = cti_order_induced(s, part, n, &sub) && cti_order_cut(s->mem, &sub, (uint32_t)n, label);
    cti_graph_free(s->mem, &sub);
    if (!ok)
        return 0;
    for (i = 0; i < n; i++)
        count[label[i]]++;
    at[0] = 0, at[1] = count[0], at[2] = count[0] + count[1];
    /* stable partition through the second half of the scratch */
    for (i = 0; i < n; i++)
        s->list[n + at[label[i]]++] = part[i];
    for (k = 0; k < n; k++)
        part[k] = s->list[n + k];
    return 1;
}

CTI_FN int cti_order_dissect(cti_mem *mem, const cti_graph *g, int leaf, int *perm)
{
    cti_order_work s;
    int i, n = g->n, ok = 0, lo, hi, count[3];
    memset(&s, 0, sizeof s);
    s.mem = mem, s.g = g;
    if (!CTI_RESIZE(mem, s.at, n) || !CTI_RESIZE(mem, s.list, 2 * (size_t)n))
        goto done;
    for (i = 0; i < n; i++) {
        perm[i] = i;
        s.at[i] = -1;
    }
    if (!CTI_PUSH(mem, s.todo, 0) || !CTI_PUSH(mem, s.todo, n))
        goto done;
    while (CTI_LEN(s.todo) > 0) {
        hi = s.todo[CTI_LEN(s.todo) - 1], lo = s.todo[CTI_LEN(s.todo) - 2];
        stbds_header(s.todo)->length -= 2;
        if (hi - lo > leaf && hi - lo > 2) {
            if (!cti_order_split(&s, perm + lo, hi - lo, count))
                goto done;
            if (count[0] > 0 && count[1] > 0) {
                if (!CTI_PUSH(mem, s.todo, lo) || !CTI_PUSH(mem, s.todo, lo + count[0]) || !CTI_PUSH(mem, s.todo, lo + count[0]) ||
                    !CTI_PUSH(mem, s.todo, lo + count[0] + count[1]))
                    goto done;
                continue;
            }
        }
        if (hi > lo && !cti_order_degree(&s, perm + lo, hi - lo))
            goto done;
    }
    ok = 1;
done:
    CTI_FREE(mem, s.at);
    CTI_FREE(mem, s.list);
    CTI_FREE(mem, s.rows);
    CTI_FREE(mem, s.todo);
    return ok;
}

/* ---- 2_linalg/etree.h ---- */
/* etree.h -- elimination trees, supernodes and their amalgamation, on the block graph. */


/* cti_etree_cost -- modelled time of a supernode with ns pivot blocks and nb blocks below, in thousands of cycles */
CTI_FN double cti_etree_cost(int ns, int nb);
/* cti_etree_supernodes -- perm in: a fill-reducing order, out: an equivalent one in which supernodes are consecutive and the tree is
   postordered. first (stb_ds array) gets the first position of every supernode and n at its end; out_cost the modelled time of a
   factorization. 0 when memory ran out. */
CTI_FN int cti_etree_supernodes(cti_mem *mem, const cti_graph *g, int *perm, int **first, double *out_cost);


/* ---- 2_linalg/etree.c ---- */
/* etree.c -- elimination tree, column counts, supernodes, amalgamation.
   Method: the tree by path compression, counts by walking every row's subtree; columns with nested patterns form supernodes; a supernode
   joins its parent when a model of the factorization's time says that the zeros cost less than the smaller kernels. Every child may join,
   not only the last: the joined tree is postordered anew, which keeps the fill. based on: Liu 1990 (the role of elimination trees);
   Ashcraft and Grimes 1989 (relaxed supernodes). */

CTI_FN double cti_etree_cost(int ns, int nb)
{
    double k = 3.0 * ns, m = 3.0 * nb;
    return 1e-3 * (500 + (k * k * k / 3 + k * k * m + k * m * m) / 24 + 0.6 * k * (k + m) + 0.3 * m * m);
}

/* parent[j] in the order perm, -1 at roots; anc is scratch */
static void cti_etree_parents(const cti_graph *g, const int *perm, const int *inv, int *parent, int *anc)
{
    int i, j, k, next;
    for (i = 0; i < g->n; i++) {
        parent[i] = anc[i] = -1;
        for (k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
            for (j = inv[g->adj[k]]; j >= 0 && j < i; j = next) {
                next = anc[j];
                anc[j] = i;
                if (next < 0)
                    parent[j] = i;
            }
    }
}

/* count[j]: blocks below the diagonal in column j of the factor; mark is scratch */
static void cti_etree_counts(const cti_graph *g, const int *perm, const int *inv, const int *parent, int *count, int *mark)
{
    int i, j, k;
    for (i = 0; i < g->n; i++) {
        count[i] = 0;
        mark[i] = i;
        for (k = g->ptr[perm[i]]; k < g->ptr[perm[i] + 1]; k++)
            for (j = inv[g->adj[k]]; j < i && mark[j] != i; j = parent[j]) {
                mark[j] = i;
                count[j]++;
            }
    }
}

/* post[k] is the node visited k-th, children before parents, subtrees together; head and next are scratch */
static void cti_etree_postorder(const int *parent, int n, int *post, int *head, int *next)
{
    int i, k = 0, root, c;
    for (i = 0; i < n; i++)
        head[i] = -1;
    for (i = n - 1; i >= 0; i--)
        if (parent[i] >= 0) {
            next[i] = head[parent[i]];
            head[parent[i]] = i;
        }
    for (root = 0; root < n; root++) {
        if (parent[root] >= 0)
            continue;
        for (i = root;;) {
            /* down to a leaf, then out, and to the next sibling of the first node that has one */
            while ((c = head[i]) >= 0) {
                head[i] = next[c];
                i = c;
            }
            post[k++] = i;
            if (i == root)
                break;
            i = parent[i];
        }
    }
}

/* cti_etree_work -- one block of ints: the arrays are [n] but for the first */
typedef struct cti_etree_work {
    int *store, *inv, *parent, *count, *post, *a, *b, *super;
    int *ns, *nb, *up, *rep;
} cti_etree_work;

/* postorders the tree: perm, parent and count are renumbered */
static void cti_etree_renumber(cti_etree_work *w, int n, int *perm)
{
    int i;
    if (n == 0)
        return;
    cti_etree_postorder(w->parent, n, w->post, w->a, w->b);
    for (i = 0; i < n; i++)
        w->inv[w->post[i]] = i;
    for (i = 0; i < n; i++) {
        int j = w->post[i];
        w->a[i] = perm[j];
        w->b[i] = w->parent[j] < 0 ? -1 : w->inv[w->parent[j]];
        w->super[i] = w->count[j];
    }
    memcpy(perm, w->a, (size_t)n * sizeof *perm);
    memcpy(w->parent, w->b, (size_t)n * sizeof *perm);
    memcpy(w->count, w->super, (size_t)n * sizeof *perm);
}

/* maximal chains of nested columns: super[j], ns, nb, up (parent supernode); returns their number */
static int cti_etree_chains(cti_etree_work *w, int n)
{
    int j, s = -1;
    for (j = 0; j < n; j++) {
        if (j == 0 || w->parent[j - 1] != j || w->count[j - 1] != w->count[j] + 1)
            w->ns[++s] = 0;
        w->super[j] = s;
        w->ns[s]++;
        w->nb[s] = w->count[j];
        w->up[s] = j; /* last column for now */
    }
    for (j = 0; j <= s; j++)
        w->up[j] = w->parent[w->up[j]] < 0 ? -1 : w->super[w->parent[w->up[j]]];
    return s + 1;
}

/* joins children into parents while the model gains; rep[s] is the supernode that s has become part of */
static void cti_etree_join(cti_etree_work *w, int m)
{
    int *head = w->a, *next = w->b, s, c, best;
    for (s = 0; s < m; s++)
        head[s] = -1;
    for (s = 0; s < m; s++) {
        w->rep[s] = s;
        for (;;) {
            double gain = 0, t;
            for (best = -1, c = head[s]; c >= 0; c = next[c]) {
                t = cti_etree_cost(w->ns[c], w->nb[c]) + cti_etree_cost(w->ns[s], w->nb[s]) - cti_etree_cost(w->ns[c] + w->ns[s], w->nb[s]);
                if (t > gain)
                    gain = t, best = c;
            }
            if (best < 0)
                break;
            /* unlink best, hand its children to s */
            if (head[s] == best)
                head[s] = next[best];
            else {
                for (c = head[s]; next[c] != best; c = next[c]) {
                }
                next[c] = next[best];
            }
            while ((c = head[best]) >= 0) {
                head[best] = next[c];
                next[c] = head[s];
                head[s] = c;
                w->up[c] = s;
            }
            w->ns[s] += w->ns[best];
            w->rep[best] = s;
        }
        if (w->up[s] >= 0) {
            next[s] = head[w->up[s]];
            head[w->up[s]] = s;
        }
    }
    for (s = m - 1; s >= 0; s--)
        w->rep[s] = w->rep[w->rep[s]];
}

/* columns in the order of the joined, postordered tree into perm, the supernodes' first columns into first */
static int cti_etree_emit(cti_mem *mem, cti_etree_work *w, int n, int m, int *perm, int **first, double *out_cost)
{
    int i, s, k = 0, *at = w->post, *sorted = w->inv, *old = w->count;
    CTI_CLEAR(*first);
    if (!CTI_RESERVE(mem, *first, m + 1))
        return 0;
    /* joined supernodes leave the forest: they hang below their representative and emit nothing */
    for (s = 0; s < m; s++)
        if (w->rep[s] != s)
            w->up[s] = w->rep[s];
    cti_etree_postorder(w->up, m, w->post, w->a, w->b);
    /* a[s]: first position of representative s */
    *out_cost = 0;
    for (i = 0; i < m; i++) {
        s = at[i];
        if (w->rep[s] != s)
            continue;
        w->a[s] = k;
        (*first)[stbds_header(*first)->length++] = k;
        k += w->ns[s];
        *out_cost += cti_etree_cost(w->ns[s], w->nb[s]);
    }
    (*first)[stbds_header(*first)->length++] = n;
    for (i = 0; i < n; i++) {
        sorted[w->a[w->rep[w->super[i]]]++] = i;
        old[i] = perm[i];
    }
    for (i = 0; i < n; i++)
        perm[i] = old[sorted[i]];
    return 1;
}

CTI_FN int cti_etree_supernodes(cti_mem *mem, const cti_graph *g, int *perm, int **first, double *out_cost)
{
    cti_etree_work w;
    int n = g->n, i, m, ok = 0;
    memset(&w, 0, sizeof w);
    if (!CTI_RESIZE(mem, w.store, 12 * (size_t)n + 1))
        return 0;
    w.inv = w.store, w.parent = w.inv + n, w.count = w.parent + n, w.post = w.count + n, w.a = w.post + n, w.b = w.a + n;
    w.super = w.b + n, w.ns = w.super + n, w.nb = w.ns + n, w.up = w.nb + n, w.rep = w.up + n;
    for (i = 0; i < n; i++)
        w.inv[perm[i]] = i;
    cti_etree_parents(g, perm, w.inv, w.parent, w.a);
    cti_etree_counts(g, perm, w.inv, w.parent, w.count, w.a);
    cti_etree_renumber(&w, n, perm);
    m = cti_etree_chains(&w, n);
    cti_etree_join(&w, m);
    ok = cti_etree_emit(mem, &w, n, m, perm, first, out_cost);
    CTI_FREE(mem, w.store);
    return ok;
}

/* ---- 2_linalg/symbolic.h ---- */
/* symbolic.h -- analysis of a principal sub-matrix of a cti_bsr: order, supernodes, rows, and the static plan of a left-looking
   factorization. A cluster is a sorted list of A's blocks (one body, one connected component, one patch). The analysis works on local
   numbers 0 .. n-1 in the order of that list, so that clusters with equal local graphs share one; what is A's own, the slots of its blocks,
   is a cti_gather.

   Numbers used below: "local" as above; "position" = place in the elimination order, position = inv[local], local = perm[position].
   A supernode has the positions first[s] .. first[s+1]-1 as pivots, and the positions rows[row_ptr[s] .. row_ptr[s+1]-1] below them. Its
   panel is a matrix of unknowns: pivot rows padded to a multiple of 8, then the rows below padded to a multiple of 8; columns padded to a
   multiple of 4 (padded pivots are those of 1). It is stored in strips of 8 rows, each strip [column][8]. */


#define CTI_SYMBOLIC_WIDTH 32 /* blocks: widest panel */

/* cti_sym_update -- what supernode `source` does to a later one: its rows i0 .. i1-1 (blocks, counted below the pivots) are pivots there */
typedef struct cti_sym_update {
    int source, i0, i1;
    int piece; /* first of its pieces: see strip */
    int strip; /* first of its strips in strip_piece: strips floor(3 i0 / 8) .. end of the source's rows below */
} cti_sym_update;
/* cti_sym_piece -- consecutive rows of a source's strip that are consecutive rows of the target */
typedef struct cti_sym_piece {
    int target;         /* row in the target's panel */
    short lane, length; /* first row in the strip, number of rows */
} cti_sym_piece;
/* cti_sym_entry -- block (i, j) of the lower triangle goes to unknowns (row, col) of the panel */
typedef struct cti_sym_entry {
    int i, j;     /* local numbers */
    int row, col; /* of the supernode that owns j */
} cti_sym_entry;

/* cti_symbolic -- zero it before first use; read-only afterwards, may be shared by clusters and threads. All arrays are stb_ds arrays. */
typedef struct cti_symbolic {
    int n;          /* blocks */
    uint64_t hash;  /* cti_symbolic_hash of the pattern */
    int *ptr, *adj; /* the local pattern without the diagonal, rows sorted */
    int *perm, *inv;
    int n_super;
    int *first;   /* [n_super + 1] */
    int *owner;   /* [n] supernode of a position */
    int *row_ptr; /* [n_super + 1] */
    int *rows;
    int *subtree;    /* [n_super] first position of the subtree below (and with) the supernode */
    size_t *panel;   /* [n_super + 1] offset of the panel */
    int *pivot;      /* [n_super + 1] offset of the padded pivots */
    int *place;      /* [n] offset of a position's first unknown among the padded pivots */
    int *update_ptr; /* [n_super + 1], by target */
    cti_sym_update *update;
    int *strip_piece; /* pieces of each strip of each update, with one end mark */
    cti_sym_piece *piece;
    int *entry_ptr; /* [n_super + 1] */
    cti_sym_entry *entry;
    size_t scratch;         /* numbers in the largest panel */
    int max_cols, max_rows; /* padded columns and padded rows of the largest panels */
    double nonzeros, flops; /* of the factor as stored without padding; multiplications and additions of a factorization */
} cti_symbolic;

/* cti_symbolic_analyze -- blocks [n_blocks] sorted, without repetitions. 0 when memory ran out (out is then empty). */
CTI_FN int cti_symbolic_analyze(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks);
CTI_FN void cti_symbolic_free(cti_mem *mem, cti_symbolic *sym);
/* cti_symbolic_hash -- a hash of the cluster's local pattern; cti_symbolic_same -- 1 when sym was made from the same local pattern. */
CTI_FN uint64_t cti_symbolic_hash(const cti_bsr *A, const int32_t *blocks, int n_blocks);
CTI_FN int cti_symbolic_same(const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks, int n_blocks);

/* cti_symbolic_sort_ports -- local numbers into elimination order, in place; equal numbers may not repeat */
CTI_FN void cti_symbolic_sort_ports(const cti_symbolic *sym, int32_t *ports, int n_ports);

/* cti_gather -- A's slot of every entry of a symbolic. Zero it before first use. */
typedef struct cti_gather {
    int *slot; /* [entry_ptr[n_super]] */
} cti_gather;
/* cti_gather_make -- the cluster's pattern must be the symbolic's (cti_symbolic_same). 0 when memory ran out. */
CTI_FN int cti_gather_make(cti_mem *mem, cti_gather *out, const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks);
CTI_FN void cti_gather_free(cti_mem *mem, cti_gather *gather);

/* sizes of supernode s: pivots in unknowns, columns padded to 4, pivot rows padded to 8, unknowns below, padded to 8 */
CTI_INLINE int cti_sym_pivots(const cti_symbolic *sym, int s) { return 3 * (sym->first[s + 1] - sym->first[s]); }
CTI_INLINE int cti_sym_cols(const cti_symbolic *sym, int s) { return cti_pad4(cti_sym_pivots(sym, s)); }
CTI_INLINE int cti_sym_top(const cti_symbolic *sym, int s) { return cti_pad8(cti_sym_pivots(sym, s)); }
CTI_INLINE int cti_sym_below(const cti_symbolic *sym, int s) { return 3 * (sym->row_ptr[s + 1] - sym->row_ptr[s]); }
CTI_INLINE int cti_sym_height(const cti_symbolic *sym, int s) { return cti_sym_top(sym, s) + cti_pad8(cti_sym_below(sym, s)); }


/* ---- 2_linalg/symbolic.c ---- */
/* symbolic.c -- from a cluster's pattern to the plan of its factorization.
   Method: several fill-reducing orders are tried where that is cheap and the one with the least modelled time is kept; wide supernodes are
   cut into chains of panels that fit the second-level cache; for every pair (descendant, target) the rows that the descendant updates are
   found once, as pieces of its strips, so that the numeric phase searches nothing. based on: Ng and Peyton 1993 (blocked left-looking
   Cholesky); Chen, Davis, Hager, Rajamanickam 2008 (CHOLMOD). */

/* local number of block b, or -1 */
static int cti_symbolic_local(const int32_t *blocks, int n, int b)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (blocks[mid] < b)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && blocks[lo] == b ? lo : -1;
}

static uint64_t cti_symbolic_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

CTI_FN uint64_t cti_symbolic_hash(const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    uint64_t h = cti_symbolic_mix(1, (uint64_t)n_blocks);
    int i, k, j;
    for (i = 0; i < n_blocks; i++) {
        h = cti_symbolic_mix(h, ~(uint64_t)i);
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++)
            if ((j = cti_symbolic_local(blocks, n_blocks, A->col[k])) >= 0 && j != i)
                h = cti_symbolic_mix(h, (uint64_t)j);
    }
    return h;
}

CTI_FN int cti_symbolic_same(const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    int i, k, j, e = 0;
    if (sym->n != n_blocks)
        return 0;
    for (i = 0; i < n_blocks; i++) {
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++) {
            j = cti_symbolic_local(blocks, n_blocks, A->col[k]);
            if (j < 0 || j == i)
                continue;
            if (e >= sym->ptr[i + 1] || sym->adj[e] != j)
                return 0;
            e++;
        }
        if (e != sym->ptr[i + 1])
            return 0;
    }
    return 1;
}

/* the local pattern */
static int cti_symbolic_pattern(cti_mem *mem, cti_symbolic *s, const cti_bsr *A, const int32_t *blocks, int n)
{
    int i, k, j;
    s->n = n;
    s->hash = cti_symbolic_hash(A, blocks, n);
    CTI_CLEAR(s->adj);
    if (!CTI_RESIZE(mem, s->ptr, n + 1))
        return 0;
    for (i = 0; i < n; i++) {
        s->ptr[i] = CTI_LEN(s->adj);
        for (k = A->row[blocks[i]]; k < A->row[blocks[i] + 1]; k++)
            if ((j = cti_symbolic_local(blocks, n, A->col[k])) >= 0 && j != i && !CTI_PUSH(mem, s->adj, j))
                return 0;
    }
    s->ptr[n] = CTI_LEN(s->adj);
    return 1;
}

/* the best of a few orders, and its supernodes */
static int cti_symbolic_order(cti_mem *mem, cti_symbolic *s)
{
    static const int leaves[] = {0x7fffffff, 64, 32, 12};
    int *perm = NULL, *first = NULL, *t, i, ok = 0, n = s->n;
    double cost, best = -1;
    cti_graph g;
    memset(&g, 0, sizeof g);
    g.n = n, g.ptr = s->ptr, g.adj = s->adj;
    if (!CTI_RESIZE(mem, perm, n) || !CTI_RESIZE(mem, s->perm, n) || !CTI_RESIZE(mem, s->inv, n))
        goto done;
    for (i = 0; i < 4; i++) {
        /* minimum degree alone for small parts only, small leaves for small parts only */
        if ((i == 0 && n > 3000) || (i == 1 && n <= leaves[1]) || (i > 1 && (n > 600 || n <= leaves[i])))
            continue;
        if (!cti_order_dissect(mem, &g, leaves[i], perm) || !cti_etree_supernodes(mem, &g, perm, &first, &cost))
            goto done;
        if (best >= 0 && cost >= best)
            continue;
        best = cost;
        t = perm, perm = s->perm, s->perm = t;
        t = first, first = s->first, s->first = t;
    }
    for (i = 0; i < n; i++)
        s->inv[s->perm[i]] = i;
    ok = 1;
done:
    CTI_FREE(mem, perm);
    CTI_FREE(mem, first);
    return ok;
}

/* chains of panels: supernodes wider than the limit are cut into equal parts */
static int cti_symbolic_cut(cti_mem *mem, cti_symbolic *s)
{
    int *cut = NULL, i, k, parts, m = CTI_LEN(s->first) - 1;
    for (i = 0; i < m; i++) {
        int w = s->first[i + 1] - s->first[i];
        parts = (w + CTI_SYMBOLIC_WIDTH - 1) / CTI_SYMBOLIC_WIDTH;
        for (k = 0; k < parts; k++)
            if (!CTI_PUSH(mem, cut, s->first[i] + (int)((int64_t)w * k / parts)))
                goto fail;
    }
    if (!CTI_PUSH(mem, cut, s->n))
        goto fail;
    CTI_FREE(mem, s->first);
    s->first = cut;
    s->n_super = CTI_LEN(cut) - 1;
    if (!CTI_RESIZE(mem, s->owner, s->n))
        return 0;
    for (i = 0; i < s->n_super; i++)
        for (k = s->first[i]; k < s->first[i + 1]; k++)
            s->owner[k] = i;
    return 1;
fail:
    CTI_FREE(mem, cut);
    return 0;
}

/* ascending order of a short list of distinct numbers below n: heap sort */
static void cti_symbolic_sort(int *a, int m)
{
    int i, c, p, v;
    for (i = m / 2 - 1; m > 1;) {
        if (i >= 0)
            v = a[p = i--];
        else {
            v = a[--m];
            a[m] = a[0];
            p = 0;
        }
        while ((c = 2 * p + 1) < m) {
            if (c + 1 < m && a[c + 1] > a[c])
                c++;
            if (a[c] <= v)
                break;
            a[p] = a[c];
            p = c;
        }
        a[p] = v;
    }
}

/* rows of every supernode: those of its columns in A and of its children; subtrees. child and sibling are lists by parent. */
static int cti_symbolic_rows(cti_mem *mem, cti_symbolic *s)
{
    int *w = NULL, *mark, *child, *sibling, i, j, k, c, r, ok = 0, m = s->n_super;
    if (!CTI_RESIZE(mem, w, (size_t)s->n + 2 * (size_t)m) || !CTI_RESIZE(mem, s->row_ptr, m + 1) || !CTI_RESIZE(mem, s->subtree, m))
        goto done;
    mark = w, child = w + s->n, sibling = child + m;
    for (i = 0; i < s->n; i++)
        mark[i] = -1;
    for (i = 0; i < m; i++)
        child[i] = -1;
    CTI_CLEAR(s->rows);
    for (i = 0; i < m; i++) {
        int end = s->first[i + 1], start = CTI_LEN(s->rows);
        s->row_ptr[i] = start;
        s->subtree[i] = s->first[i];
        for (j = s->first[i]; j < end; j++)
            for (k = s->ptr[s->perm[j]]; k < s->ptr[s->perm[j] + 1]; k++) {
                r = s->inv[s->adj[k]];
                if (r >= end && mark[r] != i) {
                    mark[r] = i;
                    if (!CTI_PUSH(mem, s->rows, r))
                        goto done;
                }
            }
        for (c = child[i]; c >= 0; c = sibling[c]) {
            s->subtree[i] = cti_min_int(s->subtree[i], s->subtree[c]);
            for (k = s->row_ptr[c]; k < s->row_ptr[c + 1]; k++) {
                r = s->rows[k];
                if (r >= end && mark[r] != i) {
                    mark[r] = i;
                    if (!CTI_PUSH(mem, s->rows, r))
                        goto done;
                }
            }
        }
        s->row_ptr[i + 1] = CTI_LEN(s->rows);
        if (s->row_ptr[i + 1] > start) {
            cti_symbolic_sort(s->rows + start, s->row_ptr[i + 1] - start);
            r = s->owner[s->rows[start]];
            sibling[i] = child[r];
            child[r] = i;
        }
    }
    ok = 1;
done:
    CTI_FREE(mem, w);
    return ok;
}

/* offsets and sizes */
static int cti_symbolic_layout(cti_mem *mem, cti_symbolic *s)
{
    int i, j;
    if (!CTI_RESIZE(mem, s->panel, s->n_super + 1) || !CTI_RESIZE(mem, s->pivot, s->n_super + 1) || !CTI_RESIZE(mem, s->place, s->n))
        return 0;
    s->panel[0] = 0, s->pivot[0] = 0;
    s->scratch = 0;
    s->max_cols = s->max_rows = 0;
    s->nonzeros = s->flops = 0;
    for (i = 0; i < s->n_super; i++) {
        size_t size = (size_t)cti_sym_height(s, i) * (size_t)cti_sym_cols(s, i);
        double k = cti_sym_pivots(s, i), m = cti_sym_below(s, i);
        s->panel[i + 1] = s->panel[i] + size;
        s->pivot[i + 1] = s->pivot[i] + cti_sym_top(s, i);
        if (size > s->scratch)
            s->scratch = size;
        for (j = s->first[i]; j < s->first[i + 1]; j++)
            s->place[j] = s->pivot[i] + 3 * (j - s->first[i]);
        s->max_cols = cti_max_int(s->max_cols, cti_sym_cols(s, i));
        s->max_rows = cti_max_int(s->max_rows, cti_sym_height(s, i));
        s->nonzeros += k * (k + 1) / 2 + k * m;
        s->flops += k * k * k / 3 + k * k * m + k * m * m;
    }
    return 1;
}

/* rows i0 .. of source d as pieces of its strips; at[position]: row in the target's panel */
static int cti_symbolic_pieces(cti_mem *mem, cti_symbolic *s, cti_sym_update *u, const int *at)
{
    const int *rows = s->rows + s->row_ptr[u->source];
    int i, strip, below = cti_sym_below(s, u->source), to;
    u->piece = CTI_LEN(s->piece);
    u->strip = CTI_LEN(s->strip_piece);
    for (strip = 3 * u->i0 / 8; 8 * strip < below; strip++) {
        cti_sym_piece *last = NULL;
        if (!CTI_PUSH(mem, s->strip_piece, CTI_LEN(s->piece)))
            return 0;
        for (i = cti_max_int(8 * strip, 3 * u->i0); i < 8 * strip + 8 && i < below; i++) {
            cti_sym_piece p;
            to = at[rows[i / 3]] + i % 3;
            if (last && last->target + last->length == to) {
                last->length++;
                continue;
            }
            p.target = to, p.lane = (short)(i - 8 * strip), p.length = 1;
            if (!CTI_PUSH(mem, s->piece, p))
                return 0;
            last = s->piece + CTI_LEN(s->piece) - 1;
        }
    }
    return CTI_PUSH(mem, s->strip_piece, CTI_LEN(s->piece));
}

/* updates by target, in the order of their sources */
static int cti_symbolic_updates(cti_mem *mem, cti_symbolic *s)
{
    int d, a, i, k, m = s->n_super, pass;
    if (!CTI_RESIZE(mem, s->update_ptr, m + 1))
        return 0;
    memset(s->update_ptr, 0, ((size_t)m + 1) * sizeof *s->update_ptr);
    for (pass = 0; pass < 2; pass++) {
        for (d = 0; d < m; d++) {
            const int *rows = s->rows + s->row_ptr[d];
            int n = s->row_ptr[d + 1] - s->row_ptr[d];
            for (i = 0; i < n; i = k) {
                a = s->owner[rows[i]];
                for (k = i; k < n && s->owner[rows[k]] == a; k++) {
                }
                if (pass == 0)
                    s->update_ptr[a + 1]++;
                else {
                    cti_sym_update *u = &s->update[s->update_ptr[a]++];
                    u->source = d, u->i0 = i, u->i1 = k;
                }
            }
        }
        if (pass == 0) {
            for (a = 0; a < m; a++)
                s->update_ptr[a + 1] += s->update_ptr[a];
            if (!CTI_RESIZE(mem, s->update, s->update_ptr[m]))
                return 0;
        }
    }
    for (a = m; a > 0; a--)
        s->update_ptr[a] = s->update_ptr[a - 1];
    s->update_ptr[0] = 0;
    return 1;
}

/* blocks of A's lower triangle by owner; counts first, then fills */
static int cti_symbolic_entries(cti_mem *mem, cti_symbolic *s)
{
    int i, k, m = s->n_super, pass, r, c, o;
    if (!CTI_RESIZE(mem, s->entry_ptr, m + 1))
        return 0;
    memset(s->entry_ptr, 0, ((size_t)m + 1) * sizeof *s->entry_ptr);
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < s->n; i++)
            for (k = s->ptr[i] - 1; k < s->ptr[i + 1]; k++) {
                /* the diagonal first, then the row */
                int j = k < s->ptr[i] ? i : s->adj[k];
                r = s->inv[i], c = s->inv[j], o = s->owner[c];
                if (r < c)
                    continue;
                if (pass == 0)
                    s->entry_ptr[o + 1]++;
                else {
                    cti_sym_entry *e = &s->entry[s->entry_ptr[o]++];
                    e->i = i, e->j = j, e->row = r, e->col = 3 * (c - s->first[o]);
                }
            }
        if (pass == 0) {
            for (o = 0; o < m; o++)
                s->entry_ptr[o + 1] += s->entry_ptr[o];
            if (!CTI_RESIZE(mem, s->entry, s->entry_ptr[m]))
                return 0;
        }
    }
    for (o = m; o > 0; o--)
        s->entry_ptr[o] = s->entry_ptr[o - 1];
    s->entry_ptr[0] = 0;
    return 1;
}

/* places in the target's panel: of the updates' rows and of the entries */
static int cti_symbolic_place(cti_mem *mem, cti_symbolic *s)
{
    int *at = NULL, a, k, ok = 0;
    if (!CTI_RESIZE(mem, at, s->n))
        return 0;
    CTI_CLEAR(s->piece);
    CTI_CLEAR(s->strip_piece);
    for (a = 0; a < s->n_super; a++) {
        for (k = s->first[a]; k < s->first[a + 1]; k++)
            at[k] = 3 * (k - s->first[a]);
        for (k = s->row_ptr[a]; k < s->row_ptr[a + 1]; k++)
            at[s->rows[k]] = cti_sym_top(s, a) + 3 * (k - s->row_ptr[a]);
        for (k = s->update_ptr[a]; k < s->update_ptr[a + 1]; k++)
            if (!cti_symbolic_pieces(mem, s, &s->update[k], at))
                goto done;
        for (k = s->entry_ptr[a]; k < s->entry_ptr[a + 1]; k++)
            s->entry[k].row = at[s->entry[k].row];
    }
    ok = 1;
done:
    CTI_FREE(mem, at);
    return ok;
}

CTI_FN int cti_symbolic_analyze(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks)
{
    if (cti_symbolic_pattern(mem, out, A, blocks, n_blocks) && cti_symbolic_order(mem, out) && cti_symbolic_cut(mem, out) &&
        cti_symbolic_rows(mem, out) && cti_symbolic_layout(mem, out) && cti_symbolic_updates(mem, out) && cti_symbolic_entries(mem, out) &&
        cti_symbolic_place(mem, out))
        return 1;
    cti_symbolic_free(mem, out);
    return 0;
}

CTI_FN void cti_symbolic_free(cti_mem *mem, cti_symbolic *s)
{
    CTI_FREE(mem, s->ptr);
    CTI_FREE(mem, s->adj);
    CTI_FREE(mem, s->perm);
    CTI_FREE(mem, s->inv);
    CTI_FREE(mem, s->first);
    CTI_FREE(mem, s->owner);
    CTI_FREE(mem, s->row_ptr);
    CTI_FREE(mem, s->rows);
    CTI_FREE(mem, s->subtree);
    CTI_FREE(mem, s->panel);
    CTI_FREE(mem, s->pivot);
    CTI_FREE(mem, s->place);
    CTI_FREE(mem, s->update_ptr);
    CTI_FREE(mem, s->update);
    CTI_FREE(mem, s->strip_piece);
    CTI_FREE(mem, s->piece);
    CTI_FREE(mem, s->entry_ptr);
    CTI_FREE(mem, s->entry);
    memset(s, 0, sizeof *s);
}

CTI_FN void cti_symbolic_sort_ports(const cti_symbolic *sym, int32_t *ports, int n_ports)
{
    int i;
    for (i = 0; i < n_ports; i++)
        ports[i] = sym->inv[ports[i]];
    cti_symbolic_sort(ports, n_ports);
    for (i = 0; i < n_ports; i++)
        ports[i] = sym->perm[ports[i]];
}

CTI_FN int cti_gather_make(cti_mem *mem, cti_gather *out, const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks)
{
    int k, m = sym->entry_ptr[sym->n_super];
    if (!CTI_RESIZE(mem, out->slot, m))
        return 0;
    for (k = 0; k < m; k++)
        out->slot[k] = cti_bsr_slot(A, blocks[sym->entry[k].i], blocks[sym->entry[k].j]);
    return 1;
}

CTI_FN void cti_gather_free(cti_mem *mem, cti_gather *gather) { CTI_FREE(mem, gather->slot); }

/* ---- 2_linalg/supernodal.h ---- */
/* supernodal.h -- sparse Cholesky of 3x3-block matrices by supernodes, in float and double: factor, solve, solve with many right sides, and
   compliance (the inverse restricted to some blocks). See symbolic.h for the panels. A factor is read-only after compute: solves may run on
   several threads, each with its own work. */


/* cti_factor32, cti_factor64 -- A = L L' on a cluster. Zero it before first use. sym must outlive it. */
typedef struct cti_factor32 {
    const cti_symbolic *sym;
    float *L;       /* panels */
    float *inverse; /* [pivot[n_super]] 1 / l_kk; pads 1 */
    float *scratch;
    int boosted; /* pivots that were replaced */
    void *block;
    size_t bytes;
} cti_factor32, cti_factor32_t;
typedef struct cti_factor64 {
    const cti_symbolic *sym;
    double *L;
    double *inverse;
    double *scratch;
    int boosted;
    void *block;
    size_t bytes;
} cti_factor64, cti_factor64_t;

/* cti_factor*_compute -- factor of the cluster's matrix; val is A's val. A pivot that is not above eps a_kk is replaced by |a_kk| (by 1
   where that is no use) and counted in f->boosted, so the factor is always of a positive definite matrix. Allocates only when it grows.
   Returns 0 when memory ran out. */
CTI_FN int cti_factor32_compute(cti_mem *mem, cti_factor32 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
CTI_FN int cti_factor64_compute(cti_mem *mem, cti_factor64 *f, const cti_symbolic *sym, const cti_gather *g, const ct_real *val);
CTI_FN void cti_factor32_free(cti_mem *mem, cti_factor32 *f);
CTI_FN void cti_factor64_free(cti_mem *mem, cti_factor64 *f);

/* cti_factor*_solve -- x = A^-1 x; x [3 n] in the cluster's local order; work [cti_factor*_work(f)] */
CTI_FN void cti_factor32_solve(const cti_factor32 *f, float *x, float *work);
CTI_FN void cti_factor64_solve(const cti_factor64 *f, double *x, double *work);
CTI_FN size_t cti_factor32_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_work(const cti_factor64 *f);

/* cti_factor*_solve_many -- X = A^-1 X; X [3 n][ld], ld = nrhs rounded up to 8, a row per unknown; all ld columns are solved for.
   work [cti_factor*_many_work(f)] */
CTI_FN void cti_factor32_solve_many(const cti_factor32 *f, float *X, int nrhs, float *work);
CTI_FN void cti_factor64_solve_many(const cti_factor64 *f, double *X, int nrhs, double *work);
CTI_FN size_t cti_factor32_many_work(const cti_factor32 *f);
CTI_FN size_t cti_factor64_many_work(const cti_factor64 *f);

/* cti_factor*_compliance -- C = S' A^-1 S for the blocks `ports`: C(3 a + i, 3 b + j) = A^-1(3 ports[a] + i, 3 ports[b] + j).
   ports  in   [n_ports] local numbers, all different; it is fastest when they are in elimination order (cti_symbolic_sort_ports)
   C      out  [3 n_ports][ld], full and exactly symmetric; ld >= 3 n_ports, a multiple of 8; the pads get anything
   work   [cti_factor*_compliance_work(f, n_ports)]
   Method: Y = L^-1 S, each column from its own supernode up; C = Y' Y. */
CTI_FN void cti_factor32_compliance(const cti_factor32 *f, const int32_t *ports, int n_ports, float *C, int ld, float *work);
CTI_FN void cti_factor64_compliance(const cti_factor64 *f, const int32_t *ports, int n_ports, double *C, int ld, double *work);
CTI_FN size_t cti_factor32_compliance_work(const cti_factor32 *f, int n_ports);
CTI_FN size_t cti_factor64_compliance_work(const cti_factor64 *f, int n_ports);


/* ---- 2_linalg/supernodal.c ---- */
/* supernodal.c -- left-looking supernodal Cholesky and the solve with one right side.
   Method: a supernode's columns are gathered from A into a column-major scratch, every earlier supernode that reaches them subtracts its
   outer product, tile by tile, through the pieces found by the analysis; then the panel is factored by columns of four and written in
   strips. Zeros above the diagonal of a strip are stored, so that kernels may run over whole strips. based on: Ng and Peyton 1993; Chen,
   Davis, Hager, Rajamanickam 2008; Goto and van de Geijn 2008. */

#define CTI_SUPER_WIDE 400 /* strips times columns from which the backward sweep reads the panel in storage order */

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
#define CTI_SUPER_EPS 1.1920929e-7f
/* supernodal.inl -- factor and single solve for one number type; included by supernodal.c. */

static const CTI_T CTI_TN(cti_super, lanes)[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* scratch = the columns of supernode s in A, column-major with ld; orig: their diagonal */
static void CTI_TN(cti_super, assemble)(const cti_symbolic *sym, const cti_gather *g, const ct_real *val, int s, CTI_T *W, size_t ld,
                                        CTI_T *orig)
{
    int e, c, cols = cti_sym_cols(sym, s), pivots = cti_sym_pivots(sym, s);
    memset(W, 0, ld * (size_t)cols * sizeof *W);
    for (e = sym->entry_ptr[s]; e < sym->entry_ptr[s + 1]; e++) {
        const ct_real *v = val + 9 * (size_t)g->slot[e];
        CTI_T *w = W + (size_t)sym->entry[e].col * ld + sym->entry[e].row;
        w[0] = (CTI_T)v[0], w[1] = (CTI_T)v[3], w[2] = (CTI_T)v[6];
        w += ld;
        w[0] = (CTI_T)v[1], w[1] = (CTI_T)v[4], w[2] = (CTI_T)v[7];
        w += ld;
        w[0] = (CTI_T)v[2], w[1] = (CTI_T)v[5], w[2] = (CTI_T)v[8];
    }
    for (c = pivots; c < cols; c++)
        W[(size_t)c * (ld + 1)] = 1;
    for (c = 0; c < cols; c++)
        orig[c] = W[(size_t)c * (ld + 1)];
}

/* subtracts one strip of four columns: p0 .. p1 are the strip's pieces, to[q] the target columns of which the first m count. A piece
   shorter than the strip is subtracted as a whole strip with zeros outside: the scratch has room for eight numbers on both sides. */
CTI_INLINE void CTI_TN(cti_super, scatter)(const cti_sym_piece *p0, const cti_sym_piece *p1, int m, CTI_T *const to[4], const CTI_TVEC c[4])
{
    CTI_TVEC lanes, in, zero;
    if (p0->length == 8 && m == 4) {
        int at = p0->target;
        CTI_TN(cti_k, sub1)(to[0] + at, c[0]);
        CTI_TN(cti_k, sub1)(to[1] + at, c[1]);
        CTI_TN(cti_k, sub1)(to[2] + at, c[2]);
        CTI_TN(cti_k, sub1)(to[3] + at, c[3]);
        return;
    }
    lanes = CTI_TV(load)(CTI_TN(cti_super, lanes)), zero = CTI_TV(set)(0);
    for (; p0 < p1; p0++) {
        int at = p0->target - p0->lane;
        in = CTI_TV(and)(CTI_TV(le)(CTI_TV(set)((CTI_T)p0->lane), lanes), CTI_TV(lt)(lanes, CTI_TV(set)((CTI_T)(p0->lane + p0->length))));
        CTI_TN(cti_k, sub1)(to[0] + at, CTI_TV(select)(in, c[0], zero));
        if (m > 1)
            CTI_TN(cti_k, sub1)(to[1] + at, CTI_TV(select)(in, c[1], zero));
        if (m > 2)
            CTI_TN(cti_k, sub1)(to[2] + at, CTI_TV(select)(in, c[2], zero));
        if (m > 3)
            CTI_TN(cti_k, sub1)(to[3] + at, CTI_TV(select)(in, c[3], zero));
    }
}

/* scratch of target -= (rows below of u->source) (its rows that are pivots of the target)' */
static void CTI_TN(cti_super, update)(const cti_symbolic *sym, const CTI_T *L, const cti_sym_update *u, int target, CTI_T *W, size_t ld)
{
    int d = u->source, cols = cti_sym_cols(sym, d), K = cti_sym_pivots(sym, d), strips = cti_strips(cti_sym_below(sym, d));
    int t, t0 = 3 * u->i0 / 8, c, k, first = 3 * u->i0, end = 3 * u->i1;
    size_t stride = 8 * (size_t)cols;
    const int *rows = sym->rows + sym->row_ptr[d], *sp = sym->strip_piece + u->strip - t0;
    const CTI_T *B = L + sym->panel[d] + (size_t)cti_sym_top(sym, d) * (size_t)cols, *from[3 * CTI_SYMBOLIC_WIDTH + 4];
    CTI_T *to[3 * CTI_SYMBOLIC_WIDTH + 4];
    const cti_sym_piece *piece = sym->piece;
    /* where row c of the source stands, and the column of the target that it is; the last one repeats */
    for (k = u->i0, c = 0; k < u->i1; k++, c += 3) {
        int i = 3 * k;
        CTI_T *w = W + (size_t)(3 * (rows[k] - sym->first[target])) * ld;
        to[c] = w, to[c + 1] = w + ld, to[c + 2] = w + 2 * ld;
        from[c] = B + (size_t)(i >> 3) * stride + (i & 7);
        from[c + 1] = B + (size_t)((i + 1) >> 3) * stride + ((i + 1) & 7);
        from[c + 2] = B + (size_t)((i + 2) >> 3) * stride + ((i + 2) & 7);
    }
    for (k = 0; k < 3; k++)
        to[c + k] = to[c - 1], from[c + k] = from[c - 1];
    for (t = t0; t < strips; t += 2) {
        const CTI_T *b = B + (size_t)t * stride;
        const cti_sym_piece *p = piece + sp[t], *p1 = piece + sp[t + 1];
        CTI_TVEC v[8];
        if (t + 1 == strips) {
            for (c = first; c < end; c += 4) {
                CTI_TN(cti_k, tile1)(K, from + (c - first), 8, b, 8, v);
                CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            }
            break;
        }
        for (c = first; c < end && c < 8 * t + 16; c += 4) {
            CTI_TN(cti_k, tile2)(K, from + (c - first), 8, b, b + stride, 8, v);
            CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            CTI_TN(cti_super, scatter)(p1, piece + sp[t + 2], cti_min_int(4, end - c), to + (c - first), v + 4);
        }
    }
}

/* columns k0 .. k0+3 of strips t and, if two, t + 1: L = (W - L(rows, < k0) L(k0.., < k0)') L(k0.., k0..)'^-1. P: the panel */
CTI_INLINE void CTI_TN(cti_super, solve_tile)(CTI_T *P, size_t stride, const CTI_T *r, int k0, int t, int two, const CTI_T *W, size_t ld)
{
    const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *in = W + (size_t)k0 * ld + 8 * (size_t)t;
    CTI_T *b = P + (size_t)t * stride, *to = b + 8 * (size_t)k0;
    CTI_TVEC c[8];
    a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
    l += 8 * (size_t)k0;
    if (two) {
        CTI_TN(cti_k, tile2)(k0, a, 8, b, b + stride, 8, c);
        CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in + 8, ld, c + 4);
        CTI_TN(cti_k, store4)(to + stride, 8, c + 4);
    } else
        CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in, ld, c);
    CTI_TN(cti_k, store4)(to, 8, c);
}

/* columns k0 .. k0+3 of their own strip: the factor of the 4x4 diagonal block, zeros above it, the rows below it; inverse pivots into r */
static int CTI_TN(cti_super, pivot)(CTI_T *P, size_t stride, CTI_T *r, int k0, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    CTI_T *b = P + (size_t)(k0 >> 3) * stride, *to = b + 8 * (size_t)k0, t[32], d[16];
    const CTI_T *a[4], *in = W + (size_t)k0 * ld + (size_t)(k0 & ~7);
    CTI_TVEC c[4], v[4];
    int q, p, boosted, o = k0 & 7;
    a[0] = b + o, a[1] = b + o + 1, a[2] = b + o + 2, a[3] = b + o + 3;
    CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, load4)(in, ld, v);
    v[0] = CTI_TV(sub)(v[0], c[0]), v[1] = CTI_TV(sub)(v[1], c[1]), v[2] = CTI_TV(sub)(v[2], c[2]), v[3] = CTI_TV(sub)(v[3], c[3]);
    CTI_TN(cti_k, store4)(t, 8, v);
    for (q = 0; q < 4; q++)
        for (p = 0; p <= q; p++)
            d[4 * q + p] = t[8 * p + o + q];
    boosted = CTI_TN(cti_k, chol4)(d, orig + k0, CTI_SUPER_EPS, d, r + k0);
    /* rows k0+4 .. k0+7 where they are in the strip: x_q = (t_q - sum_{p<q} d_qp x_p) r_q, in lanes 4 .. 7 */
    for (p = 0; p < 4; p++) {
        if (o == 0)
            for (q = 4; q < 8; q++) {
                CTI_T s = t[8 * p + q];
                int i;
                for (i = 0; i < p; i++)
                    s -= d[4 * p + i] * t[8 * i + q];
                t[8 * p + q] = s * r[k0 + p];
            }
        else
            t[8 * p] = t[8 * p + 1] = t[8 * p + 2] = t[8 * p + 3] = 0;
        for (q = 0; q < 4; q++)
            t[8 * p + o + q] = d[4 * q + p];
    }
    memcpy(to, t, sizeof t);
    return boosted;
}

/* panel of supernode s from its scratch */
static int CTI_TN(cti_super, panel)(const cti_symbolic *sym, int s, CTI_T *P, CTI_T *r, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    int cols = cti_sym_cols(sym, s), top = cti_sym_top(sym, s) / 8, strips = cti_sym_height(sym, s) / 8, k0, t, boosted = 0;
    size_t stride = 8 * (size_t)cols;
    for (k0 = 0; k0 < cols; k0 += 4) {
        boosted += CTI_TN(cti_super, pivot)(P, stride, r, k0, W, ld, orig);
        for (t = (k0 >> 3) + 1; t < top; t += 2)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < top, W, ld);
    }
    for (t = top; t < strips; t += 2)
        for (k0 = 0; k0 < cols; k0 += 4)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < strips, W, ld);
    return boosted;
}

/* one block of memory: panels, inverse pivots, scratch */
static int CTI_TN(cti_super, reserve)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym)
{
    size_t panels = sym->panel[sym->n_super], pivots = ((size_t)sym->pivot[sym->n_super] + 15) & ~(size_t)15, n, bytes;
    char *p;
    n = ((panels + 15) & ~(size_t)15) + pivots + sym->scratch + (size_t)sym->max_cols + 96;
    if (!cti_mem_mul(n, sizeof(CTI_T), &bytes))
        return 0;
    if (bytes > f->bytes) {
        /* nothing is kept: release first */
        if (f->block)
            cti_mem_resize(mem, f->block, f->bytes, 0);
        f->bytes = 0;
        f->sym = NULL;
        f->block = cti_mem_resize(mem, NULL, 0, bytes);
        if (!f->block)
            return 0;
        f->bytes = bytes;
    }
    p = (char *)f->block;
    p += (64 - ((uintptr_t)p & 63)) & 63;
    f->L = (CTI_T *)(void *)p;
    f->inverse = f->L + ((panels + 15) & ~(size_t)15);
    f->scratch = f->inverse + pivots + 16;
    /* the margins of the scratch are read and written back */
    memset(f->scratch - 16, 0, 16 * sizeof(CTI_T));
    memset(f->scratch + sym->scratch, 0, 16 * sizeof(CTI_T));
    f->sym = sym;
    return 1;
}

CTI_FN int CTI_TN(cti_factor, compute)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym, const cti_gather *g,
                                       const ct_real *val)
{
    int s, u;
    CTI_T *orig;
    f->boosted = 0;
    if (!CTI_TN(cti_super, reserve)(mem, f, sym))
        return 0;
    orig = f->scratch + sym->scratch + 16;
    for (s = 0; s < sym->n_super; s++) {
        size_t ld = (size_t)cti_sym_height(sym, s);
        CTI_TN(cti_super, assemble)(sym, g, val, s, f->scratch, ld, orig);
        for (u = sym->update_ptr[s]; u < sym->update_ptr[s + 1]; u++)
            CTI_TN(cti_super, update)(sym, f->L, &sym->update[u], s, f->scratch, ld);
        f->boosted += CTI_TN(cti_super, panel)(sym, s, f->L + sym->panel[s], f->inverse + sym->pivot[s], f->scratch, ld, orig);
        for (u = cti_sym_cols(sym, s); u < cti_sym_top(sym, s); u++)
            f->inverse[sym->pivot[s] + u] = 1;
    }
    return 1;
}

CTI_FN void CTI_TN(cti_factor, free)(cti_mem *mem, CTI_TN(cti_factor, t) * f)
{
    if (f->block)
        cti_mem_resize(mem, f->block, f->bytes, 0);
    memset(f, 0, sizeof *f);
}

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_super, align)(CTI_T *p) { return p + ((size_t)(64 - ((uintptr_t)p & 63)) & 63) / sizeof(CTI_T); }

CTI_FN size_t CTI_TN(cti_factor, work)(const CTI_TN(cti_factor, t) * f)
{
    return (size_t)f->sym->pivot[f->sym->n_super] + (size_t)f->sym->max_rows + 8 * (size_t)f->sym->max_cols + 48;
}

/* x = L(pivots, pivots)^-1 x, x padded: by halves of strips */
static void CTI_TN(cti_super, forward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, CTI_T *x)
{
    int i, k;
    for (i = 0; i < cols; i += 4) {
        const CTI_T *b = P + (size_t)(i >> 3) * stride, *l = b + 8 * (size_t)i + (i & 7);
        CTI_T t[8], x0, x1, x2, x3;
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < i; k += 4, b += 32) {
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(b), CTI_TV(set)(x[k])));
            v1 = CTI_TV(add)(v1, CTI_TV(mul)(CTI_TV(load)(b + 8), CTI_TV(set)(x[k + 1])));
            v2 = CTI_TV(add)(v2, CTI_TV(mul)(CTI_TV(load)(b + 16), CTI_TV(set)(x[k + 2])));
            v3 = CTI_TV(add)(v3, CTI_TV(mul)(CTI_TV(load)(b + 24), CTI_TV(set)(x[k + 3])));
        }
        CTI_TV(store)(t, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
        k = i & 7;
        x0 = (x[i] - t[k]) * r[i];
        x1 = (x[i + 1] - t[k + 1] - l[1] * x0) * r[i + 1];
        x2 = x[i + 2] - t[k + 2] - l[2] * x0;
        x3 = x[i + 3] - t[k + 3] - l[3] * x0;
        x2 = (x2 - l[10] * x1) * r[i + 2];
        x3 = (x3 - l[11] * x1 - l[19] * x2) * r[i + 3];
        x[i] = x0, x[i + 1] = x1, x[i + 2] = x2, x[i + 3] = x3;
    }
}

/* y = L(below, pivots) x, y padded to strips; the panel is read in its order. cols is a multiple of 4, x padded with 0. */
static void CTI_TN(cti_super, below)(const CTI_T *B, int cols, int strips, const CTI_T *x, CTI_T *y)
{
    int t, k;
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < cols; k += 4, B += 32) {
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(B), CTI_TV(set)(x[k])));
            v1 = CTI_TV(add)(v1, CTI_TV(mul)(CTI_TV(load)(B + 8), CTI_TV(set)(x[k + 1])));
            v2 = CTI_TV(add)(v2, CTI_TV(mul)(CTI_TV(load)(B + 16), CTI_TV(set)(x[k + 2])));
            v3 = CTI_TV(add)(v3, CTI_TV(mul)(CTI_TV(load)(B + 24), CTI_TV(set)(x[k + 3])));
        }
        CTI_TV(store)(y, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
    }
}

/* c[q] += sum over strips of L(strip, k0 + q)' y(strip), q = 0..3 */
CTI_INLINE void CTI_TN(cti_super, dots4)(const CTI_T *B, size_t stride, int strips, const CTI_T *y, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t;
    for (t = 0; t < strips; t++, B += stride, y += 8) {
        v = CTI_TV(load)(y);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(load)(B), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(load)(B + 8), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(load)(B + 16), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(load)(B + 24), v));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* c[k] = sum over strips of L(strip, k)' y(strip) for all columns, c [cols][8]: L is read once, in its order */
static void CTI_TN(cti_super, dots)(const CTI_T *B, int cols, int strips, const CTI_T *y, CTI_T *c)
{
    int t, k;
    memset(c, 0, 8 * (size_t)cols * sizeof *c);
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v = CTI_TV(load)(y);
        for (k = 0; k < 8 * cols; k += 32, B += 32) {
            CTI_TV(store)(c + k, CTI_TV(add)(CTI_TV(load)(c + k), CTI_TV(mul)(CTI_TV(load)(B), v)));
            CTI_TV(store)(c + k + 8, CTI_TV(add)(CTI_TV(load)(c + k + 8), CTI_TV(mul)(CTI_TV(load)(B + 8), v)));
            CTI_TV(store)(c + k + 16, CTI_TV(add)(CTI_TV(load)(c + k + 16), CTI_TV(mul)(CTI_TV(load)(B + 16), v)));
            CTI_TV(store)(c + k + 24, CTI_TV(add)(CTI_TV(load)(c + k + 24), CTI_TV(mul)(CTI_TV(load)(B + 24), v)));
        }
    }
}

/* x = L(pivots, pivots)'^-1 (x - L(below, pivots)' y); work [8 cols] */
static void CTI_TN(cti_super, backward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, int top, int strips, const CTI_T *y,
                                        CTI_T *x, CTI_T *work)
{
    CTI_TVEC c[4];
    int k0, j, wide = strips * cols >= CTI_SUPER_WIDE;
    if (wide)
        CTI_TN(cti_super, dots)(P + (size_t)top * stride, cols, strips, y, work);
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        int own = k0 >> 3, o = k0 & 7;
        const CTI_T *b = P + 8 * (size_t)k0;
        CTI_T s0, s1, s2, s3;
        if (wide)
            CTI_TN(cti_k, load4)(work + 8 * (size_t)k0, 8, c);
        else {
            c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
            CTI_TN(cti_super, dots4)(b + (size_t)top * stride, stride, strips, y, c);
        }
        CTI_TN(cti_super, dots4)(b + (size_t)(own + 1) * stride, stride, top - own - 1, x + 8 * (own + 1), c);
        b += (size_t)own * stride;
        s0 = x[k0] - CTI_TV(sum)(c[0]), s1 = x[k0 + 1] - CTI_TV(sum)(c[1]);
        s2 = x[k0 + 2] - CTI_TV(sum)(c[2]), s3 = x[k0 + 3] - CTI_TV(sum)(c[3]);
        /* the other half of the strip, then the 4x4 triangle by columns */
        if (o == 0)
            for (j = 4; j < 8; j++) {
                CTI_T v = x[k0 + j];
                s0 -= b[j] * v, s1 -= b[8 + j] * v, s2 -= b[16 + j] * v, s3 -= b[24 + j] * v;
            }
        b += o;
        s3 *= r[k0 + 3];
        s0 -= b[3] * s3, s1 -= b[11] * s3, s2 = (s2 - b[19] * s3) * r[k0 + 2];
        s0 -= b[2] * s2, s1 = (s1 - b[10] * s2) * r[k0 + 1];
        s0 = (s0 - b[1] * s1) * r[k0];
        x[k0] = s0, x[k0 + 1] = s1, x[k0 + 2] = s2, x[k0 + 3] = s3;
    }
}

CTI_FN void CTI_TN(cti_factor, solve)(const CTI_TN(cti_factor, t) * f, CTI_T *x, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    CTI_T *z = CTI_TN(cti_super, align)(work), *y = z + ((sym->pivot[sym->n_super] + 15) & ~15), *w = y + sym->max_rows;
    int i, s, k;
    /* z = x in elimination order, pads 0 */
    memset(z, 0, (size_t)sym->pivot[sym->n_super] * sizeof *z);
    for (i = 0; i < sym->n; i++)
        memcpy(z + sym->place[i], x + 3 * (size_t)sym->perm[i], 3 * sizeof *z);
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        const CTI_T *P = f->L + sym->panel[s];
        CTI_TN(cti_super, forward)(P, 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, z + sym->pivot[s]);
        CTI_TN(cti_super, below)(P + (size_t)cti_sym_top(sym, s) * (size_t)cols, cols, cti_strips(3 * below), z + sym->pivot[s], y);
        for (k = 0; k < below; k++) {
            CTI_T *v = z + sym->place[sym->rows[sym->row_ptr[s] + k]];
            v[0] -= y[3 * k], v[1] -= y[3 * k + 1], v[2] -= y[3 * k + 2];
        }
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        for (k = 0; k < below; k++)
            memcpy(y + 3 * k, z + sym->place[sym->rows[sym->row_ptr[s] + k]], 3 * sizeof *z);
        for (k = 3 * below; k < cti_pad8(3 * below); k++)
            y[k] = 0;
        CTI_TN(cti_super, backward)
        (f->L + sym->panel[s], 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, cti_sym_top(sym, s) / 8, cti_strips(3 * below), y,
         z + sym->pivot[s], w);
    }
    for (i = 0; i < sym->n; i++)
        memcpy(x + 3 * (size_t)sym->perm[i], z + sym->place[i], 3 * sizeof *z);
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_SUPER_EPS

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
#define CTI_SUPER_EPS 2.2204460492503131e-16
/* supernodal.inl -- factor and single solve for one number type; included by supernodal.c. */

static const CTI_T CTI_TN(cti_super, lanes)[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* scratch = the columns of supernode s in A, column-major with ld; orig: their diagonal */
static void CTI_TN(cti_super, assemble)(const cti_symbolic *sym, const cti_gather *g, const ct_real *val, int s, CTI_T *W, size_t ld,
                                        CTI_T *orig)
{
    int e, c, cols = cti_sym_cols(sym, s), pivots = cti_sym_pivots(sym, s);
    memset(W, 0, ld * (size_t)cols * sizeof *W);
    for (e = sym->entry_ptr[s]; e < sym->entry_ptr[s + 1]; e++) {
        const ct_real *v = val + 9 * (size_t)g->slot[e];
        CTI_T *w = W + (size_t)sym->entry[e].col * ld + sym->entry[e].row;
        w[0] = (CTI_T)v[0], w[1] = (CTI_T)v[3], w[2] = (CTI_T)v[6];
        w += ld;
        w[0] = (CTI_T)v[1], w[1] = (CTI_T)v[4], w[2] = (CTI_T)v[7];
        w += ld;
        w[0] = (CTI_T)v[2], w[1] = (CTI_T)v[5], w[2] = (CTI_T)v[8];
    }
    for (c = pivots; c < cols; c++)
        W[(size_t)c * (ld + 1)] = 1;
    for (c = 0; c < cols; c++)
        orig[c] = W[(size_t)c * (ld + 1)];
}

/* subtracts one strip of four columns: p0 .. p1 are the strip's pieces, to[q] the target columns of which the first m count. A piece
   shorter than the strip is subtracted as a whole strip with zeros outside: the scratch has room for eight numbers on both sides. */
CTI_INLINE void CTI_TN(cti_super, scatter)(const cti_sym_piece *p0, const cti_sym_piece *p1, int m, CTI_T *const to[4], const CTI_TVEC c[4])
{
    CTI_TVEC lanes, in, zero;
    if (p0->length == 8 && m == 4) {
        int at = p0->target;
        CTI_TN(cti_k, sub1)(to[0] + at, c[0]);
        CTI_TN(cti_k, sub1)(to[1] + at, c[1]);
        CTI_TN(cti_k, sub1)(to[2] + at, c[2]);
        CTI_TN(cti_k, sub1)(to[3] + at, c[3]);
        return;
    }
    lanes = CTI_TV(load)(CTI_TN(cti_super, lanes)), zero = CTI_TV(set)(0);
    for (; p0 < p1; p0++) {
        int at = p0->target - p0->lane;
        in = CTI_TV(and)(CTI_TV(le)(CTI_TV(set)((CTI_T)p0->lane), lanes), CTI_TV(lt)(lanes, CTI_TV(set)((CTI_T)(p0->lane + p0->length))));
        CTI_TN(cti_k, sub1)(to[0] + at, CTI_TV(select)(in, c[0], zero));
        if (m > 1)
            CTI_TN(cti_k, sub1)(to[1] + at, CTI_TV(select)(in, c[1], zero));
        if (m > 2)
            CTI_TN(cti_k, sub1)(to[2] + at, CTI_TV(select)(in, c[2], zero));
        if (m > 3)
            CTI_TN(cti_k, sub1)(to[3] + at, CTI_TV(select)(in, c[3], zero));
    }
}

/* scratch of target -= (rows below of u->source) (its rows that are pivots of the target)' */
static void CTI_TN(cti_super, update)(const cti_symbolic *sym, const CTI_T *L, const cti_sym_update *u, int target, CTI_T *W, size_t ld)
{
    int d = u->source, cols = cti_sym_cols(sym, d), K = cti_sym_pivots(sym, d), strips = cti_strips(cti_sym_below(sym, d));
    int t, t0 = 3 * u->i0 / 8, c, k, first = 3 * u->i0, end = 3 * u->i1;
    size_t stride = 8 * (size_t)cols;
    const int *rows = sym->rows + sym->row_ptr[d], *sp = sym->strip_piece + u->strip - t0;
    const CTI_T *B = L + sym->panel[d] + (size_t)cti_sym_top(sym, d) * (size_t)cols, *from[3 * CTI_SYMBOLIC_WIDTH + 4];
    CTI_T *to[3 * CTI_SYMBOLIC_WIDTH + 4];
    const cti_sym_piece *piece = sym->piece;
    /* where row c of the source stands, and the column of the target that it is; the last one repeats */
    for (k = u->i0, c = 0; k < u->i1; k++, c += 3) {
        int i = 3 * k;
        CTI_T *w = W + (size_t)(3 * (rows[k] - sym->first[target])) * ld;
        to[c] = w, to[c + 1] = w + ld, to[c + 2] = w + 2 * ld;
        from[c] = B + (size_t)(i >> 3) * stride + (i & 7);
        from[c + 1] = B + (size_t)((i + 1) >> 3) * stride + ((i + 1) & 7);
        from[c + 2] = B + (size_t)((i + 2) >> 3) * stride + ((i + 2) & 7);
    }
    for (k = 0; k < 3; k++)
        to[c + k] = to[c - 1], from[c + k] = from[c - 1];
    for (t = t0; t < strips; t += 2) {
        const CTI_T *b = B + (size_t)t * stride;
        const cti_sym_piece *p = piece + sp[t], *p1 = piece + sp[t + 1];
        CTI_TVEC v[8];
        if (t + 1 == strips) {
            for (c = first; c < end; c += 4) {
                CTI_TN(cti_k, tile1)(K, from + (c - first), 8, b, 8, v);
                CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            }
            break;
        }
        for (c = first; c < end && c < 8 * t + 16; c += 4) {
            CTI_TN(cti_k, tile2)(K, from + (c - first), 8, b, b + stride, 8, v);
            CTI_TN(cti_super, scatter)(p, p1, cti_min_int(4, end - c), to + (c - first), v);
            CTI_TN(cti_super, scatter)(p1, piece + sp[t + 2], cti_min_int(4, end - c), to + (c - first), v + 4);
        }
    }
}

/* columns k0 .. k0+3 of strips t and, if two, t + 1: L = (W - L(rows, < k0) L(k0.., < k0)') L(k0.., k0..)'^-1. P: the panel */
CTI_INLINE void CTI_TN(cti_super, solve_tile)(CTI_T *P, size_t stride, const CTI_T *r, int k0, int t, int two, const CTI_T *W, size_t ld)
{
    const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *in = W + (size_t)k0 * ld + 8 * (size_t)t;
    CTI_T *b = P + (size_t)t * stride, *to = b + 8 * (size_t)k0;
    CTI_TVEC c[8];
    a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
    l += 8 * (size_t)k0;
    if (two) {
        CTI_TN(cti_k, tile2)(k0, a, 8, b, b + stride, 8, c);
        CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in + 8, ld, c + 4);
        CTI_TN(cti_k, store4)(to + stride, 8, c + 4);
    } else
        CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, in, ld, c);
    CTI_TN(cti_k, store4)(to, 8, c);
}

/* columns k0 .. k0+3 of their own strip: the factor of the 4x4 diagonal block, zeros above it, the rows below it; inverse pivots into r */
static int CTI_TN(cti_super, pivot)(CTI_T *P, size_t stride, CTI_T *r, int k0, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    CTI_T *b = P + (size_t)(k0 >> 3) * stride, *to = b + 8 * (size_t)k0, t[32], d[16];
    const CTI_T *a[4], *in = W + (size_t)k0 * ld + (size_t)(k0 & ~7);
    CTI_TVEC c[4], v[4];
    int q, p, boosted, o = k0 & 7;
    a[0] = b + o, a[1] = b + o + 1, a[2] = b + o + 2, a[3] = b + o + 3;
    CTI_TN(cti_k, tile1)(k0, a, 8, b, 8, c);
    CTI_TN(cti_k, load4)(in, ld, v);
    v[0] = CTI_TV(sub)(v[0], c[0]), v[1] = CTI_TV(sub)(v[1], c[1]), v[2] = CTI_TV(sub)(v[2], c[2]), v[3] = CTI_TV(sub)(v[3], c[3]);
    CTI_TN(cti_k, store4)(t, 8, v);
    for (q = 0; q < 4; q++)
        for (p = 0; p <= q; p++)
            d[4 * q + p] = t[8 * p + o + q];
    boosted = CTI_TN(cti_k, chol4)(d, orig + k0, CTI_SUPER_EPS, d, r + k0);
    /* rows k0+4 .. k0+7 where they are in the strip: x_q = (t_q - sum_{p<q} d_qp x_p) r_q, in lanes 4 .. 7 */
    for (p = 0; p < 4; p++) {
        if (o == 0)
            for (q = 4; q < 8; q++) {
                CTI_T s = t[8 * p + q];
                int i;
                for (i = 0; i < p; i++)
                    s -= d[4 * p + i] * t[8 * i + q];
                t[8 * p + q] = s * r[k0 + p];
            }
        else
            t[8 * p] = t[8 * p + 1] = t[8 * p + 2] = t[8 * p + 3] = 0;
        for (q = 0; q < 4; q++)
            t[8 * p + o + q] = d[4 * q + p];
    }
    memcpy(to, t, sizeof t);
    return boosted;
}

/* panel of supernode s from its scratch */
static int CTI_TN(cti_super, panel)(const cti_symbolic *sym, int s, CTI_T *P, CTI_T *r, const CTI_T *W, size_t ld, const CTI_T *orig)
{
    int cols = cti_sym_cols(sym, s), top = cti_sym_top(sym, s) / 8, strips = cti_sym_height(sym, s) / 8, k0, t, boosted = 0;
    size_t stride = 8 * (size_t)cols;
    for (k0 = 0; k0 < cols; k0 += 4) {
        boosted += CTI_TN(cti_super, pivot)(P, stride, r, k0, W, ld, orig);
        for (t = (k0 >> 3) + 1; t < top; t += 2)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < top, W, ld);
    }
    for (t = top; t < strips; t += 2)
        for (k0 = 0; k0 < cols; k0 += 4)
            CTI_TN(cti_super, solve_tile)(P, stride, r, k0, t, t + 1 < strips, W, ld);
    return boosted;
}

/* one block of memory: panels, inverse pivots, scratch */
static int CTI_TN(cti_super, reserve)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym)
{
    size_t panels = sym->panel[sym->n_super], pivots = ((size_t)sym->pivot[sym->n_super] + 15) & ~(size_t)15, n, bytes;
    char *p;
    n = ((panels + 15) & ~(size_t)15) + pivots + sym->scratch + (size_t)sym->max_cols + 96;
    if (!cti_mem_mul(n, sizeof(CTI_T), &bytes))
        return 0;
    if (bytes > f->bytes) {
        /* nothing is kept: release first */
        if (f->block)
            cti_mem_resize(mem, f->block, f->bytes, 0);
        f->bytes = 0;
        f->sym = NULL;
        f->block = cti_mem_resize(mem, NULL, 0, bytes);
        if (!f->block)
            return 0;
        f->bytes = bytes;
    }
    p = (char *)f->block;
    p += (64 - ((uintptr_t)p & 63)) & 63;
    f->L = (CTI_T *)(void *)p;
    f->inverse = f->L + ((panels + 15) & ~(size_t)15);
    f->scratch = f->inverse + pivots + 16;
    /* the margins of the scratch are read and written back */
    memset(f->scratch - 16, 0, 16 * sizeof(CTI_T));
    memset(f->scratch + sym->scratch, 0, 16 * sizeof(CTI_T));
    f->sym = sym;
    return 1;
}

CTI_FN int CTI_TN(cti_factor, compute)(cti_mem *mem, CTI_TN(cti_factor, t) * f, const cti_symbolic *sym, const cti_gather *g,
                                       const ct_real *val)
{
    int s, u;
    CTI_T *orig;
    f->boosted = 0;
    if (!CTI_TN(cti_super, reserve)(mem, f, sym))
        return 0;
    orig = f->scratch + sym->scratch + 16;
    for (s = 0; s < sym->n_super; s++) {
        size_t ld = (size_t)cti_sym_height(sym, s);
        CTI_TN(cti_super, assemble)(sym, g, val, s, f->scratch, ld, orig);
        for (u = sym->update_ptr[s]; u < sym->update_ptr[s + 1]; u++)
            CTI_TN(cti_super, update)(sym, f->L, &sym->update[u], s, f->scratch, ld);
        f->boosted += CTI_TN(cti_super, panel)(sym, s, f->L + sym->panel[s], f->inverse + sym->pivot[s], f->scratch, ld, orig);
        for (u = cti_sym_cols(sym, s); u < cti_sym_top(sym, s); u++)
            f->inverse[sym->pivot[s] + u] = 1;
    }
    return 1;
}

CTI_FN void CTI_TN(cti_factor, free)(cti_mem *mem, CTI_TN(cti_factor, t) * f)
{
    if (f->block)
        cti_mem_resize(mem, f->block, f->bytes, 0);
    memset(f, 0, sizeof *f);
}

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_super, align)(CTI_T *p) { return p + ((size_t)(64 - ((uintptr_t)p & 63)) & 63) / sizeof(CTI_T); }

CTI_FN size_t CTI_TN(cti_factor, work)(const CTI_TN(cti_factor, t) * f)
{
    return (size_t)f->sym->pivot[f->sym->n_super] + (size_t)f->sym->max_rows + 8 * (size_t)f->sym->max_cols + 48;
}

/* x = L(pivots, pivots)^-1 x, x padded: by halves of strips */
static void CTI_TN(cti_super, forward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, CTI_T *x)
{
    int i, k;
    for (i = 0; i < cols; i += 4) {
        const CTI_T *b = P + (size_t)(i >> 3) * stride, *l = b + 8 * (size_t)i + (i & 7);
        CTI_T t[8], x0, x1, x2, x3;
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < i; k += 4, b += 32) {
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(b), CTI_TV(set)(x[k])));
            v1 = CTI_TV(add)(v1, CTI_TV(mul)(CTI_TV(load)(b + 8), CTI_TV(set)(x[k + 1])));
            v2 = CTI_TV(add)(v2, CTI_TV(mul)(CTI_TV(load)(b + 16), CTI_TV(set)(x[k + 2])));
            v3 = CTI_TV(add)(v3, CTI_TV(mul)(CTI_TV(load)(b + 24), CTI_TV(set)(x[k + 3])));
        }
        CTI_TV(store)(t, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
        k = i & 7;
        x0 = (x[i] - t[k]) * r[i];
        x1 = (x[i + 1] - t[k + 1] - l[1] * x0) * r[i + 1];
        x2 = x[i + 2] - t[k + 2] - l[2] * x0;
        x3 = x[i + 3] - t[k + 3] - l[3] * x0;
        x2 = (x2 - l[10] * x1) * r[i + 2];
        x3 = (x3 - l[11] * x1 - l[19] * x2) * r[i + 3];
        x[i] = x0, x[i + 1] = x1, x[i + 2] = x2, x[i + 3] = x3;
    }
}

/* y = L(below, pivots) x, y padded to strips; the panel is read in its order. cols is a multiple of 4, x padded with 0. */
static void CTI_TN(cti_super, below)(const CTI_T *B, int cols, int strips, const CTI_T *x, CTI_T *y)
{
    int t, k;
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v0 = CTI_TV(set)(0), v1 = v0, v2 = v0, v3 = v0;
        for (k = 0; k < cols; k += 4, B += 32) {
            v0 = CTI_TV(add)(v0, CTI_TV(mul)(CTI_TV(load)(B), CTI_TV(set)(x[k])));
            v1 = CTI_TV(add)(v1, CTI_TV(mul)(CTI_TV(load)(B + 8), CTI_TV(set)(x[k + 1])));
            v2 = CTI_TV(add)(v2, CTI_TV(mul)(CTI_TV(load)(B + 16), CTI_TV(set)(x[k + 2])));
            v3 = CTI_TV(add)(v3, CTI_TV(mul)(CTI_TV(load)(B + 24), CTI_TV(set)(x[k + 3])));
        }
        CTI_TV(store)(y, CTI_TV(add)(CTI_TV(add)(v0, v2), CTI_TV(add)(v1, v3)));
    }
}

/* c[q] += sum over strips of L(strip, k0 + q)' y(strip), q = 0..3 */
CTI_INLINE void CTI_TN(cti_super, dots4)(const CTI_T *B, size_t stride, int strips, const CTI_T *y, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t;
    for (t = 0; t < strips; t++, B += stride, y += 8) {
        v = CTI_TV(load)(y);
        c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(load)(B), v));
        c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(load)(B + 8), v));
        c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(load)(B + 16), v));
        c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(load)(B + 24), v));
    }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* c[k] = sum over strips of L(strip, k)' y(strip) for all columns, c [cols][8]: L is read once, in its order */
static void CTI_TN(cti_super, dots)(const CTI_T *B, int cols, int strips, const CTI_T *y, CTI_T *c)
{
    int t, k;
    memset(c, 0, 8 * (size_t)cols * sizeof *c);
    for (t = 0; t < strips; t++, y += 8) {
        CTI_TVEC v = CTI_TV(load)(y);
        for (k = 0; k < 8 * cols; k += 32, B += 32) {
            CTI_TV(store)(c + k, CTI_TV(add)(CTI_TV(load)(c + k), CTI_TV(mul)(CTI_TV(load)(B), v)));
            CTI_TV(store)(c + k + 8, CTI_TV(add)(CTI_TV(load)(c + k + 8), CTI_TV(mul)(CTI_TV(load)(B + 8), v)));
            CTI_TV(store)(c + k + 16, CTI_TV(add)(CTI_TV(load)(c + k + 16), CTI_TV(mul)(CTI_TV(load)(B + 16), v)));
            CTI_TV(store)(c + k + 24, CTI_TV(add)(CTI_TV(load)(c + k + 24), CTI_TV(mul)(CTI_TV(load)(B + 24), v)));
        }
    }
}

/* x = L(pivots, pivots)'^-1 (x - L(below, pivots)' y); work [8 cols] */
static void CTI_TN(cti_super, backward)(const CTI_T *P, size_t stride, const CTI_T *r, int cols, int top, int strips, const CTI_T *y,
                                        CTI_T *x, CTI_T *work)
{
    CTI_TVEC c[4];
    int k0, j, wide = strips * cols >= CTI_SUPER_WIDE;
    if (wide)
        CTI_TN(cti_super, dots)(P + (size_t)top * stride, cols, strips, y, work);
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        int own = k0 >> 3, o = k0 & 7;
        const CTI_T *b = P + 8 * (size_t)k0;
        CTI_T s0, s1, s2, s3;
        if (wide)
            CTI_TN(cti_k, load4)(work + 8 * (size_t)k0, 8, c);
        else {
            c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
            CTI_TN(cti_super, dots4)(b + (size_t)top * stride, stride, strips, y, c);
        }
        CTI_TN(cti_super, dots4)(b + (size_t)(own + 1) * stride, stride, top - own - 1, x + 8 * (own + 1), c);
        b += (size_t)own * stride;
        s0 = x[k0] - CTI_TV(sum)(c[0]), s1 = x[k0 + 1] - CTI_TV(sum)(c[1]);
        s2 = x[k0 + 2] - CTI_TV(sum)(c[2]), s3 = x[k0 + 3] - CTI_TV(sum)(c[3]);
        /* the other half of the strip, then the 4x4 triangle by columns */
        if (o == 0)
            for (j = 4; j < 8; j++) {
                CTI_T v = x[k0 + j];
                s0 -= b[j] * v, s1 -= b[8 + j] * v, s2 -= b[16 + j] * v, s3 -= b[24 + j] * v;
            }
        b += o;
        s3 *= r[k0 + 3];
        s0 -= b[3] * s3, s1 -= b[11] * s3, s2 = (s2 - b[19] * s3) * r[k0 + 2];
        s0 -= b[2] * s2, s1 = (s1 - b[10] * s2) * r[k0 + 1];
        s0 = (s0 - b[1] * s1) * r[k0];
        x[k0] = s0, x[k0 + 1] = s1, x[k0 + 2] = s2, x[k0 + 3] = s3;
    }
}

CTI_FN void CTI_TN(cti_factor, solve)(const CTI_TN(cti_factor, t) * f, CTI_T *x, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    CTI_T *z = CTI_TN(cti_super, align)(work), *y = z + ((sym->pivot[sym->n_super] + 15) & ~15), *w = y + sym->max_rows;
    int i, s, k;
    /* z = x in elimination order, pads 0 */
    memset(z, 0, (size_t)sym->pivot[sym->n_super] * sizeof *z);
    for (i = 0; i < sym->n; i++)
        memcpy(z + sym->place[i], x + 3 * (size_t)sym->perm[i], 3 * sizeof *z);
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        const CTI_T *P = f->L + sym->panel[s];
        CTI_TN(cti_super, forward)(P, 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, z + sym->pivot[s]);
        CTI_TN(cti_super, below)(P + (size_t)cti_sym_top(sym, s) * (size_t)cols, cols, cti_strips(3 * below), z + sym->pivot[s], y);
        for (k = 0; k < below; k++) {
            CTI_T *v = z + sym->place[sym->rows[sym->row_ptr[s] + k]];
            v[0] -= y[3 * k], v[1] -= y[3 * k + 1], v[2] -= y[3 * k + 2];
        }
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s) / 3;
        for (k = 0; k < below; k++)
            memcpy(y + 3 * k, z + sym->place[sym->rows[sym->row_ptr[s] + k]], 3 * sizeof *z);
        for (k = 3 * below; k < cti_pad8(3 * below); k++)
            y[k] = 0;
        CTI_TN(cti_super, backward)
        (f->L + sym->panel[s], 8 * (size_t)cols, f->inverse + sym->pivot[s], cols, cti_sym_top(sym, s) / 8, cti_strips(3 * below), y,
         z + sym->pivot[s], w);
    }
    for (i = 0; i < sym->n; i++)
        memcpy(x + 3 * (size_t)sym->perm[i], z + sym->place[i], 3 * sizeof *z);
}
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV
#undef CTI_SUPER_EPS

#undef CTI_SUPER_WIDE

/* ---- 2_linalg/supernodal_many.c ---- */
/* supernodal_many.c -- solves with many right sides, and compliance.
   Method: right sides are strips of eight columns, so that every row operation is whole lanes. Compliance: the ports are taken in
   elimination order; the ports below a supernode are then consecutive, and its rows of Y = L^-1 S are stored for those alone. C = Y' Y is
   summed supernode by supernode into strips right of the diagonal. based on: Chen, Davis, Hager, Rajamanickam 2008 (CHOLMOD); Amestoy et
   al. 2012 (entries of the inverse by sparse right sides). */

#define CTI_T float
#define CTI_TN(a, b) a##32_##b
#define CTI_TVEC cti_f8
#define CTI_TV(op) cti_f8_##op
/* supernodal_many.inl -- many right sides and compliance for one number type; included by supernodal_many.c.
   Right sides are kept by supernode as strips of eight columns: strip j of supernode s is [padded pivot][8]. */

/* Y = L(pivots, pivots)^-1 Y in place, n strips of size ys; rows of strip j below zero[j] (a multiple of 4, ascending) are 0. zero may be
 * NULL. */
static void CTI_TN(cti_many, forward)(const CTI_T *P, const CTI_T *r, int cols, CTI_T *Y, size_t ys, int n, const int *zero)
{
    size_t stride = 8 * (size_t)cols;
    int k0, j;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0;
        CTI_T *b = Y + (size_t)j * ys;
        for (k0 = z; k0 < cols; k0 += 4) {
            const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *u = b + 8 * (size_t)z;
            CTI_T *y = b + 8 * (size_t)k0;
            CTI_TVEC c[8];
            a[0] = l + 8 * (size_t)z, a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
            l += 8 * (size_t)k0;
            if (two) {
                CTI_TN(cti_k, tile2)(k0 - z, a, 8, u, u + ys, 8, c);
                CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, y + ys, 8, c + 4);
                CTI_TN(cti_k, store4)(y + ys, 8, c + 4);
            } else
                CTI_TN(cti_k, tile1)(k0 - z, a, 8, u, 8, c);
            CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, y, 8, c);
            CTI_TN(cti_k, store4)(y, 8, c);
        }
    }
}

/* the first m of the four rows y -= c */
CTI_INLINE void CTI_TN(cti_many, sub4)(CTI_T *const y[4], int m, const CTI_TVEC c[4])
{
    CTI_TN(cti_k, sub1)(y[0], c[0]);
    if (m > 1)
        CTI_TN(cti_k, sub1)(y[1], c[1]);
    if (m > 2)
        CTI_TN(cti_k, sub1)(y[2], c[2]);
    if (m > 3)
        CTI_TN(cti_k, sub1)(y[3], c[3]);
}

/* rows of later supernodes -= L(below, pivots) Y; row i of strip 0 is at base + to[i], strip j is j step[i] further */
static void CTI_TN(cti_many, below)(const CTI_T *B, int cols, int pivots, int below, const CTI_T *Y, size_t ys, int n, CTI_T *base,
                                    const size_t *to, const size_t *step, const int *zero)
{
    size_t stride = 8 * (size_t)cols;
    int i, q, j, m;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0, K = pivots - z;
        const CTI_T *b = Y + (size_t)j * ys + 8 * (size_t)z;
        for (i = 0; i < below; i += 4) {
            const CTI_T *a[4], *l = B + (size_t)(i >> 3) * stride + (i & 7) + 8 * (size_t)z;
            CTI_TVEC c[8];
            CTI_T *y[4];
            a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
            m = cti_min_int(4, below - i);
            for (q = 0; q < 4; q++)
                y[q] = base + to[i + cti_min_int(q, m - 1)] + (size_t)j * step[i + cti_min_int(q, m - 1)];
            if (two) {
                CTI_TN(cti_k, tile2)(K, a, 8, b, b + ys, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
                for (q = 0; q < 4; q++)
                    y[q] += step[i + cti_min_int(q, m - 1)];
                CTI_TN(cti_many, sub4)(y, m, c + 4);
            } else {
                CTI_TN(cti_k, tile1)(K, a, 8, b, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
            }
        }
    }
}

/* c[q] = sum over strips of L(strip, k0 + q)' G(strip): L from B, G [row][8] */
CTI_INLINE void CTI_TN(cti_many, transposed)(const CTI_T *B, size_t stride, int strips, const CTI_T *G, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t, i;
    for (t = 0; t < strips; t++, B += stride)
        for (i = 0; i < 8; i++, G += 8) {
            v = CTI_TV(load)(G);
            c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(set)(B[i]), v));
            c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(set)(B[8 + i]), v));
            c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(set)(B[16 + i]), v));
            c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(set)(B[24 + i]), v));
        }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* one strip: Y = L(pivots, pivots)'^-1 (Y - L(below, pivots)' G) */
static void CTI_TN(cti_many, backward)(const CTI_T *P, const CTI_T *r, int cols, int top, int strips, const CTI_T *G, CTI_T *Y)
{
    size_t stride = 8 * (size_t)cols;
    int k0, q, p, own;
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        const CTI_T *b = P + 8 * (size_t)k0, *l;
        CTI_TVEC c[4], x;
        own = k0 >> 3;
        c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
        CTI_TN(cti_many, transposed)(b + (size_t)(own + 1) * stride, stride, top - own - 1, Y + 64 * (size_t)(own + 1), c);
        CTI_TN(cti_many, transposed)(b + (size_t)top * stride, stride, strips, G, c);
        l = b + (size_t)own * stride;
        for (q = 3; q >= 0; q--) {
            x = CTI_TV(sub)(CTI_TV(load)(Y + 8 * (size_t)(k0 + q)), c[q]);
            /* the rest of the strip's triangle; rows past the padded columns are 0 in L */
            for (p = (k0 & 7) + q + 1; p < 8 && 8 * own + p < cols; p++)
                x = CTI_TV(sub)(x, CTI_TV(mul)(CTI_TV(set)(l[8 * q + p]), CTI_TV(load)(Y + 8 * (size_t)(8 * own + p))));
            CTI_TV(store)(Y + 8 * (size_t)(k0 + q), CTI_TV(mul)(x, CTI_TV(set)(r[k0 + q])));
        }
    }
}

#define CTI_MANY_GROUP 4 /* strips of right sides that go through the factor together */

CTI_FN size_t CTI_TN(cti_factor, many_work)(const CTI_TN(cti_factor, t) * f)
{
    const cti_symbolic *sym = f->sym;
    size_t table = (2 * (size_t)sym->max_rows + 2) * sizeof(size_t) / sizeof(CTI_T) + 2;
    return 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super] + 8 * (size_t)sym->max_rows + table + 64;
}

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_many, align)(CTI_T *p)
{
    size_t bytes = (size_t)(64 - ((uintptr_t)p & 63)) & 63;
    return p + bytes / sizeof(CTI_T);
}

/* X = A^-1 X for n strips, already gathered: supernode s's strips at Z + 8 n pivot[s] */
static void CTI_TN(cti_many, group)(const CTI_TN(cti_factor, t) * f, CTI_T *Z, int n, CTI_T *G, size_t *table)
{
    const cti_symbolic *sym = f->sym;
    size_t *to = table, *step = table + sym->max_rows;
    int s, i, j;
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        CTI_T *Y = Z + 8 * (size_t)n * (size_t)sym->pivot[s];
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            step[i] = 8 * (size_t)cti_sym_top(sym, o);
            to[i] = 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, Y, 8 * (size_t)top, n, NULL);
        CTI_TN(cti_many, below)
        (P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, Y, 8 * (size_t)top, n, Z, to, step, NULL);
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        for (j = 0; j < n; j++) {
            for (i = 0; i < below; i++) {
                int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
                const CTI_T *z = Z + 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)j * (size_t)cti_sym_top(sym, o);
                memcpy(G + 8 * (size_t)i, z + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3), 8 * sizeof *G);
            }
            memset(G + 8 * (size_t)below, 0, 8 * (size_t)(cti_pad8(below) - below) * sizeof *G);
            CTI_TN(cti_many, backward)
            (f->L + sym->panel[s], f->inverse + sym->pivot[s], cols, top / 8, cti_strips(below), G,
             Z + 8 * (size_t)n * (size_t)sym->pivot[s] + 8 * (size_t)j * (size_t)top);
        }
    }
}

CTI_FN void CTI_TN(cti_factor, solve_many)(const CTI_TN(cti_factor, t) * f, CTI_T *X, int nrhs, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    int strips = cti_strips(nrhs), first, n, j, i, a;
    size_t ld = 8 * (size_t)strips;
    CTI_T *Z = CTI_TN(cti_many, align)(work), *G = Z + 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super];
    size_t *table = (size_t *)(void *)CTI_TN(cti_many, align)(G + 8 * (size_t)sym->max_rows);
    for (first = 0; first < strips; first += n) {
        n = cti_min_int(CTI_MANY_GROUP, strips - first);
        memset(Z, 0, 8 * (size_t)n * (size_t)sym->pivot[sym->n_super] * sizeof *Z);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j), 8 * sizeof *Z);
        }
        CTI_TN(cti_many, group)(f, Z, n, G, table);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j),
                           Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           8 * sizeof *Z);
        }
    }
}

/* most strips that supernode s can have with p ports */
static int CTI_TN(cti_many, most)(const cti_symbolic *sym, int s, int p)
{
    int sub = sym->first[s + 1] - sym->subtree[s];
    return cti_min_int(cti_strips(3 * p), cti_strips(3 * cti_min_int(p, sub)) + 1);
}

CTI_FN size_t CTI_TN(cti_factor, compliance_work)(const CTI_TN(cti_factor, t) * f, int n_ports)
{
    const cti_symbolic *sym = f->sym;
    size_t n = 256, words;
    int s;
    for (s = 0; s < sym->n_super; s++)
        n += 8 * (size_t)cti_sym_top(sym, s) * (size_t)CTI_TN(cti_many, most)(sym, s, n_ports);
    /* tables: two per row, one offset and two strip numbers per supernode, two numbers per port */
    words = (2 * (size_t)sym->max_rows + (size_t)sym->n_super) * sizeof(size_t) +
            (2 * (size_t)sym->n_super + 3 * (size_t)n_ports + (size_t)sym->n + 8) * sizeof(int);
    n += words / sizeof(CTI_T) + 64;
    return n + 3 * (size_t)n_ports * (size_t)cti_pad8(3 * n_ports);
}

/* cti_many_plan -- the supernodes' columns of Y: strips strip[s] .. strip[s] + count[s] - 1 at Y + offset[s] */
typedef struct CTI_TN(cti_many, plan) {
    CTI_T *Y, *C; /* C: in elimination order of the ports */
    size_t ld, used;
    size_t *to, *step, *offset;
    int *zero;                 /* see zeros: of the supernode at hand */
    int *strip, *count, *port; /* port[k]: the caller's number of the k-th port in elimination order */
    int n, sorted;
} CTI_TN(cti_many, plan);

/* lays out work; ports in elimination order; columns of every supernode */
static void CTI_TN(cti_many, prepare)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n, CTI_T *work, CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int i, s, k, lo, hi, *at;
    char *p = (char *)(void *)CTI_TN(cti_many, align)(work);
    w->to = (size_t *)(void *)p;
    w->step = w->to + sym->max_rows;
    w->offset = w->step + sym->max_rows;
    w->strip = (int *)(void *)(w->offset + sym->n_super);
    w->count = w->strip + sym->n_super;
    w->port = w->count + sym->n_super;
    w->zero = w->port + n;
    at = w->zero + cti_strips(3 * n);
    w->n = n;
    w->sorted = 1;
    for (i = 0; i < n; i++)
        w->sorted = w->sorted && (i == 0 || sym->inv[ports[i]] > sym->inv[ports[i - 1]]);
    if (w->sorted)
        for (i = 0; i < n; i++)
            w->port[i] = i;
    else {
        for (i = 0; i < sym->n; i++)
            at[i] = -1;
        for (i = 0; i < n; i++)
            at[sym->inv[ports[i]]] = i;
        for (i = 0, k = 0; i < sym->n; i++)
            if (at[i] >= 0)
                w->port[k++] = at[i];
    }
    p = (char *)(void *)(at + (w->sorted ? 0 : sym->n));
    p += (64 - ((uintptr_t)p & 63)) & 63;
    w->Y = (CTI_T *)(void *)p;
    w->used = 0;
    /* supernodes ascend, and so do the ends of their ranges; the beginning is found by going back */
    for (s = 0, hi = 0; s < sym->n_super; s++) {
        while (hi < n && sym->inv[ports[w->port[hi]]] < sym->first[s + 1])
            hi++;
        for (lo = hi; lo > 0 && sym->inv[ports[w->port[lo - 1]]] >= sym->subtree[s]; lo--) {
        }
        w->strip[s] = 3 * lo / 8;
        w->count[s] = lo < hi ? cti_strips(3 * hi) - w->strip[s] : 0;
        w->offset[s] = w->used;
        w->used += 8 * (size_t)cti_sym_top(sym, s) * (size_t)w->count[s];
    }
    w->C = w->Y + w->used;
}

/* zero[j] of supernode s: the columns of its own ports begin with zeros */
static void CTI_TN(cti_many, zeros)(const cti_symbolic *sym, const int32_t *ports, const CTI_TN(cti_many, plan) * w, int s)
{
    int j;
    for (j = 0; j < w->count[s]; j++) {
        int k = cti_min_int(8 * (w->strip[s] + j) / 3, w->n - 1), p = sym->inv[ports[w->port[k]]];
        w->zero[j] = p >= sym->first[s] && p < sym->first[s + 1] ? (sym->place[p] - sym->pivot[s]) & ~3 : 0;
    }
}

/* Y = L^-1 S */
static void CTI_TN(cti_many, columns)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int s, k, i, a;
    memset(w->Y, 0, w->used * sizeof(CTI_T));
    for (k = 0; k < w->n; k++) {
        int p = sym->inv[ports[w->port[k]]], o = sym->owner[p];
        for (a = 0; a < 3; a++)
            w->Y[w->offset[o] + (size_t)((3 * k + a) / 8 - w->strip[o]) * 8 * (size_t)cti_sym_top(sym, o) +
                 8 * (size_t)(sym->place[p] - sym->pivot[o] + a) + (size_t)((3 * k + a) & 7)] = 1;
    }
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        CTI_T *Y = w->Y + w->offset[s];
        if (w->count[s] == 0)
            continue;
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            w->step[i] = 8 * (size_t)cti_sym_top(sym, o);
            w->to[i] =
                w->offset[o] + (size_t)(w->strip[s] - w->strip[o]) * w->step[i] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, Y, 8 * (size_t)top, w->count[s], w->zero);
        CTI_TN(cti_many, below)
        (P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, Y, 8 * (size_t)top, w->count[s], w->Y, w->to, w->step,
         w->zero);
    }
}

/* C = Y' Y: strips on and right of the diagonal */
static void CTI_TN(cti_many, product)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int s, i, j, q, u, rows = 3 * w->n;
    CTI_T t[64];
    for (i = 0; i < rows; i++)
        for (j = i >> 3; j < cti_strips(rows); j++)
            CTI_TV(store)(w->C + (size_t)i * w->ld + 8 * (size_t)j, CTI_TV(set)(0));
    for (s = 0; s < sym->n_super; s++) {
        size_t ys = 8 * (size_t)cti_sym_top(sym, s);
        int K = cti_sym_pivots(sym, s), s0 = w->strip[s], s1 = s0 + w->count[s];
        const CTI_T *Y = w->Y + w->offset[s];
        if (s0 == s1)
            continue;
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 8 * s0; i < 8 * s1 && i < rows; i += 4) {
            for (j = i >> 3; j < s1; j += 2) {
                CTI_TVEC c[8];
                int z = w->zero[j - s0];
                const CTI_T *b = Y + (size_t)(j - s0) * ys + 8 * (size_t)z, *a[4];
                a[0] = Y + (size_t)((i >> 3) - s0) * ys + (i & 7) + 8 * (size_t)z;
                a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
                CTI_T *v = w->C + (size_t)i * w->ld + 8 * (size_t)j;
                c[4] = c[5] = c[6] = c[7] = CTI_TV(set)(0);
                if (j + 1 < s1)
                    CTI_TN(cti_k, tile2)(K - z, a, 8, b, b + ys, 8, c);
                else
                    CTI_TN(cti_k, tile1)(K - z, a, 8, b, 8, c);
                if (i + 4 <= rows) {
                    CTI_TN(cti_k, add4)(v, w->ld, c);
                    if (j + 1 < s1)
                        CTI_TN(cti_k, add4)(v + 8, w->ld, c + 4);
                    continue;
                }
                /* fewer than four rows are left */
                CTI_TN(cti_k, store4)(t, 16, c);
                CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
                for (q = 0; i + q < rows; q++)
                    for (u = 0; u < 8 * cti_min_int(2, s1 - j); u++)
                        v[(size_t)q * w->ld + (size_t)u] += t[16 * q + u];
            }
        }
    }
}

CTI_FN void CTI_TN(cti_factor, compliance)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n_ports, CTI_T *C, int ld,
                                           CTI_T *work)
{
    CTI_TN(cti_many, plan) w;
    int i, j, i0, j0, rows = 3 * n_ports;
    CTI_TN(cti_many, prepare)(f, ports, n_ports, work, &w);
    w.ld = (size_t)(w.sorted ? ld : cti_pad8(rows));
    if (w.sorted)
        w.C = C;
    CTI_TN(cti_many, columns)(f, ports, &w);
    CTI_TN(cti_many, product)(f, ports, &w);
    if (w.sorted) {
        /* the lower triangle mirrors the upper one, in tiles of 8x8 */
        for (i0 = 0; i0 < rows; i0 += 8)
            for (j0 = 0; j0 <= i0; j0 += 8)
                for (i = i0; i < i0 + 8 && i < rows; i++)
                    for (j = j0; j < j0 + 8 && j < i; j++)
                        C[(size_t)i * (size_t)ld + (size_t)j] = C[(size_t)j * (size_t)ld + (size_t)i];
        return;
    }
    /* blocks to the caller's places, and mirrored; the diagonal blocks' lower halves from their upper ones */
    for (i = 0; i < n_ports; i++)
        for (j = i; j < n_ports; j++) {
            const CTI_T *u = w.C + 3 * (size_t)i * w.ld + 3 * (size_t)j, *v = u + w.ld, *x = v + w.ld;
            CTI_T *p = C + 3 * (size_t)w.port[i] * (size_t)ld + 3 * (size_t)w.port[j],
                  *q = C + 3 * (size_t)w.port[j] * (size_t)ld + 3 * (size_t)w.port[i];
            CTI_T d = i == j ? u[1] : v[0], e = i == j ? u[2] : x[0], g = i == j ? v[2] : x[1];
            p[0] = u[0], p[1] = u[1], p[2] = u[2], p += ld;
            p[0] = d, p[1] = v[1], p[2] = v[2], p += ld;
            p[0] = e, p[1] = g, p[2] = x[2];
            q[0] = u[0], q[1] = d, q[2] = e, q += ld;
            q[0] = u[1], q[1] = v[1], q[2] = g, q += ld;
            q[0] = u[2], q[1] = v[2], q[2] = x[2];
        }
}

#undef CTI_MANY_GROUP
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV

#define CTI_T double
#define CTI_TN(a, b) a##64_##b
#define CTI_TVEC cti_d8
#define CTI_TV(op) cti_d8_##op
/* supernodal_many.inl -- many right sides and compliance for one number type; included by supernodal_many.c.
   Right sides are kept by supernode as strips of eight columns: strip j of supernode s is [padded pivot][8]. */

/* Y = L(pivots, pivots)^-1 Y in place, n strips of size ys; rows of strip j below zero[j] (a multiple of 4, ascending) are 0. zero may be
 * NULL. */
static void CTI_TN(cti_many, forward)(const CTI_T *P, const CTI_T *r, int cols, CTI_T *Y, size_t ys, int n, const int *zero)
{
    size_t stride = 8 * (size_t)cols;
    int k0, j;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0;
        CTI_T *b = Y + (size_t)j * ys;
        for (k0 = z; k0 < cols; k0 += 4) {
            const CTI_T *a[4], *l = P + (size_t)(k0 >> 3) * stride + (k0 & 7), *u = b + 8 * (size_t)z;
            CTI_T *y = b + 8 * (size_t)k0;
            CTI_TVEC c[8];
            a[0] = l + 8 * (size_t)z, a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
            l += 8 * (size_t)k0;
            if (two) {
                CTI_TN(cti_k, tile2)(k0 - z, a, 8, u, u + ys, 8, c);
                CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, y + ys, 8, c + 4);
                CTI_TN(cti_k, store4)(y + ys, 8, c + 4);
            } else
                CTI_TN(cti_k, tile1)(k0 - z, a, 8, u, 8, c);
            CTI_TN(cti_k, trsm4)(l, 1, 8, r + k0, y, 8, c);
            CTI_TN(cti_k, store4)(y, 8, c);
        }
    }
}

/* the first m of the four rows y -= c */
CTI_INLINE void CTI_TN(cti_many, sub4)(CTI_T *const y[4], int m, const CTI_TVEC c[4])
{
    CTI_TN(cti_k, sub1)(y[0], c[0]);
    if (m > 1)
        CTI_TN(cti_k, sub1)(y[1], c[1]);
    if (m > 2)
        CTI_TN(cti_k, sub1)(y[2], c[2]);
    if (m > 3)
        CTI_TN(cti_k, sub1)(y[3], c[3]);
}

/* rows of later supernodes -= L(below, pivots) Y; row i of strip 0 is at base + to[i], strip j is j step[i] further */
static void CTI_TN(cti_many, below)(const CTI_T *B, int cols, int pivots, int below, const CTI_T *Y, size_t ys, int n, CTI_T *base,
                                    const size_t *to, const size_t *step, const int *zero)
{
    size_t stride = 8 * (size_t)cols;
    int i, q, j, m;
    for (j = 0; j < n; j += 2) {
        int two = j + 1 < n, z = zero ? zero[j] : 0, K = pivots - z;
        const CTI_T *b = Y + (size_t)j * ys + 8 * (size_t)z;
        for (i = 0; i < below; i += 4) {
            const CTI_T *a[4], *l = B + (size_t)(i >> 3) * stride + (i & 7) + 8 * (size_t)z;
            CTI_TVEC c[8];
            CTI_T *y[4];
            a[0] = l, a[1] = l + 1, a[2] = l + 2, a[3] = l + 3;
            m = cti_min_int(4, below - i);
            for (q = 0; q < 4; q++)
                y[q] = base + to[i + cti_min_int(q, m - 1)] + (size_t)j * step[i + cti_min_int(q, m - 1)];
            if (two) {
                CTI_TN(cti_k, tile2)(K, a, 8, b, b + ys, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
                for (q = 0; q < 4; q++)
                    y[q] += step[i + cti_min_int(q, m - 1)];
                CTI_TN(cti_many, sub4)(y, m, c + 4);
            } else {
                CTI_TN(cti_k, tile1)(K, a, 8, b, 8, c);
                CTI_TN(cti_many, sub4)(y, m, c);
            }
        }
    }
}

/* c[q] = sum over strips of L(strip, k0 + q)' G(strip): L from B, G [row][8] */
CTI_INLINE void CTI_TN(cti_many, transposed)(const CTI_T *B, size_t stride, int strips, const CTI_T *G, CTI_TVEC c[4])
{
    CTI_TVEC c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], v;
    int t, i;
    for (t = 0; t < strips; t++, B += stride)
        for (i = 0; i < 8; i++, G += 8) {
            v = CTI_TV(load)(G);
            c0 = CTI_TV(add)(c0, CTI_TV(mul)(CTI_TV(set)(B[i]), v));
            c1 = CTI_TV(add)(c1, CTI_TV(mul)(CTI_TV(set)(B[8 + i]), v));
            c2 = CTI_TV(add)(c2, CTI_TV(mul)(CTI_TV(set)(B[16 + i]), v));
            c3 = CTI_TV(add)(c3, CTI_TV(mul)(CTI_TV(set)(B[24 + i]), v));
        }
    c[0] = c0, c[1] = c1, c[2] = c2, c[3] = c3;
}

/* one strip: Y = L(pivots, pivots)'^-1 (Y - L(below, pivots)' G) */
static void CTI_TN(cti_many, backward)(const CTI_T *P, const CTI_T *r, int cols, int top, int strips, const CTI_T *G, CTI_T *Y)
{
    size_t stride = 8 * (size_t)cols;
    int k0, q, p, own;
    for (k0 = cols - 4; k0 >= 0; k0 -= 4) {
        const CTI_T *b = P + 8 * (size_t)k0, *l;
        CTI_TVEC c[4], x;
        own = k0 >> 3;
        c[0] = c[1] = c[2] = c[3] = CTI_TV(set)(0);
        CTI_TN(cti_many, transposed)(b + (size_t)(own + 1) * stride, stride, top - own - 1, Y + 64 * (size_t)(own + 1), c);
        CTI_TN(cti_many, transposed)(b + (size_t)top * stride, stride, strips, G, c);
        l = b + (size_t)own * stride;
        for (q = 3; q >= 0; q--) {
            x = CTI_TV(sub)(CTI_TV(load)(Y + 8 * (size_t)(k0 + q)), c[q]);
            /* the rest of the strip's triangle; rows past the padded columns are 0 in L */
            for (p = (k0 & 7) + q + 1; p < 8 && 8 * own + p < cols; p++)
                x = CTI_TV(sub)(x, CTI_TV(mul)(CTI_TV(set)(l[8 * q + p]), CTI_TV(load)(Y + 8 * (size_t)(8 * own + p))));
            CTI_TV(store)(Y + 8 * (size_t)(k0 + q), CTI_TV(mul)(x, CTI_TV(set)(r[k0 + q])));
        }
    }
}

#define CTI_MANY_GROUP 4 /* strips of right sides that go through the factor together */

CTI_FN size_t CTI_TN(cti_factor, many_work)(const CTI_TN(cti_factor, t) * f)
{
    const cti_symbolic *sym = f->sym;
    size_t table = (2 * (size_t)sym->max_rows + 2) * sizeof(size_t) / sizeof(CTI_T) + 2;
    return 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super] + 8 * (size_t)sym->max_rows + table + 64;
}

/* first number at or after p on a 64-byte boundary */
CTI_INLINE CTI_T *CTI_TN(cti_many, align)(CTI_T *p)
{
    size_t bytes = (size_t)(64 - ((uintptr_t)p & 63)) & 63;
    return p + bytes / sizeof(CTI_T);
}

/* X = A^-1 X for n strips, already gathered: supernode s's strips at Z + 8 n pivot[s] */
static void CTI_TN(cti_many, group)(const CTI_TN(cti_factor, t) * f, CTI_T *Z, int n, CTI_T *G, size_t *table)
{
    const cti_symbolic *sym = f->sym;
    size_t *to = table, *step = table + sym->max_rows;
    int s, i, j;
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        CTI_T *Y = Z + 8 * (size_t)n * (size_t)sym->pivot[s];
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            step[i] = 8 * (size_t)cti_sym_top(sym, o);
            to[i] = 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, Y, 8 * (size_t)top, n, NULL);
        CTI_TN(cti_many, below)
        (P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, Y, 8 * (size_t)top, n, Z, to, step, NULL);
    }
    for (s = sym->n_super - 1; s >= 0; s--) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        for (j = 0; j < n; j++) {
            for (i = 0; i < below; i++) {
                int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
                const CTI_T *z = Z + 8 * (size_t)n * (size_t)sym->pivot[o] + 8 * (size_t)j * (size_t)cti_sym_top(sym, o);
                memcpy(G + 8 * (size_t)i, z + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3), 8 * sizeof *G);
            }
            memset(G + 8 * (size_t)below, 0, 8 * (size_t)(cti_pad8(below) - below) * sizeof *G);
            CTI_TN(cti_many, backward)
            (f->L + sym->panel[s], f->inverse + sym->pivot[s], cols, top / 8, cti_strips(below), G,
             Z + 8 * (size_t)n * (size_t)sym->pivot[s] + 8 * (size_t)j * (size_t)top);
        }
    }
}

CTI_FN void CTI_TN(cti_factor, solve_many)(const CTI_TN(cti_factor, t) * f, CTI_T *X, int nrhs, CTI_T *work)
{
    const cti_symbolic *sym = f->sym;
    int strips = cti_strips(nrhs), first, n, j, i, a;
    size_t ld = 8 * (size_t)strips;
    CTI_T *Z = CTI_TN(cti_many, align)(work), *G = Z + 8 * CTI_MANY_GROUP * (size_t)sym->pivot[sym->n_super];
    size_t *table = (size_t *)(void *)CTI_TN(cti_many, align)(G + 8 * (size_t)sym->max_rows);
    for (first = 0; first < strips; first += n) {
        n = cti_min_int(CTI_MANY_GROUP, strips - first);
        memset(Z, 0, 8 * (size_t)n * (size_t)sym->pivot[sym->n_super] * sizeof *Z);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j), 8 * sizeof *Z);
        }
        CTI_TN(cti_many, group)(f, Z, n, G, table);
        for (i = 0; i < sym->n; i++) {
            int p = sym->inv[i], o = sym->owner[p];
            for (j = 0; j < n; j++)
                for (a = 0; a < 3; a++)
                    memcpy(X + (3 * (size_t)i + (size_t)a) * ld + 8 * (size_t)(first + j),
                           Z + 8 * (size_t)n * (size_t)sym->pivot[o] +
                               8 * ((size_t)j * (size_t)cti_sym_top(sym, o) + (size_t)(sym->place[p] - sym->pivot[o] + a)),
                           8 * sizeof *Z);
        }
    }
}

/* most strips that supernode s can have with p ports */
static int CTI_TN(cti_many, most)(const cti_symbolic *sym, int s, int p)
{
    int sub = sym->first[s + 1] - sym->subtree[s];
    return cti_min_int(cti_strips(3 * p), cti_strips(3 * cti_min_int(p, sub)) + 1);
}

CTI_FN size_t CTI_TN(cti_factor, compliance_work)(const CTI_TN(cti_factor, t) * f, int n_ports)
{
    const cti_symbolic *sym = f->sym;
    size_t n = 256, words;
    int s;
    for (s = 0; s < sym->n_super; s++)
        n += 8 * (size_t)cti_sym_top(sym, s) * (size_t)CTI_TN(cti_many, most)(sym, s, n_ports);
    /* tables: two per row, one offset and two strip numbers per supernode, two numbers per port */
    words = (2 * (size_t)sym->max_rows + (size_t)sym->n_super) * sizeof(size_t) +
            (2 * (size_t)sym->n_super + 3 * (size_t)n_ports + (size_t)sym->n + 8) * sizeof(int);
    n += words / sizeof(CTI_T) + 64;
    return n + 3 * (size_t)n_ports * (size_t)cti_pad8(3 * n_ports);
}

/* cti_many_plan -- the supernodes' columns of Y: strips strip[s] .. strip[s] + count[s] - 1 at Y + offset[s] */
typedef struct CTI_TN(cti_many, plan) {
    CTI_T *Y, *C; /* C: in elimination order of the ports */
    size_t ld, used;
    size_t *to, *step, *offset;
    int *zero;                 /* see zeros: of the supernode at hand */
    int *strip, *count, *port; /* port[k]: the caller's number of the k-th port in elimination order */
    int n, sorted;
} CTI_TN(cti_many, plan);

/* lays out work; ports in elimination order; columns of every supernode */
static void CTI_TN(cti_many, prepare)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n, CTI_T *work, CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int i, s, k, lo, hi, *at;
    char *p = (char *)(void *)CTI_TN(cti_many, align)(work);
    w->to = (size_t *)(void *)p;
    w->step = w->to + sym->max_rows;
    w->offset = w->step + sym->max_rows;
    w->strip = (int *)(void *)(w->offset + sym->n_super);
    w->count = w->strip + sym->n_super;
    w->port = w->count + sym->n_super;
    w->zero = w->port + n;
    at = w->zero + cti_strips(3 * n);
    w->n = n;
    w->sorted = 1;
    for (i = 0; i < n; i++)
        w->sorted = w->sorted && (i == 0 || sym->inv[ports[i]] > sym->inv[ports[i - 1]]);
    if (w->sorted)
        for (i = 0; i < n; i++)
            w->port[i] = i;
    else {
        for (i = 0; i < sym->n; i++)
            at[i] = -1;
        for (i = 0; i < n; i++)
            at[sym->inv[ports[i]]] = i;
        for (i = 0, k = 0; i < sym->n; i++)
            if (at[i] >= 0)
                w->port[k++] = at[i];
    }
    p = (char *)(void *)(at + (w->sorted ? 0 : sym->n));
    p += (64 - ((uintptr_t)p & 63)) & 63;
    w->Y = (CTI_T *)(void *)p;
    w->used = 0;
    /* supernodes ascend, and so do the ends of their ranges; the beginning is found by going back */
    for (s = 0, hi = 0; s < sym->n_super; s++) {
        while (hi < n && sym->inv[ports[w->port[hi]]] < sym->first[s + 1])
            hi++;
        for (lo = hi; lo > 0 && sym->inv[ports[w->port[lo - 1]]] >= sym->subtree[s]; lo--) {
        }
        w->strip[s] = 3 * lo / 8;
        w->count[s] = lo < hi ? cti_strips(3 * hi) - w->strip[s] : 0;
        w->offset[s] = w->used;
        w->used += 8 * (size_t)cti_sym_top(sym, s) * (size_t)w->count[s];
    }
    w->C = w->Y + w->used;
}

/* zero[j] of supernode s: the columns of its own ports begin with zeros */
static void CTI_TN(cti_many, zeros)(const cti_symbolic *sym, const int32_t *ports, const CTI_TN(cti_many, plan) * w, int s)
{
    int j;
    for (j = 0; j < w->count[s]; j++) {
        int k = cti_min_int(8 * (w->strip[s] + j) / 3, w->n - 1), p = sym->inv[ports[w->port[k]]];
        w->zero[j] = p >= sym->first[s] && p < sym->first[s + 1] ? (sym->place[p] - sym->pivot[s]) & ~3 : 0;
    }
}

/* Y = L^-1 S */
static void CTI_TN(cti_many, columns)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int s, k, i, a;
    memset(w->Y, 0, w->used * sizeof(CTI_T));
    for (k = 0; k < w->n; k++) {
        int p = sym->inv[ports[w->port[k]]], o = sym->owner[p];
        for (a = 0; a < 3; a++)
            w->Y[w->offset[o] + (size_t)((3 * k + a) / 8 - w->strip[o]) * 8 * (size_t)cti_sym_top(sym, o) +
                 8 * (size_t)(sym->place[p] - sym->pivot[o] + a) + (size_t)((3 * k + a) & 7)] = 1;
    }
    for (s = 0; s < sym->n_super; s++) {
        int cols = cti_sym_cols(sym, s), below = cti_sym_below(sym, s), top = cti_sym_top(sym, s);
        const CTI_T *P = f->L + sym->panel[s];
        CTI_T *Y = w->Y + w->offset[s];
        if (w->count[s] == 0)
            continue;
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 0; i < below; i++) {
            int p = sym->rows[sym->row_ptr[s] + i / 3], o = sym->owner[p];
            w->step[i] = 8 * (size_t)cti_sym_top(sym, o);
            w->to[i] =
                w->offset[o] + (size_t)(w->strip[s] - w->strip[o]) * w->step[i] + 8 * (size_t)(sym->place[p] - sym->pivot[o] + i % 3);
        }
        CTI_TN(cti_many, forward)(P, f->inverse + sym->pivot[s], cols, Y, 8 * (size_t)top, w->count[s], w->zero);
        CTI_TN(cti_many, below)
        (P + (size_t)top * (size_t)cols, cols, cti_sym_pivots(sym, s), below, Y, 8 * (size_t)top, w->count[s], w->Y, w->to, w->step,
         w->zero);
    }
}

/* C = Y' Y: strips on and right of the diagonal */
static void CTI_TN(cti_many, product)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, const CTI_TN(cti_many, plan) * w)
{
    const cti_symbolic *sym = f->sym;
    int s, i, j, q, u, rows = 3 * w->n;
    CTI_T t[64];
    for (i = 0; i < rows; i++)
        for (j = i >> 3; j < cti_strips(rows); j++)
            CTI_TV(store)(w->C + (size_t)i * w->ld + 8 * (size_t)j, CTI_TV(set)(0));
    for (s = 0; s < sym->n_super; s++) {
        size_t ys = 8 * (size_t)cti_sym_top(sym, s);
        int K = cti_sym_pivots(sym, s), s0 = w->strip[s], s1 = s0 + w->count[s];
        const CTI_T *Y = w->Y + w->offset[s];
        if (s0 == s1)
            continue;
        CTI_TN(cti_many, zeros)(sym, ports, w, s);
        for (i = 8 * s0; i < 8 * s1 && i < rows; i += 4) {
            for (j = i >> 3; j < s1; j += 2) {
                CTI_TVEC c[8];
                int z = w->zero[j - s0];
                const CTI_T *b = Y + (size_t)(j - s0) * ys + 8 * (size_t)z, *a[4];
                a[0] = Y + (size_t)((i >> 3) - s0) * ys + (i & 7) + 8 * (size_t)z;
                a[1] = a[0] + 1, a[2] = a[0] + 2, a[3] = a[0] + 3;
                CTI_T *v = w->C + (size_t)i * w->ld + 8 * (size_t)j;
                c[4] = c[5] = c[6] = c[7] = CTI_TV(set)(0);
                if (j + 1 < s1)
                    CTI_TN(cti_k, tile2)(K - z, a, 8, b, b + ys, 8, c);
                else
                    CTI_TN(cti_k, tile1)(K - z, a, 8, b, 8, c);
                if (i + 4 <= rows) {
                    CTI_TN(cti_k, add4)(v, w->ld, c);
                    if (j + 1 < s1)
                        CTI_TN(cti_k, add4)(v + 8, w->ld, c + 4);
                    continue;
                }
                /* fewer than four rows are left */
                CTI_TN(cti_k, store4)(t, 16, c);
                CTI_TN(cti_k, store4)(t + 8, 16, c + 4);
                for (q = 0; i + q < rows; q++)
                    for (u = 0; u < 8 * cti_min_int(2, s1 - j); u++)
                        v[(size_t)q * w->ld + (size_t)u] += t[16 * q + u];
            }
        }
    }
}

CTI_FN void CTI_TN(cti_factor, compliance)(const CTI_TN(cti_factor, t) * f, const int32_t *ports, int n_ports, CTI_T *C, int ld,
                                           CTI_T *work)
{
    CTI_TN(cti_many, plan) w;
    int i, j, i0, j0, rows = 3 * n_ports;
    CTI_TN(cti_many, prepare)(f, ports, n_ports, work, &w);
    w.ld = (size_t)(w.sorted ? ld : cti_pad8(rows));
    if (w.sorted)
        w.C = C;
    CTI_TN(cti_many, columns)(f, ports, &w);
    CTI_TN(cti_many, product)(f, ports, &w);
    if (w.sorted) {
        /* the lower triangle mirrors the upper one, in tiles of 8x8 */
        for (i0 = 0; i0 < rows; i0 += 8)
            for (j0 = 0; j0 <= i0; j0 += 8)
                for (i = i0; i < i0 + 8 && i < rows; i++)
                    for (j = j0; j < j0 + 8 && j < i; j++)
                        C[(size_t)i * (size_t)ld + (size_t)j] = C[(size_t)j * (size_t)ld + (size_t)i];
        return;
    }
    /* blocks to the caller's places, and mirrored; the diagonal blocks' lower halves from their upper ones */
    for (i = 0; i < n_ports; i++)
        for (j = i; j < n_ports; j++) {
            const CTI_T *u = w.C + 3 * (size_t)i * w.ld + 3 * (size_t)j, *v = u + w.ld, *x = v + w.ld;
            CTI_T *p = C + 3 * (size_t)w.port[i] * (size_t)ld + 3 * (size_t)w.port[j],
                  *q = C + 3 * (size_t)w.port[j] * (size_t)ld + 3 * (size_t)w.port[i];
            CTI_T d = i == j ? u[1] : v[0], e = i == j ? u[2] : x[0], g = i == j ? v[2] : x[1];
            p[0] = u[0], p[1] = u[1], p[2] = u[2], p += ld;
            p[0] = d, p[1] = v[1], p[2] = v[2], p += ld;
            p[0] = e, p[1] = g, p[2] = x[2];
            q[0] = u[0], q[1] = d, q[2] = e, q += ld;
            q[0] = u[1], q[1] = v[1], q[2] = g, q += ld;
            q[0] = u[2], q[1] = v[2], q[2] = x[2];
        }
}

#undef CTI_MANY_GROUP
#undef CTI_T
#undef CTI_TN
#undef CTI_TVEC
#undef CTI_TV

/* ---- 2_linalg/krylov.h ---- */
/* krylov.h -- preconditioned conjugate gradients on 3x3-block matrices, the block-Jacobi preconditioner, and dot products whose order of
   summation is the same on every SIMD path. */


/* cti_krylov_dot -- x'y over n numbers: eight lanes, lane i sums the terms i, i + 8, ..., then the lanes in simd.h's fixed order. */
CTI_FN ct_real cti_krylov_dot(int n, const ct_real *x, const ct_real *y);

/* cti_precond_fn -- z = M^-1 r, both [3 n]; M symmetric positive definite. */
typedef void cti_precond_fn(void *ctx, const ct_real *r, ct_real *z);

/* cti_pcg -- A x = b by preconditioned conjugate gradients.
   x         in: start, out: solution, [3 n]
   precond   NULL: M = 1
   tol       absolute: stops when sqrt(r' M^-1 r) <= tol, r = b - A x by recurrence. With M close to A this is the energy norm of the
             error. tol 0 runs until max_it or until r' M^-1 r is exactly 0
   work      [12 n]
   returns 1 when it converged, 0 when max_it was reached or p' A p is not positive (x is then the last iterate). out_iterations (may be
   NULL): products with A after the first residual. No allocation. */
CTI_FN int cti_pcg(const cti_bsr *A, const ct_real *b, ct_real *x, cti_precond_fn *precond, void *ctx, ct_real tol, int max_it,
                   ct_real *work, int *out_iterations);

/* cti_jacobi -- inverses of the diagonal blocks. Zero it before first use. */
typedef struct cti_jacobi {
    int n;
    ct_real *inv; /* [9 n] */
} cti_jacobi;
/* cti_jacobi_make -- a block that cannot be inverted to a finite one is replaced by its diagonal, then by 1. 0 when memory ran out. */
CTI_FN int cti_jacobi_make(cti_mem *mem, cti_jacobi *out, const cti_bsr *A);
CTI_FN void cti_jacobi_free(cti_mem *mem, cti_jacobi *jacobi);
/* cti_jacobi_apply -- a cti_precond_fn; ctx is a cti_jacobi. */
CTI_FN void cti_jacobi_apply(void *ctx, const ct_real *r, ct_real *z);


/* ---- 2_linalg/krylov.c ---- */
/* krylov.c -- preconditioned conjugate gradients and block-Jacobi.
   Method: the two-term recurrences with r' M^-1 r as the measure; sums in eight fixed lanes.
   based on: Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1. */

CTI_FN ct_real cti_krylov_dot(int n, const ct_real *x, const ct_real *y)
{
    cti_r8 s = CTI_R8(set)(0);
    int i;
    for (i = 0; i + 8 <= n; i += 8)
        s = CTI_R8(add)(s, CTI_R8(mul)(CTI_R8(load)(x + i), CTI_R8(load)(y + i)));
    if (i < n) {
        /* the tail fills the first lanes, the others add 0 */
        ct_real a[8], b[8];
        int k;
        for (k = 0; k < 8; k++)
            a[k] = i + k < n ? x[i + k] : 0, b[k] = i + k < n ? y[i + k] : 0;
        s = CTI_R8(add)(s, CTI_R8(mul)(CTI_R8(load)(a), CTI_R8(load)(b)));
    }
    return CTI_R8(sum)(s);
}

CTI_FN int cti_pcg(const cti_bsr *A, const ct_real *b, ct_real *x, cti_precond_fn *precond, void *ctx, ct_real tol, int max_it,
                   ct_real *work, int *out_iterations)
{
    int n = 3 * A->n, it = 0, i, converged = 0;
    ct_real *r = work, *z = r + n, *p = z + n, *q = p + n, rz = 0, rz1, pq, alpha, beta;
    /* r = b - A x, z = M^-1 r, p = z */
    cti_bsr_residual(A, b, x, r);
    for (;;) {
        if (precond)
            precond(ctx, r, z);
        else
            memcpy(z, r, (size_t)n * sizeof *z);
        rz1 = cti_krylov_dot(n, r, z);
        converged = rz1 <= tol * tol;
        if (converged || it >= max_it || !(rz1 > 0) || !cti_finite(rz1))
            break;
        /* p = z + beta p */
        beta = it > 0 ? rz1 / rz : 0;
        if (it > 0)
            for (i = 0; i < n; i++)
                p[i] = z[i] + beta * p[i];
        else
            memcpy(p, z, (size_t)n * sizeof *p);
        rz = rz1;
        /* alpha = r'z / p'Ap */
        cti_bsr_mul(A, p, q);
        pq = cti_krylov_dot(n, p, q);
        if (!(pq > 0) || !cti_finite(pq))
            break;
        alpha = rz / pq;
        for (i = 0; i < n; i++)
            x[i] += alpha * p[i];
        for (i = 0; i < n; i++)
            r[i] -= alpha * q[i];
        it++;
    }
    if (out_iterations)
        *out_iterations = it;
    return converged;
}

CTI_FN int cti_jacobi_make(cti_mem *mem, cti_jacobi *out, const cti_bsr *A)
{
    int i, k;
    out->n = 0;
    if (!CTI_RESIZE(mem, out->inv, 9 * (size_t)A->n))
        return 0;
    for (i = 0; i < A->n; i++) {
        const ct_real *d = A->val + 9 * (size_t)A->diag[i];
        ct_real *v = out->inv + 9 * (size_t)i;
        int ok = cti_m3_inverse(d, v);
        for (k = 0; k < 9; k++)
            ok = ok && cti_finite(v[k]);
        if (ok)
            continue;
        memset(v, 0, 9 * sizeof *v);
        for (k = 0; k < 9; k += 4)
            v[k] = d[k] > 0 && cti_finite(1 / d[k]) ? 1 / d[k] : 1;
    }
    out->n = A->n;
    return 1;
}

CTI_FN void cti_jacobi_free(cti_mem *mem, cti_jacobi *jacobi)
{
    CTI_FREE(mem, jacobi->inv);
    jacobi->n = 0;
}

CTI_FN void cti_jacobi_apply(void *ctx, const ct_real *r, ct_real *z)
{
    const cti_jacobi *jacobi = (const cti_jacobi *)ctx;
    int i;
    for (i = 0; i < jacobi->n; i++)
        cti_v3_put(z, i, cti_m3_mul_v(jacobi->inv + 9 * (size_t)i, cti_v3_at(r, i)));
}

/* ---- 3_solve/problem.h ---- */
/* problem.h -- the contact problem: one linearized implicit step with contacts, as every solver takes it.

   A v = b + J' r,   u = J v + w,   per contact (u_n, u_t) and r = (lambda, gamma1, gamma2) in its frame n, t1, t2:
   0 <= lambda  perpendicular to  u_n + c_n lambda >= 0,   gamma in the cone of radius mu lambda, opposing u_t.     [Otaduy 2009, eq. 6-7]

   J is never stored: a row keeps its attachments, at most eight terms, and gathers and scatters through them. A rows' constant part w
   holds g0/dt, scripted motion and the stick target. Knows no mesh and no body: blocks are numbered, clusters are lists of blocks. */


/* cti_term -- one block of an attachment: it contributes weight * v + cross(v, arm) to the velocity of the attached point. A node has arm 0;
   a rigid body's linear block has weight 1, arm 0, its angular block weight 0 and arm = the lever. */
typedef struct cti_term {
    int32_t block;
    ct_real weight;
    ct_real arm[3];
} cti_term;

enum { CTI_ROW_TERMS = 8 };

/* cti_row -- one contact: three rows (n, t1, t2) of J. Terms [0, n_a) belong to side a, [n_a, n) to side b with their signs turned, so that
   u = frame * sum(terms) + w is the velocity of a relative to b. n points from b to a. */
typedef struct cti_row {
    int32_t n_a, n;
    cti_term term[CTI_ROW_TERMS];
    ct_real frame[9];      /* rows n, t1, t2: orthonormal */
    ct_real w[3];          /* [m/s] */
    ct_real mu;            /* >= 0 */
    ct_real compliance[3]; /* [m/s per N s] >= 0: softens the hard law u_n >= 0 and the stick */
    ct_real recover;       /* > 0: speed at which a pair closer than its thickness is eased apart: lambda >= (recover - u_n) / softness */
    ct_real softness;      /* [m/s per N s] > 0 where recover > 0 */
    ct_real r[3];          /* in: start values; out: multipliers [N s] */
    uint64_t key;          /* of the feature pair: remembers multipliers over rounds and steps */
} cti_row;

/* cti_cluster -- blocks that a solver inverts together. Hooks are optional: without them a solver inverts A's own sub-matrix.
   solve       x <- D^-1 x in place, x [3 n] in the order of blocks
   compliance  C [3 p][ld] float <- (D^-1) restricted to ports (positions in `blocks`); 0 when memory ran out */
typedef struct cti_cluster {
    const int32_t *blocks;
    int n;
    void (*solve)(void *ctx, ct_real *x);
    int (*compliance)(void *ctx, const int32_t *ports, int n_ports, const float **out_c, int *out_ld);
    void *ctx;
} cti_cluster;

typedef struct cti_problem {
    const cti_bsr *A;
    const ct_real *b;           /* [3 n] */
    ct_real dt;                 /* [s] */
    ct_real velocity_scale;     /* [m/s] > 0: |g| dt where there is gravity; residuals are relative to it */
    ct_real approach_limit;     /* [m/s] > 0: half the thickness / dt; no row may end with u_n below its negative */
    cti_row *rows;
    int n_rows;
    const cti_cluster *clusters;
    int n_clusters;             /* 0: every block is its own cluster */
    int lagged;                 /* 1: clusters' inverses are of an earlier matrix; a solver that contracts slowly returns CTI_SOLVE_SLOW */
    int free_start;             /* 1: the start solves A v = b; clusters that no contact touches are left alone */
    const int32_t *filter;      /* [n] index into projectors or -1; NULL: no block is constrained */
    const ct_real *projectors;  /* [9 m]: J' r acts through them on constrained blocks (A and b are filtered already) */
} cti_problem;

/* cti_residuals -- what one piece of code says of a solution. All but dual_gap are velocities divided by velocity_scale, largest entry. */
typedef struct cti_residuals {
    ct_real dynamics;      /* |D^-1 (A v - b - J' r)|, D the 3x3 diagonal */
    ct_real primal;        /* violation of u_n >= 0 */
    ct_real dual;          /* -lambda, or friction outside of the cone, times the local compliance */
    ct_real natural;       /* natural map |r - P(r - u/d)| d in the problem's cone */
    ct_real natural_cone;  /* the same in Coulomb's cone, d the mean diagonal of the local compliance */
    ct_real natural_map;   /* max(dynamics, natural): the number that decides */
    double dual_gap;       /* sum lambda u_n [J] */
} cti_residuals;

/* cti_solve_info -- how a solver ended; the judgement is cti_residual_eval's. */
typedef enum cti_solve_status { CTI_SOLVE_OK, CTI_SOLVE_SLOW, CTI_SOLVE_BUDGET, CTI_SOLVE_DIVERGED, CTI_SOLVE_MEMORY } cti_solve_status;
typedef struct cti_solve_info {
    cti_solve_status status;
    int iterations; /* outer */
    int sweeps;     /* over the contacts */
    ct_real change; /* largest change of v in the last outer iteration, relative to velocity_scale */
} cti_solve_info;

/* cti_row_velocity -- u [3] of a row at v. */
CTI_FN void cti_row_velocity(const cti_row *row, const ct_real *v, ct_real *u);
/* cti_row_scatter -- f += J' r of one row, through the projectors. */
CTI_FN void cti_row_scatter(const cti_problem *p, const cti_row *row, const ct_real *r, ct_real *f);
/* cti_row_map -- G [9] of term k: frame * (weight I - [arm]x), block velocity to contact frame. */
CTI_FN void cti_row_map(const cti_row *row, int k, ct_real *G);
/* cti_row_map_t -- the same transposed and projected: contact impulse to block impulse, S G'. [9] */
CTI_FN void cti_row_map_t(const cti_problem *p, const cti_row *row, int k, ct_real *Gt);
/* cti_problem_rhs -- f = b + J' r. */
CTI_FN void cti_problem_rhs(const cti_problem *p, ct_real *f);

/* cti_cone_project -- (g1, g2) to the nearest point of the cone's section of radius `bound` >= 0. */
CTI_FN void cti_cone_project(ct_cone cone, ct_real bound, ct_real *g1, ct_real *g2);

/* cti_residual_eval -- needs work [6 n]. */
CTI_FN void cti_residual_eval(const cti_problem *p, ct_cone cone, const ct_real *v, ct_real *work, cti_residuals *out);


/* ---- 3_solve/problem.c ---- */
/* problem.c -- rows of the contact problem: gather, scatter, cones. Based on: Otaduy 2009, sec. 3.2-3.4; lecture notes 4.1.1.1 (rigid and
   deformable Jacobians). */

CTI_FN void cti_row_velocity(const cti_row *row, const ct_real *v, ct_real *u)
{
    cti_v3 s = cti_v3_zero();
    int k;
    /* sum of weight v + v x arm over both attachments */
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        cti_v3 vb = cti_v3_at(v, t->block);
        s = cti_v3_mad(s, vb, t->weight);
        s = cti_v3_add(s, cti_v3_cross(vb, cti_v3_at(t->arm, 0)));
    }
    s = cti_m3_mul_v(row->frame, s);
    u[0] = s.x + row->w[0], u[1] = s.y + row->w[1], u[2] = s.z + row->w[2];
}

CTI_FN void cti_row_scatter(const cti_problem *p, const cti_row *row, const ct_real *r, ct_real *f)
{
    cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_make(r[0], r[1], r[2]));
    int k;
    /* weight F + arm x F on every block, projected where the block is constrained */
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        cti_v3 q = cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), F), F, t->weight);
        if (p->filter && p->filter[t->block] >= 0)
            q = cti_m3_mul_v(p->projectors + 9 * (size_t)p->filter[t->block], q);
        cti_v3_addto(f, t->block, q);
    }
}

CTI_FN void cti_row_map(const cti_row *row, int k, ct_real *G)
{
    const cti_term *t = &row->term[k];
    ct_real c[9];
    cti_m3 g;
    /* cross(v, arm) = -[arm]x v */
    c[0] = t->weight, c[1] = t->arm[2], c[2] = -t->arm[1];
    c[3] = -t->arm[2], c[4] = t->weight, c[5] = t->arm[0];
    c[6] = t->arm[1], c[7] = -t->arm[0], c[8] = t->weight;
    g = cti_m3_mul(row->frame, c);
    memcpy(G, g.m, sizeof g.m);
}

CTI_FN void cti_row_map_t(const cti_problem *p, const cti_row *row, int k, ct_real *Gt)
{
    ct_real G[9], T[9];
    int i, j, b = row->term[k].block;
    cti_row_map(row, k, G);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            T[3 * i + j] = G[3 * j + i];
    if (p->filter && p->filter[b] >= 0) {
        cti_m3 s = cti_m3_mul(p->projectors + 9 * (size_t)p->filter[b], T);
        memcpy(Gt, s.m, sizeof s.m);
    } else
        memcpy(Gt, T, sizeof T);
}

CTI_FN void cti_problem_rhs(const cti_problem *p, ct_real *f)
{
    int i;
    memcpy(f, p->b, sizeof(ct_real) * 3 * (size_t)p->A->n);
    for (i = 0; i < p->n_rows; i++)
        cti_row_scatter(p, &p->rows[i], p->rows[i].r, f);
}

/* nearest point of |g1| + |g2| <= bound */
static void cti_problem_project_l1(ct_real bound, ct_real *g1, ct_real *g2)
{
    ct_real a = cti_abs(*g1), b = cti_abs(*g2), s = (a + b - bound) / 2;
    if (s <= 0)
        return;
    a -= s, b -= s;
    if (a < 0)
        a = 0, b = bound;
    else if (b < 0)
        b = 0, a = bound;
    *g1 = *g1 < 0 ? -a : a;
    *g2 = *g2 < 0 ? -b : b;
}

CTI_FN void cti_cone_project(ct_cone cone, ct_real bound, ct_real *g1, ct_real *g2)
{
    if (cone == CT_CONE_BOX) {
        *g1 = cti_clamp(*g1, -bound, bound);
        *g2 = cti_clamp(*g2, -bound, bound);
    } else if (cone == CT_CONE_PYRAMID) {
        cti_problem_project_l1(bound, g1, g2);
    } else {
        ct_real n2 = *g1 * *g1 + *g2 * *g2;
        if (n2 > bound * bound) {
            ct_real s = bound / cti_sqrt(n2);
            *g1 *= s, *g2 *= s;
        }
    }
}

/* ---- 3_solve/residual.c ---- */
/* residual.c -- the one judge of a solution: dynamics, feasibility, complementarity, natural map. No solver judges itself.
   Method: the natural map of a variational inequality, r - P_K(r - u/d), vanishes exactly at a solution; times the local compliance d it is
   a velocity. Based on: Otaduy 2009, eq. 6-7. */

/* local compliance of a row through the 3x3 diagonal of A: d_i = (J D^-1 J')_ii */
static void cti_residual_local(const cti_problem *p, const cti_row *row, const ct_real *dinv, ct_real *d)
{
    int k, i, j, l;
    d[0] = d[1] = d[2] = 0;
    for (k = 0; k < row->n; k++) {
        ct_real G[9], Gt[9];
        const ct_real *Di = dinv + 9 * (size_t)row->term[k].block;
        cti_row_map(row, k, G);
        cti_row_map_t(p, row, k, Gt);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                for (l = 0; l < 3; l++)
                    d[i] += G[3 * i + j] * Di[3 * j + l] * Gt[3 * l + i];
    }
}

/* one contact's share */
static void cti_residual_row(const cti_problem *p, ct_cone cone, const cti_row *row, const ct_real *v, const ct_real *dinv, cti_residuals *out)
{
    ct_real u[3], d[3], g1, g2, ln, s = 1 / p->velocity_scale, bound, dt_mean, law;
    cti_row_velocity(row, v, u);
    cti_residual_local(p, row, dinv, d);
    if (!(d[0] > 0))
        return;
    /* the law of the normal: hard with compliance, or recovery through its softness, whichever asks for more */
    law = u[0] + row->compliance[0] * row->r[0];
    if (row->recover > 0)
        law = cti_min(law, u[0] + row->softness * row->r[0] - row->recover);
    ln = cti_max(0, row->r[0] - law / d[0]);
    out->natural = cti_max(out->natural, cti_abs(row->r[0] - ln) * d[0] * s);
    out->primal = cti_max(out->primal, -(u[0] + row->compliance[0] * row->r[0]) * s);
    out->dual = cti_max(out->dual, -row->r[0] * d[0] * s);
    out->dual_gap += (double)(row->r[0] * law);
    if (row->mu > 0) {
        bound = row->mu * cti_max(0, row->r[0]);
        dt_mean = (d[1] + d[2]) / 2;
        g1 = row->r[1] - (u[1] + row->compliance[1] * row->r[1]) / dt_mean;
        g2 = row->r[2] - (u[2] + row->compliance[2] * row->r[2]) / dt_mean;
        cti_cone_project(cone, bound, &g1, &g2);
        law = cti_max(cti_abs(row->r[1] - g1), cti_abs(row->r[2] - g2)) * dt_mean * s;
        out->natural = cti_max(out->natural, law);
        g1 = row->r[1] - u[1] / dt_mean, g2 = row->r[2] - u[2] / dt_mean;
        cti_cone_project(CT_CONE_CONE, bound, &g1, &g2);
        out->natural_cone = cti_max(out->natural_cone, cti_max(cti_abs(row->r[1] - g1), cti_abs(row->r[2] - g2)) * dt_mean * s);
        g1 = row->r[1], g2 = row->r[2];
        cti_cone_project(cone, bound, &g1, &g2);
        out->dual = cti_max(out->dual, cti_max(cti_abs(row->r[1] - g1), cti_abs(row->r[2] - g2)) * dt_mean * s);
    }
}

CTI_FN void cti_residual_eval(const cti_problem *p, ct_cone cone, const ct_real *v, ct_real *work, cti_residuals *out)
{
    int n = p->A->n, i;
    ct_real *f = work, *av = work + 3 * (size_t)n, s = 1 / p->velocity_scale;
    memset(out, 0, sizeof *out);
    cti_problem_rhs(p, f);
    cti_bsr_residual(p->A, f, v, av);
    /* dynamics: D^-1 (b + J' r - A v) */
    for (i = 0; i < n; i++) {
        ct_real inv[9];
        cti_v3 e = cti_v3_zero();
        if (cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[i], inv))
            e = cti_m3_mul_v(inv, cti_v3_at(av, i));
        out->dynamics = cti_max(out->dynamics, cti_max(cti_abs(e.x), cti_max(cti_abs(e.y), cti_abs(e.z))) * s);
    }
    /* contacts: the local compliance is recomputed here, so that it owes nothing to a solver */
    for (i = 0; i < p->n_rows; i++) {
        ct_real dinv[9 * CTI_ROW_TERMS];
        cti_row row = p->rows[i];
        ct_real vl[3 * CTI_ROW_TERMS];
        cti_problem q = *p;
        int k;
        int32_t filter[CTI_ROW_TERMS];
        for (k = 0; k < row.n; k++) {
            int b = row.term[k].block;
            if (!cti_m3_inverse(p->A->val + 9 * (size_t)p->A->diag[b], dinv + 9 * k))
                memset(dinv + 9 * k, 0, 9 * sizeof(ct_real));
            cti_v3_put(vl, k, cti_v3_at(v, b));
            filter[k] = p->filter ? p->filter[b] : -1;
            row.term[k].block = k;
        }
        q.filter = filter;
        cti_residual_row(&q, cone, &row, vl, dinv, out);
    }
    out->natural_map = cti_max(out->dynamics, out->natural);
}

/* ---- 3_solve/local.h ---- */
/* local.h -- the law of one contact, solved against a known neighbourhood. */


typedef struct cti_local {
    ct_real B[9];            /* J D^-1 J' of this contact */
    ct_real inv_n, inv_soft; /* 1 / (B_nn + compliance), 1 / (B_nn + softness) */
    ct_real inv_t[4];        /* inverse of the tangential 2x2 block; BOX: its two reciprocals in [0] and [3] */
    ct_real inv_top;         /* 1 / its largest eigenvalue */
    ct_real inv_B[9];        /* of B with compliance: all three velocities vanish at once */
    ct_real recover_load;    /* least multiplier at which the hard law rules */
    int whole;               /* inv_B may be used */
    ct_real mu, compliance[3], recover, softness;
} cti_local;

/* cti_local_prepare -- the rest from B and the row. A singular block keeps its multipliers. */
CTI_FN void cti_local_prepare(cti_local *q, const cti_row *row, ct_cone cone);
/* cti_local_solve -- r and u [3] of the contact, `repeats` times normal and friction in turn; u is kept consistent with r. */
CTI_FN void cti_local_solve(const cti_local *q, ct_cone cone, int repeats, ct_real *r, ct_real *u);


/* ---- 3_solve/local.c ---- */
/* local.c -- one contact against a known neighbourhood: its normal multiplier and its friction pair in turn.
   Method: with u = u0 + B (r - r0), B = J D^-1 J' of this contact, lambda makes u_n vanish or is 0, then the friction pair makes u_t vanish or
   lies on the cone. Based on: Otaduy 2009, eq. 13-14 and 5.5, steps 3.2.1.1 - 3.2.1.6. differs: besides the paper's box, a true pyramid and
   Coulomb's cone. */

/* reciprocals that a visit needs; 0 where a block is singular, so that its multipliers stay */
CTI_FN void cti_local_prepare(cti_local *q, const cti_row *row, ct_cone cone)
{
    const ct_real *B = q->B;
    ct_real b11 = B[4] + row->compliance[1], b22 = B[8] + row->compliance[2], det = b11 * b22 - B[5] * B[7], top;
    q->mu = row->mu, q->recover = row->recover, q->softness = row->softness;
    memcpy(q->compliance, row->compliance, sizeof q->compliance);
    q->inv_n = B[0] > 0 ? 1 / (B[0] + q->compliance[0]) : 0;
    q->inv_soft = B[0] > 0 ? 1 / (B[0] + q->softness) : 0;
    top = (b11 + b22) / 2 + cti_sqrt((b11 - b22) * (b11 - b22) / 4 + B[5] * B[7]);
    q->inv_top = top > 0 ? 1 / top : 0;
    {
        ct_real C[9];
        memcpy(C, B, sizeof C);
        C[0] += q->compliance[0], C[4] += q->compliance[1], C[8] += q->compliance[2];
        q->recover_load = q->recover > 0 ? q->recover / q->softness : 0;
        q->whole = q->mu > 0 && B[0] > 0 && cti_m3_det(C) > CTI_R(1e-6) * C[0] * C[4] * C[8] && cti_m3_inverse(C, q->inv_B);
    }
    memset(q->inv_t, 0, sizeof q->inv_t);
    if (cone == CT_CONE_BOX) {
        q->inv_t[0] = b11 > 0 ? 1 / b11 : 0;
        q->inv_t[3] = b22 > 0 ? 1 / b22 : 0;
    } else if (det > 0) {
        q->inv_t[0] = b22 / det, q->inv_t[3] = b11 / det;
        q->inv_t[1] = -B[5] / det, q->inv_t[2] = -B[7] / det;
    }
}

/* the whole block: stick at a positive normal multiplier inside of the cone, in one step; 0 when it is not so */
static int cti_local_stick(const cti_local *q, ct_cone cone, ct_real *r, ct_real *u)
{
    const ct_real *I = q->inv_B;
    ct_real e0 = u[0] + q->compliance[0] * r[0], e1 = u[1] + q->compliance[1] * r[1], e2 = u[2] + q->compliance[2] * r[2];
    ct_real a = r[0] - (I[0] * e0 + I[1] * e1 + I[2] * e2), b = r[1] - (I[3] * e0 + I[4] * e1 + I[5] * e2), bound = q->mu * a;
    ct_real c = r[2] - (I[6] * e0 + I[7] * e1 + I[8] * e2);
    /* at u_n = 0 the recovery asks for recover / softness */
    if (!(a > q->recover_load))
        return 0;
    if (cone == CT_CONE_CONE ? b * b + c * c > bound * bound
                             : (cone == CT_CONE_BOX ? cti_max(cti_abs(b), cti_abs(c)) > bound : cti_abs(b) + cti_abs(c) > bound))
        return 0;
    u[0] = -q->compliance[0] * a, u[1] = -q->compliance[1] * b, u[2] = -q->compliance[2] * c;
    r[0] = a, r[1] = b, r[2] = c;
    return 1;
}

/* two independent projections, one after the other (5.5) */
static void cti_local_friction_box(const cti_local *q, ct_real bound, ct_real *r, ct_real *u)
{
    int k;
    for (k = 1; k < 3; k++) {
        ct_real d = cti_clamp(r[k] - (u[k] + q->compliance[k] * r[k]) * q->inv_t[k == 1 ? 0 : 3], -bound, bound) - r[k];
        r[k] += d;
        u[0] += q->B[k] * d, u[1] += q->B[3 + k] * d, u[2] += q->B[6 + k] * d;
    }
}

/* the friction pair at known normal multiplier: both tangential velocities vanish at once if the cone allows it (stick); otherwise a step
   with the largest local compliance, projected, whose repetition converges to maximal dissipation (slip). u is kept up to date */
static void cti_local_friction(ct_cone cone, const cti_local *q, ct_real *r, ct_real *u)
{
    const ct_real *B = q->B;
    ct_real bound = q->mu * r[0], u1 = u[1] + q->compliance[1] * r[1], u2 = u[2] + q->compliance[2] * r[2], d1, d2;
    int k;
    d1 = r[1] - (q->inv_t[0] * u1 + q->inv_t[1] * u2), d2 = r[2] - (q->inv_t[2] * u1 + q->inv_t[3] * u2);
    if (cone == CT_CONE_CONE ? d1 * d1 + d2 * d2 > bound * bound : cti_abs(d1) + cti_abs(d2) > bound) {
        d1 = r[1] - u1 * q->inv_top, d2 = r[2] - u2 * q->inv_top;
        cti_cone_project(cone, bound, &d1, &d2);
    }
    d1 -= r[1], d2 -= r[2];
    r[1] += d1, r[2] += d2;
    for (k = 0; k < 3; k++)
        u[k] += B[3 * k + 1] * d1 + B[3 * k + 2] * d2;
}

/* lambda and gamma of one contact, `repeats` times in turn (3.2.1.1 - 3.2.1.6); u is the contact's velocity, r its multipliers */
CTI_FN void cti_local_solve(const cti_local *q, ct_cone cone, int repeats, ct_real *r, ct_real *u)
{
    const ct_real *B = q->B;
    int k;
    if (r[0] == 0 && r[1] == 0 && r[2] == 0 && u[0] >= 0 && !(q->recover > u[0]))
        return;
    if (q->whole && cti_local_stick(q, cone, r, u))
        return;
    for (k = 0; k < repeats; k++) {
        ct_real l = r[0] - (u[0] + q->compliance[0] * r[0]) * q->inv_n, d;
        if (q->recover > 0)
            l = cti_max(l, r[0] - (u[0] + q->softness * r[0] - q->recover) * q->inv_soft);
        d = cti_max(0, l) - r[0];
        r[0] += d;
        u[0] += B[0] * d, u[1] += B[3] * d, u[2] += B[6] * d;
        if (!(q->mu > 0) || (r[0] == 0 && r[1] == 0 && r[2] == 0))
            return;
        if (cone == CT_CONE_BOX)
            cti_local_friction_box(q, q->mu * r[0], r, u);
        else
            cti_local_friction(cone, q, r, u);
    }
}

/* ---- 3_solve/anderson.h ---- */
/* anderson.h -- Anderson acceleration of a fixed-point map x -> g(x), with a slave vector that depends on x linearly. */


enum { CTI_ANDERSON_DEPTH = 5 };

typedef struct cti_anderson {
    int n, n_slave, count, head;
    float *weight;                         /* [n] residuals are measured with it */
    float *f;                              /* [n] weighted residual of the last step */
    ct_real *g;                            /* [n] its image */
    float *df[CTI_ANDERSON_DEPTH], *dg[CTI_ANDERSON_DEPTH];
    float *slave, *ds[CTI_ANDERSON_DEPTH]; /* [n_slave] */
    double gram[CTI_ANDERSON_DEPTH][CTI_ANDERSON_DEPTH];
    int started;
} cti_anderson;

/* cti_anderson_init -- weight [n] is copied. 0 when memory ran out. */
CTI_FN int cti_anderson_init(cti_anderson *a, cti_arena *arena, int n, const ct_real *weight, int n_slave);
CTI_FN void cti_anderson_restart(cti_anderson *a);
/* cti_anderson_resume -- the map's constant part changed: the differences stay, the last point is forgotten. */
CTI_FN void cti_anderson_resume(cti_anderson *a);
/* cti_anderson_step -- x [n] the point, g [n] its image; g and slave (of g, may be NULL) become the next point. */
CTI_FN void cti_anderson_step(cti_anderson *a, const ct_real *x, ct_real *g, float *slave);


/* ---- 3_solve/anderson.c ---- */
/* anderson.c -- Anderson acceleration.
   Method: with residuals f_i = W (g(x_i) - x_i) and differences dF, dG of the last steps, the next point is g_k - dG c, c minimizing
   |f_k - dF c|: in the linear regime this is GMRES on the sweeps. The least squares problem is solved by normal equations with a little
   regularization. Differences and the history are float, sums double: what they extrapolate is checked by the next sweep.
   Based on: Anderson 1965; Walker & Ni 2011. */

CTI_FN int cti_anderson_init(cti_anderson *a, cti_arena *arena, int n, const ct_real *weight, int n_slave)
{
    int k, ok;
    memset(a, 0, sizeof *a);
    a->n = n, a->n_slave = n_slave;
    a->weight = CTI_ARENA_NEW(arena, float, n);
    a->f = CTI_ARENA_NEW(arena, float, n);
    a->g = CTI_ARENA_NEW(arena, ct_real, n);
    a->slave = CTI_ARENA_NEW(arena, float, n_slave);
    ok = a->weight && a->f && a->g && a->slave;
    for (k = 0; ok && k < n; k++)
        a->weight[k] = (float)weight[k];
    for (k = 0; k < CTI_ANDERSON_DEPTH; k++) {
        a->df[k] = CTI_ARENA_NEW(arena, float, n);
        a->dg[k] = CTI_ARENA_NEW(arena, float, n);
        a->ds[k] = CTI_ARENA_NEW(arena, float, n_slave);
        ok = ok && a->df[k] && a->dg[k] && a->ds[k];
    }
    return ok;
}

CTI_FN void cti_anderson_restart(cti_anderson *a) { a->count = a->head = a->started = 0; }

CTI_FN void cti_anderson_resume(cti_anderson *a) { a->started = 0; }

/* x' df_k and z' df_k for all columns of the history */
static void cti_anderson_dots(const cti_anderson *a, const float *x, const float *z, double *out, double *out2)
{
    int i, k;
    for (k = 0; k < a->count; k++) {
        const float *y = a->df[k];
        cti_d8 s = cti_d8_set(0), t = s;
        double sum = 0, sum2 = 0;
        for (i = 0; i + 8 <= a->n; i += 8) {
            cti_d8 w = cti_d8_widen(cti_f8_load(y + i));
            s = cti_d8_add(s, cti_d8_mul(cti_d8_widen(cti_f8_load(x + i)), w));
            t = cti_d8_add(t, cti_d8_mul(cti_d8_widen(cti_f8_load(z + i)), w));
        }
        for (; i < a->n; i++) {
            sum += (double)x[i] * (double)y[i];
            sum2 += (double)z[i] * (double)y[i];
        }
        out[k] = sum + cti_d8_sum(s);
        out2[k] = sum2 + cti_d8_sum(t);
    }
}

/* c = (dF'dF + eps)^-1 dF' f by Cholesky, dot = dF' f; 0 when the matrix is not positive */
static int cti_anderson_fit(const cti_anderson *a, const double *dot, double *c)
{
    double L[CTI_ANDERSON_DEPTH][CTI_ANDERSON_DEPTH], trace = 0;
    int m = a->count, i, j, k;
    for (i = 0; i < m; i++)
        trace += a->gram[i][i];
    if (!(trace > 0))
        return 0;
    for (i = 0; i < m; i++)
        for (j = 0; j <= i; j++) {
            double s = a->gram[i][j] + (i == j ? 1e-12 * trace : 0);
            for (k = 0; k < j; k++)
                s -= L[i][k] * L[j][k];
            if (i == j) {
                if (!(s > 0))
                    return 0;
                L[i][i] = sqrt(s);
            } else
                L[i][j] = s / L[j][j];
        }
    for (i = 0; i < m; i++) {
        double s = dot[i];
        for (k = 0; k < i; k++)
            s -= L[i][k] * c[k];
        c[i] = s / L[i][i];
    }
    for (i = m - 1; i >= 0; i--) {
        for (k = i + 1; k < m; k++)
            c[i] -= L[k][i] * c[k];
        c[i] /= L[i][i];
    }
    return 1;
}

/* f, g of this point; their differences to the last one into column h of the history, where h >= 0 */
static void cti_anderson_point(cti_anderson *a, const ct_real *x, const ct_real *g, int h)
{
    float *df = h < 0 ? NULL : a->df[h], *dg = h < 0 ? NULL : a->dg[h];
    int i;
    for (i = 0; i + 8 <= a->n; i += 8) {
        cti_r8 gi = CTI_R8(load)(g + i);
        cti_f8 f = cti_f8_mul(cti_r8_narrow(CTI_R8(sub)(gi, CTI_R8(load)(x + i))), cti_f8_load(a->weight + i));
        if (df) {
            cti_f8_store(df + i, cti_f8_sub(f, cti_f8_load(a->f + i)));
            cti_f8_store(dg + i, cti_r8_narrow(CTI_R8(sub)(gi, CTI_R8(load)(a->g + i))));
        }
        cti_f8_store(a->f + i, f);
        CTI_R8(store)(a->g + i, gi);
    }
    for (; i < a->n; i++) {
        float f = (float)(g[i] - x[i]) * a->weight[i];
        if (df)
            df[i] = f - a->f[i], dg[i] = (float)(g[i] - a->g[i]);
        a->f[i] = f, a->g[i] = g[i];
    }
}

/* the newest point, and its differences if it is not the first; dot = dF' f */
static void cti_anderson_record(cti_anderson *a, const ct_real *x, const ct_real *g, const float *slave, double *dot)
{
    int i, k, h = a->started ? a->head : -1;
    double row[CTI_ANDERSON_DEPTH];
    cti_anderson_point(a, x, g, h);
    for (i = 0; slave && h >= 0 && i < a->n_slave; i++)
        a->ds[h][i] = slave[i] - a->slave[i];
    if (slave)
        memcpy(a->slave, slave, sizeof(float) * (size_t)a->n_slave);
    a->started = 1;
    if (h >= 0) {
        a->head = (h + 1) % CTI_ANDERSON_DEPTH;
        a->count = cti_min_int(a->count + 1, CTI_ANDERSON_DEPTH);
    }
    cti_anderson_dots(a, a->f, h >= 0 ? a->df[h] : a->f, dot, row);
    for (k = 0; h >= 0 && k < a->count; k++)
        a->gram[h][k] = a->gram[k][h] = row[k];
}

/* y -= sum c_k d_k, floats */
static void cti_anderson_mix_slave(const cti_anderson *a, const double *c, float *y)
{
    int i, k;
    for (k = 0; k < a->count; k++) {
        cti_f8 ck = cti_f8_set((float)c[k]);
        const float *d = a->ds[k];
        for (i = 0; i + 8 <= a->n_slave; i += 8)
            cti_f8_store(y + i, cti_f8_sub(cti_f8_load(y + i), cti_f8_mul(ck, cti_f8_load(d + i))));
        for (; i < a->n_slave; i++)
            y[i] -= (float)c[k] * d[i];
    }
}

CTI_FN void cti_anderson_step(cti_anderson *a, const ct_real *x, ct_real *g, float *slave)
{
    double c[CTI_ANDERSON_DEPTH], dot[CTI_ANDERSON_DEPTH];
    int i, k;
    cti_anderson_record(a, x, g, slave, dot);
    if (a->count == 0 || !cti_anderson_fit(a, dot, c)) {
        a->count = a->head = 0;
        return;
    }
    for (i = 0; i + 8 <= a->n; i += 8) {
        cti_r8 y = CTI_R8(load)(g + i);
        for (k = 0; k < a->count; k++)
            y = CTI_R8(sub)(y, CTI_R8(mul)(CTI_R8(set)((ct_real)c[k]), cti_r8_widen(cti_f8_load(a->dg[k] + i))));
        CTI_R8(store)(g + i, y);
    }
    for (; i < a->n; i++)
        for (k = 0; k < a->count; k++)
            g[i] -= (ct_real)c[k] * (ct_real)a->dg[k][i];
    if (slave)
        cti_anderson_mix_slave(a, c, slave);
}

/* ---- 3_solve/nodes.h ---- */
/* nodes.h -- Gauss-Seidel sweeps over single blocks: the splitting D of 3x3 diagonal blocks. */


/* cti_nodes -- sweeps run in float on the difference to a base point v0, whose A v0 is held in ct_real and renewed now and then: a sweep reads
   half the bytes, and what it converges to is exact. */
typedef struct cti_nodes {
    const cti_bsr *A;
    int32_t *blocks;   /* [n] in the order of a sweep */
    int n;
    int32_t *near;     /* [n_near] blocks that A couples with them, themselves included */
    int n_near, age;   /* sweeps since v0 was taken */
    size_t *start;     /* [n] of a block's row in val */
    float *val;        /* rows of A one behind the other, see cti_bsr_float_row */
    float *delta;      /* [4 n of A] v - v0 */
    float *inverse;    /* [12 n] D^-1: three rows of four */
    ct_real *v0, *Av0; /* [3 n of A] */
} cti_nodes;

/* cti_nodes_init -- blocks [n] are kept by reference; all memory from the arena. 0 when it ran out. A singular D^-1 is zero: its block stays. */
CTI_FN int cti_nodes_init(cti_nodes *q, cti_arena *arena, const cti_bsr *A, int32_t *blocks, int n);
/* cti_nodes_restart -- v was put somewhere else: the next sweep takes a new base point. */
CTI_FN void cti_nodes_restart(cti_nodes *q);
/* cti_nodes_sweep -- one sweep v_i += D_i^-1 (f - A v)_i over the blocks (Otaduy 2009, eq. 12). Returns the largest change of an entry,
   not finite where any is not. */
CTI_FN ct_real cti_nodes_sweep(cti_nodes *q, const ct_real *f, ct_real *v);


/* ---- 3_solve/nodes.c ---- */
/* nodes.c -- Gauss-Seidel over single blocks.
   Method: v = v0 + delta; with A v0 at hand, (f - A v)_i = (f - A v0)_i - (A delta)_i, and delta is small and getting smaller, so that float is
   enough for it: iterative refinement whose inner solver is the sweep. Based on: Otaduy 2009, eq. 12. */

#define CTI_NODES_REBASE 16 /* sweeps from one base point */

/* blocks that a row of A in the list meets, each once */
static int cti_nodes_find_near(cti_nodes *q, cti_arena *arena)
{
    uint8_t *seen = CTI_ARENA_ZERO(arena, uint8_t, q->A->n);
    int i, k;
    q->near = CTI_ARENA_NEW(arena, int32_t, q->A->n);
    if (!seen || !q->near)
        return 0;
    for (i = 0; i < q->n; i++)
        for (k = q->A->row[q->blocks[i]]; k < q->A->row[q->blocks[i] + 1]; k++) {
            int b = q->A->col[k];
            if (!seen[b])
                q->near[q->n_near++] = b;
            seen[b] = 1;
        }
    return 1;
}

/* rows of A in float; a row is read one number farther than it goes, the last one too */
static int cti_nodes_fill_rows(cti_nodes *q, cti_arena *arena)
{
    size_t at = 0;
    int i;
    q->start = CTI_ARENA_NEW(arena, size_t, q->n);
    if (!q->start)
        return 0;
    for (i = 0; i < q->n; i++) {
        q->start[i] = at;
        at += 9 * (size_t)(q->A->row[q->blocks[i] + 1] - q->A->row[q->blocks[i]]);
    }
    q->val = CTI_ARENA_NEW(arena, float, at + 1);
    if (!q->val)
        return 0;
    for (i = 0; i < q->n; i++)
        cti_bsr_float_row(q->A, q->blocks[i], q->val + q->start[i]);
    q->val[at] = 0;
    return 1;
}

CTI_FN int cti_nodes_init(cti_nodes *q, cti_arena *arena, const cti_bsr *A, int32_t *blocks, int n)
{
    int i, k;
    memset(q, 0, sizeof *q);
    q->A = A, q->blocks = blocks, q->n = n;
    q->inverse = CTI_ARENA_ZERO(arena, float, 12 * (size_t)n);
    q->delta = CTI_ARENA_ZERO(arena, float, 4 * (size_t)A->n);
    q->v0 = CTI_ARENA_NEW(arena, ct_real, 3 * (size_t)A->n);
    q->Av0 = CTI_ARENA_NEW(arena, ct_real, 3 * (size_t)A->n);
    if (!q->inverse || !q->delta || !q->v0 || !q->Av0 || !cti_nodes_fill_rows(q, arena) || !cti_nodes_find_near(q, arena))
        return 0;
    for (i = 0; i < n; i++) {
        ct_real inv[9];
        if (!cti_m3_inverse(A->val + 9 * (size_t)A->diag[blocks[i]], inv))
            continue;
        for (k = 0; k < 9; k++)
            q->inverse[12 * (size_t)i + (size_t)((k / 3) * 4 + k % 3)] = (float)inv[k];
    }
    return 1;
}

CTI_FN void cti_nodes_restart(cti_nodes *q) { q->age = 0; }

static void cti_nodes_rebase(cti_nodes *q, const ct_real *v)
{
    int i;
    for (i = 0; i < q->n_near; i++)
        cti_v3_put(q->v0, q->near[i], cti_v3_at(v, q->near[i]));
    for (i = 0; i < q->n; i++)
        cti_v3_put(q->Av0, q->blocks[i], cti_bsr_row(q->A, v, q->blocks[i]));
}

/* one block; returns its change in lanes 0 to 2 */
static cti_f8 cti_nodes_visit(cti_nodes *q, int i, const ct_real *f, ct_real *v)
{
    const float *D = q->inverse + 12 * (size_t)i;
    size_t b = (size_t)q->blocks[i];
    const ct_real *fb = f + 3 * b, *Av = q->Av0 + 3 * b;
    ct_real *vb = v + 3 * b;
    float t[4], *delta = q->delta + 4 * b;
    cti_f8 r, d;
    t[0] = (float)(fb[0] - Av[0]), t[1] = (float)(fb[1] - Av[1]), t[2] = (float)(fb[2] - Av[2]), t[3] = 0;
    r = cti_f8_sub(cti_f8_load44(t, t), cti_bsr_float_dot(q->A, q->val + q->start[i], q->delta, (int)b));
    /* D is symmetric: its rows are its columns */
    d = cti_f8_add(cti_f8_mul(cti_f8_load44(D, D), cti_f8_spread0(r)), cti_f8_mul(cti_f8_load44(D + 4, D + 4), cti_f8_spread1(r)));
    d = cti_f8_add(d, cti_f8_mul(cti_f8_load44(D + 8, D + 8), cti_f8_spread2(r)));
    cti_f8_store4(delta, cti_f8_add(cti_f8_load44(delta, delta), d));
    cti_f8_store4(t, d);
    vb[0] += (ct_real)t[0], vb[1] += (ct_real)t[1], vb[2] += (ct_real)t[2];
    return d;
}

CTI_FN ct_real cti_nodes_sweep(cti_nodes *q, const ct_real *f, ct_real *v)
{
    cti_f8 big = cti_f8_set(0), wrong = big;
    float t[4], w[4];
    int i, k;
    if (q->age++ % CTI_NODES_REBASE == 0)
        cti_nodes_rebase(q, v);
    for (i = 0; i < q->n_near; i++) {
        size_t b = (size_t)q->near[i];
        for (k = 0; k < 3; k++)
            q->delta[4 * b + (size_t)k] = (float)(v[3 * b + (size_t)k] - q->v0[3 * b + (size_t)k]);
    }
    for (i = 0; i < q->n; i++) {
        cti_f8 d = cti_nodes_visit(q, i, f, v);
        big = cti_f8_max(big, cti_f8_abs(d));
        wrong = cti_f8_add(wrong, cti_f8_sub(d, d)); /* a maximum loses what is not a number, a sum does not */
    }
    cti_f8_store4(t, big), cti_f8_store4(w, wrong);
    return (ct_real)(cti_max(t[0], cti_max(t[1], t[2])) + (w[0] + w[1] + w[2]));
}

/* ---- 3_solve/ica.h ---- */
/* ica.h -- iterative constraint anticipation: nested relaxation for the frictional contact problem. [Otaduy 2009, sec. 5.2-5.5] */


/* cti_ica_solve -- v [3 n] in: start; out: solution. Multipliers start from and end in rows[].r. All scratch comes from the arena.
   Never fails but for memory: on budget or divergence the last iterate stands and info says so. */
CTI_FN void cti_ica_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, ct_real *v, cti_solve_info *info);


/* ---- 3_solve/ica.c ---- */
/* ica.c -- iterative constraint anticipation.
   Purpose: A v = b + J' lambda + H' gamma with non-penetration and Coulomb friction, without the Schur complement J A^-1 J'.
   Method: a splitting A = D - L - U, D block diagonal over clusters (nodes as in the paper, patches, whole bodies). The outer iteration refines
   v by one block Gauss-Seidel sweep (eq. 12); in between, projected Gauss-Seidel over the contacts solves the LCP that anticipates through
   D^-1 alone (eq. 10-11), normal and friction interlaced at each contact (eq. 13-14, 5.5). Tiles, the rows of D^-1 that contacts touch, are
   float; multipliers and residuals (those of nodes at a base point, nodes.c) are ct_real, so that the outer iteration refines the result to
   full precision.
   differs: the velocity change that a multiplier causes is added to v at once, so that a sweep over clusters starts from it instead of from
   v(i-1); within one cluster the two agree exactly, and with cluster = body one outer iteration is full anticipation.
   Based on: Otaduy, Tamstorf, Steinemann, Gross 2009. */

#define CTI_ICA_FEW 250 /* contacts below which a solve may take more sweeps than its budget says */
#define CTI_ICA_MORE 20 /* so many times as many */
#define CTI_ICA_COUPLED 2 /* sweeps over the contacts between two sweeps over coupled clusters */
#define CTI_ICA_STALL 6 /* sweeps without a halved change after which a change below the tolerance is enough */

typedef struct cti_ica_term {
    float G[10]; /* block velocity to contact frame, column by column, and a zero */
    int32_t at;  /* offset of the block's velocity change in du */
} cti_ica_term;

typedef struct cti_ica_leg { /* a contact's part in one cluster */
    int32_t cluster, ld;
    size_t w;  /* D^-1 J' of this leg: three columns of ld floats */
    size_t du; /* of the cluster */
} cti_ica_leg;

typedef struct cti_ica_contact {
    int32_t leg0, n_legs, term0, n_terms;
    ct_real base[3]; /* u at the v of the outer iteration */
    cti_local local; /* its law, and J D^-1 J' of it */
} cti_ica_contact;

typedef struct cti_ica_cluster {
    const int32_t *blocks;
    int n, n_ports, ld;
    int32_t *ports;   /* positions in blocks */
    const float *C;   /* [3 n_ports][ld] */
    float *inverse;   /* own dense D^-1, [3 n][ld_inverse]; NULL where hooks solve and for single nodes */
    int ld_inverse;
    size_t du;        /* velocity change of the ports in this inner loop */
    const cti_cluster *hook;
} cti_ica_cluster;

typedef struct cti_ica {
    const cti_problem *p;
    const ct_solver_desc *desc;
    cti_arena *arena;
    int32_t *cluster_of, *port_of; /* [n] */
    cti_ica_cluster *clusters;
    int n_clusters, max_blocks;
    int budget;  /* sweeps over the contacts where clusters are not coupled */
    int grouped; /* clusters that are not single nodes */
    int coupled; /* clusters see each other through A */
    int cold;    /* v did not solve A v = b for clusters without contacts */
    cti_ica_contact *contacts;
    cti_ica_leg *legs;
    cti_ica_term *terms;
    float *W, *du;
    size_t n_du;
    ct_real *f, *x; /* b + J' r; local right side */
    ct_real *z, *z_old, *weight; /* [3 n + 3 rows] velocities and multipliers, those before an outer iteration, metric of both */
    ct_real *z_best;             /* those of the smallest change: what stands when the budget ends an accelerated loop */
    ct_real *v, *r, *r_old;      /* parts of z: [3 n], [3 rows]; multipliers before a sweep */
    cti_nodes nodes;             /* clusters of one block without hooks */
    cti_anderson inner, outer;   /* outer: where clusters see each other through A */
} cti_ica;

/* ---- set-up ---- */

static int cti_ica_make_clusters(cti_ica *s)
{
    const cti_problem *p = s->p;
    int n = p->A->n, c, k, nodes = p->n_clusters == 0;
    s->n_clusters = nodes ? n : p->n_clusters;
    s->clusters = CTI_ARENA_ZERO(s->arena, cti_ica_cluster, s->n_clusters);
    s->cluster_of = CTI_ARENA_NEW(s->arena, int32_t, n);
    s->port_of = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!s->clusters || !s->cluster_of || !s->port_of)
        return 0;
    for (k = 0; k < n; k++)
        s->cluster_of[k] = s->port_of[k] = -1;
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if (nodes) {
            int32_t *one = s->cluster_of + c; /* the identity list is the map itself */
            *one = c;
            q->blocks = one;
            q->n = 1;
        } else {
            q->hook = &p->clusters[c];
            q->blocks = q->hook->blocks;
            q->n = q->hook->n;
            for (k = 0; k < q->n; k++)
                s->cluster_of[q->blocks[k]] = c;
        }
        s->max_blocks = cti_max_int(s->max_blocks, q->n);
    }
    return 1;
}

static int cti_ica_is_node(const cti_ica_cluster *q) { return q->n == 1 && !(q->hook && q->hook->solve); }

/* 1 when A couples different clusters; such a splitting needs more than one outer iteration */
static int cti_ica_is_coupled(const cti_ica *s)
{
    const cti_bsr *A = s->p->A;
    int i, k;
    for (i = 0; i < A->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            if (s->cluster_of[A->col[k]] != s->cluster_of[i])
                return 1;
    return 0;
}

/* ports: blocks that contacts touch, in the order of their first row */
static int cti_ica_make_ports(cti_ica *s)
{
    const cti_problem *p = s->p;
    int i, k, c;
    int32_t *at;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            int b = p->rows[i].term[k].block;
            if (s->port_of[b] < 0)
                s->port_of[b] = s->clusters[s->cluster_of[b]].n_ports++;
        }
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if (q->n_ports == 0)
            continue;
        at = CTI_ARENA_NEW(s->arena, int32_t, q->n_ports);
        if (!at)
            return 0;
        q->ports = at;
        for (k = 0; k < q->n; k++)
            if (s->port_of[q->blocks[k]] >= 0)
                at[s->port_of[q->blocks[k]]] = k;
        q->du = s->n_du;
        q->ld = cti_ica_is_node(q) ? 4 : (3 * q->n_ports + 7) & ~7;
        s->n_du += (size_t)q->ld;
    }
    s->du = CTI_ARENA_ZERO(s->arena, float, s->n_du + 8);
    return s->du != NULL;
}

/* own D^-1 of a cluster without hooks: the dense inverse of A's sub-matrix */
static int cti_ica_invert(cti_ica *s, cti_ica_cluster *q, int32_t *local)
{
    const cti_bsr *A = s->p->A;
    int n3 = 3 * q->n, i, k, r, c;
    q->ld_inverse = (n3 + 7) & ~7;
    q->inverse = CTI_ARENA_ZERO(s->arena, float, (size_t)n3 * (size_t)q->ld_inverse);
    if (!q->inverse)
        return 0;
    for (i = 0; i < q->n; i++)
        local[q->blocks[i]] = i;
    for (i = 0; i < q->n; i++)
        for (k = A->row[q->blocks[i]]; k < A->row[q->blocks[i] + 1]; k++) {
            int j = local[A->col[k]];
            if (j < 0)
                continue;
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++)
                    q->inverse[(size_t)(3 * i + r) * (size_t)q->ld_inverse + (size_t)(3 * j + c)] = (float)A->val[9 * (size_t)k + (size_t)(3 * r + c)];
        }
    for (i = 0; i < q->n; i++)
        local[q->blocks[i]] = -1;
    return cti_dense32_invert_spd(q->inverse, n3, q->ld_inverse) >= 0;
}

/* the port rows and columns of an own inverse */
static int cti_ica_restrict(cti_ica *s, cti_ica_cluster *q)
{
    int i, j, r, c;
    float *C = CTI_ARENA_ZERO(s->arena, float, (size_t)(3 * q->n_ports) * (size_t)q->ld);
    if (!C)
        return 0;
    for (i = 0; i < q->n_ports; i++)
        for (j = 0; j < q->n_ports; j++)
            for (r = 0; r < 3; r++)
                for (c = 0; c < 3; c++)
                    C[(size_t)(3 * i + r) * (size_t)q->ld + (size_t)(3 * j + c)] =
                        q->inverse[(size_t)(3 * q->ports[i] + r) * (size_t)q->ld_inverse + (size_t)(3 * q->ports[j] + c)];
    q->C = C;
    return 1;
}

/* single blocks together: their sweeps, and their D^-1 as tiles. Without coupling, one that no contact touches keeps the free motion that it
   came with, unless that was no solution */
static int cti_ica_make_nodes(cti_ica *s)
{
    int32_t *blocks = CTI_ARENA_NEW(s->arena, int32_t, s->n_clusters);
    int c, n = 0;
    if (!blocks)
        return 0;
    for (c = 0; c < s->n_clusters; c++)
        s->grouped += !cti_ica_is_node(&s->clusters[c]);
    for (c = 0; c < s->n_clusters; c++)
        if (cti_ica_is_node(&s->clusters[c]) && (s->coupled || s->clusters[c].n_ports || s->cold))
            blocks[n++] = s->clusters[c].blocks[0];
    if (n == 0)
        return 1;
    if (!cti_nodes_init(&s->nodes, s->arena, s->p->A, blocks, n))
        return 0;
    for (c = 0, n = 0; n < s->nodes.n; c++)
        if (s->clusters[c].blocks[0] == blocks[n])
            s->clusters[c].C = s->nodes.inverse + 12 * (size_t)n++;
    return 1;
}

static int cti_ica_make_tiles(cti_ica *s)
{
    int c, n = s->p->A->n, k;
    int32_t *local = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!local || !cti_ica_make_nodes(s))
        return 0;
    for (k = 0; k < n; k++)
        local[k] = -1;
    for (c = 0; c < s->n_clusters; c++) {
        cti_ica_cluster *q = &s->clusters[c];
        if (q->hook && q->hook->solve) {
            if (q->n_ports && !q->hook->compliance(q->hook->ctx, q->ports, q->n_ports, &q->C, &q->ld))
                return 0;
            continue;
        }
        if (cti_ica_is_node(q))
            continue;
        if (!cti_ica_invert(s, q, local) || (q->n_ports && !cti_ica_restrict(s, q)))
            return 0;
    }
    return 1;
}

static void cti_ica_make_term(cti_ica *s, const cti_row *row, int k, cti_ica_term *t)
{
    int b = row->term[k].block, i, j;
    ct_real G[9];
    cti_row_map(row, k, G);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            t->G[3 * j + i] = (float)G[3 * i + j];
    t->G[9] = 0;
    t->at = (int32_t)(s->clusters[s->cluster_of[b]].du + 3 * (size_t)s->port_of[b]);
}

/* terms of a row, and its legs: one for each cluster */
static void cti_ica_make_legs(cti_ica *s, int i, int32_t *leg, int32_t *term, size_t *w)
{
    const cti_row *row = &s->p->rows[i];
    cti_ica_contact *q = &s->contacts[i];
    int k, j;
    q->leg0 = *leg, q->term0 = *term;
    for (k = 0; k < row->n; k++) {
        cti_ica_leg *L;
        cti_ica_make_term(s, row, k, &s->terms[(*term)++]);
        for (j = q->leg0; j < *leg && s->legs[j].cluster != s->cluster_of[row->term[k].block]; j++)
            ;
        if (j < *leg)
            continue;
        L = &s->legs[(*leg)++];
        L->cluster = s->cluster_of[row->term[k].block];
        L->ld = s->clusters[L->cluster].ld, L->du = s->clusters[L->cluster].du;
        L->w = *w;
        *w += 3 * (size_t)L->ld;
    }
    q->n_legs = *leg - q->leg0, q->n_terms = row->n;
}

/* y += three consecutive rows of ld numbers at x, times d */
static void cti_ica_combine(int ld, const float *x, const float *d, float *y)
{
    cti_f8 d0 = cti_f8_set(d[0]), d1 = cti_f8_set(d[1]), d2 = cti_f8_set(d[2]);
    const float *x1 = x + ld, *x2 = x1 + ld;
    int i;
    if (ld == 4) { /* a node: half of the lanes */
        cti_f8 a = cti_f8_mul(cti_f8_load44(x, x), d0), b = cti_f8_mul(cti_f8_load44(x1, x1), d1), e = cti_f8_mul(cti_f8_load44(x2, x2), d2);
        cti_f8_store4(y, cti_f8_add(cti_f8_load44(y, y), cti_f8_add(cti_f8_add(a, b), e)));
        return;
    }
    for (i = 0; i < ld; i += 8) {
        cti_f8 a = cti_f8_mul(cti_f8_load(x + i), d0), b = cti_f8_mul(cti_f8_load(x1 + i), d1), e = cti_f8_mul(cti_f8_load(x2 + i), d2);
        cti_f8_store(y + i, cti_f8_add(cti_f8_load(y + i), cti_f8_add(cti_f8_add(a, b), e)));
    }
}

/* W = C (S G)' of a leg, columns contiguous; symmetric C: its columns are its rows. B += G W */
static void cti_ica_fill_leg(cti_ica *s, const cti_row *row, cti_ica_contact *q, const cti_ica_leg *L)
{
    const cti_ica_cluster *c = &s->clusters[L->cluster];
    int k, a, i, j;
    float *W = s->W + L->w;
    memset(W, 0, sizeof(float) * 3 * (size_t)c->ld);
    for (k = 0; k < row->n; k++) {
        ct_real Gt[9];
        const float *C0;
        int b = row->term[k].block;
        if (s->cluster_of[b] != L->cluster)
            continue;
        cti_row_map_t(s->p, row, k, Gt);
        C0 = c->C + (size_t)(3 * s->port_of[b]) * (size_t)c->ld;
        for (a = 0; a < 3; a++) {
            float g[3];
            g[0] = (float)Gt[a], g[1] = (float)Gt[3 + a], g[2] = (float)Gt[6 + a];
            cti_ica_combine(c->ld, C0, g, W + (size_t)a * (size_t)c->ld);
        }
    }
    for (k = 0; k < row->n; k++) {
        const cti_ica_term *t = &s->terms[q->term0 + k];
        if (s->cluster_of[row->term[k].block] != L->cluster)
            continue;
        for (i = 0; i < 3; i++)
            for (a = 0; a < 3; a++)
                for (j = 0; j < 3; j++)
                    q->local.B[3 * i + a] += (ct_real)t->G[3 * j + i] * (ct_real)W[(size_t)a * (size_t)c->ld + (size_t)t->at - L->du + (size_t)j];
    }
}

static int cti_ica_make_contacts(cti_ica *s)
{
    const cti_problem *p = s->p;
    int i, k, total = 0;
    int32_t leg = 0, term = 0;
    size_t w = 0;
    for (i = 0; i < p->n_rows; i++)
        total += p->rows[i].n;
    s->contacts = CTI_ARENA_ZERO(s->arena, cti_ica_contact, p->n_rows);
    s->legs = CTI_ARENA_NEW(s->arena, cti_ica_leg, total);
    s->terms = CTI_ARENA_NEW(s->arena, cti_ica_term, total);
    if (!s->contacts || !s->legs || !s->terms)
        return 0;
    for (i = 0; i < p->n_rows; i++)
        cti_ica_make_legs(s, i, &leg, &term, &w);
    s->W = CTI_ARENA_NEW(s->arena, float, w + 8);
    if (!s->W)
        return 0;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < s->contacts[i].n_legs; k++)
            cti_ica_fill_leg(s, &p->rows[i], &s->contacts[i], &s->legs[s->contacts[i].leg0 + k]);
    for (i = 0; i < p->n_rows; i++)
        cti_local_prepare(&s->contacts[i].local, &p->rows[i], s->desc->cone);
    return 1;
}

/* ---- outer iteration: refine v ---- */

/* r_i = f_i - sum_k A_ik v_k of one block */
static cti_v3 cti_ica_block_residual(const cti_bsr *A, const ct_real *f, const ct_real *v, int i)
{
    cti_v3 r = cti_v3_at(f, i);
    int k;
    for (k = A->row[i]; k < A->row[i + 1]; k++)
        r = cti_v3_sub(r, cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(v, A->col[k])));
    return r;
}

/* v_c += D_c^-1 (f - A v)_c; returns the largest change of an entry */
static ct_real cti_ica_refine_cluster(cti_ica *s, const cti_ica_cluster *q, ct_real *v)
{
    ct_real big = 0;
    int i, j, n3 = 3 * q->n;
    for (i = 0; i < q->n; i++)
        cti_v3_put(s->x, i, cti_ica_block_residual(s->p->A, s->f, v, q->blocks[i]));
    if (!q->inverse)
        q->hook->solve(q->hook->ctx, s->x);
    else {
        ct_real *y = s->x + n3;
        for (i = 0; i < n3; i++) {
            const float *D = q->inverse + (size_t)i * (size_t)q->ld_inverse;
            ct_real sum = 0;
            for (j = 0; j < n3; j++)
                sum += (ct_real)D[j] * s->x[j];
            y[i] = sum;
        }
        memcpy(s->x, y, sizeof(ct_real) * (size_t)n3);
    }
    for (i = 0; i < q->n; i++) {
        cti_v3 d = cti_v3_at(s->x, i);
        cti_v3_addto(v, q->blocks[i], d);
        big = cti_max(big, cti_max(cti_abs(d.x), cti_max(cti_abs(d.y), cti_abs(d.z))));
    }
    return big;
}

/* one block Gauss-Seidel sweep over the clusters (eq. 12) */
static ct_real cti_ica_refine(cti_ica *s, ct_real *v)
{
    ct_real big = 0;
    int c;
    for (c = 0; s->grouped && c < s->n_clusters; c++) {
        const cti_ica_cluster *q = &s->clusters[c];
        /* as for nodes: what no contact touches keeps its free motion where it can */
        if (!cti_ica_is_node(q) && (s->coupled || q->n_ports || s->cold))
            big = cti_max(big, cti_ica_refine_cluster(s, q, v));
    }
    return s->nodes.n ? cti_max(big, cti_nodes_sweep(&s->nodes, s->f, v)) : big;
}

/* ---- inner iteration: contacts ---- */

/* u of a contact: what it was at the outer iteration's v, and what the multipliers changed since */
static void cti_ica_gather(const cti_ica *s, const cti_ica_contact *q, ct_real *u)
{
    static const float zero[12] = {0};
    const cti_ica_term *t = s->terms + q->term0;
    cti_f8 sum = cti_f8_set(0);
    float uf[4];
    int k;
    for (k = 0; k + 1 < q->n_terms; k += 2)
        sum = cti_f8_add(sum, cti_blocks_mul2(t[k].G, t[k + 1].G, s->du + t[k].at, s->du + t[k + 1].at));
    if (k < q->n_terms)
        sum = cti_f8_add(sum, cti_blocks_mul2(t[k].G, zero, s->du + t[k].at, zero));
    cti_f8_store4(uf, cti_f8_fold(sum));
    for (k = 0; k < 3; k++)
        u[k] = q->base[k] + (ct_real)uf[k];
}

/* one contact: gather u, solve, scatter; returns the change as a velocity */
static ct_real cti_ica_visit(cti_ica *s, int i)
{
    const cti_ica_contact *q = &s->contacts[i];
    ct_real u[3], r[3], *ri = s->r + 3 * (size_t)i, change = 0, speed;
    float d[3];
    int k;
    cti_ica_gather(s, q, u);
    for (k = 0; k < 3; k++)
        r[k] = ri[k];
    speed = cti_max(cti_abs(u[0]), cti_max(cti_abs(u[1]), cti_abs(u[2])));
    cti_local_solve(&q->local, s->desc->cone, s->desc->inner_repeats, r, u);
    for (k = 0; k < 3; k++) {
        ct_real dk = r[k] - ri[k];
        d[k] = (float)dk;
        change = cti_max(change, cti_abs(dk) * q->local.B[4 * k]);
    }
    if (change == 0)
        return 0;
    /* multipliers that move together change more than the velocity that they take away: that is what counts */
    change = cti_min(change, speed);
    for (k = 0; k < 3; k++)
        ri[k] = r[k];
    for (k = 0; k < q->n_legs; k++) {
        const cti_ica_leg *L = &s->legs[q->leg0 + k];
        cti_ica_combine(L->ld, s->W + L->w, d, s->du + L->du);
    }
    return change;
}

/* projected Gauss-Seidel sweeps (eq. 11) until a sweep changes less than `stop`, `drop` times the first sweep's change, or, with the paper's
   rule, until the change itself changes by less than 5 %. differs: sweeps are Anderson accelerated, since their error in sliding and
   rolling modes falls by less than a percent a sweep; a sweep that changes more than twice the best one restarts the history; and sweeps
   end below the tolerance already when they stall there. again: v was refined at these multipliers before */
static int cti_ica_inner(cti_ica *s, ct_real stop, ct_real drop, int max_sweeps, int again, ct_real *out_first)
{
    int k, i, n = s->p->n_rows;
    ct_real first = 0, last = 0, best = CTI_REAL_MAX, mark = CTI_REAL_MAX, tol = s->desc->tolerance * s->p->velocity_scale;
    int stalled = 0;
    memset(s->du, 0, sizeof(float) * s->n_du);
    cti_anderson_resume(&s->inner);
    for (k = 0; k < max_sweeps; k++) {
        ct_real big = 0;
        memcpy(s->r_old, s->r, sizeof(ct_real) * 3 * (size_t)n);
        for (i = 0; i < n; i++)
            big = cti_max(big, cti_ica_visit(s, i));
        if (k == 0)
            first = big;
        if (big <= stop || (k > 0 && big <= drop * first) || k + 1 == max_sweeps)
            break;
        stalled = big < mark / 2 ? 0 : stalled + 1;
        mark = cti_min(mark, big);
        if (s->desc->termination == CT_TERMINATION_RESIDUAL &&
            ((k == 0 && again && big <= tol) || (stalled >= CTI_ICA_STALL && big <= CTI_R(0.7) * tol)))
            break;
        if (s->desc->termination == CT_TERMINATION_PAPER && k > 0 && cti_abs(big - last) < CTI_R(0.05) * last)
            break;
        last = big;
        if (big > 2 * best)
            cti_anderson_restart(&s->inner);
        best = cti_min(best, big);
        if (k >= 2)
            cti_anderson_step(&s->inner, s->r_old, s->r, s->du);
    }
    *out_first = first;
    return cti_min_int(k + 1, max_sweeps);
}

/* z = (v, r) and its metric: the diagonal of A for velocities, the local compliance for multipliers */
static int cti_ica_make_state(cti_ica *s, const ct_real *v)
{
    const cti_bsr *A = s->p->A;
    int n3 = 3 * A->n, m3 = 3 * s->p->n_rows, i, k;
    s->z = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->z_old = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->z_best = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->weight = CTI_ARENA_NEW(s->arena, ct_real, n3 + m3);
    s->r_old = CTI_ARENA_NEW(s->arena, ct_real, m3);
    if (!s->z || !s->z_old || !s->z_best || !s->weight || !s->r_old)
        return 0;
    s->v = s->z, s->r = s->z + n3;
    memcpy(s->v, v, sizeof(ct_real) * (size_t)n3);
    for (i = 0; i < n3; i++)
        s->weight[i] = cti_sqrt(cti_max(0, A->val[9 * (size_t)A->diag[i / 3] + 4 * (size_t)(i % 3)]));
    for (i = 0; i < s->p->n_rows; i++)
        for (k = 0; k < 3; k++) {
            s->r[3 * i + k] = s->p->rows[i].r[k];
            s->weight[n3 + 3 * i + k] = cti_sqrt(s->contacts[i].local.B[4 * k]);
        }
    if (!cti_anderson_init(&s->inner, s->arena, m3, s->weight + n3, (int)s->n_du))
        return 0;
    return !s->coupled || cti_anderson_init(&s->outer, s->arena, n3 + m3, s->weight, 0);
}

static int cti_ica_setup(cti_ica *s, const ct_real *v)
{
    if (!cti_ica_make_clusters(s) || !cti_ica_make_ports(s))
        return 0;
    s->coupled = cti_ica_is_coupled(s);
    if (!cti_ica_make_tiles(s) || !cti_ica_make_contacts(s))
        return 0;
    s->f = CTI_ARENA_NEW(s->arena, ct_real, 3 * s->p->A->n);
    s->x = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->max_blocks);
    return s->f && s->x && cti_ica_make_state(s, v);
}

/* max_sweeps, and as many more as keep the work of few contacts below that of CTI_ICA_FEW */
static int cti_ica_budget(const cti_ica *s)
{
    double more = (double)CTI_ICA_FEW / (double)cti_max_int(1, s->p->n_rows), most;
    more = more < 1 ? 1 : (more > CTI_ICA_MORE ? CTI_ICA_MORE : more);
    most = more * (double)s->desc->max_sweeps;
    return most < 1e9 ? (int)most : 1000000000;
}

/* one round: anticipate u at v, relax the contacts, collect b + J' r */
static ct_real cti_ica_contacts(cti_ica *s, ct_real stop, cti_solve_info *info)
{
    ct_real first, drop = s->coupled ? CTI_R(0.3) : (s->p->lagged ? CTI_R(0.05) : CTI_R(1e-3));
    int i, left = s->coupled ? CTI_ICA_COUPLED : cti_max_int(1, s->budget - info->sweeps), cap = cti_min_int(left, s->desc->inner_iterations);
    for (i = 0; i < s->p->n_rows; i++)
        cti_row_velocity(&s->p->rows[i], s->v, s->contacts[i].base);
    info->sweeps += cti_ica_inner(s, stop, drop, cap, info->iterations > 1, &first);
    for (i = 0; i < s->p->n_rows; i++)
        memcpy(s->p->rows[i].r, s->r + 3 * (size_t)i, 3 * sizeof(ct_real));
    cti_problem_rhs(s->p, s->f);
    return first;
}

/* what ends the outer loop after an iteration that changed `now`; CTI_SOLVE_BUDGET: go on */
static cti_solve_status cti_ica_judge(const cti_ica *s, const cti_solve_info *info, ct_real now, ct_real last, ct_real best, ct_real contact)
{
    if (now <= s->desc->tolerance * s->p->velocity_scale)
        return CTI_SOLVE_OK;
    if (s->desc->termination == CT_TERMINATION_PAPER && cti_abs(now - last) < CTI_R(0.05) * last && contact <= s->p->approach_limit)
        return CTI_SOLVE_OK;
    /* the residual monitor (5.6): growth by 1e4 over the best is divergence */
    if (!cti_finite(now) || now > CTI_R(1e4) * best)
        return CTI_SOLVE_DIVERGED;
    /* an inverse that lags too far behind is not worth another round */
    if (s->p->lagged && !s->coupled && info->iterations >= 2 && now > CTI_R(0.4) * last)
        return CTI_SOLVE_SLOW;
    return CTI_SOLVE_BUDGET;
}

/* the outer loop: contacts, then v; where clusters are coupled the whole map is accelerated */
static void cti_ica_loop(cti_ica *s, cti_solve_info *info)
{
    const ct_solver_desc *desc = s->desc;
    ct_real tol = desc->tolerance * s->p->velocity_scale, best = CTI_REAL_MAX, last = CTI_REAL_MAX;
    size_t bytes = sizeof(ct_real) * (size_t)(s->outer.n);
    int restarts = 0, most = s->coupled ? cti_min_int(desc->max_iterations, (desc->max_sweeps + 1) / CTI_ICA_COUPLED) : desc->max_iterations;
    for (info->iterations = 1; info->iterations <= most; info->iterations++) {
        ct_real contact, now;
        if (s->coupled)
            memcpy(s->z_old, s->z, bytes);
        contact = cti_ica_contacts(s, tol / 4, info);
        now = cti_max(contact, cti_ica_refine(s, s->v));
        info->change = now / s->p->velocity_scale;
        info->status = cti_ica_judge(s, info, now, last, best, contact);
        if (info->status == CTI_SOLVE_DIVERGED && s->coupled && best < CTI_REAL_MAX && restarts++ < 5) {
            /* an extrapolation went astray: back to the best point, history forgotten */
            memcpy(s->z, s->z_best, bytes);
            cti_nodes_restart(&s->nodes);
            cti_anderson_restart(&s->outer);
            last = CTI_REAL_MAX;
            continue;
        }
        if (info->status != CTI_SOLVE_BUDGET || (!s->coupled && info->sweeps >= s->budget))
            return;
        if (s->coupled) {
            if (now < best)
                memcpy(s->z_best, s->z, bytes);
            if (now > 2 * best)
                cti_anderson_restart(&s->outer);
            cti_anderson_step(&s->outer, s->z_old, s->z, NULL);
        }
        best = cti_min(best, now);
        last = now;
    }
    if (s->coupled)
        memcpy(s->z, s->z_best, bytes);
}

CTI_FN void cti_ica_solve(const cti_problem *p, const ct_solver_desc *desc, cti_arena *arena, ct_real *v, cti_solve_info *info)
{
    cti_ica state, *s = &state;
    int i;
    memset(s, 0, sizeof *s);
    s->cold = !p->free_start;
    memset(info, 0, sizeof *info);
    s->p = p, s->desc = desc, s->arena = arena;
    s->budget = cti_ica_budget(s);
    if (!cti_ica_setup(s, v)) {
        info->status = CTI_SOLVE_MEMORY;
        return;
    }
    cti_problem_rhs(p, s->f);
    info->change = cti_ica_refine(s, s->v) / p->velocity_scale;
    cti_ica_loop(s, info);
    for (i = 0; i < p->n_rows; i++)
        memcpy(p->rows[i].r, s->r + 3 * (size_t)i, 3 * sizeof(ct_real));
    memcpy(v, s->v, sizeof(ct_real) * 3 * (size_t)p->A->n);
}

/* ---- 4_geom/dist.h ---- */
/* dist.h -- squared distances and closest points of vertex, edge and triangle pairs, one by one and eight at a time, with gradients and
   Hessians. Finite input of ordinary size is assumed (no coordinate difference beyond 1e70, or 1e8 in float). */


/* Features of the closest point. Vertex-edge: 0, 1 end points, 2 interior. Vertex-triangle: 0..2 vertices, 3 edge 01, 4 edge 12, 5 edge 20,
   6 interior. Edge-edge: 0 both interior, else a sum of bits. */
#define CTI_DIST_A0 1 /* edge a at its end point a0 */
#define CTI_DIST_A1 2
#define CTI_DIST_B0 4
#define CTI_DIST_B1 8

/* Squared distances; every pointer is a point of three numbers.
   t          out  closest point e0 + t (e1 - e0), 0 <= t <= 1
   w          out  [3] barycentric weights of the closest point, >= 0, sum 1 up to rounding
   st         out  [2] closest points a0 + st[0] (a1 - a0) and b0 + st[1] (b1 - b0); one of many where edges are parallel
   feature    out  as above. Zero-length edges and flat triangles are allowed. No output may be NULL. */
CTI_FN ct_real cti_dist_pp(const ct_real *p, const ct_real *q);
CTI_FN ct_real cti_dist_pe(const ct_real *p, const ct_real *e0, const ct_real *e1, ct_real *t, int *feature);
CTI_FN ct_real cti_dist_pt(const ct_real *p, const ct_real *t0, const ct_real *t1, const ct_real *t2, ct_real w[3], int *feature);
CTI_FN ct_real cti_dist_ee(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1, ct_real st[2], int *feature);

/* Gradients and Hessians of the squared distance: x holds the points one after the other (PP p q [6], PE p e0 e1 [9], PT p t0 t1 t2 [12],
   EE a0 a1 b0 b1 [12]); grad [n], hess [n n] row-major or NULL, symmetric, not projected. Returns the squared distance. */
CTI_FN ct_real cti_dist_pp_grad(const ct_real x[6], ct_real *grad, ct_real *hess);
CTI_FN ct_real cti_dist_pe_grad(const ct_real x[9], ct_real *grad, ct_real *hess);
CTI_FN ct_real cti_dist_pt_grad(const ct_real x[12], ct_real *grad, ct_real *hess);
CTI_FN ct_real cti_dist_ee_grad(const ct_real x[12], ct_real *grad, ct_real *hess);

/* Batches: x [3 points], quads [4 n] point numbers (vertex, face 0 1 2; edge a 0 1, edge b 0 1); d2 [n], w3 [3 n], st [2 n], feature [n].
 */
CTI_FN void cti_dist_pt_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w3, int32_t *feature);
CTI_FN void cti_dist_ee_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *st, int32_t *feature);


/* ---- 4_geom/dist.c ---- */
/* dist.c -- squared distances and closest points: vertex-vertex, vertex-edge, vertex-triangle, edge-edge.
   Method: the foot of the perpendicular is taken where it lies inside both features and the normal is well determined; otherwise the
   minimum over the boundary features, which is exact because the squared distance is convex in the parameters. Near-degenerate interiors
   are compared with the boundary, so that a badly rounded foot never beats a better boundary point. The distance is always evaluated at
   the returned parameters: it is the distance of two points of the features, never less than the true one by more than rounding.
   based on: Ericson, Real-Time Collision Detection, ch. 5.1; barycentric weights from cross products rather than from Gram matrices,
   which lose half of the digits where edges are nearly parallel. */

/* below this share of |u|^2 |v|^2, |u x v|^2 does not decide alone */
#define CTI_DIST_FLAT CTI_R(1e-4)

CTI_FN ct_real cti_dist_pp(const ct_real *p, const ct_real *q) { return cti_v3_norm2(cti_v3_sub(cti_v3_at(p, 0), cti_v3_at(q, 0))); }

/* cti_dist_segment -- w = p - e0, d = e1 - e0: the parameter and the squared distance */
static ct_real cti_dist_segment(cti_v3 w, cti_v3 d, ct_real *t)
{
    ct_real l2 = cti_v3_norm2(d), s = cti_v3_dot(w, d);
    s = s > 0 ? (s < l2 ? s / l2 : 1) : 0;
    *t = s;
    return cti_v3_norm2(s < 1 ? cti_v3_mad(w, d, -s) : cti_v3_sub(w, d));
}

CTI_FN ct_real cti_dist_pe(const ct_real *p, const ct_real *e0, const ct_real *e1, ct_real *t, int *feature)
{
    cti_v3 a = cti_v3_at(e0, 0);
    ct_real d2 = cti_dist_segment(cti_v3_sub(cti_v3_at(p, 0), a), cti_v3_sub(cti_v3_at(e1, 0), a), t);
    *feature = *t > 0 ? (*t < 1 ? 2 : 1) : 0;
    return d2;
}

/* cti_dist_pt_border -- the nearest of the three edges */
static ct_real cti_dist_pt_border(cti_v3 p, const cti_v3 *x, ct_real w[3], int *feature)
{
    ct_real best = 0, t;
    int i;
    for (i = 0; i < 3; i++) {
        int j = i == 2 ? 0 : i + 1;
        ct_real d2 = cti_dist_segment(cti_v3_sub(p, x[i]), cti_v3_sub(x[j], x[i]), &t);
        if (i == 0 || d2 < best) {
            best = d2;
            w[0] = w[1] = w[2] = 0;
            w[i] = 1 - t, w[j] = t;
            *feature = t > 0 ? (t < 1 ? 3 + i : j) : i;
        }
    }
    return best;
}

CTI_FN ct_real cti_dist_pt(const ct_real *p, const ct_real *t0, const ct_real *t1, const ct_real *t2, ct_real w[3], int *feature)
{
    cti_v3 x[3], q = cti_v3_at(p, 0), u, v, r, n;
    ct_real n2, w1, w2, d2, border, wb[3];
    int fb;
    x[0] = cti_v3_at(t0, 0), x[1] = cti_v3_at(t1, 0), x[2] = cti_v3_at(t2, 0);
    /* weights w1 = (r x v).n / n^2, w2 = (u x r).n / n^2 of the foot on the plane */
    u = cti_v3_sub(x[1], x[0]), v = cti_v3_sub(x[2], x[0]), r = cti_v3_sub(q, x[0]);
    n = cti_v3_cross(u, v);
    n2 = cti_v3_norm2(n);
    w1 = cti_v3_dot(cti_v3_cross(r, v), n), w2 = cti_v3_dot(cti_v3_cross(u, r), n);
    if (!(w1 > 0 && w2 > 0 && w1 + w2 < n2))
        return cti_dist_pt_border(q, x, w, feature);
    w1 /= n2, w2 /= n2;
    d2 = cti_v3_norm2(cti_v3_mad(cti_v3_mad(r, u, -w1), v, -w2));
    if (n2 < CTI_DIST_FLAT * cti_v3_norm2(u) * cti_v3_norm2(v)) {
        border = cti_dist_pt_border(q, x, wb, &fb);
        if (border <= d2) {
            w[0] = wb[0], w[1] = wb[1], w[2] = wb[2], *feature = fb;
            return border;
        }
    }
    w[0] = cti_max(1 - w1 - w2, 0), w[1] = w1, w[2] = w2, *feature = 6;
    return d2;
}

/* cti_dist_ee_border -- the nearest of the four end points to the other edge; u, v edges, w = b0 - a0 */
static ct_real cti_dist_ee_border(cti_v3 u, cti_v3 v, cti_v3 w, ct_real st[2], int *feature)
{
    ct_real t, d2, best;
    /* a0 and a1 against edge b */
    best = cti_dist_segment(cti_v3_sub(cti_v3_zero(), w), v, &t);
    st[0] = 0, st[1] = t;
    d2 = cti_dist_segment(cti_v3_sub(u, w), v, &t);
    if (d2 < best)
        best = d2, st[0] = 1, st[1] = t;
    /* b0 and b1 against edge a */
    d2 = cti_dist_segment(w, u, &t);
    if (d2 < best)
        best = d2, st[0] = t, st[1] = 0;
    d2 = cti_dist_segment(cti_v3_add(w, v), u, &t);
    if (d2 < best)
        best = d2, st[0] = t, st[1] = 1;
    *feature = (st[0] > 0 ? (st[0] < 1 ? 0 : CTI_DIST_A1) : CTI_DIST_A0) | (st[1] > 0 ? (st[1] < 1 ? 0 : CTI_DIST_B1) : CTI_DIST_B0);
    return best;
}

CTI_FN ct_real cti_dist_ee(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1, ct_real st[2], int *feature)
{
    cti_v3 a = cti_v3_at(a0, 0), b = cti_v3_at(b0, 0), u, v, w, n;
    ct_real n2, s, t, d2, border, sb[2];
    int fb;
    /* s = (w x v).n / n^2, t = (w x u).n / n^2 of the common perpendicular */
    u = cti_v3_sub(cti_v3_at(a1, 0), a), v = cti_v3_sub(cti_v3_at(b1, 0), b), w = cti_v3_sub(b, a);
    n = cti_v3_cross(u, v);
    n2 = cti_v3_norm2(n);
    s = cti_v3_dot(cti_v3_cross(w, v), n), t = cti_v3_dot(cti_v3_cross(w, u), n);
    if (!(s > 0 && t > 0 && s < n2 && t < n2))
        return cti_dist_ee_border(u, v, w, st, feature);
    s /= n2, t /= n2;
    d2 = cti_v3_norm2(cti_v3_mad(cti_v3_mad(w, v, t), u, -s));
    if (n2 < CTI_DIST_FLAT * cti_v3_norm2(u) * cti_v3_norm2(v)) {
        border = cti_dist_ee_border(u, v, w, sb, &fb);
        if (border <= d2) {
            st[0] = sb[0], st[1] = sb[1], *feature = fb;
            return border;
        }
    }
    st[0] = s, st[1] = t, *feature = 0;
    return d2;
}

#undef CTI_DIST_FLAT

/* ---- 4_geom/dist_grad.c ---- */
/* dist_grad.c -- gradients and Hessians of squared distances.
   Method: with r(x, y) = sum_i c_i(y) x_i, c affine in the free parameters y of the closest feature (none, t, or two), D(x) = min_y |r|^2.
   The minimum makes dD/dx_i = 2 c_i r. For the Hessian y is eliminated,
       H = E_xx - E_xy E_yy^-1 E_yx,   E = |r|^2,  R_k = dr/dy_k = sum_i e_ki x_i,
       E_xx(i,j) = 2 c_i c_j I,  E_xy(i,k) = 2 (c_i R_k + e_ki r),  E_yy(k,l) = 2 R_k.R_l.
   Where the closest feature changes, D is once differentiable and the Hessian is that of the feature returned by dist.c.
   based on: implicit differentiation; no source code. */

/* cti_dist_schur -- subtracts E_xy E_yy^-1 E_yx; g [k][3 n] holds the columns of E_xy / 2, R the vectors R_k */
static void cti_dist_schur(int m, int k, ct_real g[2][12], const cti_v3 *R, ct_real *hess)
{
    ct_real a = cti_v3_norm2(R[0]), b, c, det;
    int i, j;
    if (!(a > 0))
        return;
    if (k == 1) {
        for (i = 0; i < m; i++)
            for (j = 0; j < m; j++)
                hess[m * i + j] -= 2 * g[0][i] * g[0][j] / a;
        return;
    }
    b = cti_v3_dot(R[0], R[1]), c = cti_v3_norm2(R[1]);
    det = cti_v3_norm2(cti_v3_cross(R[0], R[1]));
    if (!(det > 0))
        return;
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            hess[m * i + j] -= 2 * (c * g[0][i] * g[0][j] - b * (g[0][i] * g[1][j] + g[1][i] * g[0][j]) + a * g[1][i] * g[1][j]) / det;
}

/* cti_dist_derive -- n points x, coefficients c [n], k free parameters with e [k][4] */
static ct_real cti_dist_derive(const ct_real *x, int n, const ct_real *c, int k, ct_real e[2][4], ct_real *grad, ct_real *hess)
{
    cti_v3 r = cti_v3_zero(), R[2];
    ct_real g[2][12];
    int i, j, l, m = 3 * n;
    R[0] = R[1] = r;
    for (i = 0; i < n; i++) {
        r = cti_v3_mad(r, cti_v3_at(x, i), c[i]);
        for (l = 0; l < k; l++)
            R[l] = cti_v3_mad(R[l], cti_v3_at(x, i), e[l][i]);
    }
    for (i = 0; i < n; i++)
        cti_v3_put(grad, i, cti_v3_mul(r, 2 * c[i]));
    if (!hess)
        return cti_v3_norm2(r);
    /* E_xx */
    for (i = 0; i < m * m; i++)
        hess[i] = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            for (l = 0; l < 3; l++)
                hess[m * (3 * i + l) + 3 * j + l] = 2 * c[i] * c[j];
    /* columns of E_xy / 2 */
    for (l = 0; l < k; l++)
        for (i = 0; i < n; i++)
            cti_v3_put(g[l], i, cti_v3_add(cti_v3_mul(R[l], c[i]), cti_v3_mul(r, e[l][i])));
    if (k > 0)
        cti_dist_schur(m, k, g, R, hess);
    return cti_v3_norm2(r);
}

CTI_FN ct_real cti_dist_pp_grad(const ct_real x[6], ct_real *grad, ct_real *hess)
{
    ct_real c[2], e[2][4];
    c[0] = 1, c[1] = -1;
    memset(e, 0, sizeof e);
    return cti_dist_derive(x, 2, c, 0, e, grad, hess);
}

CTI_FN ct_real cti_dist_pe_grad(const ct_real x[9], ct_real *grad, ct_real *hess)
{
    ct_real c[3], e[2][4], t;
    int f;
    cti_dist_pe(x, x + 3, x + 6, &t, &f);
    memset(e, 0, sizeof e);
    c[0] = 1, c[1] = t - 1, c[2] = -t;
    e[0][1] = 1, e[0][2] = -1;
    return cti_dist_derive(x, 3, c, f == 2, e, grad, hess);
}

CTI_FN ct_real cti_dist_pt_grad(const ct_real x[12], ct_real *grad, ct_real *hess)
{
    ct_real c[4], e[2][4], w[3];
    int f, i, j;
    cti_dist_pt(x, x + 3, x + 6, x + 9, w, &f);
    memset(e, 0, sizeof e);
    c[0] = 1, c[1] = -w[0], c[2] = -w[1], c[3] = -w[2];
    if (f == 6) {
        /* y = (w1, w2), w0 = 1 - w1 - w2 */
        e[0][1] = 1, e[0][2] = -1;
        e[1][1] = 1, e[1][3] = -1;
    } else if (f >= 3) {
        i = f - 3, j = i == 2 ? 0 : i + 1;
        e[0][1 + i] = 1, e[0][1 + j] = -1;
    }
    return cti_dist_derive(x, 4, c, f == 6 ? 2 : f >= 3, e, grad, hess);
}

CTI_FN ct_real cti_dist_ee_grad(const ct_real x[12], ct_real *grad, ct_real *hess)
{
    ct_real c[4], e[2][4], st[2];
    int f, k = 0;
    cti_dist_ee(x, x + 3, x + 6, x + 9, st, &f);
    memset(e, 0, sizeof e);
    c[0] = 1 - st[0], c[1] = st[0], c[2] = st[1] - 1, c[3] = -st[1];
    if (!(f & (CTI_DIST_A0 | CTI_DIST_A1)))
        e[k][0] = -1, e[k][1] = 1, k++;
    if (!(f & (CTI_DIST_B0 | CTI_DIST_B1)))
        e[k][2] = 1, e[k][3] = -1, k++;
    return cti_dist_derive(x, 4, c, k, e, grad, hess);
}

/* ---- 4_geom/dist_batch.c ---- */
/* dist_batch.c -- vertex-triangle and edge-edge distances, eight pairs at a time.
   Method: the formulas of dist.c without branches: foot of the perpendicular and all boundary features are computed, the better one is
   selected. Operations and their order are those of dist.c, so both give the same bits.
   based on: as dist.c. */

#define CTI_DISTB_FLAT CTI_R(1e-4) /* as in dist.c */

/* cti_distb_load -- point `corner` of eight quads (the last one again where fewer are left) */
CTI_INLINE void cti_distb_load(const ct_real *x, const int32_t *quads, int n, int corner, cti_r8 r[3])
{
    ct_real buf[3][8];
    int i;
    for (i = 0; i < 8; i++) {
        const ct_real *p = x + 3 * (size_t)quads[4 * (i < n ? i : n - 1) + corner];
        buf[0][i] = p[0], buf[1][i] = p[1], buf[2][i] = p[2];
    }
    r[0] = cti_load8(buf[0]), r[1] = cti_load8(buf[1]), r[2] = cti_load8(buf[2]);
}

/* cti_distb_segment -- w = p - e0, d = e1 - e0: squared distance and parameter */
CTI_INLINE cti_r8 cti_distb_segment(const cti_r8 *w, const cti_r8 *d, cti_r8 *t)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), l2 = cti_dot8(d, d), s = cti_dot8(w, d), r[3], full;
    int k;
    s = cti_select8(cti_lt8(zero, s), cti_select8(cti_lt8(s, l2), cti_div8(s, l2), one), zero);
    full = cti_lt8(s, one);
    for (k = 0; k < 3; k++)
        r[k] = cti_select8(full, cti_nmad8(w[k], d[k], s), cti_sub8(w[k], d[k]));
    *t = s;
    return cti_dot8(r, r);
}

/* cti_distb_face -- eight vertex-triangle pairs; feature as numbers */
CTI_INLINE cti_r8 cti_distb_face(cti_r8 x[4][3], cti_r8 w[3], cti_r8 *feature)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), u[3], v[3], r[3], n[3], c[3], e[3], n2, w1, w2, d2, t, less, in, sum;
    cti_r8 best = cti_set8(CTI_REAL_MAX);
    int i, j, k;
    /* the three edges */
    w[0] = w[1] = w[2] = *feature = zero;
    for (i = 0; i < 3; i++) {
        j = i == 2 ? 0 : i + 1;
        cti_sub3_8(x[0], x[1 + i], c), cti_sub3_8(x[1 + j], x[1 + i], e);
        d2 = cti_distb_segment(c, e, &t);
        less = cti_lt8(d2, best);
        best = cti_select8(less, d2, best);
        for (k = 0; k < 3; k++)
            w[k] = cti_select8(less, k == i ? cti_sub8(one, t) : (k == j ? t : zero), w[k]);
        t = cti_select8(cti_lt8(zero, t), cti_select8(cti_lt8(t, one), cti_set8((ct_real)(3 + i)), cti_set8((ct_real)j)),
                        cti_set8((ct_real)i));
        *feature = cti_select8(less, t, *feature);
    }
    /* the foot on the plane */
    cti_sub3_8(x[2], x[1], u), cti_sub3_8(x[3], x[1], v), cti_sub3_8(x[0], x[1], r);
    cti_cross8(u, v, n);
    n2 = cti_dot8(n, n);
    cti_cross8(r, v, c), w1 = cti_dot8(c, n);
    cti_cross8(u, r, c), w2 = cti_dot8(c, n);
    sum = cti_add8(w1, w2);
    in = CTI_R8(and)(CTI_R8(and)(cti_lt8(zero, w1), cti_lt8(zero, w2)), cti_lt8(sum, n2));
    if (!cti_bits8(in))
        return best;
    w1 = cti_div8(w1, n2), w2 = cti_div8(w2, n2);
    for (k = 0; k < 3; k++)
        r[k] = cti_nmad8(cti_nmad8(r[k], u[k], w1), v[k], w2);
    d2 = cti_dot8(r, r);
    /* a flat triangle's foot must be better than its edges */
    less = cti_lt8(n2, cti_mul8(cti_mul8(cti_set8(CTI_DISTB_FLAT), cti_dot8(u, u)), cti_dot8(v, v)));
    in = CTI_R8(and)(in, cti_select8(less, cti_lt8(d2, best), in));
    w[0] = cti_select8(in, cti_max8(cti_sub8(cti_sub8(one, w1), w2), zero), w[0]);
    w[1] = cti_select8(in, w1, w[1]), w[2] = cti_select8(in, w2, w[2]);
    *feature = cti_select8(in, cti_set8(6), *feature);
    return cti_select8(in, d2, best);
}

/* cti_distb_better -- takes over (d2, s, t) where d2 is less than best */
CTI_INLINE void cti_distb_better(cti_r8 d2, cti_r8 s, cti_r8 t, cti_r8 *best, cti_r8 st[2])
{
    cti_r8 less = cti_lt8(d2, *best);
    *best = cti_select8(less, d2, *best);
    st[0] = cti_select8(less, s, st[0]), st[1] = cti_select8(less, t, st[1]);
}

/* cti_distb_edges -- eight edge-edge pairs */
CTI_INLINE cti_r8 cti_distb_edges(cti_r8 x[4][3], cti_r8 st[2], cti_r8 *feature)
{
    cti_r8 one = cti_set8(1), zero = cti_set8(0), u[3], v[3], w[3], n[3], c[3], n2, s, t, d2, best, less, in, fa, fb;
    int k;
    cti_sub3_8(x[1], x[0], u), cti_sub3_8(x[3], x[2], v), cti_sub3_8(x[2], x[0], w);
    /* end points of a against b, then of b against a */
    for (k = 0; k < 3; k++)
        c[k] = cti_sub8(zero, w[k]);
    best = cti_distb_segment(c, v, &st[1]), st[0] = zero;
    cti_sub3_8(u, w, c);
    d2 = cti_distb_segment(c, v, &t), cti_distb_better(d2, one, t, &best, st);
    d2 = cti_distb_segment(w, u, &s), cti_distb_better(d2, s, zero, &best, st);
    for (k = 0; k < 3; k++)
        c[k] = cti_add8(w[k], v[k]);
    d2 = cti_distb_segment(c, u, &s), cti_distb_better(d2, s, one, &best, st);
    fa = cti_select8(cti_lt8(zero, st[0]), cti_select8(cti_lt8(st[0], one), zero, cti_set8(CTI_DIST_A1)), cti_set8(CTI_DIST_A0));
    fb = cti_select8(cti_lt8(zero, st[1]), cti_select8(cti_lt8(st[1], one), zero, cti_set8(CTI_DIST_B1)), cti_set8(CTI_DIST_B0));
    *feature = cti_add8(fa, fb);
    /* the common perpendicular */
    cti_cross8(u, v, n);
    n2 = cti_dot8(n, n);
    cti_cross8(w, v, c), s = cti_dot8(c, n);
    cti_cross8(w, u, c), t = cti_dot8(c, n);
    in = CTI_R8(and)(CTI_R8(and)(cti_lt8(zero, s), cti_lt8(s, n2)), CTI_R8(and)(cti_lt8(zero, t), cti_lt8(t, n2)));
    if (!cti_bits8(in))
        return best;
    s = cti_div8(s, n2), t = cti_div8(t, n2);
    for (k = 0; k < 3; k++)
        w[k] = cti_nmad8(cti_mad8(w[k], v[k], t), u[k], s);
    d2 = cti_dot8(w, w);
    less = cti_lt8(n2, cti_mul8(cti_mul8(cti_set8(CTI_DISTB_FLAT), cti_dot8(u, u)), cti_dot8(v, v)));
    in = CTI_R8(and)(in, cti_select8(less, cti_lt8(d2, best), in));
    st[0] = cti_select8(in, s, st[0]), st[1] = cti_select8(in, t, st[1]), *feature = cti_select8(in, zero, *feature);
    return cti_select8(in, d2, best);
}

CTI_FN void cti_dist_pt_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *w3, int32_t *feature)
{
    cti_r8 p[4][3], w[3], f;
    ct_real buf[5][8];
    int i, j, m;
    for (i = 0; i < n; i += 8) {
        m = n - i < 8 ? n - i : 8;
        for (j = 0; j < 4; j++)
            cti_distb_load(x, quads + 4 * (size_t)i, m, j, p[j]);
        cti_store8(buf[0], cti_distb_face(p, w, &f));
        cti_store8(buf[1], w[0]), cti_store8(buf[2], w[1]), cti_store8(buf[3], w[2]), cti_store8(buf[4], f);
        for (j = 0; j < m; j++) {
            d2[i + j] = buf[0][j], feature[i + j] = (int32_t)buf[4][j];
            w3[3 * (i + j)] = buf[1][j], w3[3 * (i + j) + 1] = buf[2][j], w3[3 * (i + j) + 2] = buf[3][j];
        }
    }
}

CTI_FN void cti_dist_ee_batch(const ct_real *x, const int32_t *quads, int n, ct_real *d2, ct_real *st, int32_t *feature)
{
    cti_r8 p[4][3], s[2], f;
    ct_real buf[4][8];
    int i, j, m;
    for (i = 0; i < n; i += 8) {
        m = n - i < 8 ? n - i : 8;
        for (j = 0; j < 4; j++)
            cti_distb_load(x, quads + 4 * (size_t)i, m, j, p[j]);
        cti_store8(buf[0], cti_distb_edges(p, s, &f));
        cti_store8(buf[1], s[0]), cti_store8(buf[2], s[1]), cti_store8(buf[3], f);
        for (j = 0; j < m; j++) {
            d2[i + j] = buf[0][j], feature[i + j] = (int32_t)buf[3][j];
            st[2 * (i + j)] = buf[1][j], st[2 * (i + j) + 1] = buf[2][j];
        }
    }
}

#undef CTI_DISTB_FLAT

/* ---- 4_geom/ccd.h ---- */
/* ccd.h -- continuous collision detection: the first time at which two features that move on straight lines touch, or come as near as a
   minimum distance. All arithmetic is double in both builds (float input is exact in double; the answer is rounded down to ct_real). */


#define CTI_CCD_NONE 2.0 /* time of impact of a pair that stays apart */

/* Single queries: x0, x1 points at t = 0 and t = 1 (VF vertex, face 0 1 2; EE edge a 0 1, edge b 0 1; VE vertex, edge 0 1; VV).
   min_distance >= 0 [m], 0: touch. Returns 1 and the time in [0, 1], never late, or 0 and CTI_CCD_NONE. Input that is not finite, or a
   negative distance, counts as contact at 0. */
CTI_FN int cti_ccd_vf(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_ee(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_ve(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_toi);
CTI_FN int cti_ccd_vv(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_toi);

/* Batches: points x0, x1 [3 points], quads [4 n] point numbers, min_distance [n] or NULL (0), toi [n]. Return the number of contacts.
   A batch may free a pair that a single query, within rounding, calls a contact: it looks at more planes first. */
CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi);

/* ---- between the ccd_*.c files ---- */
#define CTI_CCD_VF 0
#define CTI_CCD_EE 1
#define CTI_CCD_VE 2
#define CTI_CCD_VV 3

/* One query relative to one of its points, scaled by a power of two so that the largest coordinate lies in [1, 2).
   h   hull of all differences of the two features: VF a-p b-p c-p, VE, VV alike; EE a0-b0 a1-b0 a1-b1 a0-b1 (a cycle)
   c   VF c-p, EE b1-b0: third vector of the coplanarity cubic det(h[0], h[1], c)
   big largest |coordinate| by axis, over h and c at both ends
   x   the caller's points; a difference above is fl(x pre - x' pre) post[0] post[1], factors powers of two */
typedef struct cti_ccd_query {
    int kind, n_hull;
    double h[2][4][3], c[2][3], big[3], distance, pre, post[2];
    const double *x[2];
} cti_ccd_query;

/* cti_ccd_prepare -- 1: go on; 0: contact at 0 for certain or no finite input */
CTI_FN int cti_ccd_prepare(cti_ccd_query *q, int kind, const double *x0, const double *x1, double distance);
/* cti_ccd_direction -- at time t a direction (unit length) along which the hull is far from the origin; returns the certified lower bound
   of the distance along it (may be negative) */
CTI_FN double cti_ccd_direction(const cti_ccd_query *q, double t, double n[3]);
/* cti_ccd_plane, cti_ccd_clear -- 1 when for certain the features stay apart by more than the distance in [t0, t1]: a fixed plane lies in
   the gap; a fixed plane, or one that turns with the features */
CTI_FN int cti_ccd_plane(const cti_ccd_query *q, double t0, double t1);
CTI_FN int cti_ccd_clear(const cti_ccd_query *q, double t0, double t1);
/* Searches: time or CTI_CCD_NONE. touch: VF and EE at distance 0, advance: all kinds, any distance. */
CTI_FN double cti_ccd_touch(const cti_ccd_query *q);
CTI_FN double cti_ccd_advance(const cti_ccd_query *q);
CTI_FN double cti_ccd_solve(int kind, const double *x0, const double *x1, double distance);


/* ---- 4_geom/ccd_advance.c ---- */
/* ccd_advance.c -- preparation of a query, certified separating planes, and the search with a minimum distance.
   Method: the two features are as far apart as the origin is from the convex hull of their differences h_i(t) = h_i(0) + t v_i. For every
   direction n, |n| <= 1, the distance at time s is at least min_i n.h_i(s), and each n.h_i is linear in s. With n along the nearest point
   of the hull at t this bound is sharp at t, so all times up to the first root of min_i n.h_i(s) = distance are free: go there, repeat.
   Rounding (u = 2^-53, B_k the largest coordinate of axis k): a difference of input points is off by u B_k at most; h(0) + s (h(1) - h(0))
   adds 2u B_k (difference) + 2u B_k (product) + u B_k (1 + 4u) (sum); the inner product with n adds 3u sum_k |n_k| B_k. Together
       |computed n.h - exact n.h| <= 10u sum_k |n_k| B_k (1 + 20u),   below CTI_CCD_DOT sum_k |n_k| B_k + tiny.
   based on: Mirtich, conservative advancement; Li et al. 2021, additive CCD (the loop); Catto, bilateral advancement (a fixed axis). */

#define CTI_CCD_STRIDES 256 /* then the time reached is the answer: early, never late */
#define CTI_CCD_DOT (12 * 1.1102230246251565e-16)
#define CTI_CCD_TINY 1e-290 /* more than all underflow of one query, whose largest coordinate is at least 1 */

/* cti_ccd_scale -- 2^-e with 1 <= x 2^-e < 2 for normal x; clamped to 2^-1021 .. 2^1021 */
static double cti_ccd_scale(double x)
{
    uint64_t u;
    int64_t e;
    double r;
    memcpy(&u, &x, sizeof u);
    e = (int64_t)((u >> 52) & 0x7ff);
    e = 2046 - e;
    if (e > 2044)
        e = 2044;
    if (e < 2)
        e = 2;
    u = (uint64_t)e << 52;
    memcpy(&r, &u, sizeof r);
    return r;
}

/* cti_ccd_relative -- differences of one end, times `half` on both operands first (1, or 1/2 where a difference would overflow) */
static void cti_ccd_relative(cti_ccd_query *q, int end, const double *x, double half)
{
    int k;
    for (k = 0; k < 3; k++) {
        double p[4];
        int i, n = q->kind == CTI_CCD_VF || q->kind == CTI_CCD_EE ? 4 : (q->kind == CTI_CCD_VE ? 3 : 2);
        for (i = 0; i < n; i++)
            p[i] = x[3 * i + k] * half;
        q->c[end][k] = 0;
        if (q->kind == CTI_CCD_EE) {
            q->h[end][0][k] = p[0] - p[2], q->h[end][1][k] = p[1] - p[2];
            q->h[end][2][k] = p[1] - p[3], q->h[end][3][k] = p[0] - p[3];
            q->c[end][k] = p[3] - p[2];
        } else {
            for (i = 1; i < n; i++)
                q->h[end][i - 1][k] = p[i] - p[0];
            if (q->kind == CTI_CCD_VF)
                q->c[end][k] = q->h[end][2][k];
        }
    }
}

/* cti_ccd_measure -- q->big; returns the largest coordinate, NaN where one is NaN */
static double cti_ccd_measure(cti_ccd_query *q)
{
    double top = 0;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        double m = 0;
        for (e = 0; e < 2; e++) {
            m = fabs(q->c[e][k]) > m ? fabs(q->c[e][k]) : m;
            for (i = 0; i < q->n_hull; i++)
                m = !(fabs(q->h[e][i][k]) <= m) ? fabs(q->h[e][i][k]) : m;
        }
        q->big[k] = m;
        top = !(m <= top) ? m : top;
    }
    return top;
}

CTI_FN int cti_ccd_prepare(cti_ccd_query *q, int kind, const double *x0, const double *x1, double distance)
{
    static const int hull[4] = {3, 4, 2, 1};
    double top, s;
    int e, i, k, pass, positive = distance > 0;
    q->kind = kind, q->n_hull = hull[kind], q->x[0] = x0, q->x[1] = x1;
    q->pre = q->post[0] = q->post[1] = 1;
    cti_ccd_relative(q, 0, x0, 1), cti_ccd_relative(q, 1, x1, 1);
    top = cti_ccd_measure(q);
    if (!cti_finite64(top)) {
        /* a difference overflowed: halves of finite numbers never do */
        cti_ccd_relative(q, 0, x0, 0.5), cti_ccd_relative(q, 1, x1, 0.5);
        top = cti_ccd_measure(q);
        distance *= 0.5, q->pre = 0.5;
    }
    if (!cti_finite64(top) || !(distance >= 0) || !(top > 0) || !(distance <= 4 * top))
        return 0;
    /* two passes: a subnormal `top` needs two factors */
    for (pass = 0; pass < 2 && !(top >= 1 && top < 2); pass++) {
        s = q->post[pass] = cti_ccd_scale(top);
        for (k = 0; k < 3; k++) {
            for (e = 0; e < 2; e++) {
                q->c[e][k] *= s;
                for (i = 0; i < q->n_hull; i++)
                    q->h[e][i][k] *= s;
            }
            q->big[k] *= s;
        }
        top *= s, distance *= s;
    }
    /* a distance that underflowed must not become a touch query */
    q->distance = distance > 0 || !positive ? distance : CTI_CCD_TINY;
    return 1;
}

static double cti_ccd_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cti_ccd_cross(const double *a, const double *b, double *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1], r[1] = a[2] * b[0] - a[0] * b[2], r[2] = a[0] * b[1] - a[1] * b[0];
}

/* cti_ccd_place -- the hull at time t */
static void cti_ccd_place(const cti_ccd_query *q, double t, double h[4][3])
{
    int i, k;
    for (i = 0; i < q->n_hull; i++)
        for (k = 0; k < 3; k++)
            h[i][k] = q->h[0][i][k] + t * (q->h[1][i][k] - q->h[0][i][k]);
}

/* cti_ccd_lowest -- min_i n.h_i minus its error bound */
static double cti_ccd_lowest(const cti_ccd_query *q, double h[4][3], const double *n)
{
    double low = cti_ccd_dot(n, h[0]), s;
    int i;
    for (i = 1; i < q->n_hull; i++) {
        s = cti_ccd_dot(n, h[i]);
        low = s < low ? s : low;
    }
    return low - CTI_CCD_DOT * (fabs(n[0]) * q->big[0] + fabs(n[1]) * q->big[1] + fabs(n[2]) * q->big[2]) - CTI_CCD_TINY;
}

/* cti_ccd_unit -- n / (|n| (1 + 8u)), so that the length is 1 at most; 0 where n has no direction */
static int cti_ccd_unit(double n[3])
{
    double m = fabs(n[0]) > fabs(n[1]) ? fabs(n[0]) : fabs(n[1]), s;
    m = fabs(n[2]) > m ? fabs(n[2]) : m;
    if (!(m > 1e-300) || !cti_finite64(m))
        return 0;
    n[0] /= m, n[1] /= m, n[2] /= m;
    s = (1 - 1e-15) / sqrt(cti_ccd_dot(n, n));
    n[0] *= s, n[1] *= s, n[2] *= s;
    return 1;
}

/* cti_ccd_rim -- nearest point to the origin on the boundary of the hull polygon */
static void cti_ccd_rim(double h[4][3], int m, double v[3])
{
    double best = 0;
    int i, k;
    for (i = 0; i < (m > 2 ? m : 1); i++) {
        const double *a = h[i], *b = h[i + 1 < m ? i + 1 : 0];
        double d[3], r[3], s, l2, r2;
        for (k = 0; k < 3; k++)
            d[k] = b[k] - a[k];
        l2 = cti_ccd_dot(d, d), s = -cti_ccd_dot(a, d);
        s = s > 0 ? (s < l2 ? s / l2 : 1) : 0;
        for (k = 0; k < 3; k++)
            r[k] = s < 1 ? a[k] + s * d[k] : b[k];
        r2 = cti_ccd_dot(r, r);
        if (i == 0 || r2 < best)
            best = r2, v[0] = r[0], v[1] = r[1], v[2] = r[2];
    }
}

/* cti_ccd_face -- normal of the polygon towards its side away from the origin; 0 when the origin's foot is outside */
static int cti_ccd_face(double h[4][3], int m, double n[3])
{
    double u[3], v[3], x[3], s;
    int i, k;
    for (k = 0; k < 3; k++)
        u[k] = h[1][k] - h[0][k], v[k] = h[m - 1][k] - h[0][k];
    cti_ccd_cross(u, v, n);
    for (i = 0; i < m; i++) {
        cti_ccd_cross(h[i], h[i + 1 < m ? i + 1 : 0], x);
        if (!(cti_ccd_dot(x, n) >= 0))
            return 0;
    }
    s = cti_ccd_dot(n, h[0]);
    if (s < 0)
        n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
    return 1;
}

CTI_FN double cti_ccd_direction(const cti_ccd_query *q, double t, double n[3])
{
    double h[4][3], f[3], a = -1, b;
    cti_ccd_place(q, t, h);
    n[0] = n[1] = n[2] = 0;
    if (q->n_hull > 2 && cti_ccd_face(h, q->n_hull, n) && cti_ccd_unit(n))
        a = cti_ccd_lowest(q, h, n);
    else
        n[0] = n[1] = n[2] = 0;
    /* the sharper of face and rim */
    cti_ccd_rim(h, q->n_hull, f);
    if (cti_ccd_unit(f)) {
        b = cti_ccd_lowest(q, h, f);
        if (b > a)
            a = b, n[0] = f[0], n[1] = f[1], n[2] = f[2];
    }
    return a;
}

/* cti_ccd_turning -- 1 when for certain the distance is kept in [t0, t1] along a direction that turns linearly from n0 to n1: for each i
   n(s).h_i(s) is a quadratic with Bernstein coefficients n0.h_i(t0), (n0.h_i(t1) + n1.h_i(t0)) / 2, n1.h_i(t1), and |n(s)| <= 1 */
static int cti_ccd_turning(const cti_ccd_query *q, double t0, const double *n0, double t1, const double *n1)
{
    double a[4][3], b[4][3], edge = q->distance + CTI_CCD_TINY, s;
    int i, k;
    cti_ccd_place(q, t0, a), cti_ccd_place(q, t1, b);
    for (k = 0; k < 3; k++)
        edge += CTI_CCD_DOT * (fabs(n0[k]) + fabs(n1[k])) * q->big[k];
    for (i = 0; i < q->n_hull; i++) {
        s = 0.5 * (cti_ccd_dot(n0, b[i]) + cti_ccd_dot(n1, a[i]));
        if (!(cti_ccd_dot(n0, a[i]) > edge && s > edge && cti_ccd_dot(n1, b[i]) > edge))
            return 0;
    }
    return 1;
}

CTI_FN int cti_ccd_plane(const cti_ccd_query *q, double t0, double t1)
{
    double n[3], h[4][3];
    if (!(cti_ccd_direction(q, t0 + 0.5 * (t1 - t0), n) > q->distance))
        return 0;
    cti_ccd_place(q, t0, h);
    if (!(cti_ccd_lowest(q, h, n) > q->distance))
        return 0;
    cti_ccd_place(q, t1, h);
    return cti_ccd_lowest(q, h, n) > q->distance;
}

CTI_FN int cti_ccd_clear(const cti_ccd_query *q, double t0, double t1)
{
    double n[3], m[3];
    if (cti_ccd_plane(q, t0, t1))
        return 1;
    return cti_ccd_direction(q, t0, n) > q->distance && cti_ccd_direction(q, t1, m) > q->distance && cti_ccd_turning(q, t0, n, t1, m);
}

/* cti_ccd_reach -- estimate of the share of [t0, t1] that n0 turning to n1 frees: first root of the quadratics, 1 where there is none */
static double cti_ccd_reach(const cti_ccd_query *q, double t0, const double *n0, double t1, const double *n1)
{
    double a[4][3], b[4][3], edge = q->distance, share = 1, c0, c1, c2, p, r, d;
    int i, k;
    cti_ccd_place(q, t0, a), cti_ccd_place(q, t1, b);
    for (k = 0; k < 3; k++)
        edge += 2 * CTI_CCD_DOT * (fabs(n0[k]) + fabs(n1[k])) * q->big[k];
    for (i = 0; i < q->n_hull; i++) {
        /* c0 + 2 p s + r s^2 */
        c0 = cti_ccd_dot(n0, a[i]) - edge, c2 = cti_ccd_dot(n1, b[i]) - edge;
        c1 = 0.5 * (cti_ccd_dot(n0, b[i]) + cti_ccd_dot(n1, a[i])) - edge;
        if (c0 > 0 && c1 > 0 && c2 > 0)
            continue;
        if (!(c0 > 0))
            return 0;
        p = c1 - c0, r = c0 - 2 * c1 + c2, d = p * p - r * c0;
        if (d < 0)
            continue;
        d = sqrt(d) - p;
        if (d > 0 && c0 < share * d)
            share = c0 / d;
    }
    return share;
}

/* cti_ccd_stride -- from t along n0: the end of a certified free interval [t, result]; t when none was found. A fixed direction comes
   first, then one that turns towards the direction at *ratio times its reach; *ratio adapts to what that was good for */
static double cti_ccd_stride(const cti_ccd_query *q, double t, const double *n0, double *ratio)
{
    double n1[3], m[3], fixed, share, end;
    int k;
    share = cti_ccd_reach(q, t, n0, 1, n0);
    if (share >= 1 && cti_ccd_turning(q, t, n0, 1, n0))
        return 1;
    fixed = share * (1 - t);
    end = t + *ratio * fixed < 1 ? t + *ratio * fixed : 1;
    cti_ccd_direction(q, end, n1);
    if (cti_ccd_dot(n0, n1) > 0.5) {
        share = cti_ccd_reach(q, t, n0, end, n1);
        if (share * (end - t) > fixed) {
            *ratio = share < 1 ? 2 * share * *ratio : 4 * *ratio;
            share *= share < 1 ? 1 - 1e-12 : 1;
            end = share < 1 ? t + share * (end - t) : end;
            for (k = 0; k < 3; k++)
                m[k] = n0[k] + share * (n1[k] - n0[k]);
            if (end > t && cti_ccd_turning(q, t, n0, end, m))
                return end;
        }
    }
    *ratio = 0.5 * *ratio > 2 ? 0.5 * *ratio : 2;
    for (k = 0; k < 2; k++) {
        end = t + fixed * (k ? 0.5 : 1 - 1e-12);
        if (end > t && cti_ccd_turning(q, t, n0, end, n0))
            return end;
    }
    return t;
}

CTI_FN double cti_ccd_advance(const cti_ccd_query *q)
{
    double t = 0, n[3], ratio = 4, end;
    int pass;
    for (pass = 0; pass < CTI_CCD_STRIDES; pass++) {
        if (!(cti_ccd_direction(q, t, n) - q->distance > 1e-9 * q->distance))
            return t;
        end = cti_ccd_stride(q, t, n, &ratio);
        if (end >= 1)
            return CTI_CCD_NONE;
        if (!(end - t > 1e-15))
            return t;
        t = end;
    }
    return t;
}

#undef CTI_CCD_DOT
#undef CTI_CCD_STRIDES
#undef CTI_CCD_TINY

/* ---- 4_geom/ccd_touch.c ---- */
/* ccd_touch.c -- first time at which a vertex meets a triangle, or an edge an edge (distance 0): a certified inclusion search in time.
   Method: with a, b, c the three difference vectors (linear in t), ab = a x b, bc = b x c, ca = c x a, contact needs
       f = a.bc = 0 (coplanar) and, where the normal n is not zero, VF: n = ab + bc + ca,  ab.n, bc.n, ca.n >= 0
                                                                   EE: n = bc + ca,  ca.n, bc.n, -ab.n, (n + ab).n >= 0.
   f is a cubic, the others are quartics in t. Their Bernstein coefficients bound them: an interval without a zero of f, or with a negative
   quartic, is free. The leftmost interval that is not free is split at the border of the expected root of f, else in the middle. Where f
   vanishes to rounding (coplanar motion, parallel or zero-length edges, flat triangles) a plane through the gap decides (cti_ccd_clear).
   What double precision leaves open on a short or flat interval goes once more through the same polynomials in double-double, from exact
   differences of the input. There is no "no" without a certificate; the answer is the left end of the first interval that was not freed.

   Error bounds. u = 2^-53; B_k bounds coordinate k of a, b, c at both ends (q->big), P = B_x B_y B_z, S_x = B_y B_z (S_y, S_z alike),
   Q = S_x^2 + S_y^2 + S_z^2. Products of second order in u are covered by rounding the constants up. Every product in f has one factor of
   each axis. A difference of inputs is exact up to a factor (1 + u).
     cross product of one pair of ends    values 2S, rounding 2u S (products) + 2u S (difference)                         = 4u S
     middle coefficient (b0 x c1 + b1 x c0) / 2   values 2S, (4 + 4)u S + 4u S (sum), halved: exact                       = 6u S
     f_0 = a0.bc_0    per axis 4u P inherited + 2u P product; three axes 18u P; two sums (4 + 6)u P                       = 28u P
     3 f_1 = a1.bc_0 + 2 a0.bc_1          28u P + (3 (12 + 4) + 8 + 12)u P + 18u P (sum)                                  = 114u P
     inputs: three factors, (3u)(6 P) for f_0, (3u)(18 P) for 3 f_1; then / 3 with one more rounding of a value <= 6P:
     f_0, f_3: 46u P      f_1, f_2: (114 + 54)/3 + 6 = 62u P                                          -> CTI_TOUCH_EF = 64u P
     with inputs (2u on values 2S): ab, bc, ca  (6 + 4)u S = 10u S;  n, values 6S (EE 4S): three of them 30u S + sums (4 + 6)u S = 40u S
     products of coefficients, per axis, values 12 S^2: 10u 6 + 40u 2 + 12u = 152u S^2; inner product of three axes + 24u Q = 176u Q
     g_1 = mean of two: + 12u Q;  g_2 = (d0 + 4 d1 + d2) / 6: + 22u Q + 12u Q                          -> CTI_TOUCH_EG = 224u Q
     n + ab (EE, values 6S, 40u S) times n (values 4S, 24u S): 40u 4 + 24u 6 + 24u = 328u S^2, + 48u Q + (44 + 24)u Q
                                                                                                       -> CTI_TOUCH_EH = 456u Q
   In double-double u becomes CTI_DD_U, differences are exact, and positions inside [0, 1] add 8u B per coordinate: 144u P to f, 32u S to
   ab, bc, ca, hence n is within 124u S: all bounds stay below four times those above.
   Splitting at s = (ts - t0) / (t1 - t0), off by 3u at most, by de Casteljau: one level of (1 - s) p + s q with |p|, |q| <= M adds 3u M of
   rounding and 6u M from s; degree d adds at most 9 d u M, so E grows by 32u M (cubic), 40u M (quartic).
   based on: Provot 1997 (the cubic); Wang et al. 2021 (inclusion, never a miss); Brochu et al. 2012 (certified signs); Bezier clipping. */

#define CTI_TOUCH_U 1.1102230246251565e-16
#define CTI_TOUCH_UDD (4 * CTI_DD_U)
#define CTI_TOUCH_EF 64
#define CTI_TOUCH_EG 224
#define CTI_TOUCH_EH 456
#define CTI_TOUCH_TINY 1e-290
#define CTI_TOUCH_SOLID 4294967296.0
#define CTI_TOUCH_WIDTH 5.6843418860808015e-14     /* 2^-44: shortest piece in double */
#define CTI_TOUCH_WIDTHDD 8.2718061255302767e-25   /* 2^-80: in double-double */
#define CTI_TOUCH_WIDTHSURE 5.8207660913467407e-11 /* 2^-34: shortest piece that certainly holds a contact */
#define CTI_TOUCH_WIDTHBLIND 2.44140625e-4         /* 2^-12: longest piece that is handed on because double sees nothing in it */
#define CTI_TOUCH_DEPTH 64
#define CTI_TOUCH_DEPTHDD 84
#define CTI_TOUCH_BUDGET 320   /* pieces looked at in one query, in double */
#define CTI_TOUCH_BUDGETDD 256 /* and in double-double */

/* what is known of a piece that is not free: contact is possible; f is zero to rounding; the quartics say inside or on the border, to
   rounding; contact is certain; the quartics are lost in rounding (the normal nearly vanishes: only planes through the gap can tell) */
#define CTI_TOUCH_OPEN 1
#define CTI_TOUCH_FLAT 2
#define CTI_TOUCH_SETTLED 4
#define CTI_TOUCH_CERTAIN 8
#define CTI_TOUCH_BLIND 16

static double cti_touch_d_add(double a, double b) { return a + b; }
static double cti_touch_d_sub(double a, double b) { return a - b; }
static double cti_touch_d_mul(double a, double b) { return a * b; }
static double cti_touch_d_scale(double a, double s) { return a * s; }
static double cti_touch_d_third(double a) { return a / 3; }
static double cti_touch_d_mix(double a, double b, double s) { return (1 - s) * a + s * b; }
static double cti_touch_d_high(double a) { return a; }
#define CTI_T double
#define CTI_TN(name) cti_touch_d_##name
/* ccd_touch.inl -- polynomials of a touch query over a piece of time, for CTI_T = double and cti_dd. CTI_TN(name) names the operations
   add, sub, mul, scale (power of two), third (x / 3), mix ((1 - s) a + s b), high (leading double) and everything that is defined here. */

/* f coplanarity cubic, g the four inside quartics (VF: the last one twice), ef, eg their error bounds. The piece is [t0, t1] in double, and
   t0 + tl .. t0 + tl + width in double-double, where a double cannot hold the time */
typedef struct CTI_TN(piece) {
    double t0, t1, tl, width, ef, eg[4];
    CTI_T f[4], g[4][5];
} CTI_TN(piece);

static CTI_T CTI_TN(dot)(const CTI_T *a, const CTI_T *b)
{
    return CTI_TN(add)(CTI_TN(add)(CTI_TN(mul)(a[0], b[0]), CTI_TN(mul)(a[1], b[1])), CTI_TN(mul)(a[2], b[2]));
}

static void CTI_TN(cross)(const CTI_T *a, const CTI_T *b, CTI_T *r)
{
    r[0] = CTI_TN(sub)(CTI_TN(mul)(a[1], b[2]), CTI_TN(mul)(a[2], b[1]));
    r[1] = CTI_TN(sub)(CTI_TN(mul)(a[2], b[0]), CTI_TN(mul)(a[0], b[2]));
    r[2] = CTI_TN(sub)(CTI_TN(mul)(a[0], b[1]), CTI_TN(mul)(a[1], b[0]));
}

/* Bernstein coefficients r [3] of a(t) x b(t) */
static void CTI_TN(quadric)(const CTI_T *a0, const CTI_T *a1, const CTI_T *b0, const CTI_T *b1, CTI_T r[3][3])
{
    CTI_T x[3], y[3];
    int k;
    CTI_TN(cross)(a0, b0, r[0]), CTI_TN(cross)(a1, b1, r[2]);
    CTI_TN(cross)(a0, b1, x), CTI_TN(cross)(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = CTI_TN(scale)(CTI_TN(add)(x[k], y[k]), 0.5);
}

/* Bernstein coefficients g [5] of sign x(t).n(t); sign is 1 or -1 */
static void CTI_TN(quartic)(CTI_T x[3][3], CTI_T n[3][3], double sign, CTI_T g[5])
{
    CTI_T a = CTI_TN(dot)(x[0], n[2]), b = CTI_TN(dot)(x[1], n[1]), c = CTI_TN(dot)(x[2], n[0]);
    g[0] = CTI_TN(scale)(CTI_TN(dot)(x[0], n[0]), sign);
    g[1] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[0], n[1]), CTI_TN(dot)(x[1], n[0])), 0.5 * sign);
    g[2] = CTI_TN(third)(CTI_TN(scale)(CTI_TN(add)(CTI_TN(add)(a, CTI_TN(scale)(b, 4)), c), 0.5 * sign));
    g[3] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[1], n[2]), CTI_TN(dot)(x[2], n[1])), 0.5 * sign);
    g[4] = CTI_TN(scale)(CTI_TN(dot)(x[2], n[2]), sign);
}

/* all polynomials and their error bounds; a, b, c at both ends of the piece, unit the roundoff */
static void CTI_TN(start)(int kind, CTI_T a[2][3], CTI_T b[2][3], CTI_T c[2][3], const double *big, double unit, CTI_TN(piece) * p)
{
    CTI_T ab[3][3], bc[3][3], ca[3][3], n[3][3];
    double sx = big[1] * big[2], sy = big[2] * big[0], sz = big[0] * big[1], area = unit * (sx * sx + sy * sy + sz * sz);
    int i, k;
    CTI_TN(quadric)(a[0], a[1], b[0], b[1], ab);
    CTI_TN(quadric)(b[0], b[1], c[0], c[1], bc);
    CTI_TN(quadric)(c[0], c[1], a[0], a[1], ca);
    /* f = a.bc */
    p->f[0] = CTI_TN(dot)(a[0], bc[0]);
    p->f[1] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[1], bc[0]), CTI_TN(scale)(CTI_TN(dot)(a[0], bc[1]), 2)));
    p->f[2] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[0], bc[2]), CTI_TN(scale)(CTI_TN(dot)(a[1], bc[1]), 2)));
    p->f[3] = CTI_TN(dot)(a[1], bc[2]);
    p->ef = CTI_TOUCH_EF * (unit * (big[0] * big[1] * big[2])) + CTI_TOUCH_TINY;
    /* n; bc.n, ca.n, +-ab.n, and (n + ab).n of edges */
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = CTI_TN(add)(bc[i][k], ca[i][k]);
            if (kind == CTI_CCD_VF)
                n[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        }
    }
    for (i = 0; i < 4; i++)
        p->eg[i] = CTI_TOUCH_EG * area + CTI_TOUCH_TINY;
    CTI_TN(quartic)(bc, n, 1, p->g[0]), CTI_TN(quartic)(ca, n, 1, p->g[1]);
    CTI_TN(quartic)(ab, n, kind == CTI_CCD_VF ? 1 : -1, p->g[2]);
    if (kind == CTI_CCD_EE) {
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                ab[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        CTI_TN(quartic)(ab, n, 1, p->g[3]);
        p->eg[3] = CTI_TOUCH_EH * area + CTI_TOUCH_TINY;
    } else {
        memcpy(p->g[3], p->g[2], sizeof p->g[3]);
    }
}

static void CTI_TN(range)(const CTI_T *c, int n, double *low, double *high)
{
    double a = CTI_TN(high)(c[0]), b = a, x;
    int i;
    for (i = 1; i < n; i++) {
        x = CTI_TN(high)(c[i]);
        a = x < a ? x : a, b = x > b ? x : b;
    }
    *low = a, *high = b;
}

/* 0: no contact in the piece; else CTI_TOUCH_OPEN and what more is known */
static int CTI_TN(state)(const CTI_TN(piece) * p)
{
    double low, high, first = CTI_TN(high)(p->f[0]), last = CTI_TN(high)(p->f[3]);
    double best = 0;
    int i, inside = 0, level = 0, r = CTI_TOUCH_OPEN;
    CTI_TN(range)(p->f, 4, &low, &high);
    if (low > p->ef || high < -p->ef)
        return 0;
    if (low >= -16 * p->ef && high <= 16 * p->ef)
        r |= CTI_TOUCH_FLAT;
    for (i = 0; i < 4; i++) {
        CTI_TN(range)(p->g[i], 5, &low, &high);
        if (high < -p->eg[i])
            return 0;
        best = low > best ? low : best;
        if (low > p->eg[i])
            inside++;
        else if (low >= -16 * p->eg[i] && high <= 16 * p->eg[i])
            level++;
    }
    /* a quartic that is zero to rounding puts the point on the border only where n^2, a sum of quartics, is far above rounding */
    if (inside + level == 4)
        r |= inside == 4 || best > CTI_TOUCH_SOLID * p->eg[3] ? CTI_TOUCH_SETTLED : CTI_TOUCH_BLIND;
    if (inside == 4 && ((first > p->ef && last < -p->ef) || (first < -p->ef && last > p->ef)))
        r |= CTI_TOUCH_CERTAIN;
    return r;
}

/* de Casteljau: c keeps the part left of s, r gets the part right of it; returns the largest coefficient */
static double CTI_TN(cut)(CTI_T *c, CTI_T *r, int n, double s)
{
    double m = 0, x;
    int i, k;
    for (i = 0; i < n; i++) {
        x = fabs(CTI_TN(high)(c[i]));
        m = x > m ? x : m;
    }
    for (k = n - 1; k >= 0; k--) {
        r[k] = c[n - 1];
        for (i = n - 1; i >= n - k; i--)
            c[i] = CTI_TN(mix)(c[i - 1], c[i], s);
    }
    return m;
}

/* p keeps the part of the piece left of s, r gets the part right of it; the times are the caller's */
static void CTI_TN(split)(CTI_TN(piece) * p, CTI_TN(piece) * r, double s, double unit)
{
    int i;
    p->ef += 32 * unit * CTI_TN(cut)(p->f, r->f, 4, s);
    r->ef = p->ef;
    for (i = 0; i < 4; i++) {
        p->eg[i] += 40 * unit * CTI_TN(cut)(p->g[i], r->g[i], 5, s);
        r->eg[i] = p->eg[i];
    }
}
#undef CTI_T
#undef CTI_TN

static cti_dd cti_touch_x_add(cti_dd a, cti_dd b) { return cti_dd_add(a, b); }
static cti_dd cti_touch_x_sub(cti_dd a, cti_dd b) { return cti_dd_sub(a, b); }
static cti_dd cti_touch_x_mul(cti_dd a, cti_dd b) { return cti_dd_mul(a, b); }
static cti_dd cti_touch_x_scale(cti_dd a, double s) { return cti_dd_scale(a, s); }
static cti_dd cti_touch_x_third(cti_dd a)
{
    cti_dd t;
    t.hi = 0.33333333333333331, t.lo = 1.8503717077085941e-17; /* 1/3 to 107 bits */
    return cti_dd_mul(a, t);
}
/* pieces are always halved in double-double: s is not used */
static cti_dd cti_touch_x_mix(cti_dd a, cti_dd b, double s)
{
    CTI_UNUSED(s);
    return cti_dd_scale(cti_dd_add(a, b), 0.5);
}
static double cti_touch_x_high(cti_dd a) { return a.hi; }
#define CTI_T cti_dd
#define CTI_TN(name) cti_touch_x_##name
/* ccd_touch.inl -- polynomials of a touch query over a piece of time, for CTI_T = double and cti_dd. CTI_TN(name) names the operations
   add, sub, mul, scale (power of two), third (x / 3), mix ((1 - s) a + s b), high (leading double) and everything that is defined here. */

/* f coplanarity cubic, g the four inside quartics (VF: the last one twice), ef, eg their error bounds. The piece is [t0, t1] in double, and
   t0 + tl .. t0 + tl + width in double-double, where a double cannot hold the time */
typedef struct CTI_TN(piece) {
    double t0, t1, tl, width, ef, eg[4];
    CTI_T f[4], g[4][5];
} CTI_TN(piece);

static CTI_T CTI_TN(dot)(const CTI_T *a, const CTI_T *b)
{
    return CTI_TN(add)(CTI_TN(add)(CTI_TN(mul)(a[0], b[0]), CTI_TN(mul)(a[1], b[1])), CTI_TN(mul)(a[2], b[2]));
}

static void CTI_TN(cross)(const CTI_T *a, const CTI_T *b, CTI_T *r)
{
    r[0] = CTI_TN(sub)(CTI_TN(mul)(a[1], b[2]), CTI_TN(mul)(a[2], b[1]));
    r[1] = CTI_TN(sub)(CTI_TN(mul)(a[2], b[0]), CTI_TN(mul)(a[0], b[2]));
    r[2] = CTI_TN(sub)(CTI_TN(mul)(a[0], b[1]), CTI_TN(mul)(a[1], b[0]));
}

/* Bernstein coefficients r [3] of a(t) x b(t) */
static void CTI_TN(quadric)(const CTI_T *a0, const CTI_T *a1, const CTI_T *b0, const CTI_T *b1, CTI_T r[3][3])
{
    CTI_T x[3], y[3];
    int k;
    CTI_TN(cross)(a0, b0, r[0]), CTI_TN(cross)(a1, b1, r[2]);
    CTI_TN(cross)(a0, b1, x), CTI_TN(cross)(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = CTI_TN(scale)(CTI_TN(add)(x[k], y[k]), 0.5);
}

/* Bernstein coefficients g [5] of sign x(t).n(t); sign is 1 or -1 */
static void CTI_TN(quartic)(CTI_T x[3][3], CTI_T n[3][3], double sign, CTI_T g[5])
{
    CTI_T a = CTI_TN(dot)(x[0], n[2]), b = CTI_TN(dot)(x[1], n[1]), c = CTI_TN(dot)(x[2], n[0]);
    g[0] = CTI_TN(scale)(CTI_TN(dot)(x[0], n[0]), sign);
    g[1] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[0], n[1]), CTI_TN(dot)(x[1], n[0])), 0.5 * sign);
    g[2] = CTI_TN(third)(CTI_TN(scale)(CTI_TN(add)(CTI_TN(add)(a, CTI_TN(scale)(b, 4)), c), 0.5 * sign));
    g[3] = CTI_TN(scale)(CTI_TN(add)(CTI_TN(dot)(x[1], n[2]), CTI_TN(dot)(x[2], n[1])), 0.5 * sign);
    g[4] = CTI_TN(scale)(CTI_TN(dot)(x[2], n[2]), sign);
}

/* all polynomials and their error bounds; a, b, c at both ends of the piece, unit the roundoff */
static void CTI_TN(start)(int kind, CTI_T a[2][3], CTI_T b[2][3], CTI_T c[2][3], const double *big, double unit, CTI_TN(piece) * p)
{
    CTI_T ab[3][3], bc[3][3], ca[3][3], n[3][3];
    double sx = big[1] * big[2], sy = big[2] * big[0], sz = big[0] * big[1], area = unit * (sx * sx + sy * sy + sz * sz);
    int i, k;
    CTI_TN(quadric)(a[0], a[1], b[0], b[1], ab);
    CTI_TN(quadric)(b[0], b[1], c[0], c[1], bc);
    CTI_TN(quadric)(c[0], c[1], a[0], a[1], ca);
    /* f = a.bc */
    p->f[0] = CTI_TN(dot)(a[0], bc[0]);
    p->f[1] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[1], bc[0]), CTI_TN(scale)(CTI_TN(dot)(a[0], bc[1]), 2)));
    p->f[2] = CTI_TN(third)(CTI_TN(add)(CTI_TN(dot)(a[0], bc[2]), CTI_TN(scale)(CTI_TN(dot)(a[1], bc[1]), 2)));
    p->f[3] = CTI_TN(dot)(a[1], bc[2]);
    p->ef = CTI_TOUCH_EF * (unit * (big[0] * big[1] * big[2])) + CTI_TOUCH_TINY;
    /* n; bc.n, ca.n, +-ab.n, and (n + ab).n of edges */
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = CTI_TN(add)(bc[i][k], ca[i][k]);
            if (kind == CTI_CCD_VF)
                n[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        }
    }
    for (i = 0; i < 4; i++)
        p->eg[i] = CTI_TOUCH_EG * area + CTI_TOUCH_TINY;
    CTI_TN(quartic)(bc, n, 1, p->g[0]), CTI_TN(quartic)(ca, n, 1, p->g[1]);
    CTI_TN(quartic)(ab, n, kind == CTI_CCD_VF ? 1 : -1, p->g[2]);
    if (kind == CTI_CCD_EE) {
        for (i = 0; i < 3; i++)
            for (k = 0; k < 3; k++)
                ab[i][k] = CTI_TN(add)(n[i][k], ab[i][k]);
        CTI_TN(quartic)(ab, n, 1, p->g[3]);
        p->eg[3] = CTI_TOUCH_EH * area + CTI_TOUCH_TINY;
    } else {
        memcpy(p->g[3], p->g[2], sizeof p->g[3]);
    }
}

static void CTI_TN(range)(const CTI_T *c, int n, double *low, double *high)
{
    double a = CTI_TN(high)(c[0]), b = a, x;
    int i;
    for (i = 1; i < n; i++) {
        x = CTI_TN(high)(c[i]);
        a = x < a ? x : a, b = x > b ? x : b;
    }
    *low = a, *high = b;
}

/* 0: no contact in the piece; else CTI_TOUCH_OPEN and what more is known */
static int CTI_TN(state)(const CTI_TN(piece) * p)
{
    double low, high, first = CTI_TN(high)(p->f[0]), last = CTI_TN(high)(p->f[3]);
    double best = 0;
    int i, inside = 0, level = 0, r = CTI_TOUCH_OPEN;
    CTI_TN(range)(p->f, 4, &low, &high);
    if (low > p->ef || high < -p->ef)
        return 0;
    if (low >= -16 * p->ef && high <= 16 * p->ef)
        r |= CTI_TOUCH_FLAT;
    for (i = 0; i < 4; i++) {
        CTI_TN(range)(p->g[i], 5, &low, &high);
        if (high < -p->eg[i])
            return 0;
        best = low > best ? low : best;
        if (low > p->eg[i])
            inside++;
        else if (low >= -16 * p->eg[i] && high <= 16 * p->eg[i])
            level++;
    }
    /* a quartic that is zero to rounding puts the point on the border only where n^2, a sum of quartics, is far above rounding */
    if (inside + level == 4)
        r |= inside == 4 || best > CTI_TOUCH_SOLID * p->eg[3] ? CTI_TOUCH_SETTLED : CTI_TOUCH_BLIND;
    if (inside == 4 && ((first > p->ef && last < -p->ef) || (first < -p->ef && last > p->ef)))
        r |= CTI_TOUCH_CERTAIN;
    return r;
}

/* de Casteljau: c keeps the part left of s, r gets the part right of it; returns the largest coefficient */
static double CTI_TN(cut)(CTI_T *c, CTI_T *r, int n, double s)
{
    double m = 0, x;
    int i, k;
    for (i = 0; i < n; i++) {
        x = fabs(CTI_TN(high)(c[i]));
        m = x > m ? x : m;
    }
    for (k = n - 1; k >= 0; k--) {
        r[k] = c[n - 1];
        for (i = n - 1; i >= n - k; i--)
            c[i] = CTI_TN(mix)(c[i - 1], c[i], s);
    }
    return m;
}

/* p keeps the part of the piece left of s, r gets the part right of it; the times are the caller's */
static void CTI_TN(split)(CTI_TN(piece) * p, CTI_TN(piece) * r, double s, double unit)
{
    int i;
    p->ef += 32 * unit * CTI_TN(cut)(p->f, r->f, 4, s);
    r->ef = p->ef;
    for (i = 0; i < 4; i++) {
        p->eg[i] += 40 * unit * CTI_TN(cut)(p->g[i], r->g[i], 5, s);
        r->eg[i] = p->eg[i];
    }
}
#undef CTI_T
#undef CTI_TN

/* cti_touch_place -- difference of points i and j at time t, from exact differences of the input */
static void cti_touch_place(const cti_ccd_query *q, int i, int j, double t, cti_dd r[3])
{
    cti_dd a, b, s;
    int k;
    s.hi = t, s.lo = 0;
    for (k = 0; k < 3; k++) {
        a = cti_dd_diff(q->x[0][3 * i + k] * q->pre, q->x[0][3 * j + k] * q->pre);
        b = cti_dd_diff(q->x[1][3 * i + k] * q->pre, q->x[1][3 * j + k] * q->pre);
        a = cti_dd_scale(cti_dd_scale(a, q->post[0]), q->post[1]), b = cti_dd_scale(cti_dd_scale(b, q->post[0]), q->post[1]);
        r[k] = cti_dd_add(a, cti_dd_mul(s, cti_dd_sub(b, a)));
    }
}

/* cti_touch_exact -- the search in [t0, t1] in double-double; counts down *budget */
static double cti_touch_exact(const cti_ccd_query *q, double t0, double t1, int *budget)
{
    static const int from[2][3] = {{1, 2, 3}, {0, 1, 3}};
    cti_touch_x_piece stack[CTI_TOUCH_DEPTHDD], right;
    cti_dd a[2][3], b[2][3], c[2][3], t;
    int e, top = 0, state, ends, at = q->kind == CTI_CCD_VF ? 0 : 2;
    const int *point = from[q->kind == CTI_CCD_VF ? 0 : 1];
    for (e = 0; e < 2; e++) {
        cti_touch_place(q, point[0], at, e ? t1 : t0, a[e]);
        cti_touch_place(q, point[1], at, e ? t1 : t0, b[e]);
        cti_touch_place(q, point[2], at, e ? t1 : t0, c[e]);
    }
    cti_touch_x_start(q->kind, a, b, c, q->big, CTI_TOUCH_UDD, &stack[0]);
    stack[0].t0 = t0, stack[0].t1 = t1, stack[0].tl = 0, stack[0].width = t1 - t0;
    for (; top >= 0; (*budget)--) {
        cti_touch_x_piece *p = &stack[top];
        /* outward: t0 drops tl, and the first width may be rounded */
        double low = p->t0 > t0 ? p->t0 * (1 - 4 * CTI_TOUCH_U) : t0, high = (p->t0 + p->width) * (1 + 4 * CTI_TOUCH_U);
        state = cti_touch_x_state(p);
        ends = (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_SETTLED) || (state & CTI_TOUCH_BLIND && p->width <= CTI_TOUCH_WIDTH) ||
               p->width <= CTI_TOUCH_WIDTHDD || *budget <= 0 || top + 1 >= CTI_TOUCH_DEPTHDD;
        if (state & CTI_TOUCH_CERTAIN && p->width <= CTI_TOUCH_WIDTH)
            return low;
        /* where the polynomials say no more, a plane may */
        if (state == 0 || ((ends || state & CTI_TOUCH_FLAT) && cti_ccd_clear(q, low, high))) {
            top--;
            continue;
        }
        if (ends)
            return low;
        /* halves; the left one goes on top */
        cti_touch_x_split(p, &right, 0.5, CTI_TOUCH_UDD);
        p->width *= 0.5;
        right.width = p->width;
        t = cti_dd_sum(p->t0, p->width);
        t = cti_dd_sum(t.hi, t.lo + p->tl);
        right.t0 = t.hi, right.t1 = t1, right.tl = t.lo;
        stack[top + 1] = *p, stack[top] = right;
        top++;
    }
    return CTI_CCD_NONE;
}

/* cti_touch_cut -- where to split: just before or just after a simple root of f, else in the middle */
static double cti_touch_cut(const cti_touch_d_piece *p)
{
    const double *f = p->f;
    double w = p->t1 - p->t0, mid = p->t0 + 0.5 * w, c1, c2, c3, s, lo = 0, hi = 1, v, d, rim;
    int i;
    if (!((f[0] > p->ef && f[3] < -p->ef) || (f[0] < -p->ef && f[3] > p->ef)))
        return mid;
    /* Newton, kept in the bracket */
    c1 = 3 * (f[1] - f[0]), c2 = 3 * (f[2] - 2 * f[1] + f[0]), c3 = f[3] - f[0] - 3 * (f[2] - f[1]);
    s = f[0] / (f[0] - f[3]);
    d = c1;
    for (i = 0; i < 8; i++) {
        double ds;
        v = ((c3 * s + c2) * s + c1) * s + f[0];
        d = (3 * c3 * s + 2 * c2) * s + c1;
        if ((v > 0) == (f[0] > 0))
            lo = s;
        else
            hi = s;
        ds = v / d;
        if (!(s - ds >= lo && s - ds <= hi))
            s = 0.5 * (lo + hi);
        else
            s -= ds;
        if (fabs(ds) < 1e-15)
            break;
    }
    d = fabs(d);
    rim = 0.5 * CTI_TOUCH_WIDTH / w;
    v = 4 * (p->ef + 64 * CTI_TOUCH_U * (fabs(f[0]) + fabs(f[3])));
    if (d * rim < v)
        rim = v / d;
    if (!(rim < 0.125))
        return mid;
    if (s - rim > 1e-3 * rim)
        return p->t0 + w * (s - rim);
    if (s + rim < 0.999)
        return p->t0 + w * (s + rim);
    return mid;
}

CTI_FN double cti_ccd_touch(const cti_ccd_query *q)
{
    cti_touch_d_piece stack[CTI_TOUCH_DEPTH], right;
    double a[2][3], b[2][3], c[2][3], t, s;
    int e, k, top = 0, state, budget = CTI_TOUCH_BUDGET, exact = CTI_TOUCH_BUDGETDD;
    for (e = 0; e < 2; e++)
        for (k = 0; k < 3; k++)
            a[e][k] = q->h[e][0][k], b[e][k] = q->h[e][1][k], c[e][k] = q->c[e][k];
    cti_touch_d_start(q->kind, a, b, c, q->big, CTI_TOUCH_U, &stack[0]);
    stack[0].t0 = stack[0].tl = 0, stack[0].t1 = stack[0].width = 1;
    for (; top >= 0; budget--) {
        cti_touch_d_piece *p = &stack[top];
        double t1 = p->t1, width = t1 - p->t0;
        state = cti_touch_d_state(p);
        if (state == 0 || ((state & (CTI_TOUCH_FLAT | CTI_TOUCH_SETTLED)) == CTI_TOUCH_FLAT && cti_ccd_clear(q, p->t0, t1))) {
            top--;
            continue;
        }
        if (state & CTI_TOUCH_CERTAIN && width <= CTI_TOUCH_WIDTHSURE)
            return p->t0;
        if (budget <= 0 || exact <= 0) {
            /* the budget is spent: free what single planes free, then stop at the first piece that is left */
            if (budget > -CTI_TOUCH_DEPTH && cti_ccd_clear(q, p->t0, t1)) {
                top--;
                continue;
            }
            return p->t0;
        }
        t = cti_touch_cut(p);
        if (width <= CTI_TOUCH_WIDTH || (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_SETTLED) ||
            (state & CTI_TOUCH_FLAT && state & CTI_TOUCH_BLIND && width <= CTI_TOUCH_WIDTHBLIND) || top + 1 >= CTI_TOUCH_DEPTH ||
            !(t > p->t0 && t < t1)) {
            t = cti_touch_exact(q, p->t0, t1, &exact);
            if (t <= 1)
                return t;
            top--;
            continue;
        }
        /* the left part goes on top */
        s = (t - p->t0) / width;
        cti_touch_d_split(p, &right, s, CTI_TOUCH_U);
        right.t0 = t, right.t1 = t1, right.tl = right.width = 0, p->t1 = t;
        stack[top + 1] = *p, stack[top] = right;
        top++;
    }
    return CTI_CCD_NONE;
}

#undef CTI_TOUCH_U
#undef CTI_TOUCH_UDD
#undef CTI_TOUCH_EF
#undef CTI_TOUCH_EG
#undef CTI_TOUCH_EH
#undef CTI_TOUCH_TINY
#undef CTI_TOUCH_WIDTH
#undef CTI_TOUCH_WIDTHDD
#undef CTI_TOUCH_WIDTHSURE
#undef CTI_TOUCH_DEPTH
#undef CTI_TOUCH_DEPTHDD
#undef CTI_TOUCH_BUDGET
#undef CTI_TOUCH_BUDGETDD
#undef CTI_TOUCH_OPEN
#undef CTI_TOUCH_FLAT
#undef CTI_TOUCH_SETTLED
#undef CTI_TOUCH_CERTAIN
#undef CTI_TOUCH_SOLID
#undef CTI_TOUCH_BLIND
#undef CTI_TOUCH_WIDTHBLIND

/* ---- 4_geom/ccd_batch.c ---- */
/* ccd_batch.c -- many continuous queries at once: eight lanes of cheap certified early no, then one search for each pair that is left.
   Method: pass 1 looks for a plane through the gap between the origin and all end points of the difference hull (the moving hulls are
   inside theirs): the axes, the normal at half time, and directions from Gilbert's iteration on the nearest point. Pass 2, for touch
   queries only: the signs of the Bernstein coefficients of the coplanarity cubic and of the inside quartics (ccd_touch.c, same bounds).
   Lanes that are too large or too small for the bounds (outside of CTI_BATCH_SMALL .. CTI_BATCH_BIG) or not finite are never freed here.
   Rounding of a plane: differences off by u B_k, inner product by 3u sum |n_k| B_k: 4u, doubled in CTI_BATCH_DOT. A plane n frees a lane
   when min n.h > distance |n| (1 + 1e-14) + bound. |x| < 1e60 and at least one |x| > 1e-60 keep every product in range: what underflows is
   below CTI_BATCH_TINY, what counts is far above it. based on: Gilbert 1966 (iteration); Wang et al. 2021 and Brochu et al. 2012 as in
   ccd_touch.c. */

#define CTI_BATCH_U 1.1102230246251565e-16
#define CTI_BATCH_DOT (8 * CTI_BATCH_U)
#define CTI_BATCH_EF (64 * CTI_BATCH_U)
#define CTI_BATCH_EG (224 * CTI_BATCH_U)
#define CTI_BATCH_EH (456 * CTI_BATCH_U)
#define CTI_BATCH_TINY 1e-290
#define CTI_BATCH_SMALL 1e-60
#define CTI_BATCH_BIG 1e60
#define CTI_BATCH_CHUNK 256
#define CTI_BATCH_GILBERT 4

/* eight queries: h hull of differences at both ends, c third vector of the cubic, big largest |coordinate| by axis */
typedef struct cti_batch8 {
    cti_d8 h[2][4][3], c[2][3], big[3], distance;
} cti_batch8;

CTI_INLINE cti_d8 cti_batch_dot(const cti_d8 *a, const cti_d8 *b)
{
    return cti_d8_add(cti_d8_add(cti_d8_mul(a[0], b[0]), cti_d8_mul(a[1], b[1])), cti_d8_mul(a[2], b[2]));
}
CTI_INLINE void cti_batch_cross(const cti_d8 *a, const cti_d8 *b, cti_d8 *r)
{
    r[0] = cti_d8_sub(cti_d8_mul(a[1], b[2]), cti_d8_mul(a[2], b[1]));
    r[1] = cti_d8_sub(cti_d8_mul(a[2], b[0]), cti_d8_mul(a[0], b[2]));
    r[2] = cti_d8_sub(cti_d8_mul(a[0], b[1]), cti_d8_mul(a[1], b[0]));
}

/* cti_batch_load -- differences of the queries list[0..7]; largest coordinates */
CTI_INLINE void cti_batch_load(cti_batch8 *q, int kind, const ct_real *const x[2], const int32_t *quads, const int *list,
                               const ct_real *min_distance)
{
    double buf[4][3][8];
    int e, i, j, k;
    for (e = 0; e < 2; e++) {
        for (i = 0; i < 8; i++) {
            const int32_t *quad = quads + 4 * (size_t)list[i];
            for (j = 0; j < 4; j++) {
                const ct_real *p = x[e] + 3 * (size_t)quad[j];
                buf[j][0][i] = (double)p[0], buf[j][1][i] = (double)p[1], buf[j][2][i] = (double)p[2];
            }
        }
        for (k = 0; k < 3; k++) {
            cti_d8 p0 = cti_d8_load(buf[0][k]), p1 = cti_d8_load(buf[1][k]), p2 = cti_d8_load(buf[2][k]), p3 = cti_d8_load(buf[3][k]);
            if (kind == CTI_CCD_VF) {
                q->h[e][0][k] = cti_d8_sub(p1, p0), q->h[e][1][k] = cti_d8_sub(p2, p0);
                q->h[e][2][k] = q->c[e][k] = cti_d8_sub(p3, p0);
            } else {
                q->h[e][0][k] = cti_d8_sub(p0, p2), q->h[e][1][k] = cti_d8_sub(p1, p2);
                q->h[e][2][k] = cti_d8_sub(p1, p3), q->h[e][3][k] = cti_d8_sub(p0, p3);
                q->c[e][k] = cti_d8_sub(p3, p2);
            }
        }
    }
    q->distance = cti_d8_set(0);
    if (min_distance) {
        for (i = 0; i < 8; i++)
            buf[0][0][i] = (double)min_distance[list[i]];
        q->distance = cti_d8_load(buf[0][0]);
    }
}

/* cti_batch_axes -- lanes that an axis frees; sets big; *sane: lanes in range and finite (a NaN reaches the sum, not the maximum) */
CTI_INLINE cti_d8 cti_batch_axes(cti_batch8 *q, int m, cti_d8 *sane)
{
    cti_d8 zero = cti_d8_set(0), r = cti_d8_lt(zero, zero), sum = q->distance, top = zero, low, high, x;
    cti_d8 edge = cti_d8_mul(q->distance, cti_d8_set(1 + 1e-15));
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = high = q->h[0][0][k];
        for (e = 0; e < 2; e++) {
            for (i = 0; i < m; i++) {
                x = q->h[e][i][k];
                low = cti_d8_min(x, low), high = cti_d8_max(x, high), sum = cti_d8_add(sum, cti_d8_abs(x));
            }
        }
        r = cti_d8_or(r, cti_d8_or(cti_d8_lt(edge, low), cti_d8_lt(high, cti_d8_sub(zero, edge))));
        x = cti_d8_max(cti_d8_abs(low), cti_d8_abs(high));
        if (m == 4)
            x = cti_d8_max(x, cti_d8_max(cti_d8_abs(q->c[0][k]), cti_d8_abs(q->c[1][k])));
        q->big[k] = x, top = cti_d8_max(top, x);
    }
    *sane = cti_d8_and(cti_d8_lt(sum, cti_d8_set(CTI_BATCH_BIG)), cti_d8_lt(cti_d8_set(CTI_BATCH_SMALL), top));
    *sane = cti_d8_and(*sane, cti_d8_le(zero, q->distance));
    return r;
}

/* cti_batch_edge -- how far along n the hull must lie: distance |n| and the rounding bound */
CTI_INLINE cti_d8 cti_batch_edge(const cti_batch8 *q, const cti_d8 *n)
{
    cti_d8 r = cti_d8_add(cti_d8_add(cti_d8_mul(cti_d8_abs(n[0]), q->big[0]), cti_d8_mul(cti_d8_abs(n[1]), q->big[1])),
                          cti_d8_mul(cti_d8_abs(n[2]), q->big[2]));
    r = cti_d8_add(cti_d8_mul(r, cti_d8_set(CTI_BATCH_DOT)), cti_d8_set(CTI_BATCH_TINY));
    return cti_d8_add(r, cti_d8_mul(cti_d8_mul(cti_d8_sqrt(cti_batch_dot(n, n)), cti_d8_set(1 + 1e-14)), q->distance));
}

/* cti_batch_normal -- lanes that the plane of the feature normal at half time frees */
CTI_INLINE cti_d8 cti_batch_normal(const cti_batch8 *q, int m)
{
    cti_d8 u[3], v[3], n[3], low, high, s, edge;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = cti_d8_add(q->h[0][0][k], q->h[1][0][k]);
        u[k] = cti_d8_sub(cti_d8_add(q->h[0][1][k], q->h[1][1][k]), low);
        v[k] = cti_d8_sub(cti_d8_add(q->h[0][m - 1][k], q->h[1][m - 1][k]), low);
    }
    cti_batch_cross(u, v, n);
    low = high = cti_batch_dot(n, q->h[0][0]);
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = cti_batch_dot(n, q->h[e][i]);
            low = cti_d8_min(s, low), high = cti_d8_max(s, high);
        }
    }
    edge = cti_batch_edge(q, n);
    return cti_d8_or(cti_d8_lt(edge, low), cti_d8_lt(high, cti_d8_sub(cti_d8_set(0), edge)));
}

/* cti_batch_gilbert -- v to the nearest point of the segment from v to the hull's lowest point along v; returns the lanes v frees */
CTI_INLINE cti_d8 cti_batch_gilbert(const cti_batch8 *q, cti_d8 *v, int m)
{
    cti_d8 low = cti_batch_dot(v, q->h[0][0]), w[3], s, less, r, one = cti_d8_set(1), zero = cti_d8_set(0);
    int e, i, k;
    for (k = 0; k < 3; k++)
        w[k] = q->h[0][0][k];
    for (e = 0; e < 2; e++) {
        for (i = 1 - e; i < m; i++) {
            s = cti_batch_dot(v, q->h[e][i]);
            less = cti_d8_lt(s, low);
            low = cti_d8_min(s, low);
            for (k = 0; k < 3; k++)
                w[k] = cti_d8_select(less, q->h[e][i][k], w[k]);
        }
    }
    r = cti_d8_lt(cti_batch_edge(q, v), low);
    /* v + s w, w = lowest - v, s = -v.w / w.w in [0, 1] */
    for (k = 0; k < 3; k++)
        w[k] = cti_d8_sub(w[k], v[k]);
    s = cti_d8_div(cti_d8_sub(zero, cti_batch_dot(v, w)), cti_d8_add(cti_batch_dot(w, w), cti_d8_set(CTI_BATCH_TINY)));
    s = cti_d8_min(cti_d8_max(s, zero), one);
    for (k = 0; k < 3; k++)
        v[k] = cti_d8_add(v[k], cti_d8_mul(s, w[k]));
    return r;
}

/* cti_batch_apart -- pass 1 for eight queries: a bit per lane that is free */
CTI_INLINE int cti_batch_apart(cti_batch8 *q, int m)
{
    cti_d8 sane, free8 = cti_batch_axes(q, m, &sane), v[3];
    int bits, good = cti_d8_bits(sane), i, k;
    bits = good & cti_d8_bits(free8);
    if (bits == 255)
        return bits;
    bits |= good & cti_d8_bits(cti_batch_normal(q, m));
    /* Gilbert from the middle of the hull */
    for (k = 0; k < 3; k++) {
        v[k] = cti_d8_set(0);
        for (i = 0; i < m; i++)
            v[k] = cti_d8_add(v[k], cti_d8_add(q->h[0][i][k], q->h[1][i][k]));
        v[k] = cti_d8_mul(v[k], cti_d8_set(m == 3 ? 1 / 6.0 : 1 / 8.0));
    }
    for (i = 0; i < CTI_BATCH_GILBERT && bits != good; i++)
        bits |= good & cti_d8_bits(cti_batch_gilbert(q, v, m));
    return bits;
}

/* cti_batch_sign -- lanes in which all of n coefficients are below -edge (or, both: above edge) */
CTI_INLINE cti_d8 cti_batch_sign(const cti_d8 *c, int n, cti_d8 edge, int both)
{
    cti_d8 low = c[0], high = c[0], r;
    int i;
    for (i = 1; i < n; i++)
        low = cti_d8_min(c[i], low), high = cti_d8_max(c[i], high);
    r = cti_d8_lt(high, cti_d8_sub(cti_d8_set(0), edge));
    return both ? cti_d8_or(r, cti_d8_lt(edge, low)) : r;
}

/* cti_batch_quadric -- Bernstein coefficients of a x b */
CTI_INLINE void cti_batch_quadric(const cti_d8 *a0, const cti_d8 *a1, const cti_d8 *b0, const cti_d8 *b1, cti_d8 r[3][3])
{
    cti_d8 x[3], y[3];
    int k;
    cti_batch_cross(a0, b0, r[0]), cti_batch_cross(a1, b1, r[2]);
    cti_batch_cross(a0, b1, x), cti_batch_cross(a1, b0, y);
    for (k = 0; k < 3; k++)
        r[1][k] = cti_d8_mul(cti_d8_set(0.5), cti_d8_add(x[k], y[k]));
}

/* cti_batch_quartic -- lanes in which x.n (times `sign`) is negative for certain */
CTI_INLINE cti_d8 cti_batch_quartic(cti_d8 x[3][3], cti_d8 n[3][3], cti_d8 edge)
{
    cti_d8 g[5], half = cti_d8_set(0.5), b = cti_d8_mul(cti_d8_set(4), cti_batch_dot(x[1], n[1]));
    g[0] = cti_batch_dot(x[0], n[0]), g[4] = cti_batch_dot(x[2], n[2]);
    g[1] = cti_d8_mul(half, cti_d8_add(cti_batch_dot(x[0], n[1]), cti_batch_dot(x[1], n[0])));
    g[3] = cti_d8_mul(half, cti_d8_add(cti_batch_dot(x[1], n[2]), cti_batch_dot(x[2], n[1])));
    g[2] = cti_d8_div(cti_d8_add(cti_d8_add(cti_batch_dot(x[0], n[2]), b), cti_batch_dot(x[2], n[0])), cti_d8_set(6));
    return cti_batch_sign(g, 5, edge, 0);
}

/* cti_batch_signs -- pass 2 for eight touch queries: a bit per lane that is free */
CTI_INLINE int cti_batch_signs(const cti_batch8 *q, int m)
{
    const cti_d8 *a0 = q->h[0][0], *a1 = q->h[1][0], *b0 = q->h[0][1], *b1 = q->h[1][1];
    cti_d8 ab[3][3], bc[3][3], ca[3][3], n[3][3], f[4], edge, area, x, y, z, two = cti_d8_set(2), three = cti_d8_set(3), free8;
    int i, k;
    cti_batch_quadric(b0, b1, q->c[0], q->c[1], bc);
    f[0] = cti_batch_dot(a0, bc[0]), f[3] = cti_batch_dot(a1, bc[2]);
    f[1] = cti_d8_div(cti_d8_add(cti_batch_dot(a1, bc[0]), cti_d8_mul(two, cti_batch_dot(a0, bc[1]))), three);
    f[2] = cti_d8_div(cti_d8_add(cti_batch_dot(a0, bc[2]), cti_d8_mul(two, cti_batch_dot(a1, bc[1]))), three);
    x = cti_d8_mul(q->big[1], q->big[2]), y = cti_d8_mul(q->big[2], q->big[0]), z = cti_d8_mul(q->big[0], q->big[1]);
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EF), cti_d8_mul(x, q->big[0])), cti_d8_set(CTI_BATCH_TINY));
    free8 = cti_batch_sign(f, 4, edge, 1);
    if (cti_d8_bits(free8) == 255)
        return 255;
    cti_batch_quadric(a0, a1, b0, b1, ab), cti_batch_quadric(q->c[0], q->c[1], a0, a1, ca);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            n[i][k] = cti_d8_add(bc[i][k], ca[i][k]);
            if (m == 3)
                n[i][k] = cti_d8_add(n[i][k], ab[i][k]);
        }
    }
    area = cti_d8_add(cti_d8_add(cti_d8_mul(x, x), cti_d8_mul(y, y)), cti_d8_mul(z, z));
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EG), area), cti_d8_set(CTI_BATCH_TINY));
    free8 = cti_d8_or(free8, cti_d8_or(cti_batch_quartic(bc, n, edge), cti_batch_quartic(ca, n, edge)));
    if (m == 3)
        return cti_d8_bits(cti_d8_or(free8, cti_batch_quartic(ab, n, edge)));
    /* edges: -ab.n and (n + ab).n */
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            ca[i][k] = cti_d8_sub(cti_d8_set(0), ab[i][k]), ab[i][k] = cti_d8_add(n[i][k], ab[i][k]);
    free8 = cti_d8_or(free8, cti_batch_quartic(ca, n, edge));
    edge = cti_d8_add(cti_d8_mul(cti_d8_set(CTI_BATCH_EH), area), cti_d8_set(CTI_BATCH_TINY));
    return cti_d8_bits(cti_d8_or(free8, cti_batch_quartic(ab, n, edge)));
}

/* cti_batch_pass -- one pass over `count` queries of the list, compacted in place; returns how many are left */
CTI_INLINE int cti_batch_pass(int pass, int kind, const ct_real *const x[2], const int32_t *quads, int *list, int count,
                              const ct_real *min_distance)
{
    cti_batch8 q;
    cti_d8 sane;
    int i, j, left = 0, m = kind == CTI_CCD_VF ? 3 : 4, lane[8], bits;
    for (i = 0; i < count; i += 8) {
        for (j = 0; j < 8; j++)
            lane[j] = list[i + j < count ? i + j : count - 1];
        cti_batch_load(&q, kind, x, quads, lane, min_distance);
        if (pass == 1) {
            bits = cti_batch_apart(&q, m);
        } else {
            cti_batch_axes(&q, m, &sane);
            bits = cti_d8_bits(sane) & cti_batch_signs(&q, m);
        }
        for (j = 0; j < 8 && i + j < count; j++)
            if (!(bits >> j & 1))
                list[left++] = lane[j];
    }
    return left;
}

static int cti_batch_pass_vf(int pass, const ct_real *const x[2], const int32_t *quads, int *list, int count, const ct_real *min_distance)
{
    return pass == 1 ? cti_batch_pass(1, CTI_CCD_VF, x, quads, list, count, min_distance)
                     : cti_batch_pass(2, CTI_CCD_VF, x, quads, list, count, min_distance);
}
static int cti_batch_pass_ee(int pass, const ct_real *const x[2], const int32_t *quads, int *list, int count, const ct_real *min_distance)
{
    return pass == 1 ? cti_batch_pass(1, CTI_CCD_EE, x, quads, list, count, min_distance)
                     : cti_batch_pass(2, CTI_CCD_EE, x, quads, list, count, min_distance);
}

static int cti_batch_run(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance,
                         ct_real *toi)
{
    int (*pass)(int, const ct_real *const[2], const int32_t *, int *, int, const ct_real *) =
        kind == CTI_CCD_VF ? cti_batch_pass_vf : cti_batch_pass_ee;
    const ct_real *x[2];
    int list[CTI_BATCH_CHUNK], first, i, j, k, count, hits = 0;
    x[0] = x0, x[1] = x1;
    for (first = 0; first < n; first += CTI_BATCH_CHUNK) {
        count = n - first < CTI_BATCH_CHUNK ? n - first : CTI_BATCH_CHUNK;
        for (i = 0; i < count; i++)
            list[i] = first + i, toi[first + i] = CTI_R(CTI_CCD_NONE);
        count = pass(1, x, quads, list, count, min_distance);
        if (!min_distance)
            count = pass(2, x, quads, list, count, min_distance);
        /* the search for what is left */
        for (i = 0; i < count; i++) {
            const int32_t *quad = quads + 4 * (size_t)list[i];
            ct_real a[12], b[12], d = min_distance ? min_distance[list[i]] : 0;
            for (j = 0; j < 4; j++)
                for (k = 0; k < 3; k++)
                    a[3 * j + k] = x0[3 * (size_t)quad[j] + (size_t)k], b[3 * j + k] = x1[3 * (size_t)quad[j] + (size_t)k];
            hits += kind == CTI_CCD_VF ? cti_ccd_vf(a, b, d, &toi[list[i]]) : cti_ccd_ee(a, b, d, &toi[list[i]]);
        }
    }
    return hits;
}

CTI_FN int cti_ccd_vf_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_VF, x0, x1, quads, n, min_distance, toi);
}
CTI_FN int cti_ccd_ee_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, const ct_real *min_distance, ct_real *toi)
{
    return cti_batch_run(CTI_CCD_EE, x0, x1, quads, n, min_distance, toi);
}

#undef CTI_BATCH_U
#undef CTI_BATCH_DOT
#undef CTI_BATCH_EF
#undef CTI_BATCH_EG
#undef CTI_BATCH_EH
#undef CTI_BATCH_TINY
#undef CTI_BATCH_SMALL
#undef CTI_BATCH_BIG
#undef CTI_BATCH_CHUNK
#undef CTI_BATCH_GILBERT

/* ---- 4_geom/ccd.c ---- */
/* ccd.c -- entry points of continuous collision detection: one query, and the public functions.
   Method: the coordinates are widened to double (exact), the query is prepared, a plane through the gap is tried over the whole time, then
   the search that fits decides: inclusion for touching VF and EE, advancement otherwise. Times are rounded down to ct_real.
   based on: see ccd_touch.c and ccd_advance.c. */

/* cti_ccd_axis -- 1 when an axis has the whole hull on one side, farther than the distance: a difference has the exact sign and is off by
   one rounding */
static int cti_ccd_axis(const cti_ccd_query *q)
{
    double edge = q->distance > 0 ? q->distance * (1 + 1e-15) + 1e-290 : 0, low, high, x;
    int e, i, k;
    for (k = 0; k < 3; k++) {
        low = high = q->h[0][0][k];
        for (e = 0; e < 2; e++) {
            for (i = 1 - e; i < q->n_hull; i++) {
                x = q->h[e][i][k];
                low = x < low ? x : low, high = x > high ? x : high;
            }
        }
        if (low > edge || high < -edge)
            return 1;
    }
    return 0;
}

CTI_FN double cti_ccd_solve(int kind, const double *x0, const double *x1, double distance)
{
    cti_ccd_query q;
    if (!cti_ccd_prepare(&q, kind, x0, x1, distance))
        return 0;
    if (cti_ccd_axis(&q))
        return CTI_CCD_NONE;
    if (q.distance > 0 || (kind != CTI_CCD_VF && kind != CTI_CCD_EE))
        return cti_ccd_advance(&q);
    return cti_ccd_plane(&q, 0, 1) ? CTI_CCD_NONE : cti_ccd_touch(&q);
}

/* cti_ccd_round -- a time rounded down to ct_real */
static ct_real cti_ccd_round(double t)
{
    ct_real r = (ct_real)t;
#if CONTACT_REAL == 32
    if ((double)r > t)
        r = r * (1 - CTI_EPS * CTI_R(0.5)); /* the next float below, or the one below it */
#endif
    return r;
}

static int cti_ccd_query_real(int kind, const ct_real *x0, const ct_real *x1, ct_real distance, ct_real *out_toi)
{
    static const int count[4] = {12, 12, 9, 6};
    double a[12], b[12], t;
    int i, ok = 1;
    for (i = 0; i < count[kind]; i++) {
        a[i] = (double)x0[i], b[i] = (double)x1[i];
        ok &= cti_finite(x0[i]) && cti_finite(x1[i]);
    }
    t = ok ? cti_ccd_solve(kind, a, b, (double)distance) : 0;
    *out_toi = cti_ccd_round(t);
    return t <= 1;
}

CTI_FN int cti_ccd_vf(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_query_real(CTI_CCD_VF, x0, x1, min_distance, out_toi);
}
CTI_FN int cti_ccd_ee(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_query_real(CTI_CCD_EE, x0, x1, min_distance, out_toi);
}
CTI_FN int cti_ccd_ve(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_query_real(CTI_CCD_VE, x0, x1, min_distance, out_toi);
}
CTI_FN int cti_ccd_vv(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_query_real(CTI_CCD_VV, x0, x1, min_distance, out_toi);
}

/* cti_ccd_public -- argument checks, then the query */
static ct_code cti_ccd_public(int kind, const ct_real *x0, const ct_real *x1, ct_real min_distance, ct_real *out_toi)
{
    static const int count[4] = {12, 12, 9, 6};
    int i;
    if (!x0 || !x1 || !out_toi)
        return CT_ERR_ARGUMENT;
    for (i = 0; i < count[kind]; i++)
        if (!cti_finite(x0[i]) || !cti_finite(x1[i]))
            return CT_ERR_DOMAIN;
    if (!cti_finite(min_distance) || min_distance < 0)
        return CT_ERR_DOMAIN;
    cti_ccd_query_real(kind, x0, x1, min_distance, out_toi);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_ccd_vertex_face(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_public(CTI_CCD_VF, x0, x1, min_distance, out_toi);
}
CONTACT_API_DEF ct_code ct_ccd_edge_edge(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_public(CTI_CCD_EE, x0, x1, min_distance, out_toi);
}
CONTACT_API_DEF ct_code ct_ccd_vertex_edge(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_public(CTI_CCD_VE, x0, x1, min_distance, out_toi);
}
CONTACT_API_DEF ct_code ct_ccd_vertex_vertex(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_toi)
{
    return cti_ccd_public(CTI_CCD_VV, x0, x1, min_distance, out_toi);
}

/* cti_ccd_public_batch -- all queries are checked before the first is answered */
static ct_code cti_ccd_public_batch(int kind, const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                    ct_real *out_toi)
{
    ct_real same[256];
    int i, k, m;
    if (n < 0 || (n > 0 && (!x0 || !x1 || !quads || !out_toi)))
        return CT_ERR_ARGUMENT;
    if (!cti_finite(min_distance) || min_distance < 0)
        return CT_ERR_DOMAIN;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 4; k++)
            if (quads[4 * (size_t)i + (size_t)k] < 0)
                return CT_ERR_ARGUMENT;
        for (k = 0; k < 12; k++) {
            size_t at = 3 * (size_t)quads[4 * (size_t)i + (size_t)(k / 3)] + (size_t)(k % 3);
            if (!cti_finite(x0[at]) || !cti_finite(x1[at]))
                return CT_ERR_DOMAIN;
        }
    }
    for (i = 0; i < 256; i++)
        same[i] = min_distance;
    for (i = 0; i < n; i += 256) {
        const int32_t *some = quads + 4 * (size_t)i;
        m = n - i < 256 ? n - i : 256;
        if (kind == CTI_CCD_VF)
            cti_ccd_vf_batch(x0, x1, some, m, min_distance > 0 ? same : NULL, out_toi + i);
        else
            cti_ccd_ee_batch(x0, x1, some, m, min_distance > 0 ? same : NULL, out_toi + i);
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_ccd_vertex_face_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                                 ct_real *out_toi)
{
    return cti_ccd_public_batch(CTI_CCD_VF, x0, x1, quads, n, min_distance, out_toi);
}
CONTACT_API_DEF ct_code ct_ccd_edge_edge_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                               ct_real *out_toi)
{
    return cti_ccd_public_batch(CTI_CCD_EE, x0, x1, quads, n, min_distance, out_toi);
}

/* ---- 4_geom/bounds.h ---- */
/* bounds.h -- axis-aligned boxes of moving points, rounded outward. Method: a box over a linear motion is the box of its two ends; it is
   widened by the detection distance and then by one rounding error. Trees hold boxes in float: conversion to float is monotone, and
   lo_a <= hi_b implies float(lo_a) <= float(hi_b), so that float boxes never miss an overlap of the boxes they come from.
   Two sets of points on linear motions that are apart along an axis at the start, and on the same side at the end, are so all the way: a
   difference that is linear in time is positive between two positive values. Start is held against start and end against end, so that
   what both do together has no part in it. */


/* cti_box -- lo > hi: empty. */
typedef struct cti_box {
    cti_v3 lo, hi;
} cti_box;

CTI_INLINE cti_box cti_box_empty(void)
{
    cti_box b;
    b.lo = cti_v3_make(CTI_REAL_MAX, CTI_REAL_MAX, CTI_REAL_MAX);
    b.hi = cti_v3_make(-CTI_REAL_MAX, -CTI_REAL_MAX, -CTI_REAL_MAX);
    return b;
}
CTI_INLINE void cti_box_add(cti_box *b, cti_v3 p) { b->lo = cti_v3_min(b->lo, p), b->hi = cti_v3_max(b->hi, p); }
/* cti_box_overlap -- closed boxes: 1 also when they touch. */
CTI_INLINE int cti_box_overlap(const cti_box *a, const cti_box *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

/* cti_round_down, cti_round_up -- a number at most (at least) every real that rounds to x: |x| eps is twice the error of one rounding. */
CTI_INLINE ct_real cti_round_down(ct_real x) { return x - CTI_EPS * cti_abs(x); }
CTI_INLINE ct_real cti_round_up(ct_real x) { return x + CTI_EPS * cti_abs(x); }

/* cti_box_motion -- the box of the points on the way from p0 to p1, widened by r >= 0; r = 0: exact. */
CTI_INLINE cti_box cti_box_motion(cti_v3 p0, cti_v3 p1, ct_real r)
{
    cti_box b;
    b.lo = cti_v3_min(p0, p1), b.hi = cti_v3_max(p0, p1);
    if (r > 0) {
        b.lo = cti_v3_make(cti_round_down(b.lo.x - r), cti_round_down(b.lo.y - r), cti_round_down(b.lo.z - r));
        b.hi = cti_v3_make(cti_round_up(b.hi.x + r), cti_round_up(b.hi.y + r), cti_round_up(b.hi.z + r));
    }
    return b;
}

/* cti_round_float -- x to float, monotone, within 1e38: never infinite, and no box reaches the empty ones of a tree. */
CTI_INLINE float cti_round_float(ct_real x)
{
    const ct_real most = (ct_real)1e38f;
    return (float)(x < -most ? -most : (x > most ? most : x));
}

/* cti_slabs -- the projections of a moving point on x + y, x - y, x + z, x - z, y + z, y - z: with the box an 18-sided bound (18-DOP). */
typedef struct cti_slabs {
    ct_real lo[6], hi[6];
} cti_slabs;

/* cti_slabs_motion -- for the way from p0 to p1, widened by r >= 0 in space. Points at most ra + rb apart at one time have overlapping
   slabs: a projection changes by at most sqrt(2) times the distance, and 2 eps of all terms is more than the four roundings. r = 0: a
   rounded sum is monotone in the exact one, so that nothing is to be widened. */
CTI_INLINE cti_slabs cti_slabs_motion(cti_v3 p0, cti_v3 p1, ct_real r)
{
    cti_slabs s;
    ct_real a[6], b[6], w = CTI_R(1.4142140) * r;
    int k;
    a[0] = p0.x + p0.y, a[1] = p0.x - p0.y, a[2] = p0.x + p0.z, a[3] = p0.x - p0.z, a[4] = p0.y + p0.z, a[5] = p0.y - p0.z;
    b[0] = p1.x + p1.y, b[1] = p1.x - p1.y, b[2] = p1.x + p1.z, b[3] = p1.x - p1.z, b[4] = p1.y + p1.z, b[5] = p1.y - p1.z;
    for (k = 0; k < 6; k++) {
        ct_real lo = cti_min(a[k], b[k]), hi = cti_max(a[k], b[k]);
        s.lo[k] = r > 0 ? (lo - w) - 2 * CTI_EPS * (cti_abs(lo) + w) : lo;
        s.hi[k] = r > 0 ? (hi + w) + 2 * CTI_EPS * (cti_abs(hi) + w) : hi;
    }
    return s;
}


/* ---- 4_geom/intersect.h ---- */
/* intersect.h -- exact intersection tests: edge through triangle, and point inside a closed surface. Method: signs from exact.h, so that
   the answers are right for the numbers as they are, rounding included; float positions are doubles too. based on: Guigue, Devillers 2003
   (tests by orientation signs); Edelsbrunner, Muecke, Simulation of simplicity, 1990 (the ray that meets no edge). */


/* cti_intersect_edge_triangle -- has the closed segment p0 p1 a point in common with the closed triangle t0 t1 t2? 0: none. 1: it goes
   through, from one side strictly to the other, inside the triangle. 2: it touches: an end in the triangle, a point on its rim, or both in
   one plane. Segments and triangles without extent are treated as the points and segments that they are. Features that share a vertex
   touch; callers leave them out. */
CTI_FN int cti_intersect_edge_triangle(const ct_real *p0, const ct_real *p1, const ct_real *t0, const ct_real *t1, const ct_real *t2);
/* cti_intersect_edges -- have two closed segments a point in common? */
CTI_FN int cti_intersect_edges(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1);
/* cti_intersect_contains -- p against the closed surface faces [3 nf] with vertices x: 0 outside, 1 inside, 2 on it. Inside: the surface
   winds around p, which for one closed surface is odd ray parity; parts that overlap add, a reversed inner surface is a hollow. For open
   surfaces only 2 means something. */
CTI_FN int cti_intersect_contains(const int32_t *faces, int nf, const ct_real *x, const ct_real *p);


/* ---- 4_geom/intersect.c ---- */
/* intersect.c -- exact edge-triangle and point-surface tests. Method: intersect.h. What lies in one plane is tested in a projection along
   an axis on which the plane does not stand on edge; segments, in all three projections. The ray of the containment test runs along +z from
   p + (e, e^2, 0) with e infinitesimal: it meets no edge and no vertex, and triangles on edge to it not at all. */

static void cti_intersect_load(double d[3], const ct_real *p) { d[0] = (double)p[0], d[1] = (double)p[1], d[2] = (double)p[2]; }

/* The projection that drops `axis`; cyclic, so that orientation is kept. */
static void cti_intersect_project(double q[2], const double p[3], int axis) { q[0] = p[(axis + 1) % 3], q[1] = p[(axis + 2) % 3]; }

/* c on the closed segment a b, given that all three are on one line. */
static int cti_intersect_between(const double a[2], const double b[2], const double c[2])
{
    int k;
    for (k = 0; k < 2; k++)
        if ((c[k] < a[k] && c[k] < b[k]) || (c[k] > a[k] && c[k] > b[k]))
            return 0;
    return 1;
}

static int cti_intersect_segments_2d(const double a[2], const double b[2], const double c[2], const double d[2])
{
    int oc = cti_exact_orient2d(a, b, c), od = cti_exact_orient2d(a, b, d), oa, ob;
    if (oc * od > 0)
        return 0;
    oa = cti_exact_orient2d(c, d, a), ob = cti_exact_orient2d(c, d, b);
    if (oa * ob > 0)
        return 0;
    if (oc * od < 0 && oa * ob < 0)
        return 1;
    return (oc == 0 && cti_intersect_between(a, b, c)) || (od == 0 && cti_intersect_between(a, b, d)) ||
           (oa == 0 && cti_intersect_between(c, d, a)) || (ob == 0 && cti_intersect_between(c, d, b));
}

/* Segments in space: in one plane, and crossing in every projection (one of them is one to one on their plane). */
static int cti_intersect_segments_3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    int axis;
    if (cti_exact_orient3d(a, b, c, d) != 0)
        return 0;
    for (axis = 0; axis < 3; axis++) {
        double p[2], q[2], r[2], s[2];
        cti_intersect_project(p, a, axis), cti_intersect_project(q, b, axis);
        cti_intersect_project(r, c, axis), cti_intersect_project(s, d, axis);
        if (!cti_intersect_segments_2d(p, q, r, s))
            return 0;
    }
    return 1;
}

CTI_FN int cti_intersect_edges(const ct_real *a0, const ct_real *a1, const ct_real *b0, const ct_real *b1)
{
    double a[3], b[3], c[3], d[3];
    cti_intersect_load(a, a0), cti_intersect_load(b, a1), cti_intersect_load(c, b0), cti_intersect_load(d, b1);
    return cti_intersect_segments_3d(a, b, c, d);
}

/* An axis along which the triangle has area, -1: it has none. */
static int cti_intersect_axis(double t[3][3], double q[3][2])
{
    int axis, k;
    for (axis = 0; axis < 3; axis++) {
        for (k = 0; k < 3; k++)
            cti_intersect_project(q[k], t[k], axis);
        if (cti_exact_orient2d(q[0], q[1], q[2]) != 0)
            return axis;
    }
    return -1;
}

/* p in the closed triangle q, both in the projection. */
static int cti_intersect_inside_2d(double q[3][2], const double p[2])
{
    int a = cti_exact_orient2d(q[0], q[1], p), b = cti_exact_orient2d(q[1], q[2], p), c = cti_exact_orient2d(q[2], q[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* Points of the plane of t: one (p, with p1 NULL) or a segment. */
static int cti_intersect_in_plane(double t[3][3], const double p0[3], const double *p1)
{
    double q[3][2], a[2], b[2];
    int axis = cti_intersect_axis(t, q), k;
    if (axis < 0) {
        /* no area: the triangle is its three sides */
        for (k = 0; k < 3; k++)
            if (cti_intersect_segments_3d(p0, p1 ? p1 : p0, t[k], t[(k + 1) % 3]))
                return 1;
        return 0;
    }
    cti_intersect_project(a, p0, axis);
    if (cti_intersect_inside_2d(q, a))
        return 1;
    if (!p1)
        return 0;
    cti_intersect_project(b, p1, axis);
    for (k = 0; k < 3; k++)
        if (cti_intersect_segments_2d(a, b, q[k], q[(k + 1) % 3]))
            return 1;
    return 0;
}

CTI_FN int cti_intersect_edge_triangle(const ct_real *p0, const ct_real *p1, const ct_real *t0, const ct_real *t1, const ct_real *t2)
{
    double a[3], b[3], t[3][3];
    int k, o0, o1, s[3];
    /* boxes, compared exactly */
    for (k = 0; k < 3; k++) {
        ct_real lo = p0[k] < p1[k] ? p0[k] : p1[k], hi = p0[k] < p1[k] ? p1[k] : p0[k];
        if ((t0[k] > hi && t1[k] > hi && t2[k] > hi) || (t0[k] < lo && t1[k] < lo && t2[k] < lo))
            return 0;
    }
    cti_intersect_load(a, p0), cti_intersect_load(b, p1);
    cti_intersect_load(t[0], t0), cti_intersect_load(t[1], t1), cti_intersect_load(t[2], t2);
    /* the ends against the plane */
    o0 = cti_exact_orient3d(t[0], t[1], t[2], a);
    o1 = cti_exact_orient3d(t[0], t[1], t[2], b);
    if (o0 * o1 > 0)
        return 0;
    if (o0 == 0 || o1 == 0)
        return cti_intersect_in_plane(t, o0 == 0 ? a : b, o0 == 0 && o1 == 0 ? b : NULL) ? 2 : 0;
    /* strictly through the plane: inside when the line passes all sides on one hand */
    for (k = 0; k < 3; k++)
        s[k] = cti_exact_orient3d(a, b, t[k], t[(k + 1) % 3]);
    if (!((s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0)))
        return 0;
    return s[0] != 0 && s[1] != 0 && s[2] != 0 ? 1 : 2;
}

/* The sign of (b - a) x (p' - a), p' = p + (e, e^2): never 0 unless a and b are the same. */
static int cti_intersect_side(const double a[2], const double b[2], const double p[2])
{
    int s = cti_exact_orient2d(a, b, p);
    if (s != 0)
        return s;
    if (a[1] != b[1])
        return a[1] > b[1] ? 1 : -1;
    return b[0] > a[0] ? 1 : (b[0] < a[0] ? -1 : 0);
}

/* What one triangle adds to the winding around p: 0, 1 or -1; 2: p lies on it. */
static int cti_intersect_winding(const ct_real *t0, const ct_real *t1, const ct_real *t2, const double p[3])
{
    double t[3][3];
    int k, s, above;
    cti_intersect_load(t[0], t0), cti_intersect_load(t[1], t1), cti_intersect_load(t[2], t2);
    /* out of the ray's reach */
    for (k = 0; k < 3; k++)
        if ((k < 2 && t[0][k] > p[k] && t[1][k] > p[k] && t[2][k] > p[k]) || (t[0][k] < p[k] && t[1][k] < p[k] && t[2][k] < p[k]))
            return 0;
    above = cti_exact_orient3d(t[0], t[1], t[2], p);
    if (above == 0 && cti_intersect_in_plane(t, p, NULL))
        return 2;
    s = cti_intersect_side(t[0], t[1], p);
    if (s == 0 || cti_intersect_side(t[1], t[2], p) != s || cti_intersect_side(t[2], t[0], p) != s)
        return 0;
    /* seen from above, s > 0 is counter-clockwise: its normal has z > 0, and the ray goes up through it when p is on its back */
    return above == -s ? s : 0;
}

CTI_FN int cti_intersect_contains(const int32_t *faces, int nf, const ct_real *x, const ct_real *p)
{
    double d[3];
    int f, winding = 0;
    cti_intersect_load(d, p);
    for (f = 0; f < nf; f++) {
        int w = cti_intersect_winding(x + 3 * (size_t)faces[3 * (size_t)f], x + 3 * (size_t)faces[3 * (size_t)f + 1],
                                      x + 3 * (size_t)faces[3 * (size_t)f + 2], d);
        if (w == 2)
            return 2;
        winding += w;
    }
    return winding != 0;
}

/* ---- 5_mesh/pairsort.h ---- */
/* pairsort.h -- pairs of non-negative integers into lexicographic order, in linear time.
   Method: radix sort from the least significant digit, digits of at most 13 bits, second number first; stable.
   based on: Knuth, The Art of Computer Programming vol. 3, 5.2.5. */


/* cti_pairsort -- sorts n pairs [2 n] by (first, second); values lie in [0, n_first) and [0, n_second). scratch is a growable array that
   the caller keeps and frees. 1, or 0 when memory ran out (pairs untouched). */
CTI_FN int cti_pairsort(cti_mem *mem, int32_t *pairs, int n, int n_first, int n_second, int32_t **scratch);


/* ---- 5_mesh/pairsort.c ---- */
/* pairsort.c -- pairs of integers into lexicographic order. Method: insertion for a few, else radix sort of the two numbers in place of a
   packed key: the number of passes follows from the largest value, not from the key's width. */

enum { CTI_PAIRSORT_BITS = 13, CTI_PAIRSORT_FEW = 24 };

static void cti_pairsort_insertion(int32_t *pairs, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        for (j = i; j > 0 && (pairs[2 * j - 2] > a || (pairs[2 * j - 2] == a && pairs[2 * j - 1] > b)); j--) {
            pairs[2 * j] = pairs[2 * j - 2];
            pairs[2 * j + 1] = pairs[2 * j - 1];
        }
        pairs[2 * j] = a;
        pairs[2 * j + 1] = b;
    }
}

/* One stable pass: by `bits` bits at `shift` of number `which` of each pair. */
static void cti_pairsort_pass(const int32_t *CTI_RESTRICT in, int32_t *CTI_RESTRICT out, int n, int which, int shift, int bits)
{
    int start[1 << CTI_PAIRSORT_BITS], i, sum = 0, size = 1 << bits;
    uint32_t mask = (uint32_t)size - 1u;
    /* histogram, then first place of every digit */
    memset(start, 0, (size_t)size * sizeof start[0]);
    for (i = 0; i < n; i++)
        start[((uint32_t)in[2 * (size_t)i + (size_t)which] >> shift) & mask]++;
    for (i = 0; i < size; i++) {
        int c = start[i];
        start[i] = sum;
        sum += c;
    }
    /* scatter in order */
    for (i = 0; i < n; i++) {
        const int32_t *p = in + 2 * (size_t)i;
        size_t k = 2 * (size_t)start[((uint32_t)p[which] >> shift) & mask]++;
        out[k] = p[0];
        out[k + 1] = p[1];
    }
}

static int cti_pairsort_bit_count(int values)
{
    int bits = 0;
    while (bits < 31 && ((uint32_t)1 << bits) < (uint32_t)values)
        bits++;
    return bits;
}

CTI_FN int cti_pairsort(cti_mem *mem, int32_t *pairs, int n, int n_first, int n_second, int32_t **scratch)
{
    int which;
    int32_t *a = pairs, *b, *t;
    if (n <= CTI_PAIRSORT_FEW) {
        cti_pairsort_insertion(pairs, n);
        return 1;
    }
    if (!CTI_RESERVE(mem, *scratch, 2 * (int64_t)n))
        return 0;
    b = *scratch;
    for (which = 1; which >= 0; which--) {
        int total = cti_pairsort_bit_count(which ? n_second : n_first), shift = 0;
        /* a digit has at most as many values as there are pairs, roughly */
        int most = cti_max_int(8, cti_min_int(CTI_PAIRSORT_BITS, cti_pairsort_bit_count(n))), passes = (total + most - 1) / most, p;
        for (p = 0; p < passes; p++) {
            int bits = (total - shift + passes - p - 1) / (passes - p);
            cti_pairsort_pass(a, b, n, which, shift, bits);
            shift += bits;
            t = a, a = b, b = t;
        }
    }
    if (a != pairs)
        memcpy(pairs, a, 2 * (size_t)n * sizeof *pairs);
    return 1;
}

/* ---- 5_mesh/mesh.h ---- */
/* mesh.h -- combinatorial surfaces: the boundary of a tet mesh, and edges, adjacency and owners of a triangle and segment mesh.
   Indices must lie in [0, n_vertices); degenerate and non-manifold elements are welcome and are flagged. */


/* cti_mesh_boundary -- faces that belong to one tet only, outward (counter-clockwise from outside for positive tets), in the order of the
   tets. *out_triangles is a growable array [3 n], its length CTI_LEN; old contents are replaced. 1, or 0 when memory ran out. */
CTI_FN int cti_mesh_boundary(cti_mem *mem, const int32_t *tets, int n_tets, int n_vertices, int32_t **out_triangles);

/* Edge flags. An edge with two faces that run along it in opposite directions has none. */
enum {
    CTI_EDGE_LOOSE = 1,       /* of a segment, in no face */
    CTI_EDGE_BOUNDARY = 2,    /* in one face */
    CTI_EDGE_NONMANIFOLD = 4, /* in more than two faces; edge_faces holds the first two */
    CTI_EDGE_TWISTED = 8,     /* in two faces that run along it in the same direction */
    CTI_EDGE_SEGMENT = 16     /* named as a segment (beside the above) */
};

/* cti_topology -- zero it, build it, free it. All arrays are growable arrays. Edge k of face f joins its vertices k and k + 1 (mod 3). */
typedef struct cti_topology {
    int n_vertices, n_edges, n_faces;
    int32_t *edges;           /* [2 ne] unique, low < high, sorted */
    int32_t *edge_faces;      /* [2 ne] adjacent faces in rising order, -1: none */
    int32_t *face_edges;      /* [3 nf], -1 where the two vertices are the same */
    int32_t *edge_owner;      /* [ne] smallest adjacent face, -1: loose */
    int32_t *vertex_owner;    /* [nv] smallest face that has it, -1: none */
    int32_t *first_edge;      /* [nv + 1] edges whose low vertex is v: first_edge[v] .. first_edge[v + 1] */
    uint8_t *edge_flags;      /* [ne] CTI_EDGE_* */
    uint8_t *vertex_is_point; /* [nv] 1: no edge and no face has it */
    int n_loose, n_boundary, n_nonmanifold, n_twisted, n_degenerate; /* edges by flag; faces with a repeated vertex */
    int closed; /* 1: there are faces, and every edge has exactly two that run along it in opposite directions */
} cti_topology;

/* cti_topology_build -- old contents are replaced, their memory reused. triangles [3 nt], segments [2 ns]. 1, or 0 when memory ran out
   (topology emptied). */
CTI_FN int cti_topology_build(cti_mem *mem, cti_topology *topology, int n_vertices, const int32_t *triangles, int n_triangles,
                              const int32_t *segments, int n_segments);
CTI_FN void cti_topology_free(cti_mem *mem, cti_topology *topology);
/* cti_topology_edge -- number of the edge between a and b, -1: none. */
CTI_FN int cti_topology_edge(const cti_topology *topology, int a, int b);


/* ---- 5_mesh/mesh.c ---- */
/* mesh.c -- boundary extraction and surface adjacency. Method: a hash of sorted vertex triples counts the tets at a face; edges are sorted
   pairs made unique, found again by bisection among the edges of their lower vertex. Every order follows from the input order, so that
   results do not depend on addresses.
   based on: the half-face and edge lists common to simplicial mesh codes; outward faces of the tet 0123: 021, 013, 123, 032. */

static const int cti_mesh_tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

/* The vertices of half-face 4 t + k in rising order. */
static void cti_mesh_face_key(const int32_t *tets, int64_t half, int32_t key[3])
{
    const int32_t *t = tets + (half / 4) * 4;
    const int *f = cti_mesh_tet_face[half % 4];
    int32_t a = t[f[0]], b = t[f[1]], c = t[f[2]], s;
    if (a > b)
        s = a, a = b, b = s;
    if (b > c)
        s = b, b = c, c = s;
    if (a > b)
        s = a, a = b, b = s;
    key[0] = a, key[1] = b, key[2] = c;
}

static uint64_t cti_mesh_hash(const int32_t key[3])
{
    uint64_t h = (uint32_t)key[0];
    h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ull + (uint32_t)key[1];
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9ull + (uint32_t)key[2];
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
    return h ^ (h >> 31);
}

/* first[h] = the first half-face with the triple of h, count[that] = number of such half-faces. */
static void cti_mesh_count_faces(const int32_t *tets, int64_t n, int32_t *slots, uint64_t mask, int32_t *first, uint8_t *count)
{
    int64_t h;
    for (h = 0; h < n; h++) {
        int32_t key[3], other[3];
        uint64_t s;
        cti_mesh_face_key(tets, h, key);
        for (s = cti_mesh_hash(key) & mask; slots[s] >= 0; s = (s + 1) & mask) {
            cti_mesh_face_key(tets, slots[s], other);
            if (other[0] == key[0] && other[1] == key[1] && other[2] == key[2])
                break;
        }
        if (slots[s] < 0) {
            slots[s] = (int32_t)h;
            count[h] = 0;
        }
        first[h] = slots[s];
        if (count[slots[s]] < 255)
            count[slots[s]]++;
    }
}

CTI_FN int cti_mesh_boundary(cti_mem *mem, const int32_t *tets, int n_tets, int n_vertices, int32_t **out_triangles)
{
    int64_t n = 4 * (int64_t)n_tets, size = 16, h;
    int32_t *slots = NULL, *first = NULL;
    uint8_t *count = NULL;
    int ok = 0, k;
    CTI_UNUSED(n_vertices);
    CTI_CLEAR(*out_triangles);
    while (size < 2 * n)
        size *= 2;
    if (n > INT32_MAX || !CTI_RESERVE(mem, slots, size) || !CTI_RESERVE(mem, first, n) || !CTI_RESERVE(mem, count, n))
        goto done;
    memset(slots, 0xff, (size_t)size * sizeof *slots);
    cti_mesh_count_faces(tets, n, slots, (uint64_t)size - 1, first, count);
    /* boundary: the triples that were met once */
    for (h = 0; h < n; h++) {
        const int32_t *t = tets + (h / 4) * 4;
        if (count[first[h]] != 1)
            continue;
        for (k = 0; k < 3; k++)
            if (!CTI_PUSH(mem, *out_triangles, t[cti_mesh_tet_face[h % 4][k]]))
                goto done;
    }
    ok = 1;
done:
    CTI_FREE(mem, slots);
    CTI_FREE(mem, first);
    CTI_FREE(mem, count);
    return ok;
}

CTI_FN void cti_topology_free(cti_mem *mem, cti_topology *t)
{
    CTI_FREE(mem, t->edges);
    CTI_FREE(mem, t->edge_faces);
    CTI_FREE(mem, t->face_edges);
    CTI_FREE(mem, t->edge_owner);
    CTI_FREE(mem, t->vertex_owner);
    CTI_FREE(mem, t->first_edge);
    CTI_FREE(mem, t->edge_flags);
    CTI_FREE(mem, t->vertex_is_point);
    memset(t, 0, sizeof *t);
}

CTI_FN int cti_topology_edge(const cti_topology *t, int a, int b)
{
    int lo, hi, low = cti_min_int(a, b), high = cti_max_int(a, b);
    if (low < 0 || high >= t->n_vertices)
        return -1;
    lo = t->first_edge[low], hi = t->first_edge[low + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (t->edges[2 * mid + 1] < high)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->first_edge[low + 1] && t->edges[2 * lo + 1] == high ? lo : -1;
}

/* All vertex pairs of faces and segments, low < high, into t->edges; sorted and made unique. */
static int cti_topology_collect(cti_mem *mem, cti_topology *t, const int32_t *triangles, const int32_t *segments, int ns)
{
    int32_t *scratch = NULL, *e;
    int64_t total = 3 * (int64_t)t->n_faces + ns;
    int i, k, n = 0, m = 0, ok;
    if (total > INT32_MAX / 2)
        return 0;
    if (!CTI_RESIZE(mem, t->edges, 2 * total))
        return 0;
    e = t->edges;
    for (i = 0; i < t->n_faces + ns; i++) {
        const int32_t *s = i < t->n_faces ? triangles + 3 * (size_t)i : segments + 2 * (size_t)(i - t->n_faces);
        int corners = i < t->n_faces ? 3 : 2;
        for (k = 0; k < (corners == 3 ? 3 : 1); k++) {
            int32_t a = s[k], b = s[(k + 1) % corners];
            if (a == b)
                continue;
            e[2 * (size_t)n] = a < b ? a : b, e[2 * (size_t)n + 1] = a < b ? b : a;
            n++;
        }
    }
    ok = cti_pairsort(mem, e, n, t->n_vertices, t->n_vertices, &scratch);
    CTI_FREE(mem, scratch);
    if (!ok)
        return 0;
    for (i = 0; i < n; i++) {
        if (m > 0 && e[2 * m - 2] == e[2 * i] && e[2 * m - 1] == e[2 * i + 1])
            continue;
        e[2 * m] = e[2 * i], e[2 * m + 1] = e[2 * i + 1];
        m++;
    }
    t->n_edges = m;
    return CTI_RESIZE(mem, t->edges, 2 * (size_t)m);
}

/* Offsets of the edges by their low vertex. */
static void cti_topology_offsets(cti_topology *t)
{
    int v, e = 0;
    for (v = 0; v <= t->n_vertices; v++) {
        while (e < t->n_edges && t->edges[2 * e] < v)
            e++;
        t->first_edge[v] = e;
    }
}

/* Faces at every edge and the first face at every vertex; an edge remembers in bit 7 that its first face runs it from high to low. */
static void cti_topology_faces(cti_topology *t, const int32_t *triangles)
{
    int f, k;
    for (f = 0; f < t->n_faces; f++) {
        const int32_t *s = triangles + 3 * f;
        if (s[0] == s[1] || s[1] == s[2] || s[2] == s[0])
            t->n_degenerate++;
        for (k = 0; k < 3; k++) {
            int32_t a = s[k], b = s[(k + 1) % 3];
            int e = a == b ? -1 : cti_topology_edge(t, a, b), down = a > b ? 128 : 0;
            t->face_edges[3 * f + k] = e;
            if (t->vertex_owner[a] < 0)
                t->vertex_owner[a] = f;
            t->vertex_is_point[a] = 0;
            if (e < 0 || t->edge_faces[2 * e] == f || t->edge_faces[2 * e + 1] == f)
                continue;
            if (t->edge_faces[2 * e] < 0) {
                t->edge_faces[2 * e] = t->edge_owner[e] = f;
                t->edge_flags[e] = (uint8_t)(t->edge_flags[e] | down);
            } else if (t->edge_faces[2 * e + 1] < 0) {
                t->edge_faces[2 * e + 1] = f;
                if ((t->edge_flags[e] & 128) == down)
                    t->edge_flags[e] |= CTI_EDGE_TWISTED;
            } else {
                t->edge_flags[e] |= CTI_EDGE_NONMANIFOLD;
            }
        }
    }
}

/* Segment flags, loose and boundary edges, points, counts. */
static void cti_topology_classify(cti_topology *t, const int32_t *segments, int ns)
{
    int i, e;
    for (i = 0; i < ns; i++)
        if ((e = cti_topology_edge(t, segments[2 * i], segments[2 * i + 1])) >= 0)
            t->edge_flags[e] |= CTI_EDGE_SEGMENT;
    for (e = 0; e < t->n_edges; e++) {
        uint8_t flags = (uint8_t)(t->edge_flags[e] & 127);
        if (t->edge_faces[2 * e] < 0)
            flags |= CTI_EDGE_LOOSE;
        else if (t->edge_faces[2 * e + 1] < 0)
            flags |= CTI_EDGE_BOUNDARY;
        t->vertex_is_point[t->edges[2 * e]] = t->vertex_is_point[t->edges[2 * e + 1]] = 0;
        t->n_loose += (flags & CTI_EDGE_LOOSE) != 0;
        t->n_boundary += (flags & CTI_EDGE_BOUNDARY) != 0;
        t->n_nonmanifold += (flags & CTI_EDGE_NONMANIFOLD) != 0;
        t->n_twisted += (flags & CTI_EDGE_TWISTED) != 0;
        t->edge_flags[e] = flags;
    }
    t->closed = t->n_faces > 0 && t->n_boundary + t->n_nonmanifold + t->n_twisted + t->n_degenerate == 0;
}

CTI_FN int cti_topology_build(cti_mem *mem, cti_topology *t, int n_vertices, const int32_t *triangles, int n_triangles,
                              const int32_t *segments, int n_segments)
{
    size_t nv = (size_t)n_vertices, nf = (size_t)n_triangles, ne;
    t->n_vertices = n_vertices, t->n_faces = n_triangles, t->n_edges = 0;
    t->n_loose = t->n_boundary = t->n_nonmanifold = t->n_twisted = t->n_degenerate = t->closed = 0;
    if (!cti_topology_collect(mem, t, triangles, segments, n_segments))
        goto failed;
    ne = (size_t)t->n_edges;
    if (!CTI_RESIZE(mem, t->edge_faces, 2 * ne) || !CTI_RESIZE(mem, t->face_edges, 3 * nf) || !CTI_RESIZE(mem, t->edge_owner, ne) ||
        !CTI_RESIZE(mem, t->vertex_owner, nv) || !CTI_RESIZE(mem, t->first_edge, nv + 1) || !CTI_RESIZE(mem, t->edge_flags, ne) ||
        !CTI_RESIZE(mem, t->vertex_is_point, nv))
        goto failed;
    cti_topology_offsets(t);
    if (ne > 0) {
        memset(t->edge_faces, 0xff, 2 * ne * sizeof *t->edge_faces);
        memset(t->edge_owner, 0xff, ne * sizeof *t->edge_owner);
        memset(t->edge_flags, 0, ne);
    }
    if (nv > 0) {
        memset(t->vertex_owner, 0xff, nv * sizeof *t->vertex_owner);
        memset(t->vertex_is_point, 1, nv);
    }
    cti_topology_faces(t, triangles);
    cti_topology_classify(t, segments, n_segments);
    return 1;
failed:
    cti_topology_free(mem, t);
    return 0;
}

/* ---- 5_mesh/shapes.c ---- */
/* shapes.c -- meshes made from numbers: box, sheet, sphere; and release of meshes. Method: lattices numbered x fastest; a box of tets cuts
   every cell into five, mirrored from cell to cell so that faces match; its surface takes the same diagonals; a sphere is a subdivided
   icosahedron. Only +, -, *, / and square roots, so that all machines get the same bits. */

static ct_code cti_shape_error(ct_error_info *out, ct_code code, const char *text, int64_t element, double value)
{
    if (out) {
        memset(out, 0, sizeof *out);
        out->code = code, out->text = text, out->element = element, out->value = value;
    }
    return code;
}

CONTACT_API_DEF void ct_free(void *stb_ds_array)
{
    cti_mem mem;
    cti_mem_init(&mem, NULL);
    cti_array_free(&mem, stb_ds_array, 1);
}

CONTACT_API_DEF void ct_mesh_free(ct_mesh *mesh)
{
    if (!mesh)
        return;
    ct_free(mesh->positions);
    ct_free(mesh->tets);
    ct_free(mesh->triangles);
    ct_free(mesh->segments);
    memset(mesh, 0, sizeof *mesh);
}

/* Lengths of the arrays into the counts. */
static ct_code cti_shape_finish(ct_mesh *mesh, int ok, ct_mesh *out, ct_error_info *error)
{
    if (!ok) {
        ct_mesh_free(mesh);
        return cti_shape_error(error, CT_ERR_MEMORY, "out of memory for a mesh", -1, 0);
    }
    mesh->n_positions = CTI_LEN(mesh->positions) / 3, mesh->n_tets = CTI_LEN(mesh->tets) / 4;
    mesh->n_triangles = CTI_LEN(mesh->triangles) / 3, mesh->n_segments = CTI_LEN(mesh->segments) / 2;
    *out = *mesh;
    return CT_OK;
}

/* Sizes > 0 and finite, cells >= 1 and few enough that all numbers fit. */
static ct_code cti_shape_check(const ct_real *size, const int *cells, int n, int out_ok, ct_error_info *error)
{
    double product = 1;
    int i;
    if (!size || !cells || !out_ok)
        return cti_shape_error(error, CT_ERR_ARGUMENT, "size, cells and out_mesh may not be NULL", -1, 0);
    for (i = 0; i < n; i++) {
        if (!cti_finite(size[i]) || !(size[i] > 0))
            return cti_shape_error(error, CT_ERR_ARGUMENT, "size has to be finite and > 0 (element: axis)", i, (double)size[i]);
        if (cells[i] < 1)
            return cti_shape_error(error, CT_ERR_ARGUMENT, "cells have to be >= 1 (element: axis)", i, (double)cells[i]);
        product *= (double)cells[i] + 1;
    }
    if (product > 100e6)
        return cti_shape_error(error, CT_ERR_ARGUMENT, "cells: more than 100 million vertices", -1, product);
    return CT_OK;
}

static int cti_shape_push3(cti_mem *mem, int32_t **a, int32_t x, int32_t y, int32_t z)
{
    return CTI_PUSH(mem, *a, x) && CTI_PUSH(mem, *a, y) && CTI_PUSH(mem, *a, z);
}

static int cti_shape_vertex(cti_mem *mem, ct_mesh *m, cti_v3 p)
{
    return CTI_PUSH(mem, m->positions, p.x) && CTI_PUSH(mem, m->positions, p.y) && CTI_PUSH(mem, m->positions, p.z);
}

/* Coordinate i of n cells over [-size / 2, size / 2]: symmetric about 0, its ends exact. */
static ct_real cti_shape_at(ct_real size, int i, int n) { return size * ((ct_real)(2 * (int64_t)i - n) / (ct_real)(2 * (int64_t)n)); }

/* ---- box ---- */

/* A box lattice; in a surface lattice only points on the boundary have numbers: whole slices at both ends of z, rings between. */
typedef struct cti_shape_lattice {
    int n[3]; /* cells */
    int solid;
} cti_shape_lattice;

static int32_t cti_shape_number(const cti_shape_lattice *l, int x, int y, int z)
{
    int nx = l->n[0] + 1, ny = l->n[1] + 1, nz = l->n[2] + 1, ring = 2 * (nx + ny) - 4, in_slice;
    if (l->solid || z == 0)
        return (int32_t)((z * ny + y) * nx + x);
    if (z == nz - 1)
        return (int32_t)(nx * ny + (nz - 2) * ring + y * nx + x);
    /* the ring: first row, then two a row, then the last row */
    if (y == 0)
        in_slice = x;
    else if (y == ny - 1)
        in_slice = nx + 2 * (ny - 2) + x;
    else
        in_slice = nx + 2 * (y - 1) + (x > 0);
    return (int32_t)(nx * ny + (z - 1) * ring + in_slice);
}

static int cti_shape_on_boundary(const cti_shape_lattice *l, int x, int y, int z)
{
    return x == 0 || y == 0 || z == 0 || x == l->n[0] || y == l->n[1] || z == l->n[2];
}

/* Five tets of a cell; corners by bits x, y, z. An odd cell is the mirror image in x, its tets are reversed. */
static int cti_shape_cell(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l, int x, int y, int z)
{
    static const int tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    int odd = (x + y + z) & 1, t, k;
    for (t = 0; t < 5; t++)
        for (k = 0; k < 4; k++) {
            int c = tets[t][odd && k >= 2 ? 5 - k : k] ^ odd;
            if (!CTI_PUSH(mem, m->tets, cti_shape_number(l, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))))
                return 0;
        }
    return 1;
}

/* A quad of the side at `end` of axis `a`, outward; its diagonal joins the corners that a tet cell would join: those of even parity. */
static int cti_shape_side_quad(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l, int a, int end, int i, int j)
{
    int b = (a + 1) % 3, c = (a + 2) % 3, k, p[3], parity = 0, turn;
    int32_t q[4];
    for (k = 0; k < 4; k++) {
        /* counter-clockwise from the positive side of the axis */
        p[a] = end ? l->n[a] : 0;
        p[b] = i + (k == 1 || k == 2);
        p[c] = j + (k >= 2);
        if (k == 0)
            parity = (p[0] + p[1] + p[2]) & 1;
        q[k] = cti_shape_number(l, p[0], p[1], p[2]);
    }
    /* split from an odd corner to the next odd one (tets of even cells keep the edges 1 2, 1 4, 2 4, 1 7, 2 7, 4 7: odd parity) */
    turn = parity ? 0 : 1;
    if (end)
        return cti_shape_push3(mem, &m->triangles, q[turn], q[turn + 1], q[(turn + 2) % 4]) &&
               cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 2) % 4], q[(turn + 3) % 4]);
    return cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 2) % 4], q[turn + 1]) &&
           cti_shape_push3(mem, &m->triangles, q[turn], q[(turn + 3) % 4], q[(turn + 2) % 4]);
}

static int cti_shape_sides(cti_mem *mem, ct_mesh *m, const cti_shape_lattice *l)
{
    int a, end, i, j;
    for (a = 0; a < 3; a++)
        for (end = 0; end < 2; end++)
            for (j = 0; j < l->n[(a + 2) % 3]; j++)
                for (i = 0; i < l->n[(a + 1) % 3]; i++)
                    if (!cti_shape_side_quad(mem, m, l, a, end, i, j))
                        return 0;
    return 1;
}

CONTACT_API_DEF ct_code ct_mesh_box(const ct_real size[3], const int cells[3], int with_tets, ct_mesh *out_mesh, ct_error_info *out_error)
{
    ct_code code = cti_shape_check(size, cells, 3, out_mesh != NULL, out_error);
    cti_shape_lattice l;
    cti_mem mem;
    ct_mesh m;
    int x, y, z, ok = 1;
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    l.n[0] = cells[0], l.n[1] = cells[1], l.n[2] = cells[2], l.solid = with_tets != 0;
    for (z = 0; ok && z <= cells[2]; z++)
        for (y = 0; ok && y <= cells[1]; y++)
            for (x = 0; ok && x <= cells[0]; x++)
                if (l.solid || cti_shape_on_boundary(&l, x, y, z))
                    ok = cti_shape_vertex(&mem, &m,
                                          cti_v3_make(cti_shape_at(size[0], x, cells[0]), cti_shape_at(size[1], y, cells[1]),
                                                      cti_shape_at(size[2], z, cells[2])));
    for (z = 0; ok && l.solid && z < cells[2]; z++)
        for (y = 0; ok && y < cells[1]; y++)
            for (x = 0; ok && x < cells[0]; x++)
                ok = cti_shape_cell(&mem, &m, &l, x, y, z);
    if (ok && !l.solid)
        ok = cti_shape_sides(&mem, &m, &l);
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

/* ---- sheet ---- */

CONTACT_API_DEF ct_code ct_mesh_grid(const ct_real size[2], const int cells[2], ct_mesh *out_mesh, ct_error_info *out_error)
{
    ct_code code = cti_shape_check(size, cells, 2, out_mesh != NULL, out_error);
    cti_mem mem;
    ct_mesh m;
    int x, z, ok = 1, nx;
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    nx = cells[0] + 1;
    for (z = 0; ok && z <= cells[1]; z++)
        for (x = 0; ok && x <= cells[0]; x++)
            ok = cti_shape_vertex(&mem, &m, cti_v3_make(cti_shape_at(size[0], x, cells[0]), 0, cti_shape_at(size[1], z, cells[1])));
    /* p q   z runs down, x to the right; seen from +y the order p r q is counter-clockwise
       r s */
    for (z = 0; ok && z < cells[1]; z++)
        for (x = 0; ok && x < cells[0]; x++) {
            int32_t p = (int32_t)(z * nx + x), q = p + 1, r = p + (int32_t)nx, s = r + 1;
            if ((x + z) & 1)
                ok = cti_shape_push3(&mem, &m.triangles, p, r, s) && cti_shape_push3(&mem, &m.triangles, p, s, q);
            else
                ok = cti_shape_push3(&mem, &m.triangles, p, r, q) && cti_shape_push3(&mem, &m.triangles, q, r, s);
        }
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

/* ---- sphere ---- */

/* Splits every triangle into four; the middle of an edge is pushed out to the sphere and belongs to both sides. */
static int cti_shape_split(cti_mem *mem, ct_mesh *m, cti_topology *topology, ct_real radius)
{
    int nv = CTI_LEN(m->positions) / 3, nf = CTI_LEN(m->triangles) / 3, e, f, k;
    int32_t *fine = NULL;
    if (!cti_topology_build(mem, topology, nv, m->triangles, nf, NULL, 0))
        return 0;
    for (e = 0; e < topology->n_edges; e++) {
        cti_v3 p = cti_v3_add(cti_v3_at(m->positions, topology->edges[2 * e]), cti_v3_at(m->positions, topology->edges[2 * e + 1]));
        if (!cti_shape_vertex(mem, m, cti_v3_mul(cti_v3_unit(p, p), radius)))
            return 0;
    }
    for (f = 0; f < nf; f++) {
        int32_t v[3], w[3];
        int ok = 1;
        for (k = 0; k < 3; k++)
            v[k] = m->triangles[3 * f + k], w[k] = (int32_t)(nv + topology->face_edges[3 * f + k]);
        ok = cti_shape_push3(mem, &fine, v[0], w[0], w[2]) && cti_shape_push3(mem, &fine, v[1], w[1], w[0]) &&
             cti_shape_push3(mem, &fine, v[2], w[2], w[1]) && cti_shape_push3(mem, &fine, w[0], w[1], w[2]);
        if (!ok) {
            CTI_FREE(mem, fine);
            return 0;
        }
    }
    CTI_FREE(mem, m->triangles);
    m->triangles = fine;
    return 1;
}

CONTACT_API_DEF ct_code ct_mesh_sphere(ct_real radius, int levels, ct_mesh *out_mesh, ct_error_info *out_error)
{
    /* the icosahedron: cyclic permutations of (+-1, +-g, 0), g the golden ratio */
    static const int faces[20][3] = {{0, 1, 8},  {0, 10, 1}, {0, 4, 5},  {0, 8, 4},   {0, 5, 10}, {1, 7, 6},  {1, 6, 8},
                                     {1, 10, 7}, {2, 9, 3},  {2, 3, 11}, {2, 5, 4},   {2, 4, 9},  {2, 11, 5}, {3, 6, 7},
                                     {3, 9, 6},  {3, 7, 11}, {4, 8, 9},  {5, 11, 10}, {6, 9, 8},  {7, 10, 11}};
    cti_topology topology;
    cti_mem mem;
    ct_mesh m;
    int i, ok = 1;
    if (!out_mesh)
        return cti_shape_error(out_error, CT_ERR_ARGUMENT, "out_mesh may not be NULL", -1, 0);
    if (!cti_finite(radius) || !(radius > 0))
        return cti_shape_error(out_error, CT_ERR_ARGUMENT, "radius has to be finite and > 0", -1, (double)radius);
    if (levels < 0 || levels > 7)
        return cti_shape_error(out_error, CT_ERR_ARGUMENT, "levels have to be 0..7", -1, (double)levels);
    cti_mem_init(&mem, NULL);
    memset(&m, 0, sizeof m);
    memset(&topology, 0, sizeof topology);
    for (i = 0; ok && i < 12; i++) {
        ct_real g = (1 + cti_sqrt(5)) / 2, a = i & 1 ? -1 : 1, b = i & 2 ? -g : g;
        cti_v3 p = i < 4 ? cti_v3_make(0, a, b) : (i < 8 ? cti_v3_make(a, b, 0) : cti_v3_make(b, 0, a));
        ok = cti_shape_vertex(&mem, &m, cti_v3_mul(cti_v3_unit(p, p), radius));
    }
    for (i = 0; ok && i < 20; i++)
        ok = cti_shape_push3(&mem, &m.triangles, faces[i][0], faces[i][1], faces[i][2]);
    for (i = 0; ok && i < levels; i++)
        ok = cti_shape_split(&mem, &m, &topology, radius);
    cti_topology_free(&mem, &topology);
    return cti_shape_finish(&m, ok, out_mesh, out_error);
}

/* ---- 5_mesh/bvh.h ---- */
/* bvh.h -- trees of moving boxes, eight wide, over vertices, edges or faces: built once, refitted, traversed in pairs.
   Method: a moving box is a box at the start and one at the end of linear motions; two of them are apart when along some axis one is above
   the other at both ends (bounds.h). Items are ordered by median splits at multiples of powers of eight, so that a tree needs no pointers:
   level 0 holds the items' boxes in blocks of eight lanes, level k + 1 one box per block of level k, up to a level with one box. An overlap
   test compares one box with a block. Which pairs are found depends on the items' boxes alone, never on the tree.
   A tree may also have one box that holds for both ends; two such trees are held against each other once.
   differs: the boxes at the two ends of a motion are kept apart, and not joined to one that holds both.
   based on: Dammertz, Hanika, Keller, Shallow bounding volume hierarchies, 2008 (wide nodes); implicit layout as in B-tree arrays. */


/* floats in a block: lo x, lo y, lo z, hi x, hi y, hi z at the start, then at the end, eight lanes each */
enum { CTI_BVH_LEVELS = 13, CTI_BVH_HALF = 48, CTI_BVH_BLOCK = 96 };

/* cti_bvh -- one tree in a forest. Level k has `entries[k]` boxes in blocks block0[k] ... ; the last level has one entry. */
typedef struct cti_bvh {
    int n_items, n_levels; /* n_levels 0: empty; else at least 2 */
    int end;               /* where in a block the boxes at the end are: CTI_BVH_HALF, or 0: the same */
    int item0;             /* its items: forest->items[item0 ...], in tree order */
    int entries[CTI_BVH_LEVELS], block0[CTI_BVH_LEVELS];
} cti_bvh;

/* cti_forest -- the arrays that many trees share; growable. Zero it before use. */
typedef struct cti_forest {
    int32_t *items;
    float *blocks;   /* [CTI_BVH_BLOCK n_blocks] */
    uint8_t *active; /* [n_blocks] bit per lane: takes part in an active traversal */
    int n_blocks;
} cti_forest;

CTI_FN void cti_forest_clear(cti_forest *forest);
CTI_FN void cti_forest_free(cti_mem *mem, cti_forest *forest);

/* cti_bvh_item -- an item with the point by which it is placed. */
typedef struct cti_bvh_item {
    ct_real at[3];
    int32_t id;
} cti_bvh_item;

/* cti_bvh_build -- appends a tree over n items to the forest (items are reordered); boxes are empty until refitted. 0: out of memory. */
CTI_FN int cti_bvh_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, cti_bvh_item *items, int n);
/* cti_bvh_refit -- boxes from the vertices' boxes: vertex_boxes [16 nv]: lo x y z, 0, -hi x y z, 0 at the start, then at the end; moving 0:
   the former hold for both and the latter are not read. elements [width n] vertex numbers, NULL with width 1: items are vertices. */
CTI_FN void cti_bvh_refit(cti_forest *forest, cti_bvh *tree, const float *vertex_boxes, int moving, const int32_t *elements, int width);
/* cti_bvh_activate -- an item is active when a vertex of it is; vertex_active NULL: all. */
CTI_FN void cti_bvh_activate(cti_forest *forest, const cti_bvh *tree, const uint8_t *vertex_active, const int32_t *elements, int width);
/* cti_bvh_root -- the box of the whole tree: lo, hi at the start, then at the end. An empty tree: lo > hi. */
CTI_FN void cti_bvh_root(const cti_forest *forest, const cti_bvh *tree, float box[12]);
/* cti_bvh_pairs -- appends every (item of a, item of b) whose boxes overlap and of which at least one is active to *out [2 n]; a == b: each
   unordered pair once, never an item with itself. No order. 0: out of memory. */
CTI_FN int cti_bvh_pairs(cti_mem *mem, const cti_forest *forest, const cti_bvh *a, const cti_bvh *b, int32_t **out);

/* cti_bvh_hits -- lanes of `block` whose boxes overlap the box in lane `lane` of `query` (closed), at one end. */
CTI_INLINE unsigned cti_bvh_hits(const float *query, int lane, const float *block)
{
    cti_f8 m = cti_f8_and(cti_f8_le(cti_f8_set(query[lane]), cti_f8_load(block + 24)),
                          cti_f8_le(cti_f8_load(block), cti_f8_set(query[24 + lane])));
    m = cti_f8_and(m, cti_f8_and(cti_f8_le(cti_f8_set(query[8 + lane]), cti_f8_load(block + 32)),
                                 cti_f8_le(cti_f8_load(block + 8), cti_f8_set(query[32 + lane]))));
    m = cti_f8_and(m, cti_f8_and(cti_f8_le(cti_f8_set(query[16 + lane]), cti_f8_load(block + 40)),
                                 cti_f8_le(cti_f8_load(block + 16), cti_f8_set(query[40 + lane]))));
    return (unsigned)cti_f8_bits(m);
}

/* cti_bvh_on_way -- lanes that overlap along axis k at some time: neither is above the other at both ends. q0, b0: query and block at the
   start, q1, b1: at the end. */
CTI_INLINE cti_f8 cti_bvh_on_way(const float *q0, const float *q1, int lane, const float *b0, const float *b1, int k)
{
    cti_f8 below = cti_f8_or(cti_f8_le(cti_f8_set(q0[8 * k + lane]), cti_f8_load(b0 + 24 + 8 * k)),
                             cti_f8_le(cti_f8_set(q1[8 * k + lane]), cti_f8_load(b1 + 24 + 8 * k)));
    cti_f8 above = cti_f8_or(cti_f8_le(cti_f8_load(b0 + 8 * k), cti_f8_set(q0[24 + 8 * k + lane])),
                             cti_f8_le(cti_f8_load(b1 + 8 * k), cti_f8_set(q1[24 + 8 * k + lane])));
    return cti_f8_and(below, above);
}

/* cti_bvh_hits_moving -- the same as cti_bvh_hits for moving boxes. */
CTI_INLINE unsigned cti_bvh_hits_moving(const float *q0, const float *q1, int lane, const float *b0, const float *b1)
{
    cti_f8 m = cti_f8_and(cti_bvh_on_way(q0, q1, lane, b0, b1, 0), cti_bvh_on_way(q0, q1, lane, b0, b1, 1));
    return (unsigned)cti_f8_bits(cti_f8_and(m, cti_bvh_on_way(q0, q1, lane, b0, b1, 2)));
}


/* ---- 5_mesh/bvh.c ---- */
/* bvh.c -- eight-wide box trees. Purpose: candidate pairs fast, with nothing allocated after the build. Method: see bvh.h; traversal of a
   pair of trees with an explicit stack, both nodes opened together when they stand on one level. */

/* the top of a traversal pushes at most 64 pairs a level of either tree */
enum { CTI_BVH_STACK = 64 * 2 * CTI_BVH_LEVELS, CTI_BVH_PUSH = 64 };
#define CTI_BVH_BIG 3.4028234e38f

CTI_FN void cti_forest_clear(cti_forest *forest)
{
    CTI_CLEAR(forest->items);
    CTI_CLEAR(forest->blocks);
    CTI_CLEAR(forest->active);
    forest->n_blocks = 0;
}

CTI_FN void cti_forest_free(cti_mem *mem, cti_forest *forest)
{
    CTI_FREE(mem, forest->items);
    CTI_FREE(mem, forest->blocks);
    CTI_FREE(mem, forest->active);
    forest->n_blocks = 0;
}

/* ---- build ---- */

static int cti_bvh_less(const cti_bvh_item *a, const cti_bvh_item *b, int axis)
{
    return a->at[axis] < b->at[axis] || (!(b->at[axis] < a->at[axis]) && a->id < b->id);
}

/* Quickselect: the k least of a[0 .. n) along the axis come first. The order is total, so that the set is unique. */
static void cti_bvh_select(cti_bvh_item *a, int n, int k, int axis)
{
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        int i = lo, j = hi, mid = lo + (hi - lo) / 2;
        cti_bvh_item t, p = a[mid];
        /* median of three as pivot */
        if (cti_bvh_less(&a[hi], &a[lo], axis)) {
            if (cti_bvh_less(&p, &a[hi], axis))
                p = a[hi];
            else if (cti_bvh_less(&a[lo], &p, axis))
                p = a[lo];
        } else {
            if (cti_bvh_less(&p, &a[lo], axis))
                p = a[lo];
            else if (cti_bvh_less(&a[hi], &p, axis))
                p = a[hi];
        }
        while (i <= j) {
            while (cti_bvh_less(&a[i], &p, axis))
                i++;
            while (cti_bvh_less(&p, &a[j], axis))
                j--;
            if (i <= j)
                t = a[i], a[i] = a[j], a[j] = t, i++, j--;
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
}

static int cti_bvh_longest_axis(const cti_bvh_item *a, int n)
{
    ct_real lo[3], hi[3];
    int i, k, best = 0;
    for (k = 0; k < 3; k++)
        lo[k] = hi[k] = a[0].at[k];
    for (i = 1; i < n; i++)
        for (k = 0; k < 3; k++) {
            lo[k] = cti_min(lo[k], a[i].at[k]);
            hi[k] = cti_max(hi[k], a[i].at[k]);
        }
    for (k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[best] - lo[best])
            best = k;
    return best;
}

/* Orders items so that children of `cap` items (a power of eight) are contiguous; only the last is not full. */
static void cti_bvh_order(cti_bvh_item *a, int n, int cap)
{
    while (n > 8) {
        int children = (n - 1) / cap + 1, left;
        if (children == 1) {
            cap /= 8;
            continue;
        }
        left = children / 2 * cap;
        cti_bvh_select(a, n, left, cti_bvh_longest_axis(a, n));
        cti_bvh_order(a, left, cap);
        a += left, n -= left;
    }
    /* a leaf: by number */
    {
        int i, j;
        for (i = 1; i < n; i++) {
            cti_bvh_item t = a[i];
            for (j = i; j > 0 && a[j - 1].id > t.id; j--)
                a[j] = a[j - 1];
            a[j] = t;
        }
    }
}

CTI_FN int cti_bvh_build(cti_mem *mem, cti_forest *forest, cti_bvh *tree, cti_bvh_item *items, int n)
{
    int cap = 8, entries = n, blocks = forest->n_blocks, i, k;
    memset(tree, 0, sizeof *tree);
    if (n <= 0)
        return 1;
    while ((n - 1) / cap >= 8)
        cap *= 8;
    cti_bvh_order(items, n, cap);
    /* levels: boxes of level k + 1 are blocks of level k */
    for (k = 0;; k++) {
        int level_blocks = (entries - 1) / 8 + 1;
        tree->entries[k] = entries;
        tree->block0[k] = blocks;
        blocks += level_blocks;
        if (k > 0 && entries == 1)
            break;
        entries = level_blocks;
    }
    tree->n_levels = k + 1;
    tree->n_items = n;
    tree->item0 = CTI_LEN(forest->items);
    if (!CTI_RESIZE(mem, forest->items, (size_t)tree->item0 + (size_t)n) ||
        !CTI_RESIZE(mem, forest->blocks, (size_t)blocks * CTI_BVH_BLOCK) || !CTI_RESIZE(mem, forest->active, blocks))
        return 0;
    for (i = 0; i < n; i++)
        forest->items[tree->item0 + i] = items[i].id;
    for (i = forest->n_blocks; i < blocks; i++) {
        for (k = 0; k < CTI_BVH_BLOCK; k++)
            forest->blocks[(size_t)i * CTI_BVH_BLOCK + (size_t)k] = k % CTI_BVH_HALF < 24 ? CTI_BVH_BIG : -CTI_BVH_BIG;
        forest->active[i] = 255;
    }
    forest->n_blocks = blocks;
    return 1;
}

/* ---- refit ---- */

/* Lane `lane` of half a block from a box lo x y z, 0, -hi x y z, 0. */
static void cti_bvh_put(float *block, int lane, cti_f8 box)
{
    float t[8];
    cti_f8_store(t, box);
    block[lane] = t[0], block[8 + lane] = t[1], block[16 + lane] = t[2];
    block[24 + lane] = -t[4], block[32 + lane] = -t[5], block[40 + lane] = -t[6];
}

/* The box of the lanes of half a block, in the same form. */
static cti_f8 cti_bvh_block_box(const float *block)
{
    float t[8];
    int k, i;
    t[3] = t[7] = 0;
    for (k = 0; k < 3; k++) {
        float lo = block[8 * k], hi = block[24 + 8 * k];
        for (i = 1; i < 8; i++) {
            lo = block[8 * k + i] < lo ? block[8 * k + i] : lo;
            hi = block[24 + 8 * k + i] > hi ? block[24 + 8 * k + i] : hi;
        }
        t[k] = lo, t[4 + k] = -hi;
    }
    return cti_f8_load(t);
}

/* One half of the blocks: level 0 from the vertices, and level 1 in passing, then the others. */
static void cti_bvh_refit_half(float *blocks, const cti_bvh *tree, const int32_t *items, const float *vertex_boxes, const int32_t *elements,
                               int width)
{
    int i, j, k, level;
    for (i = 0; i < tree->n_items; i += 8) {
        float *block = blocks + (size_t)(tree->block0[0] + i / 8) * CTI_BVH_BLOCK;
        float *up = blocks + (size_t)(tree->block0[1] + i / 64) * CTI_BVH_BLOCK;
        cti_f8 all = cti_f8_set(CTI_BVH_BIG);
        int m = cti_min_int(8, tree->n_items - i);
        for (j = 0; j < m; j++) {
            const int32_t *v = elements ? elements + (size_t)items[i + j] * (size_t)width : items + i + j;
            cti_f8 box = cti_f8_load(vertex_boxes + 16 * (size_t)v[0]);
            for (k = 1; k < width; k++)
                box = cti_f8_min(box, cti_f8_load(vertex_boxes + 16 * (size_t)v[k]));
            all = cti_f8_min(all, box);
            cti_bvh_put(block, j, box);
        }
        cti_bvh_put(up, i / 8 % 8, all);
    }
    for (level = 2; level < tree->n_levels; level++)
        for (i = 0; i < tree->entries[level]; i++) {
            const float *block = blocks + (size_t)(tree->block0[level - 1] + i) * CTI_BVH_BLOCK;
            float *up = blocks + (size_t)(tree->block0[level] + i / 8) * CTI_BVH_BLOCK;
            cti_bvh_put(up, i % 8, cti_bvh_block_box(block));
        }
}

CTI_FN void cti_bvh_refit(cti_forest *forest, cti_bvh *tree, const float *vertex_boxes, int moving, const int32_t *elements, int width)
{
    const int32_t *items = forest->items + tree->item0;
    tree->end = moving ? CTI_BVH_HALF : 0;
    if (tree->n_levels == 0)
        return;
    cti_bvh_refit_half(forest->blocks, tree, items, vertex_boxes, elements, width);
    if (moving)
        cti_bvh_refit_half(forest->blocks + CTI_BVH_HALF, tree, items, vertex_boxes + 8, elements, width);
}

CTI_FN void cti_bvh_activate(cti_forest *forest, const cti_bvh *tree, const uint8_t *vertex_active, const int32_t *elements, int width)
{
    const int32_t *items = forest->items + tree->item0;
    int i, k, level;
    for (level = 0; level < tree->n_levels; level++)
        memset(forest->active + tree->block0[level], vertex_active ? 0 : 255, (size_t)((tree->entries[level] - 1) / 8 + 1));
    if (!vertex_active || tree->n_levels == 0)
        return;
    for (i = 0; i < tree->n_items; i++) {
        const int32_t *v = elements ? elements + (size_t)items[i] * (size_t)width : items + i;
        int on = 0;
        for (k = 0; k < width; k++)
            on |= vertex_active[v[k]] != 0;
        forest->active[tree->block0[0] + i / 8] = (uint8_t)(forest->active[tree->block0[0] + i / 8] | on << i % 8);
    }
    for (level = 1; level < tree->n_levels; level++)
        for (i = 0; i < tree->entries[level]; i++) {
            int on = forest->active[tree->block0[level - 1] + i] != 0, b = tree->block0[level] + i / 8;
            forest->active[b] = (uint8_t)(forest->active[b] | on << i % 8);
        }
}

CTI_FN void cti_bvh_root(const cti_forest *forest, const cti_bvh *tree, float box[12])
{
    const float *top = tree->n_levels ? forest->blocks + (size_t)tree->block0[tree->n_levels - 1] * CTI_BVH_BLOCK : NULL;
    int k;
    for (k = 0; k < 6; k++) {
        box[k] = top ? top[8 * k] : (k < 3 ? CTI_BVH_BIG : -CTI_BVH_BIG);
        box[6 + k] = top ? top[tree->end + 8 * k] : box[k];
    }
}

/* ---- pairs ---- */

/* A pair of nodes: node (level, i) is box i of level `level` and opens into block i of the level below. */
typedef struct cti_bvh_node_pair {
    int level_a, a, level_b, b;
} cti_bvh_node_pair;

typedef struct cti_bvh_walk {
    const cti_forest *forest;
    const cti_bvh *a, *b;
    cti_bvh_node_pair *stack;
    int n;
} cti_bvh_walk;

static const float *cti_bvh_level_block(const cti_forest *forest, const cti_bvh *t, int level, int i, unsigned *active)
{
    int b = t->block0[level] + i;
    *active = forest->active[b];
    return forest->blocks + (size_t)b * CTI_BVH_BLOCK;
}

/* Lanes of a block of tree b whose boxes overlap the one in lane `lane` of a block of tree a */
CTI_INLINE unsigned cti_bvh_meet(const cti_bvh *a, const float *query, int lane, const cti_bvh *b, const float *block)
{
    if (a->end + b->end == 0)
        return cti_bvh_hits(query, lane, block);
    return cti_bvh_hits_moving(query, query + a->end, lane, block, block + b->end);
}

static void cti_bvh_push(cti_bvh_walk *w, int level_a, int a, int level_b, int b)
{
    cti_bvh_node_pair *p = w->stack + w->n++;
    p->level_a = level_a, p->a = a, p->level_b = level_b, p->b = b;
}

/* Opens one node, `t` at (level, i), against the box of node (other_level, j) of the other tree. */
static void cti_bvh_open_one(cti_bvh_walk *w, int open_a, const cti_bvh_node_pair *p)
{
    const cti_bvh *t = open_a ? w->a : w->b, *o = open_a ? w->b : w->a;
    int level = (open_a ? p->level_a : p->level_b) - 1, i = open_a ? p->a : p->b;
    int other_level = open_a ? p->level_b : p->level_a, j = open_a ? p->b : p->a;
    unsigned active, other_active, m;
    const float *block = cti_bvh_level_block(w->forest, t, level, i, &active);
    const float *other = cti_bvh_level_block(w->forest, o, other_level, j / 8, &other_active);
    m = cti_bvh_meet(o, other, j % 8, t, block);
    if (!(other_active >> (j % 8) & 1u))
        m &= active;
    for (; m; m &= m - 1) {
        int k = 8 * i + cti_lowest_bit(m);
        if (open_a)
            cti_bvh_push(w, level, k, other_level, j);
        else
            cti_bvh_push(w, other_level, j, level, k);
    }
}

/* The lanes of node a's block that reach node b's box at all; of the same node: the lanes in use. */
static unsigned cti_bvh_lanes(const cti_bvh_walk *w, const cti_bvh_node_pair *p, int self, const float *block_a)
{
    unsigned unused;
    int level = p->level_a - 1;
    if (self)
        return (1u << cti_min_int(8, w->a->entries[level] - 8 * p->a)) - 1u;
    return cti_bvh_meet(w->b, cti_bvh_level_block(w->forest, w->b, level + 1, p->b / 8, &unused), p->b % 8, w->a, block_a);
}

/* Opens both nodes of a pair on one level above the leaves: lanes against lanes. `self`: the two are the same node. */
static void cti_bvh_open_both(cti_bvh_walk *w, const cti_bvh_node_pair *p, int self)
{
    int level = p->level_a - 1;
    unsigned active_a, active_b, lanes;
    const float *block_a = cti_bvh_level_block(w->forest, w->a, level, p->a, &active_a);
    const float *block_b = cti_bvh_level_block(w->forest, w->b, level, p->b, &active_b);
    for (lanes = cti_bvh_lanes(w, p, self, block_a); lanes; lanes &= lanes - 1) {
        int i = cti_lowest_bit(lanes), on = (int)(active_a >> i & 1u);
        unsigned m = cti_bvh_meet(w->a, block_a, i, w->b, block_b) & (on ? 255u : active_b);
        if (self) {
            m &= ~((1u << i) * 2u - 1u);
            if (on)
                cti_bvh_push(w, level, 8 * p->a + i, level, 8 * p->b + i);
        }
        for (; m; m &= m - 1)
            cti_bvh_push(w, level, 8 * p->a + i, level, 8 * p->b + cti_lowest_bit(m));
    }
}

/* Two leaves: items against items, at most 64 pairs written at out; returns its new end. */
static int32_t *cti_bvh_leaves(const cti_bvh_walk *w, const cti_bvh_node_pair *p, int self, int32_t *out)
{
    unsigned active_a, active_b, lanes;
    const float *block_a = cti_bvh_level_block(w->forest, w->a, 0, p->a, &active_a);
    const float *block_b = cti_bvh_level_block(w->forest, w->b, 0, p->b, &active_b);
    const int32_t *items_a = w->forest->items + w->a->item0 + 8 * p->a, *items_b = w->forest->items + w->b->item0 + 8 * p->b;
    for (lanes = cti_bvh_lanes(w, p, self, block_a); lanes; lanes &= lanes - 1) {
        int i = cti_lowest_bit(lanes);
        int32_t item = items_a[i];
        unsigned m = cti_bvh_meet(w->a, block_a, i, w->b, block_b) & (active_a >> i & 1u ? 255u : active_b);
        if (self)
            m &= ~((1u << i) * 2u - 1u);
        for (; m; m &= m - 1, out += 2)
            out[0] = item, out[1] = items_b[cti_lowest_bit(m)];
    }
    return out;
}

CTI_FN int cti_bvh_pairs(cti_mem *mem, const cti_forest *forest, const cti_bvh *a, const cti_bvh *b, int32_t **out)
{
    cti_bvh_node_pair stack[CTI_BVH_STACK], p;
    cti_bvh_walk w;
    size_t n = (size_t)CTI_LEN(*out);
    if (a->n_levels == 0 || b->n_levels == 0)
        return 1;
    w.forest = forest, w.a = a, w.b = b, w.stack = stack, w.n = 0;
    cti_bvh_push(&w, a->n_levels - 1, 0, b->n_levels - 1, 0);
    while (w.n > 0) {
        p = stack[--w.n];
        if (p.level_a != p.level_b) {
            cti_bvh_open_one(&w, p.level_a > p.level_b, &p);
        } else if (p.level_a > 1) {
            cti_bvh_open_both(&w, &p, a == b && p.a == p.b);
        } else {
            /* room for a pair of leaves */
            if (!CTI_RESERVE(mem, *out, (int64_t)n + 2 * CTI_BVH_PUSH))
                return 0;
            n = (size_t)(cti_bvh_leaves(&w, &p, a == b && p.a == p.b, *out + n) - *out);
            stbds_header(*out)->length = n;
        }
    }
    return 1;
}
#undef CTI_BVH_BIG

/* ---- 5_mesh/pairs.h ---- */
/* pairs.h -- the broad phase: candidate pairs of surface features over many bodies. Method: per body, box trees over vertices, edges and
   faces (and over loose points and loose edges), built once, refitted to the boxes at both ends of linear motions; bodies are culled by
   sweep and prune. A pair is a candidate unless along an axis, or along one of the six diagonals of the axes (together an 18-DOP), one
   element is above the other at both ends of the motion, as widened and converted to float (bounds.h): what both do together has no part
   in it, and a body that falls has the pairs that it has at rest. Nor have the trees a part in the result or in its order. based on:
   Klosowski, Held, Mitchell, Sowizral, Zikan, Efficient collision detection using bounding volume hierarchies of k-DOPs, 1998; Cohen, Lin,
   Manocha, Ponamgi, I-COLLIDE, 1995 (sweep and prune); see bvh.h. */


/* cti_soup_body -- its ranges of surface vertices, edges and faces in the soup. Two bodies meet when one of them is dynamic and
   (a.group & b.mask) and (b.group & a.mask); a body meets itself when it is dynamic and `self`. */
typedef struct cti_soup_body {
    int v0, v1, e0, e1, f0, f1;
    int dynamic;
    int self;
    uint32_t group, mask;
    int swept;       /* 1: a vertex may be anywhere in the box of its motion's ends, at any time; 0: it moves from one to the other */
    ct_real inflate; /* half of the detection distance; >= 0 */
} cti_soup_body;

typedef struct cti_soup {
    const int32_t *edges; /* [2 ne] soup vertices */
    const int32_t *faces; /* [3 nf] soup vertices */
    int nv, ne, nf;
    const cti_soup_body *bodies;
    int n_bodies;
    const uint8_t *vertex_is_point; /* [nv] loose vertices that no edge and no face uses; NULL: none */
} cti_soup;

enum { CTI_BROAD_VERTICES, CTI_BROAD_EDGES, CTI_BROAD_FACES, CTI_BROAD_POINTS, CTI_BROAD_LOOSE, CTI_BROAD_TREES };

/* cti_broad -- zero it, build it, free it. */
typedef struct cti_broad {
    cti_forest forest;
    cti_bvh *trees;        /* [CTI_BROAD_TREES n_bodies] */
    float *vertex_boxes;   /* [16 nv], see cti_bvh_refit */
    float *vertex_slabs;   /* [32 nv] lo of the six slabs, 0, 0, -hi, 0, 0 at the start, then at the end */
    ct_real *last_x;       /* [6 nv] x0 and x1 of the last update: what has not changed keeps its boxes */
    ct_real *last_inflate; /* [n_bodies] */
    uint8_t *last_swept;   /* [n_bodies] */
    uint8_t *edge_loose;   /* [ne] 1: the edge is in no face */
    float *body_boxes;     /* [12 n_bodies] lo, hi at the start, then at the end */
    int32_t *body_order;   /* [2 n_bodies] (key of the lower lo on the sweep axis, body), sorted */
    int32_t *body_pairs;   /* [2 n] bodies whose boxes overlap, i < j, and (i, i), sorted */
    int32_t *scratch;
    float *sweep;   /* blocks of body boxes in sweep order */
    int32_t *raw;   /* [2 n] overlaps of one body pair */
    uint64_t *bits; /* matrix for sorting them; zero between uses */
    int n_bodies, nv, ne, nf;
    int fresh;      /* 1: boxes of every body have to be refitted */
    int partial;    /* 1: some items are inactive */
    int boxes_only; /* 1: slabs are not looked at; the caller's to set after the build */
} cti_broad;

/* cti_broad_build -- trees from positions x [3 nv]. Old contents are replaced. The soup is read in every call and not kept. 0: out of
   memory (broad emptied). */
CTI_FN int cti_broad_build(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x);
CTI_FN void cti_broad_free(cti_mem *mem, cti_broad *broad);
/* cti_broad_update -- boxes of the motions from x0 to x1 [3 nv] (may be the same), widened by each body's inflate. Finds the overlapping
   bodies. 0: out of memory. */
CTI_FN int cti_broad_update(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x0, const ct_real *x1);
/* cti_broad_pairs -- candidates of the last update, each kind a growable array [2 n] (CTI_LEN is 2 n), unique; NULL: not wanted. Order:
   body pairs (p, p) and (p, q), p < q, in rising order; in each, the pairs by their numbers (vf: first vertices of p, then vertices of q).
   vf: (vertex, face); ee: (edge, edge), a < b; ve: (loose point, loose edge); vv: (loose point, loose point), a < b. Left out: a vertex and
   its own face or edge, edges that share a vertex. 0: out of memory. */
CTI_FN int cti_broad_pairs(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **vf, int32_t **ee, int32_t **ve, int32_t **vv);
/* cti_broad_pairs_moved -- the same, only those with a vertex v for which vertex_moved[v] is not 0; vertex_moved [nv]. */
CTI_FN int cti_broad_pairs_moved(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const uint8_t *vertex_moved, int32_t **vf,
                                 int32_t **ee, int32_t **ve, int32_t **vv);
/* cti_broad_edge_faces -- (edge, face) candidates of the last update that share no vertex, ordered as vf. 0: out of memory. */
CTI_FN int cti_broad_edge_faces(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **ef);

/* cti_intersect_soup -- every (edge, face) that has a point in common at positions x, exactly (crossing.c); features that share a vertex
   and bodies that do not meet are left out. The last update must have covered x. Growable array [2 n], ordered as vf. 0: out of memory. */
CTI_FN int cti_intersect_soup(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, int32_t **out_pairs);


/* ---- 5_mesh/pairs.c ---- */
/* pairs.c -- candidate pairs over many bodies. Method: pairs.h. Raw overlaps come from the trees body pair by body pair; pairs that share a
   vertex are taken out of what a body gave with itself, then those whose slabs are apart; what is left of each body pair is sorted, in a
   bit matrix or by digits. */

/* pairs are sorted in a bit matrix when there are more than a few, and at least one for so many words of it */
enum { CTI_BROAD_FEW = 24, CTI_BROAD_DENSE = 8 };

CTI_FN void cti_broad_free(cti_mem *mem, cti_broad *broad)
{
    cti_forest_free(mem, &broad->forest);
    CTI_FREE(mem, broad->trees);
    CTI_FREE(mem, broad->vertex_boxes);
    CTI_FREE(mem, broad->vertex_slabs);
    CTI_FREE(mem, broad->last_x);
    CTI_FREE(mem, broad->last_inflate);
    CTI_FREE(mem, broad->last_swept);
    CTI_FREE(mem, broad->edge_loose);
    CTI_FREE(mem, broad->body_boxes);
    CTI_FREE(mem, broad->body_order);
    CTI_FREE(mem, broad->body_pairs);
    CTI_FREE(mem, broad->scratch);
    CTI_FREE(mem, broad->sweep);
    CTI_FREE(mem, broad->raw);
    CTI_FREE(mem, broad->bits);
    memset(broad, 0, sizeof *broad);
}

/* ---- build ---- */

static int32_t cti_broad_low(const int32_t *e) { return e[0] < e[1] ? e[0] : e[1]; }
static int32_t cti_broad_high(const int32_t *e) { return e[0] < e[1] ? e[1] : e[0]; }

/* edge_loose: the edges that are no side of any face. Sides, sorted, are searched by bisection. */
static int cti_broad_find_loose(cti_mem *mem, cti_broad *broad, const cti_soup *soup)
{
    int32_t *sides = NULL;
    int i, k, n = 0, ok = 0;
    if (!CTI_RESIZE(mem, broad->edge_loose, soup->ne) || !CTI_RESERVE(mem, sides, 6 * (int64_t)soup->nf + 2))
        goto done;
    for (i = 0; i < soup->nf; i++)
        for (k = 0; k < 3; k++, n++) {
            int32_t side[2];
            side[0] = soup->faces[3 * i + k], side[1] = soup->faces[3 * i + (k + 1) % 3];
            sides[2 * n] = cti_broad_low(side), sides[2 * n + 1] = cti_broad_high(side);
        }
    if (!cti_pairsort(mem, sides, n, soup->nv, soup->nv, &broad->scratch))
        goto done;
    for (i = 0; i < soup->ne; i++) {
        int32_t a = cti_broad_low(soup->edges + 2 * i), b = cti_broad_high(soup->edges + 2 * i);
        int lo = 0, hi = n;
        while (lo < hi) {
            int mid = lo + (hi - lo) / 2;
            if (sides[2 * mid] < a || (sides[2 * mid] == a && sides[2 * mid + 1] < b))
                lo = mid + 1;
            else
                hi = mid;
        }
        broad->edge_loose[i] = !(lo < n && sides[2 * lo] == a && sides[2 * lo + 1] == b);
    }
    ok = 1;
done:
    CTI_FREE(mem, sides);
    return ok;
}

/* Items of one tree: the elements first .. last of a body, placed by the middle of their boxes; `only`: those with only[i] set. */
static int cti_broad_collect(cti_bvh_item *items, int first, int last, const int32_t *elements, int width, const uint8_t *only,
                             const ct_real *x)
{
    int i, j, k, n = 0;
    for (i = first; i < last; i++) {
        cti_box box = cti_box_empty();
        if (only && !only[i])
            continue;
        for (j = 0; j < width; j++) {
            k = elements ? elements[(size_t)i * (size_t)width + (size_t)j] : i;
            cti_box_add(&box, cti_v3_at(x, k));
        }
        items[n].at[0] = box.lo.x + (box.hi.x - box.lo.x) / 2;
        items[n].at[1] = box.lo.y + (box.hi.y - box.lo.y) / 2;
        items[n].at[2] = box.lo.z + (box.hi.z - box.lo.z) / 2;
        items[n].id = i;
        n++;
    }
    return n;
}

/* What a tree of kind `tree` has as elements. */
static const int32_t *cti_broad_elements(const cti_soup *soup, int tree, int *width)
{
    *width = tree == CTI_BROAD_FACES ? 3 : (tree == CTI_BROAD_EDGES || tree == CTI_BROAD_LOOSE ? 2 : 1);
    return *width == 3 ? soup->faces : (*width == 2 ? soup->edges : NULL);
}

static int cti_broad_build_trees(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, cti_bvh_item *items)
{
    int b, k;
    for (b = 0; b < soup->n_bodies; b++) {
        const cti_soup_body *body = soup->bodies + b;
        for (k = 0; k < CTI_BROAD_TREES; k++) {
            int width, n;
            const int32_t *elements = cti_broad_elements(soup, k, &width);
            const uint8_t *only = k == CTI_BROAD_POINTS ? soup->vertex_is_point : (k == CTI_BROAD_LOOSE ? broad->edge_loose : NULL);
            int first = width == 3 ? body->f0 : (width == 2 ? body->e0 : body->v0);
            int last = width == 3 ? body->f1 : (width == 2 ? body->e1 : body->v1);
            if (k == CTI_BROAD_POINTS && !soup->vertex_is_point)
                last = first;
            n = cti_broad_collect(items, first, last, elements, width, only, x);
            if (!cti_bvh_build(mem, &broad->forest, broad->trees + CTI_BROAD_TREES * b + k, items, n))
                return 0;
        }
    }
    return 1;
}

CTI_FN int cti_broad_build(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x)
{
    cti_bvh_item *items = NULL;
    int most = cti_max_int(soup->nv, cti_max_int(soup->ne, soup->nf)), ok = 0;
    size_t nb = (size_t)soup->n_bodies;
    cti_forest_clear(&broad->forest);
    broad->n_bodies = soup->n_bodies, broad->nv = soup->nv, broad->ne = soup->ne, broad->nf = soup->nf;
    broad->fresh = 1, broad->partial = broad->boxes_only = 0;
    if (!CTI_RESIZE(mem, broad->trees, CTI_BROAD_TREES * nb) || !CTI_RESIZE(mem, broad->vertex_boxes, 16 * (size_t)soup->nv) ||
        !CTI_RESIZE(mem, broad->vertex_slabs, 32 * (size_t)soup->nv) || !CTI_RESIZE(mem, broad->last_x, 6 * (size_t)soup->nv) ||
        !CTI_RESIZE(mem, broad->last_inflate, nb) || !CTI_RESIZE(mem, broad->last_swept, nb) ||
        !CTI_RESIZE(mem, broad->body_boxes, 12 * nb) ||
        !CTI_RESIZE(mem, broad->body_order, 2 * nb) || !CTI_RESIZE(mem, broad->sweep, (nb / 8 + 1) * CTI_BVH_BLOCK) ||
        !CTI_RESERVE(mem, items, most))
        goto done;
    ok = cti_broad_find_loose(mem, broad, soup) && cti_broad_build_trees(mem, broad, soup, x, items);
done:
    CTI_FREE(mem, items);
    if (!ok)
        cti_broad_free(mem, broad);
    return ok;
}

/* ---- update ---- */

/* Slabs of a linear motion, as float. */
static void cti_broad_put_slabs(float *t, cti_v3 p0, cti_v3 p1, ct_real inflate)
{
    cti_slabs s = cti_slabs_motion(p0, p1, inflate);
    int k;
    for (k = 0; k < 6; k++) {
        t[k] = cti_round_float(s.lo[k]);
        t[8 + k] = -cti_round_float(s.hi[k]);
    }
    t[6] = t[7] = t[14] = t[15] = 0;
}

/* Box of a linear motion, as float. */
static void cti_broad_put_box(float *t, cti_v3 p0, cti_v3 p1, ct_real inflate)
{
    cti_box b = cti_box_motion(p0, p1, inflate);
    t[0] = cti_round_float(b.lo.x), t[1] = cti_round_float(b.lo.y), t[2] = cti_round_float(b.lo.z), t[3] = 0;
    t[4] = -cti_round_float(b.hi.x), t[5] = -cti_round_float(b.hi.y), t[6] = -cti_round_float(b.hi.z), t[7] = 0;
}

/* Is body b where it was in the last update? If not, its motion is remembered. */
static int cti_broad_same(cti_broad *broad, const cti_soup_body *body, int b, const ct_real *x0, const ct_real *x1)
{
    size_t first = 3 * (size_t)body->v0, bytes = 3 * (size_t)(body->v1 - body->v0) * sizeof *x0;
    ct_real *last0 = broad->last_x + first, *last1 = broad->last_x + 3 * (size_t)broad->nv + first;
    if (!broad->fresh && broad->last_inflate[b] == body->inflate && broad->last_swept[b] == (body->swept != 0) &&
        memcmp(last0, x0 + first, bytes) == 0 &&
        memcmp(last1, x1 + first, bytes) == 0)
        return 1;
    memcpy(last0, x0 + first, bytes);
    memcpy(last1, x1 + first, bytes);
    broad->last_inflate[b] = body->inflate;
    broad->last_swept[b] = body->swept != 0;
    return 0;
}

/* Vertex boxes and slabs of one body. */
static void cti_broad_vertex_boxes(cti_broad *broad, const cti_soup_body *body, const ct_real *x0, const ct_real *x1)
{
    int v;
    for (v = body->v0; v < body->v1; v++) {
        cti_v3 p0 = cti_v3_at(x0, v), p1 = cti_v3_at(x1, v);
        float *box = broad->vertex_boxes + 16 * (size_t)v, *slabs = broad->vertex_slabs + 32 * (size_t)v;
        cti_broad_put_box(box, p0, body->swept ? p1 : p0, body->inflate);
        cti_broad_put_slabs(slabs, p0, body->swept ? p1 : p0, body->inflate);
        if (body->swept)
            continue;
        cti_broad_put_box(box + 8, p1, p1, body->inflate);
        cti_broad_put_slabs(slabs + 16, p1, p1, body->inflate);
    }
}

/* Bodies may meet (not looking at boxes). */
static int cti_broad_may_meet(const cti_soup *soup, int a, int b)
{
    const cti_soup_body *p = soup->bodies + a, *q = soup->bodies + b;
    if (a == b)
        return p->dynamic && p->self;
    return (p->dynamic || q->dynamic) && (p->group & q->mask) && (q->group & p->mask);
}

/* A monotone map from floats to 31-bit numbers. */
static int32_t cti_broad_key(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u = u & 0x80000000u ? ~u : u | 0x80000000u;
    return (int32_t)(u >> 1);
}

/* What a body sweeps along an axis: from the lower lo to the higher hi. */
static float cti_broad_from(const float *box, int axis) { return box[axis] < box[6 + axis] ? box[axis] : box[6 + axis]; }
static float cti_broad_to(const float *box, int axis) { return box[3 + axis] > box[9 + axis] ? box[3 + axis] : box[9 + axis]; }

/* body_order and the sweep blocks: bodies by lo on the axis on which they spread most. */
static int cti_broad_sort_bodies(cti_mem *mem, cti_broad *broad)
{
    const float *box = broad->body_boxes;
    int n = broad->n_bodies, axis = 0, i, k;
    double best = -1;
    for (k = 0; k < 3; k++) {
        double sum = 0, sum2 = 0;
        for (i = 0; i < n; i++) {
            double c = 0.5 * ((double)cti_broad_from(box + 12 * i, k) + (double)cti_broad_to(box + 12 * i, k));
            sum += c, sum2 += c * c;
        }
        if (n > 0 && sum2 - sum * sum / n > best)
            best = sum2 - sum * sum / n, axis = k;
    }
    for (i = 0; i < n; i++)
        broad->body_order[2 * i] = cti_broad_key(cti_broad_from(box + 12 * i, axis)), broad->body_order[2 * i + 1] = i;
    if (!cti_pairsort(mem, broad->body_order, n, INT32_MAX, n, &broad->scratch))
        return -1;
    for (i = 0; i < n; i++) {
        float *block = broad->sweep + (size_t)(i / 8) * CTI_BVH_BLOCK;
        for (k = 0; k < 12; k++)
            block[8 * k + i % 8] = box[12 * broad->body_order[2 * i + 1] + k];
    }
    return axis;
}

/* body_pairs: sweep over the sorted bodies, eight boxes a test. */
static int cti_broad_sweep(cti_mem *mem, cti_broad *broad, const cti_soup *soup)
{
    int n = broad->n_bodies, axis = cti_broad_sort_bodies(mem, broad), i, b;
    if (axis < 0)
        return 0;
    CTI_CLEAR(broad->body_pairs);
    for (i = 0; i < n; i++) {
        const float *own = broad->sweep + (size_t)(i / 8) * CTI_BVH_BLOCK;
        int p = broad->body_order[2 * i + 1];
        int32_t end = cti_broad_key(cti_broad_to(broad->body_boxes + 12 * (size_t)p, axis));
        if (cti_broad_may_meet(soup, p, p) && (!CTI_PUSH(mem, broad->body_pairs, p) || !CTI_PUSH(mem, broad->body_pairs, p)))
            return 0;
        for (b = i / 8; 8 * b < n && broad->body_order[16 * b] <= end; b++) {
            const float *block = broad->sweep + (size_t)b * CTI_BVH_BLOCK;
            unsigned m = cti_bvh_hits_moving(own, own + CTI_BVH_HALF, i % 8, block, block + CTI_BVH_HALF);
            if (b == i / 8)
                m &= ~((1u << i % 8) * 2u - 1u);
            if (n - 8 * b < 8)
                m &= (1u << (n - 8 * b)) - 1u;
            for (; m; m &= m - 1) {
                int q = broad->body_order[2 * (8 * b + cti_lowest_bit(m)) + 1];
                if (cti_broad_may_meet(soup, p, q) &&
                    (!CTI_PUSH(mem, broad->body_pairs, cti_min_int(p, q)) || !CTI_PUSH(mem, broad->body_pairs, cti_max_int(p, q))))
                    return 0;
            }
        }
    }
    return cti_pairsort(mem, broad->body_pairs, CTI_LEN(broad->body_pairs) / 2, n, n, &broad->scratch);
}

CTI_FN int cti_broad_update(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x0, const ct_real *x1)
{
    int b, i, k, width;
    for (b = 0; b < broad->n_bodies; b++) {
        float *box = broad->body_boxes + 12 * (size_t)b, other[12];
        cti_bvh *trees = broad->trees + CTI_BROAD_TREES * b;
        const cti_soup_body *body = soup->bodies + b;
        if (body->v1 > body->v0 && cti_broad_same(broad, body, b, x0, x1))
            continue;
        cti_broad_vertex_boxes(broad, body, x0, x1);
        for (i = 0; i < CTI_BROAD_TREES; i++) {
            const int32_t *elements = cti_broad_elements(soup, i, &width);
            cti_bvh_refit(&broad->forest, trees + i, broad->vertex_boxes, !body->swept, elements, width);
        }
        cti_bvh_root(&broad->forest, trees + CTI_BROAD_VERTICES, box);
        for (i = CTI_BROAD_EDGES; i <= CTI_BROAD_FACES; i++) {
            cti_bvh_root(&broad->forest, trees + i, other);
            for (k = 0; k < 12; k++)
                box[k] = (k % 6 < 3 ? other[k] < box[k] : other[k] > box[k]) ? other[k] : box[k];
        }
    }
    broad->fresh = 0;
    return cti_broad_sweep(mem, broad, soup);
}

/* ---- pairs ---- */

/* Do two elements share a vertex? wa and wb are constants where this is expanded. */
CTI_INLINE int cti_broad_shared(const int32_t *a, int wa, const int32_t *b, int wb)
{
    int j, k, shared = 0;
    for (j = 0; j < wa; j++)
        for (k = 0; k < wb; k++)
            shared |= a[j] == b[k];
    return shared;
}

/* Takes out pairs that share a vertex; the elements of kind a and b are the same kind when wa is wb, and then the smaller number comes
 * first. */
CTI_INLINE int cti_broad_filter_as(int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    int i, m = 0;
    for (i = 0; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        int shared = cti_broad_shared(wa > 1 ? ea + (size_t)wa * (size_t)a : &a, wa, wb > 1 ? eb + (size_t)wb * (size_t)b : &b, wb);
        int turn = wa == wb && a > b;
        pairs[2 * m] = turn ? b : a, pairs[2 * m + 1] = turn ? a : b;
        m += !shared;
    }
    return m;
}

static int cti_broad_filter(int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb, int wb)
{
    if (wa == 2 && wb == 2)
        return cti_broad_filter_as(pairs, n, ea, 2, eb, 2);
    if (wa == 1 && wb == 3)
        return cti_broad_filter_as(pairs, n, ea, 1, eb, 3);
    if (wa == 2 && wb == 3)
        return cti_broad_filter_as(pairs, n, ea, 2, eb, 3);
    if (wa == 1 && wb == 2)
        return cti_broad_filter_as(pairs, n, ea, 1, eb, 2);
    return cti_broad_filter_as(pairs, n, ea, 1, eb, 1);
}

/* Slabs of an element of w vertices at one end: the least of its vertices', lo and -hi alike. */
CTI_INLINE void cti_broad_slabs(const float *slabs, const int32_t *v, int w, cti_f8 *lo, cti_f8 *minus_hi)
{
    int k;
    *lo = cti_f8_load(slabs + 32 * (size_t)v[0]), *minus_hi = cti_f8_load(slabs + 32 * (size_t)v[0] + 8);
    for (k = 1; k < w; k++) {
        *lo = cti_f8_min(*lo, cti_f8_load(slabs + 32 * (size_t)v[k]));
        *minus_hi = cti_f8_min(*minus_hi, cti_f8_load(slabs + 32 * (size_t)v[k] + 8));
    }
}

/* Slabs in which a begins below the end of b: lo_a <= hi_b. The sign of a rounded sum is exact. */
CTI_INLINE cti_f8 cti_broad_below(cti_f8 lo_a, cti_f8 minus_hi_b) { return cti_f8_le(cti_f8_add(lo_a, minus_hi_b), cti_f8_set(0)); }

/* Takes out pairs that are apart in a slab, on the same side at both ends. end_a, end_b: where the slabs at the end are, 16, or 0: the same
   as at the start. */
CTI_INLINE int cti_broad_cull_as(const float *slabs, int end_a, int end_b, int32_t *pairs, int n, const int32_t *ea, int wa,
                                 const int32_t *eb, int wb)
{
    cti_f8 lo_a = cti_f8_set(0), hi_a = lo_a, lo_b, hi_b, lo_c = lo_a, hi_c = lo_a, below, above;
    int32_t last = -1;
    int i, m = 0;
    for (i = 0; i < n; i++) {
        int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        const int32_t *va = wa > 1 ? ea + (size_t)wa * (size_t)a : &a, *vb = wb > 1 ? eb + (size_t)wb * (size_t)b : &b;
        if (a != last) {
            cti_broad_slabs(slabs, va, wa, &lo_a, &hi_a);
            if (end_a + end_b)
                cti_broad_slabs(slabs + end_a, va, wa, &lo_c, &hi_c);
        }
        last = a;
        cti_broad_slabs(slabs, vb, wb, &lo_b, &hi_b);
        below = cti_broad_below(lo_a, hi_b), above = cti_broad_below(lo_b, hi_a);
        if (end_a + end_b) {
            cti_broad_slabs(slabs + end_b, vb, wb, &lo_b, &hi_b);
            below = cti_f8_or(below, cti_broad_below(lo_c, hi_b)), above = cti_f8_or(above, cti_broad_below(lo_b, hi_c));
        }
        pairs[2 * m] = a, pairs[2 * m + 1] = b;
        m += cti_f8_bits(cti_f8_and(below, above)) == 255;
    }
    return m;
}

static int cti_broad_cull(const float *slabs, int end_a, int end_b, int32_t *pairs, int n, const int32_t *ea, int wa, const int32_t *eb,
                          int wb)
{
    if (wa == 2 && wb == 2)
        return cti_broad_cull_as(slabs, end_a, end_b, pairs, n, ea, 2, eb, 2);
    if (wa == 1 && wb == 3)
        return cti_broad_cull_as(slabs, end_a, end_b, pairs, n, ea, 1, eb, 3);
    if (wa == 2 && wb == 3)
        return cti_broad_cull_as(slabs, end_a, end_b, pairs, n, ea, 2, eb, 3);
    if (wa == 1 && wb == 2)
        return cti_broad_cull_as(slabs, end_a, end_b, pairs, n, ea, 1, eb, 2);
    return cti_broad_cull_as(slabs, end_a, end_b, pairs, n, ea, 1, eb, 1);
}

static void cti_broad_range(const cti_soup_body *b, int width, int *first, int *count)
{
    *first = width == 3 ? b->f0 : (width == 2 ? b->e0 : b->v0);
    *count = (width == 3 ? b->f1 : (width == 2 ? b->e1 : b->v1)) - *first;
}

/* Sorts n pairs of two bodies' elements by way of a bit matrix: row a - a0, column b - b0. Worth it when it is small against n. */
static void cti_broad_matrix(uint64_t *bits, int words, const int32_t *pairs, int n, int a0, int b0, int32_t *out)
{
    int i, row, k, low = INT32_MAX, high = -1;
    for (i = 0; i < n; i++) {
        int a = pairs[2 * i] - a0, b = pairs[2 * i + 1] - b0;
        bits[(size_t)a * (size_t)words + (size_t)(b >> 6)] |= (uint64_t)1 << (b & 63);
        low = a < low ? a : low, high = a > high ? a : high;
    }
    for (row = low; row <= high; row++)
        for (k = 0; k < words; k++) {
            uint64_t *w = bits + (size_t)row * (size_t)words + (size_t)k, m;
            for (m = *w; m; m &= m - 1) {
                out[0] = a0 + row, out[1] = b0 + 64 * k + cti_lowest_bit64(m);
                out += 2;
            }
            *w = 0;
        }
}

/* Appends what the trees gave for bodies p (kind ka) and q (kind kb): filtered, sorted. */
static int cti_broad_group(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int p, int q, int ka, int kb, int32_t **out)
{
    int wa, wb, a0, na, b0, nb, n, from = CTI_LEN(*out), turned;
    const int32_t *ea = cti_broad_elements(soup, ka, &wa), *eb = cti_broad_elements(soup, kb, &wb);
    int64_t words, size;
    CTI_CLEAR(broad->raw);
    if (!cti_bvh_pairs(mem, &broad->forest, broad->trees + CTI_BROAD_TREES * p + ka, broad->trees + CTI_BROAD_TREES * q + kb, &broad->raw))
        return 0;
    n = CTI_LEN(broad->raw) / 2;
    cti_broad_range(soup->bodies + p, wa, &a0, &na);
    cti_broad_range(soup->bodies + q, wb, &b0, &nb);
    turned = ka == kb && a0 > b0;
    if (p == q || turned)
        n = cti_broad_filter(broad->raw, n, ea, wa, eb, wb);
    if (!broad->boxes_only)
        n = cti_broad_cull(broad->vertex_slabs, broad->last_swept[turned ? q : p] ? 0 : 16, broad->last_swept[turned ? p : q] ? 0 : 16,
                           broad->raw, n, ea, wa, eb, wb);
    if (n == 0)
        return 1;
    if (turned)
        cti_broad_range(soup->bodies + q, wa, &a0, &na), cti_broad_range(soup->bodies + p, wb, &b0, &nb);
    if (!CTI_RESERVE(mem, *out, (int64_t)from + 2 * (int64_t)n))
        return 0;
    words = ((int64_t)nb + 63) / 64, size = words * na;
    if (n > CTI_BROAD_FEW && size <= CTI_BROAD_DENSE * (int64_t)n) {
        if (!CTI_RESIZE(mem, broad->bits, cti_max_int((int)size, CTI_LEN(broad->bits))))
            return 0;
        cti_broad_matrix(broad->bits, (int)words, broad->raw, n, a0, b0, *out + from);
    } else {
        int sizes[4];
        sizes[1] = soup->nv, sizes[2] = soup->ne, sizes[3] = soup->nf;
        if (!cti_pairsort(mem, broad->raw, n, sizes[wa], sizes[wb], &broad->scratch))
            return 0;
        memcpy(*out + from, broad->raw, 2 * (size_t)n * sizeof **out);
    }
    stbds_header(*out)->length = (size_t)from + 2 * (size_t)n;
    return 1;
}

/* All pairs (item of tree kind ka, item of tree kind kb) over the body pairs. */
static int cti_broad_kind(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int ka, int kb, int32_t **out)
{
    int i, n = CTI_LEN(broad->body_pairs) / 2;
    CTI_CLEAR(*out);
    for (i = 0; i < n; i++) {
        int p = broad->body_pairs[2 * i], q = broad->body_pairs[2 * i + 1];
        if (!cti_broad_group(mem, broad, soup, p, q, ka, kb, out))
            return 0;
        if (p != q && ka != kb && !cti_broad_group(mem, broad, soup, q, p, ka, kb, out))
            return 0;
    }
    return 1;
}

/* Sets which items take part. */
static void cti_broad_activate(cti_broad *broad, const cti_soup *soup, const uint8_t *vertex_moved)
{
    int b, i, width;
    if (!vertex_moved && !broad->partial)
        return;
    for (b = 0; b < broad->n_bodies; b++)
        for (i = 0; i < CTI_BROAD_TREES; i++) {
            const int32_t *elements = cti_broad_elements(soup, i, &width);
            cti_bvh_activate(&broad->forest, broad->trees + CTI_BROAD_TREES * b + i, vertex_moved, elements, width);
        }
    broad->partial = vertex_moved != NULL;
}

CTI_FN int cti_broad_pairs_moved(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const uint8_t *vertex_moved, int32_t **vf,
                                 int32_t **ee, int32_t **ve, int32_t **vv)
{
    cti_broad_activate(broad, soup, vertex_moved);
    if (vf && !cti_broad_kind(mem, broad, soup, CTI_BROAD_VERTICES, CTI_BROAD_FACES, vf))
        return 0;
    if (ee && !cti_broad_kind(mem, broad, soup, CTI_BROAD_EDGES, CTI_BROAD_EDGES, ee))
        return 0;
    if (ve && !cti_broad_kind(mem, broad, soup, CTI_BROAD_POINTS, CTI_BROAD_LOOSE, ve))
        return 0;
    return !vv || cti_broad_kind(mem, broad, soup, CTI_BROAD_POINTS, CTI_BROAD_POINTS, vv);
}

CTI_FN int cti_broad_pairs(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **vf, int32_t **ee, int32_t **ve, int32_t **vv)
{
    return cti_broad_pairs_moved(mem, broad, soup, NULL, vf, ee, ve, vv);
}

CTI_FN int cti_broad_edge_faces(cti_mem *mem, cti_broad *broad, const cti_soup *soup, int32_t **ef)
{
    cti_broad_activate(broad, soup, NULL);
    return cti_broad_kind(mem, broad, soup, CTI_BROAD_EDGES, CTI_BROAD_FACES, ef);
}

/* ---- 5_mesh/crossing.c ---- */
/* crossing.c -- whole surfaces tested for intersections. Method: edge-face candidates from the trees, each tested exactly.
   A surface intersects another, or itself away from shared vertices, exactly when an edge of one meets a face of the other. */

CTI_FN int cti_intersect_soup(cti_mem *mem, cti_broad *broad, const cti_soup *soup, const ct_real *x, int32_t **out_pairs)
{
    int i, m = 0, n;
    int32_t *p;
    if (!cti_broad_edge_faces(mem, broad, soup, out_pairs))
        return 0;
    p = *out_pairs;
    n = CTI_LEN(p) / 2;
    for (i = 0; i < n; i++) {
        const int32_t *e = soup->edges + 2 * (size_t)p[2 * i], *f = soup->faces + 3 * (size_t)p[2 * i + 1];
        int hit = cti_intersect_edge_triangle(x + 3 * (size_t)e[0], x + 3 * (size_t)e[1], x + 3 * (size_t)f[0], x + 3 * (size_t)f[1],
                                              x + 3 * (size_t)f[2]);
        p[2 * m] = p[2 * i], p[2 * m + 1] = p[2 * i + 1];
        m += hit != 0;
    }
    return CTI_RESIZE(mem, *out_pairs, 2 * (size_t)m);
}

static ct_code cti_crossing_error(ct_error_info *out, ct_code code, const char *text, int64_t element, double value)
{
    if (out) {
        memset(out, 0, sizeof *out);
        out->code = code, out->text = text, out->element = element, out->value = value;
    }
    return code;
}

static ct_code cti_crossing_check(const ct_mesh *m, ct_error_info *error)
{
    int i;
    if (m->n_positions < 0 || m->n_triangles < 0 || (m->n_positions > 0 && !m->positions) || (m->n_triangles > 0 && !m->triangles))
        return cti_crossing_error(error, CT_ERR_ARGUMENT, "mesh has counts without arrays", -1, 0);
    for (i = 0; i < 3 * m->n_positions; i++)
        if (!cti_finite(m->positions[i]))
            return cti_crossing_error(error, CT_ERR_MESH, "a position is not finite (element: vertex)", i / 3, 0);
    for (i = 0; i < 3 * m->n_triangles; i++)
        if (m->triangles[i] < 0 || m->triangles[i] >= m->n_positions)
            return cti_crossing_error(error, CT_ERR_MESH, "a vertex number is out of range (element: triangle)", i / 3,
                                      (double)m->triangles[i]);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_intersections(const ct_mesh *mesh, int32_t **out_pairs, int *out_n, ct_error_info *out_error)
{
    cti_mem mem;
    cti_topology topology;
    cti_broad broad;
    cti_soup soup;
    cti_soup_body body;
    int32_t *pairs = NULL;
    ct_code code;
    int i, ok;
    if (!mesh || !out_pairs || !out_n)
        return cti_crossing_error(out_error, CT_ERR_ARGUMENT, "mesh, out_pairs and out_n may not be NULL", -1, 0);
    if ((code = cti_crossing_check(mesh, out_error)) != CT_OK)
        return code;
    cti_mem_init(&mem, NULL);
    memset(&topology, 0, sizeof topology);
    memset(&broad, 0, sizeof broad);
    memset(&soup, 0, sizeof soup);
    memset(&body, 0, sizeof body);
    ok = cti_topology_build(&mem, &topology, mesh->n_positions, mesh->triangles, mesh->n_triangles, NULL, 0);
    soup.edges = topology.edges, soup.faces = mesh->triangles, soup.bodies = &body, soup.n_bodies = 1;
    soup.nv = body.v1 = mesh->n_positions, soup.ne = body.e1 = topology.n_edges, soup.nf = body.f1 = mesh->n_triangles;
    body.dynamic = body.self = 1;
    ok = ok && cti_broad_build(&mem, &broad, &soup, mesh->positions) &&
         cti_broad_update(&mem, &broad, &soup, mesh->positions, mesh->positions) &&
         cti_intersect_soup(&mem, &broad, &soup, mesh->positions, &pairs);
    /* an edge goes by the smallest face that has it */
    for (i = 0; ok && i < CTI_LEN(pairs) / 2; i++)
        pairs[2 * i] = topology.edge_owner[pairs[2 * i]];
    cti_broad_free(&mem, &broad);
    cti_topology_free(&mem, &topology);
    if (!ok) {
        CTI_FREE(&mem, pairs);
        return cti_crossing_error(out_error, CT_ERR_MEMORY, "out of memory for an intersection test", -1, 0);
    }
    *out_pairs = pairs;
    *out_n = CTI_LEN(pairs) / 2;
    return CT_OK;
}

/* ---- 6_model/material.h ---- */
/* material.h -- checks and derived constants of ct_material. */


/* cti_material_check -- 1, or 0 and a static text that names the field and its range. cloth 0: soft models; 1: membrane and springs. */
CTI_FN int cti_material_check(const ct_material *m, int cloth, const char **out_text);
/* cti_material_lame -- mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu) (1 - 2 nu)), both [Pa]. */
CTI_FN void cti_material_lame(const ct_material *m, ct_real *out_mu, ct_real *out_lambda);


/* ---- 6_model/material.c ---- */
/* material.c -- default materials, range checks, Lame's constants. */

CONTACT_API_DEF ct_material ct_material_default(ct_model model)
{
    ct_material m;
    memset(&m, 0, sizeof m);
    m.model = model;
    m.young = CTI_R(1e5), m.poisson = CTI_R(0.4), m.density = CTI_R(1000);
    m.damping_stiffness = CTI_R(1e-3);
    m.shell_thickness = CTI_R(1e-3), m.bending = CTI_R(1e-5), m.areal_density = CTI_R(0.2);
    m.stretch = CTI_R(2000), m.shear = CTI_R(500), m.bend = CTI_R(10);
    if (model == CT_MODEL_MEMBRANE) /* a light woven fabric */
        m.young = CTI_R(8e5), m.poisson = CTI_R(0.3), m.shell_thickness = CTI_R(3e-4), m.bending = CTI_R(2e-6);
    return m;
}

static int cti_material_positive(ct_real x) { return cti_finite(x) && x > 0; }
static int cti_material_not_negative(ct_real x) { return cti_finite(x) && x >= 0; }

/* the first complaint about a soft material, or NULL */
static const char *cti_material_soft(const ct_material *m)
{
    if (m->model == CT_MODEL_MEMBRANE || m->model == CT_MODEL_SPRINGS)
        return "material.model is a cloth model, but the body is soft";
    if (!cti_material_positive(m->young))
        return "material.young must be finite and > 0 [Pa]";
    if (!(cti_finite(m->poisson) && m->poisson >= 0 && m->poisson < CTI_R(0.5)))
        return "material.poisson must be in [0, 0.5)";
    if (!cti_material_positive(m->density))
        return "material.density must be finite and > 0 [kg/m^3]";
    return NULL;
}
static const char *cti_material_cloth(const ct_material *m)
{
    if (m->model != CT_MODEL_MEMBRANE && m->model != CT_MODEL_SPRINGS)
        return "material.model is a model of soft bodies, but the body is cloth";
    if (!cti_material_positive(m->areal_density))
        return "material.areal_density must be finite and > 0 [kg/m^2]";
    if (m->model == CT_MODEL_MEMBRANE) {
        if (!cti_material_positive(m->young))
            return "material.young must be finite and > 0 [Pa]";
        if (!(cti_finite(m->poisson) && m->poisson >= 0 && m->poisson < CTI_R(0.5)))
            return "material.poisson must be in [0, 0.5)";
        if (!cti_material_positive(m->shell_thickness))
            return "material.shell_thickness must be finite and > 0 [m]";
        if (!cti_material_not_negative(m->bending))
            return "material.bending must be finite and >= 0 [N m]";
        return NULL;
    }
    if (!cti_material_not_negative(m->stretch))
        return "material.stretch must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->shear))
        return "material.shear must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->bend))
        return "material.bend must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->strain_limit))
        return "material.strain_limit must be finite and >= 0";
    return NULL;
}

CTI_FN int cti_material_check(const ct_material *m, int cloth, const char **out_text)
{
    const char *text;
    if ((int)m->model < (int)CT_MODEL_COROTATIONAL || (int)m->model > (int)CT_MODEL_SPRINGS)
        text = "material.model is not a ct_model";
    else
        text = cloth ? cti_material_cloth(m) : cti_material_soft(m);
    if (!text && !cti_material_not_negative(m->damping_mass))
        text = "material.damping_mass must be finite and >= 0 [1/s]";
    if (!text && !cti_material_not_negative(m->damping_stiffness))
        text = "material.damping_stiffness must be finite and >= 0 [s]";
    *out_text = text ? text : "";
    return text == NULL;
}

CTI_FN void cti_material_lame(const ct_material *m, ct_real *out_mu, ct_real *out_lambda)
{
    *out_mu = m->young / (2 * (1 + m->poisson));
    *out_lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
}

/* ---- 6_model/element.h ---- */
/* element.h -- what the element batches share: lanes in and out of flat arrays, scatter of forces and of stiffness blocks.
   Method: element e is lane e mod 8 of batch e / 8. Node numbers are stored by element and padded to whole batches with copies of the last
   element; padding lanes compute and are never scattered. Blocks are added in element order, so sums have one order. */


/* cti_slot_fn -- number of block (i, j) of the matrix, or -1 (cti_bsr_slot behind a context). */
typedef int cti_slot_fn(const void *ctx, int i, int j);

/* CTI_UPPER(nn, a, b) -- number of block (a, b), a <= b, among the nn (nn + 1) / 2 upper blocks of an element with nn nodes. */
#define CTI_UPPER(nn, a, b) ((a) * (2 * (nn) - (a) + 1) / 2 + (b) - (a))

/* cti_element_gather -- out [3 nn]: coordinates of the nodes of eight elements; node [8 nn]. */
CTI_INLINE void cti_element_gather(const ct_real *x, const int32_t *node, int nn, cti_r8 *out)
{
    ct_real buf[12][8];
    int a, l;
    for (l = 0; l < 8; l++)
        for (a = 0; a < nn; a++) {
            const ct_real *p = x + 3 * (ptrdiff_t)node[l * nn + a];
            buf[3 * a][l] = p[0], buf[3 * a + 1][l] = p[1], buf[3 * a + 2][l] = p[2];
        }
    for (a = 0; a < 3 * nn; a++)
        out[a] = cti_load8(buf[a]);
}

/* cti_element_nodes -- node [8 nn n_batches] from tuples [nn n], shifted by offset and padded; 0 when memory ran out. */
CTI_FN int cti_element_nodes(cti_mem *mem, int32_t **node, const int32_t *tuples, int n, int nn, int offset);
/* cti_element_pairs -- appends the block pairs i, j (a < b) of n elements. */
CTI_FN int cti_element_pairs(cti_mem *mem, int32_t **pairs, const int32_t *node, int n, int nn);
/* cti_element_slots -- slot [nn nn n]: number of block (a, b) of each element. 1; 0 when memory ran out; -1 when a block is missing. */
CTI_FN int cti_element_slots(cti_mem *mem, int32_t **slot, const int32_t *node, int n, int nn, cti_slot_fn *find, const void *ctx);
/* cti_element_scatter_force -- force += the first `count` lanes of f [3 nn]. */
CTI_FN void cti_element_scatter_force(ct_real *force, const int32_t *node, int nn, int count, const cti_r8 *f);
/* cti_element_scatter_blocks -- val += the first `count` lanes of the upper blocks k [9 nn (nn + 1) / 2] and their transposes; of diagonal
   blocks only the upper triangle is read. */
CTI_FN void cti_element_scatter_blocks(ct_real *val, const int32_t *slot, int nn, int count, const cti_r8 *k);
/* cti_element_sum -- the sum of the first `count` lanes, in double, in order. */
CTI_FN double cti_element_sum(cti_r8 a, int count);
/* cti_element_count -- how many lanes of batch k hold elements. */
CTI_INLINE int cti_element_count(int n, int k) { return cti_min_int(8, n - 8 * k); }


/* ---- 6_model/element.c ---- */
/* element.c -- node lists, slots and scatter of element batches. Method: all searches happen once, at a change of topology. */

CTI_FN int cti_element_nodes(cti_mem *mem, int32_t **node, const int32_t *tuples, int n, int nn, int offset)
{
    int32_t *p = *node;
    int total = (n + 7) / 8 * 8, e, a;
    int ok = CTI_RESIZE(mem, p, (size_t)total * (size_t)nn);
    *node = p;
    if (!ok)
        return 0;
    for (e = 0; e < total; e++)
        for (a = 0; a < nn; a++)
            p[e * nn + a] = tuples[cti_min_int(e, n - 1) * nn + a] + offset;
    return 1;
}

CTI_FN int cti_element_pairs(cti_mem *mem, int32_t **pairs, const int32_t *node, int n, int nn)
{
    int32_t *p = *pairs;
    int e, a, b, used = CTI_LEN(p), ok = CTI_RESERVE(mem, p, (size_t)used + (size_t)n * (size_t)(nn * (nn - 1)));
    *pairs = p;
    if (!ok)
        return 0;
    for (e = 0; e < n; e++)
        for (a = 0; a < nn; a++)
            for (b = a + 1; b < nn; b++)
                p[used++] = node[e * nn + a], p[used++] = node[e * nn + b];
    if (p)
        stbds_header(p)->length = (size_t)used;
    return 1;
}

CTI_FN int cti_element_slots(cti_mem *mem, int32_t **slot, const int32_t *node, int n, int nn, cti_slot_fn *find, const void *ctx)
{
    int32_t *p = *slot;
    int e, a, b, found = 1, ok = CTI_RESIZE(mem, p, (size_t)n * (size_t)(nn * nn));
    *slot = p;
    if (!ok)
        return 0;
    for (e = 0; e < n; e++)
        for (a = 0; a < nn; a++)
            for (b = 0; b < nn; b++) {
                int s = find(ctx, node[e * nn + a], node[e * nn + b]);
                found = s < 0 ? -1 : found;
                p[(e * nn + a) * nn + b] = s;
            }
    return found;
}

CTI_FN void cti_element_scatter_force(ct_real *force, const int32_t *node, int nn, int count, const cti_r8 *f)
{
    ct_real buf[12][8];
    int a, l;
    for (a = 0; a < 3 * nn; a++)
        cti_store8(buf[a], f[a]);
    for (l = 0; l < count; l++)
        for (a = 0; a < nn; a++) {
            ct_real *p = force + 3 * (ptrdiff_t)node[l * nn + a];
            p[0] += buf[3 * a][l], p[1] += buf[3 * a + 1][l], p[2] += buf[3 * a + 2][l];
        }
}

/* one element: k points at its lane, entries are eight numbers apart */
CTI_INLINE void cti_element_add_blocks(ct_real *val, const int32_t *slot, int nn, const ct_real *k)
{
    int a, b;
    for (a = 0; a < nn; a++) {
        ct_real *d = val + 9 * (ptrdiff_t)slot[a * nn + a];
        /* the diagonal block, mirrored */
        d[0] += k[0], d[4] += k[32], d[8] += k[64];
        d[1] += k[8], d[3] += k[8], d[2] += k[16], d[6] += k[16], d[5] += k[40], d[7] += k[40];
        k += 72;
        for (b = a + 1; b < nn; b++, k += 72) {
            ct_real *p = val + 9 * (ptrdiff_t)slot[a * nn + b], *q = val + 9 * (ptrdiff_t)slot[b * nn + a];
            p[0] += k[0], p[1] += k[8], p[2] += k[16], p[3] += k[24], p[4] += k[32], p[5] += k[40], p[6] += k[48], p[7] += k[56],
                p[8] += k[64];
            q[0] += k[0], q[3] += k[8], q[6] += k[16], q[1] += k[24], q[4] += k[32], q[7] += k[40], q[2] += k[48], q[5] += k[56],
                q[8] += k[64];
        }
    }
}

CTI_FN void cti_element_scatter_blocks(ct_real *val, const int32_t *slot, int nn, int count, const cti_r8 *k)
{
    ct_real buf[90][8];
    int i, l;
    for (i = 0; i < 9 * nn * (nn + 1) / 2; i++)
        cti_store8(buf[i], k[i]);
    for (l = 0; l < count; l++)
        cti_element_add_blocks(val, slot + l * nn * nn, nn, &buf[0][l]);
}

CTI_FN double cti_element_sum(cti_r8 a, int count)
{
    ct_real t[8];
    double sum = 0;
    int l;
    cti_store8(t, a);
    for (l = 0; l < count; l++)
        sum += (double)t[l];
    return sum;
}

/* ---- 6_model/tet.h ---- */
/* tet.h -- linear tetrahedra in batches of eight: elastic energy, force and stiffness of the soft models. */


/* What the stiffness is. STEP: Mueller and Gross' R K0 R' for corotational, the projected Hessian for the others (always positive
   semidefinite). PROJECTED: the Hessian of the energy with negative eigenvalues set to zero, for every model. EXACT: the Hessian itself. */
enum { CTI_HESSIAN_STEP, CTI_HESSIAN_PROJECTED, CTI_HESSIAN_EXACT };

enum { CTI_TET_REST = 10 };

/* cti_tet_batch -- zero it before first use. Arrays are stb_ds arrays. */
typedef struct cti_tet_batch {
    int n;       /* tets */
    int hessian; /* CTI_HESSIAN_*; the caller may change it */
    ct_model model;
    ct_real mu, lambda, density, damping_stiffness;
    int32_t *node; /* [4 x 8 batches] global numbers, by element, padded */
    int32_t *slot; /* [16 n] blocks of the matrix, row-major over (a, b) */
    ct_real *rest; /* [batches][10][8]: gradients of the shape functions 1, 2, 3 [1/m], volume [m^3] */
} cti_tet_batch;

/* cti_tet_batch_init -- X [3 nodes] rest positions by local number; tets [4 n_tets] local numbers, node_offset makes them global.
   1 done; 0 out of memory; -1 a tet is inverted or flat: its number and its volume. */
CTI_FN int cti_tet_batch_init(cti_mem *mem, cti_tet_batch *t, const ct_material *m, const ct_real *X, const int32_t *tets, int n_tets,
                              int node_offset, int64_t *out_bad_tet, double *out_value);
CTI_FN void cti_tet_batch_free(cti_mem *mem, cti_tet_batch *t);
/* cti_tet_batch_append_pairs -- six pairs i, j per tet for the matrix pattern (diagonal blocks are implied). 0: out of memory. */
CTI_FN int cti_tet_batch_append_pairs(const cti_tet_batch *t, cti_mem *mem, int32_t **pairs);
/* cti_tet_batch_slots -- once per topology. 1; 0 out of memory; -1 a block is missing in the pattern. */
CTI_FN int cti_tet_batch_slots(cti_mem *mem, cti_tet_batch *t, cti_slot_fn *slot, const void *ctx);
/* cti_tet_batch_mass -- mass [nodes] += lumped mass, a quarter of each tet to each of its nodes. */
CTI_FN void cti_tet_batch_mass(const cti_tet_batch *t, ct_real *mass);
/* cti_tet_batch_assemble -- at positions x [3 nodes]:
   force  [3 nodes] += elastic force, minus the gradient of the energy;        NULL: not wanted
   val    blocks += (dt^2 + dt damping_stiffness) K, both triangles;           NULL: not wanted
   out_extended += tets whose log J was continued;  out_energy += elastic energy [J];  either may be NULL. */
CTI_FN void cti_tet_batch_assemble(const cti_tet_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                                   double *out_energy);
/* cti_tet_batch_crushed -- tets whose J falls below 0.2 on the way from x0 to x1, where their energy is continued: no linearization at x0
   describes them at x1. 0 for models that need no continuation. */
CTI_FN int cti_tet_batch_crushed(const cti_tet_batch *t, const ct_real *x0, const ct_real *x1);
CTI_FN double cti_tet_batch_energy(const cti_tet_batch *t, const ct_real *x);


/* ---- 6_model/tet.c ---- */
/* tet.c -- linear tetrahedra: F = sum (x_a - x_0) b_a', P = d psi / d F, force -V P b_a, stiffness V B' (d2 psi / d F2) B.
   Method: the Hessian is taken in the principal space of F = U S V': a 3x3 stretch block A and, for each pair of axes, the eigenvalues of
   its twist and its flip. Clamping those to zero is the whole projection. Blocks of node 0 are minus the sums of the others, so that rows
   sum to zero to rounding. neohookean          mu/2 (|F|^2 - 3) - mu L + lambda/2 L^2, L = log J, below J0 = 0.2 its Taylor polynomial of
   order 2 corotational        mu |F - R|^2 + lambda/2 (tr S - 3)^2 stvk                mu |E|^2 + lambda/2 (tr E)^2, E = (F'F - 1) / 2
   stable_neohookean   m/2 (|F|^2 - 3) + l/2 (J - alpha)^2 - m/2 log(|F|^2 + 1)
   hong_neohookean     mu/2 (J^(-2/3) |F|^2 - 3) + kappa/2 (J - 1)^2, kappa = lambda + 2 mu / 3, J^(-2/3) continued as log J is
   based on: Bonet and Wood, ch. 6 (compressible and nearly incompressible neo-Hookean, the material of Hong et al. 2006); Teran et al.
   2005 and Smith et al. 2019 (principal space); Mueller and Gross 2004 (corotated K); Smith et al. 2018 (stable). */

#define CTI_TET_J0 CTI_R(0.2)

/* eight tets on their way from positions to force and stiffness */
typedef struct cti_tet_lanes {
    cti_r8 b[9], volume; /* rest: rows b_1, b_2, b_3 */
    cti_r8 f[9], p[9];   /* F, first Piola-Kirchhoff stress */
    cti_r8 psi;          /* energy density */
    cti_r8 u[9], s[3], v[9];
    cti_r8 a[6], twist[3], flip[3]; /* Hessian in principal space: xx yy zz yz xz xy; of the pair of axes other than k */
    int extended;                   /* bits of lanes whose log J was continued */
} cti_tet_lanes;

/* ---- rest state ---- */

/* b_a = row a of [X1 - X0, X2 - X0, X3 - X0]^-1; returns the volume, 0 where the tet is flat to rounding */
static double cti_tet_rest(const ct_real *X, const int32_t *q, ct_real *b)
{
    cti_v3 o = cti_v3_at(X, q[0]), e1 = cti_v3_sub(cti_v3_at(X, q[1]), o), e2 = cti_v3_sub(cti_v3_at(X, q[2]), o),
           e3 = cti_v3_sub(cti_v3_at(X, q[3]), o), c1 = cti_v3_cross(e2, e3), c2 = cti_v3_cross(e3, e1), c3 = cti_v3_cross(e1, e2);
    ct_real det = cti_v3_dot(e3, c3), size = cti_v3_norm(e1) * cti_v3_norm(e2) * cti_v3_norm(e3), inverse = det == 0 ? CTI_R(0) : 1 / det;
    cti_v3_put(b, 0, cti_v3_mul(c1, inverse));
    cti_v3_put(b, 1, cti_v3_mul(c2, inverse));
    cti_v3_put(b, 2, cti_v3_mul(c3, inverse));
    if (det > 0 && !(det > 64 * CTI_EPS * size))
        return 0;
    return (double)det / 6;
}

CTI_FN int cti_tet_batch_init(cti_mem *mem, cti_tet_batch *t, const ct_material *m, const ct_real *X, const int32_t *tets, int n_tets,
                              int node_offset, int64_t *out_bad_tet, double *out_value)
{
    int e, i, batches = (n_tets + 7) / 8;
    t->n = n_tets, t->model = m->model, t->hessian = CTI_HESSIAN_STEP;
    t->density = m->density, t->damping_stiffness = m->damping_stiffness;
    cti_material_lame(m, &t->mu, &t->lambda);
    if (!cti_element_nodes(mem, &t->node, tets, n_tets, 4, node_offset) || !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_TET_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, n_tets - 1);
        ct_real b[CTI_TET_REST];
        double volume = cti_tet_rest(X, tets + 4 * source, b);
        if (!(volume > 0) || !cti_finite64(volume)) {
            *out_bad_tet = source, *out_value = volume;
            return -1;
        }
        b[9] = (ct_real)volume;
        for (i = 0; i < CTI_TET_REST; i++)
            t->rest[(e / 8 * CTI_TET_REST + i) * 8 + e % 8] = b[i];
    }
    return 1;
}

CTI_FN void cti_tet_batch_free(cti_mem *mem, cti_tet_batch *t)
{
    CTI_FREE(mem, t->node);
    CTI_FREE(mem, t->slot);
    CTI_FREE(mem, t->rest);
    t->n = 0;
}

CTI_FN int cti_tet_batch_append_pairs(const cti_tet_batch *t, cti_mem *mem, int32_t **pairs)
{
    return cti_element_pairs(mem, pairs, t->node, t->n, 4);
}

CTI_FN int cti_tet_batch_slots(cti_mem *mem, cti_tet_batch *t, cti_slot_fn *slot, const void *ctx)
{
    return cti_element_slots(mem, &t->slot, t->node, t->n, 4, slot, ctx);
}

CTI_FN void cti_tet_batch_mass(const cti_tet_batch *t, ct_real *mass)
{
    int e, a;
    for (e = 0; e < t->n; e++)
        for (a = 0; a < 4; a++)
            mass[t->node[4 * e + a]] += t->density * t->rest[(e / 8 * CTI_TET_REST + 9) * 8 + e % 8] / 4;
}

/* ---- the models: P and psi from F (and its SVD where the model needs it), then the Hessian in principal space ---- */

/* c_i = s_j s_k, the derivative of J by s_i */
CTI_INLINE void cti_tet_cofactors(const cti_r8 *s, cti_r8 *c)
{
    c[0] = cti_mul8(s[1], s[2]), c[1] = cti_mul8(s[0], s[2]), c[2] = cti_mul8(s[0], s[1]);
}

/* Hessian of  m/2 |F|^2 + g(J):  A = m 1 + g'' c c' + g' s_k off the diagonal, twist m + g' s_k, flip m - g' s_k */
CTI_INLINE void cti_tet_volumetric(cti_tet_lanes *w, cti_r8 m, cti_r8 g1, cti_r8 g2)
{
    cti_r8 c[3], gs[3], gc[3];
    cti_tet_cofactors(w->s, c);
    cti_scale3_8(g1, w->s, gs);
    cti_scale3_8(g2, c, gc);
    w->a[0] = cti_mad8(m, gc[0], c[0]), w->a[1] = cti_mad8(m, gc[1], c[1]), w->a[2] = cti_mad8(m, gc[2], c[2]);
    w->a[3] = cti_mad8(gs[0], gc[1], c[2]), w->a[4] = cti_mad8(gs[1], gc[0], c[2]), w->a[5] = cti_mad8(gs[2], gc[0], c[1]);
    w->twist[0] = cti_add8(m, gs[0]), w->twist[1] = cti_add8(m, gs[1]), w->twist[2] = cti_add8(m, gs[2]);
    w->flip[0] = cti_sub8(m, gs[0]), w->flip[1] = cti_sub8(m, gs[1]), w->flip[2] = cti_sub8(m, gs[2]);
}
/* P = m F + g' cof F */
CTI_INLINE void cti_tet_volumetric_stress(cti_tet_lanes *w, cti_r8 m, cti_r8 g1, const cti_r8 *cof)
{
    int i;
    for (i = 0; i < 9; i++)
        w->p[i] = cti_mad8(cti_mul8(m, w->f[i]), g1, cof[i]);
}
CTI_INLINE cti_r8 cti_tet_norm2(const cti_r8 *f)
{
    return cti_add8(cti_dot8(f, f), cti_add8(cti_dot8(f + 3, f + 3), cti_dot8(f + 6, f + 6)));
}

static void cti_tet_neohookean(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 mu = cti_set8(t->mu), la = cti_set8(t->lambda), j0 = cti_set8(CTI_TET_J0), half = cti_set8(CTI_R(0.5));
    cti_r8 cof[9], j, jc, d, l, l1, l2, h, g1, g2;
    /* L, L', L'' at J; d = J - J0 where the logarithm is continued, else 0 */
    j = cti_cofactor8(w->f, cof);
    w->extended = cti_bits8(cti_lt8(j, j0));
    jc = cti_max8(j, j0), d = cti_sub8(j, jc);
    l1 = cti_div8(cti_set8(1), jc), l2 = cti_neg8(cti_mul8(l1, l1));
    l = cti_mad8(CTI_R8(log)(jc), d, cti_mad8(l1, half, cti_mul8(d, l2)));
    l1 = cti_mad8(l1, d, l2);
    /* g(J) = -mu L + lambda/2 L^2 */
    h = cti_nmad8(mu, la, l);
    g1 = cti_neg8(cti_mul8(h, l1));
    cti_tet_volumetric_stress(w, mu, g1, cof);
    w->psi = cti_sub8(cti_mul8(cti_mul8(half, mu), cti_sub8(cti_tet_norm2(w->f), cti_set8(3))),
                      cti_mul8(l, cti_nmad8(mu, cti_mul8(half, la), l)));
    if (!want_hessian)
        return;
    g2 = cti_nmad8(cti_mul8(la, cti_mul8(l1, l1)), h, l2);
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, mu, g1, g2);
}

static void cti_tet_stable(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    /* differs: m and l from Lame's constants so that small strains agree with linear elasticity (Smith et al. 2018, 3.4) */
    const ct_real m0 = t->mu * 4 / 3, l0 = t->lambda + t->mu * 5 / 6;
    const cti_r8 one = cti_set8(1), mu = cti_set8(m0), la = cti_set8(l0), half = cti_set8(CTI_R(0.5));
    cti_r8 cof[9], j, ic, q, m, g1, e;
    int i;
    j = cti_sub8(cti_cofactor8(w->f, cof), cti_set8(1 + m0 / l0 - m0 / (4 * l0)));
    ic = cti_tet_norm2(w->f), q = cti_div8(one, cti_add8(ic, one));
    /* P = m (1 - 1/(I + 1)) F + l (J - alpha) cof F */
    m = cti_nmad8(mu, mu, q), g1 = cti_mul8(la, j);
    cti_tet_volumetric_stress(w, m, g1, cof);
    e = cti_mul8(mu, cti_sub8(cti_sub8(ic, cti_set8(3)), CTI_R8(log)(cti_add8(ic, one))));
    /* less its value at rest */
    w->psi = cti_mul8(half, cti_sub8(cti_mad8(e, g1, j), cti_set8(m0 * (CTI_R(0.5625) * m0 / l0 - CTI_R(1.3862943611198906)))));
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, m, g1, la);
    /* + 2 m / (I + 1)^2 s s' */
    q = cti_mul8(cti_scale8(2 * m0, q), q);
    for (i = 0; i < 3; i++) {
        w->a[i] = cti_mad8(w->a[i], q, cti_mul8(w->s[i], w->s[i]));
        w->a[3 + i] = cti_mad8(w->a[3 + i], q, cti_mul8(w->s[i == 0 ? 1 : 0], w->s[i == 2 ? 1 : 2]));
    }
}

/* x^(1/3) lane by lane: only the nearly incompressible model needs it */
static cti_r8 cti_tet_cbrt(cti_r8 x)
{
    ct_real t[8];
    int l;
    cti_store8(t, x);
    for (l = 0; l < 8; l++)
        t[l] = cti_cbrt(t[l]);
    return cti_load8(t);
}

static void cti_tet_hong(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 one = cti_set8(1), half = cti_set8(CTI_R(0.5)), mu = cti_set8(t->mu), kappa = cti_set8(t->lambda + t->mu * 2 / 3);
    cti_r8 cof[9], c[3], j, jc, d, h, h1, h2, ic, e, g1;
    int i;
    j = cti_cofactor8(w->f, cof), ic = cti_tet_norm2(w->f);
    w->extended = cti_bits8(cti_lt8(j, cti_set8(CTI_TET_J0)));
    /* h = J^(-2/3), h', h'' at J0 where it is continued; then at J */
    jc = cti_max8(j, cti_set8(CTI_TET_J0)), d = cti_sub8(j, jc);
    h1 = cti_div8(one, cti_tet_cbrt(jc)), h = cti_mul8(h1, h1), e = cti_div8(one, jc);
    h1 = cti_scale8(CTI_R(-2.0) / 3, cti_mul8(h, e)), h2 = cti_scale8(CTI_R(-5.0) / 3, cti_mul8(h1, e));
    h = cti_mad8(h, d, cti_mad8(h1, half, cti_mul8(d, h2))), h1 = cti_mad8(h1, d, h2);
    /* P = mu h F + (mu/2 |F|^2 h' + kappa (J - 1)) cof F */
    e = cti_sub8(j, one), g1 = cti_mad8(cti_mul8(kappa, e), cti_mul8(half, mu), cti_mul8(ic, h1));
    cti_tet_volumetric_stress(w, cti_mul8(mu, h), g1, cof);
    w->psi = cti_mul8(half, cti_mad8(cti_mul8(mu, cti_sub8(cti_mul8(h, ic), cti_set8(3))), cti_mul8(kappa, e), e));
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_tet_volumetric(w, cti_mul8(mu, h), g1, cti_mad8(kappa, cti_mul8(half, mu), cti_mul8(ic, h2)));
    /* + mu h' (s c' + c s') */
    cti_tet_cofactors(w->s, c);
    h1 = cti_mul8(mu, h1);
    for (i = 0; i < 3; i++) {
        int a = i == 0 ? 1 : 0, b = i == 2 ? 1 : 2;
        w->a[i] = cti_mad8(w->a[i], cti_add8(h1, h1), cti_mul8(w->s[i], c[i]));
        w->a[3 + i] = cti_mad8(w->a[3 + i], h1, cti_mad8(cti_mul8(w->s[a], c[b]), c[a], w->s[b]));
    }
}

static void cti_tet_corotational(const cti_tet_batch *t, cti_tet_lanes *w, cti_r8 *r, int want_hessian)
{
    const cti_r8 mu2 = cti_set8(2 * t->mu), la = cti_set8(t->lambda), one = cti_set8(1), two = cti_set8(2), least = cti_set8(CTI_R(1e-6));
    cti_r8 e[3], tr, g;
    int i;
    /* F = R S: R = U V', P = 2 mu (F - R) + lambda (tr S - 3) R */
    cti_svd3_8(w->f, w->u, w->s, w->v);
    cti_matmul_t8(w->u, w->v, r);
    for (i = 0; i < 3; i++)
        e[i] = cti_sub8(w->s[i], one);
    tr = cti_add8(e[0], cti_add8(e[1], e[2]));
    g = cti_sub8(cti_mul8(la, tr), mu2);
    for (i = 0; i < 9; i++)
        w->p[i] = cti_mad8(cti_mul8(mu2, w->f[i]), g, r[i]);
    w->psi = cti_scale8(CTI_R(0.5), cti_mad8(cti_mul8(mu2, cti_dot8(e, e)), cti_mul8(la, tr), tr));
    if (!want_hessian)
        return;
    /* twist 2 mu + 2 (lambda tr - 2 mu) / (s_i + s_j), whose pole is kept away from; flip 2 mu */
    for (i = 0; i < 3; i++) {
        cti_r8 d = cti_add8(w->s[i == 0 ? 1 : 0], w->s[i == 2 ? 1 : 2]);
        d = cti_select8(cti_lt8(d, cti_set8(0)), cti_min8(d, cti_neg8(least)), cti_max8(d, least));
        w->a[i] = cti_add8(mu2, la), w->a[3 + i] = la;
        w->twist[i] = cti_add8(mu2, cti_div8(cti_mul8(two, g), d)), w->flip[i] = mu2;
    }
}

static void cti_tet_stvk(const cti_tet_batch *t, cti_tet_lanes *w, int want_hessian)
{
    const cti_r8 one = cti_set8(1), half = cti_set8(CTI_R(0.5)), mu = cti_set8(t->mu), mu2 = cti_set8(2 * t->mu), la = cti_set8(t->lambda);
    cti_r8 e[9], s2[9], tr, k;
    const cti_r8 *f = w->f;
    int i;
    /* 2 E = F'F - 1, P = F (2 mu E + lambda tr E) */
    for (i = 0; i < 9; i++) {
        e[i] = cti_sum3_8(f[i / 3], f[i % 3], f[3 + i / 3], f[3 + i % 3], f[6 + i / 3], f[6 + i % 3]);
        e[i] = cti_mul8(half, i % 4 == 0 ? cti_sub8(e[i], one) : e[i]);
    }
    tr = cti_add8(e[0], cti_add8(e[4], e[8])), k = cti_mul8(la, tr);
    for (i = 0; i < 9; i++)
        s2[i] = i % 4 == 0 ? cti_mad8(k, mu2, e[i]) : cti_mul8(mu2, e[i]);
    cti_matmul8(f, s2, w->p);
    w->psi = cti_mad8(cti_mul8(mu, cti_tet_norm2(e)), cti_mul8(half, k), tr);
    if (!want_hessian)
        return;
    cti_svd3_8(w->f, w->u, w->s, w->v);
    /* A_ii = mu (3 s_i^2 - 1) + lambda (tr + s_i^2), A_ij = lambda s_i s_j; twist, flip = mu (s_i^2 -+ s_i s_j + s_j^2 - 1) + lambda tr */
    for (i = 0; i < 3; i++) {
        cti_r8 x = w->s[i == 0 ? 1 : 0], y = w->s[i == 2 ? 1 : 2], xy = cti_mul8(x, y), q, ss = cti_mul8(w->s[i], w->s[i]);
        q = cti_mad8(k, mu, cti_sub8(cti_mad8(cti_mul8(x, x), y, y), one));
        w->a[i] = cti_mad8(cti_mad8(k, mu, cti_sub8(cti_scale8(3, ss), one)), la, ss), w->a[3 + i] = cti_mul8(la, xy);
        w->twist[i] = cti_nmad8(q, mu, xy), w->flip[i] = cti_mad8(q, mu, xy);
    }
}

/* ---- stiffness ---- */

/* block K = U M U', M_ii = A_ii x_i y_i + sum_j p_k x_j y_j, M_ij = A_ij x_i y_j + q_k x_j y_i; x, y gradients in principal axes */
CTI_INLINE void cti_tet_block(const cti_r8 *A, const cti_r8 *p, const cti_r8 *q, const cti_r8 *u, const cti_r8 *x, const cti_r8 *y,
                              cti_r8 *k)
{
    cti_r8 m[9], n[9], xx = cti_mul8(x[0], y[0]), yy = cti_mul8(x[1], y[1]), zz = cti_mul8(x[2], y[2]), yz, zy, xz, zx, xy, yx;
    yz = cti_mul8(x[1], y[2]), zy = cti_mul8(x[2], y[1]), xz = cti_mul8(x[0], y[2]), zx = cti_mul8(x[2], y[0]);
    xy = cti_mul8(x[0], y[1]), yx = cti_mul8(x[1], y[0]);
    m[0] = cti_sum3_8(A[0], xx, p[2], yy, p[1], zz);
    m[4] = cti_sum3_8(p[2], xx, A[1], yy, p[0], zz);
    m[8] = cti_sum3_8(p[1], xx, p[0], yy, A[2], zz);
    m[5] = cti_mad8(cti_mul8(A[3], yz), q[0], zy), m[7] = cti_mad8(cti_mul8(A[3], zy), q[0], yz);
    m[2] = cti_mad8(cti_mul8(A[4], xz), q[1], zx), m[6] = cti_mad8(cti_mul8(A[4], zx), q[1], xz);
    m[1] = cti_mad8(cti_mul8(A[5], xy), q[2], yx), m[3] = cti_mad8(cti_mul8(A[5], yx), q[2], xy);
    cti_matmul8(u, m, n);
    cti_matmul_t8(n, u, k);
}

/* the blocks (a, b), 1 <= a <= b, from the Hessian in principal space, times `scale` */
static void cti_tet_principal_blocks(cti_tet_lanes *w, cti_r8 scale, int project, cti_r8 *k)
{
    const cti_r8 zero = cti_set8(0), half = cti_set8(CTI_R(0.5));
    cti_r8 c[9], p[3], q[3];
    int i, j;
    if (project)
        cti_psd3_8(w->a);
    scale = cti_mul8(scale, w->volume);
    for (i = 0; i < 3; i++) {
        cti_r8 twist = project ? cti_max8(w->twist[i], zero) : w->twist[i], flip = project ? cti_max8(w->flip[i], zero) : w->flip[i];
        p[i] = cti_mul8(cti_mul8(half, scale), cti_add8(flip, twist)), q[i] = cti_mul8(cti_mul8(half, scale), cti_sub8(flip, twist));
        w->a[i] = cti_mul8(scale, w->a[i]), w->a[3 + i] = cti_mul8(scale, w->a[3 + i]);
        /* V' b_a */
        cti_matvec_t8(w->v, w->b + 3 * i, c + 3 * i);
    }
    for (i = 0; i < 3; i++)
        for (j = i; j < 3; j++)
            cti_tet_block(w->a, p, q, w->u, c + 3 * i, c + 3 * j, k + 9 * CTI_UPPER(4, i + 1, j + 1));
}

/* R K0_ab R' = V (lambda x y' + mu y x' + mu (x . y) 1), x = R b_a, y = R b_b */
static void cti_tet_corotated_blocks(const cti_tet_batch *t, cti_tet_lanes *w, const cti_r8 *r, cti_r8 scale, cti_r8 *k)
{
    cti_r8 c[9], mu = cti_scale8(t->mu, cti_mul8(scale, w->volume)), la = cti_scale8(t->lambda, cti_mul8(scale, w->volume));
    int a, b, i;
    for (a = 0; a < 3; a++)
        cti_matvec8(r, w->b + 3 * a, c + 3 * a);
    for (a = 0; a < 3; a++)
        for (b = a; b < 3; b++) {
            const cti_r8 *x = c + 3 * a, *y = c + 3 * b;
            cti_r8 *m = k + 9 * CTI_UPPER(4, a + 1, b + 1), d = cti_mul8(mu, cti_dot8(x, y)), lx, my;
            for (i = 0; i < 3; i++) {
                lx = cti_mul8(la, x[i]), my = cti_mul8(mu, y[i]);
                m[3 * i] = cti_mad8(cti_mul8(lx, y[0]), my, x[0]);
                m[3 * i + 1] = cti_mad8(cti_mul8(lx, y[1]), my, x[1]);
                m[3 * i + 2] = cti_mad8(cti_mul8(lx, y[2]), my, x[2]);
                m[4 * i] = cti_add8(m[4 * i], d);
            }
        }
}

/* rows of node 0: K_0b = -sum_a K_ab, K_00 = -sum_b K_0b */
static void cti_tet_close_blocks(cti_r8 *k)
{
    int b, i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            cti_r8 sum = cti_set8(0), *k0 = k + 3 * i + j;
            for (b = 1; b < 4; b++) {
                const cti_r8 *k1 = k + 9 * CTI_UPPER(4, 1, b) + 3 * i + j;
                const cti_r8 *k2 = b < 2 ? k + 9 * CTI_UPPER(4, 1, 2) + 3 * j + i : k + 9 * CTI_UPPER(4, 2, b) + 3 * i + j;
                const cti_r8 *k3 = b < 3 ? k + 9 * CTI_UPPER(4, b, 3) + 3 * j + i : k + 9 * CTI_UPPER(4, 3, 3) + 3 * i + j;
                cti_r8 column = cti_add8(*k1, cti_add8(*k2, *k3));
                k0[9 * b] = cti_neg8(column), sum = cti_add8(sum, column);
            }
            k0[0] = sum;
        }
}

/* ---- a batch ---- */

static void cti_tet_load(const cti_tet_batch *t, int batch, const ct_real *x, cti_tet_lanes *w)
{
    cti_r8 node[12], e[9];
    int i;
    cti_element_gather(x, t->node + 32 * batch, 4, node);
    for (i = 0; i < 9; i++)
        w->b[i] = cti_load8(t->rest + (batch * CTI_TET_REST + i) * 8);
    w->volume = cti_load8(t->rest + (batch * CTI_TET_REST + 9) * 8);
    w->extended = 0;
    /* F_ij = sum_a (x_a - x_0)_i b_a,j; e is stored by coordinate */
    for (i = 0; i < 3; i++)
        e[3 * i] = cti_sub8(node[3 + i], node[i]), e[3 * i + 1] = cti_sub8(node[6 + i], node[i]),
              e[3 * i + 2] = cti_sub8(node[9 + i], node[i]);
    cti_matmul8(e, w->b, w->f);
}

/* f_a = -V P b_a, f_0 = -(f_1 + f_2 + f_3) */
static void cti_tet_forces(const cti_tet_lanes *w, cti_r8 *f)
{
    int a, i;
    for (a = 1; a < 4; a++) {
        cti_matvec8(w->p, w->b + 3 * (a - 1), f + 3 * a);
        cti_scale3_8(cti_neg8(w->volume), f + 3 * a, f + 3 * a);
    }
    for (i = 0; i < 3; i++)
        f[i] = cti_neg8(cti_add8(f[3 + i], cti_add8(f[6 + i], f[9 + i])));
}

CTI_FN void cti_tet_batch_assemble(const cti_tet_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                                   double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt + dt * t->damping_stiffness);
    int batch, l, corotated = t->model == CT_MODEL_COROTATIONAL && t->hessian == CTI_HESSIAN_STEP;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_tet_lanes w;
        cti_r8 r[9], f[12], k[90];
        cti_tet_load(t, batch, x, &w);
        switch (t->model) {
        case CT_MODEL_COROTATIONAL:
            cti_tet_corotational(t, &w, r, val && !corotated);
            break;
        case CT_MODEL_STVK:
            cti_tet_stvk(t, &w, val != NULL);
            break;
        case CT_MODEL_STABLE_NEOHOOKEAN:
            cti_tet_stable(t, &w, val != NULL);
            break;
        case CT_MODEL_HONG_NEOHOOKEAN:
            cti_tet_hong(t, &w, val != NULL);
            break;
        default:
            cti_tet_neohookean(t, &w, val != NULL);
            break;
        }
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(w.volume, w.psi), count);
        if (out_extended)
            for (l = 0; l < count; l++)
                *out_extended += w.extended >> l & 1;
        if (force) {
            cti_tet_forces(&w, f);
            cti_element_scatter_force(force, t->node + 32 * batch, 4, count, f);
        }
        if (!val)
            continue;
        if (corotated)
            cti_tet_corotated_blocks(t, &w, r, scale, k);
        else
            cti_tet_principal_blocks(&w, scale, t->hessian != CTI_HESSIAN_EXACT, k);
        cti_tet_close_blocks(k);
        cti_element_scatter_blocks(val, t->slot + 128 * batch, 4, count, k);
    }
}

CTI_FN double cti_tet_batch_energy(const cti_tet_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_tet_batch_assemble(t, x, 0, NULL, NULL, NULL, &energy);
    return energy;
}

CTI_FN int cti_tet_batch_crushed(const cti_tet_batch *t, const ct_real *x0, const ct_real *x1)
{
    const cti_r8 j0 = cti_set8(CTI_TET_J0);
    int batch, l, n = 0;
    if (t->model != CT_MODEL_NEOHOOKEAN && t->model != CT_MODEL_HONG_NEOHOOKEAN)
        return 0;
    for (batch = 0; 8 * batch < t->n; batch++) {
        cti_tet_lanes w;
        cti_r8 cof[9];
        int crushed;
        cti_tet_load(t, batch, x1, &w);
        crushed = cti_bits8(cti_lt8(cti_cofactor8(w.f, cof), j0));
        if (!crushed)
            continue;
        cti_tet_load(t, batch, x0, &w);
        crushed &= ~cti_bits8(cti_lt8(cti_cofactor8(w.f, cof), j0));
        for (l = 0; l < cti_element_count(t->n, batch); l++)
            n += crushed >> l & 1;
    }
    return n;
}

#undef CTI_TET_J0

/* ---- 6_model/membrane.h ---- */
/* membrane.h -- the in-plane elasticity of cloth: plane-stress St.Venant-Kirchhoff triangles in batches of eight. */


enum { CTI_MEMBRANE_REST = 5 };

/* cti_membrane_batch -- zero it before first use. */
typedef struct cti_membrane_batch {
    int n;                                                    /* triangles */
    int hessian;                                              /* CTI_HESSIAN_EXACT keeps compressive stress in K, the others drop it */
    ct_real stiff, poisson, areal_density, damping_stiffness; /* stiff = E t / (1 - nu^2) [N/m] */
    int32_t *node;                                            /* [3 x 8 batches] */
    int32_t *slot;                                            /* [9 n] */
    ct_real *rest; /* [batches][5][8]: gradients of the shape functions 1, 2 in the triangle's plane [1/m], area [m^2] */
} cti_membrane_batch;

/* As for tets (tet.h); -1: a triangle without area, its number and its area. */
CTI_FN int cti_membrane_batch_init(cti_mem *mem, cti_membrane_batch *t, const ct_material *m, const ct_real *X, const int32_t *triangles,
                                   int n_triangles, int node_offset, int64_t *out_bad, double *out_value);
CTI_FN void cti_membrane_batch_free(cti_mem *mem, cti_membrane_batch *t);
CTI_FN int cti_membrane_batch_append_pairs(const cti_membrane_batch *t, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_membrane_batch_slots(cti_mem *mem, cti_membrane_batch *t, cti_slot_fn *slot, const void *ctx);
/* areal_density times a third of each triangle */
CTI_FN void cti_membrane_batch_mass(const cti_membrane_batch *t, ct_real *mass);
CTI_FN void cti_membrane_batch_assemble(const cti_membrane_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                        double *out_energy);
CTI_FN double cti_membrane_batch_energy(const cti_membrane_batch *t, const ct_real *x);


/* ---- 6_model/membrane.c ---- */
/* membrane.c -- cloth triangles: E = (F'F - 1) / 2 with F [3x2], plane stress S = Y ((1 - nu) E + nu tr E), Y = E t / (1 - nu^2).
   Energy A S:E / 2, force -A F S b_a, stiffness A (sum_ij C_ij g_ai g_bj' + (b_a' S+ b_b) 1), where g_ai is the gradient of strain i by
   node a and S+ is S without its negative eigenvalues, so that K is positive semidefinite (the first part always is).
   based on: Bonet and Wood, Nonlinear Continuum Mechanics (membranes); Teran et al. 2005 (definiteness). */

/* ---- rest state ---- */

/* the triangle in its plane: X1 - X0 = (l, 0), X2 - X0 = (p, q); b = [l p; 0 q]^-1 by rows; returns the area */
static double cti_membrane_rest(const ct_real *X, const int32_t *tri, ct_real *b)
{
    cti_v3 o = cti_v3_at(X, tri[0]), e1 = cti_v3_sub(cti_v3_at(X, tri[1]), o), e2 = cti_v3_sub(cti_v3_at(X, tri[2]), o);
    ct_real l = cti_v3_norm(e1), twice = cti_v3_norm(cti_v3_cross(e1, e2)), longest = cti_max(l, cti_v3_norm(e2)), p, q;
    b[0] = b[1] = b[2] = b[3] = b[4] = 0;
    if (!(twice > 64 * CTI_EPS * longest * longest) || !cti_finite(twice))
        return 0;
    p = cti_v3_dot(e1, e2) / l, q = twice / l;
    b[0] = 1 / l, b[1] = -p / (l * q), b[2] = 0, b[3] = 1 / q;
    b[4] = twice / 2;
    return (double)b[4];
}

CTI_FN int cti_membrane_batch_init(cti_mem *mem, cti_membrane_batch *t, const ct_material *m, const ct_real *X, const int32_t *triangles,
                                   int n_triangles, int node_offset, int64_t *out_bad, double *out_value)
{
    int e, i, batches = (n_triangles + 7) / 8;
    t->n = n_triangles, t->hessian = CTI_HESSIAN_STEP;
    t->areal_density = m->areal_density, t->damping_stiffness = m->damping_stiffness;
    /* springs use the batch for its areas alone */
    t->poisson = m->model == CT_MODEL_MEMBRANE ? m->poisson : CTI_R(0);
    t->stiff = m->model == CT_MODEL_MEMBRANE ? m->young * m->shell_thickness / (1 - m->poisson * m->poisson) : CTI_R(0);
    if (!cti_element_nodes(mem, &t->node, triangles, n_triangles, 3, node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_MEMBRANE_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, n_triangles - 1);
        ct_real b[CTI_MEMBRANE_REST];
        double area = cti_membrane_rest(X, triangles + 3 * source, b);
        if (!(area > 0)) {
            *out_bad = source, *out_value = area;
            return -1;
        }
        for (i = 0; i < CTI_MEMBRANE_REST; i++)
            t->rest[(e / 8 * CTI_MEMBRANE_REST + i) * 8 + e % 8] = b[i];
    }
    return 1;
}

CTI_FN void cti_membrane_batch_free(cti_mem *mem, cti_membrane_batch *t)
{
    CTI_FREE(mem, t->node);
    CTI_FREE(mem, t->slot);
    CTI_FREE(mem, t->rest);
    t->n = 0;
}
CTI_FN int cti_membrane_batch_append_pairs(const cti_membrane_batch *t, cti_mem *mem, int32_t **pairs)
{
    return cti_element_pairs(mem, pairs, t->node, t->n, 3);
}
CTI_FN int cti_membrane_batch_slots(cti_mem *mem, cti_membrane_batch *t, cti_slot_fn *slot, const void *ctx)
{
    return cti_element_slots(mem, &t->slot, t->node, t->n, 3, slot, ctx);
}
CTI_FN void cti_membrane_batch_mass(const cti_membrane_batch *t, ct_real *mass)
{
    int e, a;
    for (e = 0; e < t->n; e++)
        for (a = 0; a < 3; a++)
            mass[t->node[3 * e + a]] += t->areal_density * t->rest[(e / 8 * CTI_MEMBRANE_REST + 4) * 8 + e % 8] / 3;
}

/* ---- a batch ---- */

typedef struct cti_membrane_lanes {
    cti_r8 b[4], area;   /* b_1 = (b0, b1), b_2 = (b2, b3) */
    cti_r8 f1[3], f2[3]; /* columns of F */
    cti_r8 s11, s22, s12;
    cti_r8 psi;
} cti_membrane_lanes;

static void cti_membrane_load(const cti_membrane_batch *t, int batch, const ct_real *x, cti_membrane_lanes *w)
{
    const cti_r8 half = cti_set8(CTI_R(0.5)), one = cti_set8(1), nu = cti_set8(t->poisson), y = cti_set8(t->stiff);
    cti_r8 node[9], e1[3], e2[3], e11, e22, e12;
    int i;
    cti_element_gather(x, t->node + 24 * batch, 3, node);
    for (i = 0; i < 4; i++)
        w->b[i] = cti_load8(t->rest + (batch * CTI_MEMBRANE_REST + i) * 8);
    w->area = cti_load8(t->rest + (batch * CTI_MEMBRANE_REST + 4) * 8);
    /* F = [x1 - x0, x2 - x0] b, E = (F'F - 1) / 2 */
    cti_sub3_8(node + 3, node, e1);
    cti_sub3_8(node + 6, node, e2);
    for (i = 0; i < 3; i++) {
        w->f1[i] = cti_mad8(cti_mul8(e1[i], w->b[0]), e2[i], w->b[2]);
        w->f2[i] = cti_mad8(cti_mul8(e1[i], w->b[1]), e2[i], w->b[3]);
    }
    e11 = cti_mul8(half, cti_sub8(cti_dot8(w->f1, w->f1), one)), e22 = cti_mul8(half, cti_sub8(cti_dot8(w->f2, w->f2), one));
    e12 = cti_mul8(half, cti_dot8(w->f1, w->f2));
    w->s11 = cti_mul8(y, cti_mad8(e11, nu, e22)), w->s22 = cti_mul8(y, cti_mad8(e22, nu, e11));
    w->s12 = cti_mul8(cti_mul8(y, cti_sub8(one, nu)), e12);
    w->psi = cti_mul8(half, cti_mad8(cti_mad8(cti_mul8(w->s11, e11), w->s22, e22), cti_add8(w->s12, w->s12), e12));
}

/* f_a = -A F S b_a */
static void cti_membrane_forces(const cti_membrane_lanes *w, cti_r8 *f)
{
    int a, i;
    for (a = 1; a < 3; a++) {
        const cti_r8 *b = w->b + 2 * (a - 1);
        cti_r8 c1 = cti_mul8(w->area, cti_mad8(cti_mul8(w->s11, b[0]), w->s12, b[1]));
        cti_r8 c2 = cti_mul8(w->area, cti_mad8(cti_mul8(w->s12, b[0]), w->s22, b[1]));
        for (i = 0; i < 3; i++)
            f[3 * a + i] = cti_neg8(cti_mad8(cti_mul8(c1, w->f1[i]), c2, w->f2[i]));
    }
    for (i = 0; i < 3; i++)
        f[i] = cti_neg8(cti_add8(f[3 + i], f[6 + i]));
}

/* S+ : eigenvalues m +- r of S below zero become zero */
static void cti_membrane_clamp(cti_membrane_lanes *w)
{
    const cti_r8 half = cti_set8(CTI_R(0.5)), zero = cti_set8(0);
    cti_r8 m = cti_mul8(half, cti_add8(w->s11, w->s22)), d = cti_mul8(half, cti_sub8(w->s11, w->s22)), r, hi, lo, mid, ratio;
    r = cti_sqrt8(cti_mad8(cti_mul8(d, d), w->s12, w->s12));
    hi = cti_max8(cti_add8(m, r), zero), lo = cti_max8(cti_sub8(m, r), zero);
    mid = cti_mul8(half, cti_add8(hi, lo));
    ratio = cti_div8(cti_mul8(half, cti_sub8(hi, lo)), cti_select8(cti_lt8(zero, r), r, cti_set8(1)));
    w->s11 = cti_mad8(mid, ratio, d), w->s22 = cti_nmad8(mid, ratio, d), w->s12 = cti_mul8(ratio, w->s12);
}

/* block (a, b): p f1 f1' + q f1 f2' + r f2 f1' + s f2 f2' + g 1, times A scale */
static void cti_membrane_block(const cti_membrane_batch *t, const cti_membrane_lanes *w, const cti_r8 *a, const cti_r8 *b, cti_r8 scale,
                               cti_r8 *k)
{
    const cti_r8 y = cti_mul8(scale, cti_set8(t->stiff)), c12 = cti_scale8(t->poisson, y),
                 c33 = cti_scale8(CTI_R(0.5) * (1 - t->poisson), y);
    cti_r8 ab11 = cti_mul8(a[0], b[0]), ab22 = cti_mul8(a[1], b[1]), ab12 = cti_mul8(a[0], b[1]), ab21 = cti_mul8(a[1], b[0]), p, q, r, s,
           g, x1, x2;
    int i;
    p = cti_mad8(cti_mul8(y, ab11), c33, ab22), s = cti_mad8(cti_mul8(y, ab22), c33, ab11);
    q = cti_mad8(cti_mul8(c12, ab12), c33, ab21), r = cti_mad8(cti_mul8(c12, ab21), c33, ab12);
    g = cti_mad8(cti_mad8(cti_mul8(w->s11, ab11), w->s22, ab22), w->s12, cti_add8(ab12, ab21));
    g = cti_mul8(scale, g);
    for (i = 0; i < 3; i++) {
        x1 = cti_mad8(cti_mul8(p, w->f1[i]), r, w->f2[i]), x2 = cti_mad8(cti_mul8(q, w->f1[i]), s, w->f2[i]);
        k[3 * i] = cti_mad8(cti_mul8(x1, w->f1[0]), x2, w->f2[0]);
        k[3 * i + 1] = cti_mad8(cti_mul8(x1, w->f1[1]), x2, w->f2[1]);
        k[3 * i + 2] = cti_mad8(cti_mul8(x1, w->f1[2]), x2, w->f2[2]);
        k[4 * i] = cti_add8(k[4 * i], g);
    }
}

/* blocks 11, 12, 22, then K_01 = -(K_11 + K_12'), K_02 = -(K_12 + K_22), K_00 = -(K_01 + K_02) */
static void cti_membrane_blocks(const cti_membrane_batch *t, const cti_membrane_lanes *w, cti_r8 scale, cti_r8 *k)
{
    int i, j;
    scale = cti_mul8(scale, w->area);
    cti_membrane_block(t, w, w->b, w->b, scale, k + 9 * CTI_UPPER(3, 1, 1));
    cti_membrane_block(t, w, w->b, w->b + 2, scale, k + 9 * CTI_UPPER(3, 1, 2));
    cti_membrane_block(t, w, w->b + 2, w->b + 2, scale, k + 9 * CTI_UPPER(3, 2, 2));
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            int o = 3 * i + j, h = 3 * j + i;
            cti_r8 c1 = cti_add8(k[9 * CTI_UPPER(3, 1, 1) + o], k[9 * CTI_UPPER(3, 1, 2) + h]);
            cti_r8 c2 = cti_add8(k[9 * CTI_UPPER(3, 1, 2) + o], k[9 * CTI_UPPER(3, 2, 2) + o]);
            k[9 * CTI_UPPER(3, 0, 1) + o] = cti_neg8(c1), k[9 * CTI_UPPER(3, 0, 2) + o] = cti_neg8(c2);
            k[o] = cti_add8(c1, c2);
        }
}

CTI_FN void cti_membrane_batch_assemble(const cti_membrane_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                        double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt + dt * t->damping_stiffness);
    int batch;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_membrane_lanes w;
        cti_r8 f[9], k[54];
        cti_membrane_load(t, batch, x, &w);
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(w.area, w.psi), count);
        if (force) {
            cti_membrane_forces(&w, f);
            cti_element_scatter_force(force, t->node + 24 * batch, 3, count, f);
        }
        if (!val)
            continue;
        if (t->hessian != CTI_HESSIAN_EXACT)
            cti_membrane_clamp(&w);
        cti_membrane_blocks(t, &w, scale, k);
        cti_element_scatter_blocks(val, t->slot + 72 * batch, 3, count, k);
    }
}

CTI_FN double cti_membrane_batch_energy(const cti_membrane_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_membrane_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

/* ---- 6_model/hinge.h ---- */
/* hinge.h -- edges and hinges of a triangle list: what bending and springs are built on. */


/* cti_hinge_find -- from triangles [3 n]:
   *edges  [2 m]  every edge once, smaller node first, ascending; NULL: not wanted
   *hinges [4 k]  edge nodes x0 < x1 and the opposite nodes x2, x3 of two triangles at that edge; on an edge of more than two triangles
                  consecutive ones are paired. NULL: not wanted.
   Both are stb_ds arrays, emptied first. 0: out of memory. */
CTI_FN int cti_hinge_find(cti_mem *mem, const int32_t *triangles, int n, int32_t **edges, int32_t **hinges);


/* ---- 6_model/hinge.c ---- */
/* hinge.c -- edges and hinges by sorting edge keys. Method: radix sort of (smaller node, larger node), payload 3 triangle + corner; the
   sort is stable, so triangles at an edge stay in their order. */

/* appends the hinges of keys [begin, end), which are one edge */
static int cti_hinge_push(cti_mem *mem, const int32_t *triangles, const uint64_t *key, const int32_t *corner, int begin, int end,
                          int32_t **hinges)
{
    int32_t *h = *hinges;
    int i, ok = 1;
    for (i = begin; i + 1 < end && ok; i++) {
        int32_t a = triangles[corner[i] / 3 * 3 + (corner[i] % 3 + 2) % 3],
                b = triangles[corner[i + 1] / 3 * 3 + (corner[i + 1] % 3 + 2) % 3];
        if (a == b)
            continue;
        ok = CTI_PUSH(mem, h, (int32_t)(key[i] >> 32)) && CTI_PUSH(mem, h, (int32_t)(key[i] & 0xffffffffu)) && CTI_PUSH(mem, h, a) &&
             CTI_PUSH(mem, h, b);
    }
    *hinges = h;
    return ok;
}

static int cti_hinge_group(cti_mem *mem, const int32_t *triangles, const uint64_t *key, const int32_t *corner, int n, int32_t **edges,
                           int32_t **hinges)
{
    int i, begin;
    for (begin = 0; begin < n; begin = i) {
        for (i = begin + 1; i < n && key[i] == key[begin]; i++)
            ;
        if (edges) {
            int32_t *e = *edges;
            int ok = CTI_PUSH(mem, e, (int32_t)(key[begin] >> 32)) && CTI_PUSH(mem, e, (int32_t)(key[begin] & 0xffffffffu));
            *edges = e;
            if (!ok)
                return 0;
        }
        if (hinges && !cti_hinge_push(mem, triangles, key, corner, begin, i, hinges))
            return 0;
    }
    return 1;
}

CTI_FN int cti_hinge_find(cti_mem *mem, const int32_t *triangles, int n, int32_t **edges, int32_t **hinges)
{
    uint64_t *key = NULL, *key_tmp = NULL;
    int32_t *corner = NULL, *corner_tmp = NULL;
    int i, ok;
    if (edges)
        CTI_CLEAR(*edges);
    if (hinges)
        CTI_CLEAR(*hinges);
    ok = CTI_RESIZE(mem, key, 3 * (size_t)n) && CTI_RESIZE(mem, key_tmp, 3 * (size_t)n) && CTI_RESIZE(mem, corner, 3 * (size_t)n) &&
         CTI_RESIZE(mem, corner_tmp, 3 * (size_t)n);
    if (ok && n > 0) {
        for (i = 0; i < 3 * n; i++) {
            uint32_t a = (uint32_t)triangles[i], b = (uint32_t)triangles[i / 3 * 3 + (i + 1) % 3];
            key[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            corner[i] = i;
        }
        cti_sort_u64(key, corner, key_tmp, corner_tmp, 3 * n);
        ok = cti_hinge_group(mem, triangles, key, corner, 3 * n, edges, hinges);
    }
    CTI_FREE(mem, key);
    CTI_FREE(mem, key_tmp);
    CTI_FREE(mem, corner);
    CTI_FREE(mem, corner_tmp);
    return ok;
}

/* ---- 6_model/bend.h ---- */
/* bend.h -- bending of cloth: discrete-shell hinges in batches of eight. */


enum { CTI_BEND_REST = 3 };

/* cti_bend_batch -- zero it before first use. A hinge stores B/2 |e|^2 / (A1 + A2) (theta - theta0)^2 with the plate stiffness B [N m]: an
   aligned grid that is rolled to curvature c stores B c^2 / 2 per area, an equilateral mesh 9/8 of it. (In the discrete shells' form
   k 3 |e|^2 / (A1 + A2) (theta - theta0)^2 that is k = B / 6.) */
typedef struct cti_bend_batch {
    int n; /* hinges */
    ct_real damping_stiffness;
    int32_t *node; /* [4 x 8 batches]: edge x0, x1, opposite x2, x3 */
    int32_t *slot; /* [16 n] */
    ct_real *rest; /* [batches][3][8]: B |e|^2 / (A1 + A2) [N m], theta0 [rad], least |n|^2 [m^4] that normals are divided by */
} cti_bend_batch;

/* As for tets (tet.h); hinges as cti_hinge_find makes them. 1, or 0: out of memory. */
CTI_FN int cti_bend_batch_init(cti_mem *mem, cti_bend_batch *t, const ct_material *m, const ct_real *X, const int32_t *hinges, int n_hinges,
                               int node_offset);
CTI_FN void cti_bend_batch_free(cti_mem *mem, cti_bend_batch *t);
CTI_FN int cti_bend_batch_append_pairs(const cti_bend_batch *t, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_bend_batch_slots(cti_mem *mem, cti_bend_batch *t, cti_slot_fn *slot, const void *ctx);
/* K is Gauss-Newton's part of the Hessian, k grad theta grad theta' (exact where theta = theta0) */
CTI_FN void cti_bend_batch_assemble(const cti_bend_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                    double *out_energy);
CTI_FN double cti_bend_batch_energy(const cti_bend_batch *t, const ct_real *x);
/* cti_bend_angle -- theta of points x [12] = edge x0, x1, opposite x2, x3: 0 when flat, in (-pi, pi]. */
CTI_FN ct_real cti_bend_angle(const ct_real *x);


/* ---- 6_model/bend.c ---- */
/* bend.c -- discrete-shell bending. theta = atan2(e/|e| . (n1 x n2), n1 . n2), n1 = e x (x2 - x0), n2 = (x3 - x0) x e.
   Gradient: with p_i = n_i / |n_i|^2,  theta_2 = -|e| p_1,  theta_3 = -|e| p_2,
   theta_1 = ((x2 - x0) . e p_1 + (x3 - x0) . e p_2) / |e|,  theta_0 = -(theta_1 + theta_2 + theta_3).
   based on: Grinspun et al. 2003 (energy), Bridson et al. 2003 and Wardetzky et al. 2007 (gradient). */

CTI_FN ct_real cti_bend_angle(const ct_real *x)
{
    cti_v3 o = cti_v3_at(x, 0), e = cti_v3_sub(cti_v3_at(x, 1), o), n1 = cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 2), o)),
           n2 = cti_v3_cross(cti_v3_sub(cti_v3_at(x, 3), o), e);
    return cti_atan2(cti_v3_dot(cti_v3_cross(n1, n2), e), cti_v3_norm(e) * cti_v3_dot(n1, n2));
}

CTI_FN int cti_bend_batch_init(cti_mem *mem, cti_bend_batch *t, const ct_material *m, const ct_real *X, const int32_t *hinges, int n_hinges,
                               int node_offset)
{
    int h, a, batches = (n_hinges + 7) / 8;
    t->n = n_hinges, t->damping_stiffness = m->damping_stiffness;
    if (!cti_element_nodes(mem, &t->node, hinges, n_hinges, 4, node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_BEND_REST * 8))
        return 0;
    for (h = 0; h < 8 * batches; h++) {
        const int32_t *q = hinges + 4 * cti_min_int(h, n_hinges - 1);
        ct_real *rest = t->rest + h / 8 * CTI_BEND_REST * 8 + h % 8, x[12], area;
        cti_v3 e, n1, n2;
        for (a = 0; a < 4; a++)
            cti_v3_put(x, a, cti_v3_at(X, q[a]));
        e = cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0));
        n1 = cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 2), cti_v3_at(x, 0))),
        n2 = cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 3), cti_v3_at(x, 0)));
        area = CTI_R(0.5) * (cti_v3_norm(n1) + cti_v3_norm(n2));
        rest[0] = area > 0 ? m->bending * cti_v3_norm2(e) / area : CTI_R(0);
        rest[8] = cti_bend_angle(x);
        rest[16] = cti_max(CTI_R(1e-6) * area * area, CTI_R(1e-30));
    }
    return 1;
}

CTI_FN void cti_bend_batch_free(cti_mem *mem, cti_bend_batch *t)
{
    CTI_FREE(mem, t->node);
    CTI_FREE(mem, t->slot);
    CTI_FREE(mem, t->rest);
    t->n = 0;
}
CTI_FN int cti_bend_batch_append_pairs(const cti_bend_batch *t, cti_mem *mem, int32_t **pairs)
{
    return cti_element_pairs(mem, pairs, t->node, t->n, 4);
}
CTI_FN int cti_bend_batch_slots(cti_mem *mem, cti_bend_batch *t, cti_slot_fn *slot, const void *ctx)
{
    return cti_element_slots(mem, &t->slot, t->node, t->n, 4, slot, ctx);
}

/* g [12] = grad theta, returns theta - theta0 in (-pi, pi]. Normals shorter than a thousandth of the rest area are not divided by. */
static cti_r8 cti_bend_gradient(const cti_bend_batch *t, int batch, const ct_real *x, cti_r8 *g)
{
    const cti_r8 pi = cti_set8(CTI_R(3.14159265358979324)), turn = cti_set8(CTI_R(6.28318530717958648));
    const cti_r8 least = cti_load8(t->rest + (batch * CTI_BEND_REST + 2) * 8);
    cti_r8 node[12], e[3], a[3], b[3], n1[3], n2[3], c[3], length, inverse, d, s1, s2;
    int i;
    cti_element_gather(x, t->node + 32 * batch, 4, node);
    cti_sub3_8(node + 3, node, e);
    cti_sub3_8(node + 6, node, a);
    cti_sub3_8(node + 9, node, b);
    cti_cross8(e, a, n1);
    cti_cross8(b, e, n2);
    cti_cross8(n1, n2, c);
    length = cti_sqrt8(cti_dot8(e, e));
    d = CTI_R8(atan2)(cti_dot8(c, e), cti_mul8(length, cti_dot8(n1, n2)));
    d = cti_sub8(d, cti_load8(t->rest + (batch * CTI_BEND_REST + 1) * 8));
    d = cti_select8(cti_lt8(pi, d), cti_sub8(d, turn), cti_select8(CTI_R8(le)(d, cti_neg8(pi)), cti_add8(d, turn), d));
    /* p_1, p_2, and the gradient */
    inverse = cti_div8(cti_set8(1), cti_max8(length, cti_set8(CTI_R(1e-30))));
    cti_scale3_8(cti_div8(cti_set8(1), cti_max8(cti_dot8(n1, n1), least)), n1, n1);
    cti_scale3_8(cti_div8(cti_set8(1), cti_max8(cti_dot8(n2, n2), least)), n2, n2);
    s1 = cti_mul8(inverse, cti_dot8(a, e)), s2 = cti_mul8(inverse, cti_dot8(b, e));
    for (i = 0; i < 3; i++) {
        g[6 + i] = cti_neg8(cti_mul8(length, n1[i])), g[9 + i] = cti_neg8(cti_mul8(length, n2[i]));
        g[3 + i] = cti_mad8(cti_mul8(s1, n1[i]), s2, n2[i]);
        g[i] = cti_neg8(cti_add8(g[3 + i], cti_add8(g[6 + i], g[9 + i])));
    }
    return d;
}

/* k g g', the upper blocks */
static void cti_bend_blocks(const cti_r8 *g, cti_r8 stiff, cti_r8 *k)
{
    int a, b, i;
    for (a = 0; a < 4; a++)
        for (b = a; b < 4; b++) {
            cti_r8 *m = k + 9 * CTI_UPPER(4, a, b);
            for (i = 0; i < 3; i++)
                cti_scale3_8(cti_mul8(stiff, g[3 * a + i]), g + 3 * b, m + 3 * i);
        }
}

CTI_FN void cti_bend_batch_assemble(const cti_bend_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt + dt * t->damping_stiffness), half = cti_set8(CTI_R(0.5));
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_r8 g[12], f[12], k[90], stiff = cti_load8(t->rest + batch * CTI_BEND_REST * 8), d = cti_bend_gradient(t, batch, x, g), s;
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(cti_mul8(half, stiff), cti_mul8(d, d)), count);
        if (force) {
            s = cti_neg8(cti_mul8(stiff, d));
            for (i = 0; i < 12; i++)
                f[i] = cti_mul8(s, g[i]);
            cti_element_scatter_force(force, t->node + 32 * batch, 4, count, f);
        }
        if (val) {
            cti_bend_blocks(g, cti_mul8(scale, stiff), k);
            cti_element_scatter_blocks(val, t->slot + 128 * batch, 4, count, k);
        }
    }
}

CTI_FN double cti_bend_batch_energy(const cti_bend_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_bend_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

/* ---- 6_model/spring.h ---- */
/* spring.h -- mass-spring cloth in batches of eight springs. */


enum { CTI_SPRING_REST = 2 };

/* cti_spring_batch -- zero it before first use. */
typedef struct cti_spring_batch {
    int n;       /* springs */
    int hessian; /* CTI_HESSIAN_EXACT keeps the transverse part of compressed springs in K, the others drop it */
    ct_real damping_stiffness;
    int32_t *node; /* [2 x 8 batches] */
    int32_t *slot; /* [4 n] */
    ct_real *rest; /* [batches][2][8]: rate k [N/m], rest length [m] */
} cti_spring_batch;

/* cti_spring_list -- the springs of a triangle list: `stretch` along every edge; `shear` between the nodes opposite to an inner edge;
   `bend` over two edges that continue each other at a node within 30 degrees (each the other's best continuation). A kind of rate 0 is left
   out. *out_ends [2 m] local numbers, *out_rates [m]: stb_ds arrays. 0: out of memory. */
CTI_FN int cti_spring_list(cti_mem *mem, const ct_material *m, const ct_real *X, int n_nodes, const int32_t *triangles, int n_triangles,
                           int32_t **out_ends, ct_real **out_rates);
/* As for tets (tet.h); -1: a spring of length zero: its number and its length. */
CTI_FN int cti_spring_batch_init(cti_mem *mem, cti_spring_batch *t, const ct_material *m, const ct_real *X, const int32_t *ends,
                                 const ct_real *rates, int n_springs, int node_offset, int64_t *out_bad, double *out_value);
CTI_FN void cti_spring_batch_free(cti_mem *mem, cti_spring_batch *t);
CTI_FN int cti_spring_batch_append_pairs(const cti_spring_batch *t, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_spring_batch_slots(cti_mem *mem, cti_spring_batch *t, cti_slot_fn *slot, const void *ctx);
CTI_FN void cti_spring_batch_assemble(const cti_spring_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                      double *out_energy);
CTI_FN double cti_spring_batch_energy(const cti_spring_batch *t, const ct_real *x);


/* ---- 6_model/spring.c ---- */
/* spring.c -- springs between two nodes: energy k/2 (l - L)^2, force k (l - L) n on the first node, stiffness
   k (n n' + max(0, 1 - L/l) (1 - n n')), which is positive semidefinite; a compressed spring keeps n n' only.
   based on: Provot 1995 (stretch, shear and flexion springs), Bridson et al. 2003, Choi and Ko 2002 (what is dropped). */

/* ---- which springs ---- */

static int cti_spring_push(cti_mem *mem, int32_t **ends, ct_real **rates, int32_t a, int32_t b, ct_real rate)
{
    int32_t *e = *ends;
    ct_real *r = *rates;
    int ok = CTI_PUSH(mem, e, a) && CTI_PUSH(mem, e, b) && CTI_PUSH(mem, r, rate);
    *ends = e, *rates = r;
    return ok;
}

/* of the neighbours [n] of node v, the one that continues the edge (from, v) best: index, or -1 beyond 30 degrees */
static int cti_spring_continue(const ct_real *X, int v, const int32_t *neighbour, int n, int from)
{
    cti_v3 o = cti_v3_at(X, v), in = cti_v3_unit(cti_v3_sub(o, cti_v3_at(X, neighbour[from])), cti_v3_zero());
    ct_real best = CTI_R(0.8660254);
    int i, found = -1;
    for (i = 0; i < n; i++) {
        ct_real c = i == from ? CTI_R(-1) : cti_v3_dot(in, cti_v3_unit(cti_v3_sub(cti_v3_at(X, neighbour[i]), o), cti_v3_zero()));
        if (c > best)
            best = c, found = i;
    }
    return found;
}

/* flexion springs; start [n_nodes + 1], neighbour [2 edges]: nodes around each node, ascending by edge */
static int cti_spring_flexion(cti_mem *mem, const ct_material *m, const ct_real *X, int n_nodes, const int *start, const int32_t *neighbour,
                              int32_t **ends, ct_real **rates)
{
    int v, i, j;
    for (v = 0; v < n_nodes; v++) {
        const int32_t *around = neighbour + start[v];
        int n = start[v + 1] - start[v];
        for (i = 0; i < n; i++) {
            j = cti_spring_continue(X, v, around, n, i);
            if (j > i && cti_spring_continue(X, v, around, n, j) == i)
                if (!cti_spring_push(mem, ends, rates, around[i], around[j], m->bend))
                    return 0;
        }
    }
    return 1;
}

/* start and neighbour of the edge list */
static int cti_spring_around(cti_mem *mem, const int32_t *edges, int n_nodes, int **start, int32_t **neighbour)
{
    int *s = NULL, i, n = CTI_LEN(edges) / 2;
    int32_t *b = NULL;
    int ok = CTI_RESIZE(mem, s, (size_t)n_nodes + 2) && CTI_RESIZE(mem, b, 2 * (size_t)n);
    *start = s, *neighbour = b;
    if (!ok)
        return 0;
    /* counts, shifted by two, so that filling turns them into starts */
    for (i = 0; i < 2 * n; i++)
        s[edges[i] + 2]++;
    for (i = 2; i < n_nodes + 2; i++)
        s[i] += s[i - 1];
    for (i = 0; i < n; i++) {
        b[s[edges[2 * i] + 1]++] = edges[2 * i + 1];
        b[s[edges[2 * i + 1] + 1]++] = edges[2 * i];
    }
    return 1;
}

CTI_FN int cti_spring_list(cti_mem *mem, const ct_material *m, const ct_real *X, int n_nodes, const int32_t *triangles, int n_triangles,
                           int32_t **out_ends, ct_real **out_rates)
{
    int32_t *edges = NULL, *hinges = NULL, *neighbour = NULL;
    int *start = NULL, i, ok;
    CTI_CLEAR(*out_ends);
    CTI_CLEAR(*out_rates);
    ok = cti_hinge_find(mem, triangles, n_triangles, &edges, &hinges);
    for (i = 0; ok && m->stretch > 0 && i < CTI_LEN(edges) / 2; i++)
        ok = cti_spring_push(mem, out_ends, out_rates, edges[2 * i], edges[2 * i + 1], m->stretch);
    for (i = 0; ok && m->shear > 0 && i < CTI_LEN(hinges) / 4; i++)
        /* two triangles that lie on each other at rest have nothing between their tips to hold */
        if (cti_v3_norm2(cti_v3_sub(cti_v3_at(X, hinges[4 * i + 2]), cti_v3_at(X, hinges[4 * i + 3]))) > 0)
            ok = cti_spring_push(mem, out_ends, out_rates, hinges[4 * i + 2], hinges[4 * i + 3], m->shear);
    if (ok && m->bend > 0)
        ok = cti_spring_around(mem, edges, n_nodes, &start, &neighbour) &&
             cti_spring_flexion(mem, m, X, n_nodes, start, neighbour, out_ends, out_rates);
    CTI_FREE(mem, edges);
    CTI_FREE(mem, hinges);
    CTI_FREE(mem, neighbour);
    CTI_FREE(mem, start);
    return ok;
}

/* ---- the batch ---- */

CTI_FN int cti_spring_batch_init(cti_mem *mem, cti_spring_batch *t, const ct_material *m, const ct_real *X, const int32_t *ends,
                                 const ct_real *rates, int n_springs, int node_offset, int64_t *out_bad, double *out_value)
{
    int e, batches = (n_springs + 7) / 8;
    t->n = n_springs, t->hessian = CTI_HESSIAN_STEP, t->damping_stiffness = m->damping_stiffness;
    if (!cti_element_nodes(mem, &t->node, ends, n_springs, 2, node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_SPRING_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, n_springs - 1);
        ct_real *rest = t->rest + e / 8 * CTI_SPRING_REST * 8 + e % 8;
        rest[0] = rates[source];
        rest[8] = cti_v3_norm(cti_v3_sub(cti_v3_at(X, ends[2 * source]), cti_v3_at(X, ends[2 * source + 1])));
        if (!(rest[8] > 0) || !cti_finite(rest[8])) {
            *out_bad = source, *out_value = (double)rest[8];
            return -1;
        }
    }
    return 1;
}

CTI_FN void cti_spring_batch_free(cti_mem *mem, cti_spring_batch *t)
{
    CTI_FREE(mem, t->node);
    CTI_FREE(mem, t->slot);
    CTI_FREE(mem, t->rest);
    t->n = 0;
}
CTI_FN int cti_spring_batch_append_pairs(const cti_spring_batch *t, cti_mem *mem, int32_t **pairs)
{
    return cti_element_pairs(mem, pairs, t->node, t->n, 2);
}
CTI_FN int cti_spring_batch_slots(cti_mem *mem, cti_spring_batch *t, cti_slot_fn *slot, const void *ctx)
{
    return cti_element_slots(mem, &t->slot, t->node, t->n, 2, slot, ctx);
}

/* blocks K, -K, K with K = along n n' + across (1 - n n') */
static void cti_spring_blocks(const cti_r8 *n, cti_r8 along, cti_r8 across, cti_r8 *k)
{
    cti_r8 d = cti_sub8(along, across), dn[3];
    int i, j;
    cti_scale3_8(d, n, dn);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            cti_r8 v = cti_mul8(dn[i], n[j]);
            if (i == j)
                v = cti_add8(v, across);
            k[3 * i + j] = v, k[9 + 3 * i + j] = cti_neg8(v), k[18 + 3 * i + j] = v;
        }
}

CTI_FN void cti_spring_batch_assemble(const cti_spring_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                      double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt + dt * t->damping_stiffness), half = cti_set8(CTI_R(0.5)), one = cti_set8(1), zero = cti_set8(0);
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_r8 node[6], n[3], f[6], k[27], rate = cti_load8(t->rest + batch * CTI_SPRING_REST * 8), rest, length, inverse, d, across;
        rest = cti_load8(t->rest + (batch * CTI_SPRING_REST + 1) * 8);
        cti_element_gather(x, t->node + 16 * batch, 2, node);
        /* n from the first node to the second; zero where they coincide */
        cti_sub3_8(node + 3, node, n);
        length = cti_sqrt8(cti_dot8(n, n));
        inverse = cti_div8(one, cti_max8(length, cti_set8(CTI_R(1e-30))));
        cti_scale3_8(inverse, n, n);
        d = cti_sub8(length, rest);
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(cti_mul8(half, rate), cti_mul8(d, d)), count);
        if (force) {
            for (i = 0; i < 3; i++)
                f[i] = cti_mul8(cti_mul8(rate, d), n[i]), f[3 + i] = cti_neg8(f[i]);
            cti_element_scatter_force(force, t->node + 16 * batch, 2, count, f);
        }
        if (!val)
            continue;
        across = cti_mul8(d, inverse);
        if (t->hessian != CTI_HESSIAN_EXACT)
            across = cti_max8(across, zero);
        rate = cti_mul8(rate, scale);
        cti_spring_blocks(n, rate, cti_mul8(rate, across), k);
        cti_element_scatter_blocks(val, t->slot + 32 * batch, 2, count, k);
    }
}

CTI_FN double cti_spring_batch_energy(const cti_spring_batch *t, const ct_real *x)
{
    double energy = 0;
    cti_spring_batch_assemble(t, x, 0, NULL, NULL, &energy);
    return energy;
}

/* ---- 6_model/model.h ---- */
/* model.h -- the elasticity of one body: all its element batches behind one set of calls. */


/* cti_model -- zero it before first use. Batches that a body does not have are empty. */
typedef struct cti_model {
    cti_tet_batch tets;
    cti_membrane_batch membrane; /* of every cloth: it also knows the areas that the mass comes from */
    cti_bend_batch bend;
    cti_spring_batch springs;
} cti_model;

/* cti_model_init_soft, _cloth -- X [3 n_nodes] rest positions; element lists in local numbers, node_offset makes them global.
   1; 0 out of memory; -1 an element is unusable: *out_bad its number, *out_value its volume or area. After 0 or -1: cti_model_free. */
CTI_FN int cti_model_init_soft(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, int n_nodes, const int32_t *tets,
                               int n_tets, int node_offset, int64_t *out_bad, double *out_value);
CTI_FN int cti_model_init_cloth(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, int n_nodes,
                                const int32_t *triangles, int n_triangles, int node_offset, int64_t *out_bad, double *out_value);
CTI_FN void cti_model_free(cti_mem *mem, cti_model *model);
/* cti_model_hessian -- CTI_HESSIAN_* for all batches (bend is Gauss-Newton's always). */
CTI_FN void cti_model_hessian(cti_model *model, int hessian);
/* cti_model_shift -- adds `by` to all node numbers (bodies before this one were removed or added); slots must be found again. */
CTI_FN void cti_model_shift(cti_model *model, int by);
/* cti_model_pairs -- appends block pairs for the pattern; 0: out of memory. cti_model_slots -- 1, 0, or -1: a block is missing. */
CTI_FN int cti_model_pairs(const cti_model *model, cti_mem *mem, int32_t **pairs);
CTI_FN int cti_model_slots(cti_mem *mem, cti_model *model, cti_slot_fn *slot, const void *ctx);
/* cti_model_mass -- mass [nodes] += lumped masses [kg]. */
CTI_FN void cti_model_mass(const cti_model *model, ct_real *mass);
/* cti_model_assemble -- as cti_tet_batch_assemble, over all batches. */
CTI_FN void cti_model_assemble(const cti_model *model, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                               double *out_energy);
CTI_FN double cti_model_energy(const cti_model *model, const ct_real *x);


/* ---- 6_model/model.c ---- */
/* model.c -- element batches of one body: tets for soft bodies; membrane and hinges, or springs, for cloth. */

CTI_FN int cti_model_init_soft(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, int n_nodes, const int32_t *tets,
                               int n_tets, int node_offset, int64_t *out_bad, double *out_value)
{
    CTI_UNUSED(n_nodes);
    return cti_tet_batch_init(mem, &model->tets, m, X, tets, n_tets, node_offset, out_bad, out_value);
}

/* hinges of a membrane with bending stiffness */
static int cti_model_init_bend(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, const int32_t *triangles,
                               int n_triangles, int node_offset)
{
    int32_t *hinges = NULL;
    int ok = cti_hinge_find(mem, triangles, n_triangles, NULL, &hinges);
    if (ok)
        ok = cti_bend_batch_init(mem, &model->bend, m, X, hinges, CTI_LEN(hinges) / 4, node_offset);
    CTI_FREE(mem, hinges);
    return ok;
}
static int cti_model_init_springs(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, int n_nodes,
                                  const int32_t *triangles, int n_triangles, int node_offset, int64_t *out_bad, double *out_value)
{
    int32_t *ends = NULL;
    ct_real *rates = NULL;
    int code = cti_spring_list(mem, m, X, n_nodes, triangles, n_triangles, &ends, &rates);
    if (code)
        code = cti_spring_batch_init(mem, &model->springs, m, X, ends, rates, CTI_LEN(rates), node_offset, out_bad, out_value);
    CTI_FREE(mem, ends);
    CTI_FREE(mem, rates);
    return code;
}

CTI_FN int cti_model_init_cloth(cti_mem *mem, cti_model *model, const ct_material *m, const ct_real *X, int n_nodes,
                                const int32_t *triangles, int n_triangles, int node_offset, int64_t *out_bad, double *out_value)
{
    int code = cti_membrane_batch_init(mem, &model->membrane, m, X, triangles, n_triangles, node_offset, out_bad, out_value);
    if (code != 1)
        return code;
    if (m->model == CT_MODEL_SPRINGS)
        return cti_model_init_springs(mem, model, m, X, n_nodes, triangles, n_triangles, node_offset, out_bad, out_value);
    return m->bending > 0 ? cti_model_init_bend(mem, model, m, X, triangles, n_triangles, node_offset) : 1;
}

CTI_FN void cti_model_free(cti_mem *mem, cti_model *model)
{
    cti_tet_batch_free(mem, &model->tets);
    cti_membrane_batch_free(mem, &model->membrane);
    cti_bend_batch_free(mem, &model->bend);
    cti_spring_batch_free(mem, &model->springs);
}

CTI_FN void cti_model_hessian(cti_model *model, int hessian)
{
    model->tets.hessian = hessian, model->membrane.hessian = hessian, model->springs.hessian = hessian;
}

CTI_FN void cti_model_shift(cti_model *model, int by)
{
    int32_t *lists[4];
    int k, i;
    lists[0] = model->tets.node, lists[1] = model->membrane.node, lists[2] = model->bend.node, lists[3] = model->springs.node;
    for (k = 0; k < 4; k++)
        for (i = 0; i < CTI_LEN(lists[k]); i++)
            lists[k][i] += by;
}

/* springs have a membrane batch for its areas only: it takes no part in forces */
static int cti_model_has_membrane(const cti_model *model) { return model->membrane.n > 0 && model->membrane.stiff > 0; }

CTI_FN int cti_model_pairs(const cti_model *model, cti_mem *mem, int32_t **pairs)
{
    return cti_tet_batch_append_pairs(&model->tets, mem, pairs) &&
           (!cti_model_has_membrane(model) || cti_membrane_batch_append_pairs(&model->membrane, mem, pairs)) &&
           cti_bend_batch_append_pairs(&model->bend, mem, pairs) && cti_spring_batch_append_pairs(&model->springs, mem, pairs);
}

CTI_FN int cti_model_slots(cti_mem *mem, cti_model *model, cti_slot_fn *slot, const void *ctx)
{
    int code = cti_tet_batch_slots(mem, &model->tets, slot, ctx);
    if (code == 1 && cti_model_has_membrane(model))
        code = cti_membrane_batch_slots(mem, &model->membrane, slot, ctx);
    if (code == 1)
        code = cti_bend_batch_slots(mem, &model->bend, slot, ctx);
    if (code == 1)
        code = cti_spring_batch_slots(mem, &model->springs, slot, ctx);
    return code;
}

CTI_FN void cti_model_mass(const cti_model *model, ct_real *mass)
{
    cti_tet_batch_mass(&model->tets, mass);
    cti_membrane_batch_mass(&model->membrane, mass);
}

CTI_FN void cti_model_assemble(const cti_model *model, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, int *out_extended,
                               double *out_energy)
{
    cti_tet_batch_assemble(&model->tets, x, dt, force, val, out_extended, out_energy);
    if (cti_model_has_membrane(model))
        cti_membrane_batch_assemble(&model->membrane, x, dt, force, val, out_energy);
    cti_bend_batch_assemble(&model->bend, x, dt, force, val, out_energy);
    cti_spring_batch_assemble(&model->springs, x, dt, force, val, out_energy);
}

CTI_FN double cti_model_energy(const cti_model *model, const ct_real *x)
{
    double energy = 0;
    cti_model_assemble(model, x, 0, NULL, NULL, NULL, &energy);
    return energy;
}

/* ---- 7_contact/surface.h ---- */
/* surface.h -- the layer between bodies and contact: a soup of surface vertices, edges and faces over all bodies. Detection and CCD see
   only their positions at the two ends of a linear motion; a row reaches the unknowns through a vertex's attachment. */


/* cti_attach -- surface vertex to blocks: x = sum weight x_block. n 0: static. */
typedef struct cti_attach {
    int32_t n;
    int32_t block[4];
    ct_real weight[4];
} cti_attach;

typedef struct cti_surface_body {
    ct_real thickness, friction;
    int dynamic;
    int is_cloth; /* surface without an inside */
    uint64_t id;  /* of the body for as long as it lives, and of no other */
} cti_surface_body;

typedef struct cti_plane {
    ct_real normal[3], offset; /* free space: dot(normal, x) >= offset */
    int32_t body;
} cti_plane;

typedef struct cti_surface {
    int nv, ne, nf, n_bodies, n_planes;
    cti_attach *attach;      /* [nv] */
    int32_t *body_of;        /* [nv] */
    int32_t *edges, *faces;  /* [2 ne], [3 nf] */
    int32_t *face_edges;     /* [3 nf] edges 01, 12, 20 */
    int32_t *edge_faces;     /* [2 ne] -1: none */
    int32_t *vertex_start, *vertex_next; /* [nv + 1], [2 ne]: vertices joined to vertex v by an edge are vertex_next[vertex_start[v] ..] */
    int32_t *vertex_owner, *edge_owner; /* the face that speaks for a shared feature; -1: none */
    uint8_t *is_point;       /* [nv] no edge and no face has it */
    ct_real *rest;           /* [3 nv] */
    ct_real *x0, *x1;        /* [3 nv] both ends of the motion */
    cti_surface_body *bodies;
    cti_soup_body *ranges;   /* [n_bodies] */
    cti_plane *planes;
    cti_soup soup;
    cti_broad broad;
} cti_surface;

CTI_FN void cti_surface_free(cti_mem *mem, cti_surface *s);

/* cti_surface_neighbours -- vertex_start, vertex_next from the edges. 0: out of memory. */
CTI_FN int cti_surface_neighbours(cti_mem *mem, cti_surface *s);

/* cti_surface_place -- out [3 nv]: positions of the surface at block positions q [3 n]. Static vertices keep what x0 holds. */
CTI_FN void cti_surface_place(const cti_surface *s, const ct_real *q, ct_real *out);

/* cti_surface_pair_thickness -- (h_a + h_b) / 2 of two bodies. */
CTI_FN ct_real cti_surface_pair_thickness(const cti_surface *s, int body_a, int body_b);

/* cti_pair -- a feature pair with signed weights: p_a - p_b = sum w[k] x[v[k]]; the first n_a belong to a. PLANE: v[0] and plane. */
typedef struct cti_pair {
    int32_t kind; /* ct_pair_kind */
    int32_t n_a, n;
    int32_t v[4];
    int32_t plane;
    ct_real w[4];
} cti_pair;

/* cti_pair_make -- from candidate lists: features a, b are vertex/face, edge/edge, vertex/edge, vertex/vertex numbers. Weights unset. */
CTI_FN void cti_pair_make(const cti_surface *s, ct_pair_kind kind, int a, int b, cti_pair *out);
/* cti_pair_closest -- sets the weights at positions x; returns the distance; *out_feature as in dist.h. */
CTI_FN ct_real cti_pair_closest(const cti_surface *s, const ct_real *x, cti_pair *pair, int *out_feature);
/* cti_pair_offset -- p_a - p_b at positions x with the pair's weights. */
CTI_FN cti_v3 cti_pair_offset(const cti_surface *s, const ct_real *x, const cti_pair *pair);
/* cti_pair_key -- names the features by body and by vertex within it: the same while both bodies live, whatever comes and goes beside them. */
CTI_FN uint64_t cti_pair_key(const cti_surface *s, const cti_pair *pair);
CTI_FN int cti_pair_body_a(const cti_surface *s, const cti_pair *pair);
CTI_FN int cti_pair_body_b(const cti_surface *s, const cti_pair *pair);
/* cti_pair_thickness -- distance that the pair keeps; within one body at most half of its rest distance. */
CTI_FN ct_real cti_pair_thickness(const cti_surface *s, const cti_pair *pair);


/* ---- 7_contact/surface.c ---- */
/* surface.c -- the surface layer: attachments, feature pairs, their distances and thickness. Method: every pair, whatever its kind, is a
   signed combination of at most four surface vertices. Based on: Otaduy 2009, sec. 3.2; lecture notes 4.3. */

CTI_FN void cti_surface_free(cti_mem *mem, cti_surface *s)
{
    cti_broad_free(mem, &s->broad);
    CTI_FREE(mem, s->attach);
    CTI_FREE(mem, s->body_of);
    CTI_FREE(mem, s->edges);
    CTI_FREE(mem, s->faces);
    CTI_FREE(mem, s->face_edges);
    CTI_FREE(mem, s->edge_faces);
    CTI_FREE(mem, s->vertex_start);
    CTI_FREE(mem, s->vertex_next);
    CTI_FREE(mem, s->vertex_owner);
    CTI_FREE(mem, s->edge_owner);
    CTI_FREE(mem, s->is_point);
    CTI_FREE(mem, s->rest);
    CTI_FREE(mem, s->x0);
    CTI_FREE(mem, s->x1);
    CTI_FREE(mem, s->bodies);
    CTI_FREE(mem, s->ranges);
    CTI_FREE(mem, s->planes);
    memset(s, 0, sizeof *s);
}

CTI_FN int cti_surface_neighbours(cti_mem *mem, cti_surface *s)
{
    int i, k, v;
    if (!CTI_RESIZE(mem, s->vertex_start, s->nv + 2) || !CTI_RESIZE(mem, s->vertex_next, 2 * s->ne))
        return 0;
    memset(s->vertex_start, 0, sizeof(int32_t) * (size_t)(s->nv + 2));
    for (i = 0; i < 2 * s->ne; i++)
        s->vertex_start[s->edges[i] + 2]++;
    for (v = 0; v <= s->nv; v++)
        s->vertex_start[v + 1] += s->vertex_start[v];
    /* entry v + 1 runs from the start of v to its end, which is the start of v + 1 */
    for (i = 0; i < s->ne; i++)
        for (k = 0; k < 2; k++)
            s->vertex_next[s->vertex_start[s->edges[2 * i + k] + 1]++] = s->edges[2 * i + 1 - k];
    return 1;
}

CTI_FN void cti_surface_place(const cti_surface *s, const ct_real *q, ct_real *out)
{
    int i, k;
    for (i = 0; i < s->nv; i++) {
        const cti_attach *a = &s->attach[i];
        cti_v3 p = cti_v3_zero();
        if (a->n == 0)
            p = cti_v3_at(s->x0, i);
        else if (a->n == 1 && a->weight[0] == 1)
            p = cti_v3_at(q, a->block[0]);
        else
            for (k = 0; k < a->n; k++)
                p = cti_v3_mad(p, cti_v3_at(q, a->block[k]), a->weight[k]);
        cti_v3_put(out, i, p);
    }
}

CTI_FN ct_real cti_surface_pair_thickness(const cti_surface *s, int body_a, int body_b)
{
    return (s->bodies[body_a].thickness + s->bodies[body_b].thickness) / 2;
}

CTI_FN void cti_pair_make(const cti_surface *s, ct_pair_kind kind, int a, int b, cti_pair *out)
{
    const int32_t *f;
    memset(out, 0, sizeof *out);
    out->kind = (int32_t)kind;
    out->n_a = 1;
    out->v[0] = a;
    if (kind == CT_PAIR_VF) {
        f = s->faces + 3 * (size_t)b;
        out->n = 4, out->v[1] = f[0], out->v[2] = f[1], out->v[3] = f[2];
    } else if (kind == CT_PAIR_EE) {
        f = s->edges + 2 * (size_t)a;
        out->n_a = 2, out->n = 4, out->v[0] = f[0], out->v[1] = f[1];
        f = s->edges + 2 * (size_t)b;
        out->v[2] = f[0], out->v[3] = f[1];
    } else if (kind == CT_PAIR_VE) {
        f = s->edges + 2 * (size_t)b;
        out->n = 3, out->v[1] = f[0], out->v[2] = f[1];
    } else if (kind == CT_PAIR_VV) {
        out->n = 2, out->v[1] = b;
    } else {
        out->n = 1, out->plane = b;
    }
}

CTI_FN ct_real cti_pair_closest(const cti_surface *s, const ct_real *x, cti_pair *pair, int *out_feature)
{
    const ct_real *p[4];
    ct_real t[3], d2;
    int k, feature = 0;
    for (k = 0; k < pair->n; k++)
        p[k] = x + 3 * (size_t)pair->v[k];
    pair->w[0] = 1;
    if (pair->kind == CT_PAIR_VF) {
        d2 = cti_dist_pt(p[0], p[1], p[2], p[3], t, &feature);
        pair->w[1] = -t[0], pair->w[2] = -t[1], pair->w[3] = -t[2];
    } else if (pair->kind == CT_PAIR_EE) {
        d2 = cti_dist_ee(p[0], p[1], p[2], p[3], t, &feature);
        pair->w[0] = 1 - t[0], pair->w[1] = t[0], pair->w[2] = t[1] - 1, pair->w[3] = -t[1];
    } else if (pair->kind == CT_PAIR_VE) {
        d2 = cti_dist_pe(p[0], p[1], p[2], t, &feature);
        pair->w[1] = t[0] - 1, pair->w[2] = -t[0];
    } else if (pair->kind == CT_PAIR_VV) {
        d2 = cti_dist_pp(p[0], p[1]);
        pair->w[1] = -1;
    } else {
        const cti_plane *pl = &s->planes[pair->plane];
        *out_feature = 0;
        return cti_v3_dot(cti_v3_at(pl->normal, 0), cti_v3_at(p[0], 0)) - pl->offset;
    }
    *out_feature = feature;
    return cti_sqrt(d2);
}

CTI_FN cti_v3 cti_pair_offset(const cti_surface *s, const ct_real *x, const cti_pair *pair)
{
    cti_v3 r = cti_v3_zero(), o = cti_v3_at(x, pair->v[0]);
    int k;
    if (pair->kind == CT_PAIR_PLANE) {
        const cti_plane *pl = &s->planes[pair->plane];
        cti_v3 n = cti_v3_at(pl->normal, 0);
        return cti_v3_mul(n, cti_v3_dot(n, o) - pl->offset);
    }
    /* weights sum to zero: positions relative to the first one lose no digits far from the origin */
    for (k = 0; k < pair->n; k++)
        r = cti_v3_mad(r, cti_v3_sub(cti_v3_at(x, pair->v[k]), o), pair->w[k]);
    return r;
}

static uint64_t cti_surface_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 29);
}

CTI_FN uint64_t cti_pair_key(const cti_surface *s, const cti_pair *pair)
{
    /* a strong mix of kind, bodies and the vertices within them: 64 bits, deterministic */
    uint64_t h = 0x9e3779b97f4a7c15ull ^ ((uint64_t)(uint32_t)pair->kind << 40);
    int k;
    h = cti_surface_mix(h, s->bodies[cti_pair_body_a(s, pair)].id);
    h = cti_surface_mix(h, s->bodies[cti_pair_body_b(s, pair)].id);
    for (k = 0; k < pair->n; k++)
        h = cti_surface_mix(h, (uint64_t)(uint32_t)(pair->v[k] - s->ranges[s->body_of[pair->v[k]]].v0) + 1);
    h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 32);
}

CTI_FN int cti_pair_body_a(const cti_surface *s, const cti_pair *pair) { return s->body_of[pair->v[0]]; }

CTI_FN int cti_pair_body_b(const cti_surface *s, const cti_pair *pair)
{
    return pair->kind == CT_PAIR_PLANE ? s->planes[pair->plane].body : s->body_of[pair->v[pair->n_a]];
}

CTI_FN ct_real cti_pair_thickness(const cti_surface *s, const cti_pair *pair)
{
    int a = cti_pair_body_a(s, pair), b = cti_pair_body_b(s, pair), feature;
    ct_real h = cti_surface_pair_thickness(s, a, b);
    if (a == b && pair->kind != CT_PAIR_PLANE) {
        cti_pair q = *pair;
        h = cti_min(h, cti_pair_closest(s, s->rest, &q, &feature) / 2);
    }
    return h;
}

/* ---- 7_contact/contact.h ---- */
/* contact.h (floor 7) -- contact memory: what a feature pair remembers from step to step. */


/* cti_memory_item -- multipliers as a world vector (they are rotated into the new frame) and the slip since the contact began to stick. */
typedef struct cti_memory_item {
    uint64_t key;
    ct_real impulse[3]; /* total contact impulse on side a [N s], world axes */
    ct_real normal[3];
    ct_real slip[3];    /* [m], world axes */
    ct_real rest;       /* gap that the contact is held at [m]: at most 0 */
} cti_memory_item;

/* cti_memory -- open addressing by key, rebuilt every step. */
typedef struct cti_memory {
    cti_memory_item *items;
    int32_t *table; /* [power of two] index + 1 */
} cti_memory;

CTI_FN void cti_memory_free(cti_mem *mem, cti_memory *m);
CTI_FN const cti_memory_item *cti_memory_find(const cti_memory *m, uint64_t key);
CTI_FN void cti_memory_clear(cti_memory *m);
/* cti_memory_add -- keys are unique: a key that is there is overwritten. 0 when memory ran out (the item is lost, nothing else). */
CTI_FN int cti_memory_add(cti_mem *mem, cti_memory *m, const cti_memory_item *item);


/* ---- 7_contact/contact.c ---- */
/* contact.c -- contact memory by feature ids. Method: a hash table with linear probing over an array in insertion order, so that walking it
   is deterministic. */

CTI_FN void cti_memory_free(cti_mem *mem, cti_memory *m)
{
    CTI_FREE(mem, m->items);
    CTI_FREE(mem, m->table);
}

CTI_FN const cti_memory_item *cti_memory_find(const cti_memory *m, uint64_t key)
{
    uint32_t mask = (uint32_t)CTI_LEN(m->table) - 1, i = (uint32_t)key & mask;
    if (!m->table)
        return NULL;
    for (; m->table[i]; i = (i + 1) & mask)
        if (m->items[m->table[i] - 1].key == key)
            return &m->items[m->table[i] - 1];
    return NULL;
}

CTI_FN void cti_memory_clear(cti_memory *m)
{
    CTI_CLEAR(m->items);
    if (m->table)
        memset(m->table, 0, sizeof(int32_t) * (size_t)CTI_LEN(m->table));
}

static void cti_memory_insert(cti_memory *m, int index)
{
    uint32_t mask = (uint32_t)CTI_LEN(m->table) - 1, i = (uint32_t)m->items[index].key & mask;
    while (m->table[i])
        i = (i + 1) & mask;
    m->table[i] = index + 1;
}

CTI_FN int cti_memory_add(cti_mem *mem, cti_memory *m, const cti_memory_item *item)
{
    const cti_memory_item *found = cti_memory_find(m, item->key);
    int i, n = CTI_LEN(m->items), size = CTI_LEN(m->table);
    if (found) {
        m->items[found - m->items] = *item;
        return 1;
    }
    if (!CTI_PUSH(mem, m->items, *item))
        return 0;
    if (2 * (n + 1) <= size) {
        cti_memory_insert(m, n);
        return 1;
    }
    size = size < 64 ? 64 : 2 * size;
    if (!CTI_RESIZE(mem, m->table, size)) {
        stbds_header(m->items)->length--;
        return 0;
    }
    memset(m->table, 0, sizeof(int32_t) * (size_t)size);
    for (i = 0; i <= n; i++)
        cti_memory_insert(m, i);
    return 1;
}

/* ---- 7_contact/rows.h ---- */
/* rows.h -- from a feature pair to a row of the contact problem: normal, gap, attachments, friction, memory. */


/* cti_row_context -- what rows need to know of the step. */
typedef struct cti_row_context {
    const cti_surface *surface;
    const uint8_t *fixed;     /* [n blocks] 1: all three axes are scripted */
    const ct_real *v_fixed;   /* [3 n] scripted velocity of fixed blocks, 0 elsewhere [m/s] */
    const ct_real *inv_mass;  /* [n] 1/kg, 0 for fixed blocks */
    const cti_bsr *A;         /* of this step */
    const cti_memory *memory;
    ct_real dt, dt_memory;    /* of this step; of the step that the memory's impulses come from */
    ct_real recovery_speed;   /* cap of easing apart [m/s]; 0: none */
} cti_row_context;

/* cti_contact_row -- a row and where it comes from. */
typedef struct cti_contact_row {
    cti_pair pair;
    ct_real thickness;
    ct_real gap0;  /* along the normal at the start of the step, less the thickness */
    ct_real slip[3]; /* remembered slip that the stick target undoes [m] */
    ct_real rest;    /* gap that the hard law holds where gap0 < 0 [m] */
    int fresh;     /* not solved yet */
} cti_contact_row;

/* cti_rows_build -- fills row and origin for `pair` with weights set and unit normal n (from b to a), gap measured at x0. Returns 0 when no
   unknown takes part (nothing to solve). twin > 0 tells apart several rows of one pair. */
CTI_FN int cti_rows_build(const cti_row_context *c, const cti_pair *pair, cti_v3 n, int twin, cti_row *row, cti_contact_row *origin);

/* cti_rows_remember -- memory of the next step from the solved rows; v [3 blocks] the solution. 0 when memory ran out. */
CTI_FN int cti_rows_remember(cti_mem *mem, const cti_row_context *c, const cti_row *rows, const cti_contact_row *origins, int n, const ct_real *v,
                             cti_memory *out);


/* ---- 7_contact/rows.c ---- */
/* rows.c -- rows of the contact problem.
   Method: g(p) = n . (p_a - p_b) - h >= 0 linearized with constant normal and weights (Otaduy 2009, eq. 4-5), J v >= -g0/dt. A row with
   g0 < 0 is hard only against approach; its recovery acts through compliance. Stick is held at position level: the tangential target is
   -slip/dt, slip counted since stick onset, so that solver error does not add up to creep. */

#define CTI_ROWS_HOLD CTI_R(0.01) /* share of the thickness that a loaded contact may sink and is taken back by the hard law */
#define CTI_ROWS_STICK CTI_R(1e-4) /* tangential compliance, of the free nodes' inverse mass */
#define CTI_ROWS_SETTLE CTI_R(3e-6) /* normal compliance, of the free nodes' inverse mass */
#define CTI_ROWS_SETTLE_OWN CTI_R(2e-4) /* and of what the blocks alone answer with, at most */
#define CTI_ROWS_EASE CTI_R(0.2) /* share of a missing gap that is recovered in a step */

static void cti_rows_terms(const cti_row_context *c, const cti_pair *pair, cti_row *row, cti_v3 *scripted)
{
    int k, j;
    *scripted = cti_v3_zero();
    for (k = 0; k < pair->n; k++) {
        const cti_attach *a = &c->surface->attach[pair->v[k]];
        for (j = 0; j < a->n; j++) {
            ct_real w = pair->w[k] * a->weight[j];
            int b = a->block[j];
            cti_term *t;
            if (w == 0)
                continue;
            if (c->fixed[b]) {
                cti_v3 vb = cti_v3_at(c->v_fixed, b);
                *scripted = cti_v3_mad(*scripted, vb, w);
                continue;
            }
            if (row->n == CTI_ROW_TERMS)
                continue;
            t = &row->term[row->n++];
            t->block = b;
            t->weight = w;
            if (k < pair->n_a)
                row->n_a = row->n;
        }
    }
}

/* the frame and start multipliers: the impulse of the last step is a world vector and is rotated into this frame */
static void cti_rows_recall(const cti_row_context *c, uint64_t key, cti_v3 n, cti_row *row, cti_contact_row *origin)
{
    const cti_memory_item *m = cti_memory_find(c->memory, key);
    cti_v3 imp, slip, r;
    ct_real scale;
    if (!m)
        return;
    imp = cti_v3_at(m->impulse, 0);
    if (cti_v3_dot(cti_v3_at(m->normal, 0), n) < CTI_R(0.5))
        return;
    scale = c->dt_memory > 0 ? c->dt / c->dt_memory : 1;
    r = cti_m3_mul_v(row->frame, cti_v3_mul(imp, scale));
    row->r[0] = cti_max(0, r.x);
    row->r[1] = row->mu > 0 ? r.y : 0;
    row->r[2] = row->mu > 0 ? r.z : 0;
    cti_cone_project(CT_CONE_CONE, row->mu * row->r[0], &row->r[1], &row->r[2]);
    slip = cti_v3_at(m->slip, 0);
    slip = cti_v3_mad(slip, n, -cti_v3_dot(slip, n));
    cti_v3_put(origin->slip, 0, slip);
    origin->rest = m->rest;
}

CTI_FN int cti_rows_build(const cti_row_context *c, const cti_pair *pair, cti_v3 n, int twin, cti_row *row, cti_contact_row *origin)
{
    const cti_surface *s = c->surface;
    int a = cti_pair_body_a(s, pair), b = cti_pair_body_b(s, pair), k;
    cti_v3 t1, t2, scripted, slip;
    ct_real soft = 0, own = 0;
    memset(row, 0, sizeof *row);
    memset(origin, 0, sizeof *origin);
    origin->pair = *pair;
    origin->thickness = cti_pair_thickness(s, pair);
    origin->gap0 = cti_v3_dot(n, cti_pair_offset(s, s->x0, pair)) - origin->thickness;
    origin->rest = origin->gap0;
    cti_rows_terms(c, pair, row, &scripted);
    if (row->n == 0)
        return 0;
    cti_v3_tangents(n, &t1, &t2);
    cti_v3_put(row->frame, 0, n);
    cti_v3_put(row->frame, 1, t1);
    cti_v3_put(row->frame, 2, t2);
    row->mu = cti_sqrt(s->bodies[a].friction * s->bodies[b].friction);
    row->key = cti_pair_key(s, pair) + (uint64_t)twin;
    if (twin == 0)
        cti_rows_recall(c, row->key, n, row, origin);
    slip = cti_v3_at(origin->slip, 0);
    for (k = 0; k < row->n; k++) {
        int block = row->term[k].block;
        const ct_real *D = c->A->val + 9 * (size_t)c->A->diag[block];
        ct_real w2 = row->term[k].weight * row->term[k].weight, trace = D[0] + D[4] + D[8];
        soft += w2 * c->inv_mass[block];
        own += trace > 0 ? 3 * w2 / trace : 0;
    }
    /* w: scripted motion, g0/dt where the gap is open, the stick target */
    row->w[0] = cti_v3_dot(n, scripted);
    row->w[1] = cti_v3_dot(t1, scripted) + cti_v3_dot(t1, slip) / c->dt;
    row->w[2] = cti_v3_dot(t2, scripted) + cti_v3_dot(t2, slip) / c->dt;
    if (origin->gap0 >= 0) {
        row->w[0] += origin->gap0 / c->dt;
        origin->rest = 0;
    } else {
        /* differs: the hard law takes back what the contact sank below the gap that it rested at, at most a hundredth of the thickness, so
           that a loaded contact does not sink by solver error and is not lifted either */
        origin->rest = cti_clamp(origin->rest, origin->gap0, cti_min(0, origin->gap0 + CTI_ROWS_HOLD * origin->thickness));
        row->w[0] -= CTI_ROWS_EASE * (origin->rest - origin->gap0) / c->dt;
        row->recover = -CTI_ROWS_EASE * origin->gap0 / c->dt;
        if (c->recovery_speed > 0)
            row->recover = cti_min(row->recover, c->recovery_speed);
        row->softness = soft;
    }
    /* stick is a stiff spring of c gamma dt, far below the thickness: several contacts at one point may remember different slips, and without
       compliance their multipliers would drift apart without end */
    row->compliance[1] = row->compliance[2] = soft * CTI_ROWS_STICK;
    /* two contacts at one place with gaps that differ by a rounding ask for one multiplier to wander to the other: a compliance below what the
       tolerance resolves settles it, and keeps rows to scripted surfaces from contradicting each other without bound */
    row->compliance[0] = cti_min(soft * CTI_ROWS_SETTLE, own * CTI_ROWS_SETTLE_OWN);
    return 1;
}

CTI_FN int cti_rows_remember(cti_mem *mem, const cti_row_context *c, const cti_row *rows, const cti_contact_row *origins, int n, const ct_real *v,
                             cti_memory *out)
{
    int i;
    cti_memory_clear(out);
    for (i = 0; i < n; i++) {
        const cti_row *row = &rows[i];
        cti_memory_item item;
        ct_real u[3], t2 = row->r[1] * row->r[1] + row->r[2] * row->r[2], bound = row->mu * row->r[0];
        cti_v3 slip = cti_v3_zero();
        if (!(row->r[0] > 0))
            continue;
        memset(&item, 0, sizeof item);
        cti_row_velocity(row, v, u);
        /* u_t = motion + slip/dt: what is left of it is the new slip, while the contact sticks */
        if (t2 < bound * bound * CTI_R(0.9999))
            slip = cti_m3_mul_tv(row->frame, cti_v3_make(0, u[1] * c->dt, u[2] * c->dt));
        item.key = row->key;
        cti_v3_put(item.slip, 0, slip);
        cti_v3_put(item.normal, 0, cti_v3_at(row->frame, 0));
        cti_v3_put(item.impulse, 0, cti_m3_mul_tv(row->frame, cti_v3_make(row->r[0], row->r[1], row->r[2])));
        item.rest = origins[i].rest;
        if (!cti_memory_add(mem, out, &item))
            return 0;
    }
    return 1;
}

/* ---- 7_contact/detect.h ---- */
/* detect.h -- candidates over a linear motion, pairs that are near, pairs that collide. */


/* cti_list -- candidates of one kind with what is known of them at x0. */
typedef struct cti_list {
    int32_t *pairs;    /* [2 n] feature numbers, canonical order, from the trees */
    int32_t *quads;    /* [4 n] surface vertices */
    ct_real *d2;       /* [n] squared distance at x0 */
    ct_real *w;        /* VF [3 n] barycentrics of the face; EE [2 n] parameters */
    int32_t *feature;  /* [n] as in dist.h */
    ct_real *min_sep;  /* [n] distance that the step must not undercut */
} cti_list;

typedef struct cti_hit {
    cti_pair pair;  /* weights at the time of impact */
    cti_v3 normal;
    ct_real toi;
    int flat;       /* edge-edge with a flat edge: nothing new while vertex-face pairs of the same surfaces collide too */
} cti_hit;

typedef struct cti_detect {
    cti_list vf, ee;
    int32_t *ve, *vv;        /* codimensional candidates [2 n] */
    ct_real *lo, *hi;        /* [6 nv] the lists are complete while each vertex starts in its first box and ends in its second */
    ct_real *toi;            /* scratch [n] */
    uint8_t *tangled;        /* [nv] 1: vertex of a pair that intersects at the start; such pairs are left out */
    int n_tangled;           /* vertices */
    int valid;               /* lists were made for the present topology */
    int n_queries;           /* broad-phase queries in this step */
} cti_detect;

CTI_FN void cti_detect_free(cti_mem *mem, cti_detect *d);

/* cti_detect_cover -- makes the lists complete for the motion x0 -> x1 of the surface; a query of the trees only when some vertex
   leaves what the last one covers. *out_changed 1 when the lists are new. 0 when memory ran out. */
CTI_FN int cti_detect_cover(cti_mem *mem, cti_detect *d, cti_surface *s, const ct_real *x1, int *out_changed);

/* cti_detect_distances -- fills d2, w, feature, min_sep at x0. */
CTI_FN int cti_detect_distances(cti_mem *mem, cti_detect *d, const cti_surface *s);

/* cti_detect_near -- appends to *out the pairs that are, or by x1 will be, closer than their thickness and whose normal at x0 can be trusted;
   one pair for each geometric contact, and every pair that carried load in `memory`. 0 when memory ran out. */
CTI_FN int cti_detect_near(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out);

/* cti_detect_collisions -- appends to *out every candidate that comes nearer than its min_sep on the way from x0 to x1, with normal and
   weights at the time of impact. 0 when memory ran out. */
CTI_FN int cti_detect_collisions(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out);

/* cti_detect_min_distance -- smallest distance at x0 over the candidates and planes, at most cap. */
CTI_FN ct_real cti_detect_min_distance(const cti_detect *d, const cti_surface *s, const ct_real *x, ct_real cap);


/* ---- 7_contact/detect.c ---- */
/* detect.c -- from the trees' candidates to near pairs and collisions.
   Method: one query covers the motion with a slack; its lists serve all rounds of a step and later steps until a vertex leaves what was
   covered. Distances at the start are batched; CCD keeps a positive separation, so that every pair has a normal at its time of impact.
   Rows are culled, candidates never: a feature shared by faces speaks through one owner, end points of edges are vertex-face pairs, and
   edges that are flat wait until CCD finds them. Based on: Otaduy 2009, sec. 3.2 and 4. */

#define CTI_DETECT_NEAR CTI_R(1.25)  /* of the thickness: always a row */
#define CTI_DETECT_TRUST CTI_R(4)    /* of the thickness: a row when the free motion would close the gap */
#define CTI_DETECT_SEP CTI_R(0.25)   /* of the thickness: what CCD keeps */
#define CTI_DETECT_CONE CTI_R(0.02)  /* sine by which a direction may leave a feature's normal cone */
#define CTI_DETECT_FAST CTI_R(16)    /* of the thickness: what goes farther in a step has boxes of their own for start and end */
#define CTI_DETECT_FLAT CTI_R(0.995) /* cosine between the faces of an edge that is called flat */

static void cti_detect_free_list(cti_mem *mem, cti_list *l)
{
    CTI_FREE(mem, l->pairs);
    CTI_FREE(mem, l->quads);
    CTI_FREE(mem, l->d2);
    CTI_FREE(mem, l->w);
    CTI_FREE(mem, l->feature);
    CTI_FREE(mem, l->min_sep);
}

CTI_FN void cti_detect_free(cti_mem *mem, cti_detect *d)
{
    cti_detect_free_list(mem, &d->vf);
    cti_detect_free_list(mem, &d->ee);
    CTI_FREE(mem, d->ve);
    CTI_FREE(mem, d->vv);
    CTI_FREE(mem, d->lo);
    CTI_FREE(mem, d->hi);
    CTI_FREE(mem, d->toi);
    CTI_FREE(mem, d->tangled);
    memset(d, 0, sizeof *d);
}

/* 1 while both ends of every motion stay in the boxes that the lists were made for */
static int cti_detect_covered(const cti_detect *d, const cti_surface *s, const ct_real *x1)
{
    int i, n3 = 3 * s->nv;
    const ct_real *lo0 = d->lo, *hi0 = d->hi, *lo1, *hi1;
    if (!d->valid || CTI_LEN(d->lo) < 2 * n3)
        return 0;
    lo1 = n3 ? lo0 + n3 : lo0, hi1 = n3 ? hi0 + n3 : hi0;
    for (i = 0; i < n3; i++)
        if (!(s->x0[i] >= lo0[i] && s->x0[i] <= hi0[i] && x1[i] >= lo1[i] && x1[i] <= hi1[i]))
            return 0;
    return 1;
}

/* what the lists will cover of a body's motion: a slow one by a box that holds both ends of a vertex's path, so that contact may stop it
   anywhere and the next steps may go on; a fast one by a box at either end, for then what its features do together brings none of them
   nearer to another, and contact that stops it asks again. The slack is twice the thickness, or a quarter of a slow motion */
static void cti_detect_boxes(cti_detect *d, cti_surface *s, int body, const ct_real *x1)
{
    cti_soup_body *r = &s->ranges[body];
    int i, n3 = 3 * s->nv;
    ct_real big = 0, h = s->bodies[body].thickness, slack = 0;
    for (i = 3 * r->v0; i < 3 * r->v1; i++)
        big = cti_max(big, cti_abs(x1[i] - s->x0[i]));
    r->swept = big <= CTI_DETECT_FAST * h;
    if (s->bodies[body].dynamic)
        slack = r->swept ? cti_max(2 * h, big / 4) : 2 * h;
    /* trees' boxes grow by the slack, and by the distance at which a pair is near: thickness on either side */
    r->inflate = CTI_DETECT_TRUST / 2 * h + slack;
    for (i = 3 * r->v0; i < 3 * r->v1; i++) {
        ct_real a = s->x0[i], b = x1[i], lo = cti_min(a, b), hi = cti_max(a, b);
        d->lo[i] = (r->swept ? lo : a) - slack, d->hi[i] = (r->swept ? hi : a) + slack;
        d->lo[n3 + i] = (r->swept ? lo : b) - slack, d->hi[n3 + i] = (r->swept ? hi : b) + slack;
    }
}

static int cti_detect_quads(cti_mem *mem, cti_list *l, const cti_surface *s, int edges)
{
    int n = CTI_LEN(l->pairs) / 2, i, k;
    if (!CTI_RESIZE(mem, l->quads, 4 * n))
        return 0;
    for (i = 0; i < n; i++) {
        int a = l->pairs[2 * i], b = l->pairs[2 * i + 1];
        int32_t *q = l->quads + 4 * (size_t)i;
        if (edges)
            q[0] = s->edges[2 * a], q[1] = s->edges[2 * a + 1], q[2] = s->edges[2 * b], q[3] = s->edges[2 * b + 1];
        else
            for (q[0] = a, k = 0; k < 3; k++)
                q[k + 1] = s->faces[3 * b + k];
    }
    return 1;
}

CTI_FN int cti_detect_cover(cti_mem *mem, cti_detect *d, cti_surface *s, const ct_real *x1, int *out_changed)
{
    int b;
    *out_changed = 0;
    if (cti_detect_covered(d, s, x1))
        return 1;
    if (!CTI_RESIZE(mem, d->lo, 6 * s->nv) || !CTI_RESIZE(mem, d->hi, 6 * s->nv) || !CTI_RESIZE(mem, d->tangled, s->nv))
        return 0;
    d->valid = 0;
    for (b = 0; b < s->n_bodies; b++)
        cti_detect_boxes(d, s, b, x1);
    CTI_CLEAR(d->vf.pairs);
    CTI_CLEAR(d->ee.pairs);
    CTI_CLEAR(d->ve);
    CTI_CLEAR(d->vv);
    if (!cti_broad_update(mem, &s->broad, &s->soup, s->x0, x1) ||
        !cti_broad_pairs(mem, &s->broad, &s->soup, &d->vf.pairs, &d->ee.pairs, &d->ve, &d->vv))
        return 0;
    if (!cti_detect_quads(mem, &d->vf, s, 0) || !cti_detect_quads(mem, &d->ee, s, 1))
        return 0;
    d->valid = 1;
    d->n_queries++;
    *out_changed = 1;
    return 1;
}

static int cti_detect_reserve(cti_mem *mem, cti_list *l, int n, int weights)
{
    return CTI_RESIZE(mem, l->d2, n) && CTI_RESIZE(mem, l->w, n * weights) && CTI_RESIZE(mem, l->feature, n) && CTI_RESIZE(mem, l->min_sep, n);
}

/* separation that CCD keeps: a quarter of the pair's thickness, or half of a distance that is smaller */
static ct_real cti_detect_separation(const cti_surface *s, const int32_t *q, int second, ct_real d)
{
    ct_real h = cti_surface_pair_thickness(s, s->body_of[q[0]], s->body_of[q[second]]);
    return cti_min(CTI_DETECT_SEP * h, d / 2);
}

CTI_FN int cti_detect_distances(cti_mem *mem, cti_detect *d, const cti_surface *s)
{
    int n = CTI_LEN(d->vf.pairs) / 2, m = CTI_LEN(d->ee.pairs) / 2, i;
    if (!cti_detect_reserve(mem, &d->vf, n, 3) || !cti_detect_reserve(mem, &d->ee, m, 2) || !CTI_RESIZE(mem, d->toi, cti_max_int(n, m)))
        return 0;
    if (n)
        cti_dist_pt_batch(s->x0, d->vf.quads, n, d->vf.d2, d->vf.w, d->vf.feature);
    if (m)
        cti_dist_ee_batch(s->x0, d->ee.quads, m, d->ee.d2, d->ee.w, d->ee.feature);
    for (i = 0; i < n; i++)
        d->vf.min_sep[i] = cti_detect_separation(s, d->vf.quads + 4 * (size_t)i, 1, cti_sqrt(d->vf.d2[i]));
    for (i = 0; i < m; i++)
        d->ee.min_sep[i] = cti_detect_separation(s, d->ee.quads + 4 * (size_t)i, 2, cti_sqrt(d->ee.d2[i]));
    return 1;
}

static int cti_detect_is_tangled(const cti_detect *d, const int32_t *v, int n)
{
    int k;
    if (d->n_tangled == 0)
        return 0;
    for (k = 0; k < n; k++)
        if (!d->tangled[v[k]])
            return 0;
    return 1;
}

/* ---- near pairs ---- */

static cti_v3 cti_detect_face_normal(const cti_surface *s, int f)
{
    const int32_t *t = s->faces + 3 * (size_t)f;
    cti_v3 a = cti_v3_at(s->x0, t[0]);
    return cti_v3_unit(cti_v3_cross(cti_v3_sub(cti_v3_at(s->x0, t[1]), a), cti_v3_sub(cti_v3_at(s->x0, t[2]), a)), cti_v3_zero());
}

/* a flat edge: both faces there and nearly in one plane */
static int cti_detect_flat(const cti_surface *s, int e)
{
    int f0 = s->edge_faces[2 * e], f1 = s->edge_faces[2 * e + 1];
    if (f0 < 0 || f1 < 0)
        return 0;
    return cti_v3_dot(cti_detect_face_normal(s, f0), cti_detect_face_normal(s, f1)) > CTI_DETECT_FLAT;
}

/* 1 when a point that lies off edge e in the unit direction n has its closest point on the edge and not inside of one of its faces */
static int cti_detect_edge_cone(const cti_surface *s, int e, cti_v3 n)
{
    int k, j;
    cti_v3 a = cti_v3_at(s->x0, s->edges[2 * e]), t = cti_v3_unit(cti_v3_sub(cti_v3_at(s->x0, s->edges[2 * e + 1]), a), cti_v3_zero());
    for (k = 0; k < 2; k++) {
        int f = s->edge_faces[2 * e + k];
        cti_v3 c;
        if (f < 0)
            continue;
        for (j = 0; j < 2 && (s->faces[3 * f + j] == s->edges[2 * e] || s->faces[3 * f + j] == s->edges[2 * e + 1]); j++) {
        }
        c = cti_v3_sub(cti_v3_at(s->x0, s->faces[3 * f + j]), a);
        c = cti_v3_unit(cti_v3_mad(c, t, -cti_v3_dot(c, t)), cti_v3_zero());
        if (cti_v3_dot(n, c) > CTI_DETECT_CONE)
            return 0;
    }
    return 1;
}

/* 1 when no edge at vertex v leads nearer to what lies off it in the unit direction n */
static int cti_detect_vertex_cone(const cti_surface *s, int v, cti_v3 n)
{
    int k;
    cti_v3 x = cti_v3_at(s->x0, v);
    for (k = s->vertex_start[v]; k < s->vertex_start[v + 1]; k++)
        if (cti_v3_dot(n, cti_v3_unit(cti_v3_sub(cti_v3_at(s->x0, s->vertex_next[k]), x), cti_v3_zero())) > CTI_DETECT_CONE)
            return 0;
    return 1;
}

/* a vertex against an edge or a vertex of a face makes a row when each is the nearest of its neighbourhood to the other: a flat mesh that
   is seen from an edge sliding over it has no such vertex, and must not stop it */
static int cti_detect_is_ghost(const cti_surface *s, const cti_pair *pair, int edge_b, cti_v3 n)
{
    int k;
    if (edge_b >= 0)
        return !cti_detect_edge_cone(s, edge_b, n) || !cti_detect_vertex_cone(s, pair->v[0], cti_v3_mul(n, -1));
    for (k = 1; k < 4; k++)
        if (pair->w[k] == -1)
            return !cti_detect_vertex_cone(s, pair->v[k], n) || !cti_detect_vertex_cone(s, pair->v[0], cti_v3_mul(n, -1));
    return 0;
}

/* 1 when this face speaks for the feature on which the closest point lies */
static int cti_detect_speaks(const cti_surface *s, int face, int feature)
{
    if (feature < 3)
        return s->vertex_owner[s->faces[3 * face + feature]] == face;
    if (feature < 6)
        return s->edge_owner[s->face_edges[3 * face + feature - 3]] == face;
    return 1;
}

/* appends the pair when it is near, or will be, and its direction lies in the normal cones of the edges it is on (-1: on none) */
static int cti_detect_offer(cti_mem *mem, const cti_surface *s, const ct_real *x1, const cti_memory *memory, const cti_pair *pair, int edge_a, int edge_b, ct_real dist,
                            cti_hit **out)
{
    int loaded = 0;
    cti_hit hit;
    cti_v3 off;
    ct_real h = cti_pair_thickness(s, pair), end;
    if (dist > CTI_DETECT_TRUST * h)
        return 1;
    hit.pair = *pair;
    hit.toi = 0;
    hit.flat = 0;
    if (pair->kind == CT_PAIR_PLANE)
        hit.normal = cti_v3_at(s->planes[pair->plane].normal, 0);
    else {
        off = cti_pair_offset(s, s->x0, pair);
        if (!(cti_v3_norm2(off) > 0))
            return 1;
        hit.normal = cti_v3_unit(off, cti_v3_make(0, 1, 0));
    }
    if (memory && (pair->kind == CT_PAIR_EE || pair->kind == CT_PAIR_VF))
        loaded = cti_memory_find(memory, cti_pair_key(s, pair)) != NULL;
    if (!loaded && pair->kind == CT_PAIR_EE && (!cti_detect_edge_cone(s, edge_b, hit.normal) || !cti_detect_edge_cone(s, edge_a, cti_v3_mul(hit.normal, -1))))
        return 1;
    if (!loaded && pair->kind == CT_PAIR_VF && dist > h / 2 && cti_detect_is_ghost(s, pair, edge_b, hit.normal))
        return 1;
    end = cti_v3_dot(hit.normal, cti_pair_offset(s, x1, pair));
    if (dist > CTI_DETECT_NEAR * h && end > h)
        return 1;
    return CTI_PUSH(mem, *out, hit);
}

static int cti_detect_near_faces(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    int n = CTI_LEN(d->vf.pairs) / 2, i;
    cti_pair pair;
    for (i = 0; i < n; i++) {
        const ct_real *w = d->vf.w + 3 * (size_t)i;
        ct_real sep = d->vf.min_sep[i] * (CTI_DETECT_TRUST / CTI_DETECT_SEP);
        /* min_sep is a quarter of the thickness unless the pair is nearer than half of it, and then it is near anyway */
        if (d->vf.d2[i] > sep * sep && d->vf.d2[i] > 4 * d->vf.min_sep[i] * d->vf.min_sep[i] * CTI_R(1.0001))
            continue;
        if (!cti_detect_speaks(s, d->vf.pairs[2 * i + 1], d->vf.feature[i]) || cti_detect_is_tangled(d, d->vf.quads + 4 * (size_t)i, 4))
            continue;
        cti_pair_make(s, CT_PAIR_VF, d->vf.pairs[2 * i], d->vf.pairs[2 * i + 1], &pair);
        pair.w[0] = 1, pair.w[1] = -w[0], pair.w[2] = -w[1], pair.w[3] = -w[2];
        if (!cti_detect_offer(mem, s, x1, memory, &pair, -1, d->vf.feature[i] >= 3 && d->vf.feature[i] < 6 ? s->face_edges[3 * d->vf.pairs[2 * i + 1] + d->vf.feature[i] - 3] : -1,
                              cti_sqrt(d->vf.d2[i]), out))
            return 0;
    }
    return 1;
}

static int cti_detect_near_edges(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    int m = CTI_LEN(d->ee.pairs) / 2, i;
    cti_pair pair;
    for (i = 0; i < m; i++) {
        const ct_real *t = d->ee.w + 2 * (size_t)i;
        ct_real sep = d->ee.min_sep[i] * (CTI_DETECT_TRUST / CTI_DETECT_SEP);
        if (d->ee.feature[i] != 0 || (d->ee.d2[i] > sep * sep && d->ee.d2[i] > 4 * d->ee.min_sep[i] * d->ee.min_sep[i] * CTI_R(1.0001)))
            continue;
        if (cti_detect_is_tangled(d, d->ee.quads + 4 * (size_t)i, 4))
            continue;
        cti_pair_make(s, CT_PAIR_EE, d->ee.pairs[2 * i], d->ee.pairs[2 * i + 1], &pair);
        /* flat edges wait for CCD, unless they carry load or are nearer than half the thickness already */
        if (d->ee.min_sep[i] * d->ee.min_sep[i] * 4 < d->ee.d2[i] * CTI_R(0.999) &&
            (cti_detect_flat(s, d->ee.pairs[2 * i]) || cti_detect_flat(s, d->ee.pairs[2 * i + 1])) &&
            !(memory && cti_memory_find(memory, cti_pair_key(s, &pair))))
            continue;
        pair.w[0] = 1 - t[0], pair.w[1] = t[0], pair.w[2] = t[1] - 1, pair.w[3] = -t[1];
        if (!cti_detect_offer(mem, s, x1, memory, &pair, d->ee.pairs[2 * i], d->ee.pairs[2 * i + 1], cti_sqrt(d->ee.d2[i]), out))
            return 0;
    }
    return 1;
}

/* codimensional pairs and planes: few, or cheap */
static int cti_detect_near_rest(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    int i, k, f;
    cti_pair pair;
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? d->vv : d->ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            ct_real dist;
            cti_pair_make(s, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &pair);
            dist = cti_pair_closest(s, s->x0, &pair, &f);
            if (!cti_detect_offer(mem, s, x1, memory, &pair, -1, -1, dist, out))
                return 0;
        }
    }
    for (k = 0; k < s->n_planes; k++)
        for (i = 0; i < s->nv; i++) {
            if (!s->bodies[s->body_of[i]].dynamic)
                continue;
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &pair);
            pair.w[0] = 1;
            if (!cti_detect_offer(mem, s, x1, memory, &pair, -1, -1, cti_pair_closest(s, s->x0, &pair, &f), out))
                return 0;
        }
    return 1;
}

CTI_FN int cti_detect_near(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, const cti_memory *memory, cti_hit **out)
{
    return cti_detect_near_faces(mem, d, s, x1, memory, out) && cti_detect_near_edges(mem, d, s, x1, memory, out) && cti_detect_near_rest(mem, d, s, x1, memory, out);
}

/* ---- collisions ---- */

/* weights and normal at the time of impact: the pair is still min_sep apart there */
static int cti_detect_impact(const cti_surface *s, const ct_real *x1, cti_hit *hit)
{
    ct_real local[12];
    cti_pair q = hit->pair;
    cti_surface view = *s;
    cti_v3 off;
    int k, feature;
    memset(local, 0, sizeof local);
    for (k = 0; k < q.n; k++) {
        cti_v3 a = cti_v3_at(s->x0, q.v[k]), b = cti_v3_at(x1, q.v[k]);
        cti_v3_put(local, k, cti_v3_mad(a, cti_v3_sub(b, a), hit->toi));
        q.v[k] = k;
    }
    cti_pair_closest(&view, local, &q, &feature);
    off = cti_pair_offset(&view, local, &q);
    for (k = 0; k < q.n; k++)
        hit->pair.w[k] = q.w[k];
    if (!(cti_v3_norm2(off) > 0))
        off = cti_pair_offset(s, s->x0, &hit->pair);
    hit->normal = cti_v3_unit(off, cti_v3_make(0, 1, 0));
    return 1;
}

static int cti_detect_collide_list(cti_mem *mem, cti_detect *d, const cti_list *l, ct_pair_kind kind, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int n = CTI_LEN(l->pairs) / 2, i, hits;
    if (n == 0)
        return 1;
    hits = kind == CT_PAIR_VF ? cti_ccd_vf_batch(s->x0, x1, l->quads, n, l->min_sep, d->toi) : cti_ccd_ee_batch(s->x0, x1, l->quads, n, l->min_sep, d->toi);
    for (i = 0; i < n && hits > 0; i++) {
        cti_hit hit;
        if (d->toi[i] > 1)
            continue;
        hits--;
        if (cti_detect_is_tangled(d, l->quads + 4 * (size_t)i, 4))
            continue;
        cti_pair_make(s, kind, l->pairs[2 * i], l->pairs[2 * i + 1], &hit.pair);
        hit.toi = d->toi[i];
        hit.flat = kind == CT_PAIR_EE && (cti_detect_flat(s, l->pairs[2 * i]) || cti_detect_flat(s, l->pairs[2 * i + 1]));
        cti_detect_impact(s, x1, &hit);
        if (!CTI_PUSH(mem, *out, hit))
            return 0;
    }
    return 1;
}

/* vertex against plane: the gap is linear in time, its end decides */
static int cti_detect_collide_planes(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int i, k, f;
    for (k = 0; k < s->n_planes; k++)
        for (i = 0; i < s->nv; i++) {
            cti_hit hit;
            ct_real g0, g1, sep;
            if (!s->bodies[s->body_of[i]].dynamic || (d->n_tangled && d->tangled[i]))
                continue;
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &hit.pair);
            hit.pair.w[0] = 1;
            g0 = cti_pair_closest(s, s->x0, &hit.pair, &f);
            g1 = cti_pair_closest(s, x1, &hit.pair, &f);
            sep = cti_min(CTI_DETECT_SEP * cti_surface_pair_thickness(s, s->body_of[i], s->planes[k].body), g0 / 2);
            if (g1 >= sep)
                continue;
            hit.toi = g0 > g1 ? cti_clamp((g0 - sep) / (g0 - g1), 0, 1) : 0;
            hit.normal = cti_v3_at(s->planes[k].normal, 0);
            hit.flat = 0;
            if (!CTI_PUSH(mem, *out, hit))
                return 0;
        }
    return 1;
}

static int cti_detect_collide_thin(cti_mem *mem, const cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    int i, k, j, f, on;
    for (k = 0; k < 2; k++) {
        const int32_t *list = k ? d->vv : d->ve;
        for (i = 0; i < CTI_LEN(list) / 2; i++) {
            cti_hit hit;
            ct_real a[9], b[9], sep;
            cti_pair_make(s, k ? CT_PAIR_VV : CT_PAIR_VE, list[2 * i], list[2 * i + 1], &hit.pair);
            sep = cti_min(CTI_DETECT_SEP * cti_surface_pair_thickness(s, cti_pair_body_a(s, &hit.pair), cti_pair_body_b(s, &hit.pair)),
                          cti_pair_closest(s, s->x0, &hit.pair, &f) / 2);
            for (j = 0; j < hit.pair.n; j++) {
                cti_v3_put(a, j, cti_v3_at(s->x0, hit.pair.v[j]));
                cti_v3_put(b, j, cti_v3_at(x1, hit.pair.v[j]));
            }
            on = k ? cti_ccd_vv(a, b, sep, &hit.toi) : cti_ccd_ve(a, b, sep, &hit.toi);
            if (!on || cti_detect_is_tangled(d, hit.pair.v, hit.pair.n))
                continue;
            hit.flat = 0;
            cti_detect_impact(s, x1, &hit);
            if (!CTI_PUSH(mem, *out, hit))
                return 0;
        }
    }
    return 1;
}

CTI_FN int cti_detect_collisions(cti_mem *mem, cti_detect *d, const cti_surface *s, const ct_real *x1, cti_hit **out)
{
    return cti_detect_collide_list(mem, d, &d->vf, CT_PAIR_VF, s, x1, out) && cti_detect_collide_list(mem, d, &d->ee, CT_PAIR_EE, s, x1, out) &&
           cti_detect_collide_thin(mem, d, s, x1, out) && cti_detect_collide_planes(mem, d, s, x1, out);
}

CTI_FN ct_real cti_detect_min_distance(const cti_detect *d, const cti_surface *s, const ct_real *x, ct_real cap)
{
    ct_real best2 = cap * cap, best = cap;
    int i, k, f;
    cti_pair pair;
    for (i = 0; i < CTI_LEN(d->vf.d2); i++)
        best2 = cti_min(best2, d->vf.d2[i]);
    for (i = 0; i < CTI_LEN(d->ee.d2); i++)
        best2 = cti_min(best2, d->ee.d2[i]);
    best = cti_min(best, cti_sqrt(best2));
    for (k = 0; k < s->n_planes; k++)
        for (i = 0; i < s->nv; i++) {
            if (!s->bodies[s->body_of[i]].dynamic)
                continue;
            cti_pair_make(s, CT_PAIR_PLANE, i, k, &pair);
            best = cti_min(best, cti_pair_closest(s, x, &pair, &f));
        }
    return best;
}

/* ---- 8_step/state.h ---- */
/* state.h -- what a step works on: blocks, models, surface, matrix, contact memory. The world owns one; steppers change it only by a commit
   at the end of a step. */


/* cti_pin -- scripted axes of one block: x(t) = center + R(t - t0) (start - center) + linear (t - t0). */
typedef struct cti_pin {
    int32_t block;
    int axes;          /* CT_AXIS_* mask */
    ct_real start[3];
    ct_motion motion;
    double t0, until;  /* until < 0: for ever */
} cti_pin;

/* cti_direction -- a block that moves only in the range of a projector. */
typedef struct cti_direction {
    int32_t block;
    ct_real projector[9];
} cti_direction;

/* cti_component -- blocks that A couples: one body, or a piece of one. Its float factor is a cluster's inverse and a preconditioner; it may
   lag behind A. */
typedef struct cti_component {
    int32_t begin, end;    /* in cti_factors.blocks, sorted */
    int32_t symbolic;      /* index of the shared analysis */
    int32_t patch0, patch1;/* its patches in cti_factors.patches */
    cti_gather gather;
    cti_factor32 factor;
    int age;               /* steps since the factor was computed; -1: none */
    ct_real dt;            /* time step it was computed for */
    int stale;             /* asked for a refresh */
    int running;           /* in the free solve */
    int touched;           /* its island was solved in this round */
    int pressed;           /* it had contacts in the last attempt */
    int split;             /* ports in the last solve when that split it, else 0 */
    int hard;              /* attempts left in which it is one cluster, because nodes did not get anywhere */
    int version;           /* counts computations */
    /* compliance between ports, kept while the factor stands */
    int32_t *port_at;      /* [blocks] position in ports or -1 */
    int32_t *ports;
    float *C;
    int ld, C_version;
    struct cti_factors *owner;
} cti_component;

typedef struct cti_factors {
    cti_component *components;
    cti_symbolic *symbolics;
    uint64_t *hashes;      /* of the symbolics */
    int32_t *blocks;       /* [n] component by component */
    int32_t *component_of; /* [n] */
    int32_t *patch_blocks; /* [n] patch by patch */
    int32_t *patches;      /* [n_patches + 1] starts in patch_blocks */
    float *x, *work;       /* scratch of a solve */
    cti_mem *mem;
    cti_arena *arena;
    int n_refactored;      /* since cleared */
} cti_factors;

typedef struct cti_state {
    cti_mem *mem;
    cti_arena *arena;
    ct_world_desc desc;
    int n;                    /* blocks */
    ct_real *x, *v;           /* [3 n] */
    ct_real *mass, *inv_mass; /* [n] */
    ct_real mass_min;         /* smallest positive mass of a block */
    ct_real *alpha;           /* [n] Rayleigh mass damping [1/s] */
    ct_real *dt_prev;         /* [n] last step of the block; 0 before its first */
    uint8_t *fixed;           /* [n] all axes scripted */
    ct_real *v_fixed;         /* [3 n] scripted velocity */
    int32_t *filter;          /* [n] -1 or index into projectors */
    ct_real *projectors;      /* [9 m] */
    int n_constrained;
    cti_pin *pins;
    cti_direction *directions;
    cti_model **models;
    int n_models;
    cti_surface surface;
    cti_detect detect;
    cti_memory memory;        /* committed; the two others are a step's own */
    cti_memory memory_step[2], memory_none;
    ct_real dt_memory;
    cti_bsr A;
    ct_real *b, *force;       /* [3 n] */
    ct_real *v_free;          /* [3 n] solution without contacts */
    ct_real *dv_free, dt_free;/* [3 n] v_free - v of the last attempt, and its time step */
    ct_real *v_new, *x_new;   /* [3 n] tentative end of the step */
    ct_real *pcg_work;
    cti_factors factors;
    cti_row *rows;            /* of the last solve */
    cti_contact_row *origins;
    ct_real problem_dt, problem_scale; /* of the last solve */
    int has_problem;
    cti_hit *hits;
    int32_t *tangled_pairs;   /* [2 m] edge, face */
    ct_real *x_old, *v_old, *dt_old; /* start of the step, to go back to when memory runs out */
    double time;
    double energy_elastic;
    cti_pair limit;           /* pair that limited the last step; n 0: none */
} cti_state;


/* ---- 8_step/assemble.h ---- */
/* assemble.h -- the linearized implicit step A v = b. */


/* cti_assemble_pins -- fixed, v_fixed, filter, projectors for the step from t to t + dt. 0 when memory ran out. */
CTI_FN int cti_assemble_pins(cti_state *s, ct_real dt);
/* cti_assemble -- A, b at (x, v) for a step dt, filtered for pins. *out_extended: tets whose log J was continued. */
CTI_FN void cti_assemble(cti_state *s, ct_real dt, int *out_extended);


/* ---- 8_step/assemble.c ---- */
/* assemble.c -- linearized implicit Euler.
   Method: A = M (1 + dt alpha) + (dt^2 + dt beta) K, b = M v + dt f(x) + kick M g, one Newton iteration at (x, v) (Otaduy 2009, eq. 2-3).
   differs: gravity kicks by (dt + dt_prev) / 2, so that v lives in the middle of steps (Stoermer-Verlet) and a free fall is exact at every
   dt; dt_prev is 0 in a block's first step. Pins: S A S + (I - S), the inverse mass S / m of Volino & Magnenat-Thalmann 2000, sec. 2.2. */

/* position of a pin's script at its time t */
static cti_v3 cti_assemble_script(const cti_pin *p, ct_real t)
{
    cti_v3 w = cti_v3_at(p->motion.angular, 0), c = cti_v3_at(p->motion.center, 0), r = cti_v3_sub(cti_v3_at(p->start, 0), c), axis;
    ct_real rate = cti_v3_norm(w), co, si;
    if (rate > 0) {
        axis = cti_v3_mul(w, 1 / rate);
        co = cti_cos(rate * t), si = cti_sin(rate * t);
        r = cti_v3_add(cti_v3_mad(cti_v3_mul(r, co), cti_v3_cross(axis, r), si), cti_v3_mul(axis, cti_v3_dot(axis, r) * (1 - co)));
    } else
        r = cti_v3_at(p->start, 0), c = cti_v3_zero();
    return cti_v3_mad(cti_v3_add(r, c), cti_v3_at(p->motion.linear, 0), t);
}

/* room for a projector of this block: its index, -1 when memory ran out */
static int cti_assemble_slot(cti_state *s, int block)
{
    int k = s->n_constrained;
    if (s->filter[block] >= 0)
        return s->filter[block];
    if (!CTI_RESIZE(s->mem, s->projectors, 9 * (k + 1)))
        return -1;
    s->n_constrained++;
    return s->filter[block] = k;
}

/* axes that p holds are taken out of the block's S, which is diagonal so far */
static int cti_assemble_axes(cti_state *s, const cti_pin *p, ct_real dt)
{
    cti_v3 target = cti_assemble_script(p, (ct_real)(s->time - p->t0) + dt);
    int b = p->block, first = s->filter[b] < 0, slot = cti_assemble_slot(s, b), k;
    ct_real t[3], *S;
    if (slot < 0)
        return 0;
    S = s->projectors + 9 * (size_t)slot;
    if (first) {
        memset(S, 0, 9 * sizeof *S);
        S[0] = S[4] = S[8] = 1;
    }
    t[0] = target.x, t[1] = target.y, t[2] = target.z;
    for (k = 0; k < 3; k++)
        if (p->axes & (1 << k)) {
            S[4 * k] = 0;
            s->v_fixed[3 * b + k] = (t[k] - s->x[3 * b + k]) / dt;
        }
    return 1;
}

/* a direction: alone it is S; with pins, S projects on what both leave: the null space of M = (I - P) + (I - D), and v_fixed is the
   velocity in M's range that keeps both, M v = (I - D) v_pins */
static int cti_assemble_direction(cti_state *s, const cti_direction *d)
{
    int b = d->block, first = s->filter[b] < 0, slot = cti_assemble_slot(s, b), i, j, k;
    ct_real M[6], w[3], V[9], *S;
    const ct_real *P = d->projector;
    cti_v3 rhs = cti_v3_at(s->v_fixed, b), v = cti_v3_zero();
    if (slot < 0)
        return 0;
    S = s->projectors + 9 * (size_t)slot;
    if (first) {
        memcpy(S, P, 9 * sizeof *S);
        return 1;
    }
    M[0] = 2 - P[0] - S[0], M[1] = 2 - P[4] - S[4], M[2] = 2 - P[8] - S[8];
    M[3] = -P[5], M[4] = -P[2], M[5] = -P[1];
    cti_eig3(M, w, V);
    memset(S, 0, 9 * sizeof *S);
    for (k = 0; k < 3; k++) {
        cti_v3 e = cti_v3_make(V[k], V[3 + k], V[6 + k]);
        if (w[k] > CTI_R(1e-5)) {
            v = cti_v3_mad(v, e, cti_v3_dot(e, rhs) / w[k]);
            continue;
        }
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                S[3 * i + j] += V[3 * i + k] * V[3 * j + k];
    }
    cti_v3_put(s->v_fixed, b, v);
    return 1;
}

CTI_FN int cti_assemble_pins(cti_state *s, ct_real dt)
{
    int i;
    if (s->n == 0)
        return 1;
    memset(s->fixed, 0, (size_t)s->n);
    memset(s->v_fixed, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n; i++)
        s->filter[i] = -1;
    s->n_constrained = 0;
    for (i = 0; i < CTI_LEN(s->pins); i++) {
        const cti_pin *p = &s->pins[i];
        if (p->axes && !(p->until >= 0 && s->time >= p->until - 1e-9 * (double)dt) && !cti_assemble_axes(s, p, dt))
            return 0;
    }
    for (i = 0; i < CTI_LEN(s->directions); i++)
        if (!cti_assemble_direction(s, &s->directions[i]))
            return 0;
    for (i = 0; i < s->n; i++)
        if (s->filter[i] >= 0) {
            const ct_real *S = s->projectors + 9 * (size_t)s->filter[i];
            s->fixed[i] = (uint8_t)(S[0] == 0 && S[4] == 0 && S[8] == 0);
        }
    return 1;
}

/* rows and columns of constrained blocks: b -= A v_p, A <- S A S + (I - S) scale, b <- S b + scale v_p */
static void cti_assemble_filter(cti_state *s)
{
    cti_bsr *A = &s->A;
    int i, k, e;
    for (i = 0; i < s->n; i++)
        for (k = A->row[i]; k < A->row[i + 1]; k++)
            if (s->filter[A->col[k]] >= 0) {
                cti_v3 d = cti_m3_mul_v(A->val + 9 * (size_t)k, cti_v3_at(s->v_fixed, A->col[k]));
                cti_v3_addto(s->b, i, cti_v3_mul(d, -1));
            }
    for (i = 0; i < s->n; i++) {
        const ct_real *Si = s->filter[i] >= 0 ? s->projectors + 9 * (size_t)s->filter[i] : NULL;
        ct_real *D = A->val + 9 * (size_t)A->diag[i], scale = (D[0] + D[4] + D[8]) / 3;
        for (k = A->row[i]; k < A->row[i + 1]; k++) {
            int j = A->col[k];
            ct_real *B = A->val + 9 * (size_t)k;
            if (Si) {
                cti_m3 m = cti_m3_mul(Si, B);
                memcpy(B, m.m, sizeof m.m);
            }
            if (s->filter[j] >= 0) {
                cti_m3 m = cti_m3_mul(B, s->projectors + 9 * (size_t)s->filter[j]);
                memcpy(B, m.m, sizeof m.m);
            }
        }
        if (!Si)
            continue;
        for (e = 0; e < 9; e++)
            D[e] += scale * ((e % 4 == 0 ? 1 : 0) - Si[e]);
        cti_v3_put(s->b, i, cti_v3_mad(cti_m3_mul_v(Si, cti_v3_at(s->b, i)), cti_v3_at(s->v_fixed, i), scale));
    }
}

CTI_FN void cti_assemble(cti_state *s, ct_real dt, int *out_extended)
{
    int i, k;
    *out_extended = 0;
    s->energy_elastic = 0;
    if (s->n == 0)
        return;
    cti_bsr_zero(&s->A);
    memset(s->force, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < s->n_models; i++)
        cti_model_assemble(s->models[i], s->x, dt, s->force, s->A.val, out_extended, &s->energy_elastic);
    for (i = 0; i < s->n; i++) {
        ct_real *D = s->A.val + 9 * (size_t)s->A.diag[i], m = s->mass[i] * (1 + dt * s->alpha[i]), kick = (dt + s->dt_prev[i]) / 2;
        for (k = 0; k < 3; k++) {
            D[4 * k] += m;
            s->b[3 * i + k] = s->mass[i] * (s->v[3 * i + k] + kick * s->desc.gravity[k]) + dt * s->force[3 * i + k];
        }
    }
    if (s->n_constrained)
        cti_assemble_filter(s);
}

/* ---- 8_step/factors.h ---- */
/* factors.h -- components of the elastic matrix, their float factors, patches, and the clusters that a solve is given. */


/* cti_factors_init -- components of A's graph, shared analyses, patches. Once per topology. 0 when memory ran out. */
CTI_FN int cti_factors_init(cti_mem *mem, cti_arena *arena, cti_factors *f, const cti_bsr *A);
CTI_FN void cti_factors_free(cti_mem *mem, cti_factors *f);

/* cti_factors_refresh -- recomputes the factors that are missing, stale, made for another dt, or that cost no more than some ten solves.
   0 when memory ran out. */
CTI_FN int cti_factors_refresh(cti_factors *f, const cti_bsr *A, ct_real dt);
/* cti_factors_age -- a new matrix: every factor lags one step more. */
CTI_FN void cti_factors_age(cti_factors *f);
/* cti_factors_mark -- asks for new factors of all components whose factor lags. Returns how many were marked. */
CTI_FN int cti_factors_mark(cti_factors *f);

/* cti_factors_harden -- components under these rows that the last solve split into nodes or patches are one cluster for a while, where their
   ports are not too many. Returns 0 when that changes nothing. */
CTI_FN int cti_factors_harden(cti_factors *f, const cti_row *rows, int n_rows);

/* cti_factors_lag -- 1 when some factor is of an earlier step. */
CTI_FN int cti_factors_lag(const cti_factors *f);

/* cti_factors_free_solve -- A x = b by conjugate gradients behind the factors, every component for itself, so that none feels another: each
   stops when sqrt(r' D^-1 r) <= tol[component], at once when x is good enough. work [12 n]. Components that take more than eight iterations
   are marked. 0 when memory ran out. */
CTI_FN int cti_factors_free_solve(cti_factors *f, const cti_bsr *A, const ct_real *b, ct_real *x, const double *tol, int max_it, ct_real *work, int *out_iterations);

/* cti_factors_respond -- v towards A^-1 (b + J' r) on the components under the problem's rows that the last cti_factors_clusters split, by one
   descent behind the factor, two where it lags: what a start's multipliers do to a whole body, which node by node takes sweeps over all of it.
   work [12 n]. */
CTI_FN void cti_factors_respond(cti_factors *f, const cti_problem *p, ct_real *v, ct_real *work);

/* cti_factors_islands -- island [n_rows]: rows that share components, directly or through others, have one number, 0 .. *out_n - 1 in the order of
   their first row. 0 when memory ran out. */
CTI_FN int cti_factors_islands(cti_factors *f, cti_arena *arena, const cti_row *rows, int n_rows, int32_t *island, int *out_n);

/* cti_factors_clusters -- clusters for a contact solve in the arena: AUTO takes bodies where their ports are few, nodes where they are many.
   rows tell the ports; components without any are left out. NULL when memory ran out. */
CTI_FN const cti_cluster *cti_factors_clusters(cti_factors *f, cti_arena *arena, ct_cluster_mode mode, const cti_row *rows, int n_rows, int n_blocks, int *out_n);


/* ---- 8_step/factors.c ---- */
/* factors.c -- clusters of the contact solve and preconditioner of the free solve.
   Method: the graph of A falls into components; equal components share one symbolic analysis; each has a float LDL^T that may lag. A
   component whose contacts touch few blocks is one cluster, and ICA anticipates its whole response; one with many ports falls back to the
   paper's nodes. differs: before nodes relax it, it answers once to the remembered multipliers through its factor. Patches, grown breadth
   first, are there on request. Based on: Otaduy 2009, sec. 5.2 (the splitting), 5.6 (its convergence). */

#define CTI_FACTORS_PATCH 48       /* blocks in a patch */
#define CTI_FACTORS_PORTS 200      /* most ports of a component that is one cluster */
#define CTI_FACTORS_PORTS_MOST 1500 /* the same where nodes were tried and failed */
#define CTI_FACTORS_HARD 30        /* attempts for which a component stays one cluster then */
#define CTI_FACTORS_CHEAP 300      /* flops a nonzero below which a factor is renewed in every step: some ten solves with it */

static void cti_factors_free_component(cti_mem *mem, cti_component *c)
{
    cti_gather_free(mem, &c->gather);
    cti_factor32_free(mem, &c->factor);
    CTI_FREE(mem, c->port_at);
    CTI_FREE(mem, c->ports);
    CTI_FREE(mem, c->C);
}

/* vectors of the conjugate gradients of the free motion */
typedef struct cti_free_solve {
    ct_real *r, *z, *p, *q;
} cti_free_solve;

CTI_FN void cti_factors_free(cti_mem *mem, cti_factors *f)
{
    int i;
    for (i = 0; i < CTI_LEN(f->components); i++)
        cti_factors_free_component(mem, &f->components[i]);
    for (i = 0; i < CTI_LEN(f->symbolics); i++)
        cti_symbolic_free(mem, &f->symbolics[i]);
    CTI_FREE(mem, f->components);
    CTI_FREE(mem, f->symbolics);
    CTI_FREE(mem, f->hashes);
    CTI_FREE(mem, f->blocks);
    CTI_FREE(mem, f->component_of);
    CTI_FREE(mem, f->patch_blocks);
    CTI_FREE(mem, f->patches);
    CTI_FREE(mem, f->x);
    CTI_FREE(mem, f->work);
    memset(f, 0, sizeof *f);
}

/* blocks reached from `seed` inside the unvisited graph, at most `limit`, breadth first, appended to list; mark[i] = id */
static int cti_factors_grow(const cti_bsr *A, int seed, int limit, int32_t id, int32_t *mark, int32_t free_mark, int32_t *list)
{
    int head = 0, tail = 0, k;
    list[tail++] = seed;
    mark[seed] = id;
    while (head < tail) {
        int i = list[head++];
        for (k = A->row[i]; k < A->row[i + 1] && tail < limit; k++) {
            int j = A->col[k];
            if (mark[j] == free_mark)
                mark[j] = id, list[tail++] = j;
        }
    }
    return tail;
}

static void cti_factors_sort(int32_t *a, int n)
{
    /* heap sort: no scratch, no worst case */
    int i, j, k, end;
    for (i = n / 2 - 1; i >= 0; i--)
        for (j = i; (k = 2 * j + 1) < n; j = k) {
            int32_t t;
            if (k + 1 < n && a[k + 1] > a[k])
                k++;
            if (a[j] >= a[k])
                break;
            t = a[j], a[j] = a[k], a[k] = t;
        }
    for (end = n - 1; end > 0; end--) {
        int32_t t = a[0];
        a[0] = a[end], a[end] = t;
        for (j = 0; (k = 2 * j + 1) < end; j = k) {
            if (k + 1 < end && a[k + 1] > a[k])
                k++;
            if (a[j] >= a[k])
                break;
            t = a[j], a[j] = a[k], a[k] = t;
        }
    }
}

static int cti_factors_find_components(cti_mem *mem, cti_factors *f, const cti_bsr *A)
{
    int i, at = 0;
    for (i = 0; i < A->n; i++)
        f->component_of[i] = -1;
    for (i = 0; i < A->n; i++) {
        cti_component c;
        if (f->component_of[i] >= 0)
            continue;
        memset(&c, 0, sizeof c);
        c.begin = at;
        c.age = -1;
        at += cti_factors_grow(A, i, A->n, CTI_LEN(f->components), f->component_of, -1, f->blocks + at);
        c.end = at;
        cti_factors_sort(f->blocks + c.begin, c.end - c.begin);
        if (!CTI_PUSH(mem, f->components, c))
            return 0;
    }
    return 1;
}

static int cti_factors_find_patches(cti_mem *mem, cti_factors *f, const cti_bsr *A, int32_t *mark)
{
    int c, i, at = 0, id = 0;
    for (i = 0; i < A->n; i++)
        mark[i] = -1;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        int n = q->end - q->begin, size = n <= CTI_FACTORS_PATCH ? n : CTI_FACTORS_PATCH;
        q->patch0 = CTI_LEN(f->patches);
        for (i = q->begin; i < q->end; i++) {
            int got;
            if (mark[f->blocks[i]] >= 0)
                continue;
            if (!CTI_PUSH(mem, f->patches, at))
                return 0;
            got = cti_factors_grow(A, f->blocks[i], size, id++, mark, -1, f->patch_blocks + at);
            cti_factors_sort(f->patch_blocks + at, got);
            at += got;
        }
        q->patch1 = CTI_LEN(f->patches);
    }
    return CTI_PUSH(mem, f->patches, at);
}

/* the analysis of component c: a shared one when an equal local graph is known */
static int cti_factors_analyze(cti_mem *mem, cti_factors *f, const cti_bsr *A, cti_component *c)
{
    const int32_t *blocks = f->blocks + c->begin;
    int n = c->end - c->begin, i;
    uint64_t hash = cti_symbolic_hash(A, blocks, n);
    cti_symbolic fresh;
    for (i = 0; i < CTI_LEN(f->hashes); i++)
        if (f->hashes[i] == hash && cti_symbolic_same(&f->symbolics[i], A, blocks, n))
            break;
    if (i == CTI_LEN(f->hashes)) {
        memset(&fresh, 0, sizeof fresh);
        if (!cti_symbolic_analyze(mem, &fresh, A, blocks, n))
            return 0;
        if (!CTI_PUSH(mem, f->hashes, hash)) {
            cti_symbolic_free(mem, &fresh);
            return 0;
        }
        if (!CTI_PUSH(mem, f->symbolics, fresh)) {
            stbds_header(f->hashes)->length--;
            cti_symbolic_free(mem, &fresh);
            return 0;
        }
    }
    c->symbolic = i;
    return cti_gather_make(mem, &c->gather, &f->symbolics[i], A, blocks) && CTI_RESIZE(mem, c->port_at, n);
}

CTI_FN int cti_factors_init(cti_mem *mem, cti_arena *arena, cti_factors *f, const cti_bsr *A)
{
    int c, n = A->n, most = 1;
    f->mem = mem;
    f->arena = arena;
    if (!CTI_RESIZE(mem, f->blocks, n) || !CTI_RESIZE(mem, f->component_of, n) || !CTI_RESIZE(mem, f->patch_blocks, n))
        return 0;
    if (!cti_factors_find_components(mem, f, A))
        return 0;
    {
        int32_t *mark = CTI_ARENA_NEW(arena, int32_t, n);
        if (!mark || !cti_factors_find_patches(mem, f, A, mark))
            return 0;
    }
    for (c = 0; c < CTI_LEN(f->components); c++) {
        most = cti_max_int(most, f->components[c].end - f->components[c].begin);
        if (!cti_factors_analyze(mem, f, A, &f->components[c]))
            return 0;
        f->components[c].owner = f;
    }
    return CTI_RESIZE(mem, f->x, 3 * most);
}

CTI_FN void cti_factors_age(cti_factors *f)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        if (f->components[c].age >= 0)
            f->components[c].age++;
        f->components[c].hard -= f->components[c].hard > 0;
    }
}

CTI_FN int cti_factors_refresh(cti_factors *f, const cti_bsr *A, ct_real dt)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        const cti_symbolic *sym = &f->symbolics[q->symbolic];
        if (q->age == 0 || (q->age > 0 && !q->stale && q->dt == dt && sym->flops >= CTI_FACTORS_CHEAP * sym->nonzeros))
            continue;
        if (!cti_factor32_compute(f->mem, &q->factor, sym, &q->gather, A->val))
            return 0;
        if (!CTI_RESERVE(f->mem, f->work, (int)cti_factor32_work(&q->factor)))
            return 0;
        q->age = q->stale = 0;
        q->dt = dt;
        q->version++;
        f->n_refactored++;
    }
    return 1;
}

CTI_FN int cti_factors_mark(cti_factors *f)
{
    int c, marked = 0;
    for (c = 0; c < CTI_LEN(f->components); c++)
        if (f->components[c].age > 0)
            f->components[c].stale = 1, marked++;
    return marked;
}

CTI_FN int cti_factors_lag(const cti_factors *f)
{
    int c;
    for (c = 0; c < CTI_LEN(f->components); c++)
        if (f->components[c].age > 0)
            return 1;
    return 0;
}

CTI_FN int cti_factors_harden(cti_factors *f, const cti_row *rows, int n_rows)
{
    int i, k, changed = 0;
    for (i = 0; i < n_rows; i++)
        for (k = 0; k < rows[i].n; k++) {
            cti_component *c = &f->components[f->component_of[rows[i].term[k].block]];
            if (c->split == 0 || c->split > CTI_FACTORS_PORTS_MOST)
                continue;
            c->hard = CTI_FACTORS_HARD;
            c->split = 0;
            changed = 1;
        }
    return changed;
}

static void cti_factors_solve(void *ctx, ct_real *x)
{
    cti_component *c = (cti_component *)ctx;
    cti_factors *f = c->owner;
    int n3 = 3 * (c->end - c->begin), i;
    for (i = 0; i < n3; i++)
        f->x[i] = (float)x[i];
    cti_factor32_solve(&c->factor, f->x, f->work);
    for (i = 0; i < n3; i++)
        x[i] = (ct_real)f->x[i];
}

/* z = D^-1 r on one component */
static void cti_factors_apply(cti_factors *f, const cti_component *q, const ct_real *r, ct_real *z)
{
    const int32_t *blocks = f->blocks + q->begin;
    int n = q->end - q->begin, i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            f->x[3 * i + k] = (float)r[3 * blocks[i] + k];
    cti_factor32_solve(&q->factor, f->x, f->work);
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            z[3 * blocks[i] + k] = (ct_real)f->x[3 * i + k];
}

static double cti_factors_dot(const cti_factors *f, const cti_component *q, const ct_real *x, const ct_real *y)
{
    double s[3] = {0, 0, 0};
    int i, k;
    for (i = q->begin; i < q->end; i++)
        for (k = 0; k < 3; k++)
            s[k] += (double)(x[3 * f->blocks[i] + k] * y[3 * f->blocks[i] + k]);
    return s[0] + s[1] + s[2];
}

/* one iteration of one component; q is A p. Returns 1 while it has to go on */
static int cti_factors_iterate(cti_factors *f, const cti_component *c, cti_free_solve *s, ct_real *x, double *rz, double tol)
{
    double pq = cti_factors_dot(f, c, s->p, s->q), next;
    ct_real alpha, beta = 0;
    int i, k, go;
    if (!(pq > 0))
        next = 0;
    else {
        alpha = (ct_real)(*rz / pq);
        for (i = c->begin; i < c->end; i++)
            for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
                x[k] += alpha * s->p[k], s->r[k] -= alpha * s->q[k];
        cti_factors_apply(f, c, s->r, s->z);
        next = cti_factors_dot(f, c, s->r, s->z);
    }
    go = next > tol * tol;
    beta = go ? (ct_real)(next / *rz) : 0;
    for (i = c->begin; i < c->end; i++)
        for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
            s->p[k] = go ? s->z[k] + beta * s->p[k] : 0;
    *rz = next;
    return go;
}

CTI_FN int cti_factors_free_solve(cti_factors *f, const cti_bsr *A, const ct_real *b, ct_real *x, const double *tol, int max_it, ct_real *work, int *out_iterations)
{
    int nc = CTI_LEN(f->components), n3 = 3 * A->n, c, it, active = 0;
    double *rz = CTI_ARENA_NEW(f->arena, double, nc);
    cti_free_solve s;
    s.r = work, s.z = work + n3, s.p = s.z + n3, s.q = s.p + n3;
    *out_iterations = 0;
    if (!rz)
        return 0;
    cti_bsr_residual(A, b, x, s.r);
    memset(s.p, 0, sizeof(ct_real) * (size_t)n3);
    for (c = 0; c < nc; c++) {
        cti_component *q = &f->components[c];
        int i, k;
        cti_factors_apply(f, q, s.r, s.z);
        rz[c] = cti_factors_dot(f, q, s.r, s.z);
        q->running = rz[c] > tol[c] * tol[c];
        active += q->running;
        for (i = q->begin; q->running && i < q->end; i++)
            for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
                s.p[k] = s.z[k];
    }
    for (it = 0; it < max_it && active; it++) {
        cti_bsr_mul(A, s.p, s.q);
        for (active = c = 0; c < nc; c++) {
            cti_component *q = &f->components[c];
            if (!q->running)
                continue;
            q->running = cti_factors_iterate(f, q, &s, x, &rz[c], tol[c]);
            active += q->running;
            /* a factor that costs iterations is renewed in the next step */
            if (q->running && it >= 8 && q->age > 0)
                q->stale = 1;
        }
        *out_iterations = it + 1;
    }
    return 1;
}

/* y = A x on one component */
static void cti_factors_product(const cti_factors *f, const cti_component *q, const cti_bsr *A, const ct_real *x, ct_real *y)
{
    int i;
    for (i = q->begin; i < q->end; i++)
        cti_v3_put(y, f->blocks[i], cti_bsr_row(A, x, f->blocks[i]));
}

/* steepest descents of one component's energy behind its factor: v += alpha z, z = D^-1 r, alpha = r'z / z'Az, which is 1 for a new factor and
   never goes uphill with an old one. work: r, z, A z */
static void cti_factors_descend(cti_factors *f, const cti_component *q, const cti_bsr *A, const ct_real *rhs, int steps, ct_real *v, ct_real *work)
{
    ct_real *r = work, *z = work + 3 * (size_t)A->n, *Az = z + 3 * (size_t)A->n;
    int it, i, k;
    cti_factors_product(f, q, A, v, Az);
    for (i = q->begin; i < q->end; i++)
        for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
            r[k] = rhs[k] - Az[k];
    for (it = 0; it < steps; it++) {
        double rz, zAz;
        ct_real alpha;
        cti_factors_apply(f, q, r, z);
        cti_factors_product(f, q, A, z, Az);
        rz = cti_factors_dot(f, q, r, z), zAz = cti_factors_dot(f, q, z, Az);
        alpha = rz > 0 && zAz > 0 ? (ct_real)(rz / zAz) : 0;
        for (i = q->begin; i < q->end; i++)
            for (k = 3 * f->blocks[i]; k < 3 * f->blocks[i] + 3; k++)
                v[k] += alpha * z[k], r[k] -= alpha * Az[k];
    }
}

CTI_FN void cti_factors_respond(cti_factors *f, const cti_problem *p, ct_real *v, ct_real *work)
{
    ct_real *rhs = work + 9 * (size_t)p->A->n;
    int c, i, k, any = 0;
    for (c = 0; c < CTI_LEN(f->components); c++)
        f->components[c].running = 0;
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            cti_component *q = &f->components[f->component_of[p->rows[i].term[k].block]];
            any |= q->running = q->split > 0;
        }
    if (!any)
        return;
    cti_problem_rhs(p, rhs);
    for (c = 0; c < CTI_LEN(f->components); c++) {
        cti_component *q = &f->components[c];
        if (q->running)
            cti_factors_descend(f, q, p->A, rhs, q->age > 0 ? 2 : 1, v, work);
        q->running = 0;
    }
}

static int32_t cti_factors_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

CTI_FN int cti_factors_islands(cti_factors *f, cti_arena *arena, const cti_row *rows, int n_rows, int32_t *island, int *out_n)
{
    int nc = CTI_LEN(f->components), i, k, n = 0;
    int32_t *parent = CTI_ARENA_NEW(arena, int32_t, nc), *number = CTI_ARENA_NEW(arena, int32_t, nc);
    if (!parent || !number)
        return 0;
    for (i = 0; i < nc; i++)
        parent[i] = i, number[i] = -1;
    for (i = 0; i < n_rows; i++)
        for (k = 1; k < rows[i].n; k++)
            parent[cti_factors_root(parent, f->component_of[rows[i].term[k].block])] =
                cti_factors_root(parent, f->component_of[rows[i].term[0].block]);
    for (i = 0; i < n_rows; i++) {
        int32_t root = cti_factors_root(parent, f->component_of[rows[i].term[0].block]);
        if (number[root] < 0)
            number[root] = n++;
        island[i] = number[root];
    }
    *out_n = n;
    return 1;
}

/* the kept compliance covers all ports asked for, or is recomputed for the union of old and new ones */
static int cti_factors_cover_ports(cti_component *c, const int32_t *ports, int n_ports)
{
    cti_factors *f = c->owner;
    int n = c->end - c->begin, i, missing = c->C_version != c->version;
    float *work;
    if (missing) {
        CTI_CLEAR(c->ports);
        for (i = 0; i < n; i++)
            c->port_at[i] = -1;
    }
    for (i = 0; i < n_ports; i++)
        if (c->port_at[ports[i]] < 0) {
            missing = 1;
            if (!CTI_PUSH(f->mem, c->ports, ports[i]))
                return 0;
            c->port_at[ports[i]] = CTI_LEN(c->ports) - 1;
            c->C_version = -1; /* C does not have it yet, whatever happens next */
        }
    if (!missing)
        return 1;
    c->C_version = -1;
    n_ports = CTI_LEN(c->ports);
    c->ld = (3 * n_ports + 7) & ~7;
    work = CTI_ARENA_NEW(f->arena, float, cti_factor32_compliance_work(&c->factor, n_ports));
    if (!work || !CTI_RESERVE(f->mem, c->C, 3 * n_ports * c->ld))
        return 0;
    cti_factor32_compliance(&c->factor, c->ports, n_ports, c->C, c->ld, work);
    c->C_version = c->version;
    return 1;
}

static int cti_factors_compliance(void *ctx, const int32_t *ports, int n_ports, const float **out_c, int *out_ld)
{
    cti_component *c = (cti_component *)ctx;
    int i, j, r, ld = (3 * n_ports + 7) & ~7, same;
    float *C;
    if (!cti_factors_cover_ports(c, ports, n_ports))
        return 0;
    same = n_ports == CTI_LEN(c->ports);
    for (i = 0; same && i < n_ports; i++)
        same = c->port_at[ports[i]] == i;
    *out_ld = ld;
    if (same) {
        *out_c = c->C;
        return 1;
    }
    /* the ports in the order asked for */
    C = CTI_ARENA_ZERO(c->owner->arena, float, (size_t)(3 * n_ports) * (size_t)ld);
    if (!C)
        return 0;
    for (i = 0; i < n_ports; i++)
        for (r = 0; r < 3; r++) {
            const float *from = c->C + (size_t)(3 * c->port_at[ports[i]] + r) * (size_t)c->ld;
            float *to = C + (size_t)(3 * i + r) * (size_t)ld;
            for (j = 0; j < n_ports; j++)
                memcpy(to + 3 * j, from + 3 * c->port_at[ports[j]], 3 * sizeof(float));
        }
    *out_c = C;
    return 1;
}

CTI_FN const cti_cluster *cti_factors_clusters(cti_factors *f, cti_arena *arena, ct_cluster_mode mode, const cti_row *rows, int n_rows, int n_blocks, int *out_n)
{
    int nc = CTI_LEN(f->components), c, i, k, n = 0;
    int32_t *count = CTI_ARENA_ZERO(arena, int32_t, nc);
    uint8_t *seen = CTI_ARENA_ZERO(arena, uint8_t, n_blocks);
    cti_cluster *out = CTI_ARENA_ZERO(arena, cti_cluster, nc + n_blocks);
    if (!count || !seen || !out)
        return NULL;
    /* ports of every component */
    for (i = 0; i < n_rows; i++)
        for (k = 0; k < rows[i].n; k++) {
            int b = rows[i].term[k].block;
            count[f->component_of[b]] += !seen[b];
            seen[b] = 1;
        }
    for (c = 0; c < nc; c++) {
        cti_component *q = &f->components[c];
        int whole = mode == CT_CLUSTER_BODY || (mode == CT_CLUSTER_AUTO && count[c] <= (q->hard ? CTI_FACTORS_PORTS_MOST : CTI_FACTORS_PORTS));
        int patches = mode == CT_CLUSTER_PATCH;
        if (count[c] == 0)
            continue;
        q->split = whole ? 0 : count[c];
        if (whole) {
            out[n].blocks = f->blocks + q->begin;
            out[n].n = q->end - q->begin;
            out[n].solve = cti_factors_solve;
            out[n].compliance = cti_factors_compliance;
            out[n++].ctx = q;
            continue;
        }
        for (i = q->patch0; patches && i < q->patch1; i++) {
            out[n].blocks = f->patch_blocks + f->patches[i];
            out[n++].n = f->patches[i + 1] - f->patches[i];
        }
        for (i = q->begin; !patches && i < q->end; i++) {
            out[n].blocks = f->blocks + i;
            out[n++].n = 1;
        }
    }
    *out_n = n;
    return out;
}

/* ---- 8_step/cmr.h ---- */
/* cmr.h -- one attempt at a (sub)step by constraint manifold refinement. [Otaduy 2009, sec. 4] */


/* cti_attempt -- what an attempt did. */
typedef struct cti_attempt {
    int clear;          /* the motion to x_new is free of collisions */
    int converged;      /* no solve diverged and the motion means something; otherwise x_new is not to be looked at */
    int budget;         /* the last solve ended on its budget, above its tolerance */
    int rounds, solver_iterations, solver_sweeps, linear_iterations, extended;
    int crushed;        /* tets that the motion takes below J = 0.2 */
    int candidates;
    ct_real residual;   /* natural map of the last solve */
    ct_pair_kind limit_kind;
    cti_pair limit;     /* a pair that still collides when not clear; n 0: none */
    double ms_assemble, ms_unconstrained, ms_detect, ms_solve;
} cti_attempt;

/* cti_cmr_attempt -- from (x, v) to tentative v_new, x_new and surface.x1 over dt. Multipliers start from `memory`. State x, v untouched.
   Returns 0 when memory ran out. */
CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_attempt *out);

/* cti_cmr_move -- x_new = x + dt v_new, rounded once, and surface.x1. */
CTI_FN void cti_cmr_move(cti_state *s, ct_real dt);
/* cti_cmr_collide -- the collisions of the motion to surface.x1 into s->hits; the candidate lists are made complete for it first. 0: out of memory. */
CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out);
/* cti_cmr_context -- the row context of a step. */
CTI_FN void cti_cmr_context(const cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_row_context *out);
/* cti_cmr_problem -- the problem of the last solve; its A, b and rows are the state's own. */
CTI_FN void cti_cmr_problem(const cti_state *s, cti_problem *out);
CTI_FN double cti_cmr_clock(const cti_state *s); /* [ms] */


/* ---- 8_step/cmr.c ---- */
/* cmr.c -- constraint manifold refinement.
   Method: linearize, solve without contacts, rows from near pairs, then rounds of solve and continuous collision detection; every collision
   found adds a row with the normal at its time of impact, until the straight motion from x to x + dt v is clear (Otaduy 2009, sec. 4,
   steps 1 - 4.4). differs: rows of near pairs are culled to one per geometric contact, the detection never is; CCD keeps a quarter of the
   thickness, so that rounding can not turn a touch into a crossing; a pair whose row the motion breaks is solved again instead of getting a
   twin; a body that nodes cannot solve is taken whole; a solve that is not plausible ends the attempt. */

#define CTI_CMR_POOR CTI_R(0.5) /* natural map at which a solve by nodes has failed */
#define CTI_CMR_BROKEN CTI_R(0.01) /* share of the thickness that a row may be missed by in a step */

CTI_FN double cti_cmr_clock(const cti_state *s) { return s->desc.now_us ? (double)s->desc.now_us(s->desc.now_user) * 1e-3 : 0.0; }

CTI_FN void cti_cmr_context(const cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_row_context *out)
{
    memset(out, 0, sizeof *out);
    out->surface = &s->surface;
    out->fixed = s->fixed;
    out->v_fixed = s->v_fixed;
    out->inv_mass = s->inv_mass;
    out->A = &s->A;
    out->memory = memory;
    out->dt = dt;
    out->dt_memory = dt_memory;
    out->recovery_speed = s->desc.recovery_speed;
}

/* constrained blocks have their scripted velocity exactly: v <- S v + v_p */
static void cti_cmr_hold(const cti_state *s, ct_real *v)
{
    int i;
    for (i = 0; s->n_constrained && i < s->n; i++)
        if (s->filter[i] >= 0)
            cti_v3_put(v, i, cti_v3_add(cti_m3_mul_v(s->projectors + 9 * (size_t)s->filter[i], cti_v3_at(v, i)), cti_v3_at(s->v_fixed, i)));
}

CTI_FN void cti_cmr_move(cti_state *s, ct_real dt)
{
    int i;
    cti_cmr_hold(s, s->v_new);
    for (i = 0; i < 3 * s->n; i++)
        s->x_new[i] = s->x[i] + dt * s->v_new[i];
    cti_surface_place(&s->surface, s->x_new, s->surface.x1);
}

/* velocity that residuals are relative to: |g| dt, or without gravity a thousandth of the largest speed or of a thickness a step */
static ct_real cti_cmr_scale(const cti_state *s, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, big = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        big = cti_max(big, cti_abs(s->v_free[i]));
    if (!(g > 0))
        g = CTI_R(1e-3) * cti_max(big, s->desc.thickness / dt);
    return g > 0 ? g : CTI_R(1e-9);
}

/* what an iteration left of each free component's momentum: a uniform velocity takes it up exactly, since 1' A = 1' M (1 + dt alpha).
   f [3 n] is b + J' r. only_touched: components whose island was solved */
static void cti_cmr_balance(cti_state *s, ct_real dt, const ct_real *f, int only_touched, ct_real *v)
{
    const cti_factors *q = &s->factors;
    ct_real *r = s->pcg_work;
    int c, k;
    cti_bsr_residual(&s->A, f, v, r);
    for (c = 0; c < CTI_LEN(q->components); c++) {
        cti_v3 sum = cti_v3_zero();
        ct_real m = 0;
        int held = only_touched && !q->components[c].touched;
        for (k = q->components[c].begin; k < q->components[c].end; k++) {
            int i = q->blocks[k];
            sum = cti_v3_add(sum, cti_v3_at(r, i));
            m += s->mass[i] * (1 + dt * s->alpha[i]);
            held |= s->n_constrained && s->filter[i] >= 0;
        }
        if (held || !(m > 0))
            continue;
        for (k = q->components[c].begin; k < q->components[c].end; k++)
            cti_v3_addto(v, q->blocks[k], cti_v3_mul(sum, 1 / m));
    }
}

/* what a component's free solve is asked for: half the tolerance of the velocity scale, in the energy norm of its lightest block */
static double cti_cmr_free_tolerance(const cti_state *s, const cti_component *c, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * dt, light = CTI_REAL_MAX, speed = 0, n = (ct_real)(c->end - c->begin);
    int i, k;
    for (i = c->begin; i < c->end; i++) {
        int b = s->factors.blocks[i];
        if (s->mass[b] > 0)
            light = cti_min(light, s->mass[b]);
        for (k = 0; k < 3; k++)
            speed = cti_max(speed, cti_abs(s->v_free[3 * b + k]));
    }
    if (!(g > 0))
        g = speed > 0 ? CTI_R(1e-3) * speed : CTI_R(1e-9);
    return (double)(s->desc.solver.tolerance * CTI_R(0.5) * g * cti_sqrt(light) * cti_max(1, CTI_R(0.1) * cti_sqrt(n)));
}

/* where v_free starts: exact for a body that falls without deformation; one that contacts press is deformed, and changes speed as in the
   last attempt */
static void cti_cmr_free_start(cti_state *s, ct_real dt)
{
    int c, k, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        cti_component *q = &s->factors.components[c];
        for (k = q->begin; k < q->end; k++)
            for (i = 3 * s->factors.blocks[k]; i < 3 * s->factors.blocks[k] + 3; i++)
                s->v_free[i] = s->v[i] + (q->pressed ? s->dv_free[i] * (dt / s->dt_free) : s->desc.gravity[i % 3] * ((dt + s->dt_prev[i / 3]) / 2));
        q->pressed = 0;
    }
    cti_cmr_hold(s, s->v_free);
}

/* v_free: A v = b */
static int cti_cmr_free_motion(cti_state *s, ct_real dt, cti_attempt *out)
{
    int i, its = 0, nc = CTI_LEN(s->factors.components);
    double *tol = CTI_ARENA_NEW(s->arena, double, nc);
    cti_factors_age(&s->factors);
    if (!tol || !cti_factors_refresh(&s->factors, &s->A, dt))
        return 0;
    cti_cmr_free_start(s, dt);
    for (i = 0; i < nc; i++)
        tol[i] = cti_cmr_free_tolerance(s, &s->factors.components[i], dt);
    if (!cti_factors_free_solve(&s->factors, &s->A, s->b, s->v_free, tol, 200, s->pcg_work, &its))
        return 0;
    out->linear_iterations += its;
    cti_cmr_balance(s, dt, s->b, 0, s->v_free);
    for (i = 0; i < 3 * s->n; i++)
        s->dv_free[i] = s->v_free[i] - s->v[i];
    s->dt_free = dt;
    return 1;
}

/* a flood of hits: only those that are the first of one of their vertices; the others come back if they still matter */
static int cti_cmr_first_hits(cti_state *s)
{
    ct_real *first = CTI_ARENA_NEW(s->arena, ct_real, s->surface.nv);
    int i, k, n = 0;
    if (!first)
        return 0;
    for (i = 0; i < s->surface.nv; i++)
        first[i] = 2;
    for (i = 0; i < CTI_LEN(s->hits); i++)
        for (k = 0; k < s->hits[i].pair.n; k++)
            first[s->hits[i].pair.v[k]] = cti_min(first[s->hits[i].pair.v[k]], s->hits[i].toi);
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        int keep = 0;
        for (k = 0; k < s->hits[i].pair.n; k++)
            keep |= s->hits[i].toi <= first[s->hits[i].pair.v[k]];
        if (keep)
            s->hits[n++] = s->hits[i];
    }
    if (s->hits)
        stbds_header(s->hits)->length = (size_t)n;
    return 1;
}

/* flat edges wait for a round in which nothing else collides: their vertices' rows usually clear them */
static void cti_cmr_stage(cti_state *s)
{
    int i, n = 0;
    for (i = 0; i < CTI_LEN(s->hits); i++)
        if (!s->hits[i].flat)
            s->hits[n++] = s->hits[i];
    if (n > 0)
        stbds_header(s->hits)->length = (size_t)n;
}

/* rows by pair: how many a pair has, and its newest */
typedef struct cti_cmr_index {
    uint64_t *key;
    int32_t *count, *last;
    uint32_t mask;
} cti_cmr_index;

static uint32_t cti_cmr_find(const cti_cmr_index *x, uint64_t key)
{
    uint32_t i = (uint32_t)key & x->mask;
    while (x->count[i] && x->key[i] != key)
        i = (i + 1) & x->mask;
    return i;
}

static void cti_cmr_enter(cti_cmr_index *x, uint64_t key, int row)
{
    uint32_t i = cti_cmr_find(x, key);
    x->key[i] = key;
    x->count[i]++;
    x->last[i] = row;
}

static int cti_cmr_make_index(const cti_state *s, cti_cmr_index *x)
{
    int i, n = CTI_LEN(s->rows);
    uint32_t size = 64;
    while (size < 2 * (uint32_t)(n + CTI_LEN(s->hits)))
        size *= 2;
    x->mask = size - 1;
    x->key = CTI_ARENA_NEW(s->arena, uint64_t, size);
    x->count = CTI_ARENA_ZERO(s->arena, int32_t, size);
    x->last = CTI_ARENA_NEW(s->arena, int32_t, size);
    if (!x->key || !x->count || !x->last)
        return 0;
    for (i = 0; i < n; i++)
        cti_cmr_enter(x, cti_pair_key(&s->surface, &s->origins[i].pair), i);
    return 1;
}

/* one row: appended, or in place of row `place` >= 0 whose multipliers it takes over */
static int cti_cmr_put_row(cti_state *s, cti_row *row, const cti_contact_row *origin, int place)
{
    if (place >= 0) {
        memcpy(row->r, s->rows[place].r, sizeof row->r);
        s->rows[place] = *row;
        s->origins[place] = *origin;
        return 1;
    }
    if (!CTI_PUSH(s->mem, s->rows, *row))
        return 0;
    if (!CTI_PUSH(s->mem, s->origins, *origin)) {
        stbds_header(s->rows)->length--;
        return 0;
    }
    return 1;
}

/* 1 when the motion breaks this row itself: what its pair lacks is sweeps, not another row. A plane's row is exact, so it lacks nothing else */
static int cti_cmr_is_broken(const cti_state *s, int row, ct_real dt)
{
    ct_real u[3];
    if (s->origins[row].pair.kind == CT_PAIR_PLANE)
        return 1;
    cti_row_velocity(&s->rows[row], s->v_new, u);
    return u[0] + s->rows[row].compliance[0] * s->rows[row].r[0] < -CTI_CMR_BROKEN * s->origins[row].thickness / dt;
}

/* rows for hits; a pair gets at most three, then its newest is linearized anew; one whose newest row is broken is only solved again */
static int cti_cmr_add_rows(cti_state *s, const cti_row_context *c)
{
    cti_cmr_index x;
    int i;
    if (!cti_cmr_make_index(s, &x))
        return 0;
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        cti_row row;
        cti_contact_row origin;
        uint64_t key = cti_pair_key(&s->surface, &s->hits[i].pair);
        uint32_t at = cti_cmr_find(&x, key);
        int twin = x.count[at];
        if (twin > 0 && cti_cmr_is_broken(s, x.last[at], c->dt)) {
            s->origins[x.last[at]].fresh = 1;
            continue;
        }
        if (!cti_rows_build(c, &s->hits[i].pair, s->hits[i].normal, cti_min_int(twin, 2), &row, &origin))
            continue;
        origin.fresh = 1;
        if (!cti_cmr_put_row(s, &row, &origin, twin < 3 ? -1 : x.last[at]))
            return 0;
        if (twin < 3)
            cti_cmr_enter(&x, key, CTI_LEN(s->rows) - 1);
    }
    return 1;
}

CTI_FN void cti_cmr_problem(const cti_state *s, cti_problem *p)
{
    memset(p, 0, sizeof *p);
    p->A = &s->A, p->b = s->b, p->dt = s->problem_dt;
    p->velocity_scale = s->problem_scale;
    p->approach_limit = s->desc.thickness / (2 * s->problem_dt);
    p->rows = s->rows, p->n_rows = CTI_LEN(s->rows);
    p->filter = s->n_constrained ? s->filter : NULL;
    p->projectors = s->projectors;
}

/* rows and origins sorted by island, each island's in their order; start [n_islands + 1] */
static int cti_cmr_sort_islands(cti_state *s, int32_t **out_start, int *out_n)
{
    int n = CTI_LEN(s->rows), i;
    int32_t *island = CTI_ARENA_NEW(s->arena, int32_t, n), *start;
    cti_row *rows = CTI_ARENA_NEW(s->arena, cti_row, n);
    cti_contact_row *origins = CTI_ARENA_NEW(s->arena, cti_contact_row, n);
    if (!island || !rows || !origins || !cti_factors_islands(&s->factors, s->arena, s->rows, n, island, out_n))
        return 0;
    start = CTI_ARENA_ZERO(s->arena, int32_t, *out_n + 2);
    if (!start)
        return 0;
    *out_start = start;
    if (*out_n == 1) {
        start[1] = n;
        return 1;
    }
    for (i = 0; i < n; i++)
        start[island[i] + 2]++;
    for (i = 0; i < *out_n; i++)
        start[i + 2] += start[i + 1];
    for (i = 0; i < n; i++) {
        int at = start[island[i] + 1]++;
        rows[at] = s->rows[i], origins[at] = s->origins[i];
    }
    memcpy(s->rows, rows, sizeof(cti_row) * (size_t)n);
    memcpy(s->origins, origins, sizeof(cti_contact_row) * (size_t)n);
    return 1;
}

/* one island: its rows and the components that they touch; a factor that lags too far is renewed on the way. 0: out of memory */
static int cti_cmr_solve_island(cti_state *s, ct_real dt, int first, int end, cti_attempt *out, cti_solve_status *ended)
{
    ct_solver_desc desc = s->desc.solver;
    cti_problem p;
    cti_solve_info info;
    if (out->rounds > 0)
        desc.max_sweeps = cti_max_int(1, desc.max_sweeps / 2); /* a later round starts from the solution of the one before */
    do {
        cti_cmr_problem(s, &p);
        p.rows = s->rows + first, p.n_rows = end - first;
        p.lagged = cti_factors_lag(&s->factors);
        p.free_start = 1;
        p.clusters = cti_factors_clusters(&s->factors, s->arena, desc.cluster, p.rows, p.n_rows, s->n, &p.n_clusters);
        if (!p.clusters)
            return 0;
        if (out->rounds == 0)
            cti_factors_respond(&s->factors, &p, s->v_new, s->pcg_work);
        cti_ica_solve(&p, &desc, s->arena, s->v_new, &info);
        out->solver_iterations += info.iterations;
        out->solver_sweeps += info.sweeps;
        if (info.status == CTI_SOLVE_MEMORY)
            return 0;
        if (info.status == CTI_SOLVE_SLOW && cti_factors_mark(&s->factors) && !cti_factors_refresh(&s->factors, &s->A, dt))
            return 0;
    } while (info.status == CTI_SOLVE_SLOW);
    *ended = info.status;
    return 1;
}

/* 1 when an island has rows that were not solved yet; marks its components. An island without any keeps its solution, bit by bit */
static int cti_cmr_touch(cti_state *s, int first, int end)
{
    int i, k, fresh = 0;
    for (i = first; i < end; i++)
        fresh |= s->origins[i].fresh;
    for (i = first; fresh && i < end; i++) {
        s->origins[i].fresh = 0;
        for (k = 0; k < s->rows[i].n; k++) {
            cti_component *c = &s->factors.components[s->factors.component_of[s->rows[i].term[k].block]];
            c->touched = c->pressed = 1;
        }
    }
    return fresh;
}

/* the islands with fresh rows, each for itself, so that none feels another; then what all of it is worth. work [6 n];
   ended [n]: how each island did when it was solved last */
static int cti_cmr_solve_islands(cti_state *s, ct_real dt, const int32_t *start, const uint8_t *touched, int n, ct_real *work, cti_attempt *out,
                                 cti_solve_status *ended)
{
    cti_problem p;
    cti_residuals res;
    int i;
    for (i = 0; i < n; i++)
        if (touched[i] && !cti_cmr_solve_island(s, dt, start[i], start[i + 1], out, &ended[i]))
            return 0;
    cti_cmr_problem(s, &p);
    cti_problem_rhs(&p, work);
    cti_cmr_balance(s, dt, work, 1, s->v_new);
    cti_residual_eval(&p, s->desc.solver.cone, s->v_new, work, &res);
    out->residual = res.natural_map;
    return 1;
}

/* islands that ended poorly with a body split into nodes: the body is taken whole, and they start again. touched: in, those that were solved;
   out, those to solve again. r [3 rows]: multipliers that the first solve started from. Returns how many */
static int cti_cmr_harden(cti_state *s, const int32_t *start, uint8_t *touched, int n, const ct_real *r, ct_real *work)
{
    cti_problem p;
    cti_residuals res;
    int i, k, e, c, count = 0;
    for (i = 0; i < n; i++) {
        if (!touched[i])
            continue;
        cti_cmr_problem(s, &p);
        p.rows = s->rows + start[i], p.n_rows = start[i + 1] - start[i];
        cti_residual_eval(&p, s->desc.solver.cone, s->v_new, work, &res);
        touched[i] = (uint8_t)(!(res.natural < CTI_CMR_POOR) && cti_factors_harden(&s->factors, p.rows, p.n_rows));
        if (!touched[i])
            continue;
        count++;
        for (k = start[i]; k < start[i + 1]; k++) {
            memcpy(s->rows[k].r, r + 3 * (size_t)k, 3 * sizeof(ct_real));
            for (e = 0; e < s->rows[k].n; e++) {
                const cti_component *q = &s->factors.components[s->factors.component_of[s->rows[k].term[e].block]];
                for (c = q->begin; c < q->end; c++)
                    cti_v3_put(s->v_new, s->factors.blocks[c], cti_v3_at(s->v_free, s->factors.blocks[c]));
            }
        }
    }
    return count;
}

/* one constrained solve from v_new and the rows' multipliers */
static int cti_cmr_solve(cti_state *s, ct_real dt, ct_real scale, cti_attempt *out)
{
    int32_t *start;
    uint8_t *touched;
    cti_solve_status *ended;
    int i, n, budget = 0;
    ct_real *work = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->n), *r;
    s->problem_dt = dt, s->problem_scale = scale, s->has_problem = 1;
    if (!work || !cti_cmr_sort_islands(s, &start, &n))
        return 0;
    touched = CTI_ARENA_NEW(s->arena, uint8_t, n);
    r = CTI_ARENA_NEW(s->arena, ct_real, 3 * CTI_LEN(s->rows));
    ended = CTI_ARENA_ZERO(s->arena, cti_solve_status, n);
    if (!touched || !r || !ended)
        return 0;
    for (i = 0; i < CTI_LEN(s->rows); i++)
        memcpy(r + 3 * (size_t)i, s->rows[i].r, 3 * sizeof(ct_real));
    for (i = 0; i < CTI_LEN(s->factors.components); i++)
        s->factors.components[i].touched = 0;
    for (i = 0; i < n; i++)
        touched[i] = (uint8_t)cti_cmr_touch(s, start[i], start[i + 1]);
    if (!cti_cmr_solve_islands(s, dt, start, touched, n, work, out, ended))
        return 0;
    if (!(out->residual < CTI_CMR_POOR) && s->desc.solver.cluster == CT_CLUSTER_AUTO && cti_cmr_harden(s, start, touched, n, r, work) &&
        !cti_cmr_solve_islands(s, dt, start, touched, n, work, out, ended))
        return 0;
    for (i = 0; i < n; i++) {
        budget |= ended[i] == CTI_SOLVE_BUDGET;
        out->converged &= ended[i] != CTI_SOLVE_DIVERGED;
    }
    /* the last sweeps may have reached the tolerance after all */
    out->budget = (out->budget || budget) && !(out->residual <= s->desc.solver.tolerance);
    return 1;
}

/* 1 while the tentative motion is finite and no block runs farther than ten times the world's size and what speed and gravity allow:
   an element that was crushed may answer with any force, and trees and predicates are for numbers that mean something */
static int cti_cmr_sane(const cti_state *s, ct_real dt)
{
    ct_real g = cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), size = 0, speed = 0, script = 0, limit;
    int i;
    for (i = 0; i < 3 * s->n; i++) {
        size = cti_max(size, cti_abs(s->x[i] - s->x[i % 3]));
        speed = cti_max(speed, cti_abs(s->v[i]));
        script = cti_max(script, cti_abs(s->v_fixed[i]));
    }
    limit = 10 * (size + dt * (speed + script + dt * g));
    for (i = 0; i < 3 * s->n; i++)
        if (!cti_finite(s->v_new[i]) || !(cti_abs(dt * s->v_new[i]) <= limit))
            return 0;
    return 1;
}

/* how far contacts may take v_new from v_free, squared in the norm of A: what stopping everything would take, and moving all of it at the
   speeds of the script and of easing apart, with a margin for friction. Rest or the script's motion is admissible, and the solution is the
   admissible v nearest to v_free */
static double cti_cmr_reach(const cti_state *s, ct_real dt)
{
    ct_real w = s->desc.recovery_speed > 0 ? s->desc.recovery_speed : s->desc.thickness / dt, script = 0;
    double sum = 0;
    int i, k;
    for (i = 0; i < 3 * s->n; i++)
        script = cti_max(script, cti_abs(s->v_fixed[i]));
    w += script;
    cti_bsr_mul(&s->A, s->v_free, s->pcg_work);
    for (i = 0; i < s->n; i++)
        for (k = 3 * i; k < 3 * i + 3; k++) {
            ct_real own = s->A.val[9 * (size_t)s->A.diag[i] + 4 * (size_t)(k % 3)] * s->v_fixed[k] * s->v_fixed[k];
            sum += (double)(s->v_free[k] * s->pcg_work[k] + own + s->mass[i] * w * w);
        }
    return 4 * sum;
}

/* 1 while the contacts' share of the motion is within reach: a solve that ends outside has not found the solution, and its motion is not
   worth a detection */
static int cti_cmr_plausible(const cti_state *s, double reach)
{
    ct_real *d = s->pcg_work, *Ad = d + 3 * (size_t)s->n;
    double moved = 0;
    int i;
    for (i = 0; i < 3 * s->n; i++)
        d[i] = s->v_new[i] - s->v_free[i];
    cti_bsr_mul(&s->A, d, Ad);
    for (i = 0; i < 3 * s->n; i++)
        moved += (double)(d[i] * Ad[i]);
    return moved <= reach;
}

/* an attempt whose numbers mean nothing ends at rest where it began */
static int cti_cmr_give_up(cti_state *s, ct_real dt, cti_attempt *out)
{
    memset(s->v_new, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_cmr_move(s, dt);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    out->clear = out->converged = 0;
    return 1;
}

/* collisions of the tentative motion into hits; the lists are made complete for it first */
CTI_FN int cti_cmr_collide(cti_state *s, cti_attempt *out)
{
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed))
        return 0;
    if (changed && !cti_detect_distances(s->mem, &s->detect, &s->surface))
        return 0;
    out->candidates = (CTI_LEN(s->detect.vf.pairs) + CTI_LEN(s->detect.ee.pairs)) / 2;
    CTI_CLEAR(s->hits);
    return cti_detect_collisions(s->mem, &s->detect, &s->surface, s->surface.x1, &s->hits);
}

/* candidates for the free motion and rows of the pairs that are near (steps 2 - 3) */
static int cti_cmr_begin(cti_state *s, const cti_row_context *c)
{
    int changed;
    if (!cti_detect_cover(s->mem, &s->detect, &s->surface, s->surface.x1, &changed) || !cti_detect_distances(s->mem, &s->detect, &s->surface))
        return 0;
    CTI_CLEAR(s->hits);
    return cti_detect_near(s->mem, &s->detect, &s->surface, s->surface.x1, c->memory, &s->hits) && cti_cmr_add_rows(s, c);
}

/* the loop of solve and CCD (step 4) */
static int cti_cmr_rounds(cti_state *s, ct_real dt, const cti_row_context *c, cti_attempt *out)
{
    ct_real scale = cti_cmr_scale(s, dt);
    double t, reach = cti_cmr_reach(s, dt);
    int round;
    for (round = 0; round <= s->desc.cmr_rounds; round++) {
        t = cti_cmr_clock(s);
        if (CTI_LEN(s->rows)) {
            if (!cti_cmr_solve(s, dt, scale, out))
                return 0;
            out->rounds++;
            if (!cti_cmr_plausible(s, reach) || !cti_cmr_sane(s, dt))
                return cti_cmr_give_up(s, dt, out);
            cti_cmr_move(s, dt);
        }
        out->ms_solve += cti_cmr_clock(s) - t;
        t = cti_cmr_clock(s);
        if (!cti_cmr_collide(s, out))
            return 0;
        out->ms_detect += cti_cmr_clock(s) - t;
        if (CTI_LEN(s->hits) == 0) {
            out->clear = 1;
            return 1;
        }
        out->limit = s->hits[0].pair;
        cti_cmr_stage(s);
        if (CTI_LEN(s->hits) > s->surface.nv && !cti_cmr_first_hits(s))
            return 0;
        if (!cti_cmr_add_rows(s, c))
            return 0;
    }
    return 1;
}

CTI_FN int cti_cmr_attempt(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_attempt *out)
{
    cti_row_context c;
    double t0 = cti_cmr_clock(s), t1;
    int i;
    memset(out, 0, sizeof *out);
    out->converged = 1;
    if (!cti_assemble_pins(s, dt))
        return 0;
    cti_assemble(s, dt, &out->extended);
    t1 = cti_cmr_clock(s);
    out->ms_assemble = t1 - t0;
    if (!cti_cmr_free_motion(s, dt, out))
        return 0;
    t0 = cti_cmr_clock(s);
    out->ms_unconstrained = t0 - t1;
    cti_cmr_context(s, dt, memory, dt_memory, &c);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    memcpy(s->v_new, s->v_free, sizeof(ct_real) * 3 * (size_t)s->n);
    if (!cti_cmr_sane(s, dt))
        return cti_cmr_give_up(s, dt, out);
    cti_cmr_move(s, dt);
    if (!cti_cmr_begin(s, &c))
        return 0;
    out->ms_detect = cti_cmr_clock(s) - t0;
    if (!cti_cmr_rounds(s, dt, &c, out))
        return 0;
    for (i = 0; i < s->n_models; i++)
        out->crushed += cti_tet_batch_crushed(&s->models[i]->tets, s->x, s->x_new);
    return 1;
}

/* ---- 8_step/zones.h ---- */
/* zones.h -- impact zones: the fail-safe after the rounds and halvings of CMR. */


typedef struct cti_zones_result {
    int clear;             /* the motion is free of collisions */
    int zones, frozen;
    ct_real momentum_lost; /* [N s] by rigid zones and freezing */
} cti_zones_result;

/* cti_zones_resolve -- changes v_new, x_new, surface.x1 until the motion from x is clear: inelastic impulses in the zones first (Harmon 2008),
   rigid zones next (Provot 1997, Bridson 2002), freezing last. Not clear only when scripted surfaces leave no room. 0: out of memory. */
CTI_FN int cti_zones_resolve(cti_state *s, ct_real dt, cti_attempt *attempt, cti_zones_result *out);


/* ---- 8_step/zones.c ---- */
/* zones.c -- impact zones.
   Method: colliding pairs join their blocks to zones. (1) Inelastic, non-sticking: v moves to the nearest velocity in the metric of mass that
   opens all collisions seen so far (Gauss-Seidel on impulses; Harmon, Vouga, Tamstorf, Grinspun 2008). (2) Rigid: a zone moves with its own
   linear and angular momentum (Provot 1997; Bridson, Fedkiw, Anderson 2002). (3) Freezing: blocks of a zone stay where they are. Each stage
   ends with CCD; freezing adds blocks until no moving one collides, so it ends. Freezing a surface vertex freezes all its blocks. */

#define CTI_ZONES_SOFT 12   /* iterations of stage 1 */
#define CTI_ZONES_RIGID 4   /* of stage 2 */
#define CTI_ZONES_SWEEPS 60 /* over the impulses in an iteration */

typedef struct cti_zones {
    cti_state *s;
    ct_real dt;
    int32_t *parent;  /* [n] union-find over blocks */
    uint8_t *frozen;  /* [n] */
    cti_row *rows;    /* collisions seen so far */
    ct_real *gap;     /* [rows] n . (p_a - p_b) at x less what must be kept */
    int n_rows, cap;
} cti_zones;

static int32_t cti_zones_root(cti_zones *z, int32_t i)
{
    while (z->parent[i] != i)
        i = z->parent[i] = z->parent[z->parent[i]];
    return i;
}

/* adds the collisions in s->hits; joins their blocks */
static int cti_zones_collect(cti_zones *z, const cti_row_context *c)
{
    cti_state *s = z->s;
    int i, k, total = z->n_rows + CTI_LEN(s->hits);
    if (total > z->cap) {
        int cap = 2 * total;
        cti_row *rows = CTI_ARENA_NEW(s->arena, cti_row, cap);
        ct_real *gap = CTI_ARENA_NEW(s->arena, ct_real, cap);
        if (!rows || !gap)
            return 0;
        if (z->n_rows) {
            memcpy(rows, z->rows, sizeof(cti_row) * (size_t)z->n_rows);
            memcpy(gap, z->gap, sizeof(ct_real) * (size_t)z->n_rows);
        }
        z->rows = rows, z->gap = gap, z->cap = cap;
    }
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        cti_contact_row origin;
        cti_row *row = &z->rows[z->n_rows];
        ct_real d;
        if (!cti_rows_build(c, &s->hits[i].pair, s->hits[i].normal, 0, row, &origin))
            continue;
        /* keep half the thickness, or nine tenths of what is there */
        d = origin.gap0 + origin.thickness;
        z->gap[z->n_rows] = d - cti_min(origin.thickness / 2, CTI_R(0.9) * d);
        row->r[0] = row->r[1] = row->r[2] = 0;
        row->w[0] -= origin.gap0 >= 0 ? origin.gap0 / z->dt : 0;
        for (k = 1; k < row->n; k++)
            z->parent[cti_zones_root(z, row->term[k].block)] = cti_zones_root(z, row->term[0].block);
        z->n_rows++;
    }
    return 1;
}

/* stage 1: impulses r >= 0, r perpendicular to gap + dt u_n >= 0, by Gauss-Seidel in the metric of mass */
static void cti_zones_inelastic(cti_zones *z)
{
    cti_state *s = z->s;
    int k, i, j;
    for (k = 0; k < CTI_ZONES_SWEEPS; k++) {
        ct_real big = 0;
        for (i = 0; i < z->n_rows; i++) {
            cti_row *row = &z->rows[i];
            cti_v3 n = cti_v3_at(row->frame, 0);
            ct_real u[3], B = 0, d;
            cti_row_velocity(row, s->v_new, u);
            for (j = 0; j < row->n; j++)
                B += row->term[j].weight * row->term[j].weight * s->inv_mass[row->term[j].block];
            if (!(B > 0))
                continue;
            d = cti_max(0, row->r[0] - (u[0] + z->gap[i] / z->dt) / B) - row->r[0];
            row->r[0] += d;
            big = cti_max(big, cti_abs(d) * B);
            for (j = 0; j < row->n; j++) {
                int b = row->term[j].block;
                cti_v3 q = cti_v3_mul(n, d * row->term[j].weight * s->inv_mass[b]);
                if (s->filter[b] >= 0)
                    q = cti_m3_mul_v(s->projectors + 9 * (size_t)s->filter[b], q);
                cti_v3_addto(s->v_new, b, q);
            }
        }
        if (big * z->dt < s->desc.thickness * CTI_R(1e-4))
            return;
    }
    for (i = 0; i < z->n_rows; i++)
        z->rows[i].r[0] = 0;
}

/* linear and angular velocity of one zone from its momentum at x */
static void cti_zones_rigid_motion(cti_zones *z, int32_t root, cti_v3 *c, cti_v3 *p, cti_v3 *w)
{
    const cti_state *s = z->s;
    cti_v3 L = cti_v3_zero();
    ct_real M = 0, I[9], inv[9], rate;
    int i;
    *c = *p = *w = cti_v3_zero();
    memset(I, 0, sizeof I);
    for (i = 0; i < s->n; i++)
        if (cti_zones_root(z, i) == root) {
            M += s->mass[i];
            *c = cti_v3_mad(*c, cti_v3_at(s->x, i), s->mass[i]);
            *p = cti_v3_mad(*p, cti_v3_at(s->v_new, i), s->mass[i]);
        }
    if (!(M > 0))
        return;
    *c = cti_v3_mul(*c, 1 / M), *p = cti_v3_mul(*p, 1 / M);
    for (i = 0; i < s->n; i++)
        if (cti_zones_root(z, i) == root) {
            cti_v3 r = cti_v3_sub(cti_v3_at(s->x, i), *c);
            ct_real m = s->mass[i], rr = cti_v3_norm2(r);
            L = cti_v3_mad(L, cti_v3_cross(r, cti_v3_sub(cti_v3_at(s->v_new, i), *p)), m);
            I[0] += m * (rr - r.x * r.x), I[1] -= m * r.x * r.y, I[2] -= m * r.x * r.z;
            I[4] += m * (rr - r.y * r.y), I[5] -= m * r.y * r.z, I[8] += m * (rr - r.z * r.z);
        }
    I[3] = I[1], I[6] = I[2], I[7] = I[5];
    if (!cti_m3_inverse(I, inv))
        return;
    *w = cti_m3_mul_v(inv, L);
    rate = cti_v3_norm(*w) * z->dt;
    if (!cti_finite(rate))
        *w = cti_v3_zero();
    else if (rate > CTI_R(0.5))
        *w = cti_v3_mul(*w, CTI_R(0.5) / rate);
}

/* stage 2: zones of the present hits move rigidly; a zone that touches what cannot be moved stands still */
static void cti_zones_rigid(cti_zones *z, const uint8_t *active, const uint8_t *anchored, cti_zones_result *out)
{
    cti_state *s = z->s;
    int32_t root;
    int i;
    for (root = 0; root < s->n; root++) {
        cti_v3 c, p, w;
        if (!active[root] || cti_zones_root(z, root) != root)
            continue;
        cti_zones_rigid_motion(z, root, &c, &p, &w);
        if (anchored[root])
            p = w = cti_v3_zero();
        for (i = 0; i < s->n; i++)
            if (cti_zones_root(z, i) == root && !s->fixed[i]) {
                cti_v3 v = cti_v3_add(p, cti_v3_cross(w, cti_v3_sub(cti_v3_at(s->x, i), c)));
                out->momentum_lost += s->mass[i] * cti_v3_norm(cti_v3_sub(v, cti_v3_at(s->v_new, i)));
                cti_v3_put(s->v_new, i, v);
            }
    }
}

/* stage 3: every block of a colliding pair stays; returns how many were new */
static int cti_zones_freeze(cti_zones *z, cti_zones_result *out)
{
    cti_state *s = z->s;
    int i, k, j, fresh = 0;
    for (i = 0; i < CTI_LEN(s->hits); i++)
        for (k = 0; k < s->hits[i].pair.n; k++) {
            const cti_attach *a = &s->surface.attach[s->hits[i].pair.v[k]];
            for (j = 0; j < a->n; j++) {
                int b = a->block[j];
                if (s->fixed[b] || z->frozen[b])
                    continue;
                z->frozen[b] = 1;
                fresh++;
                out->momentum_lost += s->mass[b] * cti_v3_norm(cti_v3_at(s->v_new, b));
                cti_v3_put(s->v_new, b, cti_v3_zero());
            }
        }
    out->frozen += fresh;
    return fresh;
}

/* which zones have a hit now, and which of them touch an immovable side */
static void cti_zones_flags(cti_zones *z, uint8_t *active, uint8_t *anchored)
{
    const cti_state *s = z->s;
    int i, k, j;
    memset(active, 0, (size_t)s->n);
    memset(anchored, 0, (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->hits); i++) {
        const cti_pair *p = &s->hits[i].pair;
        int32_t root = -1;
        int immovable = p->kind == CT_PAIR_PLANE;
        for (k = 0; k < p->n; k++) {
            const cti_attach *a = &s->surface.attach[p->v[k]];
            if (a->n == 0)
                immovable = 1;
            for (j = 0; j < a->n; j++) {
                if (s->fixed[a->block[j]])
                    immovable = 1;
                else
                    root = cti_zones_root(z, a->block[j]);
            }
        }
        if (root >= 0) {
            active[root] = 1;
            anchored[root] = (uint8_t)(anchored[root] | immovable);
        }
    }
}

/* zones: roots that hold a row */
static int cti_zones_count(cti_zones *z, uint8_t *mark)
{
    int i, n = 0;
    memset(mark, 0, (size_t)z->s->n);
    for (i = 0; i < z->n_rows; i++) {
        int32_t root = cti_zones_root(z, z->rows[i].term[0].block);
        n += !mark[root];
        mark[root] = 1;
    }
    return n;
}

CTI_FN int cti_zones_resolve(cti_state *s, ct_real dt, cti_attempt *attempt, cti_zones_result *out)
{
    cti_zones zone, *z = &zone;
    cti_row_context c;
    uint8_t *active = CTI_ARENA_NEW(s->arena, uint8_t, s->n), *anchored = CTI_ARENA_NEW(s->arena, uint8_t, s->n);
    int i, k;
    memset(z, 0, sizeof *z);
    memset(out, 0, sizeof *out);
    z->s = s, z->dt = dt;
    z->parent = CTI_ARENA_NEW(s->arena, int32_t, s->n);
    z->frozen = CTI_ARENA_ZERO(s->arena, uint8_t, s->n);
    if (!active || !anchored || !z->parent || !z->frozen)
        return 0;
    for (i = 0; i < s->n; i++)
        z->parent[i] = i;
    cti_cmr_context(s, dt, &s->memory_none, 0, &c);
    for (k = 0;; k++) {
        if (!cti_cmr_collide(s, attempt))
            return 0;
        if (CTI_LEN(s->hits) == 0)
            break;
        if (!cti_zones_collect(z, &c))
            return 0;
        if (k < CTI_ZONES_SOFT)
            cti_zones_inelastic(z);
        else if (k < CTI_ZONES_SOFT + CTI_ZONES_RIGID) {
            cti_zones_flags(z, active, anchored);
            cti_zones_rigid(z, active, anchored, out);
        } else if (cti_zones_freeze(z, out) == 0)
            break;
        cti_cmr_move(s, dt);
    }
    out->clear = CTI_LEN(s->hits) == 0;
    out->zones = cti_zones_count(z, active);
    return 1;
}

/* ---- 8_step/step.h ---- */
/* step.h -- one time step of the world: substeps, fail-safe, commit, report. */


/* cti_step -- CT_OK, or CT_ERR_MEMORY with the state as it was. surface.x0 is up to date before and after. */
CTI_FN ct_code cti_step(cti_state *s, ct_real dt, ct_step_report *report);
/* cti_step_tangle -- finds pairs that intersect at x0 and marks their vertices; 0 when memory ran out. */
CTI_FN int cti_step_tangle(cti_state *s);
CTI_FN void cti_step_energies(const cti_state *s, ct_step_report *report);


/* ---- 8_step/step.c ---- */
/* step.c -- the time step as a sequence of attempts.
   Method: try the whole remaining step by CMR; when it ends with a collision, a solve that did not converge or a crushed element, halve it, at
   most max_halvings times, and then let impact zones end it (Otaduy 2009, sec. 4 and 5.6). Positions are committed substep by substep and put
   back when memory runs out. differs: elements count, since one Newton step cannot answer for one that it crushed; substeps grow again. */

#define CTI_STEP_CALM 2 /* good substeps in a row after which the next one is twice as long */

CTI_FN int cti_step_tangle(cti_state *s)
{
    cti_detect *d = &s->detect;
    int i, k;
    if (!CTI_RESIZE(s->mem, d->tangled, s->surface.nv))
        return 0;
    if (s->surface.nv)
        memset(d->tangled, 0, (size_t)s->surface.nv);
    d->n_tangled = 1; /* asked again when memory runs out on the way */
    CTI_CLEAR(s->tangled_pairs);
    if (!cti_broad_update(s->mem, &s->surface.broad, &s->surface.soup, s->surface.x0, s->surface.x0) ||
        !cti_intersect_soup(s->mem, &s->surface.broad, &s->surface.soup, s->surface.x0, &s->tangled_pairs))
        return 0;
    for (i = 0; i < CTI_LEN(s->tangled_pairs) / 2; i++) {
        const int32_t *e = s->surface.edges + 2 * (size_t)s->tangled_pairs[2 * i], *f = s->surface.faces + 3 * (size_t)s->tangled_pairs[2 * i + 1];
        for (k = 0; k < 2; k++)
            d->tangled[e[k]] = 1;
        for (k = 0; k < 3; k++)
            d->tangled[f[k]] = 1;
    }
    /* a vertex behind a plane is tangled with it */
    for (k = 0; k < s->surface.n_planes; k++)
        for (i = 0; i < s->surface.nv; i++) {
            const cti_plane *p = &s->surface.planes[k];
            if (s->surface.bodies[s->surface.body_of[i]].dynamic && cti_v3_dot(cti_v3_at(p->normal, 0), cti_v3_at(s->surface.x0, i)) - p->offset <= 0)
                d->tangled[i] = 1;
        }
    for (d->n_tangled = i = 0; i < s->surface.nv; i++)
        d->n_tangled += d->tangled[i];
    return 1;
}

CTI_FN void cti_step_energies(const cti_state *s, ct_step_report *r)
{
    int i, k;
    double m = 0;
    r->energy_kinetic = r->energy_gravity = 0;
    r->energy_elastic = s->energy_elastic;
    r->center_of_mass[0] = r->center_of_mass[1] = r->center_of_mass[2] = 0;
    for (i = 0; i < s->n; i++) {
        m += (double)s->mass[i];
        for (k = 0; k < 3; k++) {
            r->energy_kinetic += 0.5 * (double)(s->mass[i] * s->v[3 * i + k] * s->v[3 * i + k]);
            r->energy_gravity -= (double)(s->mass[i] * s->desc.gravity[k] * s->x[3 * i + k]);
            r->center_of_mass[k] += (double)(s->mass[i] * s->x[3 * i + k]);
        }
    }
    for (k = 0; k < 3; k++)
        r->center_of_mass[k] = m > 0 ? r->center_of_mass[k] / m : 0;
}

static void cti_step_note(ct_step_report *r, const cti_attempt *a, int accepted)
{
    r->newton_iterations++;
    r->solver_iterations += a->solver_iterations;
    r->solver_sweeps += a->solver_sweeps;
    r->linear_iterations += a->linear_iterations;
    r->extended_elements = a->extended + (accepted ? a->crushed : 0);
    r->cmr_rounds = cti_max_int(r->cmr_rounds, a->rounds);
    r->candidates = a->candidates;
    r->ms_assemble += a->ms_assemble;
    r->ms_unconstrained += a->ms_unconstrained;
    r->ms_detect += a->ms_detect;
    r->ms_solve += a->ms_solve;
    if (accepted)
        r->residual = cti_max(r->residual, a->residual);
}

static int cti_step_is_finite(const cti_state *s)
{
    int i;
    for (i = 0; i < 3 * s->n; i++)
        if (!cti_finite(s->x_new[i]) || !cti_finite(s->v_new[i]))
            return 0;
    return 1;
}

/* the tentative end becomes the state */
static int cti_step_commit(cti_state *s, ct_real dt, const cti_memory *memory, ct_real dt_memory, cti_memory *next)
{
    cti_row_context c;
    int i;
    cti_cmr_context(s, dt, memory, dt_memory, &c);
    if (!cti_rows_remember(s->mem, &c, s->rows, s->origins, CTI_LEN(s->rows), s->v_new, next))
        return 0;
    memcpy(s->x, s->x_new, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, s->v_new, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->surface.x0, s->surface.x1, sizeof(ct_real) * 3 * (size_t)s->surface.nv);
    for (i = 0; i < s->n; i++)
        s->dt_prev[i] = dt;
    s->time += (double)dt;
    return 1;
}

static void cti_step_save(cti_state *s, double *time)
{
    *time = s->time;
    if (s->n == 0)
        return;
    memcpy(s->x_old, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v_old, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->dt_old, s->dt_prev, sizeof(ct_real) * (size_t)s->n);
}

/* the next attempt looks for tangled pairs first */
static void cti_step_ask(cti_state *s) { s->detect.n_tangled = cti_max_int(1, s->detect.n_tangled); }

static ct_code cti_step_restore(cti_state *s, double time)
{
    s->time = time;
    memcpy(s->x, s->x_old, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, s->v_old, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->dt_prev, s->dt_old, sizeof(ct_real) * (size_t)s->n);
    cti_surface_place(&s->surface, s->x, s->surface.x0);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    s->detect.valid = 0;
    cti_step_ask(s);
    return CT_ERR_MEMORY;
}

/* the last resort for numbers: a state that is not finite is replaced by the start of the substep at rest */
static void cti_step_rest(cti_state *s)
{
    memset(s->v_new, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->x_new, s->x, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_surface_place(&s->surface, s->x_new, s->surface.x1);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
}

static void cti_step_status(ct_step_report *r, ct_status status)
{
    if (status > r->status)
        r->status = status;
}

/* ends a substep that CMR could not end. 0: out of memory */
static int cti_step_fail_safe(cti_state *s, ct_real dt, cti_attempt *a, ct_step_report *r)
{
    cti_zones_result z;
    if (!cti_step_is_finite(s)) {
        cti_step_rest(s);
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    }
    if (!a->converged)
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
    if (a->clear)
        return 1;
    if (!cti_zones_resolve(s, dt, a, &z))
        return 0;
    r->zones += z.zones;
    r->frozen += z.frozen;
    r->momentum_lost += z.momentum_lost;
    cti_step_status(r, CT_STATUS_ZONES);
    if (!z.clear) {
        cti_step_status(r, CT_STATUS_NOT_CONVERGED);
        cti_step_ask(s);
    }
    return 1;
}

/* what is known only at the end */
static void cti_step_finish(cti_state *s, ct_step_report *r)
{
    int i;
    r->rows = CTI_LEN(s->rows);
    for (i = 0; i < r->rows; i++)
        r->contacts += s->rows[i].r[0] > 0;
    r->tangled = CTI_LEN(s->tangled_pairs) / 2;
    r->refactorizations = s->factors.n_refactored;
    r->min_distance = 2 * s->desc.thickness;
    if (cti_detect_distances(s->mem, &s->detect, &s->surface))
        r->min_distance = cti_detect_min_distance(&s->detect, &s->surface, s->surface.x0, r->min_distance);
    r->penetration = r->min_distance < 0 ? -r->min_distance : 0;
    cti_step_energies(s, r);
}

static void cti_step_begin(cti_state *s, ct_step_report *r)
{
    memset(r, 0, sizeof *r);
    r->limit.vertices_a[0] = -1;
    cti_arena_reset(s->arena);
    s->factors.n_refactored = 0;
    s->detect.n_queries = 0;
    s->has_problem = 0;
    memset(&s->limit, 0, sizeof s->limit);
}

/* a step of a world in which nothing can move */
static void cti_step_nothing(cti_state *s, double start_time, ct_real dt, ct_step_report *r)
{
    s->time = start_time + (double)dt;
    s->dt_memory = dt;
    cti_memory_clear(&s->memory);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    r->substeps = 1;
    r->tangled = CTI_LEN(s->tangled_pairs) / 2;
    r->min_distance = 2 * s->desc.thickness;
}

/* the same again over half the time, for which lists made for a motion that failed are too long */
static void cti_step_shorten(cti_state *s, ct_real *sub, int *calm)
{
    *sub /= 2;
    *calm = 0;
    s->detect.valid = 0;
}

CTI_FN ct_code cti_step(cti_state *s, ct_real dt, ct_step_report *r)
{
    ct_real left = dt, sub = dt, dt_memory = s->dt_memory, least = dt / (ct_real)(1 << s->desc.max_halvings);
    const cti_memory *memory = &s->memory;
    cti_memory swap;
    int slot = 0, calm = 0;
    double start_time, t0 = cti_cmr_clock(s);
    cti_step_begin(s, r);
    cti_step_save(s, &start_time);
    while (left > 0 && s->n > 0) {
        cti_attempt a;
        int good, shorter;
        cti_arena_reset(s->arena);
        sub = cti_min(sub, left);
        if (left - sub < CTI_R(1e-6) * dt)
            sub = left;
        if ((s->detect.n_tangled && !cti_step_tangle(s)) || !cti_cmr_attempt(s, sub, memory, dt_memory, &a))
            return cti_step_restore(s, start_time);
        good = a.clear && a.converged && !a.crushed && cti_step_is_finite(s);
        shorter = !good && sub / 2 >= CTI_R(0.999) * least;
        cti_step_note(r, &a, !shorter);
        if (!good)
            s->limit = a.limit;
        if (shorter) {
            cti_step_shorten(s, &sub, &calm);
            continue;
        }
        if (a.budget)
            cti_step_status(r, CT_STATUS_BUDGET);
        if (!good && !cti_step_fail_safe(s, sub, &a, r))
            return cti_step_restore(s, start_time);
        if (!cti_step_commit(s, sub, memory, dt_memory, &s->memory_step[slot]))
            return cti_step_restore(s, start_time);
        memory = &s->memory_step[slot];
        slot ^= 1;
        dt_memory = sub;
        left -= sub;
        r->substeps++;
        if (sub < dt && good && ++calm == CTI_STEP_CALM)
            calm = 0, sub *= 2; /* what made the step short may be over */
    }
    if (s->n == 0) {
        cti_step_nothing(s, start_time, dt, r);
        return CT_OK;
    }
    if (r->substeps > 1)
        cti_step_status(r, CT_STATUS_SUBSTEPPED);
    swap = s->memory;
    s->memory = s->memory_step[slot ^ 1];
    s->memory_step[slot ^ 1] = swap;
    s->dt_memory = dt_memory;
    s->time = start_time + (double)dt;
    cti_step_finish(s, r);
    r->ms_total = cti_cmr_clock(s) - t0;
    return CT_OK;
}

/* ---- 9_world/world.h ---- */
/* world.h -- the world: bodies over the step's state. */


typedef enum cti_body_kind { CTI_BODY_FREE, CTI_BODY_SOFT, CTI_BODY_CLOTH, CTI_BODY_STATIC, CTI_BODY_PLANE } cti_body_kind;

typedef struct cti_body {
    cti_body_kind kind;
    uint32_t generation;
    char name[64];
    int n;                  /* vertices: blocks, or static positions */
    int block0;             /* first block; -1 for static bodies */
    ct_real *rest;          /* [3 n] positions when added */
    int32_t *triangles;     /* [3 nt] surface, body vertices */
    int32_t *segments;      /* [2 ns] */
    int32_t *surface_nodes; /* [n surface vertices] body vertices, sorted */
    int32_t *node_surface;  /* [n] surface vertex within the body or -1 */
    cti_topology topology;  /* of the surface, numbered by surface vertices */
    cti_model model;
    ct_material material;
    ct_real friction, thickness;
    ct_real plane_normal[3], plane_offset;
} cti_body;

struct ct_world {
    cti_mem mem;
    cti_arena arena;
    cti_state state;
    cti_body *bodies;       /* slots; kind FREE: unused */
    int32_t *surface_slot;  /* slot of each surface body */
    int n_alive;
    int ready;              /* surface, matrix and factors match the bodies */
    ct_error_info error;
    ct_pair *pairs;         /* of validate */
    ct_contact *contacts;
    int contacts_ready;
};

/* cti_world_fail -- records the culprit and returns the code. */
CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text);
/* cti_world_slot -- slot of a live body or -1. */
CTI_FN int cti_world_slot(const ct_world *w, ct_body_id body);
CTI_FN ct_body_id cti_world_id(const ct_world *w, int slot);
/* cti_world_prepare -- builds surface, matrix pattern, factors after bodies changed. */
CTI_FN ct_code cti_world_prepare(ct_world *w);
CTI_FN void cti_world_unprepare(ct_world *w);
CTI_FN void cti_world_free_body(ct_world *w, cti_body *b);
/* cti_world_public_pair -- soup features to body features. */
CTI_FN void cti_world_public_pair(const ct_world *w, const cti_pair *p, ct_pair *out);

#define CTI_COOKIE 0x63740001u


/* ---- 9_world/prepare.c ---- */
/* prepare.c -- from bodies to the arrays that a step works on: surface soup, matrix pattern, scatter slots, factors. Once per change of
   topology; positions and velocities are not touched. */

CTI_FN void cti_world_unprepare(ct_world *w)
{
    cti_state *s = &w->state;
    cti_surface_free(&w->mem, &s->surface);
    cti_detect_free(&w->mem, &s->detect);
    cti_factors_free(&w->mem, &s->factors);
    cti_bsr_free(&w->mem, &s->A);
    CTI_FREE(&w->mem, s->models);
    CTI_FREE(&w->mem, w->surface_slot);
    CTI_CLEAR(s->rows);
    CTI_CLEAR(s->origins);
    CTI_CLEAR(s->tangled_pairs);
    s->n_models = 0;
    s->has_problem = 0;
    w->ready = 0;
    w->contacts_ready = 0;
}

static int cti_prepare_count(const ct_world *w, int *nv, int *ne, int *nf, int *np)
{
    int i, n = 0;
    *nv = *ne = *nf = *np = 0;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        n++;
        if (b->kind == CTI_BODY_PLANE) {
            (*np)++;
            continue;
        }
        *nv += CTI_LEN(b->surface_nodes);
        *ne += b->topology.n_edges;
        *nf += CTI_LEN(b->triangles) / 3;
    }
    return n;
}

static int cti_prepare_reserve(cti_mem *mem, cti_surface *f, int n_bodies, int nv, int ne, int nf, int np)
{
    return CTI_RESIZE(mem, f->attach, nv) && CTI_RESIZE(mem, f->body_of, nv) && CTI_RESIZE(mem, f->edges, 2 * ne) && CTI_RESIZE(mem, f->faces, 3 * nf) &&
           CTI_RESIZE(mem, f->face_edges, 3 * nf) && CTI_RESIZE(mem, f->edge_faces, 2 * ne) && CTI_RESIZE(mem, f->vertex_owner, nv) &&
           CTI_RESIZE(mem, f->edge_owner, ne) && CTI_RESIZE(mem, f->is_point, nv) && CTI_RESIZE(mem, f->rest, 3 * nv) && CTI_RESIZE(mem, f->x0, 3 * nv) && CTI_RESIZE(mem, f->x1, 3 * nv) &&
           CTI_RESIZE(mem, f->bodies, n_bodies) && CTI_RESIZE(mem, f->ranges, n_bodies) && CTI_RESIZE(mem, f->planes, np);
}

/* one body's surface appended to the soup at the offsets of f */
static void cti_prepare_body(const ct_world *w, cti_surface *f, int index, const cti_body *b)
{
    const cti_topology *t = &b->topology;
    int nv = CTI_LEN(b->surface_nodes), nf = CTI_LEN(b->triangles) / 3, i;
    cti_soup_body *r = &f->ranges[index];
    r->v0 = f->nv, r->v1 = f->nv + nv, r->e0 = f->ne, r->e1 = f->ne + t->n_edges, r->f0 = f->nf, r->f1 = f->nf + nf;
    r->dynamic = b->kind != CTI_BODY_STATIC;
    r->self = r->dynamic && w->state.desc.self_collision;
    r->group = 1, r->mask = 0xffffffffu;
    for (i = 0; i < nv; i++) {
        cti_attach *a = &f->attach[f->nv + i];
        int node = b->surface_nodes[i];
        memset(a, 0, sizeof *a);
        f->body_of[f->nv + i] = index;
        if (r->dynamic)
            a->n = 1, a->block[0] = b->block0 + node, a->weight[0] = 1;
        cti_v3_put(f->rest, f->nv + i, cti_v3_at(b->rest, node));
        cti_v3_put(f->x0, f->nv + i, cti_v3_at(b->rest, node));
        f->is_point[f->nv + i] = t->vertex_is_point[i];
        f->vertex_owner[f->nv + i] = t->vertex_owner[i] < 0 ? -1 : f->nf + t->vertex_owner[i];
    }
    for (i = 0; i < 3 * nf; i++) {
        f->faces[3 * f->nf + i] = f->nv + b->node_surface[b->triangles[i]];
        f->face_edges[3 * f->nf + i] = f->ne + t->face_edges[i];
    }
    for (i = 0; i < 2 * t->n_edges; i++) {
        f->edges[2 * f->ne + i] = f->nv + t->edges[i];
        f->edge_faces[2 * f->ne + i] = t->edge_faces[i] < 0 ? -1 : f->nf + t->edge_faces[i];
    }
    for (i = 0; i < t->n_edges; i++)
        f->edge_owner[f->ne + i] = t->edge_owner[i] < 0 ? -1 : f->nf + t->edge_owner[i];
    f->nv += nv, f->ne += t->n_edges, f->nf += nf;
}

static ct_code cti_prepare_surface(ct_world *w)
{
    cti_surface *f = &w->state.surface;
    int nv, ne, nf, np, i, index = 0, n = cti_prepare_count(w, &nv, &ne, &nf, &np);
    if (!cti_prepare_reserve(&w->mem, f, n, nv, ne, nf, np) || !CTI_RESIZE(&w->mem, w->surface_slot, n))
        return CT_ERR_MEMORY;
    f->n_bodies = n;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        const cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        f->bodies[index].thickness = b->thickness;
        f->bodies[index].friction = b->friction;
        f->bodies[index].dynamic = b->kind == CTI_BODY_SOFT || b->kind == CTI_BODY_CLOTH;
        f->bodies[index].is_cloth = b->kind == CTI_BODY_CLOTH;
        f->bodies[index].id = (uint64_t)b->generation << 32 | (uint32_t)i;
        w->surface_slot[index] = i;
        if (b->kind == CTI_BODY_PLANE) {
            cti_plane *p = &f->planes[f->n_planes++];
            memcpy(p->normal, b->plane_normal, sizeof p->normal);
            p->offset = b->plane_offset;
            p->body = index;
            f->ranges[index].v0 = f->ranges[index].v1 = f->nv;
            f->ranges[index].e0 = f->ranges[index].e1 = f->ne;
            f->ranges[index].f0 = f->ranges[index].f1 = f->nf;
        } else
            cti_prepare_body(w, f, index, b);
        index++;
    }
    f->soup.edges = f->edges, f->soup.faces = f->faces;
    f->soup.nv = f->nv, f->soup.ne = f->ne, f->soup.nf = f->nf;
    f->soup.vertex_is_point = f->is_point;
    f->soup.bodies = f->ranges, f->soup.n_bodies = n;
    if (!cti_surface_neighbours(&w->mem, f))
        return CT_ERR_MEMORY;
    cti_surface_place(f, w->state.x, f->x0);
    return cti_broad_build(&w->mem, &f->broad, &f->soup, f->x0) ? CT_OK : CT_ERR_MEMORY;
}

static int cti_prepare_slot(const void *ctx, int i, int j) { return cti_bsr_slot((const cti_bsr *)ctx, i, j); }

static ct_code cti_prepare_matrix(ct_world *w)
{
    cti_state *s = &w->state;
    int32_t *pairs = NULL;
    int i, ok = 1;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind == CTI_BODY_SOFT || w->bodies[i].kind == CTI_BODY_CLOTH) {
            ok = ok && CTI_PUSH(&w->mem, s->models, &w->bodies[i].model);
            ok = ok && cti_model_pairs(&w->bodies[i].model, &w->mem, &pairs);
        }
    s->n_models = CTI_LEN(s->models);
    ok = ok && cti_bsr_pattern(&w->mem, &s->A, s->n, pairs, CTI_LEN(pairs) / 2);
    for (i = 0; ok && i < s->n_models; i++)
        ok = cti_model_slots(&w->mem, s->models[i], cti_prepare_slot, &s->A) > 0;
    CTI_FREE(&w->mem, pairs);
    return ok && cti_factors_init(&w->mem, &w->arena, &s->factors, &s->A) ? CT_OK : CT_ERR_MEMORY;
}

static int cti_prepare_scratch(ct_world *w)
{
    cti_state *s = &w->state;
    int n3 = 3 * s->n;
    cti_mem *m = &w->mem;
    int i;
    s->mass_min = 0;
    for (i = 0; i < s->n; i++)
        if (s->mass[i] > 0 && (s->mass_min == 0 || s->mass[i] < s->mass_min))
            s->mass_min = s->mass[i];
    return CTI_RESIZE(m, s->fixed, s->n) && CTI_RESIZE(m, s->v_fixed, n3) && CTI_RESIZE(m, s->filter, s->n) && CTI_RESIZE(m, s->b, n3) &&
           CTI_RESIZE(m, s->force, n3) && CTI_RESIZE(m, s->v_free, n3) && CTI_RESIZE(m, s->dv_free, n3) && CTI_RESIZE(m, s->v_new, n3) && CTI_RESIZE(m, s->x_new, n3) &&
           CTI_RESIZE(m, s->x_old, n3) && CTI_RESIZE(m, s->v_old, n3) && CTI_RESIZE(m, s->dt_old, s->n) && CTI_RESIZE(m, s->pcg_work, 4 * n3 + 8);
}

CTI_FN ct_code cti_world_prepare(ct_world *w)
{
    ct_code code;
    ct_body_id none = {0, 0};
    if (w->ready)
        return CT_OK;
    cti_world_unprepare(w);
    cti_arena_reset(&w->arena);
    code = cti_prepare_surface(w);
    if (code == CT_OK)
        code = cti_prepare_matrix(w);
    if (code == CT_OK && !cti_prepare_scratch(w))
        code = CT_ERR_MEMORY;
    if (code == CT_OK && !cti_step_tangle(&w->state))
        code = CT_ERR_MEMORY;
    if (code != CT_OK) {
        cti_world_unprepare(w);
        return cti_world_fail(w, code, none, -1, 0, "out of memory while preparing the bodies");
    }
    w->ready = 1;
    return CT_OK;
}

/* ---- 9_world/world.c ---- */
/* world.c -- creation, stepping, errors, library information. Method: the world validates and keeps books; all numerics are on the floors
   below. */

static const char *const cti_world_codes[] = {
#define CTI_WORLD_TEXT(name, text) text,
    CT_CODE_LIST(CTI_WORLD_TEXT)};
static const char *const cti_world_statuses[] = {CT_STATUS_LIST(CTI_WORLD_TEXT)};
#undef CTI_WORLD_TEXT
static const char *const cti_world_steppers[] = {"cmr", "dcd", "barrier", "layers", "penalty", "geometric", "explicit"};
static const char *const cti_world_solvers[] = {"auto", "ica", "ca", "pgs", "lemke", "boxed", "active_set", "mprgp", "interior", "geometric_cg"};

CONTACT_API_DEF const char *ct_code_text(ct_code code) { return (int)code >= 0 && code < CT_CODE_COUNT_ ? cti_world_codes[code] : "?"; }
CONTACT_API_DEF const char *ct_status_text(ct_status status)
{
    return (int)status >= 0 && status < CT_STATUS_COUNT_ ? cti_world_statuses[status] : "?";
}
CONTACT_API_DEF const char *ct_stepper_text(ct_stepper stepper)
{
    return (int)stepper >= 0 && stepper < CT_STEPPER_COUNT_ ? cti_world_steppers[stepper] : "?";
}
CONTACT_API_DEF const char *ct_solver_text(ct_solver solver)
{
    return (int)solver >= 0 && solver < CT_SOLVER_COUNT_ ? cti_world_solvers[solver] : "?";
}
CONTACT_API_DEF int ct_stepper_built(ct_stepper stepper) { return stepper == CT_STEPPER_CMR; }
CONTACT_API_DEF int ct_solver_built(ct_solver solver) { return solver == CT_SOLVER_ICA || solver == CT_SOLVER_AUTO; }

CONTACT_API_DEF const ct_library_info *ct_library_info_get(void)
{
    static const ct_library_info info = {0, 1, 0, CONTACT_REAL, CTI_SIMD_NAME, CONTACT_WITH_FILES, "cmr", "auto ica"};
    return &info;
}

CONTACT_API_DEF ct_solver_desc ct_solver_desc_default(void)
{
    ct_solver_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.solver = CT_SOLVER_ICA;
    d.cone = CT_CONE_CONE;
    d.cluster = CT_CLUSTER_AUTO;
    d.termination = CT_TERMINATION_RESIDUAL;
    d.tolerance = CTI_R(1e-4);
    d.max_iterations = 500;
    d.max_sweeps = 200;
    d.inner_iterations = 200;
    d.inner_repeats = 3;
    return d;
}

CONTACT_API_DEF ct_world_desc ct_world_desc_default(void)
{
    ct_world_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.gravity[1] = CTI_R(-9.81);
    d.thickness = CTI_R(1e-3);
    d.friction = CTI_R(0.4);
    d.self_collision = 1;
    d.stepper = CT_STEPPER_CMR;
    d.solver = ct_solver_desc_default();
    d.cmr_rounds = 5;
    d.max_halvings = 5;
    d.recovery_speed = 1;
    return d;
}

CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text)
{
    w->error.code = code;
    w->error.text = text;
    w->error.body = body;
    w->error.element = element;
    w->error.value = value;
    return code;
}

static ct_code cti_world_refuse(ct_error_info *out, ct_code code, double value, const char *text)
{
    if (out) {
        memset(out, 0, sizeof *out);
        out->code = code;
        out->text = text;
        out->element = -1;
        out->value = value;
    }
    return code;
}

static ct_code cti_world_check_solver(const ct_solver_desc *s, ct_error_info *e)
{
    if (s->cookie != CTI_COOKIE)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, s->cookie, "solver desc was not made by ct_solver_desc_default");
    if (!ct_solver_built(s->solver))
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)s->solver, "this solver is not built");
    if (!(s->tolerance > 0) || !cti_finite(s->tolerance))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)s->tolerance, "solver.tolerance must be positive");
    if (s->max_iterations < 1 || s->inner_iterations < 1 || s->max_sweeps < 1 || s->inner_repeats < 1)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, s->max_iterations, "solver iteration counts must be at least 1");
    if ((int)s->cone < 0 || s->cone > CT_CONE_CONE || (int)s->cluster < 0 || s->cluster > CT_CLUSTER_BODY || (int)s->termination < 0 ||
        s->termination > CT_TERMINATION_PAPER)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "solver cone, cluster or termination is out of range");
    return CT_OK;
}

static ct_code cti_world_check(const ct_world_desc *d, ct_error_info *e)
{
    int k;
    if (!d || d->cookie != CTI_COOKIE)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "world desc was not made by ct_world_desc_default");
    for (k = 0; k < 3; k++)
        if (!cti_finite(d->gravity[k]))
            return cti_world_refuse(e, CT_ERR_ARGUMENT, 0, "gravity must be finite");
    if (!(d->thickness > 0) || !cti_finite(d->thickness))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->thickness, "thickness must be positive");
    if (!(d->friction >= 0) || !cti_finite(d->friction))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->friction, "friction must be zero or positive");
    if (d->restitution != 0)
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->restitution, "restitution other than 0 is not built");
    if ((int)d->stepper < 0 || d->stepper >= CT_STEPPER_COUNT_)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->stepper, "stepper is out of range");
    if (!ct_stepper_built(d->stepper))
        return cti_world_refuse(e, CT_ERR_UNSUPPORTED, (double)d->stepper, "this stepper is not built");
    if (d->cmr_rounds < 1 || d->max_halvings < 0 || d->max_halvings > 8)
        return cti_world_refuse(e, CT_ERR_ARGUMENT, d->cmr_rounds, "cmr_rounds must be at least 1, max_halvings 0 to 8");
    if (!(d->recovery_speed >= 0))
        return cti_world_refuse(e, CT_ERR_ARGUMENT, (double)d->recovery_speed, "recovery_speed must be zero or positive");
    return cti_world_check_solver(&d->solver, e);
}

CONTACT_API_DEF ct_code ct_world_create(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error)
{
    cti_mem mem;
    ct_world *w;
    ct_code code;
    if (!out_world)
        return cti_world_refuse(out_error, CT_ERR_ARGUMENT, 0, "out_world is NULL");
    code = cti_world_check(desc, out_error);
    if (code != CT_OK)
        return code;
    cti_mem_init(&mem, &desc->allocator);
    w = (ct_world *)cti_mem_resize(&mem, NULL, 0, sizeof *w);
    if (!w)
        return cti_world_refuse(out_error, CT_ERR_MEMORY, (double)sizeof *w, "out of memory");
    memset(w, 0, sizeof *w);
    w->mem = mem;
    cti_arena_init(&w->arena, &w->mem);
    w->state.mem = &w->mem;
    w->state.arena = &w->arena;
    w->state.desc = *desc;
    w->error.element = -1;
    w->error.text = ct_code_text(CT_OK);
    *out_world = w;
    return CT_OK;
}

static void cti_world_free_state(ct_world *w)
{
    cti_state *s = &w->state;
    cti_mem *m = &w->mem;
    CTI_FREE(m, s->x), CTI_FREE(m, s->v), CTI_FREE(m, s->mass), CTI_FREE(m, s->inv_mass), CTI_FREE(m, s->alpha), CTI_FREE(m, s->dt_prev);
    CTI_FREE(m, s->fixed), CTI_FREE(m, s->v_fixed), CTI_FREE(m, s->filter), CTI_FREE(m, s->projectors);
    CTI_FREE(m, s->pins), CTI_FREE(m, s->directions);
    CTI_FREE(m, s->b), CTI_FREE(m, s->force), CTI_FREE(m, s->v_free), CTI_FREE(m, s->dv_free), CTI_FREE(m, s->v_new), CTI_FREE(m, s->x_new), CTI_FREE(m, s->pcg_work);
    CTI_FREE(m, s->x_old), CTI_FREE(m, s->v_old), CTI_FREE(m, s->dt_old);
    CTI_FREE(m, s->rows), CTI_FREE(m, s->origins), CTI_FREE(m, s->hits), CTI_FREE(m, s->tangled_pairs);
    cti_memory_free(m, &s->memory);
    cti_memory_free(m, &s->memory_step[0]);
    cti_memory_free(m, &s->memory_step[1]);
}

CONTACT_API_DEF void ct_world_destroy(ct_world *w)
{
    cti_mem mem;
    int i;
    if (!w)
        return;
    cti_world_unprepare(w);
    cti_world_free_state(w);
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        cti_world_free_body(w, &w->bodies[i]);
    CTI_FREE(&w->mem, w->bodies);
    CTI_FREE(&w->mem, w->pairs);
    CTI_FREE(&w->mem, w->contacts);
    cti_arena_free(&w->arena);
    mem = w->mem;
    cti_mem_resize(&mem, w, sizeof *w, 0);
}

/* thickness against the rounding of positions: h at least 64 ulp of the largest coordinate */
static ct_code cti_world_check_extent(ct_world *w)
{
    const cti_surface *f = &w->state.surface;
    ct_body_id none = {0, 0};
    int b, i;
    for (b = 0; b < f->n_bodies; b++) {
        ct_real big = 0;
        for (i = 3 * f->ranges[b].v0; i < 3 * f->ranges[b].v1; i++)
            big = cti_max(big, cti_abs(f->x0[i]));
        if (f->bodies[b].thickness < 64 * CTI_EPS * big)
            return cti_world_fail(w, CT_ERR_MESH, f->bodies[b].dynamic ? cti_world_id(w, w->surface_slot[b]) : none, -1, (double)big,
                                  "thickness is below 64 ulp of a body's largest coordinate");
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_step(ct_world *w, ct_real dt, ct_step_report *out_report)
{
    ct_step_report report;
    ct_body_id none = {0, 0};
    ct_code code;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!(dt > 0) || !cti_finite(dt))
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, (double)dt, "dt must be positive and finite");
    code = cti_world_prepare(w);
    if (code == CT_OK)
        code = cti_world_check_extent(w);
    if (code != CT_OK)
        return code;
    w->contacts_ready = 0;
    code = cti_step(&w->state, dt, &report);
    w->mem.failed = 0;
    if (code != CT_OK)
        return cti_world_fail(w, code, none, -1, 0, "out of memory in a step; the world is as it was");
    if (out_report) {
        if (w->state.limit.n > 0)
            cti_world_public_pair(w, &w->state.limit, &report.limit);
        *out_report = report;
    }
    return CT_OK;
}

CONTACT_API_DEF const ct_error_info *ct_world_error(const ct_world *w) { return w ? &w->error : NULL; }
CONTACT_API_DEF double ct_world_time(const ct_world *w) { return w ? w->state.time : 0; }
CONTACT_API_DEF int ct_world_body_count(const ct_world *w) { return w ? w->n_alive : 0; }
CONTACT_API_DEF void ct_world_allocations(const ct_world *w, int64_t *out_calls, int64_t *out_bytes)
{
    if (out_calls)
        *out_calls = w ? w->mem.n_calls : 0;
    if (out_bytes)
        *out_bytes = w ? w->mem.bytes_live : 0;
}

/* ---- 9_world/bodies.c ---- */
/* bodies.c -- adding, removing, reading and pinning bodies. Method: a body is built completely beside the world and joined last, so that a
   refused one leaves no trace. */

#define CTI_BODIES_MOST (1 << 26) /* vertices, elements: their multiples fit an int */

CONTACT_API_DEF ct_soft_desc ct_soft_desc_default(void)
{
    ct_soft_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.material = ct_material_default(CT_MODEL_NEOHOOKEAN);
    d.friction = d.thickness = -1;
    return d;
}

CONTACT_API_DEF ct_cloth_desc ct_cloth_desc_default(void)
{
    ct_cloth_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.material = ct_material_default(CT_MODEL_MEMBRANE);
    d.friction = d.thickness = -1;
    return d;
}

CONTACT_API_DEF ct_static_desc ct_static_desc_default(void)
{
    ct_static_desc d;
    memset(&d, 0, sizeof d);
    d.cookie = CTI_COOKIE;
    d.plane_normal[1] = 1;
    d.friction = d.thickness = -1;
    return d;
}

CTI_FN void cti_world_free_body(ct_world *w, cti_body *b)
{
    uint32_t generation = b->generation;
    CTI_FREE(&w->mem, b->rest);
    CTI_FREE(&w->mem, b->triangles);
    CTI_FREE(&w->mem, b->segments);
    CTI_FREE(&w->mem, b->surface_nodes);
    CTI_FREE(&w->mem, b->node_surface);
    cti_topology_free(&w->mem, &b->topology);
    cti_model_free(&w->mem, &b->model);
    memset(b, 0, sizeof *b);
    b->generation = generation;
}

CTI_FN int cti_world_slot(const ct_world *w, ct_body_id body)
{
    const cti_body *b;
    if (!w || body.index1 == 0 || body.index1 > (uint32_t)CTI_LEN(w->bodies))
        return -1;
    b = &w->bodies[body.index1 - 1];
    return b->kind == CTI_BODY_FREE || b->generation != body.generation ? -1 : (int)(body.index1 - 1);
}

CTI_FN ct_body_id cti_world_id(const ct_world *w, int slot)
{
    ct_body_id id;
    id.index1 = (uint32_t)slot + 1;
    id.generation = w->bodies[slot].generation;
    return id;
}

/* ---- checks ---- */

static ct_code cti_bodies_refuse(ct_world *w, ct_code code, int64_t element, double value, const char *text)
{
    ct_body_id none = {0, 0};
    return cti_world_fail(w, code, none, element, value, text);
}

static ct_code cti_bodies_check_indices(ct_world *w, const ct_mesh *m, const int32_t *list, int n, int per, const char *text)
{
    int i;
    if (n < 0 || (n > 0 && !list))
        return cti_bodies_refuse(w, CT_ERR_MESH, -1, n, "element count without an array");
    for (i = 0; i < n * per; i++)
        if (list[i] < 0 || list[i] >= m->n_positions)
            return cti_bodies_refuse(w, CT_ERR_MESH, i / per, list[i], text);
    return CT_OK;
}

static ct_code cti_bodies_check_mesh(ct_world *w, const ct_mesh *m)
{
    int i;
    ct_code code;
    if (!m || m->n_positions <= 0 || !m->positions)
        return cti_bodies_refuse(w, CT_ERR_MESH, -1, 0, "mesh has no positions");
    if (m->n_positions > CTI_BODIES_MOST || m->n_tets > CTI_BODIES_MOST || m->n_triangles > CTI_BODIES_MOST || m->n_segments > CTI_BODIES_MOST ||
        w->state.n > CTI_BODIES_MOST)
        return cti_bodies_refuse(w, CT_ERR_MESH, -1, m->n_positions, "more elements than a body can have");
    for (i = 0; i < 3 * m->n_positions; i++)
        if (!cti_finite(m->positions[i]))
            return cti_bodies_refuse(w, CT_ERR_MESH, i / 3, 0, "a vertex position is not finite (element: vertex)");
    code = cti_bodies_check_indices(w, m, m->tets, m->n_tets, 4, "a tet's vertex index is out of range (element: tet)");
    if (code == CT_OK)
        code = cti_bodies_check_indices(w, m, m->triangles, m->n_triangles, 3, "a triangle's vertex index is out of range (element: triangle)");
    if (code == CT_OK)
        code = cti_bodies_check_indices(w, m, m->segments, m->n_segments, 2, "a segment's vertex index is out of range (element: segment)");
    return code;
}

static ct_code cti_bodies_check_scalars(ct_world *w, ct_real friction, ct_real thickness, const ct_real *v, const ct_real *omega)
{
    int k;
    if (!cti_finite(friction) || !cti_finite(thickness) || thickness == 0)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, (double)thickness, "friction and thickness must be finite, thickness not 0");
    for (k = 0; v && k < 3; k++)
        if (!cti_finite(v[k]) || !cti_finite(omega[k]))
            return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "velocity must be finite");
    return CT_OK;
}

/* ---- building ---- */

static void cti_bodies_name(cti_body *b, const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (n >= sizeof b->name)
        n = sizeof b->name - 1;
    if (n)
        memcpy(b->name, name, n);
    b->name[n] = 0;
}

/* surface: which vertices it has, and its topology in their numbering */
static ct_code cti_bodies_surface(ct_world *w, cti_body *b, int all_vertices)
{
    cti_mem *m = &w->mem;
    int32_t *tri = NULL, *seg = NULL;
    int i, nt = CTI_LEN(b->triangles), ns = CTI_LEN(b->segments), ok;
    if (!CTI_RESIZE(m, b->node_surface, b->n))
        return CT_ERR_MEMORY;
    for (i = 0; i < b->n; i++)
        b->node_surface[i] = all_vertices ? 0 : -1;
    for (i = 0; i < nt; i++)
        b->node_surface[b->triangles[i]] = 0;
    for (i = 0; i < ns; i++)
        b->node_surface[b->segments[i]] = 0;
    for (i = 0; i < b->n; i++)
        if (b->node_surface[i] == 0) {
            b->node_surface[i] = CTI_LEN(b->surface_nodes);
            if (!CTI_PUSH(m, b->surface_nodes, i))
                return CT_ERR_MEMORY;
        }
    ok = CTI_RESIZE(m, tri, nt) && CTI_RESIZE(m, seg, ns);
    if (ok) {
        for (i = 0; i < nt; i++)
            tri[i] = b->node_surface[b->triangles[i]];
        for (i = 0; i < ns; i++)
            seg[i] = b->node_surface[b->segments[i]];
        ok = cti_topology_build(m, &b->topology, CTI_LEN(b->surface_nodes), tri, nt / 3, seg, ns / 2);
    }
    CTI_FREE(m, tri);
    CTI_FREE(m, seg);
    return ok ? CT_OK : CT_ERR_MEMORY;
}

static ct_code cti_bodies_copy(ct_world *w, cti_body *b, const ct_mesh *mesh)
{
    b->n = mesh->n_positions;
    if (!CTI_RESIZE(&w->mem, b->rest, 3 * b->n))
        return CT_ERR_MEMORY;
    memcpy(b->rest, mesh->positions, sizeof(ct_real) * 3 * (size_t)b->n);
    return CT_OK;
}

static ct_code cti_bodies_copy_list(ct_world *w, int32_t **out, const int32_t *list, int n)
{
    if (!CTI_RESIZE(&w->mem, *out, n))
        return CT_ERR_MEMORY;
    if (n)
        memcpy(*out, list, sizeof(int32_t) * (size_t)n);
    return CT_OK;
}

/* room for the body's vertices in the block arrays; joining them cannot fail after this */
static int cti_bodies_reserve_blocks(ct_world *w, const cti_body *b)
{
    cti_state *s = &w->state;
    cti_mem *m = &w->mem;
    int n1 = s->n + b->n;
    return CTI_RESERVE(m, s->x, 3 * n1) && CTI_RESERVE(m, s->v, 3 * n1) && CTI_RESERVE(m, s->mass, n1) && CTI_RESERVE(m, s->inv_mass, n1) &&
           CTI_RESERVE(m, s->alpha, n1) && CTI_RESERVE(m, s->dt_prev, n1);
}

/* the block arrays grow by the body's vertices */
static void cti_bodies_join_blocks(ct_world *w, cti_body *b, const ct_real *v, const ct_real *omega)
{
    cti_state *s = &w->state;
    cti_mem *m = &w->mem;
    int n0 = s->n, n1 = s->n + b->n, i;
    cti_v3 c = cti_v3_zero();
    ct_real M = 0;
    CTI_RESIZE(m, s->x, 3 * n1), CTI_RESIZE(m, s->v, 3 * n1), CTI_RESIZE(m, s->mass, n1), CTI_RESIZE(m, s->inv_mass, n1);
    CTI_RESIZE(m, s->alpha, n1), CTI_RESIZE(m, s->dt_prev, n1);
    for (i = n0; i < n1; i++) {
        s->mass[i] = 0;
        s->alpha[i] = b->material.damping_mass;
        s->dt_prev[i] = 0;
    }
    s->n = n1;
    cti_model_mass(&b->model, s->mass);
    for (i = n0; i < n1; i++) {
        c = cti_v3_mad(c, cti_v3_at(b->rest, i - n0), s->mass[i]);
        M += s->mass[i];
        s->inv_mass[i] = s->mass[i] > 0 ? 1 / s->mass[i] : 0;
    }
    c = M > 0 ? cti_v3_mul(c, 1 / M) : c;
    for (i = n0; i < n1; i++) {
        cti_v3 p = cti_v3_at(b->rest, i - n0), r = cti_v3_sub(p, c);
        cti_v3_put(s->x, i, p);
        cti_v3_put(s->v, i, cti_v3_add(cti_v3_at(v, 0), cti_v3_cross(cti_v3_at(omega, 0), r)));
    }
}

/* a free slot, or a new one at the end */
static int cti_bodies_slot(ct_world *w)
{
    cti_body empty;
    int i;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind == CTI_BODY_FREE)
            return i;
    memset(&empty, 0, sizeof empty);
    empty.generation = 1;
    return CTI_PUSH(&w->mem, w->bodies, empty) ? i : -1;
}

/* the finished body becomes part of the world, or is freed */
static ct_code cti_bodies_join(ct_world *w, cti_body *b, ct_code code, const ct_real *v, const ct_real *omega, ct_body_id *out)
{
    int slot = -1;
    /* blocks first: new slots may move the bodies, and a step that follows a refusal still points at their models */
    if (code == CT_OK && b->block0 >= 0 && !cti_bodies_reserve_blocks(w, b))
        code = CT_ERR_MEMORY;
    if (code == CT_OK) {
        slot = cti_bodies_slot(w);
        if (slot < 0)
            code = CT_ERR_MEMORY;
        else if (b->block0 >= 0)
            cti_bodies_join_blocks(w, b, v, omega);
    }
    if (code != CT_OK) {
        cti_world_free_body(w, b);
        w->mem.failed = 0;
        return code == CT_ERR_MEMORY ? cti_bodies_refuse(w, code, -1, 0, "out of memory; the body was not added") : code;
    }
    b->generation = w->bodies[slot].generation;
    w->bodies[slot] = *b;
    w->n_alive++;
    w->ready = 0;
    *out = cti_world_id(w, slot);
    return CT_OK;
}

static void cti_bodies_begin(ct_world *w, cti_body *b, cti_body_kind kind, const char *name, ct_real friction, ct_real thickness)
{
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->block0 = -1;
    b->friction = friction < 0 ? w->state.desc.friction : friction;
    b->thickness = thickness < 0 ? w->state.desc.thickness : thickness;
    cti_bodies_name(b, name);
}

CONTACT_API_DEF ct_code ct_body_add_soft(ct_world *w, const ct_soft_desc *d, ct_body_id *out_body)
{
    cti_body b;
    const char *text = NULL;
    int64_t bad = -1;
    double value = 0;
    ct_code code;
    int ok;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_body)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_body is NULL");
    if (!d || d->cookie != CTI_COOKIE)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "desc was not made by ct_soft_desc_default");
    code = cti_bodies_check_mesh(w, d->mesh);
    if (code == CT_OK)
        code = cti_bodies_check_scalars(w, d->friction, d->thickness, d->velocity, d->angular_velocity);
    if (code != CT_OK)
        return code;
    if (d->mesh->n_tets <= 0)
        return cti_bodies_refuse(w, CT_ERR_MESH, -1, 0, "a soft body needs tets");
    if (!cti_material_check(&d->material, 0, &text))
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, text);
    cti_bodies_begin(w, &b, CTI_BODY_SOFT, d->name, d->friction, d->thickness);
    b.block0 = w->state.n;
    b.material = d->material;
    code = cti_bodies_copy(w, &b, d->mesh);
    if (code == CT_OK) {
        ok = cti_model_init_soft(&w->mem, &b.model, &d->material, b.rest, b.n, d->mesh->tets, d->mesh->n_tets, b.block0, &bad, &value);
        code = ok > 0 ? CT_OK : CT_ERR_MEMORY;
        if (ok < 0)
            code = cti_bodies_refuse(w, CT_ERR_MESH, bad, value, "a tet is inverted or flat (element: tet, value: volume)");
    }
    if (code == CT_OK && !cti_mesh_boundary(&w->mem, d->mesh->tets, d->mesh->n_tets, b.n, &b.triangles))
        code = CT_ERR_MEMORY;
    if (code == CT_OK)
        code = cti_bodies_surface(w, &b, 0);
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_cloth(ct_world *w, const ct_cloth_desc *d, ct_body_id *out_body)
{
    cti_body b;
    const char *text = NULL;
    int64_t bad = -1;
    double value = 0;
    ct_code code;
    int ok;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_body)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_body is NULL");
    if (!d || d->cookie != CTI_COOKIE)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "desc was not made by ct_cloth_desc_default");
    code = cti_bodies_check_mesh(w, d->mesh);
    if (code == CT_OK)
        code = cti_bodies_check_scalars(w, d->friction, d->thickness, d->velocity, d->angular_velocity);
    if (code != CT_OK)
        return code;
    if (d->mesh->n_triangles <= 0)
        return cti_bodies_refuse(w, CT_ERR_MESH, -1, 0, "a cloth needs triangles");
    if (!cti_material_check(&d->material, 1, &text))
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, text);
    cti_bodies_begin(w, &b, CTI_BODY_CLOTH, d->name, d->friction, d->thickness);
    b.block0 = w->state.n;
    b.material = d->material;
    code = cti_bodies_copy(w, &b, d->mesh);
    if (code == CT_OK) {
        ok = cti_model_init_cloth(&w->mem, &b.model, &d->material, b.rest, b.n, d->mesh->triangles, d->mesh->n_triangles, b.block0, &bad, &value);
        code = ok > 0 ? CT_OK : CT_ERR_MEMORY;
        if (ok < 0)
            code = cti_bodies_refuse(w, CT_ERR_MESH, bad, value, "a triangle has no area (element: triangle, value: area)");
    }
    if (code == CT_OK)
        code = cti_bodies_copy_list(w, &b.triangles, d->mesh->triangles, 3 * d->mesh->n_triangles);
    if (code == CT_OK)
        code = cti_bodies_surface(w, &b, 0);
    return cti_bodies_join(w, &b, code, d->velocity, d->angular_velocity, out_body);
}

CONTACT_API_DEF ct_code ct_body_add_static(ct_world *w, const ct_static_desc *d, ct_body_id *out_body)
{
    cti_body b;
    ct_code code;
    cti_v3 n;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_body)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_body is NULL");
    if (!d || d->cookie != CTI_COOKIE)
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "desc was not made by ct_static_desc_default");
    code = cti_bodies_check_scalars(w, d->friction, d->thickness, NULL, NULL);
    if (code == CT_OK && d->mesh)
        code = cti_bodies_check_mesh(w, d->mesh);
    if (code != CT_OK)
        return code;
    n = cti_v3_at(d->plane_normal, 0);
    if (!d->mesh && (!cti_finite(d->plane_offset) || !cti_finite(cti_v3_norm2(n)) || !(cti_v3_norm2(n) > 0)))
        return cti_bodies_refuse(w, CT_ERR_ARGUMENT, -1, 0, "a plane needs a finite offset and a normal other than 0");
    cti_bodies_begin(w, &b, d->mesh ? CTI_BODY_STATIC : CTI_BODY_PLANE, d->name, d->friction, d->thickness);
    if (!d->mesh) {
        ct_real len = cti_v3_norm(n);
        cti_v3_put(b.plane_normal, 0, cti_v3_mul(n, 1 / len));
        b.plane_offset = d->plane_offset / len;
        return cti_bodies_join(w, &b, CT_OK, NULL, NULL, out_body);
    }
    code = cti_bodies_copy(w, &b, d->mesh);
    if (code == CT_OK)
        code = cti_bodies_copy_list(w, &b.triangles, d->mesh->triangles, 3 * d->mesh->n_triangles);
    if (code == CT_OK)
        code = cti_bodies_copy_list(w, &b.segments, d->mesh->segments, 2 * d->mesh->n_segments);
    if (code == CT_OK)
        code = cti_bodies_surface(w, &b, d->mesh->n_triangles == 0 && d->mesh->n_segments == 0);
    return cti_bodies_join(w, &b, code, NULL, NULL, out_body);
}

#undef CTI_BODIES_MOST

/* ---- 9_world/state.c ---- */
/* state.c -- removing bodies, reading and writing their state, pins. */

static ct_code cti_bodies_stale(ct_world *w, ct_body_id body)
{
    return w ? cti_world_fail(w, CT_ERR_STALE_ID, body, -1, body.index1, "stale or null body id") : CT_ERR_ARGUMENT;
}

/* blocks [b0, b0 + n) leave; later ones move down */
static void cti_bodies_remove_blocks(ct_world *w, int b0, int n)
{
    cti_state *s = &w->state;
    size_t tail = (size_t)(s->n - b0 - n);
    int i, k;
    memmove(s->x + 3 * b0, s->x + 3 * (b0 + n), sizeof(ct_real) * 3 * tail);
    memmove(s->v + 3 * b0, s->v + 3 * (b0 + n), sizeof(ct_real) * 3 * tail);
    memmove(s->mass + b0, s->mass + b0 + n, sizeof(ct_real) * tail);
    memmove(s->inv_mass + b0, s->inv_mass + b0 + n, sizeof(ct_real) * tail);
    memmove(s->alpha + b0, s->alpha + b0 + n, sizeof(ct_real) * tail);
    memmove(s->dt_prev + b0, s->dt_prev + b0 + n, sizeof(ct_real) * tail);
    s->n -= n;
    for (i = k = 0; i < CTI_LEN(s->pins); i++)
        if (s->pins[i].block < b0 || s->pins[i].block >= b0 + n) {
            s->pins[k] = s->pins[i];
            s->pins[k++].block -= s->pins[i].block >= b0 ? n : 0;
        }
    if (s->pins)
        stbds_header(s->pins)->length = (size_t)k;
    for (i = k = 0; i < CTI_LEN(s->directions); i++)
        if (s->directions[i].block < b0 || s->directions[i].block >= b0 + n) {
            s->directions[k] = s->directions[i];
            s->directions[k++].block -= s->directions[i].block >= b0 ? n : 0;
        }
    if (s->directions)
        stbds_header(s->directions)->length = (size_t)k;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].block0 > b0) {
            w->bodies[i].block0 -= n;
            cti_model_shift(&w->bodies[i].model, -n);
        }
}

CONTACT_API_DEF ct_code ct_body_remove(ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    cti_body *b;
    if (slot < 0)
        return cti_bodies_stale(w, body);
    b = &w->bodies[slot];
    if (b->block0 >= 0) {
        int b0 = b->block0, n = b->n;
        b->block0 = -1;
        cti_bodies_remove_blocks(w, b0, n);
        if (w->state.x) {
            stbds_header(w->state.x)->length = stbds_header(w->state.v)->length = 3 * (size_t)w->state.n;
            stbds_header(w->state.mass)->length = stbds_header(w->state.inv_mass)->length = (size_t)w->state.n;
            stbds_header(w->state.alpha)->length = stbds_header(w->state.dt_prev)->length = (size_t)w->state.n;
        }
    }
    cti_world_unprepare(w);
    /* what pairs with this body remembered is never asked for again: its id is used up */
    cti_world_free_body(w, b);
    b->generation++;
    w->n_alive--;
    return CT_OK;
}

CONTACT_API_DEF int ct_body_vertex_count(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot < 0 ? 0 : w->bodies[slot].n;
}

CONTACT_API_DEF const char *ct_body_name(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot < 0 ? "" : w->bodies[slot].name;
}

static void cti_bodies_write(const ct_real *from, int n, void *out, ct_scalar_type type, size_t stride)
{
    int i, k;
    for (i = 0; i < n; i++) {
        char *p = (char *)out + (size_t)i * stride;
        for (k = 0; k < 3; k++) {
            double d = (double)from[3 * i + k];
            float f = (float)d;
            if (type == CT_SCALAR_FLOAT)
                memcpy(p + (size_t)k * sizeof f, &f, sizeof f);
            else
                memcpy(p + (size_t)k * sizeof d, &d, sizeof d);
        }
    }
}

static ct_code cti_bodies_get(const ct_world *cw, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n, int velocities)
{
    ct_world *w = (ct_world *)cw;
    int slot = cti_world_slot(w, body);
    const cti_body *b;
    if (slot < 0)
        return cti_bodies_stale(w, body);
    if (out && stride < 3 * (type == CT_SCALAR_FLOAT ? sizeof(float) : sizeof(double)))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)stride, "stride is smaller than three scalars");
    b = &w->bodies[slot];
    if (out_n)
        *out_n = b->n;
    if (!out || b->n == 0)
        return CT_OK;
    if (b->block0 >= 0)
        cti_bodies_write((velocities ? w->state.v : w->state.x) + 3 * (size_t)b->block0, b->n, out, type, stride);
    else if (!velocities)
        cti_bodies_write(b->rest, b->n, out, type, stride);
    else {
        static const ct_real zero[3] = {0, 0, 0};
        int i;
        for (i = 0; i < b->n; i++)
            cti_bodies_write(zero, 1, (char *)out + (size_t)i * stride, type, stride);
    }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_positions(const ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    return cti_bodies_get(w, body, out, type, stride, out_n, 0);
}

CONTACT_API_DEF ct_code ct_body_get_velocities(const ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    return cti_bodies_get(w, body, out, type, stride, out_n, 1);
}

CONTACT_API_DEF ct_code ct_body_set_velocities(ct_world *w, ct_body_id body, const ct_real *velocities, int n)
{
    int slot = cti_world_slot(w, body), i;
    const cti_body *b;
    if (slot < 0)
        return cti_bodies_stale(w, body);
    b = &w->bodies[slot];
    if (b->block0 < 0 || n != b->n || !velocities)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n, "velocities need a body that moves and one entry per vertex");
    for (i = 0; i < 3 * n; i++)
        if (!cti_finite(velocities[i]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i / 3, 0, "a velocity is not finite (element: vertex)");
    memcpy(w->state.v + 3 * (size_t)b->block0, velocities, sizeof(ct_real) * 3 * (size_t)n);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_triangles(const ct_world *cw, ct_body_id body, const int32_t **out_triangles, int *out_n)
{
    ct_world *w = (ct_world *)cw;
    int slot = cti_world_slot(w, body);
    if (slot < 0)
        return cti_bodies_stale(w, body);
    if (!out_triangles || !out_n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "out_triangles or out_n is NULL");
    *out_triangles = w->bodies[slot].triangles;
    *out_n = CTI_LEN(w->bodies[slot].triangles) / 3;
    return CT_OK;
}

static ct_code cti_bodies_check_motion(ct_world *w, ct_body_id body, const ct_motion *m)
{
    int k;
    for (k = 0; m && k < 3; k++)
        if (!cti_finite(m->linear[k]) || !cti_finite(m->angular[k]) || !cti_finite(m->center[k]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "motion must be finite");
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_pin(ct_world *w, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion *motion, double until)
{
    int slot = cti_world_slot(w, body), i, old;
    const cti_body *b;
    if (slot < 0)
        return cti_bodies_stale(w, body);
    b = &w->bodies[slot];
    if (b->block0 < 0 || n < 0 || (n > 0 && !vertices) || (axes & ~CT_AXIS_ALL) || !(until == until))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, axes, "a pin needs a body that moves, vertices and an axis mask");
    if (cti_bodies_check_motion(w, body, motion) != CT_OK)
        return CT_ERR_ARGUMENT;
    for (i = 0; i < n; i++)
        if (vertices[i] < 0 || vertices[i] >= b->n)
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, vertices[i], "a pinned vertex is out of range (element: place in the list, value: vertex)");
    old = CTI_LEN(w->state.pins);
    if (!CTI_RESERVE(&w->mem, w->state.pins, old + n))
        return cti_world_fail(w, CT_ERR_MEMORY, body, -1, n, "out of memory; nothing was pinned");
    for (i = 0; i < n; i++) {
        cti_pin p;
        memset(&p, 0, sizeof p);
        p.block = b->block0 + vertices[i];
        p.axes = axes;
        memcpy(p.start, w->state.x + 3 * (size_t)p.block, sizeof p.start);
        if (motion)
            p.motion = *motion;
        p.t0 = w->state.time;
        p.until = until;
        CTI_PUSH(&w->mem, w->state.pins, p);
    }
    return CT_OK;
}

/* the projector next to a matrix that is nearly one: P <- 3 P^2 - 2 P^3 drives its eigenvalues to 0 and 1 (McWeeny 1960) */
static void cti_bodies_purify(const ct_real *from, ct_real *P)
{
    int i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            P[3 * i + j] = (from[3 * i + j] + from[3 * j + i]) / 2;
    for (k = 0; k < 4; k++) {
        cti_m3 sq = cti_m3_mul(P, P), cube = cti_m3_mul(sq.m, P);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                P[3 * i + j] = (3 * sq.m[3 * i + j] - 2 * cube.m[3 * i + j] + 3 * sq.m[3 * j + i] - 2 * cube.m[3 * j + i]) / 2;
    }
}

CONTACT_API_DEF ct_code ct_body_constrain(ct_world *w, ct_body_id body, int vertex, const ct_real projector[9])
{
    int slot = cti_world_slot(w, body), i, j;
    cti_direction d;
    cti_m3 sq;
    if (slot < 0)
        return cti_bodies_stale(w, body);
    if (w->bodies[slot].block0 < 0 || vertex < 0 || vertex >= w->bodies[slot].n || !projector)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, vertex, "the constrained vertex is out of range (element: vertex)");
    /* symmetric and idempotent, or it is no projector */
    sq = cti_m3_mul(projector, projector);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (!(cti_abs(projector[3 * i + j] - projector[3 * j + i]) <= CTI_R(1e-4)) || !(cti_abs(sq.m[3 * i + j] - projector[3 * i + j]) <= CTI_R(1e-4)))
                return cti_world_fail(w, CT_ERR_ARGUMENT, body, vertex, (double)projector[3 * i + j], "the matrix is no symmetric projector");
    d.block = w->bodies[slot].block0 + vertex;
    cti_bodies_purify(projector, d.projector);
    for (i = 0; i < CTI_LEN(w->state.directions); i++)
        if (w->state.directions[i].block == d.block) {
            w->state.directions[i] = d;
            return CT_OK;
        }
    return CTI_PUSH(&w->mem, w->state.directions, d) ? CT_OK : cti_world_fail(w, CT_ERR_MEMORY, body, -1, 0, "out of memory");
}

/* ---- 9_world/query.c ---- */
/* query.c -- what a world tells of itself: pairs, contacts, hash. */

/* soup vertex to body vertex */
static int32_t cti_query_vertex(const ct_world *w, int v)
{
    const cti_surface *f = &w->state.surface;
    int body = f->body_of[v];
    return w->bodies[w->surface_slot[body]].surface_nodes[v - f->ranges[body].v0];
}

CTI_FN void cti_world_public_pair(const ct_world *w, const cti_pair *p, ct_pair *out)
{
    const cti_surface *f = &w->state.surface;
    int k;
    memset(out, 0, sizeof *out);
    for (k = 0; k < 3; k++)
        out->vertices_a[k] = out->vertices_b[k] = -1;
    out->kind = (ct_pair_kind)p->kind;
    out->body_a = cti_world_id(w, w->surface_slot[cti_pair_body_a(f, p)]);
    out->body_b = cti_world_id(w, w->surface_slot[cti_pair_body_b(f, p)]);
    for (k = 0; k < p->n_a; k++)
        out->vertices_a[k] = cti_query_vertex(w, p->v[k]);
    for (k = p->n_a; k < p->n; k++)
        out->vertices_b[k - p->n_a] = cti_query_vertex(w, p->v[k]);
}

/* an edge of a and a face of b, in a public pair */
static void cti_query_edge_face(const ct_world *w, int e, int face, ct_pair *out)
{
    const cti_surface *f = &w->state.surface;
    int k;
    memset(out, 0, sizeof *out);
    out->kind = CT_PAIR_EF;
    out->vertices_a[2] = -1;
    out->body_a = cti_world_id(w, w->surface_slot[f->body_of[f->edges[2 * e]]]);
    out->body_b = cti_world_id(w, w->surface_slot[f->body_of[f->faces[3 * face]]]);
    for (k = 0; k < 2; k++)
        out->vertices_a[k] = cti_query_vertex(w, f->edges[2 * e + k]);
    for (k = 0; k < 3; k++)
        out->vertices_b[k] = cti_query_vertex(w, f->faces[3 * face + k]);
}

/* vertices of moving bodies that lie behind a plane */
static int cti_query_planes(ct_world *w)
{
    const cti_surface *f = &w->state.surface;
    int i, k;
    for (k = 0; k < f->n_planes; k++)
        for (i = 0; i < f->nv; i++) {
            cti_pair p;
            ct_pair out;
            int feature;
            if (!f->bodies[f->body_of[i]].dynamic)
                continue;
            cti_pair_make(f, CT_PAIR_PLANE, i, k, &p);
            out.distance = cti_pair_closest(f, f->x0, &p, &feature);
            if (out.distance > 0)
                continue;
            cti_world_public_pair(w, &p, &out);
            out.distance = cti_pair_closest(f, f->x0, &p, &feature);
            if (!CTI_PUSH(&w->mem, w->pairs, out))
                return 0;
        }
    return 1;
}

CONTACT_API_DEF ct_code ct_world_validate(const ct_world *cw, ct_pair **out_pairs, int *out_n)
{
    ct_world *w = (ct_world *)cw; /* scratch of the world is used; its state is not changed */
    ct_body_id none = {0, 0};
    int32_t *hits = NULL;
    ct_code code;
    int i, ok;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_pairs || !out_n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "out_pairs or out_n is NULL");
    code = cti_world_prepare(w);
    if (code != CT_OK)
        return code;
    CTI_CLEAR(w->pairs);
    w->state.detect.valid = 0; /* the trees' boxes are used for another question */
    ok = cti_broad_update(&w->mem, &w->state.surface.broad, &w->state.surface.soup, w->state.surface.x0, w->state.surface.x0) &&
         cti_intersect_soup(&w->mem, &w->state.surface.broad, &w->state.surface.soup, w->state.surface.x0, &hits);
    for (i = 0; ok && i < CTI_LEN(hits) / 2; i++) {
        ct_pair p;
        cti_query_edge_face(w, hits[2 * i], hits[2 * i + 1], &p);
        ok = CTI_PUSH(&w->mem, w->pairs, p);
    }
    ok = ok && cti_query_planes(w);
    CTI_FREE(&w->mem, hits);
    if (!ok)
        return cti_world_fail(w, CT_ERR_MEMORY, none, -1, 0, "out of memory while validating");
    *out_pairs = w->pairs;
    *out_n = CTI_LEN(w->pairs);
    return CT_OK;
}

static void cti_query_contact(const ct_world *w, int i, ct_contact *out)
{
    const cti_state *s = &w->state;
    const cti_row *row = &s->rows[i];
    const cti_pair *p = &s->origins[i].pair;
    cti_v3 at = cti_v3_zero();
    ct_pair names;
    int k;
    memset(out, 0, sizeof *out);
    cti_world_public_pair(w, p, &names);
    out->kind = names.kind;
    out->body_a = names.body_a, out->body_b = names.body_b;
    memcpy(out->vertices_a, names.vertices_a, sizeof names.vertices_a);
    memcpy(out->vertices_b, names.vertices_b, sizeof names.vertices_b);
    for (k = 0; k < p->n_a; k++) {
        out->weights_a[k] = p->w[k];
        at = cti_v3_mad(at, cti_v3_at(s->surface.x0, p->v[k]), p->w[k]);
    }
    for (k = p->n_a; k < p->n; k++)
        out->weights_b[k - p->n_a] = -p->w[k];
    cti_v3_put(out->point, 0, at);
    memcpy(out->normal, row->frame, sizeof out->normal);
    memcpy(out->tangent, row->frame + 3, sizeof out->tangent);
    out->gap = cti_v3_dot(cti_v3_at(row->frame, 0), cti_pair_offset(&s->surface, s->surface.x0, p)) - s->origins[i].thickness;
    out->impulse_normal = row->r[0];
    out->impulse_tangent[0] = row->r[1], out->impulse_tangent[1] = row->r[2];
    out->sticking = row->r[1] * row->r[1] + row->r[2] * row->r[2] < row->mu * row->mu * row->r[0] * row->r[0] * CTI_R(0.9999);
}

CONTACT_API_DEF ct_code ct_world_contacts(const ct_world *cw, const ct_contact **out_contacts, int *out_n)
{
    ct_world *w = (ct_world *)cw;
    ct_body_id none = {0, 0};
    int i;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_contacts || !out_n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "out_contacts or out_n is NULL");
    if (!w->contacts_ready) {
        CTI_CLEAR(w->contacts);
        for (i = 0; i < CTI_LEN(w->state.rows); i++) {
            ct_contact c;
            if (!(w->state.rows[i].r[0] > 0))
                continue;
            cti_query_contact(w, i, &c);
            if (!CTI_PUSH(&w->mem, w->contacts, c))
                return cti_world_fail(w, CT_ERR_MEMORY, none, -1, 0, "out of memory while listing contacts");
        }
        w->contacts_ready = 1;
    }
    *out_contacts = w->contacts;
    *out_n = CTI_LEN(w->contacts);
    return CT_OK;
}

static uint64_t cti_query_mix(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

CONTACT_API_DEF uint64_t ct_world_hash(const ct_world *w)
{
    uint64_t h = 0xcbf29ce484222325ull;
    int i;
    if (!w)
        return 0;
    h = cti_query_mix(h, w->state.x, sizeof(ct_real) * 3 * (size_t)w->state.n);
    h = cti_query_mix(h, w->state.v, sizeof(ct_real) * 3 * (size_t)w->state.n);
    for (i = 0; i < CTI_LEN(w->state.memory.items); i++) {
        h = cti_query_mix(h, w->state.memory.items[i].impulse, sizeof w->state.memory.items[i].impulse);
        h = cti_query_mix(h, w->state.memory.items[i].slip, sizeof w->state.memory.items[i].slip);
    }
    return cti_query_mix(h, &w->state.time, sizeof w->state.time);
}

/* ---- 9_world/files_cpb.c ---- */
/* files_cpb.c -- the last contact problem of a world as a CPB file (global frictional contact: A v = f + H r, u = H' v + w).
   Method: arrays are built one after the other and written to a temporary file, which is renamed when whole. */

#if CONTACT_WITH_FILES
#include <stdio.h>

typedef struct cti_cpb {
    cti_mem *mem;
    unsigned char *bytes; /* the file so far */
    uint32_t n_arrays;
    int ok;
} cti_cpb;

static void cti_cpb_bytes(cti_cpb *c, const void *data, size_t n)
{
    int at = CTI_LEN(c->bytes);
    if (!c->ok || n == 0)
        return;
    if (n > 0x3fffffff || !CTI_RESERVE(c->mem, c->bytes, at + (int)n)) {
        c->ok = 0;
        return;
    }
    memcpy(c->bytes + at, data, n);
    stbds_header(c->bytes)->length += n;
}

/* header of an array of `count` numbers, dtype 0 int32, 1 float64 */
static void cti_cpb_head(cti_cpb *c, const char *name, uint32_t dtype, uint64_t count)
{
    char padded[16];
    uint32_t zero = 0;
    memset(padded, 0, sizeof padded);
    memcpy(padded, name, strlen(name));
    cti_cpb_bytes(c, padded, sizeof padded);
    cti_cpb_bytes(c, &dtype, 4);
    cti_cpb_bytes(c, &zero, 4);
    cti_cpb_bytes(c, &count, 8);
    c->n_arrays++;
}

static void cti_cpb_pad(cti_cpb *c)
{
    static const unsigned char zero[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    cti_cpb_bytes(c, zero, (8 - (size_t)CTI_LEN(c->bytes) % 8) % 8);
}

static void cti_cpb_int(cti_cpb *c, int v)
{
    int32_t i = (int32_t)v;
    cti_cpb_bytes(c, &i, 4);
}

static void cti_cpb_real(cti_cpb *c, ct_real v)
{
    double d = (double)v;
    cti_cpb_bytes(c, &d, 8);
}

static void cti_cpb_dim(cti_cpb *c, const char *name, int rows, int columns)
{
    cti_cpb_head(c, name, 0, 2);
    cti_cpb_int(c, rows);
    cti_cpb_int(c, columns);
}

/* A: upper block triangle, 3x3 blocks row-major */
static void cti_cpb_matrix(cti_cpb *c, const cti_bsr *A)
{
    int i, k, e, n = 0;
    for (i = 0; i < A->n; i++)
        n += A->row[i + 1] - A->diag[i];
    cti_cpb_dim(c, "A.dim", A->n, A->n);
    cti_cpb_head(c, "A.p", 0, (uint64_t)A->n + 1);
    for (n = i = 0; i <= A->n; i++) {
        cti_cpb_int(c, n);
        n += i < A->n ? A->row[i + 1] - A->diag[i] : 0;
    }
    cti_cpb_pad(c);
    cti_cpb_head(c, "A.i", 0, (uint64_t)n);
    for (i = 0; i < A->n; i++)
        for (k = A->diag[i]; k < A->row[i + 1]; k++)
            cti_cpb_int(c, A->col[k]);
    cti_cpb_pad(c);
    cti_cpb_head(c, "A.x", 1, 9 * (uint64_t)n);
    for (i = 0; i < A->n; i++)
        for (k = A->diag[i]; k < A->row[i + 1]; k++)
            for (e = 0; e < 9; e++)
                cti_cpb_real(c, A->val[9 * (size_t)k + (size_t)e]);
}

/* H = J' as CSR over velocities: gathered from the rows by counting */
static void cti_cpb_jacobian(cti_cpb *c, const cti_problem *p)
{
    int n3 = 3 * p->A->n, i, k, a, b, total = 0, *start = NULL, *fill = NULL, *index = NULL;
    double *value = NULL;
    for (i = 0; i < p->n_rows; i++)
        total += 9 * p->rows[i].n;
    c->ok = c->ok && CTI_RESIZE(c->mem, start, n3 + 1) && CTI_RESIZE(c->mem, fill, n3 + 1) && CTI_RESIZE(c->mem, index, total) &&
            CTI_RESIZE(c->mem, value, total);
    for (i = 0; c->ok && i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++)
            for (a = 0; a < 3; a++)
                start[3 * p->rows[i].term[k].block + a + 1] += 3;
    for (i = 0; c->ok && i < n3; i++)
        fill[i] = start[i], start[i + 1] += start[i], fill[i] = start[i];
    for (i = 0; c->ok && i < p->n_rows; i++)
        for (k = 0; k < p->rows[i].n; k++) {
            ct_real Gt[9];
            cti_row_map_t(p, &p->rows[i], k, Gt);
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++) {
                    int at = fill[3 * p->rows[i].term[k].block + a]++;
                    index[at] = 3 * i + b;
                    value[at] = (double)Gt[3 * a + b];
                }
        }
    if (c->ok) {
        cti_cpb_dim(c, "H.dim", n3, 3 * p->n_rows);
        cti_cpb_head(c, "H.p", 0, (uint64_t)n3 + 1);
        cti_cpb_bytes(c, start, sizeof(int) * (size_t)(n3 + 1));
        cti_cpb_pad(c);
        cti_cpb_head(c, "H.i", 0, (uint64_t)total);
        cti_cpb_bytes(c, index, sizeof(int) * (size_t)total);
        cti_cpb_pad(c);
        cti_cpb_head(c, "H.x", 1, (uint64_t)total);
        cti_cpb_bytes(c, value, sizeof(double) * (size_t)total);
    }
    CTI_FREE(c->mem, start), CTI_FREE(c->mem, fill), CTI_FREE(c->mem, index), CTI_FREE(c->mem, value);
}

static void cti_cpb_build(cti_cpb *c, const cti_problem *p, const ct_real *v)
{
    static const char magic[8] = {'C', 'P', 'B', '1', 0, 0, 0, 0};
    uint32_t kind = 2, zero = 0;
    int i, k;
    cti_cpb_bytes(c, magic, 8);
    cti_cpb_bytes(c, &kind, 4);
    cti_cpb_bytes(c, &zero, 4);
    cti_cpb_head(c, "nc", 0, 1);
    cti_cpb_int(c, p->n_rows);
    cti_cpb_pad(c);
    cti_cpb_matrix(c, p->A);
    cti_cpb_head(c, "f", 1, 3 * (uint64_t)p->A->n);
    for (i = 0; i < 3 * p->A->n; i++)
        cti_cpb_real(c, p->b[i]);
    cti_cpb_jacobian(c, p);
    cti_cpb_head(c, "w", 1, 3 * (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            cti_cpb_real(c, p->rows[i].w[k]);
    cti_cpb_head(c, "mu", 1, (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        cti_cpb_real(c, p->rows[i].mu);
    cti_cpb_head(c, "r_ref", 1, 3 * (uint64_t)p->n_rows);
    for (i = 0; i < p->n_rows; i++)
        for (k = 0; k < 3; k++)
            cti_cpb_real(c, p->rows[i].r[k]);
    cti_cpb_head(c, "v_ref", 1, 3 * (uint64_t)p->A->n);
    for (i = 0; i < 3 * p->A->n; i++)
        cti_cpb_real(c, v[i]);
    if (c->ok)
        memcpy(c->bytes + 12, &c->n_arrays, 4);
}

/* write, then rename; 0 when the file system refuses */
static int cti_cpb_save(const cti_cpb *c, const char *path, char *temporary)
{
    FILE *f;
    size_t n = (size_t)CTI_LEN(c->bytes), put;
    memcpy(temporary, path, strlen(path));
    memcpy(temporary + strlen(path), ".tmp", 5);
    f = fopen(temporary, "wb");
    if (!f)
        return 0;
    put = fwrite(c->bytes, 1, n, f);
    if (fclose(f) != 0 || put != n || rename(temporary, path) != 0) {
        remove(temporary);
        return 0;
    }
    return 1;
}

CONTACT_API_DEF ct_code ct_world_dump_problem(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    ct_body_id none = {0, 0};
    cti_problem p;
    cti_cpb c;
    char *temporary = NULL;
    ct_code code = CT_OK;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!path || !w->ready || !w->state.has_problem)
        return cti_world_fail(w, CT_ERR_ARGUMENT, none, -1, 0, "no path, or no contact problem was solved in the last step");
    cti_cmr_problem(&w->state, &p);
    memset(&c, 0, sizeof c);
    c.mem = &w->mem;
    c.ok = 1;
    cti_cpb_build(&c, &p, w->state.v);
    c.ok = c.ok && CTI_RESIZE(&w->mem, temporary, (int)strlen(path) + 8);
    if (!c.ok)
        code = cti_world_fail(w, CT_ERR_MEMORY, none, -1, 0, "out of memory while writing a problem");
    else if (!cti_cpb_save(&c, path, temporary))
        code = cti_world_fail(w, CT_ERR_FILE, none, -1, 0, "the problem file cannot be written");
    CTI_FREE(&w->mem, temporary);
    CTI_FREE(&w->mem, c.bytes);
    return code;
}
#endif

/* ---- 9_world/files.h ---- */
/* files.h -- what the readers share: a file held in memory, a scanner that counts lines, numbers, errors that name the line.
   Method: lines end with LF, CR LF or CR; fields are separated by blanks; there is no limit on the length of a line or a file. Numbers are
   correctly rounded in every locale: short ones exactly (Clinger 1990: an integer below 2^53 times or over a power of ten up to 10^22),
   others by strtod with the locale's decimal point put in. */


#if CONTACT_WITH_FILES

/* cti_scan -- a place in a text. */
typedef struct cti_scan {
    const char *at, *end;
    int64_t line;
    int comments; /* 1: '#' starts a comment and '\' before a line's end joins it with the next */
    ct_code code; /* CT_OK, or the first error */
    ct_error_info *error;
    cti_mem *mem;
} cti_scan;

/* cti_file_load -- the whole file as growable array of bytes; CT_ERR_FILE, CT_ERR_MEMORY. */
CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error);
/* cti_file_error -- fills error (may be NULL) with "line N: " (line > 0) and a text; returns code. */
CTI_FN ct_code cti_file_error(ct_error_info *error, ct_code code, int64_t line, double value, const char *format, const char *arg);

/* cti_scan_fail -- the error at the scanner's line, once; returns 0. arg: for %.*s-free texts with one %s, may be NULL. */
CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg);
/* cti_scan_memory -- "out of memory"; returns 0. */
CTI_FN int cti_scan_memory(cti_scan *s);
/* cti_scan_token -- the next field of the line; 0 at its end. */
CTI_FN int cti_scan_token(cti_scan *s, const char **token, int *length);
/* cti_scan_line -- to the start of the next line; 0 at the end of the text. */
CTI_FN int cti_scan_line(cti_scan *s);
CTI_FN int cti_scan_is(const char *token, int length, const char *word);
/* cti_scan_real, cti_scan_integer -- the next field as a finite number; 0 and an error that names `what` when it is none. */
CTI_FN int cti_scan_real(cti_scan *s, ct_real *out, const char *what);
CTI_FN int cti_scan_integer(cti_scan *s, int64_t *out, const char *what);
/* cti_scan_number -- a field as a number; 0 when it is none, or is not finite in ct_real. */
CTI_FN int cti_scan_number(const char *token, int length, ct_real *out);

/* Readers: bytes to mesh (empty at first). What they wrote into mesh before an error is the caller's to free. */
CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);

#endif

/* ---- 9_world/files_obj.c ---- */
/* files_obj.c -- Wavefront OBJ: v, f, l, p; everything else is passed over. Method: one pass; a polygon becomes the fan (0, i, i + 1), a
   polyline its segments. Points (p) need no list: a position that no triangle and no segment uses is a point. Numbers may refer to vertices
   that come later in the file, so that the range is checked at the end; the largest number remembers its line. based on: Wavefront,
   Advanced Visualizer appendix B1, object files. */

#if CONTACT_WITH_FILES

typedef struct cti_obj {
    cti_scan scan;
    ct_mesh *mesh;
    int32_t *polygon;
    int64_t largest, largest_line; /* largest positive vertex number met, and where */
    int n_elements;
} cti_obj;

static int cti_obj_vertex(cti_obj *o)
{
    ct_real x;
    int k;
    for (k = 0; k < 3; k++) {
        if (!cti_scan_real(&o->scan, &x, "three coordinates of v"))
            return 0;
        if (!CTI_PUSH(o->scan.mem, o->mesh->positions, x))
            return cti_scan_memory(&o->scan);
    }
    if (CTI_LEN(o->mesh->positions) > 3 * (INT32_MAX / 12))
        return cti_scan_fail(&o->scan, CT_ERR_UNSUPPORTED, "too many vertices", NULL);
    return 1;
}

/* A field v, v/vt, v//vn or v/vt/vn: the vertex, 0-based. */
static int cti_obj_index(cti_obj *o, const char *t, int n, int32_t *out)
{
    int64_t x = 0, count = CTI_LEN(o->mesh->positions) / 3;
    int i = 0, digits = 0, negative = 0;
    if (t[0] == '-' || t[0] == '+')
        negative = t[i++] == '-';
    for (; i < n && t[i] >= '0' && t[i] <= '9' && digits < 12; i++, digits++)
        x = x * 10 + (t[i] - '0');
    /* after the vertex: nothing, or a slash and texture and normal numbers */
    if (i < n && t[i] != '/')
        digits = 0;
    for (; i < n; i++)
        if (t[i] != '/' && t[i] != '-' && t[i] != '+' && (t[i] < '0' || t[i] > '9'))
            digits = 0;
    if (digits == 0)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a vertex number is not an integer", NULL);
    if (x == 0)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "vertex number 0: numbers start at 1", NULL);
    if (negative && x > count)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a negative vertex number reaches before the first vertex", NULL);
    if (!negative && x > o->largest)
        o->largest = x, o->largest_line = o->scan.line;
    x = negative ? count - x : x - 1;
    if (x >= INT32_MAX / 12)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "a vertex number is out of range", NULL);
    *out = (int32_t)x;
    return 1;
}

/* f, l, p: their vertices into o->polygon, then triangles or segments. */
static int cti_obj_element(cti_obj *o, char kind)
{
    cti_mem *mem = o->scan.mem;
    const char *t;
    int n, i, count, least = kind == 'f' ? 3 : (kind == 'l' ? 2 : 1);
    int32_t v = 0;
    CTI_CLEAR(o->polygon);
    while (cti_scan_token(&o->scan, &t, &n)) {
        if (!cti_obj_index(o, t, n, &v))
            return 0;
        if (!CTI_PUSH(mem, o->polygon, v))
            return cti_scan_memory(&o->scan);
    }
    count = CTI_LEN(o->polygon);
    if (count < least)
        return cti_scan_fail(&o->scan, CT_ERR_FORMAT, "the line ends, expected %s",
                             kind == 'f' ? "at least three vertices of f" : (kind == 'l' ? "at least two vertices of l" : "a vertex of p"));
    for (i = 1; kind == 'f' && i + 1 < count; i++)
        if (!CTI_PUSH(mem, o->mesh->triangles, o->polygon[0]) || !CTI_PUSH(mem, o->mesh->triangles, o->polygon[i]) ||
            !CTI_PUSH(mem, o->mesh->triangles, o->polygon[i + 1]))
            return cti_scan_memory(&o->scan);
    for (i = 0; kind == 'l' && i + 1 < count; i++)
        if (!CTI_PUSH(mem, o->mesh->segments, o->polygon[i]) || !CTI_PUSH(mem, o->mesh->segments, o->polygon[i + 1]))
            return cti_scan_memory(&o->scan);
    o->n_elements++;
    return 1;
}

/* The lines of the file. */
static int cti_obj_lines(cti_obj *o)
{
    const char *t;
    int n;
    do {
        if (!cti_scan_token(&o->scan, &t, &n))
            continue;
        if (n != 1)
            continue;
        if (t[0] == 'v' && !cti_obj_vertex(o))
            return 0;
        if ((t[0] == 'f' || t[0] == 'l' || t[0] == 'p') && !cti_obj_element(o, t[0]))
            return 0;
    } while (cti_scan_line(&o->scan));
    return 1;
}

CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_obj o;
    memset(&o, 0, sizeof o);
    /* a byte order mark is no part of the text */
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3, n -= 3;
    o.scan.at = bytes, o.scan.end = bytes + n, o.scan.line = 1, o.scan.comments = 1, o.scan.mem = mem, o.scan.error = error;
    o.mesh = mesh;
    cti_obj_lines(&o);
    CTI_FREE(mem, o.polygon);
    if (o.scan.code == CT_OK && CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "the file ends without any vertex (v)", NULL);
    if (o.scan.code == CT_OK && o.largest > CTI_LEN(mesh->positions) / 3) {
        o.scan.line = o.largest_line;
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "a vertex number is larger than the number of vertices in the file", NULL);
        if (error)
            error->value = (double)o.largest;
    }
    if (o.scan.code == CT_OK && o.n_elements == 0)
        cti_scan_fail(&o.scan, CT_ERR_FORMAT, "the file ends without any face, line or point (f, l, p)", NULL);
    return o.scan.code;
}

#endif

/* ---- 9_world/files_msh.c ---- */
/* files_msh.c -- Gmsh MSH 2.2 and 4.1, ASCII: nodes, and elements of types 1 (line), 2 (triangle), 4 (tet); point elements (15) are points,
   other types are passed over. Method: section by section, line by line; node tags are arbitrary and are looked up by bisection in sorted
   order. Orientation is kept as it is. based on: the Gmsh reference manual, file formats. */

#if CONTACT_WITH_FILES

typedef struct cti_msh {
    cti_scan scan;
    ct_mesh *mesh;
    int major;      /* 2 or 4 */
    uint64_t *tags; /* [n] of the nodes: in file order, later sorted */
    int32_t *order; /* [n] node of each sorted tag; NULL: tags rise in file order */
    int have_nodes, have_elements, n_known;
} cti_msh;

/* The next line that holds anything: its first field stays unread. 0: the text ends. */
static int cti_msh_line(cti_msh *m)
{
    const char *t, *line;
    int n;
    while (cti_scan_line(&m->scan)) {
        line = m->scan.at;
        if (cti_scan_token(&m->scan, &t, &n)) {
            m->scan.at = line;
            return 1;
        }
    }
    return 0;
}

/* The next line inside a section; its end before its contents are complete is an error. */
static int cti_msh_content(cti_msh *m, const char *what)
{
    if (!cti_msh_line(m))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends, expected %s", what);
    if (*m->scan.at == '$')
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the section ends early, expected %s", what);
    return 1;
}

static int cti_msh_integer(cti_msh *m, int64_t least, int64_t *out, const char *what)
{
    if (!cti_scan_integer(&m->scan, out, what))
        return 0;
    if (*out < least)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "number out of range: %s", what);
    return 1;
}

/* The end of a section: "$End<name>". */
static int cti_msh_end(cti_msh *m, const char *word)
{
    const char *t;
    int n;
    if (!cti_msh_line(m))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends, expected %s", word);
    if (!cti_scan_token(&m->scan, &t, &n) || !cti_scan_is(t, n, word))
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "expected %s", word);
    return 1;
}

static int cti_msh_format(cti_msh *m)
{
    const char *t;
    int64_t binary;
    int n;
    if (!cti_msh_content(m, "a format version") || !cti_scan_token(&m->scan, &t, &n))
        return 0;
    if (cti_scan_is(t, n, "2") || cti_scan_is(t, n, "2.0") || cti_scan_is(t, n, "2.1") || cti_scan_is(t, n, "2.2"))
        m->major = 2;
    else if (cti_scan_is(t, n, "4.1"))
        m->major = 4;
    else
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "MSH version is neither 2.x nor 4.1", NULL);
    if (!cti_msh_integer(m, 0, &binary, "file type 0 (ASCII)"))
        return 0;
    if (binary != 0)
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "binary MSH is not read; save it as ASCII", NULL);
    return cti_msh_end(m, "$EndMeshFormat");
}

/* ---- nodes ---- */

static int cti_msh_position(cti_msh *m)
{
    ct_real x;
    int k;
    for (k = 0; k < 3; k++) {
        if (!cti_scan_real(&m->scan, &x, "three coordinates of a node"))
            return 0;
        if (!CTI_PUSH(m->scan.mem, m->mesh->positions, x))
            return cti_scan_memory(&m->scan);
    }
    return 1;
}

static int cti_msh_tag(cti_msh *m)
{
    int64_t tag;
    if (!cti_msh_integer(m, 0, &tag, "a node tag"))
        return 0;
    if (CTI_LEN(m->tags) >= INT32_MAX / 12)
        return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "too many nodes", NULL);
    return CTI_PUSH(m->scan.mem, m->tags, (uint64_t)tag) ? 1 : cti_scan_memory(&m->scan);
}

/* A block of version 4.1: tags, then coordinates. */
static int cti_msh_node_block(cti_msh *m)
{
    int64_t skipped, count, i;
    if (!cti_msh_content(m, "a block of nodes") || !cti_msh_integer(m, 0, &skipped, "an entity's dimension") ||
        !cti_scan_integer(&m->scan, &skipped, "an entity's tag") || !cti_msh_integer(m, 0, &skipped, "parametric 0 or 1") ||
        !cti_msh_integer(m, 0, &count, "the number of nodes in a block"))
        return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "a node tag") || !cti_msh_tag(m))
            return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "coordinates of a node") || !cti_msh_position(m))
            return 0;
    return 1;
}

/* Tags into rising order; the same tag twice is an error. */
static int cti_msh_sort_tags(cti_msh *m)
{
    cti_mem *mem = m->scan.mem;
    int n = CTI_LEN(m->tags), i, rising = 1, ok = 1;
    for (i = 1; i < n; i++)
        rising &= m->tags[i - 1] < m->tags[i];
    if (!rising) {
        uint64_t *keys = NULL;
        int32_t *payload = NULL;
        ok = CTI_RESIZE(mem, m->order, n) && CTI_RESIZE(mem, keys, n) && CTI_RESIZE(mem, payload, n);
        for (i = 0; ok && i < n; i++)
            m->order[i] = (int32_t)i;
        if (ok)
            cti_sort_u64(m->tags, m->order, keys, payload, n);
        CTI_FREE(mem, keys);
        CTI_FREE(mem, payload);
        if (!ok)
            return cti_scan_memory(&m->scan);
        for (i = 1; i < n; i++)
            if (m->tags[i - 1] == m->tags[i])
                return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "two nodes have the same tag", NULL);
    }
    return 1;
}

static int cti_msh_nodes(cti_msh *m)
{
    int64_t blocks, count, i, unused;
    if (m->have_nodes)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "a second section of nodes", NULL);
    m->have_nodes = 1;
    if (!cti_msh_content(m, "the number of nodes") || !cti_msh_integer(m, 0, &blocks, "the number of nodes"))
        return 0;
    count = blocks;
    if (m->major == 4 && (!cti_msh_integer(m, 0, &count, "the number of nodes") || !cti_msh_integer(m, 0, &unused, "the least node tag") ||
                          !cti_msh_integer(m, 0, &unused, "the largest node tag")))
        return 0;
    for (i = 0; i < blocks; i++) {
        if (m->major == 4 && !cti_msh_node_block(m))
            return 0;
        if (m->major == 2 && (!cti_msh_content(m, "a node") || !cti_msh_tag(m) || !cti_msh_position(m)))
            return 0;
    }
    if (CTI_LEN(m->tags) != count)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the blocks of nodes do not add up to their number", NULL);
    return cti_msh_end(m, "$EndNodes") && cti_msh_sort_tags(m);
}

/* ---- elements ---- */

static int cti_msh_find(const cti_msh *m, uint64_t tag)
{
    int lo = 0, hi = CTI_LEN(m->tags);
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (m->tags[mid] < tag)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == CTI_LEN(m->tags) || m->tags[lo] != tag)
        return -1;
    return m->order ? m->order[lo] : lo;
}

/* The nodes of one element of a type; types that are not used leave the rest of the line unread. */
static int cti_msh_element(cti_msh *m, int64_t type)
{
    int32_t **list = type == 4 ? &m->mesh->tets : (type == 2 ? &m->mesh->triangles : &m->mesh->segments);
    int n = type == 4 ? 4 : (type == 2 ? 3 : (type == 1 ? 2 : 0)), k, node;
    int64_t tag;
    m->n_known += n > 0 || type == 15;
    for (k = 0; k < n; k++) {
        if (!cti_msh_integer(m, 0, &tag, "a node tag of an element"))
            return 0;
        node = cti_msh_find(m, (uint64_t)tag);
        if (node < 0) {
            cti_scan_fail(&m->scan, CT_ERR_FORMAT, "an element names a node tag that no node has", NULL);
            if (m->scan.error)
                m->scan.error->value = (double)tag;
            return 0;
        }
        if (CTI_LEN(*list) >= INT32_MAX - 4)
            return cti_scan_fail(&m->scan, CT_ERR_UNSUPPORTED, "too many elements", NULL);
        if (!CTI_PUSH(m->scan.mem, *list, (int32_t)node))
            return cti_scan_memory(&m->scan);
    }
    return 1;
}

/* Version 2: number, type, number of tags, tags, nodes. */
static int cti_msh_element_2(cti_msh *m)
{
    int64_t type, n_tags, unused, i;
    if (!cti_msh_content(m, "an element") || !cti_msh_integer(m, 0, &unused, "an element number") ||
        !cti_msh_integer(m, 1, &type, "an element type") || !cti_msh_integer(m, 0, &n_tags, "the number of tags of an element"))
        return 0;
    for (i = 0; i < n_tags; i++)
        if (!cti_scan_integer(&m->scan, &unused, "a tag of an element"))
            return 0;
    return cti_msh_element(m, type);
}

/* Version 4.1: a block of elements of one type; number, nodes. */
static int cti_msh_element_block(cti_msh *m)
{
    int64_t unused, type, count, i;
    if (!cti_msh_content(m, "a block of elements") || !cti_msh_integer(m, 0, &unused, "an entity's dimension") ||
        !cti_scan_integer(&m->scan, &unused, "an entity's tag") || !cti_msh_integer(m, 1, &type, "an element type") ||
        !cti_msh_integer(m, 0, &count, "the number of elements in a block"))
        return 0;
    for (i = 0; i < count; i++)
        if (!cti_msh_content(m, "an element") || !cti_msh_integer(m, 0, &unused, "an element number") || !cti_msh_element(m, type))
            return 0;
    return 1;
}

static int cti_msh_elements(cti_msh *m)
{
    int64_t blocks, i, unused;
    int k;
    if (!m->have_nodes)
        return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "elements before any nodes", NULL);
    m->have_elements = 1;
    if (!cti_msh_content(m, "the number of elements") || !cti_msh_integer(m, 0, &blocks, "the number of elements"))
        return 0;
    for (k = 0; m->major == 4 && k < 3; k++)
        if (!cti_msh_integer(m, 0, &unused, "number of elements, least and largest element number"))
            return 0;
    for (i = 0; i < blocks; i++)
        if (!(m->major == 4 ? cti_msh_element_block(m) : cti_msh_element_2(m)))
            return 0;
    return cti_msh_end(m, "$EndElements");
}

/* ---- sections ---- */

/* Passes over a section whose name is t. */
static int cti_msh_skip(cti_msh *m, const char *t, int n)
{
    const char *u;
    int k;
    while (cti_msh_line(m)) {
        if (*m->scan.at != '$' || !cti_scan_token(&m->scan, &u, &k))
            continue;
        if (k == n + 3 && memcmp(u, "$End", 4) == 0 && memcmp(u + 4, t + 1, (size_t)n - 1) == 0)
            return 1;
    }
    return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file ends inside a section", NULL);
}

static int cti_msh_sections(cti_msh *m)
{
    const char *t;
    int n, more = m->scan.at < m->scan.end, first = 1;
    for (; more; more = cti_msh_line(m)) {
        int ok;
        if (!cti_scan_token(&m->scan, &t, &n))
            continue;
        if (first && !cti_scan_is(t, n, "$MeshFormat"))
            return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "the file does not begin with $MeshFormat", NULL);
        first = 0;
        if (t[0] != '$')
            return cti_scan_fail(&m->scan, CT_ERR_FORMAT, "text outside of any section", NULL);
        if (cti_scan_is(t, n, "$MeshFormat"))
            ok = cti_msh_format(m);
        else if (cti_scan_is(t, n, "$Nodes"))
            ok = cti_msh_nodes(m);
        else if (cti_scan_is(t, n, "$Elements"))
            ok = cti_msh_elements(m);
        else
            ok = cti_msh_skip(m, t, n);
        if (!ok)
            return 0;
    }
    return 1;
}

CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    cti_msh m;
    memset(&m, 0, sizeof m);
    m.scan.at = bytes, m.scan.end = bytes + n, m.scan.line = 1, m.scan.mem = mem, m.scan.error = error;
    m.mesh = mesh;
    cti_msh_sections(&m);
    if (m.scan.code == CT_OK && CTI_LEN(mesh->positions) == 0)
        cti_scan_fail(&m.scan, CT_ERR_FORMAT, "the file ends without any node", NULL);
    if (m.scan.code == CT_OK && m.n_known == 0)
        cti_scan_fail(&m.scan, CT_ERR_FORMAT, "the file ends without any line, triangle, tet or point (types 1, 2, 4, 15)", NULL);
    CTI_FREE(mem, m.tags);
    CTI_FREE(mem, m.order);
    return m.scan.code;
}

#endif

/* ---- 9_world/files.c ---- */
/* files.c -- loading, scanning and dispatch by extension for the mesh readers. Method: files.h.
   based on: Clinger, How to read floating point numbers accurately, 1990 (the exact case). */

#if CONTACT_WITH_FILES
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { CTI_FILES_CHUNK = 1 << 16, CTI_FILES_DIGITS = 1200 };

CTI_FN ct_code cti_file_error(ct_error_info *error, ct_code code, int64_t line, double value, const char *format, const char *arg)
{
    if (error) {
        char text[200];
        memset(error, 0, sizeof *error);
        error->code = code, error->element = line > 0 ? line : -1, error->value = value;
        snprintf(text, sizeof text, format, arg ? arg : "");
        if (line > 0)
            snprintf(error->buffer, sizeof error->buffer, "line %lld: %s", (long long)line, text);
        else
            snprintf(error->buffer, sizeof error->buffer, "%s", text);
        error->text = error->buffer;
    }
    return code;
}

CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error)
{
    char *bytes = NULL;
    size_t n = 0, got = 1;
    int bad;
    FILE *f = fopen(path, "rb");
    if (!f)
        return cti_file_error(error, CT_ERR_FILE, 0, 0, "cannot open the file", NULL);
    while (got > 0) {
        if (!CTI_RESERVE(mem, bytes, (int64_t)n + CTI_FILES_CHUNK)) {
            fclose(f);
            CTI_FREE(mem, bytes);
            return cti_file_error(error, CT_ERR_MEMORY, 0, 0, "out of memory for the file", NULL);
        }
        got = fread(bytes + n, 1, stbds_header(bytes)->capacity - n, f);
        n += got;
        stbds_header(bytes)->length = n;
    }
    bad = ferror(f);
    fclose(f);
    if (bad) {
        CTI_FREE(mem, bytes);
        return cti_file_error(error, CT_ERR_FILE, 0, 0, "cannot read the file", NULL);
    }
    *out_bytes = bytes;
    return CT_OK;
}

/* ---- scanner ---- */

CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg)
{
    if (s->code == CT_OK)
        s->code = cti_file_error(s->error, code, s->line, 0, format, arg);
    return 0;
}

CTI_FN int cti_scan_memory(cti_scan *s)
{
    if (s->code == CT_OK)
        s->code = cti_file_error(s->error, CT_ERR_MEMORY, 0, 0, "out of memory for a mesh", NULL);
    return 0;
}

static int cti_scan_at_break(const cti_scan *s) { return s->at == s->end || *s->at == '\n' || *s->at == '\r'; }

/* Over one line end, if there is one here. */
static void cti_scan_break(cti_scan *s)
{
    if (s->at == s->end)
        return;
    if (*s->at == '\r') {
        s->at++;
        if (s->at < s->end && *s->at == '\n')
            s->at++;
        s->line++;
    } else if (*s->at == '\n') {
        s->at++;
        s->line++;
    }
}

/* 1 when a backslash here joins this line with the next. */
static int cti_scan_joins(const cti_scan *s)
{
    return s->comments && s->at + 1 < s->end && s->at[0] == '\\' && (s->at[1] == '\n' || s->at[1] == '\r');
}

CTI_FN int cti_scan_token(cti_scan *s, const char **token, int *length)
{
    /* blanks and joined lines */
    for (;;) {
        if (cti_scan_joins(s)) {
            s->at++;
            cti_scan_break(s);
        } else if (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\v' || *s->at == '\f')) {
            s->at++;
        } else {
            break;
        }
    }
    if (cti_scan_at_break(s) || (s->comments && *s->at == '#'))
        return 0;
    *token = s->at;
    while (!cti_scan_at_break(s) && !cti_scan_joins(s) && *s->at != ' ' && *s->at != '\t' && *s->at != '\v' && *s->at != '\f' &&
           s->at - *token < INT32_MAX)
        s->at++;
    *length = (int)(s->at - *token);
    return 1;
}

CTI_FN int cti_scan_line(cti_scan *s)
{
    int comment = 0;
    while (!cti_scan_at_break(s)) {
        comment |= s->comments && *s->at == '#';
        if (!comment && cti_scan_joins(s)) {
            s->at++;
            cti_scan_break(s);
        } else {
            s->at++;
        }
    }
    cti_scan_break(s);
    return s->at < s->end;
}

CTI_FN int cti_scan_is(const char *token, int length, const char *word)
{
    return strlen(word) == (size_t)length && memcmp(token, word, (size_t)length) == 0;
}

/* ---- numbers ---- */

/* Digits of a decimal number: 1 when the field is one; mantissa (its first 19 digits), power of ten, sign. */
static int cti_scan_decimal(const char *t, int n, uint64_t *mantissa, int *power, int *negative, int *short_form)
{
    int i = 0, digits = 0, seen = 0, point = 0, exponent = 0, sign = 1, start;
    *mantissa = 0, *power = 0, *negative = 0, *short_form = 1;
    if (i < n && (t[i] == '-' || t[i] == '+'))
        *negative = t[i++] == '-';
    for (; i < n && ((t[i] >= '0' && t[i] <= '9') || (t[i] == '.' && !point)); i++) {
        if (t[i] == '.') {
            point = 1;
            continue;
        }
        seen = 1;
        if (digits < 19) {
            *mantissa = *mantissa * 10 + (uint64_t)(t[i] - '0');
            digits += *mantissa != 0;
            *power -= point;
        } else {
            *short_form = 0;
        }
    }
    if (!seen)
        return 0;
    if (i < n && (t[i] == 'e' || t[i] == 'E')) {
        i++;
        if (i < n && (t[i] == '-' || t[i] == '+'))
            sign = t[i++] == '-' ? -1 : 1;
        for (start = i; i < n && t[i] >= '0' && t[i] <= '9'; i++)
            exponent = exponent > 100000 ? exponent : exponent * 10 + (t[i] - '0');
        if (i == start)
            return 0;
    }
    *power += sign * exponent;
    return i == n;
}

/* strtod on a copy that has the locale's decimal point. */
static int cti_scan_library(const char *t, int n, ct_real *out)
{
    char copy[CTI_FILES_DIGITS + 40];
    const char *point = localeconv()->decimal_point;
    int i, m = 0, k;
    if (n > CTI_FILES_DIGITS)
        return 0;
    for (i = 0; i < n; i++) {
        if (t[i] != '.') {
            copy[m++] = t[i];
            continue;
        }
        for (k = 0; point[k] && k < 16; k++)
            copy[m++] = point[k];
    }
    copy[m] = 0;
#if CONTACT_REAL == 32
    *out = strtof(copy, NULL);
#else
    *out = strtod(copy, NULL);
#endif
    return cti_finite(*out);
}

CTI_FN int cti_scan_number(const char *token, int length, ct_real *out)
{
#if CONTACT_REAL == 32
    static const ct_real tens[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    const uint64_t exact = (uint64_t)1 << 24;
    const int most = 10;
#else
    static const ct_real tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t exact = (uint64_t)1 << 53;
    const int most = 22;
#endif
    uint64_t mantissa;
    int power, negative, short_form;
    ct_real x;
    if (!cti_scan_decimal(token, length, &mantissa, &power, &negative, &short_form))
        return 0;
    if (!short_form || mantissa > exact || power < -most || power > most)
        return cti_scan_library(token, length, out);
    x = (ct_real)mantissa;
    x = power < 0 ? x / tens[-power] : x * tens[power];
    *out = negative ? -x : x;
    return 1;
}

/* The field as text for a message. */
static void cti_scan_quote(char out[32], const char *token, int length)
{
    int i, n = cti_min_int(length, 24);
    for (i = 0; i < n; i++)
        out[i] = (char)(token[i] >= 32 && token[i] < 127 ? token[i] : '?');
    memcpy(out + n, length > n ? "..." : "", length > n ? 4 : 1);
}

CTI_FN int cti_scan_real(cti_scan *s, ct_real *out, const char *what)
{
    const char *t;
    char quote[32], text[120];
    int n;
    if (!cti_scan_token(s, &t, &n))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s", what);
    if (cti_scan_number(t, n, out))
        return 1;
    cti_scan_quote(quote, t, n);
    snprintf(text, sizeof text, "'%s' is not a finite number, expected %s", quote, what);
    return cti_scan_fail(s, CT_ERR_FORMAT, "%s", text);
}

CTI_FN int cti_scan_integer(cti_scan *s, int64_t *out, const char *what)
{
    const char *t;
    char quote[32], text[120];
    int n, i = 0, negative = 0;
    int64_t x = 0;
    if (!cti_scan_token(s, &t, &n))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s", what);
    if (t[0] == '-' || t[0] == '+')
        negative = t[i++] == '-';
    if (i < n && n - i <= 18) {
        for (; i < n && t[i] >= '0' && t[i] <= '9'; i++)
            x = x * 10 + (t[i] - '0');
        *out = negative ? -x : x;
        if (i == n)
            return 1;
    }
    cti_scan_quote(quote, t, n);
    snprintf(text, sizeof text, "'%s' is not an integer, expected %s", quote, what);
    return cti_scan_fail(s, CT_ERR_FORMAT, "%s", text);
}

/* ---- reading by extension ---- */

static int cti_file_has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path), m = strlen(extension), i;
    if (n < m)
        return 0;
    for (i = 0; i < m; i++) {
        char c = path[n - m + i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != extension[i])
            return 0;
    }
    return 1;
}

CONTACT_API_DEF ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    cti_mem mem;
    ct_mesh mesh;
    char *bytes = NULL;
    ct_code code;
    int obj, msh;
    if (!path || !out_mesh)
        return cti_file_error(out_error, CT_ERR_ARGUMENT, 0, 0, "path and out_mesh may not be NULL", NULL);
    obj = cti_file_has_extension(path, ".obj"), msh = cti_file_has_extension(path, ".msh");
    if (!obj && !msh)
        return cti_file_error(out_error, CT_ERR_UNSUPPORTED, 0, 0, "file name must end in .obj or .msh", NULL);
    cti_mem_init(&mem, NULL);
    memset(&mesh, 0, sizeof mesh);
    code = cti_file_load(&mem, path, &bytes, out_error);
    if (code != CT_OK)
        return code;
    code = obj ? cti_read_obj(&mem, bytes, stbds_header(bytes)->length, &mesh, out_error)
               : cti_read_msh(&mem, bytes, stbds_header(bytes)->length, &mesh, out_error);
    CTI_FREE(&mem, bytes);
    if (code != CT_OK) {
        ct_mesh_free(&mesh);
        return code;
    }
    mesh.n_positions = CTI_LEN(mesh.positions) / 3, mesh.n_tets = CTI_LEN(mesh.tets) / 4;
    mesh.n_triangles = CTI_LEN(mesh.triangles) / 3, mesh.n_segments = CTI_LEN(mesh.segments) / 2;
    *out_mesh = mesh;
    return CT_OK;
}

#else

CONTACT_API_DEF ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(out_mesh);
    if (out_error) {
        memset(out_error, 0, sizeof *out_error);
        out_error->code = CT_ERR_UNSUPPORTED, out_error->text = "built without files (CONTACT_WITH_FILES 0)", out_error->element = -1;
    }
    return CT_ERR_UNSUPPORTED;
}

#endif

/* nothing private stays defined */
#undef CTI_FN
#undef CONTACT_API_DEF
#undef CTI_INLINE
#undef CTI_NOINLINE
#undef CTI_RESTRICT
#undef CTI_ALIGNED
#undef CTI_LIKELY
#undef CTI_UNLIKELY
#undef CTI_ASSERT
#undef CTI_UNUSED
#undef CTI_PRINTF
#undef CTI_STB_DS_INCLUDED
#undef CTI_LEN
#undef CTI_ARRAY_CAST
#undef CTI_RESERVE
#undef CTI_RESIZE
#undef CTI_PUSH
#undef CTI_FREE
#undef CTI_CLEAR
#undef CTI_ARENA_NEW
#undef CTI_ARENA_ZERO
#undef CTI_ARENA_ALIGN
#undef CTI_ARENA_MIN_CHUNK
#undef CTI_EPS
#undef CTI_REAL_MAX
#undef CTI_R
#undef CTI_SIMD_NONE
#undef CTI_SIMD_SSE2
#undef CTI_SIMD_AVX2
#undef CTI_SIMD
#undef CTI_SIMD_NAME
#undef CTI_R8
#undef CTI_DD_U
#undef CTI_SYMBOLIC_WIDTH
#undef CTI_NODES_REBASE
#undef CTI_ICA_FEW
#undef CTI_ICA_MORE
#undef CTI_ICA_COUPLED
#undef CTI_ICA_STALL
#undef CTI_DIST_A0
#undef CTI_DIST_A1
#undef CTI_DIST_B0
#undef CTI_DIST_B1
#undef CTI_CCD_NONE
#undef CTI_CCD_VF
#undef CTI_CCD_EE
#undef CTI_CCD_VE
#undef CTI_CCD_VV
#undef CTI_UPPER
#undef CTI_ROWS_HOLD
#undef CTI_ROWS_STICK
#undef CTI_ROWS_SETTLE
#undef CTI_ROWS_SETTLE_OWN
#undef CTI_ROWS_EASE
#undef CTI_DETECT_NEAR
#undef CTI_DETECT_TRUST
#undef CTI_DETECT_SEP
#undef CTI_DETECT_CONE
#undef CTI_DETECT_FAST
#undef CTI_DETECT_FLAT
#undef CTI_FACTORS_PATCH
#undef CTI_FACTORS_PORTS
#undef CTI_FACTORS_PORTS_MOST
#undef CTI_FACTORS_HARD
#undef CTI_FACTORS_CHEAP
#undef CTI_CMR_POOR
#undef CTI_CMR_BROKEN
#undef CTI_ZONES_SOFT
#undef CTI_ZONES_RIGID
#undef CTI_ZONES_SWEEPS
#undef CTI_STEP_CALM
#undef CTI_COOKIE
#undef CTI_FN
#if defined(__clang__)
#pragma float_control(pop)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#pragma GCC diagnostic pop
#elif defined(_MSC_VER)
#pragma warning(pop)
#endif
#endif /* CT_CONTACT_IMPLEMENTATION_INCLUDED */
#endif /* CONTACT_IMPLEMENTATION */
