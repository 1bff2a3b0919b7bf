//! Evidence: what a run says of one thing, as captioned readings, and what is worth selecting when nothing is.
//!
//! A pass is needed to speak of a node's or layer's time; callers say which one the page is about.
//!
//! Must never contain: text of numbers, relations (those are [`crate::traverse::neighbours`]), a share without coverage.

mod model;
mod suggest;
mod timed;

pub use suggest::{Suggestion, suggestions};

use crate::derive::passes::cell_pointer;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// One captioned reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// What it is.
    pub caption: String,
    /// The value, or why there is none.
    pub reading: Reading,
    /// Whether its formula is what a person looks for first, and so stands open.
    pub open: bool,
}

/// What the run says of `item`, the most telling first. Empty for an item that it does not hold.
pub fn evidence(run: &Run, item: Item, pass: Option<u32>) -> Vec<Evidence> {
    if !item.exists(run) {
        return Vec::new();
    }
    let row = item.index();
    match item {
        Item::Pass(_) => timed::pass(run, row),
        Item::Submission(_) => timed::submission(run, row),
        Item::Segment(_) => timed::segment(run, row),
        Item::Interval(_) => timed::interval(run, row),
        Item::Range(_) => timed::range(run, row),
        Item::Call(_) => timed::call(run, row),
        Item::Copy(_) => timed::copy(run, row),
        Item::Chunk(_) => timed::chunk(run, row),
        Item::NodeSet(_) => model::node_set(run, row),
        Item::Kernel(_) => model::kernel(run, row, pass),
        Item::Node(_) => model::node(run, row, pass),
        Item::Tensor(_) => model::tensor(run, row),
        Item::Component(_) => model::component(run, row),
        Item::Layer(_) => model::layer(run, row, pass),
    }
}

/// How many nodes of the same graph carry the node's name, itself included.
pub fn namesakes(run: &Run, node: u32) -> usize {
    let nodes = &run.graph.nodes;
    let row = node as usize;
    let (name, graph) = (nodes.name.get(row), nodes.graph.get(row));
    if name.is_none() {
        return 1;
    }
    (0..nodes.rows()).filter(|other| nodes.name.get(*other) == name && nodes.graph.get(*other) == graph).count()
}

fn say(caption: &str, reading: Reading) -> Evidence {
    Evidence { caption: caption.to_owned(), reading, open: false }
}

/// A stored cell of a column.
fn cell(run: &Run, pointer: &str, row: u32, quantity: Option<Quantity>, label: Option<&Label>) -> Reading {
    match quantity {
        Some(quantity) => Ok(Fact::stored(quantity, label, format!("{pointer}/{row}"))),
        None => Err(run.missing(&cell_pointer(run, pointer, row))),
    }
}

fn text(text: Option<&str>) -> Option<Quantity> {
    text.map(|text| Quantity::Text(text.to_owned()))
}

/// A derived difference of two times.
fn between(later: &Reading, earlier: &Reading, formula: &str, names: [&str; 2]) -> Reading {
    let (later, earlier) = (later.clone()?, earlier.clone()?);
    let (Quantity::Nanos(to), Quantity::Nanos(from)) = (&later.quantity, &earlier.quantity) else {
        return Err(Missing { pointer: later.pointer, reason: "It is no time.".to_owned() });
    };
    let quantity = Quantity::Nanos(to.saturating_sub(*from));
    let [a, b] = names;
    Ok(Fact::derived(quantity, formula, vec![(a.to_owned(), later), (b.to_owned(), earlier)]))
}

/// `part` ÷ `whole` as a share, where both are lengths of time.
fn share(part: &Reading, whole: &Reading, formula: &str, names: [&str; 2]) -> Reading {
    let (part, whole) = (part.clone()?, whole.clone()?);
    let (Quantity::Nanos(a), Quantity::Nanos(b)) = (&part.quantity, &whole.quantity) else {
        let reason = "Not all of the time is recorded, so there is no whole to divide by.".to_owned();
        return Err(Missing { pointer: whole.pointer, reason });
    };
    if *b <= 0 {
        return Err(Missing { pointer: whole.pointer, reason: "The whole is no time at all.".to_owned() });
    }
    let quantity = Quantity::Share(*a as f64 / *b as f64);
    let [one, other] = names;
    Ok(Fact::derived(quantity, formula, vec![(one.to_owned(), part), (other.to_owned(), whole)]))
}

/// `bytes` ÷ `time`.
fn rate(bytes: &Reading, time: &Reading, formula: &str, names: [&str; 2]) -> Reading {
    let (bytes, time) = (bytes.clone()?, time.clone()?);
    let (Quantity::Bytes(size), Quantity::Nanos(nanos)) = (&bytes.quantity, &time.quantity) else {
        return Err(Missing { pointer: time.pointer, reason: "It is no size over a time.".to_owned() });
    };
    if *nanos <= 0 {
        let reason = "Its duration is 0 on the trace clock, so there is no rate.".to_owned();
        return Err(Missing { pointer: time.pointer, reason });
    }
    let quantity = Quantity::BytesPerSecond(*size as f64 / *nanos as f64 * 1e9);
    let [one, other] = names;
    Ok(Fact::derived(quantity, formula, vec![(one.to_owned(), bytes), (other.to_owned(), time)]))
}

#[cfg(test)]
mod tests;
