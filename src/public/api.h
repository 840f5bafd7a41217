/* api.h -- every public function. Outputs come last and are named out_*. Functions that return ct_code leave their outputs and the world
   unchanged unless they return CT_OK. A world is used by one thread at a time; two worlds share nothing. */
#ifndef CT_CONTACT_H_INCLUDED
#define CT_CONTACT_H_INCLUDED

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- library ---- */
CONTACT_API const ct_library_info *ct_library_info_get(void);
/* ct_code_text, ct_status_text, ct_stepper_text, ct_solver_text, ct_integrator_text -- the name in lower case as scene files spell it
   ("ok", "cmr", "active_set"; for codes a short sentence); "?" when out of range. Static strings. */
CONTACT_API const char *ct_code_text(ct_code code);
CONTACT_API const char *ct_status_text(ct_status status);
CONTACT_API const char *ct_stepper_text(ct_stepper stepper);
CONTACT_API const char *ct_solver_text(ct_solver solver);
CONTACT_API const char *ct_integrator_text(ct_integrator integrator);
/* ct_stepper_built, ct_solver_built -- 1 when this build contains it, for worlds; ct_problem_solver_built is of solvers for problems. */
CONTACT_API int ct_stepper_built(ct_stepper stepper);
CONTACT_API int ct_solver_built(ct_solver solver);

/* ---- world ---- */
CONTACT_API ct_solver_desc ct_solver_desc_default(void);
CONTACT_API ct_world_desc ct_world_desc_default(void);
/* ct_world_desc_default_for -- the same for a stepper that is built: `stepper` is set, and what it does not have is off
   (CT_STEPPER_EXPLICIT: friction 0, self_collision 0). ct_world_create refuses it never. */
CONTACT_API ct_world_desc ct_world_desc_default_for(ct_stepper stepper);
/* ct_world_desc_default_game -- the default of CT_STEPPER_CMR with what a game gives up for time: contact forces are accurate to 1e-3 of |g| dt, not
   1e-4, CT_SOLVER_ICA may end on its budget, and bodies that have rested for half a second sleep. Nothing intersects.
   It sets no bound of a step, for which there are frame_ms, with a clock, and frame_work. */
CONTACT_API ct_world_desc ct_world_desc_default_game(void);
/* ct_world_create -- desc NULL: the defaults. out_error may be NULL. CT_ERR_ARGUMENT (a field out of range, wrong cookie), CT_ERR_UNSUPPORTED
   (a stepper or solver that is not built, a combination that is not supported, an implementation whose products and sums the compiler has
   fused, see the manual's switches), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_world_create(const ct_world_desc *desc, ct_world **out_world, ct_error_info *out_error);
CONTACT_API void ct_world_destroy(ct_world *world); /* NULL is fine */
/* ct_world_step -- advances by dt [s] > 0, a normal number. The state at the end is finite in every case; out_report (may be NULL) describes
   its quality. CT_ERR_ARGUMENT (dt; a call from a callback of this world: clock, log and task functions may not call back into it),
   CT_ERR_MEMORY, CT_ERR_DOMAIN (CT_STEPPER_BARRIER, CT_STEPPER_LAYERS: bodies that were added or moved intersect; CT_STEPPER_BARRIER also: two
   features are in one place; the text names both bodies), CT_ERR_UNSUPPORTED (CT_STEPPER_EXPLICIT: steps of rk.fixed_step are not stable): the world
   is unchanged. Elements that CT_REFINE_ELEMENTS has split for the step are whole again; the next report's rk counts contacts that were held as
   first touches. */
CONTACT_API ct_code ct_world_step(ct_world *world, ct_real dt, ct_step_report *out_report);
CONTACT_API const ct_error_info *ct_world_error(const ct_world *world);
/* ct_world_validate -- every pair that intersects now (edge through face; vertex behind a plane), by an exact test. *out_pairs [*out_n]
   belongs to the world and is valid until the next call on it. */
CONTACT_API ct_code ct_world_validate(const ct_world *world, ct_pair **out_pairs, int *out_n);
/* ct_world_repair -- tries to remove all intersections from a world before its first step. Bodies that intersect are moved apart, by the
   least distance that is needed. Time, scripts, velocities and all other bodies do not change; others are moved only where it does not work
   without. *out_freed and *out_left count pairs as ct_world_validate does, and that function names those that are left. During steps the
   same is done gradually, by bounded impulses. CT_ERR_ARGUMENT (NULL), CT_ERR_MEMORY (the world is unchanged). */
CONTACT_API ct_code ct_world_repair(ct_world *world, int *out_freed, int *out_left);
/* ct_world_hash -- a hash of positions, velocities, multipliers, time, and of the history that integrators keep of earlier steps. */
CONTACT_API uint64_t ct_world_hash(const ct_world *world);
CONTACT_API double ct_world_time(const ct_world *world);
CONTACT_API int ct_world_body_count(const ct_world *world);
/* ct_world_get_desc -- the options as they are now: those of ct_world_create, and what calls have changed. ct_world_set_options -- takes over
   solver, newton_iterations, cmr_rounds, max_halvings, recovery_speed, sleep_time, sleep_speed, frame_work, frame_ms, hit_speed and gravity, from
   the next step on. Memory, tasks, log, clock and may_meet are not read, all other options must be those of the world: get them, change what is to
   change, and set them. Snapshots from before are refused until the options are what they were. CT_ERR_ARGUMENT (NULL; the text names what cannot
   change), else as ct_world_create. */
CONTACT_API ct_code ct_world_get_desc(const ct_world *world, ct_world_desc *out_desc);
CONTACT_API ct_code ct_world_set_options(ct_world *world, const ct_world_desc *desc);
/* ct_world_contacts -- contacts of the last step with their impulses over all of it. Their order is that in which the substeps found them,
   and does not depend on the number of workers. The list is valid until the next call that changes the world. Removing a body removes only
   its own contacts from the list, and a step that is refused or fails leaves it. Impulses of impact zones and of the repair of
   intersections are not in it. */
CONTACT_API ct_code ct_world_contacts(const ct_world *world, const ct_contact **out_contacts, int *out_n);
/* ct_world_events -- what began, stayed, hit and ended in the last step, complete in itself: a pair that began ends once, whatever is removed or
   changed in between. The lists are valid until the next step; before the first they are empty. A step that is refused or fails leaves them.
   CT_ERR_ARGUMENT: NULL, a call from a callback. */
CONTACT_API ct_code ct_world_events(const ct_world *world, ct_events *out_events);
/* ct_world_dump_problem -- writes the contact problem that the last step solved, with its solution as r_ref and v_ref, as a CPB file
   (global frictional contact). There a row's compliance is an unknown behind the velocities. A row that recovers its gap under load becomes
   two contacts. So r_ref and v_ref solve the file. CT_ERR_ARGUMENT when the last step had no contact problem, CT_ERR_UNSUPPORTED when it
   had joints, which the format does not contain, CT_ERR_FILE when the file cannot be written. */
CONTACT_API ct_code ct_world_dump_problem(const ct_world *world, const char *path);
/* ct_world_get_problem -- the same as a problem in memory, for ct_problem_get and ct_problem_solve; it stays as it is when the world goes on.
   Free with ct_problem_free. CT_ERR_ARGUMENT, CT_ERR_UNSUPPORTED as above, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_world_get_problem(const ct_world *world, ct_problem **out_problem);
/* ---- state in and out ---- */
/* ct_world_snapshot_save -- the state of a world as bytes, with all that later steps depend on: motion, contact memory, factors, pins, clocks. The
   world does not change. Bodies themselves are not in it, but joints and what calls have set of both are: forces, targets, filters, gravity, who
   sleeps; user data are not. Where bodies were added or removed since the last step, they are prepared as that step would, which takes memory.
   out        out  [capacity] bytes; ct_world_snapshot_size says how many it takes at the moment
   out_bytes  out  bytes written, or needed where they do not fit; may be NULL
   CT_ERR_ARGUMENT (NULL; capacity is too small: .value is what it takes), CT_ERR_UNSUPPORTED (CT_REFINE_ELEMENTS, barrier.form), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_world_snapshot_size(const ct_world *world, size_t *out_bytes);
CONTACT_API ct_code ct_world_snapshot_save(const ct_world *world, void *out, size_t capacity, size_t *out_bytes);
/* ct_world_snapshot_restore -- takes the world back to a snapshot of itself, or to one of a world of the same build with equal bodies, in another
   process, too: its steps then give the same bits. Bodies are equal that were added with the same description. They get the ids and slots of the
   snapshot's; bodies and joints that are not in it are removed, and joints that are in it alone come back. Ids that were given since are stale, and
   may be given again. Until the next step there are no events, and ct_world_dump_problem has no problem.
   CT_ERR_ARGUMENT (NULL; other options; no body that is equal to one of the snapshot's, which the text names), CT_ERR_UNSUPPORTED (a snapshot of
   another build or version, or as above), CT_ERR_FORMAT (damaged), CT_ERR_MEMORY: the world is as it was. */
CONTACT_API ct_code ct_world_snapshot_restore(ct_world *world, const void *data, size_t bytes);
/* ct_world_snapshot_write, ct_world_snapshot_read -- the same to and from a file, which is written as path + ".tmp", then renamed. Also CT_ERR_FILE,
   and CT_ERR_UNSUPPORTED where files are not built. */
CONTACT_API ct_code ct_world_snapshot_write(const ct_world *world, const char *path);
CONTACT_API ct_code ct_world_snapshot_read(ct_world *world, const char *path);

/* ---- contact problems without a world ---- */
/* ct_problem_read -- .cpb (CPB container), .lcp, .blcp (text). CT_ERR_FILE, CT_ERR_FORMAT (names line or byte), CT_ERR_DOMAIN (sizes, numbers),
   CT_ERR_UNSUPPORTED (extension), CT_ERR_MEMORY. Free with ct_problem_free (NULL is fine). */
CONTACT_API ct_code ct_problem_read(const char *path, ct_problem **out_problem, ct_error_info *out_error);
/* ct_problem_write -- .cpb (QP, GLOBAL, LOCAL) or .lcp, .blcp (LCP), reference solution included: reading gives the same numbers, bit for
   bit. The file is written as path + ".tmp", then renamed, so that a failure leaves no partial file. out_error may be NULL.
   CT_ERR_ARGUMENT, CT_ERR_UNSUPPORTED (an extension that does not fit the kind), CT_ERR_FILE, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_problem_write(const ct_problem *problem, const char *path, ct_error_info *out_error);
CONTACT_API ct_problem_desc ct_problem_desc_default(void);
/* ct_problem_create -- a problem from arrays. out_error may be NULL. CT_ERR_ARGUMENT (NULL, wrong cookie, an array that the kind needs is missing),
   CT_ERR_DOMAIN (sizes, columns, numbers; an A that is not symmetric), CT_ERR_MEMORY. Free with ct_problem_free. */
CONTACT_API ct_code ct_problem_create(const ct_problem_desc *desc, ct_problem **out_problem, ct_error_info *out_error);
CONTACT_API void ct_problem_free(ct_problem *problem);
CONTACT_API ct_code ct_problem_info_get(const ct_problem *problem, ct_problem_info *out_info);
/* ct_problem_get -- the matrices and vectors of a problem, as ct_problem_create takes them: A, J, b, w, mu; W, w. Columns of a row are sorted, and no
   entry is there twice. The arrays are the problem's, valid until it is freed, and not to be written. CT_ERR_ARGUMENT: NULL. */
CONTACT_API ct_code ct_problem_get(const ct_problem *problem, ct_problem_desc *out_desc);
/* ct_problem_solve -- one solve by desc->solver; its tolerance is relative and bounds ct_solution.residual. CT_SOLVER_AUTO tries several
   solvers in sequence until one succeeds, within one time limit, and returns the best result. CT_ERR_ARGUMENT (also: a warm start of other
   sizes, or with NaN or infinity), CT_ERR_MEMORY and CT_ERR_UNSUPPORTED (a solver that is not built) leave `solution` untouched; otherwise
   CT_OK, and `outcome` says how the solve ended. The friction law of problems is Coulomb's: with another desc->cone the outcome is
   NOT_APPLICABLE, and `why` names the cone. */
CONTACT_API ct_code ct_problem_solve(const ct_problem *problem, const ct_solver_desc *desc, ct_solution *solution);
CONTACT_API void ct_solution_free(ct_solution *solution);
/* ct_outcome_text -- "solved", "infeasible", "ray", "budget", "failed", "not_applicable". ct_problem_solver_built -- 1 when
   ct_problem_solve contains the solver. */
CONTACT_API const char *ct_outcome_text(ct_outcome outcome);
CONTACT_API int ct_problem_solver_built(ct_solver solver);

/* ct_world_allocations -- resize calls made to the allocator so far, and bytes live now; either may be NULL. */
CONTACT_API void ct_world_allocations(const ct_world *world, int64_t *out_calls, int64_t *out_bytes);

/* ---- bodies ---- */
CONTACT_API ct_material ct_material_default(ct_model model);
CONTACT_API ct_soft_desc ct_soft_desc_default(void);
CONTACT_API ct_cloth_desc ct_cloth_desc_default(void);
CONTACT_API ct_rod_desc ct_rod_desc_default(void);
CONTACT_API ct_points_desc ct_points_desc_default(void);
CONTACT_API ct_static_desc ct_static_desc_default(void);
CONTACT_API ct_rigid_desc ct_rigid_desc_default(void);
CONTACT_API ct_kinematic_desc ct_kinematic_desc_default(void);
/* ct_body_add_* -- out_body may be NULL. CT_ERR_ARGUMENT (a field out of range; a position that is not finite, a rotation that is not or that is
   zero: the text names the body), CT_ERR_MEMORY, CT_ERR_UNSUPPORTED; CT_ERR_MESH: the mesh cannot be used (among others: a tet, or a
   triangle of cloth, with the same vertices as .value, one before it), or a vertex (.element, its coordinate in
   .value) is, once it is placed, farther from the origin than h / (64 * 2^-23) = 131,072 h in float, 7e13 h in double, h the body's thickness. */
CONTACT_API ct_code ct_body_add_soft(ct_world *world, const ct_soft_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_cloth(ct_world *world, const ct_cloth_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_rod(ct_world *world, const ct_rod_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_points(ct_world *world, const ct_points_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_static(ct_world *world, const ct_static_desc *desc, ct_body_id *out_body);
/* ct_body_add_plane -- the static body of a plane dot(normal, x) = offset, free space on the normal's side, with the world's friction and
   thickness and the name "plane": ct_body_add_static without a mesh. normal  in  [3] any length > 0; NULL: 0, 1, 0 offset  in  [m] times
   the normal's length CT_ERR_ARGUMENT (numbers that are not finite, a zero normal), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_add_plane(ct_world *world, const ct_real normal[3], ct_real offset, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_rigid(ct_world *world, const ct_rigid_desc *desc, ct_body_id *out_body);
CONTACT_API ct_code ct_body_add_kinematic(ct_world *world, const ct_kinematic_desc *desc, ct_body_id *out_body);
/* ct_body_remove -- removes a body with its contacts and joints. A body that is added and removed before the next step changes no bit of
   the results, unless a joint was added or removed, too. Otherwise the data that the world keeps between steps (factors, candidates) are
   rebuilt, as they are when bodies are added: later results differ by rounding from those of a world that never had the body.
   CT_ERR_STALE_ID, CT_ERR_MEMORY (the world is unchanged). */
CONTACT_API ct_code ct_body_remove(ct_world *world, ct_body_id body);
/* ct_body_pin -- holds the axes (CT_AXIS_* mask) of n nodes (see ct_body_node_count) to a scripted motion (NULL: at rest where they are)
   until world time `until` [s] (< 0: for ever). A later pin of a vertex replaces the motion of an earlier one on the axes that both hold, as
   long as it lasts; axes that it does not hold stay as they were. ct_body_unpin releases it. CT_ERR_ARGUMENT: an index out of range (its place
   in the list in .element), axes 0 or beyond CT_AXIS_ALL. */
CONTACT_API ct_code ct_body_pin(ct_world *world, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion *motion, double until);
/* ct_body_pin_path -- the same along a path of n_segments >= 0 pieces (none: at rest), which are copied. CT_ERR_ARGUMENT names a bad piece in
   .element. */
CONTACT_API ct_code ct_body_pin_path(ct_world *world, ct_body_id body, const int32_t *vertices, int n, int axes, const ct_motion_segment *segments,
                                     int n_segments, double until);
/* ct_body_unpin -- releases the axes (CT_AXIS_* mask) of n nodes from all pins, also those for ever and those whose time has not come to an end.
   The other axes stay held. A released node keeps the velocity that its script had, and moves by forces and contacts from the next step on.
   vertices  in  [n] nodes (ct_body_node_count); one that no pin holds stays as it is
   axes      in  1 to CT_AXIS_ALL
   Direction pins stay: ct_body_constrain with the identity releases them. CT_ERR_ARGUMENT as in ct_body_pin, CT_ERR_STALE_ID, CT_ERR_MEMORY;
   then nothing was released. */
CONTACT_API ct_code ct_body_unpin(ct_world *world, ct_body_id body, const int32_t *vertices, int n, int axes);
/* ct_body_constrain -- a direction pin (Volino 2000, 2.2): the vertex moves only in the range of the symmetric projector S [9], row-major:
   0 fixes it, X X' keeps it on a line along the unit vector X, I - X X' in a plane with normal X. Its inverse mass is S / m. */
CONTACT_API ct_code ct_body_constrain(ct_world *world, ct_body_id body, int vertex, const ct_real projector[9]);
/* ct_body_get_pin_impulse -- impulse [N s], world axes, that pins and direction pins gave to a node (numbered as in ct_body_pin) over the
   last step, all its substeps. It is the impulse that the node needs, besides elastic forces, contacts and joints, to follow its script.
   Zero where nothing holds the node.
   out_impulse  out  [3]; in the directions that are held only
   CT_ERR_ARGUMENT: a body without nodes, a node that it does not have (.element), NULL. */
CONTACT_API ct_code ct_body_get_pin_impulse(const ct_world *world, ct_body_id body, int32_t vertex, ct_real out_impulse[3]);
CONTACT_API int ct_body_vertex_count(const ct_world *world, ct_body_id body); /* 0 for planes and stale ids */
/* ct_body_node_count -- nodes of a deformable body, which pins and velocities count; they are its vertices unless it has an embedded surface. Rods
   have their frames behind them (ct_rod_desc).
   0 for other bodies and stale ids. */
CONTACT_API int ct_body_node_count(const ct_world *world, ct_body_id body);
CONTACT_API const char *ct_body_name(const ct_world *world, ct_body_id body); /* "" for stale ids */
/* ct_body_get_positions -- writes x, y, z of every vertex as scalar type `type` at out + i * stride. out NULL: only *out_n. out_n may be NULL.
   Doubles are in the caller's world (ct_world_desc.origin is added), floats relative to the origin. CT_ERR_ARGUMENT for a type that is neither,
   a stride below three scalars, or one that no memory holds (a negative number as size_t).
   ct_body_get_velocities -- the same for velocities; those of a kinematic body that waits for room are 0. */
CONTACT_API ct_code ct_body_get_positions(const ct_world *world, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n);
CONTACT_API ct_code ct_body_get_velocities(const ct_world *world, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n);
/* ct_body_get_normals -- unit normals at a body's vertices, laid out as positions: the sum over the triangles around, by their areas; 0 where there
   are none.
   ct_world_get_vertices -- positions, floats as above, and normals of all bodies in the order of ct_world_get_bodies, one after another; either may
   be NULL. With both, vertex i is the same one in both arrays, which have one stride: out_normals may be out_positions + 3 scalars.
   capacity  in  vertices for which there is room
   out_n     out their number. CT_ERR_ARGUMENT also where there is no room (.value: vertices); CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_get_normals(const ct_world *world, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n);
CONTACT_API ct_code ct_world_get_vertices(const ct_world *world, void *out_positions, void *out_normals, ct_scalar_type type, size_t stride,
                                          int capacity, int *out_n);
/* ct_body_element_count -- tets of a soft body, triangles of a cloth; 0 for other bodies and stale ids.
   ct_body_get_elements -- the nodes [4 n] of its tets, [3 n] of its triangles, in the order of the mesh that it was added with, numbered as in
   ct_body_get_nodes.
   ct_body_get_stress -- the elastic Cauchy stress [Pa] of each element as it stands, [6 n]: xx yy zz xy yz xz, tension positive; that of damping is
   not in it. Of a cloth, CT_MODEL_MEMBRANE: plane stress of a sheet that keeps its thickness. A tet that is inverted has that of the forces it
   exerts by its area as it now is.
   CT_ERR_UNSUPPORTED: a body without elements (.text), one of which elements were split, springs (stress); CT_ERR_ARGUMENT: another n, NULL.
   ct_body_get_elastic_forces -- the force [N] of a deformable body's elements on its nodes as they stand, [3 n], n as ct_body_node_count: minus the
   gradient of the elastic energy. CT_ERR_ARGUMENT (another kind of body, another n, NULL), CT_ERR_MEMORY.
   ct_body_get_contact_impulses -- what the contacts of the last step gave to each vertex, in N s, world axes, [3 n], n as ct_body_vertex_count: the
   sum over ct_world_contacts by their weights. Over dt it is the mean force. Impulses of impact zones are not in it. CT_ERR_ARGUMENT as above. */
CONTACT_API int ct_body_element_count(const ct_world *world, ct_body_id body);
CONTACT_API ct_code ct_body_get_elements(const ct_world *world, ct_body_id body, int32_t *out_nodes, int n);
CONTACT_API ct_code ct_body_get_stress(const ct_world *world, ct_body_id body, ct_real *out_stress, int n);
CONTACT_API ct_code ct_body_get_elastic_forces(const ct_world *world, ct_body_id body, ct_real *out_forces, int n);
CONTACT_API ct_code ct_body_get_contact_impulses(const ct_world *world, ct_body_id body, ct_real *out_impulses, int n);
/* ct_body_set_velocities -- of a deformable body's nodes, [3 n], n as ct_body_node_count. */
CONTACT_API ct_code ct_body_set_velocities(ct_world *world, ct_body_id body, const ct_real *velocities, int n);
/* ct_body_set_contact -- springs and dampers of a body's contacts, with CT_STEPPER_PENALTY; other steppers ignore them. It holds from the next
   step on. CT_ERR_STALE_ID; CT_ERR_ARGUMENT: NULL, a stiffness that is neither positive nor -1, a damping that is neither zero, positive nor -1. */
CONTACT_API ct_code ct_body_set_contact(ct_world *world, ct_body_id body, const ct_contact_material *material);
CONTACT_API ct_code ct_body_get_contact(const ct_world *world, ct_body_id body, ct_contact_material *out_material);
/* ct_body_set_material -- another material of a soft body or a cloth from the next step on. Its shape at rest, positions and velocities stay; masses
   are those of the new density, but nodes of no element keep theirs. Snapshots from before are refused. CT_ERR_ARGUMENT (another kind of body,
   NULL, a field out of range), CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_set_material(ct_world *world, ct_body_id body, const ct_material *material);
CONTACT_API ct_code ct_body_get_material(const ct_world *world, ct_body_id body, ct_material *out_material);
/* ct_body_set_friction -- the Coulomb coefficient of a body from the next step on, >= 0: a pair has what ct_world_desc.friction_combine makes
   of both. CT_ERR_ARGUMENT: negative or not finite; CT_ERR_UNSUPPORTED: above 0 with CT_STEPPER_EXPLICIT, which has no friction; CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_set_friction(ct_world *world, ct_body_id body, ct_real friction);
/* ct_body_set_restitution -- of a body's impacts from the next step on, [0, 1]: a pair has what ct_world_desc.restitution_combine makes of both. At
   first the world's. CT_ERR_ARGUMENT: outside; CT_ERR_UNSUPPORTED: another stepper than CT_STEPPER_CMR; CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_set_restitution(ct_world *world, ct_body_id body, ct_real restitution);
CONTACT_API ct_real ct_body_get_restitution(const ct_world *world, ct_body_id body); /* 0 for stale ids */
/* ct_body_set_spin_friction -- torsional and rolling friction of a body's contacts from the next step on, [m] >= 0, 0 at first: in a contact with
   the normal impulse l torsional friction stops the relative spin about the normal with a moment of at most torsional l, and rolling friction that
   about the tangents with rolling l. A pair has the larger coefficients of its two bodies. It acts between rigid, static and kinematic bodies.
   CT_ERR_ARGUMENT: negative or not finite; CT_ERR_UNSUPPORTED: a deformable body, another stepper than CT_STEPPER_CMR, CT_TERMINATION_PAPER;
   CT_ERR_STALE_ID. ct_body_get_spin_friction -- either may be NULL. */
CONTACT_API ct_code ct_body_set_spin_friction(ct_world *world, ct_body_id body, ct_real torsional, ct_real rolling);
CONTACT_API ct_code ct_body_get_spin_friction(const ct_world *world, ct_body_id body, ct_real *out_torsional, ct_real *out_rolling);
/* ct_body_set_surface_velocity -- a static or kinematic body's surface moves along itself, as a belt does, while its shape stays: in contacts its
   points have this velocity [3] [m/s], world axes, less its part along the contact's normal. It holds from the next step on; default 0. Friction
   drags what touches it; the work is in ct_step_report.work_script. CT_ERR_ARGUMENT: NULL, numbers that are not finite or too large, another body;
   CT_ERR_UNSUPPORTED: CT_STEPPER_EXPLICIT, which has no friction; CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_set_surface_velocity(ct_world *world, ct_body_id body, const ct_real velocity[3]);
CONTACT_API ct_code ct_body_get_surface_velocity(const ct_world *world, ct_body_id body, ct_real out_velocity[3]);
CONTACT_API ct_filter ct_filter_default(void);
/* ct_body_set_filter, ct_body_get_filter -- whom a body meets, from the next step on, and which queries find it. Pairs that have not met so
   far and intersect now are separated gradually, or refused by the step, as bodies are that begin so. CT_ERR_STALE_ID; CT_ERR_ARGUMENT: NULL. */
CONTACT_API ct_code ct_body_set_filter(ct_world *world, ct_body_id body, const ct_filter *filter);
CONTACT_API ct_code ct_body_get_filter(const ct_world *world, ct_body_id body, ct_filter *out_filter);
/* ct_body_set_sensor -- 1: from the next step on the body makes no contact with others, and events tell what overlaps it at the end of a step: bodies
   that their filters let meet, other than sensors, where not both stand for ever. Bodies overlap where their surfaces cross, or one is inside the
   other, which is closed and no cloth; a plane overlaps what has a vertex behind it. 0: it is a body like others. CT_ERR_STALE_ID.
   ct_body_is_sensor -- 0 also for stale ids. */
CONTACT_API ct_code ct_body_set_sensor(ct_world *world, ct_body_id body, int on);
CONTACT_API int ct_body_is_sensor(const ct_world *world, ct_body_id body);
/* ct_body_set_self_collision -- 1, 0: a deformable body collides with itself from the next step on or does not; -1: as ct_world_desc.self_collision
   says. CT_ERR_STALE_ID; CT_ERR_ARGUMENT: another number, a body that is not deformable; CT_ERR_UNSUPPORTED: 1 with CT_STEPPER_EXPLICIT.
   ct_body_get_self_collision -- as it was set, -1 at first; 0 for stale ids. */
CONTACT_API ct_code ct_body_set_self_collision(ct_world *world, ct_body_id body, int on);
CONTACT_API int ct_body_get_self_collision(const ct_world *world, ct_body_id body);
/* ct_body_get_pose -- of a rigid body: centre of mass [3] and orientation, a unit quaternion w x y z that is the description's rotation, by default
   1 0 0 0, when the body is added. Of a kinematic body without keyframes: of its mesh's origin, as ct_body_move_pose sets it.
   Either may be NULL. CT_ERR_ARGUMENT for other bodies, and for a kinematic one after ct_body_move_vertices. */
CONTACT_API ct_code ct_body_get_pose(const ct_world *world, ct_body_id body, ct_real out_position[3], ct_real out_quaternion[4]);
/* ct_body_get_motion, ct_body_set_motion -- of a rigid body: velocity of its centre of mass and angular velocity [rad/s], world axes; either may
   be NULL. */
CONTACT_API ct_code ct_body_get_motion(const ct_world *world, ct_body_id body, ct_real out_velocity[3], ct_real out_angular_velocity[3]);
CONTACT_API ct_code ct_body_set_motion(ct_world *world, ct_body_id body, const ct_real velocity[3], const ct_real angular_velocity[3]);
/* ct_body_get_momentum -- of a rigid body, at the instant of its pose: linear momentum [kg m/s], and angular momentum about its centre of mass
   [kg m^2/s], world axes; either may be NULL. Energies computed from these and the pose are those of the report. The velocity of
   ct_body_get_motion is a mean over the last step where the body falls freely under CT_STEPPER_CMR, half of gravity's change behind.
   CT_ERR_ARGUMENT for other bodies, CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_get_momentum(const ct_world *world, ct_body_id body, ct_real out_linear[3], ct_real out_angular[3]);
/* ---- bodies between steps ---- */
/* ct_body_set_pose -- teleports a rigid body: as ct_body_get_pose reads it; either may be NULL. Its velocities stay as they are, in world axes. It
   passes through whatever is in between, and its contacts begin anew; where it then intersects others, they are separated gradually. Joints pull it
   back. A velocity that belongs to the middle of the last step becomes that of the present time first. CT_ERR_ARGUMENT (another kind of body,
   numbers), CT_ERR_MESH (too far out for its thickness), CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_set_pose(ct_world *world, ct_body_id body, const ct_real position[3], const ct_real quaternion[4]);
/* ct_body_get_nodes -- positions and velocities [3 n] of a deformable body's nodes, n as ct_body_node_count; either may be NULL.
   ct_body_set_positions -- puts the nodes [3 n] there, as ct_body_set_pose does. The rest shape is that of the mesh with which the body was added: so
   a body starts deformed, and one that was saved goes on (with ct_body_set_velocities). Pins hold nodes where they were pinned. */
CONTACT_API ct_code ct_body_get_nodes(const ct_world *world, ct_body_id body, ct_real *out_positions, ct_real *out_velocities, int n);
CONTACT_API ct_code ct_body_set_positions(ct_world *world, ct_body_id body, const ct_real *positions, int n);
/* ct_body_move_pose -- a kinematic body moves to a pose within the next dt seconds, on a straight line and with a steady rotation the short way, and
   stays there. Called before each step with its dt, it makes the body follow an animation: others feel its velocity, friction drags them. It takes
   the place of the script. Joints that hold the body go with it. Not after ct_body_move_vertices, which leaves no pose.
   position    in  [3] of the mesh's origin, as in ct_kinematic_desc; NULL: it stays
   quaternion  in  [4] w x y z of any length > 0; NULL: it stays
   dt          in  [s] > 0
   CT_ERR_ARGUMENT (another kind of body, one with keyframes, numbers), CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_move_pose(ct_world *world, ct_body_id body, const ct_real position[3], const ct_real quaternion[4], double dt);
/* ct_body_move_vertices -- the same for single vertices, on straight lines: as skinning computes them for every frame.
   vertices   in  [n] nodes of a deformable body (ct_body_node_count), which it pins for ever: ct_body_unpin releases them. NULL: nodes 0 to n - 1; of
                  a kinematic body all vertices
   positions  in  [3 n] where they are to be after dt
   CT_ERR_ARGUMENT (another kind of body, an index, numbers), CT_ERR_UNSUPPORTED (a kinematic body with joints; pins with this stepper),
   CT_ERR_MESH, CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_move_vertices(ct_world *world, ct_body_id body, const int32_t *vertices, const ct_real *positions, int n, double dt);
/* ct_body_add_force, ct_body_add_torque, ct_body_add_vertex_force -- forces [N] and torques [N m], world axes, that act during the next step. They
   add up, and are gone after it. They act as impulses at its start, which for CT_INTEGRATOR_EULER is the same; where velocities are those of the
   middle of steps, half of the last impulse arrives with the next step; report.energy_kinetic and ct_body_get_momentum have it already. Their work is
   report.work_forces.
   point  in  [3] in the world at which it acts on a rigid body; NULL: the centre of mass; of a deformable body NULL: all nodes, by their mass
   vertex in  0 to ct_body_vertex_count - 1
   ct_body_add_impulse, ct_body_add_vertex_impulse -- impulses [N s], which change velocities at once.
   CT_ERR_ARGUMENT (a scripted body, a point or torque of one that is not rigid, numbers), CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_add_force(ct_world *world, ct_body_id body, const ct_real force[3], const ct_real point[3]);
CONTACT_API ct_code ct_body_add_torque(ct_world *world, ct_body_id body, const ct_real torque[3]);
CONTACT_API ct_code ct_body_add_vertex_force(ct_world *world, ct_body_id body, int vertex, const ct_real force[3]);
CONTACT_API ct_code ct_body_add_impulse(ct_world *world, ct_body_id body, const ct_real impulse[3], const ct_real point[3]);
CONTACT_API ct_code ct_body_add_vertex_impulse(ct_world *world, ct_body_id body, int vertex, const ct_real impulse[3]);
/* ct_body_set_gravity_scale -- the body feels gravity times this, any number; 1 at first. */
CONTACT_API ct_code ct_body_set_gravity_scale(ct_world *world, ct_body_id body, ct_real scale);
CONTACT_API ct_real ct_body_get_gravity_scale(const ct_world *world, ct_body_id body); /* 0 for stale ids, as the next ones */
/* ct_body_set_pressure -- [Pa], any number, by which the pressure inside of a deformable body's closed surface exceeds that outside, until it is set
   again; 0 at first. It acts as the forces above do, on the surface as it is when a step begins. CT_ERR_ARGUMENT (another kind of body, a surface
   that is not closed, numbers), CT_ERR_UNSUPPORTED, CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_set_pressure(ct_world *world, ct_body_id body, ct_real pressure);
CONTACT_API ct_real ct_body_get_pressure(const ct_world *world, ct_body_id body);
/* ct_body_set_skin -- limits [n] of nodes against targets, in place of those before; n 0: none. The targets are where the nodes are, and their
   normals those of the body's surface there, (0, 1, 0) off it, until ct_body_move_skin moves them. Limits have no friction and act on one side:
   inside of them nodes are free. Contacts come first: where they leave no room a node stays outside of its limits, with a bounded force, and the
   status is NOT_CONVERGED. Limits that do not hold when a step begins, as after a teleport, are restored at recovery_speed at most. What limits work
   is in report.work_pins. A limit of a node that a pin holds does nothing.
   CT_ERR_ARGUMENT (another kind of body, a vertex out of range or twice, numbers), CT_ERR_UNSUPPORTED (CT_STEPPER_CMR alone has it), CT_ERR_STALE_ID,
   CT_ERR_MEMORY.
   ct_body_get_skin -- writes at most `capacity` limits, in the order in which they were given, and how many there are; out_limits may be NULL. */
CONTACT_API ct_code ct_body_set_skin(ct_world *world, ct_body_id body, const ct_skin_limit *limits, int n);
CONTACT_API ct_code ct_body_get_skin(const ct_world *world, ct_body_id body, ct_skin_limit *out_limits, int capacity, int *out_n);
/* ct_body_move_skin -- targets go to positions within the next dt seconds, on straight lines, and stay there: as skinning computes them for every
   frame.
   positions  in  [3 n] of all targets, in the order of the limits
   normals    in  [3 n] of any length > 0, from now on; NULL: they stay
   CT_ERR_ARGUMENT (n, numbers), CT_ERR_MESH (too far out for the thickness), CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_move_skin(ct_world *world, ct_body_id body, const ct_real *positions, const ct_real *normals, int n, double dt);
/* ct_body_set_air -- air acts on the body's triangles from the next step on: drag, lift (ct_air), also where there is no wind. Its forces are those
   of the places when a step begins, and linear in the velocities at its end, so that no wind is too strong for a light cloth. Their work is
   report.work_forces. ct_body_get_air -- CT_ERR_ARGUMENT (NULL), CT_ERR_STALE_ID.
   CT_ERR_ARGUMENT (a body that is not deformable or has no triangles, numbers), CT_ERR_UNSUPPORTED (CT_STEPPER_CMR alone has it), CT_ERR_STALE_ID. */
CONTACT_API ct_code ct_body_set_air(ct_world *world, ct_body_id body, const ct_air *air);
CONTACT_API ct_code ct_body_get_air(const ct_world *world, ct_body_id body, ct_air *out_air);
/* ct_world_set_wind -- [m/s] ct_world_desc.wind from now on. ct_world_get_wind -- it. CT_ERR_ARGUMENT (NULL, not finite, fourth power not finite). A
   field (ct_world_desc.wind_field) whose velocities are not so ends a step with CT_ERR_ARGUMENT, and the world is as it was. */
CONTACT_API ct_code ct_world_set_wind(ct_world *world, const ct_real velocity[3]);
CONTACT_API ct_code ct_world_get_wind(const ct_world *world, ct_real out_velocity[3]);
/* ct_body_set_masses -- [kg] of a cloth's, soft body's or points' nodes [n], each > 0 and with a finite fourth power (float: below 4e9 kg), in
   place of those by density, from the next step on. What must not move has no inverse mass: pin it. Speeds stay, momenta change.
   ct_body_get_masses -- them, also of rods (0: a frame). CT_ERR_ARGUMENT (another kind of body, n, numbers), CT_ERR_UNSUPPORTED
   (CT_STEPPER_LAYERS and CT_STEPPER_EXPLICIT have steps by density), CT_ERR_STALE_ID, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_body_set_masses(ct_world *world, ct_body_id body, const ct_real *masses, int n);
CONTACT_API ct_code ct_body_get_masses(const ct_world *world, ct_body_id body, ct_real *out_masses, int n);
/* ct_body_set_thickness -- as in the description, > 0, from the next step on: pairs that are then too near are separated gradually. */
CONTACT_API ct_code ct_body_set_thickness(ct_world *world, ct_body_id body, ct_real thickness);
CONTACT_API ct_real ct_body_get_thickness(const ct_world *world, ct_body_id body); /* [m] */
CONTACT_API ct_real ct_body_get_friction(const ct_world *world, ct_body_id body);
CONTACT_API ct_real ct_body_get_mass(const ct_world *world, ct_body_id body); /* [kg] of bodies that move by forces */
/* ct_body_set_user_data, ct_body_get_user_data -- a pointer that the library keeps and never reads; NULL at first. */
CONTACT_API ct_code ct_body_set_user_data(ct_world *world, ct_body_id body, void *data);
CONTACT_API void *ct_body_get_user_data(const ct_world *world, ct_body_id body);
/* ct_world_get_bodies -- writes at most `capacity` ids, in the order of their slots, and returns how many bodies there are (out NULL: only that).
   ct_world_find_body -- the first body of this name, or the null id. */
CONTACT_API int ct_world_get_bodies(const ct_world *world, ct_body_id *out_bodies, int capacity);
CONTACT_API ct_body_id ct_world_find_body(const ct_world *world, const char *name);
/* ct_body_is_asleep -- 1 while the body is left out of steps (ct_world_desc.sleep_time): it rests, and what touches it sleeps, too. It wakes before
   something awake can touch it, by its speed, gravity, forces and scripts, when a body near it is added or removed, and by calls that move it, push
   it, join it or change its properties. A body with pins, one whose skin moves, and one that the air of a wind_field acts on do not sleep. Contacts
   of bodies that sleep are not in ct_world_contacts. ct_body_wake -- wakes it and those that sleep with it. */
CONTACT_API int ct_body_is_asleep(const ct_world *world, ct_body_id body);
CONTACT_API ct_code ct_body_wake(ct_world *world, ct_body_id body);
/* ct_world_set_gravity -- [m/s^2], finite, from the next step on. */
CONTACT_API ct_code ct_world_set_gravity(ct_world *world, const ct_real gravity[3]);
CONTACT_API ct_code ct_world_get_gravity(const ct_world *world, ct_real out_gravity[3]);
/* ct_body_get_triangles -- the surface: indices into the body's vertices; valid while the body lives. */
CONTACT_API ct_code ct_body_get_triangles(const ct_world *world, ct_body_id body, const int32_t **out_triangles, int *out_n);
/* ct_body_get_segments -- of rods, and of static and kinematic meshes that have some: [2 *out_n] indices into the body's vertices, in the order
   of the mesh; valid while the body lives. */
CONTACT_API ct_code ct_body_get_segments(const ct_world *world, ct_body_id body, const int32_t **out_segments, int *out_n);

/* ---- joints ---- */
CONTACT_API ct_joint_desc ct_joint_desc_default(ct_joint_kind kind);
/* ct_joint_add -- joins two bodies, or a body and the world; the joint is removed with either body. out_joint may be NULL. CT_ERR_ARGUMENT
   (a field out of range, vertex out of range, a node that no element has, weights that do not sum to 1, no side that can move), CT_ERR_STALE_ID,
   CT_ERR_UNSUPPORTED (hinge, slider or fixed joint of a deformable body or of one with keyframes; more than 16 nodes on both sides together; sliders
   and drags: the stepper), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_joint_add(ct_world *world, const ct_joint_desc *desc, ct_joint_id *out_joint);
CONTACT_API ct_code ct_joint_remove(ct_world *world, ct_joint_id joint);
/* ct_world_get_joints -- as ct_world_get_bodies. ct_joint_get_bodies -- the bodies of both sides, null for the world; either may be NULL. */
CONTACT_API int ct_world_get_joints(const ct_world *world, ct_joint_id *out_joints, int capacity);
CONTACT_API ct_code ct_joint_get_bodies(const ct_world *world, ct_joint_id joint, ct_body_id *out_a, ct_body_id *out_b);
/* ct_joint_set_limits -- of a hinge [rad], -pi < lower <= upper < pi, or of a slider [m], lower <= upper; -INFINITY and INFINITY: none, of a
   hinge both. What is behind them comes back at most at the world's recovery_speed. ct_joint_set_motor -- drives a hinge or a slider to a speed
   [rad/s or m/s] of side a relative to side b, with an effort [N m or N] of at most max_effort >= 0, which may be INFINITY; 0: off. Above it the
   motor slips, and it stops at the joint's limits. ct_joint_set_spring -- the motor's effort is -stiffness (value - target) - damping (rate - speed)
   instead, both at the end of a step (implicit Euler), with the same bound; both 0: the speed is kept again. Of a drag: target is ignored, speed 0,
   so that it brakes without both. ct_joint_set_target -- the point [m, world] that a drag pulls to; its stiffness, damping and largest force are
   those of ct_joint_set_spring and ct_joint_set_motor, at first 0: a body of mass m hangs m g / stiffness below it. ct_joint_set_break -- the joint
   breaks at the end of a step over which it gave more than a force [N] or a torque [N m] on average, both > 0; INFINITY: never. ct_events tells that;
   it then acts no longer, and is there until it is removed. All hold from the next step on, and wake the bodies. CT_ERR_ARGUMENT (out of range,
   another kind of joint), CT_ERR_STALE_ID, CT_ERR_UNSUPPORTED (a stepper without limits and motors). */
CONTACT_API ct_code ct_joint_set_limits(ct_world *world, ct_joint_id joint, ct_real lower, ct_real upper);
CONTACT_API ct_code ct_joint_set_motor(ct_world *world, ct_joint_id joint, ct_real speed, ct_real max_effort);
CONTACT_API ct_code ct_joint_set_spring(ct_world *world, ct_joint_id joint, ct_real target, ct_real stiffness, ct_real damping);
CONTACT_API ct_code ct_joint_set_target(ct_world *world, ct_joint_id joint, const ct_real point[3]);
CONTACT_API ct_code ct_joint_set_break(ct_world *world, ct_joint_id joint, ct_real force, ct_real torque);
/* ct_joint_get_state -- all of it, and the joint's present value. ct_joint_get_angle -- that alone. */
CONTACT_API ct_code ct_joint_get_state(const ct_world *world, ct_joint_id joint, ct_joint_state *out_state);
CONTACT_API ct_code ct_joint_get_angle(const ct_world *world, ct_joint_id joint, ct_real *out_value);
/* ct_joint_get_impulse -- on side a over the last step, all its substeps, with limits and motor, world axes: [N s], and [N m s] of what holds or
   drives the rotation; either may be NULL. ct_joint_get_force -- the same over the length of the step: [N] and [N m]. */
CONTACT_API ct_code ct_joint_get_force(const ct_world *world, ct_joint_id joint, ct_real out_force[3], ct_real out_torque[3]);
CONTACT_API ct_code ct_joint_get_impulse(const ct_world *world, ct_joint_id joint, ct_real out_linear[3], ct_real out_angular[3]);

/* ---- queries ---- */
/* Queries see triangles as they are, also of deformed and embedded surfaces, and segments and single points as capsules and spheres of half
   their body's thickness, which are solid. They see both sides of triangles and planes: what begins inside of a solid meets its surface from
   behind.
   ct_world_update_queries -- brings queries up to date with the world: call it once after a step, or after bodies were added, removed or moved.
   Until the next such change any number of threads may ask at the same time, for queries allocate nothing and write nothing but their outputs. A
   world that is never asked pays nothing. CT_ERR_ARGUMENT (NULL, a callback), CT_ERR_MEMORY (nothing can be asked), CT_ERR_UNSUPPORTED
   (CONTACT_WITH_QUERIES 0).
   All queries:
   filter    in   NULL: all bodies
   positions in   [m], relative to ct_world_desc.origin as all ct_real positions; finite, at most 2e90 in size, in float 1e37
   out_hit   out  the answer; its body is null where nothing is found
   out_hits  out  [capacity] the first ones of *out_n answers: by fraction, by distance, then in the order of the bodies; NULL where capacity is 0
   out_error out  may be NULL. It is set in place of the world's error
   CT_ERR_ARGUMENT: NULL, numbers out of range, a world that has changed since ct_world_update_queries. */
CONTACT_API ct_query_filter ct_query_filter_default(void);
CONTACT_API ct_code ct_world_update_queries(ct_world *world);
/* ct_world_cast_ray -- the first hit on the way from origin to origin + translation. No ray passes between triangles that share an edge; a ray in
   the plane of a triangle or a plane passes it by. normal: that of the surface, outward where it is closed, of a plane into free space; of open
   surfaces and cloth against the ray; outward from capsules and spheres.
   ct_world_cast_ray_all -- all hits, also where it leaves; a ray through an edge hits the triangles on both sides. */
CONTACT_API ct_code ct_world_cast_ray(const ct_world *world, const ct_real origin[3], const ct_real translation[3], const ct_query_filter *filter,
                                      ct_hit *out_hit, ct_error_info *out_error);
CONTACT_API ct_code ct_world_cast_ray_all(const ct_world *world, const ct_real origin[3], const ct_real translation[3], const ct_query_filter *filter,
                                          ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error);
/* ct_world_cast_sphere -- the first touch of a sphere of a radius >= 0 that moves from origin to origin + translation; fraction 0 where it begins
   so. Radius 0: a ray. normal: from the point that is touched to the centre. */
CONTACT_API ct_code ct_world_cast_sphere(const ct_world *world, const ct_real origin[3], ct_real radius, const ct_real translation[3],
                                         const ct_query_filter *filter, ct_hit *out_hit, ct_error_info *out_error);
/* ct_world_closest_point -- the point of a surface that is nearest to `point`, at most max_distance >= 0 from it (INFINITY: any). normal as for a
   ray that comes from `point`. */
CONTACT_API ct_code ct_world_closest_point(const ct_world *world, const ct_real point[3], ct_real max_distance, const ct_query_filter *filter,
                                           ct_hit *out_hit, ct_error_info *out_error);
/* ct_world_overlap_box, _sphere, _mesh -- every body that has a point in common with a box, a sphere or a triangle mesh, once: where surfaces cross,
   and where one contains the other. Solid are closed surfaces other than cloth, half-spaces behind planes, and a mesh whose triangles run along every
   edge as often in one direction as in the other. Point, normal, weights and distance are those of the nearest feature for spheres, else 0.
   CT_ERR_MESH: no triangles, or numbers that are not finite or out of range. */
CONTACT_API ct_code ct_world_overlap_box(const ct_world *world, const ct_real lower[3], const ct_real upper[3], const ct_query_filter *filter,
                                         ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error);
CONTACT_API ct_code ct_world_overlap_sphere(const ct_world *world, const ct_real center[3], ct_real radius, const ct_query_filter *filter,
                                            ct_hit *out_hits, int capacity, int *out_n, ct_error_info *out_error);
CONTACT_API ct_code ct_world_overlap_mesh(const ct_world *world, const ct_mesh *mesh, const ct_query_filter *filter, ct_hit *out_hits, int capacity,
                                          int *out_n, ct_error_info *out_error);
/* ct_world_inside -- every body that contains a point: ct_world_overlap_sphere with radius 0. */
CONTACT_API ct_code ct_world_inside(const ct_world *world, const ct_real point[3], const ct_query_filter *filter, ct_hit *out_hits, int capacity,
                                    int *out_n, ct_error_info *out_error);

/* ---- debug draw ---- */
/* ct_world_draw -- draws a world by the caller's functions: bodies in their order, then planes, contacts, joints, the pair that limited the step.
   Positions are relative to ct_world_desc.origin. CT_ERR_ARGUMENT (NULL, wrong cookie, impulse_scale not finite), CT_ERR_MEMORY: nothing is
   drawn. */
CONTACT_API ct_draw ct_draw_default(void);
CONTACT_API ct_code ct_world_draw(ct_world *world, const ct_draw *draw);

/* ---- meshes ---- */
/* ct_mesh_read -- by extension: .obj (v, f, l, p), .msh (Gmsh 2.2 and 4.1, ASCII), .ply (ASCII and binary), .stl (ASCII and binary; corners
   with equal coordinates become one vertex), .vtk (legacy, ASCII and binary; POLYDATA, UNSTRUCTURED_GRID), .node or .ele (TetGen; the other
   one and a .face are looked for beside it). Polygons become triangles without new vertices: fans (0, i, i + 1) where these cover the polygon, as
   they do convex ones, else by clipping ears; one that crosses itself is CT_ERR_FORMAT. A corner that repeats the one before it is left out, and
   so are triangles with a vertex twice. Vertices that nothing uses are kept. MSH: elements of second
   order give their corners, without the middles of edges as vertices; an element that repeats, vertex by vertex, the first one with these
   vertices, as for a second physical group, is dropped; hexahedra, prisms and higher orders are not read. out_error (may be NULL) names the line,
   or the byte of a binary part, in .text and .element, and what was expected. CT_ERR_ARGUMENT (NULL), CT_ERR_FILE (cannot be opened or read),
   CT_ERR_FORMAT (content), CT_ERR_UNSUPPORTED (extension, or a part of the format that is not read), CT_ERR_MEMORY. */
CONTACT_API ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_write -- by extension: .obj, .msh (Gmsh 2.2, ASCII), .vtk (legacy, ASCII, UNSTRUCTURED_GRID), numbers with 17 digits: reading
   gives the same bits. Positions that no element uses are written as points. OBJ has no tets: where there are no triangles the boundary of
   the tets is written, else the triangles. The file is written as path + ".tmp", then renamed, so that a failure leaves no partial file.
   CT_ERR_ARGUMENT (NULL, no position, a count without its array), CT_ERR_MESH (a position that is not finite, an index out of range:
   .element names the vertex, tet, triangle or segment), CT_ERR_UNSUPPORTED (extension), CT_ERR_FILE, CT_ERR_MEMORY. */
CONTACT_API ct_code ct_mesh_write(const char *path, const ct_mesh *mesh, ct_error_info *out_error);
CONTACT_API void ct_mesh_free(ct_mesh *mesh);
/* ct_mesh_box -- size [m] centred at the origin, cells per axis >= 1; with_tets 1: five or six tets a cell and no triangles, 0: surface. */
CONTACT_API ct_code ct_mesh_box(const ct_real size[3], const int cells[3], int with_tets, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_grid -- a sheet size[0] x size[1] in the xz plane, centred, normal +y; diagonals alternate. */
CONTACT_API ct_code ct_mesh_grid(const ct_real size[2], const int cells[2], ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_sphere -- subdivided icosahedron, 20 * 4^levels triangles, levels 0..7. */
CONTACT_API ct_code ct_mesh_sphere(ct_real radius, int levels, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_transform -- every position x becomes R(rotation) (scale x) + position, computed in double and rounded once.
   scale     in  [3] along x, y, z, finite and not 0; NULL: 1. A mirror (one or three factors below 0) reverses tets and triangles, so that
                 they stay positive and outward
   rotation  in  [4] quaternion w x y z, finite, of any length > 0; NULL: none
   position  in  [3] [m], finite; NULL: 0
   CT_ERR_ARGUMENT (NULL mesh, a count without its array, numbers out of range: .text names which), CT_ERR_MESH (.element: a vertex that is not
   finite, or would not be): the mesh is as it was. out_error may be NULL. */
CONTACT_API ct_code ct_mesh_transform(ct_mesh *mesh, const ct_real scale[3], const ct_real rotation[4], const ct_real position[3],
                                      ct_error_info *out_error);
/* ct_mesh_weld -- merges vertices that lie within a distance, as corners that a file stores once for each face. In their order: a vertex within
   the distance of kept ones becomes the nearest of them, any other one is kept. So no corner moves farther than the distance, and kept vertices
   stay where they are and are farther apart. Elements are renumbered, and those that then have a vertex twice are dropped.
   mesh      in, out  changed in place: counts fall, and arrays keep their memory and their length (arrlen)
   distance  in       [m] finite, >= 0; 0: equal coordinates alone
   out_merged out     vertices that became another one; may be NULL
   CT_ERR_ARGUMENT (NULL mesh, a count without its array, distance), CT_ERR_MESH (.element: a vertex that is not finite or beyond 2e90, an
   element with an index out of range), CT_ERR_MEMORY: the mesh is as it was. out_error may be NULL. */
CONTACT_API ct_code ct_mesh_weld(ct_mesh *mesh, ct_real distance, int *out_merged, ct_error_info *out_error);
/* ct_mesh_tetrahedralize -- a coarse lattice of tets in which a closed triangle surface is embedded: the cells that the surface or its
   inside touches, five tets each. Holes and handles stay open, and parts stay apart, where they are at least a cell wide or lie in
   different cells; parts that pass through one cell are joined there.
   surface   in   positions and triangles: one or more closed shells, each edge in two triangles that run along it in opposite directions
   cell      in   approximate side of a cell [m], > 0: the bounding box is divided evenly; 0: a sixth of its longest side
   out_mesh  out  positions and tets of the lattice; the surface is not in it
   CT_ERR_ARGUMENT: cell, or more than 4 million cells in the bounding box (value: how many); CT_ERR_MESH: no triangles, numbers out of
   range (2e90), a surface that is not closed (element: a triangle, the text names its edge); CT_ERR_MEMORY. */
CONTACT_API ct_code ct_mesh_tetrahedralize(const ct_mesh *surface, ct_real cell, ct_mesh *out_mesh, ct_error_info *out_error);
/* ct_mesh_intersections -- edge-face intersections of a whole triangle surface with itself, exact; out_pairs [2 *out_n] (edge as its two
   vertices is not stored: triangle that owns the edge, triangle that is hit) is an stb_ds array to be freed with ct_free.
   CT_ERR_MESH: an index or a number out of range (2e90). */
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
/* ct_ccd_*_backward -- the same backward in time: the last contact, and a time just before it began.
   out_last   out  last time in [0, 1] at which the features are as near as min_distance, rounded up, never early: from there to the end
              they stay farther apart. 1 when they end as near; -1 when they are never as near
   out_before out  a time before that contact began at which they are certainly farther than min_distance, as late as the search can tell
                   (to 1e-6, usually to 1e-9; to 1e-4 at grazing contacts). -1 when there is none, since they are as near from the start on.
                   1 when they are never as near. An earlier contact may lie before it, which the functions above find. With min_distance 0,
                   where only touching is a contact, it is the time just before the last touch. May be NULL
   Errors and guarantees as above. */
CONTACT_API ct_code ct_ccd_vertex_face_backward(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_last,
                                                ct_real *out_before);
CONTACT_API ct_code ct_ccd_edge_edge_backward(const ct_real x0[12], const ct_real x1[12], ct_real min_distance, ct_real *out_last,
                                              ct_real *out_before);
CONTACT_API ct_code ct_ccd_vertex_edge_backward(const ct_real x0[9], const ct_real x1[9], ct_real min_distance, ct_real *out_last,
                                                ct_real *out_before);
CONTACT_API ct_code ct_ccd_vertex_vertex_backward(const ct_real x0[6], const ct_real x1[6], ct_real min_distance, ct_real *out_last,
                                                  ct_real *out_before);
/* ct_ccd_*_batch -- n queries: points x0, x1 [3 n_points] (t = 0, 1), quads [4 n] point numbers in the order above; out_toi [n]. */
CONTACT_API ct_code ct_ccd_vertex_face_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance,
                                             ct_real *out_toi);
CONTACT_API ct_code ct_ccd_edge_edge_batch(const ct_real *x0, const ct_real *x1, const int32_t *quads, int n, ct_real min_distance, ct_real *out_toi);

/* ct_dist_vertex_face, ct_dist_edge_edge, ct_dist_vertex_edge -- the distance of two features, and where they are nearest.
   x          in   points in the order of ct_ccd_*, of size up to 1e69, float: 1e7
   out_distance out [m]
   out_weights out  a weight w_i for each point: sum w_i x_i goes from the second feature's nearest point to the first's, a vertex has 1, and the
                   weights of a feature have the sum 1 or -1. With n that vector by its length, w_i n is the derivative of the distance by
                   x_i: the normal's entries in a row of J. May be NULL
   returns CT_OK, CT_ERR_ARGUMENT (NULL), CT_ERR_DOMAIN (a number is not finite or too large; out untouched) */
CONTACT_API ct_code ct_dist_vertex_face(const ct_real x[12], ct_real *out_distance, ct_real out_weights[4]);
CONTACT_API ct_code ct_dist_edge_edge(const ct_real x[12], ct_real *out_distance, ct_real out_weights[4]);
CONTACT_API ct_code ct_dist_vertex_edge(const ct_real x[9], ct_real *out_distance, ct_real out_weights[3]);
/* ct_cone_project -- the point of Coulomb's cone K = {|r_t| <= mu r_n} that is nearest to r: the step of projected gradients and of ADMM.
   mu         in   >= 0;  r  in  [3] n, t1, t2 [N s];  out_r  out [3], may be r
   returns CT_OK, CT_ERR_ARGUMENT (NULL), CT_ERR_DOMAIN (mu < 0; a number that is not finite or beyond 1e150; out untouched) */
CONTACT_API ct_code ct_cone_project(double mu, const double r[3], double out_r[3]);
/* ct_tet_eval -- energy, force and stiffness of one linear tetrahedron: V psi(F), f = -d(V psi)/dx, K = d2(V psi)/dx2.
   material   in   of a soft body; its damping is not in the results
   rest, x    in   [12] its four corners at rest, of positive volume, and now [m]
   out_energy out  [J];  out_force  out [12] [N];  out_stiffness  out [144] rows of K [N/m], symmetric, indefinite where the energy is not convex;
                   each may be NULL
   returns CT_OK, CT_ERR_ARGUMENT (NULL; a material that a soft body refuses), CT_ERR_DOMAIN (a number is not finite), CT_ERR_MESH (inverted or flat
   at rest); then out is untouched */
CONTACT_API ct_code ct_tet_eval(const ct_material *material, const ct_real rest[12], const ct_real x[12], double *out_energy, ct_real out_force[12],
                                ct_real out_stiffness[144]);

#ifdef __cplusplus
}
#endif

#endif /* CT_CONTACT_H_INCLUDED */
