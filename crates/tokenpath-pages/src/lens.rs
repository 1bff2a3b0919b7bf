//! The lenses: their order, names and addresses.

/// A lens of the page, in the order of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lens {
    /// What the recording is, its coverage, derived figures, verdict and absences.
    Run,
    /// The request on the client's clock.
    Request,
    /// A column per pass.
    Passes,
    /// Components, tensors and bytes.
    Model,
    /// One layer.
    Block,
    /// Every node.
    Nodes,
    /// Every kernel.
    Kernels,
    /// Named ranges and API calls.
    Host,
    /// The trace clock.
    Timeline,
    /// The token under test, hop by hop.
    Traversal,
}

impl Lens {
    /// All lenses in the order of the navigation.
    pub const ALL: [Lens; 10] = [
        Lens::Run,
        Lens::Request,
        Lens::Passes,
        Lens::Model,
        Lens::Block,
        Lens::Nodes,
        Lens::Kernels,
        Lens::Host,
        Lens::Timeline,
        Lens::Traversal,
    ];

    /// The name in addresses.
    pub fn slug(self) -> &'static str {
        match self {
            Lens::Run => "run",
            Lens::Request => "request",
            Lens::Passes => "passes",
            Lens::Model => "model",
            Lens::Block => "block",
            Lens::Nodes => "nodes",
            Lens::Kernels => "kernels",
            Lens::Host => "ranges",
            Lens::Timeline => "timeline",
            Lens::Traversal => "traversal",
        }
    }

    /// The lens with that slug.
    pub fn from_slug(slug: &str) -> Option<Lens> {
        Lens::ALL.into_iter().find(|lens| lens.slug() == slug)
    }

    /// The name in the navigation.
    pub fn name(self) -> &'static str {
        match self {
            Lens::Run => "Run",
            Lens::Request => "Request timing",
            Lens::Passes => "Passes",
            Lens::Model => "Model anatomy",
            Lens::Block => "Transformer block",
            Lens::Nodes => "Graph nodes",
            Lens::Kernels => "Kernels",
            Lens::Host => "Ranges and API",
            Lens::Timeline => "Timeline",
            Lens::Traversal => "Traversal",
        }
    }

    /// The sections of the bundle that the lens draws; an error in one of them stands in the lens's place.
    pub fn sections(self) -> &'static [&'static str] {
        match self {
            Lens::Run => &["identity"],
            Lens::Request => &["request"],
            Lens::Passes => &["passes"],
            Lens::Model => &["model"],
            Lens::Block | Lens::Nodes => &["graph"],
            Lens::Kernels => &["kernels", "timeline"],
            Lens::Host | Lens::Timeline => &["timeline"],
            Lens::Traversal => &["timeline", "graph"],
        }
    }
}
