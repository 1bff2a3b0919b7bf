//! The summary of an export: the keys that scripts read, in their order, and beside them what the figures rest on.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::busy::Busy;
use crate::coverage::{Absent, Coverage};
use crate::devices::{Device, Devices, copy_kind};
use crate::launches::{Calls, unnamed};
use crate::names::Names;
use crate::open::Trace;
use crate::ranges::{self, Named};
use crate::rows::Window;
use crate::schema::{CALLS, COPIES, GRAPHS, GraphState, KERNELS, RANGES, SETS};

/// By which name kernels are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelName {
    /// The name without templates and parameters; several kernels may share one.
    #[default]
    Short,
    /// The whole name, as the source has it.
    Demangled,
    /// The name as the linker has it.
    Mangled,
}

impl KernelName {
    fn column(self) -> &'static str {
        match self {
            KernelName::Short => "shortName",
            KernelName::Demangled => "demangledName",
            KernelName::Mangled => "mangledName",
        }
    }
}

/// What a summary is of.
pub struct Options<'a> {
    /// The name of the file, as it is to stand in the summary.
    pub file: String,
    /// Which ranges stand under `nvtx`.
    pub nvtx: &'a dyn Fn(&str) -> bool,
    /// Ranges that begin so stand under `dispatch`.
    pub dispatch_prefix: String,
    /// So many kernels at most.
    pub top: usize,
    /// The device of the top-level figures.
    pub device: Option<i64>,
    /// Nanoseconds on the trace clock from which on, and before which.
    pub from: Option<i64>,
    /// See `from`.
    pub to: Option<i64>,
    /// How kernels are named.
    pub name: KernelName,
    /// The bytes of a write-ahead log beside the file, which is not read.
    pub unread_wal: Option<u64>,
}

/// A map that keeps the order of its entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered<V>(pub Vec<(String, V)>);

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Ranges of one name.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Range {
    /// How many.
    pub count: u64,
    /// Their durations together, in seconds.
    pub sum_s: f64,
    /// The union of them, in seconds.
    pub union_s: f64,
    /// Of that union, how long the device was busy; `None` where that is not known.
    pub gpu_overlap_s: Option<f64>,
}

/// A range that marks a dispatch.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Dispatched {
    /// Its start, in nanoseconds of the trace clock.
    pub start_ns: i64,
    /// Its name.
    pub name: String,
}

/// Copies of one kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Copies {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: i64,
}

/// The figures of one device.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeviceSummary {
    /// Its number.
    pub device: i64,
    /// First start to last end of kernels, copies and sets, in seconds.
    pub span_s: Option<f64>,
    /// The same with the launches of whole graphs.
    pub span_with_graphs_s: Option<f64>,
    /// The union of kernels, copies and sets in seconds; from that to the union with whole graphs, where kernels within
    /// graphs were not collected.
    pub busy_s: Option<[f64; 2]>,
    /// What of the span the device was idle, in seconds: a range as `busy_s` is one.
    pub idle_s: Option<[f64; 2]>,
    /// Kernels; at least so many where kernels within graphs were not collected.
    pub kernels: u64,
    /// The durations of all kernels together, in seconds.
    pub kernel_sum_s: f64,
    /// Kernels that carry a graph node.
    pub graph_node_kernels: u64,
    /// Launches of whole graphs.
    pub whole_graphs: u64,
    /// Copies by kind.
    pub copies: Ordered<Copies>,
    /// Memory sets.
    pub sets: u64,
    /// Streams that it ran on.
    pub streams: usize,
}

/// What the figures rest on.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Beside {
    /// The version that made the summary.
    pub version: &'static str,
    /// How CUDA graphs were recorded.
    pub graph_state: GraphState,
    /// The device of the top-level figures.
    pub device: Option<i64>,
    /// Every device.
    pub devices: Vec<DeviceSummary>,
    /// Figures that are null, and why.
    pub absent: Vec<Absent>,
    /// What is missing, and what was left out.
    pub coverage: Coverage,
}

/// The summary. Times are in seconds unless their name says otherwise.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Summary {
    /// The file's name.
    pub file: String,
    /// First start to last end over kernels, copies and sets of the device.
    pub gpu_activity_span_s: Option<f64>,
    /// Their union, over all streams of the device.
    pub gpu_busy_union_s: Option<f64>,
    /// The one less the other.
    pub gpu_idle_within_span_s: Option<f64>,
    /// Kernels of the device.
    pub kernel_count: Option<u64>,
    /// Kernels of the device that carry a graph node.
    pub graph_node_kernel_count: Option<u64>,
    /// CUDA calls of the whole file: name to calls and seconds, longest first.
    pub api: Option<Ordered<(u64, f64)>>,
    /// Ranges of the whole file by name, in the order in which each name first starts.
    pub nvtx: Option<Ordered<Range>>,
    /// Ranges with the prefix: name to how many.
    pub dispatch: Option<Ordered<u64>>,
    /// Each of them, in order.
    pub dispatch_timeline: Option<Vec<Dispatched>>,
    /// Kernels of the device: name, how many, seconds; longest first.
    pub top_kernels: Option<Vec<(String, (u64, f64))>>,
    /// What the figures are not.
    pub notes: String,
    /// What they rest on.
    pub tokenpath: Beside,
}

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Makes the summary of an export.
pub fn summary(trace: &Trace, options: &Options<'_>) -> Summary {
    let window = Window { from: options.from, to: options.to };
    let mut coverage = Coverage::default();
    let mut names = Names::new(&trace.connection, &trace.schema);
    let calls = Calls::read(trace, window, &mut names, &mut coverage);
    let devices = Devices::read(trace, window, options.name.column(), &calls, &mut coverage);
    let ranges = ranges::read(trace, window, &mut names, &mut coverage);
    coverage.read_diagnostics(trace);
    coverage.unread_wal_bytes = options.unread_wal;
    coverage.cut_off = trace.cut_off;
    coverage.missing_tables =
        [KERNELS, COPIES, SETS, CALLS, RANGES].into_iter().filter(|table| !trace.schema.has(table)).collect();
    let state = devices.graph_state();
    let chosen = options.device.or_else(|| devices.first());
    let mut parts = Parts { trace, options, state, coverage, absent: Vec::new(), names };
    let mut of_chosen = None;
    let mut list = Vec::new();
    for (number, device) in devices.list {
        let figures = parts.device(number, device);
        list.push(figures.summary.clone());
        if Some(number) == chosen {
            of_chosen = Some(figures);
        }
    }
    parts.top(chosen, of_chosen, list, &calls, ranges)
}

/// What a summary is put together from.
struct Parts<'a> {
    trace: &'a Trace,
    options: &'a Options<'a>,
    state: GraphState,
    coverage: Coverage,
    absent: Vec<Absent>,
    names: Names<'a>,
}

/// The figures of a device, and its union for ranges.
struct Figures {
    summary: DeviceSummary,
    busy: Busy,
    span: Option<i64>,
    by_name: Vec<(String, u64, i64)>,
}

impl Parts<'_> {
    /// Whether everything that a union of activity needs was read to its end.
    fn activity_is_complete(&self) -> bool {
        [KERNELS, COPIES, SETS].iter().all(|table| self.coverage.is_complete(table))
    }

    fn device(&mut self, number: i64, device: Device) -> Figures {
        let hides = self.state == GraphState::Graph || device.whole_graphs > 0 || !device.graphs.is_empty();
        let ends = |list: &[(i64, i64)]| -> Option<(i64, i64)> {
            Some((list.iter().map(|(start, _)| *start).min()?, list.iter().map(|(_, end)| *end).max()?))
        };
        let activity = ends(&device.intervals);
        let graphs = ends(&device.graphs);
        let together = match (activity, graphs) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        let length = |ends: Option<(i64, i64)>| ends.map(|(start, end)| end.saturating_sub(start));
        let with_graphs =
            hides.then(|| Busy::of(device.intervals.iter().chain(&device.graphs).copied().collect()).total());
        let busy = Busy::of(device.intervals);
        let most = with_graphs.unwrap_or(busy.total());
        let complete = self.activity_is_complete() && self.coverage.is_complete(GRAPHS);
        let known = complete.then_some(together).flatten();
        let mut by_name: Vec<(String, u64, i64)> = Vec::new();
        let mut sums: std::collections::HashMap<String, (u64, i64)> = std::collections::HashMap::new();
        for (id, (count, sum)) in device.by_name {
            let name = id.and_then(|id| self.names.get(id)).unwrap_or_else(|| unnamed(id));
            let entry = sums.entry(name).or_default();
            entry.0 += count;
            entry.1 = entry.1.saturating_add(sum);
        }
        by_name.extend(sums.into_iter().map(|(name, (count, sum))| (name, count, sum)));
        by_name.sort_unstable_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        let whole = length(known);
        let summary = DeviceSummary {
            device: number,
            span_s: length(activity).filter(|_| complete).map(seconds),
            span_with_graphs_s: if hides { whole.map(seconds) } else { None },
            busy_s: known.map(|_| [seconds(busy.total()), seconds(most)]),
            idle_s: whole.map(|span| [seconds(span.saturating_sub(most)), seconds(span.saturating_sub(busy.total()))]),
            kernels: device.kernels,
            kernel_sum_s: seconds(device.kernel_ns),
            graph_node_kernels: device.node_kernels,
            whole_graphs: device.whole_graphs,
            copies: Ordered(
                device
                    .copies
                    .into_iter()
                    .map(|(kind, (count, bytes))| (copy_kind(kind), Copies { count, bytes }))
                    .collect(),
            ),
            sets: device.sets,
            streams: device.streams.len(),
        };
        Figures { summary, busy, span: length(activity), by_name }
    }

    fn missing(&mut self, figures: &[&str], reason: impl Into<String>) {
        let reason = reason.into();
        self.absent
            .extend(figures.iter().map(|figure| Absent { figure: (*figure).to_owned(), reason: reason.clone() }));
    }

    fn no_table(&self, table: &str) -> Option<String> {
        (!self.trace.schema.has(table))
            .then(|| format!("The export has no table {table}: none of it was recorded, or this was not traced."))
    }

    fn top(
        mut self,
        chosen: Option<i64>,
        device: Option<Figures>,
        devices: Vec<DeviceSummary>,
        calls: &Calls,
        ranges: Vec<Named>,
    ) -> Summary {
        let (span, busy, idle) = self.times(chosen, device.as_ref());
        let (kernel_count, node_count, top_kernels) = self.kernels(device.as_ref());
        let api = match self.no_table(CALLS) {
            Some(reason) => {
                self.missing(&["api"], reason);
                None
            }
            None => Some(Ordered(
                calls.by_name.iter().map(|(name, count, sum)| (name.clone(), (*count, seconds(*sum)))).collect(),
            )),
        };
        let overlaps = device.as_ref().filter(|_| busy.is_some()).map(|figures| &figures.busy);
        let (nvtx, dispatch, timeline) = self.ranges(ranges, overlaps);
        self.coverage.take(&self.names);
        let notes = self.notes(chosen, &devices);
        Summary {
            file: self.options.file.clone(),
            gpu_activity_span_s: span.map(seconds),
            gpu_busy_union_s: busy.map(seconds),
            gpu_idle_within_span_s: idle.map(seconds),
            kernel_count,
            graph_node_kernel_count: node_count,
            api,
            nvtx,
            dispatch,
            dispatch_timeline: timeline,
            top_kernels,
            notes,
            tokenpath: Beside {
                version: env!("CARGO_PKG_VERSION"),
                graph_state: self.state,
                device: chosen,
                devices,
                absent: self.absent,
                coverage: self.coverage,
            },
        }
    }

    /// Span, busy and idle of the device, in nanoseconds, where the export holds all that they need.
    fn times(&mut self, chosen: Option<i64>, device: Option<&Figures>) -> (Option<i64>, Option<i64>, Option<i64>) {
        const ALL: [&str; 3] = ["gpu_activity_span_s", "gpu_busy_union_s", "gpu_idle_within_span_s"];
        let Some(figures) = device else {
            let reason = match chosen {
                Some(number) => format!("The export holds no activity of device {number}."),
                None => "The export holds no GPU activity: no kernel, copy or memory set.".to_owned(),
            };
            self.missing(&ALL, reason);
            return (None, None, None);
        };
        if !self.activity_is_complete() {
            self.missing(
                &ALL,
                "A table of GPU activity could not be read to its end; see tokenpath.coverage.incomplete.",
            );
            return (None, None, None);
        }
        let Some(span) = figures.span else {
            self.missing(
                &ALL,
                "Only launches of whole graphs were recorded on this device; see tokenpath.devices for their span and the \
                 ranges of busy and idle.",
            );
            return (None, None, None);
        };
        if self.state == GraphState::Graph || figures.summary.whole_graphs > 0 {
            self.missing(
                &["gpu_busy_union_s", "gpu_idle_within_span_s"],
                "Kernels within CUDA graphs were not collected, so busy and idle are ranges; see tokenpath.devices.",
            );
            return (Some(span), None, None);
        }
        let busy = figures.busy.total();
        (Some(span), Some(busy), Some(span.saturating_sub(busy)))
    }

    #[expect(clippy::type_complexity, reason = "the three figures of the summary that kernels give")]
    fn kernels(&mut self, device: Option<&Figures>) -> (Option<u64>, Option<u64>, Option<Vec<(String, (u64, f64))>>) {
        if let Some(reason) = self.no_table(KERNELS) {
            self.missing(&["kernel_count", "graph_node_kernel_count", "top_kernels"], reason);
            return (None, None, None);
        }
        let column = self.options.name.column();
        let named = self.trace.schema.has_column(KERNELS, column);
        if !named {
            self.missing(&["top_kernels"], format!("The table {KERNELS} has no column {column}."));
        }
        let top = device.map_or_else(Vec::new, |figures| {
            let list = figures.by_name.iter().take(self.options.top);
            list.map(|(name, count, sum)| (name.clone(), (*count, seconds(*sum)))).collect()
        });
        let count = device.map_or(0, |figures| figures.summary.kernels);
        let nodes = device.map_or(0, |figures| figures.summary.graph_node_kernels);
        (Some(count), Some(nodes), named.then_some(top))
    }

    #[expect(clippy::type_complexity, reason = "the three figures of the summary that ranges give")]
    fn ranges(
        &mut self,
        ranges: Vec<Named>,
        busy: Option<&Busy>,
    ) -> (Option<Ordered<Range>>, Option<Ordered<u64>>, Option<Vec<Dispatched>>) {
        if let Some(reason) = self.no_table(RANGES) {
            self.missing(&["nvtx", "dispatch", "dispatch_timeline"], reason);
            return (None, None, None);
        }
        if busy.is_none() {
            self.missing(&["nvtx.*.gpu_overlap_s"], "The busy time of the device is not known.");
        }
        let prefix = &self.options.dispatch_prefix;
        let (mut nvtx, mut dispatch, mut timeline) = (Vec::new(), Vec::new(), Vec::new());
        for named in ranges {
            if !prefix.is_empty() && named.name.starts_with(prefix) {
                timeline
                    .extend(named.starts.iter().map(|start| Dispatched { start_ns: *start, name: named.name.clone() }));
                dispatch.push((named.name, named.starts.len() as u64));
            } else if (self.options.nvtx)(&named.name) {
                let union = Busy::of(named.intervals);
                let overlap =
                    busy.map(|busy| union.stretches().iter().map(|(start, end)| busy.within(*start, *end)).sum());
                nvtx.push((
                    named.name,
                    Range {
                        count: named.starts.len() as u64,
                        sum_s: seconds(named.sum),
                        union_s: seconds(union.total()),
                        gpu_overlap_s: overlap.map(seconds),
                    },
                ));
            }
        }
        timeline.sort_by(|a: &Dispatched, b| a.start_ns.cmp(&b.start_ns).then_with(|| a.name.cmp(&b.name)));
        (Some(Ordered(nvtx)), Some(Ordered(dispatch)), Some(timeline))
    }

    fn notes(&self, chosen: Option<i64>, devices: &[DeviceSummary]) -> String {
        let mut notes = String::from(
            "GPU busy is interval union, not utilization counter. CPU/API/NVTX times overlap GPU work and each other; do \
             not sum them as exclusive costs.",
        );
        if let (Some(number), 2..) = (chosen, devices.len()) {
            notes.push_str(&format!(
                " The export holds {} devices; spans, busy, idle, overlaps and kernels are those of device {number}; api, \
                 nvtx counts and dispatch are of the whole file; tokenpath.devices has every device.",
                devices.len()
            ));
        }
        if self.state == GraphState::Graph {
            notes.push_str(
                " Only launches of whole CUDA graphs were recorded: counts and times of kernels are at least what they \
                 are, and no idle time can be told.",
            );
        }
        if self.options.from.is_some() || self.options.to.is_some() {
            notes.push_str(
                " Of a window: intervals that reach into it are clipped for unions and overlaps; counts and sums are of \
                 what starts within it.",
            );
        }
        if self.coverage.cut_off {
            notes.push_str(
                " The file is cut off: it is shorter than it states, and what lay beyond its end is missing.",
            );
        }
        if let Some(bytes) = self.options.unread_wal {
            notes.push_str(&format!(
                " A write-ahead log of {bytes} bytes lies beside the file and is not read: what it holds is missing here."
            ));
        }
        for incomplete in &self.coverage.incomplete {
            notes.push_str(&format!(
                " {} could be read for {} rows only: counts and sums from it are at least what they are.",
                incomplete.table, incomplete.rows
            ));
        }
        notes
    }
}
