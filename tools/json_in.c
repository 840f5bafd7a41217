/* json_in.c -- JSON values with error messages. */
#include "json_in.h"
#include "../src/public/api.h"
#include "cli.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* largest magnitude that a number may have: it must survive as ct_real with room for squares */
#define JSON_IN_LARGEST (CONTACT_REAL == 32 ? 1e18 : 1e150)

void json_in_error(json_in *in, const char *path, const char *format, ...)
{
    va_list args;
    if (in->failed)
        return;
    in->failed = 1;
    fprintf(stderr, "contact: %s: %s%s", in->file, path, *path ? ": " : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static json_note json_in_asks(json_kind kind, double lo, double hi, int open, int n, const char *words)
{
    json_note what;
    what.kind = kind, what.lo = lo, what.hi = hi, what.open = open, what.n = n, what.words = words;
    return what;
}

static void json_in_tell(json_in *in, const char *path, const char *key, json_note what)
{
    if (in->note && !in->failed)
        in->note(path, key, &what, in->user);
}

void json_in_note(json_in *in, const char *path, const char *key, json_kind kind)
{
    json_in_tell(in, path, key, json_in_asks(kind, 0, 0, 0, -1, NULL));
}

/* the first \\u0000 of the text, which would end a string early without notice; NULL: none */
static const char *json_in_zero(const char *text)
{
    const char *p;
    for (p = text; *p; p++) {
        if (*p != '\\')
            continue;
        if (strncmp(p + 1, "u0000", 5) == 0)
            return p;
        p += p[1] != '\0'; /* an escaped backslash starts no escape */
    }
    return NULL;
}

/* what may be wrong where a reader stopped at `end`: a comma, then only ends of objects and arrays; or a mistake of another language */
static const char *json_in_hint(const char *text, const char *end)
{
    static const char blanks[] = " \t\r\n", ends[] = " \t\r\n}]";
    const char *at = end + strspn(end, blanks), *before = at;
    while (before > text && strchr(blanks, before[-1]))
        before--;
    before -= before > text;
    end = at + (*at == '}' || *at == ']');
    while (end > text && strchr(ends, end[-1]))
        end--;
    if (end > text && end[-1] == ',' && strpbrk(end, "}]") == end + strspn(end, blanks))
        return "; the comma before it is one too many";
    if (*at == '/' || *at == '#' || *before == '/' || *before == '#')
        return "; JSON has no comments";
    if (*at == '\'' || isalpha((unsigned char)*at))
        return "; keys and texts are in double quotes, and true, false and null in small letters";
    if (*at == '.')
        return "; a number begins with a digit, such as 0.5";
    if (*at == '"')
        return "; is a comma missing before it?";
    return "";
}

cJSON *json_in_parse(json_in *in, const char *text)
{
    const char *hint;
    const char *end = text, *p, *zero = json_in_zero(text);
    long line = 1;
    size_t column = 1;
    cJSON *root = zero ? NULL : cJSON_ParseWithOpts(text, &end, 1);
    if (root)
        return root;
    end = zero ? zero : end;
    for (p = text; p < end && *p; p++, column++)
        if (*p == '\n')
            line++, column = 0;
    in->failed = 1;
    hint = json_in_hint(text, end);
    if (!*text)
        fprintf(stderr, "contact: %s: line 1: the file is empty, expected a JSON object\n", in->file);
    else if (!*end)
        fprintf(stderr, "contact: %s: line %ld: %s\n", in->file, line,
                strstr(hint, "too many") ? "a comma before a bracket is one too many" : "the file ends too early, expected more JSON");
    else
        fprintf(stderr, "contact: %s: line %ld, column %lu: not JSON here: '%.*s'%s\n", in->file, line, (unsigned long)column,
                (int)strcspn(end, "\r\n") > 24 ? 24 : (int)strcspn(end, "\r\n"), end, hint);
    return NULL;
}

static const char *json_in_kind(const cJSON *v)
{
    if (cJSON_IsNumber(v))
        return "a number";
    if (cJSON_IsString(v))
        return "a string";
    if (cJSON_IsArray(v))
        return "an array";
    if (cJSON_IsObject(v))
        return "an object";
    if (cJSON_IsBool(v))
        return "a boolean";
    return "null";
}

/* "path.key", or "key" at the top */
static const char *json_in_join(char *buffer, size_t size, const char *path, const char *key)
{
    snprintf(buffer, size, "%s%s%s", path, *path ? "." : "", key);
    return buffer;
}

int json_in_listed(const char *key, const char *known)
{
    size_t n = strlen(key);
    const char *p = known;
    while (n && (p = strstr(p, key)) != NULL) {
        if ((p == known || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return 1;
        p += n;
    }
    return 0;
}

int json_in_keys(json_in *in, const cJSON *object, const char *path, const char *known)
{
    const cJSON *v, *w;
    char full[256], near[64];
    json_in_tell(in, path, "", json_in_asks(JSON_KEYS, 0, 0, 0, 0, known));
    if (in->failed)
        return 0;
    if (!cJSON_IsObject(object)) {
        json_in_error(in, path, "expected an object, found %s", json_in_kind(object));
        return 0;
    }
    for (v = object->child; v; v = v->next) {
        json_in_join(full, sizeof full, path, v->string);
        if (!json_in_listed(v->string, known)) {
            if (cli_closest(v->string, known, near, sizeof near))
                json_in_error(in, full, "unknown key; is '%s' meant?", near);
            else
                json_in_error(in, full, "unknown key; expected one of: %s", known);
            return 0;
        }
        for (w = object->child; w != v; w = w->next)
            if (!strcmp(w->string, v->string)) {
                json_in_error(in, full, "the key appears twice");
                return 0;
            }
    }
    return 1;
}

static const cJSON *json_in_member(const json_in *in, const cJSON *object, const char *key)
{
    return in->failed ? NULL : cJSON_GetObjectItemCaseSensitive(object, key);
}

static int json_in_finite(json_in *in, const cJSON *v, const char *full)
{
    if (!cJSON_IsNumber(v)) {
        json_in_error(in, full, "expected a number, found %s", json_in_kind(v));
        return 0;
    }
    if (!(fabs(v->valuedouble) <= JSON_IN_LARGEST)) {
        json_in_error(in, full, "expected a finite number of at most %g in magnitude", (double)JSON_IN_LARGEST);
        return 0;
    }
    return 1;
}

double json_in_number(json_in *in, const cJSON *object, const char *path, const char *key, double fallback, double lo, double hi, int open)
{
    const cJSON *v = json_in_member(in, object, key);
    char full[256];
    json_in_tell(in, path, key, json_in_asks(JSON_NUMBER, lo, hi, open, 0, NULL));
    if (!v)
        return fallback;
    json_in_join(full, sizeof full, path, key);
    if (!json_in_finite(in, v, full))
        return fallback;
    if (v->valuedouble < lo || v->valuedouble > hi || ((open & JSON_IN_ABOVE) && v->valuedouble <= lo) ||
        ((open & JSON_IN_BELOW) && v->valuedouble >= hi)) {
        const char *above = open & JSON_IN_ABOVE ? ">" : ">=", *below = open & JSON_IN_BELOW ? "<" : "<=";
        if (hi < HUGE_VAL)
            json_in_error(in, full, "expected a number %s %g and %s %g, found %.9g", above, lo, below, hi, v->valuedouble);
        else
            json_in_error(in, full, "expected a number %s %g, found %.9g", above, lo, v->valuedouble);
        return fallback;
    }
    return v->valuedouble;
}

static int json_in_whole(json_in *in, const cJSON *v, const char *full, int lo, int hi, int *out)
{
    if (!cJSON_IsNumber(v) || v->valuedouble != floor(v->valuedouble) || v->valuedouble < lo || v->valuedouble > hi) {
        json_in_error(in, full, "expected a whole number from %d to %d", lo, hi);
        return 0;
    }
    *out = (int)v->valuedouble;
    return 1;
}

int json_in_int(json_in *in, const cJSON *object, const char *path, const char *key, int fallback, int lo, int hi)
{
    const cJSON *v = json_in_member(in, object, key);
    char full[256];
    int out = fallback;
    json_in_tell(in, path, key, json_in_asks(JSON_INTEGER, lo, hi, 0, 0, NULL));
    if (v)
        json_in_whole(in, v, json_in_join(full, sizeof full, path, key), lo, hi, &out);
    return out;
}

int json_in_bool(json_in *in, const cJSON *object, const char *path, const char *key, int fallback)
{
    const cJSON *v = json_in_member(in, object, key);
    char full[256];
    json_in_note(in, path, key, JSON_BOOL);
    if (!v)
        return fallback;
    if (!cJSON_IsBool(v))
        json_in_error(in, json_in_join(full, sizeof full, path, key), "expected true or false, found %s", json_in_kind(v));
    return cJSON_IsTrue(v);
}

/* a member that is text; NULL when it is not there */
static const char *json_in_line(json_in *in, const cJSON *object, const char *path, const char *key)
{
    const cJSON *v = json_in_member(in, object, key);
    const char *c;
    char full[256];
    if (!v)
        return NULL;
    if (!cJSON_IsString(v) || !*v->valuestring) {
        json_in_error(in, json_in_join(full, sizeof full, path, key), "expected a string that is not empty, found %s", json_in_kind(v));
        return NULL;
    }
    for (c = v->valuestring; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) {
            json_in_error(in, json_in_join(full, sizeof full, path, key), "expected text of one line, found the control character %d", *c);
            return NULL;
        }
    return v->valuestring;
}

const char *json_in_string(json_in *in, const cJSON *object, const char *path, const char *key)
{
    json_in_note(in, path, key, JSON_STRING);
    return json_in_line(in, object, path, key);
}

/* "a, b or c" of "a b c" */
static void json_in_list(const char *words, char *out, size_t size)
{
    const char *last = strrchr(words, ' ');
    size_t n = 0;
    for (out[0] = '\0'; *words && n + 5 < size; words++)
        n += (size_t)snprintf(out + n, size - n, *words != ' ' ? "%.1s" : words == last ? " or " : ", ", words);
}

int json_in_choice(json_in *in, const cJSON *object, const char *path, const char *key, const char *words, int otherwise)
{
    const char *text = json_in_line(in, object, path, key), *p;
    char full[256], list[256], near[40];
    size_t n = text ? strlen(text) : 0;
    int i = 0;
    json_in_tell(in, path, key, json_in_asks(JSON_CHOICE, 0, 0, 0, 0, words));
    if (!text)
        return otherwise;
    for (p = words; *p; p += strcspn(p, " "), p += *p == ' ', i++)
        if (strcspn(p, " ") == n && !memcmp(p, text, n))
            return i;
    json_in_list(words, list, sizeof list);
    json_in_join(full, sizeof full, path, key);
    if (cli_closest(text, words, near, sizeof near))
        json_in_error(in, full, "expected %s, found \"%s\"; is '%s' meant?", list, text, near);
    else
        json_in_error(in, full, "expected %s, found \"%s\"", list, text);
    return otherwise;
}

/* the array member of exactly n elements (n < 0: any number) */
static const cJSON *json_in_sized(json_in *in, const cJSON *object, const char *path, const char *key, int n)
{
    const cJSON *v = json_in_member(in, object, key);
    char full[256];
    if (!v)
        return NULL;
    json_in_join(full, sizeof full, path, key);
    if (!cJSON_IsArray(v)) {
        if (n < 0)
            json_in_error(in, full, "expected an array, found %s", json_in_kind(v));
        else
            json_in_error(in, full, "expected an array of %d numbers, found %s", n, json_in_kind(v));
        return NULL;
    }
    if (n >= 0 && cJSON_GetArraySize(v) != n) {
        json_in_error(in, full, "expected an array of %d numbers, found %d", n, cJSON_GetArraySize(v));
        return NULL;
    }
    return v;
}

int json_in_numbers(json_in *in, const cJSON *object, const char *path, const char *key, double *out, int n)
{
    const cJSON *v = json_in_sized(in, object, path, key, n), *e;
    char full[256];
    int i = 0;
    json_in_tell(in, path, key, json_in_asks(JSON_NUMBERS, 0, 0, 0, n, NULL));
    if (!v)
        return 0;
    cJSON_ArrayForEach(e, v)
    {
        snprintf(full, sizeof full, "%s%s%s[%d]", path, *path ? "." : "", key, i);
        if (!json_in_finite(in, e, full))
            return 0;
        out[i++] = e->valuedouble;
    }
    return 1;
}

int json_in_ints(json_in *in, const cJSON *object, const char *path, const char *key, int *out, int n, int lo, int hi)
{
    const cJSON *v = json_in_sized(in, object, path, key, n), *e;
    char full[256];
    int i = 0;
    json_in_tell(in, path, key, json_in_asks(JSON_INTEGERS, lo, hi, 0, n, NULL));
    if (!v)
        return 0;
    cJSON_ArrayForEach(e, v)
    {
        snprintf(full, sizeof full, "%s%s%s[%d]", path, *path ? "." : "", key, i);
        if (!json_in_whole(in, e, full, lo, hi, &out[i++]))
            return 0;
    }
    return 1;
}

const cJSON *json_in_array(json_in *in, const cJSON *object, const char *path, const char *key)
{
    json_in_note(in, path, key, JSON_ARRAY);
    return json_in_sized(in, object, path, key, -1);
}

const cJSON *json_in_object(json_in *in, const cJSON *object, const char *path, const char *key)
{
    const cJSON *v = json_in_member(in, object, key);
    char full[256];
    json_in_note(in, path, key, JSON_OBJECT);
    if (v && !cJSON_IsObject(v)) {
        json_in_error(in, json_in_join(full, sizeof full, path, key), "expected an object, found %s", json_in_kind(v));
        return NULL;
    }
    return v;
}
