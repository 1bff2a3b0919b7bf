//! What each recorder is and what holds for every capture by it.

use tokenpath_core::{Label, ReasonCode};

use super::tables::Recorder;

const COUNTERS: &str = "It reads no hardware counters: which bytes were really fetched from memory is not known.";
const GEOMETRY: &str = "It records no launch geometry (threads, blocks, sizes of work groups).";
const HOST: &str =
    "It sees the host's side: on a GPU its times are the host's wait for each node, not the time on the GPU.";

/// The evaluation callback.
pub(crate) const CALLBACK: Recorder = Recorder {
    name: "llama.cpp evaluation callback",
    reporter: "the evaluation callback",
    sources_by_index: true,
    statement: &[
        "It records every node of every graph, in order, with the host's time before and after it.",
        "It serialises: the scheduler runs one node at a time and waits for it, so fusion of operations and any overlap \
         are lost, and each node pays the callback.",
        HOST,
        COUNTERS,
        GEOMETRY,
    ],
    no_wall_time: "The capture holds readings of the monotonic clock only, no date.",
    no_request: (
        ReasonCode::NoSuchThing,
        "The recorder calls the decode function in its own process; there was no request over a connection.",
    ),
    backend: || Label::inferred("the buffers in which all results lie"),
    submission: "decode call",
};

/// The evaluation callback, and stamps of a second recording.
pub(crate) const CALLBACK_AND_STAMPS: Recorder = Recorder {
    name: "llama.cpp evaluation callback and abort stamps",
    statement: &[
        "The evaluation callback records every node of every graph, in order, with the host's time before and after it.",
        "The callback serialises: the scheduler runs one node at a time and waits for it, so fusion of operations and \
         any overlap are lost, and each node pays the callback.",
        "Abort stamps record when the first thread ends each entry of a whole graph, fusion kept; they name no node.",
        HOST,
        COUNTERS,
        GEOMETRY,
    ],
    ..CALLBACK
};

/// Stamps alone.
pub(crate) const STAMPS: Recorder = Recorder {
    name: "llama.cpp abort stamps",
    reporter: "the stamp recorder",
    statement: &[
        "Abort stamps record when the first thread ends each entry of a whole graph, fusion kept; they name no node.",
        COUNTERS,
        GEOMETRY,
    ],
    ..CALLBACK
};

/// The preload recorder with node intervals.
pub(crate) const PRELOAD_NODES: Recorder = Recorder {
    name: "llama.cpp preload recorder, node mode",
    reporter: "the preload recorder",
    sources_by_index: false,
    statement: &[
        "It records every node of every graph, in order, with the host's time before and after it, the backend the \
         scheduler chose and the number of splits.",
        "In node mode it serialises: the scheduler runs one node at a time and waits for it, so fusion of operations \
         and any overlap are lost, and each node pays the callback.",
        HOST,
        COUNTERS,
        GEOMETRY,
    ],
    no_wall_time: "The recorder reads the monotonic clock only, no date.",
    no_request: (
        ReasonCode::NotSupplied,
        "The recorder sits in the server and sees no request; a request capture on the same clock was not given.",
    ),
    backend: || Label::reported("the backend that the scheduler chose for each node"),
    submission: "graph compute call",
};

/// The preload recorder without node intervals.
pub(crate) const PRELOAD_GRAPHS: Recorder = Recorder {
    name: "llama.cpp preload recorder, graph mode",
    statement: &[
        "It records every graph once and for each pass its start, return and synchronisation; nothing within a pass, so \
         that execution stays as it is.",
        COUNTERS,
        GEOMETRY,
    ],
    ..PRELOAD_NODES
};
