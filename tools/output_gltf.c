/* output_gltf.c -- a run as one binary glTF 2.0 file. Every body is a node with a mesh; a rigid body moves by its node's translation and
   rotation, a body that deforms by morph targets, one a frame behind the first, of which the animation shows one after the other. Normals
   are left to the viewer, which shades flat then. Bodies of the scene's `repeat` are bodies of their own. based on: glTF 2.0 specification
   (Khronos Group, 2021), sections 3.6 (buffers), 3.7.2.2 (morph targets), 3.11 (animations), 4.4 (GLB). */
#define _POSIX_C_SOURCE 200809L
#include "output_fields.h"
#include "cli.h"
#include "output.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gltf_body {
    int moves_rigidly; /* 1: its vertices are in its own axes, and poses [7 n_frames] are positions and quaternions x y z w */
    int changes;       /* 1: it is not the same in all frames */
    double *poses;
    float *x; /* [n_frames][3 n_vertices], of a body that moves rigidly [3 n_vertices] */
} gltf_body;

struct out_animation {
    const sim *m;
    gltf_body *bodies;
    double *times;
    int n_frames;
};

/* what is written so far: the text of accessors and views, the bytes of the buffer */
typedef struct gltf_writer {
    const out_animation *a;
    FILE *views, *accessors, *bytes;
    char *text[3];
    size_t size[3];
    int n_views, n_accessors;
} gltf_writer;

out_animation *out_animation_create(const sim *m)
{
    out_animation *a = (out_animation *)cli_alloc(1, sizeof *a);
    ct_real p[3], q[4];
    int i;
    a->m = m;
    a->bodies = (gltf_body *)cli_alloc((size_t)m->n_bodies, sizeof *a->bodies);
    for (i = 0; i < m->n_bodies; i++)
        a->bodies[i].moves_rigidly = !m->bodies[i].is_plane && ct_body_get_pose(m->world, m->bodies[i].id, p, q) == CT_OK;
    return a;
}

/* out := R(q)' (x - p), q as w x y z */
static void gltf_local(const double *x, const ct_real p[3], const ct_real q[4], float *out)
{
    double w = (double)q[0], d[3], t[3];
    int k;
    for (k = 0; k < 3; k++)
        d[k] = x[k] - (double)p[k];
    for (k = 0; k < 3; k++) { /* t = 2 u x d with u = -(x y z) */
        int a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = -2 * ((double)q[1 + a] * d[b] - (double)q[1 + b] * d[a]);
    }
    for (k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = (float)(d[k] + w * t[k] - ((double)q[1 + a] * t[b] - (double)q[1 + b] * t[a]));
    }
}

/* the pose of a frame; of the two quaternions of a rotation the one that is nearer to that of the frame before */
static void gltf_pose(const sim *m, const sim_body *b, gltf_body *g, int frame)
{
    ct_real p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
    double *pose, size = 0, dot = 0;
    int i, k;
    (void)ct_body_get_pose(m->world, b->id, p, q);
    g->poses = (double *)cli_grow(g->poses, 7 * ((size_t)frame + 1), sizeof *g->poses);
    pose = g->poses + 7 * (size_t)frame;
    for (k = 0; k < 4; k++)
        size += (double)q[k] * (double)q[k];
    for (k = 0; k < 3; k++)
        pose[k] = (double)p[k], pose[3 + k] = (double)q[1 + k] / sqrt(size);
    pose[6] = (double)q[0] / sqrt(size);
    for (k = 3; frame && k < 7; k++)
        dot += pose[k] * pose[k - 7];
    for (k = 3; dot < 0 && k < 7; k++)
        pose[k] = -pose[k];
    g->changes |= frame && memcmp(pose, g->poses, 7 * sizeof *pose) != 0;
    if (frame)
        return;
    g->x = (float *)cli_alloc(3 * (size_t)b->n_vertices + 1, sizeof *g->x);
    for (i = 0; i < b->n_vertices; i++)
        gltf_local(b->positions + 3 * i, p, q, g->x + 3 * i);
}

void out_animation_add(out_animation *a, const sim *m, double time)
{
    int i;
    size_t k;
    a->times = (double *)cli_grow(a->times, (size_t)a->n_frames + 1, sizeof *a->times);
    a->times[a->n_frames] = time;
    for (i = 0; i < m->n_bodies; i++) {
        const sim_body *b = &m->bodies[i];
        gltf_body *g = &a->bodies[i];
        size_t n = 3 * (size_t)b->n_vertices;
        float *x;
        if (g->moves_rigidly) {
            gltf_pose(m, b, g, a->n_frames);
            continue;
        }
        g->x = (float *)cli_grow(g->x, n * ((size_t)a->n_frames + 1) + 1, sizeof *g->x);
        x = g->x + n * (size_t)a->n_frames;
        for (k = 0; k < n; k++)
            x[k] = (float)b->positions[k];
        g->changes |= memcmp(x, g->x, n * sizeof *x) != 0;
    }
    a->n_frames++;
}

void out_animation_free(out_animation *a)
{
    int i;
    if (!a)
        return;
    for (i = 0; i < a->m->n_bodies; i++)
        free(a->bodies[i].poses), free(a->bodies[i].x);
    free(a->bodies);
    free(a->times);
    free(a);
}

/* begins a view of the buffer; its bytes follow. target: 34962 points, 34963 indices, 0 none */
static int gltf_view(gltf_writer *w, size_t bytes, int target)
{
    fprintf(w->views, "%s{\"buffer\":0,\"byteOffset\":%ld,\"byteLength\":%lu", w->n_views ? "," : "", ftell(w->bytes),
            (unsigned long)bytes);
    if (target)
        fprintf(w->views, ",\"target\":%d", target);
    if (target == 34962)
        fputs(",\"byteStride\":12", w->views);
    fputc('}', w->views);
    return w->n_views++;
}

/* an accessor of the view from `offset` on; type "SCALAR", ... of floats, or of 32-bit indices without limits */
static int gltf_accessor(gltf_writer *w, int view, size_t offset, size_t count, const char *type, int is_index)
{
    fprintf(w->accessors, "%s{\"bufferView\":%d,\"byteOffset\":%lu,\"componentType\":%d,\"count\":%lu,\"type\":\"%s\"",
            w->n_accessors ? "," : "", view, (unsigned long)offset, is_index ? 5125 : 5126, (unsigned long)count, type);
    return w->n_accessors++;
}

static void gltf_close_accessor(gltf_writer *w) { fputc('}', w->accessors); }

/* "min" and "max" of the accessor that is open: n tuples of `per` floats, less those of `from` where it is not NULL */
static void gltf_limits(gltf_writer *w, const float *x, const float *from, size_t n, int per)
{
    static const char *const names[] = {",\"min\":[", ",\"max\":["};
    size_t i;
    int s, k;
    for (s = 0; s < 2; s++) {
        fputs(names[s], w->accessors);
        for (k = 0; k < per; k++) {
            float best = 0;
            for (i = 0; i < n; i++) {
                float y = x[(size_t)per * i + (size_t)k] - (from ? from[(size_t)per * i + (size_t)k] : 0);
                if (i == 0 || (s ? y > best : y < best))
                    best = y;
            }
            fprintf(w->accessors, "%s%.9g", k ? "," : "", (double)best);
        }
        fputc(']', w->accessors);
    }
}

/* a view of n tuples of floats with an accessor over it; limits where the specification asks for them */
static int gltf_floats(gltf_writer *w, const float *x, size_t n, int per, const char *type, int target, int with_limits)
{
    int a = gltf_accessor(w, gltf_view(w, 4 * n * (size_t)per, target), 0, n, type, 0);
    size_t i;
    if (with_limits)
        gltf_limits(w, x, NULL, n, per);
    gltf_close_accessor(w);
    for (i = 0; i < n * (size_t)per; i++)
        out_put_f32(w->bytes, (double)x[i]);
    return a;
}

/* displacements of frames 1 and on from the first, one accessor each; the number of the first accessor */
static int gltf_targets(gltf_writer *w, const gltf_body *g, size_t n)
{
    int view = gltf_view(w, 12 * n * (size_t)(w->a->n_frames - 1), 34962), first = w->n_accessors, f;
    size_t i;
    for (f = 1; f < w->a->n_frames; f++) {
        const float *x = g->x + 3 * n * (size_t)f;
        gltf_accessor(w, view, 12 * n * (size_t)(f - 1), n, "VEC3", 0);
        gltf_limits(w, x, g->x, n, 3);
        gltf_close_accessor(w);
        for (i = 0; i < 3 * n; i++)
            out_put_f32(w->bytes, (double)(x[i] - g->x[i]));
    }
    return first;
}

/* the mesh of a body while its primitives are written */
typedef struct gltf_shape {
    FILE *f;
    int positions, targets; /* accessors, the first of the targets or -1 */
    int material, n;        /* primitives so far */
} gltf_shape;

/* one primitive of the mesh: mode 4 triangles, 1 lines, 0 points (list NULL) */
static void gltf_primitive(gltf_writer *w, gltf_shape *s, const int32_t *list, size_t n, int mode)
{
    size_t i;
    int k;
    fprintf(s->f, "%s{\"attributes\":{\"POSITION\":%d},\"mode\":%d,\"material\":%d", s->n++ ? "," : "", s->positions, mode, s->material);
    if (list) {
        int a = gltf_accessor(w, gltf_view(w, 4 * n, 34963), 0, n, "SCALAR", 1);
        gltf_close_accessor(w);
        for (i = 0; i < n; i++)
            out_put(w->bytes, (uint64_t)list[i], 4);
        fprintf(s->f, ",\"indices\":%d", a);
    }
    for (k = 0; s->targets >= 0 && k + 1 < w->a->n_frames; k++)
        fprintf(s->f, "%s{\"POSITION\":%d}", k ? "," : ",\"targets\":[", s->targets + k);
    fputs(s->targets >= 0 ? "]}" : "}", s->f);
}

/* 1 if a body before this one has its kind */
static int gltf_kind_seen(const sim *m, int number)
{
    int i;
    for (i = 0; i < number && m->bodies[i].type != m->bodies[number].type; i++)
        ;
    return i < number;
}

/* number of the body's material among those of the kinds that there are, in the order of their first bodies */
static int gltf_material(const sim *m, int number)
{
    int i, n = 0;
    for (i = 0; m->bodies[i].type != m->bodies[number].type; i++)
        n += !gltf_kind_seen(m, i);
    return n;
}

static void gltf_mesh(gltf_writer *w, FILE *f, int number)
{
    const sim_body *b = &w->a->m->bodies[number];
    const gltf_body *g = &w->a->bodies[number];
    size_t n = (size_t)b->n_vertices;
    gltf_shape s;
    int k;
    memset(&s, 0, sizeof s);
    s.f = f, s.material = gltf_material(w->a->m, number);
    s.positions = gltf_floats(w, g->x, n, 3, "VEC3", 34962, 1);
    s.targets = !g->moves_rigidly && g->changes ? gltf_targets(w, g, n) : -1;
    fprintf(f, "%s{\"name\":", number ? "," : "");
    out_json_string(f, b->name);
    fputs(",\"primitives\":[", f);
    if (b->n_triangles)
        gltf_primitive(w, &s, b->triangles, 3 * (size_t)b->n_triangles, 4);
    if (b->n_segments)
        gltf_primitive(w, &s, b->segments, 2 * (size_t)b->n_segments, 1);
    if (s.n == 0)
        gltf_primitive(w, &s, NULL, n, 0);
    fputs("]", f);
    for (k = 0; s.targets >= 0 && k + 1 < w->a->n_frames; k++)
        fputs(k ? ",0" : ",\"weights\":[0", f);
    fputs(s.targets >= 0 ? "]}" : "}", f);
}

static void gltf_nodes(const gltf_writer *w, FILE *f)
{
    const sim *m = w->a->m;
    int i;
    fputs("\"nodes\":[", f);
    for (i = 0; i < m->n_bodies; i++) {
        const gltf_body *g = &w->a->bodies[i];
        fprintf(f, "%s{\"name\":", i ? "," : "");
        out_json_string(f, m->bodies[i].name);
        fprintf(f, ",\"mesh\":%d", i);
        if (g->moves_rigidly)
            fprintf(f, ",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]", g->poses[0], g->poses[1], g->poses[2],
                    g->poses[3], g->poses[4], g->poses[5], g->poses[6]);
        fputc('}', f);
    }
    fputs("],\"scene\":0,\"scenes\":[{\"nodes\":[", f);
    for (i = 0; i < m->n_bodies; i++)
        fprintf(f, "%s%d", i ? "," : "", i);
    fputs("]}]", f);
}

/* n_frames tuples: `per` doubles from `x + 7 frame` on */
static int gltf_track(gltf_writer *w, const double *x, int per, const char *type)
{
    float *y = (float *)cli_alloc((size_t)per * (size_t)w->a->n_frames, sizeof *y);
    int i, k, accessor;
    for (i = 0; i < w->a->n_frames; i++)
        for (k = 0; k < per; k++)
            y[per * i + k] = (float)x[7 * i + k];
    accessor = gltf_floats(w, y, (size_t)w->a->n_frames, per, type, 0, 0);
    free(y);
    return accessor;
}

/* the weights of all bodies that deform: in frame k that of target k - 1 is 1, all others are 0 */
static int gltf_weights(gltf_writer *w)
{
    size_t n = (size_t)w->a->n_frames, i;
    float *y = (float *)cli_alloc(n * (n - 1), sizeof *y);
    int accessor;
    for (i = 1; i < n; i++)
        y[(n - 1) * i + i - 1] = 1;
    accessor = gltf_floats(w, y, n * (n - 1), 1, "SCALAR", 0, 0);
    free(y);
    return accessor;
}

static void gltf_animation(gltf_writer *w, FILE *f)
{
    static const char *const paths[] = {"translation", "rotation", "weights"};
    const out_animation *a = w->a;
    FILE *samplers;
    char *text = NULL;
    size_t size = 0;
    float *t = (float *)cli_alloc((size_t)a->n_frames, sizeof *t);
    int i, k, n = 0, times, weights = -1;
    for (i = 0; i < a->n_frames; i++)
        t[i] = (float)a->times[i];
    times = gltf_floats(w, t, (size_t)a->n_frames, 1, "SCALAR", 0, 1);
    free(t);
    samplers = open_memstream(&text, &size);
    fputs(",\"animations\":[{\"name\":\"run\",\"channels\":[", f);
    for (i = 0; i < a->m->n_bodies; i++)
        for (k = 0; k < 3; k++) {
            const gltf_body *g = &a->bodies[i];
            int output;
            if (!g->changes || (k == 2) == g->moves_rigidly)
                continue;
            if (k == 2 && weights < 0)
                weights = gltf_weights(w);
            output = k == 2 ? weights : gltf_track(w, g->poses + (k ? 3 : 0), k ? 4 : 3, k ? "VEC4" : "VEC3");
            fprintf(f, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", n ? "," : "", n, i, paths[k]);
            fprintf(samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", n ? "," : "", times, output);
            n++;
        }
    fclose(samplers);
    fprintf(f, "],\"samplers\":[%s]}]", text);
    free(text);
}

/* colours of bodies by kind, as pictures have them; cloth is seen from both sides */
static void gltf_materials(const sim *m, FILE *f)
{
    static const double colors[SCENE_TYPE_COUNT][3] = {{0.80, 0.30, 0.20}, {0.20, 0.42, 0.75}, {0.75, 0.60, 0.25}, {0.75, 0.60, 0.25},
                                                       {0.45, 0.60, 0.35}, {0.55, 0.55, 0.55}, {0.65, 0.50, 0.62}};
    int i;
    for (i = 0; i < m->n_bodies; i++) {
        const double *c = colors[m->bodies[i].type];
        if (gltf_kind_seen(m, i))
            continue;
        fprintf(f,
                "%s{\"name\":\"%s\",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%g,%g,%g,1],\"metallicFactor\":0,"
                "\"roughnessFactor\":0.8}}",
                i ? "," : ",\"materials\":[", scene_type_names[m->bodies[i].type], c[0], c[1], c[2]);
    }
    fputc(']', f);
}

/* the JSON part, without its end: views and accessors are known only after everything else */
static void gltf_json(gltf_writer *w, FILE *f)
{
    const out_animation *a = w->a;
    int i, moves = 0;
    fprintf(f, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"contact.h %d.%d.%d\"},", ct_library_info_get()->version_major,
            ct_library_info_get()->version_minor, ct_library_info_get()->version_patch);
    gltf_nodes(w, f);
    gltf_materials(a->m, f);
    fputs(",\"meshes\":[", f);
    for (i = 0; i < a->m->n_bodies; i++) {
        gltf_mesh(w, f, i);
        moves |= a->bodies[i].changes;
    }
    fputc(']', f);
    if (moves)
        gltf_animation(w, f);
}

const char *out_animation_glb(const out_animation *a, FILE *f)
{
    gltf_writer w;
    char *json = NULL;
    size_t size = 0, total, i;
    FILE *out = open_memstream(&json, &size);
    memset(&w, 0, sizeof w);
    w.a = a;
    w.views = open_memstream(&w.text[0], &w.size[0]);
    w.accessors = open_memstream(&w.text[1], &w.size[1]);
    w.bytes = open_memstream(&w.text[2], &w.size[2]);
    if (!out || !w.views || !w.accessors || !w.bytes)
        return "out of memory";
    gltf_json(&w, out);
    fclose(w.views), fclose(w.accessors), fclose(w.bytes);
    fprintf(out, ",\"bufferViews\":[%s],\"accessors\":[%s],\"buffers\":[{\"byteLength\":%lu}]}", w.text[0], w.text[1],
            (unsigned long)w.size[2]);
    fclose(out);
    /* 12 bytes of head, two chunks with 8 of their own, lengths in multiples of 4: all values of the buffer have 4 bytes */
    total = 28 + (size + 3) / 4 * 4 + w.size[2];
    if (total < 0xffffffffu) {
        out_put(f, 0x46546c67, 4), out_put(f, 2, 4), out_put(f, total, 4);
        out_put(f, (size + 3) / 4 * 4, 4), out_put(f, 0x4e4f534a, 4);
        fwrite(json, 1, size, f);
        for (i = size; i % 4; i++)
            fputc(' ', f);
        out_put(f, w.size[2], 4), out_put(f, 0x004e4942, 4);
        fwrite(w.text[2], 1, w.size[2], f);
    }
    free(json), free(w.text[0]), free(w.text[1]), free(w.text[2]);
    return total < 0xffffffffu ? NULL : "more than 4 GB, which a .glb cannot have; take fewer frames with --every";
}
