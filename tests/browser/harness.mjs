// The harness of the browser tests: a server of the built site, a Chromium, and rules that every
// test is held to without asking.
//
// A test is a call of `browserTest`:
//
//     import { browserTest } from "./harness.mjs";
//
//     browserTest("a bundle opens on the Run lens", async (app) => {
//       await app.drop("#app", "fixtures/NAME/run.json.gz");
//       await app.page.getByRole("heading", { level: 1 }).waitFor();
//       await app.assertAccessible();            // axe-core, light and dark
//       await app.screenshot("run");             // target/screenshots/run.png
//     });
//
// `app.page` is Playwright's page (https://playwright.dev/docs/api/class-page), already at the
// site's start page; everything that Playwright can do is done through it. When the test's function
// has returned, the harness fails the test if, at any time,
//   - the page asked for anything outside its own origin (workers included; blob: and data: are the
//     page's own). Chromium resolves no name but 127.0.0.1, so such a request cannot leave either;
//   - the console showed an error, a script threw, or a promise was rejected without a handler;
//   - the server was asked for a file that the site does not have.
// An error that a test provokes on purpose is named in its options: `allowErrors: [/pattern/]`.
//
// Options, as the second argument:
//   path      what to open, relative to the site ("#kernels?k=12"), or a whole URL (file://...);
//             null opens nothing                                              (default "")
//   site      the folder to serve            (default dist/site, which cargo xtask web writes)
//   theme     "light" or "dark"                                               (default "light")
//   viewport  { width, height } in CSS pixels                                 (default 1440 x 1000)
//   context   further options of Playwright's browser.newContext
//   allowErrors  patterns of errors that are part of the test                 (default none)
//   allowMissing true when the test asks for a file that the site does not have
//   timeout   milliseconds for the whole test                                 (default 120000)
//
// `cargo xtask test --only browser` runs every tests/browser/*.test.mjs. One file alone, once that
// has installed the packages:
//     node --test tests/browser/page.test.mjs
// Files run one after another, each in its own Chromium; the tests of a file share that Chromium
// but nothing in it: each has a context (storage, cache) of its own.

import assert from "node:assert/strict";
import { createReadStream, mkdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

/** The top folder of the repository. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

// The packages do not lie beside this file: the repository holds no node_modules.
const modules = process.env.TOKENPATH_NODE_MODULES ?? path.join(root, "target/tools/node/node_modules");
const require = createRequire(path.join(modules, "resolve-from-here.cjs"));
const { chromium } = require("playwright-core");
const axeFile = require.resolve("axe-core/axe.min.js");

// The rows of a table come from one template: its first ones stand for the others, of which there are thousands.
const examined = { include: [["html"]], exclude: [["tbody tr:nth-child(n+30)"]] };

// What the two themes can differ in.
const colourRules = ["color-contrast", "link-in-text-block"];

const chromiumArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

const mediaTypes = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".gz": "application/gzip",
};

let browser;
async function sharedBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.TOKENPATH_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: chromiumArguments,
  });
  return browser;
}
after(async () => {
  await browser?.close();
});

/**
 * Serves a folder on a free port of 127.0.0.1.
 * @returns {Promise<{origin: string, missing: string[], close: () => Promise<void>}>} `missing`
 *   fills with the paths that were asked for and not found.
 */
export async function serveFolder(folder) {
  const missing = [];
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname);
    // The URL has been normalised, so it holds no ".." that could leave the folder.
    const file = path.join(folder, name.endsWith("/") ? `${name}index.html` : name);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      missing.push(name);
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n");
      return;
    }
    const type = mediaTypes[path.extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    missing,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** One opened page of the site, with what it asked for and what went wrong on it. */
class App {
  /** Playwright's page. */
  page;
  /** Where the site is served, without a slash at the end. */
  origin;
  /** Every URL that was asked for, in order. */
  requests = [];
  /** Console errors and uncaught exceptions, as text. */
  errors = [];

  constructor(page, origin) {
    this.page = page;
    this.origin = origin;
    // On the context rather than the page: a page that this one opens is watched as well.
    const context = page.context();
    context.on("request", (request) => this.requests.push(request.url()));
    context.on("weberror", (error) => this.errors.push(`uncaught: ${error.error().message}`));
    context.on("console", (message) => {
      if (message.type() === "error") {
        this.errors.push(`console: ${message.text()} (${message.location().url})`);
      }
    });
    context.on("page", (opened) => this.#watchSockets(opened));
    this.#watchSockets(page);
  }

  #watchSockets(page) {
    page.on("websocket", (socket) => this.requests.push(socket.url()));
  }

  /** Puts files into an `<input type="file">`, as its dialog would. Paths start at the repository. */
  async choose(selector, ...files) {
    await this.page.setInputFiles(selector, files.map((file) => path.resolve(root, file)));
  }

  /** Drags files over an element and drops them there. Paths start at the repository. */
  async drop(selector, ...files) {
    // A script cannot make a File of a path: the files come in through an input of our own, which
    // is never part of the page, so that the page sees nothing but the drop.
    const input = await this.page.evaluateHandle(() => {
      const element = document.createElement("input");
      element.type = "file";
      element.multiple = true;
      return element;
    });
    await input.asElement().setInputFiles(files.map((file) => path.resolve(root, file)));
    const target = await this.page.waitForSelector(selector);
    await target.evaluate((element, source) => {
      const dataTransfer = new DataTransfer();
      for (const file of source.files) dataTransfer.items.add(file);
      for (const type of ["dragenter", "dragover", "drop"]) {
        element.dispatchEvent(
          new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer }),
        );
      }
    }, input);
  }

  /**
   * Fails with the list of what axe-core finds wrong on the page as it stands, in both themes.
   * @param {object} [options] axe.run's options
   */
  async assertAccessible(options = {}) {
    // Through the debugger, since a content security policy may forbid the page such a script.
    await this.page.evaluate(await readFile(axeFile, "utf8"));
    const before = await this.page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
    const found = [];
    for (const colorScheme of ["light", "dark"]) {
      await this.page.emulateMedia({ colorScheme });
      // The themes differ in colours alone, so the second is held to the rules about colours.
      const run = colorScheme === "light" ? options : { ...options, runOnly: { type: "rule", values: colourRules } };
      const { violations } = await this.page.evaluate(([c, o]) => globalThis.axe.run(c, o), [examined, run]);
      for (const { id, help, nodes } of violations) {
        for (const node of nodes) {
          found.push(`${colorScheme}: ${id}: ${help}\n    ${node.html}\n    ${node.failureSummary}`);
        }
      }
    }
    await this.page.emulateMedia({ colorScheme: before ? "dark" : "light" });
    assert.equal(found.length, 0, `axe-core finds:\n${found.join("\n")}`);
  }

  /** Writes target/screenshots/NAME.png of the whole page and returns its path. */
  async screenshot(name) {
    const folder = path.join(root, "target/screenshots");
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${name}.png`);
    await this.page.screenshot({ path: file, fullPage: true });
    return file;
  }

  /** What was asked for outside the page's own origin. */
  foreignRequests() {
    return this.requests.filter((url) => !isOwn(url, this.origin));
  }

  assertNothingWrong(missing, allowErrors) {
    const unexpected = this.errors.filter((error) => !allowErrors.some((pattern) => pattern.test(error)));
    assert.deepEqual(
      { foreignRequests: this.foreignRequests(), errors: unexpected, missingFiles: missing },
      { foreignRequests: [], errors: [], missingFiles: [] },
      "the page asked for something that is not its own, or something failed on it",
    );
  }
}

/** Whether a URL is the page's own: of its origin, or made by it without a request. */
function isOwn(url, origin) {
  const { protocol, origin: of } = new URL(url);
  return of === origin || protocol === "data:" || protocol === "blob:" || (protocol === "file:" && origin === "file://");
}

/**
 * Opens the page as `options` say, lets `use` work with it, and throws if that throws or if a rule
 * at the head of this file was broken meanwhile.
 * @param {object} options see the head of this file
 * @param {(app: App) => Promise<void>} use
 */
export async function openPage(options, use) {
  const { path: where = "", site = process.env.TOKENPATH_SITE ?? "dist/site", theme = "light" } = options;
  const { viewport = { width: 1440, height: 1000 }, allowErrors = [] } = options;
  const server = await serveFolder(path.resolve(root, site));
  const context = await (await sharedBrowser()).newContext({
    viewport,
    colorScheme: theme,
    ...options.context,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const address = new URL(where ?? "", `${server.origin}/`);
    const app = new App(page, address.protocol === "file:" ? "file://" : address.origin);
    if (where !== null) await page.goto(address.href);
    await use(app);
    app.assertNothingWrong(options.allowMissing ? [] : server.missing, allowErrors);
  } finally {
    await context.close();
    await server.close();
  }
}

/**
 * Declares a test of the page; see the head of this file.
 * @param {string} name what holds when the test passes
 * @param {object | ((app: App) => Promise<void>)} optionsOrBody
 * @param {(app: App) => Promise<void>} [body]
 */
export function browserTest(name, optionsOrBody, body) {
  const options = body === undefined ? {} : optionsOrBody;
  test(name, { timeout: options.timeout ?? 120_000 }, () => openPage(options, body ?? optionsOrBody));
}
