/* browser.js -- Chromium by its driver (W3C WebDriver over HTTP), for web/test.js. Needs Debian's chromium and chromium-driver, no npm package. */
"use strict";
const { spawn } = require("child_process"),
  fs = require("fs");
class Browser {
  static async open({ width = 1280, height = 800, mobile = null } = {}) {
    const b = new Browser();
    b.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((yes, no) => {
      let text = "";
      b.driver.stdout.on("data", d => {
        text += d;
        const m = /successfully on port (\d+)/.exec(text);
        if (m) yes(m[1]);
      });
      b.driver.on("error", no);
      b.driver.on("exit", c => no(new Error("chromedriver ended: " + c + "\n" + text)));
    });
    b.base = "http://127.0.0.1:" + port;
    const args = [
      "--headless=new",
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      `--window-size=${width},${height}`,
    ];
    const options = { args };
    if (mobile)
      options.mobileEmulation = {
        deviceMetrics: { width: mobile.width, height: mobile.height, pixelRatio: mobile.ratio, touch: true, mobile: true },
      };
    const made = await b.send("POST", "/session", {
      capabilities: { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": { browser: "ALL" } } },
    });
    b.session = "/session/" + made.sessionId;
    await b.send("POST", b.session + "/timeouts", { script: 120000, pageLoad: 60000 });
    return b;
  }
  async send(method, path, body) {
    const r = await fetch(this.base + path, {
        method,
        body: method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body || {}),
      }),
      j = await r.json();
    if (j.value && j.value.error) throw new Error(path + ": " + j.value.error + ": " + j.value.message);
    return j.value;
  }
  go(url) {
    return this.send("POST", this.session + "/url", { url });
  }
  /* a script's value; it may return a promise */
  run(script, ...args) {
    return this.send("POST", this.session + "/execute/sync", { script, args });
  }
  /* a function's value in the page */
  call(f, ...args) {
    return this.run(`return (${f})(...arguments)`, ...args);
  }
  async wait(script, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise(r => setTimeout(r, 150)))
      if (await this.run(script)) return;
    throw new Error("in vain for " + seconds + " s: " + script);
  }
  async shot(file) {
    fs.writeFileSync(file, Buffer.from(await this.send("GET", this.session + "/screenshot"), "base64"));
  }
  /* errors and warnings of the console since the last call */
  async errors() {
    const log = await this.send("POST", this.session + "/se/log", { type: "browser" });
    return log
      .filter(l => ["SEVERE", "WARNING"].includes(l.level) && !/GPU stall due to ReadPixels|software WebGL|swiftshader/i.test(l.message))
      .map(l => l.level + " " + l.message);
  }
  /* a finger or the mouse along points, `ms` each */
  drag(points, { touch = false, ms = 60, hold = true } = {}) {
    const at = ([x, y], duration) => ({ type: "pointerMove", duration, x: Math.round(x), y: Math.round(y) });
    const actions = [
      at(points[0], 0),
      { type: "pointerDown", button: 0 },
      ...points.slice(1).map(p => at(p, ms)),
      ...(hold ? [] : [{ type: "pointerUp", button: 0 }]),
    ];
    return this.send("POST", this.session + "/actions", {
      actions: [{ type: "pointer", id: touch ? "finger" : "mouse", parameters: { pointerType: touch ? "touch" : "mouse" }, actions }],
    });
  }
  let_go(touch = false) {
    return this.send("POST", this.session + "/actions", {
      actions: [
        {
          type: "pointer",
          id: touch ? "finger" : "mouse",
          parameters: { pointerType: touch ? "touch" : "mouse" },
          actions: [{ type: "pointerUp", button: 0 }],
        },
      ],
    });
  }
  key(k) {
    return this.send("POST", this.session + "/actions", {
      actions: [
        {
          type: "key",
          id: "keys",
          actions: [
            { type: "keyDown", value: k },
            { type: "keyUp", value: k },
          ],
        },
      ],
    });
  }
  async close() {
    try {
      await this.send("DELETE", this.session);
    } catch (e) {
      /* it is gone */
    }
    this.driver.removeAllListeners("exit");
    this.driver.kill();
  }
}
module.exports = { Browser };
