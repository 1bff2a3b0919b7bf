// Starts the viewer: compiles the module once and gives it to the page and to every worker.
// A page that is already written stays readable if this fails.
"use strict";
(() => {
  const { src } = document.currentScript;
  const glue = new URL("tokenpath.js", src).href;
  const binary = new URL("tokenpath_bg.wasm", src).href;

  // Before the first paint where possible: the theme chosen on an earlier visit.
  try {
    const theme = localStorage.getItem("tokenpath-theme");
    if (theme === "dark" || theme === "light") document.documentElement.classList.add(theme);
  } catch {
    // Storage is refused: the system's theme it is.
  }

  // Dropped before the viewer has started: the input keeps the files, and the viewer looks there when it starts.
  const input = () => document.getElementById("files");
  const starting = () => !document.documentElement.classList.contains("live");
  for (const type of ["dragover", "drop"]) {
    document.addEventListener(type, (event) => {
      if (!starting() || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (type === "drop" && input()) input().files = event.dataTransfer.files;
    });
  }

  const compile = async () => {
    try {
      return await WebAssembly.compileStreaming(fetch(binary));
    } catch {
      // A server that sends another media type.
      return WebAssembly.compile(await (await fetch(binary)).arrayBuffer());
    }
  };
  const loadGlue = () =>
    new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: glue, onload: resolve });
      script.onerror = () => reject(new Error(`${glue} did not load`));
      document.head.append(script);
    });

  const start = async () => {
    const [module] = await Promise.all([compile(), loadGlue()]);
    await wasm_bindgen({ module_or_path: module });
    // A worker made from a Blob has this document's content security policy; one made from a file would have none.
    const program = `importScripts(${JSON.stringify(glue)});
      onmessage = ({ data }) => {
        onmessage = null;
        wasm_bindgen.initSync({ module: data });
        wasm_bindgen.worker();
      };`;
    const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    wasm_bindgen.page(() => {
      const worker = new Worker(address);
      worker.postMessage(module);
      return worker;
    });
  };
  start().catch((error) => {
    document.getElementById("said").textContent = `The viewer did not start: ${error.message}`;
  });
})();
