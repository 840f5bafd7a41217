/* membrane.c -- cloth triangles: E = (F'F - 1) / 2 with F [3x2], plane stress S = Y ((1 - nu) E + nu tr E), Y = E t / (1 - nu^2).
   Energy A S:E / 2, force -A F S b_a, stiffness A (sum_ij C_ij g_ai g_bj' + (b_a' S+ b_b) 1), where g_ai is the gradient of strain i by
   node a. S+ is S with negative eigenvalues set to zero, which makes K positive semidefinite (its first part always is).
   based on: Bonet and Wood, Nonlinear Continuum Mechanics (membranes); Teran et al. 2005 (definiteness). */
#include "membrane.h"
#include "../1_math/vec.h"

/* ---- rest state ---- */

/* the triangle in its plane: X1 - X0 = (l, 0), X2 - X0 = (p, q); b = [l p; 0 q]^-1 by rows; returns the area */
static double cti_membrane_rest(const ct_real *X, const int32_t *tri, ct_real *b)
{
    cti_v3 o = cti_v3_at(X, tri[0]), e1 = cti_v3_sub(cti_v3_at(X, tri[1]), o), e2 = cti_v3_sub(cti_v3_at(X, tri[2]), o);
    ct_real l = cti_v3_norm(e1), twice = cti_v3_norm(cti_v3_cross(e1, e2)), longest = cti_max(l, cti_v3_norm(e2)), p, q;
    b[0] = b[1] = b[2] = b[3] = b[4] = 0;
    if (!(twice > 64 * CTI_EPS * longest * longest) || !cti_finite(twice))
        return 0;
    p = cti_v3_dot(e1, e2) / l, q = twice / l;
    b[0] = 1 / l, b[1] = -p / (l * q), b[2] = 0, b[3] = 1 / q;
    b[4] = twice / 2;
    return (double)b[4];
}

CTI_FN int cti_membrane_batch_init(cti_mem *mem, cti_membrane_batch *t, const ct_material *m, const cti_rest_mesh *rest, int64_t *out_bad,
                                   double *out_value)
{
    int e, i, batches = (rest->n + 7) / 8;
    t->n = rest->n, t->hessian = CTI_HESSIAN_STEP;
    t->areal_density = m->areal_density, t->damping_stiffness = m->damping_stiffness;
    /* mass-spring cloth uses this batch for areas only */
    t->poisson = m->model == CT_MODEL_MEMBRANE ? m->poisson : CTI_R(0);
    t->stiff = m->model == CT_MODEL_MEMBRANE ? m->young * m->shell_thickness / (1 - m->poisson * m->poisson) : CTI_R(0);
    if (!cti_element_nodes(mem, &t->node, rest->elements, rest->n, 3, rest->node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_MEMBRANE_REST * 8))
        return 0;
    for (e = 0; e < 8 * batches; e++) {
        int source = cti_min_int(e, rest->n - 1);
        ct_real b[CTI_MEMBRANE_REST];
        double area = cti_membrane_rest(rest->X, rest->elements + 3 * source, b);
        if (!(area > 0)) {
            *out_bad = source, *out_value = area;
            return -1;
        }
        for (i = 0; i < CTI_MEMBRANE_REST; i++)
            t->rest[(e / 8 * CTI_MEMBRANE_REST + i) * 8 + e % 8] = b[i];
    }
    return 1;
}

CTI_FN void cti_membrane_batch_mass(const cti_membrane_batch *t, ct_real *mass)
{
    int e, a;
    for (e = 0; e < t->n; e++)
        for (a = 0; a < 3; a++)
            mass[t->node[3 * e + a]] += t->areal_density * t->rest[(e / 8 * CTI_MEMBRANE_REST + 4) * 8 + e % 8] / 3;
}

/* ---- a batch ---- */

typedef struct cti_membrane_lanes {
    cti_r8 b[4], area;   /* b_1 = (b0, b1), b_2 = (b2, b3) */
    cti_r8 f1[3], f2[3]; /* columns of F */
    cti_r8 s11, s22, s12;
    cti_r8 psi;
} cti_membrane_lanes;

static void cti_membrane_load(const cti_membrane_batch *t, int batch, const ct_real *x, cti_membrane_lanes *w)
{
    const cti_r8 half = cti_set8(CTI_R(0.5)), one = cti_set8(1), nu = cti_set8(t->poisson), y = cti_set8(t->stiff);
    cti_r8 node[9], e1[3], e2[3], e11, e22, e12;
    int i;
    cti_element_gather(x, t->node + 24 * batch, 3, node);
    for (i = 0; i < 4; i++)
        w->b[i] = cti_load8(t->rest + (batch * CTI_MEMBRANE_REST + i) * 8);
    w->area = cti_load8(t->rest + (batch * CTI_MEMBRANE_REST + 4) * 8);
    /* F = [x1 - x0, x2 - x0] b, E = (F'F - 1) / 2 */
    cti_sub3_8(node + 3, node, e1);
    cti_sub3_8(node + 6, node, e2);
    for (i = 0; i < 3; i++) {
        w->f1[i] = cti_mad8(cti_mul8(e1[i], w->b[0]), e2[i], w->b[2]);
        w->f2[i] = cti_mad8(cti_mul8(e1[i], w->b[1]), e2[i], w->b[3]);
    }
    e11 = cti_mul8(half, cti_sub8(cti_dot8(w->f1, w->f1), one)), e22 = cti_mul8(half, cti_sub8(cti_dot8(w->f2, w->f2), one));
    e12 = cti_mul8(half, cti_dot8(w->f1, w->f2));
    w->s11 = cti_mul8(y, cti_mad8(e11, nu, e22)), w->s22 = cti_mul8(y, cti_mad8(e22, nu, e11));
    w->s12 = cti_mul8(cti_mul8(y, cti_sub8(one, nu)), e12);
    w->psi = cti_mul8(half, cti_mad8(cti_mad8(cti_mul8(w->s11, e11), w->s22, e22), cti_add8(w->s12, w->s12), e12));
}

/* f_a = -A F S b_a */
static void cti_membrane_forces(const cti_membrane_lanes *w, cti_r8 *f)
{
    int a, i;
    for (a = 1; a < 3; a++) {
        const cti_r8 *b = w->b + 2 * (a - 1);
        cti_r8 c1 = cti_mul8(w->area, cti_mad8(cti_mul8(w->s11, b[0]), w->s12, b[1]));
        cti_r8 c2 = cti_mul8(w->area, cti_mad8(cti_mul8(w->s12, b[0]), w->s22, b[1]));
        for (i = 0; i < 3; i++)
            f[3 * a + i] = cti_neg8(cti_mad8(cti_mul8(c1, w->f1[i]), c2, w->f2[i]));
    }
    for (i = 0; i < 3; i++)
        f[i] = cti_neg8(cti_add8(f[3 + i], f[6 + i]));
}

/* S+ : eigenvalues m +- r of S below zero become zero */
static void cti_membrane_clamp(cti_membrane_lanes *w)
{
    const cti_r8 half = cti_set8(CTI_R(0.5)), zero = cti_set8(0);
    cti_r8 m = cti_mul8(half, cti_add8(w->s11, w->s22)), d = cti_mul8(half, cti_sub8(w->s11, w->s22)), r, hi, lo, mid, ratio;
    r = cti_sqrt8(cti_mad8(cti_mul8(d, d), w->s12, w->s12));
    hi = cti_max8(cti_add8(m, r), zero), lo = cti_max8(cti_sub8(m, r), zero);
    mid = cti_mul8(half, cti_add8(hi, lo));
    ratio = cti_div8(cti_mul8(half, cti_sub8(hi, lo)), cti_select8(cti_lt8(zero, r), r, cti_set8(1)));
    w->s11 = cti_mad8(mid, ratio, d), w->s22 = cti_nmad8(mid, ratio, d), w->s12 = cti_mul8(ratio, w->s12);
}

/* block (a, b): A scale (p f1 f1' + q f1 f2' + r f2 f1' + s f2 f2') + A stress g 1 */
static void cti_membrane_block(const cti_membrane_batch *t, const cti_membrane_lanes *w, const cti_r8 *a, const cti_r8 *b, cti_r8 scale,
                               cti_r8 stress, cti_r8 *k)
{
    const cti_r8 y = cti_mul8(scale, cti_set8(t->stiff)), c12 = cti_scale8(t->poisson, y),
                 c33 = cti_scale8(CTI_R(0.5) * (1 - t->poisson), y);
    cti_r8 ab11 = cti_mul8(a[0], b[0]), ab22 = cti_mul8(a[1], b[1]), ab12 = cti_mul8(a[0], b[1]), ab21 = cti_mul8(a[1], b[0]), p, q, r, s,
           g, x1, x2;
    int i;
    p = cti_mad8(cti_mul8(y, ab11), c33, ab22), s = cti_mad8(cti_mul8(y, ab22), c33, ab11);
    q = cti_mad8(cti_mul8(c12, ab12), c33, ab21), r = cti_mad8(cti_mul8(c12, ab21), c33, ab12);
    g = cti_mad8(cti_mad8(cti_mul8(w->s11, ab11), w->s22, ab22), w->s12, cti_add8(ab12, ab21));
    g = cti_mul8(stress, g);
    for (i = 0; i < 3; i++) {
        x1 = cti_mad8(cti_mul8(p, w->f1[i]), r, w->f2[i]), x2 = cti_mad8(cti_mul8(q, w->f1[i]), s, w->f2[i]);
        k[3 * i] = cti_mad8(cti_mul8(x1, w->f1[0]), x2, w->f2[0]);
        k[3 * i + 1] = cti_mad8(cti_mul8(x1, w->f1[1]), x2, w->f2[1]);
        k[3 * i + 2] = cti_mad8(cti_mul8(x1, w->f1[2]), x2, w->f2[2]);
        k[4 * i] = cti_add8(k[4 * i], g);
    }
}

/* blocks 11, 12, 22, then K_01 = -(K_11 + K_12'), K_02 = -(K_12 + K_22), K_00 = -(K_01 + K_02) */
static void cti_membrane_blocks(const cti_membrane_batch *t, const cti_membrane_lanes *w, cti_r8 scale, cti_r8 stress, cti_r8 *k)
{
    int i, j;
    scale = cti_mul8(scale, w->area), stress = cti_mul8(stress, w->area);
    cti_membrane_block(t, w, w->b, w->b, scale, stress, k + 9 * CTI_UPPER(3, 1, 1));
    cti_membrane_block(t, w, w->b, w->b + 2, scale, stress, k + 9 * CTI_UPPER(3, 1, 2));
    cti_membrane_block(t, w, w->b + 2, w->b + 2, scale, stress, k + 9 * CTI_UPPER(3, 2, 2));
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            int o = 3 * i + j, h = 3 * j + i;
            cti_r8 c1 = cti_add8(k[9 * CTI_UPPER(3, 1, 1) + o], k[9 * CTI_UPPER(3, 1, 2) + h]);
            cti_r8 c2 = cti_add8(k[9 * CTI_UPPER(3, 1, 2) + o], k[9 * CTI_UPPER(3, 2, 2) + o]);
            k[9 * CTI_UPPER(3, 0, 1) + o] = cti_neg8(c1), k[9 * CTI_UPPER(3, 0, 2) + o] = cti_neg8(c2);
            k[o] = cti_add8(c1, c2);
        }
}

CTI_FN void cti_membrane_batch_assemble(const cti_membrane_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val,
                                        double *out_energy)
{
    /* the stress term is not damped, since stress rotates with the cloth */
    const cti_r8 scale = cti_set8(dt * dt + dt * t->damping_stiffness), stress = cti_set8(dt * dt);
    int batch;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_membrane_lanes w;
        cti_r8 f[9], k[54];
        cti_membrane_load(t, batch, x, &w);
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(w.area, w.psi), count);
        if (force) {
            cti_membrane_forces(&w, f);
            cti_element_scatter_force(force, t->node + 24 * batch, 3, count, f);
        }
        if (!val)
            continue;
        if (t->hessian != CTI_HESSIAN_EXACT)
            cti_membrane_clamp(&w);
        cti_membrane_blocks(t, &w, scale, stress, k);
        cti_element_scatter_blocks(val, t->slot + 72 * batch, 3, count, k);
    }
}

CTI_FN void cti_membrane_batch_stress(const cti_membrane_batch *t, const ct_real *x, ct_real thickness, ct_real *out)
{
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        cti_membrane_lanes w;
        cti_r8 n[3], g1[3], g2[3], sigma[9], j;
        cti_membrane_load(t, batch, x, &w);
        cti_cross8(w.f1, w.f2, n);
        j = cti_scale8(thickness, cti_max8(cti_sqrt8(cti_dot8(n, n)), cti_set8(CTI_EPS)));
        for (i = 0; i < 3; i++) { /* F S */
            g1[i] = cti_div8(cti_mad8(cti_mul8(w.f1[i], w.s11), w.f2[i], w.s12), j);
            g2[i] = cti_div8(cti_mad8(cti_mul8(w.f1[i], w.s12), w.f2[i], w.s22), j);
        }
        for (i = 0; i < 9; i++)
            sigma[i] = cti_mad8(cti_mul8(g1[i / 3], w.f1[i % 3]), g2[i / 3], w.f2[i % 3]);
        cti_element_put_stress(out, batch, cti_element_count(t->n, batch), sigma);
    }
}

CTI_FN void cti_membrane_batch_damping(const cti_membrane_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out)
{
    const cti_r8 half = cti_set8(CTI_R(0.5)), nu = cti_set8(t->poisson), y = cti_set8(-t->damping_stiffness * t->stiff);
    int batch;
    for (batch = 0; t->damping_stiffness > 0 && 8 * batch < t->n; batch++) {
        cti_membrane_lanes w, rate;
        cti_r8 f[9], e11, e22, e12;
        cti_membrane_load(t, batch, x, &w);
        cti_membrane_load(t, batch, v, &rate);
        if (slow > 0) { /* the largest sum of a row of F' F */
            e12 = cti_add8(cti_max8(cti_dot8(w.f1, w.f1), cti_dot8(w.f2, w.f2)), cti_abs8(cti_dot8(w.f1, w.f2)));
            w.area = cti_div8(w.area, cti_mad8(cti_set8(1), cti_set8(slow), e12));
        }
        /* the rate of E, and -beta times the stress of this strain */
        e11 = cti_dot8(w.f1, rate.f1), e22 = cti_dot8(w.f2, rate.f2);
        e12 = cti_mul8(half, cti_add8(cti_dot8(w.f1, rate.f2), cti_dot8(w.f2, rate.f1)));
        w.s11 = cti_mul8(y, cti_mad8(e11, nu, e22)), w.s22 = cti_mul8(y, cti_mad8(e22, nu, e11));
        w.s12 = cti_mul8(cti_mul8(y, cti_sub8(cti_set8(1), nu)), e12);
        cti_membrane_forces(&w, f);
        cti_element_scatter_force(out, t->node + 24 * batch, 3, cti_element_count(t->n, batch), f);
    }
}
