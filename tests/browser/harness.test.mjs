// The harness itself: each rule that it holds the tests to must fail a page that breaks the rule.
// Otherwise a change of the driver could switch a rule off and every test would still pass.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { openPage, root } from "./harness.mjs";

const folder = path.join(root, "target/tools/harness-test");

/** Opens a page made of `body` and returns the message with which the harness fails it, or null. */
async function failureOf(body, use = async () => {}) {
  mkdirSync(folder, { recursive: true });
  const page = `<!doctype html><html lang="en"><title>Test</title>
    <link rel="icon" href="data:,"><main><h1>Test</h1>${body}</main></html>`;
  writeFileSync(path.join(folder, "index.html"), page);
  try {
    await openPage({ site: folder }, async (app) => {
      await app.page.waitForLoadState("networkidle");
      await use(app);
    });
    return null;
  } catch (error) {
    return error.message;
  }
}

test("a page with nothing wrong passes", async () => {
  const body = `<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><script>
    new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
    console.warn("a warning is no error");</script>`;
  assert.equal(await failureOf(body, (app) => app.assertAccessible()), null);
});

test("a request to another origin fails", async () => {
  const message = await failureOf(`<script>fetch("http://example.com/x").catch(() => {})</script>`);
  assert.match(message, /http:\/\/example\.com\/x/);
});

test("a request to another port of this machine fails", async () => {
  const message = await failureOf(`<img alt="" src="http://127.0.0.1:9/x">`);
  assert.match(message, /http:\/\/127\.0\.0\.1:9\/x/);
});

test("a worker's request to another origin fails", async () => {
  const message = await failureOf(`<script>
    new Worker(URL.createObjectURL(new Blob(["fetch('http://example.com/w').catch(() => {})"])));
  </script>`, (app) => app.page.waitForTimeout(500));
  assert.match(message, /http:\/\/example\.com\/w/);
});

test("a web socket to another origin fails", async () => {
  const message = await failureOf(`<script>new WebSocket("ws://example.com/s")</script>`);
  assert.match(message, /ws:\/\/example\.com\/s/);
});

test("an exception, a rejected promise and a console error fail", async () => {
  assert.match(await failureOf(`<script>throw new Error("thrown")</script>`), /thrown/);
  assert.match(await failureOf(`<script>Promise.reject(new Error("rejected"))</script>`), /rejected/);
  assert.match(await failureOf(`<script>console.error("written")</script>`), /written/);
});

test("a missing file fails", async () => {
  assert.match(await failureOf(`<img alt="" src="none.png">`), /none\.png/);
});

test("what axe-core finds fails, in the dark theme too", async () => {
  const accessible = (app) => app.assertAccessible();
  assert.match(await failureOf(`<img src="data:,x">`, accessible), /image-alt/);
  const faintInTheDark = `<style>p { color: #000; background: #fff }
    @media (prefers-color-scheme: dark) { p { color: #111; background: #000 } }</style><p>Text</p>`;
  assert.match(await failureOf(faintInTheDark, accessible), /dark: color-contrast/);
});

test("dropped and chosen files arrive", async () => {
  const body = `<label>Files <input type="file" multiple></label><pre></pre><script>
    const show = async (files) => {
      const texts = await Promise.all([...files].map(async (f) => f.name + "=" + (await f.text()).split("\\n")[0]));
      document.querySelector("pre").textContent += texts.join() + ";";
    };
    addEventListener("change", () => document.querySelector("h1").textContent += "!", true);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => { event.preventDefault(); show(event.dataTransfer.files); });
    document.querySelector("input").addEventListener("change", (event) => show(event.target.files));
  </script>`;
  const failure = await failureOf(body, async (app) => {
    await app.drop("main", "Cargo.toml", "tests/Cargo.toml");
    await app.page.getByText("Cargo.toml=[workspace],Cargo.toml=[package]").waitFor();
    assert.equal(await app.page.textContent("h1"), "Test", "a drop is no change of an input");
    await app.choose("input", "Cargo.toml");
    await app.page.getByText(";Cargo.toml=[workspace]").waitFor();
  });
  assert.equal(failure, null);
});
