//! A summary worked out by hand, and exports with bytes changed at random.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use proptest::prelude::*;
use rusqlite::Connection;
use tokenpath_core::LabelKind;
use tokenpath_core::derive::coverage::device_time;
use tokenpath_core::fact::Quantity;
use tokenpath_nsys::import::import;
use tokenpath_nsys::{KernelName, Options, Summary, judge, open, summary};

const TABLES: &str = r#"
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'norm'), (3, 'cudaLaunchKernel_v7000'), (4, 'layer 0');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(
  start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  shortName INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(
  start INTEGER, "end" INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER, "end" INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
"#;

/// Start, end, device, stream, correlation, name.
const KERNELS: [(i64, i64, i64, i64, i64, i64); 12] = [
    (100, 200, 0, 7, 1, 1),
    (200, 260, 0, 7, 2, 2),
    (250, 400, 0, 8, 3, 1),
    (300, 350, 0, 7, 4, 2),
    (390, 410, 0, 7, 5, 2),
    (500, 500, 0, 7, 6, 2),
    (600, 900, 0, 8, 7, 1),
    (650, 700, 0, 7, 8, 2),
    (700, 750, 0, 7, 9, 2),
    (1000, 1010, 0, 7, 10, 1),
    (100, 1000, 1, 7, 11, 1),
    (2000, 2500, 1, 7, 12, 1),
];

const PROCESS: i64 = (1 << 56) | (1 << 48) | (4242 << 24);

fn write(path: &std::path::Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(TABLES).unwrap();
    for (start, end, device, stream, correlation, name) in KERNELS {
        connection
            .execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL)",
                (start, end, device, stream, correlation, PROCESS, name),
            )
            .unwrap();
        connection
            .execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, 3)",
                (start - 50, start - 45, PROCESS | 77, correlation),
            )
            .unwrap();
    }
    for (start, end) in [(150, 320), (310, 650)] {
        connection
            .execute("INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, NULL, 4, ?3)", (start, end, PROCESS | 77))
            .unwrap();
    }
}

fn of(path: &std::path::Path) -> Summary {
    let options = Options {
        file: "by-hand".to_owned(),
        nvtx: &|_| true,
        dispatch_prefix: "CG_DISPATCH:".to_owned(),
        top: 20,
        device: None,
        from: None,
        to: None,
        name: KernelName::Short,
        unread_wal: None,
    };
    summary(&open(path).unwrap(), &options)
}

fn ns(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

/// Twelve kernels, ten of them on device 0. Its union, by hand:
///
/// - [100, 200) and [200, 260) touch, [250, 400) overlaps, [300, 350) lies within, [390, 410) overlaps: [100, 410), 310 ns
/// - [500, 500) is nothing
/// - [600, 900) holds [650, 700) and [700, 750): 300 ns
/// - [1000, 1010): 10 ns
///
/// Busy 620 of a span from 100 to 1010, 910 ns; idle 290. Durations by name: gemm 100 + 150 + 300 + 10 = 560 of 4 kernels,
/// norm 60 + 50 + 20 + 0 + 50 + 50 = 230 of 6. Calls: 12 × 5 = 60 ns. The ranges [150, 320) and [310, 650) are 170 + 340 =
/// 510 ns together, 500 in union, [150, 650); within it the device is busy in [150, 410) and [600, 650): 310 ns.
#[test]
fn twelve_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    write(&path);
    let found = of(&path);
    assert_eq!(found.gpu_activity_span_s.map(ns), Some(910));
    assert_eq!(found.gpu_busy_union_s.map(ns), Some(620));
    assert_eq!(found.gpu_idle_within_span_s.map(ns), Some(290));
    assert_eq!((found.kernel_count, found.graph_node_kernel_count), (Some(10), Some(0)));
    let top: Vec<(&str, u64, i64)> = found
        .top_kernels
        .as_ref()
        .unwrap()
        .iter()
        .map(|(name, (count, sum))| (name.as_str(), *count, ns(*sum)))
        .collect();
    assert_eq!(top, [("gemm", 4, 560), ("norm", 6, 230)]);
    let (name, (calls, sum)) = &found.api.as_ref().unwrap().0[0];
    assert_eq!((name.as_str(), *calls, ns(*sum)), ("cudaLaunchKernel_v7000", 12, 60));
    let (name, range) = &found.nvtx.as_ref().unwrap().0[0];
    assert_eq!((name.as_str(), range.count), ("layer 0", 2));
    assert_eq!((ns(range.sum_s), ns(range.union_s), range.gpu_overlap_s.map(ns)), (510, 500, Some(310)));
    let coverage = &found.tokenpath.coverage;
    assert_eq!((coverage.kernels_without_launch, coverage.kernels_before_launch), (Some(0), Some(0)));
    assert_eq!(coverage.missing_tables, ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"]);
    // Device 1: 900 + 500 of 2400.
    let other = &found.tokenpath.devices[1];
    assert_eq!(other.busy_s.map(|busy| busy.map(ns)), Some([1400, 1400]));
    assert_eq!(other.idle_s.map(|idle| idle.map(ns)), Some([1000, 1000]));
    // The run of a device has the same times.
    for (device, times) in [(0, [910, 620, 290]), (1, [2400, 1400, 1000])] {
        let run = import(&open(&path).unwrap(), "twelve.sqlite", Some(device)).unwrap().run;
        let time = device_time(&run).unwrap();
        let found = [time.span, time.busy, time.idle].map(|reading| reading.unwrap().quantity);
        assert_eq!(found, times.map(Quantity::Nanos));
    }
}

/// The keys and their order are those that scripts read; what is new stands last.
/// A thread launches three kernels of a prefill, waits, and then four times nine kernels, and
/// waits each time. Step `n` of the four starts at 10000 + 1000 n: its kernels start 10 ns apart and last 5.
#[test]
fn launches_that_repeat_between_waits_are_passes() {
    let folder = tempfile::tempdir().unwrap();
    for (file, waits, steps) in [("waits.sqlite", true, 4), ("none.sqlite", false, 4), ("twice.sqlite", true, 2)] {
        let path = folder.path().join(file);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(TABLES).unwrap();
        connection.execute("INSERT INTO StringIds VALUES (5, 'cudaStreamSynchronize_v3020')", []).unwrap();
        let call = |start: i64, number: i64, name: i64| {
            let row = (start, start + 2, PROCESS | 9, number, name);
            connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, ?5)", row).unwrap();
        };
        let mut number = 0;
        let mut launch = |start: i64, name: i64| {
            number += 1;
            call(start - 500, number, 3);
            let row = (start, start + 5, 0, 7, number, PROCESS, name);
            let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL)";
            connection.execute(sql, row).unwrap();
        };
        (0..3).for_each(|at| launch(8000 + 10 * at, 1));
        let wait = |start: i64| {
            if waits {
                call(start, 0, 5)
            }
        };
        wait(8000);
        for step in 0..steps {
            let start = 10_000 + 1000 * step;
            // gemm norm gemm, three times: as layers repeat.
            (0..9).for_each(|at| launch(start + 10 * at, if at % 3 == 1 { 2 } else { 1 }));
            wait(start);
        }
        let run = import(&open(&path).unwrap(), file, None).unwrap().run;
        assert_eq!(tokenpath_core::bundle::validate(&run), []);
        let rows = &run.passes.rows;
        if !waits || steps < 3 {
            assert_eq!(rows.rows(), 0, "{file}");
            assert!(
                run.absent.iter().any(|absence| absence.pointer == "/passes" && absence.reason.contains("three times"))
            );
            continue;
        }
        let found: Vec<_> =
            (0..rows.rows()).map(|at| (rows.start.get(at).unwrap(), rows.end.get(at).unwrap())).collect();
        assert_eq!(found, [(10_000, 10_085), (11_000, 11_085), (12_000, 12_085), (13_000, 13_085)]);
        assert_eq!(rows.period.get(0), Some(1000));
        assert_eq!((rows.kind.get(0), rows.tokens.get(0)), (None, None));
        assert_eq!(rows.label("start", 0).unwrap().kind, LabelKind::Inferred);
        let intervals = &run.timeline.intervals;
        let of: Vec<_> = (0..intervals.rows()).map(|at| intervals.pass.get(at)).collect();
        let expected: Vec<_> = [None; 3].into_iter().chain((0..36).map(|at| Some(at / 9))).collect();
        assert_eq!(of, expected);
    }
}

#[test]
fn the_keys_are_those_that_scripts_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    write(&path);
    let text = serde_json::to_string(&of(&path)).unwrap();
    let mut at = 0;
    for key in [
        "file",
        "gpu_activity_span_s",
        "gpu_busy_union_s",
        "gpu_idle_within_span_s",
        "kernel_count",
        "graph_node_kernel_count",
        "api",
        "nvtx",
        "dispatch",
        "dispatch_timeline",
        "top_kernels",
        "notes",
        "tokenpath",
    ] {
        let found = text[at..].find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} after {at}: {text}"));
        at += found;
    }
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // A damaged export gives a summary or a message, and neither a panic nor a hang.
    #[test]
    fn changed_bytes_get_an_answer(changes in proptest::collection::vec((0_usize..40_000, any::<u8>()), 1..12), cut in 0_usize..60_000) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        write(&path);
        let mut bytes = std::fs::read(&path).unwrap();
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        bytes.truncate(cut.max(1));
        std::fs::write(&path, &bytes).unwrap();
        if judge(&bytes[..bytes.len().min(4096)], bytes.len() as u64).is_ok() && open(&path).is_ok() {
            let found = of(&path);
            prop_assert!(serde_json::to_string(&found).is_ok());
        }
    }
}
