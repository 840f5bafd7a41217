/* files.c -- loading, scanning and dispatch by extension for the mesh readers. Method: files.h.
   based on: Clinger, How to read floating point numbers accurately, 1990 (the exact case). */
#include "files.h"
#include "../5_mesh/polygon.h"
#include "../5_mesh/weld.h"

#if CONTACT_WITH_FILES
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { CTI_FILES_CHUNK = 1 << 16, CTI_FILES_DIGITS = 1200 };

/* Sets the error to "<unit> <place>: <text>", or with a negative place to the text alone. */
static ct_code cti_file_say(ct_error_info *error, ct_code code, const char *unit, int64_t place, double value, const char *format,
                            const char *arg)
{
    if (error) {
        char text[200];
        memset(error, 0, sizeof *error);
        error->code = code, error->element = place >= 0 ? place : -1, error->value = value;
        snprintf(text, sizeof text, format, arg ? arg : "");
        if (place >= 0)
            snprintf(error->buffer, sizeof error->buffer, "%s %lld: %s", unit, (long long)place, text);
        else
            snprintf(error->buffer, sizeof error->buffer, "%s", text);
        error->text = error->buffer;
    }
    return code;
}

CTI_FN ct_code cti_file_error(ct_error_info *error, ct_code code, int64_t line, double value, const char *format, const char *arg)
{
    return cti_file_say(error, code, "line", line > 0 ? line : -1, value, format, arg);
}

CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error)
{
    char *bytes = NULL;
    size_t n = 0, got = 1;
    int bad;
    FILE *f = fopen(path, "rb");
    if (!f)
        return cti_file_error(error, CT_ERR_FILE, 0, 0, "cannot open the file", NULL);
    while (got > 0) {
        if (!CTI_RESERVE(mem, bytes, (int64_t)n + CTI_FILES_CHUNK)) {
            fclose(f);
            CTI_FREE(mem, bytes);
            return cti_file_error(error, CT_ERR_MEMORY, 0, 0, "out of memory for the file", NULL);
        }
        got = fread(bytes + n, 1, stbds_header(bytes)->capacity - n, f);
        n += got;
        stbds_header(bytes)->length = n;
    }
    bad = ferror(f);
    fclose(f);
    if (bad) {
        CTI_FREE(mem, bytes);
        return cti_file_error(error, CT_ERR_FILE, 0, 0, "cannot read the file", NULL);
    }
    *out_bytes = bytes;
    return CT_OK;
}

static int cti_file_replace(const char *temporary, const char *path)
{
    FILE *old;
    if (rename(temporary, path) == 0)
        return 1;
    /* a path that cannot be opened for writing (a folder, a write-protected file) is left alone */
    old = fopen(path, "r+b");
    if (!old)
        return 0;
    fclose(old);
    return remove(path) == 0 && rename(temporary, path) == 0;
}

CTI_FN ct_code cti_file_write(cti_mem *mem, const char *path, cti_file_writer *write, void *user, ct_error_info *error)
{
    static const char end[] = ".tmp";
    size_t n = strlen(path);
    char *temporary = NULL;
    ct_code code;
    int ok;
    FILE *f;
    if (!CTI_RESIZE(mem, temporary, (int64_t)(n + sizeof end)))
        return cti_file_error(error, CT_ERR_MEMORY, 0, 0, "out of memory for the file", NULL);
    memcpy(temporary, path, n), memcpy(temporary + n, end, sizeof end);
    remove(temporary); /* left by a run that was killed; or a link, which must not be written through */
    f = fopen(temporary, "wb");
    code = f ? write(f, user) : CT_ERR_FILE;
    ok = f && !ferror(f);
    ok = f && fclose(f) == 0 && ok;
    if (code == CT_OK && !(ok && cti_file_replace(temporary, path)))
        code = CT_ERR_FILE;
    if (f && code != CT_OK)
        remove(temporary);
    CTI_FREE(mem, temporary);
    return code == CT_ERR_FILE ? cti_file_error(error, code, 0, 0, "the file cannot be written", NULL) : code;
}

/* ---- scanner ---- */

CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg)
{
    if (s->code == CT_OK && s->start)
        s->code = cti_file_say(s->error, code, "byte", (int64_t)(s->at - s->start), 0, format, arg);
    else if (s->code == CT_OK)
        s->code = cti_file_error(s->error, code, s->line, 0, format, arg);
    return 0;
}

CTI_FN int cti_scan_memory(cti_scan *s)
{
    if (s->code == CT_OK)
        s->code = cti_file_error(s->error, CT_ERR_MEMORY, 0, 0, "out of memory for a mesh", NULL);
    return 0;
}

static int cti_scan_at_break(const cti_scan *s) { return s->at == s->end || *s->at == '\n' || *s->at == '\r'; }

/* Moves over one line end, if there is one here. */
static void cti_scan_break(cti_scan *s)
{
    if (s->at == s->end)
        return;
    if (*s->at == '\r') {
        s->at++;
        if (s->at < s->end && *s->at == '\n')
            s->at++;
        s->line++;
    } else if (*s->at == '\n') {
        s->at++;
        s->line++;
    }
}

/* Returns 1 when a backslash here joins this line with the next. */
static int cti_scan_joins(const cti_scan *s)
{
    return s->comments && s->at + 1 < s->end && s->at[0] == '\\' && (s->at[1] == '\n' || s->at[1] == '\r');
}

CTI_FN int cti_scan_token(cti_scan *s, const char **token, int *length)
{
    /* skips blanks and joined lines */
    for (;;) {
        if (cti_scan_joins(s)) {
            s->at++;
            cti_scan_break(s);
        } else if (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\v' || *s->at == '\f')) {
            s->at++;
        } else {
            break;
        }
    }
    if (cti_scan_at_break(s) || (s->comments && *s->at == '#'))
        return 0;
    *token = s->at;
    while (!cti_scan_at_break(s) && !cti_scan_joins(s) && *s->at != ' ' && *s->at != '\t' && *s->at != '\v' && *s->at != '\f' &&
           s->at - *token < INT32_MAX)
        s->at++;
    *length = (int)(s->at - *token);
    return 1;
}

CTI_FN int cti_scan_line(cti_scan *s)
{
    int comment = 0;
    while (!cti_scan_at_break(s)) {
        comment |= s->comments && *s->at == '#';
        if (!comment && cti_scan_joins(s)) {
            s->at++;
            cti_scan_break(s);
        } else {
            s->at++;
        }
    }
    cti_scan_break(s);
    return s->at < s->end;
}

CTI_FN int cti_scan_is(const char *token, int length, const char *word)
{
    return strlen(word) == (size_t)length && memcmp(token, word, (size_t)length) == 0;
}

CTI_FN int cti_scan_like(const char *token, int length, const char *word)
{
    int i;
    if (strlen(word) != (size_t)length)
        return 0;
    for (i = 0; i < length; i++) {
        char c = token[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return 0;
    }
    return 1;
}

CTI_FN int cti_scan_content(cti_scan *s)
{
    const char *t, *line;
    int n;
    while (cti_scan_line(s)) {
        line = s->at;
        if (cti_scan_token(s, &t, &n)) {
            s->at = line;
            return 1;
        }
    }
    return 0;
}

CTI_FN int cti_scan_word(cti_scan *s, const char **token, int *length)
{
    do {
        if (cti_scan_token(s, token, length))
            return 1;
    } while (cti_scan_line(s));
    return 0;
}

/* ---- numbers ---- */

/* Reads the digits of a decimal number: 1 when the field is one. Gives the mantissa (its first 19 digits), the power of ten and the
   sign. */
static int cti_scan_decimal(const char *t, int n, uint64_t *mantissa, int *power, int *negative, int *short_form)
{
    int i = 0, digits = 0, seen = 0, point = 0, exponent = 0, sign = 1, start;
    *mantissa = 0, *power = 0, *negative = 0, *short_form = 1;
    if (i < n && (t[i] == '-' || t[i] == '+'))
        *negative = t[i++] == '-';
    for (; i < n && ((t[i] >= '0' && t[i] <= '9') || (t[i] == '.' && !point)); i++) {
        if (t[i] == '.') {
            point = 1;
            continue;
        }
        seen = 1;
        if (digits < 19) {
            *mantissa = *mantissa * 10 + (uint64_t)(t[i] - '0');
            digits += *mantissa != 0;
            *power -= point;
        } else {
            *short_form = 0;
        }
    }
    if (!seen)
        return 0;
    if (i < n && (t[i] == 'e' || t[i] == 'E')) {
        i++;
        if (i < n && (t[i] == '-' || t[i] == '+'))
            sign = t[i++] == '-' ? -1 : 1;
        for (start = i; i < n && t[i] >= '0' && t[i] <= '9'; i++)
            exponent = exponent > 100000 ? exponent : exponent * 10 + (t[i] - '0');
        if (i == start)
            return 0;
    }
    *power += sign * exponent;
    return i == n;
}

/* copies the field to copy [CTI_FILES_DIGITS + 40] with the locale's decimal point, for strtod. 0: too long */
static int cti_scan_copy(const char *t, int n, char *copy)
{
    const char *point = localeconv()->decimal_point;
    int i, m = 0, k;
    if (n > CTI_FILES_DIGITS)
        return 0;
    for (i = 0; i < n; i++) {
        if (t[i] != '.') {
            copy[m++] = t[i];
            continue;
        }
        for (k = 0; point[k] && k < 16; k++)
            copy[m++] = point[k];
    }
    copy[m] = 0;
    return 1;
}

static int cti_scan_library(const char *t, int n, ct_real *out)
{
    char copy[CTI_FILES_DIGITS + 40];
    if (!cti_scan_copy(t, n, copy))
        return 0;
#if CONTACT_REAL == 32
    *out = strtof(copy, NULL);
#else
    *out = strtod(copy, NULL);
#endif
    return cti_finite(*out);
}

CTI_FN int cti_scan_double(const char *token, int length, double *out)
{
    char copy[CTI_FILES_DIGITS + 40];
    uint64_t mantissa;
    int power, negative, short_form;
    if (!cti_scan_decimal(token, length, &mantissa, &power, &negative, &short_form) || !cti_scan_copy(token, length, copy))
        return 0;
    *out = strtod(copy, NULL);
    return cti_finite64(*out);
}

CTI_FN int cti_scan_number(const char *token, int length, ct_real *out)
{
#if CONTACT_REAL == 32
    static const ct_real tens[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    const uint64_t exact = (uint64_t)1 << 24;
    const int most = 10;
#else
    static const ct_real tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t exact = (uint64_t)1 << 53;
    const int most = 22;
#endif
    uint64_t mantissa;
    int power, negative, short_form;
    ct_real x;
    if (!cti_scan_decimal(token, length, &mantissa, &power, &negative, &short_form))
        return 0;
    if (!short_form || mantissa > exact || power < -most || power > most)
        return cti_scan_library(token, length, out);
    x = (ct_real)mantissa;
    x = power < 0 ? x / tens[-power] : x * tens[power];
    *out = negative ? -x : x;
    return 1;
}

/* The field as text for an error message, shortened. */
static void cti_scan_quote(char out[32], const char *token, int length)
{
    int i, n = cti_min_int(length, 24);
    for (i = 0; i < n; i++)
        out[i] = (char)(token[i] >= 32 && token[i] < 127 ? token[i] : '?');
    memcpy(out + n, length > n ? "..." : "", length > n ? 4 : 1);
}

/* A token that is no number of this kind. */
static int cti_scan_other(cti_scan *s, const char *token, int length, const char *kind, const char *what)
{
    char quote[32], text[120];
    cti_scan_quote(quote, token, length);
    snprintf(text, sizeof text, "'%s' is not %s, expected %s", quote, kind, what);
    return cti_scan_fail(s, CT_ERR_FORMAT, "%s", text);
}

CTI_FN int cti_scan_real(cti_scan *s, ct_real *out, const char *what)
{
    const char *t;
    int n;
    if (!cti_scan_token(s, &t, &n))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s", what);
    return cti_scan_number(t, n, out) || cti_scan_other(s, t, n, "a finite number", what);
}

CTI_FN int cti_scan_point(cti_scan *s, ct_real **points, const char *what)
{
    ct_real x;
    int k;
    for (k = 0; k < 3; k++) {
        if (!cti_scan_real(s, &x, what))
            return 0;
        if (!CTI_PUSH(s->mem, *points, x))
            return cti_scan_memory(s);
    }
    return 1;
}

CTI_FN int cti_scan_seek(cti_scan *s, const char *what)
{
    const char *t;
    int n;
    if (!cti_scan_word(s, &t, &n))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", what);
    s->at = t;
    return 1;
}

CTI_FN int cti_scan_wrong(cti_scan *s, int64_t value, const char *text, const char *what)
{
    cti_scan_fail(s, CT_ERR_FORMAT, text, what);
    if (s->error)
        s->error->value = (double)value;
    return 0;
}

CTI_FN int cti_scan_integer(cti_scan *s, int64_t *out, const char *what)
{
    const char *t;
    int n, i = 0, negative = 0;
    int64_t x = 0;
    if (!cti_scan_token(s, &t, &n))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s", what);
    if (t[0] == '-' || t[0] == '+')
        negative = t[i++] == '-';
    if (i < n && n - i <= 18) {
        for (; i < n && t[i] >= '0' && t[i] <= '9'; i++)
            x = x * 10 + (t[i] - '0');
        *out = negative ? -x : x;
        if (i == n)
            return 1;
    }
    return cti_scan_other(s, t, n, "an integer", what);
}

/* ---- binary values ---- */

CTI_FN int cti_ply_scalar_size(cti_ply_scalar type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

CTI_FN int cti_scan_left(cti_scan *s, int64_t count, int64_t size, const char *what)
{
    if (count < 0)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a negative number of %s", what);
    if (size > 0 && count > (int64_t)(s->end - s->at) / size)
        return cti_scan_fail(s, CT_ERR_FORMAT, "the file ends too early, expected %s", what);
    return 1;
}

/* The bits of the next value; the caller has checked that its bytes exist. */
static uint64_t cti_scan_bits(cti_scan *s, int size)
{
    uint64_t u = 0;
    int i;
    for (i = 0; i < size; i++)
        u |= (uint64_t)(unsigned char)s->at[i] << (8 * (s->big ? size - 1 - i : i));
    s->at += size;
    return u;
}

static int64_t cti_scan_signed(uint64_t u, int size)
{
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    int64_t x;
    u = (u ^ sign) - sign;
    memcpy(&x, &u, sizeof x);
    return x;
}

CTI_FN int cti_scan_raw_integer(cti_scan *s, cti_ply_scalar type, int64_t *out, const char *what)
{
    int size = cti_ply_scalar_size(type),
        is_signed = type == CTI_PLY_SCALAR_I8 || type == CTI_PLY_SCALAR_I16 || type == CTI_PLY_SCALAR_I32 || type == CTI_PLY_SCALAR_I64;
    uint64_t u;
    if (!cti_scan_left(s, 1, size, what))
        return 0;
    u = cti_scan_bits(s, size);
    if (type == CTI_PLY_SCALAR_NONE || type >= CTI_PLY_SCALAR_F32 || (!is_signed && u >> 63)) {
        s->at -= size;
        return cti_scan_fail(s, CT_ERR_FORMAT, "not an integer, expected %s", what);
    }
    *out = is_signed ? cti_scan_signed(u, size) : (int64_t)u;
    return 1;
}

CTI_FN int cti_scan_raw_real(cti_scan *s, cti_ply_scalar type, ct_real *out, const char *what)
{
    int size = cti_ply_scalar_size(type), ok = 1;
    int64_t whole;
    double x = 0;
    if (type < CTI_PLY_SCALAR_F32) {
        if (!cti_scan_raw_integer(s, type, &whole, what))
            return 0;
        *out = (ct_real)whole;
        return 1;
    }
    if (!cti_scan_left(s, 1, size, what))
        return 0;
    if (type == CTI_PLY_SCALAR_F32) {
        uint32_t u = (uint32_t)cti_scan_bits(s, size);
        float f;
        memcpy(&f, &u, sizeof f);
        ok = cti_finite32(f), x = f;
    } else {
        uint64_t u = cti_scan_bits(s, size);
        memcpy(&x, &u, sizeof x);
        ok = cti_finite64(x);
    }
#if CONTACT_REAL == 32
    /* limit: halfway between the largest float and the next power of two, so that rounding to float stays finite */
    ok = ok && x < 3.4028235677973362e38 && x > -3.4028235677973362e38;
#endif
    if (!ok) {
        s->at -= size;
        return cti_scan_fail(s, CT_ERR_FORMAT, "not a finite number, expected %s", what);
    }
    *out = (ct_real)x;
    return 1;
}

/* ---- elements ---- */

CTI_FN int cti_mesh_fan(cti_scan *s, ct_mesh *mesh, const int32_t *polygon, int n)
{
    cti_file_polygon p;
    int32_t last = -1;
    int i;
    if (n > 2 && CTI_LEN(mesh->triangles) > INT32_MAX - 4 - 3 * (int64_t)n)
        return cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    p.first = CTI_LEN(mesh->triangles) / 3, p.place = s->start ? (int64_t)(s->at - s->start) : s->line;
    while (n > 1 && polygon[n - 1] == polygon[0])
        n--;
    for (i = 1; i < n; i++) {
        if (polygon[i] == polygon[i - 1])
            continue;
        if (last >= 0 && (!CTI_PUSH(s->mem, mesh->triangles, polygon[0]) || !CTI_PUSH(s->mem, mesh->triangles, last) ||
                          !CTI_PUSH(s->mem, mesh->triangles, polygon[i])))
            return cti_scan_memory(s);
        last = polygon[i];
    }
    p.n = CTI_LEN(mesh->triangles) / 3 - p.first;
    return p.n < 2 || CTI_PUSH(s->mem, s->polygons, p) ? 1 : cti_scan_memory(s);
}

CTI_FN int cti_mesh_finish(cti_scan *s, ct_mesh *mesh)
{
    int i;
    for (i = 0; s->code == CT_OK && i < CTI_LEN(s->polygons); i++) {
        const cti_file_polygon *p = s->polygons + i;
        int memory = 0;
        const char *why = cti_polygon_divide(s->mem, mesh->positions, mesh->triangles + 3 * (size_t)p->first, p->n, &memory);
        if (why && s->start)
            s->at = s->start + p->place;
        s->line = p->place;
        if (why)
            memory ? cti_scan_memory(s) : cti_scan_fail(s, CT_ERR_FORMAT, "%s", why);
    }
    CTI_FREE(s->mem, s->polygons);
    if (s->code == CT_OK && mesh->triangles)
        stbds_header(mesh->triangles)->length = 3 * (size_t)cti_weld_elements(mesh->triangles, CTI_LEN(mesh->triangles) / 3, 3, NULL);
    return s->code == CT_OK;
}

CTI_FN int cti_mesh_chain(cti_scan *s, ct_mesh *mesh, const int32_t *line, int n)
{
    int i;
    if (n > 1 && CTI_LEN(mesh->segments) > INT32_MAX - 4 - 2 * (int64_t)n)
        return cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many segments", NULL);
    for (i = 0; i + 1 < n; i++)
        if (!CTI_PUSH(s->mem, mesh->segments, line[i]) || !CTI_PUSH(s->mem, mesh->segments, line[i + 1]))
            return cti_scan_memory(s);
    return 1;
}

/* ---- reading by extension ---- */

CTI_FN int cti_file_has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path), m = strlen(extension);
    return n >= m && cti_scan_like(path + n - m, (int)m, extension);
}

typedef ct_code cti_file_reader(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);

/* The reader for a file name; *tetgen 1: TetGen, which has its own loader. */
static cti_file_reader *cti_file_choose(const char *path, int *tetgen)
{
    *tetgen = cti_file_has_extension(path, ".node") || cti_file_has_extension(path, ".ele") || cti_file_has_extension(path, ".face");
    if (cti_file_has_extension(path, ".obj"))
        return cti_read_obj;
    if (cti_file_has_extension(path, ".msh"))
        return cti_read_msh;
    if (cti_file_has_extension(path, ".ply"))
        return cti_read_ply;
    if (cti_file_has_extension(path, ".stl"))
        return cti_read_stl;
    return cti_file_has_extension(path, ".vtk") ? cti_read_vtk : NULL;
}

static ct_code cti_file_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    cti_mem mem;
    ct_mesh mesh;
    char *bytes = NULL;
    ct_code code;
    cti_file_reader *reader;
    int tetgen;
    if (!path || !out_mesh)
        return cti_file_error(out_error, CT_ERR_ARGUMENT, 0, 0, "path and out_mesh may not be NULL", NULL);
    reader = cti_file_choose(path, &tetgen);
    if (!reader && !tetgen)
        return cti_file_error(out_error, CT_ERR_UNSUPPORTED, 0, 0,
                              "file name must end in .obj, .msh, .ply, .stl, .vtk, .node or .ele (mesh formats that are read)", NULL);
    cti_mem_init(&mem, NULL);
    memset(&mesh, 0, sizeof mesh);
    if (tetgen) {
        code = cti_load_tetgen(&mem, path, &mesh, out_error);
    } else {
        code = cti_file_load(&mem, path, &bytes, out_error);
        CTI_THEN(code, reader(&mem, bytes, stbds_header(bytes)->length, &mesh, out_error));
        CTI_FREE(&mem, bytes);
    }
    if (code != CT_OK) {
        ct_mesh_free(&mesh);
        return code;
    }
    mesh.n_positions = CTI_LEN(mesh.positions) / 3, mesh.n_tets = CTI_LEN(mesh.tets) / 4;
    mesh.n_triangles = CTI_LEN(mesh.triangles) / 3, mesh.n_segments = CTI_LEN(mesh.segments) / 2;
    *out_mesh = mesh;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_FPENV_RETURN(cti_file_read(path, out_mesh, out_error))
}

#else

CTI_FN ct_code cti_file_unbuilt(ct_error_info *error)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->code = CT_ERR_UNSUPPORTED, error->text = "built without files (CONTACT_WITH_FILES 0)", error->element = -1;
    }
    return CT_ERR_UNSUPPORTED;
}

CONTACT_API_DEF ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(out_mesh);
    return cti_file_unbuilt(out_error);
}

#endif
