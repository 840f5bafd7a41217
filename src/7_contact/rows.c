/* rows.c -- rows of the contact problem.
   Method: g(p) = n . (p_a - p_b) - h >= 0 is linearized with constant normal and weights (Otaduy 2009, eq. 4-5), J v >= -g0/dt. A row with
   g0 < 0 resists further approach as a hard constraint; its recovery acts through a compliance. Stick is held at position level: the
   tangential target is -slip/dt, with the slip counted from the onset of stick, so that solver errors do not add up to creep. */
#include "rows.h"

/* Lifting of loaded contacts whose gap is below the thickness h, see cti_rows_law. */
#define CTI_ROWS_LIFT CTI_R(0.002)  /* [h a step] first request of lift: above SINK, by which the load compresses the contact again */
#define CTI_ROWS_STUCK CTI_R(0.004) /* [1] next request over the last one, after a contact did not rise. Requests double, so that the
                                       contact rests for eight steps before it is lifted by as much again */
#define CTI_ROWS_ROSE CTI_R(0.125)  /* [1] a contact that rose by less than this share of the request did not rise; the solver's tolerance
                                       hides less. With 0.25 light contacts between stiff blocks (S1) stop rising at 0.88 h */
#define CTI_ROWS_HEAVY 16           /* a load is heavy if it compresses the contact's compliance (SETTLE) by more than SINK / HEAVY in a
                                       step; with 4 and with 64 S1 takes 1.2 times the sweeps */
#define CTI_ROWS_DRAG CTI_R(1e-4) /* [thickness] distance that a sliding contact may be ahead of its anchor */
#define CTI_ROWS_STICK CTI_R(1e-4) /* [1] tangential compliance, in inverse masses of the free nodes */
/* [h] slip of a stick by a multiplier as large as the load, at most. Without it a box of 1e-5 of its load slides by a thickness; with half, two
   soft cubes of 1e12 Pa solve 88 % of their steps and not 97 %; with 0.5 both are as here */
#define CTI_ROWS_YIELD CTI_R(0.2)
/* [way of an arm from the middle of a step to its end] farthest place of an arm. With 1 a wheel of 512 sides brakes itself by 3 % in a second; heaps
   of 12 balls end 85 of 2,700 steps divided or on their budget, with 2 90, with 8 134 */
#define CTI_ROWS_LATE 4
#define CTI_ROWS_SETTLE CTI_R(3e-6) /* [1] normal compliance, in inverse masses of the free nodes */
#define CTI_ROWS_SETTLE_OWN CTI_R(2e-4) /* [1] cap on it, in the compliance of the blocks' own diagonal of A */
#define CTI_ROWS_REST CTI_R(2.5e-3) /* [h] a loaded contact may rest so far below its thickness */
#define CTI_ROWS_SINK (CTI_ROWS_REST * CTI_ROWS_EASE) /* [h a step] largest compression of a compliance by a load */
#define CTI_ROWS_EASE CTI_R(0.2) /* [1] share of a missing gap that is recovered in a step */
/* [1/s] share of a missing gap that may be recovered in a second where gravity is too weak to bring features back: EASE in steps of 8 ms. Without it
   a world of 1e-6 m/s^2 takes many seconds to recover (recovery_does_not_throw). With half, corners that a joint pulls together come nearer than a
   quarter of the thickness (joints_pull_together); double changes no test */
#define CTI_ROWS_RATE CTI_R(25)

CTI_FN cti_v3 cti_rows_arm(const cti_row_context *c, int rigid, int turning, cti_v3 point, ct_real late)
{
    cti_v3 arm = cti_m3_mul_v(c->frames + 9 * (size_t)rigid, point);
    return c->at_start ? arm : cti_rigid_arm(cti_v3_mul(cti_v3_at(c->v, turning), c->dt), arm, late);
}

/* adds one surface vertex with weight w: nodes by weight, a rigid body by weight and arm, scripted motion by its velocity */
static void cti_rows_vertex(const cti_row_context *c, int vertex, ct_real w, int first, ct_real late, cti_row *row, cti_v3 *scripted)
{
    const cti_attach *a = cti_surface_attach(c->surface, vertex);
    int j;
    if (a->n == 0 && c->surface->bodies[c->surface->body_of[vertex]].moves)
        *scripted = cti_v3_mad(
            *scripted, cti_v3_sub(cti_v3_at(cti_surface_script(c->surface, vertex), 0), cti_v3_at(c->surface->x0, vertex)), w / c->dt);
    if (w == 0)
        return;
    if (a->frame >= 0) {
        cti_v3 arm = cti_rows_arm(c, a->frame, a->block[1], cti_v3_at(a->weight, 0), late);
        cti_row_term(row, first, a->block[0])->weight += w;
        cti_v3_addto(cti_row_term(row, first, a->block[1])->arm, 0, cti_v3_mul(arm, w));
        return;
    }
    for (j = 0; j < a->n; j++) {
        ct_real wj = w * a->weight[j];
        int b = a->block[j];
        if (wj == 0)
            continue;
        if (c->fixed[b])
            *scripted = cti_v3_mad(*scripted, cti_v3_at(c->v_fixed, b), wj);
        else
            cti_row_term(row, first, b)->weight += wj;
    }
}

/* Terms of a pair, side a before side b; both sides together never have more than CTI_ROW_TERMS. late: of the arms of rigid bodies (cti_rigid_arm) */
static void cti_rows_terms(const cti_row_context *c, const cti_pair *pair, ct_real late, cti_row *row, cti_contact_row *origin, cti_v3 *scripted)
{
    int k;
    *scripted = cti_v3_zero();
    memset(row->term, 0, sizeof row->term);
    row->n = row->n_a = 0;
    for (k = 0; k < pair->n; k++) {
        if (k == pair->n_a)
            row->n_a = row->n;
        cti_rows_vertex(c, pair->v[k], pair->w[k], row->n_a, late, row, scripted);
        origin->is_nonlinear |= cti_surface_attach(c->surface, pair->v[k])->frame >= 0;
    }
    if (pair->n_a >= pair->n)
        row->n_a = row->n;
}

/* the share of a row's normal impulse that bears forces of the step; the other stops the motion at its start. end: the row with arms of the end. Of
   what a linkage bears gravity alone is known here */
static ct_real cti_rows_borne(const cti_row_context *c, const cti_contact_row *origin, const cti_row *end)
{
    ct_real start[3], free[3], impulse, fall = 0;
    int k, linked = 0;
    for (k = 0; c->rigids && k < origin->pair.n; k++) {
        int rigid = cti_surface_attach(c->surface, origin->pair.v[k])->frame;
        linked |= rigid >= 0 && c->rigids[rigid].linkage_mode;
    }
    if (!c->rigids)
        return 0;
    cti_row_velocity(end, c->v_start, start), cti_row_velocity(end, c->v_free, free);
    for (k = 0; k < end->n && linked; k++)
        fall += end->term[k].weight * c->dt * cti_v3_dot(cti_v3_at(end->frame, 0), c->gravity);
    free[0] = linked ? start[0] + fall : free[0];
    impulse = -free[0] - origin->script[0] - origin->base[0];
    return impulse > 0 ? cti_clamp((start[0] - free[0]) / impulse, 0, 1) : 0;
}

/* Terms at the tentative motion, in which the pair's points move at `way` [m/s] along the normal; n_w: what they give at it. A contact that is there
   from start to end acts on the bodies' arms at the middle of the step: on them an impulse works what it does along the path of the points. One that
   closes its gap stops the points on the arms at the end. But what it bears, others bore until they met: that works nothing, or it would brake a
   rolling body by its weight times the gap of each vertex that comes down. So the arm is the one on which all of the impulse works what stopping
   the points does in the solution, and may lie beyond the end. Potentials act at the end */
static void cti_rows_turned(const cti_row_context *c, const cti_contact_row *origin, ct_real way, cti_row *row, ct_real *n_w)
{
    cti_contact_row view = *origin;
    cti_row last;
    cti_v3 scripted;
    ct_real end[3], late, stops, closes = cti_min(-way, origin->base[0]);
    int k;
    cti_rows_terms(c, &origin->pair, c->springs ? 1 : 0, row, &view, &scripted), cti_row_velocity(row, c->v, n_w);
    if (!(closes > 0) || c->springs)
        return;
    last = *row;
    cti_rows_terms(c, &origin->pair, 1, &last, &view, &scripted), cti_row_velocity(&last, c->v, end);
    stops = end[0] + origin->script[0] - way - closes; /* velocity at the end of the solution, in which the gap just closes */
    stops = cti_min(0, stops) * (1 - cti_rows_borne(c, origin, &last));
    late = end[0] > n_w[0] ? cti_min(CTI_ROWS_LATE, (closes + stops) / (end[0] - n_w[0])) : 0;
    for (k = 0; k < row->n; k++) { /* arms and velocities are linear in `late` */
        cti_v3 arm = cti_v3_at(row->term[k].arm, 0);
        cti_v3_put(row->term[k].arm, 0, cti_v3_mad(arm, cti_v3_sub(cti_v3_at(last.term[k].arm, 0), arm), late));
    }
    for (k = 0; k < 3; k++)
        n_w[k] += late * (end[k] - n_w[k]);
}

CTI_FN ct_real cti_rows_linearize(const cti_row_context *c, cti_row *row, const cti_contact_row *origin)
{
    const cti_pair *pair = &origin->pair;
    cti_v3 moved;
    ct_real before[3], after[3], n_w[3];
    int k;
    if (!origin->is_nonlinear || c->at_start)
        return 0;
    cti_row_velocity(row, c->v, before);
    moved = cti_pair_with_belts(c->surface, pair, cti_v3_at(row->frame, 0), c->dt, cti_pair_way(c->surface, pair));
    moved = cti_m3_mul_v(row->frame, cti_v3_mul(moved, 1 / c->dt));
    row->w[0] = row->w[1] = row->w[2] = 0;
    cti_rows_turned(c, origin, moved.x, row, n_w);
    row->w[0] = origin->base[0] + moved.x - n_w[0];
    row->w[1] = origin->base[1] + moved.y - n_w[1];
    row->w[2] = origin->base[2] + moved.z - n_w[2];
    cti_row_velocity(row, c->v, after);
    for (k = 0; k < 3; k++)
        before[k] = cti_abs(after[k] - before[k]);
    return cti_max(before[0], cti_max(before[1], before[2]));
}

CTI_FN cti_v3 cti_rows_answer(const cti_row_context *c, const cti_term *t, cti_v3 n)
{
    ct_real inverse[9];
    if (t->weight != 0)
        return cti_v3_mul(n, t->weight * c->inv_mass[t->block]);
    if (!cti_m3_inverse(c->A->val + 9 * (size_t)c->A->diag[t->block], inverse))
        return cti_v3_zero();
    return cti_m3_mul_v(inverse, cti_v3_cross(cti_v3_at(t->arm, 0), n));
}

/* compliance of the free blocks along n at the contact: by their masses (soft), and by their own diagonal blocks of A (own) */
static void cti_rows_response(const cti_row_context *c, const cti_row *row, cti_v3 n, ct_real *soft, ct_real *own)
{
    int k;
    *soft = *own = 0;
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        const ct_real *D = c->A->val + 9 * (size_t)c->A->diag[t->block];
        ct_real w2 = t->weight * t->weight, trace = D[0] + D[4] + D[8], turn;
        if (t->weight == 0) {
            turn = cti_v3_dot(cti_rows_answer(c, t, n), cti_v3_cross(cti_v3_at(t->arm, 0), n));
            *soft += turn, *own += turn;
            continue;
        }
        *soft += w2 * c->inv_mass[t->block];
        *own += trace > 0 ? 3 * w2 / trace : 0;
    }
}

/* t1 along the tangential part of the pair's unconstrained relative velocity, t2 = n x t1: the axes of a box or a pyramid (Otaduy 2009,
   3.4). scripted: relative velocity of the pair's points by scripts. Where the sliding is below what the tolerance leaves, t1 depends on n
   alone */
static void cti_rows_tangents(const cti_row_context *c, const cti_row *row, cti_v3 scripted, cti_v3 n, cti_v3 *t1, cti_v3 *t2)
{
    cti_v3 v = scripted;
    ct_real speed;
    int k;
    cti_v3_tangents(n, t1, t2);
    if (!c->v_star)
        return;
    for (k = 0; k < row->n; k++) {
        const cti_term *t = &row->term[k];
        cti_v3 vb = cti_v3_at(c->v_star, t->block);
        v = cti_v3_add(cti_v3_mad(v, vb, t->weight), cti_v3_cross(vb, cti_v3_at(t->arm, 0)));
    }
    v = cti_v3_mad(v, n, -cti_v3_dot(v, n));
    speed = cti_v3_norm(v);
    if (!(speed * c->dt > c->slight))
        return;
    *t1 = cti_v3_mul(v, 1 / speed);
    *t2 = cti_v3_cross(n, *t1);
}

/* the start multipliers: the impulse of the last step is a world vector and is rotated into this frame. other: 1: it belonged to another
   pair, whose sides may be swapped */
static void cti_rows_recall(const cti_row_context *c, uint64_t key, int other, cti_v3 n, cti_row *row, cti_contact_row *origin)
{
    const cti_memory_item *m = cti_memory_find(c->memory, key);
    cti_v3 imp, slip, r;
    ct_real scale, alike, sign;
    if (!m)
        return;
    alike = cti_v3_dot(cti_v3_at(m->normal, 0), n);
    sign = other && alike < 0 ? -1 : 1;
    if (sign * alike < CTI_R(0.5))
        return;
    imp = cti_v3_mul(cti_v3_at(m->impulse, 0), sign);
    scale = c->dt / m->dt;
    r = cti_m3_mul_v(row->frame, cti_v3_mul(imp, scale));
    row->r[0] = cti_max(0, r.x);
    row->r[1] = row->mu > 0 ? r.y : 0;
    row->r[2] = row->mu > 0 ? r.z : 0;
    cti_cone_project(CT_CONE_CONE, row->mu * row->r[0], &row->r[1], &row->r[2]);
    slip = cti_v3_mul(cti_v3_at(m->slip, 0), sign);
    slip = cti_v3_mad(slip, n, -cti_v3_dot(slip, n));
    cti_v3_put(origin->slip, 0, slip);
    origin->lift = m->lift;
}

/* speed that closes a gap, or undoes a slip, of this size. The solver's tolerance leaves some of it in a whole step (slight). A substep
   recovers that part over the whole step's length; otherwise the impulse for it would grow as the substep becomes shorter */
static ct_real cti_rows_speed(const cti_row_context *c, ct_real size)
{
    return (size - cti_min(size, c->slight) * (1 - 1 / c->cut)) / c->dt;
}

/* target velocity of stick. The slip that balances the remembered load through the stick's compliance, c r dt, is at rest; the difference
   to it is undone */
static cti_v3 cti_rows_stick(const cti_row_context *c, const cti_row *row, cti_v3 slip)
{
    cti_v3 hold = cti_v3_make(0, -row->compliance[1] * row->r[1], -row->compliance[2] * row->r[2]), rest = cti_v3_mad(slip, hold, -c->dt);
    ct_real size = cti_v3_norm(rest);
    if (c->cut == 1)
        return cti_v3_make(0, slip.y / c->dt, slip.z / c->dt);
    return size > 0 ? cti_v3_mad(hold, rest, cti_rows_speed(c, size) / size) : hold;
}

/* terms and frame of a row along n */
static void cti_rows_place(const cti_row_context *c, cti_v3 n, cti_row *row, cti_contact_row *origin)
{
    cti_v3 t1, t2, scripted;
    cti_rows_terms(c, &origin->pair, 0, row, origin, &scripted);
    scripted = cti_pair_with_belts(c->surface, &origin->pair, n, 1, scripted);
    cti_rows_tangents(c, row, scripted, n, &t1, &t2);
    cti_v3_put(row->frame, 0, n), cti_v3_put(row->frame, 1, t1), cti_v3_put(row->frame, 2, t2);
    cti_v3_put(origin->script, 0, cti_m3_mul_v(row->frame, scripted));
}

CTI_FN void cti_rows_turn(const cti_row_context *c, cti_row *row, cti_contact_row *origin)
{
    const cti_surface *s = c->surface;
    cti_v3 n, force = cti_m3_mul_tv(row->frame, cti_v3_make(0, row->r[1], row->r[2])), slip;
    int feature;
    ct_real gap = cti_pair_closest(s, s->x1, &origin->pair, &feature) - origin->thickness;
    n = cti_pair_normal(s, s->x1, &origin->pair, cti_v3_at(row->frame, 0));
    gap -= cti_v3_dot(n, cti_pair_way(s, &origin->pair));
    origin->base[0] += (gap - origin->gap0) / c->dt, origin->gap0 = gap;
    cti_rows_place(c, n, row, origin);
    /* friction is a vector in space; the normal impulse keeps its size */
    force = cti_m3_mul_v(row->frame, force);
    row->r[1] = force.y, row->r[2] = force.z;
    slip = cti_rows_stick(c, row, cti_m3_mul_v(row->frame, cti_v3_at(origin->slip, 0)));
    origin->base[1] = slip.y, origin->base[2] = slip.z;
    cti_rows_linearize(c, row, origin);
}

/* at sqrt(2 g d) features rise by the missing d, and no more, however short steps are; without gravity RATE d acts */
CTI_FN ct_real cti_rows_recovery(const cti_row_context *c, ct_real gap)
{
    ct_real most = cti_max(cti_sqrt(-2 * cti_v3_norm(c->gravity) * gap), -CTI_ROWS_RATE * gap);
    return c->recovery_speed > 0 ? cti_min(most, c->recovery_speed) : most;
}

/* The row's target velocity: g0/dt for a gap above the thickness, the recovery speed for one below it, and -slip/dt for stick.
   differs: a contact that carried load in the last step is lifted, too, at a speed that doubles with every step in which it rises. Heavy
   loads and the last hundredth of the thickness are lifted by a hard constraint. Light loads are lifted through a softness that the load
   compresses by SINK in a step, so that contradicting rows load each other by no more than about their present loads. A contact that did
   not rise is hardly lifted for some steps. */
static void cti_rows_law(const cti_row_context *c, cti_row *row, cti_contact_row *origin, ct_real soft)
{
    cti_v3 slip = cti_m3_mul_v(row->frame, cti_v3_at(origin->slip, 0));
    ct_real step = origin->thickness / c->dt, load = row->r[0], most = origin->lift != 0 ? cti_abs(origin->lift) : CTI_ROWS_LIFT * step;
    int hard;
    slip = cti_rows_stick(c, row, slip);
    origin->base[0] = cti_max(0, load > 0 ? cti_rows_speed(c, origin->gap0) : origin->gap0 / c->dt);
    origin->base[1] = slip.y, origin->base[2] = slip.z;
    if (origin->gap0 >= 0)
        return;
    row->recover = cti_min(-CTI_ROWS_EASE * origin->gap0 / c->dt, cti_rows_recovery(c, origin->gap0));
    row->softness = soft;
    if (!(load > 0) || soft * load < CTI_ROWS_SINK * step)
        return;
    hard = (row->recover <= CTI_ROWS_LIFT * step && origin->lift > 0) || CTI_ROWS_SINK * step < CTI_ROWS_HEAVY * row->compliance[0] * load;
    origin->load = load, origin->asked = cti_min(row->recover, most);
    if (hard)
        origin->base[0] = -origin->asked;
    else
        row->softness = CTI_ROWS_SINK * step / load, row->recover = origin->asked;
}

CTI_FN int cti_rows_build(const cti_row_context *c, const cti_pair *pair, cti_v3 n, uint64_t before, int twin, ct_real keep,
                          cti_row *row, cti_contact_row *origin)
{
    const cti_surface *s = c->surface;
    ct_real soft, own;
    int k;
    memset(row, 0, sizeof *row);
    memset(origin, 0, sizeof *origin);
    origin->pair = *pair;
    origin->thickness = keep > 0 ? keep : cti_pair_thickness(s, pair);
    origin->gap0 = cti_v3_dot(n, cti_pair_offset(s, s->x0, pair)) - origin->thickness;
    cti_rows_place(c, n, row, origin);
    if (row->n == 0)
        return 0;
    row->mu = cti_pair_friction(s, pair);
    row->key = cti_pair_key(s, pair) + (uint64_t)twin;
    if (c->own)
        before = 0;
    if (twin == 0)
        cti_rows_recall(c, before ? before : row->key, before != 0, n, row, origin);
    cti_rows_response(c, row, n, &soft, &own);
    /* Two contacts at one place whose gaps differ by rounding can share a load in any proportion, and their multipliers drift. A compliance
       below the resolution of the tolerance makes the shares unique. It also bounds the multipliers of rows that contradict scripted
       surfaces. A load compresses it by c m g dt^2 before recovery balances it, and a stick by as much. In a substep both grow with the
       square of the number of substeps; otherwise resting bodies would move whenever a step is cut. */
    row->compliance[0] = cti_min(soft * CTI_ROWS_SETTLE * c->cut * c->cut, own * CTI_ROWS_SETTLE_OWN);
    /* stick is a stiff spring with the slip c gamma dt. Several contacts at one point may remember different slips; without compliance their
       multipliers would drift apart without end */
    row->compliance[1] = soft * CTI_ROWS_STICK * c->cut * c->cut;
    /* under the last step's load the normal yields by less than recovery takes back, and stick by a part of the thickness; otherwise a light
       body under a heavy one would sink and slide without end */
    if (row->r[0] > 0) {
        ct_real most = origin->thickness / (c->dt * row->r[0]);
        row->compliance[0] = cti_min(row->compliance[0], CTI_ROWS_SINK * most);
        row->compliance[1] = cti_min(row->compliance[1], CTI_ROWS_YIELD * most);
    }
    row->compliance[2] = row->compliance[1];
    cti_rows_law(c, row, origin, soft);
    for (k = 0; k < 3; k++)
        row->w[k] = origin->base[k] + origin->script[k];
    cti_rows_linearize(c, row, origin);
    return 1;
}

CTI_FN int cti_rows_sticks(ct_cone cone, const cti_row *row)
{
    ct_real a = cti_abs(row->r[1]), b = cti_abs(row->r[2]), bound = row->mu * row->r[0];
    if (cone == CT_CONE_CONE)
        return a * a + b * b < bound * bound * CTI_R(0.9999);
    return (cone == CT_CONE_BOX ? cti_max(a, b) : a + b) < bound * CTI_R(0.99995);
}

/* slip of a contact after the step's motion: u_t = motion + slip/dt; the part that is left is the new slip */
static cti_v3 cti_rows_slip(const cti_row_context *c, const cti_row *row, const cti_contact_row *origin, const ct_real *u)
{
    cti_v3 n = cti_v3_at(row->frame, 0), moved;
    ct_real most, size;
    if (!origin->is_nonlinear)
        moved = cti_m3_mul_tv(row->frame, cti_v3_make(0, u[1] * c->dt, u[2] * c->dt));
    else {
        moved = cti_pair_with_belts(c->surface, &origin->pair, n, c->dt, cti_pair_way(c->surface, &origin->pair));
        moved = cti_v3_add(moved, cti_v3_at(origin->slip, 0));
        moved = cti_v3_mad(moved, n, -cti_v3_dot(moved, n));
    }
    if (cti_rows_sticks(c->cone, row))
        return moved;
    /* at the cone's edge the anchor is dragged along. It stays behind by the slip that the stick's compliance needs at this load, and by a
       distance that does not matter. So a contact at the limit of stick does not lose its anchor by rounding */
    most = row->compliance[1] * cti_sqrt(row->r[1] * row->r[1] + row->r[2] * row->r[2]) * c->dt + CTI_ROWS_DRAG * origin->thickness;
    size = cti_v3_norm(moved);
    return size > most ? cti_v3_mul(moved, most / size) : moved;
}

/* The speed at which the next step may lift the contact; below 0 if the contact did not rise at the last request. *share: the part of its
   impulse that is remembered as load; the impulse of a failed lift is not. Requests of SINK or less cannot fail, since the load compresses
   them again. */
static ct_real cti_rows_lift(const cti_row_context *c, const cti_row *row, const cti_contact_row *origin, ct_real u_n, ct_real *share)
{
    ct_real asked = origin->asked, step = origin->thickness / c->dt, next;
    int stuck = u_n - cti_min(0, origin->base[0]) < CTI_ROWS_ROSE * asked;
    *share = 1;
    if (!(asked > 0))
        return 0;
    next = asked < cti_abs(origin->lift) ? cti_max(2 * asked, CTI_ROWS_LIFT * step) : 2 * asked;
    if (asked <= CTI_ROWS_SINK * step)
        return origin->lift < 0 ? -next : next;
    if (!stuck)
        return next;
    *share = cti_min(1, origin->load / row->r[0]);
    return -(asked > CTI_R(1.4) * CTI_ROWS_SINK * step ? CTI_ROWS_STUCK * asked : next);
}

CTI_FN int cti_rows_remember(cti_mem *mem, const cti_row_context *c, const cti_row *rows, const cti_contact_row *origins, int n, const ct_real *v,
                             cti_memory *out)
{
    int i;
    cti_memory_clear(out);
    for (i = 0; i < n; i++) {
        const cti_row *row = &rows[i];
        cti_memory_item item;
        ct_real u[3];
        cti_v3 slip = cti_v3_zero();
        ct_real share;
        if (origins[i].repair || (!row->equations && !(row->r[0] > 0)))
            continue;
        memset(&item, 0, sizeof item);
        cti_row_velocity(row, v, u);
        if (!row->equations && row->mu > 0)
            slip = cti_rows_slip(c, row, &origins[i], u);
        item.key = row->key, item.dt = c->dt;
        cti_v3_put(item.slip, 0, slip);
        cti_v3_put(item.normal, 0, cti_v3_at(row->frame, 0));
        item.lift = cti_rows_lift(c, row, &origins[i], u[0], &share);
        cti_v3_put(item.impulse, 0, cti_m3_mul_tv(row->frame, cti_v3_make(share * row->r[0], share * row->r[1], share * row->r[2])));
        if (!cti_memory_add(mem, out, &item))
            return 0;
    }
    return 1;
}
