/* live.c -- what a game does between the steps of a random world, by every call that changes it: who meets whom, places, targets, forces, gravity,
   properties, sleep. And what an observer without the library's memory sees: contacts and overlaps of a step against its events. */
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who meets whom ---- */

static int same_id(ct_body_id a, ct_body_id b) { return a.index1 == b.index1 && a.generation == b.generation; }

/* a function of both bodies alone: now and then two do not meet */
int soak_may_meet(ct_body_id a, ct_body_id b, void *user)
{
    (void)user;
    return (a.index1 + b.index1 + a.index1 * b.index1) % 5 != 0;
}

/* the bodies' filters, and the function; of two bodies that touch nothing by joints or sensors */
static int filters_meet(const soak_run *u, const soak_item *a, const soak_item *b)
{
    const ct_filter *p = &a->filter, *q = &b->filter;
    if (p->group != 0 && p->group == q->group ? p->group < 0 : (p->category & q->mask) == 0 || (q->category & p->mask) == 0)
        return 0;
    return !u->desc.may_meet || soak_may_meet(a->id, b->id, NULL);
}

static int joined_apart(const soak_run *u, const soak_item *a, const soak_item *b)
{
    int i;
    for (i = 0; i < u->n_joints; i++) {
        const soak_joint *j = &u->joints[i];
        if (j->alive && j->apart && ((same_id(j->a, a->id) && same_id(j->b, b->id)) || (same_id(j->a, b->id) && same_id(j->b, a->id))))
            return 1;
    }
    return 0;
}

int soak_meet(const soak_run *u, const soak_item *a, const soak_item *b)
{
    if (a == b)
        return a->deformable && (a->itself < 0 ? u->desc.self_collision : a->itself);
    if ((!a->dynamic && !b->dynamic) || a->sensor || b->sensor || !filters_meet(u, a, b))
        return 0;
    return a->kind == 'p' || b->kind == 'p' || !joined_apart(u, a, b);
}

/* ---- calls ---- */

enum { ARGUMENT = 1, UNSUPPORTED = 2, TOO_FAR = 4 };

/* the call succeeds, or is refused for a reason that is to be expected, with a text and without a trace */
static void expect(soak_run *u, ct_code code, uint64_t before, const char *what, int refusals)
{
    int expected = (code == CT_ERR_ARGUMENT && (refusals & ARGUMENT)) || (code == CT_ERR_UNSUPPORTED && (refusals & UNSUPPORTED)) ||
                   (code == CT_ERR_MESH && (refusals & TOO_FAR));
    if (code == CT_OK)
        return;
    if (!expected || !ct_world_error(u->world)->text[0] || ct_world_hash(u->world) != before)
        soak_fail(u, SOAK_CODE, "%s ends with code %d%s: %s", what, (int)code, ct_world_hash(u->world) == before ? "" : " and a trace",
                  ct_world_error(u->world)->text);
}

static void some(soak_rng *r, double size, ct_real *out)
{
    int k;
    for (k = 0; k < 3; k++)
        out[k] = (ct_real)(size * soak_uniform(r, -1, 1));
}

static void turn(soak_rng *r, ct_real *out)
{
    out[0] = 1;
    some(r, soak_decades(r, -3, 1), out + 1);
}

static void meet_others(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    int what = soak_below(r, 6), no_own = u->desc.stepper == CT_STEPPER_EXPLICIT ? UNSUPPORTED : 0, on = soak_below(r, 3) - 1;
    ct_filter f = ct_filter_default(), got;
    ct_code code;
    if (what < 2) {
        f.category = soak_chance(r, 0.2) ? 1 : (uint64_t)1 << soak_below(r, 3);
        f.mask = soak_chance(r, 0.5) ? UINT64_MAX : (uint64_t)soak_below(r, 8);
        f.group = soak_chance(r, 0.6) ? 0 : soak_below(r, 5) - 2;
        expect(u, ct_body_set_filter(u->world, q->id, &f), before, "set_filter", 0);
        q->filter = f;
        if (u->options->verbose)
            printf("    filter of body %d: category %d, mask %d, group %d\n", q->number, (int)f.category, (int)f.mask, (int)f.group);
        if (ct_body_get_filter(u->world, q->id, &got) != CT_OK || got.category != f.category || got.mask != f.mask || got.group != f.group)
            soak_fail(u, SOAK_CODE, "a filter is not the one that was set");
    } else if (what < 5) {
        q->sensor = soak_chance(r, 0.6);
        expect(u, ct_body_set_sensor(u->world, q->id, q->sensor), before, "set_sensor", 0);
        if (u->options->verbose)
            printf("    body %d is %s\n", q->number, q->sensor ? "a sensor" : "none");
        if (ct_body_is_sensor(u->world, q->id) != q->sensor)
            soak_fail(u, SOAK_CODE, "a sensor is none");
    } else if (q->deformable) {
        code = ct_body_set_self_collision(u->world, q->id, on);
        expect(u, code, before, "set_self_collision", no_own);
        q->itself = code == CT_OK ? on : q->itself;
        if (ct_body_get_self_collision(u->world, q->id) != q->itself)
            soak_fail(u, SOAK_CODE, "self-collision is not as it was set");
    }
}

/* a teleport: a rigid body, or nodes together and each by itself */
static void teleport(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    int n = ct_body_node_count(u->world, q->id), i;
    double far = u->size * soak_decades(r, -4, 0.3), each = u->thickness * soak_decades(r, -3, 0);
    ct_real by[3], rotation[4], *x, *v, p[3];
    some(r, far, by), turn(r, rotation);
    if (q->kind == 'r') {
        if (ct_body_get_pose(u->world, q->id, p, NULL) != CT_OK)
            soak_fail(u, SOAK_CODE, "get_pose: %s", ct_world_error(u->world)->text);
        for (i = 0; i < 3; i++)
            p[i] += by[i];
        expect(u, ct_body_set_pose(u->world, q->id, p, soak_chance(r, 0.5) ? rotation : NULL), before, "set_pose", TOO_FAR);
    }
    if (!q->deformable)
        return;
    x = (ct_real *)malloc(sizeof *x * 3 * (size_t)n), v = (ct_real *)malloc(sizeof *v * 3 * (size_t)n);
    if (ct_body_get_nodes(u->world, q->id, x, v, n) != CT_OK)
        soak_fail(u, SOAK_CODE, "get_nodes: %s", ct_world_error(u->world)->text);
    for (i = 0; i < 3 * (q->kind == 'l' ? q->n : n); i++) /* frames of rods are directions */
        x[i] += by[i % 3] + (ct_real)(each * soak_uniform(r, -1, 1));
    expect(u, ct_body_set_positions(u->world, q->id, x, n), before, "set_positions", TOO_FAR);
    free(x), free(v);
}

/* targets of kinematic bodies and of nodes */
static void follow(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    double reach = u->size * soak_decades(r, -4, -0.5), time = u->dt * soak_decades(r, -0.5, 0.5);
    ct_real by[3], rotation[4], *x;
    int32_t node;
    int i, joined = 0;
    some(r, reach, by), turn(r, rotation);
    for (i = 0; i < u->n_joints; i++)
        joined |= u->joints[i].alive && (same_id(u->joints[i].a, q->id) || same_id(u->joints[i].b, q->id));
    if (q->kind == 'k' && soak_chance(r, 0.5)) {
        for (i = 0; i < 3; i++)
            by[i] += (ct_real)u->origin[i];
        expect(u, ct_body_move_pose(u->world, q->id, by, soak_chance(r, 0.3) ? rotation : NULL, time), before, "move_pose", ARGUMENT | TOO_FAR);
    } else if (q->kind == 'k') {
        x = (ct_real *)malloc(sizeof *x * 3 * (size_t)(q->n + 1));
        for (i = 0; i < 3 * q->n; i++)
            x[i] = (ct_real)q->x[i] + by[i % 3];
        expect(u, ct_body_move_vertices(u->world, q->id, NULL, x, q->n, time), before, "move_vertices", TOO_FAR | (joined ? UNSUPPORTED : 0));
        free(x);
    } else if (q->deformable && q->n == ct_body_node_count(u->world, q->id)) {
        node = soak_below(r, q->n);
        for (i = 0; i < 3; i++)
            by[i] += (ct_real)q->x[3 * node + i];
        expect(u, ct_body_move_vertices(u->world, q->id, &node, by, 1, time), before, "move_vertices of a node", TOO_FAR);
        if (soak_chance(r, 0.4))
            expect(u, ct_body_unpin(u->world, q->id, &node, 1, CT_AXIS_ALL), before, "unpin", 0);
    } else
        return;
    u->scripts = 1;
}

static void push(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    int none = u->desc.stepper == CT_STEPPER_LAYERS || u->desc.stepper == CT_STEPPER_EXPLICIT ? UNSUPPORTED : 0, what = soak_below(r, 5);
    int v = q->n > 0 ? soak_below(r, q->n) : 0, k;
    double m = (double)ct_body_get_mass(u->world, q->id), J = m * u->size / u->dt * soak_decades(r, -6, -2);
    ct_real f[3], at[3];
    some(r, what < 3 ? J / u->dt : J, f), some(r, u->size, at);
    if (!q->dynamic || !(m > 0))
        return;
    none |= sizeof(ct_real) == 4 ? ARGUMENT : 0; /* the fourth power of the speed that it gives, a force in a second, may not be finite */
    for (k = 0; k < 3; k++)
        at[k] += (ct_real)u->origin[k];
    if (what == 0)
        expect(u, ct_body_add_force(u->world, q->id, f, q->kind == 'r' && soak_chance(r, 0.5) ? at : NULL), before, "add_force", none);
    else if (what == 1 && q->kind == 'r') {
        for (k = 0; k < 3; k++)
            f[k] *= (ct_real)(0.1 * u->size);
        expect(u, ct_body_add_torque(u->world, q->id, f), before, "add_torque", none);
    } else if (what <= 2)
        expect(u, ct_body_add_vertex_force(u->world, q->id, v, f), before, "add_vertex_force", none);
    else if (what == 3)
        expect(u, ct_body_add_impulse(u->world, q->id, f, q->kind == 'r' && soak_chance(r, 0.5) ? at : NULL), before, "add_impulse", none & ARGUMENT);
    else
        expect(u, ct_body_add_vertex_impulse(u->world, q->id, v, f), before, "add_vertex_impulse", none & ARGUMENT);
}

/* the material becomes softer, stiffer, heavier, lighter */
static void material(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    ct_material m, got;
    ct_code code;
    if (q->kind != 's' && q->kind != 'c')
        return;
    if (ct_body_get_material(u->world, q->id, &m) != CT_OK)
        soak_fail(u, SOAK_CODE, "get_material: %s", ct_world_error(u->world)->text);
    if (soak_chance(r, 0.3))
        m.young *= (ct_real)soak_decades(r, -1, 1), m.density *= (ct_real)soak_decades(r, -0.5, 0.5), m.areal_density *= (ct_real)soak_decades(r, -0.5, 0.5);
    if (soak_chance(r, 0.3) && q->kind == 'c')
        m.bending = (ct_real)(soak_chance(r, 0.5) ? 0 : (double)m.bending * soak_decades(r, -1, 1));
    code = ct_body_set_material(u->world, q->id, &m);
    expect(u, code, before, "set_material", 0);
    if (code == CT_OK && (ct_body_get_material(u->world, q->id, &got) != CT_OK || memcmp(&got, &m, sizeof m) != 0))
        soak_fail(u, SOAK_CODE, "a material is not the one that was set");
}

static void options(soak_run *u, soak_rng *r, uint64_t before)
{
    ct_world_desc d, got;
    ct_code code;
    if (ct_world_get_desc(u->world, &d) != CT_OK)
        soak_fail(u, SOAK_CODE, "get_desc is refused");
    d.solver.tolerance = (ct_real)(1e-4 * soak_decades(r, -1, 1)), d.recovery_speed *= (ct_real)soak_decades(r, -1, 1);
    if (d.stepper == CT_STEPPER_CMR && d.solver.termination != CT_TERMINATION_PAPER)
        d.cmr_rounds = 1 + soak_below(r, 8), d.max_halvings = soak_below(r, 7), d.solver.max_sweeps = 1 + soak_below(r, 400);
    code = ct_world_set_options(u->world, &d);
    expect(u, code, before, "set_options", 0);
    if (code == CT_OK && (ct_world_get_desc(u->world, &got) != CT_OK || got.solver.tolerance != d.solver.tolerance || got.max_halvings != d.max_halvings))
        soak_fail(u, SOAK_CODE, "an option is not the one that was set");
    u->desc.solver = d.solver, u->desc.cmr_rounds = d.cmr_rounds, u->desc.max_halvings = d.max_halvings;
}

static void properties(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    int none = u->desc.stepper == CT_STEPPER_LAYERS || u->desc.stepper == CT_STEPPER_EXPLICIT ? UNSUPPORTED : 0, what = soak_below(r, 10);
    int slides = u->desc.stepper == CT_STEPPER_EXPLICIT ? UNSUPPORTED : 0;
    ct_real v[3], x = (ct_real)soak_uniform(r, -1, 2);
    ct_contact_material c;
    if (what >= 8 && u->same) /* snapshots have neither materials nor options */
        return;
    if (what == 0) {
        some(r, soak_decades(r, -1, 2), v);
        expect(u, ct_world_set_gravity(u->world, v), before, "set_gravity", 0);
        memcpy(u->desc.gravity, v, sizeof v);
    } else if (what == 1 && q->dynamic)
        expect(u, ct_body_set_gravity_scale(u->world, q->id, x), before, "set_gravity_scale", none);
    else if (what == 8)
        material(u, r, q, before);
    else if (what == 9)
        options(u, r, before);
    else if (what == 2 && q->deformable)
        expect(u, ct_body_set_pressure(u->world, q->id, (ct_real)(u->young * soak_decades(r, -5, -2))), before, "set_pressure", ARGUMENT | none);
    else if (what == 3 && q->kind != 'p') {
        ct_real h = (ct_real)fmax(u->least, (double)ct_body_get_thickness(u->world, q->id) * soak_decades(r, -1, 0.5));
        ct_code code = ct_body_set_thickness(u->world, q->id, h);
        expect(u, code, before, "set_thickness", TOO_FAR);
        if (code == CT_OK && ct_body_get_thickness(u->world, q->id) != h)
            soak_fail(u, SOAK_CODE, "a thickness is not the one that was set");
    } else if (what == 4)
        expect(u, ct_body_set_friction(u->world, q->id, (ct_real)soak_uniform(r, 0, 1)), before, "set_friction", slides);
    else if (what == 5 && !q->dynamic) {
        some(r, u->size * soak_decades(r, -1, 1), v);
        expect(u, ct_body_set_surface_velocity(u->world, q->id, v), before, "set_surface_velocity", slides);
    } else if (what == 6) {
        memset(&c, 0, sizeof c);
        c.stiffness = c.friction_stiffness = -1, c.damping = (ct_real)(soak_chance(r, 0.5) ? -1 : soak_decades(r, -3, 0));
        expect(u, ct_body_set_contact(u->world, q->id, &c), before, "set_contact", 0);
    } else
        expect(u, ct_body_wake(u->world, q->id), before, "wake", 0);
}

/* normals have length 1, or 0 where there is none */
static void normals(soak_run *u, const soak_item *q)
{
    double *x = (double *)malloc(sizeof *x * 3 * (size_t)(q->n + 1));
    int i, n = 0;
    if (ct_body_get_normals(u->world, q->id, x, CT_SCALAR_DOUBLE, 3 * sizeof *x, &n) != CT_OK || n != q->n)
        soak_fail(u, SOAK_CODE, "normals: %s", ct_world_error(u->world)->text);
    for (i = 0; i < q->n && !u->failed; i++) {
        double l = sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
        if (!(l == 0 || fabs(l - 1) < 1e-5))
            soak_fail(u, SOAK_NAN, "a normal of body %d has length %g", q->number, l);
    }
    free(x);
}

/* user data are kept, and the list of bodies is that of the soak */
static void look(soak_run *u, soak_item *q)
{
    ct_body_id all[2 * SOAK_BODIES], named;
    int n = ct_world_get_bodies(u->world, all, 2 * SOAK_BODIES), alive = 0, i, k;
    if (ct_body_set_user_data(u->world, q->id, q) != CT_OK || ct_body_get_user_data(u->world, q->id) != (void *)q)
        soak_fail(u, SOAK_CODE, "user data are lost");
    for (i = 0; i < u->n_items; i++) {
        int found = 0;
        for (k = 0; k < n; k++)
            found += same_id(all[k], u->items[i].id);
        alive += u->items[i].alive;
        if (found != u->items[i].alive)
            soak_fail(u, SOAK_CODE, "a list of bodies has body %d %d times", u->items[i].number, found);
    }
    if (ct_world_get_vertices(u->world, NULL, NULL, CT_SCALAR_DOUBLE, 3 * sizeof(double), 0, &k) != CT_OK)
        soak_fail(u, SOAK_CODE, "vertices are not counted");
    for (i = 0; i < u->n_items; i++)
        k -= u->items[i].alive ? u->items[i].n : 0;
    if (k != 0)
        soak_fail(u, SOAK_CODE, "%d vertices too many", k);
    normals(u, q);
    named = ct_world_find_body(u->world, ct_body_name(u->world, q->id));
    if (n != alive || n != ct_world_body_count(u->world) || strcmp(ct_body_name(u->world, named), ct_body_name(u->world, q->id)) != 0)
        soak_fail(u, SOAK_CODE, "%d bodies, of which %d are listed", alive, n);
}

/* numbers that no call takes, and bodies that are not there */
static void misuse_live(soak_run *u, soak_rng *r, soak_item *q, uint64_t before)
{
    ct_real bad[3] = {0, (ct_real)NAN, 0}, huge[3] = {(ct_real)INFINITY, 0, 0}, *x = soak_chance(r, 0.5) ? bad : huge;
    ct_body_id far = {1000000, 1};
    int32_t no = 1000000;
    int what = soak_below(r, 14), i;
    ct_code code = what == 0    ? ct_body_set_pose(u->world, q->id, x, NULL)
                   : what == 1  ? ct_body_set_positions(u->world, q->id, x, 1)
                   : what == 2  ? ct_body_move_pose(u->world, q->id, x, NULL, u->dt)
                   : what == 3  ? ct_body_move_vertices(u->world, q->id, &no, bad, 1, u->dt)
                   : what == 4  ? ct_body_add_force(u->world, q->id, x, NULL)
                   : what == 5  ? ct_body_add_impulse(u->world, q->id, x, NULL)
                   : what == 6  ? ct_body_set_gravity_scale(u->world, q->id, x[soak_below(r, 2)] * (ct_real)NAN)
                   : what == 7  ? ct_body_set_pressure(u->world, q->id, (ct_real)NAN)
                   : what == 8  ? ct_body_set_thickness(u->world, q->id, soak_chance(r, 0.5) ? 0 : (ct_real)NAN)
                   : what == 9  ? ct_world_set_gravity(u->world, x)
                   : what == 10 ? ct_body_set_surface_velocity(u->world, q->id, x)
                   : what == 11 ? ct_body_set_filter(u->world, far, NULL)
                   : what == 12 ? ct_body_set_self_collision(u->world, q->id, 7)
                                : ct_body_wake(u->world, far);
    u->out->misuse++;
    i = code == CT_OK || !ct_world_error(u->world)->text[0] || ct_world_hash(u->world) != before;
    if (i)
        soak_fail(u, SOAK_CODE, "misuse of live call %d ends with code %d", what, (int)code);
}

void soak_live(soak_run *u, int step)
{
    soak_rng stream = soak_stream(u->seed, 7000 + (uint64_t)(step + 1)), *r = &stream;
    int k, n = soak_chance(r, step < 0 ? 1 : 0.5) ? 1 + soak_below(r, 4) : 0;
    for (k = 0; k < n && !u->failed && u->n_items; k++) {
        soak_item *q = &u->items[soak_below(r, u->n_items)];
        uint64_t before = ct_world_hash(u->world);
        int what = soak_below(r, 14);
        if (!q->alive)
            continue;
        if (what < 3)
            meet_others(u, r, q, before);
        else if (what < 5)
            teleport(u, r, q, before);
        else if (what < 7)
            follow(u, r, q, before);
        else if (what < 9)
            push(u, r, q, before);
        else if (what < 11)
            properties(u, r, q, before);
        else if (what == 11)
            misuse_live(u, r, q, before);
        else
            look(u, q);
        u->explained = -1, u->out->live++;
        if (u->options->verbose)
            printf("    between: call %d, body %d (%c)\n", what, q->number, q->kind);
    }
}

/* ---- an observer ---- */

static int find_pair(const soak_pair *list, int n, ct_body_id a, ct_body_id b)
{
    int i;
    for (i = 0; i < n; i++)
        if ((same_id(list[i].a, a) && same_id(list[i].b, b)) || (same_id(list[i].a, b) && same_id(list[i].b, a)))
            return 1;
    return 0;
}

static soak_item *live_item(soak_run *u, ct_body_id id)
{
    int i;
    for (i = 0; i < u->n_items; i++)
        if (u->items[i].alive && same_id(u->items[i].id, id))
            return &u->items[i];
    return NULL;
}

static void add_pair(soak_run *u, soak_pair *list, int *n, ct_body_id a, ct_body_id b)
{
    if (find_pair(list, *n, a, b))
        return;
    if (*n == SOAK_PAIRS)
        soak_fail(u, SOAK_CODE, "too many pairs for the soak");
    else
        list[*n].a = a, list[*n].b = b, ++*n;
}

/* 1 where both slept during the step, or one did and the other one does not move by forces */
static int both_sleep(soak_run *u, const soak_pair *p)
{
    const soak_item *a = live_item(u, p->a), *b = live_item(u, p->b);
    int sa = a && a->slept && ct_body_is_asleep(u->world, a->id), sb = b && b->slept && ct_body_is_asleep(u->world, b->id);
    return a && b && (sa || sb) && (sa || !a->dynamic) && (sb || !b->dynamic);
}

/* events of one kind, n of them, are the pairs of `now` that are in `last`, or are not (in 0) */
static void compare_pairs(soak_run *u, const char *what, const soak_pair *told, int n, const soak_pair *now, int n_now, const soak_pair *last,
                          int n_last, int in)
{
    int i, expected = 0;
    for (i = 0; i < n_now; i++)
        if (find_pair(last, n_last, now[i].a, now[i].b) == in) {
            expected++;
            if (!find_pair(told, n, now[i].a, now[i].b))
                soak_fail(u, SOAK_EVENTS, "no event of %s tells of bodies %u and %u", what, (unsigned)now[i].a.index1, (unsigned)now[i].b.index1);
        }
    if (n != expected)
        soak_fail(u, SOAK_EVENTS, "%d events of %s, %d are to be seen", n, what, expected);
}

static int tell(soak_pair *out, const ct_touch *t, const ct_body_pair *p, int n)
{
    int i;
    for (i = 0; i < n && i < SOAK_PAIRS; i++)
        out[i].a = t ? t[i].contact.body_a : p[i].body_a, out[i].b = t ? t[i].contact.body_b : p[i].body_b;
    return i;
}

void soak_observe(soak_run *u, int (*overlap)(const soak_run *u, const soak_item *sensor, const soak_item *other))
{
    static soak_pair now[SOAK_PAIRS], seen[SOAK_PAIRS], told[SOAK_PAIRS];
    const ct_contact *c = NULL;
    ct_events e;
    int i, j, n = 0, n_now = 0, n_seen = 0, sure = 1;
    if (ct_world_events(u->world, &e) != CT_OK || ct_world_contacts(u->world, &c, &n) != CT_OK) {
        soak_fail(u, SOAK_CODE, "events: %s", ct_world_error(u->world)->text);
        return;
    }
    for (i = 0; i < n; i++)
        add_pair(u, now, &n_now, c[i].body_a, c[i].body_b);
    compare_pairs(u, "begin", told, tell(told, e.begin, NULL, e.n_begin), now, n_now, u->touching, u->n_touching, 0);
    compare_pairs(u, "stay", told, tell(told, e.stay, NULL, e.n_stay), now, n_now, u->touching, u->n_touching, 1);
    for (i = 0; i < u->n_touching; i++) /* what sleeps goes on touching, without contacts */
        if (!find_pair(now, n_now, u->touching[i].a, u->touching[i].b) && both_sleep(u, &u->touching[i]))
            add_pair(u, now, &n_now, u->touching[i].a, u->touching[i].b);
    compare_pairs(u, "end", told, tell(told, NULL, e.end, e.n_end), u->touching, u->n_touching, now, n_now, 0);
    tell(told, e.hit, NULL, e.n_hit);
    for (i = 0; i < e.n_hit; i++) {
        double sum = 0, size = 0;
        for (j = 0; j < n; j++)
            if (find_pair(told + i, 1, c[j].body_a, c[j].body_b))
                sum += (double)c[j].impulse_normal, size += fabs((double)c[j].impulse_normal);
        if (!find_pair(now, n_now, told[i].a, told[i].b) || !(e.hit[i].speed > u->desc.hit_speed) ||
            !(fabs((double)e.hit[i].impulse - sum) <= 1e-5 * size))
            soak_fail(u, SOAK_EVENTS, "a hit with speed %g, impulse %g, that of contacts %g", (double)e.hit[i].speed, (double)e.hit[i].impulse, sum);
    }
    for (i = 0; i < u->n_items; i++)
        for (j = 0; j < u->n_items; j++) {
            const soak_item *s = &u->items[i], *q = &u->items[j];
            int in;
            if (!s->alive || !q->alive || !s->sensor || q->sensor || (s->kind != 'k' && !s->dynamic && q->kind != 'k' && !q->dynamic) ||
                !filters_meet(u, s, q))
                continue;
            in = overlap(u, s, q), sure &= in >= 0;
            if (in)
                add_pair(u, seen, &n_seen, s->id, q->id);
        }
    if (sure && !u->unsure) {
        compare_pairs(u, "sensor_begin", told, tell(told, NULL, e.sensor_begin, e.n_sensor_begin), seen, n_seen, u->sensed, u->n_sensed, 0);
        compare_pairs(u, "sensor_end", told, tell(told, NULL, e.sensor_end, e.n_sensor_end), u->sensed, u->n_sensed, seen, n_seen, 0);
    }
    u->out->events += e.n_begin + e.n_stay + e.n_hit + e.n_end, u->out->overlaps += e.n_sensor_begin + e.n_sensor_end;
    memcpy(u->touching, now, sizeof now), memcpy(u->sensed, seen, sizeof seen);
    u->n_touching = n_now, u->n_sensed = n_seen, u->unsure = !sure;
}
