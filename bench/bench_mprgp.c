/* bench_mprgp.c -- MPRGP on decoupled rows against conjugate gradients without rows, with the same preconditioner and tolerance: the QPs of
   ../shared/data/problems/qp (or CONTACT_DATA), one row of each vertex kept. Then the cost of an iteration against unknowns and rows.
   Process CPU seconds. */
#include "../src/4_programs/mprgp.h"
#include "../src/9_world/problems.h"
#include "../src/public/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static uint64_t now_us(void *user)
{
    (void)user;
    return (uint64_t)(now() * 1e6);
}

typedef struct result {
    cti_mprgp_counters count;
    int iterations;
    double seconds, energy;
} result;

/* one solve; rows: 0 without any; most: iterations, 0 no bound */
static result solve(cti_program *p, int rows, cti_mprgp_precondition kind, double tolerance, int most)
{
    cti_mem mem;
    cti_arena arena;
    cti_effort e;
    cti_answer a;
    cti_mprgp_options o = cti_mprgp_options_default();
    result out;
    int m = p->m;
    cti_mem_init(&mem, NULL);
    cti_arena_init(&arena, &mem);
    memset(&e, 0, sizeof e), memset(&a, 0, sizeof a), memset(&out, 0, sizeof out);
    e.tolerance = tolerance, e.max_iterations = most, e.arena = &arena, e.seed = 3, e.seconds = 10, e.clock.now_us = now_us,
    e.clock.started = now_us(NULL);
    a.x = (double *)calloc((size_t)p->n, sizeof(double)), a.r = (double *)calloc((size_t)m + 1, sizeof(double));
    o.path = 1, o.decoupling = CTI_DECOUPLE_DEEPEST, o.precondition = kind;
    p->m = p->J.rows = rows ? m : 0;
    out.seconds = -now();
    cti_mprgp_solve_with(p, &o, &e, &a, &out.count);
    out.seconds += now();
    out.iterations = a.iterations;
    p->m = p->J.rows = m;
    free(a.x), free(a.r);
    cti_arena_free(&arena);
    return out;
}

/* seconds a product, set-up taken off: best of three of a long run less best of three of a short one */
static double product_seconds(cti_program *p, int *out_kept)
{
    double seconds[2] = {1e30, 1e30};
    int products[2] = {0, 0}, i, k;
    for (i = 0; i < 2; i++)
        for (k = 0; k < 3; k++) {
            result r = solve(p, 1, CTI_PRECONDITION_BLOCKS, 1e-15, i ? 70 : 10);
            seconds[i] = r.seconds < seconds[i] ? r.seconds : seconds[i];
            products[i] = r.count.products, *out_kept = r.count.kept;
        }
    return (seconds[1] - seconds[0]) / (products[1] > products[0] ? products[1] - products[0] : 1);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static const char *const names[] = {"slab_cpl_3k",   "stiff_3k",  "vf_cpl_3k", "vf_dec_3k", "quasi_3k",
                                    "quasi_slab_3k", "plane_10k", "stack_10k", "stiff_10k", "stack_36k"};
enum { N_NAMES = sizeof names / sizeof *names };
static const char *const kinds[] = {"auto", "none", "jacobi", "blocks"};

int main(int argc, char **argv)
{
    static const cti_mprgp_precondition tried[] = {CTI_PRECONDITION_JACOBI, CTI_PRECONDITION_BLOCKS};
    const char *root = getenv("CONTACT_DATA");
    double tolerance = argc > 1 ? atof(argv[1]) : 1e-4, ratio[2][N_NAMES], each[N_NAMES], size[N_NAMES], sx = 0, sy = 0, sxx = 0, sxy = 0;
    int i, k, found = 0;
    printf("%-14s %6s %5s %-7s %6s | %5s %4s %4s %5s %6s %8s %8s %6s\n", "file", "n", "rows", "with", "free", "its", "exp", "prop", "inner",
           "cg %", "seconds", "ms/it", "ratio");
    for (i = 0; i < N_NAMES; i++) {
        ct_problem *problem;
        char path[1024];
        cti_program *p;
        snprintf(path, sizeof path, "%s/problems/qp/%s.cpb", root ? root : "../shared/data", names[i]);
        if (ct_problem_read(path, &problem, NULL) != CT_OK) {
            printf("missing: %s\n", path);
            continue;
        }
        p = &problem->program;
        for (k = 0; k < 2; k++) {
            result without = solve(p, 0, tried[k], tolerance, 0), with = solve(p, 1, tried[k], tolerance, 0);
            int products = with.count.products > 0 ? with.count.products : 1;
            ratio[k][found] = (double)with.iterations / (without.iterations > 0 ? without.iterations : 1);
            printf("%-14s %6d %5d %-7s %6d | %5d %4d %4d %5d %6.1f %8.4f %8.4f %6.2f\n", names[i], p->n, with.count.kept, kinds[tried[k]],
                   without.iterations, with.iterations, with.count.expansions, with.count.proportionings, with.count.inner,
                   100.0 * with.count.cg / (with.iterations > 0 ? with.iterations : 1), with.seconds, with.seconds / products * 1e3,
                   ratio[k][found]);
        }
        each[found] = log(product_seconds(p, &k));
        size[found] = log((double)p->n + k);
        printf("%-14s %.4f ms a product and what belongs to it\n", names[i], 1e3 * exp(each[found]));
        found++;
        ct_problem_free(problem);
    }
    for (k = 0; k < 3 && found; k++) {
        qsort(ratio[k], (size_t)found, sizeof(double), compare_double);
        printf("median ratio of iterations, %s: %.2f\n", kinds[tried[k]],
               found % 2 ? ratio[k][found / 2] : (ratio[k][found / 2 - 1] + ratio[k][found / 2]) / 2);
    }
    for (i = 0; i < found; i++)
        sx += size[i], sy += each[i], sxx += size[i] * size[i], sxy += size[i] * each[i];
    if (found > 1)
        printf("seconds a product grow as (unknowns + rows)^%.2f\n", (found * sxy - sx * sy) / (found * sxx - sx * sx));
    return 0;
}
