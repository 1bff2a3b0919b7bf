// Opening: files, samples, what goes wrong, and that nothing is lost when it does.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { file, fixture, repeated } from "./bundles.mjs";
import { writeModelOf } from "./gguf.mjs";
import { browserTest } from "./harness.mjs";
import { becomes, opens, sample, shows, starts } from "./steps.mjs";

browserTest("a sample opens by its link, and a reload shows the same view again", async (app) => {
  await starts(app);
  await app.page.getByRole("link", { name: "A whole request, node by node" }).click();
  await shows(app, "run");
  assert.equal(new URL(app.page.url()).search, "?open=samples/smollm2-server/run.json.gz");
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
  await app.page.reload();
  await shows(app, "passes");
  assert.equal(new URL(app.page.url()).hash, "#passes");
});

browserTest("a file opens by the dialog, and a second one takes its place", async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const name = app.page.locator(".ident b");
  const first = await name.textContent();
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
  await app.choose("#files", "fixtures/user-chat/run.json.gz");
  await app.page.getByText("user capture", { exact: true }).waitFor();
  assert.notEqual(await name.textContent(), first);
  // The lens stays; Back leads to the run lens of the file that is open now.
  await shows(app, "passes");
});

browserTest("a model dropped on the run that read it joins it; another is refused, and can be opened alone", async (app) => {
  const bundle = fixture("tiny-dense");
  const model = file("joined.gguf", "");
  writeModelOf(model, bundle, "the model of the run");
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const before = await app.page.locator(".ident b").textContent();
  await app.drop("body", model);
  const notice = app.page.locator("#notice");
  const count = bundle.model.tensors.name.length;
  await notice.getByText(`All ${count} tensors that the run names are among the ${count} of joined.gguf`).waitFor();
  await notice.getByText("model-of-the-run").waitFor();
  assert.equal(await app.page.locator(".ident b").textContent(), before);
  await app.assertAccessible();
  await app.screenshot("joined");
  await notice.getByRole("button", { name: "Close" }).click();
  // The verdict is that of the run, which is still there.
  await app.page.locator("#to-traversal").click();
  await shows(app, "traversal");

  const other = file("other.gguf", "");
  writeModelOf(other, fixture("tiny-moe"), "another model");
  await app.drop("body", other);
  const alert = app.page.getByRole("alert");
  await alert.getByText(/does not belong|do not belong/).waitFor();
  await app.assertAccessible();
  assert.equal(await app.page.locator(".ident b").textContent(), before);
  await app.page.getByRole("button", { name: "Open the model instead of the run" }).click();
  await becomes(() => app.page.locator(".ident b").textContent(), "another model", "what is open");
  assert.equal(await notice.textContent(), "");
});

browserTest("a file opens by dropping it anywhere", async (app) => {
  await starts(app);
  await app.drop("body", "fixtures/tiny-moe/run.json.gz");
  await shows(app, "run");
  assert.equal(await app.page.locator("body.dropping").count(), 0);
});

browserTest("a file that does not open leaves the run and says why", async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const heading = await app.page.locator("#lens h1").textContent();
  await app.choose("#files", "Cargo.toml");
  const notice = app.page.getByRole("alert");
  await notice.getByText("Cargo.toml is of no format known here").waitFor();
  assert.match(await notice.textContent(), /The run that was open stays open/);
  await app.assertAccessible();
  await app.screenshot("refused");
  assert.equal(await app.page.locator("#lens h1").textContent(), heading);
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
  await app.page.getByRole("button", { name: "Close" }).click();
  await becomes(() => notice.textContent(), "", "the notice");
});

browserTest("a section with errors shows them in its place; the other lenses stay", async (app) => {
  const bundle = fixture("tiny-dense");
  bundle.passes.rows.kind[1] = "sideways";
  await opens(app, file("broken-section.json", bundle));
  await app.page.getByRole("heading", { name: "What is wrong with the bundle" }).waitFor();
  await app.page.locator("#to-passes").click();
  await app.page.getByRole("heading", { level: 1, name: /cannot be drawn/ }).waitFor();
  await app.page.getByRole("cell", { name: "/passes/rows/kind/1" }).waitFor();
  await app.assertAccessible();
  await app.screenshot("broken-section");
  await app.page.locator("#to-model").click();
  await shows(app, "model");
  assert.doesNotMatch(await app.page.locator("#lens h1").textContent(), /cannot be drawn/);
});

browserTest("opening shows how far it is, can be cancelled, and leaves what was open", async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const heading = await app.page.locator("#lens h1").textContent();
  // Long enough on any machine to be cancelled while it is read: some 60 MB of JSON.
  const large = file("large.json", repeated(fixture("smollm2-server"), 50));
  await app.choose("#files", large);
  const opening = app.page.getByRole("region", { name: "Opening" });
  await opening.getByText(/large\.json/).waitFor();
  await app.screenshot("opening");
  await app.page.keyboard.press("1");
  await opening.getByRole("button", { name: "Cancel" }).click();
  await becomes(() => opening.isVisible(), false, "the progress bar's visibility");
  await app.page.getByRole("status").getByText("Cancelled").waitFor();
  assert.equal(await app.page.locator("#lens h1").textContent(), heading);
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
});

browserTest("an address of a view says that its file is not open, and opening it leads there", { path: "#nodes?sel=node:3" }, async (app) => {
  await app.page.getByRole("alert").getByText("not open here").waitFor();
  await app.assertAccessible();
  await opens(app, "fixtures/tiny-dense/run.json.gz", "nodes");
  assert.equal(new URL(app.page.url()).hash, "#nodes?sel=node:3");
  assert.equal(await app.page.getByRole("alert").textContent(), "");
});

browserTest("a bundle of another origin is not asked for", { path: "?open=http://example.com/run.json" }, async (app) => {
  await app.page.getByRole("alert").getByText("is of another origin").waitFor();
});

browserTest(
  "a bundle that is not there says so",
  { path: "?open=samples/none.json", allowErrors: [/404/], allowMissing: true },
  async (app) => {
    await app.page.getByRole("alert").getByText("the server answers 404").waitFor();
  },
);

browserTest("Back from a dropped file to a sample opens the sample again", { path: sample("tiny-dense") }, async (app) => {
  await shows(app, "run");
  const name = await app.page.locator(".ident b").textContent();
  await app.choose("#files", "fixtures/user-chat/run.json.gz");
  await app.page.getByText("user capture", { exact: true }).waitFor();
  assert.equal(new URL(app.page.url()).search, "", "the address no longer names the sample");
  await app.page.goBack();
  await app.page.locator(".ident b", { hasText: name }).waitFor();
  await shows(app, "run");
});

browserTest("no small broken file ends the session", { timeout: 300_000 }, async (app) => {
  await starts(app);
  const whole = fixture("tiny-dense");
  const text = JSON.stringify(whole);
  const changed = (change) => {
    const bundle = structuredClone(whole);
    change(bundle);
    return JSON.stringify(bundle);
  };
  const files = {
    "empty.json": "",
    "blank.json": "  \n\t ",
    "cut.json": text.slice(0, text.length / 2),
    "not-json.json": '{"tokenpath":1,,}',
    "deep.json": "[".repeat(100_000),
    "array.json": "[1,2,3]",
    "no-bundle.json": '{"a":1}',
    "newer.json": changed((bundle) => { bundle.tokenpath = 99; }),
    "wrong-version.json": changed((bundle) => { bundle.tokenpath = "one"; }),
    "cut.json.gz": gzipSync(text).subarray(0, 4000),
    "no-gzip.json.gz": Buffer.from([0x1f, 0x8b, 1, 2, 3, 4]),
    "zip.json": Buffer.from("PK\u0003\u0004rest"),
    "cut.gguf": Buffer.from("GGUF\u0003\u0000\u0000\u0000\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u007f"),
    "bytes.bin": Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256)),
    "no-sections.json": '{"tokenpath":1}',
    "sections-of-wrong-type.json": changed((bundle) => { for (const key of Object.keys(bundle)) if (key !== "tokenpath") bundle[key] = 7; }),
    "ragged.json": changed((bundle) => { bundle.timeline.intervals.start.pop(); }),
    "dangling.json": changed((bundle) => { bundle.timeline.intervals.kernel[0] = 4_000_000; }),
    "negative.json": changed((bundle) => { bundle.passes.rows.start[0] = -5; }),
    "huge-number.json": text.replace(/"start":\[\d+/, '"start":[99999999999999999999999'),
    "no-labels.json": changed((bundle) => { delete bundle.timeline.intervals.labels; }),
    "unknown-field.json": changed((bundle) => { bundle.timeline.intervals.colour = [1]; bundle.later = {}; }),
    "no-absences.json": changed((bundle) => { bundle.absent = []; }),
    "markup.json": text.replaceAll(/"name":\["[^"]*"/g, '"name":["<img src=x onerror=alert(1)>"'),
  };
  for (const [name, content] of Object.entries(files)) {
    await app.choose("#files", file(name, content));
    // Either it opens or the notice names it; both end the opening.
    await app.page.waitForFunction(
      (named) => {
        const refused = document.getElementById("notice").textContent.includes(named);
        return refused || document.getElementById("said").textContent === `Opened ${named}`;
      },
      name,
    ).catch(() => assert.fail(`${name} neither opens nor is refused`));
    assert.equal(await app.page.locator("img").count(), 0, `${name} brings markup in`);
  }
  await app.choose("#files", "fixtures/tiny-moe/run.json.gz");
  await becomes(() => app.page.locator("#lens h1").count(), 1, "the number of headings of a good file after all");
});
