/* files.h -- what the readers share: a file held in memory, a scanner that counts lines, numbers, errors that name the line.
   Method: lines end with LF, CR LF or CR; fields are separated by blanks; there is no limit on the length of a line or a file. Numbers are
   correctly rounded in every locale: short ones exactly (Clinger 1990: an integer below 2^53 times or over a power of ten up to 10^22),
   others by strtod with the locale's decimal point put in. */
#ifndef CTI_FILES_H
#define CTI_FILES_H

#include "../0_base/array.h"
#include "../1_math/real.h"

#if CONTACT_WITH_FILES

/* cti_scan -- a place in a text. */
typedef struct cti_scan {
    const char *at, *end;
    int64_t line;
    int comments; /* 1: '#' starts a comment and '\' before a line's end joins it with the next */
    ct_code code; /* CT_OK, or the first error */
    ct_error_info *error;
    cti_mem *mem;
} cti_scan;

/* cti_file_load -- the whole file as growable array of bytes; CT_ERR_FILE, CT_ERR_MEMORY. */
CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error);
/* cti_file_error -- fills error (may be NULL) with "line N: " (line > 0) and a text; returns code. */
CTI_FN ct_code cti_file_error(ct_error_info *error, ct_code code, int64_t line, double value, const char *format, const char *arg);

/* cti_scan_fail -- the error at the scanner's line, once; returns 0. arg: for %.*s-free texts with one %s, may be NULL. */
CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg);
/* cti_scan_memory -- "out of memory"; returns 0. */
CTI_FN int cti_scan_memory(cti_scan *s);
/* cti_scan_token -- the next field of the line; 0 at its end. */
CTI_FN int cti_scan_token(cti_scan *s, const char **token, int *length);
/* cti_scan_line -- to the start of the next line; 0 at the end of the text. */
CTI_FN int cti_scan_line(cti_scan *s);
CTI_FN int cti_scan_is(const char *token, int length, const char *word);
/* cti_scan_real, cti_scan_integer -- the next field as a finite number; 0 and an error that names `what` when it is none. */
CTI_FN int cti_scan_real(cti_scan *s, ct_real *out, const char *what);
CTI_FN int cti_scan_integer(cti_scan *s, int64_t *out, const char *what);
/* cti_scan_number -- a field as a number; 0 when it is none, or is not finite in ct_real. */
CTI_FN int cti_scan_number(const char *token, int length, ct_real *out);

/* Readers: bytes to mesh (empty at first). What they wrote into mesh before an error is the caller's to free. */
CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);

#endif
#endif /* CTI_FILES_H */
