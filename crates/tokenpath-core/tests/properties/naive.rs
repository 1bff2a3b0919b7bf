//! What a chain comes to, told from a recipe in the plainest way: loops over everything, nothing shared with the crate.

use tokenpath_core::traverse::ChainState;

use crate::recipe::{IntervalRecipe, Recipe, Said};

/// The pass of an interval.
pub(crate) fn pass_of(recipe: &Recipe, interval: &IntervalRecipe) -> Said<u32> {
    recipe.one(&interval.pass, recipe.passes.len(), true)
}

/// The candidate nodes of an interval, or whether the way to them has a gap.
fn candidates(recipe: &Recipe, interval: &IntervalRecipe) -> (Vec<u32>, bool) {
    let mut gap = false;
    let mut members = None;
    match recipe.one(&interval.submission, recipe.submissions.len(), true) {
        Said::To(submission) => match recipe.set(submission) {
            Said::To(set) => match recipe.members(set) {
                Said::To(nodes) if !nodes.is_empty() => members = Some(nodes),
                _ => gap = true,
            },
            _ => gap = true,
        },
        Said::End(_) => {}
        Said::Null(_) => gap = true,
    }
    let kernel = recipe.one(&interval.kernel, recipe.kernels.into(), true);
    gap |= matches!(kernel, Said::Null(_));
    let supplied = recipe.supplied(interval).filter(|nodes| !nodes.is_empty());
    if let Some(nodes) = supplied {
        return (nodes, gap);
    }
    let (Some(members), Said::To(kernel)) = (members, kernel) else { return (Vec::new(), gap) };
    let fits = |node: &u32| matches!(recipe.runs(*node), Said::To(kernels) if kernels.contains(&kernel));
    let nodes: Vec<u32> = members.into_iter().filter(fits).collect();
    let none = nodes.is_empty();
    (nodes, gap || none)
}

/// How the chain of an interval of a pass ends.
pub(crate) fn up(recipe: &Recipe, interval: &IntervalRecipe) -> ChainState {
    let (nodes, mut gap) = candidates(recipe, interval);
    let mut layer = false;
    for node in nodes {
        let tensors = match recipe.reads(node) {
            Said::To(tensors) => tensors,
            Said::End(_) => continue,
            Said::Null(_) => {
                gap = true;
                continue;
            }
        };
        for tensor in tensors {
            match recipe.component(tensor) {
                Said::To(component) => match recipe.layer(component) {
                    Said::To(_) => layer = true,
                    Said::End(_) => {}
                    Said::Null(_) => gap = true,
                },
                _ => gap = true,
            }
        }
    }
    match (gap, layer) {
        (true, _) => ChainState::Gap,
        (false, true) => ChainState::Resolved,
        (false, false) => ChainState::Terminal,
    }
}

/// Whether a way leads from a component down to an interval of the pass.
pub(crate) fn comes_down(recipe: &Recipe, component: u32, pass: u32) -> bool {
    let Said::To(graph) = recipe.one(&recipe.passes[pass as usize].graph, recipe.graphs.into(), false) else {
        return false;
    };
    let executes = |interval: &IntervalRecipe, node: u32, kernel: u32| {
        let ran = recipe.one(&interval.kernel, recipe.kernels.into(), true);
        let is_it = !matches!(ran, Said::To(other) if other != kernel);
        is_it && candidates(recipe, interval).0.contains(&node)
    };
    (0..recipe.tensors.len() as u32).filter(|tensor| recipe.component(*tensor) == Said::To(component)).any(|tensor| {
        (0..recipe.nodes.len() as u32).any(|node| {
            let of_graph = u32::from(recipe.nodes[node as usize].graph) % u32::from(recipe.graphs) == graph;
            let reads = matches!(recipe.reads(node), Said::To(tensors) if tensors.contains(&tensor));
            let Said::To(kernels) = recipe.runs(node) else { return false };
            of_graph
                && reads
                && kernels.iter().any(|kernel| {
                    recipe.intervals.iter().any(|interval| {
                        pass_of(recipe, interval) == Said::To(pass) && executes(interval, node, *kernel)
                    })
                })
        })
    })
}
