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

CTI_FN void cti_ends_rigids(cti_state *s)
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
