/* cmd_import.c -- contact import FILE.txt: a scene like one of the text scenes of IPC (Li et al. 2020), on stdout or in a file. Method: the lines
   are read with their meshes (import_text.c); the box around all shapes gives IPC's distances, which are shares of its diagonal; then the scene is
   written. */
#include "cli.h"
#include "import.h"
#include "scene_out.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "size": the longest side of the box around all shapes, whose lowest corner goes to the origin; "script fall": half a diagonal higher */
static void import_scale(import_scene *s)
{
    double low[3], high[3], side = 0;
    int k;
    s->diagonal = import_around(s, low, high);
    for (k = 0; k < 3; k++)
        side = fmax(side, high[k] - low[k]);
    if (s->size > 0 && side > 0) {
        s->zoom = s->size / side, s->diagonal *= s->zoom;
        for (k = 0; k < 3; k++)
            s->shift[k] = -low[k] * s->zoom;
    }
    if (s->falls)
        s->shift[1] += s->diagonal / 2;
}

/* ---- the scene ---- */

static void import_vector(FILE *f, const char *key, const double v[3])
{
    fprintf(f, "\"%s\": [%.12g, %.12g, %.12g]", key, v[0], v[1], v[2]);
}

static void import_motion(FILE *f, const double linear[3], const double angular[3], const double low[3], const double high[3])
{
    double center[3];
    int k;
    for (k = 0; k < 3; k++)
        center[k] = (low[k] + high[k]) / 2;
    fprintf(f, "\"motion\": { ");
    import_vector(f, "linear", linear);
    fprintf(f, ", ");
    import_vector(f, "angular", angular);
    fprintf(f, ", ");
    import_vector(f, "center", center);
    fprintf(f, " }");
}

static void import_transform(FILE *f, const import_scene *s, const import_shape *p)
{
    double scale[3], translate[3];
    int k;
    for (k = 0; k < 3; k++) {
        scale[k] = p->obstacle ? p->scale[k] : s->zoom * p->scale[k];
        translate[k] = p->obstacle ? p->translate[k] : s->zoom * p->translate[k] + s->shift[k];
    }
    fprintf(f, ",\n      \"transform\": [ { ");
    import_vector(f, "scale", scale);
    for (k = 2; k >= 0; k--)
        if (p->rotate[k] != 0) {
            double one[3] = {0, 0, 0};
            one[k] = p->rotate[k];
            fprintf(f, " }, { ");
            import_vector(f, "rotate", one);
        }
    fprintf(f, " }, { ");
    import_vector(f, "translate", translate);
    fprintf(f, " } ]");
}

static int import_compare(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

/* marks the vertices of the boundary: of triangles that one tet alone has; without tets all vertices */
static char *import_boundary(const ct_mesh *m)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    char *on = (char *)cli_alloc((size_t)m->n_positions, 1);
    int32_t *t = (int32_t *)cli_alloc((size_t)m->n_tets * 12, sizeof *t);
    int i, k, same;
    if (m->n_tets == 0)
        memset(on, 1, (size_t)m->n_positions);
    for (i = 0; i < 4 * m->n_tets; i++) {
        int32_t *c = t + 3 * i, a, b, d;
        for (k = 0; k < 3; k++)
            c[k] = m->tets[i / 4 * 4 + face[i % 4][k]];
        a = c[0] < c[1] ? c[0] : c[1], b = c[0] < c[1] ? c[1] : c[0], d = c[2];
        c[0] = a < d ? a : d, c[2] = b > d ? b : d, c[1] = a < d ? (b < d ? b : d) : a;
    }
    if (m->n_tets)
        qsort(t, 4 * (size_t)m->n_tets, 3 * sizeof *t, import_compare);
    for (i = 0; i < 4 * m->n_tets; i += same) {
        for (same = 1; i + same < 4 * m->n_tets && !import_compare(t + 3 * i, t + 3 * (i + same)); same++)
            ;
        for (k = 0; k < 3 && same == 1; k++)
            on[t[3 * i + k]] = 1;
    }
    free(t);
    return on;
}

/* vertices of the boundary in a box, in shares of the box around the mesh as its file has it; returns how many */
static int import_choose(const ct_mesh *m, const double box[6], int *chosen)
{
    char *on = import_boundary(m);
    double low[3], high[3];
    int i, k, n = 0;
    import_range(m, low, high);
    for (i = 0; i < m->n_positions; i++) {
        int inside = on[i];
        for (k = 0; k < 3; k++) {
            double x = (double)m->positions[3 * i + k], side = high[k] - low[k];
            inside &= x >= low[k] + side * box[k] && x <= low[k] + side * box[3 + k];
        }
        if (inside)
            chosen[n++] = i;
    }
    free(on);
    return n;
}

static void import_fixes(FILE *f, import_scene *s, int shape)
{
    const import_shape *p = &s->shape[shape];
    const ct_mesh *m = &s->mesh[p->mesh].mesh;
    int *chosen = (int *)cli_alloc((size_t)m->n_positions, sizeof *chosen), i, j, n, count = 0;
    for (i = 0; i < s->n_fixes; i++) {
        const import_fix *x = &s->fix[i];
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        double until = x->until < 0 ? s->fix_until : s->fix_until < 0 ? x->until : fmin(x->until, s->fix_until);
        if (x->shape != shape)
            continue;
        if ((n = import_choose(m, x->box, chosen)) == 0) {
            s->line = x->line;
            import_left(s, "DBC: left out: no vertex of the surface is in its box");
            continue;
        }
        import_box(s, p, chosen, n, low, high);
        fprintf(f, "%s { \"vertices\": [", count++ ? "," : ",\n      \"fix\": [");
        for (j = 0; j < n; j++)
            fprintf(f, "%s%d", j ? ", " : "", chosen[j]);
        fprintf(f, "], ");
        import_motion(f, x->linear, x->angular, low, high);
        fprintf(f, until >= 0 ? ", \"until\": %.12g }" : " }", until);
    }
    if (count)
        fprintf(f, " ]");
    free(chosen);
}

/* the friction of a collider against bodies of the scene's: a pair has the geometric mean, or where that cannot be, the larger one */
static double import_friction(const import_scene *s, double mu)
{
    return s->friction > 0 ? mu * mu / s->friction : mu;
}

static void import_body(scene_out *o, import_scene *s, int i)
{
    static const double none[3] = {0, 0, 0};
    const import_shape *p = &s->shape[i];
    const import_mesh *m = &s->mesh[p->mesh];
    const char *name = strrchr(m->file, '/'), *dot;
    int moves = p->scripted || p->sequence, soft = m->mesh.n_tets && !moves && !p->obstacle;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    FILE *f = o->f;
    name = name ? name + 1 : m->file;
    dot = strrchr(name, '.');
    fprintf(f, "    { \"name\": \"%.*s_%d\", \"type\": \"%s\", \"mesh\": ", dot ? (int)(dot - name) : (int)strlen(name), name, i,
            soft ? "soft" : moves ? "kinematic" : "static");
    scene_out_path(o, m->file, "");
    if (soft) {
        const double *own = p->density > 0 ? &p->density : NULL;
        fprintf(f, ",\n      \"material\": { \"model\": \"%s\", \"young\": %.12g, \"poisson\": %.12g, \"density\": %.12g }", s->model,
                own ? p->young : s->young, own ? p->poisson : s->poisson, own ? p->density : s->density);
    }
    import_transform(f, s, p);
    if (p->obstacle)
        fprintf(f, ", \"friction\": %.12g", import_friction(s, p->friction));
    if (soft && p->started) {
        fprintf(f, ",\n      ");
        import_vector(f, "velocity", p->start);
        fprintf(f, ", ");
        import_vector(f, "angular_velocity", p->start + 3);
    }
    if (p->sequence) {
        fprintf(f, ",\n      \"keyframes\": ");
        scene_out_path(o, p->sequence, m->mesh.n_tets ? "/*.msh" : "/*.obj");
        fprintf(f, ", \"keyframe_interval\": %.12g", s->dt);
    } else if (moves) {
        import_box(s, p, NULL, 0, low, high);
        fprintf(f, ",\n      ");
        import_motion(f, p->scripted ? p->linear : none, p->angular, low, high);
    }
    if (soft)
        import_fixes(f, s, i);
    fprintf(f, " }");
}

static void import_print(scene_out *o, import_scene *s)
{
    static const double down[3] = {0, -9.80665, 0}, none[3] = {0, 0, 0};
    const char *name = strrchr(s->file, '/');
    double unit = s->absolute ? 1 : s->diagonal;
    FILE *f = o->f;
    int i;
    fprintf(f, "{ \"name\": ");
    out_json_string(f, name ? name + 1 : s->file);
    fprintf(f, ", \"dt\": %.12g, \"duration\": %.12g, ", s->dt, s->duration);
    import_vector(f, "gravity", s->gravity ? down : none);
    fprintf(f, ",\n  \"stepper\": \"barrier\", \"barrier\": { \"dhat\": %.6g, \"friction_velocity\": %.6g", s->dhat * unit, s->epsv * unit);
    if (s->tolerance > 0)
        fprintf(f, ", \"newton_tolerance\": %.6g", s->tolerance * unit);
    if (s->lags >= 0)
        fprintf(f, ", \"friction_iterations\": %d", s->lags);
    fprintf(f, " }, \"thickness\": %.6g,\n  \"friction\": %.12g, \"self_collision\": %s", s->dhat * unit / 4, s->friction,
            s->collides ? "true" : "false");
    if (s->friction <= 0)
        fprintf(f, ", \"friction_combine\": \"max\"");
    if (s->integrator)
        fprintf(f, ", \"integrator\": \"%s\"", s->integrator);
    fprintf(f, ",\n  \"bodies\": [\n");
    for (i = 0; i < s->n_shapes; i++) {
        fprintf(f, i ? ",\n" : "");
        import_body(o, s, i);
    }
    for (i = 0; i < s->n_planes; i++) {
        const import_plane *p = &s->plane[i];
        fprintf(f, ",\n    { \"name\": \"plane_%d\", \"type\": \"static\", \"friction\": %.12g, \"shape\": { \"plane\": { ", i,
                import_friction(s, p->friction));
        import_vector(f, "normal", p->normal);
        fprintf(f, ", \"offset\": %.12g, \"size\": %.4g } } }", p->offset, 20 * s->diagonal);
    }
    fprintf(f, " ] }\n");
}

static void import_free(import_scene *s)
{
    int i;
    for (i = 0; i < s->n_meshes; i++)
        ct_mesh_free(&s->mesh[i].mesh), free(s->mesh[i].file);
    for (i = 0; i < s->n_shapes; i++)
        free(s->shape[i].sequence);
    free(s->mesh), free(s->shape), free(s->fix), free(s->plane), free(s->ignored);
    if (s->f)
        fclose(s->f);
}

int cmd_import(int argc, char **argv)
{
    const char *file = NULL;
    import_scene s;
    scene_out o;
    int i, r, code = CLI_BAD_INPUT;
    memset(&s, 0, sizeof s);
    s.model = "neohookean", s.size = -1, s.duration = 5, s.dt = 0.025, s.density = 1000, s.young = 1e5, s.poisson = 0.4;
    s.dhat = s.epsv = 1e-3, s.fix_until = -1, s.zoom = 1, s.gravity = s.collides = 1, s.lags = -1;
    for (i = 1; i < argc; i++) {
        if ((r = cli_option(argc, argv, &i, "-o", &file)) < 0)
            return CLI_BAD_INPUT;
        if (r == 0 && argv[i][0] == '-')
            return cli_unknown_option("import", argv[i]);
        if (r == 0 && s.file)
            return cli_fail("import: expected one scene, found '%s' and '%s'", s.file, argv[i]);
        if (r == 0)
            s.file = argv[i];
    }
    if (!s.file)
        return cli_fail("import: expected FILE.txt, a text scene of IPC");
    if (!(s.f = fopen(s.file, "r")))
        return cli_no_file(s.file, "a text scene of IPC");
    if (import_text(&s)) {
        import_scale(&s);
        if (scene_out_open(&o, file)) {
            import_print(&o, &s);
            code = scene_out_close(&o, 1) ? CLI_DONE : CLI_FAILED;
            fprintf(stderr, "contact: %s: %d bodies, %d planes, box of %.4g m%s%s\n", s.file, s.n_shapes, s.n_planes, s.diagonal,
                    s.ignored ? "; without meaning here, with their lines: " : "", s.ignored ? s.ignored : "");
        }
    }
    import_free(&s);
    return code;
}
