/* zones.c -- resolves collisions by impact zones.
   Method: colliding pairs join their blocks to zones. (1) Inelastic, non-sticking: v moves to the nearest velocity, in the metric of mass,
   that opens all collisions found so far (Gauss-Seidel on impulses; Harmon, Vouga, Tamstorf, Grinspun 2008). (2) Rigid: a zone moves with
   its own linear and angular momentum (Provot 1997; Bridson, Fedkiw, Anderson 2002). (3) Freezing: blocks of pairs that still
   collide stay where they are, and the others keep the motion of (2). Each stage ends with CCD; freezing adds blocks until no moving one
   collides, so it terminates. Freezing a surface vertex freezes all its blocks. Joints hold in every stage: in (1) their rows, linearized again
   at every motion, are solved in the same sweeps; in (2, 3) bodies connected by a rigid joint belong to one zone, and stay or move as a
   whole. A zone that touches something immovable does not move in (2). */
#include "zones.h"
#include "../8_step/policy_numbers.h"
#include "../0_base/sets.h"

/* cti_zones -- the state of the fail-safe. Sets are those of 0_base/sets.h. */
typedef struct cti_zones {
    cti_state *s;
    ct_real dt;
    int32_t *zone_sets;  /* [n] sets of blocks: the zones */
    uint8_t *frozen;     /* [n] 1: the block is frozen */
    cti_row *rows;       /* [n_rows] collisions seen so far, with room for cap */
    ct_real *gap;        /* [n_rows] n . (p_a - p_b) at x [m], minus the distance to be kept */
    ct_real *B;          /* [n_rows] change of a row's velocity along n by a unit impulse along it */
    cti_v3 *answer;      /* [CTI_ROW_TERMS n_rows] change of the velocity of each of its blocks by that */
    int n_rows, cap;
    int scripted;        /* 1: a collision is with something that a script moves: freezing what it hits would not end it */
    int32_t *rigid_sets; /* [n] sets of blocks that rigid joints join */
    int32_t *affected;   /* [n] sets of blocks that zones and all joints join */
    int32_t *joint_rows; /* [n_joints] rows in contact.rows of the joints that collisions affect */
    int n_joints;
} cti_zones;

/* joins the blocks of one side of a joint; returns one of them, -1: a script moves it */
static int cti_zones_join_side(int32_t *linked, const cti_state *s, const cti_joint_side *side)
{
    int i, b = side->rigid >= 0 ? s->bodies.rigids[side->rigid].block : (side->n ? side->block[0] : -1);
    if (side->rigid >= 0)
        cti_sets_join(linked, b, b + 1);
    for (i = 1; i < side->n; i++)
        cti_sets_join(linked, b, side->block[i]);
    return b;
}

/* finds the sets of blocks that joints join, and the joints' rows of the last solve. 0: out of memory */
static int cti_zones_join_joints(cti_zones *z)
{
    cti_state *s = z->s;
    int i, n = CTI_LEN(s->contact.rows);
    z->rigid_sets = CTI_ARENA_NEW(s->arena, int32_t, s->n);
    z->joint_rows = CTI_ARENA_NEW(s->arena, int32_t, n);
    z->affected = CTI_ARENA_NEW(s->arena, int32_t, s->n);
    if (!z->rigid_sets || !z->affected || (n && !z->joint_rows))
        return 0;
    cti_sets_init(z->rigid_sets, s->n);
    for (i = 0; i < CTI_JOINTS(s); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        int a, b;
        if (j->compliance > 0 || !cti_joint_has(j, CTI_PART_POINT))
            continue;
        a = cti_zones_join_side(z->rigid_sets, s, &j->a), b = cti_zones_join_side(z->rigid_sets, s, &j->b);
        if (a >= 0 && b >= 0)
            cti_sets_join(z->rigid_sets, a, b);
    }
    return 1;
}

static void cti_zones_join_row(int32_t *sets, const cti_row *row)
{
    int k;
    for (k = 1; k < row->n; k++)
        cti_sets_join(sets, row->term[k].block, row->term[0].block);
}

/* finds joints that a collision affects through blocks, zones and joints, to solve them; others keep their motion exactly. mark: [n] scratch */
static void cti_zones_find_joints(cti_zones *z, uint8_t *mark)
{
    const cti_state *s = z->s;
    int i, n = CTI_LEN(s->contact.rows);
    memcpy(z->affected, z->zone_sets, sizeof *z->affected * (size_t)s->n);
    memset(mark, 0, (size_t)s->n);
    for (i = 0; i < n; i++)
        if (s->contact.origins[i].joint)
            cti_zones_join_row(z->affected, &s->contact.rows[i]);
    for (i = 0; i < z->n_rows; i++)
        mark[cti_sets_root(z->affected, z->rows[i].term[0].block)] = 1;
    for (z->n_joints = i = 0; i < n; i++)
        if (s->contact.origins[i].joint && mark[cti_sets_root(z->affected, s->contact.rows[i].term[0].block)])
            z->joint_rows[z->n_joints++] = i;
}

/* does one sweep over the joints' rows, in the metric of mass; returns the largest change of a velocity */
static ct_real cti_zones_solve_joints(cti_zones *z, const cti_problem *p)
{
    cti_state *s = z->s;
    ct_real big = 0;
    int i, k, j;
    for (i = 0; i < 3 * z->n_joints; i++) {
        cti_row *row = &s->contact.rows[z->joint_rows[i / 3]];
        cti_v3 answer[CTI_ROW_TERMS];
        ct_real u[3], B = row->compliance[i % 3], d, before;
        k = i % 3;
        if (!(row->equations ? row->equations >> k & 1 : k == 0))
            continue;
        cti_row_velocity(row, s->end.v, u);
        for (j = 0; j < row->n; j++) {
            ct_real Gt[9], inverse[9];
            int b = row->term[j].block;
            cti_v3 g;
            cti_row_map_t(p, row, j, Gt);
            g = cti_v3_make(Gt[k], Gt[3 + k], Gt[6 + k]);
            answer[j] = cti_v3_mul(g, s->bodies.inv_mass[b]);
            if (cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, b) &&
                cti_m3_inverse(s->system.A.val + 9 * (size_t)s->system.A.diag[b], inverse))
                answer[j] = cti_m3_mul_v(inverse, g);
            B += cti_v3_dot(g, answer[j]);
        }
        d = B > 0 ? -(u[k] + row->compliance[k] * row->r[k]) / B : 0;
        before = row->r[k], row->r[k] += d;
        if (!row->equations)
            row->r[0] = cti_max(0, row->r[0]);
        else if (row->most > 0) {
            ct_real others = cti_v3_norm2(cti_v3_at(row->r, 0)) - row->r[k] * row->r[k], room = cti_sqrt(cti_max(0, row->most * row->most - others));
            row->r[k] = cti_clamp(row->r[k], -room, room);
        }
        d = row->r[k] - before;
        big = cti_max(big, cti_abs(d) * B);
        for (j = 0; j < row->n; j++)
            cti_v3_addto(s->end.v, row->term[j].block, cti_v3_mul(answer[j], d));
    }
    return big;
}

/* limits the rotation of jointed bodies to what their rows can describe */
static void cti_zones_limit_rotation(cti_zones *z)
{
    cti_state *s = z->s;
    int i, j;
    for (i = 0; i < z->n_joints; i++) {
        const cti_row *row = &s->contact.rows[z->joint_rows[i]];
        for (j = 0; j < row->n; j++) {
            int b = row->term[j].block;
            ct_real turn = z->dt * cti_v3_norm(cti_v3_at(s->end.v, b));
            if (turn > cti_step_tuned.substep.zone_turn && cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, b))
                cti_v3_put(s->end.v, b, cti_v3_mul(cti_v3_at(s->end.v, b), cti_step_tuned.substep.zone_turn / turn));
        }
    }
}

/* makes room for `total` rows. 0: out of memory */
static int cti_zones_reserve(cti_zones *z, int total)
{
    cti_state *s = z->s;
    cti_zones old = *z;
    size_t n = (size_t)z->n_rows;
    if (total <= z->cap)
        return 1;
    z->cap = 2 * total;
    z->rows = CTI_ARENA_NEW(s->arena, cti_row, z->cap);
    z->gap = CTI_ARENA_NEW(s->arena, ct_real, z->cap), z->B = CTI_ARENA_NEW(s->arena, ct_real, z->cap);
    z->answer = CTI_ARENA_NEW(s->arena, cti_v3, CTI_ROW_TERMS * z->cap);
    if (!z->rows || !z->gap || !z->B || !z->answer)
        return 0;
    if (n) {
        memcpy(z->rows, old.rows, sizeof *z->rows * n);
        memcpy(z->gap, old.gap, sizeof *z->gap * n), memcpy(z->B, old.B, sizeof *z->B * n);
        memcpy(z->answer, old.answer, sizeof *z->answer * CTI_ROW_TERMS * n);
    }
    return 1;
}

/* impulse on the term's block of a unit impulse along n at the contact */
static cti_v3 cti_zones_row_impulse(const cti_term *t, cti_v3 n) { return cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), n), n, t->weight); }

/* how the blocks of row i answer to a unit impulse along its normal */
static void cti_zones_respond(cti_zones *z, const cti_row_context *c, int i)
{
    const cti_row *row = &z->rows[i];
    cti_v3 n = cti_v3_at(row->frame, 0), *answer = z->answer + CTI_ROW_TERMS * (size_t)i;
    int j;
    for (z->B[i] = 0, j = 0; j < row->n; j++) {
        answer[j] = cti_rows_answer(c, &row->term[j], n);
        z->B[i] += cti_v3_dot(answer[j], cti_zones_row_impulse(&row->term[j], n));
    }
}

/* adds the collisions in contact.hits; joins their blocks */
static int cti_zones_collect(cti_zones *z, const cti_row_context *c)
{
    cti_state *s = z->s;
    int i, k;
    if (!cti_zones_reserve(z, z->n_rows + CTI_LEN(s->contact.hits)))
        return 0;
    for (z->scripted = i = 0; i < CTI_LEN(s->contact.hits); i++) {
        cti_contact_row origin;
        cti_row *row = &z->rows[z->n_rows];
        ct_real d;
        for (k = 0; k < s->contact.hits[i].pair.n; k++) {
            const cti_attach *at = cti_surface_attach(&s->surface, s->contact.hits[i].pair.v[k]);
            z->scripted |= at->n == 0 || s->scripts.fixed[at->block[0]];
        }
        if (!cti_rows_build(c, &s->contact.hits[i].pair, s->contact.hits[i].normal, 0, 0, s->contact.hits[i].keep, row, &origin))
            continue;
        /* keep half the thickness, or nine tenths of the present distance */
        d = origin.gap0 + origin.thickness;
        z->gap[z->n_rows] = d - cti_min(origin.thickness / 2, cti_step_tuned.substep.zone_keep * d);
        row->r[0] = row->r[1] = row->r[2] = 0;
        row->w[0] -= origin.gap0 >= 0 ? origin.gap0 / z->dt : 0;
        cti_zones_respond(z, c, z->n_rows);
        cti_zones_join_row(z->zone_sets, row);
        for (k = 1; k < row->n; k++)
            cti_sets_join(s->parts.zoned, s->factors.component_of[row->term[k].block], s->factors.component_of[row->term[0].block]);
        z->n_rows++;
    }
    return 1;
}

/* stage 1: solves for impulses r >= 0, r perpendicular to gap + dt u_n >= 0, by Gauss-Seidel in the metric of mass */
static void cti_zones_inelastic(cti_zones *z)
{
    cti_state *s = z->s;
    cti_problem p;
    int k, i, j;
    cti_islands_problem(s, &p);
    for (k = 0; k < cti_step_tuned.substep.zone_sweeps; k++) {
        ct_real big = cti_zones_solve_joints(z, &p);
        cti_frame_add(&s->frame, cti_step_tuned.frame.push * z->n_rows);
        for (i = 0; i < z->n_rows; i++) {
            cti_row *row = &z->rows[i];
            const cti_v3 *answer = z->answer + CTI_ROW_TERMS * (size_t)i;
            ct_real u[3], B = z->B[i], d;
            if (!(B > 0))
                continue;
            cti_row_velocity(row, s->end.v, u);
            d = cti_max(0, row->r[0] - (u[0] + z->gap[i] / z->dt) / B) - row->r[0];
            row->r[0] += d;
            big = cti_max(big, cti_abs(d) * B);
            for (j = 0; j < row->n; j++) {
                int b = row->term[j].block;
                cti_v3_addto(s->end.v, b, cti_state_free(s, b, cti_v3_mul(answer[j], d)));
            }
        }
        if (big * z->dt < s->desc.thickness * cti_step_tuned.substep.zone_end)
            return;
        if (k >= cti_step_tuned.frame.zone_sweeps && !z->scripted && !cti_frame_may(&s->frame, 0))
            break;
    }
    for (i = 0; i < z->n_rows; i++)
        z->rows[i].r[0] = 0;
}

/* computes centre, linear and angular velocity of one zone from its momentum at x */
static void cti_zones_rigid_motion(cti_zones *z, int32_t root, cti_v3 *c, cti_v3 *p, cti_v3 *w)
{
    const cti_state *s = z->s;
    cti_v3 L = cti_v3_zero();
    ct_real M = 0, I[9], inv[9], rate;
    int i;
    *c = *p = *w = cti_v3_zero();
    memset(I, 0, sizeof I);
    for (i = 0; i < s->n; i++)
        if (cti_sets_root(z->zone_sets, i) == root) {
            M += s->bodies.mass[i];
            *c = cti_v3_mad(*c, cti_v3_at(s->x, i), s->bodies.mass[i]);
            *p = cti_v3_mad(*p, cti_v3_at(s->end.v, i), s->bodies.mass[i]);
        }
    if (!(M > 0))
        return;
    *c = cti_v3_mul(*c, 1 / M), *p = cti_v3_mul(*p, 1 / M);
    for (i = 0; i < s->n; i++)
        if (cti_sets_root(z->zone_sets, i) == root) {
            cti_v3 r = cti_v3_sub(cti_v3_at(s->x, i), *c);
            ct_real m = s->bodies.mass[i], rr = cti_v3_norm2(r);
            const cti_rigid *turning = cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, i);
            if (turning) {
                const ct_real *J = turning->I_mid;
                L = cti_v3_add(L, cti_m3_mul_v(J, cti_v3_at(s->end.v, i)));
                I[0] += J[0], I[1] += J[1], I[2] += J[2], I[4] += J[4], I[5] += J[5], I[8] += J[8];
            }
            L = cti_v3_mad(L, cti_v3_cross(r, cti_v3_sub(cti_v3_at(s->end.v, i), *p)), m);
            I[0] += m * (rr - r.x * r.x), I[1] -= m * r.x * r.y, I[2] -= m * r.x * r.z;
            I[4] += m * (rr - r.y * r.y), I[5] -= m * r.y * r.z, I[8] += m * (rr - r.z * r.z);
        }
    I[3] = I[1], I[6] = I[2], I[7] = I[5];
    if (!cti_m3_inverse(I, inv))
        return;
    *w = cti_m3_mul_v(inv, L);
    rate = cti_v3_norm(*w) * z->dt;
    if (!cti_finite(rate))
        *w = cti_v3_zero();
    else if (rate > cti_step_tuned.substep.zone_turn)
        *w = cti_v3_mul(*w, cti_step_tuned.substep.zone_turn / rate);
}

/* Stage 2: zones of the present hits move rigidly, nodes to their rotated positions. A zone that touches an immovable feature does not move */
static void cti_zones_rigid(cti_zones *z, const uint8_t *active, const uint8_t *anchored, cti_zones_result *out)
{
    static const ct_real unit[4] = {1, 0, 0, 0};
    cti_state *s = z->s;
    ct_real q[4], R[9];
    int32_t root;
    int i;
    for (root = 0; root < s->n; root++) {
        cti_v3 c, p, w;
        if (!active[root] || cti_sets_root(z->zone_sets, root) != root)
            continue;
        cti_zones_rigid_motion(z, root, &c, &p, &w);
        if (anchored[root])
            p = w = cti_v3_zero();
        cti_rigid_turn(unit, cti_v3_mul(w, z->dt), q);
        cti_rigid_matrix(q, R);
        for (i = 0; i < s->n; i++)
            if (cti_sets_root(z->zone_sets, i) == root && !s->scripts.fixed[i]) {
                int turns = cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, i) != NULL;
                cti_v3 r = cti_v3_sub(cti_v3_at(s->x, i), c);
                cti_v3 v = turns ? w : cti_v3_mad(p, cti_v3_sub(cti_m3_mul_v(R, r), r), 1 / z->dt);
                out->momentum_lost += s->bodies.mass[i] * cti_v3_norm(cti_v3_sub(v, cti_v3_at(s->end.v, i)));
                cti_v3_put(s->end.v, i, v);
            }
    }
}

/* freezes a block, and all blocks that rigid joints connect to it; returns how many were new */
static int cti_zones_freeze_linked(cti_zones *z, int block, cti_zones_result *out)
{
    cti_state *s = z->s;
    int i, new_blocks = 0, alone = CTI_JOINTS(s) == 0, root = cti_sets_root(z->rigid_sets, block);
    for (i = alone ? block : 0; i < (alone ? block + 1 : s->n); i++) {
        if (cti_sets_root(z->rigid_sets, i) != root || s->scripts.fixed[i] || z->frozen[i])
            continue;
        z->frozen[i] = 1;
        new_blocks++;
        out->momentum_lost += s->bodies.mass[i] * cti_v3_norm(cti_v3_at(s->end.v, i));
        cti_v3_put(s->end.v, i, cti_v3_zero());
    }
    return new_blocks;
}

/* stage 3: freezes every block of a colliding pair; returns how many were new */
static int cti_zones_freeze(cti_zones *z, cti_zones_result *out)
{
    cti_state *s = z->s;
    int i, k, j, new_blocks = 0;
    for (i = 0; i < CTI_LEN(s->contact.hits); i++)
        for (k = 0; k < s->contact.hits[i].pair.n; k++) {
            const cti_attach *a = cti_surface_attach(&s->surface, s->contact.hits[i].pair.v[k]);
            for (j = 0; j < a->n; j++) {
                int b = a->block[j];
                if (!s->scripts.fixed[b] && !z->frozen[b])
                    new_blocks += cti_zones_freeze_linked(z, b, out);
            }
        }
    out->frozen += new_blocks;
    return new_blocks;
}

/* marks zones that rigid joints connect to the world, a script or fixed nodes */
static void cti_zones_anchor(cti_zones *z, uint8_t *anchored)
{
    const cti_state *s = z->s;
    int i, k, j;
    for (i = 0; i < CTI_JOINTS(s); i++) {
        const cti_joint_side *side[2];
        int held = 0, block = -1;
        side[0] = &s->bodies.joints[i].a, side[1] = &s->bodies.joints[i].b;
        for (k = 0; k < 2; k++) {
            held |= side[k]->rigid < 0 && side[k]->n == 0;
            for (j = 0; j < side[k]->n; j++)
                held |= s->scripts.fixed[side[k]->block[j]];
            block = side[k]->rigid >= 0 ? s->bodies.rigids[side[k]->rigid].block : side[k]->n ? side[k]->block[0] : block;
        }
        if (held && block >= 0 && !(s->bodies.joints[i].compliance > 0) && cti_joint_has(&s->bodies.joints[i], CTI_PART_POINT))
            anchored[cti_sets_root(z->zone_sets, block)] = 1;
    }
}

/* marks the zones that have a hit now, and those of them that touch an immovable side */
static void cti_zones_mark(cti_zones *z, uint8_t *active, uint8_t *anchored)
{
    const cti_state *s = z->s;
    int i, k, j;
    memset(active, 0, (size_t)s->n);
    memset(anchored, 0, (size_t)s->n);
    for (i = 0; i < CTI_LEN(s->contact.hits); i++) {
        const cti_pair *p = &s->contact.hits[i].pair;
        int32_t root = -1;
        int immovable = p->kind == CT_PAIR_PLANE;
        for (k = 0; k < p->n; k++) {
            const cti_attach *a = cti_surface_attach(&s->surface, p->v[k]);
            if (a->n == 0)
                immovable = 1;
            for (j = 0; j < a->n; j++) {
                if (s->scripts.fixed[a->block[j]])
                    immovable = 1;
                else
                    root = cti_sets_root(z->zone_sets, a->block[j]);
            }
        }
        if (root >= 0) {
            active[root] = 1;
            anchored[root] = (uint8_t)(anchored[root] | immovable);
        }
    }
    cti_zones_anchor(z, anchored);
}

/* counts zones, which are roots of sets with a row */
static int cti_zones_count(cti_zones *z, uint8_t *mark)
{
    int i, n = 0;
    memset(mark, 0, (size_t)z->s->n);
    for (i = 0; i < z->n_rows; i++) {
        int32_t root = cti_sets_root(z->zone_sets, z->rows[i].term[0].block);
        n += !mark[root];
        mark[root] = 1;
    }
    return n;
}

CTI_FN int cti_zones_resolve(cti_state *s, ct_real dt, cti_attempt *attempt, cti_zones_result *out)
{
    cti_zones zone, *z = &zone;
    cti_row_context c;
    uint8_t *active = CTI_ARENA_NEW(s->arena, uint8_t, s->n), *anchored = CTI_ARENA_NEW(s->arena, uint8_t, s->n);
    int k;
    memset(z, 0, sizeof *z);
    memset(out, 0, sizeof *out);
    z->s = s, z->dt = dt;
    z->zone_sets = CTI_ARENA_NEW(s->arena, int32_t, s->n);
    z->frozen = CTI_ARENA_ZERO(s->arena, uint8_t, s->n);
    if (!active || !anchored || !z->zone_sets || !z->frozen)
        return 0;
    cti_move_context(s, dt, &s->contact.memory_none, &c);
    c.rigids = NULL;
    if (CTI_LEN(s->contact.rows) == 0 && !cti_joints_append(s, &c, cti_cmr_scale(s, dt))) /* an attempt that was given up has no rows */
        return 0;
    if (!cti_zones_join_joints(z))
        return 0;
    for (k = 0; k < s->n; k++)
        z->zone_sets[k] = cti_sets_root(z->rigid_sets, k);
    for (k = 0;; k++) {
        ct_real joints_error = 0;
        if (!(k == 0 && attempt->tested) && !cti_cmr_collide(s, attempt))
            return 0;
        if (s->parts.conflict)
            return 1;
        if (k < cti_step_tuned.substep.zone_soft && CTI_JOINTS(s))
            joints_error = cti_joints_linearize_all(s, &c);
        if (CTI_LEN(s->contact.hits) == 0 && !(z->n_joints && joints_error > cti_step_tuned.substep.zone_miss))
            break;
        if (!cti_zones_collect(z, &c))
            return 0;
        if (k >= cti_step_tuned.frame.zone_tests && !z->scripted && k < cti_step_tuned.substep.zone_soft && !cti_frame_may(&s->frame, 0))
            k = cti_step_tuned.substep.zone_soft;
        if (k >= cti_step_tuned.substep.zone_soft && z->scripted && s->frame.refused && cti_frame_is_bound(&s->frame))
            break; /* what a script moves does not stop at what is frozen: the substep is made again without the bound */
        if (k < cti_step_tuned.substep.zone_soft) {
            cti_zones_find_joints(z, active);
            cti_zones_inelastic(z);
            cti_zones_limit_rotation(z);
        } else if (k < cti_step_tuned.substep.zone_soft + cti_step_tuned.substep.zone_rigid) {
            cti_zones_mark(z, active, anchored);
            cti_zones_rigid(z, active, anchored, out);
        } else if (cti_zones_freeze(z, out) == 0)
            break;
        cti_cmr_move(s, dt);
    }
    out->clear = CTI_LEN(s->contact.hits) == 0;
    out->zones = cti_zones_count(z, active);
    return 1;
}
