/* model_check.h -- helpers for the tests of the material models: random numbers, a dense matrix behind slots, energies, forces and
   stiffness against finite differences, momentum, definiteness. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../src/1_math/eig3.h"
#include "../src/1_math/elem.h"
#include "../src/1_math/vec.h"
#include "../src/6_model/model.h"

#define MODEL_MAX 16 /* nodes of a checked body */

static uint64_t model_seed = 1;
/* uniform in [-1, 1) */
static inline ct_real model_random(void)
{
    model_seed = model_seed * 6364136223846793005ull + 1442695040888963407ull;
    return (ct_real)((double)(model_seed >> 11) / 4503599627370496.0 - 1.0);
}

/* slots of a dense matrix of *ctx block columns */
static inline int model_dense_slot(const void *ctx, int i, int j) { return i * *(const int *)ctx + j; }

typedef struct model_state {
    int n;
    ct_real force[3 * MODEL_MAX], K[9 * MODEL_MAX * MODEL_MAX];
    double energy;
    int extended;
} model_state;

static inline ct_real model_entry(const model_state *s, int i, int j) { return s->K[9 * ((i / 3) * s->n + j / 3) + 3 * (i % 3) + j % 3]; }

/* dt 1 and no stiffness damping: val is K itself */
static inline void model_eval(cti_model *model, int hessian, const ct_real *x, int n, model_state *out)
{
    memset(out, 0, sizeof *out);
    out->n = n;
    model->tets.hessian = model->membrane.hessian = model->springs.hessian = hessian;
    cti_model_assemble(model, x, 1, out->force, out->K, &out->extended, &out->energy);
}

static inline ct_real model_norm(const ct_real *a, int n)
{
    ct_real m = 0;
    int i;
    for (i = 0; i < n; i++)
        m = cti_max(m, cti_abs(a[i]));
    return m;
}

/* the largest |force + dE/dx| and |K + df/dx|, relative to the largest entries of force and of K */
static inline void model_differences(cti_model *model, const ct_real *x, int n, ct_real size, ct_real *out_force, ct_real *out_K)
{
    static model_state at, up, down;
    ct_real y[3 * MODEL_MAX], h = size * CTI_R(1e-5), worst_f = 0, worst_K = 0;
    int i, j;
    model_eval(model, CTI_HESSIAN_EXACT, x, n, &at);
    memcpy(y, x, sizeof(ct_real) * 3 * (size_t)n);
    for (i = 0; i < 3 * n; i++) {
        y[i] = x[i] + h;
        model_eval(model, CTI_HESSIAN_EXACT, y, n, &up);
        y[i] = x[i] - h;
        model_eval(model, CTI_HESSIAN_EXACT, y, n, &down);
        y[i] = x[i];
        worst_f = cti_max(worst_f, cti_abs(at.force[i] + (ct_real)((up.energy - down.energy) / (2 * (double)h))));
        for (j = 0; j < 3 * n; j++)
            worst_K = cti_max(worst_K, cti_abs(model_entry(&at, j, i) + (up.force[j] - down.force[j]) / (2 * h)));
    }
    /* forces are compared with those of a displacement by 1 % of the size, so that a state at rest has a scale, too */
    *out_K = worst_K / model_norm(at.K, 9 * n * n);
    *out_force = worst_f / cti_max(model_norm(at.force, 3 * n), CTI_R(0.01) * size * model_norm(at.K, 9 * n * n));
}

/* symmetric to the last bit; rows sum to zero, forces too, torques too */
static inline void model_check_balance(cti_model *model, int hessian, const ct_real *x, int n)
{
    static model_state s;
    cti_v3 f = cti_v3_zero(), m = cti_v3_zero();
    ct_real tol = 64 * CTI_EPS, scale, reach;
    int i, j;
    model_eval(model, hessian, x, n, &s);
    scale = model_norm(s.K, 9 * n * n), reach = model_norm(x, 3 * n);
    for (i = 0; i < 3 * n; i++) {
        ct_real sum[3] = {0, 0, 0};
        for (j = 0; j < 3 * n; j++) {
            assert_true(model_entry(&s, i, j) == model_entry(&s, j, i));
            sum[j % 3] += model_entry(&s, i, j);
        }
        assert_true(cti_abs(sum[0]) <= tol * scale && cti_abs(sum[1]) <= tol * scale && cti_abs(sum[2]) <= tol * scale);
    }
    for (i = 0; i < n; i++) {
        f = cti_v3_add(f, cti_v3_at(s.force, i));
        m = cti_v3_add(m, cti_v3_cross(cti_v3_at(x, i), cti_v3_at(s.force, i)));
    }
    scale = model_norm(s.force, 3 * n) + scale * reach * CTI_R(1e-2);
    assert_true(cti_v3_norm(f) <= tol * scale);
    assert_true(cti_v3_norm(m) <= 16 * tol * scale * reach);
}

/* K differs by rounding only where no negative eigenvalue is removed; at most four nodes */
static inline void model_check_definite(cti_model *model, int hessian, const ct_real *x, int n)
{
    static model_state s;
    ct_real a[144], b[144], scale;
    int i, j;
    assert_true(n <= 4);
    model_eval(model, hessian, x, n, &s);
    for (i = 0; i < 3 * n; i++)
        for (j = 0; j < 3 * n; j++)
            a[3 * n * i + j] = b[3 * n * i + j] = model_entry(&s, i, j);
    cti_psd_project(b, 3 * n, 0);
    scale = model_norm(a, 9 * n * n);
    for (i = 0; i < 9 * n * n; i++)
        assert_true(cti_abs(a[i] - b[i]) <= 256 * CTI_EPS * scale);
}

/* y = Q x + shift with a random rotation Q */
static inline void model_turn(const ct_real *x, int n, ct_real *y)
{
    ct_real f[9], q[9];
    int i;
    for (i = 0; i < 9; i++)
        f[i] = model_random();
    cti_polar3(f, q);
    for (i = 0; i < n; i++)
        cti_v3_put(y, i, cti_v3_add(cti_m3_mul_v(q, cti_v3_at(x, i)), cti_v3_make(CTI_R(0.3), CTI_R(-0.2), CTI_R(0.1))));
}

#endif /* MODEL_CHECK_H */
