//! Whether the program under test has the page in it. `cargo xtask test` runs these tests again once it has.

use std::path::Path;

/// The build script puts the page in when `dist/site` is there.
pub(crate) fn is_there() -> bool {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist/site/index.html").exists();
    assert!(there || std::env::var_os("TOKENPATH_PAGE_REQUIRED").is_none(), "the page should have been built");
    if !there {
        println!("skipped: `cargo xtask web` has not built the page that the program serves and publishes");
    }
    there
}
