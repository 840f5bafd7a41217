/* rows.c -- rows of the contact problem.
   Method: g(p) = n . (p_a - p_b) - h >= 0 linearized with constant normal and weights (Otaduy 2009, eq. 4-5), J v >= -g0/dt. A row with
   g0 < 0 is hard only against approach; its recovery acts through compliance. Stick is held at position level: the tangential target is
   -slip/dt, slip counted since stick onset, so that solver error does not add up to creep. */
#include "rows.h"

#define CTI_ROWS_HOLD CTI_R(0.01) /* share of the thickness that a loaded contact may sink and is taken back by the hard law */
#define CTI_ROWS_STICK CTI_R(1e-4) /* tangential compliance, of the free nodes' inverse mass */
#define CTI_ROWS_SETTLE CTI_R(3e-6) /* normal compliance, of the free nodes' inverse mass */
#define CTI_ROWS_SETTLE_OWN CTI_R(2e-4) /* and of what the blocks alone answer with, at most */
#define CTI_ROWS_EASE CTI_R(0.2) /* share of a missing gap that is recovered in a step */

static void cti_rows_terms(const cti_row_context *c, const cti_pair *pair, cti_row *row, cti_v3 *scripted)
{
    int k, j;
    *scripted = cti_v3_zero();
    for (k = 0; k < pair->n; k++) {
        const cti_attach *a = &c->surface->attach[pair->v[k]];
        for (j = 0; j < a->n; j++) {
            ct_real w = pair->w[k] * a->weight[j];
            int b = a->block[j];
            cti_term *t;
            if (w == 0)
                continue;
            if (c->fixed[b]) {
                cti_v3 vb = cti_v3_at(c->v_fixed, b);
                *scripted = cti_v3_mad(*scripted, vb, w);
                continue;
            }
            if (row->n == CTI_ROW_TERMS)
                continue;
            t = &row->term[row->n++];
            t->block = b;
            t->weight = w;
            if (k < pair->n_a)
                row->n_a = row->n;
        }
    }
}

/* the frame and start multipliers: the impulse of the last step is a world vector and is rotated into this frame */
static void cti_rows_recall(const cti_row_context *c, uint64_t key, cti_v3 n, cti_row *row, cti_contact_row *origin)
{
    const cti_memory_item *m = cti_memory_find(c->memory, key);
    cti_v3 imp, slip, r;
    ct_real scale;
    if (!m)
        return;
    imp = cti_v3_at(m->impulse, 0);
    if (cti_v3_dot(cti_v3_at(m->normal, 0), n) < CTI_R(0.5))
        return;
    scale = c->dt_memory > 0 ? c->dt / c->dt_memory : 1;
    r = cti_m3_mul_v(row->frame, cti_v3_mul(imp, scale));
    row->r[0] = cti_max(0, r.x);
    row->r[1] = row->mu > 0 ? r.y : 0;
    row->r[2] = row->mu > 0 ? r.z : 0;
    cti_cone_project(CT_CONE_CONE, row->mu * row->r[0], &row->r[1], &row->r[2]);
    slip = cti_v3_at(m->slip, 0);
    slip = cti_v3_mad(slip, n, -cti_v3_dot(slip, n));
    cti_v3_put(origin->slip, 0, slip);
    origin->rest = m->rest;
}

CTI_FN int cti_rows_build(const cti_row_context *c, const cti_pair *pair, cti_v3 n, int twin, cti_row *row, cti_contact_row *origin)
{
    const cti_surface *s = c->surface;
    int a = cti_pair_body_a(s, pair), b = cti_pair_body_b(s, pair), k;
    cti_v3 t1, t2, scripted, slip;
    ct_real soft = 0, own = 0;
    memset(row, 0, sizeof *row);
    memset(origin, 0, sizeof *origin);
    origin->pair = *pair;
    origin->thickness = cti_pair_thickness(s, pair);
    origin->gap0 = cti_v3_dot(n, cti_pair_offset(s, s->x0, pair)) - origin->thickness;
    origin->rest = origin->gap0;
    cti_rows_terms(c, pair, row, &scripted);
    if (row->n == 0)
        return 0;
    cti_v3_tangents(n, &t1, &t2);
    cti_v3_put(row->frame, 0, n);
    cti_v3_put(row->frame, 1, t1);
    cti_v3_put(row->frame, 2, t2);
    row->mu = cti_sqrt(s->bodies[a].friction * s->bodies[b].friction);
    row->key = cti_pair_key(s, pair) + (uint64_t)twin;
    if (twin == 0)
        cti_rows_recall(c, row->key, n, row, origin);
    slip = cti_v3_at(origin->slip, 0);
    for (k = 0; k < row->n; k++) {
        int block = row->term[k].block;
        const ct_real *D = c->A->val + 9 * (size_t)c->A->diag[block];
        ct_real w2 = row->term[k].weight * row->term[k].weight, trace = D[0] + D[4] + D[8];
        soft += w2 * c->inv_mass[block];
        own += trace > 0 ? 3 * w2 / trace : 0;
    }
    /* w: scripted motion, g0/dt where the gap is open, the stick target */
    row->w[0] = cti_v3_dot(n, scripted);
    row->w[1] = cti_v3_dot(t1, scripted) + cti_v3_dot(t1, slip) / c->dt;
    row->w[2] = cti_v3_dot(t2, scripted) + cti_v3_dot(t2, slip) / c->dt;
    if (origin->gap0 >= 0) {
        row->w[0] += origin->gap0 / c->dt;
        origin->rest = 0;
    } else {
        /* differs: the hard law takes back what the contact sank below the gap that it rested at, at most a hundredth of the thickness, so
           that a loaded contact does not sink by solver error and is not lifted either */
        origin->rest = cti_clamp(origin->rest, origin->gap0, cti_min(0, origin->gap0 + CTI_ROWS_HOLD * origin->thickness));
        row->w[0] -= CTI_ROWS_EASE * (origin->rest - origin->gap0) / c->dt;
        row->recover = -CTI_ROWS_EASE * origin->gap0 / c->dt;
        if (c->recovery_speed > 0)
            row->recover = cti_min(row->recover, c->recovery_speed);
        row->softness = soft;
    }
    /* stick is a stiff spring of c gamma dt, far below the thickness: several contacts at one point may remember different slips, and without
       compliance their multipliers would drift apart without end */
    row->compliance[1] = row->compliance[2] = soft * CTI_ROWS_STICK;
    /* two contacts at one place with gaps that differ by a rounding ask for one multiplier to wander to the other: a compliance below what the
       tolerance resolves settles it, and keeps rows to scripted surfaces from contradicting each other without bound */
    row->compliance[0] = cti_min(soft * CTI_ROWS_SETTLE, own * CTI_ROWS_SETTLE_OWN);
    return 1;
}

CTI_FN int cti_rows_remember(cti_mem *mem, const cti_row_context *c, const cti_row *rows, const cti_contact_row *origins, int n, const ct_real *v,
                             cti_memory *out)
{
    int i;
    cti_memory_clear(out);
    for (i = 0; i < n; i++) {
        const cti_row *row = &rows[i];
        cti_memory_item item;
        ct_real u[3], t2 = row->r[1] * row->r[1] + row->r[2] * row->r[2], bound = row->mu * row->r[0];
        cti_v3 slip = cti_v3_zero();
        if (!(row->r[0] > 0))
            continue;
        memset(&item, 0, sizeof item);
        cti_row_velocity(row, v, u);
        /* u_t = motion + slip/dt: what is left of it is the new slip, while the contact sticks */
        if (t2 < bound * bound * CTI_R(0.9999))
            slip = cti_m3_mul_tv(row->frame, cti_v3_make(0, u[1] * c->dt, u[2] * c->dt));
        item.key = row->key;
        cti_v3_put(item.slip, 0, slip);
        cti_v3_put(item.normal, 0, cti_v3_at(row->frame, 0));
        cti_v3_put(item.impulse, 0, cti_m3_mul_tv(row->frame, cti_v3_make(row->r[0], row->r[1], row->r[2])));
        item.rest = origins[i].rest;
        if (!cti_memory_add(mem, out, &item))
            return 0;
    }
    return 1;
}
