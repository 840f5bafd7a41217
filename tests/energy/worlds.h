/* worlds.h -- random worlds of a seed over the soak's range of materials, sizes and steps, and the account of a run; see energy.c. */
#ifndef TEST_ENERGY_WORLDS_H
#define TEST_ENERGY_WORLDS_H

#include "cases.h"
#include "../../src/9_world/world.h"
#include "../soak/run.h"

enum { ENERGY_WORLD_SECONDS = 5 };

/* the world of a seed; 0: there is nothing in it that could gain energy */
static inline int energy_make_world(soak_run *u)
{
    soak_rng r = soak_stream(u->seed, 1);
    int i, n, movers = 0;
    soak_make_desc(u, &r);
    u->young = soak_decades(&r, 3, 9);
    n = 1 + soak_below(&r, 7);
    u->apart = 12 * u->thickness; /* bodies have up to ten times the world's thickness */
    if (u->desc.solver.solver != CT_SOLVER_ICA && u->desc.stepper == CT_STEPPER_CMR)
        u->desc.solver.cone = CT_CONE_CONE;
    if (ct_world_create(&u->desc, &u->world, NULL) != CT_OK)
        return 0;
    for (i = 0; i < n && u->out->blocks < SOAK_BLOCKS; i++)
        soak_add(u, i);
    for (i = 0; i < u->n_items; i++) {
        if (u->items[i].kind == 'k')
            ct_body_remove(u->world, u->items[i].id), u->items[i].alive = 0;
        movers += u->items[i].alive && u->items[i].dynamic;
    }
    return movers > 0;
}

static inline void energy_free_world(soak_run *u)
{
    int i;
    ct_world_destroy(u->world);
    for (i = 0; i < u->n_items; i++)
        free(u->items[i].triangles), free(u->items[i].edges), free(u->items[i].x), free(u->items[i].used), free(u->items[i].tets);
    free(u->out), free(u);
}

static inline soak_run *energy_new_world(uint64_t seed, const soak_options *o)
{
    soak_run *u = (soak_run *)calloc(1, sizeof *u);
    u->out = (soak_result *)calloc(1, sizeof *u->out);
    u->seed = seed, u->options = o;
    return u;
}

/* energies before the first step, from one a millionth as long of the same world. 0: there are none */
static inline int energy_start_of(const soak_run *u, ct_step_report *out)
{
    soak_run *twin = energy_new_world(u->seed, u->options);
    int ok = energy_make_world(twin) && ct_world_step(twin->world, (ct_real)(1e-6 * twin->dt), out) == CT_OK;
    energy_free_world(twin);
    return ok;
}

/* 1 where steps are Otaduy 2009's as printed: they stand whatever they gain, and say so */
static inline int energy_is_printed(const soak_run *u)
{
    return u->desc.stepper == CT_STEPPER_CMR && u->desc.solver.termination == CT_TERMINATION_PAPER;
}

/* Kinetic energy [J] that gravity still owes at the end of a step to bodies that return to their own integration rule after it: their velocities are
   those of its middle */
static inline double energy_owed(const soak_run *u)
{
    const cti_state *s = &u->world->state;
    const ct_real *g = s->desc.gravity;
    double owed = 0;
    int i, k;
    for (i = 0; u->desc.integrator != CT_INTEGRATOR_EULER && i < s->n; i++)
        for (k = 0; s->history.model_of[i] >= 0 && s->history.touched[i] && k < 3; k++) {
            double more = (double)(s->history.fall[i].owed * g[k]);
            owed += (double)s->bodies.mass[i] * more * ((double)s->v[3 * i + k] + more / 2);
        }
    return owed;
}

static inline void energy_play_world(soak_run *u, int verbose, energy_run *e)
{
    soak_rng r = soak_stream(u->seed, 3);
    int i, k, n = 10 + soak_below(&r, 31);
    double begin = energy_clock(), moving = 0, first = 0, least = 0;
    ct_step_report start;
    if (!energy_start_of(u, &start))
        return;
    for (k = 0; k < n && !e->cut; k++) {
        ct_step_report p;
        double floor_;
        if (ct_world_step(u->world, (ct_real)u->dt, &p) != CT_OK)
            return;
        if (k == 0) { /* a first step that gains is none to start from */
            start = energy_of(&start) < energy_of(&p) ? start : p;
            moving = start.energy_kinetic + start.energy_elastic, first = least = start.energy_gravity;
            e->start = energy_of(&start);
            if (e->start == energy_of(&p))
                e->start += fmax(0, energy_owed(u));
        }
        least = fmin(least, p.energy_gravity);
        /* below: rounding of the sums, and of elastic energies: a thousand ulp of what they are computed from, modulus times volume */
        floor_ = 1e-12 * (fabs(first) + fabs(p.energy_gravity)) + 1e-280;
        for (i = 0; i < u->world->state.bodies.n_models; i++)
            floor_ += 1e3 / ENERGY_GAIN * CTI_EPS * u->world->state.energy.moduli[i];
        energy_note(e, &p, moving + (first - least) + floor_);
        if (energy_is_printed(u) && p.status > CT_STATUS_ZONES) /* what it said that it gained is there in the steps behind it */
            e->start = fmax(e->start, energy_of(&p));
        if (verbose)
            printf(
                "  step %d: %s, %d substeps, kinetic %.5g, elastic %.5g, gravity %.5g, gain %.3g, residual %.2g, contacts %d, tangled %d\n",
                k + 1, ct_status_text(p.status), p.substeps, p.energy_kinetic, p.energy_elastic, p.energy_gravity - first, e->last - 1,
                (double)p.residual, p.contacts, p.tangled);
        if (p.tangled) { /* repair does work */
            e->steps = 0;
            return;
        }
        e->cut = energy_clock() - begin > ENERGY_WORLD_SECONDS;
    }
    e->seconds = energy_clock() - begin;
}

#endif /* TEST_ENERGY_WORLDS_H */
