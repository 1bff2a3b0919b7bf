// Every kind of broken file, opened while a run is open: the page says what `tokenpath check` says, by pointer, and
// goes on. What the right messages are is held by crates/tokenpath-core/tests/broken and crates/tokenpath-cli/tests.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { file, fixture } from "./bundles.mjs";
import { browserTest, root } from "./harness.mjs";
import { judge, publish } from "./program.mjs";
import { lenses, opens, shows } from "./steps.mjs";

const whole = fixture("tiny-dense");
const text = JSON.stringify(whole);
const changed = (change) => {
  const bundle = structuredClone(whole);
  change(bundle);
  return JSON.stringify(bundle);
};
const spaces = gzipSync(Buffer.alloc(1 << 20, " "));

/** Files that are no bundle at all. */
const refused = {
  "cut.json.gz": gzipSync(text).subarray(0, 4000),
  "nested-10000-deep.json": `{"tokenpath":1,"identity":${"[".repeat(10_000)}`,
  "two-gigabytes-of-spaces.json.gz": Buffer.concat(Array(2048).fill(spaces)),
  // Past the white space: the limit on what is inflated ends it.
  "spaces-in-a-bundle.json.gz": Buffer.concat([gzipSync('{"tokenpath":1,'), ...Array(600).fill(spaces)]),
  "cut.json": text.slice(0, text.length / 2),
  "empty.json": "",
  "picture.png": Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
  "no-json.json": "this is no JSON",
};

/** Bundles with one fault; the sections without fault still open. */
const flawed = {
  "key-twice.json": text.replace('{"tokenpath":1,', '{"tokenpath":1,"tokenpath":1,'),
  "missing-field.json": changed((bundle) => { delete bundle.passes.rows.kind; }),
  "dangling.json": changed((bundle) => { bundle.timeline.intervals.kernel[0] = 4_000_000; }),
  "ragged.json": changed((bundle) => { bundle.timeline.intervals.start.pop(); }),
  "null-without-absence.json": changed((bundle) => { bundle.graph.nodes.operation[3] = null; }),
  "absence-at-a-value.json": changed((bundle) => { bundle.absent.push({ ...bundle.absent[0], pointer: "/graph/nodes/operation/3" }); }),
  "overflow.json": text.replace(/"start":\[\d+/, '"start":[99999999999999999999999'),
  "negative.json": changed((bundle) => { bundle.timeline.intervals.duration[0] = -5; }),
  "wrong-word.json": changed((bundle) => { bundle.passes.rows.kind[1] = "sideways"; }),
};

const plain = (text) => text.replaceAll(/\s+/g, " ").trim();

browserTest("what is no bundle is refused in the program's words, and the open run stays", { timeout: 300_000 }, async (app) => {
  await opens(app, "fixtures/tiny-moe/run.json.gz");
  const heading = await app.page.locator("#lens h1").textContent();
  for (const [name, content] of Object.entries(refused)) {
    const made = file(name, content);
    const { code, stderr } = judge(made);
    assert.equal(code, 2, `${name}: ${stderr}`);
    await app.choose("#files", made);
    const alert = app.page.getByRole("alert");
    await alert.getByText(name).first().waitFor({ timeout: 60_000 });
    // "tokenpath: WHAT. ADVICE": the advice may speak of the page instead of the command line.
    const what = plain(stderr).replace(/^tokenpath: /, "").split(/\. /)[0];
    const said = plain(await alert.textContent());
    assert.ok(said.includes(what), `${name}: the page says ${said}; the program: ${what}`);
    assert.equal(await app.page.locator("#lens h1").textContent(), heading, `${name} leaves the run`);
  }
  await app.page.locator("#to-passes").click();
  await shows(app, "passes");
});

browserTest("a flaw is shown by its pointer, in the program's words", { timeout: 300_000 }, async (app) => {
  await opens(app, "fixtures/tiny-moe/run.json.gz");
  for (const [name, content] of Object.entries(flawed)) {
    const made = file(name, content);
    const { code, problems } = judge(made);
    assert.equal(code, 1, name);
    assert.ok(problems.length > 0, name);
    await app.choose("#files", made);
    await app.page.getByRole("status").getByText(`Opened ${name}`).waitFor();
    await app.page.getByRole("heading", { name: "What is wrong with the bundle" }).waitFor();
    const said = plain(await app.page.locator("main").innerText());
    for (const { pointer, text } of problems) {
      assert.ok(said.includes(pointer) && said.includes(plain(text)), `${name}: ${pointer}: ${text} is not in: ${said.slice(0, 1500)}`);
    }
  }
});

const schema = JSON.parse(readFileSync(path.join(root, "spec/bundle.schema.json")));

/**
 * The bundle with the payload in every string that the schema leaves free: all but words of a list and texts of a
 * pattern, and of a label all but its kind.
 */
function poisoned(value, node, payload) {
  if (Array.isArray(value)) return value.map((one) => poisoned(one, node?.items, payload));
  if (value && typeof value === "object") {
    const inner = (name, one) => (name === "labels" ? labelled(one, payload) : poisoned(one, node?.properties?.[name], payload));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(name, one)]));
  }
  return typeof value === "string" && !node?.enum && !node?.pattern && !node?.format ? `${payload}${value}` : value;
}

function labelled(value, payload) {
  if (Array.isArray(value)) return value.map((one) => labelled(one, payload));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, labelled(one, payload)]));
  return typeof value === "string" ? value.replace(/^([a-z]+):/, `$1:${payload.replaceAll("$", "$$$$")}`) : value;
}

const payload = `"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`;

for (const name of ["tiny-moe", "smollm2-server", "synthetic-metal"]) {
  browserTest(`text of ${name} is text, whatever it says`, async (app) => {
    const hostile = file(`hostile-${name}.json`, poisoned(fixture(name), schema, payload));
    assert.deepEqual(judge(hostile).problems.filter(({ notice }) => !notice), [], "the payload is nowhere but in text, so every lens draws it");
    await opens(app, hostile);
    for (const lens of lenses) {
      await app.page.evaluate((hash) => { location.hash = hash; }, `${lens}?sel=node:3`);
      await shows(app, lens);
      assert.equal(await app.page.locator("main img, main script, aside img, aside script, header img").count(), 0, lens);
    }
    assert.match(await app.page.locator("aside").innerText(), /<img src=x onerror=alert\(1\)>/, "the payload is shown as text");

    const site = publish(`hostile-${name}`, [hostile], false, ["--keep-text", "--title", payload]);
    const pages = readdirSync(site, { recursive: true }).filter((page) => page.endsWith(".html"));
    assert.equal(pages.length, lenses.length + 1);
    for (const page of pages) {
      const html = readFileSync(path.join(site, page), "utf8");
      assert.ok(!html.includes("<img") && !html.includes("<script>alert"), page);
      assert.ok(html.includes("&lt;img src=x"), `${page} shows the payload as text`);
    }
  });
}
