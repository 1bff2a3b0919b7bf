//! Passes by launches that repeat: a thread that generates tokens launches the same kernels again and again, and waits for
//! the device in between, because it needs a token before it can launch the next pass.
//!
//! Layers repeat too, but few programs wait between them: that is what tells a pass from a layer, and where a program does,
//! that passes repeat as a whole. What repeats less often than [`TIMES`], or launches little, is no pass; a prefill pass,
//! which comes once, is not found in this way.

use std::collections::HashMap;

use super::{Origin, Passes, grouped};
use crate::import::source::Source;

/// So often in a row the same has to be launched.
pub(super) const TIMES: usize = 3;

/// So many stretches between waits may make up a pass: several in each of a hundred layers.
const MOST_WAITS: usize = 512;

/// So many comparisons at most are made to find how many do: a trace of millions of waits is not searched for long.
const MOST_STEPS: usize = 50_000_000;

/// So many kernels a pass has at least, unless it launches a whole graph: the smallest models take dozens.
const FEWEST_KERNELS: u32 = 8;

/// Calls that return only when the device has done something. Names are those of the runtime and of the driver without
/// what follows the first `_`: <https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html>.
const WAITS: [&str; 8] = [
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpy",
    "cuStreamSynchronize",
    "cuCtxSynchronize",
    "cuEventSynchronize",
    "cuMemcpyDtoH",
];

/// Whether a call of this name waits for the device.
pub(in crate::import) fn waits(name: &str) -> bool {
    WAITS.contains(&name.split('_').next().unwrap_or(name))
}

/// What a thread launched between two waits.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// The calls from here up to there, in the thread's list.
    from: usize,
    to: usize,
    /// Equal where the same kernels were launched in the same order.
    launched: u64,
    kernels: u32,
    graphs: bool,
}

/// The passes of the thread that launched most in them; none where nothing repeats.
pub(super) fn passes(source: &Source, waits: &[bool]) -> Passes {
    // What each call launched, as one number whatever the order: kernels of a graph may run in another one each time.
    let mut launched = vec![(0_u64, 0_u32, false); source.calls.len()];
    let ran = source.kernels.iter().map(|ran| (ran, false)).chain(source.graphs.iter().map(|ran| (ran, true)));
    for (ran, graph) in ran {
        let Some((sum, kernels, whole)) = ran.call().and_then(|call| launched.get_mut(call as usize)) else { continue };
        *sum = sum.wrapping_add(mixed(0, u64::from(ran.kernel)));
        *kernels += 1;
        *whole |= graph;
    }
    let mut by_thread: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, call) in source.calls.iter().enumerate() {
        by_thread.entry(call.thread).or_default().push(at);
    }
    let mut best: (u64, Vec<Option<usize>>) = (0, Vec::new());
    for calls in by_thread.values() {
        let waiting = |at: usize| source.calls.get(at).is_some_and(|call| waits.get(call.name as usize) == Some(&true));
        let stretches = stretches(calls, &launched, waiting);
        let (kernels, groups) = repeated(&stretches);
        if kernels > best.0 {
            let mut group_of = vec![None; source.calls.len()];
            for (stretch, group) in stretches.iter().zip(groups) {
                for at in calls.get(stretch.from..stretch.to).unwrap_or(&[]) {
                    if let Some(place) = group_of.get_mut(*at) {
                        *place = group;
                    }
                }
            }
            best = (kernels, group_of);
        }
    }
    grouped(source, &best.1, |_| Some(Origin::Repeated))
}

/// The stretches between waits in which something was launched.
fn stretches(calls: &[usize], launched: &[(u64, u32, bool)], waits: impl Fn(usize) -> bool) -> Vec<Stretch> {
    let mut out = Vec::new();
    let new = |from| Stretch { from, to: from, launched: 0, kernels: 0, graphs: false };
    let mut open = new(0);
    for (place, call) in calls.iter().enumerate() {
        if let Some((sum, kernels, graph)) = launched.get(*call).filter(|(_, kernels, _)| *kernels > 0) {
            open.launched = mixed(open.launched, *sum);
            open.kernels = open.kernels.saturating_add(*kernels);
            open.graphs |= graph;
        }
        open.to = place + 1;
        if waits(*call) {
            if open.kernels > 0 {
                out.push(open);
            }
            open = new(place + 1);
        }
    }
    if open.kernels > 0 {
        out.push(open);
    }
    out
}

/// To which repetition each stretch belongs, and how many kernels all of them launched. A program may wait in every layer,
/// and then passes of many stretches repeat, within which the same repeats as well: the period counts by which most is
/// launched in repetitions, and the shortest of equal ones.
fn repeated(stretches: &[Stretch]) -> (u64, Vec<Option<usize>>) {
    let mut best = (0, vec![None; stretches.len()]);
    let most = (MOST_STEPS / stretches.len().max(1)).clamp(1, MOST_WAITS).min(stretches.len() / TIMES);
    for period in 1..=most {
        let found = with_period(stretches, period);
        if found.0 > best.0 {
            best = found;
        }
    }
    best
}

fn with_period(stretches: &[Stretch], period: usize) -> (u64, Vec<Option<usize>>) {
    // For how many stretches from each on the one a period later is equal.
    let mut equal = vec![0_usize; stretches.len() + 1];
    for (at, pair) in stretches.iter().zip(stretches.get(period..).unwrap_or(&[])).enumerate().rev() {
        let (one, other) = pair;
        if (one.launched, one.kernels) == (other.launched, other.kernels) {
            let after = equal.get(at + 1).copied().unwrap_or(0);
            if let Some(place) = equal.get_mut(at) {
                *place = after + 1;
            }
        }
    }
    let mut groups = vec![None; stretches.len()];
    let (mut kernels, mut next, mut at) = (0, 0, 0);
    while let Some(block) = stretches.get(at..at + period) {
        let times = 1 + equal.get(at).copied().unwrap_or(0) / period;
        if times < TIMES || !is_pass(block) {
            at += 1;
            continue;
        }
        for stretch in at..at + period * times {
            if let (Some(group), Some(found)) = (groups.get_mut(stretch), stretches.get(stretch)) {
                *group = Some(next + (stretch - at) / period);
                kernels += u64::from(found.kernels);
            }
        }
        next += times;
        at += period * times;
    }
    (kernels, groups)
}

fn is_pass(stretches: &[Stretch]) -> bool {
    let kernels = stretches.iter().fold(0_u32, |sum, stretch| sum.saturating_add(stretch.kernels));
    kernels >= FEWEST_KERNELS || stretches.iter().any(|stretch| stretch.graphs)
}

/// Depends on both and on their order.
fn mixed(sum: u64, value: u64) -> u64 {
    (sum.rotate_left(5) ^ value.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(launched: u64, kernels: u32) -> Stretch {
        Stretch { from: 0, to: 0, launched, kernels, graphs: false }
    }

    fn groups(launched: &[u64]) -> Vec<Option<usize>> {
        repeated(&launched.iter().map(|launched| stretch(*launched, 10)).collect::<Vec<_>>()).1
    }

    #[test]
    fn what_comes_three_times_in_a_row_is_a_pass_each_time() {
        assert_eq!(groups(&[1, 2, 2, 2, 3]), [None, Some(0), Some(1), Some(2), None]);
        assert_eq!(groups(&[1, 2, 2, 3]), [None; 4]);
        // Two stretches a pass, three times; the seventh would begin a fourth.
        assert_eq!(groups(&[1, 2, 1, 2, 1, 2, 1]), [Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), None]);
        // Other kernels later, as when a longer context takes another one.
        assert_eq!(groups(&[1, 1, 1, 2, 2, 2, 2]), [0, 1, 2, 3, 4, 5, 6].map(Some));
        // A wait in every layer: three passes of a beginning, four layers and an end.
        let pass = |at| [Some(at); 6];
        assert_eq!(groups(&[9, 1, 1, 1, 1, 8].repeat(3)), [pass(0), pass(1), pass(2)].concat());
        assert_eq!(groups(&[]), []);
    }

    #[test]
    fn little_that_repeats_is_no_pass() {
        assert_eq!(repeated(&[stretch(1, 2); 9]).0, 0);
        let graph = Stretch { graphs: true, ..stretch(1, 1) };
        assert_eq!(repeated(&[graph; 3]), (3, [0, 1, 2].map(Some).to_vec()));
    }

    #[test]
    fn waits_are_known_by_their_names() {
        for name in ["cudaStreamSynchronize_v3020", "cudaStreamSynchronize_ptsz_v7000", "cuMemcpyDtoH_v2", "cudaMemcpy"]
        {
            assert!(waits(name), "{name}");
        }
        for name in ["cudaMemcpyAsync_v3020", "cudaEventQuery_v3020", "cudaLaunchKernel_v7000", ""] {
            assert!(!waits(name), "{name}");
        }
    }
}
