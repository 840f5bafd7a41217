/* test_modes.c -- the floating-point mode of the caller, of the world's threads or of a task system changes no bit, and is restored
   afterwards. The modes tested are the rounding directions, which every C library has, and on x86 flushing to zero. */
#include "world_util.h"
#include <fenv.h>

enum { USUAL, UPWARD, TO_ZERO, FLUSHING, MODES };

#if defined(__SSE__) && defined(__GNUC__)
#define HAS_FLUSHING 1
static unsigned control(void)
{
    unsigned word;
    __asm__ __volatile__("stmxcsr %0" : "=m"(word) : : "memory");
    return word & ~0x3fu; /* without the flags */
}
static void flush(int on)
{
    unsigned word = on ? control() | 0x8040u : control() & ~0x8040u;
    __asm__ __volatile__("ldmxcsr %0" : : "m"(word) : "memory");
}
#else
#define HAS_FLUSHING 0
static unsigned control(void) { return (unsigned)fegetround(); }
static void flush(int on) { (void)on; }
#endif

static void take(int mode)
{
    fesetround(mode == UPWARD ? FE_UPWARD : mode == TO_ZERO ? FE_TOWARDZERO : FE_TONEAREST);
    flush(mode == FLUSHING);
}

static int mode_of_tasks;

/* a task system whose workers have a floating-point mode of their own; the library computes in the usual one */
static void *enqueue(ct_task_fn *fn, int count, int min_range, void *context, void *user)
{
    int i;
    (void)min_range, (void)user;
    take(mode_of_tasks);
    for (i = 0; i < count; i += 1 + count / 7)
        fn(i, i + 1 + count / 7 < count ? i + 1 + count / 7 : count, 1, context);
    take(USUAL);
    return NULL;
}
static void finish(void *task, void *user) { (void)task, (void)user; }

/* meshes are moved in the usual mode, bodies are added in another */
static void add_sheets(ct_world *w, int mode)
{
    static ct_real v[3 * 441];
    ct_real size[2] = {1, 1}, box[3] = {(ct_real)0.2, (ct_real)0.2, (ct_real)0.2};
    int cells[2] = {20, 20}, cubes[3] = {2, 2, 2}, b, i;
    ct_body_id id;
    ct_mesh m;
    memset(v, 0, sizeof v);
    v[1] = (ct_real)0.01;
    for (b = 0; b < 3; b++) {
        ct_cloth_desc d = ct_cloth_desc_default();
        assert_int_equal(ct_mesh_grid(size, cells, &m, NULL), CT_OK);
        for (i = 0; i < m.n_positions; i++)
            m.positions[3 * i] += (ct_real)(2 * b), m.positions[3 * i + 1] += (ct_real)0.5;
        d.mesh = &m, d.material = ct_material_default(CT_MODEL_MEMBRANE);
        d.material.young = 100, d.material.areal_density = (ct_real)0.2;
        take(mode);
        assert_int_equal(ct_body_add_cloth(w, &d, &id), CT_OK);
        assert_int_equal(ct_body_set_velocities(w, id, v, 441), CT_OK);
        take(USUAL);
        ct_mesh_free(&m);
    }
    assert_int_equal(ct_mesh_box(box, cubes, 1, &m, NULL), CT_OK);
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] += (ct_real)0.11;
    {
        ct_soft_desc s = ct_soft_desc_default();
        ct_static_desc f = ct_static_desc_default();
        s.mesh = &m;
        take(mode);
        assert_int_equal(ct_body_add_soft(w, &s, &id), CT_OK);
        assert_int_equal(ct_body_add_static(w, &f, &id), CT_OK);
        take(USUAL);
    }
    ct_mesh_free(&m);
}

/* the hash after 24 steps, with the thread's mode set before its world is made, or from the first step on */
static uint64_t run(int mode, int workers, int tasks, int late)
{
    const ct_real short_step = (ct_real)1e-4, long_step = (ct_real)5e-3;
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    uint64_t hash;
    unsigned before;
    ct_world *w;
    int i;
    if (tasks)
        d.tasks.enqueue = enqueue, d.tasks.finish = finish, d.tasks.worker_count = 2;
    else
        d.tasks.worker_count = workers;
    if (!late)
        take(mode);
    w = world_make(&d);
    take(USUAL);
    add_sheets(w, late ? USUAL : mode);
    take(mode);
    before = control();
    for (i = 0; i < 24; i++) {
        assert_int_equal(ct_world_step(w, i > 12 ? long_step : short_step, NULL), CT_OK);
        assert_int_equal(control(), before);
    }
    hash = ct_world_hash(w);
    take(USUAL);
    ct_world_destroy(w);
    return hash;
}

static void worlds_have_one_mode(void **state)
{
    uint64_t right = run(USUAL, 0, 0, 0);
    int m;
    (void)state;
    for (m = USUAL; m < MODES - !HAS_FLUSHING; m += PLAIN_OR(1, 3)) {
        assert_true(run(m, 0, 0, 0) == right);
        assert_true(run(m, 3, 0, 1) == right);
        mode_of_tasks = m;
        assert_true(run(USUAL, 0, 1, 0) == right);
        assert_true(run(m, 0, 1, 1) == right);
    }
}

/* kernels and stand-alone problems, too: the collision test's bounds need gradual underflow */
static void kernels_have_one_mode(void **state)
{
    static const ct_real x0[12] = {(ct_real)0.3, (ct_real)1e-3, (ct_real)0.3, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const ct_real x1[12] = {(ct_real)0.3, (ct_real)-2e-3, (ct_real)0.3, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double W[] = {2, 1, 1, 2}, q[] = {-5, -6}, first[2] = {0, 0};
    int32_t p[] = {0, 2, 4}, at[] = {0, 1, 0, 1};
    ct_real toi[MODES], box[MODES];
    int m, k;
    (void)state;
    for (m = USUAL; m < MODES - !HAS_FLUSHING; m++) {
        ct_problem_desc d = ct_problem_desc_default();
        ct_solver_desc s = ct_solver_desc_default();
        ct_real size[3] = {(ct_real)0.7, 1, 1};
        int cells[3] = {3, 1, 1};
        ct_problem *problem;
        ct_solution x;
        ct_mesh mesh;
        unsigned before;
        take(m);
        before = control();
        memset(&x, 0, sizeof x);
        d.kind = CT_PROBLEM_LCP, d.w = q, d.W.rows = d.W.cols = 2, d.W.p = p, d.W.i = at, d.W.x = W;
        s.solver = CT_SOLVER_AUTO, s.tolerance = (ct_real)1e-8;
        assert_int_equal(ct_ccd_vertex_face(x0, x1, (ct_real)1e-4, &toi[m]), CT_OK);
        assert_int_equal(ct_mesh_box(size, cells, 0, &mesh, NULL), CT_OK);
        assert_int_equal(ct_problem_create(&d, &problem, NULL), CT_OK);
        assert_int_equal(ct_problem_solve(problem, &s, &x), CT_OK);
        assert_int_equal(control(), before);
        take(USUAL);
        for (box[m] = 0, k = 0; k < 3 * mesh.n_positions; k++)
            box[m] += mesh.positions[k] * (ct_real)(k + 1);
        assert_true(m == USUAL || (!memcmp(&toi[m], &toi[USUAL], sizeof *toi) && box[m] == box[USUAL] && !memcmp(x.r, first, sizeof first)));
        memcpy(first, x.r, sizeof first);
        ct_solution_free(&x);
        ct_problem_free(problem);
        ct_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_have_one_mode), cmocka_unit_test(kernels_have_one_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
