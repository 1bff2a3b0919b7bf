// The program `tokenpath` as the browser tests run it: the debug build, with the page of dist/site in it.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "./harness.mjs";

const program = process.env.TOKENPATH_PROGRAM ?? path.join(root, "target/debug/tokenpath");

/** The bundle of a reference capture, relative to the repository. */
export const fixture = (name) => {
  const packed = `fixtures/${name}/run.json.gz`;
  return existsSync(path.join(root, packed)) ? packed : `fixtures/${name}/run.json`;
};

/** The names of the reference captures. */
export const fixtures = readdirSync(path.join(root, "fixtures")).filter((name) => existsSync(path.join(root, fixture(name))));

/** What `tokenpath check --json` says of a file: its exit code and stderr, and what it prints. */
export function judge(file) {
  const { status, stdout, stderr } = spawnSync(program, ["check", "--json", file], { cwd: root, maxBuffer: 2 ** 28 });
  return { code: status, stderr: String(stderr), ...(stdout.length > 0 ? JSON.parse(stdout) : {}) };
}

/** The same of a file that can be read. */
export function check(file) {
  const judged = judge(file);
  assert.ok(judged.code === 0 || judged.code === 1, `${file}: ${judged.stderr}`);
  return judged;
}

/** Publishes recordings into a folder below target, a fresh one unless `again`, and returns it. */
export function publish(name, files, again = false, more = []) {
  const folder = path.join(root, "target/browser-files", name);
  if (!again) rmSync(folder, { recursive: true, force: true });
  execFileSync(program, ["publish", "-o", folder, ...more, ...files], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  return folder;
}

/** Runs `tokenpath open --no-browser` on files and hands its address to `use`; ends it afterwards. */
export async function serving(files, use) {
  const running = spawn(program, ["open", "--no-browser", ...files], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  running.stderr.on("data", (data) => { said += data; });
  try {
    const address = await new Promise((resolve, reject) => {
      let printed = "";
      running.stdout.on("data", (data) => {
        printed += data;
        const found = printed.match(/http:\/\/127\.0\.0\.1:\d+\/\S*/);
        if (found) resolve(found[0]);
      });
      running.once("exit", (code) => reject(new Error(`tokenpath open ended with ${code}: ${said}`)));
    });
    await use(address);
  } finally {
    running.kill("SIGINT");
  }
}
