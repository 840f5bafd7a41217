/* linkage.c -- energy of jointed rigid bodies.
   Method: joints are solved by SHAKE, which keeps momenta, and keeps energy as long as the rotations in a step are small and steps have the
   same length. A fast chain gains or loses energy. RATTLE's second half gives the velocity p at the end of the step: the velocity at the
   step's middle plus half of gravity's change, projected in the metric of the masses onto the motions that the joints allow there, J p = 0
   [Andersen 1983]. The kinetic energy of p plus gravitational energy is compared with that of the step before. The difference is corrected
   along p, without the common rigid motion of free bodies, so that J, linear and angular momentum do not change [Hairer, Lubich, Wanner
   2006, IV.4: projection on invariants]. A correction above a share of the kinetic energy waits for the next step. A chain that has risen
   above all its energy, so that the excess cannot be removed from its motion, makes the step shorter.
   Where loaded contacts and driven joints bear at least half of the weight, gravity's half change is projected onto the motions that they
   allow, too. Springs add half of their impulse.
   Contacts, damping, and joints that are compliant or driven exchange energy with an `open` linkage. The work of an impulse r is r . (u0 + u1)
   / 2, u0 and u1 the velocities of its row before and after it; springs have their energy. What the linkage gains beyond that is removed,
   and nothing is added. Errors of linearization change their sign: what it lost by them it may gain again (`spare`).
   None of this is done while a joint's error is in recovery. Rows of CT_ROW_VELOCITY, whose errors in every step cost energy, do not count
   as in recovery. */
#include "linkage.h"
#include "joints.h"
#include "policy.h"
#include "../3_solve/solve_policy.h"

/* the motion that bodies which are held together have as one rigid body */
typedef struct cti_linkage_motion {
    ct_real mass;
    cti_v3 first, center, speed, spin, rate;
    ct_real inertia[9];
} cti_linkage_motion;

/* where a linkage has its bodies among cti_linkage_work.bodies, and its rows in `order`, those of joints first */
typedef struct cti_linkage_place {
    int32_t body, n_bodies;
    int32_t row, n_rows, n_joints;
} cti_linkage_place;

/* bodies that are held together, at their root */
typedef struct cti_linkage {
    int32_t up;
    cti_linkage_place place;
    int joined;      /* 1: there is a joint */
    int held;        /* 1: held by the world */
    int open;        /* 1: something else may act on them */
    int recovers;    /* 1: an error of a joint does */
    int borne;       /* 1: contacts and driven joints bear them */
    double upwards;  /* impulse of these against gravity, times |g|, */
    double weight;   /* and that of the weight [kg m^2/s^3] */
    int known;       /* 1: their energy before is known */
    double was, now; /* [J] energy */
    double springs;  /* [J] energy of compliant joints, at the end */
    double work;     /* [J] that contacts, damping and driven joints did */
    double spare;    /* [J] that they may gain besides */
    double start;    /* gravitational energy at the start of the step */
    double apart;    /* [J] kinetic energy relative to the common rigid motion */
    ct_real scale;   /* scale factor on the motion relative to the common one */
    cti_linkage_motion common;
} cti_linkage;

typedef struct cti_linkage_work {
    cti_linkage *q; /* [rigids] */
    cti_row *rows;  /* of joints that have only rigid bodies and the world at rest as sides; then of loaded contacts and driven joints, each
                       with the terms of one linkage */
    int n, n_joints;
    int32_t *order;       /* [n] rows, sorted by linkage */
    int32_t *bodies;      /* [rigids], sorted by linkage */
    ct_real *I, *inverse; /* [9 rigids] inertia at the end */
    ct_real *p;           /* [6 rigids] velocities at the end */
} cti_linkage_work;

static int cti_linkage_root(cti_linkage *q, int i)
{
    while (q[i].up != i)
        i = q[i].up = q[q[i].up].up;
    return i;
}

static int cti_linkage_is_pure(const cti_joint_side *a) { return a->rigid >= 0 || (a->n == 0 && a->n_path == 0); }

CTI_FN int cti_linkage_is_rigid(const cti_joint *j, int part)
{
    return cti_linkage_is_pure(&j->a) && cti_linkage_is_pure(&j->b) && !cti_joints_is_soft(j, part);
}

CTI_FN int cti_linkage_recovers(const cti_state *s, const cti_joint *j)
{
    return s->desc.row_mode != CT_ROW_VELOCITY && cti_policy_joint_closes(cti_joints_miss(s, j), j->slack);
}

/* unites the bodies of all joints, and opens linkages with a joint that is compliant or driven */
static void cti_linkage_unite(const cti_state *s, cti_linkage_work *w)
{
    cti_linkage *q = w->q;
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.joints); i++)
        if (s->bodies.joints[i].a.rigid >= 0 && s->bodies.joints[i].b.rigid >= 0)
            q[cti_linkage_root(q, s->bodies.joints[i].a.rigid)].up = cti_linkage_root(q, s->bodies.joints[i].b.rigid);
    for (i = 0; i < CTI_LEN(s->bodies.joints); i++) {
        const cti_joint *j = &s->bodies.joints[i];
        int any = j->a.rigid >= 0 ? j->a.rigid : j->b.rigid, part;
        cti_linkage *g = any >= 0 ? &q[cti_linkage_root(q, any)] : NULL;
        if (!g)
            continue;
        g->joined = 1;
        g->held |= j->a.rigid < 0 || j->b.rigid < 0;
        if (!cti_linkage_is_pure(&j->a) || !cti_linkage_is_pure(&j->b)) {
            g->open = 1;
            continue;
        }
        g->recovers |= cti_linkage_recovers(s, j);
        g->springs += cti_joints_energy(s, j);
        for (part = 0; part < cti_joints_parts(j); part++)
            if (cti_joints_is_soft(j, part))
                g->open = 1;
            else
                cti_joints_row(s, j, part, &w->rows[w->n++]);
    }
}

/* adds a loaded contact, or a driven joint, to the rows of a linkage, with its terms alone. A contact that sticks bears all directions */
static void cti_linkage_touch(const cti_state *s, cti_linkage_work *w, const cti_linkage *g, const cti_row *row)
{
    cti_row *q = &w->rows[w->n++];
    int k;
    *q = *row, q->n = 0;
    for (k = 0; k < row->n; k++) {
        int at = s->bodies.rigid_of[row->term[k].block];
        if (at >= 0 && &w->q[cti_linkage_root(w->q, at)] == g)
            q->term[q->n++] = row->term[k];
    }
    if (!row->equations)
        q->equations = row->r[1] * row->r[1] + row->r[2] * row->r[2] < cti_solve_tuned.law.slides * row->mu * row->mu * row->r[0] * row->r[0] ? 7 : 1;
}

/* adds the work of a row to the linkages of its bodies. before: velocities before the step */
static void cti_linkage_count(const cti_state *s, const ct_real *before, cti_linkage_work *w, int i)
{
    const cti_row *row = &s->contact.rows[i];
    cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_at(row->r, 0));
    const cti_linkage *last[2] = {NULL, NULL};
    int k;
    for (k = 0; k < row->n; k++) {
        int at = s->bodies.rigid_of[row->term[k].block];
        cti_v3 v = cti_v3_mul(cti_v3_add(cti_v3_at(before, row->term[k].block), cti_v3_at(s->end.v, row->term[k].block)), CTI_R(0.5));
        cti_linkage *g = at >= 0 ? &w->q[cti_linkage_root(w->q, at)] : NULL;
        if (!g || !g->joined)
            continue;
        if ((row->equations || row->r[0] > 0) && g != last[0] && g != last[1]) {
            last[last[0] != NULL] = g;
            g->open = 1;
            cti_linkage_touch(s, w, g, row);
        }
        g->upwards -= (double)(row->term[k].weight * cti_v3_dot(F, cti_v3_at(s->desc.gravity, 0)));
        g->work += (double)cti_v3_dot(F, cti_v3_mad(cti_v3_cross(v, cti_v3_at(row->term[k].arm, 0)), v, row->term[k].weight));
    }
}

/* opens linkages under loaded contacts or damping; computes sums that need no projection */
static void cti_linkage_open(const cti_state *s, const ct_real *before, ct_real dt, cti_linkage_work *w)
{
    int i;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_joint *j = s->contact.origins[i].joint ? &s->bodies.joints[(s->contact.origins[i].joint - 1) / 2] : NULL;
        if (!j || !cti_linkage_is_pure(&j->a) || !cti_linkage_is_pure(&j->b))
            cti_linkage_count(s, before, w, i);
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        cti_linkage *g = &w->q[cti_linkage_root(w->q, i)];
        cti_v3 v = cti_v3_at(s->end.v, r->block), spin = cti_v3_at(s->end.v, r->block + 1);
        ct_real lost = r->mass * cti_v3_dot(v, cti_v3_add(v, cti_v3_at(before, r->block))) +
                       cti_v3_dot(spin, cti_m3_mul_v(r->I_mid, cti_v3_add(spin, cti_v3_at(before, r->block + 1))));
        g->open |= s->bodies.alpha[r->block] > 0;
        g->work -= (double)(s->bodies.alpha[r->block] * dt * lost / 2);
        g->weight += (double)(r->mass * dt * cti_v3_norm2(cti_v3_at(s->desc.gravity, 0)));
        g->known &= r->linked && !s->scripts.still;
        g->was += r->energy, g->spare += r->spare;
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        cti_linkage *g = &w->q[i];
        g->known &= !g->recovers;
        g->borne = g->upwards > 0 && 2 * g->upwards >= g->weight; /* in free fall none of the weight is borne, at rest all of it */
        if (!g->open)
            g->work = g->spare = 0;
    }
}

/* index of a row's block among the velocities [2 rigids] */
static int cti_linkage_slot(const cti_state *s, int block)
{
    int at = s->bodies.rigid_of[block];
    return 2 * at + (block != s->bodies.rigids[at].block);
}

/* adds half of the impulse of springs */
static void cti_linkage_spring(const cti_state *s, const cti_linkage_work *w, ct_real *kick)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->contact.rows); i++) {
        const cti_row *row = &s->contact.rows[i];
        int id = s->contact.origins[i].joint - 1;
        const cti_joint *j = id >= 0 ? &s->bodies.joints[id / 2] : NULL;
        cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_mul(cti_v3_at(row->r, 0), CTI_R(0.5)));
        if (!j || !cti_linkage_is_pure(&j->a) || !cti_linkage_is_pure(&j->b) || !cti_joints_is_soft(j, id & 1))
            continue;
        for (k = 0; k < row->n; k++) {
            const cti_term *t = &row->term[k];
            int at = s->bodies.rigid_of[t->block];
            cti_v3 f = cti_v3_mad(cti_v3_cross(cti_v3_at(t->arm, 0), F), F, t->weight);
            f = t->block == s->bodies.rigids[at].block ? cti_v3_mul(f, 1 / s->bodies.rigids[at].mass) : cti_m3_mul_v(w->inverse + 9 * (size_t)at, f);
            cti_v3_addto(kick, cti_linkage_slot(s, t->block), f);
        }
    }
}

/* velocities at the end before the projection; kick [6 rigids]: the half change where contacts bear it, too */
static void cti_linkage_start(const cti_state *s, cti_linkage_work *w, ct_real dt, ct_real *kick)
{
    int i, k;
    memset(kick, 0, sizeof(ct_real) * 6 * (size_t)CTI_LEN(s->bodies.rigids));
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        const cti_rigid *r = &s->bodies.rigids[i];
        cti_rigid_inertia(r, r->q, w->I + 9 * (size_t)i);
        if (!cti_m3_inverse(w->I + 9 * (size_t)i, w->inverse + 9 * (size_t)i))
            memset(w->inverse + 9 * (size_t)i, 0, 9 * sizeof(ct_real));
        cti_v3_put(kick, 2 * i, cti_v3_mul(cti_v3_at(s->desc.gravity, 0), dt / 2));
        cti_v3_put(w->p, 2 * i, cti_v3_at(s->v, r->block));
        cti_v3_put(w->p, 2 * i + 1, cti_m3_mul_v(w->inverse + 9 * (size_t)i, cti_v3_at(r->spin, 0)));
    }
    cti_linkage_spring(s, w, kick);
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++) {
        if (w->q[cti_linkage_root(w->q, i)].borne)
            continue;
        for (k = 6 * i; k < 6 * i + 6; k++)
            w->p[k] += kick[k], kick[k] = 0;
    }
}

/* u [3 n] = J p of the first n rows of a linkage, for equations only */
static void cti_linkage_rates(const cti_state *s, const cti_linkage_work *w, const cti_linkage *g, int n, const ct_real *p, ct_real *u)
{
    int i, k;
    for (i = 0; i < n; i++) {
        const cti_row *row = &w->rows[w->order[g->place.row + i]];
        cti_v3 sum = cti_v3_zero();
        for (k = 0; k < row->n; k++) {
            cti_v3 v = cti_v3_at(p, cti_linkage_slot(s, row->term[k].block));
            sum = cti_v3_add(sum, cti_v3_mad(cti_v3_cross(v, cti_v3_at(row->term[k].arm, 0)), v, row->term[k].weight));
        }
        cti_v3_put(u, i, cti_m3_mul_v(row->frame, sum));
        for (k = 0; k < 3; k++)
            u[3 * i + k] = (row->equations >> k & 1) ? u[3 * i + k] : 0;
    }
}

/* p [6 rigids] = M^-1 J' f of the first n rows, for the bodies of a linkage */
static void cti_linkage_answer(const cti_state *s, const cti_linkage_work *w, const cti_linkage *g, int n, const ct_real *f, ct_real *p)
{
    int i, k;
    for (i = 0; i < g->place.n_bodies; i++)
        memset(p + 6 * (size_t)w->bodies[g->place.body + i], 0, 6 * sizeof(ct_real));
    for (i = 0; i < n; i++) {
        const cti_row *row = &w->rows[w->order[g->place.row + i]];
        cti_v3 F = cti_m3_mul_tv(row->frame, cti_v3_at(f, i));
        for (k = 0; k < row->n; k++)
            cti_v3_addto(p, cti_linkage_slot(s, row->term[k].block),
                         cti_v3_mad(cti_v3_cross(cti_v3_at(row->term[k].arm, 0), F), F, row->term[k].weight));
    }
    for (i = 0; i < g->place.n_bodies; i++) {
        int at = w->bodies[g->place.body + i];
        cti_v3_put(p, 2 * at, cti_v3_mul(cti_v3_at(p, 2 * at), 1 / s->bodies.rigids[at].mass));
        cti_v3_put(p, 2 * at + 1, cti_m3_mul_v(w->inverse + 9 * (size_t)at, cti_v3_at(p, 2 * at + 1)));
    }
}

/* a . b [3 n], the sum of the rows' own */
static double cti_linkage_dot(const ct_real *a, const ct_real *b, int n)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum += (double)cti_v3_dot(cti_v3_at(a, i), cti_v3_at(b, i));
    return sum;
}

/* velocities p of a linkage <- p - M^-1 J' (J M^-1 J')^-1 J p by conjugate gradients, which take as many steps as its first n rows have
   equations. least: squared residual over the first, at which they end. v: working memory [9 n + 6 rigids] */
static void cti_linkage_project(const cti_state *s, const cti_linkage_work *w, const cti_linkage *g, int n, double least, ct_real *p, ct_real *v)
{
    ct_real *r = v, *d = r + 3 * (size_t)n, *Wd = d + 3 * (size_t)n, *step = Wd + 3 * (size_t)n;
    double square, first;
    int i, left = 6 * n;
    cti_linkage_rates(s, w, g, n, p, r);
    memcpy(d, r, sizeof(ct_real) * 3 * (size_t)n);
    first = square = cti_linkage_dot(r, r, n);
    while (square > first * least && left-- > 0) {
        double down, next;
        ct_real along;
        cti_linkage_answer(s, w, g, n, d, step);
        cti_linkage_rates(s, w, g, n, step, Wd);
        down = cti_linkage_dot(d, Wd, n);
        along = down > 0 ? (ct_real)(square / down) : 0;
        if (!(along > 0))
            return;
        for (i = 0; i < 2 * g->place.n_bodies; i++) {
            int at = 2 * w->bodies[g->place.body + i / 2] + i % 2;
            cti_v3_put(p, at, cti_v3_mad(cti_v3_at(p, at), cti_v3_at(step, at), -along));
        }
        for (i = 0; i < n; i++)
            cti_v3_put(r, i, cti_v3_mad(cti_v3_at(r, i), cti_v3_at(Wd, i), -along));
        next = cti_linkage_dot(r, r, n);
        for (i = 0; i < n; i++)
            cti_v3_put(d, i, cti_v3_mad(cti_v3_at(r, i), cti_v3_at(d, i), (ct_real)(next / square)));
        square = next;
    }
}

/* projects the velocities by the joints, and gravity's half change by the loaded contacts, too. 0: out of memory */
static int cti_linkage_allow(cti_state *s, const cti_linkage_work *w, ct_real *kick)
{
    int i, n = CTI_LEN(s->bodies.rigids);
    ct_real *v = CTI_ARENA_NEW(s->arena, ct_real, 9 * w->n + 6 * n);
    if (!v)
        return 0;
    for (i = 0; i < n; i++) {
        const cti_linkage *g = &w->q[i];
        if (g->place.n_joints > 0)
            cti_linkage_project(s, w, g, g->place.n_joints, (double)(CTI_EPS * CTI_EPS), w->p, v);
        if (g->place.n_rows > g->place.n_joints) /* rows of several contacts depend on each other */
            cti_linkage_project(s, w, g, g->place.n_rows, (double)CTI_EPS, kick, v);
    }
    for (i = 0; i < 6 * n; i++)
        w->p[i] += kick[i];
    return 1;
}

/* kinetic energy of a body at velocities p [6] */
static double cti_linkage_kinetic(const cti_state *s, const cti_linkage_work *w, int i, const ct_real *p)
{
    cti_v3 v = cti_v3_at(p, 0), r = cti_v3_at(p, 1);
    return 0.5 * ((double)s->bodies.rigids[i].mass * (double)cti_v3_norm2(v) + (double)cti_v3_dot(r, cti_m3_mul_v(w->I + 9 * (size_t)i, r)));
}

/* the common rigid motion of free bodies; for held ones it is 0 */
static void cti_linkage_common(const cti_state *s, cti_linkage_work *w)
{
    int i, k, n = CTI_LEN(s->bodies.rigids), pass;
    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < n; i++) {
            const cti_rigid *r = &s->bodies.rigids[i];
            cti_linkage_motion *c = &w->q[cti_linkage_root(w->q, i)].common;
            cti_v3 x = cti_v3_sub(cti_v3_at(s->x, r->block), c->first), v = cti_v3_at(w->p, 2 * i);
            if (pass == 0) { /* relative to one of them, so that no digits are lost far from the origin */
                if (!(c->mass > 0))
                    c->first = cti_v3_at(s->x, r->block), x = cti_v3_zero();
                c->mass += r->mass;
                c->center = cti_v3_mad(c->center, x, r->mass), c->speed = cti_v3_mad(c->speed, v, r->mass);
                continue;
            }
            x = cti_v3_sub(x, cti_v3_mul(c->center, 1 / c->mass));
            c->spin = cti_v3_add(c->spin, cti_v3_add(cti_v3_mul(cti_v3_cross(x, v), r->mass),
                                                     cti_m3_mul_v(w->I + 9 * (size_t)i, cti_v3_at(w->p, 2 * i + 1))));
            for (k = 0; k < 9; k++) {
                const ct_real y[3] = {x.x, x.y, x.z};
                c->inertia[k] += w->I[9 * (size_t)i + (size_t)k] + r->mass * ((k % 4 == 0 ? cti_v3_norm2(x) : 0) - y[k / 3] * y[k % 3]);
            }
        }
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w->q[i];
        cti_linkage_motion *c = &g->common;
        ct_real inverse[9];
        if (g->up != i)
            continue;
        c->center = cti_v3_add(c->first, cti_v3_mul(c->center, 1 / c->mass));
        c->speed = g->held ? cti_v3_zero() : cti_v3_mul(c->speed, 1 / c->mass);
        c->rate = !g->held && cti_m3_inverse(c->inertia, inverse) ? cti_m3_mul_v(inverse, c->spin) : cti_v3_zero();
    }
}

/* p [6] of a body less the common motion */
static void cti_linkage_apart(const cti_state *s, const cti_linkage_work *w, const cti_linkage_motion *g, int i, ct_real *out)
{
    cti_v3 x = cti_v3_sub(cti_v3_at(s->x, s->bodies.rigids[i].block), g->center);
    cti_v3_put(out, 0, cti_v3_sub(cti_v3_at(w->p, 2 * i), cti_v3_add(g->speed, cti_v3_cross(g->rate, x))));
    cti_v3_put(out, 1, cti_v3_sub(cti_v3_at(w->p, 2 * i + 1), g->rate));
}

static double cti_linkage_gravity(const cti_state *s, int i, const ct_real *x)
{
    return -(double)s->bodies.rigids[i].mass * (double)cti_v3_dot(cti_v3_at(s->desc.gravity, 0), cti_v3_at(x, s->bodies.rigids[i].block));
}

/* computes the scale factor of each linkage */
static void cti_linkage_scale(const cti_state *s, cti_linkage_work *w)
{
    int i, n = CTI_LEN(s->bodies.rigids);
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w->q[cti_linkage_root(w->q, i)];
        ct_real apart[6];
        cti_linkage_apart(s, w, &g->common, i, apart);
        g->apart += cti_linkage_kinetic(s, w, i, apart);
        g->now += cti_linkage_kinetic(s, w, i, w->p + 6 * (size_t)i) + cti_linkage_gravity(s, i, s->x);
        g->now += g == &w->q[i] ? g->springs : 0;
    }
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w->q[i];
        double change = (g->was + g->work + g->spare - g->now) / g->apart;
        change = g->open && change > 0 ? 0 : change;
        change = change > cti_step_tuned.energy.link_most ? cti_step_tuned.energy.link_most : change;
        change = change > -cti_step_tuned.energy.link_least ? change : -cti_step_tuned.energy.link_least;
        g->scale = 1;
        if (g->up == i && g->known && g->apart > 0)
            g->scale = cti_sqrt((ct_real)(1 + change));
    }
}

/* sets the velocities and stored values of a body */
static void cti_linkage_apply(cti_state *s, const cti_linkage_work *w, const cti_linkage *g, int i)
{
    cti_rigid *r = &s->bodies.rigids[i];
    ct_real apart[6], scale = g->scale - 1, *p = w->p + 6 * (size_t)i;
    double left = 0, spare = 0;
    int k;
    cti_linkage_apart(s, w, &g->common, i, apart);
    for (k = 0; k < 6; k++)
        p[k] += scale * apart[k];
    cti_v3_addto(s->v, r->block, cti_v3_mul(cti_v3_at(apart, 0), scale));
    cti_v3_addto(r->spin, 0, cti_v3_mul(cti_m3_mul_v(w->I + 9 * (size_t)i, cti_v3_at(apart, 1)), scale));
    cti_v3_put(s->v, r->block + 1, cti_rigid_rate(r, r->q));
    memcpy(r->end, p, sizeof r->end);
    /* the first body stores the part that was not corrected */
    if (g == &w->q[i] && g->known)
        left = g->was + g->work + g->spare - g->now - (double)(g->scale * g->scale - 1) * g->apart;
    if (g->open && left > 0)
        spare = left, left = 0;
    left += g == &w->q[i] ? g->springs : 0;
    r->energy = cti_linkage_kinetic(s, w, i, p) + cti_linkage_gravity(s, i, s->x) + left;
    r->spare = spare;
    r->linked = !g->recovers && !s->scripts.still;
}

CTI_FN void cti_linkage_watch(cti_state *s)
{
    int i;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        memcpy(s->bodies.rigids[i].end, s->end.v + 3 * (size_t)s->bodies.rigids[i].block, sizeof s->bodies.rigids[i].end);
}

CTI_FN void cti_linkage_forget(cti_state *s, int all)
{
    int i, k;
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        for (k = 0; k < 6; k++)
            if (all || s->bodies.rigids[i].end[k] != s->end.v[3 * s->bodies.rigids[i].block + k])
                s->bodies.rigids[i].linked = 0;
}

/* the linkage of a row */
static cti_linkage *cti_linkage_of(const cti_state *s, const cti_linkage_work *w, int row)
{
    return &w->q[cti_linkage_root(w->q, s->bodies.rigid_of[w->rows[row].term[0].block])];
}

/* sorts bodies and rows by linkage; 0: out of memory */
static int cti_linkage_sort(cti_state *s, cti_linkage_work *w)
{
    int i, n = CTI_LEN(s->bodies.rigids);
    int32_t body = 0, row = 0;
    w->order = CTI_ARENA_NEW(s->arena, int32_t, w->n + 1), w->bodies = CTI_ARENA_NEW(s->arena, int32_t, n);
    if (!w->order || !w->bodies)
        return 0;
    for (i = 0; i < n; i++)
        w->q[cti_linkage_root(w->q, i)].place.n_bodies++;
    for (i = 0; i < w->n; i++) {
        cti_linkage *g = cti_linkage_of(s, w, i);
        g->place.n_rows++, g->place.n_joints += i < w->n_joints;
    }
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w->q[i];
        g->place.body = body, g->place.row = row;
        body += g->place.n_bodies, row += g->place.n_rows;
        g->place.n_bodies = g->place.n_rows = 0;
    }
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w->q[cti_linkage_root(w->q, i)];
        w->bodies[g->place.body + g->place.n_bodies++] = i;
    }
    for (i = 0; i < w->n; i++) {
        cti_linkage *g = cti_linkage_of(s, w, i);
        w->order[g->place.row + g->place.n_rows++] = i;
    }
    return 1;
}

/* makes the working data for the present state, with all linkages, after a step from velocities `before`; 0: out of memory */
static int cti_linkage_make(cti_state *s, const ct_real *before, ct_real dt, cti_linkage_work *w)
{
    int i, loaded, n = CTI_LEN(s->bodies.rigids);
    w->n = 0;
    w->q = CTI_ARENA_ZERO(s->arena, cti_linkage, n);
    for (loaded = i = 0; i < CTI_LEN(s->contact.rows); i++)
        loaded += s->contact.rows[i].equations || s->contact.rows[i].r[0] > 0;
    w->rows = CTI_ARENA_NEW(s->arena, cti_row, 2 * (CTI_LEN(s->bodies.joints) + loaded)); /* a row has two sides */
    if (!w->q || !w->rows)
        return 0;
    for (i = 0; i < n; i++)
        w->q[i].up = i, w->q[i].known = 1;
    cti_linkage_unite(s, w);
    w->n_joints = w->n;
    cti_linkage_open(s, before, dt, w);
    return cti_linkage_sort(s, w);
}

CTI_FN int cti_linkage_climbs(cti_state *s, ct_real dt, int *out)
{
    cti_linkage_work w;
    int i, n = CTI_LEN(s->bodies.rigids);
    double fall = (double)(dt * dt * cti_v3_norm2(cti_v3_at(s->desc.gravity, 0)));
    if (n == 0 || CTI_LEN(s->bodies.joints) == 0)
        return 1;
    if (!cti_linkage_make(s, s->v, dt, &w))
        return 0;
    for (i = 0; i < n; i++) {
        cti_linkage *g = &w.q[cti_linkage_root(w.q, i)];
        g->now += cti_linkage_gravity(s, i, s->end.x);
        g->start += cti_linkage_gravity(s, i, s->x);
        g->common.mass += s->bodies.rigids[i].mass;
    }
    for (i = 0; i < n; i++) {
        const cti_linkage *g = &w.q[i];
        double rise = g->now - g->start, motion = g->was - g->start;
        if (g->up != i || !g->joined || !g->known || g->open || cti_state_is_inactive(s, s->bodies.rigids[i].block) ||
            !cti_policy_chain_climbs(rise, motion, (double)g->common.mass, fall))
            continue;
        cti_state_fail(s, s->bodies.rigids[i].block);
        ++*out;
    }
    return 1;
}

CTI_FN int cti_linkage_keep(cti_state *s, ct_real dt)
{
    cti_linkage_work w;
    ct_real *kick;
    int i, n = CTI_LEN(s->bodies.rigids), n_joints = CTI_LEN(s->bodies.joints);
    for (i = 0; n_joints == 0 && i < n; i++)
        s->bodies.rigids[i].linked = 0;
    if (n == 0 || n_joints == 0)
        return 1;
    w.I = CTI_ARENA_NEW(s->arena, ct_real, 9 * n), w.inverse = CTI_ARENA_NEW(s->arena, ct_real, 9 * n);
    w.p = CTI_ARENA_NEW(s->arena, ct_real, 6 * n), kick = CTI_ARENA_NEW(s->arena, ct_real, 6 * n);
    if (!w.I || !w.inverse || !w.p || !kick || !cti_linkage_make(s, s->history.dv, dt, &w)) /* the velocities before, until the end of the commit */
        return 0;
    cti_linkage_start(s, &w, dt, kick);
    if (!cti_linkage_allow(s, &w, kick))
        return 0;
    cti_linkage_common(s, &w);
    cti_linkage_scale(s, &w);
    for (i = 0; i < n; i++) {
        const cti_linkage *g = &w.q[cti_linkage_root(w.q, i)];
        s->bodies.rigids[i].linked = 0;
        if (g->joined)
            cti_linkage_apply(s, &w, g, i);
    }
    return 1;
}
