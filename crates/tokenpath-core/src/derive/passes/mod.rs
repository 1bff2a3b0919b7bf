//! Passes: their kinds, executions and periods, and the pass of the token under test.

mod join;
mod table;
mod told_apart;

pub use join::{ClockJoin, clock_join, in_request, on_request_clock};
pub use table::{PassRow, PassTable, union};
pub use told_apart::{Classification, classification, group_under_test};

use crate::derive::counted::{count, weakest};
use crate::derive::spread::Spread;
use crate::fact::{Fact, Missing, Quantity};
use crate::model::Run;
use crate::traverse::token_under_test;

/// What prefill or decode a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassKind {
    /// Takes in the prompt.
    Prefill,
    /// Takes in the last token.
    Decode,
    /// The bundle does not say.
    Unknown,
}

/// The passes of one execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its row in `/passes/executions`; `None` where the run tells no executions apart.
    pub execution: Option<u32>,
    /// Its name.
    pub name: Option<String>,
    /// What it keeps and what it changes, with its label.
    pub text: Option<Fact>,
    /// What one interval of it is.
    pub interval_kind: Option<String>,
    /// Its passes in order of their start.
    pub passes: Vec<u32>,
    /// Those that are prefill.
    pub prefill: Vec<u32>,
    /// Those that are decode.
    pub decode: Vec<u32>,
    /// The periods of its decode passes; of those within the request, where the clocks are joined.
    pub decode_periods: Result<Spread, Missing>,
}

/// The kind of a pass.
pub fn kind(run: &Run, pass: u32) -> PassKind {
    match run.passes.rows.kind.get(pass as usize) {
        Some("prefill") => PassKind::Prefill,
        Some("decode") => PassKind::Decode,
        _ => PassKind::Unknown,
    }
}

/// A number of passes, labelled as their kinds are.
pub fn count_of(run: &Run, passes: &[u32]) -> Fact {
    let rows: Vec<usize> = passes.iter().map(|pass| *pass as usize).collect();
    count(&run.passes.rows.labels, "kind", "/passes/rows", &rows)
}

/// The passes by execution, each group in order of start; groups in the order in which they first appear.
pub fn groups(run: &Run) -> Vec<Group> {
    let rows = &run.passes.rows;
    let mut groups: Vec<Group> = Vec::new();
    for pass in 0..u32::try_from(rows.rows()).unwrap_or(u32::MAX) {
        let execution = rows.execution.get(pass as usize);
        let at = groups.iter().position(|group| group.execution == execution).unwrap_or_else(|| {
            groups.push(empty_group(run, execution));
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(at) {
            group.passes.push(pass);
            match kind(run, pass) {
                PassKind::Prefill => group.prefill.push(pass),
                PassKind::Decode => group.decode.push(pass),
                PassKind::Unknown => {}
            }
        }
    }
    for group in &mut groups {
        group.decode_periods = decode_periods(run, &group.decode);
    }
    groups
}

fn empty_group(run: &Run, execution: Option<u32>) -> Group {
    let table = &run.passes.executions;
    let row = execution.map(|execution| execution as usize);
    Group {
        execution,
        name: row.and_then(|row| table.name.get(row)).map(str::to_owned),
        text: row.and_then(|row| {
            let text = Quantity::Text(table.text.get(row)?.to_owned());
            Some(Fact::stored(text, table.label("text", row), format!("/passes/executions/text/{row}")))
        }),
        interval_kind: row
            .and_then(|row| table.interval_kind.get(row))
            .or(run.identity.instrument.interval_kind.as_deref())
            .map(str::to_owned),
        passes: Vec::new(),
        prefill: Vec::new(),
        decode: Vec::new(),
        decode_periods: Err(run.missing("/passes/rows/period")),
    }
}

fn decode_periods(run: &Run, decode: &[u32]) -> Result<Spread, Missing> {
    let rows = &run.passes.rows;
    let inside = decode.iter().copied().filter(|pass| in_request(run, *pass)).map(|pass| pass as usize);
    let known: Vec<usize> = inside.filter(|pass| rows.period.get(*pass).is_some()).collect();
    let values: Vec<i64> = known.iter().filter_map(|row| rows.period.get(*row)).collect();
    let mut source = count(&rows.labels, "period", "/passes/rows/period", &known);
    // Which passes are decode is an input too.
    if let Some(kind) = weakest(&rows.labels, "kind", known.iter().copied()) {
        source.label = source.label.weaker(kind).clone();
    }
    let what = match run.passes.clock_join.offset {
        Some(_) => "periods of decode passes within the request",
        None => "periods of decode passes",
    };
    Spread::of(values, what, &source).ok_or_else(|| match decode.first() {
        Some(first) => run.missing(&cell_pointer(run, "/passes/rows/period", *first)),
        None => Missing { pointer: "/passes/rows/kind".to_owned(), reason: "No pass is a decode pass.".to_owned() },
    })
}

/// The pass of the token under test, if the run has one.
pub fn pass_under_test(run: &Run) -> Option<u32> {
    token_under_test(run).ok().map(|token| token.pass)
}

/// The pointer of the absence that explains a null: the cell's own where it has one, else the column's.
pub(crate) fn cell_pointer(run: &Run, column: &str, row: u32) -> String {
    let cell = format!("{column}/{row}");
    if run.absence(&cell).is_some_and(|absence| absence.pointer == cell) { cell } else { column.to_owned() }
}
