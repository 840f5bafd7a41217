/* log.c -- formatting of log lines and error infos into fixed buffers. */
#include "log.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

CTI_FN void cti_logger_write(const cti_logger *log, ct_log_level level, const char *format, ...)
{
    char line[512];
    va_list args;
    if (!log || !log->fn)
        return;
    va_start(args, format);
    if (vsnprintf(line, sizeof line, format, args) < 0)
        line[0] = '\0';
    va_end(args);
    log->fn(level, line, log->user);
}

static void cti_error_clear(ct_error_info *error)
{
    if (!error)
        return;
    memset(error, 0, sizeof *error);
    error->code = CT_OK;
    error->element = -1;
    error->text = error->buffer;
}

/* " (element: tet, value: volume)" or " (value: tets)" at `hint` of a text, into out */
static void cti_error_numbers(const ct_error_info *e, const char *hint, char *out, size_t size)
{
    int whole = fabs(e->value) < 1e15 && floor(e->value) == e->value, n = 0;
    const char *what = strstr(hint, "element: "), *value = strstr(hint, "value: ");
    out[0] = '\0';
    if (what && e->element >= 0)
        n = snprintf(out, size, " (%.*s %lld", (int)strcspn(what + 9, ",)"), what + 9, (long long)e->element);
    if (value && n >= 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, whole ? "%s%.*s %.0f" : "%s%.*s %.4g", n ? ", " : " (", (int)strcspn(value + 7, ")"), value + 7,
                      e->value);
    if (n > 0 && (size_t)n + 1 < size)
        strcpy(out + n, ")");
}

CTI_FN void cti_error_compose(ct_error_info *error, const char *name)
{
    const char *text = error->text, *hint = strstr(text, " (element: "), *rest = "";
    char numbers[80] = "", before[44] = "", whole[sizeof error->buffer];
    if (!hint)
        hint = strstr(text, " (value: ");
    if (hint) {
        cti_error_numbers(error, hint, numbers, sizeof numbers);
        rest = hint + strcspn(hint, ")");
        rest += *rest == ')';
    }
    if (name && *name)
        snprintf(before, sizeof before, "body '%.32s': ", name);
    if (*before && !strncmp(text, before, strlen(before) - 2)) /* it is there, also as "body 'NAME', vertex 3: " */
        before[0] = '\0';
    if (!hint && !*before)
        return;
    snprintf(whole, sizeof whole, "%s%.*s%s%s", before, hint ? (int)(hint - text) : (int)strlen(text), text, numbers, rest);
    strcpy(error->buffer, whole);
    error->text = error->buffer;
}

CTI_FN ct_code cti_error_set(ct_error_info *error, ct_code code, int64_t element, double value, const char *format, ...)
{
    va_list args;
    if (!error)
        return code;
    cti_error_clear(error);
    error->code = code;
    error->element = element;
    error->value = cti_finite64(value) ? value : 0;
    va_start(args, format);
    if (vsnprintf(error->buffer, sizeof error->buffer, format, args) < 0)
        error->buffer[0] = '\0';
    va_end(args);
    cti_error_compose(error, NULL);
    return code;
}

CTI_FN ct_code cti_error_ranges(ct_error_info *error, const cti_range *options, int n)
{
    for (; n > 0; n--, options++)
        if (!(options->value >= options->least && options->value <= options->most))
            return cti_error_set(error, CT_ERR_ARGUMENT, -1, options->value, "%s", options->rule);
    return CT_OK;
}
