/* render.c -- pictures. Method: 2x2 samples a pixel; a depth buffer of normals and bodies; sun with a filtered shadow map, sky light with
   screen-space occlusion (McGuire et al. 2011, Alchemy), a checkered ground that fades into the background. Cloth may be subdivided
   (subdivide.h). PNG by stb_image_write; video through ffmpeg (video.h). */
#define _POSIX_C_SOURCE 200809L
#include "render.h"
#include "cli.h"
#include "raster.h"
#include "subdivide.h"
#include "thin.h"
#include "video.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#define RENDER_WIDTH 1280
#define RENDER_HEIGHT 720
#define RENDER_SHADOW 2048
#define RENDER_GROUND 1000000

struct render {
    char *path;
    int has_camera, levels; /* levels of subdivision of cloth */
    double eye[3], target[3], fov;
    double lo[3], hi[3]; /* moving bodies, at the start */
    double reach; /* bound on the displacement by subdivision */
    video *video; /* NULL: a picture */
    double rate;  /* of a video */
    long frames;
    raster buffer;
    raster_shadow shadow;
    float *occlusion;       /* [W H] */
    unsigned char *picture; /* [3 W H] */
};

/* ---- set-up ---- */

static int render_is(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static void render_grow(const sim_body *s, double lo[3], double hi[3])
{
    int i, k;
    for (i = 0; i < s->n_vertices; i++)
        for (k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], s->positions[3 * i + k]);
            hi[k] = fmax(hi[k], s->positions[3 * i + k]);
        }
}

/* moving bodies, and bodies at rest that are not much larger */
static void render_bounds(const sim *m, double lo[3], double hi[3])
{
    double own_lo[3], own_hi[3], size = 0;
    int b, k;
    for (k = 0; k < 3; k++)
        lo[k] = 1e300, hi[k] = -1e300;
    for (b = 0; b < m->n_bodies; b++)
        if (m->bodies[b].type != SCENE_STATIC)
            render_grow(&m->bodies[b], lo, hi);
    for (k = 0; k < 3; k++)
        size = fmax(size, hi[k] - lo[k]);
    for (b = 0; b < m->n_bodies; b++) {
        int small = !m->bodies[b].is_plane && m->bodies[b].type == SCENE_STATIC;
        for (k = 0; k < 3; k++)
            own_lo[k] = 1e300, own_hi[k] = -1e300;
        render_grow(&m->bodies[b], own_lo, own_hi);
        for (k = 0; k < 3; k++)
            small = small && (size <= 0 || own_hi[k] - own_lo[k] < 2 * size);
        if (small)
            render_grow(&m->bodies[b], lo, hi);
    }
    for (k = 0; k < 3; k++)
        if (lo[k] > hi[k])
            lo[k] = -1, hi[k] = 1;
}

int render_possible(const char *path)
{
    if (render_is(path, ".mp4"))
        return video_possible(path);
    if (!render_is(path, ".png"))
        cli_fail("--render: expected a name that ends in .png or .mp4, found '%s'", path);
    return render_is(path, ".png");
}

render *render_create(const char *path, const scene *s, const sim *start, double step_seconds)
{
    render *r;
    int k;
    if (!render_possible(path))
        return NULL;
    r = (render *)cli_alloc(1, sizeof *r);
    r->rate = video_rate(step_seconds);
    if (render_is(path, ".mp4") && !(r->video = video_open(path, RENDER_WIDTH, RENDER_HEIGHT, r->rate))) {
        free(r);
        return NULL;
    }
    r->path = cli_copy(path);
    r->levels = s->subdivide;
    /* Two surfaces keep half of the thickness each, up to the solver's tolerance, and so never reach the middle between them */
    r->reach = 0.25 * s->thickness;
    r->has_camera = s->has_camera;
    r->fov = s->has_camera ? s->fov : 35;
    for (k = 0; k < 3; k++)
        r->eye[k] = s->eye[k], r->target[k] = s->target[k];
    render_bounds(start, r->lo, r->hi);
    raster_init(&r->buffer, 2 * RENDER_WIDTH, 2 * RENDER_HEIGHT);
    raster_shadow_init(&r->shadow, RENDER_SHADOW);
    r->occlusion = (float *)cli_alloc((size_t)RENDER_WIDTH * RENDER_HEIGHT, sizeof *r->occlusion);
    r->picture = (unsigned char *)cli_alloc((size_t)RENDER_WIDTH * RENDER_HEIGHT, 3);
    return r;
}

int render_wants_frames(const render *r) { return r->video != NULL; }

/* ---- triangles ---- */

/* geometry that is drawn of a body; shading: the positions that normals are computed from */
typedef struct render_mesh {
    const double *positions, *shading;
    const int32_t *triangles;
    const uint8_t *edges; /* NULL: all */
    int n_vertices, n_triangles;
} render_mesh;

static void render_corners(const double *positions, const int32_t *triangle, double p[3][3])
{
    int i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            p[i][k] = positions[3 * triangle[i] + k];
}

static void render_face(const render_mesh *m, int f, double normal[3])
{
    double p[3][3], u[3], v[3], length;
    int k;
    render_corners(m->shading, m->triangles + 3 * f, p);
    for (k = 0; k < 3; k++)
        u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (k = 0; k < 3; k++)
        normal[k] = length > 0 ? normal[k] / length : (k == 1);
}

/* corner normals: the mean over the faces at a vertex that are within 45 degrees of this one */
static void render_triangles(render *r, const render_mesh *b, int number, int is_plane)
{
    double p[3][3], n[3][3], *faces = (double *)cli_alloc((size_t)b->n_triangles * 3, sizeof *faces);
    int *first = (int *)cli_alloc((size_t)b->n_vertices + 1, sizeof *first),
        *list = (int *)cli_alloc((size_t)b->n_triangles * 3, sizeof *list);
    int f, i, k, j;
    for (f = 0; f < b->n_triangles; f++) {
        render_face(b, f, faces + 3 * f);
        for (i = 0; i < 3; i++)
            first[b->triangles[3 * f + i] + 1]++;
    }
    for (i = 0; i < b->n_vertices; i++)
        first[i + 1] += first[i];
    for (f = b->n_triangles - 1; f >= 0; f--)
        for (i = 0; i < 3; i++)
            list[--first[b->triangles[3 * f + i] + 1]] = f;
    /* now first[v + 1] is where v's faces begin, and the next vertex's beginning ends them */
    for (f = 0; f < b->n_triangles; f++) {
        render_corners(b->positions, b->triangles + 3 * f, p);
        for (i = 0; i < 3; i++) {
            int v = b->triangles[3 * f + i], end = v + 2 <= b->n_vertices ? first[v + 2] : 3 * b->n_triangles;
            double sum[3] = {0, 0, 0};
            for (j = first[v + 1]; j < end; j++) {
                const double *o = faces + 3 * list[j], *mine = faces + 3 * f;
                if (o[0] * mine[0] + o[1] * mine[1] + o[2] * mine[2] > 0.7)
                    for (k = 0; k < 3; k++)
                        sum[k] += o[k];
            }
            for (k = 0; k < 3; k++)
                n[i][k] = sum[k];
        }
        raster_triangle(&r->buffer, (const double(*)[3])p, (const double(*)[3])n, number, is_plane ? 0 : (b->edges ? b->edges[f] : 7));
        if (!is_plane)
            raster_shadow_triangle(&r->shadow, (const double(*)[3])p);
    }
    free(faces);
    free(first);
    free(list);
}

/* tubes and balls: no lines where their triangles meet */
static void render_thin(render *r, const sim_body *b, int number)
{
    thin_surface s;
    render_mesh m;
    unsigned char *none;
    thin_skin(b, &s);
    none = (unsigned char *)cli_alloc((size_t)s.n_triangles + 1, 1);
    m.positions = m.shading = s.positions, m.triangles = s.triangles, m.edges = none;
    m.n_vertices = s.n_vertices, m.n_triangles = s.n_triangles;
    render_triangles(r, &m, number, 0);
    free(s.positions), free(s.triangles), free(none);
}

static void render_body(render *r, const sim_body *b, int number)
{
    render_mesh m;
    subdivision fine;
    memset(&fine, 0, sizeof fine);
    m.positions = m.shading = b->positions, m.triangles = b->triangles, m.edges = NULL;
    m.n_vertices = b->n_vertices, m.n_triangles = b->n_triangles;
    if (r->levels > 0 && b->type == SCENE_CLOTH) {
        subdivide(b->positions, b->n_vertices, b->triangles, b->n_triangles, r->levels, r->reach, &fine);
        m.positions = fine.positions, m.shading = fine.smooth, m.triangles = fine.triangles, m.edges = fine.edges;
        m.n_vertices = fine.n_vertices, m.n_triangles = fine.n_triangles;
    }
    render_triangles(r, &m, number, b->is_plane);
    subdivide_free(&fine);
    if (b->n_segments > 0 || b->type == SCENE_POINTS)
        render_thin(r, b, number);
}

/* ---- ground: the highest horizontal plane below the scene fills the view, other planes are drawn as squares ---- */

static int render_is_ground(const sim_body *b) { return b->is_plane && b->normal[1] > 0.999; }

/* a plane that is not the ground and is seen from its free side */
static int render_is_wall(const render *r, const sim_body *b)
{
    const double *n = b->normal, *e = r->buffer.camera.eye;
    return !render_is_ground(b) && n[0] * e[0] + n[1] * e[1] + n[2] * e[2] > b->offset;
}

static void render_ground_samples(render *r, double height)
{
    const raster_camera *c = &r->buffer.camera;
    int x, y, k;
    for (y = 0; y < r->buffer.h; y++)
        for (x = 0; x < r->buffer.w; x++) {
            size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
            double d[3], t, u = (x + 0.5 - c->cx) / c->focal, v = (c->cy - y - 0.5) / c->focal;
            for (k = 0; k < 3; k++)
                d[k] = c->forward[k] + u * c->right[k] + v * c->up[k];
            t = d[1] < -1e-9 ? (height - c->eye[1]) / d[1] : -1;
            if (t <= 0 || t >= r->buffer.depth[at])
                continue;
            r->buffer.depth[at] = (float)t;
            r->buffer.body[at] = RENDER_GROUND;
            r->buffer.edge[at] = r->buffer.back[at] = 0;
            r->buffer.normal[3 * at] = r->buffer.normal[3 * at + 2] = 0;
            r->buffer.normal[3 * at + 1] = 1;
        }
}

static void render_geometry(render *r, const sim *m)
{
    static const double sun[3] = {0.45, 1, 0.42};
    double center[3], radius = 0, lo[3], hi[3];
    int b, k;
    render_bounds(m, lo, hi);
    for (k = 0; k < 3; k++) {
        center[k] = 0.5 * (lo[k] + hi[k]);
        radius += 0.25 * (hi[k] - lo[k]) * (hi[k] - lo[k]);
    }
    raster_clear(&r->buffer);
    raster_shadow_aim(&r->shadow, sun, center, 1.25 * sqrt(radius) + 1e-9);
    for (b = 0; b < m->n_bodies; b++)
        if (!m->bodies[b].is_plane || render_is_wall(r, &m->bodies[b]))
            render_body(r, &m->bodies[b], b);
    for (b = 0; b < m->n_bodies; b++)
        if (render_is_ground(&m->bodies[b]))
            render_ground_samples(r, m->bodies[b].offset);
}

/* ---- light ---- */

static void render_position(const render *r, int x, int y, double depth, double out[3])
{
    const raster_camera *c = &r->buffer.camera;
    double u = (x + 0.5 - c->cx) / c->focal, v = (c->cy - y - 0.5) / c->focal;
    int k;
    for (k = 0; k < 3; k++)
        out[k] = c->eye[k] + depth * (c->forward[k] + u * c->right[k] + v * c->up[k]);
}

/* open sky at a pixel: sum over nearby samples of max(0, v.n) / (v.v + e), on a spiral of `reach` metres that is rotated by the pixel's own angle */
static float render_open(const render *r, int px, int py, double reach, const double turns[16][20][2])
{
    int x = 2 * px, y = 2 * py, i, k;
    size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
    const float *n = r->buffer.normal + 3 * at;
    double p[3], q[3], sum = 0, screen;
    const double(*turn)[2] = turns[(px * 7 + py * 13) % 16];
    if (r->buffer.body[at] < 0)
        return 1;
    render_position(r, x, y, r->buffer.depth[at], p);
    screen = r->buffer.camera.focal * reach / r->buffer.depth[at];
    if (screen > 400)
        screen = 400;
    for (i = 0; i < 20; i++) {
        double radius = screen * (i + 0.5) / 20, v[3], vv = 0, vn = 0;
        int sx = x + (int)(radius * turn[i][0]), sy = y + (int)(radius * turn[i][1]);
        size_t s = (size_t)sy * (size_t)r->buffer.w + (size_t)sx;
        if (sx < 0 || sy < 0 || sx >= r->buffer.w || sy >= r->buffer.h || r->buffer.body[s] < 0)
            continue;
        render_position(r, sx, sy, r->buffer.depth[s], q);
        for (k = 0; k < 3; k++)
            v[k] = q[k] - p[k], vv += v[k] * v[k], vn += v[k] * (double)n[k];
        if (vv < reach * reach)
            sum += fmax(0, vn / sqrt(vv + 1e-12 * reach * reach) - 0.08) * (1 - vv / (reach * reach));
    }
    return (float)fmax(0, 1 - 2.0 * sum / 20 * 1.5);
}

static void render_occlusion(render *r, double reach)
{
    float *raw = (float *)cli_alloc((size_t)RENDER_WIDTH * RENDER_HEIGHT, sizeof *raw);
    double turns[16][20][2];
    int x, y, i, j, coarse = r->video ? ~1 : ~0; /* a video looks once in 2 x 2 pixels */
    for (j = 0; j < 16; j++)
        for (i = 0; i < 20; i++)
            turns[j][i][0] = cos(2.399963 * j + 5.1 * i), turns[j][i][1] = sin(2.399963 * j + 5.1 * i);
    for (y = 0; y < RENDER_HEIGHT; y++)
        for (x = 0; x < RENDER_WIDTH; x++)
            raw[y * RENDER_WIDTH + x] = (x | y) & ~coarse ? raw[(y & coarse) * RENDER_WIDTH + (x & coarse)]
                                                          : render_open(r, x, y, reach, (const double(*)[20][2])turns);
    /* a mean of 5 x 5 pixels of similar depth removes the pattern */
    for (y = 0; y < RENDER_HEIGHT; y++)
        for (x = 0; x < RENDER_WIDTH; x++) {
            float depth = r->buffer.depth[(size_t)(2 * y) * (size_t)r->buffer.w + (size_t)(2 * x)], sum = 0, weight = 0;
            for (j = y - 2; j <= y + 2; j++)
                for (i = x - 2; i <= x + 2; i++) {
                    float d;
                    if (i < 0 || j < 0 || i >= RENDER_WIDTH || j >= RENDER_HEIGHT)
                        continue;
                    d = r->buffer.depth[(size_t)(2 * j) * (size_t)r->buffer.w + (size_t)(2 * i)];
                    if (fabs((double)(d - depth)) > 0.02 * (double)depth)
                        continue;
                    sum += raw[j * RENDER_WIDTH + i], weight += 1;
                }
            r->occlusion[y * RENDER_WIDTH + x] = weight > 0 ? sum / weight : raw[y * RENDER_WIDTH + x];
        }
    free(raw);
}

static double render_linear(int value) { return pow(value / 255.0, 2.2); }

static void render_albedo(const sim *m, int number, int back, double out[3])
{
    static const int palette[10][3] = {{231, 111, 81},  {42, 157, 143},  {244, 162, 97}, {69, 123, 157}, {233, 196, 106},
                                       {138, 177, 125}, {181, 101, 118}, {109, 89, 122}, {93, 173, 226}, {205, 180, 219}};
    static const int cloths[4][3] = {{222, 73, 84}, {86, 130, 189}, {240, 225, 200}, {120, 170, 130}};
    const sim_body *b = &m->bodies[number];
    const int *c;
    int k, cloth = 0, i;
    for (i = 0; i < number; i++)
        cloth += m->bodies[i].type == SCENE_CLOTH;
    c = b->type == SCENE_CLOTH ? cloths[cloth % 4] : palette[(number * 7 + number / 10) % 10];
    for (k = 0; k < 3; k++) {
        out[k] = b->is_plane ? render_linear(214 - 3 * k) : b->type == SCENE_STATIC ? render_linear(172 - 4 * k) : render_linear(c[k]);
        if (back && b->type == SCENE_CLOTH)
            out[k] = 0.55 * out[k] + 0.1;
    }
}

static void render_background(double v, double out[3])
{
    static const double low[3] = {0.86, 0.88, 0.90}, high[3] = {0.60, 0.69, 0.79};
    int k;
    for (k = 0; k < 3; k++)
        out[k] = low[k] + (high[k] - low[k]) * v;
}

/* a soft checker in two greys, anti-aliased by fading with the size of a tile on the screen */
static double render_checker(const double p[3], double tile, double sample_size)
{
    double a = sin(3.14159265358979 * p[0] / tile) * sin(3.14159265358979 * p[2] / tile), sharp = tile / fmax(sample_size, 1e-30) * 0.6;
    double s = a * fmin(sharp, 60);
    s = s > 1 ? 1 : (s < -1 ? -1 : s);
    return s * fmin(1, fmax(0, sharp - 1) / 4);
}

typedef struct render_look {
    double center[3], radius, tile;
    double *albedo; /* [6 bodies] front, back */
} render_look;

/* colour of one sample in linear light */
static void render_sample(const render *r, const render_look *look, int x, int y, double out[3])
{
    size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
    int number = r->buffer.body[at], k;
    const raster_camera *c = &r->buffer.camera;
    double p[3], n[3], albedo[3], sky[3], lit, ndl = 0, view[3], half = 0, length = 0, hn[3], hl = 0, spec,
                                               open = r->occlusion[(y / 2) * RENDER_WIDTH + x / 2], away = 0;
    render_background(1 - (double)y / r->buffer.h, sky);
    if (number < 0) {
        memcpy(out, sky, 3 * sizeof *out);
        return;
    }
    render_position(r, x, y, r->buffer.depth[at], p);
    for (k = 0; k < 3; k++) {
        n[k] = (double)r->buffer.normal[3 * at + (size_t)k];
        view[k] = c->eye[k] - p[k];
        length += view[k] * view[k];
        ndl += n[k] * r->shadow.light[k];
        away += (k != 1) * (p[k] - look->center[k]) * (p[k] - look->center[k]);
    }
    length = sqrt(length);
    if (number == RENDER_GROUND) {
        double grey = 0.62 + 0.055 * render_checker(p, look->tile, r->buffer.depth[at] / c->focal / fmax(0.05, view[1] / length));
        albedo[0] = albedo[1] = grey, albedo[2] = 1.02 * grey;
    } else {
        memcpy(albedo, look->albedo + 6 * number + 3 * r->buffer.back[at], sizeof albedo);
    }
    for (k = 0; k < 3; k++)
        hn[k] = view[k] / length + r->shadow.light[k], hl += hn[k] * hn[k];
    for (k = 0; k < 3; k++)
        half += hn[k] / sqrt(hl) * n[k];
    lit = ndl > 0 ? ndl * raster_shadow_lit(&r->shadow, p, n, 5) : 0;
    spec = number == RENDER_GROUND ? 0 : 0.10 * pow(fmax(half, 0), 40) * (lit > 0);
    for (k = 0; k < 3; k++) {
        static const double warm[3] = {1.02, 0.98, 0.92}, cool[3] = {0.42, 0.46, 0.52}, bounce[3] = {0.20, 0.19, 0.18};
        double ambient = (bounce[k] + (cool[k] - bounce[k]) * (0.5 + 0.5 * n[1])) * open;
        out[k] = albedo[k] * (0.86 * warm[k] * lit * (0.6 + 0.4 * open) + ambient) + spec;
        if (number != RENDER_GROUND)
            out[k] *= 1 - 0.35 * r->buffer.edge[at] / 255.0;
    }
    if (number == RENDER_GROUND) {
        double fade = (sqrt(away) / look->radius - 2.2) / 6;
        fade = fade < 0 ? 0 : (fade > 1 ? 1 : fade);
        fade = fade * fade * (3 - 2 * fade);
        for (k = 0; k < 3; k++)
            out[k] += (sky[k] - out[k]) * fade;
    }
}

static unsigned char render_byte(double linear)
{
    /* a soft shoulder that keeps highlights from clipping */
    double t = linear < 0 ? 0 : linear * (1 + linear / 6) / (1 + 0.32 * linear), s = pow(t, 1 / 2.2);
    return (unsigned char)(s >= 1 ? 255 : (int)(255 * s + 0.5));
}

static void render_view(render *r, const sim *m, render_look *look)
{
    double lo[3], hi[3], eye[3], direction[3] = {0.55, 0.42, 0.95}, distance, norm = 0;
    int k;
    render_bounds(m, lo, hi);
    look->radius = 0;
    for (k = 0; k < 3; k++) {
        if (r->video && !r->has_camera)
            lo[k] = fmin(lo[k], r->lo[k]), hi[k] = fmax(hi[k], r->hi[k]);
        look->center[k] = 0.5 * (lo[k] + hi[k]);
        look->radius += 0.25 * (hi[k] - lo[k]) * (hi[k] - lo[k]);
        norm += direction[k] * direction[k];
    }
    look->radius = fmax(sqrt(look->radius), 1e-6);
    look->tile = pow(2, floor(log(look->radius * 0.45) / log(2) + 0.5));
    distance = look->radius / sin(0.5 * r->fov * 0.01745329251994) * 1.0;
    for (k = 0; k < 3; k++)
        eye[k] = look->center[k] + direction[k] / sqrt(norm) * distance;
    if (r->has_camera)
        raster_look(&r->buffer.camera, r->eye, r->target, r->fov, r->buffer.w, r->buffer.h);
    else
        raster_look(&r->buffer.camera, eye, look->center, r->fov, r->buffer.w, r->buffer.h);
}

/* 1: the four samples of a pixel see nearly the same point of one surface. A video shades one of them. */
static int render_even(const raster *b, int x, int y)
{
    size_t at = (size_t)(2 * y) * (size_t)b->w + (size_t)(2 * x), s;
    const float *n = b->normal + 3 * at, *q;
    int i;
    for (i = 0; i < 4; i++) {
        s = at + (size_t)(i >> 1) * (size_t)b->w + (size_t)(i & 1);
        q = b->normal + 3 * s;
        if (b->body[s] != b->body[at])
            return 0;
        if (b->body[s] >= 0 && (b->edge[s] || b->back[s] != b->back[at] || n[0] * q[0] + n[1] * q[1] + n[2] * q[2] < 0.999f ||
                                fabsf(b->depth[s] - b->depth[at]) > 0.01f * b->depth[at]))
            return 0;
    }
    return 1;
}

static void render_picture(render *r, const sim *m)
{
    render_look look;
    int x, y, k;
    look.albedo = (double *)cli_alloc(6 * (size_t)m->n_bodies, sizeof *look.albedo);
    for (k = 0; k < 2 * m->n_bodies; k++)
        render_albedo(m, k / 2, k % 2, look.albedo + 3 * k);
    render_view(r, m, &look);
    render_geometry(r, m);
    render_occlusion(r, 0.18 * look.radius);
    for (y = 0; y < RENDER_HEIGHT; y++)
        for (x = 0; x < RENDER_WIDTH; x++) {
            double sum[3] = {0, 0, 0}, one[3];
            int i, samples = r->video && render_even(&r->buffer, x, y) ? 1 : 4;
            for (i = 0; i < samples; i++) {
                render_sample(r, &look, 2 * x + (i & 1), 2 * y + (i >> 1), one);
                for (k = 0; k < 3; k++)
                    sum[k] += fmin(one[k], 2) / samples;
            }
            for (k = 0; k < 3; k++)
                r->picture[3 * (y * RENDER_WIDTH + x) + k] = render_byte(sum[k]);
        }
    free(look.albedo);
}

int render_frame(render *r, const sim *m, double time)
{
    /* picture k shows what is there at time k / rate; the last digits of time do not decide */
    double due = time * r->rate + 1e-6;
    if (!r->video || due < (double)r->frames)
        return 1;
    render_picture(r, m);
    while ((double)r->frames <= due) {
        r->frames++;
        if (!video_write(r->video, r->picture))
            return 0;
    }
    return 1;
}

static void render_free(render *r)
{
    raster_free(&r->buffer);
    raster_shadow_free(&r->shadow);
    free(r->occlusion);
    free(r->picture);
    free(r->path);
    free(r);
}

void render_discard(render *r)
{
    if (r->video)
        video_discard(r->video);
    render_free(r);
}

int render_finish(render *r, const sim *m)
{
    int ok = 1;
    if (r->video) {
        ok = video_close(r->video);
    } else {
        char *temporary = (char *)cli_alloc(strlen(r->path) + 5, 1);
        sprintf(temporary, "%s.tmp", r->path);
        render_picture(r, m);
        ok = stbi_write_png(temporary, RENDER_WIDTH, RENDER_HEIGHT, 3, r->picture, 3 * RENDER_WIDTH) && rename(temporary, r->path) == 0;
        if (!ok)
            cli_fail("%s: cannot be written", r->path);
        free(temporary);
    }
    render_free(r);
    return ok;
}
