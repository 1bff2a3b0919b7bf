// The start page as a visitor first sees it.

import assert from "node:assert/strict";
import { browserTest } from "./harness.mjs";

browserTest("the page starts and its module runs", async (app) => {
  await app.page.getByRole("status").getByText("is ready").waitFor();
  assert.ok(app.requests.includes(`${app.origin}/tokenpath_bg.wasm`), "the module was asked for");
  await app.assertAccessible();
  await app.screenshot("start");
});
