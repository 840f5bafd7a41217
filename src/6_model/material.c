/* material.c -- default materials, range checks, Lame's constants. */
#include "material.h"

CONTACT_API_DEF ct_material ct_material_default(ct_model model)
{
    ct_material m;
    memset(&m, 0, sizeof m);
    m.model = model;
    m.young = CTI_R(1e5), m.poisson = CTI_R(0.4), m.density = CTI_R(1000);
    m.damping_stiffness = CTI_R(1e-3);
    m.shell_thickness = CTI_R(1e-3), m.bending = CTI_R(1e-5), m.areal_density = CTI_R(0.2);
    m.stretch = CTI_R(2000), m.shear = CTI_R(500), m.bend = CTI_R(10);
    if (model == CT_MODEL_MEMBRANE) /* a light woven fabric */
        m.young = CTI_R(8e5), m.poisson = CTI_R(0.3), m.shell_thickness = CTI_R(3e-4), m.bending = CTI_R(2e-6);
    return m;
}

static int cti_material_positive(ct_real x) { return cti_finite(x) && x > 0; }
static int cti_material_not_negative(ct_real x) { return cti_finite(x) && x >= 0; }

/* the first invalid property of a soft material as a text, or NULL */
static const char *cti_material_soft(const ct_material *m)
{
    if (m->model == CT_MODEL_MEMBRANE || m->model == CT_MODEL_SPRINGS)
        return "material.model is a cloth model, but the body is soft";
    if (!cti_material_positive(m->young))
        return "material.young must be finite and > 0 [Pa]";
    if (!(cti_finite(m->poisson) && m->poisson >= 0 && m->poisson < CTI_R(0.5)))
        return "material.poisson must be in [0, 0.5)";
    if (!cti_material_positive(m->density))
        return "material.density must be finite and > 0 [kg/m^3]";
    return NULL;
}
static const char *cti_material_cloth(const ct_material *m)
{
    if (m->model != CT_MODEL_MEMBRANE && m->model != CT_MODEL_SPRINGS)
        return "material.model is a model of soft bodies, but the body is cloth";
    if (!cti_material_positive(m->areal_density))
        return "material.areal_density must be finite and > 0 [kg/m^2]";
    if (m->model == CT_MODEL_MEMBRANE) {
        if (!cti_material_positive(m->young))
            return "material.young must be finite and > 0 [Pa]";
        if (!(cti_finite(m->poisson) && m->poisson >= 0 && m->poisson < CTI_R(0.5)))
            return "material.poisson must be in [0, 0.5)";
        if (!cti_material_positive(m->shell_thickness))
            return "material.shell_thickness must be finite and > 0 [m]";
        if (!cti_material_not_negative(m->bending))
            return "material.bending must be finite and >= 0 [N m]";
        return NULL;
    }
    if (!cti_material_not_negative(m->stretch))
        return "material.stretch must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->shear))
        return "material.shear must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->bend))
        return "material.bend must be finite and >= 0 [N/m]";
    if (!cti_material_not_negative(m->strain_limit))
        return "material.strain_limit must be finite and >= 0";
    return NULL;
}

CTI_FN int cti_material_check(const ct_material *m, int cloth, const char **out_text)
{
    const char *text;
    if ((int)m->model < (int)CT_MODEL_COROTATIONAL || (int)m->model > (int)CT_MODEL_SPRINGS)
        text = "material.model is not a ct_model";
    else
        text = cloth ? cti_material_cloth(m) : cti_material_soft(m);
    if (!text && !cti_material_not_negative(m->damping_mass))
        text = "material.damping_mass must be finite and >= 0 [1/s]";
    if (!text && !cti_material_not_negative(m->damping_stiffness))
        text = "material.damping_stiffness must be finite and >= 0 [s]";
    *out_text = text ? text : "";
    return text == NULL;
}

CTI_FN void cti_material_lame(const ct_material *m, ct_real *out_mu, ct_real *out_lambda)
{
    *out_mu = m->young / (2 * (1 + m->poisson));
    *out_lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
}
