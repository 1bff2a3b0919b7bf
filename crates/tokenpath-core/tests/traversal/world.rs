//! Small runs written as text, for tests. One line per row: `kind name key=value …`.
//!
//! ```text
//! component block layer=0
//! tensor query of=block
//! kernel matmul
//! node q reads=query runs=matmul
//! set s nodes=q
//! pass p decode
//! submission u pass=p set=s
//! interval i pass=p submission=u kernel=matmul
//! ```
//!
//! A value is a name of an earlier line (or several, with commas), a number for `layer`, or
//! - `!code`: the chain ends here, with the answer `code`;
//! - `?reason`: null, with an absence entry for the cell whose reason is `reason`;
//! - `~`: null without a reason; `[]`: an empty list; `#9`: row 9, whether it is there or not.
//!
//! Everything the text does not mention is absent, with a reason, so that an unspoilt world is a valid bundle.

use std::collections::HashMap;

use tokenpath_core::bundle::validate;
use tokenpath_core::label::{Label, Labels};
use tokenpath_core::model::{
    Classification, Components, Ends, Executions, Graph, Graphs, Identity, Instrument, Intervals, Kernels, NodeSets,
    Nodes, PassRows, Passes, Runtime, Submissions, Tensors, Timeline, Traversal, Unrecorded, Weights,
};
use tokenpath_core::{Absence, ReasonCode, Rule, Run};

/// The reason of everything that a world does not mention.
const NOT_TOLD: &str = "The world does not tell.";

/// A run and the names of its rows.
pub(crate) struct World {
    pub(crate) run: Run,
    rows: HashMap<(String, String), u32>,
}

impl World {
    /// The row of `kind name`.
    pub(crate) fn row(&self, kind: &str, name: &str) -> u32 {
        self.rows[&(kind.to_owned(), name.to_owned())]
    }
}

enum Value {
    Row(u32),
    Rows(Vec<u32>),
    End(u32),
    Reason(String),
    Null,
}

struct Builder {
    run: Run,
    rows: HashMap<(String, String), u32>,
    counts: HashMap<String, u32>,
}

/// Builds a world. Panics on text that it does not understand.
pub(crate) fn world(text: &str) -> World {
    let mut builder = Builder { run: empty(), rows: HashMap::new(), counts: HashMap::new() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        builder.line(line);
    }
    let Builder { mut run, rows, .. } = builder;
    if run.graph.graphs.rows() == 0 {
        run.graph.graphs.name = ["g"].into_iter().collect();
        run.graph.graphs.pass_kind = ["decode"].into_iter().collect();
    }
    drop_empty_columns(&mut run);
    explain(&mut run);
    World { run, rows }
}

/// Adds an absence entry for everything that lacks one.
fn explain(run: &mut Run) {
    loop {
        let lacking: Vec<String> = validate(run)
            .into_iter()
            .filter(|problem| problem.rule == Rule::UnexplainedNull)
            .map(|problem| problem.pointer)
            .collect();
        if lacking.is_empty() {
            return;
        }
        for pointer in lacking {
            run.absent.push(Absence::new(pointer, ReasonCode::NotRecorded, NOT_TOLD));
        }
    }
}

fn empty() -> Run {
    let labels = || Labels::all(Label::reported("world"));
    let text = |text: &str| Some(text.to_owned());
    Run {
        identity: Identity {
            given: true,
            id: text("world"),
            title: text("A world of a test"),
            capture_mode: text("lab"),
            synthetic: Some(true),
            runtime: Runtime { given: true, name: text("none"), labels: labels(), ..Runtime::default() },
            instrument: Instrument {
                given: true,
                name: text("text"),
                kernel_timing: text("complete"),
                hardware_counters: Some(false),
                graphs: text("none"),
                statement: Some(Vec::new()),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        passes: Passes {
            given: true,
            rows: PassRows { given: true, labels: labels(), ..PassRows::default() },
            executions: Executions { labels: labels(), ..Executions::default() },
            classification: Classification {
                given: true,
                method: text("told by the world"),
                labels: labels(),
                ..Classification::default()
            },
            ..Passes::default()
        },
        model: Weights {
            given: true,
            components: Components { given: true, labels: labels(), ..Components::default() },
            tensors: Tensors { given: true, labels: labels(), ..Tensors::default() },
            ..Weights::default()
        },
        graph: Graph {
            given: true,
            graphs: Graphs { given: true, labels: labels(), ..Graphs::default() },
            nodes: Nodes { given: true, labels: labels(), ..Nodes::default() },
            ..Graph::default()
        },
        kernels: Kernels { given: true, labels: labels(), ..Kernels::default() },
        timeline: Timeline {
            given: true,
            node_sets: NodeSets { given: true, labels: labels(), ..NodeSets::default() },
            submissions: Submissions { given: true, labels: labels(), ..Submissions::default() },
            intervals: Intervals { given: true, labels: labels(), ..Intervals::default() },
            unrecorded: Unrecorded { labels: labels(), ..Unrecorded::default() },
            ..Timeline::default()
        },
        traversal: Traversal {
            given: true,
            ends: Ends { given: true, labels: labels(), ..Ends::default() },
            labels: labels(),
            ..Traversal::default()
        },
        ..Run::default()
    }
}

impl Builder {
    fn line(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let kind = words.next().unwrap();
        let rest: Vec<&str> = words.collect();
        match kind {
            "mode" => self.run.identity.capture_mode = Some(rest[0].to_owned()),
            "timing" => self.run.identity.instrument.kernel_timing = Some(rest[0].to_owned()),
            "token" => self.run.traversal.pass = Some(rest[0].parse().unwrap()),
            "unrecorded" => {
                let unrecorded = &mut self.run.timeline.unrecorded;
                unrecorded.given = true;
                unrecorded.start.push(Some(rest[0].parse().unwrap()));
                unrecorded.end.push(Some(rest[1].parse().unwrap()));
                unrecorded.reason.push(Some(rest[2]));
            }
            _ => self.table_line(kind, &rest),
        }
    }

    fn table_line(&mut self, kind: &str, rest: &[&str]) {
        let name = rest[0];
        let row = *self.counts.entry(kind.to_owned()).and_modify(|count| *count += 1).or_insert(0);
        let known = self.rows.insert((kind.to_owned(), name.to_owned()), row);
        assert!(known.is_none(), "{kind} {name} stands twice");
        let mut values: HashMap<&str, &str> = HashMap::new();
        for word in &rest[1..] {
            let (key, value) = word.split_once('=').unwrap_or(("kind", word));
            values.insert(key, value);
        }
        match kind {
            "component" => {
                self.run.model.components.name.push(Some(name));
                self.run.model.components.kind.push(Some(values.remove("kind").unwrap_or("decoder_layer")));
                let layer = self.one("/model/components/layer", row, values.remove("layer"), "");
                let components = &mut self.run.model.components;
                components.layer.push(layer.0.map(i64::from));
                components.layer_end.push(layer.1);
            }
            "tensor" => {
                self.run.model.tensors.name.push(Some(name));
                let of = self.one("/model/tensors/component", row, values.remove("of"), "component");
                self.run.model.tensors.component.push(of.0);
            }
            "kernel" => self.run.kernels.name.push(Some(name)),
            "graph" => {
                self.run.graph.graphs.name.push(Some(name));
                self.run.graph.graphs.pass_kind.push(Some("decode"));
            }
            "node" => {
                self.run.graph.nodes.name.push(Some(name));
                let graph = values.remove("graph").map_or(0, |graph| self.row("graph", graph));
                self.run.graph.nodes.graph.push(Some(graph));
                let tensors = self.many("/graph/nodes/tensors", row, values.remove("reads"), "tensor");
                self.run.graph.nodes.tensors.push(tensors.0.as_deref());
                self.run.graph.nodes.tensors_end.push(tensors.1);
                let kernels = self.many("/graph/nodes/kernels", row, values.remove("runs"), "kernel");
                self.run.graph.nodes.kernels.push(kernels.0.as_deref());
                self.run.graph.nodes.kernels_end.push(kernels.1);
                let layer = self.one("/graph/nodes/layer", row, values.remove("layer"), "");
                self.run.graph.nodes.layer.push(layer.0.map(i64::from));
                self.run.graph.nodes.layer_end.push(layer.1);
            }
            "set" => {
                let nodes = self.many("/timeline/node_sets/nodes", row, values.remove("nodes"), "node");
                self.run.timeline.node_sets.nodes.push(nodes.0.as_deref());
            }
            "execution" => {
                self.run.passes.executions.given = true;
                self.run.passes.executions.name.push(Some(name));
                self.run.passes.executions.text.push(Some(name));
            }
            "pass" => {
                let start = values.remove("start").map_or(1000 * i64::from(row), |start| start.parse().unwrap());
                let graph = match values.remove("graph") {
                    None => (Some(0), None),
                    graph => self.one("/passes/rows/graph", row, graph, "graph"),
                };
                let execution = values.remove("execution").map(|name| self.row("execution", name));
                let kind = values.remove("kind").filter(|kind| *kind != "unknown");
                let rows = &mut self.run.passes.rows;
                rows.start.push(Some(start));
                rows.end.push(Some(start + 900));
                rows.kind.push(kind);
                rows.graph.push(graph.0);
                rows.execution.push(execution);
            }
            "submission" => {
                self.run.timeline.submissions.kind.push(Some("launch"));
                let pass = self.one("/timeline/submissions/pass", row, values.remove("pass"), "pass");
                self.run.timeline.submissions.pass.push(pass.0);
                let set = self.one("/timeline/submissions/node_set", row, values.remove("set"), "set");
                self.run.timeline.submissions.node_set.push(set.0);
            }
            "interval" => {
                self.run.timeline.intervals.start.push(Some(i64::from(row)));
                let pass = self.one("/timeline/intervals/pass", row, values.remove("pass"), "pass");
                let submission =
                    self.one("/timeline/intervals/submission", row, values.remove("submission"), "submission");
                let kernel = self.one("/timeline/intervals/kernel", row, values.remove("kernel"), "kernel");
                let nodes = self.many("/timeline/intervals/nodes", row, values.remove("nodes"), "node");
                let intervals = &mut self.run.timeline.intervals;
                intervals.pass.push(pass.0);
                intervals.pass_end.push(pass.1);
                intervals.submission.push(submission.0);
                intervals.submission_end.push(submission.1);
                intervals.kernel.push(kernel.0);
                intervals.kernel_end.push(kernel.1);
                intervals.nodes.push(nodes.0.as_deref());
            }
            _ => panic!("no such kind: {kind}"),
        }
        assert!(values.is_empty(), "{kind} {name}: what is {:?}?", values.keys());
    }

    fn row(&self, kind: &str, name: &str) -> u32 {
        let key = (kind.to_owned(), name.to_owned());
        *self.rows.get(&key).unwrap_or_else(|| panic!("no {kind} {name} so far"))
    }

    fn value(&mut self, text: Option<&str>, kind: &str) -> Value {
        let target = |this: &Builder, text: &str| match text.strip_prefix('#') {
            Some(row) => row.parse().unwrap(),
            None if kind.is_empty() => text.parse().unwrap(),
            None => this.row(kind, text),
        };
        match text {
            None | Some("~") => Value::Null,
            Some("[]") => Value::Rows(Vec::new()),
            Some(text) => match (text.strip_prefix('!'), text.strip_prefix('?')) {
                (Some(code), _) => Value::End(self.end(code)),
                (_, Some(reason)) => Value::Reason(reason.to_owned()),
                _ if text.contains(',') => Value::Rows(text.split(',').map(|text| target(self, text)).collect()),
                _ => Value::Row(target(self, text)),
            },
        }
    }

    fn end(&mut self, code: &str) -> u32 {
        let ends = &mut self.run.traversal.ends;
        let known = ends.code.iter().position(|known| known == Some(code));
        if known.is_none() {
            ends.code.push(Some(code));
            ends.text.push(Some(&format!("It ends: {code}.")));
        }
        u32::try_from(known.unwrap_or(ends.rows() - 1)).unwrap()
    }

    fn absent(&mut self, column: &str, row: u32, reason: &str) {
        self.run.absent.push(Absence::new(format!("{column}/{row}"), ReasonCode::NotRecorded, reason));
    }

    fn one(&mut self, column: &str, row: u32, text: Option<&str>, kind: &str) -> (Option<u32>, Option<u32>) {
        match self.value(text, kind) {
            Value::Row(target) => (Some(target), None),
            Value::End(end) => (None, Some(end)),
            Value::Reason(reason) => {
                self.absent(column, row, &reason);
                (None, None)
            }
            Value::Null => (None, None),
            Value::Rows(_) => panic!("{column}/{row} takes one target"),
        }
    }

    fn many(&mut self, column: &str, row: u32, text: Option<&str>, kind: &str) -> (Option<Vec<u32>>, Option<u32>) {
        match self.value(text, kind) {
            Value::Row(target) => (Some(vec![target]), None),
            Value::Rows(targets) => (Some(targets), None),
            Value::End(end) => (Some(Vec::new()), Some(end)),
            Value::Reason(reason) => {
                self.absent(column, row, &reason);
                (None, None)
            }
            Value::Null => (None, None),
        }
    }
}

/// A column without any value is a column that the bundle does not hold.
fn drop_empty_columns(run: &mut Run) {
    use tokenpath_core::column::Column;
    fn drop<C: Column + Default>(column: &mut C) {
        if (0..column.rows()).all(|row| column.is_null(row)) {
            *column = C::default();
        }
    }
    let intervals = &mut run.timeline.intervals;
    drop(&mut intervals.pass_end);
    drop(&mut intervals.submission_end);
    drop(&mut intervals.kernel_end);
    drop(&mut intervals.nodes);
    let nodes = &mut run.graph.nodes;
    drop(&mut nodes.layer);
    drop(&mut nodes.layer_end);
    drop(&mut nodes.tensors_end);
    drop(&mut nodes.kernels_end);
    drop(&mut run.model.components.layer_end);
    drop(&mut run.passes.rows.execution);
    if run.traversal.ends.rows() == 0 {
        run.traversal.ends.given = false;
    }
}

/// One pass of one token through an embedding, one layer and a head, by six intervals.
///
/// By hand, chains up: `i0` reaches the embedding, which is no layer: terminal. `i1` and `i2` reach layer 0: resolved. `i3`
/// runs a node that reads no weight: terminal. `i4` reaches the head, which is no layer: terminal. `i5` ran no kernel:
/// terminal. Chains down: each of the three components has a tensor, each tensor a node, each node an interval: resolved.
pub(crate) const SOUND: &str = "
    component embedding token_embedding layer=!no-layer
    component block layer=0
    component head output_head layer=!no-layer
    tensor embd of=embedding
    tensor norm_w of=block
    tensor q_w of=block
    tensor head_w of=head
    kernel gather
    kernel norm
    kernel matmul
    kernel rope
    node embed reads=embd runs=gather
    node norm reads=norm_w runs=norm
    node q reads=q_w runs=matmul
    node rope reads=!no-weight runs=rope
    node view reads=!no-weight runs=!no-kernel
    node head reads=head_w runs=matmul
    set first nodes=embed,norm,q,rope,view
    set last nodes=head
    pass p decode
    submission u0 pass=p set=first
    submission u1 pass=p set=last
    interval i0 pass=p submission=u0 kernel=gather
    interval i1 pass=p submission=u0 kernel=norm
    interval i2 pass=p submission=u0 kernel=matmul
    interval i3 pass=p submission=u0 kernel=rope
    interval i4 pass=p submission=u1 kernel=matmul
    interval i5 pass=p submission=u1 kernel=!copy
";

/// [`SOUND`] with the line that starts with the first words of each change replaced; a change without such a line is added.
pub(crate) fn sound_but(changes: &[&str]) -> World {
    let mut lines: Vec<String> = SOUND.lines().map(|line| line.trim().to_owned()).collect();
    for change in changes {
        let start: Vec<&str> = change.split_whitespace().take(2).collect();
        let at = lines.iter().position(|line| line.split_whitespace().take(2).eq(start.iter().copied()));
        match at {
            Some(at) => lines[at] = (*change).to_owned(),
            None => lines.push((*change).to_owned()),
        }
    }
    world(&lines.join("\n"))
}
