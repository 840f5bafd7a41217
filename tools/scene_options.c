/* scene_options.c -- keys of a scene that set up solvers and steppers. */
#include "scene_options.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCENE_INF HUGE_VAL

/* tolerance and limits of a solve; missing keys have the library's defaults */
void scene_read_solver(json_in *in, const cJSON *root, ct_solver_desc *out)
{
    const char *path = "solver_options";
    const cJSON *o = json_in_object(in, root, "", path);
    *out = ct_solver_desc_default();
    if (!o)
        return;
    json_in_keys(in, o, path, "tolerance max_sweeps termination cone friction");
    out->tolerance = (ct_real)json_in_number(in, o, path, "tolerance", out->tolerance, 0, SCENE_INF, JSON_IN_ABOVE);
    out->max_sweeps = json_in_int(in, o, path, "max_sweeps", out->max_sweeps, 1, 1000000000);
    out->termination = (ct_termination)json_in_choice(in, o, path, "termination", "residual paper", (int)out->termination);
    out->friction = (ct_friction)json_in_choice(in, o, path, "friction", "staggered anticipated local", (int)out->friction);
    out->cone = (ct_cone)json_in_choice(in, o, path, "cone", "box pyramid cone", (int)out->cone);
}

/* the discrete stepper; the keys are those of ct_dcd_desc */
void scene_read_dcd(json_in *in, const cJSON *root, ct_dcd_desc *out)
{
    const cJSON *o = json_in_object(in, root, "", "dcd");
    *out = ct_world_desc_default().dcd;
    if (!o)
        return;
    json_in_keys(in, o, "dcd", "newton_iterations decouple friction max_substeps substep_fraction recovery depth");
    out->newton_iterations = json_in_int(in, o, "dcd", "newton_iterations", out->newton_iterations, 1, 100);
    out->max_substeps = json_in_int(in, o, "dcd", "max_substeps", out->max_substeps, 1, 256);
    out->substep_fraction = (ct_real)json_in_number(in, o, "dcd", "substep_fraction", out->substep_fraction, 0, SCENE_INF, JSON_IN_ABOVE);
    out->recovery = (ct_real)json_in_number(in, o, "dcd", "recovery", out->recovery, 0, 1, JSON_IN_ABOVE);
    out->depth = (ct_real)json_in_number(in, o, "dcd", "depth", out->depth, 0, SCENE_INF, 0);
    out->decouple =
        (ct_decouple)json_in_choice(in, o, "dcd", "decouple", "deepest random none pivot", (int)out->decouple);
    out->friction = (ct_dcd_friction)json_in_choice(in, o, "dcd", "friction", "none local implicit", (int)out->friction);
}

/* the barrier stepper; the keys are those of ct_barrier_desc */
void scene_read_barrier(json_in *in, const cJSON *root, ct_barrier_desc *out)
{
    const cJSON *o = json_in_object(in, root, "", "barrier");
    *out = ct_world_desc_default().barrier;
    if (!o)
        return;
    json_in_keys(in, o, "barrier", "kind dhat friction_velocity newton_tolerance friction_iterations newton_iterations stiffness static_hold form");
    out->kind = (ct_barrier_kind)json_in_choice(in, o, "barrier", "kind", "log rational", (int)out->kind);
    out->dhat = (ct_real)json_in_number(in, o, "barrier", "dhat", out->dhat, 0, SCENE_INF, 0);
    out->friction_velocity = (ct_real)json_in_number(in, o, "barrier", "friction_velocity", out->friction_velocity, 0, SCENE_INF, JSON_IN_ABOVE);
    out->newton_tolerance = (ct_real)json_in_number(in, o, "barrier", "newton_tolerance", out->newton_tolerance, 0, SCENE_INF, JSON_IN_ABOVE);
    out->friction_iterations = json_in_int(in, o, "barrier", "friction_iterations", out->friction_iterations, 0, 1000000);
    out->newton_iterations = json_in_int(in, o, "barrier", "newton_iterations", out->newton_iterations, 1, 100000);
    out->stiffness = (ct_real)json_in_number(in, o, "barrier", "stiffness", out->stiffness, 0, SCENE_INF, 0);
    out->static_hold = json_in_bool(in, o, "barrier", "static_hold", out->static_hold);
    out->form = (ct_barrier_form)json_in_choice(in, o, "barrier", "form", "potential root dual position velocity", (int)out->form);
}

/* the geometric stepper; the keys are those of ct_geometric_desc */
void scene_read_geometric(json_in *in, const cJSON *root, ct_geometric_desc *out)
{
    const char *path = "geometric";
    const cJSON *o = json_in_object(in, root, "", path);
    *out = ct_world_desc_default().geometric;
    if (!o)
        return;
    json_in_keys(in, o, path, "scheme cg_turns active_set sweeps position_distance speed_distance acceleration_distance displacement max_substeps "
                              "fail_safe regions residual_state interaction_damping");
    out->scheme = (ct_geometric_scheme)json_in_choice(in, o, path, "scheme", "global successive", (int)out->scheme);
    out->cg_turns = json_in_int(in, o, path, "cg_turns", out->cg_turns, 1, 10000);
    out->active_set = json_in_int(in, o, path, "active_set", out->active_set, 0, 100);
    out->sweeps = json_in_int(in, o, path, "sweeps", out->sweeps, 1, 10000);
    out->position_distance = (ct_real)json_in_number(in, o, path, "position_distance", out->position_distance, 0, 1, 0);
    out->speed_distance = (ct_real)json_in_number(in, o, path, "speed_distance", out->speed_distance, 0, 1, 0);
    out->acceleration_distance = (ct_real)json_in_number(in, o, path, "acceleration_distance", out->acceleration_distance, 0, 1, 0);
    out->displacement = (ct_real)json_in_number(in, o, path, "displacement", out->displacement, 0, SCENE_INF, JSON_IN_ABOVE);
    out->max_substeps = json_in_int(in, o, path, "max_substeps", out->max_substeps, 1, 256);
    out->fail_safe = json_in_bool(in, o, path, "fail_safe", out->fail_safe);
    out->regions = json_in_bool(in, o, path, "regions", out->regions);
    out->residual_state = json_in_bool(in, o, path, "residual_state", out->residual_state);
    out->interaction_damping = (ct_real)json_in_number(in, o, path, "interaction_damping", out->interaction_damping, 0, 1, 0);
}

/* the penalty stepper; the keys are those of ct_penalty_desc */
void scene_read_penalty(json_in *in, const cJSON *root, ct_penalty_desc *out)
{
    const char *path = "penalty";
    const cJSON *o = json_in_object(in, root, "", path);
    *out = ct_world_desc_default().penalty;
    if (!o)
        return;
    json_in_keys(in, o, path, "form depth friction stiffness damping friction_stiffness friction_velocity warp iterations max_substeps");
    out->form = (ct_penalty_form)json_in_choice(in, o, path, "form", "implicit explicit", (int)out->form);
    out->depth = (ct_penalty_depth)json_in_choice(in, o, path, "depth", "proximity inside", (int)out->depth);
    out->friction = (ct_penalty_friction)json_in_choice(in, o, path, "friction", "anchor velocity none", (int)out->friction);
    out->stiffness = (ct_real)json_in_number(in, o, path, "stiffness", out->stiffness, 0, SCENE_INF, 0);
    out->damping = (ct_real)json_in_number(in, o, path, "damping", out->damping, 0, SCENE_INF, 0);
    out->friction_stiffness = (ct_real)json_in_number(in, o, path, "friction_stiffness", out->friction_stiffness, 0, SCENE_INF, 0);
    out->friction_velocity = (ct_real)json_in_number(in, o, path, "friction_velocity", out->friction_velocity, 0, SCENE_INF, JSON_IN_ABOVE);
    out->warp = json_in_bool(in, o, path, "warp", out->warp);
    out->iterations = json_in_int(in, o, path, "iterations", out->iterations, 1, 1000);
    out->max_substeps = json_in_int(in, o, path, "max_substeps", out->max_substeps, 1, 4096);
}

void scene_read_contact(json_in *in, const cJSON *body, const char *path, ct_contact_material *out)
{
    char full[96];
    const cJSON *o = json_in_object(in, body, path, "contact");
    out->stiffness = out->damping = out->friction_stiffness = -1;
    if (!o)
        return;
    snprintf(full, sizeof full, "%s.contact", path);
    json_in_keys(in, o, full, "stiffness damping friction_stiffness");
    out->stiffness = (ct_real)json_in_number(in, o, full, "stiffness", out->stiffness, 0, SCENE_INF, JSON_IN_ABOVE);
    out->damping = (ct_real)json_in_number(in, o, full, "damping", out->damping, 0, SCENE_INF, 0);
    out->friction_stiffness = (ct_real)json_in_number(in, o, full, "friction_stiffness", out->friction_stiffness, 0, SCENE_INF, JSON_IN_ABOVE);
}

/* a set of bits: a number without a fraction, below 2^53, which JSON's numbers have exactly */
static uint64_t scene_read_bits(json_in *in, const cJSON *o, const char *path, const char *key, uint64_t fallback)
{
    double bits = json_in_number(in, o, path, key, -1, 0, 9007199254740991.0, 0);
    if (bits > 0 && bits != floor(bits))
        json_in_error(in, path, "expected \"%s\" to be a whole number, the sum of its bits", key);
    return bits < 0 ? fallback : (uint64_t)bits;
}

void scene_read_filter(json_in *in, const cJSON *body, const char *path, ct_filter *out)
{
    char full[96];
    const cJSON *o = json_in_object(in, body, path, "filter");
    *out = ct_filter_default();
    if (!o)
        return;
    snprintf(full, sizeof full, "%s.filter", path);
    json_in_keys(in, o, full, "category mask group");
    out->category = scene_read_bits(in, o, full, "category", out->category);
    out->mask = scene_read_bits(in, o, full, "mask", out->mask);
    out->group = json_in_int(in, o, full, "group", 0, -2147483647, 2147483647);
}

/* the layers stepper; the keys are those of ct_layers_desc */
void scene_read_layers(json_in *in, const cJSON *root, ct_layers_desc *out)
{
    const cJSON *o = json_in_object(in, root, "", "layers");
    *out = ct_world_desc_default().layers;
    if (!o)
        return;
    json_in_keys(in, o, "layers", "clock layer_clock depth max_layers max_updates");
    out->clock = (ct_real)json_in_number(in, o, "layers", "clock", out->clock, 0, 0.5, JSON_IN_ABOVE);
    out->layer_clock = (ct_real)json_in_number(in, o, "layers", "layer_clock", out->layer_clock, 0, 0.5, JSON_IN_ABOVE);
    out->depth = (ct_real)json_in_number(in, o, "layers", "depth", out->depth, 0, 1, JSON_IN_ABOVE);
    out->max_layers = json_in_int(in, o, "layers", "max_layers", out->max_layers, 1, 100000);
    out->max_updates = json_in_int(in, o, "layers", "max_updates", out->max_updates, 1, 2147483647);
}

/* the explicit stepper; the keys are those of ct_explicit_desc */
void scene_read_explicit(json_in *in, const cJSON *root, ct_explicit_desc *out)
{
    const char *path = "explicit";
    const cJSON *o = json_in_object(in, root, "", path), *v;
    *out = ct_world_desc_default().rk;
    if (!o)
        return;
    json_in_keys(in, o, path, "tolerance fixed_step extrapolate program rules edges refine element_pressure penetration bulk_viscosity max_steps");
    out->tolerance = (ct_real)json_in_number(in, o, path, "tolerance", out->tolerance, 0, SCENE_INF, JSON_IN_ABOVE);
    out->fixed_step = (ct_real)json_in_number(in, o, path, "fixed_step", out->fixed_step, 0, SCENE_INF, 0);
    out->extrapolate = json_in_bool(in, o, path, "extrapolate", out->extrapolate);
    out->program = (ct_explicit_program)json_in_choice(in, o, path, "program", "active_set interior_point", (int)out->program);
    out->rules = (ct_explicit_rules)json_in_choice(in, o, path, "rules", "region node", (int)out->rules);
    out->edges = json_in_bool(in, o, path, "edges", out->edges);
    v = cJSON_GetObjectItemCaseSensitive(o, "refine");
    json_in_note(in, path, "refine", JSON_BOOL);
    if (cJSON_IsBool(v)) /* as files before CT_REFINE_ELEMENTS have it */
        out->refine = cJSON_IsTrue(v) ? CT_REFINE_SURFACE : CT_REFINE_NONE;
    else
        out->refine = (ct_refine)json_in_choice(in, o, path, "refine", "none surface elements", (int)out->refine);
    out->element_pressure = json_in_bool(in, o, path, "element_pressure", out->element_pressure);
    out->penetration = (ct_real)json_in_number(in, o, path, "penetration", out->penetration, 0, 0.1, JSON_IN_ABOVE);
    out->bulk_viscosity = (ct_real)json_in_number(in, o, path, "bulk_viscosity", out->bulk_viscosity, 0, 10, 0);
    out->max_steps = json_in_int(in, o, path, "max_steps", out->max_steps, 1, 100000000);
}

void scene_read_restitution(json_in *in, const cJSON *root, scene *s)
{
    const ct_world_desc d = ct_world_desc_default();
    s->restitution = json_in_number(in, root, "", "restitution", d.restitution, 0, 1, 0);
    s->restitution_threshold = json_in_number(in, root, "", "restitution_threshold", d.restitution_threshold, 0, SCENE_INF, 0);
    s->restitution_law = (ct_restitution_law)json_in_choice(in, root, "", "restitution_law", "newton poisson", (int)d.restitution_law);
    s->friction_combine = (ct_combine)json_in_choice(in, root, "", "friction_combine", "geometric average min multiply max", (int)d.friction_combine);
    s->restitution_combine =
        (ct_combine)json_in_choice(in, root, "", "restitution_combine", "geometric average min multiply max", (int)d.restitution_combine);
}
