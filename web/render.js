/* render.js -- draws bodies with WebGL 2: one sun with a soft shadow, light from the sky through twelve coarse shadow maps (which is ambient
   occlusion), smooth normals, a ground that fades into the page. Twelve maps are renewed four a frame.
       const view = new View(canvas);   view.setBodies(list)   when bodies come or go;   view.draw(vertices)   every frame
   A body: { first, count (vertices), triangles (Int32Array), color, kind: 0 dull, 1 jelly, 2 cloth, flat, cloth: [n, size] }. */
"use strict";
const mat = {
  mul(a, b) {
    const c = new Float32Array(16);
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) {
        let s = 0;
        for (let k = 0; k < 4; k++) s += a[4 * k + j] * b[4 * i + k];
        c[4 * i + j] = s;
      }
    return c;
  },
  perspective(f, aspect, near, far) {
    const c = new Float32Array(16),
      t = 1 / Math.tan(f / 2);
    c[0] = t / aspect;
    c[5] = t;
    c[10] = (far + near) / (near - far);
    c[11] = -1;
    c[14] = (2 * far * near) / (near - far);
    return c;
  },
  ortho(r, near, far) {
    const c = new Float32Array(16);
    c[0] = c[5] = 1 / r;
    c[10] = -2 / (far - near);
    c[14] = -(far + near) / (far - near);
    c[15] = 1;
    return c;
  },
  look(eye, at, up) {
    const n = v3.unit(v3.sub(eye, at)),
      u = v3.unit(v3.cross(up, n)),
      v = v3.cross(n, u);
    return new Float32Array([
      u[0],
      v[0],
      n[0],
      0,
      u[1],
      v[1],
      n[1],
      0,
      u[2],
      v[2],
      n[2],
      0,
      -v3.dot(u, eye),
      -v3.dot(v, eye),
      -v3.dot(n, eye),
      1,
    ]);
  },
};
const v3 = {
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  add: (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit(a) {
    const l = Math.hypot(...a) || 1;
    return [a[0] / l, a[1] / l, a[2] / l];
  },
  scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
};

const SKY = 12,
  TILE = 384,
  COLUMNS = 4,
  ROWS = 3,
  SUN_SIZE = 2048;
const GLSL = {
  depthV: `#version 300 es
layout(location=0) in vec3 p; uniform mat4 m; void main() { gl_Position = m * vec4(p, 1.0); }`,
  depthF: `#version 300 es
precision mediump float; void main() {}`,
  mainV: `#version 300 es
layout(location=0) in vec3 p; layout(location=1) in vec3 n; layout(location=2) in vec2 uv;
uniform mat4 m; out vec3 vp, vn; out vec2 vuv;
void main() { vp = p; vn = n; vuv = uv; gl_Position = m * vec4(p, 1.0); }`,
  mainF: `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 vp, vn; in vec2 vuv; out vec4 color;
uniform vec3 eye, sun, albedo, paper; uniform int kind; uniform bool flat_; uniform float cells, hot, reach, ground;
uniform mat4 sunM; uniform mat4 skyM[${SKY}]; uniform vec3 skyD[${SKY}];
uniform sampler2DShadow sunMap, skyMap; uniform sampler2D sunDepth;
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
float sunlight(vec3 p, vec3 n, float spin) {
  vec4 q = sunM * vec4(p + 0.016 * n, 1.0); vec3 c = q.xyz * 0.5 + 0.5;
  if (c.x < 0.0 || c.x > 1.0 || c.y < 0.0 || c.y > 1.0) return 1.0;
  float blocked = 0.0, count = 0.0;
  for (int i = 0; i < 6; i++) {
    float a = spin + float(i) * 2.39996, r = sqrt((float(i) + 0.5) / 6.0) * 0.028;
    float d = texture(sunDepth, c.xy + r * vec2(cos(a), sin(a))).r;
    if (d < c.z) blocked += d, count += 1.0;
  }
  if (count < 0.5) return 1.0;
  float wide = clamp((c.z - blocked / count) * 1.1, 0.0012, 0.028), lit = 0.0;
  for (int i = 0; i < 14; i++) {
    float a = spin + float(i) * 2.39996, r = sqrt((float(i) + 0.5) / 14.0) * wide;
    lit += texture(sunMap, vec3(c.xy + r * vec2(cos(a), sin(a)), c.z - 0.0009));
  }
  return lit / 14.0;
}
float skylight(vec3 p, vec3 n, float spin) {
  float lit = 0.0, sum = 0.0;
  for (int i = 0; i < ${SKY}; i++) {
    float w = max(dot(n, skyD[i]), 0.0) + 0.04;
    vec3 c = (skyM[i] * vec4(p + 0.03 * n, 1.0)).xyz * 0.5 + 0.5;
    float inside = step(0.01, min(min(c.x, 1.0 - c.x), min(c.y, 1.0 - c.y)));
    vec2 tiles = vec2(${COLUMNS}.0, ${ROWS}.0), s = 2.2 / (${TILE}.0 * tiles);
    vec2 at = (vec2(float(i % ${COLUMNS}), float(i / ${COLUMNS})) + clamp(c.xy, 0.004, 0.996)) / tiles;
    float a = spin + float(i) * 1.7; vec2 o = vec2(cos(a), sin(a)) * s;
    float v = 0.5 * (texture(skyMap, vec3(at + o, c.z - 0.003)) + texture(skyMap, vec3(at - o, c.z - 0.003)));
    lit += w * mix(1.0, v, inside); sum += w;
  }
  return lit / sum;
}
vec3 shown(vec3 c) { c = max(c, 0.0); c = (c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14); return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
void main() {
  vec3 v = normalize(eye - vp), n = flat_ ? normalize(cross(dFdx(vp), dFdy(vp))) : normalize(vn);
  if (flat_ ? dot(n, v) < 0.0 : (kind == 2 && !gl_FrontFacing)) n = -n;
  vec3 a = albedo;
  if (kind == 2) {
    vec2 edge = min(vuv, 1.0 - vuv); float e = min(edge.x, edge.y);
    float line = smoothstep(0.035, 0.039, e) - smoothstep(0.05, 0.054, e) + 0.8 * (smoothstep(0.066, 0.069, e) - smoothstep(0.073, 0.076, e));
    a = mix(a, vec3(0.92, 0.86, 0.74), clamp(line, 0.0, 1.0));
    vec2 w = sin(vuv * cells * 44.0); a *= 0.97 + 0.03 * w.x * w.y;
    if (!gl_FrontFacing) a = mix(a, vec3(0.9, 0.72, 0.55), 0.35);
  }
  float spin = 6.2831853 * noise(gl_FragCoord.xy), ao = skylight(vp, n, spin), nl = dot(n, sun);
  float lit = nl > -0.3 || kind == 1 ? sunlight(vp, n, spin) : 0.0;
  vec3 sunC = vec3(2.30, 2.12, 1.86), up = vec3(0.62, 0.69, 0.79), down = vec3(0.40, 0.36, 0.32);
  float bounce = 0.5 - 0.5 * n.y;
  vec3 amb = mix(up * ao, down * mix(0.45, 1.0, smoothstep(0.0, 0.5, vp.y)) * mix(0.6, 1.0, ao), bounce);
  vec3 h = normalize(v + sun), c; float nh = max(dot(n, h), 0.0), fres = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  if (kind == 1) {
    float wrap = clamp((nl + 0.45) / 1.45, 0.0, 1.0), through = pow(max(dot(v, -normalize(sun + 0.35 * n)), 0.0), 2.0);
    vec3 deep = a * a;
    c = mix(deep, a, 0.75) * (sunC * wrap * mix(0.25, 1.0, lit) * 0.75 + amb * 1.05) + a * sunC * through * 0.55 * mix(0.3, 1.0, lit);
    c += a * fres * 0.5 + vec3(1.0) * (fres * 0.16 * ao + lit * (pow(nh, 220.0) * 1.9 + pow(nh, 30.0) * 0.12));
  } else {
    float wrap = kind == 2 ? clamp((nl + 0.12) / 1.12, 0.0, 1.0) : max(nl, 0.0);
    c = a * (sunC * wrap * lit + amb);
    c += kind == 2 ? a * fres * 0.35 * ao : vec3(fres * 0.10 * ao + lit * pow(nh, 40.0) * 0.10);
  }
  c = mix(c, vec3(1.9, 1.5, 0.8), hot * (0.10 + 0.5 * fres));
  c = shown(c * 0.56);
  if (ground > 0.5) { float f = smoothstep(reach * 0.55, reach, length(vp.xz)); c = mix(c, paper, f); }
  color = vec4(c, 1.0);
}`,
  lineV: `#version 300 es
layout(location=0) in vec3 p; layout(location=1) in vec4 c; uniform mat4 m; uniform float size; out vec4 vc;
void main() { vc = c; gl_Position = m * vec4(p, 1.0); gl_PointSize = size; }`,
  lineF: `#version 300 es
precision mediump float; in vec4 vc; uniform bool round_; out vec4 color;
void main() { if (round_ && length(gl_PointCoord - 0.5) > 0.5) discard; color = vc; }`,
};

/* one step of Loop's subdivision of a triangle mesh for the picture: new vertices are fixed sums of old ones, old ones (first) are smoothed by their
   neighbours; open edges are splines of their own */
class Smooth {
  constructor(triangles, n) {
    const edges = new Map(),
      t = triangles,
      key = (a, b) => (a < b ? a * n + b : b * n + a),
      ends = [],
      across = [];
    const edge = (a, b, c) => {
      const k = key(a, b);
      if (!edges.has(k)) {
        edges.set(k, ends.length);
        ends.push([a, b]);
        across.push([]);
      }
      across[edges.get(k)].push(c);
      return n + edges.get(k);
    };
    const out = new Int32Array(4 * t.length);
    for (let i = 0; i < t.length; i += 3) {
      const [a, b, c] = [t[i], t[i + 1], t[i + 2]],
        ab = edge(a, b, c),
        bc = edge(b, c, a),
        ca = edge(c, a, b);
      out.set([a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca], 4 * i);
    }
    const near = Array.from({ length: n }, () => []),
      rim = Array.from({ length: n }, () => []);
    ends.forEach(([a, b], e) => {
      near[a].push(b);
      near[b].push(a);
      if (across[e].length === 1) {
        rim[a].push(b);
        rim[b].push(a);
      }
    });
    const start = [0],
      index = [],
      weight = [],
      put = (...pairs) => {
        for (const [i, w] of pairs) {
          index.push(i);
          weight.push(w);
        }
        start.push(index.length);
      };
    for (let i = 0; i < n; i++) {
      const k = near[i].length,
        c = 3 / 8 + Math.cos((2 * Math.PI) / k) / 4,
        w = (5 / 8 - c * c) / k;
      if (rim[i].length === 2) put([i, 0.75], ...rim[i].map(j => [j, 0.125]));
      else if (rim[i].length || !k) put([i, 1]);
      else put([i, 1 - k * w], ...near[i].map(j => [j, w]));
    }
    ends.forEach(([a, b], e) =>
      across[e].length === 2 ? put([a, 0.375], [b, 0.375], ...across[e].map(j => [j, 0.125])) : put([a, 0.5], [b, 0.5]),
    );
    Object.assign(this, {
      triangles: out,
      n: n + ends.length,
      ends,
      start: Int32Array.from(start),
      index: Int32Array.from(index),
      weight: Float32Array.from(weight),
    });
  }
  /* positions and normals, six floats a vertex: from[first ...] to out[at ...] */
  apply(from, first, out, at) {
    const { start, index, weight, n } = this;
    for (let i = 0; i < n; i++) {
      let x = 0,
        y = 0,
        z = 0,
        u = 0,
        v = 0,
        w = 0;
      for (let k = start[i]; k < start[i + 1]; k++) {
        const j = 6 * (first + index[k]),
          c = weight[k];
        x += c * from[j];
        y += c * from[j + 1];
        z += c * from[j + 2];
        u += c * from[j + 3];
        v += c * from[j + 4];
        w += c * from[j + 5];
      }
      const o = 6 * (at + i);
      out[o] = x;
      out[o + 1] = y;
      out[o + 2] = z;
      out[o + 3] = u;
      out[o + 4] = v;
      out[o + 5] = w;
    }
  }
}

class View {
  constructor(canvas, { paper = [0.925, 0.914, 0.894], reach = 7, radius = 2.6 } = {}) {
    const gl = canvas.getContext("webgl2", {
      antialias: true,
      alpha: false,
      powerPreference: "high-performance",
      preserveDrawingBuffer: true,
    });
    if (!gl) throw new Error("This page draws with WebGL 2, which this browser does not offer here.");
    Object.assign(this, {
      canvas,
      gl,
      paper,
      reach,
      radius,
      bodies: [],
      turn: 0,
      lines: [],
      points: [],
      scaleLimit: 2,
      shift: 0,
    }); /* shift: of the picture to the left, as a share of its half width */
    this.camera = { at: [0, 0.8, 0], yaw: 0.55, pitch: 0.22, distance: 4.6, fov: 0.62 };
    this.depth = this.program(GLSL.depthV, GLSL.depthF);
    this.main = this.program(GLSL.mainV, GLSL.mainF);
    this.line = this.program(GLSL.lineV, GLSL.lineF);
    this.sunMap = this.map(SUN_SIZE, SUN_SIZE);
    this.skyMap = this.map(COLUMNS * TILE, ROWS * TILE);
    this.compare = gl.createSampler();
    this.plain = gl.createSampler();
    for (const s of [this.compare, this.plain]) {
      gl.samplerParameteri(s, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.samplerParameteri(s, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
      gl.samplerParameteri(s, gl.TEXTURE_MIN_FILTER, s === this.compare ? gl.LINEAR : gl.NEAREST);
      gl.samplerParameteri(s, gl.TEXTURE_MAG_FILTER, s === this.compare ? gl.LINEAR : gl.NEAREST);
    }
    gl.samplerParameteri(this.compare, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.sun = v3.unit([-0.55, 1.25, 0.75]);
    this.sky = Array.from({ length: SKY }, (_, i) => {
      /* spread over the upper hemisphere, by the cosine */
      const r = Math.sqrt((i + 0.5) / SKY) * 0.97,
        a = i * 2.39996;
      return [r * Math.cos(a), Math.sqrt(1 - r * r), r * Math.sin(a)];
    });
    const center = [0, 0.7, 0],
      from = (d, r) =>
        mat.mul(mat.ortho(r, 0.5, 11.5), mat.look(v3.add(center, d, 6), center, Math.abs(d[1]) > 0.98 ? [1, 0, 0] : [0, 1, 0]));
    this.sunM = from(this.sun, radius);
    this.skyM = this.sky.map(d => from(d, radius * 0.92));
    this.vbo = gl.createBuffer();
    this.uvbo = gl.createBuffer();
    this.ibo = gl.createBuffer();
    this.vao = gl.createVertexArray();
    this.size = 0;
    gl.bindVertexArray(this.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vbo);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.uvbo);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 2, gl.FLOAT, false, 8, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.ibo);
    gl.bindVertexArray(null);
    this.floor = gl.createVertexArray();
    gl.bindVertexArray(this.floor);
    const ring = [];
    for (let i = 0; i <= 64; i++)
      for (const r of [0, reach * 1.02]) ring.push(r * Math.cos((i * Math.PI) / 32), 0, -r * Math.sin((i * Math.PI) / 32), 0, 1, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ring), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    this.lineVao = gl.createVertexArray();
    this.lineBuffer = gl.createBuffer();
    gl.bindVertexArray(this.lineVao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 28, 0);
    gl.vertexAttribPointer(1, 4, gl.FLOAT, false, 28, 12);
    gl.bindVertexArray(null);
    gl.enable(gl.DEPTH_TEST);
  }
  program(vertex, fragment) {
    const { gl } = this,
      p = gl.createProgram();
    for (const [type, text] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ]) {
      const s = gl.createShader(type);
      gl.shaderSource(s, text);
      gl.compileShader(s);
      gl.attachShader(p, s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error("shader: " + gl.getShaderInfoLog(s));
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error("shader: " + gl.getProgramInfoLog(p));
    const at = {};
    return { use: () => gl.useProgram(p), at: name => (name in at ? at[name] : (at[name] = gl.getUniformLocation(p, name))) };
  }
  map(width, height) {
    const { gl } = this,
      texture = gl.createTexture(),
      frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.readBuffer(gl.NONE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame };
  }
  setBodies(bodies) {
    const { gl } = this,
      kept = this.smooth || (this.smooth = new Map());
    let n = 0;
    this.bodies = bodies;
    for (const b of bodies) {
      b.from = b.first;
      b.first = n;
      if (!b.flat && b.triangles.length) {
        const key = (b.mesh && (b.mesh.name || JSON.stringify(b.mesh.call))) || b.triangles;
        if (!kept.has(key)) kept.set(key, new Smooth(b.triangles, b.count));
        b.smooth = kept.get(key);
        b.triangles = b.smooth.triangles;
        b.shown = b.smooth.n;
      } else b.shown = b.count;
      n += b.shown;
    }
    const uv = new Float32Array(2 * n),
      index = new Uint32Array(bodies.reduce((s, b) => s + b.triangles.length, 0));
    let k = 0;
    for (const b of bodies) {
      b.offset = k;
      for (let i = 0; i < b.triangles.length; i++) index[k++] = b.triangles[i] + b.first;
      if (!b.cloth) continue;
      const m = b.cloth[0],
        at = i => [(i % m) / (m - 1), Math.floor(i / m) / (m - 1)];
      for (let i = 0; i < b.shown; i++) {
        const [p, q] = i < b.count ? [at(i), at(i)] : b.smooth.ends[i - b.count].map(at);
        uv[2 * (b.first + i)] = (p[0] + q[0]) / 2;
        uv[2 * (b.first + i) + 1] = (p[1] + q[1]) / 2;
      }
    }
    this.indices = k;
    this.turn = 0;
    this.size = 0;
    this.smoothed = new Float32Array(6 * n);
    gl.bindVertexArray(this.vao);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.ibo);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.uvbo);
    gl.bufferData(gl.ARRAY_BUFFER, uv, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, this.scaleLimit),
      c = this.canvas;
    if (!c.isConnected) return ratio; /* a canvas that others copy from has the size that they give it */
    const w = Math.max(1, Math.round(c.clientWidth * ratio)),
      h = Math.max(1, Math.round(c.clientHeight * ratio));
    if (c.width !== w || c.height !== h) {
      c.width = w;
      c.height = h;
    }
    return ratio;
  }
  matrices() {
    const q = this.camera,
      aspect = this.canvas.width / this.canvas.height,
      far = q.distance * Math.max(1, 0.8 / aspect);
    const way = [Math.cos(q.pitch) * Math.sin(q.yaw), Math.sin(q.pitch), Math.cos(q.pitch) * Math.cos(q.yaw)];
    this.eye = v3.add(q.at, way, far);
    this.eye[1] = Math.max(this.eye[1], 0.03);
    const look = mat.look(this.eye, q.at, [0, 1, 0]),
      n = [look[2], look[6], look[10]],
      u = [look[0], look[4], look[8]],
      v = [look[1], look[5], look[9]];
    this.axes = { n, u, v, aspect, t: Math.tan(q.fov / 2) };
    const lens = mat.perspective(q.fov, aspect, 0.1, 40);
    lens[8] = this.shift;
    this.viewM = mat.mul(lens, look);
    return this.viewM;
  }
  /* the ray through a pixel of the page: from, way (40 m long) */
  ray(x, y) {
    const r = this.canvas.getBoundingClientRect(),
      a = this.axes,
      sx = ((2 * (x - r.left)) / r.width - 1 + this.shift) * a.t * a.aspect,
      sy = (1 - (2 * (y - r.top)) / r.height) * a.t;
    const way = v3.unit(v3.add(v3.add(v3.scale(a.n, -1), a.u, sx), a.v, sy));
    return { from: this.eye.slice(), way: v3.scale(way, 40) };
  }
  project(p) {
    const m = this.viewM,
      q = [0, 1, 2, 3].map(i => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]),
      r = this.canvas.getBoundingClientRect();
    return [r.left + ((q[0] / q[3] + 1) / 2) * r.width, r.top + ((1 - q[1] / q[3]) / 2) * r.height];
  }
  draw(vertices) {
    const { gl } = this;
    this.resize();
    this.matrices();
    for (const b of this.bodies) {
      if (b.smooth) b.smooth.apply(vertices, b.from, this.smoothed, b.first);
      else this.smoothed.set(vertices.subarray(6 * b.from, 6 * (b.from + b.count)), 6 * b.first);
    }
    vertices = this.smoothed;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vbo);
    if (this.size !== vertices.length) {
      gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.DYNAMIC_DRAW);
      this.size = vertices.length;
    } else gl.bufferSubData(gl.ARRAY_BUFFER, 0, vertices);
    this.shadows();
    this.bodiesAndFloor();
    this.marks(this.lines, gl.LINES);
    this.marks(this.points, gl.POINTS);
  }
  /* the depths that the sun sees, and a third of the sky's directions */
  shadows() {
    const { gl } = this;
    this.depth.use();
    gl.bindVertexArray(this.vao);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    const shadow = m => {
      gl.uniformMatrix4fv(this.depth.at("m"), false, m);
      if (this.indices) gl.drawElements(gl.TRIANGLES, this.indices, gl.UNSIGNED_INT, 0);
    };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.sunMap.frame);
    gl.viewport(0, 0, SUN_SIZE, SUN_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    shadow(this.sunM);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.skyMap.frame);
    gl.enable(gl.SCISSOR_TEST);
    for (let i = 0; i < SKY; i++) {
      if (this.turn > 0 && i % 3 !== this.turn % 3) continue;
      const x = (i % COLUMNS) * TILE,
        y = Math.floor(i / COLUMNS) * TILE;
      gl.viewport(x, y, TILE, TILE);
      gl.scissor(x, y, TILE, TILE);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      shadow(this.skyM[i]);
    }
    this.turn++;
    gl.disable(gl.SCISSOR_TEST);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
  bodiesAndFloor() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...this.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const s = this.main;
    s.use();
    [
      [this.sunMap, this.compare],
      [this.skyMap, this.compare],
      [this.sunMap, this.plain],
    ].forEach(([map, sampler], i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, map.texture);
      gl.bindSampler(i, sampler);
    });
    gl.uniform1i(s.at("sunMap"), 0);
    gl.uniform1i(s.at("skyMap"), 1);
    gl.uniform1i(s.at("sunDepth"), 2);
    gl.uniformMatrix4fv(s.at("m"), false, this.viewM);
    gl.uniformMatrix4fv(s.at("sunM"), false, this.sunM);
    gl.uniformMatrix4fv(s.at("skyM"), false, [].concat(...this.skyM.map(m => [...m])));
    gl.uniform3fv(s.at("skyD"), this.sky.flat());
    gl.uniform3fv(s.at("eye"), this.eye);
    gl.uniform3fv(s.at("sun"), this.sun);
    gl.uniform3fv(s.at("paper"), this.paper);
    gl.uniform1f(s.at("reach"), this.reach);
    gl.uniform1f(s.at("ground"), 0);
    for (const b of this.bodies) {
      if (!b.triangles.length) continue;
      gl.uniform3fv(s.at("albedo"), b.color);
      gl.uniform1i(s.at("kind"), b.cloth ? 2 : b.jelly ? 1 : 0);
      gl.uniform1i(s.at("flat_"), b.flat ? 1 : 0);
      gl.uniform1f(s.at("cells"), b.cloth ? b.cloth[0] : 1);
      gl.uniform1f(s.at("hot"), b.hot || 0);
      gl.drawElements(gl.TRIANGLES, b.triangles.length, gl.UNSIGNED_INT, 4 * b.offset);
    }
    gl.bindVertexArray(this.floor);
    gl.uniform3fv(s.at("albedo"), [0.71, 0.685, 0.65]);
    gl.uniform1i(s.at("kind"), 0);
    gl.uniform1i(s.at("flat_"), 0);
    gl.uniform1f(s.at("hot"), 0);
    gl.uniform1f(s.at("ground"), 1);
    gl.enable(gl.CULL_FACE);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 130);
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(null);
    for (let i = 0; i < 3; i++) gl.bindSampler(i, null);
  }
  /* lines and points: [x, y, z, r, g, b, a] one after another, drawn over everything */
  marks(list, mode) {
    if (!list.length) return;
    const { gl } = this;
    this.line.use();
    gl.bindVertexArray(this.lineVao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list), gl.STREAM_DRAW);
    gl.uniformMatrix4fv(this.line.at("m"), false, this.viewM);
    gl.uniform1f(this.line.at("size"), (9 * this.canvas.width) / this.canvas.clientWidth);
    gl.uniform1i(this.line.at("round_"), mode === gl.POINTS ? 1 : 0);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(mode, 0, list.length / 7);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
  }
}
/* hands of a camera: drag to turn, wheel or two fingers to come nearer and to shift. pick(x, y) returns 1 where a finger takes something else */
function cameraHands(view, { pick = () => 0, move = () => {}, drop = () => {}, lift = () => {} } = {}) {
  const fingers = new Map(),
    c = view.canvas,
    q = view.camera;
  let taken = 0,
    spread = 0;
  const nearer = f => {
    q.distance = Math.min(12, Math.max(1.2, q.distance * f));
  };
  c.addEventListener("pointerdown", e => {
    c.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    spread = 0;
    if (fingers.size === 1 && e.button === 0) taken = pick(e.clientX, e.clientY) ? e.pointerId : 0;
    e.preventDefault();
  });
  c.addEventListener("pointermove", e => {
    const old = fingers.get(e.pointerId);
    if (!old) return;
    const dx = e.clientX - old[0],
      dy = e.clientY - old[1];
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (taken === e.pointerId) return move(e.clientX, e.clientY);
    const shift = (dx, dy) => {
      const k = (q.distance * view.axes.t * 2) / c.clientHeight;
      q.at = v3.add(v3.add(q.at, view.axes.u, -dx * k), view.axes.v, dy * k);
      q.at[1] = Math.max(0, q.at[1]);
    };
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()],
        d = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (spread && !taken) {
        nearer(spread / d);
        shift(dx / 2, dy / 2);
      }
      spread = d;
    } else if (!taken && (e.buttons & 6 || e.shiftKey)) shift(dx, dy);
    else if (!taken) {
      q.yaw -= dx * 0.006;
      q.pitch = Math.min(1.45, Math.max(-0.05, q.pitch + dy * 0.005));
    }
  });
  const up = e => {
    if (taken === e.pointerId) {
      taken = 0;
      drop();
    }
    fingers.delete(e.pointerId);
    spread = 0;
  };
  c.addEventListener("pointerup", up);
  c.addEventListener("pointercancel", up);
  c.addEventListener("contextmenu", e => e.preventDefault());
  c.addEventListener(
    "wheel",
    e => {
      e.preventDefault();
      if (taken) lift(-e.deltaY * 0.002);
      else nearer(Math.exp(e.deltaY * 0.001));
    },
    { passive: false },
  );
}
