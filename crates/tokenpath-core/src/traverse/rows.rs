//! The walk as a table: one row per interval of a pass, one cell per hop up.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;

use super::chain::ChainState;
use super::hop::Hop;
use super::relation::Read;
use super::relations::Relations;
use super::strength::LabelId;
use super::tally::Event;
use super::up::{BranchHop, Nodes, Trunk, Up, branches};
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// What a cell says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    /// A relation before this one ended the walk.
    #[default]
    NotReached,
    /// The hop leads on, in some branch at least, and no branch has a gap here.
    Resolved,
    /// Every branch ends here at an answer.
    Terminal,
    /// Some branch has a gap here.
    Gap,
}

/// One hop of one interval, over all its candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// What it says.
    pub state: CellState,
    /// Number of distinct targets. For the node set: the nodes it holds.
    pub targets: u32,
    /// The first target.
    pub first: Option<Item>,
    /// The weakest label that was read, as an index in [`Rows::labels`].
    pub label: Option<u32>,
    /// The reason of the first gap, or else of the first answer, as an index in [`Rows::reasons`].
    pub reason: Option<u32>,
    /// Branches that end here at an answer.
    pub terminals: u32,
    /// Branches that have a gap here.
    pub gaps: u32,
}

/// One interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The interval.
    pub interval: u32,
    /// How its chain ends.
    pub state: ChainState,
    /// The weakest label of its chain, as an index in [`Rows::labels`].
    pub label: Option<u32>,
    /// One cell for each hop of [`Hop::UP`].
    pub cells: [Cell; Hop::UP.len()],
}

/// A window of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// Number of intervals of the pass.
    pub total: usize,
    /// The rows of the window, in order of intervals.
    pub rows: Vec<Row>,
    /// Labels that rows and cells refer to, from the strongest to the weakest.
    pub labels: Vec<Label>,
    /// Reasons that cells refer to.
    pub reasons: Vec<String>,
}

/// The rows `window` of the intervals of `pass`. Costs a look at every interval, and a walk for those in the window.
pub fn rows(run: &Run, pass: u32, window: Range<usize>) -> Rows {
    let absences = run.absences();
    let relations = Relations::new(run, &absences);
    let all = u32::try_from(run.timeline.intervals.rows()).unwrap_or(u32::MAX);
    let mut total = 0;
    let mut intervals = Vec::new();
    for interval in 0..all {
        if relations.interval_pass.read(interval).target() == Some(pass) {
            if window.contains(&total) {
                intervals.push(interval);
            }
            total += 1;
        }
    }
    let mut builder = Builder {
        up: Up::new(relations),
        reasons: Vec::new(),
        reason_ids: HashMap::new(),
        reason_texts: HashMap::new(),
        shared: HashMap::new(),
        stored: HashMap::new(),
    };
    let rows = intervals.into_iter().map(|interval| builder.row(interval)).collect();
    Rows { total, rows, labels: builder.up.relations.strengths.all().to_vec(), reasons: builder.reasons }
}

/// The cells from candidates to layers.
const LATE: usize = 4;

struct Builder<'r> {
    up: Up<'r>,
    reasons: Vec<String>,
    reason_ids: HashMap<Event, u32>,
    reason_texts: HashMap<String, u32>,
    /// By node set and kernel.
    shared: HashMap<(u32, u32), [Cell; LATE]>,
    /// By the list that the producer supplied.
    stored: HashMap<&'r [u32], [Cell; LATE]>,
}

impl<'r> Builder<'r> {
    fn row(&mut self, interval: u32) -> Row {
        let trunk = self.up.trunk(interval);
        let pass = self.up.relations.interval_pass.read(interval);
        let pass = self.cell(pass, Item::Pass);
        let submission = self.cell(trunk.submission, Item::Submission);
        let node_set = trunk.node_set.map_or(Cell::default(), |node_set| {
            let mut cell = self.cell(node_set, Item::NodeSet);
            if let Read::To(set, _) = node_set {
                cell.targets = u32::try_from(self.up.nodes_of(set).len()).unwrap_or(u32::MAX);
            }
            cell
        });
        let kernel = self.cell(trunk.kernel, Item::Kernel);
        let [nodes, tensors, components, layers] = self.late(&trunk);
        let cells = [pass, submission, node_set, kernel, nodes, tensors, components, layers];
        let state = if cells.iter().any(|cell| cell.state == CellState::Gap) {
            ChainState::Gap
        } else if layers.targets > 0 {
            ChainState::Resolved
        } else {
            ChainState::Terminal
        };
        let label = cells.iter().filter_map(|cell| cell.label).max();
        Row { interval, state, label, cells }
    }

    fn late(&mut self, trunk: &Trunk<'r>) -> [Cell; LATE] {
        match trunk.nodes {
            Nodes::NotReached => Default::default(),
            Nodes::Gap(gap) => {
                let mut cells: [Cell; LATE] = Default::default();
                cells[0] = self.cell(Read::<u32>::Gap(gap), Item::Node);
                cells
            }
            Nodes::Stored(nodes, label) => {
                if let Some(cells) = self.stored.get(nodes) {
                    let mut cells = *cells;
                    cells[0].label = Some(label);
                    return cells;
                }
                let cells = self.candidates(nodes, label);
                self.stored.insert(nodes, cells);
                cells
            }
            Nodes::Fit { set, kernel } => {
                let mut cells = match self.shared.get(&(set, kernel)) {
                    Some(cells) => *cells,
                    None => {
                        let label = self.up.mapping_label(set, kernel);
                        let nodes = self.up.candidates(set, kernel);
                        let cells = self.candidates(&nodes, label);
                        self.shared.insert((set, kernel), cells);
                        cells
                    }
                };
                for read in [Some(trunk.submission), trunk.node_set, Some(trunk.kernel)].into_iter().flatten() {
                    if let Read::To(_, of) = read {
                        cells[0].label = cells[0].label.max(Some(of));
                    }
                }
                cells
            }
        }
    }

    fn candidates(&mut self, nodes: &[u32], label: LabelId) -> [Cell; LATE] {
        let mut late: [Gathered; LATE] = Default::default();
        let [of_nodes, of_tensors, of_components, of_layers] = &mut late;
        for node in nodes {
            of_nodes.target(*node, label);
            branches(&self.up.relations, *node, &mut |hop| match hop {
                BranchHop::Ends(hop, end, label) => {
                    let at = match hop {
                        Hop::NodeTensors => &mut *of_tensors,
                        Hop::TensorComponent => &mut *of_components,
                        _ => &mut *of_layers,
                    };
                    at.terminals += 1;
                    at.label = at.label.max(Some(label));
                    at.ended = at.ended.or(Some(Event::End(end)));
                }
                BranchHop::Gap(hop, gap) => {
                    let at = match hop {
                        Hop::NodeTensors => &mut *of_tensors,
                        Hop::TensorComponent => &mut *of_components,
                        _ => &mut *of_layers,
                    };
                    at.gaps += 1;
                    at.gap = at.gap.or(Some(Event::Gap(gap)));
                }
                BranchHop::Tensor(tensor, label) => of_tensors.target(tensor, label),
                BranchHop::Component(component, label) => of_components.target(component, label),
                BranchHop::Layer(layer, label) => of_layers.target(layer, label),
            });
        }
        let [nodes, tensors, components, layers] = late;
        [
            self.gathered(nodes, Item::Node),
            self.gathered(tensors, Item::Tensor),
            self.gathered(components, Item::Component),
            self.gathered(layers, Item::Layer),
        ]
    }

    fn cell(&mut self, read: Read<u32>, item: fn(u32) -> Item) -> Cell {
        match read {
            Read::To(target, label) => Cell {
                state: CellState::Resolved,
                targets: 1,
                first: Some(item(target)),
                label: Some(label),
                ..Cell::default()
            },
            Read::End(end, label) => Cell {
                state: CellState::Terminal,
                label: Some(label),
                reason: Some(self.reason(Event::End(end))),
                terminals: 1,
                ..Cell::default()
            },
            Read::Gap(gap) => {
                Cell { state: CellState::Gap, reason: Some(self.reason(Event::Gap(gap))), gaps: 1, ..Cell::default() }
            }
        }
    }

    fn gathered(&mut self, mut gathered: Gathered, item: fn(u32) -> Item) -> Cell {
        let first = gathered.targets.first().copied();
        gathered.targets.sort_unstable();
        gathered.targets.dedup();
        let state = if gathered.gaps > 0 {
            CellState::Gap
        } else if first.is_some() {
            CellState::Resolved
        } else if gathered.terminals > 0 {
            CellState::Terminal
        } else {
            CellState::NotReached
        };
        Cell {
            state,
            targets: u32::try_from(gathered.targets.len()).unwrap_or(u32::MAX),
            first: first.map(item),
            label: gathered.label,
            reason: gathered.gap.or(gathered.ended).map(|event| self.reason(event)),
            terminals: gathered.terminals,
            gaps: gathered.gaps,
        }
    }

    /// The number of a reason; gaps that differ only by row share it.
    fn reason(&mut self, event: Event) -> u32 {
        if let Some(id) = self.reason_ids.get(&event) {
            return *id;
        }
        let run = self.up.relations.run;
        let text = match event {
            Event::Gap(gap) => gap.reason(run).into_owned(),
            Event::End(end) => end.text(run).to_owned(),
        };
        let reasons = &mut self.reasons;
        let id = *self.reason_texts.entry(text).or_insert_with_key(|text| {
            reasons.push(text.clone());
            u32::try_from(reasons.len() - 1).unwrap_or(u32::MAX)
        });
        self.reason_ids.insert(event, id);
        id
    }
}

/// The hops of several branches at one cell.
#[derive(Default)]
struct Gathered {
    targets: Vec<u32>,
    label: Option<LabelId>,
    terminals: u32,
    gaps: u32,
    gap: Option<Event>,
    ended: Option<Event>,
}

impl Gathered {
    fn target(&mut self, target: u32, label: LabelId) {
        self.targets.push(target);
        self.label = self.label.max(Some(label));
    }
}
