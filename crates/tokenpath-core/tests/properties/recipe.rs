//! Recipes of runs: small numbers that proptest can shrink, and the run that each stands for.

use proptest::prelude::*;
use tokenpath_core::bundle::validate;
use tokenpath_core::column::{RefLists, Refs};
use tokenpath_core::json::Node;
use tokenpath_core::label::{Label, Labels};
use tokenpath_core::model::{
    Chunks, Classification, Components, Counters, Ends, Events, Executions, Graph, Graphs, Identity, Instrument,
    Intervals, Kernels, NodeSets, Nodes, PassRows, Passes, Request, Runtime, Submissions, Tensors, Timeline, Traversal,
    Unrecorded, Weights,
};
use tokenpath_core::{Absence, ReasonCode, Rule, Run};

/// A cell of a relation to one target.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    To(u8),
    End(u8),
    /// Null: for a reason of its own, or for the column's when the number is [`COLUMN`].
    Null(u8),
}

/// A cell of a relation to several targets.
#[derive(Clone, Debug)]
pub(crate) enum List {
    To(Vec<u8>),
    End(u8),
    Null(u8),
}

/// So many reasons and answers there are.
const REASONS: u8 = 3;
/// The reason of a null that has no entry of its own.
const COLUMN: u8 = REASONS;

#[derive(Clone, Debug)]
pub(crate) struct NodeRecipe {
    pub(crate) graph: u8,
    pub(crate) tensors: List,
    pub(crate) kernels: List,
    label: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct PassRecipe {
    kind: u8,
    pub(crate) graph: Cell,
    execution: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct IntervalRecipe {
    pub(crate) pass: Cell,
    pub(crate) submission: Cell,
    pub(crate) kernel: Cell,
    pub(crate) nodes: Option<Vec<u8>>,
    label: u8,
}

/// What a run is made from. Numbers are taken modulo the rows there are, unless the recipe is wild.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    timing: u8,
    token: Option<u8>,
    pub(crate) graphs: u8,
    executions: u8,
    pub(crate) kernels: u8,
    pub(crate) components: Vec<Cell>,
    pub(crate) tensors: Vec<Cell>,
    pub(crate) nodes: Vec<NodeRecipe>,
    pub(crate) sets: Vec<List>,
    pub(crate) passes: Vec<PassRecipe>,
    pub(crate) submissions: Vec<Cell>,
    pub(crate) intervals: Vec<IntervalRecipe>,
    unrecorded: Vec<(u16, u16, u8)>,
    words: Vec<String>,
    numbers: Vec<i64>,
    /// References may lead anywhere, and lists need not fit each other.
    wild: bool,
}

/// What a cell says, in rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said<T> {
    To(T),
    End(u8),
    Null(u8),
}

impl Recipe {
    pub(crate) fn one(&self, cell: &Cell, rows: usize, ends: bool) -> Said<u32> {
        match cell {
            Cell::To(at) if self.wild => Said::To(u32::from(*at)),
            Cell::To(at) if rows > 0 => Said::To(u32::from(*at) % rows as u32),
            Cell::End(end) if ends => Said::End(*end),
            Cell::To(reason) | Cell::End(reason) => Said::Null(reason % (COLUMN + 1)),
            Cell::Null(reason) => Said::Null(*reason),
        }
    }

    pub(crate) fn many(&self, list: &List, rows: usize, ends: bool) -> Said<Vec<u32>> {
        match list {
            List::To(list) if self.wild => Said::To(list.iter().map(|at| u32::from(*at)).collect()),
            // An empty list of a relation with answers must have one.
            List::To(list) if ends && (list.is_empty() || rows == 0) => Said::End(0),
            List::To(list) if rows > 0 => Said::To(list.iter().map(|at| u32::from(*at) % rows as u32).collect()),
            List::End(end) if ends => Said::End(*end),
            List::To(_) => Said::To(Vec::new()),
            List::End(reason) | List::Null(reason) => Said::Null(*reason),
        }
    }

    /// The layer of a component.
    pub(crate) fn layer(&self, component: u32) -> Said<u32> {
        self.one(&self.components[component as usize], 1000, true)
    }

    pub(crate) fn component(&self, tensor: u32) -> Said<u32> {
        self.one(&self.tensors[tensor as usize], self.components.len(), false)
    }

    pub(crate) fn reads(&self, node: u32) -> Said<Vec<u32>> {
        self.many(&self.nodes[node as usize].tensors, self.tensors.len(), true)
    }

    pub(crate) fn runs(&self, node: u32) -> Said<Vec<u32>> {
        self.many(&self.nodes[node as usize].kernels, self.kernels.into(), true)
    }

    pub(crate) fn members(&self, set: u32) -> Said<Vec<u32>> {
        self.many(&self.sets[set as usize], self.nodes.len(), false)
    }

    pub(crate) fn set(&self, submission: u32) -> Said<u32> {
        self.one(&self.submissions[submission as usize], self.sets.len(), false)
    }

    /// The nodes that the producer supplies for an interval: among those of its node set, where that is known.
    pub(crate) fn supplied(&self, interval: &IntervalRecipe) -> Option<Vec<u32>> {
        let picks = interval.nodes.as_ref()?;
        if self.wild {
            return Some(picks.iter().map(|at| u32::from(*at)).collect());
        }
        let members = match self.one(&interval.submission, self.submissions.len(), true) {
            Said::To(submission) => match self.set(submission) {
                Said::To(set) => match self.members(set) {
                    Said::To(members) => Some(members),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let all: Vec<u32> = members.unwrap_or_else(|| (0..self.nodes.len() as u32).collect());
        if all.is_empty() {
            return Some(Vec::new());
        }
        Some(picks.iter().map(|at| all[usize::from(*at) % all.len()]).collect())
    }
}

/// A cell; of `sound` + 2 one is an answer and one null.
fn cell(sound: u32) -> impl Strategy<Value = Cell> {
    prop_oneof![
        sound => any::<u8>().prop_map(Cell::To),
        1 => (0..REASONS).prop_map(Cell::End),
        1 => (0..=COLUMN).prop_map(Cell::Null),
    ]
}

fn list(sound: u32) -> impl Strategy<Value = List> {
    prop_oneof![
        sound => prop::collection::vec(any::<u8>(), 1..4).prop_map(List::To),
        1 => (0..REASONS).prop_map(List::End),
        1 => (0..=COLUMN).prop_map(List::Null),
    ]
}

fn members(sound: u32) -> impl Strategy<Value = List> {
    prop_oneof![
        sound => prop::collection::vec(any::<u8>(), 2..9).prop_map(List::To),
        1 => Just(List::To(Vec::new())),
        1 => (0..=COLUMN).prop_map(List::Null),
    ]
}

/// A table of up to `most` rows, seldom empty.
fn table<S: Strategy>(row: S, most: usize) -> impl Strategy<Value = Vec<S::Value>>
where
    S::Value: Clone,
{
    prop_oneof![
        1 => Just(Vec::new()),
        20 => prop::collection::vec(row, 1..=most),
    ]
}

/// Recipes; wild ones may have references that lead nowhere.
pub(crate) fn recipes(wild: bool) -> impl Strategy<Value = Recipe> {
    // Some runs are nearly sound, so that verdicts pass too; some are full of holes.
    prop_oneof![Just(300), Just(60), Just(6)].prop_flat_map(move |sound| recipes_of(wild, sound))
}

fn recipes_of(wild: bool, sound: u32) -> impl Strategy<Value = Recipe> {
    let node = (any::<u8>(), list(sound), list(sound), any::<u8>())
        .prop_map(|(graph, tensors, kernels, label)| NodeRecipe { graph, tensors, kernels, label });
    let pass =
        (0..4_u8, cell(sound), any::<u8>()).prop_map(|(kind, graph, execution)| PassRecipe { kind, graph, execution });
    let supplied = prop::option::weighted(0.3, prop::collection::vec(any::<u8>(), 0..4));
    let interval = (cell(sound), cell(sound), cell(sound), supplied, any::<u8>())
        .prop_map(|(pass, submission, kernel, nodes, label)| IntervalRecipe { pass, submission, kernel, nodes, label });
    let model = (table(cell(sound), 4), table(cell(sound), 6), table(node, 8), table(members(sound), 4));
    let trace = (
        table(pass, 3),
        table(cell(sound), 5),
        table(interval, 12),
        prop::collection::vec((0..5000_u16, 0..500_u16, 0..REASONS), 0..2),
    );
    let rest = (
        0..4_u8,
        prop::option::of(any::<u8>()),
        1..3_u8,
        0..3_u8,
        prop_oneof![1 => Just(0), 20 => 1..5_u8],
        prop::collection::vec(any::<String>(), 1..4),
        prop::collection::vec(0..i64::MAX, 1..4),
    );
    (model, trace, rest).prop_map(move |(model, trace, rest)| {
        let (components, tensors, nodes, sets) = model;
        let (passes, submissions, intervals, unrecorded) = trace;
        let (timing, token, graphs, executions, kernels, words, numbers) = rest;
        Recipe {
            timing,
            token,
            graphs,
            executions,
            kernels,
            components,
            tensors,
            nodes,
            sets,
            passes,
            submissions,
            intervals,
            unrecorded,
            words,
            numbers,
            wild,
        }
    })
}

/// An order of the rows of one table.
pub(crate) struct Order {
    /// For each place the row of the recipe that stands there.
    pub(crate) rows: Vec<u32>,
    places: Vec<u32>,
}

impl Order {
    fn new(count: usize, shuffle: &mut impl FnMut(u32) -> u32) -> Order {
        let mut rows: Vec<u32> = (0..count as u32).collect();
        for at in (1..rows.len()).rev() {
            let other = shuffle(at as u32 + 1) as usize;
            rows.swap(at, other);
        }
        let mut places = vec![0; count];
        for (place, row) in rows.iter().enumerate() {
            places[*row as usize] = place as u32;
        }
        Order { rows, places }
    }

    /// Where a row stands; a reference that leads nowhere stays what it is.
    fn place(&self, row: u32) -> u32 {
        self.places.get(row as usize).copied().unwrap_or(row)
    }
}

/// An order of the rows of every table.
pub(crate) struct Orders {
    pub(crate) components: Order,
    pub(crate) tensors: Order,
    pub(crate) kernels: Order,
    graphs: Order,
    executions: Order,
    pub(crate) nodes: Order,
    pub(crate) sets: Order,
    pub(crate) passes: Order,
    pub(crate) submissions: Order,
    pub(crate) intervals: Order,
    ends: Order,
}

impl Orders {
    /// The order of the recipe.
    pub(crate) fn plain(recipe: &Recipe) -> Orders {
        Orders::by(recipe, |count| count - 1)
    }

    /// Another order for every seed.
    pub(crate) fn shuffled(recipe: &Recipe, seed: u64) -> Orders {
        let mut state = seed | 1;
        Orders::by(recipe, move |count| {
            // Knuth's multiplier for 64 bits; the upper bits are the good ones.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % count
        })
    }

    fn by(recipe: &Recipe, mut shuffle: impl FnMut(u32) -> u32) -> Orders {
        let mut order = |count: usize| Order::new(count, &mut shuffle);
        Orders {
            components: order(recipe.components.len()),
            tensors: order(recipe.tensors.len()),
            kernels: order(recipe.kernels.into()),
            graphs: order(recipe.graphs.into()),
            executions: order(recipe.executions.into()),
            nodes: order(recipe.nodes.len()),
            sets: order(recipe.sets.len()),
            passes: order(recipe.passes.len()),
            submissions: order(recipe.submissions.len()),
            intervals: order(recipe.intervals.len()),
            ends: order(REASONS.into()),
        }
    }
}

/// Writes cells and remembers why nulls are null.
struct Writer<'o> {
    orders: &'o Orders,
    absent: Vec<Absence>,
}

impl Writer<'_> {
    fn null(&mut self, column: &str, place: usize, reason: u8) {
        let (pointer, reason) = if reason >= COLUMN {
            (column.to_owned(), "reason of the column".to_owned())
        } else {
            (format!("{column}/{place}"), format!("reason {reason}"))
        };
        if self.absent.iter().all(|absence| absence.pointer != pointer) {
            self.absent.push(Absence::new(pointer, ReasonCode::NotRecorded, reason));
        }
    }

    fn one(&mut self, column: &str, cells: impl Iterator<Item = Said<u32>>, to: Option<&Order>) -> (Refs, Refs) {
        let (mut refs, mut ends) = (Refs::default(), Refs::default());
        for (place, said) in cells.enumerate() {
            let (target, end) = match said {
                Said::To(row) => (Some(to.map_or(row, |order| order.place(row))), None),
                Said::End(end) => (None, Some(self.orders.ends.place(end.into()))),
                Said::Null(reason) => {
                    self.null(column, place, reason);
                    (None, None)
                }
            };
            refs.push(target);
            ends.push(end);
        }
        (refs, ends)
    }

    fn many(&mut self, column: &str, cells: impl Iterator<Item = Said<Vec<u32>>>, to: &Order) -> (RefLists, Refs) {
        let (mut lists, mut ends) = (RefLists::default(), Refs::default());
        for (place, said) in cells.enumerate() {
            let (list, end) = match said {
                Said::To(rows) => (Some(rows.iter().map(|row| to.place(*row)).collect::<Vec<u32>>()), None),
                Said::End(end) => (Some(Vec::new()), Some(self.orders.ends.place(end.into()))),
                Said::Null(reason) => {
                    self.null(column, place, reason);
                    (None, None)
                }
            };
            lists.push(list.as_deref());
            ends.push(end);
        }
        (lists, ends)
    }
}

fn label(seed: u8) -> Label {
    match seed % 8 {
        0 => Label::read("file"),
        1 => Label::measured("clock"),
        2 => Label::reported("server"),
        3 => Label::reported("callback"),
        4 => Label::derived("a + b"),
        5 => Label::inferred("rule: one"),
        6 => Label::inferred("rule: two"),
        _ => Label::parse("estimated").unwrap(),
    }
}

/// The run that the recipe stands for, its rows in these orders.
pub(crate) fn run(recipe: &Recipe, orders: &Orders) -> Run {
    let mut writer = Writer { orders, absent: Vec::new() };
    let labels = |seed: u8| Labels::all(label(seed));
    let word = |at: usize| recipe.words[at % recipe.words.len()].clone();
    let number = |at: usize| recipe.numbers[at % recipe.numbers.len()];
    let rows = |order: &Order| order.rows.clone().into_iter();

    let (layer, layer_end) =
        writer.one("/model/components/layer", rows(&orders.components).map(|row| recipe.layer(row)), None);
    let (component, _) = writer.one(
        "/model/tensors/component",
        rows(&orders.tensors).map(|row| recipe.component(row)),
        Some(&orders.components),
    );
    let (tensors, tensors_end) =
        writer.many("/graph/nodes/tensors", rows(&orders.nodes).map(|row| recipe.reads(row)), &orders.tensors);
    let (kernels, kernels_end) =
        writer.many("/graph/nodes/kernels", rows(&orders.nodes).map(|row| recipe.runs(row)), &orders.kernels);
    let (members, _) =
        writer.many("/timeline/node_sets/nodes", rows(&orders.sets).map(|row| recipe.members(row)), &orders.nodes);
    let (node_set, _) = writer.one(
        "/timeline/submissions/node_set",
        rows(&orders.submissions).map(|row| recipe.set(row)),
        Some(&orders.sets),
    );
    let pass = |row: u32| &recipe.passes[row as usize];
    let (graph, _) = writer.one(
        "/passes/rows/graph",
        rows(&orders.passes).map(|row| recipe.one(&pass(row).graph, recipe.graphs.into(), false)),
        Some(&orders.graphs),
    );
    let kind = |row: u32| ["decode", "decode", "prefill"].get(usize::from(pass(row).kind)).copied();
    for (place, row) in orders.passes.rows.iter().enumerate() {
        if kind(*row).is_none() {
            writer.null("/passes/rows/kind", place, 0);
        }
    }
    let interval = |row: u32| &recipe.intervals[row as usize];
    let (of_pass, pass_end) = writer.one(
        "/timeline/intervals/pass",
        rows(&orders.intervals).map(|row| recipe.one(&interval(row).pass, recipe.passes.len(), true)),
        Some(&orders.passes),
    );
    let (submission, submission_end) = writer.one(
        "/timeline/intervals/submission",
        rows(&orders.intervals).map(|row| recipe.one(&interval(row).submission, recipe.submissions.len(), true)),
        Some(&orders.submissions),
    );
    let (kernel, kernel_end) = writer.one(
        "/timeline/intervals/kernel",
        rows(&orders.intervals).map(|row| recipe.one(&interval(row).kernel, recipe.kernels.into(), true)),
        Some(&orders.kernels),
    );
    let mut nodes = RefLists::default();
    for row in &orders.intervals.rows {
        let supplied = recipe.supplied(interval(*row));
        nodes.push(
            supplied.map(|nodes| nodes.iter().map(|node| orders.nodes.place(*node)).collect::<Vec<u32>>()).as_deref(),
        );
    }
    let named = recipe.token.filter(|_| !recipe.passes.is_empty()).map(u32::from);
    let named = named.map(|token| if recipe.wild { token } else { token % recipe.passes.len() as u32 });
    // Validation wants the token under test to be a decode pass's.
    let named = named.filter(|token| recipe.wild || kind(*token) != Some("prefill"));
    let named = named.map(|token| i64::from(orders.passes.place(token)));

    // Chunks stand in order of arrival.
    let mut arrivals = recipe.numbers.clone();
    arrivals.sort_unstable();

    let mut run = Run {
        identity: Identity {
            given: true,
            id: Some(word(0)),
            title: Some(word(1)),
            capture_mode: Some("lab".to_owned()),
            scenario: Some(word(2)),
            runtime: Runtime { given: true, name: Some(word(0)), labels: labels(2), ..Runtime::default() },
            instrument: Instrument {
                given: true,
                name: Some(word(1)),
                kernel_timing: ["complete", "sparse", "none"]
                    .get(usize::from(recipe.timing % 4))
                    .map(|word| (*word).to_owned())
                    .or(Some("complete".to_owned())),
                hardware_counters: Some(false),
                graphs: Some("none".to_owned()),
                statement: Some(recipe.words.clone()),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        request: Request {
            given: true,
            clock: Some(word(0)),
            origin: Some(number(0)),
            token_count: Some("unknown".to_owned()),
            events: Events { given: true, labels: labels(1), ..Events::default() },
            chunks: Chunks {
                given: true,
                at: arrivals.iter().copied().collect(),
                characters: recipe.numbers.iter().copied().collect(),
                tokens: recipe.numbers.iter().map(|number| Some(*number)).collect(),
                channel: recipe.numbers.iter().map(|_| Some("content")).collect(),
                text: (0..recipe.numbers.len()).map(|at| (at % 2 == 0).then(|| word(at))).collect(),
                labels: labels(1),
                ..Chunks::default()
            },
            counters: Counters { given: true, labels: labels(2), ..Counters::default() },
            labels: labels(1),
            ..Request::default()
        },
        passes: Passes {
            given: true,
            rows: PassRows {
                given: true,
                kind: orders.passes.rows.iter().map(|row| kind(*row)).collect(),
                start: orders.passes.rows.iter().map(|row| 1000 * i64::from(*row)).collect(),
                end: orders.passes.rows.iter().map(|row| 1000 * i64::from(*row) + 900).collect(),
                graph,
                execution: orders
                    .passes
                    .rows
                    .iter()
                    .map(|row| {
                        let count = u32::from(recipe.executions);
                        (count > 0).then(|| orders.executions.place(u32::from(pass(*row).execution) % count))
                    })
                    .collect(),
                labels: labels(3),
                ..PassRows::default()
            },
            executions: Executions {
                given: true,
                name: orders.executions.rows.iter().map(|row| Some(format!("execution {row}"))).collect(),
                text: orders.executions.rows.iter().map(|row| Some(format!("execution {row}"))).collect(),
                labels: labels(2),
                ..Executions::default()
            },
            classification: Classification {
                given: true,
                method: Some(word(0)),
                labels: labels(5),
                ..Classification::default()
            },
            ..Passes::default()
        },
        model: Weights {
            given: true,
            components: Components {
                given: true,
                kind: orders.components.rows.iter().map(|_| Some("other")).collect(),
                name: orders.components.rows.iter().map(|row| Some(word(*row as usize))).collect(),
                layer: layer.raw().iter().map(|layer| (*layer != u32::MAX).then_some(i64::from(*layer))).collect(),
                layer_end,
                labels: labels(0),
                ..Components::default()
            },
            tensors: Tensors {
                given: true,
                name: orders.tensors.rows.iter().map(|row| Some(format!("{row}{}", word(0)))).collect(),
                component,
                shape: orders
                    .tensors
                    .rows
                    .iter()
                    .map(|row| Some(vec![number(*row as usize); *row as usize % 3]))
                    .collect(),
                labels: labels(0),
                ..Tensors::default()
            },
            ..Weights::default()
        },
        graph: Graph {
            given: true,
            graphs: Graphs {
                given: true,
                name: orders.graphs.rows.iter().map(|row| Some(format!("graph {row}"))).collect(),
                pass_kind: orders.graphs.rows.iter().map(|_| Some("decode")).collect(),
                labels: labels(2),
                ..Graphs::default()
            },
            nodes: Nodes {
                given: true,
                graph: orders
                    .nodes
                    .rows
                    .iter()
                    .map(|row| {
                        let graph = u32::from(recipe.nodes[*row as usize].graph);
                        if recipe.wild { graph } else { orders.graphs.place(graph % u32::from(recipe.graphs)) }
                    })
                    .collect(),
                name: orders.nodes.rows.iter().map(|row| Some(word(*row as usize))).collect(),
                tensors,
                tensors_end,
                kernels,
                kernels_end,
                labels: Labels::all(label(2))
                    .with_rows("kernels", orders.nodes.rows.iter().map(|row| label(recipe.nodes[*row as usize].label))),
                ..Nodes::default()
            },
            ..Graph::default()
        },
        kernels: Kernels {
            given: true,
            name: orders.kernels.rows.iter().map(|row| Some(format!("{row}{}", word(1)))).collect(),
            labels: labels(1),
            ..Kernels::default()
        },
        timeline: Timeline {
            given: true,
            node_sets: NodeSets { given: true, nodes: members, labels: labels(2), ..NodeSets::default() },
            submissions: Submissions {
                given: true,
                kind: orders.submissions.rows.iter().map(|row| Some(word(*row as usize))).collect(),
                node_set,
                labels: labels(3),
                ..Submissions::default()
            },
            intervals: Intervals {
                given: true,
                start: orders.intervals.rows.iter().map(|row| i64::from(*row)).collect(),
                pass: of_pass,
                pass_end,
                submission,
                submission_end,
                kernel,
                kernel_end,
                nodes,
                labels: Labels::all(label(1))
                    .with_rows("pass", orders.intervals.rows.iter().map(|row| label(interval(*row).label)))
                    .with_rows("nodes", orders.intervals.rows.iter().map(|row| label(interval(*row).label / 8))),
                ..Intervals::default()
            },
            unrecorded: Unrecorded {
                given: true,
                start: recipe.unrecorded.iter().map(|(start, ..)| i64::from(*start)).collect(),
                end: recipe
                    .unrecorded
                    .iter()
                    .map(|(start, length, _)| i64::from(*start) + i64::from(*length))
                    .collect(),
                reason: recipe.unrecorded.iter().map(|(.., reason)| Some(format!("reason {reason}"))).collect(),
                labels: labels(1),
                ..Unrecorded::default()
            },
            ..Timeline::default()
        },
        traversal: Traversal {
            given: true,
            pass: named,
            ends: Ends {
                given: true,
                code: orders.ends.rows.iter().map(|row| Some(format!("end-{row}"))).collect(),
                text: orders.ends.rows.iter().map(|row| Some(format!("It ends: {row}."))).collect(),
                labels: labels(2),
                ..Ends::default()
            },
            labels: labels(2),
            ..Traversal::default()
        },
        absent: writer.absent,
        extra: vec![
            (
                "later".to_owned(),
                Node::Object(vec![(word(0), Node::Float(0.5)), (format!("{}x", word(0)), Node::Null)]),
            ),
            ("much later".to_owned(), Node::List(vec![Node::Text(word(1)), Node::Bool(true)])),
        ],
    };
    if !recipe.wild {
        explain(&mut run);
    }
    run
}

/// Adds an absence entry for every null that the recipe does not speak of.
fn explain(run: &mut Run) {
    loop {
        let lacking: Vec<String> = validate(run)
            .into_iter()
            .filter(|problem| problem.rule == Rule::UnexplainedNull)
            .map(|problem| problem.pointer)
            .collect();
        if lacking.is_empty() {
            return;
        }
        run.absent
            .extend(lacking.into_iter().map(|pointer| Absence::new(pointer, ReasonCode::NotSupplied, "not told")));
    }
}
