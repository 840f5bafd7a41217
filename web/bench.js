/* bench.js -- the playground's scene in node, with the page's own module: CPU time of a frame, and the hash of the state after 120 and all frames.
   usage: node web/bench.js BUILD_WEB [FRAMES]   prints one line of JSON */
"use strict";
const fs = require("fs"),
  os = require("os"),
  path = require("path"),
  vm = require("vm");
function loadScripts(folder, names) {
  for (const f of names) vm.runInThisContext(fs.readFileSync(path.join(folder, f), "utf8"), { filename: f });
}
async function bench(folder, frames) {
  loadScripts(folder, ["game.wasm.js", "module.js", "shapes.js", "scene.js"]);
  const lib = await contactLoad("game"),
    scene = new Scene(lib),
    status = {},
    times = [];
  const cpu = () => {
    const u = process.cpuUsage();
    return (u.user + u.system) / 1e3;
  };
  let hash120 = "";
  scene.standard();
  for (let i = 0; i < frames; i++) {
    const start = cpu();
    scene.step();
    lib.page_vertices(scene.p);
    times.push(cpu() - start);
    const s = lib.page_status(scene.status);
    status[s] = (status[s] || 0) + 1;
    if (i === 119) hash120 = lib.page_hash(scene.p);
  }
  const t = times.sort((a, b) => a - b),
    at = q => +t[Math.floor(q * (t.length - 1))].toFixed(2),
    n = lib.page_snapshots(scene.p);
  return {
    frames,
    median_ms: at(0.5),
    p90_ms: at(0.9),
    most_ms: at(1),
    status,
    hash120,
    hash: lib.page_hash(scene.p),
    snapshot_kb: Math.round(lib.page_snapshot_bytes(scene.p) / n / 1e3),
    memory_mb: Math.round(lib.memoryBytes() / 1e6),
    wasm_kb: Math.round(lib.bytes / 1e3),
    gzip_kb: Math.round(lib.packed / 1e3),
    simd: lib.page_simd(),
    load: +os.loadavg()[0].toFixed(1),
  };
}
if (require.main === module)
  bench(process.argv[2] || "build/web", Number(process.argv[3] || 900)).then(r => console.log(JSON.stringify(r)));
module.exports = { bench, loadScripts };
