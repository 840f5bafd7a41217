/* linkage_velocities.c -- computes the velocities of linkages at the end of a step.
   Method: see linkage.c. The work of an impulse r of a contact is r . (u0 + u1) / 2, u0 and u1 the velocities of its row before and after it. */
#include "linkage.h"
#include "motion.h"
#include "policy.h"
#include "../3_solve/solve_policy.h"

/* energy [J] of gravity at x, relative to that at the start of the step */
static double cti_linkage_potential(const cti_state *s, const cti_linkage *g, const ct_real *x)
{
    double sum = 0;
    int i, k;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[g->rigids[i]];
        for (k = 0; k < 3; k++)
            sum -= (double)(r->mass * s->desc.gravity[k]) * ((double)x[3 * r->block + k] - (double)s->x[3 * r->block + k]);
    }
    return sum;
}

/* velocity of a block of a linkage at the start (end 0) or the end */
static void cti_linkage_velocity(const cti_state *s, cti_linkage *g, int block, int end, double *out)
{
    cti_mechanism_body *b = &g->m.bodies[s->linkages.place[s->bodies.rigid_of[block]]];
    cti_mechanism_rate(b, end, out);
    if (!cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, block))
        memcpy(out, end ? b->v1 : b->v, sizeof b->v);
}

/* mean of the velocities at both ends of a block of a linkage, the angular one of both orientations */
static cti_v3 cti_linkage_mean_velocity(const cti_state *s, cti_linkage *g, int block)
{
    double a[3], b[3];
    cti_linkage_velocity(s, g, block, 0, a);
    cti_linkage_velocity(s, g, block, 1, b);
    return cti_v3_make((ct_real)((a[0] + b[0]) / 2), (ct_real)((a[1] + b[1]) / 2), (ct_real)((a[2] + b[2]) / 2));
}

/* work of a row on linkage g: r . (u0 + u1) / 2, u0 and u1 the velocities of its row before and after the step. *out 1: no other body has a part
   in it */
static double cti_linkage_row_work(const cti_state *s, cti_linkage *g, int i, int *out)
{
    const cti_row *row = &s->contact.rows[i];
    cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_at(row->r, 0));
    double work = 0;
    int k;
    for (*out = 1, k = 0; k < row->n; k++) {
        if (cti_linkage_of_block(s, row->term[k].block) == g) {
            cti_v3 v = cti_linkage_mean_velocity(s, g, row->term[k].block);
            work += (double)cti_v3_dot(F, cti_v3_mad(cti_v3_cross(v, cti_v3_at(row->term[k].arm, 0)), v, row->term[k].weight));
        } else
            *out = 0;
    }
    return work;
}

/* Work of what loads a linkage: rows that are not its own, and scripts at its joints. Contacts that no other body has a part in give no more than
   their scripts do */
static double cti_linkage_load_work(const cti_state *s, cti_linkage *g, ct_real dt)
{
    double sum = cti_mechanism_work(&g->m, (double)dt), kept = 0, most = 0, work;
    int i, k, own;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        for (k = 0; k < row->n && cti_linkage_of_block(s, row->term[k].block) != g; k++)
            ;
        if (k == row->n || cti_linkage_impulse_factor(s, s->contact.origins[i].joint - 1) > 1)
            continue;
        work = cti_linkage_row_work(s, g, i, &own);
        sum += own ? 0 : work, kept += own ? work : 0;
        most -= own ? (double)cti_v3_dot(cti_v3_at(row->r, 0), cti_v3_at(s->contact.origins[i].script, 0)) : 0;
    }
    return sum + cti_fmin(kept, cti_fmax(0, most));
}

/* cti_linkage_loads -- the rows that load a linkage: contacts, and joints that are not its own. */
typedef struct cti_linkage_loads {
    const cti_row **rows;
    uint8_t *axes;   /* [n] mask of a row's directions that count: of a contact that slips the normal alone */
    double *e, *d;   /* [3 n] residual [m/s] and search direction [N s] of conjugate residuals */
    double *z, *Sd;  /* [3 n] velocities [m/s] that impulses e and d give to the rows */
    double *v;       /* [6 bodies] velocities found [m/s, rad/s] */
    int n;
} cti_linkage_loads;

/* finds them; 0: there are none, or memory ran out */

static int cti_linkage_find_loads(cti_state *s, const cti_linkage *g, cti_linkage_loads *q)
{
    int i, k, n = CTI_LEN(s->contact.rows);
    q->rows = CTI_ARENA_NEW(s->arena, const cti_row *, n + 1), q->axes = CTI_ARENA_NEW(s->arena, uint8_t, n + 1);
    q->e = CTI_ARENA_NEW(s->arena, double, 12 * n + 1), q->v = CTI_ARENA_NEW(s->arena, double, 6 * CTI_LEN(g->rigids));
    q->d = q->e + 3 * (size_t)n, q->z = q->d + 3 * (size_t)n, q->Sd = q->z + 3 * (size_t)n, q->n = 0;
    if (!q->rows || !q->axes || !q->e || !q->v)
        return 0;
    for (i = 0; i < n; i++) {
        const cti_row *row = &s->contact.rows[i];
        int slips = row->r[1] * row->r[1] + row->r[2] * row->r[2] >= cti_solve_tuned.law.slides * row->mu * row->mu * row->r[0] * row->r[0];
        for (k = 0; k < row->n && cti_linkage_of_block(s, row->term[k].block) != g; k++)
            ;
        if (k == row->n || cti_linkage_impulse_factor(s, s->contact.origins[i].joint - 1) > 1 || (!row->equations && !(row->r[0] > 0)))
            continue;
        q->axes[q->n] = (uint8_t)(row->equations ? row->equations : (slips ? 1 : 7));
        q->rows[q->n++] = row;
    }
    return q->n > 0;
}

/* out [3 n] = velocities of the rows, of their blocks in the linkage alone, at its mean velocities (mean 1) or at v1 and spin1 */
static void cti_linkage_row_velocities(const cti_state *s, cti_linkage *g, const cti_linkage_loads *q, int mean, double *out)
{
    int i, k, e;
    for (i = 0; i < q->n; i++) {
        cti_v3 sum = cti_v3_zero();
        ct_real u[3];
        for (k = 0; k < q->rows[i]->n; k++) {
            const cti_term *t = &q->rows[i]->term[k];
            double w[3];
            cti_v3 v = cti_v3_at(s->end.v, t->block);
            if (cti_linkage_of_block(s, t->block) != g)
                continue;
            cti_linkage_velocity(s, g, t->block, 1, w);
            v = mean ? v : cti_v3_make((ct_real)w[0], (ct_real)w[1], (ct_real)w[2]);
            sum = cti_v3_add(sum, cti_v3_mad(cti_v3_cross(v, cti_v3_at(t->arm, 0)), v, t->weight));
        }
        cti_v3_put(u, 0, cti_m3_mul_v(q->rows[i]->frame, sum));
        for (e = 0; e < 3; e++)
            out[3 * i + e] = q->axes[i] >> e & 1 ? (double)u[e] : 0;
    }
}

/* v1 and spin1 = the motion that impulses d [3 n] of the rows give to the linkage */
static void cti_linkage_response(const cti_state *s, cti_linkage *g, const cti_linkage_loads *q, const double *d)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->m.bodies); i++)
        memset(g->m.bodies[i].v1, 0, sizeof g->m.bodies[i].v1), memset(g->m.bodies[i].spin1, 0, sizeof g->m.bodies[i].spin1);
    for (i = 0; i < q->n; i++) {
        cti_v3 F = cti_m3_mul_tv(q->rows[i]->frame, cti_v3_make((ct_real)d[3 * i], (ct_real)d[3 * i + 1], (ct_real)d[3 * i + 2]));
        for (k = 0; k < q->rows[i]->n; k++) {
            const cti_term *t = &q->rows[i]->term[k];
            cti_v3 f = cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), F), F, t->weight);
            int turning = cti_rigid_turning(s->bodies.rigids, s->bodies.rigid_of, t->block) != NULL;
            cti_mechanism_body *b;
            double *to, over;
            if (cti_linkage_of_block(s, t->block) != g)
                continue;
            b = &g->m.bodies[s->linkages.place[s->bodies.rigid_of[t->block]]], to = turning ? b->spin1 : b->v1;
            over = turning ? 1 : b->mass;
            to[0] += (double)f.x / over, to[1] += (double)f.y / over, to[2] += (double)f.z / over;
        }
    }
    cti_mechanism_clean(&g->m, 1, 0);
}

/* adds share of v1 and spin1 to v, or takes v over into them (share 0) */
static void cti_linkage_add_velocities(cti_linkage *g, double share, double *v)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->m.bodies); i++)
        for (k = 0; k < 3; k++) {
            cti_mechanism_body *b = &g->m.bodies[i];
            if (share != 0)
                v[6 * i + k] += share * b->v1[k], v[6 * i + 3 + k] += share * b->spin1[k];
            else
                b->v1[k] = v[6 * i + k], b->spin1[k] = v[6 * i + 3 + k];
        }
}

/* The velocities at the end after the projection by the joints, so that loaded contacts have the velocities there that their laws gave them over
   the step: the second half of the joints' impulses moves nothing that contacts hold. Conjugate residuals, with the joints solved directly: where
   joints and contacts contradict each other they end at the nearest motion, when a step takes nothing from the residual */
static void cti_linkage_keep_contacts(cti_state *s, cti_linkage *g)
{
    cti_linkage_loads q;
    double first, last, now, along, square;
    int i, k, n;
    if (!cti_linkage_find_loads(s, g, &q))
        return;
    n = 3 * q.n;
    cti_linkage_row_velocities(s, g, &q, 1, q.e);
    cti_linkage_row_velocities(s, g, &q, 0, q.d);
    for (i = 0; i < n; i++)
        q.e[i] -= q.d[i];
    memset(q.v, 0, sizeof *q.v * 6 * (size_t)CTI_LEN(g->rigids));
    memset(q.d, 0, sizeof *q.d * (size_t)n), memset(q.Sd, 0, sizeof *q.Sd * (size_t)n);
    cti_linkage_add_velocities(g, 1, q.v);
    first = cti_dot(n, q.e, q.e), last = 0;
    for (k = 0; k < n; k++, last = now) {
        cti_linkage_response(s, g, &q, q.e);
        cti_linkage_row_velocities(s, g, &q, 0, q.z);
        now = cti_dot(n, q.e, q.z);
        for (i = 0; i < n; i++) {
            q.d[i] = q.e[i] + (last > 0 ? now / last * q.d[i] : 0);
            q.Sd[i] = q.z[i] + (last > 0 ? now / last * q.Sd[i] : 0);
        }
        square = cti_dot(n, q.Sd, q.Sd);
        if (!(now > 0) || !(now * now > first * (double)CTI_EPS * square))
            break;
        along = now / square;
        cti_linkage_response(s, g, &q, q.d);
        cti_linkage_add_velocities(g, along, q.v);
        for (i = 0; i < n; i++)
            q.e[i] -= along * q.Sd[i];
    }
    cti_linkage_add_velocities(g, 0, q.v);
}

/* kinetic energy [J] of a fall in the step, or without gravity of velocities that the solver's tolerance leaves */
static double cti_linkage_fall_energy(const cti_state *s, const cti_linkage *g, ct_real dt)
{
    double fall = (double)dt * (double)cti_v3_norm(cti_v3_at(s->desc.gravity, 0)), sum = 0;
    int i;
    fall = fall > 0 ? fall : (double)(s->desc.solver.tolerance * cti_assemble_scale(s, dt, 0));
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        sum += g->m.bodies[i].mass * fall * fall / 2;
    return sum;
}

/* the end velocities become a share of those at hand, and the rest of `from` [6 bodies] */
static void cti_linkage_mix(cti_linkage *g, const double *from, double share)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->m.bodies); i++)
        for (k = 0; k < 3; k++) {
            cti_mechanism_body *b = &g->m.bodies[i];
            b->v1[k] = from[6 * i + k] + share * (b->v1[k] - from[6 * i + k]);
            b->spin1[k] = from[6 * i + 3 + k] + share * (b->spin1[k] - from[6 * i + 3 + k]);
        }
}

/* goes to what contacts require (cti_linkage_keep_contacts), but no farther than to a kinetic energy of `most` */
static void cti_linkage_keep_contacts_within(cti_state *s, cti_linkage *g, ct_real dt, double most)
{
    int n = CTI_LEN(g->m.bodies);
    double *from = CTI_ARENA_ZERO(s->arena, double, 6 * n), start = cti_mechanism_kinetic(&g->m, 1), half, end, bend, slope, share;
    if (!from)
        return;
    cti_linkage_add_velocities(g, 1, from);
    cti_linkage_keep_contacts(s, g);
    end = cti_mechanism_kinetic(&g->m, 1);
    most += cti_linkage_load_work(s, g, dt);
    if (end <= cti_fmax(most, start))
        return;
    cti_linkage_mix(g, from, 0.5);
    half = cti_mechanism_kinetic(&g->m, 1);
    cti_linkage_mix(g, from, 2);
    /* kinetic energy at a share x: start + slope x + bend x^2, which is more than start at x = 1 */
    bend = 2 * (start + end - 2 * half), slope = end - start - bend, most -= start;
    half = sqrt(cti_fmax(0, slope * slope + 4 * bend * most));
    share = slope > 0 ? 2 * most / (slope + half) : (half - slope) / (2 * bend);
    /* above `most` from the start: what the joints allow is calmer; what follows contacts there keeps a table swaying in float (test_mechanisms) */
    share = most > 0 ? share : 0;
    cti_linkage_mix(g, from, share);
}

/* Computes the end velocities of a linkage that is loaded, from all impulses on it, so that they keep momentum; or of one that the fail-safe has
   moved. Its energy then becomes that before the step and the work on it: the projection takes what the step does not resolve, and gravity at the
   start of the step leaves an error of m (|g| dt)^2 at most. More is not added. 0: the energy is still above that at the start and what loads
   give, since the excess is in the common motion. Work that contacts take is not subtracted there: they also take what gravity would have added */
static int cti_linkage_end_loaded(cti_state *s, cti_linkage *g, ct_real dt, const ct_real *v)
{
    double before = cti_mechanism_kinetic(&g->m, 0) - cti_linkage_potential(s, g, s->end.x), lack, most, works, kinetic, least, moment[3];
    int i, e, forced = cti_linkage_mode(s, g) == CTI_LINKAGE_FORCED;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        cti_mechanism_body *b = &g->m.bodies[i];
        int block = s->bodies.rigids[g->rigids[i]].block;
        cti_mechanism_equation(&g->m, i, (double)dt, moment);
        for (e = 0; e < 3; e++) {
            double push = (double)s->end.impulse[3 * block + e], turn = (double)s->end.impulse[3 * block + 3 + e];
            b->v1[e] = forced ? (double)v[3 * block + e] : b->v[e] + 2 * b->kick[e] + push / b->mass - 2 * b->slow * b->u[e];
            b->spin1[e] = forced ? b->spin[e] + moment[e] : (b->spin[e] + turn) / (1 + 2 * b->slow);
        }
    }
    cti_mechanism_project(s->mem, &g->m, 1);
    if (!forced)
        cti_linkage_keep_contacts_within(s, g, dt, before);
    works = cti_linkage_load_work(s, g, dt);
    lack = before + works - cti_mechanism_kinetic(&g->m, 1);
    least = 2 * cti_linkage_fall_energy(s, g, dt), kinetic = cti_mechanism_kinetic(&g->m, 1);
    most = cti_step_tuned.energy.link_most * kinetic + least;
    lack -= cti_mechanism_scale(&g->m, forced ? cti_fmin(lack, 0) : cti_fmin(lack, most));
    return forced || lack - cti_fmin(0, works) > -(cti_step_tuned.energy.link_kept * kinetic + least);
}

/* kinetic energy [J] of the difference between the velocities at the end and those of `from` */
static double cti_linkage_kinetic_difference(cti_linkage *g, const cti_mechanism_body *from)
{
    double sum = 0, v[3], spin[3], w[3];
    int i;
    for (i = 0; i < CTI_LEN(g->m.bodies); i++) {
        cti_mechanism_body *b = &g->m.bodies[i];
        cti_mechanism_rate(b, 1, w);
        memcpy(v, b->v1, sizeof v), memcpy(spin, b->spin1, sizeof spin);
        cti_d3_add(v, from[i].v1, -1), cti_d3_add(spin, from[i].spin1, -1);
        cti_d3_mul(b->inverse, spin, w);
        sum += (b->mass * cti_d3_dot(v, v) + cti_d3_dot(w, spin)) / 2;
    }
    return sum;
}

/* Projects the velocities at the end, which are those of `kept`. *unclosed [J]: what their joints move besides closing errors, which the velocity at
   the end does twice as fast as the mean one. Returns the kinetic energy that the projection takes; -1: out of memory */
static double cti_linkage_project(cti_state *s, cti_linkage *g, ct_real dt, const cti_mechanism_body *kept, double *unclosed)
{
    double kinetic = cti_mechanism_kinetic(&g->m, 1);
    int i, end, n = CTI_LEN(g->m.rows);
    double(*rate)[3] = (double(*)[3])CTI_ARENA_NEW(s->arena, double, 3 * n);
    if (!rate)
        return -1;
    for (i = 0; i < n; i++) {
        cti_mechanism_row *q = &g->m.rows[i];
        memcpy(rate[i], q->rate[1], sizeof rate[i]);
        for (end = 0; end < 2; end++) {
            cti_mechanism_row_at(&g->m, q, 0, end);
            cti_d3_add(q->rate[1], q->error, (end ? 2 : -2) / (double)dt);
        }
    }
    cti_mechanism_project(s->mem, &g->m, 1);
    *unclosed = cti_linkage_kinetic_difference(g, kept);
    for (i = 0; i < n; i++)
        memcpy(g->m.rows[i].rate[1], rate[i], sizeof rate[i]);
    cti_mechanism_clean(&g->m, 1, 1);
    return kinetic - cti_mechanism_kinetic(&g->m, 1);
}

/* Computes the end velocities of a linkage that nothing loads; 0: the step does not resolve its motion. What the solve leaves, and an error of
   joints that is closed, may not add energy */
static int cti_linkage_end_alone(cti_state *s, cti_linkage *g, ct_real dt)
{
    double kinetic, taken, excess, unclosed = 0;
    int i, n = CTI_LEN(g->rigids);
    cti_mechanism_body *kept = CTI_ARENA_NEW(s->arena, cti_mechanism_body, n);
    if (!kept)
        return 1;
    cti_mechanism_finish(&g->m, (double)dt);
    kinetic = cti_mechanism_kinetic(&g->m, 1);
    for (i = 0; i < n; i++)
        kept[i] = g->m.bodies[i];
    excess = kinetic - cti_mechanism_kinetic(&g->m, 0) + cti_linkage_potential(s, g, s->end.x) - cti_mechanism_work(&g->m, (double)dt);
    taken = cti_linkage_project(s, g, dt, kept, &unclosed);
    if (taken > cti_step_tuned.energy.link_kept * kinetic) {
        cti_mechanism_scale(&g->m, taken - cti_fmax(0, excess));
        return unclosed <= cti_step_tuned.energy.link_most * (kinetic + cti_linkage_fall_energy(s, g, dt));
    }
    for (i = 0; i < n; i++)
        g->m.bodies[i] = kept[i];
    if (excess > -cti_step_tuned.energy.link_kept * kinetic) /* the compliance of rigid joints takes less */
        cti_mechanism_scale(&g->m, -excess);
    return 1;
}

CTI_FN int cti_linkage_end_velocities(cti_state *s, ct_real dt, ct_real *v)
{
    int i, k, e, unresolved = 0;
    if (CTI_LEN(s->linkages.list) == 0)
        return 0;
    cti_linkage_follow(s, dt);
    for (i = 0; i < CTI_LEN(s->linkages.list); i++) {
        cti_linkage *g = &s->linkages.list[i];
        int mode = cti_linkage_mode(s, g);
        cti_arena_point mark = cti_arena_mark(s->arena);
        if (!mode)
            continue;
        if (!(mode != CTI_LINKAGE_ALONE ? cti_linkage_end_loaded(s, g, dt, v) : cti_linkage_end_alone(s, g, dt)))
            cti_state_fail(s, s->bodies.rigids[g->rigids[0]].block), unresolved++;
        for (k = 0; k < CTI_LEN(g->rigids); k++) {
            cti_rigid *r = &s->bodies.rigids[g->rigids[k]];
            cti_mechanism_body *b = &g->m.bodies[k];
            ct_real spin[3], inverse[9];
            cti_rigid_inertia(r, r->q_new, r->I_mid);
            for (e = 0; e < 3; e++)
                v[3 * r->block + e] = (ct_real)b->v1[e], spin[e] = (ct_real)b->spin1[e];
            if (cti_m3_inverse(r->I_mid, inverse))
                cti_v3_put(v, r->block + 1, cti_m3_mul_v(inverse, cti_v3_at(spin, 0)));
            s->end.fall[r->block] = s->end.fall[r->block + 1] = 0;
        }
        cti_arena_rewind(s->arena, mark);
    }
    return unresolved;
}

CTI_FN double cti_linkage_work(const cti_state *s)
{
    double sum = 0;
    int i;
    for (i = 0; i < CTI_LEN(s->linkages.list); i++)
        sum -= cti_linkage_mode(s, &s->linkages.list[i]) ? s->linkages.list[i].lost : 0;
    return sum;
}

CTI_FN void cti_linkage_commit(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_rigid *r = &s->bodies.rigids[i];
        r->linked = r->linkage_mode ? 1 : r->linked && cti_state_is_inactive(s, r->block);
        if (r->linkage_mode)
            cti_motion_anew(s, r->block), cti_motion_anew(s, r->block + 1);
    }
}

CTI_FN void cti_linkage_save_velocities(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        memcpy(s->bodies.rigids[i].v_before, s->end.v + 3 * (size_t)s->bodies.rigids[i].block, sizeof s->bodies.rigids[i].v_before);
}

CTI_FN void cti_linkage_mark_forced(cti_state *s, int all)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        for (k = 0; k < 6 && cti_linkage_of(s, i); k++)
            if (s->bodies.rigids[i].linkage_mode && (all || s->bodies.rigids[i].v_before[k] != s->end.v[3 * s->bodies.rigids[i].block + k]))
                cti_linkage_set_mode(s, cti_linkage_of(s, i), CTI_LINKAGE_FORCED);
}
