/* bodies_state.c -- removing bodies, reading and writing their state. */
#include "world.h"
#include "../8_step/motion.h"
#include <stddef.h>

/* the arrays of the state that have `per` numbers for each block. The first CTI_BLOCKS_OF_BODIES have all blocks; those of the last step may lack
   blocks that were added later */
typedef struct cti_blocks_entry {
    size_t place, element;
    int per;
} cti_blocks_entry;
static const cti_blocks_entry cti_blocks_arrays[CTI_BLOCKS_ARRAYS] = {
    {offsetof(cti_state, x), sizeof(ct_real), 3},
    {offsetof(cti_state, v), sizeof(ct_real), 3},
    {offsetof(cti_state, bodies.mass), sizeof(ct_real), 1},
    {offsetof(cti_state, bodies.inv_mass), sizeof(ct_real), 1},
    {offsetof(cti_state, bodies.alpha), sizeof(ct_real), 1},
    {offsetof(cti_state, bodies.force), sizeof(ct_real), 3},
    {offsetof(cti_state, bodies.owed), sizeof(ct_real), 3},
    {offsetof(cti_state, history.dt_prev), sizeof(ct_real), 1},
    {offsetof(cti_state, history.fall), sizeof(cti_fall), 1},
    {offsetof(cti_state, history.touched), sizeof(uint8_t), 1},
    {offsetof(cti_state, history.impulses.pins), sizeof(ct_real), 3},
    {offsetof(cti_state, history.v0), sizeof(ct_real), 3},
    {offsetof(cti_state, history.u0), sizeof(ct_real), 3}};

static void **cti_blocks_array(cti_state *s, int k) { return (void **)(void *)((char *)s + cti_blocks_arrays[k].place); }

CTI_FN int cti_blocks_reserve(cti_state *s, int n)
{
    int k, ok = 1;
    for (k = 0; ok && k < CTI_BLOCKS_OF_BODIES; k++) {
        void **array = cti_blocks_array(s, k);
        size_t count = (size_t)cti_blocks_arrays[k].per * (size_t)n;
        if (!cti_array_ok(*array, count))
            *array = cti_array_reserve(s->mem, *array, cti_blocks_arrays[k].element, count);
        ok = cti_array_ok(*array, count);
    }
    return ok;
}

CTI_FN int cti_blocks_resize(cti_state *s, int arrays, int n)
{
    int k, ok = 1;
    for (k = 0; ok && k < arrays; k++)
        ok = cti_array_resize_to(s->mem, cti_blocks_array(s, k), cti_blocks_arrays[k].element, (size_t)cti_blocks_arrays[k].per * (size_t)n);
    return ok;
}

CTI_FN int cti_blocks_gather(cti_state *s, const int32_t *from, int n, void **out)
{
    int k, i, ok = 1;
    for (k = 0; ok && k < CTI_BLOCKS_ARRAYS; k++) {
        const char *array = (const char *)*cti_blocks_array(s, k);
        size_t width = cti_blocks_arrays[k].element * (size_t)cti_blocks_arrays[k].per;
        int has = CTI_LEN(array) >= cti_blocks_arrays[k].per * s->n;
        ok = cti_array_resize_to(s->mem, &out[k], cti_blocks_arrays[k].element, has ? (size_t)cti_blocks_arrays[k].per * (size_t)n : 0);
        for (i = 0; ok && has && i < n; i++)
            memcpy((char *)out[k] + width * (size_t)i, array + width * (size_t)from[i], width);
    }
    return ok;
}

CTI_FN void cti_blocks_exchange(cti_state *s, void **arrays)
{
    int k;
    for (k = 0; k < CTI_BLOCKS_ARRAYS; k++) {
        void *had = *cti_blocks_array(s, k);
        *cti_blocks_array(s, k) = arrays[k], arrays[k] = had;
    }
}

/* the number of a block after blocks were added or taken out; -1: it was taken out */
static int cti_blocks_moved(int block, int at, int add) { return block < at ? block : (block < at - add ? -1 : block + add); }

CTI_FN void cti_blocks_shift(ct_world *w, int at, int add)
{
    cti_state *s = &w->state;
    cti_scripts *scripts = &s->scripts;
    int i, k, moved, n = add < 0 ? -add : 0;
    for (k = 0; k < (add > 0 ? (int)CTI_BLOCKS_OF_STEPS : CTI_COUNT(cti_blocks_arrays)); k++) {
        char *array = (char *)*cti_blocks_array(s, k);
        size_t width = cti_blocks_arrays[k].element * (size_t)cti_blocks_arrays[k].per;
        int have = CTI_LEN(array) / cti_blocks_arrays[k].per - (add > 0 ? add : 0);
        if (!array || at + n > have)
            continue;
        array += width * (size_t)at;
        memmove(array + (add > 0 ? width * (size_t)add : 0), array + width * (size_t)n, width * (size_t)(have - at - n));
        if (add > 0)
            memset(array, 0, width * (size_t)add);
        stbds_header(array - width * (size_t)at)->length -= (size_t)cti_blocks_arrays[k].per * (size_t)n;
    }
    s->n += add;
    for (i = k = 0; i < CTI_LEN(scripts->pins); i++)
        if ((moved = cti_blocks_moved(scripts->pins[i].block, at, add)) >= 0)
            scripts->pins[k] = scripts->pins[i], scripts->pins[k++].block = moved;
    if (scripts->pins)
        stbds_header(scripts->pins)->length = (size_t)k;
    cti_pins_pack_paths(s);
    for (i = k = 0; i < CTI_LEN(scripts->directions); i++)
        if ((moved = cti_blocks_moved(scripts->directions[i].block, at, add)) >= 0)
            scripts->directions[k] = scripts->directions[i], scripts->directions[k++].block = moved;
    if (scripts->directions)
        stbds_header(scripts->directions)->length = (size_t)k;
    for (i = k = 0; i < CTI_LEN(scripts->tethers); i++)
        if ((moved = cti_blocks_moved(scripts->tethers[i].block, at, add)) >= 0)
            scripts->tethers[k] = scripts->tethers[i], scripts->tethers[k++].block = moved;
    if (scripts->tethers)
        stbds_header(scripts->tethers)->length = (size_t)k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        s->bodies.rigids[i].block += s->bodies.rigids[i].block >= at ? add : 0;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind != CTI_BODY_FREE && w->bodies[i].block0 >= at) {
            w->bodies[i].block0 += add;
            cti_model_shift(&w->bodies[i].model, add);
        }
}

static void cti_bodies_remove_rigid(ct_world *w, int number)
{
    cti_state *s = &w->state;
    int i;
    for (i = number; i + 1 < CTI_LEN(s->bodies.rigids); i++)
        s->bodies.rigids[i] = s->bodies.rigids[i + 1];
    stbds_header(s->bodies.rigids)->length--;
    for (i = 0; i < CTI_LEN(w->bodies); i++)
        if (w->bodies[i].kind == CTI_BODY_RIGID && w->bodies[i].rigid > number)
            w->bodies[i].rigid--;
}

/* removes contacts of a removed body from the user's list */
static void cti_bodies_drop_contacts(ct_world *w, ct_body_id body)
{
    int i, k = 0;
    for (i = 0; i < CTI_LEN(w->contacts); i++) {
        const ct_contact *c = &w->contacts[i];
        if ((c->body_a.index1 != body.index1 || c->body_a.generation != body.generation) &&
            (c->body_b.index1 != body.index1 || c->body_b.generation != body.generation))
            w->contacts[k++] = *c;
    }
    if (w->contacts)
        stbds_header(w->contacts)->length = (size_t)k;
}

/* Returns 1 if nothing has been prepared for the body yet and its blocks are the last: then the prepared data stay valid without it */
static int cti_bodies_passes(const ct_world *w, const cti_body *b)
{
    return w->prepared && b->fresh && (b->block0 < 0 || b->block0 + b->n_blocks == w->state.n);
}

CONTACT_API_DEF ct_code ct_body_remove(ct_world *w, ct_body_id body)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    int passes;
    if (!b)
        return code;
    if (cti_world_keep_contacts(w) != CT_OK)
        return CT_ERR_MEMORY;
    cti_bodies_drop_contacts(w, body);
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    w->queries_ready = 0;
    passes = cti_bodies_passes(w, b);
    w->n_fresh -= b->fresh;
    cti_world_drop_joints(w, (int)(b - w->bodies)); /* before numbers of rigid bodies change */
    if (b->block0 >= 0) {
        int b0 = b->block0, n = b->n_blocks;
        b->block0 = -1;
        if (b->kind == CTI_BODY_RIGID)
            cti_bodies_remove_rigid(w, b->rigid);
        cti_blocks_shift(w, b0, -n);
    }
    if (!passes)
        cti_world_unprepare(w);
    /* the contact memory of pairs with this body is never read again, since its id is not reused */
    cti_world_free_body(w, b);
    b->generation++;
    w->n_alive--;
    /* the list of models points into the bodies, whose slots may have moved; it has room for as many as before */
    if (w->prepared && w->n_fresh == 0)
        w->ready = cti_world_list_models(w);
    return CT_OK;
}

CONTACT_API_DEF int ct_body_vertex_count(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot < 0 ? 0 : w->bodies[slot].n;
}

CONTACT_API_DEF int ct_body_node_count(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot < 0 || !cti_body_has_model(&w->bodies[slot]) ? 0 : cti_body_nodes(&w->bodies[slot]);
}

CONTACT_API_DEF const char *ct_body_name(const ct_world *w, ct_body_id body)
{
    int slot = cti_world_slot(w, body);
    return slot < 0 ? "" : w->bodies[slot].name;
}

CTI_FN void cti_bodies_write(const ct_real *from, int n, const double *origin, void *out, ct_scalar_type type, size_t stride)
{
    int i, k;
    for (i = 0; i < n; i++) {
        char *p = (char *)out + (size_t)i * stride;
        for (k = 0; k < 3; k++) {
            double d = (double)from[3 * i + k];
            float f = (float)d;
            d += origin && origin[k] != 0 ? origin[k] : -0.0; /* adding -0.0 gives x itself, signed zeros included */
            if (type == CT_SCALAR_FLOAT)
                memcpy(p + (size_t)k * sizeof f, &f, sizeof f);
            else
                memcpy(p + (size_t)k * sizeof d, &d, sizeof d);
        }
    }
}

CTI_FN cti_v3 cti_body_point(const ct_world *w, const cti_body *b, int i)
{
    cti_attach a;
    ct_real R[9];
    if (b->kind == CTI_BODY_KINEMATIC)
        return cti_script_place(&b->script, i, w->state.step.time);
    if (b->kind == CTI_BODY_STATIC)
        return cti_v3_at(b->rest, i);
    cti_body_attach(b, i, &a);
    if (a.frame < 0)
        return cti_attach_point(&a, w->state.x, NULL);
    cti_rigid_frame(&w->state.bodies.rigids[a.frame], R);
    a.frame = 0;
    return cti_attach_point(&a, w->state.x, R);
}

CTI_FN const ct_real *cti_body_stored(const ct_world *w, const cti_body *b)
{
    if (b->block0 >= 0 && !b->attach)
        return w->state.x + 3 * (size_t)b->block0;
    return b->kind == CTI_BODY_STATIC ? b->rest : NULL;
}

CTI_FN cti_v3 cti_body_velocity(const ct_world *w, const cti_body *b, int i)
{
    cti_v3 p, v = cti_v3_zero();
    cti_attach a;
    int k;
    if (b->kind == CTI_BODY_KINEMATIC) {
        if (!cti_script_is_stopped(&b->script))
            cti_script_point(&b->script, i, w->state.step.time, &v);
        return v;
    }
    if (cti_body_is_scripted(b))
        return v;
    cti_body_attach(b, i, &a);
    if (a.frame >= 0) {
        p = cti_v3_sub(cti_body_point(w, b, i), cti_v3_at(w->state.x, a.block[0]));
        return cti_v3_add(cti_v3_at(w->state.v, a.block[0]), cti_v3_cross(cti_v3_at(w->state.v, a.block[1]), p));
    }
    for (k = 0; k < a.n; k++)
        v = cti_v3_mad(v, cti_v3_at(w->state.v, a.block[k]), a.weight[k]);
    return v;
}

CTI_FN ct_code cti_bodies_check_layout(ct_world *w, int n, const void *out, ct_scalar_type type, size_t stride)
{
    if (type != CT_SCALAR_FLOAT && type != CT_SCALAR_DOUBLE)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)type, "type is neither CT_SCALAR_FLOAT nor CT_SCALAR_DOUBLE");
    if (out && stride < 3 * (type == CT_SCALAR_FLOAT ? sizeof(float) : sizeof(double)))
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)stride, "stride is smaller than three scalars");
    if (out && n > 0 && stride > (size_t)-1 / 2 / (size_t)n)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, (double)stride, "stride is larger than memory: a negative number, as it seems");
    return CT_OK;
}

static ct_code cti_bodies_get(const ct_world *cw, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n, int velocities)
{
    ct_world *w = (ct_world *)cw;
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i;
    const double *origin = velocities || !w ? NULL : w->state.desc.origin;
    const ct_real *stored;
    if (!b)
        return code;
    code = cti_bodies_check_layout(w, b->n, out, type, stride);
    if (code != CT_OK)
        return code;
    if (out_n)
        *out_n = b->n;
    if (!out || b->n == 0)
        return CT_OK;
    stored = cti_body_stored(w, b);
    if (stored && (!velocities || b->block0 >= 0))
        cti_bodies_write(velocities ? w->state.v + 3 * (size_t)b->block0 : stored, b->n, origin, out, type, stride);
    else
        for (i = 0; i < b->n; i++) {
            cti_v3 p = velocities ? cti_body_velocity(w, b, i) : cti_body_point(w, b, i);
            ct_real q[3];
            cti_v3_put(q, 0, p);
            cti_bodies_write(q, 1, origin, (char *)out + (size_t)i * stride, type, stride);
        }
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_positions(const ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    return cti_bodies_get(w, body, out, type, stride, out_n, 0);
}

CONTACT_API_DEF ct_code ct_body_get_velocities(const ct_world *w, ct_body_id body, void *out, ct_scalar_type type, size_t stride, int *out_n)
{
    return cti_bodies_get(w, body, out, type, stride, out_n, 1);
}

CONTACT_API_DEF ct_code ct_body_set_velocities(ct_world *w, ct_body_id body, const ct_real *velocities, int n)
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    int i;
    if (!b)
        return code;
    if (!cti_body_has_model(b) || n != cti_body_nodes(b) || !velocities)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, n,
                              "velocities need a deformable body and one entry per node, see ct_body_node_count (value: entries)");
    for (i = 0; i < 3 * n; i++)
        if (!cti_finite(velocities[i]))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i / 3, 0, "a velocity is not finite (element: vertex)");
    for (i = 0; i < n; i++)
        if (!cti_bodies_is_moderate(velocities + 3 * i))
            return cti_world_fail(w, CT_ERR_ARGUMENT, body, i, 0, "a velocity is too large: its fourth power is not finite (element: vertex)");
    cti_sleep_wake(w, (int)(b - w->bodies));
    memcpy(w->state.v + 3 * b->block0, velocities, sizeof(ct_real) * 3 * (size_t)n);
    for (i = n; i < b->n_blocks; i++) { /* middles of split edges */
        const int32_t *ends = b->split.edges + 2 * (i - n);
        cti_v3_put(w->state.v, b->block0 + i, cti_v3_mul(cti_v3_add(cti_v3_at(velocities, ends[0]), cti_v3_at(velocities, ends[1])), CTI_R(0.5)));
    }
    w->state.energy.known = 0;
    /* If v is the velocity at the end of a step, the integrator starts anew from it. If v is that of a step's middle, setting it to what
       was read changes nothing */
    for (i = b->block0; i < b->block0 + b->n_blocks; i++)
        if (w->state.history.touched && i < CTI_LEN(w->state.history.touched) && !cti_motion_is_halfway(&w->state, i))
            w->state.history.dt_prev[i] = 0;
    return CT_OK;
}

/* 1 for a value of a contact's springs: positive, or -1 for the world's; zero: whether 0 is one, too */
static int cti_bodies_is_spring(ct_real value, int zero) { return cti_finite(value) && (value > 0 || value == -1 || (zero && value == 0)); }

CONTACT_API_DEF ct_code ct_body_set_contact(ct_world *w, ct_body_id body, const ct_contact_material *m)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!m)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_set_contact: material is NULL");
    if (!cti_bodies_is_spring(m->stiffness, 0) || !cti_bodies_is_spring(m->friction_stiffness, 0))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)m->stiffness, "ct_body_set_contact: a stiffness must be positive, or -1");
    if (!cti_bodies_is_spring(m->damping, 1))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)m->damping, "ct_body_set_contact: damping must be zero, positive, or -1");
    b->contact = *m;
    cti_world_show(w, cti_world_surface_body(w, (int)(b - w->bodies)));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_friction(ct_world *w, ct_body_id body, ct_real friction)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!(friction >= 0) || !cti_finite(friction))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)friction, "friction must be zero or positive");
    if (friction > 0 && cti_steppers_admit(w, CTI_FEATURE_FRICTION, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    b->friction = friction;
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    cti_world_show(w, cti_world_surface_body(w, (int)(b - w->bodies)));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_restitution(ct_world *w, ct_body_id body, ct_real restitution)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!(restitution >= 0 && restitution <= 1))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, (double)restitution, "ct_body_set_restitution: restitution must be in [0, 1]");
    if (w->state.desc.stepper != CT_STEPPER_CMR)
        return cti_world_fail(w, CT_ERR_UNSUPPORTED, body, -1, (double)restitution,
                              "ct_body_set_restitution: the restitution of one body is CT_STEPPER_CMR's: set that of the world");
    b->restitution = restitution;
    cti_world_show(w, cti_world_surface_body(w, (int)(b - w->bodies)));
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_surface_velocity(ct_world *w, ct_body_id body, const ct_real velocity[3])
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!velocity || !cti_body_is_scripted(b))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "a surface velocity needs a static or kinematic body and three numbers");
    code = cti_bodies_check_velocities(w, body, velocity, NULL);
    CTI_THEN(code, cti_steppers_admit(w, CTI_FEATURE_BELT, b->name));
    if (code != CT_OK)
        return code;
    memcpy(b->belt, velocity, sizeof b->belt);
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    cti_world_show(w, cti_world_surface_body(w, (int)(b - w->bodies)));
    return CT_OK;
}

CONTACT_API_DEF ct_filter ct_filter_default(void)
{
    ct_filter f;
    f.category = 1, f.mask = UINT64_MAX, f.group = 0;
    return f;
}

/* what the body meets has changed: it may intersect some that it did not meet, and what rested on it may fall */
static void cti_bodies_meet_others(ct_world *w, cti_body *b)
{
    cti_sleep_wake_near(w, (int)(b - w->bodies));
    b->unsearched = 1, w->filtered = 0;
}

CONTACT_API_DEF ct_code ct_body_set_filter(ct_world *w, ct_body_id body, const ct_filter *filter)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!filter)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_set_filter: filter is NULL");
    b->filter = *filter;
    cti_bodies_meet_others(w, b);
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_set_sensor(ct_world *w, ct_body_id body, int on)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    b->sensor = on != 0;
    cti_bodies_meet_others(w, b);
    return CT_OK;
}

CONTACT_API_DEF int ct_body_is_sensor(const ct_world *w, ct_body_id body)
{
    int slot = w ? cti_world_slot(w, body) : -1;
    return slot >= 0 && w->bodies[slot].sensor;
}

CONTACT_API_DEF ct_code ct_body_set_self_collision(ct_world *w, ct_body_id body, int on)
{
    ct_code code;
    cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (on < -1 || on > 1 || !cti_body_has_model(b))
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, on, "self-collision is 1, 0 or -1, of a deformable body");
    if (on > 0 && cti_steppers_admit(w, CTI_FEATURE_SELF, b->name) != CT_OK)
        return CT_ERR_UNSUPPORTED;
    b->self_collision = on, b->unsearched = 1;
    cti_sleep_wake(w, (int)(b - w->bodies));
    w->ready = w->prepared = 0; /* steppers keep what they know of bodies that meet themselves */
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_filter(const ct_world *cw, ct_body_id body, ct_filter *out)
{
    ct_world *w = (ct_world *)cw;
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!out)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "ct_body_get_filter: out_filter is NULL");
    *out = b->filter;
    return CT_OK;
}

/* the list of triangles or segments, of `size` vertices each */
static ct_code cti_bodies_list(ct_world *w, ct_body_id body, int size, const int32_t **out_list, int *out_n)
{
    ct_code code;
    const cti_body *b = cti_world_find(w, body, &code);
    if (!b)
        return code;
    if (!out_list || !out_n)
        return cti_world_fail(w, CT_ERR_ARGUMENT, body, -1, 0, "where the list and its length go is NULL");
    *out_list = size == 2 ? b->segments : (b->split.triangles ? b->split.triangles : b->triangles);
    *out_n = CTI_LEN(*out_list) / size;
    return CT_OK;
}

CONTACT_API_DEF ct_code ct_body_get_triangles(const ct_world *cw, ct_body_id body, const int32_t **out_triangles, int *out_n)
{
    return cti_bodies_list((ct_world *)cw, body, 3, out_triangles, out_n);
}

CONTACT_API_DEF ct_code ct_body_get_segments(const ct_world *cw, ct_body_id body, const int32_t **out_segments, int *out_n)
{
    return cti_bodies_list((ct_world *)cw, body, 2, out_segments, out_n);
}
