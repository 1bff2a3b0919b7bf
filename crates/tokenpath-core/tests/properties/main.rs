//! What must hold for any bytes and any run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a recipe's rows are in range by construction")]

mod naive;
mod recipe;

use proptest::prelude::*;
use proptest::sample::Index;
use tokenpath_core::absence::split_cell;
use tokenpath_core::bundle::{read, validate, write, write_gzip, write_packed};
use tokenpath_core::column::Column;
use tokenpath_core::traverse::{
    ChainState, ComputedBy, Leftover, Outcome, Verdict, chain, intervals_in_no_pass, neighbours, rows,
    token_under_test, verdict, verdicts_all,
};
use tokenpath_core::{Item, Run};

use recipe::{Orders, Said, recipes};

/// Asks everything that can be asked of a run; the answers do not matter, panics do.
fn ask_everything(run: &Run) {
    validate(run);
    let _ = token_under_test(run);
    let _ = verdict(run, None, ComputedBy::Page);
    let _ = verdict(run, Some(u32::MAX), ComputedBy::Page);
    let all = verdicts_all(run, ComputedBy::Page);
    serde_json::to_string(&all).unwrap();
    intervals_in_no_pass(run);
    // A recipe has at most a dozen rows of a table.
    for row in (0..12).chain([u32::MAX]) {
        let _ = chain(run, row);
        let _ = rows(run, row, 0..100);
        for item in [
            Item::Pass(row),
            Item::Submission(row),
            Item::NodeSet(row),
            Item::Segment(row),
            Item::Interval(row),
            Item::Kernel(row),
            Item::Node(row),
            Item::Tensor(row),
            Item::Component(row),
            Item::Layer(row),
            Item::Range(row),
            Item::Call(row),
            Item::Chunk(row),
            Item::Copy(row),
        ] {
            let _ = neighbours(run, item);
        }
    }
}

/// Opens bytes and asks everything of what opens. What is left after setting aside must be sound.
fn open(bytes: &[u8]) {
    let Ok(opened) = read(bytes) else { return };
    let errors: Vec<String> =
        validate(&opened.run).iter().filter(|problem| !problem.rule.is_notice()).map(ToString::to_string).collect();
    assert_eq!(errors, Vec::<String>::new());
    ask_everything(&opened.run);
}

/// One change of a document.
#[derive(Clone, Debug)]
enum Edit {
    Replace(Index, u8),
    /// Another digit for a digit: references, lengths and times change, the syntax stays.
    Digit(Index, u8),
    Insert(Index, Vec<u8>),
    Delete(Index, u8),
    Cut(Index),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        2 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        8 => (any::<Index>(), b'0'..=b'9').prop_map(|(at, digit)| Edit::Digit(at, digit)),
        1 => (any::<Index>(), prop::collection::vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        1 => (any::<Index>(), 1..9_u8).prop_map(|(at, count)| Edit::Delete(at, count)),
        1 => any::<Index>().prop_map(Edit::Cut),
    ];
    prop::collection::vec(edit, 1..6)
}

fn apply(bytes: &mut Vec<u8>, edits: &[Edit]) {
    for edit in edits {
        if bytes.is_empty() {
            return;
        }
        match edit {
            Edit::Replace(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Edit::Digit(at, digit) => {
                let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    bytes[digits[at.index(digits.len())]] = *digit;
                }
            }
            Edit::Insert(at, more) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Delete(at, count) => {
                let at = at.index(bytes.len());
                let end = (at + usize::from(*count)).min(bytes.len());
                bytes.drain(at..end);
            }
            Edit::Cut(at) => bytes.truncate(at.index(bytes.len())),
        }
    }
}

/// Takes columns away from a run, or makes one shorter than its table.
fn spoil(run: &mut Run, columns: &[(u8, bool)]) {
    fn spoil_one<C: Column + Default>(column: &mut C, mut shorter: impl FnMut(&C) -> C, away: bool) {
        *column = if away { C::default() } else { shorter(column) };
    }
    for (column, away) in columns {
        let nodes = &mut run.graph.nodes;
        let timeline = &mut run.timeline;
        let half = |refs: &tokenpath_core::column::Refs| {
            (0..refs.rows() / 2).map(|row| refs.get(row)).collect::<tokenpath_core::column::Refs>()
        };
        let half_lists = |lists: &tokenpath_core::column::RefLists| {
            (0..lists.rows() / 2).map(|row| lists.get(row)).collect::<tokenpath_core::column::RefLists>()
        };
        match column % 16 {
            0 => spoil_one(&mut timeline.intervals.pass, half, *away),
            1 => spoil_one(&mut timeline.intervals.pass_end, half, *away),
            2 => spoil_one(&mut timeline.intervals.submission, half, *away),
            3 => spoil_one(&mut timeline.intervals.kernel, half, *away),
            4 => spoil_one(&mut timeline.intervals.kernel_end, half, *away),
            5 => spoil_one(&mut timeline.intervals.nodes, half_lists, *away),
            6 => spoil_one(&mut timeline.submissions.node_set, half, *away),
            7 => spoil_one(&mut timeline.node_sets.nodes, half_lists, *away),
            8 => spoil_one(&mut nodes.graph, half, *away),
            9 => spoil_one(&mut nodes.tensors, half_lists, *away),
            10 => spoil_one(&mut nodes.kernels, half_lists, *away),
            11 => spoil_one(&mut nodes.kernels_end, half, *away),
            12 => spoil_one(&mut run.model.tensors.component, half, *away),
            13 => spoil_one(&mut run.passes.rows.graph, half, *away),
            14 => run.traversal = Default::default(),
            _ => run.identity = Default::default(),
        }
    }
}

/// A verdict in the recipe's numbering, without what may depend on the order of rows (where the first chain starts).
fn in_recipe_rows(verdict: &Verdict, orders: &Orders) -> String {
    let table = |column: &str| match column.rsplit_once('/').unwrap().0 {
        "/passes/rows" => &orders.passes,
        "/timeline/intervals" => &orders.intervals,
        "/timeline/submissions" => &orders.submissions,
        "/timeline/node_sets" => &orders.sets,
        "/graph/nodes" => &orders.nodes,
        "/model/tensors" => &orders.tensors,
        "/model/components" => &orders.components,
        other => panic!("which table is {other}?"),
    };
    let pointer = |pointer: &str| match split_cell(pointer) {
        Some((column, place)) => format!("{column}/{}", table(column).rows[place]),
        None => pointer.to_owned(),
    };
    let leftover = |leftover: &Leftover, order: &recipe::Order| {
        let groups: Vec<String> = leftover
            .groups
            .iter()
            .map(|group| {
                let mut rows: Vec<u32> = group.rows.iter().map(|row| order.rows[*row as usize]).collect();
                rows.sort_unstable();
                format!("{} {} {rows:?}", group.reason, group.count)
            })
            .collect();
        format!("{:?} {:?} {:?} {groups:?}", leftover.count, leftover.of, leftover.reason)
    };
    let mut lines = vec![
        format!("{:?} {:?}", verdict.outcome, verdict.pass.map(|pass| orders.passes.rows[pass as usize])),
        format!("{:?} {:?} {}", verdict.up, verdict.down, verdict.reach_tensor),
        format!("{:?} {:?}", verdict.weakest, verdict.pass_label),
        leftover(&verdict.intervals_in_no_pass, &orders.intervals),
        leftover(&verdict.nodes_no_interval_reaches, &orders.nodes),
        leftover(&verdict.kernels_no_node_names, &orders.kernels),
    ];
    for group in &verdict.gaps {
        let mut members: Vec<String> =
            group.members.iter().map(|member| format!("{} ×{}", pointer(&member.pointer), member.chains)).collect();
        members.sort();
        lines.push(format!("{:?} {} {} ×{} {members:?}", group.hop, group.pointer, group.reason, group.chains));
    }
    for group in &verdict.terminals {
        lines.push(format!("{:?} {:?} {} ×{}", group.hop, group.code, group.reason, group.chains));
    }
    lines.join("\n")
}

/// A failure prints its recipe; nothing is kept beside the test.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        open(&bytes);
        let mut gzip = vec![0x1f, 0x8b, 8, 0];
        gzip.extend(bytes);
        open(&gzip);
    }

    #[test]
    fn no_spoilt_bundle_panics(recipe in recipes(false), edits in edits()) {
        let mut bytes = write(&recipe::run(&recipe, &Orders::plain(&recipe)));
        apply(&mut bytes, &edits);
        open(&bytes);
    }

    #[test]
    fn no_spoilt_gzip_panics(recipe in recipes(false), edits in edits(), cut in any::<Index>()) {
        let whole = write_gzip(&recipe::run(&recipe, &Orders::plain(&recipe)));
        prop_assert!(read(&whole[..cut.index(whole.len())]).is_err());
        let mut bytes = whole;
        apply(&mut bytes, &edits);
        open(&bytes);
    }

}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn no_run_panics(recipe in recipes(true), columns in prop::collection::vec(any::<(u8, bool)>(), 0..4)) {
        let mut run = recipe::run(&recipe, &Orders::plain(&recipe));
        spoil(&mut run, &columns);
        ask_everything(&run);
        // What a reader makes of it is sound, whatever it was.
        open(&write(&run));
    }

    #[test]
    fn writing_and_reading_gives_the_same_run(recipe in recipes(false)) {
        let run = recipe::run(&recipe, &Orders::plain(&recipe));
        let problems = validate(&run);
        prop_assert_eq!(problems, []);
        let mut packed = Vec::new();
        write_packed(&run, &mut packed).unwrap();
        for bytes in [write(&run), write_gzip(&run), packed] {
            let opened = read(&bytes).unwrap();
            prop_assert_eq!(opened.errors().count(), 0);
            // Without the two runs in the message: the recipe says more.
            prop_assert!(opened.run == run);
            prop_assert!(opened.set_aside.is_empty());
        }
        prop_assert_eq!(write(&read(&write(&run)).unwrap().run), write(&run));
    }

    #[test]
    fn the_verdict_does_not_depend_on_the_order_of_rows(recipe in recipes(false), seed in any::<u64>()) {
        let (plain, shuffled) = (Orders::plain(&recipe), Orders::shuffled(&recipe, seed));
        let (one, other) = (recipe::run(&recipe, &plain), recipe::run(&recipe, &shuffled));
        let judge = |run: &Run, orders: &Orders| in_recipe_rows(&verdict(run, None, ComputedBy::Page), orders);
        prop_assert_eq!(judge(&one, &plain), judge(&other, &shuffled));
        let all = |run: &Run, orders: &Orders| {
            let mut all: Vec<String> =
                verdicts_all(run, ComputedBy::Page).iter().map(|verdict| in_recipe_rows(verdict, orders)).collect();
            all.sort();
            all
        };
        prop_assert_eq!(all(&one, &plain), all(&other, &shuffled));
    }

    /// The verdict, opened chains and rows share little code; all agree with the plain count of [`naive`].
    #[test]
    fn everybody_counts_alike(recipe in recipes(false)) {
        let run = recipe::run(&recipe, &Orders::plain(&recipe));
        let all = verdicts_all(&run, ComputedBy::CommandLine);
        prop_assert_eq!(all.len(), recipe.passes.len());
        let undecided = recipe
            .intervals
            .iter()
            .filter(|interval| matches!(naive::pass_of(&recipe, interval), Said::Null(_)))
            .count();
        for (pass, judged) in (0..).zip(&all) {
            prop_assert_eq!(judged, &verdict(&run, Some(pass), ComputedBy::CommandLine));
            let table = rows(&run, pass, 0..100);
            let mut count = [0_u64; 3];
            let mut place = 0;
            let mut tensors = 0;
            for (row, interval) in (0..).zip(&recipe.intervals) {
                if naive::pass_of(&recipe, interval) != Said::To(pass) {
                    continue;
                }
                let expected = naive::up(&recipe, interval);
                count[expected as usize] += 1;
                let opened = chain(&run, row).unwrap();
                prop_assert_eq!(opened.state, expected, "interval {}", row);
                prop_assert_eq!(table.rows[place].interval, row);
                prop_assert_eq!(table.rows[place].state, expected, "interval {}", row);
                let label = table.rows[place].label.map(|label| table.labels[label as usize].clone());
                prop_assert_eq!(&label, &opened.label, "interval {}", row);
                tensors += u64::from(table.rows[place].cells[5].targets > 0);
                let kinds = (opened.label.map(|label| label.kind), judged.weakest.as_ref().map(|label| label.kind));
                prop_assert!(kinds.0 <= kinds.1, "interval {}", row);
                place += 1;
            }
            prop_assert_eq!((table.total, table.rows.len()), (place, place));
            prop_assert_eq!(judged.reach_tensor, tensors);
            let whole = judged.up.total - place as u64;
            // Beside the intervals of the pass: those that may be of it, or one for a pass without any.
            let lost = judged.gaps.iter().any(|group| group.hop.word() == "interval_pass");
            prop_assert_eq!(whole > 0, lost);
            prop_assert!(whole == undecided as u64 || whole == 1 && (place == 0 || undecided > 0));
            prop_assert_eq!(judged.up.resolved, count[ChainState::Resolved as usize]);
            prop_assert_eq!(judged.up.terminal, count[ChainState::Terminal as usize]);
            prop_assert_eq!(judged.up.gap, count[ChainState::Gap as usize] + whole);

            let components = recipe.components.len() as u32;
            let reached = (0..components).filter(|component| naive::comes_down(&recipe, *component, pass)).count() as u64;
            let down = judged.down;
            prop_assert_eq!(down.total, u64::from(components.max(1)));
            prop_assert!(down.resolved <= reached && reached <= down.resolved + down.gap);
            for counts in [judged.up, down] {
                prop_assert_eq!(counts.resolved + counts.terminal + counts.gap, counts.total);
            }
            let fails = judged.up.gap + down.gap > 0;
            prop_assert_eq!(fails, !judged.gaps.is_empty());
            prop_assert_eq!(&judged.outcome, if fails { &Outcome::Fail } else { &Outcome::Pass });
            for group in &judged.gaps {
                prop_assert!(group.chains <= group.members.iter().map(|member| member.chains).sum::<u64>());
            }
        }
        let outside = recipe.intervals.iter().filter(|interval| !matches!(naive::pass_of(&recipe, interval), Said::To(_)));
        prop_assert_eq!(intervals_in_no_pass(&run).len(), outside.count());
    }
}
