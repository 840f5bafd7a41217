/* scene.h -- a scene file as plain data. Lengths in metres, angles already in radians; repeats are not expanded here. */
#ifndef SCENE_H
#define SCENE_H

#include "../src/public/api.h"
#include "json_in.h"

typedef enum scene_type {
    SCENE_SOFT,
    SCENE_CLOTH,
    SCENE_ROD,
    SCENE_POINTS,
    SCENE_RIGID,
    SCENE_STATIC,
    SCENE_KINEMATIC,
    SCENE_TYPE_COUNT
} scene_type;
extern const char *const scene_type_names[SCENE_TYPE_COUNT];
typedef enum scene_shape { SCENE_SHAPE_MESH, SCENE_SHAPE_BOX, SCENE_SHAPE_GRID, SCENE_SHAPE_SPHERE, SCENE_SHAPE_PLANE, SCENE_SHAPE_LINE,
                           SCENE_SHAPE_NET } scene_shape;

typedef struct scene_transform {
    char kind; /* 's' scale, 'r' rotate [rad], 't' translate */
    double v[3];
} scene_transform;

typedef struct scene_fix {
    int has_box;
    double box[2][3];
    int32_t *vertices; /* NULL when has_box */
    int n_vertices;
    int axes; /* CT_AXIS_* */
    ct_motion_segment *motion; /* [n_motion] */
    int n_motion;
    double until; /* -1: for ever */
} scene_fix;

typedef struct scene_body {
    char *name;
    char path[32]; /* JSON path, "bodies[3]" */
    scene_type type;
    scene_shape shape;
    char *mesh, *surface; /* files, paths already relative to the working directory; NULL: none */
    double weld;    /* distance within which vertices of mesh and surface are merged; -1: they are not */
    double lattice; /* cell size of tets made around the surface; 0: none */
    double size[3];
    int cells[3];
    double normal[3], offset, plane_size, radius, from[3], to[3]; /* a line has cells[0] segments */
    int levels;
    ct_material material;
    ct_rod_desc rod;       /* which keys a rod's material has; likewise of points */
    ct_points_desc points;
    int bends; /* young is divided by the factor that locking.h measures */
    scene_transform *transform;
    int n_transform;
    double velocity[3], angular_velocity[3]; /* [rad/s] */
    ct_motion_segment *motion; /* [n_motion] kinematic */
    int n_motion;
    char *keyframes; /* pattern of file names, path already relative to the working directory; NULL: none */
    double keyframe_interval;
    int repeat[3];
    double spacing[3];
    scene_fix *fix;
    int n_fix;
    double friction, restitution, thickness; /* -1: the scene's; a thickness of rods and points -1: twice their radius */
    double friction_torsional, friction_rolling; /* [m] */
    ct_contact_material contact;
    ct_filter filter;
    int self_collision; /* -1: the scene's */
    int sensor;
    double surface_velocity[3];
    double gravity_scale, pressure, force[3];
    ct_air air; /* drag and lift 0: none acts */
} scene_body;

typedef struct scene_joint {
    char path[32]; /* JSON path, "joints[2]" or "stitches[0]" */
    ct_joint_kind kind;
    char *body[2]; /* names; NULL: the world */
    int vertex[2]; /* -1: none */
    double point[3], axis[3], compliance, angular_compliance, rest_length;
    int collide;   /* -1: the library's default */
    double limits[2], motor[2], spring[3], breaks[2];
    int has_limits, has_motor, has_spring, has_breaks;
} scene_joint;

typedef struct scene {
    char *file, *name;
    double dt, duration; /* duration -1: not given */
    double gravity[3], wind[3], thickness, friction, restitution, restitution_threshold;
    ct_restitution_law restitution_law;
    ct_combine friction_combine, restitution_combine;
    double friction_until; /* [s] from then on no body has friction; < 0: never */
    int self_collision;
    double sleep_time, sleep_speed;
    double frame_work, frame_ms;
    char stepper[32], solver[32], integrator[32]; /* "": the library's default */
    ct_solver_desc solver_options; /* its solver field is not used */
    ct_dcd_desc dcd;
    ct_barrier_desc barrier;
    ct_geometric_desc geometric;
    ct_layers_desc layers;
    ct_penalty_desc penalty;
    ct_explicit_desc rk; /* "explicit" */
    int newton_iterations; /* of the world */
    int hashed; /* "broad_phase": "hash" */
    scene_body *bodies;
    int n_bodies;
    scene_joint *joints; /* stitches too */
    int n_joints;
    ct_row_mode row_mode;
    int ccd_limits_step;
    int has_camera;
    double eye[3], target[3], fov;
    int has_ground;
    double ground; /* [m] height of a floor that pictures show and no body meets */
    int subdivide; /* levels of subdivision of cloth in pictures, 0 to 2 */
} scene;

/* scene_read -- with the changes `sets` [n_sets] (scene_set): 1, or 0 after printing file, JSON path (or line) and what was expected to stderr. */
int scene_read(const char *file, const char *const *sets, int n_sets, scene *out);
/* scene_tell -- reads the text of a scene, and calls `note` for every member that the reader asks for. */
int scene_tell(const char *text, json_note_fn *note, void *user);
/* scene_set -- "KEY=VALUE" into a scene: a path as errors name it, bodies[0].friction, or bodies[NAME].friction; the value is JSON, or else text. 1, or
   0 after printing what is wrong. */
int scene_set(cJSON *root, const char *text);
void scene_free(scene *s);
/* scene_stepper and so on -- the library's names by number, "?" where there is none. */
const char *scene_stepper(int i);
const char *scene_solver(int i);
const char *scene_integrator(int i);

#endif /* SCENE_H */
