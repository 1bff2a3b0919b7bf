//! The smallest bundles: what is refused, what opens, and that writing gives back what was read.

use tokenpath_core::bundle::{ReadError, read, write};

#[test]
fn small() {
    assert!(matches!(read(b"   "), Err(ReadError::Blank { bytes: 3 })));
    assert!(matches!(read(b"{}"), Err(ReadError::NotABundle { .. })));
    let opened = read(br#"{"tokenpath":1,"identity":{"id":"a","title":"t","capture_mode":"user"}}"#).unwrap();
    for problem in &opened.problems {
        println!("{problem}");
    }
    let again = read(&write(&opened.run)).unwrap();
    assert_eq!(again.run, opened.run);
}
