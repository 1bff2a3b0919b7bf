// What the program makes of recordings, in a browser: published sites, the page it serves, and one verdict everywhere.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { test } from "node:test";
import { browserTest, openPage, root } from "./harness.mjs";
import { check, fixture, fixtures, publish, serving } from "./program.mjs";
import { becomes, lenses, opens, shows } from "./steps.mjs";

const site = publish("published", fixtures.map(fixture));
const html = (lens) => (lens === "run" ? "index.html" : `${lens}.html`);

/** The verdict as the Traversal lens shows it, in the terms of `check --json`. */
async function shownVerdict(app) {
  return app.page.evaluate(() => {
    const plain = (element) => element?.textContent.replaceAll(/[\s\u2009\u202f\u00a0]+/g, " ").trim() ?? "";
    const number = (text) => Number(text.replaceAll(/\D/g, ""));
    const chip = plain(document.getElementById("verdict"));
    const table = [...document.querySelectorAll("#lens table")].find((table) => plain(table.tHead).includes("How they end"));
    const rows = [...(table?.tBodies[0].rows ?? [])].map((row) => [...row.cells]);
    const gaps = rows.filter((cells) => plain(cells[1]).startsWith("gap")).map((cells) => ({
      chains: number(plain(cells[0])),
      pointer: plain(cells[2].querySelector("code")),
      reason: plain(cells[2]),
    }));
    const ending = (word) => rows.filter((cells) => plain(cells[1]).startsWith(word)).reduce((sum, cells) => sum + number(plain(cells[0])), 0);
    const down = plain(document.querySelector("#lens")).match(/Down, from ([\d ]+) components?: ([\d ]+) reach(?:es)? intervals of the pass, ([\d ]+) ends? at an answer, ([\d ]+) meets? a gap/);
    return { chip, gaps, terminal: ending("terminal"), resolved: ending("resolved"), down: down?.slice(1).map(number) };
  });
}

function agrees(shown, { verdict }, where) {
  const { outcome, gaps } = verdict;
  const word = { pass: "pass", fail: "fail", not_applicable: "no verdict" }[outcome];
  assert.ok(word, `an outcome that is known: ${outcome}`);
  assert.ok(shown.chip.startsWith(word), `${where}: ${shown.chip}`);
  if (outcome === "fail") assert.match(shown.chip, new RegExp(`(^|\\D)${gaps.length} gaps?\\b`), where);
  assert.equal(shown.gaps.length, gaps.length, where);
  for (const gap of gaps) {
    const same = shown.gaps.find(({ pointer, chains }) => pointer === gap.pointer && chains === gap.chains);
    assert.ok(same?.reason.includes(gap.reason), `${where} shows ${JSON.stringify(gap)}: ${JSON.stringify(shown.gaps)}`);
  }
  if (outcome === "not_applicable") return;
  assert.equal(shown.terminal, verdict.up.terminal, where);
  assert.equal(shown.resolved, verdict.up.resolved, where);
  const { total, resolved, terminal, gap } = verdict.down;
  assert.deepEqual(shown.down, [total, resolved, terminal, gap], where);
}

for (const name of fixtures) {
  browserTest(`${name}: page, published page and check give one verdict`, async (app) => {
    const checked = check(fixture(name));
    await opens(app, fixture(name));
    await app.page.locator("#to-traversal").click();
    await shows(app, "traversal");
    agrees(await shownVerdict(app), checked, "the page");
    await openPage({ site, path: `${name}/traversal.html`, context: { javaScriptEnabled: true } }, async (published) => {
      agrees(await shownVerdict(published), checked, "the published page");
    });
  });
}

test("the verdicts of the reference captures are the known ones", () => {
  // tests/oracle and fixtures/README.md: five gaps are planted in the synthetic run, none exists in a llama.cpp capture,
  // and a client sees nothing of what the server does.
  const outcomes = Object.fromEntries(fixtures.map((name) => [name, check(fixture(name)).verdict]));
  for (const name of ["smollm2", "smollm2-server", "tiny-dense", "tiny-moe", "tiny-hybrid"]) assert.equal(outcomes[name].outcome, "pass", name);
  assert.deepEqual([outcomes["synthetic-metal"].outcome, outcomes["synthetic-metal"].gaps.length], ["fail", 5]);
  for (const name of ["user-chat", "user-chat-no-usage"]) assert.equal(outcomes[name].outcome, "not_applicable", name);
});

browserTest("a published site reads without scripts, marks the verdict as the generator's, and leads on", { site, context: { javaScriptEnabled: false } }, async (app) => {
  await app.page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await app.page.locator("main a[href]").count() >= fixtures.length, true, "the index names every recording");
  await app.screenshot("published-index");
  for (const name of ["smollm2-server", "synthetic-metal", "user-chat"]) {
    for (const lens of lenses) {
      await app.page.goto(`${app.origin}/${name}/${html(lens)}`);
      assert.equal(await app.page.locator("main h1").count(), 1, `${name} ${lens}`);
      assert.ok((await app.page.locator("main").innerText()).length > 60, `${name} ${lens} says something`);
      assert.equal(await app.page.locator(".live:visible").count(), 0, `${name} ${lens} offers nothing that cannot work`);
      // Every link to another lens is a page of the site.
      for (const link of await app.page.locator("#rail a").all()) {
        const to = new URL(await link.getAttribute("href"), app.page.url());
        assert.ok(readdirSync(path.join(site, name)).includes(path.basename(to.pathname)), to.href);
      }
      await app.screenshot(`published-${name}-${lens}`);
    }
  }
  await app.page.goto(`${app.origin}/smollm2-server/traversal.html`);
  await app.page.getByText("computed by the generator from a committed run").waitFor();
  await app.page.goto(`${app.origin}/smollm2-server/nodes.html`);
  // 936 nodes in each of 3 graphs: tests/oracle/expected/smollm2-server.json.
  assert.match(await app.page.locator("main h1").innerText(), /2808 nodes/);
});

browserTest("a published page comes alive where scripts run", { site, path: "smollm2-server/nodes.html" }, async (app) => {
  await app.page.locator("html.live").waitFor({ state: "attached" });
  await shows(app, "nodes");
  await app.page.locator('#lens a[href*="sel=node:"]').nth(3).click();
  await app.page.locator("#inspector").getByText(/node \d+/).first().waitFor();
  await app.page.waitForFunction(() => location.hash.includes("sel=node:"));
  await app.page.locator("#to-kernels").click();
  await app.page.getByRole("heading", { level: 1, name: /listed time|kernels/ }).waitFor();
  await app.assertAccessible();
  await app.page.locator("#to-traversal").click();
  await app.page.getByText("computed by").first().waitFor();
});

test("publishing again gives the same bytes and leaves what it did not write", () => {
  const folder = publish("twice", [fixture("tiny-dense")]);
  for (const name of ["CNAME", "tiny-dense/notes.html"]) writeFileSync(path.join(folder, name), "kept");
  const files = (dir) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
  const contents = () => files(folder).map((file) => [file, readFileSync(file).toString("base64")]);
  const before = contents();
  publish("twice", [fixture("tiny-dense")], true);
  const after = contents();
  assert.deepEqual(after.map(([file]) => file), before.map(([file]) => file));
  for (const [at, [file, content]] of after.entries()) assert.equal(content, before[at][1], file);
});

test("the program serves the page and the file on this machine alone", { timeout: 120_000 }, async () => {
  await serving([fixture("smollm2-server")], async (address) => {
    await openPage({ path: address }, async (app) => {
      await shows(app, "run");
      assert.match(await app.page.locator("#lens h1").innerText(), /SmolLM2/);
      await app.page.locator("#to-passes").click();
      await shows(app, "passes");
      await app.page.reload();
      await shows(app, "passes");
    });
    const status = (headers) => new Promise((resolve, reject) => {
      request(address, { headers }, (response) => { response.resume(); resolve(response.statusCode); }).on("error", reject).end();
    });
    assert.equal(await status({}), 200);
    assert.equal(await status({ Host: "evil.example" }), 403, "another name for this machine is refused: DNS rebinding");
  });
});

test("files that are no one run are refused before anything is served", async () => {
  const two = [fixture("tiny-dense"), fixture("tiny-moe")];
  await assert.rejects(serving(two, async () => {}), /ended with 2.*do not belong to one run \(rule one-of-each\)/s);
});

const data = process.env.TOKENPATH_EXTRA_DATA ?? path.resolve(root, "../shared/data");
const capture = ["capture_SmolLM2-135M-Instruct.Q4_1.json.gz", "capture_SmolLM2-135M-Instruct.Q4_1.abort.json.gz"]
  .map((name) => path.join(data, "llamacpp", name));
const skip = existsSync(capture[0]) ? false : "the optional extra test data is not there";
test("several files that the program is given become one run", { skip, timeout: 120_000 }, async () => {
  await serving(capture, async (address) => {
    await openPage({ path: address }, async (app) => {
      await shows(app, "run");
      assert.match(await app.page.locator("#lens h1").innerText(), /14 passes/);
      await app.page.locator("#to-passes").click();
      // One way of executing from each of the two files.
      await becomes(() => app.page.locator("#lens .tabs a").count(), 2, "the ways of executing");
    });
  });
});
