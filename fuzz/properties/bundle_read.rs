//! What holds for any bytes that are read as a bundle. The fuzz target and an ordinary test both check it.

use tokenpath_core::bundle::{read, validate, write};

/// Panics when it does not hold.
pub(crate) fn holds(bytes: &[u8]) {
    let Ok(opened) = read(bytes) else { return };
    // Whatever was wrong, what is left satisfies the specification.
    for problem in validate(&opened.run) {
        assert!(problem.rule.is_notice(), "after setting aside {:?}: {problem}", opened.set_aside);
    }
    // Writing it loses nothing, and gives the same bytes again.
    let written = write(&opened.run);
    let again = match read(&written) {
        Ok(again) => again,
        Err(error) => panic!("what was written is refused: {error}"),
    };
    assert_eq!(again.set_aside, Vec::<&str>::new(), "{:?}", again.problems);
    assert_eq!(again.run, opened.run);
    assert_eq!(write(&again.run), written);
    // The list of problems stays readable, and so does each of them.
    assert!(opened.problems.len() <= 1001, "{} problems", opened.problems.len());
    for problem in &opened.problems {
        assert!(problem.text.len() < 1000, "{problem}");
        assert!(!problem.to_string().chars().any(char::is_control), "{problem}");
    }
}
