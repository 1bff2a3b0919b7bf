//! The template language, named only here, and the small pieces every lens uses.

pub use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use tokenpath_core::derive::part::Part;

/// The CSS class that fills a shape with a part's colour and texture.
pub fn part_class(part: Part) -> &'static str {
    match part {
        Part::Embedding => "f-emb",
        Part::Attention => "f-att",
        Part::FeedForward => "f-ffn",
        Part::Normalisation => "f-nrm",
        Part::CacheWrite => "f-kv",
        Part::Rotary => "f-pos",
        Part::Elementwise => "f-elt",
        Part::Unattributed => "f-un",
    }
}

/// A legend entry: a swatch of the part and its name.
pub fn part_key(part: Part) -> Markup {
    html! {
        span { (swatch(part_class(part))) (part.name()) }
    }
}

/// A swatch of the given fill class.
pub fn swatch(class: &str) -> Markup {
    html! { svg width="18" height="10" aria-hidden="true" { rect width="18" height="10" class=(class) {} } }
}

/// An inline use of one of the symbols of [`crate::page::symbols`].
pub fn symbol(id: &str, width: u32, height: u32, class: &str) -> Markup {
    html! {
        svg class=(class) width=(width) height=(height) aria-hidden="true" { use href={ "#" (id) } {} }
    }
}

/// A number for SVG attributes: two decimals at most, no exponent.
pub fn px(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A share of a drawing's width for SVG attributes, in per cent with three decimals.
pub fn pct(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0%".to_owned() } else { format!("{text}%") }
}
