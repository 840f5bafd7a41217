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

/* energies before the first step, from one a millionth as long */
static inline double energy_start_of(uint64_t seed, const soak_options *o)
{
    soak_run *u = energy_new_world(seed, o);
    ct_step_report r;
    double e = -1;
    if (energy_make_world(u) && ct_world_step(u->world, (ct_real)(1e-6 * u->dt), &r) == CT_OK)
        e = energy_of(&r);
    energy_free_world(u);
    return e;
}

static inline void energy_play_world(soak_run *u, int verbose, energy_run *e)
{
    soak_rng r = soak_stream(u->seed, 3);
    int i, k, n = 10 + soak_below(&r, 31);
    double begin = energy_clock(), moving = 0, first = 0, least = 0;
    for (k = 0; k < n && !e->cut; k++) {
        ct_step_report p;
        double floor_;
        if (ct_world_step(u->world, (ct_real)u->dt, &p) != CT_OK)
            return;
        if (k == 0)
            moving = p.energy_kinetic + p.energy_elastic, first = least = p.energy_gravity;
        least = fmin(least, p.energy_gravity);
        /* below: rounding of the sums, and of elastic energies: a thousand ulp of what they are computed from, modulus times volume */
        floor_ = 1e-12 * (fabs(first) + fabs(p.energy_gravity)) + 1e-280;
        for (i = 0; i < u->world->state.n_models; i++)
            floor_ += 1e3 / ENERGY_GAIN * CTI_EPS * u->world->state.moduli[i];
        energy_note(e, &p, moving + (first - least) + floor_);
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
