/* spins.c -- torsional and rolling friction.
   Method: beside the rows of a contact, whose points do not move along each other where friction sticks, are rows of v_r = n . (w_a - w_b)
   (torsional) and of both tangents (rolling), equations with a bound: |L r| <= coefficient times the contact's normal multiplier, against the
   relative spin where it is reached. u = L (w_a - w_b) is a velocity like that of other rows by the lever L, the radius of gyration of the lighter
   body. Solvers take the normal multiplier of the iterate at hand, so that both hold at once. Static bodies do not spin; kinematic ones spin as the
   face at the contact turns.
   Based on: lecture notes 4.1.2.3, the fourth row of J; Leine, van de Wouw 2008 (Coulomb-Contensou and rolling friction as set-valued laws).
   differs: the notes have no bound for that row. */
#include "spins.h"
#include "../1_math/elem.h"
#include "impulses.h"
#include "policy_numbers.h"

/* axes [9] of the face beside a vertex, at the start of the step or where its script takes it; 0: it has none */
static int cti_spins_face(const cti_surface *f, int vertex, int end, ct_real *axes)
{
    int face = f->vertex_owner ? f->vertex_owner[vertex] : -1, k;
    cti_v3 x[3], n, e;
    if (face < 0)
        return 0;
    for (k = 0; k < 3; k++)
        x[k] = cti_v3_at(end ? cti_surface_script(f, f->faces[3 * face + k]) : f->x0 + 3 * (size_t)f->faces[3 * face + k], 0);
    e = cti_v3_unit(cti_v3_sub(x[1], x[0]), cti_v3_zero()), n = cti_v3_unit(cti_v3_cross(e, cti_v3_sub(x[2], x[0])), cti_v3_zero());
    cti_v3_put(axes, 0, n), cti_v3_put(axes, 1, e), cti_v3_put(axes, 2, cti_v3_cross(n, e));
    return cti_v3_norm2(n) > 0;
}

/* [rad/s] of a surface that a script moves: the rotation R = sum a1 a0' of its face's axes has the skew part sin(angle) times its axis, and the trace
   1 + 2 cos(angle) */
static cti_v3 cti_spins_script(const cti_surface *f, int vertex, ct_real dt)
{
    ct_real a0[9], a1[9], sine, cosine = CTI_R(-0.5);
    cti_v3 w = cti_v3_zero();
    int k;
    if (!f->bodies[f->body_of[vertex]].moves || !cti_spins_face(f, vertex, 0, a0) || !cti_spins_face(f, vertex, 1, a1))
        return w;
    for (k = 0; k < 3; k++) {
        w = cti_v3_mad(w, cti_v3_cross(cti_v3_at(a0, k), cti_v3_at(a1, k)), CTI_R(0.5));
        cosine += cti_v3_dot(cti_v3_at(a0, k), cti_v3_at(a1, k)) / 2;
    }
    sine = cti_v3_norm(w);
    return sine > 0 ? cti_v3_mul(w, (ct_real)cti_atan2_64((double)sine, (double)cosine) / (sine * dt)) : w;
}

/* radius of gyration [m] of the lighter body; 0: a body is deformable, or none spins */
static ct_real cti_spins_lever(const cti_state *s, const cti_pair *p)
{
    ct_real least = CTI_REAL_MAX, lever = 0;
    int side;
    for (side = 0; side < 2 && (side == 0 || p->n_a < p->n); side++) {
        const cti_attach *a = cti_surface_attach(&s->surface, p->v[side ? p->n_a : 0]);
        const cti_rigid *q;
        if (a->n > 0 && a->frame < 0)
            return 0;
        q = a->n > 0 ? &s->bodies.rigids[s->bodies.rigid_of[a->block[0]]] : NULL;
        if (q && q->mass < least)
            least = q->mass, lever = cti_sqrt((q->inertia[0] + q->inertia[4] + q->inertia[8]) / (3 * q->mass));
    }
    return lever;
}

/* terms and the scripts' part of the row of contact i */
static void cti_spins_terms(const cti_state *s, const cti_row_context *c, const cti_pair *p, ct_real lever, cti_row *row)
{
    cti_v3 script = cti_v3_zero();
    int side;
    for (side = 0; side < 2 && (side == 0 || p->n_a < p->n); side++) {
        int vertex = p->v[side ? p->n_a : 0];
        const cti_attach *a = cti_surface_attach(&s->surface, vertex);
        ct_real sign = side ? -lever : lever;
        row->n_a = side ? row->n_a : (a->n > 0);
        if (a->n > 0)
            cti_row_term(row, row->n_a * side, a->block[1])->weight += sign;
        else
            script = cti_v3_mad(script, cti_spins_script(&s->surface, vertex, c->dt), sign);
    }
    cti_v3_put(row->w, 0, cti_m3_mul_v(row->frame, script));
}

/* sets the other axes to 0 */
static void cti_spins_mask(cti_row *row)
{
    int k;
    for (k = 0; k < 3; k++)
        row->r[k] = row->equations >> k & 1 ? row->r[k] : 0;
}

/* the row of contact i: 0 torsional, 1 rolling */
static void cti_spins_make(const cti_state *s, const cti_row_context *c, int i, int kind, ct_real coefficient, ct_real lever, cti_row *row)
{
    const cti_row *contact = &s->contact.rows[i];
    const cti_memory_item *m;
    int k;
    memset(row, 0, sizeof *row);
    memcpy(row->frame, contact->frame, sizeof row->frame);
    row->equations = kind ? 6 : 1;
    row->key = contact->key ^ ((uint64_t)0x9e3779b97f4a7c15ull * (uint64_t)(kind + 1));
    row->share = coefficient / lever;
    cti_spins_terms(s, c, &s->contact.origins[i].pair, lever, row);
    for (k = 0; k < row->n; k++) {
        const ct_real *D = s->system.A.val + 9 * (size_t)s->system.A.diag[row->term[k].block];
        row->compliance[0] += 3 * lever * lever / (D[0] + D[4] + D[8]) * cti_step_tuned.attempt.joint_own;
    }
    row->compliance[1] = row->compliance[2] = row->compliance[0];
    m = cti_memory_find(c->memory, row->key);
    if (m)
        cti_v3_put(row->r, 0, cti_m3_mul_v(row->frame, cti_v3_mul(cti_v3_at(m->impulse, 0), c->dt / m->dt)));
    cti_spins_mask(row);
}

CTI_FN int cti_spins_add(cti_state *s, const cti_row_context *c, int first)
{
    cti_contacts *found = &s->contact;
    const cti_surface *f = &s->surface;
    int i, kind, n = CTI_LEN(found->rows), number = 0;
    if (!f->has_spins)
        return 1;
    for (i = 0; i < n; i++)
        number = cti_max_int(number, found->origins[i].spin);
    if (!CTI_RESERVE(s->mem, found->rows, 3 * n) || !CTI_RESERVE(s->mem, found->origins, 3 * n))
        return 0;
    for (i = first; i < n; i++) {
        cti_contact_row *o = &found->origins[i];
        const ct_real *a = f->bodies[cti_pair_body_a(f, &o->pair)].spin_friction, *b = f->bodies[cti_pair_body_b(f, &o->pair)].spin_friction;
        ct_real lever = cti_max(cti_max(a[0], a[1]), cti_max(b[0], b[1])) > 0 ? cti_spins_lever(s, &o->pair) : 0;
        if (!(lever > 0))
            continue;
        o->spin = ++number;
        for (kind = 0; kind < 2; kind++) {
            int at = CTI_LEN(found->rows);
            ct_real coefficient = cti_max(a[kind], b[kind]);
            if (!(coefficient > 0))
                continue;
            cti_spins_make(s, c, i, kind, coefficient, lever, &found->rows[at]);
            memset(&found->origins[at], 0, sizeof found->origins[at]);
            found->origins[at].pair = o->pair, found->origins[at].thickness = o->thickness;
            found->origins[at].spin = -number, found->origins[at].is_unsolved = 1;
            stbds_header(found->rows)->length++, stbds_header(found->origins)->length++;
        }
    }
    return 1;
}

/* a vector of the row in the axes of its contact */
static void cti_spins_turn(const cti_row *row, const ct_real *frame, ct_real *x)
{
    cti_v3_put(x, 0, cti_m3_mul_v(frame, cti_m3_mul_tv(row->frame, cti_v3_at(x, 0))));
}

CTI_FN int cti_spins_link(cti_state *s)
{
    cti_contacts *found = &s->contact;
    int i, n = CTI_LEN(found->rows);
    int32_t *at;
    if (!s->surface.has_spins)
        return 1;
    at = CTI_ARENA_ZERO(s->arena, int32_t, n + 1); /* 1 + row of a contact; numbers are at most as many as rows */
    if (!at)
        return 0;
    for (i = 0; i < n; i++)
        if (found->origins[i].spin > 0 && found->origins[i].spin <= n)
            at[found->origins[i].spin] = i + 1;
    for (i = 0; i < n; i++) {
        cti_row *row = &found->rows[i];
        int contact = found->origins[i].spin < 0 && -found->origins[i].spin <= n ? at[-found->origins[i].spin] - 1 : -1;
        if (found->origins[i].spin >= 0)
            continue;
        row->load = contact >= 0 ? contact - i : 0, row->most = CTI_R(1e-30);
        if (contact < 0)
            continue;
        if (memcmp(row->frame, found->rows[contact].frame, sizeof row->frame) != 0) {
            cti_spins_turn(row, found->rows[contact].frame, row->r), cti_spins_turn(row, found->rows[contact].frame, row->w);
            memcpy(row->frame, found->rows[contact].frame, sizeof row->frame);
            cti_spins_mask(row);
        }
        cti_row_follow(row, found->rows[contact].r[0]);
    }
    return 1;
}

CTI_FN void cti_spins_work(const cti_state *s, const cti_row *row, ct_step_report *r)
{
    ct_real u[3];
    cti_row_velocity(row, s->end.v, u);
    cti_impulses_work(row->r, u, row->w, 0, r);
}
