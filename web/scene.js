/* scene.js -- a world to play in, without its picture: what there is, the turning figure, steps, snapshots, the hand. The page and web/bench.js
   run it. */
"use strict";
class Scene {
  /* thickness [m], friction, dt [s], speed [rad/s] of the figure */
  constructor(lib, { thickness = 0.005, friction = 0.4, dt = 1 / 60, speed = 0.6, gravity = 9.81, stepper = -1, solver = -1 } = {}) {
    Object.assign(this, {
      lib,
      thickness,
      friction,
      dt,
      speed,
      gravity,
      turn: [1, 0],
      steps: 0,
      figure: -1,
      letters: 0,
      every: 6,
      status: 0,
      pulled: false,
    });
    this.start = { thickness, friction, dt, speed, gravity };
    this.log = []; /* what was done before which step, for code.js: { step, op, ... } */
    lib.page_begin(stepper, thickness, friction);
    if (solver >= 0) lib.page_option(0, solver);
    lib.page_option(4, -gravity);
    this.p = lib.page_new();
    this.bodies = []; /* by number: { kind, name, color, ... }, or null */
    this.saved = []; /* the figure's turn and the step, by snapshot */
    this.structure = 0;
    this.add("plane", null, stepper === 6 ? { friction: 0 } : {}); /* EXPLICIT has no friction */
  }
  free() {
    this.lib.page_delete(this.p);
  }
  /* mesh: { call: [function of page.c, ...arguments] } or a surface of shapes.js, with the cell of its tets for soft bodies */
  make(mesh, cell = 0) {
    const { lib } = this;
    if (mesh.call) return lib[mesh.call[0]](...mesh.call.slice(1));
    return lib.withNumbers(mesh.positions, x =>
      lib.withNumbers(
        mesh.triangles,
        t => lib.page_mesh_surface(x, mesh.positions.length / 3, t, mesh.triangles.length / 3, cell),
        Int32Array,
      ),
    );
  }
  add(kind, mesh, o) {
    const at = {
      position: [0, 0, 0],
      rotation: [1, 0, 0, 0],
      velocity: [0, 0, 0],
      spin: [0, 0, 0],
      density: 1000,
      young: 3e4,
      thickness: -1,
      friction: -1,
      bending: 1e-5,
      damping: 0.005,
      model: -1,
      poisson: -1,
      cell: 0,
      ...o,
    };
    if (mesh) this.make(mesh, at.cell);
    const values = [
      ...at.position,
      ...at.rotation,
      ...at.velocity,
      ...at.spin,
      at.density,
      at.young,
      at.friction,
      at.thickness,
      at.bending,
      at.damping,
      at.model,
      at.poisson,
    ];
    const number = this.lib.withNumbers(values, v =>
      this.lib.page_add(this.p, { soft: 0, cloth: 1, rigid: 2, kinematic: 3, static: 4, plane: 5 }[kind], v),
    );
    this.bodies[number] = { kind, mesh, ...at, number };
    this.log.push({ step: this.steps, op: "add", body: { ...this.bodies[number] } });
    this.changed();
    return number;
  }
  /* the page's list of bodies is not in snapshots: those from before are forgotten */
  changed() {
    this.lib.page_forget(this.p);
    this.saved = [];
    this.structure++;
  }
  remove(number) {
    this.lib.page_remove(this.p, number);
    this.log.push({ step: this.steps, op: "remove", number });
    this.bodies[number] = null;
    if (number === this.figure) this.figure = -1;
    this.changed();
  }

  /* ---- what there is ---- */
  addFigure(cell = 0.05) {
    this.figure = this.add("kinematic", shapes.figure(cell), {
      name: "figure",
      color: [0.78, 0.74, 0.68],
      friction: 0.5,
      position: [0, 0.13, 0],
    });
  }
  addPlinth() {
    this.add("static", shapes.plinth(), { name: "plinth", color: [0.36, 0.33, 0.3], friction: 0.5 });
  }
  /* a sheet of n x n vertices */
  addSheet(n = 30, size = 1.8, position = [0, 2.12, 0]) {
    return this.add(
      "cloth",
      { call: ["page_mesh_grid", size, size, n - 1, n - 1] },
      {
        name: "sheet",
        position,
        density: 0.2,
        young: 2e5,
        bending: 1e-4,
        friction: 0.4,
        damping: 2e-3,
        color: [0.7, 0.13, 0.07],
        cloth: [n, size],
      },
    );
  }
  addSoft(name, mesh, o) {
    return this.add("soft", mesh, { name, density: 700, young: 2.4e4, cell: 0.13, damping: 0.008, friction: 0.5, ...o });
  }
  addJelly(i, position, o = {}) {
    const kinds = ["cube", "pudding", "bead", "ring"],
      colors = [
        [0.22, 0.5, 0.12],
        [0.9, 0.42, 0.05],
        [0.66, 0.07, 0.18],
        [0.06, 0.33, 0.55],
        [0.32, 0.18, 0.5],
      ];
    const kind = kinds[i % 4];
    return this.addSoft(kind, shapes[kind](), {
      position,
      color: colors[i % 5],
      jelly: 1,
      ...(kind === "pudding" ? { cell: 0.16, young: 4e4 } : {}),
      ...o,
    });
  }
  addLetter(c, position, o = {}) {
    const colors = [
      [0.04, 0.13, 0.26],
      [0.8, 0.42, 0.05],
      [0.06, 0.28, 0.26],
      [0.62, 0.12, 0.07],
      [0.22, 0.18, 0.34],
    ];
    return this.addSoft("letter " + c, shapes.letter(c), {
      position,
      cell: 0.12,
      young: 6e4,
      color: colors[this.letters++ % 5],
      glyph: c,
      ...o,
    });
  }
  addCrate(position, o = {}) {
    return this.add(
      "rigid",
      { call: ["page_mesh_box", 0.3, 0.3, 0.3, 1, 1, 1, 0] },
      { name: "crate", position, density: 250, friction: 0.5, color: [0.62, 0.46, 0.3], flat: 1, ...o },
    );
  }
  standard() {
    this.addPlinth();
    this.addFigure();
    this.addSheet();
    this.addJelly(0, [-1.2, 0.19, 0.2]);
    this.addJelly(1, [1.2, 0.17, 0.1]);
    this.addJelly(3, [0.85, 0.09, 0.9]);
    this.addJelly(2, [-0.75, 0.21, 0.85]);
  }

  /* ---- steps ---- */
  step() {
    const { lib, p } = this;
    if (this.steps % this.every === 0) this.save();
    if (this.figure >= 0) {
      const [c, s] = Scene.turnOf(this.speed, this.dt),
        [w, y] = this.turn;
      this.turn = [w * c - y * s, y * c + w * s];
      lib.page_move(p, this.figure, 0, 0.13, 0, ...this.turn, this.dt);
    }
    this.status = lib.page_step(p, this.dt);
    this.steps++;
  }
  report() {
    const r = this.lib.f64(this.lib.page_report(this.p), 24),
      names = [
        "status",
        "substeps",
        "contacts",
        "rows",
        "candidates",
        "rounds",
        "newton",
        "iterations",
        "sweeps",
        "residual",
        "distance",
        "kept",
        "penetration",
        "kinetic",
        "elastic",
        "gravity",
        "contact",
        "gained",
        "lossContact",
        "lossDamping",
        "zones",
        "tangled",
        "workScript",
        "workJoints",
      ];
    return Object.fromEntries(names.map((n, i) => [n, r[i]]));
  }
  save() {
    if (this.held) return; /* the hand is a joint, which is there or not: snapshots are of a world without it */
    this.lib.page_save(this.p);
    this.saved.push([this.turn, this.steps]);
    const n = this.lib.page_snapshots(this.p);
    while (this.saved.length > n) this.saved.shift();
  }
  /* back by one snapshot, or to snapshot k; false where there is none */
  rewind(k = this.lib.page_snapshots(this.p) - 1) {
    if (k < 0) return false;
    this.release(); /* the hand is a joint, which snapshots do not have */
    if (k > 0 && this.saved[k][1] === this.steps) k--;
    this.lib.page_restore(this.p, k);
    [this.turn, this.steps] = this.saved[k];
    this.saved.length = k + 1;
    this.log = this.log.filter(e => e.step <= this.steps);
    this.set("dt", this.dt);
    this.set("speed", this.speed);
    return true;
  }
  /* thickness, friction and gravity are the library's: snapshots from before are forgotten. dt and speed are ours */
  set(name, value) {
    this[name] = value;
    this.log.push({ step: this.steps, op: name, value });
    if (name === "dt" || name === "speed") return;
    this.lib["page_set_" + name](this.p, value);
    if (name !== "gravity")
      this.bodies.forEach(b => {
        if (b) b[name] = value;
      });
    this.lib.page_forget(this.p);
    this.saved = [];
  }
  /* half the figure's turn in a step, as a complex number */
  static turnOf(speed, dt) {
    return [Math.cos((speed * dt) / 2), Math.sin((speed * dt) / 2)];
  }

  /* ---- the hand ---- */
  grab(from, way) {
    const k = this.lib.page_pick(this.p, ...from, ...way);
    const b = k >= 0 ? this.bodies[k] : null;
    if (!b || !["soft", "cloth", "rigid"].includes(b.kind)) return null;
    const m = this.lib.page_mass(this.p, k),
      at = [0, 1, 2].map(i => this.lib.page_hit(this.p, i));
    /* a spring that would swing the body twice a second, critically damped, and holds ten times its weight */
    const w = 2 * Math.PI * 2.5;
    this.lib.page_grab(this.p, m * w * w, 2 * m * w, 60 * m * 9.81);
    this.held = k;
    this.pulled = true;
    return { body: k, at };
  }
  drag(to) {
    if (this.held !== undefined) this.lib.page_drag(this.p, ...to);
  }
  release() {
    this.lib.page_release(this.p);
    this.held = undefined;
  }
}
if (typeof globalThis !== "undefined") globalThis.Scene = Scene;
