// Opening files and moving between views, as a person does it.

import assert from "node:assert/strict";
import { browserTest } from "./harness.mjs";

browserTest("a sample opens at once and a lens follows", async (app) => {
  await app.page.getByRole("link", { name: "A whole request, node by node" }).click();
  await app.page.locator("#to-request").click();
  await app.page.waitForFunction(() => location.hash === "#request");
  await app.page.locator("#to-request[aria-current]").waitFor();
  await app.screenshot("sample");
  assert.ok(app.requests.includes(`${app.origin}/samples/smollm2/run.json.gz`));
});
