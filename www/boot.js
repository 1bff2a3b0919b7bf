// Starts the viewer: the page's own small module at once, the engine's when a hand comes near or a file is opened, and
// the one that reads traces when one is opened.
// The engine is compiled once and given to every worker. A page that is already written stays readable if this fails.
"use strict";
(() => {
  const { src } = document.currentScript;
  const beside = (name) => new URL(name, src).href;

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

  const compile = async (binary) => {
    try {
      return await WebAssembly.compileStreaming(fetch(binary));
    } catch {
      // A server that sends another media type.
      return WebAssembly.compile(await (await fetch(binary)).arrayBuffer());
    }
  };
  const loadGlue = (glue) =>
    new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: glue, onload: resolve });
      script.onerror = () => reject(new Error(`${glue} did not load`));
      document.head.append(script);
    });

  let loading;
  const engine = () => {
    loading ??= compile(beside("engine_bg.wasm")).catch((error) => {
      // The next opening tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const warm = () => engine().catch(() => {});
  for (const type of ["pointermove", "pointerdown", "keydown", "dragenter"]) {
    document.addEventListener(type, warm, { once: true, passive: true });
  }

  // A worker made from a Blob has this document's content security policy; one made from a file would have none.
  // Orders that come before the module wait for it.
  const begin = `
    const early = [];
    onmessage = ({ data }) => early.push(data);
    const begin = () => {
      onmessage = null;
      wasm_bindgen.worker();
      for (const order of early) onmessage({ data: order });
    };`;
  const scripts = (glue) => `importScripts(${JSON.stringify(beside(glue))});${begin}`;
  // A promise that fails is no error of the worker, and only an error reaches who started it.
  const readTraces = `${scripts("trace.js")}
    wasm_bindgen({ module_or_path: ${JSON.stringify(beside("trace_bg.wasm"))} }).then(begin, (error) =>
      setTimeout(() => { throw error; }));`;
  const program = `${scripts("engine.js")}
    const later = onmessage;
    onmessage = (message) => {
      if (!(message.data instanceof WebAssembly.Module)) return later(message);
      wasm_bindgen.initSync({ module: message.data });
      begin();
    };
    const startTraceWorker = () =>
      new Worker(URL.createObjectURL(new Blob([${JSON.stringify(readTraces)}], { type: "text/javascript" })));`;

  const start = async () => {
    const [module] = await Promise.all([compile(beside("tokenpath_bg.wasm")), loadGlue(beside("tokenpath.js"))]);
    await wasm_bindgen({ module_or_path: module });
    const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    wasm_bindgen.page(() => {
      const worker = new Worker(address);
      engine().then(
        (module) => worker.postMessage(module),
        ({ message }) => worker.dispatchEvent(new ErrorEvent("error", { message: `the engine did not load: ${message}` })),
      );
      return worker;
    });
  };
  start().catch((error) => {
    document.getElementById("said").textContent = `The viewer did not start: ${error.message}`;
  });
})();
