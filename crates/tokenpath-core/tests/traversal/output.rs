//! What leaves the crate: one code for everybody, and a stable JSON form.

use serde_json::json;
use tokenpath_core::Run;
use tokenpath_core::model::Identity;
use tokenpath_core::traverse::{ChainCounts, ComputedBy, Verdict, verdict, verdicts_all};

use crate::world::{SOUND, sound_but, world};

fn judge(run: &Run) -> Verdict {
    verdict(run, None, ComputedBy::CommandLine)
}

fn counts(total: u64, resolved: u64, terminal: u64, gap: u64) -> ChainCounts {
    ChainCounts { total, resolved, terminal, gap }
}

#[test]
fn all_passes_are_judged_alike() {
    let mut text = SOUND.to_owned();
    text.push_str(
        "pass q decode start=5000\nsubmission v pass=q set=first\ninterval j pass=q submission=v kernel=norm\n",
    );
    let run = world(&text).run;
    let all = verdicts_all(&run, ComputedBy::Generator);
    let one_by_one: Vec<Verdict> = (0..2).map(|pass| verdict(&run, Some(pass), ComputedBy::Generator)).collect();
    assert_eq!(all, one_by_one);
    assert_eq!(all[0].up, counts(6, 2, 4, 0));
    assert_eq!(all[1].up, counts(1, 1, 0, 0));
    // In q only the norm ran; of the layer's two ways down one leads to it.
    assert_eq!(all[1].down, counts(3, 1, 2, 0));
    // Whoever computes it, only the name differs.
    for by in [ComputedBy::Page, ComputedBy::CommandLine] {
        let other = verdict(&run, Some(0), by);
        assert_eq!(Verdict { computed_by: ComputedBy::Generator, ..other }, all[0]);
    }
}

/// The names are read by scripts: a change here is a change of the output's contract.
#[test]
fn the_json_form_is_stable() {
    let run = sound_but(&["interval i3 pass=p submission=u0 kernel=?lost"]).run;
    let value = serde_json::to_value(judge(&run)).unwrap();
    let weakest = "derived:nodes of the submission's node set that may run as the interval's kernel";
    let none = json!({"count": 0, "of": 6, "reason": null, "groups": []});
    let unreached = json!({"count": 2, "of": 6, "reason": null, "groups": [
        {"reason": "It ends: no-kernel.", "count": 1, "rows": [4]},
        {"reason": "lost", "count": 1, "rows": [3]},
    ]});
    assert_eq!(
        value,
        json!({
            "outcome": "fail",
            "computed_by": "command_line",
            "pass": 0,
            "pass_label": "derived:middle decode pass",
            "up": {"total": 6, "resolved": 2, "terminal": 3, "gap": 1},
            "reach_tensor": 4,
            "down": {"total": 3, "resolved": 3, "terminal": 0, "gap": 0},
            "weakest": weakest,
            "gaps": [{
                "hop": "interval_kernel",
                "pointer": "/timeline/intervals/kernel/*",
                "reason": "lost",
                "chains": 1,
                "members": [{"pointer": "/timeline/intervals/kernel/3", "chains": 1, "first": "interval:3"}],
            }],
            "terminals": [
                {"hop": "interval_kernel", "code": "copy", "reason": "It ends: copy.", "chains": 1, "first": "interval:5"},
                {"hop": "component_layer", "code": "no-layer", "reason": "It ends: no-layer.", "chains": 2, "first": "interval:0"},
            ],
            "intervals_in_no_pass": none,
            "nodes_no_interval_reaches": unreached,
            "kernels_no_node_names": {"count": 0, "of": 4, "reason": null, "groups": []},
        })
    );
    let user =
        Run { identity: Identity { capture_mode: Some("user".to_owned()), ..Identity::default() }, ..Run::default() };
    let value = serde_json::to_value(judge(&user)).unwrap();
    assert_eq!(value["outcome"], "not_applicable");
    assert_eq!(value["reason"], "The capture mode is user: it does not reach the levels beneath the request.");
}
