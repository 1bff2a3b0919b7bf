//! Values and absences in HTML: the label's glyph, the value, what it opens to.

use tokenpath_core::fact::{Fact, Missing, Reading};
use tokenpath_core::{Label, LabelKind};

use crate::format;
use crate::html::{Markup, html};

/// The symbol of a label.
pub fn glyph_id(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Measured => "l-m",
        LabelKind::Reported => "l-r",
        LabelKind::Read => "l-f",
        LabelKind::Derived => "l-d",
        LabelKind::Inferred => "l-i",
        LabelKind::Estimated => "l-e",
    }
}

/// The glyph of a label, named for those who do not see it.
pub fn glyph(label: &Label) -> Markup {
    let name = label_text(label);
    html! {
        svg class="lb" role="img" aria-label=(name) { title { (name) } use href={ "#" (glyph_id(label.kind)) } {} }
    }
}

/// The label in words: the kind, and the clock, rule or source.
pub fn label_text(label: &Label) -> String {
    let joint = match label.kind {
        LabelKind::Measured => "by",
        LabelKind::Reported => "by",
        LabelKind::Read => "from",
        LabelKind::Derived => "as",
        LabelKind::Inferred => "by rule",
        LabelKind::Estimated => "by",
    };
    if label.detail.is_empty() {
        label.kind.word().to_owned()
    } else {
        format!("{} {joint} {}", label.kind.word(), label.detail)
    }
}

/// A value or absence, inline: glyph and text; the exact value on hovering.
pub fn value(reading: &Reading) -> Markup {
    match reading {
        Ok(fact) => known(fact),
        Err(missing) => absent(missing),
    }
}

/// A known value, inline.
pub fn known(fact: &Fact) -> Markup {
    html! {
        span class="v" title=[format::exact(&fact.quantity)] { (glyph(&fact.label)) (format::quantity(&fact.quantity)) }
    }
}

/// A known text, in the flow of a sentence: the glyph, then the words, which may wrap.
pub fn known_text(fact: &Fact) -> Markup {
    html! { (glyph(&fact.label)) (format::quantity(&fact.quantity)) }
}

/// A value that opens: a derived one to its formula and inputs, an absent one to its reason.
pub fn opening(reading: &Reading) -> Markup {
    match reading {
        Ok(fact) => match &fact.formula {
            None => known(fact),
            Some(_) => html! {
                details class="op" {
                    summary { (known(fact)) }
                    (formula(fact))
                }
            },
        },
        Err(missing) => absent(missing),
    }
}

/// The formula of a derived value: the expression, its inputs with their labels, the weakest of them.
pub fn formula(fact: &Fact) -> Markup {
    let Some(formula) = &fact.formula else { return html! {} };
    html! {
        div class="formula" {
            p { code { (formula.text) } }
            dl class="kv" {
                @for (name, input) in &formula.inputs {
                    dt { (name) }
                    dd { span class="v" { (glyph(&input.label)) (format::exact(&input.quantity).unwrap_or_else(|| format::quantity(&input.quantity))) } }
                }
            }
            @if let Some(weakest) = formula.weakest() {
                p { "As strong as its weakest input: " (glyph(weakest)) (label_text(weakest)) "." }
            }
        }
    }
}

/// An absent value: a dash over a dotted rule that opens the reason. Works without scripts.
pub fn absent(missing: &Missing) -> Markup {
    html! {
        details class="ab" {
            summary aria-label={ "absent: " (missing.reason) } title=(missing.reason) { "\u{2014}" }
            (why(missing))
        }
    }
}

/// An absent value where many stand side by side: the dash alone, its reason on hovering and for screen readers.
pub fn absent_short(missing: &Missing) -> Markup {
    html! { span class="ab" role="img" aria-label={ "absent: " (missing.reason) } title=(missing.reason) { "\u{2014}" } }
}

/// A reason in place, with the pointer where the value would stand.
pub fn why(missing: &Missing) -> Markup {
    html! { div class="why" { (missing.reason) code { (missing.pointer) } } }
}

/// A definition list of captions and readings.
pub fn pairs(rows: &[(String, Reading)]) -> Markup {
    html! {
        dl class="kv" {
            @for (caption, reading) in rows {
                dt { (caption) }
                dd { (opening(reading)) }
            }
        }
    }
}
