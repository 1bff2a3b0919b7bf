//! Derivations of the lens Kernels: what each kernel's intervals add up to, within one execution and pass kind.
//!
//! Must never contain: a time or share where the instrument does not time every interval; a name matched to a node
//! that the bundle does not map.

use std::collections::{BTreeSet, HashMap};

use super::chosen::{chosen_pass, execution_of};
use super::spread::percentile;
use super::sum::input;
use super::times::complete_timing;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// Intervals that are summed together: those of the passes of one execution and one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Population<'a> {
    /// Row of `/passes/executions`; `None` where passes name none.
    pub execution: Option<u32>,
    /// `prefill` or `decode`; `None` where passes are not classified, or the intervals fell in no pass.
    pub kind: Option<&'a str>,
    /// Whether these are the intervals that fell in no pass.
    pub outside: bool,
}

/// A population and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Available<'a> {
    /// The population.
    pub population: Population<'a>,
    /// Its passes.
    pub passes: u32,
    /// Its intervals.
    pub intervals: u32,
}

/// The populations that have intervals, in the order of their first pass; intervals of no pass last.
pub fn available(run: &Run) -> Vec<Available<'_>> {
    let rows = &run.passes.rows;
    let intervals = &run.timeline.intervals;
    let mut out: Vec<Available<'_>> = Vec::new();
    let mut of_pass: Vec<usize> = Vec::with_capacity(rows.rows());
    for pass in 0..rows.rows() {
        let population = Population { execution: rows.execution.get(pass), kind: rows.kind.get(pass), outside: false };
        let at = out.iter().position(|known| known.population == population).unwrap_or_else(|| {
            out.push(Available { population, passes: 0, intervals: 0 });
            out.len() - 1
        });
        if let Some(known) = out.get_mut(at) {
            known.passes += 1;
        }
        of_pass.push(at);
    }
    let mut outside = 0;
    for row in 0..intervals.rows() {
        let at = intervals.pass.get(row).and_then(|pass| of_pass.get(pass as usize));
        match at.and_then(|at| out.get_mut(*at)) {
            Some(known) => known.intervals += 1,
            None => outside += 1,
        }
    }
    out.retain(|known| known.intervals > 0);
    if outside > 0 {
        let population = Population { execution: None, kind: None, outside: true };
        out.push(Available { population, passes: 0, intervals: outside });
    }
    out
}

/// The population to show: that of the wanted execution and kind where it exists, else that of the chosen pass, else
/// the one with most intervals.
pub fn chosen<'a>(
    run: &Run,
    available: &[Available<'a>],
    item: Option<Item>,
    execution: Option<u32>,
    kind: Option<&str>,
) -> Option<Available<'a>> {
    let pass = chosen_pass(run, item).ok().map(|chosen| chosen.pass);
    let of_pass = pass.and_then(|pass| execution_of(run, pass));
    let kind_of_pass = pass.and_then(|pass| run.passes.rows.kind.get(pass as usize));
    let execution = execution.or(of_pass);
    let inside = || available.iter().filter(|known| !known.population.outside);
    let found = if kind == Some("none") {
        available.iter().find(|known| known.population.outside)
    } else {
        inside()
            .find(|known| known.population.execution == execution && known.population.kind == kind.or(kind_of_pass))
            .or_else(|| inside().find(|known| known.population.execution == execution))
            .or_else(|| inside().find(|known| kind.is_some() && known.population.kind == kind))
    };
    found.or_else(|| available.iter().max_by_key(|known| known.intervals)).copied()
}

/// What a row of the table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject<'a> {
    /// A kernel.
    Kernel(u32),
    /// Intervals whose kernel is not known, by the operation of the node that they executed.
    Unknown(Option<&'a str>),
    /// Intervals that ran no kernel, by the bundle's answer.
    Ended(u32),
}

/// Times of one row, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Sum of the durations.
    pub total: i64,
    /// The middle duration; halfway between the two middle ones when their number is even.
    pub median: f64,
    /// The 95th percentile, interpolated linearly between the closest ranks.
    pub p95: f64,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// What it stands for.
    pub subject: Subject<'a>,
    /// Its intervals.
    pub intervals: u32,
    /// Its times; `None` where timing is not complete.
    pub times: Option<Times>,
    /// Nodes that name the kernel as a candidate, in the graphs that the population's passes execute.
    pub nodes: u32,
    /// The weakest label of those mappings.
    pub mapping: Option<&'a Label>,
    /// The first of its intervals.
    pub first: u32,
}

/// The table of one population.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<'a> {
    /// The rows, the longest total first; without times the most frequent first.
    pub rows: Vec<Row<'a>>,
    /// Intervals of all rows.
    pub intervals: u32,
    /// Time of all rows, in nanoseconds: the denominator of shares. The reason where there is none.
    pub listed: Result<i64, Missing>,
}

/// How nodes and kernels are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Kernels with intervals, or counted by the instrument, that no node names.
    pub unjoined: Vec<u32>,
    /// Nodes whose kernel is not known.
    pub unknown: Vec<u32>,
    /// Nodes that run no kernel, by the bundle's answer: row of `/traversal/ends` and number of nodes.
    pub ended: Vec<(u32, u32)>,
}

/// Sums the intervals of a population. Cost: linear in intervals and nodes.
pub fn table<'a>(run: &'a Run, population: Population<'_>) -> Table<'a> {
    let intervals = &run.timeline.intervals;
    let in_pass = members(run, population);
    let mut index: HashMap<Subject<'a>, usize> = HashMap::new();
    let mut durations: Vec<Vec<i64>> = Vec::new();
    // Number of intervals and the first of them.
    let mut counts: Vec<(u32, u32)> = Vec::new();
    let mut missing: Option<usize> = None;
    let mut total = 0_u32;
    for row in 0..intervals.rows() {
        let pass = intervals.pass.get(row);
        let belongs = match pass {
            Some(pass) => in_pass.get(pass as usize).copied().unwrap_or(false),
            None => population.outside,
        };
        if !belongs {
            continue;
        }
        let subject = match (intervals.kernel.get(row), intervals.kernel_end.get(row)) {
            (Some(kernel), _) => Subject::Kernel(kernel),
            (None, Some(end)) => Subject::Ended(end),
            (None, None) => {
                let node = intervals.nodes.get(row).and_then(|nodes| nodes.first());
                Subject::Unknown(node.and_then(|node| run.graph.nodes.operation.get(*node as usize)))
            }
        };
        let at = *index.entry(subject).or_insert_with(|| {
            durations.push(Vec::new());
            counts.push((0, u32::try_from(row).unwrap_or(u32::MAX)));
            counts.len() - 1
        });
        total += 1;
        if let Some(count) = counts.get_mut(at) {
            count.0 += 1;
        }
        match intervals.duration.get(row) {
            Some(duration) => {
                if let Some(list) = durations.get_mut(at) {
                    list.push(duration);
                }
            }
            None => missing = missing.or(Some(row)),
        }
    }
    let timing = complete_timing(run)
        .and_then(|()| missing.map_or(Ok(()), |row| Err(run.missing(&format!("/timeline/intervals/duration/{row}")))));
    let candidates = candidates(run, &graphs_of(run, &in_pass));
    let mut rows: Vec<Row<'a>> = index
        .into_iter()
        .map(|(subject, at)| {
            let times = timing.is_ok().then(|| durations.get_mut(at).and_then(|list| times(list))).flatten();
            let (nodes, mapping) = match subject {
                Subject::Kernel(kernel) => candidates.kernels.get(&kernel).copied().unwrap_or_default(),
                Subject::Unknown(Some(operation)) => {
                    (candidates.unknown.get(operation).copied().unwrap_or_default(), None)
                }
                _ => (0, None),
            };
            let (intervals, first) = counts.get(at).copied().unwrap_or_default();
            Row { subject, intervals, times, nodes, mapping, first }
        })
        .collect();
    rows.sort_by_key(|row| {
        let total = row.times.map_or(0, |times| times.total);
        (std::cmp::Reverse(total), std::cmp::Reverse(row.intervals), row.subject)
    });
    let listed = timing
        .map(|()| rows.iter().filter_map(|row| row.times).fold(0_i64, |sum, times| sum.saturating_add(times.total)));
    Table { rows, intervals: total, listed }
}

/// Which passes belong to a population.
pub fn members(run: &Run, population: Population<'_>) -> Vec<bool> {
    let rows = &run.passes.rows;
    (0..rows.rows())
        .map(|pass| {
            !population.outside
                && rows.execution.get(pass) == population.execution
                && rows.kind.get(pass) == population.kind
        })
        .collect()
}

/// The times of one row's durations, which are sorted.
fn times(durations: &mut [i64]) -> Option<Times> {
    durations.sort_unstable();
    let total = durations.iter().fold(0_i64, |sum, duration| sum.saturating_add(*duration));
    Some(Times { total, median: percentile(durations, 0.5)?, p95: percentile(durations, 0.95)? })
}

#[derive(Default)]
struct Candidates<'a> {
    kernels: HashMap<u32, (u32, Option<&'a Label>)>,
    unknown: HashMap<&'a str, u32>,
}

/// The graphs that these passes execute; empty when one of them names none, so that every graph may be meant.
pub fn graphs_of(run: &Run, in_pass: &[bool]) -> BTreeSet<u32> {
    let graphs = &run.passes.rows.graph;
    let members = || in_pass.iter().enumerate().filter(|(_, member)| **member).map(|(pass, _)| pass);
    if members().any(|pass| graphs.get(pass).is_none()) {
        return BTreeSet::new();
    }
    members().filter_map(|pass| graphs.get(pass)).collect()
}

/// How many nodes of these graphs (of all, where none is named) name each kernel, and how many of each operation have
/// an unknown kernel.
fn candidates<'a>(run: &'a Run, graphs: &BTreeSet<u32>) -> Candidates<'a> {
    let nodes = &run.graph.nodes;
    let mut out = Candidates::default();
    for row in 0..nodes.rows() {
        if !graphs.is_empty() && !nodes.graph.get(row).is_some_and(|graph| graphs.contains(&graph)) {
            continue;
        }
        match nodes.kernels.get(row) {
            Some(list) => {
                for kernel in list {
                    let label = nodes.label("kernels", row);
                    let entry = out.kernels.entry(*kernel).or_insert((0, label));
                    entry.0 += 1;
                    entry.1 = match (entry.1, label) {
                        (Some(known), Some(label)) => Some(known.weaker(label)),
                        (known, label) => known.or(label),
                    };
                }
            }
            None if nodes.kernels_end.get(row).is_none() => {
                if let Some(operation) = nodes.operation.get(row) {
                    *out.unknown.entry(operation).or_insert(0) += 1;
                }
            }
            None => {}
        }
    }
    out
}

/// How nodes and kernels are joined, over the whole run.
pub fn joined(run: &Run) -> Joined {
    let nodes = &run.graph.nodes;
    let kernels = run.kernels.rows();
    let mut named = vec![false; kernels];
    let mut out = Joined::default();
    for row in 0..nodes.rows() {
        let end = nodes.kernels_end.get(row);
        match nodes.kernels.get(row) {
            Some(list) if !list.is_empty() => {
                for kernel in list {
                    if let Some(slot) = named.get_mut(*kernel as usize) {
                        *slot = true;
                    }
                }
            }
            _ => match end {
                Some(end) => match out.ended.iter_mut().find(|(known, _)| *known == end) {
                    Some((_, count)) => *count += 1,
                    None => out.ended.push((end, 1)),
                },
                None => out.unknown.push(u32::try_from(row).unwrap_or(u32::MAX)),
            },
        }
    }
    let mut seen = vec![false; kernels];
    for row in 0..run.timeline.intervals.rows() {
        if let Some(slot) = run.timeline.intervals.kernel.get(row).and_then(|kernel| seen.get_mut(kernel as usize)) {
            *slot = true;
        }
    }
    out.unjoined = (0..u32::try_from(kernels).unwrap_or(u32::MAX))
        .filter(|kernel| {
            let at = *kernel as usize;
            let executed = seen.get(at) == Some(&true) || run.kernels.counted.get(at).is_some();
            executed && named.get(at) == Some(&false)
        })
        .collect();
    out
}

/// The nodes that name a kernel as a candidate, in encode order.
pub fn nodes_of(run: &Run, kernel: u32) -> Vec<u32> {
    let nodes = &run.graph.nodes;
    (0..u32::try_from(nodes.rows()).unwrap_or(u32::MAX))
        .filter(|node| nodes.kernels.get(*node as usize).is_some_and(|list| list.contains(&kernel)))
        .collect()
}

/// Readings of one row for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// Sum of the durations.
    pub total: Reading,
    /// Their mean.
    pub mean: Reading,
    /// Their median.
    pub median: Reading,
    /// Their 95th percentile.
    pub p95: Reading,
    /// The share of the listed time.
    pub share: Reading,
}

/// The readings of a row, or the reason why the table has no times.
pub fn readings(run: &Run, table: &Table<'_>, row: &Row<'_>) -> Readings {
    let listed = table.listed.clone();
    let (listed, times) = match (listed, row.times) {
        (Ok(listed), Some(times)) => (listed, times),
        (listed, _) => {
            let missing = listed.err().unwrap_or_else(|| run.missing("/timeline/intervals/duration"));
            let absent = || Err(missing.clone());
            return Readings { total: absent(), mean: absent(), median: absent(), p95: absent(), share: absent() };
        }
    };
    let intervals = &run.timeline.intervals;
    let pointer = "/timeline/intervals/duration";
    let durations = |quantity| input(quantity, &intervals.labels, "duration", pointer);
    let name = "durations of its intervals".to_owned();
    let summed = durations(Quantity::Nanos(times.total));
    let count = durations(Quantity::Count(i64::from(row.intervals)));
    let total = Fact::derived(Quantity::Nanos(times.total), "sum of the durations", vec![(name.clone(), summed)]);
    let mean = Fact::derived(
        Quantity::NanosExact(times.total as f64 / f64::from(row.intervals.max(1))),
        "sum of the durations ÷ number of intervals",
        vec![("sum".to_owned(), total.clone()), ("intervals".to_owned(), count)],
    );
    let middle = Quantity::NanosExact(times.median);
    let text = "median of the durations; halfway between the two middle ones when their number is even";
    let median = Fact::derived(middle.clone(), text, vec![(name.clone(), durations(middle))]);
    let at = Quantity::NanosExact(times.p95);
    let text = "95th percentile of the durations, interpolated linearly between the closest ranks";
    let p95 = Fact::derived(at.clone(), text, vec![(name, durations(at))]);
    let whole = Fact::derived(
        Quantity::Nanos(listed),
        "sum of the durations of all listed rows",
        vec![("durations".to_owned(), durations(Quantity::Nanos(listed)))],
    );
    let share = if listed > 0 {
        Ok(Fact::derived(
            Quantity::Share(times.total as f64 / listed as f64),
            "sum of the durations ÷ sum of all listed",
            vec![("sum".to_owned(), total.clone()), ("listed".to_owned(), whole)],
        ))
    } else {
        Err(Missing { pointer: pointer.to_owned(), reason: "The listed durations add up to zero.".to_owned() })
    };
    Readings { total: Ok(total), mean: Ok(mean), median: Ok(median), p95: Ok(p95), share }
}

/// Why prefill and decode of an execution cannot be compared; `None` where they can.
pub fn incomparable(run: &Run, available: &[Available<'_>], execution: Option<u32>) -> Option<Missing> {
    if let Err(missing) = complete_timing(run) {
        return Some(missing);
    }
    let has = |kind: &str| {
        available.iter().any(|known| known.population.execution == execution && known.population.kind == Some(kind))
    };
    let only = |kind: &str| Missing {
        pointer: "/timeline/intervals/pass".to_owned(),
        reason: format!("The recorded rows belong to {kind} passes only, so prefill and decode are not compared."),
    };
    match (has("prefill"), has("decode")) {
        (true, true) => None,
        (true, false) => Some(only("prefill")),
        (false, true) => Some(only("decode")),
        (false, false) => Some(run.missing("/passes/rows/kind")),
    }
}

#[cfg(test)]
mod tests;
