// Moving between views: one selection everywhere, the address, Back and Forward, the keyboard.

import assert from "node:assert/strict";
import { browserTest } from "./harness.mjs";
import { becomes, sample, shows } from "./steps.mjs";

const hash = (app) => new URL(app.page.url()).hash;

browserTest("what is selected in one lens is selected in every other", { path: sample("smollm2-server", "nodes") }, async (app) => {
  await shows(app, "nodes");
  await app.page.locator('#lens a[href*="sel=node:"]').nth(3).click();
  await becomes(() => app.page.locator("#lens tr.on").count(), 1, "the number of marked rows");
  const selected = decodeURIComponent(hash(app)).match(/sel=(node:\d+)/)[1];
  const named = selected.replace(":", " ");
  await app.page.locator("#inspector").getByText(named).first().waitFor();
  for (const lens of ["block", "timeline", "traversal", "model"]) {
    await app.page.locator(`#to-${lens}`).click();
    await shows(app, lens);
    assert.ok(hash(app).includes(`sel=${selected}`), `${lens} keeps the selection: ${hash(app)}`);
    await app.page.locator("#inspector").getByText(named).first().waitFor();
  }
  // From the inspector to something related, and on to its lens.
  await app.page.locator("#inspector .rel a").first().click();
  await becomes(() => hash(app).includes(`sel=${selected}&`) || hash(app).endsWith(`sel=${selected}`), false, "the old selection");
});

browserTest("Back and Forward undo and redo, and return to where one was reading", { path: sample("smollm2-server", "nodes") }, async (app) => {
  await shows(app, "nodes");
  await app.page.evaluate(() => scrollTo(0, 700));
  await app.page.waitForFunction(() => history.state === 700);
  await app.page.locator("#to-kernels").click();
  await shows(app, "kernels");
  await becomes(() => app.page.evaluate(() => scrollY), 0, "the scroll position of a lens that is read anew");
  await app.page.goBack();
  await shows(app, "nodes");
  await becomes(() => app.page.evaluate(() => scrollY), 700, "the scroll position after Back");
  await app.page.goForward();
  await shows(app, "kernels");
});

browserTest("a filter keeps the caret, its value is in the address, and Back leaves it alone", { path: sample("smollm2-server", "nodes") }, async (app) => {
  await shows(app, "nodes");
  const filter = app.page.locator("#lens input[type=search]").first();
  const rows = () => app.page.locator("#lens tbody tr").count();
  const all = await rows();
  await filter.click();
  await app.page.keyboard.type("ffn_gate", { delay: 15 });
  await app.page.waitForFunction(() => location.hash.includes("q=ffn_gate"));
  await becomes(async () => (await rows()) < all, true, "whether there are fewer rows");
  assert.equal(await filter.inputValue(), "ffn_gate");
  assert.equal(await filter.evaluate((input) => input === document.activeElement), true, "the filter keeps the focus");
  await app.page.keyboard.press("ArrowLeft");
  await app.page.keyboard.press("ArrowLeft");
  await app.page.keyboard.type("x");
  await app.page.waitForFunction(() => location.hash.includes("q=ffn_gaxte"));
  assert.equal(await filter.evaluate((input) => input.selectionStart), 7, "the caret stays where it is");
  await app.page.reload();
  await shows(app, "nodes");
  assert.equal(await app.page.locator("#lens input[type=search]").first().inputValue(), "ffn_gaxte");
});

browserTest("a sorted and paged table keeps to its address", { path: sample("smollm2-server", "nodes") }, async (app) => {
  await shows(app, "nodes");
  const first = () => app.page.locator("#lens tbody tr").first().textContent();
  const before = await first();
  await app.page.locator('#lens a[href*="from="]').first().click();
  await becomes(async () => (await first()) !== before, true, "whether another page of rows is shown");
  await app.page.goBack();
  await becomes(first, before, "the first row after Back");
});

browserTest("the keyboard alone reaches everything", { path: sample("smollm2-server") }, async (app) => {
  await shows(app, "run");
  const press = (key) => app.page.keyboard.press(key);
  const focused = () => app.page.evaluate(() => document.activeElement.id);

  await press("Tab");
  assert.equal(await app.page.evaluate(() => document.activeElement.textContent), "Skip to the lens");
  await press("Enter");
  assert.equal(await focused(), "main", "the skip link leads past the navigation");

  for (const [key, lens] of [["3", "passes"], ["6", "nodes"], ["8", "ranges"], ["9", "timeline"], ["0", "traversal"], ["1", "run"]]) {
    await press(key);
    await shows(app, lens);
  }
  await press("6");
  await shows(app, "nodes");
  await press("/");
  assert.equal(await app.page.evaluate(() => document.activeElement.type), "search", "/ leads to the filter");
  await app.page.keyboard.type("2");
  await shows(app, "nodes");
  await app.page.waitForFunction(() => location.hash.includes("q=2"));

  // From the filter on to a row, and its selection.
  for (let i = 0; i < 60; i += 1) {
    await press("Tab");
    const href = await app.page.evaluate(() => document.activeElement.getAttribute("href") ?? "");
    if (href.includes("sel=node:")) break;
  }
  const outline = await app.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "the focus is visible");
  await press("Enter");
  await app.page.waitForFunction(() => location.hash.includes("sel=node:"));
  await becomes(() => app.page.locator("#lens tr.on").count(), 1, "the number of marked rows");
  assert.notEqual(await app.page.evaluate(() => document.activeElement.tagName), "BODY", "the focus is not lost");
  await press("Escape");
  await app.page.waitForFunction(() => !location.hash.includes("sel="));

  await press("?");
  const keys = app.page.getByRole("dialog", { name: "Keys" });
  await keys.waitFor();
  await app.assertAccessible();
  await press("Escape");
  await becomes(() => keys.isVisible(), false, "the list of keys");

  // A link of the navigation keeps the focus when it is used.
  await app.page.locator("#to-kernels").focus();
  await press("Enter");
  await shows(app, "kernels");
  assert.equal(await focused(), "to-kernels");
});
