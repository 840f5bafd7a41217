/* barrier_layout.c -- the unknowns of the barrier stepper, and the way from the state to them and back.
   Method: a deformable node is one block, a rigid body four, which move affinely and are held near a rotation by a stiff energy. The pose is
   read off by polar decomposition; A and its rate are kept beside it, so that a step starts from exactly what the last one ended with, unless
   somebody has set the body's pose or motion in between. based on: Lan et al. 2022, sec. 3. */
#include "barrier.h"
#include "../1_math/eig3.h"

/* blocks of the state's blocks, and the rigid bodies' data */
static void cti_barrier_blocks(cti_state *s, cti_barrier *b)
{
    ct_real dense = 0;
    int i, k;
    b->n = 0;
    for (i = 0; i < s->n; i++) {
        const cti_rigid *r = s->bodies.rigid_of[i] >= 0 ? &s->bodies.rigids[s->bodies.rigid_of[i]] : NULL;
        cti_affine *a;
        ct_real half;
        b->layout.block_of[i] = r && i != r->block ? -1 : b->n;
        if (!r) {
            b->n++;
            continue;
        }
        if (i != r->block)
            continue;
        a = &b->layout.affines[s->bodies.rigid_of[i]];
        a->block = b->n;
        a->mass = r->mass;
        /* I = tr(J) 1 - J */
        half = (r->inertia[0] + r->inertia[4] + r->inertia[8]) / 2;
        for (k = 0; k < 9; k++)
            a->J[k] = (k % 4 == 0 ? half : 0) - r->inertia[k];
        a->radius = cti_sqrt(3 * half / r->mass);
        dense = cti_max(dense, r->mass / (a->radius * a->radius * a->radius));
        b->n += 4;
    }
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++) {
        cti_affine *a = &b->layout.affines[k];
        a->stiff = dense * a->radius * a->radius * a->radius * cti_barrier_tuned.affine.speed * cti_barrier_tuned.affine.speed;
    }
}

static void cti_barrier_attachments(const cti_state *s, cti_barrier *b)
{
    int i, k;
    for (i = 0; i <= s->surface.n_moving; i++) {
        const cti_attach *a = &s->surface.attach[i];
        cti_attach *t = &b->layout.attach[i];
        *t = *a;
        if (a->n == 0)
            continue;
        t->n = a->frame >= 0 ? 4 : a->n;
        for (k = 0; k < t->n; k++) {
            t->block[k] = a->frame >= 0 ? b->layout.affines[a->frame].block + k : b->layout.block_of[a->block[k]];
            t->weight[k] = a->frame >= 0 ? (k ? a->weight[k - 1] : 1) : a->n > 1 ? a->weight[k] : 1;
        }
    }
}

/* block pairs that do not change: A's, and those of affine bodies */
static int cti_barrier_elastic(cti_state *s, cti_barrier *b)
{
    int i, j, k, ok = 1;
    CTI_CLEAR(b->matrix.elastic);
    for (i = 0; ok && i < s->n; i++)
        for (k = s->system.A.row[i]; ok && s->bodies.rigid_of[i] < 0 && k < s->system.A.row[i + 1]; k++)
            if (s->system.A.col[k] > i)
                ok = CTI_PUSH(&s->prepared, b->matrix.elastic, b->layout.block_of[i]) &&
                     CTI_PUSH(&s->prepared, b->matrix.elastic, b->layout.block_of[s->system.A.col[k]]);
    for (k = 0; ok && k < CTI_LEN(s->bodies.rigids); k++)
        for (i = 0; ok && i < 4; i++)
            for (j = i + 1; ok && j < 4; j++)
                ok = CTI_PUSH(&s->prepared, b->matrix.elastic, b->layout.affines[k].block + i) &&
                     CTI_PUSH(&s->prepared, b->matrix.elastic, b->layout.affines[k].block + j);
    return ok;
}

static int cti_barrier_reserve(cti_state *s, cti_barrier *b)
{
    cti_mem *m = &s->prepared;
    const cti_surface *f = &s->surface;
    int n3 = 3 * b->n, i;
    if (!(CTI_RESIZE(m, b->y, n3) && CTI_RESIZE(m, b->y0, n3) && CTI_RESIZE(m, b->y_hat, n3) && CTI_RESIZE(m, b->y_try, n3) &&
          CTI_RESIZE(m, b->rule.rate, n3) && CTI_RESIZE(m, b->rule.p, n3) && CTI_RESIZE(m, b->rule.r, n3) && CTI_RESIZE(m, b->dy, n3) &&
          CTI_RESIZE(m, b->rule.fresh, b->n) &&
          CTI_RESIZE(m, b->g, n3) && CTI_RESIZE(m, b->scripts.goal, n3) && CTI_RESIZE(m, b->scripts.filter, b->n) &&
          CTI_RESIZE(m, b->layout.x_state, 3 * s->n) &&
          CTI_RESIZE(m, b->layout.damping, 6 * s->n) && CTI_RESIZE(m, b->scripts.script, 3 * f->n_moving) &&
          CTI_RESIZE(m, b->surface.x_start, 3 * f->nv) && cti_room_reserve(m, &b->cover.room, f) &&
          CTI_RESIZE(m, b->layout.all, b->n) && CTI_RESIZE(m, b->factors.vectors, 6 * n3)))
        return 0;
    for (i = 0; i < b->n; i++)
        b->layout.all[i] = i;
    return 1;
}

/* mass of a surface vertex of each body, on average */
static void cti_barrier_shares(const cti_state *s, cti_barrier *b, const cti_stepper_body *bodies)
{
    int i, k;
    for (i = 0; i < s->surface.n_bodies; i++) {
        const cti_soup_body *r = &s->surface.ranges[i];
        ct_real mass = 0;
        for (k = 0; s->surface.bodies[i].dynamic && k < bodies[i].n_blocks; k++)
            mass += s->bodies.mass[bodies[i].block0 + k];
        b->layout.share[i] = s->surface.bodies[i].dynamic ? mass / (ct_real)cti_max_int(r->v1 - r->v0, 1) : CTI_REAL_MAX;
    }
}

CTI_FN int cti_barrier_prepare(cti_state *s, const cti_stepper_body *bodies)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    if (!b)
        s->own = b = (cti_barrier *)cti_mem_zero(s->mem, sizeof *b);
    if (!b || !CTI_RESIZE(&s->prepared, b->layout.block_of, s->n) || !CTI_RESIZE(&s->prepared, b->layout.affines, CTI_LEN(s->bodies.rigids)) ||
        !CTI_RESIZE(&s->prepared, b->layout.attach, s->surface.n_moving + 1) || !CTI_RESIZE(&s->prepared, b->layout.hat, s->surface.n_bodies) ||
        !CTI_RESIZE(&s->prepared, b->layout.share, s->surface.n_bodies))
        return 0;
    cti_candidates_kinds(b->cover.list);
    for (i = 0; i < s->surface.n_bodies; i++)
        b->layout.hat[i] = s->desc.barrier.dhat > 0 ? s->desc.barrier.dhat : s->surface.bodies[i].thickness;
    /* boxes of bodies that never move are made once */
    for (i = 0; i < s->surface.n_bodies; i++)
        if (!s->surface.bodies[i].moves)
            s->surface.ranges[i].swept = CTI_SWEPT_BOX, s->surface.ranges[i].inflate = b->layout.hat[i] / 2;
    for (i = 0; !b->layout.loose && i < s->surface.ne; i++)
        b->layout.loose = s->surface.edge_faces[2 * (size_t)i] < 0;
    for (i = 0; !b->layout.loose && i < s->surface.nv; i++)
        b->layout.loose = s->surface.is_point[i];
    b->matrix.contacts = CTI_POTENTIAL_PROJECTED;
    cti_barrier_shares(s, b, bodies);
    cti_barrier_blocks(s, b);
    cti_barrier_attachments(s, b);
    return cti_barrier_elastic(s, b) && cti_barrier_joints_make(s, b) && cti_barrier_reserve(s, b);
}

/* ---- from the state and back ---- */

/* columns of A, and their rates */
static void cti_barrier_load_rigid(const cti_state *s, const cti_rigid *r, const cti_affine *a, ct_real *y, ct_real *rate)
{
    ct_real A[9], *c = y + 3 * (size_t)a->block, *u = rate + 3 * (size_t)a->block;
    cti_v3 w = cti_v3_at(s->v, r->block + 1);
    int i, j;
    cti_v3_put(c, 0, cti_v3_at(s->x, r->block));
    cti_v3_put(u, 0, cti_v3_at(s->v, r->block));
    cti_rigid_frame(r, A);
    for (j = 0; j < 3; j++) {
        cti_v3 column = cti_v3_make(A[j], A[3 + j], A[6 + j]), turn = cti_v3_cross(w, column);
        cti_v3_put(c, 1 + j, column);
        cti_v3_put(u, 1 + j, turn);
        for (i = 0; cti_affine_is_known(r) && i < 3; i++)
            u[3 * (1 + j) + i] = r->affine_rate[3 * i + j];
    }
}

CTI_FN void cti_barrier_load(cti_state *s, ct_real h)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k;
    b->h = h;
    for (i = 0; i < s->n; i++) {
        int to = b->layout.block_of[i];
        if (to < 0)
            continue;
        if (s->bodies.rigid_of[i] >= 0)
            cti_barrier_load_rigid(s, &s->bodies.rigids[s->bodies.rigid_of[i]], &b->layout.affines[s->bodies.rigid_of[i]], b->y0, b->rule.rate);
        else
            for (k = 0; k < 3; k++) {
                b->y0[3 * to + k] = s->x[3 * i + k];
                b->rule.rate[3 * to + k] = s->v[3 * i + k];
            }
    }
    cti_barrier_rule_make(s, h);
    memcpy(b->y, b->y0, sizeof(ct_real) * 3 * (size_t)b->n);
}

/* positions of the state's blocks, and frames that are A */
static void cti_barrier_spread(const cti_state *s, const ct_real *y, ct_real *x, ct_real *frames)
{
    const cti_barrier *b = cti_barrier_own(s);
    int i, j, k;
    for (i = 0; i < s->n; i++)
        if (b->layout.block_of[i] >= 0)
            cti_v3_put(x, i, cti_v3_at(y, b->layout.block_of[i]));
        else
            cti_v3_put(x, i, cti_v3_at(s->x, i));
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++)
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++)
                frames[9 * k + 3 * i + j] = y[3 * (b->layout.affines[k].block + 1 + j) + i];
}

CTI_FN void cti_barrier_place(cti_state *s, const ct_real *y, ct_real *out)
{
    cti_barrier_spread(s, y, cti_barrier_own(s)->layout.x_state, s->end.frames);
    cti_surface_place(&s->surface, cti_barrier_own(s)->layout.x_state, s->end.frames, out);
}

/* angular momentum sum m X~ x (A rate) of an affine body about its centre */
static cti_v3 cti_affine_spin(const cti_affine *a, const ct_real *A, const ct_real *rate)
{
    cti_v3 L = cti_v3_zero();
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            L = cti_v3_mad(L, cti_v3_cross(cti_v3_make(A[i], A[3 + i], A[6 + i]), cti_v3_make(rate[j], rate[3 + j], rate[6 + j])), a->J[3 * i + j]);
    return L;
}

/* quaternion of a rotation matrix */
static void cti_affine_quaternion(const ct_real *R, ct_real *q)
{
    ct_real t = R[0] + R[4] + R[8], n = 0;
    int i = R[4] > R[0] ? 1 : 0, j, k;
    if (R[8] > R[4 * i])
        i = 2;
    j = (i + 1) % 3, k = (i + 2) % 3;
    if (t > R[4 * i]) {
        q[0] = 1 + t, q[1] = R[7] - R[5], q[2] = R[2] - R[6], q[3] = R[3] - R[1];
    } else {
        q[0] = R[3 * k + j] - R[3 * j + k];
        q[1 + i] = 1 + R[4 * i] - R[4 * j] - R[4 * k];
        q[1 + j] = R[3 * i + j] + R[3 * j + i];
        q[1 + k] = R[3 * i + k] + R[3 * k + i];
    }
    for (i = 0; i < 4; i++)
        n += q[i] * q[i];
    n = 1 / cti_sqrt(n);
    for (i = 0; i < 4; i++)
        q[i] *= n;
}

static void cti_barrier_store_rigid(cti_state *s, cti_rigid *r, const cti_affine *a)
{
    cti_barrier *b = cti_barrier_own(s);
    const ct_real *c = b->y + 3 * (size_t)a->block;
    ct_real R[9], u[3], moved[9];
    int i, j;
    cti_v3_put(s->v, r->block, cti_barrier_rule_end(b, a->block));
    cti_v3_put(r->affine_v, 0, cti_v3_at(s->v, r->block));
    cti_v3_put(s->x, r->block, cti_v3_at(c, 0));
    for (j = 0; j < 3; j++) {
        cti_v3_put(u, 0, cti_barrier_rule_end(b, a->block + 1 + j));
        for (i = 0; i < 3; i++)
            r->affine[3 * i + j] = c[3 * (1 + j) + i], r->affine_rate[3 * i + j] = u[i],
                moved[3 * i + j] = (c[3 * (1 + j) + i] - b->y_hat[3 * (a->block + 1 + j) + i]) * b->h / b->rule.contact;
    }
    cti_polar3(r->affine, R);
    for (i = 0; i < 9; i++)
        b->layout.strain = cti_max(b->layout.strain, cti_abs(r->affine[i] - R[i]));
    cti_affine_quaternion(R, r->q);
    if (s->desc.integrator == CT_INTEGRATOR_BDF2)
        cti_v3_put(r->spin, 0, cti_affine_spin(a, r->affine, r->affine_rate));
    else
        cti_v3_addto(r->spin, 0, cti_affine_spin(a, r->affine, moved));
    if (b->scripts.filter[a->block + 1] >= 0) /* held */
        cti_v3_put(r->spin, 0, cti_v3_zero());
    cti_v3_put(s->v, r->block + 1, cti_rigid_rate(r, r->q));
    memcpy(r->affine_q, r->q, sizeof r->q);
    memcpy(r->affine_spin, r->spin, sizeof r->spin);
    r->affine_known = 1;
    memcpy(s->bodies.frames + 9 * (size_t)(r - s->bodies.rigids), r->affine, sizeof r->affine);
}

CTI_FN void cti_barrier_store(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    cti_barrier_rule_keep(s);
    b->layout.strain = 0;
    for (i = 0; i < s->n; i++) {
        int from = b->layout.block_of[i];
        cti_v3 v;
        if (from < 0 || s->bodies.rigid_of[i] >= 0)
            continue;
        v = cti_barrier_rule_end(b, from);
        if (s->scripts.n_constrained && s->scripts.filter[i] >= 0) { /* scripted axes have the script's velocity, or that of the way they came */
            cti_v3 u = cti_v3_at(s->scripts.v_fixed, i);
            if (b->scripts.late)
                u = cti_v3_mul(cti_v3_sub(cti_v3_at(b->y, from), cti_v3_at(b->y0, from)), 1 / b->h);
            v = cti_v3_add(u, cti_state_free(s, i, cti_v3_sub(v, u)));
        }
        cti_v3_put(s->v, i, v);
        cti_v3_put(s->x, i, cti_v3_at(b->y, from));
    }
    for (i = 0; i < CTI_LEN(s->bodies.rigids); i++)
        cti_barrier_store_rigid(s, &s->bodies.rigids[i], &b->layout.affines[i]);
    for (i = 0; i < s->n; i++)
        s->history.dt_prev[i] = b->h;
}

CTI_FN ct_real cti_barrier_speed(const cti_state *s, const ct_real *dy)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real big = 0, own;
    int i, k, j;
    /* comparisons that keep what is not a number */
    for (i = 0; i < s->n; i++)
        if (b->layout.block_of[i] >= 0) {
            own = cti_v3_norm2(cti_v3_at(dy, b->layout.block_of[i]));
            if (!(own <= big) && big == big)
                big = own;
        }
    for (k = 0; k < CTI_LEN(s->bodies.rigids); k++)
        for (j = 1; j < 4; j++) {
            own = b->layout.affines[k].radius * b->layout.affines[k].radius * cti_v3_norm2(cti_v3_at(dy, b->layout.affines[k].block + j));
            if (!(own <= big) && big == big)
                big = own;
        }
    return cti_sqrt(big) / b->h;
}
