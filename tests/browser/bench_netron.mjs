// How long Netron takes for the model files that bench.mjs opens, in the same browser; not a test.
//
//     pip install netron
//     node tests/browser/bench_netron.mjs FOLDER_OF_THE_NETRON_PACKAGE [RUNS]
//
// The clock starts when Netron's page gets the file and stops when its graph is shown.

import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { writeLargeModel, writeManyTensors } from "./gguf.mjs";
import { openPage, root } from "./harness.mjs";

const [site, runs] = [process.argv[2], Number(process.argv[3] ?? 3)];

async function open(model) {
  const result = {};
  await openPage({ site, path: null, allowMissing: true, allowErrors: [/./] }, async (app) => {
    const { page, origin } = app;
    // Netron forbids eval, which the test driver needs; setting it is ignored here.
    await page.addInitScript(() => {
      const own = globalThis.eval;
      Object.defineProperty(globalThis, "eval", { get: () => own, set: () => {} });
    });
    await page.goto(origin);
    await page.waitForFunction(() => document.body.className.includes("welcome") && !document.body.className.includes("spinner"));
    const consent = page.locator("#message-button");
    if (await consent.isVisible()) await consent.click();
    await page.waitForTimeout(500);
    await page.evaluate(() => {
      document.getElementById("open-file-dialog").addEventListener("change", () => { globalThis.began = performance.now(); }, true);
      // Only the class of the body is watched, so that watching costs Netron nothing: it is "default" once the graph is shown.
      new MutationObserver(() => {
        if (globalThis.began && document.body.className === "default") globalThis.shown ??= performance.now();
      }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    });
    await page.setInputFiles("#open-file-dialog", model);
    await page.waitForFunction(() => globalThis.shown, null, { timeout: 300_000 });
    assert.ok(await page.locator("#target .node").count() > 0, "Netron shows a graph");
    result.took = await page.evaluate(() => globalThis.shown - globalThis.began);
    result.version = await page.locator("meta[name=version]").getAttribute("content");
    // The harness lets no request out; that Netron asks for its analytics is no failure here.
    app.requests.length = 0;
  });
  return result;
}

test("bench", { timeout: 1_800_000 }, async () => {
  for (const [name, write] of [["bench.gguf", writeLargeModel], ["many.gguf", writeManyTensors]]) {
    const model = path.join(root, "target/browser-files", name);
    const { length, tensors } = write(model);
    const results = [];
    for (let run = 0; run < runs; run += 1) results.push(await open(model));
    const took = results.map((result) => result.took).sort((a, b) => a - b);
    const median = took[Math.floor(took.length / 2)];
    console.log(`Netron ${results[0].version}, ${(length / 1e9).toFixed(2)} GB, ${tensors} tensors: ${median.toFixed(0)} ms, median of ${runs} runs, ${os.cpus()[0].model}`);
  }
});
