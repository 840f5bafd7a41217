/* test_step_factors.c -- decisions of factors.c, which is compiled into this test, and of a solve's islands. Factors: components, patches
   and shared analyses of known graphs; when a factor is renewed and when it lags; which blocks form one cluster. Islands: which rows share
   one, which are solved again, and to what a velocity is relative. */
#include "../src/8_step/clusters.h"
#include "../src/8_step/factors.c"
#include "step_util.h"

typedef struct graph {
    cti_mem whole, mem;
    cti_arena arena;
    cti_bsr A;
    cti_factors f;
    uint64_t bodies[128]; /* all blocks are of one body */
} graph;

/* n blocks with 10 + i on the diagonal, and -1 between each of the pairs */
static void graph_make(graph *g, int n, const int32_t *pairs, int n_pairs)
{
    int i, k, e;
    memset(g, 0, sizeof *g);
    cti_mem_init(&g->whole, NULL), cti_mem_open(&g->mem, &g->whole);
    cti_arena_init(&g->arena, &g->mem);
    assert_true(cti_bsr_pattern(&g->mem, &g->A, n, pairs, n_pairs));
    for (i = 0; i < n; i++)
        for (k = g->A.row[i]; k < g->A.row[i + 1]; k++)
            for (e = 0; e < 9; e++)
                g->A.val[9 * k + e] = (ct_real)(e % 4 ? 0 : g->A.col[k] == i ? 10 + i % 4 : -1);
    g->f.mem = g->f.lasting = &g->mem;
    assert_true(cti_factors_init(&g->f, &g->arena, &g->A, g->bodies));
}

static void graph_free(graph *g)
{
    cti_mem_release(&g->mem);
    assert_true(g->whole.bytes_live == 0);
}

/* two chains of three, a triangle and a single block, mixed: 0-3-5, 1-4-6, 2-7-8 */
static const int32_t mixed_pairs[] = {0, 3, 3, 5, 1, 4, 4, 6, 2, 7, 7, 8, 2, 8};
enum { MIXED = 10, MIXED_PAIRS = 7 };

static void graphs_fall_into_components(void **state)
{
    static const int32_t want[4][3] = {{0, 3, 5}, {1, 4, 6}, {2, 7, 8}, {9, -1, -1}};
    static const int size[4] = {3, 3, 3, 1};
    graph g;
    int c, i;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    assert_int_equal(CTI_LEN(g.f.components), 4);
    assert_false(g.f.in_order);
    for (c = 0; c < 4; c++) {
        const cti_component *q = &g.f.components[c];
        assert_int_equal(q->end - q->begin, size[c]);
        assert_true(q->cache.stamp.age == -1 && q->place == -1 && q->patch1 - q->patch0 == 1);
        for (i = 0; i < size[c]; i++) {
            assert_int_equal(g.f.blocks[q->begin + i], want[c][i]);
            assert_int_equal(g.f.component_of[want[c][i]], c);
            assert_int_equal(g.f.rank[want[c][i]], i);
        }
    }
    /* the chains are equal in their own numbers, and share an analysis; the triangle and the single block have their own */
    assert_int_equal(CTI_LEN(g.f.analyses), 3);
    assert_ptr_equal(g.f.components[0].analysis, g.f.components[1].analysis);
    assert_true(g.f.components[2].analysis != g.f.components[0].analysis && g.f.components[3].analysis != g.f.components[2].analysis);
    graph_free(&g);
}

/* runs of blocks are in order; a chain of 100 is cut into patches of 48, 48 and 4, each breadth first from its lowest block */
static void chains_are_cut_into_patches(void **state)
{
    int32_t pairs[2 * 119];
    graph g;
    int i, n = 0;
    (void)state;
    for (i = 0; i < 119; i++)
        if (i != 99)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + 1, n++;
    graph_make(&g, 120, pairs, n);
    assert_true(g.f.in_order);
    assert_int_equal(CTI_LEN(g.f.components), 2);
    assert_int_equal(CTI_LEN(g.f.patches.at), 5);
    assert_int_equal(g.f.components[0].patch1, 3);
    assert_int_equal(g.f.patches.at[1], 48);
    assert_int_equal(g.f.patches.at[2], 96);
    assert_int_equal(g.f.patches.at[3], 100);
    assert_int_equal(g.f.patches.at[4], 120);
    for (i = 0; i < 120; i++)
        assert_int_equal(g.f.patches.blocks[i], i);
    graph_free(&g);
}

/* ---- renewal ---- */

static int is_due(graph *g, cti_component *q, double dt)
{
    assert_true(cti_factors_prepare(&g->f, q, (ct_real)dt));
    return q->cache.is_due;
}

/* a small factor is computed anew with every matrix, once for each */
static void small_factors_are_renewed(void **state)
{
    graph g;
    cti_component *q;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    q = &g.f.components[2];
    assert_true(is_due(&g, q, 0.01)); /* there is none */
    q->cache.stamp.drift = 1, q->cache.stamp.renewal_asked = 1;
    cti_factors_refill(q, &g.A, CTI_R(0.01));
    assert_true(q->cache.stamp.age == 0 && q->cache.stamp.renewal_asked == 0 && q->cache.is_due == 0 && q->cache.stamp.drift == 0 &&
                q->cache.stamp.dt == CTI_R(0.01) && q->cache.stamp.version == 1);
    assert_false(is_due(&g, q, 0.01)); /* made for this matrix */
    cti_factors_age(&g.f);
    assert_int_equal(q->cache.stamp.age, 1);
    assert_int_equal(g.f.components[0].cache.stamp.age, -1);
    assert_true(is_due(&g, q, 0.01));
    assert_int_equal(g.f.n_refactored, 2);
    graph_free(&g);
}

/* a factor whose computation takes more than 300 flops a nonzero lags until it is asked for, or the time step changes */
static void dear_factors_lag(void **state)
{
    graph g;
    cti_component *q;
    cti_symbolic *sym;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    q = &g.f.components[2], sym = &q->analysis->symbolic;
    assert_true(cti_factors_renew(&g.f, q, &g.A, CTI_R(0.01)));
    cti_factors_age(&g.f);
    sym->flops = 299 * sym->nonzeros;
    assert_true(cti_factors_is_cheap(q) && is_due(&g, q, 0.01));
    sym->flops = 300 * sym->nonzeros;
    assert_false(cti_factors_is_cheap(q) || is_due(&g, q, 0.01));
    assert_true(is_due(&g, q, 0.02));
    assert_false(is_due(&g, q, 0.01));
    q->cache.stamp.renewal_asked = 1;
    assert_true(is_due(&g, q, 0.01));
    graph_free(&g);
}

/* A large one of a body in flight or at rest waits until its age has cost as many solves as it takes: a solve is 15 flops a nonzero */
static void large_factors_wait_for_their_price(void **state)
{
    cti_component q;
    cti_analysis analysis;
    cti_symbolic *sym = &analysis.symbolic;
    cti_factors f;
    (void)state;
    memset(&q, 0, sizeof q), memset(&analysis, 0, sizeof analysis), memset(&f, 0, sizeof f);
    q.analysis = &analysis, f.rest = CTI_R(1e-3);
    q.cache.stamp.age = 1;
    sym->nonzeros = 1000000, sym->flops = 150 * sym->nonzeros; /* ten solves */
    q.cache.stamp.drift = CTI_R(2e-3);
    assert_true(cti_factors_is_due(&f, &q, 0)); /* in contact, and it has moved */
    q.cache.stamp.drift = CTI_R(0.5e-3);
    assert_false(cti_factors_is_due(&f, &q, 0));
    q.solve.was_free = 1, q.cache.stamp.drift = 1;
    assert_false(cti_factors_is_due(&f, &q, 0));
    q.cache.stamp.excess_iterations = 8;
    assert_false(cti_factors_is_due(&f, &q, 0));
    q.cache.stamp.excess_iterations = 9;
    assert_true(cti_factors_is_due(&f, &q, 0));
    q.cache.stamp.excess_iterations = 0, sym->nonzeros = 300000, sym->flops = 49000000;
    assert_true(cti_factors_is_due(&f, &q, 0)); /* not large */
    /* its age is measured by the iterations beyond the new factor's */
    q.cache.stamp.age = 0;
    cti_factors_charge(&q.cache.stamp, 5);
    assert_true(q.cache.stamp.base_iterations == 5 && q.cache.stamp.excess_iterations == 0);
    q.cache.stamp.age = 1;
    cti_factors_charge(&q.cache.stamp, 9), cti_factors_charge(&q.cache.stamp, 3), cti_factors_charge(&q.cache.stamp, 6);
    assert_int_equal(q.cache.stamp.excess_iterations, 5);
}

/* A block's stiffness over its mass above 1e5 asks for double. Both kinds of factor solve, and touch their own component alone */
static void stiff_components_are_factored_in_double(void **state)
{
    int stiff, i;
    (void)state;
    for (stiff = 0; stiff < 2; stiff++) {
        ct_real mass[MIXED], b[3 * MIXED], x[3 * MIXED], want[3 * MIXED], work[12 * MIXED];
        graph g;
        cti_free_motion m;
        cti_component *q;
        int its;
        graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
        m.A = &g.A, m.b = b, m.x = x, m.work = work;
        q = &g.f.components[1]; /* blocks 1, 4, 6: diagonals 11, 10, 12 */
        for (i = 0; i < MIXED; i++)
            mass[i] = 1;
        mass[6] = (ct_real)(12 / (1 + (stiff ? 1.001e5 : 0.999e5)));
        g.f.mass = mass;
        assert_true(cti_factors_renew(&g.f, q, &g.A, CTI_R(0.01)));
        assert_int_equal(q->cache.is_exact, stiff);
        for (i = 0; i < 3 * MIXED; i++)
            want[i] = (ct_real)(1 + i % 5), x[i] = -7;
        cti_bsr_mul(&g.A, want, b);
        its = cti_factors_free_solve(&g.f, q, &m, 1e-9, 50, 0);
        assert_true(its >= 1 && its <= 3);
        for (i = 0; i < MIXED; i++)
            STEP_NEAR(x[3 * i], g.f.component_of[i] == 1 ? (double)want[3 * i] : -7, CONTACT_REAL == 32 ? 2e-6 : 1e-8);
        /* a start that is accurate enough is not changed */
        assert_int_equal(cti_factors_free_solve(&g.f, q, &m, CONTACT_REAL == 32 ? 1e-5 : 1e-6, 50, 0), 0);
        graph_free(&g);
    }
}

/* a lagging factor that no longer fits its matrix is replaced within the solve, which then ends as with a new factor */
static void slow_factors_are_replaced(void **state)
{
    enum { CHAIN = 40 };
    int32_t pairs[2 * CHAIN];
    ct_real b[3 * CHAIN], want[3 * CHAIN], x[3 * CHAIN], work[12 * CHAIN];
    graph g;
    cti_free_motion m;
    cti_component *q;
    int i, its;
    (void)state;
    for (i = 0; i < CHAIN - 1; i++)
        pairs[2 * i] = i, pairs[2 * i + 1] = i + 1;
    graph_make(&g, CHAIN, pairs, CHAIN - 1);
    m.A = &g.A, m.b = b, m.x = x, m.work = work, m.dt = CTI_R(0.01);
    q = &g.f.components[0];
    assert_true(cti_factors_renew(&g.f, q, &g.A, CTI_R(0.01)));
    cti_factors_age(&g.f);
    for (i = 0; i < CHAIN; i++) /* another matrix altogether */
        g.A.val[9 * g.A.diag[i]] = g.A.val[9 * g.A.diag[i] + 4] = g.A.val[9 * g.A.diag[i] + 8] = (ct_real)(2.1 + 40 * (i % 7));
    for (i = 0; i < 3 * CHAIN; i++)
        want[i] = (ct_real)(i % 11 - 5), x[i] = 0;
    cti_bsr_mul(&g.A, want, b);
    its = cti_factors_free_solve(&g.f, q, &m, 1e-4, 200, 0);
    assert_true(its >= 2 && its <= 5);
    assert_true(q->solve.free_refactored && q->cache.stamp.age == 0 && !q->cache.is_due);
    for (i = 0; i < 3 * CHAIN; i++)
        STEP_NEAR(x[i], (double)want[i], 1e-3);
    graph_free(&g);
}

/* ---- clusters ---- */

static void bodies_are_whole_where_ports_are_few(void **state)
{
    static const struct {
        ct_cluster_mode mode;
        int hard, ports, rows, want;
    } t[] = {{CT_CLUSTER_BODY, 0, 5000, 5000, 1}, {CT_CLUSTER_NODE, 0, 1, 1, 0},        {CT_CLUSTER_PATCH, 0, 1, 1, 0},
             {CT_CLUSTER_AUTO, 0, 200, 208, 1},   {CT_CLUSTER_AUTO, 0, 201, 1, 0},      {CT_CLUSTER_AUTO, 0, 200, 209, 0},
             {CT_CLUSTER_AUTO, 30, 201, 209, 1},  {CT_CLUSTER_AUTO, 30, 1500, 9000, 1}, {CT_CLUSTER_AUTO, 30, 1501, 1, 0}};
    cti_component q;
    size_t i;
    (void)state;
    memset(&q, 0, sizeof q);
    for (i = 0; i < sizeof t / sizeof *t; i++) {
        q.solve.whole_attempts = t[i].hard;
        assert_int_equal(cti_policy_is_whole(t[i].mode, &q.solve, t[i].ports, t[i].rows), t[i].want);
    }
}

static void row_make(cti_row *row, int a, int b)
{
    memset(row, 0, sizeof *row);
    row->n_a = 1, row->n = b >= 0 ? 2 : 1;
    row->term[0].block = a, row->term[0].weight = 1;
    row->term[1].block = b, row->term[1].weight = -1;
    row->frame[1] = row->frame[5] = row->frame[6] = 1;
}

/* A component that was split into its nodes is one cluster for thirty attempts, if it has at most 1500 ports. cti_factors_mark asks for
   factors that lag */
static void hardening_lasts_thirty_attempts(void **state)
{
    graph g;
    cti_row rows[2];
    cti_island island;
    int32_t both[2] = {0, 1};
    int i;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    row_make(&rows[0], 0, 3), row_make(&rows[1], 5, 4);
    assert_false(cti_clusters_take_whole(&g.f, rows, 2)); /* nothing was split */
    g.f.components[0].solve.node_ports = 1501;
    assert_false(cti_clusters_take_whole(&g.f, rows, 2));
    g.f.components[0].solve.node_ports = 1500, g.f.components[2].solve.node_ports = 7;
    assert_true(cti_clusters_take_whole(&g.f, rows, 2));
    assert_true(g.f.components[0].solve.whole_attempts == 30 && g.f.components[0].solve.node_ports == 0);
    assert_true(g.f.components[1].solve.whole_attempts == 0 && g.f.components[2].solve.whole_attempts == 0);
    assert_false(cti_clusters_take_whole(&g.f, rows, 2));
    g.f.components[2].solve.whole_attempts = 30, g.f.components[2].substep.part = CTI_PART_EXCLUDED;
    for (i = 29; i >= -1; i--) {
        cti_factors_age(&g.f);
        assert_int_equal(g.f.components[0].solve.whole_attempts, i > 0 ? i : 0);
    }
    assert_int_equal(g.f.components[2].solve.whole_attempts, 30); /* an excluded one makes no attempt */
    memset(&island, 0, sizeof island);
    island.components = both, island.n_components = 2;
    g.f.components[0].cache.stamp.age = 0, g.f.components[1].cache.stamp.age = -1, g.f.components[2].cache.stamp.age = 3;
    assert_false(cti_factors_lag(&g.f, &island));
    assert_int_equal(cti_factors_mark(&g.f, &island), 0);
    g.f.components[1].cache.stamp.age = 1;
    assert_true(cti_factors_lag(&g.f, &island));
    assert_int_equal(cti_factors_mark(&g.f, &island), 1);
    assert_true(g.f.components[1].cache.stamp.renewal_asked && !g.f.components[0].cache.stamp.renewal_asked &&
                !g.f.components[2].cache.stamp.renewal_asked);
    graph_free(&g);
}

/* rows 0: a, 1: c, 2: b, 3: a with b. a and b are one island, number 0 since its row comes first */
static void rows_fall_into_islands(void **state)
{
    static const int32_t want[] = {0, 1, 0, 0}, apart[] = {0, 1, 2};
    graph g;
    cti_row rows[4];
    int32_t island[4];
    int n;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    row_make(&rows[0], 0, 5), row_make(&rows[1], 7, -1), row_make(&rows[2], 6, -1), row_make(&rows[3], 3, 1);
    assert_true(cti_factors_islands(&g.f, &g.arena, rows, 4, island, &n));
    assert_int_equal(n, 2);
    assert_memory_equal(island, want, sizeof want);
    assert_true(cti_factors_islands(&g.f, &g.arena, rows, 3, island, &n));
    assert_int_equal(n, 3);
    assert_memory_equal(island, apart, sizeof apart);
    graph_free(&g);
}

/* an island's problem is in numbers of its own: rows of components 1 and 2 of the world */
static void islands_have_their_own_numbers(void **state)
{
    static const int32_t blocks[] = {1, 4, 6, 2, 7, 8};
    ct_real b[3 * MIXED], v[3 * MIXED];
    graph g;
    cti_row rows[2];
    cti_problem world;
    cti_island q;
    int i;
    (void)state;
    graph_make(&g, MIXED, mixed_pairs, MIXED_PAIRS);
    for (i = 0; i < 3 * MIXED; i++)
        b[i] = (ct_real)i, v[i] = (ct_real)(100 + i);
    row_make(&rows[0], 0, 3), row_make(&rows[1], 8, 4);
    memset(&world, 0, sizeof world);
    world.A = &g.A, world.b = b, world.rows = rows, world.n_rows = 2;
    assert_true(cti_island_open(&g.f, &g.arena, &world, 1, 2, v, &q));
    assert_true(q.n == 6 && q.n_components == 2 && q.components[0] == 1 && q.components[1] == 2 && q.p.n_rows == 1);
    for (i = 0; i < 6; i++) {
        assert_int_equal(q.blocks[i], blocks[i]);
        assert_true(q.p.b[3 * i] == b[3 * blocks[i]] && q.v[3 * i + 2] == v[3 * blocks[i] + 2]);
    }
    assert_true(q.p.rows[0].term[0].block == 5 && q.p.rows[0].term[1].block == 1);
    q.p.rows[0].r[0] = 3, q.v[3 * 5] = -1;
    cti_island_close(&g.f, &q, rows + 1, v);
    assert_true(rows[1].r[0] == 3 && rows[0].r[0] == 0 && rows[1].term[0].block == 8 && v[3 * 8] == -1 && v[0] == 100);
    for (i = 0; i < 4; i++)
        assert_int_equal(g.f.components[i].place, -1);
    graph_free(&g);
}

/* ---- solves ---- */

static void residuals_have_a_scale(void **state)
{
    static const double gravity[] = {9.81, 0};
    const double round = 0.2 * (double)CTI_EPS; /* of numbers of .1 */
    int k;
    (void)state;
    for (k = 0; k < 2; k++) {
        ct_world *w = step_world(gravity[k]);
        cti_state *s;
        step_flat(w, 0, 0, 0.3), step_flat(w, 0, 1, 0.3), step_flat(w, 5, 0, 0.3);
        s = step_ready(w, STEP_DT);
        /* |g| dt; without gravity a thousandth of the speed, or of a thickness a step */
        STEP_NEAR(cti_assemble_scale(s, CTI_R(STEP_DT), 50), k ? 0.05 : 9.81 * STEP_DT, round);
        STEP_NEAR(cti_assemble_scale(s, CTI_R(STEP_DT), 0), k ? 1e-3 * STEP_H / STEP_DT : 9.81 * STEP_DT, round);
        ct_world_destroy(w);
    }
}

/* a row of corner `block` with the plane below, which it may approach by `left` [m] */
static void add_row(cti_state *s, int block, double left)
{
    cti_contact_row origin;
    cti_row row;
    row_make(&row, block, -1);
    row.w[0] = (ct_real)(left / STEP_DT);
    memset(&origin, 0, sizeof origin);
    origin.is_unsolved = 1;
    assert_true(CTI_PUSH(s->mem, s->contact.rows, row) && CTI_PUSH(s->mem, s->contact.origins, origin));
}

/* Two triangles on their corners' rows, a third without: rows are sorted by island. Loaded ones stop at u = 0 and push, one that opens does
   nothing. An island without new rows is not changed, whatever its velocities are */
static void islands_are_solved_once(void **state)
{
    ct_world *w = step_world(0);
    cti_islands_result out;
    ct_real scale, kept[9];
    cti_state *s;
    int i;
    (void)state;
    step_flat(w, 0, 0, 0.3), step_flat(w, 3, 0, 0.3), step_flat(w, 6, 0, 0.3);
    s = step_ready(w, STEP_DT);
    step_speed(s, 0, 3, 0, -2, 0), step_speed(s, 3, 3, 0, -3, 0), step_speed(s, 6, 3, 0, -4, 0);
    memcpy(s->system.v_free, s->end.v, sizeof(ct_real) * 27);
    cti_bsr_mul(&s->system.A, s->system.v_free, s->system.b);
    for (i = 0; i < 3; i++) {
        s->factors.components[i].solve.free_speed = (ct_real)(2 + i), s->factors.components[i].solve.dynamics = -1;
        assert_true(cti_factors_renew(&s->factors, &s->factors.components[i], &s->system.A, CTI_R(STEP_DT)));
        add_row(s, i, 0.01);
        add_row(s, 3 + i, 0.04); /* 4 m/s of room: never reached */
    }
    scale = cti_cmr_scale(s, CTI_R(STEP_DT));
    assert_true(cti_islands_solve(s, CTI_R(STEP_DT), scale, &out));
    assert_false(out.budget || out.diverged);
    assert_true(out.residual <= s->desc.solver.tolerance);
    for (i = 0; i < 6; i++) {
        assert_int_equal(s->contact.rows[i].term[0].block, i); /* island by island, each in its order */
        assert_false(s->contact.origins[i].is_unsolved);
        /* all corners have one speed, so that nothing is strained: r = m (u - v) */
        STEP_NEAR(s->end.v[3 * i + 1], i < 3 ? -1 : -3, 5e-5);
        STEP_NEAR(s->contact.rows[i].r[0], i < 3 ? (double)s->bodies.mass[i] : 0, 1e-4 * (double)s->bodies.mass[i]);
    }
    assert_true(s->end.v[19] == -4);
    assert_true(s->factors.components[0].solve.in_contact && s->factors.components[1].solve.in_contact &&
                !s->factors.components[2].solve.in_contact);
    /* the second solve sees one new row, of the second island */
    s->end.v[1] = -7;
    memcpy(kept, s->end.v, sizeof kept);
    add_row(s, 3, 0.02);
    assert_true(cti_islands_solve(s, CTI_R(STEP_DT), scale, &out));
    assert_memory_equal(s->end.v, kept, sizeof kept);
    assert_true(s->end.v[10] > CTI_R(-2.001));
    ct_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_fall_into_components),
                                       cmocka_unit_test(chains_are_cut_into_patches),
                                       cmocka_unit_test(small_factors_are_renewed),
                                       cmocka_unit_test(dear_factors_lag),
                                       cmocka_unit_test(large_factors_wait_for_their_price),
                                       cmocka_unit_test(stiff_components_are_factored_in_double),
                                       cmocka_unit_test(slow_factors_are_replaced),
                                       cmocka_unit_test(bodies_are_whole_where_ports_are_few),
                                       cmocka_unit_test(hardening_lasts_thirty_attempts),
                                       cmocka_unit_test(rows_fall_into_islands),
                                       cmocka_unit_test(islands_have_their_own_numbers),
                                       cmocka_unit_test(residuals_have_a_scale),
                                       cmocka_unit_test(islands_are_solved_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
