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

/* cti_linkage_loads -- the rows that load a linkage: contacts that press, and joints that are not its own. */
typedef struct cti_linkage_loads {
    cti_row *rows;      /* copies with w 0. equations: mask of the directions that count; of a contact that slips the normal alone,
                           none where other bodies have a part, which would not have the reaction */
    int32_t *numbers;   /* of the rows in the world */
    ct_real *v, *f;     /* [3 blocks] of the linkage and of the rows: velocities, 0 outside of the linkage; impulses on its blocks */
    double *e, *d;      /* [3 n] residual [m/s] and search direction [N s] of conjugate residuals */
    double *z, *Sd, *p; /* [3 n] velocities [m/s] that impulses e and d give to the rows; the impulses found */
    cti_mechanism_body *from; /* [bodies] before them */
    int n;
} cti_linkage_loads;

/* 1 where other blocks than the linkage's have a part in a row */
static int cti_linkage_is_shared(const cti_state *s, const cti_linkage *g, const cti_row *row)
{
    int k;
    for (k = 0; k < row->n && cti_linkage_of_block(s, row->term[k].block) == g; k++)
        ;
    return k < row->n;
}

/* 1 if a row is one of them */
static int cti_linkage_is_load(const cti_state *s, const cti_linkage *g, int i)
{
    const cti_row *row = &s->contact.rows[i];
    int k;
    for (k = 0; k < row->n && cti_linkage_of_block(s, row->term[k].block) != g; k++)
        ;
    return k < row->n && cti_linkage_impulse_factor(s, i) == 1 && (row->equations || row->r[0] > 0);
}

/* 1 for a motor that slips or has a spring: its velocity is not given */
static int cti_linkage_is_driven(const cti_state *s, int i)
{
    const cti_row *row = &s->contact.rows[i];
    const cti_joint *j = cti_joints_of(s, i);
    int slips = row->most > 0 && !(cti_v3_norm(cti_v3_at(row->r, 0)) < row->most * (1 - 64 * CTI_EPS));
    return j && cti_joints_part(s, i) == CTI_PART_DRIVE && (j->drive.stiffness > 0 || j->drive.damping > 0 || slips);
}

/* finds them; 0: out of memory */
static int cti_linkage_find_loads(cti_state *s, const cti_linkage *g, cti_linkage_loads *q)
{
    int i, k, n = 0;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++)
        n += cti_linkage_is_load(s, g, i);
    q->rows = CTI_ARENA_NEW(s->arena, cti_row, n), q->numbers = CTI_ARENA_NEW(s->arena, int32_t, n);
    q->v = CTI_ARENA_NEW(s->arena, ct_real, 6 * s->n), q->e = CTI_ARENA_ZERO(s->arena, double, 15 * n);
    q->from = CTI_ARENA_NEW(s->arena, cti_mechanism_body, CTI_LEN(g->m.bodies)), q->n = 0;
    if (!q->rows || !q->numbers || !q->v || !q->e || !q->from)
        return 0;
    q->f = q->v + 3 * (size_t)s->n;
    q->d = q->e + 3 * (size_t)n, q->z = q->d + 3 * (size_t)n, q->Sd = q->z + 3 * (size_t)n, q->p = q->Sd + 3 * (size_t)n;
    for (i = 0; q->n < n; i++) {
        cti_row *row = &q->rows[q->n];
        if (!cti_linkage_is_load(s, g, i))
            continue;
        *row = s->contact.rows[i];
        if (cti_linkage_is_driven(s, i) || cti_linkage_is_shared(s, g, row))
            row->equations = 0;
        else if (!row->equations)
            row->equations =
                row->r[1] * row->r[1] + row->r[2] * row->r[2] >= cti_solve_tuned.law.slides * row->mu * row->mu * row->r[0] * row->r[0] ? 1 : 7;
        memset(row->w, 0, sizeof row->w);
        for (k = 0; k < row->n; k++)
            cti_v3_put(q->v, row->term[k].block, cti_v3_zero()), cti_v3_put(q->f, row->term[k].block, cti_v3_zero());
        q->numbers[q->n++] = i;
    }
    return 1;
}

/* out [3 n] = velocities of the rows with the linkage's blocks alone: at the start (when 0) or the end (1), or the mean ones (2) */
static void cti_linkage_row_velocities(const cti_state *s, cti_linkage *g, const cti_linkage_loads *q, int when, double *out)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->rigids); i++) {
        size_t at = 3 * (size_t)s->bodies.rigids[g->rigids[i]].block;
        cti_mechanism_body *b = &g->m.bodies[i];
        double w[3];
        cti_mechanism_rate(b, when, w);
        for (k = 0; k < 3; k++)
            q->v[at + (size_t)k] = (ct_real)(when ? b->v1[k] : b->v[k]), q->v[at + 3 + (size_t)k] = (ct_real)w[k];
        if (when == 2)
            memcpy(q->v + at, s->end.v + at, 6 * sizeof *q->v);
    }
    for (i = 0; i < q->n; i++) {
        ct_real u[3];
        cti_row_velocity(&q->rows[i], q->v, u);
        for (k = 0; k < 3; k++)
            out[3 * i + k] = (double)u[k];
    }
}

/* Work of what loads a linkage: rows that are not its own, r . (u0 + u1) / 2 each, and scripts at its joints, motors. Contacts that no other body
   has a part in give no more than their scripts do. Beside a motor, gravity's work is measured in the same way: by their paths, the larger of the
   two would leave an error of itself, not of their difference */
static double cti_linkage_load_work(const cti_state *s, cti_linkage *g, const cti_linkage_loads *q, ct_real dt)
{
    double sum = cti_mechanism_work(&g->m, (double)dt), kept = 0, most = 0;
    int i, k, driven = 0;
    cti_linkage_row_velocities(s, g, q, 0, q->z);
    cti_linkage_row_velocities(s, g, q, 1, q->Sd);
    for (i = 0; i < q->n; i++) {
        const cti_row *row = &q->rows[i];
        const cti_joint *j = cti_joints_of(s, q->numbers[i]);
        int part = j ? cti_joints_part(s, q->numbers[i]) : CTI_PART_POINT;
        double work = 0;
        for (k = 0; k < 3; k++)
            work += (double)row->r[k] * (q->z[3 * i + k] + q->Sd[3 * i + k]) / 2;
        driven |= part == CTI_PART_DRIVE;
        if (cti_linkage_is_shared(s, g, row) || part > CTI_PART_TURN) /* also a limit that restores a joint */
            sum += work;
        else
            kept += work, most -= (double)cti_v3_dot(cti_v3_at(row->r, 0), cti_v3_at(s->contact.origins[q->numbers[i]].script, 0));
    }
    for (i = 0; driven && i < CTI_LEN(g->m.bodies); i++)
        for (k = 0; k < 3; k++) {
            const cti_mechanism_body *b = &g->m.bodies[i];
            sum += b->mass * (double)(dt * s->desc.gravity[k]) * ((b->v[k] + b->v1[k]) / 2 - b->u[k]);
        }
    return sum + cti_fmin(kept, cti_fmax(0, most));
}

/* v1 and spin1 = the motion that impulses d [3 n] of the rows give to the linkage */
static void cti_linkage_response(const cti_state *s, cti_linkage *g, const cti_linkage_loads *q, const double *d)
{
    cti_problem plain;
    int i, k;
    memset(&plain, 0, sizeof plain);
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        memset(q->f + 3 * (size_t)s->bodies.rigids[g->rigids[i]].block, 0, 6 * sizeof *q->f);
    for (i = 0; i < q->n; i++) {
        ct_real r[3];
        for (k = 0; k < 3; k++)
            r[k] = (ct_real)d[3 * i + k];
        cti_row_scatter(&plain, &q->rows[i], r, q->f);
    }
    for (i = 0; i < CTI_LEN(g->rigids); i++)
        for (k = 0; k < 3; k++) {
            const ct_real *f = q->f + 3 * (size_t)s->bodies.rigids[g->rigids[i]].block;
            g->m.bodies[i].v1[k] = (double)f[k] / g->m.bodies[i].mass, g->m.bodies[i].spin1[k] = (double)f[3 + k];
        }
    cti_mechanism_clean(&g->m, 1, 0);
}

/* x <- 0 in directions that do not count */
static void cti_linkage_mask(const cti_linkage_loads *q, double *x)
{
    int i;
    for (i = 0; i < 3 * q->n; i++)
        x[i] = q->rows[i / 3].equations >> i % 3 & 1 ? x[i] : 0;
}

/* v1 and spin1 = what must be added to the velocities at the end, which the joints allow, so that loaded contacts have the velocities there that
   their laws gave them over the step: the second half of the joints' impulses moves nothing that contacts hold. Conjugate residuals, with the
   joints solved directly: where joints and contacts contradict each other they end at the nearest motion, when a step takes nothing from the
   residual */
static void cti_linkage_keep_contacts(cti_state *s, cti_linkage *g, const cti_linkage_loads *q)
{
    double first, last = 0, now, along, square;
    int i, k, n = 3 * q->n;
    cti_linkage_row_velocities(s, g, q, 2, q->e);
    cti_linkage_row_velocities(s, g, q, 1, q->z);
    for (i = 0; i < n; i++)
        q->e[i] -= q->z[i];
    cti_linkage_mask(q, q->e);
    first = cti_dot(n, q->e, q->e);
    memset(q->Sd, 0, sizeof *q->Sd * (size_t)n);
    for (k = 0; k < n; k++, last = now) {
        cti_linkage_response(s, g, q, q->e);
        cti_linkage_row_velocities(s, g, q, 1, q->z);
        cti_linkage_mask(q, q->z);
        now = cti_dot(n, q->e, q->z);
        for (i = 0; i < n; i++) {
            q->d[i] = q->e[i] + (last > 0 ? now / last * q->d[i] : 0);
            q->Sd[i] = q->z[i] + (last > 0 ? now / last * q->Sd[i] : 0);
        }
        square = cti_dot(n, q->Sd, q->Sd);
        if (!(now > 0) || !(now * now > first * (double)CTI_EPS * square))
            break;
        along = now / square;
        for (i = 0; i < n; i++)
            q->p[i] += along * q->d[i], q->e[i] -= along * q->Sd[i];
    }
    cti_linkage_response(s, g, q, q->p);
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

/* the end velocities become `past` of those of `from` [bodies] and a share of those at hand */
static void cti_linkage_mix(cti_linkage *g, const cti_mechanism_body *from, double past, double share)
{
    int i, k;
    for (i = 0; i < CTI_LEN(g->m.bodies); i++)
        for (k = 0; k < 3; k++) {
            cti_mechanism_body *b = &g->m.bodies[i];
            b->v1[k] = past * from[i].v1[k] + share * b->v1[k], b->spin1[k] = past * from[i].spin1[k] + share * b->spin1[k];
        }
}

/* goes to what contacts require (cti_linkage_keep_contacts), but no farther than to a kinetic energy of `most` and the work of loads */
static void cti_linkage_keep_contacts_within(cti_state *s, cti_linkage *g, const cti_linkage_loads *q, ct_real dt, double most)
{
    double start = cti_mechanism_kinetic(&g->m, 1), end, bend, slope, root, share;
    memcpy(q->from, g->m.bodies, sizeof *q->from * (size_t)CTI_LEN(g->m.bodies));
    cti_linkage_keep_contacts(s, g, q);
    bend = cti_mechanism_kinetic(&g->m, 1);
    cti_linkage_mix(g, q->from, 1, 1);
    end = cti_mechanism_kinetic(&g->m, 1);
    most += cti_linkage_load_work(s, g, q, dt);
    if (end <= cti_fmax(most, start))
        return;
    /* kinetic energy at a share x: start + slope x + bend x^2, which is more than start at x = 1. Above `most` from the start: what the joints allow
       is calmer; what follows contacts there keeps a table swaying in float (test_mechanisms) */
    slope = end - start - bend, most -= start;
    root = sqrt(cti_fmax(0, slope * slope + 4 * bend * most));
    share = !(most > 0) ? 0 : slope > 0 ? 2 * most / (slope + root) : (root - slope) / (2 * bend);
    cti_linkage_mix(g, q->from, 1 - share, share);
}

/* Computes the end velocities of a linkage that is loaded, from all impulses on it, so that they keep momentum; or of one that the fail-safe has
   moved. Its energy then becomes that before the step and the work on it: the projection takes what the step does not resolve, and gravity at the
   start of the step leaves an error of m (|g| dt)^2 at most. More is not added. 0: the energy is still above that at the start and what loads
   give, since the excess is in the common motion. Work that contacts take is not subtracted there: they also take what gravity would have added */
static int cti_linkage_end_loaded(cti_state *s, cti_linkage *g, ct_real dt, const ct_real *v)
{
    double before = cti_mechanism_kinetic(&g->m, 0) - cti_linkage_potential(s, g, s->end.x), lack, most, works, kinetic, least, moment[3];
    int i, e, forced = cti_linkage_mode(s, g) == CTI_LINKAGE_FORCED;
    cti_linkage_loads q;
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
    cti_mechanism_project(&g->m, 1);
    if (!forced)
        cti_mechanism_note(&g->m);
    if (!cti_linkage_find_loads(s, g, &q))
        return 1;
    if (!forced && q.n > 0)
        cti_linkage_keep_contacts_within(s, g, &q, dt, before);
    works = cti_linkage_load_work(s, g, &q, dt);
    lack = before + works - cti_mechanism_kinetic(&g->m, 1);
    least = 2 * cti_linkage_fall_energy(s, g, dt), kinetic = cti_mechanism_kinetic(&g->m, 1);
    most = cti_step_tuned.energy.link_most * kinetic + least;
    lack -= cti_mechanism_scale(&g->m, forced ? cti_fmin(lack, 0) : cti_fmin(lack, most));
    return forced || lack - cti_fmin(0, works) > -(cti_step_tuned.energy.link_kept * kinetic + least);
}

/* Computes the end velocities of a linkage that nothing loads. What the solve leaves, and an error of joints that is closed, may not add energy.
   0: the projection takes more than the rest of the motion can be given, as where folded links snap straight within the step */
static int cti_linkage_end_alone(cti_state *s, cti_linkage *g, ct_real dt)
{
    double kinetic, taken, excess, kept;
    size_t size = sizeof *g->m.bodies * (size_t)CTI_LEN(g->m.bodies);
    cti_mechanism_body *before = CTI_ARENA_NEW(s->arena, cti_mechanism_body, CTI_LEN(g->m.bodies));
    cti_mechanism_finish(&g->m, (double)dt);
    if (!before)
        return 1;
    kinetic = cti_mechanism_kinetic(&g->m, 1), kept = cti_step_tuned.energy.link_kept * kinetic;
    memcpy(before, g->m.bodies, size);
    excess = kinetic - cti_mechanism_kinetic(&g->m, 0) + cti_linkage_potential(s, g, s->end.x) - cti_mechanism_work(&g->m, (double)dt);
    taken = cti_mechanism_project(&g->m, 1);
    if (taken > kept) {
        taken -= cti_fmax(0, excess);
        return taken - cti_mechanism_scale(&g->m, taken) <= kept + 2 * cti_linkage_fall_energy(s, g, dt);
    }
    memcpy(g->m.bodies, before, size);
    if (excess > -kept) /* the compliance of rigid joints takes less */
        cti_mechanism_scale(&g->m, -excess);
    return 1;
}

CTI_FN int cti_linkage_end_velocities(cti_state *s, ct_real dt, ct_real *v)
{
    int i, k, e, unresolved = 0;
    if (CTI_LINKAGES(s) == 0)
        return 0;
    cti_linkage_follow(s, dt);
    for (i = 0; i < CTI_LINKAGES(s); i++) {
        cti_linkage *g = &s->linkages.list[i];
        int mode = cti_linkage_mode(s, g);
        cti_arena_point mark = cti_arena_mark(s->arena);
        if (!mode)
            continue;
        if (!(mode == CTI_LINKAGE_ALONE ? cti_linkage_end_alone(s, g, dt) : cti_linkage_end_loaded(s, g, dt, v)))
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
    for (i = 0; i < CTI_LINKAGES(s); i++)
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
