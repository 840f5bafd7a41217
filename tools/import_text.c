/* import_text.c -- reads a text scene of IPC: a keyword a line, with words and numbers behind it; shapes have lines of their own. Facts of the
   format are from IPC's quick start guide, its list of legacy keywords and its reader. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "cli.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the text ---- */

static void import_say(import_scene *s, const char *what, const char *format, va_list args)
{
    fprintf(stderr, "contact: %s%s:%d: ", what, s->file, s->line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

/* what the scene has and the result has not */
void import_left(import_scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    import_say(s, "warning: ", format, args);
    va_end(args);
}

static int import_fail(import_scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!s->failed)
        import_say(s, "", format, args);
    va_end(args);
    return s->failed = 1, 0;
}

static int import_line(import_scene *s)
{
    size_t n;
    if (s->failed || !fgets(s->buffer, sizeof s->buffer, s->f))
        return 0;
    s->line++, s->at = s->buffer;
    n = strlen(s->buffer);
    if (n + 1 == sizeof s->buffer && s->buffer[n - 1] != '\n')
        return import_fail(s, "the line is longer than %d characters; is this a text scene of IPC?", (int)sizeof s->buffer - 2);
    return 1;
}

/* the next word of the line, "": none is left */
static const char *import_word(import_scene *s, char word[IMPORT_TEXT])
{
    size_t n = 0;
    s->at += strspn(s->at, " \t\r\n");
    n = strcspn(s->at, " \t\r\n");
    if (n >= IMPORT_TEXT)
        n = IMPORT_TEXT - 1;
    memcpy(word, s->at, n);
    word[n] = 0, s->at += n;
    return word;
}

/* finite numbers of the line */
static int import_numbers(import_scene *s, const char *what, double *out, int n)
{
    char word[IMPORT_TEXT], *end;
    int i;
    for (i = 0; i < n; i++) {
        out[i] = strtod(import_word(s, word), &end);
        if (!*word)
            return import_fail(s, "%s: expected %d numbers, found %d", what, n, i);
        if (*end || !isfinite(out[i]))
            return import_fail(s, "%s: expected a number, found '%s'", what, word);
    }
    return 1;
}

/* one number that may be missing */
static int import_optional(import_scene *s, double *out)
{
    char *before = s->at, word[IMPORT_TEXT], *end;
    double v = strtod(import_word(s, word), &end);
    if (*word && !*end)
        return *out = v, 1;
    s->at = before;
    return 0;
}

static int import_count(import_scene *s, const char *what, int *out)
{
    double v;
    if (!import_numbers(s, what, &v, 1))
        return 0;
    if (v < 0 || v > IMPORT_MOST || v != floor(v))
        return import_fail(s, "%s: expected a whole number from 0 to %d, found %g", what, IMPORT_MOST, v);
    return *out = (int)v, 1;
}

/* a count and so many numbers on the lines below */
static int import_list(import_scene *s, const char *what, double *out, int most)
{
    char word[IMPORT_TEXT], *end;
    double v;
    int i, count;
    if (!import_count(s, what, &count))
        return 0;
    s->at += strlen(s->at);
    for (i = 0; i < count; i++) {
        while (!*import_word(s, word))
            if (!import_line(s))
                return import_fail(s, "%s: expected %d numbers below, found %d", what, count, i);
        v = strtod(word, &end);
        if (*end || !isfinite(v))
            return import_fail(s, "%s: expected a number, found '%s'", what, word);
        if (i < most)
            out[i] = v;
    }
    return 1;
}

/* ---- meshes ---- */

/* a path as IPC takes it: from the scene's folder, or from one of the folders above it */
static char *import_path(import_scene *s, const char *word)
{
    const char *slash = strrchr(s->file, '/');
    size_t n = slash ? (size_t)(slash - s->file) + 1 : 0;
    char *path = (char *)cli_alloc(n + 3 * IMPORT_ABOVE + strlen(word) + 1, 1);
    int up;
    if (*word == '/' && access(strcpy(path, word), R_OK) == 0)
        return path;
    for (up = 0; up < IMPORT_ABOVE && *word != '/'; up++, n += 3) {
        memcpy(path + (up ? n - 3 : 0), up ? "../" : s->file, up ? 3 : n);
        strcpy(path + n, word);
        if (access(path, R_OK) == 0)
            return path;
    }
    free(path);
    return NULL;
}

/* the number of a mesh that is read once; -1 after a message */
static int import_read(import_scene *s, const char *word)
{
    char *path = import_path(s, word), text[320];
    ct_error_info e;
    import_mesh *m;
    ct_code code;
    int i;
    if (!path) {
        import_fail(s, "%s: there is no such file in the scene's folder, nor from a folder above it", word);
        return -1;
    }
    for (i = 0; i < s->n_meshes; i++)
        if (!strcmp(s->mesh[i].file, path))
            return free(path), i;
    s->mesh = (import_mesh *)cli_grow(s->mesh, (size_t)s->n_meshes + 1, sizeof *s->mesh);
    m = &s->mesh[s->n_meshes++];
    memset(m, 0, sizeof *m);
    memset(&e, 0, sizeof e);
    m->file = path;
    code = cli_mesh_read(path, &m->mesh, &e);
    if (code != CT_OK) {
        import_fail(s, "%s: %s", path, cli_error_text(code, &e, text, sizeof text));
        return -1;
    }
    return s->n_meshes - 1;
}

/* 1: a mesh that contact.h has no reader of, named as left out */
static int import_foreign(import_scene *s, const char *word)
{
    const char *dot = strrchr(word, '.');
    if (!dot || (strcmp(dot, ".seg") && strcmp(dot, ".pt")))
        return 0;
    import_left(s, "%s: left out: segments and points are not read; write it as .obj with lines (l) or points (p)", word);
    return 1;
}

static import_shape *import_add(import_scene *s, int mesh)
{
    import_shape *p;
    s->shape = (import_shape *)cli_grow(s->shape, (size_t)s->n_shapes + 1, sizeof *s->shape);
    p = &s->shape[s->n_shapes++];
    memset(p, 0, sizeof *p);
    p->mesh = mesh, p->line = s->line;
    return p;
}

/* R = Rx Ry Rz, which turns about z first */
void import_place(const import_scene *s, const import_shape *p, const ct_real *x, double out[3])
{
    double c[3], n[3], v[3], a;
    int k, i, j;
    for (k = 0; k < 3; k++) {
        c[k] = cos(p->rotate[k] * 3.14159265358979323846 / 180), n[k] = sin(p->rotate[k] * 3.14159265358979323846 / 180);
        v[k] = (double)x[k] * p->scale[k];
    }
    for (k = 2; k >= 0; k--) {
        i = (k + 1) % 3, j = (k + 2) % 3;
        a = c[k] * v[i] - n[k] * v[j];
        v[j] = n[k] * v[i] + c[k] * v[j], v[i] = a;
    }
    for (k = 0; k < 3; k++)
        out[k] = p->obstacle ? v[k] + p->translate[k] : s->zoom * (v[k] + p->translate[k]) + s->shift[k];
}

/* the box around the vertices of a mesh as its file has them */
void import_range(const ct_mesh *m, double low[3], double high[3])
{
    int i, k;
    for (k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (i = 0; i < 3 * m->n_positions; i++) {
        k = i % 3;
        low[k] = fmin(low[k], (double)m->positions[i]), high[k] = fmax(high[k], (double)m->positions[i]);
    }
}

/* the box around the vertices of a shape, or of those that are chosen */
void import_box(const import_scene *s, const import_shape *p, const int *chosen, int n, double low[3], double high[3])
{
    const ct_mesh *m = &s->mesh[p->mesh].mesh;
    double x[3];
    int i, k;
    for (i = 0; i < (chosen ? n : m->n_positions); i++) {
        import_place(s, p, m->positions + 3 * (chosen ? chosen[i] : i), x);
        for (k = 0; k < 3; k++)
            low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
}

double import_around(const import_scene *s, double low[3], double high[3])
{
    double sum = 0;
    int i, k;
    for (k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (i = 0; i < s->n_shapes; i++)
        if (!s->shape[i].obstacle)
            import_box(s, &s->shape[i], NULL, 0, low, high);
    for (k = 0; k < 3; k++)
        sum += (high[k] - low[k]) * (high[k] - low[k]);
    return low[0] <= high[0] ? sqrt(sum) : 0;
}

/* ---- lines of shapes ---- */

static int import_dbc(import_scene *s, int shape)
{
    import_fix *x;
    s->fix = (import_fix *)cli_grow(s->fix, (size_t)s->n_fixes + 1, sizeof *s->fix);
    x = &s->fix[s->n_fixes];
    memset(x, 0, sizeof *x);
    x->shape = shape, x->line = s->line, x->until = -1;
    if (!import_numbers(s, "DBC", x->box, 6) || !import_numbers(s, "DBC", x->linear, 3) || !import_numbers(s, "DBC", x->angular, 3))
        return 0;
    if (import_optional(s, &x->from))
        import_optional(s, &x->until);
    if (x->from > 0)
        import_left(s, "DBC: left out: it begins at %g s, and vertices are fixed from the beginning on or not at all", x->from);
    s->n_fixes += x->from <= 0;
    return 1;
}

/* one keyword of a shape; 0 after an error */
static int import_extra(import_scene *s, import_shape *p, int shape, const char *word)
{
    double v[9];
    char path[IMPORT_TEXT];
    if (!strcmp(word, "material")) {
        if (!import_numbers(s, word, v, 3))
            return 0;
        p->density = v[0], p->young = v[1], p->poisson = v[2];
        return 1;
    }
    if (!strcmp(word, "linearVelocity"))
        return p->scripted = 1, import_numbers(s, word, p->linear, 3);
    if (!strcmp(word, "angularVelocity"))
        return p->scripted = 1, import_numbers(s, word, p->angular, 3);
    if (!strcmp(word, "initVel"))
        return p->started = 1, import_numbers(s, word, p->start, 6);
    if (!strcmp(word, "DBC"))
        return import_dbc(s, shape);
    if (!strcmp(word, "NBC")) {
        import_left(s, "NBC: left out: a scene has forces on whole bodies only (\"force\")");
        if (!import_numbers(s, word, v, 9))
            return 0;
        if (import_optional(s, v))
            import_optional(s, v);
        return 1;
    }
    if (!strcmp(word, "meshSeq")) {
        free(p->sequence);
        p->sequence = import_path(s, import_word(s, path));
        return p->sequence ? 1 : import_fail(s, "meshSeq: %s: there is no such folder", path);
    }
    import_left(s, "unknown keyword '%s' of a shape", word);
    return 1;
}

static int import_extras(import_scene *s, import_shape *p, int shape)
{
    char word[IMPORT_TEXT];
    int comment = 0;
    while (*import_word(s, word)) {
        if (!strcmp(word, "\\")) {
            comment = 0;
            if (!import_line(s))
                return s->failed ? 0 : import_fail(s, "a shape ends with \\, and no line follows");
        } else if (*word == '#' || comment)
            comment = 1;
        else if (!import_extra(s, p, shape, word))
            return 0;
    }
    return 1;
}

/* "shape input FILE", with its vertices as they are */
static int import_single(import_scene *s)
{
    char word[IMPORT_TEXT];
    int mesh;
    import_shape *p;
    import_word(s, word);
    if (import_foreign(s, import_word(s, word)))
        return 1;
    if ((mesh = import_read(s, word)) < 0)
        return 0;
    p = import_add(s, mesh);
    p->scale[0] = p->scale[1] = p->scale[2] = 1;
    return 1;
}

/* "shapes input N" and N lines: FILE, translation, rotation, scale, keywords */
static int import_shapes(import_scene *s)
{
    char word[IMPORT_TEXT];
    double v[9];
    int i, mesh, count;
    import_shape *p;
    import_word(s, word);
    if (!import_count(s, "shapes", &count))
        return 0;
    for (i = 0; i < count; i++) {
        do {
            if (!import_line(s))
                return s->failed ? 0 : import_fail(s, "shapes: expected %d lines of shapes, found %d", count, i);
        } while (!*import_word(s, word) || *word == '#');
        if (import_foreign(s, word))
            continue;
        if ((mesh = import_read(s, word)) < 0 || !import_numbers(s, word, v, 9))
            return 0;
        p = import_add(s, mesh);
        memcpy(p->translate, v, sizeof p->translate), memcpy(p->rotate, v + 3, sizeof p->rotate), memcpy(p->scale, v + 6, sizeof p->scale);
        if (!import_extras(s, p, s->n_shapes - 1))
            return 0;
    }
    return 1;
}

/* "shapeMatrix input NX NY NZ [X Y Z]" and a line: FILE, distances, rotation, scale, material */
static int import_matrix(import_scene *s)
{
    char word[IMPORT_TEXT];
    double at[3] = {0, 0, 0}, v[9];
    int i, k, n[3], mesh, first = s->n_shapes;
    import_shape *p;
    import_word(s, word);
    for (k = 0; k < 3; k++)
        if (!import_count(s, "shapeMatrix", &n[k]))
            return 0;
    for (k = 0; k < 3 && import_optional(s, &at[k]); k++)
        ;
    if ((double)n[0] * n[1] * n[2] > IMPORT_MOST)
        return import_fail(s, "shapeMatrix: expected three counts with a product of at most %d", IMPORT_MOST);
    if (!import_line(s))
        return import_fail(s, "shapeMatrix: expected a line with its shape");
    if (import_foreign(s, import_word(s, word)))
        return 1;
    if ((mesh = import_read(s, word)) < 0 || !import_numbers(s, word, v, 9))
        return 0;
    for (i = 0; i < n[0] * n[1] * n[2]; i++) {
        int index[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        p = import_add(s, mesh);
        for (k = 0; k < 3; k++)
            p->translate[k] = at[k] + index[k] * v[k];
        memcpy(p->rotate, v + 3, sizeof p->rotate), memcpy(p->scale, v + 6, sizeof p->scale);
    }
    if (*import_word(s, word) && !strcmp(word, "material") && import_numbers(s, word, v, 3))
        for (i = first; i < s->n_shapes; i++)
            s->shape[i].density = v[0], s->shape[i].young = v[1], s->shape[i].poisson = v[2];
    return !s->failed;
}

/* ---- colliders ---- */

static int import_plane_of(import_scene *s, const char *word)
{
    double v[8], length;
    import_plane *p;
    int k, ground = !strcmp(word, "ground");
    if (!import_numbers(s, word, v, ground ? 2 : 8))
        return 0;
    s->plane = (import_plane *)cli_grow(s->plane, (size_t)s->n_planes + 1, sizeof *s->plane);
    p = &s->plane[s->n_planes++];
    memset(p, 0, sizeof *p);
    p->friction = ground ? v[0] : v[7];
    p->normal[1] = 1, p->offset = v[1];
    if (ground)
        return 1;
    length = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    if (!(length > 0))
        return import_fail(s, "halfSpace: its normal is 0");
    for (k = 0, p->offset = 0; k < 3; k++)
        p->normal[k] = v[3 + k] / length, p->offset += p->normal[k] * v[k];
    return 1;
}

/* "meshCO FILE X Y Z SCALE STIFFNESS FRICTION [rotate X Y Z]": the mean of the vertices goes to X Y Z, the longest side becomes SCALE */
static int import_obstacle(import_scene *s)
{
    char word[IMPORT_TEXT];
    double v[6], mean[3] = {0, 0, 0}, low[3], high[3], side = 0;
    const ct_mesh *m;
    int i, k, mesh = import_read(s, import_word(s, word));
    import_shape *p;
    ct_real at[3];
    if (mesh < 0 || !import_numbers(s, "meshCO", v, 6))
        return 0;
    p = import_add(s, mesh);
    p->obstacle = 1, p->friction = v[5];
    if (*import_word(s, word) && !strcmp(word, "rotate")) {
        if (!import_numbers(s, "meshCO: rotate", p->rotate, 3))
            return 0;
    } else if (*word && *word != '#')
        import_left(s, "unknown keyword '%s' of a meshCO", word);
    m = &s->mesh[mesh].mesh;
    import_range(m, low, high);
    for (i = 0; i < 3 * m->n_positions; i++)
        mean[i % 3] += (double)m->positions[i] / m->n_positions;
    for (k = 0; k < 3; k++)
        side = fmax(side, high[k] - low[k]);
    if (!(side > 0))
        return import_fail(s, "meshCO: %s: all vertices are at one point", s->mesh[mesh].file);
    for (k = 0; k < 3; k++)
        p->scale[k] = v[3] / side, at[k] = (ct_real)mean[k];
    import_place(s, p, at, mean);
    for (k = 0; k < 3; k++)
        p->translate[k] = v[k] - mean[k];
    return 1;
}

/* ---- keywords ---- */

static int import_in(const char *word, const char *list)
{
    size_t n = strlen(word);
    const char *at = list;
    if (n == 0)
        return 0;
    while ((at = strstr(at, word)) != NULL && !((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])))
        at += n;
    return at != NULL;
}

/* keywords of drawing and of IPC's own solver say nothing of the scene */
static void import_ignore(import_scene *s, const char *word)
{
    size_t n = s->ignored ? strlen(s->ignored) : 0;
    s->ignored = (char *)cli_grow(s->ignored, n + strlen(word) + 32, 1);
    sprintf(s->ignored + n, "%s%s (%d)", n ? ", " : "", word, s->line);
}

/* lines up to the next "section" where a section is of another solver */
static int import_section(import_scene *s)
{
    static const char *const names[] = {"interiorPoint IP", "SQP", "QP"};
    char word[IMPORT_TEXT];
    while (*import_word(s, word))
        if (!strcmp(word, "end") || import_in(word, names[s->solver]))
            return 1;
    while (import_line(s))
        if (!strcmp(import_word(s, word), "section"))
            return 1;
    return !s->failed;
}

static int import_choice(import_scene *s, const char *keyword)
{
    char word[IMPORT_TEXT];
    double v[2];
    import_word(s, word);
    if (!strcmp(keyword, "energy") && import_in(word, "NH FCR"))
        s->model = strcmp(word, "NH") ? "corotational" : "neohookean";
    else if (!strcmp(keyword, "timeIntegration") && !strcmp(word, "BE"))
        s->integrator = NULL;
    else if (!strcmp(keyword, "timeIntegration") && !strcmp(word, "NM")) {
        s->integrator = "newmark", v[0] = 0.25, v[1] = 0.5;
        if (import_optional(s, &v[0]))
            import_optional(s, &v[1]);
        if (fabs(v[0] - 0.25) > 1e-12 || fabs(v[1] - 0.5) > 1e-12)
            import_left(s, "timeIntegration: beta %g and gamma %g: newmark has 0.25 and 0.5", v[0], v[1]);
    } else if (!strcmp(keyword, "constraintSolver") && import_in(word, "interiorPoint IP SQP QP"))
        s->solver = !strcmp(word, "SQP") ? 1 : !strcmp(word, "QP") ? 2 : 0;
    else if (!strcmp(keyword, "script")) {
        s->falls = !strcmp(word, "fall");
        if (!import_in(word, "null fall fallNoShift DCOFix"))
            import_left(s, "script %s: left out: its motions are in IPC's source alone; say them as \"fix\" and \"motion\" of bodies", word);
    } else
        return import_fail(s, "%s: unknown word '%s'", keyword, word);
    return 1;
}

/* keywords with numbers */
static int import_value(import_scene *s, const char *word)
{
    double v[6] = {0, 0, 0, 0, 0, 0};
    if (!strcmp(word, "size"))
        return import_numbers(s, word, &s->size, 1);
    if (!strcmp(word, "density"))
        return import_numbers(s, word, &s->density, 1);
    if (!strcmp(word, "selfFric"))
        return import_numbers(s, word, &s->friction, 1);
    if (!strcmp(word, "dHat"))
        return import_numbers(s, word, &s->dhat, 1);
    if (!strcmp(word, "epsv"))
        return import_numbers(s, word, &s->epsv, 1);
    if (!strcmp(word, "tol"))
        return import_list(s, word, &s->tolerance, 1);
    if (!strcmp(word, "time")) {
        if (!import_numbers(s, word, v, 2))
            return 0;
        s->duration = v[0], s->dt = v[1];
    } else if (!strcmp(word, "stiffness")) {
        if (!import_numbers(s, word, v, 2))
            return 0;
        s->young = v[0], s->poisson = v[1];
    } else if (!strcmp(word, "fricIterAmt")) {
        if (!import_numbers(s, word, v, 1))
            return 0;
        s->lags = v[0] > 0 ? (int)v[0] : 0;
    } else if (!strcmp(word, "tuning")) { /* stiffness, dHat at first and at last, its share, epsv at first and at last */
        v[2] = s->dhat, v[5] = s->epsv;
        if (!import_list(s, word, v, 6))
            return 0;
        s->dhat = v[2], s->epsv = v[5];
    } else if (!strcmp(word, "DBCTimeRange")) {
        if (!import_numbers(s, word, v, 2))
            return 0;
        s->fix_until = v[1];
        if (v[0] > 0)
            import_left(s, "DBCTimeRange: it begins at %g s, and vertices are fixed from the beginning on", v[0]);
    }
    return 1;
}

static int import_keyword(import_scene *s, const char *word)
{
    if (import_in(word, "energy timeIntegration constraintSolver script"))
        return import_choice(s, word);
    if (import_in(word, "size density selfFric dHat epsv tol time stiffness fricIterAmt tuning DBCTimeRange"))
        return import_value(s, word);
    if (!strcmp(word, "shape"))
        return import_single(s);
    if (!strcmp(word, "shapes"))
        return import_shapes(s);
    if (!strcmp(word, "shapeMatrix"))
        return import_matrix(s);
    if (!strcmp(word, "meshCO"))
        return import_obstacle(s);
    if (import_in(word, "ground halfSpace"))
        return import_plane_of(s, word);
    if (!strcmp(word, "section"))
        return import_section(s);
    if (import_in(word, "selfCollisionOn selfCollisionOff"))
        s->collides = !strcmp(word, "selfCollisionOn");
    else if (!strcmp(word, "turnOffGravity"))
        s->gravity = 0;
    else if (!strcmp(word, "useAbsParameters"))
        s->absolute = 1;
    else if (import_in(word, "view zoom cameraTracking playBackSpeed appendStr disableCout warmStart linearSolver linSysSolver constraintType "
                             "QPSolver kappaMinMultiplier minBarrierStiffnessScale CCDMethod ccdMethod CCDTolerance ccdTolerance "
                             "noActiveSetConvergence useActiveSetConvergence handleRatio"))
        import_ignore(s, word);
    else if (import_in(word, "dampingStiff dampingRatio NBCTimeRange rotateModel restart constraintOffset"))
        import_left(s, "%s: left out: it has no counterpart here", word);
    else
        import_left(s, "unknown keyword '%s'", word);
    return 1;
}

int import_text(import_scene *s)
{
    char word[IMPORT_TEXT];
    double low[3], high[3];
    while (import_line(s)) {
        import_word(s, word);
        if (*word && *word != '#' && !import_keyword(s, word))
            return 0;
    }
    if (s->failed)
        return 0;
    if (import_around(s, low, high) <= 0)
        return import_fail(s, "the scene has no shape with an extent; is this a text scene of IPC?");
    return 1;
}
