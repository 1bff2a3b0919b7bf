// How long Netron takes for the model file that bench.mjs opens, in the same browser; not a test.
//
//     pip install netron && netron --port 8081 &
//     node tests/browser/bench_netron.mjs http://127.0.0.1:8081/ [RUNS]
//
// The clock starts when Netron's page gets the file and stops when its graph is shown.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { writeLargeModel } from "./gguf.mjs";
import { root } from "./harness.mjs";

const { chromium } = createRequire(path.join(process.env.TOKENPATH_NODE_MODULES ?? path.join(root, "target/tools/node/node_modules"), "x.js"))("playwright-core");
const address = process.argv[2] ?? "http://127.0.0.1:8081/";
const runs = Number(process.argv[3] ?? 3);
const model = path.join(root, "target/browser-files/bench.gguf");
const written = writeLargeModel(model);

const took = [];
for (let run = 0; run < runs; run += 1) {
  const browser = await chromium.launch({ executablePath: process.env.TOKENPATH_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
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
    // Only the class of the body is watched, so that watching costs Netron nothing: it is "default" once the graph is shown.
    new MutationObserver(() => {
      if (globalThis.began && document.body.className === "default") globalThis.shown ??= performance.now();
    }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  });
  await page.locator("#open-file-dialog").setInputFiles(model);
  await page.waitForFunction(() => globalThis.shown, null, { timeout: 120_000 });
  assert.ok(await page.locator("#target .node").count() > 0, "Netron shows a graph");
  took.push(await page.evaluate(() => globalThis.shown - globalThis.began));
  await browser.close();
}
took.sort((a, b) => a - b);
console.log(`Netron, ${os.cpus()[0].model}, ${(written.length / 1e9).toFixed(2)} GB, ${written.tensors} tensors: median ${took[took.length >> 1].toFixed(0)} ms of ${took.length} runs`);
