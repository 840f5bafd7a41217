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

CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error)
{
    size_t n = 0, got = 1;
    int bad, room = 1;
    FILE *f = fopen(path, "rb");
    if (!f)
        return cti_error_set(error, CT_ERR_FILE, -1, 0, "cannot open the file");
    while (got > 0 && (room = CTI_RESERVE(mem, *out_bytes, (int64_t)n + CTI_FILES_CHUNK)) != 0) {
        got = fread(*out_bytes + n, 1, stbds_header(*out_bytes)->capacity - n, f);
        n += got;
        stbds_header(*out_bytes)->length = n;
    }
    bad = ferror(f);
    fclose(f);
    if (!room)
        return cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for the file");
    return bad ? cti_error_set(error, CT_ERR_FILE, -1, 0, "cannot read the file") : CT_OK;
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
        return cti_error_set(error, CT_ERR_MEMORY, -1, 0, "out of memory for the file");
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
    return code == CT_ERR_FILE ? cti_error_set(error, code, -1, 0, "the file cannot be written") : code;
}

/* ---- scanner ---- */

CTI_FN void cti_scan_open(cti_scan *s, cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error)
{
    memset(s, 0, sizeof *s);
    cti_mem_open(&s->own, mem);
    s->at = bytes, s->end = bytes + n, s->line = 1, s->mem = mem, s->mesh = mesh, s->error = error, s->token = "";
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        s->at += 3;
}

CTI_FN ct_code cti_scan_close(cti_scan *s)
{
    cti_mem_release(&s->own);
    return s->code;
}

CTI_FN int cti_scan_wrong(cti_scan *s, int64_t value, const char *format, const char *arg)
{
    int64_t place = s->start ? (int64_t)(s->at - s->start) : s->line;
    char text[200];
    snprintf(text, sizeof text, format, arg ? arg : "");
    if (s->code == CT_OK)
        s->code = cti_error_set(s->error, CT_ERR_FORMAT, place, (double)value, "%s %lld: %s", s->start ? "byte" : "line", (long long)place, text);
    s->at = s->end;
    return 0;
}

CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg)
{
    if (s->code == CT_OK) {
        cti_scan_wrong(s, 0, format, arg);
        s->code = code;
        if (s->error)
            s->error->code = code;
    }
    return 0;
}

CTI_FN int cti_scan_memory(cti_scan *s)
{
    if (s->code == CT_OK)
        s->code = cti_error_set(s->error, CT_ERR_MEMORY, -1, 0, "out of memory for a mesh");
    s->at = s->end;
    return 0;
}

static int cti_scan_at_break(const cti_scan *s) { return s->at == s->end || *s->at == '\n' || *s->at == '\r'; }

/* Moves over one line end, if there is one here. */
static void cti_scan_break(cti_scan *s)
{
    if (s->at == s->end)
        return;
    s->at += *s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n' ? 2 : 1;
    s->line++;
}

/* Returns 1 when a backslash here joins this line with the next. */
static int cti_scan_joins(const cti_scan *s)
{
    return s->comments && s->at + 1 < s->end && s->at[0] == '\\' && (s->at[1] == '\n' || s->at[1] == '\r');
}

static int cti_scan_is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

CTI_FN int cti_scan_token(cti_scan *s)
{
    while (cti_scan_joins(s) || (s->at < s->end && cti_scan_is_blank(*s->at))) {
        if (*s->at++ == '\\')
            cti_scan_break(s);
    }
    if (cti_scan_at_break(s) || (s->comments && *s->at == '#'))
        return 0;
    s->token = s->at;
    while (!cti_scan_at_break(s) && !cti_scan_joins(s) && !cti_scan_is_blank(*s->at) && s->at - s->token < INT32_MAX)
        s->at++;
    s->length = (int)(s->at - s->token);
    return 1;
}

CTI_FN int cti_scan_line(cti_scan *s)
{
    int comment = 0;
    while (!cti_scan_at_break(s)) {
        int joins = cti_scan_joins(s);
        comment |= s->comments && *s->at == '#';
        s->at++;
        if (joins && !comment)
            cti_scan_break(s);
    }
    cti_scan_break(s);
    return s->at < s->end;
}

CTI_FN int cti_scan_is(const cti_scan *s, const char *word)
{
    return strlen(word) == (size_t)s->length && memcmp(s->token, word, (size_t)s->length) == 0;
}

/* 1 when the n characters at t are `word`, which is in lower case, regardless of their case */
static int cti_scan_same(const char *t, size_t n, const char *word)
{
    size_t i;
    for (i = 0; i < n && word[i] == (t[i] >= 'A' && t[i] <= 'Z' ? t[i] - 'A' + 'a' : t[i]) && word[i]; i++) {
    }
    return i == n && !word[n];
}

CTI_FN int cti_scan_like(const cti_scan *s, const char *word) { return cti_scan_same(s->token, (size_t)s->length, word); }

CTI_FN int cti_scan_content(cti_scan *s)
{
    while (cti_scan_line(s)) {
        const char *line = s->at;
        if (cti_scan_token(s)) {
            s->at = line;
            return 1;
        }
    }
    return 0;
}

CTI_FN int cti_scan_word(cti_scan *s)
{
    do {
        if (cti_scan_token(s))
            return 1;
    } while (cti_scan_line(s));
    return 0;
}

CTI_FN int cti_scan_need(cti_scan *s, const char *what)
{
    return cti_scan_token(s) || cti_scan_fail(s, CT_ERR_FORMAT, "the line ends, expected %s", what);
}

CTI_FN int cti_scan_seek(cti_scan *s, const char *what)
{
    if (!cti_scan_word(s))
        return cti_scan_fail(s, CT_ERR_FORMAT, "the file ends, expected %s", what);
    s->at = s->token;
    return 1;
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

/* The last field is no number of this kind: it is named, shortened. */
static int cti_scan_other(cti_scan *s, const char *kind, const char *what)
{
    char quote[32], text[120];
    int i, n = cti_min_int(s->length, 24);
    for (i = 0; i < n; i++)
        quote[i] = (char)(s->token[i] >= 32 && s->token[i] < 127 ? s->token[i] : '?');
    memcpy(quote + n, s->length > n ? "..." : "", s->length > n ? 4 : 1);
    snprintf(text, sizeof text, "'%s' is not %s, expected %s", quote, kind, what);
    return cti_scan_fail(s, CT_ERR_FORMAT, "%s", text);
}

CTI_FN ct_real cti_scan_real(cti_scan *s, const char *what)
{
    ct_real x = 0;
    if (cti_scan_need(s, what) && !cti_scan_number(s->token, s->length, &x))
        cti_scan_other(s, "a finite number", what);
    return x;
}

CTI_FN void cti_scan_point(cti_scan *s, const char *what)
{
    int k;
    for (k = 0; k < 3; k++) {
        ct_real x = cti_scan_real(s, what);
        CTI_SCAN_PUSH(s, s->mesh->positions, x);
    }
}

CTI_FN int64_t cti_scan_integer(cti_scan *s, const char *what)
{
    int i = 0, negative = 0;
    int64_t x = 0;
    if (!cti_scan_need(s, what))
        return 0;
    if (s->token[0] == '-' || s->token[0] == '+')
        negative = s->token[i++] == '-';
    if (i < s->length && s->length - i <= 18)
        for (; i < s->length && s->token[i] >= '0' && s->token[i] <= '9'; i++)
            x = x * 10 + (s->token[i] - '0');
    if (i == 0 || i < s->length || (i == 1 && s->token[0] < '0'))
        return cti_scan_other(s, "an integer", what);
    return negative ? -x : x;
}

CTI_FN int64_t cti_scan_count(cti_scan *s, const char *what)
{
    int64_t n = cti_scan_integer(s, what);
    if (n < 0)
        return cti_scan_fail(s, CT_ERR_FORMAT, "a negative number, expected %s", what);
    return n <= INT32_MAX / 12 ? n : cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many: %s", what);
}

/* ---- binary values ---- */

CTI_FN cti_scan_scalar cti_scan_type(const cti_scan *s)
{
    static const struct {
        const char *name;
        cti_scan_scalar type;
    } types[] = {
        {"char", CTI_SCALAR_I8},                    {"signed_char", CTI_SCALAR_I8},             {"unsigned_char", CTI_SCALAR_U8},
        {"uchar", CTI_SCALAR_U8},                   {"short", CTI_SCALAR_I16},                  {"unsigned_short", CTI_SCALAR_U16},
        {"ushort", CTI_SCALAR_U16},                 {"int", CTI_SCALAR_I32},                    {"unsigned_int", CTI_SCALAR_U32},
        {"uint", CTI_SCALAR_U32},                   {"long", CTI_SCALAR_I64},                   {"unsigned_long", CTI_SCALAR_U64},
        {"long_long", CTI_SCALAR_I64},              {"unsigned_long_long", CTI_SCALAR_U64},     {"float", CTI_SCALAR_F32},
        {"double", CTI_SCALAR_F64},                 {"int8", CTI_SCALAR_I8},                    {"uint8", CTI_SCALAR_U8},
        {"int16", CTI_SCALAR_I16},                  {"uint16", CTI_SCALAR_U16},                 {"int32", CTI_SCALAR_I32},
        {"uint32", CTI_SCALAR_U32},                 {"int64", CTI_SCALAR_I64},                  {"uint64", CTI_SCALAR_U64},
        {"float32", CTI_SCALAR_F32},                {"float64", CTI_SCALAR_F64},                {"vtkidtype", CTI_SCALAR_I32},
        {"vtktypeint32", CTI_SCALAR_I32},           {"vtktypeint64", CTI_SCALAR_I64},           {"vtktypeuint64", CTI_SCALAR_U64},
    };
    int i;
    for (i = 0; i < CTI_COUNT(types); i++)
        if (cti_scan_like(s, types[i].name))
            return types[i].type;
    return CTI_SCALAR_NONE;
}

CTI_FN int cti_scan_width(const cti_scan *s, cti_scan_scalar type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return s->start ? sizes[type] : 1;
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

CTI_FN int64_t cti_scan_value_integer(cti_scan *s, cti_scan_scalar type, const char *what)
{
    int size = cti_scan_width(s, type);
    int is_signed = type == CTI_SCALAR_I8 || type == CTI_SCALAR_I16 || type == CTI_SCALAR_I32 || type == CTI_SCALAR_I64;
    uint64_t u, sign = size ? (uint64_t)1 << (8 * size - 1) : 0;
    int64_t x;
    if (!s->start)
        return !s->spans || cti_scan_seek(s, what) ? cti_scan_integer(s, what) : 0;
    if (!cti_scan_left(s, 1, size, what))
        return 0;
    u = cti_scan_bits(s, size);
    if (type == CTI_SCALAR_NONE || type >= CTI_SCALAR_F32 || (!is_signed && u >> 63)) {
        s->at -= size;
        return cti_scan_fail(s, CT_ERR_FORMAT, "not an integer, expected %s", what);
    }
    u = is_signed ? (u ^ sign) - sign : u;
    memcpy(&x, &u, sizeof x);
    return x;
}

CTI_FN ct_real cti_scan_value_real(cti_scan *s, cti_scan_scalar type, const char *what)
{
    int size = cti_scan_width(s, type), ok;
    uint64_t u;
    double x = 0;
    if (!s->start)
        return !s->spans || cti_scan_seek(s, what) ? cti_scan_real(s, what) : 0;
    if (type < CTI_SCALAR_F32)
        return (ct_real)cti_scan_value_integer(s, type, what);
    if (!cti_scan_left(s, 1, size, what))
        return 0;
    u = cti_scan_bits(s, size);
    if (type == CTI_SCALAR_F32) {
        uint32_t half = (uint32_t)u;
        float f;
        memcpy(&f, &half, sizeof f);
        ok = cti_finite32(f), x = f;
    } else {
        memcpy(&x, &u, sizeof x);
        ok = cti_finite64(x);
    }
#if CONTACT_REAL == 32
    /* limit: halfway between the largest float and the next power of two, so that rounding to float stays finite */
    ok = ok && x < 3.4028235677973362e38 && x > -3.4028235677973362e38;
#endif
    if (ok)
        return (ct_real)x;
    s->at -= size;
    return (ct_real)cti_scan_fail(s, CT_ERR_FORMAT, "not a finite number, expected %s", what);
}

CTI_FN void cti_scan_skip(cti_scan *s, cti_scan_scalar type, int64_t count, const char *what)
{
    if (s->start && cti_scan_left(s, count, cti_scan_width(s, type), what))
        s->at += count * cti_scan_width(s, type);
    for (; !s->start && count > 0 && cti_scan_ok(s); count--)
        if (s->spans ? cti_scan_seek(s, what) : 1)
            cti_scan_need(s, what);
}

/* ---- elements ---- */

CTI_FN void cti_mesh_fan(cti_scan *s, const int32_t *polygon, int n)
{
    int32_t **list = &s->mesh->triangles;
    cti_file_polygon p;
    int last = 0, i;
    if (n > 2 && CTI_LEN(*list) > INT32_MAX - 4 - 3 * (int64_t)n)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many triangles", NULL);
    p.first = CTI_LEN(*list) / 3, p.place = s->start ? (int64_t)(s->at - s->start) : s->line;
    while (n > 1 && polygon[n - 1] == polygon[0])
        n--;
    for (i = 1; i < n && cti_scan_ok(s); i++) {
        if (polygon[i] == polygon[i - 1])
            continue;
        if (last > 0) {
            CTI_SCAN_PUSH(s, *list, polygon[0]);
            CTI_SCAN_PUSH(s, *list, polygon[last]);
            CTI_SCAN_PUSH(s, *list, polygon[i]);
        }
        last = i;
    }
    p.n = CTI_LEN(*list) / 3 - p.first;
    if (p.n > 1 && cti_scan_ok(s))
        CTI_SCAN_KEEP(s, s->polygons, p);
}

CTI_FN int cti_mesh_finish(cti_scan *s)
{
    ct_mesh *mesh = s->mesh;
    int i;
    for (i = 0; cti_scan_ok(s) && i < CTI_LEN(s->polygons); i++) {
        const cti_file_polygon *p = s->polygons + i;
        int memory = 0;
        const char *why = cti_polygon_divide(&s->own, mesh->positions, mesh->triangles + 3 * (size_t)p->first, p->n, &memory);
        if (!why)
            continue;
        s->at = s->start ? s->start + p->place : s->at, s->line = p->place;
        memory ? cti_scan_memory(s) : cti_scan_fail(s, CT_ERR_FORMAT, "%s", why);
    }
    if (cti_scan_ok(s) && mesh->triangles)
        stbds_header(mesh->triangles)->length = 3 * (size_t)cti_weld_elements(mesh->triangles, CTI_LEN(mesh->triangles) / 3, 3, NULL);
    return cti_scan_ok(s);
}

CTI_FN void cti_mesh_chain(cti_scan *s, const int32_t *line, int n)
{
    int i;
    if (n > 1 && CTI_LEN(s->mesh->segments) > INT32_MAX - 4 - 2 * (int64_t)n)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many segments", NULL);
    for (i = 0; i < 2 * (n - 1) && cti_scan_ok(s); i++)
        CTI_SCAN_PUSH(s, s->mesh->segments, line[(i + 1) / 2]);
}

CTI_FN void cti_mesh_tet(cti_scan *s, const int32_t *corners)
{
    int k;
    if (CTI_LEN(s->mesh->tets) > INT32_MAX - 8)
        cti_scan_fail(s, CT_ERR_UNSUPPORTED, "too many tets", NULL);
    for (k = 0; k < 4 && cti_scan_ok(s); k++)
        CTI_SCAN_PUSH(s, s->mesh->tets, corners[k]);
}

/* ---- reading by extension ---- */

CTI_FN int cti_file_has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path), m = strlen(extension);
    return n >= m && cti_scan_same(path + n - m, m, extension);
}

typedef ct_code cti_file_reader(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);

static ct_code cti_file_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    static const struct {
        const char *extension;
        cti_file_reader *read; /* NULL: TetGen, which has its own loader */
    } formats[] = {{".obj", cti_read_obj}, {".msh", cti_read_msh}, {".ply", cti_read_ply}, {".stl", cti_read_stl},
                   {".vtk", cti_read_vtk}, {".node", NULL},        {".ele", NULL},         {".face", NULL}};
    cti_mem mem, own;
    ct_mesh mesh;
    char *bytes = NULL;
    ct_code code;
    int k = 0;
    if (!path || !out_mesh)
        return cti_error_set(out_error, CT_ERR_ARGUMENT, -1, 0, "path and out_mesh may not be NULL");
    while (k < CTI_COUNT(formats) && !cti_file_has_extension(path, formats[k].extension))
        k++;
    if (k == CTI_COUNT(formats))
        return cti_error_set(out_error, CT_ERR_UNSUPPORTED, -1, 0,
                             "file name must end in .obj, .msh, .ply, .stl, .vtk, .node or .ele (mesh formats that are read)");
    cti_mem_init(&mem, NULL), cti_mem_open(&own, &mem);
    memset(&mesh, 0, sizeof mesh);
    code = formats[k].read ? cti_file_load(&own, path, &bytes, out_error) : cti_load_tetgen(&mem, path, &mesh, out_error);
    if (code == CT_OK && formats[k].read)
        code = formats[k].read(&mem, bytes, stbds_header(bytes)->length, &mesh, out_error);
    cti_mem_release(&own);
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

CONTACT_API_DEF ct_code ct_mesh_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error)
{
    CTI_UNUSED(path);
    CTI_UNUSED(out_mesh);
    return CTI_ERROR_UNBUILT(out_error, "files", CONTACT_WITH_FILES);
}

#endif
