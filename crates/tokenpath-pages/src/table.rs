//! Long tables: sortable heads, filter fields. Everything that changes the view is a plain link or a field
//! whose parameter the shell sets.

use tokenpath_core::fact::Reading;
use tokenpath_core::{Label, LabelKind};

use crate::format;
use crate::html::{Markup, html};
use crate::page::Context;
use crate::value::{absent_short, glyph, known};

/// The `sort` parameter: a key, descending when it starts with `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort<'a> {
    /// The key; empty for the table's own order.
    pub key: &'a str,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl<'a> Sort<'a> {
    /// The sorting of a view.
    pub fn of(cx: &Context<'a>) -> Sort<'a> {
        let text = cx.view.param("sort").unwrap_or("");
        match text.strip_prefix('-') {
            Some(key) => Sort { key, descending: true },
            None => Sort { key: text, descending: false },
        }
    }
}

/// A column's head that sorts by `key`: the first click in the given direction, the next the other way round.
pub fn sort_head(cx: &Context<'_>, caption: &str, key: &str, numeric: bool, descending_first: bool) -> Markup {
    sorting(cx, caption, key, numeric, descending_first, None)
}

/// The same for numbers that all carry one label, which stands here once; the largest first.
pub fn sort_head_labelled(cx: &Context<'_>, caption: &str, key: &str, label: &Label) -> Markup {
    sorting(cx, caption, key, true, true, Some(label))
}

fn sorting(
    cx: &Context<'_>,
    caption: &str,
    key: &str,
    numeric: bool,
    descending_first: bool,
    label: Option<&Label>,
) -> Markup {
    let now = Sort::of(cx);
    let active = now.key == key;
    let descending = if active { !now.descending } else { descending_first };
    let target = if descending { format!("-{key}") } else { key.to_owned() };
    let state = match (active, now.descending) {
        (false, _) => None,
        (true, true) => Some("descending"),
        (true, false) => Some("ascending"),
    };
    html! {
        th scope="col" class=[numeric.then_some("n")] aria-sort=[state] {
            a class="sort" href=(cx.href(&cx.view.with("from", "").with("sort", &target))) {
                (caption)
                @match state {
                    Some("descending") => { span aria-hidden="true" { "\u{2009}\u{2193}" } }
                    Some(_) => { span aria-hidden="true" { "\u{2009}\u{2191}" } }
                    None => {}
                }
            }
            @if let Some(label) = label { " " (glyph(label)) }
        }
    }
}

/// A plain column head.
pub fn head(caption: &str, numeric: bool) -> Markup {
    html! { th scope="col" class=[numeric.then_some("n")] { (caption) } }
}

/// The head of a column whose cells are all derived by one formula: the label stands here once for all of them.
pub fn derived_head(caption: &str, formula: &str) -> Markup {
    html! { th scope="col" class="n" { (caption) " " (glyph(&Label::derived(formula))) } }
}

/// The value of a cell whose column's head carries the label.
pub fn plain(reading: &Reading) -> Markup {
    match reading {
        // A value that is weaker than derived keeps a label of its own.
        Ok(fact) if fact.label.kind > LabelKind::Derived => known(fact),
        Ok(fact) => {
            html! { span class="v" title=[format::exact(&fact.quantity)] { (format::quantity(&fact.quantity)) } }
        }
        Err(missing) => absent_short(missing),
    }
}

/// A search field for the parameter `q`.
pub fn search(cx: &Context<'_>, id: &str, caption: &str) -> Markup {
    html! {
        label class="field" for=(id) {
            span { (caption) }
            input type="search" id=(id) data-param="q" value=(cx.view.param("q").unwrap_or("")) autocomplete="off" spellcheck="false";
        }
    }
}

/// A choice among values of a parameter: (value, caption). The empty value is the parameter's absence.
pub fn choice(id: &str, caption: &str, param: &str, now: &str, options: &[(String, String)]) -> Markup {
    html! {
        label class="field" for=(id) {
            span { (caption) }
            select id=(id) data-param=(param) {
                @for (value, text) in options {
                    option value=(value) selected[value == now] { (text) }
                }
            }
        }
    }
}
