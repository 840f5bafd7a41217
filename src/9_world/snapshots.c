/* snapshots.c -- the state of a world as bytes.
   Method: a head says which build wrote the data and what the world is made of; the state follows, each member in its own floor's archive function. A
   restoration checks everything first, and reserves memory; what then reads cannot fail. Based on: no paper. */
#include "arrange.h"
#include "../7_contact/contact_archive.h"
#include "../8_step/state_archive.h"

enum { CTI_SNAPSHOT_VERSION = 2 };

/* what must be the same in both builds */
typedef struct cti_snapshot_build {
    char magic[8];
    uint64_t sum;            /* of all that follows */
    uint64_t bytes;          /* of the whole */
    uint32_t order, version; /* of bytes in a number; of the format */
    uint32_t library, real_bits, layout, bits; /* sizes of structs; 0: bits are those of every build */
} cti_snapshot_build;

static void cti_snapshot_build_here(cti_snapshot_build *b)
{
    const ct_library_info *info = ct_library_info_get();
    memset(b, 0, sizeof *b);
    memcpy(b->magic, "ctworld\n", sizeof b->magic);
    b->order = 0x01020304u, b->version = CTI_SNAPSHOT_VERSION, b->library = CT_VERSION, b->real_bits = (uint32_t)info->real_bits;
    b->layout = (uint32_t)(sizeof(ct_world) + 4096 * sizeof(cti_rigid));
    b->bits = info->deterministic ? 0 : (uint32_t)cti_archive_hash(1, info->simd, strlen(info->simd));
}

/* ---- what a world is made of ---- */

/* cti_snapshot_option -- options between which there is no room, from one to another */
typedef struct cti_snapshot_option {
    const char *name;
    size_t at, end;
} cti_snapshot_option;
#define CTI_OPTIONS(first, last) {#first, offsetof(ct_world_desc, first), offsetof(ct_world_desc, last) + sizeof(((ct_world_desc *)NULL)->last)}
static const cti_snapshot_option cti_snapshot_options[] = {
    CTI_OPTIONS(stepper, stepper), CTI_OPTIONS(origin, origin), CTI_OPTIONS(thickness, restitution_combine),
    CTI_OPTIONS(self_collision, self_collision), CTI_OPTIONS(broad_phase, newton_iterations),
    CTI_OPTIONS(solver.solver, solver.termination), CTI_OPTIONS(solver.tolerance, solver.tolerance),
    CTI_OPTIONS(solver.max_iterations, solver.budget), CTI_OPTIONS(solver.seconds, solver.seconds), CTI_OPTIONS(solver.order, solver.order),
    CTI_OPTIONS(solver.relaxation, solver.relaxation), CTI_OPTIONS(solver.plain, solver.warm), CTI_OPTIONS(solver.seed, solver.seed),
    CTI_OPTIONS(cmr_rounds, ccd_limits_step),
    CTI_OPTIONS(dcd.newton_iterations, dcd.max_substeps), CTI_OPTIONS(dcd.substep_fraction, dcd.depth),
    CTI_OPTIONS(barrier.kind, barrier.kind), CTI_OPTIONS(barrier.dhat, barrier.newton_tolerance),
    CTI_OPTIONS(barrier.friction_iterations, barrier.newton_iterations), CTI_OPTIONS(barrier.stiffness, barrier.stiffness),
    CTI_OPTIONS(barrier.form, barrier.static_hold),
    CTI_OPTIONS(layers.clock, layers.depth), CTI_OPTIONS(layers.max_layers, layers.max_updates),
    CTI_OPTIONS(geometric.scheme, geometric.sweeps), CTI_OPTIONS(geometric.position_distance, geometric.displacement),
    CTI_OPTIONS(geometric.max_substeps, geometric.residual_state), CTI_OPTIONS(geometric.interaction_damping, geometric.interaction_damping),
    CTI_OPTIONS(penalty.form, penalty.friction), CTI_OPTIONS(penalty.stiffness, penalty.friction_velocity),
    CTI_OPTIONS(penalty.warp, penalty.max_substeps),
    CTI_OPTIONS(rk.tolerance, rk.fixed_step), CTI_OPTIONS(rk.extrapolate, rk.element_pressure), CTI_OPTIONS(rk.penetration, rk.bulk_viscosity),
    CTI_OPTIONS(rk.max_steps, rk.max_steps), CTI_OPTIONS(recovery_speed, recovery_speed), CTI_OPTIONS(hit_speed, hit_speed),
    CTI_OPTIONS(sleep_time, sleep_time), CTI_OPTIONS(sleep_speed, sleep_speed), CTI_OPTIONS(frame_work, frame_ms)};

CTI_FN const char *cti_world_other_option(const ct_world_desc *a, const ct_world_desc *b)
{
    int i;
    for (i = 0; i < CTI_COUNT(cti_snapshot_options); i++) {
        const cti_snapshot_option *q = &cti_snapshot_options[i];
        if (memcmp((const char *)a + q->at, (const char *)b + q->at, q->end - q->at) != 0)
            return q->name;
    }
    return NULL;
}

static uint64_t cti_snapshot_list(uint64_t h, const void *list, size_t element, int n) { return cti_archive_hash(h, list, element * (size_t)n); }

/* numbers of nodes, counted from the body's first one */
static uint64_t cti_snapshot_nodes(uint64_t h, const int32_t *list, int n, int first)
{
    int i;
    for (i = 0; i < n; i++) {
        int32_t own = list[i] - first;
        h = cti_archive_hash(h, &own, sizeof own);
    }
    return h;
}
#define CTI_PRINT(h, array) cti_snapshot_list((h), (array), sizeof *(array), CTI_LEN(array))

CTI_FN uint64_t cti_world_print(const ct_world *w, const cti_body *b)
{
    int numbers[4];
    uint64_t h = cti_archive_hash(1, b->name, strlen(b->name));
    numbers[0] = (int)b->kind, numbers[1] = b->n, numbers[2] = b->n_blocks, numbers[3] = (int)b->material.model;
    h = cti_archive_hash(h, numbers, sizeof numbers);
    h = CTI_PRINT(h, b->rest), h = CTI_PRINT(h, b->nodes), h = CTI_PRINT(h, b->attach), h = CTI_PRINT(h, b->triangles), h = CTI_PRINT(h, b->segments);
    h = CTI_PRINT(h, b->keyframes), h = cti_snapshot_nodes(h, b->model.tets.node, CTI_LEN(b->model.tets.node), b->block0);
    h = cti_archive_hash(h, &b->material.young, sizeof b->material - offsetof(ct_material, young));
    h = cti_archive_hash(h, b->rigid_start.inertia, sizeof b->rigid_start.inertia);
    h = cti_archive_hash(cti_archive_hash(h, b->plane_normal, sizeof b->plane_normal), &b->plane_offset, sizeof b->plane_offset);
    return b->block0 < 0 ? h : cti_snapshot_list(h, w->state.bodies.mass + b->block0, sizeof(ct_real), b->n_blocks);
}

/* options that must be the same in the data */
static void cti_snapshot_of_options(cti_archive *a, ct_world *w)
{
    int i;
    for (i = 0; i < CTI_COUNT(cti_snapshot_options); i++) {
        const cti_snapshot_option *q = &cti_snapshot_options[i];
        size_t at = a->at, size = q->end - q->at;
        char *here = (char *)&w->state.desc + q->at;
        if (a->mode < CTI_ARCHIVE_CHECK)
            cti_archive_bytes(a, here, size);
        else if (a->code == CT_OK && size > a->size - at)
            cti_archive_require(a, 0);
        else
            a->at += size;
        if (cti_archive_checks(a) && memcmp(a->data + at, here, size) != 0)
            a->code = cti_error_set(&w->error, CT_ERR_ARGUMENT, -1, -1,
                                    "the snapshot is of another world: of the options of ct_world_desc, one at or behind %.48s differs", q->name);
    }
}

/* ---- the state ---- */

/* what bodies are prepared with beside their meshes: thickness, and masses of nodes, which by density may be any, or such as a call may set; what has
   one keeps one. Returns 1 where a check has put others in place of the world's; it has the old masses of all nodes in w->was_mass */
static int cti_snapshot_measures(cti_archive *a, ct_world *w, cti_body *b)
{
    ct_real thickness = b->thickness;
    int other, heavier = 0, k;
    CTI_ARCHIVE_VALUE(a, thickness);
    cti_archive_require(a, thickness > 0 && cti_finite(thickness * thickness * thickness * thickness));
    other = cti_archive_checks(a) && thickness != b->thickness;
    if (other)
        b->thickness = thickness;
    for (k = 0; cti_body_has_model(b) && k < b->n_blocks; k++) {
        ct_real *mass = &w->state.bodies.mass[b->block0 + k], value = *mass;
        CTI_ARCHIVE_VALUE(a, value);
        cti_archive_require(a, value == *mass || (value > 0 && *mass > 0 && cti_finite(value * value * value * value) && cti_finite(1 / value)));
        if (!cti_archive_checks(a) || value == *mass)
            continue;
        if (CTI_LEN(w->was_mass) == 0) {
            if (!CTI_RESIZE(&w->mem, w->was_mass, w->state.n))
                a->code = CT_ERR_MEMORY;
            else
                memcpy(w->was_mass, w->state.bodies.mass, sizeof value * (size_t)w->state.n);
        }
        if (a->code == CT_OK)
            *mass = value, heavier = 1;
    }
    if (heavier)
        cti_live_weigh(w, b);
    return other | heavier;
}

/* who sleeps, who meets itself, what broke, thickness and masses: that is prepared in another way. A check takes it over, and cti_snapshot_forget
   gives it back */
static void cti_snapshot_kinds(cti_archive *a, ct_world *w)
{
    int i, changed = 0;
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        cti_body *b = &w->bodies[i];
        int is[2];
        if (b->kind == CTI_BODY_FREE)
            continue;
        is[0] = b->asleep, is[1] = b->self_collision;
        CTI_ARCHIVE_VALUE(a, is);
        cti_archive_require(a, is[0] == 0 || (is[0] > 0 && b->block0 >= 0 && w->state.desc.sleep_time > 0));
        cti_archive_require(a, is[1] == -1 || ((is[1] == 0 || is[1] == 1) && cti_body_has_model(b)));
        if (a->mode == CTI_ARCHIVE_CHECK) {
            b->was[0] = b->asleep, b->was[1] = b->self_collision, b->was_thickness = b->thickness;
            if (a->code == CT_OK) {
                changed |= b->asleep != is[0] || b->self_collision != is[1];
                b->asleep = is[0], b->self_collision = is[1];
            }
        }
        changed |= cti_snapshot_measures(a, w, b);
    }
    for (i = 0; i < CTI_LEN(w->joints); i++) {
        cti_world_joint *q = &w->joints[i];
        int broken = q->broken;
        CTI_ARCHIVE_VALUE(a, broken);
        cti_archive_require(a, broken == 0 || (broken == 1 && q->alive));
        if (a->mode == CTI_ARCHIVE_CHECK) {
            q->was_broken = q->broken;
            if (a->code == CT_OK)
                changed |= q->broken != broken, q->broken = broken;
        }
    }
    if (changed)
        w->ready = w->prepared = 0;
    for (i = w->n_asleep = 0; i < CTI_LEN(w->bodies); i++)
        w->n_asleep += w->bodies[i].asleep != 0;
}

static void cti_snapshot_forget(ct_world *w)
{
    int i, changed = 0;
    for (i = w->n_asleep = 0; i < CTI_LEN(w->bodies); i++) {
        cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        changed |= b->asleep != b->was[0] || b->self_collision != b->was[1] || b->thickness != b->was_thickness;
        b->asleep = b->was[0], b->self_collision = b->was[1], b->thickness = b->was_thickness;
        if (CTI_LEN(w->was_mass) > 0 && cti_body_has_model(b)) {
            changed = 1;
            memcpy(w->state.bodies.mass + b->block0, w->was_mass + b->block0, sizeof *w->was_mass * (size_t)b->n_blocks);
            cti_live_weigh(w, b);
        }
        w->n_asleep += w->bodies[i].asleep != 0;
    }
    for (i = 0; i < CTI_LEN(w->joints); i++)
        changed |= w->joints[i].broken != w->joints[i].was_broken, w->joints[i].broken = w->joints[i].was_broken;
    if (changed)
        w->ready = w->prepared = 0;
}

/* the script of a kinematic body, which calls may replace */
static void cti_snapshot_script(cti_archive *a, ct_world *w, cti_body *b)
{
    int numbers[2], n;
    numbers[0] = b->script.n_path, numbers[1] = b->script.n_keyframes;
    CTI_ARCHIVE_VALUE(a, numbers);
    CTI_ARCHIVE_SPAN(a, b->script.interval, b->script.t0);
    cti_archive_finite_in(a, 2, sizeof(double), 0);
    cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, b->rest, 3 * b->n));
    n = CTI_ARCHIVE_ANY(a, b->path);
    CTI_ARCHIVE_GAP(a, n, ct_motion_segment, motion, offsetof(ct_motion_segment, duration));
    cti_archive_moderate_in(a, n, sizeof(ct_motion_segment), offsetof(ct_motion_segment, motion), 9);
    cti_archive_finite_in(a, n, sizeof(ct_motion_segment), offsetof(ct_motion_segment, duration));
    cti_archive_require(a, numbers[0] >= 0 && numbers[0] <= n);
    n = CTI_ARCHIVE_ANY(a, b->keyframes);
    cti_archive_moderate(a, n);
    cti_archive_require(a, numbers[1] >= 0 && (int64_t)numbers[1] * 3 * b->n <= n);
    CTI_ARCHIVE_SPAN(a, b->pose.M, b->pose.q);
    cti_archive_finite_in(a, 16, sizeof(double), 0);
    CTI_ARCHIVE(a, b->pose.moves);
    n = CTI_ARCHIVE_UP_TO(a, b->local, 3 * b->n);
    cti_archive_moderate(a, n);
    cti_archive_require(a, n == 0 || n == 3 * b->n);
    cti_archive_moderate(a, CTI_ARCHIVE_ARRAY(a, b->stopped, CTI_LEN(b->stopped)));
    if (cti_archive_reads(a))
        b->script.n_path = numbers[0], b->script.n_keyframes = numbers[1];
    b->script.rest = b->rest, b->script.path = b->path, b->script.keyframes = b->keyframes, b->script.stopped = b->stopped; /* they may have moved */
    cti_world_scripted(w, (int)(b - w->bodies));
}

/* an integer in [0, end) */
static void cti_snapshot_count(cti_archive *a, int *member, int end)
{
    int value = *member;
    CTI_ARCHIVE_VALUE(a, value);
    cti_archive_require(a, value >= 0 && value < end);
    if (cti_archive_reads(a))
        *member = value;
}

/* limits, motor and strength of a joint */
static void cti_snapshot_drive(cti_archive *a, cti_world_joint *q)
{
    cti_drive drive = q->joint.drive;
    ct_real strength[2];
    memcpy(strength, q->strength, sizeof strength);
    CTI_ARCHIVE_VALUE(a, drive), CTI_ARCHIVE_VALUE(a, strength);
    cti_archive_require(a, !q->alive || (cti_drive_is_valid(&q->joint, &drive) && cti_strength_is_valid(strength)));
    if (!cti_archive_reads(a))
        return;
    q->joint.drive = drive;
    memcpy(q->strength, strength, sizeof strength);
}

/* a number in [0, most] */
static void cti_snapshot_size(cti_archive *a, ct_real *member, ct_real most)
{
    ct_real value = *member;
    CTI_ARCHIVE_VALUE(a, value);
    cti_archive_require(a, value >= 0 && value <= most);
    if (cti_archive_reads(a))
        *member = value;
}

/* what calls may change of bodies and joints, and what they keep between steps */
static void cti_snapshot_bodies(cti_archive *a, ct_world *w)
{
    const int most = INT32_MAX / 2; /* what is counted up stays a number */
    int i, k;
    CTI_ARCHIVE(a, w->state.desc.gravity);
    cti_archive_moderate(a, 3);
    CTI_ARCHIVE(a, w->state.desc.wind), cti_archive_moderate(a, 3);
    CTI_ARCHIVE(a, w->slept);
    cti_snapshot_count(a, &w->clean, 2), cti_snapshot_count(a, &w->pushed, 2), cti_snapshot_count(a, &w->n_slept, most);
    k = CTI_ARCHIVE_ANY(a, w->events.last.meetings);
    CTI_ARCHIVE_BOUND(a, k, cti_meeting, pair.body_a.index1, 1, 1, (int64_t)CTI_LEN(w->bodies) + 1);
    CTI_ARCHIVE_BOUND(a, k, cti_meeting, pair.body_b.index1, 1, 1, (int64_t)CTI_LEN(w->bodies) + 1);
    CTI_ARCHIVE_BOUND(a, k, cti_meeting, sensor, 1, 0, 2);
    for (i = 0; i < CTI_LEN(w->bodies); i++) {
        cti_body *b = &w->bodies[i];
        if (b->kind == CTI_BODY_FREE)
            continue;
        CTI_ARCHIVE(a, b->friction), cti_archive_moderate(a, 1), CTI_ARCHIVE(a, b->restitution), cti_archive_moderate(a, 1),
            CTI_ARCHIVE(a, b->spin_friction), cti_archive_moderate(a, 2);
        CTI_ARCHIVE(a, b->gravity_scale), cti_archive_moderate(a, 1), CTI_ARCHIVE(a, b->pressure), cti_archive_moderate(a, 1);
        CTI_ARCHIVE(a, b->contact);
        cti_snapshot_size(a, &b->air.drag, CTI_WORLD_AIR), cti_snapshot_size(a, &b->air.lift, CTI_WORLD_AIR);
        cti_snapshot_size(a, &b->air.density, CTI_WORLD_AIR);
        CTI_ARCHIVE(a, b->filter.category), CTI_ARCHIVE(a, b->filter.mask), CTI_ARCHIVE(a, b->filter.group);
        cti_snapshot_count(a, &b->sensor, 2), cti_snapshot_count(a, &b->unsearched, 2), cti_snapshot_count(a, &b->places, most);
        CTI_ARCHIVE(a, b->belt), cti_archive_moderate(a, 3), CTI_ARCHIVE(a, b->quiet);
        CTI_ARCHIVE(a, b->box), CTI_ARCHIVE(a, b->asleep_energy);
        CTI_ARCHIVE_UP_TO(a, b->anchor, 6 * b->n);
        if (b->kind == CTI_BODY_KINEMATIC)
            cti_snapshot_script(a, w, b);
    }
    for (i = 0; i < CTI_LEN(w->joints); i++)
        cti_snapshot_drive(a, &w->joints[i]);
}

/* the same in the data that were prepared from them */
static void cti_snapshot_spread(ct_world *w)
{
    cti_state *s = &w->state;
    int i;
    for (i = 0; i < s->surface.n_bodies; i++) {
        s->surface.bodies[i].id = cti_body_number(&w->bodies[w->surface_slot[i]], w->surface_slot[i]);
        cti_world_show(w, i);
    }
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE)
            cti_world_scripted(w, i);
    cti_world_renew_joints(w);
    cti_world_refilter(w);
    w->queries_ready = 0;
}

/* contacts; events are told by steps, and none is over after a restoration */
static void cti_snapshot_contacts(cti_archive *a, ct_world *w)
{
    int ready = w->contacts_ready, n;
    if (cti_archive_reads(a))
        cti_world_tell_nothing(w);
    CTI_ARCHIVE_VALUE(a, ready);
    n = ready ? CTI_ARCHIVE_ANY(a, w->contacts) : 0;
    CTI_ARCHIVE_GAP(a, n, ct_contact, sticking, sizeof(ct_contact));
    CTI_ARCHIVE_GAP(a, n, ct_contact, vertices_b, offsetof(ct_contact, weights_a));
    if (cti_archive_reads(a))
        w->contacts_ready = ready;
}

/* everything in its order. A check prepares the world where the data are of one that is, with the bodies and joints of the data; *was: its own */
static void cti_snapshot_all(cti_archive *a, ct_world *w, cti_arrangement *was)
{
    cti_snapshot_build head;
    int prepared = w->ready;
    cti_snapshot_build_here(&head);
    CTI_ARCHIVE_VALUE(a, head);
    cti_snapshot_of_options(a, w);
    if (a->mode == CTI_ARCHIVE_CHECK)
        cti_arrange(a, w, was);
    else
        cti_arrange_lists(a, w);
    cti_snapshot_kinds(a, w);
    CTI_ARCHIVE_VALUE(a, prepared);
    if (cti_archive_checks(a) && prepared && !w->ready)
        a->code = cti_world_prepare(w);
    if (a->code != CT_OK)
        return;
    if (cti_archive_reads(a) && !prepared)
        cti_world_unprepare(w);
    cti_snapshot_bodies(a, w);
    cti_snapshot_contacts(a, w);
    if (cti_archive_reads(a) && prepared)
        cti_snapshot_spread(w);
    cti_state_archive(a, &w->state, prepared);
    if (a->code == CT_OK && cti_steppers_of(w)->archive)
        cti_steppers_of(w)->archive(a, &w->state, prepared);
}

/* ---- calls ---- */

static void cti_snapshot_open(cti_archive *a, ct_world *w, cti_archive_mode mode, const void *data, size_t size, cti_arrangement *was)
{
    memset(a, 0, sizeof *a);
    a->mode = mode, a->data = (unsigned char *)(uintptr_t)data, a->size = size, a->mem = &w->mem;
    cti_snapshot_all(a, w, was);
}

CONTACT_API_DEF ct_code ct_world_snapshot_size(const ct_world *cw, size_t *out_bytes)
{
    ct_world *w = (ct_world *)cw; /* counting and writing change nothing */
    cti_archive a;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!out_bytes)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "where the size goes is NULL");
    code = cti_steppers_admit(w, CTI_FEATURE_SNAPSHOT, NULL);
    /* what others keep when bodies are added or removed is in the prepared data then */
    CTI_THEN(code, cti_world_prepare(w));
    if (code == CT_OK && !cti_own_follow(&w->mem, &w->state.detect.own, &w->state.surface))
        code = cti_world_refuse(w, CT_ERR_MEMORY, -1, 0, "out of memory for a snapshot");
    if (code != CT_OK)
        return code;
    cti_snapshot_open(&a, w, CTI_ARCHIVE_COUNT, NULL, 0, NULL);
    *out_bytes = a.at;
    return CT_OK;
}

/* the checksum of all behind it */
static uint64_t cti_snapshot_sum(const void *data, size_t bytes)
{
    const size_t from = offsetof(cti_snapshot_build, bytes);
    return cti_archive_hash(0, (const unsigned char *)data + from, bytes - from);
}

CONTACT_API_DEF ct_code ct_world_snapshot_save(const ct_world *w, void *out, size_t capacity, size_t *out_bytes)
{
    size_t bytes = 0;
    cti_archive a;
    cti_snapshot_build head;
    ct_code code = ct_world_snapshot_size(w, &bytes);
    if (code != CT_OK)
        return code;
    if (out_bytes)
        *out_bytes = bytes;
    if (!out || capacity < bytes)
        return cti_world_refuse((ct_world *)w, CT_ERR_ARGUMENT, -1, (double)bytes,
                                "there is no room for the snapshot (value: the bytes that it takes)");
    cti_snapshot_open(&a, (ct_world *)w, CTI_ARCHIVE_WRITE, out, bytes, NULL);
    memcpy(&head, out, sizeof head);
    head.bytes = bytes;
    memcpy(out, &head, sizeof head);
    head.sum = cti_snapshot_sum(out, bytes);
    memcpy(out, &head, sizeof head);
    return CT_OK;
}

/* refuses data that are damaged, or that another build wrote */
static ct_code cti_snapshot_test(ct_world *w, const void *data, size_t bytes)
{
    cti_snapshot_build here, head;
    cti_snapshot_build_here(&here);
    if (bytes < sizeof head || memcmp(data, here.magic, sizeof here.magic) != 0)
        return cti_world_refuse(w, CT_ERR_FORMAT, -1, (double)bytes, "the data are no snapshot");
    memcpy(&head, data, sizeof head);
    if (head.order != here.order)
        return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, head.order, "the snapshot is of a machine with another order of bytes");
    if (head.bytes != bytes || head.sum != cti_snapshot_sum(data, bytes))
        return cti_world_refuse(w, CT_ERR_FORMAT, -1, (double)head.bytes, "the snapshot is damaged: its length or its checksum is wrong");
    if (head.version != here.version || head.library != here.library)
        return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, head.library, "the snapshot is of another version of the library (value: which)");
    if (head.real_bits != here.real_bits)
        return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, head.real_bits, "the snapshot is of a build with another CONTACT_REAL (value: its bits)");
    if (head.layout != here.layout || head.bits != here.bits)
        return cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, head.layout, "the snapshot is of a build for another processor or with other switches");
    return CT_OK;
}

static ct_code cti_snapshot_restore_world(ct_world *w, const void *data, size_t bytes)
{
    cti_arrangement was;
    cti_archive a;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!data)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "there is no snapshot to restore");
    code = cti_steppers_admit(w, CTI_FEATURE_SNAPSHOT, NULL);
    CTI_THEN(code, cti_snapshot_test(w, data, bytes));
    if (code != CT_OK)
        return code;
    memset(&was, 0, sizeof was);
    cti_snapshot_open(&a, w, CTI_ARCHIVE_CHECK, data, bytes, &was);
    cti_archive_require(&a, a.at == bytes);
    w->mem.failed = 0;
    if (a.code == CT_OK)
        cti_snapshot_open(&a, w, CTI_ARCHIVE_READ, data, bytes, NULL);
    else
        cti_snapshot_forget(w);
    cti_arrange_end(w, a.code == CT_OK, &was);
    CTI_FREE(&w->mem, w->was_mass);
    if (a.code == CT_ERR_FORMAT)
        return cti_world_refuse(w, a.code, -1, (double)a.at, "the snapshot does not fit this world (value: the byte)");
    if (a.code == CT_ERR_MEMORY)
        return cti_world_refuse(w, a.code, -1, 0, "out of memory; the world is as it was");
    return a.code;
}

CONTACT_API_DEF ct_code ct_world_snapshot_restore(ct_world *w, const void *data, size_t bytes)
{
    CTI_FPENV_RETURN(cti_snapshot_restore_world(w, data, bytes))
}
