/* papers.js -- iterations of the papers' methods on problems of a few unknowns. All iterates are the library's (page_problem_solve, page_step). */
"use strict";
const $ = id => document.getElementById(id),
  INK = "#2b2a28",
  SOFT = "#8a8378",
  RED = "#b8402a",
  BLUE = "#2f6f8f",
  GREEN = "#3d7a4e",
  PALE = "#ded8ce";
let lib;
function note(text) {
  $("note").textContent = text;
  $("note").hidden = false;
}

/* a figure on a canvas: coordinates x0..x1, y0..y1, points to drag */
class Figure {
  constructor(id, box) {
    this.c = $(id);
    this.box = box;
    this.g = this.c.getContext("2d");
    this.height = +this.c.getAttribute("height");
    this.grips = [];
    this.hands();
  }
  begin() {
    const { c, g } = this,
      ratio = Math.min(2, devicePixelRatio || 1),
      w = c.clientWidth,
      h = this.height;
    c.style.height = h + "px";
    c.width = w * ratio;
    c.height = h * ratio;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    this.w = w;
    this.h = h;
    g.lineJoin = g.lineCap = "round";
    g.font = "12px " + getComputedStyle(document.body).fontFamily;
    if (this.box.square) {
      /* equal scales */
      const [x0, x1, y0, y1] = this.box.range,
        s = Math.min(w / (x1 - x0), h / (y1 - y0)),
        cx = (x0 + x1) / 2,
        cy = (y0 + y1) / 2;
      this.r = [cx - w / s / 2, cx + w / s / 2, cy - h / s / 2, cy + h / s / 2];
    } else this.r = this.box.range;
  }
  X(x) {
    return ((x - this.r[0]) / (this.r[1] - this.r[0])) * this.w;
  }
  Y(y) {
    return this.h - ((y - this.r[2]) / (this.r[3] - this.r[2])) * this.h;
  }
  back(px, py) {
    return [this.r[0] + (px / this.w) * (this.r[1] - this.r[0]), this.r[2] + ((this.h - py) / this.h) * (this.r[3] - this.r[2])];
  }
  path(points, color, width = 1.5, dash = []) {
    const { g } = this;
    g.strokeStyle = color;
    g.lineWidth = width;
    g.setLineDash(dash);
    g.beginPath();
    points.forEach(p => g.lineTo(this.X(p[0]), this.Y(p[1])));
    g.stroke();
    g.setLineDash([]);
  }
  area(points, color) {
    const { g } = this;
    g.fillStyle = color;
    g.beginPath();
    points.forEach(p => g.lineTo(this.X(p[0]), this.Y(p[1])));
    g.closePath();
    g.fill();
  }
  dot(p, r, fill, stroke) {
    const { g } = this;
    g.beginPath();
    g.arc(this.X(p[0]), this.Y(p[1]), r, 0, 7);
    if (fill) {
      g.fillStyle = fill;
      g.fill();
    }
    if (stroke) {
      g.strokeStyle = stroke;
      g.lineWidth = 2;
      g.stroke();
    }
  }
  text(s, p, color = SOFT, align = "left", dx = 0, dy = 0) {
    const { g } = this;
    g.fillStyle = color;
    g.textAlign = align;
    g.fillText(s, this.X(p[0]) + dx, this.Y(p[1]) + dy);
    g.textAlign = "left";
  }
  hands() {
    let held = null;
    const at = e => {
      const r = this.c.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    this.c.addEventListener("pointerdown", e => {
      const [px, py] = at(e);
      let best = 28;
      for (const q of this.grips) {
        const p = q.get(),
          d = Math.hypot(this.X(p[0]) - px, this.Y(p[1]) - py);
        if (d < best) {
          best = d;
          held = q;
        }
      }
      if (held) {
        this.c.setPointerCapture(e.pointerId);
        e.preventDefault();
      }
    });
    this.c.addEventListener("pointermove", e => {
      if (held) held.set(this.back(...at(e)));
    });
    for (const n of ["pointerup", "pointercancel"])
      this.c.addEventListener(n, () => {
        held = null;
      });
    if (!this.c.id.endsWith("plot")) this.c.style.touchAction = "pan-y";
  }
}
/* a slider of iterations with a button that plays it */
function player(slider, button, show, ms = 450) {
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    $(button).textContent = "Play";
  };
  $(slider).addEventListener("input", () => {
    stop();
    show();
  });
  $(button).onclick = () => {
    if (timer) return stop();
    if (+$(slider).value >= +$(slider).max) {
      $(slider).value = 0;
      show();
    }
    $(button).textContent = "Pause";
    timer = setInterval(() => {
      if (+$(slider).value >= +$(slider).max) return stop();
      $(slider).value = +$(slider).value + 1;
      show();
    }, ms);
  };
  return stop;
}
function slides(ids, f, labels) {
  ids.forEach((id, i) => {
    const show = () => {
      if ($(id).nextElementSibling) $(id).nextElementSibling.textContent = labels[i](+$(id).value);
    };
    $(id).addEventListener("input", () => {
      show();
      f();
    });
    show();
  });
}

/* one problem solved by one solver: { rows: [{ k, residual, x, r }], outcome, why, iterations, residual } */
function solve({ kind, n, m, A, J = [], b = [], w, mu = null }, solver, { tolerance = 1e-8, budget = 0, plain = 0, paper = 0 } = {}) {
  const nest = (arrays, f, at = []) => (arrays.length ? lib.withNumbers(arrays[0], p => nest(arrays.slice(1), f, [...at, p])) : f(...at));
  return nest([A, J, b, w, mu || []], (a, j, bb, ww, mm) => {
    lib.page_problem(kind, n, m, a, j, bb, ww, mu ? mm : 0);
    const count = lib.page_problem_solve(solver, tolerance, budget, plain, paper),
      width = 2 + n + m,
      h = count ? lib.f64(lib.page_history(), count * width) : [],
      rows = [];
    for (let i = 0; i < count; i++) {
      const s = h.subarray(i * width, (i + 1) * width);
      rows.push({ k: s[0], residual: s[1], x: [...s.subarray(2, 2 + n)], r: [...s.subarray(2 + n)] });
    }
    const end = lib.withNumbers(new Float64Array(n + m), p => {
        lib.page_result(p);
        return [...lib.f64(p, n + m)];
      }),
      last = rows[rows.length - 1];
    const result = { k: lib.page_answer(1), residual: lib.page_answer(2), x: end.slice(0, n), r: end.slice(n) };
    if (!last || end.some((v, i) => v !== (i < n ? last.x[i] : last.r[i - n])))
      rows.push(result); /* a solver does not show its last iterate always */
    return {
      rows,
      x: result.x,
      r: result.r,
      outcome: lib.page_outcome(),
      why: lib.page_why(),
      iterations: result.k,
      residual: result.residual,
    };
  });
}
const LCP = 4,
  QP = 3,
  GLOBAL = 2;

/* ---- a string on stones ---- */
const string = (() => {
  const N = 25,
    H = 0.05,
    solvers = [
      ["Anticipation, iterative (ICA)", 1, {}],
      ["ICA by plain relaxation, as printed", 1, { plain: 1 }],
      ["Projected Gauss-Seidel", 3, {}],
      ["Semismooth Newton", 10, {}],
      ["ADMM", 11, {}],
      ["Interior point", 8, {}],
    ];
  let runs, fig, plot, stones, start, stop;
  const floor = x => {
    let y = 0;
    for (const s of stones) {
      const d = (x - s[0]) / s[2];
      if (Math.abs(d) < 1) y = Math.max(y, s[1] * Math.sqrt(1 - d * d));
    }
    return y;
  };
  function problem() {
    const k = Math.pow(10, +$("ica-stiff").value),
      A = new Float64Array(9 * N * N),
      b = new Float64Array(3 * N),
      J = new Float64Array(9 * N * N),
      w = new Float64Array(3 * N),
      m = 1 / N;
    const add = (i, j, a, v) => {
      A[(3 * i + a) * 3 * N + 3 * j + a] += v;
    };
    for (let i = 0; i < N; i++)
      for (let a = 0; a < 3; a++) {
        add(i, i, a, m);
        if (i) {
          const s = H * H * k;
          add(i, i, a, s);
          add(i - 1, i - 1, a, s);
          add(i, i - 1, a, -s);
          add(i - 1, i, a, -s);
        }
      }
    for (const i of [0, N - 1]) for (let a = 0; a < 3; a++) add(i, i, a, H * H * 1e4); /* the ends are held */
    for (let i = 0; i < N; i++) {
      const x = i / (N - 1),
        v = -4;
      b[3 * i + 1] = m * (i && i < N - 1 ? v - H * 9.81 : 0);
      J[3 * i * 3 * N + 3 * i + 1] = 1;
      J[(3 * i + 1) * 3 * N + 3 * i] = 1;
      J[(3 * i + 2) * 3 * N + 3 * i + 2] = 1; /* normal y, tangents x and z */
      w[3 * i] = (start - floor(x)) / H;
    }
    return { kind: GLOBAL, n: 3 * N, m: 3 * N, A, J, b, w, mu: new Float64Array(N) };
  }
  function compute() {
    const n = +$("ica-stones").value;
    stones = Array.from({ length: n }, (_, i) => [
      (i + 0.6 + 0.13 * ((i * 7) % 3)) / (n + 0.4),
      0.07 + 0.045 * ((i * 5 + 1) % 3),
      Math.min(0.16, 0.42 / n),
    ]);
    start = 0.24;
    const p = problem();
    runs = solvers.map(([name, id, o]) => {
      try {
        return { name, ...solve(p, id, { tolerance: 1e-7, ...o }) };
      } catch (e) {
        return { name, rows: [], outcome: e.message };
      }
    });
    const r = runs[+$("ica-solver").value];
    $("ica-k").max = Math.min(200, r.rows.length);
    $("ica-k").value = Math.min(+$("ica-k").value, r.rows.length);
    show();
  }
  function show() {
    const run = runs[+$("ica-solver").value],
      k = +$("ica-k").value,
      it = k ? run.rows[k - 1] : null,
      x = i => i / (N - 1),
      at = (row, i) => start + H * row.x[3 * i + 1];
    fig.begin();
    plot.begin();
    const ground = [];
    for (let i = 0; i <= 200; i++) ground.push([i / 200, floor(i / 200)]);
    fig.area([[0, -0.1], ...ground, [1, -0.1]], "#ddd6ca");
    fig.path(ground, "#b9b0a2", 1.5);
    fig.path(
      [
        [0, start],
        [1, start],
      ],
      PALE,
      2,
      [4, 5],
    );
    fig.text("start of the step", [0, start], SOFT, "left", 10, -8);
    const end = runs.find(r => r.outcome === "solved");
    if (end)
      fig.path(
        Array.from({ length: N }, (_, i) => [x(i), at(end, i)]),
        "#cfc7b9",
        7,
      );
    for (let j = Math.max(1, k - 4); j < k; j++)
      fig.path(
        Array.from({ length: N }, (_, i) => [x(i), at(run.rows[j - 1], i)]),
        `rgba(47,111,143,${0.12 + 0.08 * (4 - (k - j))})`,
        1.5,
      );
    if (it) {
      fig.path(
        Array.from({ length: N }, (_, i) => [x(i), at(it, i)]),
        BLUE,
        2.5,
      );
      const most = Math.max(...it.r.filter((_, i) => i % 3 === 0), 1e-9);
      for (let i = 0; i < N; i++) {
        const l = it.r[3 * i],
          p = [x(i), at(it, i)];
        if (l > 1e-6 * most) {
          const top = [p[0], p[1] + (0.11 * l) / most];
          fig.path([p, top], RED, 2);
          fig.dot(top, 3, RED);
        }
        fig.dot(p, 3.4, at(it, i) < floor(x(i)) - 1e-4 ? RED : BLUE);
      }
    }
    fig.text("impulses", [1, 0.36], RED, "right", -10);
    fig.text("iterate", [1, 0.36], BLUE, "right", -74);
    fig.text("solution", [1, 0.36], "#a89f90", "right", -120);
    /* residuals */
    plot.box.range = [0, 60, -8.6, 1.4];
    plot.begin();
    for (const e of [-8, -6, -4, -2, 0]) {
      plot.path(
        [
          [0, e],
          [60, e],
        ],
        "#ebe6dd",
        1,
      );
      plot.text(e ? "1e" + e : "1", [0, e], "#a39b8e", "left", 6, -3);
    }
    runs.forEach(r =>
      plot.path(
        r.rows.slice(0, 61).map((s, i) => [i + 1, Math.log10(Math.max(s.residual, 3e-9))]),
        r === run ? BLUE : "#cdc5b8",
        r === run ? 2.2 : 1.3,
      ),
    );
    if (it) plot.dot([Math.min(60, k), Math.log10(Math.max(it.residual, 3e-9))], 4.5, BLUE);
    plot.text("residual by iteration, of all six", [60, 0], SOFT, "right", -8, -3);
    $("ica-out").textContent = it ? `${k} of ${run.rows.length}, residual ${it.residual.toExponential(1)}` : "start";
  }
  return {
    open() {
      fig = new Figure("ica-fig", { range: [0, 1, -0.1, 0.4] });
      plot = new Figure("ica-plot", { range: [0, 60, -8.6, 1.4] });
      solvers.forEach(([name], i) => $("ica-solver").add(new Option(name, i)));
      $("ica-solver").value = 1;
      $("ica-k").max = 99;
      $("ica-k").value = 8;
      stop = player("ica-k", "ica-play", show, 300);
      $("ica-solver").onchange = () => {
        stop();
        $("ica-k").max = 99;
        $("ica-k").value = 8;
        compute();
      };
      slides(["ica-stiff", "ica-stones"], compute, [v => Math.round(Math.pow(10, v)) + " N/m", v => v]);
      compute();
    },
    show,
    facts: () =>
      runs.map(r => ({
        name: r.name,
        outcome: r.outcome,
        iterations: r.rows.length,
        last: r.rows.length ? r.rows[r.rows.length - 1] : null,
      })),
  };
})();

/* ---- faces ---- */
const faces = (() => {
  let fig,
    run,
    free = [-1.1, 0.9],
    corner = [-0.6, -0.5],
    A;
  const energy = p => {
    const d = [p[0] - free[0], p[1] - free[1]];
    return 0.5 * (A[0] * d[0] * d[0] + 2 * A[1] * d[0] * d[1] + A[3] * d[1] * d[1]);
  };
  function compute() {
    const big = Math.pow(10, +$("mprgp-cond").value),
      a = (+$("mprgp-turn").value * Math.PI) / 180,
      c = Math.cos(a),
      s = Math.sin(a);
    A = [c * c + big * s * s, (1 - big) * c * s, (1 - big) * c * s, s * s + big * c * c];
    const b = [A[0] * free[0] + A[1] * free[1], A[2] * free[0] + A[3] * free[1]];
    run = solve({ kind: QP, n: 2, m: 2, A, J: [1, 0, 0, 1], b, w: corner.map(v => -v) }, 7, {
      tolerance: 1e-9,
      paper: $("mprgp-paper").checked ? 1 : 0,
    });
    $("mprgp-k").max = Math.max(0, run.rows.length - 1);
    $("mprgp-k").value = $("mprgp-k").max;
    show();
  }
  const held = x => x.map((v, i) => v <= corner[i] + 1e-9);
  function show() {
    const k = Math.min(+$("mprgp-k").value, run.rows.length - 1),
      it = run.rows[k];
    fig.begin();
    const [x0, x1, y0, y1] = fig.r;
    fig.area(
      [
        [corner[0], corner[1]],
        [x1, corner[1]],
        [x1, y1],
        [corner[0], y1],
      ],
      "#f1ebe0",
    );
    for (let e = 0; e < 9; e++) {
      /* ellipses of equal energy, by the eigenvectors of A */
      const t = (A[0] + A[3]) / 2,
        d = Math.hypot((A[0] - A[3]) / 2, A[1]),
        l = [t - d, t + d],
        phi = 0.5 * Math.atan2(2 * A[1], A[0] - A[3]),
        q = 0.12 * (e + 1) * (e + 1),
        pts = [];
      for (let i = 0; i <= 72; i++) {
        const a = (i * Math.PI) / 36,
          u = Math.sqrt((2 * q) / l[1]) * Math.cos(a),
          v = Math.sqrt((2 * q) / l[0]) * Math.sin(a);
        pts.push([free[0] + u * Math.cos(phi) - v * Math.sin(phi), free[1] + u * Math.sin(phi) + v * Math.cos(phi)]);
      }
      fig.path(pts, "#ddd5c8", 1);
    }
    fig.path(
      [
        [corner[0], y0],
        [corner[0], y1],
      ],
      "#b9b0a2",
      1.5,
    );
    fig.path(
      [
        [x0, corner[1]],
        [x1, corner[1]],
      ],
      "#b9b0a2",
      1.5,
    );
    run.rows.slice(0, k + 1).forEach((r, i) => {
      if (i) fig.path([run.rows[i - 1].x, r.x], BLUE, 2);
    });
    run.rows.slice(0, k + 1).forEach((r, i) => fig.dot(r.x, i === k ? 6 : 4, i === k ? RED : BLUE, "#fff"));
    const g = [A[0] * (it.x[0] - free[0]) + A[1] * (it.x[1] - free[1]), A[2] * (it.x[0] - free[0]) + A[3] * (it.x[1] - free[1])],
      h = held(it.x),
      l = 0.35 / Math.max(1, Math.hypot(...g));
    const phi = g.map((v, i) => (h[i] ? 0 : v)),
      beta = g.map((v, i) => (h[i] ? Math.min(v, 0) : 0));
    const arrow = (v, color, name) => {
      if (Math.hypot(...v) > 1e-9) {
        const to = it.x.map((p, i) => p - l * v[i]);
        fig.path([it.x, to], color, 2.5);
        fig.text(name, to, color, "left", 7, 4);
      }
    };
    arrow(phi, GREEN, "−φ");
    arrow(beta, RED, "−β");
    fig.dot(free, 7, "#faf8f5", INK);
    fig.text("free minimum", free, SOFT, "left", 12, 4);
    const { g: c } = fig;
    c.fillStyle = INK;
    c.fillRect(fig.X(corner[0]) - 5, fig.Y(corner[1]) - 5, 10, 10);
    fig.text("feasible", [corner[0], corner[1]], SOFT, "left", 12, -10);
    $("mprgp-out").textContent = `${k} of ${run.rows.length - 1}`;
    const set = v =>
        v.some(b => b)
          ? "{" +
            v
              .map((b, i) => (b ? i + 1 : 0))
              .filter(i => i)
              .join(", ") +
            "}"
          : "∅",
      before = k ? held(run.rows[k - 1].x) : null;
    const grew = before && h.some((b, i) => b && !before[i]),
      fell = before && h.some((b, i) => !b && before[i]);
    $("mprgp-said").textContent =
      `At bounds: ${set(h)}, face (free): ${set(h.map(b => !b))}.  ` +
      (!k
        ? "The start."
        : fell
          ? "A bound was released: proportioning."
          : grew
            ? "The step met a bound: expansion."
            : "A conjugate step in the face.") +
      `  |φ| = ${Math.hypot(...phi).toExponential(1)}, |β| = ${Math.hypot(...beta).toExponential(1)}. ${run.outcome}.`;
  }
  return {
    open() {
      fig = new Figure("mprgp-fig", { range: [-2.4, 2.4, -1.8, 1.8], square: 1 });
      fig.grips = [
        {
          get: () => free,
          set: p => {
            free = p;
            compute();
          },
        },
        {
          get: () => corner,
          set: p => {
            corner = p;
            compute();
          },
        },
      ];
      player("mprgp-k", "mprgp-play", show, 800);
      $("mprgp-paper").onchange = compute;
      slides(["mprgp-cond", "mprgp-turn"], compute, [v => Math.pow(10, v).toFixed(1), v => v + "°"]);
      compute();
    },
    show,
    energy,
    facts: () => ({ run, A, free, corner }),
  };
})();

/* ---- the barrier ---- */
const barrier = (() => {
  const H = 0.1,
    M = 1,
    Y0 = 0.45;
  let fig, curve, iterates, hat, v, dhat;
  /* a world of a floor and a point; the library's answer after a step */
  function world(y, speed, newton, dt, gravity) {
    lib.page_begin(2, dhat, 0);
    [
      [1, newton],
      [2, dhat],
      [3, Math.pow(10, +$("barrier-k").value)],
      [4, -gravity],
    ].forEach(o => lib.page_option(...o));
    const p = lib.page_new(),
      values = (y, v) => [0, y, 0, 1, 0, 0, 0, 0, v, 0, 0, 0, 0, M, 1, 0, dhat, 0, 0, -1, -1];
    try {
      lib.withNumbers(values(0, 0), q => lib.page_add(p, 5, q));
      lib.withNumbers([0, 0, 0], x => lib.page_mesh_surface(x, 1, x, 0, 0));
      lib.withNumbers(values(y, speed), q => lib.page_add(p, 6, q));
      const status = lib.page_step(p, dt),
        r = lib.f64(lib.page_report(p), 24),
        end = { energy: r[16], newton: r[6], change: r[9], status: lib.page_status(status) };
      end.y = lib.f32(lib.page_vertices(p), 6)[1];
      return end;
    } finally {
      lib.page_delete(p);
    }
  }
  function compute() {
    v = -+$("barrier-v").value;
    dhat = +$("barrier-d").value / 1000;
    hat = Y0 + H * v - H * H * 9.81;
    curve = [];
    iterates = [];
    for (let i = 1; i <= 70; i++) {
      const y = dhat * Math.pow(i / 70, 1.6);
      curve.push([y, world(y, 0, 50, 1e-7, 0).energy]);
    }
    for (let k = 1; k <= 40; k++) {
      const r = world(Y0, v, k, H, 9.81);
      iterates.push(r);
      if (r.status === "ok") break;
    }
    $("barrier-it").max = iterates.length;
    $("barrier-it").value = iterates.length;
    show();
  }
  const inertia = y => 0.5 * M * (y - hat) * (y - hat);
  function B(y) {
    if (y >= dhat) return 0;
    for (let i = 1; i < curve.length; i++)
      if (curve[i][0] >= y) {
        const [a, b] = [curve[i - 1], curve[i]],
          t = (y - a[0]) / (b[0] - a[0]);
        return a[1] + t * (b[1] - a[1]);
      }
    return 0;
  }
  const E = y => inertia(y) + H * H * B(y);
  function show() {
    const k = +$("barrier-it").value,
      top = Math.max(0.03, inertia(Y0) * 1.06, inertia(0) * 1.4);
    fig.box.range = [-0.12, 0.52, -0.16 * top, top];
    fig.begin();
    fig.area(
      [
        [-0.12, -top],
        [0, -top],
        [0, top],
        [-0.12, top],
      ],
      "#ddd6ca",
    );
    fig.area(
      [
        [0, -top],
        [dhat, -top],
        [dhat, top],
        [0, top],
      ],
      "#f4ece0",
    );
    fig.path(
      [
        [0, -top],
        [0, top],
      ],
      "#b9b0a2",
      2,
    );
    fig.path(
      [
        [-0.12, 0],
        [0.52, 0],
      ],
      "#e2dcd2",
      1,
    );
    const ys = Array.from({ length: 240 }, (_, i) => 0.001 + (0.519 * i) / 239);
    fig.path(
      ys.map(y => [y, inertia(y)]),
      "#b7ae9f",
      1.5,
      [5, 4],
    );
    fig.path(
      curve.filter(p => H * H * p[1] < 1.2 * top).map(([y, e]) => [y, H * H * e]),
      RED,
      1.5,
    );
    fig.path(
      ys.map(y => [y, E(y)]).filter(p => p[1] < 1.1 * top),
      INK,
      2.5,
    );
    const shown = [{ y: Y0 }, ...iterates.slice(0, k)];
    shown.forEach((r, i) => {
      if (i)
        fig.path(
          [
            [shown[i - 1].y, E(shown[i - 1].y)],
            [r.y, E(r.y)],
          ],
          "rgba(47,111,143,.5)",
          1.5,
        );
    });
    shown.forEach((r, i) => fig.dot([r.y, E(r.y)], i === shown.length - 1 ? 6.5 : 4.5, i === shown.length - 1 ? BLUE : "#8fb2c4", "#fff"));
    fig.dot([hat, 0], 5, "#faf8f5", SOFT);
    fig.text("ŷ, without the floor", [hat, 0], SOFT, hat < 0.1 ? "left" : "center", hat < -0.1 ? 14 : 0, 20);
    fig.text("floor", [0, -0.13 * top], SOFT, "right", -8);
    fig.text("d̂", [dhat, -0.13 * top], SOFT, "center");
    fig.text("start", [Y0, E(Y0)], SOFT, "right", -12, 4);
    fig.text("height [m]", [0.52, -0.13 * top], SOFT, "right", -8);
    fig.text("E", [0.33, E(0.33)], INK, "left", 8, 14);
    fig.text("inertia", [0.2, inertia(0.2)], SOFT, "left", 8, 14);
    fig.text("h² B", [dhat * 0.32, Math.min(0.9 * top, H * H * B(dhat * 0.32))], RED, "left", 8, -2);
    const it = iterates[k - 1];
    $("barrier-out").textContent = it
      ? `${k} of ${iterates.length}: y = ${(1000 * it.y).toFixed(2)} mm, ${it.status.replace("_", " ")}`
      : "start";
  }
  return {
    open() {
      fig = new Figure("barrier-fig", { range: [0, 1, 0, 1] });
      player("barrier-it", "barrier-play", show, 700);
      slides(["barrier-v", "barrier-d", "barrier-k"], compute, [
        x => x.toFixed(2) + " m/s",
        x => x + " mm",
        x => Math.pow(10, x).toFixed(0) + " N",
      ]);
      compute();
    },
    show,
    facts: () => ({ curve, iterates, hat, dhat, k: Math.pow(10, +$("barrier-k").value), H, M }),
  };
})();

/* ---- Lemke ---- */
const lemke = (() => {
  let fig,
    w = [-0.9, -1],
    W,
    path;
  const digits = a => a.map(v => (Math.abs(v) < 1e-9 ? 0 : v).toFixed(3)).join(", ");
  const name = ["both open", "1 pressed", "2 pressed", "both pressed"];
  function compute() {
    const c = +$("lemke-c").value;
    W = [1, c, c, 1.3];
    path = [];
    const top = Math.max(0.2, -w[0], -w[1]) + 0.4;
    for (let i = 0; i <= 100; i++) {
      const z = top * (1 - i / 100),
        q = w.map(v => v + z);
      let s = null;
      try {
        s = solve({ kind: LCP, n: 2, m: 2, A: W, w: q }, 4, { tolerance: 1e-10 });
      } catch (e) {
        note(e.message);
      }
      const good = s && s.outcome === "solved",
        r = good ? s.r : null;
      path.push({ z, q, r, outcome: s ? s.outcome : "" });
    }
    $("lemke-z").max = 100;
    show();
  }
  function show() {
    const i = +$("lemke-z").value,
      p = path[i];
    fig.begin();
    const far = 9,
      cols = { u1: [1, 0], u2: [0, 1], r1: [-W[0], -W[2]], r2: [-W[1], -W[3]] },
      cones = [
        ["u1", "u2", "#f4efe6"],
        ["r1", "u2", "#e8eef0"],
        ["u1", "r2", "#f3e6df"],
        ["r1", "r2", "#e9ece2"],
      ];
    for (const [a, b, color] of cones)
      fig.area(
        [[0, 0], cols[a].map(v => far * v), [far * (cols[a][0] + cols[b][0]), far * (cols[a][1] + cols[b][1])], cols[b].map(v => far * v)],
        color,
      );
    for (const k in cols) {
      const u = cols[k],
        l = Math.hypot(...u);
      fig.path([[0, 0], u.map(v => far * v)], "#b9b0a2", 1.3);
      fig.text(
        { u1: "u₁", u2: "u₂", r1: "−W₁", r2: "−W₂" }[k],
        u.map(v => (1.55 * v) / l),
        SOFT,
        "left",
        6,
        -4,
      );
    }
    fig.path(
      path.map(s => s.q),
      "#cfc7b9",
      2,
      [4, 4],
    );
    const state = r => (r ? (r[0] > 1e-9 ? 1 : 0) + (r[1] > 1e-9 ? 2 : 0) : -1),
      colors = ["#8a8378", BLUE, RED, GREEN];
    let pivots = 0;
    for (let k = 1; k <= i; k++) {
      const a = state(path[k - 1].r),
        b = state(path[k].r);
      if (b >= 0) fig.path([path[k - 1].q, path[k].q], colors[b], 4);
      if (a !== b && a >= 0 && b >= 0) {
        pivots++;
        fig.dot(path[k].q, 5, "#fff", INK);
      }
    }
    fig.dot(w, 8, "#faf8f5", INK);
    fig.text("w", w, INK, "left", 12, 5);
    fig.dot(p.q, 6, p.r ? colors[state(p.r)] : RED, "#fff");
    const u = p.r ? [0, 1].map(k => W[2 * k] * p.r[0] + W[2 * k + 1] * p.r[1] + p.q[k]) : null;
    $("lemke-out").textContent = `z = ${p.z.toFixed(2)}`;
    $("lemke-said").textContent = p.r
      ? `${name[state(p.r)]}: r = (${digits(p.r)}), u = (${digits(u)}). Pivots so far: ${pivots}.`
      : `No answer here: ${p.outcome}.`;
  }
  return {
    open() {
      fig = new Figure("lemke-fig", { range: [-2.2, 2.2, -2, 2], square: 1 });
      fig.grips = [
        {
          get: () => w,
          set: p => {
            w = p;
            compute();
          },
        },
      ];
      $("lemke-z").value = 100;
      player("lemke-z", "lemke-play", show, 30);
      slides(["lemke-c"], compute, [v => v.toFixed(1)]);
      compute();
    },
    show,
    facts: () => ({ W, w, path }),
  };
})();
(async () => {
  try {
    lib = await contactLoad("full");
    const parts = { string, faces, barrier, lemke };
    for (const p of Object.values(parts)) p.open();
    addEventListener("resize", () => Object.values(parts).forEach(p => p.show()));
    window.papers = { ready: true, lib, ...parts };
  } catch (e) {
    note(e.message);
    throw e;
  }
})();
