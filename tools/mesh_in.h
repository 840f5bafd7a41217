/* mesh_in.h -- mesh files that the library does not read, because games have no use for them: MEDIT .mesh and .meshb, VTK's .vtu, glTF's
   .gltf and .glb. A reader gets the whole file and adds what it finds to a mesh. The first error is kept with the place that it names;
   later calls change nothing. */
#ifndef MESH_IN_H
#define MESH_IN_H

#include "../src/public/api.h"
#include <stddef.h>

typedef struct mesh_in {
    const char *path;
    const unsigned char *data; /* [n] the file, with a byte 0 behind it */
    size_t n;
    ct_mesh mesh; /* with arrays as the library makes them */
    ct_code code; /* CT_OK, or the first error's */
    char text[400];
    int64_t place;
} mesh_in;

/* mesh_in_read -- as ct_mesh_read, with these formats and those of the library. */
ct_code mesh_in_read(const char *path, ct_mesh *out_mesh, ct_error_info *out_error);

/* mesh_in_fail -- keeps an error at a place, "line", "byte" and so on (NULL: none); returns 0. */
int mesh_in_fail(mesh_in *m, ct_code code, const char *unit, int64_t place, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* mesh_in_load -- the bytes of a file and a 0 behind them, to free; NULL: it cannot be read. */
unsigned char *mesh_in_load(const char *path, size_t *out_n);
/* mesh_in_point -- one more vertex; 0 after an error: it is not finite. */
int mesh_in_point(mesh_in *m, const double x[3]);
/* mesh_in_tet, mesh_in_segment, mesh_in_polygon -- one more element; vertices are counted from 0 and have been read. A polygon becomes
   triangles: of four corners along the diagonal that keeps their orientation, of more as a fan. An error where there is no such division.
 */
int mesh_in_tet(mesh_in *m, const int64_t corners[4]);
int mesh_in_segment(mesh_in *m, const int64_t corners[2]);
int mesh_in_polygon(mesh_in *m, const int64_t *corners, int n);

/* mesh_in_base64 -- decodes `text` [n], blanks left out, up to `most` bytes; the number of bytes, -1: not base64. *out_used: characters
   that were read: all, or up to the padding. */
long mesh_in_base64(const char *text, size_t n, unsigned char *out, size_t most, size_t *out_used);
/* mesh_in_bits -- a number of `size` bytes. mesh_in_f32, mesh_in_f64 -- these as a number of IEEE 754. */
uint64_t mesh_in_bits(const unsigned char *at, int size, int big);
double mesh_in_f32(uint64_t bits);
double mesh_in_f64(uint64_t bits);

/* Readers of one format each. They return when the file is read, or at the first error. */
void mesh_in_medit(mesh_in *m, int is_binary);
void mesh_in_vtu(mesh_in *m);
void mesh_in_gltf(mesh_in *m, int is_binary);

#endif /* MESH_IN_H */
