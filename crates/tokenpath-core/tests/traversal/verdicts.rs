//! Verdicts: what passes, what fails and with which gaps, what is neither.

use tokenpath_core::bundle::validate;
use tokenpath_core::model::{Graph, Identity, Kernels, NodeSets, Passes, Timeline, Weights};
use tokenpath_core::traverse::{
    ChainCounts, ComputedBy, Outcome, Verdict, intervals_in_no_pass, verdict, verdicts_all,
};
use tokenpath_core::{Absence, Item, ReasonCode, Run};

use crate::world::{SOUND, sound_but, world};

fn judge(run: &Run) -> Verdict {
    verdict(run, None, ComputedBy::CommandLine)
}

/// Each group of gaps as `hop pointer: reason ×chains`, with the members' pointers when the group's is starred.
fn gaps(verdict: &Verdict) -> Vec<String> {
    let line = |group: &tokenpath_core::traverse::GapGroup| {
        let members: Vec<&str> = group.members.iter().map(|member| member.pointer.as_str()).collect();
        let members = if group.pointer.contains('*') { members.join(" ") } else { String::new() };
        let text = format!("{} {}: {} ×{} {members}", group.hop.word(), group.pointer, group.reason, group.chains);
        text.trim().to_owned()
    };
    verdict.gaps.iter().map(line).collect()
}

fn counts(total: u64, resolved: u64, terminal: u64, gap: u64) -> ChainCounts {
    ChainCounts { total, resolved, terminal, gap }
}

fn rows(leftover: &tokenpath_core::traverse::Leftover) -> Vec<(&str, &[u32])> {
    leftover.groups.iter().map(|group| (group.reason.as_str(), group.rows.as_slice())).collect()
}

#[test]
fn a_sound_world_passes() {
    let run = world(SOUND).run;
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(verdict.up, counts(6, 2, 4, 0));
    assert_eq!(verdict.down, counts(3, 3, 0, 0));
    assert_eq!(verdict.reach_tensor, 4);
    let terminals: Vec<String> = verdict
        .terminals
        .iter()
        .map(|group| format!("{} {} ×{} {}", group.hop.word(), group.reason, group.chains, group.first.unwrap()))
        .collect();
    assert_eq!(
        terminals,
        [
            "interval_kernel It ends: copy. ×1 interval:5",
            "node_tensors It ends: no-weight. ×1 interval:3",
            "component_layer It ends: no-layer. ×2 interval:0",
        ]
    );
    assert_eq!(verdict.intervals_in_no_pass.count, Some(0));
    assert_eq!(rows(&verdict.nodes_no_interval_reaches), [("It ends: no-kernel.", &[4][..])]);
    assert_eq!(verdict.kernels_no_node_names.count, Some(0));
    // Everything the world tells is reported; candidates are computed from it.
    assert!(verdict.weakest.unwrap().to_string().starts_with("derived:"));
}

/// One missing relation at a time: the verdict fails with exactly the gaps that it causes, up and down.
#[test]
fn each_missing_relation_is_named() {
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["interval i1 pass=?lost submission=u0 kernel=norm"],
            &[
                "interval_pass /timeline/intervals/pass/*: lost ×1 /timeline/intervals/pass/1",
                "kernel_intervals /timeline/intervals/pass/*: lost ×1 /timeline/intervals/pass/1",
            ],
        ),
        (
            &["interval i1 pass=p submission=?lost kernel=norm"],
            &[
                "interval_submission /timeline/intervals/submission/*: lost ×1 /timeline/intervals/submission/1",
                "kernel_intervals /timeline/intervals/submission/*: lost ×1 /timeline/intervals/submission/1",
            ],
        ),
        (
            // Both intervals of the submission have the hop; the head's kernel is the only one that may hide there.
            &["submission u1 pass=p set=?lost"],
            &[
                "submission_node_set /timeline/submissions/node_set/*: lost ×2 /timeline/submissions/node_set/1",
                "kernel_intervals /timeline/submissions/node_set/*: lost ×1 /timeline/submissions/node_set/1",
            ],
        ),
        (
            &["set last nodes=?lost"],
            &[
                "submission_node_set /timeline/node_sets/nodes/*: lost ×2 /timeline/node_sets/nodes/1",
                "kernel_intervals /timeline/node_sets/nodes/*: lost ×1 /timeline/node_sets/nodes/1",
            ],
        ),
        (
            &["interval i2 pass=p submission=u0 kernel=?lost"],
            &[
                "interval_kernel /timeline/intervals/kernel/*: lost ×1 /timeline/intervals/kernel/2",
                "kernel_intervals /timeline/intervals/kernel/*: lost ×1 /timeline/intervals/kernel/2",
            ],
        ),
        (
            // The rotary node reads no weight, so no way down leads to it.
            &["interval i3 pass=p submission=u0 kernel=?lost"],
            &["interval_kernel /timeline/intervals/kernel/*: lost ×1 /timeline/intervals/kernel/3"],
        ),
        (
            &["node q reads=q_w runs=?lost"],
            &[
                "interval_nodes /graph/nodes/kernels/*: lost ×1 /graph/nodes/kernels/2",
                "node_kernels /graph/nodes/kernels/*: lost ×1 /graph/nodes/kernels/2",
            ],
        ),
        (
            // Every node says what it runs as, none names this kernel: only the producer could say.
            &["kernel other", "interval i3 pass=p submission=u0 kernel=#4"],
            &[
                "interval_nodes /timeline/intervals/nodes/*: No node of the submission's node set names the kernel of the interval. ×1 /timeline/intervals/nodes/3",
            ],
        ),
        (
            &["node norm reads=?lost runs=norm"],
            &[
                "node_tensors /graph/nodes/tensors/*: lost ×1 /graph/nodes/tensors/1",
                "tensor_nodes /graph/nodes/tensors/*: lost ×1 /graph/nodes/tensors/1",
            ],
        ),
        (
            // The layer has another tensor, so the way down leads on.
            &["tensor norm_w of=?lost"],
            &["tensor_component /model/tensors/component/*: lost ×1 /model/tensors/component/1"],
        ),
        (
            &["tensor embd of=?lost"],
            &[
                "tensor_component /model/tensors/component/*: lost ×1 /model/tensors/component/0",
                "component_tensors /model/tensors/component/*: lost ×1 /model/tensors/component/0",
            ],
        ),
        (
            &["component block layer=?lost"],
            &["component_layer /model/components/layer/*: lost ×2 /model/components/layer/1"],
        ),
        (&["pass p decode graph=?lost"], &["tensor_nodes /passes/rows/graph/*: lost ×3 /passes/rows/graph/0"]),
        (
            // Two lost kernels for one reason: two members up; down either may hide the node, so the column is named.
            &["interval i1 pass=p submission=u0 kernel=?lost", "interval i2 pass=p submission=u0 kernel=?lost"],
            &[
                "interval_kernel /timeline/intervals/kernel/*: lost ×2 /timeline/intervals/kernel/1 /timeline/intervals/kernel/2",
                "kernel_intervals /timeline/intervals/kernel: lost ×1",
            ],
        ),
        (
            &["interval i1 pass=p submission=u0 kernel=?lost", "interval i2 pass=p submission=u0 kernel=?hidden"],
            &[
                "interval_kernel /timeline/intervals/kernel/*: hidden ×1 /timeline/intervals/kernel/2",
                "interval_kernel /timeline/intervals/kernel/*: lost ×1 /timeline/intervals/kernel/1",
                "kernel_intervals /timeline/intervals/kernel: Several cells of the column are null, for different reasons. ×1",
            ],
        ),
    ];
    for (changes, expected) in cases {
        let run = sound_but(changes).run;
        assert_eq!(validate(&run), [], "{changes:?}");
        let verdict = judge(&run);
        assert_eq!(gaps(&verdict), *expected, "{changes:?}");
        assert_eq!(verdict.outcome, Outcome::Fail, "{changes:?}");
        let members: usize = verdict.gaps.iter().map(|group| group.members.len()).sum();
        assert_eq!(verdict.gap_count(), members as u64);
    }
}

#[test]
fn a_missing_column_is_named_as_a_whole() {
    let mut run = world(SOUND).run;
    run.graph.nodes.tensors = Default::default();
    run.graph.nodes.tensors_end = Default::default();
    run.absent.push(Absence::new("/graph/nodes/tensors", ReasonCode::NotSupplied, "No model file was given."));
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(
        gaps(&verdict),
        [
            "node_tensors /graph/nodes/tensors: No model file was given. ×5",
            "tensor_nodes /graph/nodes/tensors: No model file was given. ×3",
        ]
    );
    assert_eq!(verdict.up, counts(6, 0, 1, 5));
    assert_eq!(verdict.down, counts(3, 0, 0, 3));
}

#[test]
fn a_missing_section_is_named_as_a_whole() {
    let mut run = world(SOUND).run;
    run.model = Weights::default();
    run.graph.nodes.tensors = Default::default();
    for (pointer, reason) in [("/model", "no model"), ("/graph/nodes/tensors", "no tensors")] {
        run.absent.push(Absence::new(pointer, ReasonCode::NotSupplied, reason));
    }
    run.absent.retain(|absence| !absence.pointer.starts_with("/model/"));
    assert_eq!(validate(&run), []);
    // `rope` and the copy still end at their answers.
    assert_eq!(
        gaps(&judge(&run)),
        ["node_tensors /graph/nodes/tensors: no tensors ×4", "model_components /model: no model ×1"]
    );

    let mut run = world(SOUND).run;
    run.timeline = Timeline::default();
    run.absent.retain(|absence| !absence.pointer.starts_with("/timeline"));
    run.absent.push(Absence::new("/timeline", ReasonCode::NotRecorded, "no trace"));
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(gaps(&verdict), ["interval_pass /timeline: no trace ×1", "kernel_intervals /timeline: no trace ×3"]);
    assert_eq!(verdict.intervals_in_no_pass.count, None);
    assert_eq!(verdict.intervals_in_no_pass.reason.as_deref(), Some("no trace"));
}

#[test]
fn user_mode_is_neither_pass_nor_fail() {
    let run = Run {
        identity: Identity { capture_mode: Some("user".to_owned()), ..world(SOUND).run.identity },
        absent: vec![Absence::new("/passes", ReasonCode::Depth, "User mode ends at the request.")],
        ..Run::default()
    };
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::NotApplicable { reason: "User mode ends at the request.".to_owned() });
    assert_eq!(verdict.up, ChainCounts::default());
    // Not zero: not told.
    assert_eq!(verdict.intervals_in_no_pass.count, None);
    assert!(verdicts_all(&run, ComputedBy::Page).is_empty());
}

#[test]
fn levels_absent_by_depth_are_neither_pass_nor_fail() {
    let mut run = world(SOUND).run;
    run.graph = Graph::default();
    run.timeline.node_sets = NodeSets::default();
    run.timeline.submissions.node_set = Default::default();
    run.passes.rows.graph = Default::default();
    run.absent.retain(|absence| !absence.pointer.starts_with("/graph"));
    let depth = "This capture does not reach the graph.";
    for pointer in ["/graph", "/timeline/node_sets", "/timeline/submissions/node_set", "/passes/rows/graph"] {
        run.absent.push(Absence::new(pointer, ReasonCode::Depth, depth));
    }
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::NotApplicable { reason: depth.to_owned() });
    // One further gap, for another reason, is a fail.
    run.timeline.intervals.kernel = [None, Some(1), Some(2), Some(3), Some(2), None].into_iter().collect();
    run.absent.push(Absence::new("/timeline/intervals/kernel/0", ReasonCode::Lost, "lost"));
    assert_eq!(validate(&run), []);
    assert_eq!(judge(&run).outcome, Outcome::Fail);
}

#[test]
fn a_lab_run_without_a_token_under_test_fails_with_one_gap() {
    let cases: &[(&str, &str)] = &[
        (
            "pass p prefill",
            "token_pass /traversal/pass: The bundle names no token under test, and no pass of the run is a decode pass. ×1",
        ),
        ("pass p unknown", "token_pass /passes/rows/kind: The world does not tell. ×1"),
    ];
    for (change, expected) in cases {
        let verdict = judge(&sound_but(&[change]).run);
        assert_eq!(verdict.outcome, Outcome::Fail);
        assert_eq!(gaps(&verdict), [*expected]);
        assert_eq!((verdict.up, verdict.down), (counts(1, 0, 0, 1), ChainCounts::default()));
        assert_eq!(verdict.pass, None);
    }
    let mut run = world(SOUND).run;
    run.passes = Passes::default();
    run.absent = vec![Absence::new("/passes", ReasonCode::Undecided, "no step ranges")];
    assert_eq!(gaps(&judge(&run)), ["token_pass /passes: no step ranges ×1"]);
    run.absent = vec![Absence::new("/passes", ReasonCode::Depth, "too deep")];
    assert_eq!(judge(&run).outcome, Outcome::NotApplicable { reason: "too deep".to_owned() });
}

#[test]
fn a_pass_without_intervals_does_not_pass() {
    let run = sound_but(&["pass q decode start=5000", "token 1"]).run;
    let verdict = judge(&run);
    assert_eq!(verdict.pass, Some(1));
    assert_eq!(
        gaps(&verdict),
        ["interval_pass /timeline/intervals/pass: No interval of the run falls in this pass. ×1"]
    );
    assert_eq!(verdict.up, counts(1, 0, 0, 1));
    // The relations down are complete: no interval of this pass runs anything.
    assert_eq!(verdict.down, counts(3, 0, 3, 0));
    let absent = verdict_of(&run, 7);
    assert_eq!(absent.outcome, Outcome::Fail);
    assert_eq!(gaps(&absent), ["token_pass /passes/rows: There is no pass 7: the bundle holds 2 passes. ×1"]);
}

fn verdict_of(run: &Run, pass: u32) -> Verdict {
    verdict(run, Some(pass), ComputedBy::Page)
}

#[test]
fn several_candidates_are_all_walked() {
    // `k` and `v` may both have run as the second matmul; v's tensor has no component.
    let world = sound_but(&[
        "tensor k_w of=block",
        "tensor v_w of=?lost",
        "kernel small",
        "node k reads=k_w runs=small",
        "node v reads=v_w runs=small",
        "set third nodes=k,v",
        "submission u2 pass=p set=third",
        "interval i6 pass=p submission=u2 kernel=small",
        "interval i7 pass=p submission=u2 kernel=small",
    ]);
    assert_eq!(validate(&world.run), []);
    let verdict = judge(&world.run);
    // Both intervals meet the gap of one of their two candidates, though the other reaches a layer.
    assert_eq!(gaps(&verdict), ["tensor_component /model/tensors/component/*: lost ×2 /model/tensors/component/5"]);
    assert_eq!(verdict.up, counts(8, 2, 4, 2));
    assert_eq!(verdict.reach_tensor, 6);
    assert_eq!(verdict.gaps[0].members[0].first, Some(Item::Interval(6)));
}

#[test]
fn nodes_that_the_producer_supplies_need_no_kernel() {
    // The kernel of i2 is not known, its node is: the kernel is a gap, the chain goes on to the layer and back down.
    let run = sound_but(&["interval i2 pass=p submission=u0 kernel=?lost nodes=q"]).run;
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(gaps(&verdict), ["interval_kernel /timeline/intervals/kernel/*: lost ×1 /timeline/intervals/kernel/2"]);
    assert_eq!(verdict.reach_tensor, 4);
    assert_eq!(verdict.down, counts(3, 3, 0, 0));
    // A kernel that ended at an answer does not end the chain when the node is known.
    let run = sound_but(&["interval i5 pass=p submission=u1 kernel=!copy nodes=head"]).run;
    assert_eq!(judge(&run).outcome, Outcome::Pass);
    assert_eq!(judge(&run).reach_tensor, 5);
}

#[test]
fn an_alternative_kernel_that_did_not_run_is_an_answer() {
    let run = sound_but(&["kernel wide", "node q reads=q_w runs=matmul,#4"]).run;
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::Pass);
    let found = verdict.terminals.iter().find(|group| group.code.as_deref() == Some("ran-as-other-kernel"));
    assert_eq!(found.map(|group| group.chains), Some(1));
}

#[test]
fn intervals_in_no_pass_are_told_apart() {
    let run = sound_but(&[
        "interval i6 pass=!before-the-first submission=u0 kernel=norm",
        "interval i7 pass=!before-the-first submission=u0 kernel=norm",
    ])
    .run;
    assert_eq!(validate(&run), []);
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!((verdict.intervals_in_no_pass.count, verdict.intervals_in_no_pass.of), (Some(2), Some(8)));
    assert_eq!(verdict.intervals_in_no_pass.groups[0].reason, "It ends: before-the-first.");
    assert_eq!(intervals_in_no_pass(&run), [6, 7]);

    // Not known to be in a pass: they may be of this one.
    let run = sound_but(&[
        "interval i6 pass=?cut submission=u0 kernel=norm",
        "interval i7 pass=?cut submission=u0 kernel=norm",
    ])
    .run;
    let verdict = judge(&run);
    assert_eq!(gaps(&verdict), ["interval_pass /timeline/intervals/pass: cut ×2"]);
    assert_eq!(verdict.up, counts(8, 2, 4, 2));
    assert_eq!(intervals_in_no_pass(&run), [6, 7]);
}

#[test]
fn a_sparse_instrument_ends_ways_down() {
    // Without i2 nothing ran the query projection.
    let without = SOUND.replace("interval i2 pass=p submission=u0 kernel=matmul", "");
    for (timing, code) in
        [("sparse", "sparse-instrument"), ("none", "timing-not-complete"), ("complete", "not-executed")]
    {
        let run = world(&format!("timing {timing}\n{without}")).run;
        let verdict = judge(&run);
        assert_eq!(verdict.outcome, Outcome::Pass, "{timing}");
        let down: Vec<Option<&str>> =
            verdict.terminals.iter().filter(|group| group.hop.is_down()).map(|group| group.code.as_deref()).collect();
        assert_eq!(down, [Some(code)]);
        let left = &verdict.nodes_no_interval_reaches;
        assert_eq!((left.count, left.of), (Some(2), Some(6)));
        assert!(left.groups.iter().any(|group| group.rows == [2]));
    }
    // A complete instrument that lost part of the pass does not answer.
    let run = world(&format!("unrecorded 100 200 overflow\n{without}")).run;
    assert_eq!(gaps(&judge(&run)), ["kernel_intervals /timeline/intervals: overflow ×1"]);
    let run = world(&format!("unrecorded 1100 1200 overflow\n{without}")).run;
    assert_eq!(judge(&run).outcome, Outcome::Pass);
}

#[test]
fn kernels_that_no_node_names_are_told() {
    let run = sound_but(&["kernel stray"]).run;
    let verdict = judge(&run);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(
        rows(&verdict.kernels_no_node_names),
        [("No node names it, and every node says which kernels it runs as.", &[4][..])]
    );
    let mut run = run;
    run.kernels = Kernels::default();
    run.absent.push(Absence::new("/kernels", ReasonCode::Lost, "gone"));
    let verdict = judge(&run);
    assert_eq!(
        (verdict.kernels_no_node_names.count, verdict.kernels_no_node_names.reason.as_deref()),
        (None, Some("gone"))
    );
}

#[test]
fn references_that_lead_nowhere_are_gaps() {
    let cases = [
        ("interval i1 pass=#9 submission=u0 kernel=norm", "interval_pass", "/timeline/intervals/pass/1"),
        ("interval i1 pass=p submission=#9 kernel=norm", "interval_submission", "/timeline/intervals/submission/1"),
        ("interval i1 pass=p submission=u0 kernel=#9", "interval_kernel", "/timeline/intervals/kernel/1"),
        ("interval i1 pass=p submission=u0 kernel=norm nodes=#1,#9", "interval_nodes", "/timeline/intervals/nodes/1"),
        ("submission u1 pass=p set=#9", "submission_node_set", "/timeline/submissions/node_set/1"),
        ("set last nodes=#9", "submission_node_set", "/timeline/node_sets/nodes/1"),
        ("node q reads=q_w runs=#9", "interval_nodes", "/graph/nodes/kernels/2"),
        ("node q reads=#9 runs=matmul", "node_tensors", "/graph/nodes/tensors/2"),
        ("tensor q_w of=#9", "tensor_component", "/model/tensors/component/2"),
        ("pass p decode graph=#9", "tensor_nodes", "/passes/rows/graph/0"),
        ("component block layer=#4294967295", "component_layer", "/model/components/layer/1"),
    ];
    for (change, hop, pointer) in cases {
        let run = sound_but(&[change]).run;
        let verdict = judge(&run);
        let found = verdict.gaps.iter().find(|group| group.hop.word() == hop);
        let pointers = found.map(|group| group.members.iter().map(|member| member.pointer.as_str()).collect());
        assert_eq!(pointers, Some(vec![pointer]), "{change}");
        assert!(
            found.is_some_and(|group| group.reason.starts_with("The reference points past the end of ")),
            "{change}"
        );
    }
    let mut run = world(SOUND).run;
    run.timeline.intervals.kernel_end = [None, None, None, None, None, Some(9)].into_iter().collect();
    let verdict = judge(&run);
    assert_eq!(
        gaps(&verdict),
        [
            "interval_kernel /timeline/intervals/kernel_end/*: The reference points past the end of /traversal/ends. ×1 /timeline/intervals/kernel_end/5"
        ]
    );
    run.traversal.pass = Some(9);
    assert_eq!(gaps(&judge(&run)), ["token_pass /traversal/pass: The bundle names pass 9, and it holds 1 passes. ×1"]);
}

#[test]
fn an_empty_list_without_an_answer_is_a_gap() {
    let run = sound_but(&["node q reads=[] runs=matmul"]).run;
    assert_eq!(
        gaps(&judge(&run)),
        [
            "node_tensors /graph/nodes/tensors_end/*: The list is empty, and the bundle does not say why. ×1 /graph/nodes/tensors_end/2",
            "tensor_nodes /graph/nodes/tensors_end/*: The list is empty, and the bundle does not say why. ×1 /graph/nodes/tensors_end/2",
        ]
    );
}
