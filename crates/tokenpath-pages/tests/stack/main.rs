//! The lenses from the model to its kernels, rendered natively on the reference captures.
//!
//! Snapshots hold the text of a lens without its markup, so that a person can review them; what they state is checked
//! against oracles in `tokenpath-core`'s tests.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod hostile;
mod large;
mod snapshots;
mod stated;
mod structure;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use tokenpath_core::{Run, bundle};
use tokenpath_pages::lenses;
use tokenpath_pages::page::Context;
use tokenpath_pages::view::{Links, View};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(case: &str) -> Run {
    let path = root().join("fixtures").join(case).join("run.json.gz");
    bundle::read(&fs::read(path).unwrap()).unwrap().run
}

fn render(run: &Run, fragment: &str) -> String {
    let view = View::parse(fragment);
    let context =
        Context { run, problems: &[], view: &view, links: Links::Fragment, verdict: None, timeline: None, model: None };
    lenses::render(view.lens, &context).into_string()
}
