/* thin.c -- rods and points of a scene. Method: keys fill the library's descriptions; for pictures every segment becomes a tube of twelve sides and
   every vertex a ball, so that tubes join. */
#include "thin.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THIN_INF HUGE_VAL
enum { THIN_SIDES = 12, THIN_RINGS = 5 };

/* ---- keys ---- */

void thin_read_shape(json_in *in, const cJSON *o, const char *path, const char *kind, scene_body *out)
{
    int k;
    for (k = 0; k < 3; k++)
        out->size[k] = 1, out->cells[k] = 1, out->from[k] = 0, out->to[k] = k == 0;
    if (!strcmp(kind, "line")) {
        out->shape = SCENE_SHAPE_LINE;
        json_in_keys(in, o, path, "from to count");
        json_in_numbers(in, o, path, "from", out->from, 3);
        json_in_numbers(in, o, path, "to", out->to, 3);
        out->cells[0] = json_in_int(in, o, path, "count", 10, 1, 1000000);
        if (out->from[0] == out->to[0] && out->from[1] == out->to[1] && out->from[2] == out->to[2])
            json_in_error(in, path, "expected \"to\" other than \"from\"");
    } else {
        out->shape = SCENE_SHAPE_NET;
        json_in_keys(in, o, path, "size cells");
        json_in_numbers(in, o, path, "size", out->size, 2);
        json_in_ints(in, o, path, "cells", out->cells, 2, 1, 4096);
        if (!(out->size[0] > 0) || !(out->size[1] > 0))
            json_in_error(in, path, "expected a size > 0 on every axis");
    }
    if (out->type == SCENE_SOFT || out->type == SCENE_CLOTH || out->type == SCENE_RIGID)
        json_in_error(in, path, "expected a rod, points, or a static or kinematic body");
}

/* "damping": mass and, where it is not NULL, stiffness */
static void thin_read_damping(json_in *in, const cJSON *m, const char *path, ct_real *mass, ct_real *stiffness)
{
    const cJSON *damping = json_in_object(in, m, path, "damping");
    char full[128];
    if (!damping)
        return;
    snprintf(full, sizeof full, "%s.damping", path);
    json_in_keys(in, damping, full, stiffness ? "mass stiffness" : "mass");
    *mass = (ct_real)json_in_number(in, damping, full, "mass", (double)*mass, 0, THIN_INF, 0);
    if (stiffness)
        *stiffness = (ct_real)json_in_number(in, damping, full, "stiffness", (double)*stiffness, 0, THIN_INF, 0);
}

/* "bend": a number, or two */
static void thin_read_bend(json_in *in, const cJSON *m, const char *path, ct_real *bend)
{
    double b[2];
    b[0] = b[1] = (double)bend[0];
    if (cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(m, "bend")))
        json_in_numbers(in, m, path, "bend", b, 2);
    else
        b[0] = b[1] = json_in_number(in, m, path, "bend", b[0], 0, THIN_INF, 0);
    if (cJSON_GetObjectItemCaseSensitive(m, "bend") && !(b[0] >= 0 && b[1] >= 0))
        json_in_error(in, path, "expected \"bend\" >= 0 [N m^2]");
    bend[0] = (ct_real)b[0], bend[1] = (ct_real)b[1];
}

static void thin_read_rod(json_in *in, const cJSON *m, const char *path, ct_rod_desc *d)
{
    double direction[3] = {0, 0, 0};
    int k;
    json_in_keys(in, m, path, "radius young poisson density stretch bend torsion line_density curvature twist direction damping");
    d->radius = (ct_real)json_in_number(in, m, path, "radius", d->radius, 0, THIN_INF, JSON_IN_ABOVE);
    d->young = (ct_real)json_in_number(in, m, path, "young", d->young, 0, THIN_INF, JSON_IN_ABOVE);
    d->poisson = (ct_real)json_in_number(in, m, path, "poisson", d->poisson, 0, 0.5, 0);
    d->density = (ct_real)json_in_number(in, m, path, "density", d->density, 0, THIN_INF, JSON_IN_ABOVE);
    d->stretch = (ct_real)json_in_number(in, m, path, "stretch", d->stretch, 0, THIN_INF, JSON_IN_ABOVE);
    thin_read_bend(in, m, path, d->bend);
    d->torsion = (ct_real)json_in_number(in, m, path, "torsion", d->torsion, 0, THIN_INF, 0);
    d->line_density = (ct_real)json_in_number(in, m, path, "line_density", d->line_density, 0, THIN_INF, JSON_IN_ABOVE);
    d->curvature = (ct_real)json_in_number(in, m, path, "curvature", d->curvature, 0, 1, 0);
    d->twist = (ct_real)(json_in_number(in, m, path, "twist", 0, -THIN_INF, THIN_INF, 0) * 0.017453292519943295769);
    json_in_numbers(in, m, path, "direction", direction, 3);
    for (k = 0; k < 3; k++)
        d->direction[k] = (ct_real)direction[k];
    thin_read_damping(in, m, path, &d->damping_mass, &d->damping_stiffness);
}

static void thin_read_points(json_in *in, const cJSON *m, const char *path, ct_points_desc *d)
{
    double mass;
    json_in_keys(in, m, path, "radius density mass damping");
    d->radius = (ct_real)json_in_number(in, m, path, "radius", d->radius, 0, THIN_INF, JSON_IN_ABOVE);
    d->density = (ct_real)json_in_number(in, m, path, "density", d->density, 0, THIN_INF, JSON_IN_ABOVE);
    mass = json_in_number(in, m, path, "mass", 0, 0, THIN_INF, JSON_IN_ABOVE);
    if (mass > 0 && cJSON_GetObjectItemCaseSensitive(m, "density"))
        json_in_error(in, path, "expected \"mass\" of each point or \"density\", not both");
    else if (mass > 0)
        d->density = (ct_real)(mass / (4.18879020478639098 * (double)d->radius * (double)d->radius * (double)d->radius));
    thin_read_damping(in, m, path, &d->damping_mass, NULL);
}

void thin_read_material(json_in *in, const cJSON *body, const char *body_path, scene_body *out)
{
    const cJSON *m = json_in_object(in, body, body_path, "material");
    char path[96];
    out->rod = ct_rod_desc_default(), out->points = ct_points_desc_default();
    snprintf(path, sizeof path, "%s.material", body_path);
    if (m && out->type == SCENE_ROD)
        thin_read_rod(in, m, path, &out->rod);
    else if (m)
        thin_read_points(in, m, path, &out->points);
}

/* ---- meshes and bodies ---- */

void thin_mesh(const scene_body *b, ct_mesh *out)
{
    int net = b->shape == SCENE_SHAPE_NET, nx = b->cells[0], ny = net ? b->cells[1] : 0, i, j, k;
    int32_t *s;
    memset(out, 0, sizeof *out);
    out->n_positions = (nx + 1) * (ny + 1), out->n_segments = nx * (ny + 1) + ny * (nx + 1);
    out->positions = (ct_real *)cli_alloc((size_t)out->n_positions * 3, sizeof *out->positions);
    out->segments = s = (int32_t *)cli_alloc((size_t)out->n_segments * 2, sizeof *out->segments);
    for (j = 0; j <= ny; j++)
        for (i = 0; i <= nx; i++) {
            ct_real *x = out->positions + 3 * (size_t)(j * (nx + 1) + i);
            double t = (double)i / nx;
            for (k = 0; k < 3 && !net; k++)
                x[k] = (ct_real)(b->from[k] + t * (b->to[k] - b->from[k]));
            if (net) /* as a grid of a cloth lies: around the origin, in the plane y = 0 */
                x[0] = (ct_real)(b->size[0] * (t - 0.5)), x[2] = (ct_real)(b->size[1] * ((double)j / ny - 0.5));
            if (i < nx)
                *s++ = j * (nx + 1) + i, *s++ = j * (nx + 1) + i + 1;
            if (j < ny)
                *s++ = j * (nx + 1) + i, *s++ = (j + 1) * (nx + 1) + i;
        }
}

void thin_free(ct_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->segments);
    memset(mesh, 0, sizeof *mesh);
}

ct_code thin_add(ct_world *world, const scene_body *b, const char *name, const ct_mesh *mesh, ct_body_id *out)
{
    ct_rod_desc d = b->rod;
    ct_points_desc p = b->points;
    int k;
    d.name = p.name = name;
    d.mesh = p.mesh = mesh;
    d.friction = p.friction = (ct_real)b->friction;
    d.thickness = p.thickness = (ct_real)b->thickness;
    for (k = 0; k < 3; k++) {
        d.velocity[k] = p.velocity[k] = (ct_real)b->velocity[k];
        d.angular_velocity[k] = p.angular_velocity[k] = (ct_real)b->angular_velocity[k];
    }
    return b->type == SCENE_ROD ? ct_body_add_rod(world, &d, out) : ct_body_add_points(world, &p, out);
}

int thin_frames(const ct_mesh *mesh, int32_t *list, int n)
{
    unsigned char *in = (unsigned char *)cli_alloc((size_t)mesh->n_positions, 1);
    int i, vertices = n;
    for (i = 0; i < vertices; i++)
        in[list[i]] = 1;
    for (i = 0; i < mesh->n_segments; i++)
        if (in[mesh->segments[2 * i]] && in[mesh->segments[2 * i + 1]])
            list[n++] = mesh->n_positions + i;
    free(in);
    return n;
}

/* ---- pictures ---- */

/* u, v complete the unit vector t to a frame */
static void thin_axes(const double *t, double *u, double *v)
{
    double e[3] = {0, 0, 0}, length;
    int k;
    e[fabs(t[0]) < 0.6 ? 0 : 1] = 1;
    for (k = 0; k < 3; k++)
        u[k] = t[(k + 1) % 3] * e[(k + 2) % 3] - t[(k + 2) % 3] * e[(k + 1) % 3];
    length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (k = 0; k < 3; k++)
        u[k] /= length;
    for (k = 0; k < 3; k++)
        v[k] = t[(k + 1) % 3] * u[(k + 2) % 3] - t[(k + 2) % 3] * u[(k + 1) % 3];
}

/* two triangles between corners i and i + 1 of two rings */
static void thin_quad(thin_surface *s, int low, int high, int i)
{
    int next = (i + 1) % THIN_SIDES;
    int32_t *t = s->triangles + 3 * (size_t)s->n_triangles;
    t[0] = low + i, t[1] = low + next, t[2] = high + next;
    t[3] = low + i, t[4] = high + next, t[5] = high + i;
    s->n_triangles += 2;
}

/* a ring of radius r around x + along t */
static void thin_ring(thin_surface *s, const double *x, const double *t, double along, double r)
{
    double u[3], v[3];
    int i, k;
    thin_axes(t, u, v);
    for (i = 0; i < THIN_SIDES; i++, s->n_vertices++)
        for (k = 0; k < 3; k++)
            s->positions[3 * s->n_vertices + k] =
                x[k] + along * t[k] + r * (cos(6.283185307179586 * i / THIN_SIDES) * u[k] + sin(6.283185307179586 * i / THIN_SIDES) * v[k]);
}

static void thin_tube(thin_surface *s, const double *a, const double *b, double r)
{
    double t[3], length;
    int i, k, first = s->n_vertices;
    for (k = 0; k < 3; k++)
        t[k] = b[k] - a[k];
    length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    if (!(length > 0))
        return;
    for (k = 0; k < 3; k++)
        t[k] /= length;
    thin_ring(s, a, t, 0, r);
    thin_ring(s, b, t, 0, r);
    for (i = 0; i < THIN_SIDES; i++)
        thin_quad(s, first, first + THIN_SIDES, i);
}

static void thin_ball(thin_surface *s, const double *x, double r)
{
    static const double up[3] = {0, 1, 0};
    int i, k, first = s->n_vertices;
    for (k = 0; k < THIN_RINGS; k++) {
        double a = 3.141592653589793 * (k - (THIN_RINGS - 1) / 2.0) / (THIN_RINGS - 0.6);
        thin_ring(s, x, up, r * sin(a), r * cos(a));
    }
    for (k = 0; k + 1 < THIN_RINGS; k++)
        for (i = 0; i < THIN_SIDES; i++)
            thin_quad(s, first + k * THIN_SIDES, first + (k + 1) * THIN_SIDES, i);
    for (i = 1; i + 1 < THIN_SIDES; i++) /* the two caps */
        for (k = 0; k < 2; k++) {
            int32_t *t = s->triangles + 3 * (size_t)s->n_triangles++, base = first + k * (THIN_RINGS - 1) * THIN_SIDES;
            t[0] = base, t[1] = base + (k ? i : i + 1), t[2] = base + (k ? i + 1 : i);
        }
}

void thin_skin(const sim_body *b, thin_surface *out)
{
    unsigned char *ball = (unsigned char *)cli_alloc((size_t)b->n_vertices + 1, 1);
    size_t balls = (size_t)b->n_vertices, tubes = (size_t)b->n_segments;
    int i, k;
    memset(out, 0, sizeof *out);
    out->from = (int32_t *)cli_alloc(THIN_SIDES * (balls * THIN_RINGS + 2 * tubes), sizeof *out->from);
    out->positions = (double *)cli_alloc(3 * THIN_SIDES * (balls * THIN_RINGS + 2 * tubes) + 1, sizeof *out->positions);
    out->triangles = (int32_t *)cli_alloc(3 * 2 * THIN_SIDES * (balls * THIN_RINGS + tubes) + 1, sizeof *out->triangles);
    for (i = 0; i < b->n_vertices; i++)
        ball[i] = b->type == SCENE_POINTS;
    for (i = 0; i < 2 * b->n_segments; i++)
        ball[b->segments[i]] = 1;
    for (i = 0; i < b->n_segments; i++) {
        k = out->n_vertices;
        thin_tube(out, b->positions + 3 * b->segments[2 * i], b->positions + 3 * b->segments[2 * i + 1], b->radius);
        for (; k < out->n_vertices; k++) /* the second ring is the last one */
            out->from[k] = b->segments[2 * i + (k >= out->n_vertices - THIN_SIDES)];
    }
    for (i = 0; i < b->n_vertices; i++) {
        k = out->n_vertices;
        if (ball[i])
            thin_ball(out, b->positions + 3 * i, b->radius);
        for (; k < out->n_vertices; k++)
            out->from[k] = i;
    }
    free(ball);
}
