//! Walks through a run: from each interval of the token under test up to layers, and from the model down to intervals.
//!
//! A hop reads one stored relation (see [`Hop`]) and ends in exactly one of:
//! - **resolved**: one or more targets, with the label of the relation that was read; a chain's label is its weakest hop;
//! - **terminal**: the bundle answers that the chain ends here (a companion column points into `/traversal/ends`), or a
//!   relation that is read backwards is complete and names the item nowhere;
//! - **gap**: the bundle does not supply the relation; the gap names the pointer that would have, with the bundle's reason.
//!
//! Up, the hops from interval to pass, to submission and to kernel are read side by side; what comes after an unresolved hop
//! is not reached, so that one missing relation is one gap. Candidate nodes are those that the producer supplies
//! (`/timeline/intervals/nodes`, when not null or empty), or else the nodes of the submission's node set that name the
//! interval's kernel. The latter are computed here, so they are labelled derived, or weaker where an input is. When there are
//! none, the gap names `/graph/nodes/kernels` if a node of the set does not say what it runs as, and the interval's own
//! `nodes` otherwise.
//!
//! Down, relations are read backwards, within the graph and the intervals of the pass. Where a column has several nulls any
//! of which may hide what is looked for, the gap names the column. Without an interval for a node's kernel the hop is a
//! terminal on an instrument that records only some executions.
//!
//! Intervals of which the bundle does not say in which pass they fell may belong to any: they are a gap of every pass's
//! verdict. A producer that knows that they fell in none says so in `pass_end`.
//!
//! Must never contain: matching by name, a relation that no column holds, text for people beyond reasons.

mod account;
mod chain;
mod down;
mod gap;
mod hop;
mod leftover;
mod neighbours;
mod relation;
mod relations;
mod rows;
mod strength;
mod tally;
mod token;
mod up;
mod verdict;
mod walk;

pub use chain::{Chain, ChainState, HopEnd, Step, chain};
pub use hop::Hop;
pub use neighbours::{Relation, neighbours};
pub use rows::{Cell, CellState, Row, Rows, rows};
pub use token::{TokenUnderTest, token_under_test};
pub use verdict::{
    ChainCounts, ComputedBy, GapGroup, GapMember, Leftover, LeftoverGroup, Outcome, TerminalGroup, Verdict,
    intervals_in_no_pass, verdict, verdicts, verdicts_all,
};
