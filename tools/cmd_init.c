/* cmd_init.c -- contact init MESH: a scene with the mesh, on stdout or in a file, and what is to be known of the mesh, on stderr. Method: the elements
   tell the type of the body, the size of the mesh its thickness, lattice, floor and camera. Edges of the surface are counted: one that a
   single triangle has is a border, one that three have no border of a solid. */
#include "cli.h"
#include "scene.h"
#include "scene_out.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct init_mesh {
    const char *file;
    double scale; /* metres in a unit of the file */
    ct_mesh mesh;
    int merged;                                 /* vertices that were stored more than once */
    double low[3], high[3], size, edge, volume; /* longest side; mean edge; what the surface encloses */
    int border, branches, turned;               /* edges of one triangle, of more than two, of two in one direction */
    int inverted, unused;
    int crossings; /* -1: too many triangles to test */
} init_mesh;

typedef struct init_edge {
    int32_t a, b; /* a < b */
    int forward;
} init_edge;

enum { INIT_TESTED = 200000, INIT_FINEST = 10, INIT_COARSEST = 4 };

static int init_compare(const void *p, const void *q)
{
    const init_edge *a = (const init_edge *)p, *b = (const init_edge *)q;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b != b->b ? (a->b < b->b ? -1 : 1) : a->forward - b->forward;
}

static double init_length(const ct_mesh *m, int32_t a, int32_t b)
{
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++) {
        double d = (double)m->positions[3 * a + k] - (double)m->positions[3 * b + k];
        sum += d * d;
    }
    return sqrt(sum);
}

/* edges of the surface by the number of their triangles */
static void init_edges(init_mesh *t)
{
    const ct_mesh *m = &t->mesh;
    int n = 3 * m->n_triangles, i, k, same;
    init_edge *e = (init_edge *)cli_alloc((size_t)n, sizeof *e);
    double sum = 0;
    for (i = 0; i < n; i++) {
        int32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
        e[i].a = a < b ? a : b, e[i].b = a < b ? b : a, e[i].forward = a < b;
        sum += init_length(m, a, b);
    }
    if (n)
        qsort(e, (size_t)n, sizeof *e, init_compare);
    for (i = 0; i < n; i += same) {
        for (same = 1; i + same < n && e[i + same].a == e[i].a && e[i + same].b == e[i].b; same++)
            ;
        t->border += same == 1, t->branches += same > 2;
        t->turned += same == 2 && e[i].forward == e[i + 1].forward;
    }
    free(e);
    for (i = 0; i < m->n_segments; i++)
        sum += init_length(m, m->segments[2 * i], m->segments[2 * i + 1]);
    for (i = 0; i < m->n_tets && n == 0; i++)
        for (k = 1; k < 4; k++)
            sum += init_length(m, m->tets[4 * i], m->tets[4 * i + k]) / 3;
    n += m->n_segments + (n == 0 ? m->n_tets : 0);
    t->edge = n ? sum / n : 0;
}

/* six times the volume of the tet of four points; NULL: the origin */
static double init_volume(const ct_real *a, const ct_real *b, const ct_real *c, const ct_real *o)
{
    double u[3], v[3], w[3];
    int k;
    for (k = 0; k < 3; k++) {
        double p = o ? (double)o[k] : 0;
        u[k] = (double)a[k] - p, v[k] = (double)b[k] - p, w[k] = (double)c[k] - p;
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static void init_measure(init_mesh *t)
{
    const ct_mesh *m = &t->mesh;
    const ct_real *x = m->positions;
    char *used = (char *)cli_alloc((size_t)m->n_positions, 1);
    int i, k;
    for (i = 0; i < 3 * m->n_positions; i++) {
        k = i % 3;
        t->low[k] = i < 3 ? (double)x[i] : fmin(t->low[k], (double)x[i]);
        t->high[k] = i < 3 ? (double)x[i] : fmax(t->high[k], (double)x[i]);
    }
    for (k = 0; k < 3; k++)
        t->size = fmax(t->size, t->high[k] - t->low[k]);
    for (i = 0; i < m->n_triangles; i++)
        t->volume += init_volume(x + 3 * m->triangles[3 * i], x + 3 * m->triangles[3 * i + 1], x + 3 * m->triangles[3 * i + 2], NULL) / 6;
    for (i = 0; i < m->n_tets; i++) {
        const int32_t *c = m->tets + 4 * i;
        t->inverted += !(init_volume(x + 3 * c[1], x + 3 * c[2], x + 3 * c[3], x + 3 * c[0]) > 0);
    }
    for (i = 0; i < 4 * m->n_tets; i++)
        used[m->tets[i]] = 1;
    for (i = 0; i < 3 * m->n_triangles; i++)
        used[m->triangles[i]] = 1;
    for (i = 0; i < 2 * m->n_segments; i++)
        used[m->segments[i]] = 1;
    for (i = 0; i < m->n_positions; i++)
        t->unused += !used[i];
    free(used);
    init_edges(t);
}

/* reads, welds and measures; 0 after a message */
static int init_read(init_mesh *t)
{
    ct_error_info e;
    int32_t *pairs = NULL;
    char text[320];
    ct_code code;
    int i;
    memset(&e, 0, sizeof e);
    code = cli_mesh_read(t->file, &t->mesh, &e);
    if (code == CT_ERR_FILE && strstr(e.text, "cannot open"))
        return cli_no_file(t->file, "a mesh"), 0;
    if (code == CT_OK)
        code = ct_mesh_weld(&t->mesh, 0, &t->merged, &e);
    if (code != CT_OK)
        return cli_fail("%s: %s", t->file, cli_error_text(code, &e, text, sizeof text)), 0;
    for (i = 0; i < 3 * t->mesh.n_positions; i++)
        t->mesh.positions[i] *= (ct_real)t->scale;
    init_measure(t);
    if (!(t->size > 0))
        return cli_fail("%s: all %d vertices are at one point", t->file, t->mesh.n_positions), 0;
    t->crossings = -1;
    if (t->mesh.n_triangles <= INIT_TESTED && ct_mesh_intersections(&t->mesh, &pairs, &t->crossings, &e) != CT_OK)
        t->crossings = -1;
    ct_free(pairs);
    return 1;
}

/* the type that the elements ask for */
static scene_type init_type(const init_mesh *t)
{
    if (t->mesh.n_tets)
        return SCENE_SOFT;
    if (t->mesh.n_triangles)
        return t->border || t->branches || t->turned ? SCENE_CLOTH : SCENE_SOFT;
    return t->mesh.n_segments ? SCENE_ROD : SCENE_POINTS;
}

static void init_warn(const init_mesh *t, const char *format, int n, const char *cure)
{
    fprintf(stderr, "contact: warning: %s: ", t->file);
    fprintf(stderr, format, n);
    fprintf(stderr, "; %s\n", cure);
}

static void init_warnings(const init_mesh *t, scene_type type)
{
    int solid = type == SCENE_SOFT || type == SCENE_RIGID;
    if (t->merged)
        init_warn(t, "%d vertices repeat the place of another", t->merged, "the scene merges them (\"weld\")");
    if (t->unused && type != SCENE_POINTS)
        init_warn(t, "%d vertices belong to no element", t->unused, "a deformable body has them as loose nodes: remove them");
    if (t->inverted)
        init_warn(t, "%d tets are inverted or flat", t->inverted, "a soft body is refused with them: mesh the volume anew");
    if (t->size > 50 || t->size < 0.005)
        fprintf(
            stderr,
            "contact: warning: %s: it is %.3g m long; if the file is in other units, give them: --scale 0.001 for mm\n",
            t->file, t->size);
    if (t->mesh.n_tets) /* the surface is that of the tets */
        return;
    if (t->branches)
        init_warn(t, "%d edges have more than two triangles", t->branches, "a solid has two at each: take out inner walls");
    if (t->turned)
        init_warn(t, "at %d edges the triangles around are turned against each other", t->turned, "make their orientation the same");
    if (solid && !t->mesh.n_tets && t->border)
        init_warn(t, "%d edges are a border", t->border, "a solid's surface is closed: fill its holes, or give --type cloth");
    if (solid && !t->mesh.n_tets && !t->border && t->volume < 0)
        fprintf(stderr, "contact: warning: %s: the surface is inside out; turn its triangles around in the program that made it\n",
                t->file);
    if (t->crossings > 0)
        init_warn(t, "%d places where the surface passes through itself", t->crossings,
                  "contact check names them; they are reported and eased apart");
}

static void init_body(scene_out *o, const init_mesh *t, scene_type type)
{
    FILE *f = o->f;
    int fills = type == SCENE_SOFT && !t->mesh.n_tets;
    fprintf(f, "    { \"name\": \"body\", \"type\": \"%s\",\n      \"%s\": ", scene_type_names[type], fills ? "surface" : "mesh");
    scene_out_path(o, t->file, "");
    if (fills)
        fprintf(f, ", \"lattice\": %.3g", fmin(fmax(t->edge, t->size / INIT_FINEST), t->size / INIT_COARSEST) / t->scale);
    if (t->merged)
        fprintf(f, ", \"weld\": 0");
    fprintf(f, ",\n");
    if (type == SCENE_SOFT)
        fprintf(f, "      \"material\": { \"model\": \"stable_neohookean\", \"young\": 1e5, \"poisson\": 0.4, \"density\": 1000 },\n");
    else if (type == SCENE_CLOTH)
        fprintf(f, "      \"material\": { \"model\": \"membrane\", \"young\": 8e5, \"poisson\": 0.3, \"thickness\": 3e-4, \"bending\": 2e-6, "
               "\"areal_density\": 0.2 },\n");
    else if (type == SCENE_RIGID)
        fprintf(f, "      \"material\": { \"density\": 1000 },\n");
    else if (type == SCENE_ROD || type == SCENE_POINTS)
        fprintf(f, "      \"material\": { \"radius\": %.3g },\n", type == SCENE_ROD ? t->edge / 8 : t->size / 200);
    fprintf(f, "      \"transform\": [ { \"scale\": [%g, %g, %g] }, { \"translate\": [0, %.6g, 0] } ] }", t->scale, t->scale, t->scale,
            t->size / 4 - t->low[1]);
}

static void init_print(scene_out *o, const init_mesh *t, scene_type type)
{
    FILE *f = o->f;
    double middle[3], h = t->size / 500;
    int k;
    for (k = 0; k < 3; k++)
        middle[k] = k == 1 ? t->size / 4 + (t->high[1] - t->low[1]) / 2 : (t->low[k] + t->high[k]) / 2;
    if (t->edge > 0)
        h = fmin(h, t->edge / 10);
    fprintf(f, "{ \"name\": ");
    out_json_string(f, strrchr(t->file, '/') ? strrchr(t->file, '/') + 1 : t->file);
    fprintf(f, ", \"dt\": 0.01, \"duration\": 2, \"thickness\": %.3g, \"friction\": 0.4,\n  \"bodies\": [\n", h);
    init_body(o, t, type);
    if (type != SCENE_STATIC)
        fprintf(f, ",\n    { \"name\": \"floor\", \"type\": \"static\", \"shape\": { \"plane\": { \"normal\": [0, 1, 0], \"offset\": 0, "
               "\"size\": %.3g } } }",
               4 * t->size);
    fprintf(f, " ],\n  \"output\": { \"camera\": { \"eye\": [%.4g, %.4g, %.4g], \"target\": [%.4g, %.4g, %.4g], \"fov\": 40 } } }\n",
           middle[0] + 1.5 * t->size, middle[1] + t->size, middle[2] + 2 * t->size, middle[0], t->size / 3, middle[2]);
}

/* 1 if the elements of the mesh make a body of this type; else 0 after a message */
static int init_fits(const init_mesh *t, scene_type type)
{
    const ct_mesh *m = &t->mesh;
    const char *need = type == SCENE_ROD && !m->n_segments                                          ? "segments"
                       : type != SCENE_ROD && type != SCENE_POINTS && !m->n_triangles && !m->n_tets ? "triangles"
                                                                                                    : NULL;
    if (type == SCENE_CLOTH && !m->n_triangles)
        need = "triangles";
    if (need)
        cli_fail("%s: has no %s, which a body of type %s needs", t->file, need, scene_type_names[type]);
    else if (type == SCENE_SOFT && !m->n_tets && (t->border || t->branches || t->turned || t->volume <= 0)) {
        cli_fail("%s: its surface does not enclose a volume, which a soft body needs; --type cloth takes it as it is", t->file);
        return 0;
    }
    return need == NULL;
}

int cmd_init(int argc, char **argv)
{
    const char *word = NULL, *file = NULL, *scale = NULL;
    char *end;
    scene_out o;
    init_mesh t;
    scene_type type;
    int i, r, code = CLI_BAD_INPUT;
    memset(&t, 0, sizeof t);
    for (i = 1; i < argc; i++) {
        if ((r = cli_option(argc, argv, &i, "--type", &word)) == 0 && (r = cli_option(argc, argv, &i, "--scale", &scale)) == 0)
            r = cli_option(argc, argv, &i, "-o", &file);
        if (r < 0)
            return CLI_BAD_INPUT;
        if (r == 0 && argv[i][0] == '-')
            return cli_unknown_option("init", argv[i]);
        if (r == 0 && t.file)
            return cli_fail("init: expected one mesh, found '%s' and '%s'", t.file, argv[i]);
        if (r == 0)
            t.file = argv[i];
    }
    if (!t.file)
        return cli_fail("init: expected MESH, a file with a mesh");
    t.scale = scale ? strtod(scale, &end) : 1;
    if (scale && (end == scale || *end || !(t.scale > 0) || !(t.scale < 1e9)))
        return cli_fail("init: --scale: expected a number > 0 of metres in a unit of the file, such as 0.001 for mm, found '%s'", scale);
    for (i = 0; word && i < SCENE_TYPE_COUNT && strcmp(word, scene_type_names[i]); i++)
        ;
    if (word && i == SCENE_TYPE_COUNT)
        return cli_fail("init: --type: expected soft, cloth, rod, points, rigid, static or kinematic, found '%s'", word);
    if (init_read(&t)) {
        type = word ? (scene_type)i : init_type(&t);
        init_warnings(&t, type);
        if (init_fits(&t, type) && scene_out_open(&o, file)) {
            init_print(&o, &t, type);
            code = scene_out_close(&o, 1) ? CLI_DONE : CLI_FAILED;
            fprintf(stderr, "contact: %s: %d vertices, %d triangles, %d tets, %d segments, %.4g x %.4g x %.4g m: a body of type %s\n",
                    t.file, t.mesh.n_positions, t.mesh.n_triangles, t.mesh.n_tets, t.mesh.n_segments, t.high[0] - t.low[0],
                    t.high[1] - t.low[1], t.high[2] - t.low[2], scene_type_names[type]);
        }
    }
    ct_mesh_free(&t.mesh);
    return code;
}
