//! The coverage of each level.

use std::collections::BTreeSet;

use super::{Counted, Coverage, Level, State};
use crate::Label;
use crate::absence::{AbsenceGroup, group};
use crate::column::{Column, Refs};
use crate::derive::counted::{count, count_all, gaps, int, sum};
use crate::derive::passes::in_request;
use crate::derive::request;
use crate::fact::{Fact, Missing, Quantity};
use crate::model::{REQUEST_EVENTS, Run};

/// The coverage of every level, from the request down.
pub fn levels(run: &Run) -> Vec<Coverage> {
    let absences = group(&run.absent);
    let look = Look { run, absences: &absences };
    vec![
        look.request(),
        look.passes(),
        look.submissions(),
        look.segments(),
        look.intervals(),
        look.kernels(),
        look.graph(),
        look.tensors(),
    ]
}

struct Look<'a> {
    run: &'a Run,
    absences: &'a [AbsenceGroup],
}

impl Look<'_> {
    fn absent(&self, level: Level, pointer: &str) -> Coverage {
        let missing = self.run.missing(pointer);
        Coverage {
            level,
            state: State::Absent,
            recorded: Err(missing.clone()),
            of: None,
            notes: Vec::new(),
            missing: vec![missing],
        }
    }

    /// The reasons for the nulls of a column, each once.
    fn reasons(&self, column: &str) -> Vec<Missing> {
        let cells = format!("{column}/*");
        let mut found: Vec<Missing> = self
            .absences
            .iter()
            .filter(|group| group.pointer == column || group.pointer == cells)
            .map(|group| Missing { pointer: group.pointer.clone(), reason: group.reason.clone() })
            .collect();
        if found.is_empty() {
            found.push(self.run.missing(column));
        }
        found
    }

    /// The reasons of every listed column that has gaps.
    fn missing(&self, rows: usize, columns: &[(&str, &dyn Column, Option<&Refs>)]) -> Vec<Missing> {
        let mut found: Vec<Missing> = Vec::new();
        for (pointer, column, ended) in columns {
            if gaps(*column, *ended, rows) > 0 {
                for missing in self.reasons(pointer) {
                    if !found.iter().any(|known| known.reason == missing.reason) {
                        found.push(missing);
                    }
                }
            }
        }
        found
    }

    fn request(&self) -> Coverage {
        let request = &self.run.request;
        if !request.given {
            return self.absent(Level::Request, "/request");
        }
        let mut missing: Vec<Missing> = Vec::new();
        let mut known = 0;
        for name in REQUEST_EVENTS {
            match request::event(self.run, name) {
                Ok(_) => known += 1,
                Err(reason) if missing.iter().any(|known| known.reason == reason.reason) => {}
                Err(reason) => missing.push(reason),
            }
        }
        let timing = request::timing(self.run);
        let mut notes = Vec::new();
        match timing.arrivals.chunks {
            Ok(fact) => notes.push(Counted { fact, one: "chunk", many: "chunks" }),
            Err(reason) => missing.push(reason),
        }
        if let Some(fact) = timing.arrivals.reads {
            notes.push(Counted { fact, one: "read", many: "reads" });
        }
        match timing.arrivals.tokens {
            Ok(fact) => notes.push(Counted { fact, one: "token", many: "tokens" }),
            Err(reason) if missing.iter().any(|known| known.reason == reason.reason) => {}
            Err(reason) => missing.push(reason),
        }
        let events = &request.events;
        let of = Fact::stored(
            Quantity::Count(int(REQUEST_EVENTS.len())),
            Some(&Label::derived("the events that a request can have")),
            "/request/events",
        );
        let fact = count_all(&events.labels, "at", "/request/events", known);
        Coverage {
            level: Level::Request,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted { fact, one: "event", many: "events" }),
            of: Some(of),
            notes,
            missing,
        }
    }

    fn passes(&self) -> Coverage {
        let run = self.run;
        let rows = &run.passes.rows;
        if !rows.given || rows.rows() == 0 {
            return self.absent(Level::Passes, "/passes/rows");
        }
        let all = rows.rows();
        let told: Vec<usize> = (0..all).filter(|row| rows.kind.get(*row).is_some()).collect();
        let mut notes = Vec::new();
        if run.passes.clock_join.offset.is_some() {
            let inside: Vec<usize> =
                (0..all).filter(|row| in_request(run, u32::try_from(*row).unwrap_or(u32::MAX))).collect();
            let fact = count(&rows.labels, "start", "/passes/rows/start", &inside);
            notes.push(Counted { fact, one: "starts within the request", many: "start within the request" });
        }
        let executions = &run.passes.executions;
        if executions.rows() > 1 {
            let fact = count_all(&executions.labels, "name", "/passes/executions", executions.rows());
            notes.push(Counted { fact, one: "way of executing", many: "ways of executing" });
        }
        let missing = self.missing(
            all,
            &[
                ("/passes/rows/kind", &rows.kind, None),
                ("/passes/rows/end", &rows.end, None),
                ("/passes/rows/graph", &rows.graph, None),
            ],
        );
        Coverage {
            level: Level::Passes,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&rows.labels, "start", "/passes/rows", &told),
                one: "pass told apart",
                many: "passes told apart",
            }),
            of: Some(count_all(&rows.labels, "start", "/passes/rows", all)),
            notes,
            missing,
        }
    }

    fn submissions(&self) -> Coverage {
        let table = &self.run.timeline.submissions;
        if !table.given || table.rows() == 0 {
            return self.absent(Level::Submissions, "/timeline/submissions");
        }
        let all = table.rows();
        let whole: Vec<usize> =
            (0..all).filter(|row| table.pass.get(*row).is_some() && table.start.get(*row).is_some()).collect();
        let missing = self.missing(
            all,
            &[
                ("/timeline/submissions/start", &table.start, None),
                ("/timeline/submissions/end", &table.end, None),
                ("/timeline/submissions/pass", &table.pass, None),
                ("/timeline/submissions/node_set", &table.node_set, None),
            ],
        );
        Coverage {
            level: Level::Submissions,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&table.labels, "start", "/timeline/submissions", &whole),
                one: "in a pass",
                many: "in a pass",
            }),
            of: Some(count_all(&table.labels, "start", "/timeline/submissions", all)),
            notes: Vec::new(),
            missing,
        }
    }

    fn segments(&self) -> Coverage {
        let table = &self.run.timeline.segments;
        if !table.given || table.rows() == 0 {
            return self.absent(Level::Segments, "/timeline/segments");
        }
        let all = table.rows();
        let whole: Vec<usize> = (0..all).filter(|row| table.submission.get(*row).is_some()).collect();
        let missing = self.missing(
            all,
            &[
                ("/timeline/segments/submission", &table.submission, None),
                ("/timeline/segments/start", &table.start, None),
                ("/timeline/segments/end", &table.end, None),
                ("/timeline/segments/queue", &table.queue, None),
            ],
        );
        Coverage {
            level: Level::Segments,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&table.labels, "submission", "/timeline/segments", &whole),
                one: "with its submission",
                many: "with their submission",
            }),
            of: Some(count_all(&table.labels, "start", "/timeline/segments", all)),
            notes: Vec::new(),
            missing,
        }
    }

    fn intervals(&self) -> Coverage {
        let run = self.run;
        let table = &run.timeline.intervals;
        if !table.given || table.rows() == 0 {
            return self.absent(Level::Intervals, "/timeline/intervals");
        }
        let all = table.rows();
        let timed: Vec<usize> = (0..all).filter(|row| table.duration.get(*row).is_some()).collect();
        let mut missing = self.missing(
            all,
            &[
                ("/timeline/intervals/duration", &table.duration, None),
                ("/timeline/intervals/pass", &table.pass, Some(&table.pass_end)),
                ("/timeline/intervals/submission", &table.submission, Some(&table.submission_end)),
            ],
        );
        let timing = run.identity.instrument.kernel_timing.as_deref();
        if timing == Some("sparse") {
            missing.push(Missing {
                pointer: "/identity/instrument/kernel_timing".to_owned(),
                reason: "The instrument records some executions only.".to_owned(),
            });
        }
        let mut notes = Vec::new();
        let with: BTreeSet<u32> = (0..all).filter_map(|row| table.pass.get(row)).collect();
        if !with.is_empty() {
            let rows: Vec<usize> = (0..all).collect();
            let mut fact = count(&table.labels, "pass", "/timeline/intervals/pass", &rows);
            fact.quantity = Quantity::Count(int(with.len()));
            notes.push(Counted { fact, one: "pass has some", many: "passes have some" });
        }
        Coverage {
            level: Level::Intervals,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&table.labels, "start", "/timeline/intervals", &timed),
                one: "with its duration",
                many: "with their duration",
            }),
            of: Some(count_all(&table.labels, "start", "/timeline/intervals", all)),
            notes,
            missing,
        }
    }

    fn kernels(&self) -> Coverage {
        let run = self.run;
        let kernels = &run.kernels;
        let intervals = &run.timeline.intervals;
        if !kernels.given || kernels.rows() == 0 {
            return self.absent(Level::Kernels, "/kernels");
        }
        let names = count_all(&kernels.labels, "name", "/kernels", kernels.rows());
        let all = intervals.rows();
        if all == 0 {
            return Coverage {
                level: Level::Kernels,
                state: State::Partial,
                recorded: Ok(Counted { fact: names, one: "kernel listed", many: "kernels listed" }),
                of: None,
                notes: Vec::new(),
                missing: vec![run.missing("/timeline/intervals")],
            };
        }
        let named: Vec<usize> = (0..all)
            .filter(|row| intervals.kernel.get(*row).is_some() || intervals.kernel_end.get(*row).is_some())
            .collect();
        let missing =
            self.missing(all, &[("/timeline/intervals/kernel", &intervals.kernel, Some(&intervals.kernel_end))]);
        Coverage {
            level: Level::Kernels,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&intervals.labels, "kernel", "/timeline/intervals/kernel", &named),
                one: "interval named",
                many: "intervals named",
            }),
            of: Some(count_all(&intervals.labels, "start", "/timeline/intervals", all)),
            notes: vec![Counted { fact: names, one: "kernel", many: "kernels" }],
            missing,
        }
    }

    fn graph(&self) -> Coverage {
        let graph = &self.run.graph;
        let nodes = &graph.nodes;
        if !nodes.given || nodes.rows() == 0 {
            return self.absent(Level::Graph, "/graph/nodes");
        }
        let all = nodes.rows();
        let read: Vec<usize> =
            (0..all).filter(|row| !nodes.tensors.is_null(*row) || nodes.tensors_end.get(*row).is_some()).collect();
        let missing = self.missing(
            all,
            &[
                ("/graph/nodes/operation", &nodes.operation, None),
                ("/graph/nodes/layer", &nodes.layer, Some(&nodes.layer_end)),
                ("/graph/nodes/tensors", &nodes.tensors, Some(&nodes.tensors_end)),
                ("/graph/nodes/kernels", &nodes.kernels, Some(&nodes.kernels_end)),
            ],
        );
        let graphs = count_all(&graph.graphs.labels, "name", "/graph/graphs", graph.graphs.rows());
        let mut notes = vec![Counted { fact: graphs, one: "graph", many: "graphs" }];
        let views: Vec<usize> = (0..all).filter(|row| nodes.view.get(*row) == Some(1)).collect();
        if !views.is_empty() {
            let fact = count(&nodes.labels, "view", "/graph/nodes/view", &views);
            notes.push(Counted { fact, one: "node only rearranges", many: "nodes only rearrange" });
        }
        Coverage {
            level: Level::Graph,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted {
                fact: count(&nodes.labels, "tensors", "/graph/nodes/tensors", &read),
                one: "node says what it reads",
                many: "nodes say what they read",
            }),
            of: Some(count_all(&nodes.labels, "name", "/graph/nodes", all)),
            notes,
            missing,
        }
    }

    fn tensors(&self) -> Coverage {
        let model = &self.run.model;
        let tensors = &model.tensors;
        if !tensors.given || tensors.rows() == 0 {
            return self.absent(Level::Tensors, "/model/tensors");
        }
        let all = tensors.rows();
        let sized: Vec<usize> = (0..all).filter(|row| tensors.bytes.get(*row).is_some()).collect();
        let missing = self.missing(
            all,
            &[
                ("/model/tensors/component", &tensors.component, None),
                ("/model/tensors/dtype", &tensors.dtype, None),
                ("/model/tensors/shape", &tensors.shape, None),
                ("/model/tensors/bytes", &tensors.bytes, None),
            ],
        );
        let mut notes = Vec::new();
        let bytes = count(&tensors.labels, "bytes", "/model/tensors/bytes", &sized);
        if sized.len() == all
            && let Some(total) = sum((0..all).filter_map(|row| tensors.bytes.get(row)))
        {
            let text = "sum of the bytes of all tensors";
            let fact = Fact::derived(
                Quantity::Bytes(total),
                text,
                vec![("tensors, by their bytes".to_owned(), bytes.clone())],
            );
            notes.push(Counted { fact, one: "of weights", many: "of weights" });
        }
        Coverage {
            level: Level::Tensors,
            state: if missing.is_empty() { State::Present } else { State::Partial },
            recorded: Ok(Counted { fact: bytes, one: "with its size", many: "with their size" }),
            of: Some(count_all(&tensors.labels, "name", "/model/tensors", all)),
            notes,
            missing,
        }
    }
}
