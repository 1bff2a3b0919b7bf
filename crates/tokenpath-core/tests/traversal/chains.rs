//! Opened chains, the table of rows, and the relations of single items.

use tokenpath_core::traverse::{Cell, CellState, Chain, ChainState, Hop, HopEnd, Row, Rows, chain, neighbours, rows};
use tokenpath_core::{Item, Label, Labels};

use crate::world::{SOUND, World, sound_but, world};

/// Each step as `hop from → targets`, `hop from | answer` or `hop from / pointer`.
fn steps(steps: &[tokenpath_core::traverse::Step]) -> Vec<String> {
    let line = |step: &tokenpath_core::traverse::Step| {
        let end = match &step.end {
            HopEnd::Resolved { targets, .. } => {
                let targets: Vec<String> = targets.iter().map(Item::to_string).collect();
                format!("→ {}", targets.join(" "))
            }
            HopEnd::Terminal { code, .. } => format!("| {}", code.as_deref().unwrap_or("")),
            HopEnd::Gap { pointer, .. } => format!("/ {pointer}"),
        };
        format!("{} {} {end}", step.hop.word(), step.from)
    };
    steps.iter().map(line).collect()
}

fn open(world: &World, interval: &str) -> Chain {
    chain(&world.run, world.row("interval", interval)).unwrap()
}

#[test]
fn a_chain_goes_up_to_its_layer_and_comes_back() {
    let chain = open(&world(SOUND), "i2");
    assert_eq!(
        steps(&chain.up),
        [
            "interval_pass interval:2 → pass:0",
            "interval_submission interval:2 → submission:0",
            "submission_node_set submission:0 → node_set:0",
            "interval_kernel interval:2 → kernel:2",
            "interval_nodes interval:2 → node:2",
            "node_tensors node:2 → tensor:2",
            "tensor_component tensor:2 → component:1",
            "component_layer component:1 → layer:0",
        ]
    );
    assert_eq!(
        steps(&chain.down),
        [
            "component_tensors component:1 → tensor:1 tensor:2",
            "tensor_nodes tensor:2 → node:2",
            "node_kernels node:2 → kernel:2",
            "kernel_intervals kernel:2 → interval:2",
        ]
    );
    assert_eq!((chain.state, chain.returns, chain.pass), (ChainState::Resolved, true, Some(0)));
    assert!(chain.label.unwrap().to_string().starts_with("derived:"));
}

#[test]
fn a_chain_ends_at_an_answer_or_a_gap() {
    let world = sound_but(&[
        "interval i0 pass=p submission=u0 kernel=?lost",
        "interval i6 pass=!outside submission=!none kernel=norm",
    ]);
    let gap = open(&world, "i0");
    assert_eq!(
        steps(&gap.up),
        [
            "interval_pass interval:0 → pass:0",
            "interval_submission interval:0 → submission:0",
            "submission_node_set submission:0 → node_set:0",
            "interval_kernel interval:0 / /timeline/intervals/kernel/0",
        ]
    );
    assert_eq!((gap.state, gap.returns), (ChainState::Gap, false));
    let rope = open(&world, "i3");
    assert_eq!(steps(&rope.up)[5], "node_tensors node:3 | no-weight");
    assert_eq!((rope.state, rope.down.is_empty()), (ChainState::Terminal, true));
    let outside = open(&world, "i6");
    assert_eq!(
        steps(&outside.up),
        [
            "interval_pass interval:6 | outside",
            "interval_submission interval:6 | none",
            "interval_kernel interval:6 → kernel:1",
        ]
    );
    assert_eq!((outside.state, outside.pass), (ChainState::Terminal, None));
    assert_eq!(chain(&world.run, 7), None);
}

#[test]
fn a_chain_is_as_weak_as_its_weakest_hop() {
    let mut world = world(SOUND);
    let inferred = Label::inferred("by shape");
    world.run.graph.nodes.labels = Labels::all(Label::reported("world"))
        .with_rows("kernels", (0..6).map(|node| if node == 2 { inferred.clone() } else { Label::reported("world") }));
    let chain = open(&world, "i2");
    assert_eq!(chain.label, Some(inferred.clone()));
    let HopEnd::Resolved { label, .. } = &chain.up[4].end else { panic!("{:?}", chain.up) };
    // The candidates are computed from an inferred mapping; the tensors are as they are stored.
    assert_eq!(*label, inferred);
    let HopEnd::Resolved { label, .. } = &chain.up[5].end else { panic!("{:?}", chain.up) };
    assert_eq!(*label, Label::reported("world"));
    assert_eq!(open(&world, "i1").label.unwrap().kind, tokenpath_core::LabelKind::Derived);
    // Nodes that the producer supplies carry the column's own label.
    let mut world = sound_but(&["interval i1 pass=p submission=u0 kernel=norm nodes=norm"]);
    world.run.timeline.intervals.labels =
        Labels::all(Label::measured("clock")).with("nodes", Label::reported("callback"));
    let chain = open(&world, "i1");
    let HopEnd::Resolved { label, .. } = &chain.up[4].end else { panic!("{:?}", chain.up) };
    assert_eq!(*label, Label::reported("callback"));
}

fn words(rows: &Rows, row: &Row) -> Vec<String> {
    let cell = |cell: &Cell| match cell.state {
        CellState::NotReached => "-".to_owned(),
        CellState::Resolved => format!("{} {}", cell.targets, cell.first.unwrap()),
        CellState::Terminal | CellState::Gap => rows.reasons[cell.reason.unwrap() as usize].clone(),
    };
    row.cells.iter().map(cell).collect()
}

#[test]
fn rows_have_a_cell_for_each_hop() {
    let world = sound_but(&[
        "interval i1 pass=p submission=u0 kernel=?lost",
        "node norm reads=norm_w runs=matmul",
        "component head output_head layer=?unknown",
    ]);
    let all = rows(&world.run, 0, 0..100);
    assert_eq!((all.total, all.rows.len(), Hop::UP.len()), (6, 6, 8));
    let lines: Vec<Vec<String>> = all.rows.iter().map(|row| words(&all, row)).collect();
    let trunk = ["1 pass:0", "1 submission:0", "5 node_set:0"];
    let expected: [(usize, [&str; 5]); 4] = [
        (0, ["1 kernel:0", "1 node:0", "1 tensor:0", "1 component:0", "It ends: no-layer."]),
        (1, ["lost", "-", "-", "-", "-"]),
        // Two candidates with two tensors of one layer.
        (2, ["1 kernel:2", "2 node:1", "2 tensor:1", "1 component:1", "1 layer:0"]),
        (3, ["1 kernel:3", "1 node:3", "It ends: no-weight.", "-", "-"]),
    ];
    for (at, rest) in expected {
        assert_eq!(lines[at], [&trunk[..], &rest[..]].concat(), "row {at}");
    }
    assert_eq!(lines[4][7], "unknown");
    let states: Vec<ChainState> = all.rows.iter().map(|row| row.state).collect();
    use ChainState::{Gap, Resolved, Terminal};
    assert_eq!(states, [Terminal, Gap, Resolved, Terminal, Gap, Terminal]);
    let labels: Vec<&str> =
        all.rows[2].cells.iter().map(|cell| all.labels[cell.label.unwrap() as usize].kind.word()).collect();
    assert_eq!(labels[..5], ["reported", "reported", "reported", "reported", "derived"]);

    let window = rows(&world.run, 0, 2..4);
    assert_eq!((window.total, window.rows.iter().map(|row| row.interval).collect::<Vec<u32>>()), (6, vec![2, 3]));
    assert_eq!(rows(&world.run, 9, 0..10).total, 0);
}

/// Each relation as `name → targets`, `name | answer` or `name / pointer`.
fn relations(world: &World, kind: &str, name: &str) -> Vec<String> {
    let item = Item::parse(&format!("{kind}:{}", world.row(kind, name))).unwrap();
    let line = |relation: &tokenpath_core::traverse::Relation| match &relation.end {
        HopEnd::Resolved { targets, .. } => {
            let targets: Vec<String> = targets.iter().map(Item::to_string).collect();
            format!("{} → {}", relation.name, targets.join(" "))
        }
        HopEnd::Terminal { reason, .. } => format!("{} | {reason}", relation.name),
        HopEnd::Gap { pointer, .. } => format!("{} / {pointer}", relation.name),
    };
    neighbours(&world.run, item).iter().map(line).collect()
}

#[test]
fn relations_can_be_followed_from_every_item() {
    let world =
        sound_but(&["interval i1 pass=p submission=u0 kernel=?lost", "node rope reads=!no-weight runs=rope layer=0"]);
    assert_eq!(
        relations(&world, "pass", "p"),
        [
            "submissions → submission:0 submission:1",
            "intervals → interval:0 interval:1 interval:2 interval:3 interval:4 interval:5",
            "nodes → node:0 node:1 node:2 node:3 node:4 node:5",
        ]
    );
    assert_eq!(
        relations(&world, "submission", "u1"),
        [
            "pass → pass:0",
            "node_set → node_set:1",
            "nodes → node:5",
            "segments / /timeline/segments",
            "intervals → interval:4 interval:5",
        ]
    );
    assert_eq!(
        relations(&world, "interval", "i2"),
        [
            "pass → pass:0",
            "submission → submission:0",
            "segment / /timeline/intervals/segment",
            "kernel → kernel:2",
            "candidate_nodes → node:2",
        ]
    );
    assert_eq!(
        relations(&world, "interval", "i1"),
        [
            "pass → pass:0",
            "submission → submission:0",
            "segment / /timeline/intervals/segment",
            "kernel / /timeline/intervals/kernel/1"
        ]
    );
    assert_eq!(relations(&world, "kernel", "matmul"), ["nodes → node:2 node:5", "intervals → interval:2 interval:4"]);
    // The interval without a kernel may have run `norm`: no answer, a gap.
    assert_eq!(relations(&world, "kernel", "norm"), ["nodes → node:1", "intervals / /timeline/intervals/kernel/1"]);
    assert_eq!(
        relations(&world, "node", "rope"),
        ["layer → layer:0", "tensors | It ends: no-weight.", "kernels → kernel:3", "intervals → interval:3"]
    );
    assert_eq!(relations(&world, "tensor", "q_w"), ["component → component:1", "nodes → node:2"]);
    assert_eq!(relations(&world, "component", "head"), ["layer | It ends: no-layer.", "tensors → tensor:3"]);
    let layer = neighbours(&world.run, Item::Layer(0));
    assert_eq!(layer.len(), 2);
    assert!(matches!(&layer[0].end, HopEnd::Resolved { targets, .. } if *targets == [Item::Component(1)]));
    assert!(matches!(&layer[1].end, HopEnd::Resolved { targets, .. } if *targets == [Item::Node(3)]));
    assert!(neighbours(&world.run, Item::Layer(1)).is_empty());
    assert!(neighbours(&world.run, Item::Node(6)).is_empty());
    // What does not exist on this timeline at all is a gap with the reason for the whole table.
    let nothing = sound_but(&["kernel stray"]);
    assert_eq!(
        relations(&nothing, "kernel", "stray"),
        [
            "nodes | No node names the kernel, and every node says which kernels it runs as.",
            "intervals | No interval ran the kernel, and every interval says what it ran.",
        ]
    );
}
