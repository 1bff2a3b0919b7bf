//! What the worker that reads traces says.

use serde::{Deserialize, Serialize};

/// From the worker that reads traces to the engine's, which has sent it a file's name and the file.
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
