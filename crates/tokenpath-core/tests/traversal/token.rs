//! Which pass is the token under test's.

use tokenpath_core::Label;
use tokenpath_core::traverse::{TokenUnderTest, token_under_test};

use crate::world::world;

/// The row of the chosen pass, by the pass's name.
fn chosen(text: &str, name: &str) {
    let world = world(text);
    let expected = TokenUnderTest { pass: world.row("pass", name), label: Label::derived("middle decode pass") };
    assert_eq!(token_under_test(&world.run), Ok(expected), "{text}");
}

#[test]
fn a_named_pass_is_taken_as_stored() {
    let run = world("pass a decode\npass b decode\npass c decode\ntoken 2").run;
    assert_eq!(token_under_test(&run), Ok(TokenUnderTest { pass: 2, label: Label::reported("world") }));
}

#[test]
fn else_the_middle_decode_pass() {
    chosen("pass a decode", "a");
    // Of an even number the later of the two in the middle.
    chosen("pass a decode\npass b decode", "b");
    chosen("pass x prefill\npass a decode\npass b decode\npass c decode", "b");
    // In order of their start, whatever the order of rows.
    chosen("pass c decode start=30\npass a decode start=10\npass b decode start=20", "b");
}

#[test]
fn of_several_executions_the_one_with_intervals() {
    let text = "
        execution timed
        execution whole
        pass a decode execution=whole
        pass b decode execution=whole
        pass c decode execution=whole
        pass d decode execution=timed
        pass e decode execution=timed
        interval i pass=d
        interval j pass=e
    ";
    chosen(text, "e");
    // Per pass, not in all: three intervals of two passes are denser than four of three.
    let denser = format!(
        "{text}\ninterval k pass=d\ninterval l pass=a\ninterval m pass=a\ninterval n pass=b\ninterval o pass=c"
    );
    chosen(&denser, "e");
    // None has intervals: the execution that starts first.
    let silent = text.replace("interval i pass=d", "").replace("interval j pass=e", "");
    chosen(&silent, "b");
}

#[test]
fn without_one_the_missing_pointer_is_named() {
    let missing = |text: &str| token_under_test(&world(text).run).unwrap_err().pointer;
    assert_eq!(missing("pass a prefill"), "/traversal/pass");
    assert_eq!(missing("pass a unknown\npass b prefill"), "/passes/rows/kind");
    assert_eq!(missing("pass a decode\ntoken 5"), "/traversal/pass");
}
