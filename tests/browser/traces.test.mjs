// Traces in SQLite: read in the page, block by block, by a module that loads when one is opened. The files are made by
// tests/oracle/nsys_generate.py, which says what a reader must find in them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { file } from "./bundles.mjs";
import { browserTest, root } from "./harness.mjs";
import { becomes, lenses, opens, shows, starts } from "./steps.mjs";

/** Makes an export of 400 kernels' names and returns its path. */
function exported(name, ...options) {
  const where = file(name, "");
  execFileSync("python3", [path.join(root, "tests/oracle/nsys_generate.py"), where, ...options.map(String)]);
  return where;
}

/** What the console says about memory, in bytes; a module's memory only grows. */
function memoryOf(app) {
  return new Promise((resolve) => {
    app.page.on("console", (message) => {
      const found = /(\d+) bytes of memory were needed/.exec(message.text());
      if (found) resolve(Number(found[1]));
    });
  });
}

browserTest("an export opens in the page, and what reads it loads only then", async (app) => {
  const trace = exported("plain.sqlite", "--kernels", 10_000);
  const asked = (name) => app.requests.includes(`${app.origin}/${name}`);
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  assert.ok(!asked("trace_bg.wasm"), "a bundle needs no SQLite");
  await opens(app, trace);
  await app.page.locator(".ident b").getByText("plain.sqlite").waitFor();
  assert.ok(asked("trace_bg.wasm"));
  // Kernels, kernels named and calls that launched one, as the generator writes them.
  const covers = await app.page.locator("#lens").innerText();
  assert.match(covers, /10.000 of 10.000\s+intervals named; 400 kernels/);
  await app.assertAccessible();
  await app.screenshot("trace");
  // The tables that hold environment, user, host and paths have planted texts; no lens has one.
  for (const lens of lenses) {
    await app.page.locator(`#to-${lens}`).click();
    await shows(app, lens);
    const page = await app.page.content();
    for (const secret of ["hunter2", "zeta-user", "zeta-host", "/srv/zeta"]) {
      assert.ok(!page.includes(secret), `${lens} holds ${secret}`);
    }
  }
});

browserTest("an export larger than the memory it needs opens, with kernels in each of its parts", async (app) => {
  // A bound of 64 MiB for a file of more than 300 MB: 32 MiB of blocks and SQLite's own 16 MiB of pages are the most that is
  // kept of any file; the rest is the run.
  const trace = exported("large.sqlite", "--kernels", 20_000, "--beside", 330);
  assert.ok(statSync(trace).size > 300e6);
  const memory = memoryOf(app);
  await opens(app, trace);
  assert.match(await app.page.locator("#lens").innerText(), /20.000 of 20.000\s+intervals named/);
  const needed = await memory;
  assert.ok(needed < 64 << 20, `${needed} bytes of memory for a file of ${statSync(trace).size}`);
});

browserTest("reading an export shows how far it is and can be cancelled, and what was open stays", async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const heading = await app.page.locator("#lens h1").textContent();
  const trace = exported("cancelled.sqlite", "--kernels", 400_000, "--beside", 330);
  await app.choose("#files", trace);
  const opening = app.page.getByRole("region", { name: "Opening" });
  await opening.getByText(/Reading cancelled\.sqlite/).waitFor();
  await app.screenshot("trace-opening");
  await opening.getByRole("button", { name: "Cancel" }).click();
  await becomes(() => opening.isVisible(), false, "the progress bar's visibility");
  await app.page.getByRole("status").getByText("Cancelled").waitFor();
  assert.equal(await app.page.locator("#lens h1").textContent(), heading);
});

browserTest("each file that is no export says what it is instead, and the run that is open stays", async (app) => {
  await opens(app, "fixtures/tiny-dense/run.json.gz");
  const whole = readFileSync(exported("whole.sqlite", "--kernels", 400));
  const other = file("other.sqlite", "");
  execFileSync("python3", ["-c", "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('CREATE TABLE notes(text)'); d.commit()", other]);
  // As SQLite writes it where a database has neither table nor row: a page that is empty.
  const empty = file("no-tables.sqlite", "");
  execFileSync("python3", ["-c", "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('PRAGMA user_version = 1'); d.commit()", empty]);
  const noise = Buffer.from(whole);
  noise.fill(0xa5, 100, 4096);
  for (const [given, said] of [
    [file("header.sqlite", whole.subarray(0, 100)), /holds 100 bytes, which is less than its first page of 4096/],
    [file("noise.sqlite", noise), /list of tables cannot be read|encrypted/],
    [other, /without a table of Nsight Systems; it holds notes/],
    [empty, /without any table/],
  ]) {
    await app.choose("#files", given);
    const alert = app.page.getByRole("alert");
    await alert.getByText(said).waitFor();
    await alert.getByText("The run that was open stays open.").waitFor();
    await alert.getByRole("button", { name: "Close" }).click();
  }
  const twice = file("again.sqlite", "");
  copyFileSync(file("whole.sqlite", whole), twice);
  await app.choose("#files", file("whole.sqlite", whole), twice);
  await app.page.getByRole("alert").getByText("Two traces were given; a run is made from one.").waitFor();
  await app.assertAccessible();
  await app.screenshot("trace-refused");
});

browserTest("what is odd about an export is said beside the run: a log that may lie beside it, an end that is missing", async (app) => {
  const bytes = readFileSync(exported("odd.sqlite", "--kernels", 10_000));
  const log = Buffer.from(bytes);
  // The header's versions for writing and reading, as `PRAGMA journal_mode = WAL` leaves them.
  log.fill(2, 18, 20);
  await opens(app, file("log.sqlite", log));
  await app.page.locator("#notice").getByText(/written with a write-ahead log/).waitFor();
  assert.match(await app.page.locator("#lens").innerText(), /10.000 of 10.000\s+intervals named/);
  const half = file("half.sqlite", bytes.subarray(0, bytes.length / 2));
  writeFileSync(half, bytes.subarray(0, Math.floor(bytes.length / 2 / 4096) * 4096));
  await starts(app);
  await app.choose("#files", half);
  await app.page.locator("#notice").getByText(/shorter than it states/).waitFor();
  assert.match(await app.page.locator("#lens").innerText(), /\d[\d\s]* of \d[\d\s]*\s+intervals named/);
  await app.screenshot("trace-cut-off");
});

browserTest("a run is of one device, and the others are offered", async (app) => {
  // `odd` writes five usable kernels of device 0 and four of device 1.
  const trace = file("devices.sqlite", "");
  const program = "import sys; sys.path.insert(0, 'tests/oracle'); import nsys_generate; nsys_generate.odd(sys.argv[1], '3.25.0')";
  execFileSync("python3", ["-B", "-c", program, trace], { cwd: root });
  await opens(app, trace);
  const notice = app.page.locator("#notice");
  await notice.getByText("It has devices 0, 1; the run is of device 0.").waitFor();
  assert.match(await app.page.locator("#lens").innerText(), /5 of 5\s+intervals named/);
  await app.assertAccessible();
  await app.screenshot("trace-devices");
  await notice.getByRole("button", { name: "Open device 1" }).click();
  await notice.getByText("It has devices 0, 1; the run is of device 1.").waitFor();
  assert.match(await app.page.locator("#lens").innerText(), /4 of 4\s+intervals named/);
  await notice.getByRole("button", { name: "Open device 0" }).waitFor();
});
