/* files.h -- code that the readers share: a file held in memory, a scanner that counts lines, numbers, errors that name the line.
   Method: lines end with LF, CR LF or CR; fields are separated by blanks; there is no limit on the length of a line or a file. Numbers are
   correctly rounded in every locale: short ones exactly (Clinger 1990: an integer below 2^53 times or over a power of ten up to 10^22),
   others by strtod with the locale's decimal point put in. Binary parts are read with the same scanner, value by value; their errors name
   the byte. Counts in a file are not trusted: arrays grow only with data that is really there. */
#pragma once

#include "../0_base/log.h"
#include "../0_base/fpenv.h"
#include "../0_base/array.h"
#include "../1_math/real.h"

#if CONTACT_WITH_FILES
#include <stdio.h>

/* cti_scan -- a position in a text. */
typedef struct cti_scan {
    const char *at, *end;
    int64_t line;
    const char *start; /* NULL: errors name the line; else the beginning of a file with binary parts, and errors name the byte */
    int big;           /* binary values have their most significant byte first */
    int comments;      /* 1: '#' starts a comment and '\' before a line's end joins it with the next */
    ct_code code;      /* CT_OK, or the first error */
    ct_error_info *error;
    cti_mem *mem;
    struct cti_file_polygon *polygons; /* those of four corners and more so far, until cti_mesh_finish */
} cti_scan;

/* cti_file_polygon -- a polygon as its fan in the list of triangles. */
typedef struct cti_file_polygon {
    int32_t first, n; /* triangles */
    int64_t place;    /* line or byte */
} cti_file_polygon;

/* cti_file_load -- reads the whole file into a growable array of bytes; CT_ERR_FILE, CT_ERR_MEMORY. */
CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error);
/* cti_file_error -- fills error (may be NULL) with "line N: " (line > 0) and a text; returns code. */
CTI_FN ct_code cti_file_error(ct_error_info *error, ct_code code, int64_t line, double value, const char *format, const char *arg);

/* cti_file_write -- calls `write` on the file path + ".tmp", which replaces `path` when it is complete; until then the old file stays.
   Where a system does not rename over an existing file, the old one is removed first. Returns write's code (write reports its own errors),
   CT_ERR_FILE or CT_ERR_MEMORY. */
typedef ct_code cti_file_writer(FILE *f, void *user);
CTI_FN ct_code cti_file_write(cti_mem *mem, const char *path, cti_file_writer *write, void *user, ct_error_info *error);

/* cti_file_has_extension -- 1 if the path has this extension (with its dot, in lower case); the path's case does not matter. */
CTI_FN int cti_file_has_extension(const char *path, const char *extension);

/* cti_scan_fail -- records an error at the scanner's line, unless there is one already; returns 0. format may contain one %s for arg, which
   may be NULL. */
CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg);
/* cti_scan_memory -- records "out of memory"; returns 0. */
CTI_FN int cti_scan_memory(cti_scan *s);
/* cti_scan_token -- the next field of the line; 0 at its end. */
CTI_FN int cti_scan_token(cti_scan *s, const char **token, int *length);
/* cti_scan_line -- moves to the start of the next line; 0 at the end of the text. */
CTI_FN int cti_scan_line(cti_scan *s);
/* cti_scan_content -- moves to the next line that is not empty; 0 at the end of the text. */
CTI_FN int cti_scan_content(cti_scan *s);
/* cti_scan_word -- the next field, on this line or a later one; 0 at the end of the text. */
CTI_FN int cti_scan_word(cti_scan *s, const char **token, int *length);
CTI_FN int cti_scan_is(const char *token, int length, const char *word);
/* cti_scan_like -- 1 if the token is `word`, which is in lower case, regardless of the token's case. */
CTI_FN int cti_scan_like(const char *token, int length, const char *word);
/* cti_scan_real, cti_scan_integer -- reads the next field as a finite number. 0 and an error that names `what` if it is not one. */
CTI_FN int cti_scan_real(cti_scan *s, ct_real *out, const char *what);
CTI_FN int cti_scan_integer(cti_scan *s, int64_t *out, const char *what);
/* cti_scan_point -- appends three coordinates to points. */
CTI_FN int cti_scan_point(cti_scan *s, ct_real **points, const char *what);
/* cti_scan_seek -- moves to the next field that is not a comment, here or on a later line; the field stays unread. */
CTI_FN int cti_scan_seek(cti_scan *s, const char *what);
/* cti_scan_wrong -- 0, and an error of format (text with one %s for what) with the value. */
CTI_FN int cti_scan_wrong(cti_scan *s, int64_t value, const char *text, const char *what);
/* cti_scan_number -- converts a field to a number; 0 if it is none or is not finite in ct_real. */
CTI_FN int cti_scan_number(const char *token, int length, ct_real *out);
/* cti_scan_double -- the same in double in every build. */
CTI_FN int cti_scan_double(const char *token, int length, double *out);
/* cti_write_real -- writes " x" with 17 digits and a decimal point in every locale. */
CTI_FN void cti_write_real(FILE *f, double x);

/* Types of binary values; 0 is none of them. */
typedef enum cti_ply_scalar {
    CTI_PLY_SCALAR_NONE,
    CTI_PLY_SCALAR_I8,
    CTI_PLY_SCALAR_U8,
    CTI_PLY_SCALAR_I16,
    CTI_PLY_SCALAR_U16,
    CTI_PLY_SCALAR_I32,
    CTI_PLY_SCALAR_U32,
    CTI_PLY_SCALAR_I64,
    CTI_PLY_SCALAR_U64,
    CTI_PLY_SCALAR_F32,
    CTI_PLY_SCALAR_F64
} cti_ply_scalar;
CTI_FN int cti_ply_scalar_size(cti_ply_scalar type);
/* cti_scan_left -- 1 when `count` values of `size` bytes are still there, else 0 and an error that names `what`. A product that overflows
   counts as not there. */
CTI_FN int cti_scan_left(cti_scan *s, int64_t count, int64_t size, const char *what);
/* cti_scan_raw_real, cti_scan_raw_integer -- reads the next binary value as a finite number or an integer; 0 and an error that names
   `what`. */
CTI_FN int cti_scan_raw_real(cti_scan *s, cti_ply_scalar type, ct_real *out, const char *what);
CTI_FN int cti_scan_raw_integer(cti_scan *s, cti_ply_scalar type, int64_t *out, const char *what);

/* cti_mesh_fan -- adds the polygon [n] as triangles (0, i, i + 1), a corner that repeats the one before it left out; cti_mesh_chain -- adds the
   polyline as segments. With n below 3 or 2: nothing. */
CTI_FN int cti_mesh_fan(cti_scan *s, ct_mesh *mesh, const int32_t *polygon, int n);
CTI_FN int cti_mesh_chain(cti_scan *s, ct_mesh *mesh, const int32_t *line, int n);
/* cti_mesh_finish -- ends each reader: polygons whose fan is wrong are divided, triangles that have a vertex twice are dropped. 0 and an error at
   the line of a polygon that cannot be divided. */
CTI_FN int cti_mesh_finish(cti_scan *s, ct_mesh *mesh);

/* Readers: from bytes to a mesh, which is empty at first. After an error the caller frees what is in the mesh. */
CTI_FN ct_code cti_read_obj(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_msh(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_ply(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_stl(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_read_vtk(cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
/* cti_read_tetgen -- the texts of .node, .ele and .face; one of ele and face may be NULL. */
CTI_FN ct_code cti_read_tetgen(cti_mem *mem, const char *const bytes[3], const size_t n[3], ct_mesh *mesh, ct_error_info *error);
/* cti_load_tetgen -- path is one of the three files; the others are looked for beside it. */
CTI_FN ct_code cti_load_tetgen(cti_mem *mem, const char *path, ct_mesh *mesh, ct_error_info *error);

#else
/* cti_file_unbuilt -- fills error (may be NULL) with what a build without files says; returns its code. */
CTI_FN ct_code cti_file_unbuilt(ct_error_info *error);
#endif
