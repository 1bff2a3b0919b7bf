//! Hops: the steps of a walk, each one relation.

use serde::{Serialize, Serializer};

/// One step of a walk. Every hop reads stored relations; which ones stands beside each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hop {
    /// Token → pass: `/traversal/pass`, or the middle decode pass. Counted only where it fails.
    TokenPass,
    /// Interval → pass: `/timeline/intervals/pass`.
    IntervalPass,
    /// Interval → submission: `/timeline/intervals/submission`.
    IntervalSubmission,
    /// Submission → node set: `/timeline/submissions/node_set`, then `/timeline/node_sets/nodes`.
    SubmissionNodeSet,
    /// Interval → kernel: `/timeline/intervals/kernel`.
    IntervalKernel,
    /// Interval → candidate nodes: `/timeline/intervals/nodes` where the producer supplies them, else the nodes of the
    /// node set whose `/graph/nodes/kernels` holds the interval's kernel.
    IntervalNodes,
    /// Node → tensors: `/graph/nodes/tensors`.
    NodeTensors,
    /// Tensor → component: `/model/tensors/component`.
    TensorComponent,
    /// Component → layer: `/model/components/layer`.
    ComponentLayer,
    /// Model → components: `/model/components`. Counted only where it fails.
    ModelComponents,
    /// Component → tensors: `/model/tensors/component`, read backwards.
    ComponentTensors,
    /// Tensor → nodes of the pass's graph: `/graph/nodes/tensors`, read backwards.
    TensorNodes,
    /// Node → kernels: `/graph/nodes/kernels`.
    NodeKernels,
    /// Kernel → intervals of the pass: the relations of [`Hop::IntervalNodes`], read backwards.
    KernelIntervals,
}

impl Hop {
    /// The hops from an interval up to a layer, in the order in which they are walked.
    pub const UP: [Hop; 8] = [
        Hop::IntervalPass,
        Hop::IntervalSubmission,
        Hop::SubmissionNodeSet,
        Hop::IntervalKernel,
        Hop::IntervalNodes,
        Hop::NodeTensors,
        Hop::TensorComponent,
        Hop::ComponentLayer,
    ];

    /// The hops from a component down to intervals, in the order in which they are walked.
    pub const DOWN: [Hop; 4] = [Hop::ComponentTensors, Hop::TensorNodes, Hop::NodeKernels, Hop::KernelIntervals];

    /// The word used in output; stable.
    pub fn word(self) -> &'static str {
        match self {
            Hop::TokenPass => "token_pass",
            Hop::IntervalPass => "interval_pass",
            Hop::IntervalSubmission => "interval_submission",
            Hop::SubmissionNodeSet => "submission_node_set",
            Hop::IntervalKernel => "interval_kernel",
            Hop::IntervalNodes => "interval_nodes",
            Hop::NodeTensors => "node_tensors",
            Hop::TensorComponent => "tensor_component",
            Hop::ComponentLayer => "component_layer",
            Hop::ModelComponents => "model_components",
            Hop::ComponentTensors => "component_tensors",
            Hop::TensorNodes => "tensor_nodes",
            Hop::NodeKernels => "node_kernels",
            Hop::KernelIntervals => "kernel_intervals",
        }
    }

    /// The hop in words for people, from → to.
    pub fn title(self) -> &'static str {
        match self {
            Hop::TokenPass => "token → pass",
            Hop::IntervalPass => "interval → pass",
            Hop::IntervalSubmission => "interval → submission",
            Hop::SubmissionNodeSet => "submission → node set",
            Hop::IntervalKernel => "interval → kernel",
            Hop::IntervalNodes => "interval → candidate nodes",
            Hop::NodeTensors => "node → tensors",
            Hop::TensorComponent => "tensor → component",
            Hop::ComponentLayer => "component → layer",
            Hop::ModelComponents => "model → components",
            Hop::ComponentTensors => "component → tensors",
            Hop::TensorNodes => "tensor → nodes",
            Hop::NodeKernels => "node → kernels",
            Hop::KernelIntervals => "kernel → intervals",
        }
    }

    /// Whether the hop leads down, from the model to intervals.
    pub fn is_down(self) -> bool {
        self >= Hop::ModelComponents
    }
}

impl Serialize for Hop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}
