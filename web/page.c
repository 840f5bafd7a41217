/* page.c -- contact.h for pages of the web: flat functions over numbers and buffers, which web/module.js calls. A pointer is an address in the
   module's memory, where JavaScript has views of arrays. A function that can fail returns a negative number or NULL, and page_error tells why.
   One scene is a `page`; a program may have several. Link with contact.c. */
#include "contact.h"
#include <stdlib.h>
#include <string.h>

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define PAGE EMSCRIPTEN_KEEPALIVE
#else
#define PAGE
#endif

enum { MOST_BODIES = 256, MOST_SNAPSHOTS = 256, REPORT_NUMBERS = 32 };
typedef struct snapshot {
    void *bytes;
    size_t capacity, size;
    double time;
    int structure;
} snapshot;
typedef struct page {
    ct_world *world;
    double numbers[REPORT_NUMBERS];
    ct_body_id body[MOST_BODIES]; /* by the number that page_add gave; null where it was removed */
    int n_bodies, structure;
    ct_joint_id hand;
    ct_hit hit;
    float *vertices;
    int vertex_capacity;
    snapshot ring[MOST_SNAPSHOTS]; /* oldest first */
    int n_snapshots;
    size_t ring_bytes, ring_limit;
} page;

static char error_text[512];
static ct_world_desc next; /* of the next page; page_begin sets it, page_option changes it */
static ct_mesh made, skin; /* the mesh that the next body is made of, and a surface from arrays */

static int fail(const char *text)
{
    strncpy(error_text, text, sizeof error_text - 1);
    return -1;
}
static int world_code(const page *p, ct_code code)
{
    return code ? fail(ct_world_error(p->world)->text) : 0;
}
PAGE const char *page_error(void) { return error_text; }
PAGE void *page_alloc(int bytes) { return malloc((size_t)bytes); }
PAGE void page_free(void *block) { free(block); }
PAGE const char *page_status(int status) { return ct_status_text((ct_status)status); }
PAGE const char *page_stepper(int stepper) { return ct_stepper_built((ct_stepper)stepper) ? ct_stepper_text((ct_stepper)stepper) : ""; }
PAGE const char *page_solver(int solver) { return ct_solver_built((ct_solver)solver) ? ct_solver_text((ct_solver)solver) : ""; }
PAGE const char *page_version(void) { return CT_VERSION_STRING; }
PAGE const char *page_simd(void) { return ct_library_info_get()->simd; }

/* ---- worlds ---- */
/* stepper: its number, or -1: the default with what a game gives up for time */
PAGE int page_begin(int stepper, double thickness, double friction)
{
    if (stepper >= 0 && !ct_stepper_built((ct_stepper)stepper))
        return fail("this stepper is not in this build");
    next = stepper < 0 ? ct_world_desc_default_game() : ct_world_desc_default_for((ct_stepper)stepper);
    next.thickness = (ct_real)thickness;
    if (next.stepper != CT_STEPPER_EXPLICIT)
        next.friction = (ct_real)friction;
    return 0;
}
enum { OPTION_SOLVER, OPTION_NEWTON, OPTION_DHAT, OPTION_STIFFNESS, OPTION_GRAVITY, OPTION_SLEEP, OPTION_FORM,
       OPTION_PAPER, OPTION_SWEEPS, OPTION_CLUSTER };
PAGE int page_option(int option, double value)
{
    switch (option) {
    case OPTION_SOLVER: next.solver.solver = (ct_solver)value; break;
    case OPTION_NEWTON: next.barrier.newton_iterations = (int)value; break;
    case OPTION_DHAT: next.barrier.dhat = (ct_real)value; break;
    case OPTION_STIFFNESS: next.barrier.stiffness = (ct_real)value; break;
    case OPTION_GRAVITY: next.gravity[1] = (ct_real)value; break;
    case OPTION_SLEEP: next.sleep_time = value; break;
    case OPTION_FORM: next.barrier.form = (ct_barrier_form)value; break;
    case OPTION_PAPER: next.solver.termination = value > 0 ? CT_TERMINATION_PAPER : CT_TERMINATION_RESIDUAL; break;
    case OPTION_SWEEPS: next.solver.max_sweeps = (int)value; break;
    case OPTION_CLUSTER: next.solver.cluster = (ct_cluster_mode)value; break;
    default: return fail("no such option");
    }
    return 0;
}
PAGE page *page_new(void)
{
    ct_error_info error;
    page *p = (page *)calloc(1, sizeof *p);
    if (!p)
        return fail("out of memory"), (page *)NULL;
    if (ct_world_create(&next, &p->world, &error)) {
        fail(error.text);
        return free(p), (page *)NULL;
    }
    p->ring_limit = (size_t)96 << 20;
    return p;
}
static void drop_snapshots(page *p, int from)
{
    for (int i = from; i < p->n_snapshots; i++) {
        p->ring_bytes -= p->ring[i].capacity;
        free(p->ring[i].bytes);
    }
    p->n_snapshots = from;
}
PAGE void page_delete(page *p)
{
    if (!p)
        return;
    drop_snapshots(p, 0);
    ct_world_destroy(p->world);
    free(p->vertices), free(p);
}

/* ---- meshes: made in place, taken by page_add ---- */
static void begin_mesh(void)
{
    ct_mesh_free(&made);
    free(skin.positions), free(skin.triangles);
    memset(&skin, 0, sizeof skin);
}
PAGE int page_mesh_box(double x, double y, double z, int nx, int ny, int nz, int tets)
{
    ct_error_info error;
    ct_real size[3] = {(ct_real)x, (ct_real)y, (ct_real)z};
    int cells[3] = {nx, ny, nz};
    begin_mesh();
    return ct_mesh_box(size, cells, tets, &made, &error) ? fail(error.text) : 0;
}
PAGE int page_mesh_grid(double x, double z, int nx, int nz)
{
    ct_error_info error;
    ct_real size[2] = {(ct_real)x, (ct_real)z};
    int cells[2] = {nx, nz};
    begin_mesh();
    return ct_mesh_grid(size, cells, &made, &error) ? fail(error.text) : 0;
}
PAGE int page_mesh_sphere(double radius, int levels)
{
    ct_error_info error;
    begin_mesh();
    return ct_mesh_sphere((ct_real)radius, levels, &made, &error) ? fail(error.text) : 0;
}
/* a surface from arrays; cell > 0: a soft body's, embedded in a lattice of tets with that cell */
PAGE int page_mesh_surface(const double *positions, int n, const int32_t *triangles, int n_triangles, double cell)
{
    ct_error_info error;
    begin_mesh();
    skin.positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
    skin.triangles = (int32_t *)malloc(sizeof(int32_t) * 3 * (size_t)n_triangles);
    if (!skin.positions || !skin.triangles)
        return fail("out of memory");
    for (int i = 0; i < 3 * n; i++)
        skin.positions[i] = (ct_real)positions[i];
    memcpy(skin.triangles, triangles, sizeof(int32_t) * 3 * (size_t)n_triangles);
    skin.n_positions = n, skin.n_triangles = n_triangles;
    return cell > 0 && ct_mesh_tetrahedralize(&skin, (ct_real)cell, &made, &error) ? fail(error.text) : 0;
}
/* moves vertex i of the mesh */
PAGE void page_mesh_move(int i, double x, double y, double z)
{
    ct_real *at = (made.positions ? made.positions : skin.positions) + 3 * i;
    at[0] = (ct_real)x, at[1] = (ct_real)y, at[2] = (ct_real)z;
}

/* ---- bodies ---- */
enum { SOFT, CLOTH, RIGID, KINEMATIC, STATIC, PLANE, POINTS };
/* values of page_add: position, rotation, velocity, angular velocity, then these */
enum { V_POSITION, V_ROTATION = 3, V_VELOCITY = 7, V_SPIN = 10, V_DENSITY = 13, V_YOUNG, V_FRICTION, V_THICKNESS, V_BENDING,
       V_DAMPING, V_MODEL, V_POISSON };
static void place(const double *v, ct_real position[3], ct_real rotation[4])
{
    for (int i = 0; i < 3; i++)
        position[i] = (ct_real)v[V_POSITION + i];
    for (int i = 0; i < 4; i++)
        rotation[i] = (ct_real)v[V_ROTATION + i];
}
static void move(const double *v, ct_real velocity[3], ct_real spin[3])
{
    for (int i = 0; i < 3; i++)
        velocity[i] = (ct_real)v[V_VELOCITY + i], spin[i] = (ct_real)v[V_SPIN + i];
}
static ct_code add_soft(page *p, const double *v, ct_body_id *id)
{
    ct_soft_desc d = ct_soft_desc_default();
    place(v, d.position, d.rotation), move(v, d.velocity, d.angular_velocity);
    d.mesh = &made, d.surface = skin.positions ? &skin : NULL;
    if (v[V_MODEL] >= 0)
        d.material = ct_material_default((ct_model)v[V_MODEL]);
    if (v[V_POISSON] >= 0)
        d.material.poisson = (ct_real)v[V_POISSON];
    d.material.density = (ct_real)v[V_DENSITY], d.material.young = (ct_real)v[V_YOUNG];
    d.material.damping_stiffness = (ct_real)v[V_DAMPING];
    d.friction = (ct_real)v[V_FRICTION], d.thickness = (ct_real)v[V_THICKNESS], d.name = "soft";
    return ct_body_add_soft(p->world, &d, id);
}
static ct_code add_cloth(page *p, const double *v, ct_body_id *id)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    place(v, d.position, d.rotation), move(v, d.velocity, d.angular_velocity);
    d.mesh = skin.positions ? &skin : &made;
    if (v[V_MODEL] >= 0)
        d.material = ct_material_default((ct_model)v[V_MODEL]);
    d.material.areal_density = (ct_real)v[V_DENSITY];
    if (d.material.model == CT_MODEL_MEMBRANE)
        d.material.young = (ct_real)v[V_YOUNG], d.material.bending = (ct_real)v[V_BENDING];
    d.material.damping_stiffness = (ct_real)v[V_DAMPING];
    d.friction = (ct_real)v[V_FRICTION], d.thickness = (ct_real)v[V_THICKNESS], d.name = "cloth";
    return ct_body_add_cloth(p->world, &d, id);
}
static ct_code add_hard(page *p, int kind, const double *v, ct_body_id *id)
{
    const ct_mesh *mesh = skin.positions ? &skin : &made;
    ct_rigid_desc r = ct_rigid_desc_default();
    ct_kinematic_desc k = ct_kinematic_desc_default();
    ct_static_desc s = ct_static_desc_default();
    ct_real friction = (ct_real)v[V_FRICTION], thickness = (ct_real)v[V_THICKNESS];
    if (kind == RIGID) {
        place(v, r.position, r.rotation), move(v, r.velocity, r.angular_velocity);
        r.mesh = mesh, r.density = (ct_real)v[V_DENSITY], r.friction = friction, r.thickness = thickness, r.name = "rigid";
        return ct_body_add_rigid(p->world, &r, id);
    }
    if (kind == KINEMATIC) {
        place(v, k.position, k.rotation);
        k.mesh = mesh, k.friction = friction, k.thickness = thickness, k.name = "figure";
        return ct_body_add_kinematic(p->world, &k, id);
    }
    place(v, s.position, s.rotation);
    s.mesh = kind == PLANE ? NULL : mesh, s.plane_normal[1] = 1, s.friction = friction, s.thickness = thickness, s.name = "still";
    return ct_body_add_static(p->world, &s, id);
}
/* V_DENSITY is the mass of a point [kg] */
static ct_code add_points(page *p, const double *v, ct_body_id *id)
{
    ct_points_desc d = ct_points_desc_default();
    ct_real masses[64];
    for (int i = 0; i < 64; i++)
        masses[i] = (ct_real)v[V_DENSITY];
    if (skin.n_positions > 64)
        return CT_ERR_ARGUMENT;
    place(v, d.position, d.rotation), move(v, d.velocity, d.angular_velocity);
    d.mesh = &skin, d.masses = masses, d.friction = (ct_real)v[V_FRICTION], d.thickness = (ct_real)v[V_THICKNESS], d.name = "points";
    return ct_body_add_points(p->world, &d, id);
}
/* adds a body of the mesh that was made last, and returns its number */
PAGE int page_add(page *p, int kind, const double *values)
{
    int k = 0;
    while (k < p->n_bodies && p->body[k].index1)
        k++;
    if (k == MOST_BODIES)
        return fail("too many bodies");
    ct_body_id *id = &p->body[k];
    if (world_code(p, kind == SOFT     ? add_soft(p, values, id)
                      : kind == CLOTH  ? add_cloth(p, values, id)
                      : kind == POINTS ? add_points(p, values, id)
                                       : add_hard(p, kind, values, id)))
        return -1;
    p->n_bodies = k < p->n_bodies ? p->n_bodies : k + 1, p->structure++;
    return k;
}
PAGE int page_remove(page *p, int body)
{
    if (world_code(p, ct_body_remove(p->world, p->body[body])))
        return -1;
    memset(&p->body[body], 0, sizeof p->body[body]);
    return p->structure++, 0;
}
PAGE int page_body_count(const page *p) { return p->n_bodies; }
PAGE int page_vertex_count(const page *p, int body) { return p->body[body].index1 ? ct_body_vertex_count(p->world, p->body[body]) : 0; }
PAGE const int32_t *page_triangles(const page *p, int body)
{
    const int32_t *t = NULL;
    int n;
    return ct_body_get_triangles(p->world, p->body[body], &t, &n) ? NULL : t;
}
PAGE int page_triangle_count(const page *p, int body)
{
    const int32_t *t;
    int n;
    return ct_body_get_triangles(p->world, p->body[body], &t, &n) ? 0 : n;
}
/* positions and normals of all bodies, by their numbers: six floats a vertex */
PAGE const float *page_vertices(page *p)
{
    int n = 0;
    for (int k = 0; k < p->n_bodies; k++)
        n += page_vertex_count(p, k);
    if (n > p->vertex_capacity) {
        free(p->vertices);
        p->vertices = (float *)malloc(sizeof(float) * 6 * (size_t)n), p->vertex_capacity = p->vertices ? n : 0;
        if (!p->vertices)
            return NULL;
    }
    n = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        float *at = p->vertices + 6 * n;
        if (!page_vertex_count(p, k))
            continue;
        ct_body_get_positions(p->world, p->body[k], at, CT_SCALAR_FLOAT, 24, NULL);
        ct_body_get_normals(p->world, p->body[k], at + 3, CT_SCALAR_FLOAT, 24, NULL);
        n += page_vertex_count(p, k);
    }
    return p->vertices;
}
PAGE int page_pin(page *p, int body, const int32_t *nodes, int n)
{
    return world_code(p, ct_body_pin(p->world, p->body[body], nodes, n, CT_AXIS_ALL, NULL, -1));
}
/* a kinematic body goes to a place and the quaternion qw, 0, qy, 0 within dt */
PAGE int page_move(page *p, int body, double x, double y, double z, double qw, double qy, double dt)
{
    ct_real at[3] = {(ct_real)x, (ct_real)y, (ct_real)z}, turn[4] = {(ct_real)qw, 0, (ct_real)qy, 0};
    return world_code(p, ct_body_move_pose(p->world, p->body[body], at, turn, dt));
}
PAGE int page_impulse(page *p, int body, double x, double y, double z)
{
    ct_real impulse[3] = {(ct_real)x, (ct_real)y, (ct_real)z};
    return world_code(p, ct_body_add_impulse(p->world, p->body[body], impulse, NULL));
}
PAGE double page_mass(const page *p, int body) { return (double)ct_body_get_mass(p->world, p->body[body]); }
PAGE int page_asleep(const page *p, int body) { return ct_body_is_asleep(p->world, p->body[body]); }
/* of all bodies */
PAGE int page_set_friction(page *p, double friction)
{
    int failed = 0;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body[k].index1 && world_code(p, ct_body_set_friction(p->world, p->body[k], (ct_real)friction)))
            failed = -1;
    return failed;
}
PAGE int page_set_thickness(page *p, double thickness)
{
    int failed = 0;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body[k].index1 && world_code(p, ct_body_set_thickness(p->world, p->body[k], (ct_real)thickness)))
            failed = -1;
    return failed;
}
PAGE int page_set_gravity(page *p, double g)
{
    ct_real gravity[3] = {0, (ct_real)-g, 0};
    return world_code(p, ct_world_set_gravity(p->world, gravity));
}

/* ---- steps ---- */
PAGE int page_step(page *p, double dt)
{
    ct_step_report r;
    if (world_code(p, ct_world_step(p->world, (ct_real)dt, &r)))
        return -1;
    double values[] = {(double)r.status, r.substeps, r.contacts, r.rows, r.candidates, r.cmr_rounds, r.newton_iterations, r.solver_iterations,
                       r.solver_sweeps, (double)r.residual, (double)r.min_distance, (double)r.thickness_kept, (double)r.penetration,
                       r.energy_kinetic, r.energy_elastic, r.energy_gravity, r.energy_contact, r.energy_gained, r.loss_contact, r.loss_damping,
                       r.zones, r.tangled, r.work_script, r.work_joints};
    memcpy(p->numbers, values, sizeof values);
    return (int)r.status;
}
PAGE const double *page_report(const page *p) { return p->numbers; }
PAGE double page_time(const page *p) { return ct_world_time(p->world); }
/* the hash of the state as 16 hexadecimal digits */
PAGE const char *page_hash(const page *p)
{
    static char text[17];
    uint64_t h = ct_world_hash(p->world);
    for (int i = 15; i >= 0; i--, h >>= 4)
        text[i] = "0123456789abcdef"[h & 15];
    return text;
}
/* contacts of the last step that carried load: point and impulse, six floats each; as many as there is room for */
PAGE int page_contacts(const page *p, float *out, int capacity)
{
    const ct_contact *c;
    int n, k = 0;
    if (ct_world_contacts(p->world, &c, &n))
        return 0;
    for (int i = 0; i < n && k < capacity; i++) {
        if (!(c[i].impulse_normal > 0))
            continue;
        for (int j = 0; j < 3; j++) {
            ct_real slide = c[i].impulse_tangent[0] * c[i].tangent[0][j] + c[i].impulse_tangent[1] * c[i].tangent[1][j];
            out[6 * k + j] = (float)c[i].point[j];
            out[6 * k + 3 + j] = (float)(c[i].impulse_normal * c[i].normal[j] + slide);
        }
        k++;
    }
    return k;
}

/* ---- snapshots: a ring by bytes, the oldest goes first ---- */
PAGE int page_save(page *p)
{
    size_t size;
    if (world_code(p, ct_world_snapshot_size(p->world, &size)))
        return -1;
    while (p->n_snapshots && (p->n_snapshots == MOST_SNAPSHOTS || p->ring_bytes + size > p->ring_limit)) {
        p->ring_bytes -= p->ring[0].capacity;
        free(p->ring[0].bytes);
        memmove(p->ring, p->ring + 1, sizeof *p->ring * (size_t)--p->n_snapshots);
    }
    snapshot *s = &p->ring[p->n_snapshots];
    s->bytes = malloc(size), s->capacity = size;
    if (!s->bytes)
        return fail("out of memory");
    if (world_code(p, ct_world_snapshot_save(p->world, s->bytes, size, &s->size)))
        return free(s->bytes), -1;
    s->time = ct_world_time(p->world), s->structure = p->structure;
    p->ring_bytes += size;
    return p->n_snapshots++;
}
/* back to snapshot k; those after it are dropped. Bodies that came later stay away: page_add and page_remove forget what was saved before */
PAGE int page_restore(page *p, int k)
{
    if (k < 0 || k >= p->n_snapshots)
        return fail("no such snapshot");
    if (world_code(p, ct_world_snapshot_restore(p->world, p->ring[k].bytes, p->ring[k].size)))
        return -1;
    drop_snapshots(p, k + 1);
    return 0;
}
PAGE int page_snapshots(const page *p) { return p->n_snapshots; }
PAGE double page_snapshot_time(const page *p, int k) { return p->ring[k].time; }
PAGE double page_snapshot_bytes(const page *p) { return (double)p->ring_bytes; }
PAGE void page_forget(page *p) { drop_snapshots(p, 0); }

/* ---- the hand ---- */
/* the body that a ray hits first, or -1; page_hit has the place */
PAGE int page_pick(page *p, double x, double y, double z, double wx, double wy, double wz)
{
    ct_real from[3] = {(ct_real)x, (ct_real)y, (ct_real)z}, way[3] = {(ct_real)wx, (ct_real)wy, (ct_real)wz};
    if (ct_world_update_queries(p->world) || ct_world_cast_ray(p->world, from, way, NULL, &p->hit, NULL))
        return -1;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body[k].index1 && p->body[k].index1 == p->hit.body.index1)
            return k;
    return -1;
}
PAGE double page_hit(const page *p, int axis) { return (double)p->hit.point[axis]; }
PAGE int page_release(page *p)
{
    if (p->hand.index1)
        ct_joint_remove(p->world, p->hand);
    memset(&p->hand, 0, sizeof p->hand);
    return 0;
}
/* a spring [N/m], a damper [N s/m] and a largest force [N] between the place that page_pick found and page_drag's point */
PAGE int page_grab(page *p, double stiffness, double damping, double force)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_DRAG);
    page_release(p);
    d.a.body = p->hit.body;
    if (ct_body_node_count(p->world, p->hit.body))
        for (int i = 0; i < 3; i++)
            d.a.vertices[i] = p->hit.vertices[i], d.a.weights[i] = p->hit.weights[i];
    else
        memcpy(d.point, p->hit.point, sizeof d.point);
    if (world_code(p, ct_joint_add(p->world, &d, &p->hand)))
        return -1;
    if (ct_joint_set_spring(p->world, p->hand, 0, (ct_real)stiffness, (ct_real)damping) || ct_joint_set_motor(p->world, p->hand, 0, (ct_real)force) ||
        ct_joint_set_target(p->world, p->hand, p->hit.point))
        return fail(ct_world_error(p->world)->text);
    return 0;
}
PAGE int page_drag(page *p, double x, double y, double z)
{
    ct_real to[3] = {(ct_real)x, (ct_real)y, (ct_real)z};
    return p->hand.index1 ? world_code(p, ct_joint_set_target(p->world, p->hand, to)) : 0;
}

/* ---- collision detection alone ---- */
/* edges 0: vertex 0 and face 1 2 3; 1: edges 0 1 and 2 3. x0, x1: 12 numbers each. Returns the time, 2: never, -1: an error */
PAGE double page_ccd(int edges, const double *x0, const double *x1, double distance)
{
    ct_real a[12], b[12], toi;
    for (int i = 0; i < 12; i++)
        a[i] = (ct_real)x0[i], b[i] = (ct_real)x1[i];
    if ((edges ? ct_ccd_edge_edge : ct_ccd_vertex_face)(a, b, (ct_real)distance, &toi))
        return fail("a number is not finite, or the distance is negative");
    return (double)toi;
}

/* ---- problems without a world: dense arrays in, every iteration out ---- */
static ct_problem *problem;
static struct {
    double *numbers; /* [count] rows: iteration, residual, x, r */
    int count, capacity;
} history;
static ct_solution answer;
/* a dense matrix by rows; what is 0 is left out */
static int sparse(const double *dense, int rows, int cols, ct_csr *out)
{
    int32_t *p = (int32_t *)malloc(sizeof(int32_t) * (size_t)(rows + 1)), *i = (int32_t *)malloc(sizeof(int32_t) * (size_t)(rows * cols + 1));
    double *x = (double *)malloc(sizeof(double) * (size_t)(rows * cols + 1));
    int k = 0;
    out->rows = rows, out->cols = cols, out->p = p, out->i = i, out->x = x;
    if (!p || !i || !x)
        return 0;
    for (int r = 0; r < rows; r++) {
        p[r] = k;
        for (int c = 0; c < cols; c++)
            if (dense[r * cols + c] != 0)
                i[k] = c, x[k++] = dense[r * cols + c];
    }
    p[rows] = k;
    return 1;
}
static void free_sparse(ct_csr *a)
{
    free((void *)(uintptr_t)a->p), free((void *)(uintptr_t)a->i), free((void *)(uintptr_t)a->x);
}
/* kind: ct_problem_kind. QP, GLOBAL: A [n][n], J [m][n], b [n]; LCP, LOCAL: A is W [m][m], n is m. w [m]; mu [m / 3] or NULL */
PAGE int page_problem(int kind, int n, int m, const double *a, const double *j, const double *b, const double *w, const double *mu)
{
    ct_error_info error;
    ct_problem_desc d = ct_problem_desc_default();
    ct_csr A, J = {0, 0, NULL, NULL, NULL};
    int whole = kind == CT_PROBLEM_QP || kind == CT_PROBLEM_GLOBAL, good;
    ct_problem_free(problem), problem = NULL;
    good = sparse(a, n, n, &A) && (!whole || sparse(j, m, n, &J));
    if (whole)
        d.A = A, d.J = J, d.b = b;
    else
        d.W = A;
    d.kind = (ct_problem_kind)kind, d.w = w;
    if (kind == CT_PROBLEM_LOCAL || kind == CT_PROBLEM_GLOBAL)
        d.mu = mu;
    good = good ? ct_problem_create(&d, &problem, &error) ? fail(error.text) : 0 : fail("out of memory");
    free_sparse(&A), free_sparse(&J);
    return good;
}
static int remember(void *user, const ct_solution *s)
{
    int row = 2 + s->n + s->m;
    (void)user;
    if (history.count == history.capacity) {
        int capacity = history.capacity ? 2 * history.capacity : 64;
        double *more = (double *)realloc(history.numbers, sizeof(double) * (size_t)(row * capacity));
        if (!more)
            return 0;
        history.numbers = more, history.capacity = capacity;
    }
    double *to = history.numbers + row * history.count++;
    to[0] = s->iterations, to[1] = s->residual;
    memcpy(to + 2, s->x, sizeof(double) * (size_t)s->n);
    memcpy(to + 2 + s->n, s->r, sizeof(double) * (size_t)s->m);
    return history.count < 4000;
}
/* solves it and keeps every iterate that the solver shows. Returns their number; page_history has them, page_result the end */
PAGE int page_problem_solve(int solver, double tolerance, int budget, int plain, int paper)
{
    ct_solver_desc d = ct_solver_desc_default();
    ct_code code;
    if (!problem)
        return fail("there is no problem");
    ct_solution_free(&answer);
    memset(&answer, 0, sizeof answer);
    free(history.numbers), memset(&history, 0, sizeof history);
    d.solver = (ct_solver)solver, d.tolerance = (ct_real)tolerance, d.budget = budget, d.plain = plain, d.trace = remember;
    if (paper)
        d.termination = CT_TERMINATION_PAPER;
    code = ct_problem_solve(problem, &d, &answer);
    return code ? fail(ct_code_text(code)) : history.count;
}
/* x [n] and r [m] */
PAGE void page_result(double *out)
{
    memcpy(out, answer.x, sizeof(double) * (size_t)answer.n);
    memcpy(out + answer.n, answer.r, sizeof(double) * (size_t)answer.m);
}
PAGE const double *page_history(void) { return history.numbers; }
PAGE double page_answer(int what) { return what == 0 ? (double)answer.outcome : what == 1 ? (double)answer.iterations : answer.residual; }
PAGE const char *page_outcome(void) { return ct_outcome_text(answer.outcome); }
PAGE const char *page_why(void) { return answer.why ? answer.why : ""; }
