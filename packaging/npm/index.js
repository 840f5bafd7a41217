/* index.js -- contact.h as WebAssembly: `const lib = await load("game")`. The module is fetched when it is loaded first. */
import "./module.js";

const modules = { game: () => import("./game.wasm.js"), full: () => import("./full.wasm.js") };

export async function load(name = "game") {
  if (!modules[name]) throw new Error(`contact-h: no module "${name}"; there are "game" and "full"`);
  await modules[name]();
  return globalThis.contactLoad(name);
}
