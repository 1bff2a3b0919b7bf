// The page as a visitor uses it: the start, a recording through every lens, reload, Back, a bad file.

import assert from "node:assert/strict";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { browserTest, root } from "./harness.mjs";

const fixture = (name) => path.join(root, "fixtures", name, "run.json.gz");
const title = (app) => app.page.locator("main h1").first();

// A file chosen before the module has started is not seen by it, so the choice is made again.
async function open(app, file) {
  for (let attempt = 1; ; attempt += 1) {
    await app.page.setInputFiles("input[type=file]", file);
    try {
      await app.page.locator("#to-run").waitFor({ state: "attached", timeout: 5000 });
      return;
    } catch (error) {
      if (attempt === 6) throw error;
    }
  }
}

async function go(app, fragment, lens) {
  await app.page.evaluate((hash) => { location.hash = hash; }, fragment);
  await app.page.locator(`#to-${lens}[aria-current]`).waitFor();
}

browserTest("the start page starts its module and is accessible", async (app) => {
  await title(app).waitFor();
  await app.page.waitForFunction(() => performance.getEntriesByName(new URL("tokenpath_bg.wasm", location.href).href).length > 0);
  await app.assertAccessible();
  await app.screenshot("start");
});

// 936 nodes a pass, a verdict that passes, 272 tensors: counted by tests/oracle from the raw capture.
browserTest("every lens draws the recorded SmolLM2 run", async (app) => {
  await open(app, fixture("smollm2"));
  for (const lens of ["run", "request", "passes", "model", "block", "nodes", "kernels", "timeline", "traversal"]) {
    await go(app, lens, lens);
    assert.ok((await title(app).innerText()).length > 3, lens);
    await app.screenshot(`smollm2-${lens}`);
  }
  assert.match(await title(app).innerText(), /936 chains/);
  await go(app, "model", "model");
  assert.match(await app.page.locator("main").innerText(), /272/);
  await go(app, "run", "run");
  assert.match(await app.page.locator("main").innerText(), /pass, no gap/);
});

browserTest("a selection shows in another lens, and Back undoes the step", async (app) => {
  await open(app, fixture("smollm2"));
  await go(app, "block?sel=node:3", "block");
  await app.page.locator("#inspector").getByText("Qcur-0").first().waitFor();
  await app.page.locator("#to-nodes").click();
  await app.page.waitForFunction(() => location.hash === "#nodes?sel=node:3");
  await app.page.locator("main tr.on, main [aria-selected=true]").first().waitFor();
  await app.page.goBack();
  await app.page.waitForFunction(() => location.hash === "#block?sel=node:3");
  await app.page.locator("#to-block[aria-current]").waitFor();
});

browserTest("a bad file says why and keeps the run", async (app) => {
  await open(app, fixture("smollm2"));
  const before = await title(app).innerText();
  const bad = path.join(mkdtempSync(path.join(tmpdir(), "tokenpath-")), "bad.json");
  writeFileSync(bad, '{"tokenpath":1,"identity":');
  await app.page.setInputFiles("input[type=file]", bad);
  await app.page.getByText("bad.json").first().waitFor();
  assert.equal(await title(app).innerText(), before);
});

browserTest("the page of a narrow screen does not scroll sideways", { viewport: { width: 390, height: 844 } }, async (app) => {
  await open(app, fixture("synthetic-metal"));
  for (const lens of ["run", "passes", "model", "timeline", "traversal"]) {
    await app.page.evaluate((hash) => { location.hash = hash; }, lens);
    await app.page.waitForTimeout(400);
    const widths = await app.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(widths[0] <= widths[1], `${lens}: ${widths}`);
  }
});
