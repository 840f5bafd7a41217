/* steppers.js -- worlds side by side: each tile is a Scene; one View draws all of them, one after another */
"use strict";
const $ = id => document.getElementById(id),
  DT = [1 / 240, 1 / 120, 1 / 60, 1 / 30];
const steppers = [
  [0, "Contact maps and rounds of refinement: implicit, never intersects. Otaduy 2009"],
  [1, "Discrete detection, MPRGP: fast, small overlaps allowed. Li 2015"],
  [2, "Barriers and Newton steps, never intersects. IPC, Li 2020"],
  [3, "Layers of springs with clocks of their own, never intersects. After Harmon 2009"],
  [4, "Springs and dampers at contacts: simple, overlaps. Notes 4.4"],
  [5, "Corrections of position, speed and acceleration. Volino 2000"],
  [6, "Runge-Kutta with contact forces, no friction. Hong 2006"],
];
const solvers = [
  [1, "Iterative constraint anticipation"],
  [2, "Constraint anticipation"],
  [3, "Projected Gauss-Seidel"],
  [6, "Active set, with staggered friction"],
  [7, "MPRGP, with staggered friction"],
  [8, "Interior point"],
  [10, "Semismooth Newton"],
  [11, "Alternating directions"],
];
const colors = [
  [0.66, 0.07, 0.18],
  [0.06, 0.33, 0.55],
  [0.9, 0.42, 0.05],
  [0.22, 0.5, 0.12],
];
/* bodies: size, place, rotation, velocity */
const scenes = {
  two: [
    [0.4, [0, 0.3, 0]],
    [0.34, [0.04, 0.8, 0.02], [0.97, 0.04, 0.2, 0.03]],
  ],
  tower: [
    [0.4, [0, 0.21, 0]],
    [0.36, [0.03, 0.62, 0.02], [0.98, 0, 0.2, 0]],
    [0.32, [-0.02, 0.99, 0], [0.95, 0, 0.3, 0]],
  ],
  throw: [
    [0.4, [0.25, 0.21, 0]],
    [0.34, [-0.9, 0.5, 0.05], [0.9, 0.2, 0.1, 0.3], [3.5, 1, 0]],
  ],
};
const all = { tiles: [], running: true, turn: 0, time: 0 };
function note(text) {
  $("note").textContent = text;
  $("note").hidden = false;
}

function build() {
  const list = $("what").value === "steppers" ? steppers : solvers,
    by = $("what").value === "steppers";
  all.tiles.forEach(t => t.scene && t.scene.free());
  $("grid").textContent = "";
  all.time = 0;
  all.tiles = list.map(([id, text]) => {
    const card = document.createElement("div"),
      canvas = document.createElement("canvas"),
      words = document.createElement("div");
    card.className = "tile card";
    words.className = "text";
    words.innerHTML = `<div class="title"><b></b><span class="status"></span></div><div class="small"></div>
      <dl class="facts"><dt>a step</dt><dd></dd><dt>nearest, deepest</dt><dd></dd><dt>energy</dt><dd></dd></dl>`;
    card.append(canvas, words);
    $("grid").append(card);
    words.querySelector("b").textContent = by ? all.lib.page_stepper(id) : all.lib.page_solver(id);
    words.querySelector(".small").textContent = text;
    const tile = { card, canvas, words, ms: 0, worst: 0, steps: 0, name: words.querySelector("b").textContent };
    try {
      const stepper = by ? id : 0,
        friction = stepper === 6 ? { friction: 0 } : {};
      tile.scene = new Scene(all.lib, { stepper, solver: by ? -1 : id, thickness: 0.006, friction: 0.4, dt: DT[$("dt").value] });
      tile.scene.every = 1e9;
      scenes[$("scene").value].forEach(([size, position, rotation = [1, 0, 0, 0], velocity = [0, 0, 0]], i) =>
        tile.scene.add("soft", shapes.brick(size, 3), {
          name: "jelly",
          position,
          rotation,
          velocity,
          young: 2e4,
          density: 500,
          damping: 0.005,
          color: colors[i],
          jelly: 1,
          ...friction,
        }),
      );
    } catch (e) {
      tile.error = e.message;
    }
    turning(canvas);
    return tile;
  });
}
function turning(c) {
  let last = null;
  c.style.cursor = "grab";
  c.addEventListener("pointerdown", e => {
    last = e.clientX;
    c.setPointerCapture(e.pointerId);
  });
  c.addEventListener("pointermove", e => {
    if (last !== null) {
      all.view.camera.yaw -= (e.clientX - last) * 0.008;
      last = e.clientX;
    }
  });
  for (const n of ["pointerup", "pointercancel"])
    c.addEventListener(n, () => {
      last = null;
    });
}
function step(t) {
  if (!t.scene || t.error) return;
  const start = performance.now();
  try {
    t.scene.step();
  } catch (e) {
    t.error = e.message;
    return;
  }
  const ms = performance.now() - start;
  t.steps++;
  t.ms += (ms - t.ms) / Math.min(t.steps, 60);
  t.worst = Math.max(t.worst, t.steps > 3 ? ms : 0);
}
function draw(t) {
  const { view, lib } = all,
    s = t.scene,
    ratio = Math.min(2, devicePixelRatio || 1),
    w = Math.round(t.canvas.clientWidth * ratio * all.scale),
    h = Math.round(t.canvas.clientHeight * ratio * all.scale);
  if (!s || !w) return;
  if (t.canvas.width !== w || t.canvas.height !== h) {
    t.canvas.width = w;
    t.canvas.height = h;
  }
  if (view.canvas.width !== w || view.canvas.height !== h) {
    view.canvas.width = w;
    view.canvas.height = h;
  }
  const at = lib.page_vertices(s.p);
  let first = 0;
  view.setBodies(
    s.bodies
      .filter(b => b)
      .map(b => {
        const count = lib.page_vertex_count(s.p, b.number),
          n = count ? lib.page_triangle_count(s.p, b.number) : 0,
          body = { ...b, first, count, triangles: n ? lib.i32(lib.page_triangles(s.p, b.number), 3 * n).slice() : new Int32Array(0) };
        first += count;
        return body;
      }),
  );
  view.draw(lib.f32(at, 6 * first));
  t.canvas.getContext("2d").drawImage(view.canvas, 0, 0);
}
function tell(t) {
  const r = t.scene && !t.error && t.steps ? t.scene.report() : null,
    s = t.words.querySelector(".status"),
    d = t.words.querySelectorAll("dd");
  if (t.error) {
    s.textContent = "refused";
    s.className = "status bad";
    t.words.querySelector(".small").textContent = t.error;
  }
  if (!r) return;
  const name = all.lib.page_status(r.status);
  s.textContent = name.replace("_", " ");
  s.className = "status" + (r.status > 2 ? " bad" : r.status > 0 ? " warn" : "");
  d[0].textContent = `${t.ms.toFixed(1)} ms, most ${t.worst.toFixed(0)}`;
  d[1].textContent = `${(1000 * r.distance).toFixed(1)}, ${(1000 * r.penetration).toFixed(2)} mm`;
  d[2].textContent = (r.kinetic + r.elastic + r.gravity).toFixed(2) + " J";
}
/* in a frame the tiles advance together, or a part of them where they are slow */
function frame() {
  requestAnimationFrame(frame);
  const start = performance.now(),
    n = all.tiles.length;
  if (all.running && n) {
    do {
      step(all.tiles[all.turn]);
      if (++all.turn === n) {
        all.turn = 0;
        all.time += DT[$("dt").value];
        all.round = true;
      }
    } while (all.turn && performance.now() - start < 14);
  }
  if (all.round || !all.running) {
    all.tiles.forEach(tell);
    $("clock").textContent = `t = ${all.time.toFixed(2)} s`;
    all.round = false;
  }
  /* a tile or two are drawn a frame: those that are seen */
  const seen = all.tiles.filter(t => {
    const r = t.canvas.getBoundingClientRect();
    return r.bottom > 0 && r.top < innerHeight;
  });
  for (let i = 0; i < Math.min(all.most, seen.length); i++) draw(seen[(all.next = (all.next + 1) % seen.length)]);
}
(async () => {
  try {
    all.lib = await contactLoad("full");
    all.view = new View(document.createElement("canvas"), { radius: 1.25, reach: 3.2 });
    Object.assign(all.view.camera, { at: [0, 0.36, 0], yaw: 0.6, pitch: 0.26, distance: 3.3, fov: 0.5 });
    all.next = 0;
    all.most = 4;
    all.scale = 1;
    const shown = () => {
      $("dt").nextElementSibling.textContent = "1/" + Math.round(1 / DT[$("dt").value]) + " s";
    };
    for (const id of ["what", "scene"]) $(id).onchange = build;
    $("dt").oninput = () => {
      shown();
      build();
    };
    $("again").onclick = build;
    shown();
    $("play").onclick = () => {
      all.running = !all.running;
      $("play").textContent = all.running ? "Pause" : "Play";
    };
    addEventListener("keydown", e => {
      if (e.key === " " && !e.target.matches("button, select, input")) {
        $("play").click();
        e.preventDefault();
      } else if (e.key === "r" && !e.ctrlKey && !e.metaKey) build();
    });
    build();
    requestAnimationFrame(frame);
    window.all = all;
    all.ready = true;
  } catch (e) {
    note(e.message);
    throw e;
  }
})();
