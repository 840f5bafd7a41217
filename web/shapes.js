/* shapes.js -- closed, smooth surfaces for bodies: a figure, rounded jellies, letters. Each is a signed distance d(x, y, z), below 0 inside,
   whose zero surface is meshed by surface nets: one vertex a cell that the surface passes, one quad an edge of the lattice that it crosses. */
"use strict";
const shapes = (() => {
  const { hypot, max, min, abs, sin, cos, PI, floor, sqrt } = Math;
  const clamp = (x, a, b) => max(a, min(b, x));
  /* smooth union of distances a and b over a length k (a polynomial blend) */
  const blend = (a, b, k) => {
    const h = max(k - abs(a - b), 0) / k;
    return min(a, b) - (h * h * k) / 4;
  };
  function segment(p, a, b) {
    const ab = b.map((v, i) => v - a[i]),
      ap = p.map((v, i) => v - a[i]);
    const t = clamp(ab.reduce((s, v, i) => s + v * ap[i], 0) / ab.reduce((s, v) => s + v * v, 0), 0, 1);
    return [hypot(...ap.map((v, i) => v - t * ab[i])), t];
  }
  /* a capsule whose radius goes from r to s */
  const limb = (a, b, r, s) => p => {
    const [d, t] = segment(p, a, b);
    return d - (r + (s - r) * t);
  };
  const ball =
    (c, r, k = [1, 1, 1]) =>
    p =>
      (hypot((p[0] - c[0]) / k[0], (p[1] - c[1]) / k[1], (p[2] - c[2]) / k[2]) - r) * min(...k);

  /* surface nets of d in the box lo..hi with cells of about `cell`; triangles counter-clockwise seen from outside */
  function mesh(d, lo, hi, cell) {
    const n = [0, 1, 2].map(i => Math.ceil((hi[i] - lo[i]) / cell) + 1),
      at = (i, k) => lo[i] + k * cell;
    const value = new Float64Array(n[0] * n[1] * n[2]),
      of = new Int32Array(value.length).fill(-1);
    const id = (x, y, z) => (z * n[1] + y) * n[0] + x;
    for (let z = 0; z < n[2]; z++)
      for (let y = 0; y < n[1]; y++) for (let x = 0; x < n[0]; x++) value[id(x, y, z)] = d([at(0, x), at(1, y), at(2, z)]) || 1e-12;
    const positions = [],
      triangles = [];
    for (let z = 0; z + 1 < n[2]; z++)
      for (let y = 0; y + 1 < n[1]; y++)
        for (let x = 0; x + 1 < n[0]; x++) {
          let count = 0,
            sum = [0, 0, 0];
          for (let e = 0; e < 12; e++) {
            /* the vertex is the mean of the crossings of the cell's edges */
            const axis = e >> 2,
              u = e & 1,
              v = (e >> 1) & 1,
              a = [0, 0, 0];
            a[(axis + 1) % 3] = u;
            a[(axis + 2) % 3] = v;
            const b = a.slice();
            b[axis] = 1;
            const va = value[id(x + a[0], y + a[1], z + a[2])],
              vb = value[id(x + b[0], y + b[1], z + b[2])];
            if (va < 0 === vb < 0) continue;
            const t = va / (va - vb);
            sum = sum.map((s, i) => s + a[i] + t * (b[i] - a[i]));
            count++;
          }
          if (!count) continue;
          of[id(x, y, z)] = positions.length / 3;
          positions.push(at(0, x + sum[0] / count), at(1, y + sum[1] / count), at(2, z + sum[2] / count));
        }
    for (let z = 0; z + 1 < n[2]; z++)
      for (let y = 0; y + 1 < n[1]; y++)
        for (let x = 0; x + 1 < n[0]; x++)
          for (let axis = 0; axis < 3; axis++) {
            const c = [x, y, z],
              e = c.slice();
            e[axis]++;
            const inside = value[id(...c)] < 0;
            if (inside === value[id(...e)] < 0) continue;
            const u = (axis + 1) % 3,
              v = (axis + 2) % 3;
            if (!c[u] || !c[v]) continue;
            const q = [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 1],
            ].map(([i, k]) => {
              const g = c.slice();
              g[u] -= i;
              g[v] -= k;
              return of[id(...g)];
            });
            if (!inside) q.reverse();
            triangles.push(q[0], q[1], q[2], q[0], q[2], q[3]);
          }
    /* Newton's steps along the gradient put the vertices on the surface */
    for (let turn = 0; turn < 2; turn++)
      for (let i = 0; i < positions.length; i += 3) {
        const p = positions.slice(i, i + 3),
          e = 1e-4,
          f = d(p),
          g = [0, 1, 2].map(k => {
            const q = p.slice();
            q[k] += e;
            return (d(q) - f) / e;
          }),
          gg = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        if (gg > 0.2) for (let k = 0; k < 3; k++) positions[i + k] -= clamp(f / gg, -0.3 * cell, 0.3 * cell) * g[k];
      }
    return { positions: Float64Array.from(positions), triangles: Int32Array.from(triangles) };
  }

  /* ---- a figure of 1.7 m, arms held out, on a round base ---- */
  function figure(cell = 0.05) {
    const parts = [
      [limb([0, 0.99, 0], [0, 1.14, 0.005], 0.105, 0.09), 0.1],
      [limb([0, 1.14, 0], [0, 1.36, 0], 0.095, 0.13), 0.08],
      [limb([-0.15, 1.44, 0], [0.15, 1.44, 0], 0.062, 0.062), 0.08],
      [limb([0, 1.46, 0], [0, 1.6, 0.01], 0.05, 0.045), 0.04],
      [ball([0, 1.7, 0.015], 0.115, [0.84, 1.1, 0.95]), 0.03],
      [limb([0.105, 0.93, 0], [0.12, 0.5, 0.03], 0.1, 0.065), 0.05],
      [limb([0.12, 0.5, 0.03], [0.12, 0.1, 0], 0.066, 0.052), 0.03],
      [limb([0.12, 0.065, -0.03], [0.14, 0.06, 0.11], 0.055, 0.05), 0.03],
      [limb([-0.105, 0.93, 0], [-0.12, 0.5, 0.03], 0.1, 0.065), 0.05],
      [limb([-0.12, 0.5, 0.03], [-0.12, 0.1, 0], 0.066, 0.052), 0.03],
      [limb([-0.12, 0.065, -0.03], [-0.14, 0.06, 0.11], 0.055, 0.05), 0.03],
      [limb([0.17, 1.44, 0], [0.43, 1.33, 0.05], 0.062, 0.05), 0.05],
      [limb([0.43, 1.33, 0.05], [0.66, 1.44, 0.17], 0.05, 0.05), 0.03],
      [limb([-0.17, 1.44, 0], [-0.43, 1.37, -0.02], 0.062, 0.05), 0.05],
      [limb([-0.43, 1.37, -0.02], [-0.66, 1.53, -0.08], 0.05, 0.05), 0.03],
    ];
    const first = parts[0][0];
    return mesh(p => parts.reduce((d, [f, k]) => blend(d, f(p), k), first(p)), [-0.82, 0.01, -0.4], [0.82, 1.94, 0.4], cell);
  }
  /* a surface of revolution about y: profile [radius, height] from the axis below to the axis above */
  function lathe(profile, n) {
    const positions = [],
      triangles = [],
      m = profile.length - 2;
    positions.push(0, profile[0][1], 0, 0, profile[m + 1][1], 0);
    for (let k = 1; k <= m; k++)
      for (let i = 0; i < n; i++) {
        const a = (2 * PI * i) / n;
        positions.push(profile[k][0] * cos(a), profile[k][1], profile[k][0] * sin(a));
      }
    const at = (k, i) => 2 + (k - 1) * n + (i % n);
    for (let i = 0; i < n; i++) {
      triangles.push(0, at(1, i), at(1, i + 1), 1, at(m, i + 1), at(m, i));
      for (let k = 1; k < m; k++) triangles.push(at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i), at(k + 1, i + 1), at(k, i + 1));
    }
    return { positions: Float64Array.from(positions), triangles: Int32Array.from(triangles) };
  }
  const plinth = () =>
    lathe(
      [
        [0, 0.004],
        [0.3, 0.004],
        [0.4, 0.004],
        [0.415, 0.012],
        [0.42, 0.03],
        [0.42, 0.1],
        [0.415, 0.122],
        [0.4, 0.13],
        [0.3, 0.13],
        [0, 0.13],
      ],
      36,
    );

  /* ---- jellies ---- */
  function cube(size = 0.36, cell = 0.075, round = 0.09) {
    const h = size / 2 - round;
    return mesh(
      p => {
        const q = p.map(v => abs(v) - h);
        return hypot(...q.map(v => max(v, 0))) + min(max(...q), 0) - round;
      },
      Array(3).fill(-size / 2 - 0.6 * cell),
      Array(3).fill(size / 2 + cell),
      cell,
    );
  }
  /* a pudding: a cone with rounded rims */
  function pudding(cell = 0.065) {
    return mesh(
      p => {
        const t = clamp((p[1] + 0.15) / 0.3, 0, 1),
          q = hypot(p[0], p[2]) - (0.235 - 0.075 * t) + 0.06,
          s = abs(p[1]) - 0.15 + 0.06;
        return min(max(q, s), 0) + hypot(max(q, 0), max(s, 0)) - 0.06;
      },
      [-0.3, -0.2, -0.3],
      [0.3, 0.22, 0.3],
      cell,
    );
  }
  function bead(radius = 0.2, cell = 0.07) {
    return mesh(p => hypot(...p) - radius, Array(3).fill(-radius - 0.6 * cell), Array(3).fill(radius + cell), cell);
  }
  /* a ring of radius R and thickness 2 r, lying */
  function ring(R = 0.19, r = 0.075, cell = 0.055) {
    return mesh(
      p => hypot(hypot(p[0], p[2]) - R, p[1]) - r,
      [-R - r - 0.6 * cell, -r - 0.6 * cell, -R - r - 0.6 * cell],
      [R + r + cell, r + cell, R + r + cell],
      cell,
    );
  }

  /* ---- letters: strokes of a pen in a box 1 wide and 1.4 high; "x,y x,y ..." is a polyline, "o cx,cy,rx,ry,from,to" an arc in degrees ---- */
  const pen = {
    A: ["0,0 .5,1.4 1,0", ".2,.48 .8,.48"],
    B: ["0,0 0,1.4 .5,1.4", "o .5,1.06,.36,.34,-90,90", ".5,.72 0,.72", ".5,.72 .55,.72", "o .55,.36,.4,.36,-90,90", ".55,0 0,0"],
    C: ["o .55,.7,.55,.7,48,312"],
    D: ["0,0 0,1.4 .35,1.4", "o .35,.7,.65,.7,-90,90", ".35,0 0,0"],
    E: ["1,1.4 0,1.4 0,0 1,0", "0,.72 .8,.72"],
    F: ["1,1.4 0,1.4 0,0", "0,.72 .8,.72"],
    G: ["o .55,.7,.55,.7,60,320", ".97,.25 .97,.66 .72,.66"],
    H: ["0,0 0,1.4", "1,0 1,1.4", "0,.7 1,.7"],
    I: [".5,0 .5,1.4"],
    J: [".85,1.4 .85,.4", "o .45,.4,.4,.4,180,360"],
    K: ["0,0 0,1.4", "1,1.4 0,.6", ".3,.85 1,0"],
    L: ["0,1.4 0,0 .9,0"],
    M: ["0,0 0,1.4 .55,.5 1.1,1.4 1.1,0"],
    N: ["0,0 0,1.4 1,0 1,1.4"],
    O: ["o .55,.7,.55,.7,0,360"],
    P: ["0,0 0,1.4 .5,1.4", "o .5,1.02,.42,.38,-90,90", ".5,.64 0,.64"],
    Q: ["o .55,.7,.55,.7,0,360", ".7,.4 1.1,-.05"],
    R: ["0,0 0,1.4 .5,1.4", "o .5,1.02,.42,.38,-90,90", ".5,.64 0,.64", ".45,.64 1,0"],
    S: ["o .5,1.05,.45,.35,30,270", "o .5,.35,.5,.35,-150,90"],
    T: ["0,1.4 1.1,1.4", ".55,1.4 .55,0"],
    U: ["0,1.4 0,.5", "o .5,.5,.5,.5,180,360", "1,.5 1,1.4"],
    V: ["0,1.4 .5,0 1,1.4"],
    W: ["0,1.4 .3,0 .65,1 1,0 1.3,1.4"],
    X: ["0,0 1,1.4", "0,1.4 1,0"],
    Y: ["0,1.4 .5,.7 1,1.4", ".5,.7 .5,0"],
    Z: ["0,1.4 1,1.4 0,0 1,0"],
    0: ["o .5,.7,.45,.7,0,360"],
    1: [".2,1.1 .55,1.4 .55,0"],
    2: ["o .5,.95,.45,.45,-30,170", ".89,.72 .05,0 1,0"],
    3: ["o .45,1.03,.42,.37,-80,150", "o .45,.36,.5,.36,-150,80"],
    4: [".75,0 .75,1.4 0,.4 1,.4"],
    5: [".9,1.4 .15,1.4 .1,.75", "o .45,.45,.5,.45,-150,130"],
    6: ["o .5,.42,.45,.42,0,360", ".12,.65 .6,1.4"],
    7: ["0,1.4 1,1.4 .35,0"],
    8: ["o .5,1.05,.38,.35,0,360", "o .5,.36,.46,.36,0,360"],
    9: ["o .5,.98,.45,.42,0,360", ".88,.75 .4,0"],
    "!": [".5,.5 .5,1.4", ".5,.02 .5,.04"],
    "?": ["o .5,1,.42,.4,-70,170", ".6,.65 .5,.42", ".5,.02 .5,.04"],
  };
  function strokes(c) {
    const lines = [];
    for (const s of pen[c]) {
      let points;
      if (s[0] === "o") {
        const [cx, cy, rx, ry, from, to] = s.slice(2).split(",").map(Number),
          steps = Math.ceil((to - from) / 15);
        points = Array.from({ length: steps + 1 }, (_, k) => {
          const a = ((from + ((to - from) * k) / steps) * PI) / 180;
          return [cx + rx * cos(a), cy + ry * sin(a)];
        });
      } else points = s.split(" ").map(p => p.split(",").map(Number));
      for (let k = 0; k + 1 < points.length; k++) lines.push([points[k], points[k + 1]]);
    }
    return lines;
  }
  const letterNames = Object.keys(pen).join("");
  /* a letter `height` high, centred, in a round pen, standing in the x y plane */
  function letter(c, height = 0.42, cell = 0.05) {
    const s = height / 1.75,
      r = 0.2 * s,
      round = 0.1 * s,
      half = 0.24 * s;
    const lines = strokes(c).map(([a, b]) => [
      [a[0] * s, a[1] * s],
      [b[0] * s, b[1] * s],
    ]);
    const all = lines.flat(),
      lo = [0, 1].map(i => min(...all.map(p => p[i]))),
      hi = [0, 1].map(i => max(...all.map(p => p[i])));
    const mid = lo.map((v, i) => (v + hi[i]) / 2);
    const d = p => {
      const flat = min(...lines.map(([a, b]) => segment([p[0] + mid[0], p[1] + mid[1]], a, b)[0])) - r + round,
        z = abs(p[2]) - half + round;
      return min(max(flat, z), 0) + hypot(max(flat, 0), max(z, 0)) - round;
    };
    const box = [0, 1].map(i => (hi[i] - lo[i]) / 2 + r);
    const nz = Math.ceil((2 * half) / cell); /* the lattice is symmetric about the letter's plane */
    return mesh(
      d,
      [-box[0] - 0.6 * cell, -box[1] - 0.6 * cell, -(nz / 2 + 0.75) * cell],
      [box[0] + cell, box[1] + cell, (nz / 2 + 1) * cell],
      cell,
    );
  }
  /* a cube of n cells a side, for page_mesh_box */
  const brick = (size, n) => ({ call: ["page_mesh_box", size, size, size, n, n, n, 1] });
  /* a shape that was made once is the same object again */
  const kept = new Map(),
    once =
      (name, f) =>
      (...a) => {
        const key = name + a;
        if (!kept.has(key)) kept.set(key, Object.assign(f(...a), { name: key.replace(/\W/g, "_") }));
        return kept.get(key);
      };
  return {
    mesh,
    brick,
    plinth: once("plinth", plinth),
    figure: once("figure", figure),
    cube: once("cube", cube),
    pudding: once("pudding", pudding),
    bead: once("bead", bead),
    ring: once("ring", ring),
    letter: once("letter_", letter),
    letterNames,
  };
})();
if (typeof globalThis !== "undefined") globalThis.shapes = shapes;
