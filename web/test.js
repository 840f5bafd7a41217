/* test.js -- the pages in headless Chromium: they load, draw, answer hands and keys, and write nothing to the console. Pictures
   go to BUILD_WEB/shots.
   usage: node web/test.js BUILD_WEB [PART ...]   PART: bench playground phone ccd papers steppers; without: all
   RENEW=1 writes the small pictures of web/reference instead of comparing with them. */
"use strict";
const fs = require("fs"),
  path = require("path"),
  os = require("os"),
  { execFileSync, spawnSync } = require("child_process");
const folder = path.resolve(process.argv[2] || "build/web"),
  parts = process.argv.slice(3),
  shots = path.join(folder, "shots"),
  reference = path.join(__dirname, "reference");
const needs = [
  ["chromium", "chromium"],
  ["chromedriver", "chromium-driver"],
  ["gcc", "gcc"],
];
const missing = needs.filter(([program]) => spawnSync("sh", ["-c", "command -v " + program]).status !== 0);
if (missing.length) {
  console.log("test-web needs " + missing.map(m => m[0]).join(", ") + ":   apt-get install " + missing.map(m => m[1]).join(" "));
  process.exit(1);
}
const { Browser } = require("./browser.js"),
  { bench } = require("./bench.js");
let passed = 0,
  failed = 0;
function check(name, good, facts = "") {
  good ? passed++ : failed++;
  console.log((good ? "ok      " : "FAILED  ") + name + (facts !== "" ? "   " + facts : ""));
}
const url = page => "file://" + path.join(folder, page),
  sleep = ms => new Promise(r => setTimeout(r, ms));

/* in the page: a canvas as a small picture */
function small(selector) {
  const c = document.createElement("canvas");
  c.width = 96;
  c.height = 60;
  c.getContext("2d").drawImage(document.querySelector(selector), 0, 0, 96, 60);
  return c.toDataURL();
}
/* in the page: mean of the differences of channels of two pictures, of 255, and the spread of the first one's */
async function difference(...sources) {
  const [a, b] = await Promise.all(
    sources.map(async src => {
      const i = new Image();
      await new Promise(r => ((i.onload = r), (i.src = src)));
      const g = document.createElement("canvas").getContext("2d");
      g.drawImage(i, 0, 0);
      return g.getImageData(0, 0, 96, 60).data.filter((_, k) => k % 4 < 3);
    }),
  );
  const mean = f => a.reduce((s, v, i) => s + f(v, b[i]), 0) / a.length,
    m = mean(v => v);
  return [mean((v, w) => Math.abs(v - w)), Math.sqrt(mean(v => v * v) - m * m)];
}
/* a canvas against its stored small picture */
async function compare(b, name, canvas, limit = 6) {
  const now = await b.call(small, canvas),
    file = path.join(reference, name + ".png");
  if (process.env.RENEW) {
    fs.mkdirSync(reference, { recursive: true });
    fs.writeFileSync(file, Buffer.from(now.split(",")[1], "base64"));
  }
  const [mean, spread] = await b.call(difference, now, "data:image/png;base64," + fs.readFileSync(file).toString("base64"));
  check(name + ": the picture is not empty", spread > 8, "spread " + spread.toFixed(1));
  check(name + ": the picture is the stored one", mean < limit, "mean difference " + mean.toFixed(2) + " of 255");
}
async function quiet(b, name) {
  const e = await b.errors();
  check(name + ": the console is empty", e.length === 0, e.join("\n"));
}
/* the playground, drawn with few pixels: a software renderer takes a second for a whole page */
const READY = "return !!(window.play && play.ready)",
  COARSE = "play.view.scaleLimit = 0.25",
  SHARP = "play.still = 0, play.view.scaleLimit = 1",
  DRAWN = "return play.still > 3 && play.view.canvas.width === play.view.canvas.clientWidth";
const time = b => b.run("return play.lib.page_time(play.scene.p)");
/* in the page: the middle of a body, and where it is on the screen */
function middle(name) {
  const v = picture(),
    b = play.view.bodies.find(b => b.name === name),
    s = [0, 0, 0];
  for (let i = 0; i < b.count; i++) for (let k = 0; k < 3; k++) s[k] += v[6 * (b.from + i) + k] / b.count;
  return [...play.view.project(s), s[1], play.scene.held !== undefined];
}
/* waits until a body is above a height, or 30 s */
async function rises(b, name, height) {
  for (let i = 0; i < 150; i++) {
    const at = (await b.call(middle, name))[2];
    if (at > height) return at;
    await sleep(200);
  }
  return (await b.call(middle, name))[2];
}
/* compiles scene.c and runs it */
function program(code, steps, flags) {
  const file = path.join(folder, "scene.c"),
    exe = path.join(folder, "scene"),
    stb = (process.env.STB_CFLAGS || "").split(/\s+/).filter(f => f);
  fs.writeFileSync(file, code);
  const includes = ["-I", path.join(__dirname, ".."), "-isystem", "/usr/include/stb", ...stb];
  execFileSync("gcc", ["-std=c99", "-O1", ...flags, ...includes, file, "-lm", "-o", exe], { stdio: "inherit" });
  return execFileSync(exe, [String(steps)]).toString();
}

async function testBench() {
  const r = await bench(folder, 900);
  console.log("        " + JSON.stringify(r));
  check("size of the playground's module, gzip", r.gzip_kb <= 400, r.gzip_kb + " KB, at most 400");
  if (r.load < os.cpus().length) check("median CPU of a frame in node", r.median_ms < 12, r.median_ms + " ms, below 12");
  else console.log("SKIPPED median CPU of a frame: " + r.median_ms + " ms (limit 12), other work loads this machine: " + r.load);
  check(
    "steps of the playground within the tolerance",
    ((r.status.ok || 0) + (r.status.substepped || 0)) / r.frames > 0.98,
    JSON.stringify(r.status),
  );
  return r;
}
async function playPicture(b, facts) {
  const hash = await b.call(() => {
    run(false);
    load("figure");
    for (let i = 0; i < 120; i++) oneStep();
    return play.lib.page_hash(play.scene.p);
  });
  check("120 steps end with the same bits in node and in Chromium", hash === facts.hash120, hash);
  await b.run("for (let i = 120; i < 260; i++) oneStep(); showReport(), plot();" + SHARP);
  await b.wait(DRAWN);
  await compare(b, "playground", "#stage");
  await b.shot(path.join(shots, "playground.png"));
  check("no pair intersects", await b.run("return play.scene.report().tangled === 0 && play.scene.status <= 1"));
}
async function playHand(b) {
  await b.run(COARSE + ", run(true)");
  const [x, y, height] = await b.call(middle, "bead");
  const way = [[x, y], [x, y - 80], [x + 60, y - 260]]; // prettier-ignore
  await b.drag(way, { ms: 300 });
  const lifted = await rises(b, "bead", height + 0.25),
    held = (await b.call(middle, "bead"))[3];
  check("a jelly follows the mouse", lifted > height + 0.25 && held, `from ${height.toFixed(2)} to ${lifted.toFixed(2)} m`);
  await b.let_go();
  check("and is let go", !(await b.call(middle, "bead"))[3]);
  await b.run("run(false); for (let i = 0; i < 60; i++) oneStep();");
  const fallen = (await b.call(middle, "bead"))[2];
  check("and falls", fallen < lifted - 0.15, fallen.toFixed(2) + " m");
}
async function playKeys(b) {
  await b.run("run(true)");
  await b.key(" ");
  check("space pauses", await b.run("return !play.running"));
  const t = [await time(b)];
  await b.key("\uE014");
  t.push(await time(b));
  for (let i = 0; i < 2; i++) await b.key("\uE012");
  t.push(await time(b));
  check("right steps, left rewinds", t[1] > t[0] && t[2] < t[0], t.map(t => t.toFixed(3)).join(" "));
  const again = await b.call(() => {
    const s = play.scene,
      end = s.steps + 30,
      go = () => {
        while (s.steps < end) s.step();
        return play.lib.page_hash(s.p);
      },
      first = go();
    while (s.steps > end - 30) s.rewind();
    return [first, go()];
  });
  check("what is rewound goes on with the same bits", again[0] === again[1], again.join(" "));
  for (const k of ["j", "c", "s", "l"]) await b.key(k);
  const names = await b.run("for (let i = 0; i < 50; i++) oneStep(); return play.scene.bodies.filter(b => b).map(b => b.name)"),
    good = ["letter H", "letter E", "crate"].every(n => names.includes(n)) && names.filter(n => n === "sheet").length === 2;
  check("keys add jellies, crates, sheets and letters", good, names.length + " bodies");
  const set = await b.call(() => {
    for (const [id, v] of Object.entries({ friction: 0.8, thickness: 6, dt: 2, speed: -1.6, gravity: 5 })) {
      const e = document.getElementById(id);
      e.value = v;
      e.dispatchEvent(new Event("input"));
    }
    document.getElementById("contacts").checked = true;
    for (let i = 0; i < 30; i++) oneStep();
    const s = play.scene;
    return [s.friction, s.thickness, s.dt, s.speed, s.gravity];
  });
  check("sliders reach the world", JSON.stringify(set) === JSON.stringify([0.8, 0.006, 1 / 90, -1.6, 5]), set.join(" "));
  await b.run("showReport(), plot();" + SHARP);
  await b.wait(DRAWN);
  await b.shot(path.join(shots, "playground_more.png"));
}
async function playProgram(b) {
  await b.run(COARSE + "; document.getElementById('copy').click()");
  const [code, steps, held] = await b.run("return [play.code, play.scene.steps, play.scene.pulled]");
  await b.shot(path.join(shots, "playground_code.png"));
  await b.run("document.getElementById('code').close()");
  const said = program(code, steps, ["-Wall", "-Wextra", "-Werror", "-Wno-misleading-indentation", "-Wno-maybe-uninitialized"]),
    last = said.trim().split("\n").pop() + (held ? " (the hand's pulls are left out)" : "");
  check("Copy as C compiles without a warning and runs", said.includes(` of ${steps} steps`), last);
  /* untouched by a hand the program repeats the run, bit for bit */
  const [again, hash] = await b.call(() => {
    const go = n => {
      for (let i = 0; i < n; i++) oneStep();
    };
    load("crates");
    run(false);
    go(20);
    add("jelly");
    play.scene.set("friction", 0.6);
    go(20);
    return [sceneAsC(play.scene), play.lib.page_hash(play.scene.p)];
  });
  const repeated = /hash (\w+)/.exec(program(again, 40, ["-w"]))[1];
  check("the program repeats the page's run with the same bits", repeated === hash, repeated + " " + hash);
}
async function playScenes(b) {
  for (const preset of ["letters", "jellies", "crates"]) {
    const [tangled, ms, bad] = await b.call(preset => {
      let bad = 0;
      $("contacts").checked = false;
      load(preset);
      run(false);
      for (let i = 0; i < 90; i++) {
        oneStep();
        bad += play.scene.status > 2;
      }
      showReport();
      plot();
      return [play.scene.report().tangled, play.cpu, bad];
    }, preset);
    await b.run(SHARP);
    await b.wait(DRAWN);
    await b.shot(path.join(shots, `playground_${preset}.png`));
    await b.run(COARSE);
    check(`scene "${preset}" runs without an intersection`, tangled === 0, `${ms.toFixed(1)} ms a step, ${bad} of 90 above the tolerance`);
  }
}
async function testPlayground(facts) {
  const b = await Browser.open({ width: 1280, height: 943 });
  try {
    await b.go(url("index.html"));
    await b.wait(READY);
    await b.run(COARSE);
    await playPicture(b, facts);
    await playHand(b);
    await playKeys(b);
    await playProgram(b);
    await b.run("Object.assign(play.scene, { friction: 0.4, thickness: 0.005, dt: 1 / 60, speed: 0.6, gravity: 9.81 })");
    await playScenes(b);
    await quiet(b, "playground");
  } finally {
    await b.close();
  }
}
async function testPhone() {
  const b = await Browser.open({ mobile: { width: 390, height: 844, ratio: 2 } });
  try {
    await b.go(url("index.html"));
    await b.wait(READY);
    await b.run(COARSE);
    await b.run("run(false); for (let i = 0; i < 200; i++) oneStep(); play.still = 0, play.view.scaleLimit = 2");
    await b.wait("return play.still > 3", 90);
    check(
      "phone: nothing is wider than the screen",
      await b.run("return document.documentElement.scrollWidth <= innerWidth && devicePixelRatio === 2"),
    );
    await b.shot(path.join(shots, "phone.png"));
    await b.run(COARSE + ", run(true)");
    const [x, y, height] = await b.call(middle, "bead");
    await b.drag(
      [
        [x, y],
        [x, y - 60],
        [x + 20, y - 160],
      ],
      { touch: true, ms: 300 },
    );
    const lifted = await rises(b, "bead", height + 0.15);
    check("phone: a finger lifts a jelly", lifted > height + 0.15, `from ${height.toFixed(2)} to ${lifted.toFixed(2)} m`);
    await b.let_go(true);
    await b.run("document.getElementById('more').click()");
    await sleep(400);
    await b.shot(path.join(shots, "phone_panel.png"));
    check("phone: the panel opens", await b.run("return !document.getElementById('panel').classList.contains('closed')"));
    for (const page of ["ccd", "papers", "steppers"]) {
      await b.go(url(page + ".html"));
      await b.wait("return !!(window.ccd && ccd.ready || window.papers && papers.ready || window.all && all.ready)");
      if (page === "steppers")
        await b.call(() => {
          all.most = 0;
          all.running = false;
          for (const t of all.tiles.slice(0, 2)) {
            for (let i = 0; i < 40; i++) step(t);
            tell(t);
            draw(t);
          }
        });
      if (page === "ccd") {
        await b.run("run(false)");
        await b.wait("return ccd.still > 3", 90);
      }
      check(`phone: nothing of ${page} is wider than the screen`, await b.run("return document.documentElement.scrollWidth <= innerWidth"));
      await b.shot(path.join(shots, `phone_${page}.png`));
    }
    await quiet(b, "phone");
  } finally {
    await b.close();
  }
}
/* when two moving triangles first touch, by brute force: the first of n times at which an edge of one passes a face of the other */
function touchByHand(x, n) {
  const sub = (a, b) => a.map((v, i) => v - b[i]),
    dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  for (let k = 0; k <= n; k++) {
    const p = x.slice(0, 6).map((v, i) => v.map((c, j) => c + (k / n) * (x[i + 6][j] - c)));
    for (const [a, b] of [
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
      [
        [3, 4, 5],
        [0, 1, 2],
      ],
    ])
      for (let i = 0; i < 3; i++) {
        const o = p[a[i]],
          d = sub(p[a[(i + 1) % 3]], o),
          e = sub(p[b[1]], p[b[0]]),
          f = sub(p[b[2]], p[b[0]]),
          h = cross(d, f),
          det = dot(e, h);
        if (Math.abs(det) < 1e-14) continue;
        const s = sub(o, p[b[0]]),
          u = dot(s, h) / det,
          q = cross(s, e),
          v = dot(d, q) / det,
          t = dot(f, q) / det;
        if (u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1) return k / n;
      }
  }
  return 2;
}
async function testCcd() {
  const b = await Browser.open({ width: 1280, height: 943 });
  try {
    await b.go(url("ccd.html"));
    await b.wait("return !!(window.ccd && ccd.ready)");
    await b.run("ccd.view.scaleLimit = 0.25, run(false), ccd.t = 0");
    for (const name of ["vf", "ee", "miss"]) {
      const [t, pair, x] = await b.run(`load(cases.${name}); return [ccd.first.t, ccd.first.name, ccd.x]`),
        hand = touchByHand(x, 20000);
      check(
        `collisions, ${name}: the time is that of brute force, and never later`,
        t <= 1 ? t <= hand && hand - t < 2e-4 : hand > 1,
        `${t <= 1 ? t.toFixed(6) + " by " + pair : "never"}, by brute force ${hand > 1 ? "never" : hand.toFixed(5)}`,
      );
    }
    let worst = 0,
      late = 0,
      n = 0;
    for (const [t, x] of await b.run(
      "const out = []; for (let i = 0; i < 25; i++) random(), out.push([ccd.first.t, ccd.x]); return out;",
    )) {
      const hand = touchByHand(x, 5000);
      n++;
      late += t > hand;
      worst = Math.max(worst, Math.min(1, hand) - Math.min(1, t));
    }
    check(`collisions: ${n} random motions`, late === 0 && worst < 2e-3, "the brute force lags by " + worst.toFixed(5) + " at most");
    await b.run("load(cases.vf), ccd.t = ccd.first.t, ccd.view.scaleLimit = 1, ccd.still = 0");
    await b.wait("return ccd.still > 3");
    await compare(b, "ccd", "#stage");
    await b.shot(path.join(shots, "ccd.png"));
    /* a corner is dragged: another time */
    const before = await b.run("ccd.view.scaleLimit = 0.25; return ccd.first.t"),
      [x, y] = await b.run("return ccd.view.project(ccd.x[9])");
    await b.drag(
      [
        [x, y],
        [x, y - 30],
        [x + 5, y - 90],
      ],
      { ms: 200, hold: false },
    );
    const after = await b.run("return ccd.first.t");
    check("collisions: a corner can be dragged", after !== before, `${before.toFixed(4)} to ${after > 1 ? "never" : after.toFixed(4)}`);
    await b.run("load(cases.ee), $('distance').value = 20, $('distance').oninput()");
    await b.run("ccd.t = ccd.first.t, ccd.view.scaleLimit = 1, ccd.still = 0");
    const apart = await b.call(() => {
      const y = lerp(ccd.first.t),
        c = ccd.first.corners.map(i => y[i]),
        n = v3.unit(v3.cross(v3.sub(c[1], c[0]), v3.sub(c[3], c[2])));
      return Math.abs(v3.dot(n, v3.sub(c[2], c[0])));
    });
    check(
      "collisions: at a distance of 20 mm the edges are so far apart",
      Math.abs(apart - 0.02) < 1e-4,
      (1000 * apart).toFixed(3) + " mm",
    );
    await b.wait("return ccd.still > 3");
    await b.shot(path.join(shots, "ccd_edges.png"));
    await quiet(b, "collisions");
  } finally {
    await b.close();
  }
}
async function testPapers() {
  const b = await Browser.open({ width: 1200, height: 2943 }),
    far = (a, c) => Math.max(...a.map((v, i) => Math.abs(v - c[i])));
  try {
    await b.go(url("papers.html"));
    await b.wait("return !!(window.papers && papers.ready)");
    await b.shot(path.join(shots, "papers.png"));
    for (const id of ["ica-fig", "ica-plot", "mprgp-fig", "barrier-fig", "lemke-fig"]) await compare(b, id, "#" + id);
    /* six solvers, one answer; impulses push where the string touches, and only there */
    const runs = await b.run("return papers.string.facts()"),
      best = runs[0].last;
    check(
      "papers: six solvers solve the string",
      runs.every(r => r.outcome === "solved"),
      runs.map(r => `${r.iterations}`).join(" ") + " iterations",
    );
    const v = runs.map(r => far(r.last.x, best.x) / Math.max(...best.x.map(Math.abs)));
    check("papers: with the same velocities", Math.max(...v) < 1e-4, Math.max(...v).toExponential(1) + " of the largest");
    const pushed = best.r.filter((_, i) => i % 3 === 0);
    check(
      "papers: impulses push, at several nodes",
      Math.min(...pushed) > -1e-9 && pushed.filter(l => l > 1e-6).length >= 3,
      pushed.filter(l => l > 1e-6).length + " contacts",
    );
    /* the program in two unknowns against its four faces, solved by hand */
    const f = await b.run("return papers.faces.facts()"),
      l = f.corner,
      q = f.free,
      a = f.A,
      energy = x => {
        const d = [x[0] - q[0], x[1] - q[1]];
        return 0.5 * (a[0] * d[0] * d[0] + 2 * a[1] * d[0] * d[1] + a[3] * d[1] * d[1]);
      };
    const faces = [q, [l[0], q[1] - (a[1] / a[3]) * (l[0] - q[0])], [q[0] - (a[1] / a[0]) * (l[1] - q[1]), l[1]], l]
      .filter(x => x[0] >= l[0] - 1e-12 && x[1] >= l[1] - 1e-12)
      .sort((x, y) => energy(x) - energy(y));
    check("papers: MPRGP ends in the best of the four faces", far(f.run.x, faces[0]) < 1e-7, f.run.x.map(x => x.toFixed(6)).join(" "));
    /* the barrier by its formula, and a minimum of the potential */
    const e = await b.run("return papers.barrier.facts()"),
      formula = d => {
        const s = (d / e.dhat) ** 2;
        return e.k * e.dhat * -((s - 1) ** 2) * Math.log(s);
      };
    const off = Math.max(...e.curve.filter(([y]) => y < 0.9 * e.dhat).map(([y, B]) => Math.abs(B / formula(y) - 1)));
    check("papers: the curve is the formula of the barrier", off < 1e-6, off.toExponential(1));
    const y = e.iterates[e.iterates.length - 1].y,
      slope = e.M * (y - e.hat) + (e.H * e.H * (formula(y + 1e-6) - formula(y - 1e-6))) / 2e-6;
    check(
      "papers: Newton's last iterate is the minimum",
      Math.abs(slope) < 1e-3 * e.M * Math.abs(y - e.hat),
      `y = ${y.toFixed(5)} m, force ${slope.toExponential(1)}`,
    );
    /* Lemke's path against the four choices of who is pressed */
    const c = await b.run("return papers.lemke.facts()"),
      W = c.W;
    const worst = Math.max(
      ...c.path.map(({ q, r }) => {
        const det = W[0] * W[3] - W[1] * W[2],
          all = [
            [0, 0],
            [-q[0] / W[0], 0],
            [0, -q[1] / W[3]],
            [(-W[3] * q[0] + W[1] * q[1]) / det, (W[2] * q[0] - W[0] * q[1]) / det],
          ];
        const good = all.filter(
          s => s.every(x => x >= -1e-12) && W[0] * s[0] + W[1] * s[1] + q[0] > -1e-9 && W[2] * s[0] + W[3] * s[1] + q[1] > -1e-9,
        );
        return Math.min(...good.map(s => far(s, r)));
      }),
    );
    check("papers: Lemke's answers are those of the four cones", worst < 1e-9, worst.toExponential(1));
    /* a hand */
    const [x0, y0] = await b.call(() => {
      $("mprgp-fig").scrollIntoView({ block: "center" });
      const r = $("mprgp-fig").getBoundingClientRect(),
        p = papers.faces.facts().free,
        s = Math.min(r.width / 4.8, r.height / 3.6);
      return [r.left + r.width / 2 + p[0] * s, r.top + r.height / 2 - p[1] * s];
    });
    await b.drag(
      [
        [x0, y0],
        [x0 + 40, y0 + 20],
        [x0 + 160, y0 + 60],
      ],
      { ms: 100, hold: false },
    );
    const moved = await b.run("return papers.faces.facts().free");
    check("papers: the free minimum can be dragged", moved[0] > q[0] + 0.5, moved.map(v => v.toFixed(2)).join(" "));
    await quiet(b, "papers");
  } finally {
    await b.close();
  }
}
async function testSteppers() {
  const b = await Browser.open({ width: 1280, height: 1343 });
  try {
    await b.go(url("steppers.html"));
    await b.wait("return !!(window.all && all.ready)");
    await b.run("all.most = 0, all.running = false");
    for (const [what, n] of [
      ["steppers", 7],
      ["solvers", 8],
    ]) {
      const tiles = await b.call(what => {
        $("what").value = what;
        build();
        for (let i = 0; i < 70; i++) all.tiles.forEach(step);
        all.tiles.forEach(tell);
        all.tiles.forEach(draw);
        return all.tiles.map(t => {
          const r = t.error ? { kinetic: 0, elastic: 0, gravity: 0, penetration: 0 } : t.scene.report();
          return { name: t.name, error: t.error, ms: t.ms, energy: r.kinetic + r.elastic + r.gravity, depth: r.penetration };
        });
      }, what);
      check(
        `${n} ${what} run`,
        tiles.length === n && tiles.every(t => !t.error),
        tiles.map(t => t.name + (t.error ? ": " + t.error : " " + t.ms.toFixed(1) + " ms")).join(", "),
      );
      check(
        `${what}: energies are alike`,
        Math.max(...tiles.map(t => t.energy)) < 1.35 * Math.min(...tiles.map(t => t.energy)),
        tiles.map(t => t.energy.toFixed(0)).join(" ") + " J",
      );
      check(
        `${what}: nothing is deeper than the thickness`,
        tiles.every(t => t.depth < 0.006),
      );
      await compare(b, what, ".tile canvas");
      await b.shot(path.join(shots, what + ".png"));
    }
    await quiet(b, "steppers");
  } finally {
    await b.close();
  }
}
(async () => {
  fs.mkdirSync(shots, { recursive: true });
  const wants = p => !parts.length || parts.includes(p);
  const facts = wants("bench") || wants("playground") ? await testBench() : {};
  const all = { playground: () => testPlayground(facts), phone: testPhone, ccd: testCcd, papers: testPapers, steppers: testSteppers };
  for (const p in all)
    if (wants(p)) {
      try {
        await all[p]();
      } catch (e) {
        check(p + " ends", false, e.stack);
      }
    }
  console.log(`${passed} passed, ${failed} failed; pictures in ${shots}`);
  process.exit(failed ? 1 : 0);
})();
