// The start page, the frame, and what holds on every lens.

import assert from "node:assert/strict";
import { browserTest } from "./harness.mjs";
import { becomes, lenses, opens, sample, shows, starts } from "./steps.mjs";

browserTest("the start page", async (app) => {
  await starts(app);
  await app.page.getByRole("heading", { level: 1, name: "Follow one token through the whole stack" }).waitFor();
  assert.equal(await app.page.getByRole("list").getByRole("link").count(), 3, "three samples");
  assert.ok(app.requests.includes(`${app.origin}/tokenpath_bg.wasm`), "the module was asked for");
  await app.assertAccessible();
  await app.screenshot("start");
});

browserTest("the start page reads without scripts", { context: { javaScriptEnabled: false } }, async (app) => {
  await app.page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await app.page.getByRole("button", { name: "Open files" }).count(), 0, "nothing is offered that cannot work");
  // Playwright's search by text passes over noscript, which is shown here all the same.
  const said = app.page.locator("noscript p");
  assert.match(await said.textContent(), /needs scripts and WebAssembly/);
  assert.ok(await said.isVisible());
});

// A mixture of experts adds figures to two lenses and is like the first run on the others.
const examined = { "smollm2-server": lenses, "tiny-moe": ["model", "block"], "synthetic-metal": lenses, "user-chat": lenses };
for (const [name, lenses] of Object.entries(examined)) {
  browserTest(`axe-core finds nothing on the lenses of ${name}, in both themes`, { path: sample(name), timeout: 300_000 }, async (app) => {
    await shows(app, "run");
    for (const lens of lenses) {
      await app.page.locator(`#to-${lens}`).click();
      await shows(app, lens);
      assert.equal(await app.page.locator("main h1").count(), 1, `${lens} has one first heading`);
      await app.assertAccessible();
      await app.screenshot(`${name}-${lens}`);
    }
  });
}

browserTest("axe-core finds nothing with a selection", { path: sample("smollm2-server", "nodes?sel=node:3"), timeout: 300_000 }, async (app) => {
  await shows(app, "nodes");
  for (const lens of ["nodes", "block", "timeline", "traversal"]) {
    await app.page.locator(`#to-${lens}`).click();
    await shows(app, lens);
    await app.assertAccessible();
    await app.screenshot(`selected-${lens}`);
  }
});

browserTest("the dark theme follows the system until one is chosen, and the choice lasts", { theme: "dark" }, async (app) => {
  await starts(app);
  const background = () => app.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  // --bg of the two themes: #131517 and #fdfdfc.
  await becomes(background, "rgb(19, 21, 23)", "the background");
  await app.page.getByRole("button", { name: "Theme" }).click();
  await becomes(background, "rgb(253, 253, 252)", "the background");
  await app.page.reload();
  await starts(app);
  await becomes(background, "rgb(253, 253, 252)", "the background");
  await app.page.getByRole("button", { name: "Theme" }).click();
  await becomes(background, "rgb(19, 21, 23)", "the background");
});

browserTest("at 390 px nothing scrolls sideways, the select leads to every lens", {
  path: sample("smollm2-server"),
  viewport: { width: 390, height: 844 },
  timeout: 300_000,
}, async (app) => {
  await shows(app, "run");
  const select = app.page.getByRole("combobox", { name: "Lens" });
  for (const lens of lenses) {
    if (lens !== "run") await select.selectOption({ index: lenses.indexOf(lens) });
    await shows(app, lens);
    const wider = await app.page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      return [...document.querySelectorAll("body *")]
        .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
        .filter((element) => !element.closest(".tw, .scroll"))
        .map((element) => `${element.tagName}.${element.getAttribute("class")}`)
        .slice(0, 8);
    });
    assert.deepEqual(wider, [], `${lens} is wider than the screen`);
    await app.screenshot(`narrow-${lens}`);
  }
  await app.assertAccessible();
});

browserTest("on a narrow screen the inspector is a sheet that opens over the lens", {
  path: sample("smollm2-server", "nodes?sel=node:3"),
  viewport: { width: 390, height: 844 },
}, async (app) => {
  await shows(app, "nodes");
  const sheet = app.page.locator("#inspector");
  await becomes(() => sheet.evaluate((element) => element.open), false, "whether the sheet is open");
  await sheet.locator("> summary").click();
  await becomes(() => sheet.evaluate((element) => element.open), true, "whether the sheet is open");
  const box = await sheet.boundingBox();
  assert.ok(box.y > 100 && box.y + box.height <= 845, `the sheet lies at the bottom: ${JSON.stringify(box)}`);
  await app.page.screenshot({ path: await app.screenshot("narrow-sheet") });
});

browserTest("nothing moves for who wants no motion", {
  path: sample("smollm2-server"),
  context: { reducedMotion: "reduce" },
}, async (app) => {
  await shows(app, "run");
  assert.equal(await app.page.evaluate(() => document.getAnimations().length), 0);
});

browserTest("the verdict of a run with gaps is a shape before it is a colour", { path: sample("synthetic-metal") }, async (app) => {
  await shows(app, "run");
  const chip = app.page.locator("#verdict");
  assert.match(await chip.textContent(), /^fail, \d+ gaps?$/);
  assert.equal(await chip.locator('use[href="#x-gap"]').count(), 1);
  await chip.click();
  await shows(app, "traversal");
});

browserTest("a shared address opens the same view", {
  path: sample("tiny-dense", "nodes?sel=node:5"),
  context: { permissions: ["clipboard-read", "clipboard-write"] },
}, async (app) => {
  await shows(app, "nodes");
  await app.page.getByRole("button", { name: "Share" }).click();
  await app.page.getByRole("status").getByText("Address copied.").waitFor();
  const address = await app.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(address, app.page.url());
  await app.page.goto("about:blank");
  await app.page.goto(address);
  await shows(app, "nodes");
  await app.page.locator("#inspector").getByText("node 5").first().waitFor();
});

browserTest("sharing a file's view says that the file is not in the address", {
  context: { permissions: ["clipboard-read", "clipboard-write"] },
}, async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  await app.page.getByRole("button", { name: "Share" }).click();
  await app.page.getByRole("status").getByText("needs the same file").waitFor();
});
