/* log.c -- formatting of log lines and error infos into fixed buffers. */
#include "log.h"
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
    return code;
}

CTI_FN ct_code cti_error_ranges(ct_error_info *error, const cti_range *options, int n)
{
    for (; n > 0; n--, options++)
        if (!(options->value >= options->least && options->value <= options->most))
            return cti_error_set(error, CT_ERR_ARGUMENT, -1, options->value, "%s", options->rule);
    return CT_OK;
}
