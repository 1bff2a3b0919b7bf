//! Prints `www/index.html`; `cargo xtask generate` writes it there.
#![allow(clippy::print_stdout, reason = "the page is the program's output")]

use tokenpath_pages::shell::{Assets, start_document};

fn main() {
    println!("{}", start_document(&Assets { style: "style.css", script: Some("boot.js"), bundle: None }));
}
