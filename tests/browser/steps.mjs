// What a person does again and again, for the tests to say in one line.

/** The lenses in the order of the rail. */
export const lenses = ["run", "request", "passes", "model", "block", "nodes", "kernels", "ranges", "timeline", "traversal"];

/** The address of a sample capture, on a view. */
export function sample(name, fragment = "run") {
  return `?open=samples/${name}/run.json.gz#${fragment}`;
}

/** Waits until the page shows a lens. */
export async function shows(app, lens) {
  await app.page.locator(`#to-${lens}[aria-current=page]`).waitFor({ state: "attached" });
}

/** Waits until the module runs: before that nothing can be opened. */
export async function starts(app) {
  await app.page.locator("html.live").waitFor({ state: "attached" });
}

/** Chooses files as the browser's dialog would and waits for the lens. */
export async function opens(app, files, lens = "run") {
  await starts(app);
  await app.choose("#files", ...[files].flat());
  await shows(app, lens);
}

/** The heading of the lens. */
export async function heading(app) {
  return app.page.locator("#lens h1").textContent();
}

/** Waits until a value is what is expected of it, and fails with both when it never is. */
export async function becomes(read, expected, what) {
  const started = Date.now();
  let value;
  while (Date.now() - started < 15_000) {
    value = await read();
    if (value === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error(`${what} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`);
}
