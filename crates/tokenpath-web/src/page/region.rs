//! Replacing the content of a region while keeping what the person holds: focus, caret, scroll.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTemplateElement, Node};

/// The element whose content is a script's: the timeline's stage.
const DRAWN: &str = "timeline";
/// The attribute of a section's stand-in, which the engine sends (`tokenpath_pages::page::stand_in`).
const STAYS: &str = "data-same";

/// Gives `element` the content `html`.
///
/// A fresh region is replaced as a whole. Otherwise only what differs is touched: an element that stays keeps its
/// focus, its caret and its scroll position because it stays the same element.
pub fn set(document: &Document, element: &HtmlElement, html: &str, fresh: bool) {
    if fresh {
        replace(document, element, html);
        return;
    }
    let template = document.create_element("template").ok().and_then(|t| t.dyn_into::<HtmlTemplateElement>().ok());
    let Some(template) = template else { return replace(document, element, html) };
    template.set_inner_html(html);
    align_children(document, element, &template.content());
}

fn replace(document: &Document, element: &HtmlElement, html: &str) {
    let focused = document.active_element().filter(|active| element.contains(Some(active))).map(|active| active.id());
    element.set_inner_html(html);
    // A link of the navigation is drawn anew when it is used, and keeps the focus.
    if let Some(id) = focused.filter(|id| !id.is_empty())
        && let Some(again) = document.get_element_by_id(&id).and_then(|e| e.dyn_into::<HtmlElement>().ok())
    {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = again.focus_with_options(&options);
    }
}

fn align_children(document: &Document, old: &Node, new: &Node) {
    let mut next_old = old.first_child();
    let mut next_new = new.first_child();
    loop {
        match (next_old.take(), next_new.take()) {
            (Some(a), Some(b)) => {
                next_old = a.next_sibling();
                next_new = b.next_sibling();
                align(document, old, &a, &b);
            }
            (Some(a), None) => {
                next_old = a.next_sibling();
                let _ = old.remove_child(&a);
            }
            (None, Some(b)) => {
                next_new = b.next_sibling();
                let _ = old.append_child(&b);
            }
            (None, None) => return,
        }
    }
}

/// Makes `a`, a child of `parent`, like `b`.
fn align(document: &Document, parent: &Node, a: &Node, b: &Node) {
    if let (Some(old), Some(new)) = (a.dyn_ref::<Element>(), b.dyn_ref::<Element>())
        && new.has_attribute(STAYS)
    {
        if let (Some(was), Some(now)) = (new.get_attribute("data-was"), new.get_attribute("data-now")) {
            end_links(old, &was, &now);
        }
        return;
    }
    if a.is_equal_node(Some(b)) {
        return;
    }
    match (a.dyn_ref::<Element>(), b.dyn_ref::<Element>()) {
        (Some(old), Some(new)) if old.tag_name() == new.tag_name() && old.id() == new.id() => {
            align_attributes(old, new);
            // What a script drew in place of the static drawing is not the lens's to change.
            if new.id() != DRAWN {
                align_children(document, a, b);
            }
            align_value(document, old, new);
        }
        (None, None) if a.node_type() == b.node_type() => a.set_node_value(b.node_value().as_deref()),
        _ => {
            let _ = parent.replace_child(b, a);
        }
    }
}

/// Lets the links within `element` that end with `was` end with `now`.
fn end_links(element: &Element, was: &str, now: &str) {
    let Ok(links) = element.query_selector_all("a[href]") else { return };
    for link in (0..links.length()).filter_map(|at| links.get(at)?.dyn_into::<Element>().ok()) {
        let href = link.get_attribute("href").unwrap_or_default();
        if let Some(rest) = href.strip_suffix(was) {
            let _ = link.set_attribute("href", &format!("{rest}{now}"));
        }
    }
}

fn align_attributes(old: &Element, new: &Element) {
    if new.id() == DRAWN {
        return;
    }
    for name in old.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        if !new.has_attribute(&name) {
            let _ = old.remove_attribute(&name);
        }
    }
    for name in new.get_attribute_names().iter().filter_map(|name| name.as_string()) {
        let value = new.get_attribute(&name).unwrap_or_default();
        if old.get_attribute(&name).as_ref() != Some(&value) {
            let _ = old.set_attribute(&name, &value);
        }
    }
}

/// What was typed or chosen is no attribute. The element being used keeps it; another takes the new one.
fn align_value(document: &Document, old: &Element, new: &Element) {
    if document.active_element().is_some_and(|active| active.is_same_node(Some(old))) {
        return;
    }
    if let (Some(old), Some(new)) = (old.dyn_ref::<HtmlInputElement>(), new.dyn_ref::<HtmlInputElement>()) {
        old.set_value(&new.default_value());
        old.set_checked(new.default_checked());
    }
    if let Some(select) = old.dyn_ref::<HtmlSelectElement>()
        && let Ok(Some(chosen)) = new.query_selector("option[selected]")
    {
        select.set_value(&chosen.get_attribute("value").unwrap_or_else(|| chosen.text_content().unwrap_or_default()));
    }
}
