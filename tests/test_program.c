/* test_program.c -- stand-alone contact problems: sparse rows, files and their errors, the judge. */
#include "../src/9_world/problems.h"
#include "world_util.h"

static const char *write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return name;
}

/* reads a text or bytes as a problem; the error's text has to contain `part`; part NULL: reading has to succeed */
static ct_problem *read_as(const char *name, const void *bytes, size_t n, ct_code expected, const char *part)
{
    ct_problem *p = NULL;
    ct_error_info e;
    ct_code code;
    memset(&e, 0, sizeof e);
    code = ct_problem_read(write_file(name, bytes, n), &p, &e);
    remove(name);
    if (code != expected || (part && !strstr(e.text, part)))
        print_error("code %d, \"%s\" for \"%s\"\n", code, e.text ? e.text : "", part ? part : "");
    assert_int_equal(code, expected);
    assert_true(!part || strstr(e.text, part));
    return p;
}

static ct_problem *read_lcp(const char *text, ct_code expected, const char *part)
{
    return read_as("test_program.lcp", text, strlen(text), expected, part);
}

static void sparse_rows(void **state)
{
    static const int32_t i[] = {2, 0, 2, 1, 0, 2}, j[] = {3, 1, 0, 2, 1, 3};
    static const double x[] = {5, 1, 4, 3, 1, -2}, v[] = {1, 2, 3, 4};
    cti_mem mem;
    cti_sparse a, t;
    double y[3], z[4] = {0, 0, 0, 0};
    (void)state;
    cti_mem_init(&mem, NULL);
    assert_true(cti_sparse_from_triplets(&mem, 3, 4, i, j, x, 6, &a));
    assert_int_equal(a.p[3], 4); /* two entries were given twice */
    assert_true(cti_sparse_at(&a, 0, 1) == 2 && cti_sparse_at(&a, 2, 3) == 3 && cti_sparse_at(&a, 2, 1) == 0);
    cti_sparse_mul(&a, v, y);
    assert_true(y[0] == 4 && y[1] == 9 && y[2] == 16);
    assert_true(cti_sparse_transpose(&mem, &a, &t));
    assert_true(t.rows == 4 && cti_sparse_at(&t, 3, 2) == 3);
    cti_sparse_addmul_t(&a, y, z);
    assert_true(z[0] == 64 && z[1] == 8 && z[2] == 27 && z[3] == 48);
    cti_sparse_free(&mem, &a);
    cti_sparse_free(&mem, &t);
    assert_int_equal(mem.bytes_live, 0);
}

static void texts(void **state)
{
    ct_problem *p = read_lcp("# a comment\nn 2\nexpect solution\nlemke solution 1\nM\n2 1\n1 2\nq\n-1 1\nz\n.5 0\n", CT_OK, NULL);
    ct_problem_info info;
    (void)state;
    assert_int_equal(ct_problem_info_get(p, &info), CT_OK);
    assert_true(info.kind == CT_PROBLEM_LCP && info.n == 2 && info.m == 2 && info.expect == 1 && info.contacts == 0);
    assert_true(info.r_ref[0] == 0.5 && info.x_ref == NULL);
    ct_problem_free(p);
    ct_problem_free(NULL);
    read_lcp("n 2\nM\n2 1\n1 x\nq\n1 1\n", CT_ERR_FORMAT, "line 4");
    read_lcp("n 2\nM\n2 1\n1\n", CT_ERR_FORMAT, "entry of M");
    read_lcp("n 2\nN\n", CT_ERR_FORMAT, "line 2");
    read_lcp("n -1\n", CT_ERR_DOMAIN, "line 1");
    read_lcp("n 2\nM\n2 1\n1 2\n", CT_ERR_DOMAIN, "length");
    read_lcp("n 1\nM\n1\nq\nnan\n", CT_ERR_FORMAT, "entry of q");
    read_lcp("n 1\nM\n1\nq\n1\nlo\n2\nhi\n1\n", CT_ERR_DOMAIN, "above");
    assert_int_equal(ct_problem_read("no_such_file.lcp", &p, NULL), CT_ERR_FILE);
    assert_int_equal(ct_problem_read("no_such_file.txt", &p, NULL), CT_ERR_UNSUPPORTED);
    assert_int_equal(ct_problem_read(NULL, &p, NULL), CT_ERR_ARGUMENT);
}

/* bytes of a CPB file, array by array */
typedef struct container {
    unsigned char bytes[4096];
    size_t n;
} container;

static void put(container *c, const void *data, size_t n)
{
    assert_true(c->n + n <= sizeof c->bytes);
    memcpy(c->bytes + c->n, data, n);
    c->n += n;
}

static void put_array(container *c, const char *name, uint32_t dtype, uint64_t count, const void *data)
{
    char padded[16] = {0};
    uint32_t zero = 0;
    static const unsigned char none[8] = {0};
    size_t bytes = (dtype ? 8 : 4) * (size_t)count;
    strncpy(padded, name, 15);
    put(c, padded, 16), put(c, &dtype, 4), put(c, &zero, 4), put(c, &count, 8);
    put(c, data, bytes), put(c, none, (8 - bytes % 8) % 8);
}

/* min x'x / 2 - 2 x0 - x1 with x0 <= 1: x = (1, 1), multiplier 1 */
static void make_qp(container *c)
{
    static const int32_t dim2[] = {2, 2}, p2[] = {0, 1, 2}, i2[] = {0, 1}, dimj[] = {1, 2}, pj[] = {0, 1}, ij[] = {0};
    static const double x2[] = {1, 1}, b[] = {2, 1}, xj[] = {-1}, cj[] = {-1}, objective[] = {-2};
    uint32_t kind = 3, arrays = 11;
    memset(c, 0, sizeof *c);
    put(c, "CPB1\0\0\0\0", 8), put(c, &kind, 4), put(c, &arrays, 4);
    put_array(c, "P.dim", 0, 2, dim2), put_array(c, "P.p", 0, 3, p2), put_array(c, "P.i", 0, 2, i2), put_array(c, "P.x", 1, 2, x2);
    put_array(c, "b", 1, 2, b), put_array(c, "J.dim", 0, 2, dimj), put_array(c, "J.p", 0, 2, pj), put_array(c, "J.i", 0, 1, ij);
    put_array(c, "J.x", 1, 1, xj), put_array(c, "c", 1, 1, cj), put_array(c, "obj", 1, 1, objective);
}

/* sets entry k of an int array, or the number of entries where k is -1 */
static void patch(container *c, const char *name, int k, int32_t value)
{
    size_t at = 16;
    uint64_t count;
    while (strncmp((const char *)c->bytes + at, name, 16) != 0) {
        uint32_t dtype;
        memcpy(&dtype, c->bytes + at + 16, 4), memcpy(&count, c->bytes + at + 24, 8);
        at += 32 + (((dtype ? 8 : 4) * (size_t)count + 7) & ~(size_t)7);
        assert_true(at < c->n);
    }
    count = (uint64_t)value;
    if (k < 0)
        memcpy(c->bytes + at + 24, &count, 8);
    else
        memcpy(c->bytes + at + 32 + 4 * k, &value, 4);
}

/* row pointers that leave entries out, and references of another length: the error names the array's letter or name */
static void containers_drop_nothing(void **state)
{
    static const uint32_t arrays = 12;
    static const double nine = 9;
    static const int32_t zero = 0;
    container c;
    (void)state;
    make_qp(&c), patch(&c, "P.p", 0, 1);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "matrix P: row pointers");
    make_qp(&c), patch(&c, "P.p", 2, 1);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "matrix P: row pointers");
    make_qp(&c), patch(&c, "J.p", 1, 0);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "matrix J: row pointers");
    make_qp(&c), memcpy(c.bytes + 12, &arrays, 4);
    put_array(&c, "x_ref", 1, 1, &nine);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "x_ref");
    make_qp(&c), memcpy(c.bytes + 12, &arrays, 4);
    put_array(&c, "lam_ref", 0, 1, &zero);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "lam_ref");
    make_qp(&c), patch(&c, "obj", -1, 0);
    read_as("test_program.cpb", c.bytes, c.n, CT_ERR_FORMAT, "obj");
    remove("test_program.cpb");
}

static void containers(void **state)
{
    container c;
    ct_problem *p;
    ct_solver_desc d = ct_solver_desc_default();
    ct_solution s;
    size_t k, cut;
    (void)state;
    make_qp(&c);
    p = read_as("test_program.cpb", c.bytes, c.n, CT_OK, NULL);
    memset(&s, 0, sizeof s);
    d.solver = CT_SOLVER_AUTO, d.tolerance = CTI_R(1e-6);
    assert_int_equal(ct_problem_solve(p, &d, &s), CT_OK);
    assert_int_equal(s.outcome, CT_OUTCOME_SOLVED);
    assert_true(fabs(s.x[0] - 1) < 1e-6 && fabs(s.x[1] - 1) < 1e-6 && fabs(s.r[0] - 1) < 1e-6 && fabs(s.objective + 2) < 1e-6);
    assert_string_equal(s.why, "");
    ct_solution_free(&s);
    d.relaxation = 3;
    assert_int_equal(ct_problem_solve(p, &d, &s), CT_ERR_ARGUMENT);
    ct_problem_free(p);
    /* any file that ends early, and any file with a changed byte: an error, or a problem that can be solved, never a crash */
    for (cut = 0; cut < c.n; cut += 7)
        read_as("test_program.cpb", c.bytes, cut, CT_ERR_FORMAT, "");
    for (k = 0; k < c.n; k++) {
        ct_error_info e;
        unsigned char old = c.bytes[k];
        c.bytes[k] ^= (unsigned char)(1 + 37 * k);
        p = NULL;
        if (ct_problem_read(write_file("test_program.cpb", c.bytes, c.n), &p, &e) == CT_OK) {
            d = ct_solver_desc_default();
            d.solver = CT_SOLVER_AUTO, d.budget = 50;
            memset(&s, 0, sizeof s);
            assert_int_equal(ct_problem_solve(p, &d, &s), CT_OK);
            ct_solution_free(&s);
            ct_problem_free(p);
        }
        c.bytes[k] = old;
    }
    remove("test_program.cpb");
}

/* one contact in numbers: it sticks, slides, is open; each wrong answer is detected by the right residual */
static void judge(void **state)
{
    static const double good[3][6] = {/* w, r */ {-1, 0.1, 0, 1, -0.1, 0}, {-1, 2, 0, 1, -0.5, 0}, {1, 2, 3, 0, 0, 0}};
    cti_mem mem;
    cti_program p;
    int k, e;
    (void)state;
    cti_mem_init(&mem, NULL);
    for (k = 0; k < 3; k++) {
        static const int32_t at[] = {0, 1, 2};
        static const double one[] = {1, 1, 1};
        double work[16], u[3], r[3];
        cti_judgement j;
        memset(&p, 0, sizeof p);
        p.kind = CTI_PROGRAM_LOCAL, p.n = p.m = 3;
        assert_true(cti_sparse_from_triplets(&mem, 3, 3, at, at, one, 3, &p.W) && CTI_RESIZE(&mem, p.w, 3) && CTI_RESIZE(&mem, p.mu, 1));
        memcpy(p.w, good[k], sizeof u);
        p.mu[0] = 0.5;
        assert_null(cti_program_check(&p));
        assert_true(cti_program_prepare(&mem, &p));
        memcpy(r, good[k] + 3, sizeof r);
        cti_program_u(&p, u, r, u);
        cti_program_judge(&p, u, r, work, &j);
        assert_true(j.residual < 1e-14 && j.unscaled < 1e-14 && j.dual == 0);
        for (e = 0; e < 3; e++) {
            r[e] += 0.01;
            cti_program_judge(&p, u, r, work, &j);
            assert_true(j.residual > 1e-3);
            r[e] -= 0.01;
        }
        r[0] = NAN;
        cti_program_judge(&p, u, r, work, &j);
        assert_true(!(j.residual < 1e30));
        p.mu[0] = -1;
        assert_non_null(cti_program_check(&p));
        cti_program_free(&mem, &p);
    }
    assert_int_equal(mem.bytes_live, 0);
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* The natural map agrees with the projection, and is exact where the projection rounds it away: in a squeeze, where W lets r grow without a change of
   u, r of 1e17 leaves all of u's error */
static void natural_map(void **state)
{
    static const double mus[] = {0, 1e-9, 0.5, 3};
    uint64_t seed = 7;
    int i, k;
    (void)state;
    for (i = 0; i < 4000; i++) {
        double mu = mus[i % 4], r[3], v[3], a[3], z[3], size = 0;
        for (k = 0; k < 3; k++) {
            r[k] = draw(&seed) * (i % 7 ? 1 : 1e6), v[k] = draw(&seed) * (i % 5 ? 1 : 1e6);
            a[k] = r[k] - v[k], size += fabs(r[k]) + fabs(v[k]);
        }
        if (i % 3 == 0) { /* on the cone, where friction slides */
            double t = sqrt(r[1] * r[1] + r[2] * r[2]);
            r[0] = fabs(r[0]), r[1] *= mu * r[0] / t, r[2] *= mu * r[0] / t;
            for (k = 0; k < 3; k++)
                a[k] = r[k] - v[k];
        }
        cti_cone_project3(mu, a), cti_cone_natural(mu, r, v, z);
        for (k = 0; k < 3; k++)
            assert_true(fabs(r[k] - a[k] - z[k]) <= 1e-14 * size);
    }
    for (i = 0; i < 2; i++) {
        /* sticking, and sliding along -t1 with |u_t| = 2: v = (mu |u_t| - 1, -2, 0) has an approach of 1, and nothing else is wrong */
        const double stick[3] = {1e17, 0, 0}, slide[3] = {1e17, 0.5e17, 0}, v[3] = {0, -2, 0};
        double z[3];
        cti_cone_natural(0.5, i ? slide : stick, v, z);
        assert_true(i ? fabs(z[0] + 0.8) < 1e-14 && fabs(z[1] + 0.4) < 1e-14 : z[0] == 0 && z[1] == -2);
        assert_true(z[2] == 0);
    }
}

/* every problem of the data folder: its reference is accepted, and rejected when one entry is changed */
static void references(void **state)
{
    static const char *const names[] = {"fc/G_fem_vf_1k.cpb",       "fc/G_fem_stack_3k.cpb", "fc/L_KaplasTower-i1061-4.cpb",
                                        "fc/L_NESpheres_10_1.cpb",
                                        "qp/stiff_3k.cpb",          "qp/redundant_3k.cpb",   "mm/DUAL1.cpb",                 "mm/YAO.cpb",
                                        "lcp/rigid_box5_stack.lcp", "lcp/boxed_spd_40.blcp", "lcp/murty_16.lcp",             "lcp/sico_tobenna.lcp"};
    const char *data = getenv("CONTACT_DATA");
    int k, seen = 0;
    (void)state;
    for (k = 0; k < (int)(sizeof names / sizeof *names); k++) {
        char path[512];
        ct_problem *q;
        cti_program *p;
        cti_judgement j;
        double *work, *u;
        int at, i;
        snprintf(path, sizeof path, "%s/problems/%s", data ? data : "../shared/data", names[k]);
        if (ct_problem_read(path, &q, NULL) != CT_OK)
            continue;
        seen++;
        p = &q->program;
        work = (double *)malloc(sizeof *work * (size_t)(3 * p->m + 2 * p->n + 1)), u = work + p->m + 2 * p->n;
        assert_non_null(work);
        cti_program_u(p, p->known.x ? p->known.x : u, p->known.r, u);
        cti_program_judge(p, p->known.x ? p->known.x : u, p->known.r, work, &j);
        if (!(j.residual < 2e-9))
            print_error("%s: residual %g\n", names[k], j.residual);
        assert_true(j.residual < 2e-9);
        for (at = i = 0; i < p->m; i++)
            at = fabs(p->known.r[i]) > fabs(p->known.r[at]) ? i : at;
        p->known.r[at] *= 1.01;
        if (p->kind == CTI_PROGRAM_LOCAL || p->kind == CTI_PROGRAM_LCP)
            cti_program_u(p, u, p->known.r, u);
        cti_program_judge(p, p->known.x ? p->known.x : u, p->known.r, work, &j);
        if (!(j.residual > 1e-7))
            print_error("%s: residual %g after a change\n", names[k], j.residual);
        assert_true(j.residual > 1e-7);
        free(work);
        ct_problem_free(q);
    }
    if (!seen) {
        print_message("missing: %s/problems (CONTACT_DATA)\n", data ? data : "../shared/data");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_rows), cmocka_unit_test(texts), cmocka_unit_test(containers),
                                       cmocka_unit_test(containers_drop_nothing), cmocka_unit_test(judge), cmocka_unit_test(natural_map),
                                       cmocka_unit_test(references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
