//! Replacing content in a real document: what the person holds stays.
#![cfg(target_arch = "wasm32")]
// A test of the browser that cannot go on should fail.
#![allow(clippy::unwrap_used)]

use tokenpath_web::set_region;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Document, HtmlElement, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

fn document() -> Document {
    web_sys::window().unwrap().document().unwrap()
}

fn region(html: &str) -> HtmlElement {
    let element: HtmlElement = document().create_element("div").unwrap().dyn_into().unwrap();
    document().body().unwrap().append_child(&element).unwrap();
    set_region(&document(), &element, html, true);
    element
}

fn input(id: &str) -> HtmlInputElement {
    document().get_element_by_id(id).unwrap().dyn_into().unwrap()
}

#[wasm_bindgen_test]
fn the_result_is_what_was_asked_for() {
    let steps = [
        "<p>one</p>",
        "<p class=\"on\">one</p><p>two</p>",
        "<ul><li id=\"a\">x</li><li id=\"b\">y</li></ul>",
        "<ul><li id=\"b\">y</li></ul>text<!--c-->",
        "",
        "<table><tbody><tr><td>1</td></tr></tbody></table>",
        "<table><tbody><tr><td>1</td><td>2</td></tr><tr class=\"on\"><td>3</td></tr></tbody></table>",
        "<svg width=\"4\"><rect x=\"1\"></rect></svg>",
        "<svg width=\"5\"><circle r=\"1\"></circle><rect x=\"2\"></rect></svg>",
    ];
    let element = region("");
    for step in steps {
        set_region(&document(), &element, step, false);
        assert_eq!(element.inner_html(), step);
    }
    element.remove();
}

#[wasm_bindgen_test]
fn a_stand_in_leaves_what_is_there() {
    let first =
        r##"<section><a href="#model?sel=layer:1&amp;q=7">1</a><a href="#model">m</a></section><section>2</section>"##;
    let element = region(first);
    let section = element.first_element_child().unwrap();
    let other = r#"<section data-same data-was="&amp;q=7" data-now="&amp;q=7.f"></section><section>3</section>"#;
    set_region(&document(), &element, other, false);
    let ended = first.replace("q=7", "q=7.f");
    assert_eq!(element.inner_html(), ended.replace(">2<", ">3<"));
    set_region(&document(), &element, "<section data-same></section><section>4</section>", false);
    assert_eq!(element.inner_html(), ended.replace(">2<", ">4<"));
    assert!(element.first_element_child().unwrap().is_same_node(Some(&section)), "it stays the same element");
    element.remove();
}

#[wasm_bindgen_test]
fn the_filter_keeps_focus_caret_and_what_was_typed() {
    let element = region("<input id=\"q\" type=\"search\" value=\"\"><p>all</p>");
    let filter = input("q");
    filter.focus().unwrap();
    filter.set_value("ffn");
    filter.set_selection_range(1, 1).unwrap();
    set_region(&document(), &element, "<input id=\"q\" type=\"search\" value=\"ff\"><p>fewer</p><p>rows</p>", false);
    assert!(input("q").is_same_node(Some(&filter)), "it stays the same element");
    assert_eq!(document().active_element().unwrap().id(), "q");
    assert_eq!((filter.value().as_str(), filter.selection_start().unwrap()), ("ffn", Some(1)));
    element.remove();
}

#[wasm_bindgen_test]
fn a_field_that_is_not_in_use_takes_the_new_value() {
    let element = region("<input id=\"f\" value=\"a\">");
    input("f").set_value("typed");
    set_region(&document(), &element, "<input id=\"f\" value=\"b\">", false);
    assert_eq!(input("f").value(), "b");
    element.remove();
}

#[wasm_bindgen_test]
fn a_link_drawn_anew_keeps_the_focus_by_its_id() {
    let element = region("<a id=\"to-run\" href=\"#run\">Run</a>");
    document().get_element_by_id("to-run").unwrap().unchecked_into::<HtmlElement>().focus().unwrap();
    set_region(&document(), &element, "<b>x</b><a id=\"to-run\" href=\"#run\">Run</a>", true);
    assert_eq!(document().active_element().unwrap().id(), "to-run");
    element.remove();
}
