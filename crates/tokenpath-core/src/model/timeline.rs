//! What lies on the trace clock.

use crate::column::{Ints, RefLists, Refs, Texts};
use crate::record::{Kind, Null};
use crate::table::{record, table};

record! {
    /// The timeline, in nanoseconds on the trace clock.
    pub struct Timeline at "/timeline" {
        /// Start of the capture.
        start: Option<i64> = Kind::Ns, Null::Explained;
        /// End of the capture.
        end: Option<i64> = Kind::Ns, Null::Explained;
    }
    parts {
        /// Queues and streams.
        queues: Queues, Null::Explained;
        /// Sets of nodes that are submitted together.
        node_sets: NodeSets, Null::Explained;
        /// Submissions.
        submissions: Submissions, Null::Explained;
        /// GPU segments.
        segments: Segments, Null::Explained;
        /// Intervals.
        intervals: Intervals, Null::Explained;
        /// Time that the instrument did not record.
        unrecorded: Unrecorded, Null::Free;
        /// API calls.
        calls: Calls, Null::Explained;
        /// Memory copies.
        copies: Copies, Null::Explained;
        /// Named ranges.
        ranges: Ranges, Null::Explained;
        /// Rows dropped or outside the capture, counted.
        left_out: LeftOut, Null::Free;
    }
}

table! {
    /// Queues and streams.
    pub struct Queues at "/timeline/queues" {
        /// A name for people.
        name: Texts = Kind::Text, Null::Never;
        /// `cpu` or `gpu`.
        side: Texts = Kind::Word(&["cpu", "gpu"]), Null::Never;
    }
}

table! {
    /// Sets of nodes that are submitted together; submissions share them.
    pub struct NodeSets at "/timeline/node_sets" {
        /// The nodes, in encode order.
        nodes: RefLists = Kind::Refs("/graph/nodes"), Null::Explained;
    }
}

table! {
    /// Submissions in order of their start: a Metal command buffer, a CUDA launch or graph launch, a call that computes a graph.
    pub struct Submissions at "/timeline/submissions" {
        /// What was submitted, in words.
        kind: Texts = Kind::Text, Null::Never;
        /// Start of its encode interval, the CPU side.
        start: Ints = Kind::Ns, Null::Explained;
        /// End of its encode interval.
        end: Ints = Kind::Ns, Null::Explained;
        /// The pass it belongs to.
        pass: Refs = Kind::Ref("/passes/rows"), Null::Explained;
        /// The nodes it carries.
        node_set: Refs = Kind::Ref("/timeline/node_sets"), Null::Explained;
        /// The driver's own object (command buffer id, correlation id).
        handle: Ints = Kind::Count, Null::Explained;
    }
}

table! {
    /// GPU segments in order of their start: stretches in which the GPU worked on one submission.
    pub struct Segments at "/timeline/segments" {
        /// The submission.
        submission: Refs = Kind::Ref("/timeline/submissions"), Null::Explained;
        /// Start.
        start: Ints = Kind::Ns, Null::Explained;
        /// End.
        end: Ints = Kind::Ns, Null::Explained;
        /// The queue or stream.
        queue: Refs = Kind::Ref("/timeline/queues"), Null::Explained;
    }
}

table! {
    /// Intervals in order of their start: one recorded kernel execution each, or one shader tick.
    pub struct Intervals at "/timeline/intervals" {
        /// Start.
        start: Ints = Kind::Ns, Null::Never;
        /// Duration; a tick has none.
        duration: Ints = Kind::Ns, Null::Explained;
        /// The pass it fell in.
        pass: Refs = Kind::Ref("/passes/rows"), Null::EndedBy("pass_end");
        /// Why it belongs to no pass.
        pass_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The submission that caused it.
        submission: Refs = Kind::Ref("/timeline/submissions"), Null::EndedBy("submission_end");
        /// Why no submission caused it.
        submission_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The GPU segment it lies in.
        segment: Refs = Kind::Ref("/timeline/segments"), Null::Explained;
        /// The kernel.
        kernel: Refs = Kind::Ref("/kernels"), Null::EndedBy("kernel_end");
        /// Why it ran no kernel.
        kernel_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The nodes it executed, where the producer knows them: several when operations were fused.
        nodes: RefLists = Kind::Refs("/graph/nodes"), Null::Free;
        /// The queue or stream, where there is no segment.
        queue: Refs = Kind::Ref("/timeline/queues"), Null::Free;
    }
}

table! {
    /// Stretches of time that the instrument did not record: neither idle nor busy.
    pub struct Unrecorded at "/timeline/unrecorded" {
        /// Start.
        start: Ints = Kind::Ns, Null::Never;
        /// End.
        end: Ints = Kind::Ns, Null::Never;
        /// Why, in words.
        reason: Texts = Kind::Text, Null::Never;
    }
}

table! {
    /// API calls on CPU threads.
    pub struct Calls at "/timeline/calls" {
        /// The name as recorded.
        name: Texts = Kind::Text, Null::Never;
        /// Start.
        start: Ints = Kind::Ns, Null::Never;
        /// Duration.
        duration: Ints = Kind::Ns, Null::Explained;
        /// The thread.
        thread: Ints = Kind::Count, Null::Free;
        /// The submission it made, if it made one.
        submission: Refs = Kind::Ref("/timeline/submissions"), Null::Free;
    }
}

table! {
    /// Memory copies.
    pub struct Copies at "/timeline/copies" {
        /// The kind: host to device and so on, in the instrument's words.
        kind: Texts = Kind::Text, Null::Never;
        /// Start.
        start: Ints = Kind::Ns, Null::Never;
        /// Duration.
        duration: Ints = Kind::Ns, Null::Explained;
        /// Bytes copied.
        bytes: Ints = Kind::Bytes, Null::Explained;
        /// The queue or stream.
        queue: Refs = Kind::Ref("/timeline/queues"), Null::Free;
    }
}

table! {
    /// Named ranges (NVTX, roctx, signposts).
    pub struct Ranges at "/timeline/ranges" {
        /// The name as recorded.
        name: Texts = Kind::Text, Null::Never;
        /// Start.
        start: Ints = Kind::Ns, Null::Never;
        /// Duration; an open range or a mark has none.
        duration: Ints = Kind::Ns, Null::Explained;
        /// The thread.
        thread: Ints = Kind::Count, Null::Free;
    }
}

table! {
    /// What the source held and the run leaves out: rows dropped, outside the capture, not understood.
    pub struct LeftOut at "/timeline/left_out" {
        /// What, in words.
        what: Texts = Kind::Text, Null::Never;
        /// How many.
        count: Ints = Kind::Count, Null::Never;
        /// Why, in words.
        reason: Texts = Kind::Text, Null::Never;
    }
}
