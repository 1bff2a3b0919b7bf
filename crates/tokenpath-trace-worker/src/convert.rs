//! A trace as a run, and that as a bundle.

use std::io::{BufWriter, Write};

use js_sys::{Array, Uint8Array};
use tokenpath_core::{Run, bundle};
use tokenpath_files::{BlobBytes, TraceOrder};
use tokenpath_import::ReadAt as _;
use tokenpath_nsys::import::import;
use tokenpath_nsys::{TraceError, judge, over};
use wasm_bindgen::JsValue;

use crate::blocks::{Blocks, states_log};
use crate::vfs;

/// What is looked at before SQLite is.
const HEAD: u64 = 4096;

/// A trace as a run.
#[derive(Debug)]
pub struct Converted {
    /// The run of one device.
    pub run: Run,
    /// What is odd about the file, in sentences.
    pub remarks: Vec<String>,
    /// The devices whose run it could have been.
    pub others: Vec<i64>,
}

/// How much of a bundle is gathered before it leaves this module's memory.
const PIECE: usize = 1 << 20;

impl Converted {
    /// The bundle of the run, which the browser keeps: in this module's memory there is never more than a piece of it.
    ///
    /// # Errors
    /// When the browser refuses, as for want of memory.
    pub fn bundle(&self) -> Result<web_sys::Blob, JsValue> {
        let mut pieces = BufWriter::with_capacity(PIECE, Pieces(Array::new()));
        bundle::write_packed(&self.run, &mut pieces).map_err(|error| js_sys::Error::new(&error.to_string()))?;
        let Pieces(pieces) = pieces.into_inner().map_err(|error| js_sys::Error::new(&error.to_string()))?;
        web_sys::Blob::new_with_u8_array_sequence(&pieces)
    }
}

/// Pieces of a Blob.
struct Pieces(Array);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.push(&Uint8Array::from(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Reads the trace in `bytes` as the run of one device. `progress` is told how many bytes have been read, and of how
/// many.
///
/// # Errors
/// When it is no trace.
pub fn convert(
    order: &TraceOrder,
    bytes: BlobBytes,
    progress: Box<dyn FnMut(u64, u64)>,
) -> Result<Converted, TraceError> {
    let mut head = vec![0; usize::try_from(bytes.len().min(HEAD)).unwrap_or(0)];
    bytes.read_at(0, &mut head).map_err(|failed| TraceError::Sqlite(failed.to_string()))?;
    judge(&head, bytes.len())?;
    let mut remarks = Vec::new();
    if states_log(&head) {
        remarks.push(
            "It was written with a write-ahead log. What only a -wal file beside it holds is missing: the page reads one \
             file."
                .to_owned(),
        );
    }
    let connection = vfs::open(Blocks::new(bytes, progress)).map_err(TraceError::Sqlite)?;
    let trace = over(connection)?;
    let imported = import(&trace, &order.name, order.device)?;
    if trace.cut_off {
        remarks.push("It is cut off: it is shorter than it states. What lies beyond its end is missing.".to_owned());
    }
    let mut others = imported.devices;
    if let (Some(device), 2..) = (imported.device, others.len()) {
        let all: Vec<String> = others.iter().map(i64::to_string).collect();
        remarks.push(format!("It has devices {}; the run is of device {device}.", all.join(", ")));
    }
    others.retain(|other| Some(*other) != imported.device);
    Ok(Converted { run: imported.run, remarks, others })
}
