/* ends.c -- what steppers have in common at the beginning and at the end of a step. */
#include "ends.h"

CTI_FN void cti_ends_blank(const cti_state *s, ct_step_report *r)
{
    memset(r, 0, sizeof *r);
    r->limit.vertices_a[0] = -1;
    r->substeps = 1;
    r->min_distance = 2 * s->desc.thickness;
    r->thickness_kept = 2;
}

CTI_FN void cti_ends_open(cti_state *s, ct_real dt)
{
    cti_arena_reset(s->arena);
    s->contact.is_solved = 0;
    memset(&s->step.limit, 0, sizeof s->step.limit);
    cti_impulses_begin(s);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    s->step.until = s->step.time + (double)dt;
    s->step.left = dt;
}

/* rotations of rigid bodies */
static void cti_ends_rigids(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        cti_v3_put(r->spin, 0, cti_m3_mul_v(r->I_mid, cti_v3_at(s->v, r->block + 1)));
        memcpy(r->q, r->q_new, sizeof r->q);
        cti_v3_put(s->v, r->block + 1, cti_rigid_rate(r, r->q));
    }
    if (CTI_LEN(s->bodies.rigids))
        memcpy(s->bodies.frames, s->end.frames, sizeof(ct_real) * 9 * (size_t)CTI_LEN(s->bodies.rigids));
}

CTI_FN void cti_ends_commit(cti_state *s, ct_real dt, const ct_real *v)
{
    int i;
    cti_integrate_advance(s, dt);
    memcpy(s->x, s->end.x, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->history.dv, s->v, sizeof(ct_real) * 3 * (size_t)s->n);
    memcpy(s->v, v, sizeof(ct_real) * 3 * (size_t)s->n);
    cti_ends_rigids(s);
    for (i = 0; i < 3 * s->n; i++)
        s->history.dv[i] = s->v[i] - s->history.dv[i];
    for (i = 0; i < s->n; i++)
        s->history.dt_prev[i] = dt;
    cti_surface_commit(&s->surface);
    cti_integrate_forget(s);
    s->step.time = cti_state_ahead(s, dt);
}
