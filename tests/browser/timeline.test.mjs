// The timeline under a hand, in a real browser: pixels, gestures, search, measurement.

import assert from "node:assert/strict";
import { browserTest } from "./harness.mjs";
import { fixture } from "./bundles.mjs";
import { becomes, sample, shows } from "./steps.mjs";

const path = sample("smollm2-server", "timeline");

/** The stretch in the address, once the drawing rests. */
async function range(app, before) {
  await app.page.waitForFunction((old) => {
    const found = decodeURIComponent(location.hash).match(/range=(\d+)-(\d+)/);
    return found && found[0] !== old;
  }, before && `range=${before[0]}-${before[1]}`);
  const found = decodeURIComponent(new URL(app.page.url()).hash).match(/range=(\d+)-(\d+)/);
  return [Number(found[1]), Number(found[2])];
}

/** The colours on the canvas, counted. */
function colours(app) {
  return app.page.evaluate(() => {
    const canvas = document.querySelector("#timeline canvas");
    if (!canvas?.width) return 0;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;
  });
}

async function drawn(app) {
  await shows(app, "timeline");
  await becomes(async () => (await colours(app)) > 6, true, "whether the canvas shows several fills");
}

async function box(app) {
  await app.page.locator("#timeline").scrollIntoViewIfNeeded();
  return app.page.locator("#timeline canvas").boundingBox();
}

browserTest("pixels take the place of the static drawing, in the theme's colours", { path }, async (app) => {
  await drawn(app);
  assert.equal(await app.page.locator("#timeline > svg").count(), 0);
  await app.page.locator("#timeline .labels").getByText("passes").waitFor();
  const corner = () => app.page.evaluate(() => {
    const { data } = document.querySelector("#timeline canvas").getContext("2d").getImageData(0, 0, 1, 1);
    return [...data].join();
  });
  await becomes(corner, "253,253,252,255", "the light background");
  await app.page.emulateMedia({ colorScheme: "dark" });
  await becomes(corner, "19,21,23,255", "the dark background");
  await app.screenshot("timeline-dark");
});

browserTest("drag, wheel, box, keys and minimap move what is shown, and Back undoes a selection", { path }, async (app) => {
  await drawn(app);
  const { mouse, keyboard } = app.page;
  let { x, y, width, height } = await box(app);
  const at = (share) => x + 120 + (width - 120) * share;
  const row = y + height * 0.6;

  await mouse.move(at(0.5), row);
  await mouse.down();
  await mouse.move(at(0.3), row, { steps: 4 });
  await mouse.up();
  const dragged = await range(app);

  await app.page.locator(".scroll:has(#timeline)").focus();
  await mouse.move(at(0.5), row);
  await mouse.wheel(0, -300);
  const zoomed = await range(app, dragged);
  assert.ok(zoomed[1] - zoomed[0] < dragged[1] - dragged[0], "the wheel zooms in");

  await keyboard.down("Shift");
  await mouse.move(at(0.4), row);
  await mouse.down();
  await mouse.move(at(0.6), row, { steps: 3 });
  assert.ok(await app.page.locator("#timeline .band").isVisible(), "the box is drawn");
  await mouse.up();
  await keyboard.up("Shift");
  const boxed = await range(app, zoomed);
  const share = (boxed[1] - boxed[0]) / (zoomed[1] - zoomed[0]);
  assert.ok(Math.abs(share - 0.2) < 0.02, `a fifth is shown: ${share}`);

  await keyboard.press("s");
  const out = await range(app, boxed);
  assert.ok(Math.abs((out[1] - out[0]) / (boxed[1] - boxed[0]) - 1.5) < 0.01, "S zooms out by a half");
  await keyboard.press("d");
  const later = await range(app, out);
  assert.ok(later[0] > out[0], "D goes to later times");

  ({ x, y, width } = await box(app));
  await mouse.click(at(0.02), y + 12);
  const mapped = await range(app, later);
  assert.ok(mapped[0] < later[0], "a press on the minimap leads to its place");
  assert.equal(mapped[1] - mapped[0], later[1] - later[0], "and keeps the zoom");
});

browserTest("the drawing comes to rest while a link is followed: the link wins, and Back returns", { path }, async (app) => {
  // The browser tells of a new address later than it has it; a busy one, much later. Listeners of the window are called
  // in the order in which they came, so this one has to come first.
  await app.page.addInitScript(() => addEventListener("hashchange", (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    setTimeout(() => dispatchEvent(new HashChangeEvent("hashchange")), 1500);
  }));
  await app.page.reload();
  await drawn(app);
  const before = await range(app);
  await app.page.locator(".scroll:has(#timeline)").focus();
  await app.page.keyboard.press("w");
  await app.page.evaluate(() => { location.hash = "traversal"; });
  await shows(app, "traversal");
  await becomes(() => app.page.evaluate(() => location.hash.slice(1, 10)), "traversal", "the lens of the address");
  await app.page.goBack();
  await shows(app, "timeline");
  assert.deepEqual(await range(app), before, "the stretch that was there before");
});

browserTest("a click selects, the inspector shows it, and brackets lead along the row", { path: `${path}?sel=pass:4` }, async (app) => {
  await drawn(app);
  const { mouse, keyboard } = app.page;
  // Close enough for single intervals.
  for (let i = 0; i < 9; i += 1) await keyboard.press("w");
  await range(app);
  const { x, y, width, height } = await box(app);
  const tip = app.page.locator("#timeline .tip");
  let found = false;
  for (let row = 60; row < height && !found; row += 8) {
    for (let at = 130; at < width && !found; at += 60) {
      await mouse.move(x + at, y + row);
      await app.page.waitForTimeout(30);
      found = /interval:\d+/.test((await tip.textContent()) ?? "") && (await tip.isVisible());
    }
  }
  assert.ok(found, "somewhere a single interval lies under the pointer");
  const item = (await tip.textContent()).match(/interval:\d+/)[0];
  await mouse.down();
  await mouse.up();
  await app.page.waitForFunction((item) => location.hash.includes(`sel=${item}`), item);
  await app.page.locator("#inspector").getByText(item.replace(":", " ")).first().waitFor();
  await app.screenshot("timeline-selected");
  await keyboard.press("]");
  await app.page.waitForFunction((item) => !location.hash.includes(`sel=${item}&`), item);
  await keyboard.press("[");
  await app.page.waitForFunction((item) => location.hash.includes(`sel=${item}&`), item);
  await app.page.goBack();
  await app.page.waitForFunction((item) => !location.hash.includes(`sel=${item}&`), item);
});

browserTest("a name is found, counted and shown; Enter goes on", { path }, async (app) => {
  await drawn(app);
  await app.page.keyboard.press("/");
  await app.page.keyboard.type("ffn_down");
  // ggml calls the node that reads ffn_down "ffn_out": the tensor's name finds its intervals. Counted from the bundle.
  const { graph, model, timeline } = fixture("smollm2-server");
  const reads = new Set(graph.nodes.tensors.flatMap((tensors, node) =>
    (tensors ?? []).some((tensor) => model.tensors.name[tensor].includes("ffn_down")) ? [node] : []));
  const count = timeline.intervals.nodes.filter((nodes) => (nodes ?? []).some((node) => reads.has(node))).length;
  assert.ok(count > 700, "a node of each of the 30 layers in each of the 26 passes");
  const said = app.page.locator("#timeline-said");
  await said.getByText(new RegExp(`^\\d+ of ${count}$`)).waitFor();
  const first = Number((await said.textContent()).split(" ")[0]);
  await app.page.keyboard.press("Enter");
  await becomes(() => said.textContent(), `${first + 1} of ${count}`, "what is found next");
  assert.equal(await app.page.evaluate(() => document.activeElement.id), "find", "the search keeps the focus");
});

browserTest("M measures between two points, Escape ends it", { path }, async (app) => {
  await drawn(app);
  const { mouse, keyboard } = app.page;
  const { x, y, width, height } = await box(app);
  await keyboard.press("m");
  await app.page.locator("#timeline.measuring").waitFor();
  await mouse.move(x + width * 0.4, y + height * 0.6);
  await mouse.down();
  await mouse.move(x + width * 0.6, y + height * 0.6, { steps: 3 });
  await mouse.up();
  const band = app.page.locator("#timeline .band");
  await band.getByText(/[mµn]s/).first().waitFor();
  await app.screenshot("timeline-measured");
  await keyboard.press("Escape");
  await becomes(() => band.isVisible(), false, "the measurement");
});

browserTest("a filter elsewhere redraws the lens and leaves the drawing", { path }, async (app) => {
  await drawn(app);
  await app.page.evaluate(() => { document.querySelector("#timeline canvas").dataset.same = "yes"; });
  await app.page.keyboard.press("w");
  await range(app);
  assert.equal(await app.page.locator("#timeline canvas[data-same]").count(), 1);
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
  await app.page.locator("#to-timeline").click();
  await drawn(app);
});
