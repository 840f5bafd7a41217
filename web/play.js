/* play.js -- the playground: a Scene, its picture, hands and buttons */
"use strict";
const $ = id => document.getElementById(id);
const STEPS = [1 / 240, 1 / 120, 1 / 90, 1 / 60, 1 / 30];
const play = { running: true, cpu: 0, energies: [], drops: 0, behind: 0, rewinding: false };

function note(text, seconds = 3) {
  $("note").textContent = text;
  $("note").hidden = false;
  clearTimeout(note.timer);
  note.timer = setTimeout(() => {
    $("note").hidden = true;
  }, 1000 * seconds);
}
const presets = {
  figure: s => s.standard(),
  letters: s => {
    [..."CONTACT"].forEach((c, i) => s.addLetter(c, [-1.08 + 0.36 * i, 0.27, 0], { young: 9e4 }));
    s.addJelly(0, [-0.35, 1.1, 0.05]);
    s.addJelly(1, [0.5, 1.5, 0]);
  },
  jellies: s => {
    for (let i = 0; i < 12; i++) s.addJelly(i, [0.58 * ((i % 3) - 1) + 0.05 * (i & 1), 0.25 + 0.46 * Math.floor(i / 3), 0.06 * (i % 2)]);
  },
  crates: s => {
    for (let k = 0; k < 4; k++) for (let i = 0; i < 4 - k; i++) s.addCrate([0.31 * (i - (3 - k) / 2), 0.16 + 0.306 * k, 0]);
    s.addSheet(22, 1.3, [0, 1.6, 0]);
    s.addJelly(1, [1, 0.2, 0.5]);
    s.addJelly(3, [-1, 0.12, 0.4]);
  },
};

function load(name) {
  const keep = play.scene
    ? {
        thickness: play.scene.thickness,
        friction: play.scene.friction,
        dt: play.scene.dt,
        speed: play.scene.speed,
        gravity: play.scene.gravity,
      }
    : {};
  if (play.scene) play.scene.free();
  play.scene = new Scene(play.lib, keep);
  presets[name](play.scene);
  play.preset = $("preset").value = name;
  play.energies = [];
  play.drops = 0;
  play.structure = -1;
  play.behind = 0;
  if (name === "figure") Object.assign(play.view.camera, { at: [0, 0.77, 0], yaw: 0.42, pitch: 0.2, distance: 5.3 });
  else Object.assign(play.view.camera, { at: [0, 0.55, 0], yaw: 0.35, pitch: 0.3, distance: 4.6 });
  window.scene = play.scene;
  showSettings();
}
/* arrays of the module for the picture; triangles are copied once, when bodies come or go */
function picture() {
  const { lib, scene, view } = play,
    at = lib.page_vertices(scene.p);
  let first = 0;
  if (play.structure !== scene.structure) {
    play.structure = scene.structure;
    view.setBodies(
      scene.bodies
        .filter(b => b)
        .map(b => {
          const count = lib.page_vertex_count(scene.p, b.number),
            n = count ? lib.page_triangle_count(scene.p, b.number) : 0,
            t = n ? lib.page_triangles(scene.p, b.number) : 0;
          const body = { ...b, first, count, triangles: n ? lib.i32(t, 3 * n).slice() : new Int32Array(0) };
          first += count;
          return body;
        }),
    );
    play.vertices = view.bodies.reduce((s, b) => s + b.count, 0);
  }
  for (const b of view.bodies) b.hot = b.number === scene.held ? 1 : 0;
  return lib.f32(at, 6 * play.vertices);
}
function marks() {
  const { lib, scene, view } = play;
  view.lines = [];
  view.points = [];
  if ($("contacts").checked) {
    const room = 600,
      at = lib.page_alloc(24 * room),
      n = lib.page_contacts(scene.p, at, room),
      c = lib.f32(at, 6 * n);
    for (let i = 0; i < n; i++) {
      /* at most 30 cm long: a tenth of a kilogram at rest has 10 cm */
      const p = [...c.subarray(6 * i, 6 * i + 3)],
        f = Math.hypot(...c.subarray(6 * i + 3, 6 * i + 6)) / (9.81 * scene.dt),
        k = (0.3 * Math.tanh(3.5 * f)) / (f * 9.81 * scene.dt || 1);
      const q = p.map((v, j) => v + k * c[6 * i + 3 + j]);
      view.lines.push(...p, 0.72, 0.25, 0.16, 0.95, ...q, 0.72, 0.25, 0.16, 0.15);
    }
    lib.page_free(at);
  }
  if (scene.held !== undefined && play.target) view.points.push(...play.target, 0.72, 0.25, 0.16, 0.9);
}

/* ---- adding ---- */
/* a free height over a place: above every vertex within r of it */
function above(x, z, r) {
  const v = picture();
  let top = 0;
  for (let i = 0; i < v.length; i += 6) if (Math.abs(v[i] - x) < r && Math.abs(v[i + 2] - z) < r) top = Math.max(top, v[i + 1]);
  return top;
}
const spots = [
  [0.9, 0.7],
  [-0.8, 0.8],
  [0.2, 1.1],
  [-0.3, 1.0],
  [1.1, 0.2],
  [-1.1, 0.3],
  [0.6, 1.0],
];
function add(kind) {
  const { scene } = play,
    k = play.drops++;
  const [x, z] = spots[k % spots.length];
  if (scene.bodies.filter(b => b).length > 48) return note("That is a lot of bodies. Start again for more room.");
  try {
    if (kind === "jelly") scene.addJelly(k, [x, above(x, z, 0.32) + 0.4, z]);
    if (kind === "crate") scene.addCrate([x, above(x, z, 0.3) + 0.4, z]);
    if (kind === "sheet") scene.addSheet(20, 0.9, [x, above(x, z, 0.5) + 0.15, z]);
    if (kind === "letters") {
      const word = [...$("word").value.toUpperCase()].filter(c => shapes.letterNames.includes(c));
      if (!word.length) return note("Letters A to Z, digits, ! and ?");
      word.forEach((c, i) => {
        const x = 0.4 * (i - (word.length - 1) / 2);
        scene.addLetter(c, [x, above(x, 0.85, 0.26) + 0.35, 0.85]);
      });
    }
  } catch (e) {
    note(e.message);
  }
}

/* ---- settings ---- */
const shown = {
  friction: v => v.toFixed(2),
  thickness: v => v + " mm",
  dt: v => "1/" + Math.round(1 / STEPS[v]) + " s",
  speed: v => v.toFixed(1) + " rad/s",
  gravity: v => v.toFixed(1),
};
const stored = {
  friction: s => s.friction,
  thickness: s => Math.round(1000 * s.thickness),
  dt: s => STEPS.indexOf(s.dt),
  speed: s => s.speed,
  gravity: s => s.gravity,
};
function showSettings() {
  for (const id in shown) {
    $(id).value = stored[id](play.scene);
    $(id).nextElementSibling.textContent = shown[id](+$(id).value);
  }
}
for (const id in shown)
  $(id).addEventListener("input", () => {
    const v = +$(id).value;
    $(id).nextElementSibling.textContent = shown[id](v);
    play.scene.set(id, id === "dt" ? STEPS[v] : id === "thickness" ? v / 1000 : v);
  });

/* ---- time ---- */
const ICON = { pause: "M5 4h4v12H5zM11 4h4v12h-4z", play: "M5 3l12 7-12 7z" };
function run(on) {
  play.running = on;
  $("play")
    .querySelector("path")
    .setAttribute("d", on ? ICON.pause : ICON.play);
  $("play").setAttribute("aria-label", on ? "Pause" : "Play");
}
function oneStep() {
  const start = performance.now();
  try {
    play.scene.step();
  } catch (e) {
    note(e.message);
    run(false);
    return;
  }
  play.cpu += 0.1 * (performance.now() - start - play.cpu);
  const r = play.scene.report();
  play.energies.push([r.kinetic, r.elastic, r.gravity]);
  if (play.energies.length > 300) play.energies.shift();
}
function back(k) {
  try {
    if (!play.scene.rewind(k)) note("Nothing before this");
  } catch (e) {
    note(e.message);
  }
}
function showTime() {
  const n = play.lib.page_snapshots(play.scene.p);
  $("time").max = Math.max(0, n - 1);
  if (document.activeElement !== $("time") || play.running) $("time").value = n - 1;
  $("clock").textContent = play.lib.page_time(play.scene.p).toFixed(1) + " s";
}
function showReport() {
  const r = play.scene.report(),
    name = play.lib.page_status(r.status);
  $("status").textContent = name.replace("_", " ");
  $("status").className = "status" + (r.status > 2 ? " bad" : r.status > 0 ? " warn" : "");
  $("f-cpu").textContent = play.cpu.toFixed(1) + " ms";
  $("f-contacts").textContent = r.contacts;
  $("f-iterations").textContent = r.iterations + " / " + r.sweeps + " sweeps";
  $("f-residual").textContent = r.residual.toExponential(1);
  $("f-distance").textContent = (1000 * r.distance).toFixed(2) + " mm";
  $("f-tangled").textContent = r.tangled;
}
function plot() {
  const c = $("plot"),
    ratio = Math.min(2, devicePixelRatio || 1),
    w = c.clientWidth,
    h = c.clientHeight;
  if (!w) return;
  if (c.width !== w * ratio) {
    c.width = w * ratio;
    c.height = h * ratio;
  }
  const g = c.getContext("2d"),
    e = play.energies;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  if (e.length < 2) return;
  const base = Math.min(...e.map(v => v[2])),
    most = Math.max(1e-6, ...e.map(v => Math.max(v[0], v[1], v[2] - base)));
  g.strokeStyle = "#e0dbd2";
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(0, h - 0.5);
  g.lineTo(w, h - 0.5);
  g.stroke();
  [
    [2, "#8a8378"],
    [1, "#2f6f8f"],
    [0, "#b8402a"],
  ].forEach(([k, color]) => {
    g.strokeStyle = color;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    g.beginPath();
    e.forEach((v, i) => g.lineTo((w * i) / 299, h - 2 - ((h - 14) * (v[k] - (k === 2 ? base : 0))) / most));
    g.stroke();
  });
  g.fillStyle = "#716d66";
  g.font = "11px " + getComputedStyle(document.body).fontFamily;
  g.fillText(most.toPrecision(2) + " J", 0, 9);
}

/* the scene stands in the middle of what the panel leaves free */
function panelShift() {
  const p = $("panel");
  return innerWidth > 760 && !p.classList.contains("closed") ? p.offsetWidth / innerWidth : 0;
}
let last = 0,
  frames = 0,
  slow = 0;
function frame(now) {
  requestAnimationFrame(frame);
  const { scene, view } = play,
    dt = Math.min(0.1, (now - last) / 1000);
  last = now;
  if (play.rewinding) {
    if (frames % 2 === 0) back();
  } else if (play.running) {
    /* as many steps as time has passed, and as fit into a frame */
    play.behind = Math.min(play.behind + dt, 3 * scene.dt, 0.05 + scene.dt);
    const start = performance.now();
    while (play.running && play.behind >= scene.dt - 0.002 && performance.now() - start < 12) {
      oneStep();
      play.behind = Math.max(0, play.behind - scene.dt);
    }
  }
  view.shift = panelShift();
  /* a picture that would be the same is not drawn: a paused page costs no battery */
  const c = view.canvas,
    state = [
      scene.steps,
      play.lib.page_time(scene.p),
      scene.structure,
      JSON.stringify(view.camera),
      c.clientWidth,
      c.clientHeight,
      view.scaleLimit,
      view.shift,
      $("contacts").checked,
      play.target,
    ].join();
  if (state !== play.state) {
    play.still = 0;
    play.state = state;
  }
  if (play.still++ < 3) {
    marks();
    view.draw(picture());
  }
  frames++;
  if (frames % 4 === 0) showTime();
  if (frames % 12 === 0) {
    showReport();
    plot();
  }
  /* fewer pixels where the graphics processor is what is slow */
  slow = dt > 0.03 && play.cpu < 14 ? slow + 1 : Math.max(0, slow - 1);
  if (slow > 40 && view.scaleLimit > 1) {
    view.scaleLimit = Math.max(1, view.scaleLimit * 0.8);
    slow = 0;
  }
}

function hands() {
  const { view } = play;
  let plane = null;
  const move = (x, y) => {
    const { from, way } = view.ray(x, y),
      t = plane.depth / v3.dot(way, view.axes.n);
    play.target = v3.add(from, way, t);
    play.target[1] = Math.max(0.02, play.target[1]);
    plane.last = [x, y];
    play.scene.drag(play.target);
  };
  cameraHands(view, {
    move,
    pick(x, y) {
      const { from, way } = view.ray(x, y);
      let hit = null;
      try {
        hit = play.scene.grab(from, way);
      } catch (e) {
        note(e.message);
      }
      if (!hit) return 0;
      $("stage").classList.add("holding");
      plane = { depth: v3.dot(v3.sub(hit.at, view.eye), view.axes.n) };
      play.target = hit.at;
      return 1;
    },
    lift(d) {
      plane.depth += d * 2;
      if (plane.last) move(...plane.last);
    },
    drop() {
      play.scene.release();
      play.target = null;
      $("stage").classList.remove("holding");
    },
  });
}

function buttons() {
  $("play").onclick = () => run(!play.running);
  $("step").onclick = () => {
    run(false);
    oneStep();
  };
  const rewind = on => {
    play.rewinding = on;
    if (on) run(false);
  };
  $("rewind").addEventListener("pointerdown", () => rewind(true));
  for (const e of ["pointerup", "pointerleave", "pointercancel"])
    $("rewind").addEventListener(e, () => {
      play.rewinding = false;
    });
  $("rewind").addEventListener("click", e => {
    if (e.detail === 0) {
      run(false);
      back();
    }
  }); /* by keyboard */
  $("time").addEventListener("input", () => {
    run(false);
    back(+$("time").value);
  });
  document.querySelectorAll("[data-add]").forEach(b => {
    b.onclick = () => add(b.dataset.add);
  });
  $("word").addEventListener("keydown", e => {
    if (e.key === "Enter") add("letters");
    e.stopPropagation();
  });
  $("preset").onchange = () => {
    load($("preset").value);
    run(true);
    $("preset").blur();
  };
  $("again").onclick = () => {
    load(play.preset);
    run(true);
  };
  $("more").onclick = () => $("panel").classList.toggle("closed");
  if (innerWidth <= 760) $("panel").classList.add("closed");
}
function codeButtons() {
  $("copy").onclick = () => {
    $("text").textContent = play.code = sceneAsC(play.scene);
    $("code").showModal();
  };
  $("clip").onclick = async () => {
    try {
      await navigator.clipboard.writeText(play.code);
      note("Copied");
    } catch (e) {
      getSelection().selectAllChildren($("text"));
      note(document.execCommand("copy") ? "Copied" : "Press Ctrl+C");
    }
  };
  $("save").onclick = () => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([play.code], { type: "text/x-csrc" }));
    a.download = "scene.c";
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
}
function keys() {
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("code").open) return;
    const k = e.key.toLowerCase(),
      typing = e.target.matches("input[type=range], select");
    if (typing && k.startsWith("arrow")) return;
    if (k === " " && !e.target.matches("button")) run(!play.running);
    else if (k === "arrowright" || k === ".") {
      run(false);
      oneStep();
    } else if (k === "arrowleft" || k === ",") {
      run(false);
      back();
    } else if (k === "j") add("jelly");
    else if (k === "c") add("crate");
    else if (k === "s") add("sheet");
    else if (k === "l") add("letters");
    else if (k === "r") {
      load(play.preset);
      run(true);
    } else if (k === "h") $("panel").classList.toggle("closed");
    else if (k >= "1" && k <= "4") {
      $("preset").selectedIndex = k - 1;
      load($("preset").value);
      run(true);
    } else return;
    e.preventDefault();
  });
}
(async () => {
  try {
    play.view = new View($("stage"));
    play.lib = await contactLoad("game");
    window.play = play;
    buttons();
    codeButtons();
    keys();
    hands();
    load("figure");
    requestAnimationFrame(t => {
      last = t;
      frame(t);
    });
    play.ready = true;
  } catch (e) {
    note(e.message, 1000);
    throw e;
  }
})();
