//! Text of a file reaches the page only escaped.

use tokenpath_core::column::{Column, Texts};

use crate::{fixture, render};

const PAYLOAD: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&#x27;";

fn spoil(column: &mut Texts) {
    *column = (0..column.rows()).map(|row| column.get(row).map(|_| format!("{PAYLOAD}{row}"))).collect();
}

#[test]
fn every_text_is_escaped() {
    for case in ["smollm2", "synthetic-metal"] {
        let mut run = fixture(case);
        for column in [
            &mut run.model.tensors.name,
            &mut run.model.tensors.dtype,
            &mut run.model.tensors.role,
            &mut run.model.tensors.buffer,
            &mut run.model.components.name,
            &mut run.model.parameters.name,
            &mut run.model.parameters.text,
            &mut run.model.parameters.source,
            &mut run.graph.graphs.name,
            &mut run.graph.nodes.name,
            &mut run.graph.nodes.operation,
            &mut run.graph.nodes.dtype,
            &mut run.graph.nodes.inputs,
            &mut run.kernels.name,
            &mut run.kernels.short,
            &mut run.passes.executions.name,
            &mut run.passes.executions.text,
            &mut run.traversal.ends.text,
        ] {
            spoil(column);
        }
        run.model.architecture = Some(PAYLOAD.to_owned());
        run.identity.instrument.name = Some(PAYLOAD.to_owned());
        run.identity.instrument.statement = Some(vec![PAYLOAD.to_owned()]);
        for absence in &mut run.absent {
            absence.reason = PAYLOAD.to_owned();
        }
        for view in [
            "model?show=all",
            "model?sel=tensor:3",
            "block",
            "block?sel=node:3",
            "nodes",
            "nodes?sort=-name",
            "kernels",
            "kernels?sel=kernel:1",
            "nodes?q=%22%3E%3Cscript%3E&operation=%22%3E%3Cscript%3E",
        ] {
            let html = render(&run, view);
            assert!(!html.contains("<script") && !html.contains("<img"), "{case} {view}");
            // Within an attribute a quotation mark would end it.
            assert!(!html.contains("\"'>"), "{case} {view}");
        }
    }
}
