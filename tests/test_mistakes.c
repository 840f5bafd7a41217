/* test_mistakes.c -- 25 typical mistakes of programs: each is refused with a text that names the culprit and the cure, and changes nothing.
   docs/mistakes.md has their table, which is this one: with an argument the program prints it. */
#include "world_util.h"

/* a world with a jelly, a crate, a flag and a removed body, and what calls say */
typedef struct bench {
    ct_world *w;
    ct_body_id jelly, crate, flag, floor, gone;
    ct_mesh box, sheet;
    ct_error_info e;
    int direct; /* 1: e is of the call itself, else the world's error is */
} bench;

static void bench_open(bench *b)
{
    ct_real size[3] = {1, 1, 1}, flat[2] = {1, 1};
    int cells[3] = {2, 2, 2}, squares[2] = {2, 2};
    ct_soft_desc soft = ct_soft_desc_default();
    ct_rigid_desc rigid = ct_rigid_desc_default();
    ct_cloth_desc cloth = ct_cloth_desc_default();
    memset(b, 0, sizeof *b);
    assert_int_equal(ct_world_create(NULL, &b->w, NULL), CT_OK);
    assert_int_equal(ct_mesh_box(size, cells, 1, &b->box, NULL), CT_OK);
    assert_int_equal(ct_mesh_grid(flat, squares, &b->sheet, NULL), CT_OK);
    soft.mesh = rigid.mesh = &b->box, cloth.mesh = &b->sheet;
    soft.name = "jelly", rigid.name = "crate", cloth.name = "flag";
    soft.position[1] = 2, rigid.position[0] = 4, cloth.position[0] = 8;
    assert_int_equal(ct_body_add_soft(b->w, &soft, &b->jelly), CT_OK);
    assert_int_equal(ct_body_add_rigid(b->w, &rigid, &b->crate), CT_OK);
    assert_int_equal(ct_body_add_cloth(b->w, &cloth, &b->flag), CT_OK);
    assert_int_equal(ct_body_add_plane(b->w, NULL, -5, &b->floor), CT_OK);
    rigid.position[0] = 12;
    assert_int_equal(ct_body_add_rigid(b->w, &rigid, &b->gone), CT_OK);
    assert_int_equal(ct_body_remove(b->w, b->gone), CT_OK);
}

static void bench_close(bench *b)
{
    ct_world_destroy(b->w);
    ct_mesh_free(&b->box), ct_mesh_free(&b->sheet);
}

/* ---- worlds ---- */

static ct_code created(bench *b, const ct_world_desc *d)
{
    ct_world *w = NULL;
    ct_code code = ct_world_create(d, &w, &b->e);
    b->direct = 1;
    assert_null(w);
    return code;
}
static ct_code no_default(bench *b)
{
    ct_world_desc d;
    memset(&d, 0, sizeof d);
    return created(b, &d);
}
static ct_code negative_friction(bench *b)
{
    ct_world_desc d = ct_world_desc_default();
    d.friction = -1;
    return created(b, &d);
}
static ct_code nan_thickness(bench *b)
{
    ct_world_desc d = ct_world_desc_default();
    d.thickness = (ct_real)NAN;
    return created(b, &d);
}
static ct_code solver_of_problems(bench *b)
{
    ct_world_desc d = ct_world_desc_default();
    d.solver.solver = CT_SOLVER_LEMKE;
    return created(b, &d);
}
static ct_code explicit_friction(bench *b)
{
    ct_world_desc d = ct_world_desc_default();
    d.stepper = CT_STEPPER_EXPLICIT;
    return created(b, &d);
}
static ct_code cloth_in_dcd(bench *b)
{
    ct_world_desc d = ct_world_desc_default_for(CT_STEPPER_DCD);
    ct_cloth_desc c = ct_cloth_desc_default();
    ct_world *w = NULL;
    ct_code code;
    assert_int_equal(ct_world_create(&d, &w, NULL), CT_OK);
    c.mesh = &b->sheet, c.name = "cape";
    code = ct_body_add_cloth(w, &c, NULL);
    if (code == CT_OK)
        code = ct_world_step(w, (ct_real)0.01, NULL);
    b->e = *ct_world_error(w), b->direct = 1;
    strncpy(b->e.buffer, ct_world_error(w)->text, sizeof b->e.buffer - 1);
    b->e.text = b->e.buffer;
    ct_world_destroy(w);
    return code;
}

/* ---- meshes and bodies ---- */

static ct_code soft_without_tets(bench *b)
{
    ct_soft_desc d = ct_soft_desc_default();
    d.mesh = &b->sheet, d.name = "dress";
    return ct_body_add_soft(b->w, &d, NULL);
}
static ct_code inverted(bench *b)
{
    ct_soft_desc d = ct_soft_desc_default();
    int32_t keep = b->box.tets[0];
    b->box.tets[0] = b->box.tets[1], b->box.tets[1] = keep;
    d.mesh = &b->box, d.name = "blob";
    return ct_body_add_soft(b->w, &d, NULL);
}
static ct_code from_one(bench *b)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    int i;
    for (i = 0; i < 3 * b->sheet.n_triangles; i++)
        b->sheet.triangles[i]++;
    d.mesh = &b->sheet, d.name = "sail";
    return ct_body_add_cloth(b->w, &d, NULL);
}
static ct_code nan_position(bench *b)
{
    ct_soft_desc d = ct_soft_desc_default();
    b->box.positions[7] = (ct_real)NAN;
    d.mesh = &b->box, d.name = "blob";
    return ct_body_add_soft(b->w, &d, NULL);
}
static ct_code open_rigid(bench *b)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    d.mesh = &b->sheet, d.name = "door";
    return ct_body_add_rigid(b->w, &d, NULL);
}
static ct_code incompressible(bench *b)
{
    ct_soft_desc d = ct_soft_desc_default();
    d.mesh = &b->box, d.name = "rubber", d.material.poisson = (ct_real)0.5;
    return ct_body_add_soft(b->w, &d, NULL);
}
static ct_code zero_rotation(bench *b)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    d.mesh = &b->box, d.name = "barrel", d.rotation[0] = 0;
    return ct_body_add_rigid(b->w, &d, NULL);
}
static ct_code flat_normal(bench *b)
{
    ct_real n[3] = {0, 0, 0};
    return ct_body_add_plane(b->w, n, 0, NULL);
}
static ct_code no_file(bench *b)
{
    ct_mesh m;
    memset(&m, 0, sizeof m);
    b->direct = 1;
    return ct_mesh_read("hero.fbx", &m, &b->e);
}

/* ---- calls between steps ---- */

static ct_code zero_dt(bench *b) { return ct_world_step(b->w, 0, NULL); }
static ct_code removed_body(bench *b)
{
    ct_real p[3];
    return ct_body_get_pose(b->w, b->gone, p, NULL);
}
static ct_code pose_of_soft(bench *b)
{
    ct_real p[3];
    return ct_body_get_pose(b->w, b->jelly, p, NULL);
}
static ct_code pin_beyond(bench *b)
{
    int32_t v[2] = {0, 99};
    return ct_body_pin(b->w, b->flag, v, 2, CT_AXIS_ALL, NULL, -1);
}
static ct_code pin_no_axes(bench *b)
{
    int32_t v[1] = {0};
    return ct_body_pin(b->w, b->flag, v, 1, 0, NULL, -1);
}
static ct_code force_on_floor(bench *b)
{
    ct_real f[3] = {0, 1, 0};
    return ct_body_add_force(b->w, b->floor, f, NULL);
}
static ct_code few_velocities(bench *b)
{
    ct_real v[12] = {0};
    return ct_body_set_velocities(b->w, b->jelly, v, 4);
}
static ct_code hinge_on_cloth(bench *b)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_HINGE);

    d.a.body = b->flag, d.b.body = b->crate;
    return ct_joint_add(b->w, &d, NULL);
}
static ct_code axis_zero(bench *b)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_HINGE);
    d.a.body = b->crate;
    memset(d.axis, 0, sizeof d.axis);
    return ct_joint_add(b->w, &d, NULL);
}
static ct_code no_problem(bench *b)
{
    ct_problem *p = NULL;
    return ct_world_get_problem(b->w, &p);
}

typedef struct mistake {
    const char *call; /* as a program has it */
    ct_code (*run)(bench *b);
    ct_code code;
    const char *culprit, *cure; /* words of the text */
} mistake;
static const mistake mistakes[] = {
    {"`ct_world_desc d; memset(&d, 0, sizeof d);`", no_default, CT_ERR_ARGUMENT, "world desc", "ct_world_desc_default"},
    {"`d.friction = -1`", negative_friction, CT_ERR_ARGUMENT, "friction", "zero or positive"},
    {"`d.thickness = 0.0 / 0.0`", nan_thickness, CT_ERR_ARGUMENT, "thickness", "positive"},
    {"`d.solver.solver = CT_SOLVER_LEMKE`", solver_of_problems, CT_ERR_UNSUPPORTED, "'lemke'", "CT_SOLVER_ICA"},
    {"`d.stepper = CT_STEPPER_EXPLICIT` and no more", explicit_friction, CT_ERR_UNSUPPORTED, "friction", "set friction to 0"},
    {"a cloth in a world of `CT_STEPPER_DCD`", cloth_in_dcd, CT_ERR_UNSUPPORTED, "cape", "CT_STEPPER_CMR"},
    {"`ct_body_add_soft` with triangles alone", soft_without_tets, CT_ERR_MESH, "'dress'", "ct_mesh_tetrahedralize"},
    {"a tet with two corners exchanged", inverted, CT_ERR_MESH, "'blob': a tet", "exchange"},
    {"triangles that count vertices from 1", from_one, CT_ERR_MESH, "triangle 7, vertex 9", "from 0"},
    {"`mesh.positions[7] = 0.0 / 0.0`", nan_position, CT_ERR_MESH, "vertex 2", "finite"},
    {"`ct_body_add_rigid` with an open sheet", open_rigid, CT_ERR_MESH, "'door'", "closed"},
    {"`material.poisson = 0.5`", incompressible, CT_ERR_ARGUMENT, "'rubber'", "[0, 0.5)"},
    {"`rotation` all 0", zero_rotation, CT_ERR_ARGUMENT, "'barrel'", "1 0 0 0"},
    {"`ct_body_add_plane` with the normal 0, 0, 0", flat_normal, CT_ERR_ARGUMENT, "plane", "normal other than 0"},
    {"`ct_mesh_read(\"hero.fbx\", ...)`", no_file, CT_ERR_UNSUPPORTED, "file name", ".obj"},
    {"`ct_world_step(w, 0, &r)`", zero_dt, CT_ERR_ARGUMENT, "dt", "positive"},
    {"a call with the id of a removed body", removed_body, CT_ERR_STALE_ID, "index 5", "removed"},
    {"`ct_body_get_pose` of a soft body", pose_of_soft, CT_ERR_ARGUMENT, "'jelly'", "ct_body_get_positions"},
    {"`ct_body_pin` of vertex 99 of 9", pin_beyond, CT_ERR_ARGUMENT, "vertex 99", "ct_body_node_count"},
    {"`ct_body_pin` with `axes` 0", pin_no_axes, CT_ERR_ARGUMENT, "axes", "ct_body_unpin"},
    {"`ct_body_add_force` on a static body", force_on_floor, CT_ERR_ARGUMENT, "'plane'", "soft, cloth, rod, points and rigid"},
    {"`ct_body_set_velocities` with 4 of 27 nodes", few_velocities, CT_ERR_ARGUMENT, "'jelly'", "ct_body_node_count"},
    {"a hinge between a cloth and a crate", hinge_on_cloth, CT_ERR_UNSUPPORTED, "'flag'", "CT_JOINT_BALL"},
    {"a hinge without `axis`", axis_zero, CT_ERR_ARGUMENT, "joint.axis", "direction"},
    {"`ct_world_get_problem` while nothing touches", no_problem, CT_ERR_ARGUMENT, "no contact problem", "step until"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* the row of the table */
static void row(const mistake *m, const bench *b, char *out, size_t size)
{
    const ct_error_info *e = b->direct ? &b->e : ct_world_error(b->w);
    snprintf(out, size, "| %s | `%s` | %s |", m->call, ct_code_text(m->code), e->text);
}

static int printing;
static void test_mistakes(void **state)
{
    char line[600], *page;
    FILE *f = fopen("docs/mistakes.md", "rb");
    size_t n;
    int i;
    (void)state;
    assert_true(MISTAKES == 25 && f);
    page = (char *)calloc(1 << 16, 1);
    n = fread(page, 1, (1 << 16) - 1, f);
    assert_true(n > 1000);
    fclose(f);
    for (i = 0; i < MISTAKES; i++) {
        const mistake *m = &mistakes[i];
        const ct_error_info *e;
        uint64_t before;
        ct_code code;
        bench b;
        bench_open(&b);
        before = ct_world_hash(b.w);
        code = m->run(&b);
        e = b.direct ? &b.e : ct_world_error(b.w);
        row(m, &b, line, sizeof line);
        if (printing)
            printf("%s\n", line);
        else if (code != m->code || e->code != code || !e->text || !strstr(e->text, m->culprit) || !strstr(e->text, m->cure) || !strstr(page, line))
            fail_msg("%s: code %d, text: %s; expected %d, %s, %s, and its row in docs/mistakes.md", m->call, code, e->text, m->code, m->culprit,
                     m->cure);
        assert_true(ct_world_hash(b.w) == before);
        bench_close(&b);
    }
    free(page);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes)};
    (void)argv;
    printing = argc > 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
