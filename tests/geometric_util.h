/* geometric_util.h -- random systems of collisions, their energy and momenta; worlds and piles of the geometric stepper. */
#ifndef GEOMETRIC_UTIL_H
#define GEOMETRIC_UTIL_H

#include "world_util.h"
#include "../src/8_geometric/geometric.h"
#include "../src/9_world/world.h"

#define FLOAT (CONTACT_REAL == 32)
#define TINY (FLOAT ? 2e-5 : 1e-12)

enum { MOST = 24, ROWS = 16, TERMS = 4 };

/* a random system of collisions: signed weights that sum to 0 on up to four particles each */
typedef struct fixture {
    cti_response system;
    ct_real inv[MOST], S[ROWS * TERMS], normal[3 * ROWS + 1], work[4 * MOST + 22 * ROWS], v[3 * MOST], place[3 * MOST];
    float pack[(8 + 2 * TERMS) * ROWS];
    int32_t start[ROWS + 1], particle[ROWS * TERMS], order[ROWS];
    uint8_t mode[ROWS], stick[ROWS];
    ct_real offset[3 * ROWS], target[ROWS], mu[ROWS], slack[ROWS], X[3 * ROWS];
} fixture;

static inline double span(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * lcg(seed); }

static inline void fixture_random(fixture *f, uint64_t *seed, double ratio)
{
    int c, i, k;
    memset(f, 0, sizeof *f);
    f->system.n = 4 + (int)(lcg(seed) * (MOST - 4)), f->system.m = 1 + (int)(lcg(seed) * (ROWS - 1));
    for (i = 0; i < f->system.n; i++) {
        f->inv[i] = (ct_real)pow(ratio, span(seed, -1, 1));
        for (k = 0; k < 3; k++) {
            f->v[3 * i + k] = (ct_real)span(seed, -1, 1);
            f->place[3 * i + k] = (ct_real)span(seed, -1, 1);
        }
    }
    for (c = 0; c < f->system.m; c++) {
        int vf = lcg(seed) < 0.5, first = f->start[c];
        double t[3], sum = 0;
        cti_v3 p = cti_v3_zero();
        f->order[c] = c, f->slack[c] = (ct_real)0.1;
        for (k = 0; k < 3; k++)
            sum += t[k] = lcg(seed);
        for (k = 0; k < 4; k++) {
            int again;
            do {
                f->particle[first + k] = (int32_t)(lcg(seed) * f->system.n);
                for (again = 0, i = 0; i < k; i++)
                    again |= f->particle[first + i] == f->particle[first + k];
            } while (again);
        }
        if (vf)
            for (f->S[first] = 1, k = 1; k < 4; k++)
                f->S[first + k] = (ct_real)(-t[k - 1] / sum);
        else
            f->S[first] = (ct_real)(1 - t[0]), f->S[first + 1] = (ct_real)t[0],
            f->S[first + 2] = (ct_real)(t[1] - 1), f->S[first + 3] = (ct_real)-t[1];
        f->start[c + 1] = first + 4;
        /* the normal of closest points is along their offset */
        for (k = first; k < first + 4; k++)
            p = cti_v3_mad(p, cti_v3_at(f->place, f->particle[k]), f->S[k]);
        cti_v3_put(f->normal, c, cti_v3_unit(p, cti_v3_make(0, 1, 0)));
        f->mu[c] = (ct_real)span(seed, 0, 1.5);
        f->mode[c] = CTI_RESPONSE_NORMAL;
    }
    f->system.inv = f->inv, f->system.start = f->start, f->system.particle = f->particle, f->system.S = f->S, f->system.normal = f->normal;
    f->system.mode = f->mode, f->system.work = f->work, f->system.width = TERMS, f->system.pack = f->pack;
}

static inline double kinetic(const fixture *f, const ct_real *v)
{
    double e = 0;
    int i;
    for (i = 0; i < f->system.n; i++)
        e += 0.5 * (double)cti_v3_norm2(cti_v3_at(v, i)) / (double)f->inv[i];
    return e;
}

/* linear and angular momentum of changes dv; size: of the forces X, whose rounding theirs is */
static inline void momenta(const fixture *f, const ct_real *X, const ct_real *v0, const ct_real *v1, double *linear, double *angular, double *size)
{
    cti_v3 P = cti_v3_zero(), L = cti_v3_zero();
    int i;
    *size = 0;
    for (i = 0; i < f->system.n; i++) {
        cti_v3 d = cti_v3_mul(cti_v3_sub(cti_v3_at(v1, i), cti_v3_at(v0, i)), 1 / f->inv[i]);
        P = cti_v3_add(P, d);
        L = cti_v3_add(L, cti_v3_cross(cti_v3_at(f->place, i), d));
        *size += (double)cti_v3_norm(d) + (double)(cti_v3_norm(cti_v3_at(v0, i)) / f->inv[i]);
    }
    for (i = 0; i < f->system.m; i++)
        *size += (double)cti_v3_norm(cti_v3_at(X, i));
    *linear = (double)cti_v3_norm(P), *angular = (double)cti_v3_norm(L);
}

/* ---- worlds ---- */

static inline ct_world *geometric_world(double thickness, double friction, books *b)
{
    ct_world_desc d = world_desc(thickness, friction, b);
    d.stepper = CT_STEPPER_GEOMETRIC;
    return world_make(&d);
}

/* layers of cloth, shifted against each other */
static inline ct_world *pile(int layers, int nx, int nz, double mu, ct_geometric_scheme scheme, ct_body_id *ids)
{
    ct_world_desc d = world_desc(4e-3, mu, NULL);
    ct_world *w;
    int i, k;
    d.stepper = CT_STEPPER_GEOMETRIC, d.geometric.scheme = scheme;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < layers; i++) {
        ct_mesh m = mesh_grid(0.2, 0.2, nx, nz);
        char name[16];
        for (k = 0; k < m.n_positions; k++) {
            m.positions[3 * k + 1] += (ct_real)(0.006 + 0.006 * i);
            m.positions[3 * k] += (ct_real)(0.003 * ((i * 7) % 5));
            m.positions[3 * k + 2] += (ct_real)(0.003 * ((i * 3) % 5));
        }
        snprintf(name, sizeof name, "layer%d", i);
        ids[i] = add_cloth_mesh(w, name, &m, CT_MODEL_MEMBRANE, 0.2);
        ct_mesh_free(&m);
    }
    return w;
}

#endif /* GEOMETRIC_UTIL_H */
