/* sim.c -- scene to world: meshes are made or read, transformed, repeated, pinned. */
#define _POSIX_C_SOURCE 200809L
#include "sim.h"
#include "cli.h"
#include "locking.h"
#include "thin.h"
#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t sim_now_us(void *user)
{
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* a warning's text without names in quotes and numbers */
static void sim_kind_of(const char *text, char *kind, size_t size)
{
    size_t n = 0;
    int quoted = 0;
    for (; *text && n + 1 < size; text++) {
        if (*text == '\'')
            quoted = !quoted;
        else if (!quoted && !isdigit((unsigned char)*text))
            kind[n++] = *text;
    }
    kind[n] = '\0';
}

/* errors, and the first warning of each kind; sim_log_rest says how many follow it */
static void sim_log(ct_log_level level, const char *text, void *user)
{
    sim *m = (sim *)user;
    char kind[sizeof m->warnings[0].kind];
    int i;
    if (level == CT_LOG_WARNING) {
        sim_kind_of(text, kind, sizeof kind);
        for (i = 0; i < m->n_warnings && strcmp(kind, m->warnings[i].kind); i++)
            ;
        if (i < m->n_warnings) {
            m->warnings[i].more++;
            return;
        }
        if (i < SIM_WARNINGS)
            strcpy(m->warnings[m->n_warnings++].kind, kind);
    }
    if (level <= CT_LOG_WARNING)
        fprintf(stderr, "contact: %s: %s\n", level == CT_LOG_ERROR ? "error" : "warning", text);
}

static void sim_log_rest(sim *m)
{
    int i;
    for (i = 0; i < m->n_warnings; i++) {
        if (m->warnings[i].more)
            fprintf(stderr, "contact: warning: and %d more of this kind\n", m->warnings[i].more);
        m->warnings[i].more = 0;
    }
}

/* index of `name` among a text function's names, or -1 */
static int sim_name_index(const char *name, const char *(*text)(int), int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (!strcmp(name, text(i)))
            return i;
    return -1;
}

/* the number of the name in the option or in the scene, or -1 */
static int sim_choose(const scene *s, const char *option, const char *in_scene, const char *what, const char *(*text)(int), int count)
{
    const char *name = option ? option : in_scene;
    char list[256], where[280], near[40];
    int i = sim_name_index(name, text, count), k;
    if (i >= 0)
        return i;
    list[0] = '\0';
    for (k = 0; k < count; k++)
        if (strcmp(text(k), "?") != 0) /* a number without a name */
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? " " : "", text(k));
    if (option)
        snprintf(where, sizeof where, "--%s", what);
    else
        snprintf(where, sizeof where, "%.240s: %s", s->file, what);
    if (cli_closest(name, list, near, sizeof near))
        cli_fail("%s: unknown %s '%s'; is '%s' meant?", where, what, name, near);
    else
        cli_fail("%s: unknown %s '%s'; expected one of: %s", where, what, name, list);
    return -1;
}

static int sim_describe(const scene *s, const sim_options *o, sim *m, ct_world_desc *d)
{
    int i, k;
    *d = ct_world_desc_default();
    for (k = 0; k < 3; k++)
        d->gravity[k] = (ct_real)s->gravity[k], d->wind[k] = (ct_real)s->wind[k];
    d->thickness = (ct_real)s->thickness;
    d->friction = (ct_real)s->friction;
    d->self_collision = s->self_collision;
    d->frame_work = s->frame_work, d->frame_ms = s->frame_ms;
    d->sleep_time = s->sleep_time, d->sleep_speed = (ct_real)s->sleep_speed;
    d->broad_phase = s->hashed ? CT_BROAD_HASH : CT_BROAD_TREE;
    d->row_mode = s->row_mode;
    d->dcd = s->dcd;
    d->barrier = s->barrier;
    d->geometric = s->geometric;
    d->penalty = s->penalty;
    d->layers = s->layers;
    d->restitution = (ct_real)s->restitution, d->restitution_threshold = (ct_real)s->restitution_threshold;
    d->restitution_law = s->restitution_law;
    d->friction_combine = s->friction_combine, d->restitution_combine = s->restitution_combine;
    d->rk = s->rk;
    d->newton_iterations = s->newton_iterations;
    d->ccd_limits_step = s->ccd_limits_step;
    d->now_us = sim_now_us;
    d->tasks.worker_count = o->threads;
    d->log = sim_log, d->log_user = m;
    if (o->stepper || s->stepper[0]) {
        i = sim_choose(s, o->stepper, s->stepper, "stepper", scene_stepper, CT_STEPPER_COUNT_);
        if (i < 0)
            return 0;
        d->stepper = (ct_stepper)i;
    }
    if (s->integrator[0]) {
        i = sim_choose(s, NULL, s->integrator, "integrator", scene_integrator, CT_INTEGRATOR_COUNT_);
        if (i < 0)
            return 0;
        d->integrator = (ct_integrator)i;
    }
    d->solver = s->solver_options;
    if (o->paper)
        d->solver.termination = CT_TERMINATION_PAPER;
    if (o->solver || s->solver[0]) {
        i = sim_choose(s, o->solver, s->solver, "solver", scene_solver, CT_SOLVER_COUNT_);
        if (i < 0)
            return 0;
        d->solver.solver = (ct_solver)i;
    }
    if (!ct_stepper_built(d->stepper)) {
        cli_fail("%s: stepper '%s' is not built%s", s->file, ct_stepper_text(d->stepper),
                 o->stepper ? "" : "; choose another with --stepper");
        return 0;
    }
    if (!ct_solver_built(d->solver.solver) && !ct_problem_solver_built(d->solver.solver)) { /* for other values the world gives the reason */
        cli_fail("%s: solver '%s' is not built%s", s->file, ct_solver_text(d->solver.solver),
                 o->solver ? "" : "; choose another with --solver");
        return 0;
    }
    return 1;
}

/* x := R x with the Euler angles v about x, then y, then z */
static void sim_rotate(const double v[3], double x[3])
{
    int axis;
    for (axis = 0; axis < 3; axis++) {
        int a = (axis + 1) % 3, b = (axis + 2) % 3;
        double c = cos(v[axis]), s = sin(v[axis]), xa = x[a], xb = x[b];
        /* right angles are exact, so that boxes stay boxes */
        if (fabs(c) < 1e-15)
            c = 0;
        if (fabs(s) < 1e-15)
            s = 0;
        x[a] = c * xa - s * xb;
        x[b] = s * xa + c * xb;
    }
}

static void sim_apply(const scene_transform *t, double x[3])
{
    int k;
    if (t->kind == 'r')
        sim_rotate(t->v, x);
    for (k = 0; k < 3; k++) {
        if (t->kind == 's')
            x[k] *= t->v[k];
        else if (t->kind == 't')
            x[k] += t->v[k];
    }
}

/* a mirror image turns elements inside out: swap two corners */
static void sim_flip(ct_mesh *mesh)
{
    int i;
    for (i = 0; i < mesh->n_tets; i++) {
        int32_t t = mesh->tets[4 * i];
        mesh->tets[4 * i] = mesh->tets[4 * i + 1];
        mesh->tets[4 * i + 1] = t;
    }
    for (i = 0; i < mesh->n_triangles; i++) {
        int32_t t = mesh->triangles[3 * i];
        mesh->triangles[3 * i] = mesh->triangles[3 * i + 1];
        mesh->triangles[3 * i + 1] = t;
    }
}

static void sim_transform(const scene_body *b, ct_mesh *mesh)
{
    int i, k;
    double mirror = 1;
    for (i = 0; i < mesh->n_positions; i++) {
        double x[3];
        for (k = 0; k < 3; k++)
            x[k] = mesh->positions[3 * i + k];
        for (k = 0; k < b->n_transform; k++)
            sim_apply(&b->transform[k], x);
        for (k = 0; k < 3; k++)
            mesh->positions[3 * i + k] = (ct_real)x[k];
    }
    for (k = 0; k < b->n_transform; k++)
        if (b->transform[k].kind == 's')
            mirror *= b->transform[k].v[0] * b->transform[k].v[1] * b->transform[k].v[2] < 0 ? -1 : 1;
    if (mirror < 0)
        sim_flip(mesh);
}

/* the meshes of a body: its own, the one embedded in it (n_positions 0: none), and the positions of its keyframes */
typedef struct sim_meshes {
    ct_mesh body, surface;
    ct_mesh keys; /* positions only, one keyframe after the other */
    int n_keyframes;
    int is_own; /* 1: the body's arrays are of thin_mesh */
} sim_meshes;

static void sim_free_meshes(sim_meshes *m)
{
    free(m->keys.positions);
    if (m->is_own)
        thin_free(&m->body);
    ct_mesh_free(&m->body);
    ct_mesh_free(&m->surface);
}

/* a file's mesh, welded if the body wants it */
static ct_code sim_read_mesh(const scene_body *b, const char *file, ct_mesh *mesh, ct_error_info *e)
{
    ct_code code = cli_mesh_read(file, mesh, e);
    return code == CT_OK && b->weld >= 0 ? ct_mesh_weld(mesh, (ct_real)b->weld, NULL, e) : code;
}

static ct_code sim_shape_mesh(const scene_body *b, const char *file, ct_mesh *mesh, ct_error_info *e)
{
    ct_real size[3];
    int k;
    for (k = 0; k < 3; k++)
        size[k] = (ct_real)b->size[k];
    if (file)
        return sim_read_mesh(b, file, mesh, e);
    if (b->shape == SCENE_SHAPE_BOX)
        return ct_mesh_box(size, b->cells, b->type == SCENE_SOFT || b->type == SCENE_POINTS, mesh, e);
    if (b->shape == SCENE_SHAPE_GRID)
        return ct_mesh_grid(size, b->cells, mesh, e);
    return ct_mesh_sphere((ct_real)b->radius, b->levels, mesh, e);
}

/* the embedded mesh, and the body's mesh; `first`: a file that is used if no mesh is named, or NULL */
static int sim_load_bodies(const scene *s, const scene_body *b, const char *first, sim_meshes *m)
{
    ct_error_info e;
    ct_code code = CT_OK;
    const char *file = b->surface;
    char text[320];
    memset(&e, 0, sizeof e);
    memset(m, 0, sizeof *m);
    m->is_own = b->shape == SCENE_SHAPE_LINE || b->shape == SCENE_SHAPE_NET;
    if (b->surface)
        code = sim_read_mesh(b, b->surface, &m->surface, &e);
    if (code == CT_OK && b->lattice > 0)
        code = ct_mesh_tetrahedralize(&m->surface, (ct_real)b->lattice, &m->body, &e);
    else if (m->is_own)
        thin_mesh(b, &m->body);
    else if (code == CT_OK) {
        file = b->mesh ? b->mesh : first;
        code = sim_shape_mesh(b, file, &m->body, &e);
    }
    if (code == CT_ERR_ARGUMENT && b->lattice > 0)
        cli_fail("%s: %s.lattice: %s: %s; a lattice has the units of its file, before \"transform\"", s->file, b->path, file,
                 cli_error_text(code, &e, text, sizeof text));
    else if (code != CT_OK)
        cli_fail("%s: %s: %s: %s", s->file, b->path, file ? file : "shape", cli_error_text(code, &e, text, sizeof text));
    else if (b->type == SCENE_SOFT && m->body.n_tets == 0)
        cli_fail("%s: %s.mesh: %s has no tetrahedra, which a soft body needs", s->file, b->path, b->mesh), code = CT_ERR_MESH;
    else if (b->type == SCENE_CLOTH && m->body.n_triangles == 0)
        cli_fail("%s: %s.mesh: %s has no triangles, which a cloth needs", s->file, b->path, b->mesh), code = CT_ERR_MESH;
    else if (b->type == SCENE_ROD && m->body.n_segments == 0)
        cli_fail("%s: %s.mesh: %s has no segments (l), which a rod needs", s->file, b->path, b->mesh), code = CT_ERR_MESH;
    if (code != CT_OK) {
        sim_free_meshes(m);
        return 0;
    }
    sim_transform(b, &m->body);
    sim_transform(b, &m->surface);
    return 1;
}

/* key2 is before key10 */
int sim_compare_names(const void *a, const void *b)
{
    const char *first = *(char *const *)a, *second = *(char *const *)b, *p = first, *q = second;
    while (*p && *q) {
        size_t m, n;
        int order;
        if (!isdigit((unsigned char)*p) || !isdigit((unsigned char)*q)) {
            if (*p != *q)
                return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
            p++, q++;
            continue;
        }
        p += strspn(p, "0"), q += strspn(q, "0");
        m = strspn(p, "0123456789"), n = strspn(q, "0123456789");
        order = m != n ? (m < n ? -1 : 1) : strncmp(p, q, n);
        if (order)
            return order;
        p += m, q += n;
    }
    if (*p || *q)
        return *p ? 1 : -1;
    return strcmp(first, second); /* differing zeros alone */
}

/* the files of "keyframes" in their order, each with as many vertices as the mesh */
static int sim_load_keyframes(const scene *s, const scene_body *b, const glob_t *files, sim_meshes *m)
{
    size_t n = (size_t)m->body.n_positions * 3;
    m->keys.positions = (ct_real *)cli_alloc(n * files->gl_pathc, sizeof(ct_real));
    for (m->n_keyframes = 0; m->n_keyframes < (int)files->gl_pathc; m->n_keyframes++) {
        const char *file = files->gl_pathv[m->n_keyframes];
        ct_mesh key;
        ct_error_info e;
        ct_code code;
        char text[320];
        memset(&key, 0, sizeof key);
        memset(&e, 0, sizeof e);
        code = cli_mesh_read(file, &key, &e);
        if (code != CT_OK)
            cli_fail("%s: %s.keyframes: %s: %s", s->file, b->path, file, cli_error_text(code, &e, text, sizeof text));
        else if (key.n_positions != m->body.n_positions)
            code = CT_ERR_MESH,
            cli_fail("%s: %s.keyframes: %s has %d vertices, expected %d", s->file, b->path, file, key.n_positions, m->body.n_positions);
        else {
            sim_transform(b, &key);
            memcpy(m->keys.positions + n * (size_t)m->n_keyframes, key.positions, n * sizeof(ct_real));
        }
        ct_mesh_free(&key);
        if (code != CT_OK)
            return 0;
    }
    m->keys.n_positions = m->body.n_positions * m->n_keyframes;
    return 1;
}

/* all meshes of a body; without "mesh" it is the first keyframe's */
static int sim_load_mesh(const scene *s, const scene_body *b, sim_meshes *m)
{
    glob_t files;
    int ok;
    if (!b->keyframes)
        return sim_load_bodies(s, b, NULL, m);
    if (glob(b->keyframes, GLOB_NOSORT, NULL, &files) != 0) {
        cli_fail("%s: %s.keyframes: no file matches %s", s->file, b->path, b->keyframes);
        return 0;
    }
    qsort(files.gl_pathv, files.gl_pathc, sizeof *files.gl_pathv, sim_compare_names);
    ok = sim_load_bodies(s, b, b->shape == SCENE_SHAPE_MESH ? files.gl_pathv[0] : NULL, m);
    if (ok && !sim_load_keyframes(s, b, &files, m)) {
        sim_free_meshes(m);
        ok = 0;
    }
    globfree(&files);
    return ok;
}

static ct_code sim_add_soft(sim *m, const scene_body *b, const char *name, const sim_meshes *meshes, ct_body_id *out)
{
    ct_soft_desc d = ct_soft_desc_default();
    double factor;
    int k;
    d.name = name;
    d.mesh = &meshes->body;
    d.surface = meshes->surface.n_positions ? &meshes->surface : NULL;
    d.material = b->material;
    /* a mesh that cannot be measured cannot be added either, which gives an error */
    if (b->bends && locking_factor(d.mesh, (double)d.material.poisson, &factor))
        d.material.young = (ct_real)((double)d.material.young / factor);
    d.friction = (ct_real)b->friction;
    d.thickness = (ct_real)b->thickness;
    for (k = 0; k < 3; k++)
        d.velocity[k] = (ct_real)b->velocity[k], d.angular_velocity[k] = (ct_real)b->angular_velocity[k];
    return ct_body_add_soft(m->world, &d, out);
}

static ct_code sim_add_cloth(sim *m, const scene_body *b, const char *name, const ct_mesh *mesh, ct_body_id *out)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    int k;
    d.name = name;
    d.mesh = mesh;
    d.material = b->material;
    d.friction = (ct_real)b->friction;
    d.thickness = (ct_real)b->thickness;
    for (k = 0; k < 3; k++)
        d.velocity[k] = (ct_real)b->velocity[k], d.angular_velocity[k] = (ct_real)b->angular_velocity[k];
    return ct_body_add_cloth(m->world, &d, out);
}

static ct_code sim_add_rigid(sim *m, const scene_body *b, const char *name, const ct_mesh *mesh, ct_body_id *out)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    int k;
    d.name = name;
    d.mesh = mesh;
    d.density = b->material.density;
    d.damping_mass = b->material.damping_mass;
    d.friction = (ct_real)b->friction;
    d.thickness = (ct_real)b->thickness;
    for (k = 0; k < 3; k++)
        d.velocity[k] = (ct_real)b->velocity[k], d.angular_velocity[k] = (ct_real)b->angular_velocity[k];
    return ct_body_add_rigid(m->world, &d, out);
}

static ct_code sim_add_kinematic(sim *m, const scene *s, const scene_body *b, const char *name, const sim_meshes *meshes, ct_body_id *out)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    d.name = name;
    d.mesh = &meshes->body;
    d.segments = b->motion;
    d.n_segments = b->n_motion;
    d.keyframes = meshes->keys.positions;
    d.n_keyframes = meshes->n_keyframes;
    d.keyframe_interval = b->keyframe_interval > 0 ? b->keyframe_interval : s->dt;
    d.friction = (ct_real)b->friction;
    d.thickness = (ct_real)b->thickness;
    return ct_body_add_kinematic(m->world, &d, out);
}

/* the transformed plane: its normal n, a unit vector, and its offset. A map S takes the point x of the plane to S x and n to S^-T n, so that the
   images of points on the free side lie on the free side. */
static double sim_plane(const scene_body *b, double n[3])
{
    double x[3], length;
    int i, k;
    for (k = 0; k < 3; k++)
        n[k] = b->normal[k], x[k] = b->normal[k] * b->offset;
    for (i = 0; i < b->n_transform; i++) {
        const scene_transform *t = &b->transform[i];
        sim_apply(t, x);
        if (t->kind == 'r')
            sim_rotate(t->v, n);
        if (t->kind != 's')
            continue;
        for (k = 0; k < 3; k++)
            n[k] /= t->v[k];
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (k = 0; k < 3; k++)
            n[k] /= length;
    }
    return n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
}

static ct_code sim_add_static(sim *m, const scene_body *b, const char *name, const ct_mesh *mesh, sim_body *body)
{
    ct_static_desc d = ct_static_desc_default();
    double n[3];
    int k;
    d.name = name;
    d.mesh = mesh;
    d.friction = (ct_real)b->friction;
    d.thickness = (ct_real)b->thickness;
    if (b->shape != SCENE_SHAPE_PLANE)
        return ct_body_add_static(m->world, &d, &body->id);
    body->is_plane = 1;
    body->offset = sim_plane(b, n);
    for (k = 0; k < 3; k++) {
        d.plane_normal[k] = (ct_real)n[k];
        body->normal[k] = (double)d.plane_normal[k];
    }
    d.plane_offset = (ct_real)body->offset;
    body->offset = (double)d.plane_offset;
    body->plane_size = b->plane_size;
    d.mesh = NULL;
    return ct_body_add_static(m->world, &d, &body->id);
}

/* a square of a plane, for pictures and frames */
static void sim_plane_square(sim_body *body)
{
    static const int32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const double *n = body->normal;
    double u[3], w[3], length, h = body->plane_size / 2;
    int k, a = fabs(n[0]) < 0.6 ? 0 : 1;
    double e[3] = {0, 0, 0};
    e[a] = 1;
    for (k = 0; k < 3; k++)
        u[k] = n[(k + 1) % 3] * e[(k + 2) % 3] - n[(k + 2) % 3] * e[(k + 1) % 3];
    length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (k = 0; k < 3; k++)
        u[k] /= length;
    for (k = 0; k < 3; k++)
        w[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    body->n_vertices = 4;
    body->n_triangles = 2;
    body->positions = (double *)cli_alloc(12, sizeof(double));
    body->triangles = (int32_t *)cli_alloc(6, sizeof(int32_t));
    memcpy(body->triangles, corners, sizeof corners);
    for (k = 0; k < 3; k++) {
        double c = n[k] * body->offset;
        body->positions[k] = c - h * u[k] - h * w[k];
        body->positions[3 + k] = c + h * u[k] - h * w[k];
        body->positions[6 + k] = c + h * u[k] + h * w[k];
        body->positions[9 + k] = c - h * u[k] + h * w[k];
    }
}

/* fixes vertices of one copy of a body; returns how many `fix` found, -1 after a message */
static int sim_pin(const scene *s, const scene_body *b, sim *m, const sim_body *body, const ct_mesh *mesh, int number)
{
    const scene_fix *f = &b->fix[number];
    int32_t *in_box = NULL;
    const int32_t *list = f->vertices;
    int n = f->n_vertices, i, k, found;
    ct_code code;
    if (f->has_box) {
        /* a face of the box that is meant to pass through vertices contains them in spite of rounding */
        double slack = CONTACT_REAL == 32 ? 1e-6 : 1e-12;
        for (k = 0; k < 3; k++)
            slack = fmax(slack, 4 * (CONTACT_REAL == 32 ? 6e-8 : 1.2e-16) * fmax(fabs(f->box[0][k]), fabs(f->box[1][k])));
        in_box = (int32_t *)cli_alloc((size_t)mesh->n_positions + (size_t)mesh->n_segments, sizeof *in_box);
        for (i = 0, n = 0; i < mesh->n_positions; i++) {
            for (k = 0; k < 3; k++)
                if ((double)mesh->positions[3 * i + k] < f->box[0][k] - slack || (double)mesh->positions[3 * i + k] > f->box[1][k] + slack)
                    break;
            if (k == 3)
                in_box[n++] = i;
        }
        list = in_box;
    }
    for (i = 0; i < n; i++)
        if (list[i] >= mesh->n_positions) {
            cli_fail("%s: %s.fix[%d].vertices[%d]: expected a vertex below %d, found %d", s->file, b->path, number, i, mesh->n_positions,
                     (int)list[i]);
            free(in_box);
            return -1;
        }
    found = n;
    if (b->type == SCENE_ROD && ct_body_node_count(m->world, body->id) > mesh->n_positions) {
        /* frames between vertices that are fixed are fixed, too */
        int32_t *all = (int32_t *)cli_alloc((size_t)n + (size_t)mesh->n_segments + 1, sizeof *all);
        if (n)
            memcpy(all, list, sizeof *all * (size_t)n);
        free(in_box);
        list = in_box = all;
        n = thin_frames(mesh, all, n);
    }
    code = n ? ct_body_pin_path(m->world, body->id, list, n, f->axes, f->motion, f->n_motion, f->until) : CT_OK;
    free(in_box);
    if (code != CT_OK) {
        char text[320];
        cli_fail("%s: %s.fix[%d]: %s", s->file, b->path, number, cli_error_text(code, ct_world_error(m->world), text, sizeof text));
    }
    return code == CT_OK ? found : -1;
}

static int sim_is_deformable(scene_type t) { return t == SCENE_SOFT || t == SCENE_CLOTH || t == SCENE_ROD || t == SCENE_POINTS; }

/* what a scene says of a body behind its description */
static ct_code sim_set(sim *m, const scene_body *b, sim_body *body)
{
    const ct_real none[3] = {0, 0, 0};
    ct_real belt[3];
    ct_code code = ct_body_set_contact(m->world, body->id, &b->contact);
    int k, moves = 0, pushed = 0;
    for (k = 0; k < 3; k++) {
        belt[k] = (ct_real)b->surface_velocity[k], moves |= belt[k] != 0;
        body->force[k] = b->force[k], pushed |= b->force[k] != 0;
    }
    if (code == CT_OK)
        code = ct_body_set_filter(m->world, body->id, &b->filter);
    if (code == CT_OK)
        code = ct_body_set_sensor(m->world, body->id, b->sensor);
    if (code == CT_OK && moves)
        code = ct_body_set_surface_velocity(m->world, body->id, belt);
    if (code == CT_OK && b->restitution >= 0)
        code = ct_body_set_restitution(m->world, body->id, (ct_real)b->restitution);
    if (code == CT_OK)
        code = ct_body_set_spin_friction(m->world, body->id, (ct_real)b->friction_torsional, (ct_real)b->friction_rolling);
    if (code == CT_OK && (b->air.drag > 0 || b->air.lift > 0))
        code = ct_body_set_air(m->world, body->id, &b->air);
    if (code == CT_OK && b->gravity_scale != 1)
        code = ct_body_set_gravity_scale(m->world, body->id, (ct_real)b->gravity_scale);
    if (code == CT_OK && b->pressure != 0)
        code = ct_body_set_pressure(m->world, body->id, (ct_real)b->pressure);
    if (code == CT_OK && pushed) /* a stepper that has no forces says so now */
        code = ct_body_add_force(m->world, body->id, none, NULL);
    if (code == CT_OK && b->self_collision >= 0)
        code = ct_body_set_self_collision(m->world, body->id, b->self_collision);
    return code;
}

/* one copy of a body; found [n_fix]: the copies in which each `fix` found a vertex */
static int sim_add(const scene *s, const scene_body *b, sim *m, const sim_meshes *meshes, const char *name, int *found)
{
    const ct_mesh *mesh = &meshes->body;
    sim_body *body;
    ct_code code;
    int i, n;
    m->bodies = (sim_body *)cli_grow(m->bodies, (size_t)m->n_bodies + 1, sizeof *m->bodies);
    body = &m->bodies[m->n_bodies++];
    memset(body, 0, sizeof *body);
    body->name = cli_copy(name);
    body->path = b->path;
    body->type = b->type;
    body->is_embedded = b->surface != NULL;
    if (b->type == SCENE_SOFT)
        code = sim_add_soft(m, b, name, meshes, &body->id);
    else if (b->type == SCENE_CLOTH)
        code = sim_add_cloth(m, b, name, mesh, &body->id);
    else if (b->type == SCENE_ROD || b->type == SCENE_POINTS)
        code = thin_add(m->world, b, name, mesh, &body->id);
    else if (b->type == SCENE_RIGID)
        code = sim_add_rigid(m, b, name, mesh, &body->id);
    else if (b->type == SCENE_KINEMATIC)
        code = sim_add_kinematic(m, s, b, name, meshes, &body->id);
    else
        code = sim_add_static(m, b, name, mesh, body);
    if (code == CT_OK)
        code = sim_set(m, b, body);
    if (code != CT_OK) {
        char text[320];
        const char *what = cli_error_text(code, ct_world_error(m->world), text, sizeof text), *rest = strstr(what, "': ");
        if (!strncmp(what, "body '", 6) && rest) /* the name once */
            what = rest + 3;
        cli_fail("%s: %s \"%s\": %s", s->file, b->path, name, what);
        return 0;
    }
    body->radius = b->type == SCENE_ROD ? (double)b->rod.radius : b->type == SCENE_POINTS ? (double)b->points.radius : s->thickness / 2;
    for (i = 0; i < b->n_fix; i++) {
        n = sim_pin(s, b, m, body, mesh, i);
        if (n < 0)
            return 0;
        found[i] += n > 0;
    }
    if (sim_is_deformable(b->type))
        m->n_nodes += mesh->n_positions, m->n_tets += b->type == SCENE_SOFT ? mesh->n_tets : 0;
    if (body->is_plane)
        sim_plane_square(body);
    return 1;
}

/* positions of a mesh that is displaced by multiples of the spacing */
static void sim_shift(const scene_body *b, const ct_real *base, const int *cell, ct_mesh *mesh)
{
    int v, k;
    for (v = 0; v < mesh->n_positions; v++)
        for (k = 0; k < 3; k++)
            mesh->positions[3 * v + k] = (ct_real)(base[3 * v + k] + cell[k] * b->spacing[k]);
}

static ct_real *sim_positions(const ct_mesh *mesh)
{
    size_t n = (size_t)mesh->n_positions * 3;
    ct_real *base = (ct_real *)cli_alloc(n + 1, sizeof *base);
    if (n)
        memcpy(base, mesh->positions, n * sizeof *base);
    return base;
}

static int sim_add_copies(const scene *s, const scene_body *b, sim *m)
{
    sim_meshes meshes;
    char *name = (char *)cli_alloc(strlen(b->name) + 48, 1);
    int *found = (int *)cli_alloc((size_t)b->n_fix + 1, sizeof *found);
    int cell[3], i, ok = 1, one = b->repeat[0] * b->repeat[1] * b->repeat[2] == 1;
    ct_real *base, *base_surface, *base_keys;
    memset(&meshes, 0, sizeof meshes);
    if (b->shape != SCENE_SHAPE_PLANE && !sim_load_mesh(s, b, &meshes)) {
        free(name);
        free(found);
        return 0;
    }
    base = sim_positions(&meshes.body);
    base_surface = sim_positions(&meshes.surface);
    base_keys = sim_positions(&meshes.keys);
    for (cell[2] = 0; cell[2] < b->repeat[2] && ok; cell[2]++)
        for (cell[1] = 0; cell[1] < b->repeat[1] && ok; cell[1]++)
            for (cell[0] = 0; cell[0] < b->repeat[0] && ok; cell[0]++) {
                sim_shift(b, base, cell, &meshes.body);
                sim_shift(b, base_surface, cell, &meshes.surface);
                sim_shift(b, base_keys, cell, &meshes.keys);
                if (one)
                    strcpy(name, b->name);
                else
                    sprintf(name, "%s_%d_%d_%d", b->name, cell[0], cell[1], cell[2]);
                ok = sim_add(s, b, m, &meshes, name, found);
            }
    for (i = 0; i < b->n_fix && ok; i++)
        if (!found[i]) {
            cli_fail("%s: %s.fix[%d].%s: contains no vertex", s->file, b->path, i, b->fix[i].has_box ? "box" : "vertices");
            ok = 0;
        }
    free(name);
    free(found);
    free(base);
    free(base_surface);
    free(base_keys);
    sim_free_meshes(&meshes);
    return ok;
}

static void sim_read_triangles(sim *m, sim_body *b)
{
    const int32_t *t = NULL;
    int n = 0;
    b->n_vertices = ct_body_vertex_count(m->world, b->id);
    b->positions = (double *)cli_alloc((size_t)b->n_vertices * 3, sizeof(double));
    if (ct_body_get_triangles(m->world, b->id, &t, &n) != CT_OK)
        n = 0;
    b->n_triangles = n;
    b->triangles = (int32_t *)cli_alloc((size_t)n * 3, sizeof(int32_t));
    if (n)
        memcpy(b->triangles, t, (size_t)n * 3 * sizeof(int32_t));
    if (ct_body_get_segments(m->world, b->id, &t, &n) != CT_OK)
        n = 0;
    b->n_segments = n;
    b->segments = (int32_t *)cli_alloc((size_t)n * 2 + 1, sizeof(int32_t));
    if (n)
        memcpy(b->segments, t, (size_t)n * 2 * sizeof(int32_t));
}

static int sim_side(const scene *s, const sim *m, const scene_joint *j, int side, ct_joint_side *out)
{
    const sim_body *found = NULL;
    int i;
    out->vertices[0] = j->vertex[side];
    if (!j->body[side])
        return 1;
    for (i = 0; i < m->n_bodies; i++) {
        const sim_body *b = &m->bodies[i];
        if (strcmp(b->name, j->body[side]) != 0)
            continue;
        if (found) {
            cli_fail("%s: %s.%s: two bodies are named \"%s\": %s and %s", s->file, j->path, side ? "b" : "a", b->name, found->path, b->path);
            return 0;
        }
        found = b;
    }
    if (!found) {
        char list[2000] = "", near[64];
        for (i = 0; i < m->n_bodies; i++)
            if (!strchr(m->bodies[i].name, ' ') && strlen(list) + strlen(m->bodies[i].name) + 2 < sizeof list)
                sprintf(list + strlen(list), "%s%s", *list ? " " : "", m->bodies[i].name);
        if (cli_closest(j->body[side], list, near, sizeof near))
            cli_fail("%s: %s.%s: no body is named \"%s\"; is \"%s\" meant?", s->file, j->path, side ? "b" : "a", j->body[side], near);
        else
            cli_fail("%s: %s.%s: no body is named \"%s\"", s->file, j->path, side ? "b" : "a", j->body[side]);
        return 0;
    }
    out->body = found->id;
    return 1;
}

static int sim_add_joint(const scene *s, const scene_joint *j, sim *m)
{
    ct_joint_desc d = ct_joint_desc_default(j->kind);
    ct_joint_id id;
    ct_code code;
    char text[320];
    int k;
    for (k = 0; k < 3; k++)
        d.point[k] = (ct_real)j->point[k], d.axis[k] = (ct_real)j->axis[k];
    d.compliance = (ct_real)j->compliance, d.angular_compliance = (ct_real)j->angular_compliance;
    d.rest_length = (ct_real)j->rest_length;
    d.collide = j->collide;
    if (!sim_side(s, m, j, 0, &d.a) || !sim_side(s, m, j, 1, &d.b))
        return 0;
    code = ct_joint_add(m->world, &d, &id);
    if (code == CT_OK && j->has_limits)
        code = ct_joint_set_limits(m->world, id, (ct_real)j->limits[0], (ct_real)j->limits[1]);
    if (code == CT_OK && j->has_spring)
        code = ct_joint_set_spring(m->world, id, (ct_real)j->spring[0], (ct_real)j->spring[1], (ct_real)j->spring[2]);
    if (code == CT_OK && j->has_motor)
        code = ct_joint_set_motor(m->world, id, (ct_real)j->motor[0], (ct_real)j->motor[1]);
    if (code == CT_OK && j->has_breaks)
        code = ct_joint_set_break(m->world, id, (ct_real)j->breaks[0], (ct_real)j->breaks[1]);
    if (code != CT_OK)
        cli_fail("%s: %s: %s", s->file, j->path, cli_error_text(code, ct_world_error(m->world), text, sizeof text));
    return code == CT_OK;
}

int sim_create(const scene *s, const sim_options *options, sim *out)
{
    ct_world_desc d;
    ct_error_info e;
    ct_code code;
    char text[320];
    int i;
    memset(out, 0, sizeof *out);
    memset(&e, 0, sizeof e);
    if (!sim_describe(s, options, out, &d))
        return 0;
    code = ct_world_create(&d, &out->world, &e);
    if (code != CT_OK) {
        cli_fail("%s: %s", s->file, cli_error_text(code, &e, text, sizeof text));
        return 0;
    }
    for (i = 0; i < s->n_bodies; i++)
        if (!sim_add_copies(s, &s->bodies[i], out)) {
            sim_free(out);
            return 0;
        }
    for (i = 0; i < s->n_joints; i++)
        if (!sim_add_joint(s, &s->joints[i], out)) {
            sim_free(out);
            return 0;
        }
    for (i = 0; i < out->n_bodies; i++)
        if (!out->bodies[i].is_plane)
            sim_read_triangles(out, &out->bodies[i]);
    sim_refresh(out);
    sim_log_rest(out);
    return 1;
}

void sim_refresh(sim *m)
{
    int i;
    for (i = 0; i < m->n_bodies; i++)
        if (!m->bodies[i].is_plane && m->bodies[i].n_vertices)
            (void)ct_body_get_positions(m->world, m->bodies[i].id, m->bodies[i].positions, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL);
}

int sim_change(sim *m, const scene *s, double t)
{
    int i, k;
    for (i = 0; i < m->n_bodies; i++) {
        ct_real f[3];
        for (k = 0; k < 3; k++)
            f[k] = (ct_real)m->bodies[i].force[k];
        if ((f[0] != 0 || f[1] != 0 || f[2] != 0) && ct_body_add_force(m->world, m->bodies[i].id, f, NULL) != CT_OK) {
            cli_fail("%s: %s \"%s\".force: %s", s->file, m->bodies[i].path, m->bodies[i].name, ct_world_error(m->world)->text);
            return 0;
        }
    }
    if (m->is_slippery || s->friction_until < 0 || t < s->friction_until - 1e-9 * s->dt)
        return 1;
    for (i = 0; i < m->n_bodies; i++)
        ct_body_set_friction(m->world, m->bodies[i].id, 0);
    m->is_slippery = 1;
    return 1;
}

int sim_find(const sim *m, ct_body_id id)
{
    int i;
    for (i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].id.index1 == id.index1 && m->bodies[i].id.generation == id.generation)
            return i;
    return -1;
}

int sim_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

void sim_free(sim *m)
{
    int i;
    sim_log_rest(m);
    for (i = 0; i < m->n_bodies; i++) {
        free(m->bodies[i].name);
        free(m->bodies[i].positions);
        free(m->bodies[i].triangles);
        free(m->bodies[i].segments);
        free(m->bodies[i].velocities);
    }
    free(m->bodies);
    ct_world_destroy(m->world);
    memset(m, 0, sizeof *m);
}
