//! The page before anything is opened.

use crate::html::{Markup, html};

/// What the page is, for search engines and link previews.
pub const DESCRIPTION: &str = "Follow one token of an LLM inference run through the whole stack, from the request down to the weight tensor. \
     Files are read in the browser; nothing is uploaded.";

/// A capture that comes with the page.
struct Sample {
    name: &'static str,
    title: &'static str,
    text: &'static str,
    note: &'static str,
}

/// What they show is said in the fixtures' own READMEs.
const SAMPLES: [Sample; 3] = [
    Sample {
        name: "smollm2-server",
        title: "A whole request, node by node",
        text: "SmolLM2-135M in llama.cpp's server, on a CPU. 24 tokens, 26 passes, 936 nodes stamped in each.",
        note: "lab capture, every level but the GPU",
    },
    Sample {
        name: "tiny-moe",
        title: "Experts and a router",
        text: "A mixture of 16 experts, 4 chosen for each token, in llama.cpp. 13.6\u{202f}MB of random weights.",
        note: "lab capture, no request, router choices recorded",
    },
    Sample {
        name: "synthetic-metal",
        title: "Ticks, gaps and two clocks",
        text: "The shape of a sparse Metal recording: ticks without duration, unrecorded time, a verdict that fails.",
        note: "made up, so that every kind of absence can be seen",
    },
];

/// The chain in words.
const PATH: [&str; 8] = ["request", "pass", "submission", "interval", "kernel", "node", "tensor", "layer"];

/// What is read, and what it supplies. Only what opens.
const READS: [(&str, &str); 6] = [
    ("Tokenpath run bundle", "everything below, already joined"),
    (
        "llama.cpp capture by evaluation callback, abort stamps or preload recorder",
        "passes, graph nodes in encode order, node times, tensors",
    ),
    ("Request capture, NDJSON with arrival times", "the request clock, chunk arrivals, the server's counters"),
    ("GGUF model file, whole or in parts", "tensors, types, exact bytes, architecture"),
    ("safetensors: one file, shards, or the index alone", "tensors, types, exact bytes"),
    ("Hugging Face config.json", "the architecture, the kinds of layers"),
];

/// The page.
pub fn page() -> Markup {
    html! {
        div class="drop" id="drop" {
            h1 { "Follow one token through the whole stack" }
            p { "Drop a recording of an inference run, or several files that belong together. They are read on this "
                "machine; nothing is uploaded." }
            ol class="path" aria-label="The path" { @for step in PATH { li { (step) } } }
            p class="live" { button class="btn go" id="open-files" type="button" data-act="open" { "Open files" } }
            noscript { p { "Opening files needs scripts and WebAssembly, which are switched off here." } }
        }
        section class="fig" {
            h2 { "Or open a sample" }
            ol class="samples" {
                @for sample in SAMPLES {
                    li {
                        a href={ "?open=samples/" (sample.name) "/run.json.gz#run" } { (sample.title) }
                        p { (sample.text) }
                        p class="note" { (sample.note) }
                    }
                }
            }
        }
        section class="fig" {
            h2 { "What it reads" small { "by content, never by name" } }
            div class="tw txt" {
                table {
                    thead { tr { th scope="col" { "File" } th scope="col" { "What it supplies" } } }
                    tbody { @for (file, supplies) in READS { tr { td { (file) } td { (supplies) } } } }
                }
            }
        }
    }
}
