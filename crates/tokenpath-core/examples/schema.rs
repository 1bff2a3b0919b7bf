//! Prints the JSON Schema of bundles: `cargo run -p tokenpath-core --example schema > spec/bundle.schema.json`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(tokenpath_core::bundle::schema().as_bytes())
}
