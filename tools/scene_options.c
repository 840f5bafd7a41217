/* scene_options.c -- keys of a scene that set up solvers and steppers. */
#include "scene_options.h"
#include <math.h>
#include <string.h>

#define SCENE_INF HUGE_VAL

/* how far and how long a solve goes; what is not given is the library's default */
void scene_read_solver(json_in *in, const cJSON *root, ct_solver_desc *out)
{
    static const char *const cones[] = {"box", "pyramid", "cone"};
    const cJSON *o = json_in_object(in, root, "", "solver_options");
    const char *text;
    int i;
    *out = ct_solver_desc_default();
    if (!o)
        return;
    json_in_keys(in, o, "solver_options", "tolerance max_sweeps termination cone");
    out->tolerance = (ct_real)json_in_number(in, o, "solver_options", "tolerance", out->tolerance, 0, SCENE_INF, JSON_IN_ABOVE);
    out->max_sweeps = json_in_int(in, o, "solver_options", "max_sweeps", out->max_sweeps, 1, 1000000000);
    text = json_in_string(in, o, "solver_options", "termination");
    if (text && strcmp(text, "paper") && strcmp(text, "residual"))
        json_in_error(in, "solver_options.termination", "expected residual or paper, found \"%s\"", text);
    else if (text)
        out->termination = !strcmp(text, "paper") ? CT_TERMINATION_PAPER : CT_TERMINATION_RESIDUAL;
    text = json_in_string(in, o, "solver_options", "cone");
    for (i = 0; text && i < 3 && strcmp(text, cones[i]); i++) {
    }
    if (text && i == 3)
        json_in_error(in, "solver_options.cone", "expected box, pyramid or cone, found \"%s\"", text);
    else if (text)
        out->cone = (ct_cone)i;
}

/* the discrete stepper; the keys are those of ct_dcd_desc */
void scene_read_dcd(json_in *in, const cJSON *root, ct_dcd_desc *out)
{
    static const char *const decouple[] = {"deepest", "random", "none"};
    const cJSON *o = json_in_object(in, root, "", "dcd");
    const char *text;
    int i;
    *out = ct_world_desc_default().dcd;
    if (!o)
        return;
    json_in_keys(in, o, "dcd", "newton_iterations decouple friction max_substeps substep_fraction recovery depth");
    out->newton_iterations = json_in_int(in, o, "dcd", "newton_iterations", out->newton_iterations, 1, 100);
    out->friction = json_in_bool(in, o, "dcd", "friction", out->friction);
    out->max_substeps = json_in_int(in, o, "dcd", "max_substeps", out->max_substeps, 1, 256);
    out->substep_fraction = (ct_real)json_in_number(in, o, "dcd", "substep_fraction", out->substep_fraction, 0, SCENE_INF, JSON_IN_ABOVE);
    out->recovery = (ct_real)json_in_number(in, o, "dcd", "recovery", out->recovery, 0, 1, JSON_IN_ABOVE);
    out->depth = (ct_real)json_in_number(in, o, "dcd", "depth", out->depth, 0, SCENE_INF, 0);
    text = json_in_string(in, o, "dcd", "decouple");
    for (i = 0; text && i < CT_DECOUPLE_COUNT_ && strcmp(text, decouple[i]); i++) {
    }
    if (text && i == CT_DECOUPLE_COUNT_)
        json_in_error(in, "dcd.decouple", "expected deepest, random or none, found \"%s\"", text);
    else if (text)
        out->decouple = (ct_decouple)i;
}
