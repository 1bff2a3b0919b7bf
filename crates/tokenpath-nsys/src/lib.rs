//! NVIDIA Nsight Systems exports in SQLite: which tables there are, what was recorded on each device, and its summary.
//!
//! Design constraints, each tested:
//! - Tables and columns are discovered, never assumed: exports of any version, trimmed ones too, are read as far as they
//!   go, and what is missing is said with the table's name.
//! - Rows are streamed and aggregated here; the file is never written to, and memory grows only with what is kept.
//! - All arithmetic on times is in whole nanoseconds. Nothing is divided by time that was not recorded.
//! - Tables that hold environment variables, user, host and paths are never read.
//!
//! Must never contain: a path of the file system beyond [`open()`], HTML, a clock.

mod busy;
mod coverage;
mod devices;
mod ids;
pub mod import;
mod launches;
mod names;
mod open;
mod ranges;
mod rows;
mod schema;
mod summary;

pub use busy::Busy;
pub use coverage::{Absent, Coverage, Diagnostic, Incomplete};
pub use open::{Trace, TraceError, judge, open, over};
pub use schema::{GraphState, Schema};
pub use summary::{KernelName, Options, Summary, summary};
