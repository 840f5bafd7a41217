/* explicit_rates.c -- accelerations with contact forces, and impulses of collisions.
   Method: d'' of contact i is sum_j a_ij f_j + b_i, a_ij = J_i M^-1 J_j' over the nodes of both sides, b_i the accelerations of all other forces
   and the terms of n' and n''. Contacts that share nodes or rigid bodies are a region. Each region has a problem of its own; its contacts
   stay the same over the stages of a Runge-Kutta step. Forces act on both sides, in opposite directions. The same problem with d' in place of
   d'' gives the impulses of a completely inelastic collision: d' >= 0 after it, = 0 where the impulse is positive.
   differs: the condition is d'' + 2 c d' + c^2 max(d, 0) >= 0, d from the distance of rest on: no force pushes a contact up to it.
   This is d'' >= 0 where d = d' = 0. With d'' >= 0 alone a contact that parts slowly never comes back but by a collision in a later step: contacts
   at rest flicker, and each collision starts waves. Here they come to rest on the surface as exp(-c t) does, and errors of integration do not
   add up. Impulses leave d' >= -c d.
   differs: the paper sets relative velocities of a node and its surface point by interpolation, contact by contact. Contacts that share nodes
   then undo each other; here they are solved together, and momentum is kept.
   based on: Hong et al. 2006, sec. 3 and 4. */
#include "explicit.h"
#include "../0_base/sets.h"
#include "../0_base/sort.h"
#include "../0_base/tasks.h"
#include "../1_math/lanes.h"

CTI_FN int cti_explicit_masses(cti_state *s)
{
    cti_explicit_solve *q = &cti_explicit_own(s)->solve;
    int i;
    if (!CTI_RESIZE(&s->prepared, q->inverse_mass, s->n) || !CTI_RESIZE(&s->prepared, q->inverse_inertia, 9 * CTI_LEN(s->bodies.rigids)))
        return 0;
    for (i = 0; i < s->n; i++)
        q->inverse_mass[i] = s->bodies.mass[i] > 0 ? 1 / s->bodies.mass[i] : 0;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        if (!cti_m3_inverse(s->bodies.rigids[i].inertia, q->inverse_inertia + 9 * (size_t)i))
            memset(q->inverse_inertia + 9 * (size_t)i, 0, 9 * sizeof *q->inverse_inertia);
    return 1;
}

/* returns M^-1 g of a block that turns, or that a script holds in some directions */
static cti_v3 cti_explicit_inverse_of(const cti_state *s, int block, cti_v3 g)
{
    const cti_explicit *own = cti_explicit_own(s);
    int r = s->bodies.rigid_of[block];
    g = cti_state_free(s, block, g);
    if (r >= 0 && s->bodies.rigids[r].block + 1 == block) {
        const ct_real *R = own->frames + 9 * (size_t)r;
        g = cti_m3_mul_v(R, cti_m3_mul_v(own->solve.inverse_inertia + 9 * (size_t)r, cti_m3_mul_tv(R, g)));
    } else
        g = cti_v3_mul(g, own->solve.inverse_mass[block]);
    return cti_state_free(s, block, g);
}

/* returns M^-1 g for a block, in the directions that scripts leave free */
CTI_INLINE cti_v3 cti_explicit_inverse(const cti_state *s, int block, cti_v3 g)
{
    if (s->scripts.filter[block] < 0 && s->bodies.rigid_of[block] < 0)
        return cti_v3_mul(g, cti_explicit_own(s)->solve.inverse_mass[block]);
    return cti_explicit_inverse_of(s, block, g);
}

/* cti_explicit_loop -- is a loop over contacts or blocks at y; v, force and a are those of the free motion. */
typedef struct cti_explicit_loop {
    cti_state *s;
    const ct_real *y, *v;
    ct_real *force, *a;
    double t;
    int skip; /* 1: contacts that are squeezed stay as they are */
} cti_explicit_loop;

static void cti_explicit_measure_range(int begin, int end, int worker, void *context)
{
    const cti_explicit_loop *q = (const cti_explicit_loop *)context;
    cti_explicit *g = cti_explicit_own(q->s);
    int i, k;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        cti_explicit_contact *c = &g->contacts[i];
        if (q->skip && c->squeezed)
            continue;
        cti_explicit_measure(q->s, q->y, q->t, c);
        for (k = 0; k < c->n; k++)
            c->entry[k].z = cti_explicit_inverse(q->s, c->entry[k].block, c->entry[k].g);
    }
}

/* measures the contacts that take part, at y */
static void cti_explicit_measure_all(cti_state *s, const ct_real *y, double t, int skip)
{
    cti_explicit_loop q;
    memset(&q, 0, sizeof q);
    q.s = s, q.y = y, q.t = t, q.skip = skip;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_measure_range, CTI_LEN(cti_explicit_own(s)->contacts), cti_explicit_tuned.costs.batch, &q);
}

static cti_explicit_contact *cti_explicit_contact_at(const cti_explicit *g, int i) { return &g->contacts[g->solve.order[i]]; }

/* joins the blocks of each contact that can move to one set; a rigid body's two blocks always are one */
static void cti_explicit_join_blocks(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    int m = CTI_LEN(g->contacts), i, k;
    cti_sets_init(g->solve.set, s->n);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_sets_join(g->solve.set, s->bodies.rigids[i].block, s->bodies.rigids[i].block + 1);
    for (i = 0; i < m; i++) {
        cti_explicit_contact *c = &g->contacts[i];
        c->region = -1;
        for (k = 0; k < c->n; k++)
            if (!s->scripts.fixed[c->entry[k].block]) {
                if (c->region >= 0)
                    cti_sets_join(g->solve.set, c->region, c->entry[k].block);
                c->region = c->entry[k].block;
            }
    }
    for (i = 0; i < m; i++)
        g->contacts[i].region = g->contacts[i].region < 0 ? -1 : cti_sets_root(g->solve.set, g->contacts[i].region);
}

/* lists the contacts at each block. 0: out of memory */
static int cti_explicit_slots(cti_state *s)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_explicit_solve *q = &g->solve;
    int m = CTI_LEN(g->contacts), i, k, n = 0;
    if (!CTI_ZEROS(&s->prepared, q->slot_start, s->n + 2) || !CTI_RESIZE(&s->prepared, q->entry_start, m + 1))
        return 0;
    for (i = 0; i < m; i++) {
        const cti_explicit_contact *c = cti_explicit_contact_at(g, i);
        q->entry_start[i] = n, n += c->n;
        for (k = 0; k < c->n; k++)
            q->slot_start[c->entry[k].block + 2] += !s->scripts.fixed[c->entry[k].block];
    }
    q->entry_start[m] = n;
    if (!CTI_RESIZE(&s->prepared, q->slot_of, n) || !CTI_RESIZE(&s->prepared, q->slots, n))
        return 0;
    for (i = 2; i < s->n + 2; i++)
        q->slot_start[i] += q->slot_start[i - 1];
    for (i = 0; i < m; i++)
        for (k = q->entry_start[i]; k < q->entry_start[i + 1]; k++) {
            int block = cti_explicit_contact_at(g, i)->entry[k - q->entry_start[i]].block;
            q->slot_of[k] = s->scripts.fixed[block] ? -1 : q->slot_start[block + 1]++;
            if (q->slot_of[k] >= 0)
                q->slots[q->slot_of[k]].position = i;
        }
    return 1;
}

/* sorts contacts of a region by the coordinate in which they extend most */
static void cti_explicit_sort_region(cti_state *s, int begin, int end)
{
    cti_explicit *g = cti_explicit_own(s);
    cti_v3 lo = cti_v3_at(g->surface, cti_explicit_contact_at(g, begin)->pair.v[0]), hi = lo, size;
    int i, axis, m = end - begin;
    for (i = begin + 1; i < end; i++) {
        cti_v3 p = cti_v3_at(g->surface, cti_explicit_contact_at(g, i)->pair.v[0]);
        lo = cti_v3_make(cti_min(lo.x, p.x), cti_min(lo.y, p.y), cti_min(lo.z, p.z));
        hi = cti_v3_make(cti_max(hi.x, p.x), cti_max(hi.y, p.y), cti_max(hi.z, p.z));
    }
    size = cti_v3_sub(hi, lo);
    axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    for (i = begin; i < end; i++)
        g->solve.keys[i - begin] = cti_sort_key((double)g->surface[3 * (size_t)cti_explicit_contact_at(g, i)->pair.v[0] + (size_t)axis]);
    cti_sort_u64(g->solve.keys, g->solve.order + begin, g->solve.keys + m, g->solve.lo, m);
}

/* sets the profile of a region's matrix; numbers are relative to the region */
static void cti_explicit_profile(cti_explicit *g, int begin, int end)
{
    const cti_explicit_solve *q = &g->solve;
    int i, k;
    for (i = begin; i < end; i++) {
        const cti_explicit_contact *c = cti_explicit_contact_at(g, i);
        q->lo[i] = q->hi[i] = i - begin;
        for (k = 0; k < c->n; k++)
            if (q->slot_of[q->entry_start[i] + k] >= 0) {
                int block = c->entry[k].block;
                q->lo[i] = cti_min_int(q->lo[i], q->slots[q->slot_start[block]].position - begin);
                q->hi[i] = cti_max_int(q->hi[i], q->slots[q->slot_start[block + 1] - 1].position - begin);
            }
    }
}

CTI_FN int cti_explicit_regions(cti_state *s, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    int m = CTI_LEN(g->contacts), i, k, begin, end, most = 0, regions = 0;
    if (!CTI_RESIZE(&s->prepared, g->solve.order, m) || !CTI_RESIZE(&s->prepared, g->solve.active, m) || !CTI_RESIZE(&s->prepared, g->solve.lo, m) ||
        !CTI_RESIZE(&s->prepared, g->solve.hi, m) || !CTI_RESIZE(&s->prepared, g->solve.keys, 2 * m) ||
        !CTI_RESIZE(&s->prepared, g->solve.diagonal, m))
        return 0;
    cti_explicit_join_blocks(s);
    /* runs of one region */
    for (i = 0; i < m; i++)
        g->solve.keys[i] = (uint64_t)(g->contacts[i].region + 1), g->solve.order[i] = i;
    cti_sort_u64(g->solve.keys, g->solve.order, g->solve.keys + m, g->solve.lo, m);
    for (begin = 0; begin < m; begin = end, regions++) {
        for (end = begin; end < m && cti_explicit_contact_at(g, end)->region == cti_explicit_contact_at(g, begin)->region; end++)
            ;
        cti_explicit_sort_region(s, begin, end);
        most = cti_max_int(most, end - begin);
    }
    for (i = 0; i < m; i++)
        g->solve.active[i] = (uint8_t)cti_explicit_contact_at(g, i)->was_active;
    r->rk.regions = regions;
    if (!cti_explicit_slots(s))
        return 0;
    for (begin = 0; begin < m; begin = k) {
        for (k = begin; k < m && cti_explicit_contact_at(g, k)->region == cti_explicit_contact_at(g, begin)->region; k++)
            ;
        cti_explicit_profile(g, begin, k);
    }
    return CTI_RESIZE(&s->prepared, g->solve.work, cti_explicit_work(most) + 2 * (size_t)cti_pad8(most));
}

/* sets the slots and the diagonal entry of a contact in its region's matrix; of one that is squeezed a row of the unit matrix */
static void cti_explicit_take_part(cti_state *s, int at)
{
    cti_explicit *g = cti_explicit_own(s);
    const cti_explicit_contact *c = cti_explicit_contact_at(g, at);
    const int32_t *slot_of = g->solve.slot_of + g->solve.entry_start[at];
    /* entries are rounded to ct_real: without that much more on the diagonal the matrix of contacts that depend on each other may be indefinite */
    int many = c->pair.kind == CT_PAIR_EE || c->pair.kind == CT_PAIR_EF;
    double soft = 1 + (many ? cti_explicit_tuned.contact.compliance : 16 * (double)CTI_EPS), sum = 0;
    int k;
    for (k = 0; k < c->n; k++) {
        sum += (double)cti_v3_dot(c->entry[k].g, c->entry[k].z);
        if (slot_of[k] >= 0) {
            cti_explicit_slot *slot = &g->solve.slots[slot_of[k]];
            slot->g = c->squeezed ? cti_v3_zero() : c->entry[k].g, slot->z = c->squeezed ? cti_v3_zero() : c->entry[k].z;
        }
    }
    g->solve.diagonal[at] = c->squeezed ? 1 : sum * soft;
}

/* cti_explicit_region -- is the context of a region's matrix: the stepper's data, and the position of its first contact. */
typedef struct cti_explicit_region {
    const cti_explicit *g;
    int first;
} cti_explicit_region;

/* sets row i of the region's matrix, of which only what is not 0; it is symmetric to the last bit */
static void cti_explicit_matrix_row(const void *context, int i, double *row)
{
    const cti_explicit_region *p = (const cti_explicit_region *)context;
    const cti_explicit_solve *q = &p->g->solve;
    int at = p->first + i, k, e;
    for (k = q->entry_start[at]; k < q->entry_start[at + 1]; k++) {
        const cti_explicit_slot *own = &q->slots[cti_max_int(q->slot_of[k], 0)], *o;
        int block = p->g->contacts[q->order[at]].entry[k - q->entry_start[at]].block;
        if (q->slot_of[k] < 0)
            continue;
        for (e = q->slot_start[block], o = q->slots + e; e < q->slot_start[block + 1]; e++, o++)
            row[o->position - p->first] += (double)(o->position < at ? cti_v3_dot(own->g, o->z) : cti_v3_dot(o->g, own->z));
    }
    row[i] = q->diagonal[at];
}

/* solves for the forces of contacts [begin, end) with right sides b [m], to b. Contacts in a certificate of no solution become squeezed */
static void cti_explicit_solve_region(cti_state *s, int begin, int end, double *b)
{
    cti_explicit *g = cti_explicit_own(s);
    int m = end - begin, i, turn;
    double *f = b + cti_pad8(m), *work = f + cti_pad8(m), natural = 0, most;
    const double *K = g->solve.diagonal + begin;
    cti_explicit_outcome outcome = CTI_EXPLICIT_FAILED;
    cti_explicit_region part;
    cti_explicit_system A;
    part.g = g, part.first = begin;
    A.row = cti_explicit_matrix_row, A.context = &part, A.diagonal = K, A.n = m, A.lo = g->solve.lo + begin, A.hi = g->solve.hi + begin;
    for (i = begin; i < end; i++)
        cti_explicit_take_part(s, i);
    for (turn = 0; turn <= m; turn++) {
        for (i = 0; i < m; i++)
            if (cti_explicit_contact_at(g, begin + i)->squeezed)
                b[i] = 0;
        outcome = cti_explicit_program(&A, b, turn ? CT_EXPLICIT_INTERIOR_POINT : s->desc.rk.program, g->solve.active + begin, f, work, &natural);
        g->solve.iterations += A.iterations;
        if (outcome != CTI_EXPLICIT_SQUEEZED)
            break;
        for (i = 0, most = 0; i < m; i++)
            most = cti_fmax(most, f[i] * sqrt(K[i]));
        for (i = 0; i < m; i++)
            if (f[i] * sqrt(K[i]) > 1e-3 * most) {
                cti_explicit_contact_at(g, begin + i)->squeezed = 1;
                cti_explicit_take_part(s, begin + i);
            }
    }
    if (outcome == CTI_EXPLICIT_FAILED || !(natural < HUGE_VAL))
        natural = natural > 1 && natural < HUGE_VAL ? natural : 1;
    g->solve.natural = cti_fmax(g->solve.natural, natural);
    for (i = 0; i < m; i++)
        b[i] = outcome == CTI_EXPLICIT_SOLVED ? f[i] : 0;
}

/* returns the speed at which a contact may approach [m/s]: c times its distance beyond that of rest */
static ct_real cti_explicit_allowed_speed(const cti_explicit *g, const cti_explicit_contact *c)
{
    return g->decay * cti_max(c->d - g->rest_distance * c->scale, CTI_R(0.0));
}

/* returns J v of velocities, or of accelerations */
static double cti_explicit_row_times(const cti_explicit_contact *c, const ct_real *v)
{
    double sum = 0;
    int k;
    for (k = 0; k < c->n; k++)
        sum += (double)cti_v3_dot(c->entry[k].g, cti_v3_at(v, c->entry[k].block));
    return sum;
}

/* sets `force` of all contacts: forces from accelerations `base`, or with 1 impulses from velocities `base` */
static void cti_explicit_solve_all(cti_state *s, const ct_real *base, int impulses)
{
    cti_explicit *g = cti_explicit_own(s);
    int m = CTI_LEN(g->contacts), begin, end, i;
    double *b = g->solve.work;
    for (begin = 0; begin < m; begin = end) {
        int region = cti_explicit_contact_at(g, begin)->region;
        for (end = begin; end < m && cti_explicit_contact_at(g, end)->region == region; end++) {
            const cti_explicit_contact *c = cti_explicit_contact_at(g, end);
            double a = (double)(impulses ? cti_explicit_allowed_speed(g, c) + c->script_rate
                                         : c->bias + g->decay * (2 * c->rate + cti_explicit_allowed_speed(g, c)));
            b[end - begin] = a + cti_explicit_row_times(c, base);
        }
        if (region < 0) /* nothing can move */
            memset(b, 0, sizeof(double) * (size_t)(end - begin));
        else
            cti_explicit_solve_region(s, begin, end, b);
        for (i = begin; i < end; i++)
            cti_explicit_contact_at(g, i)->force = (ct_real)b[i - begin];
    }
}

static void cti_explicit_free_range(int begin, int end, int worker, void *context)
{
    const cti_explicit_loop *q = (const cti_explicit_loop *)context;
    const cti_state *s = q->s;
    const cti_explicit *g = cti_explicit_own(s);
    cti_v3 fall = cti_v3_at(s->desc.gravity, 0);
    int i;
    CTI_UNUSED(worker);
    for (i = begin; i < end; i++) {
        int r = s->bodies.rigid_of[i];
        cti_v3 f = cti_v3_at(q->force, i);
        if (r < 0 && !g->ode.pins) {
            cti_v3_put(q->a, i, cti_v3_mad(fall, f, g->solve.inverse_mass[i]));
            continue;
        }
        if (r >= 0 && s->bodies.rigids[r].block + 1 == i) { /* -w x I w */
            const ct_real *R = g->frames + 9 * (size_t)r;
            cti_v3 w = cti_v3_at(q->v, i), L = cti_m3_mul_v(R, cti_m3_mul_v(s->bodies.rigids[r].inertia, cti_m3_mul_tv(R, w)));
            f = cti_v3_sub(f, cti_v3_cross(w, L));
        } else
            f = cti_v3_mad(f, fall, s->bodies.mass[i]);
        cti_v3_put(q->force, i, f);
        cti_v3_put(q->a, i, cti_explicit_inverse(s, i, f));
    }
}

/* sets accelerations a [3 n] without contacts, and free of scripts; in worlds with pins `force` gets all forces, torques of rigid bodies included */
static void cti_explicit_free_motion(cti_state *s, const ct_real *v, ct_real *force, ct_real *a)
{
    cti_explicit_loop q;
    memset(&q, 0, sizeof q);
    q.s = s, q.v = v, q.force = force, q.a = a;
    cti_tasks_run_work(&s->desc.tasks, cti_explicit_free_range, s->n, cti_explicit_tuned.costs.strip, &q);
}

/* adds contacts' forces to accelerations a and to `force`, and sets the rates of their integrals */
static void cti_explicit_add_contacts(cti_state *s, ct_real *a, ct_real *force, ct_real *dy)
{
    cti_explicit *g = cti_explicit_own(s);
    int i, k, m = CTI_LEN(g->contacts), tail = g->ode.state;
    cti_explicit_solve_all(s, a, 0);
    for (i = 0; i < m; i++) {
        const cti_explicit_contact *c = &g->contacts[i];
        cti_v3_put(dy + tail + 3 + g->ode.pins, i, cti_v3_mul(c->normal, c->force));
        dy[tail + 1] -= c->force * c->script_rate;
        dy[tail + 2] -= c->force * c->rate;
        for (k = 0; k < c->n && c->force > 0; k++) {
            cti_v3_addto(a, c->entry[k].block, cti_v3_mul(c->entry[k].z, c->force));
            if (g->ode.pins)
                cti_v3_addto(force, c->entry[k].block, cti_v3_mul(c->entry[k].g, c->force));
        }
    }
}

static int cti_explicit_is_finite(const ct_real *a, int n)
{
    cti_r8 sum = cti_set8(0);
    ct_real rest = 0;
    int i;
    for (i = 0; i + 8 <= n; i += 8)
        sum = cti_mad8(sum, cti_load8(a + i), cti_set8(0));
    for (; i < n; i++)
        rest += a[i] * 0;
    return rest == 0 && CTI_R8(sum)(sum) == 0;
}

CTI_FN int cti_explicit_rates(cti_state *s, const ct_real *y, double t, ct_real *dy)
{
    cti_explicit *g = cti_explicit_own(s);
    const ct_real *x = y, *v = y + 3 * (size_t)s->n, *q = v + 3 * (size_t)s->n;
    ct_real *a = dy + 3 * (size_t)s->n, *force = g->elements.force, *integral = dy + g->ode.state;
    int i, nr = CTI_LEN(s->bodies.rigids);
    memset(integral, 0, sizeof(ct_real) * (size_t)(g->ode.size - g->ode.state));
    for (i = 0; i < nr; i++)
        cti_rigid_matrix(q + 4 * (size_t)i, g->frames + 9 * (size_t)i);
    if (g->elements.plain)
        integral[0] = -(ct_real)cti_explicit_nodal_rates(s, x, v, dy, a);
    else {
        memcpy(dy, v, sizeof(ct_real) * 3 * (size_t)s->n);
        integral[0] = -(ct_real)cti_explicit_forces(s, x, v, force);
        cti_explicit_free_motion(s, v, force, a);
    }
    cti_explicit_measure_all(s, y, t, 1);
    cti_explicit_add_contacts(s, a, force, dy);
    for (i = 0; i < nr; i++) { /* q' = w q / 2 */
        cti_v3 w = cti_v3_at(v, s->bodies.rigids[i].block + 1);
        const ct_real *p = q + 4 * (size_t)i;
        ct_real *out = dy + 6 * (size_t)s->n + 4 * (size_t)i;
        cti_v3 u = cti_v3_make(p[1], p[2], p[3]), c = cti_v3_mad(cti_v3_cross(w, u), w, p[0]);
        out[0] = -cti_v3_dot(w, u) / 2, out[1] = c.x / 2, out[2] = c.y / 2, out[3] = c.z / 2;
    }
    for (i = 0; i < s->n && g->ode.pins; i++)
        if (s->scripts.filter[i] >= 0) { /* reaction of the script: what the filter has taken */
            cti_v3 f = cti_v3_at(force, i);
            cti_v3_put(integral + 3, i, cti_v3_sub(cti_state_free(s, i, f), f));
        }
    return cti_explicit_is_finite(a, 3 * s->n);
}

/* adds the impulse of a contact to the velocities, and what scripts take of it to their impulses */
static void cti_explicit_add_impulse(cti_state *s, ct_real *y, const cti_explicit_contact *c)
{
    ct_real *pins = y + cti_explicit_own(s)->ode.state + 3;
    int k;
    for (k = 0; k < c->n && c->force > 0; k++) {
        int block = c->entry[k].block;
        cti_v3 f = cti_v3_mul(c->entry[k].g, c->force);
        cti_v3_addto(y + 3 * (size_t)s->n, block, cti_v3_mul(c->entry[k].z, c->force));
        if (s->scripts.filter[block] >= 0)
            cti_v3_addto(pins, block, cti_v3_sub(cti_state_free(s, block, f), f));
    }
}

/* makes contacts collide one after the other: the node and its point of the surface have one velocity along the normal after it */
static void cti_explicit_collide_nodes(cti_state *s, ct_real *y)
{
    cti_explicit *g = cti_explicit_own(s);
    int i, k;
    for (i = 0; i < CTI_LEN(g->contacts); i++) {
        cti_explicit_contact *c = &g->contacts[i];
        double rate = (double)c->script_rate + cti_explicit_row_times(c, y + 3 * (size_t)s->n), response = 0;
        for (k = 0; k < c->n; k++)
            response += (double)cti_v3_dot(c->entry[k].g, c->entry[k].z);
        c->force = rate < 0 && response > 0 ? (ct_real)(-rate / response) : 0;
        cti_explicit_add_impulse(s, y, c);
    }
}

CTI_FN void cti_explicit_collide(cti_state *s, ct_real *y, double t, ct_step_report *r)
{
    cti_explicit *g = cti_explicit_own(s);
    ct_real *v = y + 3 * (size_t)s->n, slow = -cti_explicit_tuned.contact.slow * s->desc.rk.penetration * g->decay;
    int i, m = CTI_LEN(g->contacts);
    cti_explicit_measure_all(s, y, t, 0);
    for (i = 0; i < m; i++)
        if (g->contacts[i].rate + cti_explicit_allowed_speed(g, &g->contacts[i]) < slow * g->contacts[i].scale)
            break;
    if (i == m)
        return;
    if (s->desc.rk.rules == CT_EXPLICIT_NODE)
        cti_explicit_collide_nodes(s, y);
    else {
        cti_explicit_solve_all(s, v, 1);
        for (i = 0; i < m; i++)
            cti_explicit_add_impulse(s, y, &g->contacts[i]);
    }
    for (i = 0; i < m; i++) {
        cti_explicit_contact *c = &g->contacts[i];
        ct_real after = c->script_rate + (ct_real)cti_explicit_row_times(c, v);
        r->work_script -= (double)c->force * (double)c->script_rate;
        r->loss_contact -= (double)c->force * (double)(c->rate + after) / 2;
        c->rate = after;
        cti_v3_addto(y + g->ode.state + 3 + g->ode.pins, i, cti_v3_mul(c->normal, c->force));
    }
}
