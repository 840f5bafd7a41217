/* bench_model.c -- time per element of energy, force and stiffness with scatter, for every material model: a box of tets and a square
   sheet, both moved at random by a tenth of their cell. Medians over repetitions. Prints one line per case and a JSON line. */
#include "../src/1_math/eig3.h"
#include "../src/1_math/elem.h"
#include "../src/2_linalg/bsr.h"
#include "../src/6_model/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 15 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other processes do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static uint64_t seed = 1;
static ct_real uniform(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (ct_real)((double)(seed >> 11) / 4503599627370496.0 - 1.0);
}
static int compare(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}
static int find(const void *ctx, int i, int j) { return cti_bsr_slot((const cti_bsr *)ctx, i, j); }

/* a box of n^3 cells, six tets each, in a local order; returns the number of tets */
static int box(int n, ct_real **X, int32_t **tets)
{
    static const int way[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int m = n + 1, i, j, k, w, s, count = 0, at[3], p[4];
    *X = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)(m * m * m));
    *tets = (int32_t *)malloc(sizeof(int32_t) * 24 * (size_t)(n * n * n));
    for (i = 0; i < m * m * m; i++)
        (*X)[3 * i] = (ct_real)(i % m), (*X)[3 * i + 1] = (ct_real)(i / m % m), (*X)[3 * i + 2] = (ct_real)(i / m / m);
    for (k = 0; k < n; k++)
        for (j = 0; j < n; j++)
            for (i = 0; i < n; i++)
                for (w = 0; w < 6; w++, count++) {
                    at[0] = i, at[1] = j, at[2] = k;
                    for (s = 0; s < 4; s++) {
                        p[s] = at[0] + m * (at[1] + m * at[2]);
                        if (s < 3)
                            at[way[w][s]]++;
                    }
                    (*tets)[4 * count] = p[0], (*tets)[4 * count + 1] = p[1];
                    (*tets)[4 * count + 2] = w < 3 ? p[2] : p[3], (*tets)[4 * count + 3] = w < 3 ? p[3] : p[2];
                    if (w >= 3)
                        (*tets)[4 * count + 1] = p[1];
                }
    return count;
}
/* a sheet of n x n cells; returns the number of triangles */
static int sheet(int n, ct_real **X, int32_t **triangles)
{
    int m = n + 1, i, j, count = 0;
    *X = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)(m * m));
    *triangles = (int32_t *)malloc(sizeof(int32_t) * 6 * (size_t)(n * n));
    for (i = 0; i < m * m; i++)
        (*X)[3 * i] = (ct_real)(i % m), (*X)[3 * i + 1] = (ct_real)(i / m), (*X)[3 * i + 2] = 0;
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++) {
            int a = j * m + i, b = a + 1, c = a + m, d = c + 1, odd = (i + j) & 1;
            int32_t *t = *triangles + 3 * count;
            t[0] = a, t[1] = b, t[2] = odd ? c : d;
            t[3] = odd ? b : a, t[4] = d, t[5] = c;
            count += 2;
        }
    return count;
}

typedef struct job {
    const cti_model *model;
    const ct_real *x;
    ct_real *force;
    cti_bsr *A;
} job;
/* what 0: energy, 1: force, 2: force and stiffness */
static double median(const job *b, int what, int n)
{
    double t[REPEATS], energy = 0;
    int i;
    for (i = 0; i < REPEATS; i++) {
        double start = seconds();
        cti_model_assemble(b->model, b->x, CTI_R(0.01), what ? b->force : NULL, what == 2 ? b->A->val : NULL, NULL,
                           what == 0 ? &energy : NULL);
        t[i] = seconds() - start;
    }
    qsort(t, REPEATS, sizeof *t, compare);
    return t[REPEATS / 2] / n * 1e9;
}

static void run(const char *name, const ct_material *m, int cloth, const ct_real *X, int nodes, const int32_t *elements, int n,
                ct_real jitter)
{
    const cti_rest_mesh rest = cti_rest_mesh_of(X, nodes, elements, n, 0);
    cti_mem mem;
    cti_model model;
    cti_bsr A;
    int32_t *pairs = NULL;
    ct_real *x = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)nodes), *f = (ct_real *)calloc(3 * (size_t)nodes, sizeof(ct_real));
    int64_t bad;
    double value;
    job b;
    int i, code;
    cti_mem_init(&mem, NULL);
    memset(&model, 0, sizeof model), memset(&A, 0, sizeof A);
    for (i = 0; i < 3 * nodes; i++)
        x[i] = X[i] + jitter * uniform();
    code = cloth ? cti_model_init_cloth(&mem, &model, m, &rest, &bad, &value) : cti_model_init_soft(&mem, &model, m, &rest, &bad, &value);
    if (code != 1 || !cti_model_pairs(&model, &mem, &pairs) || !cti_bsr_pattern(&mem, &A, nodes, pairs, CTI_LEN(pairs) / 2) ||
        cti_model_slots(&mem, &model, find, &A) != 1) {
        printf("%s: setup failed (%d)\n", name, code);
        exit(1);
    }
    b.model = &model, b.x = x, b.force = f, b.A = &A;
    {
        double e = median(&b, 0, n), g = median(&b, 1, n), h = median(&b, 2, n);
        printf("%-28s %7d elements   energy %6.1f   force %6.1f   force + stiffness %6.1f ns/element\n", name, n, e, g, h);
        printf("{\"bench\":\"model\",\"case\":\"%s\",\"real\":%d,\"simd\":\"%s\",\"elements\":%d,\"energy_ns\":%.1f,\"force_ns\":%.1f,"
               "\"stiffness_ns\":%.1f}\n",
               name, CONTACT_REAL, CTI_SIMD_NAME, n, e, g, h);
    }
    CTI_FREE(&mem, pairs);
    cti_bsr_free(&mem, &A);
    cti_model_free(&mem, &model);
    free(x), free(f);
}

/* the SVD alone */
static void run_svd(void)
{
    cti_r8 f[9], u[9], s[3], v[9], sum = cti_set8(0);
    ct_real buf[9][8];
    double t[REPEATS], jitters[3] = {0.0, 1e-3, 0.3};
    int i, j, k, c;
    for (c = 0; c < 3; c++) {
        for (i = 0; i < 9; i++) {
            for (j = 0; j < 8; j++)
                buf[i][j] = (i % 4 == 0 ? CTI_R(1) : CTI_R(0)) + (ct_real)jitters[c] * uniform();
            f[i] = cti_load8(buf[i]);
        }
        for (k = 0; k < REPEATS; k++) {
            double start = seconds();
            for (i = 0; i < 2000; i++) {
                cti_svd3_8(f, u, s, v);
                sum = cti_add8(sum, s[0]);
            }
            t[k] = (seconds() - start) / 16000 * 1e9;
        }
        qsort(t, REPEATS, sizeof *t, compare);
        cti_store8(buf[0], sum);
        printf("svd3, |F - 1| about %-8g %6.1f ns/matrix (%g)\n", jitters[c], t[REPEATS / 2], (double)buf[0][0]);
    }
}

int main(void)
{
    static const ct_model soft[5] = {CT_MODEL_NEOHOOKEAN, CT_MODEL_COROTATIONAL, CT_MODEL_STVK, CT_MODEL_STABLE_NEOHOOKEAN,
                                     CT_MODEL_HONG_NEOHOOKEAN};
    static const char *names[5] = {"neohookean", "corotational", "stvk", "stable_neohookean", "hong_neohookean"};
    ct_real *X;
    int32_t *elements;
    ct_material m;
    int k, n, count;
    char name[64];
    printf("real %d, %s\n", CONTACT_REAL, CTI_SIMD_NAME);
    run_svd();
    n = 16, count = box(n, &X, &elements);
    for (k = 0; k < 5; k++) {
        m = ct_material_default(soft[k]);
        run(names[k], &m, 0, X, (n + 1) * (n + 1) * (n + 1), elements, count, CTI_R(0.1));
        sprintf(name, "%s_rest", names[k]);
        run(name, &m, 0, X, (n + 1) * (n + 1) * (n + 1), elements, count, CTI_R(0));
    }
    free(X), free(elements);
    n = 50, count = sheet(n, &X, &elements);
    m = ct_material_default(CT_MODEL_MEMBRANE);
    run("membrane_and_bend", &m, 1, X, (n + 1) * (n + 1), elements, count, CTI_R(0.1));
    m.bending = 0;
    run("membrane", &m, 1, X, (n + 1) * (n + 1), elements, count, CTI_R(0.1));
    m = ct_material_default(CT_MODEL_SPRINGS);
    run("springs_per_triangle", &m, 1, X, (n + 1) * (n + 1), elements, count, CTI_R(0.1));
    free(X), free(elements);
    return 0;
}
