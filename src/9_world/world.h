/* world.h -- the world: bodies over the step's state. */
#ifndef CTI_WORLD_H
#define CTI_WORLD_H

#include "../5_mesh/mesh.h"
#include "../8_step/step.h"

typedef enum cti_body_kind { CTI_BODY_FREE, CTI_BODY_SOFT, CTI_BODY_CLOTH, CTI_BODY_STATIC, CTI_BODY_PLANE } cti_body_kind;

typedef struct cti_body {
    cti_body_kind kind;
    uint32_t generation;
    char name[64];
    int n;                  /* vertices: blocks, or static positions */
    int block0;             /* first block; -1 for static bodies */
    ct_real *rest;          /* [3 n] positions when added */
    int32_t *triangles;     /* [3 nt] surface, body vertices */
    int32_t *segments;      /* [2 ns] */
    int32_t *surface_nodes; /* [n surface vertices] body vertices, sorted */
    int32_t *node_surface;  /* [n] surface vertex within the body or -1 */
    cti_topology topology;  /* of the surface, numbered by surface vertices */
    cti_model model;
    ct_material material;
    ct_real friction, thickness;
    ct_real plane_normal[3], plane_offset;
} cti_body;

struct ct_world {
    cti_mem mem;
    cti_arena arena;
    cti_state state;
    cti_body *bodies;       /* slots; kind FREE: unused */
    int32_t *surface_slot;  /* slot of each surface body */
    int n_alive;
    int ready;              /* surface, matrix and factors match the bodies */
    ct_error_info error;
    ct_pair *pairs;         /* of validate */
    ct_contact *contacts;
    int contacts_ready;
};

/* cti_world_fail -- records the culprit and returns the code. */
CTI_FN ct_code cti_world_fail(ct_world *w, ct_code code, ct_body_id body, int64_t element, double value, const char *text);
/* cti_world_slot -- slot of a live body or -1. */
CTI_FN int cti_world_slot(const ct_world *w, ct_body_id body);
CTI_FN ct_body_id cti_world_id(const ct_world *w, int slot);
/* cti_world_prepare -- builds surface, matrix pattern, factors after bodies changed. */
CTI_FN ct_code cti_world_prepare(ct_world *w);
CTI_FN void cti_world_unprepare(ct_world *w);
CTI_FN void cti_world_free_body(ct_world *w, cti_body *b);
/* cti_world_public_pair -- soup features to body features. */
CTI_FN void cti_world_public_pair(const ct_world *w, const cti_pair *p, ct_pair *out);

#define CTI_COOKIE 0x63740001u

#endif /* CTI_WORLD_H */
