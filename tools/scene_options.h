/* scene_options.h -- keys of a scene that set up solvers and steppers. */
#ifndef SCENE_OPTIONS_H
#define SCENE_OPTIONS_H

#include "json_in.h"
#include "scene.h"

/* scene_read_solver -- "solver_options"; scene_read_dcd -- "dcd"; scene_read_barrier -- "barrier". Missing keys have the library's defaults. */
void scene_read_solver(json_in *in, const cJSON *root, ct_solver_desc *out);
void scene_read_dcd(json_in *in, const cJSON *root, ct_dcd_desc *out);
void scene_read_barrier(json_in *in, const cJSON *root, ct_barrier_desc *out);
void scene_read_geometric(json_in *in, const cJSON *root, ct_geometric_desc *out);
void scene_read_penalty(json_in *in, const cJSON *root, ct_penalty_desc *out);
/* scene_read_contact -- "contact" of a body; values that are missing are -1. */
void scene_read_contact(json_in *in, const cJSON *body, const char *path, ct_contact_material *out);
/* scene_read_filter -- "filter" of a body. */
void scene_read_filter(json_in *in, const cJSON *body, const char *path, ct_filter *out);
/* restitution, and the rules of pairs */
void scene_read_restitution(json_in *in, const cJSON *root, scene *s);
void scene_read_layers(json_in *in, const cJSON *root, ct_layers_desc *out);
void scene_read_explicit(json_in *in, const cJSON *root, ct_explicit_desc *out);

#endif /* SCENE_OPTIONS_H */
