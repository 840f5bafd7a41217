/* friction_system.c -- linear systems (A + B (W + sigma I)) x = y of frictional contact: A and B of 3x3 blocks on the diagonal.
   Method: LU of the contacts whose B is not 0: dense where W is, else by groups of contacts with the same neighbours and one step of refinement. */
#include "../0_base/sort.h"
#include "../2_linalg/lu.h"
#include "friction.h"

static int cti_friction_system_dense(cti_friction_system *s)
{
    cti_arena *arena = s->f->e->arena;
    s->dense.ld = cti_pad8(s->f->m) + 8;
    s->dense.matrix = CTI_ARENA_NEW(arena, double, (size_t)s->f->m *(size_t)s->dense.ld);
    s->dense.scratch = CTI_ARENA_NEW(arena, double, cti_lu_scratch(s->f->m));
    s->dense.pivot = CTI_ARENA_NEW(arena, int, s->f->m);
    return s->dense.matrix && s->dense.scratch && s->dense.pivot;
}

/* ---- groups ---- */

/* a hash that contacts with the same columns share */
static uint32_t cti_friction_system_hash(const cti_friction *f, int i)
{
    uint32_t sum = (uint32_t)(f->first[i + 1] - f->first[i]), h;
    int k;
    for (k = f->first[i]; k < f->first[i + 1]; k++) {
        h = (uint32_t)f->column[k] * 2654435761u;
        sum += h ^ h >> 15;
    }
    return sum;
}

/* sorts the contacts by their hash and cuts them into groups. 0: out of memory */
static int cti_friction_system_group(cti_friction_system *s)
{
    const cti_friction *f = s->f;
    cti_arena *arena = f->e->arena;
    uint32_t *key = CTI_ARENA_NEW(arena, uint32_t, f->nc), *key2 = CTI_ARENA_NEW(arena, uint32_t, f->nc);
    int32_t *spare = CTI_ARENA_NEW(arena, int32_t, f->nc);
    int i, k, end, parts;
    s->groups.group = CTI_ARENA_NEW(arena, int32_t, f->nc), s->groups.member = CTI_ARENA_NEW(arena, int32_t, f->nc);
    s->groups.begin = CTI_ARENA_NEW(arena, int32_t, f->nc + 1);
    if (!key || !key2 || !spare || !s->groups.group || !s->groups.member || !s->groups.begin)
        return 0;
    for (i = 0; i < f->nc; i++)
        key[i] = cti_friction_system_hash(f, i), s->groups.member[i] = i;
    cti_sort_u32(key, s->groups.member, key2, spare, f->nc);
    for (s->groups.n = 0, i = 0; i < f->nc; i = end) {
        for (end = i + 1; end < f->nc && key[end] == key[i]; end++) {
        }
        parts = (end - i + CTI_FRICTION_GROUP - 1) / CTI_FRICTION_GROUP;
        for (k = 0; k < parts; k++)
            s->groups.begin[s->groups.n++] = i + (int)((int64_t)(end - i) * k / parts);
    }
    s->groups.begin[s->groups.n] = f->nc;
    for (k = 0; k < s->groups.n; k++)
        for (i = s->groups.begin[k]; i < s->groups.begin[k + 1]; i++)
            s->groups.group[s->groups.member[i]] = k;
    return 1;
}

/* finds which groups are coupled. 0: out of memory */
static int cti_friction_system_meet(cti_friction_system *s)
{
    const cti_friction *f = s->f;
    int32_t *seen = CTI_ARENA_NEW(f->e->arena, int32_t, s->groups.n);
    int g, i, k, pass, n = 0;
    s->groups.first = CTI_ARENA_NEW(f->e->arena, int32_t, s->groups.n + 1), s->groups.size = CTI_ARENA_NEW(f->e->arena, int32_t, s->groups.n);
    for (pass = 0; pass < 2; pass++) {
        if (!seen || !s->groups.first || !s->groups.size)
            return 0;
        memset(seen, -1, sizeof *seen * (size_t)s->groups.n);
        for (n = 0, g = 0; g < s->groups.n; s->groups.first[++g] = n)
            for (s->groups.first[g] = n, i = s->groups.begin[g]; i < s->groups.begin[g + 1]; i++)
                for (k = f->first[s->groups.member[i]]; k < f->first[s->groups.member[i] + 1]; k++) {
                    int h = s->groups.group[f->column[k]];
                    if (seen[h] == g)
                        continue;
                    seen[h] = g;
                    if (pass)
                        s->groups.column[n] = h;
                    n++;
                }
        s->groups.column = pass ? s->groups.column : CTI_ARENA_NEW(f->e->arena, int32_t, n);
        if (!s->groups.column)
            return 0;
    }
    return 1;
}

CTI_FN int cti_friction_system_open(cti_friction_system *s, cti_friction *f)
{
    cti_arena *arena = f->e->arena;
    s->f = f, s->grouped = !f->W;
    s->work = CTI_ARENA_NEW(arena, double, f->m), s->rhs = CTI_ARENA_NEW(arena, double, 3 * (size_t)f->m);
    s->dense.active = CTI_ARENA_NEW(arena, int32_t, f->nc), s->dense.place = CTI_ARENA_NEW(arena, int32_t, f->nc);
    if (!s->work || !s->rhs || !s->dense.active || !s->dense.place)
        return 0;
    if (!s->grouped)
        return cti_friction_system_dense(s);
    return cti_friction_system_group(s) && cti_friction_system_meet(s) &&
           cti_panel_lu_open(&arena->own, &s->groups.panel, s->groups.n, s->groups.first, s->groups.column);
}

/* out [3 rows of ld]: B times a 3x3 block of rows `stride` apart */
static void cti_friction_system_put(const double *B, const double *w, size_t stride, double *out, size_t ld)
{
    int a, b;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            out[(size_t)a * ld + (size_t)b] =
                B[3 * a] * w[b] + B[3 * a + 1] * w[stride + (size_t)b] + B[3 * a + 2] * w[2 * stride + (size_t)b];
}

/* lists the contacts whose B is not 0 */
static void cti_friction_system_list(cti_friction_system *s)
{
    int i, k;
    for (s->dense.n_active = 0, i = 0; i < s->f->nc; i++) {
        const double *B = s->B + 9 * (size_t)i;
        for (s->dense.place[i] = -1, k = 0; k < 9; k++)
            if (B[k] != 0)
                s->dense.place[i] = s->dense.n_active;
        if (s->dense.place[i] >= 0)
            s->dense.active[s->dense.n_active++] = i;
    }
}

/* block row of contact i among the listed contacts */
static void cti_friction_system_row(cti_friction_system *s, int i)
{
    const cti_friction *f = s->f;
    const double *A = s->A + 9 * (size_t)i, *B = s->B + 9 * (size_t)i;
    size_t ld = (size_t)s->dense.ld, at = (size_t)s->dense.place[i], k;
    double *out = s->dense.matrix + 3 * at * ld;
    int a, b;
    memset(out, 0, 3 * ld * sizeof *out);
    if (f->W) {
        const double *row = f->W + 3 * (size_t)i * (size_t)f->ld;
        for (k = 0; k < (size_t)s->dense.n_active; k++)
            cti_friction_system_put(B, row + 3 * s->dense.active[k], (size_t)f->ld, out + 3 * k, ld);
    } else {
        for (a = f->first[i]; a < f->first[i + 1]; a++)
            if (s->dense.place[f->column[a]] >= 0)
                cti_friction_system_put(B, f->block + 9 * (size_t)a, 3, out + 3 * (size_t)s->dense.place[f->column[a]], ld);
    }
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++)
            out[(size_t)a * ld + 3 * at + (size_t)b] += A[3 * a + b] + s->sigma * B[3 * a + b];
}

/* index of each contact among those of its group with B not 0, or -1; also the groups' sizes */
static void cti_friction_system_rank(cti_friction_system *s)
{
    int g, i, k;
    cti_friction_system_list(s);
    for (g = 0; g < s->groups.n; g++)
        for (s->groups.size[g] = 0, i = s->groups.begin[g]; i < s->groups.begin[g + 1]; i++) {
            k = s->groups.member[i];
            if (s->dense.place[k] >= 0)
                s->dense.place[k] = s->groups.size[g] / 3, s->groups.size[g] += 3;
        }
}

/* writes the rows of contact i into the panels */
static void cti_friction_system_panel_row(cti_friction_system *s, int i)
{
    const cti_friction *f = s->f;
    const double *A = s->A + 9 * (size_t)i, *B = s->B + 9 * (size_t)i;
    double *to = NULL, *block = NULL;
    int k, a, b, ld = 0, group = -1;
    for (k = f->first[i]; k < f->first[i + 1]; k++) {
        int j = f->column[k];
        if (s->dense.place[j] < 0)
            continue;
        if (s->groups.group[j] != group)
            group = s->groups.group[j], block = cti_panel_lu_block(&s->groups.panel, s->groups.group[i], group, &ld);
        to = block + 3 * (size_t)s->dense.place[i] * (size_t)ld + 3 * s->dense.place[j];
        cti_friction_system_put(B, f->block + 9 * (size_t)k, 3, to, (size_t)ld);
        for (a = 0; a < 3 && i == j; a++)
            for (b = 0; b < 3; b++)
                to[cti_index(a, ld, b)] += A[3 * a + b] + s->sigma * B[3 * a + b];
    }
}

static int cti_friction_system_factor_groups(cti_friction_system *s)
{
    int k;
    cti_friction_system_rank(s);
    s->f->run.memory |= !cti_panel_lu_clear(&s->f->e->arena->own, &s->groups.panel, s->groups.size);
    if (s->f->run.memory)
        return 0;
    for (k = 0; k < s->dense.n_active; k++)
        cti_friction_system_panel_row(s, s->dense.active[k]);
    return cti_panel_lu_factor(&s->groups.panel);
}

CTI_FN int cti_friction_system_factor(cti_friction_system *s, const double *A, const double *B, double sigma)
{
    int k;
    s->A = A, s->B = B, s->sigma = sigma;
    if (s->grouped)
        return cti_friction_system_factor_groups(s);
    cti_friction_system_list(s);
    for (k = 0; k < s->dense.n_active; k++)
        cti_friction_system_row(s, s->dense.active[k]);
    return cti_lu_factor(s->dense.matrix, 3 * s->dense.n_active, s->dense.ld, s->dense.pivot, s->dense.scratch);
}

/* rest -= (A + B (W + sigma I)) x */
static void cti_friction_system_rest(cti_friction_system *s, const double *x, double *rest)
{
    int i, a;
    cti_friction_mul(s->f, x, s->work);
    for (i = 0; i < s->f->m; i++) {
        const double *A = s->A + 3 * i, *B = s->B + 3 * i, *xi = x + i - i % 3, *wi = s->work + i - i % 3;
        for (a = 0; a < 3; a++)
            rest[i] -= A[a] * xi[a] + B[a] * (wi[a] + s->sigma * xi[a]);
    }
}

/* contacts whose A is the identity are known: writes their effect on all others to work; 0 if there is none */
static int cti_friction_system_known(cti_friction_system *s, const double *x)
{
    int i, others = 0;
    for (i = 0; i < s->f->m; i++) {
        s->rhs[i] = s->dense.place[i / 3] < 0 ? x[i] : 0;
        others |= s->rhs[i] != 0;
    }
    if (others)
        cti_friction_mul(s->f, s->rhs, s->work);
    return others;
}

/* the right side of active contact j without the known contacts */
static void cti_friction_system_right(const cti_friction_system *s, const double *x, int j, int others, double *out)
{
    const double *B = s->B + 9 * (size_t)j, *v = s->work + 3 * j;
    int a;
    for (a = 0; a < 3; a++, B += 3)
        out[a] = x[3 * j + a] - (others ? B[0] * v[0] + B[1] * v[1] + B[2] * v[2] : 0);
}

static void cti_friction_system_solve_dense(cti_friction_system *s, double *x)
{
    int k, others = cti_friction_system_known(s, x);
    for (k = 0; k < s->dense.n_active; k++)
        cti_friction_system_right(s, x, s->dense.active[k], others, s->rhs + 3 * k);
    cti_lu_solve(s->dense.matrix, 3 * s->dense.n_active, s->dense.ld, s->dense.pivot, s->rhs);
    for (k = 0; k < 3 * s->dense.n_active; k++)
        x[3 * s->dense.active[k / 3] + k % 3] = s->rhs[k];
}

/* as cti_friction_system_solve_dense, by groups */
static void cti_friction_system_solve_groups(cti_friction_system *s, double *x)
{
    int k, pass, others = cti_friction_system_known(s, x);
    cti_vec_zero(s->groups.panel.unknowns, s->rhs);
    for (pass = 0; pass < 2; pass++) {
        for (k = 0; k < s->dense.n_active; k++) {
            int j = s->dense.active[k];
            double *at = s->rhs + cti_panel_lu_place(&s->groups.panel, s->groups.group[j]) + 3 * s->dense.place[j];
            if (pass == 0)
                cti_friction_system_right(s, x, j, others, at);
            else
                memcpy(x + 3 * j, at, 3 * sizeof *x);
        }
        if (pass == 0)
            cti_panel_lu_solve(&s->groups.panel, s->rhs);
    }
}

/* the same with one step of refinement, since rows are not exchanged between groups */
static int cti_friction_system_solve_refined(cti_friction_system *s, double *x)
{
    cti_arena_point mark = cti_arena_mark(s->f->e->arena);
    size_t bytes = sizeof *x * (size_t)s->f->m;
    double *rest = CTI_ARENA_NEW(s->f->e->arena, double, s->f->m);
    s->f->run.memory |= !rest;
    if (!rest)
        return 0;
    memcpy(rest, x, bytes);
    cti_friction_system_solve_groups(s, x);
    cti_friction_system_rest(s, x, rest);
    cti_friction_system_solve_groups(s, rest);
    cti_vec_add(s->f->m, 1, rest, x);
    cti_arena_rewind(s->f->e->arena, mark);
    return 1;
}

CTI_FN int cti_friction_system_solve(cti_friction_system *s, double *x)
{
    int i;
    if (s->grouped) {
        if (!cti_friction_system_solve_refined(s, x))
            return 0;
    } else {
        cti_friction_system_solve_dense(s, x);
    }
    for (i = 0; i < s->f->m; i++)
        if (!cti_finite64(x[i]))
            return 0;
    return 1;
}
