/* scene.c -- reads a scene file. Method: every object is checked for unknown keys first, then each key for type and range. The first error
   ends reading, with file, JSON path and what was expected. A stepper or solver that is not built is refused only if the scene would use
   it. */
#include "scene.h"
#include "scene_options.h"
#include "cli.h"
#include "json_in.h"
#include "thin.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_DEGREE 0.017453292519943295769
#define SCENE_INF HUGE_VAL

const char *const scene_type_names[SCENE_TYPE_COUNT] = {"soft", "cloth", "rod", "points", "rigid", "static", "kinematic"};

typedef struct scene_reader {
    json_in in;
    const char *file;
    scene *out;
} scene_reader;

/* a path that is relative in the scene is relative to the scene file */
static char *scene_path(const char *scene_file, const char *name)
{
    const char *slash = strrchr(scene_file, '/');
    size_t n = name[0] == '/' || !slash ? 0 : (size_t)(slash - scene_file) + 1;
    char *path = (char *)cli_alloc(n + strlen(name) + 1, 1);
    memcpy(path, scene_file, n);
    strcpy(path + n, name);
    return path;
}

static void scene_read_segment(json_in *in, const cJSON *motion, const char *path, const char *keys, ct_motion *out)
{
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, center[3] = {0, 0, 0};
    int k;
    json_in_keys(in, motion, path, keys);
    json_in_numbers(in, motion, path, "linear", linear, 3);
    json_in_numbers(in, motion, path, "angular", angular, 3);
    json_in_numbers(in, motion, path, "center", center, 3);
    for (k = 0; k < 3; k++) {
        out->linear[k] = (ct_real)linear[k];
        out->angular[k] = (ct_real)(angular[k] * SCENE_DEGREE);
        out->center[k] = (ct_real)center[k];
    }
}

/* "motion": one for ever, or an array of pieces; the last piece may lack its duration */
static void scene_read_motion(json_in *in, const cJSON *owner, const char *path, ct_motion_segment **out, int *out_n)
{
    const cJSON *motion = cJSON_GetObjectItemCaseSensitive(owner, "motion"), *e;
    char full[128], piece[144];
    int n;
    json_in_note(in, path, "motion", JSON_OBJECT);
    json_in_note(in, path, "motion", JSON_ARRAY);
    if (!motion)
        return;
    snprintf(full, sizeof full, "%s%smotion", path, *path ? "." : "");
    if (!cJSON_IsArray(motion) && !cJSON_IsObject(motion)) {
        json_in_error(in, full, "expected an object, or an array of objects");
        return;
    }
    n = cJSON_IsArray(motion) ? cJSON_GetArraySize(motion) : 1;
    *out = (ct_motion_segment *)cli_alloc((size_t)n, sizeof **out);
    if (cJSON_IsObject(motion)) {
        scene_read_segment(in, motion, full, "linear angular center", &(*out)->motion);
        (*out)->duration = -1;
        *out_n = 1;
        return;
    }
    cJSON_ArrayForEach(e, motion)
    {
        ct_motion_segment *m = *out + *out_n;
        snprintf(piece, sizeof piece, "%s[%d]", full, (*out_n)++);
        scene_read_segment(in, e, piece, "linear angular center duration", &m->motion);
        m->duration = json_in_number(in, e, piece, "duration", -1, 0, SCENE_INF, 0);
        if (m->duration < 0 && *out_n < n)
            json_in_error(in, piece, "expected a duration in seconds; only the last piece may do without");
    }
}

/* "keyframes": a pattern of files of one mesh each, in the natural order of their names */
static void scene_read_keyframes(scene_reader *r, const cJSON *body, scene_body *b)
{
    const char *text = json_in_string(&r->in, body, b->path, "keyframes");
    b->keyframe_interval = json_in_number(&r->in, body, b->path, "keyframe_interval", -1, 0, SCENE_INF, JSON_IN_ABOVE);
    if (text)
        b->keyframes = scene_path(r->file, text);
    if (text && b->type != SCENE_KINEMATIC)
        json_in_error(&r->in, b->path, "expected \"keyframes\" only in bodies of type kinematic");
    if (!text && b->keyframe_interval > 0)
        json_in_error(&r->in, b->path, "expected \"keyframes\" beside \"keyframe_interval\"");
}

static void scene_read_box(json_in *in, const cJSON *fix, const char *path, scene_fix *out)
{
    const cJSON *box = json_in_array(in, fix, path, "box"), *e;
    char full[160];
    int i = 0, k;
    snprintf(full, sizeof full, "%s.box", path);
    if (!box)
        return;
    if (cJSON_GetArraySize(box) != 2) {
        json_in_error(in, full, "expected two corners, [[x, y, z], [x, y, z]]");
        return;
    }
    cJSON_ArrayForEach(e, box)
    {
        /* a corner has no key: wrap the reader by hand */
        const cJSON *c = cJSON_IsArray(e) ? e->child : NULL;
        if (!cJSON_IsArray(e) || cJSON_GetArraySize(e) != 3) {
            json_in_error(in, full, "expected two corners of three numbers, [[x, y, z], [x, y, z]]");
            return;
        }
        for (k = 0; k < 3; k++, c = c->next) {
            if (!cJSON_IsNumber(c) || !(fabs(c->valuedouble) < SCENE_INF)) {
                json_in_error(in, full, "expected two corners of three finite numbers");
                return;
            }
            out->box[i][k] = c->valuedouble;
        }
        i++;
    }
    for (k = 0; k < 3; k++)
        if (out->box[0][k] > out->box[1][k])
            json_in_error(in, full, "the first corner must not be above the second on any axis");
    out->has_box = 1;
}

static int scene_read_axes(json_in *in, const cJSON *fix, const char *path)
{
    const char *axes = json_in_string(in, fix, path, "axes"), *c;
    char full[160];
    int mask = 0;
    if (!axes)
        return CT_AXIS_ALL;
    snprintf(full, sizeof full, "%s.axes", path);
    for (c = axes; *c; c++) {
        int bit = *c == 'x' ? CT_AXIS_X : (*c == 'y' ? CT_AXIS_Y : (*c == 'z' ? CT_AXIS_Z : 0));
        if (!bit || (mask & bit)) {
            json_in_error(in, full, "expected some of the letters x, y, z, each once, found \"%s\"", axes);
            return CT_AXIS_ALL;
        }
        mask |= bit;
    }
    return mask;
}

static void scene_read_fix(json_in *in, const cJSON *fix, const char *path, scene_fix *out)
{
    const cJSON *list;
    out->until = -1;
    json_in_keys(in, fix, path, "box vertices axes motion until");
    if (in->failed)
        return;
    scene_read_box(in, fix, path, out);
    list = json_in_array(in, fix, path, "vertices");
    if (list && out->has_box)
        json_in_error(in, path, "expected \"box\" or \"vertices\", not both");
    else if (list) {
        out->n_vertices = cJSON_GetArraySize(list);
        out->vertices = (int32_t *)cli_alloc((size_t)out->n_vertices, sizeof *out->vertices);
        json_in_ints(in, fix, path, "vertices", out->vertices, out->n_vertices, 0, 2147483646);
    } else if (!out->has_box)
        json_in_error(in, path, "expected \"box\" or \"vertices\"");
    out->axes = scene_read_axes(in, fix, path);
    scene_read_motion(in, fix, path, &out->motion, &out->n_motion);
    out->until = json_in_number(in, fix, path, "until", -1, 0, SCENE_INF, 0);
}

static void scene_read_transform(json_in *in, const cJSON *body, const char *path, scene_body *out)
{
    const cJSON *list = json_in_array(in, body, path, "transform"), *e;
    char full[128];
    int i = 0, k;
    if (!list)
        return;
    out->transform = (scene_transform *)cli_alloc((size_t)cJSON_GetArraySize(list), sizeof *out->transform);
    cJSON_ArrayForEach(e, list)
    {
        scene_transform *t = &out->transform[i];
        snprintf(full, sizeof full, "%s.transform[%d]", path, i++);
        if (!json_in_keys(in, e, full, "scale rotate translate"))
            return;
        if (cJSON_GetArraySize(e) != 1) {
            json_in_error(in, full, "expected one of \"scale\", \"rotate\", \"translate\"");
            return;
        }
        t->kind = e->child->string[0];
        json_in_numbers(in, e, full, e->child->string, t->v, 3);
        for (k = 0; k < 3; k++) {
            if (t->kind == 'r')
                t->v[k] *= SCENE_DEGREE;
            if (t->kind == 's' && t->v[k] == 0)
                json_in_error(in, full, "expected a scale that is not 0");
        }
    }
    out->n_transform = i;
}

static ct_model scene_read_model(json_in *in, const cJSON *material, const char *path, scene_type type)
{
    static const char words[] = "corotational stvk neohookean stable_neohookean hong_neohookean membrane springs";
    ct_model model = (ct_model)json_in_choice(in, material, path, "model", words, type == SCENE_CLOTH ? CT_MODEL_SPRINGS : CT_MODEL_COROTATIONAL);
    char full[128];
    int cloth = model >= CT_MODEL_MEMBRANE;
    snprintf(full, sizeof full, "%s.model", path);
    if (type == SCENE_CLOTH && !cloth)
        json_in_error(in, full, "expected membrane or springs for a cloth, found \"%s\"", json_in_string(in, material, path, "model"));
    if (type == SCENE_SOFT && cloth)
        json_in_error(in, full, "expected corotational, stvk, neohookean, stable_neohookean or hong_neohookean for a soft body, found \"%s\"",
                      json_in_string(in, material, path, "model"));
    return model;
}

/* refuses keys that the format has, but that an object of this kind does not use; `used` lists those that it uses */
static void scene_refuse_unused(json_in *in, const cJSON *object, const char *path, const char *used, const char *kind)
{
    const cJSON *v;
    char full[256];
    for (v = object->child; v && !in->failed; v = v->next)
        if (!json_in_listed(v->string, used)) {
            snprintf(full, sizeof full, "%s.%s", path, v->string);
            json_in_error(in, full, "%s does not use this key; expected some of: %s", kind, used);
        }
}

static void scene_check_material(json_in *in, const cJSON *material, const char *path, const scene_body *b)
{
    const cJSON *damping = json_in_object(in, material, path, "damping");
    char full[128];
    int membrane = b->material.model == CT_MODEL_MEMBRANE;
    if (b->type == SCENE_RIGID)
        scene_refuse_unused(in, material, path, "density damping", "a rigid body");
    else if (b->type == SCENE_SOFT)
        scene_refuse_unused(in, material, path, "model young poisson density damping bends", "a soft body");
    else if (membrane)
        scene_refuse_unused(in, material, path, "model young poisson thickness bending areal_density damping", "a cloth of model membrane");
    else
        scene_refuse_unused(in, material, path, "model stretch shear bend areal_density strain_limit damping", "a cloth of model springs");
    snprintf(full, sizeof full, "%s.damping", path);
    if (damping && b->type == SCENE_RIGID)
        scene_refuse_unused(in, damping, full, "mass", "a rigid body");
}

static void scene_read_material(json_in *in, const cJSON *body, const char *body_path, scene_body *out)
{
    const cJSON *m = json_in_object(in, body, body_path, "material"), *damping;
    char path[96], full[128];
    ct_material *t = &out->material;
    *t = ct_material_default(out->type == SCENE_CLOTH ? CT_MODEL_SPRINGS : CT_MODEL_COROTATIONAL);
    if (!m)
        return;
    snprintf(path, sizeof path, "%s.material", body_path);
    if (out->type == SCENE_STATIC || out->type == SCENE_KINEMATIC) {
        json_in_error(in, path, "expected no \"material\" in a body of type %s; \"friction\" is a key of the body", scene_type_names[out->type]);
        return;
    }
    json_in_keys(in, m, path, "model young poisson density damping thickness bending areal_density stretch shear bend strain_limit bends");
    out->bends = json_in_bool(in, m, path, "bends", 0);
    *t = ct_material_default(scene_read_model(in, m, path, out->type));
    t->young = (ct_real)json_in_number(in, m, path, "young", t->young, 0, SCENE_INF, JSON_IN_ABOVE);
    t->poisson = (ct_real)json_in_number(in, m, path, "poisson", t->poisson, 0, 0.5, JSON_IN_BELOW);
    t->density = (ct_real)json_in_number(in, m, path, "density", t->density, 0, SCENE_INF, JSON_IN_ABOVE);
    t->shell_thickness = (ct_real)json_in_number(in, m, path, "thickness", t->shell_thickness, 0, SCENE_INF, JSON_IN_ABOVE);
    t->bending = (ct_real)json_in_number(in, m, path, "bending", t->bending, 0, SCENE_INF, 0);
    t->areal_density = (ct_real)json_in_number(in, m, path, "areal_density", t->areal_density, 0, SCENE_INF, JSON_IN_ABOVE);
    t->stretch = (ct_real)json_in_number(in, m, path, "stretch", t->stretch, 0, SCENE_INF, 0);
    t->shear = (ct_real)json_in_number(in, m, path, "shear", t->shear, 0, SCENE_INF, 0);
    t->bend = (ct_real)json_in_number(in, m, path, "bend", t->bend, 0, SCENE_INF, 0);
    t->strain_limit = (ct_real)json_in_number(in, m, path, "strain_limit", t->strain_limit, 0, SCENE_INF, 0);
    damping = json_in_object(in, m, path, "damping");
    if (damping) {
        snprintf(full, sizeof full, "%s.damping", path);
        json_in_keys(in, damping, full, "mass stiffness");
        t->damping_mass = (ct_real)json_in_number(in, damping, full, "mass", t->damping_mass, 0, SCENE_INF, 0);
        t->damping_stiffness = (ct_real)json_in_number(in, damping, full, "stiffness", t->damping_stiffness, 0, SCENE_INF, 0);
    }
    scene_check_material(in, m, path, out);
}

static void scene_read_sizes(json_in *in, const cJSON *o, const char *path, scene_body *out, int n)
{
    int k;
    for (k = 0; k < 3; k++)
        out->size[k] = 1, out->cells[k] = 1;
    json_in_numbers(in, o, path, "size", out->size, n);
    json_in_ints(in, o, path, "cells", out->cells, n, 1, 4096);
    for (k = 0; k < n; k++)
        if (!(out->size[k] > 0))
            json_in_error(in, path, "expected a size > 0 on every axis");
}

static void scene_read_plane(json_in *in, const cJSON *o, const char *path, scene_body *out)
{
    double n;
    out->normal[1] = 1;
    json_in_keys(in, o, path, "normal offset size");
    json_in_numbers(in, o, path, "normal", out->normal, 3);
    n = sqrt(out->normal[0] * out->normal[0] + out->normal[1] * out->normal[1] + out->normal[2] * out->normal[2]);
    if (!(n > 0))
        json_in_error(in, path, "expected a normal that is not 0");
    else
        out->normal[0] /= n, out->normal[1] /= n, out->normal[2] /= n;
    out->offset = json_in_number(in, o, path, "offset", 0, -SCENE_INF, SCENE_INF, 0);
    out->plane_size = json_in_number(in, o, path, "size", 10, 0, SCENE_INF, JSON_IN_ABOVE);
}

static void scene_read_shape(json_in *in, const cJSON *body, const char *body_path, scene_body *out)
{
    const cJSON *shape = json_in_object(in, body, body_path, "shape"), *o;
    char path[96], full[128];
    if (!shape)
        return;
    snprintf(path, sizeof path, "%s.shape", body_path);
    if (!json_in_keys(in, shape, path, "box grid line net plane sphere"))
        return;
    if (cJSON_GetArraySize(shape) != 1) {
        json_in_error(in, path, "expected one of \"box\", \"grid\", \"line\", \"net\", \"plane\", \"sphere\"");
        return;
    }
    o = json_in_object(in, shape, path, shape->child->string);
    snprintf(full, sizeof full, "%s.%s", path, shape->child->string);
    if (!o)
        return;
    if (!strcmp(shape->child->string, "plane")) {
        out->shape = SCENE_SHAPE_PLANE;
        scene_read_plane(in, o, full, out);
        if (out->type != SCENE_STATIC)
            json_in_error(in, full, "expected a body of type static with a plane");
    } else if (!strcmp(shape->child->string, "box")) {
        out->shape = SCENE_SHAPE_BOX;
        json_in_keys(in, o, full, "size cells");
        scene_read_sizes(in, o, full, out, 3);
    } else if (!strcmp(shape->child->string, "grid")) {
        out->shape = SCENE_SHAPE_GRID;
        json_in_keys(in, o, full, "size cells");
        scene_read_sizes(in, o, full, out, 2);
    } else if (!strcmp(shape->child->string, "line") || !strcmp(shape->child->string, "net")) {
        thin_read_shape(in, o, full, shape->child->string, out);
    } else {
        out->shape = SCENE_SHAPE_SPHERE;
        json_in_keys(in, o, full, "radius levels");
        out->radius = json_in_number(in, o, full, "radius", 0.5, 0, SCENE_INF, JSON_IN_ABOVE);
        out->levels = json_in_int(in, o, full, "levels", 3, 0, 7);
    }
    if (out->type == SCENE_SOFT && out->shape != SCENE_SHAPE_BOX)
        json_in_error(in, full, "expected a box or a mesh of tetrahedra for a soft body");
    if (out->type == SCENE_ROD && out->shape != SCENE_SHAPE_LINE && out->shape != SCENE_SHAPE_NET)
        json_in_error(in, full, "expected a line, a net or a mesh of segments for a rod");
}

static void scene_read_repeat(json_in *in, const cJSON *body, const char *body_path, scene_body *out)
{
    const cJSON *r = json_in_object(in, body, body_path, "repeat");
    char path[96];
    out->repeat[0] = out->repeat[1] = out->repeat[2] = 1;
    if (!r)
        return;
    snprintf(path, sizeof path, "%s.repeat", body_path);
    if (out->shape == SCENE_SHAPE_PLANE) {
        json_in_error(in, path, "expected no \"repeat\" of a plane, which has no end");
        return;
    }
    json_in_keys(in, r, path, "count spacing");
    json_in_ints(in, r, path, "count", out->repeat, 3, 1, 10000);
    json_in_numbers(in, r, path, "spacing", out->spacing, 3);
    if (!in->failed && (double)out->repeat[0] * out->repeat[1] * out->repeat[2] > 100000)
        json_in_error(in, path, "expected at most 100000 copies");
}

/* keys that bodies of this type do not have */
static void scene_refuse(json_in *in, const cJSON *body, const char *path, const scene_body *b)
{
    char full[96];
    const cJSON *fix = cJSON_GetObjectItemCaseSensitive(body, "fix");
    if ((b->type == SCENE_RIGID || b->type == SCENE_STATIC || b->type == SCENE_KINEMATIC) && fix &&
        (!cJSON_IsArray(fix) || cJSON_GetArraySize(fix) > 0)) {
        snprintf(full, sizeof full, "%s.fix", path);
        json_in_error(in, full, "expected \"fix\" in deformable bodies only; a body of type static stands still");
    }
    if ((b->type == SCENE_RIGID || b->type == SCENE_STATIC || b->type == SCENE_KINEMATIC) && cJSON_GetObjectItemCaseSensitive(body, "self_collision"))
        json_in_error(in, path, "expected \"self_collision\" in deformable bodies only");
    if (b->type != SCENE_STATIC && b->type != SCENE_KINEMATIC && cJSON_GetObjectItemCaseSensitive(body, "surface_velocity"))
        json_in_error(in, path, "expected \"surface_velocity\" in bodies of type static and kinematic only");
    if ((b->type == SCENE_STATIC || b->type == SCENE_KINEMATIC) &&
        (cJSON_GetObjectItemCaseSensitive(body, "gravity_scale") || cJSON_GetObjectItemCaseSensitive(body, "force")))
        json_in_error(in, path, "expected \"gravity_scale\" and \"force\" only in bodies that move by forces");
    if (b->type != SCENE_KINEMATIC && cJSON_GetObjectItemCaseSensitive(body, "motion"))
        json_in_error(in, path, "expected \"motion\" only in bodies of type kinematic");
}

static void scene_read_fixes(json_in *in, const cJSON *body, scene_body *out)
{
    const cJSON *list = json_in_array(in, body, out->path, "fix"), *e;
    char full[96];
    if (!list)
        return;
    out->fix = (scene_fix *)cli_alloc((size_t)cJSON_GetArraySize(list), sizeof *out->fix);
    cJSON_ArrayForEach(e, list)
    {
        snprintf(full, sizeof full, "%s.fix[%d]", out->path, out->n_fix);
        scene_read_fix(in, e, full, &out->fix[out->n_fix++]);
    }
}

static scene_type scene_read_type(json_in *in, const cJSON *body, const char *path)
{
    static const char words[] = "soft cloth rod points rigid static kinematic";
    int i = json_in_choice(in, body, path, "type", words, -1);
    char full[64];
    snprintf(full, sizeof full, "%s.type", path);
    if (i < 0)
        json_in_error(in, full, "expected one of: %s", words);
    return i < 0 ? SCENE_STATIC : (scene_type)i;
}

static void scene_read_air(json_in *in, const cJSON *body, const char *path, ct_air *out)
{
    const cJSON *o = json_in_object(in, body, path, "air");
    char full[64];
    snprintf(full, sizeof full, "%s.air", path);
    if (o)
        json_in_keys(in, o, full, "drag lift density");
    out->drag = (ct_real)(o ? json_in_number(in, o, full, "drag", 0, 0, 1e6, 0) : 0);
    out->lift = (ct_real)(o ? json_in_number(in, o, full, "lift", 0, 0, 1e6, 0) : 0);
    out->density = (ct_real)(o ? json_in_number(in, o, full, "density", 1.2, 0, 1e6, 0) : 1.2);
}

/* mesh, shape, surface and keyframes of a body */
static void scene_read_geometry(scene_reader *r, const cJSON *body, scene_body *b)
{
    json_in *in = &r->in;
    const char *text = json_in_string(in, body, b->path, "mesh");
    if (text)
        b->mesh = scene_path(r->file, text);
    scene_read_shape(in, body, b->path, b);
    scene_read_keyframes(r, body, b);
    text = json_in_string(in, body, b->path, "surface");
    if (text)
        b->surface = scene_path(r->file, text);
    b->lattice = json_in_number(in, body, b->path, "lattice", 0, 0, SCENE_INF, JSON_IN_ABOVE);
    b->weld = json_in_number(in, body, b->path, "weld", -1, 0, SCENE_INF, 0);
    if (b->weld >= 0 && ((!b->mesh && !b->surface) || b->keyframes))
        json_in_error(in, b->path, "expected \"weld\" beside \"mesh\" or \"surface\", and without \"keyframes\"");
    if ((b->surface || b->lattice > 0) && b->type != SCENE_SOFT)
        json_in_error(in, b->path, "expected \"surface\" and \"lattice\" in soft bodies only");
    if (b->lattice > 0 ? !b->surface || b->mesh || b->shape != SCENE_SHAPE_MESH
                       : (b->mesh ? b->shape != SCENE_SHAPE_MESH : b->shape == SCENE_SHAPE_MESH && !b->keyframes))
        json_in_error(in, b->path, "expected either \"mesh\" or \"shape\"; or \"surface\" and \"lattice\" alone");
}

static void scene_read_body(scene_reader *r, const cJSON *body, int index)
{
    scene_body *b = &r->out->bodies[index];
    json_in *in = &r->in;
    const char *text;
    char fallback[32];
    int k;
    snprintf(b->path, sizeof b->path, "bodies[%d]", index);
    if (!json_in_keys(in, body, b->path,
                      "name type mesh shape material transform surface lattice weld velocity angular_velocity repeat fix friction thickness contact "
                      "motion restitution friction_torsional friction_rolling keyframes keyframe_interval filter self_collision sensor surface_velocity "
                      "gravity_scale pressure force air"))
        return;
    snprintf(fallback, sizeof fallback, "body%d", index);
    text = json_in_string(in, body, b->path, "name");
    b->name = cli_copy(text ? text : fallback);
    b->type = scene_read_type(in, body, b->path);
    scene_read_geometry(r, body, b);
    if (b->type == SCENE_ROD || b->type == SCENE_POINTS)
        thin_read_material(in, body, b->path, b);
    else
        scene_read_material(in, body, b->path, b);
    scene_read_transform(in, body, b->path, b);
    json_in_numbers(in, body, b->path, "velocity", b->velocity, 3);
    json_in_numbers(in, body, b->path, "angular_velocity", b->angular_velocity, 3);
    for (k = 0; k < 3; k++) {
        b->angular_velocity[k] *= SCENE_DEGREE;
        if ((b->type == SCENE_STATIC || b->type == SCENE_KINEMATIC) && (b->velocity[k] != 0 || b->angular_velocity[k] != 0))
            json_in_error(in, b->path, "expected no velocity in a body of type %s", scene_type_names[b->type]);
    }
    scene_read_repeat(in, body, b->path, b);
    scene_read_fixes(in, body, b);
    b->friction = json_in_number(in, body, b->path, "friction", -1, 0, SCENE_INF, 0);
    b->thickness = json_in_number(in, body, b->path, "thickness", -1, 0, SCENE_INF, JSON_IN_ABOVE);
    b->restitution = json_in_number(in, body, b->path, "restitution", -1, 0, 1, 0);
    b->friction_torsional = json_in_number(in, body, b->path, "friction_torsional", 0, 0, SCENE_INF, 0);
    b->friction_rolling = json_in_number(in, body, b->path, "friction_rolling", 0, 0, SCENE_INF, 0);
    scene_read_contact(in, body, b->path, &b->contact);
    scene_read_filter(in, body, b->path, &b->filter);
    b->self_collision = json_in_bool(in, body, b->path, "self_collision", -1);
    b->sensor = json_in_bool(in, body, b->path, "sensor", 0);
    json_in_numbers(in, body, b->path, "surface_velocity", b->surface_velocity, 3);
    b->gravity_scale = json_in_number(in, body, b->path, "gravity_scale", 1, -SCENE_INF, SCENE_INF, 0);
    b->pressure = json_in_number(in, body, b->path, "pressure", 0, -SCENE_INF, SCENE_INF, 0);
    json_in_numbers(in, body, b->path, "force", b->force, 3);
    scene_read_air(in, body, b->path, &b->air);
    if (b->type == SCENE_KINEMATIC)
        scene_read_motion(in, body, b->path, &b->motion, &b->n_motion);
    scene_refuse(in, body, b->path, b);
}

static void scene_read_output(json_in *in, const cJSON *root, scene *s)
{
    const cJSON *output = json_in_object(in, root, "", "output"), *camera;
    if (!output)
        return;
    json_in_keys(in, output, "output", "camera subdivide ground");
    s->subdivide = json_in_int(in, output, "output", "subdivide", 0, 0, 2);
    s->has_ground = cJSON_GetObjectItemCaseSensitive(output, "ground") != NULL;
    s->ground = json_in_number(in, output, "output", "ground", 0, -1e6, 1e6, 0);
    camera = json_in_object(in, output, "output", "camera");
    if (!camera)
        return;
    json_in_keys(in, camera, "output.camera", "eye target fov");
    s->has_camera = json_in_numbers(in, camera, "output.camera", "eye", s->eye, 3);
    if (!s->has_camera)
        json_in_error(in, "output.camera.eye", "expected an array of 3 numbers");
    json_in_numbers(in, camera, "output.camera", "target", s->target, 3);
    s->fov = json_in_number(in, camera, "output.camera", "fov", 40, 1, 170, 0);
    if (s->has_camera && s->eye[0] == s->target[0] && s->eye[1] == s->target[1] && s->eye[2] == s->target[2])
        json_in_error(in, "output.camera", "expected an eye that is not the target");
}

/* one side of a joint: a body's name, or [name, vertex]; nothing or null: the world */
static void scene_read_side(json_in *in, const cJSON *joint, scene_joint *j, int side)
{
    const cJSON *e = cJSON_GetObjectItemCaseSensitive(joint, side ? "b" : "a"), *v;
    char full[48];
    j->vertex[side] = -1;
    json_in_note(in, j->path, side ? "b" : "a", JSON_ARRAY);
    if (j->kind != CT_JOINT_STITCH)
        json_in_note(in, j->path, side ? "b" : "a", JSON_STRING);
    if (side && j->kind != CT_JOINT_STITCH)
        json_in_note(in, j->path, "b", JSON_NULL);
    snprintf(full, sizeof full, "%s.%s", j->path, side ? "b" : "a");
    if (!e || cJSON_IsNull(e)) {
        if (side == 0 || j->kind == CT_JOINT_STITCH)
            json_in_error(in, full, "expected a body%s", j->kind == CT_JOINT_STITCH ? " and its vertex, [\"name\", 0]" : "'s name");
        return;
    }
    if (cJSON_IsString(e) && j->kind != CT_JOINT_STITCH) {
        j->body[side] = cli_copy(e->valuestring);
        return;
    }
    v = cJSON_IsArray(e) && e->child ? e->child->next : NULL;
    if (!v || v->next || !cJSON_IsString(e->child) || !cJSON_IsNumber(v) || !(v->valuedouble >= 0 && v->valuedouble < 2147483647.0) ||
        v->valuedouble != floor(v->valuedouble)) {
        json_in_error(in, full, "expected %s[\"name\", vertex]", j->kind == CT_JOINT_STITCH ? "" : "a body's name or ");
        return;
    }
    j->body[side] = cli_copy(e->child->valuestring);
    j->vertex[side] = (int)v->valuedouble;
}

/* what moves a hinge or a slider, and at what a joint breaks */
static void scene_read_drive(json_in *in, const cJSON *e, scene_joint *j)
{
    j->has_limits = json_in_numbers(in, e, j->path, "limits", j->limits, 2);
    j->has_motor = json_in_numbers(in, e, j->path, "motor", j->motor, 2);
    j->has_spring = json_in_numbers(in, e, j->path, "spring", j->spring, 3);
    j->has_breaks = json_in_numbers(in, e, j->path, "break", j->breaks, 2);
}

static void scene_read_joint(json_in *in, const cJSON *e, scene_joint *j)
{
    int k = json_in_choice(in, e, j->path, "type", "ball hinge fixed slider", -1);
    char full[48];
    snprintf(full, sizeof full, "%s.type", j->path);
    if (k < 0)
        json_in_error(in, full, "expected ball, hinge, fixed or slider");
    else
        j->kind = k == 3 ? CT_JOINT_SLIDER : (ct_joint_kind)k;
    if (k == CT_JOINT_BALL)
        scene_refuse_unused(in, e, j->path, "type a b point compliance collide break", "a joint of type ball");
    else if (k == CT_JOINT_FIXED)
        scene_refuse_unused(in, e, j->path, "type a b point compliance angular_compliance collide break", "a joint of type fixed");
    json_in_numbers(in, e, j->path, "point", j->point, 3);
    json_in_numbers(in, e, j->path, "axis", j->axis, 3);
    j->compliance = json_in_number(in, e, j->path, "compliance", 0, 0, SCENE_INF, 0);
    j->angular_compliance = json_in_number(in, e, j->path, "angular_compliance", 0, 0, SCENE_INF, 0);
    j->collide = json_in_bool(in, e, j->path, "collide", -1);
    scene_read_drive(in, e, j);
}

/* joints and stitches into one list */
static void scene_read_joints(json_in *in, const cJSON *root, scene *s)
{
    static const char *const lists[] = {"joints", "stitches"};
    const cJSON *e;
    int l, i;
    for (l = 0; l < 2; l++) {
        const cJSON *list = json_in_array(in, root, "", lists[l]);
        if (!list)
            continue;
        s->joints = (scene_joint *)cli_grow(s->joints, (size_t)(s->n_joints + cJSON_GetArraySize(list)) + 1, sizeof *s->joints);
        i = 0;
        cJSON_ArrayForEach(e, list)
        {
            scene_joint *j = &s->joints[s->n_joints++];
            double stiffness;
            memset(j, 0, sizeof *j);
            snprintf(j->path, sizeof j->path, "%s[%d]", lists[l], i++);
            j->kind = l ? CT_JOINT_STITCH : CT_JOINT_BALL;
            j->axis[1] = 1;
            j->collide = j->vertex[0] = j->vertex[1] = -1;
            j->rest_length = -1;
            if (!json_in_keys(in, e, j->path, l ? "a b stiffness rest_length break"
                                                : "type a b point axis compliance angular_compliance collide limits motor spring break"))
                continue;
            if (l) {
                stiffness = json_in_number(in, e, j->path, "stiffness", 0, 0, SCENE_INF, JSON_IN_ABOVE); /* none: rigid */
                j->compliance = stiffness > 0 ? 1 / stiffness : 0;
                j->rest_length = json_in_number(in, e, j->path, "rest_length", -1, 0, SCENE_INF, 0);
                j->has_breaks = json_in_numbers(in, e, j->path, "break", j->breaks, 2);
            } else
                scene_read_joint(in, e, j);
            scene_read_side(in, e, j, 0);
            scene_read_side(in, e, j, 1);
        }
    }
}

/* accepted in every build: they belong to steppers and features that this build may lack */
static void scene_read_harmless(json_in *in, const cJSON *root) { json_in_int(in, root, "", "seed", 1, 0, 2147483647); }

const char *scene_stepper(int i) { return ct_stepper_text((ct_stepper)i); }
const char *scene_solver(int i) { return ct_solver_text((ct_solver)i); }
const char *scene_integrator(int i) { return ct_integrator_text((ct_integrator)i); }

/* one of the library's names; `words` has room for all of them, and stays */
static void scene_read_name(json_in *in, const cJSON *root, const char *key, const char *(*text)(int), int count, char words[256], char out[32])
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(root, key);
    int i;
    for (words[0] = '\0', i = 0; i < count; i++)
        if (strcmp(text(i), "?") != 0) /* a number without a name */
            snprintf(words + strlen(words), 256 - strlen(words), "%s%s", *words ? " " : "", text(i));
    if (json_in_choice(in, root, "", key, words, -1) >= 0 && strlen(v->valuestring) < 32)
        strcpy(out, v->valuestring);
}

static void scene_read_names(json_in *in, const cJSON *root, scene *s)
{
    static char words[3][256];
    scene_read_name(in, root, "stepper", scene_stepper, CT_STEPPER_COUNT_, words[0], s->stepper);
    scene_read_name(in, root, "solver", scene_solver, CT_SOLVER_COUNT_, words[1], s->solver);
    scene_read_name(in, root, "integrator", scene_integrator, CT_INTEGRATOR_COUNT_, words[2], s->integrator);
}

static void scene_read_root(scene_reader *r, const cJSON *root)
{
    scene *s = r->out;
    json_in *in = &r->in;
    ct_world_desc d = ct_world_desc_default();
    const cJSON *bodies, *e;
    const char *text;
    int k;
    if (!json_in_keys(in, root, "",
                      "name dt duration gravity wind stepper solver solver_options integrator thickness friction friction_until restitution "
                      "restitution_threshold restitution_law friction_combine restitution_combine self_collision sleep_time sleep_speed "
                      "frame_work frame_ms "
                      "broad_phase seed barrier layers geometric penalty explicit dcd newton_iterations bodies stitches joints row_mode "
                      "ccd_limits_step output"))
        return;
    text = json_in_string(in, root, "", "name");
    s->name = cli_copy(text ? text : "scene");
    s->dt = json_in_number(in, root, "", "dt", -1, 0, SCENE_INF, JSON_IN_ABOVE);
    if (s->dt < 0)
        json_in_error(in, "dt", "expected a time step > 0 in seconds");
    if (s->dt > 1)
        fprintf(stderr, "contact: warning: %s: dt is %g seconds; %g milliseconds are %g\n", in->file, s->dt, s->dt, s->dt / 1000);
    s->duration = json_in_number(in, root, "", "duration", -1, 0, SCENE_INF, 0);
    for (k = 0; k < 3; k++)
        s->gravity[k] = d.gravity[k];
    json_in_numbers(in, root, "", "gravity", s->gravity, 3);
    json_in_numbers(in, root, "", "wind", s->wind, 3);
    scene_read_names(in, root, s);
    scene_read_solver(in, root, &s->solver_options);
    scene_read_dcd(in, root, &s->dcd);
    scene_read_barrier(in, root, &s->barrier);
    scene_read_geometric(in, root, &s->geometric);
    scene_read_layers(in, root, &s->layers);
    scene_read_penalty(in, root, &s->penalty);
    scene_read_restitution(in, root, s);
    scene_read_explicit(in, root, &s->rk);
    s->newton_iterations = json_in_int(in, root, "", "newton_iterations", d.newton_iterations, 1, 100);
    s->hashed = json_in_choice(in, root, "", "broad_phase", "tree hash", 0);
    s->thickness = json_in_number(in, root, "", "thickness", d.thickness, 0, SCENE_INF, JSON_IN_ABOVE);
    s->friction = json_in_number(in, root, "", "friction", d.friction, 0, SCENE_INF, 0);
    s->friction_until = json_in_number(in, root, "", "friction_until", -1, 0, SCENE_INF, 0);
    s->self_collision = json_in_bool(in, root, "", "self_collision", d.self_collision);
    s->sleep_time = json_in_number(in, root, "", "sleep_time", d.sleep_time, 0, SCENE_INF, 0);
    s->sleep_speed = json_in_number(in, root, "", "sleep_speed", (double)d.sleep_speed, 0, SCENE_INF, JSON_IN_ABOVE);
    s->frame_work = json_in_number(in, root, "", "frame_work", d.frame_work, 0, SCENE_INF, 0);
    s->frame_ms = json_in_number(in, root, "", "frame_ms", d.frame_ms, 0, SCENE_INF, 0);
    bodies = json_in_array(in, root, "", "bodies");
    if (!bodies || !bodies->child)
        json_in_error(in, "bodies", "expected an array with at least one body");
    else {
        s->bodies = (scene_body *)cli_alloc((size_t)cJSON_GetArraySize(bodies), sizeof *s->bodies);
        cJSON_ArrayForEach(e, bodies) scene_read_body(r, e, s->n_bodies++);
    }
    scene_read_joints(in, root, s);
    s->row_mode = json_in_choice(in, root, "", "row_mode", "anticipated velocity", 0) ? CT_ROW_VELOCITY : CT_ROW_ANTICIPATED;
    s->ccd_limits_step = json_in_bool(in, root, "", "ccd_limits_step", d.ccd_limits_step);
    scene_read_harmless(in, root);
    scene_read_output(in, root, s);
}

/* a byte 0 would end the text early without notice */
static int scene_is_text(const char *file, const char *text, size_t n)
{
    size_t end = strlen(text), i;
    long line = 1;
    for (i = 0; i < end; i++)
        line += text[i] == '\n';
    if (end != n)
        cli_fail("%s: line %ld: the file has a byte 0, expected JSON text in UTF-8", file, line);
    return end == n;
}

/* a mesh in the place of a scene is a start, too: contact init makes one of it */
static int scene_is_no_mesh(const char *file)
{
    static const char *const meshes[] = {".obj", ".msh", ".ply", ".stl", ".vtk", ".vtu", ".mesh", ".meshb", ".gltf", ".glb", ".node", ".ele"};
    size_t n = strlen(file), i;
    for (i = 0; i < sizeof meshes / sizeof *meshes; i++)
        if (n > strlen(meshes[i]) && !strcmp(file + n - strlen(meshes[i]), meshes[i])) {
            cli_fail("%s: is a mesh, expected a scene; contact init %s -o scene.json makes one", file, file);
            return 0;
        }
    return 1;
}

static char *scene_load_text(const char *file)
{
    FILE *f = fopen(file, "rb");
    char *text = NULL;
    size_t n = 0, got;
    if (!f) {
        cli_no_file(file, "a scene, JSON");
        return NULL;
    }
    do {
        text = (char *)cli_grow(text, n + 65537, 1);
        got = fread(text + n, 1, 65536, f);
        n += got;
    } while (got);
    text[n] = '\0';
    if (ferror(f) || !scene_is_no_mesh(file) || !scene_is_text(file, text, n)) {
        if (ferror(f))
            cli_no_file(file, "a scene, JSON");
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

static int scene_read_text(scene_reader *r, const char *text, const char *const *sets, int n_sets)
{
    cJSON *root = json_in_parse(&r->in, text);
    int i;
    for (i = 0; root && i < n_sets && !r->in.failed; i++)
        r->in.failed = !scene_set(root, sets[i]);
    if (root && !r->in.failed)
        scene_read_root(r, root);
    cJSON_Delete(root);
    if (r->in.failed)
        scene_free(r->out);
    return !r->in.failed;
}

int scene_read(const char *file, const char *const *sets, int n_sets, scene *out)
{
    scene_reader r;
    char *text = scene_load_text(file), *shown = (char *)cli_alloc(strlen(file) + 16, 1);
    int ok;
    memset(out, 0, sizeof *out);
    memset(&r, 0, sizeof r);
    /* an error may be that of a value on the command line */
    sprintf(shown, "%s%s", file, n_sets ? " with --set" : "");
    r.file = file, r.in.file = shown;
    r.out = out;
    if (text)
        out->file = cli_copy(file);
    ok = text && scene_read_text(&r, text, sets, n_sets);
    free(shown);
    free(text);
    return ok;
}

int scene_tell(const char *text, json_note_fn *note, void *user)
{
    scene_reader r;
    scene s;
    memset(&s, 0, sizeof s);
    memset(&r, 0, sizeof r);
    r.file = r.in.file = "scene";
    r.in.note = note, r.in.user = user;
    r.out = &s;
    if (!scene_read_text(&r, text, NULL, 0))
        return 0;
    scene_free(&s);
    return 1;
}

void scene_free(scene *s)
{
    int i, k;
    for (i = 0; i < s->n_bodies; i++) {
        free(s->bodies[i].name);
        free(s->bodies[i].mesh);
        free(s->bodies[i].surface);
        free(s->bodies[i].transform);
        free(s->bodies[i].motion);
        free(s->bodies[i].keyframes);
        for (k = 0; k < s->bodies[i].n_fix; k++) {
            free(s->bodies[i].fix[k].vertices);
            free(s->bodies[i].fix[k].motion);
        }
        free(s->bodies[i].fix);
    }
    for (i = 0; i < s->n_joints; i++)
        free(s->joints[i].body[0]), free(s->joints[i].body[1]);
    free(s->joints);
    free(s->bodies);
    free(s->file);
    free(s->name);
    memset(s, 0, sizeof *s);
}
