// The numbers on the lenses against tests/oracle/expected, which Python scripts compute from the raw recordings
// without any of this code. An exact number is the title of its rounded form.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { file } from "./bundles.mjs";
import { writeManyTensors } from "./gguf.mjs";
import { browserTest, root } from "./harness.mjs";
import { opens, sample, shows, starts } from "./steps.mjs";

const expected = (name) => JSON.parse(readFileSync(path.join(root, `tests/oracle/expected/${name}.json`)));

/** A table of the lens as rows of cells: text, and the exact numbers in it. */
async function table(app, heading) {
  return app.page.evaluate((heading) => {
    const plain = (text) => text.replaceAll(/[\s\u2009\u202f\u00a0]+/g, " ").trim();
    const head = (table) => [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => plain(cell.innerText || cell.textContent)).join(" ");
    const found = [...document.querySelectorAll("#lens table")].find((table) => head(table).startsWith(heading));
    if (!found) return null;
    return [...found.rows].map((row) => [...row.cells].map((cell) => ({
      text: plain([...cell.childNodes].map((node) => node.textContent).join("")),
      shown: plain(cell.innerText),
      exact: [...cell.querySelectorAll(".v[title]")].map((value) => Number(value.title.replace(/[^0-9.−]+/g, "").replace("−", "-"))),
    })));
  }, heading);
}

const exact = (cell) => cell.exact[0];
const go = async (app, lens, query = "") => {
  await app.page.evaluate((hash) => { location.hash = hash; }, `${lens}${query}`);
  await shows(app, lens);
};

/** The table once it is as `ready` says: an address changes before what it leads to is drawn. */
async function tableWhen(app, heading, ready) {
  const started = Date.now();
  let last;
  while (Date.now() - started < 15_000) {
    last = await table(app, heading);
    if (last && ready(last)) return last;
    await app.page.waitForTimeout(50);
  }
  throw new Error(`the table ${heading} never came: ${JSON.stringify(last?.slice(0, 3))}`);
}

const periods = (rows) => rows.slice(1).map((cells) => cells[5]).map((cell) => exact(cell)).filter((value) => value !== undefined);

browserTest("SmolLM2: passes, periods and bandwidth", async (app) => {
  const known = expected("smollm2");
  await starts(app);
  await app.drop("body", "fixtures/smollm2/run.json.gz");
  await shows(app, "run");
  const rows = (await table(app, "Decode period, by execution")).slice(1);
  for (const [row, from] of [[rows[0], known.callback], [rows[1], known.stamps]]) {
    assert.equal(exact(row[1]), from.decode_period_median_ns);
    assert.equal(exact(row[2]), from.decode_period_mean_ns);
    assert.equal(exact(row[3]), Math.round(from.weight_bytes_per_second_at_mean));
  }
  const titles = await app.page.locator("#lens .v[title]").evaluateAll((all) => all.map((value) => value.title.replace(/[^0-9]/g, "")));
  assert.ok(titles.includes(String(known.weight_bytes_named)), "the weight bytes of one decode token");

  await go(app, "passes", "?execution=0");
  const callback = await tableWhen(app, "Pass Kind", (rows) => exact(rows[1][5]) === known.callback.periods_ns[0]);
  assert.deepEqual(periods(callback), known.callback.periods_ns);
  const byKind = (rows, kind) => rows.slice(1).filter((cells) => cells[1].shown.endsWith(kind)).length;
  assert.equal(byKind(callback, "decode"), known.decode_passes);
  assert.equal(callback.length - 1, known.passes);
  const intervals = callback[0].findIndex((cell) => cell.shown === "Intervals");
  for (const cells of callback.slice(1)) assert.match(cells[intervals].shown, new RegExp(`^${known.nodes_per_decode_pass}$`));

  await go(app, "passes", "?execution=1");
  const stamps = await tableWhen(app, "Pass Kind", (rows) => exact(rows[1][5]) === known.stamps.periods_ns[0]);
  assert.deepEqual(periods(stamps), known.stamps.periods_ns);
  for (const cells of stamps.slice(1)) assert.match(cells[intervals].shown, new RegExp(`^${known.executed_entries}$`));
});

browserTest("SmolLM2: nodes of one decode pass, kernels and operations", async (app) => {
  const known = expected("smollm2");
  await opens(app, "fixtures/smollm2/run.json.gz");
  await go(app, "nodes", "?graph=1");
  await app.page.getByText(`${known.nodes_per_decode_pass} nodes match`).waitFor();
  await go(app, "nodes", "?graph=1&views=no");
  await app.page.getByText(`${known.nodes_not_views} nodes match`).waitFor();
  for (const [operation, count] of Object.entries(known.operations)) {
    await go(app, "nodes", `?graph=1&operation=${operation}`);
    await app.page.getByText(new RegExp(`^${count} nodes? match`)).first().waitFor();
  }

  for (const [execution, kernels] of [[0, known.callback_kernels], [1, known.stamp_kernels]]) {
    const seen = {};
    for (const kind of ["prefill", "decode"]) {
      await go(app, "kernels", `?exec=${execution}&kind=${kind}`);
      const count = kind === "prefill" ? "one prefill pass|1 prefill pass" : `${known.decode_passes} decode passes`;
      await app.page.locator("#lens").getByText(new RegExp(count)).first().waitFor();
      const total = kind === "prefill" ? 1 : known.decode_passes;
      const rows = await tableWhen(app, "Kernel Nodes", (rows) => rows.some((cells) => cells[0].text.startsWith("MUL_MAT q8_0") && Number(cells[2].shown) === total));
      // The last row is the total.
      for (const cells of rows.slice(1, -1)) {
        const name = cells[0].text.split(" (")[0];
        seen[name] ??= { intervals: 0, total_ns: 0 };
        seen[name].intervals += Number(cells[2].shown.replaceAll(/\D/g, ""));
        seen[name].total_ns += exact(cells[3]);
      }
    }
    for (const [name, kernel] of Object.entries(kernels)) assert.deepEqual(seen[name], kernel, `${name} of execution ${execution}`);
    if (execution === 0) {
      const views = Object.entries(seen).find(([name]) => name.startsWith("A view only"))?.[1];
      assert.deepEqual(views, known.callback_views, "views");
    }
  }
});

for (const name of ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"]) {
  browserTest(`${name}: the bytes of every layer and of all tensors`, { path: sample(name, "model") }, async (app) => {
    const known = expected(name);
    await shows(app, "model");
    const rows = await tableWhen(app, "Component Tensors", () => true);
    const layers = rows.filter((cells) => /^Layer \d+$/.test(cells[0].text)).map((cells) => exact(cells[2]));
    assert.deepEqual(layers, known.layer_weight_bytes);
    const total = (await table(app, "Tensor Type")).at(-1);
    assert.match(total[0].text, new RegExp(`^Total of ${known.weights} tensors`));
    assert.equal(total.flatMap((cell) => cell.exact)[0], known.stated_tensor_bytes);
  });
}

browserTest("a model of 60,000 tensors: its table whole, filtered and in the order of bytes", { path: "#model?show=all" }, async (app) => {
  const model = file("many.gguf", "");
  const { tensors, inLayer, largest } = writeManyTensors(model);
  assert.equal(tensors, 60_000);
  await opens(app, model, "model");
  const count = (rows) => Number(rows.at(-1)[0].shown.replaceAll(/\D/g, ""));
  const whole = await tableWhen(app, "Tensor Type", (rows) => count(rows) === tensors);
  // 64 × 64 of two bytes each, once twice that.
  assert.equal(exact(whole.at(-1)[3]), 60_001 * 64 * 64 * 2);
  assert.notEqual(whole[1][0].text.split(" ")[0], largest);

  await app.page.locator("#lens a.sort", { hasText: "Bytes" }).click();
  const sorted = await tableWhen(app, "Tensor Type", (rows) => rows[1][0].text.startsWith(largest));
  assert.equal(exact(sorted[1][3]), 2 * 64 * 64 * 2);

  await app.page.locator("#lens input[type=search]").first().fill("blk.7.");
  const layer = await tableWhen(app, "Tensor Type", (rows) => count(rows) === inLayer);
  assert.equal(exact(layer.at(-1)[3]), (inLayer + 1) * 64 * 64 * 2);
  await app.assertAccessible();
  await app.screenshot("many-tensors");
});

browserTest("a served request: its tokens, chunks and passes", { path: sample("smollm2-server", "passes") }, async (app) => {
  const known = expected("smollm2-server");
  await shows(app, "passes");
  await app.page.evaluate(() => { location.hash = "run"; });
  await shows(app, "run");
  const covered = Object.fromEntries((await tableWhen(app, "Level", () => true)).slice(1).map((cells) => [cells[0].text, cells[2].text]));
  const digits = (text) => text.match(/\d+/g).slice(-2).map(Number);
  assert.deepEqual(digits(covered.Passes), [known.passes, known.passes]);
  assert.deepEqual(digits(covered.Intervals.replaceAll(" ", "").replace("of", " ")), [known.intervals, known.intervals]);
  assert.match(await app.page.locator("#lens").innerText(), new RegExp(`${known.token_arrivals}\\s+tokens arrived`));
});
