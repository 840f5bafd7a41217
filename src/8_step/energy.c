/* energy.c -- kinetic, elastic and gravitational energy of bodies at the end of a substep, and their balance.
   Method: an implicit step with a convex energy loses some energy. A gain means that the linearization was too far from the real force, or
   that the impulses of a solve exceed their law. So every body has its own balance: E1 - E0 is at most the work that rows and pins did on
   it, J' r u, with u its velocity over the step. The work of bodies on each other cancels in the sum.
   The impulse of a row with a rigid body acts during a rotation, along which its arms change: rows.c chooses arms on which it works as along the
   path of the contact point, and what it works beyond that is a gain. The energy of free rigid bodies oscillates by the error of the midpoint rule,
   and is not tested.
   Kinetic energy is that of the end: velocities of the middle of a step get the other half of gravity's change.
   Based on: no paper; the identity v'M (v - v0) = (|v|^2 - |v0|^2 + |v - v0|^2) / 2 in the norm of M. */
#include "energy.h"
#include "impulses.h"
#include "integrate.h"
#include "linkage.h"
#include "motion.h"
#include "policy.h"
#include "wind.h"
#include "../0_base/sets.h"

#define CTI_ENERGY_TOUCHED 1     /* flags: a rigid body under contacts, */
#define CTI_ENERGY_JOINED 2      /* and one of a linkage, whose balance is in linkage.c */
#define CTI_ENERGY_LEFT 2        /* a body whose gain the last resort could not remove */

CTI_FN int cti_energy_body(const cti_state *s, int block)
{
    int m = s->history.model_of[block];
    return m >= 0 ? m : (s->bodies.rigid_of[block] >= 0 ? s->bodies.n_models + s->bodies.rigid_of[block] : -1);
}

/* 1 if a body is not stepped */
static int cti_energy_is_inactive(const cti_state *s, int m)
{
    return s->parts.inactive && (m >= s->bodies.n_models || s->history.last[m] >= 0) &&
           cti_state_is_inactive(s, m < s->bodies.n_models ? s->history.block[m] : s->bodies.rigids[m - s->bodies.n_models].block);
}

CTI_FN void cti_energy_rest(cti_state *s, int m)
{
    s->energy.end[m] = s->energy.now[m], s->energy.works[m] = 0, s->energy.gains[m] = 0;
}

typedef struct cti_energy_loop {
    cti_state *s;
    const ct_real *x;
    cti_energy *out;
} cti_energy_loop;

static void cti_energy_range(int begin, int end, int worker, void *context)
{
    const cti_energy_loop *q = (const cti_energy_loop *)context;
    CTI_UNUSED(worker);
    for (; begin < end; begin++) {
        if (q->out == q->s->energy.end && cti_energy_is_inactive(q->s, begin))
            continue;
        cti_model_ahead(q->s->bodies.models[begin], 1, 1, NULL);
        q->out[begin].elastic = cti_model_energy(q->s->bodies.models[begin], q->x);
    }
}

/* elastic energy at x, that of strain limits included, and gravitational energy of all bodies */
static void cti_energy_places(cti_state *s, const ct_real *x, cti_energy *out)
{
    cti_energy_loop q;
    int i, k;
    if (out)
        memset(out, 0, sizeof *out * (size_t)(s->bodies.n_models + CTI_LEN(s->bodies.rigids)));
    q.s = s, q.x = x, q.out = out;
    cti_tasks_run_work(&s->desc.tasks, cti_energy_range, s->bodies.n_models, cti_step_tuned.costs.energy, &q);
    for (i = 0; i < s->n; i++) {
        int b = cti_energy_body(s, i);
        for (k = 0; b >= 0 && k < 3; k++)
            out[b].gravity -= (double)(s->bodies.mass[i] * s->desc.gravity[k]) * (double)x[3 * i + k];
    }
}

/* kinetic energy of translation, from v plus half of gravity's change if v is that of a step's middle */
static void cti_energy_speed(const cti_state *s, int block, const ct_real *v, ct_real late, cti_energy *out)
{
    int b = cti_energy_body(s, block), k;
    for (k = 0; b >= 0 && k < 3; k++) {
        double u = (double)v[3 * block + k] + (double)(late * s->desc.gravity[k]);
        out[b].kinetic += 0.5 * (double)s->bodies.mass[block] * u * u;
    }
}

/* kinetic energy of rigid bodies at the end of the last step */
static void cti_energy_rigids(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        s->energy.now[s->bodies.n_models + i].kinetic = cti_rigid_energy(r);
        cti_energy_speed(s, r->block, s->v, s->history.fall[r->block].share * s->history.dt_prev[r->block] / 2, s->energy.now);
    }
}

CTI_FN void cti_energy_state(cti_state *s)
{
    int i;
    if (s->energy.known)
        return;
    s->energy.known = 1;
    for (i = 0; i < s->bodies.n_models; i++)
        s->energy.moduli[i] = cti_model_modulus(s->bodies.models[i]);
    cti_energy_places(s, s->x, s->energy.now);
    for (i = 0; i < s->n; i++)
        if (s->bodies.rigid_of[i] < 0)
            cti_energy_speed(s, i, s->v, cti_motion_is_halfway(s, i) ? s->history.fall[i].share * s->history.dt_prev[i] / 2 : 0, s->energy.now);
    cti_energy_rigids(s);
}

/* [s] time of gravity that is missing in a block's end velocity at the tentative end */
static ct_real cti_energy_late(const cti_state *s, int i, ct_real dt)
{
    int m = s->history.model_of[i];
    return m < 0 || s->desc.integrator == CT_INTEGRATOR_EULER || s->history.touches[m] ? s->end.fall[i] * dt / 2 : 0;
}

/* energies at the tentative end */
static void cti_energy_end(cti_state *s, ct_real dt)
{
    const ct_real *v = cti_integrate_end(s, dt);
    int i;
    cti_energy_places(s, s->end.x, s->energy.end);
    for (i = 0; i < s->n; i++)
        cti_energy_speed(s, i, v, cti_energy_late(s, i, dt), s->energy.end);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid r = s->bodies.rigids[i];
        cti_v3_put(r.spin, 0, cti_m3_mul_v(r.I_mid, cti_v3_at(v, r.block + 1)));
        memcpy(r.q, r.q_new, sizeof r.q);
        s->energy.end[s->bodies.n_models + i].kinetic += cti_rigid_energy(&r);
    }
}

/* Work that a contact does on bodies by J v beyond that of its recovery and of scripts: what is left of the error of linearization in a rotation
   (rows.c). It counts as no gain where the contact removes at least as much. Rounding of the path's ends is no such error: under the load
   of a heavy body it would feign work on a light one */
static double cti_energy_bent(const cti_state *s, int i)
{
    const cti_row *row = &s->contact.rows[i];
    const cti_contact_row *o = &s->contact.origins[i];
    ct_real u[3];
    double bent, work = 0;
    int k;
    if (!o->is_nonlinear || o->joint)
        return 0;
    bent = -cti_policy_rounded((double)(row->r[0] * cti_v3_norm(cti_v3_at(s->surface.x1, o->pair.v[0])) / s->contact.solved_dt));
    cti_row_velocity(row, s->end.v, u);
    for (k = 0; k < 3; k++) {
        bent += (double)(row->r[k] * ((k ? o->base[k] : cti_min(0, o->base[k])) + o->script[k] - row->w[k]));
        work += (double)(row->r[k] * (u[k] - row->w[k] + o->script[k]));
    }
    work = work < bent ? work : bent;
    return work > 0 ? work : 0;
}

/* work of an impulse J on a block, without its sign */
static double cti_energy_through(const cti_state *s, const cti_term *t, cti_v3 J)
{
    cti_v3 v = cti_v3_at(s->end.v, t->block);
    return fabs((double)cti_v3_dot(J, cti_v3_mad(cti_v3_cross(v, cti_v3_at(t->arm, 0)), v, t->weight)));
}

/* subtracts that from the works of the rigid bodies of each row, in parts as it works on them: what rests bends nothing. Sums what each row works,
   and marks bodies under contacts; joints have a balance of their own */
static void cti_energy_bend(cti_state *s)
{
    int i, k;
    memset(s->energy.gains, 0, (size_t)(s->bodies.n_models + CTI_LEN(s->bodies.rigids)));
    memset(s->energy.through, 0, sizeof *s->energy.through * (size_t)(s->bodies.n_models + CTI_LEN(s->bodies.rigids)));
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        cti_v3 J = cti_m3_mul_tv(row->frame, cti_v3_at(row->r, 0));
        double bent = cti_energy_bent(s, i), sum = 0;
        for (k = 0; k < row->n; k++)
            sum += s->bodies.rigid_of[row->term[k].block] >= 0 ? cti_energy_through(s, &row->term[k], J) : 0;
        for (k = 0; k < row->n; k++) {
            double through = cti_energy_through(s, &row->term[k], J);
            int m = cti_energy_body(s, row->term[k].block);
            if (m < s->bodies.n_models)
                continue;
            s->energy.works[m] -= sum > 0 ? bent * through / sum : 0;
            s->energy.through[m] += through;
            if (row->r[0] > 0 || s->contact.origins[i].joint)
                s->energy.gains[m] |= (uint8_t)(cti_linkage_impulse_factor(s, i) == 2 ? CTI_ENERGY_JOINED : CTI_ENERGY_TOUCHED);
        }
    }
}

/* mean velocities of components, relative to which gains and their bounds are: a common velocity adds to energies and work, and to no gain */
static void cti_energy_means(cti_state *s)
{
    int c, i, k;
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        double mass = 0, *mean = s->energy.means[c].mean;
        memset(&s->energy.means[c], 0, sizeof s->energy.means[c]);
        for (i = s->factors.components[c].begin; i < s->factors.components[c].end; i++) {
            int b = s->factors.blocks[i];
            mass += (double)s->bodies.mass[b];
            for (k = 0; k < 3; k++)
                mean[k] += (double)(s->bodies.mass[b] * s->end.v[3 * b + k]);
        }
        for (k = 0; k < 3 && mass > 0; k++)
            mean[k] /= mass;
    }
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        ct_real u[3];
        if (!row->equations && !(row->r[0] > 0))
            continue;
        cti_row_velocity(row, s->v, u);
        for (k = 0; k < row->n; k++) {
            cti_energy_mean *q = &s->energy.means[s->factors.component_of[row->term[k].block]];
            double met = (double)cti_v3_norm2(cti_v3_add(cti_v3_at(u, 0), cti_v3_at(s->contact.origins[i].script, 0)));
            q->met = met > q->met ? met : q->met;
        }
    }
}

/* p . (v - the mean velocity of the block's component), in double: in float a common velocity would hide the difference */
static double cti_energy_apart(const cti_state *s, int block, cti_v3 p, cti_v3 v)
{
    const double *mean = s->energy.means[s->factors.component_of[block]].mean;
    return (double)p.x * ((double)v.x - mean[0]) + (double)p.y * ((double)v.y - mean[1]) + (double)p.z * ((double)v.z - mean[2]);
}

/* adds the work of an impulse J on a block, and that relative to the mean velocity of its component */
static void cti_energy_work(cti_state *s, int block, cti_v3 J)
{
    int b = cti_energy_body(s, block);
    if (b < 0) /* a node of no element may be pinned */
        return;
    s->energy.works[b] += (double)cti_v3_dot(J, cti_v3_at(s->end.v, block));
    if (b >= s->bodies.n_models)
        return;
    s->energy.inner[b] += cti_energy_apart(s, block, J, cti_v3_at(s->end.v, block));
    s->energy.push[3 * b] += (double)J.x, s->energy.push[3 * b + 1] += (double)J.y, s->energy.push[3 * b + 2] += (double)J.z;
}

/* Work of rows and pins on each body over the step. What a row gives to a scripted node does not reach the body: the script bears it, and has
   the same work less in its reaction */
static void cti_energy_works(cti_state *s, ct_real dt)
{
    const ct_real *reaction = NULL;
    int i;
    memset(s->energy.works, 0, sizeof *s->energy.works * (size_t)(s->bodies.n_models + CTI_LEN(s->bodies.rigids)));
    for (i = 0; i < s->bodies.n_models; i++)
        s->energy.inner[i] = s->energy.push[3 * i] = s->energy.push[3 * i + 1] = s->energy.push[3 * i + 2] = 0;
    cti_energy_means(s);
    for (i = 0; i < s->n; i++)
        cti_energy_work(s, i, cti_v3_add(cti_v3_at(s->end.impulse, i), cti_wind_impulse(s, i)));
    if (CTI_LEN(s->scripts.reactions.blocks))
        reaction = cti_impulses_reactions(s, dt);
    for (i = 0; i < CTI_LEN(s->scripts.reactions.blocks); i++) {
        int block = s->scripts.reactions.blocks[i];
        cti_energy_work(s, block, cti_v3_add(cti_v3_at(reaction, block), cti_impulses_borne(s, block)));
    }
    cti_energy_bend(s);
}

/* Gain of a rigid body, and the gain allowed, as below. The bound counts the works of rows without signs: under a heavy body large works
   enter and leave a light one, and their sum is small */
static double cti_energy_gain_rigid(const cti_state *s, int i, ct_real dt, double *out_bound)
{
    cti_rigid r = s->bodies.rigids[i];
    const ct_real *v = s->history.v_end;
    cti_v3 g = cti_v3_at(s->desc.gravity, 0);
    double work = s->energy.works[s->bodies.n_models + i];
    double fall = (double)(r.mass * cti_motion_kick(s, r.block, dt) * cti_v3_dot(g, cti_v3_at(s->end.v, r.block)));
    double before = (double)(r.mass / 2 * cti_v3_norm2(cti_v3_at(s->v, r.block))) + cti_rigid_energy(&r), after;
    cti_v3_put(r.spin, 0, cti_m3_mul_v(r.I_mid, cti_v3_at(v, r.block + 1)));
    memcpy(r.q, r.q_new, sizeof r.q);
    after = (double)(r.mass / 2 * cti_v3_norm2(cti_v3_at(v, r.block))) + cti_rigid_energy(&r);
    *out_bound = cti_policy_rigid_gain(before + fabs(fall) + s->energy.through[s->bodies.n_models + i] +
                                       (double)(r.mass * dt * dt * cti_v3_norm2(g)));
    return after - before - fall - work;
}

/* kinetic energy of a block relative to its component's mean velocity, at velocity v */
static double cti_energy_inner(const cti_state *s, int i, cti_v3 v)
{
    const double *mean = s->energy.means[s->factors.component_of[i]].mean;
    double x = (double)v.x - mean[0], y = (double)v.y - mean[1], z = (double)v.z - mean[2];
    return (double)s->bodies.mass[i] / 2 * (x * x + y * y + z * z);
}

/* Energy of the momentum that body m, which no script holds, gains without impulses of rows or gravity: relinearized forces that do not converge may
   throw a body. It is that of a body that was at rest, so that it is the same at every common velocity. 0 where the momentum brakes the body */
static double cti_energy_thrown(const cti_state *s, int m, ct_real dt)
{
    const double *push = s->energy.push + 3 * m, *mean;
    double p[3], mass = 0, along = 0;
    int i, k;
    for (k = 0; k < 3; k++)
        p[k] = -push[k];
    for (i = s->history.block[m]; i <= s->history.last[m]; i++) {
        double weight = (double)s->bodies.mass[i];
        mean = s->energy.means[s->factors.component_of[i]].mean;
        mass += weight;
        for (k = 0; k < 3; k++) {
            double more = weight * ((double)s->history.v_end[3 * i + k] - (double)s->v[3 * i + k] -
                                    (double)(s->desc.gravity[k] * (cti_motion_kick(s, i, dt) + cti_integrate_leave(s, i, dt))));
            p[k] += more, along += more * mean[k];
        }
    }
    along -= s->energy.works[m] - s->energy.inner[m];
    return mass > 0 && along > 0 ? (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2 * mass) : 0;
}

/* Gain of a body in the tentative step, and the gain allowed, with the velocities and the gravity of its integration rule, whatever times
   they belong to; all relative to the mean velocities of its components. Allowed is a share of the current energies and work, of the energy of
   the velocity at which it meets other surfaces, and of what gravity gives in a step (the scale of a solve's tolerance), and the rounding error
   of its energies */
static double cti_energy_gain(cti_state *s, int m, ct_real dt, double *out_bound)
{
    const cti_energy *e0 = &s->energy.now[m], *e1 = &s->energy.end[m];
    const cti_history *q = &s->history;
    cti_v3 gravity = cti_v3_at(s->desc.gravity, 0);
    int plain = q->last[m] >= 0 && cti_integrate_is_plain(s, q->block[m]), i;
    double before = 0, after = 0, fall = 0, g = (double)(dt * cti_v3_norm(gravity)), mass = 0;
    double elastic = e0->elastic, kept = 0, met = 0, common = 0, gain;
    int alone = s->energy.works[m] == 0, pinned = 0;
    for (i = q->block[m]; i <= q->last[m]; i++) {
        ct_real kick = plain ? cti_motion_kick(s, i, dt) : dt;
        cti_v3 left = cti_v3_mad(cti_v3_at(q->v_end, i), gravity, -cti_integrate_leave(s, i, dt));
        mass += (double)s->bodies.mass[i];
        pinned |= s->scripts.n_constrained && s->scripts.filter[i] >= 0;
        kept += (double)(s->bodies.mass[i] / 2 * cti_v3_norm2(cti_v3_mul(gravity, s->end.fall[i] * kick)));
        before += cti_energy_inner(s, i, cti_v3_at(s->v, i));
        after += cti_energy_inner(s, i, left);
        fall += cti_energy_apart(s, i, cti_v3_mul(gravity, s->bodies.mass[i] * kick), cti_v3_at(s->end.v, i));
        /* the work of all other impulses at the mean velocity */
        left = cti_v3_sub(left, cti_v3_mad(cti_v3_at(s->v, i), gravity, kick));
        common -= cti_energy_apart(s, i, cti_v3_mul(left, s->bodies.mass[i]), cti_v3_zero());
        met += (double)s->bodies.mass[i] / 2 * s->energy.means[s->factors.component_of[i]].met;
    }
    *out_bound = cti_policy_body_gain(plain, before + met + fabs(elastic) + fabs(fall) + fabs(s->energy.inner[m]) + mass * g * g,
                                      s->energy.moduli[m] + fabs(e1->gravity) + e0->kinetic + e1->kinetic);
    gain = after - before + e1->elastic - elastic - fall - s->energy.inner[m];
    if (!alone || pinned) /* a pin at rest does no work */
        return plain && !pinned ? gain + cti_energy_thrown(s, m, dt) : gain;
    /* In free fall Euler's rule loses nothing: all energies belong to one time. The apparent loss of velocities at the middle of steps,
       |kick|^2 / 2, is no allowance for an error of the linearization. Where nothing touches a body, its mean velocity gains nothing, too */
    return (common > 0 ? gain + common : gain) + (plain ? kept : 0);
}

/* Bound on the gain of implicit Euler itself in a body that rotates under impulses, since elastic energy is not convex under rotation. A
   rotation by t of forces f changes sum f (x - c) by its t^2 / 2; the impulses stand for the elastic forces that balance them. */
static double cti_energy_turning(const cti_state *s, int m, ct_real dt)
{
    const cti_component *p = &s->factors.components[s->factors.component_of[s->history.block[m]]];
    cti_motion motion;
    ct_real inverse[9], t;
    double pressed = 0;
    int i;
    cti_motion_measure(s, p, s->end.x, s->end.v, &motion);
    if (!(motion.mass > 0) || !cti_m3_inverse(motion.inertia, inverse))
        return 0;
    t = dt * cti_v3_norm(cti_m3_mul_v(inverse, motion.spin));
    for (i = s->history.block[m]; i <= s->history.last[m]; i++)
        pressed += (double)cti_v3_dot(cti_v3_sub(cti_v3_at(s->end.x, i), motion.center), cti_v3_at(s->end.impulse, i));
    return (double)(t < 1 ? t * t / 2 : CTI_R(0.5)) * fabs(pressed) / (double)dt;
}

CTI_FN int cti_energy_mark(cti_state *s, ct_real dt)
{
    int m, n = 0;
    cti_energy_end(s, dt);
    cti_energy_works(s, dt);
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++) {
        double bound, gain;
        if (cti_energy_is_inactive(s, m)) {
            cti_energy_rest(s, m);
            continue;
        }
        if (m < s->bodies.n_models) {
            gain = cti_energy_gain(s, m, dt, &bound);
            s->energy.gains[m] = !(gain <= bound) && !(gain <= bound + cti_energy_turning(s, m, dt));
        } else {
            gain = cti_energy_gain_rigid(s, m - s->bodies.n_models, dt, &bound);
            s->energy.gains[m] = s->energy.gains[m] == CTI_ENERGY_TOUCHED && !(gain <= bound);
        }
        n += s->energy.gains[m];
    }
    return n;
}

CTI_FN int cti_energy_try(cti_state *s, ct_real dt)
{
    int n, c;
    cti_energy_state(s);
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        s->factors.components[c].substep.unbalanced = 0;
    n = cti_energy_mark(s, dt);
    if (n == 0 || cti_state_is_paper(s)) /* the paper does not react to a gain */
        return 0;
    /* a group may get back more angular momentum than one of its bodies can take */
    for (c = 0; c < CTI_LEN(s->factors.components); c++) {
        int body = cti_energy_body(s, s->factors.blocks[s->factors.components[c].begin]);
        s->factors.components[c].substep.unbalanced = body >= 0 && s->energy.gains[body];
    }
    return cti_energy_mark(s, dt);
}

CTI_FN int cti_energy_stands(const cti_state *s)
{
    int m, n = 0;
    for (m = 0; cti_state_is_paper(s) && m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++)
        n += s->energy.gains[m] != 0;
    return n;
}

/* index of a body's first block; -1: it has none, or is inactive */
static int cti_energy_block(const cti_state *s, int m)
{
    if (cti_energy_is_inactive(s, m) || (m < s->bodies.n_models && s->history.last[m] < 0))
        return -1;
    return m < s->bodies.n_models ? s->history.block[m] : s->bodies.rigids[m - s->bodies.n_models].block;
}

static int cti_energy_is_in(const cti_state *s, int m, int32_t root)
{
    int block = cti_energy_block(s, m);
    return block >= 0 && cti_sets_root(s->parts.zoned, s->factors.component_of[block]) == root;
}

/* makes s->parts.zoned: sets of components that bodies, rows and zones connect */
static void cti_energy_connect(cti_state *s)
{
    const int32_t *of = s->factors.component_of;
    int i, k;
    for (i = 0; i < CTI_LEN(s->factors.components); i++) {
        int block = s->factors.blocks[s->factors.components[i].begin], m = s->history.model_of[block];
        cti_sets_join(s->parts.zoned, i, of[m >= 0 ? s->history.block[m] : block]);
    }
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        for (k = 1; k < s->contact.rows[i].n; k++)
            cti_sets_join(s->parts.zoned, of[s->contact.rows[i].term[k].block], of[s->contact.rows[i].term[0].block]);
}

/* 1 if all bodies of a set together gain no more than allowed: zones may transfer energy from one to another */
static int cti_energy_agrees(cti_state *s, ct_real dt, int32_t root)
{
    double gain = 0, may = 0, bound;
    int m;
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++)
        if (cti_energy_is_in(s, m, root)) {
            gain += m < s->bodies.n_models ? cti_energy_gain(s, m, dt, &bound) : cti_energy_gain_rigid(s, m - s->bodies.n_models, dt, &bound);
            may += bound;
        }
    return gain <= may;
}

/* removes `gain` from a component's kinetic energy at the end: first from the part that is not rigid motion, then from all. Returns the
   energy removed [J] */
static double cti_energy_slow(cti_state *s, const cti_component *p, double gain, ct_real *out_lost)
{
    ct_real *v = s->history.v_end, about, all;
    const int32_t *blocks = s->factors.blocks;
    cti_motion m;
    cti_v3 w;
    double rigid, free;
    int i;
    cti_motion_measure(s, p, s->end.x, v, &m);
    if (!(m.mass > 0))
        return 0;
    if (!cti_motion_rate(&m, &w))
        w = cti_v3_zero();
    rigid = (double)(m.mass / 2 * cti_v3_norm2(m.speed) + cti_v3_dot(w, m.spin) / 2);
    free = m.about - (double)cti_v3_dot(w, m.spin) / 2;
    free = free > 0 ? free : 0;
    about = (ct_real)(gain < free ? sqrt(1 - gain / free) : 0);
    all = (ct_real)(gain <= free ? 1 : (gain - free < rigid ? sqrt(1 - (gain - free) / rigid) : 0));
    for (i = p->begin; i < p->end; i++) {
        int b = blocks[i];
        cti_v3 u = cti_v3_add(m.speed, cti_v3_cross(w, cti_v3_sub(cti_v3_at(s->end.x, b), m.center)));
        cti_v3 change = cti_v3_sub(cti_v3_mul(cti_v3_mad(u, cti_v3_sub(cti_v3_at(v, b), u), about), all), cti_v3_at(v, b));
        cti_v3_addto(v, b, cti_state_free(s, b, change));
        cti_integrate_reset_block(s, b);
    }
    *out_lost += (1 - all) * m.mass * cti_v3_norm(m.speed);
    return gain < free + rigid ? gain : free + rigid;
}

CTI_FN int cti_energy_is_touched(const cti_state *s, int m)
{
    int i;
    for (i = 3 * s->history.block[m]; i < 3 * s->history.last[m] + 3; i++)
        if (s->end.v[i] != s->system.v_free[i])
            return 1;
    return 0;
}

/* removes `gain` from the motion of body m at the end. Returns the energy removed [J] */
static double cti_energy_take(cti_state *s, int m, double gain, ct_real dt, ct_real *out_lost)
{
    double taken = 0;
    int c, i;
    for (c = 0; c < CTI_LEN(s->factors.components); c++)
        if (s->history.model_of[s->factors.blocks[s->factors.components[c].begin]] == m)
            taken += cti_energy_slow(s, &s->factors.components[c], gain - taken, out_lost);
    s->energy.end[m].kinetic = 0;
    for (i = s->history.block[m]; i <= s->history.last[m]; i++)
        cti_energy_speed(s, i, s->history.v_end, cti_energy_late(s, i, dt), s->energy.end);
    return taken;
}

/* removes the gain of body m from its motion at the end; of a rigid body from its spin, along which its rows are not linear. Returns the
   remainder, and the energy that holding the body would save [J] */
static double cti_energy_relieve(cti_state *s, int m, ct_real dt, ct_real *out_lost)
{
    double bound, gain, spin;
    cti_rigid r;
    ct_real *w;
    if (m < s->bodies.n_models) {
        gain = cti_energy_gain(s, m, dt, &bound);
        return gain - cti_energy_take(s, m, gain, dt, out_lost);
    }
    gain = cti_energy_gain_rigid(s, m - s->bodies.n_models, dt, &bound);
    r = s->bodies.rigids[m - s->bodies.n_models], w = s->history.v_end + 3 * (r.block + 1);
    cti_v3_put(r.spin, 0, cti_m3_mul_v(r.I_mid, cti_v3_at(w, 0)));
    memcpy(r.q, r.q_new, sizeof r.q);
    spin = cti_rigid_energy(&r);
    cti_v3_put(w, 0, cti_v3_mul(cti_v3_at(w, 0), gain < spin ? (ct_real)sqrt(1 - gain / spin) : 0));
    s->energy.end[m].kinetic -= gain < spin ? gain : spin;
    return 0;
}

/* the same for one set: the gain of its bodies is removed from these, and the remainder from others of the set. Returns how many gain more;
   0: none, and no mark is left */
static int cti_energy_calm_set(cti_state *s, ct_real dt, int32_t root, ct_real *out_lost)
{
    double rest = 0, most = 0;
    int m, n = 0, calm, agrees = cti_energy_agrees(s, dt, root);
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids) && !agrees; m++) {
        if (!cti_energy_is_in(s, m, root))
            continue;
        if (s->energy.gains[m])
            rest += cti_energy_relieve(s, m, dt, out_lost), n++;
        else if (m < s->bodies.n_models && cti_energy_is_touched(s, m))
            most += s->energy.end[m].kinetic;
    }
    calm = !(rest > 0) || rest < most;
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++) {
        if (!cti_energy_is_in(s, m, root))
            continue;
        if (rest > 0 && calm && m < s->bodies.n_models && !s->energy.gains[m] && cti_energy_is_touched(s, m))
            cti_energy_take(s, m, rest * s->energy.end[m].kinetic / most, dt, out_lost);
        s->energy.gains[m] = s->energy.gains[m] && !calm ? CTI_ENERGY_LEFT : 0;
    }
    return calm ? 0 : n;
}

CTI_FN int cti_energy_calm(cti_state *s, ct_real dt, ct_real *out_lost)
{
    int m, n = 0;
    cti_energy_connect(s);
    for (m = 0; m < s->bodies.n_models + CTI_LEN(s->bodies.rigids); m++) {
        int block = cti_energy_block(s, m);
        int32_t root = block >= 0 ? cti_sets_root(s->parts.zoned, s->factors.component_of[block]) : -1;
        if (root >= 0 && s->energy.gains[m] == 1) /* of a set that was not processed yet */
            n += cti_energy_calm_set(s, dt, root, out_lost);
    }
    return n;
}

/* work of one row on what no script holds; of joints, unless what they do is an error of linearization: they are rigid */
static double cti_energy_row(const cti_state *s, int i, double *joints)
{
    const cti_row *row = &s->contact.rows[i];
    const cti_joint *joint = cti_joints_of(s, i);
    ct_real u[3], share = cti_linkage_impulse_factor(s, i);
    double work = -cti_energy_bent(s, i);
    int k;
    cti_row_velocity(row, s->end.v, u);
    for (k = 0; k < 3; k++)
        work += (double)(share * row->r[k] * (u[k] - row->w[k]));
    if (joint && !(cti_linkage_is_rigid(joint, cti_joints_part(s, i)) && !cti_joints_is_scripted(joint) && !cti_linkage_recovers(s, joint)))
        *joints += work;
    return work;
}

CTI_FN double cti_energy_damping(cti_state *s, const ct_real *u, ct_real span, ct_real dt)
{
    ct_real *D = s->system.work, *w = D + 3 * (size_t)s->n;
    double lost = 0;
    int i;
    memset(D, 0, sizeof(ct_real) * 3 * (size_t)s->n);
    for (i = 0; i < 3 * s->n; i++)
        w[i] = u[i] - (s->system.q[i] - s->x[i]) / span;
    for (i = 0; i < s->bodies.n_models; i++)
        cti_model_damping(s->bodies.models[i], s->system.q, w, D);
    for (i = 0; i < 3 * s->n; i++)
        lost += (double)(D[i] * w[i]) + (double)(s->bodies.alpha[i / 3] * s->bodies.mass[i / 3] * u[i]) * (double)u[i];
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        cti_v3 turn = cti_v3_at(u, r->block + 1);
        lost += (double)(s->bodies.alpha[r->block + 1] * cti_v3_dot(turn, cti_m3_mul_v(r->I_mid, turn)));
    }
    return lost * (double)dt;
}

CTI_FN void cti_energy_account(cti_state *s, ct_real dt, ct_step_report *r)
{
    double pins = 0, joints = 0, wind = cti_wind_work(s);
    int i;
    for (i = 0; i < s->bodies.n_models + CTI_LEN(s->bodies.rigids); i++)
        pins += s->energy.works[i];
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        pins -= s->contact.origins[i].tether ? 0 : cti_energy_row(s, i, &joints); /* the rest of all work is that of pins and tethers */
    r->work_forces += wind;
    r->work_pins += pins - wind, r->work_joints += joints + cti_linkage_work(s);
    r->loss_damping += cti_energy_damping(s, s->end.v, dt, dt);
}

CTI_FN void cti_energy_commit(cti_state *s)
{
    cti_energy *e = s->energy.now;
    s->energy.now = s->energy.end, s->energy.end = e;
    s->energy.known = 1;
}
