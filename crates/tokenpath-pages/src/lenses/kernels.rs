//! The lens Kernels. Being built.

use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, lens_head};

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let _ = cx;
    lens_head(&html! { (Lens::Kernels.name()) }, &html! { "" })
}
