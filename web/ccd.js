/* ccd.js -- two triangles that move on straight lines, and the library's answer to when they touch: all fifteen pairs, by real calls */
"use strict";
const $ = id => document.getElementById(id);
/* corners at the start and at the end: of triangle A 0 1 2, of B 3 4 5 */
const cases = {
  vf: [
    [-0.55, 0.55, 0.4],
    [0.6, 0.55, 0.35],
    [0, 0.6, -0.55],
    [-0.1, 1.65, 0.0],
    [0.3, 2.0, 0.35],
    [-0.5, 2.0, 0.3],
    /* end */ [-0.55, 0.75, 0.4],
    [0.6, 0.7, 0.35],
    [0, 0.75, -0.55],
    [0.05, 0.3, 0.05],
    [0.45, 0.7, 0.4],
    [-0.4, 0.75, 0.3],
  ],
  ee: [
    [-0.7, 0.6, 0.1],
    [0.7, 0.6, 0.1],
    [0, 0.5, 0.8],
    [0.1, 1.5, -0.8],
    [0.1, 1.5, 0.75],
    [0.8, 1.75, -0.4],
    /* end */ [-0.7, 0.9, 0.1],
    [0.7, 0.8, 0.1],
    [0, 0.3, 0.8],
    [0, 0.4, -0.8],
    [0, 0.4, 0.7],
    [0.8, 1.0, -0.5],
  ],
  miss: [
    [-0.6, 0.6, 0.4],
    [0.5, 0.6, 0.4],
    [0, 0.6, -0.6],
    [0.62, 1.7, 0.35],
    [1.2, 1.9, 0.4],
    [0.9, 1.7, -0.5],
    /* end */ [-0.6, 0.7, 0.4],
    [0.5, 0.7, 0.4],
    [0, 0.7, -0.6],
    [0.515, 0.2, 0.4],
    [1.1, 0.5, 0.4],
    [0.9, 0.4, -0.5],
  ],
  flat: [
    [-1, 0.6, 0],
    [-0.3, 0.5, 0.2],
    [-0.5, 1.2, 0],
    [0.4, 0.7, 0.0],
    [1.1, 0.5, 0.1],
    [0.9, 1.3, 0],
    /* end */ [-0.35, 0.6, 0],
    [0.35, 0.55, 0.1],
    [0.0, 1.2, 0],
    [-0.15, 0.85, 0],
    [0.65, 0.5, 0],
    [0.4, 1.35, 0],
  ],
};
const red = [0.7, 0.13, 0.07],
  blue = [0.06, 0.3, 0.5],
  ccd = { t: 0, running: true, wait: 0 };
function note(text, seconds = 4) {
  $("note").textContent = text;
  $("note").hidden = false;
  clearTimeout(note.t);
  note.t = setTimeout(() => {
    $("note").hidden = true;
  }, 1000 * seconds);
}

/* the fifteen pairs: kind, corners, name */
const pairs = [];
for (const [a, b, n] of [
  [[0, 1, 2], [3, 4, 5], "AB"],
  [[3, 4, 5], [0, 1, 2], "BA"],
])
  for (let i = 0; i < 3; i++) pairs.push({ edges: 0, corners: [a[i], ...b], name: `vertex ${n[0]}${i + 1}, face ${n[1]}` });
for (let i = 0; i < 3; i++)
  for (let k = 0; k < 3; k++)
    pairs.push({
      edges: 1,
      corners: [i, (i + 1) % 3, 3 + k, 3 + ((k + 1) % 3)],
      name: `edge A${i + 1}A${((i + 1) % 3) + 1}, edge B${k + 1}B${((k + 1) % 3) + 1}`,
    });

function solve() {
  const { lib, x } = ccd,
    d = $("distance").value / 1000,
    at = lib.page_alloc(192),
    start = performance.now(),
    turns = 40; /* a browser's clock ticks coarsely */
  for (let turn = 0; turn < turns; turn++)
    for (const p of pairs) {
      const v = lib.f64(at, 24);
      p.corners.forEach((c, i) => {
        for (let k = 0; k < 3; k++) {
          v[3 * i + k] = x[c][k];
          v[12 + 3 * i + k] = x[c + 6][k];
        }
      });
      p.t = lib.page_ccd(p.edges, at, at + 96, d);
    }
  ccd.cost = (performance.now() - start) / turns;
  lib.page_free(at);
  ccd.first = pairs.reduce((a, b) => (b.t < a.t ? b : a));
  const t = ccd.first.t,
    some = t <= 1;
  $("f-time").textContent = some ? "t = " + t.toFixed(6) : "never";
  $("f-pair").textContent = some ? ccd.first.name : "–";
  $("f-count").textContent = pairs.filter(p => p.t <= 1).length + " of 15";
  $("f-cost").textContent = (1000 * ccd.cost).toFixed(1) + " µs";
  times();
  ccd.dirty = true;
}
function times() {
  const c = $("times"),
    ratio = Math.min(2, devicePixelRatio || 1),
    w = c.clientWidth,
    h = c.clientHeight,
    g = c.getContext("2d");
  if (!w) return;
  c.width = w * ratio;
  c.height = h * ratio;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  pairs.forEach((p, i) => {
    const y = 5 + i * 9.6,
      x = Math.min(1, p.t) * (w - 10) + 5;
    g.strokeStyle = "#e2ddd4";
    g.lineWidth = 2;
    g.lineCap = "round";
    g.beginPath();
    g.moveTo(5, y);
    g.lineTo(w - 5, y);
    g.stroke();
    if (p.t > 1) return;
    g.strokeStyle = g.fillStyle = p === ccd.first ? "#b8402a" : p.edges ? "#8fa9b8" : "#c9a58f";
    g.beginPath();
    g.moveTo(5, y);
    g.lineTo(x, y);
    g.stroke();
    g.beginPath();
    g.arc(x, y, 3.5, 0, 7);
    g.fill();
  });
}
const lerp = t => ccd.x.slice(0, 6).map((p, i) => p.map((v, k) => v + t * (ccd.x[i + 6][k] - v)));
/* the point where a pair touches: of a vertex itself, of edges the middle of their nearest points */
function touch(p, t) {
  const y = lerp(t),
    c = p.corners.map(i => y[i]);
  if (!p.edges) return c[0];
  const u = v3.sub(c[1], c[0]),
    v = v3.sub(c[3], c[2]),
    w = v3.sub(c[0], c[2]),
    a = v3.dot(u, u),
    b = v3.dot(u, v),
    e = v3.dot(v, v),
    d = a * e - b * b;
  const s = Math.min(1, Math.max(0, d > 1e-12 ? (b * v3.dot(v, w) - e * v3.dot(u, w)) / d : 0.5)),
    r = Math.min(1, Math.max(0, (b * s + v3.dot(v, w)) / e));
  return v3.scale(v3.add(v3.add(c[0], u, s), v3.add(c[2], v, r)), 0.5);
}
function draw() {
  const { view, x } = ccd,
    now = lerp(ccd.t),
    vertices = new Float32Array(36);
  [0, 3].forEach(f => {
    const n = v3.unit(v3.cross(v3.sub(now[f + 1], now[f]), v3.sub(now[f + 2], now[f])));
    for (let i = 0; i < 3; i++) vertices.set([...now[f + i], ...n], 6 * (f + i));
  });
  view.lines = [];
  view.points = [];
  const line = (a, b, c, alpha) => view.lines.push(...a, ...c, alpha, ...b, ...c, alpha);
  const show = c => c.map(v => Math.min(1, Math.pow(v, 1 / 2.2) * 0.9));
  for (let i = 0; i < 6; i++) {
    const c = show(i < 3 ? red : blue),
      next = i < 3 ? (i + 1) % 3 : 3 + ((i - 2) % 3);
    line(x[i], x[next], c, 0.28);
    line(x[i + 6], x[next + 6], c, 0.75);
    line(x[i], x[i + 6], c, 0.22);
    view.points.push(...x[i + 6], ...c, 1, ...x[i], ...c, 0.4);
  }
  if (ccd.first.t <= 1) {
    const at = touch(ccd.first, ccd.first.t);
    ccd.touchAt = at;
    if (ccd.t >= ccd.first.t - 1e-9) view.points.push(...at, 0.1, 0.1, 0.1, 1);
    const y = lerp(ccd.t);
    ccd.first.corners.forEach((c, i) => {
      const p = ccd.first,
        ring = p.edges ? [1, 0, 3, 2][i] : i === 0 ? -1 : 1 + (i % 3);
      if (ring >= 0 && (!p.edges || i % 2 === 0)) line(y[c], y[p.corners[ring]], [0.15, 0.14, 0.13], 0.9);
    });
  }
  view.draw(vertices);
}
function frame(now) {
  requestAnimationFrame(frame);
  const dt = Math.min(0.05, (now - ccd.last) / 1000 || 0),
    end = $("stop").checked ? Math.min(1, ccd.first.t) : 1;
  ccd.last = now;
  if (ccd.running) {
    if (ccd.t >= end) {
      ccd.wait += dt;
      if (ccd.wait > 1) {
        ccd.t = 0;
        ccd.wait = 0;
      }
    } else {
      ccd.t = Math.min(end, ccd.t + 0.45 * dt);
      ccd.wait = 0;
    }
    $("when").value = 1000 * ccd.t;
    $("when").nextElementSibling.textContent = ccd.t.toFixed(3);
  }
  $("clock").textContent = ccd.first.t <= 1 && ccd.t >= ccd.first.t ? "touch at t = " + ccd.first.t.toFixed(4) : "t = " + ccd.t.toFixed(4);
  const p = $("panel"),
    c = ccd.view.canvas;
  ccd.view.shift = innerWidth > 760 && !p.classList.contains("closed") ? p.offsetWidth / innerWidth : 0;
  const state = [ccd.view.shift, ccd.t, JSON.stringify(ccd.view.camera), c.clientWidth, c.clientHeight, ccd.view.scaleLimit].join();
  if (state !== ccd.state || ccd.dirty) {
    ccd.still = 0;
    ccd.state = state;
    ccd.dirty = false;
  }
  if (ccd.still++ < 3) draw();
}
function run(on) {
  ccd.running = on;
  $("play")
    .querySelector("path")
    .setAttribute("d", on ? "M5 4h4v12H5zM11 4h4v12h-4z" : "M5 3l12 7-12 7z");
}
function load(x) {
  ccd.x = x.map(p => p.slice());
  ccd.t = 0;
  ccd.wait = 0;
  solve();
}
function random() {
  for (let turn = 0; turn < 200; turn++) {
    const r = (c, s) => c.map(v => v + s * (Math.random() - 0.5)),
      a0 = r([-0.2, 0.8, 0], 0.6),
      b0 = r([0.2, 1.5, 0], 0.8),
      mid = r([0, 1, 0], 0.5),
      t = [];
    for (const [c, e] of [
      [a0, mid],
      [b0, v3.add(mid, v3.sub(mid, b0), 0.5)],
    ])
      t.push(
        [0, 1, 2].map(() => r(c, 1.3)),
        [0, 1, 2].map(() => r(e, 1.3)),
      );
    const x = [...t[0], ...t[2], ...t[1], ...t[3]];
    x.forEach((p, i) => {
      p[1] = i < 3 ? Math.min(1.0, Math.max(0.1, p[1])) : i < 6 ? Math.max(1.1, p[1]) : Math.max(0.1, p[1]);
    }); /* they begin apart */
    load(x);
    if (ccd.first.t > 0.15 && ccd.first.t < 1) return;
  }
}
function hands() {
  const { view } = ccd;
  let held = -1,
    depth = 0;
  cameraHands(view, {
    pick(px, py) {
      let best = 26;
      ccd.x.forEach((p, i) => {
        const [x, y] = view.project(p),
          d = Math.hypot(x - px, y - py) + (i < 6 ? 4 : 0);
        if (d < best) {
          best = d;
          held = i;
        }
      });
      if (best === 26) return 0;
      depth = v3.dot(v3.sub(ccd.x[held], view.eye), view.axes.n);
      return 1;
    },
    move(px, py) {
      const { from, way } = view.ray(px, py);
      ccd.x[held] = v3.add(from, way, depth / v3.dot(way, view.axes.n));
      ccd.x[held][1] = Math.max(0.01, ccd.x[held][1]);
      try {
        solve();
      } catch (e) {
        note(e.message);
      }
    },
    drop() {
      held = -1;
    },
  });
}
(async () => {
  try {
    ccd.view = new View($("stage"));
    ccd.lib = await contactLoad("game");
    window.ccd = ccd;
    Object.assign(ccd.view.camera, { at: [0, 0.85, 0], yaw: 0.5, pitch: 0.28, distance: 4.3 });
    ccd.view.setBodies([
      { first: 0, count: 3, color: red, flat: 1, triangles: Int32Array.of(0, 1, 2) },
      { first: 3, count: 3, color: blue, flat: 1, triangles: Int32Array.of(0, 1, 2) },
    ]);
    hands();
    document.querySelectorAll("[data-case]").forEach(b => {
      b.onclick = () => load(cases[b.dataset.case]);
    });
    $("random").onclick = random;
    $("play").onclick = () => run(!ccd.running);
    $("more").onclick = () => $("panel").classList.toggle("closed");
    const distance = () => {
      $("distance").nextElementSibling.textContent = $("distance").value + " mm";
    };
    $("distance").oninput = () => {
      distance();
      solve();
    };
    $("when").oninput = () => {
      run(false);
      ccd.t = $("when").value / 1000;
      $("when").nextElementSibling.textContent = ccd.t.toFixed(3);
    };
    addEventListener("keydown", e => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === " " && !e.target.matches("button")) run(!ccd.running);
      else if (e.key >= "1" && e.key <= "4") load(Object.values(cases)[e.key - 1]);
      else if (e.key.toLowerCase() === "r") random();
      else return;
      e.preventDefault();
    });
    if (innerWidth <= 760) $("panel").classList.add("closed");
    distance();
    load(cases.vf);
    requestAnimationFrame(frame);
    ccd.ready = true;
  } catch (e) {
    note(e.message, 1000);
    throw e;
  }
})();
