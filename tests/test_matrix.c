/* test_matrix.c -- every body type,
      joint and option under every stepper. Each cell of the table makes a small world and steps it: the state stays
   finite, free of intersections where the stepper promises that,
      and the thing does what it is there for; or the call is refused with the reason of
   the table.
   The matrix of docs/methods.md is the same table: `test_matrix --table` prints it, and a test compares. */
#include "world_util.h"

/* ---- the table ---- */

enum { COLUMNS = 9, STEPS = 40 };
static const char *const columns[COLUMNS] = {"`cmr`", "`cmr`, `newmark`", "`cmr`, `bdf2`", "`dcd`", "`barrier`", "`geometric`", "`penalty`",
                                             "`layers`", "`explicit`"};

typedef ct_code put_fn(ct_world *w, ct_body_id box, ct_body_id *out); /* makes the thing of a row */
typedef void look_fn(ct_world *w, ct_body_id box, ct_body_id thing);  /* at the end of the steps */

typedef struct row {
    const char *name;
    put_fn *put;
    look_fn *look;
    const char *refusal[COLUMNS]; /* a part of the error's text; NULL: it works */
    int named;                    /* 1: the error names the body, which is "thing" */
    int touches;                  /* 1: something has to touch it */
} row;

static ct_code put_soft(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 1);
    ct_code code;
    (void)box;
    d.name = "thing", d.mesh = &m, d.position[1] = (ct_real)0.32;
    code = ct_body_add_soft(w, &d, out);
    ct_mesh_free(&m);
    return code;
}

static ct_code put_embedded(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_soft_desc d = ct_soft_desc_default();
    ct_mesh m, skin;
    ct_code code;
    (void)box;
    memset(&m, 0, sizeof m), memset(&skin, 0, sizeof skin);
    assert_int_equal(ct_mesh_sphere((ct_real)0.08, 1, &skin, NULL), CT_OK);
    assert_int_equal(ct_mesh_tetrahedralize(&skin, (ct_real)0.08, &m, NULL), CT_OK);
    d.name = "thing", d.mesh = &m, d.surface = &skin, d.position[1] = (ct_real)0.34;
    code = ct_body_add_soft(w, &d, out);
    ct_mesh_free(&m), ct_mesh_free(&skin);
    return code;
}

static ct_code put_cloth(ct_world *w, ct_model model, ct_body_id *out)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    ct_mesh m = mesh_grid(0.3, 0.3, 4, 4);
    ct_code code;
    d.name = "thing", d.mesh = &m, d.material = ct_material_default(model), d.position[1] = (ct_real)0.28;
    code = ct_body_add_cloth(w, &d, out);
    ct_mesh_free(&m);
    return code;
}
static ct_code put_springs(ct_world *w, ct_body_id box, ct_body_id *out) { return (void)box, put_cloth(w, CT_MODEL_SPRINGS, out); }
static ct_code put_membrane(ct_world *w, ct_body_id box, ct_body_id *out) { return (void)box, put_cloth(w, CT_MODEL_MEMBRANE, out); }

static ct_code put_rod(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_rod_desc d = ct_rod_desc_default();
    ct_real x[18];
    int32_t segments[10];
    ct_mesh m;
    int i;
    (void)box;
    for (i = 0; i < 6; i++)
        x[3 * i] = (ct_real)(0.07 * i - 0.17), x[3 * i + 1] = (ct_real)0.28, x[3 * i + 2] = (ct_real)(0.01 * i);
    for (i = 0; i < 5; i++)
        segments[2 * i] = i, segments[2 * i + 1] = i + 1;
    memset(&m, 0, sizeof m);
    m.positions = x, m.n_positions = 6, m.segments = segments, m.n_segments = 5;
    d.name = "thing", d.mesh = &m;
    return ct_body_add_rod(w, &d, out);
}

static ct_code put_points(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_points_desc d = ct_points_desc_default();
    ct_real x[9] = {(ct_real)-0.05, (ct_real)0.28, 0, (ct_real)0.03, (ct_real)0.29, (ct_real)0.02, 0, (ct_real)0.3, (ct_real)-0.04};
    ct_mesh m;
    (void)box;
    memset(&m, 0, sizeof m);
    m.positions = x, m.n_positions = 3;
    d.name = "thing", d.mesh = &m;
    return ct_body_add_points(w, &d, out);
}

static ct_code put_rigid(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_code code;
    (void)box;
    d.name = "thing", d.mesh = &m, d.position[1] = (ct_real)0.32;
    code = ct_body_add_rigid(w, &d, out);
    ct_mesh_free(&m);
    return code;
}

/* comes down on the box, then stays */
static ct_code put_kinematic(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    ct_mesh m = mesh_box(0.1, 0.1, 0.1, 1, 1, 1, 0);
    ct_motion_segment down;
    ct_code code;
    (void)box;
    memset(&down, 0, sizeof down);
    down.motion.linear[1] = (ct_real)-0.5, down.duration = 0.35;
    d.name = "thing", d.mesh = &m, d.position[1] = (ct_real)0.4, d.segments = &down, d.n_segments = 1;
    code = ct_body_add_kinematic(w, &d, out);
    ct_mesh_free(&m);
    return code;
}

static ct_code put_static(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_static_desc d = ct_static_desc_default();
    ct_mesh m = mesh_box(0.4, 0.03, 0.4, 1, 1, 1, 0);
    ct_code code;
    (void)box;
    d.name = "thing", d.mesh = &m, d.position[1] = (ct_real)0.016;
    code = ct_body_add_static(w, &d, out);
    ct_mesh_free(&m);
    return code;
}

static ct_code put_plane(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_static_desc d = ct_static_desc_default();
    (void)box;
    d.name = "thing", d.plane_normal[0] = (ct_real)0.1, d.plane_normal[1] = 1, d.plane_offset = (ct_real)0.02;
    return ct_body_add_static(w, &d, out);
}

/* node 0 of the box is held */
static ct_code put_pin(ct_world *w, ct_body_id box, ct_body_id *out)
{
    int32_t node = 0;
    (void)out;
    return ct_body_pin(w, box, &node, 1, CT_AXIS_ALL, NULL, -1);
}

/* node 0 of the box moves along y only */
static ct_code put_direction(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_real P[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    (void)out;
    return ct_body_constrain(w, box, 0, P);
}

static ct_code put_joint(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_BALL);
    (void)out;
    d.a.body = box, d.a.vertices[0] = 0, d.a.vertices[1] = -1;
    return ct_joint_add(w, &d, NULL);
}

/* to a second box at its side */
static ct_code put_stitch(ct_world *w, ct_body_id box, ct_body_id *out)
{
    ct_joint_desc d = ct_joint_desc_default(CT_JOINT_STITCH);
    *out = add_soft_box(w, "other", 0.1, 1, 1e5, 0.18, 0.15, 0);
    d.a.body = box, d.a.vertices[0] = 26, d.a.vertices[1] = -1;
    d.b.body = *out, d.b.vertices[0] = 0, d.b.vertices[1] = -1;
    d.rest_length = (ct_real)0.1;
    return ct_joint_add(w, &d, NULL);
}

/* a second box that begins within the first */
static ct_code put_repair(ct_world *w, ct_body_id box, ct_body_id *out)
{
    int freed = 0, left = -1;
    ct_code code;
    (void)box;
    *out = add_soft_box(w, "other", 0.1, 1, 1e5, 0, 0.285, 0);
    code = ct_world_repair(w, &freed, &left);
    if (code == CT_OK)
        assert_true(freed > 0 && left == 0);
    return code;
}

/* after steps, see look_dump */
static ct_code put_dump(ct_world *w, ct_body_id box, ct_body_id *out)
{
    int i, touched = 0;
    (void)box, (void)out;
    for (i = 0; i < STEPS; i++)
        touched |= step_once(w, 0.01).contacts > 0;
    assert_true(touched);
    remove("/tmp/contact_test_matrix.cpb");
    return ct_world_dump_problem(w, "/tmp/contact_test_matrix.cpb");
}

static void look_held(ct_world *w, ct_body_id box, ct_body_id thing)
{
    double *x = read_vectors(w, box, 0, NULL);
    (void)thing;
    assert_true(fabs(x[0] + 0.1) + fabs(x[1] - 0.05) + fabs(x[2] + 0.1) < 2e-3);
    free(x);
}

static void look_straight(ct_world *w, ct_body_id box, ct_body_id thing)
{
    double *x = read_vectors(w, box, 0, NULL);
    (void)thing;
    assert_true(fabs(x[0] + 0.1) + fabs(x[2] + 0.1) < 1e-4 && x[1] < 0.045);
    free(x);
}

static void look_stitched(ct_world *w, ct_body_id box, ct_body_id thing)
{
    double *x = read_vectors(w, box, 0, NULL), *y = read_vectors(w, thing, 0, NULL), d = 0;
    int k;
    for (k = 0; k < 3; k++)
        d += (x[3 * 26 + k] - y[k]) * (x[3 * 26 + k] - y[k]);
    assert_true(fabs(sqrt(d) - 0.1) < 5e-3);
    free(x), free(y);
}

static void look_dump(ct_world *w, ct_body_id box, ct_body_id thing)
{
    ct_problem *p = NULL;
    (void)w, (void)box, (void)thing;
    assert_int_equal(ct_problem_read("/tmp/contact_test_matrix.cpb", &p, NULL), CT_OK);
    ct_problem_free(p);
    remove("/tmp/contact_test_matrix.cpb");
}

#define INSIDE_CLOTH "needs bodies with an inside, and cloth has none"
#define INSIDE_ROD "needs bodies with an inside, and a rod has none"
#define INSIDE_POINTS "needs bodies with an inside, and points have none"

static const row rows[] = {
    {"soft body", put_soft, NULL, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 1, 1},
    {"soft body with a surface", put_embedded, NULL, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 1, 1},
    {"cloth of springs", put_springs, NULL, {NULL, NULL, NULL, INSIDE_CLOTH, NULL, NULL, NULL, NULL, INSIDE_CLOTH}, 1, 1},
    {"cloth as membrane", put_membrane, NULL, {NULL, NULL, NULL, INSIDE_CLOTH, NULL, NULL, NULL, NULL, INSIDE_CLOTH}, 1, 1},
    {"rod", put_rod, NULL, {NULL, NULL, NULL, INSIDE_ROD, NULL, "a rod has none", NULL,
      "clocks for tets and triangles, and a rod has neither", INSIDE_ROD}, 1, 1},
    {"points", put_points, NULL, {NULL, NULL, NULL, INSIDE_POINTS, NULL, "loose points have none", NULL, "loose points have no faces",
      INSIDE_POINTS}, 1, 1},
    {"rigid body", put_rigid, NULL,
     {NULL, NULL, NULL, "steps no rigid bodies, only soft ones", NULL, "corrects particles, and a rigid body has none", NULL,
      "nodes on straight lines, and those of a rigid body turn", NULL}, 1, 1},
    {"kinematic body", put_kinematic, NULL, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 1, 1},
    {"static body", put_static, NULL, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 1, 1},
    {"plane", put_plane, NULL, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 1, 1},
    {"pins", put_pin, look_held, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 0, 0},
    {"direction pins", put_direction, look_straight, {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}, 0, 0},
    {"joints", put_joint, look_held, {NULL, NULL, NULL, "has no joints and no stitches", NULL, NULL,
      "has no joints and no stitches",
      "has no joints and no stitches", "has no joints and no stitches"}, 0, 0},
    {"stitches", put_stitch, look_stitched, {NULL, NULL, NULL, "has no joints and no stitches", NULL, NULL,
      "has no joints and no stitches",
      "has no joints and no stitches", "has no joints and no stitches"}, 0, 0},
    {"`ct_world_repair`", put_repair, NULL,
     {NULL, NULL, NULL, "takes bodies apart in its steps", "has no way out of an intersection",
      "cannot tell sides that it has not seen", "cannot tell sides that it has not seen", "has no way out of an intersection",
      "moves nodes out of bodies in its steps"}, 0, 0},
    {"`ct_world_dump_problem`", put_dump, look_dump, {NULL, NULL, NULL, NULL, "solves no contact problem", "solves no contact problem",
      "solves no contact problem",
      "solves no contact problem", "keeps none"}, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- options: refused when a world is created ---- */

typedef void option_fn(ct_world_desc *d);
static void set_newmark(ct_world_desc *d) { d->integrator = CT_INTEGRATOR_NEWMARK; }
static void set_bdf2(ct_world_desc *d) { d->integrator = CT_INTEGRATOR_BDF2; }
static void set_midpoint(ct_world_desc *d) { d->integrator = CT_INTEGRATOR_MIDPOINT; }
static void set_limits(ct_world_desc *d) { d->ccd_limits_step = 1; }
static void set_paper(ct_world_desc *d) { d->solver.termination = CT_TERMINATION_PAPER; }

/* the columns of cmr with an integrator of their own stay empty in the rows of integrators */
static const struct {
    const char *name;
    option_fn *set;
    int is_integrator;
    const char *refusal[COLUMNS];
} options[] = {
    {"`newmark`", set_newmark, 1, {NULL, NULL, NULL, "steps by implicit Euler only", NULL,
      "steps by implicit Euler or the implicit midpoint rule only", "steps by implicit Euler only",
      "has an integrator of its own", "its own Runge-Kutta rule"}},
    {"`bdf2`", set_bdf2, 1, {NULL, NULL, NULL, "steps by implicit Euler only", NULL,
      "steps by implicit Euler or the implicit midpoint rule only", "steps by implicit Euler only",
      "has an integrator of its own", "its own Runge-Kutta rule"}},
    {"`midpoint`", set_midpoint, 1,
     {"has no midpoint rule", "has no midpoint rule", "has no midpoint rule", "steps by implicit Euler only", NULL,
      NULL, "steps by implicit Euler only", "has an integrator of its own", "its own Runge-Kutta rule"}},
    {"`ccd_limits_step`", set_limits, 0,
     {NULL, NULL, NULL, "does not cut steps at impacts", "does not cut steps at impacts",
      "does not cut steps at impacts", "does not cut steps at impacts", "does not cut steps at impacts",
      "does not cut steps at impacts"}},
    {"termination `paper`", set_paper, 0, {NULL, NULL, NULL, NULL, "has no termination PAPER", "has no termination PAPER",
      "has no termination PAPER",
      "has no termination PAPER", "has no termination PAPER"}},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* ---- worlds ---- */

static ct_world_desc desc_of(int column)
{
    static const ct_stepper steppers[COLUMNS] = {CT_STEPPER_CMR, CT_STEPPER_CMR, CT_STEPPER_CMR, CT_STEPPER_DCD, CT_STEPPER_BARRIER,
                                                 CT_STEPPER_GEOMETRIC, CT_STEPPER_PENALTY, CT_STEPPER_LAYERS, CT_STEPPER_EXPLICIT};
    ct_world_desc d = world_desc(1e-3, 0.4, NULL);
    d.stepper = steppers[column];
    if (d.stepper == CT_STEPPER_EXPLICIT)
        d.friction = 0, d.self_collision = 0;
    d.integrator = column == 1 ? CT_INTEGRATOR_NEWMARK : (column == 2 ? CT_INTEGRATOR_BDF2 : CT_INTEGRATOR_EULER);
    return d;
}

/* penalty promises to say so where surfaces intersect, and no more; dcd and explicit push vertices out of bodies */
static int is_apart(int column, const ct_step_report *r)
{
    return column != 3 && column != 8 && !(column == 6 && r->status == CT_STATUS_NOT_CONVERGED);
}

/* positions and velocities of a body are finite */
static void expect_finite(const ct_world *w, ct_body_id id)
{
    int n, i, k;
    for (k = 0; k < 2; k++) {
        double *x = read_vectors(w, id, k, &n);
        for (i = 0; i < 3 * n; i++)
            assert_true(fabs(x[i]) < 1e3);
        free(x);
    }
}

/* a contact of the last step that the body is part of */
static int is_touched(const ct_world *w, ct_body_id id)
{
    const ct_contact *c;
    int i, n;
    assert_int_equal(ct_world_contacts(w, &c, &n), CT_OK);
    for (i = 0; i < n; i++)
        if ((c[i].body_a.index1 == id.index1 || c[i].body_b.index1 == id.index1) && c[i].impulse_normal > 0)
            return 1;
    return 0;
}

static void run_steps(ct_world *w, int column, ct_body_id box, ct_body_id thing, const row *q)
{
    int i, touched = 0;
    for (i = 0; i < STEPS; i++) {
        ct_step_report r = step_once(w, 0.01);
        assert_true(isfinite((double)r.residual) && isfinite(r.energy_kinetic) && isfinite(r.energy_elastic));
        expect_finite(w, box);
        if (thing.index1)
            expect_finite(w, thing);
        if (is_apart(column, &r)) {
            if (count_intersections(w) != 0)
                fail_msg("%s, %s: step %d has intersections, status %d", q ? q->name : "a refused one", columns[column], i, (int)r.status);
        } else
            assert_true(column == 6 || column == 8 || r.penetration < 0.05);
        touched |= q && q->touches && is_touched(w, thing);
    }
    if (q && q->touches && !touched)
        fail_msg("%s, %s: nothing touches it", q->name, columns[column]);
}

static void one_cell(const row *q, int column)
{
    ct_world_desc d = desc_of(column);
    ct_world *w = world_make(&d);
    ct_body_id box, thing = {0, 0};
    const char *text;
    ct_code code;
    add_plane(w, 0, 1, 0, 0);
    box = add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.15, 0);
    code = q->put(w, box, &thing);
    text = ct_world_error(w)->text;
    if (q->refusal[column]) {
        if (code != CT_ERR_UNSUPPORTED || !strstr(text, q->refusal[column]) || (q->named && !strstr(text, "thing")))
            fail_msg("%s, %s: code %d, \"%s\", expected to be refused: %s", q->name, columns[column], (int)code, text, q->refusal[column]);
    } else if (code != CT_OK)
        fail_msg("%s, %s: code %d, \"%s\", expected to work", q->name, columns[column], (int)code, text);
    if (q->put == put_repair && code != CT_OK) /* the world stays as it was: tangled */
        assert_int_equal(ct_body_remove(w, thing), CT_OK), thing.index1 = 0;
    run_steps(w, column, box, thing, code == CT_OK ? q : NULL);
    if (code == CT_OK && q->look)
        q->look(w, box, thing);
    ct_world_destroy(w);
}

static void bodies_and_joints(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < ROWS; i += PLAIN_OR(1, 9))
        for (k = 0; k < COLUMNS; k++)
            one_cell(&rows[i], k);
}

static void options_of_worlds(void **state)
{
    int i, k;
    (void)state;
    for (i = 0; i < OPTIONS; i++)
        for (k = 0; k < COLUMNS; k++) {
            ct_world_desc d = desc_of(k);
            ct_world *w = NULL;
            ct_error_info e;
            ct_code code;
            ct_body_id none = {0, 0};
            options[i].set(&d);
            code = ct_world_create(&d, &w, &e);
            if (options[i].refusal[k]) {
                if (code != CT_ERR_UNSUPPORTED || !strstr(e.text, options[i].refusal[k]))
                    fail_msg("%s, %s: code %d, \"%s\", expected to be refused: %s", options[i].name, columns[k], (int)code, e.text,
                             options[i].refusal[k]);
                continue;
            }
            if (code != CT_OK)
                fail_msg("%s, %s: code %d, \"%s\", expected to work", options[i].name, columns[k], (int)code, e.text);
            add_plane(w, 0, 1, 0, 0);
            run_steps(w, k, add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.15, 0), none, NULL);
            ct_world_destroy(w);
        }
}

/* no body, then a plane alone, then a body that leaves again: a step has nothing to do, and says that it is done */
static void worlds_without_blocks(void **state)
{
    int k, i;
    (void)state;
    for (k = 0; k < COLUMNS; k++) {
        ct_world_desc d = desc_of(k);
        ct_world *w = world_make(&d);
        ct_body_id box;
        for (i = 0; i < 3; i++) {
            ct_step_report r = step_once(w, 0.01);
            if (r.status != CT_STATUS_OK || r.energy_kinetic != 0 || r.residual != 0)
                fail_msg("%s, empty world %d: status %d, energy %g, residual %g", columns[k], i, (int)r.status, r.energy_kinetic,
                         (double)r.residual);
            if (i == 0)
                add_plane(w, 0, 1, 0, 0);
            if (i == 1) {
                box = add_soft_box(w, "box", 0.2, 2, 1e5, 0, 0.15, 0);
                step_once(w, 0.01);
                assert_int_equal(ct_body_remove(w, box), CT_OK);
            }
        }
        ct_world_destroy(w);
    }
}

/* ---- the page ---- */

static size_t put_row(char *out, size_t size, const char *name, const char *const *refusal, int is_integrator)
{
    size_t n = (size_t)snprintf(out, size, "| %s |", name);
    int k;
    for (k = 0; k < COLUMNS; k++)
        if (refusal[k])
            n += (size_t)snprintf(out + n, size - n, " no: %s |", refusal[k]);
        else
            n += (size_t)snprintf(out + n, size - n, is_integrator && (k == 1 || k == 2) ? " |" : " yes |");
    return n + (size_t)snprintf(out + n, size - n, "\n");
}

static void make_table(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "| |");
    int i, k;
    for (k = 0; k < COLUMNS; k++)
        n += (size_t)snprintf(out + n, size - n, " %s |", columns[k]);
    n += (size_t)snprintf(out + n, size - n, "\n|---|");
    for (k = 0; k < COLUMNS; k++)
        n += (size_t)snprintf(out + n, size - n, "---|");
    n += (size_t)snprintf(out + n, size - n, "\n");
    for (i = 0; i < ROWS; i++)
        n += put_row(out + n, size - n, rows[i].name, rows[i].refusal, 0);
    for (i = 0; i < OPTIONS; i++)
        n += put_row(out + n, size - n, options[i].name, options[i].refusal, options[i].is_integrator);
}

static void the_page_has_this_table(void **state)
{
    static char table[16384], readme[262144];
    FILE *f = fopen("docs/methods.md", "rb");
    (void)state;
    if (!f)
        fail_msg("docs/methods.md: the tests run from the folder that has it");
    readme[fread(readme, 1, sizeof readme - 1, f)] = 0;
    fclose(f);
    make_table(table, sizeof table);
    if (!strstr(readme, table))
        fail_msg("docs/methods.md has another matrix of bodies and steppers: put in what `build/tests/test_matrix --table` prints");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_and_joints), cmocka_unit_test(options_of_worlds), cmocka_unit_test(worlds_without_blocks),
                                       cmocka_unit_test(the_page_has_this_table)};
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        static char table[16384];
        make_table(table, sizeof table);
        fputs(table, stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
