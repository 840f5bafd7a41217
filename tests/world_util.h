/* world_util.h -- helpers for the tests of whole worlds: a seeded generator, an allocator that counts, checks its arguments and fails on
   demand, and bodies made from shapes. Every function is static inline, so that a test uses only what it needs. */
#ifndef TEST_WORLD_UTIL_H
#define TEST_WORLD_UTIL_H

#include "../src/public/api.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "plain.h"

/* ---- random numbers ---- */
static inline double lcg(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* ---- an allocator that keeps records: every block stores its size, so that a wrong old_size is found ---- */
typedef struct books {
    int64_t calls, live, blocks;
    int64_t fail_at;  /* the call with this number (from 1) fails; 0: none */
    int fail_on;      /* 1: so do all later ones */
    int64_t refused, wrong;
} books;

static inline void *books_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    books *b = (books *)user;
    unsigned char *raw = block ? (unsigned char *)block - 16 : NULL;
    size_t have = 0;
    if (raw)
        memcpy(&have, raw, sizeof have);
    if (have != old_size)
        b->wrong++;
    if (new_size == 0) {
        if (raw)
            b->blocks--, b->live -= (int64_t)have;
        free(raw);
        return NULL;
    }
    b->calls++;
    if (b->fail_at && (b->calls == b->fail_at || (b->fail_on && b->calls > b->fail_at))) {
        b->refused++;
        return NULL;
    }
    /* always a new block, filled with garbage: code must not rely on old addresses or on zeroes */
    {
        unsigned char *fresh = (unsigned char *)malloc(new_size + 16);
        if (!fresh)
            abort();
        memset(fresh, 0xa5, new_size + 16);
        memcpy(fresh, &new_size, sizeof new_size);
        if (raw) {
            memcpy(fresh + 16, block, have < new_size ? have : new_size);
            b->live -= (int64_t)have;
            free(raw);
        } else
            b->blocks++;
        b->live += (int64_t)new_size;
        return fresh + 16;
    }
}

static inline ct_world_desc world_desc(double thickness, double friction, books *b)
{
    ct_world_desc d = ct_world_desc_default();
    d.thickness = (ct_real)thickness;
    d.friction = (ct_real)friction;
    if (b) {
        d.allocator.resize = books_resize;
        d.allocator.user = b;
    }
    return d;
}

static inline ct_world *world_make(const ct_world_desc *d)
{
    ct_world *w = NULL;
    ct_error_info e;
    ct_code code = ct_world_create(d, &w, &e);
    if (code != CT_OK)
        print_message("ct_world_create: %s\n", e.text);
    assert_int_equal(code, CT_OK);
    return w;
}

/* ---- meshes ---- */
static inline ct_mesh mesh_box(double sx, double sy, double sz, int nx, int ny, int nz, int with_tets)
{
    ct_mesh m;
    ct_real size[3];
    int cells[3];
    memset(&m, 0, sizeof m);
    size[0] = (ct_real)sx, size[1] = (ct_real)sy, size[2] = (ct_real)sz;
    cells[0] = nx, cells[1] = ny, cells[2] = nz;
    assert_int_equal(ct_mesh_box(size, cells, with_tets, &m, NULL), CT_OK);
    return m;
}

static inline ct_mesh mesh_grid(double sx, double sz, int nx, int nz)
{
    ct_mesh m;
    ct_real size[2];
    int cells[2];
    memset(&m, 0, sizeof m);
    size[0] = (ct_real)sx, size[1] = (ct_real)sz;
    cells[0] = nx, cells[1] = nz;
    assert_int_equal(ct_mesh_grid(size, cells, &m, NULL), CT_OK);
    return m;
}

/* x <- R(axis z, angle) x + t */
static inline void mesh_place(ct_mesh *m, double angle, double tx, double ty, double tz)
{
    double c = cos(angle), s = sin(angle);
    int i;
    for (i = 0; i < m->n_positions; i++) {
        ct_real *p = m->positions + 3 * i;
        double x = (double)p[0], y = (double)p[1];
        p[0] = (ct_real)(c * x - s * y + tx);
        p[1] = (ct_real)(s * x + c * y + ty);
        p[2] = (ct_real)((double)p[2] + tz);
    }
}

/* ---- bodies ---- */
static inline ct_body_id add_soft_mesh(ct_world *w, const char *name, const ct_mesh *m, double young, double vx, double vy, double vz)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_body_id id = {0, 0};
    ct_code code;
    d.name = name;
    d.mesh = m;
    d.material.young = (ct_real)young;
    d.material.poisson = (ct_real)0.4;
    d.material.density = 1000;
    d.velocity[0] = (ct_real)vx, d.velocity[1] = (ct_real)vy, d.velocity[2] = (ct_real)vz;
    code = ct_body_add_soft(w, &d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_soft: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

/* a box of `size`, n^3 cells, its centre at (x, y, z) */
static inline ct_body_id add_soft_box(ct_world *w, const char *name, double size, int n, double young, double x, double y, double z)
{
    ct_mesh m = mesh_box(size, size, size, n, n, n, 1);
    ct_body_id id;
    mesh_place(&m, 0, x, y, z);
    id = add_soft_mesh(w, name, &m, young, 0, 0, 0);
    ct_mesh_free(&m);
    return id;
}

static inline ct_body_id add_plane(ct_world *w, double nx, double ny, double nz, double offset)
{
    ct_static_desc d = ct_static_desc_default();
    ct_body_id id = {0, 0};
    d.name = "plane";
    d.plane_normal[0] = (ct_real)nx, d.plane_normal[1] = (ct_real)ny, d.plane_normal[2] = (ct_real)nz;
    d.plane_offset = (ct_real)offset;
    assert_int_equal(ct_body_add_static(w, &d, &id), CT_OK);
    return id;
}

static inline ct_body_id add_cloth_mesh(ct_world *w, const char *name, const ct_mesh *m, ct_model model, double areal_density)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_body_id id = {0, 0};
    ct_code code;
    d.name = name;
    d.mesh = m;
    d.material = ct_material_default(model);
    d.material.areal_density = (ct_real)areal_density;
    code = ct_body_add_cloth(w, &d, &id);
    if (code != CT_OK)
        print_message("ct_body_add_cloth: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return id;
}

/* ---- reading ---- */
static inline double *read_vectors(const ct_world *w, ct_body_id id, int velocities, int *out_n)
{
    int n = ct_body_vertex_count(w, id);
    double *x = (double *)malloc(sizeof(double) * 3 * (size_t)(n ? n : 1));
    if (velocities)
        assert_int_equal(ct_body_get_velocities(w, id, x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    else
        assert_int_equal(ct_body_get_positions(w, id, x, CT_SCALAR_DOUBLE, 3 * sizeof(double), NULL), CT_OK);
    if (out_n)
        *out_n = n;
    return x;
}

/* mean of the vertices: enough to follow a body with a regular mesh */
static inline void read_middle(const ct_world *w, ct_body_id id, int velocities, double out[3])
{
    int n, i, k;
    double *x = read_vectors(w, id, velocities, &n);
    out[0] = out[1] = out[2] = 0;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++)
            out[k] += x[3 * i + k] / n;
    free(x);
}

static inline int count_intersections(const ct_world *w)
{
    ct_pair *pairs = NULL;
    int n = -1;
    assert_int_equal(ct_world_validate(w, &pairs, &n), CT_OK);
    return n;
}

static inline ct_step_report step_once(ct_world *w, double dt)
{
    ct_step_report r;
    ct_code code = ct_world_step(w, (ct_real)dt, &r);
    if (code != CT_OK)
        print_message("ct_world_step: %s\n", ct_world_error(w)->text);
    assert_int_equal(code, CT_OK);
    return r;
}

#endif /* TEST_WORLD_UTIL_H */
