// How long the page takes; not a test, nothing fails on a time.
//
//     cargo xtask web && node tests/browser/bench.mjs [RUNS]
//
// Prints one table of medians: what is loaded before a file is opened; from dropping a bundle of
// about 10 MB (made from the capture smollm2-server by repeating its passes) to its first lens, and
// the longest that the main thread was blocked meanwhile; a keystroke in the filter of the nodes;
// frames of the timeline while it is dragged; from dropping a model file of 5 GB to its Model anatomy; the same for a
// file of 60,000 tensors, and a keystroke in the filter of its table and a change of its order; from dropping a trace of
// 60,000 and of a million kernels, and one of 2 GB, to its first lens.
// Times are of headless Chromium without a GPU.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { file, fixture, repeated } from "./bundles.mjs";
import { writeLargeModel, writeManyTensors } from "./gguf.mjs";
import { openPage, root } from "./harness.mjs";
import { opens, shows, starts } from "./steps.mjs";

const runs = Number(process.argv[2] ?? 5);
const site = path.join(root, "dist/site");

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Notes every task of the main thread that blocks it for longer than 50 ms, and every frame. */
const watch = () => {
  globalThis.blocked = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.blocked.push(entry.duration);
  }).observe({ entryTypes: ["longtask"] });
  // Shorter blocks show as late timers.
  globalThis.latest = 0;
  let last = performance.now();
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    const now = performance.now();
    globalThis.latest = Math.max(globalThis.latest, now - last);
    last = now;
    channel.port2.postMessage(0);
  };
  channel.port2.postMessage(0);
};

async function open(large) {
  let result;
  await openPage({}, async (app) => {
    await starts(app);
    await app.page.evaluate(watch);
    // The clock starts when the page gets the file and stops when the first lens is in the document.
    await app.page.evaluate(() => {
      globalThis.latest = 0;
      document.getElementById("files").addEventListener("change", () => { globalThis.began = performance.now(); }, true);
      new MutationObserver(() => {
        if (document.querySelector("#to-run[aria-current]")) globalThis.shown ??= performance.now();
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await app.choose("#files", large);
    await shows(app, "run");
    result = await app.page.evaluate(() => ({ open: globalThis.shown - globalThis.began, blocked: globalThis.latest }));

    await app.page.locator("#to-nodes").click();
    await shows(app, "nodes");
    const filter = app.page.locator("#lens input[type=search]").first();
    const keystrokes = [];
    for (const key of "ffn_gate") {
      await filter.focus();
      const took = await app.page.evaluate((key) => new Promise((resolve) => {
        const input = document.activeElement;
        const began = performance.now();
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(performance.now() - began); });
        observer.observe(document.getElementById("lens"), { subtree: true, childList: true, characterData: true, attributes: true });
        input.value += key;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        setTimeout(() => resolve(null), 2000);
      }), key);
      if (took !== null) keystrokes.push(took);
    }
    result.keystroke = median(keystrokes);

    const frames = await drag(app);
    result.frame50 = percentile(frames, 0.5);
    result.frame95 = percentile(frames, 0.95);
  });
  return result;
}

/** The gaps between frames, in milliseconds, while the timeline of all there is, twice as close, is dragged. */
async function drag(app) {
  await app.page.locator("#to-timeline").click();
  await shows(app, "timeline");
  await app.page.waitForFunction(() => document.querySelector("#timeline canvas")?.width > 0);
  await app.page.keyboard.press("w");
  await app.page.locator("#timeline-fit").click();
  await app.page.waitForTimeout(600);
  const box = await app.page.locator("#timeline canvas").boundingBox();
  await app.page.keyboard.press("w");
  await app.page.keyboard.press("w");
  return app.page.evaluate((box) => new Promise((resolve) => {
    const stage = document.getElementById("timeline");
    const gaps = [];
    let last = performance.now();
    let x = box.x + box.width / 2;
    const y = box.y + box.height * 0.6;
    const fire = (type, buttons) => stage.dispatchEvent(new PointerEvent(type, {
      bubbles: true, clientX: x, clientY: y, buttons, button: type === "pointermove" ? -1 : 0, pointerId: 1,
    }));
    stage.setPointerCapture = () => {};
    fire("pointerdown", 1);
    let count = 0;
    const step = (now) => {
      gaps.push(now - last);
      last = now;
      x += count % 60 < 30 ? 4 : -4;
      fire("pointermove", 1);
      count += 1;
      if (count < 120) requestAnimationFrame(step);
      else { fire("pointerup", 0); resolve(gaps.slice(2)); }
    };
    requestAnimationFrame(step);
  }), box);
}

/** The same of a trace. */
async function dragTrace(where) {
  let frames;
  await openPage({}, async (app) => {
    await opens(app, where);
    frames = await drag(app);
  });
  return frames;
}

/** From the page getting a file to its lens, with the engine not yet loaded, and again with it. */
async function openFile(where, lens) {
  const result = {};
  await openPage({ path: `#${lens}` }, async (app) => {
    await starts(app);
    app.page.on("console", (message) => {
      result.memory ??= Number(/(\d+) bytes of memory were needed/.exec(message.text())?.[1]);
    });
    await app.page.evaluate((lens) => {
      document.getElementById("files").addEventListener("change", () => {
        globalThis.began = performance.now();
        globalThis.shown = undefined;
        // What was shown before is no answer.
        document.querySelector("#lens h1")?.remove();
      }, true);
      new MutationObserver(() => {
        if (document.querySelector(`#to-${lens}[aria-current]`) && document.querySelector("#lens h1")) globalThis.shown ??= performance.now();
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    }, lens);
    for (const key of ["first", "again"]) {
      await app.choose("#files", where);
      await app.page.waitForFunction(() => globalThis.shown);
      result[key] = await app.page.evaluate(() => globalThis.shown - globalThis.began);
    }
  });
  return result;
}

/** From an input or a click to the changed lens, in milliseconds, in the table of every tensor. */
async function changeTable(where) {
  const result = {};
  await openPage({ path: "#model?show=all" }, async (app) => {
    await opens(app, where, "model");
    const changed = (act, argument) => app.page.evaluate(([act, argument]) => new Promise((resolve, reject) => {
      const began = performance.now();
      const observer = new MutationObserver(() => { observer.disconnect(); resolve(performance.now() - began); });
      observer.observe(document.getElementById("lens"), { subtree: true, childList: true, characterData: true });
      setTimeout(() => reject(new Error(`nothing changed after ${act} ${argument}`)), 5000);
      if (act === "click") document.querySelector(argument).click();
      else {
        const input = document.querySelector("#lens input[type=search]");
        input.value += argument;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
    }), [act, argument]);
    await app.page.locator("#lens input[type=search]").waitFor();
    result.sort = await changed("click", "#lens a.sort[href*=bytes]");
    const keystrokes = [];
    // Each key leaves fewer rows: one that leaves all changes nothing on the page.
    for (const key of "7.f") keystrokes.push(await changed("key", key));
    result.keystroke = median(keystrokes);
  });
  return result;
}

/** From the navigation to the page being usable, with an empty cache. */
async function start() {
  let took;
  await openPage({}, async (app) => {
    await starts(app);
    took = await app.page.evaluate(() => performance.now());
  });
  return took;
}

test("bench", { timeout: 1_800_000 }, async () => {
  const bundle = repeated(fixture("smollm2-server"), 8);
  const intervals = bundle.timeline.intervals.start.length;
  const large = file("bench.json", bundle);
  const bytes = statSync(large).size;

  const model = path.join(root, "target/browser-files/bench.gguf");
  const written = writeLargeModel(model);

  const many = path.join(root, "target/browser-files/many.gguf");
  const manyWritten = writeManyTensors(many);

  const traces = [[60_000, 0], [1_000_000, 0], [20_000, 2000]].map(([kernels, beside]) => {
    const where = file(`bench-${kernels}.sqlite`, "");
    const generator = path.join(root, "tests/oracle/nsys_generate.py");
    execFileSync("python3", [generator, where, "--kernels", String(kernels), "--beside", String(beside)]);
    return { kernels, where, bytes: statSync(where).size, results: [] };
  });

  const dragged = [];
  const results = [];
  const models = [];
  const manyModels = [];
  const tables = [];
  const starts = [];
  for (let run = 0; run < runs; run += 1) {
    starts.push(await start());
    results.push(await open(large));
    models.push(await openFile(model, "model"));
    manyModels.push(await openFile(many, "model"));
    for (const trace of traces) trace.results.push(await openFile(trace.where, "run"));
    dragged.push(...await dragTrace(traces[1].where));
    tables.push(await changeTable(many));
  }
  const sizes = readdirSync(site).filter((name) => statSync(path.join(site, name)).isFile()).map((name) => {
    const content = readFileSync(path.join(site, name));
    return { name, raw: content.length, gzip: gzipSync(content, { level: 9 }).length };
  });
  const onDemand = ["engine", "trace"];
  const moduleOf = (name) => onDemand.find((module) => name === `${module}.js` || name === `${module}_bg.wasm`);
  const load = (module) => {
    const files = sizes.filter(({ name }) => moduleOf(name) === module);
    return [`${files.reduce((sum, size) => sum + size.gzip, 0)} B`, files.map(({ name, gzip }) => `${name} ${gzip}`).join(", ")];
  };
  const of = (key) => results.map((result) => result[key]);
  const lines = [
    ["first load, gzip", ...load(undefined)],
    ["loaded when a file is opened, gzip", ...load("engine")],
    ["loaded when a trace is opened, gzip", ...load("trace")],
    ["page usable", `${median(starts).toFixed(0)} ms`, "from the navigation, nothing cached"],
    ["bundle to first lens", `${median(of("open")).toFixed(0)} ms`, `${(bytes / 1e6).toFixed(1)} MB, ${intervals} intervals`],
    ["longest block of the main thread", `${median(of("blocked")).toFixed(0)} ms`, "while opening"],
    ["filter keystroke", `${median(of("keystroke")).toFixed(0)} ms`, "nodes, to the changed table"],
    ["timeline frame while dragging, p50", `${median(of("frame50")).toFixed(1)} ms`, "1440 x 1000 window"],
    ["timeline frame while dragging, p95", `${median(of("frame95")).toFixed(1)} ms`, ""],
    ["model file to its anatomy, engine not loaded", `${median(models.map(({ first }) => first)).toFixed(0)} ms`, `${(written.length / 1e9).toFixed(2)} GB, ${written.tensors} tensors`],
    ["the same, engine loaded", `${median(models.map(({ again }) => again)).toFixed(0)} ms`, ""],
    ["model file to its anatomy, engine not loaded", `${median(manyModels.map(({ first }) => first)).toFixed(0)} ms`, `${manyWritten.tensors} tensors in 300 layers`],
    ["the same, engine loaded", `${median(manyModels.map(({ again }) => again)).toFixed(0)} ms`, ""],
    ["its tensor table in another order", `${median(tables.map(({ sort }) => sort)).toFixed(0)} ms`, ""],
    ["its tensor table, filter keystroke", `${median(tables.map(({ keystroke }) => keystroke)).toFixed(0)} ms`, ""],
    ["timeline frame while dragging, p50 and p95", [0.5, 0.95].map((share) => `${percentile(dragged, share).toFixed(1)} ms`).join(", "), `${traces[1].kernels} kernels and as many calls`],
    ...traces.flatMap(({ kernels, bytes, results }) => {
      const of = `${(bytes / 1e6).toFixed(0)} MB, ${kernels} kernels, ${(results[0].memory / 1e6).toFixed(0)} MB of memory`;
      return [
        ["trace to the Run lens, neither module loaded", `${median(results.map(({ first }) => first)).toFixed(0)} ms`, of],
        ["the same, the engine loaded", `${median(results.map(({ again }) => again)).toFixed(0)} ms`, ""],
      ];
    }),
  ];
  console.log(`\n${os.cpus()[0].model}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}, medians of ${runs} runs\n`);
  console.log(`| what | median | of |\n|---|---|---|`);
  for (const line of lines) console.log(`| ${line.join(" | ")} |`);
});
