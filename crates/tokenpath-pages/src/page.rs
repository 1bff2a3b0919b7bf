//! What surrounds a lens: symbols, header, navigation, inspector frame, and the context every lens is drawn in.

use tokenpath_core::Run;
use tokenpath_core::derive::timeline::TimelineRows;
use tokenpath_core::item::Item;
use tokenpath_core::problem::Problem;
use tokenpath_core::traverse::Verdict;

use crate::html::{Markup, PreEscaped, html};
use crate::lens::Lens;
use crate::lenses::ModelFacts;
use crate::view::{Links, View};

/// What a lens is drawn from.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The run.
    pub run: &'a Run,
    /// What is wrong with its bundle.
    pub problems: &'a [Problem],
    /// What is shown.
    pub view: &'a View,
    /// How links are spelt.
    pub links: Links,
    /// The verdict on the token under test, where it has been computed.
    pub verdict: Option<&'a Verdict>,
    /// The rows of the timeline, where they have been laid out; the lens lays them out itself otherwise.
    pub timeline: Option<&'a TimelineRows>,
    /// What the lens Model anatomy needs of the run, where it has been computed; the lens computes it itself otherwise.
    pub model: Option<&'a ModelFacts>,
}

impl Context<'_> {
    /// The address of a view.
    pub fn href(&self, view: &View) -> String {
        self.links.href(view)
    }

    /// The address of another lens with the present selection.
    pub fn to(&self, lens: Lens) -> String {
        self.href(&self.view.to(lens))
    }

    /// The address of this lens with `item` selected.
    pub fn select(&self, item: Item) -> String {
        self.href(&self.view.select(item))
    }

    /// The address of another lens with `item` selected.
    pub fn follow(&self, lens: Lens, item: Item) -> String {
        self.href(&self.view.to(lens).select(item))
    }

    /// Whether `item` is selected.
    pub fn is_selected(&self, item: Item) -> bool {
        self.view.item == Some(item)
    }
}

/// The SVG symbols, patterns and markers that all drawings share; stands once in a document.
pub fn symbols() -> Markup {
    PreEscaped(include_str!("symbols.svg").to_owned())
}

/// The head of a lens: its finding as a title, then what is drawn and what it must not be read as.
pub fn lens_head(title: &Markup, text: &Markup) -> Markup {
    html! { header { h1 { (title) } p { (text) } } }
}

/// A titled figure.
pub fn figure(title: &str, aside: &Markup, body: &Markup) -> Markup {
    html! { section class="fig" { h2 { (title) small { (aside) } } (body) } }
}

/// What stands, in a lens that changed, for a section that is shown already. The links in it that end with `was` shall
/// end with `now`, where both are given and differ: the view has other parameters.
pub fn stand_in(was: &str, now: &str) -> Markup {
    if was == now || was.is_empty() || now.is_empty() {
        return html! { section data-same {} };
    }
    html! { section data-same data-was=(was) data-now=(now) {} }
}

/// A place that has nothing to draw: the title and the reason.
pub fn nothing(lens: Lens, missing: &tokenpath_core::fact::Missing) -> Markup {
    html! {
        (lens_head(&html! { (lens.name()) }, &html! { "This recording does not reach this level." }))
        (crate::value::why(missing))
    }
}
