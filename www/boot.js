// Loads the module and says on the page whether that worked.
"use strict";
const line = document.getElementById("status");
wasm_bindgen("tokenpath_bg.wasm").then(
  () => { line.textContent = `Version ${wasm_bindgen.version()} is ready.`; },
  (error) => { line.textContent = `The page could not start: ${error}`; },
);
