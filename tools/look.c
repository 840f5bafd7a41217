/* look.c -- triangles of a picture. Method: the normal of a corner is the mean over the faces around its vertex that are within 45 degrees of
   its own, so that creases stay sharp; cloth may be subdivided (subdivide.h), rods and points become tubes and balls (thin.h). */
#include "look.h"
#include "cli.h"
#include "subdivide.h"
#include "thin.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const look_colour_names[LOOK_COLOUR_COUNT] = {"body", "velocity", "stress", "impulse", "island"};
const char *const look_units[LOOK_COLOUR_COUNT] = {"", "m/s", "Pa", "N s", ""};
const double look_sun[3] = {0.45, 1, 0.42};

int look_find_colour(const char *option, const char *name)
{
    int i;
    for (i = 0; i < LOOK_COLOUR_COUNT; i++)
        if (!strcmp(name, look_colour_names[i]))
            return i;
    cli_fail("%s: expected body, velocity, stress, impulse or island, found '%s'", option, name);
    return -1;
}

/* ---- bounds and camera ---- */

static void look_grow(const sim_body *s, double lo[3], double hi[3])
{
    int i, k;
    for (i = 0; i < s->n_vertices; i++)
        for (k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], s->positions[3 * i + k]);
            hi[k] = fmax(hi[k], s->positions[3 * i + k]);
        }
}

/* moving bodies, and bodies at rest that are not much larger */
static void look_bounds(const sim *m, double lo[3], double hi[3])
{
    double own_lo[3], own_hi[3], size = 0;
    int b, k;
    for (k = 0; k < 3; k++)
        lo[k] = 1e300, hi[k] = -1e300;
    for (b = 0; b < m->n_bodies; b++)
        if (m->bodies[b].type != SCENE_STATIC)
            look_grow(&m->bodies[b], lo, hi);
    for (k = 0; k < 3; k++)
        size = fmax(size, hi[k] - lo[k]);
    for (b = 0; b < m->n_bodies; b++) {
        int small = !m->bodies[b].is_plane && m->bodies[b].type == SCENE_STATIC;
        for (k = 0; k < 3; k++)
            own_lo[k] = 1e300, own_hi[k] = -1e300;
        look_grow(&m->bodies[b], own_lo, own_hi);
        for (k = 0; k < 3; k++)
            small = small && (size <= 0 || own_hi[k] - own_lo[k] < 2 * size);
        if (small)
            look_grow(&m->bodies[b], lo, hi);
    }
    for (k = 0; k < 3; k++)
        if (lo[k] > hi[k])
            lo[k] = -1, hi[k] = 1;
}

void look_init(look *l, const scene *s, const sim *start, look_colour colour, double range)
{
    memset(l, 0, sizeof *l);
    l->colour = colour, l->range = range, l->has_range = range > 0;
    l->camera.fov = 35;
    l->floor = s && s->has_ground ? s->ground : -HUGE_VAL;
    if (s) {
        l->levels = s->subdivide;
        /* Two surfaces keep half of the thickness each, up to the solver's tolerance, and so never reach the middle between them */
        l->reach = 0.25 * s->thickness;
        l->has_camera = s->has_camera;
        memcpy(l->camera.eye, s->eye, sizeof s->eye);
        memcpy(l->camera.target, s->target, sizeof s->target);
        l->camera.fov = s->has_camera ? s->fov : 35;
    }
    look_bounds(start, l->lo, l->hi);
}

void look_free(look *l)
{
    free(l->corners);
    free(l->edges);
    l->corners = NULL, l->edges = NULL;
}

void look_view(look *l, const sim *m, int is_film, look_camera *out)
{
    static const double direction[3] = {0.55, 0.42, 0.95};
    double lo[3], hi[3], norm = 0, radius = 0;
    int k;
    look_bounds(m, lo, hi);
    for (k = 0; k < 3; k++) {
        if (is_film && !l->has_camera)
            lo[k] = fmin(lo[k], l->lo[k]), hi[k] = fmax(hi[k], l->hi[k]);
        l->center[k] = 0.5 * (lo[k] + hi[k]);
        radius += 0.25 * (hi[k] - lo[k]) * (hi[k] - lo[k]);
        norm += direction[k] * direction[k];
    }
    l->radius = fmax(sqrt(radius), 1e-6);
    if (l->tile <= 0) /* it stays the same in a film */
        l->tile = pow(2, floor(log(l->radius * 0.45) / log(2) + 0.5));
    *out = l->camera;
    for (k = 0; k < 3 && !l->has_camera; k++) {
        out->target[k] = l->center[k];
        out->eye[k] = l->center[k] + direction[k] / sqrt(norm) * l->radius / sin(0.5 * out->fov * 0.01745329251994);
    }
}

/* ---- colours ---- */

static double look_linear(double value) { return pow(value / 255.0, 2.2); }

void look_scale(double value, float out[3])
{
    /* dark blue, teal, green, yellow, red, of growing lightness up to yellow */
    static const double stops[6][3] = {{58, 76, 140}, {48, 130, 160}, {74, 172, 130}, {190, 205, 90}, {248, 200, 70}, {214, 64, 52}};
    double x = 5 * (value > 0 ? fmin(value, 1) : 0);
    int i = x >= 5 ? 4 : (int)x, k;
    for (k = 0; k < 3; k++)
        out[k] = (float)look_linear(stops[i][k] + (x - i) * (stops[i + 1][k] - stops[i][k]));
}

static void look_palette(const sim *m, int number, float out[3])
{
    static const int palette[10][3] = {{231, 111, 81},  {42, 157, 143},  {244, 162, 97}, {69, 123, 157}, {233, 196, 106},
                                       {138, 177, 125}, {181, 101, 118}, {109, 89, 122}, {93, 173, 226}, {205, 180, 219}};
    static const int cloths[4][3] = {{222, 73, 84}, {86, 130, 189}, {240, 225, 200}, {120, 170, 130}};
    const sim_body *b = &m->bodies[number];
    int i, k, cloth = 0;
    const int *c;
    for (i = 0; b->type == SCENE_CLOTH && i < number; i++)
        cloth += m->bodies[i].type == SCENE_CLOTH;
    c = b->type == SCENE_CLOTH ? cloths[cloth % 4] : palette[(number * 7 + number / 10) % 10];
    for (k = 0; k < 3; k++)
        out[k] = (float)look_linear(b->is_plane ? 214 - 3 * k : b->type == SCENE_STATIC ? 172 - 4 * k : c[k]);
}

static double look_length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* the stress of von Mises, of xx yy zz xy yz xz */
static double look_mises(const ct_real *s)
{
    double xx = (double)s[0], yy = (double)s[1], zz = (double)s[2], xy = (double)s[3], yz = (double)s[4], xz = (double)s[5];
    return sqrt(0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx)) + 3 * (xy * xy + yz * yz + xz * xz));
}

/* at a node the mean over its elements; a surface in a lattice takes means of its nodes, weighted by distance^-4 (Shepard 1968). 0: it has none */
static int look_stress(const sim *m, const sim_body *b, double *out)
{
    int n = ct_body_element_count(m->world, b->id), per = b->type == SCENE_SOFT ? 4 : 3, nodes = ct_body_node_count(m->world, b->id), i, j, k;
    int32_t *elements = (int32_t *)cli_alloc((size_t)n * (size_t)per, sizeof *elements);
    ct_real *stress = (ct_real *)cli_alloc(6 * (size_t)n, sizeof *stress), *x = (ct_real *)cli_alloc(3 * (size_t)nodes, sizeof *x);
    double *at = (double *)cli_alloc(2 * (size_t)nodes, sizeof *at), *count = at + nodes;
    int ok = n > 0 && ct_body_get_elements(m->world, b->id, elements, n) == CT_OK && ct_body_get_stress(m->world, b->id, stress, n) == CT_OK &&
             (b->is_embedded ? ct_body_get_nodes(m->world, b->id, x, NULL, nodes) == CT_OK : nodes >= b->n_vertices);
    for (i = 0; ok && i < per * n; i++)
        at[elements[i]] += look_mises(stress + 6 * (i / per)), count[elements[i]] += 1;
    for (i = 0; ok && i < nodes; i++)
        at[i] /= count[i] > 0 ? count[i] : 1;
    for (i = 0; ok && i < b->n_vertices; i++) {
        double sum = 0, weights = 0;
        for (j = 0; b->is_embedded && j < nodes; j++) {
            double d2 = 1e-30, w;
            for (k = 0; k < 3; k++)
                d2 += ((double)x[3 * j + k] - b->positions[3 * i + k]) * ((double)x[3 * j + k] - b->positions[3 * i + k]);
            w = 1 / (d2 * d2), sum += w * at[j], weights += w;
        }
        out[i] = b->is_embedded ? sum / weights : at[i];
    }
    free(elements), free(stress), free(x), free(at);
    return ok;
}

/* values of a body's vertices; 0: it has none */
static int look_values(const look *l, const sim *m, const sim_body *b, double *out)
{
    size_t n = (size_t)b->n_vertices, i;
    double *v;
    ct_real *j;
    int ok = 0;
    if (b->is_plane || n == 0 || (b->velocities && l->colour != LOOK_VELOCITY))
        return 0;
    if (l->colour == LOOK_STRESS)
        return look_stress(m, b, out);
    v = (double *)cli_alloc(3 * n, sizeof *v);
    j = (ct_real *)cli_alloc(3 * n, sizeof *j);
    if (b->velocities && l->colour == LOOK_VELOCITY)
        memcpy(v, b->velocities, 3 * n * sizeof *v), ok = 1;
    else if (l->colour == LOOK_VELOCITY)
        ok = ct_body_get_velocities(m->world, b->id, v, CT_SCALAR_DOUBLE, 3 * sizeof *v, NULL) == CT_OK;
    else if (ct_body_get_contact_impulses(m->world, b->id, j, b->n_vertices) == CT_OK)
        for (ok = 1, i = 0; i < 3 * n; i++)
            v[i] = (double)j[i];
    for (i = 0; i < n; i++)
        out[i] = look_length(v + 3 * i);
    free(v), free(j);
    return ok;
}

static int look_moves(const sim *m, int i) { return i >= 0 && m->bodies[i].type != SCENE_STATIC && m->bodies[i].type != SCENE_KINEMATIC; }

/* bodies that contacts or joints connect have one root */
static void look_islands(const sim *m, int *parent)
{
    const ct_contact *contacts = NULL;
    int n = 0, i, joints = ct_world_get_joints(m->world, NULL, 0);
    ct_joint_id *ids = (ct_joint_id *)cli_alloc((size_t)joints, sizeof *ids);
    if (ct_world_contacts(m->world, &contacts, &n) != CT_OK)
        n = 0;
    (void)ct_world_get_joints(m->world, ids, joints);
    for (i = 0; i < m->n_bodies; i++)
        parent[i] = i;
    for (i = 0; i < n + joints; i++) {
        ct_body_id a, b;
        int ia, ib;
        if (i < n)
            a = contacts[i].body_a, b = contacts[i].body_b;
        else if (ct_joint_get_bodies(m->world, ids[i - n], &a, &b) != CT_OK)
            continue;
        ia = sim_find(m, a), ib = sim_find(m, b);
        if (look_moves(m, ia) && look_moves(m, ib))
            parent[sim_root(parent, ia)] = sim_root(parent, ib);
    }
    free(ids);
}

/* ---- triangles ---- */

/* geometry that is drawn of a body; shading: the positions that normals are computed from */
typedef struct look_mesh {
    const double *positions, *shading;
    const int32_t *triangles;
    const uint8_t *edges;  /* NULL: none */
    const double *colours; /* [3 n_vertices] */
    int n_vertices, n_triangles;
    float back;
} look_mesh;

static void look_face(const look_mesh *m, int f, double normal[3])
{
    const double *p[3];
    double u[3], v[3], length;
    int k;
    for (k = 0; k < 3; k++)
        p[k] = m->shading + 3 * m->triangles[3 * f + k];
    for (k = 0; k < 3; k++)
        u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
    for (k = 0; k < 3; k++)
        normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    length = look_length(normal);
    for (k = 0; k < 3; k++)
        normal[k] = length > 0 ? normal[k] / length : (k == 1);
}

/* the faces around each vertex: those of v are list[first[v]] up to list[first[v + 1]] */
static void look_around(const look_mesh *m, int *first, int *list)
{
    int f, i;
    for (i = 0; i < 3 * m->n_triangles; i++)
        first[m->triangles[i] + 1]++;
    for (i = 0; i < m->n_vertices; i++)
        first[i + 1] += first[i];
    for (f = m->n_triangles - 1; f >= 0; f--)
        for (i = 0; i < 3; i++)
            list[--first[m->triangles[3 * f + i] + 1]] = f;
    memmove(first, first + 1, (size_t)m->n_vertices * sizeof *first);
    first[m->n_vertices] = 3 * m->n_triangles;
}

static look_corner *look_more(look *l, int n)
{
    if (l->n_triangles + n > l->room) {
        l->room = 2 * (l->n_triangles + n);
        l->corners = (look_corner *)cli_grow(l->corners, 3 * (size_t)l->room, sizeof *l->corners);
        l->edges = (uint8_t *)cli_grow(l->edges, (size_t)l->room, 1);
    }
    l->n_triangles += n;
    return l->corners + 3 * (size_t)(l->n_triangles - n);
}

static void look_triangles(look *l, const look_mesh *b)
{
    double *faces = (double *)cli_alloc((size_t)b->n_triangles * 3, sizeof *faces);
    int *first = (int *)cli_alloc((size_t)b->n_vertices + 2, sizeof *first), *list = (int *)cli_alloc((size_t)b->n_triangles * 3, sizeof *list);
    look_corner *c = look_more(l, b->n_triangles);
    int f, i, k, j;
    for (f = 0; f < b->n_triangles; f++) {
        look_face(b, f, faces + 3 * f);
        l->edges[l->n_triangles - b->n_triangles + f] = b->edges ? b->edges[f] : 0;
    }
    look_around(b, first, list);
    for (f = 0; f < b->n_triangles; f++)
        for (i = 0; i < 3; i++, c++) {
            const double *mine = faces + 3 * f;
            double sum[3] = {0, 0, 0}, length;
            int v = b->triangles[3 * f + i];
            for (j = first[v]; j < first[v + 1]; j++) {
                const double *o = faces + 3 * list[j];
                for (k = 0; k < 3 && o[0] * mine[0] + o[1] * mine[1] + o[2] * mine[2] > 0.7; k++)
                    sum[k] += o[k];
            }
            length = look_length(sum);
            for (k = 0; k < 3; k++) {
                c->position[k] = (float)b->positions[3 * v + k];
                c->normal[k] = (float)(length > 0 ? sum[k] / length : mine[k]);
                c->colour[k] = (float)b->colours[3 * v + k];
            }
            c->colour[3] = b->back;
        }
    free(faces), free(first), free(list);
}

/* tubes and balls: no lines where their triangles meet */
static void look_thin(look *l, const sim_body *b, const double *colours)
{
    thin_surface s;
    look_mesh m;
    double *own;
    int i;
    thin_skin(b, &s);
    own = (double *)cli_alloc(3 * (size_t)s.n_vertices, sizeof *own);
    for (i = 0; i < s.n_vertices; i++)
        memcpy(own + 3 * i, colours + 3 * s.from[i], 3 * sizeof *own);
    memset(&m, 0, sizeof m);
    m.positions = m.shading = s.positions, m.triangles = s.triangles, m.colours = own;
    m.n_vertices = s.n_vertices, m.n_triangles = s.n_triangles;
    look_triangles(l, &m);
    free(s.positions), free(s.triangles), free(s.from), free(own);
}

static void look_body(look *l, const sim_body *b, const double *colours)
{
    look_mesh m;
    subdivision fine, shades;
    uint8_t *all = (uint8_t *)cli_alloc((size_t)b->n_triangles, 1);
    memset(&fine, 0, sizeof fine), memset(&shades, 0, sizeof shades);
    memset(all, b->is_plane ? 0 : 7, (size_t)b->n_triangles);
    m.positions = m.shading = b->positions, m.triangles = b->triangles, m.edges = all, m.colours = colours;
    m.n_vertices = b->n_vertices, m.n_triangles = b->n_triangles;
    m.back = b->type == SCENE_CLOTH;
    if (l->levels > 0 && b->type == SCENE_CLOTH) {
        subdivide(b->positions, b->n_vertices, b->triangles, b->n_triangles, l->levels, l->reach, &fine);
        /* with no room to move, points stay on the given triangles: linear interpolation */
        subdivide(colours, b->n_vertices, b->triangles, b->n_triangles, l->levels, 0, &shades);
        m.positions = fine.positions, m.shading = fine.smooth, m.triangles = fine.triangles, m.edges = fine.edges, m.colours = shades.positions;
        m.n_vertices = fine.n_vertices, m.n_triangles = fine.n_triangles;
    }
    look_triangles(l, &m);
    subdivide_free(&fine), subdivide_free(&shades);
    free(all);
    if (b->n_segments > 0 || b->type == SCENE_POINTS)
        look_thin(l, b, colours);
}

/* ---- all of it ---- */

/* a plane that faces up */
static int look_is_ground(const sim_body *b) { return b->is_plane && b->normal[1] > 0.999; }

/* bodies, and planes other than the ground that are seen from their free side */
static int look_is_seen(const sim_body *b, const double e[3])
{
    const double *n = b->normal;
    return !b->is_plane || (!look_is_ground(b) && n[0] * e[0] + n[1] * e[1] + n[2] * e[2] > b->offset);
}

/* the values of all bodies' vertices, one body after another, and which bodies have some */
static double *look_measure(look *l, const sim *m, unsigned char *has)
{
    size_t n = 0, at = 0;
    double *values, most = 0;
    int b, i;
    for (b = 0; b < m->n_bodies; b++)
        n += (size_t)m->bodies[b].n_vertices;
    values = (double *)cli_alloc(n, sizeof *values);
    l->n_measured = 0;
    for (b = 0; b < m->n_bodies && *look_units[l->colour]; at += (size_t)m->bodies[b++].n_vertices) {
        has[b] = (unsigned char)look_values(l, m, &m->bodies[b], values + at);
        l->n_measured += has[b];
        for (i = 0; has[b] && i < m->bodies[b].n_vertices; i++)
            most = fmax(most, values[at + (size_t)i]);
    }
    if (!l->has_range)
        l->range = fmax(l->range, most);
    return values;
}

/* the surface of a body with its colours; values: of its vertices, NULL: it has none */
static void look_add(look *l, const sim *m, int number, int palette, const double *values)
{
    const sim_body *s = &m->bodies[number];
    double *colours = (double *)cli_alloc(3 * (size_t)s->n_vertices, sizeof *colours);
    float c[3];
    int i, k;
    look_palette(m, palette, c);
    for (i = 0; i < s->n_vertices; i++) {
        if (values)
            look_scale(l->range > 0 ? values[i] / l->range : 0, c);
        for (k = 0; k < 3; k++)
            colours[3 * i + k] = *look_units[l->colour] && !values ? 0.45 : (double)c[k];
    }
    look_body(l, s, colours);
    free(colours);
}

void look_build(look *l, const sim *m, const double eye[3])
{
    unsigned char *has = (unsigned char *)cli_alloc((size_t)m->n_bodies, 1);
    int *root = (int *)cli_alloc((size_t)m->n_bodies, sizeof *root), b, planes;
    double *values = look_measure(l, m, has);
    l->n_triangles = 0;
    l->has_ground = l->floor > -HUGE_VAL && l->floor < eye[1];
    l->ground = l->has_ground ? l->floor : 0;
    if (l->colour == LOOK_ISLAND)
        look_islands(m, root);
    for (planes = 0; planes < 2; planes++) {
        const double *at = values;
        for (b = 0; b < m->n_bodies; at += m->bodies[b++].n_vertices) {
            const sim_body *s = &m->bodies[b];
            if (s->is_plane == planes && look_is_seen(s, eye))
                look_add(l, m, b, l->colour == LOOK_ISLAND && look_moves(m, b) ? sim_root(root, b) : b, has[b] ? at : NULL);
            if (planes && look_is_ground(s) && s->offset < eye[1]) {
                l->ground = l->has_ground ? fmax(l->ground, s->offset) : s->offset;
                l->has_ground = 1;
            }
        }
        if (!planes)
            l->n_solid = l->n_triangles;
    }
    free(has), free(root), free(values);
}
