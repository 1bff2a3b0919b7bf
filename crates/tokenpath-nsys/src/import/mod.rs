//! An export as a run: what one device did, with the calls and ranges of the host beside it.

mod identity;
mod passes;
mod source;
mod steps;

use std::collections::{BTreeSet, HashMap};

use tokenpath_core::column::Refs;
use tokenpath_core::model::{
    Calls, Copies, Intervals, Kernels, LeftOut, Queues, Ranges, Segments, Submissions, Timeline,
};
use tokenpath_core::{Absence, Label, Labels, ReasonCode, Run};

use crate::coverage::Coverage;
use crate::devices::copy_kind;
use crate::launches::unnamed;
use crate::names::Names;
use crate::open::{Trace, TraceError};
use crate::schema::{CALLS, COPIES, GraphState, KERNELS, RANGES, SETS};

use passes::Passes;
use source::Source;

/// A run made from an export.
#[derive(Debug)]
pub struct Imported {
    /// The run of one device.
    pub run: Run,
    /// That device.
    pub device: Option<i64>,
    /// All devices of the export.
    pub devices: Vec<i64>,
}

/// The trace clock's name, for labels.
const CLOCK: &str = "CUPTI timestamps on the session's clock";
/// Who says what is no time.
const REPORTER: &str = "Nsight Systems";
/// How a kernel is joined with its launch.
const CORRELATION: &str = "Nsight Systems, by correlation id and process";

/// Makes a run of a device, without one of the lowest that ran kernels.
///
/// # Errors
/// When nothing of the wanted device was recorded.
pub fn import(trace: &Trace, file: &str, device: Option<i64>) -> Result<Imported, TraceError> {
    let mut coverage = Coverage::default();
    let mut names = Names::new(&trace.connection, &trace.schema);
    let source = Source::read(trace, device, &mut names, &mut coverage);
    let devices: Vec<i64> = source.devices.iter().copied().collect();
    if let Some(device) = device.filter(|device| !devices.contains(device)) {
        return Err(TraceError::NoSuchDevice { device, devices });
    }
    coverage.read_diagnostics(trace);
    let mut making = Making { trace, names, absent: Vec::new() };
    let run = making.run(file, &source, &mut coverage);
    Ok(Imported { run, device: source.device, devices })
}

/// What a run is made with.
struct Making<'a> {
    trace: &'a Trace,
    names: Names<'a>,
    absent: Vec<Absence>,
}

/// Rows of a table by the numbers of something else.
type Rows = Vec<Option<u32>>;

fn row(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

/// The row for a number.
fn row_of(rows: &Rows, number: u32) -> Option<u32> {
    rows.get(number as usize).copied().flatten()
}

/// A column of references, and whether one is missing. Where all are, it has no cells: they would say nothing, and a
/// trace has millions of rows.
fn references(targets: impl Iterator<Item = Option<u32>>) -> (Refs, bool) {
    let (mut some, mut missing) = (false, false);
    let column: Refs = targets
        .inspect(|target| {
            some |= target.is_some();
            missing |= target.is_none();
        })
        .collect();
    (if some { column } else { Refs::default() }, missing)
}

impl Making<'_> {
    fn absent(&mut self, pointer: &str, code: ReasonCode, reason: impl Into<String>) {
        self.absent.push(Absence::new(pointer, code, reason));
    }

    fn run(&mut self, file: &str, source: &Source, coverage: &mut Coverage) -> Run {
        let state = match (source.on_graph_nodes, source.graphs.is_empty()) {
            (true, _) => GraphState::Node,
            (false, false) => GraphState::Graph,
            (false, true) => GraphState::None,
        };
        let waits: Vec<bool> = self.call_names(source).iter().map(|name| passes::waits(name)).collect();
        let passes = Passes::read(source, &waits);
        // A call that launched something on this device is a submission; calls are in order of start, and so are these.
        let mut launched = vec![false; source.calls.len()];
        for call in source.kernels.iter().chain(&source.graphs).filter_map(source::Ran::call) {
            if let Some(launched) = launched.get_mut(call as usize) {
                *launched = true;
            }
        }
        let calls: Vec<u32> = (0..).zip(&launched).filter_map(|(call, launched)| launched.then_some(call)).collect();
        let mut next = 0..;
        let submissions: Rows =
            launched.into_iter().map(|launched| if launched { next.next() } else { None }).collect();
        let (queues, index) = queues(source);
        let (kernels, of_kernel) = self.kernels(source);
        let timeline = Timeline {
            given: true,
            start: bounds(source).map(|(start, _)| start),
            end: bounds(source).map(|(_, end)| end),
            queues,
            submissions: self.submissions(source, &calls, &passes),
            segments: self.segments(source, &submissions, &index),
            intervals: self.intervals(source, &submissions, &passes, &of_kernel, &index),
            calls: self.calls(source, &submissions),
            copies: self.copies(source, &index),
            ranges: self.ranges(source),
            left_out: left_out(source, coverage, &passes),
            labels: Labels::all(Label::measured(CLOCK)),
            ..Timeline::default()
        };
        if bounds(source).is_none() {
            self.absent("/timeline/start", ReasonCode::EmptyTable, "The export holds no time of this device.");
            self.absent("/timeline/end", ReasonCode::EmptyTable, "The export holds no time of this device.");
        }
        let reason = "The export names no nodes of a runtime's graph: none of its ranges names a module of the model.";
        self.absent("/timeline/node_sets", ReasonCode::NotRecorded, reason);
        self.absent("/graph", ReasonCode::NotRecorded, reason);
        self.absent("/model", ReasonCode::NotSupplied, "No model file was given; Nsight Systems records no weights.");
        self.absent("/request", ReasonCode::NotSupplied, "No request capture was given with the export.");
        self.absent(
            "/instruments",
            ReasonCode::NotRecorded,
            "Nsight Systems samples no cache or storage of a runtime.",
        );
        let passes = self.passes(&passes);
        let identity = self.identity(file, source.device, state, source);
        Run { identity, passes, kernels, timeline, absent: std::mem::take(&mut self.absent), ..Run::default() }
    }

    /// The kernels that the device ran, each once by its full name, and the row of each pair of names.
    fn kernels(&mut self, source: &Source) -> (Kernels, Rows) {
        let mut rows: HashMap<String, u32> = HashMap::new();
        let mut by_names: Rows = vec![None; source.kernel_names.values().len()];
        let mut table = Kernels { given: true, labels: Labels::all(Label::reported(REPORTER)), ..Kernels::default() };
        for ran in &source.kernels {
            let (Some(place), Some((long, short))) =
                (by_names.get_mut(ran.kernel as usize), source.kernel_names.get(ran.kernel))
            else {
                continue;
            };
            place.get_or_insert_with(|| {
                let short_name = short.and_then(|id| self.names.get(id));
                let name = long.and_then(|id| self.names.get(id)).or_else(|| short_name.clone());
                let name = name.unwrap_or_else(|| unnamed(long.or(short)));
                let next = row(rows.len()).unwrap_or(u32::MAX);
                *rows.entry(name).or_insert_with_key(|name| {
                    table.name.push(Some(name));
                    table.short.push(short_name.as_deref());
                    table.counted.push(None);
                    next
                })
            });
        }
        if source.kernels.is_empty() {
            let reason = match (self.trace.schema.has(KERNELS), source.graphs.is_empty()) {
                (_, false) => {
                    "Only launches of whole CUDA graphs were recorded: the kernels in them were not collected."
                }
                (true, true) => "The export holds no kernel of this device.",
                (false, true) => "The export has no table of kernels: none was recorded, or CUDA was not traced.",
            };
            self.absent("/kernels", ReasonCode::EmptyTable, reason);
            self.absent("/timeline/intervals", ReasonCode::EmptyTable, reason);
            return (Kernels::default(), by_names);
        }
        (table, by_names)
    }

    fn submissions(&mut self, source: &Source, calls: &[u32], passes: &Passes) -> Submissions {
        let rows: Vec<_> = calls.iter().filter_map(|call| Some((*call, source.calls.get(*call as usize)?))).collect();
        if rows.is_empty() {
            let reason = if self.trace.schema.has(CALLS) {
                "No CUDA call in the export launched what this device ran: recording began after them, or was trimmed."
            } else {
                "The export has no table of CUDA calls."
            };
            self.absent("/timeline/submissions", ReasonCode::EmptyTable, reason);
            return Submissions::default();
        }
        if !rows.is_empty() {
            let reason = "The export names no nodes of a runtime's graph.";
            self.absent("/timeline/submissions/node_set", ReasonCode::NotRecorded, reason);
        }
        let (pass, without_pass) = references(rows.iter().map(|(call, _)| passes.of(*call)));
        if without_pass {
            self.absent("/timeline/submissions/pass", ReasonCode::Undecided, passes::no_pass(passes));
        }
        let mut negative = false;
        let handles: Vec<Option<i64>> = rows
            .iter()
            .map(|(_, call)| {
                let handle = call.correlation.filter(|number| *number >= 0);
                negative |= handle.is_none();
                handle
            })
            .collect();
        if negative {
            self.absent(
                "/timeline/submissions/handle",
                ReasonCode::NotRecorded,
                "Its correlation id is no number from 0.",
            );
        }
        let names = self.call_names(source);
        Submissions {
            given: true,
            kind: rows.iter().map(|(_, call)| names.get(call.name as usize).map(String::as_str)).collect(),
            start: rows.iter().map(|(_, call)| Some(call.start)).collect(),
            end: rows.iter().map(|(_, call)| Some(call.end)).collect(),
            pass,
            handle: handles.into_iter().collect(),
            labels: Labels::all(Label::measured(CLOCK))
                .with("kind", Label::reported(REPORTER))
                .with("handle", Label::reported(REPORTER))
                .with("pass", passes.label_of_members()),
            ..Submissions::default()
        }
    }

    /// The GPU's work on a submission as a whole, which is recorded of CUDA graphs only.
    fn segments(&mut self, source: &Source, submissions: &Rows, index: &Rows) -> Segments {
        if source.graphs.is_empty() {
            let reason =
                "Nsight Systems records kernels; the GPU's work on a submission as a whole only of CUDA graphs.";
            self.absent("/timeline/segments", ReasonCode::NotRecorded, reason);
            return Segments::default();
        }
        let submission: Vec<Option<u32>> = source.graphs.iter().map(|ran| row_of(submissions, ran.call()?)).collect();
        if submission.iter().any(Option::is_none) {
            self.absent("/timeline/segments/submission", ReasonCode::Lost, "Its launch is not in the export.");
        }
        Segments {
            given: true,
            submission: submission.into_iter().collect(),
            start: source.graphs.iter().map(|ran| Some(ran.start)).collect(),
            end: source.graphs.iter().map(|ran| Some(ran.end)).collect(),
            queue: source.graphs.iter().map(|ran| row_of(index, ran.queue)).collect(),
            labels: Labels::all(Label::measured(CLOCK)).with("submission", Label::reported(CORRELATION)),
            ..Segments::default()
        }
    }

    fn intervals(
        &mut self,
        source: &Source,
        submissions: &Rows,
        passes: &Passes,
        kernels: &Rows,
        index: &Rows,
    ) -> Intervals {
        if source.kernels.is_empty() {
            return Intervals::default();
        }
        let launches = source.kernels.iter().map(source::Ran::call);
        let (pass, without_pass) = references(launches.clone().map(|call| passes.of(call?)));
        let (submission, without_submission) = references(launches.map(|call| row_of(submissions, call?)));
        if without_pass {
            self.absent("/timeline/intervals/pass", ReasonCode::Undecided, passes::no_pass(passes));
        }
        if without_submission {
            let reason = "No CUDA call of its process with its correlation id is in the export: the launch lies outside what \
                          was recorded, or the export was trimmed.";
            self.absent("/timeline/intervals/submission", ReasonCode::Lost, reason);
        }
        self.absent(
            "/timeline/intervals/segment",
            ReasonCode::NotRecorded,
            "Segments are recorded of whole CUDA graphs only.",
        );
        Intervals {
            given: true,
            start: source.kernels.iter().map(|ran| ran.start).collect(),
            duration: source.kernels.iter().map(|ran| ran.end.saturating_sub(ran.start)).collect(),
            pass,
            submission,
            kernel: source.kernels.iter().map(|ran| row_of(kernels, ran.kernel)).collect(),
            queue: source.kernels.iter().map(|ran| row_of(index, ran.queue)).collect(),
            labels: Labels::all(Label::measured(CLOCK))
                .with("kernel", Label::reported(REPORTER))
                .with("queue", Label::reported(REPORTER))
                .with("submission", Label::reported(CORRELATION))
                .with("pass", passes.label_of_members()),
            ..Intervals::default()
        }
    }

    /// The names of calls, by their numbers.
    fn call_names(&mut self, source: &Source) -> Vec<String> {
        let ids = source.call_names.values().iter();
        ids.map(|id| id.and_then(|id| self.names.get(id)).unwrap_or_else(|| unnamed(*id))).collect()
    }

    fn calls(&mut self, source: &Source, submissions: &Rows) -> Calls {
        if source.calls.is_empty() {
            let reason = if self.trace.schema.has(CALLS) {
                "The export's table of CUDA calls has no usable row."
            } else {
                "The export has no table of CUDA calls."
            };
            self.absent("/timeline/calls", ReasonCode::EmptyTable, reason);
            return Calls::default();
        }
        let names = self.call_names(source);
        let threads: Vec<Option<i64>> = source.threads.values().iter().map(|global| global.map(thread)).collect();
        Calls {
            given: true,
            name: source.calls.iter().map(|call| names.get(call.name as usize).map(String::as_str)).collect(),
            start: source.calls.iter().map(|call| call.start).collect(),
            duration: source.calls.iter().map(|call| call.end.saturating_sub(call.start)).collect(),
            thread: source.calls.iter().map(|call| threads.get(call.thread as usize).copied().flatten()).collect(),
            submission: submissions.iter().copied().collect(),
            labels: Labels::all(Label::measured(CLOCK))
                .with("name", Label::reported(REPORTER))
                .with("thread", Label::reported(REPORTER))
                .with("submission", Label::reported(CORRELATION)),
            ..Calls::default()
        }
    }

    fn copies(&mut self, source: &Source, index: &Rows) -> Copies {
        if source.moved.is_empty() {
            let reason = if self.trace.schema.has(COPIES) || self.trace.schema.has(SETS) {
                "The export holds no copy and no memory set of this device."
            } else {
                "The export has no tables of copies and memory sets: none was recorded, or this was not traced."
            };
            self.absent("/timeline/copies", ReasonCode::EmptyTable, reason);
            return Copies::default();
        }
        if source.moved.iter().any(|moved| moved.bytes.is_none_or(|bytes| bytes < 0)) {
            self.absent("/timeline/copies/bytes", ReasonCode::NotRecorded, "The export states no bytes for it.");
        }
        let kinds: Vec<String> = source
            .moved
            .iter()
            .map(|moved| moved.kind.map_or_else(|| "memory set".to_owned(), |kind| copy_kind(kind).replace('_', " ")))
            .collect();
        Copies {
            given: true,
            kind: kinds.iter().map(|kind| Some(kind.as_str())).collect(),
            start: source.moved.iter().map(|moved| moved.start).collect(),
            duration: source.moved.iter().map(|moved| moved.end.saturating_sub(moved.start)).collect(),
            bytes: source.moved.iter().map(|moved| moved.bytes.filter(|bytes| *bytes >= 0)).collect(),
            queue: source.moved.iter().map(|moved| row_of(index, moved.queue)).collect(),
            labels: Labels::all(Label::measured(CLOCK))
                .with("kind", Label::reported(REPORTER))
                .with("bytes", Label::reported(REPORTER))
                .with("queue", Label::reported(REPORTER)),
            ..Copies::default()
        }
    }

    fn ranges(&mut self, source: &Source) -> Ranges {
        if source.ranges.is_empty() {
            let reason = if self.trace.schema.has(RANGES) {
                "The export's table of NVTX events has no range and no mark."
            } else {
                "The export has no table of NVTX events: no program annotated, or NVTX was not traced."
            };
            self.absent("/timeline/ranges", ReasonCode::EmptyTable, reason);
            return Ranges::default();
        }
        if source.ranges.iter().any(|range| range.end.is_none()) {
            let reason = "A mark has no duration, and a range that was open when recording stopped has no end.";
            self.absent("/timeline/ranges/duration", ReasonCode::NoSuchThing, reason);
        }
        Ranges {
            given: true,
            name: source.ranges.iter().map(|range| Some(range.name.as_str())).collect(),
            start: source.ranges.iter().map(|range| range.start).collect(),
            duration: source.ranges.iter().map(|range| range.end.map(|end| end.saturating_sub(range.start))).collect(),
            thread: source.ranges.iter().map(|range| range.thread.map(thread)).collect(),
            labels: Labels::all(Label::measured(CLOCK))
                .with("name", Label::reported(REPORTER))
                .with("thread", Label::reported(REPORTER)),
            ..Ranges::default()
        }
    }
}

/// The thread of a `globalTid`: its lowest 24 bits.
fn thread(global: i64) -> i64 {
    global & 0xFF_FFFF
}

/// First start and last end of everything on the trace clock, from 0 on.
fn bounds(source: &Source) -> Option<(i64, i64)> {
    let kernels = source.kernels.iter().chain(&source.graphs).map(|ran| (ran.start, ran.end));
    let calls = source.calls.iter().map(|call| (call.start, call.end));
    let moved = source.moved.iter().map(|moved| (moved.start, moved.end));
    let ranges = source.ranges.iter().map(|range| (range.start, range.end.unwrap_or(range.start)));
    let all = kernels.chain(calls).chain(moved).chain(ranges);
    all.fold(None, |bounds: Option<(i64, i64)>, (start, end)| {
        Some(bounds.map_or((start, end), |(from, to)| (from.min(start), to.max(end))))
    })
}

/// The queues by context and stream, and the row of each number of one.
fn queues(source: &Source) -> (Queues, Rows) {
    let mut order: Vec<_> = (0..).zip(source.queues.values()).map(|(number, queue)| (*queue, number)).collect();
    order.sort_unstable();
    let contexts: BTreeSet<_> = order.iter().map(|((context, _), _)| *context).collect();
    let mut index: Rows = vec![None; order.len()];
    let mut queues = Queues { given: true, labels: Labels::all(Label::reported(REPORTER)), ..Queues::default() };
    for (at, ((context, stream), number)) in (0..).zip(order) {
        let number: u32 = number;
        if let Some(place) = index.get_mut(number as usize) {
            *place = Some(at);
        }
        let stream = stream.map_or_else(|| "an unnamed stream".to_owned(), |stream| format!("stream {stream}"));
        let name = match context {
            Some(context) if contexts.len() > 1 => format!("context {context}, {stream}"),
            _ => stream,
        };
        queues.name.push(Some(&name));
        queues.side.push(Some("gpu"));
    }
    (queues, index)
}

/// What the export held and the run leaves out.
fn left_out(source: &Source, coverage: &Coverage, passes: &Passes) -> LeftOut {
    let mut rows: Vec<(String, u64, String)> = Vec::new();
    for (table, count) in &coverage.times_not_collected {
        rows.push((
            format!("rows of {table}"),
            *count,
            "Start and end are both zero: the time was not collected.".to_owned(),
        ));
    }
    for (table, count) in &coverage.ends_before_start {
        rows.push((format!("rows of {table}"), *count, "They end before they start.".to_owned()));
    }
    for (table, count) in &coverage.times_missing {
        rows.push((format!("rows of {table}"), *count, "They have no start or no end.".to_owned()));
    }
    for incomplete in &coverage.incomplete {
        let reason = format!("The table could be read for {} rows only: {}.", incomplete.rows, incomplete.what);
        rows.push((format!("the rest of {}", incomplete.table), 0, reason));
    }
    if source.elsewhere > 0 {
        let device = source
            .device
            .map_or_else(String::new, |device| format!(" A run is of one device, here of device {device}."));
        rows.push((
            "kernels, copies and memory sets of other devices".to_owned(),
            source.elsewhere,
            format!("Devices are not added together.{device}"),
        ));
    }
    if coverage.other_nvtx_events > 0 {
        rows.push((
            "NVTX events".to_owned(),
            coverage.other_nvtx_events,
            "They are neither ranges nor marks.".to_owned(),
        ));
    }
    if passes.empty > 0 {
        rows.push((
            "steps of the runtime".to_owned(),
            passes.empty as u64,
            "No kernel of this device was launched within them.".to_owned(),
        ));
    }
    for diagnostic in &coverage.diagnostics {
        rows.push(("a message of the profiler".to_owned(), 1, diagnostic.text.clone()));
    }
    if coverage.more_diagnostics > 0 {
        rows.push((
            "messages of the profiler".to_owned(),
            coverage.more_diagnostics,
            "Only the first are kept.".to_owned(),
        ));
    }
    LeftOut {
        given: !rows.is_empty(),
        what: rows.iter().map(|(what, ..)| Some(what.as_str())).collect(),
        count: rows.iter().map(|(_, count, _)| i64::try_from(*count).unwrap_or(i64::MAX)).collect(),
        reason: rows
            .iter()
            .map(|(.., reason)| Some(if reason.is_empty() { "(no text)" } else { reason.as_str() }))
            .collect(),
        labels: Labels::all(Label::reported(REPORTER)),
        ..LeftOut::default()
    }
}
