/* arrange.c -- a world takes over which bodies and joints a snapshot has.
   Method: bodies cannot be made of a snapshot, which has no meshes, but a body is equal to one that was added with the same description, by its
   print. Equal bodies get slots, ids and blocks of the snapshot's, so that the world is the one that was saved, wherever its bodies were. Joints are
   made of the data. Arrays are made beside those of the world and exchanged with them, so that it gets its own back where a restoration fails.
   Based on: no paper. */
#include "arrange.h"
#include "../7_contact/contact_archive.h"
#include "../8_step/factors.h"
#include <stddef.h>

/* cti_record -- what names a body */
typedef struct cti_record {
    uint64_t kind, generation, print;
    int64_t block0;
    char name[sizeof((cti_body *)NULL)->name];
} cti_record;

static void cti_arrange_record(const cti_body *b, cti_record *out)
{
    memset(out, 0, sizeof *out);
    out->kind = (uint64_t)b->kind, out->generation = b->generation;
    if (b->kind == CTI_BODY_FREE)
        return;
    out->print = b->print, out->block0 = b->block0;
    memcpy(out->name, b->name, sizeof out->name);
}

/* what a joint's description gave; of one that was removed its generation */
static void cti_arrange_joint(cti_archive *a, cti_world_joint *q)
{
    cti_joint *j = &q->joint;
    int k;
    CTI_ARCHIVE_VALUE(a, q->alive), CTI_ARCHIVE_VALUE(a, q->generation);
    if (!q->alive)
        return;
    CTI_ARCHIVE_VALUE(a, q->slot), CTI_ARCHIVE_VALUE(a, q->collide), CTI_ARCHIVE_VALUE(a, j->kind);
    for (k = 0; k < 2; k++) {
        cti_joint_side *side = k ? &j->b : &j->a;
        cti_archive_value(a, &side->n, offsetof(cti_joint_side, arm) - offsetof(cti_joint_side, n));
        CTI_ARCHIVE_VALUE(a, side->n_vertices), CTI_ARCHIVE_VALUE(a, side->vertices);
    }
    cti_archive_value(a, &j->compliance, offsetof(cti_joint, drive) - offsetof(cti_joint, compliance));
}

/* where a joint holds its bodies, which calls may change: its preparation needs it */
static void cti_arrange_places(cti_archive *a, cti_world_joint *q)
{
    int k;
    for (k = 0; q->alive && k < 2; k++) {
        cti_joint_side *side = k ? &q->joint.b : &q->joint.a;
        CTI_ARCHIVE_VALUE(a, side->arm), cti_archive_moderate(a, 3), CTI_ARCHIVE_VALUE(a, side->triad), cti_archive_moderate(a, 9);
        CTI_ARCHIVE_VALUE(a, side->t0), cti_archive_finite_in(a, 1, sizeof side->t0, 0);
    }
}

static void cti_arrange_hold(const cti_world_joint *from, cti_world_joint *to)
{
    int k;
    for (k = 0; k < 2; k++) {
        const cti_joint_side *s = k ? &from->joint.b : &from->joint.a;
        cti_joint_side *d = k ? &to->joint.b : &to->joint.a;
        memcpy(d->arm, s->arm, sizeof d->arm), memcpy(d->triad, s->triad, sizeof d->triad);
        d->t0 = s->t0;
    }
}

/* cti_lists -- of the data; differs 1: they are not those of the world. NULL: they are skipped */
typedef struct cti_lists {
    cti_record *bodies;
    cti_world_joint *joints;
    int differs;
} cti_lists;

/* 1 if the data have at `at` the bytes of the world's joint */
static int cti_arrange_has(const cti_archive *a, size_t at, const cti_world_joint *q)
{
    unsigned char bytes[sizeof(cti_world_joint)];
    cti_world_joint copy = *q;
    cti_archive b;
    memset(&b, 0, sizeof b);
    b.mode = CTI_ARCHIVE_WRITE, b.data = bytes, b.size = sizeof bytes;
    cti_arrange_joint(&b, &copy);
    return a->at - at == b.at && memcmp(a->data + at, bytes, b.at) == 0;
}

static void cti_arrange_visit(cti_archive *a, ct_world *w, cti_lists *out)
{
    int here[2], n[2], i;
    here[0] = n[0] = CTI_LEN(w->bodies), here[1] = n[1] = CTI_LEN(w->joints);
    CTI_ARCHIVE_VALUE(a, n);
    cti_archive_require(a, n[0] >= 0 && n[1] >= 0 && (size_t)n[0] <= a->size / sizeof *out->bodies && (size_t)n[1] <= a->size / sizeof(int));
    if (out && a->code == CT_OK && !(CTI_RESIZE(&w->mem, out->bodies, n[0]) && CTI_RESIZE(&w->mem, out->joints, n[1])))
        a->code = CT_ERR_MEMORY;
    if (out)
        out->differs = n[0] != here[0] || n[1] != here[1];
    for (i = 0; a->code == CT_OK && i < n[0]; i++) {
        cti_record q, is;
        memset(&is, 0, sizeof is);
        if (i < here[0])
            cti_arrange_record(&w->bodies[i], &is);
        q = is;
        CTI_ARCHIVE_VALUE(a, q);
        q.name[sizeof q.name - 1] = 0;
        if (out)
            out->bodies[i] = q, out->differs |= memcmp(&q, &is, sizeof q) != 0;
    }
    for (i = 0; a->code == CT_OK && i < n[1]; i++) {
        size_t at = a->at;
        cti_world_joint q;
        memset(&q, 0, sizeof q);
        if (!out && i < here[1])
            q = w->joints[i];
        cti_arrange_joint(a, &q);
        if (out)
            out->differs |= i >= here[1] || !cti_arrange_has(a, at, &w->joints[i]);
        cti_arrange_places(a, &q);
        if (out)
            out->joints[i] = q;
        else if (cti_archive_reads(a))
            cti_arrange_hold(&q, &w->joints[i]);
    }
}

CTI_FN void cti_arrange_lists(cti_archive *a, ct_world *w) { cti_arrange_visit(a, w, NULL); }

/* ---- which body is which ---- */

static int cti_arrange_equals(const cti_body *b, const cti_record *q)
{
    return b->kind != CTI_BODY_FREE && (uint64_t)b->kind == q->kind && b->print == q->print;
}

/* from [slots] of bodies in the data: with the same id, else the first that no other is. 0: out of memory */
static int cti_arrange_match(cti_archive *a, ct_world *w, const cti_record *list, int n, cti_arrangement *t)
{
    uint8_t *taken = CTI_ARENA_NEW(&w->arena, uint8_t, (size_t)CTI_LEN(w->bodies) + 1);
    int i, k, pass;
    if (!taken || !CTI_RESIZE(&w->mem, t->from, n))
        return 0;
    memset(taken, 0, (size_t)CTI_LEN(w->bodies) + 1);
    for (i = 0; i < n; i++)
        t->from[i] = -1;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; a->code == CT_OK && i < n; i++) {
            int begin = pass ? 0 : i, end = pass ? CTI_LEN(w->bodies) : cti_min_int(i + 1, CTI_LEN(w->bodies));
            if (list[i].kind == CTI_BODY_FREE || t->from[i] >= 0)
                continue;
            for (k = begin; k < end; k++)
                if (!taken[k] && cti_arrange_equals(&w->bodies[k], &list[i]) && (pass || w->bodies[k].generation == list[i].generation))
                    break;
            if (k < end)
                t->from[i] = k, taken[k] = 1;
            else if (pass)
                a->code = cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, i,
                                        "the snapshot has a body %.48s of which the world has no equal: add it again as it was",
                                        list[i].name[0] ? list[i].name : "without a name");
        }
    return 1;
}

/* ---- arrays for the world ---- */

/* bodies in their slots, rigid ones in the order of their blocks, and the blocks' numbers. 0: out of memory */
static int cti_arrange_bodies(cti_archive *a, ct_world *w, const cti_record *list, int n, cti_arrangement *t)
{
    uint64_t *keys = CTI_ARENA_NEW(&w->arena, uint64_t, 2 * (size_t)n + 1);
    int32_t *blocks;
    int i, k, m = 0;
    if (!keys || !CTI_RESIZE(&w->mem, t->bodies, n) || !CTI_RESERVE(&w->mem, t->rigids, CTI_LEN(w->state.bodies.rigids)))
        return 0;
    for (i = 0; i < n; i++) {
        cti_body *b = &t->bodies[i];
        memset(b, 0, sizeof *b);
        if (t->from[i] >= 0)
            *b = w->bodies[t->from[i]];
        b->generation = (uint32_t)list[i].generation;
        t->n_alive += t->from[i] >= 0, t->n_fresh += b->fresh;
        cti_archive_require(a, t->from[i] < 0 || (b->block0 < 0 ? list[i].block0 == -1 : list[i].block0 >= 0 && list[i].block0 <= INT32_MAX));
        if (t->from[i] >= 0 && b->block0 >= 0)
            keys[m++] = (uint64_t)list[i].block0 << 32 | (uint32_t)i;
    }
    cti_sort_u64(keys, NULL, keys + n, NULL, m);
    for (k = 0; k < m && a->code == CT_OK; k++) {
        cti_body *b = &t->bodies[(uint32_t)keys[k]];
        cti_archive_require(a, keys[k] >> 32 == (uint64_t)t->n);
        b->block0 = t->n, t->n += b->n_blocks;
        if (b->rigid < 0)
            continue;
        CTI_PUSH(&w->mem, t->rigids, w->state.bodies.rigids[b->rigid]);
        b->rigid = CTI_LEN(t->rigids) - 1, t->rigids[b->rigid].block = b->block0;
    }
    blocks = CTI_ARENA_NEW(&w->arena, int32_t, (size_t)t->n + 1);
    for (i = 0; blocks && i < n; i++)
        for (k = 0; t->from[i] >= 0 && k < t->bodies[i].n_blocks && a->code == CT_OK; k++)
            blocks[t->bodies[i].block0 + k] = w->bodies[t->from[i]].block0 + k;
    return blocks && (a->code != CT_OK || cti_blocks_gather(&w->state, blocks, t->n, t->blocks));
}

/* what a side's body gives it; 0: the body is no such one */
static int cti_arrange_side(const cti_body *b, cti_joint_side *s)
{
    int k, ok = s->rigid == (b && b->kind == CTI_BODY_RIGID ? 0 : -1) && s->n >= 0 && s->n <= (b && cti_body_has_model(b) ? CTI_JOINT_NODES : 0);
    for (k = 0; ok && k < CTI_JOINT_NODES; k++)
        ok = cti_finite(s->weight[k]) && (k >= s->n || (s->block[k] >= 0 && s->block[k] < b->n_blocks));
    if (!ok || !b || b->kind != CTI_BODY_KINEMATIC)
        return ok && s->n_vertices == 0;
    s->path = b->script.path, s->n_path = b->script.n_path;
    if (s->n_vertices == 0)
        return 1;
    s->keyframes = b->script.keyframes, s->n_keyframes = (int32_t)b->script.n_keyframes, s->interval = b->script.interval;
    for (k = 0; k < 3; k++)
        ok = ok && s->vertices[k] >= -1 && s->vertices[k] < b->script.n;
    return ok && s->n_vertices == b->script.n;
}

static void cti_arrange_joints(cti_archive *a, const cti_body *bodies, cti_world_joint *joints)
{
    int i, k, n = CTI_LEN(bodies);
    for (i = 0; i < CTI_LEN(joints); i++) {
        cti_world_joint *q = &joints[i];
        cti_joint *j = &q->joint;
        const ct_real sizes[4] = {j->compliance, j->angular_compliance, j->rest, j->lever};
        int ok = q->alive == 0 || (q->alive == 1 && (q->collide == 0 || q->collide == 1) && j->kind >= 0 && j->kind <= CT_JOINT_DRAG);
        for (k = 0; ok && q->alive && k < 2; k++)
            ok = q->slot[k] >= -1 && q->slot[k] < n && (q->slot[k] < 0 || bodies[q->slot[k]].kind != CTI_BODY_FREE) &&
                 cti_arrange_side(q->slot[k] < 0 ? NULL : &bodies[q->slot[k]], k ? &j->b : &j->a);
        for (k = 0; ok && k < 4; k++)
            ok = sizes[k] >= 0 && cti_finite(sizes[k] * sizes[k]);
        cti_archive_require(a, ok && (!q->alive || j->lever > 0));
        j->key = cti_joints_key(q, i);
    }
}

/* ---- the exchange ---- */

#define CTI_EXCHANGE(T, a, b) \
    do {                      \
        T exchanged = (a);    \
        (a) = (b);            \
        (b) = exchanged;      \
    } while (0)

static void cti_arrange_exchange(ct_world *w, cti_arrangement *t)
{
    cti_state *s = &w->state;
    CTI_EXCHANGE(cti_body *, w->bodies, t->bodies);
    CTI_EXCHANGE(cti_world_joint *, w->joints, t->joints);
    CTI_EXCHANGE(cti_rigid *, s->bodies.rigids, t->rigids);
    CTI_EXCHANGE(cti_pin *, s->scripts.pins, t->pins);
    CTI_EXCHANGE(cti_direction *, s->scripts.directions, t->directions);
    CTI_EXCHANGE(cti_tether *, s->scripts.tethers, t->tethers);
    CTI_EXCHANGE(int, s->n, t->n);
    CTI_EXCHANGE(int, w->n_alive, t->n_alive);
    CTI_EXCHANGE(int, w->n_fresh, t->n_fresh);
    cti_blocks_exchange(s, t->blocks);
    w->queries_ready = 0;
}

/* factors of the bodies that stay get their new ids. 0: out of memory */
static int cti_arrange_factors(ct_world *w, const cti_record *list, const cti_arrangement *t)
{
    int i, n = CTI_LEN(w->bodies);
    uint64_t *ids = CTI_ARENA_NEW(&w->arena, uint64_t, 2 * (size_t)n + 1), *to = ids + n;
    for (i = 0; ids && i < n; i++)
        ids[i] = cti_body_id(&w->bodies[i], i), to[i] = UINT64_MAX;
    for (i = 0; ids && i < CTI_LEN(t->from); i++)
        if (t->from[i] >= 0)
            to[t->from[i]] = list[i].generation << 32 | (uint32_t)i;
    if (ids)
        cti_factors_rename(&w->state.factors, ids, to, n);
    return ids != NULL;
}

static void cti_arrange_free(ct_world *w, cti_arrangement *t)
{
    int k;
    CTI_FREE_SPAN(&w->mem, t->bodies, t->rigids);
    for (k = 0; k < CTI_BLOCKS_ARRAYS; k++)
        CTI_FREE_SPAN(&w->mem, t->blocks[k], t->blocks[k]);
    CTI_FREE_SPAN(&w->mem, t->pins, t->tethers);
    CTI_FREE(&w->mem, t->from);
}

CTI_FN void cti_arrange(cti_archive *a, ct_world *w, cti_arrangement *out)
{
    cti_arena_point mark = cti_arena_mark(&w->arena);
    cti_lists lists;
    int i, ok = 1;
    memset(&lists, 0, sizeof lists);
    cti_arrange_visit(a, w, &lists);
    if (a->code == CT_OK && lists.differs) {
        int n = CTI_LEN(lists.bodies);
        out->joints = lists.joints, lists.joints = NULL;
        ok = cti_arrange_match(a, w, lists.bodies, n, out) &&
             (a->code != CT_OK || cti_arrange_bodies(a, w, lists.bodies, n, out));
        if (ok && a->code == CT_OK)
            cti_arrange_joints(a, out->bodies, out->joints);
        ok = ok && (a->code != CT_OK || cti_world_keep_contacts(w) == CT_OK);
        if (ok && a->code == CT_OK) {
            cti_world_unprepare(w);
            out->clean = w->clean;
            ok = cti_arrange_factors(w, lists.bodies, out);
        }
        if (ok && a->code == CT_OK) {
            for (i = 0; i < n; i++)
                if (out->from[i] >= 0 && out->bodies[i].block0 >= 0)
                    cti_model_shift(&out->bodies[i].model, out->bodies[i].block0 - w->bodies[out->from[i]].block0);
            cti_arrange_exchange(w, out);
            out->is_made = 1;
        }
    }
    if (!ok && a->code == CT_OK)
        a->code = CT_ERR_MEMORY;
    if (!out->is_made)
        cti_arrange_free(w, out);
    CTI_FREE(&w->mem, lists.bodies);
    CTI_FREE(&w->mem, lists.joints);
    cti_arena_rewind(&w->arena, mark);
}

CTI_FN void cti_arrange_end(ct_world *w, int keep, cti_arrangement *t)
{
    int i;
    if (!t->is_made)
        return;
    for (i = 0; i < CTI_LEN(t->from); i++)
        if (t->from[i] >= 0) {
            cti_body *old = &t->bodies[t->from[i]], was = *old;
            *old = w->bodies[i];
            if (old->block0 >= 0 && !keep)
                cti_model_shift(&old->model, was.block0 - old->block0);
            old->block0 = was.block0, old->rigid = was.rigid, old->generation = was.generation;
            old->fresh = was.fresh, old->unsearched = was.unsearched;
            if (keep)
                old->kind = CTI_BODY_FREE;
        }
    if (!keep) {
        cti_world_unprepare(w);
        cti_arrange_exchange(w, t);
        w->clean = t->clean;
        for (i = 0; i < CTI_LEN(w->bodies); i++)
            cti_world_scripted(w, i);
    }
    for (i = 0; keep && i < CTI_LEN(t->bodies); i++)
        if (t->bodies[i].kind != CTI_BODY_FREE)
            cti_world_free_body(w, &t->bodies[i]);
    cti_arrange_free(w, t);
}
