/* output_fields.h -- frames with fields, and animations: formats that other programs open. docs/files.md describes what is in them. */
#ifndef OUTPUT_FIELDS_H
#define OUTPUT_FIELDS_H

#include "sim.h"
#include <stdio.h>

/* out_put -- the `bytes` low bytes of x, least significant first. out_put_f32, out_put_f64 -- a number of IEEE 754 likewise. */
void out_put(FILE *f, uint64_t x, int bytes);
void out_put_f32(FILE *f, double x);
void out_put_f64(FILE *f, double x);

/* out_vtu -- one frame as VTK's XML unstructured grid, data appended in binary, little endian. */
void out_vtu(FILE *f, const sim *m, double time);
/* out_pvd -- the series frame_00000.vtu and so on, with the time of each. */
void out_pvd(FILE *f, const int *numbers, const double *times, int n);

/* out_animation -- keeps frames for a glTF 2.0 file: rigid motions as those of nodes, others as morph targets. out_animation_glb -- writes
   it; NULL, or what prevents it. */
typedef struct out_animation out_animation;
out_animation *out_animation_create(const sim *m);
void out_animation_add(out_animation *a, const sim *m, double time);
const char *out_animation_glb(const out_animation *a, FILE *f);
void out_animation_free(out_animation *a);

#endif /* OUTPUT_FIELDS_H */
