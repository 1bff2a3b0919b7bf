//! What is worth selecting when nothing is selected.

use crate::derive::passes::{PassKind, cell_pointer, kind};
use crate::derive::times::complete_timing;
use crate::fact::{Fact, Quantity};
use crate::item::Item;
use crate::model::Run;
use crate::traverse::token_under_test;

/// Something to select, and the value that makes it worth it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// What it is.
    pub caption: &'static str,
    /// The item.
    pub item: Item,
    /// The value.
    pub fact: Fact,
}

/// The token under test, the slowest decode pass, the longest interval of the token's pass, the largest tensor: each
/// where the run can tell it.
pub fn suggestions(run: &Run) -> Vec<Suggestion> {
    let mut out = Vec::new();
    let token = token_under_test(run).ok();
    if let Some(token) = &token {
        let quantity = Quantity::Text(format!("pass {}", token.pass));
        let fact = Fact::stored(quantity, Some(&token.label), "/traversal/pass");
        out.push(Suggestion { caption: "The token under test", item: Item::Pass(token.pass), fact });
    }
    out.extend(slowest_pass(run));
    if let Some(token) = token {
        out.extend(longest_interval(run, token.pass));
    }
    out.extend(largest_tensor(run));
    out
}

fn slowest_pass(run: &Run) -> Option<Suggestion> {
    let rows = &run.passes.rows;
    let decode = (0..u32::try_from(rows.rows()).ok()?).filter(|pass| kind(run, *pass) == PassKind::Decode);
    let longest = decode.filter_map(|pass| Some((rows.period.get(pass as usize)?, pass)));
    // Of two alike the earlier one.
    let (period, pass) = longest.max_by_key(|(period, pass)| (*period, std::cmp::Reverse(*pass)))?;
    let pointer = format!("/passes/rows/period/{pass}");
    let fact = Fact::stored(Quantity::Nanos(period), rows.label("period", pass as usize), pointer);
    Some(Suggestion { caption: "The decode pass with the longest period", item: Item::Pass(pass), fact })
}

fn longest_interval(run: &Run, pass: u32) -> Option<Suggestion> {
    // The longest of those that happened to be recorded says nothing.
    complete_timing(run).ok()?;
    let table = &run.timeline.intervals;
    let mine = (0..table.rows()).filter(|row| table.pass.get(*row) == Some(pass));
    let longest = mine.filter_map(|row| Some((table.duration.get(row)?, row)));
    let (duration, row) = longest.max_by_key(|(duration, row)| (*duration, std::cmp::Reverse(*row)))?;
    let index = u32::try_from(row).ok()?;
    let pointer = format!("/timeline/intervals/duration/{row}");
    let fact = Fact::stored(Quantity::Nanos(duration), table.label("duration", row), pointer);
    Some(Suggestion { caption: "The longest interval of its pass", item: Item::Interval(index), fact })
}

fn largest_tensor(run: &Run) -> Option<Suggestion> {
    let tensors = &run.model.tensors;
    let known = (0..tensors.rows()).filter_map(|row| Some((tensors.bytes.get(row)?, row)));
    let (bytes, row) = known.max_by_key(|(bytes, row)| (*bytes, std::cmp::Reverse(*row)))?;
    let index = u32::try_from(row).ok()?;
    let pointer = cell_pointer(run, "/model/tensors/bytes", index);
    let fact = Fact::stored(Quantity::Bytes(bytes), tensors.label("bytes", row), pointer);
    Some(Suggestion { caption: "The largest tensor", item: Item::Tensor(index), fact })
}
