/* state_archive.c -- the state of a world in an archive: blocks, scripts, history, factors.
   Method: what a step writes before it reads it is scratch, and is left out; so is what follows from the bodies alone. Factors are kept with their
   numbers: those of an earlier matrix could not be computed again. Based on: no paper. */
#include "state_archive.h"
#include "factors.h"
#include "../7_contact/contact_archive.h"

/* members of a rigid body that motion changes */
static void cti_archive_rigid(cti_archive *a, cti_rigid *r)
{
    CTI_ARCHIVE_SPAN(a, r->q, r->q_free), CTI_ARCHIVE_SPAN(a, r->has_q_free, r->linked), CTI_ARCHIVE_SPAN(a, r->v_before, r->affine_u0);
    CTI_ARCHIVE(a, r->affine_known);
}

static void cti_archive_scripts(cti_archive *a, cti_state *s)
{
    cti_scripts *q = &s->scripts;
    int n = CTI_ARCHIVE_ANY(a, q->path), pins, i;
    CTI_ARCHIVE_GAP(a, n, ct_motion_segment, motion, offsetof(ct_motion_segment, duration));
    cti_archive_moderate_in(a, n, sizeof(ct_motion_segment), offsetof(ct_motion_segment, motion), 9);
    cti_archive_finite_in(a, n, sizeof(ct_motion_segment), offsetof(ct_motion_segment, duration));
    pins = CTI_ARCHIVE_ANY(a, q->pins);
    CTI_ARCHIVE_BOUND(a, pins, cti_pin, block, 1, 0, s->n);
    CTI_ARCHIVE_BOUND(a, pins, cti_pin, path, 2, 0, (int64_t)n + 1);
    cti_archive_moderate_in(a, pins, sizeof(cti_pin), offsetof(cti_pin, start), 3);
    cti_archive_finite_in(a, pins, sizeof(cti_pin), offsetof(cti_pin, t0));
    for (i = 0; i < pins && cti_archive_checks(a); i++) {
        cti_pin p;
        memcpy(&p, a->data + a->at - sizeof p * (size_t)(pins - i), sizeof p);
        cti_archive_require(a, p.n_path <= n - p.path);
    }
    CTI_ARCHIVE_GAP(a, pins, cti_pin, n_path, offsetof(cti_pin, t0));
    n = CTI_ARCHIVE_ANY(a, q->directions);
    CTI_ARCHIVE_BOUND(a, n, cti_direction, block, 1, 0, s->n);
    CTI_ARCHIVE_GAP(a, n, cti_direction, block, offsetof(cti_direction, projector));
    n = CTI_ARCHIVE_ANY(a, q->tethers);
    CTI_ARCHIVE_BOUND(a, n, cti_tether, block, 1, 0, s->n);
    cti_archive_finite_in(a, n, sizeof(cti_tether), offsetof(cti_tether, t0));
    cti_archive_finite_in(a, n, sizeof(cti_tether), offsetof(cti_tether, span));
    cti_archive_moderate_in(a, n, sizeof(cti_tether), offsetof(cti_tether, from), 12);
}

/* an array with `per` numbers for each block. One of the last step has other lengths after a change of bodies, until they are prepared */
#define CTI_ARCHIVE_BLOCKS(a, array, count, prepared) CTI_ARCHIVE_SIZED(a, array, (prepared) ? (count) : 0, (prepared) ? (count) : -1)

/* what survives a change of bodies */
static void cti_archive_blocks(cti_archive *a, cti_state *s, int prepared)
{
    cti_history *q = &s->history;
    int n = s->n, n3 = 3 * n, two = s->desc.integrator == CT_INTEGRATOR_BDF2 ? n3 : 0, i;
    CTI_ARCHIVE(a, s->step.time);
    cti_archive_finite_in(a, 1, sizeof s->step.time, 0);
    CTI_ARCHIVE(a, s->contact.memory_dt), CTI_ARCHIVE(a, s->judge.debt), CTI_ARCHIVE(a, q->dt_free);
    cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->x, n3)), cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->v, n3));
    cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->bodies.force, n3)), cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, s->bodies.owed, n3));
    CTI_ARCHIVE_ARRAY(a, q->dt_prev, n), CTI_ARCHIVE_ARRAY(a, q->fall, n);
    CTI_ARCHIVE_BLOCKS(a, q->touched, n, prepared), CTI_ARCHIVE_BLOCKS(a, q->impulses.pins, n3, prepared);
    CTI_ARCHIVE_BLOCKS(a, q->dv_free, n3, prepared), CTI_ARCHIVE_BLOCKS(a, q->v0, two, prepared), CTI_ARCHIVE_BLOCKS(a, q->u0, two, prepared);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_archive_rigid(a, &s->bodies.rigids[i]);
    cti_memory_archive(a, &s->contact.memory), cti_memory_archive(a, &q->impulses.joints);
    CTI_ARCHIVE_ANY(a, s->contact.ways);
    cti_archive_scripts(a, s);
}

/* touches refer to features of the surface */
static void cti_archive_touches(cti_archive *a, cti_state *s)
{
    int n = CTI_ARCHIVE_ANY(a, s->history.impulses.touches);
    cti_pair_bound(a, &s->surface, n, sizeof(cti_touch), offsetof(cti_touch, pair));
    CTI_ARCHIVE_GAP(a, n, cti_touch, sticking, sizeof(cti_touch));
}

/* what the preparation of the bodies makes anew */
static void cti_archive_prepared(cti_archive *a, cti_state *s)
{
    cti_mem *mem = a->mem;
    int n = s->n, bodies = s->bodies.n_models + CTI_LEN(s->bodies.rigids), i;
    CTI_ARCHIVE_ARRAY(a, s->history.dv, 3 * n), CTI_ARCHIVE_ARRAY(a, s->scripts.held, n);
    CTI_ARCHIVE_ARRAY(a, s->history.touches, s->bodies.n_models), CTI_ARCHIVE_ARRAY(a, s->history.reset, s->bodies.n_models);
    CTI_ARCHIVE(a, s->energy.known);
    CTI_ARCHIVE_ARRAY(a, s->energy.moduli, s->bodies.n_models), CTI_ARCHIVE_ARRAY(a, s->energy.now, bodies);
    CTI_ARCHIVE_ARRAY(a, s->judge.debts, bodies);
    for (i = 0; i < CTI_JOINTS(s); i++)
        CTI_ARCHIVE(a, s->bodies.joints[i].slack);
    cti_surface_archive(a, &s->surface);
    cti_detect_archive(a, &s->surface, &s->detect);
    cti_pairs_archive(a, &s->surface, CT_PAIR_EF, &s->contact.tangled_pairs);
    cti_archive_touches(a, s);
    a->mem = &s->prepared;
    cti_factors_archive(a, &s->factors);
    a->mem = mem;
}

CTI_FN void cti_state_archive(cti_archive *a, cti_state *s, int prepared)
{
    int i;
    cti_archive_blocks(a, s, prepared);
    if (prepared)
        cti_archive_prepared(a, s);
    if (!cti_archive_reads(a))
        return;
    s->contact.is_solved = 0, s->parts.inactive = 0;
    CTI_CLEAR(s->contact.rows);
    CTI_CLEAR(s->contact.origins);
    CTI_CLEAR(s->contact.repairs);
    for (i = 0; prepared && i < CTI_LEN(s->bodies.rigids); i++)
        cti_rigid_frame(&s->bodies.rigids[i], s->bodies.frames + 9 * (size_t)i);
}
