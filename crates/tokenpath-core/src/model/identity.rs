//! What a recording is: who ran, on what, and what the instrument records.

use crate::record::{Kind, Null};
use crate::table::record;

/// The capture modes.
pub const CAPTURE_MODES: [&str; 2] = ["user", "lab"];

record! {
    /// What this recording is.
    pub struct Identity at "/identity" {
        /// Identifies the run among others; unique where runs are kept together.
        id: Option<String> = Kind::Text, Null::Never;
        /// A title for people.
        title: Option<String> = Kind::Text, Null::Never;
        /// `user`: the request clock only. `lab`: the levels beneath it too.
        capture_mode: Option<String> = Kind::Word(&CAPTURE_MODES), Null::Never;
        /// When the recording was made, RFC 3339 in UTC.
        recorded_at: Option<String> = Kind::Moment, Null::Explained;
        /// True when the content was made up to exercise a reader and no run stands behind it.
        synthetic: Option<bool> = Kind::Flag, Null::Free;
        /// What the run was for, in the words of who recorded it.
        scenario: Option<String> = Kind::Private, Null::Explained;
    }
    parts {
        /// The runtime.
        runtime: Runtime, Null::Never;
        /// The model file, as far as it is known.
        model: ModelFile, Null::Explained;
        /// The machine.
        host: Host, Null::Explained;
        /// The device the model ran on.
        device: Device, Null::Explained;
        /// The instrument and what it records.
        instrument: Instrument, Null::Never;
    }
}

record! {
    /// The runtime that served the request.
    pub struct Runtime at "/identity/runtime" {
        /// Its name.
        name: Option<String> = Kind::Text, Null::Never;
        /// Its version.
        version: Option<String> = Kind::Text, Null::Explained;
        /// The backend that computed: CPU, CUDA, Metal and so on.
        backend: Option<String> = Kind::Text, Null::Explained;
    }
    parts {}
}

record! {
    /// The model file.
    pub struct ModelFile at "/identity/model" {
        /// The model's name.
        name: Option<String> = Kind::Text, Null::Explained;
        /// SHA-256 of the file, in hexadecimal.
        digest: Option<String> = Kind::Digest, Null::Explained;
    }
    parts {}
}

record! {
    /// The machine.
    pub struct Host at "/identity/host" {
        /// Its name; private.
        name: Option<String> = Kind::Private, Null::Free;
        /// The operating system.
        os: Option<String> = Kind::Text, Null::Explained;
        /// The processor.
        cpu: Option<String> = Kind::Text, Null::Explained;
        /// Threads the runtime computed with.
        threads: Option<i64> = Kind::Count, Null::Explained;
        /// Other conditions that matter to times (load average, for one), a sentence each.
        conditions: Option<Vec<String>> = Kind::Texts, Null::Free;
    }
    parts {}
}

record! {
    /// The device the model ran on.
    pub struct Device at "/identity/device" {
        /// Its name.
        name: Option<String> = Kind::Text, Null::Explained;
        /// Its memory, in bytes.
        memory: Option<i64> = Kind::Bytes, Null::Explained;
        /// A published peak of its memory bandwidth in bytes per second, if the producer states one.
        peak_bandwidth: Option<i64> = Kind::Count, Null::Free;
    }
    parts {}
}

record! {
    /// The instrument, and what it records by its nature.
    pub struct Instrument at "/identity/instrument" {
        /// Its name.
        name: Option<String> = Kind::Text, Null::Never;
        /// Its version.
        version: Option<String> = Kind::Text, Null::Free;
        /// The trace clock.
        clock: Option<String> = Kind::Text, Null::Explained;
        /// `complete`: every interval with its duration. `sparse`: some executions, by ticks. `none`: no intervals.
        kernel_timing: Option<String> = Kind::Word(&["complete", "sparse", "none"]), Null::Never;
        /// What one interval is: a kernel, a graph node, an encoder, a shader tick.
        interval_kind: Option<String> = Kind::Word(&["kernel", "node", "encoder", "tick"]), Null::Free;
        /// Whether it reads hardware counters.
        hardware_counters: Option<bool> = Kind::Flag, Null::Never;
        /// How it sees CUDA or HIP graphs: each `node`, the `graph` as one, or `none` were launched.
        graphs: Option<String> = Kind::Word(&["node", "graph", "none"]), Null::Never;
        /// Statements that hold for every capture by this instrument: what it never records and what it changes.
        statement: Option<Vec<String>> = Kind::Texts, Null::Never;
    }
    parts {}
}
