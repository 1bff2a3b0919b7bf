//! Evidence of things that lie on a clock.

use super::{Evidence, between, cell, rate, say, share, text};
use crate::derive::counted::int;
use crate::derive::passes::PassTable;
use crate::derive::weight_bytes;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// A start, counted from the start of the capture.
fn after_capture(run: &Run, start: &Reading) -> Reading {
    let timeline = &run.timeline;
    let zero = run.reading(timeline.start.map(Quantity::Nanos), timeline.label("start"), "/timeline/start");
    between(start, &zero, "start \u{2212} start of the capture", ["start", "start of the capture"])
}

/// A start, counted from the start of its pass.
fn after_pass(run: &Run, start: &Reading, pass: Option<u32>) -> Option<Evidence> {
    let pass = pass?;
    let rows = &run.passes.rows;
    let row = pass as usize;
    let zero =
        cell(run, "/passes/rows/start", pass, rows.start.get(row).map(Quantity::Nanos), rows.label("start", row));
    let reading = between(start, &zero, "start \u{2212} start of the pass", ["start", "start of the pass"]);
    Some(say("Starts, after its pass's start", reading))
}

fn nanos(value: Option<i64>) -> Option<Quantity> {
    value.map(Quantity::Nanos)
}

pub(super) fn pass(run: &Run, row: u32) -> Vec<Evidence> {
    let rows = &run.passes.rows;
    let at = row as usize;
    let mut known = PassTable::new(run).row(row);
    let token = known.token_text.take();
    let mut out = vec![
        say("Kind", known.kind),
        say("Time, start to result", known.span),
        say("Period, start to next start", known.period),
        say("Starts, after the capture's start", after_capture(run, &known.start)),
        say("Tokens it takes in", known.tokens),
    ];
    if rows.position.get(at).is_some() {
        let position = cell(
            run,
            "/passes/rows/position",
            row,
            rows.position.get(at).map(Quantity::Count),
            rows.label("position", at),
        );
        out.push(say("Position of its first token", position));
    }
    if let Some(token) = token {
        let label = rows.label("token_text", at);
        out.push(say("Token sampled from it", cell(run, "/passes/rows/token_text", row, text(Some(&token)), label)));
    }
    out.push(say("Submissions", known.submissions));
    out.push(say("Intervals", known.intervals));
    out.push(say("Time of its intervals, added up", known.time_sum));
    out.push(Evidence { caption: "Of its period".to_owned(), reading: known.share, open: true });
    if rows.cpu_time.get(at).is_some() {
        let cpu = cell(run, "/passes/rows/cpu_time", row, nanos(rows.cpu_time.get(at)), rows.label("cpu_time", at));
        out.push(say("Processor time of the runtime", cpu));
    }
    if let Some(execution) = rows.execution.get(at) {
        let table = &run.passes.executions;
        let of = execution as usize;
        let name = cell(run, "/passes/executions/name", execution, text(table.name.get(of)), table.label("name", of));
        out.push(say("Executed", name));
    }
    out
}

pub(super) fn submission(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.submissions;
    let at = row as usize;
    let start = cell(run, "/timeline/submissions/start", row, nanos(table.start.get(at)), table.label("start", at));
    let end = cell(run, "/timeline/submissions/end", row, nanos(table.end.get(at)), table.label("end", at));
    let pass = table.pass.get(at);
    let mut out = vec![
        say("What", cell(run, "/timeline/submissions/kind", row, text(table.kind.get(at)), table.label("kind", at))),
        say("Encode interval", between(&end, &start, "end \u{2212} start", ["end", "start"])),
        say("Starts, after the capture's start", after_capture(run, &start)),
    ];
    out.extend(after_pass(run, &start, pass));
    let handle = table.handle.get(at).map(|handle| Quantity::Text(handle.to_string()));
    out.push(say(
        "The driver's own object",
        cell(run, "/timeline/submissions/handle", row, handle, table.label("handle", at)),
    ));
    out
}

pub(super) fn segment(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.segments;
    let at = row as usize;
    let start = cell(run, "/timeline/segments/start", row, nanos(table.start.get(at)), table.label("start", at));
    let end = cell(run, "/timeline/segments/end", row, nanos(table.end.get(at)), table.label("end", at));
    let queue = table.queue.get(at).and_then(|queue| run.timeline.queues.name.get(queue as usize));
    let pass = table.submission.get(at).and_then(|submission| run.timeline.submissions.pass.get(submission as usize));
    let mut out = vec![
        say("GPU time", between(&end, &start, "end \u{2212} start", ["end", "start"])),
        say("Starts, after the capture's start", after_capture(run, &start)),
    ];
    out.extend(after_pass(run, &start, pass));
    // What the CPU encoded before: how long the work waited between launch and start.
    if let Some(submission) = table.submission.get(at) {
        let of = submission as usize;
        let submissions = &run.timeline.submissions;
        let launched = cell(
            run,
            "/timeline/submissions/start",
            submission,
            nanos(submissions.start.get(of)),
            submissions.label("start", of),
        );
        let wait = between(
            &start,
            &launched,
            "start on the GPU \u{2212} start of the encode interval",
            ["start on the GPU", "start of the encode interval"],
        );
        out.push(say("From encode to GPU", wait));
    }
    out.push(say("Queue", cell(run, "/timeline/segments/queue", row, text(queue), table.label("queue", at))));
    out
}

pub(super) fn interval(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.intervals;
    let at = row as usize;
    let start = cell(run, "/timeline/intervals/start", row, nanos(table.start.get(at)), table.label("start", at));
    let time =
        cell(run, "/timeline/intervals/duration", row, nanos(table.duration.get(at)), table.label("duration", at));
    let pass = table.pass.get(at);
    let mut out = vec![say("Interval", time.clone())];
    match after_pass(run, &start, pass) {
        Some(after) => out.push(after),
        None => out.push(say("Starts, after the capture's start", after_capture(run, &start))),
    }
    let nodes = table.nodes.get(at).unwrap_or(&[]);
    // The output of several fused nodes is that of the last.
    if let Some(node) = nodes.last() {
        out.extend(output(run, *node));
    }
    if let Some(pass) = pass {
        let of = share_of_pass(run, pass, &time);
        out.push(say("Of its pass's interval time", of));
        if !nodes.is_empty() {
            let via = executed(run, row, nodes.len());
            out.extend(weight(run, pass, nodes, Some(via), &time));
        }
    }
    if let Some(queue) = table.queue.get(at).and_then(|queue| run.timeline.queues.name.get(queue as usize)) {
        out.push(say(
            "Queue",
            cell(run, "/timeline/intervals/queue", row, text(Some(queue)), table.label("queue", at)),
        ));
    }
    out.extend(counters(run));
    out
}

/// The relation from an interval to the nodes it executed, as an input of what is computed through it.
pub(super) fn executed(run: &Run, interval: u32, nodes: usize) -> Fact {
    let label = run.timeline.intervals.label("nodes", interval as usize);
    Fact::stored(Quantity::Count(int(nodes)), label, format!("/timeline/intervals/nodes/{interval}"))
}

/// Element type and sizes of a node's result.
pub(super) fn output(run: &Run, node: u32) -> Vec<Evidence> {
    let nodes = &run.graph.nodes;
    let at = node as usize;
    let mut out = Vec::new();
    if let Some(dtype) = nodes.dtype.get(at) {
        let dtype = cell(run, "/graph/nodes/dtype", node, text(Some(dtype)), nodes.label("dtype", at));
        out.push(say("Output type", dtype));
    }
    if let Some(shape) = nodes.shape.get(at) {
        let sizes = Some(Quantity::Sizes(shape.to_vec()));
        out.push(say("Output sizes", cell(run, "/graph/nodes/shape", node, sizes, nodes.label("shape", at))));
    }
    out
}

/// Bytes of the weights that nodes address, and how fast their interval got through them.
pub(super) fn weight(run: &Run, pass: u32, nodes: &[u32], via: Option<Fact>, time: &Reading) -> Vec<Evidence> {
    let bytes = weight_bytes::of_nodes(run, pass, nodes, via);
    let speed = rate(&bytes, time, "weight bytes \u{f7} interval", ["weight bytes", "interval"]);
    let read = bytes.is_ok();
    let mut out = vec![say("Weight bytes", bytes)];
    // Without weights there is no rate to miss.
    if read {
        out.push(Evidence { caption: "Weight rate".to_owned(), reading: speed, open: true });
    }
    out
}

/// A time as a share of all interval time of its pass, where every interval of it is recorded with its duration.
pub(super) fn share_of_pass(run: &Run, pass: u32, time: &Reading) -> Reading {
    let whole = PassTable::new(run).row(pass).time_sum;
    share(
        time,
        &whole,
        "interval \u{f7} sum of the intervals of the pass",
        ["interval", "sum of the intervals of the pass"],
    )
}

/// That an instrument reads no hardware counters is worth saying where somebody looks for them.
fn counters(run: &Run) -> Option<Evidence> {
    let reads = run.identity.instrument.hardware_counters?;
    (!reads).then(|| {
        say(
            "Hardware counters",
            Err(Missing {
                pointer: "/identity/instrument/hardware_counters".to_owned(),
                reason: "The instrument does not read hardware counters.".to_owned(),
            }),
        )
    })
}

pub(super) fn range(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.ranges;
    let at = row as usize;
    let start = cell(run, "/timeline/ranges/start", row, nanos(table.start.get(at)), table.label("start", at));
    let mut out = vec![
        say(
            "Duration",
            cell(run, "/timeline/ranges/duration", row, nanos(table.duration.get(at)), table.label("duration", at)),
        ),
        say("Starts, after the capture's start", after_capture(run, &start)),
    ];
    out.extend(thread(run, "/timeline/ranges/thread", row, table.thread.get(at), table.label("thread", at)));
    out
}

fn thread(
    run: &Run,
    pointer: &str,
    row: u32,
    thread: Option<i64>,
    label: Option<&crate::label::Label>,
) -> Option<Evidence> {
    let quantity = Quantity::Text(thread?.to_string());
    Some(say("Thread", cell(run, pointer, row, Some(quantity), label)))
}

pub(super) fn call(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.calls;
    let at = row as usize;
    let start = cell(run, "/timeline/calls/start", row, nanos(table.start.get(at)), table.label("start", at));
    let mut out = vec![
        say(
            "Duration",
            cell(run, "/timeline/calls/duration", row, nanos(table.duration.get(at)), table.label("duration", at)),
        ),
        say("Starts, after the capture's start", after_capture(run, &start)),
    ];
    out.extend(thread(run, "/timeline/calls/thread", row, table.thread.get(at), table.label("thread", at)));
    out
}

pub(super) fn copy(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.copies;
    let at = row as usize;
    let start = cell(run, "/timeline/copies/start", row, nanos(table.start.get(at)), table.label("start", at));
    let time = cell(run, "/timeline/copies/duration", row, nanos(table.duration.get(at)), table.label("duration", at));
    let bytes =
        cell(run, "/timeline/copies/bytes", row, table.bytes.get(at).map(Quantity::Bytes), table.label("bytes", at));
    let speed = rate(&bytes, &time, "bytes \u{f7} duration", ["bytes", "duration"]);
    let mut out = vec![
        say("Duration", time),
        say("Starts, after the capture's start", after_capture(run, &start)),
        say("Bytes", bytes),
        Evidence { caption: "Rate".to_owned(), reading: speed, open: true },
    ];
    if let Some(queue) = table.queue.get(at).and_then(|queue| run.timeline.queues.name.get(queue as usize)) {
        out.push(say("Queue", cell(run, "/timeline/copies/queue", row, text(Some(queue)), table.label("queue", at))));
    }
    out
}

pub(super) fn chunk(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.request.chunks;
    let at = row as usize;
    let arrival = cell(run, "/request/chunks/at", row, nanos(table.at.get(at)), table.label("at", at));
    let mut out = vec![
        say("Arrival, after the request's start", arrival.clone()),
        say(
            "Characters",
            cell(
                run,
                "/request/chunks/characters",
                row,
                table.characters.get(at).map(Quantity::Count),
                table.label("characters", at),
            ),
        ),
        say(
            "Tokens",
            cell(
                run,
                "/request/chunks/tokens",
                row,
                table.tokens.get(at).map(Quantity::Count),
                table.label("tokens", at),
            ),
        ),
        say(
            "Channel",
            cell(run, "/request/chunks/channel", row, text(table.channel.get(at)), table.label("channel", at)),
        ),
    ];
    if let Some(before) = row.checked_sub(1) {
        let of = before as usize;
        let earlier = cell(run, "/request/chunks/at", before, nanos(table.at.get(of)), table.label("at", of));
        let gap =
            between(&arrival, &earlier, "arrival \u{2212} arrival of the one before", ["arrival", "the one before"]);
        out.push(say("After the chunk before", gap));
    }
    if let Some(content) = table.text.get(at) {
        out.push(say("Text", cell(run, "/request/chunks/text", row, text(Some(content)), table.label("text", at))));
    }
    out
}
