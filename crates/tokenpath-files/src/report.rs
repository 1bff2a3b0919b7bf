//! What goes between the engine's worker and the one that reads traces.

use serde::{Deserialize, Serialize};

/// From the engine's worker to the one that reads traces. The file travels beside this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceOrder {
    /// What the file is called.
    pub name: String,
    /// The device whose run is wanted; without it the lowest that ran kernels.
    pub device: Option<i64>,
}

/// From the worker that reads traces to the engine's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceReport {
    /// How much of the file has been read, in bytes. Parts that hold nothing of a run are never read.
    Progress {
        /// So many bytes.
        read: u64,
        /// The file's length.
        total: u64,
    },
    /// The trace is a run. Its bundle travels beside this, as a Blob.
    Converted {
        /// What is odd about the file, in sentences.
        remarks: Vec<String>,
        /// The devices whose run it could have been.
        others: Vec<i64>,
    },
    /// The file could not be read.
    Refused {
        /// What was wrong, in a sentence.
        what: String,
        /// What to do next.
        advice: String,
    },
    /// The worker is about to stop for good.
    Stopped {
        /// What happened.
        what: String,
    },
}
