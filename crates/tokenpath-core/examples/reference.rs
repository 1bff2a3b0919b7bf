//! Prints `spec/02-bundle.md` with its tables made anew from the declarations:
//! `cargo run -p tokenpath-core --example reference > 02-bundle.md`, which is then put in its place.

use std::io::{Error, Write as _};

use tokenpath_core::bundle::{REFERENCE_BEGINS, REFERENCE_ENDS, reference};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/02-bundle.md");

fn main() -> std::io::Result<()> {
    let document = std::fs::read_to_string(DOCUMENT)?;
    let marker = |name| Error::other(format!("{DOCUMENT} has no marker {name}"));
    let (before, rest) = document.split_once(REFERENCE_BEGINS).ok_or_else(|| marker(REFERENCE_BEGINS))?;
    let (_, after) = rest.split_once(REFERENCE_ENDS).ok_or_else(|| marker(REFERENCE_ENDS))?;
    let made = format!("{before}{REFERENCE_BEGINS}\n\n{}\n\n{REFERENCE_ENDS}{after}", reference().trim());
    std::io::stdout().write_all(made.as_bytes())
}
