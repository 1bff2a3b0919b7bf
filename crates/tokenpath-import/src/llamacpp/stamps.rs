//! A capture by abort-callback stamps: the backend calls back after each executed node of a whole graph, fusion kept.
//!
//! A stamp names no node. Joined with a capture by evaluation callback of the same model and prompt, stamps get their
//! nodes from the executed list of its graph, if the counts agree; alone, they are intervals without kernel or node.

use super::capture::{Fault, base, common, finish};
use super::raw::RawCapture;
use super::recording::{Execution, Recording, Timing};

/// How its passes are executed.
pub const EXECUTION: Execution = Execution {
    name: "whole graph (abort stamps, fusion kept)",
    text: "The backend runs the whole graph as it would without a recorder and stamps the time after each entry of its \
           list; fused operations share a stamp. An interval reaches from stamp to stamp of the first thread, so a wait \
           for other threads counts to the next entry, and the first interval of a pass begins with the decode call and \
           holds the host's preparation too. Between two passes the recorder copies what it saw, so a period is longer \
           than the pass in it.",
    interval_kind: Some("kernel"),
};

pub(super) fn recording(raw: RawCapture) -> Result<Recording, Fault> {
    let mut out = common(&raw);
    out.executions.push(EXECUTION);
    for (index, pass) in raw.passes.iter().enumerate() {
        let place = format!("pass {index}");
        let mut built = base(pass, &place)?;
        let mut before = built.start;
        for (row, stamp) in pass.stamps.iter().enumerate() {
            if *stamp < before {
                return Err(Fault::new(
                    format!("{place}, stamp {row}"),
                    format!("{stamp} ns lies before the one before it, at {before} ns"),
                ));
            }
            before = *stamp;
        }
        built.timing = Timing::Stamps(pass.stamps.clone());
        out.passes.push(built);
    }
    finish(&mut out);
    Ok(out)
}
