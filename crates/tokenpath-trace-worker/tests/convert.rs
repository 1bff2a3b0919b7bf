//! Traces in a real worker: read from a Blob by SQLite's pages, into a bundle.
#![cfg(target_arch = "wasm32")]
// A test of the browser that cannot go on should fail.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use rusqlite::Connection;
use tokenpath_core::{Run, bundle};
use tokenpath_files::{BlobBytes, TraceOrder};
use tokenpath_import::ReadAt;
use tokenpath_nsys::TraceError;
use tokenpath_trace_worker::{Converted, convert};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Two kernels of device 0 and one of device 1, of which the first was launched by a call of its process.
const TRACE: &str = "
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm(float*)'), (3, 'gemm');
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 150, 16777217, 7, 1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
        correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 260, 0, 1, 7, 7, 16777216, 2, 3), (300, 310, 0, 1, 7, 8, 16777216, 2, 3),
        (400, 401, 1, 1, 7, 9, 16777216, 2, 3);";

fn database(sql: &str) -> Vec<u8> {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    connection.serialize("main").unwrap().to_vec()
}

fn blob(bytes: &[u8]) -> BlobBytes {
    let parts = Array::of1(&Uint8Array::from(bytes));
    BlobBytes::new(web_sys::Blob::new_with_u8_array_sequence(&parts).unwrap())
}

fn order(device: Option<i64>) -> TraceOrder {
    TraceOrder { name: "trace.sqlite".to_owned(), device }
}

fn converted(bytes: &[u8]) -> Result<Converted, TraceError> {
    convert(&order(None), blob(bytes), Box::new(|_, _| {}))
}

/// The run, as the engine reads it from the bundle.
fn run(converted: &Converted) -> Run {
    let bundle = BlobBytes::new(converted.bundle().unwrap());
    let mut bytes = vec![0; usize::try_from(bundle.len()).unwrap()];
    bundle.read_at(0, &mut bytes).unwrap();
    let opened = bundle::read(&bytes).unwrap();
    assert_eq!(opened.problems, []);
    opened.run
}

// By hand.
#[wasm_bindgen_test]
fn a_trace_becomes_the_run_of_one_device() {
    let bytes = database(TRACE);
    let told = Rc::new(RefCell::new(Vec::new()));
    let tells = Rc::clone(&told);
    let progress = Box::new(move |read, total| tells.borrow_mut().push((read, total)));
    let converted = convert(&order(None), blob(&bytes), progress).unwrap();
    assert_eq!(*told.borrow(), [(bytes.len() as u64, bytes.len() as u64)], "one block");
    assert_eq!(converted.remarks, ["It has devices 0, 1; the run is of device 0."]);
    assert_eq!(converted.others, [1]);
    let run = run(&converted);
    let intervals = &run.timeline.intervals;
    assert_eq!(intervals.rows(), 2);
    assert_eq!((intervals.start.get(0), intervals.duration.get(0)), (Some(200), Some(60)));
    assert_eq!((intervals.submission.get(0), intervals.submission.get(1)), (Some(0), None));
    assert_eq!(run.kernels.name.get(0), Some("gemm(float*)"));
}

#[wasm_bindgen_test]
fn another_device_is_another_run_and_one_that_did_nothing_is_none() {
    let bytes = database(TRACE);
    let of = |device| convert(&order(Some(device)), blob(&bytes), Box::new(|_, _| {}));
    let other = of(1).unwrap();
    assert_eq!(other.others, [0]);
    let intervals = run(&other).timeline.intervals;
    assert_eq!((intervals.rows(), intervals.start.get(0)), (1, Some(400)));
    assert_eq!(of(2).unwrap_err(), TraceError::NoSuchDevice { device: 2, devices: vec![0, 1] });
}

#[wasm_bindgen_test]
fn a_log_that_may_lie_beside_it_is_told_and_not_looked_for() {
    let mut bytes = database(TRACE);
    bytes[18] = 2;
    bytes[19] = 2;
    let converted = converted(&bytes).unwrap();
    assert!(converted.remarks[0].contains("write-ahead log"), "{:?}", converted.remarks);
    assert_eq!(run(&converted).timeline.intervals.rows(), 2);
}

#[wasm_bindgen_test]
fn a_file_that_is_cut_off_gives_what_is_there() {
    // A page of its own for each table of the schema, which stands first; then rows that go beyond the cut.
    let more = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 + value, 1001 + value, 0, 1, 7, 9, 16777216, 2, 3 \
                FROM (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 9999) SELECT value FROM n);";
    let bytes = database(&format!("{TRACE}{more}"));
    let whole = run(&converted(&bytes).unwrap()).timeline.intervals.rows();
    assert_eq!(whole, 10_002);
    let converted = converted(&bytes[..bytes.len() / 2]).unwrap();
    assert!(converted.remarks.iter().any(|remark| remark.contains("cut off")), "{:?}", converted.remarks);
    let part = run(&converted).timeline.intervals.rows();
    assert!(0 < part && part < whole, "{part} of {whole}");
}

#[wasm_bindgen_test]
fn what_is_no_trace_is_refused_with_what_it_is() {
    let other = database("CREATE TABLE notes(text)");
    assert_eq!(converted(&other).unwrap_err(), TraceError::OtherTables("notes".to_owned()));
    assert_eq!(converted(b"").unwrap_err(), TraceError::Empty);
    assert!(matches!(converted(&other[..100]).unwrap_err(), TraceError::HeaderOnly { length: 100, .. }));
    let mut damaged = other.clone();
    damaged[100..200].fill(0xff);
    assert!(matches!(converted(&damaged).unwrap_err(), TraceError::Damaged(_) | TraceError::Encrypted));
}
