/* test_twogrid.c -- two grids as an approximate inverse: symmetric and positive, iterations that do not grow with the size, pins, sheets whose
   bending is a thousand times softer than their stretch, parts of one block, failing allocations; worlds of large bodies. */
#include "world_util.h"
#include "failing.h"
#include "../src/0_base/arena.h"
#include "../src/2_linalg/krylov.h"
#include "../src/2_linalg/twogrid.h"
#include "../src/9_world/world.h"

#define MOST 30000
static uint64_t seed = 7;
static double rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 33) / 2147483648.0 * 2 - 1;
}

/* a lattice of springs between neighbours, or a sheet with weak springs across it; masses of 1 */
typedef struct lattice {
    cti_bsr A;
    cti_twogrid grid;
    cti_twogrid_inverse inverse;
    ct_real x[3 * MOST];
    int32_t blocks[MOST], rank[MOST], parts[MOST], at[MOST + 1];
    int n, n_parts;
    float in[4 * MOST], out[4 * MOST];
    double *work;
} lattice;
static lattice L;

static void spring(cti_bsr *A, int i, int j, double stiff, double bend)
{
    double d[3], len = 0;
    int a, b;
    for (a = 0; a < 3; a++)
        d[a] = (double)(L.x[3 * j + a] - L.x[3 * i + a]), len += d[a] * d[a];
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            ct_real s = (ct_real)(stiff * d[a] * d[b] / len + bend * (a == b));
            A->val[9 * A->diag[i] + 3 * a + b] += s, A->val[9 * A->diag[j] + 3 * a + b] += s;
            A->val[9 * cti_bsr_slot(A, i, j) + 3 * a + b] -= s, A->val[9 * cti_bsr_slot(A, j, i) + 3 * a + b] -= s;
        }
}

/* nx ny nz blocks; parts are bricks of edge `part`. Every third block of the first column is pinned in y */
static void make(cti_mem *mem, int nx, int ny, int nz, int part, double stiff, double bend, int pins)
{
    static int32_t pairs[2 * 14 * MOST];
    int i, j, k, m = 0, px = (nx + part - 1) / part, py = (ny + part - 1) / part, pz = (nz + part - 1) / part;
    memset(&L.A, 0, sizeof L.A), memset(&L.grid, 0, sizeof L.grid), memset(&L.inverse, 0, sizeof L.inverse);
    L.n = nx * ny * nz, L.n_parts = px * py * pz;
    assert_true(L.n <= MOST);
    for (i = 0; i < L.n; i++) {
        int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        L.blocks[i] = L.rank[i] = i;
        L.x[3 * i] = (ct_real)x, L.x[3 * i + 1] = (ct_real)y, L.x[3 * i + 2] = (ct_real)z;
        for (k = 0; k < 14; k++) {
            int dx = (k + 13) % 3 - 1, dy = (k + 13) / 3 % 3 - 1, dz = (k + 13) / 9 - 1;
            if (k && x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz < nz)
                pairs[2 * m] = i, pairs[2 * m + 1] = i + dx + nx * (dy + ny * dz), m++;
        }
    }
    assert_int_equal(cti_bsr_pattern(mem, &L.A, L.n, pairs, m), 1);
    for (i = 0; i < L.n; i++)
        for (k = 0; k < 9; k += 4)
            L.A.val[9 * L.A.diag[i] + k] += 1;
    for (i = 0; i < m; i++)
        spring(&L.A, pairs[2 * i], pairs[2 * i + 1], stiff, bend);
    for (i = 0; pins && i < L.n; i += 3 * nx) {
        for (k = L.A.row[i]; k < L.A.row[i + 1]; k++)
            for (j = 0; j < 3; j++) {
                int back = cti_bsr_slot(&L.A, L.A.col[k], i);
                L.A.val[9 * k + 3 + j] = 0, L.A.val[9 * back + 3 * j + 1] = 0;
            }
        L.A.val[9 * L.A.diag[i] + 4] = (ct_real)stiff;
    }
    for (j = m = 0; j < L.n_parts; j++) {
        L.at[j] = m;
        for (i = 0; i < L.n; i++)
            if (i % nx / part + px * (i / nx % ny / part + py * (i / nx / ny / part)) == j)
                L.parts[m++] = i;
    }
    L.at[L.n_parts] = m;
}

static int open_grid(cti_mem *mem)
{
    cti_twogrid_parts parts;
    parts.blocks = L.parts, parts.at = L.at, parts.n = L.n_parts;
    if (!cti_twogrid_make(mem, &L.grid, &L.A, L.blocks, L.n, L.rank, &parts) ||
        !cti_twogrid_inverse_reserve(mem, &L.inverse, &L.grid))
        return 0;
    cti_twogrid_fill(&L.grid, &L.A, L.blocks, L.x);
    cti_twogrid_inverse_fill(&L.inverse, &L.grid, &L.A, L.blocks);
    return 1;
}

static void apply(void *ctx, const ct_real *r, ct_real *z)
{
    double most = 0, scale;
    int i, k;
    (void)ctx;
    for (i = 0; i < 3 * L.n; i++)
        most = fmax(most, fabs((double)r[i]));
    scale = cti_factor32_scale(most);
    for (i = 0; i < L.n; i++)
        for (k = 0; k < 4; k++)
            L.in[4 * i + k] = k < 3 ? (float)((double)r[3 * i + k] * scale) : 0;
    cti_twogrid_apply(&L.inverse, L.in, L.out, L.work);
    for (i = 0; i < 3 * L.n; i++)
        z[i] = (ct_real)((double)L.out[4 * (i / 3) + i % 3] * L.grid.unit / scale);
}

/* iterations until the error of a known solution, which is a load at one end, is `share` of the first in the energy norm */
static int solve(double share, double *out_error)
{
    static ct_real x[3 * MOST], y[3 * MOST], b[3 * MOST], work[12 * MOST];
    cti_operator A = cti_bsr_operator(&L.A), M;
    double top = 0, bottom = 0;
    int i, its = 0;
    M.n = 3 * L.n, M.apply = apply, M.ctx = NULL;
    for (i = 0; i < 3 * L.n; i++)
        y[i] = (ct_real)(i % 3 == 1 ? L.x[i - 1] * L.x[i - 1] / 100 : 0.1 * rnd()), x[i] = 0;
    cti_bsr_mul(&L.A, y, b);
    for (i = 0; i < 3 * L.n; i++)
        bottom += (double)(y[i] * b[i]);
    cti_pcg(&A, &M, b, x, (ct_real)(share * sqrt(bottom)), 200, work, &its);
    for (i = 0; i < 3 * L.n; i++)
        x[i] -= y[i];
    cti_bsr_mul(&L.A, x, b);
    for (i = 0; i < 3 * L.n; i++)
        top += (double)(x[i] * b[i]);
    *out_error = sqrt(fabs(top) / bottom);
    return its;
}

static int count(int nx, int ny, int nz, int part, double stiff, double bend, int pins, double *error)
{
    cti_mem mem;
    int its;
    cti_mem_init(&mem, NULL);
    {
        cti_mem all;
        cti_mem_open(&all, &mem);
        make(&all, nx, ny, nz, part, stiff, bend, pins);
        assert_int_equal(open_grid(&all), 1);
        L.work = (double *)malloc(cti_twogrid_work(&L.grid, &L.inverse) * sizeof *L.work);
        assert_non_null(L.work);
        its = solve(1e-3, error);
        free(L.work);
        cti_mem_release(&all);
    }
    assert_int_equal(mem.bytes_live, 0);
    return its;
}

/* a cube of 27 times the blocks takes at most a few iterations more; block-Jacobi's grow like the edge */
static void iterations_do_not_grow(void **state)
{
    double error;
    int small = count(9, 9, 9, 4, 100, 0, 0, &error), large;
    (void)state;
    assert_true(error < 4e-3);
    large = count(27, 27, 27, 4, 100, 0, 0, &error);
    assert_true(error < 4e-3);
    print_message("conjugate gradients to 1e-3: %d of 9 blocks a side, %d of 27\n", small, large);
    assert_true(large <= small + small / 2 && large <= 20);
}

static void shapes_are_solved(void **state)
{
    static const int size[7][4] = {{1, 1, 1, 4}, {2, 1, 1, 4}, {5, 4, 3, 1}, {300, 1, 1, 8}, {70, 70, 1, 8}, {12, 12, 12, 5}, {3, 3, 3, 8}};
    int i, pins;
    (void)state;
    for (i = 0; i < 7; i++)
        for (pins = 0; pins < 2; pins++) {
            double error;
            /* a chain and a sheet have weak springs across */
            int flat = size[i][2] == 1, its = count(size[i][0], size[i][1], size[i][2], size[i][3], 1000, flat ? 1 : 0, pins, &error);
            print_message("%3d %2d %2d pins %d: %d iterations, error %.1e\n", size[i][0], size[i][1], size[i][2], pins, its, error);
            assert_true(its <= 40 && error < 5e-3);
        }
}

/* y'Bx = x'By, x'Bx > 0 */
static void inverse_is_symmetric(void **state)
{
    static ct_real x[3 * 1000], y[3 * 1000], Bx[3 * 1000], By[3 * 1000];
    double xy = 0, yx = 0, xx = 0;
    cti_mem mem, all;
    int i;
    (void)state;
    cti_mem_init(&mem, NULL), cti_mem_open(&all, &mem);
    make(&all, 10, 10, 10, 4, 300, 0, 1);
    assert_int_equal(open_grid(&all), 1);
    L.work = (double *)malloc(cti_twogrid_work(&L.grid, &L.inverse) * sizeof *L.work);
    for (i = 0; i < 3 * L.n; i++)
        x[i] = (ct_real)rnd(), y[i] = (ct_real)rnd();
    apply(NULL, x, Bx), apply(NULL, y, By);
    for (i = 0; i < 3 * L.n; i++)
        xy += (double)(y[i] * Bx[i]), yx += (double)(x[i] * By[i]), xx += (double)(x[i] * Bx[i]);
    assert_true(xx > 0 && fabs(xy - yx) < 1e-4 * xx);
    free(L.work);
    cti_mem_release(&all);
}

static void out_of_memory(void **state)
{
    ct_allocator user;
    cti_mem plain, lattice_of;
    int ok = 0;
    (void)state;
    user.resize = failing, user.user = NULL;
    cti_mem_init(&plain, NULL), cti_mem_open(&lattice_of, &plain);
    make(&lattice_of, 6, 6, 6, 3, 100, 0, 0);
    for (fail_at = 1; !ok && fail_at < 500; fail_at++) {
        cti_mem mem, all;
        calls = 0;
        cti_mem_init(&mem, &user), cti_mem_open(&all, &mem);
        memset(&L.grid, 0, sizeof L.grid), memset(&L.inverse, 0, sizeof L.inverse);
        ok = open_grid(&all);
        assert_int_equal(ok, calls < fail_at);
        cti_mem_release(&all);
        assert_int_equal(mem.bytes_live, 0);
    }
    assert_true(fail_at > 20 && ok);
    cti_mem_release(&lattice_of);
}

/* ---- worlds ---- */

/* two cubes of 9,261 blocks, one on the other, a tenth of a thickness above their rest, after `steps` steps */
static ct_world *stack(ct_cluster_mode cluster, int workers, int steps, books *b, ct_body_id *id)
{
    ct_world_desc d = world_desc(1e-3, 0.5, b);
    ct_world *w;
    int i;
    d.solver.cluster = cluster, d.tasks.worker_count = workers;
    w = world_make(&d);
    add_plane(w, 0, 1, 0, 0);
    for (i = 0; i < 2; i++)
        id[i] = add_soft_box(w, i ? "upper" : "lower", 0.2, 20, 1e5, 0, 0.1011 + 0.2011 * i, 0);
    for (i = 0; i < steps; i++)
        assert_true(step_once(w, 0.01).status <= CT_STATUS_SUBSTEPPED);
    return w;
}

/* whole bodies with their factors, and bodies split into blocks with two grids, are two ways to one motion: after ten steps, in which the stack
   falls by 9 mm, vertices differ by at most 2 per mille of that in their mean square: which of two near pairs gets a row is decided by rounding */
static void grids_and_factors_agree(void **state)
{
    ct_body_id id[2];
    double *x[2], square = 0, way = 0;
    int k, i, n;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = stack(k ? CT_CLUSTER_BODY : CT_CLUSTER_AUTO, 1, 10, NULL, id);
        assert_int_equal(w->state.factors.components[0].cache.is_grid, !k);
        x[k] = read_vectors(w, id[1], 0, &n);
        ct_world_destroy(w);
    }
    for (i = 0; i < 3 * n; i++)
        square += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]) / n;
    for (i = 0; i < n; i++)
        way += (0.3022 - x[0][3 * i + 1]) / n;
    print_message("fell %.2e m, differ by %.2e m\n", way, sqrt(square));
    assert_true(way > 1e-3 && square < 4e-6 * way * way);
    free(x[0]), free(x[1]);
}

static void workers_change_no_bit(void **state)
{
    static const int workers[3] = {1, 2, 7};
    ct_body_id id[2];
    double *x[3];
    int k, n;
    (void)state;
    for (k = 0; k < 3; k++) {
        ct_world *w = stack(CT_CLUSTER_AUTO, workers[k], PLAIN_OR(6, 1), NULL, id);
        assert_int_equal(w->state.factors.components[0].cache.is_grid, 1);
        x[k] = read_vectors(w, id[1], 1, &n);
        ct_world_destroy(w);
    }
    for (k = 1; k < 3; k++)
        assert_memory_equal(x[0], x[k], sizeof(double) * 3 * (size_t)n);
    free(x[0]), free(x[1]), free(x[2]);
}

/* a large body at rest allocates nothing */
static void warm_steps_do_not_allocate(void **state)
{
    books b;
    ct_body_id id[2];
    ct_world *w;
    int64_t before;
    int i;
    (void)state;
    memset(&b, 0, sizeof b);
    w = stack(CT_CLUSTER_AUTO, 1, 20, &b, id);
    before = b.calls;
    for (i = 0; i < 5; i++)
        step_once(w, 0.01);
    assert_int_equal(b.calls, before);
    ct_world_destroy(w);
    assert_true(b.blocks == 0 && b.wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_solved), cmocka_unit_test(iterations_do_not_grow),
                                       cmocka_unit_test(inverse_is_symmetric), cmocka_unit_test(out_of_memory),
                                       PLAIN_TEST(grids_and_factors_agree) PLAIN_TEST(warm_steps_do_not_allocate)
                                       cmocka_unit_test(workers_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
