//! Why a file, or several together, cannot be opened. Facts only; what to do about it is the shells' to say.

use tokenpath_core::bundle::ReadError;

use crate::config::ConfigError;
use crate::gguf::GgufError;
use crate::read_at::ReadFailed;
use crate::safetensors::{IndexError, SafetensorsError};
use crate::sniff::Format;

/// Why nothing was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// No file was given.
    #[error("no file was given")]
    Nothing,
    /// The file has no bytes.
    #[error("{name} is empty: it has no bytes")]
    Empty {
        /// The file.
        name: String,
    },
    /// The file begins with white space only.
    #[error("{name} holds only white space in its first {examined} of {length} bytes")]
    Blank {
        /// The file.
        name: String,
        /// Bytes examined.
        examined: u64,
        /// The file's length in bytes.
        length: u64,
    },
    /// The file is of a known format that is not read.
    #[error("{name} is {}; {READS}", .format.noun())]
    NotRead {
        /// The file.
        name: String,
        /// What it is.
        format: Format,
    },
    /// The file is of no known format.
    #[error("{name} is of no format known here (it begins with {beginning}); {READS}")]
    Unknown {
        /// The file.
        name: String,
        /// Its first bytes, made readable.
        beginning: String,
    },
    /// JSON that ends before anything tells what it is.
    #[error("{name} begins as JSON and ends after {length} bytes, before anything in it tells what it is")]
    CutOff {
        /// The file.
        name: String,
        /// Its length in bytes.
        length: u64,
    },
    /// The source failed.
    #[error("{name}: {failed}")]
    Read {
        /// The file.
        name: String,
        /// What failed.
        failed: ReadFailed,
    },
    /// The bundle cannot be read.
    #[error("{name}: {error}")]
    Bundle {
        /// The file.
        name: String,
        /// Why.
        error: ReadError,
    },
    /// The file is larger than its reader accepts.
    #[error("{name}, {}, has {length} bytes; this format is read up to {limit} bytes", .format.noun())]
    TooLarge {
        /// The file.
        name: String,
        /// What it is.
        format: Format,
        /// Its length, or the length reached while inflating.
        length: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is of a known format and cannot be read as such.
    #[error("{name}, {}, cannot be read at {place}: {what}", .format.noun())]
    Malformed {
        /// The file.
        name: String,
        /// What it is.
        format: Format,
        /// Where: a line, a pass, a byte offset.
        place: String,
        /// What is wrong there.
        what: String,
    },
    /// The GGUF file cannot be read.
    #[error("{name}: {error}")]
    Gguf {
        /// The file.
        name: String,
        /// Why.
        error: GgufError,
    },
    /// The safetensors file cannot be read.
    #[error("{name}: {error}")]
    Safetensors {
        /// The file.
        name: String,
        /// Why.
        error: SafetensorsError,
    },
    /// The index of a sharded model cannot be read.
    #[error("{name}, the index of a sharded model: {error}")]
    SafetensorsIndex {
        /// The file.
        name: String,
        /// Why.
        error: IndexError,
    },
    /// The configuration gives no model.
    #[error("{name}, a model configuration: {error}")]
    Config {
        /// The file.
        name: String,
        /// Why.
        error: ConfigError,
    },
    /// Several files that do not make one run.
    #[error("{first} and {second} do not belong to one run (rule {rule}): {reason}")]
    DoNotBelong {
        /// One file.
        first: String,
        /// The other.
        second: String,
        /// The rule that decided.
        rule: &'static str,
        /// What it found.
        reason: String,
    },
    /// Whoever asked for the file asked to stop.
    #[error("stopped after {bytes} bytes")]
    Stopped {
        /// Bytes read until then.
        bytes: u64,
    },
}

/// What is read, for messages about files that are not.
const READS: &str = "read are run bundles, llama.cpp evaluation-callback, stamp and preload captures, \
                     request captures, GGUF and safetensors files, their index and config.json";
