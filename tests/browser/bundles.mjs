// Files that the browser tests open: the reference captures, and bundles made from them by a stated
// change. Made files lie in target/browser-files and are made anew by each test.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { root } from "./harness.mjs";

const folder = path.join(root, "target/browser-files");

/** The bundle of a reference capture, parsed. Its integers are all exact as numbers (below 2^53). */
export function fixture(name) {
  return JSON.parse(gunzipSync(readFileSync(path.join(root, "fixtures", name, "run.json.gz"))));
}

/** Writes a file to open and returns its path. `content` is bytes, text, or a value to write as JSON. */
export function file(name, content) {
  mkdirSync(folder, { recursive: true });
  const where = path.join(folder, name);
  const raw = Buffer.isBuffer(content) || typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(where, name.endsWith(".gz") && !Buffer.isBuffer(content) ? gzipSync(raw) : raw);
  return where;
}

/**
 * The bundle with its passes and everything on the trace clock `times` times over, one after the
 * other: as valid as the original, and as long as one wants.
 */
export function repeated(bundle, times) {
  const { passes, timeline } = bundle;
  const length = timeline.end - timeline.start;
  // What counts nanoseconds moves on; what refers to a repeated table counts on; the rest is the same again.
  const onClock = new Set(["start", "end"]);
  const rowsOf = { pass: passes.rows, submission: timeline.submissions, segment: timeline.segments };
  const counts = Object.fromEntries(Object.entries(rowsOf).map(([column, table]) => [column, rows(table)]));
  const tables = [["/passes/rows", passes.rows]];
  for (const name of ["submissions", "segments", "intervals", "calls", "copies", "ranges", "unrecorded"]) {
    if (timeline[name]?.start) tables.push([`/timeline/${name}`, timeline[name]]);
  }
  const absent = [...bundle.absent];
  for (const [pointer, table] of tables) {
    const before = rows(table);
    for (const [column, values] of Object.entries(table)) {
      if (!Array.isArray(values)) continue;
      const step = onClock.has(column) ? length : (counts[column] ?? 0);
      const all = values.slice();
      for (let time = 1; time < times; time += 1) {
        for (const value of values) all.push(typeof value === "number" ? value + step * time : value);
      }
      table[column] = all;
    }
    for (const label of Object.values(table.labels ?? {})) {
      if (typeof label !== "object") continue;
      label.rows = Array.from({ length: times }, () => label.rows).flat();
    }
    for (const entry of bundle.absent) {
      const cell = entry.pointer.match(new RegExp(`^${pointer}/([a-z_]+)/([0-9]+)$`));
      if (!cell) continue;
      for (let time = 1; time < times; time += 1) {
        absent.push({ ...entry, pointer: `${pointer}/${cell[1]}/${Number(cell[2]) + before * time}` });
      }
    }
  }
  timeline.end += length * (times - 1);
  bundle.absent = absent;
  return bundle;
}

function rows(table) {
  return table?.start?.length ?? 0;
}
