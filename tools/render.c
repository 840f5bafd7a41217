/* render.c -- pictures. Method: 2x2 samples a pixel; a depth buffer of normals and colours; sun with a filtered shadow map, sky light with
   screen-space occlusion (McGuire et al. 2011, Alchemy), a checkered ground that fades into the background. view_gl.c has the same light as a shader.
   PNG by stb_image_write; films by film.h. */
#define _POSIX_C_SOURCE 200809L
#include "render.h"
#include "cli.h"
#include "film.h"
#include "output.h"
#include "raster.h"
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

#define RENDER_SHADOW 2048

struct render {
    char *path;
    int w, h, edges;
    look look;
    film *film; /* NULL: a picture */
    double rate; /* of a film */
    long frames;
    raster buffer;
    raster_shadow shadow;
    float *occlusion;       /* [w h] */
    unsigned char *picture; /* [3 w h] */
};

/* ---- set-up ---- */

static int render_is(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

/* "640x360" */
static int render_size(render_options *o, const char *text)
{
    char *end;
    long w = strtol(text, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || w < 16 || h < 16 || w > 4096 || h > 4096 || w % 2 || h % 2) {
        cli_fail("--size: expected two even numbers from 16 to 4096, as in 640x360, found '%s'", text);
        return -1;
    }
    o->w = (int)w, o->h = (int)h;
    return 1;
}

int render_option(render_options *o, int argc, char **argv, int *i)
{
    const char *v = NULL;
    char *end;
    int r;
    if (!strcmp(argv[*i], "--edges"))
        return o->edges = 1;
    if ((r = cli_option(argc, argv, i, "--size", &v)) != 0)
        return r < 0 ? r : render_size(o, v);
    if ((r = cli_option(argc, argv, i, "--range", &v)) != 0) {
        o->range = r > 0 ? strtod(v, &end) : 0;
        if (r > 0 && (end == v || *end || !(o->range > 0) || o->range - o->range != 0))
            r = -1, cli_fail("--range: expected a number above 0, found '%s'", v);
        return r;
    }
    if ((r = cli_option(argc, argv, i, "--colour", &v)) > 0) {
        int colour = look_find_colour("--colour", v);
        o->colour = (look_colour)(colour < 0 ? LOOK_BODY : colour);
        return colour < 0 ? -1 : 1;
    }
    return r;
}

int render_possible(const render_options *o)
{
    out_file f;
    if (film_is(o->path))
        return film_possible(o->path);
    if (!render_is(o->path, ".png")) {
        cli_fail("--render: expected a name that ends in .png, .gif, .webp or .mp4, found '%s'", o->path);
        return 0;
    }
    if (!out_open(&f, "", o->path))
        return 0;
    out_discard(&f);
    return 1;
}

render *render_create(const render_options *o, const scene *s, const sim *start, double step_seconds)
{
    int small = film_is(o->path) && !render_is(o->path, ".mp4");
    size_t n;
    render *r;
    if (!render_possible(o))
        return NULL;
    r = (render *)cli_alloc(1, sizeof *r);
    r->w = o->w ? o->w : small ? 640 : 1280, r->h = o->h ? o->h : small ? 360 : 720;
    r->edges = o->edges;
    r->rate = film_rate(o->path, step_seconds);
    if (film_is(o->path) && !(r->film = film_open(o->path, r->w, r->h, r->rate))) {
        free(r);
        return NULL;
    }
    r->path = cli_copy(o->path);
    look_init(&r->look, s, start, o->colour, o->range);
    n = (size_t)r->w * (size_t)r->h;
    raster_init(&r->buffer, 2 * r->w, 2 * r->h);
    raster_shadow_init(&r->shadow, RENDER_SHADOW);
    r->occlusion = (float *)cli_alloc(n, sizeof *r->occlusion);
    r->picture = (unsigned char *)cli_alloc(n, 3);
    return r;
}

int render_wants_frames(const render *r) { return r->film != NULL; }

/* ---- geometry: the ground fills the view ---- */

static void render_ground_samples(render *r, double height)
{
    const raster_camera *c = &r->buffer.camera;
    int x, y;
    for (y = 0; y < r->buffer.h; y++)
        for (x = 0; x < r->buffer.w; x++) {
            size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
            double d[3], t;
            raster_ray(c, x, y, d);
            t = d[1] < -1e-9 ? (height - c->eye[1]) / d[1] : -1;
            if (t <= 0 || t >= r->buffer.depth[at])
                continue;
            r->buffer.depth[at] = (float)t;
            r->buffer.kind[at] = RASTER_GROUND;
            r->buffer.edge[at] = 0;
            r->buffer.normal[3 * at] = r->buffer.normal[3 * at + 2] = 0;
            r->buffer.normal[3 * at + 1] = 1;
        }
}

static void render_geometry(render *r)
{
    const look *l = &r->look;
    int i;
    raster_clear(&r->buffer);
    raster_shadow_aim(&r->shadow, look_sun, l->center, 1.25 * l->radius + 1e-9);
    for (i = 0; i < l->n_triangles; i++) {
        raster_triangle(&r->buffer, l->corners + 3 * i, r->edges ? l->edges[i] : 0);
        if (i < l->n_solid)
            raster_shadow_triangle(&r->shadow, l->corners + 3 * i);
    }
    if (l->has_ground)
        render_ground_samples(r, l->ground);
}

/* ---- light ---- */

static void render_position(const render *r, int x, int y, double depth, double out[3])
{
    double d[3];
    int k;
    raster_ray(&r->buffer.camera, x, y, d);
    for (k = 0; k < 3; k++)
        out[k] = r->buffer.camera.eye[k] + depth * d[k];
}

/* open sky at a pixel: sum over nearby samples of max(0, v.n) / (v.v + e), on a spiral of `reach` metres that is rotated by the pixel's own angle */
static float render_open(const render *r, int px, int py, double reach, const double turns[16][20][2])
{
    int x = 2 * px, y = 2 * py, i, k;
    size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
    const float *n = r->buffer.normal + 3 * at;
    double p[3], q[3], sum = 0, screen;
    const double(*turn)[2] = turns[(px * 7 + py * 13) % 16];
    if (r->buffer.kind[at] == RASTER_NOTHING)
        return 1;
    render_position(r, x, y, r->buffer.depth[at], p);
    screen = r->buffer.camera.focal * reach / r->buffer.depth[at];
    if (screen > 400)
        screen = 400;
    for (i = 0; i < 20; i++) {
        double radius = screen * (i + 0.5) / 20, v[3], vv = 0, vn = 0;
        int sx = x + (int)(radius * turn[i][0]), sy = y + (int)(radius * turn[i][1]);
        size_t s = (size_t)sy * (size_t)r->buffer.w + (size_t)sx;
        if (sx < 0 || sy < 0 || sx >= r->buffer.w || sy >= r->buffer.h || r->buffer.kind[s] == RASTER_NOTHING)
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
    float *raw = (float *)cli_alloc((size_t)r->w * (size_t)r->h, sizeof *raw);
    double turns[16][20][2];
    int x, y, i, j, coarse = r->film ? ~1 : ~0; /* a film looks once in 2 x 2 pixels */
    for (j = 0; j < 16; j++)
        for (i = 0; i < 20; i++)
            turns[j][i][0] = cos(2.399963 * j + 5.1 * i), turns[j][i][1] = sin(2.399963 * j + 5.1 * i);
    for (y = 0; y < r->h; y++)
        for (x = 0; x < r->w; x++)
            raw[y * r->w + x] = (x | y) & ~coarse ? raw[(y & coarse) * r->w + (x & coarse)]
                                                  : render_open(r, x, y, reach, (const double(*)[20][2])turns);
    /* a mean of 5 x 5 pixels of similar depth removes the pattern */
    for (y = 0; y < r->h; y++)
        for (x = 0; x < r->w; x++) {
            float depth = r->buffer.depth[(size_t)(2 * y) * (size_t)r->buffer.w + (size_t)(2 * x)], sum = 0, weight = 0;
            for (j = y - 2; j <= y + 2; j++)
                for (i = x - 2; i <= x + 2; i++) {
                    float d;
                    if (i < 0 || j < 0 || i >= r->w || j >= r->h)
                        continue;
                    d = r->buffer.depth[(size_t)(2 * j) * (size_t)r->buffer.w + (size_t)(2 * i)];
                    if (fabs((double)(d - depth)) > 0.02 * (double)depth)
                        continue;
                    sum += raw[j * r->w + i], weight += 1;
                }
            r->occlusion[y * r->w + x] = weight > 0 ? sum / weight : raw[y * r->w + x];
        }
    free(raw);
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

/* colour of one sample in linear light */
static void render_sample(const render *r, int x, int y, double out[3])
{
    size_t at = (size_t)y * (size_t)r->buffer.w + (size_t)x;
    int kind = r->buffer.kind[at], k;
    const raster_camera *c = &r->buffer.camera;
    const look *l = &r->look;
    double p[3], n[3], albedo[3], sky[3], lit, ndl = 0, view[3], half = 0, length = 0, hn[3], hl = 0, spec,
                                               open = r->occlusion[(y / 2) * r->w + x / 2], away = 0;
    render_background(1 - (double)y / r->buffer.h, sky);
    if (kind == RASTER_NOTHING) {
        memcpy(out, sky, 3 * sizeof *out);
        return;
    }
    render_position(r, x, y, r->buffer.depth[at], p);
    for (k = 0; k < 3; k++) {
        n[k] = (double)r->buffer.normal[3 * at + (size_t)k];
        view[k] = c->eye[k] - p[k];
        length += view[k] * view[k];
        ndl += n[k] * r->shadow.light[k];
        away += (k != 1) * (p[k] - l->center[k]) * (p[k] - l->center[k]);
    }
    length = sqrt(length);
    if (kind == RASTER_GROUND) {
        double grey = 0.62 + 0.055 * render_checker(p, l->tile, r->buffer.depth[at] / c->focal / fmax(0.05, view[1] / length));
        albedo[0] = albedo[1] = grey, albedo[2] = 1.02 * grey;
    } else {
        for (k = 0; k < 3; k++)
            albedo[k] = (double)r->buffer.colour[3 * at + (size_t)k];
    }
    for (k = 0; k < 3; k++)
        hn[k] = view[k] / length + r->shadow.light[k], hl += hn[k] * hn[k];
    for (k = 0; k < 3; k++)
        half += hn[k] / sqrt(hl) * n[k];
    lit = ndl > 0 ? ndl * raster_shadow_lit(&r->shadow, p, n, 5) : 0;
    spec = kind == RASTER_GROUND ? 0 : 0.10 * pow(fmax(half, 0), 40) * (lit > 0);
    for (k = 0; k < 3; k++) {
        static const double warm[3] = {1.02, 0.98, 0.92}, cool[3] = {0.42, 0.46, 0.52}, bounce[3] = {0.20, 0.19, 0.18};
        double ambient = (bounce[k] + (cool[k] - bounce[k]) * (0.5 + 0.5 * n[1])) * open;
        out[k] = albedo[k] * (0.86 * warm[k] * lit * (0.6 + 0.4 * open) + ambient) + spec;
        if (kind != RASTER_GROUND)
            out[k] *= 1 - 0.35 * r->buffer.edge[at] / 255.0;
    }
    if (kind == RASTER_GROUND) {
        double fade = (sqrt(away) / l->radius - 2.2) / 6;
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

/* 1: the four samples of a pixel see nearly the same point of one surface. A film shades one of them. */
static int render_even(const raster *b, int x, int y)
{
    size_t at = (size_t)(2 * y) * (size_t)b->w + (size_t)(2 * x), s;
    const float *n = b->normal + 3 * at, *q;
    int i;
    for (i = 0; i < 4; i++) {
        s = at + (size_t)(i >> 1) * (size_t)b->w + (size_t)(i & 1);
        q = b->normal + 3 * s;
        if (b->kind[s] != b->kind[at])
            return 0;
        if (b->kind[s] != RASTER_NOTHING && (b->edge[s] || n[0] * q[0] + n[1] * q[1] + n[2] * q[2] < 0.999f ||
                                             fabsf(b->depth[s] - b->depth[at]) > 0.01f * b->depth[at]))
            return 0;
    }
    return 1;
}

static void render_picture(render *r, const sim *m)
{
    look_camera camera;
    int x, y, k;
    look_view(&r->look, m, r->film != NULL, &camera);
    look_build(&r->look, m, camera.eye);
    raster_look(&r->buffer.camera, &camera, r->buffer.w, r->buffer.h);
    render_geometry(r);
    render_occlusion(r, 0.18 * r->look.radius);
    for (y = 0; y < r->h; y++)
        for (x = 0; x < r->w; x++) {
            double sum[3] = {0, 0, 0}, one[3];
            int i, samples = r->film && render_even(&r->buffer, x, y) ? 1 : 4;
            for (i = 0; i < samples; i++) {
                render_sample(r, 2 * x + (i & 1), 2 * y + (i >> 1), one);
                for (k = 0; k < 3; k++)
                    sum[k] += fmin(one[k], 2) / samples;
            }
            for (k = 0; k < 3; k++)
                r->picture[3 * (y * r->w + x) + k] = render_byte(sum[k]);
        }
}

int render_frame(render *r, const sim *m, double time)
{
    /* picture k shows what is there at time k / rate; the last digits of time do not decide */
    double due = time * r->rate + 1e-6;
    if (!r->film || due < (double)r->frames)
        return 1;
    render_picture(r, m);
    while ((double)r->frames <= due) {
        r->frames++;
        if (!film_write(r->film, r->picture))
            return 0;
    }
    return 1;
}

static void render_bytes(void *file, void *bytes, int n) { fwrite(bytes, 1, (size_t)n, (FILE *)file); }

int render_png(const char *path, int w, int h, const unsigned char *picture)
{
    out_file o;
    if (!out_open(&o, "", path))
        return 0;
    if (stbi_write_png_to_func(render_bytes, o.f, w, h, 3, picture, 3 * w))
        return out_close(&o);
    cli_fail("%s: there is no memory for it", path);
    out_discard(&o);
    return 0;
}

static void render_free(render *r)
{
    look_free(&r->look);
    raster_free(&r->buffer);
    raster_shadow_free(&r->shadow);
    free(r->occlusion);
    free(r->picture);
    free(r->path);
    free(r);
}

void render_discard(render *r)
{
    if (r->film)
        film_discard(r->film);
    render_free(r);
}

int render_finish(render *r, const sim *m)
{
    int ok, measures = *look_units[r->look.colour] != 0;
    if (r->film) {
        ok = film_close(r->film);
    } else {
        render_picture(r, m);
        ok = render_png(r->path, r->w, r->h, r->picture);
    }
    if (ok && measures && r->look.n_measured)
        fprintf(stderr, "contact: %s: %s from 0, dark blue, to %.3g %s, red\n", r->path, look_colour_names[r->look.colour], r->look.range,
                look_units[r->look.colour]);
    else if (ok && measures)
        fprintf(stderr, "contact: warning: %s: no body has a %s; all are grey\n", r->path, look_colour_names[r->look.colour]);
    render_free(r);
    return ok;
}
