//! Kernels, copies and memory sets by device. Devices are never added together.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;

use crate::coverage::Coverage;
use crate::ids::IdMap;
use crate::launches::Calls;
use crate::open::Trace;
use crate::rows::{Times, Window, int, scan};
use crate::schema::{COPIES, GRAPHS, GraphState, KERNELS, SETS};

/// What ran on one device.
#[derive(Debug, Default)]
pub(crate) struct Device {
    /// Kernels, copies and sets, clipped to the window; sorted by nobody yet.
    pub(crate) intervals: Vec<(i64, i64)>,
    /// Launches of whole graphs.
    pub(crate) graphs: Vec<(i64, i64)>,
    pub(crate) kernels: u64,
    pub(crate) kernel_ns: i64,
    pub(crate) node_kernels: u64,
    pub(crate) whole_graphs: u64,
    pub(crate) sets: u64,
    /// Copies by kind: how many, their bytes.
    pub(crate) copies: BTreeMap<Option<i64>, (u64, i64)>,
    pub(crate) streams: Vec<i64>,
    /// Number of the name to kernels and nanoseconds.
    pub(crate) by_name: IdMap<(u64, i64)>,
}

/// All devices by their numbers. Exports without the column have one, of number 0.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    pub(crate) list: BTreeMap<i64, Device>,
    /// Kernels that carry a graph node, on any device and at any time.
    node_kernels: u64,
    whole_graphs: u64,
}

impl Devices {
    /// Reads the activity of all devices; counts what starts within the window and clips what reaches into it.
    pub(crate) fn read(
        trace: &Trace,
        window: Window,
        name_column: &str,
        calls: &Calls,
        coverage: &mut Coverage,
    ) -> Devices {
        let mut devices = Devices::default();
        devices.kernels(trace, window, name_column, calls, coverage);
        for table in [COPIES, SETS] {
            devices.transfers(trace, window, table, coverage);
        }
        let ended = scan(&trace.connection, &trace.schema, GRAPHS, &["start", "end", "deviceId"], &mut |row| {
            devices.whole_graphs += 1;
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(GRAPHS, times) else { return Ok(()) };
            let device = devices.list.entry(int(row, 2)?.unwrap_or(0)).or_default();
            device.whole_graphs += u64::from(window.holds(start));
            device.graphs.extend(window.clip(start, end));
            Ok(())
        });
        coverage.incomplete.extend(ended);
        devices
    }

    fn kernels(&mut self, trace: &Trace, window: Window, name_column: &str, calls: &Calls, coverage: &mut Coverage) {
        let schema = &trace.schema;
        let columns =
            ["start", "end", "deviceId", "streamId", "correlationId", "globalPid", name_column, "graphNodeId"];
        let (mut without, mut before) = (0_u64, 0_u64);
        let mut last: Option<(i64, Device)> = None;
        let mut cursor = 0;
        let ended = scan(&trace.connection, schema, KERNELS, &columns, &mut |row| {
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let on_graph = matches!(row.get_ref(7)?, ValueRef::Integer(node) if node != 0);
            self.node_kernels += u64::from(on_graph);
            let launch = int(row, 4)?.map(|correlation| (correlation, int(row, 5)));
            let Some((start, end)) = coverage.usable(KERNELS, times) else { return Ok(()) };
            match launch {
                Some((correlation, pid)) => match calls.launches.find(correlation, pid?, &mut cursor) {
                    Some(launched) => before += u64::from(start < launched),
                    None => without += 1,
                },
                None => without += 1,
            }
            let number = int(row, 2)?.unwrap_or(0);
            // Rows of one device mostly follow each other: the tree is asked when the device changes.
            if last.as_ref().is_none_or(|(known, _)| *known != number) {
                if let Some((known, device)) = last.take() {
                    self.list.insert(known, device);
                }
                last = Some((number, self.list.remove(&number).unwrap_or_default()));
            }
            let Some((_, device)) = &mut last else { return Ok(()) };
            device.intervals.extend(window.clip(start, end));
            if window.holds(start) {
                let length = end.saturating_sub(start);
                device.kernels += 1;
                device.kernel_ns = device.kernel_ns.saturating_add(length);
                device.node_kernels += u64::from(on_graph);
                device.saw_stream(int(row, 3)?);
                let (count, sum) = device.by_name.entry(int(row, 6)?).or_default();
                *count += 1;
                *sum = sum.saturating_add(length);
            }
            Ok(())
        });
        if let Some((known, device)) = last {
            self.list.insert(known, device);
        }
        coverage.incomplete.extend(ended);
        if schema.has(KERNELS) {
            coverage.kernels_without_launch = Some(without);
            coverage.kernels_before_launch = Some(before);
        }
    }

    fn transfers(&mut self, trace: &Trace, window: Window, table: &'static str, coverage: &mut Coverage) {
        let columns = ["start", "end", "deviceId", "streamId", "bytes", "copyKind"];
        let ended = scan(&trace.connection, &trace.schema, table, &columns, &mut |row| {
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(table, times) else { return Ok(()) };
            let device = self.list.entry(int(row, 2)?.unwrap_or(0)).or_default();
            device.intervals.extend(window.clip(start, end));
            if window.holds(start) {
                device.saw_stream(int(row, 3)?);
                if table == COPIES {
                    let (count, bytes) = device.copies.entry(int(row, 5)?).or_default();
                    *count += 1;
                    *bytes = bytes.saturating_add(int(row, 4)?.unwrap_or(0));
                } else {
                    device.sets += 1;
                }
            }
            Ok(())
        });
        coverage.incomplete.extend(ended);
    }

    /// How CUDA graphs were recorded, in the whole export.
    pub(crate) fn graph_state(&self) -> GraphState {
        match (self.node_kernels, self.whole_graphs) {
            (0, 0) => GraphState::None,
            (0, _) => GraphState::Graph,
            _ => GraphState::Node,
        }
    }

    /// The device that a summary speaks of by default: the lowest that ran kernels, else the lowest with any activity.
    pub(crate) fn first(&self) -> Option<i64> {
        let ran = self.list.iter().find(|(_, device)| device.kernels > 0);
        ran.or_else(|| self.list.iter().next()).map(|(number, _)| *number)
    }
}

impl Device {
    fn saw_stream(&mut self, stream: Option<i64>) {
        if let Some(stream) = stream
            && self.streams.last() != Some(&stream)
            && !self.streams.contains(&stream)
        {
            self.streams.push(stream);
        }
    }
}

/// What a copy goes from and to, by CUPTI's numbers; exports before schema 3 have no table of them.
pub(crate) fn copy_kind(kind: Option<i64>) -> String {
    let name = match kind {
        Some(1) => "host_to_device",
        Some(2) => "device_to_host",
        Some(3) => "host_to_array",
        Some(4) => "array_to_host",
        Some(5) => "array_to_array",
        Some(6) => "array_to_device",
        Some(7) => "device_to_array",
        Some(8) => "device_to_device",
        Some(9) => "host_to_host",
        Some(10) => "peer_to_peer",
        Some(11) => "unified_host_to_device",
        Some(12) => "unified_device_to_host",
        Some(13) => "unified_device_to_device",
        Some(other) => return format!("kind_{other}"),
        None => "unknown",
    };
    name.to_owned()
}
