/* wind.c -- air that acts on bodies: what a program sets, and its velocities for a step. */
#include "world.h"

CONTACT_API_DEF ct_code ct_body_set_air(ct_world *w, ct_body_id body, const ct_air *air)
{
    ct_code code = CT_OK;
    cti_body *b = cti_world_find(w, body, &code);
    ct_real v[3];
    int k;
    if (!b)
        return code;
    if (!air || !cti_body_has_model(b) || CTI_LEN(b->triangles) == 0)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "air acts on triangles of deformable bodies, and needs its numbers");
    v[0] = air->drag, v[1] = air->lift, v[2] = air->density;
    for (k = 0; k < 3; k++)
        if (!(v[k] >= 0) || !(v[k] <= CTI_WORLD_AIR))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)v[k], "drag, lift and density of air must be 0 to 1e6");
    if ((air->drag > 0 || air->lift > 0) && cti_steppers_admit(w, CTI_FEATURE_WIND, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    b->air = *air;
    cti_sleep_wake(w, (int)(b - w->bodies));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_set_wind(ct_world *w, const ct_real velocity[3])
{
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!velocity || !cti_bodies_is_moderate(velocity))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "wind must be finite, and so must its fourth power");
    memcpy(w->state.desc.wind, velocity, sizeof w->state.desc.wind);
    cti_sleep_wake(w, -1);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_world_get_wind(const ct_world *w, ct_real out_velocity[3])
{
    if (!w || !out_velocity)
        return CT_ERR_ARGUMENT;
    memcpy(out_velocity, w->state.desc.wind, sizeof w->state.desc.wind);
    return CT_OK;
}

/* appends a body of the surface. 0: out of memory */
static int cti_wind_list(ct_world *w, int at)
{
    const cti_surface *f = &w->state.surface;
    cti_wind *q = &w->state.wind;
    const cti_body *b = &w->bodies[w->surface_slot[at]];
    int i, first = CTI_LEN(q->points) / 3, n = f->ranges[at].v1 - f->ranges[at].v0;
    cti_wind_body one;
    one.body = at, one.first = first, one.closed = b->topology.closed, one.air = b->air;
    if (!CTI_RESIZE(&w->mem, q->points, 3 * (first + n)) || !CTI_RESIZE(&w->mem, q->air, 3 * (first + n)) || !CTI_PUSH(&w->mem, q->bodies, one))
        return 0;
    memcpy(q->points + 3 * first, f->x0 + 3 * (size_t)f->ranges[at].v0, 3 * sizeof(ct_real) * (size_t)n);
    for (i = first; i < first + n; i++)
        cti_v3_put(q->air, i, cti_v3_at(w->state.desc.wind, 0));
    for (i = 0; i < b->n_blocks; i++)
        q->blown[b->block0 + i] = 1;
    return 1;
}

CTI_FN ct_code cti_wind_open(ct_world *w)
{
    cti_state *s = &w->state;
    cti_wind *q = &s->wind;
    int i, n;
    CTI_CLEAR(q->bodies);
    CTI_CLEAR(q->points);
    for (i = 0; i < s->surface.n_bodies; i++) {
        const cti_body *b = &w->bodies[w->surface_slot[i]];
        if (!s->surface.bodies[i].dynamic || !cti_body_is_in_air(b))
            continue;
        if (CTI_LEN(q->bodies) == 0 && (!CTI_RESIZE(&w->mem, q->impulse, 3 * s->n) || !CTI_ZEROS(&w->mem, q->blown, s->n)))
            break;
        if (!cti_wind_list(w, i))
            break;
    }
    if (i < s->surface.n_bodies)
        return cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory in a step; the world is as it was");
    n = CTI_LEN(q->points) / 3;
    if (n > 0 && s->desc.wind_field)
        s->desc.wind_field(s->desc.wind_user, s->step.time, q->points, q->air, n);
    for (i = 0; i < n; i++)
        if (!cti_bodies_is_moderate(q->air + 3 * i))
            return cti_world_refuse(w, CT_ERR_ARGUMENT, i, 0,
                                    "the wind field's velocity at a point is not finite, or its fourth power (element: point)");
    return CT_OK;
}
