/* thin.h -- rods and points of a scene: their keys, their meshes, and the tubes and balls that pictures show. */
#ifndef THIN_H
#define THIN_H

#include "json_in.h"
#include "sim.h"

/* thin_read_shape -- the value of "line" or "net". thin_read_material -- the whole "material" of a rod or of points, and the defaults without one. */
void thin_read_shape(json_in *in, const cJSON *o, const char *path, const char *kind, scene_body *out);
void thin_read_material(json_in *in, const cJSON *body, const char *body_path, scene_body *out);
/* thin_mesh -- the mesh of a line or a net; its arrays are freed by thin_free. */
void thin_mesh(const scene_body *b, ct_mesh *out);
void thin_free(ct_mesh *mesh);
/* thin_add -- a rod or points. thin_frames -- appends to list [n], vertices of a rod, the frames of all segments between them; has room for the
   mesh's segments; returns the new length. */
ct_code thin_add(ct_world *world, const scene_body *b, const char *name, const ct_mesh *mesh, ct_body_id *out);
int thin_frames(const ct_mesh *mesh, int32_t *list, int n);
/* thin_skin -- a tube around every segment, a ball at every vertex of one and at every single point: positions [3 nv], triangles [3 nt], the vertices
   of the body that they are around, from [nv]; to be freed. */
typedef struct thin_surface {
    double *positions;
    int32_t *triangles, *from;
    int n_vertices, n_triangles;
} thin_surface;
void thin_skin(const sim_body *b, thin_surface *out);

#endif /* THIN_H */
