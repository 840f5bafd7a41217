/* module.js -- loads contact.h as WebAssembly and gives its functions (web/page.c) names, views and errors. It works in a page and in node, from
   a folder or a server: the module is text in a script, `contactWasm.<name>`, which web/pack.py makes.
       const lib = await contactLoad("game");       lib.page_new() ...: the functions of page.c, which throw where those fail
       lib.text(address), lib.f64(address, n), lib.f32, lib.i32: views and texts; views are valid until memory grows */
"use strict";
var contactWasm = contactWasm || {};
async function contactLoad(name) {
  if (typeof DecompressionStream === "undefined") throw new Error("This browser is too old for this page: it has no DecompressionStream.");
  const packed = Uint8Array.from(atob(contactWasm[name]), c => c.charCodeAt(0));
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  let memory = null;
  const env = { emscripten_notify_memory_growth() {} };
  const wasi = {
    proc_exit(code) {
      throw new Error("the module ended: " + code);
    },
    fd_write: () => 8,
    fd_close: () => 8,
    fd_seek: () => 8,
  };
  const { instance } = await WebAssembly.instantiate(bytes, { env, wasi_snapshot_preview1: wasi });
  const raw = instance.exports;
  memory = raw.memory;
  if (raw._initialize) raw._initialize();
  const lib = {
    raw,
    bytes: bytes.byteLength,
    packed: packed.length,
    f64: (at, n) => new Float64Array(memory.buffer, at, n),
    f32: (at, n) => new Float32Array(memory.buffer, at, n),
    i32: (at, n) => new Int32Array(memory.buffer, at, n),
    text(at) {
      const b = new Uint8Array(memory.buffer);
      let end = at;
      while (b[end]) end++;
      return new TextDecoder().decode(b.subarray(at, end));
    },
    /* memory for a call: f(address) with the numbers there */
    withNumbers(numbers, f, Type = Float64Array) {
      const at = raw.page_alloc(Math.max(8, numbers.length * Type.BYTES_PER_ELEMENT));
      new Type(memory.buffer, at, numbers.length).set(numbers);
      try {
        return f(at);
      } finally {
        raw.page_free(at);
      }
    },
    memoryBytes: () => memory.buffer.byteLength,
  };
  const words = new Set([
    "page_error",
    "page_status",
    "page_stepper",
    "page_solver",
    "page_version",
    "page_simd",
    "page_hash",
    "page_outcome",
    "page_why",
  ]);
  const mayFail =
    /^page_(begin|option|mesh_(box|grid|sphere|surface)|add|remove|pin|move|impulse|set_\w+|step|save|restore|grab|drag|ccd|problem\w*)$/;
  for (const f of Object.keys(raw)) {
    if (!f.startsWith("page_")) continue;
    if (words.has(f)) lib[f] = (...a) => lib.text(raw[f](...a));
    else if (mayFail.test(f))
      lib[f] = (...a) => {
        const r = raw[f](...a);
        if (r < 0) throw new Error(lib.text(raw.page_error()));
        return r;
      };
    else lib[f] = raw[f];
  }
  lib.page_new = () => {
    const p = raw.page_new();
    if (!p) throw new Error(lib.text(raw.page_error()));
    return p;
  };
  return lib;
}
if (typeof globalThis !== "undefined") {
  globalThis.contactLoad = contactLoad;
  globalThis.contactWasm = contactWasm;
}
