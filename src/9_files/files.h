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

/* cti_scan -- a position in a text. The first error is kept, and the text is over after it: every later read finds its end and gives 0. So a reader
   needs no test after each read, only in loops that a count of the file ends. It must not move: it owns scratch memory. */
typedef struct cti_scan {
    const char *at, *end;
    const char *token; /* the last field that was read, [length] */
    int length;
    int64_t line;
    const char *start; /* NULL: errors name the line; else the start of a file with binary parts: its values are binary, errors name the byte */
    int big;           /* binary values have their most significant byte first */
    int comments;      /* 1: '#' starts a comment and '\' before a line's end joins it with the next */
    int spans;         /* 1: the values of a list may go on in the next line */
    ct_code code;      /* CT_OK, or the first error */
    ct_error_info *error;
    cti_mem *mem;      /* of the mesh */
    cti_mem own;       /* part of it: scratch, released by cti_scan_close */
    ct_mesh *mesh;
    int32_t *corners;  /* vertices of the element that is read */
    struct cti_file_polygon *polygons; /* those of four corners and more so far, until cti_mesh_finish */
} cti_scan;

/* cti_file_polygon -- a polygon as its fan in the list of triangles. */
typedef struct cti_file_polygon {
    int32_t first, n; /* triangles */
    int64_t place;    /* line or byte */
} cti_file_polygon;

/* cti_file_load -- reads the whole file into a growable array of bytes, which the caller frees after an error, too; CT_ERR_FILE, CT_ERR_MEMORY. */
CTI_FN ct_code cti_file_load(cti_mem *mem, const char *path, char **out_bytes, ct_error_info *error);
/* cti_file_write -- calls `write` on the file path + ".tmp", which replaces `path` when it is complete; until then the old file stays.
   Where a system does not rename over an existing file, the old one is removed first. Returns write's code (write reports its own errors),
   CT_ERR_FILE or CT_ERR_MEMORY. */
typedef ct_code cti_file_writer(FILE *f, void *user);
CTI_FN ct_code cti_file_write(cti_mem *mem, const char *path, cti_file_writer *write, void *user, ct_error_info *error);

/* cti_file_has_extension -- 1 if the path has this extension (with its dot, in lower case); the path's case does not matter. */
CTI_FN int cti_file_has_extension(const char *path, const char *extension);

/* cti_scan_open -- a scanner at the first line of a text, behind a byte order mark; mesh may be NULL. cti_scan_close -- frees all but the mesh, and
   returns the code. */
CTI_FN void cti_scan_open(cti_scan *s, cti_mem *mem, const char *bytes, size_t n, ct_mesh *mesh, ct_error_info *error);
CTI_FN ct_code cti_scan_close(cti_scan *s);
CTI_INLINE int cti_scan_ok(const cti_scan *s) { return s->code == CT_OK; }
/* cti_scan_fail -- records an error at the scanner's place, unless there is one already; returns 0. format may contain one %s for arg, which
   may be NULL. cti_scan_wrong -- the same, and the value that is wrong. cti_scan_memory -- records "out of memory". */
CTI_FN int cti_scan_fail(cti_scan *s, ct_code code, const char *format, const char *arg);
CTI_FN int cti_scan_wrong(cti_scan *s, int64_t value, const char *format, const char *arg);
CTI_FN int cti_scan_memory(cti_scan *s);
/* CTI_SCAN_PUSH, CTI_SCAN_KEEP -- appends to an array of the mesh, or of the scanner's own memory. */
#define CTI_SCAN_PUSH(s, array, value) ((void)(CTI_PUSH((s)->mem, array, value) || cti_scan_memory(s)))
#define CTI_SCAN_KEEP(s, array, value) ((void)(CTI_PUSH(&(s)->own, array, value) || cti_scan_memory(s)))
/* cti_scan_token -- the next field of the line; 0 at its end. cti_scan_word -- on this line or a later one; 0 at the end of the text. */
CTI_FN int cti_scan_token(cti_scan *s);
CTI_FN int cti_scan_word(cti_scan *s);
/* cti_scan_need, cti_scan_seek -- the same, with an error that names what is expected; after cti_scan_seek the field is still unread. */
CTI_FN int cti_scan_need(cti_scan *s, const char *what);
CTI_FN int cti_scan_seek(cti_scan *s, const char *what);
/* cti_scan_line -- moves to the start of the next line; 0 at the end of the text. cti_scan_content -- to the next line that is not empty. */
CTI_FN int cti_scan_line(cti_scan *s);
CTI_FN int cti_scan_content(cti_scan *s);
/* cti_scan_is -- 1 if the last field is `word`. cti_scan_like -- regardless of the field's case; word is in lower case. */
CTI_FN int cti_scan_is(const cti_scan *s, const char *word);
CTI_FN int cti_scan_like(const cti_scan *s, const char *word);
/* cti_scan_real, cti_scan_integer -- the next field as a finite number. cti_scan_count -- as a number of things, so small that an int holds twelve
   times as many. 0 and an error that names `what` if it is not one. */
CTI_FN ct_real cti_scan_real(cti_scan *s, const char *what);
CTI_FN int64_t cti_scan_integer(cti_scan *s, const char *what);
CTI_FN int64_t cti_scan_count(cti_scan *s, const char *what);
/* cti_scan_point -- a position of the mesh. */
CTI_FN void cti_scan_point(cti_scan *s, const char *what);
/* cti_scan_number -- converts a field to a number; 0 if it is none or is not finite in ct_real. cti_scan_double -- in double in every build. */
CTI_FN int cti_scan_number(const char *token, int length, ct_real *out);
CTI_FN int cti_scan_double(const char *token, int length, double *out);
/* cti_write_real -- writes " x" with 17 digits and a decimal point in every locale. */
CTI_FN void cti_write_real(FILE *f, double x);

/* cti_scan_scalar -- types of binary values; 0 is none of them. */
typedef enum cti_scan_scalar {
    CTI_SCALAR_NONE,
    CTI_SCALAR_I8,
    CTI_SCALAR_U8,
    CTI_SCALAR_I16,
    CTI_SCALAR_U16,
    CTI_SCALAR_I32,
    CTI_SCALAR_U32,
    CTI_SCALAR_I64,
    CTI_SCALAR_U64,
    CTI_SCALAR_F32,
    CTI_SCALAR_F64
} cti_scan_scalar;
/* cti_scan_type -- the type that the last field names, in PLY or VTK. cti_scan_width -- bytes of a value: in a text, the least it takes. */
CTI_FN cti_scan_scalar cti_scan_type(const cti_scan *s);
CTI_FN int cti_scan_width(const cti_scan *s, cti_scan_scalar type);
/* cti_scan_left -- 1 when `count` values of `size` bytes are still there, else 0 and an error that names `what`. A product that overflows
   counts as not there. */
CTI_FN int cti_scan_left(cti_scan *s, int64_t count, int64_t size, const char *what);
/* cti_scan_value_real, cti_scan_value_integer -- the next value, binary or a field, as a finite number or an integer; 0 and an error that names
   `what`. cti_scan_skip -- passes over `count` values. */
CTI_FN ct_real cti_scan_value_real(cti_scan *s, cti_scan_scalar type, const char *what);
CTI_FN int64_t cti_scan_value_integer(cti_scan *s, cti_scan_scalar type, const char *what);
CTI_FN void cti_scan_skip(cti_scan *s, cti_scan_scalar type, int64_t count, const char *what);

/* cti_mesh_fan -- adds the polygon [n] as triangles (0, i, i + 1), a corner that repeats the one before it left out; cti_mesh_chain -- adds the
   polyline as segments; cti_mesh_tet -- adds a tetrahedron. Polygons with n below 3 and polylines below 2: nothing. */
CTI_FN void cti_mesh_fan(cti_scan *s, const int32_t *polygon, int n);
CTI_FN void cti_mesh_chain(cti_scan *s, const int32_t *line, int n);
CTI_FN void cti_mesh_tet(cti_scan *s, const int32_t *corners);
/* cti_mesh_finish -- ends each reader: polygons whose fan is wrong are divided, triangles that have a vertex twice are dropped. 0 and an error at
   the line of a polygon that cannot be divided, or where there was one before. */
CTI_FN int cti_mesh_finish(cti_scan *s);

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

#endif
