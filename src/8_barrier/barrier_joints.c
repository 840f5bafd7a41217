/* barrier_joints.c -- joints and stitches of the barrier stepper: an augmented Lagrangian.
   Method: a joint is one to four ties phi(y) = 0. A point of a node, of an embedded vertex and of an affine body is linear in the blocks y,
   and so is an axis of an affine body, A t. Hence a tie is phi = sum w_k y_k - at - left: points that meet, axes that are the same (times
   the joint's lever), or the distance |sum w_k y_k - at| - rest of a stitch. `at` is where scripts have their side at the end of the step.
   `left` is the part of an error at the step's start that the recovery speed leaves for later. The potential gets m phi + k / 2 |phi|^2.
   When Newton's method has converged and a tie's error is above the tolerance, newton_tolerance h, its multiplier becomes m + k phi, k
   grows where the error did not fall, and Newton's method goes on. The force at the end, m + k phi, is the multiplier that the next step
   begins with, so that a joint at rest takes one solve. Where contacts keep a joint open, that force would grow until it crushes the affine
   bodies between: it ends at what strains them by a hundredth, and the potential is linear beyond. A tie with a compliance c is a spring
   phi^2 / 2c, without a multiplier. differs: the moment of a compliant hinge or fixed joint is sin(angle) / c, that of the other steppers
   angle / c. based on: lecture notes 4.1 (bilateral constraints) and 4.3 (potentials); Nocedal, Wright 2006, Numerical optimization,
   algorithm 17.4. */
#include "barrier.h"
#include "../8_step/impulses.h"
#include "../8_step/joints.h"

/* ---- made with the world ---- */

/* a block of a tie with its weight; a block that is there already gets the sum */
static void cti_tie_put(cti_barrier_tie *t, int block, ct_real w)
{
    int i;
    for (i = 0; i < t->n && t->block[i] != block; i++)
        ;
    if (i == t->n) {
        t->block[t->n++] = block;
        t->w[i] = 0;
    }
    t->w[i] += w;
}

/* one side's blocks, with sign +-1: of a point, or of the axis `axis` >= 0 times the joint's lever */
static void cti_tie_side(const cti_barrier *b, const cti_joint_side *side, int axis, ct_real sign, cti_barrier_tie *t)
{
    int k;
    if (side->rigid >= 0) {
        int block = b->layout.affines[side->rigid].block;
        if (axis < 0)
            cti_tie_put(t, block, sign);
        for (k = 0; k < 3; k++)
            cti_tie_put(t, block + 1 + k, sign * (axis < 0 ? side->arm[k] : side->triad[3 * axis + k]));
        return;
    }
    for (k = 0; axis < 0 && k < side->n; k++)
        cti_tie_put(t, b->layout.block_of[side->block[k]], sign * side->weight[k]);
}

/* how many there are: none to the compiler without CONTACT_WITH_JOINTS */
#define CTI_TIES(b) (CONTACT_WITH_JOINTS ? CTI_LEN((b)->joints.ties) : 0)

static int cti_ties_of(const cti_joint *j) { return j->kind == CT_JOINT_HINGE ? 2 : j->kind == CT_JOINT_FIXED ? 4 : 1; }

CTI_FN int cti_barrier_joints_make(cti_state *s, cti_barrier *b)
{
    int i, k, l, m;
    CTI_CLEAR(b->joints.ties);
    for (i = 0; i < CTI_JOINTS(s); i++)
        for (k = 0; k < cti_ties_of(&s->bodies.joints[i]); k++) {
            const cti_joint *j = &s->bodies.joints[i];
            ct_real sign = k ? j->lever : 1;
            cti_barrier_tie t;
            memset(&t, 0, sizeof t);
            t.joint = i, t.part = k;
            cti_tie_side(b, &j->a, k - 1, sign, &t);
            cti_tie_side(b, &j->b, k - 1, -sign, &t);
            if (!CTI_PUSH(&s->prepared, b->joints.ties, t))
                return 0;
            for (l = 0; l < t.n; l++)
                for (m = l + 1; m < t.n; m++)
                    if (!CTI_PUSH(&s->prepared, b->matrix.elastic, t.block[l]) || !CTI_PUSH(&s->prepared, b->matrix.elastic, t.block[m]))
                        return 0;
        }
    return 1;
}

/* ---- in a step ---- */

/* sum w_k y_k */
static cti_v3 cti_tie_sum(const cti_barrier_tie *t, const ct_real *y)
{
    cti_v3 sum = cti_v3_zero();
    int k;
    for (k = 0; k < t->n; k++)
        sum = cti_v3_mad(sum, cti_v3_at(y, t->block[k]), t->w[k]);
    return sum;
}

/* minus what scripted sides of a tie contribute to phi at a time */
static cti_v3 cti_tie_scripted(const cti_joint *j, const cti_barrier_tie *t, double time)
{
    const cti_joint_side *side[2];
    cti_v3 sum = cti_v3_zero();
    int k;
    side[0] = &j->a, side[1] = &j->b;
    for (k = 0; k < 2; k++)
        if (side[k]->rigid < 0 && side[k]->n == 0) {
            ct_real triad[9];
            cti_v3 p = cti_joints_scripted(side[k], time, triad);
            if (t->part)
                p = cti_v3_mul(cti_v3_at(triad, t->part - 1), j->lever);
            sum = cti_v3_mad(sum, p, k ? CTI_R(1) : CTI_R(-1));
        }
    return sum;
}

static int cti_tie_is_distance(const cti_state *s, const cti_barrier_tie *t) { return t->part == 0 && s->bodies.joints[t->joint].rest > 0; }

/* phi; a distance in x, with the direction *n that it has */
static cti_v3 cti_tie_phi(const cti_state *s, const cti_barrier_tie *t, const ct_real *y, cti_v3 *n)
{
    cti_v3 d = cti_v3_sub(cti_tie_sum(t, y), cti_v3_at(t->at, 0));
    if (!cti_tie_is_distance(s, t))
        return cti_v3_sub(d, cti_v3_at(t->left, 0));
    *n = cti_v3_unit(d, cti_v3_make(0, 1, 0));
    return cti_v3_make(cti_v3_norm(d) - s->bodies.joints[t->joint].rest - t->left[0], 0, 0);
}

/* [m/N], or of an axis in units of its lever; a fixed joint's three axes have twice the moment of one angle */
static ct_real cti_tie_soft(const cti_joint *j, const cti_barrier_tie *t)
{
    if (t->part == 0)
        return j->compliance;
    return j->angular_compliance * j->lever * j->lever * (j->kind == CT_JOINT_FIXED ? 2 : 1);
}

/* most force in h^2 N, see the top */
static ct_real cti_tie_most(const cti_barrier *b, const cti_joint *j, const cti_barrier_tie *t)
{
    ct_real most = CTI_REAL_MAX;
    int k;
    for (k = 0; k < 2; k++) {
        int rigid = k ? j->b.rigid : j->a.rigid;
        const cti_affine *a = &b->layout.affines[rigid < 0 ? 0 : rigid];
        if (rigid >= 0 && !(t->soft > 0))
            most = cti_min(most, cti_barrier_tuned.ties.strain * a->stiff / (t->part ? j->lever : a->radius));
    }
    return most < CTI_REAL_MAX ? most * b->rule.contact : most;
}

/* the force that the last step ended with, of `part`, in its joint's items */
static cti_v3 cti_tie_remembered(const cti_state *s, const cti_barrier_tie *t)
{
    const cti_memory_item *m = cti_memory_find(&s->contact.memory, s->bodies.joints[t->joint].key + (t->part ? 1 : 0));
    if (!m)
        return cti_v3_zero();
    return cti_v3_at(t->part == 2 ? m->normal : t->part == 3 ? m->slip : m->impulse, 0);
}

CTI_FN void cti_barrier_joints_open(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i;
    b->joints.updates = b->joints.open = b->joints.stalls = 0;
    for (i = 0; i < CTI_TIES(b); i++) {
        cti_barrier_tie *t = &b->joints.ties[i];
        const cti_joint *j = &s->bodies.joints[t->joint];
        cti_v3 n;
        t->soft = cti_tie_soft(j, t);
        t->most = cti_tie_most(b, j, t);
        memset(t->left, 0, sizeof t->left);
        cti_v3_put(t->at, 0, cti_tie_scripted(j, t, s->step.time));
        if (!(t->soft > 0) && s->desc.recovery_speed > 0)
            cti_v3_put(t->left, 0, cti_joint_left(cti_tie_phi(s, t, b->y0, &n), b->h * s->desc.recovery_speed));
        cti_v3_put(t->at, 0, cti_tie_scripted(j, t, cti_state_ahead(s, b->h)));
        cti_v3_put(t->m, 0, cti_v3_mul(cti_tie_remembered(s, t), b->rule.contact));
        t->k = t->soft > 0 ? b->rule.contact / t->soft : 0;
        if (t->soft > 0)
            cti_v3_put(t->m, 0, cti_v3_zero());
        t->k_first = 0;
        t->error = CTI_REAL_MAX;
    }
}

/* 1 where a script holds a block of y: a node of a side */
static int cti_tie_is_held(const cti_state *s, const cti_barrier_tie *t, int block)
{
    const cti_joint *j = &s->bodies.joints[t->joint];
    int i, k;
    for (i = 0; i < 2; i++) {
        const cti_joint_side *side = i ? &j->b : &j->a;
        for (k = 0; side->rigid < 0 && k < side->n; k++)
            if (cti_barrier_own(s)->layout.block_of[side->block[k]] == block)
                return s->scripts.n_constrained > 0 && s->scripts.fixed[side->block[k]];
    }
    return 0;
}

/* the penalty: from the diagonal of the bodies' Hessian, which is in B. What a script holds does not give way, whatever its mass is */
static void cti_tie_weigh(const cti_state *s, cti_barrier_tie *t)
{
    const cti_barrier *b = cti_barrier_own(s);
    ct_real give = 0;
    int k;
    for (k = 0; k < t->n; k++) {
        const ct_real *D = b->hessian.B.val + 9 * (size_t)b->hessian.B.diag[t->block[k]];
        ct_real stiff = cti_max(cti_max(D[0], D[4]), D[8]);
        give += stiff > 0 && !cti_tie_is_held(s, t, t->block[k]) ? t->w[k] * t->w[k] / stiff : 0;
    }
    t->k = t->k_first = give > 0 ? cti_barrier_tuned.ties.penalty / give : 0;
}

/* m + k phi, at most `most`; *whole: |m + k phi|; of a distance x alone counts, with its direction *n */
static cti_v3 cti_tie_multiplier(const cti_state *s, const cti_barrier_tie *t, const ct_real *y, cti_v3 *n, ct_real *whole)
{
    cti_v3 f = cti_v3_mad(cti_v3_at(t->m, 0), cti_tie_phi(s, t, y, n), t->k);
    *whole = cti_v3_norm(f);
    return *whole > t->most ? cti_v3_mul(f, t->most / *whole) : f;
}

/* force of a tie on its side b in h^2 N, in the world's axes */
static cti_v3 cti_tie_force(const cti_state *s, const cti_barrier_tie *t, const ct_real *y)
{
    ct_real whole;
    cti_v3 n, f = cti_tie_multiplier(s, t, y, &n, &whole);
    return cti_tie_is_distance(s, t) ? cti_v3_mul(n, f.x) : f;
}

/* sum of w_k |y_k| |f|: times an ulp it is the rounding of the positions times the force */
static double cti_tie_size(const cti_barrier_tie *t, const ct_real *y, cti_v3 f)
{
    double sum = 0;
    int k;
    for (k = 0; k < t->n; k++)
        sum += (double)(cti_abs(t->w[k]) * cti_v3_norm(cti_v3_at(y, t->block[k])));
    return sum * (double)cti_v3_norm(f);
}

CTI_FN double cti_barrier_joints_energy(const cti_state *s, const ct_real *y, double *size)
{
    const cti_barrier *b = cti_barrier_own(s);
    double sum = 0;
    int i;
    for (i = 0; i < CTI_TIES(b); i++) {
        const cti_barrier_tie *t = &b->joints.ties[i];
        ct_real whole;
        cti_v3 n, phi = cti_tie_phi(s, t, y, &n), f = cti_tie_multiplier(s, t, y, &n, &whole);
        sum += (double)cti_v3_dot(cti_v3_at(t->m, 0), phi) + (double)t->k / 2 * (double)cti_v3_norm2(phi);
        if (whole > t->most) /* (|f|^2 - |m|^2) / 2 k becomes linear */
            sum -= (double)(whole - t->most) * (double)(whole - t->most) / (2 * (double)t->k);
        *size += cti_barrier_part(cti_tie_size(t, y, f));
    }
    *size += cti_barrier_part(fabs(sum));
    return sum;
}

/* Hessian [9] of a tie by its sum; a distance's part across its direction is negative under pressure */
static void cti_tie_derive(const cti_state *s, const cti_barrier_tie *t, const ct_real *y, ct_real *H)
{
    ct_real N[3], whole, along, across;
    cti_v3 n, f = cti_tie_multiplier(s, t, y, &n, &whole);
    int i, j;
    along = whole > t->most ? 0 : t->k;
    across = whole > t->most ? t->k * t->most / whole : t->k;
    cti_v3_put(N, 0, cti_v3_unit(f, cti_v3_zero()));
    if (cti_tie_is_distance(s, t)) {
        ct_real size = cti_v3_norm(cti_v3_sub(cti_tie_sum(t, y), cti_v3_at(t->at, 0)));
        cti_v3_put(N, 0, n);
        across = size > 0 ? f.x / size : 0;
        if (!cti_barrier_own(s)->matrix.exact)
            across = cti_max(across, 0);
    }
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            H[3 * i + j] = (i == j ? across : 0) + (along - across) * N[i] * N[j];
}

CTI_FN void cti_barrier_joints_assemble(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    int i, k, l;
    for (i = 0; i < CTI_TIES(b); i++)
        if (!(b->joints.ties[i].soft > 0) && !(b->joints.ties[i].k_first > 0))
            cti_tie_weigh(s, &b->joints.ties[i]);
    for (i = 0; i < CTI_TIES(b); i++) {
        const cti_barrier_tie *t = &b->joints.ties[i];
        ct_real H[9];
        cti_v3 f = cti_tie_force(s, t, b->y);
        cti_tie_derive(s, t, b->y, H);
        for (k = 0; k < t->n; k++) {
            cti_v3_addto(b->g, t->block[k], cti_v3_mul(f, t->w[k]));
            for (l = 0; l < t->n; l++)
                cti_barrier_add(b, t->block[k], t->block[l], H, t->w[k] * t->w[l]);
        }
    }
}

CTI_FN int cti_barrier_joints_settle(cti_state *s)
{
    cti_barrier *b = cti_barrier_own(s);
    ct_real most = s->desc.barrier.newton_tolerance * b->h, whole;
    int i, falls = 0;
    cti_v3 n;
    b->joints.open = 0;
    for (i = 0; i < CTI_TIES(b); i++) {
        ct_real error = cti_v3_norm(cti_tie_phi(s, &b->joints.ties[i], b->y, &n));
        if (b->joints.ties[i].soft > 0 || error <= most)
            continue;
        b->joints.open++;
        falls |= error <= cti_barrier_tuned.ties.stalled * b->joints.ties[i].error;
    }
    b->joints.stalls = falls ? 0 : b->joints.stalls + 1;
    if (b->joints.open == 0 || b->joints.updates == cti_barrier_tuned.ties.updates || b->joints.stalls > cti_barrier_tuned.ties.stalls)
        return 1;
    b->joints.updates++;
    for (i = 0; i < CTI_TIES(b); i++) {
        cti_barrier_tie *t = &b->joints.ties[i];
        ct_real error = cti_v3_norm(cti_tie_phi(s, t, b->y, &n));
        if (t->soft > 0)
            continue;
        cti_v3_put(t->m, 0, cti_tie_multiplier(s, t, b->y, &n, &whole));
        if (error > most && error > cti_barrier_tuned.ties.fall * t->error)
            t->k = cti_min(t->k * cti_barrier_tuned.ties.grow, t->k_first * cti_barrier_tuned.ties.grown);
        t->error = error;
    }
    return 0;
}

/* ---- after a step ---- */

/* moment on side a of an axis's force f on side b, in the force's units times m: a dipole on the axis */
static cti_v3 cti_tie_moment(const cti_state *s, const cti_barrier_tie *t, cti_v3 f)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_joint *j = &s->bodies.joints[t->joint];
    const cti_joint_side *side = j->a.rigid >= 0 ? &j->a : &j->b;
    cti_v3 axis = cti_v3_zero();
    int k;
    for (k = 0; k < 3; k++)
        axis = cti_v3_mad(axis, cti_v3_at(b->y, b->layout.affines[side->rigid].block + 1 + k), side->triad[3 * (t->part - 1) + k]);
    return cti_v3_mul(cti_v3_cross(axis, f), -1);
}

/* impulses of a joint's ties on side a, as the user reads them, and, where they are known, the multipliers that the next step begins with.
   0: out of memory */
static int cti_tie_remember(cti_state *s, int first, int known, cti_memory *out)
{
    const cti_barrier *b = cti_barrier_own(s);
    const cti_joint *j = &s->bodies.joints[b->joints.ties[first].joint];
    cti_memory_item force[2];
    cti_v3 impulse[2];
    ct_real h2 = b->rule.contact;
    int i, p;
    memset(force, 0, sizeof force);
    impulse[0] = impulse[1] = cti_v3_zero();
    for (i = first; i < CTI_TIES(b) && b->joints.ties[i].joint == b->joints.ties[first].joint; i++) {
        const cti_barrier_tie *t = &b->joints.ties[i];
        ct_real whole;
        cti_v3 n, f = cti_tie_force(s, t, b->y), m = cti_v3_mul(cti_tie_multiplier(s, t, b->y, &n, &whole), 1 / h2);
        p = t->part > 0;
        cti_v3_put(t->part == 2 ? force[p].normal : t->part == 3 ? force[p].slip : force[p].impulse, 0, m);
        impulse[p] = cti_v3_add(impulse[p], cti_v3_mul(p ? cti_tie_moment(s, t, f) : cti_v3_mul(f, -1), b->h / h2));
    }
    for (p = 0; p < (cti_ties_of(j) > 1 ? 2 : 1); p++) {
        force[p].key = j->key + (uint64_t)p;
        force[p].dt = b->h;
        if (!cti_impulses_joint(s, force[p].key, impulse[p]) || (known && !cti_memory_add(s->mem, out, &force[p])))
            return 0;
    }
    return 1;
}

CTI_FN int cti_barrier_joints_close(cti_state *s, cti_memory *out, ct_step_report *r)
{
    cti_barrier *b = cti_barrier_own(s);
    double h2 = (double)b->rule.contact;
    int i;
    for (i = 0; i < CTI_TIES(b); i++) {
        const cti_barrier_tie *t = &b->joints.ties[i];
        cti_v3 f = cti_tie_force(s, t, b->y), went = cti_v3_sub(cti_tie_sum(t, b->y), cti_tie_sum(t, b->y0));
        /* the force is rounded, too: k times the positions */
        b->joints.rounded += (cti_tie_size(t, b->y, f) + cti_tie_size(t, b->y, cti_v3_mul(went, t->k))) / h2;
        r->work_joints -= (double)cti_v3_dot(f, went) / h2;
        if (t->part == 0 && !cti_tie_remember(s, i, r->status < CT_STATUS_BUDGET, out))
            return 0;
    }
    return 1;
}
