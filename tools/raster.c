/* raster.c -- edge-function rasterisation with a depth buffer (Pineda 1988), perspective-correct normals and colours, a filtered shadow map
   (Reeves et al. 1987). */
#include "raster.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RASTER_FAR 1e30f

static double raster_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void raster_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void raster_unit(double a[3])
{
    double n = sqrt(raster_dot(a, a));
    int k;
    for (k = 0; k < 3; k++)
        a[k] = n > 0 ? a[k] / n : (k == 1);
}

void raster_init(raster *r, int w, int h)
{
    size_t n = (size_t)w * (size_t)h;
    memset(r, 0, sizeof *r);
    r->w = w, r->h = h;
    r->depth = (float *)cli_alloc(n, sizeof *r->depth);
    r->normal = (float *)cli_alloc(n, 3 * sizeof *r->normal);
    r->colour = (float *)cli_alloc(n, 3 * sizeof *r->colour);
    r->kind = (uint8_t *)cli_alloc(n, 1);
    r->edge = (uint8_t *)cli_alloc(n, 1);
}

void raster_free(raster *r)
{
    free(r->depth);
    free(r->normal);
    free(r->colour);
    free(r->kind);
    free(r->edge);
}

void raster_clear(raster *r)
{
    size_t i, n = (size_t)r->w * (size_t)r->h;
    for (i = 0; i < n; i++)
        r->depth[i] = RASTER_FAR;
    memset(r->kind, RASTER_NOTHING, n);
    memset(r->edge, 0, n);
    memset(r->normal, 0, 3 * n * sizeof *r->normal);
}

void raster_look(raster_camera *c, const look_camera *from, int w, int h)
{
    double up[3] = {0, 1, 0};
    int k;
    for (k = 0; k < 3; k++)
        c->eye[k] = from->eye[k], c->forward[k] = from->target[k] - from->eye[k];
    c->nearest = 0.005 * sqrt(raster_dot(c->forward, c->forward));
    raster_unit(c->forward);
    if (fabs(c->forward[1]) > 0.9999)
        up[1] = 0, up[2] = -1;
    raster_cross(c->forward, up, c->right);
    raster_unit(c->right);
    raster_cross(c->right, c->forward, c->up);
    c->focal = 0.5 * h / tan(0.5 * from->fov * 3.14159265358979323846 / 180);
    c->cx = 0.5 * w, c->cy = 0.5 * h;
}

void raster_ray(const raster_camera *c, double x, double y, double out[3])
{
    double u = (x + 0.5 - c->cx) / c->focal, v = (c->cy - y - 0.5) / c->focal;
    int k;
    for (k = 0; k < 3; k++)
        out[k] = c->forward[k] + u * c->right[k] + v * c->up[k];
}

/* one corner in view: screen x, y, 1/z, and over z what is interpolated: the normal, then the colour */
typedef struct raster_corner {
    double x, y, w, a[7];
    int edge; /* the edge that starts here is drawn */
} raster_corner;

static void raster_project(const raster *r, const double v[3], const double a[7], raster_corner *out)
{
    const raster_camera *c = &r->camera;
    int k;
    out->w = 1 / v[2];
    out->x = c->cx + c->focal * v[0] * out->w;
    out->y = c->cy - c->focal * v[1] * out->w;
    for (k = 0; k < 7; k++)
        out->a[k] = a[k] * out->w;
}

/* darkness of the mesh edges at a sample: d[k] distance to edge k in samples; edges fade as triangles get small */
static int raster_edge(const raster_corner *t[3], const double d[3], const double height)
{
    double best = 1e9, fade = (height - 7) / 22;
    int k;
    for (k = 0; k < 3; k++)
        if (t[k]->edge && d[k] < best)
            best = d[k];
    fade = fade < 0 ? 0 : (fade > 1 ? 1 : fade);
    best = 1 - best / 1.6;
    return best <= 0 ? 0 : (int)(255 * best * fade);
}

static void raster_sample(raster *r, size_t at, const raster_corner *t[3], const double b[3], const double d[3], double height,
                          int is_back)
{
    double w = b[0] * t[0]->w + b[1] * t[1]->w + b[2] * t[2]->w, a[7];
    float depth = (float)(1 / w);
    int k;
    if (!(depth < r->depth[at]))
        return;
    for (k = 0; k < 7; k++)
        a[k] = (b[0] * t[0]->a[k] + b[1] * t[1]->a[k] + b[2] * t[2]->a[k]) / w;
    raster_unit(a);
    r->depth[at] = depth;
    r->kind[at] = RASTER_SURFACE;
    r->edge[at] = (uint8_t)raster_edge(t, d, height);
    for (k = 0; k < 3; k++) {
        r->normal[3 * at + (size_t)k] = (float)(is_back ? -a[k] : a[k]);
        r->colour[3 * at + (size_t)k] = (float)(is_back && a[6] > 0.5 ? 0.55 * a[3 + k] + 0.1 : a[3 + k]);
    }
}

static void raster_fill(raster *r, const raster_corner *a, const raster_corner *b, const raster_corner *c)
{
    const raster_corner *t[3];
    double area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x), len[3], longest = 0;
    int x0, x1, y0, y1, x, y, k;
    t[0] = a, t[1] = b, t[2] = c;
    if (!(fabs(area) > 1e-9))
        return;
    x0 = (int)fmax(0, floor(fmin(a->x, fmin(b->x, c->x))));
    x1 = (int)fmin(r->w - 1, ceil(fmax(a->x, fmax(b->x, c->x))));
    y0 = (int)fmax(0, floor(fmin(a->y, fmin(b->y, c->y))));
    y1 = (int)fmin(r->h - 1, ceil(fmax(a->y, fmax(b->y, c->y))));
    for (k = 0; k < 3; k++) {
        len[k] = hypot(t[(k + 1) % 3]->x - t[k]->x, t[(k + 1) % 3]->y - t[k]->y);
        longest = fmax(longest, len[k]);
    }
    for (y = y0; y <= y1; y++)
        for (x = x0; x <= x1; x++) {
            double e[3], bary[3], d[3], px = x + 0.5, py = y + 0.5;
            for (k = 0; k < 3; k++) {
                const raster_corner *p = t[k], *q = t[(k + 1) % 3];
                e[k] = ((q->x - p->x) * (py - p->y) - (q->y - p->y) * (px - p->x)) * (area < 0 ? -1 : 1);
                if (e[k] < 0)
                    break;
                d[k] = e[k] / len[k];
            }
            if (k < 3)
                continue;
            for (k = 0; k < 3; k++)
                bary[(k + 2) % 3] = e[k] / fabs(area);
            raster_sample(r, (size_t)y * (size_t)r->w + (size_t)x, t, bary, d, fabs(area) / longest, area > 0);
        }
}

void raster_triangle(raster *r, const look_corner corners[3], int edges)
{
    const double near_z = r->camera.nearest;
    double v[3][3], a[3][7], d[3];
    raster_corner out[4];
    int i, j, k, count = 0;
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++) {
            d[k] = (double)corners[i].position[k] - r->camera.eye[k];
            a[i][k] = (double)corners[i].normal[k];
        }
        for (k = 0; k < 4; k++)
            a[i][3 + k] = (double)corners[i].colour[k];
        v[i][0] = raster_dot(d, r->camera.right);
        v[i][1] = raster_dot(d, r->camera.up);
        v[i][2] = raster_dot(d, r->camera.forward);
    }
    /* the part in front of the near plane: a triangle or a quad */
    for (i = 0; i < 3; i++) {
        j = (i + 1) % 3;
        if (v[i][2] >= near_z) {
            raster_project(r, v[i], a[i], &out[count]);
            out[count++].edge = edges >> i & 1;
        }
        if ((v[i][2] >= near_z) != (v[j][2] >= near_z)) {
            double s = (near_z - v[i][2]) / (v[j][2] - v[i][2]), c[3], m[7];
            for (k = 0; k < 3; k++)
                c[k] = v[i][k] + s * (v[j][k] - v[i][k]);
            for (k = 0; k < 7; k++)
                m[k] = a[i][k] + s * (a[j][k] - a[i][k]);
            raster_project(r, c, m, &out[count]);
            out[count++].edge = 0;
        }
    }
    for (i = 2; i < count; i++)
        raster_fill(r, &out[0], &out[i - 1], &out[i]);
}

void raster_shadow_init(raster_shadow *s, int n)
{
    int i;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->depth = (float *)cli_alloc((size_t)n * (size_t)n, sizeof *s->depth);
    /* a sunflower */
    for (i = 0; i < 24; i++) {
        s->taps[i][0] = sqrt((i + 0.5) / 24) * cos(2.39996323 * i);
        s->taps[i][1] = sqrt((i + 0.5) / 24) * sin(2.39996323 * i);
    }
}

void raster_shadow_free(raster_shadow *s) { free(s->depth); }

void raster_shadow_aim(raster_shadow *s, const double light[3], const double center[3], double radius)
{
    double side[3] = {0, 0, 1};
    size_t i;
    int k;
    for (k = 0; k < 3; k++)
        s->light[k] = light[k], s->center[k] = center[k];
    raster_unit(s->light);
    raster_cross(side, s->light, s->right);
    raster_unit(s->right);
    raster_cross(s->light, s->right, s->up);
    s->half = radius;
    for (i = 0; i < (size_t)s->n * (size_t)s->n; i++)
        s->depth[i] = -RASTER_FAR;
}

/* light space: texel x, texel y, height towards the sun */
static void raster_shadow_map(const raster_shadow *s, const double x[3], double out[3])
{
    double d[3], scale = 0.5 * s->n / s->half;
    int k;
    for (k = 0; k < 3; k++)
        d[k] = x[k] - s->center[k];
    out[0] = 0.5 * s->n + scale * raster_dot(d, s->right);
    out[1] = 0.5 * s->n + scale * raster_dot(d, s->up);
    out[2] = raster_dot(d, s->light);
}

void raster_shadow_triangle(raster_shadow *s, const look_corner corners[3])
{
    double p[3], q[3][3], area, lo[2], hi[2];
    int i, k, x, y;
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 3; k++)
            p[k] = (double)corners[i].position[k];
        raster_shadow_map(s, p, q[i]);
    }
    area = (q[1][0] - q[0][0]) * (q[2][1] - q[0][1]) - (q[1][1] - q[0][1]) * (q[2][0] - q[0][0]);
    if (!(fabs(area) > 1e-12))
        return;
    for (k = 0; k < 2; k++) {
        lo[k] = fmax(0, floor(fmin(q[0][k], fmin(q[1][k], q[2][k])) - 0.5));
        hi[k] = fmin(s->n - 1, ceil(fmax(q[0][k], fmax(q[1][k], q[2][k])) + 0.5));
    }
    for (y = (int)lo[1]; y <= (int)hi[1]; y++)
        for (x = (int)lo[0]; x <= (int)hi[0]; x++) {
            double b[3], z = 0;
            float *cell = &s->depth[(size_t)y * (size_t)s->n + (size_t)x];
            for (k = 0; k < 3; k++) {
                const double *u = q[(k + 1) % 3], *v = q[(k + 2) % 3];
                b[k] = ((v[0] - u[0]) * (y + 0.5 - u[1]) - (v[1] - u[1]) * (x + 0.5 - u[0])) / area;
                if (b[k] < -1e-9)
                    break;
                z += b[k] * q[k][2];
            }
            if (k == 3 && z > *cell)
                *cell = (float)z;
        }
}

double raster_shadow_lit(const raster_shadow *s, const double x[3], const double normal[3], double blur)
{
    double texel = 2 * s->half / s->n, moved[3], q[3], lit = 0;
    int i, k, count = 0;
    for (k = 0; k < 3; k++)
        moved[k] = x[k] + normal[k] * texel * (1.5 + 0.7 * blur);
    raster_shadow_map(s, moved, q);
    for (i = 0; i < 24; i++) {
        int tx = (int)floor(q[0] + blur * s->taps[i][0]), ty = (int)floor(q[1] + blur * s->taps[i][1]);
        count++;
        if (tx < 0 || ty < 0 || tx >= s->n || ty >= s->n || s->depth[(size_t)ty * (size_t)s->n + (size_t)tx] <= q[2] + texel)
            lit += 1;
    }
    return lit / count;
}
