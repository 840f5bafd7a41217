/* snapshot.c -- the start of a step.
   Method: copies the arrays of history, which are small compared with the matrix. Factors are not copied, only when and for which matrix
   they were made; a factor that was replaced since is recognized by its version and computed again. Nearly all steps renew a factor before
   they use the old one; such a step gives the same bits when it is tried again. Based on: no paper. */
#include "snapshot.h"
#include "assemble.h"
#include "energy.h"
#include "integrate.h"

#define CTI_SNAPSHOT_COPY(mem, to, from, n) (CTI_RESIZE(mem, to, n) && ((n) == 0 || memcpy(to, from, sizeof *(from) * (size_t)(n)) != NULL))

CTI_FN void cti_snapshot_free(cti_mem *mem, cti_snapshot *t)
{
    CTI_FREE_SPAN(mem, t->copy.x, t->copy.energies);
    CTI_FREE_SPAN(mem, t->dv_free, t->tangles);
    CTI_FREE(mem, t->stopped);
    cti_memory_free(mem, &t->memory);
    memset(t, 0, sizeof *t);
}

CTI_FN int cti_copy_save(cti_state *s, cti_copy *t)
{
    cti_mem *m = s->mem;
    int n = s->n, two = s->desc.integrator == CT_INTEGRATOR_BDF2 ? 3 * n : 0;
    return CTI_SNAPSHOT_COPY(m, t->x, s->x, 3 * n) && CTI_SNAPSHOT_COPY(m, t->v, s->v, 3 * n) &&
           CTI_SNAPSHOT_COPY(m, t->dt_prev, s->history.dt_prev, n) && CTI_SNAPSHOT_COPY(m, t->dv, s->history.dv, 3 * n) &&
           CTI_SNAPSHOT_COPY(m, t->v0, s->history.v0, two) && CTI_SNAPSHOT_COPY(m, t->u0, s->history.u0, two) &&
           CTI_SNAPSHOT_COPY(m, t->touched, s->history.touched, n) && CTI_SNAPSHOT_COPY(m, t->fall, s->history.fall, n) &&
           CTI_SNAPSHOT_COPY(m, t->rigids, s->bodies.rigids, CTI_LEN(s->bodies.rigids)) &&
           CTI_SNAPSHOT_COPY(m, t->energies, s->energy.now, CTI_LEN(s->energy.now));
}

/* Copies the components' plain data, but no array of theirs. 0: out of memory */
static int cti_snapshot_save_components(cti_mem *mem, const cti_factors *f, cti_component_start **out)
{
    int i;
    if (!CTI_RESIZE(mem, *out, CTI_LEN(f->components)))
        return 0;
    for (i = 0; i < CTI_LEN(f->components); i++) {
        cti_component_start *t = &(*out)[i];
        const cti_component *q = &f->components[i];
        t->stamp = q->cache.stamp;
        t->solve = q->solve;
        t->substep = q->substep;
    }
    return 1;
}

/* copies where the points of stopped scripts are, or copies them back. 0: out of memory, which it cannot be on the way back */
static int cti_snapshot_stopped(cti_state *s, int back, cti_snapshot *t)
{
    int i, at = 0;
    for (i = 0; i < CTI_LEN(s->scripts.movers); i++) {
        const cti_script *q = &s->scripts.movers[i].script;
        int n = q->stopped ? 3 * q->n + 1 : 0;
        if (n == 0)
            continue;
        if (!back && !CTI_RESIZE(s->mem, t->stopped, at + n))
            return 0;
        if (back)
            memcpy(q->stopped, t->stopped + at, sizeof *q->stopped * (size_t)n);
        else
            memcpy(t->stopped + at, q->stopped, sizeof *q->stopped * (size_t)n);
        at += n;
    }
    return 1;
}

CTI_FN int cti_snapshot_save_solves(cti_state *s, cti_snapshot *t)
{
    cti_mem *m = s->mem;
    return CTI_SNAPSHOT_COPY(m, t->dv_free, s->history.dv_free, 3 * s->n) && CTI_SNAPSHOT_COPY(m, t->copy.dt_prev, s->history.dt_prev, s->n) &&
           CTI_SNAPSHOT_COPY(m, t->copy.touched, s->history.touched, s->n) && cti_snapshot_save_components(m, &s->factors, &t->components);
}

CTI_FN int cti_snapshot_save(cti_state *s, int all, cti_snapshot *t)
{
    cti_mem *m = s->mem;
    t->time = s->step.time;
    t->dt_memory = s->contact.memory_dt, t->dt_free = s->history.dt_free;
    t->n_tangled = s->detect.n_tangled;
    return cti_copy_save(s, &t->copy) && cti_snapshot_save_solves(s, t) &&
           CTI_SNAPSHOT_COPY(m, t->ways, s->contact.ways, CTI_LEN(s->contact.ways)) &&
           CTI_SNAPSHOT_COPY(m, t->tangles, s->detect.tangles, CTI_LEN(s->detect.tangles)) && cti_snapshot_stopped(s, 0, t) &&
           (!all || (CTI_SNAPSHOT_COPY(m, t->memory.items, s->contact.memory.items, CTI_LEN(s->contact.memory.items)) &&
                     CTI_SNAPSHOT_COPY(m, t->memory.table, s->contact.memory.table, CTI_LEN(s->contact.memory.table))));
}

/* copies a block; two: BDF2 */
static void cti_copy_block(cti_state *s, int b, int two, const cti_copy *t)
{
    cti_v3_put(s->x, b, cti_v3_at(t->x, b)), cti_v3_put(s->v, b, cti_v3_at(t->v, b)), cti_v3_put(s->history.dv, b, cti_v3_at(t->dv, b));
    s->history.dt_prev[b] = t->dt_prev[b], s->history.fall[b] = t->fall[b], s->history.touched[b] = t->touched[b];
    if (two)
        cti_v3_put(s->history.v0, b, cti_v3_at(t->v0, b)), cti_v3_put(s->history.u0, b, cti_v3_at(t->u0, b));
}

CTI_FN void cti_copy_restore(cti_state *s, const cti_component *q, const cti_copy *t)
{
    int i, two = s->desc.integrator == CT_INTEGRATOR_BDF2, first = s->factors.blocks[q->begin], rigid = s->bodies.rigid_of[first];
    for (i = q->begin; i < q->end; i++)
        cti_copy_block(s, s->factors.blocks[i], two, t);
    if (cti_energy_body(s, first) >= 0)
        s->energy.now[cti_energy_body(s, first)] = t->energies[cti_energy_body(s, first)];
    if (rigid >= 0) {
        s->bodies.rigids[rigid] = t->rigids[rigid];
        cti_rigid_matrix(s->bodies.rigids[rigid].q, s->bodies.frames + 9 * (size_t)rigid);
    }
}

/* Resets the stamp of factors that a step may have replaced since `start`. A factor with another version is not that of the start: it gets
   no age, and is computed when it is asked for. */
static void cti_snapshot_rewind_stamp(const cti_factor_stamp *start, cti_factor_stamp *stamp)
{
    int version = stamp->version, penalized_version = stamp->penalized_version, penalized_known = stamp->penalized_known;
    *stamp = *start;
    if (version != start->version)
        stamp->age = -1;
    if (!penalized_known || penalized_version != start->penalized_version)
        stamp->penalized_known = 0;
    stamp->version = version;
    stamp->penalized_version = penalized_version;
}

CTI_FN void cti_snapshot_restore_solves(cti_state *s, int active, const cti_snapshot *t)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->factors.components); i++) {
        cti_component *q = &s->factors.components[i];
        if (active && q->substep.part)
            continue;
        q->solve = t->components[i].solve;
        q->substep = t->components[i].substep;
        cti_snapshot_rewind_stamp(&t->components[i].stamp, &q->cache.stamp);
        q->cache.is_due = 0;
        q->place = -1;
        for (k = q->begin; k < q->end; k++) {
            int b = s->factors.blocks[k];
            cti_v3_put(s->history.dv_free, b, cti_v3_at(t->dv_free, b));
            s->history.dt_prev[b] = t->copy.dt_prev[b], s->history.touched[b] = t->copy.touched[b]; /* some have yielded to Euler's rule */
        }
    }
}

/* exchanges arrays that a step replaces with their copies, which cannot run out of memory */
static void cti_snapshot_swap(cti_state *s, int all, cti_snapshot *t)
{
    cti_way *ways = s->contact.ways;
    uint64_t *tangles = s->detect.tangles;
    cti_memory memory = s->contact.memory;
    s->contact.ways = t->ways, t->ways = ways;
    s->detect.tangles = t->tangles, t->tangles = tangles;
    s->detect.n_tangled = cti_max_int(1, t->n_tangled); /* the next step searches for intersecting pairs first */
    if (all)
        s->contact.memory = t->memory, t->memory = memory;
}

static void cti_snapshot_back(void *to, const void *from, size_t size, int n)
{
    if (n)
        memcpy(to, from, size * (size_t)n);
}

CTI_FN void cti_snapshot_restore(cti_state *s, int all, cti_snapshot *t)
{
    cti_history *history = &s->history;
    const cti_copy *from = &t->copy;
    int i, n = s->n;
    s->step.time = t->time;
    s->energy.known = 0;
    s->contact.memory_dt = t->dt_memory, history->dt_free = t->dt_free;
    cti_snapshot_back(s->x, from->x, sizeof *s->x, 3 * n), cti_snapshot_back(s->v, from->v, sizeof *s->v, 3 * n);
    cti_snapshot_back(history->dv, from->dv, sizeof *history->dv, 3 * n);
    cti_snapshot_back(history->dt_prev, from->dt_prev, sizeof *history->dt_prev, n),
        cti_snapshot_back(history->dv_free, t->dv_free, sizeof *history->dv_free, 3 * n);
    cti_snapshot_back(history->v0, from->v0, sizeof *from->v0, CTI_LEN(from->v0));
    cti_snapshot_back(history->u0, from->u0, sizeof *from->u0, CTI_LEN(from->u0));
    cti_snapshot_back(history->touched, from->touched, 1, n), cti_snapshot_back(history->fall, from->fall, sizeof *history->fall, n);
    cti_snapshot_back(s->bodies.rigids, from->rigids, sizeof *s->bodies.rigids, CTI_LEN(s->bodies.rigids));
    cti_snapshot_restore_solves(s, 0, t);
    s->parts.inactive = 0;
    cti_integrate_clear(s);
    cti_snapshot_swap(s, all, t);
    cti_snapshot_stopped(s, 1, t);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_rigid_frame(&s->bodies.rigids[i], s->bodies.frames + 9 * (size_t)i);
    cti_assemble_standing(s);
    cti_surface_place(&s->surface, s->x, s->bodies.frames, s->surface.x0);
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    s->detect.valid = 0;
}
