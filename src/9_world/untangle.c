/* untangle.c -- ct_world_repair. Method: steps of repair rows, without gravity, with scripts at rest and all velocities zero at their
   start. At first only tangled bodies move, then all bodies, until nothing intersects or nothing moves. Finally the velocities are
   restored. */
#include "world.h"
#include "../8_step/factors.h"
#include "../8_step/impulses.h"
#include "../8_step/integrate.h"
#include "../8_step/snapshot.h"

#define CTI_UNTANGLE_STEPS 300
#define CTI_UNTANGLE_HELD 150        /* [of these] the first steps, with all other bodies held */
#define CTI_UNTANGLE_STILL 4         /* after so many steps in a row without any motion there is rarely more */
#define CTI_UNTANGLE_DT CTI_R(0.01)

/* the state to restore: velocities in the end, everything when memory runs out */
typedef struct cti_untangle {
    cti_snapshot start;
    ct_real gravity[3];
    ct_real *x, *q; /* [3 n], [4 rigids] positions and rotations at the start of the current step */
} cti_untangle;

static void cti_untangle_free(ct_world *w, cti_untangle *u)
{
    cti_snapshot_free(&w->mem, &u->start);
    CTI_FREE(&w->mem, u->x), CTI_FREE(&w->mem, u->q);
}

static int cti_untangle_save(ct_world *w, cti_untangle *u)
{
    cti_state *s = &w->state;
    memset(u, 0, sizeof *u);
    memcpy(u->gravity, s->desc.gravity, sizeof u->gravity);
    return cti_snapshot_save(s, 1, &u->start) && CTI_RESIZE(&w->mem, u->x, 3 * s->n) &&
           CTI_RESIZE(&w->mem, u->q, 4 * CTI_LEN(s->bodies.rigids));
}

/* holds the blocks of bodies that are not tangled, unless `all` */
static void cti_untangle_hold(cti_state *s, int all)
{
    const cti_surface *f = &s->surface;
    int i, k, j;
    memset(s->scripts.held, all ? 0 : CTI_HELD_REPAIR, (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->detect.tangles); i++) {
        int v = (int)(s->detect.tangles[i] >> 32), body = f->body_of[v];
        if (i > 0 && f->body_of[s->detect.tangles[i - 1] >> 32] == body)
            continue;
        for (k = f->ranges[body].v0; k < f->ranges[body].v1; k++) {
            const cti_attach *a = cti_surface_attach(f, k);
            for (j = 0; j < a->n; j++)
                s->scripts.held[a->block[j]] = 0;
        }
    }
    /* inner nodes of a body move with its surface: a component is held as a whole or not at all */
    for (i = 0; i < CTI_LEN(s->factors.components); i++) {
        const cti_component *c = &s->factors.components[i];
        int held = CTI_HELD_REPAIR;
        for (k = c->begin; k < c->end; k++)
            held &= s->scripts.held[s->factors.blocks[k]];
        for (k = c->begin; k < c->end; k++)
            s->scripts.held[s->factors.blocks[k]] = (uint8_t)held;
    }
}

static void cti_untangle_rest(cti_state *s)
{
    int i, k;
    s->energy.known = 0;
    memset(s->v, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    s->energy.known = 0; /* before the first step they include gravity's */
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        for (k = 0; k < 3; k++)
            s->bodies.rigids[i].spin[k] = 0;
}

/* stores all positions; returns 1 if they differ from those stored before. Velocities would not show it, since the last piece of a step may
   be at rest */
static int cti_untangle_moved(const cti_state *s, cti_untangle *u)
{
    int i, moved = memcmp(u->x, s->x, sizeof *u->x * 3 * (size_t)s->n) != 0;
    memcpy(u->x, s->x, sizeof *u->x * 3 * (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        moved |= memcmp(u->q + 4 * (size_t)i, s->bodies.rigids[i].q, sizeof s->bodies.rigids[i].q) != 0;
        memcpy(u->q + 4 * (size_t)i, s->bodies.rigids[i].q, sizeof s->bodies.rigids[i].q);
    }
    return moved;
}

static ct_code cti_untangle_steps(ct_world *w, cti_untangle *u)
{
    cti_state *s = &w->state;
    ct_step_report report;
    int i, still = 0;
    cti_untangle_moved(s, u);
    for (i = 0; i < CTI_UNTANGLE_STEPS; i++) {
        cti_arena_reset(s->arena);
        if (!cti_tangle_find(s))
            return CT_ERR_MEMORY;
        if (s->detect.n_tangled == 0)
            return CT_OK;
        cti_untangle_hold(s, i >= CTI_UNTANGLE_HELD);
        cti_untangle_rest(s);
        if (cti_step(s, CTI_UNTANGLE_DT, &report) != CT_OK)
            return CT_ERR_MEMORY;
        still = cti_untangle_moved(s, u) ? 0 : still + 1;
        if (still >= CTI_UNTANGLE_STILL && i >= CTI_UNTANGLE_HELD)
            break;
        /* the tangled bodies have no room: all bodies may move from now on */
        if (still >= CTI_UNTANGLE_STILL || i + 1 == CTI_UNTANGLE_HELD)
            still = 0, i = cti_max_int(i, CTI_UNTANGLE_HELD - 1);
    }
    return CT_OK;
}

/* restores gravity and scripts */
static void cti_untangle_leave(ct_world *w, const cti_untangle *u)
{
    cti_state *s = &w->state;
    s->scripts.still = 0;
    memset(s->scripts.held, 0, (size_t)s->n);
    memcpy(s->desc.gravity, u->gravity, sizeof u->gravity);
    s->contact.is_solved = 0;
    w->contacts_ready = 0;
}

/* restores velocities and time. A rigid body that was rotated keeps its angular velocity in world axes */
static void cti_untangle_finish(ct_world *w, const cti_untangle *u)
{
    cti_state *s = &w->state;
    int i, n = s->n;
    s->step.time = u->start.time, s->contact.memory_dt = u->start.dt_memory;
    memcpy(s->v, u->start.copy.v, sizeof(ct_real) * 3 * (size_t)n);
    memcpy(s->history.dt_prev, u->start.copy.dt_prev, sizeof(ct_real) * (size_t)n);
    memcpy(s->history.fall, u->start.copy.fall, sizeof *s->history.fall * (size_t)n);
    for (i = 0; i < CTI_LEN(s->factors.components); i++) { /* bodies were moved while at rest */
        cti_factors_drift(&s->factors.components[i], CTI_REAL_MAX);
        cti_factors_ask(&s->factors.components[i]);
    }
    if (n)
        memset(s->history.dv, 0, sizeof *s->history.dv * 3 * (size_t)n);
    /* integrators with a history start anew */
    if (s->desc.integrator != CT_INTEGRATOR_EULER) {
        cti_integrate_reset(s, 1);
        cti_integrate_forget(s);
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        ct_real I[9];
        cti_rigid_matrix(r->q, s->bodies.frames + 9 * (size_t)i);
        cti_rigid_inertia(r, r->q, I);
        cti_v3_put(r->spin, 0, cti_m3_mul_v(I, cti_v3_at(s->v, r->block + 1)));
    }
    cti_assemble_standing(s);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    cti_memory_clear(&s->contact.memory);
    cti_impulses_clear(&s->history.impulses);
    s->energy.known = 0;
    s->detect.valid = 0;
    s->detect.n_tangled = s->detect.n_tangled > 0 ? s->detect.n_tangled : 1;
}

/* separates what intersects; before: number of intersecting pairs */
static ct_code cti_untangle_world(ct_world *w, int before, int *out_freed, int *out_left)
{
    cti_untangle u;
    ct_pair *pairs;
    int after = before;
    ct_code code = cti_untangle_save(w, &u) ? CT_OK : CT_ERR_MEMORY;
    if (code == CT_OK) {
        w->state.scripts.still = 1;
        w->mem.failed = 0;
        memset(w->state.desc.gravity, 0, sizeof w->state.desc.gravity);
        w->busy = 1;
        w->queries_ready = 0;
        code = cti_untangle_steps(w, &u);
        w->busy = 0;
        cti_untangle_leave(w, &u);
        if (code == CT_OK) {
            cti_untangle_finish(w, &u);
            code = ct_world_validate(w, &pairs, &after);
        }
        if (code != CT_OK)
            cti_snapshot_restore(&w->state, 1, &u.start);
    }
    cti_untangle_free(w, &u);
    w->mem.failed = 0;
    if (code != CT_OK)
        return cti_world_refuse(w, code, -1, 0, "out of memory in a repair; the world is as it was");
    *out_freed = before - after, *out_left = after;
    return CT_OK;
}

static ct_code cti_world_repair(ct_world *w, int *out_freed, int *out_left)
{
    ct_pair *pairs;
    ct_code code;
    int before;
    if (!w)
        return CT_ERR_ARGUMENT;
    if (!out_freed || !out_left)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "out_freed or out_left is NULL");
    if (!w->busy)
        cti_sleep_wake(w, -1);
    code = ct_world_validate(w, &pairs, &before);
    if (code != CT_OK)
        return code;
    if (before == 0 || w->state.n == 0) {
        *out_freed = 0, *out_left = before;
        return CT_OK;
    }
    code = cti_steppers_admit(w, CTI_FEATURE_REPAIR, NULL);
    if (code != CT_OK)
        return code;
#if CONTACT_WITH_CMR && CONTACT_WITH_REPAIR
    return cti_untangle_world(w, before, out_freed, out_left);
#else
    return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, 0, "built without repair (CONTACT_WITH_REPAIR 0)");
#endif
}

CONTACT_API_DEF ct_code ct_world_repair(ct_world *w, int *out_freed, int *out_left)
{
    CTI_FPENV_RETURN(cti_world_repair(w, out_freed, out_left))
}
