/* log.h -- messages to the caller's log function, and error infos that name the culprit. Nothing is ever printed by the library. */
#pragma once

#include "platform.h"
#include <limits.h>

typedef struct cti_logger {
    ct_log_fn *fn; /* NULL: messages are dropped */
    void *user;
} cti_logger;

#if defined(__GNUC__) || defined(__clang__)
#define CTI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CTI_PRINTF(text, first)
#endif

/* cti_logger_write -- one line without its newline, cut at 500 characters. */
CTI_FN void cti_logger_write(const cti_logger *log, ct_log_level level, const char *format, ...) CTI_PRINTF(3, 4);

/* cti_error_set -- fills *error (may be NULL) and returns code, so that `return cti_error_set(...)` ends a function. The text is composed
   into error->buffer; element -1 and value 0 mean nothing; body stays null. A text may end with a hint, "(element: tet, value: volume)" or
   "(value: bytes)": the user reads the numbers there, "(tet 3, volume -0.5)". */
CTI_FN ct_code cti_error_set(ct_error_info *error, ct_code code, int64_t element, double value, const char *format, ...) CTI_PRINTF(5, 6);

/* cti_error_compose -- the numbers in place of the text's hint, and "body 'NAME': " before a text that has not the name; name NULL: none. */
CTI_FN void cti_error_compose(ct_error_info *error, const char *name);

/* CTI_ERROR_UNBUILT -- CT_ERR_UNSUPPORTED: a part of the library that a switch has removed. */
#define CTI_ERROR_UNBUILT(error, what, name) cti_error_set(error, CT_ERR_UNSUPPORTED, -1, 0, "built without " what " (" #name " 0)")

/* CTI_THEN -- the next of calls of which each is made if all before it were CT_OK. */
#define CTI_THEN(code, call) ((code) = (code) == CT_OK ? (call) : (code))

/* cti_range -- an option with its least and its largest value, and what an error says of it. */
typedef struct cti_range {
    double value, least, most;
    const char *rule;
} cti_range;
#define CTI_POSITIVE 2.2250738585072014e-308 /* least value of an option above 0 */
#define CTI_FINITE ((double)CTI_REAL_MAX)    /* largest value of an option that has no bound */
#define CTI_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* cti_error_ranges -- CT_OK, or CT_ERR_ARGUMENT for the first of n options that is out of its range or NaN. */
CTI_FN ct_code cti_error_ranges(ct_error_info *error, const cti_range *options, int n);
