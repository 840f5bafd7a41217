/* move.c -- the tentative motion of a substep, and what contact rows need to know of it. */
#include "move.h"

CTI_FN void cti_move_hold(const cti_state *s, ct_real *v)
{
    int i;
    for (i = 0; s->scripts.n_constrained && i < s->n; i++)
        if (s->scripts.filter[i] >= 0)
            cti_v3_put(v, i, cti_v3_add(cti_state_free(s, i, cti_v3_at(v, i)), cti_v3_at(s->scripts.v_fixed, i)));
}

CTI_FN cti_v3 cti_move_jump(cti_state *s, int i, cti_v3 v, double *work)
{
    cti_v3 to = cti_v3_add(cti_state_free(s, i, v), cti_v3_at(s->scripts.v_fixed, i));
    if (!(s->scripts.held[i] & CTI_HELD_IMPLAUSIBLE)) /* else it is what the judge takes */
        *work += 0.5 * (double)s->bodies.mass[i] * ((double)cti_v3_norm2(to) - (double)cti_v3_norm2(v));
    cti_v3_addto(s->step.impulses.pins, i, cti_v3_mul(cti_v3_sub(to, v), s->bodies.mass[i]));
    return to;
}

CTI_FN void cti_move(cti_state *s, ct_real dt)
{
    cti_end *end = &s->end;
    int i;
    cti_move_hold(s, end->v);
    for (i = 0; i < 3 * s->n; i++)
        end->x[i] = s->x[i] + dt * end->v[i];
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        cti_rigid_go(r, cti_v3_at(end->v, r->block + 1), dt);
        cti_rigid_matrix(r->q_new, end->frames + 9 * (size_t)i);
        cti_v3_put(end->x, r->block + 1, cti_v3_at(end->x, r->block)); /* an angular block has no position of its own */
    }
    cti_surface_place(&s->surface, end->x, end->frames, s->surface.x1);
}

CTI_FN void cti_move_context(const cti_state *s, ct_real dt, const cti_memory *memory, cti_row_context *out)
{
    memset(out, 0, sizeof *out);
    out->surface = &s->surface;
    out->fixed = s->scripts.fixed;
    out->v_fixed = s->scripts.v_fixed;
    out->inv_mass = s->bodies.inv_mass;
    out->v = s->end.v, out->v_start = s->v, out->v_free = s->system.v_free, out->rigids = s->bodies.rigids;
    out->cone = s->desc.solver.cone;
    out->v_star = out->cone == CT_CONE_CONE ? NULL : s->system.v_free; /* Coulomb's cone is the same for every choice of tangents */
    out->own = cti_state_is_paper(s);
    out->at_start = s->desc.row_mode == CT_ROW_VELOCITY;
    out->frames = s->bodies.frames;
    out->A = &s->system.A;
    out->memory = memory;
    out->dt = dt;
    out->cut = !s->scripts.still && s->step.dt > dt ? s->step.dt / dt : 1;
    out->slight = s->desc.solver.tolerance * cti_v3_norm(cti_v3_at(s->desc.gravity, 0)) * s->step.dt * s->step.dt;
    out->recovery_speed = s->desc.recovery_speed;
    out->gravity = cti_v3_at(s->desc.gravity, 0);
}
