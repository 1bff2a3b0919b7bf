//! Evidence of nodes, kernels, tensors, components and layers.

use super::timed::{executed, output, share_of_pass, weight};
use super::{Evidence, between, cell, say, text};
use crate::derive::counted::{count, int, sum};
use crate::derive::passes::cell_pointer;
use crate::derive::sum::input;
use crate::derive::times::complete_timing;
use crate::derive::weight_bytes;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::label::LabelKind;
use crate::model::Run;

pub(super) fn node_set(run: &Run, row: u32) -> Vec<Evidence> {
    let table = &run.timeline.node_sets;
    let at = row as usize;
    let nodes = table.nodes.get(at).map(|nodes| Quantity::Count(int(nodes.len())));
    vec![say("Nodes", cell(run, "/timeline/node_sets/nodes", row, nodes, table.label("nodes", at)))]
}

/// The pass in which a node's time is told: the given one if it executes the node's graph, else the first that does.
fn pass_of_graph(run: &Run, graph: Option<u32>, pass: Option<u32>) -> Option<u32> {
    let rows = &run.passes.rows;
    let of = |pass: &u32| graph.is_some() && rows.graph.get(*pass as usize) == graph;
    pass.filter(of).or_else(|| (0..u32::try_from(rows.rows()).unwrap_or(0)).find(of))
}

pub(super) fn node(run: &Run, row: u32, pass: Option<u32>) -> Vec<Evidence> {
    let nodes = &run.graph.nodes;
    let at = row as usize;
    let operation =
        cell(run, "/graph/nodes/operation", row, text(nodes.operation.get(at)), nodes.label("operation", at));
    let mut out = vec![say("Operation", operation)];
    out.extend(output(run, row));
    if nodes.fused.get(at).is_some_and(|fused| fused > 1) {
        let fused = nodes.fused.get(at).map(Quantity::Count);
        out.push(say(
            "Operations fused into it",
            cell(run, "/graph/nodes/fused", row, fused, nodes.label("fused", at)),
        ));
    }
    if nodes.view.get(at) == Some(1) {
        let view = Some(Quantity::Text("only rearranges".to_owned()));
        out.push(say("Work", cell(run, "/graph/nodes/view", row, view, nodes.label("view", at))));
    }
    if let Some(buffer) = nodes.buffer.get(at) {
        out.push(say(
            "Result kept in",
            cell(run, "/graph/nodes/buffer", row, text(Some(buffer)), nodes.label("buffer", at)),
        ));
    }
    if let Some(inputs) = nodes.inputs.get(at) {
        out.push(say(
            "Other inputs",
            cell(run, "/graph/nodes/inputs", row, text(Some(inputs)), nodes.label("inputs", at)),
        ));
    }
    if let Some(pass) = pass_of_graph(run, nodes.graph.get(at), pass) {
        out.extend(in_pass(run, row, pass));
    }
    out
}

/// What the intervals of `pass` say of a node.
fn in_pass(run: &Run, node: u32, pass: u32) -> Vec<Evidence> {
    let table = &run.timeline.intervals;
    let named = |row: &usize| table.nodes.get(*row).is_some_and(|nodes| nodes.contains(&node));
    let rows: Vec<usize> = (0..table.rows()).filter(|row| table.pass.get(*row) == Some(pass)).filter(named).collect();
    let caption = format!("Interval, in pass {pass}");
    let [row] = rows.as_slice() else {
        let reading = match rows.first() {
            // Several executions have no one time.
            Some(_) => Ok(count(&table.labels, "nodes", "/timeline/intervals/nodes", &rows)),
            None if !table.given => Err(run.missing("/timeline/intervals")),
            None => Err(Missing {
                pointer: "/timeline/intervals/nodes".to_owned(),
                reason: format!("No interval of pass {pass} names this node."),
            }),
        };
        let caption = if rows.len() > 1 { format!("Intervals, in pass {pass}") } else { caption };
        // The bytes are known without a time; a rate is not.
        return vec![say(&caption, reading), say("Weight bytes", weight_bytes::of_nodes(run, pass, &[node], None))];
    };
    let index = u32::try_from(*row).unwrap_or(u32::MAX);
    let time = cell(
        run,
        "/timeline/intervals/duration",
        index,
        table.duration.get(*row).map(Quantity::Nanos),
        table.label("duration", *row),
    );
    let start = cell(
        run,
        "/timeline/intervals/start",
        index,
        table.start.get(*row).map(Quantity::Nanos),
        table.label("start", *row),
    );
    let passes = &run.passes.rows;
    let at = pass as usize;
    let zero =
        cell(run, "/passes/rows/start", pass, passes.start.get(at).map(Quantity::Nanos), passes.label("start", at));
    let nodes = table.nodes.get(*row).unwrap_or(&[]);
    let via = executed(run, index, nodes.len());
    // That the interval is the node's may be decided by a rule; then so is the time.
    let time = match time {
        Ok(fact) if via.label.kind > LabelKind::Derived => {
            let quantity = fact.quantity.clone();
            let inputs = vec![("duration".to_owned(), fact), ("nodes that it executed".to_owned(), via.clone())];
            Ok(Fact::derived(quantity, "duration of the interval that executed the node", inputs))
        }
        time => time,
    };
    let mut out = vec![say(&caption, time.clone())];
    if nodes.len() > 1 {
        out.push(say("Nodes that share the interval", Ok(via.clone())));
    }
    let after = between(&start, &zero, "start \u{2212} start of the pass", ["start", "start of the pass"]);
    out.push(say("Starts, after the pass's start", after));
    out.push(say("Of the pass's interval time", share_of_pass(run, pass, &time)));
    out.extend(weight(run, pass, nodes, Some(via), &time));
    out
}

pub(super) fn kernel(run: &Run, row: u32, pass: Option<u32>) -> Vec<Evidence> {
    let table = &run.timeline.intervals;
    let mine: Vec<usize> = (0..table.rows()).filter(|interval| table.kernel.get(*interval) == Some(row)).collect();
    let kernels = &run.kernels;
    let at = row as usize;
    let name = cell(run, "/kernels/name", row, text(kernels.name.get(at)), kernels.label("name", at));
    let mut out = Vec::new();
    if kernels.short.get(at).is_some_and(|short| kernels.name.get(at) != Some(short)) {
        out.push(say("Full name", name));
    }
    if let Some(counted) = kernels.counted.get(at) {
        let counted = cell(run, "/kernels/counted", row, Some(Quantity::Count(counted)), kernels.label("counted", at));
        out.push(say("Executions the instrument counted", counted));
    }
    if !table.given {
        out.push(say("Intervals", Err(run.missing("/timeline/intervals"))));
        return out;
    }
    out.push(say(
        "Intervals, in the whole run",
        Ok(count(&table.labels, "kernel", "/timeline/intervals/kernel", &mine)),
    ));
    let ran = |rows: &[usize]| {
        vec![("intervals that ran it".to_owned(), count(&table.labels, "kernel", "/timeline/intervals/kernel", rows))]
    };
    out.push(say("Their time, added up", added_up(run, &mine, ran(&mine))));
    if let Some(pass) = pass {
        let here: Vec<usize> = mine.iter().copied().filter(|row| table.pass.get(*row) == Some(pass)).collect();
        let counted = count(&table.labels, "kernel", "/timeline/intervals/kernel", &here);
        out.push(say(&format!("Intervals, in pass {pass}"), Ok(counted)));
        out.push(say(&format!("Their time, in pass {pass}"), added_up(run, &here, ran(&here))));
    }
    out
}

/// Durations of intervals added up, where the instrument times every interval; `by` tells how the intervals were found.
fn added_up(run: &Run, rows: &[usize], by: Vec<(String, Fact)>) -> Reading {
    complete_timing(run)?;
    let table = &run.timeline.intervals;
    let mut total = 0_i64;
    for row in rows {
        let index = u32::try_from(*row).unwrap_or(u32::MAX);
        let duration = table.duration.get(*row);
        let duration =
            duration.ok_or_else(|| run.missing(&cell_pointer(run, "/timeline/intervals/duration", index)))?;
        total = total.saturating_add(duration);
    }
    let name = format!("durations of {} intervals", rows.len());
    let mut inputs =
        vec![(name, input(Quantity::Nanos(total), &table.labels, "duration", "/timeline/intervals/duration"))];
    inputs.extend(by);
    Ok(Fact::derived(Quantity::Nanos(total), "sum of the durations of the intervals", inputs))
}

pub(super) fn tensor(run: &Run, row: u32) -> Vec<Evidence> {
    let tensors = &run.model.tensors;
    let at = row as usize;
    let bytes =
        cell(run, "/model/tensors/bytes", row, tensors.bytes.get(at).map(Quantity::Bytes), tensors.label("bytes", at));
    let shape = tensors.shape.get(at).map(|shape| Quantity::Sizes(shape.to_vec()));
    let shape = cell(run, "/model/tensors/shape", row, shape, tensors.label("shape", at));
    let mut out = vec![
        say("Role", cell(run, "/model/tensors/role", row, text(tensors.role.get(at)), tensors.label("role", at))),
        say("Type", cell(run, "/model/tensors/dtype", row, text(tensors.dtype.get(at)), tensors.label("dtype", at))),
        say("Sizes", shape.clone()),
        say("Bytes in the file", bytes.clone()),
        say("Bits for each weight", bits(&bytes, &shape)),
        Evidence { caption: "Of the file".to_owned(), reading: of_file(run, &bytes), open: true },
    ];
    if let Some(buffer) = tensors.buffer.get(at) {
        out.push(say(
            "Kept in",
            cell(run, "/model/tensors/buffer", row, text(Some(buffer)), tensors.label("buffer", at)),
        ));
    }
    out
}

fn bits(bytes: &Reading, shape: &Reading) -> Reading {
    let (bytes, shape) = (bytes.clone()?, shape.clone()?);
    let (Quantity::Bytes(size), Quantity::Sizes(sizes)) = (&bytes.quantity, &shape.quantity) else {
        return Err(Missing { pointer: bytes.pointer, reason: "It is no size.".to_owned() });
    };
    let weights: f64 = sizes.iter().map(|size| *size as f64).product();
    if weights < 1.0 {
        return Err(Missing { pointer: shape.pointer, reason: "The tensor holds no weight.".to_owned() });
    }
    // A ratio of two counts has no unit of its own; two decimals tell one block type from the next.
    let per = (*size as f64 * 8.0 / weights * 100.0).round() / 100.0;
    let quantity = Quantity::Text(format!("{per}"));
    let inputs = vec![("bytes".to_owned(), bytes), ("sizes".to_owned(), shape)];
    Ok(Fact::derived(quantity, "bytes \u{d7} 8 \u{f7} product of the sizes", inputs))
}

fn of_file(run: &Run, bytes: &Reading) -> Reading {
    let bytes = bytes.clone()?;
    let model = &run.model;
    let file = run.reading(model.file_bytes.map(Quantity::Bytes), model.label("file_bytes"), "/model/file_bytes")?;
    let (Quantity::Bytes(part), Quantity::Bytes(whole)) = (&bytes.quantity, &file.quantity) else {
        return Err(run.missing("/model/file_bytes"));
    };
    if *whole <= 0 {
        return Err(Missing { pointer: "/model/file_bytes".to_owned(), reason: "The file is empty.".to_owned() });
    }
    let quantity = Quantity::Share(*part as f64 / *whole as f64);
    let inputs = vec![("bytes".to_owned(), bytes), ("bytes of the file".to_owned(), file)];
    Ok(Fact::derived(quantity, "bytes \u{f7} bytes of the file", inputs))
}

/// Tensors by rows: how many, and their bytes together.
fn tensors_of(run: &Run, rows: &[usize]) -> Vec<Evidence> {
    let tensors = &run.model.tensors;
    let bytes = rows.iter().try_fold(Vec::new(), |mut known, row| {
        let index = u32::try_from(*row).unwrap_or(u32::MAX);
        let bytes = tensors.bytes.get(*row);
        known.push(bytes.ok_or_else(|| run.missing(&cell_pointer(run, "/model/tensors/bytes", index)))?);
        Ok::<_, Missing>(known)
    });
    let total = bytes.and_then(|bytes| {
        sum(bytes).ok_or_else(|| Missing {
            pointer: "/model/tensors/bytes".to_owned(),
            reason: "The tensors' bytes add up to more than 64 bits hold.".to_owned(),
        })
    });
    let total = total.map(|total| {
        let name = format!("bytes of {} tensors", rows.len());
        let belongs = count(&tensors.labels, "component", "/model/tensors/component", rows);
        let inputs = vec![
            (name, input(Quantity::Bytes(total), &tensors.labels, "bytes", "/model/tensors/bytes")),
            ("tensors that belong to it".to_owned(), belongs),
        ];
        Fact::derived(Quantity::Bytes(total), "sum of the bytes of its tensors", inputs)
    });
    let file = of_file(run, &total);
    vec![
        say("Tensors", Ok(count(&tensors.labels, "component", "/model/tensors/component", rows))),
        say("Their bytes", total),
        Evidence { caption: "Of the file".to_owned(), reading: file, open: true },
    ]
}

pub(super) fn component(run: &Run, row: u32) -> Vec<Evidence> {
    let components = &run.model.components;
    let at = row as usize;
    let kind = text(components.kind.get(at)).map(|kind| match kind {
        Quantity::Text(kind) => Quantity::Text(kind.replace('_', " ")),
        other => other,
    });
    let mut out = vec![say("Kind", cell(run, "/model/components/kind", row, kind, components.label("kind", at)))];
    let tensors = &run.model.tensors;
    let mine: Vec<usize> = (0..tensors.rows()).filter(|tensor| tensors.component.get(*tensor) == Some(row)).collect();
    out.extend(tensors_of(run, &mine));
    out
}

pub(super) fn layer(run: &Run, layer: u32, pass: Option<u32>) -> Vec<Evidence> {
    let components = &run.model.components;
    let is_it = |row: u32| components.layer.get(row as usize) == Some(i64::from(layer));
    let tensors = &run.model.tensors;
    let mine: Vec<usize> =
        (0..tensors.rows()).filter(|tensor| tensors.component.get(*tensor).is_some_and(is_it)).collect();
    let mut out = Vec::new();
    if tensors.given {
        out.extend(tensors_of(run, &mine));
    } else {
        out.push(say("Tensors", Err(run.missing("/model/tensors"))));
    }
    let nodes = &run.graph.nodes;
    let Some(pass) = pass else { return out };
    let graph = run.passes.rows.graph.get(pass as usize);
    let of_layer = |row: &usize| nodes.layer.get(*row) == Some(i64::from(layer));
    let here: Vec<usize> =
        (0..nodes.rows()).filter(|row| graph.is_none() || nodes.graph.get(*row) == graph).filter(of_layer).collect();
    if nodes.given {
        out.push(say("Nodes, in the pass's graph", Ok(count(&nodes.labels, "layer", "/graph/nodes/layer", &here))));
    }
    out.extend(time_of_layer(run, layer, pass));
    out
}

/// The time of the intervals of a pass whose nodes all work for the layer. An interval that several layers share counts
/// for none, and is counted apart.
fn time_of_layer(run: &Run, layer: u32, pass: u32) -> Vec<Evidence> {
    let table = &run.timeline.intervals;
    let nodes = &run.graph.nodes;
    if !table.given {
        return vec![say(&format!("Its time, in pass {pass}"), Err(run.missing("/timeline/intervals")))];
    }
    let of = |node: &u32| nodes.layer.get(*node as usize) == Some(i64::from(layer));
    let (mut whole, mut part, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for row in (0..table.rows()).filter(|row| table.pass.get(*row) == Some(pass)) {
        let named = table.nodes.get(row).unwrap_or(&[]);
        if !named.is_empty() && named.iter().all(of) {
            whole.push(row);
            theirs.extend(named.iter().map(|node| *node as usize));
        } else if named.iter().any(of) {
            part.push(row);
        }
    }
    let time = if whole.is_empty() {
        Err(Missing {
            pointer: "/timeline/intervals/nodes".to_owned(),
            reason: format!("No interval of pass {pass} names nodes of this layer alone."),
        })
    } else {
        let executed = count(&table.labels, "nodes", "/timeline/intervals/nodes", &whole);
        let layered = count(&nodes.labels, "layer", "/graph/nodes/layer", &theirs);
        let by = vec![
            ("intervals, by the nodes they executed".to_owned(), executed),
            ("nodes, by the layer they work for".to_owned(), layered),
        ];
        added_up(run, &whole, by)
    };
    let mut out = vec![
        say(&format!("Its time, in pass {pass}"), time.clone()),
        say("Of the pass's interval time", share_of_pass(run, pass, &time)),
    ];
    if !part.is_empty() {
        let shared = count(&table.labels, "nodes", "/timeline/intervals/nodes", &part);
        out.push(say("Intervals it shares with others, not counted", Ok(shared)));
    }
    out
}
