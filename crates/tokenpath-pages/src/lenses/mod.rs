//! One file per lens, each with one public function: a context in, markup out.

mod block;
mod host;
mod kernels;
mod model;
mod nodes;
mod passes;
mod request;
mod run;
mod timeline;
mod traversal;

pub use model::ModelFacts;

use crate::html::Markup;
use crate::lens::Lens;
use crate::page::Context;

/// The content of a lens.
pub fn render(lens: Lens, cx: &Context<'_>) -> Markup {
    match lens {
        Lens::Run => run::page(cx),
        Lens::Request => request::page(cx),
        Lens::Passes => passes::page(cx),
        Lens::Model => model::page(cx),
        Lens::Block => block::page(cx),
        Lens::Nodes => nodes::page(cx),
        Lens::Kernels => kernels::page(cx),
        Lens::Host => host::page(cx),
        Lens::Timeline => timeline::page(cx),
        Lens::Traversal => traversal::page(cx),
    }
}
