/* bend.c -- discrete-shell bending. theta = atan2(e/|e| . (n1 x n2), n1 . n2), n1 = e x (x2 - x0), n2 = (x3 - x0) x e.
   Gradient: with p_i = n_i / |n_i|^2,  theta_2 = -|e| p_1,  theta_3 = -|e| p_2,
   theta_1 = ((x2 - x0) . e p_1 + (x3 - x0) . e p_2) / |e|,  theta_0 = -(theta_1 + theta_2 + theta_3).
   based on: Grinspun et al. 2003 (energy), Bridson et al. 2003 and Wardetzky et al. 2007 (gradient). */
#include "bend.h"
#include "../1_math/elem.h"
#include "../1_math/vec.h"

CTI_FN ct_real cti_bend_angle(const ct_real *x)
{
    cti_v3 o = cti_v3_at(x, 0), e = cti_v3_sub(cti_v3_at(x, 1), o), n1 = cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 2), o)),
           n2 = cti_v3_cross(cti_v3_sub(cti_v3_at(x, 3), o), e);
    return cti_atan2(cti_v3_dot(cti_v3_cross(n1, n2), e), cti_v3_norm(e) * cti_v3_dot(n1, n2));
}

/* e x (x2 - x0) and e x (x3 - x0), twice the areas of the two triangles */
static ct_real cti_bend_area(const ct_real *x)
{
    cti_v3 o = cti_v3_at(x, 0), e = cti_v3_sub(cti_v3_at(x, 1), o);
    return CTI_R(0.5) * (cti_v3_norm(cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 2), o))) + cti_v3_norm(cti_v3_cross(e, cti_v3_sub(cti_v3_at(x, 3), o))));
}
CTI_FN ct_real cti_bend_least(const ct_real *x)
{
    ct_real area = cti_bend_area(x);
    return cti_max(CTI_R(1e-6) * area * area, CTI_R(1e-30));
}

CTI_FN int cti_bend_batch_init(cti_mem *mem, cti_bend_batch *t, const ct_material *m, const ct_real *X, const int32_t *hinges, int n_hinges,
                               int node_offset, const ct_real *stiff)
{
    int h, a, batches = (n_hinges + 7) / 8;
    t->n = n_hinges, t->damping_stiffness = m->damping_stiffness;
    if (!cti_element_nodes(mem, &t->node, hinges, n_hinges, 4, node_offset) ||
        !CTI_RESIZE(mem, t->rest, (size_t)batches * CTI_BEND_REST * 8))
        return 0;
    for (h = 0; h < 8 * batches; h++) {
        int source = cti_min_int(h, n_hinges - 1);
        const int32_t *q = hinges + 4 * source;
        ct_real *rest = t->rest + h / 8 * CTI_BEND_REST * 8 + h % 8, x[12], area;
        for (a = 0; a < 4; a++)
            cti_v3_put(x, a, cti_v3_at(X, q[a]));
        area = cti_bend_area(x);
        rest[0] = area > 0 ? m->bending * cti_v3_norm2(cti_v3_sub(cti_v3_at(x, 1), cti_v3_at(x, 0))) / area : CTI_R(0);
        rest[24] = stiff && stiff[2 * source + 1] >= 0 ? stiff[2 * source + 1] : rest[0];
        rest[0] = stiff && stiff[2 * source] >= 0 ? stiff[2 * source] : rest[0];
        rest[8] = cti_bend_angle(x);
        rest[16] = cti_bend_least(x);
    }
    return 1;
}

CTI_FN cti_r8 cti_bend_lanes(const cti_r8 *node, cti_r8 rest, cti_r8 least, cti_r8 *g)
{
    const cti_r8 pi = cti_set8(CTI_R(3.14159265358979324)), turn = cti_set8(CTI_R(6.28318530717958648));
    cti_r8 e[3], a[3], b[3], n1[3], n2[3], c[3], length, inverse, d, s1, s2;
    int i;
    cti_sub3_8(node + 3, node, e);
    cti_sub3_8(node + 6, node, a);
    cti_sub3_8(node + 9, node, b);
    cti_cross8(e, a, n1);
    cti_cross8(b, e, n2);
    cti_cross8(n1, n2, c);
    length = cti_sqrt8(cti_dot8(e, e));
    d = CTI_R8(atan2)(cti_dot8(c, e), cti_mul8(length, cti_dot8(n1, n2)));
    d = cti_sub8(d, rest);
    d = cti_select8(cti_lt8(pi, d), cti_sub8(d, turn), cti_select8(CTI_R8(le)(d, cti_neg8(pi)), cti_add8(d, turn), d));
    /* p_1, p_2, and the gradient */
    inverse = cti_div8(cti_set8(1), cti_max8(length, cti_set8(CTI_R(1e-30))));
    cti_scale3_8(cti_div8(cti_set8(1), cti_max8(cti_dot8(n1, n1), least)), n1, n1);
    cti_scale3_8(cti_div8(cti_set8(1), cti_max8(cti_dot8(n2, n2), least)), n2, n2);
    s1 = cti_mul8(inverse, cti_dot8(a, e)), s2 = cti_mul8(inverse, cti_dot8(b, e));
    for (i = 0; i < 3; i++) {
        g[6 + i] = cti_neg8(cti_mul8(length, n1[i])), g[9 + i] = cti_neg8(cti_mul8(length, n2[i]));
        g[3 + i] = cti_mad8(cti_mul8(s1, n1[i]), s2, n2[i]);
        g[i] = cti_neg8(cti_add8(g[3 + i], cti_add8(g[6 + i], g[9 + i])));
    }
    return d;
}

static cti_r8 cti_bend_gradient(const cti_bend_batch *t, int batch, const ct_real *x, cti_r8 *g)
{
    cti_r8 node[12];
    cti_element_gather(x, t->node + 32 * batch, 4, node);
    return cti_bend_lanes(node, cti_load8(t->rest + (batch * CTI_BEND_REST + 1) * 8), cti_load8(t->rest + (batch * CTI_BEND_REST + 2) * 8), g);
}

/* k g g', the upper blocks */
static void cti_bend_blocks(const cti_r8 *g, cti_r8 stiff, cti_r8 *k)
{
    int a, b, i;
    for (a = 0; a < 4; a++)
        for (b = a; b < 4; b++) {
            cti_r8 *m = k + 9 * CTI_UPPER(4, a, b);
            for (i = 0; i < 3; i++)
                cti_scale3_8(cti_mul8(stiff, g[3 * a + i]), g + 3 * b, m + 3 * i);
        }
}

CTI_FN void cti_bend_batch_assemble(const cti_bend_batch *t, const ct_real *x, ct_real dt, ct_real *force, ct_real *val, double *out_energy)
{
    const cti_r8 scale = cti_set8(dt * dt), viscous = cti_set8(dt * t->damping_stiffness), half = cti_set8(CTI_R(0.5));
    int batch, i;
    for (batch = 0; 8 * batch < t->n; batch++) {
        int count = cti_element_count(t->n, batch);
        cti_r8 g[12], f[12], k[90], stiff = cti_load8(t->rest + batch * CTI_BEND_REST * 8), d = cti_bend_gradient(t, batch, x, g), s;
        if (out_energy)
            *out_energy += cti_element_sum(cti_mul8(cti_mul8(half, stiff), cti_mul8(d, d)), count);
        if (force) {
            s = cti_neg8(cti_mul8(stiff, d));
            for (i = 0; i < 12; i++)
                f[i] = cti_mul8(s, g[i]);
            cti_element_scatter_force(force, t->node + 32 * batch, 4, count, f);
        }
        if (val) {
            s = cti_load8(t->rest + (batch * CTI_BEND_REST + 3) * 8);
            cti_bend_blocks(g, cti_mad8(cti_mul8(scale, stiff), viscous, s), k);
            cti_element_scatter_blocks(val, t->slot + 128 * batch, 4, count, k);
        }
    }
}

CTI_FN void cti_bend_batch_damping(const cti_bend_batch *t, const ct_real *x, const ct_real *v, ct_real slow, ct_real *out)
{
    const cti_r8 beta = cti_set8(t->damping_stiffness);
    int batch, i;
    for (batch = 0; t->damping_stiffness > 0 && 8 * batch < t->n; batch++) {
        cti_r8 g[12], f[12], rate[12], s = cti_set8(0), stretch = cti_set8(0);
        cti_bend_gradient(t, batch, x, g);
        cti_element_gather(v, t->node + 32 * batch, 4, rate);
        for (i = 0; i < 12; i++)
            s = cti_mad8(s, g[i], rate[i]), stretch = cti_mad8(stretch, g[i], g[i]);
        if (slow > 0)
            s = cti_div8(s, cti_mad8(cti_set8(1), cti_set8(slow), stretch));
        s = cti_mul8(cti_mul8(beta, cti_load8(t->rest + (batch * CTI_BEND_REST + 3) * 8)), s);
        for (i = 0; i < 12; i++)
            f[i] = cti_mul8(s, g[i]);
        cti_element_scatter_force(out, t->node + 32 * batch, 4, cti_element_count(t->n, batch), f);
    }
}
