/* view_gl.c -- the light of render.c as shaders. Method: triangles go to a buffer of normals, depths and colours with 2x2 samples a pixel, and to a
   shadow map; a second pass finds how open the sky is at each pixel, and a third one shades the samples. */
#define _POSIX_C_SOURCE 200809L
#include "view_gl.h"

#ifdef CONTACT_VIEW
#include "cli.h"
#include "raster.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#define GL_GLEXT_PROTOTYPES
#include <SDL2/SDL.h>
#include <SDL2/SDL_opengl.h>

enum { GL_SHADOW = 2048, GL_TAPS = 24 };
typedef enum gl_program { GL_SURFACE, GL_GROUND, GL_CAST, GL_OPEN, GL_SHADE, GL_OVER, GL_PROGRAMS } gl_program;

struct view_gl {
    SDL_Window *window;
    SDL_GLContext context;
    GLuint program[GL_PROGRAMS], array[3], buffer[3]; /* triangles, lines, overlay */
    GLuint normals, colours, depth, open, shadow;     /* textures */
    GLuint samples, sky, cast;                        /* frame buffers */
    int w, h;
    GLfloat taps[2 * GL_TAPS];
    look_corner *lines; /* [room] of edges */
    int n_lines, room;
};

/* what all programs know: the camera, in pixels of the buffer with 2x2 samples; texture rows count from below, render.c's from above */
static const char *const gl_common = "#version 330 core\n"
                                     "uniform vec3 eye, right, up, forward, light, center, shadow_right, shadow_up;\n"
                                     "uniform float focal, radius, tile, ground, clip_near, clip_far, half_width;\n"
                                     "uniform ivec2 size;\n" /* [pixels] of the window */
                                     "uniform vec2 taps[24];\n"
                                     "uniform sampler2D normals, colours, opens, shadows;\n"
                                     "float clip_depth(float z) {\n"
                                     "  return (z * (clip_far + clip_near) - 2 * clip_far * clip_near) / (clip_far - clip_near);\n"
                                     "}\n"
                                     "vec3 way(vec2 at) { vec2 q = (at - vec2(size)) / focal; return forward + q.x * right + q.y * up; }\n"
                                     "vec3 place(ivec2 s, float depth) { return eye + depth * way(vec2(s) + 0.5); }\n";

static const char *const gl_surface_vertex =
    "layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal; layout(location = 2) in vec4 colour;\n"
    "uniform float nearer; out vec3 n; out vec4 c; out float z;\n"
    "void main() {\n"
    "  vec3 d = position - eye, v = vec3(dot(d, right), dot(d, up), dot(d, forward));\n"
    "  n = normal, c = colour, z = v.z;\n"
    "  gl_Position = vec4(v.xy * focal / vec2(size), clip_depth(v.z) - nearer * v.z, v.z);\n"
    "}\n";
static const char *const gl_surface_fragment =
    "in vec3 n; in vec4 c; in float z; uniform float lines;\n"
    "layout(location = 0) out vec4 out_normal; layout(location = 1) out vec4 out_colour;\n"
    "void main() {\n"
    "  bool back = lines == 0 && !gl_FrontFacing;\n"
    "  vec3 m = normalize(n), seen = back && c.a > 0.5 ? 0.55 * c.rgb + 0.1 : c.rgb;\n"
    "  if (back || (lines > 0 && dot(m, forward) > 0)) m = -m;\n"
    "  out_normal = vec4(m, z);\n"
    "  out_colour = vec4(sqrt(seen), 1);\n"
    "}\n";
static const char *const gl_screen_vertex =
    "void main() { gl_Position = vec4(4 * (gl_VertexID & 1) - 1, 2 * (gl_VertexID & 2) - 1, 0, 1); }\n";
static const char *const gl_ground_fragment =
    "layout(location = 0) out vec4 out_normal; layout(location = 1) out vec4 out_colour;\n"
    "void main() {\n"
    "  vec3 d = way(gl_FragCoord.xy);\n"
    "  float t = d.y < -1e-9 ? (ground - eye.y) / d.y : -1;\n"
    "  if (t <= 0) discard;\n"
    "  out_normal = vec4(0, 1, 0, t), out_colour = vec4(0, 0, 0, 0.5);\n"
    "  gl_FragDepth = clamp(0.5 + 0.5 * clip_depth(t) / t, 0, 1);\n"
    "}\n";
static const char *const gl_cast_vertex =
    "layout(location = 0) in vec3 position;\n"
    "void main() {\n"
    "  vec3 d = position - center;\n"
    "  gl_Position = vec4(dot(d, shadow_right), dot(d, shadow_up), -dot(d, light) / 16, half_width) / half_width;\n"
    "}\n";
static const char *const gl_cast_fragment = "void main() {}\n";
static const char *const gl_open_fragment =
    "out float result;\n"
    "void main() {\n"
    "  ivec2 p = ivec2(gl_FragCoord.xy), top = ivec2(p.x, size.y - 1 - p.y), s = ivec2(2 * p.x, 2 * p.y + 1);\n"
    "  vec4 g = texelFetch(normals, s, 0);\n"
    "  if (texelFetch(colours, s, 0).a == 0) { result = 1; return; }\n"
    "  vec3 x = place(s, g.w);\n"
    "  float reach = 0.18 * radius, screen = min(400, focal * reach / g.w), sum = 0;\n"
    "  int turn = (top.x * 7 + top.y * 13) % 16;\n"
    "  for (int i = 0; i < 20; i++) {\n"
    "    float a = 2.399963 * turn + 5.1 * i, r = screen * (i + 0.5) / 20;\n"
    "    ivec2 q = s + ivec2(int(r * cos(a)), -int(r * sin(a)));\n"
    "    if (any(lessThan(q, ivec2(0))) || any(greaterThanEqual(q, 2 * size)) || texelFetch(colours, q, 0).a == 0) continue;\n"
    "    vec3 v = place(q, texelFetch(normals, q, 0).w) - x;\n"
    "    float vv = dot(v, v);\n"
    "    if (vv < reach * reach)\n"
    "      sum += max(0, dot(v, g.xyz) / sqrt(vv + 1e-12 * reach * reach) - 0.08) * (1 - vv / (reach * reach));\n"
    "  }\n"
    "  result = max(0, 1 - 3 * sum / 20);\n"
    "}\n";
static const char *const gl_shade_parts =
    "out vec4 result;\n"
    "float lit(vec3 p, vec3 n) {\n"
    "  float texel = 2 * half_width / 2048, sum = 0;\n"
    "  vec3 d = p + n * texel * 5 - center;\n"
    "  vec2 q = 1024 + 1024 / half_width * vec2(dot(d, shadow_right), dot(d, shadow_up));\n"
    "  for (int i = 0; i < 24; i++) {\n"
    "    ivec2 t = ivec2(floor(q + 5 * taps[i]));\n"
    "    bool outside = any(lessThan(t, ivec2(0))) || any(greaterThanEqual(t, ivec2(2048)));\n"
    "    if (outside || (1 - 2 * texelFetch(shadows, t, 0).r) * 16 * half_width <= dot(d, light) + texel) sum += 1;\n"
    "  }\n"
    "  return sum / 24;\n"
    "}\n"
    "float checker(vec3 p, float sample_size) {\n"
    "  float sharp = tile / max(sample_size, 1e-30) * 0.6;\n"
    "  float s = clamp(sin(3.14159265 * p.x / tile) * sin(3.14159265 * p.z / tile) * min(sharp, 60), -1, 1);\n"
    "  return s * min(1, max(0, sharp - 1) / 4);\n"
    "}\n"
    "vec3 shade(ivec2 s, float open) {\n"
    "  vec4 g = texelFetch(normals, s, 0), c = texelFetch(colours, s, 0);\n"
    "  vec3 sky = mix(vec3(0.86, 0.88, 0.90), vec3(0.60, 0.69, 0.79), (s.y + 1.0) / (2 * size.y));\n"
    "  if (c.a == 0) return sky;\n"
    "  bool is_ground = c.a < 0.75;\n"
    "  vec3 p = place(s, g.w), n = g.xyz, view = normalize(eye - p), albedo = c.rgb * c.rgb;\n"
    "  float ndl = dot(n, light), seen = ndl > 0 ? ndl * lit(p, n) : 0;\n"
    "  if (is_ground) albedo = (0.62 + 0.055 * checker(p, g.w / focal / max(0.05, view.y))) * vec3(1, 1, 1.02);\n"
    "  float shine = is_ground || seen <= 0 ? 0 : 0.10 * pow(max(0, dot(normalize(view + light), n)), 40);\n"
    "  vec3 ambient = mix(vec3(0.20, 0.19, 0.18), vec3(0.42, 0.46, 0.52), 0.5 + 0.5 * n.y) * open;\n"
    "  vec3 o = albedo * (0.86 * vec3(1.02, 0.98, 0.92) * seen * (0.6 + 0.4 * open) + ambient) + shine;\n"
    "  if (is_ground) o = mix(o, sky, smoothstep(0, 1, (length((p - center).xz) / radius - 2.2) / 6));\n"
    "  return min(o, 2);\n"
    "}\n";
static const char *const gl_shade_fragment =
    "void main() {\n"
    "  ivec2 p = ivec2(gl_FragCoord.xy);\n"
    "  float depth = texelFetch(normals, ivec2(2 * p.x, 2 * p.y + 1), 0).w, open = 0, weight = 0;\n"
    "  for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) {\n"
    "    ivec2 q = p + ivec2(i, j);\n"
    "    if (any(lessThan(q, ivec2(0))) || any(greaterThanEqual(q, size))) continue;\n"
    "    if (abs(texelFetch(normals, ivec2(2 * q.x, 2 * q.y + 1), 0).w - depth) > 0.02 * depth) continue;\n"
    "    open += texelFetch(opens, q, 0).r, weight += 1;\n"
    "  }\n"
    "  open = weight > 0 ? open / weight : 1;\n"
    "  vec3 sum = vec3(0);\n"
    "  for (int i = 0; i < 4; i++) sum += 0.25 * shade(2 * p + ivec2(i & 1, i >> 1), open);\n"
    "  vec3 t = sum * (1 + sum / 6) / (1 + 0.32 * sum);\n"
    "  result = vec4(pow(t, vec3(1 / 2.2)), 1);\n"
    "}\n";
static const char *const gl_over_vertex =
    "layout(location = 0) in vec2 position; layout(location = 2) in vec4 colour; out vec4 c;\n"
    "void main() { c = colour; gl_Position = vec4(vec2(2, -2) * position / vec2(size) + vec2(-1, 1), 0, 1); }\n";
static const char *const gl_over_fragment = "in vec4 c; out vec4 result; void main() { result = c; }\n";

/* ---- set-up ---- */

static GLuint gl_shader(GLenum kind, const char *text, const char *more)
{
    const char *parts[3];
    GLuint s = glCreateShader(kind);
    GLint ok = 0;
    char log[600];
    parts[0] = gl_common, parts[1] = text, parts[2] = more;
    glShaderSource(s, 3, parts, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (ok)
        return s;
    glGetShaderInfoLog(s, sizeof log, NULL, log);
    cli_fail("view: this OpenGL does not take a shader: %s", log);
    return 0;
}

static int gl_link(view_gl *v, gl_program at, const char *vertex, const char *fragment, const char *more)
{
    GLuint a = gl_shader(GL_VERTEX_SHADER, vertex, ""), b = gl_shader(GL_FRAGMENT_SHADER, fragment, more), p = glCreateProgram();
    GLint ok = 0;
    if (!a || !b)
        return 0;
    glAttachShader(p, a), glAttachShader(p, b);
    glLinkProgram(p);
    glDeleteShader(a), glDeleteShader(b);
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    v->program[at] = p;
    if (!ok)
        cli_fail("view: this OpenGL does not link a program");
    return ok;
}

static GLuint gl_texture(GLenum inside, GLenum format, int w, int h)
{
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inside, w, h, 0, format, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

/* a frame buffer of up to two textures and a depth */
static GLuint gl_target(GLuint first, GLuint second, GLuint depth)
{
    static const GLenum draws[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    GLuint f;
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    if (first)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, first, 0);
    if (second)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, second, 0);
    if (depth)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glDrawBuffers(second ? 2 : first ? 1 : 0, draws);
    return f;
}

/* textures and frame buffers of the window's size */
static void gl_resize(view_gl *v)
{
    int w, h;
    SDL_GetWindowSize(v->window, &w, &h);
    if (w == v->w && h == v->h)
        return;
    glDeleteTextures(1, &v->normals), glDeleteTextures(1, &v->colours), glDeleteTextures(1, &v->depth), glDeleteTextures(1, &v->open);
    glDeleteFramebuffers(1, &v->samples), glDeleteFramebuffers(1, &v->sky);
    v->w = w, v->h = h;
    v->normals = gl_texture(GL_RGBA32F, GL_RGBA, 2 * w, 2 * h);
    v->colours = gl_texture(GL_RGBA8, GL_RGBA, 2 * w, 2 * h);
    v->depth = gl_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, 2 * w, 2 * h);
    v->open = gl_texture(GL_R16F, GL_RED, w, h);
    v->samples = gl_target(v->normals, v->colours, v->depth);
    v->sky = gl_target(v->open, 0, 0);
}

static void gl_arrays(view_gl *v)
{
    int i;
    glGenVertexArrays(3, v->array);
    glGenBuffers(3, v->buffer);
    for (i = 0; i < 3; i++) {
        GLsizei stride = i < 2 ? (GLsizei)sizeof(look_corner) : (GLsizei)sizeof(overlay_corner);
        glBindVertexArray(v->array[i]);
        glBindBuffer(GL_ARRAY_BUFFER, v->buffer[i]);
        glVertexAttribPointer(0, i < 2 ? 3 : 2, GL_FLOAT, GL_FALSE, stride, NULL);
        glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride, (const void *)offsetof(look_corner, normal));
        glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, stride,
                              (const void *)(i < 2 ? offsetof(look_corner, colour) : offsetof(overlay_corner, colour)));
        glEnableVertexAttribArray(0), glEnableVertexAttribArray(2);
        if (i < 2)
            glEnableVertexAttribArray(1);
    }
}

static int gl_start(view_gl *v)
{
    int i;
    SDL_GL_SetSwapInterval(1);
    for (i = 0; i < GL_TAPS; i++) {
        v->taps[2 * i] = (GLfloat)(sqrt((i + 0.5) / GL_TAPS) * cos(2.39996323 * i));
        v->taps[2 * i + 1] = (GLfloat)(sqrt((i + 0.5) / GL_TAPS) * sin(2.39996323 * i));
    }
    gl_arrays(v);
    v->shadow = gl_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_SHADOW, GL_SHADOW);
    v->cast = gl_target(0, 0, v->shadow);
    return gl_link(v, GL_SURFACE, gl_surface_vertex, gl_surface_fragment, "") && gl_link(v, GL_GROUND, gl_screen_vertex, gl_ground_fragment, "") &&
           gl_link(v, GL_CAST, gl_cast_vertex, gl_cast_fragment, "") && gl_link(v, GL_OPEN, gl_screen_vertex, gl_open_fragment, "") &&
           gl_link(v, GL_SHADE, gl_screen_vertex, gl_shade_parts, gl_shade_fragment) && gl_link(v, GL_OVER, gl_over_vertex, gl_over_fragment, "");
}

/* SDL goes on without a display by a driver that shows nothing, which nobody wants who has not asked for it */
static int gl_is_seen(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    if (getenv("SDL_VIDEODRIVER") || (driver && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0))
        return 1;
    SDL_SetError("there is no display");
    return 0;
}

view_gl *view_gl_create(const char *title, int w, int h)
{
    view_gl *v = (view_gl *)cli_alloc(1, sizeof *v);
    int ok = SDL_Init(SDL_INIT_VIDEO) == 0 && gl_is_seen();
    if (ok) {
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
        v->window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, w, h, SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
        v->context = v->window ? SDL_GL_CreateContext(v->window) : NULL;
        ok = v->context != NULL;
    }
    if (!ok)
        cli_fail("view: no window with OpenGL 3.3: %s; contact render and contact run --render draw without one", SDL_GetError());
    if (ok && gl_start(v))
        return v;
    view_gl_free(v);
    return NULL;
}

void view_gl_free(view_gl *v)
{
    if (v->context)
        SDL_GL_DeleteContext(v->context);
    if (v->window)
        SDL_DestroyWindow(v->window);
    SDL_Quit();
    free(v->lines);
    free(v);
}

void view_gl_size(const view_gl *v, int *w, int *h) { SDL_GetWindowSize(v->window, w, h); }

/* ---- drawing ---- */

static void gl_set1(GLuint p, const char *name, double x) { glUniform1f(glGetUniformLocation(p, name), (GLfloat)x); }
static void gl_set3(GLuint p, const char *name, const double *x)
{
    glUniform3f(glGetUniformLocation(p, name), (GLfloat)x[0], (GLfloat)x[1], (GLfloat)x[2]);
}

/* begins with a program; a raster_shadow without its map has the directions of the light */
static GLuint gl_use(const view_gl *v, gl_program at, const look *l, const raster_camera *c)
{
    static const char *const textures[4] = {"normals", "colours", "opens", "shadows"};
    GLuint p = v->program[at];
    raster_shadow s;
    int i;
    memset(&s, 0, sizeof s);
    raster_shadow_aim(&s, look_sun, l->center, 1.25 * l->radius + 1e-9);
    glUseProgram(p);
    gl_set3(p, "eye", c->eye), gl_set3(p, "right", c->right), gl_set3(p, "up", c->up), gl_set3(p, "forward", c->forward);
    gl_set3(p, "light", s.light), gl_set3(p, "shadow_right", s.right), gl_set3(p, "shadow_up", s.up), gl_set3(p, "center", l->center);
    gl_set1(p, "focal", c->focal), gl_set1(p, "radius", l->radius), gl_set1(p, "tile", l->tile), gl_set1(p, "ground", l->ground);
    gl_set1(p, "clip_near", c->nearest), gl_set1(p, "clip_far", 2e5 * c->nearest), gl_set1(p, "half_width", s.half);
    glUniform2i(glGetUniformLocation(p, "size"), v->w, v->h);
    glUniform2fv(glGetUniformLocation(p, "taps"), GL_TAPS, v->taps);
    for (i = 0; i < 4; i++)
        glUniform1i(glGetUniformLocation(p, textures[i]), i);
    return p;
}

static void gl_upload(const view_gl *v, int at, const void *data, size_t bytes)
{
    glBindVertexArray(v->array[at]);
    glBindBuffer(GL_ARRAY_BUFFER, v->buffer[at]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, data, GL_STREAM_DRAW);
}

/* the edges of the mesh, in darker colours */
static void gl_edges(view_gl *v, const look *l)
{
    int i, k, j;
    v->n_lines = 0;
    if (6 * l->n_triangles > v->room) {
        v->room = 6 * l->n_triangles;
        v->lines = (look_corner *)cli_grow(v->lines, (size_t)v->room, sizeof *v->lines);
    }
    for (i = 0; i < l->n_triangles; i++)
        for (k = 0; k < 3; k++)
            for (j = 0; j < 2 && l->edges[i] >> k & 1; j++) {
                look_corner *c = &v->lines[v->n_lines++];
                int n;
                *c = l->corners[3 * i + (k + j) % 3];
                for (n = 0; n < 3; n++)
                    c->colour[n] *= 0.65f;
            }
    gl_upload(v, 1, v->lines, (size_t)v->n_lines * sizeof *v->lines);
}

static void gl_geometry(view_gl *v, const look *l, const raster_camera *c, int edges)
{
    GLuint p;
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_BLEND);
    gl_upload(v, 0, l->corners, 3 * (size_t)l->n_triangles * sizeof *l->corners);
    /* the shadow map */
    glBindFramebuffer(GL_FRAMEBUFFER, v->cast);
    glViewport(0, 0, GL_SHADOW, GL_SHADOW);
    glClear(GL_DEPTH_BUFFER_BIT);
    gl_use(v, GL_CAST, l, c);
    glDrawArrays(GL_TRIANGLES, 0, 3 * l->n_solid);
    /* the samples */
    glBindFramebuffer(GL_FRAMEBUFFER, v->samples);
    glViewport(0, 0, 2 * v->w, 2 * v->h);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (l->has_ground) {
        gl_use(v, GL_GROUND, l, c);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    p = gl_use(v, GL_SURFACE, l, c);
    gl_set1(p, "nearer", 0), gl_set1(p, "lines", 0);
    glDrawArrays(GL_TRIANGLES, 0, 3 * l->n_triangles);
    if (edges) {
        gl_edges(v, l);
        gl_set1(p, "nearer", 2e-5), gl_set1(p, "lines", 1);
        glDrawArrays(GL_LINES, 0, v->n_lines);
    }
}

static void gl_bind(GLuint unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}

void view_gl_draw(view_gl *v, const look *l, const look_camera *camera, int edges, const overlay *o)
{
    raster_camera c;
    gl_resize(v);
    raster_look(&c, camera, 2 * v->w, 2 * v->h);
    gl_geometry(v, l, &c, edges);
    glDisable(GL_DEPTH_TEST);
    gl_bind(0, v->normals), gl_bind(1, v->colours), gl_bind(2, v->open), gl_bind(3, v->shadow);
    glBindFramebuffer(GL_FRAMEBUFFER, v->sky);
    glViewport(0, 0, v->w, v->h);
    gl_use(v, GL_OPEN, l, &c);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    gl_use(v, GL_SHADE, l, &c);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl_upload(v, 2, o->corners, (size_t)o->n * sizeof *o->corners);
    gl_use(v, GL_OVER, l, &c);
    glDrawArrays(GL_TRIANGLES, 0, o->n);
    glActiveTexture(GL_TEXTURE0);
}

void view_gl_show(view_gl *v) { SDL_GL_SwapWindow(v->window); }

void view_gl_read(const view_gl *v, unsigned char *picture)
{
    size_t row = 3 * (size_t)v->w;
    int y;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (y = 0; y < v->h; y++)
        glReadPixels(0, v->h - 1 - y, v->w, 1, GL_RGB, GL_UNSIGNED_BYTE, picture + row * (size_t)y);
}
#endif
