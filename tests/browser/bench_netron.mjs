// How long Netron takes for the model file that bench.mjs opens, in the same browser; not a test.
//
//     pip install netron && netron --port 8081 &
//     cargo xtask web && node tests/browser/bench.mjs 1 && node tests/browser/bench_netron.mjs http://127.0.0.1:8081/ [RUNS]
//
// The clock starts when Netron's page gets the file and stops when its graph is shown.

import { statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { writeLargeModel } from "./gguf.mjs";
import { root } from "./harness.mjs";

const { chromium } = createRequire(path.join(process.env.TOKENPATH_NODE_MODULES ?? path.join(root, "target/tools/node/node_modules"), "x.js"))("playwright-core");
const address = process.argv[2] ?? "http://127.0.0.1:8081/";
const runs = Number(process.argv[3] ?? 3);
const model = path.join(root, "target/browser-files/bench.gguf");
writeLargeModel(model);

const took = [];
let said;
for (let run = 0; run < runs; run += 1) {
  const browser = await chromium.launch({ executablePath: process.env.TOKENPATH_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
  // Netron forbids eval, which the test driver needs; setting it is ignored here.
  await page.addInitScript(() => {
    const own = globalThis.eval;
    Object.defineProperty(globalThis, "eval", { get: () => own, set: () => {} });
  });
  await page.goto(address);
  const consent = page.locator("#message-button");
  await page.waitForFunction(() => document.body.className.includes("welcome") && !document.body.className.includes("spinner"));
  if (await consent.isVisible()) await consent.click();
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    document.getElementById("open-file-dialog").addEventListener("change", () => { globalThis.began = performance.now(); }, true);
    const seen = () => {
      if (globalThis.began && document.body.className === "default" && document.querySelector("#target svg .node, #target .node")) {
        globalThis.shown ??= [performance.now(), `a graph, page state "${document.body.className}"`];
      }
    };
    new MutationObserver(seen).observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.locator("#open-file-dialog").setInputFiles(model);
  try {
    await page.waitForFunction(() => globalThis.shown, null, { timeout: 60_000 });
    const [ms, what] = await page.evaluate(() => [globalThis.shown[0] - globalThis.began, globalThis.shown[1]]);
    took.push(ms);
    said = what;
  } catch {
    said = `nothing in 60 s; the page's state: ${await page.evaluate(() => document.body.className)}`;
  }
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
  await browser.close();
}
took.sort((a, b) => a - b);
console.log(`Netron, ${(statSync(model).size / 1e9).toFixed(2)} GB: median ${took[took.length >> 1]?.toFixed(0)} ms of ${took.length}; it shows: ${said}`);
