//! The stored relations of a run that walks read, each with its place, its labels and its reasons.

use super::gap::Gap;
use super::relation::{Many, One, Source, missing_level};
use super::strength::Strengths;
use crate::absence::AbsenceIndex;
use crate::label::Labels;
use crate::model::Run;

/// Every relation of one run. Building it costs a look at columns up to their first value; the absence list is indexed
/// before.
pub(super) struct Relations<'r> {
    pub(super) run: &'r Run,
    pub(super) strengths: Strengths,
    pub(super) interval_pass: One<'r>,
    pub(super) interval_submission: One<'r>,
    pub(super) interval_segment: One<'r>,
    pub(super) interval_kernel: One<'r>,
    pub(super) interval_nodes: Many<'r>,
    pub(super) segment_submission: One<'r>,
    pub(super) submission_pass: One<'r>,
    pub(super) submission_node_set: One<'r>,
    pub(super) node_set_nodes: Many<'r>,
    pub(super) pass_graph: One<'r>,
    pub(super) node_graph: One<'r>,
    pub(super) node_layer: One<'r>,
    pub(super) node_tensors: Many<'r>,
    pub(super) node_kernels: Many<'r>,
    pub(super) node_sources: Many<'r>,
    pub(super) tensor_component: One<'r>,
    pub(super) component_layer: One<'r>,
    /// The gap when the bundle holds no kernels.
    pub(super) no_kernels: Option<Gap>,
    /// The gap when the bundle holds no components.
    pub(super) no_components: Option<Gap>,
}

impl<'r> Relations<'r> {
    pub(super) fn new(run: &'r Run, absences: &'r AbsenceIndex<'r>) -> Relations<'r> {
        let strengths = Strengths::new(run);
        let (timeline, graph, model) = (&run.timeline, &run.graph, &run.model);
        let (pass, interval, segment) = (&run.passes.rows, &timeline.intervals, &timeline.segments);
        let (submission, set, node) = (&timeline.submissions, &timeline.node_sets, &graph.nodes);
        let (tensor, component) = (&model.tensors, &model.components);

        let source =
            |levels, rows, labels: &'r Labels| Source { run, absences, strengths: &strengths, levels, rows, labels };
        let on_timeline = ("/timeline", timeline.given);
        let in_graph = ("/graph", graph.given);
        let in_model = ("/model", model.given);
        let passes = source([("/passes", run.passes.given), ("/passes/rows", pass.given)], pass.rows(), &pass.labels);
        let intervals =
            source([on_timeline, ("/timeline/intervals", interval.given)], interval.rows(), &interval.labels);
        let segments = source([on_timeline, ("/timeline/segments", segment.given)], segment.rows(), &segment.labels);
        let submissions =
            source([on_timeline, ("/timeline/submissions", submission.given)], submission.rows(), &submission.labels);
        let sets = source([on_timeline, ("/timeline/node_sets", set.given)], set.rows(), &set.labels);
        let nodes = source([in_graph, ("/graph/nodes", node.given)], node.rows(), &node.labels);
        let components =
            source([in_model, ("/model/components", component.given)], component.rows(), &component.labels);
        let tensors = source([in_model, ("/model/tensors", tensor.given)], tensor.rows(), &tensor.labels);

        let to_pass = ("/passes/rows", pass.rows());
        let to_submission = ("/timeline/submissions", submission.rows());
        let to_segment = ("/timeline/segments", segment.rows());
        let to_set = ("/timeline/node_sets", set.rows());
        let to_kernel = ("/kernels", run.kernels.rows());
        let to_graph = ("/graph/graphs", graph.graphs.rows());
        let to_node = ("/graph/nodes", node.rows());
        let to_tensor = ("/model/tensors", tensor.rows());
        let to_component = ("/model/components", component.rows());

        let pass_end = Some(("/timeline/intervals/pass_end", &interval.pass_end));
        let submission_end = Some(("/timeline/intervals/submission_end", &interval.submission_end));
        let kernel_end = Some(("/timeline/intervals/kernel_end", &interval.kernel_end));
        let node_layer_end = Some(("/graph/nodes/layer_end", &node.layer_end));
        let tensors_end = Some(("/graph/nodes/tensors_end", &node.tensors_end));
        let kernels_end = Some(("/graph/nodes/kernels_end", &node.kernels_end));
        let layer_end = Some(("/model/components/layer_end", &component.layer_end));

        Relations {
            run,
            interval_pass: intervals.one("/timeline/intervals/pass", &interval.pass, pass_end, to_pass),
            interval_submission: intervals.one(
                "/timeline/intervals/submission",
                &interval.submission,
                submission_end,
                to_submission,
            ),
            interval_segment: intervals.one("/timeline/intervals/segment", &interval.segment, None, to_segment),
            interval_kernel: intervals.one("/timeline/intervals/kernel", &interval.kernel, kernel_end, to_kernel),
            interval_nodes: intervals.many("/timeline/intervals/nodes", &interval.nodes, None, to_node),
            segment_submission: segments.one("/timeline/segments/submission", &segment.submission, None, to_submission),
            submission_pass: submissions.one("/timeline/submissions/pass", &submission.pass, None, to_pass),
            submission_node_set: submissions.one("/timeline/submissions/node_set", &submission.node_set, None, to_set),
            node_set_nodes: sets.many("/timeline/node_sets/nodes", &set.nodes, None, to_node),
            pass_graph: passes.one("/passes/rows/graph", &pass.graph, None, to_graph),
            node_graph: nodes.one("/graph/nodes/graph", &node.graph, None, to_graph),
            node_layer: nodes.numbers("/graph/nodes/layer", &node.layer, node_layer_end),
            node_tensors: nodes.many("/graph/nodes/tensors", &node.tensors, tensors_end, to_tensor),
            node_kernels: nodes.many("/graph/nodes/kernels", &node.kernels, kernels_end, to_kernel),
            node_sources: nodes.many("/graph/nodes/sources", &node.sources, None, to_node),
            tensor_component: tensors.one("/model/tensors/component", &tensor.component, None, to_component),
            component_layer: components.numbers("/model/components/layer", &component.layer, layer_end),
            no_kernels: missing_level(absences, &[("/kernels", run.kernels.given)]),
            no_components: components.missing(),
            strengths,
        }
    }
}
