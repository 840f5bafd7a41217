/* code.js -- "Copy as C": a scene of the playground as a program that repeats its run with the same bits. What was added, removed and set comes
   before the step at which it was; pulls by hand are left out. */
"use strict";
/* functions of the program, by the name by which calls are recognized */
const CODE_HELPERS = [
  [
    "grid",
    `static void grid(double x, double z, int nx, int nz)
{
    ct_real size[2] = {(ct_real)x, (ct_real)z};
    int cells[2] = {nx, nz};
    ct_mesh_free(&mesh), forget_skin();
    check(ct_mesh_grid(size, cells, &mesh, NULL));
}`,
  ],
  [
    "box",
    `static void box(double x, double y, double z, int nx, int ny, int nz, int tets)
{
    ct_real size[3] = {(ct_real)x, (ct_real)y, (ct_real)z};
    int cells[3] = {nx, ny, nz};
    ct_mesh_free(&mesh), forget_skin();
    check(ct_mesh_box(size, cells, tets, &mesh, NULL));
}`,
  ],
  [
    "surface",
    `/* cell > 0: the surface of a soft body, in tets of that size */
static void surface(const double *x, int n, const int32_t *t, int n_triangles, double cell)
{
    ct_mesh_free(&mesh), forget_skin();
    skin.positions = (ct_real *)malloc(sizeof(ct_real) * 3 * (size_t)n);
    skin.triangles = (int32_t *)malloc(sizeof(int32_t) * 3 * (size_t)n_triangles);
    if (!skin.positions || !skin.triangles)
        exit(1);
    for (int i = 0; i < 3 * n; i++)
        skin.positions[i] = (ct_real)x[i];
    memcpy(skin.triangles, t, sizeof(int32_t) * 3 * (size_t)n_triangles);
    skin.n_positions = n, skin.n_triangles = n_triangles;
    if (cell > 0)
        check(ct_mesh_tetrahedralize(&skin, (ct_real)cell, &mesh, NULL));
}`,
  ],
  [
    "soft",
    `static void soft(double young, double density, double damping, double friction, const double *x, const double *q, const double *v,
                 ct_body_id *id)
{
    ct_soft_desc d = ct_soft_desc_default();
    d.mesh = &mesh, d.surface = skin.positions ? &skin : NULL, d.name = "soft";
    d.material.young = (ct_real)young, d.material.density = (ct_real)density, d.material.damping_stiffness = (ct_real)damping;
    d.friction = (ct_real)friction;
    for (int i = 0; i < 4; i++)
        d.rotation[i] = (ct_real)q[i];
    for (int i = 0; i < 3; i++)
        d.position[i] = (ct_real)x[i], d.velocity[i] = (ct_real)v[i];
    check(ct_body_add_soft(world, &d, id));
}`,
  ],
  [
    "cloth",
    `static void cloth(double young, double density, double bending, double damping, double friction, const double *x, ct_body_id *id)
{
    ct_cloth_desc d = ct_cloth_desc_default();
    d.mesh = &mesh, d.name = "cloth", d.friction = (ct_real)friction;
    d.material.young = (ct_real)young, d.material.areal_density = (ct_real)density, d.material.bending = (ct_real)bending;
    d.material.damping_stiffness = (ct_real)damping;
    for (int i = 0; i < 3; i++)
        d.position[i] = (ct_real)x[i];
    check(ct_body_add_cloth(world, &d, id));
}`,
  ],
  [
    "rigid",
    `static void rigid(double density, double friction, const double *x, const double *q, const double *v, ct_body_id *id)
{
    ct_rigid_desc d = ct_rigid_desc_default();
    d.mesh = skin.positions ? &skin : &mesh, d.name = "rigid", d.density = (ct_real)density, d.friction = (ct_real)friction;
    for (int i = 0; i < 4; i++)
        d.rotation[i] = (ct_real)q[i];
    for (int i = 0; i < 3; i++)
        d.position[i] = (ct_real)x[i], d.velocity[i] = (ct_real)v[i];
    check(ct_body_add_rigid(world, &d, id));
}`,
  ],
  [
    "figure",
    `static void figure(double friction, const double *x, ct_body_id *id)
{
    ct_kinematic_desc d = ct_kinematic_desc_default();
    d.mesh = &skin, d.name = "figure", d.friction = (ct_real)friction;
    for (int i = 0; i < 3; i++)
        d.position[i] = (ct_real)x[i];
    check(ct_body_add_kinematic(world, &d, id));
}`,
  ],
  [
    "still",
    `static void still(double friction, ct_body_id *id)
{
    ct_static_desc d = ct_static_desc_default();
    d.mesh = &skin, d.name = "still", d.friction = (ct_real)friction;
    check(ct_body_add_static(world, &d, id));
}`,
  ],
  [
    "floor_of",
    `static const ct_static_desc *floor_of(void)
{
    static ct_static_desc d;
    d = ct_static_desc_default();
    d.plane_normal[1] = 1, d.name = "still";
    return &d;
}`,
  ],
  [
    "set_friction",
    `static void set_friction(double friction)
{
    for (int i = 0; i < 256; i++)
        if (body[i].index1)
            check(ct_body_set_friction(world, body[i], (ct_real)friction));
}`,
  ],
  [
    "set_thickness",
    `static void set_thickness(double thickness)
{
    for (int i = 0; i < 256; i++)
        if (body[i].index1)
            check(ct_body_set_thickness(world, body[i], (ct_real)thickness));
}`,
  ],
  [
    "gravity",
    `static void gravity(double g)
{
    ct_real down[3] = {0, (ct_real)-g, 0};
    check(ct_world_set_gravity(world, down));
}`,
  ],
];
const codeNumber = x => (Number.isInteger(x) ? String(x) : String(+x));
const codeList = a => "{" + a.map(codeNumber).join(", ") + "}";
function codeRows(numbers, per) {
  const rows = [];
  for (let i = 0; i < numbers.length; i += per) rows.push("    " + numbers.slice(i, i + per).join(", "));
  return rows.join(",\n");
}
function codeMesh(m) {
  return (
    `static const double ${m.name}_x[] = {\n${codeRows(Array.from(m.positions, codeNumber), 9)}};\n` +
    `static const int32_t ${m.name}_t[] = {\n${codeRows(Array.from(m.triangles, String), 24)}};\n`
  );
}
/* the lines that add a body; surfaces that they name go to `meshes` */
function codeAdd(b, meshes) {
  const num = codeNumber,
    id = `body[${b.number}]`,
    at = a => `(double[])${codeList(a)}`,
    out = [`/* ${b.name} */`];
  if (b.kind === "plane") return [`check(ct_body_add_static(world, floor_of(), &${id}));`];
  if (b.mesh.call) {
    const [f, ...a] = b.mesh.call;
    out.push(`${f === "page_mesh_grid" ? "grid" : "box"}(${a.map(num).join(", ")});`);
  } else {
    const m = b.mesh;
    if (!meshes.has(m)) meshes.set(m, codeMesh(m));
    out.push(`surface(${m.name}_x, ${m.positions.length / 3}, ${m.name}_t, ${m.triangles.length / 3}, ${num(b.cell)});`);
  }
  const place = `${at(b.position)}, ${at(b.rotation)}, ${at(b.velocity)}`;
  const numbers = {
    soft: [b.young, b.density, b.damping, b.friction],
    cloth: [b.young, b.density, b.bending, b.damping, b.friction],
    rigid: [b.density, b.friction],
    static: [b.friction],
    kinematic: [b.friction],
  }[b.kind].map(num);
  const places = { soft: [place], cloth: [at(b.position)], rigid: [place], static: [], kinematic: [at(b.position)] }[b.kind];
  const name = { static: "still", kinematic: "figure" }[b.kind] || b.kind;
  out.push(`${name}(${[...numbers, ...places, "&" + id].join(", ")});`);
  return out;
}
/* what comes before each step: { figure: its number or -1, meshes: texts of surfaces, steps: [[step, lines]] } */
function codeSteps(scene) {
  const num = codeNumber,
    meshes = new Map(),
    byStep = new Map(),
    state = { ...scene.start };
  let figure = -1;
  for (const e of scene.log) {
    const lines = byStep.get(e.step) || byStep.set(e.step, []).get(e.step);
    if (e.op === "add") {
      if (e.body.kind === "kinematic") figure = e.body.number;
      lines.push(...codeAdd(e.body, meshes));
    } else if (e.op === "remove") lines.push(`check(ct_body_remove(world, body[${e.number}]));`, `body[${e.number}].index1 = 0;`);
    else if (e.op === "gravity") lines.push(`gravity(${num(e.value)});`);
    else if (e.op === "friction" || e.op === "thickness") lines.push(`set_${e.op}(${num(e.value)});`);
    else {
      if (state[e.op] === e.value) continue;
      state[e.op] = e.value;
      const [c, s] = Scene.turnOf(state.speed, state.dt);
      lines.push(`dt = ${num(state.dt)}, turn_c = ${num(c)}, turn_s = ${num(s)};`);
    }
  }
  return { figure, meshes, steps: [...byStep].filter(([, l]) => l.length).sort((a, b) => a[0] - b[0]) };
}
function sceneAsC(scene, steps = Math.max(scene.steps, 300)) {
  const num = codeNumber,
    real = x => (Number.isInteger(x) ? String(x) : "(ct_real)" + num(x)),
    start = scene.start,
    { figure, meshes, steps: before } = codeSteps(scene);
  const blocks = before
    .map(([step, lines]) => `    if (step == ${step}) {\n${lines.map(l => "        " + l).join("\n")}\n    }`)
    .join("\n");
  const [c0, s0] = Scene.turnOf(start.speed, start.dt),
    all = before.flatMap(b => b[1]).join("\n"),
    uses = f => all.includes(f + "(");
  const helpers = CODE_HELPERS.filter(([name]) => uses(name))
    .map(h => h[1])
    .join("\n");
  return `/* A scene of the playground of contact.h ${scene.lib.page_version()}, as a program:   cc -O2 scene.c -lm   (beside contact.h and stb_ds.h)
   It repeats the run of the page, bit for bit${scene.pulled ? ", but for what was pulled by hand" : ""}. Its argument is the number of steps. */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_world *world;
static ct_mesh mesh, skin; /* of the body that is added next */
static ct_body_id body[256];
static double dt = ${num(start.dt)}, turn_c = ${num(c0)}, turn_s = ${num(s0)}; /* the figure turns by this in a step, as half an angle */

static void check(ct_code code)
{
    if (code) {
        printf("%s: %s\\n", ct_code_text(code), world ? ct_world_error(world)->text : "");
        exit(1);
    }
}
static void forget_skin(void)
{
    free(skin.positions), free(skin.triangles);
    memset(&skin, 0, sizeof skin);
}
${[...meshes.values()].join("")}${helpers}
/* what comes and goes before a step */
static void before(int step)
{
${blocks || "    (void)step;"}
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : ${steps}, good = 0;
    double w = 1, y = 0, x;
    ct_step_report report;
    ct_world_desc d = ct_world_desc_default_game();
    d.thickness = ${real(start.thickness)}, d.friction = ${real(start.friction)}, d.gravity[1] = ${real(-start.gravity)};
    check(ct_world_create(&d, &world, NULL));
    for (int step = 0; step < steps; step++) {
        before(step);
${
  figure >= 0
    ? `        x = w * turn_c - y * turn_s, y = y * turn_c + w * turn_s, w = x;
        ct_real at[3] = {0, (ct_real)0.13, 0}, turn[4] = {(ct_real)w, 0, (ct_real)y, 0};
        if (body[${figure}].index1)
            check(ct_body_move_pose(world, body[${figure}], at, turn, dt));
`
    : `        x = w * turn_c - y * turn_s, y = y * turn_c + w * turn_s, w = x;
`
}        check(ct_world_step(world, (ct_real)dt, &report));
        good += report.status <= CT_STATUS_SUBSTEPPED;
        if (step % 60 == 59)
            printf("t = %.2f s  %s  %d contacts  kinetic energy %.3g J\\n", ct_world_time(world), ct_status_text(report.status), report.contacts,
                   report.energy_kinetic);
    }
    printf("%d of %d steps within the tolerance, hash %016llx\\n", good, steps, (unsigned long long)ct_world_hash(world));
    ct_world_destroy(world), ct_mesh_free(&mesh), forget_skin();
    return 0;
}
`;
}
if (typeof globalThis !== "undefined") globalThis.sceneAsC = sceneAsC;
