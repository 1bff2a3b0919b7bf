//! How prefill and decode were told apart, and whether the runtime counts the same.

use super::join::in_request;
use super::{Group, count_of, pass_under_test};
use crate::derive::disagreement::Disagreement;
use crate::derive::request;
use crate::fact::{Fact, Quantity, Reading};
use crate::model::Run;

/// How passes were told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// The rule or source.
    pub method: Reading,
    /// Decode steps that the runtime counted.
    pub runtime_decode_steps: Reading,
    /// Where the count of passes and the runtime differ.
    pub disagreements: Vec<Disagreement>,
}

/// Reads the classification and compares it with what the runtime and the server counted.
pub fn classification(run: &Run, groups: &[Group]) -> Classification {
    let stored = &run.passes.classification;
    let steps = run.reading(
        stored.runtime_decode_steps.map(Quantity::Count),
        stored.label("runtime_decode_steps"),
        "/passes/classification/runtime_decode_steps",
    );
    Classification {
        method: run.reading(
            stored.method.clone().map(Quantity::Text),
            stored.label("method"),
            "/passes/classification/method",
        ),
        disagreements: disagreements(run, groups, &steps),
        runtime_decode_steps: steps,
    }
}

/// The passes executed as that of the token under test.
pub fn group_under_test<'g>(run: &Run, groups: &'g [Group]) -> Option<&'g Group> {
    let pass = pass_under_test(run)?;
    groups.iter().find(|group| group.passes.contains(&pass))
}

fn disagreements(run: &Run, groups: &[Group], steps: &Reading) -> Vec<Disagreement> {
    let mut found = Vec::new();
    if groups.is_empty() {
        return found;
    }
    let inside: Vec<u32> =
        groups.iter().flat_map(|group| &group.decode).copied().filter(|pass| in_request(run, *pass)).collect();
    let counted = count_of(run, &inside);
    let stored = run.passes.classification.disagreement.clone();
    if let Ok(steps) = steps
        && steps.quantity != counted.quantity
    {
        found.push(Disagreement {
            what: "The number of decode passes".to_owned(),
            difference: difference(&counted, steps),
            readings: vec![
                ("the runtime counts decode steps".to_owned(), steps.clone()),
                ("the recording holds decode passes".to_owned(), counted.clone()),
            ],
            may_mean: stored.clone().unwrap_or_else(|| {
                "Passes may lie outside the recording, or the rule may take one kind for the other.".to_owned()
            }),
        });
    } else if let Some(text) = stored {
        found.push(Disagreement {
            what: "The classification".to_owned(),
            difference: None,
            readings: vec![("the recording holds decode passes".to_owned(), counted.clone())],
            may_mean: text,
        });
    }
    // One token a pass: the last prefill pass gives the first token, each decode pass one more.
    let single = inside.iter().all(|pass| run.passes.rows.tokens.get(*pass as usize) == Some(1));
    let prefilled = groups.iter().flat_map(|group| &group.prefill).any(|pass| in_request(run, *pass));
    if let Ok(generated) = request::counter(run, "generated_tokens")
        && single
        && prefilled
        && let Quantity::Count(passes) = counted.quantity
        && Quantity::Count(passes.saturating_add(1)) != generated.quantity
    {
        let made = Fact::derived(
            Quantity::Count(passes.saturating_add(1)),
            "decode passes + 1: the prefill gives the first token, each decode pass one more",
            vec![("decode passes".to_owned(), counted)],
        );
        found.push(Disagreement {
            what: "The number of tokens".to_owned(),
            difference: difference(&made, &generated),
            readings: vec![
                ("the passes make tokens".to_owned(), made),
                ("the server reports generated tokens".to_owned(), generated),
            ],
            may_mean: "A pass may lie outside the recording, or the server may count a closing token that no pass \
                       after it takes in."
                .to_owned(),
        });
    }
    found
}

/// How far two counts are apart.
fn difference(ours: &Fact, theirs: &Fact) -> Option<Fact> {
    let (Quantity::Count(a), Quantity::Count(b)) = (&ours.quantity, &theirs.quantity) else { return None };
    let apart = i64::try_from(a.abs_diff(*b)).ok()?;
    let inputs = vec![("one".to_owned(), ours.clone()), ("the other".to_owned(), theirs.clone())];
    Some(Fact::derived(Quantity::Count(apart), "|one − the other|", inputs))
}
